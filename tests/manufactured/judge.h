// tests/manufactured/judge.h: what a solver makes of a manufactured model, compared with its solution.
#pragma once
#include "manufactured.h"
#include "orrery/experiment.h"

typedef enum Verdict { RIGHT, WRONG, REFUSED, CRASHED, SLOW, N_VERDICTS } Verdict;

typedef struct Outcome {
    Verdict verdict;
    double coarse,
        fine;        // largest errors, in units of the largest value: with the wide and the narrow tolerance
    double limit;    // of `fine`
    double t, found, expected;    // where `fine` was
    size_t cell;
    char code[8];    // of the message, if it was refused
} Outcome;

typedef struct Judged {
    const Model *model;
    char *text;
    orr_diag *diag;
    orr_source *source;
    orr_model *compiled;    // NULL: it was refused; messages are in `diag`
    double samples[N_SAMPLES];
    double exact[MOST_CELLS][N_SAMPLES], largest[MOST_CELLS];
} Judged;

void judge_open(const Model *model, orr_code code, Judged *judged);
void judge_close(Judged *judged);
// Run it twice, the second time with a smaller step, tolerance or quantum, in a process of its own.
Outcome judge_solver(const Judged *judged, const orr_solver_info *solver);
// The options of the first (0) and the second run (1).
orr_run_options judge_options(const Model *model, const orr_solver_info *solver, int level);

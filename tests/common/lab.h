// tests/common/lab.h: a model compiled from a text in a test, its experiment and a run of it.
#pragma once
#include "check.h"
#include "orrery/experiment.h"
#include <stdlib.h>
#include <string.h>

typedef struct Lab {
    orr_diag      *diag;
    orr_source    *source;
    orr_model     *model;
    orr_experiment e;      // the first of the text, or the default
    orr_run       *run;    // NULL until lab_start
    orr_table     *table;  // of lab_simulate
    orr_outcome    outcome;
} Lab;

static inline void lab_print(const Lab *lab) { orr_diag_print(lab->diag, stderr, 0); }

// The model may be wrong: then it is NULL, and the messages say why.
static inline Lab lab_try(const char *text, const orr_compile_options *options)
{
    Lab lab = { .diag = orr_diag_create(), .table = orr_table_create(0), .e = orr_experiment_default() };
    orr_compile_options o = options ? *options : orr_compile_options_default();
    lab.source = orr_source_parse("test.orr", text, strlen(text), lab.diag);
    if (!lab.source) return lab;
    if (orr_source_n_experiments(lab.source) > 0 &&
        !orr_experiment_get(lab.source, NULL, &lab.e, lab.diag)) {    // a test may look at it by itself
        orr_diag_forget(lab.diag);
        lab.e = orr_experiment_default();
    }
    if (!o.model) o.model = lab.e.model;
    lab.model = orr_model_compile(lab.source, &o, lab.diag);
    return lab;
}

static inline Lab lab_with(const char *text, const orr_compile_options *options)
{
    Lab lab = lab_try(text, options);
    if (!lab.model) {
        fputs(text, stderr);
        lab_print(&lab);
    }
    assert_non_null(lab.model);
    return lab;
}

static inline Lab lab_open(const char *text) { return lab_with(text, NULL); }

static inline Lab lab_arrays(const char *text, size_t arrays_from)
{
    orr_compile_options o = orr_compile_options_default();
    o.arrays_from = arrays_from;
    return lab_with(text, &o);
}

static inline void lab_close(Lab *lab)
{
    orr_outcome_free(&lab->outcome);
    orr_table_destroy(lab->table);
    orr_run_destroy(lab->run);
    orr_model_destroy(lab->model);
    orr_source_destroy(lab->source);
    orr_diag_destroy(lab->diag);
}

// A new run, in place of the one before.
static inline void lab_start(Lab *lab, const orr_run_options *options)
{
    orr_run_destroy(lab->run);
    lab->run = orr_run_create(lab->model, options, lab->diag);
    if (!lab->run) lab_print(lab);
    assert_non_null(lab->run);
}

static inline void lab_advance(Lab *lab, double t)
{
    const orr_status status = orr_run_advance(lab->run, t);
    if (status != ORR_STATUS_OK) lab_print(lab);
    assert_int_equal(status, ORR_STATUS_OK);
}

// Carry out the experiment; its rows are in the table.
static inline void lab_simulate(Lab *lab)
{
    const orr_sink sink = orr_table_sink(lab->table);
    lab->outcome = orr_simulate(lab->model, &lab->e, &sink, 1, lab->diag);
}

static inline double lab_value(const Lab *lab, const char *name)
{
    const size_t i = orr_model_find(lab->model, name);
    assert_true(i != (size_t)-1);
    return orr_run_value(lab->run, i);
}

static inline bool lab_has_code(const Lab *lab, const char *code)
{
    for (size_t i = 0; i < orr_diag_count(lab->diag); i++)
        if (strcmp(orr_diag_get(lab->diag, i).code, code) == 0) return true;
    return false;
}

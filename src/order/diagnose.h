// src/order/diagnose.h: saying why a system cannot be solved, by name and line, with the next step.
//
// Where no matching is perfect, alternating paths from what is left over give the coarse parts of Dulmage and
// Mendelsohn (1958): from the equations left over, those that are too many and the unknowns they all compute;
// from the unknowns left over, those that are not determined and the equations they share. The parts are the
// same for every largest matching. Each falls into groups that have nothing in common, and each group is one
// message.
#pragma once
#include "order/blocks.h"
#include "order/match.h"
#include "order/start.h"

// Equations and unknowns that belong together.
typedef struct DiagnoseGroup {
    uint32_t *rows, *columns;     // ascending
    uint32_t  n_rows, n_columns;
} DiagnoseGroup;

typedef struct DiagnoseParts {
    DiagnoseGroup *over, *under;       // more equations than unknowns; fewer
    uint32_t       n_over, n_under;
} DiagnoseParts;

// Only the first n_first unknowns need an equation.
DiagnoseParts diagnose_parts(const System *system, const Match *match, Arena *arena);

// The system at every instant has no perfect matching, even if a variable and its derivatives are one unknown
// (`chains`, matched by `whole`; NULL: not tried). The first is told if it is enough: its groups are smaller.
void diagnose_dynamic(const System *system, const Match *match, const System *chains, const Match *whole,
                      orr_diag *diag);
// The system at the start has none, though that at every instant has.
void diagnose_start(const Start *start, const Match *match, orr_diag *diag);
// The component of these equations is singular whatever the values.
void diagnose_singular_loop(const System *system, const Match *match, const uint32_t *rows, uint32_t n,
                            orr_diag *diag);

// Linear equations of a component that are a combination of each other.
typedef struct DiagnoseDependence {
    uint32_t           *rows;           // [n] of the system, no fewer of which depend
    uint32_t            n;
    bool                contradicts;    // else they say the same
    const FlatEquation *rest;           // what they say together, without unknowns; NULL if not known
} DiagnoseDependence;
void diagnose_dependent(const System *system, const Match *match, const uint32_t *rows, uint32_t n,
                        const DiagnoseDependence *dependence, orr_diag *diag);
// The repair of a circuit without a ground.
extern const char diagnose_no_level[];
// An algebraic loop where none are wanted.
void diagnose_loop(const Flat *flat, const Ordered *system, const Loop *loop, orr_diag *diag);

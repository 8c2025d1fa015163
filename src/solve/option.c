// src/solve/option.c: which options mean something to a solver; what is written and means nothing is told.
#include "base/diag.h"
#include "solve/solver.h"

void solver_warn_unused(const Solver *solver, SolverOption kind, const char *name, Place place,
                        orr_diag *diag)
{
    if (kind == SOLVER_OPTION_EXACTNESS && solver->fixed_step) {
        diag_report(diag, DIAG_OPTION_UNUSED, place, name, solver->name, "its steps are fixed");
        diag_hint(diag, "the step decides how exact it is: step 0.001; 'dopri5' and 'bdf' keep a tolerance");
    }
    if (kind == SOLVER_OPTION_QUANTUM && !solver->is_quantised) {
        diag_report(diag, DIAG_OPTION_UNUSED, place, name, solver->name, "it has no quantised states");
        diag_hint(diag, "qss1, qss2, qss3, liqss1, liqss2 and mliqss2 have");
    }
}

bool solver_hears(const Solver *solver, SolverOption kind, const char *name, Place place, orr_diag *diag)
{
    if (kind != SOLVER_OPTION_QUANTUM || solver->is_quantised) {
        solver_warn_unused(solver, kind, name, place, diag);
        return true;
    }
    diag_report(diag, DIAG_SOLVER_OPTION, place, solver->name, name);
    diag_hint(diag, "it belongs to the solvers of quantised states: qss1, qss2, qss3, liqss1, liqss2 and "
                    "mliqss2");
    return false;
}

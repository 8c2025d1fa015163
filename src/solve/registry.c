// src/solve/registry.c: the solvers there are. A new one is its own file and a line here.
#include "solve/solver.h"
#include <ctype.h>
#include <stddef.h>

#define SOLVERS(S) \
    S(auto)        \
    S(euler)       \
    S(in_place)    \
    S(heun)        \
    S(rk4)         \
    S(bs32)        \
    S(dopri5)      \
    S(dop853)      \
    S(adams)       \
    S(bdf)         \
    S(ida)         \
    S(radau)       \
    S(qss1)        \
    S(qss2)        \
    S(qss3)        \
    S(liqss1)      \
    S(liqss2)      \
    S(mliqss2)     \
    S(em)          \
    S(srk)

#define S(name) extern const Solver solver_##name;
SOLVERS(S)
#undef S

static const Solver *const solvers[] = {
#define S(name) &solver_##name,
    SOLVERS(S)
#undef S
};

// the two views of a solver in solver.h lie over each other
_Static_assert(offsetof(Solver, order) == offsetof(orr_solver_info, order),
               "solver.h and orrery/run.h differ");
_Static_assert(offsetof(Solver, fixed_step) == offsetof(orr_solver_info, fixed_step),
               "solver.h and orrery/run.h differ");

_Static_assert(offsetof(Solver, is_quantised) == offsetof(orr_solver_info, is_quantised),
               "solver.h and orrery/run.h differ");

enum { N_SOLVERS = sizeof solvers / sizeof *solvers };

const Solver *solver_at(size_t i) { return i < N_SOLVERS ? solvers[i] : NULL; }

uint32_t solver_number(const Solver *solver)
{
    uint32_t i = 0;
    while (i < N_SOLVERS && solvers[i] != solver) i++;
    return i;
}

const orr_solver_info *orr_solver_at(size_t i) { return i < N_SOLVERS ? &solvers[i]->info : NULL; }

static char plain(char c) { return c == '-' || c == '_' ? ' ' : (char)tolower((unsigned char)c); }

static bool is_called(const Solver *solver, const char *name)
{
    const char *own = solver->name;
    while (*own && plain(*own) == plain(*name)) own++, name++;
    return *own == '\0' && *name == '\0';
}

const Solver *solver_find(const char *name)
{
    for (size_t i = 0; i < N_SOLVERS; i++)
        if (is_called(solvers[i], name)) return solvers[i];
    return NULL;
}

const orr_solver_info *orr_solver_find(const char *name)
{
    const Solver *solver = solver_find(name);
    return solver ? &solver->info : NULL;
}

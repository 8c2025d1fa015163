// src/solve/stiff/radau.c: Radau IIA of order 5, whose steps are those of engine/radau.c, with the linear
// systems of shifted.h.
#include "engine/radau.h"
#include "solve/solver.h"
#include "solve/stiff/settle.h"
#include "solve/stiff/shifted.h"

static const RadauSystem systems = {
    .renew = shifted_renew,
    .factor = shifted_factor,
    .solve_real = shifted_solve_real,
    .solve_complex = shifted_solve_complex,
};

static void release(Island *island)
{
    const Radau *m = island->memory;
    if (m) shifted_free(m->memory);
}

static bool init(Island *island, Arena *arena, orr_diag *diag)
{
    (void)diag;
    const size_t n = island->model->n_states;
    Radau *m = ARENA_NEW(arena, Radau);
    Shifted *shifted = ARENA_NEW(arena, Shifted);
    *m = (Radau){ .system = &systems, .memory = shifted,
                  .is_implicit = settle_find_implicit(island->model, arena) };
    radau_init(m, &island->options, ARENA_ARRAY(arena, double, RADAU_VECTORS * n), n);
    island->memory = m;
    return shifted_init(shifted, island, m->is_implicit, arena);
}

const Solver solver_radau = {
    .name = "radau",
    .summary = "Radau IIA, implicit, fifth order, adaptive step; for stiff models and large loops",
    .order = 5,
    .traits = SOLVER_IMPLICIT | SOLVER_TAKES_LOOPS,
    .init = init,
    .step = radau_step,
    .restart = radau_restart,
    .state_at = radau_state_at,
    .free = release,
};

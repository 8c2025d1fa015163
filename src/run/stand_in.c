// src/run/stand_in.c: quantised states know no rate on a surface: there another solver stands in for theirs.
#include "run/run.h"
#include "solve/solver.h"

static const Solver *stand_in_for(const Solver *solver)
{
    return solver_find(solver->traits & SOLVER_IMPLICIT ? "bdf" : "dopri5");
}

// The solver that is aside; one that stands in or is stood in for.
static const Solver *other_solver(const orr_run *run, const Island *island)
{
    return run->solver_aside ? run->solver_aside : stand_in_for(island->solver);
}

void surface_swap(orr_run *run, Island *island)
{
    const Solver *other = other_solver(run, island);
    void *memory = island->memory;
    run->solver_aside = run->solver_aside ? NULL : island->solver;
    island->solver = other;
    island->memory = run->memory_aside;
    run->memory_aside = memory;
}

bool surface_restart(Island *island)
{
    orr_run *run = island->host;
    const bool stands_in = run->solver_aside != NULL, is_needed = island->surface.is_on;
    if ((stands_in || island->solver->advance) && stands_in != is_needed) {
        surface_swap(run, island);
        if (!island->memory && !island->solver->init(island, &run->arena, run->diag)) return false;
    }
    island->solver->restart(island);
    return true;
}

static void free_aside(orr_run *run, Island *island)
{
    if (!run->memory_aside) return;
    surface_swap(run, island);
    if (island->solver->free) island->solver->free(island);
    island->memory = NULL;
    surface_swap(run, island);
}

void surface_forget_aside(orr_run *run, Island *island)
{
    if (run->memory_aside && !other_solver(run, island)->pass) free_aside(run, island);
}

bool surface_stand_in(orr_run *run, Island *island, bool stands_in, bool has_aside)
{
    const bool is_quantised = run->solver_aside || island->solver->advance;
    if (!is_quantised) return !stands_in && !has_aside;
    if ((run->solver_aside != NULL) != stands_in) surface_swap(run, island);
    if (!island->memory && !island->solver->init(island, &run->arena, run->diag)) return false;
    if (!has_aside) {
        free_aside(run, island);
        return true;
    }
    surface_swap(run, island);
    const bool ok = island->memory || island->solver->init(island, &run->arena, run->diag);
    surface_swap(run, island);
    return ok;
}

void surface_end(orr_run *run, Island *island)
{
    if (island->memory && island->solver->free) island->solver->free(island);
    free_aside(run, island);
}

// src/solve/adaptive/adaptive.c: the explicit methods that choose their steps, whose tables num/pairs.c has.
// Their steps are those of engine/adaptive.c.
#include "solve/adaptive/adaptive.h"
#include "engine/adaptive.h"
#include "num/pairs.h"
#include <limits.h>

static bool init(Island *island, Arena *arena, const Tableau *method)
{
    const size_t n = island->model->n_states;
    Adaptive *m = ARENA_NEW(arena, Adaptive);
    m->method = method;
    m->counts_slow = island->solver == solver_find("auto");
    m->end = method->n_stages;
    m->n_rates = method->n_stages + 1 + method->n_extra;
    for (int i = 0; i < m->n_rates; i++) m->k[i] = ARENA_ARRAY(arena, double, n);
    for (int i = 0; i < STEP_CUBIC + method->n_dense; i++) m->dense[i] = ARENA_ARRAY(arena, double, n);
    m->y = ARENA_ARRAY(arena, double, n);
    m->y_last = ARENA_ARRAY(arena, double, n);
    m->x0 = ARENA_ARRAY(arena, double, n);
    m->x_blocked = ARENA_ARRAY(arena, double, n);
    m->log_before = STEP_LOG_LEAST;
    island->memory = m;
    return true;
}

AdaptiveAhead adaptive_ahead(const void *memory)
{
    const Adaptive *m = memory;
    return (AdaptiveAhead){ m->h, m->log_before, m->was_rejected, m->k[m->h_done > 0 ? m->end : 0] };
}

bool adaptive_has_begun(const void *memory) { return ((const Adaptive *)memory)->begun; }

void adaptive_go_on(Island *island, double h, double log_before, bool was_rejected, const double *rates,
                  size_t stride)
{
    Adaptive *m = island->memory;
    for (size_t i = 0; i < island->model->n_states; i++) m->k[0][i] = rates[i * stride];
    m->h = h;
    m->h_done = 0;
    m->log_before = log_before;
    m->was_rejected = was_rejected;
    m->dense_known = false;
}

bool adaptive_is_stiff(const void *memory) { return ((const Adaptive *)memory)->is_stiff; }

void adaptive_be_calm(void *memory)
{
    Adaptive *m = memory;
    m->is_stiff = false;
    m->n_slow = 0;
    m->decayed = 0;
}

static void pass(Island *island, RunSaved *saved)
{
    Adaptive *m = island->memory;
    const size_t size = island->model->n_states * sizeof(double);
    double *const numbers[] = { &m->t0, &m->h_done, &m->h, &m->log_before, &m->t_blocked, &m->decayed };
    int *const counts[] = { &m->n_at_bound, &m->n_free,    &m->n_decayed,
                            &m->n_slow,     &m->n_blocked, &m->n_dense };
    bool *const flags[] = { &m->begun, &m->dense_known, &m->is_stiff, &m->warned };
    for (int i = 0; i < m->n_rates; i++) saved_pass(saved, m->k[i], size);
    for (int i = 0; i < STEP_CUBIC + m->method->n_dense; i++) saved_pass(saved, m->dense[i], size);
    saved_pass(saved, m->x0, size);
    saved_pass(saved, m->x_blocked, size);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        saved_pass(saved, numbers[i], sizeof **numbers);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        saved_pass(saved, counts[i], sizeof **counts);
        if (*counts[i] < 0 || *counts[i] == INT_MAX) saved->is_bad = true;
    }
    if (m->n_dense > m->method->n_dense) saved->is_bad = true;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) saved_flags(saved, flags[i], 1);
}

#define PAIR(symbol, accuracy, text)                                                                  \
    static bool init_##symbol(Island *island, Arena *arena, orr_diag *diag)                           \
    {                                                                                                 \
        (void)diag;                                                                                   \
        return init(island, arena, &tableau_##symbol);                                                \
    }                                                                                                 \
    const Solver solver_##symbol = {                                                                  \
        .name = #symbol, .summary = text, .order = accuracy, .tableau = &tableau_##symbol,            \
        .init = init_##symbol, .step = adaptive_step, .restart = adaptive_restart,                    \
        .state_at = adaptive_state_at, .pass = pass,                                                  \
    };

PAIR(bs32, 3, "Bogacki-Shampine 3(2), explicit, adaptive step, for low accuracy")
PAIR(dopri5, 5, "Dormand-Prince 5(4), explicit, adaptive step, dense output")
PAIR(dop853, 8, "Dormand-Prince 8(5,3), explicit, adaptive step, for high accuracy")

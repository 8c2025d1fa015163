// src/solve/stiff/multistep.c: stepping, where it makes no difference whether CVODES or IDAS does it.
#include "solve/stiff/multistep.h"
#include "base/diag.h"
#include "run/clones.h"
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>

bool multistep_init(Multistep *m, const MultistepCalls *calls, Island *island, Arena *arena)
{
    const size_t n = island->model->n_states;
    *m = (Multistep){ .calls = calls, .island = island, .t_stop = NAN };
    m->between = ARENA_ARRAY(arena, double, n);
    m->rates = ARENA_ARRAY(arena, double, n);
    if (SUNContext_Create(NULL, &m->context) != 0) return false;
    m->y = clones_vector(N_VMake_Serial((sunindextype)n, island->x, m->context));
    m->absolute = clones_vector(N_VMake_Serial((sunindextype)n, island->absolute, m->context));
    m->past = clones_vector(N_VMake_Serial((sunindextype)n, m->between, m->context));
    return m->y && m->absolute && m->past;
}

void multistep_free(Multistep *m)
{
    jacobian_free(&m->jacobian);
    if (m->y) N_VDestroy(m->y);
    if (m->absolute) N_VDestroy(m->absolute);
    if (m->past) N_VDestroy(m->past);
    if (m->context) SUNContext_Free(&m->context);
    // the island may come here twice
    *m = (Multistep){ .calls = m->calls, .island = m->island };
}

void multistep_keep_words(int code, const char *module, const char *function, char *message, void *data)
{
    (void)code, (void)module, (void)function;
    Multistep *m = data;
    snprintf(m->words, sizeof m->words, "%s", message);
}

bool multistep_report_set_up(const Multistep *m)
{
    diag_report(m->island->diag, DIAG_SOLVER_FAILED, (Place){ 0 }, m->island->method, m->island->t,
                m->words[0] ? m->words : "it could not be set up");
    return false;
}

typedef struct Counts {
    long steps, rejected;
} Counts;

static Counts counts_of(const Multistep *m)
{
    long steps = 0, errors = 0, no_convergence = 0;
    m->calls->n_steps(m->memory, &steps);
    m->calls->n_error_fails(m->memory, &errors);
    m->calls->n_solve_fails(m->memory, &no_convergence);
    return (Counts){ steps, errors + no_convergence };
}

static bool is_crumb(const Island *island, double t_limit)
{
    return isfinite(t_limit) &&
           t_limit - island->t <= 16 * DBL_EPSILON * fmax(fabs(island->t), fabs(t_limit));
}

StepResult multistep_step(Island *island, double t_limit)
{
    Multistep *m = island->memory;
    if (!m->begun) {
        if (is_crumb(island, t_limit)) return m->calls->crumb(island, t_limit);
        const StepResult result = m->calls->begin(island, t_limit);
        if (result != STEP_OK) return result;
        m->t_stop = NAN;
        m->begun = true;
    }
    if (isfinite(t_limit) && m->t_stop != t_limit) {
        m->calls->set_stop(m->memory, t_limit);
        m->t_stop = t_limit;
    }
    const Counts before = counts_of(m);
    double t = island->t;
    // where to only tells the direction
    const double towards = isfinite(t_limit) ? t_limit : island->t + fmax(1, fabs(island->t));
    const int code = m->calls->advance(m, towards, &t);
    const Counts after = counts_of(m);
    island->n_rejected += (size_t)(after.rejected - before.rejected);
    if (code < 0) {
        // y lies over the states, which go back to the last good time
        m->calls->derivative_at(m->memory, island->t, 0, m->y);
        return m->calls->give_up(island, code);
    }
    island->n_steps += (size_t)(after.steps - before.steps);
    if (stuck_after(&m->stuck, island->t, t)) return m->calls->give_up(island, m->calls->stuck);
    island->t_before = island->t;
    island->t = t;
    return STEP_OK;
}

void multistep_restart(Island *island)
{
    Multistep *m = island->memory;
    m->begun = false;
}

void multistep_state_at(Island *island, double t, double *x)
{
    Multistep *m = island->memory;
    m->calls->derivative_at(m->memory, t, 0, m->past);
    memcpy(x, m->between, island->model->n_states * sizeof *x);
}

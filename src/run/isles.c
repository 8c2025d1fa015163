// src/run/isles.c: the islands of a model beside its main part, each with a solver of its own.
//
// They are components of the kernel that the atomics are in, too (run/net.c), and the main part is what is
// outside of it. What they tell arrives like messages, bag by bag; a step of the main part ends where that
// may happen. Before each step the main part tells its own values, which hold from here on. So the kernel
// never is ahead of the user, and nothing has to be taken back.
#include "island/isles.h"
#include "base/diag.h"
#include "run/run.h"
#include "solve/solver.h"
#include <stdlib.h>
#include <string.h>

typedef struct IslesRun {
    const Isles *isles;          // borrowed; the model's
    orr_run_options *options;    // [n] of each island
    double *values, *first;      // scratch: parameters and external variables of one island
    IslandParams params;         // … and all of it
    double *told;                // [n_told] last told; NaN: nothing yet
    orr_signal *signal;          // scratch
    bool has_news;               // something that the main part reads has come,
    bool has_jumped;             // … and it has jumped
} IslesRun;

// ---- Making

static orr_run_options options_of(const orr_run *run, const Isle *isle, const orr_run_options *given)
{
    orr_run_options o = isle->options.run;
    const Island *main = &run->islands[0];
    if (!isle->has_solver) o.solver = main->solver->name;
    const bool is_same = !isle->has_solver;
    if (is_same && !(o.step > 0)) o.step = given->step;
    if (!(o.tolerance > 0)) o.tolerance = given->tolerance;
    if (!(o.absolute > 0)) o.absolute = given->absolute;
    if (is_same && !(o.quantum > 0)) o.quantum = given->quantum;
    if (is_same && !(o.relative_quantum > 0)) o.relative_quantum = given->relative_quantum;
    o.t_end = given->t_end;
    o.seed = given->seed;
    o.number = given->number;
    o.within = isle->name;
    o.cancel = given->cancel;
    o.max_seconds = given->max_seconds;
    return o;
}

void isles_open(orr_run *run, const orr_run_options *options)
{
    const Isles *isles = run->model->isles;
    if (!isles) return;
    Arena *arena = &run->arena;
    IslesRun *r = run->isles = ARENA_NEW(arena, IslesRun);
    uint32_t n_values = 1, n_first = 1;
    r->isles = isles;
    r->options = ARENA_ARRAY(arena, orr_run_options, isles->n);
    for (uint32_t i = 0; i < isles->n; i++) {
        const Isle *isle = &isles->items[i];
        r->options[i] = options_of(run, isle, options);
        if (isle->n_settings > n_values) n_values = isle->n_settings;
        if (isle->n_inputs > n_first) n_first = isle->n_inputs;
    }
    r->values = ARENA_ARRAY(arena, double, n_values);
    r->first = ARENA_ARRAY(arena, double, n_first);
    r->told = ARENA_ARRAY(arena, double, isles->n_told);
    r->signal = arena_alloc(arena, 1, orr_signal_size(isles->n + 1));
    if (isles->n_told) run->chunk = 1;    // each step is told
}

// ---- Beginning

// What the model around says of an island; NaN: nothing.
static double setting_of(const orr_run *run, const IsleSetting *s)
{
    const uint32_t place = run->model->ir.layout.place[s->variable];
    const bool is_given =
        !s->is_start || s->is_given || (place < run->model->n_params && run->given[place] != 0);
    return is_given ? run->islands[0].env.v[place] : NAN;
}

const void *isles_params(const orr_run *run, uint32_t number)
{
    IslesRun *r = run->isles;
    const Isle *isle = &r->isles->items[number];
    for (uint32_t k = 0; k < isle->n_settings; k++) r->values[k] = setting_of(run, &isle->settings[k]);
    for (uint32_t k = 0; k < isle->n_inputs; k++)
        r->first[k] = isle->inputs[k].is_number
                          ? run->islands[0].env.v[run->model->ir.layout.place[isle->inputs[k].variable]]
                          : NAN;
    r->params = (IslandParams){ &r->options[number], isle->options.output_period, r->values, r->first };
    return &r->params;
}

void isles_start(orr_run *run)
{
    IslesRun *r = run->isles;
    if (!r) return;
    for (uint32_t k = 0; k < r->isles->n_told; k++) r->told[k] = NAN;
    r->has_news = r->has_jumped = false;
}

// ---- Signals

void isles_hear(orr_run *run, uint32_t output, const void *value)
{
    IslesRun *r = run->isles;
    const orr_signal *signal = value;
    double *v = &run->islands[0].env.v[run->model->ir.layout.place[r->isles->heard[output]]];
    if (*v != signal->value) r->has_news = true;
    if (signal->perturbation) r->has_jumped = true;
    *v = signal->value;
    run->values_valid = false;
}

bool isles_have_news(orr_run *run, const Island *island, bool *affects)
{
    IslesRun *r = run->isles;
    const bool has_news = r->has_news || r->has_jumped;
    // what is continuous is taken over where it comes; steps on a grid are kept
    *affects |= r->has_jumped || (r->has_news && !island->solver->fixed_step);
    r->has_news = r->has_jumped = false;
    return has_news;
}

// What the main part tells where it stands; true if there was anything new.
static bool tell(orr_run *run, Island *island)
{
    IslesRun *r = run->isles;
    bool any = false;
    const double *x = run->x, t = run->t;
    run->x = island->x;
    run->t = island->t;
    run->values_valid = false;
    for (uint32_t k = 0; k < r->isles->n_told; k++) {
        const double value = run_own_value(run, r->isles->told[k]);
        if (value == r->told[k]) continue;
        any = true;
        r->told[k] = value;
        memset(r->signal, 0, orr_signal_size(r->isles->n + 1));
        r->signal->value = value;
        net_send(run, island->t, k, r->signal);
    }
    run->x = (double *)x;
    run->t = t;
    run->values_valid = false;
    return any;
}

orr_status isles_tell(orr_run *run, Island *island)
{
    const IslesRun *r = run->isles;
    if (!r || r->isles->n_told == 0) return ORR_STATUS_OK;
    // at the first instant everybody must have heard of everybody
    const uint32_t n_rounds = island->t == run->t_start ? r->isles->n + 3 : 1;
    for (uint32_t round = 0; round < n_rounds; round++) {
        const bool told = tell(run, island);
        if (run->is_failed) return ORR_STATUS_FAILED;
        if (!told) return ORR_STATUS_OK;
        const orr_status status = event_exchange(run, island);
        if (status != ORR_STATUS_OK) return status;
    }
    return ORR_STATUS_OK;
}

// ---- Events of the main part

static bool value_at(orr_run *run, size_t variable, double t, double *value)
{
    const Isles *isles = run->isles->isles;
    if (variable >= isles->n_variables || !isles->isle_of[variable]) return false;
    const size_t inside = isles->variable_of[variable];
    const uint32_t isle = isles->isle_of[variable] - 1;
    orr_devs_run *kernel = net_kernel(run);
    if (inside == (size_t)-1 || !kernel) return false;
    orr_run *of = island_run_at(kernel, run->model->network->guests.items[isle].component, t);
    if (!of) return false;
    *value = orr_run_value(of, inside);
    return true;
}

void isles_before(orr_run *run, const Island *island, const FlatAction *actions, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        double value;
        const uint32_t target = actions[k].target;
        if (value_at(run, target, island->t, &value))
            island->env.v[run->model->ir.layout.place[target]] = value;
    }
}

void isles_after(orr_run *run, const Island *island, const FlatAction *actions, uint32_t n)
{
    const Isles *isles = run->isles->isles;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t target = actions[k].target, isle = isles->isle_of[target];
        const double value = island->env.v[run->model->ir.layout.place[target]];
        // a branch that was not taken assigns what was there
        if (!isle || value == run->left[k]) continue;
        const orr_perturbation message = { isles->variable_of[target], value };
        net_send(run, island->t, isles->perturb[isle - 1], &message);
    }
}

// ---- Looking

bool isles_value(orr_run *run, size_t variable, double *value)
{
    const orr_devs_run *kernel = net_kernel(run);
    return kernel && value_at(run, variable, orr_devs_run_time(kernel), value);
}

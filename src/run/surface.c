// src/run/surface.c: events that would follow each other for ever, and how they end.
//
// Zeno. A ball bounces faster and faster and, after finite time, no more. An event of a condition whose
// intervals shrink until they are nothing beside the time of the run has come to that point: the states its
// body assigns get the value at which the zero function of its relation stands still, and are held there
// (their rates are taken as 0 or, if the surface moves, such that they stay on it) until another event
// assigns them, the relation becomes false, or what pushes against the surface changes its direction.
//
// Sliding, see slide.c: a solution that can only follow the surface where a relation changes.
#include "base/diag.h"
#include "base/text.h"
#include "run/run.h"
#include "solve/solver.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHRINKING_MIN = 6, HALVINGS = 60, NAMES = 6 };
#define ZENO_SPAN 1e-11    // an interval that is nothing, of the scale of time
#define UNSEEN    10       // times the absolute tolerance
#define PROBE     1e-6     // how far slopes are looked for, of the scale of time

typedef struct Zeno {
    double t, interval, ratio;    // last firing, time since the one before, that beside the one before it
    int n_shrinking;              // intervals in a row, each shorter than the one before
    size_t n;                     // firings
    double limit, doubt;    // where it all accumulates, by the firings that agreed best; by how much they did
    double limit_before;    // by the firing before
} Zeno;

typedef struct Rest {
    uint32_t event, relation;
    double push;    // second difference of the zero function without holding: negative, towards it
} Rest;

double surface_scale(const orr_run *run, const Island *island)
{
    // the time so far: how long the run will last says nothing about what happens now
    const double so_far = fmax(fabs(island->t), island->t - run->t_start);
    return so_far > 0 ? so_far : fmin(1, island->options.t_end - run->t_start);
}

void surface_init(orr_run *run, Island *island)
{
    const orr_model *model = run->model;
    Surface *s = &island->surface;
    Arena *arena = &run->arena;
    const size_t n = model->n_states;
    if (model->n_relations == 0) return;
    run->zeno = ARENA_ARRAY(arena, Zeno, model->n_events);
    run->rests = ARENA_ARRAY(arena, Rest, model->n_events);
    run->has_slid = ARENA_ARRAY(arena, bool, model->n_relations);
    s->held = ARENA_ARRAY(arena, bool, n);
    s->held_by = ARENA_ARRAY(arena, uint32_t, n);
    s->surface_of = ARENA_ARRAY(arena, uint32_t, model->n_relations);
    s->before = ARENA_ARRAY(arena, double, model->n_relations);
    s->resting = ARENA_ARRAY(arena, bool, model->n_relations);
    for (int i = 0; i < 2; i++) {
        s->modes[i] = ARENA_ARRAY(arena, double, model->n_relations);
        s->rates[i] = ARENA_ARRAY(arena, double, n);
    }
    s->x = ARENA_ARRAY(arena, double, n);
    s->x2 = ARENA_ARRAY(arena, double, n);
    s->relations = ARENA_ARRAY(arena, double, 2 * model->n_relations);
}

void surface_start(orr_run *run, Island *island)
{
    Surface *s = &island->surface;
    if (run->model->n_relations == 0) return;
    s->is_on = s->slides = s->ends = false;
    s->n_held = 0;
    run->n_rests = 0;
    memset(s->held, 0, run->model->n_states * sizeof *s->held);
    s->n_surfaces = 0;
    for (uint32_t k = 0; k < run->model->n_relations; k++) s->surface_of[k] = SURFACE_NONE;
    memset(s->resting, 0, run->model->n_relations * sizeof *s->resting);
    for (uint32_t i = 0; i < run->model->n_events; i++)
        run->zeno[i] = (Zeno){ .t = NAN, .interval = INFINITY };
}

// ---- Solvers

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

bool surface_restart(orr_run *run, Island *island)
{
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

// ---- Rates

int surface_plain_rates(Island *island, double t, const double *x, double *dx)
{
    return code_call(&island->model->code, IR_RATES, t, x, &island->env, dx);
}

static bool zero_at(Island *island, double t, const double *x, size_t relation, double *g)
{
    Surface *s = &island->surface;
    if (code_call(&island->model->code, IR_RELATIONS, t, x, &island->env, s->relations) != 0) return false;
    *g = s->relations[2 * relation];
    return true;
}

bool surface_slopes(Island *island, double t, const double *x, const double *dx, const size_t *relations,
                    size_t n, double *slopes)
{
    Surface *s = &island->surface;
    for (int i = 0; i < 2; i++) {
        const double h = i ? s->probe : -s->probe;
        for (size_t k = 0; k < island->model->n_states; k++) s->x[k] = x[k] + h * dx[k];
        if (code_call(&island->model->code, IR_RELATIONS, t + h, s->x, &island->env, s->relations) != 0)
            return false;
        for (size_t k = 0; k < n; k++) {
            const double g = s->relations[2 * relations[k]];
            slopes[k] = i ? (g - slopes[k]) / (2 * s->probe) : g;
        }
    }
    return true;
}

static bool slope_along(Island *island, double t, const double *x, const double *dx, size_t relation,
                        double *slope)
{
    return surface_slopes(island, t, x, dx, &relation, 1, slope);
}

// How the slope of a zero function changes if x moves at dx, with another rate for one state.
static bool bend_with(Island *island, double t, const double *x, const double *dx, size_t state, double rate,
                      double *bend)
{
    Surface *s = &island->surface;
    const size_t n = island->model->n_states;
    double slopes[2];
    for (int side = 0; side < 2; side++) {
        const double h = side ? s->probe : -s->probe;
        for (size_t k = 0; k < n; k++) s->x2[k] = x[k] + h * (k == state ? rate : dx[k]);
        if (surface_plain_rates(island, t + h, s->x2, s->rates[1]) != 0) return false;
        if (!slope_along(island, t + h, s->x2, s->rates[1], s->held_by[state], &slopes[side])) return false;
    }
    *bend = (slopes[1] - slopes[0]) / (2 * s->probe);
    return true;
}

// The rate of a state at rest with which it stays on its surface: 0, unless that moves.
static double held_rate(Island *island, double t, const double *x, const double *dx, size_t state)
{
    double still, moving;
    if (!bend_with(island, t, x, dx, state, 0, &still) || still == 0 || dx[state] == 0) return 0;
    if (!bend_with(island, t, x, dx, state, dx[state], &moving) || moving == still) return 0;
    return dx[state] * still / (still - moving);
}

int surface_rates(Island *island, double t, const double *x, double *dx)
{
    Surface *s = &island->surface;
    const size_t n = island->model->n_states;
    int failed;
    failed = s->slides ? slide_rates(island, t, x, dx) : surface_plain_rates(island, t, x, dx);
    for (size_t i = 0; i < n && s->n_held && !failed; i++)
        if (s->held[i]) dx[i] = s->held_by[i] == EVENT_NONE ? 0 : held_rate(island, t, x, dx, i);
    return failed;
}

void surface_patch(const Island *island, double *relations)
{
    const Surface *s = &island->surface;
    const double *modes = island_modes(island);
    for (size_t k = 0; k < island->model->n_relations; k++)
        if (s->surface_of[k] != SURFACE_NONE || s->resting[k]) relations[2 * k + 1] = modes[k];
}

// Rates among the variables are what they are on the surface.
static void put_rates(const orr_model *model, const double *dx, double *v)
{
    const IrLayout *layout = &model->ir.layout;
    const Blocks *blocks = &model->blocks;
    for (uint32_t i = 0; i < blocks->n_states; i++)
        if (layout->state_of[blocks->rates[i]] == FLAT_NONE)
            v[layout->place[blocks->rates[i]]] = dx[layout->state_of[blocks->states[i]]];
    for (size_t a = 0; a < model->flat.arrays.n; a++) {
        const FlatArray *array = &model->flat.arrays.items[a];
        const uint32_t rate = array->derivative, first = layout->array_state[a];
        if (first == FLAT_NONE || rate == FLAT_NONE || layout->array_state[rate] != FLAT_NONE) continue;
        for (uint32_t i = 0; i < array->n; i++)
            v[layout->array_place[rate] + i] = dx[first + i * layout->array_step[a]];
    }
}

int surface_values(Island *island, double t, const double *x)
{
    Surface *s = &island->surface;
    const orr_model *model = island->model;
    Arena work = { 0 };
    double *dx = ARENA_ARRAY(&work, double, model->n_states);
    int failed = surface_rates(island, t, x, dx);
    if (!failed)
        failed = s->slides ? slide_values(island, t, x)
                           : code_call(&model->code, IR_VALUES, t, x, &island->env, NULL);
    if (!failed) put_rates(model, dx, island->env.v);
    arena_free(&work);
    return failed;
}

void surface_names(const orr_model *model, const bool *which, StrBuf *s)
{
    size_t n = 0;
    for (uint32_t i = 0; i < model->n_states; i++) {
        if (!which[i]) continue;
        if (n++ < NAMES)
            str_addf(s, "%s'%s'", s->p ? ", " : "", model_state_name(model, i));
    }
    if (n > NAMES) str_addf(s, " and %zu more", n - NAMES);
}

// ---- Zeno

// The one relation that a condition reads; EVENT_NONE if there are none or several.
static uint32_t only_relation(const orr_run *run, uint32_t event)
{
    uint32_t found = EVENT_NONE;
    for (uint32_t k = 0; k < run->model->n_relations; k++) {
        if (run->reader[k] != event) continue;
        if (found != EVENT_NONE) return EVENT_NONE;
        found = k;
    }
    return found;
}

// The second difference of the zero function if nothing were held: its sign is the direction of the push.
static double push_on(Island *island, uint32_t relation)
{
    Surface *s = &island->surface;
    const size_t n = island->model->n_states;
    double g[3];
    if (surface_plain_rates(island, island->t, island->x, s->rates[0]) != 0) return NAN;
    for (size_t i = 0; i < n; i++) s->x2[i] = island->x[i] + s->probe * s->rates[0][i];
    if (!zero_at(island, island->t, island->x, relation, &g[0])) return NAN;
    if (!zero_at(island, island->t + s->probe, s->x2, relation, &g[1])) return NAN;
    if (surface_plain_rates(island, island->t + s->probe, s->x2, s->rates[0]) != 0) return NAN;
    for (size_t i = 0; i < n; i++) s->x2[i] += s->probe * s->rates[0][i];
    if (!zero_at(island, island->t + 2 * s->probe, s->x2, relation, &g[2])) return NAN;
    return g[2] - 2 * g[1] + g[0];
}

static bool slope_now(Island *island, uint32_t relation, double *slope)
{
    Surface *s = &island->surface;
    return surface_plain_rates(island, island->t, island->x, s->rates[0]) == 0 &&
           slope_along(island, island->t, island->x, s->rates[0], relation, slope);
}

static orr_status fail_zeno(orr_run *run, const Island *island, uint32_t number, const char *why)
{
    const Zeno *z = &run->zeno[number];
    diag_report(run->diag, DIAG_ZENO,
                run_place(run->model, run->diag, run->model->flat.events.items[number].place), island->t,
                event_cause(run, number));
    diag_hint(run->diag, "%s", why);
    diag_note(run->diag, (Place){ 0 }, "it fired %zu times, each time after %.3g of the time before", z->n,
              z->ratio);
    return drive_fail(run);
}

// The states that the body of an event assigns: their values before it are in run->left.
static orr_status rest(orr_run *run, Island *island, uint32_t number)
{
    const orr_model *model = run->model;
    const FlatEvent *event = &model->flat.events.items[number];
    const FlatAction *actions = model->flat.actions.items + event->first_action;
    Surface *s = &island->surface;
    const Zeno *z = &run->zeno[number];
    const uint32_t relation = only_relation(run, number);
    double right_slope, left_slope;
    bool *is_target = run->is_state_marked, any = false;
    s->probe = PROBE * surface_scale(run, island);
    memset(is_target, 0, model->n_states * sizeof *is_target);
    for (uint32_t k = 0; k < event->n_actions; k++) {
        const uint32_t state = model->ir.layout.state_of[actions[k].target];
        if (state != FLAT_NONE) is_target[state] = any = true;
    }
    uint32_t n_targets = 0;
    for (uint32_t i = 0; i < model->n_states; i++) n_targets += is_target[i];
    if (!any || relation == EVENT_NONE)
        return fail_zeno(run, island, number,
                         "end the sequence in the model: stop, or switch to a state of rest");
    // where the zero function stands still, between the values before and after the body
    memcpy(s->x2, island->x, model->n_states * sizeof *s->x2);
    if (!slope_now(island, relation, &right_slope))
        return fail_zeno(run, island, number, "its surface has no slope");
    for (uint32_t k = event->n_actions; k-- > 0;) {
        const uint32_t state = model->ir.layout.state_of[actions[k].target];
        if (state != FLAT_NONE) island->x[state] = run->left[k];
    }
    const bool known = slope_now(island, relation, &left_slope);
    memcpy(run->x_trial, island->x, model->n_states * sizeof *run->x_trial);
    const double part = left_slope / (left_slope - right_slope);
    for (uint32_t i = 0; i < model->n_states; i++)
        if (is_target[i]) island->x[i] += part * (s->x2[i] - island->x[i]);
    if (!known || !(part > 0 && part < 1)) {
        memcpy(island->x, s->x2, model->n_states * sizeof *s->x2);
        return fail_zeno(run, island, number,
                         "end the sequence in the model: stop, or switch to a state of rest");
    }
    // what rounding left over would move it in the long run
    for (int round = 0; round < 3; round++) {
        double slope;
        if (!slope_now(island, relation, &slope) || slope == 0) break;
        for (uint32_t i = 0; i < model->n_states; i++)
            if (is_target[i])
                island->x[i] += slope / (left_slope - right_slope) * (s->x2[i] - run->x_trial[i]);
    }
    for (uint32_t i = 0; i < model->n_states; i++) {
        if (!is_target[i] || s->held[i]) continue;
        s->held[i] = true;
        s->held_by[i] = n_targets == 1 ? relation : EVENT_NONE;
        s->n_held++;
    }
    s->is_on = true;
    s->resting[relation] = true;
    run->rests[run->n_rests++] = (Rest){ number, relation, push_on(island, relation) };

    StrBuf names = { 0 };
    surface_names(model, is_target, &names);
    diag_report(run->diag, DIAG_RESTS, run_place(model, run->diag, event->place), event_cause(run, number),
                z->limit, names.p);
    diag_note(run->diag, (Place){ 0 }, "it fired %zu times, each time after %.3g of the time before", z->n,
              z->ratio);
    str_free(&names);
    return ORR_STATUS_OK;
}

// A solver that chooses its steps does not see an excursion that is smaller than the error it allows itself.
static bool is_below_tolerance(const orr_run *run, Island *island, uint32_t number)
{
    const uint32_t relation = only_relation(run, number);
    double slope;
    if (island->solver->fixed_step || relation == EVENT_NONE) return false;
    island->surface.probe = PROBE * surface_scale(run, island);
    const double bend = push_on(island, relation) / (island->surface.probe * island->surface.probe);
    if (!slope_now(island, relation, &slope)) return false;
    return slope * slope / fabs(2 * bend) < UNSEEN * island->options.absolute;
}

orr_status surface_fired(orr_run *run, Island *island, uint32_t number)
{
    if (!run->zeno || run->model->flat.events.items[number].kind != FLAT_WHEN) return ORR_STATUS_OK;
    Zeno *z = &run->zeno[number];
    const double interval = island->t - z->t, before = z->interval;
    z->n++;
    z->t = island->t;
    if (isnan(interval)) return ORR_STATUS_OK;
    if (z->n_shrinking == 0) z->doubt = INFINITY;
    z->n_shrinking = interval < 0.9999 * before ? z->n_shrinking + 1 : 0;
    z->ratio = isinf(before) ? 0 : interval / before;
    z->interval = interval;
    const double limit = island->t + interval * z->ratio / (1 - z->ratio);
    if (z->n_shrinking > 1 && !(fabs(limit - z->limit_before) >= z->doubt)) {
        z->doubt = fabs(limit - z->limit_before);
        z->limit = limit;
    }
    z->limit_before = limit;
    if (z->n_shrinking < SHRINKING_MIN) return ORR_STATUS_OK;
    if (interval > ZENO_SPAN * surface_scale(run, island) && !is_below_tolerance(run, island, number))
        return ORR_STATUS_OK;
    for (uint32_t i = 0; i < run->n_rests; i++)
        if (run->rests[i].event == number) return ORR_STATUS_OK;
    return rest(run, island, number);
}

static void release(orr_run *run, Island *island, uint32_t i)
{
    Surface *s = &island->surface;
    const orr_model *model = run->model;
    run->zeno[run->rests[i].event] = (Zeno){ .t = NAN, .interval = INFINITY };
    s->resting[run->rests[i].relation] = false;
    run->rests[i] = run->rests[--run->n_rests];
    memset(s->held, 0, model->n_states * sizeof *s->held);
    s->n_held = 0;
    for (uint32_t r = 0; r < run->n_rests; r++) {
        const FlatEvent *event = &model->flat.events.items[run->rests[r].event];
        for (uint32_t k = 0; k < event->n_actions; k++) {
            const FlatAction *action = &model->flat.actions.items[event->first_action + k];
            const uint32_t state = model->ir.layout.state_of[action->target];
            if (state == FLAT_NONE || s->held[state]) continue;
            s->held[state] = true;
            s->n_held++;
        }
    }
    s->is_on = s->slides || s->n_held > 0;
}

bool surface_look(orr_run *run, Island *island)
{
    bool released = false;
    for (uint32_t i = run->n_rests; i-- > 0;) {
        const Rest *r = &run->rests[i];
        const double push = push_on(island, r->relation), g = island->surface.relations[2 * r->relation];
        const bool is_off = g * r->push < 0 && fabs(g) > UNSEEN * island->options.absolute;
        if (!is_off && !(push * r->push < 0)) continue;
        release(run, island, i);
        released = true;
    }
    return released;
}

// How far the zero function moves away from the surface before it comes back, if it does.
static double excursion(Island *island, const Rest *r, double *slope)
{
    const double bend = r->push / (island->surface.probe * island->surface.probe);
    return slope_now(island, r->relation, slope) ? *slope * *slope / fabs(2 * bend) : INFINITY;
}

void surface_assigned(orr_run *run, Island *island, uint32_t number)
{
    const orr_model *model = run->model;
    const FlatEvent *event = &model->flat.events.items[number];
    const FlatAction *actions = model->flat.actions.items + event->first_action;
    bool moved = false;
    for (uint32_t k = 0; k < event->n_actions; k++) {
        const uint32_t state = model->ir.layout.state_of[actions[k].target];
        moved |= state != FLAT_NONE && island->surface.held[state] && island->x[state] != run->left[k];
    }
    bool any = false;
    double slope;
    for (uint32_t i = 0; moved && i < run->n_rests; i++)
        any |= excursion(island, &run->rests[i], &slope) > UNSEEN * island->options.absolute;
    for (uint32_t k = event->n_actions; moved && !any && k-- > 0;) {    // rounding
        const uint32_t state = model->ir.layout.state_of[actions[k].target];
        if (state != FLAT_NONE && island->surface.held[state]) island->x[state] = run->left[k];
    }
    for (uint32_t i = run->n_rests; any && i-- > 0;) {
        const Rest r = run->rests[i];
        release(run, island, i);
        // pushed into the surface, it bounces at once
        if (slope_now(island, r.relation, &slope) && slope * r.push > 0) run->truth_before[r.event] = 0;
    }
}

void surface_pass(orr_run *run, RunSaved *saved)
{
    Surface *s = &run->island.surface;
    const orr_model *model = run->model;
    const uint32_t n = model->n_relations;
    if (n == 0) return;
    saved_pass(saved, run->zeno, model->n_events * sizeof *run->zeno);
    saved_index(saved, &run->n_rests, model->n_events + 1);
    for (uint32_t i = 0; i < run->n_rests && !saved->is_bad; i++) {
        saved_index(saved, &run->rests[i].event, model->n_events);
        saved_index(saved, &run->rests[i].relation, n);
        saved_pass(saved, &run->rests[i].push, sizeof run->rests[i].push);
    }
    saved_flags(saved, &s->is_on, 1);
    saved_flags(saved, &s->slides, 1);
    saved_flags(saved, &s->ends, 1);
    slide_pass(run, saved);
    saved_pass(saved, &s->probe, sizeof s->probe);
    saved_flags(saved, s->resting, n);
    for (int i = 0; i < 2; i++) saved_pass(saved, s->modes[i], n * sizeof *s->modes[i]);
    saved_flags(saved, s->held, model->n_states);
    s->n_held = 0;
    for (uint32_t i = 0; i < model->n_states; i++) {
        saved_pass(saved, &s->held_by[i], sizeof s->held_by[i]);
        if (s->held_by[i] >= n && s->held_by[i] != EVENT_NONE) saved->is_bad = true;
        s->n_held += s->held[i];
    }
}

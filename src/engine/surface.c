// src/engine/surface.c: events that would follow each other for ever, and how they end.
//
// Zeno. A ball bounces faster and faster and, after finite time, no more. An event of a condition whose
// intervals shrink until they are nothing beside the time of the run has come to that point: the states its
// body assigns get the value at which the zero function of its relation stands still, and are held there
// (their rates are taken as 0 or, if the surface moves, such that they stay on it) until another event
// assigns them, the relation becomes false, or what pushes against the surface changes its direction.
//
// Sliding, see slide.c: a solution that can only follow the surface where a relation changes.
#include "engine/host.h"

enum { SHRINKING_MIN = 6 };
#define ZENO_SPAN 1e-11    // an interval that is nothing, of the scale of time
#define UNSEEN    10       // times the absolute tolerance
#define SURFACE_PROBE 1e-6     // how far slopes are looked for, of the scale of time

double surface_scale(const Island *island)
{
    // the time so far: how long the run will last says nothing about what happens now
    const double so_far = fmax(fabs(island->t), island->t - island->t_begin);
    return so_far > 0 ? so_far : fmin(1, island->options.t_end - island->t_begin);
}

void surface_start(Island *island)
{
    Surface *s = &island->surface;
    if (island->tables->n_relations == 0) return;
    s->is_on = s->slides = s->ends = false;
    s->n_held = 0;
    island->n_rests = 0;
    memset(s->held, 0, island->tables->n_states * sizeof *s->held);
    s->n_surfaces = 0;
    for (uint32_t k = 0; k < island->tables->n_relations; k++) s->surface_of[k] = SURFACE_NONE;
    memset(s->resting, 0, island->tables->n_relations * sizeof *s->resting);
    for (uint32_t i = 0; i < island->tables->n_events; i++)
        island->zeno[i] = (Zeno){ .t = NAN, .interval = INFINITY };
}

// ---- Rates

int surface_plain_rates(Island *island, double t, const double *x, double *dx)
{
    return engine_call(island, IR_RATES, t, x, dx);
}

static bool zero_at(Island *island, double t, const double *x, size_t relation, double *g)
{
    Surface *s = &island->surface;
    if (engine_call(island, IR_RELATIONS, t, x, s->relations[0]) != 0) return false;
    *g = s->relations[0][2 * relation];
    return true;
}

bool surface_slopes(Island *island, double t, const double *x, const double *dx, const size_t *relations,
                    size_t n, double *slopes)
{
    Surface *s = &island->surface;
    for (int i = 0; i < 2; i++) {
        const double h = i ? s->probe : -s->probe;
        for (size_t k = 0; k < island->tables->n_states; k++) s->x[k] = x[k] + h * dx[k];
        if (engine_call(island, IR_RELATIONS, t + h, s->x, s->relations[0]) != 0)
            return false;
        for (size_t k = 0; k < n; k++) {
            const double g = s->relations[0][2 * relations[k]];
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
    const size_t n = island->tables->n_states;
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
    const size_t n = island->tables->n_states;
    int failed;
    failed = s->slides ? slide_rates(island, t, x, dx) : surface_plain_rates(island, t, x, dx);
    for (size_t i = 0; i < n && s->n_held && !failed; i++)
        if (s->held[i]) dx[i] = s->held_by[i] == ENGINE_NONE ? 0 : held_rate(island, t, x, dx, i);
    return failed;
}

void surface_patch(const Island *island, double *relations)
{
    const Surface *s = &island->surface;
    const double *modes = island_modes(island);
    for (size_t k = 0; k < island->tables->n_relations; k++)
        if (s->surface_of[k] != SURFACE_NONE || s->resting[k]) relations[2 * k + 1] = modes[k];
}

int surface_values(Island *island, double t, const double *x)
{
    Surface *s = &island->surface;
    const EngineTables *tables = island->tables;
    int failed = surface_rates(island, t, x, s->dx);
    if (!failed)
        failed = s->slides ? slide_values(island, t, x) : engine_call(island, IR_VALUES, t, x, NULL);
    // rates among the variables are what they are on the surface
    for (uint32_t i = 0; i < tables->n_rates && !failed; i++) {
        const EngineSpan *rate = &tables->rates[i];
        for (uint32_t k = 0; k < rate->n; k++)
            island->env.v[rate->place + k] = s->dx[rate->state + k * rate->step];
    }
    return failed;
}

// ---- Zeno

// The one relation that a condition reads; ENGINE_NONE if there are none or several.
static uint32_t only_relation(const Island *island, uint32_t event)
{
    uint32_t found = ENGINE_NONE;
    for (uint32_t k = 0; k < island->tables->n_relations; k++) {
        if (island->tables->relations[k].reader != event) continue;
        if (found != ENGINE_NONE) return ENGINE_NONE;
        found = k;
    }
    return found;
}

// The second difference of the zero function if nothing were held: its sign is the direction of the push.
static double push_on(Island *island, uint32_t relation)
{
    Surface *s = &island->surface;
    const size_t n = island->tables->n_states;
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

static bool fail_zeno(Island *island, EngineNews news, uint32_t event)
{
    engine_fail(island, news, event, island->t);
    return false;
}

// The states that the body of an event assigns, into is_state_marked: how many.
static uint32_t find_targets(Island *island, uint32_t number)
{
    const EngineTables *tables = island->tables;
    const EngineEvent *event = &tables->events[number];
    uint32_t n = 0;
    memset(island->is_state_marked, 0, tables->n_states * sizeof *island->is_state_marked);
    for (uint32_t k = 0; k < event->n_actions; k++) {
        const uint32_t state = tables->actions[event->first_action + k].state;
        if (state == ENGINE_NONE) continue;
        n += !island->is_state_marked[state];
        island->is_state_marked[state] = true;
    }
    return n;
}

// The states that the body of an event assigns: their values before it are in island->left.
static bool come_to_rest(Island *island, uint32_t number)
{
    const EngineTables *tables = island->tables;
    const EngineEvent *event = &tables->events[number];
    const EngineAction *actions = tables->actions + event->first_action;
    Surface *s = &island->surface;
    const size_t size = tables->n_states * sizeof *island->x;
    const uint32_t relation = only_relation(island, number), n_targets = find_targets(island, number);
    const bool *is_target = island->is_state_marked;
    double right_slope, left_slope;
    s->probe = SURFACE_PROBE * surface_scale(island);
    if (n_targets == 0 || relation == ENGINE_NONE) return fail_zeno(island, ENGINE_NO_REST, number);
    // where the zero function stands still, between the values before and after the body
    memcpy(s->x2, island->x, size);
    if (!slope_now(island, relation, &right_slope)) return fail_zeno(island, ENGINE_NO_SLOPE, number);
    for (uint32_t k = event->n_actions; k-- > 0;)
        if (actions[k].state != ENGINE_NONE) island->x[actions[k].state] = island->left[k];
    const bool known = slope_now(island, relation, &left_slope);
    memcpy(island->x_trial, island->x, size);
    const double part = left_slope / (left_slope - right_slope);
    for (uint32_t i = 0; i < tables->n_states; i++)
        if (is_target[i]) island->x[i] += part * (s->x2[i] - island->x[i]);
    if (!known || !(part > 0 && part < 1)) {
        memcpy(island->x, s->x2, size);
        return fail_zeno(island, ENGINE_NO_REST, number);
    }
    // what rounding left over would move it in the long run
    for (int round = 0; round < 3; round++) {
        double slope;
        if (!slope_now(island, relation, &slope) || slope == 0) break;
        for (uint32_t i = 0; i < tables->n_states; i++)
            if (is_target[i])
                island->x[i] += slope / (left_slope - right_slope) * (s->x2[i] - island->x_trial[i]);
    }
    for (uint32_t i = 0; i < tables->n_states; i++) {
        if (!is_target[i] || s->held[i]) continue;
        s->held[i] = true;
        s->held_by[i] = n_targets == 1 ? relation : ENGINE_NONE;
        s->n_held++;
    }
    s->is_on = true;
    s->resting[relation] = true;
    island->rests[island->n_rests++] = (Rest){ number, relation, push_on(island, relation) };
    island->services->report(island, ENGINE_RESTS, number, island->t);
    return true;
}

// A solver that chooses its steps does not see an excursion that is smaller than the error it allows itself.
static bool is_below_tolerance(Island *island, uint32_t number)
{
    const uint32_t relation = only_relation(island, number);
    double slope;
    if (island->solver->fixed_step || relation == ENGINE_NONE) return false;
    island->surface.probe = SURFACE_PROBE * surface_scale(island);
    const double bend = push_on(island, relation) / (island->surface.probe * island->surface.probe);
    if (!slope_now(island, relation, &slope)) return false;
    return slope * slope / fabs(2 * bend) < UNSEEN * island->options.absolute;
}

bool surface_fired(Island *island, uint32_t number)
{
    if (!island->zeno || island->tables->events[number].kind != ENGINE_WHEN) return true;
    Zeno *z = &island->zeno[number];
    const double interval = island->t - z->t, before = z->interval;
    z->n++;
    z->t = island->t;
    if (isnan(interval)) return true;
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
    if (z->n_shrinking < SHRINKING_MIN) return true;
    if (interval > ZENO_SPAN * surface_scale(island) && !is_below_tolerance(island, number))
        return true;
    for (uint32_t i = 0; i < island->n_rests; i++)
        if (island->rests[i].event == number) return true;
    return come_to_rest(island, number);
}

static void release_rest(Island *island, uint32_t i)
{
    Surface *s = &island->surface;
    const EngineTables *tables = island->tables;
    island->zeno[island->rests[i].event] = (Zeno){ .t = NAN, .interval = INFINITY };
    s->resting[island->rests[i].relation] = false;
    island->rests[i] = island->rests[--island->n_rests];
    memset(s->held, 0, tables->n_states * sizeof *s->held);
    s->n_held = 0;
    for (uint32_t r = 0; r < island->n_rests; r++) {
        const EngineEvent *event = &tables->events[island->rests[r].event];
        for (uint32_t k = 0; k < event->n_actions; k++) {
            const uint32_t state = tables->actions[event->first_action + k].state;
            if (state == ENGINE_NONE || s->held[state]) continue;
            s->held[state] = true;
            s->n_held++;
        }
    }
    s->is_on = s->slides || s->n_held > 0;
}

bool surface_look(Island *island)
{
    bool released = false;
    for (uint32_t i = island->n_rests; i-- > 0;) {
        const Rest *r = &island->rests[i];
        const double push = push_on(island, r->relation), g = island->surface.relations[0][2 * r->relation];
        const bool is_off = g * r->push < 0 && fabs(g) > UNSEEN * island->options.absolute;
        if (!is_off && !(push * r->push < 0)) continue;
        release_rest(island, i);
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

void surface_assigned(Island *island, uint32_t number)
{
    const EngineEvent *event = &island->tables->events[number];
    const EngineAction *actions = island->tables->actions + event->first_action;
    const bool *held = island->surface.held;
    bool moved = false;
    for (uint32_t k = 0; k < event->n_actions; k++) {
        const uint32_t state = actions[k].state;
        moved |= state != ENGINE_NONE && held[state] && island->x[state] != island->left[k];
    }
    bool any = false;
    double slope;
    for (uint32_t i = 0; moved && i < island->n_rests; i++)
        any |= excursion(island, &island->rests[i], &slope) > UNSEEN * island->options.absolute;
    for (uint32_t k = event->n_actions; moved && !any && k-- > 0;) {    // rounding
        const uint32_t state = actions[k].state;
        if (state != ENGINE_NONE && held[state]) island->x[state] = island->left[k];
    }
    for (uint32_t i = island->n_rests; any && i-- > 0;) {
        const Rest r = island->rests[i];
        release_rest(island, i);
        // pushed into the surface, it bounces at once
        if (slope_now(island, r.relation, &slope) && slope * r.push > 0) island->truth_before[r.event] = 0;
    }
}

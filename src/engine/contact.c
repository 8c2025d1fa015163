// src/engine/contact.c: surfaces that events hold: impacts, rest, release.
//
// An event whose body turns round the motion towards the surface of its condition, as a ball turns on the
// floor, is an impact, and what it leaves is a contact. A contact lasts while the condition's relation holds:
// where the motion turns back into the surface the body runs again. Where the flight that follows is too
// short to be seen, or the motion just ends, the contact rests: a force holds the zero function g there,
//
//     x' = f + Σ λ_k d_k,    g_j'' = 0 for all contacts j that rest,    λ_k >= 0
//
// with d_k the change that the body of event k makes to a motion into its surface, found by running it. So
// the force acts on what the impact acts on, and in the same proportion: on both of two bodies that meet.
// A contact whose λ becomes negative is released, at that instant. What rounding does to g and g' while a
// contact rests decays slowly [Baumgarte 1972].
#include "engine/host.h"
#include "num/lu.h"

enum { SHRINKING_MIN = 6, CONTACT_HALVINGS = 60, CONTACT_ROUNDS = 3 };
#define ZENO_SPAN 1e-11       // an interval that is nothing, of the scale of time
#define UNSEEN 10             // times the absolute tolerance
#define CONTACT_PROBE 1e-3    // how far slopes of slopes are looked for, of the scale of time
#define CONTACT_PART 1e-3     // of an impact: how fast bodies are tried
#define CONTACT_STILL 1e-9    // of an impact: no motion
#define CONTACT_NOISE 1e-15   // of a zero function
#define CONTACT_ROUNDING 1e-12    // of a zero function, beside what it has been
#define CONTACT_SHARE 1e-10    // contacts that do the same share it

void contact_start(Island *island)
{
    island->n_contacts = 0;
    island->surface.n_resting = 0;
    memset(island->surface.resting, 0, island->tables->n_relations * sizeof *island->surface.resting);
    for (uint32_t i = 0; i < island->tables->n_events; i++)
        island->zeno[i] = (Zeno){ .t = NAN, .interval = INFINITY };
}

bool contact_make_room(Island *island, size_t n)
{
    Surface *s = &island->surface;
    if (n <= s->n_contacts_max) return true;
    const size_t now = s->n_contacts_max, larger = n < 4 ? 4 : 2 * n, states = island->tables->n_states;
    double **const arrays[] = { &s->directions, &s->pushes, &s->contact_slopes, &s->bends, &s->forces,
                                &s->contact_matrix, &s->contact_work, &s->body_values };
    const size_t sizes[] = { larger * states, larger * states, larger, larger,
                             larger, 2 * larger * larger, 3 * larger,
                             island->tables->first_var + island->tables->n_kept };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t old = i ? 0 : now * states * sizeof(double);
        double *more = island->services->grow(island, *arrays[i], old, sizes[i] * sizeof(double));
        if (!more) return false;
        *arrays[i] = more;
    }
    size_t **const numbers[] = { &s->contact_relations, &s->contact_pivots };
    for (int i = 0; i < 2; i++) {
        size_t *more = island->services->grow(island, *numbers[i], i ? 0 : now * sizeof *more,
                                              larger * sizeof *more);
        if (!more) return false;
        *numbers[i] = more;
    }
    s->n_contacts_max = larger;
    return true;
}

// ---- Motion

static int free_rates(Island *island, double t, const double *x, double *dx)
{
    return island->surface.slides ? slide_rates(island, t, x, dx) : surface_plain_rates(island, t, x, dx);
}

// Derivatives are differences of fourth order: nested ones of a shorter step would be rounding.
static const double contact_places[] = { -2, -1, 1, 2 };
static const double contact_weights[] = { 1. / 12, -8. / 12, 8. / 12, -1. / 12 };

// How fast zero functions move at (t, x) if nothing is held.
static bool contact_slopes_of(Island *island, double t, const double *x, const size_t *relations, size_t n,
                      double *slopes)
{
    Surface *s = &island->surface;
    if (free_rates(island, t, x, s->rates[1]) != 0) return false;
    memset(slopes, 0, n * sizeof *slopes);
    for (int i = 0; i < 4; i++) {
        const double h = contact_places[i] * s->contact_probe;
        for (size_t k = 0; k < island->tables->n_states; k++) s->x[k] = x[k] + h * s->rates[1][k];
        if (engine_call(island, IR_RELATIONS, t + h, s->x, s->relations[0]) != 0) return false;
        for (size_t k = 0; k < n; k++)
            slopes[k] += contact_weights[i] * s->relations[0][2 * relations[k]] / s->contact_probe;
    }
    return true;
}

static bool contact_slopes(Island *island, double t, const double *x, double *slopes)
{
    return contact_slopes_of(island, t, x, island->surface.contact_relations, island->n_contacts, slopes);
}

// How that changes per unit of a motion of t and x along dx.
static bool contact_bends(Island *island, double t, const double *x, double dt, const double *dx, double h,
                          double *slopes, double *bends)
{
    Surface *s = &island->surface;
    memset(bends, 0, island->n_contacts * sizeof *bends);
    for (int place = 0; place < 4; place++) {
        const double at = contact_places[place] * h;
        for (size_t i = 0; i < island->tables->n_states; i++) s->x2[i] = x[i] + at * dx[i];
        if (!contact_slopes(island, t + at * dt, s->x2, slopes)) return false;
        for (size_t k = 0; k < island->n_contacts; k++) bends[k] += contact_weights[place] * slopes[k] / h;
    }
    return true;
}

// Run the body of an event on states x; whatever else it assigns stays as it was.
static bool try_body(Island *island, uint32_t event, double t, double *x)
{
    Surface *s = &island->surface;
    double *v = island->env.v;
    const size_t size = (island->tables->first_var + island->tables->n_kept) * sizeof *v;
    memcpy(s->body_values, v, size);
    island->env.event = event;
    const bool ok = (!island->tables->has_pre || engine_call(island, IR_PRES, t, x, NULL) == 0) &&
                    engine_call(island, IR_EVENT, t, x, x) == 0;
    memcpy(v, s->body_values, size);
    return ok;
}


uint32_t contact_targets(Island *island, uint32_t number)
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

// What the body of a contact does to a motion into its surface, per part of the last impact. Differences of
// second order: what grows with the square of a speed, as energies do, does not count.
static bool find_push(Island *island, size_t contact, double t, const double *x, double *push)
{
    static const double weights[] = { -3, 4, -1 };
    Surface *s = &island->surface;
    const size_t n = island->tables->n_states;
    const double *direction = s->directions + contact * n;
    contact_targets(island, island->contacts[contact].event);
    memcpy(push, direction, n * sizeof *push);
    for (int i = 0; i < 3; i++) {
        for (size_t k = 0; k < n; k++) s->x2[k] = x[k] - i * CONTACT_PART * direction[k];
        if (!try_body(island, island->contacts[contact].event, t, s->x2)) return false;
        for (size_t k = 0; k < n; k++)
            if (island->is_state_marked[k]) push[k] += weights[i] * s->x2[k] / (2 * CONTACT_PART);
    }
    return true;
}

// ---- Forces

// With f the rates if nothing is held: slopes of all contacts, how they change, how each push changes them.
static bool contact_system(Island *island, double t, const double *x, const double *f)
{
    Surface *s = &island->surface;
    const size_t n = island->tables->n_states, m = island->n_contacts;
    double *column = s->contact_work;
    if (!contact_bends(island, t, x, 1, f, s->contact_probe, column, s->bends)) return false;
    for (size_t k = 0; k < m; k++) {
        double *push = s->pushes + k * n;
        if (!island->contacts[k].rests) continue;
        if (!find_push(island, k, t, x, push)) return false;
        if (!contact_bends(island, t, x, 0, push, CONTACT_PART, column, column + m)) return false;
        for (size_t j = 0; j < m; j++) s->contact_matrix[j * m + k] = column[m + j];
    }
    return contact_slopes(island, t, x, s->contact_slopes);
}

// How much of each push makes `value` 0 for all contacts that rest. False: there is not one solution.
static bool contact_solve(Island *island, const double *value, double *parts)
{
    Surface *s = &island->surface;
    const size_t m = island->n_contacts;
    double *matrix = s->contact_matrix + m * m, *right = s->contact_work;
    size_t rows = 0;
    const size_t resting = s->n_resting;
    for (size_t j = 0; j < m; j++) {
        parts[j] = 0;
        if (!island->contacts[j].rests) continue;
        for (size_t k = 0, column = 0; k < m; k++)
            if (island->contacts[k].rests)
                matrix[rows * resting + column++] =
                    s->contact_matrix[j * m + k] * (j == k ? 1 + CONTACT_SHARE : 1);
        rows++;
    }
    if (!lu_factor(matrix, resting, s->contact_pivots, NULL)) return false;
    bool ok = true;
    for (int round = 0; round < CONTACT_ROUNDS; round++) {    // by which what they share is exact
        for (size_t j = 0, row = 0; j < m; j++) {
            if (!island->contacts[j].rests) continue;
            right[row] = -value[j];
            for (size_t k = 0; k < m; k++) right[row] -= s->contact_matrix[j * m + k] * parts[k];
            row++;
        }
        lu_solve(matrix, resting, s->contact_pivots, right);
        for (size_t k = 0, row = 0; k < m; k++) {
            if (island->contacts[k].rests) parts[k] += right[row++];
            ok = ok && isfinite(parts[k]);
        }
    }
    return ok;
}

static void add_pushes(const Island *island, const double *parts, double *x)
{
    const Surface *s = &island->surface;
    const size_t n = island->tables->n_states;
    for (size_t k = 0; k < island->n_contacts; k++)
        for (size_t i = 0; i < n && island->contacts[k].rests; i++) x[i] += parts[k] * s->pushes[k * n + i];
}

int contact_rates(Island *island, double t, const double *x, double *dx)
{
    Surface *s = &island->surface;
    const size_t m = island->n_contacts;
    const double decay = CONTACT_PROBE / s->contact_probe;
    double *aim = s->contact_work + 2 * m;
    const int failed = free_rates(island, t, x, dx);
    if (failed || s->n_resting == 0) return failed;
    if (!contact_system(island, t, x, dx)) return 1;
    if (engine_call(island, IR_RELATIONS, t, x, s->relations[0]) != 0) return 1;
    for (size_t k = 0; k < m; k++) {
        const double g = s->relations[0][2 * island->contacts[k].relation];
        aim[k] = s->bends[k] + decay * (2 * s->contact_slopes[k] + decay * g);
    }
    if (!contact_solve(island, aim, s->forces)) return 1;
    add_pushes(island, s->forces, dx);
    return 0;
}

// Slopes, forces, and what the forces leave of the bends, where the contacts are; the relations there are in
// s->relations[1]. False: they cannot be computed.
static bool contact_look(Island *island, double t, const double *x)
{
    Surface *s = &island->surface;
    const size_t m = island->n_contacts;
    if (engine_call(island, IR_RELATIONS, t, x, s->relations[1]) != 0) return false;
    if (free_rates(island, t, x, s->rates[0]) != 0) return false;
    if (!contact_system(island, t, x, s->rates[0])) return false;
    memset(s->forces, 0, m * sizeof *s->forces);
    if (s->n_resting && !contact_solve(island, s->bends, s->forces)) return false;
    for (size_t j = 0; j < m; j++)
        for (size_t k = 0; k < m; k++)
            if (island->contacts[k].rests) s->bends[j] += s->forces[k] * s->contact_matrix[j * m + k];
    return true;
}

// ---- Contacts

// Does the zero function say that the contact still is one? `relations` are as they are, not as modes.
static bool is_touching(const Island *island, const Contact *c, const double *relations)
{
    const double g = relations[2 * c->relation], out = -c->inward * g;
    const double least = UNSEEN * island->finest + 1e-9 * island->zero_scale[c->relation];
    // at rest it stays near where it was, unless somebody moves it
    if (c->rests) return !(out > least && out > -c->inward * c->g + least);
    if (relations[2 * c->relation + 1] != 0) return true;
    return fabs(g) <= CONTACT_ROUNDING * island->zero_scale[c->relation];
}

static double slope_noise(const Island *island, uint32_t relation)
{
    return CONTACT_NOISE * island->zero_scale[relation] / island->surface.contact_probe;
}

// A slope into a surface that is a motion.
static double least_slope(const Island *island, const Contact *c)
{
    return fmax(CONTACT_STILL * c->speed, slope_noise(island, c->relation));
}

// A flight that begins with this slope, and is bent back like this, is over before anybody sees it.
static bool is_unseen(const Island *island, const Contact *c, double slope, double bend)
{
    if (fabs(slope) <= slope_noise(island, c->relation)) return true;
    if (2 * fabs(slope / bend) <= ZENO_SPAN * surface_scale(island)) return true;
    return !island->solver->fixed_step && slope * slope / fabs(2 * bend) < UNSEEN * island->finest;
}

// Relations that belong to contacts at rest are what they were: rounding says nothing about them. Of those
// that its event reads these are the surface, and whatever the impact itself changes (`and v < 0`).
static void freeze_relations(Island *island)
{
    Surface *s = &island->surface;
    const size_t n = island->tables->n_states;
    memset(s->resting, 0, island->tables->n_relations * sizeof *s->resting);
    s->n_resting = 0;
    for (size_t i = 0; i < island->n_contacts; i++) {
        const Contact *c = &island->contacts[i];
        if (!c->rests) continue;
        s->n_resting++;
        s->resting[c->relation] = true;
        for (size_t k = 0; k < n; k++) s->x2[k] = island->x[k] - CONTACT_PART * s->directions[i * n + k];
        if (engine_call(island, IR_RELATIONS, island->t, island->x, s->relations[0]) != 0) continue;
        if (engine_call(island, IR_RELATIONS, island->t, s->x2, s->relations[1]) != 0) continue;
        for (uint32_t k = 0; k < island->tables->n_relations; k++)
            if (island->tables->relations[k].reader == c->event &&
                s->relations[0][2 * k] != s->relations[1][2 * k])
                s->resting[k] = true;
    }
    s->is_on = s->slides || s->n_resting > 0;
}

static void set_rest(Island *island, size_t contact, bool rests)
{
    island->contacts[contact].rests = rests;
    freeze_relations(island);
}

static void remove_contact(Island *island, size_t contact)
{
    Surface *s = &island->surface;
    const size_t n = island->tables->n_states, last = --island->n_contacts;
    const bool rested = island->contacts[contact].rests;
    island->contacts[contact] = island->contacts[last];
    s->contact_relations[contact] = s->contact_relations[last];
    if (contact != last)
        memcpy(s->directions + contact * n, s->directions + last * n, n * sizeof *s->directions);
    if (rested) freeze_relations(island);
}

void contact_begin(Island *island)
{
    const double *relations = island->surface.relations[1];
    if (island->n_contacts == 0) return;
    if (engine_call(island, IR_RELATIONS, island->t, island->x, island->surface.relations[1]) != 0) return;
    for (size_t i = 0; i < island->n_contacts; i++) {
        island->contacts[i].g = relations[2 * island->contacts[i].relation];
        island->contacts[i].is_released = false;
    }
}

void contact_leave(Island *island, bool has_jumped)
{
    Surface *s = &island->surface;
    if (engine_call(island, IR_RELATIONS, island->t, island->x, s->relations[1]) != 0) return;
    const double *modes = island_modes(island);
    for (size_t i = island->n_contacts; i-- > 0;) {
        const Contact *c = &island->contacts[i];
        // what the solver interpolates may not have left the surface yet
        if ((c->rests ? has_jumped : modes[c->relation] == 0) && !is_touching(island, c, s->relations[1]))
            remove_contact(island, i);
    }
}

// Is the condition true of a motion into the surface? What else it reads may have ended the contact.
static bool is_meant(Island *island, size_t contact, double t, const double *x)
{
    Surface *s = &island->surface;
    const Contact *c = &island->contacts[contact];
    const EngineRelation *relations = island->tables->relations;
    const size_t n = island->tables->n_states;
    double *modes = island_modes(island);
    for (size_t k = 0; k < n; k++) s->x2[k] = x[k] - CONTACT_PART * s->directions[contact * n + k];
    if (engine_call(island, IR_RELATIONS, t, s->x2, s->relations[0]) != 0) return true;
    for (uint32_t k = 0; k < island->tables->n_relations; k++) {
        if (relations[k].reader != c->event) continue;
        s->after[k] = modes[k];
        modes[k] = k == c->relation ? 1 : s->relations[0][2 * k + 1];
    }
    const bool known = engine_call(island, IR_CONDITIONS, t, s->x2, island->conditions) == 0;
    for (uint32_t k = 0; k < island->tables->n_relations; k++)
        if (relations[k].reader == c->event) modes[k] = s->after[k];
    return !known || island->conditions[c->event] != 0;
}

// ---- Impacts

// How fast an event follows itself.
static void count_firing(Island *island, uint32_t number)
{
    Zeno *z = &island->zeno[number];
    const double interval = island->t - z->t, before = z->interval;
    z->n++;
    z->t = island->t;
    if (isnan(interval) || interval == 0) return;    // impacts of several bodies at one instant are one
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
}

static double contact_slope_of(Island *island, const double *x, uint32_t relation)
{
    const size_t which = relation;
    double slope;
    return contact_slopes_of(island, island->t, x, &which, 1, &slope) ? slope : NAN;
}

// The relation whose surface the body has just turned a motion away from; x_trial: the states before it.
static bool find_impact(Island *island, uint32_t number, Contact *found)
{
    Surface *s = &island->surface;
    Zeno *z = &island->zeno[number];
    bool same = false;
    if (engine_call(island, IR_RELATIONS, island->t, island->x_trial, s->relations[1]) != 0) return false;
    memcpy(island->relations_here, s->relations[1], 2 * island->tables->n_relations * sizeof(double));
    if (engine_call(island, IR_RELATIONS, island->t, island->x, s->relations[1]) != 0) return false;
    for (uint32_t k = 0; k < island->tables->n_relations; k++) {
        const uint32_t reader = island->tables->relations[k].reader;
        const double g = s->relations[1][2 * k], was = island->relations_here[2 * k];
        if ((reader != number && reader != ENGINE_MANY) || isnan(g)) continue;
        if (!(fabs(g - was) <= CONTACT_ROUNDING * island->zero_scale[k])) continue;    // it jumps too
        same = true;
        *found = (Contact){ .event = number, .relation = k };
        if (!is_touching(island, found, s->relations[1])) continue;
        const double left = contact_slope_of(island, island->x_trial, k), ahead = s->relations[0][2 * k];
        const bool is_true = s->relations[0][2 * k + 1] != 0;
        const double right = contact_slope_of(island, island->x, k);
        found->inward = (ahead > 0) == is_true ? 1 : -1;
        found->speed = left * found->inward;
        if (found->speed > 0 && ahead != 0 && right * found->inward <= least_slope(island, found))
            return true;
    }
    z->is_no_impact = !same;    // nor will it ever be
    return false;
}

// The contact that an impact makes or goes on with. False: there is no memory.
static bool keep_contact(Island *island, const Contact *found)
{
    Surface *s = &island->surface;
    Zeno *z = &island->zeno[found->event];
    const size_t n = island->tables->n_states;
    size_t i = 0;
    while (i < island->n_contacts && island->contacts[i].event != found->event) i++;
    const bool is_new = i == island->n_contacts;
    if (is_new && !contact_make_room(island, i + 1)) return false;
    double size = 0, *direction = s->directions + i * n;
    for (size_t k = 0; k < n; k++) size = fmax(size, fabs(island->x[k] - island->x_trial[k]));
    z->impulse = fmax(z->impulse, size);
    const bool rested = !is_new && island->contacts[i].rests;
    island->contacts[i] = *found;
    s->contact_relations[i] = found->relation;
    if (is_new) island->n_contacts++;
    for (size_t k = 0; k < n && size > 0; k++)
        direction[k] = z->impulse / size * (island->x[k] - island->x_trial[k]);
    if (rested) freeze_relations(island);
    return true;
}

bool contact_fired(Island *island, uint32_t number)
{
    const EngineTables *tables = island->tables;
    const EngineEvent *event = &tables->events[number];
    const EngineAction *actions = tables->actions + event->first_action;
    Contact found;
    if (!island->zeno || event->kind != ENGINE_WHEN) return true;
    count_firing(island, number);
    const Zeno *z = &island->zeno[number];
    bool moved = false;
    memcpy(island->x_trial, island->x, tables->n_states * sizeof *island->x);
    for (uint32_t k = event->n_actions; k-- > 0;) {
        if (actions[k].state == ENGINE_NONE) continue;
        island->x_trial[actions[k].state] = island->left[k];
        moved |= island->left[k] != island->x[actions[k].state];
    }
    if (island->n_contacts == 0) island->surface.contact_probe = CONTACT_PROBE * surface_scale(island);
    if (moved && !z->is_no_impact && find_impact(island, number, &found)) return keep_contact(island, &found);
    if (z->n_shrinking < SHRINKING_MIN || z->interval > ZENO_SPAN * surface_scale(island)) return true;
    engine_fail(island, ENGINE_NO_REST, number, island->t);
    return false;
}

// ---- Rest and release

// How the zero function of a contact is bent by all but its own force.
static double bend_without(const Island *island, size_t i)
{
    const Surface *s = &island->surface;
    if (!island->contacts[i].rests) return s->bends[i];
    return s->bends[i] - s->forces[i] * s->contact_matrix[i * island->n_contacts + i];
}

bool contact_fire(Island *island)
{
    Surface *s = &island->surface;
    bool again = false;
    if (!contact_look(island, island->t, island->x)) return false;
    for (size_t i = island->n_contacts; i-- > 0;) {
        Contact *c = &island->contacts[i];
        const double slope = s->contact_slopes[i] * c->inward, bend = bend_without(island, i);
        if (!is_touching(island, c, s->relations[1])) continue;
        if (is_unseen(island, c, slope, bend) || slope < 0) continue;
        const bool rested = c->rests;
        if (island->conditions[c->event] != 0) event_fire(island, c->event);
        if (rested) c->rests = false;
        else if (!island->is_fired[c->event]) remove_contact(island, i);
        again |= rested || island->n_fired > 0;
    }
    if (again) freeze_relations(island);
    return again;
}


// One contact that cannot stay as it is: it is released, or comes to rest. NONE: there is none.
static size_t find_turn(const Island *island)
{
    const Surface *s = &island->surface;
    size_t found = SIZE_MAX;
    double most = 0;
    for (size_t i = 0; i < island->n_contacts; i++) {
        const Contact *c = &island->contacts[i];
        const double slope = s->contact_slopes[i], bend = bend_without(island, i);
        if (c->rests && slope * c->inward < 0 && !is_unseen(island, c, slope, bend)) return i;
        if (c->rests && s->forces[i] < most) found = i, most = s->forces[i];
    }
    if (found != SIZE_MAX) return found;
    for (size_t i = 0; i < island->n_contacts; i++) {
        const Contact *c = &island->contacts[i];
        const double noise = slope_noise(island, c->relation) / s->contact_probe;
        if (c->rests || c->is_released || s->bends[i] * c->inward <= noise) continue;
        if (is_unseen(island, c, s->contact_slopes[i], s->bends[i])) return i;
    }
    return SIZE_MAX;
}

// The slopes of what rests are rounding: without it nothing moves in the long run.
static void stand_still(Island *island)
{
    Surface *s = &island->surface;
    for (int round = 0; round < CONTACT_ROUNDS; round++) {
        if (!contact_look(island, island->t, island->x)) return;
        if (!contact_solve(island, s->contact_slopes, s->forces)) return;
        add_pushes(island, s->forces, island->x);
    }
}

bool contact_settle(Island *island, bool *changed)
{
    const size_t before = island->surface.n_resting;
    for (size_t i = island->n_contacts; i-- > 0;)
        if (island->contacts[i].rests && !is_meant(island, i, island->t, island->x))
            remove_contact(island, i);
    contact_leave(island, true);
    *changed = island->surface.n_resting < before;
    const size_t most = 4 * island->n_contacts + 4;
    for (size_t round = 0; island->n_contacts > 0; round++) {
        const size_t i = contact_look(island, island->t, island->x) ? find_turn(island) : 0;
        if (i == SIZE_MAX) break;
        if (round == most)
            return engine_fail(island, ENGINE_NO_REST, island->contacts[0].event, island->t), false;
        Contact *c = &island->contacts[i];
        *changed = true;
        c->is_released = c->rests;
        set_rest(island, i, !c->rests);
        if (!c->rests) continue;
        contact_targets(island, c->event);
        island->services->report(island, ENGINE_RESTS, c->event, island->t);
    }
    if (island->surface.n_resting) stand_still(island);
    return true;
}

bool contact_turns(Island *island, double t, const double *x)
{
    const Surface *s = &island->surface;
    if (!contact_look(island, t, x)) return false;
    for (size_t i = 0; i < island->n_contacts; i++) {
        const Contact *c = &island->contacts[i];
        const double slope = s->contact_slopes[i] * c->inward;
        if (c->rests && (s->forces[i] < 0 || !is_meant(island, i, t, x))) return true;
        if (!c->rests && slope > least_slope(island, c) && is_touching(island, c, s->relations[1]))
            return true;
    }
    return false;
}

// ---- The start

// Something stands on the surface of an event when the run begins, and is pushed against it: the body is
// tried on the motion that the rates would make of that.
static void find_lying(Island *island, uint32_t number, uint32_t relation)
{
    Surface *s = &island->surface;
    const size_t n = island->tables->n_states;
    const Zeno zeno = island->zeno[number];
    Contact found;
    if (free_rates(island, island->t, island->x, s->rates[0]) != 0) return;
    memcpy(island->x_end, island->x, n * sizeof *island->x);
    for (size_t i = 0; i < n; i++)
        island->x[i] = island->x_trial[i] = island->x[i] + s->contact_probe * s->rates[0][i];
    const bool tried = contact_make_room(island, island->n_contacts + 1) &&
                       try_body(island, number, island->t, island->x);
    const bool is_held = tried && find_impact(island, number, &found) && found.relation == relation;
    const double slope = contact_slope_of(island, island->x_end, relation);
    if (is_held && fabs(slope) <= CONTACT_STILL * found.speed) keep_contact(island, &found);
    else island->zeno[number] = zeno;
    memcpy(island->x, island->x_end, n * sizeof *island->x);
}

void contact_lie(Island *island)
{
    const EngineTables *tables = island->tables;
    if (tables->n_relations == 0) return;
    island->surface.contact_probe = CONTACT_PROBE * surface_scale(island);
    for (uint32_t k = 0; k < tables->n_relations; k++) {
        const uint32_t event = tables->relations[k].reader;
        if (event >= tables->n_events || tables->events[event].kind != ENGINE_WHEN) continue;
        if (!(fabs(island->relations[2 * k]) <= CONTACT_ROUNDING * island->zero_scale[k])) continue;
        if (contact_targets(island, event) > 0) find_lying(island, event, k);
    }
}

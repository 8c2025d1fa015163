// src/exp/pieces.c: see pieces.h.
#include "exp/pieces.h"
#include "model/model.h"
#include "num/piece.h"
#include "solve/solver.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)PIECE_TERMS == (int)ORR_PIECE_TERMS, "pieces are handed out as they are made");

enum {
    HALVINGS_MAX = 8,    // of a step
    LOOKS = PIECE_TERMS + PIECE_CHECKS,
    QUANTISED_TERMS = 4,
};
#define EXACT_PART 0.1    // of the solver's tolerance is what a polynomial may be off
#define SLACK      1e-6   // of the shortest time: what rounding makes of it
#define NOTHING    UINT32_MAX
#define NO_CURVE   ((size_t)-1)

// ---- To the sinks

static void put_latest(Pieces *p)
{
    for (uint32_t k = 0; k < p->n_began; k++) {
        PiecesOf *item = &p->items[p->began[k]];
        orr_piece piece = { .t = p->t, .name = item->name, .n_terms = p->n_terms };
        memcpy(piece.c, item->latest, sizeof piece.c);
        item->has_latest = false;
        if (item->curve != NO_CURVE) observe_piece(p->observer, item->curve, p->t, piece.c);
        if (!item->is_recorded) continue;
        for (size_t s = 0; s < p->n_sinks; s++)
            if (p->sinks[s].piece && !p->sinks[s].piece(p->sinks[s].self, &piece)) p->failed = true;
    }
    p->n_began = 0;
}

static void take(Pieces *p, uint32_t i, double t, const double *c, int n_terms)
{
    PiecesOf *item = &p->items[i];
    if (t != p->t) put_latest(p);
    p->t = t;
    if (!item->has_latest) p->began[p->n_began++] = i;
    item->has_latest = true;
    for (int k = 0; k < ORR_PIECE_TERMS; k++) item->latest[k] = k < n_terms ? c[k] : 0;
}

static void take_quantised(void *context, uint32_t state, double t, const double *c, int degree)
{
    Pieces *p = context;
    if (p->item_of[state] == NOTHING) return;
    p->items[p->item_of[state]].held = NAN;
    p->t_told = NAN;    // if another solver stands in: from where it begins
    take(p, p->item_of[state], t, c, degree + 1);
}

// A number that holds on is no news.
static void take_from_step(Pieces *p, uint32_t i, double t, const double *c)
{
    bool is_number = true;
    for (int k = 1; k < ORR_PIECE_TERMS; k++) is_number &= c[k] == 0;
    if (is_number && c[0] == p->items[i].held) return;
    p->items[i].held = is_number ? c[0] : NAN;
    take(p, i, t, c, p->n_terms);
}

// ---- Steps

static void values_at(Pieces *p, double t, double *x, double *values)
{
    double *others = values + (p->n - p->n_others);    // they are the last
    if (p->n_others) run_values_between(p->run, t, x, p->others, p->n_others, others);
    for (size_t i = 0; i < p->n - p->n_others; i++) values[i] = x[p->items[i].state];
}

// At t, in the last step of the island.
static void look_at(Pieces *p, Island *island, double t, double *values)
{
    if (t != island->t) domain_state_at(island, t, p->x);
    values_at(p, t, t == island->t ? island->x : p->x, values);
}

static void nodes_of(const Pieces *p, size_t item, double nodes[PIECE_TERMS])
{
    for (int k = 0; k < PIECE_TERMS; k++) nodes[k] = p->values[(size_t)k * p->n + item];
}

// Are the polynomials of [a, b] as exact as the solver where none of them was made to be?
static bool fit(const Pieces *p, const Island *island, double h)
{
    for (size_t i = 0; i < p->n; i++) {
        double nodes[PIECE_TERMS], c[PIECE_TERMS], most = 0;
        nodes_of(p, i, nodes);
        for (int k = 0; k < PIECE_TERMS; k++) most = fmax(most, fabs(nodes[k]));
        piece_through(nodes, p->n_terms, h, c);
        for (int k = 0; k < PIECE_CHECKS; k++) {
            const double exact = p->values[(size_t)(PIECE_TERMS + k) * p->n + i];
            const double most_off = EXACT_PART * (island->options.tolerance * most + island->finest);
            if (fabs(piece_at(c, piece_checks[k] * h) - exact) > most_off) return false;
        }
    }
    return true;
}

// Polynomials of the last step, or of its halves where they do not fit.
static void take_apart(Pieces *p, Island *island)
{
    struct { double a, b; } open[HALVINGS_MAX + 2] = { { island->t_before, island->t } };
    const double shortest = fmax(ldexp(island->t - island->t_before, -HALVINGS_MAX), 0.25 * p->least);
    for (int n_open = 1; n_open > 0;) {
        const double a = open[--n_open].a, b = open[n_open].b, h = b - a, middle = a + 0.5 * h;
        for (int k = 0; k < LOOKS; k++) {
            const double part = k < PIECE_TERMS ? piece_nodes[k] : piece_checks[k - PIECE_TERMS];
            look_at(p, island, part == 1 ? b : a + part * h, p->values + (size_t)k * p->n);
        }
        if (h > shortest && middle > a && middle < b && !fit(p, island, h)) {
            open[n_open].a = middle, open[n_open++].b = b;
            open[n_open].a = a, open[n_open++].b = middle;
            continue;
        }
        for (uint32_t i = 0; i < p->n; i++) {
            double nodes[PIECE_TERMS], c[ORR_PIECE_TERMS];
            nodes_of(p, i, nodes);
            piece_through(nodes, p->n_terms, h, c);
            take_from_step(p, i, a, c);
        }
    }
}

// Several short steps at once, as a straight line.
static void join(Pieces *p, Island *island)
{
    look_at(p, island, island->t, p->values);
    for (uint32_t i = 0; i < p->n; i++) {
        const double slope = (p->values[i] - p->there[i]) / (island->t - p->t_told);
        take_from_step(p, i, p->t_told, (double[ORR_PIECE_TERMS]){ p->there[i], slope });
    }
}

static void take_step(void *context, Island *island)
{
    Pieces *p = context;
    if (!(island->t >= p->t_told)) {    // the run has begun again, or another solver
        p->t_told = isnan(p->t_told) ? island->t_before : island->t_begin;
        p->has_there = false;
        for (size_t i = 0; i < p->n; i++) p->items[i].held = NAN;
    }
    if (!(island->t > p->t_told)) return;
    const double t_due = fmin(due_next(island), net_next(p->run)), h = island->t - island->t_before;
    const bool ends = island->event_waits || drive_has_reached(island, t_due),
               is_short = island->t - p->t_told < (1 - SLACK) * p->least && !ends,
               is_one = !island->solver->fixed_step || fabs(island->t_before - p->t_told) < SLACK * h;
    // after an event, which may have changed all of it
    if (!p->has_there && is_short && is_one) look_at(p, island, island->t_before, p->there);
    else if (!p->has_there && !is_one) values_at(p, p->t_told, island->x_before, p->there);
    p->has_there = p->has_there || is_short || !is_one;
    if (is_short) return;
    if (p->has_there) join(p, island);
    else take_apart(p, island);
    p->t_told = island->t;
    p->has_there = false;
}

// ---- From beginning to end

static void add_item(Pieces *p, const char *name, uint32_t state, size_t variable, bool is_recorded)
{
    p->items[p->n++] = (PiecesOf){ .name = name, .state = state, .variable = variable, .curve = NO_CURVE,
                                   .is_recorded = is_recorded, .held = NAN };
    if (state == NOTHING) p->others[p->n_others++] = variable;
    else p->item_of[state] = (uint32_t)p->n - 1;
}

const char *pieces_obstacle(orr_run *run, size_t variable)
{
    const ModelVariable v = model_variable(run->model, variable);
    double value;
    if (v.state != FLAT_NONE) return NULL;
    if (v.part || (run->isles && isles_value(run, variable, &value)))
        return "it belongs to a component, which goes its own way";
    if (run->island.solver->is_quantised || run->solver_aside)
        return "with quantised states only states are known between events";
    return NULL;
}

static bool is_state(const orr_model *model, size_t variable)
{
    return model_variable(model, variable).state != FLAT_NONE;
}

static void add_wanted(Pieces *p, const size_t *variables, size_t n, bool wants_states, bool is_recorded)
{
    const orr_model *model = p->run->model;
    for (size_t i = 0; i < n; i++) {
        const uint32_t state = model_variable(model, variables[i]).state;
        if (is_state(model, variables[i]) != wants_states || pieces_obstacle(p->run, variables[i])) continue;
        if (wants_states ? p->item_of[state] == NOTHING : true)
            add_item(p, model_variable_name(model, variables[i]), wants_states ? state : NOTHING,
                     variables[i], is_recorded);
    }
}

// States first. Others have none if they are quantised, or belong to components. What is observed and also
// recorded is one item.
static void choose_items(Pieces *p, const size_t *columns, size_t n_columns, bool is_quantised)
{
    const orr_model *model = p->run->model;
    const size_t n_curves = p->observer ? p->observer->n_curves : 0;
    size_t *observed = ARENA_ARRAY(&p->run->arena, size_t, n_curves), n_observed = 0;
    for (size_t i = 0; i < n_curves; i++) {
        bool is_column = false;
        for (size_t k = 0; k < n_columns; k++) is_column |= columns[k] == p->observer->curves[i].variable;
        if (!is_column) observed[n_observed++] = p->observer->curves[i].variable;
    }
    add_wanted(p, columns, n_columns, true, true);
    for (uint32_t i = 0; i < model->n_states && is_quantised && p->n == 0; i++)
        add_item(p, model_state_name(model, i), i, 0, true);
    add_wanted(p, observed, n_observed, true, false);
    add_wanted(p, columns, n_columns, false, true);
    add_wanted(p, observed, n_observed, false, false);
    for (size_t i = 0; i < n_curves; i++) {
        const uint32_t state = model_variable(model, p->observer->curves[i].variable).state;
        for (size_t k = 0; k < p->n; k++)
            if (state != FLAT_NONE ? p->items[k].state == state
                                   : p->items[k].state == NOTHING &&
                                         p->items[k].variable == p->observer->curves[i].variable)
                p->items[k].curve = i;
    }
}

// A run that is resumed may stand inside of a piece.
static void move_origin(double c[4], double d)
{
    c[0] += d * (c[1] + d * (c[2] + d * c[3]));
    c[1] += d * (2 * c[2] + 3 * d * c[3]);
    c[2] += 3 * d * c[3];
}

// What holds now.
static void take_present(Pieces *p, Island *island)
{
    for (uint32_t i = 0; i < p->run->model->n_states && island->solver->polynomial; i++) {
        double c[4], t;
        const int degree = island->solver->polynomial(island, i, &t, c);
        for (int k = degree + 1; k < 4; k++) c[k] = 0;
        move_origin(c, p->t - t);
        take_quantised(p, i, p->t, c, degree);
    }
    if (!island->solver->polynomial && island->t > island->t_before && island->t > p->run->t)
        take_apart(p, island);
}

void pieces_begin(Pieces *p, orr_run *run, const size_t *columns, size_t n_columns)
{
    const orr_sink *sinks = p->sinks;
    const size_t n_sinks = p->n_sinks;
    Island *island = &run->island;
    Arena *arena = &run->arena;
    const size_t n_states = run->model->n_states, n_curves = p->observer ? p->observer->n_curves : 0;
    const size_t n = n_columns + n_states + n_curves;
    const bool is_quantised = island->solver->is_quantised || run->solver_aside, goes_on = p->goes_on;
    *p = (Pieces){ .run = run,
                   .sinks = sinks,
                   .n_sinks = n_sinks,
                   .observer = p->observer,
                   .items = ARENA_ARRAY(arena, PiecesOf, n),
                   .others = ARENA_ARRAY(arena, size_t, n),
                   .item_of = ARENA_ARRAY(arena, uint32_t, n_states),
                   .n_terms = is_quantised ? QUANTISED_TERMS : ORR_PIECE_TERMS,
                   .least = p->observer ? 0 : INFINITY,
                   .t = run->t,
                   .began = ARENA_ARRAY(arena, uint32_t, n),
                   .t_told = island->t,
                   .goes_on = goes_on };
    for (size_t i = 0; i < n_states; i++) p->item_of[i] = NOTHING;
    for (size_t i = 0; i < n_sinks; i++)
        if (sinks[i].piece) p->least = fmin(p->least, sinks[i].piece_least);
    choose_items(p, columns, n_columns, is_quantised);
    p->there = ARENA_ARRAY(arena, double, p->n);
    p->x = ARENA_ARRAY(arena, double, n_states);
    p->values = ARENA_ARRAY(arena, double, LOOKS * p->n);
    island->on_piece = take_quantised;
    island->piece_context = p;
    island->on_step = take_step;
    island->step_context = p;
    run->is_plain = false;    // each step is looked at, or at least some of them
    const double n_joined = island->solver->fixed_step ? ceil((1 - SLACK) * p->least / island->step) : 1;
    if (n_joined < (double)island->chunk) island->chunk = n_joined > 1 ? (long)n_joined : 1;
    if (!goes_on) take_present(p, island);
}

void pieces_pass(Pieces *p, RunSaved *saved)
{
    saved_pass(saved, &p->t, sizeof p->t);
    saved_index(saved, &p->n_began, (uint32_t)p->n + 1);
    for (uint32_t k = 0; k < p->n_began && !saved->is_bad; k++) {
        saved_index(saved, &p->began[k], (uint32_t)p->n);
        if (saved->is_bad) break;
        PiecesOf *item = &p->items[p->began[k]];
        saved_pass(saved, item->latest, sizeof item->latest);
        item->has_latest = true;
    }
    if (saved->is_bad) p->n_began = 0;
    saved_pass(saved, &p->t_told, sizeof p->t_told);
    saved_flags(saved, &p->has_there, 1);
    saved_pass(saved, p->there, p->n * sizeof *p->there);
    for (size_t i = 0; i < p->n; i++) saved_pass(saved, &p->items[i].held, sizeof p->items[i].held);
}

bool pieces_end(Pieces *p)
{
    Island *island = &p->run->island;
    if (p->has_there && island->t > p->t_told && !island->is_failed) join(p, island);
    put_latest(p);
    return !p->failed;
}

// src/run/slide.c: solutions that follow surfaces.
//
// If the rates on both sides of a relation in an equation point to the surface where it changes, the solution
// can only follow it. Then both sides contribute, in the proportion at which the zero function does not
// move [Filippov 1960]. Along several surfaces at once it follows all of them: with f₀ the rates on all first
// sides, f_k those with the second side of surface k, and g the zero functions,
//
//     f = f₀ + Σ b_k (f_k - f₀),    ∇g_j f = 0 for all j,    0 <= b_k <= 1
//
// which is a system of linear equations for b, the equivalent control. (Where modes act on each other, as in
// a product of two switches, this is one of the possible solutions.) A surface whose b_k leaves 0 to 1 is
// left, to the side on which it does, and the others are followed on.
#include "base/diag.h"
#include "base/text.h"
#include "num/lu.h"
#include "run/run.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 60, SURFACES_MAX = 64 };
#define PROBE 1e-6    // how far slopes are looked for, of the scale of time
#define SLACK 1e-9    // of a part: rounding

// ---- Sides

static void make_room(orr_run *run, Surface *s, size_t n)
{
    if (n <= s->capacity) return;
    Arena *arena = &run->arena;
    const size_t larger = n < 4 ? 4 : 2 * n;
    s->leader = arena_grow(arena, s->leader, s->capacity, larger, sizeof *s->leader);
    s->part = arena_grow(arena, s->part, s->capacity, larger, sizeof *s->part);
    s->sides = ARENA_ARRAY(arena, double, (larger + 1) * run->model->n_states);
    s->slopes = ARENA_ARRAY(arena, double, (larger + 1) * larger);
    s->matrix = ARENA_ARRAY(arena, double, larger *larger);
    s->pivots = ARENA_ARRAY(arena, size_t, larger);
    s->capacity = larger;
}

static void set_side(Island *island, size_t surface, int side)
{
    const Surface *s = &island->surface;
    double *modes = island_modes(island);
    for (size_t k = 0; k < island->model->n_relations; k++)
        if (s->surface_of[k] == surface) modes[k] = s->modes[side][k];
}

// Rates on all sides, and the part of each second one: *known is false if there is not one solution. The
// modes are the first ones afterwards. Returns as programs do.
static int solve(Island *island, double t, const double *x, bool *known)
{
    Surface *s = &island->surface;
    const size_t m = s->n_surfaces, n = island->model->n_states;
    int failed = 0;
    memcpy(island_modes(island), s->modes[0], island->model->n_relations * sizeof(double));
    for (size_t side = 0; side <= m && !failed; side++) {
        double *rates = s->sides + side * n;
        if (side) set_side(island, side - 1, 1);
        failed = surface_plain_rates(island, t, x, rates);
        if (!failed && !surface_slopes(island, t, x, rates, s->leader, m, s->slopes + side * m)) failed = 1;
        if (side) set_side(island, side - 1, 0);
    }
    *known = !failed;
    if (failed || m == 0) return failed;
    for (size_t j = 0; j < m; j++) {
        for (size_t k = 0; k < m; k++) s->matrix[j * m + k] = s->slopes[(k + 1) * m + j] - s->slopes[j];
        s->part[j] = -s->slopes[j];
    }
    *known = lu_factor(s->matrix, m, s->pivots, NULL);
    if (*known) lu_solve(s->matrix, m, s->pivots, s->part);
    for (size_t k = 0; k < m; k++) *known = *known && isfinite(s->part[k]);
    return 0;
}

static double clamped(double part) { return fmax(0, fmin(1, part)); }

// With one surface: how much of its first side.
static double first_part(const Surface *s) { return clamped(s->slopes[1] / (s->slopes[1] - s->slopes[0])); }

static void blend(const Island *island, double *dx)
{
    const Surface *s = &island->surface;
    const size_t n = island->model->n_states;
    const double first = s->n_surfaces == 1 ? first_part(s) : 0;
    for (size_t i = 0; i < n && s->n_surfaces == 1; i++)
        dx[i] = first * s->sides[i] + (1 - first) * s->sides[n + i];
    if (s->n_surfaces == 1) return;
    for (size_t i = 0; i < n; i++) {
        dx[i] = s->sides[i];
        for (size_t k = 0; k < s->n_surfaces; k++)
            dx[i] += clamped(s->part[k]) * (s->sides[(k + 1) * n + i] - s->sides[i]);
    }
}

int slide_rates(Island *island, double t, const double *x, double *dx)
{
    Surface *s = &island->surface;
    bool known;
    const int failed = solve(island, t, x, &known);
    if (failed) return failed;
    for (size_t k = 0; k < s->n_surfaces && !known; k++) s->part[k] = 0;
    blend(island, dx);
    return 0;
}

// Of every variable as much as of the rates, which have been computed.
int slide_values(Island *island, double t, const double *x)
{
    Surface *s = &island->surface;
    const orr_model *model = island->model;
    const IrLayout *layout = &model->ir.layout;
    const size_t n = layout->n_kept;
    double *v = island->env.v + layout->first_var;
    Arena work = { 0 };
    double *sum = ARENA_ARRAY(&work, double, n), first = 1;
    int failed = 0;
    const bool is_one = s->n_surfaces == 1;
    if (is_one) first = first_part(s);
    for (size_t k = 0; k < s->n_surfaces && !is_one; k++) first -= clamped(s->part[k]);
    for (size_t side = s->n_surfaces + 1; side-- > 0 && !failed;) {    // the first sides last: they stay in v
        const double part = side == 0 ? first : is_one ? 1 - first : clamped(s->part[side - 1]);
        if (side) set_side(island, side - 1, 1);
        failed = code_call(&model->code, IR_VALUES, t, x, &island->env, NULL);
        if (side) set_side(island, side - 1, 0);
        for (size_t i = 0; i < n && !failed; i++) sum[i] += part * v[i];
    }
    for (size_t i = 0; i < model->flat.vars.n && !failed; i++)
        if (model->flat.vars.items[i].kind == FLAT_VARIABLE && layout->state_of[i] == FLAT_NONE)
            v[i] = sum[i];
    for (size_t a = 0; a < model->flat.arrays.n && !failed; a++) {
        const FlatArray *array = &model->flat.arrays.items[a];
        const size_t at = layout->array_place[a] - layout->first_var;
        if (array->kind == FLAT_VARIABLE && layout->array_state[a] == FLAT_NONE)
            memcpy(v + at, sum + at, array->n * sizeof *v);
    }
    arena_free(&work);
    return failed;
}

// ---- Beginning

static void report(orr_run *run, Island *island, size_t surface)
{
    const Surface *s = &island->surface;
    const orr_model *model = run->model;
    const size_t n = model->n_states, leader = s->leader[surface];
    if (run->has_slid[leader]) return;
    run->has_slid[leader] = true;
    const FlatRelation *relation = &model->flat.relations.items[leader];
    Arena work = { 0 };
    bool *differ = ARENA_ARRAY(&work, bool, n);
    for (size_t i = 0; i < n; i++) differ[i] = s->sides[i] != s->sides[(surface + 1) * n + i];
    StrBuf names = { 0 };
    surface_names(model, differ, &names);
    char *text = run_expr_text(model, relation->relation);
    diag_report(run->diag, DIAG_SLIDES, run_place(model, run->diag, relation->place), text, island->t,
                names.p ? names.p : "nothing");
    diag_hint(run->diag, "the run follows the surface, as if it switched infinitely often");
    free(text);
    str_free(&names);
    arena_free(&work);
}

void slide_before(Island *island)
{
    Surface *s = &island->surface;
    if (island->model->n_relations == 0) return;
    memcpy(s->before, island_modes(island), island->model->n_relations * sizeof *s->before);
}

static bool differs(const Surface *s, const double *after, size_t k)
{
    return s->surface_of[k] == SURFACE_NONE && (s->before[k] != 0) != (after[k] != 0);
}

static void give_sides(Surface *s, size_t surface, const double *first, const double *second, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (s->surface_of[k] != surface) continue;
        s->modes[0][k] = first[k];
        s->modes[1][k] = second[k];
    }
}

// The slope of a zero function on one side of a surface that is not followed yet, along those that are.
static bool slope_on(Island *island, size_t relation, double *slope)
{
    Surface *s = &island->surface;
    bool known;
    if (solve(island, island->t, island->x, &known) != 0 || !known) return false;
    for (size_t k = 0; k < s->n_surfaces; k++)
        if (s->part[k] < -SLACK || s->part[k] > 1 + SLACK) return false;
    blend(island, s->rates[0]);
    return surface_slopes(island, island->t, island->x, s->rates[0], &relation, 1, slope);
}

// Relations whose modes are of this surface: do both of its sides lead back to it?
static bool holds(Island *island, uint32_t surface, size_t leader, const double *after)
{
    Surface *s = &island->surface;
    const size_t n = island->model->n_relations;
    double slopes[2];
    give_sides(s, surface, s->before, s->before, n);
    bool known = slope_on(island, leader, &slopes[0]);
    give_sides(s, surface, after, after, n);
    known = known && slope_on(island, leader, &slopes[1]);
    return known && slopes[0] * slopes[1] < 0 && fabs(slopes[1]) > 1e-9 * fabs(slopes[0]);
}

// Zero functions that are one but for their sign.
static bool is_same_surface(const Flat *flat, size_t a, size_t b)
{
    const Expr x = flat->relations.items[a].zero, y = flat->relations.items[b].zero;
    const ExprNode *p = expr_node(&flat->pool, x), *q = expr_node(&flat->pool, y);
    return x == y || (p->op == EXPR_NEG && p->a == y) || (q->op == EXPR_NEG && q->a == x) ||
           (p->op == EXPR_SUB && q->op == EXPR_SUB && p->a == q->b && p->b == q->a);
}

// Does the zero function not know of the modes that changed? Else it has jumped with them, and is no surface.
static void find_continuous(Island *island, const double *after, bool *is_continuous)
{
    const Surface *s = &island->surface;
    const size_t n = island->model->n_relations;
    const CodeProgram relations = island->model->code.programs[IR_RELATIONS];
    Arena work = { 0 };
    double *first = ARENA_ARRAY(&work, double, 2 * n), *second = ARENA_ARRAY(&work, double, 2 * n),
           *modes = island_modes(island);
    memcpy(modes, s->before, n * sizeof *modes);
    bool ok = relations(island->t, island->x, &island->env, first) == 0;
    memcpy(modes, after, n * sizeof *modes);
    ok = ok && relations(island->t, island->x, &island->env, second) == 0;
    for (size_t k = 0; k < n; k++) {
        const double a = first[2 * k], b = second[2 * k];
        is_continuous[k] = ok && fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
    }
    arena_free(&work);
}

bool slide_enter(orr_run *run, Island *island)
{
    Surface *s = &island->surface;
    const Flat *flat = &run->model->flat;
    const size_t n = run->model->n_relations, relation = run->event_relation, n_before = s->n_surfaces;
    double *modes = island_modes(island);
    if (n == 0 || !flat->relations.items[relation].in_equation) return false;
    if (run->model->blocks.n_implicit > 0)
        return false;    // where loops jump with the modes there is nothing between
    if (!differs(s, modes, relation)) return false;
    s->probe = PROBE * surface_scale(run, island);
    Arena work = { 0 };
    double *after = ARENA_ARRAY(&work, double, n);
    bool *is_continuous = ARENA_ARRAY(&work, bool, n);
    memcpy(after, modes, n * sizeof *after);
    find_continuous(island, after, is_continuous);
    is_continuous[relation] = true;
    for (size_t k = 0; k < n; k++)
        if (s->surface_of[k] == SURFACE_NONE) s->modes[0][k] = s->modes[1][k] = after[k];
    for (size_t i = 0; i <= n && s->n_surfaces < SURFACES_MAX; i++) {
        const size_t leader = i == 0 ? relation : i - 1;    // that of the event first
        if (!is_continuous[leader] || !differs(s, after, leader) ||
            !flat->relations.items[leader].in_equation)
            continue;
        const uint32_t surface = (uint32_t)s->n_surfaces;
        make_room(run, s, surface + 1);
        for (size_t k = 0; k < n; k++)    // what jumped with the first one is its
            if (differs(s, after, k) && (is_same_surface(flat, k, leader) || (i == 0 && !is_continuous[k])))
                s->surface_of[k] = surface;
        if (holds(island, surface, leader, after)) {
            give_sides(s, surface, s->before, after, n);
            s->leader[s->n_surfaces++] = leader;
        } else {
            give_sides(s, surface, after, after, n);
            for (size_t k = 0; k < n; k++)    // and is not asked about again
                if (s->surface_of[k] == surface) s->surface_of[k] = SURFACE_NONE, is_continuous[k] = false;
        }
    }
    arena_free(&work);
    bool known;
    s->slides = s->n_surfaces > 0;
    s->is_on = s->slides || s->n_held > 0;
    if (s->n_surfaces > n_before) {
        s->ends = false;
        if (solve(island, island->t, island->x, &known) == 0)
            for (size_t k = n_before; k < s->n_surfaces; k++) report(run, island, k);
    }
    memcpy(modes, s->modes[0], n * sizeof *modes);
    return s->n_surfaces > n_before;
}

// ---- End

bool slide_leaves(Island *island, double t, const double *x)
{
    const Surface *s = &island->surface;
    bool known;
    if (solve(island, t, x, &known) != 0 || !known) return true;
    if (s->n_surfaces == 1) return !(s->slopes[0] * s->slopes[1] < 0);
    for (size_t k = 0; k < s->n_surfaces; k++)
        if (!(s->part[k] >= 0 && s->part[k] <= 1)) return true;
    return false;
}

double slide_locate_end(orr_run *run, Island *island, double t_lo, double t_hi, LocateState state,
                        void *context)
{
    double lo = t_lo, hi = t_hi;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = lo + 0.5 * (hi - lo);
        if (!(middle > lo && middle < hi) || !state(context, middle, run->x_event)) break;
        if (slide_leaves(island, middle, run->x_event)) hi = middle;
        else lo = middle;
    }
    state(context, hi, run->x_event);
    island->surface.ends = true;
    return hi;
}

// From here on one side alone counts.
static void leave(Island *island, size_t surface, int side)
{
    Surface *s = &island->surface;
    const size_t last = --s->n_surfaces;
    s->leader[surface] = s->leader[last];
    for (size_t k = 0; k < island->model->n_relations; k++) {
        if (s->surface_of[k] == surface) {
            s->modes[1 - side][k] = s->modes[side][k];
            s->surface_of[k] = SURFACE_NONE;
        } else if (s->surface_of[k] == last) {
            s->surface_of[k] = (uint32_t)surface;
        }
    }
}

void slide_exit(orr_run *run, Island *island)
{
    Surface *s = &island->surface;
    bool must = s->ends, known;
    while (s->n_surfaces > 0) {
        const bool failed = solve(island, island->t, island->x, &known) != 0;
        size_t worst = 0;
        double out = -INFINITY;
        for (size_t k = 0; k < s->n_surfaces && known; k++)
            if (fmax(-s->part[k], s->part[k] - 1) > out) worst = k, out = fmax(-s->part[k], s->part[k] - 1);
        if (!failed && known && out <= 0 && !must) break;
        int side = !failed && known && s->part[worst] > 0.5 ? 1 : 0;
        if (!failed && s->n_surfaces == 1)    // on goes the side that leads away
            side = !(s->slopes[0] * s->slopes[1] < 0) && fabs(s->slopes[0]) > fabs(s->slopes[1]);
        leave(island, worst, side);
        must = false;
    }
    memcpy(island_modes(island), s->modes[0], run->model->n_relations * sizeof(double));
    s->ends = false;
    s->slides = s->n_surfaces > 0;
    s->is_on = s->slides || s->n_held > 0;
}

// Modes that changed beside the sliding ones count on both sides.
bool slide_after_event(orr_run *run, Island *island)
{
    Surface *s = &island->surface;
    if (!s->slides) return true;
    const double *modes = island_modes(island);
    for (size_t k = 0; k < run->model->n_relations; k++)
        if (s->surface_of[k] == SURFACE_NONE) s->modes[0][k] = s->modes[1][k] = modes[k];
    return !slide_leaves(island, island->t, island->x);
}

void slide_pass(orr_run *run, RunSaved *saved)
{
    Surface *s = &run->island.surface;
    const uint32_t n = run->model->n_relations;
    uint32_t n_surfaces = (uint32_t)s->n_surfaces;
    saved_index(saved, &n_surfaces, SURFACES_MAX + 1);
    if (saved->is_bad) return;
    s->n_surfaces = n_surfaces;
    make_room(run, s, n_surfaces);
    for (uint32_t k = 0; k < n_surfaces && !saved->is_bad; k++) {
        uint32_t leader = (uint32_t)s->leader[k];
        saved_index(saved, &leader, n);
        s->leader[k] = leader;
        saved_pass(saved, &s->part[k], sizeof s->part[k]);
    }
    for (uint32_t k = 0; k < n && !saved->is_bad; k++) {
        saved_pass(saved, &s->surface_of[k], sizeof s->surface_of[k]);
        if (s->surface_of[k] >= n_surfaces && s->surface_of[k] != SURFACE_NONE) saved->is_bad = true;
    }
    saved_pass(saved, s->before, n * sizeof *s->before);
    saved_pass(saved, run->zero_scale, n * sizeof *run->zero_scale);
}

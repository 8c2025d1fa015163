// src/analyse/steady.c: equilibria from several starting points.
//
// The first start is the initial values. The others are a Latin hypercube: along each state every one of
// n_starts equal parts of its range is met once, in an order shuffled by a fixed sequence, so the same
// question has the same answer. Ranges are those given, else what assertions allow, else the initial value
// and around it a few to a hundred times its size.
#include "analyse/analyse.h"
#include "base/cancel.h"
#include "base/diag.h"
#include "base/vec.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OTHERS_MAX = 50 };    // equilibria around which others are searched
#define SAME 1e-6            // scales: equilibria this close are one

// ---------------------------------------------------------------------------------------------- what can be
// analysed

bool analyse_check(const orr_model *model, orr_diag *diag)
{
    const char *why = NULL;
    if (model->isles) why = "it has islands, which go their own way";
    else if (model->n_states == 0) why = "nothing in it changes by itself: it has no states";
    else if (model->n_delays > 0) why = "it has delays, whose past is part of its state";
    if (why) diag_report(diag, DIAG_ANALYSE_MODEL, (Place){ 0 }, model->flat.model, why);
    return why == NULL;
}

void analyse_warn_time(System *s, const double *x)
{
    if (!system_moves(s, x)) return;
    diag_report(s->diag, DIAG_TIME_FROZEN, (Place){ 0 }, s->t);
    diag_hint(s->diag, "an equilibrium of equations that depend on t moves with t");
}

Arena *analyse_memory(void **memory)
{
    Arena *arena = calloc(1, sizeof *arena);
    if (!arena) arena_no_memory(sizeof *arena);
    return *memory = arena;
}

void analyse_free(void *memory)
{
    if (!memory) return;
    arena_free(memory);
    free(memory);
}

const size_t *analyse_states(const orr_model *model, Arena *arena)
{
    size_t *states = ARENA_ARRAY(arena, size_t, model->n_states);
    for (size_t i = 0; i < model->n_states; i++) states[i] = model_state_variable(model, (uint32_t)i);
    return states;
}

size_t *analyse_outputs(const orr_model *model, Arena *arena, size_t *n)
{
    VEC(size_t) outputs = { 0 };
    for (size_t i = 0; i < orr_model_n_variables(model); i++) {
        const orr_variable v = orr_model_variable(model, i);
        if (v.is_output && v.kind != ORR_KIND_STATE) vec_push(arena, &outputs, i);
    }
    *n = outputs.n;
    return outputs.items;
}

// ---------------------------------------------------------------------------------------------- ranges

typedef struct Box {
    double *lo, *hi;    // [n]; infinite: not limited
} Box;

static double param_value(const void *context, uint32_t variable)
{
    const System *s = context;
    const FlatKind kind = s->model->flat.vars.items[variable].kind;
    return kind == FLAT_PARAM || kind == FLAT_INPUT ? system_get(s, s->model->ir.layout.place[variable])
                                                    : NAN;
}

// The state that `e` is, or is the magnitude of; FLAT_NONE otherwise.
static uint32_t state_in(const System *s, Expr e, bool *is_magnitude)
{
    const ExprPool *pool = &s->model->flat.pool;
    *is_magnitude = expr_op(pool, e) == EXPR_ABS;
    if (*is_magnitude) e = expr_operand(pool, e, 0);
    return expr_op(pool, e) == EXPR_VAR ? s->model->ir.layout.state_of[expr_node(pool, e)->index] : FLAT_NONE;
}

// state < bound or state > bound
static void limit(System *s, Box *box, Expr state, Expr bound, bool is_above)
{
    bool is_magnitude;
    const uint32_t i = state_in(s, state, &is_magnitude);
    if (i == FLAT_NONE) return;
    const ExprValues values = { .variable = param_value, .context = s, .t = s->t };
    const double at = expr_evaluate(&s->model->flat.pool, bound, &values);
    if (isnan(at)) return;
    if (is_above && !is_magnitude) box->lo[i] = fmax(box->lo[i], at);
    if (!is_above) box->hi[i] = fmin(box->hi[i], at);
    if (!is_above && is_magnitude) box->lo[i] = fmax(box->lo[i], -at);
}

// Conditions that must all hold, relation by relation.
static void limit_by_asserts(System *s, Box *box)
{
    const ExprPool *pool = &s->model->flat.pool;
    Arena scratch = { 0 };
    VEC(Expr) todo = { 0 };
    for (size_t i = 0; i < s->model->flat.asserts.n; i++)
        vec_push(&scratch, &todo, s->model->flat.asserts.items[i].condition);
    while (todo.n) {
        const Expr e = vec_pop(&todo);
        const ExprOp op = expr_op(pool, e);
        if (op == EXPR_AND) {
            vec_push(&scratch, &todo, expr_operand(pool, e, 0));
            vec_push(&scratch, &todo, expr_operand(pool, e, 1));
        } else if (op == EXPR_LT || op == EXPR_LE || op == EXPR_GT || op == EXPR_GE) {
            const Expr a = expr_operand(pool, e, 0), b = expr_operand(pool, e, 1);
            const bool greater = op == EXPR_GT || op == EXPR_GE;
            limit(s, box, a, b, greater);
            limit(s, box, b, a, !greater);
        }
    }
    arena_free(&scratch);
}

static bool limit_by_user(System *s, Box *box, const orr_range *ranges, size_t n)
{
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        const orr_range *r = &ranges[i];
        const size_t variable = orr_model_find(s->model, r->name);
        const uint32_t state = variable == (size_t)-1 ? FLAT_NONE : model_variable(s->model, variable).state;
        const char *why = state == FLAT_NONE ? "there is no such state" : NULL;
        if (!isfinite(r->lo) || !isfinite(r->hi) || r->lo > r->hi)
            why = "it must go from a smaller to a larger number";
        if (why) {
            diag_report(s->diag, DIAG_ANALYSE_RANGE, (Place){ 0 }, r->name, r->lo, r->hi, why);
            const char *closest = state == FLAT_NONE ? orr_model_closest(s->model, r->name) : NULL;
            if (closest && strcmp(closest, r->name) != 0) diag_suggest(s->diag, r->name, closest);
            ok = false;
            continue;
        }
        box->lo[state] = r->lo;
        box->hi[state] = r->hi;
    }
    return ok;
}

// ---------------------------------------------------------------------------------------------- starting
// points

// splitmix64: each call another number, the same in every run
static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double next_fraction(uint64_t *seed) { return (double)(next_random(seed) >> 11) * 0x1p-53; }

// fractions[start*n + state] in [0, 1)
static double *hypercube(size_t n_starts, size_t n, Arena *arena)
{
    double *fractions = ARENA_ARRAY(arena, double, n_starts * n);
    size_t *part = ARENA_ARRAY(arena, size_t, n_starts);
    uint64_t seed = 1;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n_starts; k++) {
            const size_t other = (size_t)(next_random(&seed) % (k + 1));
            part[k] = part[other];
            part[other] = k;
        }
        for (size_t k = 0; k < n_starts; k++)
            fractions[k * n + i] = ((double)part[k] + next_fraction(&seed)) / (double)n_starts;
    }
    return fractions;
}

static void starting_point(const System *s, const Box *box, size_t k, const double *fractions, double *x)
{
    static const double reach[] = { 1, 5, 25, 100 };
    for (size_t i = 0; i < s->n; i++) {
        const double around = reach[k % 4] * s->scale[i];
        double lo = box->lo[i], hi = box->hi[i];
        if (isinf(lo) && isinf(hi)) lo = s->start[i] - around, hi = s->start[i] + around;
        else if (isinf(lo)) lo = fmin(s->start[i], hi) - around;
        else if (isinf(hi)) hi = fmax(s->start[i], lo) + around;
        x[i] = lo + fractions[i] * (hi - lo);
    }
}

// ---------------------------------------------------------------------------------------------- the search

// Is a point between two equilibria one too? Then they belong to a line of them. Not the middle, which may be
// one by symmetry.
static bool is_one_line(System *s, const double *x, const double *y, double *between, double *f)
{
    for (size_t i = 0; i < s->n; i++) between[i] = x[i] + 0.381966 * (y[i] - x[i]);
    if (!system_rates(s, between, f)) return false;
    double most = 0, size = 0;
    for (size_t i = 0; i < s->n; i++) {
        most = fmax(most, fabs(f[i]) / s->scale[i]);
        size = fmax(size, fabs(x[i] - y[i]) / s->scale[i]);
    }
    return most <= 1e-10 * size;
}

typedef VEC(Found) Founds;

// Remember an equilibrium, unless it is known. `counts`: a starting point has led to it by itself.
static bool keep(System *s, Founds *found, const double *x, bool counts)
{
    Arena scratch = { 0 };
    double *between = ARENA_ARRAY(&scratch, double, s->n), *f = ARENA_ARRAY(&scratch, double, s->n);
    bool known = false;
    for (size_t i = 0; i < found->n && !known; i++) {
        Found *other = &found->items[i];
        known = newton_distance(s, x, other->x) <= SAME;
        if (!known && is_one_line(s, x, other->x, between, f)) {
            other->is_isolated = false;
            known = true;
        }
        if (known && counts) other->n_found++;
    }
    arena_free(&scratch);
    if (known) return false;
    Found new = { .x = ARENA_ARRAY(s->arena, double, s->n), .n_found = counts, .is_isolated = true };
    memcpy(new.x, x, s->n * sizeof *x);
    vec_push(s->arena, found, new);
    return true;
}

static const FlatEquation *equation_of(const orr_model *model, uint32_t variable)
{
    const Ordered *system = &model->blocks.dynamic;
    for (uint32_t i = 0; i < system->n_equations; i++)
        if (system->computes[i] == variable) return &system->equations[i];
    return NULL;
}

// Does no state occur in this rate?
static bool is_constant_rate(System *s, const double *x, size_t row)
{
    Arena scratch = { 0 };
    bool constant = s->n <= ANALYSE_DENSE_MAX;
    double *j = constant ? ARENA_ARRAY(&scratch, double, s->n * s->n) : NULL;
    constant = constant && system_jacobian(s, x, false, j);
    for (size_t c = 0; c < s->n && constant; c++) constant = j[row * s->n + c] == 0;
    arena_free(&scratch);
    return constant;
}

static void report_none(System *s, const Nearest *nearest, size_t n_starts)
{
    const orr_model *model = s->model;
    if (isinf(nearest->merit)) {
        diag_report(s->diag, DIAG_STEADY_NONE, (Place){ 0 }, n_starts, n_starts == 1 ? "" : "s");
        diag_hint(s->diag,
                  "the rates could not be computed at any of them; give ranges with --range STATE=LO..HI");
        return;
    }
    size_t worst = 0;
    for (size_t i = 0; i < s->n; i++)
        if (fabs(nearest->f[i]) / s->scale[i] > fabs(nearest->f[worst]) / s->scale[worst]) worst = i;
    const char *name = system_state_name(s, worst);
    const ModelVariable state = model_variable(model, model_state_variable(model, (uint32_t)worst));
    const FlatEquation *equation = state.var ? equation_of(model, state.var->derivative) : NULL;
    const Place place = equation ? equation->place : state.declared;
    diag_report(s->diag, DIAG_STEADY_NONE, run_place(model, s->diag, place), n_starts,
                n_starts == 1 ? "" : "s");
    if (system_rates(s, nearest->x, s->low) && is_constant_rate(s, nearest->x, worst))
        diag_hint(s->diag, "no state occurs in the rate of '%s': it is %g wherever the others are", name,
                  nearest->f[worst]);
    else
        diag_hint(
            s->diag,
            "give ranges to look in with --range STATE=LO..HI, or more starting points with --starts N");
    StrBuf point = { 0 };
    for (size_t i = 0; i < s->n && i < 6; i++)
        str_addf(&point, "%s%s = %.6g", i ? ", " : "", system_state_name(s, i), nearest->x[i]);
    if (s->n > 6) str_add(&point, ", …");
    diag_note(s->diag, (Place){ 0 }, "nearest was %s, where %s still changes by %.6g per unit of time",
              point.p, name, nearest->f[worst]);
    str_free(&point);
}

FoundList steady_search(System *s, Linear *l, size_t n_starts, const orr_range *ranges, size_t n_ranges,
                        bool silent)
{
    const size_t n = s->n;
    if (n_starts == 0) n_starts = ANALYSE_STARTS;
    Arena scratch = { 0 };
    Founds found = { 0 };
    Box box = { ARENA_ARRAY(&scratch, double, n), ARENA_ARRAY(&scratch, double, n) };
    for (size_t i = 0; i < n; i++) box.lo[i] = -INFINITY, box.hi[i] = INFINITY;
    limit_by_asserts(s, &box);
    bool ok = limit_by_user(s, &box, ranges, n_ranges);
    // a range is also a scale
    for (size_t i = 0; i < n; i++)
        if (isfinite(box.hi[i] - box.lo[i]) && box.hi[i] > box.lo[i])
            s->scale[i] = (box.hi[i] - box.lo[i]) / 2;

    const double *fractions = ok && n_starts > 1 ? hypercube(n_starts - 1, n, &scratch) : NULL;
    double *x = ARENA_ARRAY(&scratch, double, n);
    Nearest nearest = { ARENA_ARRAY(&scratch, double, n), ARENA_ARRAY(&scratch, double, n), INFINITY };
    double *begin = ARENA_ARRAY(&scratch, double, n);
    bool is_regular = true;
    for (size_t k = 0; ok && k < n_starts; k++) {
        if (cancel_is_set(s->run->cancel)) break;
        if (k == 0) memcpy(begin, s->start, n * sizeof *x);
        else starting_point(s, &box, k - 1, fractions + (k - 1) * n, begin);
        memcpy(x, begin, n * sizeof *x);
        const Way way = newton_find(s, l, x, &nearest);
        if (way != WAY_NONE) keep(s, &found, x, true);
        // on a line of equilibria there would always be others
        if (way == WAY_TIME || way == WAY_FIT) is_regular = false;
        for (bool again = n_starts > 1 && is_regular; again && found.n > 0 && found.n < OTHERS_MAX;) {
            memcpy(x, begin, n * sizeof *x);
            again = newton_find_other(s, l, x, found.items, found.n, &nearest) && keep(s, &found, x, false);
        }
    }
    if (ok && found.n == 0 && !silent) report_none(s, &nearest, n_starts);
    arena_free(&scratch);
    return (FoundList){ found.items, found.n, !ok };
}

// ---------------------------------------------------------------------------------------------- the public
// side

orr_steady_options orr_steady_options_default(void)
{
    return (orr_steady_options){ .run = orr_run_options_default() };
}

static void list_broken(System *s, const double *x, orr_equilibrium *e, Arena *arena)
{
    const orr_model *model = s->model;
    if (model->n_asserts == 0) return;
    double *truth = ARENA_ARRAY(arena, double, model->n_asserts);
    const char **broken = ARENA_ARRAY(arena, const char *, model->n_asserts);
    if (code_call(&model->code, IR_ASSERTS, s->t, x, &s->island->env, truth) != 0) return;
    for (uint32_t i = 0; i < model->n_asserts; i++) {
        if (truth[i] != 0) continue;
        char *text = run_expr_text(model, model->flat.asserts.items[i].condition);
        broken[e->n_broken++] = arena_copy_text(arena, text, strlen(text));
        free(text);
    }
    e->broken = broken;
}

// Everything about a point at which the rates vanish.
static bool describe(System *s, const Found *found, orr_equilibrium *e)
{
    const size_t n = s->n;
    double *f = ARENA_ARRAY(s->arena, double, n),
           *values = ARENA_ARRAY(s->arena, double, orr_model_n_variables(s->model));
    *e = (orr_equilibrium){ .values = values, .n_found = found->n_found, .is_isolated = found->is_isolated,
                            .stability = ORR_STABILITY_UNKNOWN };
    system_rates(s, found->x, f);
    for (size_t i = 0; i < n; i++) e->residual = fmax(e->residual, fabs(f[i]));
    system_values(s, found->x, values);
    list_broken(s, found->x, e, s->arena);
    e->verdict = "stability not computed: too many states";
    if (n > ANALYSE_EIGEN_MAX) return true;
    Arena scratch = { 0 };
    double *j = ARENA_ARRAY(&scratch, double, n * n);
    orr_complex *eigenvalues = ARENA_ARRAY(s->arena, orr_complex, n);
    const bool ok = system_jacobian(s, found->x, true, j) && eigen_values(j, n, eigenvalues, s->diag);
    arena_free(&scratch);
    if (!ok) {
        e->verdict = "stability not computed: no derivatives here";
        return orr_diag_errors(s->diag) == 0;
    }
    const Spectrum sides = eigen_sides(eigenvalues, n, eigen_rounding(s));
    e->eigenvalues = eigenvalues;
    e->stability = eigen_stability(&sides);
    e->verdict = eigen_verdict(&sides, n);
    return true;
}

static orr_status find(const orr_model *model, const orr_steady_options *o, Arena *arena, orr_steady *result,
                       orr_diag *diag)
{
    orr_status status;
    System s;
    Linear l;
    if (!analyse_check(model, diag)) return ORR_STATUS_USAGE;
    if (!system_open(&s, model, &o->run, arena, diag, &status)) return status;
    status = ORR_STATUS_FAILED;
    if (linear_init(&l, &s)) {
        const FoundList found = steady_search(&s, &l, o->n_starts, o->ranges, o->n_ranges, false);
        if (found.is_bad) status = ORR_STATUS_USAGE;
        orr_equilibrium *all = ARENA_ARRAY(arena, orr_equilibrium, found.n);
        bool ok = found.n > 0;
        for (size_t i = 0; i < found.n && ok; i++) ok = describe(&s, &found.items[i], &all[i]);
        if (ok) {
            analyse_warn_time(&s, found.items[0].x);
            status = ORR_STATUS_OK;
        }
        result->t = s.t;
        result->n_states = s.n;
        result->states = analyse_states(model, arena);
        result->equilibria = all;
        result->n_equilibria = found.n;
        result->n_starts = o->n_starts ? o->n_starts : ANALYSE_STARTS;
    }
    linear_free(&l);
    system_close(&s);
    return status;
}

orr_steady orr_steady_find(const orr_model *model, const orr_steady_options *options, orr_diag *diag)
{
    const orr_steady_options defaults = orr_steady_options_default();
    orr_steady result = { 0 };
    Arena *arena = analyse_memory(&result.memory);
    result.status = find(model, options ? options : &defaults, arena, &result, diag);
    return result;
}

void orr_steady_free(orr_steady *steady)
{
    analyse_free(steady->memory);
    *steady = (orr_steady){ 0 };
}

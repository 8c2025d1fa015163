// src/flat/draw.c: random numbers.
//
// A draw is a function of its stream and its number, so it is arithmetic like any other: the same node twice
// is the same number. Who draws counts: parameters and initial values, which have streams of their own, from
// 0 when the model is read; the events of a component by a hidden discrete variable, which lies in the state
// of the run as all others do.
#include "flat/scope.h"
#include "num/distribution.h"
#include <math.h>
#include <string.h>

// "cpu[2]": the path without its last point.
static const char *stream_of(Expander *ex, const Draws *draws)
{
    if (draws->stream) return draws->stream;
    const Text path = draws->scope->path;
    return text_copy(&ex->work, (Text){ path.p, path.n ? path.n - 1 : 0 });
}

Expr draw_count(Expander *ex, const Draws *draws)
{
    if (!draws || draws->n == 0) return EXPR_NONE;
    ExprPool *pool = &ex->flat->pool;
    return expr_binary(pool, EXPR_ADD, lower_read(ex, draw_counter(draws)), expr_const(pool, draws->n));
}

bool draw_counts(const Expander *ex, uint32_t variable)
{
    return strncmp(ex->flat->vars.items[variable].name, "draws(", 6) == 0;
}

void draw_names(Expander *ex, const char **names, size_t *n)
{
    (void)ex;
    for (int i = 0; i < n_distributions; i++) names[(*n)++] = distributions[i].name;
}

// ---------------------------------------------------------------------------------------------- formulas

typedef struct Build {
    const Reading *r;
    ExprPool *pool;
    const Expr *args;
    uint32_t n;
} Build;

static Expr number(const Build *b, double value) { return expr_const(b->pool, value); }
static Expr binary(const Build *b, ExprOp op, Expr x, Expr y) { return expr_binary(b->pool, op, x, y); }
static Expr minus(const Build *b, Expr x, Expr y) { return binary(b, EXPR_SUB, x, y); }
static Expr times(const Build *b, Expr x, Expr y) { return binary(b, EXPR_MUL, x, y); }
static Expr choose(const Build *b, Expr condition, Expr yes, Expr no)
{
    return expr_make(b->pool, EXPR_IF, condition, yes, no);
}

// The next draw of the stream.
static Expr next(const Build *b, ExprDrawKind kind, Expr argument)
{
    Expander *ex = b->r->ex;
    Draws *draws = b->r->draws;
    const char *stream = stream_of(ex, draws);
    Expr count = number(b, draws->n);
    if (draws->scope) {
        if (!draws->scope->counter_plus_1)
            draws->scope->counter_plus_1 = declare_counter(ex, stream, draws->scope->shape->model->place) + 1;
        count = binary(b, EXPR_ADD, lower_read(ex, draw_counter(draws)), count);
    }
    draws->n++;
    return expr_draw(b->pool, stream, kind, count, argument);
}
static Expr unit(const Build *b) { return next(b, EXPR_DRAW_UNIT, EXPR_NONE); }
static Expr above(const Build *b, Expr u) { return minus(b, number(b, 1), u); }    // 1 - u, exactly
static Expr log_above(const Build *b) { return expr_unary(b->pool, EXPR_LOG, above(b, unit(b))); }

// These are the formulas of num/random.c, to the bit.
static Expr build_uniform(const Build *b)
{
    const Expr low = b->args[0], high = b->args[1], u = unit(b);
    const Expr between = binary(b, EXPR_ADD, times(b, low, above(b, u)), times(b, high, u));
    return binary(b, EXPR_MIN, binary(b, EXPR_MAX, between, low), high);
}

static Expr build_normal(const Build *b)
{
    return binary(b, EXPR_ADD, b->args[0], times(b, b->args[1], next(b, EXPR_DRAW_NORMAL, EXPR_NONE)));
}

static Expr build_lognormal(const Build *b) { return expr_unary(b->pool, EXPR_EXP, build_normal(b)); }

static Expr build_exponential(const Build *b)
{
    return times(b, expr_unary(b->pool, EXPR_NEG, b->args[0]), log_above(b));
}

static Expr build_gamma(const Build *b) { return times(b, next(b, EXPR_DRAW_GAMMA, b->args[0]), b->args[1]); }

static Expr build_triangular(const Build *b)
{
    const Expr low = b->args[0], mode = b->args[1], high = b->args[2], u = unit(b);
    const Expr width = minus(b, high, low), left = minus(b, mode, low), right = minus(b, high, mode);
    const Expr rising = expr_unary(b->pool, EXPR_SQRT, times(b, times(b, u, width), left));
    const Expr falling = expr_unary(b->pool, EXPR_SQRT, times(b, times(b, above(b, u), width), right));
    const Expr is_left = binary(b, EXPR_LT, u, binary(b, EXPR_DIV, left, width));
    const Expr drawn = choose(b, is_left, binary(b, EXPR_ADD, low, rising), minus(b, high, falling));
    return choose(b, binary(b, EXPR_EQ, low, high), low, drawn);
}

static Expr build_weibull(const Build *b)
{
    const Expr power = binary(b, EXPR_DIV, number(b, 1), b->args[0]);
    const Expr base = expr_unary(b->pool, EXPR_NEG, log_above(b));
    return times(b, b->args[1], binary(b, EXPR_POW, base, power));
}

static Expr build_poisson(const Build *b) { return next(b, EXPR_DRAW_POISSON, b->args[0]); }

static Expr build_discrete(const Build *b)
{
    Expr sum = b->args[0];
    for (uint32_t i = 1; i < b->n; i++) sum = binary(b, EXPR_ADD, sum, b->args[i]);
    const Expr at = times(b, unit(b), sum);
    // the last with a weight takes what rounding leaves over
    Expr drawn = number(b, 0);
    for (uint32_t i = 0; i < b->n; i++)
        drawn = choose(b, binary(b, EXPR_GT, b->args[i], number(b, 0)), number(b, i + 1.0), drawn);
    Expr *upto = ARENA_ARRAY(&b->r->ex->scratch, Expr, b->n);
    upto[0] = b->args[0];
    for (uint32_t i = 1; i < b->n; i++) upto[i] = binary(b, EXPR_ADD, upto[i - 1], b->args[i]);
    for (uint32_t i = b->n; i-- > 0;)
        drawn = choose(b, binary(b, EXPR_GT, upto[i], at), number(b, i + 1.0), drawn);
    return drawn;
}

static const struct {
    const char *name;
    Expr (*build)(const Build *b);
} builders[] = {
    { "uniform", build_uniform },         { "normal", build_normal },   { "lognormal", build_lognormal },
    { "exponential", build_exponential }, { "gamma", build_gamma },     { "triangular", build_triangular },
    { "weibull", build_weibull },         { "poisson", build_poisson }, { "discrete", build_discrete },
};
enum { N_BUILDERS = sizeof builders / sizeof *builders };

// ---------------------------------------------------------------------------------------------- arguments

// What the arguments must be, where it is not known yet: a truth value, or EXPR_NONE.
static Expr condition_of(const Build *b, const Distribution *d)
{
    Expr all = EXPR_NONE;
    for (uint32_t i = 0; i < b->n; i++) {
        const DistributionRule rule = d->arguments[d->n_arguments ? i : 0].rule;
        Expr holds;
        switch (rule) {
        case DISTRIBUTION_NOT_NEGATIVE: holds = binary(b, EXPR_GE, b->args[i], number(b, 0)); break;
        case DISTRIBUTION_POSITIVE: holds = binary(b, EXPR_GT, b->args[i], number(b, 0)); break;
        case DISTRIBUTION_NOT_LESS: holds = binary(b, EXPR_GE, b->args[i], b->args[i - 1]); break;
        default: continue;
        }
        if (expr_is_const(b->pool, holds, NULL)) continue;
        all = all == EXPR_NONE ? holds : binary(b, EXPR_AND, all, holds);
    }
    return all;
}

// Arguments that are numbers are looked at here and now.
static bool check_numbers(const Build *b, int distribution, Place place)
{
    const Distribution *d = &distributions[distribution];
    const ArenaMark mark = arena_mark(&b->r->ex->scratch);
    double *values = ARENA_ARRAY(&b->r->ex->scratch, double, b->n);
    bool all = true;
    for (uint32_t i = 0; i < b->n; i++) all = expr_is_const(b->pool, b->args[i], &values[i]) && all;
    const char *must;
    const int fault = all ? distribution_fault(distribution, values, b->n, &must) : -1;
    if (fault >= 0)
        EXPAND_FAIL(b->r->ex, DIAG_DRAW_ARGUMENT, place, d->name,
                    d->arguments[d->n_arguments ? fault : 0].name, values[fault], must);
    arena_release(&b->r->ex->scratch, mark);
    return fault < 0;
}

static void report_misplaced(const Reading *r, const AstExpr *call)
{
    Expander *ex = r->ex;
    EXPAND_FAIL(ex, DIAG_DRAW_MISPLACED, call->place, call->call.function);
    if (r->is_structural)
        diag_hint(ex->diag,
                  "sizes, bounds and indices must be known before the run; a draw is known only in it");
    else if (r->makes_modes && !r->in_event)
        diag_hint(ex->diag,
                  "in an equation write noise(sigma), or sample(%s(…), PERIOD), which draws anew every "
                  "PERIOD; or draw a parameter: param k ~ %s(…)",
                  call->call.function, call->call.function);
    else diag_hint(ex->diag, "parameters, initial values, bodies of events and their delays can be drawn");
}

Expr draw_call(const Reading *r, const AstExpr *call)
{
    Expander *ex = r->ex;
    const int distribution = distribution_number(call->call.function);
    if (distribution == DISTRIBUTION_NONE) return EXPR_NONE;
    const Distribution *d = &distributions[distribution];
    const uint32_t n = call->call.n_args;
    if (!r->draws) {
        report_misplaced(r, call);
        return lower_poison(r);
    }
    if (d->is_data) return table_empirical(r, call);
    if (d->n_arguments ? n != (uint32_t)d->n_arguments : n == 0) {
        lower_wrong_arguments(r, call, distribution_takes(distribution));
        return lower_poison(r);
    }
    if (ex->nest) {    // each turn draws for itself
        ex->nest->failed = true;
        return lower_poison(r);
    }
    const ArenaMark mark = arena_mark(&ex->scratch);
    Expr *args = ARENA_ARRAY(ex->flat->arena, Expr, n);
    const size_t errors_before = ex->n_errors;
    for (uint32_t i = 0; i < n; i++) args[i] = lower_real(r, call->call.args[i]);
    const Build b = { r, &ex->flat->pool, args, n };
    Expr value = lower_poison(r);
    if (ex->n_errors == errors_before && check_numbers(&b, distribution, call->place)) {
        for (int i = 0; i < N_BUILDERS; i++)
            if (strcmp(builders[i].name, d->name) == 0) value = builders[i].build(&b);
        const Expr condition = condition_of(&b, d);
        if (condition != EXPR_NONE) value = choose(&b, condition, value, number(&b, NAN));
        vec_push(ex->flat->arena, &ex->flat->draws, (FlatDraw){ distribution, args, n, call->place });
    }
    arena_release(&ex->scratch, mark);
    return value;
}

// noise(sigma): the deviation after one unit of time times white noise of intensity 1, each with a path of
// its own.
Expr draw_noise(const Reading *r, Expr sigma, Place place)
{
    Expander *ex = r->ex;
    Flat *flat = ex->flat;
    if (flat->arrays.n) flat->keep_failed = true;    // its paths know single variables only
    const Text path = r->scope->path;
    const char *stream = arena_printf(flat->arena, "%.*snoise(%u)", (int)path.n, path.p,
                                      ++r->scope->n_noises);
    const uint32_t variable = declare_noise(ex, stream, place);
    vec_push(flat->arena, &flat->noises, (FlatNoise){ variable, stream, place });
    return expr_binary(&flat->pool, EXPR_MUL, sigma, lower_read(ex, variable));
}

Expr draw_unit(const Reading *r)
{
    const Build b = { r, &r->ex->flat->pool, NULL, 0 };
    return unit(&b);
}

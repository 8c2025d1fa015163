// src/flat/library.c: the functions of the language.
//
// Those that are one operation are found by their text in expr_ops, those that are made of operations stand
// in front/front.c. Here are the others, which equations alone have. Later stages know operations only.
#include "flat/scope.h"
#include <math.h>
#include <string.h>

typedef Expr Build(const Reading *r, const AstExpr *call, const Expr *args);

// What functions of front.h are made with.
typedef struct FrontCall {
    const Reading *r;
    Place          place;
} FrontCall;

static Expr binary(const Reading *r, ExprOp op, Expr a, Expr b)
{
    return expr_binary(&r->ex->flat->pool, op, a, b);
}
static Expr now(const Reading *r) { return expr_time(&r->ex->flat->pool); }

static Expr build_noevent(const Reading *r, const AstExpr *call, const Expr *args)
{
    (void)r;
    (void)call;
    return args[0];    // read with plain relations
}

// ---------------------------------------------------------------------------------------------- events

static Expr build_pre(const Reading *r, const AstExpr *call, const Expr *args)
{
    Expander *ex = r->ex;
    const ExprNode *node = expr_node(&ex->flat->pool, args[0]);
    if (!r->in_event) {
        EXPAND_FAIL(ex, DIAG_ONLY_IN_EVENTS, call->place, "pre");
        diag_hint(ex->diag, "in an equation write the variable itself, or delay(x, lag)");
        return lower_poison(r);
    }
    if (node->op == EXPR_ELEM) {    // it must be a variable
        array_spoil(ex, expr_access(&ex->flat->pool, args[0])->array);
        return lower_poison(r);
    }
    if (node->op != EXPR_VAR) {
        EXPAND_FAIL(ex, DIAG_TYPE_MISMATCH, call->place, "the name of a variable", "an expression");
        return lower_poison(r);
    }
    return lower_read(ex, declare_pre(ex, node->index, call->place));
}

// In a `reinit` block: is this the variable that the message names?
static Expr build_named(const Reading *r, const AstExpr *call, const Expr *args)
{
    Expander *ex = r->ex;
    ExprPool *pool = &ex->flat->pool;
    if (!r->in_reinit) {
        EXPAND_FAIL(ex, DIAG_ONLY_IN_REINIT, call->place, "named");
        diag_hint(ex->diag, "write reinit then if perturbed and named(x) then … end end");
        return lower_poison(r);
    }
    const ExprNode *node = expr_node(pool, args[0]);
    if (node->op != EXPR_VAR) {
        EXPAND_FAIL(ex, DIAG_TYPE_MISMATCH, call->place, "the name of a variable", "an expression");
        return lower_poison(r);
    }
    const Expr number = expr_const(pool, node->index);
    return expr_binary(pool, EXPR_EQ, lower_read(ex, declare_reinit(ex, FLAT_REINIT_VARIABLE, call->place)),
                       number);
}

static Expr build_sample(const Reading *r, const AstExpr *call, const Expr *args)
{
    if (r->ex->nest) {    // each turn has a sample of its own
        r->ex->nest->failed = true;
        return lower_poison(r);
    }
    if (!r->makes_modes || r->in_event || !r->scope) {
        EXPAND_FAIL(r->ex, DIAG_ONLY_IN_EQUATIONS, call->place, "sample");
        return lower_poison(r);
    }
    return event_sample(r, call->call.args[0], args[1], call->call.n_args > 2 ? args[2] : EXPR_NONE,
                        call->place);
}

static Expr build_hold(const Reading *r, const AstExpr *call, const Expr *args)
{
    if (settle_reads(r->ex, args[0]) & (READS_TIME | READS_VARIABLES)) {
        EXPAND_FAIL(r->ex, DIAG_NOT_DISCRETE, call->place,
                    settle_offender(r->ex, args[0], READS_INPUTS | READS_DISCRETE));
        diag_hint(r->ex->diag, "sample it first: hold(sample(x, period))");
    }
    return args[0];
}

// ---------------------------------------------------------------------------------------------- tables,
// histories

// The number of a table with these points; instances of one model share theirs.
static uint32_t find_table(Expander *ex, const double *x, const double *y, uint32_t n)
{
    ExprPool *pool = &ex->flat->pool;
    const uint64_t hash = hash_join(hash_bytes(x, n * sizeof *x), hash_bytes(y, n * sizeof *y));
    uint32_t *known = map_at(&ex->table_of, hash);    // number + 1
    if (*known) {
        const ExprTable *table = &pool->tables.items[*known - 1];
        if (table->n == n && memcmp(table->x, x, n * sizeof *x) == 0 &&
            memcmp(table->y, y, n * sizeof *y) == 0)
            return *known - 1;
    }
    const uint32_t made = expr_table(pool, x, y, n);
    *known = made + 1;
    return made;
}

static Expr build_table(const Reading *r, const AstExpr *call, const Expr *args)
{
    Expander *ex = r->ex;
    const ExprPool *pool = &ex->flat->pool;
    const uint32_t n = (call->call.n_args - 1) / 2;
    double *x = ARENA_ARRAY(&ex->scratch, double, n), *y = ARENA_ARRAY(&ex->scratch, double, n);
    const char *problem = call->call.n_args % 2 == 0 ? "each x needs a y" : NULL;
    for (uint32_t i = 0; i < n && !problem; i++) {
        if (!expr_is_const(pool, args[1 + 2 * i], &x[i]) || !expr_is_const(pool, args[2 + 2 * i], &y[i]))
            problem = "its points must be numbers or constants";
        else if (!isfinite(x[i]) || !isfinite(y[i])) problem = "its points must be finite";
        else if (i > 0 && !(x[i] > x[i - 1])) problem = "the values of x must ascend";
    }
    if (problem) {
        EXPAND_FAIL(ex, DIAG_TABLE_BAD, call->place, "table", problem);
        diag_hint(ex->diag, "write table(x, x1, y1, x2, y2, …) with x1 < x2 < …");
        return lower_poison(r);
    }
    return expr_make(&ex->flat->pool, EXPR_LOOKUP, args[0], find_table(ex, x, y, n), EXPR_NONE);
}

// The number of a history; equal ones are shared.
static uint32_t find_history(Expander *ex, FlatDelay delay)
{
    Flat *flat = ex->flat;
    const uint64_t key = hash_join(hash_join((uint64_t)delay.source << 32 | delay.lag, delay.before),
                                   delay.moving_plus_1);
    uint32_t *known = map_at(&ex->delay_of, key);    // number + 1
    const FlatDelay *d = *known ? &flat->delays.items[*known - 1] : NULL;
    if (d && d->source == delay.source && d->lag == delay.lag && d->before == delay.before &&
        d->moving_plus_1 == delay.moving_plus_1)
        return *known - 1;
    vec_push(flat->arena, &flat->delays, delay);
    *known = (uint32_t)flat->delays.n;
    return *known - 1;
}

// A lag that changes is remembered too: so the engine knows it, and how it moves.
static Expr build_delay(const Reading *r, const AstExpr *call, const Expr *args)
{
    Expander *ex = r->ex;
    Flat *flat = ex->flat;
    const bool is_within = strcmp(call->call.function, AST_DELAY_WITHIN) == 0;
    if (ex->nest) {    // each turn has a history of its own
        ex->nest->failed = true;
        return lower_poison(r);
    }
    if (!r->makes_modes) {
        EXPAND_FAIL(ex, DIAG_ONLY_IN_EQUATIONS, call->place, "delay");
        return lower_poison(r);
    }
    const Expr largest = is_within ? args[call->call.n_args - 1] : args[1];
    FlatDelay delay = { args[0], largest, EXPR_NONE, call->place, 0 };
    if (call->call.n_args == (is_within ? 4 : 3)) delay.before = args[2];
    const FlatDelay of_lag = { args[1], largest, EXPR_NONE, call->place, 0 };
    if (is_within) delay.moving_plus_1 = find_history(ex, of_lag) + 1;
    const Expr past = binary(r, EXPR_SUB, now(r), args[1]);
    return expr_make(&flat->pool, EXPR_DELAY, past, find_history(ex, delay), EXPR_NONE);
}

static Expr build_integ(const Reading *r, const AstExpr *call, const Expr *args)
{
    Expander *ex = r->ex;
    if (ex->nest) {    // and a state
        ex->nest->failed = true;
        return lower_poison(r);
    }
    if (!r->makes_modes || !r->scope) {
        EXPAND_FAIL(ex, DIAG_ONLY_IN_EQUATIONS, call->place, "INTEG");
        return lower_poison(r);
    }
    return lower_read(ex, declare_integral(ex, r->scope, args[0], args[1], call->place));
}

static Expr build_noise(const Reading *r, const AstExpr *call, const Expr *args)
{
    if (r->ex->nest) {    // and a path
        r->ex->nest->failed = true;
        return lower_poison(r);
    }
    if (!r->makes_modes || r->in_event || !r->scope) {
        EXPAND_FAIL(r->ex, DIAG_ONLY_IN_EQUATIONS, call->place, "noise");
        diag_hint(r->ex->diag, "in events and parameters draw from a distribution: normal(0, 1)");
        return lower_poison(r);
    }
    return draw_noise(r, args[0], call->place);
}

// ---------------------------------------------------------------------------------------------- all of them

static const struct Function {
    const char *name;
    uint32_t    at_least, at_most;    // arguments
    uint32_t    n_moving;             // arguments whose relations become modes; the rest is read plainly
    bool        takes_truth;          // arguments may be truth values and stay so
    const char *takes;                // for messages
    Build      *build;
} functions[] = {
    { "sum", 1, 1, 1, false, "an array", NULL },    // see slice.c
    { "noevent", 1, 1, 0, true, "one argument", build_noevent },
    { "smooth", 1, 1, 0, true, "one argument", build_noevent },
    { "pre", 1, 1, 1, false, "one variable", build_pre },
    { "named", 1, 1, 1, false, "one variable", build_named },
    { "sample", 2, 3, 1, false, "a value, a period and perhaps the first time", build_sample },
    { "hold", 1, 1, 1, false, "one argument", build_hold },
    { "table", 3, UINT32_MAX, 1, false, "x and at least one point", build_table },
    { "delay", 2, 3, 1, false, "a value, a lag and perhaps the value before", build_delay },
    { AST_DELAY_WITHIN, 3, 4, 2, false, "a value, a lag and perhaps the value before", build_delay },
    { "noise", 1, 1, 1, false, "its intensity", build_noise },
    { "INTEG", 2, 2, 1, false, "a rate and an initial value", build_integ },
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };    // numbers from here on: those of front.h,
                                                                // then operations

void library_index(Expander *ex)
{
    const uint32_t n_front = (uint32_t)front_n_functions;
    text_map_init(&ex->library, &ex->work);
    for (uint32_t i = 0; i < N_FUNCTIONS; i++) text_map_put(&ex->library, text_from(functions[i].name), i);
    for (uint32_t i = 0; i < n_front; i++)
        text_map_put(&ex->library, text_from(front_functions[i].name), N_FUNCTIONS + i);
    for (uint32_t op = 0; op < EXPR_N_OPS; op++)
        if (expr_ops[op].is_function)
            text_map_put(&ex->library, text_from(expr_ops[op].text), N_FUNCTIONS + n_front + op);
    text_map_put(&ex->library, TEXT("ln"), N_FUNCTIONS + n_front + EXPR_LOG);
}

void library_names(Expander *ex, const char ***names, size_t *n)
{
    *n = text_map_count(&ex->library);
    *names = ARENA_ARRAY(&ex->work, const char *, *n);
    for (uint32_t i = 0; i < *n; i++) (*names)[i] = names_text(&ex->library.names, i);
}

static FrontValue make_number(const void *context, double value)
{
    const Reading *r = ((const FrontCall *)context)->r;
    return (FrontValue){ .expr = expr_const(&r->ex->flat->pool, value) };
}

// May what a function jumps or bends at be an event? In arrays that stay arrays it may not.
static bool is_seen(const Reading *r, Expr argument, Reads by)
{
    return r->makes_modes && !r->in_comparison && !r->ex->nest && settle_reads(r->ex, argument) & by;
}

// floor, ceil, round, mod: a step must not cross a jump unseen. As of tables (table.c), two relations keep
// the place of the whole number in four, counted so that only one of them changes at a time; the value is the
// whole number of that place which is nearest, so it goes on past the jump until the event.
static Expr jump(const Reading *r, ExprOp op, Expr a, Expr b, Place place)
{
    ExprPool *pool = &r->ex->flat->pool;
    const Expr of = op == EXPR_MOD ? expr_binary(pool, EXPR_DIV, a, b) : a;
    const Expr whole = expr_unary(pool, op == EXPR_MOD ? EXPR_FLOOR : op, of);
    const Expr four = expr_const(pool, 4), bound = expr_const(pool, 1.5);
    const Expr next = expr_binary(pool, EXPR_ADD, whole, expr_const(pool, 1));
    const Expr low = lower_relation(r, EXPR_GT, expr_binary(pool, EXPR_MOD, next, four), bound, place);
    const Expr high = lower_relation(r, EXPR_GT, expr_binary(pool, EXPR_MOD, whole, four), bound, place);
    const Expr upper = expr_make(pool, EXPR_IF, low, expr_const(pool, 2), expr_const(pool, 3));
    const Expr lower = expr_make(pool, EXPR_IF, low, expr_const(pool, 1), expr_const(pool, 0));
    const Expr at = expr_make(pool, EXPR_IF, high, upper, lower);
    const double half = op == EXPR_ROUND ? 0 : op == EXPR_CEIL ? 0.5 : -0.5;
    const Expr middle = expr_binary(pool, EXPR_ADD, of, expr_const(pool, half));
    const Expr far = expr_binary(pool, EXPR_DIV, expr_binary(pool, EXPR_SUB, middle, at), four);
    const Expr turns = expr_binary(pool, EXPR_MUL, four, expr_unary(pool, EXPR_ROUND, far));
    const Expr near = expr_binary(pool, EXPR_ADD, at, turns);
    return op == EXPR_MOD ? expr_binary(pool, EXPR_SUB, a, expr_binary(pool, EXPR_MUL, b, near)) : near;
}

// abs, min, max of time: what only time moves passes a corner once, so that an event there costs little. On
// states they are left to the error control of the solver.
static Expr corner(const Reading *r, ExprOp op, Expr a, Expr b, Place place)
{
    ExprPool *pool = &r->ex->flat->pool;
    const Expr other = op == EXPR_ABS ? expr_unary(pool, EXPR_NEG, a) : b;
    const Expr first = lower_relation(r, op == EXPR_MIN ? EXPR_LE : EXPR_GE, a,
                                      op == EXPR_ABS ? expr_const(pool, 0) : b, place);
    return expr_make(pool, EXPR_IF, first, a, other);
}

static FrontValue make_operation(const void *context, ExprOp op, FrontValue a, FrontValue b, FrontValue c)
{
    const FrontCall *call = context;
    ExprPool *pool = &call->r->ex->flat->pool;
    if (op >= EXPR_LT && op <= EXPR_NE)
        return (FrontValue){ .expr = lower_relation(call->r, op, a.expr, b.expr, call->place) };
    if (op == EXPR_POW) array_check_exponent(call->r->ex, b.expr);
    if (op == EXPR_ABS || op == EXPR_MIN || op == EXPR_MAX) {
        const Expr both = op == EXPR_ABS ? a.expr : expr_binary(pool, EXPR_SUB, a.expr, b.expr);
        if (is_seen(call->r, both, READS_TIME) && !(settle_reads(call->r->ex, both) & READS_VARIABLES))
            return (FrontValue){ .expr = corner(call->r, op, a.expr, b.expr, call->place) };
    }
    const int arity = expr_ops[op].arity;
    return (FrontValue){ .expr = expr_make(pool, op, a.expr, arity > 1 ? b.expr : EXPR_NONE,
                                           arity > 2 ? c.expr : EXPR_NONE) };
}

static bool takes_arguments(const Reading *r, const AstExpr *call, uint32_t at_least, uint32_t at_most,
                            const char *takes)
{
    const uint32_t n = call->call.n_args;
    if (n >= at_least && n <= at_most) return true;
    lower_wrong_arguments(r, call, takes);
    return false;
}

// A function that is made of operations, or is one.
static Expr call_front(const Reading *r, const AstExpr *call, const FrontFunction *f, ExprOp op)
{
    const uint32_t n = call->call.n_args, arity = f ? 0 : (uint32_t)expr_ops[op].arity;
    const char *takes = f ? f->takes : arity == 1 ? "one argument" : "two arguments";
    if (!takes_arguments(r, call, f ? f->at_least : arity, f ? f->at_most : arity, takes))
        return lower_poison(r);
    const ArenaMark mark = arena_mark(&r->ex->scratch);
    FrontValue *args = ARENA_ARRAY(&r->ex->scratch, FrontValue, n + 2), *first = args;
    if (f && f->reads_time) (first++)->expr = now(r);
    for (uint32_t i = 0; i < n; i++) first[i].expr = lower_real(r, call->call.args[i]);
    const FrontCall context = { r, call->place };
    const FrontMaker maker = { make_number, make_operation, &context, r->makes_modes };
    const bool jumps = !f && (op == EXPR_FLOOR || op == EXPR_CEIL || op == EXPR_ROUND || op == EXPR_MOD);
    Expr moved = jumps ? args[0].expr : EXPR_NONE;
    if (jumps && op == EXPR_MOD) moved = expr_binary(&r->ex->flat->pool, EXPR_DIV, moved, args[1].expr);
    if (jumps && is_seen(r, moved, READS_TIME | READS_VARIABLES)) {
        arena_release(&r->ex->scratch, mark);
        return jump(r, op, args[0].expr, args[1].expr, call->place);
    }
    const FrontValue value = f ? f->build(&maker, args, n)
                               : make_operation(&context, op, args[0], args[1], args[0]);
    arena_release(&r->ex->scratch, mark);
    return value.expr;
}

Expr library_call(const Reading *r, const AstExpr *call)
{
    Expander *ex = r->ex;
    const uint32_t *found = text_map_find(&ex->library, text_from(call->call.function));
    if (!found) return EXPR_NONE;
    const Expr reduced = slice_reduce(r, call);
    if (reduced != EXPR_NONE) return reduced;
    const size_t number = *found;
    if (number >= N_FUNCTIONS + front_n_functions)
        return call_front(r, call, NULL, (ExprOp)(number - N_FUNCTIONS - front_n_functions));
    if (number >= N_FUNCTIONS)
        return call_front(r, call, &front_functions[number - N_FUNCTIONS], EXPR_N_OPS);
    const struct Function *f = &functions[number];
    if (!takes_arguments(r, call, f->at_least, f->at_most, f->takes)) return lower_poison(r);
    const uint32_t n = call->call.n_args;
    const ArenaMark mark = arena_mark(&ex->scratch);
    Expr *args = ARENA_ARRAY(&ex->scratch, Expr, n);
    Reading plain = *r;
    plain.makes_modes = false;
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 && f->build == build_sample) continue;    // read there: it may draw
        const Reading *reading = i < f->n_moving ? r : &plain;
        args[i] = f->takes_truth ? lower_any(reading, call->call.args[i])
                                 : lower_real(reading, call->call.args[i]);
    }
    const Expr value = f->build(r, call, args);
    arena_release(&ex->scratch, mark);
    return value;
}

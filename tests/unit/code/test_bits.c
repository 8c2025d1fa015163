// tests/unit/code/test_bits.c: both compilers and expr_evaluate give the same bits for every operation.
#include "expr/math.h"
#include "make_code.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static const double special[] = { 0.0,
                                  -0.0,
                                  1.0,
                                  -1.0,
                                  0.5,
                                  -0.5,
                                  1.5,
                                  2.5,
                                  -2.5,
                                  1e300,
                                  -1e300,
                                  1e-300,
                                  5e-324,
                                  -5e-324,
                                  1e15,
                                  4503599627370497.5,
                                  0.1,
                                  NAN,
                                  INFINITY,
                                  -INFINITY,
                                  3.0,
                                  2.0,
                                  0.49999999999999994,
                                  1.7976931348623157e308,
                                  10.0,
                                  100.0 };
enum { N_SPECIAL = sizeof special / sizeof *special };

// Any bits, special values, or ordinary sizes, in turn.
static double random_value(uint64_t *state)
{
    const uint64_t r = next_random(state);
    switch (r % 4) {
    case 0: return special[(r >> 8) % N_SPECIAL];
    case 1: return from_bits(next_random(state));
    default: return ((double)(next_random(state) >> 11) * 0x1p-53 - 0.5) * ((r >> 8) % 2 ? 8 : 200);
    }
}

// NaNs are one value to us: which one an operation gives is the processor's business.
static bool same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)); }

enum { N_INPUTS = 6 };

typedef struct Bench {
    Built  b;
    Expr   inputs[N_INPUTS];
    size_t n_outputs;
    Code   native;
} Bench;

static void bench_init(Bench *bench)
{
    memset(bench, 0, sizeof *bench);
    built_init(&bench->b);
    for (int i = 0; i < N_INPUTS; i++)
        bench->inputs[i] = make_input(&bench->b.make, arena_printf(&bench->b.make.arena, "u%d", i),
                                      make_number(&bench->b.make, 0));
    const double x[] = { -2, -1, -1, 0.5, 3, 3.25 }, y[] = { 1, 2, -4, 0.1, 7, 7 };
    expr_table(&bench->b.make.flat.pool, x, y, 6);
    const double px[] = { -2, -1, 0.5, 3 }, py[] = { -1, 0, 2 },
                 pz[] = { 1, 2, -4, 0.1, 7, 7, 0, -0.5, 3, 1, 1, 9 };
    expr_pieces(&bench->b.make.flat.pool, NULL, PIECES_CUBIC, PIECES_OUTSIDE_ERROR, px, 4, NULL, 0, pz);
    expr_pieces(&bench->b.make.flat.pool, NULL, PIECES_CUBIC, PIECES_OUTSIDE_EXTRAPOLATE, px, 4, py, 3, pz);
    const FlatDelay delay = { 0 };
    (void)delay;
}

// Another value to be computed: y<k> = e.
static void bench_add(Bench *bench, Expr e)
{
    Make *m = &bench->b.make;
    const Expr y = make_var(m, arena_printf(&m->arena, "y%zu", bench->n_outputs++));
    make_equation(m, y, e);
}

static double read_input(const void *context, uint32_t variable)
{
    const Bench *bench = context;
    return bench->b.v[bench->b.ir.layout.place[variable]];
}
static double read_draw(const void *context, uint32_t k, double count, double argument)
{
    (void)context;
    return built_draw(NULL, (int)k, count, argument);
}
static double read_history(const void *context, uint32_t k, double at)
{
    (void)context;
    return built_no_history(NULL, (int)k, at);
}

static void bench_build(Bench *bench)
{
    built_finish(&bench->b, CODE_INSTANT);
    if (!code_build(&bench->native, &bench->b.ir, CODE_NATIVE, bench->b.make.diag)) {
        orr_diag_print(bench->b.make.diag, stderr, 0);
        fail();
    }
}

// Compare all outputs at `n` random points. An output that is a truth value arrives as 1 or 0.
static void bench_compare(Bench *bench, int n, uint64_t *random)
{
    Built *b = &bench->b;
    const ExprPool *pool = &b->make.flat.pool;
    double *instant = calloc(b->ir.layout.n_values, sizeof *instant);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < N_INPUTS; i++) *built_value(b, bench->inputs[i]) = random_value(random);
        const double t = random_value(random);
        assert_int_equal(built_run(b, IR_VALUES, t, NULL), 0);
        memcpy(instant, b->v, b->ir.layout.n_values * sizeof *instant);
        assert_int_equal(bench->native.programs[IR_VALUES](t, b->x, &b->env, NULL), 0);
        const ExprValues values = {
            .variable = read_input, .history = read_history, .draw = read_draw, .context = bench, .t = t
        };
        for (size_t i = 0; i < b->make.flat.equations.n; i++) {
            const FlatEquation *equation = &b->make.flat.equations.items[i];
            const uint32_t place = b->ir.layout.place[built_number(b, equation->lhs)];
            const double expected = expr_evaluate(pool, equation->rhs, &values);
            if (same(instant[place], expected) && same(b->v[place], expected)) continue;
            expr_print(pool, equation->rhs, &(ExprNames){ 0 }, stderr);
            fprintf(stderr, "\n at t = %a:", t);
            for (int j = 0; j < N_INPUTS; j++) fprintf(stderr, " %a", *built_value(b, bench->inputs[j]));
            fprintf(stderr, "\n evaluated %a, instant %a, native %a\n", expected, instant[place],
                    b->v[place]);
            fail();
        }
    }
    free(instant);
}

static void bench_free(Bench *bench)
{
    code_free(&bench->native);
    built_free(&bench->b);
}

static Expr truth_to_number(Make *m, Expr e)
{
    return make_op(m, EXPR_IF, e, make_number(m, 1), make_number(m, 0));
}

static void test_every_operation_has_the_same_bits(void **state)
{
    (void)state;
    Bench bench;
    bench_init(&bench);
    Make *m = &bench.b.make;
    const Expr u = bench.inputs[0], v = bench.inputs[1], w = bench.inputs[2];
    for (int op = 0; op < EXPR_N_OPS; op++) {
        switch (op) {
        case EXPR_CONST: case EXPR_VAR: case EXPR_MODE: case EXPR_ELEM: case EXPR_TURN: break;
        case EXPR_AND: case EXPR_OR: case EXPR_NOT: break;
        case EXPR_TIME: bench_add(&bench, expr_time(&m->flat.pool)); break;
        case EXPR_LOOKUP:
        case EXPR_SLOPE:
        case EXPR_PIECES:
        case EXPR_DELAY: bench_add(&bench, make_op(m, (ExprOp)op, u, 0, EXPR_NONE)); break;
        case EXPR_DRAW: bench_add(&bench, expr_draw(&m->flat.pool, "s", EXPR_DRAW_GAMMA, u, v)); break;
        case EXPR_GRID: bench_add(&bench, make_op(m, EXPR_GRID, u, v, 1)); break;
        case EXPR_NEAR:
            for (int code = 0; code < 4; code++)
                bench_add(&bench, make_op(m, EXPR_NEAR, u, make_number(m, code), 0));
            bench_add(&bench, make_op(m, EXPR_NEAR, u, v, 0));
            break;
        case EXPR_IF:
            bench_add(&bench, make_op(m, EXPR_IF, make_op(m, EXPR_LT, u, v, EXPR_NONE), v, w));
            break;
        default: {
            const Expr e = make_op(m, (ExprOp)op, u, expr_ops[op].arity > 1 ? v : EXPR_NONE, EXPR_NONE);
            bench_add(&bench, expr_is_bool(&m->flat.pool, e) ? truth_to_number(m, e) : e);
        }
        }
    }
    const Expr less = make_op(m, EXPR_LT, u, v, EXPR_NONE), equal = make_op(m, EXPR_EQ, v, w, EXPR_NONE);
    bench_add(&bench, truth_to_number(m, make_op(m, EXPR_AND, less, equal, EXPR_NONE)));
    bench_add(&bench,
              truth_to_number(m, make_op(m, EXPR_OR, less, make_op(m, EXPR_NOT, equal, EXPR_NONE, EXPR_NONE),
                                         EXPR_NONE)));
    bench_add(&bench, truth_to_number(m, make_call(m, EXPR_NOT, less)));
    bench_build(&bench);
    uint64_t random = 88172645463325252u;
    bench_compare(&bench, 20000, &random);
    bench_free(&bench);
}

static void test_whole_powers_have_the_same_bits(void **state)
{
    (void)state;
    Bench bench;
    bench_init(&bench);
    Make *m = &bench.b.make;
    for (int n = -17; n <= 17; n++) {
        bench_add(&bench, make_pow(m, bench.inputs[0], n));
        bench_add(&bench, make_pow(m, make_sub(m, bench.inputs[1], bench.inputs[2]), n));
        bench_add(&bench, make_div(m, bench.inputs[3], make_pow(m, make_neg(m, bench.inputs[0]), n)));
    }
    bench_build(&bench);
    uint64_t random = 362436069;
    bench_compare(&bench, 3000, &random);
    bench_free(&bench);
}

static void test_constants_arrive_exactly(void **state)
{
    (void)state;
    Bench bench;
    bench_init(&bench);
    Make *m = &bench.b.make;
    uint64_t random = 521288629;
    for (int i = 0; i < 500; i++) {
        const double x = i < N_SPECIAL ? special[i] : from_bits(next_random(&random));
        bench_add(&bench, make_number(m, x));
        bench_add(&bench, make_add(m, bench.inputs[0], make_number(m, x)));
        bench_add(&bench, make_mul(m, make_number(m, x), bench.inputs[0]));
    }
    // what has no finite value is left to the run
    bench_add(&bench, make_div(m, make_number(m, 1), make_number(m, 0)));
    bench_add(&bench, make_div(m, make_number(m, -1), make_number(m, 0)));
    bench_add(&bench, make_div(m, make_number(m, 0), make_number(m, 0)));
    bench_add(&bench,
              make_mul(m, make_mul(m, make_number(m, 1e200), make_number(m, 1e200)), make_number(m, 1e-300)));
    bench_add(&bench, make_call(m, EXPR_SQRT, make_number(m, -1)));
    bench_build(&bench);
    bench_compare(&bench, 50, &random);
    bench_free(&bench);
}

// Two numbers whose product is rounded differently if it is first rounded to long double, as libtcc
// computes constants.
static void find_pair(uint64_t *random, double *a, double *b)
{
    volatile double product;
    volatile long double wide;
    do {
        *a = 1 + (double)(next_random(random) >> 11) * 0x1p-53;
        *b = 1 + (double)(next_random(random) >> 11) * 0x1p-53;
        product = *a * *b;
        wide = (long double)*a * *b;
    } while ((double)wide == product);
}

// A constant behind a name must not be folded by a compiler: c = 0.1, x' = c*0.3.
static void test_named_constants_are_not_folded_by_the_compiler(void **state)
{
    (void)state;
    enum { N = 20 };
    Bench bench;
    bench_init(&bench);
    Make *m = &bench.b.make;
    uint64_t random = 7654321;
    volatile double a[N], b[N];
    for (int i = 0; i < N; i++) {
        double first, second;
        find_pair(&random, &first, &second);
        a[i] = first;
        b[i] = second;
        const Expr c = make_var(m, arena_printf(&m->arena, "c%d", i)),
                   x = make_var(m, arena_printf(&m->arena, "x%d", i));
        make_at(m, x)->start = make_number(m, 0);
        make_equation(m, c, make_number(m, first));
        make_equation(m, make_der(m, x), make_mul(m, c, make_number(m, second)));
    }
    bench_build(&bench);
    double instant[N], native[N];
    assert_int_equal(built_run(&bench.b, IR_RATES, 0, instant), 0);
    assert_int_equal(bench.native.programs[IR_RATES](0, bench.b.x, &bench.b.env, native), 0);
    assert_int_equal(built_run(&bench.b, IR_VALUES, 0, NULL), 0);
    for (int i = 0; i < N; i++) {
        assert_same_bits(instant[i], a[i] * b[i]);
        assert_same_bits(native[i], a[i] * b[i]);
        const uint32_t rate = bench.b.blocks.rates[i];
        assert_same_bits(bench.b.v[bench.b.ir.layout.place[rate]], a[i] * b[i]);
    }
    bench_free(&bench);
}

// Calls that do not need each other are computed as vectors: of every function more than a vector, arguments
// of all kinds side by side, and calls inside of calls.
static void test_functions_computed_together_have_the_same_bits(void **state)
{
    (void)state;
    enum { CALLS = 11 };
    ExprOp functions[EXPR_N_OPS];
    int n = 0;
    for (int op = 0; op < EXPR_N_OPS; op++)
        if (expr_ops[op].is_function && expr_math_find(expr_ops[op].c)->each) functions[n++] = (ExprOp)op;
    assert_true(n >= 21);
    Bench bench;
    bench_init(&bench);
    Make *m = &bench.b.make;
    for (int f = 0; f < n; f++) {
        for (int k = 0; k < CALLS; k++) {
            const Expr u = bench.inputs[k % N_INPUTS], v = bench.inputs[(k + 1) % N_INPUTS];
            const Expr a = make_mul(m, u, make_number(m, 1 + 0.125 * (k / N_INPUTS)));
            const Expr call = make_call(m, functions[f], a);
            const Expr inner = make_call(m, functions[(f + k) % n], make_add(m, call, v));
            bench_add(&bench, make_add(m, call, make_number(m, 1 + k)));
            bench_add(&bench, make_mul(m, inner, make_call(m, functions[f], make_number(m, 0.5))));
            bench_add(&bench, make_op(m, EXPR_IF, make_op(m, EXPR_LT, a, inner, EXPR_NONE), call, inner));
        }
    }
    bench_build(&bench);
    Arena work = { 0 };
    const Text text = code_text(&bench.b.ir, CODE_PART_CORE, &work);
    for (int f = 0; f < n; f++)
        assert_contains(text.p, arena_printf(&work, "%s_each(f", expr_ops[functions[f]].c));
    arena_free(&work);
    uint64_t random = 15485863;
    bench_compare(&bench, 3000, &random);
    bench_free(&bench);
}

// ---- Large models without repeated shapes: derivatives and values share their functions

static void test_large_irregular_models_have_the_same_bits(void **state)
{
    (void)state;
    enum { N = 900 };
    Bench bench;
    bench_init(&bench);
    Make *m = &bench.b.make;
    uint64_t random = 32452843;
    Expr x[N], before = EXPR_NONE;
    for (int i = 0; i < N; i++) {
        x[i] = make_var(m, arena_printf(&m->arena, "x%d", i));
        make_at(m, x[i])->start = make_number(m, 0.001 * i);
    }
    for (int i = 0; i < N; i++) {
        Expr e = x[next_random(&random) % N];
        for (int k = 0; k < 9; k++) {
            const uint64_t r = next_random(&random);
            const Expr other = r % 3 ? x[(r >> 8) % N] : bench.inputs[(r >> 8) % N_INPUTS];
            switch (next_random(&random) % 8) {
            case 0: e = make_call(m, EXPR_SIN, e); break;
            case 1: case 2: e = make_add(m, other, e); break;
            case 3: case 4: e = make_sub(m, e, other); break;
            case 5: e = make_mul(m, other, e); break;
            default: e = make_mul(m, e, other); break;
            }
        }
        // derivatives that others read, and values that no derivative needs
        if (before != EXPR_NONE && i % 7 == 0) e = make_sub(m, e, before);
        before = make_der(m, x[i]);
        make_equation(m, before, e);
        if (i % 5 == 0) bench_add(&bench, make_mul(m, before, make_add(m, x[i], make_number(m, i))));
    }
    bench_build(&bench);
    Arena work = { 0 };
    assert_contains(code_text(&bench.b.ir, CODE_PART_CORE, &work).p, "orr_common_");    // printed once
    arena_free(&work);
    Built *b = &bench.b;
    assert_int_equal(b->code.n_units, 3);    // the core came in two texts, the rest in one
    double *instant = calloc(N, sizeof *instant), *native = calloc(N, sizeof *native);
    double *v = calloc(b->ir.layout.n_values, sizeof *v);
    for (int k = 0; k < 20; k++) {
        for (int i = 0; i < N; i++) b->x[i] = ((double)(next_random(&random) >> 11) * 0x1p-53 - 0.5) * 4;
        for (int i = 0; i < N_INPUTS; i++)
            *built_value(b, bench.inputs[i]) = 0.1 * (double)(next_random(&random) % 40);
        assert_int_equal(built_run(b, IR_RATES, 0.5, instant), 0);
        assert_int_equal(bench.native.programs[IR_RATES](0.5, b->x, &b->env, native), 0);
        assert_int_equal(built_run(b, IR_VALUES, 0.5, NULL), 0);
        memcpy(v, b->v, b->ir.layout.n_values * sizeof *v);
        assert_int_equal(bench.native.programs[IR_VALUES](0.5, b->x, &b->env, NULL), 0);
        // what is computed from single numbers, in the order of the equations: derivatives first
        const ExprValues values = {
            .variable = read_input, .history = read_history, .context = &bench, .t = 0.5
        };
        for (size_t i = 0; i < b->make.flat.equations.n; i++) {
            const FlatEquation *equation = &b->make.flat.equations.items[i];
            const uint32_t place = b->ir.layout.place[built_number(b, equation->lhs)];
            const double expected = expr_evaluate(&m->flat.pool, equation->rhs, &values);
            assert_true(same(b->v[place], expected));
            assert_true(same(v[place], expected));
        }
        for (int i = 0; i < N; i++) {
            const double rate = b->v[b->ir.layout.place[b->blocks.rates[i]]];
            assert_true(same(instant[i], rate));
            assert_true(same(native[i], rate));
            assert_same_bits(b->v[b->ir.layout.place[built_number(b, x[i])]], b->x[i]);
        }
    }
    free(instant);
    free(native);
    free(v);
    bench_free(&bench);
}

// ---- Random expressions

typedef struct Grower {
    Make    *m;
    Expr    *known;     // to be shared
    size_t   n_known;
    uint64_t random;
} Grower;

static Expr grow_truth(Grower *g);

static Expr pick(Grower *g) { return g->known[next_random(&g->random) % g->n_known]; }

static Expr grow(Grower *g)
{
    static const ExprOp ops[] = { EXPR_NEG,   EXPR_ADD,  EXPR_SUB,   EXPR_MUL, EXPR_DIV,   EXPR_POW,
                                  EXPR_ABS,   EXPR_SIGN, EXPR_MIN,   EXPR_MAX, EXPR_FLOOR, EXPR_CEIL,
                                  EXPR_ROUND, EXPR_MOD,  EXPR_SQRT,  EXPR_EXP, EXPR_LOG,   EXPR_SIN,
                                  EXPR_COS,   EXPR_TANH, EXPR_ATAN2, EXPR_IF,  EXPR_ADD,   EXPR_SUB,
                                  EXPR_MUL,   EXPR_MUL };
    const ExprOp op = ops[next_random(&g->random) % (sizeof ops / sizeof *ops)];
    if (op == EXPR_IF) return make_op(g->m, op, grow_truth(g), pick(g), pick(g));
    if (op == EXPR_POW && next_random(&g->random) % 2)
        return make_pow(g->m, pick(g), (double)(next_random(&g->random) % 9) - 3);
    return make_op(g->m, op, pick(g), expr_ops[op].arity > 1 ? pick(g) : EXPR_NONE, EXPR_NONE);
}

static Expr grow_truth(Grower *g)
{
    static const ExprOp relations[] = { EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE, EXPR_EQ, EXPR_NE };
    const Expr a = make_op(g->m, relations[next_random(&g->random) % 6], pick(g), pick(g), EXPR_NONE);
    switch (next_random(&g->random) % 6) {
    case 0: return make_op(g->m, EXPR_AND, a, grow_truth(g), EXPR_NONE);
    case 1: return make_op(g->m, EXPR_OR, a, grow_truth(g), EXPR_NONE);
    case 2: return make_call(g->m, EXPR_NOT, a);
    default: return a;
    }
}

static void grow_bench(Bench *bench, uint64_t seed, size_t n_steps, size_t n_outputs)
{
    Make *m = &bench->b.make;
    Grower g = { .m = m, .random = seed };
    g.known = calloc(n_steps + 16, sizeof *g.known);
    for (int i = 0; i < N_INPUTS; i++) g.known[g.n_known++] = bench->inputs[i];
    g.known[g.n_known++] = make_number(m, 0.1);
    g.known[g.n_known++] = make_number(m, -3);
    g.known[g.n_known++] = expr_time(&m->flat.pool);
    for (size_t i = 0; i < n_steps; i++) g.known[g.n_known++] = grow(&g);
    for (size_t i = 0; i < n_outputs; i++) bench_add(bench, g.known[g.n_known - 1 - i]);
    free(g.known);
}

static void test_random_expressions_have_the_same_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        Bench bench;
        bench_init(&bench);
        grow_bench(&bench, seed * 0x9E3779B97F4A7C15u, seed % 3 ? 60 : 900, seed % 3 ? 12 : 300);
        bench_build(&bench);
        uint64_t random = seed;
        bench_compare(&bench, seed % 3 ? 300 : 40, &random);
        bench_free(&bench);
    }
}

// A sum of 20,000 terms to the left, one to the right: neither our recursion nor a compiler's may follow.
static void test_long_expressions_compile(void **state)
{
    (void)state;
    Bench bench;
    bench_init(&bench);
    Make *m = &bench.b.make;
    Expr left = bench.inputs[0], right = bench.inputs[1];
    for (int i = 0; i < 20000; i++) {
        left = make_sub(m, left, make_mul(m, bench.inputs[i % N_INPUTS], make_number(m, i + 0.5)));
        right = make_sub(m, make_number(m, i * 0.25), make_mul(m, right, bench.inputs[2]));
    }
    bench_add(&bench, left);
    bench_add(&bench, right);
    bench_build(&bench);
    uint64_t random = 17;
    bench_compare(&bench, 3, &random);
    bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operation_has_the_same_bits),
        cmocka_unit_test(test_whole_powers_have_the_same_bits),
        cmocka_unit_test(test_functions_computed_together_have_the_same_bits),
        cmocka_unit_test(test_large_irregular_models_have_the_same_bits),
        cmocka_unit_test(test_constants_arrive_exactly),
        cmocka_unit_test(test_named_constants_are_not_folded_by_the_compiler),
        cmocka_unit_test(test_random_expressions_have_the_same_bits),
        cmocka_unit_test(test_long_expressions_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

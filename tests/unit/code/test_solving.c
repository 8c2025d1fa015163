// tests/unit/code/test_solving.c: loops of equations, solved by the generated code.
#include "make_code.h"

static double number(uint64_t *state)    // from -1 to 1
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static uint32_t count_kind(const Ordered *system, BlockKind kind)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < system->n_blocks; i++) n += system->blocks[i].kind == kind;
    return n;
}

// ---- Linear

typedef struct Linear {
    Built   b;
    int     n;
    Expr   *unknowns;
    double *matrix, *vector;    // vector times time
    double  row_scale, column_scale;    // of row 1 and column 2, as parameters
    double  drift;                      // by which the last entry grows with time
} Linear;

// matrix · y = vector·(1 + t). The sorting must not see what the numbers are, or it would judge them.
static void linear_make(Linear *l, int n, uint64_t seed)
{
    *l = (Linear){ .n = n, .row_scale = 1, .column_scale = 1 };
    built_init(&l->b);
    l->unknowns = calloc((size_t)n, sizeof *l->unknowns);
    l->matrix = calloc((size_t)(n * n), sizeof *l->matrix);
    l->vector = calloc((size_t)n, sizeof *l->vector);
    for (int i = 0; i < n * n; i++) l->matrix[i] = number(&seed) * (i / n % 3 ? 1 : 1e6);
    for (int i = 0; i < n; i++) l->vector[i] = number(&seed);
}

static void linear_build(Linear *l, CodeTier tier)
{
    Make *m = &l->b.make;
    const Expr t = expr_time(&m->flat.pool), time = make_add(m, t, make_number(m, 1));
    const Expr row = make_param(m, "row", make_number(m, l->row_scale));
    const Expr column = make_param(m, "column", make_number(m, l->column_scale));
    for (int i = 0; i < l->n; i++) l->unknowns[i] = make_var(m, arena_printf(&m->arena, "y%d", i));
    for (int i = 0; i < l->n; i++) {
        Expr sum = make_number(m, 0);
        for (int j = 0; j < l->n; j++) {
            Expr entry = make_number(m, l->matrix[i * l->n + j]);
            if (i == l->n - 1 && j == l->n - 1)
                entry = make_add(m, entry, make_mul(m, make_number(m, l->drift), t));
            if (i == 1) entry = make_mul(m, entry, row);
            if (j == 2) entry = make_mul(m, entry, column);
            sum = make_add(m, sum, make_mul(m, entry, l->unknowns[j]));
        }
        make_equation(m, sum, make_mul(m, make_number(m, l->vector[i]), time));
    }
    built_finish(&l->b, tier);
    assert_int_equal(count_kind(&l->b.blocks.dynamic, BLOCK_LINEAR), 1);
    l->b.code.programs[IR_PARAMS](0, l->b.given, &l->b.env, NULL);
}

static void linear_check(Linear *l, double t)
{
    assert_int_equal(built_run(&l->b, IR_VALUES, t, NULL), 0);
    for (int i = 0; i < l->n; i++) {
        double sum = 0, size = 0;
        for (int j = 0; j < l->n; j++) {
            double entry = l->matrix[i * l->n + j] * (i == 1 ? l->row_scale : 1) *
                           (j == 2 ? l->column_scale : 1);
            if (i == l->n - 1 && j == l->n - 1) entry += l->drift * t;
            const double term = entry * *built_value(&l->b, l->unknowns[j]);
            sum += term;
            size += fabs(term);
        }
        assert_near(sum, l->vector[i] * (t + 1), 1e-11 * size);
    }
}

static void linear_free(Linear *l)
{
    free(l->unknowns);
    free(l->matrix);
    free(l->vector);
    built_free(&l->b);
}

static void test_linear_loops_of_many_sizes(void **state)
{
    (void)state;
    static const int sizes[] = { 5, 8, 20, 40, 70 };    // the last ones do not fit on the stack
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Linear l;
        linear_make(&l, sizes[i], 77 + i);
        linear_build(&l, CODE_INSTANT);
        linear_check(&l, 0);
        linear_check(&l, 2.5);
        linear_free(&l);
    }
}

static void test_both_compilers_solve_linear_loops_alike(void **state)
{
    (void)state;
    Linear l;
    linear_make(&l, 12, 5);
    linear_build(&l, CODE_INSTANT);
    linear_check(&l, 1);
    double instant[12];
    for (int i = 0; i < 12; i++) instant[i] = *built_value(&l.b, l.unknowns[i]);
    built_compile(&l.b, CODE_NATIVE);
    linear_check(&l, 1);
    for (int i = 0; i < 12; i++) assert_same_bits(*built_value(&l.b, l.unknowns[i]), instant[i]);
    linear_free(&l);
}

// A pivot of zero in the first row, and rows and columns of very different size: rows are exchanged,
// nothing is refused.
static void test_bad_scaling_is_not_singular(void **state)
{
    (void)state;
    Linear l;
    linear_make(&l, 6, 9);
    l.matrix[0] = 0;
    l.row_scale = 1e-20;
    l.column_scale = 1e-25;
    l.vector[1] *= 1e-20;
    linear_build(&l, CODE_INSTANT);
    linear_check(&l, 0);
    linear_free(&l);
}

static void test_a_loop_that_becomes_singular_is_named(void **state)
{
    (void)state;
    Linear l;
    linear_make(&l, 6, 13);
    // at t = 0 the last row is a sum of others, up to rounding
    for (int j = 0; j < 6; j++) l.matrix[5 * 6 + j] = 0.1 * l.matrix[3 * 6 + j] + 0.3 * l.matrix[4 * 6 + j];
    l.drift = 1;
    linear_build(&l, CODE_INSTANT);
    linear_check(&l, 1);
    const int failed = built_run(&l.b, IR_VALUES, 0, NULL);
    assert_true(failed > 0);
    const Ordered *system;
    const Block *block = ir_failed_block(&l.b.ir, IR_VALUES, failed, &system);
    assert_ptr_equal(system, &l.b.blocks.dynamic);
    assert_non_null(block);
    assert_int_equal(block->kind, BLOCK_LINEAR);
    linear_free(&l);
}

// ---- Not linear

// y^2 + a*y = t with a guess; the two roots are known.
static double root_from(double guess, double a, double t)
{
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr p = make_param(m, "a", make_number(m, a)), y = make_var(m, "y");
    make_at(m, y)->start = make_number(m, guess);
    make_at(m, y)->start_is_guess = true;
    make_equation(m, make_add(m, make_pow(m, y, 2), make_mul(m, p, y)), expr_time(&m->flat.pool));
    built_finish(&b, CODE_INSTANT);
    assert_int_equal(count_kind(&b.blocks.dynamic, BLOCK_NEWTON), 1);
    assert_int_equal(built_start(&b, t), 0);
    const double found = *built_value(&b, y);
    built_free(&b);
    return found;
}

static void test_the_guess_chooses_the_root(void **state)
{
    (void)state;
    assert_near(root_from(5, 1, 6), 2, 1e-14);
    assert_near(root_from(-5, 1, 6), -3, 1e-14);
    assert_near(root_from(1e6, 1, 6), 2, 1e-14);
    // the derivative vanishes at the guess: looked for beside it
    assert_near(fabs(root_from(0, 0, 4)), 2, 1e-14);
}

// x = cos(a x + y), y = sin(x y) + t, iterated as one loop while time passes: the guess follows.
static void test_a_solution_is_followed(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr x = make_var(m, "x"), y = make_var(m, "y"), t = expr_time(&m->flat.pool);
    make_equation(m, x, make_call(m, EXPR_COS, make_add(m, x, y)));
    make_equation(m, y, make_add(m, make_call(m, EXPR_SIN, make_mul(m, x, y)), t));
    built_finish(&b, CODE_INSTANT);
    assert_int_equal(built_start(&b, 0.1), 0);
    double before = *built_value(&b, x);
    for (int i = 1; i <= 200; i++) {
        const double now = 0.1 + 0.001 * i;
        assert_int_equal(built_run(&b, IR_RATES, now, NULL), 0);
        assert_int_equal(built_run(&b, IR_VALUES, now, NULL), 0);
        const double vx = *built_value(&b, x), vy = *built_value(&b, y);
        assert_near(vx, cos(vx + vy), 1e-13);
        assert_near(vy, sin(vx * vy) + now, 1e-13);
        assert_near(vx, before, 0.05);
        before = vx;
    }
    built_free(&b);
}

// What is recorded must not change what follows: only the derivatives write guesses.
static void test_recording_leaves_the_guesses_alone(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr s = make_var(m, "s"), y = make_var(m, "y");
    make_at(m, s)->start = make_number(m, 1);
    make_at(m, y)->start = make_number(m, 0.5);
    make_at(m, y)->start_is_guess = true;
    make_equation(m, make_add(m, make_call(m, EXPR_EXP, y), y), make_add(m, s, expr_time(&m->flat.pool)));
    make_equation(m, make_der(m, s), make_neg(m, y));
    built_finish(&b, CODE_INSTANT);
    assert_int_equal(built_start(&b, 0), 0);
    const uint32_t guess = b.ir.layout.guess[built_number(&b, y)];
    assert_true(guess != FLAT_NONE);
    const double at_start = b.v[guess];
    assert_near(exp(at_start) + at_start, 1, 1e-13);
    assert_int_equal(built_run(&b, IR_VALUES, 3, NULL), 0);
    assert_near(exp(*built_value(&b, y)) + *built_value(&b, y), 4, 1e-13);
    assert_same_bits(b.v[guess], at_start);
    double rate;
    assert_int_equal(built_run(&b, IR_RATES, 3, &rate), 0);
    assert_same_bits(b.v[guess], -rate);
    built_free(&b);
}

static void test_no_solution_is_reported(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr y = make_var(m, "y"), s = make_var(m, "s");
    make_at(m, s)->start = make_number(m, 3);
    make_equation(m, make_add(m, make_pow(m, y, 2), y), s);
    make_equation(m, make_der(m, s), make_number(m, -1));
    make_equation(m, make_var(m, "copy"), make_mul(m, y, make_number(m, 2)));
    built_finish(&b, CODE_INSTANT);
    assert_int_equal(built_start(&b, 0), 0);
    // s falls below -1/4 at t = 3.25
    for (int method = 0; method < CODE_N_LOOPS; method++) {
        int why = 0;
        b.x[0] = 3;
        // the derivative itself does not need y; make the loop look at it
        assert_int_equal(b.code.loops[method](0, 0.5, 0, 20, b.x, &b.env, b.scratch, &why), 20);
        assert_int_equal(why, 0);
    }
    b.x[0] = -1;
    const int failed = built_run(&b, IR_VALUES, 0, NULL);
    const Ordered *system;
    const Block *block = ir_failed_block(&b.ir, IR_VALUES, failed, &system);
    assert_non_null(block);
    assert_int_equal(block->kind, BLOCK_NEWTON);
    built_free(&b);
}

// s' = -1 - 0*y: here the rates need the loop, and each method stops at the last whole step.
static void test_a_loop_without_solution_ends_the_steps(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr y = make_var(m, "y"), s = make_var(m, "s");
    make_at(m, s)->start = make_number(m, 3);
    make_at(m, y)->start = make_number(m, 1);
    make_at(m, y)->start_is_guess = true;
    make_equation(m, make_add(m, make_pow(m, y, 2), y), s);
    make_equation(m, make_der(m, s), make_sub(m, make_number(m, -1), make_mul(m, make_number(m, 1e-30), y)));
    built_finish(&b, CODE_INSTANT);
    for (int method = 0; method < CODE_N_LOOPS; method++) {
        int why = 0;
        assert_int_equal(built_start(&b, 0), 0);
        const long done = b.code.loops[method](0, 0.5, 0, 20, b.x, &b.env, b.scratch, &why);
        assert_true(done == 6 || done == 7);    // s = 0 or -0.5: by then some stage has left the range
        assert_same_bits(b.x[0], 3 - 0.5 * (double)done);
        assert_true(why > 0);
        assert_int_equal(b.blocks.dynamic.blocks[why - 1].kind, BLOCK_NEWTON);
    }
    built_free(&b);
}

// Every unknown in every equation: more torn unknowns than the stack has room for.
static void test_large_loops(void **state)
{
    (void)state;
    enum { N = 45 };
    Built b;
    built_init(&b);
    Make *m = &b.make;
    uint64_t seed = 4711;
    Expr y[N];
    double a[N][N];
    for (int i = 0; i < N; i++) y[i] = make_var(m, arena_printf(&m->arena, "y%d", i));
    for (int i = 0; i < N; i++) {
        Expr sum = expr_time(&m->flat.pool);
        for (int j = 0; j < N; j++) {
            a[i][j] = 0.05 * number(&seed);
            sum = make_add(m, sum, make_mul(m, make_number(m, a[i][j]), make_pow(m, y[j], 3)));
        }
        make_equation(m, make_add(m, y[i], make_call(m, EXPR_SIN, sum)), make_number(m, 0.5));
    }
    for (int tier = 0; tier < 2; tier++) {
        if (tier == 0) built_finish(&b, CODE_INSTANT);
        else built_compile(&b, CODE_NATIVE);
        assert_int_equal(count_kind(&b.blocks.dynamic, BLOCK_NEWTON), 1);
        assert_int_equal(built_start(&b, 0.2), 0);
        for (int i = 0; i < N; i++) {
            double sum = 0.2;
            for (int j = 0; j < N; j++) sum += a[i][j] * pow(*built_value(&b, y[j]), 3);
            assert_near(*built_value(&b, y[i]) + sin(sum), 0.5, 1e-12);
        }
    }
    built_free(&b);
}

// A residual full of rounding: close to the solution no step makes it smaller any more, and that must be
// the end.
static double noisy_root(double offset, double solution)
{
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr y = make_var(m, "y");
    make_at(m, y)->start = make_number(m, solution + 0.7);
    make_at(m, y)->start_is_guess = true;
    // 0.7 u^3 - 0.3 u^3 + sin(y) = the number next to its value at the solution, with u = offset + y
    const Expr u = make_add(m, make_number(m, offset), y);
    const Expr cubes = make_sub(m, make_mul(m, make_number(m, 0.7), make_pow(m, u, 3)),
                                make_mul(m, make_number(m, 0.3), make_pow(m, u, 3)));
    const double sum = offset + solution,
                 value = 0.7 * (sum * sum * sum) - 0.3 * (sum * sum * sum) + sin(solution);
    make_equation(m, make_add(m, cubes, make_call(m, EXPR_SIN, y)),
                  make_number(m, nextafter(value, 2 * value)));
    built_finish(&b, CODE_INSTANT);
    assert_int_equal(count_kind(&b.blocks.dynamic, BLOCK_NEWTON), 1);
    assert_int_equal(built_start(&b, 0), 0);
    const double found = *built_value(&b, y);
    built_free(&b);
    return found;
}

static void test_rounding_does_not_keep_newton_busy(void **state)
{
    (void)state;
    assert_near(noisy_root(1, 0), 0, 1e-15);
    for (int i = 1; i <= 40; i++) assert_near(noisy_root(1e6, 0.1 * i), 0.1 * i, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_loops_of_many_sizes),
        cmocka_unit_test(test_both_compilers_solve_linear_loops_alike),
        cmocka_unit_test(test_bad_scaling_is_not_singular),
        cmocka_unit_test(test_a_loop_that_becomes_singular_is_named),
        cmocka_unit_test(test_the_guess_chooses_the_root),
        cmocka_unit_test(test_a_solution_is_followed),
        cmocka_unit_test(test_recording_leaves_the_guesses_alone),
        cmocka_unit_test(test_no_solution_is_reported),
        cmocka_unit_test(test_a_loop_without_solution_ends_the_steps),
        cmocka_unit_test(test_large_loops),
        cmocka_unit_test(test_rounding_does_not_keep_newton_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/unit/code/test_programs.c: what each program promises, on small models made by hand.
#include "code/build.h"
#include "random_model.h"
#include <time.h>

// ---- Parameters

static void test_defaults_follow_what_is_given(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr a = make_param(m, "a", make_number(m, 2)), c = make_param(m, "c", EXPR_NONE);
    const Expr d = make_param(m, "d", make_add(m, make_mul(m, a, a), c));
    make_at(m, c)->start = make_add(m, a, make_number(m, 1));
    const Expr x = make_var(m, "x");
    make_at(m, x)->start = d;
    make_equation(m, make_der(m, x), make_mul(m, d, x));
    built_finish(&b, CODE_INSTANT);
    assert_int_equal(built_start(&b, 0), 0);
    assert_same_bits(*built_value(&b, c), 3.0);
    assert_same_bits(*built_value(&b, d), 7.0);
    assert_same_bits(b.x[0], 7.0);

    *built_value(&b, a) = 10;
    b.given[b.ir.layout.place[built_number(&b, a)]] = 1;
    assert_int_equal(built_start(&b, 0), 0);
    assert_same_bits(*built_value(&b, c), 11.0);
    assert_same_bits(*built_value(&b, d), 111.0);
    built_free(&b);
}

// ---- Start

// x' + y = 3, y = 2x, initial x' = 1: the start system has a loop that the running model does not have.
static void test_start_solves_initial_equations(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr x = make_var(m, "x"), y = make_var(m, "y");
    make_equation(m, make_add(m, make_der(m, x), y), make_number(m, 3));
    make_equation(m, y, make_mul(m, make_number(m, 2), x));
    make_initial(m, make_der(m, x), make_number(m, 1));
    built_finish(&b, CODE_INSTANT);
    assert_int_equal(built_start(&b, 0), 0);
    assert_same_bits(b.x[0], 1.0);
    assert_same_bits(*built_value(&b, x), 1.0);
    assert_same_bits(*built_value(&b, y), 2.0);
    assert_same_bits(*built_value(&b, make_der(m, x)), 1.0);
    built_free(&b);
}

// A parameter found from an initial equation: exp(k) + k = x + 1 at the start, with x = 1, not linear.
static void test_start_finds_parameters(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr k = make_param(m, "k", EXPR_NONE), x = make_var(m, "x");
    make_at(m, x)->start = make_number(m, 1);
    make_equation(m, make_der(m, x), make_neg(m, make_mul(m, k, x)));
    make_initial(m, make_add(m, make_call(m, EXPR_EXP, k), k), make_add(m, x, make_number(m, 1)));
    built_finish(&b, CODE_INSTANT);
    assert_int_equal(built_start(&b, 0), 0);
    const double found = *built_value(&b, k);
    assert_near(exp(found) + found, 2, 1e-13);
    double rate;
    assert_int_equal(built_run(&b, IR_RATES, 0, &rate), 0);
    assert_same_bits(rate, -(found * 1.0));
    built_free(&b);
}

static void test_residuals_vanish_at_the_start_only(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr x = make_var(m, "x"), y = make_var(m, "y");
    make_at(m, x)->start = make_number(m, 0.25);
    make_equation(m, make_der(m, x), make_neg(m, y));
    make_equation(m, y, make_call(m, EXPR_SQRT, x));
    built_finish(&b, CODE_INSTANT);
    assert_int_equal(built_start(&b, 0), 0);
    const uint32_t n = b.blocks.start.n_equations;
    assert_int_equal(n, 3);
    double residuals[3];
    assert_int_equal(built_run(&b, IR_RESIDUALS, 0, residuals), 0);
    for (uint32_t i = 0; i < n; i++) assert_same_bits(fabs(residuals[i]), 0.0);
    *built_value(&b, y) += 0.125;
    assert_int_equal(built_run(&b, IR_RESIDUALS, 0, residuals), 0);
    assert_same_bits(residuals[0], 0.125);
    assert_same_bits(residuals[1], 0.125);
    built_free(&b);
}

// ---- Relations, assertions, histories, terminal region

static void test_relations_and_assertions(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr x = make_var(m, "x"), y = make_var(m, "y"),
               limit = make_param(m, "limit", make_number(m, 1.5));
    make_at(m, x)->start = make_number(m, 1);
    make_equation(m, y, make_mul(m, x, make_number(m, 2)));
    const FlatRelation relation = { .relation = make_op(m, EXPR_GE, y, limit, EXPR_NONE),
                                    .zero = make_sub(m, y, limit) };
    vec_push(&m->arena, &m->flat.relations, relation);
    make_equation(m, make_der(m, x), make_op(m, EXPR_IF, expr_mode(&m->flat.pool, 0), make_number(m, -1), x));
    const FlatAssert assertions[] = { { .condition = make_op(m, EXPR_LT, y, make_number(m, 3), EXPR_NONE) },
                                      { .condition = make_op(m, EXPR_EQ, x, y, EXPR_NONE) } };
    vec_push(&m->arena, &m->flat.asserts, assertions[0]);
    vec_push(&m->arena, &m->flat.asserts, assertions[1]);
    built_finish(&b, CODE_INSTANT);
    assert_int_equal(built_start(&b, 0), 0);
    double out[2];
    assert_int_equal(built_run(&b, IR_RELATIONS, 0, out), 0);
    assert_same_bits(out[0], 0.5);
    assert_same_bits(out[1], 1.0);
    assert_int_equal(built_run(&b, IR_RATES, 0, out), 0);
    assert_same_bits(out[0], 1.0);    // the mode is still false
    b.v[b.ir.layout.first_mode] = 1;
    assert_int_equal(built_run(&b, IR_RATES, 0, out), 0);
    assert_same_bits(out[0], -1.0);
    assert_int_equal(built_run(&b, IR_ASSERTS, 0, out), 0);
    assert_same_bits(out[0], 1.0);
    assert_same_bits(out[1], 0.0);
    b.x[0] = 0;
    assert_int_equal(built_run(&b, IR_ASSERTS, 0, out), 0);
    assert_same_bits(out[1], 1.0);
    built_free(&b);
}

static void test_histories_give_what_delays_remember(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr x = make_var(m, "x"), y = make_var(m, "y"), t = expr_time(&m->flat.pool);
    make_at(m, x)->start = make_number(m, 4);
    make_equation(m, y, make_mul(m, x, x));
    const FlatDelay delays[] = {
        { .source = make_add(m, y, t), .lag = make_number(m, 2), .before = EXPR_NONE },
        { .source = x, .lag = make_number(m, 1), .before = EXPR_NONE }
    };
    vec_push(&m->arena, &m->flat.delays, delays[0]);
    vec_push(&m->arena, &m->flat.delays, delays[1]);
    make_equation(m, make_der(m, x), make_op(m, EXPR_DELAY, make_sub(m, t, make_number(m, 1)), 1, EXPR_NONE));
    built_finish(&b, CODE_INSTANT);
    assert_int_equal(built_start(&b, 0), 0);
    double out[2];
    assert_int_equal(built_run(&b, IR_HISTORIES, 7, out), 0);
    assert_same_bits(out[0], 23.0);
    assert_same_bits(out[1], 4.0);
    assert_int_equal(built_run(&b, IR_RATES, 7, out), 0);
    assert_same_bits(out[0], built_no_history(NULL, 1, 6));
    built_free(&b);
}

// p := 2p; r := p + x; rerun if r < 10; p := -p; rerun if p > 0
static void test_the_terminal_region_runs_in_order(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr p = make_param(m, "p", make_number(m, 3)), x = make_var(m, "x");
    const uint32_t r = make_declare(m, "r", FLAT_RESULT, EXPR_NONE);
    make_at(m, x)->start = make_number(m, 1);
    make_equation(m, make_der(m, x), make_mul(m, p, x));
    const Expr result = expr_var(&m->flat.pool, r);
    const FlatTerminal steps[] = {
        { .target = built_number(&b, p), .value = make_mul(m, make_number(m, 2), p) },
        { .target = r, .value = make_add(m, p, x) },
        { .target = FLAT_NONE, .value = make_op(m, EXPR_LT, result, make_number(m, 10), EXPR_NONE) },
        { .target = built_number(&b, p), .value = make_neg(m, p) },
        { .target = FLAT_NONE, .value = make_op(m, EXPR_GT, p, make_number(m, 0), EXPR_NONE) },
    };
    for (size_t i = 0; i < 5; i++) vec_push(&m->arena, &m->flat.terminal, steps[i]);
    built_finish(&b, CODE_INSTANT);
    assert_int_equal(b.ir.n_reruns, 2);
    assert_int_equal(built_start(&b, 0), 0);
    double out[3] = { 9, 9, 9 };
    assert_int_equal(built_run(&b, IR_TERMINAL, 0, out), 0);
    assert_same_bits(*built_value(&b, result), 7.0);
    assert_same_bits(*built_value(&b, p), -6.0);
    assert_same_bits(out[0], 1.0);
    assert_same_bits(out[1], 1.0);
    assert_same_bits(out[2], 0.0);
    // again: p = -12, r = -11, p = 12
    assert_int_equal(built_run(&b, IR_TERMINAL, 0, out), 0);
    assert_same_bits(*built_value(&b, p), 12.0);
    assert_same_bits(out[2], 1.0);
    // and p = 24, r = 25, p = -24: nothing asks for another run
    assert_int_equal(built_run(&b, IR_TERMINAL, 0, out), 0);
    assert_same_bits(out[0], 0.0);
    assert_same_bits(out[1], 0.0);
    built_free(&b);
}

// ---- Jacobian

static void check_jacobian(uint64_t seed, size_t n_states, size_t n_algebraic)
{
    RandomModel m;
    model_grow(&m, seed, n_states, n_algebraic, 0);
    built_finish(&m.b, CODE_INSTANT);
    Built *b = &m.b;
    assert_true(b->ir.has_jacobian);
    assert_int_equal(built_start(b, 0.3), 0);
    double *entries = calloc(b->ir.n_jacobian + 1, sizeof *entries),
           *full = calloc(n_states * n_states, sizeof *full);
    double *plus = calloc(n_states, sizeof *plus), *minus = calloc(n_states, sizeof *minus);
    assert_int_equal(built_run(b, IR_JACOBIAN, 0.3, entries), 0);
    for (uint32_t j = 0; j < n_states; j++)
        for (uint32_t k = b->ir.pattern.start[j]; k < b->ir.pattern.start[j + 1]; k++) {
            assert_int_equal(b->ir.jacobian[k].row, b->ir.pattern.row[k]);
            assert_int_equal(b->ir.jacobian[k].column, j);
            if (k > b->ir.pattern.start[j]) assert_true(b->ir.pattern.row[k] > b->ir.pattern.row[k - 1]);
            full[b->ir.pattern.row[k] * n_states + j] = entries[k];
        }
    // central differences, also where the pattern says zero; min and max have kinks, which random points miss
    for (size_t j = 0; j < n_states; j++) {
        const double x = b->x[j], h = 1e-6;
        b->x[j] = x + h;
        model_rates(&m, 0.3, b->x, plus);
        b->x[j] = x - h;
        model_rates(&m, 0.3, b->x, minus);
        b->x[j] = x;
        for (size_t i = 0; i < n_states; i++)
            assert_near(full[i * n_states + j], (plus[i] - minus[i]) / (2 * h), 1e-8);
    }
    free(entries);
    free(full);
    free(plus);
    free(minus);
    model_free(&m);
}

static void test_the_jacobian_agrees_with_differences(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) check_jacobian(seed, 1 + seed % 5, seed % 8);
    check_jacobian(99, 30, 60);
}

// ---- The text

// A model with hostile names: nothing of them reaches the text.
static void test_nothing_of_the_user_reaches_the_text(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr x = make_var(m, "evil\"); system(\"*/"), y = make_var(m, "evil\nname");
    make_at(m, x)->start = make_number(m, 1);
    make_at(m, x)->doc = "evil doc */";
    make_equation(m, y, make_call(m, EXPR_EXP, x));
    make_equation(m, make_der(m, x), y);
    built_finish(&b, CODE_INSTANT);
    Arena arena = { 0 };
    const Text text = code_text(&b.ir, CODE_PART_ALL, &arena);
    assert_null(strstr(text.p, "evil"));
    assert_int_equal(strlen(text.p), text.n);
    // and the same model gives the same text
    assert_string_equal(code_text(&b.ir, CODE_PART_ALL, &arena).p, text.p);
    arena_free(&arena);
    built_free(&b);
}

// A text compiled ahead defines what another calls; what is wrong in it is reported with the other.
static void test_texts_compiled_ahead(void **state)
{
    (void)state;
    static const char first[] = "double half_1(double x) { return 0.5*x; }\n"
                                "double half_2(double x) { return half_1(x) + 1.0; }\n";
    static const char second[] = "double half_1(double), half_2(double);\n"
                                 "int orr_rates(double t, const double *x, const void *env, double *out)\n"
                                 "{ out[0] = half_1(t); out[1] = half_2(t); return 0; }\n";
    Arena arena = { 0 };
    orr_diag *diag = orr_diag_create();
    Code code;
    memset(&code, 0, sizeof code);
    CodeUnit unit = { 0 };
    InstantAhead *ahead = instant_ahead(text_from(first), "half", 2, &arena);
    assert_true(instant_compile(&code, text_from(second), ahead, &unit, diag));
    double out[2] = { 0 };
    assert_int_equal(code.programs[IR_RATES](3, NULL, NULL, out), 0);
    assert_same_bits(out[0], 1.5);
    assert_same_bits(out[1], 2.5);
    CodeUnit unit_ahead = instant_ahead_end(ahead);
    instant_free(&unit);
    instant_free(&unit_ahead);

    ahead = instant_ahead(text_from("double half_1(double x) { return 0.5*y; }"), "half", 1, &arena);
    assert_false(instant_compile(&code, text_from(second), ahead, &unit, diag));
    assert_int_equal(orr_diag_count(diag), 1);
    assert_contains(orr_diag_get(diag, 0).text, "'y' undeclared");
    assert_null(instant_ahead_end(ahead).memory);
    assert_null(unit.memory);
    orr_diag_destroy(diag);
    arena_free(&arena);
}

static void test_parts_are_built_on_demand(void **state)
{
    (void)state;
    RandomModel m;
    model_grow(&m, 5, 60, 300, 3);
    built_lower(&m.b);
    Code code;
    assert_true(code_build(&code, &m.b.ir, CODE_INSTANT, m.b.make.diag));
    assert_non_null(code.programs[IR_RATES]);
    assert_non_null(code.loops[FIXED_rk4]);
    assert_null(code.programs[IR_RESIDUALS]);
    assert_null(code.loops[CODE_IN_PLACE]);
    assert_true(code_require(&code, CODE_PART_IN_PLACE, m.b.make.diag));
    assert_non_null(code.loops[CODE_IN_PLACE]);
    assert_null(code.programs[IR_RESIDUALS]);
    assert_true(
        code_require(&code, CODE_PART_IN_PLACE | CODE_PART_RESIDUALS | CODE_PART_JACOBIAN, m.b.make.diag));
    assert_non_null(code.programs[IR_RESIDUALS]);
    assert_int_equal(code.n_units, 3);
    code_free(&code);
    model_free(&m);
}

// libtcc keeps its state in globals: builds take turns, and each gets its own code.
static void *build_many(void *argument)
{
    const Ir *ir = argument;
    for (int i = 0; i < 25; i++) {
        Code code;
        if (!code_build(&code, ir, CODE_INSTANT, NULL) || !code_require(&code, CODE_PART_ALL, NULL))
            return argument;
        if (!code.programs[IR_RATES] || !code.loops[CODE_IN_PLACE]) return argument;
        code_free(&code);
    }
    return NULL;
}

static void test_threads_build_at_once(void **state)
{
    (void)state;
    RandomModel m;
    model_grow(&m, 8, 5, 20, 2);
    built_lower(&m.b);
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) assert_int_equal(pthread_create(&threads[i], NULL, build_many, &m.b.ir), 0);
    for (int i = 0; i < 8; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    model_free(&m);
}

// Runs in several threads share a model; the first that needs a part builds it.
static void *require_all(void *argument)
{
    const Code *code = argument;
    return code_require(code, CODE_PART_ALL, NULL) && code->programs[IR_RESIDUALS] ? NULL : argument;
}

static void test_threads_share_what_is_built_on_demand(void **state)
{
    (void)state;
    RandomModel m;
    model_grow(&m, 9, 60, 300, 0);
    built_lower(&m.b);
    Code code;
    assert_true(code_build(&code, &m.b.ir, CODE_INSTANT, NULL));
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) assert_int_equal(pthread_create(&threads[i], NULL, require_all, &code), 0);
    for (int i = 0; i < 8; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(code.n_units, 2);
    code_free(&code);
    model_free(&m);
}

#if defined __OPTIMIZE__ && !defined ORRERY_SANITIZE
// 10,000 equations of about nine operations are ready in less than 150 ms of one processor; the best of
// five, since others may be using the machine.
static void test_large_models_compile_at_once(void **state)
{
    (void)state;
    enum { N = 10000 };
    RandomModel m;
    memset(&m, 0, sizeof m);
    m.random = 4711;
    built_init(&m.b);
    Make *make = &m.b.make;
    Expr *x = calloc(N, sizeof *x);
    for (int i = 0; i < N; i++) {
        x[i] = make_var(make, arena_printf(&make->arena, "x%d", i));
        make_at(make, x[i])->start = make_number(make, 0.001 * i);
    }
    for (int i = 0; i < N; i++) {
        Expr e = x[model_random(&m, N)];
        for (int k = 0; k < 8; k++) {
            const Expr other = model_random(&m, 3) ? x[model_random(&m, N)]
                                                   : make_number(make, 0.01 * model_random(&m, 1000) + 0.001);
            switch (model_random(&m, 8)) {
            case 0: e = make_call(make, EXPR_SIN, e); break;
            case 1: case 2: e = make_add(make, e, other); break;
            case 3: case 4: e = make_sub(make, e, other); break;
            default: e = make_mul(make, e, other); break;
            }
        }
        make_equation(make, make_der(make, x[i]), make_sub(make, e, x[i]));
    }
    built_lower(&m.b);
    double best = INFINITY;
    for (int i = 0; i < 5 && best >= 0.150; i++) {
        const clock_t began = clock();
        Code code;
        assert_true(code_build(&code, &m.b.ir, CODE_INSTANT, m.b.make.diag));
        best = fmin(best, (double)(clock() - began) / CLOCKS_PER_SEC);
        code_free(&code);
    }
    assert_true(best < 0.150);
    free(x);
    model_free(&m);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_follow_what_is_given),
        cmocka_unit_test(test_start_solves_initial_equations),
        cmocka_unit_test(test_start_finds_parameters),
        cmocka_unit_test(test_residuals_vanish_at_the_start_only),
        cmocka_unit_test(test_relations_and_assertions),
        cmocka_unit_test(test_histories_give_what_delays_remember),
        cmocka_unit_test(test_the_terminal_region_runs_in_order),
        cmocka_unit_test(test_the_jacobian_agrees_with_differences),
        cmocka_unit_test(test_nothing_of_the_user_reaches_the_text),
        cmocka_unit_test(test_texts_compiled_ahead),
        cmocka_unit_test(test_parts_are_built_on_demand),
        cmocka_unit_test(test_threads_build_at_once),
        cmocka_unit_test(test_threads_share_what_is_built_on_demand),
#if defined __OPTIMIZE__ && !defined ORRERY_SANITIZE
        cmocka_unit_test(test_large_models_compile_at_once),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

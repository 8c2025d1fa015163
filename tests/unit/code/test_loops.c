// tests/unit/code/test_loops.c: generated programs and fixed-step loops against evaluation, bit for bit.
#include "random_model.h"

typedef long (*Stepper)(RandomModel *m, double t_start, double h, long k, long n, double *x, int *why);

// Does any relation at (t, x) differ from its mode?
static bool has_changed(RandomModel *m, double t, const double *x)
{
    const Flat *flat = &m->b.make.flat;
    model_values(m, t, x);
    for (size_t i = 0; i < flat->relations.n; i++)
        if (model_evaluate(m, t, flat->relations.items[i].relation) != m->modes[i]) return true;
    return false;
}

// The formulas of code.h, written once more, on arrays.
static void one_step(RandomModel *m, CodeLoopId method, double t_start, double h, long k, const double *x,
                     double *y)
{
    const size_t n = m->n_states;
    double *k1 = calloc(4 * n + 1, sizeof *k1), *k2 = k1 + n, *k3 = k2 + n, *k4 = k3 + n;
    const double t = t_start + (double)k * h, half = t_start + ((double)k + 0.5) * h,
                 next = t_start + (double)(k + 1) * h;
    switch ((int)method) {
    case FIXED_euler:
        model_rates(m, t, x, k1);
        for (size_t i = 0; i < n; i++) y[i] = x[i] + h * k1[i];
        break;
    case CODE_IN_PLACE:
        memcpy(y, x, n * sizeof *y);
        for (size_t i = 0; i < n; i++) {
            model_rates(m, t, y, k1);
            y[i] = y[i] + h * k1[i];
        }
        break;
    case FIXED_heun:
        model_rates(m, t, x, k1);
        for (size_t i = 0; i < n; i++) y[i] = x[i] + h * k1[i];
        model_rates(m, next, y, k2);
        for (size_t i = 0; i < n; i++) y[i] = x[i] + 0.5 * h * (k1[i] + k2[i]);
        break;
    default:
        model_rates(m, t, x, k1);
        for (size_t i = 0; i < n; i++) y[i] = x[i] + 0.5 * h * k1[i];
        model_rates(m, half, y, k2);
        for (size_t i = 0; i < n; i++) y[i] = x[i] + 0.5 * h * k2[i];
        model_rates(m, half, y, k3);
        for (size_t i = 0; i < n; i++) y[i] = x[i] + h * k3[i];
        model_rates(m, next, y, k4);
        for (size_t i = 0; i < n; i++) y[i] = x[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
        break;
    }
    free(k1);
}

static long reference_loop(RandomModel *m, CodeLoopId method, double t_start, double h, long k, long n,
                           double *x, int *why)
{
    double *y = calloc(m->n_states + 1, sizeof *y);
    long i;
    *why = 0;
    for (i = 0; i < n; i++) {
        one_step(m, method, t_start, h, k + i, x, y);
        if (has_changed(m, t_start + (double)(k + i + 1) * h, y)) {
            *why = CODE_RELATION;
            break;
        }
        memcpy(x, y, m->n_states * sizeof *x);
    }
    free(y);
    return i;
}

static void set_modes(RandomModel *m, double t, const double *x)
{
    Built *b = &m->b;
    double *out = calloc(2 * b->make.flat.relations.n + 1, sizeof *out);
    // one after the other: none depends on another's mode here
    assert_int_equal(b->code.programs[IR_RELATIONS](t, x, &b->env, out), 0);
    for (size_t i = 0; i < b->make.flat.relations.n; i++) b->v[b->ir.layout.first_mode + i] = out[2 * i + 1];
    free(out);
}

// Run in pieces of several lengths; at a changed relation set the modes anew and make the step all the same.
static int compare_loops(RandomModel *m, CodeLoopId method)
{
    Built *b = &m->b;
    const size_t n = m->n_states;
    double *x = calloc(n + 1, sizeof *x), *expected = calloc(n + 1, sizeof *x);
    assert_int_equal(built_start(b, 0.25), 0);
    memcpy(x, b->x, n * sizeof *x);
    memcpy(expected, x, n * sizeof *x);
    set_modes(m, 0.25, x);
    long k = 3;
    int n_stops = 0;
    // evaluating a large model is slow
    const int n_chunks = n > 10 ? 4 : 12;
    for (int chunk = 0; chunk < n_chunks; chunk++) {
        int why = 99, expected_why = 99;
        const long n_steps = 1 + chunk * 2;
        const long done = b->code.loops[method](0.25, 0.05, k, n_steps, x, &b->env, b->scratch, &why);
        assert_int_equal(reference_loop(m, method, 0.25, 0.05, k, n_steps, expected, &expected_why), done);
        assert_int_equal(why, expected_why);
        for (size_t i = 0; i < n; i++) assert_same_bits(x[i], expected[i]);
        k += done;
        if (why == CODE_RELATION) {
            n_stops++;
            double *after = calloc(n + 1, sizeof *after);
            one_step(m, method, 0.25, 0.05, k++, x, after);
            memcpy(x, after, n * sizeof *x);
            memcpy(expected, after, n * sizeof *x);
            free(after);
            set_modes(m, 0.25 + (double)k * 0.05, x);
        }
    }
    if (b->make.flat.relations.n == 0) assert_int_equal(n_stops, 0);
    free(x);
    free(expected);
    return n_stops;
}

static void compare_programs(RandomModel *m, double t)
{
    Built *b = &m->b;
    double *rates = calloc(m->n_states + 1, sizeof *rates),
           *expected = calloc(m->n_states + 1, sizeof *rates);
    assert_int_equal(built_start(b, t), 0);
    set_modes(m, t, b->x);
    assert_int_equal(built_run(b, IR_RATES, t, rates), 0);
    model_rates(m, t, b->x, expected);
    for (size_t i = 0; i < m->n_states; i++) assert_same_bits(rates[i], expected[i]);
    assert_int_equal(built_run(b, IR_VALUES, t, NULL), 0);
    for (uint32_t i = 0; i < b->make.flat.vars.n; i++)
        assert_same_bits(b->v[b->ir.layout.place[i]], m->values[i]);
    double changed = 99;
    assert_int_equal(built_run(b, IR_CHANGED, t, &changed), 0);
    assert_same_bits(changed, has_changed(m, t, b->x) ? 1.0 : 0.0);
    // flip one mode: now it has
    if (b->make.flat.relations.n) {
        double *mode = &b->v[b->ir.layout.first_mode];
        *mode = 1 - *mode;
        assert_int_equal(built_run(b, IR_CHANGED, t, &changed), 0);
        assert_same_bits(changed, 1.0);
    }
    free(rates);
    free(expected);
}

// How often a relation stopped a loop.
static int compare_all(uint64_t seed, size_t n_states, size_t n_algebraic, size_t n_relations, CodeTier tier)
{
    RandomModel m;
    model_grow(&m, seed, n_states, n_algebraic, n_relations);
    built_finish(&m.b, tier);
    compare_programs(&m, 0.75);
    int n_stops = 0;
    for (int method = 0; method < CODE_N_LOOPS; method++) n_stops += compare_loops(&m, (CodeLoopId)method);
    model_free(&m);
    return n_stops;
}

static void test_small_models(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) compare_all(seed, 1 + seed % 6, seed % 9, 0, CODE_INSTANT);
}

static void test_small_models_with_relations(void **state)
{
    (void)state;
    int n_stops = 0;
    for (uint64_t seed = 1; seed <= 40; seed++)
        n_stops += compare_all(100 + seed, 1 + seed % 6, seed % 9, 1 + seed % 4, CODE_INSTANT);
    assert_true(n_stops > 20);
}

static void test_models_cut_into_functions(void **state)
{
    (void)state;
    int n_stops = 0;
    for (uint64_t seed = 1; seed <= 6; seed++)
        n_stops += compare_all(200 + seed, 40 + seed, 300, seed % 2 ? 0 : 30, CODE_INSTANT);
    assert_true(n_stops > 0);
}

static void test_native_code(void **state)
{
    (void)state;
    compare_all(300, 3, 5, 0, CODE_NATIVE);
    compare_all(301, 5, 9, 3, CODE_NATIVE);
    compare_all(302, 30, 150, 20, CODE_NATIVE);
}

static void test_a_model_without_states_steps(void **state)
{
    (void)state;
    RandomModel m;
    model_grow(&m, 1, 0, 4, 0);
    built_finish(&m.b, CODE_INSTANT);
    assert_int_equal(built_start(&m.b, 0), 0);
    for (int method = 0; method < CODE_N_LOOPS; method++) {
        int why = 1;
        assert_int_equal(m.b.code.loops[method](0, 1, 0, 7, m.b.x, &m.b.env, m.b.scratch, &why), 7);
        assert_int_equal(why, 0);
    }
    model_free(&m);
}

// Values of the benchmark: seven implementations agree on them.
static void test_predators_reach_the_known_state(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    Make *m = &b.make;
    const Expr x = make_var(m, "X"), y = make_var(m, "Y");
    make_at(m, x)->start = make_number(m, 10);
    make_at(m, y)->start = make_number(m, 5);
    make_equation(m, make_der(m, x), make_mul(m, x, make_sub(m, make_number(m, 1.5), y)));
    make_equation(m, make_der(m, y), make_mul(m, y, make_sub(m, x, make_number(m, 3))));
    built_finish(&b, CODE_INSTANT);
    assert_int_equal(built_start(&b, 0), 0);
    int why;
    assert_int_equal(b.code.loops[FIXED_rk4](0, 0.01, 0, 150000, b.x, &b.env, b.scratch, &why), 150000);
    assert_near(b.x[0], 1.23488, 5e-6);
    assert_near(b.x[1], 8.23982, 5e-6);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_models),
        cmocka_unit_test(test_small_models_with_relations),
        cmocka_unit_test(test_models_cut_into_functions),
        cmocka_unit_test(test_native_code),
        cmocka_unit_test(test_a_model_without_states_steps),
        cmocka_unit_test(test_predators_reach_the_known_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

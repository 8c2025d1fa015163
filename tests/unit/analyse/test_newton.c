// tests/unit/analyse/test_newton.c: which of the ways leads to a zero, each on a model that needs it.
#include "analyse/analyse.h"
#include "models.h"

typedef struct Try {
    Lab   b;
    Arena   arena;
    System  s;
    Linear  l;
    double *x;
    Nearest nearest;
} Try;

static void begin(Try *t, const char *text, const orr_setting *settings, size_t n_settings)
{
    *t = (Try){ .b = lab_open(text) };
    orr_run_options o = orr_run_options_default();
    o.settings = settings;
    o.n_settings = n_settings;
    orr_status status;
    assert_true(system_open(&t->s, t->b.model, &o, &t->arena, t->b.diag, &status));
    assert_true(linear_init(&t->l, &t->s));
    const size_t n = t->s.n;
    t->x = ARENA_ARRAY(&t->arena, double, n);
    memcpy(t->x, t->s.start, n * sizeof *t->x);
    t->nearest = (Nearest){ ARENA_ARRAY(&t->arena, double, n), ARENA_ARRAY(&t->arena, double, n), INFINITY };
}

static Way find(Try *t) { return newton_find(&t->s, &t->l, t->x, &t->nearest); }

static void end(Try *t)
{
    linear_free(&t->l);
    system_close(&t->s);
    arena_free(&t->arena);
    lab_close(&t->b);
}

// plain Newton diverges from |x| > 1.39, and time leads away
static void test_newton_is_damped(void **state)
{
    (void)state;
    Try t;
    begin(&t, "model M\n var x = 5\n x' = atan(x)\nend\n", NULL, 0);
    assert_int_equal(find(&t), WAY_NEWTON);
    assert_true(t.x[0] == 0);    // to the last bit
    end(&t);
}

// a double root, where Newton is slow and J ends singular
static void test_a_double_root_is_reached(void **state)
{
    (void)state;
    Try t;
    begin(&t, "model M\n var x = 3\n x' = -(x - 1)^2\nend\n", NULL, 0);
    assert_int_equal(find(&t), WAY_NEWTON);
    assert_near(t.x[0], 1, 1e-7);
    end(&t);
}

// a + b is conserved, ever so slowly, while x is done long before
static void test_time_is_followed_to_the_end(void **state)
{
    (void)state;
    Try t;
    begin(&t, "model M\n param k = 1e-11\n var x = 1, a = 1, b = 0\n x' = -x\n a' = -k*a\n b' = k*a\nend\n",
          NULL, 0);
    assert_int_equal(find(&t), WAY_TIME);
    assert_near(t.x[0], 0, 1e-9);
    assert_near(t.x[1], 0, 1e-6);
    assert_near(t.x[1] + t.x[2], 1, 1e-12);
    end(&t);
}

// the same with a sparse matrix: heat in a closed rod spreads evenly
static void test_sparse_time_keeps_what_is_conserved(void **state)
{
    (void)state;
    const orr_setting hot = { "u[1]", 100 };
    Try t;
    begin(&t, "model M\n param n = 100\n var u[n] = 0\n u[1]' = u[2] - u[1]\n for i in 2..n-1\n"
              " u[i]' = u[i-1] - 2*u[i] + u[i+1]\n end\n u[n]' = u[n-1] - u[n]\nend\n", &hot, 1);
    assert_true(t.l.is_sparse);
    assert_int_equal(find(&t), WAY_TIME);
    for (size_t i = 0; i < t.s.n; i++) assert_near(t.x[i], 1, 1e-6);
    end(&t);
}

// sparse, by differences: each cell has a loop of its own that is iterated
static void test_sparse_differences(void **state)
{
    (void)state;
    Try t;
    begin(
        &t,
        "model M\n param n = 80\n var u[n] = 0, y[n] ~ 0.1\n u[1]' = 1 - y[1] + u[2] - u[1]\n for i in 1..n\n"
        " y[i] + 0.1*sin(y[i]) = u[i]\n end\n for i in 2..n-1\n u[i]' = u[i-1] - u[i] - y[i] + u[i+1]\n end\n"
        " u[n]' = u[n-1] - y[n]\nend\n",
        NULL, 0);
    assert_false(t.b.model->ir.has_jacobian);
    assert_true(t.l.is_sparse);
    assert_int_equal(find(&t), WAY_NEWTON);
    double f[80];
    assert_true(system_rates(&t.s, t.x, f));
    for (size_t i = 0; i < 80; i++) assert_near(f[i], 0, 1e-10);
    end(&t);
}

// nothing in time leads to rest, and the cart may stand anywhere
static void test_least_squares_where_the_rest_fails(void **state)
{
    (void)state;
    Try t;
    begin(&t,
          "model M\n var s = 3, v = 1, q = 0.5, w = 0\n s' = v\n v' = sin(q)\n q' = w\n w' = -sin(q)\nend\n",
          NULL, 0);
    assert_int_equal(find(&t), WAY_FIT);
    assert_near(t.x[1], 0, 1e-9);
    assert_near(t.x[2], 0, 1e-9);
    assert_near(t.x[3], 0, 1e-9);
    end(&t);
}

// x² = 1, y² = 4: three of the four from one start, none twice; and there is no fifth
static void test_known_ones_are_avoided(void **state)
{
    (void)state;
    Try t;
    begin(&t, "model M\n var x = 0.3, y = 0.7\n x' = 1 - x^2 + 0.1*(y^2 - 4)\n y' = 4 - y^2\nend\n", NULL, 0);
    Found known[4];
    for (size_t k = 0; k < 3; k++) {
        if (k == 0) {
            assert_int_equal(find(&t), WAY_NEWTON);
        } else {
            memcpy(t.x, t.s.start, 2 * sizeof *t.x);
            assert_true(newton_find_other(&t.s, &t.l, t.x, known, k, &t.nearest));
        }
        assert_near(fabs(t.x[0]), 1, 1e-12);
        assert_near(fabs(t.x[1]), 2, 1e-12);
        known[k] = (Found){ .x = ARENA_ARRAY(&t.arena, double, 2) };
        memcpy(known[k].x, t.x, 2 * sizeof *t.x);
        for (size_t i = 0; i < k; i++) assert_true(newton_distance(&t.s, t.x, known[i].x) > 0.1);
    }
    double corner[4][2] = { { 1, 2 }, { 1, -2 }, { -1, 2 }, { -1, -2 } };
    for (size_t k = 0; k < 4; k++) known[k].x = corner[k];
    memcpy(t.x, t.s.start, 2 * sizeof *t.x);
    assert_false(newton_find_other(&t.s, &t.l, t.x, known, 4, &t.nearest));
    end(&t);
}

static void test_nothing_is_nothing(void **state)
{
    (void)state;
    Try t;
    begin(&t, "model M\n var x = 0.5\n x' = 1 + x^2\nend\n", NULL, 0);
    assert_int_equal(find(&t), WAY_NONE);
    assert_near(t.nearest.x[0], 0, 1e-3);    // the nearest that was seen
    assert_near(t.nearest.f[0], 1, 1e-6);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newton_is_damped),
        cmocka_unit_test(test_a_double_root_is_reached),
        cmocka_unit_test(test_time_is_followed_to_the_end),
        cmocka_unit_test(test_sparse_time_keeps_what_is_conserved),
        cmocka_unit_test(test_sparse_differences),
        cmocka_unit_test(test_least_squares_where_the_rest_fails),
        cmocka_unit_test(test_known_ones_are_avoided),
        cmocka_unit_test(test_nothing_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

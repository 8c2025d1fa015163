// tests/unit/analyse/test_continue.c: branches, folds and Hopf points against closed forms.
#include "models.h"

typedef struct Case {
    Lab       b;
    orr_diagram d;
} Case;

static Case follow(const char *text, orr_continue_options o)
{
    Case c = { .b = lab_open(text) };
    c.d = orr_continue(c.b.model, &o, c.b.diag);
    return c;
}

static orr_continue_options along(const char *parameter, double from, double to)
{
    orr_continue_options o = orr_continue_options_default();
    o.parameter = parameter;
    o.from = from;
    o.to = to;
    return o;
}

static void done(Case *c)
{
    orr_diagram_free(&c->d);
    lab_close(&c->b);
}

static size_t count(const Case *c, orr_point_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < c->d.n_points; i++) n += c->d.points[i].kind == kind;
    return n;
}

static const orr_branch_point *first(const Case *c, orr_point_kind kind)
{
    for (size_t i = 0; i < c->d.n_points; i++)
        if (c->d.points[i].kind == kind) return &c->d.points[i];
    print_error("there is none of kind %d among %zu points\n", (int)kind, c->d.n_points);
    fail();
    return NULL;
}

static void test_the_fold_is_at_zero(void **state)
{
    (void)state;
    Case c = follow("model M\n param a = 1\n var x = 0.5\n x' = a - x^2\nend\n", along("a", 1, -1));
    assert_status(&c.b, c.d.status, ORR_STATUS_OK);
    const size_t x = variable(&c.b, "x");
    assert_int_equal(count(&c, ORR_POINT_FOLD), 1);
    assert_int_equal(count(&c, ORR_POINT_HOPF) + count(&c, ORR_POINT_CROSSING), 0);
    assert_near(first(&c, ORR_POINT_FOLD)->parameter, 0, 1e-8);
    assert_near(first(&c, ORR_POINT_FOLD)->values[x], 0, 1e-8);
    // from (1, 1) around to (1, -1), each point on the parabola, stable on its upper half
    const orr_branch_point *p = c.d.points, *end = &p[c.d.n_points - 1];
    assert_near(p->parameter, 1, 0);
    assert_near(p->values[x], 1, 1e-12);
    assert_near(end->parameter, 1, 0);
    assert_near(end->values[x], -1, 1e-12);
    for (size_t i = 0; i < c.d.n_points; i++) {
        assert_near(p[i].parameter, p[i].values[x] * p[i].values[x], 1e-12);
        if (p[i].kind != ORR_POINT_PLAIN) continue;
        assert_int_equal(p[i].stability, p[i].values[x] > 0 ? ORR_STABILITY_STABLE : ORR_STABILITY_UNSTABLE);
        assert_int_equal(p[i].n_unstable, p[i].values[x] > 0 ? 0 : 1);
    }
    done(&c);
}

// two folds of a hysteresis, x = ±1/√3, a = ∓2/(3√3): all three levels are one branch
static void test_hysteresis_has_two_folds(void **state)
{
    (void)state;
    Case c = follow("model M\n param a = 0\n var x = -2\n x' = a + x - x^3\nend\n", along("a", -1, 1));
    assert_status(&c.b, c.d.status, ORR_STATUS_OK);
    assert_int_equal(c.d.n_branches, 1);
    assert_int_equal(count(&c, ORR_POINT_FOLD), 2);
    const double a = 2 / (3 * sqrt(3));
    const orr_branch_point *folds[2];
    size_t n = 0;
    for (size_t i = 0; i < c.d.n_points; i++)
        if (c.d.points[i].kind == ORR_POINT_FOLD) folds[n++] = &c.d.points[i];
    assert_near(folds[0]->parameter, a, 1e-8);
    assert_near(folds[1]->parameter, -a, 1e-8);
    assert_near(folds[0]->values[variable(&c.b, "x")], -1 / sqrt(3), 1e-8);
    assert_near(c.d.points[c.d.n_points - 1].parameter, 1, 0);
    done(&c);
}

// Brusselator: B = 1 + A², frequency A
static void test_the_brusselator_begins_to_oscillate(void **state)
{
    (void)state;
    const double values[] = { 1, 1.5, 0.25 };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const double A = values[i];
        const orr_setting set = { "A", A };
        orr_continue_options o = along("B", 0.5, 5);
        o.run.settings = &set;
        o.run.n_settings = 1;
        Case c = follow("model M\n param A = 1, B = 3\n var x = 1.2, y = 3\n x' = A + x^2*y - (B + 1)*x\n"
                        " y' = B*x - x^2*y\nend\n",
                        o);
        assert_status(&c.b, c.d.status, ORR_STATUS_OK);
        assert_int_equal(count(&c, ORR_POINT_HOPF), 1);
        assert_int_equal(count(&c, ORR_POINT_FOLD), 0);
        const orr_branch_point *hopf = first(&c, ORR_POINT_HOPF);
        assert_near(hopf->parameter, 1 + A * A, 1e-8);
        assert_near(hopf->frequency, A, 1e-8);
        assert_near(hopf->values[variable(&c.b, "x")], A, 1e-8);
        assert_int_equal(c.d.points[0].n_unstable, 0);
        assert_int_equal(c.d.points[c.d.n_points - 1].n_unstable, 2);
        done(&c);
    }
}

// Lorenz: from the origin a pair of branches at rho = 1; on that pair a Hopf point at s(s + b + 3)/(s - b -
// 1)
static void test_lorenz_along_rho(void **state)
{
    (void)state;
    const char *text = "model M\n param s = 10, rho = 5, b = 8/3\n var x = 3, y = 3, z = 4\n"
                       " x' = s*(y - x)\n y' = x*(rho - z) - y\n"
                       " z' = x*y - b*z\nend\n";
    Case c = follow(text, along("rho", 5, 30));
    assert_status(&c.b, c.d.status, ORR_STATUS_OK);
    assert_int_equal(count(&c, ORR_POINT_HOPF), 1);
    assert_near(first(&c, ORR_POINT_HOPF)->parameter, 10 * (10 + 8.0 / 3 + 3) / (10 - 8.0 / 3 - 1), 1e-7);
    done(&c);
    const orr_setting origin[] = { { "x", 0 }, { "y", 0 }, { "z", 0 } };
    orr_continue_options o = along("rho", 0.1, 3);
    o.run.settings = origin;
    o.run.n_settings = 3;
    Case zero = follow(text, o);
    assert_int_equal(count(&zero, ORR_POINT_CROSSING), 1);
    assert_near(first(&zero, ORR_POINT_CROSSING)->parameter, 1, 1e-6);
    done(&zero);
}

static void test_a_pitchfork_does_not_stop_it(void **state)
{
    (void)state;
    const char *text = "model M\n param a = -1\n var x = 0.3\n x' = a*x - x^3\nend\n";
    Case c = follow(text, along("a", -1, 1));
    assert_status(&c.b, c.d.status, ORR_STATUS_OK);
    assert_int_equal(count(&c, ORR_POINT_CROSSING), 1);
    assert_near(first(&c, ORR_POINT_CROSSING)->parameter, 0, 1e-6);
    assert_near(c.d.points[c.d.n_points - 1].parameter, 1, 0);
    assert_int_equal(c.d.points[c.d.n_points - 1].n_unstable, 1);
    done(&c);
    // backwards, all three
    orr_continue_options o = along("a", 1, -1);
    o.n_starts = 20;
    Case all = follow(text, o);
    assert_status(&all.b, all.d.status, ORR_STATUS_OK);
    // x = 0, and the two halves of the fork, which are one branch
    assert_int_equal(all.d.n_branches, 2);
    done(&all);
}

static void test_a_transcritical_crossing(void **state)
{
    (void)state;
    Case c = follow("model M\n param a = -1\n var x = 0.1\n x' = a*x - x^2\nend\n", along("a", -1, 2));
    assert_status(&c.b, c.d.status, ORR_STATUS_OK);
    assert_int_equal(count(&c, ORR_POINT_CROSSING), 1);
    assert_near(first(&c, ORR_POINT_CROSSING)->parameter, 0, 1e-6);
    done(&c);
}

// without an equilibrium at the first value it begins at the model's own, in both directions
static void test_it_begins_where_there_is_one(void **state)
{
    (void)state;
    Case c = follow("model M\n param a = 0.5\n var x = 0.5\n x' = a - x^2\nend\n", along("a", -1, 1));
    assert_status(&c.b, c.d.status, ORR_STATUS_OK);
    assert_message(&c.b, "W622", "0.5");
    assert_int_equal(c.d.n_branches, 1);
    assert_near(fabs(c.d.points[0].values[variable(&c.b, "x")]), 1, 1e-12);
    assert_near(c.d.points[0].parameter, 1, 0);
    assert_near(c.d.points[c.d.n_points - 1].parameter, 1, 0);
    assert_int_equal(count(&c, ORR_POINT_FOLD), 1);
    assert_near(first(&c, ORR_POINT_FOLD)->parameter, 0, 1e-8);
    done(&c);
}

// x² + a² = 1 is closed
static void test_a_closed_branch_ends(void **state)
{
    (void)state;
    Case c = follow("model M\n param a = 0\n var x = 0.9\n x' = 1 - x^2 - a^2\nend\n", along("a", -2, 2));
    assert_status(&c.b, c.d.status, ORR_STATUS_OK);
    assert_true(c.d.n_points < 800);
    assert_true(count(&c, ORR_POINT_FOLD) >= 2);
    for (size_t i = 0; i < c.d.n_points; i++)
        if (c.d.points[i].kind == ORR_POINT_FOLD) assert_near(fabs(c.d.points[i].parameter), 1, 1e-8);
    done(&c);
}

static void test_a_branch_that_runs_away_is_kept_with_a_warning(void **state)
{
    (void)state;
    Case c = follow("model M\n param a = 1\n var x = 1\n x' = 1 - a*x\nend\n", along("a", 1, -1));
    assert_status(&c.b, c.d.status, ORR_STATUS_OK);
    assert_message(&c.b, "W621", "infinity");
    assert_true(c.d.n_points > 10);
    for (size_t i = 0; i < c.d.n_points; i++)
        assert_near_relative(c.d.points[i].values[variable(&c.b, "x")], 1 / c.d.points[i].parameter, 1e-9);
    done(&c);
}

// derived parameters and inputs follow; a loop stands in the way of symbolic derivatives
static void test_what_depends_on_the_parameter_follows(void **state)
{
    (void)state;
    Case c = follow(
        "model M\n input u = 1\n var x = 0.1, y ~ 0.5\n y + y^3 = x\n x' = u - y - y^2\n output z = y\nend\n",
        along("u", 1, 2));
    assert_status(&c.b, c.d.status, ORR_STATUS_OK);
    const orr_branch_point *end = &c.d.points[c.d.n_points - 1];
    assert_near(end->parameter, 2, 0);
    assert_near(end->values[variable(&c.b, "z")], 1, 1e-9);    // y + y² = 2
    assert_near(end->values[variable(&c.b, "x")], 2, 1e-9);
    assert_near(end->values[variable(&c.b, "u")], 2, 0);
    done(&c);
    Case derived = follow("model M\n param a = 1, twice = 2*a\n var x = 0.1\n x' = twice - x\nend\n",
                          along("a", 1, 3));
    assert_near(derived.d.points[derived.d.n_points - 1].values[variable(&derived.b, "x")], 6, 1e-12);
    done(&derived);
}

// a kink where a relation changes, and large and small states together
static void test_kinks_and_scales(void **state)
{
    (void)state;
    Case c = follow("model M\n param a = 0\n var x = 0, y = 1e6\n x' = (if x > 1 then 2*a - 1 else a) - x\n"
                    " y' = 1e6*(1 + a) - y\nend\n",
                    along("a", 0, 3));
    assert_status(&c.b, c.d.status, ORR_STATUS_OK);
    const orr_branch_point *end = &c.d.points[c.d.n_points - 1];
    assert_near(end->parameter, 3, 0);
    assert_near(end->values[variable(&c.b, "x")], 5, 1e-10);
    assert_near(end->values[variable(&c.b, "y")], 4e6, 1e-5);
    done(&c);
}

static void test_what_cannot_be_followed_is_refused(void **state)
{
    (void)state;
    const char *text = "model M\n param a = -1\n var x = 0\n x' = a - x^2\nend\n";
    Case none = follow(text, along("a", -2, -1));
    assert_int_equal(none.d.status, ORR_STATUS_FAILED);
    assert_message(&none.b, "E521", "orrery steady");
    done(&none);
    Case state_ = follow(text, along("x", 0, 1));
    assert_int_equal(state_.d.status, ORR_STATUS_USAGE);
    assert_message(&state_.b, "E420", "it is a state");
    done(&state_);
    Case unknown = follow(text, along("b", 0, 1));
    assert_int_equal(unknown.d.status, ORR_STATUS_USAGE);
    done(&unknown);
    Case point = follow(text, along("a", 1, 1));
    assert_int_equal(point.d.status, ORR_STATUS_USAGE);
    assert_message(&point.b, "E421", "different");
    done(&point);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_fold_is_at_zero),
        cmocka_unit_test(test_hysteresis_has_two_folds),
        cmocka_unit_test(test_the_brusselator_begins_to_oscillate),
        cmocka_unit_test(test_lorenz_along_rho),
        cmocka_unit_test(test_a_pitchfork_does_not_stop_it),
        cmocka_unit_test(test_a_transcritical_crossing),
        cmocka_unit_test(test_it_begins_where_there_is_one),
        cmocka_unit_test(test_a_closed_branch_ends),
        cmocka_unit_test(test_a_branch_that_runs_away_is_kept_with_a_warning),
        cmocka_unit_test(test_what_depends_on_the_parameter_follows),
        cmocka_unit_test(test_kinks_and_scales),
        cmocka_unit_test(test_what_cannot_be_followed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

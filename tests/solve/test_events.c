// tests/solve/test_events.c: events against closed solutions, through the whole chain, with every kind of
// solver.
#include "check.h"
#include "orrery/experiment.h"
#include <stdlib.h>

enum { SEEN_MAX = 400 };

typedef struct Seen {
    double t, left, right;
    char cause[64], variable[32];
    size_t line, iteration;
} Seen;

typedef struct Lab {
    orr_diag *diag;
    orr_source *source;
    orr_model *model;
    orr_run *run;
    Seen seen[SEEN_MAX];
    size_t n_seen;
} Lab;

typedef struct Method {
    const char *solver;
    double step, tolerance;
    double error;    // of what it computes on its own, for errors that are not ours to judge
} Method;

// Euler to its own accuracy, the others to rounding or their tolerance.
static const Method methods[] = {
    { "euler", 1e-4, 0, 2e-3 },   { "heun", 1e-3, 0, 1e-6 },   { "rk4", 1e-3, 0, 1e-9 },
    { "dopri5", 0, 1e-11, 1e-9 }, { "adams", 0, 1e-11, 1e-9 }, { "bdf", 0, 1e-11, 1e-8 },
    { "auto", 0, 1e-11, 1e-9 },
};
#define FOR_EACH_METHOD(m)                                                                                   \
    for (const Method *m = methods; m < methods + sizeof methods / sizeof *methods; m++)

static bool see(void *context, const orr_event *e)
{
    Lab *lab = context;
    if (lab->n_seen == SEEN_MAX) return true;
    Seen *s = &lab->seen[lab->n_seen++];
    *s = (Seen){ .t = e->t, .left = e->left, .right = e->right, .line = e->line, .iteration = e->iteration };
    snprintf(s->cause, sizeof s->cause, "%s", e->cause);
    snprintf(s->variable, sizeof s->variable, "%s", e->variable ? e->variable : "");
    return true;
}

static Lab *lab_open(const char *text, const Method *m, double t_end)
{
    Lab *lab = calloc(1, sizeof *lab);
    lab->diag = orr_diag_create();
    lab->source = orr_source_parse("test.orr", text, strlen(text), lab->diag);
    if (lab->source) lab->model = orr_model_compile(lab->source, NULL, lab->diag);
    if (!lab->model) orr_diag_print(lab->diag, stderr, 0);
    assert_non_null(lab->model);
    orr_run_options o = orr_run_options_default();
    o.solver = m->solver;
    o.t_end = t_end;
    o.step = m->step;
    o.tolerance = m->tolerance;
    o.event = see;
    o.event_context = lab;
    lab->run = orr_run_create(lab->model, &o, lab->diag);
    if (!lab->run) orr_diag_print(lab->diag, stderr, 0);
    assert_non_null(lab->run);
    return lab;
}

static void lab_close(Lab *lab)
{
    orr_run_destroy(lab->run);
    orr_model_destroy(lab->model);
    orr_source_destroy(lab->source);
    orr_diag_destroy(lab->diag);
    free(lab);
}

static void advance(Lab *lab, double t)
{
    const orr_status status = orr_run_advance(lab->run, t);
    if (status != ORR_STATUS_OK) orr_diag_print(lab->diag, stderr, 0);
    assert_int_equal(status, ORR_STATUS_OK);
}

static double value(Lab *lab, const char *name)
{
    const size_t i = orr_model_find(lab->model, name);
    assert_true(i != (size_t)-1);
    return orr_run_value(lab->run, i);
}

// Times at which a variable was assigned.
static size_t times_of(const Lab *lab, const char *variable, double *t, size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < lab->n_seen && n < most; i++)
        if (strcmp(lab->seen[i].variable, variable) == 0) t[n++] = lab->seen[i].t;
    return n;
}

static void expect_near(const Method *m, const char *what, double found, double expected, double within)
{
    if (!(fabs(found - expected) <= within)) print_error("%s: %s is %.17g\n", m->solver, what, found);
    assert_near(found, expected, within);
}

// ---- The ball

static const char ball[] =
    "model Ball\n  param g = 9.81, e = 0.7\n  var h = 1, v = 0\n  discrete n = 0\n  h' = v\n"
    "  v' = -g\n  when h <= 0 then\n    v := -e*v\n    n := n + 1\n  end\nend\n";

static void test_impacts_of_a_ball(void **state)
{
    (void)state;
    static const double impacts[] = { 0.451523640985731, 1.083656738365754, 1.526149906531770,
                                      1.835895124247982, 2.052716776649329 };
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open(ball, m, 2.1);
        advance(lab, 2.1);
        double t[8];
        assert_int_equal(times_of(lab, "n", t, 8), 5);
        for (int i = 0; i < 5; i++)
            expect_near(m, "an impact", t[i], impacts[i], strcmp(m->solver, "bdf") ? m->error : 1e-9);
        assert_string_equal(lab->seen[0].cause, "when h <= 0");
        assert_int_equal(lab->seen[0].line, 7);
        assert_near(lab->seen[0].right, -0.7 * lab->seen[0].left, 1e-14);
        lab_close(lab);
    }
}

static void test_the_ball_comes_to_rest(void **state)
{
    (void)state;
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open(ball, m, 4);
        advance(lab, 4);
        expect_near(m, "h", value(lab, "h"), 0, m->error);
        if (strcmp(m->solver, "euler") != 0) {    // its flights are never shorter than a step
            expect_near(m, "v", value(lab, "v"), 0, 1e-12);
            expect_near(m, "v'", value(lab, "v'"), 0, 1e-12);
            assert_int_equal(orr_diag_count(lab->diag), 2);    // with its note
            const orr_message message = orr_diag_get(lab->diag, 0);
            assert_string_equal(message.code, "W618");
            assert_contains(message.text, "when h <= 0");
            assert_contains(message.text, "'v' rests");
            double limit = 0;
            assert_int_equal(sscanf(strstr(message.text, "t = "), "t = %lf", &limit), 1);
            expect_near(m, "the Zeno time", limit, 2.558633965585808, 1e-9);
        }
        lab_close(lab);
    }
}

static void test_what_rests_can_be_pushed(void **state)
{
    (void)state;
    const char *text =
        "model Ball\n  param g = 10, e = 0.5\n  var h = 1, v = 0\n  discrete n = 0\n  h' = v\n  v' = -g\n"
        "  when h <= 0 then\n    v := -e*v\n    n := n + 1\n  end\n  at 3 then v := v + 1 end\n"
        "  at 4 then v := v - 2 end\n  every 0.5 from 2.75 then v := 0.99*v end\nend\n";
    for (int i = 2; i < 6; i++) {
        const Method *m = &methods[i];
        Lab *lab = lab_open(text, m, 5);
        advance(lab, 2.9);
        expect_near(m, "h at rest", value(lab, "h"), 0, 1e-12);
        advance(lab, 3.1);    // thrown up: v t - g t^2/2
        expect_near(m, "h thrown", value(lab, "h"), 0.05, 1e-9);
        advance(lab, 3.95);
        expect_near(m, "h again at rest", value(lab, "h"), 0, 1e-9);
        advance(lab, 4.1);    // pushed down: bounces at once with 1
        expect_near(m, "h pushed", value(lab, "h"), 0.05, 1e-8);
        lab_close(lab);
    }
}

static void test_three_balls_at_once(void **state)
{
    (void)state;
    const char *text =
        "model Balls\n  param e[3] = 0.5\n  var h[3] = 1, v[3] = 0\n  discrete n = 0, order = 0\n"
        "  for i in 1..3\n    h[i]' = v[i]\n    v[i]' = -9.81\n"
        "    when h[i] <= 0 then\n      v[i] := -e[i]*v[i]\n      n := n + 1\n      order := 10*order + i\n"
        "    end\n  end\nend\n";
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open(text, m, 1);
        advance(lab, 0.7);
        expect_near(m, "n", value(lab, "n"), 3, 0);
        expect_near(m, "order", value(lab, "order"), 123, 0);
        double t[4];
        assert_int_equal(times_of(lab, "n", t, 4), 3);
        assert_true(t[0] == t[1] && t[1] == t[2]);
        expect_near(m, "t", t[0], 0.451523640985731, m->error);
        for (size_t i = 0; i < lab->n_seen; i++) assert_int_equal(lab->seen[i].iteration, 1);
        assert_int_equal(orr_run_get_facts(lab->run).n_events, 1);
        lab_close(lab);
    }
}

// ---- Switches

static void test_hysteresis(void **state)
{
    (void)state;
    const char *text = "model H\n  var x = 0\n  discrete u = 1\n  x' = u\n  when x >= 1 then u := -1 end\n"
                       "  when x <= -1 then u := 1 end\nend\n";
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open(text, m, 10);
        advance(lab, 10);
        expect_near(m, "x", value(lab, "x"), 0, 1e-9);
        double t[8];
        assert_int_equal(times_of(lab, "u", t, 8), 5);
        for (int i = 0; i < 5; i++) expect_near(m, "a switch", t[i], 1 + 2 * i, 1e-9);
        lab_close(lab);
    }
}

static void test_sliding(void **state)
{
    (void)state;
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open("model S\n  var x = 1\n  x' = -sign(x)\nend\n", m, 3);
        for (int i = 0; i <= 30; i++) {
            advance(lab, i * 0.1);
            expect_near(m, "x", value(lab, "x"), fmax(0, 1 - i * 0.1), 1e-12);
        }
        lab_close(lab);
    }
}

// Two that push each other: y slides 8/15 s after x does, x is torn off when the force is 1.875; see slide.c.
static void test_sliding_along_two_surfaces(void **state)
{
    (void)state;
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open("model S\n  var x = 1, y = 2\n  x' = -2*sign(x) + 0.5*sign(y)\n"
                            "  y' = -2*sign(y) + 0.5*sign(x)\nend\n",
                            m, 2);
        advance(lab, 1);
        expect_near(m, "x", value(lab, "x"), 0, m->error);
        expect_near(m, "y", value(lab, "y"), 1 - 1.875 / 3, m->error);
        advance(lab, 2);
        expect_near(m, "x", value(lab, "x"), 0, m->error);
        expect_near(m, "y", value(lab, "y"), 0, m->error);
        lab_close(lab);
        // x reaches 0 at t = 1 as y does, from other sides of other speed
        lab = lab_open(
            "model S\n  var x = 1, y = -1.5\n  x' = -sign(x)\n  y' = -2*sign(y) - 0.5*sign(x)\nend\n", m, 2);
        advance(lab, 2);
        expect_near(m, "x", value(lab, "x"), 0, m->error);
        expect_near(m, "y", value(lab, "y"), 0, m->error);
        lab_close(lab);
        lab = lab_open("model S\n  var x = 0.1, y = 0.1\n  x' = t - 2*sign(x) + 0.5*sign(y)\n"
                       "  y' = -2*sign(y) + 0.5*sign(x)\nend\n",
                       m, 3);
        advance(lab, 3);    // torn off at 1.875, y still slides: x' = t - 2 + 1/8
        expect_near(m, "x", value(lab, "x"), 0.5 * 1.125 * 1.125, 2 * m->error);
        expect_near(m, "y", value(lab, "y"), 0, m->error);
        lab_close(lab);
    }
}

// Blocks on a table, neighbours tied by springs: each comes to rest by itself, and all stay there.
static void test_sliding_along_many_surfaces(void **state)
{
    (void)state;
    double rest[3] = { 0 };
    int n = 0;
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open("model B\n  param n = 12\n  var v[n], p[n]\n  initial\n    for i in 1..n\n"
                            "      v[i] = 1 + 0.1*i\n"
                            "      p[i] = 0\n    end\n  end\n  for i in 1..n\n    p[i]' = v[i]\n  end\n"
                            "  v[1]' = -2*sign(v[1]) + 0.1*(p[2] - p[1])\n  for i in 2..n - 1\n"
                            "    v[i]' = -2*sign(v[i]) + 0.1*(p[i - 1] - 2*p[i] + p[i + 1])\n  end\n"
                            "  v[n]' = -2*sign(v[n]) + 0.1*(p[n - 1] - p[n])\nend\n",
                            m, 2);
        advance(lab, 2);
        const char *names[] = { "p[1]", "p[6]", "p[12]" };
        for (int i = 0; i < 3; i++) {
            if (n == 0) rest[i] = value(lab, names[i]);
            expect_near(m, names[i], value(lab, names[i]), rest[i], 1e-3);
        }
        expect_near(m, "v", value(lab, "v[6]"), 0, 1e-9);
        n++;
        lab_close(lab);
    }
    // without springs the last would come to rest at v²/4 = 1.21; they hold it back
    assert_true(rest[2] > 1.1 && rest[2] < 1.21);
}

// Arrays that stay arrays beside what slides: -2 s + 0.3 sin t = 0 there, and that is what they read of s.
static void test_sliding_beside_arrays(void **state)
{
    (void)state;
    const char *text = "model W\n  param n = 1200\n  var u[n], g[n], v = 1, s\n  s = sign(v)\n"
                       "  v' = -2*s + 0.3*sin(t)\n  for i in 1..n\n    initial u[i] = i/n\n"
                       "    u[i]' = -u[i]\n    g[i] = 2*u[i] + s\n  end\nend\n";
    FOR_EACH_METHOD(m)
    {
        if (m->error > 1e-4) continue;
        Lab *lab = lab_open(text, m, 2);
        advance(lab, 2);
        expect_near(m, "v", value(lab, "v"), 0, m->error);
        expect_near(m, "s", value(lab, "s"), 0.15 * sin(2), 1e-5);
        expect_near(m, "g", value(lab, "g[600]"), exp(-2) + 0.15 * sin(2), m->error + 1e-5);
        expect_near(m, "u'", value(lab, "u[600]'"), -0.5 * exp(-2), m->error);
        lab_close(lab);
    }
}

// Two diodes in series block at one instant, where all that tells their modes is rounding.
static void test_diodes_in_a_bridge(void **state)
{
    (void)state;
    const char *text =
        "model D\n  var a, b, v, i, s\n  v = a - b\n"
        "  v = if s < 0 then s else 1e-3*s\n  i = if s < 0 then 1e-6*s else s\nend\n"
        "model G\n  d1, d2, d3, d4 : D\n  var u = 0, a, b\n  e = 10*sin(100*pi*t)\n  a - b = e\n"
        "  d1.a = a\n  d1.b = u\n  d3.a = b\n  d3.b = u\n  d2.a = 0\n  d2.b = a\n  d4.a = 0\n  d4.b = b\n"
        "  d1.i + d3.i = d2.i + d4.i\n  1e-4*u' = d1.i + d3.i - u/100\nend\n";
    const char *solvers[] = { "dopri5", "bdf", "auto" };
    for (int k = 0; k < 3; k++) {
        const Method m = { solvers[k], 0, 1e-6, 0 };
        Lab *lab = lab_open(text, &m, 0.04);
        advance(lab, 0.025);    // it conducts, and the drop at both diodes is small
        assert_near(value(lab, "u"), 10, 1e-3);
        advance(lab, 0.04);
        // at 0.036 it blocked about where tan(wt) = -wRC, and the resistor empties the capacitor
        const double w = 314.159265358979, t = 0.03 + (4 * atan(1) - atan(w * 0.01)) / w;
        assert_near(value(lab, "u"), 10 * fabs(sin(w * t)) * exp(-(0.04 - t) / 0.01), 0.02);
        lab_close(lab);
    }
}

// A block on a belt that speeds up: it sticks as long as the force is below friction, then slips.
static void test_sticking_and_slipping(void **state)
{
    (void)state;
    const char *text =
        "model F\n  param mu = 1\n  var v = 0.5\n  force = 0.5*t\n  v' = force - mu*sign(v)\nend\n";
    // v = 0.5 + t^2/4 - t until (t - 2)^2 = 2; at rest until force = 1 at t = 2; then v' = 0.5 t - 1
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open(text, m, 4);
        advance(lab, 1.5);
        expect_near(m, "v at rest", value(lab, "v"), 0, m->error);
        expect_near(m, "v'", value(lab, "v'"), 0, 1e-9);
        advance(lab, 4);
        expect_near(m, "v", value(lab, "v"), 1, 2 * m->error);
        lab_close(lab);
    }
}

static void test_thermostat(void **state)
{
    (void)state;
    const char *text = "model T\n  param tau = 1, hot = 30, cold = 10, low = 19, high = 21\n  var x = 18\n"
                       "  discrete on = 1\n  x' = ((if on > 0.5 then hot else cold) - x)/tau\n"
                       "  when x >= high then on := 0 end\n  when x <= low then on := 1 end\nend\n";
    const double first = log((30 - 18.0) / (30 - 21)), cool = log((21 - 10.0) / (19 - 10)),
                 heat = log((30 - 19.0) / (30 - 21));
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open(text, m, 2);
        advance(lab, 2);
        double t[16];
        const size_t n = times_of(lab, "on", t, 16);
        assert_true(n >= 8);
        double expected = first;
        for (size_t i = 0; i < n; i++) {
            expect_near(m, "a switch", t[i], expected, m->error);
            expected += i % 2 ? heat : cool;
        }
        lab_close(lab);
    }
}

static void test_half_wave_rectifier(void **state)
{
    (void)state;
    const char *text = "model R\n  var q = 0\n  u = sin(t)\n  i = if u > 0 then u else 0\n  q' = i\nend\n";
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open(text, m, 20);
        for (int k = 1; k <= 3; k++) {
            advance(lab, 2 * acos(-1) * k);
            expect_near(m, "q", value(lab, "q"), 2 * k, m->error);
        }
        lab_close(lab);
    }
}

// ---- Time events

static void test_pulse_width_modulation(void **state)
{
    (void)state;
    const char *text =
        "model P\n  param tau = 0.02, T = 0.01, duty = 0.3\n  var v = 0\n  discrete u = 0\n"
        "  v' = (u - v)/tau\n  every T from 0 then u := 1 end\n  every T from duty*T then u := 0 end\nend\n";
    FOR_EACH_METHOD(m)
    {
        Method fine = *m;
        fine.step *= 0.02;    // time constants are shorter
        Lab *lab = lab_open(text, &fine, 0.1);
        double v = 0;
        for (int k = 0; k < 10; k++) {
            v = 1 + (v - 1) * exp(-0.003 / 0.02);
            advance(lab, k * 0.01 + 0.003);
            expect_near(m, "v on", value(lab, "v"), v, m->error);
            v *= exp(-0.007 / 0.02);
            advance(lab, (k + 1) * 0.01);
            expect_near(m, "v off", value(lab, "v"), v, m->error);
        }
        for (size_t i = 0; i < lab->n_seen; i++)    // never summed
            assert_true(lab->seen[i].t ==
                        (i % 2 ? 0.3 * 0.01 + (double)(i / 2) * 0.01 : (double)(i / 2) * 0.01));
        assert_int_equal(lab->n_seen, 21);
        lab_close(lab);
    }
}

static void test_difference_equations(void **state)
{
    (void)state;
    const char *text =
        "model D\n  param r = 3.7\n  discrete x = 0.3, a = 0, b = 1\n  next x = r*x*(1 - x) every 1\n"
        "  next a = b every 1\n  next b = a + b every 1\nend\n";
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open(text, m, 30);
        double x = 0.3, a = 0, b = 1;
        for (int k = 1; k <= 30; k++) {
            advance(lab, k - 0.5);
            assert_near(value(lab, "x"), x, 0);
            x = 3.7 * x * (1 - x);
            const double c = a + b;
            a = b;
            b = c;
            advance(lab, k);
            assert_near(value(lab, "x"), x, 0);
            assert_near(value(lab, "b"), b, 0);
        }
        lab_close(lab);
    }
}

static void test_sampled_control(void **state)
{
    (void)state;
    const char *text =
        "model C\n  param k = 3, h = 0.1\n  var x = 1\n  u = -k*hold(sample(x, h))\n  x' = u\nend\n";
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open(text, m, 2);
        double x = 1;
        for (int i = 0; i < 20; i++) {
            advance(lab, 0.1 * i + 0.05);
            expect_near(m, "x between", value(lab, "x"), x * (1 - 3 * 0.05), 1e-10);
            x *= 1 - 3 * 0.1;
        }
        lab_close(lab);
    }
}

// ---- When, in which order

static void test_true_and_false_inside_a_step(void **state)
{
    (void)state;
    // a parabola whose top is above the limit for 0.002, far less than a step
    const char *text =
        "model A\n  var x = 0, v = 1\n  discrete n = 0\n  x' = v\n  v' = -2\n"
        "  when x > 0.249999 then n := n + 1 end\n  when t > 0.52 and t < 0.5201 then n := n + 10 end\nend\n";
    FOR_EACH_METHOD(m)
    {
        Method coarse = *m;
        if (m->step > 0) coarse.step = 0.1;
        Lab *lab = lab_open(text, &coarse, 1);
        advance(lab, 1);
        const bool is_euler = strcmp(m->solver, "euler") == 0;    // its own polygon stays below
        expect_near(m, "n", value(lab, "n"), is_euler ? 20 - 10 : 11, is_euler ? 1 : 0);
        if (!is_euler) {
            double t[4];
            assert_int_equal(times_of(lab, "n", t, 4), 2);
            expect_near(m, "t", t[0], 0.499, 1e-9);
            expect_near(m, "t", t[1], 0.52, 1e-9);
        }
        lab_close(lab);
    }
}

static void test_the_start(void **state)
{
    (void)state;
    const char *text = "model S\n  var x = 0\n  discrete a = 0, b = 0, c = 0, d = 0, e = 0, f = 0\n  x' = 1\n"
                       "  when x <= 0 then a := 1 end\n"                    // true already
                       "  when initial or x > 0.5 then b := b + 1 end\n"    // twice
                       "  at 0 then c := t + 1 end\n  every 0.25 from 0 then d := d + 1 end\n"
                       "  when x > 0 then e := 1 end\n"    // exactly zero at the start
                       "  when initial then f := 7 end\nend\n";
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open(text, m, 1);
        assert_near(value(lab, "a"), 0, 0);
        assert_near(value(lab, "b"), 1, 0);
        assert_near(value(lab, "c"), 1, 0);
        assert_near(value(lab, "d"), 1, 0);
        assert_near(value(lab, "e"), 0, 0);
        assert_near(value(lab, "f"), 7, 0);
        advance(lab, 1);
        assert_near(value(lab, "a"), 0, 0);
        assert_near(value(lab, "b"), 2, 0);
        assert_near(value(lab, "d"), 5, 0);
        assert_near(value(lab, "e"), 1, 0);
        assert_near(value(lab, "f"), 7, 0);
        double t[2] = { 0 };
        assert_int_equal(times_of(lab, "e", t, 1), 1);
        expect_near(m, "e", t[0], 0, 1e-12);
        lab_close(lab);
    }
}

static void test_chains(void **state)
{
    (void)state;
    const char *finite =
        "model F\n  discrete a = 0, b = 0\n  var x = 0\n  x' = 1\n  at 1 then a := 1 end\n"
        "  when a > b then b := b + 1 end\n  when b >= a and a < 20 then a := a + 1 end\nend\n";
    const char *endless = "model E\n  discrete a = 0, b = 0\n  var x = 0\n  x' = 1\n  at 1 then a := 1 end\n"
                          "  when a > b then b := b + 1 end\n  when b >= a then a := a + 1 end\nend\n";
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open(finite, m, 2);
        advance(lab, 2);
        assert_near(value(lab, "a"), 20, 0);
        assert_near(value(lab, "b"), 20, 0);
        assert_int_equal(orr_run_get_facts(lab->run).n_events, 1);
        assert_int_equal(lab->seen[lab->n_seen - 1].iteration, 40);
        lab_close(lab);
        lab = lab_open(endless, m, 2);
        assert_int_equal(orr_run_advance(lab->run, 2), ORR_STATUS_FAILED);
        assert_near(orr_run_time(lab->run), 1, 0);
        const orr_message message = orr_diag_get(lab->diag, 0);
        assert_string_equal(message.code, "E517");
        assert_contains(message.text, "'when a > b'");
        assert_contains(message.text, "'when b >= a'");
        lab_close(lab);
    }
}

static void test_bodies(void **state)
{
    (void)state;
    const char *text =
        "model B\n  var x = 0\n  discrete a = 0, b = 0, c = 0, d = 0, s = 0, p = 0, late = 0\n  x' = 1\n"
        "  y = 2*a\n"
        "  at 1 then s := 10*s + 1; a := 5 end\n"
        "  at 1 priority 2 then s := 10*s + 2 end\n"
        "  at 1 priority -1 then s := 10*s + 3; p := pre(a); c := y end\n"    // y is refreshed between bodies
        "  at 2 then a := a + 1; b := a; d := y end\n"                        // in order; y is that of before
        "  when x > 2.5 then b := 1 elsewhen x > 2.4999 then b := 2 elsewhen x > 2.5 then b := 3 end\n"
        "  when x > 3 after 0.5 then late := t end\n"
        "  at 3.75 then\n    if late > 3.4 and a > 5 then\n      a := 0\n"
        "      if a > 0 then a := -1 else b := 40 end\n"
        "    elseif late > 0 then b := 50\n    else b := 60 end\n"
        "    for i in 1..3\n      b := b + i\n    end\n  end\nend\n";
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open(text, m, 4);
        advance(lab, 1);
        assert_near(value(lab, "s"), 213, 0);
        assert_near(value(lab, "p"), 0, 0);
        assert_near(value(lab, "c"), 10, 0);
        advance(lab, 2);
        assert_near(value(lab, "b"), 6, 0);
        assert_near(value(lab, "d"), 10, 0);
        advance(lab, 2.49995);
        assert_near(value(lab, "b"), 2, 0);
        advance(lab, 2.6);
        assert_near(value(lab, "b"), 1, 0);
        advance(lab, 4);
        expect_near(m, "late", value(lab, "late"), 3.5, 1e-9);
        assert_near(value(lab, "a"), 0, 0);
        assert_near(value(lab, "b"), 46, 0);
        lab_close(lab);
    }
}

static void test_terminate(void **state)
{
    (void)state;
    const char *text = "model T\n  var x = 1\n  x' = -1\n  when x < 0.25 then terminate \"empty\" end\nend\n";
    FOR_EACH_METHOD(m)
    {
        Lab *lab = lab_open(text, m, 4);
        assert_int_equal(orr_run_advance(lab->run, 4), ORR_STATUS_TERMINATED);
        expect_near(m, "t", orr_run_time(lab->run), 0.75, 1e-9);
        assert_string_equal(orr_run_get_facts(lab->run).terminated, "empty");
        assert_int_equal(orr_run_advance(lab->run, 4), ORR_STATUS_TERMINATED);
        lab_close(lab);
    }
}

// Both compilers, and members of an ensemble of steps, see the same bits; recording changes none.
static void test_recording_changes_nothing(void **state)
{
    (void)state;
    FOR_EACH_METHOD(m)
    {
        Lab *a = lab_open(ball, m, 2), *b = lab_open(ball, m, 2);
        advance(a, 2);
        for (int i = 1; i <= 200; i++) {
            advance(b, i * 0.01);
            value(b, "v'");
        }
        assert_true(value(a, "h") == value(b, "h"));
        assert_true(value(a, "v") == value(b, "v"));
        lab_close(a);
        lab_close(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impacts_of_a_ball),
        cmocka_unit_test(test_the_ball_comes_to_rest),
        cmocka_unit_test(test_what_rests_can_be_pushed),
        cmocka_unit_test(test_three_balls_at_once),
        cmocka_unit_test(test_hysteresis),
        cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_sliding_along_two_surfaces),
        cmocka_unit_test(test_sliding_along_many_surfaces),
        cmocka_unit_test(test_sliding_beside_arrays),
        cmocka_unit_test(test_diodes_in_a_bridge),
        cmocka_unit_test(test_sticking_and_slipping),
        cmocka_unit_test(test_thermostat),
        cmocka_unit_test(test_half_wave_rectifier),
        cmocka_unit_test(test_pulse_width_modulation),
        cmocka_unit_test(test_difference_equations),
        cmocka_unit_test(test_sampled_control),
        cmocka_unit_test(test_true_and_false_inside_a_step),
        cmocka_unit_test(test_the_start),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_terminate),
        cmocka_unit_test(test_recording_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

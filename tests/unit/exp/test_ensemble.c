// tests/unit/exp/test_ensemble.c: a member has the same bits however it is computed; members arrive in order;
// one that fails leaves the others alone.
#include "check.h"
#include "orrery/ensemble.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { MEMBERS = 150, ROWS_MOST = 64, COLUMNS_MOST = 64 };

// Everything that members may differ in: parameters, an initial value, elementary functions, time.
#define SMOOTH                                                                                    \
    "model M\n  param a = 1, b = 2\n  var x = 1, y = 0.5, z = 0\n"                                \
    "  x' = sin(a*t)*y - 0.1*x^3 + exp(-b*x^2)\n  y' = a*cos(x) - b*y/(1 + x^2) + log(2 + x^2)\n" \
    "  z' = sqrt(x^2 + 1) - tanh(z) + abs(y)^1.3 + min(x, y)*atan(z) + 1e-3*max(t, 1)*x^7\n"      \
    "  output u = x*y + exp(-z)\nend\n"
// Relations change: at other times, or never, in each member.
#define SWITCHING                                                                             \
    "model M\n  param a = 1, b = 2\n  var x = 1, y = 0.5\n  x' = if y > b then -a else a*y\n" \
    "  y' = 1 - 0.2*y\nend\n"

// Events: they fire at other times in each member, or never.
#define JUMPING                                                                                            \
    "model M\n  param a = 1, b = 2\n  var x = 1, y = 0.5\n  discrete n = 0\n  x' = a*y\n  y' = -x\n"       \
    "  when x > b then\n    y := -0.9*y\n    n := n + 1\n  end\n  every 0.7 then y := y + 0.01 end\nend\n"

// A relation that changes and changes back inside of one step, in some members: x dips below b between two
// grid points.
#define DIPPING                                                             \
    "model M\n  param a = 1, b = 2\n  var x = 1, y = 0\n  discrete n = 0\n" \
    "  x' = 150*a*cos(150*a*t + b)\n  y' = n\n"                             \
    "  when x < -0.7*b then n := n + 1 end\nend\n"

// The run ends at an event, in some members.
#define ENDING                                                                                       \
    "model M\n  param a = 1, b = 2\n  var x = 1, y = 0.5\n  discrete n = 0\n  x' = a*y\n  y' = -x\n" \
    "  when x > 1.3*b then terminate \"far\" end\n  at 0.5 + 0.1*a then n := 1 end\nend\n"

// Some members fail at an event, or between events.
#define BREAKING                                                                             \
    "model M\n  param a = 1, b = 2\n  var x = 1, y = 0.5\n  x' = a*y - 0.01*sqrt(2.5 - y)\n" \
    "  y' = 1 + x - x\n"                                                                     \
    "  when y > 2 then x := log(b - 0.6) end\nend\n"

// Asserts: broken in some members, at other times, for a while or for good, or inside of a step only; one at
// the start, one by an event.
#define CLAIMING                                                                                        \
    "model M\n  param a = 1, b = 2\n  var x = 1, y = 0.5\n  x' = a*y\n  y' = -x\n"                       \
    "  assert x < 0.9*b \"x is small\"\n  assert y > -b or t < 1\n  assert a > 0.55\n"                   \
    "  assert sin(3*t) + x*y < 1.9\n"
#define CLAIMING_AT_EVENTS CLAIMING "  every 0.7 then y := y + 0.3*a end\nend\n"

// Tables with kinks, which are events, and without; two arguments; conditions with calls inside.
#define TABLES                                                                                       \
    "table f(u) linear\n  0 : 0\n  0.4 : 0.5\n  1 : 0.7\n  1.5 : 0.1\n  2 : 1\nend\n"                \
    "table g(u) cubic outside extrapolate\n  0 : 0\n  0.4 : 0.5\n  1 : 0.7\n  1.5 : 0.1\n  2 : 1\n"  \
    "  2.2 : 1\n  3 : 0\nend\n"                                                                      \
    "table k(u, w) linear\n  : 0, 1, 2\n  0 : 0, 0.4, 1\n  1 : 1, 0.5, 2\n  3 : 0, 0, 1\nend\n"      \
    "table s(u) hold\n  0 : 1\n  0.6 : 2\n  1.1 : 1.5\nend\n"                                        \
    "model M\n  param a = 1, b = 2\n  var x = 1, y = 0.5\n  x' = a*f(y) - 0.3*x*noevent(k(x, y))\n"  \
    "  y' = noevent(g(x)) - 0.5*y*s(a*t) + noevent(if x > 0.8 and t < 2*x or x < 0.2 then sin(b*t) " \
    "else exp(-x))\nend\n"

// Too large for one loop: functions over arrays; with conditions in each cell if IF says so.
#define CELLS(N, SOURCE)                                                                  \
    "model M\n  param a = 1, b = 2, n = " N "\n  var x = 1, u[n] = 0.1, r[n]\n"           \
    "  output p = u[1], q = u[n], m = r[2]\n"                                             \
    "  x' = -x\n  for i in 1..n\n    r[i] = a*u[i]*(1 - u[i]/b) + (0.1*i + t)*x\n  end\n" \
    "  u[1]' = r[1] + 3*(u[2] - u[1])\n  u[n]' = r[n] + 3*(u[n-1] - u[n])\n"              \
    "  for i in 2..n-1\n    u[i]' = " SOURCE " + 3*(u[i-1] - 2*u[i] + u[i+1])\n  end\n"
#define ARRAY     CELLS("40", "r[i]") "end\n"
#define SWITCHES  CELLS("40", "(if u[i] > 0.05*i then r[i] else -0.5*r[i])") "end\n"
#define BELLS     CELLS("40", "r[i]") "  discrete c = 0\n  when u[20] > 0.4*b then c := c + 1 end\n" \
                  "  every 0.3 then u[5] := u[5] + 0.05*a end\nend\n"
#define FAMILY    CELLS("1200", "r[i]") "end\n"
#define CLAIMS    CELLS("40", "r[i]") "  assert u[20] < 0.3*b\n  assert u[3] + x < 2.3 \"low\"\nend\n"

// Noise: of a strength that depends on no state, one path moving several of them; of the state's own
// strength; of any. Members that fail, events, asserts and arrays with noise.
#define NOISY                                                                                               \
    "model M\n  param a = 1, b = 2\n  var x = 1, y = 0.5, w\n  w = noise(0.3*a)\n"                          \
    "  x' = -b*x + w + noise(0.1*exp(-t))\n  y' = sin(x) - y + b*w\nend\n"
#define NOISY_DIAGONAL(LAST)                                                                                \
    "model M\n  param a = 1, b = 2\n  var x = 1, y = 0.5, z = 0\n  x' = -a*x + noise(0.2*x)\n"              \
    "  y' = x - log(y + 2) + noise(0.3*(b + cos(y + t)))\n  z' = y\n" LAST "end\n"
#define NOISY_ANYHOW                                                                                        \
    "model M\n  param a = 1, b = 2\n  var x = 1, y = 0.5, w\n  w = noise(1)\n  discrete n = 0\n"            \
    "  x' = -a*y + 0.2*x*y*w\n  y' = x + noise(0.4) + w*sqrt(1.2 - x)\n"                                   \
    "  when y > 0.6*b then\n    n := n + 1\n    y := y - 0.1\n  end\n  every 0.107 then x := 0.9*x end\nend\n"
#define NOISY_CELLS                                                                                         \
    "model M\n  param a = 1, b = 2\n  var x = 1, u[40] = 0.1\n  x' = -x\n"                                 \
    "  for i in 1..40\n    u[i]' = b*x - a*u[i]^2 + noise(0.01*i*u[i])\n  end\nend\n"

typedef struct Told {
    size_t n_members, n_columns;
    orr_status status[MEMBERS];
    size_t n_rows[MEMBERS];
    double times[MEMBERS][ROWS_MOST];
    double rows[MEMBERS][ROWS_MOST * COLUMNS_MOST];
    char   failure[MEMBERS][200], violation[MEMBERS][200];
    size_t n_violations[MEMBERS];
    size_t stop_after;    // 0: never
    size_t n_told, n_pulses;    // by progress
} Told;

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    (void)names, (void)units, (void)time_unit;
    Told *told = self;
    assert_true(n <= COLUMNS_MOST);
    told->n_columns = n;
    return true;
}

static bool member(void *self, const orr_member *m)
{
    Told *told = self;
    assert_int_equal(m->index, told->n_members);    // in order
    told->status[m->index] = m->status;
    told->n_rows[m->index] = m->n_rows;
    assert_true(m->n_rows <= ROWS_MOST);
    if (m->n_rows > 0) {
        memcpy(told->times[m->index], m->times, m->n_rows * sizeof(double));
        memcpy(told->rows[m->index], m->rows, m->n_rows * told->n_columns * sizeof(double));
    }
    snprintf(told->failure[m->index], sizeof told->failure[0], "%s", m->failure ? m->failure : "");
    told->n_violations[m->index] = m->n_violations;
    assert_int_equal(m->n_violations > 0, m->violation != NULL);
    snprintf(told->violation[m->index], sizeof told->violation[0], "%s", m->violation ? m->violation : "");
    return ++told->n_members != told->stop_after;
}

static bool progress(void *self, size_t n_done, size_t n_members)
{
    Told *told = self;
    assert_int_equal(n_members, MEMBERS);
    assert_int_equal(n_done, told->n_members);    // all that arrived, and nothing else
    assert_true(n_done > told->n_told);
    told->n_told = n_done;
    told->n_pulses++;
    return true;
}

typedef struct Trial {
    const char *text, *solver;
    double      every, until, path;
    size_t      n_threads;
    orr_lanes   lanes;
    const volatile int *cancel;
    double    (*value)(size_t i, size_t k);
} Trial;

static const char *const names[] = { "a", "b", "x" };

static double usual(size_t i, size_t k) { return 0.5 + 0.01 * (double)((i * 7 + k * 3) % 101); }

static orr_status try(const Trial *trial, Told *told, orr_ensemble_facts *facts)
{
    static double values[MEMBERS * 3];
    for (size_t i = 0; i < MEMBERS; i++)
        for (size_t k = 0; k < 3; k++) values[3 * i + k] = trial->value ? trial->value(i, k) : usual(i, k);
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse("m.orr", trial->text, strlen(trial->text), diag);
    orr_model *model = source ? orr_model_compile(source, NULL, diag) : NULL;
    if (!model) orr_diag_print(diag, stderr, 0);
    assert_non_null(model);
    orr_experiment e = orr_experiment_default();
    e.until = trial->until;
    e.every = trial->every;
    e.run.solver = trial->solver;
    e.run.step = 0.01;
    e.run.path = trial->path;
    orr_ensemble_options o = orr_ensemble_options_default();
    o.names = names;
    o.n_names = 3;
    o.values = values;
    o.n_members = MEMBERS;
    o.n_threads = trial->n_threads;
    o.lanes = trial->lanes;
    o.cancel = trial->cancel;
    const orr_member_sink sink = { .begin = begin, .member = member, .progress = progress, .self = told };
    const orr_status status = orr_ensemble_run(model, &e, &o, &sink, facts, diag);
    orr_model_destroy(model);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
    return status;
}

static void assert_same(const Told *a, const Told *b)
{
    assert_int_equal(a->n_members, b->n_members);
    for (size_t i = 0; i < a->n_members; i++) {
        assert_int_equal(a->status[i], b->status[i]);
        assert_int_equal(a->n_rows[i], b->n_rows[i]);
        assert_memory_equal(a->times[i], b->times[i], a->n_rows[i] * sizeof(double));
        assert_memory_equal(a->rows[i], b->rows[i], a->n_rows[i] * a->n_columns * sizeof(double));
        assert_string_equal(a->failure[i], b->failure[i]);
        assert_int_equal(a->n_violations[i], b->n_violations[i]);
        assert_string_equal(a->violation[i], b->violation[i]);
    }
}

static Told *told_new(void)
{
    Told *told = calloc(1, sizeof *told);
    assert_non_null(told);
    return told;
}

// Alone in one thread, and any other way.
static void compare(Trial trial)
{
    Told *alone = told_new(), *other = told_new();
    orr_ensemble_facts facts;
    trial.n_threads = 1;
    trial.lanes = ORR_LANES_NEVER;
    assert_int_equal(try(&trial, alone, &facts), ORR_STATUS_OK);
    assert_int_equal(facts.n_in_lanes, 0);
    assert_int_equal(facts.n_done, MEMBERS);
    for (size_t n_threads = 1; n_threads <= 4; n_threads += trial.every == 0 ? 1 : 3) {
        trial.n_threads = n_threads;
        trial.lanes = ORR_LANES_ALWAYS;
        memset(other, 0, sizeof *other);
        assert_int_equal(try(&trial, other, &facts), ORR_STATUS_OK);
        size_t n_sound = 0;
        for (size_t i = 1; i < MEMBERS; i++) n_sound += alone->status[i] == ORR_STATUS_OK;
        assert_int_equal(facts.n_in_lanes, n_sound);
        assert_null(facts.one_by_one);
        assert_same(alone, other);
        assert_int_equal(other->n_told, MEMBERS);    // and at the end all of them
    }
    free(alone);
    free(other);
}

static void compare_ways(const char *text, double every, double until)
{
    static const char *const solvers[] = { "euler", "heun", "rk4", "bs32", "dopri5", "dop853" };
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++)
        compare((Trial){ .text = text, .solver = solvers[s], .every = every, .until = until });
}

static void compare_noise(const char *text, const char *solver, double every, double path)
{
    compare((Trial){ .text = text, .solver = solver, .every = every, .until = 0.5, .path = path });
}

static void test_bits_do_not_depend_on_lanes_and_threads(void **state)
{
    (void)state;
    compare_ways(SMOOTH, 0, 2);
    compare_ways(SMOOTH, 0.1, 2);
    compare_ways(SMOOTH, 0.107, 2);    // rows between the steps
}

static void test_members_with_events_come_back_to_their_lanes(void **state)
{
    (void)state;
    compare_ways(SWITCHING, 0.25, 3);
    compare_ways(SWITCHING, 0, 3);
    compare_ways(JUMPING, 0.25, 3);
    compare_ways(JUMPING, 0.107, 3);    // rows between the steps
    compare_ways(DIPPING, 0.1, 2);
    compare_ways(ENDING, 0.25, 3);
    compare_ways(ENDING, 0, 3);
}

static void test_members_fail_in_lanes_as_they_do_alone(void **state)
{
    (void)state;
    compare_ways(BREAKING, 0.25, 3);
}

// Each claim is told with the time at which it was broken first, to ten digits.
static void test_members_break_their_claims_in_lanes_as_they_do_alone(void **state)
{
    (void)state;
    compare_ways(CLAIMING "end\n", 0, 3);
    compare_ways(CLAIMING "end\n", 0.107, 3);
    compare_ways(CLAIMING_AT_EVENTS, 0.25, 3);
    compare_ways(CLAIMS, 0.1, 0.4);
}

static double spread(size_t i, size_t k) { return 0.5 + 0.01 * (double)(i * (7 + 4 * k) % 101); }

// x' = a/4: above b at t = 4*(b - x)/a, to rounding.
static void test_a_member_tells_when_its_claim_was_broken(void **state)
{
    (void)state;
    static const char text[] =
        "model M\n  param a = 1, b = 2\n  var x = 1\n  x' = a/4\n  assert x <= b\nend\n";
    for (int k = 0; k < 2; k++) {
        Told *told = told_new();
        const Trial trial = { .text = text, .solver = k ? "dopri5" : "rk4", .until = 1, .n_threads = 2,
                              .lanes = ORR_LANES_ALWAYS, .value = spread };
        orr_ensemble_facts facts;
        assert_int_equal(try(&trial, told, &facts), ORR_STATUS_OK);
        assert_int_equal(facts.n_in_lanes, MEMBERS - 1);
        assert_null(facts.one_by_one);
        size_t n_violated = 0;
        for (size_t i = 0; i < MEMBERS; i++) {
            const double a = spread(i, 0), b = spread(i, 1), x = spread(i, 2);
            const double t = x > b ? 0 : 4 * (b - x) / a;
            if (fabs(t - 1) < 1e-12) continue;
            assert_int_equal(told->n_violations[i], t < 1);
            n_violated += t < 1;
            if (t >= 1) continue;
            const char *at = strstr(told->violation[i], "at t = ");
            assert_non_null(at);
            assert_true(fabs(strtod(at + strlen("at t = "), NULL) - t) < 1e-9);
        }
        assert_true(n_violated > 20 && n_violated + 20 < MEMBERS);
        assert_true(facts.n_violated >= n_violated);
        free(told);
    }
}

static void test_noise_has_the_same_bits_in_lanes(void **state)
{
    (void)state;
    static const char *const solvers[] = { "euler-maruyama", "srk" };
    for (int s = 0; s < 2; s++) {
        compare_noise(NOISY, solvers[s], 0, 0);
        compare_noise(NOISY, solvers[s], 0.033, 0);
        compare_noise(NOISY_DIAGONAL(""), solvers[s], 0.1, 0.0025);
        compare_noise(NOISY_DIAGONAL("  assert x < 1.05 \"low\"\n  when y > b then x := 0 end\n"), solvers[s],
                      0.07, 0);
        compare_noise(NOISY_CELLS, solvers[s], 0.25, 0);
    }
    compare_noise(NOISY_ANYHOW, "euler-maruyama", 0.1, 0.005);
}

static void test_tables_have_the_same_bits_in_lanes(void **state)
{
    (void)state;
    compare_ways(TABLES, 0.25, 3);
}

static void test_arrays_have_the_same_bits_in_lanes(void **state)
{
    (void)state;
    compare_ways(ARRAY, 0.1, 0.3);
    compare_ways(ARRAY, 0.033, 0.3);
    compare_ways(SWITCHES, 0.1, 0.4);
    compare_ways(BELLS, 0.1, 0.7);
    compare_ways(FAMILY, 0.02, 0.04);
}

static double failing(size_t i, size_t k) { return k == 2 && i % 50 == 20 ? -3 : usual(i, k); }

static void test_a_member_that_fails_leaves_the_others_alone(void **state)
{
    (void)state;
    // the root of a negative number, from the start or on the way
    static const char text[] = "model M\n  param a = 1, b = 2\n  var x = 1\n  x' = sqrt(x)*a + 0*b\nend\n";
    Told *alone = told_new(), *lanes = told_new();
    orr_ensemble_facts facts;
    Trial trial = {
        .text = text, .solver = "rk4", .until = 1, .n_threads = 2, .lanes = ORR_LANES_NEVER, .value = failing
    };
    assert_int_equal(try(&trial, alone, &facts), ORR_STATUS_OK);
    assert_int_equal(facts.n_failed, 3);
    trial.lanes = ORR_LANES_ALWAYS;
    assert_int_equal(try(&trial, lanes, &facts), ORR_STATUS_OK);
    assert_int_equal(facts.n_failed, 3);
    assert_int_equal(facts.n_in_lanes, MEMBERS - 1 - 3);
    assert_same(alone, lanes);
    for (size_t i = 0; i < MEMBERS; i++) {
        assert_int_equal(lanes->status[i] != ORR_STATUS_OK, i % 50 == 20);
        if (i % 50 == 20) {
            assert_contains(lanes->failure[i], "E5");
            continue;
        }
        // x = (√x0 + a·t/2)²
        const double root = sqrt(usual(i, 2)) + usual(i, 0) / 2;
        assert_true(fabs(lanes->rows[i][0] - root * root) < 1e-9);
    }
    free(alone);
    free(lanes);
}

static void test_an_ensemble_ends_when_asked(void **state)
{
    (void)state;
    Told *told = told_new();
    orr_ensemble_facts facts;
    Trial trial = { .text = SMOOTH, .solver = "rk4", .until = 1, .n_threads = 2 };
    told->stop_after = 40;
    assert_int_equal(try(&trial, told, &facts), ORR_STATUS_SYSTEM);
    assert_int_equal(told->n_members, 40);
    memset(told, 0, sizeof *told);
    const volatile int cancel = 1;
    trial.cancel = &cancel;
    assert_int_equal(try(&trial, told, &facts), ORR_STATUS_CANCELLED);
    assert_int_equal(told->n_members, 0);
    free(told);
}

static void test_what_is_wrong_for_all_is_said_once(void **state)
{
    (void)state;
    Told *told = told_new();
    Trial trial = { .text = SMOOTH, .solver = "runge", .until = 1 };
    assert_int_equal(try(&trial, told, NULL), ORR_STATUS_USAGE);
    trial = (Trial){ .text = "model M\n  param a = 1, c = 2\n  var x = 1\n  x' = a*c\nend\n", .until = 1 };
    assert_int_equal(try(&trial, told, NULL), ORR_STATUS_USAGE);    // there is no b
    assert_int_equal(told->n_members, 0);
    free(told);
}

int main(int argc, char **argv)
{
    char cache[] = "/tmp/orrery-test-XXXXXX", command[64];
    if (!mkdtemp(cache)) return 1;
    setenv("ORRERY_CACHE", cache, 1);
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits_do_not_depend_on_lanes_and_threads),
        cmocka_unit_test(test_members_with_events_come_back_to_their_lanes),
        cmocka_unit_test(test_members_fail_in_lanes_as_they_do_alone),
        cmocka_unit_test(test_members_break_their_claims_in_lanes_as_they_do_alone),
        cmocka_unit_test(test_a_member_tells_when_its_claim_was_broken),
        cmocka_unit_test(test_noise_has_the_same_bits_in_lanes),
        cmocka_unit_test(test_tables_have_the_same_bits_in_lanes),
        cmocka_unit_test(test_arrays_have_the_same_bits_in_lanes),
        cmocka_unit_test(test_a_member_that_fails_leaves_the_others_alone),
        cmocka_unit_test(test_an_ensemble_ends_when_asked),
        cmocka_unit_test(test_what_is_wrong_for_all_is_said_once),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf '%s'", cache);
    return system(command) == 0 ? failed : 1;
}

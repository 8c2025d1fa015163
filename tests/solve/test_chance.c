// tests/solve/test_chance.c: what models draw: from which streams, in which order, and that nothing else
// matters.
//
// The distributions themselves are compared with theory in tests/unit/num/test_random.c; here they are the
// same bits, through flattening and generated code.
#include "lab.h"
#include "num/distribution.h"
#include "orrery/ensemble.h"
#include <stdlib.h>

static orr_run *begin(const Lab *lab, uint64_t seed, uint64_t number)
{
    orr_run_options o = orr_run_options_default();
    o.seed = seed;
    o.number = number;
    o.t_end = 100;
    orr_run *run = orr_run_create(lab->model, &o, lab->diag);
    if (!run) orr_diag_print(lab->diag, stderr, 0);
    assert_non_null(run);
    return run;
}

static double value(orr_run *run, const Lab *lab, const char *name)
{
    const size_t variable = orr_model_find(lab->model, name);
    assert_true(variable != (size_t)-1);
    return orr_run_value(run, variable);
}

// A value after a run to t, with one line.
static double at(const char *text, const char *name, double t, uint64_t seed, uint64_t number)
{
    Lab lab = lab_open(text);
    orr_run *run = begin(&lab, seed, number);
    assert_int_equal(orr_run_advance(run, t), ORR_STATUS_OK);
    const double found = value(run, &lab, name);
    orr_run_destroy(run);
    lab_close(&lab);
    return found;
}

static double drawn(const char *distribution, RandomStream *stream, double a, double b, double c)
{
    const int number = distribution_number(distribution);
    const double args[] = { a, b, c };
    return distribution_draw(number, stream, args,
                             distributions[number].n_arguments ? (size_t)distributions[number].n_arguments
                                                               : 3);
}

// ---- Streams

static const struct {
    const char *call, *name;
    double a, b, c;
} calls[] = {
    { "uniform(-2, 5)", "uniform", -2, 5, 0 },
    { "normal(3, 0.5)", "normal", 3, 0.5, 0 },
    { "lognormal(0.2, 0.8)", "lognormal", 0.2, 0.8, 0 },
    { "exponential(2.5)", "exponential", 2.5, 0, 0 },
    { "gamma(0.7, 2)", "gamma", 0.7, 2, 0 },
    { "triangular(-1, 0.5, 4)", "triangular", -1, 0.5, 4 },
    { "weibull(0.3, 0.1)", "weibull", 0.3, 0.1, 0 },
    { "poisson(12)", "poisson", 12, 0, 0 },
    { "discrete(1, 0, 3)", "discrete", 1, 0, 3 },
};
enum { N_CALLS = sizeof calls / sizeof *calls };

static void test_chance_parameters_are_drawn_from_the_stream_of_their_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CALLS; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model Part\n  param k ~ %s\n  var x = %s\n  x' = 0\nend\n"
                 "model M\n  p[2] : Part\n  param k ~ %s\n  output y = k\nend\n",
                 calls[i].call, calls[i].call, calls[i].call);
        static const char *const names[] = { "k", "p[1].k", "p[2].k", "p[2].x" };
        for (int k = 0; k < 4; k++) {
            RandomStream stream = random_stream(7, 3, names[k]);
            const double expected = drawn(calls[i].name, &stream, calls[i].a, calls[i].b, calls[i].c);
            // gamma multiplies by its scale last, once instead of in between
            assert_near_relative(at(text, names[k], 0, 7, 3), expected, 1e-15);
            assert_true(at(text, names[k], 0, 8, 3) != expected ||
                        distributions[distribution_number(calls[i].name)].is_whole);
        }
    }
}

static void test_chance_events_count_the_draws_of_their_component(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CALLS; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "model Part\n  discrete a = 0, b = 0, c = 0, flips = 0\n  every 1 then\n    a := %s\n"
                 "    if uniform(0, 1) < 0.5 then\n      flips := flips + 1\n      b := %s + uniform(0, 1)\n"
                 "    end\n"
                 "    c := %s\n  end\nend\n"
                 "model M\n  p[2] : Part\nend\n",
                 calls[i].call, calls[i].call, calls[i].call);
        RandomStream s = random_stream(1, 0, "p[2]");
        double a = 0, b = 0, c = 0, flips = 0;
        for (int k = 0; k < 20; k++) {
            a = drawn(calls[i].name, &s, calls[i].a, calls[i].b, calls[i].c);
            if (random_uniform(&s, 0, 1) < 0.5) {
                flips++;
                b = drawn(calls[i].name, &s, calls[i].a, calls[i].b, calls[i].c);
                b += random_uniform(&s, 0, 1);
            }
            c = drawn(calls[i].name, &s, calls[i].a, calls[i].b, calls[i].c);
        }
        assert_true(flips > 3 && flips < 17);
        assert_true(at(text, "p[2].flips", 20.5, 1, 0) == flips);
        assert_near_relative(at(text, "p[2].a", 20.5, 1, 0), a, 1e-15);
        assert_near_relative(at(text, "p[2].b", 20.5, 1, 0), b, 1e-15);
        assert_near_relative(at(text, "p[2].c", 20.5, 1, 0), c, 1e-15);
    }
}

// Neither what stands beside a component nor the order in which components stand changes its luck.
static void test_chance_others_do_not_matter(void **state)
{
    (void)state;
#define PART                                                                                                 \
    "model Part\n  param k ~ normal(0, 1)\n  discrete n = 0\n  every exponential(k^2 + 0.1) then n := n + "  \
    "normal(0, 1) end\nend\n"
    const char *const models[] = {
        PART "model M\n  a : Part\nend\n",
        PART
        "model M\n  b : Part\n  a : Part\n  discrete z = 0\n  every 0.3 then z := uniform(0, 1) end\nend\n",
        PART "model M\n  a : Part\n  b[5] : Part\n  param g ~ gamma(2, 2)\n  var x = 1\n  x' = -g*x\nend\n",
    };
    const double n = at(models[0], "a.n", 20, 5, 2);
    assert_true(n != 0 && at(models[0], "a.n", 20, 5, 3) != n && at(models[0], "a.n", 20, 6, 2) != n);
    for (int i = 1; i < 3; i++) assert_same_bits(at(models[i], "a.n", 20, 5, 2), n);
}

static void test_chance_settings_replace_draws(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  param k ~ normal(2, 0.1), m ~ k + normal(0, 0.1)\n"
                       "  var x = normal(0, 1)\n  x' = k\nend\n");
    const orr_setting settings[] = { { "k", 5 }, { "x", 1 } };
    orr_run_options o = orr_run_options_default();
    o.settings = settings;
    o.n_settings = 2;
    orr_run *run = orr_run_create(lab.model, &o, lab.diag);
    assert_non_null(run);
    RandomStream s = random_stream(1, 0, "m");
    assert_true(value(run, &lab, "k") == 5 && value(run, &lab, "x") == 1);
    assert_same_bits(value(run, &lab, "m"), 5 + random_normal(&s, 0, 0.1));
    orr_run_destroy(run);
    lab_close(&lab);
}

static void test_chance_elements_and_starts_are_drawn_one_by_one(void **state)
{
    (void)state;
    // small arrays, arrays that would stay arrays, and equations of the start
    const char *const text =
        "model M\n  param k[3] ~ normal(0, 1)\n  var u[1200] = uniform(0, 1), w, v\n"
        "  for i in 1..1200\n    u[i]' = -u[i]\n  end\n  w' = 0\n  initial w = normal(1, 1)\n"
        "  v' = 0\n  initial v = 2*w + normal(0, 1)\nend\n";
    RandomStream s = random_stream(1, 0, "k[2]"), u = random_stream(1, 0, "u[1001]");
    RandomStream w = random_stream(1, 0, "w"), v = random_stream(1, 0, "v");
    assert_same_bits(at(text, "k[2]", 0, 1, 0), random_normal(&s, 0, 1));
    assert_same_bits(at(text, "u[1001]", 0, 1, 0), random_uniform(&u, 0, 1));
    const double start = random_normal(&w, 1, 1);
    assert_same_bits(at(text, "w", 0, 1, 0), start);
    assert_same_bits(at(text, "v", 0, 1, 0), 2 * start + random_normal(&v, 0, 1));
}

// ---- Times

// Times between events that are drawn: how many happen is Poisson distributed.
static void test_chance_every_exponential_is_a_poisson_process(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  discrete n = 0, late = 0\n  every exponential(0.25) then n := n + 1 end\n"
                       "  when n > 0 after 1 + exponential(2) then late := t end\nend\n");
    enum { RUNS = 4000, CELLS = 40 };
    static double counts[CELLS];
    memset(counts, 0, sizeof counts);
    double late = 0;
    for (int i = 0; i < RUNS; i++) {
        orr_run *run = begin(&lab, 11, (uint64_t)i);
        assert_int_equal(orr_run_advance(run, 3), ORR_STATUS_OK);
        const double n = value(run, &lab, "n");
        assert_true(n < CELLS);
        counts[(int)n]++;
        assert_int_equal(orr_run_advance(run, 100), ORR_STATUS_OK);
        late += value(run, &lab, "late") / RUNS;
        orr_run_destroy(run);
    }
    double statistic = 0, cells = 0, p = exp(-12);
    for (int k = 0; k < CELLS; p *= 12.0 / ++k)
        if (p * RUNS >= 5) statistic += pow(counts[k] - p * RUNS, 2) / (p * RUNS), cells++;
    // the 0.999 quantile of chi-square, by Wilson and Hilferty; the cells left out take one degree of freedom
    // at most
    const double k = cells - 1, root = 1 - 2 / (9 * k) + 3.09 * sqrt(2 / (9 * k));
    assert_true(statistic < k * root * root * root);
    assert_true(cells > 15);
    // 0.25 until the first, 1, and 2 on average
    assert_near(late, 3.25, 3.3 * sqrt((0.0625 + 4) / RUNS));
    lab_close(&lab);
}

static void test_chance_sampled_noise_is_held_between_samples(void **state)
{
    (void)state;
    const char *const text =
        "model M\n  output s = sample(normal(0, 1), 0.5), r = sample(uniform(0, 1), 0.25)\nend\n";
    double sum = 0, squares = 0, last = 0, repeats = 0;
    Lab lab = lab_open(text);
    orr_run *run = begin(&lab, 1, 0);
    for (int i = 0; i < 180; i++) {
        assert_int_equal(orr_run_advance(run, 0.5 * i + 0.2), ORR_STATUS_OK);
        const double s = value(run, &lab, "s");
        assert_int_equal(orr_run_advance(run, 0.5 * i + 0.4), ORR_STATUS_OK);
        assert_same_bits(value(run, &lab, "s"), s);
        repeats += s == last;
        last = s;
        sum += s;
        squares += s * s;
    }
    assert_true(repeats == 0);    // the start is not drawn again
    assert_near(sum / 180, 0, 3.3 / sqrt(180));
    assert_near(squares / 180, 1, 3.3 * sqrt(2.0 / 180));
    orr_run_destroy(run);
    lab_close(&lab);
}

// An island draws what it would draw as a part of the whole.
static void test_chance_islands_have_the_luck_of_their_names(void **state)
{
    (void)state;
#define PIECE                                                                                                \
    "model Part\n  discrete n = 0\n  var x = 0\n  x' = -x + n\n"                                             \
    "  every exponential(0.5) then n := n + normal(0, 1) end\nend\n"
    const char *const whole = PIECE "model M\n  a, b : Part\nend\n";
    const char *const split = PIECE "model M\n  island a : Part solver rk4 step 0.01\n"
                                    "  island b : Part solver rk4 step 0.01\nend\n";
    const double a = at(whole, "a.n", 3, 5, 2), b = at(whole, "b.n", 3, 5, 2);
    assert_true(a != b && a != 0);
    assert_same_bits(at(split, "a.n", 3, 5, 2), a);
    assert_same_bits(at(split, "b.n", 3, 5, 2), b);
}

// A machine by chance as a component: how often each state follows each.
static void test_chance_machines_in_models_move_by_their_probabilities(void **state)
{
    (void)state;
    Lab lab = lab_open(
        "machine Weather\n  input day\n  start sun\n"
        "  state sun / dry : day -> 0.7 sun | 0.2 cloud | 0.1 rain\n"
        "  state cloud / dry : day -> 0.5 sun | 0.5 rain\n  state rain / wet : day -> cloud\nend\n"
        "model M\n  discrete days = 0\n  w : Weather\n  days -> w.day\n  every 1 then days := days + 1 end\n"
        "end\n");
    static const double expected[3][3] = { { 0.7, 0.2, 0.1 }, { 0.5, 0, 0.5 }, { 0, 1, 0 } };
    double counts[3][3] = { { 0 } };
    RandomStream luck = random_stream(1, 0, "w");
    orr_run_options o = orr_run_options_default();
    o.t_end = 8001;
    orr_run *run = orr_run_create(lab.model, &o, lab.diag);
    if (!run) orr_diag_print(lab.diag, stderr, 0);
    assert_non_null(run);
    int before = 0;
    for (int day = 1; day <= 8000; day++) {
        assert_int_equal(orr_run_advance(run, day + 0.5), ORR_STATUS_OK);
        const int now = (int)value(run, &lab, "w.state") - 1;
        assert_true(now >= 0 && now < 3);
        const double u = random_unit(&luck);    // one for each move of this input
        if (before == 0) assert_int_equal(now, u < 0.7 ? 0 : u < 0.9 ? 1 : 2);
        counts[before][now]++;
        before = now;
    }
    for (int i = 0; i < 3; i++) {
        const double n = counts[i][0] + counts[i][1] + counts[i][2];
        assert_true(n > 500);
        for (int k = 0; k < 3; k++)
            assert_near(counts[i][k] / n, expected[i][k],
                        3.3 * sqrt(expected[i][k] * (1 - expected[i][k]) / n));
    }
    orr_run_destroy(run);
    lab_close(&lab);
}

// ---- Ensembles

enum { MEMBERS = 70 };
typedef struct Kept {
    double x[MEMBERS];
    size_t n;
} Kept;

static bool keep(void *self, const orr_member *m)
{
    Kept *kept = self;
    assert_int_equal(m->status, ORR_STATUS_OK);
    kept->x[m->index] = m->rows[0];
    kept->n++;
    return true;
}

static size_t ensemble(const Lab *lab, size_t n_threads, orr_lanes lanes, bool common, Kept *kept)
{
    orr_experiment e = orr_experiment_default();
    e.until = 1;
    e.run.solver = "rk4";
    e.run.step = 0.01;
    e.run.seed = 3;
    e.run.number = 100;
    orr_ensemble_options o = orr_ensemble_options_default();
    o.n_members = MEMBERS;
    o.n_threads = n_threads;
    o.lanes = lanes;
    o.common = common;
    *kept = (Kept){ 0 };
    const orr_member_sink sink = { .member = keep, .self = kept };
    orr_ensemble_facts facts;
    assert_int_equal(orr_ensemble_run(lab->model, &e, &o, &sink, &facts, lab->diag), ORR_STATUS_OK);
    assert_int_equal(kept->n, MEMBERS);
    return facts.n_in_lanes;
}

static void test_chance_members_have_the_luck_of_their_run_number(void **state)
{
    (void)state;
    const char *const texts[] = {
        "model M\n  param k ~ normal(2, 0.5)\n  var x = lognormal(0, 0.1)\n  x' = -k*x\nend\n",
        "model M\n  param k ~ normal(2, 0.5)\n  var x = 1\n  x' = -k*x\n"
        "  every exponential(0.1) then x := x + normal(0, 1) end\nend\n",
    };
    for (int i = 0; i < 2; i++) {
        Lab lab = lab_open(texts[i]);
        static Kept one, two, lanes, common;
        ensemble(&lab, 1, ORR_LANES_NEVER, false, &one);
        ensemble(&lab, 3, ORR_LANES_NEVER, false, &two);
        const size_t n_in_lanes = ensemble(&lab, 2, ORR_LANES_ALWAYS, false, &lanes);
        ensemble(&lab, 2, ORR_LANES_NEVER, true, &common);
        if (i == 0) assert_true(n_in_lanes > MEMBERS / 2);
        for (int m = 0; m < MEMBERS; m++) {
            orr_run_options o = orr_run_options_default();
            o.seed = 3;
            o.number = 100 + (uint64_t)m;
            o.solver = "rk4";
            o.step = 0.01;
            o.t_end = 1;
            orr_run *run = orr_run_create(lab.model, &o, lab.diag);
            assert_non_null(run);
            assert_int_equal(orr_run_advance(run, 1), ORR_STATUS_OK);
            assert_same_bits(one.x[m], value(run, &lab, "x"));
            orr_run_destroy(run);
            assert_same_bits(two.x[m], one.x[m]);
            assert_same_bits(lanes.x[m], one.x[m]);
            assert_same_bits(common.x[m], one.x[0]);
            assert_true(m == 0 || one.x[m] != one.x[0]);
        }
        lab_close(&lab);
    }
}

// ---- Mistakes

static void says(const char *text, double t, const char *code, const char *part)
{
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse("test.orr", text, strlen(text), diag);
    orr_model *model = source ? orr_model_compile(source, NULL, diag) : NULL;
    orr_run *run = model ? orr_run_create(model, NULL, diag) : NULL;
    if (run) assert_true(orr_run_advance(run, t) != ORR_STATUS_OK);
    bool found = false;
    for (size_t i = 0; i < orr_diag_count(diag); i++) {
        const orr_message m = orr_diag_get(diag, i);
        found = found || (strcmp(m.code, code) == 0 && strstr(m.text, part));
    }
    if (!found) orr_diag_print(diag, stderr, 0);
    assert_true(found);
    orr_run_destroy(run);
    orr_model_destroy(model);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
}

static void test_chance_mistakes_are_told_with_place_and_value(void **state)
{
    (void)state;
    says("model M\n  var x = 1\n  x' = normal(0, 1)\nend\n", 1, "E190", "'normal'");
    says("model M\n  param n ~ poisson(4)\n  var u[n] = 1\n  u[1]' = 0\nend\n", 1, "E190", "'poisson'");
    says("model M\n  var x = 1\n  x' = -x\n  when uniform(0, 1) > x then x := 2 end\nend\n", 1, "E190",
         "'uniform'");
    says("model M\n  param k ~ normal(0, -1)\n  output y = k\nend\n", 1, "E191",
         "deviation = -1 must not be negative");
    says("model M\n  param s = -2, k ~ normal(0, s)\n  output y = k\nend\n", 1, "E191",
         "deviation = -2 must not be negative");
    says("model M\n  discrete a = 1, b = 0\n  every 1 then\n    a := a - 1\n    b := gamma(a, 1)\n"
         "  end\nend\n",
         3, "E191", "shape = 0 must be positive");
    says("model M\n  discrete a = 1\n  every exponential(a) then a := a - 2 end\nend\n", 30, "E191",
         "mean = -1");
    says("model M\n  discrete a = 1\n  every normal(0.5, 1) then a := a - 2 end\nend\n", 30, "E407", "every");
    says("model M\n  param k ~ normal(1)\n  output y = k\nend\n", 1, "E111", "mean, deviation");
    says("model M\n  param k ~ empirical(waits)\n  output y = k\nend\n", 1, "E192", "'waits'");
    says("model M\n  param k ~ expnential(2)\n  output y = k\nend\n", 1, "E110", "'expnential'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chance_parameters_are_drawn_from_the_stream_of_their_name),
        cmocka_unit_test(test_chance_events_count_the_draws_of_their_component),
        cmocka_unit_test(test_chance_others_do_not_matter),
        cmocka_unit_test(test_chance_settings_replace_draws),
        cmocka_unit_test(test_chance_elements_and_starts_are_drawn_one_by_one),
        cmocka_unit_test(test_chance_every_exponential_is_a_poisson_process),
        cmocka_unit_test(test_chance_sampled_noise_is_held_between_samples),
        cmocka_unit_test(test_chance_islands_have_the_luck_of_their_names),
        cmocka_unit_test(test_chance_machines_in_models_move_by_their_probabilities),
        cmocka_unit_test(test_chance_members_have_the_luck_of_their_run_number),
        cmocka_unit_test(test_chance_mistakes_are_told_with_place_and_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

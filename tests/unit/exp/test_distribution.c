// tests/unit/exp/test_distribution.c: statistics of an experiment: exact where counted by hand, as
// queueing theory says where not, behind the warm-up only, and the same whatever threads do.
#include "check.h"
#include "lab.h"
#include "orrery/distribution.h"
#include "orrery/replicate.h"

static orr_experiment experiment_of(const Lab *lab)
{
    orr_experiment e;
    const bool ok = orr_experiment_get(lab->source, NULL, &e, lab->diag);
    if (!ok) orr_diag_print(lab->diag, stderr, 0);
    assert_true(ok);
    return e;
}

// Shows 1, 2, 3, 4, 1, …, each for as long as it says; adds it when it ends.
#define STAIRS                                                                                               \
    "atomic Stairs\n  output event step\n  var n = 1, seen = tally(), height = level(1)\n"                   \
    "  state on for n\n"                                                                                     \
    "    after send step(n) do add(seen, n); n := if n == 4 then 1 else n + 1; set(height, n) -> on\nend\n"  \
    "model M\n  param k = 1\n  stairs : Stairs\nend\nexperiment e of M\n"

static orr_outcome simulate(Lab *lab, const char *statements)
{
    char text[2000];
    snprintf(text, sizeof text, STAIRS "%send\n", statements);
    *lab = lab_open(text);
    const orr_experiment e = experiment_of(lab);
    orr_outcome outcome = orr_simulate(lab->model, &e, NULL, 0, lab->diag);
    if (outcome.status != ORR_STATUS_OK) orr_diag_print(lab->diag, stderr, 0);
    assert_int_equal(outcome.status, ORR_STATUS_OK);
    return outcome;
}

static void test_distribution_counts_values_and_weighs_levels_by_time(void **state)
{
    (void)state;
    Lab lab;
    orr_outcome o = simulate(&lab,
                             "  until 20\n  statistics stairs.seen, stairs.height, stairs.n histogram\n");
    assert_int_equal(o.n_distributions, 3);
    for (size_t i = 0; i < 3; i++) {
        const orr_distribution *d = &o.distributions[i];
        orr_bins bins;
        orr_distribution_bins(d, &bins);
        assert_int_equal(d->is_level, i > 0);
        assert_int_equal(bins.n, 4);
        assert_true(bins.is_each && bins.low == 1 && bins.high == 5);
        for (size_t k = 0; k < 4; k++)
            assert_near(bins.weights[k], i == 0 ? 2 : 2.0 * (double)(k + 1), 1e-12);
        assert_near(orr_distribution_weight(d), i == 0 ? 8 : 20, 0);
        // 1, 2, 3, 4 once each; for as long as they say: (1 + 4 + 9 + 16)/10
        assert_near(orr_distribution_mean(d), i == 0 ? 2.5 : 3, 1e-12);
        assert_near(orr_distribution_percentile(d, 50), i == 0 ? 2 : 3, 0);
        assert_near(orr_distribution_percentile(d, 75), i == 0 ? 3 : 4, 0);
        assert_near(orr_distribution_percentile(d, 100), 4, 0);
        assert_near(orr_distribution_lowest(d), 1, 0);
        assert_near(orr_distribution_below(d, 3), i == 0 ? 4 : 6, 1e-12);
        assert_int_equal(d->asked.n_percentiles, 3);
    }
    // what is looked at is what the component keeps, to the last bit
    assert_true(orr_distribution_mean(&o.distributions[1]) == orr_distribution_mean(&o.distributions[2]));
    assert_true(orr_distribution_deviation(&o.distributions[1]) ==
                orr_distribution_deviation(&o.distributions[2]));
    orr_outcome_free(&o);
    lab_close(&lab);
}

static void test_distribution_begins_behind_the_warm_up(void **state)
{
    (void)state;
    Lab lab;
    // from 4.5, inside of the 3, to 12.5, inside of the second 2: 3 for 1.5, 4 for 4, 1 for 1, 2 for 1.5
    orr_outcome o = simulate(&lab,
                             "  until 12.5\n  warm up 4.5\n"
                             "  statistics stairs.seen, stairs.height, stairs.n histogram 4 bins in 1..5\n");
    static const double counts[] = { 1, 0, 1, 1 }, times[] = { 1, 1.5, 1.5, 4 };
    for (size_t i = 0; i < 3; i++) {
        orr_bins bins;
        orr_distribution_bins(&o.distributions[i], &bins);
        for (size_t k = 0; k < 4; k++) assert_near(bins.weights[k], i == 0 ? counts[k] : times[k], 1e-12);
    }
    orr_outcome_free(&o);
    lab_close(&lab);
}

static void test_distribution_tells_what_lies_outside_of_its_bins(void **state)
{
    (void)state;
    Lab lab;
    orr_outcome o = simulate(
        &lab, "  until 20\n  statistics stairs.n percentiles 0, 12.5, 99.9 histogram 2 bins in 2..4\n");
    orr_bins bins;
    orr_distribution_bins(&o.distributions[0], &bins);
    assert_int_equal(bins.n, 2);
    assert_near(bins.below, 2, 1e-12);
    assert_near(bins.weights[0], 4, 1e-12);
    assert_near(bins.weights[1], 6, 1e-12);
    assert_near(bins.above, 8, 1e-12);
    assert_near(o.distributions[0].asked.percentiles[1], 12.5, 0);
    orr_outcome_free(&o);
    lab_close(&lab);
}

static void test_distribution_fits_bins_with_round_edges(void **state)
{
    (void)state;
    static const double usual[] = { 50 };
    for (int turn = 0; turn < 200; turn++) {
        orr_distribution d = { .asked = { .name = "x",
                                          .percentiles = usual,
                                          .n_percentiles = 1,
                                          .n_bins = 1 + (size_t)turn % 37 } };
        const double scale = pow(10, turn % 13 - 6), shift = (turn % 5 - 2) * 3.7 * scale;
        uint64_t seed = (uint64_t)turn + 1;
        const int n = 1 + turn % 90;
        for (int i = 0; i < n; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            orr_tally_add(&d.tally, shift + scale * (double)(seed >> 40) / 0x1p24);
        }
        orr_bins bins;
        orr_distribution_bins(&d, &bins);
        double sum = 0;
        for (size_t i = 0; i < bins.n; i++) sum += bins.weights[i];
        assert_in_range(bins.n, 1, d.asked.n_bins);
        assert_true(bins.low <= orr_distribution_lowest(&d) && bins.high > orr_distribution_highest(&d));
        assert_near(sum, n, 1e-9 * n);
        // 1, 2 or 5 times a power of ten
        const double width = (bins.high - bins.low) / (double)bins.n, power = log10(width);
        const double digit = round(pow(10, power - floor(power + 1e-9)) * 1e6) / 1e6;
        assert_true(digit == 1 || digit == 2 || digit == 5 || n == 1 || d.asked.n_bins == 1);
    }
    orr_distribution empty = { .asked = { .name = "x", .n_bins = 3 } };
    orr_bins bins;
    orr_distribution_bins(&empty, &bins);
    assert_int_equal(bins.n, 0);
}

#define QUEUE                                                                                                \
    "record Job\n  born\nend\n"                                                                              \
    "atomic Source\n  output event job : Job\n  state on for exponential(1)\n    after send job(Job(t)) -> " \
    "on\nend\n"                                                                                              \
    "atomic Desk\n  input event job : Job\n  var waiting = queue(Job), now : Job, times = tally()\n  start " \
    "idle\n"                                                                                                 \
    "  state idle\n    on job do now := job -> busy\n"                                                       \
    "  state busy for exponential(0.5)\n    on job do push(waiting, job) -> busy keeping time\n"             \
    "    after do add(times, t - now.born) -> if empty(waiting) then idle else do now := pop(waiting) -> "   \
    "busy\nend\n"                                                                                            \
    "model M\n  source : Source\n  desk : Desk\n  source.job -> desk.job\nend\nexperiment e of M\n  until "  \
    "2000\n  warm up 50\n"                                                                                   \
    "  replications 40\n  statistics desk.times percentiles 50, 90 histogram 10 bins in 0..5\n  statistics " \
    "desk.state, desk.waiting\n"                                                                             \
    "  record desk.times.p90\n"

static void test_distribution_of_replications_is_that_of_theory_and_of_all_runs(void **state)
{
    (void)state;
    Lab lab = lab_open(QUEUE "end\n");
    const orr_experiment e = experiment_of(&lab);
    orr_replications r[2];
    for (size_t i = 0; i < 2; i++) {
        const orr_replicate_options o = { .n_threads = i ? 3 : 1 };
        r[i] = orr_replicate(lab.model, &e, &o, lab.diag);
        assert_int_equal(r[i].status, ORR_STATUS_OK);
        assert_int_equal(r[i].n_distributions, 3);
    }
    assert_memory_equal(r[0].distributions, r[1].distributions, 3 * sizeof *r[0].distributions);

    // M/M/1, half busy: times are exponential with mean 1
    const orr_distribution *times = &r[0].distributions[0];
    const double n = orr_distribution_weight(times);
    assert_true(n > 70000);
    assert_near(orr_distribution_mean(times), 1, 0.03);
    assert_near(orr_distribution_percentile(times, 50), log(2), 0.03);
    assert_near(orr_distribution_percentile(times, 90), log(10), 0.08);
    orr_bins bins;
    orr_distribution_bins(times, &bins);
    for (size_t i = 0; i < bins.n; i++) {
        const double low = 0.5 * (double)i, expected = exp(-low) - exp(-low - 0.5);
        assert_near(bins.weights[i] / n, expected, 0.01);
    }
    assert_near(orr_distribution_mean(&r[0].distributions[1]), 1.5, 0.02);    // state 1 is idle, 2 is busy
    assert_near(orr_distribution_weight(&r[0].distributions[1]), 40 * 1950, 1e-6);
    assert_near(orr_distribution_mean(&r[0].distributions[2]), 0.5, 0.04);

    // the runs one by one, merged
    orr_distribution sum = { 0 };
    double mean = 0, p90 = 0;
    for (uint64_t i = 0; i < 40; i++) {
        orr_experiment one = e;
        one.run.number = i;
        orr_outcome o = orr_simulate(lab.model, &one, NULL, 0, lab.diag);
        mean += orr_distribution_mean(&o.distributions[0]) / 40;
        p90 += orr_distribution_percentile(&o.distributions[0], 90) / 40;
        if (i == 0) sum = o.distributions[0];
        else orr_distribution_merge(&sum, &o.distributions[0]);
        orr_outcome_free(&o);
    }
    assert_memory_equal(&sum.tally, &times->tally, sizeof sum.tally);
    size_t n_seen = 0;
    for (size_t i = 0; i < r[0].n_estimates; i++) {
        const orr_estimate *x = &r[0].estimates[i];
        if (strcmp(x->name, "desk.times.mean") == 0) assert_near(x->mean, mean, 1e-12), n_seen++;
        if (strcmp(x->name, "desk.times.p90") == 0)
            assert_near(x->mean, p90, 1e-12), n_seen++;    // once, though recorded too
        if (strcmp(x->name, "desk.waiting.p99") == 0) n_seen++;
    }
    assert_int_equal(n_seen, 3);
    orr_replications_free(&r[0]);
    orr_replications_free(&r[1]);
    lab_close(&lab);
}

static void test_distribution_precision_of_statistics(void **state)
{
    (void)state;
    Lab lab = lab_open(QUEUE "end\n");
    orr_experiment e = experiment_of(&lab);
    static const char *const precise[] = { "desk.times.p50" };
    e.replications = 0;
    e.precision = 0.02;
    e.precise = precise;
    e.n_precise = 1;
    orr_replications r = orr_replicate(lab.model, &e, NULL, lab.diag);
    assert_int_equal(r.status, ORR_STATUS_OK);
    assert_true(r.is_precise && r.n_done > 10 && r.n_done < 200);
    for (size_t i = 0; i < r.n_estimates; i++)
        if (strcmp(r.estimates[i].name, precise[0]) == 0)
            assert_true(r.estimates[i].half <= 0.02 * r.estimates[i].mean);
    orr_replications_free(&r);
    e.n_precise = 0;    // then the means of statistics
    r = orr_replicate(lab.model, &e, NULL, lab.diag);
    for (size_t i = 0; i < r.n_estimates; i++)
        if (strstr(r.estimates[i].name, ".mean"))
            assert_true(r.estimates[i].half <= 0.02 * r.estimates[i].mean);
    orr_replications_free(&r);
    lab_close(&lab);
}

// Of equations: x runs from 0 to 1 and s is a sine, one period; both are known in closed form.
static void test_distribution_of_equations_is_weighed_by_time(void **state)
{
    (void)state;
    static const char text[] =
        "model M\n  param k = 1\n  var x = 0\n  output s\n  x' = k\n  s = sin(2*pi*t)\nend\n"
        "experiment e of M\n  until 1\n  every 0.001\n  statistics x, s percentiles 25, 50\n"
        "  statistics x' histogram\nend\n";
    Lab lab = lab_open(text);
    orr_experiment e = experiment_of(&lab);
    orr_outcome o = orr_simulate(lab.model, &e, NULL, 0, lab.diag);
    assert_int_equal(o.status, ORR_STATUS_OK);
    assert_int_equal(o.n_distributions, 3);
    const orr_distribution *x = &o.distributions[0], *s = &o.distributions[1];
    assert_true(x->is_level);
    assert_near(orr_distribution_weight(x), 1, 1e-12);
    assert_near(orr_distribution_mean(x), 0.5, 1e-9);
    assert_near(orr_distribution_deviation(x), sqrt(1.0 / 12), 1e-4);
    assert_near(orr_distribution_lowest(x), 0, 0);
    assert_near(orr_distribution_highest(x), 1, 1e-9);
    assert_near(orr_distribution_percentile(x, 25), 0.25, 0.01);
    assert_near(orr_distribution_percentile(x, 50), 0.5, 0.01);
    assert_near(orr_distribution_mean(s), 0, 1e-9);
    assert_near(orr_distribution_deviation(s), sqrt(0.5), 1e-4);
    assert_near(orr_distribution_percentile(s, 25), -sqrt(0.5), 0.02);
    assert_near(orr_distribution_mean(&o.distributions[2]), 1, 1e-12);
    orr_outcome_free(&o);

    // rows of any distance: straight lines between them are exact for x, behind the warm-up too
    e.every = 0.3;
    e.warm_up = 0.4;
    o = orr_simulate(lab.model, &e, NULL, 0, lab.diag);
    assert_int_equal(o.status, ORR_STATUS_OK);
    assert_near(orr_distribution_weight(&o.distributions[0]), 0.6, 1e-12);
    // 0.4 to 0.45 counts as 0.3, to 0.75 as 0.6, to 0.95 as 0.9, then as 1
    assert_near(orr_distribution_mean(&o.distributions[0]),
                (0.05 * 0.3 + 0.3 * 0.6 + 0.2 * 0.9 + 0.05 * 1) / 0.6, 1e-9);
    orr_outcome_free(&o);

    // without rows asked for: at each step
    e.every = e.warm_up = 0;
    e.run.solver = "rk4";
    e.run.step = 0.001;
    o = orr_simulate(lab.model, &e, NULL, 0, lab.diag);
    assert_int_equal(o.status, ORR_STATUS_OK);
    assert_near(orr_distribution_mean(&o.distributions[0]), 0.5, 1e-9);
    assert_near(orr_distribution_deviation(&o.distributions[1]), sqrt(0.5), 1e-4);
    orr_outcome_free(&o);

    // replications observe its mean and percentiles, with rows and without
    e.replications = 3;
    for (int k = 0; k < 2; k++) {
        e.every = k ? 0.01 : 0;
        orr_replications r = orr_replicate(lab.model, &e, NULL, lab.diag);
        assert_int_equal(r.status, ORR_STATUS_OK);
        bool found = false;
        for (size_t i = 0; i < r.n_estimates; i++) {
            if (strcmp(r.estimates[i].name, "x.mean") != 0) continue;
            found = true;
            assert_near(r.estimates[i].mean, 0.5, 1e-9);
        }
        assert_true(found);
        assert_near(orr_distribution_weight(&r.distributions[0]), 3, 1e-9);
        assert_near(orr_distribution_deviation(&r.distributions[1]), sqrt(0.5), 1e-3);
        orr_replications_free(&r);
    }
    lab_close(&lab);
}

static void refuse(const char *statements, const char *code, const char *words)
{
    char text[2000];
    snprintf(text, sizeof text, STAIRS "  until 20\n%send\n", statements);
    Lab lab = lab_open(text);
    orr_experiment e;
    if (orr_experiment_get(lab.source, NULL, &e, lab.diag)) {
        orr_outcome o = orr_simulate(lab.model, &e, NULL, 0, lab.diag);
        assert_int_equal(o.status, ORR_STATUS_USAGE);
        orr_outcome_free(&o);
    }
    bool found = false;
    for (size_t i = 0; i < orr_diag_count(lab.diag); i++) {
        const orr_message m = orr_diag_get(lab.diag, i);
        found |= strcmp(m.code, code) == 0 && strstr(m.text, words) && m.line > 0;
    }
    if (!found) orr_diag_print(lab.diag, stderr, 0);
    assert_true(found);
    lab_close(&lab);
}

static void test_distribution_refuses_what_has_none(void **state)
{
    (void)state;
    refuse("  statistics stairs.sen\n", "E447", "nothing is called that");
    refuse("  statistics stairs.seen.mean\n", "E447", "it is a statistic itself");
    refuse("  statistics stairs.seen, stairs.seen\n", "E447", "it is named twice");
    refuse("  statistics k\n", "E447", "it stays as it is");
    refuse("  plot histogram of stairs.steps\n", "E447", "nothing is called that");
    refuse("  statistics stairs.seen percentiles 101\n", "E407", "from 0 to 100");
    refuse("  statistics stairs.seen histogram 2.5 bins\n", "E407", "a whole number");
    refuse("  statistics stairs.seen histogram 5 bins in 2..1\n", "E407", "the lower end comes first");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distribution_counts_values_and_weighs_levels_by_time),
        cmocka_unit_test(test_distribution_begins_behind_the_warm_up),
        cmocka_unit_test(test_distribution_tells_what_lies_outside_of_its_bins),
        cmocka_unit_test(test_distribution_fits_bins_with_round_edges),
        cmocka_unit_test(test_distribution_of_replications_is_that_of_theory_and_of_all_runs),
        cmocka_unit_test(test_distribution_precision_of_statistics),
        cmocka_unit_test(test_distribution_of_equations_is_weighed_by_time),
        cmocka_unit_test(test_distribution_refuses_what_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

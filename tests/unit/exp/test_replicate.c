// tests/unit/exp/test_replicate.c: intervals that hold the mean as often as they say, whatever the threads
// do; precision that is reached and not overshot; the warm-up left out; what is complete is kept when it ends
// early.
#include "lab.h"
#include "orrery/replicate.h"

#define NORMAL                                                                                               \
    "model M\n  param k ~ normal(3, 2)\n  output y = k\nend\nexperiment e of M\n  until 1\n  record y\n"

static double coverage(const char *statements, double mean, int n_trials)
{
    char text[400];
    snprintf(text, sizeof text, NORMAL "%send\n", statements);
    Lab lab = lab_open(text);
    int n = 0;
    for (int i = 0; i < n_trials; i++) {
        lab.e.run.seed = 1000 + (uint64_t)i;
        const orr_replicate_options o = { .n_threads = 1 };
        orr_replications r = orr_replicate(lab.model, &lab.e, &o, lab.diag);
        assert_int_equal(r.status, ORR_STATUS_OK);
        assert_int_equal(r.n_estimates, 1);
        n += fabs(r.estimates[0].mean - mean) <= r.estimates[0].half;
        orr_replications_free(&r);
    }
    lab_close(&lab);
    return (double)n / n_trials;
}

static void test_replicate_intervals_hold_the_mean_as_often_as_they_say(void **state)
{
    (void)state;
    enum { TRIALS = 2000 };
    assert_near(coverage("  replications 4\n", 3, TRIALS), 0.95, 3.3 * sqrt(0.95 * 0.05 / TRIALS));
    assert_near(coverage("  replications 12\n  confidence 0.8\n", 3, TRIALS), 0.8,
                3.3 * sqrt(0.8 * 0.2 / TRIALS));
    // stopping when the interval happens to be short costs some of it
    const double sequential = coverage("  precision 0.2\n", 3, TRIALS / 4);
    assert_true(sequential > 0.9 && sequential < 0.97);
}

static bool keep(void *context, size_t index, const char *const *names, const double *values, size_t n)
{
    double *kept = context;
    assert_string_equal(names[0], "x");
    assert_int_equal(n, 2);
    if (index < 500) kept[index] = values[0];
    return true;
}

#define WALK                                                                                                 \
    "model M\n  discrete x = 0\n  every exponential(1) then x := x + normal(0.5, 1) end\nend\n"              \
    "experiment e of M\n  until 20\n  every 1\n  seed 5\n"

static void test_replicate_does_not_depend_on_threads(void **state)
{
    (void)state;
    Lab lab = lab_open(WALK "  precision 0.1 of x\nend\n");
    static double one[500], other[500];
    orr_replicate_options o = { .n_threads = 1, .replication = keep, .context = one };
    orr_replications a = orr_replicate(lab.model, &lab.e, &o, lab.diag);
    o.n_threads = 3;
    o.context = other;
    orr_replications b = orr_replicate(lab.model, &lab.e, &o, lab.diag);
    assert_int_equal(a.status, ORR_STATUS_OK);
    assert_int_equal(b.status, ORR_STATUS_OK);
    assert_true(a.is_precise && a.n_done > 20 && a.n_done < 500);
    assert_int_equal(a.n_done, b.n_done);
    for (size_t i = 0; i < a.n_done; i++) assert_same_bits(one[i], other[i]);
    for (size_t i = 0; i < a.n_estimates; i++) {
        assert_same_bits(a.estimates[i].mean, b.estimates[i].mean);
        assert_same_bits(a.estimates[i].half, b.estimates[i].half);
    }
    // the estimates are those of the values told
    double sum = 0, squares = 0;
    for (size_t i = 0; i < a.n_done; i++) sum += one[i];
    for (size_t i = 0; i < a.n_done; i++) squares += pow(one[i] - sum / (double)a.n_done, 2);
    assert_near_relative(a.estimates[0].mean, sum / (double)a.n_done, 1e-12);
    assert_near_relative(a.estimates[0].deviation, sqrt(squares / ((double)a.n_done - 1)), 1e-12);
    // precise for the first time
    assert_true(a.estimates[0].half <= 0.1 * a.estimates[0].mean);
    lab.e.replications = a.n_done - 1;
    lab.e.precision = 0;
    orr_replications before = orr_replicate(lab.model, &lab.e, NULL, lab.diag);
    assert_true(before.estimates[0].half > 0.1 * before.estimates[0].mean);
    orr_replications_free(&before);
    orr_replications_free(&a);
    orr_replications_free(&b);
    lab_close(&lab);
}

static void test_replicate_leaves_the_warm_up_out(void **state)
{
    (void)state;
    // 100 at the start, 0 from t = 5 on, with noise
    Lab lab = lab_open(
        "model M\n  discrete x = 100\n  every 1 then x := if t < 4.5 then 100 else normal(7, 1) end\nend\n"
        "experiment e of M\n  until 30\n  every 1\n  warm up 5\n  replications 40\nend\n");
    orr_replications r = orr_replicate(lab.model, &lab.e, NULL, lab.diag);
    assert_int_equal(r.status, ORR_STATUS_OK);
    assert_string_equal(r.estimates[1].name, "mean(x)");
    // 26 rows of 40 replications
    assert_near(r.estimates[1].mean, 7, 3.3 / sqrt(26 * 40));
    assert_near_relative(r.estimates[1].deviation, 1 / sqrt(26), 0.4);
    orr_replications_free(&r);
    lab.e.warm_up = 0;
    r = orr_replicate(lab.model, &lab.e, NULL, lab.diag);
    assert_true(r.estimates[1].mean > 20);
    orr_replications_free(&r);
    lab.e.warm_up = 30;
    r = orr_replicate(lab.model, &lab.e, NULL, lab.diag);
    assert_int_equal(r.status, ORR_STATUS_USAGE);
    orr_replications_free(&r);
    lab_close(&lab);
}

static volatile int cancelled;
static bool cancel_soon(void *context, size_t index, const char *const *names, const double *values, size_t n)
{
    (void)context, (void)names, (void)values, (void)n;
    __atomic_store_n(&cancelled, index >= 40, __ATOMIC_RELAXED);
    return true;
}

static void test_replicate_ends_early_with_what_is_complete(void **state)
{
    (void)state;
    Lab lab = lab_open(WALK "  replications 100000\nend\n");
    const orr_replicate_options o = { .cancel = &cancelled, .replication = cancel_soon };
    cancelled = 0;
    orr_replications r = orr_replicate(lab.model, &lab.e, &o, lab.diag);
    assert_int_equal(r.status, ORR_STATUS_CANCELLED);
    assert_true(r.n_done > 40 && r.n_done < 1000 && r.n_estimates == 2);
    assert_near(r.estimates[0].mean, 10, 6 * r.estimates[0].half);
    orr_replications_free(&r);
    lab_close(&lab);
}

static void test_replicate_counts_failures_and_judges_means(void **state)
{
    (void)state;
    Lab lab = lab_open(
        "model M\n  param k ~ uniform(-1, 3)\n  output y = sqrt(k)\nend\nexperiment e of M\n  until 1\n"
        "  replications 400\n  record y\n  expect y = 1.1547 within 0.1\nend\n");
    orr_replications r = orr_replicate(lab.model, &lab.e, NULL, lab.diag);
    assert_int_equal(r.status, ORR_STATUS_OK);
    assert_near((double)r.n_failed, 100, 30);
    assert_int_equal(r.n_done + r.n_failed, 400);
    assert_int_equal(orr_diag_count(lab.diag), 1);
    assert_string_equal(orr_diag_get(lab.diag, 0).code, "E545");
    assert_near(r.estimates[0].mean, 2 / sqrt(3), 3 * r.estimates[0].half);    // of those that did not fail
    assert_int_equal(r.n_verdicts, 1);
    assert_true(r.verdicts[0].holds);
    orr_replications_free(&r);
    const char *const wrong = "mean(z)";
    lab.e.precise = &wrong;
    lab.e.n_precise = 1;
    lab.e.precision = 0.1;
    r = orr_replicate(lab.model, &lab.e, NULL, lab.diag);
    assert_int_equal(r.status, ORR_STATUS_USAGE);
    assert_string_equal(orr_diag_get(lab.diag, orr_diag_count(lab.diag) - 1).code, "E445");
    orr_replications_free(&r);
    lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replicate_intervals_hold_the_mean_as_often_as_they_say),
        cmocka_unit_test(test_replicate_does_not_depend_on_threads),
        cmocka_unit_test(test_replicate_leaves_the_warm_up_out),
        cmocka_unit_test(test_replicate_ends_early_with_what_is_complete),
        cmocka_unit_test(test_replicate_counts_failures_and_judges_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

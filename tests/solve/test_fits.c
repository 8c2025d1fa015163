// tests/solve/test_fits.c: intervals of fitted parameters contain the truth as often as they claim.
//
// Many studies of one truth: noise is drawn, the model is fitted, and it is counted in how many studies the
// true values lie in the intervals.
#include "lab.h"
#include "num/random.h"
#include "orrery/kind.h"

enum { POINTS = 15 };

static const char decay[] = "model Decay\n"
                            "  param a = 1, b = 0.7\n"
                            "  output y = a*exp(-b*t)\n"
                            "end\n"
                            "experiment e of Decay\n"
                            "  fit a from 0.8, b from 1\n"
                            "end\n";
static const double truth[] = { 1, 0.7 };

static const orr_column *column(const orr_result *result, const char *name)
{
    for (size_t i = 0; i < result->n_sheets; i++)
        for (size_t k = 0; k < result->sheets[i].n_columns; k++)
            if (strcmp(result->sheets[i].columns[k].name, name) == 0) return &result->sheets[i].columns[k];
    fail_msg("there is no column '%s'", name);
    return NULL;
}

// How often the intervals of both parameters contain the truth, in n studies with errors of 2 %.
static void count_covered(size_t n, bool knows_deviation, size_t covered[2])
{
    Lab lab = lab_open(decay);
    double t[POINTS], y[POINTS], deviations[POINTS];
    for (size_t i = 0; i < POINTS; i++) {
        t[i] = 0.2 * (double)(i + 1);
        deviations[i] = 0.02;
    }
    const orr_data data = { .variable = "y", .deviation = NAN, .n = POINTS, .t = t, .values = y,
                            .deviations = knows_deviation ? deviations : NULL };
    lab.e.data = &data;
    lab.e.n_data = 1;
    covered[0] = covered[1] = 0;
    for (size_t study = 0; study < n; study++) {
        RandomStream luck = random_stream(7, study, "errors");
        for (size_t i = 0; i < POINTS; i++)
            y[i] = truth[0] * exp(-truth[1] * t[i]) + random_normal(&luck, 0, 0.02);
        const orr_call quiet = { .is_quiet = true };
        orr_result result = orr_carry_out(lab.model, &lab.e, &quiet, lab.diag);
        if (result.status != ORR_STATUS_OK) lab_print(&lab);
        assert_int_equal(result.status, ORR_STATUS_OK);
        const double *low = column(&result, "low")->numbers, *high = column(&result, "high")->numbers;
        for (size_t j = 0; j < 2; j++) covered[j] += low[j] <= truth[j] && truth[j] <= high[j];
        orr_result_free(&result);
    }
    lab_close(&lab);
}

// 95 % of the studies, within three standard deviations of such a count.
static void expect_covered(bool knows_deviation)
{
    const size_t n = getenv("ORRERY_LONG") ? 2000 : 300;
    const double off = 3 * sqrt(0.95 * 0.05 * (double)n);
    size_t covered[2];
    count_covered(n, knows_deviation, covered);
    for (size_t j = 0; j < 2; j++) assert_near((double)covered[j], 0.95 * (double)n, off);
}

static void test_intervals_with_estimated_errors(void **state)
{
    (void)state;
    expect_covered(false);
}

static void test_intervals_with_known_errors(void **state)
{
    (void)state;
    expect_covered(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals_with_estimated_errors),
        cmocka_unit_test(test_intervals_with_known_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/solve/test_rows.c: rows that are one step apart take a short way through the driver: it changes
// nothing.
#include "check.h"
#include "lab.h"
#include "orrery/orrery.h"
#include "run/run.h"
#include <math.h>

enum { N_ROWS = 400 };

typedef struct Seen {
    double rows[N_ROWS][3];
    size_t n;
    orr_status status;
    orr_run_facts facts;
    double t;
    char text[200];
} Seen;

// Rows at multiples of `every`, which is the step or not; `plain` is what the driver found, or false.
static Seen look(const char *text, const char *solver, double step, double every, bool plain)
{
    Lab lab = lab_open(text);
    orr_run_options o = orr_run_options_default();
    o.solver = solver;
    o.step = step;
    o.t_end = N_ROWS * every;
    orr_run *run = orr_run_create(lab.model, &o, lab.diag);
    assert_non_null(run);
    assert_true(run->is_plain);
    run->is_plain = plain;
    Seen seen = { .status = ORR_STATUS_OK };
    while (seen.n < N_ROWS && seen.status == ORR_STATUS_OK) {
        seen.status = orr_run_advance(run, (double)(seen.n + 1) * every);
        double *row = seen.rows[seen.n++];
        row[0] = orr_run_time(run);
        row[1] = orr_run_value(run, orr_model_find(lab.model, "x"));
        row[2] = orr_run_value(run, orr_model_find(lab.model, "y"));
    }
    seen.facts = orr_run_get_facts(run);
    seen.t = orr_run_time(run);
    if (orr_diag_count(lab.diag) > 0)
        snprintf(seen.text, sizeof seen.text, "%s", orr_diag_get(lab.diag, 0).text);
    orr_run_destroy(run);
    lab_close(&lab);
    return seen;
}

static void compare(const char *text, double step, double every, orr_status expected)
{
    static const char *const solvers[] = { "euler", "heun", "rk4" };
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        const Seen a = look(text, solvers[i], step, every, true),
                   b = look(text, solvers[i], step, every, false);
        assert_int_equal(a.status, expected);
        assert_int_equal(b.status, expected);
        assert_int_equal(a.n, b.n);
        assert_memory_equal(a.rows, b.rows, sizeof a.rows);
        assert_int_equal(a.facts.n_steps, b.facts.n_steps);
        assert_int_equal(a.facts.n_rates, b.facts.n_rates);
        assert_true(a.t == b.t);
        assert_string_equal(a.text, b.text);
    }
}

static const char swing[] = "model M\n  var x = 1, y = 0\n  x' = y\n  y' = -x - 0.1*y*x^2 + sin(t)\nend\n";
static const char bursts[] = "model M\n  var x = 1, y = 0\n  x' = x^2\n  y' = x\nend\n";

static void test_rows_at_steps_are_those_of_the_way_for_all(void **state)
{
    (void)state;
    compare(swing, 0.01, 0.01, ORR_STATUS_OK);
    compare(swing, 0.1, 0.1, ORR_STATUS_OK);    // 0.1 k is not the sum of tenths
    compare(swing, 1.0 / 3, 1.0 / 3, ORR_STATUS_OK);
}

static void test_rows_between_steps_and_apart_from_them(void **state)
{
    (void)state;
    compare(swing, 0.01, 0.004, ORR_STATUS_OK);
    compare(swing, 0.01, 0.03, ORR_STATUS_OK);
    compare(swing, 0.01, 0.025, ORR_STATUS_OK);
}

static void test_failures_are_told_as_by_the_way_for_all(void **state)
{
    (void)state;
    compare(bursts, 0.01, 0.01, ORR_STATUS_FAILED);
}

// What may happen between two steps keeps the short way away.
static void test_the_short_way_is_for_steps_alone(void **state)
{
    (void)state;
    static const struct {
        const char *text, *solver;
        bool is_plain;
    } all[] = {
        { "model M\n  var x = 1\n  x' = -x\nend\n", "rk4", true },
        { "model M\n  var x = 1\n  x' = -x\nend\n", "dopri5", false },
        { "model M\n  var x = 1\n  x' = -x\nend\n", "qss2", false },
        { "model M\n  var x = 1\n  x' = if x > 0.5 then -x else -1\nend\n", "rk4", false },
        { "model M\n  var x = 1\n  x' = -x\n  every 1 then\n    x := 1\n  end\nend\n", "rk4", false },
        { "model M\n  var x = 1\n  x' = -delay(x, 1)\nend\n", "rk4", false },
        { "model M\n  var x = 1\n  x' = -x\n  assert x > 0\nend\n", "rk4", false },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Lab lab = lab_open(all[i].text);
        orr_run_options o = orr_run_options_default();
        o.solver = all[i].solver;
        o.step = strcmp(all[i].solver, "rk4") == 0 ? 0.01 : 0;
        o.t_end = 2;
        orr_run *run = orr_run_create(lab.model, &o, lab.diag);
        if (!run) orr_diag_print(lab.diag, stderr, 0);
        assert_non_null(run);
        assert_int_equal(run->is_plain, all[i].is_plain);
        orr_run_destroy(run);
        lab_close(&lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_at_steps_are_those_of_the_way_for_all),
        cmocka_unit_test(test_rows_between_steps_and_apart_from_them),
        cmocka_unit_test(test_failures_are_told_as_by_the_way_for_all),
        cmocka_unit_test(test_the_short_way_is_for_steps_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

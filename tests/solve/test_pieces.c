// tests/solve/test_pieces.c: what every solver hands out as polynomials: as exact as itself between its
// steps, with jumps at their instants, and at no cost for those who do not take them.
#include "lab.h"
#include "orrery/experiment.h"
#include <math.h>
#include <stdlib.h>

enum { PIECES_MAX = 200000 };

// All that a run told: pieces, and rows in between.
typedef struct Heard {
    orr_piece *pieces;
    size_t n_pieces;
    double *rows;    // [n_rows][1 + n]
    size_t n_rows, n;
} Heard;

static bool begin(void *self, const char *const *names, const char *const *units, size_t n, const char *unit)
{
    (void)names, (void)units, (void)unit;
    ((Heard *)self)->n = n;
    return true;
}

static bool row(void *self, double t, const double *values, size_t n)
{
    Heard *h = self;
    h->rows = realloc(h->rows, (h->n_rows + 1) * (n + 1) * sizeof *h->rows);
    double *to = h->rows + h->n_rows++ * (n + 1);
    to[0] = t;
    memcpy(to + 1, values, n * sizeof *values);
    return true;
}

static bool piece(void *self, const orr_piece *one)
{
    Heard *h = self;
    if (!h->pieces) h->pieces = malloc(PIECES_MAX * sizeof *h->pieces);
    assert_true(h->n_pieces < PIECES_MAX);
    h->pieces[h->n_pieces++] = *one;
    return true;
}

static Heard hear(const Lab *lab, orr_experiment *e, bool takes_pieces, double least)
{
    Heard h = { 0 };
    const orr_sink sink = {
        .begin = begin, .row = row, .piece = takes_pieces ? piece : NULL, .piece_least = least, .self = &h
    };
    orr_outcome outcome = orr_simulate(lab->model, e, &sink, 1, lab->diag);
    if (outcome.status != ORR_STATUS_OK) orr_diag_print(lab->diag, stderr, 0);
    assert_int_equal(outcome.status, ORR_STATUS_OK);
    orr_outcome_free(&outcome);
    return h;
}

static void forget(Heard *h)
{
    free(h->pieces);
    free(h->rows);
}

// By the last piece that has begun; from the left: that began before t. NaN: none has.
static double value(const Heard *h, const char *name, double t, bool from_left)
{
    const orr_piece *last = NULL;
    for (size_t i = 0; i < h->n_pieces; i++) {
        const orr_piece *p = &h->pieces[i];
        if (strcmp(p->name, name) == 0 && (from_left ? p->t < t : p->t <= t)) last = p;
    }
    if (!last) return NAN;
    double y = 0;
    for (int k = ORR_PIECE_TERMS - 1; k >= 0; k--) y = y * (t - last->t) + last->c[k];
    return y;
}

static orr_experiment plan(const char *model, const char *solver, double until, double every, double step)
{
    orr_experiment e = orr_experiment_default();
    e.model = model;
    e.until = until;
    e.every = every;
    e.run.solver = solver;
    e.run.step = step;
    return e;
}

// ---- Between the steps

#define CIRCLE "model Circle\n  var x = 1, v = 0\n  output y\n  x' = v; v' = -x\n  y = x*v\nend\n"
static const char *const circle[] = { "x", "v", "y" };

static double circle_at(int i, double t) { return i == 0 ? cos(t) : i == 1 ? -sin(t) : -cos(t) * sin(t); }

static double circle_error(const Heard *h, int i, double until)
{
    double most = 0;
    for (double t = 0.013; t < until; t += 0.0617)
        most = fmax(most, fabs(value(h, circle[i], t, false) - circle_at(i, t)));
    return most;
}

static bool is_listed(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0) return true;
    return false;
}

static void test_pieces_are_as_exact_as_the_solver_between_rows(void **state)
{
    (void)state;
    Lab lab = lab_open(CIRCLE);
    static const char *const others[] = { "euler-maruyama", "srk", NULL };
    size_t n_tried = 0;
    const orr_solver_info *solver;
    for (size_t s = 0; (solver = orr_solver_at(s)); s++) {
        if (is_listed(solver->name, others)) continue;
        // one row at the end: the pieces know nothing of a recording interval
        orr_experiment e = plan("Circle", solver->name, 10, 10, solver->fixed_step ? 0.01 : 0);
        e.records = circle, e.n_records = 3;
        if (!solver->fixed_step && !solver->is_quantised) e.run.tolerance = 1e-8, e.run.absolute = 1e-10;
        if (solver->is_quantised) e.run.quantum = 1e-3;
        Heard h = hear(&lab, &e, true, 0);
        // the same at many times, by rows: what the solver itself knows there
        e.every = 0.0617;
        Heard fine = hear(&lab, &e, false, 0);
        const double bound = solver->is_quantised  ? 0.1
                             : !solver->fixed_step ? 1e-6
                             : solver->order == 1  ? 0.1
                                                   : 1e-3;
        for (int i = 0; i < (solver->is_quantised ? 2 : 3); i++) {
            double apart = 0;
            for (size_t k = 0; k < fine.n_rows; k++) {
                const double *r = fine.rows + k * 4, t = r[0];
                if (t > 0 && t < 10) apart = fmax(apart, fabs(value(&h, circle[i], t, false) - r[1 + i]));
            }
            const double close = solver->is_quantised || solver->fixed_step || i < 2 ? 1e-12 : 1e-8;
            const bool is_free = !solver->fixed_step && !solver->is_quantised;
            if (apart > (is_free ? 2e-9 : close))
                fail_msg("%s: pieces of %s are %g from its dense output", solver->name, circle[i], apart);
            if (!(circle_error(&h, i, 10) < bound))
                fail_msg("%s: pieces of %s are %g from the solution", solver->name, circle[i],
                         circle_error(&h, i, 10));
        }
        n_tried++;
        forget(&h);
        forget(&fine);
    }
    assert_true(n_tried >= 12);
    lab_close(&lab);
}

static void test_dopri5_pieces_are_its_own_polynomial(void **state)
{
    (void)state;
    Lab lab = lab_open(CIRCLE);
    orr_experiment e = plan("Circle", "dopri5", 10, 10, 0);
    e.records = circle, e.n_records = 2;
    Heard h = hear(&lab, &e, true, 0);
    e.every = 0.0617;
    Heard fine = hear(&lab, &e, false, 0);
    for (size_t k = 1; k + 1 < fine.n_rows; k++)
        for (size_t i = 0; i < 2; i++)
            assert_near(value(&h, circle[i], fine.rows[3 * k], false), fine.rows[3 * k + 1 + i], 1e-13);
    for (size_t k = 0; k < h.n_pieces; k++) assert_true(h.pieces[k].c[5] == 0);    // of degree 4
    forget(&h);
    forget(&fine);
    lab_close(&lab);
}

static void test_pieces_have_the_order_of_the_dense_output(void **state)
{
    (void)state;
    Lab lab = lab_open(CIRCLE);
    static const struct {
        const char *solver;
        double factor;
    } cases[] = { { "euler", 2 }, { "heun", 4 }, { "rk4", 16 } };
    for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
        double errors[2];
        for (int k = 0; k < 2; k++) {
            orr_experiment e = plan("Circle", cases[s].solver, 5, 5, k ? 0.02 : 0.04);
            e.records = circle, e.n_records = 2;
            Heard h = hear(&lab, &e, true, 0);
            errors[k] = circle_error(&h, 0, 5);
            forget(&h);
        }
        const double factor = errors[0] / errors[1];
        if (!(factor > 0.85 * cases[s].factor && factor < 1.2 * cases[s].factor))
            fail_msg("%s: half the step divides the error by %g", cases[s].solver, factor);
    }
    lab_close(&lab);
}

// A variable that moves much faster than the steps are long is taken apart until it is right.
static void test_algebraic_variables_have_pieces_of_their_own(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var x = 1\n  output y\n  x' = -0.01*x\n  y = sin(40*t)\nend\n");
    static const char *const names[] = { "y" };
    orr_experiment e = plan("M", "dopri5", 10, 10, 0);
    e.records = names, e.n_records = 1;
    Heard h = hear(&lab, &e, true, 0);
    for (double t = 0.01; t < 10; t += 0.0137) assert_near(value(&h, "y", t, false), sin(40 * t), 1e-5);
    forget(&h);
    lab_close(&lab);
}

// ---- Jumps

static void test_jumps_are_at_their_instants(void **state)
{
    (void)state;
    Lab lab = lab_open("model M\n  var x = 0\n  discrete d = 1\n  x' = d\n"
                       "  at 1.3 then x := 5 end\n  at 2.7 then d := -2 end\nend\n");
    static const char *const names[] = { "x", "d" };
    static const char *const solvers[] = { "euler", "rk4", "dopri5", "bdf", "adams", "ida", "auto", "qss2" };
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        orr_experiment e = plan("M", solvers[s], 4, 4, strchr("er", *solvers[s]) ? 0.25 : 0);
        e.records = names, e.n_records = 2;
        Heard h = hear(&lab, &e, true, 0);
        assert_near(value(&h, "x", 1.3, true), 1.3, 1e-9);
        assert_near(value(&h, "x", 1.3, false), 5, 1e-12);
        assert_near(value(&h, "x", 2.7, true), 6.4, 1e-9);
        assert_near(value(&h, "x", 3.2, false), 6.4 - 1, 1e-9);
        const bool is_quantised = *solvers[s] == 'q';
        if (!is_quantised) {
            assert_true(value(&h, "d", 2.7, true) == 1 && value(&h, "d", 2.7, false) == -2);
            size_t n_told = 0;    // a number that holds is told once
            for (size_t i = 0; i < h.n_pieces; i++) n_told += strcmp(h.pieces[i].name, "d") == 0;
            assert_int_equal(n_told, 2);
        }
        forget(&h);
    }
    lab_close(&lab);
}

// A ball that bounces: corners of h and jumps of v at times that are known.
static void test_state_events_are_where_they_happen(void **state)
{
    (void)state;
    Lab lab = lab_open(
        "model Ball\n  var h = 1, v = 0\n  h' = v; v' = -2\n  when h <= 0 then v := -0.5*v end\nend\n");
    static const char *const solvers[] = { "dopri5", "bdf", "rk4", "auto" };
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        orr_experiment e = plan("Ball", solvers[s], 1.9, 1.9, *solvers[s] == 'r' ? 0.01 : 0);
        Heard h = hear(&lab, &e, true, 0);
        assert_near(value(&h, "v", 1 - 1e-5, false), -2, 1e-3);
        assert_near(value(&h, "v", 1 + 1e-5, false), 1, 1e-3);
        for (double t = 0.01; t < 1.9; t += 0.0173) {
            const double after = t - 1, exact = t < 1 ? 1 - t * t : after - after * after;
            assert_near(value(&h, "h", t, false), exact, 1e-4);
        }
        forget(&h);
    }
    lab_close(&lab);
}

// ---- Nobody is disturbed

static void test_rows_have_the_same_bits_whoever_listens(void **state)
{
    (void)state;
    Lab lab = lab_open(
        "model M\n  var x = 1, v = 0, z = 1\n  discrete d = 1\n  output y\n"
        "  x' = v; v' = -x - 0.1*v + (if x > 0.5 then 0.3 else 0)*d\n  z' = -z*y\n  y = x*x + d\n"
        "  every 0.7 then d := -d end\nend\n");
    const orr_solver_info *solver;
    for (size_t s = 0; (solver = orr_solver_at(s)); s++) {
        if (strcmp(solver->name, "euler-maruyama") == 0 || strcmp(solver->name, "srk") == 0) continue;
        orr_experiment e = plan("M", solver->name, 6, 0.1, solver->fixed_step ? 0.01 : 0);
        Heard without = hear(&lab, &e, false, 0);
        for (int k = 0; k < 2; k++) {
            Heard with = hear(&lab, &e, true, k * 0.05);
            assert_int_equal(with.n_rows, without.n_rows);
            if (memcmp(with.rows, without.rows, with.n_rows * (with.n + 1) * sizeof(double)) != 0)
                fail_msg("%s: rows are others when pieces are taken", solver->name);
            assert_true(with.n_pieces > 0);
            forget(&with);
        }
        forget(&without);
    }
    lab_close(&lab);
}

// Short steps may be joined to straight pieces, for pictures; events still end them.
static void test_short_steps_are_joined_where_that_is_allowed(void **state)
{
    (void)state;
    Lab lab = lab_open(CIRCLE);
    orr_experiment e = plan("Circle", "rk4", 10, 10, 1e-4);
    e.records = circle, e.n_records = 3;
    Heard h = hear(&lab, &e, true, 0.01);
    assert_in_range(h.n_pieces, 3 * 900, 3 * 1100);
    for (int i = 0; i < 3; i++) assert_true(circle_error(&h, i, 10) < 5e-5);
    forget(&h);
    lab_close(&lab);
    lab = lab_open(
        "model M\n  var x = 0\n  discrete d = 1\n  x' = d\n  every 0.3 then d := -d; x := x + 1 end\nend\n");
    static const char *const names[] = { "x", "d" };
    e = plan("M", "rk4", 1, 1, 1e-3);
    e.records = names, e.n_records = 2;
    h = hear(&lab, &e, true, 0.25);
    assert_near(value(&h, "x", 0.3, true), 0.3, 1e-9);
    assert_near(value(&h, "x", 0.3, false), 1.3, 1e-9);
    assert_true(value(&h, "d", 0.3, false) == -1 && value(&h, "d", 0.3, true) == 1);
    forget(&h);
    lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_are_as_exact_as_the_solver_between_rows),
        cmocka_unit_test(test_dopri5_pieces_are_its_own_polynomial),
        cmocka_unit_test(test_pieces_have_the_order_of_the_dense_output),
        cmocka_unit_test(test_algebraic_variables_have_pieces_of_their_own),
        cmocka_unit_test(test_jumps_are_at_their_instants),
        cmocka_unit_test(test_state_events_are_where_they_happen),
        cmocka_unit_test(test_rows_have_the_same_bits_whoever_listens),
        cmocka_unit_test(test_short_steps_are_joined_where_that_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/unit/num/test_tableau.c: the tables of Runge–Kutta methods satisfy the order conditions.
//
// A method has order p if Σ b Φ(τ) = 1/γ(τ) for every rooted tree τ of up to p nodes. Its dense output has
// order q if the weights b(θ) at each fraction θ of a step give θ^|τ|/γ(τ) up to q nodes.
// [Hairer, Nørsett & Wanner, Solving ODEs I, sections II.2 and II.6]
#include "check.h"
#include "num/adaptive_step.h"
#include "num/fixed.h"
#include "num/pairs.h"
#include <math.h>
#include <string.h>

enum { ORDER_MAX = 9, TREES_MAX = 512 };

typedef struct Tree {
    int    order, n, below[ORDER_MAX];    // subtrees, by their numbers, not increasing
    double gamma;
} Tree;

static Tree trees[TREES_MAX];
static int  n_trees;

// All trees with a root, the subtrees chosen so far, and `rest` more nodes.
static void grow(Tree tree, int rest, int largest)
{
    if (rest == 0) {
        tree.gamma = tree.order;
        for (int i = 0; i < tree.n; i++) tree.gamma *= trees[tree.below[i]].gamma;
        assert_true(n_trees < TREES_MAX);
        trees[n_trees++] = tree;
        return;
    }
    for (int i = 0; i <= largest; i++) {
        if (trees[i].order > rest) break;
        Tree more = tree;
        more.below[more.n++] = i;
        grow(more, rest - trees[i].order, i);
    }
}

static void make_trees(void)
{
    if (n_trees) return;
    for (int order = 1; order <= ORDER_MAX; order++) {
        const int n_before = n_trees;
        grow((Tree){ .order = order }, order - 1, n_before - 1);
    }
}

static double phi[TREES_MAX][TABLEAU_ROWS];

// Φ of each tree at each row, of all stages that there are.
static int make_phi(const Tableau *m)
{
    const int n = m->n_errors ? m->n_stages + 1 + m->n_extra : m->n_stages;
    make_trees();
    for (int t = 0; t < n_trees; t++)
        for (int i = 0; i < n; i++) {
            phi[t][i] = 1;
            for (int b = 0; b < trees[t].n; b++) {
                double sum = 0;
                for (int j = 0; j < i; j++)
                    sum += m->rows[i].weight[j] / m->rows[i].divisor * phi[trees[t].below[b]][j];
                phi[t][i] *= sum;
            }
        }
    return n;
}

// The order up to which weights satisfy the conditions at the fraction θ of a step.
static int order_of(const double *weight, int n, double theta)
{
    int order = ORDER_MAX;
    for (int t = n_trees - 1; t >= 0; t--) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += weight[i] * phi[t][i];
        // rounding: some weights of dop853 are in the hundreds
        if (fabs(sum - pow(theta, trees[t].order) / trees[t].gamma) > 2e-12) order = trees[t].order - 1;
    }
    return order;
}

static void end_weights(const Tableau *m, double *b)
{
    memset(b, 0, TABLEAU_ROWS * sizeof *b);
    const TableauRow *end = &m->rows[m->n_stages];
    for (int j = 0; j < m->n_stages; j++) b[j] = end->weight[j] / end->divisor;
}

static void check_method(const Tableau *m)
{
    const int n = make_phi(m);
    double b[TABLEAU_ROWS];
    end_weights(m, b);
    assert_int_equal(order_of(b, n, 1), m->order);
    // times of stages are those of the states
    for (int row = 1; row <= m->n_stages + m->n_extra; row++) {
        double sum = 0;
        for (int j = 0; j < row; j++) sum += m->rows[row].weight[j] / m->rows[row].divisor;
        assert_near(sum, m->rows[row].c, 1e-14);
    }
}

static void test_there_are_as_many_trees_as_known(void **state)
{
    (void)state;
    static const int counts[] = { 0, 1, 1, 2, 4, 9, 20, 48, 115, 286 };
    make_trees();
    for (int order = 1; order <= ORDER_MAX; order++) {
        int n = 0;
        for (int t = 0; t < n_trees; t++) n += trees[t].order == order;
        assert_int_equal(n, counts[order]);
    }
}

static void test_fixed_methods_have_their_order(void **state)
{
    (void)state;
    for (int i = 0; i < N_FIXED; i++) check_method(&fixed_methods[i]);
}

static const struct Pair {
    const Tableau *method;
    int against[TABLEAU_ERRORS], dense;    // orders of the formulas that estimate errors, of dense output
} pairs[] = {
    { &tableau_bs32, { 2 }, 3 }, { &tableau_dopri5, { 4 }, 4 }, { &tableau_dop853, { 5, 3 }, 7 },
};
enum { N_PAIRS = sizeof pairs / sizeof *pairs };

static void test_pairs_have_their_orders(void **state)
{
    (void)state;
    for (size_t p = 0; p < N_PAIRS; p++) {
        const Tableau *m = pairs[p].method;
        check_method(m);
        const int n = make_phi(m);
        for (int e = 0; e < m->n_errors; e++) {
            double b[TABLEAU_ROWS];
            end_weights(m, b);
            for (int j = 0; j <= m->n_stages; j++) b[j] -= m->error[e][j];
            assert_int_equal(order_of(b, n, 1), pairs[p].against[e]);
        }
    }
}

// A step of length 1 of as many states as there are stages, with the unit vectors for rates: its states are
// the weights.
static void test_dense_output_has_its_order(void **state)
{
    (void)state;
    for (size_t p = 0; p < N_PAIRS; p++) {
        const Tableau *m = pairs[p].method;
        const int n = make_phi(m);
        double unit[TABLEAU_ROWS][TABLEAU_ROWS] = { { 0 } }, *k[TABLEAU_ROWS], x0[TABLEAU_ROWS] = { 0 };
        double b[TABLEAU_ROWS], at[TABLEAU_ROWS];
        double memory[STEP_CUBIC + TABLEAU_DENSE][TABLEAU_ROWS], *dense[STEP_CUBIC + TABLEAU_DENSE];
        for (int i = 0; i < TABLEAU_ROWS; i++) unit[i][i] = 1, k[i] = unit[i];
        for (int i = 0; i < STEP_CUBIC + TABLEAU_DENSE; i++) dense[i] = memory[i];
        end_weights(m, b);
        step_make_dense(m, m->n_dense, (size_t)n, 1, x0, b, k, dense);
        for (double theta = 0.125; theta < 1; theta += 0.125) {
            step_state(m->n_dense, (size_t)n, theta, x0, dense, at);
            assert_true(order_of(at, n, theta) >= pairs[p].dense);
        }
        step_state(m->n_dense, (size_t)n, 0.375, x0, dense, at);
        assert_int_equal(order_of(at, n, 0.375), pairs[p].dense);
        // without its own stages: the cubic
        step_state(0, (size_t)n, 0.375, x0, dense, at);
        assert_int_equal(order_of(at, n, 0.375), 3);
    }
}

// A tiny error lets a step grow as much as it may, so that its logarithm need not be known.
static void test_tiny_errors_let_steps_grow_most(void **state)
{
    (void)state;
    for (size_t p = 0; p < N_PAIRS; p++) {
        const Tableau *m = pairs[p].method;
        const double just_more = step_next(m, 1, STEP_TINY_ERROR * 1.0001, STEP_LOG_LEAST);
        assert_near(just_more, m->grow_most, 1e-12);
        assert_near(step_next(m, 1, 0, STEP_LOG_LEAST), m->grow_most, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_are_as_many_trees_as_known),
        cmocka_unit_test(test_fixed_methods_have_their_order),
        cmocka_unit_test(test_pairs_have_their_orders),
        cmocka_unit_test(test_dense_output_has_its_order),
        cmocka_unit_test(test_tiny_errors_let_steps_grow_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

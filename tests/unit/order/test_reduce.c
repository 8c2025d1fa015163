// tests/unit/order/test_reduce.c: index reduction on models made by hand.
#include "compute.h"
#include "dice.h"
#include <stdlib.h>

static void sort(Make *m, Blocks *blocks)
{
    const bool ok = order_sort(blocks, &m->flat, &m->arena, m->diag);
    if (!ok) orr_diag_print(m->diag, stderr, 0);
    assert_true(ok);
}

static void refuse(Make *m)
{
    Blocks blocks;
    assert_false(order_sort(&blocks, &m->flat, &m->arena, m->diag));
}

static orr_message find_message(const Make *m, const char *code)
{
    for (size_t i = 0; i < orr_diag_count(m->diag); i++)
        if (strcmp(orr_diag_get(m->diag, i).code, code) == 0) return orr_diag_get(m->diag, i);
    orr_diag_print(m->diag, stderr, 0);
    fail_msg("no message %s", code);
    return (orr_message){ 0 };
}

static uint32_t number_of(const Make *m, Expr e) { return expr_node(&m->flat.pool, e)->index; }

// By name, for the link to it may be cut.
static uint32_t rate_of(Make *m, Expr e)
{
    return flat_find(&m->flat, arena_printf(&m->arena, "%s'", make_at(m, e)->name));
}

static bool is_state(const Make *m, const Blocks *blocks, Expr e)
{
    for (uint32_t i = 0; i < blocks->n_states; i++)
        if (blocks->states[i] == number_of(m, e)) return true;
    return false;
}

static void give(Make *m, Expr e, double value) { make_at(m, e)->start = make_number(m, value); }

// Values of parameters, then the start, then every equation at every instant.
static Compute start(const Make *m, const Blocks *blocks, double t)
{
    Compute c = { .flat = &m->flat, .t = t };
    c.values = calloc(m->flat.vars.n, sizeof *c.values);
    for (uint32_t i = 0; i < blocks->n_params; i++) {
        const Expr value = m->flat.vars.items[blocks->params[i]].start;
        if (value != EXPR_NONE) c.values[blocks->params[i]] = compute_expr(&c, value);
    }
    for (uint32_t v = 0; v < m->flat.vars.n; v++) {    // guesses
        const FlatVar *x = &m->flat.vars.items[v];
        if (x->kind == FLAT_VARIABLE && x->start != EXPR_NONE) c.values[v] = compute_expr(&c, x->start);
    }
    compute_system(&c, &blocks->start);
    return c;
}

// ---- The pendulum

typedef struct Pendulum {
    Make   make;
    Blocks blocks;
    Expr   x, y, f;
} Pendulum;

static void make_pendulum(Pendulum *p)
{
    Make *m = &p->make;
    make_init(m);
    p->x = make_var(m, "x"), p->y = make_var(m, "y"), p->f = make_var(m, "F");
    make_equation(m, make_der(m, make_der(m, p->x)), make_neg(m, make_mul(m, p->f, p->x)));
    make_equation(m, make_der(m, make_der(m, p->y)),
                  make_sub(m, make_neg(m, make_mul(m, p->f, p->y)), make_number(m, 9.81)));
    make_equation(m, make_add(m, make_pow(m, p->x, 2), make_pow(m, p->y, 2)), make_number(m, 1));
}

static void test_reduce_pendulum_has_index_three_and_one_choice(void **state)
{
    (void)state;
    Pendulum p;
    make_pendulum(&p);
    give(&p.make, p.x, 0.6);
    give(&p.make, make_der(&p.make, p.x), 0.5);
    give(&p.make, p.y, -0.8);
    sort(&p.make, &p.blocks);
    const Reduction *r = p.blocks.reduction;
    assert_non_null(r);
    assert_int_equal(r->index, 3);
    assert_int_equal(r->n_written, 3);
    assert_int_equal(r->n_derived, 2);
    for (uint32_t i = 3; i < 5; i++) {
        assert_int_equal(r->root[i], 2);
        assert_int_equal(r->order[i], i - 2);
    }
    assert_int_equal(p.blocks.n_states, 2);
    assert_int_equal(r->n_choices, 1);
    const Choice *choice = &r->choices[0];
    assert_int_equal(choice->n_rows, 1);
    assert_int_equal(choice->n_columns, 2);
    assert_int_equal(choice->n_orders, 3);    // position, velocity, acceleration
    assert_int_equal(choice->equations[0], 2);

    // x' = 0.5 at (0.6, -0.8) means y' = 0.375, and F = v² + 9.81·y… by hand: F = x'² + y'² - 9.81 y
    Compute c = start(&p.make, &p.blocks, 0);
    compute_check(&c, &p.blocks.start, 1e-12);
    assert_near(c.values[rate_of(&p.make, p.y)], 0.375, 1e-14);
    assert_near(c.values[number_of(&p.make, p.f)], 0.25 + 0.375 * 0.375 + 9.81 * 0.8, 1e-12);
    assert_int_equal(r->n_checks, 1);
    free(c.values);
    make_free(&p.make);
}

// ---- Derivatives of equations

static double residual_at(Compute *c, const FlatEquation *e)
{
    return compute_expr(c, e->lhs) - compute_expr(c, e->rhs);
}

// z(t) = z0 + z1 t + z2 t² + …: the derived equation is the slope of the one before it.
static void check_derived(const Make *m, const Reduction *r, const uint32_t *chains, uint32_t n_chains)
{
    uint64_t seed = 17;
    double coefficients[8][5];
    for (uint32_t i = 0; i < n_chains; i++)
        for (int k = 0; k < 5; k++) coefficients[i][k] = random_number(&seed) - 0.9;
    Compute c = { .flat = &m->flat, .values = calloc(m->flat.vars.n, sizeof(double)) };
    for (uint32_t e = r->n_written; e < r->n_written + r->n_derived; e++) {
        const FlatEquation *derived = &m->flat.equations.items[e], *before = NULL;
        for (uint32_t k = 0; k < e; k++)
            if (r->root[k] == r->root[e] && r->order[k] + 1 == r->order[e])
                before = &m->flat.equations.items[k];
        assert_non_null(before);
        double at[3];
        const double h = 1e-4;
        for (int side = -1; side <= 1; side++) {
            const double t = 0.3 + side * h;
            c.t = t;
            for (uint32_t i = 0; i < n_chains; i++) {
                for (uint32_t v = chains[i], order = 0; order < 4; order++) {
                    double value = 0;
                    for (int k = 4; k >= (int)order; k--) {
                        double factor = 1;
                        for (uint32_t d = 0; d < order; d++) factor *= k - (int)d;
                        value += coefficients[i][k] * factor * pow(t, k - (int)order);
                    }
                    c.values[v] = value;
                    // the links may be cut: the next derivative is found by name
                    char name[64];
                    snprintf(name, sizeof name, "%s'", m->flat.vars.items[v].name);
                    v = flat_find(&m->flat, name);
                    if (v == FLAT_NONE) break;
                }
            }
            at[side + 1] = side == 0 ? residual_at(&c, derived) : residual_at(&c, before);
        }
        assert_near(at[1], (at[2] - at[0]) / (2 * h), 1e-6);
    }
    free(c.values);
}

static void test_reduce_derives_what_calculus_says(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    // a crank: prescribed angle, moving length, driven by forces
    const Expr x = make_var(&m, "x"), y = make_var(&m, "y"), a = make_var(&m, "a");
    const Expr f = make_var(&m, "f"), g = make_var(&m, "g"), h = make_var(&m, "h"),
               t = expr_time(&m.flat.pool);
    make_equation(&m, make_der(&m, make_der(&m, x)), f);
    make_equation(&m, make_der(&m, make_der(&m, y)), g);
    make_equation(&m, make_der(&m, make_der(&m, a)), h);
    make_equation(&m, x, make_mul(&m, make_call(&m, EXPR_SIN, a), make_call(&m, EXPR_EXP, y)));
    make_equation(&m, make_add(&m, make_pow(&m, y, 3), make_div(&m, a, make_add(&m, x, make_number(&m, 4)))),
                  make_call(&m, EXPR_COS, t));
    make_equation(&m, make_mul(&m, a, t), make_call(&m, EXPR_TANH, x));
    Blocks blocks;
    sort(&m, &blocks);
    assert_int_equal(blocks.n_states, 0);
    assert_int_equal(blocks.reduction->index, 3);
    assert_int_equal(blocks.reduction->n_derived, 6);
    const uint32_t chains[3] = { number_of(&m, x), number_of(&m, y), number_of(&m, a) };
    check_derived(&m, blocks.reduction, chains, 3);
    make_free(&m);
}

// ---- Linear constraints: static choices

// m_i x_i'' = f_i + Σ C_ji λ_j, C x = d, against the whole system solved at once.
static void try_linear(uint64_t *seed, uint32_t n, uint32_t k)
{
    Make m;
    make_init(&m);
    Expr x[12], lambda[8];
    double mass[12], force[12], position[12], c[8][12] = { { 0 } };
    char name[16];
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "x%u", i);
        x[i] = make_var(&m, name);
        mass[i] = random_number(seed);
        force[i] = random_number(seed) - 1;
        position[i] = random_number(seed);
    }
    for (uint32_t j = 0; j < k; j++) {
        snprintf(name, sizeof name, "l%u", j);
        lambda[j] = make_var(&m, name);
        c[j][j] = random_number(seed);
        for (uint32_t i = j + 1; i < n; i++)
            if (random_below(seed, 3) == 0) c[j][i] = random_number(seed) - 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        Expr right = make_number(&m, force[i]);
        for (uint32_t j = 0; j < k; j++)
            if (c[j][i] != 0) right = make_add(&m, right, make_mul(&m, make_number(&m, c[j][i]), lambda[j]));
        const Expr d2 = make_der(&m, make_der(&m, x[i]));
        make_equation(&m, make_mul(&m, make_number(&m, mass[i]), d2), right);
        give(&m, x[i], position[i]);
        give(&m, make_der(&m, x[i]), 0);
    }
    for (uint32_t j = 0; j < k; j++) {
        Expr left = make_number(&m, 0);
        double d = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (c[j][i] == 0) continue;
            left = make_add(&m, left, make_mul(&m, make_number(&m, c[j][i]), x[i]));
            d += c[j][i] * position[i];
        }
        make_equation(&m, left, make_number(&m, d));
    }
    Blocks blocks;
    sort(&m, &blocks);
    assert_int_equal(blocks.n_states, 2 * (n - k));
    assert_int_equal(blocks.reduction->n_choices, 0);    // all coefficients are constant
    Compute values = start(&m, &blocks, 0);
    compute_check(&values, &blocks.start, 1e-9);
    compute_system(&values, &blocks.dynamic);
    compute_check(&values, &blocks.dynamic, 1e-9);

    const uint32_t size = n + k;
    double a[20 * 20] = { 0 }, b[20] = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        a[i * size + i] = mass[i];
        b[i] = force[i];
        for (uint32_t j = 0; j < k; j++) {
            a[i * size + n + j] = -c[j][i];
            a[(n + j) * size + i] = c[j][i];
        }
    }
    compute_linear(a, b, size);
    for (uint32_t i = 0; i < n; i++) {
        assert_near(values.values[number_of(&m, x[i])], position[i], 1e-9);
        assert_near(values.values[rate_of(&m, x[i])], 0, 1e-9);
        snprintf(name, sizeof name, "x%u''", i);
        assert_near(values.values[flat_find(&m.flat, name)], b[i], 1e-8 * fmax(1, fabs(b[i])));
    }
    for (uint32_t j = 0; j < k; j++)
        assert_near(values.values[number_of(&m, lambda[j])], b[n + j], 1e-8 * fmax(1, fabs(b[n + j])));
    free(values.values);
    make_free(&m);
}

static void test_reduce_linear_constraints_give_the_solution_of_all_equations(void **state)
{
    (void)state;
    uint64_t seed = 23;
    for (int trial = 0; trial < 200; trial++) {
        const uint32_t n = 2 + random_below(&seed, 8);
        try_linear(&seed, n, 1 + random_below(&seed, n - 1 > 6 ? 6 : n - 1));
    }
}

// J1 phi1'' = T - M1, J2 phi2'' = M2, phi1 = n phi2, M2 = n M1.
static void test_reduce_gear_keeps_the_preferred_state(void **state)
{
    (void)state;
    for (int preferred = 0; preferred < 3; preferred++) {
        Make m;
        make_init(&m);
        const Expr n = make_param(&m, "n", make_number(&m, 4)), phi1 = make_var(&m, "phi1"),
                   phi2 = make_var(&m, "phi2");
        const Expr m1 = make_var(&m, "M1"), m2 = make_var(&m, "M2");
        make_equation(&m, make_mul(&m, make_number(&m, 2), make_der(&m, make_der(&m, phi1))),
                      make_sub(&m, make_number(&m, 5), m1));
        make_equation(&m, make_mul(&m, make_number(&m, 3), make_der(&m, make_der(&m, phi2))), m2);
        make_equation(&m, phi1, make_mul(&m, n, phi2));
        make_equation(&m, m2, make_mul(&m, n, m1));
        give(&m, preferred == 2 ? phi2 : phi1, 0);    // without a word the one with an initial value
        give(&m, make_der(&m, preferred == 2 ? phi2 : phi1), 1);
        if (preferred == 1) make_at(&m, phi2)->is_preferred = true;
        Blocks blocks;
        sort(&m, &blocks);
        assert_int_equal(blocks.n_states, 2);
        assert_int_equal(is_state(&m, &blocks, phi1), preferred == 0);
        assert_int_equal(is_state(&m, &blocks, phi2), preferred > 0);
        Compute c = start(&m, &blocks, 0);
        compute_check(&c, &blocks.start, 1e-13);
        // (J1 n² + J2) phi2'' = n T
        assert_near(c.values[flat_find(&m.flat, "phi2''")], 4 * 5.0 / (2 * 16 + 3), 1e-13);
        assert_near(c.values[flat_find(&m.flat, "phi1'")], preferred == 2 ? 4 : 1, 1e-13);
        free(c.values);
        make_free(&m);
    }
}

// x = sin(2t) prescribed: nothing is left to integrate, and the force follows.
static void test_reduce_prescribed_motion_has_no_states(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), f = make_var(&m, "F"), t = expr_time(&m.flat.pool);
    make_equation(&m, make_der(&m, make_der(&m, x)), make_sub(&m, f, x));
    make_equation(&m, x, make_call(&m, EXPR_SIN, make_mul(&m, make_number(&m, 2), t)));
    Blocks blocks;
    sort(&m, &blocks);
    assert_int_equal(blocks.n_states, 0);
    assert_int_equal(blocks.reduction->index, 3);
    Compute c = start(&m, &blocks, 0.7);
    compute_system(&c, &blocks.dynamic);
    assert_near(c.values[number_of(&m, f)], -3 * sin(1.4), 1e-13);
    free(c.values);
    make_free(&m);
}

static void test_reduce_leaves_ordinary_models_alone(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), y = make_var(&m, "y");
    give(&m, x, 1);
    make_equation(&m, make_der(&m, x), make_sub(&m, y, x));
    make_equation(&m, make_add(&m, y, make_pow(&m, y, 3)), x);
    Blocks blocks;
    sort(&m, &blocks);
    assert_null(blocks.reduction);
    assert_int_equal(m.flat.equations.n, 2);
    make_free(&m);
}

// ---- What cannot be

static void test_reduce_names_constraints_that_say_the_same(void **state)
{
    (void)state;
    for (int contradict = 0; contradict < 2; contradict++) {
        Make m;
        make_init(&m);
        const Expr x = make_var(&m, "x"), y = make_var(&m, "y"), f = make_var(&m, "F"), g = make_var(&m, "G");
        make_equation(&m, make_der(&m, make_der(&m, x)), make_add(&m, f, g));
        make_equation(&m, make_der(&m, make_der(&m, y)), make_sub(&m, g, f));
        make_equation(&m, y, make_add(&m, x, make_number(&m, 1)));
        make_equation(&m, make_mul(&m, make_number(&m, 3), y),
                      make_add(&m, make_mul(&m, make_number(&m, 3), x), make_number(&m, contradict ? 4 : 3)));
        refuse(&m);
        const orr_message message = find_message(&m, "E313");
        assert_int_equal(message.line, 4);
        assert_int_equal(orr_diag_get(m.diag, 1).line, 3);    // its note
        make_free(&m);
    }
}

// Too many constraints by number: no differentiating is tried.
static void test_reduce_is_not_tried_where_equations_are_too_many(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), y = make_var(&m, "y"), f = make_var(&m, "F"), g = make_var(&m, "G");
    make_equation(&m, make_der(&m, make_der(&m, x)), make_add(&m, f, g));
    make_equation(&m, make_der(&m, make_der(&m, y)), make_number(&m, 0));
    make_equation(&m, make_add(&m, x, y), make_number(&m, 1));
    make_equation(&m, make_sub(&m, x, y), make_number(&m, 2));
    refuse(&m);
    // three equations for x and y, one for F and G
    find_message(&m, "E302");
    find_message(&m, "E301");
    make_free(&m);
}

static void test_reduce_asks_for_initial_values_that_help(void **state)
{
    (void)state;
    Pendulum p;
    make_pendulum(&p);
    give(&p.make, p.x, 0.6);
    give(&p.make, p.y, -0.8);
    Blocks blocks;
    assert_false(order_sort(&blocks, &p.make.flat, &p.make.arena, p.make.diag));
    assert_int_equal(orr_diag_errors(p.make.diag), 1);    // a velocity, one of the two
    assert_contains(find_message(&p.make, "E304").text, "x'");
    make_free(&p.make);
}

// At (1, 0) y cannot be computed from x: so x is, whatever the order in which they are given.
static void test_reduce_takes_the_initial_values_that_determine_the_others(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        Pendulum p;
        make_pendulum(&p);
        const Expr x = swapped ? p.y : p.x, y = swapped ? p.x : p.y;
        give(&p.make, x, 1);
        give(&p.make, y, 0);
        give(&p.make, make_der(&p.make, x), 0);
        give(&p.make, make_der(&p.make, y), -0.25);
        sort(&p.make, &p.blocks);
        assert_int_equal(p.blocks.reduction->n_checks, 2);
        for (uint32_t k = 0; k < 2; k++) {
            const GivenCheck *check = &p.blocks.reduction->checks[k];
            const bool is_position = check->variable == number_of(&p.make, x);
            assert_true(is_position || check->variable == rate_of(&p.make, x));
            assert_int_equal(check->n_equations, 1);
            assert_int_equal(check->equations[0], 2);
            assert_true(check->n_others >= 1);
        }
        Compute c = start(&p.make, &p.blocks, 0);
        compute_check(&c, &p.blocks.start, 1e-12);
        assert_near(c.values[number_of(&p.make, x)], 1, 1e-14);
        free(c.values);
        make_free(&p.make);
    }
}

// ---- Size

// n pendulums: a choice for each, and time that grows with n.
static void test_reduce_many_constraints_stay_apart(void **state)
{
    (void)state;
    enum { N = 20000 };
    Make m;
    make_init(&m);
    for (uint32_t i = 0; i < N; i++) {
        const Expr x = make_var(&m, arena_printf(&m.arena, "x%u", i)),
                   y = make_var(&m, arena_printf(&m.arena, "y%u", i));
        const Expr f = make_var(&m, arena_printf(&m.arena, "F%u", i));
        make_equation(&m, make_der(&m, make_der(&m, x)), make_neg(&m, make_mul(&m, f, x)));
        make_equation(&m, make_der(&m, make_der(&m, y)), make_neg(&m, make_mul(&m, f, y)));
        make_equation(&m, make_add(&m, make_pow(&m, x, 2), make_pow(&m, y, 2)), make_number(&m, 1));
        give(&m, x, 0.6);
        give(&m, make_der(&m, x), 0);
    }
    Blocks blocks;
    sort(&m, &blocks);
    assert_int_equal(blocks.reduction->n_choices, N);
    assert_int_equal(blocks.n_states, 2 * N);
    make_free(&m);
}

// A row of n masses, each tied to the next: all but one are computed.
static void test_reduce_long_chains_of_constraints(void **state)
{
    (void)state;
    enum { N = 1500 };
    Make m;
    make_init(&m);
    Expr x[N], f[N];
    for (uint32_t i = 0; i < N; i++) {
        x[i] = make_var(&m, arena_printf(&m.arena, "x%u", i));
        f[i] = make_var(&m, arena_printf(&m.arena, "f%u", i));
    }
    for (uint32_t i = 0; i < N; i++) {
        const Expr next = i + 1 < N ? f[i + 1] : make_number(&m, 0);
        make_equation(&m, make_der(&m, make_der(&m, x[i])), make_sub(&m, f[i], next));
        if (i + 1 < N) make_equation(&m, make_sub(&m, x[i + 1], x[i]), make_number(&m, 1));
    }
    make_equation(&m, f[0], make_number(&m, N));
    give(&m, x[0], 0);
    give(&m, make_der(&m, x[0]), 0);
    Blocks blocks;
    sort(&m, &blocks);
    assert_int_equal(blocks.n_states, 2);
    assert_true(is_state(&m, &blocks, x[0]));
    assert_int_equal(blocks.reduction->n_dependents, 2 * (N - 1));
    make_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce_pendulum_has_index_three_and_one_choice),
        cmocka_unit_test(test_reduce_derives_what_calculus_says),
        cmocka_unit_test(test_reduce_linear_constraints_give_the_solution_of_all_equations),
        cmocka_unit_test(test_reduce_gear_keeps_the_preferred_state),
        cmocka_unit_test(test_reduce_prescribed_motion_has_no_states),
        cmocka_unit_test(test_reduce_leaves_ordinary_models_alone),
        cmocka_unit_test(test_reduce_names_constraints_that_say_the_same),
        cmocka_unit_test(test_reduce_is_not_tried_where_equations_are_too_many),
        cmocka_unit_test(test_reduce_asks_for_initial_values_that_help),
        cmocka_unit_test(test_reduce_takes_the_initial_values_that_determine_the_others),
        cmocka_unit_test(test_reduce_many_constraints_stay_apart),
        cmocka_unit_test(test_reduce_long_chains_of_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

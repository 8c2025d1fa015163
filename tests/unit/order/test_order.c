// tests/unit/order/test_order.c: promises of the sorting: the lecture's slides, loops, starts, parameters,
// scale.
#include "compute.h"
#include "dice.h"

static Blocks sort(Make *m)
{
    Blocks blocks;
    if (!order_sort(&blocks, &m->flat, &m->arena, m->diag)) {
        orr_diag_print(m->diag, stderr, 0);
        fail_msg("the model could not be sorted");
    }
    return blocks;
}

static const char *name_of(const Make *m, uint32_t v) { return m->flat.vars.items[v].name; }

// Names in order of evaluation; those of a loop in braces.
static const char *order_text(Make *m, const Ordered *system)
{
    StrBuf text = { .arena = &m->arena };
    for (uint32_t b = 0; b < system->n_blocks; b++) {
        const Block *block = &system->blocks[b];
        const Loop *loop = block->loop == FLAT_NONE ? NULL : &system->loops[block->loop];
        if (loop && loop->first_block != b) continue;
        if (text.n > 0) str_add(&text, " ");
        if (loop) str_add(&text, "{");
        for (uint32_t i = 0; loop && i < loop->n; i++)
            str_addf(&text, "%s%s", i ? " " : "", name_of(m, loop->unknowns[i]));
        if (loop) str_add(&text, "}");
        else str_add(&text, name_of(m, block->unknowns[0]));
    }
    return str_finish(&text);
}

static char *explain_text(const Blocks *blocks)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    order_explain(blocks, out);
    fclose(out);
    return text;
}

static char *print_text(const Blocks *blocks)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    blocks_print(blocks, out);
    fclose(out);
    return text;
}

static double value_of(const Compute *c, const Make *m, const char *name)
{
    return c->values[flat_find(&m->flat, name)];
}

static Compute compute_begin(Make *m)
{
    return (Compute){ .flat = &m->flat, .values = ARENA_ARRAY(&m->arena, double, m->flat.vars.n) };
}

// ---- The lecture

// a = b^2 + 3, b = sin(c*e), c = sqrt(d - 4.5), d = pi/2, and e = u or e = a^2 + u.
static void make_lecture(Make *m, bool with_loop)
{
    make_init(m);
    const Expr a = make_var(m, "a"), b = make_var(m, "b"), c = make_var(m, "c"), d = make_var(m, "d");
    const Expr e = make_var(m, "e"), u = make_input(m, "u", make_number(m, 0));
    make_equation(m, a, make_add(m, make_pow(m, b, 2), make_number(m, 3)));
    make_equation(m, b, make_call(m, EXPR_SIN, make_mul(m, c, e)));
    make_equation(m, c, make_call(m, EXPR_SQRT, make_sub(m, d, make_number(m, 4.5))));
    make_equation(m, d, make_div(m, make_number(m, M_PI), make_number(m, 2)));
    make_equation(m, e, with_loop ? make_add(m, make_pow(m, a, 2), u) : u);
}

static void test_order_sorts_the_lecture_as_printed_there(void **state)
{
    (void)state;
    Make m;
    make_lecture(&m, false);
    Blocks blocks = sort(&m);
    assert_string_equal(order_text(&m, &blocks.dynamic), "d e c b a");
    assert_int_equal(blocks.dynamic.n_loops, 0);
    make_free(&m);

    make_lecture(&m, true);
    blocks = sort(&m);
    assert_string_equal(order_text(&m, &blocks.dynamic), "d c {b a e}");
    assert_int_equal(blocks.dynamic.n_loops, 1);
    assert_int_equal(blocks.dynamic.loops[0].method, LOOP_NEWTON);
    assert_false(blocks.dynamic.loops[0].is_linear);
    make_free(&m);
}

static void test_order_explains_the_lecture_step_by_step(void **state)
{
    (void)state;
    Make m;
    make_lecture(&m, false);
    Blocks blocks = sort(&m);
    char *text = explain_text(&blocks);
    assert_contains(text, "  b  ->  c, e\n");
    assert_contains(text, "  d\n");
    assert_contains(text, "from a: d 1, c 2, e 3, b 4, a 5\n");
    assert_contains(text, "  a . 1 1 1 1\n");    // D*
    assert_contains(text, "  e  ->  b\n");      // reversed
    assert_contains(text, "there is no loop");
    assert_contains(text, "from a (5): { a }\n");
    assert_contains(text, "Kosaraju and Sharir");
    free(text);
    make_free(&m);

    make_lecture(&m, true);
    blocks = sort(&m);
    text = explain_text(&blocks);
    assert_contains(text, "  a 1 1 1 1 1\n");
    assert_contains(text, "1 on the diagonal of D* for a, b, e");
    assert_contains(text, "from a (5): { a, b, e }   a loop\n");
    assert_contains(text, "  [ { b = sin(c*e)\n  [ { a = b^2 + 3\n  [ { e = a^2 + u\n");
    free(text);
    make_free(&m);
}

static void make_loop_slide(Make *m, double shift)
{
    make_init(m);
    const Expr x = make_var(m, "x"), y = make_var(m, "y"), z = make_var(m, "z");
    make_equation(m, x, make_add(m, y, make_number(m, shift)));
    make_equation(m, y, make_sub(m, make_neg(m, x), z));
    make_equation(m, z, make_number(m, 5));
}

static void test_order_solves_the_linear_loop_symbolically(void **state)
{
    (void)state;
    // the equations of the slide, and those its matrix belongs to
    const double shift[2] = { 16, -6 }, x[2] = { 5.5, -5.5 }, y[2] = { -10.5, 0.5 };
    for (int k = 0; k < 2; k++) {
        Make m;
        make_loop_slide(&m, shift[k]);
        const Blocks blocks = sort(&m);
        assert_string_equal(order_text(&m, &blocks.dynamic), "z {x y}");
        const Loop *loop = &blocks.dynamic.loops[0];
        assert_int_equal(loop->method, LOOP_SYMBOLIC);
        assert_true(loop->is_linear);
        assert_int_equal(loop->n_entries, 4);
        for (uint32_t b = loop->first_block; b < loop->first_block + loop->n_blocks; b++) {
            assert_int_equal(blocks.dynamic.blocks[b].kind, BLOCK_ASSIGN);
            assert_int_equal(blocks.dynamic.blocks[b].loop, 0);
        }
        Compute c = compute_begin(&m);
        compute_system(&c, &blocks.dynamic);
        assert_near(value_of(&c, &m, "x"), x[k], 1e-15);
        assert_near(value_of(&c, &m, "y"), y[k], 1e-15);
        compute_check(&c, &blocks.dynamic, 1e-15);
        make_free(&m);
    }
}

static void test_order_refuses_loops_on_request(void **state)
{
    (void)state;
    Make m;
    make_loop_slide(&m, 16);
    Blocks blocks = sort(&m);
    assert_false(order_refuse_loops(&blocks, m.diag));
    const orr_message message = orr_diag_get(m.diag, 0);
    assert_string_equal(message.code, "E306");
    assert_contains(message.text, "'x' and 'y'");
    make_free(&m);
    make_lecture(&m, false);
    blocks = sort(&m);
    assert_true(order_refuse_loops(&blocks, m.diag));
    assert_int_equal(orr_diag_errors(m.diag), 0);
    make_free(&m);
}

// ---- Loops

// A subsystem with y1 = 2 u1 and y2 = 3 u2, its first output connected to its second input: no loop by ports.
static void test_order_finds_no_false_loop_through_a_subsystem(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr y2 = make_var(&m, "sub.y2"), u2 = make_var(&m, "sub.u2"), y1 = make_var(&m, "sub.y1");
    const Expr u1 = make_var(&m, "sub.u1");
    make_equation(&m, y1, make_mul(&m, make_number(&m, 2), u1));
    make_equation(&m, y2, make_mul(&m, make_number(&m, 3), u2));
    make_equation(&m, u2, y1);
    make_equation(&m, u1, expr_time(&m.flat.pool));
    const Blocks blocks = sort(&m);
    assert_int_equal(blocks.dynamic.n_loops, 0);
    assert_string_equal(order_text(&m, &blocks.dynamic), "sub.u1 sub.y1 sub.u2 sub.y2");
    make_free(&m);
}

// Equations written for nothing in particular are solved for what they must compute.
static void test_order_solves_equations_for_their_unknowns(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr a = make_var(&m, "a"), b = make_var(&m, "b"), c = make_var(&m, "c");
    const Expr k = make_param(&m, "k", make_number(&m, 4));
    make_equation(&m, make_add(&m, a, b), make_add(&m, c, make_number(&m, 2)));    // c
    make_equation(&m, make_number(&m, 3), make_mul(&m, k, a));                     // a, divided by k
    make_equation(&m, make_call(&m, EXPR_EXP, b), a);                              // b
    const Blocks blocks = sort(&m);
    assert_string_equal(order_text(&m, &blocks.dynamic), "a b c");
    assert_int_equal(blocks.dynamic.blocks[0].divisor, k);
    assert_int_equal(blocks.dynamic.blocks[1].divisor, EXPR_NONE);
    Compute at = compute_begin(&m);
    at.values[flat_find(&m.flat, "k")] = 4;
    compute_system(&at, &blocks.dynamic);
    assert_near(value_of(&at, &m, "a"), 0.75, 0);
    assert_near(value_of(&at, &m, "b"), log(0.75), 1e-15);
    compute_check(&at, &blocks.dynamic, 1e-15);
    make_free(&m);
}

static void test_order_iterates_on_one_equation_without_closed_form(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), y = make_var(&m, "y");
    make_equation(&m, x, make_call(&m, EXPR_COS, x));
    make_equation(&m, y, make_add(&m, make_mul(&m, make_number(&m, 0.5), y), x));    // reads itself, linearly
    const Blocks blocks = sort(&m);
    const Ordered *d = &blocks.dynamic;
    assert_int_equal(d->n_loops, 2);
    assert_int_equal(d->blocks[0].kind, BLOCK_NEWTON);
    assert_int_equal(d->blocks[0].n_torn, 1);
    assert_int_equal(d->blocks[1].kind, BLOCK_ASSIGN);
    assert_true(d->loops[1].is_linear);
    Compute c = compute_begin(&m);
    compute_system(&c, d);
    assert_near(value_of(&c, &m, "x"), 0.7390851332151607, 1e-15);
    assert_near(value_of(&c, &m, "y"), 2 * 0.7390851332151607, 1e-15);
    make_free(&m);
}

// A variable with a first guess is torn: the guess decides which solution is found. x y = 2, x + y = 3.
static void test_order_tears_the_variable_with_a_guess(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        Make m;
        make_init(&m);
        const Expr x = make_var(&m, "x"), y = make_var(&m, "y");
        make_equation(&m, make_mul(&m, x, y), make_number(&m, 2));
        make_equation(&m, make_add(&m, x, y), make_number(&m, 3));
        make_at(&m, which ? y : x)->start = make_number(&m, 0.9);
        make_at(&m, which ? y : x)->start_is_guess = true;
        const Blocks blocks = sort(&m);
        const Block *block = &blocks.dynamic.blocks[0];
        assert_int_equal(block->n_torn, 1);
        assert_string_equal(name_of(&m, block->unknowns[0]), which ? "y" : "x");
        Compute c = compute_begin(&m);
        c.values[block->unknowns[0]] = 0.9;
        compute_system(&c, &blocks.dynamic);
        assert_near(value_of(&c, &m, "x"), which ? 2 : 1, 1e-12);
        assert_near(value_of(&c, &m, "y"), which ? 1 : 2, 1e-12);
        make_free(&m);
    }
}

// Ladder of resistors: n linear equations of n unknowns, too many to be solved symbolically.
static void test_order_leaves_larger_linear_loops_to_elimination(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    enum { N = 12 };
    Expr u[N];
    const Expr k = make_param(&m, "k", make_number(&m, 3));
    for (int i = 0; i < N; i++) u[i] = make_var(&m, arena_printf(&m.arena, "u%d", i));
    for (int step = 0; step < N; step++) {
        const int i = step * 5 % N;    // in an order of their own
        const Expr left = i > 0 ? u[i - 1] : make_number(&m, 1),
                   right = i + 1 < N ? u[i + 1] : make_number(&m, 0);
        make_equation(&m, make_mul(&m, k, u[i]), make_add(&m, left, right));
    }
    const Blocks blocks = sort(&m);
    assert_int_equal(blocks.dynamic.n_blocks, 1);
    const Block *block = &blocks.dynamic.blocks[0];
    assert_int_equal(block->kind, BLOCK_LINEAR);
    assert_int_equal(block->n_entries, 3 * N - 2);
    for (uint32_t e = 1; e < block->n_entries; e++) {
        const BlockEntry *p = &block->entries[e - 1], *q = &block->entries[e];
        assert_true(p->row < q->row || (p->row == q->row && p->column < q->column));
    }
    assert_int_equal(blocks.dynamic.loops[0].method, LOOP_LU);
    Compute c = compute_begin(&m);
    c.values[flat_find(&m.flat, "k")] = 3;
    compute_system(&c, &blocks.dynamic);
    compute_check(&c, &blocks.dynamic, 1e-14);
    make_free(&m);
}

// The derivatives of the residuals by the torn unknowns agree with differences through the inner ones.
static void check_jacobian(const Compute *c, const Block *block, Arena *arena)
{
    const uint32_t n = block->n_torn;
    double *a = ARENA_ARRAY(arena, double, (size_t)n * n), *above = ARENA_ARRAY(arena, double, n);
    compute_inner(c, block);
    compute_matrix(c, block, n, a);
    for (uint32_t j = 0; j < n; j++) {
        double *x = &c->values[block->unknowns[j]];
        const double at = *x, h = 1e-6;
        *x = at + h;
        compute_inner(c, block);
        for (uint32_t i = 0; i < n; i++) above[i] = compute_expr(c, block->residuals[i]);
        *x = at - h;
        compute_inner(c, block);
        for (uint32_t i = 0; i < n; i++) {
            const double slope = (above[i] - compute_expr(c, block->residuals[i])) / (2 * h);
            assert_near(a[i * n + j], slope, 1e-6 * fmax(1, fabs(slope)));
        }
        *x = at;
        compute_inner(c, block);
    }
}

// Random systems with a known solution: u_i + terms(u) = what the left side is there. Linear or not, whatever
// the pattern.
static void test_order_solves_random_systems(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int kinds[3] = { 0 }, torn_less = 0;
    for (int round = 0; round < 1500; round++) {
        Make m;
        make_init(&m);
        const uint32_t n = 1 + random_below(&seed, 8);
        Expr u[8], permuted[8];
        double solution[8];
        for (uint32_t i = 0; i < n; i++) {
            u[i] = make_var(&m, arena_printf(&m.arena, "u%u", i));
            solution[i] = random_number(&seed);
        }
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t k = random_below(&seed, i + 1);
            permuted[i] = permuted[k];
            permuted[k] = u[i];
        }
        const bool is_linear = random_below(&seed, 2) == 0;
        Compute truth = compute_begin(&m);
        for (uint32_t i = 0; i < n; i++) truth.values[i] = solution[i];
        for (uint32_t i = 0; i < n; i++) {
            // dominant in one unknown, so that a solution near the known one is found
            const Expr dominant = make_number(&m, 4 + random_number(&seed));
            Expr left = make_number(&m, 0);
            for (uint32_t k = random_below(&seed, 3); k > 0; k--) {
                const Expr v = u[random_below(&seed, n)], w = u[random_below(&seed, n)];
                const Expr factor = make_number(&m, 0.3 * random_number(&seed));
                const Expr term = is_linear || random_below(&seed, 2) ? v
                                : random_below(&seed, 2) ? make_call(&m, EXPR_SIN, v) : make_mul(&m, v, w);
                left = make_add(&m, left, make_mul(&m, factor, term));
            }
            const Expr whole = make_add(&m, make_mul(&m, dominant, permuted[i]), left);
            const Expr c = make_number(&m, compute_expr(&truth, whole));
            if (random_below(&seed, 2)) make_equation(&m, whole, c);
            else make_equation(&m, permuted[i], make_div(&m, make_sub(&m, c, left), dominant));
        }
        const Blocks blocks = sort(&m);
        Compute c = compute_begin(&m);
        for (uint32_t b = 0; b < blocks.dynamic.n_blocks; b++) {
            const Block *block = &blocks.dynamic.blocks[b];
            kinds[block->kind]++;
            if (block->kind == BLOCK_NEWTON) {
                torn_less += block->n_torn < block->n;
                for (uint32_t k = 0; k < block->n_torn; k++)
                    c.values[block->unknowns[k]] = random_number(&seed);
                check_jacobian(&c, block, &m.arena);
                for (uint32_t k = 0; k < block->n_torn; k++)
                    c.values[block->unknowns[k]] = truth.values[block->unknowns[k]] + 0.01;
            }
            compute_block(&c, block);
        }
        compute_check(&c, &blocks.dynamic, 1e-12);
        for (uint32_t i = 0; i < n; i++) assert_near(c.values[i], solution[i], 1e-9);
        make_free(&m);
    }
    print_message("%d assignments, %d linear, %d Newton, %d of them with inner unknowns\n", kinds[0],
                  kinds[1], kinds[2], torn_less);
    // every way of solving was met
    assert_true(kinds[BLOCK_ASSIGN] > 100 && kinds[BLOCK_LINEAR] > 20 && kinds[BLOCK_NEWTON] > 100 &&
                torn_less > 100);
}

// A residual is zero at the solution, and inner unknowns come out right, in a diode circuit: U = R i + u, i =
// Is (exp(u/V) - 1).
static void test_order_tears_without_dividing_by_a_parameter(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr i = make_var(&m, "i"), u = make_var(&m, "u"), r = make_var(&m, "r");
    const Expr R = make_param(&m, "R", make_number(&m, 100));
    make_equation(&m, r, make_mul(&m, R, i));
    make_equation(&m, make_number(&m, 5), make_add(&m, r, u));
    const Expr growth = make_call(&m, EXPR_EXP, make_div(&m, u, make_number(&m, 0.025)));
    make_equation(&m, i, make_mul(&m, make_number(&m, 1e-12), make_sub(&m, growth, make_number(&m, 1))));
    const Blocks blocks = sort(&m);
    const Block *block = &blocks.dynamic.blocks[0];
    assert_int_equal(block->kind, BLOCK_NEWTON);
    assert_int_equal(block->n_torn, 1);
    Compute c = compute_begin(&m);
    c.values[flat_find(&m.flat, "R")] = 0;    // must not matter
    c.values[block->unknowns[0]] = 0.3;
    compute_inner(&c, block);
    for (uint32_t k = 0; k < 3; k++) assert_true(isfinite(c.values[block->unknowns[k]]));
    make_free(&m);
}

// 5 x + 0.1 y = 1 and x y^2 = 1: with y guessed, x follows; with x guessed, y would have an error 50 times
// that of x.
static void test_order_does_not_divide_by_small_coefficients(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        Make m;
        make_init(&m);
        const Expr x = make_var(&m, "x"), y = make_var(&m, "y");
        make_equation(
            &m, make_add(&m, make_mul(&m, make_number(&m, 5), x), make_mul(&m, make_number(&m, 0.1), y)),
            make_number(&m, 1));
        make_equation(&m, make_mul(&m, x, make_pow(&m, y, 2)), make_number(&m, 1));
        make_at(&m, which ? y : x)->start = make_number(&m, 1);
        make_at(&m, which ? y : x)->start_is_guess = true;
        const Blocks blocks = sort(&m);
        assert_int_equal(blocks.dynamic.blocks[0].n_torn, which ? 1 : 2);
        make_free(&m);
    }
}

// s_i = s_(i-1) + t_i^2 with t_i = sin(s_n + i): through the sums, the residuals would have n^2/2
// derivatives. All are torn instead.
static void test_order_keeps_large_loops_sparse(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    enum { N = 2000 };
    Expr s[N], t[N];
    for (int i = 0; i < N; i++) {
        s[i] = make_var(&m, arena_printf(&m.arena, "s%d", i));
        t[i] = make_var(&m, arena_printf(&m.arena, "t%d", i));
        make_at(&m, t[i])->start = make_number(&m, 0);
        make_at(&m, t[i])->start_is_guess = true;
    }
    for (int i = 0; i < N; i++) {
        make_equation(&m, s[i], make_add(&m, i > 0 ? s[i - 1] : make_number(&m, 1), make_pow(&m, t[i], 2)));
        make_equation(&m, t[i], make_call(&m, EXPR_SIN, make_add(&m, s[i], make_mul(&m, s[N - 1], t[i]))));
    }
    const Blocks blocks = sort(&m);
    const Block *block = &blocks.dynamic.blocks[blocks.dynamic.n_blocks - 1];
    assert_int_equal(block->kind, BLOCK_NEWTON);
    assert_int_equal(block->n, 2 * N);
    assert_int_equal(block->n_torn, block->n);
    assert_true(block->n_entries < 7 * N);
    make_free(&m);
}

// ---- States and start

static void test_order_takes_states_as_known(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), v = make_der(&m, x), a = make_der(&m, v), e = make_var(&m, "e");
    make_at(&m, x)->start = make_number(&m, 0.1);
    make_at(&m, v)->start = make_number(&m, 0);
    make_equation(&m, e, make_add(&m, make_mul(&m, v, v), make_mul(&m, a, x)));
    make_equation(&m, a, make_neg(&m, x));
    const Blocks blocks = sort(&m);
    assert_int_equal(blocks.n_states, 2);
    assert_string_equal(name_of(&m, blocks.states[0]), "x");
    assert_string_equal(name_of(&m, blocks.states[1]), "x'");
    assert_string_equal(name_of(&m, blocks.rates[0]), "x'");
    assert_string_equal(name_of(&m, blocks.rates[1]), "x''");
    assert_string_equal(order_text(&m, &blocks.dynamic), "x'' e");
    assert_string_equal(order_text(&m, &blocks.start), "x x' x'' e");
    assert_int_equal(blocks.dynamic.block_of[blocks.states[0]], FLAT_NONE);
    char *text = print_text(&blocks);
    assert_contains(text, "x = 0.1, rate x'");
    assert_contains(text, "x'' := -x");
    free(text);
    make_free(&m);
}

// A steady start: initial x' = 0 determines x, of which only a guess is given.
static void test_order_solves_initial_equations_for_states(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), dx = make_der(&m, x), k = make_param(&m, "k", make_number(&m, 2));
    make_at(&m, x)->start = make_number(&m, 1);
    make_at(&m, x)->start_is_guess = true;
    make_equation(&m, dx, make_sub(&m, make_number(&m, 6), make_mul(&m, k, x)));
    make_initial(&m, dx, make_number(&m, 0));
    const Blocks blocks = sort(&m);
    Compute c = compute_begin(&m);
    c.values[flat_find(&m.flat, "k")] = 2;
    compute_system(&c, &blocks.start);
    assert_near(value_of(&c, &m, "x"), 3, 0);
    assert_near(value_of(&c, &m, "x'"), 0, 0);
    make_free(&m);
}

// A parameter without a value is computed if an initial equation determines it, with what depends on it, else
// required.
static void test_order_computes_parameters_from_initial_equations(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr q = make_param(&m, "q", EXPR_NONE), p = make_param(&m, "p", EXPR_NONE), x = make_var(&m, "x");
    const Expr r = make_param(&m, "r", make_mul(&m, make_number(&m, 2), p)), dx = make_der(&m, x);
    make_at(&m, x)->start = make_number(&m, 4);
    make_equation(&m, dx, make_sub(&m, make_mul(&m, r, q), x));
    make_initial(&m, make_mul(&m, p, p), make_mul(&m, make_number(&m, 9), p));    // p = 9 or 0, by iteration
    const Blocks blocks = sort(&m);
    assert_int_equal(blocks.n_required, 1);
    assert_string_equal(name_of(&m, blocks.required[0]), "q");
    assert_int_equal(blocks.n_params, 3);
    assert_int_not_equal(blocks.start.block_of[flat_find(&m.flat, "p")], FLAT_NONE);
    assert_int_not_equal(blocks.start.block_of[flat_find(&m.flat, "r")], FLAT_NONE);
    assert_int_equal(blocks.start.block_of[flat_find(&m.flat, "q")], FLAT_NONE);
    Compute c = compute_begin(&m);
    c.values[flat_find(&m.flat, "p")] = 7;
    c.values[flat_find(&m.flat, "q")] = 1;
    compute_system(&c, &blocks.start);
    assert_near(value_of(&c, &m, "p"), 9, 1e-12);
    assert_near(value_of(&c, &m, "r"), 18, 1e-12);
    assert_near(value_of(&c, &m, "x'"), 14, 1e-12);
    make_free(&m);
}

static void test_order_keeps_parameters_as_declared_where_possible(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr a = make_param(&m, "a", make_number(&m, 1)), b = make_param(&m, "b", EXPR_NONE);
    const Expr c = make_param(&m, "c", make_number(&m, 3));
    make_at(&m, b)->start = make_add(&m, a, make_param(&m, "d", make_mul(&m, c, c)));
    make_input(&m, "e", make_number(&m, 2));
    const Blocks blocks = sort(&m);
    const char *expected[5] = { "a", "c", "d", "b", "e" };
    assert_int_equal(blocks.n_params, 5);
    for (int i = 0; i < 5; i++) assert_string_equal(name_of(&m, blocks.params[i]), expected[i]);
    make_free(&m);
}

// A history that has no value before the start is, at the start, what it remembers; a delay is no loop at
// every instant.
static void test_order_starts_histories_with_their_source(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), y = make_var(&m, "y"), t = expr_time(&m.flat.pool);
    const FlatDelay delay = { .source = make_mul(&m, make_number(&m, 3), y),
                              .lag = make_number(&m, 1),
                              .before = EXPR_NONE };
    vec_push(&m.arena, &m.flat.delays, delay);
    const Expr past = expr_make(&m.flat.pool, EXPR_DELAY, make_sub(&m, t, make_number(&m, 1)), 0, EXPR_NONE);
    make_equation(&m, x, make_add(&m, past, make_number(&m, 1)));
    make_equation(&m, y, make_add(&m, make_mul(&m, make_number(&m, 0.1), x), make_number(&m, 2)));
    const Blocks blocks = sort(&m);
    assert_int_equal(blocks.dynamic.n_loops, 0);
    assert_string_equal(order_text(&m, &blocks.dynamic), "x y");
    Compute c = compute_begin(&m);
    compute_system(&c, &blocks.start);
    assert_near(value_of(&c, &m, "y"), 3, 1e-14);    // y = 0.1 (3 y + 1) + 2
    assert_near(value_of(&c, &m, "x"), 10, 1e-14);
    make_free(&m);
}

// Between events a mode is known: an equation may change its slope with it and stay linear.
static void test_order_solves_switched_loops_for_every_mode(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), y = make_var(&m, "y"), mode = expr_mode(&m.flat.pool, 0);
    const FlatRelation relation = { .relation = make_op(&m, EXPR_GT, x, make_number(&m, 0), EXPR_NONE),
                                    .zero = x };
    vec_push(&m.arena, &m.flat.relations, relation);
    make_equation(
        &m, y,
        make_op(&m, EXPR_IF, mode, make_mul(&m, make_number(&m, 2), x), make_add(&m, x, make_number(&m, 7))));
    make_equation(&m, make_add(&m, x, y), make_number(&m, 6));
    const Blocks blocks = sort(&m);
    assert_true(blocks.dynamic.loops[0].is_linear);
    const double x_of[2] = { -0.5, 2 };
    for (int k = 0; k < 2; k++) {
        const bool modes[1] = { k };
        Compute c = compute_begin(&m);
        c.modes = modes;
        compute_system(&c, &blocks.dynamic);
        assert_near(value_of(&c, &m, "x"), x_of[k], 1e-15);
        compute_check(&c, &blocks.dynamic, 1e-15);
    }
    make_free(&m);
}

// ---- Scale

// x_i = 0.5 x_(i-1) + 1, in shuffled order. Anything quadratic would run into the limit of the test; how time
// grows is measured by a benchmark.
static void test_order_sorts_a_million_equations(void **state)
{
    (void)state;
    const uint32_t n = 1000000;
    Make m;
    make_init(&m);
    uint64_t seed = 11;
    uint32_t *order = ARENA_ARRAY(&m.arena, uint32_t, n);
    char name[16];
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t k = random_below(&seed, i + 1);
        order[i] = order[k];
        order[k] = i;
        snprintf(name, sizeof name, "x%u", i);
        make_declare(&m, name, FLAT_VARIABLE, EXPR_NONE);
    }
    const Expr half = make_number(&m, 0.5), one = make_number(&m, 1);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t i = order[k];
        const Expr before = i > 0 ? expr_var(&m.flat.pool, i - 1) : one;
        make_equation(&m, expr_var(&m.flat.pool, i), make_add(&m, make_mul(&m, half, before), one));
    }
    const Blocks blocks = sort(&m);
    assert_int_equal(blocks.dynamic.n_blocks, n);
    for (uint32_t b = 0; b < n; b++)
        if (blocks.dynamic.blocks[b].unknowns[0] != b)
            fail_msg("block %u computes %u", b, blocks.dynamic.blocks[b].unknowns[0]);
    make_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_sorts_the_lecture_as_printed_there),
        cmocka_unit_test(test_order_explains_the_lecture_step_by_step),
        cmocka_unit_test(test_order_solves_the_linear_loop_symbolically),
        cmocka_unit_test(test_order_refuses_loops_on_request),
        cmocka_unit_test(test_order_finds_no_false_loop_through_a_subsystem),
        cmocka_unit_test(test_order_solves_equations_for_their_unknowns),
        cmocka_unit_test(test_order_iterates_on_one_equation_without_closed_form),
        cmocka_unit_test(test_order_tears_the_variable_with_a_guess),
        cmocka_unit_test(test_order_leaves_larger_linear_loops_to_elimination),
        cmocka_unit_test(test_order_solves_random_systems),
        cmocka_unit_test(test_order_tears_without_dividing_by_a_parameter),
        cmocka_unit_test(test_order_does_not_divide_by_small_coefficients),
        cmocka_unit_test(test_order_keeps_large_loops_sparse),
        cmocka_unit_test(test_order_takes_states_as_known),
        cmocka_unit_test(test_order_solves_initial_equations_for_states),
        cmocka_unit_test(test_order_computes_parameters_from_initial_equations),
        cmocka_unit_test(test_order_keeps_parameters_as_declared_where_possible),
        cmocka_unit_test(test_order_starts_histories_with_their_source),
        cmocka_unit_test(test_order_solves_switched_loops_for_every_mode),
        cmocka_unit_test(test_order_sorts_a_million_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

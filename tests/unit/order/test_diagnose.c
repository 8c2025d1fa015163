// tests/unit/order/test_diagnose.c: systems that cannot be solved are explained: what, where, and the next
// step.
#include "check.h"
#include "make_flat.h"
#include "order/blocks.h"
#include "order/diagnose.h"
#include "dice.h"

static void refuse(Make *m)
{
    Blocks blocks;
    assert_false(order_sort(&blocks, &m->flat, &m->arena, m->diag));
    assert_true(orr_diag_errors(m->diag) > 0);
}

// The first error with a code; fails if there is none.
static orr_message find_message(const Make *m, const char *code)
{
    for (size_t i = 0; i < orr_diag_count(m->diag); i++) {
        const orr_message message = orr_diag_get(m->diag, i);
        if (strcmp(message.code, code) == 0) return message;
    }
    orr_diag_print(m->diag, stderr, 0);
    fail_msg("there is no message %s", code);
    return (orr_message){ 0 };
}

static bool has_note_at(const Make *m, size_t line)
{
    for (size_t i = 0; i < orr_diag_count(m->diag); i++) {
        const orr_message message = orr_diag_get(m->diag, i);
        if (message.severity == ORR_SEVERITY_NOTE && message.line == line) return true;
    }
    return false;
}

static void test_diagnose_names_what_is_computed_twice(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), k = make_param(&m, "k", make_number(&m, 2));
    make_equation(&m, x, make_number(&m, 1));
    make_equation(&m, make_mul(&m, x, k), make_number(&m, 3));
    refuse(&m);
    assert_int_equal(orr_diag_errors(m.diag), 1);
    const orr_message message = find_message(&m, "E310");
    assert_string_equal(message.text, "'x' is computed twice");
    assert_int_equal(message.line, 2);
    assert_true(has_note_at(&m, 1));
    assert_contains(message.hint, "remove one of the two equations, or declare 'k' as var");
    make_free(&m);
}

// a = 1, b = a + 1, 2 b + c = 0, a + c = 7: four equations for three unknowns; d = 5 is none of them.
static void test_diagnose_names_all_equations_that_are_too_many(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr a = make_var(&m, "a"), b = make_var(&m, "b"), c = make_var(&m, "c"), d = make_var(&m, "d");
    make_equation(&m, a, make_number(&m, 1));
    make_equation(&m, b, make_add(&m, a, make_number(&m, 1)));
    make_equation(&m, d, make_number(&m, 5));
    make_equation(&m, make_add(&m, c, make_mul(&m, make_number(&m, 2), b)), make_number(&m, 0));
    make_equation(&m, make_add(&m, a, c), make_number(&m, 7));
    refuse(&m);
    const orr_message message = find_message(&m, "E302");
    assert_string_equal(message.text, "1 equation too many (4 equations for 3 unknowns: 'a', 'b' and 'c')");
    assert_int_equal(message.line, 5);
    assert_true(has_note_at(&m, 1) && has_note_at(&m, 2) && has_note_at(&m, 4));
    assert_false(has_note_at(&m, 3));
    assert_contains(message.hint, "remove one of these 4 equations");
    make_free(&m);
}

// a = 1, b = a + 1, c = 2 b, c = 7: any of them could go, but c is what was written twice. And x, which
// occurs in no equation, is what one of them may have been meant for.
static void test_diagnose_prefers_what_is_written_twice(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr a = make_var(&m, "a"), b = make_var(&m, "b"), c = make_var(&m, "c");
    make_var(&m, "x");
    make_equation(&m, a, make_number(&m, 1));
    make_equation(&m, b, make_add(&m, a, make_number(&m, 1)));
    make_equation(&m, c, make_mul(&m, make_number(&m, 2), b));
    make_equation(&m, c, make_number(&m, 7));
    refuse(&m);
    const orr_message message = find_message(&m, "E310");
    assert_string_equal(message.text, "'c' is computed twice");
    assert_int_equal(message.line, 4);
    assert_true(has_note_at(&m, 3));
    assert_false(has_note_at(&m, 1) || has_note_at(&m, 2));
    assert_contains(message.hint, "meant for 'x'");
    find_message(&m, "E312");
    make_free(&m);
}

// x + y + z = 1, x - y + z = 2, x + y + w = 2, 2 x + 2 z = 7: the last contradicts the first two.
static void test_diagnose_names_the_fewest_that_contradict(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), y = make_var(&m, "y"), z = make_var(&m, "z"), w = make_var(&m, "w");
    const Expr two = make_number(&m, 2);
    make_equation(&m, make_add(&m, make_add(&m, x, y), z), make_number(&m, 1));
    make_equation(&m, make_add(&m, make_sub(&m, x, y), z), two);
    make_equation(&m, make_add(&m, make_add(&m, x, y), w), two);
    make_equation(&m, make_add(&m, make_mul(&m, two, x), make_mul(&m, two, z)), make_number(&m, 7));
    refuse(&m);
    const orr_message message = find_message(&m, "E307");
    assert_contains(message.hint, "contradict each other");
    assert_contains(message.hint, "0 = -4");
    assert_int_equal(message.line, 4);
    assert_true(has_note_at(&m, 1) && has_note_at(&m, 2));
    assert_false(has_note_at(&m, 3));
    make_free(&m);
}

// y = 2 x, and x is declared but never computed: y is not to blame.
static void test_diagnose_names_the_unknown_that_is_never_computed(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), y = make_var(&m, "y"), z = make_var(&m, "z");
    make_equation(&m, y, make_mul(&m, make_number(&m, 2), x));
    make_equation(&m, z, make_number(&m, 1));
    refuse(&m);
    const orr_message message = find_message(&m, "E301");
    assert_string_equal(message.text, "'x' is never computed (1 equation for 2 unknowns)");
    assert_int_equal(message.line, 1001);
    assert_true(has_note_at(&m, 1));
    assert_false(has_note_at(&m, 2));
    assert_contains(message.hint, "write one more equation for 'x', or declare it as param");
    make_free(&m);
}

static void test_diagnose_names_all_unknowns_if_any_may_be_meant(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), y = make_var(&m, "y");
    make_equation(&m, make_add(&m, x, y), make_number(&m, 3));
    refuse(&m);
    const orr_message message = find_message(&m, "E301");
    assert_contains(message.text, "one of 'x' or 'y' is never computed");
    assert_contains(message.hint, "write one more equation for 'x' or 'y'");
    assert_true(has_note_at(&m, 1));
    make_free(&m);
}

static void test_diagnose_says_what_occurs_nowhere(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    make_var(&m, "x");
    const Expr y = make_var(&m, "y");
    make_equation(&m, y, make_number(&m, 1));
    refuse(&m);
    const orr_message message = find_message(&m, "E312");
    assert_string_equal(message.text, "'x' occurs in no equation");
    assert_int_equal(message.line, 1001);
    make_free(&m);
}

// Both kinds of fault at once, in parts that have nothing to do with each other, give a message each.
static void test_diagnose_reports_independent_faults_apart(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr a = make_var(&m, "a"), b = make_var(&m, "b"), c = make_var(&m, "c"), d = make_var(&m, "d");
    make_equation(&m, a, make_number(&m, 1));
    make_equation(&m, a, make_number(&m, 2));
    make_equation(&m, b, make_number(&m, 3));
    make_equation(&m, b, make_number(&m, 4));
    make_equation(&m, c, d);
    refuse(&m);
    assert_int_equal(orr_diag_errors(m.diag), 3);
    assert_contains(find_message(&m, "E310").text, "'a'");
    find_message(&m, "E301");
    make_free(&m);
}

static void test_diagnose_finds_equations_without_unknowns(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), k = make_param(&m, "k", make_number(&m, 1));
    make_equation(&m, x, k);
    make_equation(&m, k, make_number(&m, 2));
    refuse(&m);
    const orr_message message = find_message(&m, "E309");
    assert_contains(message.text, "k = 2");
    assert_contains(message.hint, "'k' is a parameter, fixed in a run: declare it as var");
    make_free(&m);
}

static void test_diagnose_says_that_a_state_is_integrated(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), dx = make_der(&m, x);
    make_equation(&m, dx, make_number(&m, 1));
    make_equation(&m, x, make_mul(&m, make_number(&m, 3), expr_time(&m.flat.pool)));
    refuse(&m);
    const orr_message message = find_message(&m, "E310");
    assert_string_equal(message.text, "'x' is computed twice");
    assert_int_equal(message.line, 2);
    assert_contains(message.hint, "integrating 'x''");
    make_free(&m);
}

// x'' = F, x = delay(sin(t), 1): the constraint would have to be differentiated twice.
static void test_diagnose_says_why_a_constraint_is_not_differentiated(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), f = make_var(&m, "F"), t = expr_time(&m.flat.pool);
    const FlatDelay delay = { .source = make_call(&m, EXPR_SIN, t), .lag = make_number(&m, 1),
                              .before = EXPR_NONE, .place = make_place(&m, 2) };
    vec_push(&m.arena, &m.flat.delays, delay);
    make_equation(&m, make_der(&m, make_der(&m, x)), f);
    make_equation(&m, x, make_op(&m, EXPR_DELAY, make_sub(&m, t, make_number(&m, 1)), 0, EXPR_NONE));
    refuse(&m);
    assert_int_equal(orr_diag_errors(m.diag), 1);
    const orr_message message = find_message(&m, "E308");
    assert_contains(message.text, "reads the past");
    assert_int_equal(message.line, 2);
    make_free(&m);
}

static void test_diagnose_asks_for_initial_values(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), y = make_var(&m, "y"), z = make_var(&m, "z");
    make_at(&m, y)->start = make_number(&m, 1);
    make_at(&m, z)->start = make_number(&m, 1);
    make_at(&m, z)->start_is_guess = true;
    make_equation(&m, make_der(&m, x), y);
    make_equation(&m, make_der(&m, y), z);
    make_equation(&m, make_der(&m, z), x);
    refuse(&m);
    assert_int_equal(orr_diag_errors(m.diag), 2);
    orr_message message = orr_diag_get(m.diag, 0);
    assert_string_equal(message.code, "E304");
    assert_string_equal(message.text, "state 'x' has no initial value");
    assert_int_equal(message.line, 1001);
    assert_string_equal(message.hint, "write 'var x = …' or an initial equation");
    message = orr_diag_get(m.diag, 1);
    assert_string_equal(message.text, "state 'z' has no initial value");
    assert_contains(message.hint, "'~' gives a first guess only");
    make_free(&m);
}

// One initial equation for two states: one of them is enough.
static void test_diagnose_asks_for_no_more_initial_values_than_needed(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), y = make_var(&m, "y");
    make_equation(&m, make_der(&m, x), y);
    make_equation(&m, make_der(&m, y), make_neg(&m, x));
    make_initial(&m, make_add(&m, x, y), make_number(&m, 3));
    refuse(&m);
    assert_int_equal(orr_diag_errors(m.diag), 1);
    const orr_message message = find_message(&m, "E304");
    assert_contains(message.hint, "give one of 'x' and 'y' an initial value");
    assert_true(has_note_at(&m, 1002));
    make_free(&m);
}

static void test_diagnose_names_both_of_two_initial_values(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), dx = make_der(&m, x), y = make_var(&m, "y");
    make_at(&m, x)->start = make_number(&m, 1);
    make_equation(&m, dx, make_neg(&m, y));
    make_equation(&m, y, make_mul(&m, make_number(&m, 2), x));
    make_initial(&m, y, make_number(&m, 4));
    refuse(&m);
    assert_int_equal(orr_diag_errors(m.diag), 1);
    const orr_message message = find_message(&m, "E305");
    assert_string_equal(message.text, "'x' has more than one initial value");
    assert_int_equal(message.line, 501);
    assert_true(has_note_at(&m, 1001));
    assert_contains(message.hint, "'var x ~ …'");
    make_free(&m);
}

static void test_diagnose_names_the_cycle_of_parameters(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr a = make_param(&m, "a", EXPR_NONE),
               b = make_param(&m, "b", make_mul(&m, a, make_number(&m, 2)));
    const Expr c = make_param(&m, "c", make_add(&m, b, make_number(&m, 1)));
    make_at(&m, a)->start = make_neg(&m, c);
    refuse(&m);
    const orr_message message = find_message(&m, "E114");
    assert_contains(message.text, "a → c → b → a");
    make_free(&m);
}

// Singular whatever the parameter: k x + k y = 1, 2 k x + 2 k y = 5. Folding alone does not see it.
static void test_diagnose_recognises_singular_loops(void **state)
{
    (void)state;
    for (int n_more = 0; n_more < 4; n_more += 3) {    // three of them, too many for symbols
        Make m;
        make_init(&m);
        const Expr x = make_var(&m, "x"), y = make_var(&m, "y"), k = make_param(&m, "k", make_number(&m, 1));
        const Expr two = make_number(&m, 2), one = make_number(&m, 1);
        Expr right = one;
        for (int i = 0; i < n_more; i++) {
            const Expr z = make_var(&m, arena_printf(&m.arena, "z%d", i));
            make_equation(&m, z, make_add(&m, make_mul(&m, right, make_number(&m, 0.25)), y));
            right = z;
        }
        make_equation(&m, make_add(&m, make_mul(&m, k, x), make_mul(&m, k, y)), right);
        make_equation(
            &m, make_add(&m, make_mul(&m, make_mul(&m, two, k), x), make_mul(&m, make_mul(&m, two, k), y)),
            make_mul(&m, two, right));
        refuse(&m);
        const orr_message message = find_message(&m, "E307");
        assert_contains(message.text, "'x'");
        assert_contains(message.text, "no unique solution");
        make_free(&m);
    }
}

static void test_diagnose_recognises_an_unknown_that_cancels(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x");
    make_equation(&m, x, make_add(&m, x, make_number(&m, 1)));
    refuse(&m);
    assert_contains(find_message(&m, "E307").text, "'x'");
    make_free(&m);
}

// Not singular: the same loop with different coefficients, and with one that is zero for some values only.
static void test_diagnose_leaves_regular_loops_alone(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), y = make_var(&m, "y"), k = make_param(&m, "k", make_number(&m, 1));
    make_equation(&m, make_add(&m, x, y), make_number(&m, 1));
    make_equation(&m, make_add(&m, x, make_mul(&m, k, y)), make_number(&m, 2));    // singular for k = 1 only
    Blocks blocks;
    assert_true(order_sort(&blocks, &m.flat, &m.arena, m.diag));
    assert_int_equal(orr_diag_errors(m.diag), 0);
    assert_int_not_equal(blocks.dynamic.blocks[0].divisor, EXPR_NONE);
    make_free(&m);

    // nearly singular is not singular
    make_init(&m);
    const Expr a = make_var(&m, "a"), b = make_var(&m, "b");
    make_equation(&m, make_add(&m, a, b), make_number(&m, 1));
    make_equation(&m, make_add(&m, a, make_mul(&m, make_number(&m, 1.0001), b)), make_number(&m, 2));
    assert_true(order_sort(&blocks, &m.flat, &m.arena, m.diag));
    make_free(&m);
}

static void test_diagnose_warns_of_a_value_that_is_not_used(void **state)
{
    (void)state;
    Make m;
    make_init(&m);
    const Expr x = make_var(&m, "x"), y = make_var(&m, "y"), z = make_var(&m, "z");
    make_at(&m, x)->start = make_number(&m, 1);    // computed: the value is ignored
    make_at(&m, y)->start = make_number(&m, 1);    // the guess of an iteration
    make_at(&m, z)->start = make_number(&m, 1);    // says itself that it is a guess
    make_at(&m, z)->start_is_guess = true;
    make_equation(&m, x, make_number(&m, 5));
    make_equation(&m, y, make_call(&m, EXPR_COS, y));
    make_equation(&m, z, x);
    Blocks blocks;
    assert_true(order_sort(&blocks, &m.flat, &m.arena, m.diag));
    assert_int_equal(orr_diag_warnings(m.diag), 1);
    assert_contains(find_message(&m, "W609").text, "'x'");
    make_free(&m);
}

// ---- The parts themselves, against their definition

// Can row `without` (or none) be left out of some largest matching? By trying all matchings.
static int most(const unsigned *masks, int n_rows, int row, unsigned taken, int without)
{
    if (row == n_rows) return 0;
    int best = most(masks, n_rows, row + 1, taken, without);
    if (row == without) return best;
    for (unsigned free = masks[row] & ~taken; free; free &= free - 1) {
        const int with = 1 + most(masks, n_rows, row + 1, taken | (free & -free), without);
        if (with > best) best = with;
    }
    return best;
}

// Dulmage and Mendelsohn: an equation belongs to the part that is too many if and only if some largest
// matching leaves it out; likewise for unknowns.
static void test_diagnose_parts_are_what_some_largest_matching_leaves_out(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 3000; round++) {
        Arena arena = { 0 };
        const int n_rows = 1 + (int)random_below(&seed, 6), n_columns = 1 + (int)random_below(&seed, 6);
        unsigned rows[6], columns[6] = { 0 };
        uint32_t first[7] = { 0 }, entries[36];
        const uint32_t density = 1 + random_below(&seed, 3);
        for (int i = 0; i < n_rows; i++) {
            rows[i] = 0;
            first[i + 1] = first[i];
            for (int j = 0; j < n_columns; j++) {
                if (random_below(&seed, 6) >= density) continue;
                rows[i] |= 1u << j;
                columns[j] |= 1u << i;
                entries[first[i + 1]++] = (uint32_t)j;
            }
        }
        System system = { .n_first = (uint32_t)n_columns,
                          .rows = { .n_rows = (uint32_t)n_rows,
                                    .n_columns = (uint32_t)n_columns,
                                    .first = first,
                                    .columns = entries } };
        system.columns = incidence_transpose(&system.rows, &arena);
        const Match match = match_find(&system.rows, &system.columns, NULL, (uint32_t)n_columns, &arena);
        const DiagnoseParts parts = diagnose_parts(&system, &match, &arena);

        bool over[6] = { 0 }, under[6] = { 0 };
        for (uint32_t g = 0; g < parts.n_over; g++) {
            assert_true(parts.over[g].n_rows > parts.over[g].n_columns);
            for (uint32_t k = 0; k < parts.over[g].n_rows; k++) over[parts.over[g].rows[k]] = true;
        }
        for (uint32_t g = 0; g < parts.n_under; g++) {
            assert_true(parts.under[g].n_columns > parts.under[g].n_rows);
            for (uint32_t k = 0; k < parts.under[g].n_columns; k++) under[parts.under[g].columns[k]] = true;
        }
        const int all = most(rows, n_rows, 0, 0, -1);
        for (int i = 0; i < n_rows; i++) assert_int_equal(over[i], most(rows, n_rows, 0, 0, i) == all);
        for (int j = 0; j < n_columns; j++)
            assert_int_equal(under[j], most(columns, n_columns, 0, 0, j) == all);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diagnose_names_what_is_computed_twice),
        cmocka_unit_test(test_diagnose_names_all_equations_that_are_too_many),
        cmocka_unit_test(test_diagnose_prefers_what_is_written_twice),
        cmocka_unit_test(test_diagnose_names_the_fewest_that_contradict),
        cmocka_unit_test(test_diagnose_names_the_unknown_that_is_never_computed),
        cmocka_unit_test(test_diagnose_names_all_unknowns_if_any_may_be_meant),
        cmocka_unit_test(test_diagnose_says_what_occurs_nowhere),
        cmocka_unit_test(test_diagnose_reports_independent_faults_apart),
        cmocka_unit_test(test_diagnose_finds_equations_without_unknowns),
        cmocka_unit_test(test_diagnose_says_that_a_state_is_integrated),
        cmocka_unit_test(test_diagnose_says_why_a_constraint_is_not_differentiated),
        cmocka_unit_test(test_diagnose_asks_for_initial_values),
        cmocka_unit_test(test_diagnose_asks_for_no_more_initial_values_than_needed),
        cmocka_unit_test(test_diagnose_names_both_of_two_initial_values),
        cmocka_unit_test(test_diagnose_names_the_cycle_of_parameters),
        cmocka_unit_test(test_diagnose_recognises_singular_loops),
        cmocka_unit_test(test_diagnose_recognises_an_unknown_that_cancels),
        cmocka_unit_test(test_diagnose_leaves_regular_loops_alone),
        cmocka_unit_test(test_diagnose_warns_of_a_value_that_is_not_used),
        cmocka_unit_test(test_diagnose_parts_are_what_some_largest_matching_leaves_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

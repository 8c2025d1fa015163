// tests/unit/order/test_augment.c: matchings that grow row by row, against those found at once.
#include "check.h"
#include "order/augment.h"
#include "dice.h"
#include <stdlib.h>

static Incidence random_pattern(uint64_t *seed, uint32_t n, uint32_t m, uint32_t most, Arena *arena)
{
    Incidence a = { .n_rows = n, .n_columns = m };
    a.first = ARENA_ARRAY(arena, uint32_t, n + 1);
    a.columns = ARENA_ARRAY(arena, uint32_t, n * most + 1);
    for (uint32_t i = 0; i < n; i++) {
        a.first[i + 1] = a.first[i];
        for (uint32_t k = random_below(seed, most + 1); k > 0; k--) {
            const uint32_t j = random_below(seed, m);
            bool is_new = true;
            for (uint32_t e = a.first[i]; e < a.first[i + 1]; e++) is_new = is_new && a.columns[e] != j;
            if (is_new) a.columns[a.first[i + 1]++] = j;
        }
    }
    return a;
}

static void check_matching(const Augment *a)
{
    for (uint32_t i = 0; i < a->rows.n; i++) {
        const uint32_t j = a->column_of.items[i];
        if (j == INCIDENCE_NONE) continue;
        assert_int_equal(a->row_of.items[j], i);
        bool is_entry = false;
        for (uint32_t k = 0; k < a->rows.items[i].n; k++)
            is_entry = is_entry || a->rows.items[i].columns[k] == j;
        assert_true(is_entry);
    }
}

// The rows of the tree have no other columns than those of the tree, one fewer than rows: so they cannot all
// have one.
static void check_tree(const Augment *a, uint32_t row)
{
    assert_int_equal(a->met_rows.items[0], row);
    assert_int_equal(a->met_rows.n, a->met_columns.n + 1);
    for (size_t r = 0; r < a->met_rows.n; r++) {
        const AugmentRow *columns = &a->rows.items[a->met_rows.items[r]];
        for (uint32_t k = 0; k < columns->n; k++) {
            bool is_met = a->is_closed.items[columns->columns[k]];
            for (size_t c = 0; c < a->met_columns.n && !is_met; c++)
                is_met = a->met_columns.items[c] == columns->columns[k];
            assert_true(is_met);
        }
    }
}

static void test_augment_finds_as_many_pairs_as_there_are(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 2000; trial++) {
        Arena arena = { 0 };
        const uint32_t n = 1 + random_below(&seed, 30), m = 1 + random_below(&seed, 30);
        const Incidence rows = random_pattern(&seed, n, m, 1 + random_below(&seed, 4), &arena);
        const Incidence columns = incidence_transpose(&rows, &arena);
        const Match match = match_find(&rows, &columns, NULL, m, &arena);
        Augment a;
        augment_init(&a, &arena);
        for (uint32_t j = 0; j < m; j++) augment_add_column(&a);
        uint32_t n_pairs = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t row = augment_add_row(&a, rows.columns + rows.first[i], incidence_count(&rows, i));
            if (augment_row(&a, row)) {
                n_pairs++;
                continue;
            }
            check_tree(&a, row);
            if (trial % 2) augment_close_tree(&a);
        }
        check_matching(&a);
        assert_int_equal(n_pairs, match.n);
        arena_free(&arena);
    }
}

// An earlier row is never left without a column for the sake of a later one.
static void test_augment_serves_rows_in_their_order(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int trial = 0; trial < 500; trial++) {
        Arena arena = { 0 };
        const uint32_t n = 12, m = 8;
        const Incidence rows = random_pattern(&seed, n, m, 3, &arena);
        Augment a;
        augment_init(&a, &arena);
        for (uint32_t j = 0; j < m; j++) augment_add_column(&a);
        bool had[12] = { 0 };
        for (uint32_t i = 0; i < n; i++) {
            augment_add_row(&a, rows.columns + rows.first[i], incidence_count(&rows, i));
            had[i] = augment_row(&a, i);
            for (uint32_t k = 0; k <= i; k++)
                assert_int_equal(had[k], a.column_of.items[k] != INCIDENCE_NONE);
        }
        arena_free(&arena);
    }
}

// Rows that need each other's columns in a long line: no recursion, and each column is met once.
static void test_augment_follows_long_paths(void **state)
{
    (void)state;
    enum { N = 300000 };
    Arena arena = { 0 };
    Augment a;
    augment_init(&a, &arena);
    uint32_t *columns = ARENA_ARRAY(&arena, uint32_t, 2 * N + 2);
    for (uint32_t j = 0; j <= N; j++) augment_add_column(&a);
    for (uint32_t i = 0; i < N; i++) {
        columns[2 * i] = i;
        columns[2 * i + 1] = i + 1;
        augment_add_row(&a, columns + 2 * i, 2);
        augment_pair(&a, i, i);
    }
    columns[2 * N] = 0;
    assert_true(augment_row(&a, augment_add_row(&a, columns + 2 * N, 1)));
    assert_int_equal(a.column_of.items[N], 0);
    assert_int_equal(a.column_of.items[N - 1], N);
    columns[2 * N + 1] = N;
    assert_false(augment_row(&a, augment_add_row(&a, columns + 2 * N + 1, 1)));
    assert_int_equal(a.met_rows.n, N + 2);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_augment_finds_as_many_pairs_as_there_are),
        cmocka_unit_test(test_augment_serves_rows_in_their_order),
        cmocka_unit_test(test_augment_follows_long_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

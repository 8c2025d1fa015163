// tests/unit/order/test_match.c: promises of the matching.
#include "check.h"
#include "order/match.h"
#include "dice.h"

static Incidence from_masks(const unsigned *masks, uint32_t n_rows, uint32_t n_columns, Arena *arena)
{
    Incidence a = { .n_rows = n_rows,
                    .n_columns = n_columns,
                    .first = ARENA_ARRAY(arena, uint32_t, n_rows + 1),
                    .columns = ARENA_ARRAY(arena, uint32_t, (size_t)n_rows * n_columns) };
    for (uint32_t i = 0; i < n_rows; i++) {
        a.first[i + 1] = a.first[i];
        for (uint32_t j = 0; j < n_columns; j++)
            if (masks[i] >> j & 1) a.columns[a.first[i + 1]++] = j;
    }
    return a;
}

// The most rows that can have a column each, by trying everything.
static int most(const unsigned *masks, uint32_t n_rows, uint32_t row, unsigned taken)
{
    if (row == n_rows) return 0;
    int best = most(masks, n_rows, row + 1, taken);
    for (unsigned free = masks[row] & ~taken; free; free &= free - 1) {
        const int with = 1 + most(masks, n_rows, row + 1, taken | (free & -free));
        if (with > best) best = with;
    }
    return best;
}

static void check_valid(const Incidence *a, const Match *m)
{
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < a->n_rows; i++) {
        const uint32_t j = m->column_of[i];
        if (j == INCIDENCE_NONE) continue;
        pairs++;
        assert_int_equal(m->row_of[j], i);
        bool is_there = false;
        for (size_t k = a->first[i]; k < a->first[i + 1]; k++) is_there = is_there || a->columns[k] == j;
        assert_true(is_there);
    }
    assert_int_equal(pairs, m->n);
    for (uint32_t j = 0; j < a->n_columns; j++)
        if (m->row_of[j] != INCIDENCE_NONE) assert_int_equal(m->column_of[m->row_of[j]], j);
}

static void test_match_is_as_large_as_trying_everything_finds(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < 4000; round++) {
        Arena arena = { 0 };
        const uint32_t n_rows = random_below(&seed, 7), n_columns = 1 + random_below(&seed, 7);
        unsigned masks[8];
        uint32_t prefer[8];
        const uint32_t density = 1 + random_below(&seed, 4);
        for (uint32_t i = 0; i < n_rows; i++) {
            masks[i] = 0;
            for (uint32_t j = 0; j < n_columns; j++)
                masks[i] |= (random_below(&seed, 8) < density ? 1u : 0u) << j;
            prefer[i] = INCIDENCE_NONE;
            for (uint32_t j = 0; j < n_columns; j++)
                if (masks[i] >> j & 1 && random_below(&seed, 3) == 0) prefer[i] = j;
        }
        const Incidence rows = from_masks(masks, n_rows, n_columns, &arena);
        const Incidence columns = incidence_transpose(&rows, &arena);
        const uint32_t n_first = random_below(&seed, n_columns + 1);
        const Match m = match_find(&rows, &columns, random_below(&seed, 2) ? prefer : NULL, n_first, &arena);
        check_valid(&rows, &m);
        assert_int_equal(m.n, most(masks, n_rows, 0, 0));

        // the columns that come first are served as well as if they were alone
        unsigned first_only[8];
        uint32_t served = 0;
        for (uint32_t i = 0; i < n_rows; i++) first_only[i] = masks[i] & ((1u << n_first) - 1);
        for (uint32_t j = 0; j < n_first; j++) served += m.row_of[j] != INCIDENCE_NONE;
        assert_int_equal(served, most(first_only, n_rows, 0, 0));
        arena_free(&arena);
    }
}

// Kuhn's algorithm: one row after the other, by recursion. Slow and simple.
static bool place_row(const Incidence *rows, uint32_t i, uint32_t n_first, uint32_t *row_of, bool *tried)
{
    for (uint32_t k = rows->first[i]; k < rows->first[i + 1]; k++) {
        const uint32_t j = rows->columns[k];
        if (j >= n_first || tried[j]) continue;
        tried[j] = true;
        if (row_of[j] != INCIDENCE_NONE && !place_row(rows, row_of[j], n_first, row_of, tried)) continue;
        row_of[j] = i;
        return true;
    }
    return false;
}

static uint32_t count_simply(const Incidence *rows, uint32_t n_first)
{
    uint32_t row_of[80], n = 0;
    memset(row_of, 0xff, sizeof row_of);
    for (uint32_t i = 0; i < rows->n_rows; i++) {
        bool tried[80] = { 0 };
        n += place_row(rows, i, n_first, row_of, tried);
    }
    return n;
}

// Sparse and larger, with bad preferences: the cheap step leaves something to do.
static void test_match_agrees_with_a_simple_algorithm(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int round = 0; round < 3000; round++) {
        Arena arena = { 0 };
        const uint32_t n = 20 + random_below(&seed, 60), degree = 2 + random_below(&seed, 3);
        Incidence rows = { .n_rows = n, .n_columns = n, .first = ARENA_ARRAY(&arena, uint32_t, n + 1),
                           .columns = ARENA_ARRAY(&arena, uint32_t, (size_t)n * degree) };
        uint32_t *prefer = ARENA_ARRAY(&arena, uint32_t, n);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = rows.first[i];
            for (uint32_t k = 0; k < degree; k++) {
                const uint32_t j = random_below(&seed, n);
                bool is_new = true;
                for (uint32_t e = rows.first[i]; e < at; e++) is_new = is_new && rows.columns[e] != j;
                if (is_new) rows.columns[at++] = j;
            }
            rows.first[i + 1] = at;
            prefer[i] = rows.columns[rows.first[i]];
        }
        const Incidence columns = incidence_transpose(&rows, &arena);
        const uint32_t n_first = n - random_below(&seed, 5);
        const Match m = match_find(&rows, &columns, prefer, n_first, &arena);
        check_valid(&rows, &m);
        assert_int_equal(m.n, count_simply(&rows, n));
        uint32_t served = 0;
        for (uint32_t j = 0; j < n_first; j++) served += m.row_of[j] != INCIDENCE_NONE;
        assert_int_equal(served, count_simply(&rows, n_first));
        arena_free(&arena);
    }
}

// Row i contains columns i and i + 1, in shuffled order, and one more row the first column: only one
// matching.
static void test_match_finds_the_only_one_of_a_million(void **state)
{
    (void)state;
    const uint32_t n = 1000000;
    Arena arena = { 0 };
    uint64_t seed = 4;
    uint32_t *name = ARENA_ARRAY(&arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t k = random_below(&seed, i + 1);
        name[i] = name[k];
        name[k] = i;
    }
    Incidence rows = { .n_rows = n, .n_columns = n, .first = ARENA_ARRAY(&arena, uint32_t, (size_t)n + 1),
                       .columns = ARENA_ARRAY(&arena, uint32_t, 2 * (size_t)n) };
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = rows.first[i];
        rows.columns[k++] = name[i];
        if (i > 0) rows.columns[k++] = name[i - 1];
        rows.first[i + 1] = k;
    }
    const Incidence columns = incidence_transpose(&rows, &arena);
    const Match m = match_find(&rows, &columns, NULL, n, &arena);
    assert_int_equal(m.n, n);
    for (uint32_t i = 0; i < n; i++)
        if (m.column_of[i] != name[i]) fail_msg("row %u has column %u, not %u", i, m.column_of[i], name[i]);
    arena_free(&arena);
}

// No row or column has a single partner, and every preference misleads: each row i of a ring prefers i + 1,
// two rows the same.
static void test_match_repairs_preferences_along_long_paths(void **state)
{
    (void)state;
    const uint32_t n = 300000;
    Arena arena = { 0 };
    Incidence rows = { .n_rows = n, .n_columns = n, .first = ARENA_ARRAY(&arena, uint32_t, (size_t)n + 1),
                       .columns = ARENA_ARRAY(&arena, uint32_t, 3 * (size_t)n) };
    uint32_t *prefer = ARENA_ARRAY(&arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = rows.first[i];
        rows.columns[k++] = i;
        rows.columns[k++] = (i + 1) % n;
        if (i % 3 == 0) rows.columns[k++] = (i + n / 2) % n;
        rows.first[i + 1] = k;
        prefer[i] = i % 2 ? i : (i + 1) % n;
    }
    const Incidence columns = incidence_transpose(&rows, &arena);
    const Match m = match_find(&rows, &columns, prefer, n, &arena);
    check_valid(&rows, &m);
    assert_int_equal(m.n, n);
    arena_free(&arena);
}

static void test_transposing_twice_sorts(void **state)
{
    (void)state;
    Arena arena = { 0 };
    uint32_t first[3] = { 0, 3, 4 };
    uint32_t unsorted[4] = { 2, 0, 1, 1 };
    const Incidence a = { .n_rows = 2, .n_columns = 3, .first = first, .columns = unsorted };
    const Incidence t = incidence_transpose(&a, &arena), b = incidence_transpose(&t, &arena);
    const uint32_t sorted[4] = { 0, 1, 2, 1 };
    assert_memory_equal(b.columns, sorted, sizeof sorted);
    assert_memory_equal(b.first, first, sizeof first);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match_is_as_large_as_trying_everything_finds),
        cmocka_unit_test(test_match_agrees_with_a_simple_algorithm),
        cmocka_unit_test(test_match_finds_the_only_one_of_a_million),
        cmocka_unit_test(test_match_repairs_preferences_along_long_paths),
        cmocka_unit_test(test_transposing_twice_sorts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

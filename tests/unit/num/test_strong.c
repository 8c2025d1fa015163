// tests/unit/num/test_strong.c: promises of the strong components.
#include "check.h"
#include "num/strong.h"
#include "dice.h"
#include <stdlib.h>

// A graph from an adjacency matrix of bytes.
static Incidence from_matrix(const unsigned char *a, uint32_t n, Arena *arena)
{
    Incidence g = { .n_rows = n, .n_columns = n, .first = ARENA_ARRAY(arena, uint32_t, n + 1),
                    .columns = ARENA_ARRAY(arena, uint32_t, (size_t)n * n) };
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++)
            if (a[i * n + j]) g.columns[k++] = j;
        g.first[i + 1] = k;
    }
    return g;
}

// Warshall: an independent way to know who reaches whom.
static void close_transitively(unsigned char *a, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++) a[i * n + j] |= a[i * n + k] & a[k * n + j];
}

static void test_strong_agrees_with_the_transitive_closure(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        Arena arena = { 0 };
        unsigned char a[64] = { 0 };
        const uint32_t n = 1 + random_below(&seed, 8);
        const uint32_t density = 1 + random_below(&seed, 5);
        for (uint32_t k = 0; k < n * n; k++) a[k] = random_below(&seed, 6) < density;
        const Incidence g = from_matrix(a, n, &arena);
        const Strong s = strong_find(&g, &arena);
        close_transitively(a, n);

        uint32_t component[8], place[8];
        assert_int_equal(s.first[0], 0);
        assert_int_equal(s.first[s.n], n);
        unsigned seen = 0;
        for (uint32_t c = 0; c < s.n; c++) {
            assert_true(s.first[c + 1] > s.first[c]);
            for (uint32_t k = s.first[c]; k < s.first[c + 1]; k++) {
                component[s.nodes[k]] = c;
                place[s.nodes[k]] = k;
                seen |= 1u << s.nodes[k];
            }
        }
        assert_int_equal(seen, (1u << n) - 1);
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < n; j++) {
                const bool together = i == j || (a[i * n + j] && a[j * n + i]);
                assert_int_equal(component[i] == component[j], together);
                if (a[i * n + j] && !together) assert_true(place[j] < place[i]);
            }
        }
        arena_free(&arena);
    }
}

// Levels, worked out by repeated relaxation, sort the components; equals by first node.
static void test_strong_places_each_component_as_early_as_it_can(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int round = 0; round < 5000; round++) {
        Arena arena = { 0 };
        unsigned char a[64] = { 0 };
        const uint32_t n = 1 + random_below(&seed, 8);
        for (uint32_t k = 0; k < n * n; k++) a[k] = random_below(&seed, 6) == 0;
        const Incidence g = from_matrix(a, n, &arena);
        const Strong s = strong_find(&g, &arena);
        uint32_t component[8], level[8] = { 0 }, least[8];
        for (uint32_t c = 0; c < s.n; c++) {
            least[c] = UINT32_MAX;
            for (uint32_t k = s.first[c]; k < s.first[c + 1]; k++) {
                component[s.nodes[k]] = c;
                if (s.nodes[k] < least[c]) least[c] = s.nodes[k];
            }
        }
        for (uint32_t pass = 0; pass < n; pass++)
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = 0; j < n; j++)
                    if (a[i * n + j] && component[i] != component[j] &&
                        level[component[i]] <= level[component[j]])
                        level[component[i]] = level[component[j]] + 1;
        for (uint32_t c = 0; c + 1 < s.n; c++) {
            assert_true(level[c] <= level[c + 1]);
            if (level[c] == level[c + 1]) assert_true(least[c] < least[c + 1]);
        }
        arena_free(&arena);
    }
}

// The lecture's loop: a needs b; b needs c and e; c needs d; e needs a. Printed as d, c, {b, a, e}.
static void test_strong_orders_inside_a_loop_as_if_the_last_were_known(void **state)
{
    (void)state;
    Arena arena = { 0 };
    unsigned char a[25] = { 0 };
    a[0 * 5 + 1] = a[1 * 5 + 2] = a[1 * 5 + 4] = a[2 * 5 + 3] = a[4 * 5 + 0] = 1;
    const Incidence g = from_matrix(a, 5, &arena);
    const Strong s = strong_find(&g, &arena);
    const uint32_t expected[5] = { 3, 2, 1, 0, 4 };
    assert_int_equal(s.n, 3);
    assert_memory_equal(s.nodes, expected, sizeof expected);
    arena_free(&arena);
}

// n nodes in a row, each needing the next but the last, which needs the first if `closed`.
static Incidence chain(uint32_t n, bool closed, Arena *arena)
{
    Incidence g = { .n_rows = n, .n_columns = n, .first = ARENA_ARRAY(arena, uint32_t, (size_t)n + 1),
                    .columns = ARENA_ARRAY(arena, uint32_t, n) };
    for (uint32_t i = 0; i < n; i++) {
        const bool last = i + 1 == n;
        if (!last || closed) g.columns[g.first[i]] = last ? 0 : i + 1;
        g.first[i + 1] = g.first[i] + (!last || closed);
    }
    return g;
}

static void test_strong_does_ten_million_nodes_in_a_chain(void **state)
{
    (void)state;
    const uint32_t n = 10000000;
    Arena arena = { 0 };
    Incidence g = chain(n, false, &arena);
    Strong s = strong_find(&g, &arena);
    assert_int_equal(s.n, n);
    for (uint32_t i = 0; i < n; i++)
        if (s.nodes[i] != n - 1 - i) fail_msg("place %u holds node %u", i, s.nodes[i]);
    arena_free(&arena);

    g = chain(n, true, &arena);
    s = strong_find(&g, &arena);
    assert_int_equal(s.n, 1);
    // as if the last node were known: n - 2, n - 3, … need it; node 0 comes right before it
    assert_int_equal(s.nodes[n - 1], n - 1);
    assert_int_equal(s.nodes[0], n - 2);
    assert_int_equal(s.nodes[n - 2], 0);
    arena_free(&arena);
}

static void test_strong_of_nothing_is_nothing(void **state)
{
    (void)state;
    Arena arena = { 0 };
    const Incidence g = chain(0, false, &arena);
    assert_int_equal(strong_find(&g, &arena).n, 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strong_agrees_with_the_transitive_closure),
        cmocka_unit_test(test_strong_places_each_component_as_early_as_it_can),
        cmocka_unit_test(test_strong_orders_inside_a_loop_as_if_the_last_were_known),
        cmocka_unit_test(test_strong_does_ten_million_nodes_in_a_chain),
        cmocka_unit_test(test_strong_of_nothing_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/unit/base/test_map.c: promises of the hash tables.
#include "base/map.h"
#include "check.h"

// Short texts are told apart by their first bytes, long ones by the rest.
static void test_names_of_every_length(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Names names;
    names_init(&names, &arena);
    const char text[] = "abcdefghijklmnopqrstuvwxyz", other[] = "abcdefghijklmnopqrstuvwxyZ";
    uint32_t n = 0;
    for (int round = 0; round < 2; round++, n = 0) {
        for (size_t length = 0; length <= 26; length++) {
            assert_int_equal(names_intern(&names, (Text){ text, length }), n++);
            if (length == 0) continue;
            assert_int_equal(names_intern(&names, (Text){ other + 26 - length, length }), n++);
        }
    }
    assert_int_equal(names.n, 53);
    for (uint32_t i = 0; i < 53; i++) assert_int_equal(strlen(names_text(&names, i)), (i + 1) / 2);
    arena_free(&arena);
}

static void test_names_number_texts_in_order_of_appearance(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Names names;
    names_init(&names, &arena);
    assert_int_equal(names_find(&names, TEXT("x")), NAMES_NONE);
    char buffer[32];
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 300000; i++) {
            snprintf(buffer, sizeof buffer, "cpu[%u].done", i);
            assert_int_equal(names_intern(&names, text_from(buffer)), i);
        }
    }
    assert_int_equal(names.n, 300000);
    assert_string_equal(names_text(&names, 299999), "cpu[299999].done");
    assert_int_equal(names_find(&names, TEXT("cpu[7].done")), 7);
    assert_int_equal(names_find(&names, TEXT("cpu[7].don")), NAMES_NONE);

    // the empty text and texts with a NUL are texts like others
    const uint32_t empty = names_intern(&names, TEXT("")), nul = names_intern(&names, (Text){ "a\0b", 3 });
    assert_int_equal(empty, 300000);
    assert_int_equal(nul, 300001);
    assert_int_equal(names_find(&names, TEXT("a")), NAMES_NONE);
    assert_int_equal(names_intern(&names, (Text){ "a\0b", 3 }), nul);
    arena_free(&arena);
}

static void test_text_map_keeps_the_first_value(void **state)
{
    (void)state;
    Arena arena = { 0 };
    TextMap map;
    text_map_init(&map, &arena);
    assert_null(text_map_find(&map, TEXT("a")));
    char buffer[32];
    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(buffer, sizeof buffer, "k%u", i);
        assert_true(text_map_put(&map, text_from(buffer), i * 3));
        assert_false(text_map_put(&map, text_from(buffer), 7));
    }
    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(buffer, sizeof buffer, "k%u", i);
        assert_int_equal(*text_map_find(&map, text_from(buffer)), i * 3);
        assert_string_equal(names_text(&map.names, i), buffer);
    }
    assert_int_equal(text_map_count(&map), 1000);
    arena_free(&arena);
}

static void test_map_holds_a_million_keys_in_order(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Map map;
    map_init(&map, &arena);
    assert_null(map_find(&map, 0));
    enum { N = 1000000 };
    for (uint32_t i = 0; i < N; i++) *map_at(&map, (uint64_t)i << 32) = i;    // differ in the upper bits only
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(*map_find(&map, (uint64_t)i << 32), i);
        assert_int_equal(map.entries[i].key, (uint64_t)i << 32);
    }
    assert_null(map_find(&map, 1));
    assert_true(map_put(&map, 1, 5));
    assert_false(map_put(&map, 1, 6));
    assert_int_equal(*map_at(&map, 1), 5);
    assert_int_equal(map.n, N + 1);
    arena_free(&arena);
}

// A set of pairs, found by a hash so poor that everything collides: the caller's comparison decides.
static void test_index_offers_every_candidate_of_a_hash(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Index index;
    index_init(&index, &arena);
    for (uint32_t id = 0; id < 300; id++) index_add(&index, (uint64_t)(id % 3) << 32, id);
    for (uint32_t h = 0; h < 4; h++) {
        bool seen[300] = { false };
        size_t n = 0;
        IndexProbe probe = index_probe(&index, (uint64_t)h << 32);
        for (uint32_t id; index_next(&index, &probe, &id); n++) {
            assert_int_equal(id % 3, h);
            assert_false(seen[id]);
            seen[id] = true;
        }
        assert_int_equal(n, h < 3 ? 100 : 0);
    }
    arena_free(&arena);
}

static size_t longest_probe(const Index *index)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < 2 * index->capacity; i++) {    // twice round, for a run over the end
        run = index->slots[i & (index->capacity - 1)].id_plus_1 ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

// Runs of used slots stay short for the regular keys that models are full of.
static void test_hashes_spread_regular_keys(void **state)
{
    (void)state;
    enum { N = 100000, LIMIT = 500 };
    for (int kind = 0; kind < 6; kind++) {
        Arena arena = { 0 };
        Index index;
        index_init(&index, &arena);
        for (uint32_t i = 0; i < N; i++) {
            char name[40];
            const int n =
                snprintf(name, sizeof name, kind == 0 ? "x[%u]" : "a_rather_long_component.port_%u", i);
            const uint64_t hash = kind < 2    ? hash_bytes(name, (size_t)n)
                                  : kind == 2 ? hash_mix(i)
                                  : kind == 3 ? hash_mix((uint64_t)i << 40)
                                  : kind == 4 ? hash_join(i % 300, i / 300)
                                              : hash_join(i / 300, i % 300);
            index_add(&index, hash, i);
        }
        assert_true(longest_probe(&index) < LIMIT);
        arena_free(&arena);
    }
    assert_true(hash_join(1, 2) != hash_join(2, 1));
    assert_true(hash_bytes("", 0) != hash_bytes("\0", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_every_length),
        cmocka_unit_test(test_names_number_texts_in_order_of_appearance),
        cmocka_unit_test(test_text_map_keeps_the_first_value),
        cmocka_unit_test(test_map_holds_a_million_keys_in_order),
        cmocka_unit_test(test_index_offers_every_candidate_of_a_hash),
        cmocka_unit_test(test_hashes_spread_regular_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

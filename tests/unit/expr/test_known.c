// tests/unit/expr/test_known.c: every number is found under its hash, and nothing else is.
#include "base/map.h"
#include "check.h"
#include "expr/known.h"

static void test_known_finds_every_number_once(void **state)
{
    (void)state;
    const uint32_t n = 500000;
    Arena arena = { 0 };
    Known known;
    known_init(&known, &arena);
    for (uint32_t i = 0; i < n; i++) known_add(&known, hash_mix(i), i);
    for (uint32_t i = 0; i < n; i++) {
        int found = 0;
        KnownProbe probe = known_probe(&known, hash_mix(i));
        for (uint32_t id; known_next(&probe, &id);) found += id == i;
        assert_int_equal(found, 1);
    }
    for (uint32_t i = n; i < 2 * n; i++) {
        KnownProbe probe = known_probe(&known, hash_mix(i));
        for (uint32_t id; known_next(&probe, &id);) assert_int_not_equal(id, i);
    }
    assert_true(arena_bytes(&arena) < 40 * n);    // the last chunk of the arena is half empty
    arena_free(&arena);
}

static void test_known_keeps_numbers_of_equal_hash_apart(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Known known;
    known_init(&known, &arena);
    const uint64_t hash = hash_mix(42);
    for (uint32_t i = 0; i < 100; i++) known_add(&known, hash, i);
    // others crowd around them, so that the page is split
    for (uint32_t i = 1000; i < 5000; i++) known_add(&known, hash_mix(i), i);
    bool seen[100] = { false };
    size_t n = 0;
    KnownProbe probe = known_probe(&known, hash);
    for (uint32_t id; known_next(&probe, &id); n++) {
        assert_true(id < 100);
        assert_false(seen[id]);
        seen[id] = true;
    }
    assert_int_equal(n, 100);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_finds_every_number_once),
        cmocka_unit_test(test_known_keeps_numbers_of_equal_hash_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

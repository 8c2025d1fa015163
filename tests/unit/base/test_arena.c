// tests/unit/base/test_arena.c: promises of the arena and of growable arrays.
#include "base/arena.h"
#include "base/vec.h"
#include "check.h"
#include <stdlib.h>

// Out of memory comes back here instead of ending the test.
static jmp_buf no_memory;
static size_t  no_memory_bytes;
_Noreturn void arena_no_memory(size_t bytes)
{
    no_memory_bytes = bytes;
    longjmp(no_memory, 1);
}

static bool is_zero(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i]) return false;
    return true;
}

static void test_arena_gives_zeroed_aligned_memory_that_does_not_overlap(void **state)
{
    (void)state;
    enum { N = 3000 };
    Arena arena = { 0 };
    unsigned char *blocks[N];
    size_t sizes[N];
    uint32_t random = 1;
    for (size_t i = 0; i < N; i++) {
        random = random * 1664525u + 1013904223u;
        sizes[i] = i % 500 == 0 ? 100000 : random % 300;
        blocks[i] = arena_alloc(&arena, sizes[i], 1);
        assert_int_equal((uintptr_t)blocks[i] % (sizes[i] >= 1024 ? 64 : 16), 0);
        assert_true(is_zero(blocks[i], sizes[i]));
        memset(blocks[i], (int)(i % 255 + 1), sizes[i]);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(blocks[i][k], i % 255 + 1);
    arena_free(&arena);
    assert_null(arena.top);
}

static void test_arena_release_goes_back_to_the_mark_and_zeroes_again(void **state)
{
    (void)state;
    Arena arena = { 0 };
    char *kept = arena_copy_text(&arena, "kept", 4);
    for (int round = 0; round < 5; round++) {
        const ArenaMark mark = arena_mark(&arena);
        for (size_t i = 1; i < 200; i++) {
            unsigned char *p = arena_alloc(&arena, i, 7);
            assert_true(is_zero(p, 7 * i));
            memset(p, 0xAA, 7 * i);
        }
        arena_release(&arena, mark);
    }
    assert_string_equal(kept, "kept");
    arena_free(&arena);
}

static void test_arena_release_soon_needs_no_new_memory(void **state)
{
    (void)state;
    Arena arena = { 0 };
    arena_alloc(&arena, 100, 1);
    size_t after_second = 0;
    for (int round = 0; round < 10; round++) {
        const ArenaMark mark = arena_mark(&arena);
        for (int i = 0; i < 1000; i++) arena_alloc(&arena, 100, 1);
        arena_release(&arena, mark);
        if (round == 2) after_second = arena_bytes(&arena);
    }
    assert_int_equal(arena_bytes(&arena), after_second);
    arena_free(&arena);
}

static void test_arena_release_to_an_empty_arena(void **state)
{
    (void)state;
    Arena arena = { 0 };
    const ArenaMark mark = arena_mark(&arena);
    for (int i = 0; i < 1000; i++) arena_alloc(&arena, 1000, 1);
    arena_alloc(&arena, 1, 20000000);
    arena_release(&arena, mark);
    assert_true(arena_bytes(&arena) <= 20000000);
    arena_free(&arena);
    assert_int_equal(arena_bytes(&arena), 0);
}

static void test_arena_refuses_sizes_that_overflow(void **state)
{
    (void)state;
    Arena arena = { 0 };
    volatile int caught = 0;
    if (setjmp(no_memory) == 0) arena_alloc(&arena, SIZE_MAX / 2, 4);
    else caught++;
    if (setjmp(no_memory) == 0) arena_alloc(&arena, SIZE_MAX / 3, 1);
    else caught++;
    if (setjmp(no_memory) == 0) arena_grow(&arena, NULL, 0, SIZE_MAX, 8);
    else caught++;
    if (setjmp(no_memory) == 0) arena_alloc(&arena, SIZE_MAX / 4 + 2, 4);    // 4 bytes, if it wrapped
    else caught++;
    assert_int_equal(caught, 4);
    arena_free(&arena);
}

static void test_arena_grow_keeps_the_contents_and_zeroes_the_rest(void **state)
{
    (void)state;
    Arena arena = { 0 };
    unsigned *a = ARENA_ARRAY(&arena, unsigned, 4);
    for (unsigned i = 0; i < 4; i++) a[i] = i + 1;
    unsigned *same = arena_grow(&arena, a, 4, 100, sizeof *a);
    assert_ptr_equal(same, a);    // it was the latest: no copy

    arena_alloc(&arena, 1, 1);
    unsigned *moved = arena_grow(&arena, a, 100, 5000, sizeof *a);
    assert_ptr_not_equal(moved, a);
    for (unsigned i = 0; i < 5000; i++) assert_int_equal(moved[i], i < 4 ? i + 1 : 0);
    arena_free(&arena);
}

static void test_arena_printf_of_any_length(void **state)
{
    (void)state;
    Arena arena = { 0 };
    assert_string_equal(arena_printf(&arena, "%s %d", "x", 7), "x 7");
    char *longer = arena_printf(&arena, "%0*d", 5000, 1);
    assert_int_equal(strlen(longer), 5000);
    assert_int_equal(longer[4999], '1');
    assert_string_equal(arena_copy_text(&arena, NULL, 0), "");
    arena_free(&arena);
}

static void test_vec_holds_what_was_pushed(void **state)
{
    (void)state;
    typedef struct Pair { int a; double b; } Pair;
    Arena arena = { 0 };
    VEC(Pair) pairs = { 0 };
    VEC(char) letters = { 0 };
    for (int i = 0; i < 100000; i++) {
        vec_push(&arena, &pairs, (Pair){ i, i * 0.5 });
        vec_push(&arena, &letters, (char)('a' + i % 26));
    }
    assert_int_equal(pairs.n, 100000);
    for (size_t i = 0; i < pairs.n; i++) {
        assert_int_equal(pairs.items[i].a, i);
        assert_int_equal(letters.items[i], 'a' + i % 26);
    }
    assert_int_equal(vec_last(&pairs).a, 99999);
    assert_int_equal(vec_pop(&pairs).a, 99999);
    assert_int_equal(pairs.n, 99999);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_gives_zeroed_aligned_memory_that_does_not_overlap),
        cmocka_unit_test(test_arena_release_goes_back_to_the_mark_and_zeroes_again),
        cmocka_unit_test(test_arena_release_soon_needs_no_new_memory),
        cmocka_unit_test(test_arena_release_to_an_empty_arena),
        cmocka_unit_test(test_arena_refuses_sizes_that_overflow),
        cmocka_unit_test(test_arena_grow_keeps_the_contents_and_zeroes_the_rest),
        cmocka_unit_test(test_arena_printf_of_any_length),
        cmocka_unit_test(test_vec_holds_what_was_pushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

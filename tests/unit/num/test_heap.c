// tests/unit/num/test_heap.c: the smallest key first, equal keys in order of insertion, moves and removals.
#include "check.h"
#include "num/heap.h"
#include <stdlib.h>
#include <string.h>

static void test_heap_pops_equal_times_in_insertion_order(void **state)
{
    (void)state;
    Heap *heap = heap_init(calloc(1, heap_size(100)), 100);
    for (uint32_t i = 0; i < 100; i++) heap_put(heap, (i * 37) % 100, (double)(i / 10 % 2));
    // keys 0 for i in 0..9, 20..29, …; then 1
    uint32_t expected[100], n = 0;
    for (int key = 0; key < 2; key++)
        for (uint32_t i = 0; i < 100; i++)
            if ((int)(i / 10 % 2) == key) expected[n++] = (i * 37) % 100;
    for (uint32_t i = 0; i < 100; i++) assert_int_equal(heap_pop(heap), expected[i]);
    assert_int_equal(heap->n, 0);
    free(heap);
}

static void test_heap_agrees_with_a_search(void **state)
{
    (void)state;
    enum { N = 57 };
    Heap *heap = heap_init(malloc(heap_size(N)), N);
    double key[N];
    uint64_t order[N], next = 0;
    for (int i = 0; i < N; i++) key[i] = INFINITY;
    uint32_t seed = 1;
    for (int turn = 0; turn < 20000; turn++) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t item = (seed >> 8) % N, what = seed >> 28;
        if (what < 9) {
            key[item] = (double)((seed >> 12) % 40);
            order[item] = next++;
            heap_put(heap, item, key[item]);
        } else if (what < 11) {
            key[item] = INFINITY;
            heap_remove(heap, item);
        } else if (heap->n > 0) {
            uint32_t first = 0;
            for (uint32_t i = 1; i < N; i++)
                if (key[i] < key[first] ||
                    (key[i] == key[first] && key[i] < INFINITY && order[i] < order[first]))
                    first = i;
            assert_true(heap_first_key(heap, -1) == key[first]);
            assert_int_equal(heap_pop(heap), first);
            key[first] = INFINITY;
        }
        assert_int_equal(heap_has(heap, item), key[item] < INFINITY);
    }
    free(heap);
}

static void test_heap_is_copied_with_its_block(void **state)
{
    (void)state;
    const size_t size = heap_size(5);
    Heap *heap = heap_init(malloc(size), 5), *copy = malloc(size);
    for (uint32_t i = 0; i < 5; i++) heap_put(heap, i, 5 - (double)i);
    heap_remove(heap, 2);
    memcpy(copy, heap, size);
    free(heap);
    static const uint32_t expected[] = { 4, 3, 1, 0 };
    for (int i = 0; i < 4; i++) assert_int_equal(heap_pop(copy), expected[i]);
    assert_true(heap_first_key(copy, INFINITY) == INFINITY);
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heap_pops_equal_times_in_insertion_order),
        cmocka_unit_test(test_heap_agrees_with_a_search),
        cmocka_unit_test(test_heap_is_copied_with_its_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

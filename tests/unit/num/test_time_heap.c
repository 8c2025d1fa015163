// tests/unit/num/test_time_heap.c: the first of many times, against looking at all of them.
#include "check.h"
#include "num/time_heap.h"
#include <math.h>

static void test_time_heap_gives_the_first_after_any_change(void **state)
{
    (void)state;
    enum { N = 300 };
    Arena arena = { 0 };
    TimeHeap heap;
    double t[N];
    time_heap_init(&heap, N, &arena);
    for (int i = 0; i < N; i++) t[i] = INFINITY;
    uint64_t seed = 1234567;
    for (int round = 0; round < 20000; round++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const uint32_t i = (uint32_t)(seed >> 33) % N;
        t[i] = (seed >> 20) % 50 == 0 ? INFINITY : (double)((seed >> 40) % 1000);    // equal times too
        time_heap_set(&heap, i, t[i]);
        double least = INFINITY;
        for (int k = 0; k < N; k++) least = fmin(least, t[k]);
        assert_true(time_heap_time(&heap) == least);
        assert_true(t[time_heap_first(&heap)] == least);
    }
    arena_free(&arena);
}

static void test_time_heap_of_one(void **state)
{
    (void)state;
    Arena arena = { 0 };
    TimeHeap heap;
    time_heap_init(&heap, 1, &arena);
    assert_true(isinf(time_heap_time(&heap)));
    time_heap_set(&heap, 0, 3);
    assert_near(time_heap_time(&heap), 3, 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_heap_gives_the_first_after_any_change),
        cmocka_unit_test(test_time_heap_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/unit/num/test_calendar.c: the calendar agrees with a plain table of times, whatever is done to it.
#include "check.h"
#include "num/calendar.h"
#include "num/random.h"
#include <stdlib.h>

enum { N_MAX = 300 };

typedef struct Plain {
    uint32_t n;
    double t[N_MAX];
} Plain;

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void agrees(const Calendar *calendar, const Plain *plain)
{
    double first = INFINITY;
    uint32_t n_finite = 0;
    for (uint32_t i = 0; i < plain->n; i++) {
        assert_same_bits(calendar_time(calendar, i), plain->t[i]);
        first = fmin(first, plain->t[i]);
        n_finite += plain->t[i] < INFINITY;
    }
    assert_int_equal(*calendar->n, n_finite);
    assert_true(calendar_first(calendar) == first);
    uint32_t due[N_MAX];
    uint32_t n = calendar_due(calendar, first, due);
    qsort(due, n, sizeof *due, by_number);
    uint32_t k = 0;
    for (uint32_t i = 0; i < plain->n; i++) {
        if (plain->t[i] != first || first == (double)INFINITY) continue;
        assert_true(k < n);
        assert_int_equal(due[k], i);
        k++;
    }
    assert_int_equal(k, n);
}

static void *new_block(uint32_t n)
{
    void *block = aligned_alloc(64, calendar_bytes(n));
    assert_non_null(block);
    return block;
}

// Random changes, often to equal times, of calendars of every small size and some larger.
static void test_calendar_agrees_with_a_plain_table(void **state)
{
    (void)state;
    RandomStream s = random_stream(1, 0, "calendar");
    for (uint32_t n = 1; n <= N_MAX; n = n < 25 ? n + 1 : n + 55) {
        void *block = new_block(n);
        Calendar calendar = calendar_init(block, n);
        Plain plain = { .n = n };
        for (uint32_t i = 0; i < n; i++) plain.t[i] = INFINITY;
        agrees(&calendar, &plain);
        for (int k = 0; k < 400; k++) {
            const uint32_t id = (uint32_t)random_below(&s, n);
            const uint64_t kind = random_below(&s, 4);
            double t = kind == 0   ? (double)INFINITY
                       : kind == 1 ? random_unit(&s)
                                   : (double)random_below(&s, 6) - 2;
            if (k > 300 && k % 2) t = INFINITY;    // until it is nearly empty
            calendar_set(&calendar, id, t);
            plain.t[id] = t;
            agrees(&calendar, &plain);
        }
        free(block);
    }
}

static void test_calendar_copies_with_its_block(void **state)
{
    (void)state;
    enum { N = 50 };
    void *one = new_block(N), *two = new_block(N);
    Calendar a = calendar_init(one, N);
    for (uint32_t i = 0; i < N; i++) calendar_set(&a, i, (i * 7) % 13);
    memcpy(two, one, calendar_bytes(N));
    Calendar b = calendar_attach(two, N);
    calendar_set(&a, 3, -1);
    assert_true(calendar_first(&a) == -1);
    assert_true(calendar_first(&b) == 0);
    calendar_set(&b, 3, -1);
    assert_memory_equal(one, two, calendar_bytes(N));
    free(one);
    free(two);
}

// Taking the earliest again and again sorts.
static void test_calendar_sorts(void **state)
{
    (void)state;
    enum { N = 20000 };
    void *block = new_block(N);
    Calendar calendar = calendar_init(block, N);
    RandomStream s = random_stream(2, 0, "calendar");
    uint32_t due[N], taken = 0;
    for (uint32_t i = 0; i < N; i++) calendar_set(&calendar, i, (double)random_below(&s, 1 << 20));
    for (double t, before = -1; (t = calendar_first(&calendar)) < (double)INFINITY; before = t) {
        assert_true(t > before);
        const uint32_t n = calendar_due(&calendar, t, due);
        for (uint32_t k = 0; k < n; k++) calendar_set(&calendar, due[k], INFINITY);
        taken += n;
    }
    assert_int_equal(taken, N);
    free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calendar_agrees_with_a_plain_table),
        cmocka_unit_test(test_calendar_copies_with_its_block),
        cmocka_unit_test(test_calendar_sorts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

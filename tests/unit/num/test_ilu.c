// tests/unit/num/test_ilu.c: incomplete factors: exact where elimination fills nothing in, near elsewhere.
#include "check.h"
#include "num/ilu.h"
#include <stdlib.h>

enum { N = 60, ENTRIES_MAX = N * N };

typedef struct Sparse {
    int64_t start[N + 1], row[ENTRIES_MAX], diagonal[N];
    double values[ENTRIES_MAX];
} Sparse;

static double random_unit(uint64_t *state)    // in [-1, 1)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state * 0x1p-63;
}

// Entries up to `width` beside the diagonal, every `every`-th of them; the diagonal is the sum of the others
// and more.
static IluPattern random_band(Sparse *s, int64_t width, int64_t every, uint64_t *seed)
{
    int64_t at = 0;
    for (int64_t c = 0; c < N; c++) {
        s->start[c] = at;
        for (int64_t r = 0; r < N; r++) {
            if (llabs(r - c) > width || (r != c && (r + c) % every)) continue;
            s->row[at] = r;
            s->values[at++] = r == c ? 2.0 * (double)width + 3 : random_unit(seed);
        }
    }
    s->start[N] = at;
    return (IluPattern){ N, s->start, s->row, s->diagonal };
}

// The largest residual of A·x = b with b of ones, where x comes from the factors.
static double residual(Sparse *s, IluPattern p)
{
    double x[N], left[N], factors[ENTRIES_MAX];
    int64_t place[N];
    for (size_t i = 0; i < N; i++) {
        x[i] = left[i] = 1;
        place[i] = -1;
    }
    memcpy(factors, s->values, sizeof factors);
    ilu_begin(&p);
    assert_true(ilu_factor(&p, factors, place));
    for (size_t i = 0; i < N; i++) assert_int_equal(place[i], -1);
    ilu_solve(&p, factors, x);
    for (int64_t c = 0; c < N; c++)
        for (int64_t i = s->start[c]; i < s->start[c + 1]; i++) left[s->row[i]] -= s->values[i] * x[c];
    double most = 0;
    for (size_t i = 0; i < N; i++) most = fmax(most, fabs(left[i]));
    return most;
}

static void test_ilu_is_exact_without_fill(void **state)
{
    (void)state;
    uint64_t seed = 1;
    static Sparse s;
    for (int64_t width = 0; width < 8; width++)    // a whole band fills nothing in
        assert_true(residual(&s, random_band(&s, width, 1, &seed)) < 1e-14);
    assert_true(residual(&s, random_band(&s, N, 1, &seed)) < 1e-13);
}

static void test_ilu_is_near_with_fill(void **state)
{
    (void)state;
    uint64_t seed = 2;
    static Sparse s;
    const double rough = residual(&s, random_band(&s, 12, 3, &seed));
    assert_true(rough > 1e-12);    // something was dropped
    assert_true(rough < 0.05);
}

static void test_ilu_refuses_a_zero_pivot(void **state)
{
    (void)state;
    uint64_t seed = 3;
    static Sparse s;
    IluPattern p = random_band(&s, 0, 1, &seed);
    int64_t place[N];
    for (size_t i = 0; i < N; i++) place[i] = -1;
    s.values[N / 2] = 0;
    ilu_begin(&p);
    assert_false(ilu_factor(&p, s.values, place));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ilu_is_exact_without_fill),
        cmocka_unit_test(test_ilu_is_near_with_fill),
        cmocka_unit_test(test_ilu_refuses_a_zero_pivot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

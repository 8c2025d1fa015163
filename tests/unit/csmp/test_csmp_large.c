// tests/unit/csmp/test_csmp_large.c: reading is linear, whatever the size and the order of the lines.
#include "base/os.h"
#include "diagram_text.h"

// A chain of n sign inverters behind an integrator that closes it; with a stride the numbers are scattered
// and the lines out of order.
static StrBuf chain(size_t n, size_t stride)
{
    StrBuf s = { 0 };
    str_add(&s, "$endtime = 1\n$timestep = ?\n");
    for (size_t i = 0; i < n; i++) {
        const size_t k = i * stride % n;    // a permutation, as n is a power of two and the stride odd
        if (k == 0) str_addf(&s, "I, 1, 1, %zu\n", n);
        else str_addf(&s, "-, %zu, %zu\n", k + 1, k);
    }
    str_addf(&s, "O, %zu, 1\n", n + 1);
    return s;
}

static double seconds_to_read(size_t n, size_t stride, size_t *bytes)
{
    StrBuf s = chain(n, stride);
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        const uint64_t start = os_now_ns();
        Read r = read_file_text("chain.csmp", s.p, s.n);
        const double seconds = (double)(os_now_ns() - start) * 1e-9;
        if (seconds < best) best = seconds;
        assert_true(r.ok);
        assert_int_equal(r.ast.models.items[0].n_items, n + 1);
        *bytes = arena_bytes(r.ast.arena);
        read_free(&r);
    }
    str_free(&s);
    return best;
}

static void test_reading_is_linear_in_time_and_space(void **state)
{
    (void)state;
    for (size_t stride = 1; stride < 10000; stride += 7776) {
        size_t small_bytes, large_bytes;
        const double small = seconds_to_read(1 << 15, stride, &small_bytes);
        const double large = seconds_to_read(1 << 20, stride, &large_bytes);
        print_message("stride %zu: %.3f s for 2^20 blocks, %.1f times the time of 2^15; %zu bytes a block\n",
                      stride, large, large / small, large_bytes >> 20);
        // 32 times the blocks; a quadratic step would make it 1024, caches and a busy machine make it more
        // than 32
        assert_true(large / small < 200);
        assert_true(large_bytes >> 20 < 600);
    }
}

static void test_a_long_function_table_is_linear(void **state)
{
    (void)state;
    StrBuf s = { 0 };
    str_add(&s, "$endtime = 1\n$timestep = 1\nTIME, 1\nO, 3, 2\nFUNCTION, 2, 1");
    enum { POINTS = 200000 };
    for (int i = 0; i < POINTS; i++) str_addf(&s, ", %d, %d", i, i % 7);
    Read r = read_file_text("table.csmp", s.p, s.n);
    if (!r.ok) show_messages(&r);
    assert_true(r.ok);
    assert_int_equal(find_value(&r, "b2")->call.n_args, 1 + 2 * POINTS);
    read_free(&r);
    str_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading_is_linear_in_time_and_space),
        cmocka_unit_test(test_a_long_function_table_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/unit/num/test_root.c: the change of sign is found to the last bit, and quickly.
#include "check.h"
#include "num/root.h"
#include <float.h>

typedef struct Probe {
    double (*f)(double x);
    double low, high;     // f may be asked strictly between them
    int    asked;
} Probe;

static double ask(void *context, double x)
{
    Probe *probe = context;
    assert_true(x > probe->low && x < probe->high);
    probe->asked++;
    return probe->f(x);
}

// Find, and check all that is promised whatever the function.
static Root find(double (*f)(double), double from, double to)
{
    Probe probe = { .f = f, .low = fmin(from, to), .high = fmax(from, to) };
    Root root;
    assert_true(root_find(ask, &probe, from, f(from), to, f(to), &root));
    assert_true(nextafter(root.before, to) == root.after);
    assert_true(probe.low <= root.before && root.before <= probe.high);
    assert_true(probe.low <= root.after && root.after <= probe.high);
    assert_same_bits(f(root.before), root.f_before);
    assert_same_bits(f(root.after), root.f_after);
    assert_true(root.f_before * f(from) > 0 || (root.f_before != 0 && (root.f_before < 0) == (f(from) < 0)));
    assert_true(root.f_after == 0 || (root.f_after < 0) != (f(from) < 0));
    assert_int_equal(root.evaluations, probe.asked);
    assert_true(root.evaluations <= ROOT_MAX_EVALUATIONS);
    return root;
}

static double line(double x) { return 3 * x - 1; }
static double parabola(double x) { return x * x - 2; }
static double cosine(double x) { return cos(x) - x; }
static double flat(double x) { return pow(x - 1, 21); }
static double steep(double x) { return exp(50 * x) - 1e10; }
static double jump(double x) { return x < 0.1 ? -1e-9 : 1e9; }
static double pole(double x) { return 1 / (x - 0.3); }
static double tiny(double x) { return x - 1e-300; }
static double plateau(double x) { return x < 0.25 ? -1 : x < 0.75 ? 0 : 1; }
static double odd(double x) { return x; }
static double huge(double x) { return atan(x - 1e200); }
static double fall(double h) { return 1 - 9.81 / 2 * h * h; }
static double root_like(double x) { return copysign(sqrt(fabs(x - 0.7)), x - 0.7); }
static double bad_chord(double x) { return x <= 0.5 ? -1e-200 : exp(700 * (x - 0.5)) ; }

static void test_root_is_found_to_the_last_bit(void **state)
{
    (void)state;
    assert_near(find(parabola, 0, 2).after, sqrt(2), DBL_EPSILON);
    assert_near(find(line, -10, 10).after, 1.0 / 3, DBL_EPSILON / 2);
    assert_near(find(cosine, 0, 1).after, 0.7390851332151607, DBL_EPSILON);
    assert_near(find(fall, 0, 1).after, sqrt(2 / 9.81), DBL_EPSILON);
    assert_near(find(steep, 0, 1).after, log(1e10) / 50, DBL_EPSILON);
    assert_same_bits(find(jump, 0, 1).after, 0.1);
    assert_same_bits(find(pole, 0, 1).after, 0.3);
    assert_same_bits(find(tiny, -1, 1).after, 1e-300);
    assert_same_bits(find(odd, -1, 1).after, 0.0);
    assert_same_bits(find(huge, -DBL_MAX, DBL_MAX).after, 1e200);
    assert_near(find(flat, 0, 3).after, 1, 0.1);
    assert_near(find(root_like, 0, 1).after, 0.7, DBL_EPSILON);
    assert_true(find(bad_chord, 0, 1).after > 0.5);
}

static void test_root_ends_where_the_sign_changes(void **state)
{
    (void)state;
    // zero counts as another sign, from either side
    assert_same_bits(find(plateau, 0, 1).after, 0.25);
    const Root down = find(plateau, 1, 0);
    assert_same_bits(down.before, 0.75);
    assert_true(down.after < 0.75);
    const Root back = find(parabola, 2, 0);
    assert_true(back.after < back.before);
    assert_near(back.after, sqrt(2), 2 * DBL_EPSILON);
    // already neighbours, and a zero at the far end
    Root root;
    Probe none = { .f = line, .low = 1, .high = 1 };
    assert_true(root_find(ask, &none, 1, -1, nextafter(1, 2), 1, &root));
    assert_int_equal(root.evaluations, 0);
    assert_same_bits(find(odd, -1, 0).after, 0.0);
}

static void test_root_is_quick_on_smooth_functions(void **state)
{
    (void)state;
    assert_true(find(line, -10, 10).evaluations <= 8);
    assert_true(find(parabola, 0, 2).evaluations <= 14);
    assert_true(find(cosine, 0, 1).evaluations <= 12);
    assert_true(find(fall, 0, 1).evaluations <= 14);
}

static double wave_phase;
static double wave(double x) { return sin(7 * x + wave_phase) + 0.3 * sin(31 * x); }

static void test_root_of_many_waves(void **state)
{
    (void)state;
    long evaluations = 0;
    int n = 0;
    for (int i = 0; i < 5000; i++) {
        wave_phase = 0.00123 * i;
        const double to = 0.05 + 0.0002 * i;
        if ((wave(0) < 0) == (wave(to) < 0)) continue;
        evaluations += find(wave, 0, to).evaluations;
        n++;
    }
    assert_true(n > 1000);
    assert_true(evaluations < 13L * n);
}

// The right sign with any size at all: interpolation only misleads.
static double liar_root;
static double liar(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits ^ bits >> 31) * 0x9e3779b97f4a7c15u;
    return (x < liar_root ? -1 : 1) * ldexp(1, (int)(bits >> 54) - 512);
}

static void test_root_is_never_misled_for_long(void **state)
{
    (void)state;
    int most = 0;
    for (int i = 1; i < 2000; i++) {
        liar_root = i % 2 ? i / 2000.0 : ldexp(1, -i / 2);
        const Root root = find(liar, -1, 1);
        assert_same_bits(root.after, liar_root);
        if (root.evaluations > most) most = root.evaluations;
    }
    assert_true(most > 64);    // else it was not hard
}

static double nowhere(double x) { return x > 0.4 && x < 0.6 ? NAN : x - 0.5; }

static void test_root_refuses_what_has_no_change_of_sign(void **state)
{
    (void)state;
    Root root;
    Probe probe = { .f = line, .low = 0, .high = 1 };
    assert_false(root_find(ask, &probe, 0, 1, 1, 2, &root));
    assert_false(root_find(ask, &probe, 0, -1, 1, -2, &root));
    assert_false(root_find(ask, &probe, 0, 0, 1, 2, &root));
    assert_false(root_find(ask, &probe, 0, NAN, 1, 2, &root));
    assert_false(root_find(ask, &probe, 0, -1, 1, NAN, &root));
    assert_int_equal(probe.asked, 0);
    probe.f = nowhere;
    assert_false(root_find(ask, &probe, 0, -0.5, 1, 0.5, &root));
    assert_true(root.before >= 0 && root.after <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_is_found_to_the_last_bit),
        cmocka_unit_test(test_root_ends_where_the_sign_changes),
        cmocka_unit_test(test_root_is_quick_on_smooth_functions),
        cmocka_unit_test(test_root_of_many_waves),
        cmocka_unit_test(test_root_is_never_misled_for_long),
        cmocka_unit_test(test_root_refuses_what_has_no_change_of_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/unit/port/test_signal.c: promises of samples as a function of time.
#include "check.h"
#include "port/signal.h"
#include <stdlib.h>

typedef struct Data {
    const Sample *samples;
    size_t n, at;
    size_t fails_at;    // 0: never
} Data;

static SampleResult next(void *self, Sample *sample)
{
    Data *d = self;
    if (d->fails_at && d->at + 1 == d->fails_at) return SAMPLE_FAILED;
    if (d->at == d->n) return SAMPLE_END;
    *sample = d->samples[d->at++];
    return SAMPLE_OK;
}

static Signal signal_of(Data *d, SignalBetween between, Arena *arena)
{
    return (Signal){ .between = between, .next = next, .self = d, .arena = arena };
}

// The value at t, moving on as a run does: up to a jump from the left, from there on from the right.
static double value_at(Signal *s, double t)
{
    while (s->state == SIGNAL_OK && s->piece.until <= t && !(s->piece.until == t && !s->piece.jumps))
        if (signal_move(s) != SIGNAL_OK) return NAN;
    return signal_value(&s->piece, t);
}

static const Sample steps[] = { { 0, 1 }, { 1, 3 }, { 2, 3 }, { 4, -1 } };

static void test_signal_holds_values_until_the_next_sample(void **state)
{
    (void)state;
    Data d = { .samples = steps, .n = 4 };
    Signal s = signal_of(&d, SIGNAL_HOLD, NULL);
    assert_int_equal(signal_start(&s, 0), SIGNAL_OK);
    assert_near(s.piece.until, 1, 0);
    assert_true(s.piece.jumps);
    assert_near(value_at(&s, 0.99), 1, 0);
    assert_near(value_at(&s, 1), 3, 0);
    assert_near(s.piece.until, 4, 0);    // equal values are one piece: no event at 2
    assert_near(value_at(&s, 3.9), 3, 0);
    assert_near(value_at(&s, 4), -1, 0);
    assert_near(value_at(&s, 1e9), -1, 0);
}

static void test_signal_draws_straight_lines(void **state)
{
    (void)state;
    Data d = { .samples = steps, .n = 4 };
    Signal s = signal_of(&d, SIGNAL_LINEAR, NULL);
    assert_int_equal(signal_start(&s, 0.25), SIGNAL_OK);
    assert_near(value_at(&s, 0.25), 1.5, 1e-15);
    assert_false(s.piece.jumps);
    assert_near(value_at(&s, 1.5), 3, 1e-15);
    assert_near(value_at(&s, 3), 1, 1e-15);
    assert_near(value_at(&s, 4), -1, 1e-15);
    assert_near(value_at(&s, 9), -1, 0);
}

static void test_signal_does_outside_what_is_asked(void **state)
{
    (void)state;
    for (int between = SIGNAL_HOLD; between <= SIGNAL_CUBIC; between++) {
        Data d = { .samples = steps, .n = 4 };
        Signal s = signal_of(&d, (SignalBetween)between, NULL);
        s.outside = SIGNAL_OUTSIDE_HOLD;
        assert_int_equal(signal_start(&s, -2), SIGNAL_OK);
        assert_near(value_at(&s, -1), 1, 0);
        assert_near(s.piece.until, 0, 0);
        assert_false(s.piece.jumps);
        assert_near(value_at(&s, 5), -1, 0);

        d.at = 0;
        s.outside = SIGNAL_OUTSIDE_ZERO;
        assert_int_equal(signal_start(&s, -2), SIGNAL_OK);
        assert_near(value_at(&s, -1), 0, 0);
        assert_true(s.piece.jumps);
        assert_near(value_at(&s, 0), 1, 0);
        assert_near(value_at(&s, 3.999), between == SIGNAL_HOLD ? 3 : -1, 0.01);
        assert_true(s.piece.jumps);
        assert_near(value_at(&s, 4), 0, 0);
        assert_near(value_at(&s, 7), 0, 0);

        d.at = 0;
        s.outside = SIGNAL_OUTSIDE_ERROR;
        assert_int_equal(signal_start(&s, -2), SIGNAL_OUTSIDE);
        d.at = 0;
        assert_int_equal(signal_start(&s, 0), SIGNAL_OK);
        assert_near(value_at(&s, 4), -1, 1e-12);    // the last instant is inside
        while (s.state == SIGNAL_OK) signal_move(&s);
        assert_int_equal(s.state, SIGNAL_OUTSIDE);
        assert_near(s.last, 4, 0);
        d.at = 0;
        assert_int_equal(signal_start(&s, 4), SIGNAL_OK);
        d.at = 0;
        assert_int_equal(signal_start(&s, 4.5), SIGNAL_OUTSIDE);
    }
}

static void test_signal_with_equal_values_still_ends_where_its_data_end(void **state)
{
    (void)state;
    static const Sample flat[] = { { 0, 1 }, { 5, 1 }, { 10, 1 } };
    Data d = { .samples = flat, .n = 3 };
    Signal s = signal_of(&d, SIGNAL_HOLD, NULL);
    s.outside = SIGNAL_OUTSIDE_ERROR;
    assert_int_equal(signal_start(&s, 0), SIGNAL_OK);
    assert_near(value_at(&s, 10), 1, 0);
    while (s.state == SIGNAL_OK) signal_move(&s);
    assert_int_equal(s.state, SIGNAL_OUTSIDE);
}

static void test_signal_repeats_what_is_cyclic(void **state)
{
    (void)state;
    Arena arena = { 0 };
    static const Sample saw[] = { { 1, 0 }, { 2, 5 }, { 3, 7 } };
    Data d = { .samples = saw, .n = 3 };
    Signal s = signal_of(&d, SIGNAL_LINEAR, &arena);
    s.cyclic = true;
    assert_int_equal(signal_start(&s, -3.5), SIGNAL_OK);    // rounds begin at 1, -1, -3, -5
    assert_near(value_at(&s, -3.5), 6, 1e-14);
    assert_true(s.piece.jumps);                             // from 7 back to 0
    assert_near(value_at(&s, -3), 0, 1e-14);
    assert_near(value_at(&s, 2.5), 6, 1e-14);
    assert_near(value_at(&s, 3), 0, 1e-14);
    assert_near(value_at(&s, 1001.5), 2.5, 1e-12);
    // another start needs no more samples
    assert_int_equal(signal_start(&s, 2), SIGNAL_OK);
    assert_near(value_at(&s, 2), 5, 0);
    s.between = SIGNAL_HOLD;
    assert_int_equal(signal_start(&s, 2.5), SIGNAL_OK);
    assert_near(value_at(&s, 2.5), 5, 0);
    assert_near(value_at(&s, 3), 0, 0);    // the last row is the first of the next round
    arena_free(&arena);
}

// The largest error of a cubic through n samples of one round of a sine.
static double sine_error(size_t n, bool cyclic)
{
    const double two_pi = 6.283185307179586;
    Arena arena = { 0 };
    Sample *samples = ARENA_ARRAY(&arena, Sample, n + 1);
    for (size_t i = 0; i <= n; i++) {
        // not evenly spread
        const double part = (double)i / (double)n, t = two_pi * (part + 0.02 * sin(two_pi * part));
        samples[i] = (Sample){ i == n ? two_pi : t, i == n ? 0 : sin(t) };
    }
    Data d = { .samples = samples, .n = n + 1 };
    Signal s = signal_of(&d, SIGNAL_CUBIC, &arena);
    s.cyclic = cyclic;
    assert_int_equal(signal_start(&s, 0), SIGNAL_OK);
    double worst = 0;
    for (int i = 0; i <= 2000; i++) {
        const double t = two_pi * i / 2000 * (cyclic ? 3 : 1);
        worst = fmax(worst, fabs(value_at(&s, t) - sin(t)));
    }
    arena_free(&arena);
    return worst;
}

static void test_signal_cubic_is_of_order_4(void **state)
{
    (void)state;
    for (int cyclic = 0; cyclic < 2; cyclic++) {
        const double ratio = sine_error(320, cyclic) / sine_error(640, cyclic);
        assert_near(log2(ratio), 4, 0.35);
        assert_true(sine_error(80, cyclic) < 2e-6);
    }
}

static void test_signal_cubic_has_no_kinks(void **state)
{
    (void)state;
    static const Sample uneven[] = {
        { 0, 0 }, { 1, 2 }, { 1.5, -1 }, { 4, 3 }, { 5, 3 }, { 5.2, 4 }, { 9, 0 }
    };
    Data d = { .samples = uneven, .n = 7 };
    Signal s = signal_of(&d, SIGNAL_CUBIC, NULL);
    assert_int_equal(signal_start(&s, 0), SIGNAL_OK);
    for (size_t i = 1; i + 1 < d.n; i++) {
        const SignalPiece left = s.piece;
        assert_int_equal(signal_move(&s), SIGNAL_OK);
        const double h = left.until - left.origin;
        assert_near(signal_value(&left, left.until), s.piece.c[0], 1e-12);
        assert_near(left.c[1] + h * (2 * left.c[2] + h * 3 * left.c[3]), s.piece.c[1], 1e-10);
    }
}

static void test_signal_of_few_samples(void **state)
{
    (void)state;
    for (int between = SIGNAL_HOLD; between <= SIGNAL_CUBIC; between++) {
        for (int cyclic = 0; cyclic < 2; cyclic++) {
            Arena arena = { 0 };
            Data none = { .n = 0 };
            Signal s = signal_of(&none, (SignalBetween)between, &arena);
            s.cyclic = cyclic;
            assert_int_equal(signal_start(&s, 0), SIGNAL_EMPTY);
            Data one = { .samples = steps, .n = 1 };
            s = signal_of(&one, (SignalBetween)between, &arena);
            s.cyclic = cyclic;
            assert_int_equal(signal_start(&s, 7), SIGNAL_OK);
            assert_near(signal_value(&s.piece, 8), 1, 0);
            assert_true(isinf(s.piece.until));
            Data two = { .samples = steps, .n = 2 };
            s = signal_of(&two, (SignalBetween)between, &arena);
            s.cyclic = cyclic;
            assert_int_equal(signal_start(&s, 0), SIGNAL_OK);
            assert_near(signal_value(&s.piece, 0.5), between == SIGNAL_HOLD ? 1 : 2, 1e-15);
            arena_free(&arena);
        }
    }
}

static void test_signal_that_is_too_fine_for_its_time_fails(void **state)
{
    (void)state;
    Arena arena = { 0 };
    static const Sample fine[] = { { 0, 0 }, { 1e-20, 1 }, { 2e-20, 0 } },
                        far[] = { { 1e300, 0 }, { 1.1e300, 1 } };
    Data d = { .samples = fine, .n = 3 };
    Signal s = signal_of(&d, SIGNAL_LINEAR, &arena);
    s.cyclic = true;
    assert_int_equal(signal_start(&s, 1), SIGNAL_TOO_FINE);
    Data e = { .samples = far, .n = 2 };
    s = signal_of(&e, SIGNAL_HOLD, &arena);
    s.cyclic = true;
    assert_int_equal(signal_start(&s, 0), SIGNAL_OK);    // ten rounds away
    arena_free(&arena);
}

static void test_signal_keeps_a_window_only(void **state)
{
    (void)state;
    enum { N = 100000 };
    Sample *samples = malloc(N * sizeof *samples);
    for (int i = 0; i < N; i++) samples[i] = (Sample){ i, i % 7 };
    for (int between = SIGNAL_HOLD; between <= SIGNAL_CUBIC; between++) {
        Data d = { .samples = samples, .n = N };
        Signal s = signal_of(&d, (SignalBetween)between, NULL);    // no arena: nothing may grow
        assert_int_equal(signal_start(&s, 0), SIGNAL_OK);
        for (int i = 0; i < N; i += 97) {
            assert_near(value_at(&s, i + 0.0), i % 7, 1e-9);
            assert_true(s.n <= s.capacity);
        }
    }
    free(samples);
}

static void test_signal_tells_that_its_source_failed(void **state)
{
    (void)state;
    Data d = { .samples = steps, .n = 4, .fails_at = 3 };
    Signal s = signal_of(&d, SIGNAL_LINEAR, NULL);
    assert_int_equal(signal_start(&s, 0), SIGNAL_OK);
    assert_int_equal(signal_move(&s), SIGNAL_FAILED);
    assert_int_equal(signal_move(&s), SIGNAL_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signal_holds_values_until_the_next_sample),
        cmocka_unit_test(test_signal_draws_straight_lines),
        cmocka_unit_test(test_signal_does_outside_what_is_asked),
        cmocka_unit_test(test_signal_with_equal_values_still_ends_where_its_data_end),
        cmocka_unit_test(test_signal_repeats_what_is_cyclic),
        cmocka_unit_test(test_signal_cubic_is_of_order_4),
        cmocka_unit_test(test_signal_cubic_has_no_kinks),
        cmocka_unit_test(test_signal_of_few_samples),
        cmocka_unit_test(test_signal_that_is_too_fine_for_its_time_fails),
        cmocka_unit_test(test_signal_keeps_a_window_only),
        cmocka_unit_test(test_signal_tells_that_its_source_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/unit/atomic/test_stones.c: DEVStone with atomics of the language: the numbers of transitions are
// those of the formulas, and the sums those of the same models in C.
//
//     test_stones KIND WIDTH DEPTH REPEAT
//
// prints the least times of runs with atomics in C, in instant and in native code instead, and compares
// nothing.
#include "bench.h"
#include "devstone.h"
#include <time.h>

static const char stone_text[] = "atomic StoneInWords\n"
                                 "  input event in\n"
                                 "  output event out\n"
                                 "  var sum = 0, n_internal = 0, n_external = 0\n"
                                 "  state idle\n"
                                 "    on in do sum := sum + in; n_external := n_external + 1 -> active\n"
                                 "  state active for 0\n"
                                 "    on in do sum := sum + in -> active keeping time\n"
                                 "    after send out(sum) do n_internal := n_internal + 1 -> idle\n"
                                 "end\n";

typedef struct Result {
    uint64_t n_internal, n_external;
    double own_internal, own_external, sum;
    double seconds;
} Result;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// tier -1: in C.
static Result run_stones(const char *kind, int w, int d, int tier, int repeat)
{
    Bench *b = tier >= 0 ? bench_open(stone_text, (CodeTier)tier) : NULL;
    if (b && !b->ok) bench_show(b);
    if (b) assert_true(b->ok);
    devstone_type = b ? &atomic_find(&b->set, "StoneInWords")->table : &devstone_atomic;
    orr_diag *diag = orr_diag_create();
    orr_devs *model = devstone_build(kind, w, d, diag);
    assert_true(orr_devs_finish(model));
    const orr_devs_options options = orr_devs_options_default();
    orr_devs_run *run = orr_devs_run_create(model, &options, diag);
    Result r = { .seconds = INFINITY };
    const double real = 1;
    const int64_t whole = 1;
    const void *one = b ? (const void *)&real : &whole;
    for (int k = 0; k < repeat; k++) {
        const double began = seconds();
        assert_true(orr_devs_run_send(run, k, 0, one));
        if (strncmp(kind, "HO", 2) == 0) assert_true(orr_devs_run_send(run, k, 1, one));
        assert_int_equal(orr_devs_run_advance(run, k), ORR_STATUS_OK);
        r.seconds = fmin(r.seconds, seconds() - began);
    }
    const orr_devs_facts facts = orr_devs_run_facts(run);
    r.n_internal = facts.n_internal;
    r.n_external = facts.n_external;
    for (uint32_t i = 0; i < facts.n_components; i++) {
        if (b) {
            const double *state = orr_devs_run_state(run, i);
            r.sum += state[2];
            r.own_internal += state[3];
            r.own_external += state[4];
        } else {
            const Stone *stone = orr_devs_run_state(run, i);
            r.sum += (double)stone->sum;
            r.own_internal += (double)stone->n_internal;
            r.own_external += (double)stone->n_external;
        }
    }
    orr_devs_run_destroy(run);
    orr_devs_destroy(model);
    orr_diag_destroy(diag);
    if (b) bench_close(b);
    return r;
}

static void test_stones_of_the_language_make_the_same_transitions(void **state)
{
    (void)state;
    static const char *const kinds[] = { "LI", "HI", "HO", "HOmod" };
    static const int sizes[][2] = { { 2, 1 }, { 3, 2 }, { 5, 5 }, { 9, 4 }, { 12, 12 } };
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int tier = CODE_INSTANT; tier <= CODE_NATIVE; tier++) {
                const int w = sizes[i][0], d = sizes[i][1];
                const Result r = run_stones(kinds[k], w, d, tier, 1), c = run_stones(kinds[k], w, d, -1, 1);
                const uint64_t n = devstone_transitions(kinds[k], (uint64_t)w, (uint64_t)d);
                assert_int_equal(r.n_internal, n);
                assert_int_equal(r.n_external, n);
                assert_near(r.own_internal, (double)n, 0);
                assert_near(r.own_external, (double)n, 0);
                if (c.sum < 1e15) assert_near(r.sum, c.sum, 0);    // beyond, whole numbers in doubles round
            }
}

int main(int argc, char **argv)
{
    if (argc == 5) {
        const int w = atoi(argv[2]), d = atoi(argv[3]), n = atoi(argv[4]);
        double s[3];
        for (int tier = -1; tier <= CODE_NATIVE; tier++)
            s[tier + 1] = run_stones(argv[1], w, d, tier, n).seconds;
        printf("%.6f %.6f %.6f\n", s[0], s[1], s[2]);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stones_of_the_language_make_the_same_transitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

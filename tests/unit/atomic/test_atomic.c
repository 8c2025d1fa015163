// tests/unit/atomic/test_atomic.c: atomics of the language, compiled by both compilers and run by the kernel.
#include "bench.h"

static const char shop[] =
    "record Job\n"
    "  born, size\n"
    "end\n"
    "atomic Generator\n"
    "  param period = 1, size = 1\n"
    "  output event job : Job\n"
    "  var n = 0\n"
    "  state waiting for period\n"
    "    after send job(Job(t, size)) do n := n + 1 -> waiting\n"
    "end\n"
    "atomic Processor\n"
    "  param time = 1\n"
    "  input event job : Job\n"
    "  output event done : Job\n"
    "  var waiting = queue(Job), now : Job\n"
    "  start idle\n"
    "  state idle\n"
    "    on job do now := job -> busy\n"
    "  state busy for time*now.size\n"
    "    on job do push(waiting, job) -> busy keeping time\n"
    "    after send done(now) -> if empty(waiting) then idle else do now := pop(waiting) -> busy\n"
    "end\n"
    "atomic Transducer\n"
    "  input event arrived : Job, solved : Job\n"
    "  var n_arrived = 0, n_solved = 0, total = 0, inside = level(), times = tally()\n"
    "  state watching\n"
    "    on arrived do\n"
    "      n_arrived := n_arrived + 1\n"
    "      set(inside, n_arrived - n_solved)\n"
    "    end\n"
    "    on solved do\n"
    "      n_solved := n_solved + 1\n"
    "      total := total + (t - solved.born)\n"
    "      add(times, t - solved.born)\n"
    "      set(inside, n_arrived - n_solved)\n"
    "    end\n"
    "end\n";

static void run_shop(CodeTier tier, double period, double time, double until, double results[8])
{
    Bench *b = bench_open(shop, tier);
    if (!b->ok) bench_show(b);
    assert_true(b->ok);
    const orr_devs_part source = bench_add(b, "source", "Generator", (double[]){ period, 1 });
    const orr_devs_part cpu = bench_add(b, "cpu", "Processor", &time);
    const orr_devs_part watch = bench_add(b, "watch", "Transducer", NULL);
    orr_devs_couple(b->model, source, "job", cpu, "job");
    orr_devs_couple(b->model, source, "job", watch, "arrived");
    orr_devs_couple(b->model, cpu, "done", watch, "solved");
    bench_start(b, 1);
    assert_int_equal(orr_devs_run_advance(b->run, until), ORR_STATUS_OK);
    static const char *const names[] = { "n_arrived", "n_solved", "total", "times.mean", "times.highest", "inside.mean" };
    for (size_t i = 0; i < 6; i++) results[i] = bench_read(b, watch, "Transducer", names[i]);
    results[6] = bench_read(b, cpu, "Processor", "waiting");
    results[7] = bench_read(b, cpu, "Processor", "state");
    bench_close(b);
}

static void test_atomic_generator_processor_transducer(void **state)
{
    (void)state;
    for (int tier = CODE_INSTANT; tier <= CODE_NATIVE; tier++) {
        double r[8];
        // a job every 10, each takes 7: it is alone, nine are done by 100
        run_shop((CodeTier)tier, 10, 7, 100, r);
        assert_near(r[0], 10, 0);
        assert_near(r[1], 9, 0);
        assert_near(r[2], 63, 0);
        assert_near(r[3], 7, 0);
        assert_near(r[6], 0, 0);
        assert_near(r[7], 2, 0);

        // a job every 5, each takes 7: the k-th is done at 5 + 7 k, after 5 + 2 k; 20 came, 13 are done
        run_shop((CodeTier)tier, 5, 7, 100, r);
        assert_near(r[0], 20, 0);
        assert_near(r[1], 13, 0);
        assert_near(r[3], 19, 1e-12);
        assert_near(r[4], 31, 0);
        assert_near(r[6], 6, 0);
        // the time inside of all of them, 13 done and 7 not, over 100
        double inside = 13 * 19;
        for (int k = 14; k <= 20; k++) inside += 100 - 5 * k;
        assert_near(r[5], inside / 100, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atomic_generator_processor_transducer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

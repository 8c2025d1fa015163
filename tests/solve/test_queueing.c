// tests/solve/test_queueing.c: queues in the language against queueing theory, within the confidence
// intervals of replications; the warm-up of statistics.
//
// Intervals of confidence 0.9999 hold the theory unless something is wrong; the seed is fixed, so nothing
// here fails by chance later. Half widths are asserted too: an interval that holds everything says nothing.
#include "check.h"
#include "orrery/replicate.h"
#include <stdlib.h>

// The components of the library with service times drawn here.
#define PARTS                                                                                                \
    "record Job\n  born\nend\n"                                                                              \
    "atomic Source\n  param mean = 1\n  output event job : Job\n  state waiting for exponential(mean)\n"     \
    "    after send job(Job(t)) -> waiting\nend\n"                                                           \
    "atomic Sink\n  input event job : Job\n  var times = tally()\n  state taking\n    on job do add(times, " \
    "t - job.born) end\nend\n"
// One server with the given service time, the number inside and the wait before service.
#define DESK(name, service)                                                                                  \
    "atomic " name "\n  param mean = 1\n  input event job : Job\n  output event done : Job\n"                \
    "  var line = queue(Job), now : Job, inside = level(0), busy = level(0), waits = tally()\n  start "      \
    "idle\n"                                                                                                 \
    "  state idle\n    on job do now := job; add(waits, 0); set(busy, 1); set(inside, 1) -> serving\n"       \
    "  state serving for " service "\n"                                                                      \
    "    on job do push(line, job); set(inside, length(line) + 1) -> serving keeping time\n"                 \
    "    after send done(now) -> if empty(line) then do set(busy, 0); set(inside, 0) -> idle\n"              \
    "      else do now := pop(line); add(waits, t - now.born); set(inside, length(line) + 1) -> "            \
    "serving\nend\n"

typedef struct Known {
    const char *name;
    double value, half;
} Known;

static void agrees(const char *text, const Known *known, size_t n)
{
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse("test.orr", text, strlen(text), diag);
    orr_experiment e;
    orr_model *model = NULL;
    orr_compile_options options = orr_compile_options_default();
    if (source && orr_experiment_get(source, NULL, &e, diag)) {
        options.model = e.model;
        model = orr_model_compile(source, &options, diag);
    }
    if (!model) orr_diag_print(diag, stderr, 0);
    assert_non_null(model);
    e.confidence = 0.9999;
    orr_replications r = orr_replicate(model, &e, NULL, diag);
    if (r.status != ORR_STATUS_OK) orr_diag_print(diag, stderr, 0);
    assert_int_equal(r.status, ORR_STATUS_OK);
    for (size_t k = 0; k < n; k++) {
        size_t i = 0;
        while (i < r.n_estimates && strcmp(r.estimates[i].name, known[k].name) != 0) i++;
        assert_true(i < r.n_estimates);
        const orr_estimate *found = &r.estimates[i];
        print_message("  %-18s %10.6g ± %-10.3g theory %.6g\n", found->name, found->mean, found->half,
                      known[k].value);
        assert_near(found->mean, known[k].value, found->half);
        assert_true(found->half <= known[k].half);
    }
    orr_replications_free(&r);
    orr_model_destroy(model);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
}
#define AGREES(text, ...)                                                                                    \
    agrees(text, (const Known[]){ __VA_ARGS__ }, sizeof(const Known[]){ __VA_ARGS__ } / sizeof(Known))

#define GO(model, records)                                                                                   \
    "experiment go of " model                                                                                \
    "\n  until 12000\n  warm up 2000\n  seed 11\n  replications 24\n  record " records "\nend\n"

// load 0.7: inside 0.7/0.3, time in the system 0.7/0.3 by Little's law (one arrival each second)
static void test_queueing_one_server_with_exponential_service(void **state)
{
    (void)state;
    AGREES(PARTS DESK(
               "Desk",
               "exponential(mean)") "model M\n  in : Source(mean = 1)\n  desk : Desk(mean = 0.7)\n"
                                    "  out : Sink\n  in.job -> desk.job\n"
                                    "  desk.done -> out.job\nend\n" GO(
                                        "M",
                                        "desk.inside.mean, desk.busy.mean, out.times.mean, desk.waits.mean"),
           { "desk.inside.mean", 0.7 / 0.3, 0.2 }, { "desk.busy.mean", 0.7, 0.01 },
           { "out.times.mean", 0.7 / 0.3, 0.2 }, { "desk.waits.mean", 0.49 / 0.3, 0.2 });
}

// Pollaczek and Khinchin: wait = λ E[S²] / (2 (1 - load)), for constant, uniform and gamma service
static void test_queueing_one_server_with_general_service(void **state)
{
    (void)state;
#define GENERAL(service)                                                                                     \
    PARTS DESK("Desk",                                                                                       \
               service) "model M\n  in : Source(mean = 1)\n  desk : Desk(mean = 0.7)\n  out : Sink\n"        \
                        "  in.job -> desk.job\n  desk.done -> out.job\nend\n" GO(                            \
                            "M", "desk.waits.mean, desk.busy.mean")
    AGREES(GENERAL("mean"), { "desk.waits.mean", 0.49 / 0.6, 0.1 }, { "desk.busy.mean", 0.7, 0.01 });
    AGREES(GENERAL("uniform(0, 2*mean)"), { "desk.waits.mean", 0.49 * 4 / 3 / 0.6, 0.1 });
    AGREES(GENERAL("gamma(0.5, 2*mean)"), { "desk.waits.mean", 0.49 * 3 / 0.6, 0.4 });
}

// Erlang C with three servers and an offered load of 2.1
static void test_queueing_three_servers(void **state)
{
    (void)state;
    const double a = 2.1, tail = a * a * a / 6 / (1 - a / 3), p_wait = tail / (1 + a + a * a / 2 + tail);
    const double line = p_wait * (a / 3) / (1 - a / 3);
    AGREES(PARTS
           "atomic Desks\n  param servers = 3, mean = 1\n  input event job : Job\n  output event done : Job\n"
           "  var served = queue(Job), line = queue(Job), ends = queue(), "
           "next = 0, busy = level(0), waiting = level(0)\n"
           "  start idle\n  state idle\n    on job do\n      next := t + exponential(mean)\n"
           "      insert(served, job, next)\n"
           "      insert(ends, next, next)\n      set(busy, length(served))\n    -> working\n"
           "  state working for max(first(ends) - t, 0)\n    on job if length(served) < servers do\n"
           "      next := t + exponential(mean)\n      insert(served, job, next)\n"
           "      insert(ends, next, next)\n"
           "      set(busy, length(served))\n    -> working\n"
           "    on job do push(line, job); set(waiting, length(line)) -> working keeping time\n"
           "    after send done(first(served)) do\n      pop(served)\n      pop(ends)\n"
           "      if not empty(line) then\n"
           "        next := t + exponential(mean)\n        insert(served, pop(line), next)\n"
           "        insert(ends, next, next)\n"
           "        set(waiting, length(line))\n      end\n      set(busy, length(served))\n"
           "    -> if empty(served) then idle else working\nend\n"
           "model M\n  in : Source(mean = 1)\n  desks : Desks(servers = 3, mean = 2.1)\n  out : Sink\n"
           "  in.job -> desks.job\n"
           "  desks.done -> out.job\nend\n" GO("M", "desks.busy.mean, desks.waiting.mean, out.times.mean"),
           { "desks.busy.mean", 2.1, 0.04 }, { "desks.waiting.mean", line, 0.2 },
           { "out.times.mean", line + 2.1, 0.2 });
}

// Jackson: three desks; what leaves the first goes to the second or the third, a quarter of what leaves the
// second back to the first. Each is a queue of its own in the steady state.
static void test_queueing_of_jackson(void **state)
{
    (void)state;
    const double p = 0.6, back = 0.25;
    const double l1 = 1 / (1 - p * back), l2 = p * l1, l3 = (1 - p) * l1;    // l1 = 1 + back·l2
    const double r1 = 0.6 * l1, r2 = 0.7 * l2, r3 = 1.1 * l3;
    const double inside = r1 / (1 - r1) + r2 / (1 - r2) + r3 / (1 - r3);
    AGREES(PARTS DESK("Desk",
                      "exponential(mean)") "atomic Split\n  param p = 0.5\n  input event job : Job\n  output "
                                           "event a : Job, b : Job\n  var line = queue(Job), way = 0\n"
                                           "  state idle\n    on job do push(line, job); way := uniform(0, "
                                           "1) -> passing\n  state passing for 0\n"
                                           "    on job do push(line, job) -> passing keeping time\n"
                                           "    after send a(first(line)) if way < p, b(first(line)) if way "
                                           ">= p do pop(line); way := uniform(0, 1)\n"
                                           "    -> if empty(line) then idle else passing\nend\n"
                                           "model M\n  in : Source(mean = 1)\n  d1 : Desk(mean = 0.6)\n"
                                           "  d2 : Desk(mean = 0.7)\n  d3 : Desk(mean = 1.1)\n"
                                           "  s1 : Split(p = 0.6)\n  s2 : Split(p = 0.25)\n  out : Sink\n"
                                           "  in.job -> d1.job\n  d1.done -> s1.job\n"
                                           "  s1.a -> d2.job\n  s1.b -> d3.job\n  d2.done -> s2.job\n  s2.a "
                                           "-> d1.job\n  s2.b -> out.job\n  d3.done -> out.job\nend\n" GO(
                                               "M", "d1.inside.mean, d2.inside.mean, d3.inside.mean, "
                                                    "d1.busy.mean, out.times.mean"),
           { "d1.inside.mean", r1 / (1 - r1), 0.3 }, { "d2.inside.mean", r2 / (1 - r2), 0.2 },
           { "d3.inside.mean", r3 / (1 - r3), 0.2 }, { "d1.busy.mean", r1, 0.02 },
           { "out.times.mean", inside, 0.5 });
}

// Statistics begin anew where the warm-up ends.
static void test_queueing_statistics_leave_the_warm_up_out(void **state)
{
    (void)state;
#define SLOW                                                                                                 \
    "atomic Clock\n  var x = tally(), n = level(0)\n  state early for 1\n    after do add(x, if t < 10.5 "   \
    "then 100 else 7); "                                                                                     \
    "set(n, if t < 10.5 then 100 else 7) -> early\nend\nmodel M\n  c : Clock\nend\n"                         \
    "experiment go of M\n  until 30.5\n  replications 3\n  record c.x.mean, c.n.mean, c.x.count\n"
    AGREES(SLOW "  warm up 11\nend\n", { "c.x.mean", 7, 0 }, { "c.n.mean", 7, 0 });
    const double early = (10 * 100 + 20 * 7) / 30.0;
    AGREES(SLOW "end\n", { "c.x.mean", early, 1e-9 });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queueing_one_server_with_exponential_service),
        cmocka_unit_test(test_queueing_one_server_with_general_service),
        cmocka_unit_test(test_queueing_three_servers),
        cmocka_unit_test(test_queueing_of_jackson),
        cmocka_unit_test(test_queueing_statistics_leave_the_warm_up_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

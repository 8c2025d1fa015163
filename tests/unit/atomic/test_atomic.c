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
    static const char *const names[] = { "n_arrived",  "n_solved",      "total",
                                         "times.mean", "times.highest", "inside.mean" };
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

// ---- One component, with messages from outside

typedef struct Sent {
    double t[100], value[100];
    int port[100];
    int n;
} Sent;

static void keep_sent(void *context, double t, const orr_devs_event *bag, size_t n)
{
    Sent *sent = context;
    for (size_t i = 0; i < n && sent->n < 100; i++, sent->n++) {
        sent->t[sent->n] = t;
        sent->port[sent->n] = (int)bag[i].port;
        sent->value[sent->n] = bag[i].value ? *(const double *)bag[i].value : 0;
    }
}

// An atomic "A" whose ports become those of the whole model.
static Bench *open_one(const char *text, CodeTier tier, const double *params, Sent *sent, orr_devs_part *part)
{
    Bench *b = bench_open(text, tier);
    if (!b->ok) bench_show(b);
    assert_true(b->ok);
    const AtomicKind *kind = atomic_find(&b->set, "A");
    orr_devs_set_ports(b->model, kind->table.inputs, kind->n_inputs, kind->table.outputs, kind->n_outputs);
    *part = bench_add(b, "a", "A", params);
    for (uint32_t i = 0; i < kind->n_inputs; i++)
        orr_devs_couple(b->model, ORR_DEVS_ROOT, kind->inputs[i].name, *part, kind->inputs[i].name);
    for (uint32_t i = 0; i < kind->n_outputs; i++)
        orr_devs_couple(b->model, *part, kind->outputs[i].name, ORR_DEVS_ROOT, kind->outputs[i].name);
    assert_true(orr_devs_finish(b->model));
    orr_devs_options options = orr_devs_options_default();
    options.seed = 7;
    options.output = keep_sent;
    options.output_context = sent;
    *sent = (Sent){ 0 };
    b->run = orr_devs_run_create(b->model, &options, b->diag);
    return b;
}

static void test_atomic_time_is_kept_exactly(void **state)
{
    (void)state;
    static const char text[] =
        "atomic A\n  param d = 1\n  input event kick : nothing, again : nothing\n  output event done\n"
        "  var e = -1, left = -1, n = 0\n"
        "  state waiting for d\n"
        "    on kick do n := n + 1; e := elapsed; left := remaining -> waiting keeping time\n"
        "    on again do e := elapsed -> waiting\n"
        "    after send done(elapsed) -> over\n"
        "  state over\nend\n";
    for (int tier = CODE_INSTANT; tier <= CODE_NATIVE; tier++) {
        Sent sent;
        orr_devs_part a;
        const double d = 0.7;
        Bench *b = open_one(text, (CodeTier)tier, &d, &sent, &a);
        // many messages on the way: the due time is that of the beginning, to the last bit
        for (int i = 1; i <= 6; i++) orr_devs_run_send(b->run, 0.1 * i, 0, NULL);
        assert_int_equal(orr_devs_run_advance(b->run, 0.65), ORR_STATUS_OK);
        assert_same_bits(orr_devs_run_due(b->run, 0), 0.7);
        assert_same_bits(bench_read(b, a, "A", "e"), 0.1 * 6 - 0.1 * 5);
        assert_same_bits(bench_read(b, a, "A", "left"), 0.7 - 0.1 * 6);
        orr_devs_run_send(b->run, 0.65, 1, NULL);
        assert_int_equal(orr_devs_run_advance(b->run, 5), ORR_STATUS_OK);
        assert_int_equal(sent.n, 1);
        assert_same_bits(sent.t[0], 0.65 + 0.7);
        assert_same_bits(sent.value[0], (0.65 + 0.7) - 0.65);
        assert_near(bench_read(b, a, "A", "state"), 2, 0);
        assert_true(isinf(orr_devs_run_due(b->run, 0)));
        bench_close(b);
    }
}

// What happens when a message comes just when the time is up: `n` counts in tens of internal transitions and
// ones of messages; the value tells their order.
static double confluent_case(const char *rule, CodeTier tier)
{
    char text[1000];
    snprintf(text, sizeof text,
             "atomic A\n  input event x\n  output event y\n  var v = 1, before = 0\n"
             "  state a for 1\n    on x do v := v*10 + 1 -> a keeping time\n"
             "    after send y(v) do v := v*10 + 2 -> b\n"
             "  state b\n    on x do v := v*10 + 3 -> b\n%send\n",
             rule);
    Sent sent;
    orr_devs_part a;
    Bench *b = open_one(text, tier, NULL, &sent, &a);
    const double x = 5;
    orr_devs_run_send(b->run, 1, 0, &x);
    assert_int_equal(orr_devs_run_advance(b->run, 3), ORR_STATUS_OK);
    assert_int_equal(sent.n, 1);
    assert_near(sent.value[0], 1, 0);    // of the state before, in any case
    const double v = bench_read(b, a, "A", "v");
    bench_close(b);
    return v;
}

static void test_atomic_confluent_rules(void **state)
{
    (void)state;
    for (int tier = CODE_INSTANT; tier <= CODE_NATIVE; tier++) {
        assert_near(confluent_case("", (CodeTier)tier), 123, 0);
        assert_near(confluent_case("  confluent internal first\n", (CodeTier)tier), 123, 0);
        assert_near(confluent_case("  confluent external first\n", (CodeTier)tier), 112, 0);
        assert_near(confluent_case("  confluent do v := v*10 + 4 -> b\n", (CodeTier)tier), 14, 0);
    }
}

// A rule of its own sees the messages in their order (as sent: z, y, x, y, x), the time that the state
// lasted, and everything before and behind them. What v is after `rule`, and the sum of the elapsed times.
static void meet_bag(const char *rule, int tier, double v, double elapsed)
{
    char text[1200];
    snprintf(text, sizeof text,
             "record J\n  size\n  urgent : boolean\nend\natomic A\n  input event x, y : J, z : nothing\n"
             "  var v = 0, e = 0, q = queue(J)\n"
             "  state a for 1.5\n    on x -> b\n    after do v := 99 -> b\n  state b\n%send\n",
             rule);
    Sent sent;
    orr_devs_part a;
    Bench *b = open_one(text, (CodeTier)tier, NULL, &sent, &a);
    const double x[] = { 3, 4 }, y[] = { 5, 1, 6, 0 };
    orr_devs_run_send(b->run, 1.5, 2, NULL);
    orr_devs_run_send(b->run, 1.5, 1, y);
    orr_devs_run_send(b->run, 1.5, 0, &x[0]);
    orr_devs_run_send(b->run, 1.5, 1, y + 2);
    orr_devs_run_send(b->run, 1.5, 0, &x[1]);
    assert_int_equal(orr_devs_run_advance(b->run, 3), ORR_STATUS_OK);
    assert_near(bench_read(b, a, "A", "v"), v, 0);
    assert_near(bench_read(b, a, "A", "e"), elapsed, 0);
    assert_near(bench_read(b, a, "A", "state"), 2, 0);
    bench_close(b);
}

static void test_atomic_confluent_sees_messages(void **state)
{
    (void)state;
    for (int tier = CODE_INSTANT; tier <= CODE_NATIVE; tier++) {
        meet_bag("  confluent do v := 1 -> b\n", tier, 1, 0);
        meet_bag("  confluent do on x do v := v*10 + x; e := e + elapsed end -> b\n", tier, 34, 3);
        // all ports, one after the other; a number before and one behind them
        meet_bag("  confluent do v := 1\n    on x do v := v*10 + x end\n    on y do v := v*10 + y.size end\n"
                 "    on z do v := v*10 + 7 end\n    v := v*10 + 8\n  -> b\n",
                 tier, 1753648, 0);
        // the first line that fits takes a message; one that none takes is passed over
        meet_bag("  confluent do\n    on y if y.urgent do v := v*10 + 1 end\n    on y do v := v*10 + 2 end\n"
                 "    on x if x > 3 do v := v*10 + x end\n  -> b\n",
                 tier, 124, 0);
        // two passes over the same messages, the second on a condition; they are kept in a queue
        meet_bag("  confluent do\n    on y do push(q, y) end\n    if length(q) == 2 then\n"
                 "      on x do v := v + x end\n    end\n    e := remaining + length(q)*3\n  -> b\n",
                 tier, 7, 6);
    }
}

// Arrays of records, queues and statistics: what stands where is known from single ones.
static void test_atomic_arrays_of_records_and_queues(void **state)
{
    (void)state;
    static const char text[] =
        "record J\n  size, rank\n  good : boolean\nend\n"
        "atomic A\n  const n = 3\n  input event x\n"
        "  var j[n] = J(1, 2, true), k[2] : J, q[n] = queue(J), r[2] = "
        "queue(), s[n] = tally(), l[2] = level(4)\n"
        "  var i = 0, v = 0, w = 0, flag = false, part = 0\n"
        "  state a\n    on x do\n"
        "      for m in 1..n\n"
        "        j[m].size := 10*m\n        push(q[m], j[m])\n        push(q[m], J(m, -m, false))\n"
        "        add(s[m], m)\n        add(s[m], 3*m)\n      end\n"
        "      i := 2\n      k[i] := pop(q[i + 1])\n      k[1] := j[i]\n      j[1] := k[2]\n"
        "      insert(r[i], 7, 2)\n      insert(r[i], 8, 1)\n      push(r[1], 5)\n"
        "      v := k[i].size*100 + k[1].size/j[n].size\n      flag := k[i].good\n"
        "      w := first(r[i])*1000 + last(r[2])*100 + length(q[3])*10 + mean(s[i])\n"
        "      part := 2/j[i].rank + item(r[i], 2)^2\n"
        "      set(l[i], 9)\n      j[n].rank := remove(r[2], 1)\n      clear(q[1])\n"
        "      if empty(q[1]) and not empty(q[i]) then w := w + 0.5 end\n    -> a\nend\n";
    static const struct {
        const char *name;
        double value;
    } wanted[] = {
        { "j[1].size", 30 },
        { "j[1].rank", 2 },
        { "j[1].good", 1 },
        { "j[2].size", 20 },
        { "j[3].rank", 8 },
        { "k[1].size", 20 },
        { "k[2].size", 30 },
        { "q[1]", 0 },
        { "q[2]", 2 },
        { "q[3]", 1 },
        { "r[1]", 1 },
        { "r[2]", 1 },
        { "s[2]", 2 },
        { "s[3].mean", 6 },
        { "s[1].highest", 3 },
        { "l[1]", 4 },
        { "l[2]", 9 },
        { "flag", 1 },
        { "part", 1 + 49 },
        { "v", 3000 + 20.0 / 30 },
        { "w", 8000 + 700 + 10 + 4 + 0.5 },
    };
    for (int tier = CODE_INSTANT; tier <= CODE_NATIVE; tier++) {
        Sent sent;
        orr_devs_part a;
        Bench *b = open_one(text, (CodeTier)tier, NULL, &sent, &a);
        const double x = 1;
        orr_devs_run_send(b->run, 1, 0, &x);
        assert_int_equal(orr_devs_run_advance(b->run, 3), ORR_STATUS_OK);
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            assert_near(bench_read(b, a, "A", wanted[i].name), wanted[i].value, 1e-13);
        bench_close(b);
    }
}

// An index outside of an array of queues ends the run, and names it.
static void test_atomic_index_of_queues_is_checked(void **state)
{
    (void)state;
    static const char text[] = "atomic A\n  input event x\n  var q[3] = queue()\n  state a\n"
                               "    on x do push(q[x], 1) end\nend\n";
    for (int tier = CODE_INSTANT; tier <= CODE_NATIVE; tier++) {
        Sent sent;
        orr_devs_part a;
        Bench *b = open_one(text, (CodeTier)tier, NULL, &sent, &a);
        const double x[] = { 3, 4 };
        for (int i = 0; i < 2; i++) orr_devs_run_send(b->run, 1 + i, 0, &x[i]);
        assert_int_equal(orr_devs_run_advance(b->run, 3), ORR_STATUS_FAILED);
        assert_near(bench_read(b, a, "A", "q[3]"), 1, 0);
        assert_contains(orr_diag_get(b->diag, 0).text, "'q' has no element 4 (bench.orr, line 5)");
        bench_close(b);
    }
}

// A queue without bound is named, with its length and the line.
static void test_atomic_queue_without_bound_is_named(void **state)
{
    (void)state;
    static const char text[] = "atomic A\n  var p = queue(), q[2] = queue()\n  state a for 1\n"
                               "    after do push(p, 1); push(q[2], t); push(q[2], t) -> a\nend\n";
    Bench *b = bench_open(text, CODE_INSTANT);
    assert_true(b->ok);
    bench_add(b, "shop", "A", NULL);
    assert_true(orr_devs_finish(b->model));
    orr_devs_options options = orr_devs_options_default();
    options.max_memory = 1 << 16;
    b->run = orr_devs_run_create(b->model, &options, b->diag);
    assert_int_equal(orr_devs_run_advance(b->run, 1e6), ORR_STATUS_FAILED);
    assert_string_equal(orr_diag_get(b->diag, 0).code, "E533");
    assert_contains(orr_diag_get(b->diag, 0).text, "a queue of 'shop' has ");
    assert_contains(orr_diag_get(b->diag, 1).text, "it is 'q[2]' of A (bench.orr, line 2)");
    bench_close(b);
}

// External first, but the message leads to another state: its time has just begun.
static void test_atomic_external_first_may_leave(void **state)
{
    (void)state;
    static const char text[] = "atomic A\n  input event x\n  output event y\n  var n = 0\n"
                               "  state a for 1\n    on x -> b\n    after send y(1) do n := n + 1 -> a\n"
                               "  state b for 0\n    after send y(2) do n := n + 10 -> c\n  state c\n"
                               "  confluent external first\nend\n";
    for (int tier = CODE_INSTANT; tier <= CODE_NATIVE; tier++) {
        Sent sent;
        orr_devs_part a;
        Bench *b = open_one(text, (CodeTier)tier, NULL, &sent, &a);
        const double x = 5;
        orr_devs_run_send(b->run, 1, 0, &x);
        assert_int_equal(orr_devs_run_advance(b->run, 3), ORR_STATUS_OK);
        assert_int_equal(sent.n, 2);    // y(1) is sent before anybody knows; y(2) in the next bag
        assert_near(sent.value[1], 2, 0);
        assert_near(bench_read(b, a, "A", "n"), 10, 0);
        bench_close(b);
    }
}

static void test_atomic_bag_is_handled_in_order(void **state)
{
    (void)state;
    static const char text[] =
        "atomic A\n  input event x, y\n  var v = 0, e = 0\n"
        "  state a\n    on x if x < 5 do v := v*10 + x; e := e + elapsed end\n"
        "    on x do v := -v end\n    on y do v := v*10 + y; e := e + elapsed end\nend\n";
    for (int tier = CODE_INSTANT; tier <= CODE_NATIVE; tier++) {
        Sent sent;
        orr_devs_part a;
        Bench *b = open_one(text, (CodeTier)tier, NULL, &sent, &a);
        const double values[] = { 1, 2, 3, 9 };
        for (uint32_t i = 0; i < 4; i++) orr_devs_run_send(b->run, 2, i % 2 == 0 ? 0 : 1, &values[i]);
        assert_int_equal(orr_devs_run_advance(b->run, 3), ORR_STATUS_OK);
        // order of sending; the time elapsed counts for the first only
        assert_near(bench_read(b, a, "A", "v"), 1239, 0);
        assert_near(bench_read(b, a, "A", "e"), 2, 0);
        bench_close(b);
    }
}

static const char mixture[] =
    "enum Colour red, green, blue\n"
    "record Item\n  size, rank\n  c : Colour\n  good : boolean\nend\n"
    "function square(x) = x*x\n"
    "function mix(a, b)\n  m = (a + b)/2\n  return m + square(m)\nend\n"
    "atomic A\n"
    "  param p = 2\n"
    "  const n = 4\n"
    "  input event go : nothing\n"
    "  output event size, sum, last\n"
    "  var a[n] = p, q = queue(Item), now : Item, s = 0, c = green, "
    "ok = false, k = 0, best = 0, r = queue()\n"
    "  start do\n"
    "    for i in 1..n\n"
    "      a[i] := a[i] + i^2 - sin(i)*0\n"
    "      insert(q, Item(i, -i, if i > 2 then red else blue, i == 3), -i)\n"
    "      push(r, 10*i)\n"
    "    end\n"
    "    if c == green and not ok then c := blue elseif c == red then s := 100 else s := 200 end\n"
    "    -> ready\n"
    "  state ready\n"
    "    on go if length(q) > 0 do now := pop(q); ok := now.good; s := s "
    "+ a[now.size]; best := item(r, 2) -> out\n"
    "    on go do clear(r) -> out\n"
    "  state out for 0\n"
    "    after send size(now.size) if now.size != 3, sum(mix(s, 1)), last(if ok then 1 else -1)\n"
    "      do k := remove(r, length(r))\n"
    "      -> ready\n"
    "end\n";

static void test_atomic_expressions_queues_records(void **state)
{
    (void)state;
    for (int tier = CODE_INSTANT; tier <= CODE_NATIVE; tier++) {
        Sent sent;
        orr_devs_part a;
        const double p = 2;
        Bench *b = open_one(mixture, (CodeTier)tier, &p, &sent, &a);
        assert_near(bench_read(b, a, "A", "a[3]"), 11, 0);
        assert_near(bench_read(b, a, "A", "q"), 4, 0);
        assert_near(bench_read(b, a, "A", "c"), 3, 0);
        orr_devs_run_send(b->run, 1, 0, NULL);
        orr_devs_run_send(b->run, 2, 0, NULL);
        assert_int_equal(orr_devs_run_advance(b->run, 3), ORR_STATUS_OK);
        // 4 and 3 come first, by rank; of the 3 no size is sent
        assert_int_equal(sent.n, 5);
        assert_near(sent.value[0], 4, 0);
        const double m1 = (18 + 1) / 2.0, m2 = (29 + 1) / 2.0;
        assert_near(sent.value[1], m1 + m1 * m1, 0);
        assert_near(sent.value[2], -1, 0);
        assert_near(sent.value[3], m2 + m2 * m2, 0);
        assert_near(sent.value[4], 1, 0);
        assert_near(bench_read(b, a, "A", "now.c"), 1, 0);
        assert_near(bench_read(b, a, "A", "now.good"), 1, 0);
        assert_near(bench_read(b, a, "A", "best"), 20, 0);
        assert_near(bench_read(b, a, "A", "k"), 30, 0);
        assert_near(bench_read(b, a, "A", "r"), 2, 0);
        bench_close(b);
    }
}

// Draws inside one expression are made in the order written, by either compiler; a saved run goes on with
// the same bits.
static void test_atomic_draws_are_the_same_in_both_tiers(void **state)
{
    (void)state;
    static const char text[] =
        "atomic A\n  input event x\n  output event y\n  var u = uniform(0, 1), v = 0, n = 0\n"
        "  state a for exponential(u) + 0.01\n"
        "    after send y(v) do\n"
        "      v := normal(0, 1) - gamma(2, 1)*(if uniform(0, 1) < 0.5 "
        "then weibull(2, 1) else triangular(0, 1, 3))\n"
        "      if uniform(0, 1) > 0.5 and poisson(2) > 1 or v > 3 then n := n + discrete(1, 2, 3) end\n"
        "    -> 0.25 a | 0.25 b | (0.5) do n := n + lognormal(0, 1) -> a\n"
        "  state b for max(uniform(0, 1), uniform(0, 2), 0.5)\n    after -> a\n    on x -> a\nend\n";
    Sent all[3];
    for (int i = 0; i < 3; i++) {
        orr_devs_part a;
        Bench *b = open_one(text, i == 1 ? CODE_NATIVE : CODE_INSTANT, NULL, &all[i], &a);
        if (i == 2) {
            // half of it, saved, and loaded into another run of the same model
            assert_int_equal(orr_devs_run_advance(b->run, 10), ORR_STATUS_OK);
            const size_t n = orr_devs_run_size(b->run);
            void *bytes = malloc(n);
            orr_devs_run_save(b->run, bytes);
            orr_devs_run_destroy(b->run);
            orr_devs_options options = orr_devs_options_default();
            options.seed = 99;
            options.output = keep_sent;
            options.output_context = &all[i];
            b->run = orr_devs_run_create(b->model, &options, b->diag);
            assert_true(orr_devs_run_load(b->run, bytes, n));
            free(bytes);
        }
        assert_int_equal(orr_devs_run_advance(b->run, 40), ORR_STATUS_OK);
        bench_close(b);
    }
    assert_true(all[0].n > 20);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(all[0].n, all[i].n);
        assert_memory_equal(&all[0], &all[i], sizeof all[0]);
    }
}

// ---- What fails while it runs names component, state and line

static void expect_failure(const char *text, const double *params, const char *part)
{
    for (int tier = CODE_INSTANT; tier <= CODE_NATIVE; tier++) {
        Sent sent;
        orr_devs_part a;
        Bench *b = open_one(text, (CodeTier)tier, params, &sent, &a);
        if (b->run) {
            const double one = 1;
            orr_devs_run_send(b->run, 1, 0, &one);
            assert_int_equal(orr_devs_run_advance(b->run, 5), ORR_STATUS_FAILED);
        }
        assert_true(orr_diag_errors(b->diag) > 0);
        size_t last = orr_diag_count(b->diag) - 1;
        while (last > 0 && orr_diag_get(b->diag, last).severity == ORR_SEVERITY_NOTE) last--;
        const char *message = orr_diag_get(b->diag, last).text;
        assert_contains(message, "'a'");
        assert_contains(message, part);
        bench_close(b);
    }
}

static void test_atomic_failures_name_state_and_line(void **state)
{
    (void)state;
    const double minus = -2, nan = NAN, big = 9;
    static const char late[] =
        "atomic A\n  param d = 1\n  input event x\n  state a\n    on x -> b\n  state b for d\n"
        "    after -> a\nend\n";
    expect_failure(late, &minus, "state 'b' cannot last -2: a time is 0 or more (bench.orr, line 6)");
    expect_failure(late, &nan, "how long state 'b' lasts is not a number");
    static const char first[] =
        "atomic A\n  param d = 1\n  input event x\n  state a for d\n    on x -> a\n    after -> a\nend\n";
    expect_failure(first, &minus, "state 'a' cannot last -2");
    static const char empty[] =
        "atomic A\n  input event x\n  var q = queue(), v = 0\n  state a\n    on x do v := pop(q) end\nend\n";
    expect_failure(empty, NULL, "queue 'q' is empty; ask empty(q) before (bench.orr, line 5)");
    static const char index[] = "atomic A\n  param i = 1\n  input event x\n  var v[3] = 0\n  state a\n"
                                "    on x do v[i] := 1 end\nend\n";
    expect_failure(index, &big, "'v' has no element 9 (bench.orr, line 6)");
    static const char draw[] = "atomic A\n  param m = 1\n  input event x\n  var v = 0\n  state a\n"
                               "    on x do v := exponential(m) end\nend\n";
    expect_failure(draw, &minus, "the arguments of 'exponential' make no sense (bench.orr, line 6)");
    static const char chances[] =
        "atomic A\n  param c = 1\n  input event x\n  state a\n    on x -> (c) a | 0.5 b\n  state b\nend\n";
    expect_failure(chances, &big, "probabilities of a choice sum to 9.5");
    static const char grows[] =
        "atomic A\n  input event x\n  var q = queue()\n  state a\n    on x -> b\n"
        "  state b for 0\n    after do for i in 1..1e8\n push(q, i)\n end\n -> a\nend\n";
    expect_failure(grows, NULL, "'a'");
}

// A model is data: nothing the user wrote stands in the text that is compiled.
static void test_atomic_text_has_no_words_of_the_user(void **state)
{
    (void)state;
    static const char *const words[] = {
        "Colour", "green", "Item", "square", "mix", "ready", "best", "bench"
    };
    Bench *b = bench_open(mixture, CODE_INSTANT);
    const Text text = atomic_text(&b->set, &b->arena);
    assert_contains(text.p, "a0_external");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) assert_null(strstr(text.p, words[i]));
    bench_close(b);
}

// ---- Slips

static uint64_t roll(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 33;
}

// Words of a right text changed at random: what passes the checks compiles, and runs or fails with a message.
static void test_atomic_what_is_accepted_compiles(void **state)
{
    (void)state;
    static const char *const words[] = { "a",
                                         "b",
                                         "s",
                                         "k",
                                         "q",
                                         "r",
                                         "now",
                                         "ok",
                                         "c",
                                         "n",
                                         "p",
                                         "1",
                                         "0.5",
                                         "true",
                                         "red",
                                         "now.size",
                                         "now.good",
                                         "now.c",
                                         "a[2]",
                                         "a[k]",
                                         "pop(r)",
                                         "first(r)",
                                         "length(q)",
                                         "uniform(0, 1)",
                                         "elapsed",
                                         "remaining",
                                         "t",
                                         "sqrt(2)",
                                         "k^2",
                                         "s^-3",
                                         "p^0.5",
                                         "mix(1, s)",
                                         "(ok or s > 1)",
                                         "if ok then 1 else 2",
                                         "pop(q)",
                                         "Item(1, 2, red, ok)",
                                         "go",
                                         "ready",
                                         "out",
                                         "not ok",
                                         "min(k, s, 3)",
                                         "-k" };
    uint64_t random = 11;
    int accepted = 0;
    for (int round = 0; round < 4000; round++) {
        char text[sizeof mixture + 400];
        size_t n = sizeof mixture - 1;
        memcpy(text, mixture, n + 1);
        for (uint64_t slips = 1 + roll(&random) % 2; slips > 0; slips--) {
            // a word of the text, replaced
            size_t at = roll(&random) % n, end;
            while (at > 0 && text[at - 1] != ' ' && text[at - 1] != '(' && text[at - 1] != '\n') at--;
            for (end = at; end < n && !strchr(" (),;\n", text[end]);) end++;
            const char *word = words[roll(&random) % (sizeof words / sizeof *words)];
            const size_t length = strlen(word);
            if (n - (end - at) + length + 1 > sizeof text) break;
            memmove(text + at + length, text + end, n - end + 1);
            memcpy(text + at, word, length);
            n = n - (end - at) + length;
        }
        Bench *b = bench_open(text, CODE_INSTANT);
        for (size_t i = 0; i < orr_diag_count(b->diag); i++)
            if (strcmp(orr_diag_get(b->diag, i).code, "E704") == 0)
                fail_msg("does not compile: %s\n%s", orr_diag_get(b->diag, i).text, text);
        if (b->ok && b->set.n_kinds > 0) {
            accepted++;
            double params[8] = { 2, 2, 2, 2, 2, 2, 2, 2 };
            const AtomicKind *kind = &b->set.kinds[0];
            orr_devs_set_ports(b->model, kind->table.inputs, kind->n_inputs, NULL, 0);
            const orr_devs_part part = orr_devs_add(b->model, ORR_DEVS_ROOT, "a", &kind->table, params);
            for (uint32_t i = 0; i < kind->n_inputs; i++)
                orr_devs_couple(b->model, ORR_DEVS_ROOT, kind->inputs[i].name, part, kind->inputs[i].name);
            if (kind->n_params <= 8 && orr_devs_finish(b->model)) {
                orr_devs_options options = orr_devs_options_default();
                options.max_bags = 1000;
                b->run = orr_devs_run_create(b->model, &options, b->diag);
                for (int k = 1; b->run && k < 6 && kind->n_inputs == 1 && kind->table.inputs[0].size == 0;
                     k++)
                    orr_devs_run_send(b->run, k, 0, NULL);
                if (b->run && orr_devs_run_advance(b->run, 10) != ORR_STATUS_OK)
                    assert_true(orr_diag_errors(b->diag) > 0);
            }
        }
        bench_close(b);
    }
    assert_in_range(accepted, 150, 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atomic_generator_processor_transducer),
        cmocka_unit_test(test_atomic_time_is_kept_exactly),
        cmocka_unit_test(test_atomic_confluent_rules),
        cmocka_unit_test(test_atomic_confluent_sees_messages),
        cmocka_unit_test(test_atomic_arrays_of_records_and_queues),
        cmocka_unit_test(test_atomic_index_of_queues_is_checked),
        cmocka_unit_test(test_atomic_queue_without_bound_is_named),
        cmocka_unit_test(test_atomic_external_first_may_leave),
        cmocka_unit_test(test_atomic_bag_is_handled_in_order),
        cmocka_unit_test(test_atomic_expressions_queues_records),
        cmocka_unit_test(test_atomic_draws_are_the_same_in_both_tiers),
        cmocka_unit_test(test_atomic_failures_name_state_and_line),
        cmocka_unit_test(test_atomic_text_has_no_words_of_the_user),
        cmocka_unit_test(test_atomic_what_is_accepted_compiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

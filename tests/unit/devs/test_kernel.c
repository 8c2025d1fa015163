// tests/unit/devs/test_kernel.c: what happens when, in which order, with which elapsed time.
#include "bits.h"

// ---- Generator, processor, transducer

typedef struct Processor {
    int64_t job, is_busy;
} Processor;

static double processor_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return ((const Processor *)state)->is_busy ? 1 : (double)INFINITY;
}
static void processor_output(const void *state, const orr_devs_call *call)
{
    orr_devs_send(call, 0, &((const Processor *)state)->job);
}
static void processor_internal(void *state, const orr_devs_call *call)
{
    (void)call;
    ((Processor *)state)->is_busy = 0;
}
static void processor_external(void *state, const orr_devs_call *call, double elapsed,
                               const orr_devs_event *bag, size_t n)
{
    (void)call;
    (void)elapsed;
    (void)n;
    Processor *p = state;
    if (p->is_busy) return;    // this test never comes here
    p->job = *(const int64_t *)bag[0].value;
    p->is_busy = 1;
}
static const orr_atomic processor = {
    .version = ORR_DEVS_VERSION,
    .name = "processor",
    .inputs = number_in,
    .n_inputs = 1,
    .outputs = number_out,
    .n_outputs = 1,
    .state_size = sizeof(Processor),
    .advance = processor_advance,
    .output = processor_output,
    .internal = processor_internal,
    .external = processor_external,
};

typedef struct Transducer {
    double began[16], turnaround;
    int64_t n_arrived, n_solved, has_reported;
} Transducer;

static double transducer_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return ((const Transducer *)state)->has_reported ? (double)INFINITY : 5;
}
static void transducer_internal(void *state, const orr_devs_call *call)
{
    (void)call;
    ((Transducer *)state)->has_reported = 1;
}
static void transducer_external(void *state, const orr_devs_call *call, double elapsed,
                                const orr_devs_event *bag, size_t n)
{
    (void)elapsed;
    Transducer *t = state;
    if (t->has_reported) return;
    for (size_t i = 0; i < n; i++) {
        const int64_t job = *(const int64_t *)bag[i].value;
        if (bag[i].port == 0) {
            t->n_arrived++;
            t->began[job] = call->t;
        } else {
            t->n_solved++;
            t->turnaround += call->t - t->began[job];
        }
    }
}
static const orr_atomic transducer = {
    .version = ORR_DEVS_VERSION,
    .traits = ORR_ATOMIC_ABSOLUTE,
    .name = "transducer",
    .inputs = number_in,
    .n_inputs = 2,
    .state_size = sizeof(Transducer),
    .advance = transducer_advance,    // a point in time: messages do not put it off
    .internal = transducer_internal,
    .external = transducer_external,
};

static void test_kernel_generator_processor_transducer(void **state)
{
    (void)state;
    Bench b = bench_create();
    const orr_devs_part g = orr_devs_add(b.model, ORR_DEVS_ROOT, "generator", &clock_type,
                                         &(ClockParams){ 1, 1, 100 });
    const orr_devs_part p = orr_devs_add(b.model, ORR_DEVS_ROOT, "processor", &processor, NULL);
    const orr_devs_part t = orr_devs_add(b.model, ORR_DEVS_ROOT, "transducer", &transducer, NULL);
    orr_devs_couple(b.model, g, "out", p, "in");
    orr_devs_couple(b.model, g, "out", t, "in");
    orr_devs_couple(b.model, p, "out", t, "in2");
    bench_start(&b, false);
    assert_int_equal(orr_devs_run_advance(b.run, 20), ORR_STATUS_OK);
    const Transducer *report = bench_state(&b, t);
    assert_int_equal(report->n_arrived, 4);
    assert_int_equal(report->n_solved, 3);
    assert_near((double)report->n_solved / 5, 0.6, 0);
    assert_near(report->turnaround / (double)report->n_solved, 1, 0);
    assert_near(orr_devs_run_time(b.run), 20, 0);
    assert_near(orr_devs_run_next(b.run), 21, 0);
    bench_end(&b);
}

// ---- Confluent transitions

typedef struct Meeting {
    char story[32];
    double elapsed;
    int64_t is_over;
} Meeting;

static double meeting_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return ((const Meeting *)state)->is_over ? (double)INFINITY : 2;
}
static void meeting_internal(void *state, const orr_devs_call *call)
{
    (void)call;
    Meeting *m = state;
    strcat(m->story, "i");
    m->is_over = 1;
}
static void meeting_external(void *state, const orr_devs_call *call, double elapsed,
                             const orr_devs_event *bag, size_t n)
{
    (void)call;
    (void)bag;
    Meeting *m = state;
    for (size_t i = 0; i < n; i++) strcat(m->story, "e");
    m->elapsed = elapsed;
}
static void external_first(void *state, const orr_devs_call *call, const orr_devs_event *bag, size_t n)
{
    meeting_external(state, call, 2, bag, n);
    meeting_internal(state, call);
}
static void external_only(void *state, const orr_devs_call *call, const orr_devs_event *bag, size_t n)
{
    meeting_external(state, call, 2, bag, n);
    ((Meeting *)state)->is_over = 1;
}
static void of_its_own(void *state, const orr_devs_call *call, const orr_devs_event *bag, size_t n)
{
    (void)call;
    (void)bag;
    Meeting *m = state;
    snprintf(m->story, sizeof m->story, "c%zu", n);
    m->is_over = 1;
}

// Messages come at `when`, by `n` clocks; the component is due at 2.
static void meet(void (*confluent)(void *, const orr_devs_call *, const orr_devs_event *, size_t),
                 double when, uint32_t n, const char *story, double elapsed, uint64_t n_confluent)
{
    const orr_atomic type = {
        .version = ORR_DEVS_VERSION,
        .name = "meeting",
        .inputs = number_in,
        .n_inputs = 1,
        .state_size = sizeof(Meeting),
        .advance = meeting_advance,
        .internal = meeting_internal,
        .external = meeting_external,
        .confluent = confluent,
    };
    Bench b = bench_create();
    const orr_devs_part m = orr_devs_add(b.model, ORR_DEVS_ROOT, "meeting", &type, NULL);
    const orr_devs_part c = orr_devs_add_array(b.model, ORR_DEVS_ROOT, "clock", &clock_type, n,
                                               &(ClockParams){ when, 1, 1 }, 0);
    for (uint32_t i = 0; i < n; i++) orr_devs_couple(b.model, c + i, "out", m, "in");
    bench_start(&b, false);
    assert_int_equal(orr_devs_run_advance(b.run, 10), ORR_STATUS_OK);
    const Meeting *end = bench_state(&b, m);
    assert_string_equal(end->story, story);
    assert_near(end->elapsed, elapsed, 0);
    const orr_devs_facts facts = orr_devs_run_facts(b.run);
    assert_int_equal(facts.n_confluent, n_confluent);
    bench_end(&b);
}

static void test_kernel_confluent_in_each_combination(void **state)
{
    (void)state;
    meet(NULL, 2, 1, "ie", 0, 1);      // the default: internal, then external with elapsed time 0
    meet(NULL, 2, 3, "ieee", 0, 1);    // one bag of three
    meet(external_first, 2, 2, "eei", 2, 1);
    meet(external_only, 2, 2, "ee", 2, 1);
    meet(of_its_own, 2, 3, "c3", 0, 1);
    meet(of_its_own, 3, 1, "ie", 1, 0);    // a moment later there is nothing to decide
    meet(NULL, 3, 2, "iee", 1, 0);
    meet(of_its_own, 1.5, 1, "ei", 1.5, 0);    // before: due 2 after the message, as its time advance says
}

// ---- Times

static void test_kernel_elapsed_time_is_the_difference_of_times(void **state)
{
    (void)state;
    Bench b = bench_create();
    const double period = 0.1;
    const orr_devs_part c = orr_devs_add(b.model, ORR_DEVS_ROOT, "clock", &clock_type,
                                         &(ClockParams){ 0.3, period, 100 });
    const orr_devs_part s = orr_devs_add(b.model, ORR_DEVS_ROOT, "sink", &sink_type, NULL);
    orr_devs_couple(b.model, c, "out", s, "in");
    bench_start(&b, false);
    assert_int_equal(orr_devs_run_advance(b.run, 5), ORR_STATUS_OK);
    const Sink *sink = bench_state(&b, s);
    assert_int_equal(sink->n, 48);
    double before = 0;
    for (int i = 0; i < sink->n; i++) {
        const double t = 0.3 + (double)i * period;    // points in time stay exact: they are never summed up
        assert_same_bits(sink->times[i], t);
        assert_same_bits(sink->elapsed[i], t - before);
        before = t;
    }
    bench_end(&b);
}

// A message that is passed on by relays without delay arrives at the same instant, one bag later for each.
static void test_kernel_zero_time_advance_takes_a_bag_not_time(void **state)
{
    (void)state;
    Bench b = bench_create();
    const orr_devs_part c = orr_devs_add(b.model, ORR_DEVS_ROOT, "clock", &clock_type,
                                         &(ClockParams){ 1, 1, 1 });
    const orr_devs_part r = orr_devs_add_array(b.model, ORR_DEVS_ROOT, "relay", &relay_type, 3,
                                               &(double){ 0 }, 0);
    orr_devs_couple(b.model, c, "out", r + 1, "in");    // 2 → 1 → 3
    orr_devs_couple(b.model, r + 1, "out", r, "in");
    orr_devs_couple(b.model, r, "out", r + 2, "in");
    bench_start(&b, true);
    assert_int_equal(orr_devs_run_advance(b.run, 2), ORR_STATUS_OK);
    assert_string_equal(b.trace.p, "1/0 clock sent 0 1\n"
                                   "1/0 clock internal e=1 due=inf n=0\n"
                                   "1/0 relay[2] external e=1 due=1 n=1\n"
                                   "1/1 relay[2] sent 0 1\n"
                                   "1/1 relay[2] internal e=0 due=inf n=0\n"
                                   "1/1 relay[1] external e=1 due=1 n=1\n"
                                   "1/2 relay[1] sent 0 1\n"
                                   "1/2 relay[1] internal e=0 due=inf n=0\n"
                                   "1/2 relay[3] external e=1 due=1 n=1\n"
                                   "1/3 relay[3] sent 0 1\n"
                                   "1/3 relay[3] internal e=0 due=inf n=0\n");
    const orr_devs_facts facts = orr_devs_run_facts(b.run);
    assert_int_equal(facts.n_instants, 1);
    assert_int_equal(facts.n_bags, 4);
    assert_int_equal(facts.n_internal, 4);
    assert_int_equal(facts.n_external, 3);
    assert_int_equal(facts.n_messages, 4);
    assert_int_equal(facts.n_received, 3);
    bench_end(&b);
}

// Too small a time advance to change the time is a time advance of zero: nothing is lost or stuck.
static void test_kernel_an_advance_below_rounding_is_zero(void **state)
{
    (void)state;
    Bench b = bench_create();
    const orr_devs_part c = orr_devs_add(b.model, ORR_DEVS_ROOT, "clock", &clock_type,
                                         &(ClockParams){ 1e6, 1, 1 });
    const orr_devs_part r = orr_devs_add(b.model, ORR_DEVS_ROOT, "relay", &relay_type, &(double){ 1e-12 });
    const orr_devs_part s = orr_devs_add(b.model, ORR_DEVS_ROOT, "sink", &sink_type, NULL);
    orr_devs_couple(b.model, c, "out", r, "in");
    orr_devs_couple(b.model, r, "out", s, "in");
    bench_start(&b, false);
    assert_int_equal(orr_devs_run_advance(b.run, INFINITY), ORR_STATUS_OK);
    assert_int_equal(((const Sink *)bench_state(&b, s))->n, 1);
    assert_near(((const Sink *)bench_state(&b, s))->times[0], 1e6, 0);
    assert_true(isinf(orr_devs_run_next(b.run)));
    assert_near(orr_devs_run_time(b.run), 1e6, 0);
    bench_end(&b);
}

// ---- Order

typedef struct Chatter {
    int64_t id;
} Chatter;
static void chatter_init(void *state, const void *params, const orr_devs_call *call)
{
    (void)call;
    ((Chatter *)state)->id = *(const int64_t *)params;
}
static double chatter_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return ((const Chatter *)state)->id >= 0 ? 1 : (double)INFINITY;
}
// Two at port 1, then two at port 0, then one more at port 1.
static void chatter_output(const void *state, const orr_devs_call *call)
{
    const int64_t id = ((const Chatter *)state)->id;
    for (int64_t i = 0; i < 5; i++) {
        const int64_t number = 10 * id + i;
        orr_devs_send(call, i == 2 || i == 3 ? 0 : 1, &number);
    }
}
static void chatter_internal(void *state, const orr_devs_call *call)
{
    (void)call;
    ((Chatter *)state)->id = -1;
}
static const orr_atomic chatter = {
    .version = ORR_DEVS_VERSION,
    .name = "chatter",
    .outputs = number_out,
    .n_outputs = 2,
    .params_size = sizeof(int64_t),
    .state_size = sizeof(Chatter),
    .init = chatter_init,
    .advance = chatter_advance,
    .output = chatter_output,
    .internal = chatter_internal,
};

// Sender by name, digits as numbers; then port of the sender; then order of sending. Whatever order they
// are added in, and whatever input it goes to.
static void test_kernel_orders_a_bag_by_sender_port_and_sending(void **state)
{
    (void)state;
    static const char *const names[] = { "a2", "a10", "b", "B" };
    static const int64_t by_name[] = { 3, 0, 1, 2 };    // B, a2, a10, b
    for (int turn = 0; turn < 4; turn++) {
        Bench b = bench_create();
        orr_devs_part part[4], sink = 0;
        if (turn % 2) sink = orr_devs_add(b.model, ORR_DEVS_ROOT, "sink", &sink_type, NULL);
        for (int k = 0; k < 4; k++) {
            const int64_t i = (k + turn) % 4;
            part[i] = orr_devs_add(b.model, ORR_DEVS_ROOT, names[i], &chatter, &i);
        }
        if (turn % 2 == 0) sink = orr_devs_add(b.model, ORR_DEVS_ROOT, "sink", &sink_type, NULL);
        for (int k = 3; k >= 0; k--) {
            orr_devs_couple(b.model, part[(k + turn) % 4], "out", sink, "in2");
            orr_devs_couple(b.model, part[(k + turn) % 4], "out2", sink, "in");
        }
        bench_start(&b, false);
        assert_int_equal(orr_devs_run_advance(b.run, 2), ORR_STATUS_OK);
        const Sink *s = bench_state(&b, sink);
        assert_int_equal(s->n, 20);
        for (int k = 0; k < 20; k++) {
            static const int64_t order[] = { 2, 3, 0, 1, 4 };
            assert_int_equal(s->numbers[k], 10 * by_name[k / 5] + order[k % 5]);
            assert_int_equal(s->ports[k], k % 5 < 2 ? 1 : 0);
            assert_int_equal(s->senders[k], k / 5);
        }
        bench_end(&b);
    }
}

// ---- From and to outside

typedef struct Heard {
    double t[20];
    int64_t number[20];
    uint32_t port[20];
    size_t n, calls;
} Heard;

static void hear(void *context, double t, const orr_devs_event *bag, size_t n)
{
    Heard *h = context;
    h->calls++;
    for (size_t i = 0; i < n && h->n < 20; i++, h->n++) {
        h->t[h->n] = t;
        h->number[h->n] = *(const int64_t *)bag[i].value;
        h->port[h->n] = bag[i].port;
    }
}

static void test_kernel_is_coupled_with_its_caller(void **state)
{
    (void)state;
    Bench b = bench_create();
    orr_devs_set_ports(b.model, number_in, 2, number_out, 2);
    const orr_devs_part r = orr_devs_add(b.model, ORR_DEVS_ROOT, "relay", &relay_type, &(double){ 0.5 });
    orr_devs_couple(b.model, ORR_DEVS_ROOT, "in", r, "in");
    orr_devs_couple(b.model, r, "out", ORR_DEVS_ROOT, "out2");
    orr_devs_couple(b.model, ORR_DEVS_ROOT, "in2", ORR_DEVS_ROOT, "out");    // straight through
    assert_true(orr_devs_finish(b.model));
    Heard heard = { 0 };
    orr_devs_options options = orr_devs_options_default();
    options.output = hear;
    options.output_context = &heard;
    options.t_start = -1;
    b.run = orr_devs_run_create(b.model, &options, b.diag);
    // not in the order of time; two at one time
    const int64_t numbers[] = { 1, 2, 3, 4 };
    assert_true(orr_devs_run_send(b.run, 3, 0, &numbers[0]));
    assert_true(orr_devs_run_send(b.run, 1, 0, &numbers[1]));
    assert_true(orr_devs_run_send(b.run, 1, 0, &numbers[2]));
    assert_true(orr_devs_run_send(b.run, 1, 1, &numbers[3]));
    assert_false(orr_devs_run_send(b.run, 1, 2, &numbers[3]));     // no such port
    assert_false(orr_devs_run_send(b.run, -2, 0, &numbers[3]));    // in the past
    assert_false(orr_devs_run_send(b.run, NAN, 0, &numbers[3]));
    assert_false(orr_devs_run_send(b.run, INFINITY, 0, &numbers[3]));
    assert_near(orr_devs_run_next(b.run), 1, 0);
    assert_int_equal(orr_devs_run_advance(b.run, 2), ORR_STATUS_OK);
    assert_int_equal(orr_devs_run_advance(b.run, 10), ORR_STATUS_OK);
    assert_int_equal(heard.calls, 3);
    assert_int_equal(heard.n, 3);
    assert_near(heard.t[0], 1, 0);
    assert_int_equal(heard.number[0], 4);
    assert_int_equal(heard.port[0], 0);
    assert_near(heard.t[1], 1.5, 0);
    assert_int_equal(heard.number[1], 2);    // the first sent of the two
    assert_int_equal(heard.port[1], 1);
    assert_near(heard.t[2], 3.5, 0);
    assert_int_equal(heard.number[2], 1);
    const orr_devs_facts facts = orr_devs_run_facts(b.run);
    assert_int_equal(facts.n_bags, 4);    // what comes at one time comes in one bag
    assert_int_equal(facts.n_instants, 4);
    bench_end(&b);
}

static void test_kernel_steps_bag_by_bag_and_stops_on_request(void **state)
{
    (void)state;
    Bench b = bench_create();
    orr_devs_add(b.model, ORR_DEVS_ROOT, "clock", &clock_type, &(ClockParams){ 1, 1, 5 });
    assert_true(orr_devs_finish(b.model));
    volatile int cancel = 0;
    orr_devs_options options = orr_devs_options_default();
    options.cancel = &cancel;
    b.run = orr_devs_run_create(b.model, &options, b.diag);
    int done = 0;
    assert_int_equal(orr_devs_run_step(b.run, 0.5, &done), ORR_STATUS_OK);
    assert_false(done);
    assert_int_equal(orr_devs_run_step(b.run, 5, &done), ORR_STATUS_OK);
    assert_true(done);
    assert_near(orr_devs_run_time(b.run), 1, 0);
    assert_near(orr_devs_run_due(b.run, 0), 2, 0);
    cancel = 1;
    assert_int_equal(orr_devs_run_advance(b.run, 5), ORR_STATUS_CANCELLED);
    assert_near(orr_devs_run_time(b.run), 1, 0);
    cancel = 0;
    assert_int_equal(orr_devs_run_advance(b.run, 7), ORR_STATUS_OK);
    assert_near(orr_devs_run_time(b.run), 7, 0);
    assert_true(isinf(orr_devs_run_due(b.run, 0)));
    bench_end(&b);
}

// ---- What goes wrong

static void circle(Bench *b, uint32_t n, double last_delay)
{
    const orr_devs_part c = orr_devs_add(b->model, ORR_DEVS_ROOT, "clock", &clock_type,
                                         &(ClockParams){ 1, 1, 1 });
    orr_devs_part first = 0, before = 0;
    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "relay%u", i);
        const double delay = i == n - 1 ? last_delay : 0;
        const orr_devs_part r = orr_devs_add(b->model, ORR_DEVS_ROOT, name, &relay_type, &delay);
        if (i == 0) first = r;
        else orr_devs_couple(b->model, before, "out", r, "in");
        before = r;
    }
    orr_devs_couple(b->model, c, "out", first, "in");
    orr_devs_couple(b->model, before, "out", first, "in");
    bench_start(b, false);
}

static void test_kernel_names_the_circle_of_an_endless_chain(void **state)
{
    (void)state;
    Bench b = bench_create();
    circle(&b, 3, 0);
    assert_int_equal(orr_devs_run_advance(b.run, 2), ORR_STATUS_FAILED);
    bench_complains(&b, "E531", "t = 1,");
    assert_contains(orr_diag_get(b.diag, 0).text, "'relay0' → 'relay1' → 'relay2' → 'relay0'");
    assert_int_equal(orr_devs_run_advance(b.run, 3), ORR_STATUS_FAILED);    // it stands
    assert_near(orr_devs_run_time(b.run), 1, 0);
    bench_end(&b);

    // with a delay somewhere it goes on for ever, as it should
    b = bench_create();
    circle(&b, 3, 0.25);
    assert_int_equal(orr_devs_run_advance(b.run, 2000), ORR_STATUS_OK);
    bench_end(&b);

    // a long circle is cut short in the message
    b = bench_create();
    circle(&b, 300, 0);
    assert_int_equal(orr_devs_run_advance(b.run, 2), ORR_STATUS_FAILED);
    bench_complains(&b, "E531", "'relay7' → … (300 components) → 'relay0'");
    bench_end(&b);
}

// A chain that is only long is none of this: 990 bags at one instant, where 1000 are allowed.
static void test_kernel_long_chains_are_allowed(void **state)
{
    (void)state;
    Bench b = bench_create();
    const orr_devs_part c = orr_devs_add(b.model, ORR_DEVS_ROOT, "clock", &clock_type,
                                         &(ClockParams){ 1, 1, 2 });
    const orr_devs_part r = orr_devs_add_array(b.model, ORR_DEVS_ROOT, "relay", &relay_type, 990,
                                               &(double){ 0 }, 0);
    orr_devs_couple(b.model, c, "out", r, "in");
    for (uint32_t i = 0; i + 1 < 990; i++) orr_devs_couple(b.model, r + i, "out", r + i + 1, "in");
    bench_start(&b, false);
    assert_int_equal(orr_devs_run_advance(b.run, 5), ORR_STATUS_OK);
    assert_int_equal(((const Relay *)bench_state(&b, r + 989))->n_internal, 2);
    bench_end(&b);
}

static double always_zero(const void *state, const orr_devs_call *call)
{
    (void)state;
    (void)call;
    return 0;
}
static void do_nothing(void *state, const orr_devs_call *call)
{
    (void)state;
    (void)call;
}

static void test_kernel_names_who_is_due_again_at_once(void **state)
{
    (void)state;
    const orr_atomic restless = {
        .version = ORR_DEVS_VERSION, .name = "restless", .advance = always_zero, .internal = do_nothing
    };
    Bench b = bench_create();
    orr_devs_add(b.model, ORR_DEVS_ROOT, "clock", &clock_type, &(ClockParams){ 0, 1, 9 });
    orr_devs_add(b.model, ORR_DEVS_ROOT, "fidget", &restless, NULL);
    bench_start(&b, false);
    assert_int_equal(orr_devs_run_advance(b.run, 2), ORR_STATUS_FAILED);
    bench_complains(&b, "E531", ": 'fidget' is due again at once");
    bench_end(&b);
}

typedef struct Odd {
    int64_t kind, has_begun;
} Odd;
static void odd_init(void *state, const void *params, const orr_devs_call *call)
{
    (void)call;
    ((Odd *)state)->kind = *(const int64_t *)params;
}
static double odd_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    const Odd *o = state;
    if (!o->has_begun) return 3;
    return o->kind == 0 ? -0.5 : o->kind == 1 ? NAN : (double)INFINITY;
}
static void odd_output(const void *state, const orr_devs_call *call)
{
    const int64_t number = 1;
    if (((const Odd *)state)->kind == 2) orr_devs_send(call, 1, &number);
}
static void odd_internal(void *state, const orr_devs_call *call)
{
    Odd *o = state;
    o->has_begun = 1;
    if (o->kind == 3) orr_devs_send(call, 0, &o->kind);
    if (o->kind == 4) orr_devs_fail(call, "it has had enough");
}
static const orr_atomic odd = {
    .version = ORR_DEVS_VERSION,
    .name = "odd",
    .outputs = number_out,
    .n_outputs = 1,
    .params_size = sizeof(int64_t),
    .state_size = sizeof(Odd),
    .init = odd_init,
    .advance = odd_advance,
    .output = odd_output,
    .internal = odd_internal,
};

static void test_kernel_names_who_does_something_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *code, *text;
    } expected[] = {
        { "E530", "'shop.odd[2]' asked at t = 3 for a time advance of -0.5" },
        { "E530", "'shop.odd[2]' asked at t = 3 for a time advance of nan" },
        { "E532", "'shop.odd[2]' failed at t = 3: it sends at a port it does not have" },
        { "E532", "'shop.odd[2]' failed at t = 3: it sends from another function" },
        { "E532", "'shop.odd[2]' failed at t = 3: it has had enough" },
    };
    for (int64_t kind = 0; kind < 5; kind++) {
        Bench b = bench_create();
        const orr_devs_part shop = orr_devs_add_coupled(b.model, ORR_DEVS_ROOT, "shop", NULL, 0, NULL, 0);
        orr_devs_add_array(b.model, shop, "odd", &odd, 3, (int64_t[]){ 9, kind, 9 }, sizeof(int64_t));
        bench_start(&b, false);
        assert_int_equal(orr_devs_run_advance(b.run, 2), ORR_STATUS_OK);
        assert_int_equal(orr_devs_run_advance(b.run, 5), ORR_STATUS_FAILED);
        bench_complains(&b, expected[kind].code, expected[kind].text);
        assert_near(orr_devs_run_time(b.run), 3, 0);
        bench_end(&b);
    }
}

static void test_kernel_refuses_a_due_time_that_has_passed(void **state)
{
    (void)state;
    Bench b = bench_create();
    orr_devs_add(b.model, ORR_DEVS_ROOT, "clock", &clock_type, &(ClockParams){ 4, -1, 3 });
    bench_start(&b, false);
    assert_int_equal(orr_devs_run_advance(b.run, 9), ORR_STATUS_FAILED);
    bench_complains(&b, "E530", "'clock' asked at t = 4 to be due at 3");
    bench_end(&b);

    b = bench_create();    // at the start already: there is no run
    orr_devs_add(b.model, ORR_DEVS_ROOT, "clock", &clock_type, &(ClockParams){ -1, 1, 3 });
    assert_true(orr_devs_finish(b.model));
    const orr_devs_options options = orr_devs_options_default();
    assert_null(orr_devs_run_create(b.model, &options, b.diag));
    bench_complains(&b, "E530", "'clock' asked at t = 0 to be due at -1");
    bench_end(&b);
}

// ---- Periods: sums of one meet sums of another

static double beat_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return *(const double *)state;
}
static void beat_init(void *state, const void *params, const orr_devs_call *call)
{
    (void)call;
    *(double *)state = *(const double *)params;
}
static void beat_output(const void *state, const orr_devs_call *call) { orr_devs_send(call, 0, state); }
static const orr_atomic beat = {
    .version = ORR_DEVS_VERSION,
    .name = "beat",
    .outputs = number_out,
    .n_outputs = 1,
    .params_size = sizeof(double),
    .state_size = sizeof(double),
    .init = beat_init,
    .advance = beat_advance,
    .output = beat_output,
};

// Counts bags by what is in them: 1: in, 2: in2, 3: both.
static double never(const void *state, const orr_devs_call *call)
{
    (void)state;
    (void)call;
    return (double)INFINITY;
}
static void pairs_external(void *state, const orr_devs_call *call, double elapsed, const orr_devs_event *bag,
                           size_t n)
{
    (void)call;
    (void)elapsed;
    uint32_t what = 0;
    for (size_t i = 0; i < n; i++) what |= 1u << bag[i].port;
    ((int64_t *)state)[what]++;
}
static const orr_atomic pairs = {
    .version = ORR_DEVS_VERSION,
    .name = "pairs",
    .inputs = number_in,
    .n_inputs = 2,
    .state_size = 4 * sizeof(int64_t),
    .advance = never,
    .external = pairs_external,
};

static void test_kernel_lets_sums_of_periods_meet(void **state)
{
    (void)state;
    // 0.1, 0.3 and 0.7 to 2100, then to 21000: who meets whom is a matter of whole numbers
    Bench b = bench_create();
    const double periods[3] = { 0.1, 0.3, 0.7 };
    const orr_devs_part x = orr_devs_add(b.model, ORR_DEVS_ROOT, "x", &beat, &periods[0]);
    const orr_devs_part y = orr_devs_add(b.model, ORR_DEVS_ROOT, "y", &beat, &periods[1]);
    const orr_devs_part z = orr_devs_add(b.model, ORR_DEVS_ROOT, "z", &beat, &periods[2]);
    const orr_devs_part xy = orr_devs_add(b.model, ORR_DEVS_ROOT, "xy", &pairs, NULL);
    const orr_devs_part yz = orr_devs_add(b.model, ORR_DEVS_ROOT, "yz", &pairs, NULL);
    orr_devs_couple(b.model, x, "out", xy, "in");
    orr_devs_couple(b.model, y, "out", xy, "in2");
    orr_devs_couple(b.model, y, "out", yz, "in");
    orr_devs_couple(b.model, z, "out", yz, "in2");
    bench_start(&b, false);
    for (int64_t tenths = 21000; tenths <= 210000; tenths += 189000) {
        assert_int_equal(orr_devs_run_advance(b.run, (double)(tenths / 10)), ORR_STATUS_OK);
        const int64_t *n_xy = bench_state(&b, xy), *n_yz = bench_state(&b, yz);
        assert_int_equal(n_xy[3], tenths / 3);
        assert_int_equal(n_xy[2], 0);
        assert_int_equal(n_xy[1], tenths - tenths / 3);
        assert_int_equal(n_yz[3], tenths / 21);
        assert_int_equal(n_yz[2], tenths / 7 - tenths / 21);
        assert_int_equal(n_yz[1], tenths / 3 - tenths / 21);
    }
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel_generator_processor_transducer),
        cmocka_unit_test(test_kernel_confluent_in_each_combination),
        cmocka_unit_test(test_kernel_elapsed_time_is_the_difference_of_times),
        cmocka_unit_test(test_kernel_zero_time_advance_takes_a_bag_not_time),
        cmocka_unit_test(test_kernel_an_advance_below_rounding_is_zero),
        cmocka_unit_test(test_kernel_orders_a_bag_by_sender_port_and_sending),
        cmocka_unit_test(test_kernel_is_coupled_with_its_caller),
        cmocka_unit_test(test_kernel_steps_bag_by_bag_and_stops_on_request),
        cmocka_unit_test(test_kernel_names_the_circle_of_an_endless_chain),
        cmocka_unit_test(test_kernel_long_chains_are_allowed),
        cmocka_unit_test(test_kernel_names_who_is_due_again_at_once),
        cmocka_unit_test(test_kernel_names_who_does_something_wrong),
        cmocka_unit_test(test_kernel_refuses_a_due_time_that_has_passed),
        cmocka_unit_test(test_kernel_lets_sums_of_periods_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

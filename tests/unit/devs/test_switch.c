// tests/unit/devs/test_switch.c: components and couplings switched off and on during a run.
#include "bits.h"
#include "num/random.h"

// ---- An executive: at whole times it does what its list says

enum { ORDERS_MAX = 8 };
typedef struct Order {
    double t;
    uint32_t number;    // of a part or a coupling
    int32_t what;       // orr_devs_presence; 10: the coupling off, 11: on
} Order;
typedef struct Orders {
    Order list[ORDERS_MAX];
    int64_t n;
    int64_t from_output;    // a mistake
} Orders;
typedef struct Executive {
    Orders orders;
    int64_t done;
} Executive;

static void executive_init(void *state, const void *params, const orr_devs_call *call)
{
    (void)call;
    ((Executive *)state)->orders = *(const Orders *)params;
}
static double executive_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    const Executive *e = state;
    return e->done < e->orders.n ? e->orders.list[e->done].t : (double)INFINITY;
}
static void give(const Order *order, const orr_devs_call *call)
{
    if (order->what >= 10) orr_devs_switch_coupling(call, order->number, order->what - 10);
    else orr_devs_switch(call, order->number, (orr_devs_presence)order->what);
}
static void executive_output(const void *state, const orr_devs_call *call)
{
    const Executive *e = state;
    if (e->orders.from_output) give(&e->orders.list[e->done], call);
}
static void executive_internal(void *state, const orr_devs_call *call)
{
    Executive *e = state;
    do give(&e->orders.list[e->done++], call);
    while (e->done < e->orders.n && e->orders.list[e->done].t == call->t);
}
static const orr_atomic executive = {
    .version = ORR_DEVS_VERSION,
    .traits = ORR_ATOMIC_ABSOLUTE,
    .name = "executive",
    .params_size = sizeof(Orders),
    .state_size = sizeof(Executive),
    .init = executive_init,
    .advance = executive_advance,
    .output = executive_output,
    .internal = executive_internal,
};

static const ClockParams every_second = { .first = 1, .period = 1, .n = 100 };

// clock → relay (delay 0.5) → sink, which is a relay with an endless delay
typedef struct Line {
    orr_devs_part clock, relay, sink;
    orr_devs_coupling first, second;
} Line;
static Line add_line(Bench *b)
{
    static const double half = 0.5, never = INFINITY;
    Line line;
    line.clock = orr_devs_add(b->model, ORR_DEVS_ROOT, "clock", &clock_type, &every_second);
    line.relay = orr_devs_add(b->model, ORR_DEVS_ROOT, "relay", &relay_type, &half);
    line.sink = orr_devs_add(b->model, ORR_DEVS_ROOT, "sink", &relay_type, &never);
    line.first = orr_devs_couple(b->model, line.clock, "out", line.relay, "in");
    line.second = orr_devs_couple(b->model, line.relay, "out", line.sink, "in");
    return line;
}

static int64_t n_external(const Bench *b, orr_devs_part part)
{
    return ((const Relay *)bench_state(b, part))->n_external;
}

static void test_switch_off_and_on_as_traced(void **state)
{
    (void)state;
    Bench b = bench_create();
    const Line line = add_line(&b);
    // off while it is busy with 2; on again between two ticks: it is busy with 2 from then on
    const Orders orders = { .list = { { 2.25, line.relay, ORR_DEVS_OFF }, { 4.25, line.relay, ORR_DEVS_ON } },
                            .n = 2 };
    orr_devs_add(b.model, ORR_DEVS_ROOT, "executive", &executive, &orders);
    bench_start(&b, true);
    assert_int_equal(orr_devs_run_advance(b.run, 4.9), ORR_STATUS_OK);
    assert_string_equal(str_finish(&b.trace), "1/0 clock sent 0 1\n"
                                              "1/0 clock internal e=1 due=2 n=0\n"
                                              "1/0 relay external e=1 due=1.5 n=1\n"
                                              "1.5/0 relay sent 0 1\n"
                                              "1.5/0 relay internal e=0.5 due=inf n=0\n"
                                              "1.5/0 sink external e=1.5 due=inf n=1\n"
                                              "2/0 clock sent 0 2\n"
                                              "2/0 clock internal e=1 due=3 n=0\n"
                                              "2/0 relay external e=0.5 due=2.5 n=1\n"
                                              "2.25/0 executive internal e=2.25 due=4.25 n=0\n"
                                              "2.25/0 relay switched 0\n"
                                              "3/0 clock sent 0 3\n"
                                              "3/0 clock internal e=1 due=4 n=0\n"
                                              "4/0 clock sent 0 4\n"
                                              "4/0 clock internal e=1 due=5 n=0\n"
                                              "4.25/0 executive internal e=2 due=inf n=0\n"
                                              "4.25/0 relay switched 1\n"
                                              "4.75/0 relay sent 0 2\n"
                                              "4.75/0 relay internal e=0.5 due=inf n=0\n"
                                              "4.75/0 sink external e=3.25 due=inf n=1\n");
    // messages that reached nobody are sent, but not received
    const orr_devs_facts facts = orr_devs_run_facts(b.run);
    assert_int_equal(facts.n_messages, 6);
    assert_int_equal(facts.n_received, 4);
    bench_end(&b);
}

static void test_switch_takes_effect_behind_the_bag(void **state)
{
    (void)state;
    Bench b = bench_create();
    const Line line = add_line(&b);
    // at 2 the clock sends, and the relay still gets it; it never answers
    const Orders orders = { .list = { { 2, line.relay, ORR_DEVS_OFF } }, .n = 1 };
    orr_devs_add(b.model, ORR_DEVS_ROOT, "executive", &executive, &orders);
    bench_start(&b, false);
    orr_devs_run_advance(b.run, 10);
    assert_int_equal(n_external(&b, line.relay), 2);
    assert_int_equal(n_external(&b, line.sink), 1);
    // of several orders at one instant the last one holds
    bench_end(&b);
    b = bench_create();
    const Line other = add_line(&b);
    const Orders three = { .list = { { 2, other.relay, ORR_DEVS_OFF },
                                     { 2, other.relay, ORR_DEVS_ON },
                                     { 2, other.sink, ORR_DEVS_ON },
                                     { 2, other.sink, ORR_DEVS_OFF } },
                           .n = 4 };
    orr_devs_add(b.model, ORR_DEVS_ROOT, "executive", &executive, &three);
    bench_start(&b, false);
    orr_devs_run_advance(b.run, 10);
    assert_int_equal(n_external(&b, other.relay), 10);
    assert_int_equal(n_external(&b, other.sink), 1);
    bench_end(&b);
}

static void test_switch_as_new_begins_again(void **state)
{
    (void)state;
    Bench b = bench_create();
    const Line line = add_line(&b);
    const Orders orders = {
        .list = { { 3.75, line.relay, ORR_DEVS_AS_NEW }, { 5.5, line.clock, ORR_DEVS_AS_NEW } }, .n = 2
    };
    orr_devs_add(b.model, ORR_DEVS_ROOT, "executive", &executive, &orders);
    bench_start(&b, false);
    orr_devs_run_advance(b.run, 4.9);
    assert_int_equal(n_external(&b, line.relay), 1);    // that of 4
    // a clock that begins again has missed 1, 2, … 5: its first time has passed, so it is due at once; the
    // next one, in the past, is an error that names it
    assert_int_equal(orr_devs_run_advance(b.run, 9), ORR_STATUS_FAILED);
    bench_complains(&b, "E530", "'clock'");
    bench_end(&b);
}

static void test_switch_arrays_and_coupled_components_as_a_whole(void **state)
{
    (void)state;
    static const double half = 0.5;
    Bench b = bench_create();
    const orr_devs_part clock = orr_devs_add(b.model, ORR_DEVS_ROOT, "clock", &clock_type, &every_second);
    const orr_devs_part shop =
        orr_devs_add_coupled(b.model, ORR_DEVS_ROOT, "shop", number_in, 1, number_out, 1);
    const orr_devs_part inner = orr_devs_add_coupled(b.model, shop, "inner", number_in, 1, number_out, 1);
    const orr_devs_part relays = orr_devs_add_array(b.model, inner, "r", &relay_type, 3, &half, 0);
    const orr_devs_part beside = orr_devs_add(b.model, shop, "zbeside", &relay_type, &half);
    orr_devs_couple(b.model, clock, "out", shop, "in");
    const orr_devs_coupling into = orr_devs_couple(b.model, shop, "in", inner, "in");
    for (uint32_t i = 0; i < 3; i++) orr_devs_couple(b.model, inner, "in", relays + i, "in");
    const orr_devs_coupling on = orr_devs_couple(b.model, relays, "out", inner, "out");
    orr_devs_couple(b.model, inner, "out", beside, "in");
    orr_devs_set_switched(b.model, into, 1);
    orr_devs_set_switched(b.model, on, 0);    // begins off
    orr_devs_set_off(b.model, relays + 2);
    const Orders orders = { .list = { { 2.75, inner, ORR_DEVS_OFF },
                                      { 4.75, inner, ORR_DEVS_ON },    // the third one, too
                                      { 6.75, into, 10 },
                                      { 8.75, into, 11 },
                                      { 8.75, on, 11 } },
                            .n = 5 };
    orr_devs_add(b.model, ORR_DEVS_ROOT, "a", &executive, &orders);
    bench_start(&b, false);
    orr_devs_run_advance(b.run, 2.9);
    assert_int_equal(n_external(&b, relays), 2);
    assert_int_equal(n_external(&b, relays + 2), 0);
    orr_devs_run_advance(b.run, 4.9);
    assert_int_equal(n_external(&b, relays + 1), 2);
    orr_devs_run_advance(b.run, 6.9);
    assert_int_equal(n_external(&b, relays + 1), 4);
    assert_int_equal(n_external(&b, relays + 2), 2);
    assert_int_equal(n_external(&b, beside), 0);

    // saved here, with one gate off and one on the way, it goes on like this one
    const size_t size = orr_devs_run_size(b.run);
    void *bytes = malloc(size), *end = malloc(size), *other_end = malloc(size);
    orr_devs_run_save(b.run, bytes);
    orr_devs_run_advance(b.run, 10.9);
    assert_int_equal(n_external(&b, relays + 1), 6);    // 9 and 10
    assert_int_equal(n_external(&b, beside), 2);
    orr_devs_options options = orr_devs_options_default();
    options.max_bags = 1000;
    orr_devs_run *other = orr_devs_run_create(b.model, &options, b.diag);
    orr_devs_run_switch(other, beside, ORR_DEVS_OFF);
    assert_true(orr_devs_run_load(other, bytes, size));
    orr_devs_run_advance(other, 10.9);
    assert_int_equal(orr_devs_run_size(other), size);
    orr_devs_run_save(b.run, end);
    orr_devs_run_save(other, other_end);
    assert_memory_equal(end, other_end, size);
    for (size_t n = 0; n < size; n += 8) assert_false(orr_devs_run_load(other, bytes, n));
    free(bytes);
    free(end);
    free(other_end);
    orr_devs_run_destroy(other);
    bench_end(&b);
}

// Random numbers of one that begins again are others; those of its neighbours stay as they were.
static void drawer_init(void *state, const void *params, const orr_devs_call *call)
{
    (void)params;
    orr_random stream = orr_devs_random(call, "first");
    *(double *)state = random_unit(&stream);
}
static double drawer_advance(const void *state, const orr_devs_call *call)
{
    (void)state;
    (void)call;
    return (double)INFINITY;
}
static const orr_atomic drawer = { .version = ORR_DEVS_VERSION,
                                   .name = "drawer",
                                   .state_size = sizeof(double),
                                   .init = drawer_init,
                                   .advance = drawer_advance };

static void test_switch_as_new_draws_other_numbers(void **state)
{
    (void)state;
    Bench b = bench_create();
    const orr_devs_part part = orr_devs_add(b.model, ORR_DEVS_ROOT, "d", &drawer, NULL);
    bench_start(&b, false);
    double seen[3];
    for (int i = 0; i < 3; i++) {
        seen[i] = *(const double *)bench_state(&b, part);
        assert_true(orr_devs_run_switch(b.run, part, ORR_DEVS_AS_NEW));
    }
    assert_true(seen[0] != seen[1] && seen[1] != seen[2] && seen[0] != seen[2]);
    bench_end(&b);
}

static void expect_failure(Order order, int from_output, const char *text)
{
    Bench b = bench_create();
    add_line(&b);
    const Orders orders = { .list = { order }, .n = 1, .from_output = from_output };
    orr_devs_add(b.model, ORR_DEVS_ROOT, "executive", &executive, &orders);
    bench_start(&b, false);
    assert_int_equal(orr_devs_run_advance(b.run, 5), ORR_STATUS_FAILED);
    bench_complains(&b, "E532", text);
    bench_end(&b);
}

static void test_switch_names_what_is_wrong(void **state)
{
    (void)state;
    expect_failure((Order){ 2, 1, ORR_DEVS_OFF }, 1, "another function");
    expect_failure((Order){ 2, 99, ORR_DEVS_OFF }, 0, "'executive'");
    expect_failure((Order){ 2, 0, ORR_DEVS_OFF }, 0, "does not exist");
    expect_failure((Order){ 2, 0, 10 }, 0, "not declared as switched");

    Bench b = bench_create();
    const Line line = add_line(&b);
    orr_devs_set_switched(b.model, 17, 1);
    assert_false(orr_devs_finish(b.model));
    bench_complains(&b, "E150", "coupling");
    bench_end(&b);
    (void)line;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switch_off_and_on_as_traced),
        cmocka_unit_test(test_switch_takes_effect_behind_the_bag),
        cmocka_unit_test(test_switch_as_new_begins_again),
        cmocka_unit_test(test_switch_arrays_and_coupled_components_as_a_whole),
        cmocka_unit_test(test_switch_as_new_draws_other_numbers),
        cmocka_unit_test(test_switch_names_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

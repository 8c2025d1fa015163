// tests/unit/devs/test_queues.c: queues against queueing theory, within confidence intervals of
// replications.
//
// Random streams are fixed, so these tests never fail by chance; a mistake of some percent in a rate, a
// service, an order or a time would lie outside the intervals.
#include "bits.h"
#include "num/random.h"

static const orr_devs_port job_in[] = { { "job", "job", 8, 0 } };
static const orr_devs_port job_out[] = { { "done", "job", 8, 0 }, { "again", "job", 8, 0 } };

// ---- Where jobs come from: exponential times between them; a job is the time it began

typedef struct Source {
    double mean, due;
    orr_random random;
} Source;

static void source_init(void *state, const void *params, const orr_devs_call *call)
{
    Source *s = state;
    s->mean = *(const double *)params;
    s->random = orr_devs_random(call, "gaps");
    s->due = call->t + random_exponential(&s->random, s->mean);
}
static double source_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return ((const Source *)state)->due;
}
static void source_output(const void *state, const orr_devs_call *call)
{
    orr_devs_send(call, 0, &call->t);
    (void)state;
}
static void source_internal(void *state, const orr_devs_call *call)
{
    Source *s = state;
    s->due = call->t + random_exponential(&s->random, s->mean);
}
static const orr_atomic source = {
    .version = ORR_DEVS_VERSION,
    .traits = ORR_ATOMIC_ABSOLUTE,
    .name = "source",
    .outputs = job_out,
    .n_outputs = 1,
    .params_size = sizeof(double),
    .state_size = sizeof(Source),
    .init = source_init,
    .advance = source_advance,
    .output = source_output,
    .internal = source_internal,
};

// ---- A station: a queue in order of arrival and some servers

enum { SERVERS_MAX = 4, QUEUE_MAX = 4096 };
typedef struct StationParams {
    int n_servers;
    double mean, shape;    // of the service: a gamma distribution; 1: exponential
    double again;          // how often a job leaves by the second port
    double from;           // statistics from this time on
} StationParams;
typedef struct Station {
    StationParams p;
    orr_random service, route;
    double due[SERVERS_MAX], job[SERVERS_MAX], queue[QUEUE_MAX];
    double area, last,
        sojourn;    // ∫ jobs dt since p.from; sum of times of those that left by the first port
    int first, n_queue, n_busy, next, goes_again;
    long n_left;
} Station;

static void choose_next(Station *s)
{
    s->next = 0;
    for (int i = 1; i < s->p.n_servers; i++)
        if (s->due[i] < s->due[s->next]) s->next = i;
}
static void count(Station *s, double t)
{
    if (t > s->p.from) s->area += (t - fmax(s->last, s->p.from)) * (s->n_queue + s->n_busy);
    s->last = t;
}
static void serve(Station *s, int server, double job, double t)
{
    s->job[server] = job;
    s->due[server] = t + random_gamma(&s->service, s->p.shape, s->p.mean / s->p.shape);
    s->n_busy++;
}
static void station_init(void *state, const void *params, const orr_devs_call *call)
{
    Station *s = state;
    s->p = *(const StationParams *)params;
    s->service = orr_devs_random(call, "service");
    s->route = orr_devs_random(call, "route");
    for (int i = 0; i < SERVERS_MAX; i++) s->due[i] = INFINITY;
    s->goes_again = random_unit(&s->route) < s->p.again;
}
static double station_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return ((const Station *)state)->due[((const Station *)state)->next];
}
static void station_output(const void *state, const orr_devs_call *call)
{
    const Station *s = state;
    orr_devs_send(call, s->goes_again ? 1 : 0, &s->job[s->next]);
}
static void station_internal(void *state, const orr_devs_call *call)
{
    Station *s = state;
    count(s, call->t);
    const int server = s->next;
    if (!s->goes_again && call->t > s->p.from) {
        s->sojourn += call->t - s->job[server];
        s->n_left++;
    }
    s->due[server] = INFINITY;
    s->n_busy--;
    if (s->n_queue > 0) {
        serve(s, server, s->queue[s->first], call->t);
        s->first = (s->first + 1) % QUEUE_MAX;
        s->n_queue--;
    }
    s->goes_again = random_unit(&s->route) < s->p.again;
    choose_next(s);
}
static void station_external(void *state, const orr_devs_call *call, double elapsed,
                             const orr_devs_event *bag, size_t n)
{
    (void)elapsed;
    Station *s = state;
    count(s, call->t);
    for (size_t i = 0; i < n; i++) {
        const double job = *(const double *)bag[i].value;
        int server = 0;
        while (server < s->p.n_servers && s->due[server] < (double)INFINITY) server++;
        if (server < s->p.n_servers) serve(s, server, job, call->t);
        else if (s->n_queue == QUEUE_MAX) orr_devs_fail(call, "the queue is full");
        else s->queue[(s->first + s->n_queue++) % QUEUE_MAX] = job;
    }
    choose_next(s);
}
static const orr_atomic station = {
    .version = ORR_DEVS_VERSION,
    .traits = ORR_ATOMIC_ABSOLUTE,
    .name = "station",
    .inputs = job_in,
    .n_inputs = 1,
    .outputs = job_out,
    .n_outputs = 2,
    .params_size = sizeof(StationParams),
    .state_size = sizeof(Station),
    .init = station_init,
    .advance = station_advance,
    .output = station_output,
    .internal = station_internal,
    .external = station_external,
};

// ---- Replications

enum { RUNS = 20 };
static const double t_end = 12000, warm_up = 2000;

typedef struct Sample {
    double sum, squares;
} Sample;
static void add_sample(Sample *s, double x)
{
    s->sum += x;
    s->squares += x * x;
}
// The expected value lies within the interval of 99.9 % (t with 19 degrees of freedom: 3.883), which is
// narrow.
static void agrees(const char *what, Sample s, double expected, double at_most)
{
    const double mean = s.sum / RUNS;
    const double deviation = sqrt((s.squares - s.sum * mean) / (RUNS - 1));
    const double half = 3.883 * deviation / sqrt(RUNS);
    if (!(fabs(mean - expected) <= half && half <= at_most * expected))
        print_error("%s: %g ± %g, expected %g\n", what, mean, half, expected);
    assert_true(fabs(mean - expected) <= half);
    assert_true(half <= at_most * expected);
}

static double erlang_c(int c, double load)    // the probability to wait
{
    double term = 1, sum = 1;
    for (int k = 1; k < c; k++) sum += term *= load / k;
    term *= load / c * c / (c - load);
    return term / (sum + term);
}

// One station fed by one source: mean number and mean time, against L and W = L/λ (Little).
static void one_station(const char *what, double rate, StationParams p, double expected_number)
{
    Bench b = bench_create();
    p.from = warm_up;
    const orr_devs_part g = orr_devs_add(b.model, ORR_DEVS_ROOT, "source", &source, &(double){ 1 / rate });
    const orr_devs_part s = orr_devs_add(b.model, ORR_DEVS_ROOT, "station", &station, &p);
    orr_devs_couple(b.model, g, "done", s, "job");
    assert_true(orr_devs_finish(b.model));
    Sample number = { 0 }, time = { 0 };
    for (uint64_t k = 0; k < RUNS; k++) {
        orr_devs_options options = orr_devs_options_default();
        options.seed = 11;
        options.run = k;
        b.run = orr_devs_run_create(b.model, &options, b.diag);
        assert_int_equal(orr_devs_run_advance(b.run, t_end), ORR_STATUS_OK);
        const Station *end = bench_state(&b, s);
        add_sample(&number, end->area / (end->last - warm_up));
        add_sample(&time, end->sojourn / (double)end->n_left);
        orr_devs_run_destroy(b.run);
    }
    b.run = NULL;
    bench_end(&b);
    agrees(what, number, expected_number, 0.12);
    agrees(what, time, expected_number / rate, 0.12);
}

static void test_queues_of_one_station_follow_theory(void **state)
{
    (void)state;
    // M/M/1: L = ρ/(1 - ρ)
    one_station("M/M/1", 0.7, (StationParams){ .n_servers = 1, .mean = 1, .shape = 1 }, 0.7 / 0.3);
    one_station("M/M/1, half", 0.5, (StationParams){ .n_servers = 1, .mean = 1, .shape = 1 }, 1);
    // M/M/c: L = a + C·ρ/(1 - ρ), C by Erlang
    const double load = 2.1;
    one_station("M/M/3", load, (StationParams){ .n_servers = 3, .mean = 1, .shape = 1 },
                load + erlang_c(3, load) * 0.7 / 0.3);
    // M/G/1: L = ρ + ρ²(1 + c²)/(2(1 - ρ)) (Pollaczek–Khinchine), c² = 1/shape
    one_station("M/G/1, regular", 0.7, (StationParams){ .n_servers = 1, .mean = 1, .shape = 4 },
                0.7 + 0.49 * 1.25 / 0.6);
    one_station("M/G/1, bursty", 0.6, (StationParams){ .n_servers = 1, .mean = 1, .shape = 0.5 },
                0.6 + 0.36 * 3 / 0.8);
}

// A Jackson network: jobs enter at a, go to b; of those leaving b, 30 % go back to a. The flow through both
// is λ/(1 - 0.3); each station behaves as M/M/c on its own.
static void test_queues_of_a_jackson_network_follow_theory(void **state)
{
    (void)state;
    Bench b = bench_create();
    const double rate = 0.42, flow = rate / 0.7;    // 0.6
    const StationParams pa = { .n_servers = 1, .mean = 1, .shape = 1, .from = warm_up };
    const StationParams pb = { .n_servers = 2, .mean = 2, .shape = 1, .again = 0.3, .from = warm_up };
    const orr_devs_part g = orr_devs_add(b.model, ORR_DEVS_ROOT, "source", &source, &(double){ 1 / rate });
    const orr_devs_part x = orr_devs_add(b.model, ORR_DEVS_ROOT, "a", &station, &pa);
    const orr_devs_part y = orr_devs_add(b.model, ORR_DEVS_ROOT, "b", &station, &pb);
    orr_devs_couple(b.model, g, "done", x, "job");
    orr_devs_couple(b.model, x, "done", y, "job");
    orr_devs_couple(b.model, y, "again", x, "job");
    assert_true(orr_devs_finish(b.model));
    Sample at_a = { 0 }, at_b = { 0 }, time = { 0 };
    for (uint64_t k = 0; k < RUNS; k++) {
        orr_devs_options options = orr_devs_options_default();
        options.seed = 12;
        options.run = k;
        b.run = orr_devs_run_create(b.model, &options, b.diag);
        assert_int_equal(orr_devs_run_advance(b.run, t_end), ORR_STATUS_OK);
        const Station *ea = bench_state(&b, x), *eb = bench_state(&b, y);
        add_sample(&at_a, ea->area / (ea->last - warm_up));
        add_sample(&at_b, eb->area / (eb->last - warm_up));
        add_sample(&time, eb->sojourn / (double)eb->n_left);
        orr_devs_run_destroy(b.run);
    }
    b.run = NULL;
    bench_end(&b);
    const double number_a = flow / (1 - flow), load = 2 * flow;
    const double number_b = load + erlang_c(2, load) * (load / 2) / (1 - load / 2);
    agrees("a", at_a, number_a, 0.12);
    agrees("b", at_b, number_b, 0.12);
    agrees("whole", time, (number_a + number_b) / rate, 0.12);
}

// Random numbers of a component do not depend on others: with a second, idle shop beside it the same
// happens.
static void test_queues_are_not_changed_by_other_components(void **state)
{
    (void)state;
    double area[2];
    for (int with_other = 0; with_other < 2; with_other++) {
        Bench b = bench_create();
        const StationParams p = { .n_servers = 1, .mean = 1, .shape = 2 };
        const orr_devs_part g = orr_devs_add(b.model, ORR_DEVS_ROOT, "source", &source, &(double){ 1.5 });
        const orr_devs_part s = orr_devs_add(b.model, ORR_DEVS_ROOT, "station", &station, &p);
        orr_devs_couple(b.model, g, "done", s, "job");
        if (with_other) {
            const orr_devs_part g2 = orr_devs_add(b.model, ORR_DEVS_ROOT, "another", &source,
                                                  &(double){ 1.1 });
            const orr_devs_part s2 = orr_devs_add(b.model, ORR_DEVS_ROOT, "sink", &station, &p);
            orr_devs_couple(b.model, g2, "done", s2, "job");
        }
        bench_start(&b, false);
        assert_int_equal(orr_devs_run_advance(b.run, 1000), ORR_STATUS_OK);
        area[with_other] = ((const Station *)bench_state(&b, s))->area;
        bench_end(&b);
    }
    assert_same_bits(area[0], area[1]);
    assert_true(area[0] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queues_of_one_station_follow_theory),
        cmocka_unit_test(test_queues_of_a_jackson_network_follow_theory),
        cmocka_unit_test(test_queues_are_not_changed_by_other_components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

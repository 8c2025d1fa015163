// tests/unit/devs/test_queue.c: queues in the memory of the run, and states with pointers of their own.
#include "bits.h"
#include "num/random.h"

// ---- A juggler: random operations on several queues, each beside a plain list that does the same

enum { QUEUES = 4, MODEL_MAX = 600 };

typedef struct Thing {
    double rank;
    int32_t number;
    char rest[9];    // an odd size
} Thing;

// What a queue should hold, written in the simplest way.
typedef struct PlainList {
    int n;
    Thing things[MODEL_MAX];
} PlainList;

typedef struct Juggler {
    orr_random stream;
    orr_devs_queue queues[QUEUES];
    PlainList plain[QUEUES];
    int64_t n_checks;
} Juggler;

static void juggler_init(void *state, const void *params, const orr_devs_call *call)
{
    (void)params;
    Juggler *j = state;
    j->stream = orr_devs_random(call, "juggling");
    for (int i = 0; i < QUEUES; i++) orr_devs_queue_init(&j->queues[i], sizeof(Thing), i % 2);
}

static double juggler_advance(const void *state, const orr_devs_call *call)
{
    (void)state;
    (void)call;
    return 1;
}

static void plain_insert(PlainList *list, int at, Thing thing)
{
    assert_true(list->n < MODEL_MAX);
    for (int k = list->n++; k > at; k--) list->things[k] = list->things[k - 1];
    list->things[at] = thing;
}

static Thing plain_remove(PlainList *list, int at)
{
    const Thing thing = list->things[at];
    for (int k = at; k + 1 < list->n; k++) list->things[k] = list->things[k + 1];
    list->n--;
    return thing;
}

static void check_equal(const orr_devs_call *call, const Juggler *j, int i)
{
    const orr_devs_queue *queue = &j->queues[i];
    const PlainList *plain = &j->plain[i];
    assert_int_equal(queue->n, plain->n);
    for (int k = 0; k < plain->n; k++) {
        const Thing *thing = orr_devs_queue_at(call, queue, (uint32_t)k);
        assert_memory_equal(thing, &plain->things[k], sizeof *thing);
        if (i % 2) assert_true(orr_devs_queue_rank(call, queue, (uint32_t)k) == plain->things[k].rank);
    }
    assert_null(orr_devs_queue_at(call, queue, queue->n));
}

static void juggle(Juggler *j, const orr_devs_call *call, int i)
{
    orr_devs_queue *queue = &j->queues[i];
    PlainList *plain = &j->plain[i];
    const uint64_t what = random_below(&j->stream, 100);
    Thing thing, got;
    memset(&thing, 0, sizeof thing);
    memset(&got, 0, sizeof got);
    thing.rank = (double)random_below(&j->stream, 8);
    thing.number = (int32_t)random_below(&j->stream, 1000000);
    thing.rest[8] = (char)i;
    const bool may_grow = plain->n < MODEL_MAX - 1;
    if (what < 60 && may_grow) {
        int at = plain->n;
        if (i % 2)
            for (at = 0; at < plain->n && plain->things[at].rank <= thing.rank;) at++;
        assert_true(orr_devs_queue_insert(call, queue, thing.rank, &thing));
        plain_insert(plain, at, thing);
    } else if (what < 65 && may_grow) {
        if (i % 2 && plain->n) thing.rank = plain->things[plain->n - 1].rank;
        if (i % 2 && !plain->n) thing.rank = 0;
        assert_true(orr_devs_queue_push(call, queue, &thing));
        plain_insert(plain, plain->n, thing);
    } else if (what < 90) {
        assert_int_equal(orr_devs_queue_pop(call, queue, &got), plain->n > 0);
        if (plain->n) {
            thing = plain_remove(plain, 0);
            assert_memory_equal(&got, &thing, sizeof got);
        }
    } else if (what < 99) {
        const uint32_t at = (uint32_t)random_below(&j->stream, (uint64_t)plain->n + 1);
        assert_int_equal(orr_devs_queue_remove(call, queue, at, &got), (int)at < plain->n);
        if ((int)at < plain->n) {
            thing = plain_remove(plain, (int)at);
            assert_memory_equal(&got, &thing, sizeof got);
        }
    } else if (random_below(&j->stream, 8) == 0) {
        orr_devs_queue_clear(call, queue);
        plain->n = 0;
    }
    check_equal(call, j, i);
    j->n_checks++;
}

static void juggler_internal(void *state, const orr_devs_call *call)
{
    Juggler *j = state;
    for (int k = 0; k < 20; k++) juggle(j, call, (int)random_below(&j->stream, QUEUES));
}

static const orr_atomic juggler = {
    .version = ORR_DEVS_VERSION,
    .name = "juggler",
    .state_size = sizeof(Juggler),
    .init = juggler_init,
    .advance = juggler_advance,
    .internal = juggler_internal,
};

static void *saved(const orr_devs_run *run, size_t *size)
{
    *size = orr_devs_run_size(run);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    orr_devs_run_save(run, bytes);
    return bytes;
}

static void test_queue_agrees_with_a_plain_list_under_random_operations(void **state)
{
    (void)state;
    Bench b = bench_create();
    orr_devs_part parts = orr_devs_add_array(b.model, ORR_DEVS_ROOT, "j", &juggler, 3, NULL, 0);
    bench_start(&b, false);
    assert_int_equal(orr_devs_run_advance(b.run, 150), ORR_STATUS_OK);

    // a copy made on the way goes on with the same queues
    size_t size, size_b, size_other;
    void *bytes = saved(b.run, &size);
    assert_int_equal(orr_devs_run_advance(b.run, 300), ORR_STATUS_OK);
    orr_devs_options options = orr_devs_options_default();
    options.seed = 17;
    orr_devs_run *other = orr_devs_run_create(b.model, &options, b.diag);
    orr_devs_run_advance(other, 20);
    assert_true(orr_devs_run_load(other, bytes, size));
    assert_int_equal(orr_devs_run_advance(other, 300), ORR_STATUS_OK);
    void *end = saved(b.run, &size_b), *other_end = saved(other, &size_other);
    assert_int_equal(size_b, size_other);
    assert_memory_equal(end, other_end, size_b);
    assert_int_equal(((const Juggler *)bench_state(&b, parts))->n_checks, 300 * 20);

    const Juggler *j = bench_state(&b, parts + 1);
    for (int i = 0; i < QUEUES; i++)
        if (j->plain[i].n)
            assert_memory_equal(orr_devs_run_queue_at(b.run, &j->queues[i], 0), &j->plain[i].things[0],
                                sizeof(Thing));
    // pieces of a saved run are refused, wherever they end
    for (size_t n = 0; n < size; n += 1 + size / 97) assert_false(orr_devs_run_load(other, bytes, n));
    free(bytes);
    free(end);
    free(other_end);
    orr_devs_run_destroy(other);
    bench_end(&b);
}

// ---- A hoarder: its queue grows without bound

typedef struct Hoarder {
    orr_devs_queue queue;
    double rank;
} Hoarder;

static void hoarder_init(void *state, const void *params, const orr_devs_call *call)
{
    (void)call;
    Hoarder *h = state;
    h->rank = params ? *(const double *)params : 0;
    orr_devs_queue_init(&h->queue, 24, 1);
}
static double hoarder_advance(const void *state, const orr_devs_call *call)
{
    (void)state;
    (void)call;
    return 1;
}
static void hoarder_internal(void *state, const orr_devs_call *call)
{
    Hoarder *h = state;
    const char job[24] = "job";
    for (int i = 0; i < 100; i++) orr_devs_queue_insert(call, &h->queue, h->rank, job);
}
static const orr_atomic hoarder = {
    .version = ORR_DEVS_VERSION,
    .name = "hoarder",
    .params_size = sizeof(double),
    .state_size = sizeof(Hoarder),
    .init = hoarder_init,
    .advance = hoarder_advance,
    .internal = hoarder_internal,
};

static void test_queue_without_bound_ends_the_run_with_its_length(void **state)
{
    (void)state;
    Bench b = bench_create();
    const double rank = 1;
    orr_devs_part part = orr_devs_add(b.model, ORR_DEVS_ROOT, "hoard", &hoarder, &rank);
    assert_true(orr_devs_finish(b.model));
    orr_devs_options options = orr_devs_options_default();
    options.max_memory = 4 << 20;
    b.run = orr_devs_run_create(b.model, &options, b.diag);
    assert_int_equal(orr_devs_run_advance(b.run, 1e9), ORR_STATUS_FAILED);
    const orr_devs_queue *queue = &((const Hoarder *)bench_state(&b, part))->queue;
    // blocks are powers of 2, and the only one grows where it is: half of the memory at least is used
    assert_in_range(queue->n, (2 << 20) / 32, (4 << 20) / 32);
    assert_in_range(orr_devs_run_facts(b.run).run_bytes, 2 << 20, (4 << 20) + 5000);
    char text[64];
    snprintf(text, sizeof text, "'hoard' has %u elements", queue->n);
    bench_complains(&b, "E533", text);
    assert_contains(orr_diag_get(b.diag, 0).text, "4 MB");
    assert_int_equal(orr_devs_run_advance(b.run, 2e9), ORR_STATUS_FAILED);    // it stands
    bench_end(&b);
}

static void test_queue_refuses_a_rank_that_is_no_number(void **state)
{
    (void)state;
    Bench b = bench_create();
    const double rank = (double)NAN;
    orr_devs_add(b.model, ORR_DEVS_ROOT, "hoard", &hoarder, &rank);
    bench_start(&b, false);
    assert_int_equal(orr_devs_run_advance(b.run, 3), ORR_STATUS_FAILED);
    bench_complains(&b, "E532", "rank");
    bench_end(&b);
}

// ---- A state with a pointer: a list of numbers in memory of its own

typedef struct Keeper {
    double *values;
    size_t n;
} Keeper;

static int n_alive;    // tests run one after another

static void keeper_init(void *state, const void *params, const orr_devs_call *call)
{
    (void)params;
    (void)call;
    ((Keeper *)state)->values = malloc(1000 * sizeof(double));
    n_alive++;
}
static double keeper_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return ((const Keeper *)state)->n < 1000 ? 0.5 : (double)INFINITY;
}
static void keeper_internal(void *state, const orr_devs_call *call)
{
    Keeper *k = state;
    k->values[k->n++] = call->t;
}
static size_t keeper_save(const void *state, void *bytes, const orr_devs_call *call)
{
    (void)call;
    const Keeper *k = state;
    if (bytes && k->n > 0) memcpy(bytes, k->values, k->n * sizeof *k->values);
    return k->n * sizeof *k->values;
}
static int keeper_load(void *state, const void *bytes, size_t n, const orr_devs_call *call)
{
    (void)call;
    Keeper *k = state;
    if (n % sizeof *k->values != 0 || n > 1000 * sizeof *k->values) return 0;
    if (n > 0) memcpy(k->values, bytes, n);
    k->n = n / sizeof *k->values;
    return 1;
}
static void keeper_destroy(void *state)
{
    free(((Keeper *)state)->values);
    n_alive--;
}
static const orr_atomic keeper = {
    .version = ORR_DEVS_VERSION,
    .name = "keeper",
    .state_size = sizeof(Keeper),
    .init = keeper_init,
    .advance = keeper_advance,
    .internal = keeper_internal,
    .save = keeper_save,
    .load = keeper_load,
    .destroy = keeper_destroy,
};

static void test_queue_states_with_pointers_are_saved_loaded_and_freed(void **state)
{
    (void)state;
    Bench b = bench_create();
    const ClockParams params = { .first = 1, .period = 1, .n = 100 };
    orr_devs_add(b.model, ORR_DEVS_ROOT, "a", &clock_type, &params);
    orr_devs_part part = orr_devs_add_array(b.model, ORR_DEVS_ROOT, "k", &keeper, 2, NULL, 0);
    orr_devs_add(b.model, ORR_DEVS_ROOT, "z", &clock_type, &params);
    bench_start(&b, false);
    assert_int_equal(n_alive, 2);
    orr_devs_run_advance(b.run, 3);
    size_t size, size_b, size_other;
    void *bytes = saved(b.run, &size);
    orr_devs_run_advance(b.run, 7);

    orr_devs_options options = orr_devs_options_default();
    orr_devs_run *other = orr_devs_run_create(b.model, &options, b.diag);
    assert_int_equal(n_alive, 4);
    orr_devs_run_advance(other, 50);
    assert_true(orr_devs_run_load(other, bytes, size));
    const Keeper *theirs = orr_devs_run_state(other, orr_devs_component(b.model, part));
    const Keeper *ours = bench_state(&b, part);
    assert_int_equal(theirs->n, 6);
    assert_ptr_not_equal(theirs->values, ours->values);
    orr_devs_run_advance(other, 7);
    assert_int_equal(theirs->n, 14);
    assert_memory_equal(theirs->values, ours->values, 14 * sizeof(double));
    // pointers are no part of what is saved
    void *end = saved(b.run, &size_b), *other_end = saved(other, &size_other);
    assert_int_equal(size_b, size_other);
    assert_memory_equal(end, other_end, size_b);
    for (size_t n = 0; n < size; n += 8) assert_false(orr_devs_run_load(other, bytes, n));

    free(bytes);
    free(end);
    free(other_end);
    orr_devs_run_destroy(other);
    bench_end(&b);
    assert_int_equal(n_alive, 0);
}

static void test_queue_states_that_cannot_be_saved_say_so(void **state)
{
    (void)state;
    Bench b = bench_create();
    orr_atomic type = keeper;
    type.save = NULL;
    type.load = NULL;
    orr_devs_add(b.model, ORR_DEVS_ROOT, "k", &type, NULL);
    bench_start(&b, false);
    assert_int_equal(orr_devs_run_size(b.run), 0);
    bench_end(&b);
    assert_int_equal(n_alive, 0);

    b = bench_create();
    type.save = keeper_save;    // and no load
    orr_devs_add(b.model, ORR_DEVS_ROOT, "k", &type, NULL);
    assert_false(orr_devs_finish(b.model));
    bench_complains(&b, "E150", "save, load");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queue_agrees_with_a_plain_list_under_random_operations),
        cmocka_unit_test(test_queue_without_bound_ends_the_run_with_its_length),
        cmocka_unit_test(test_queue_refuses_a_rank_that_is_no_number),
        cmocka_unit_test(test_queue_states_with_pointers_are_saved_loaded_and_freed),
        cmocka_unit_test(test_queue_states_that_cannot_be_saved_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

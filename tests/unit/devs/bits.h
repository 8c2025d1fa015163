// tests/unit/devs/bits.h: small atomics and a trace as text, for the tests of the kernel.
#pragma once
#include "base/text.h"
#include "check.h"
#include "orrery/devs.h"
#include <stdlib.h>

static const orr_devs_port number_in[] = { { "in", "number", 8, 0 }, { "in2", "number", 8, 0 } };
static const orr_devs_port number_out[] = { { "out", "number", 8, 0 }, { "out2", "number", 8, 0 } };

// ---- A clock: sends 1, 2, … at `first`, first + period, …; at most `n`

typedef struct ClockParams {
    double first, period;
    int64_t n;
} ClockParams;
typedef struct Clock {
    ClockParams p;
    int64_t sent;
} Clock;

static inline void clock_init(void *state, const void *params, const orr_devs_call *call)
{
    (void)call;
    ((Clock *)state)->p = *(const ClockParams *)params;
}
static inline double clock_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    const Clock *c = state;
    return c->sent < c->p.n ? c->p.first + (double)c->sent * c->p.period : (double)INFINITY;
}
static inline void clock_output(const void *state, const orr_devs_call *call)
{
    const int64_t number = ((const Clock *)state)->sent + 1;
    orr_devs_send(call, 0, &number);
}
static inline void clock_internal(void *state, const orr_devs_call *call)
{
    (void)call;
    ((Clock *)state)->sent++;
}
static const orr_atomic clock_type = {
    .version = ORR_DEVS_VERSION,
    .traits = ORR_ATOMIC_ABSOLUTE,
    .name = "clock",
    .outputs = number_out,
    .n_outputs = 1,
    .params_size = sizeof(ClockParams),
    .state_size = sizeof(Clock),
    .init = clock_init,
    .advance = clock_advance,
    .output = clock_output,
    .internal = clock_internal,
};

// ---- A relay: passes the first message of a bag on after a delay; forgets what comes meanwhile

typedef struct Relay {
    double delay;
    int64_t number, is_busy, n_internal, n_external;
} Relay;

static inline void relay_init(void *state, const void *params, const orr_devs_call *call)
{
    (void)call;
    ((Relay *)state)->delay = *(const double *)params;
}
static inline double relay_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    const Relay *r = state;
    return r->is_busy ? r->delay : (double)INFINITY;
}
static inline void relay_output(const void *state, const orr_devs_call *call)
{
    orr_devs_send(call, 0, &((const Relay *)state)->number);
}
static inline void relay_internal(void *state, const orr_devs_call *call)
{
    (void)call;
    Relay *r = state;
    r->is_busy = 0;
    r->n_internal++;
}
static inline void relay_external(void *state, const orr_devs_call *call, double elapsed,
                                  const orr_devs_event *bag, size_t n)
{
    (void)call;
    (void)elapsed;
    (void)n;
    Relay *r = state;
    r->n_external++;
    if (!r->is_busy) r->number = *(const int64_t *)bag[0].value;
    r->is_busy = 1;
}
static const orr_atomic relay_type = {
    .version = ORR_DEVS_VERSION,
    .name = "relay",
    .inputs = number_in,
    .n_inputs = 1,
    .outputs = number_out,
    .n_outputs = 1,
    .params_size = sizeof(double),
    .state_size = sizeof(Relay),
    .init = relay_init,
    .advance = relay_advance,
    .output = relay_output,
    .internal = relay_internal,
    .external = relay_external,
};

// ---- A sink: keeps all that comes, with port and sender

enum { SINK_MAX = 200 };
typedef struct Sink {
    int64_t n;
    int64_t numbers[SINK_MAX];
    uint32_t ports[SINK_MAX], senders[SINK_MAX];
    double times[SINK_MAX], elapsed[SINK_MAX];
} Sink;

static inline double sink_advance(const void *state, const orr_devs_call *call)
{
    (void)state;
    (void)call;
    return (double)INFINITY;
}
static inline void sink_external(void *state, const orr_devs_call *call, double elapsed,
                                 const orr_devs_event *bag, size_t n)
{
    Sink *s = state;
    for (size_t i = 0; i < n && s->n < SINK_MAX; i++, s->n++) {
        s->numbers[s->n] = *(const int64_t *)bag[i].value;
        s->ports[s->n] = bag[i].port;
        s->senders[s->n] = bag[i].sender;
        s->times[s->n] = call->t;
        s->elapsed[s->n] = elapsed;
    }
}
static const orr_atomic sink_type = {
    .version = ORR_DEVS_VERSION,
    .name = "sink",
    .inputs = number_in,
    .n_inputs = 2,
    .state_size = sizeof(Sink),
    .advance = sink_advance,
    .external = sink_external,
};

// ---- A model and its run

typedef struct Bench {
    orr_diag *diag;
    orr_devs *model;
    orr_devs_run *run;
    StrBuf trace;
} Bench;

static inline void add_to_trace(void *context, const orr_devs_trace *what)
{
    static const char *const kinds[] = { "internal", "external", "confluent",
                                         "sent",     "switched", "coupling" };
    Bench *b = context;
    char name[64] = "outside";
    if (what->component < ORR_DEVS_NONE) orr_devs_name(b->model, what->component, name, sizeof name);
    str_addf(&b->trace, "%g/%llu %s %s", what->t, (unsigned long long)what->bag, name, kinds[what->kind]);
    if (what->kind == ORR_DEVS_SENT)
        str_addf(&b->trace, " %u %lld\n", what->port, (long long)*(const int64_t *)what->value);
    else if (what->kind > ORR_DEVS_SENT) str_addf(&b->trace, " %u\n", what->n);
    else str_addf(&b->trace, " e=%g due=%g n=%u\n", what->elapsed, what->due, what->n);
}

static inline Bench bench_create(void)
{
    Bench b = { .diag = orr_diag_create() };
    b.model = orr_devs_create(b.diag);
    return b;
}

static inline void bench_start(Bench *b, bool traced)
{
    if (!orr_devs_finish(b->model)) orr_diag_print(b->diag, stderr, 0);
    assert_int_equal(orr_diag_errors(b->diag), 0);
    orr_devs_options options = orr_devs_options_default();
    options.max_bags = 1000;
    if (traced) {
        options.trace = add_to_trace;
        options.trace_context = b;
    }
    b->run = orr_devs_run_create(b->model, &options, b->diag);
    assert_non_null(b->run);
}

static inline const void *bench_state(const Bench *b, orr_devs_part part)
{
    return orr_devs_run_state(b->run, orr_devs_component(b->model, part));
}

static inline void bench_end(Bench *b)
{
    orr_devs_run_destroy(b->run);
    orr_devs_destroy(b->model);
    orr_diag_destroy(b->diag);
    str_free(&b->trace);
}

// The only message must have this code and contain this text.
static inline void bench_complains(const Bench *b, const char *code, const char *text)
{
    if (orr_diag_errors(b->diag) != 1) orr_diag_print(b->diag, stderr, 0);
    assert_int_equal(orr_diag_errors(b->diag), 1);
    assert_string_equal(orr_diag_get(b->diag, 0).code, code);
    assert_contains(orr_diag_get(b->diag, 0).text, text);
}

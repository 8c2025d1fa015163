// src/run/net.c: messages between the main part and the components, and among these.
//
// The kernel follows the island. It never goes beyond where the user stands, and a step of the island ends
// where a message might arrive for it, so nothing has to be taken back.
#include "base/diag.h"
#include "base/text.h"
#include "devs/devs.h"
#include "num/instant.h"
#include "run/run.h"
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 10000 };    // of messages at one instant that come back to the island

typedef struct Arrival {
    uint32_t port, first;
} Arrival;    // which, and where its values begin

typedef struct Sent {
    uint32_t input, order, first;
} Sent;    // by which input of the kernel, and its values

typedef struct Net {
    const Network *network;    // borrowed; the model's
    orr_devs_run *devs;        // owned; NULL: the run has not begun
    VEC(Arrival) arrivals;     // of the latest bag
    VEC(double) values;
    VEC(Sent) sent;    // since the latest bag
    VEC(double) sent_values;
    double *params;    // scratch for those of one component
    size_t n_transitions;    // that net_work has told of
    bool is_native;          // native code has taken over
} Net;

void net_open(orr_run *run)
{
    const Network *network = run->model->network;
    if (!network) return;
    const Flat *flat = network->flat;
    Net *net = run->net = ARENA_NEW(&run->arena, Net);
    net->network = network;
    uint32_t most = 1;
    for (size_t i = 0; i < flat->parts.n; i++)
        if (flat->parts.items[i].n_params > most) most = flat->parts.items[i].n_params;
    net->params = ARENA_ARRAY(&run->arena, double, most);
}

void net_close(orr_run *run)
{
    if (run->net) orr_devs_run_destroy(run->net->devs);
}

// ---- What arrives for the island

static void let_out(orr_run *run, uint32_t port, const double *values, uint32_t n)
{
    if (!run->keeps_leaving) return;
    vec_push(&run->arena, &run->leaving, (RunMessage){ port, (uint32_t)run->leaving_values.n });
    for (uint32_t k = 0; k < n; k++) vec_push(&run->arena, &run->leaving_values, values[k]);
}

static void take_arrivals(void *context, double t, const orr_devs_event *bag, size_t n)
{
    orr_run *run = context;
    Net *net = run->net;
    for (size_t i = 0; i < n; i++) {
        if (bag[i].port >= net->network->first_guest_output) {
            isles_hear(run, t, bag[i].port - net->network->first_guest_output, bag[i].value);
            continue;
        }
        const uint32_t port = net->network->arrives[bag[i].port];
        const uint32_t n_values = net->network->flat->ports.items[port].n_values;
        if (net->network->is_outlet[port]) {
            let_out(run, port, bag[i].value, n_values);
            continue;
        }
        vec_push(&run->arena, &net->arrivals, (Arrival){ port, (uint32_t)net->values.n });
        for (uint32_t k = 0; k < n_values; k++) {
            double value;
            memcpy(&value, (const char *)bag[i].value + k * sizeof value, sizeof value);
            vec_push(&run->arena, &net->values, value);
        }
    }
}

const double *net_arrival(const orr_run *run, size_t i, uint32_t *port)
{
    const Arrival *arrival = &run->net->arrivals.items[i];
    *port = arrival->port;
    return run->net->values.items + arrival->first;
}

bool net_affects(const orr_run *run, uint32_t port) { return run->model->port_affects[port]; }

// ---- What the island sends

static void set_switch(orr_run *run, uint32_t number, bool is_on)
{
    const Network *network = run->net->network;
    const FlatSwitch *s = &network->flat->switches.items[number];
    if (s->coupling != FLAT_NONE)
        orr_devs_run_switch_coupling(run->net->devs, network->switched[number], is_on);
    else
        orr_devs_run_switch(run->net->devs, network->parts[s->part].part + s->member,
                            is_on ? s->anew ? ORR_DEVS_AS_NEW : ORR_DEVS_ON : ORR_DEVS_OFF);
}

void net_start_switches(orr_run *run, const double *conditions)
{
    const Flat *flat = &run->model->flat;
    for (uint32_t i = 0; run->net && i < flat->switches.n; i++)
        if (conditions[flat->switches.items[i].event] == 0) set_switch(run, i, false);
}

void net_collect(orr_run *run, const Island *island, uint32_t number)
{
    Net *net = run->net;
    const Flat *flat = net->network->flat;
    const IrLayout *layout = &run->model->ir.layout;
    const FlatEvent *event = &flat->events.items[number];
    if (event->switch_plus_1) {
        kernel_wait(net->devs, island->t);
        set_switch(run, event->switch_plus_1 - 1,
                   flat->switches.items[event->switch_plus_1 - 1].event == number);
    }
    for (uint32_t i = 0; i < event->n_sends; i++) {
        const FlatSend *send = &flat->sends.items[event->first_send + i];
        double *flag = &island->env.v[layout->place[send->flag]];
        if (*flag == 0) continue;
        *flag = 0;
        const uint32_t n = flat->ports.items[send->port].n_values;
        vec_push(
            &run->arena, &net->sent,
            (Sent){ net->network->input[send->port], (uint32_t)net->sent.n, (uint32_t)net->sent_values.n });
        for (uint32_t k = 0; k < n; k++)
            vec_push(&run->arena, &net->sent_values, island->env.v[layout->place[send->first + k]]);
    }
}

static int by_input(const void *a, const void *b)
{
    const Sent *x = a, *y = b;
    if (x->input != y->input) return x->input < y->input ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

// Where a user asked for a time that means a grid point, the kernel may be ahead of the island by as much.
static double not_before(const Net *net, double t)
{
    const double now = orr_devs_run_time(net->devs);
    return t > now ? t : now;
}

// What bodies sent enters the kernel by the names of ports, since the order of bodies follows the text.
static void hand_over(Net *net, double t)
{
    if (net->sent.n == 0) return;
    if (net->sent.n > 1) qsort(net->sent.items, net->sent.n, sizeof *net->sent.items, by_input);
    for (size_t i = 0; i < net->sent.n; i++)
        orr_devs_run_send(net->devs, t, net->sent.items[i].input,
                          net->sent_values.items + net->sent.items[i].first);
    net->sent.n = net->sent_values.n = 0;
}

// ---- Time

static const void *params_of(void *context, uint32_t component)
{
    const orr_run *run = context;
    const uint32_t guest = net_guest_of(run->net->network, component);
    if (guest != FLAT_NONE) return isles_params(run, guest);
    const NetPart *part = net_part_of(run->net->network, component);
    const FlatPart *flat = part->flat;
    const uint32_t member = component - part->component;
    for (uint32_t k = 0; k < flat->n_params; k++) {
        const uint32_t variable = flat->is_shared ? flat->params[k] + (flat->params_differ[k] ? member : 0)
                                                  : flat->first_param + member * flat->n_params + k;
        run->net->params[k] = run->island.env.v[run->model->ir.layout.place[variable]];
    }
    return run->net->params;
}

double net_read(const orr_run *run, const ModelVariable *variable)
{
    return atomic_read(variable->shown, run->net->devs, variable->part->component + variable->element);
}

double net_read_at(const orr_run *run, const AtomicReadable *what, uint32_t component)
{
    return atomic_read(what, run->net->devs, component);
}

const void *net_statistic(const orr_run *run, const AtomicReadable *what, uint32_t component)
{
    return atomic_statistic(what, run->net->devs, component);
}

void net_reset(orr_run *run, double t)
{
    const Net *net = run->net;
    if (!net) return;
    for (size_t i = 0; i < run->model->flat.parts.n; i++) {
        const NetPart *part = &net->network->parts[i];
        for (uint32_t member = 0; member < part->flat->n; member++)
            for (uint32_t k = 0; k < part->kind->n_readables; k++)
                atomic_reset(&part->kind->readables[k], net->devs, part->component + member, t);
    }
    orr_devs_run_reset_counts(net->devs);
}

static void pass_on_trace(void *context, const orr_devs_trace *what)
{
    const orr_run *run = context;
    run->trace(run->trace_context, run->net->network->devs, what);
}

bool net_start(orr_run *run)
{
    Net *net = run->net;
    if (!net) return true;
    orr_devs_run_destroy(net->devs);
    net->devs = NULL;
    net->sent.n = net->sent_values.n = 0;
    if (!isles_start(run)) return false;
    orr_devs_options options = orr_devs_options_default();
    options.t_start = run->island.t_begin;
    options.output = take_arrivals;
    options.output_context = run;
    options.params = params_of;
    options.params_context = run;
    options.cancel = run->cancel;
    options.seed = run->seed;
    options.run = run->number;
    if (run->trace) {
        options.trace = pass_on_trace;
        options.trace_context = run;
    }
    net->devs = orr_devs_run_create(net->network->devs, &options, run->diag);
    net->n_transitions = 0;
    net->is_native = false;
    return net->devs != NULL;
}

orr_devs_run *net_kernel(const orr_run *run) { return run->net ? run->net->devs : NULL; }

void net_send(orr_run *run, double t, uint32_t guest_input, const void *value)
{
    const Net *net = run->net;
    orr_devs_run_send(net->devs, not_before(net, t), net->network->first_guest_input + guest_input, value);
}

void net_enter(orr_run *run, double t, uint32_t port, const void *values)
{
    const Net *net = run->net;
    orr_devs_run_send(net->devs, not_before(net, t), net->network->entry[port], values);
}

static size_t count_transitions(const orr_devs_run *devs)
{
    return devs->clock->n_internal + devs->clock->n_external - devs->clock->n_confluent;
}

size_t net_work(orr_run *run)
{
    if (!run->net || !run->net->devs) return 0;
    const size_t n = count_transitions(run->net->devs), before = run->net->n_transitions;
    run->net->n_transitions = n;
    return n - before;
}

// One bag at t, or nothing. Before it native code may take over.
static orr_status step(const orr_run *run, double t, int *done)
{
    Net *net = run->net;
    if (!net->is_native) net->is_native = atomic_take_over(&run->model->atomics, net->devs);
    return orr_devs_run_step(net->devs, t, done);
}

double net_next_instant(const orr_run *run)
{
    return run->net ? orr_devs_run_next(run->net->devs) : INFINITY;
}

double net_next(const orr_run *run)
{
    return run->net && run->net->network->reaches ? orr_devs_run_next(run->net->devs) : INFINITY;
}

orr_status net_bag(orr_run *run, double t, bool *done, size_t *n)
{
    Net *net = run->net;
    int acted = 0;
    const double now = not_before(net, t);
    net->arrivals.n = net->values.n = 0;
    hand_over(net, now);
    const orr_status status = step(run, now, &acted);
    *done = acted;
    *n = net->arrivals.n;
    return status;
}

orr_status net_catch_up(orr_run *run, double t)
{
    if (!run->net) return ORR_STATUS_OK;
    for (;;) {
        const double next = orr_devs_run_next(run->net->devs);
        if (!(instant_reach(next) < t)) return ORR_STATUS_OK;
        int done;
        const orr_status status = step(run, next, &done);
        if (status != ORR_STATUS_OK) return status;
    }
}

orr_status net_follow(orr_run *run, double t)
{
    orr_devs_run *devs = run->net->devs;
    orr_status status = ORR_STATUS_OK;
    for (int done = 1; done && status == ORR_STATUS_OK;) {
        status = step(run, t, &done);
        if (status == ORR_STATUS_OK) status = drive_pulse(run, orr_devs_run_time(devs), 1);
    }
    if (status == ORR_STATUS_OK) return orr_devs_run_advance(devs, t);
    if (run->is_eventful) run->t = orr_devs_run_time(devs);
    return status == ORR_STATUS_FAILED ? drive_fail(run) : status;
}

void net_count(const orr_run *run, orr_run_facts *facts)
{
    if (!run->net->devs) return;
    const orr_devs_facts devs = orr_devs_run_facts(run->net->devs);
    facts->n_instants = devs.n_instants;
    facts->n_transitions = count_transitions(run->net->devs);
    facts->n_messages = devs.n_messages;
}

bool net_goes_round(orr_run *run, double t, size_t round)
{
    if (round < ROUNDS_MAX) return false;
    const Net *net = run->net;
    const Flat *flat = net->network->flat;
    StrBuf names = { 0 };
    for (size_t i = 0; i < net->arrivals.n && i < 6; i++)
        str_addf(&names, "%s'%s'", i ? ", " : "", flat->ports.items[net->arrivals.items[i].port].name);
    const FlatPort *port = &flat->ports.items[net->arrivals.items[0].port];
    diag_report(run->diag, DIAG_MESSAGE_CYCLE, run_place(run->model, run->diag, port->place), t, names.p);
    diag_hint(run->diag, "let one of them answer later, or only under a condition");
    str_free(&names);
    return true;
}

void net_pass(orr_run *run, RunSaved *saved)
{
    if (!run->net) return;
    orr_devs_run *devs = run->net->devs;
    uint64_t n = saved->is_loading ? 0 : orr_devs_run_size(devs);
    saved_pass(saved, &n, sizeof n);
    if (saved->is_loading ? n > saved->n - saved->at : n == 0) saved->is_bad = true;
    if (saved->is_bad) return;
    // the kernel wants its bytes aligned
    uint64_t *bytes = malloc(n + 8);
    if (!bytes) arena_no_memory(n);
    if (!saved->is_loading) orr_devs_run_save(devs, bytes);
    saved_pass(saved, bytes, n);
    if (saved->is_loading)
        saved->is_bad = saved->is_bad || !orr_devs_run_load(devs, bytes, n) ||
                        !atomic_is_sound(&run->model->atomics, devs);
    free(bytes);
}

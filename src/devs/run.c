// src/devs/run.c: one simulation of a coupled model: its memory, and what is asked of it.
#include "base/cancel.h"
#include "base/os.h"
#include "devs/devs.h"
#include "num/instant.h"
#include "num/random.h"
#include <stdlib.h>
#include <string.h>

static const Place no_place = { 0 };

orr_devs_options orr_devs_options_default(void)
{
    return (orr_devs_options){ .max_bags = DEVS_BAGS_MAX, .max_memory = DEVS_MEMORY_MAX };
}

// ---- What the kernel calls

void *devs_resize(orr_devs_run *run, void *p, size_t bytes)
{
    (void)run;
    void *q = realloc(p, bytes ? bytes : 1);
    if (!q) arena_no_memory(bytes);
    return q;
}

void *devs_zeroed(orr_devs_run *run, size_t bytes)
{
    (void)run;
    return os_large_alloc(bytes);
}

const void *devs_params(const orr_devs_run *run, uint32_t component)
{
    if (run->options.params) return run->options.params(run->options.params_context, component);
    const DevsDecl *d = &run->model->decls.items[devs_decl_of_component(run->model, component)];
    return d->params ? (const char *)d->params + (size_t)(component - d->component) * d->stride : NULL;
}

void devs_arrived(const orr_devs_run *run, double t, const orr_devs_event *bag, size_t n)
{
    if (run->options.output) run->options.output(run->options.output_context, t, bag, n);
}

// Is this the first failure? Then it is to be reported, with the name of the component.
static bool fails_first(orr_devs_run *run, Arena *work, const char **name)
{
    const bool is_first = !run->has_failed;
    run->has_failed = true;
    if (is_first) *name = devs_component_name(run->model, run->call.component, work);
    return is_first;
}

void orr_devs_fail(const orr_devs_call *call, const char *reason)
{
    orr_devs_run *run = call->run;
    Arena work = { 0 };
    const char *name;
    if (fails_first(run, &work, &name))
        diag_report(run->diag, DIAG_ATOMIC_FAILED, no_place, name, run->call.t, reason);
    arena_free(&work);
}

void devs_bad_advance(orr_devs_run *run, double ta, bool is_absolute)
{
    Arena work = { 0 };
    const char *name;
    if (fails_first(run, &work, &name)) {
        diag_report(run->diag, DIAG_ADVANCE_BAD, no_place, name, run->call.t,
                    is_absolute ? "to be due at" : "for a time advance of", ta);
        diag_hint(run->diag, "a time advance is 0 or more; INFINITY waits for a message");
    }
    arena_free(&work);
}

void devs_queue_is_full(orr_devs_run *run, const orr_devs_queue *queue)
{
    Arena work = { 0 };
    const char *name;
    if (fails_first(run, &work, &name)) {
        const size_t bytes = run->is_denied ? run->pool_capacity * 8 : run->max_memory;
        diag_report(run->diag, DIAG_QUEUE_MEMORY, no_place, name, (unsigned long)queue->n, run->call.t,
                    (unsigned long)(bytes >> 20));
        diag_hint(run->diag, "more arrives than leaves: a faster server, or a queue that refuses");
    }
    arena_free(&work);
}

// Look who takes part for a while, then say so.
void devs_is_endless(orr_devs_run *run, size_t n_imminent)
{
    const uint32_t n = run->model->n_components;
    if (!run->watched || run->watch_t != run->call.t) {
        free(run->watched);
        run->watched = devs_zeroed(run, n + 1);
        run->watch_t = run->call.t;
        run->watch_until = run->clock->bag + 16 + (n < 1000 ? 2 * n : 2000);
    }
    for (size_t i = 0; i < n_imminent; i++) run->watched[actor_at(run, run->imminent[i])->component] = 1;
    if (run->clock->bag < run->watch_until) return;
    chain_report(run);
    run->has_failed = true;
}

void devs_saw_transition(orr_devs_run *run, orr_devs_kind kind, double elapsed, double due, uint32_t n)
{
    if (run->counts) {
        orr_devs_counts *counts = &run->counts[run->call.component];
        counts->n_internal += kind != ORR_DEVS_EXTERNAL;
        counts->n_external += kind != ORR_DEVS_INTERNAL;
        counts->n_confluent += kind == ORR_DEVS_CONFLUENT;
        counts->n_received += n;
    }
    if (!run->options.trace) return;
    const orr_devs_trace what = { .t = run->call.t,
                                  .bag = run->clock->bag,
                                  .kind = kind,
                                  .component = run->call.component,
                                  .elapsed = elapsed,
                                  .due = due,
                                  .n = n };
    run->options.trace(run->options.trace_context, &what);
}

void devs_saw_messages(orr_devs_run *run)
{
    for (size_t m = 0; m < run->n_messages; m++) {
        const DevsMessage *message = &run->messages[m];
        const bool is_inside = message->sender != ORR_DEVS_OUTSIDE;
        if (run->counts && is_inside) run->counts[message->sender].n_sent++;
        if (!run->options.trace) continue;
        const uint32_t first = is_inside ? run->model->spots[message->sender].first_output
                                         : run->model->first_input;
        const orr_devs_trace what = { .t = run->call.t,
                                      .bag = run->clock->bag,
                                      .kind = ORR_DEVS_SENT,
                                      .component = message->sender,
                                      .port = message->output - first,
                                      .value = message->value };
        run->options.trace(run->options.trace_context, &what);
    }
}

void devs_saw_switch(const orr_devs_run *run, orr_devs_kind kind, uint32_t component, uint32_t port,
                     uint32_t n)
{
    if (!run->options.trace) return;
    const orr_devs_trace what = { .t = run->call.t,
                                  .bag = run->clock->bag,
                                  .kind = kind,
                                  .component = component,
                                  .due = (double)INFINITY,
                                  .n = n,
                                  .port = port };
    run->options.trace(run->options.trace_context, &what);
}

// ---- Structure that changes

// The atomic components of a part: a range, since they are numbered depth first.
static void inside(const orr_devs *model, uint32_t part, uint32_t *first, uint32_t *n)
{
    const DevsDecl *d = &model->decls.items[devs_decl_of_part(model, part)];
    *first = d->type ? d->component + (part - d->part) : d->component;
    *n = d->type ? 1 : d->n_inside;
}

// What is off at the beginning.
static void start_switches(orr_devs_run *run)
{
    const orr_devs *model = run->model;
    if (model->off_parts.n == 0 && model->gates.n == 0) return;
    switches_create(run);
    for (size_t i = 0; i < model->gates.n; i++)
        run->switches->gate_off[i] = model->gates.items[i].is_off != 0;
    for (size_t i = 0; i < model->off_parts.n; i++) {
        uint32_t first, n;
        inside(model, model->off_parts.items[i], &first, &n);
        memset(run->switches->is_off + first, 1, n);
    }
}

static bool ask_part(orr_devs_run *run, uint32_t part, orr_devs_presence presence)
{
    if (part >= run->model->n_parts || part == ORR_DEVS_ROOT) return false;
    DevsSwitch what = { .presence = (uint8_t)presence };
    inside(run->model, part, &what.first, &what.n);
    switches_ask(run, what);
    return true;
}

static bool ask_coupling(orr_devs_run *run, uint32_t coupling, bool is_on)
{
    const uint32_t *gate = map_find(&run->model->gate_numbers, coupling);
    if (gate) switches_ask(run, (DevsSwitch){ .first = *gate, .is_gate = 1, .presence = is_on });
    return gate != NULL;
}

// From a function of a component: in a transition only.
static bool may_switch(const orr_devs_call *call)
{
    if (!call->run->is_moving) orr_devs_fail(call, "it switches from another function than a transition");
    return call->run->is_moving;
}

int orr_devs_switch(const orr_devs_call *call, uint32_t part, orr_devs_presence presence)
{
    if (!may_switch(call)) return 0;
    if (ask_part(call->run, part, presence)) return 1;
    orr_devs_fail(call, "it switches a component that does not exist");
    return 0;
}

int orr_devs_switch_coupling(const orr_devs_call *call, uint32_t coupling, int is_on)
{
    if (!may_switch(call)) return 0;
    if (ask_coupling(call->run, coupling, is_on != 0)) return 1;
    orr_devs_fail(call, "it switches a coupling that is not declared as switched");
    return 0;
}

// From outside: between bags only.
static bool is_between_bags(const orr_devs_run *run)
{
    return !run->has_failed && !run->is_moving && !run->sender;
}

int orr_devs_run_switch(orr_devs_run *run, uint32_t part, orr_devs_presence presence)
{
    if (!is_between_bags(run) || !ask_part(run, part, presence)) return 0;
    switches_apply(run);
    return !run->has_failed;
}

int orr_devs_run_switch_coupling(orr_devs_run *run, uint32_t coupling, int is_on)
{
    if (!is_between_bags(run) || !ask_coupling(run, coupling, is_on != 0)) return 0;
    switches_apply(run);
    return !run->has_failed;
}

int orr_devs_run_is_on(const orr_devs_run *run, uint32_t component)
{
    return component < run->model->n_components && !(run->switches && run->switches->is_off[component]);
}

// ---- A run begins and ends

orr_devs_run *orr_devs_run_create(const orr_devs *model, const orr_devs_options *options, orr_diag *diag)
{
    if (!model->is_finished || model->is_bad) {
        diag_report(diag, DIAG_PART_BAD, no_place, "the model", "it is not finished, or has errors");
        return NULL;
    }
    if (!isfinite(options->t_start)) {
        diag_report(diag, DIAG_TIME_BAD, no_place, options->t_start, (double)INFINITY);
        return NULL;
    }
    orr_devs_run *run = devs_zeroed(NULL, sizeof *run);
    run->diag = diag;
    run->options = *options;
    run->max_bags = options->max_bags ? options->max_bags : DEVS_BAGS_MAX;
    run->max_memory = options->max_memory ? options->max_memory : DEVS_MEMORY_MAX;
    kernel_create(run, model, options->t_start);
    if (options->has_counts) run->counts = devs_zeroed(run, (model->n_components + 1) * sizeof *run->counts);
    run->is_observed = options->has_counts || options->trace;
    start_switches(run);
    kernel_begin(run);
    if (!run->has_failed) return run;
    orr_devs_run_destroy(run);
    return NULL;
}

void devs_run_replace(orr_devs_run *run, const orr_atomic *from, const orr_atomic *to)
{
    for (uint32_t i = 0; i < run->model->n_types; i++)
        if (run->model->types[i] == from) run->types[i] = to;
}

static void destroy_objects(orr_devs_run *run)
{
    for (uint32_t i = 0; run->model->has_objects && i < run->n_begun; i++) {
        DevsActor *actor = actor_of(run, i);
        const orr_atomic *type = run->model->types[actor->type];
        if (type->destroy) type->destroy(actor + 1);
    }
}

void orr_devs_run_destroy(orr_devs_run *run)
{
    if (!run) return;
    destroy_objects(run);
    kernel_free(run);
    free(run->counts);
    free(run->watched);
    free(run);
}

orr_random orr_devs_random(const orr_devs_call *call, const char *purpose)
{
    Arena work = { 0 };
    const orr_devs_options *options = &call->run->options;
    const char *name = devs_component_name(call->run->model, call->component, &work);
    const uint32_t begun = call->run->switches ? call->run->switches->n_begun[call->component] : 0;
    const char *again = begun ? arena_printf(&work, "#%u", begun) : "";
    const orr_random stream = random_stream(options->seed, options->run,
                                            arena_printf(&work, "%s:%s%s", name, purpose, again));
    arena_free(&work);
    return stream;
}

// ---- Going on

orr_status orr_devs_run_step(orr_devs_run *run, double t_limit, int *done)
{
    *done = 0;
    if (run->has_failed) return ORR_STATUS_FAILED;
    if (cancel_is_set(run->options.cancel)) return ORR_STATUS_CANCELLED;
    const double t = kernel_next(run);
    if (!(t <= instant_reach(t_limit)) || isinf(t)) return ORR_STATUS_OK;
    kernel_bag(run, t);
    *done = 1;
    return run->has_failed ? ORR_STATUS_FAILED : ORR_STATUS_OK;
}

orr_status orr_devs_run_advance(orr_devs_run *run, double t)
{
    orr_status status = ORR_STATUS_OK;
    for (int done = 1; done && status == ORR_STATUS_OK;) status = orr_devs_run_step(run, t, &done);
    if (status == ORR_STATUS_OK && t < (double)INFINITY) kernel_wait(run, t);
    return status;
}

int orr_devs_run_send(orr_devs_run *run, double t, uint32_t port, const void *value)
{
    const DevsPorts *ports = &run->model->ports.items[0];
    const double now = run->clock->now;    // may be ahead by rounding
    if (port >= ports->n_inputs || !(instant_reach(t) >= now) || isinf(t)) return 0;
    inputs_add(run, t > now ? t : now, port, value, ports->inputs[port].size);
    return 1;
}

// ---- Asking

double orr_devs_run_time(const orr_devs_run *run) { return run->clock->now; }
double orr_devs_run_next(const orr_devs_run *run) { return kernel_next(run); }

const void *orr_devs_run_state(const orr_devs_run *run, uint32_t component)
{
    if (component >= run->model->n_components) return NULL;
    return actor_of(run, component) + 1;
}

double orr_devs_run_due(const orr_devs_run *run, uint32_t component)
{
    if (component >= run->model->n_components) return (double)INFINITY;
    for (uint32_t i = 0; i < run->clock->n_zero; i++)
        if (run->zero[i] == run->model->spots[component].word) return run->clock->now;
    return actor_of(run, component)->due;
}

orr_devs_counts orr_devs_run_counts(const orr_devs_run *run, uint32_t component)
{
    const bool is_known = run->counts && component < run->model->n_components;
    return is_known ? run->counts[component] : (orr_devs_counts){ 0 };
}

void orr_devs_run_reset_counts(orr_devs_run *run)
{
    if (run->counts) memset(run->counts, 0, run->model->n_components * sizeof *run->counts);
}

orr_devs_facts orr_devs_run_facts(const orr_devs_run *run)
{
    const orr_devs *m = run->model;
    const DevsClock *c = run->clock;
    const size_t n = m->n_components;
    orr_devs_facts facts = {
        .n_components = m->n_components,
        .n_couplings = m->n_reached,
        .n_instants = c->n_instants,
        .n_bags = c->n_bags,
        .n_internal = c->n_internal,
        .n_external = c->n_external,
        .n_confluent = c->n_confluent,
        .n_messages = c->n_messages,
        .n_received = c->n_received,
        .state_bytes = m->own_words * 8,
    };
    facts.model_bytes = sizeof *m + arena_bytes(&m->arena) +
                        (m->n_targets + m->n_outputs) * sizeof *m->targets + n * sizeof *m->spots;
    facts.run_bytes = sizeof *run + run->block_size - facts.state_bytes +
                      (run->agenda.near_capacity + 11) * sizeof *run->agenda.near +
                      (run->agenda.buckets_capacity + 1) * sizeof *run->agenda.heads +
                      (n + run->receivers_capacity + run->scratch_capacity) * sizeof *run->imminent +
                      run->messages_capacity * sizeof *run->messages +
                      run->bags_capacity * sizeof *run->bags + run->pool_capacity * sizeof *run->pool +
                      (run->counts ? n * sizeof *run->counts : 0) +
                      (run->chunk ? run->chunk->n_words * 8 : 0);
    return facts;
}

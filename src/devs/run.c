// src/devs/run.c: one simulation of a coupled model: its memory, and what is asked of it.
#include "base/cancel.h"
#include "base/os.h"
#include "devs/devs.h"
#include "num/random.h"
#include <stdlib.h>
#include <string.h>

static const Place no_place = { 0 };

orr_devs_options orr_devs_options_default(void)
{
    return (orr_devs_options){ .max_bags = DEVS_BAGS_MAX, .max_memory = DEVS_MEMORY_MAX };
}

// ---- Memory

static size_t up_64(size_t n) { return (n + 63) & ~(size_t)63; }

// Where the parts of the block begin; the states stand last.
typedef struct Layout {
    size_t zero, states, size;
} Layout;

static Layout layout_of(const orr_devs *model)
{
    const uint32_t n = model->n_components;
    Layout at = { .zero = up_64(sizeof(DevsClock)) };
    at.states = at.zero + up_64(n * sizeof(uint32_t));
    at.size = at.states + up_64(model->state_words * 8);
    return at;
}

static void make_block(orr_devs_run *run)
{
    const Layout at = layout_of(run->model);
    run->block_size = at.size;
    run->block = os_large_alloc(at.size);
    run->clock = (DevsClock *)run->block;
    run->zero = (uint32_t *)(run->block + at.zero);
    run->states = run->block + at.states;
    agenda_init(&run->agenda, run->states, run->model->n_components);
}

static void *new_array(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p) arena_no_memory(n * size);
    return p;
}

static void make_actors(orr_devs_run *run)
{
    const orr_devs *model = run->model;
    for (uint32_t b = 0; b < model->n_atomic_decls; b++) {
        const DevsDecl *d = &model->decls.items[model->by_component[b]];
        for (uint32_t i = 0; i < d->n; i++)
            *actor_of(run, d->component + i) = (DevsActor){ .type = d->type_number,
                                                            .component = d->component + i,
                                                            .last = run->options.t_start,
                                                            .due = (double)INFINITY };
    }
    actor_of(run, model->n_components)->component = model->n_components;
}

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
    orr_devs_run *run = new_array(1, sizeof *run);
    run->model = model;
    run->types = new_array(model->n_types, sizeof *run->types);
    memcpy(run->types, model->types, model->n_types * sizeof *run->types);
    run->diag = diag;
    run->options = *options;
    if (run->options.max_bags == 0) run->options.max_bags = DEVS_BAGS_MAX;
    if (run->options.max_memory == 0) run->options.max_memory = DEVS_MEMORY_MAX;
    const size_t n = model->n_components;
    make_block(run);
    run->imminent = new_array(n, sizeof *run->imminent);
    make_actors(run);
    if (options->has_counts) run->counts = new_array(n, sizeof *run->counts);
    run->is_observed = options->has_counts || options->trace;
    const DevsPorts *ports = &model->ports.items[0];
    for (uint32_t i = 0; i < ports->n_inputs; i++)
        if ((ports->inputs[i].size + 7) / 8 > run->inputs.slot_words)
            run->inputs.slot_words = (ports->inputs[i].size + 7) / 8;

    run->clock->now = options->t_start;
    run->call = (orr_devs_call){ .t = options->t_start, .run = run };
    if (model->off_parts.n > 0 || model->gates.n > 0) switches_create(run);
    kernel_begin(run);
    agenda_settle(&run->agenda, model);
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
    free(run->types);
    free(run->pool);
    free(run->counts);
    switches_free(run);
    inputs_free(&run->inputs);
    agenda_free(&run->agenda);
    free(run->imminent);
    free(run->receivers);
    free(run->scratch);
    free(run->messages);
    while (run->chunk) {
        DevsChunk *older = run->chunk->older;
        free(run->chunk);
        run->chunk = older;
    }
    free(run->bags);
    free(run->watched);
    free(run->block);
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
    if (!(t <= t_limit) || isinf(t)) return ORR_STATUS_OK;
    kernel_bag(run, t);
    *done = 1;
    return run->has_failed ? ORR_STATUS_FAILED : ORR_STATUS_OK;
}

void devs_run_wait(orr_devs_run *run, double t)
{
    if (!(t > run->clock->now)) return;
    run->clock->now = run->call.t = t;
    run->clock->bag = 0;
}

orr_status orr_devs_run_advance(orr_devs_run *run, double t)
{
    orr_status status = ORR_STATUS_OK;
    for (int done = 1; done && status == ORR_STATUS_OK;) status = orr_devs_run_step(run, t, &done);
    if (status == ORR_STATUS_OK && t < (double)INFINITY) devs_run_wait(run, t);
    return status;
}

int orr_devs_run_send(orr_devs_run *run, double t, uint32_t port, const void *value)
{
    const DevsPorts *ports = &run->model->ports.items[0];
    if (port >= ports->n_inputs || !(t >= run->clock->now) || isinf(t)) return 0;
    inputs_add(&run->inputs, t, port, value, ports->inputs[port].size);
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

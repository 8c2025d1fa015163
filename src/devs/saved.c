// src/devs/saved.c: a run as bytes, and back.
//
//     SavedHead    the clock, how much follows of what, who is due in the next bag of this instant
//     components   of each: last transition, when it is due, what that lacks, the words of its state (zeros
//                  for an object)
//     pool         the memory of the queues
//     inputs       messages from outside that are still to come, each with its value
//     switches     if there are any: how often each has begun as new, which components and gates are off
//     counts       of each component, if they are kept
//     objects      of each component with a `save` of its own: number of bytes, bytes
//
// The agenda is not saved: times say all, and its inner order has no meaning. So equal runs give equal
// bytes, whatever way led to them.
#include "devs/devs.h"
#include <stdlib.h>
#include <string.h>

typedef struct SavedHead {
    DevsClock clock;
    uint64_t n_components, state_words;    // to recognise a run of the same model by
    uint64_t n_pool, n_inputs;             // words, messages
    uint64_t n_counts;                     // n_components or, if they were not kept, 0
    uint64_t n_objects;                    // bytes
    uint64_t has_switches;                 // 0 or 1
} SavedHead;

typedef struct SavedInput {
    double t;
    uint64_t port;
} SavedInput;

static size_t up_8(size_t n) { return (n + 7) & ~(size_t)7; }

static size_t saved_input_size(const orr_devs_run *run)
{
    return sizeof(SavedInput) + run->inputs.slot_words * 8;
}

static size_t state_words(const orr_devs *model, uint32_t component)
{
    return model->spots[component + 1].word - model->spots[component].word - sizeof(DevsActor) / 8;
}

static const orr_atomic *type_of(const orr_devs_run *run, uint32_t component)
{
    return run->model->types[actor_of(run, component)->type];
}

static orr_devs_call call_for(const orr_devs_run *run, uint32_t component)
{
    orr_devs_call call = run->call;
    call.component = component;
    return call;
}

static uint64_t n_counts(const orr_devs_run *run) { return run->counts ? run->model->n_components : 0; }

// Bytes of all objects; false: one cannot be saved.
static bool measure_objects(const orr_devs_run *run, uint64_t *bytes)
{
    *bytes = 0;
    for (uint32_t i = 0; run->model->has_objects && i < run->model->n_components; i++) {
        const orr_atomic *type = type_of(run, i);
        if (!type->destroy) continue;
        if (!type->save) return false;
        const orr_devs_call call = call_for(run, i);
        *bytes += 8 + up_8(type->save(actor_of(run, i) + 1, NULL, &call));
    }
    return true;
}

static size_t switches_size(const orr_devs *model)
{
    return up_8(model->n_components * sizeof(uint32_t)) + up_8(model->n_components) + up_8(model->gates.n);
}

static size_t fixed_size(const orr_devs *model, uint64_t n_zero)
{
    return sizeof(SavedHead) + up_8(n_zero * sizeof(uint32_t)) + model->n_components * 3 * sizeof(double) +
           model->own_words * 8;
}

size_t orr_devs_run_size(const orr_devs_run *run)
{
    uint64_t objects;
    if (!measure_objects(run, &objects)) return 0;
    return fixed_size(run->model, run->clock->n_zero) + pool_words(run) * 8 +
           run->inputs.n * saved_input_size(run) + n_counts(run) * sizeof *run->counts + objects +
           (run->switches ? switches_size(run->model) : 0);
}

// ---- Saving

static char *write_bytes(char *p, const void *from, size_t n)
{
    if (n > 0) memcpy(p, from, n);
    return p + n;
}

static int by_order(const void *a, const void *b)
{
    const DevsInput *x = a;
    const DevsInput *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

static char *save_inputs(const orr_devs_run *run, char *p)
{
    const DevsInputs *inputs = &run->inputs;
    Arena work = { 0 };
    DevsInput *sorted = ARENA_ARRAY(&work, DevsInput, inputs->n + 1);
    if (inputs->n > 0) memcpy(sorted, inputs->heap, inputs->n * sizeof *sorted);
    qsort(sorted, inputs->n, sizeof *sorted, by_order);
    for (uint32_t i = 0; i < inputs->n; i++) {
        const SavedInput saved = { sorted[i].t, sorted[i].port };
        p = write_bytes(p, &saved, sizeof saved);
        p = write_bytes(p, inputs->values + (size_t)sorted[i].slot * inputs->slot_words,
                        inputs->slot_words * 8);
    }
    arena_free(&work);
    return p;
}

static char *save_switches(const orr_devs_run *run, char *p)
{
    const DevsSwitches *s = run->switches;
    const size_t n = run->model->n_components;
    memset(p, 0, switches_size(run->model));
    write_bytes(p, s->n_begun, n * sizeof *s->n_begun);
    p += up_8(n * sizeof *s->n_begun);
    write_bytes(p, s->is_off, n);
    p += up_8(n);
    write_bytes(p, s->gate_off, run->model->gates.n);
    return p + up_8(run->model->gates.n);
}

static const char *load_switches(orr_devs_run *run, const char *p)
{
    const size_t n = run->model->n_components;
    switches_create(run);
    DevsSwitches *s = run->switches;
    memcpy(s->n_begun, p, n * sizeof *s->n_begun);
    p += up_8(n * sizeof *s->n_begun);
    for (size_t i = 0; i < n; i++) s->is_off[i] = p[i] != 0;
    p += up_8(n);
    for (size_t i = 0; i < run->model->gates.n; i++) s->gate_off[i] = p[i] != 0;
    return p + up_8(run->model->gates.n);
}

void orr_devs_run_save(const orr_devs_run *run, void *bytes)
{
    const orr_devs *model = run->model;
    SavedHead head = { .clock = *run->clock,
                       .n_components = model->n_components,
                       .state_words = model->state_words,
                       .n_pool = pool_words(run),
                       .n_inputs = run->inputs.n,
                       .n_counts = n_counts(run),
                       .has_switches = run->switches != NULL };
    if (!measure_objects(run, &head.n_objects)) return;
    char *p = write_bytes(bytes, &head, sizeof head);
    const size_t zero_bytes = run->clock->n_zero * sizeof *run->zero;
    memset(p, 0, up_8(zero_bytes));
    for (uint64_t i = 0; i < run->clock->n_zero; i++)
        ((uint32_t *)(void *)p)[i] = actor_at(run, run->zero[i])->component;
    p += up_8(zero_bytes);
    for (uint32_t i = 0; i < model->n_components; i++) {
        const DevsActor *actor = actor_of(run, i);
        const double times[3] = { actor->last, actor->due, actor->rest };
        p = write_bytes(p, times, sizeof times);
        const size_t n = state_words(model, i) * 8;
        if (model->types[actor->type]->destroy) memset(p, 0, n);
        else write_bytes(p, actor + 1, n);
        p += n;
    }
    p = write_bytes(p, run->pool, head.n_pool * 8);
    p = save_inputs(run, p);
    if (run->switches) p = save_switches(run, p);
    p = write_bytes(p, run->counts, head.n_counts * sizeof *run->counts);
    for (uint32_t i = 0; model->has_objects && i < model->n_components; i++) {
        const orr_atomic *type = type_of(run, i);
        if (!type->destroy) continue;
        const orr_devs_call call = call_for(run, i);
        const uint64_t n = type->save(actor_of(run, i) + 1, NULL, &call);
        p = write_bytes(p, &n, sizeof n);
        memset(p, 0, up_8(n));
        type->save(actor_of(run, i) + 1, p, &call);
        p += up_8(n);
    }
}

// ---- Loading

// Is all of it there, and could it be of this model? Nothing is changed yet.
static bool is_of_model(const orr_devs_run *run, const SavedHead *head, const char *bytes, size_t n)
{
    const orr_devs *model = run->model;
    if (head->n_components != model->n_components || head->state_words != model->state_words ||
        head->clock.n_zero > model->n_components || !isfinite(head->clock.now))
        return false;
    const size_t fixed = fixed_size(model, head->clock.n_zero);
    if (n < fixed || head->n_pool > (n - fixed) / 8) return false;
    size_t rest = n - fixed - head->n_pool * 8;
    if (head->n_inputs > rest / saved_input_size(run)) return false;
    rest -= head->n_inputs * saved_input_size(run);
    const size_t for_switches = head->has_switches ? switches_size(model) : 0;
    if (head->has_switches > 1 || for_switches > rest) return false;
    rest -= for_switches;
    if (head->n_counts != 0 && head->n_counts != model->n_components) return false;
    if (head->n_counts > rest / sizeof(orr_devs_counts)) return false;
    rest -= head->n_counts * sizeof(orr_devs_counts);
    if (head->n_objects != rest) return false;

    // who is due in the next bag: no number twice, in any order
    const uint32_t *zero = (const uint32_t *)(const void *)(bytes + sizeof *head);
    Arena work = { 0 };
    bool *seen = ARENA_ARRAY(&work, bool, model->n_components), is_bad = false;
    for (uint32_t i = 0; i < head->clock.n_zero && !is_bad; i++) {
        is_bad = zero[i] >= model->n_components || seen[zero[i]];
        if (!is_bad) seen[zero[i]] = true;
    }
    arena_free(&work);
    if (is_bad) return false;
    const char *p = bytes + sizeof *head + up_8(head->clock.n_zero * sizeof *zero);
    for (uint32_t i = 0; i < model->n_components; i++) {
        double times[3];
        memcpy(times, p, sizeof times);
        if (!(times[0] <= head->clock.now && times[1] >= head->clock.now)) return false;
        p += sizeof times + state_words(model, i) * 8;
    }
    if (head->n_pool > 0) {
        DevsPool pool;
        if (head->n_pool * 8 < sizeof pool) return false;
        memcpy(&pool, p, sizeof pool);
        if (pool.n_words != head->n_pool || head->n_pool > UINT32_MAX) return false;
    }
    p += head->n_pool * 8;
    for (uint64_t i = 0; i < head->n_inputs; i++, p += saved_input_size(run)) {
        SavedInput saved;
        memcpy(&saved, p, sizeof saved);
        if (!isfinite(saved.t) || saved.t < head->clock.now ||
            saved.port >= model->ports.items[0].n_inputs)
            return false;
    }
    p += for_switches + head->n_counts * sizeof(orr_devs_counts);
    for (uint32_t i = 0; model->has_objects && i < model->n_components; i++) {
        if (!type_of(run, i)->destroy) continue;
        uint64_t size;
        if (rest < sizeof size) return false;
        memcpy(&size, p, sizeof size);
        rest -= sizeof size;
        if (size > rest || up_8(size) > rest) return false;
        rest -= up_8(size);
        p += sizeof size + up_8(size);
    }
    return rest == 0;
}

static bool load_objects(orr_devs_run *run, const char *p)
{
    for (uint32_t i = 0; run->model->has_objects && i < run->model->n_components; i++) {
        const orr_atomic *type = type_of(run, i);
        if (!type->destroy) continue;
        const orr_devs_call call = call_for(run, i);
        uint64_t n;
        memcpy(&n, p, sizeof n);
        p += sizeof n;
        if (!type->load || !type->load(actor_of(run, i) + 1, p, n, &call)) return false;
        p += up_8(n);
    }
    return true;
}

int orr_devs_run_load(orr_devs_run *run, const void *bytes, size_t n)
{
    const orr_devs *model = run->model;
    SavedHead head;
    if (n < sizeof head) return 0;
    memcpy(&head, bytes, sizeof head);
    if (!is_of_model(run, &head, bytes, n)) return 0;

    const char *p = (const char *)bytes + sizeof head;
    *run->clock = head.clock;
    for (uint64_t i = 0; i < head.clock.n_zero; i++)
        run->zero[i] = model->spots[((const uint32_t *)(const void *)p)[i]].word;
    p += up_8(head.clock.n_zero * sizeof *run->zero);
    for (uint32_t i = 0; i < model->n_components; i++) {
        DevsActor *actor = actor_of(run, i);
        double times[3];
        memcpy(times, p, sizeof times);
        p += sizeof times;
        actor->last = times[0];
        actor->rest = times[2];
        agenda_set(&run->agenda, model->spots[i].word, times[1]);
        const size_t size = state_words(model, i) * 8;
        if (!model->types[actor->type]->destroy && size > 0) memcpy(actor + 1, p, size);
        p += size;
    }
    agenda_settle(&run->agenda, model);
    pool_load(run, (const uint64_t *)(const void *)p, head.n_pool);
    p += head.n_pool * 8;
    inputs_clear(&run->inputs);
    for (uint64_t i = 0; i < head.n_inputs; i++, p += saved_input_size(run)) {
        SavedInput saved;
        memcpy(&saved, p, sizeof saved);
        inputs_add(run, saved.t, (uint32_t)saved.port, p + sizeof saved, run->inputs.slot_words * 8);
    }
    switches_free(run);    // none saved: all was on
    run->switches = NULL;
    if (head.has_switches) p = load_switches(run, p);
    orr_devs_run_reset_counts(run);
    if (run->counts && head.n_counts) memcpy(run->counts, p, head.n_counts * sizeof *run->counts);
    p += head.n_counts * sizeof *run->counts;
    run->call.t = run->clock->now;
    run->call.rest = run->clock->rest;
    run->has_failed = !load_objects(run, p);
    return !run->has_failed;
}

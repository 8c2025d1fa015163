// src/devs/switch.c: components and couplings switched off and on during a run.
//
// What transition functions ask for is kept until all transitions of the bag are made: within a bag the
// structure is one and the same, so the order of components has no influence. Runs in which nothing is ever
// switched have no memory for it and pay one comparison a message.
#include "devs/devs.h"
#include <stdlib.h>
#include <string.h>

static void *zeroed(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p) arena_no_memory(n * size);
    return p;
}

// The atomic components of a part: a range, since they are numbered depth first.
static void inside(const orr_devs *model, uint32_t part, uint32_t *first, uint32_t *n)
{
    const DevsDecl *d = &model->decls.items[devs_decl_of_part(model, part)];
    *first = d->type ? d->component + (part - d->part) : d->component;
    *n = d->type ? 1 : d->n_inside;
}

void switches_create(orr_devs_run *run)
{
    if (run->switches) return;
    const orr_devs *model = run->model;
    DevsSwitches *s = run->switches = zeroed(1, sizeof *s);
    s->is_off = zeroed((size_t)model->n_components + 1, sizeof *s->is_off);
    s->n_begun = zeroed(model->n_components, sizeof *s->n_begun);
    s->gate_off = zeroed(model->gates.n, sizeof *s->gate_off);
    for (size_t i = 0; i < model->gates.n; i++) s->gate_off[i] = model->gates.items[i].is_off != 0;
    for (size_t i = 0; i < model->off_parts.n; i++) {
        uint32_t first, n;
        inside(model, model->off_parts.items[i], &first, &n);
        memset(s->is_off + first, 1, n);
    }
}

void switches_free(orr_devs_run *run)
{
    DevsSwitches *s = run->switches;
    if (!s) return;
    free(s->is_off);
    free(s->n_begun);
    free(s->gate_off);
    free(s->asked);
    free(s->touched);
    free(s);
}

bool switches_can_reach(const orr_devs_run *run, const DevsTarget *target, uint32_t component)
{
    const DevsSwitches *s = run->switches;
    const orr_devs *model = run->model;
    if (s->is_off[component]) return false;
    // a single target stands elsewhere and has no gates
    if (!model->target_gates || target < model->targets || target >= model->targets + model->n_targets)
        return true;
    const uint32_t list = model->target_gates[target - model->targets];
    if (!list) return true;
    const uint32_t *gates = model->gate_lists + list;
    for (uint32_t i = 1; i <= gates[0]; i++)
        if (s->gate_off[gates[i]]) return false;
    return true;
}

// ---- Switching

// While switches are applied, bit 1 of is_off says that a component is in the list of those touched.
static void touch(DevsSwitches *s, uint32_t component)
{
    if (s->is_off[component] & 2) return;
    s->is_off[component] |= 2;
    if (s->n_touched == s->touched_capacity) {
        s->touched_capacity = vec_next_capacity(s->touched_capacity, s->n_touched + 1);
        s->touched = realloc(s->touched, s->touched_capacity * sizeof *s->touched);
        if (!s->touched) arena_no_memory(s->touched_capacity * sizeof *s->touched);
    }
    s->touched[s->n_touched++] = component;
}

static void begin_again(orr_devs_run *run, uint32_t component)
{
    const orr_devs *model = run->model;
    DevsActor *actor = actor_of(run, component);
    const orr_atomic *type = model->types[actor->type];
    if (type->destroy) type->destroy(actor + 1);
    const size_t words = model->spots[component + 1].word - model->spots[component].word;
    memset(actor + 1, 0, words * 8 - sizeof *actor);
    run->switches->n_begun[component]++;
    kernel_init(run, component);
}

static void trace_switch(const orr_devs_run *run, orr_devs_kind kind, uint32_t component, uint32_t port,
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

static void apply(orr_devs_run *run, const DevsSwitch *what)
{
    DevsSwitches *s = run->switches;
    if (what->is_gate) {
        s->gate_off[what->number] = !what->presence;
        trace_switch(run, ORR_DEVS_COUPLING_SWITCHED, ORR_DEVS_NONE,
                     run->model->gates.items[what->number].coupling, what->presence);
        return;
    }
    uint32_t first, n;
    inside(run->model, what->number, &first, &n);
    for (uint32_t i = first; i < first + n; i++) {
        const uint8_t is_off = what->presence == ORR_DEVS_OFF;
        if (what->presence == ORR_DEVS_AS_NEW) begin_again(run, i);
        else if ((s->is_off[i] & 1) == is_off) continue;    // as it was
        touch(s, i);
        s->is_off[i] = (uint8_t)(2 | is_off);
        trace_switch(run, ORR_DEVS_SWITCHED, i, 0, what->presence);
    }
}

void switches_apply(orr_devs_run *run)
{
    DevsSwitches *s = run->switches;
    s->n_touched = 0;
    for (size_t i = 0; i < s->n_asked; i++) apply(run, &s->asked[i]);
    s->n_asked = 0;
    if (s->n_touched == 0) return;

    // none of them is due any more, whatever it was before; then those that are on say when they are
    sort_ids(s->touched, s->n_touched, &run->scratch, &run->scratch_capacity);
    size_t n_zero = 0;
    for (size_t i = 0; i < s->n_touched; i++) calendar_set(&run->calendar, s->touched[i], (double)INFINITY);
    for (size_t i = 0; i < run->clock->n_zero; i++)
        if (!(s->is_off[run->zero[i]] & 2)) run->zero[n_zero++] = run->zero[i];
    run->clock->n_zero = n_zero;
    for (size_t i = 0; i < s->n_touched; i++) {
        uint8_t *is_off = &s->is_off[s->touched[i]];
        *is_off &= 1;
        if (!*is_off) kernel_schedule(run, s->touched[i]);
    }
}

static bool find_gate(const orr_devs *model, uint32_t coupling, uint32_t *gate)
{
    const uint32_t *found = map_find(&model->gate_numbers, coupling);
    if (found) *gate = *found;
    return found != NULL;
}

static bool ask(orr_devs_run *run, DevsSwitch what)
{
    const orr_devs *model = run->model;
    if (what.is_gate ? !find_gate(model, what.number, &what.number)
                     : what.number >= model->n_parts || what.number == ORR_DEVS_ROOT)
        return false;
    switches_create(run);
    DevsSwitches *s = run->switches;
    if (s->n_asked == s->asked_capacity) {
        s->asked_capacity = vec_next_capacity(s->asked_capacity, s->n_asked + 1);
        s->asked = realloc(s->asked, s->asked_capacity * sizeof *s->asked);
        if (!s->asked) arena_no_memory(s->asked_capacity * sizeof *s->asked);
    }
    s->asked[s->n_asked++] = what;
    return true;
}

static int ask_inside(const orr_devs_call *call, DevsSwitch what)
{
    const bool may = call->run->is_moving;
    if (may && ask(call->run, what)) return 1;
    orr_devs_fail(call, !may           ? "it switches from another function than a transition"
                        : what.is_gate ? "it switches a coupling that is not declared as switched"
                                       : "it switches a component that does not exist");
    return 0;
}

int orr_devs_switch(const orr_devs_call *call, uint32_t part, orr_devs_presence presence)
{
    return ask_inside(call, (DevsSwitch){ .number = part, .presence = (uint8_t)presence });
}

int orr_devs_switch_coupling(const orr_devs_call *call, uint32_t coupling, int is_on)
{
    return ask_inside(call, (DevsSwitch){ .number = coupling, .is_gate = 1, .presence = is_on != 0 });
}

static int switch_now(orr_devs_run *run, DevsSwitch what)
{
    if (run->has_failed || run->is_moving || run->sender || !ask(run, what)) return 0;
    switches_apply(run);
    return !run->has_failed;
}

int orr_devs_run_switch(orr_devs_run *run, uint32_t part, orr_devs_presence presence)
{
    return switch_now(run, (DevsSwitch){ .number = part, .presence = (uint8_t)presence });
}

int orr_devs_run_switch_coupling(orr_devs_run *run, uint32_t coupling, int is_on)
{
    return switch_now(run, (DevsSwitch){ .number = coupling, .is_gate = 1, .presence = is_on != 0 });
}

int orr_devs_run_is_on(const orr_devs_run *run, uint32_t component)
{
    return component < run->model->n_components && !(run->switches && run->switches->is_off[component]);
}

// src/devs/switch.c: components and couplings switched off and on during a run.
//
// What transition functions ask for is kept until all transitions of the bag are made: within a bag the
// structure is one and the same, so the order of components has no influence. Runs in which nothing is ever
// switched have no memory for it and pay one comparison a message.
#include "devs/devs.h"
#include <stdlib.h>
#include <string.h>

void switches_create(orr_devs_run *run)
{
    if (run->switches) return;
    const orr_devs *model = run->model;
    DevsSwitches *s = run->switches = devs_zeroed(run, sizeof *s);
    s->is_off = devs_zeroed(run, (size_t)model->n_components + 1);
    s->n_begun = devs_zeroed(run, (model->n_components + 1) * sizeof *s->n_begun);
    s->gate_off = devs_zeroed(run, model->n_gates + 1);
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
static void touch(orr_devs_run *run, uint32_t component)
{
    DevsSwitches *s = run->switches;
    if (s->is_off[component] & 2) return;
    s->is_off[component] |= 2;
    if (s->n_touched == s->touched_capacity) {
        const size_t capacity = kernel_more(s->touched_capacity, s->n_touched + 1);
        s->touched = devs_resize(run, s->touched, capacity * sizeof *s->touched);
        s->touched_capacity = capacity;
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

static void switch_one(orr_devs_run *run, const DevsSwitch *what)
{
    DevsSwitches *s = run->switches;
    if (what->is_gate) {
        s->gate_off[what->first] = !what->presence;
#if IS_ENGINE
        devs_saw_switch(run, ORR_DEVS_COUPLING_SWITCHED, ORR_DEVS_NONE,
                        run->model->gates.items[what->first].coupling, what->presence);
#endif
        return;
    }
    for (uint32_t i = what->first; i < what->first + what->n; i++) {
        const uint8_t is_off = what->presence == ORR_DEVS_OFF;
        if (what->presence == ORR_DEVS_AS_NEW) begin_again(run, i);
        else if ((s->is_off[i] & 1) == is_off) continue;    // as it was
        touch(run, i);
        s->is_off[i] = (uint8_t)(2 | is_off);
#if IS_ENGINE
        devs_saw_switch(run, ORR_DEVS_SWITCHED, i, 0, what->presence);
#endif
    }
}

void switches_apply(orr_devs_run *run)
{
    DevsSwitches *s = run->switches;
    s->n_touched = 0;
    for (size_t i = 0; i < s->n_asked; i++) switch_one(run, &s->asked[i]);
    s->n_asked = 0;
    if (s->n_touched == 0) return;

    // none of them is due any more, whatever it was before; then those that are on say when they are
    sort_ids(run, s->touched, s->n_touched);
    size_t n_zero = 0;
    for (size_t i = 0; i < s->n_touched; i++)
        agenda_set(&run->agenda, run->model->spots[s->touched[i]].word, (double)INFINITY);
    for (size_t i = 0; i < run->clock->n_zero; i++)
        if (!(s->is_off[actor_at(run, run->zero[i])->component] & 2)) run->zero[n_zero++] = run->zero[i];
    run->clock->n_zero = n_zero;
    for (size_t i = 0; i < s->n_touched; i++) {
        uint8_t *is_off = &s->is_off[s->touched[i]];
        *is_off &= 1;
        if (!*is_off) kernel_schedule(run, s->touched[i]);
    }
    agenda_settle(&run->agenda, run->model);
}

void switches_ask(orr_devs_run *run, DevsSwitch what)
{
    switches_create(run);
    DevsSwitches *s = run->switches;
    if (s->n_asked == s->asked_capacity) {
        const size_t capacity = kernel_more(s->asked_capacity, s->n_asked + 1);
        s->asked = devs_resize(run, s->asked, capacity * sizeof *s->asked);
        s->asked_capacity = capacity;
    }
    s->asked[s->n_asked++] = what;
}

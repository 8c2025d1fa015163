// src/run/event.c: what happens at an instant.
//
//     what is due: sources act, time events fire
//     ┌→ modes := truth of the relations, until they agree
//     │  conditions that became true fire; of a when … elsewhen chain the first one
//     └─ bodies run by priority, then in the order of the text; each sees what the ones before it did
//     until nothing fires; then the solver begins anew, if anything changed that it depends on
#include "base/diag.h"
#include "base/text.h"
#include "run/run.h"
#include "solve/solver.h"
#include "solve/stiff/settle.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SETTLE_ALL = 20,          // rounds of modes that depend on one another, all that differ at once
    SETTLE_MAX = 1000,        // and then one by one
    ITERATIONS_MAX = 1000,    // of bodies that make others fire, at one instant
    BURST_MAX = 1000,         // events inside BURST_SPAN before we call it endless
};
#define BURST_SPAN 1e-9    // of the scale of time
#define ROUNDING   1e-11   // of a zero function, beside what it has been

// ---- Life

static int by_priority(const void *a, const void *b)
{
    const FlatEvent *x = *(const FlatEvent *const *)a, *y = *(const FlatEvent *const *)b;
    if (x->priority != y->priority) return x->priority < y->priority ? 1 : -1;
    return (x > y) - (x < y);
}

static void find_ranks(orr_run *run)
{
    const orr_model *model = run->model;
    Arena work = { 0 };
    const FlatEvent **order = ARENA_ARRAY(&work, const FlatEvent *, model->n_events);
    for (uint32_t i = 0; i < model->n_events; i++) order[i] = &model->flat.events.items[i];
    qsort(order, model->n_events, sizeof *order, by_priority);
    for (uint32_t i = 0; i < model->n_events; i++) run->rank[order[i] - model->flat.events.items] = i;
    arena_free(&work);
}

// Which condition reads each relation; MANY if there are several, or if another relation does.
static void find_readers(orr_run *run)
{
    const orr_model *model = run->model;
    const Flat *flat = &model->flat;
    Arena work = { 0 };
    for (uint32_t i = 0; i < model->n_relations; i++) run->reader[i] = EVENT_NONE;
    for (uint32_t i = 0; i < model->n_events + model->n_relations; i++) {
        const bool is_event = i < model->n_events;
        const Expr root = is_event ? flat->events.items[i].condition
                                   : flat->relations.items[i - model->n_events].relation;
        if (root == EXPR_NONE) continue;
        size_t n;
        const ArenaMark mark = arena_mark(&work);
        const Expr *nodes = expr_collect(&flat->pool, &root, 1, &work, &n);
        for (size_t k = 0; k < n; k++) {
            const ExprNode *node = expr_node(&flat->pool, nodes[k]);
            if (node->op != EXPR_MODE) continue;
            uint32_t *reader = &run->reader[node->index];
            *reader = is_event && *reader == EVENT_NONE ? i : EVENT_MANY;
        }
        arena_release(&work, mark);
    }
    arena_free(&work);
}

// A body that assigns nothing that rates, relations or remembered values depend on disturbs no solver.
static void find_effects(orr_run *run)
{
    const orr_model *model = run->model;
    const Ir *ir = &model->ir;
    Arena work = { 0 };
    bool *matters = ARENA_ARRAY(&work, bool, model->flat.vars.n);
    const IrProgramId programs[] = { IR_RATES, IR_RELATIONS, IR_HISTORIES };
    VEC(Expr) roots = { 0 };
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
        const IrProgram *program = &ir->programs[programs[p]];
        for (uint32_t i = 0; i < program->n_statements; i++) {
            const IrStatement *s = &program->statements[i];
            if (s->kind == IR_LOOP) memset(matters, true, model->flat.vars.n);    // too many to tell
            if (s->value != EXPR_NONE) vec_push(&work, &roots, s->value);
        }
    }
    for (uint32_t k = 0; k < ir->dynamic_reads.start[model->blocks.dynamic.n_blocks]; k++)
        if (model->blocks.dynamic.n_loops) matters[ir->dynamic_reads.var[k]] = true;    // what loops read
    size_t n;
    const Expr *nodes = expr_collect(&model->flat.pool, roots.items, roots.n, &work, &n);
    for (size_t i = 0; i < n; i++) {
        const ExprNode *node = expr_node(&model->flat.pool, nodes[i]);
        if (node->op != EXPR_VAR) continue;
        // a variable may be another name of what is assigned
        const Expr alias = ir->dynamic_alias[node->index];
        const ExprNode *leaf = alias == EXPR_NONE ? node : expr_node(&model->flat.pool, alias);
        matters[leaf->op == EXPR_VAR ? leaf->index : node->index] = true;
    }
    if (run->net) net_set_effects(run, matters);
    for (uint32_t i = 0; i < model->n_events; i++) {
        const FlatEvent *event = &model->flat.events.items[i];
        for (uint32_t k = 0; k < event->n_actions; k++) {
            const uint32_t target = model->flat.actions.items[event->first_action + k].target;
            run->affects[i] |= matters[target] || ir->layout.state_of[target] != FLAT_NONE;
        }
    }
    arena_free(&work);
}

void event_init(orr_run *run)
{
    const orr_model *model = run->model;
    Arena *arena = &run->arena;
    const size_t n = model->n_events, n_relations = model->n_relations;
    for (size_t i = 0; i < sizeof run->samples / sizeof *run->samples; i++)
        run->samples[i] = ARENA_ARRAY(arena, double, 2 * n_relations);
    run->sample_before = ARENA_ARRAY(arena, double, 2 * n_relations);
    run->x_end = ARENA_ARRAY(arena, double, model->n_states);
    run->t_sample = run->t_sample_before = NAN;
    run->reader = ARENA_ARRAY(arena, uint32_t, n_relations);
    run->zero_scale = ARENA_ARRAY(arena, double, n_relations);
    run->relation_texts = ARENA_ARRAY(arena, const char *, n_relations);
    run->differing = ARENA_ARRAY(arena, uint32_t, n_relations);
    run->is_marked = ARENA_ARRAY(arena, bool, n);
    run->is_state_marked = ARENA_ARRAY(arena, bool, model->n_states);
    find_readers(run);
    if (n == 0 && !run->net) return;
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++)
        if (model->flat.events.items[i].n_actions > most) most = model->flat.events.items[i].n_actions;
    run->conditions = ARENA_ARRAY(arena, double, n);
    run->is_fired = ARENA_ARRAY(arena, bool, n);
    run->fired = ARENA_ARRAY(arena, uint32_t, n);
    run->rank = ARENA_ARRAY(arena, uint32_t, n);
    run->affects = ARENA_ARRAY(arena, bool, n);
    run->left = ARENA_ARRAY(arena, double, most);
    run->causes = ARENA_ARRAY(arena, const char *, n);
    find_ranks(run);
    find_effects(run);
}

// ---- Texts

// What the k-th relation is called in messages; to be freed.
static char *relation_text(const orr_model *model, size_t k)
{
    return run_expr_text(model, model->flat.relations.items[k].relation);
}

const char *event_cause(orr_run *run, uint32_t event)
{
    if (run->causes[event]) return run->causes[event];
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out) arena_no_memory(1);
    flat_print_cause(&run->model->flat, &run->model->flat.events.items[event], out);
    fclose(out);
    run->causes[event] = arena_printf(&run->arena, "%s", text);
    free(text);
    return run->causes[event];
}

static bool observe(orr_run *run, double t, const char *cause, Place place, const char *variable, double left,
                    double right, size_t iteration)
{
    const Place known = run_place(run->model, run->diag, place);
    const size_t line = known.length ? diag_line(run->diag, known) : 0;
    return run->observe(run->observe_context,
                        &(orr_event){ t, cause, line, variable, left, right, iteration });
}

// ---- Modes

size_t event_first_difference(const orr_run *run, const Island *island)
{
    const double *modes = island_modes(island);
    for (size_t i = 0; i < run->model->n_relations; i++)
        if ((run->relations[2 * i + 1] != 0) != (modes[i] != 0)) return i;
    return 0;
}

static orr_status fail_endless(orr_run *run, double t, size_t relation, const char *hint)
{
    char *text = relation_text(run->model, relation);
    diag_report(run->diag, DIAG_ZENO,
                run_place(run->model, run->diag, run->model->flat.relations.items[relation].place), t, text);
    diag_hint(run->diag, "%s", hint);
    free(text);
    return drive_fail(run);
}

static bool observe_mode(orr_run *run, double t, size_t k, bool is_true, size_t iteration)
{
    const FlatRelation *relation = &run->model->flat.relations.items[k];
    if (!relation->in_equation) return true;
    if (!run->relation_texts[k]) {
        char *text = relation_text(run->model, k);
        run->relation_texts[k] = arena_printf(&run->arena, "%s", text);
        free(text);
    }
    const double now = is_true;
    return observe(run, t, run->relation_texts[k], relation->place, NULL, 1 - now, now, iteration);
}

bool event_mode_changed(void *context, size_t k, double t, bool now)
{
    orr_run *run = context;
    if (!observe_mode(run, t, k, now, 1)) run->is_cancelled = true;
    return !run->is_cancelled;
}

// States without a derivative follow what jumped.
static bool settle_loops(orr_run *run, Island *island)
{
    if (settle_implicit(island)) return true;
    drive_fail(run);
    return false;
}

// Where modes go round in circles, a zero function that is nothing but rounding says nothing about its mode:
// it stays what it is. Two diodes in series, without a current, would switch each other for ever.
static bool is_rounding(const orr_run *run, size_t k)
{
    return fabs(run->relations[2 * k]) <= ROUNDING * run->zero_scale[k];
}

static void learn_scales(orr_run *run)
{
    for (size_t k = 0; k < run->model->n_relations; k++) {
        const double size = fabs(run->relations[2 * k]);
        if (size > run->zero_scale[k] && isfinite(size)) run->zero_scale[k] = size;
    }
}

// Modes follow their relations, which may depend on modes. At first all at once; if that leads round and
// round, one by one, always the first that differs: where they switch as diodes do, that ends [Murty 1974].
// *changed: a mode that equations read.
static bool settle(orr_run *run, Island *island, size_t iteration, bool *changed)
{
    double *modes = island_modes(island);
    const size_t n = run->model->n_relations;
    *changed = false;
    if (!settle_loops(run, island)) return false;
    for (int round = 0; n > 0; round++) {
        if (!island_relations(island, island->t, island->x, run->relations)) {
            fault_report(island);
            drive_fail(run);
            return false;
        }
        const size_t first = event_first_difference(run, island);
        bool again = false;
        for (size_t i = 0; i < n && !(again && round > SETTLE_ALL); i++) {
            const double truth = run->relations[2 * i + 1] != 0;
            if (modes[i] == truth || (round > SETTLE_ALL && is_rounding(run, i))) continue;
            modes[i] = truth;
            again = true;
            *changed |= run->model->flat.relations.items[i].in_equation;
            if (run->observe && iteration && !observe_mode(run, island->t, i, truth != 0, iteration))
                return false;
        }
        if (round == 0) learn_scales(run);
        if (!again) break;
        if (!settle_loops(run, island)) return false;
        if (round == SETTLE_MAX) {
            fail_endless(run, island->t, first,
                         "the relation contradicts itself: what it switches makes it false again");
            return false;
        }
    }
    return true;
}

bool event_settle(orr_run *run, Island *island, bool *changed) { return settle(run, island, 0, changed); }

// ---- Conditions

static bool conditions_at(orr_run *run, Island *island, double t, const double *x)
{
    const int failed = code_call(&run->model->code, IR_CONDITIONS, t, x, &island->env, run->conditions);
    if (!failed) return true;
    island_fault(island, FAULT_LOOP, (uint32_t)failed - 1, t, x);
    return false;
}

// Does each condition depend on one of the differing relations only? Then it has no other values in between.
static bool are_apart(orr_run *run, size_t n)
{
    bool apart = true;
    size_t marked = 0;
    for (; marked < n && apart; marked++) {
        const uint32_t k = run->differing[marked], reader = run->reader[k];
        apart = !run->model->flat.relations.items[k].in_equation && reader != EVENT_MANY;
        if (!apart || reader == EVENT_NONE) continue;
        apart = !run->is_marked[reader];
        run->is_marked[reader] = true;
    }
    for (size_t i = 0; i < marked; i++) {
        const uint32_t reader = run->reader[run->differing[i]];
        if (reader < run->model->n_events) run->is_marked[reader] = false;
    }
    return apart;
}

bool event_passes(orr_run *run, Island *island, double t, const double *x, const double *relations)
{
    const orr_model *model = run->model;
    double *modes = island_modes(island);
    size_t n = 0;
    for (uint32_t k = 0; k < model->n_relations; k++)
        if ((relations[2 * k + 1] != 0) != (modes[k] != 0)) run->differing[n++] = k;
    if (!are_apart(run, n)) return false;
    for (size_t i = 0; i < n; i++) modes[run->differing[i]] = 1 - modes[run->differing[i]];
    bool rises = model->n_events > 0 && !conditions_at(run, island, t, x);
    for (uint32_t i = 0; i < model->n_events && !rises; i++)
        rises = run->conditions[i] != 0 && run->truth_before[i] == 0;
    if (rises)
        for (size_t i = 0; i < n; i++) modes[run->differing[i]] = 1 - modes[run->differing[i]];
    else if (model->n_events)
        memcpy(run->truth_before, run->conditions, model->n_events * sizeof *run->conditions);
    return !rises;
}

// Conditions that have become true since the last look fire; of a chain only the first.
static bool fire_conditions(orr_run *run, Island *island, bool is_start)
{
    const orr_model *model = run->model;
    if (model->n_events == 0) return true;
    if (!conditions_at(run, island, island->t, island->x)) {
        fault_report(island);
        drive_fail(run);
        return false;
    }
    uint32_t chain = EVENT_NONE;    // one of this chain has fired
    for (uint32_t i = 0; i < model->n_events; i++) {
        const FlatEvent *event = &model->flat.events.items[i];
        const bool rises = run->conditions[i] != 0 && run->truth_before[i] == 0;
        run->truth_before[i] = run->conditions[i];
        if (!rises || (is_start && !event->at_start) || event->chain == chain) continue;
        chain = event->chain;
        if (event->after == EXPR_NONE) {
            event_fire(run, i);
        } else if (!due_delay(run, i, island->t)) {
            drive_fail(run);
            return false;
        }
    }
    return true;
}

void event_fire(orr_run *run, uint32_t event)
{
    if (run->is_fired[event]) return;
    run->is_fired[event] = true;
    run->fired[run->n_fired++] = event;
}

// ---- Bodies

static double value_of(const orr_run *run, const Island *island, uint32_t variable)
{
    const IrLayout *layout = &run->model->ir.layout;
    const uint32_t state = layout->state_of[variable];
    return state != FLAT_NONE ? island->x[state] : island->env.v[layout->place[variable]];
}

static bool is_assigned_later(const FlatAction *actions, uint32_t k, uint32_t n)
{
    for (uint32_t j = k + 1; j < n; j++)
        if (actions[j].target == actions[k].target) return true;
    return false;
}

static bool check_values(orr_run *run, const Island *island, const FlatAction *actions, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        const double value = value_of(run, island, actions[k].target);
        if (isfinite(value)) continue;
        if (!chance_report(run))
            diag_report(run->diag, DIAG_VALUE_NOT_FINITE, run_place(run->model, run->diag, actions[k].place),
                        run->model->flat.vars.items[actions[k].target].name,
                        isnan(value) ? "not a number in an event" : "infinite in an event", island->t);
        drive_fail(run);
        return false;
    }
    return true;
}

static bool show_body(orr_run *run, const Island *island, uint32_t number, const FlatAction *actions,
                      uint32_t n, size_t iteration)
{
    bool ok = true;
    const Place place = run->model->flat.events.items[number].place;
    for (uint32_t k = 0; k < n && ok; k++) {
        const FlatVar *target = &run->model->flat.vars.items[actions[k].target];
        const double right = value_of(run, island, actions[k].target);
        if (actions[k].is_hidden || is_assigned_later(actions, k, n)) continue;
        if (actions[k].text && right == 0) continue;
        ok = observe(run, island->t, event_cause(run, number), place,
                     actions[k].text ? "terminate" : target->name, run->left[k], right, iteration);
    }
    return ok;
}

static bool run_body(orr_run *run, Island *island, uint32_t number, size_t iteration)
{
    const orr_model *model = run->model;
    const FlatEvent *event = &model->flat.events.items[number];
    const FlatAction *actions = model->flat.actions.items + event->first_action;
    const uint32_t n = event->n_actions;
    if (run->isles) isles_before(run, island, actions, n);
    for (uint32_t k = 0; k < n; k++) run->left[k] = value_of(run, island, actions[k].target);
    island->env.event = number;
    const int failed = code_call(&model->code, IR_EVENT, island->t, island->x, &island->env, island->x);
    if (failed) {
        island_fault(island, FAULT_LOOP, (uint32_t)failed - 1, island->t, island->x);
        fault_report(island);
        drive_fail(run);
        return false;
    }
    if (!check_values(run, island, actions, n)) return false;
    if (run->observe && !show_body(run, island, number, actions, n, iteration)) return false;
    for (uint32_t k = 0; k < n; k++)
        if (actions[k].text && !run->terminated && value_of(run, island, actions[k].target) != 0)
            run->terminated = actions[k].text;
    if (run->net) net_collect(run, island, number);
    if (run->isles) isles_after(run, island, actions, n);
    if (run->n_rests) surface_assigned(run, island, number);
    return surface_fired(run, island, number) == ORR_STATUS_OK;
}

static void sort_fired(orr_run *run)
{
    // nearly always one or two
    for (uint32_t i = 1; i < run->n_fired; i++) {
        const uint32_t event = run->fired[i];
        uint32_t k = i;
        for (; k > 0 && run->rank[run->fired[k - 1]] > run->rank[event]; k--)
            run->fired[k] = run->fired[k - 1];
        run->fired[k] = event;
    }
}

// The events whose bodies ran last, each once, the latest first.
static void remember(orr_run *run, uint32_t event)
{
    uint32_t k = 0;
    while (k < run->n_recent && run->recent[k] != event) k++;
    if (k == run->n_recent && run->n_recent < EVENT_RECENT) run->n_recent++;
    if (k == EVENT_RECENT) k--;
    for (; k > 0; k--) run->recent[k] = run->recent[k - 1];
    run->recent[0] = event;
}

static void note_recent(orr_run *run)
{
    const Flat *flat = &run->model->flat;
    for (uint32_t i = run->n_recent; i-- > 0;) {
        const FlatEvent *event = &flat->events.items[run->recent[i]];
        StrBuf names = { 0 };
        for (uint32_t k = 0; k < event->n_actions; k++) {
            const FlatAction *action = &flat->actions.items[event->first_action + k];
            if (!action->is_hidden)
                str_addf(&names, "%s'%s'", names.p ? ", " : "", flat->vars.items[action->target].name);
        }
        diag_note(run->diag, run_place(run->model, run->diag, event->place), "this event assigns %s",
                  names.p ? names.p : "nothing");
        str_free(&names);
    }
}

// Events that make each other fire for ever.
static bool report_cycle(orr_run *run, double t)
{
    const Flat *flat = &run->model->flat;
    StrBuf texts = { 0 };
    for (uint32_t i = run->n_recent; i-- > 0;)
        str_addf(&texts, "%s'%s'", texts.p ? ", " : "", event_cause(run, run->recent[i]));
    diag_report(run->diag, DIAG_EVENT_CYCLE,
                run_place(run->model, run->diag, flat->events.items[run->recent[0]].place), t,
                (size_t)ITERATIONS_MAX, texts.p);
    str_free(&texts);
    diag_hint(run->diag,
              "each makes another fire; what they assign must at some time leave all conditions alone");
    note_recent(run);
    drive_fail(run);
    return false;
}

// Events in endless succession, with almost no time between them.
static orr_status report_burst(orr_run *run, const Island *island)
{
    const orr_status status =
        fail_endless(run, island->t, run->event_relation,
                     "a small hysteresis, or a smooth function in its place, ends the chattering");
    diag_note(run->diag, (Place){ 0 }, "%zu events since t = %.10g, one every %.2g", run->n_burst,
              run->burst_start, (island->t - run->burst_start) / (double)run->n_burst);
    note_recent(run);
    return status;
}

// Everything that follows from what has happened so far. *affects: the solver must begin anew.
static bool iterate(orr_run *run, Island *island, bool is_start, bool *affects)
{
    for (size_t iteration = 1;; iteration++) {
        bool changed;
        if (!settle(run, island, iteration, &changed)) return false;
        *affects |= changed;
        if (!fire_conditions(run, island, is_start && iteration == 1)) return false;
        if (is_start && run->model->flat.initial_flag != FLAT_NONE)
            island->env.v[run->model->ir.layout.place[run->model->flat.initial_flag]] = 0;
        if (run->n_fired == 0) break;
        sort_fired(run);
        if (iteration > ITERATIONS_MAX) return report_cycle(run, island->t);
        const uint32_t n = run->n_fired;
        for (uint32_t i = 0; i < n; i++) {
            *affects |= run->affects[run->fired[i]];
            if (!run_body(run, island, run->fired[i], iteration)) return false;
            run->n_bodies++;
            remember(run, run->fired[i]);
            run->is_fired[run->fired[i]] = false;
        }
        run->n_fired = 0;
    }
    // the beginning of the next step
    const size_t n = run->model->n_relations;
    if (n) memcpy(run->samples[0], run->relations, 2 * n * sizeof *run->relations);
    run->t_sample = island->t;
    run->t_sample_before = NAN;
    return true;
}

// ---- Messages

static void run_fired(orr_run *run, uint32_t event, bool *affects)
{
    *affects |= run->affects[event];
    run->n_bodies++;
    remember(run, event);
}

// What a message says is kept, and the bodies that wait for it run.
static bool deliver(orr_run *run, Island *island, uint32_t number, const double *values, size_t iteration,
                    bool *affects)
{
    const orr_model *model = run->model;
    const FlatPort *port = &model->flat.ports.items[number];
    *affects |= net_affects(run, number);
    for (uint32_t k = 0; port->first != FLAT_NONE && k < port->n_values; k++) {
        const uint32_t variable = port->first + k;
        double *v = &island->env.v[model->ir.layout.place[variable]];
        const double left = *v;
        *v = port->kind == FLAT_PORT_COUNT ? *v + 1 : values[k];
        if (!isfinite(*v)) {
            diag_report(run->diag, DIAG_VALUE_NOT_FINITE, run_place(model, run->diag, port->place),
                        model->flat.vars.items[variable].name, "not finite in a message", island->t);
            drive_fail(run);
            return false;
        }
        if (run->observe && !observe(run, island->t, "message", port->place,
                                     model->flat.vars.items[variable].name, left, *v, iteration))
            return false;
    }
    for (uint32_t k = model->network->first_on[number]; k < model->network->first_on[number + 1]; k++) {
        const uint32_t event = model->network->on[k];
        if (!run_body(run, island, event, iteration)) return false;
        run_fired(run, event, affects);
    }
    return true;
}

// Islands have told their first values: conditions that hold with them have held before.
static bool hear_first(orr_run *run, Island *island, bool *affects)
{
    bool changed;
    if (!settle(run, island, 0, &changed)) return false;
    *affects |= changed;
    if (run->model->n_events == 0) return true;
    if (!conditions_at(run, island, island->t, island->x)) {
        fault_report(island);
        drive_fail(run);
        return false;
    }
    memcpy(run->truth_before, run->conditions, run->model->n_events * sizeof *run->conditions);
    return true;
}

// Bag after bag, until nothing more happens at this instant.
static bool exchange(orr_run *run, Island *island, bool *affects, orr_status *status)
{
    *status = ORR_STATUS_OK;
    for (size_t round = 1; run->net; round++) {
        bool done;
        size_t n;
        *status = net_bag(run, island->t, &done, &n);
        if (*status == ORR_STATUS_FAILED) drive_fail(run);
        if (*status != ORR_STATUS_OK) return false;
        if (!done) break;
        const bool has_news = run->isles && isles_have_news(run, island, affects);
        if (n == 0 && !has_news) continue;
        if (n > 0 && net_goes_round(run, island->t, round)) return drive_fail(run), false;
        isles_compare(run, island, true);
        if (run->is_starting && has_news && !hear_first(run, island, affects)) return false;
        for (size_t i = 0; i < n; i++) {
            uint32_t port;
            const double *values = net_arrival(run, i, &port);
            if (!deliver(run, island, port, values, round, affects)) return false;
        }
        if (!iterate(run, island, false, affects)) return false;
        isles_compare(run, island, false);
    }
    return true;
}

// The same, until all have heard of what jumped.
static bool exchange_all(orr_run *run, Island *island, bool *affects, orr_status *status)
{
    do {
        if (!exchange(run, island, affects, status)) return false;
    } while (isles_spread(run, island));
    return true;
}

// `reinit` blocks hear of everything that has come, one after the other.
static bool reinit(orr_run *run, Island *island, bool *affects)
{
    const Flat *flat = &run->model->flat;
    bool ok = true;
    for (size_t i = 0; i < run->reinits.n && ok; i++) {
        const RunReinit *what = &run->reinits.items[i];
        const double told[FLAT_N_REINIT] = { [FLAT_REINIT_PERTURBED] = what->is_perturbation,
                                             [FLAT_REINIT_VARIABLE] = (double)what->variable,
                                             [FLAT_REINIT_VALUE] = what->value };
        for (int k = 0; k < FLAT_N_REINIT; k++)
            if (flat->reinit[k] != FLAT_NONE)
                island->env.v[run->model->ir.layout.place[flat->reinit[k]]] = told[k];
        for (uint32_t e = 0; e < run->model->n_events; e++)
            if (flat->events.items[e].kind == FLAT_REINIT) event_fire(run, e);
        sort_fired(run);
        const uint32_t n = run->n_fired;
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t event = run->fired[k];
            ok = ok && run_body(run, island, event, 1);
            if (ok) run_fired(run, event, affects);
            run->is_fired[event] = false;
        }
        run->n_fired = 0;
    }
    run->reinits.n = 0;
    return ok;
}

static bool keep_past(orr_run *run, Island *island)
{
    if (run->model->flat.pres.n == 0) return true;
    const int failed = code_call(&run->model->code, IR_PRES, island->t, island->x, &island->env, NULL);
    if (!failed) return true;
    island_fault(island, FAULT_LOOP, (uint32_t)failed - 1, island->t, island->x);
    fault_report(island);
    drive_fail(run);
    return false;
}

static orr_status failed(const orr_run *run)
{
    return run->is_failed ? ORR_STATUS_FAILED : ORR_STATUS_CANCELLED;
}

// What happened at this instant is over; with affects the solver begins anew.
static orr_status end_event(orr_run *run, Island *island, bool affects)
{
    if (!slide_after_event(run, island)) slide_exit(run, island);
    run->values_valid = false;
    if (affects || run->event_is_located) {
        island->t_before = island->t;
        if (!surface_restart(run, island)) return drive_fail(run);    // also puts a new grid where the island
                                                                      // stands
    }
    run->event_is_located = false;
    watch_look(run, island);    // what jumped may break a claim here already
    return ORR_STATUS_OK;
}

orr_status event_exchange(orr_run *run, Island *island)
{
    bool affects = false;
    orr_status status;
    const size_t n_bodies = run->n_bodies;
    slide_before(island);
    if (!exchange_all(run, island, &affects, &status)) return status != ORR_STATUS_OK ? status : failed(run);
    if (run->terminated) return ORR_STATUS_TERMINATED;
    return affects || run->n_bodies > n_bodies ? end_event(run, island, affects) : ORR_STATUS_OK;
}

orr_status event_handle(orr_run *run, Island *island)
{
    if (!run->event_waits) return ORR_STATUS_OK;
    run->event_waits = false;
    run->n_events++;
    if (run->n_burst == 0 || island->t - run->burst_start > BURST_SPAN * surface_scale(run, island)) {
        run->burst_start = island->t;
        run->n_burst = 0;
    }
    if (++run->n_burst > BURST_MAX) return report_burst(run, island);
    bool acted, affects = false;
    const size_t n_bodies = run->n_bodies;
    const bool ended = island->surface.ends;
    slide_before(island);
    if (ended) slide_exit(run, island);
    orr_status status = net_catch_up(run, island->t);
    if (status != ORR_STATUS_OK) return status == ORR_STATUS_FAILED ? drive_fail(run) : status;
    if (!keep_past(run, island)) return ORR_STATUS_FAILED;
    isles_compare(run, island, true);
    if (run->reinits.n && !reinit(run, island, &affects)) return failed(run);
    if (!due_act(run, island->t, &acted)) return run->is_cancelled ? ORR_STATUS_CANCELLED : drive_fail(run);
    affects |= acted || ended;
    if (!iterate(run, island, false, &affects)) return failed(run);
    isles_compare(run, island, false);
    if (!exchange_all(run, island, &affects, &status)) return status != ORR_STATUS_OK ? status : failed(run);
    if (affects && !acted && !ended && run->n_bodies == n_bodies) slide_enter(run, island);
    return end_event(run, island, affects);
}

orr_status event_start(orr_run *run, Island *island)
{
    const orr_model *model = run->model;
    run->n_fired = run->n_recent = 0;
    run->terminated = NULL;
    run->t_sample = run->t_sample_before = NAN;
    surface_start(run, island);
    if (model->n_events == 0 && !run->net) return ORR_STATUS_OK;
    memset(run->is_fired, 0, model->n_events * sizeof *run->is_fired);
    bool acted, affects = false;
    if (!keep_past(run, island)) return ORR_STATUS_FAILED;
    if (model->n_events && !conditions_at(run, island, island->t, island->x))
        return fault_report(island), drive_fail(run);
    for (uint32_t i = 0; i < model->n_events; i++)
        run->truth_before[i] = model->flat.events.items[i].at_start ? 0 : run->conditions[i];
    net_start_switches(run, run->conditions);
    if (model->flat.initial_flag != FLAT_NONE)
        island->env.v[model->ir.layout.place[model->flat.initial_flag]] = 1;
    if (!due_act(run, island->t, &acted)) return drive_fail(run);
    if (!iterate(run, island, true, &affects)) return failed(run);
    orr_status status;
    if (!exchange(run, island, &affects, &status)) return status != ORR_STATUS_OK ? status : failed(run);
    if (run->isles) isles_forget(run);    // nothing has jumped: it begins so
    // a solver of quantised states has computed its rates already
    if (island->solver->advance && (acted || affects) && !surface_restart(run, island))
        return drive_fail(run);
    run->values_valid = false;
    return ORR_STATUS_OK;
}

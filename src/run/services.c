// src/run/services.c: what a run does for the engine: messages for people, observers, times of events.
//
// The engine decides what happens (src/engine); here it is told, in the words of the model.
#include "base/cancel.h"
#include "base/diag.h"
#include "base/text.h"
#include "run/run.h"
#include "solve/solver.h"
#include "solve/stiff/settle.h"
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 6 };    // of states, in a message

static orr_run *run_of(const Island *island) { return island->host; }

// ---- Texts

// What the k-th relation is called in messages; to be freed.
static char *relation_text(const orr_model *model, size_t k)
{
    return run_expr_text(model, model->flat.relations.items[k].relation);
}

// Is there something in an expression that nobody has written: a variable of ours, a part of a table, a draw?
// *owner: the component that such a variable belongs to.
static bool has_internals(const Flat *flat, Expr e, Arena *arena, Text *owner)
{
    VEC(Expr) open = { 0 };
    bool *is_met = ARENA_ARRAY(arena, bool, flat->relations.n), found = false;
    vec_push(arena, &open, e);
    for (size_t k = 0; k < open.n; k++) {
        size_t n;
        const Expr *nodes = expr_collect(&flat->pool, &open.items[k], 1, arena, &n);
        for (size_t i = 0; i < n; i++) {
            const ExprNode *node = expr_node(&flat->pool, nodes[i]);
            if (node->op == EXPR_MODE && !is_met[node->index]) {
                is_met[node->index] = true;
                vec_push(arena, &open, flat->relations.items[node->index].relation);
            }
            found |= node->op >= EXPR_LOOKUP && node->op <= EXPR_DRAW;
            if (node->op != EXPR_VAR || !flat->vars.items[node->index].is_hidden) continue;
            found = true;
            const char *name = flat->vars.items[node->index].name, *dot = strrchr(name, '.');
            if (dot) *owner = (Text){ name, (size_t)(dot - name) };
        }
    }
    return found;
}

// What the user wrote, on one line, if the expression shows something else; NULL: it does not, or the text is
// not at hand.
static const char *written_cause(orr_run *run, Place place, Expr e)
{
    Arena work = { 0 };
    Text owner = { 0 };
    const Text text = text_trim(diag_text(run->diag, run_place(run->model, run->diag, place)));
    const char *cause = NULL;
    if (text.n > 0 && e != EXPR_NONE && has_internals(&run->model->flat, e, &work, &owner)) {
        StrBuf line = { .arena = &run->arena };
        if (owner.n) str_addf(&line, "%.*s: ", (int)owner.n, owner.p);
        for (size_t i = 0; i < text.n; i++) {
            const bool is_blank = isspace((unsigned char)text.p[i]);
            if (is_blank && isspace((unsigned char)text.p[i - 1])) continue;
            str_add_char(&line, is_blank ? ' ' : text.p[i]);
        }
        cause = str_finish(&line);
    }
    arena_free(&work);
    return cause;
}

const char *event_cause(orr_run *run, uint32_t event)
{
    if (run->causes[event]) return run->causes[event];
    const FlatEvent *flat = &run->model->flat.events.items[event];
    const bool is_timed = flat->kind == FLAT_AT || flat->kind == FLAT_EVERY;
    const Expr parts[] = { flat->kind == FLAT_WHEN ? flat->condition : EXPR_NONE,
                           is_timed ? flat->time : EXPR_NONE, is_timed ? flat->from : EXPR_NONE,
                           flat->after };
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !run->causes[event]; i++)
        run->causes[event] = written_cause(run, flat->place, parts[i]);
    if (run->causes[event]) return run->causes[event];
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out) arena_no_memory(1);
    flat_print_cause(&run->model->flat, &run->model->flat.events.items[event], out);
    memory_close(out, &text);
    run->causes[event] = arena_printf(&run->arena, "%s", text);
    free(text);
    return run->causes[event];
}

bool event_observe(orr_run *run, double t, const char *cause, Place place, const char *variable, double left,
                    double right, size_t iteration)
{
    const Place known = run_place(run->model, run->diag, place);
    const size_t line = known.length ? diag_line(run->diag, known) : 0;
    return run->observe(run->observe_context,
                        &(orr_event){ t, cause, line, variable, left, right, iteration });
}

// ---- Observers

static bool observe_mode(orr_run *run, double t, size_t k, bool is_true, size_t iteration)
{
    const FlatRelation *relation = &run->model->flat.relations.items[k];
    if (!relation->in_equation) return true;
    if (!run->relation_texts[k])
        run->relation_texts[k] = written_cause(run, relation->place, relation->relation);
    if (!run->relation_texts[k]) {
        char *text = relation_text(run->model, k);
        run->relation_texts[k] = arena_printf(&run->arena, "%s", text);
        free(text);
    }
    const double now = is_true;
    return event_observe(run, t, run->relation_texts[k], relation->place, NULL, 1 - now, now, iteration);
}

bool event_mode_changed(void *context, size_t k, double t, bool now)
{
    orr_run *run = context;
    if (!observe_mode(run, t, k, now, 1)) run->island.is_cancelled = true;
    return !run->island.is_cancelled;
}

static bool see_mode(Island *island, uint32_t relation, bool now, size_t iteration)
{
    orr_run *run = run_of(island);
    return !run->observe || observe_mode(run, island->t, relation, now, iteration);
}

static bool is_assigned_later(const FlatAction *actions, uint32_t k, uint32_t n)
{
    for (uint32_t j = k + 1; j < n; j++)
        if (actions[j].target == actions[k].target) return true;
    return false;
}

static bool see_body(Island *island, uint32_t number, size_t iteration)
{
    orr_run *run = run_of(island);
    const FlatEvent *event = &run->model->flat.events.items[number];
    const FlatAction *actions = run->model->flat.actions.items + event->first_action;
    const EngineAction *assigned = run->model->tables.actions + event->first_action;
    const uint32_t n = event->n_actions;
    bool ok = true;
    if (!run->observe) return true;
    const Place place = event->place;
    for (uint32_t k = 0; k < n && ok; k++) {
        const FlatVar *target = &run->model->flat.vars.items[actions[k].target];
        const double right = assigned[k].state != ENGINE_NONE ? island->x[assigned[k].state]
                                                               : island->env.v[assigned[k].place];
        if (actions[k].is_hidden || is_assigned_later(actions, k, n)) continue;
        if (actions[k].text && right == 0) continue;
        ok = event_observe(run, island->t, event_cause(run, number), place,
                     actions[k].text ? "terminate" : target->name, island->left[k], right, iteration);
    }
    return ok;
}

// ---- Reports

void surface_names(const orr_model *model, const bool *which, StrBuf *s)
{
    size_t n = 0;
    for (uint32_t i = 0; i < model->n_states; i++) {
        if (!which[i]) continue;
        if (n++ < NAMES)
            str_addf(s, "%s'%s'", s->p ? ", " : "", model_state_name(model, i));
    }
    if (n > NAMES) str_addf(s, " and %zu more", n - NAMES);
}

static void note_recent(orr_run *run)
{
    const Island *island = &run->island;
    const Flat *flat = &run->model->flat;
    for (uint32_t i = island->n_recent; i-- > 0;) {
        const FlatEvent *event = &flat->events.items[island->recent[i]];
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
static void report_cycle(orr_run *run, uint32_t most)
{
    const Flat *flat = &run->model->flat;
    const Island *island = &run->island;
    StrBuf texts = { 0 };
    for (uint32_t i = island->n_recent; i-- > 0;)
        str_addf(&texts, "%s'%s'", texts.p ? ", " : "", event_cause(run, island->recent[i]));
    diag_report(run->diag, DIAG_EVENT_CYCLE,
                run_place(run->model, run->diag, flat->events.items[island->recent[0]].place), island->t,
                (size_t)most, texts.p);
    str_free(&texts);
    diag_hint(run->diag,
              "each makes another fire; what they assign must at some time leave all conditions alone");
    note_recent(run);
}

static void report_endless(orr_run *run, uint32_t relation, const char *hint)
{
    char *text = relation_text(run->model, relation);
    diag_report(run->diag, DIAG_ZENO,
                run_place(run->model, run->diag, run->model->flat.relations.items[relation].place),
                run->island.t, text);
    diag_hint(run->diag, "%s", hint);
    free(text);
}

// Events in endless succession, with almost no time between them.
static void report_burst(orr_run *run, uint32_t relation)
{
    const Island *island = &run->island;
    report_endless(run, relation,
                   "a small hysteresis, or a smooth function in its place, ends the chattering");
    diag_note(run->diag, (Place){ 0 }, "%zu events since t = %.10g, one every %.2g", island->n_burst,
              island->burst_start, (island->t - island->burst_start) / (double)island->n_burst);
    note_recent(run);
}

static void report_value(orr_run *run, uint32_t number, double value)
{
    const FlatAction *action = &run->model->flat.actions.items[number];
    if (chance_report(run)) return;
    diag_report(run->diag, DIAG_VALUE_NOT_FINITE, run_place(run->model, run->diag, action->place),
                run->model->flat.vars.items[action->target].name,
                isnan(value) ? "not a number in an event" : "infinite in an event", run->island.t);
}

static void note_zeno(orr_run *run, uint32_t event)
{
    const Zeno *z = &run->island.zeno[event];
    diag_note(run->diag, (Place){ 0 }, "it fired %zu times, each time after %.3g of the time before", z->n,
              z->ratio);
}

static void report_zeno(orr_run *run, uint32_t event, const char *why)
{
    diag_report(run->diag, DIAG_ZENO,
                run_place(run->model, run->diag, run->model->flat.events.items[event].place), run->island.t,
                event_cause(run, event));
    diag_hint(run->diag, "%s", why);
    note_zeno(run, event);
}

static void report_rest(orr_run *run, uint32_t event)
{
    const Zeno *z = &run->island.zeno[event];
    StrBuf names = { 0 };
    if (run->has_rested[event]) return;
    run->has_rested[event] = true;
    surface_names(run->model, run->island.is_state_marked, &names);
    diag_report(run->diag, DIAG_RESTS,
                run_place(run->model, run->diag, run->model->flat.events.items[event].place),
                event_cause(run, event), z->n_shrinking > 1 ? z->limit : run->island.t, names.p);
    if (z->n_shrinking > 1) note_zeno(run, event);
    str_free(&names);
}

static void report_stay(orr_run *run, uint32_t event)
{
    diag_report(run->diag, DIAG_EVENT_STAYS,
                run_place(run->model, run->diag, run->model->flat.events.items[event].place),
                event_cause(run, event), run->island.t);
    diag_hint(run->diag, "to hold a state at a limit write it into its rate: if x < 1 then … else min(…, 0)");
}

static void report_waiting(orr_run *run, uint32_t event)
{
    diag_report(run->diag, DIAG_EVENTS_WAIT,
                run_place(run->model, run->diag, run->model->flat.events.items[event].place), run->island.t,
                (size_t)run->island.n_pending, event_cause(run, event));
    diag_hint(run->diag, "the delay is long compared with the time between two events");
}

static void report_lag(orr_run *run, uint32_t number, double lag)
{
    const orr_model *model = run->model;
    const FlatDelay *delay = &model->flat.delays.items[number];
    const bool moves = delay->moving_plus_1 > 0;
    const FlatDelay *of_lag = moves ? &model->flat.delays.items[delay->moving_plus_1 - 1] : NULL;
    char value[32], *text = run_expr_text(model, moves ? of_lag->source : delay->lag);
    snprintf(value, sizeof value, "%g", lag);
    if (moves) {
        diag_report(run->diag, DIAG_LAG_OUTSIDE, run_place(model, run->diag, delay->place), text, lag,
                    run->island.t);
        diag_hint(run->diag, "it must not be negative, nor longer than 'within' says: %g",
                  run->island.history.lag[delay->moving_plus_1 - 1]);
        free(text);
        return;
    }
    diag_report(run->diag, DIAG_SETTING_VALUE, run_place(model, run->diag, delay->place),
                expr_op(&model->flat.pool, delay->lag) == EXPR_CONST ? "delay" : text, value,
                "a delay must be a positive time");
    free(text);
    run->is_incomplete = true;
}

static void report_rate(orr_run *run, uint32_t event, double rate)
{
    diag_report(run->diag, DIAG_RATE_BAD,
                run_place(run->model, run->diag, run->model->flat.events.items[event].place), rate,
                run->island.t);
    diag_hint(run->diag, "write two, one for each direction, or max(r, 0)");
    run->is_incomplete = true;
}

static void report_time(orr_run *run, uint32_t number, EngineNews news, double value)
{
    const FlatEvent *event = &run->model->flat.events.items[number];
    const char *what = news == ENGINE_BAD_FROM    ? "from"
                       : news == ENGINE_BAD_AFTER ? "after"
                       : event->kind == FLAT_AT   ? "at"
                                                  : "every";
    char text[32];
    if ((event->n_draws || news == ENGINE_BAD_AFTER) && chance_report(run)) return;
    snprintf(text, sizeof text, "%g", value);
    diag_report(run->diag, DIAG_SETTING_VALUE, run_place(run->model, run->diag, event->place), what, text,
                "it must be a positive, finite time");
    run->is_incomplete = true;
}

static void report_sliding(orr_run *run, const Island *island, size_t surface)
{
    const Surface *s = &island->surface;
    const orr_model *model = run->model;
    const size_t n = model->n_states, leader = s->leader[surface];
    if (run->has_slid[leader]) return;
    run->has_slid[leader] = true;
    const FlatRelation *relation = &model->flat.relations.items[leader];
    Arena work = { 0 };
    bool *differ = ARENA_ARRAY(&work, bool, n);
    for (size_t i = 0; i < n; i++) differ[i] = s->sides[i] != s->sides[(surface + 1) * n + i];
    StrBuf names = { 0 };
    surface_names(model, differ, &names);
    char *text = run_expr_text(model, relation->relation);
    diag_report(run->diag, DIAG_SLIDES, run_place(model, run->diag, relation->place), text, island->t,
                names.p ? names.p : "nothing");
    diag_hint(run->diag, "the run follows the surface, as if it switched infinitely often");
    free(text);
    str_free(&names);
    arena_free(&work);
}

// The rate of a state is another one than the mean of both sides.
static void report_mean(orr_run *run, uint32_t state, double mean)
{
    const Surface *s = &run->island.surface;
    const size_t leader = s->leader[s->n_surfaces - 1];
    if (run->has_slid[leader]) return;
    diag_report(run->diag, DIAG_OTHER_MEAN,
                run_place(run->model, run->diag, run->model->flat.relations.items[leader].place),
                model_state_name(run->model, state), run->island.t, s->dx[state], mean);
    diag_hint(run->diag, "a real switch gives the one or the other: model it if this matters");
}

static void report_stiff(orr_run *run)
{
    Island *island = &run->island;
    if (!island->solver->tableau) return;    // it changes by itself
    diag_report(run->diag, DIAG_STIFF, (Place){ 0 }, island->t, island_fastest(island, island->t, island->x));
    diag_hint(run->diag, "use 'solver bdf', or 'solver auto' which changes by itself");
}

static void report_negative(orr_run *run, uint32_t state, double value)
{
    const Island *island = &run->island;
    diag_report(run->diag, DIAG_NOT_POSITIVE, (Place){ 0 }, model_state_name(run->model, state),
                island->t, value);
    diag_hint(run->diag, "%s",
              island->solver->fixed_step
                  ? "a fixed step is not made again: take a shorter one, or dopri5 or bdf"
                  : "its start, an event or its rate take it there: correct these, or do not declare it so");
}

static void report(Island *island, EngineNews news, uint32_t number, double value)
{
    orr_run *run = run_of(island);
    static const char rest[] = "end the sequence in the model: stop, or switch to a state of rest";
    switch (news) {
    case ENGINE_FAULT: fault_report(island); break;
    case ENGINE_CONTRADICTION:
        report_endless(run, number, "the relation contradicts itself: what it switches makes it false again");
        break;
    case ENGINE_BURST: report_burst(run, number); break;
    case ENGINE_CYCLE: report_cycle(run, number); break;
    case ENGINE_BODY_VALUE: report_value(run, number, value); break;
    case ENGINE_BAD_TIME:
    case ENGINE_BAD_FROM:
    case ENGINE_BAD_AFTER: report_time(run, number, news, value); break;
    case ENGINE_TOO_MANY_WAIT: report_waiting(run, number); break;
    case ENGINE_NO_REST: report_zeno(run, number, rest); break;
    case ENGINE_BAD_LAG: report_lag(run, number, value); break;
    case ENGINE_BAD_RATE: report_rate(run, number, value); break;
    case ENGINE_STEP_TOO_SMALL: fault_report_step(island, value); break;
    case ENGINE_NEGATIVE: report_negative(run, number, value); break;
    case ENGINE_STIFF: report_stiff(run); break;
    case ENGINE_RESTS: report_rest(run, number); break;
    case ENGINE_OTHER_MEAN: report_mean(run, number, value); break;
    case ENGINE_SLIDES: report_sliding(run, island, number); break;
    case ENGINE_STAYS: report_stay(run, number); break;
    }
}

// ---- Numbers that are expressions over parameters

static double time_of(Island *island, uint32_t event, EngineTime which)
{
    const FlatEvent *e = &run_of(island)->model->flat.events.items[event];
    const Expr times[] = { [ENGINE_TIME] = e->time, [ENGINE_FROM] = e->from, [ENGINE_AFTER] = e->after };
    return run_parameter(run_of(island), times[which]);
}

static double lag_of(Island *island, uint32_t delay)
{
    return run_parameter(run_of(island), run_of(island)->model->flat.delays.items[delay].lag);
}

static double before(const Island *island, uint32_t delay, double t)
{
    return run_parameter_at(run_of(island), run_of(island)->model->flat.delays.items[delay].before, t);
}

// ---- What others do

static void *grow(Island *island, void *old, size_t n_old, size_t n)
{
    return arena_grow(&run_of(island)->arena, old, n_old, n, 1);
}

static bool act(Island *island, uint32_t number, double t, double *next)
{
    orr_run *run = run_of(island);
    const RunSource *source = &run->sources.items[number];
    const bool ok = source->due(source->context, run, t, next);
    assert(!ok || *next > t);
    return ok;
}

static void at_start(Island *island) { net_start_switches(run_of(island), island->conditions); }

static void before_body(Island *island, uint32_t number)
{
    orr_run *run = run_of(island);
    const FlatEvent *event = &run->model->flat.events.items[number];
    if (run->isles)
        isles_before(run, island, run->model->flat.actions.items + event->first_action, event->n_actions);
}

static bool after_body(Island *island, uint32_t number)
{
    orr_run *run = run_of(island);
    const FlatEvent *event = &run->model->flat.events.items[number];
    if (run->net) net_collect(run, island, number);
    if (run->isles)
        isles_after(run, island, run->model->flat.actions.items + event->first_action, event->n_actions);
    return true;
}

static orr_status tell(Island *island)
{
    return run_of(island)->isles ? isles_tell(run_of(island), island) : ORR_STATUS_OK;
}

static double kink(const Island *island) { return input_kink(run_of(island)); }

static orr_status pass_kink(Island *island, double t)
{
    if (input_move(run_of(island), t)) return ORR_STATUS_OK;
    return island->is_cancelled ? ORR_STATUS_CANCELLED : drive_fail(run_of(island));
}

static double next_message(const Island *island) { return net_next(run_of(island)); }

static orr_status pulse(Island *island, double t, size_t n_steps)
{
    return drive_pulse(run_of(island), t, n_steps);
}

static void watch(Island *island) { watch_look(run_of(island), island); }


static bool is_cancelled(const Island *island) { return cancel_is_set(run_of(island)->cancel); }

const EngineServices run_services = {
    .report = report,
    .time_of = time_of,
    .lag_of = lag_of,
    .before = before,
    .grow = grow,
    .restart = surface_restart,
    .settle_loops = settle_implicit,
    .catch_up = message_catch_up,
    .enter = message_enter,
    .exchange = message_exchange,
    .act = act,
    .conditions = at_start,
    .before_body = before_body,
    .after_body = after_body,
    .see_mode = see_mode,
    .see_body = see_body,
    .tell = tell,
    .kink = kink,
    .pass_kink = pass_kink,
    .next_message = next_message,
    .pulse = pulse,
    .choose = run_choose,
    .watch = watch,
    .is_cancelled = is_cancelled,
    .foresee = clock_foresee,
};

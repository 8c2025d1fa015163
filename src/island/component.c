// src/island/component.c: an island at work: the functions of its atomic.
//
//     start    tell the first values, hear those of others and begin again with them, until nothing changes
//     wait     until the next grid point (quantised: until a state is renewed) or period; tell the outputs
//     spread   a discontinuity: tell the outputs with <iP, Md>, in the next bag of the same instant
//
// The output function moves the run to the present, which is the same at whatever time it is done: nothing
// has come in between. phases.c has the graph.
#include "devs/devs.h"
#include "island/island.h"
#include "solve/solver.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static Component *component_of(const void *state) { return *(Component *const *)state; }

static void enter(Component *c, IslandPhase phase, IslandCause cause)
{
    assert(island_graph[c->phase][cause] >> phase & 1);
    c->phase = phase;
}

static Island *inside(const Component *c) { return &c->run->island; }
static bool is_quantised(const Component *c) { return inside(c)->solver->advance != NULL; }

// What the run said: false if the component stands from now on.
static bool goes_on(Component *c, const orr_devs_call *call, orr_status status)
{
    if (status == ORR_STATUS_OK && !orr_run_is_over(c->run)) return true;
    enter(c, ISLAND_STAND, ISLAND_END);
    if (status != ORR_STATUS_OK && status != ORR_STATUS_TERMINATED)
        orr_devs_fail(call,
                      status == ORR_STATUS_CANCELLED ? "it was cancelled" : "its equations cannot go on");
    return false;
}

// ---- Beginning

// A run with what is known of the external variables; NULL if there is none, with the reasons in `diag`.
static orr_run *begin(Component *c, orr_diag *diag)
{
    const orr_island *type = c->type;
    const orr_island_options *o = &type->options;
    orr_run_options options = c->options;
    Arena work = { 0 };
    orr_setting *settings = ARENA_ARRAY(&work, orr_setting, o->run.n_settings + o->n_params + o->n_inputs);
    orr_input *inputs = ARENA_ARRAY(&work, orr_input, o->run.n_inputs);
    double(*first)[2] = arena_alloc(&work, o->run.n_inputs, sizeof *first);
    size_t n = o->run.n_settings, n_driven = 0;
    for (size_t i = 0; i < n; i++) settings[i] = o->run.settings[i];
    for (size_t i = 0; i < o->n_params; i++)
        if (!isnan(c->params[i])) settings[n++] = (orr_setting){ o->params[i], c->params[i] };
    for (size_t i = 0; i < o->n_inputs; i++) {
        const External *e = &c->externals[i];
        if (!type->inputs[i].is_driven) {
            if (e->is_known) settings[n++] = (orr_setting){ o->inputs[i].variable, e->value };
            continue;
        }
        inputs[n_driven] = o->run.inputs[n_driven];
        first[n_driven][0] = e->value;
        first[n_driven][1] = e->gradient;
        if (e->is_known) inputs[n_driven].self = first[n_driven];
        n_driven++;
    }
    options.settings = settings;
    options.n_settings = n;
    options.inputs = inputs;
    options.n_inputs = n_driven;
    options.t_start = c->t_start;
    orr_run *run = orr_run_create(type->model, &options, diag);
    arena_free(&work);
    return run;
}

static bool has_leaving(const Component *c) { return c->run && c->run->leaving.n > 0; }
static void drop_leaving(Component *c) { c->run->leaving.n = c->run->leaving_values.n = 0; }

// How often islands may tell each other at the first instant: values go through a chain of all of them.
static bool may_hope(const Component *c) { return c->n_rounds < c->type->options.n_islands + 2; }

// Whoever cannot begin yet may be able to when others have told their values, so nothing is said of it
// before.
static void try_to_begin(Component *c, const orr_devs_call *call)
{
    orr_run_destroy(c->run);
    const DiagMark mark = diag_mark(c->diag);
    c->run = begin(c, c->diag);
    if (c->run && c->has_greeted) drop_leaving(c);
    if (c->run) return;
    if (may_hope(c) && c->type->options.n_inputs > 0) {
        diag_rewind(c->diag, &mark);
    } else {
        enter(c, ISLAND_STAND, ISLAND_END);
        orr_devs_fail(call, "its equations cannot begin");
    }
}

static void read_params(Component *c, const void *params)
{
    const orr_island_options *o = &c->type->options;
    const IslandParams *member = c->type->is_member ? params : NULL;
    const double *given = member ? member->values : params;
    double *values = ARENA_ARRAY(&c->arena, double, o->n_params);
    if (given && o->n_params) memcpy(values, given, o->n_params * sizeof *values);
    c->params = values;
    c->options = member ? *member->run : o->run;
    c->options.is_component = true;
    c->output_period = member ? member->output_period : o->output_period;
    c->externals = ARENA_ARRAY(&c->arena, External, o->n_inputs);
    for (size_t i = 0; member && i < o->n_inputs; i++)
        if (!isnan(member->first[i]))
            c->externals[i] = (External){ .value = member->first[i], .t = c->t_start, .is_known = true };
}

static void init(void *state, const void *params, const orr_devs_call *call)
{
    const orr_devs_run *devs = call->run;
    const orr_island *type = (const orr_island *)devs->model->types[actor_of(devs, call->component)->type];
    const orr_island_options *o = &type->options;
    Component *c = calloc(1, sizeof *c);
    if (!c) arena_no_memory(sizeof *c);
    *(Component **)state = c;
    c->type = type;
    c->diag = devs->diag;
    c->t_start = c->period_start = call->t;
    c->t_passing = c->pending_until = NAN;
    c->phase = ISLAND_START;
    c->due = call->t;
    read_params(c, params);
    c->told = arena_alloc(&c->arena, o->n_outputs, sizeof *c->told);
    for (size_t i = 0; i < o->n_outputs; i++) c->told[i][0] = NAN;
    c->signal = arena_alloc(&c->arena, 1, type->signal_size);
    c->dx = ARENA_ARRAY(&c->arena, double, type->model->n_states);
    c->x = ARENA_ARRAY(&c->arena, double, type->model->n_states);
    try_to_begin(c, call);
}

static void destroy(void *state)
{
    Component *c = component_of(state);
    if (!c) return;
    orr_run_destroy(c->run);
    arena_free(&c->arena);
    free(c);
}

// ---- Moving

// Put what has come for a set of external variables into the run; pending ones only, or all that are known.
static bool put_externals(Component *c, bool only_pending)
{
    bool ok = true;
    for (size_t i = 0; i < c->type->options.n_inputs; i++) {
        External *e = &c->externals[i];
        if (!e->is_known || (only_pending && !e->is_pending)) continue;
        const double value = e->value + e->gradient * (c->run->t - e->t);
        e->is_pending = false;
        ok = run_put(c->run, c->type->inputs[i].variable, value, e->gradient) && ok;
    }
    return ok;
}

// To t, reading or telling; what waits for a grid point on the way is taken over there.
static orr_status move_to(Component *c, double t)
{
    if (c->pending_until <= t) {
        const orr_status status = orr_run_advance(c->run, c->pending_until);
        if (status != ORR_STATUS_OK) return status;
        c->pending_until = NAN;
        if (!put_externals(c, true)) return ORR_STATUS_FAILED;
        const orr_status taken = run_take_over(c->run);
        if (taken != ORR_STATUS_OK) return taken;
    }
    return orr_run_advance(c->run, t);
}

static double step_ahead(Component *c, const orr_devs_call *call)
{
    double t;
    const Island *island = inside(c);
    const double t_end = island->options.t_end;
    const orr_status status = run_step_ahead(c->run, island->t < t_end ? t_end : INFINITY, &t);
    return goes_on(c, call, status) ? t : INFINITY;
}

// The end of the next step, which is made if it is not yet.
static double end_of_step(Component *c, const orr_devs_call *call)
{
    const Island *island = inside(c);
    if (island->t > c->run->t && !drive_is_near(island, c->run->t)) return island->t;
    return step_ahead(c, call);
}

// When a state is renewed next, or a condition changes. What an event left due at once happens here, and is
// told in the next bag.
static double next_renewal(Component *c, const orr_devs_call *call)
{
    const orr_run *run = c->run;
    const Island *island = inside(c);
    const size_t most = run->model->n_states + run->model->n_relations;
    bool any = false;
    for (size_t i = 0; i < most && !island->event_waits && island->solver->next(island) <= run->t; i++) {
        any = true;
        if (isinf(step_ahead(c, call))) return INFINITY;
    }
    // a crossing is confirmed where it is, which may be a rounding later
    return any || island->event_waits ? island->t : fmin(island->solver->next(island), due_next(island));
}

// An output at a time inside the step that has been made.
static double output_at(Component *c, size_t variable, double t)
{
    orr_run *run = c->run;
    Island *island = inside(c);
    double *x_kept = run->x;
    const double t_kept = run->t;
    if (t == island->t) memcpy(c->x, island->x, run->model->n_states * sizeof *c->x);
    else domain_state_at(island, t, c->x);
    run->x = c->x;
    run->t = t;
    island->values_valid = false;
    const double value = orr_run_value(run, variable);
    run->x = x_kept;
    run->t = t_kept;
    island->values_valid = false;
    return value;
}

// How far the straight lines that were told are from the outputs at t, in tolerances.
static double lines_miss(Component *c, double t)
{
    const Island *island = inside(c);
    double worst = 0;
    for (size_t i = 0; i < c->type->options.n_outputs; i++) {
        const double value = output_at(c, c->type->outputs[i], t);
        const double line = c->told[i][0] + c->told[i][1] * (t - c->t_told);
        worst = fmax(worst, fabs(value - line) / (island->finest + island->options.tolerance * fabs(value)));
    }
    return worst;
}

// Readers go along the lines that were told, so they hear of it where these leave the tolerance: at the end
// of the step, or before it. A line leaves a smooth curve with the square of the time.
static double where_lines_end(Component *c, double t_end)
{
    enum { TRIES = 8 };
    const double least = fmax(c->t_told, c->run->t) + 1e-10 * fmax(fabs(t_end), t_end - c->t_told);
    double t = t_end;
    if (!c->type->options.tell_gradients || isnan(c->told[0][0]) || isinf(t_end)) return t_end;
    for (int k = 0; k < TRIES && t > least; k++) {
        const double miss = lines_miss(c, t);
        if (!(miss > 1)) return t;
        t = c->t_told + (t - c->t_told) * fmax(0.01, sqrt(0.8 / miss));
    }
    return fmin(fmax(t, least), t_end);
}

// When there is something to tell, if nothing comes.
static double next_tell(Component *c, const orr_devs_call *call)
{
    const orr_island_options *o = &c->type->options;
    const Island *island = inside(c);
    const orr_run *run = c->run;
    if (o->n_outputs == 0) return INFINITY;
    if (c->output_period > 0) return c->period_start + (c->k_period + 1) * c->output_period;
    if (is_quantised(c)) return next_renewal(c, call);
    const bool is_ahead = island->t > run->t && !drive_is_near(island, run->t);
    if (island->solver->fixed_step)
        return is_ahead ? island->t : fmin(drive_grid(island, island->k + 1), due_next(island));
    return where_lines_end(c, end_of_step(c, call));
}

// When a message may leave. An event ends the step that it is found in, so steps are made one by one.
static double next_message(Component *c, const orr_devs_call *call)
{
    if (c->type->options.n_sends == 0 || c->phase == ISLAND_STAND) return INFINITY;
    if (has_leaving(c)) return call->t;
    return is_quantised(c) ? next_renewal(c, call) : end_of_step(c, call);
}

static void set_due(Component *c, const orr_devs_call *call)
{
    c->due_tell = INFINITY;
    if (c->phase == ISLAND_WAIT) {
        c->due_tell = next_tell(c, call);
        if (c->due_tell < call->t) c->due_tell = call->t;    // a grid point that is meant by this time
        c->due = fmin(c->due_tell, next_message(c, call));
        if (c->due < call->t) c->due = call->t;
    } else {
        c->due = c->phase == ISLAND_STAND && !has_leaving(c) ? INFINITY : call->t;
    }
}

static double advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return component_of(state)->due;
}

// ---- Telling

// Value and derivative by time of an algebraic variable, a little later and now.
static double slope_of(Component *c, size_t variable)
{
    orr_run *run = c->run;
    Island *island = inside(c);
    const size_t n = run->model->n_states;
    const double length = island->t - island->t_before;
    const double ahead = length > 0 ? 1e-4 * length : 1e-7 * fmax(1, fabs(run->t));
    double *dx = c->dx, *x = c->x, *x_kept = run->x;
    const double t = run->t, now = orr_run_value(run, variable);
    double later = now;
    if (island_rates_aside(island, t, run->x, dx)) {
        for (size_t i = 0; i < n; i++) x[i] = run->x[i] + ahead * dx[i];
        run->x = x;
        run->t = t + ahead;
        island->values_valid = false;
        later = orr_run_value(run, variable);
        run->x = x_kept;
        run->t = t;
        island->values_valid = false;
    }
    return (later - now) / ahead;
}

static double rate_of(Component *c, uint32_t state)
{
    return island_rates_aside(inside(c), c->run->t, c->run->x, c->dx) ? c->dx[state] : 0;
}

// The i-th output as a message; false if a quantised state was not renewed now.
static bool fill_signal(Component *c, size_t i, orr_signal *signal)
{
    const Island *island = inside(c);
    const size_t variable = c->type->outputs[i];
    const uint32_t state = model_variable(c->run->model, variable).state;
    bool is_renewed = true;
    memset(signal, 0, c->type->signal_size);
    signal->value = orr_run_value(c->run, variable);
    signal->has_gradient = is_quantised(c) || c->type->options.tell_gradients;
    if (is_quantised(c) && state != FLAT_NONE && c->output_period == 0) {
        double value, slope;
        is_renewed = island->solver->quantised(island, state, c->run->t, &value, &slope);
        signal->value = value;
        signal->gradient = slope;
    } else if (signal->has_gradient) {
        signal->gradient = state != FLAT_NONE ? rate_of(c, state) : slope_of(c, variable);
    }
    return is_renewed;
}

static void remember_told(Component *c, size_t i)
{
    c->told[i][0] = c->signal->value;
    c->told[i][1] = c->signal->gradient;
    c->t_told = c->run->t;
}

static void tell(Component *c, const orr_devs_call *call, bool all)
{
    for (size_t i = 0; i < c->type->options.n_outputs; i++) {
        const bool is_renewed = fill_signal(c, i, c->signal);
        if (!is_renewed && !all) continue;
        remember_told(c, i);
        orr_devs_send(call, (uint32_t)i, c->signal);
    }
}

static void tell_discontinuities(Component *c, const orr_devs_call *call)
{
    const orr_island *type = c->type;
    for (size_t i = 0; i < type->options.n_outputs; i++) {
        fill_signal(c, i, c->signal);
        remember_told(c, i);
        for (size_t k = 0; k < c->n_passing; k++) {
            const Passing *passing = &c->passing.items[k];
            if (!passing->spreads) continue;
            c->signal->perturbation = passing->perturbation;
            memcpy(c->signal->passed, passing->known, type->n_words * sizeof *passing->known);
            orr_devs_send(call, (uint32_t)i, c->signal);
        }
    }
}

// Would anybody hear something new at the first instant?
static bool has_news(Component *c)
{
    for (size_t i = 0; c->run && i < c->type->options.n_outputs; i++) {
        fill_signal(c, i, c->signal);
        if (c->signal->value != c->told[i][0] || c->signal->gradient != c->told[i][1]) return true;
    }
    return false;
}

// What events of the model sent from its event outputs. At the first instant, where islands may have to begin
// again with what others tell them, it waits until all have heard of all, and leaves once.
static void send_messages(Component *c, const orr_devs_call *call)
{
    const orr_run *run = c->run;
    if (!has_leaving(c)) return;
    if (!c->has_moved && c->n_waited < c->type->options.n_islands + 2) return;
    if (!c->has_moved) c->has_greeted = true;
    for (size_t i = 0; i < run->leaving.n; i++) {
        const RunMessage *message = &run->leaving.items[i];
        const uint32_t port = c->type->send_of[message->port];
        if (port)
            orr_devs_send(call, (uint32_t)c->type->options.n_outputs + port - 1,
                          run->leaving_values.items + message->first);
    }
    drop_leaving(c);
}

static void output(const void *state, const orr_devs_call *call)
{
    Component *c = component_of(state);
    c->has_moved = c->has_moved || (c->phase == ISLAND_WAIT && call->t > c->t_start);
    switch (c->phase) {
    case ISLAND_START:
        if (has_news(c)) tell(c, call, true);
        return;
    case ISLAND_WAIT:
        if (goes_on(c, call, move_to(c, call->t)) && call->t >= c->due_tell)
            tell(c, call, c->output_period > 0);
        break;
    case ISLAND_SPREAD: tell_discontinuities(c, call); break;
    case ISLAND_STAND:
    case ISLAND_PHASES: break;
    }
    send_messages(c, call);
}

// ---- Transitions

static void act(Component *c, const orr_devs_call *call)
{
    switch (c->phase) {
    case ISLAND_START:
        c->n_rounds++;
        if (!c->run) try_to_begin(c, call);
        if (c->phase == ISLAND_START) enter(c, c->run ? ISLAND_WAIT : ISLAND_START, ISLAND_DUE);
        break;
    case ISLAND_WAIT:
        if (call->t >= c->due_tell) c->k_period++;
        c->n_waited++;
        enter(c, ISLAND_WAIT, ISLAND_DUE);
        break;
    case ISLAND_SPREAD:
        for (size_t k = 0; k < c->n_passing; k++) c->passing.items[k].spreads = false;
        enter(c, ISLAND_WAIT, ISLAND_DUE);
        break;
    case ISLAND_STAND:
    case ISLAND_PHASES: break;
    }
}

// The message as a signal, whatever its port.
static orr_signal read_signal(const Component *c, const orr_devs_event *event, const uint64_t **passed)
{
    *passed = NULL;
    if (c->type->inputs[event->port - 1].is_number)
        return (orr_signal){ .value = *(const double *)event->value };
    const orr_signal *signal = event->value;
    if (signal->perturbation) *passed = signal->passed;
    return (orr_signal){ .value = signal->value,
                         .gradient = signal->has_gradient ? signal->gradient : 0,
                         .has_gradient = signal->has_gradient,
                         .perturbation = signal->perturbation };
}

// A message to an event input of the model, or one that perturbs a state.
static bool is_message(const Component *c, const orr_devs_event *event)
{
    const orr_island_options *o = &c->type->options;
    return event->port > o->n_inputs && event->port <= o->n_inputs + o->n_messages;
}
static bool is_perturbation(const Component *c, const orr_devs_event *event, orr_perturbation *what)
{
    const orr_island_options *o = &c->type->options;
    const size_t first = 1 + o->n_inputs + o->n_messages;
    if (event->port == ISLAND_PERTURB) *what = *(const orr_perturbation *)event->value;
    else if (event->port >= first)
        *what = (orr_perturbation){ c->type->perturbed[event->port - first], *(const double *)event->value };
    else return false;
    return true;
}

// What was read until now, of something continuous, was off by this much at its end.
static void measure(External *e, double t, double value)
{
    e->off = fmax(e->off, fabs(value - (e->value + e->gradient * (t - e->t))));
    e->size = fmax(e->size, fabs(value));
}

static bool keep_externals(Component *c, const orr_devs_call *call, const orr_devs_event *bag, size_t n,
                           bool *changed)
{
    *changed = false;
    for (size_t i = 0; i < n; i++) {
        if (bag[i].port == ISLAND_PERTURB || bag[i].port > c->type->options.n_inputs) continue;
        const uint64_t *passed;
        const orr_signal signal = read_signal(c, &bag[i], &passed);
        const IslandInput *input = &c->type->inputs[bag[i].port - 1];
        External *e = &c->externals[bag[i].port - 1];
        if (c->type->options.expect_gradients && !input->is_number && !signal.has_gradient) {
            orr_devs_fail(call, "a signal came without its gradient, and gradients are expected");
            enter(c, ISLAND_STAND, ISLAND_END);
            return false;
        }
        if (!e->is_known || e->value != signal.value || e->gradient != signal.gradient) *changed = true;
        if (e->is_known && c->has_moved && !signal.perturbation && !input->is_number)
            measure(e, call->t, signal.value);
        e->value = signal.value;
        e->gradient = signal.gradient;
        e->t = call->t;
        e->is_known = true;
        e->is_pending = false;
    }
    return true;
}

static bool has_discontinuity(const Component *c, const orr_devs_event *bag, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bag[i].port == ISLAND_PERTURB || bag[i].port > c->type->options.n_inputs) return true;
        if (c->type->inputs[bag[i].port - 1].is_number) return true;
        if (((const orr_signal *)bag[i].value)->perturbation) return true;
    }
    return false;
}

// At the first instant, before anything has moved: the initial values may depend on what comes.
static void receive_first(Component *c, const orr_devs_call *call)
{
    try_to_begin(c, call);
    if (c->phase == ISLAND_STAND) return;
    const bool again = !c->run || (has_news(c) && may_hope(c));
    enter(c, again ? ISLAND_START : ISLAND_WAIT, ISLAND_UPDATE);
}

// Values of something continuous.
static void receive_updates(Component *c, const orr_devs_call *call)
{
    const Island *island = inside(c);
    const bool keeps_grid = island->solver->fixed_step && !c->type->options.synchronise;
    if (!goes_on(c, call, keeps_grid ? move_to(c, call->t) : run_stop_at(c->run, call->t))) return;
    if (keeps_grid && !drive_is_near(island, call->t)) {
        for (size_t i = 0; i < c->type->options.n_inputs; i++)
            if (c->externals[i].t == call->t) c->externals[i].is_pending = true;
        c->pending_until = island->t;
        enter(c, c->phase, ISLAND_UPDATE);
        return;
    }
    const bool is_grid = island->solver->fixed_step && drive_is_near(island, drive_grid(island, island->k));
    const orr_status status = !put_externals(c, false) ? ORR_STATUS_FAILED
                              : is_grid                ? run_take_over(c->run)
                                                       : run_begin_anew(c->run);
    if (!is_grid) c->n_anew++;
    if (goes_on(c, call, status)) enter(c, c->phase, ISLAND_UPDATE);
}

static bool put_state(Component *c, size_t variable, double value)
{
    const orr_model *model = c->type->model;
    if (variable >= orr_model_n_variables(model)) return false;
    if (model_variable(model, variable).state != FLAT_NONE) return run_put(c->run, variable, value, 0);
    char text[32];
    snprintf(text, sizeof text, "%g", value);
    diag_report(c->run->diag, DIAG_SETTING_VALUE, (Place){ 0 }, model_variable_name(model, variable), text,
                "only states are perturbed");
    return false;
}

static bool reinit(Component *c, const orr_devs_call *call, const orr_reinit *what)
{
    const orr_island_options *o = &c->type->options;
    bool ok = true;
    const RunReinit told = { what->variable, what->value, what->is_perturbation };
    if (o->reinit) ok = o->reinit(o->reinit_context, c->run, what) != 0;
    else if (run_reinit(c->run, &told)) ok = true;    // blocks of the model decide
    else if (what->is_perturbation) ok = put_state(c, what->variable, what->value);
    if (!ok) goes_on(c, call, ORR_STATUS_FAILED);
    return ok;
}

// Something jumps: states by a perturbation, external variables. Everything begins anew here and, if it is
// news, those who read this island are told.
static void receive_jumps(Component *c, const orr_devs_call *call, const orr_devs_event *bag, size_t n)
{
    if (!goes_on(c, call, run_stop_at(c->run, call->t))) return;
    c->pending_until = NAN;
    if (!put_externals(c, false)) {
        goes_on(c, call, ORR_STATUS_FAILED);
        return;
    }
    bool spreads = false;
    for (size_t i = 0; i < n; i++) {
        bool is_new;
        orr_perturbation perturbation;
        if (is_perturbation(c, &bag[i], &perturbation)) {
            Passing *passing = spread_find(c, call->t, spread_identify(c, call->component), &is_new);
            passing->spreads = spreads = true;
            const orr_reinit what = { call->t, true, (size_t)perturbation.variable, perturbation.value };
            if (!reinit(c, call, &what)) return;
            continue;
        }
        const size_t input = bag[i].port - 1, n_inputs = c->type->options.n_inputs;
        if (is_message(c, &bag[i])) {    // what its bodies assign is news to whoever reads this island
            spread_find(c, call->t, spread_identify(c, call->component), &is_new)->spreads = spreads = true;
            run_message(c->run, c->type->messages[input - n_inputs], bag[i].value);
            continue;
        }
        const uint64_t *passed;
        const orr_signal signal = read_signal(c, &bag[i], &passed);
        if (!signal.perturbation && !c->type->inputs[input].is_number) continue;
        const uint64_t id = passed ? signal.perturbation : spread_identify(c, call->component);
        Passing *passing = spread_find(c, call->t, id, &is_new);
        if (!passed || spread_learns(c, passing, passed)) passing->spreads = spreads = true;
        if (passing->is_told[input]) continue;
        passing->is_told[input] = true;
        const orr_reinit what = { call->t, false, c->type->inputs[input].variable, signal.value };
        if (!reinit(c, call, &what)) return;
    }
    if (!goes_on(c, call, run_begin_anew(c->run))) return;
    c->period_start = call->t;
    c->k_period = 0;
    if (spreads) enter(c, ISLAND_SPREAD, ISLAND_DISCONTINUITY);
    else enter(c, c->phase, ISLAND_KNOWN);
}

static void receive(Component *c, const orr_devs_call *call, const orr_devs_event *bag, size_t n)
{
    bool changed;
    if (c->phase == ISLAND_STAND) return;
    c->has_moved = c->has_moved || call->t > c->t_start;
    const bool jumps = has_discontinuity(c, bag, n);
    if (!c->has_moved) {
        if (!keep_externals(c, call, bag, n, &changed)) return;
        if (changed) receive_first(c, call);
        if (c->phase == ISLAND_STAND || !jumps || !c->run) return;
        receive_jumps(c, call, bag, n);
        return;
    }
    // what has come before belongs to the time before
    if (c->pending_until <= call->t && !goes_on(c, call, move_to(c, call->t))) return;
    if (!keep_externals(c, call, bag, n, &changed)) return;
    if (jumps) receive_jumps(c, call, bag, n);
    else receive_updates(c, call);
}

static void internal(void *state, const orr_devs_call *call)
{
    Component *c = component_of(state);
    act(c, call);
    set_due(c, call);
}

static void external(void *state, const orr_devs_call *call, double elapsed, const orr_devs_event *bag,
                     size_t n)
{
    (void)elapsed;
    Component *c = component_of(state);
    receive(c, call, bag, n);
    set_due(c, call);
}

static void confluent(void *state, const orr_devs_call *call, const orr_devs_event *bag, size_t n)
{
    Component *c = component_of(state);
    act(c, call);
    receive(c, call, bag, n);
    set_due(c, call);
}

// ---- Saving

typedef struct SavedComponent {
    double due, due_tell, t_told, period_start, k_period, pending_until;
    uint64_t phase, has_moved, has_greeted, n_rounds, n_perturbations, n_anew, run_size;
} SavedComponent;

// Not in the middle of a discontinuity, nor before the run has begun.
static bool can_save(const Component *c)
{
    return c->run && !has_leaving(c) && (c->phase == ISLAND_WAIT || c->phase == ISLAND_STAND);
}

static size_t save(const void *state, void *bytes, const orr_devs_call *call)
{
    (void)call;
    Component *c = component_of(state);
    const orr_island_options *o = &c->type->options;
    const size_t run_size = can_save(c) ? run_save(c->run, NULL) : 0;
    const size_t own = sizeof(SavedComponent) + o->n_inputs * sizeof(External) +
                       o->n_outputs * sizeof *c->told;
    if (run_size == 0 || !bytes) return run_size ? own + run_size : 0;
    const SavedComponent saved = { .due = c->due,
                                   .due_tell = c->due_tell,
                                   .t_told = c->t_told,
                                   .period_start = c->period_start,
                                   .k_period = c->k_period,
                                   .pending_until = c->pending_until,
                                   .phase = (uint64_t)c->phase,
                                   .has_moved = c->has_moved,
                                   .has_greeted = c->has_greeted,
                                   .n_rounds = c->n_rounds,
                                   .n_perturbations = c->n_perturbations,
                                   .n_anew = c->n_anew,
                                   .run_size = run_size };
    char *out = bytes;
    memcpy(out, &saved, sizeof saved);
    out += sizeof saved;
    // field by field: what lies between them is nobody's
    memset(out, 0, o->n_inputs * sizeof(External));
    for (size_t i = 0; i < o->n_inputs; i++) {
        External *e = (External *)out + i;
        e->value = c->externals[i].value;
        e->gradient = c->externals[i].gradient;
        e->t = c->externals[i].t;
        e->off = c->externals[i].off;
        e->size = c->externals[i].size;
        e->is_known = c->externals[i].is_known;
        e->is_pending = c->externals[i].is_pending;
    }
    out += o->n_inputs * sizeof(External);
    if (o->n_outputs) memcpy(out, c->told, o->n_outputs * sizeof *c->told);
    run_save(c->run, out + o->n_outputs * sizeof *c->told);
    return own + run_size;
}

static int load(void *state, const void *bytes, size_t n, const orr_devs_call *call)
{
    Component *c = component_of(state);
    const orr_island_options *o = &c->type->options;
    const size_t own = sizeof(SavedComponent) + o->n_inputs * sizeof(External) +
                       o->n_outputs * sizeof *c->told;
    SavedComponent saved;
    if (n < own) return 0;
    const char *in = bytes;
    memcpy(&saved, in, sizeof saved);
    if (saved.run_size != n - own || (saved.phase != ISLAND_WAIT && saved.phase != ISLAND_STAND)) return 0;
    if (isnan(saved.due) || isnan(saved.due_tell)) return 0;
    in += sizeof saved;
    for (size_t i = 0; i < o->n_inputs; i++, in += sizeof(External)) {
        double numbers[5];
        memcpy(numbers, in, sizeof numbers);
        c->externals[i] = (External){ .value = numbers[0],
                                      .gradient = numbers[1],
                                      .t = numbers[2],
                                      .off = numbers[3],
                                      .size = numbers[4],
                                      .is_known = in[offsetof(External, is_known)] != 0,
                                      .is_pending = in[offsetof(External, is_pending)] != 0 };
    }
    if (o->n_outputs) memcpy(c->told, in, o->n_outputs * sizeof *c->told);
    in += o->n_outputs * sizeof *c->told;
    c->n_passing = 0;
    c->t_passing = NAN;
    if (!c->run) try_to_begin(c, call);
    if (!c->run || !run_load(c->run, in, (size_t)saved.run_size)) return 0;
    c->phase = (IslandPhase)saved.phase;
    c->due = saved.due;
    c->due_tell = saved.due_tell;
    c->t_told = saved.t_told;
    c->has_greeted = saved.has_greeted != 0;
    c->period_start = saved.period_start;
    c->k_period = saved.k_period;
    c->pending_until = saved.pending_until;
    c->has_moved = saved.has_moved != 0;
    c->n_rounds = (uint32_t)saved.n_rounds;
    c->n_perturbations = saved.n_perturbations;
    c->n_anew = saved.n_anew;
    return 1;
}

const orr_atomic island_functions = {
    .version = ORR_DEVS_VERSION,
    .traits = ORR_ATOMIC_ABSOLUTE,
    .init = init,
    .advance = advance,
    .output = output,
    .internal = internal,
    .external = external,
    .confluent = confluent,
    .save = save,
    .load = load,
    .destroy = destroy,
};

// ---- Looking from outside

orr_run *island_run_at(orr_devs_run *devs, uint32_t component, double t)
{
    const DevsActor *actor = actor_of(devs, component);
    if (component >= devs->model->n_components || devs->model->types[actor->type]->init != init) return NULL;
    Component *c = component_of(actor + 1);
    if (!c->run || c->phase != ISLAND_WAIT) return c->run;
    const orr_devs_call call = { .t = t, .run = devs, .component = component };
    const orr_devs_call kept = devs->call;
    devs->call.component = component;    // whom a message names
    devs->call.t = t;
    goes_on(c, &call, move_to(c, t));
    devs->call = kept;
    return c->run;
}

const orr_run *island_inside(const orr_devs_run *devs, uint32_t component)
{
    return component_of(actor_of(devs, component) + 1)->run;
}

uint64_t island_n_anew(const orr_devs_run *devs, uint32_t component)
{
    const Component *c = component_of(actor_of(devs, component) + 1);
    if (!c->run) return 0;
    const Island *island = inside(c);
    const Solver *solver = island->solver->at_work ? island->solver->at_work(island) : island->solver;
    return solver->traits & SOLVER_MULTISTEP && 4 * c->n_anew > island->n_steps ? c->n_anew : 0;
}

// A method of first order is not spoilt by what is held for one step, and quantised states bound it
// themselves. The tolerance of methods with fixed steps is what others have by default.
IslandReading island_worst_reading(const orr_devs_run *devs, uint32_t component)
{
    const Component *c = component_of(actor_of(devs, component) + 1);
    IslandReading worst = { 0 };
    if (!c->run || is_quantised(c) || inside(c)->solver->order == 1) return worst;
    const Island *island = inside(c);
    for (size_t i = 0; i < c->type->options.n_inputs; i++) {
        const External *e = &c->externals[i];
        const double allowed = island->finest + island->options.tolerance * e->size;
        if (e->off <= 10 * allowed || e->off <= worst.off) continue;
        worst = (IslandReading){ i, e->off, e->size };
    }
    return worst;
}

orr_run *orr_island_run(orr_devs_run *devs, uint32_t component)
{
    return island_run_at(devs, component, orr_devs_run_time(devs));
}

// src/run/run.c: the public side of a run: create, advance, read, run again.
#include "run/run.h"
#include "base/guard.h"
#include "base/diag.h"
#include "base/os.h"
#include "num/instant.h"
#include "solve/noise/noise.h"
#include "solve/solver.h"
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_MOST = 1000, CHUNK_STATES = 200000, STEPS_DEFAULT = 1000 };
// At least so many free steps in a run with relations, so that few changes escape all looks.
#define RELATION_STEPS 50.0

// ---------------------------------------------------------------------------------------------- options

orr_run_options orr_run_options_default(void)
{
    return (orr_run_options){ .t_end = NAN, .seed = 1, .statistics_from = NAN };
}

// What a user gave, or refused with a message.
static bool read_options(orr_run *run, const orr_run_options *given)
{
    orr_diag *diag = run->diag;
    SolverOptions *o = &run->island.options;
    const Place nowhere = { 0 };
    bool ok = true;
    const double t_end = isnan(given->t_end) ? INFINITY : given->t_end;
    if (!isfinite(given->t_start) || t_end < given->t_start) {
        diag_report(diag, DIAG_TIME_BAD, nowhere, given->t_start, given->t_end);
        ok = false;
    }
    if (!isfinite(given->step) || given->step < 0) {
        diag_report(diag, DIAG_STEP_BAD, nowhere, given->step);
        ok = false;
    }
    if (isnan(given->max_step) || given->max_step < 0) {
        diag_report(diag, DIAG_STEP_BAD, nowhere, given->max_step);
        ok = false;
    }
    const double tolerances[] = { given->tolerance, given->absolute };
    for (int i = 0; i < 2; i++) {
        if (isfinite(tolerances[i]) && tolerances[i] >= 0) continue;
        diag_report(diag, DIAG_TOLERANCE_BAD, nowhere, tolerances[i]);
        ok = false;
    }
    o->step = given->step;
    o->tolerance = given->tolerance > 0 ? given->tolerance : 1e-6;
    o->absolute = given->absolute > 0 ? given->absolute : o->tolerance * 1e-3;
    o->has_absolute = given->absolute > 0;
    o->has_tolerance = given->tolerance > 0 || given->absolute > 0 || given->n_absolutes > 0;
    o->max_step = given->max_step > 0 ? given->max_step : INFINITY;
    o->t_end = t_end;
    const double quanta[] = { given->quantum, given->relative_quantum, given->least_quantum };
    for (int i = 0; i < 3; i++) {
        if (isfinite(quanta[i]) && quanta[i] >= 0) continue;
        diag_report(diag, DIAG_QUANTUM_BAD, nowhere, quanta[i]);
        ok = false;
    }
    o->path = given->path;
    o->quantum = given->quantum;
    o->relative = given->relative_quantum;
    o->least = given->least_quantum;
    run->island.t_begin = given->t_start;
    run->cancel = given->cancel;
    run->observe = given->event;
    run->observe_context = given->event_context;
    run->island.on_mode = run->observe ? event_mode_changed : NULL;
    run->island.mode_context = run;
    run->trace = given->trace;
    run->trace_context = given->trace_context;
    run->max_seconds = given->max_seconds;
    return ok;
}

static bool is_element(const char *name, const char *array)
{
    const size_t n = strlen(array);
    return strncmp(name, array, n) == 0 && name[n] == '[';
}

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const orr_written *)a)->name,
                    y = (uintptr_t)((const orr_written *)b)->name;
    return (x > y) - (x < y);
}

Place run_written(const orr_run_options *options, const char *name, orr_diag *diag)
{
    if (!name || options->n_written == 0) return (Place){ 0 };
    const orr_written key = { .name = name };
    const orr_written *found = bsearch(&key, options->written, options->n_written, sizeof key, by_address);
    return found ? diag_place(diag, found->place) : (Place){ 0 };
}

// What is given for single states, such as their quanta: what[n_states], 0 for all others.
static bool read_of_states(orr_run *run, const orr_run_options *given, const orr_setting *settings, size_t n,
                           bool is_quantum, const double **what)
{
    const orr_model *model = run->model;
    if (n == 0) return true;
    double *of = ARENA_ARRAY(&run->arena, double, model->n_states);
    *what = of;
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        const orr_setting *setting = &settings[i];
        const Place place = run_written(given, setting->name, run->diag);
        const size_t variable = orr_model_find(model, setting->name);
        const uint32_t state = variable == (size_t)-1 ? FLAT_NONE : model_variable(model, variable).state;
        bool found = state != FLAT_NONE;
        if (found) of[state] = setting->value;
        for (uint32_t k = 0; k < model->n_states && variable == (size_t)-1; k++) {
            if (!is_element(model_state_name(model, k), setting->name)) continue;
            of[k] = setting->value;
            found = true;
        }
        if (!(isfinite(setting->value) && setting->value > 0)) {
            if (is_quantum) diag_report(run->diag, DIAG_QUANTUM_BAD, place, setting->value);
            else diag_report(run->diag, DIAG_TOLERANCE_BAD, place, setting->value);
            ok = false;
        }
        if (found || isles_has(run, setting->name)) continue;
        ok = false;
        diag_report(run->diag, DIAG_QUANTUM_NAME, place, setting->name,
                    is_quantum ? "quantum" : "absolute tolerance",
                    variable != (size_t)-1 ? "it is not a state" : "nothing is called that");
        const char *closest = variable == (size_t)-1 ? orr_model_closest(model, setting->name) : NULL;
        diag_suggest(run->diag, setting->name, closest);
    }
    return ok;
}

static const Solver *find_solver(orr_run *run, const orr_run_options *given)
{
    const char *name = given->solver;
    const Solver *solver = solver_find(name ? name : "auto");
    if (solver) return solver;
    const char *names[64];
    size_t n = 0;
    for (const Solver *s; n < 64 && (s = solver_at(n)); n++) names[n] = s->name;
    diag_report(run->diag, DIAG_SOLVER_UNKNOWN, run_written(given, name, run->diag), name);
    // methods that go by other names elsewhere
    static const char *const elsewhere[][2] = {
        { "ode45", "dopri5" }, { "rk45", "dopri5" },  { "rkf45", "dopri5" }, { "ode23", "bs32" },
        { "ode15s", "bdf" },   { "ode23s", "bdf" },   { "cvode", "bdf" },    { "lsoda", "auto" },
        { "dassl", "ida" },    { "gear", "bdf" },     { "idas", "ida" },     { "runge-kutta", "rk4" },
        { "radau5", "radau" }, { "rk23", "bs32" },    { "ode78", "dop853" },
        { "em", "euler-maruyama" }, { "maruyama", "euler-maruyama" }, { "milstein", "srk" },
    };
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        if (strcmp(name, elsewhere[i][0]) != 0 || !solver_find(elsewhere[i][1])) continue;
        diag_hint(run->diag, "'%s' is of that kind", elsewhere[i][1]);
        return NULL;
    }
    const char *closest = text_closest(name, names, n);
    if (closest) {
        diag_suggest(run->diag, name, closest);
        return NULL;
    }
    StrBuf all = { 0 };
    for (size_t i = 0; i < n; i++) str_addf(&all, "%s%s", i ? ", " : "", names[i]);
    diag_hint(run->diag, "there are %s", all.p);
    str_free(&all);
    return NULL;
}

// White noise needs methods that know of it, and these nothing else.
static bool choose_noise(orr_run *run, Island *island)
{
    const orr_model *model = run->model;
    if (model->flat.noises.n == 0 || island->solver->traits & SOLVER_TAKES_NOISE) return true;
    const NoiseKind kind = noise_kind(model, NULL);
    const Solver *best = solver_find(kind == NOISE_GENERAL ? "euler-maruyama" : "srk");
    if (island->solver == solver_find("auto")) {
        island->solver = best;
        island->reason = kind == NOISE_GENERAL ? "white noise, whose strength depends on several states"
                                               : "white noise";
        return true;
    }
    diag_report(run->diag, DIAG_SOLVER_UNSUITABLE, (Place){ 0 }, island->solver->name, "it has white noise");
    diag_hint(run->diag, "take '%s'%s", best->name, kind == NOISE_GENERAL ? "" : ", or 'euler-maruyama'");
    return false;
}

// Steps for the chosen solver. Without a step, fixed-step methods get a thousandth of the run, and say so.
static bool choose_step(orr_run *run, Island *island)
{
    SolverOptions *o = &island->options;
    const orr_model *model = run->model;
    const double span = o->t_end - island->t_begin;
    run->is_eventful = run->net && !model->isles && model->n_states == 0 && model->n_relations == 0 &&
                       model->flat.equations.n == 0;
    if (run->is_eventful) {
        island->solver = solver_find("euler");
        island->reason = "there are no equations: what happens, happens at events";
        o->step = span > 0 && isfinite(span) ? span : 1;
    } else if (model->n_states == 0 && !island->solver->fixed_step) {
        island->solver = solver_find("euler");
        island->reason = arena_printf(&run->arena, "nothing is integrated: values at %d instants",
                                      STEPS_DEFAULT);
        if (!(o->step > 0) && !(span > 0 && isfinite(span))) o->step = 1;
    }
    if (!island->solver->fixed_step) {
        // a relation that changes twice between two looks would be missed
        if (model->n_relations && isfinite(span) && isinf(o->max_step)) o->max_step = span / RELATION_STEPS;
        o->max_step = fmin(o->max_step, history_shortest(&run->island));
        return true;
    }
    if (!(o->step > 0)) {
        if (!isfinite(span)) {
            diag_report(run->diag, DIAG_SETTING_MISSING, (Place){ 0 }, "step");
            diag_hint(run->diag,
                      "solver '%s' has a fixed step and no end is given from which one could be chosen",
                      island->solver->name);
            return false;
        }
        o->step = span > 0 ? span / STEPS_DEFAULT : 1;
        if (!island->reason)
            island->reason = arena_printf(
                &run->arena, "step %.6g: a thousandth of the run, because none was given", o->step);
    }
    island->step = o->step;
    const double farthest = isfinite(o->t_end) ? fmax(fabs(island->t_begin), fabs(o->t_end))
                                               : fabs(island->t_begin);
    if (farthest + o->step == farthest) {
        diag_report(run->diag, DIAG_STEP_BAD, (Place){ 0 }, o->step);
        diag_hint(run->diag, "it is too small to be added to t = %g", farthest);
        return false;
    }
    if (o->step > history_shortest(&run->island) * (1 + 1e-9)) {
        diag_report(run->diag, DIAG_SOLVER_UNSUITABLE, (Place){ 0 }, island->solver->name,
                    "its step is longer than the shortest delay");
        diag_hint(run->diag, "take a step of at most %g", history_shortest(&run->island));
        return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- life

static void allocate(orr_run *run)
{
    const orr_model *model = run->model;
    Arena *arena = &run->arena;
    Island *island = &run->island;
    const size_t n = model->n_states;
    run->state_size = n + model->n_values + engine_state_size(&model->tables);
    run->state = ARENA_ARRAY(arena, double, run->state_size);
    run->x_between = ARENA_ARRAY(arena, double, n);
    run->given = ARENA_ARRAY(arena, double, model->n_params);
    run->given_value = ARENA_ARRAY(arena, double, model->n_params);
    run->causes = ARENA_ARRAY(arena, const char *, model->n_events);
    run->relation_texts = ARENA_ARRAY(arena, const char *, model->n_relations);
    run->has_slid = ARENA_ARRAY(arena, bool, model->n_relations);
    run->has_rested = ARENA_ARRAY(arena, bool, model->n_events);

    island->tables = &model->tables;
    island->services = &run_services;
    island->host = run;
    island->model = model;
    island->code = &model->code;
    island->arena = arena;
    island->diag = run->diag;
    island->x = run->state;
    island->env.v = run->state + n;
    island->env.tables = model->ir.tables.items;
    island->env.numbers = model->ir.numbers.items;
    island->env.histories = island;
    island->env.history = history_at;
    engine_lay_out(island, run->state + n + model->n_values,
                   arena_alloc(arena, 1, engine_size(&model->tables)));
    run->x = island->x;
    net_open(run);
    choose_init(run);
    island->has_network = run->net != NULL;
    island->is_seen = model->n_asserts > 0 || run->choosing;
    // each step is looked at where something must be checked or remembered
    const size_t most = n ? CHUNK_STATES / n : CHUNK_MOST;
    island->chunk = most < CHUNK_MOST ? (long)most : CHUNK_MOST;
    if (model->n_delays || model->n_relations || run->choosing || island->chunk == 0) island->chunk = 1;
}

// What happens at the first instant; a model may end the run here already.
static orr_status arrive_at_start(orr_run *run, Island *island)
{
    if (!net_start(run)) return drive_fail(run);
    run->is_starting = true;
    orr_status status = event_start(island);
    if (status == ORR_STATUS_OK && !island->terminated) status = isles_tell(run, island);
    run->is_starting = false;
    if (status == ORR_STATUS_TERMINATED) status = ORR_STATUS_OK;    // said when somebody wants to go on
    return status == ORR_STATUS_OK ? drive_arrive(island) : status;
}

static bool end_warm_up(void *context, orr_run *run, double t, double *next)
{
    (void)context;
    net_reset(run, t);
    run->island.values_valid = false;
    *next = INFINITY;
    return true;
}

static orr_status set_up(orr_run *run, const orr_run_options *options)
{
    Island *island = &run->island;
    if (!read_options(run, options)) return ORR_STATUS_USAGE;
    island->solver = find_solver(run, options);
    if (!island->solver) {
        run_apply_settings(run, options);    // what is wrong with these is told at once
        return ORR_STATUS_USAGE;
    }
    if (run->model->blocks.n_implicit > 0 && !(island->solver->traits & SOLVER_TAKES_LOOPS)) {
        diag_report(run->diag, DIAG_SOLVER_UNSUITABLE, (Place){ 0 }, island->solver->name,
                    "it has loops of equations that are left to the solver");
        diag_hint(run->diag,
                  "'ida' solves them together with each step; loops of more than %d equations need it",
                  (int)ORDER_LOOP_MAX);
        return ORR_STATUS_USAGE;
    }
    if (run->model->tables.n_positive > 0 && island->solver->is_quantised) {
        diag_report(run->diag, DIAG_SOLVER_UNSUITABLE, (Place){ 0 }, island->solver->name,
                    "it has states that are declared positive");
        diag_hint(run->diag, "quanta reach below 0 by their size: use dopri5, radau or bdf");
        return ORR_STATUS_USAGE;
    }
    if (!choose_noise(run, island)) return ORR_STATUS_USAGE;
    island->method = island->solver->name;
    chance_open(run, options->seed, options->number, options->within);
    if (!run_apply_settings(run, options)) return ORR_STATUS_USAGE;
    SolverOptions *o = &island->options;
    // quanta are read if the solver has any use for them
    const size_t n_quanta = island->solver->advance ? options->n_quanta : 0;
    if (!read_of_states(run, options, options->quanta, n_quanta, true, &o->quanta) ||
        !read_of_states(run, options, options->absolutes, options->n_absolutes, false, &o->absolutes))
        return ORR_STATUS_USAGE;
    run->settings_fingerprint = run_settings_fingerprint(run, options);
    run->is_exact = options->exact;
    run->keeps_leaving = options->is_component;
    run->is_live = options->live;
    if (!watch_open(run, options) || !input_open(run, options) || !arrive_open(run, options))
        return ORR_STATUS_USAGE;
    island->has_kinks = run->inputs != NULL;
    if (!isles_open(run, options)) return ORR_STATUS_USAGE;
    if (run->net && options->statistics_from > island->t_begin)
        run_add_source(run, &(RunSource){ .due = end_warm_up, .name = "the end of the warm-up" },
                       options->statistics_from);
    if (!run_start(run))
        return island->is_cancelled    ? ORR_STATUS_CANCELLED
               : run->is_incomplete ? ORR_STATUS_USAGE
                                    : ORR_STATUS_FAILED;
    if (!choose_step(run, island)) return ORR_STATUS_USAGE;
    island->method = island->solver->name;
    if (!island->solver->init(island, &run->arena, run->diag)) return ORR_STATUS_FAILED;
    run->t = island->t_begin;
    const orr_status status = arrive_at_start(run, island);
    run->is_over = run->t_stop <= run->t;
    return status;
}

orr_run *orr_run_create(const orr_model *model, const orr_run_options *options, orr_diag *diag)
{
    orr_status status;
    return run_create(model, options, diag, &status);
}

// A call on a run. If it is given up for want of memory the run has failed, and can only be read and
// destroyed.
typedef struct RunCall {
    orr_run    *run;
    const orr_run_options *options;
    double      t, *reached;
    bool       *again;
    orr_status  status;
} RunCall;

static orr_status guarded(void (*work)(void *self), RunCall call)
{
    const orr_status given_up = guard_call(&(GuardLimits){ .diag = call.run->diag }, work, &call);
    if (given_up == ORR_STATUS_OK) return call.status;
    call.run->island.is_failed = true;
    return given_up;
}

static void create(void *self)
{
    RunCall *call = self;
    allocate(call->run);
    call->status = set_up(call->run, call->options);
}

orr_run *run_create(const orr_model *model, const orr_run_options *options, orr_diag *diag,
                    orr_status *status)
{
    const orr_run_options defaults = orr_run_options_default();
    orr_run *run = calloc(1, sizeof *run);
    if (!run) arena_no_memory(sizeof *run);
    run->model = model;
    run->diag = diag;
    *status = guarded(create, (RunCall){ .run = run, .options = options ? options : &defaults });
    if (*status != ORR_STATUS_OK) {
        // one that was given up anywhere on its way cannot be taken apart
        if (*status != ORR_STATUS_NO_MEMORY) orr_run_destroy(run);
        return NULL;
    }
    run->ns_created = os_now_ns();
    run->is_plain = drive_is_plain(run);
    run->is_within = options && options->within;
    return run;
}

void orr_run_destroy(orr_run *run)
{
    if (!run) return;
    Island *island = &run->island;
    surface_end(run, island);
    input_close(run);
    arrive_close(run);
    net_close(run);
    arena_free(&run->solver_arena);
    arena_free(&run->arena);
    free(run);
}

// ---------------------------------------------------------------------------------------------- moving

static double larger_of(double a, double b) { return a > b ? a : b; }

// The user stands at t, which the island has reached or passed in its last step.
static orr_status stand_at(orr_run *run, Island *island, double t)
{
    island->values_valid = false;
    run->t = t;
    run->x = island->x;
    if (island->t > t && !drive_is_near(island, t)) {
        domain_state_at(island, t, run->x_between);
        run->x = run->x_between;
        return ORR_STATUS_OK;
    }
    const orr_status status = drive_events_at(island, t);
    return status == ORR_STATUS_OK && island->terminated ? ORR_STATUS_TERMINATED : status;
}

// Something went wrong on the way: the user stands at the last good time.
static orr_status stand_still(orr_run *run, Island *island, orr_status status)
{
    if (island->t > run->t) run->t = island->t;
    run->x = island->x;
    island->values_valid = false;
    return status;
}

static double limit_of(const orr_run *run, const Island *island, double t)
{
    const double t_end = island->options.t_end;
    if (run->is_exact) return t;
    return t <= t_end || drive_has_reached(island, t) ? t_end : INFINITY;
}

static bool is_time_ahead(orr_run *run, double t)
{
    if (t >= run->t) return true;
    diag_report(run->diag, DIAG_TIME_BAD, (Place){ 0 }, run->t, t);
    return false;
}

bool orr_run_is_over(const orr_run *run) { return run->is_over; }

static orr_status advance(orr_run *run, double t)
{
    Island *island = &run->island;
    if (island->is_failed) return ORR_STATUS_FAILED;
    if (island->terminated) return ORR_STATUS_TERMINATED;
    if (!is_time_ahead(run, t) || isinf(t)) return ORR_STATUS_USAGE;
    if (run->is_over) return ORR_STATUS_OK;
    if (run->is_plain && drive_one(run, t)) {
        island->values_valid = false;
        run->t = t;
        run->x = island->x;
        return ORR_STATUS_OK;
    }
    while (!drive_has_reached(island, t) && run->t_stop > island->t) {
        const orr_status status = drive(island, t, limit_of(run, island, t), LONG_MAX);
        if (status != ORR_STATUS_OK) return stand_still(run, island, status);
    }
    run->is_over = run->t_stop <= t;
    const orr_status status = stand_at(run, island, run->is_over ? larger_of(run->t_stop, run->t) : t);
    return status == ORR_STATUS_OK && run->net ? net_follow(run, run->t) : status;
}

static void advance_to(void *self)
{
    RunCall *call = self;
    call->status = advance(call->run, call->t);
}

orr_status orr_run_advance(orr_run *run, double t)
{
    tier_begin(run);
    const orr_status status = guarded(advance_to, (RunCall){ .run = run, .t = t });
    tier_end(run);
    return status;
}

static void drive_toward(void *self)
{
    RunCall *call = self;
    Island *island = &call->run->island;
    call->status = drive(island, call->t, limit_of(call->run, island, call->t), LONG_MAX);
}

orr_status run_toward(orr_run *run, double t, bool *is_there)
{
    Island *island = &run->island;
    *is_there = island->is_failed || island->terminated || run->is_over || run->t_stop <= island->t ||
                drive_has_reached(island, t);
    if (*is_there) return orr_run_advance(run, t);
    const orr_status status = guarded(drive_toward, (RunCall){ .run = run, .t = t });
    if (status == ORR_STATUS_OK) return status;
    *is_there = true;
    return stand_still(run, island, status);
}

// ---- Steps that others make

// Only steps are to be made now, and nothing but relations and asserts is to be looked at.
static bool is_calm(const orr_run *run, const Island *island)
{
    if (island->is_failed || island->terminated || island->event_waits || island->jump_waits ||
        island->choice_waits)
        return false;
    return !island->surface.is_on && !island->n_contacts && !watch_has_ranges(run) && !run->model->n_delays &&
           !run->choosing && !run->net && !run->isles;
}

long run_plain_steps(const orr_run *run, double t)
{
    const Island *island = &run->island;
    if (!island->solver->fixed_step || island->t != drive_grid(island, island->k) || !is_calm(run, island))
        return 0;
    // the first step behind an event is looked at more closely
    if (run->model->n_relations && (island->t_sample != island->t || isnan(island->t_sample_before)))
        return 0;
    const double t_due = fmin(due_next(&run->island), input_kink(run));
    double k = fmin(drive_grid_floor(island, t), drive_grid_floor(island, limit_of(run, island, t)));
    // what is due is for the driver
    if (t_due < INFINITY) k = fmin(k, drive_grid_floor(island, t_due) - 1);
    return k > (double)island->k ? (long)(k - (double)island->k) : 0;
}

bool run_is_plain(const orr_run *run, double t, double *limit)
{
    const Island *island = &run->island;
    *limit = fmin(limit_of(run, island, t), fmin(due_next(&run->island), input_kink(run)));
    if (island->solver->fixed_step || island->solver->advance || !is_calm(run, island) ||
        !(island->t < *limit))
        return false;
    return run->model->n_relations == 0 || island->t_sample == island->t;
}

static void stand_behind_steps(orr_run *run, Island *island, const double *x, size_t stride)
{
    for (size_t i = 0; i < run->model->n_states; i++) island->x[i] = x[i * stride];
    island->t_before = island->t;
    if (island->t > island->fault.t) island->fault.kind = FAULT_NONE;
    run->x = island->x;
    island->values_valid = false;
}

void run_take_free_steps(orr_run *run, double t, const double *x, const double *zero, size_t stride)
{
    Island *island = &run->island;
    const double *modes = island_modes(island);
    island->t = t;
    stand_behind_steps(run, island, x, stride);
    for (size_t k = 0; k < run->model->n_relations; k++) {
        island->samples[0][2 * k] = zero[k * stride];
        island->samples[0][2 * k + 1] = modes[k];
    }
    island->t_sample = t;
    island->t_sample_before = NAN;    // only asked for on a grid
    if (due_next(&run->island) <= t) island->event_waits = true;
}

void run_take_steps(orr_run *run, long n, const double *x, const double *const zero[2], size_t stride)
{
    Island *island = &run->island;
    const double *modes = island_modes(island);
    island->k_before = island->k;
    island->k += n;
    island->n_steps += (size_t)n;
    island->t = drive_grid(island, island->k);
    stand_behind_steps(run, island, x, stride);
    for (size_t k = 0; k < run->model->n_relations; k++) {
        island->sample_before[2 * k] = zero[0][k * stride];
        island->samples[0][2 * k] = zero[1][k * stride];
        island->sample_before[2 * k + 1] = island->samples[0][2 * k + 1] = modes[k];
    }
    island->t_sample_before = drive_grid(island, island->k - 1);
    island->t_sample = island->t;
}

static orr_status step_ahead(orr_run *run, double t_limit, double *t)
{
    Island *island = &run->island;
    *t = run->t;
    if (island->is_failed) return ORR_STATUS_FAILED;
    if (island->terminated) return ORR_STATUS_TERMINATED;
    if (!is_time_ahead(run, t_limit)) return ORR_STATUS_USAGE;
    if (run->is_eventful) {    // a step leads to the next instant at which something happens
        *t = fmin(t_limit, instant_of(net_next_instant(run), due_next(&run->island)));
        return ORR_STATUS_OK;
    }
    // without equations steps only serve to see relations change: go to the next instant, or to such a change
    const bool is_still = run->net && !run->model->isles && run->model->n_states == 0 &&
                          run->model->flat.equations.n == 0;
    if (is_still) t_limit = fmin(t_limit, fmin(net_next_instant(run), due_next(island)));
    // an instant that is so near that the solver takes it for the present one is one of its own all the same
    const bool is_there = is_still ? island->t >= t_limit : drive_has_reached(island, t_limit);
    if (!is_there && island->t <= run->t) {
        double limit = limit_of(run, island, t_limit);
        if (island->solver->fixed_step) limit = fmin(limit, t_limit);
        orr_status status;
        do status = drive(island, t_limit, limit, 1);
        while (is_still && status == ORR_STATUS_OK && !island->event_waits &&
               !drive_has_reached(island, t_limit));
        if (status != ORR_STATUS_OK) return stand_still(run, island, status);
    }
    *t = drive_has_reached(island, t_limit) ? t_limit : island->t;
    return ORR_STATUS_OK;
}

static void step_to(void *self)
{
    RunCall *call = self;
    call->status = step_ahead(call->run, call->t, call->reached);
}

orr_status run_step_ahead(orr_run *run, double t_limit, double *t)
{
    return guarded(step_to, (RunCall){ .run = run, .t = t_limit, .reached = t });
}

orr_status orr_run_step(orr_run *run, double t_limit)
{
    double t;
    const orr_status status = run_step_ahead(run, t_limit, &t);
    return status == ORR_STATUS_OK ? orr_run_advance(run, t) : status;
}

double orr_run_time(const orr_run *run) { return run->t; }

// ---------------------------------------------------------------------------------------------- reading

// A recorded value is not finite: an error, reported once with its cause.
static void report_value(orr_run *run, size_t variable)
{
    const orr_model *model = run->model;
    Island *island = &run->island;
    island->is_failed = true;
    if (fault_report_values(run->diag, model, &model->blocks.dynamic, &island->env, run->t, run->x)) return;
    diag_report(run->diag, DIAG_VALUE_NOT_FINITE,
                run_place(model, run->diag, model_variable(model, variable).declared),
                model_variable_name(model, variable), "not finite", run->t);
}

static void compute_values(orr_run *run)
{
    Island *island = &run->island;
    const orr_model *model = run->model;
    const int failed = island->surface.is_on
                           ? surface_values(island, run->t, run->x)
                           : code_call(&model->code, IR_VALUES, run->t, run->x, &island->env, NULL);
    island->values_valid = true;
    if (!failed || island->is_failed) return;
    const Ordered *system = NULL;
    const Block *block = ir_failed_block(&model->ir, IR_VALUES, failed, &system);
    if (block) fault_report_loop(run->diag, model, system, block, &island->env, run->t, run->x);
    island->is_failed = true;
}

double run_absolute_of(const orr_run *run, size_t variable)
{
    const Island *island = &run->island;
    const SolverOptions *o = &island->options;
    double inside;
    if (run->isles && isles_absolute_of(run, variable, &inside)) return inside;
    const uint32_t state = model_variable(run->model, variable).state;
    if (island->solver->fixed_step || state == FLAT_NONE) return 0;
    if (island->solver->is_quantised && o->quanta && o->quanta[state] > 0) return o->quanta[state];
    return island->solver->is_quantised && o->quantum > 0 ? o->quantum : island->absolute[state];
}

char *run_describe_tolerances(const orr_run *run)
{
    enum { MOST = 8 };    // a line is read by people
    const Island *island = &run->island;
    const double normal = island->options.absolute;
    size_t n = 0;
    StrBuf s = { 0 };
    if (island->solver->fixed_step || (island->solver->is_quantised && !island->options.has_tolerance))
        return NULL;
    str_addf(&s, "%.3g", normal);
    for (uint32_t i = 0; i < run->model->n_states; i++)
        if (island->absolute[i] != normal && n++ < MOST)
            str_addf(&s, ", %s %.3g", model_state_name(run->model, i), island->absolute[i]);
    if (n > MOST) str_addf(&s, " and %zu more", n - MOST);
    if (n == 0) str_free(&s);
    return n ? s.p : NULL;
}

double orr_run_value(orr_run *run, size_t variable)
{
    double value;
    orr_run_values(run, &variable, 1, &value);
    return value;
}

double run_own_value(orr_run *run, size_t variable)
{
    const ModelVariable var = model_variable(run->model, variable);
    if (var.state != FLAT_NONE) return run->x[var.state];
    if (var.kind == FLAT_VARIABLE && !run->island.values_valid) compute_values(run);
    return run->island.env.v[var.place];
}

void orr_run_values(orr_run *run, const size_t *variables, size_t n, double *values)
{
    const orr_model *model = run->model;
    const IrLayout *layout = &model->ir.layout;
    const double *v = run->island.env.v;
    const size_t n_scalars = model->flat.vars.n;
    for (size_t i = 0; i < n; i++) {
        // most rows are states that are no elements of arrays: nothing else is asked of them
        const uint32_t state = variables[i] < n_scalars ? layout->state_of[variables[i]] : FLAT_NONE;
        if (state != FLAT_NONE) {
            values[i] = run->x[state];
            continue;
        }
        assert(variables[i] < orr_model_n_variables(model));
        const ModelVariable variable = model_variable(model, variables[i]);
        if (run->isles && isles_value(run, variables[i], &values[i])) continue;
        if (variable.state != FLAT_NONE) {
            values[i] = run->x[variable.state];
            continue;
        }
        if (variable.part) {
            values[i] = net_read(run, &variable);
            continue;
        }
        if (variable.kind == FLAT_VARIABLE && !run->island.values_valid) compute_values(run);
        values[i] = v[variable.place];
        if (!isfinite(values[i]) && variable.kind == FLAT_VARIABLE && !run->island.is_failed)
            report_value(run, variables[i]);
    }
}

void run_values_between(orr_run *run, double t, double *x, const size_t *variables, size_t n, double *values)
{
    const IrLayout *layout = &run->model->ir.layout;
    const bool was_failed = run->island.is_failed;
    const double t_user = run->t;
    double *const x_user = run->x, *guesses = run->island.env.v + layout->first_guess;
    // rates that are evaluated meanwhile have their own place for them
    double *kept = layout->n_guesses ? malloc(layout->n_guesses * sizeof *kept) : NULL;
    if (layout->n_guesses && !kept) arena_no_memory(layout->n_guesses * sizeof *kept);
    if (kept) memcpy(kept, guesses, layout->n_guesses * sizeof *kept);
    run->t = t;
    run->x = x;
    run->island.values_valid = false;
    run->island.is_failed = true;    // so nothing is reported
    orr_run_values(run, variables, n, values);
    run->island.is_failed = was_failed;
    run->t = t_user;
    run->x = x_user;
    run->island.values_valid = false;
    if (kept) memcpy(guesses, kept, layout->n_guesses * sizeof *kept);
    free(kept);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) values[i] = NAN;
}

// ---------------------------------------------------------------------------------------------- end, again

static orr_status finish(orr_run *run, bool *again)
{
    *again = false;
    const orr_model *model = run->model;
    Island *island = &run->island;
    if (island->is_failed) return ORR_STATUS_FAILED;
    isles_report(run);
    if (model->flat.terminal.n == 0) return ORR_STATUS_OK;
    compute_values(run);
    if (island->is_failed) return ORR_STATUS_FAILED;
    Arena scratch = { 0 };
    double *out = ARENA_ARRAY(&scratch, double, 1 + (size_t)model->ir.n_reruns);
    const int failed = code_call(&model->code, IR_TERMINAL, run->t, run->x, &island->env, out);

    // what the terminal region gave to parameters holds from now on; a `rerun` counts as often as it may
    size_t rerun = 0;
    for (size_t i = 0; !failed && i < model->flat.terminal.n; i++) {
        const FlatTerminal *item = &model->flat.terminal.items[i];
        if (item->target == FLAT_NONE) {
            if (out[1 + rerun++] == 0) continue;
            if ((double)run->n_reruns < item->at_most) *again = true;
            else if (!item->is_limited) {
                diag_report(run->diag, DIAG_STUDY_ENDLESS, run_place(model, run->diag, item->place),
                            (size_t)item->at_most);
                diag_hint(run->diag, "if so many are meant, say 'rerun when ... at most N'");
                island->is_failed = true;
            }
            continue;
        }
        const FlatVar *target = &model->flat.vars.items[item->target];
        const uint32_t place = model->ir.layout.place[item->target];
        if (target->kind != FLAT_PARAM && target->kind != FLAT_INPUT) continue;
        run->given[place] = 1;
        run->given_value[place] = island->env.v[place];
        if (isfinite(run->given_value[place])) continue;
        diag_report(run->diag, DIAG_VALUE_NOT_FINITE, run_place(model, run->diag, item->place), target->name,
                    "not finite in the terminal region", run->t);
        island->is_failed = true;
    }
    arena_free(&scratch);
    return island->is_failed ? ORR_STATUS_FAILED : ORR_STATUS_OK;
}

static orr_status restart(orr_run *run)
{
    Island *island = &run->island;
    if (island->is_failed) return ORR_STATUS_FAILED;
    run->n_reruns++;
    surface_start(island);    // first: relations are looked at from here on, and none is slid along
    if (!run_start(run)) {
        island->is_failed = true;
        return ORR_STATUS_FAILED;
    }
    if (!surface_restart(island)) return drive_fail(run);
    run->t = island->t_begin;
    run->x = island->x;
    const orr_status status = arrive_at_start(run, island);
    run->is_over |= run->t_stop <= run->t;
    return status;
}

static void finish_it(void *self)
{
    RunCall *call = self;
    call->status = finish(call->run, call->again);
}

static void restart_it(void *self)
{
    RunCall *call = self;
    call->status = restart(call->run);
}

orr_status orr_run_finish(orr_run *run, bool *again)
{
    return guarded(finish_it, (RunCall){ .run = run, .again = again });
}

orr_status orr_run_restart(orr_run *run) { return guarded(restart_it, (RunCall){ .run = run }); }

orr_run_facts orr_run_get_facts(const orr_run *run)
{
    const Island *island = &run->island;
    orr_run_facts facts = {
        .solver = island->method,
        .solver_reason = island->reason,
        .n_steps = island->n_steps,
        .n_rates = island->n_rates,
        .n_rejected = island->n_rejected,
        .n_events = island->n_handled + island->n_events,
        .n_reruns = run->n_reruns,
        .n_foreseen = island->n_foreseen,
        .n_violations = run->n_violations,
        .terminated = island->terminated,
        .simulate_ms = (double)(os_now_ns() - run->ns_created) * 1e-6,
    };
    if (run->is_eventful) facts.solver = facts.solver_reason = NULL;
    if (run->net) net_count(run, &facts);
    return facts;
}

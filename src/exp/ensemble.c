// src/exp/ensemble.c: many members of one experiment: threads, lanes, results in order.
//
//     first member alone ──columns, time it takes→ plan ──batches→ threads ──in order→ sink
//
// Threads take batches as they come, but none runs further ahead of the sink than the
// window, so memory stays bounded however many members there are.
#include "exp/ensemble.h"
#include "base/cancel.h"
#include "base/diag.h"
#include "base/os.h"
#include "exp/collect.h"
#include "exp/times.h"
#include "solve/noise/noise.h"
#include "solve/solver.h"
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    WRONG_SHOWN = 20,    // columns that make no sense
    BATCH_LONG = 8,          // for each lane, so that one whose member is done finds another
    WINDOW_FOR_EACH = 4,     // batches in memory for each thread
    THREADS_MAX = 256,
    ROWS_MAX = 100000000,    // of one member
};
#define LANES_GAIN 0.8       // of the time of members alone that lanes save, at least

orr_ensemble_options orr_ensemble_options_default(void) { return (orr_ensemble_options){ 0 }; }

// ---------------------------------------------------------------------------------------------- one member
// alone

typedef struct Keeper {      // a sink that keeps the rows of one member
    MemberResult *result;
    size_t        n_columns;
    bool          only_end;
    // of the first member
    Ensemble     *learner;
    const orr_member_sink *sink;
    bool          is_refused;
    orr_diag     *diag;      // where what is wrong with all members is told
} Keeper;

static bool learn_columns(Keeper *k, const char *const *names, const char *const *units, size_t n,
                          const char *time_unit)
{
    Ensemble *e = k->learner;
    e->n_columns = n;
    e->columns = ARENA_ARRAY(&e->arena, size_t, n);
    for (size_t i = 0; i < n; i++) e->columns[i] = orr_model_find(e->model, names[i]);
    const orr_keeper *keeper = e->experiment->keeper;
    k->is_refused = (k->sink->begin && !k->sink->begin(k->sink->self, names, units, n, time_unit)) ||
                    (keeper && !keeper->begin(keeper->self, e->experiment, e->options, names, units, n,
                                              time_unit));
    return !k->is_refused;
}

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    Keeper *k = self;
    k->n_columns = n;
    return !k->learner || learn_columns(k, names, units, n, time_unit);
}

static bool row(void *self, double t, const double *values, size_t n)
{
    Keeper *k = self;
    MemberResult *r = k->result;
    if (k->only_end) r->n_rows = 0;
    if (r->n_rows == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 16;
        r->times = realloc(r->times, r->capacity * sizeof *r->times);
        r->rows = realloc(r->rows, (r->capacity * n + 1) * sizeof *r->rows);
        if (!r->times || !r->rows) arena_no_memory(r->capacity * n * sizeof(double));
    }
    r->times[r->n_rows] = t;
    memcpy(r->rows + r->n_rows * n, values, n * sizeof *values);
    r->n_rows++;
    return true;
}

static bool is_only_end(const orr_experiment *x) { return x->every == 0 && !x->n_times; }

static char *message_text(const orr_message *m)
{
    char *text;
    return asprintf(&text, "%s: %s", m->code, m->text) < 0 ? NULL : text;
}

static void explain_failure(const orr_diag *diag, orr_status status, MemberResult *result,
                            const Keeper *keeper)
{
    for (size_t i = 0; i < orr_diag_count(diag); i++) {
        const orr_message m = orr_diag_get(diag, i);
        if (m.severity != ORR_SEVERITY_ERROR) continue;
        if (!result->failure) result->failure = message_text(&m);
        if (keeper->diag && status == ORR_STATUS_USAGE) diag_copy(keeper->diag, &m);
    }
}

void member_note_violations(MemberResult *result, size_t n, const orr_diag *diag)
{
    result->n_violations = n;
    for (size_t i = 0; n > 0 && i < orr_diag_count(diag); i++) {
        const orr_message m = orr_diag_get(diag, i);
        if (!diag_is(&m, DIAG_ASSERT_BROKEN) && !diag_is(&m, DIAG_FRAME_LEFT)) continue;
        result->violation = message_text(&m);
        return;
    }
}

// The settings of a member behind those of all.
static orr_setting *member_settings(const Ensemble *e, size_t index)
{
    const orr_ensemble_options *o = e->options;
    const orr_run_options *all = &e->experiment->run;
    orr_setting *settings = malloc((all->n_settings + o->n_names + 1) * sizeof *settings);
    if (!settings) arena_no_memory(o->n_names * sizeof *settings);
    for (size_t i = 0; i < all->n_settings; i++) settings[i] = all->settings[i];
    for (size_t i = 0; i < o->n_names; i++)
        settings[all->n_settings + i] = (orr_setting){ o->names[i], o->values[index * o->n_names + i] };
    return settings;
}

orr_run_options member_options(const Ensemble *e, size_t index, orr_setting **settings)
{
    orr_run_options options = e->experiment->run;
    options.t_start = e->experiment->from;
    options.t_end = e->experiment->until;
    options.settings = *settings = member_settings(e, index);
    options.n_settings += e->options->n_names;
    options.cancel = e->options->cancel;
    options.number = ensemble_number(e, index);
    return options;
}

// The experiment with the settings of a member.
static void run_alone(const Ensemble *e, size_t index, MemberResult *result, Keeper *keeper)
{
    const orr_ensemble_options *o = e->options;
    orr_experiment experiment = *e->experiment;
    if (is_only_end(&experiment) && !collect_asks_for_rows(e->model, &experiment))
        experiment.every = fmax(experiment.until - experiment.from, 0);
    orr_setting *settings = member_settings(e, index);
    experiment.run.settings = settings;
    experiment.run.n_settings += o->n_names;
    experiment.run.cancel = o->cancel;
    experiment.run.number = ensemble_number(e, index);
    keeper->only_end = is_only_end(e->experiment);
    keeper->result = result;
    const orr_sink sink = { .begin = begin, .row = row, .self = keeper };
    orr_diag *diag = orr_diag_create();
    result->n_rows = 0;
    orr_outcome outcome = orr_simulate(e->model, &experiment, &sink, 1, diag);
    result->status = outcome.status;
    result->t = outcome.t;
    free(result->distributions);
    result->distributions = (orr_distribution *)outcome.distributions;    // taken over
    result->n_distributions = outcome.n_distributions;
    outcome.distributions = NULL;
    free(result->observed);
    result->observed = (double *)outcome.observed;    // likewise
    outcome.observed = NULL;
    free(result->failure);
    free(result->violation);
    result->failure = result->violation = NULL;
    member_note_violations(result, outcome.facts.n_violations, diag);
    if (outcome.status != ORR_STATUS_OK) {
        if (keeper->only_end) result->n_rows = 0;    // it is the start, not the end
        explain_failure(diag, outcome.status, result, keeper);
    }
    orr_outcome_free(&outcome);
    orr_diag_destroy(diag);
    free(settings);
}

void member_alone(const Ensemble *e, size_t index, MemberResult *result)
{
    Keeper keeper = { 0 };
    run_alone(e, index, result, &keeper);
}

static void result_free(MemberResult *result)
{
    free(result->failure);
    free(result->violation);
    free(result->times);
    free(result->rows);
    free(result->distributions);
    free(result->observed);
    *result = (MemberResult){ 0 };
}

// ---------------------------------------------------------------------------------------------- the plan

static bool report_value(orr_diag *diag, const char *name, double value, const char *why)
{
    char text[32];
    snprintf(text, sizeof text, "%g", value);
    diag_report(diag, DIAG_SETTING_VALUE, (Place){ 0 }, name, text, why);
    return false;
}

// What each name sets; false if one is of another kind, which members tell when they are alone.
static bool find_names(Ensemble *e)
{
    const orr_model *model = e->model;
    e->names = ARENA_ARRAY(&e->arena, EnsembleName, e->options->n_names);
    for (size_t i = 0; i < e->options->n_names; i++) {
        const size_t variable = orr_model_find(model, e->options->names[i]);
        if (variable == (size_t)-1) return false;
        const ModelVariable var = model_variable(model, variable);
        e->names[i] = (EnsembleName){ FLAT_NONE, FLAT_NONE };
        if (var.is_structural) return false;
        if (var.kind == FLAT_PARAM || var.kind == FLAT_INPUT) e->names[i].param = var.place;
        else if (var.state != FLAT_NONE) e->names[i].state = var.state;
        else return false;
    }
    return true;
}

// The times of the rows, as an experiment has them.
static bool find_times(Ensemble *e)
{
    const double from = e->experiment->from, until = e->experiment->until, every = e->experiment->every;
    VEC(double) times = { 0 };
    if (is_only_end(e->experiment)) {
        vec_push(&e->arena, &times, until);
    } else {
        const orr_experiment *x = e->experiment;
        if (!x->n_times && (until - from) / every > ROWS_MAX) return false;
        const Times grid = x->n_times ? times_listed(x->times, x->n_times) : times_of(from, every);
        vec_push(&e->arena, &times, from);
        for (double i = 1; times.items[times.n - 1] < until; i++) {
            const double t = times_at(&grid, i);
            vec_push(&e->arena, &times, t < until - 1e-9 * grid.every ? t : until);
        }
    }
    e->times = times.items;
    e->n_rows = times.n;
    return true;
}

// Each row at a grid point of the fixed steps?
static bool find_grid(Ensemble *e)
{
    e->grid = ARENA_ARRAY(&e->arena, long, e->n_rows);
    for (size_t i = 0; i < e->n_rows; i++) {
        const double steps = (e->times[i] - e->experiment->from) / e->step, k = round(steps);
        if (!(fabs(steps) < 4e15) || fabs(steps - k) > fmax(SOLVER_GRID_SLACK, 4e-16 * fabs(steps)))
            return false;
        e->grid[i] = (long)k;
    }
    return true;
}

// Is anything to be looked at but states?
static bool is_watched(const orr_model *model)
{
    return model->n_relations > 0 || model->n_events > 0 || model->n_asserts > 0;
}

static bool find_method(Ensemble *e)
{
    const Solver *solver = e->experiment->run.solver ? solver_find(e->experiment->run.solver) : NULL;
    if (!solver) return false;
    e->kind.method = solver->tableau;
    if (solver->traits & SOLVER_TAKES_NOISE) {
        e->kind.family = solver == solver_find("euler-maruyama")                ? CODE_LANES_EULER_MARUYAMA
                         : noise_kind(e->model, NULL) == NOISE_DIAGONAL ? CODE_LANES_SRK_DIAGONAL
                                                                                : CODE_LANES_SRK_ADDITIVE;
        return e->step > 0;
    }
    e->kind.family = solver->fixed_step ? CODE_LANES_FIXED : CODE_LANES_ADAPTIVE;
    return solver->tableau && (!solver->fixed_step || e->step > 0);
}

// Whatever happens besides steps, and events that a member's own run can handle: NULL if nothing does.
static const char *find_obstacle(const orr_model *m, const orr_experiment *e)
{
    const struct { bool is_there; const char *what;
    } obstacles[] = {
        { e->frame || e->run.n_claims, "a frame" },
        { e->n_sends || e->run.event, "messages" },
        { e->realtime != 0, "real time" },
        { e->run.n_inputs, "inputs from data" },
        { e->n_statistics, "statistics" },
        { e->n_observations, "observations" },
        { m->network, "components" },
        { m->isles, "islands" },
        { m->tables.n_positive, "states that are declared positive" },
        { m->tables.n_clocks, "relations on time that may change more than once in a step" },
        { m->flat.terminal.n, "a terminal region" },
        { m->blocks.reduction || m->blocks.n_required, "constraints" },
    };
    for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++)
        if (obstacles[i].is_there) return obstacles[i].what;
    return NULL;
}

// Do steps begin where cells of the Brownian paths do, as far as rounding lets one tell? See noise.c.
static bool meets_paths(const Ensemble *e)
{
    const orr_experiment *x = e->experiment;
    const double cell = x->run.path > 0 ? x->run.path : e->step;
    return e->kind.family < CODE_LANES_EULER_MARUYAMA ||
           4 * DBL_EPSILON * fmax(fabs(x->from), fabs(x->until)) < SOLVER_GRID_SLACK * cell;
}

// Does each lane need a run of its own? Where something is to be looked at but states, where members differ
// in more than numbers, and where rows lie between steps.
static bool needs_seats(Ensemble *e)
{
    if (is_watched(e->model) || !find_names(e)) return true;
    return e->kind.family == CODE_LANES_ADAPTIVE ? !is_only_end(e->experiment) : !find_grid(e);
}

// How members are computed in lanes. Returns why they are not, for people, or NULL.
static const char *plan_members(Ensemble *e)
{
    const char *obstacle = find_obstacle(e->model, e->experiment);
    e->step = e->experiment->run.step;
    if (obstacle) return obstacle;
    if (!find_method(e)) return "its method";
    if (!find_times(e)) return "its many rows";
    if (!meets_paths(e)) return "noise in very many steps";
    e->kind.is_watched = needs_seats(e);
    return code_lanes_obstacle(&e->model->ir, e->kind);
}

// Lanes for members of `alone_ms` each: where they are possible, and if they pay. Returns why there are none.
static const char *plan_lanes(Ensemble *e, double alone_ms, size_t n_threads, orr_diag *diag)
{
    const orr_ensemble_options *o = e->options;
    if (o->lanes == ORR_LANES_NEVER) return "nobody wants it";
    const char *obstacle = plan_members(e);
    if (obstacle) return obstacle;
    e->kind.fast = o->fast;
    const double rest_ms = alone_ms * (double)(o->n_members - 1) / (double)n_threads;
    if (o->lanes == ORR_LANES_AUTO && LANES_GAIN * rest_ms < code_lanes_ms(&e->model->ir, e->kind))
        return "it would not pay";
    orr_diag *unheard = orr_diag_create();
    e->has_lanes = code_build_lanes(&e->lanes, &e->model->ir, e->kind,
                                    o->lanes == ORR_LANES_ALWAYS ? diag : unheard);
    orr_diag_destroy(unheard);
    if (!e->has_lanes) return "no compiler";
    const bool is_long = e->kind.family == CODE_LANES_ADAPTIVE || e->kind.is_watched;
    e->batch = e->lanes.width * (size_t)(is_long ? BATCH_LONG : 1);
    return NULL;
}

// ---------------------------------------------------------------------------------------------- threads

typedef struct Slot {                     // a batch that is computed or waits for its turn
    MemberResult *results;                // [e->batch] heap
    size_t       n;
    bool         is_done;
} Slot;

typedef struct Pool {
    Ensemble *e;
    const orr_member_sink *sink;
    size_t    first;                      // member of the first batch: those before it are done
    size_t    n_batches;
    size_t    window;                     // slots
    Slot     *slots;                      // [window] batch b is in b % window
    pthread_mutex_t lock;                 // over what follows
    pthread_cond_t  changed;
    size_t    next_batch;                 // to be taken
    size_t    next_out;                   // to be handed to the sink
    bool      is_emitting;                // a thread is at it
    bool      is_stopped;
    size_t    n_done, n_failed, n_violated;
} Pool;

static bool is_cancelled(const Ensemble *e) { return cancel_is_set(e->options->cancel); }

static bool hand_over(Pool *pool, size_t index, const MemberResult *result)
{
    const orr_member member = { .index = index,
                                .status = result->status,
                                .failure = result->failure,
                                .t = result->t,
                                .n_rows = result->n_rows,
                                .times = result->times,
                                .rows = result->rows,
                                .distributions = result->distributions,
                                .n_distributions = result->n_distributions,
                                .observed = result->observed,
                                .n_violations = result->n_violations,
                                .violation = result->violation };
    if (result->status == ORR_STATUS_CANCELLED) return false;
    pool->n_done++;
    pool->n_failed += result->status != ORR_STATUS_OK;
    pool->n_violated += result->n_violations > 0;
    const orr_keeper *keeper = pool->e->experiment->keeper;
    if (keeper && !keeper->member(keeper->self, &member, result->is_recalled)) return false;
    return !pool->sink->member || pool->sink->member(pool->sink->self, &member);
}

// Hand over what is due, in order; by one thread at a time, without the lock while the sink works.
static void emit(Pool *pool)
{
    if (pool->is_emitting) return;
    pool->is_emitting = true;
    while (!pool->is_stopped && pool->next_out < pool->next_batch) {
        Slot *slot = &pool->slots[pool->next_out % pool->window];
        if (!slot->is_done) break;
        const size_t first = pool->first + pool->next_out * pool->e->batch;
        pthread_mutex_unlock(&pool->lock);
        bool ok = true;
        for (size_t i = 0; ok && i < slot->n; i++) ok = hand_over(pool, first + i, &slot->results[i]);
        if (ok && pool->sink->progress)
            ok = pool->sink->progress(pool->sink->self, pool->n_done, pool->e->options->n_members);
        pthread_mutex_lock(&pool->lock);
        slot->is_done = false;
        pool->next_out++;
        if (!ok) pool->is_stopped = true;
        pthread_cond_broadcast(&pool->changed);
    }
    pool->is_emitting = false;
}

static void *copied(void *old, const void *from, size_t n)
{
    void *to = realloc(old, n + 1);
    if (!to) arena_no_memory(n);
    if (n) memcpy(to, from, n);
    return to;
}

// A member that somebody kept; what it has of statistics was not.
static bool recall_member(const Ensemble *e, size_t index, MemberResult *r)
{
    const orr_keeper *keeper = e->experiment->keeper;
    orr_member m;
    if (e->experiment->n_statistics > 0 || !keeper->recall(keeper->self, index, &m)) return false;
    const size_t n_observed = e->experiment->n_observations;
    r->status = m.status;
    r->t = m.t;
    r->n_rows = r->capacity = m.n_rows;
    r->times = copied(r->times, m.times, m.n_rows * sizeof *r->times);
    r->rows = copied(r->rows, m.rows, (m.n_rows * e->n_columns) * sizeof *r->rows);
    if (m.observed) r->observed = copied(r->observed, m.observed, n_observed * sizeof *r->observed);
    free(r->failure);
    free(r->violation);
    r->failure = m.failure ? strdup(m.failure) : NULL;
    r->violation = m.violation ? strdup(m.violation) : NULL;
    r->n_violations = m.n_violations;
    keeper->free_member(&m);
    return true;
}

// Are all members of a batch known? One that is not makes all of them be computed.
static bool recall_batch(const Ensemble *e, size_t first, Slot *slot)
{
    bool known = e->experiment->keeper != NULL;
    for (size_t i = 0; known && i < slot->n; i++) known = recall_member(e, first + i, &slot->results[i]);
    for (size_t i = 0; i < slot->n; i++) slot->results[i].is_recalled = known;
    return known;
}

static void compute(Ensemble *e, Batch *batch, size_t first, Slot *slot)
{
    if (recall_batch(e, first, slot)) return;
    // where most members leave their lanes, lanes are a detour
    const bool pays = atomic_load(&e->n_left) <= 2 * CODE_LANES_MAX + atomic_load(&e->n_in_lanes);
    if (batch && pays) {
        batch_run(batch, e, first, slot->n, slot->results);
        return;
    }
    for (size_t i = 0; i < slot->n; i++) {
        member_alone(e, first + i, &slot->results[i]);
        if (is_cancelled(e)) slot->results[i].status = ORR_STATUS_CANCELLED;
    }
}

static void *work(void *self)
{
    Pool *pool = self;
    Ensemble *e = pool->e;
    Arena arena = { 0 };
    orr_diag *diag = orr_diag_create();
    Batch *batch = e->has_lanes ? batch_create(e, &arena, diag) : NULL;
    pthread_mutex_lock(&pool->lock);
    while (!pool->is_stopped && !is_cancelled(e) && pool->next_batch < pool->n_batches) {
        if (pool->next_batch >= pool->next_out + pool->window) {
            pthread_cond_wait(&pool->changed, &pool->lock);
            continue;
        }
        const size_t b = pool->next_batch++, first = pool->first + b * e->batch;
        const size_t left = e->options->n_members - first;
        Slot *slot = &pool->slots[b % pool->window];
        slot->n = left < e->batch ? left : e->batch;
        pthread_mutex_unlock(&pool->lock);
        compute(e, batch, first, slot);
        pthread_mutex_lock(&pool->lock);
        slot->is_done = true;
        emit(pool);
    }
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
    batch_destroy(batch);
    orr_diag_destroy(diag);
    arena_free(&arena);
    return NULL;
}

static void run_pool(Pool *pool, size_t n_threads)
{
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
    pool->window = n_threads * WINDOW_FOR_EACH;
    pool->slots = calloc(pool->window, sizeof *pool->slots);
    if (!pool->slots) arena_no_memory(pool->window * sizeof *pool->slots);
    for (size_t i = 0; i < pool->window; i++) {
        pool->slots[i].results = calloc(pool->e->batch, sizeof(MemberResult));
        if (!pool->slots[i].results) arena_no_memory(pool->e->batch * sizeof(MemberResult));
    }
    pthread_t threads[THREADS_MAX];
    size_t n = 0;
    for (; n + 1 < n_threads; n++)
        if (pthread_create(&threads[n], NULL, work, pool) != 0) break;
    work(pool);    // this thread works too
    for (size_t i = 0; i < n; i++) pthread_join(threads[i], NULL);
    // what was done while another thread was still at it
    pthread_mutex_lock(&pool->lock);
    emit(pool);
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->window; i++) {
        for (size_t k = 0; k < pool->e->batch; k++) result_free(&pool->slots[i].results[k]);
        free(pool->slots[i].results);
    }
    free(pool->slots);
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
}

// ---------------------------------------------------------------------------------------------- all of it

static bool check_options(const orr_model *model, const orr_ensemble_options *o, orr_diag *diag)
{
    Arena work = { 0 };
    Names seen;
    names_init(&seen, &work);
    size_t n_wrong = 0;
    for (size_t i = 0; i < o->n_names && n_wrong < WRONG_SHOWN; i++) {
        const Text name = text_from(o->names[i]);
        if (orr_model_find(model, o->names[i]) == (size_t)-1) {
            diag_report(diag, DIAG_SETTING_UNKNOWN, (Place){ 0 }, o->names[i]);
            diag_suggest(diag, o->names[i], orr_model_closest(model, o->names[i]));
            n_wrong++;
        } else if (names_find(&seen, name) != NAMES_NONE) {
            report_value(diag, o->names[i], o->n_members ? o->values[i] : 0, "it is given twice");
            n_wrong++;
        }
        names_intern(&seen, name);
    }
    arena_free(&work);
    return n_wrong == 0;
}

orr_status orr_ensemble_run(const orr_model *model, const orr_experiment *experiment,
                            const orr_ensemble_options *options, const orr_member_sink *sink,
                            orr_ensemble_facts *facts, orr_diag *diag)
{
    orr_ensemble_facts told = { 0 };
    if (!check_options(model, options, diag)) return ORR_STATUS_USAGE;
    const uint64_t began = os_now_ns();
    orr_experiment plain = *experiment;
    plain.n_expects = 0;
    plain.n_plots = 0;
    Ensemble e = { .model = model, .experiment = &plain, .options = options, .batch = CODE_LANES_MAX };
    size_t n_threads = options->n_threads ? options->n_threads : (size_t)os_processors();
    if (n_threads > THREADS_MAX) n_threads = THREADS_MAX;
    Pool pool = { .e = &e, .sink = sink };

    // the first member that starts tells what is recorded, and how long one takes; what is wrong with the
    // question is wrong for all
    MemberResult first = { 0 };
    Keeper keeper = { .learner = &e, .sink = sink, .diag = diag };
    orr_status status = ORR_STATUS_OK;
    double alone_ms = 0;
    while (status == ORR_STATUS_OK && !e.columns && pool.first < options->n_members && !is_cancelled(&e)) {
        const uint64_t started = os_now_ns();
        run_alone(&e, pool.first, &first, &keeper);
        alone_ms = (double)(os_now_ns() - started) * 1e-6;
        if (first.status == ORR_STATUS_USAGE) status = ORR_STATUS_USAGE;
        else if (keeper.is_refused || !hand_over(&pool, pool.first++, &first)) status = ORR_STATUS_SYSTEM;
    }
    result_free(&first);
    const size_t left = options->n_members - pool.first;
    if (n_threads > left) n_threads = left ? left : 1;
    if (status == ORR_STATUS_OK && !is_cancelled(&e) && left > 0) {
        told.one_by_one = plan_lanes(&e, alone_ms, n_threads, diag);
        pool.n_batches = (left + e.batch - 1) / e.batch;
        if (n_threads > pool.n_batches) n_threads = pool.n_batches;
        run_pool(&pool, n_threads);
        if (pool.is_stopped) status = ORR_STATUS_SYSTEM;
    }
    told.n_done = pool.n_done;
    told.n_failed = pool.n_failed;
    told.n_violated = pool.n_violated;
    told.n_in_lanes = atomic_load(&e.n_in_lanes);
    told.n_threads = n_threads;
    told.simulate_ms = (double)(os_now_ns() - began) * 1e-6;
    if (facts) *facts = told;
    if (e.has_lanes) code_lanes_free(&e.lanes);
    arena_free(&e.arena);
    return status != ORR_STATUS_USAGE && is_cancelled(&e) ? ORR_STATUS_CANCELLED : status;
}

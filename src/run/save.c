// src/run/save.c: a run as bytes, and back: a part of something larger (run_save), or a file (checkpoints).
//
// What was saved goes on to the same bits as the run that went on by itself. Solvers go through all that they
// remember (Solver.pass), so that saving leaves no trace in a run. Those of SUNDIALS do not tell what they
// remember: where a run is saved they begin anew, in the run that is saved as in the one that goes on from
// there. One function goes through it all, for counting, writing and reading, so that these cannot disagree.
//
// A file: magic, version, lengths of what follows, its hash; fingerprints of model and settings; the run;
// what the owner of the run adds, such as how long its files of results are.
#include "base/diag.h"
#include "base/file.h"
#include "base/map.h"
#include "base/os.h"
#include "island/isles.h"
#include "run/run.h"
#include "solve/solver.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = "ORRERYCK";
enum { VERSION = 4 };
#define FILE_LIMIT ((size_t)1 << 34)

typedef struct Head {
    char magic[8];
    uint64_t version, n, n_extra, hash;    // of the bytes behind it: the run, and what its owner adds
    uint64_t model, settings;              // fingerprints
} Head;

// ---- Going through

void saved_pass(RunSaved *s, void *p, size_t n)
{
    if (n == 0 || s->is_bad) return;
    if (s->is_loading) {
        s->is_bad = n > s->n - s->at;
        if (!s->is_bad) memcpy(p, s->bytes + s->at, n);
        s->at += s->is_bad ? 0 : n;
        return;
    }
    if (s->is_counting) {
        s->n += n;
        return;
    }
    if (n > s->capacity - s->n) {
        s->is_bad = s->is_borrowed;
        if (s->is_bad) return;
        s->capacity = vec_next_capacity(s->capacity, s->n + n);
        char *larger = realloc(s->bytes, s->capacity);
        if (!larger) arena_no_memory(s->capacity);
        s->bytes = larger;
    }
    memcpy(s->bytes + s->n, p, n);
    s->n += n;
}

#define PASS(s, x)          saved_pass((s), &(x), sizeof(x))
#define PASS_ARRAY(s, p, n) saved_pass((s), (p), (size_t)(n) * sizeof *(p))

void saved_flags(RunSaved *s, bool *flags, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = flags[i];
        PASS(s, byte);
        flags[i] = byte != 0;
    }
}

void saved_index(RunSaved *s, uint32_t *index, uint32_t limit)
{
    PASS(s, *index);
    if (s->is_loading && *index >= limit) {
        s->is_bad = true;
        *index = 0;
    }
}

void saved_calendar(RunSaved *s, Calendar *calendar, uint32_t n_ids)
{
    uint32_t n = *calendar->n;
    saved_index(s, &n, n_ids + 1);
    if (s->is_loading && !s->is_bad) *calendar = calendar_init(calendar->n, n_ids);
    for (uint32_t i = 0; i < n && !s->is_bad; i++) {
        const uint32_t place = CALENDAR_ROOT + i;
        CalendarEntry entry = calendar->entries[place];
        PASS(s, entry.t);
        saved_index(s, &entry.id, n_ids);
        if (!s->is_loading || s->is_bad) continue;
        // as it was, heap for heap: things due at the same time come in the same order
        s->is_bad = !(entry.t < (double)INFINITY) || calendar->places[entry.id] != 0 ||
                    (i > 0 && calendar->entries[place / 4 + 2].t > entry.t);
        if (s->is_bad) break;
        entry.unused = 0;
        calendar->entries[place] = entry;
        calendar->places[entry.id] = place;
        *calendar->n = i + 1;
    }
}

const char *saved_text(RunSaved *s, const char *text, Arena *arena)
{
    uint32_t n = text ? (uint32_t)strlen(text) + 1 : 0;    // 0: none
    PASS(s, n);
    if (!s->is_loading) {
        if (n) saved_pass(s, (char *)text, n);
        return text;
    }
    if (n > s->n - s->at) s->is_bad = true;
    if (s->is_bad || n == 0) return NULL;
    char *copy = ARENA_ARRAY(arena, char, n);
    saved_pass(s, copy, n);
    copy[n - 1] = '\0';
    return copy;
}

// ---- Solvers

static const Solver *at_work(const Island *island)
{
    return island->solver->at_work ? island->solver->at_work(island) : island->solver;
}

// The solver as it is in a new run; of one that chooses among others, `with` goes on.
static bool begin_anew(orr_run *run, Island *island, const Solver *with)
{
    const double t_start = island->t_start;
    const long k = island->k;
    const size_t n_rates = island->n_rates;
    if (island->memory && island->solver->free) island->solver->free(island);
    island->memory = NULL;
    arena_free(&run->solver_arena);
    island->t_before = island->t;
    memcpy(island->x_before, island->x, run->model->n_states * sizeof *island->x);
    island->begin_with = with;
    const bool ok = island->solver->init(island, &run->solver_arena, run->diag);
    island->begin_with = NULL;
    if (!ok) return false;
    island->t_start = t_start;
    island->k = island->k_before = k;
    island->n_rates = n_rates;    // what the solver did to begin is no work of the model
    island->fault.kind = FAULT_NONE;
    island->t_sample = island->t_sample_before = NAN;
    island->jump_waits = island->event_waits = island->event_is_located = false;
    run->x = island->x;
    island->values_valid = false;
    return true;
}

static void pass_solver(Island *island, RunSaved *s)
{
    if (at_work(island)->pass) island->solver->pass(island, s);
}

static void solvers_pass(orr_run *run, RunSaved *s)
{
    Island *island = &run->island;
    bool stands_in = run->solver_aside != NULL, has_aside = run->memory_aside != NULL;
    uint32_t number = solver_number(at_work(island));
    saved_flags(s, &stands_in, 1);
    saved_flags(s, &has_aside, 1);
    saved_index(s, &number, solver_number(NULL));
    const char *reason = saved_text(s, island->reason, &run->arena);
    if (s->is_loading && !s->is_bad) {
        s->is_bad = (stands_in && !has_aside) || !surface_stand_in(run, island, stands_in, has_aside);
        if (!s->is_bad && solver_at(number) != at_work(island))
            s->is_bad = !begin_anew(run, island, solver_at(number)) || solver_at(number) != at_work(island);
        island->reason = reason;
    }
    if (s->is_bad) return;
    pass_solver(island, s);
    if (!has_aside) return;
    surface_swap(run, island);
    pass_solver(island, s);
    surface_swap(run, island);
}

// ---- The run

static void pass_island(orr_run *run, Island *island, RunSaved *s)
{
    const size_t n = run->model->n_states;
    uint32_t fault = (uint32_t)island->fault.kind;
    PASS(s, island->t);
    PASS(s, island->t_before);
    PASS_ARRAY(s, island->x_before, n);
    const double step = island->step;
    PASS_ARRAY(s, island->absolute, n);
    PASS(s, island->finest);
    for (size_t i = 0; i < n; i++)
        if (!(island->absolute[i] > 0 && isfinite(island->absolute[i]))) s->is_bad = true;
    if (!(island->finest > 0 && isfinite(island->finest))) s->is_bad = true;
    PASS(s, island->t_start);
    PASS(s, island->step);
    PASS(s, island->options.max_step);
    // what the solver begins with follows from the end of the run unless it is set: another end is allowed
    const bool is_step = step > 0 ? island->step > 0 && island->step < INFINITY : island->step == step;
    if (!is_step || !(island->options.max_step > 0)) s->is_bad = true;
    PASS(s, island->k);
    PASS(s, island->n_steps);
    PASS(s, island->n_rates);
    PASS(s, island->n_rejected);
    PASS(s, island->n_events);
    saved_index(s, &fault, FAULT_VALUE + 1);
    island->fault.kind = (FaultKind)fault;
    PASS(s, island->fault.block);
    if (island->fault.kind == FAULT_LOOP && island->fault.block >= run->model->blocks.dynamic.n_blocks)
        s->is_bad = true;
    PASS(s, island->fault.t);
    PASS_ARRAY(s, island->fault.x, n);
}

// What has been seen of relations in the last steps.
static void pass_samples(orr_run *run, RunSaved *s)
{
    const size_t n = 2 * (size_t)run->model->n_relations;
    if (n == 0) return;
    PASS(s, run->island.t_sample);
    PASS(s, run->island.t_sample_before);
    PASS_ARRAY(s, run->island.samples[0], n);
    PASS_ARRAY(s, run->island.sample_before, n);
    uint32_t relation = (uint32_t)run->island.event_relation;
    saved_index(s, &relation, (uint32_t)run->model->n_relations);
    run->island.event_relation = relation;
    saved_flags(s, run->has_slid, run->model->n_relations);
    saved_flags(s, run->has_rested, run->model->n_events);
}

static bool is_between(const orr_run *run) { return run->x == run->x_between; }

static void pass_run(orr_run *run, RunSaved *s)
{
    const orr_model *model = run->model;
    Island *island = &run->island;
    const uint32_t n_events = (uint32_t)model->n_events;
    PASS(s, run->t);
    // states, values, truths, delayed firings, counts of `every`: up to the calendar
    PASS_ARRAY(s, run->state, island->every_k + n_events - run->state);
    for (uint32_t i = 0; i < island->n_pending && s->is_loading; i++)
        if (!(island->pending[i] >= 0 && island->pending[i] <= n_events)) s->is_bad = true;
    saved_calendar(s, &island->calendar, island->n_due_max);
    for (uint32_t i = 0; i < island->n_pending && s->is_loading; i++)
        if (calendar_time(&island->calendar, n_events + i) < (double)INFINITY && !(island->pending[i] >= 1))
            s->is_bad = true;
    pass_island(run, island, s);
    PASS(s, island->k_before);
    // grid points are counted in numbers that a double has, too
    const long most = 1L << 53;
    if (island->k < -most || island->k > most || island->k_before < -most || island->k_before > most)
        s->is_bad = true;
    PASS_ARRAY(s, run->given, model->n_params);
    PASS_ARRAY(s, run->given_value, model->n_params);
    PASS(s, run->t_stop);
    PASS(s, island->burst_start);
    PASS(s, island->n_burst);
    PASS(s, island->n_bodies);
    PASS(s, run->n_switches);
    PASS(s, island->n_handled);
    PASS(s, run->n_reruns);
    PASS(s, run->n_violations);
    saved_index(s, &island->n_recent, EVENT_RECENT + 1);
    for (uint32_t i = 0; i < island->n_recent; i++) saved_index(s, &island->recent[i], n_events);
    bool between = is_between(run);
    bool *const flags[] = { &run->is_over, &island->event_waits, &island->event_is_located,
                            &island->jump_waits, &island->choice_waits, &island->values_valid,
                            &run->start_is_hard, &between };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) saved_flags(s, flags[i], 1);
    run->x = between ? run->x_between : island->x;
    if (between) PASS_ARRAY(s, run->x_between, model->n_states);
    const double earliest = fmin(fmin(run->t, island->t), fmin(island->t_before, island->t_start));
    const double latest = fmax(fmax(run->t, island->t), island->t_start);
    if (s->is_loading && !(earliest >= island->t_begin && isfinite(latest)))
        s->is_bad = true;
    pass_samples(run, s);
    island->terminated = saved_text(s, island->terminated, &run->arena);
    surface_pass(run, s);
    choose_pass(run, s);
    watch_pass(run, s);
    history_pass(run, s);
    input_pass(run, s);
    isles_pass(run, s);
    net_pass(run, s);
    solvers_pass(run, s);
}

// ---- Where a run can be saved

// A part that has ended stays as it is; of a run alone there is no rest.
static const char *what_hinders(const orr_run *run, bool is_alone)
{
    if (run->island.is_failed) return "it has failed";
    if (is_alone && (run->island.terminated || run->is_over)) return "it has ended";
    return NULL;
}

static bool is_open(const Island *island)
{
    return at_work(island)->pass != NULL;
}    // tells what it remembers

bool run_is_saved_as_it_is(const orr_run *run) { return is_open(&run->island); }

// Before anything is written: solvers that do not tell what they remember must have nothing to remember.
static orr_status prepare(orr_run *run)
{
    Island *island = &run->island;
    surface_forget_aside(run, island);
    if (island->terminated || run->is_over) return ORR_STATUS_OK;    // nothing is ahead of it
    return is_open(island) ? ORR_STATUS_OK : run_stop_at(run, run->t);
}

// … and afterwards, in the run that was saved as in the one that goes on from there.
static bool go_on(orr_run *run)
{
    Island *island = &run->island;
    return is_open(island) || island->terminated || run->is_over || begin_anew(run, island, at_work(island));
}

// ---- As a part of something larger

static size_t count_bytes(orr_run *run)
{
    RunSaved counted = { .is_counting = true };
    pass_run(run, &counted);
    return counted.is_bad ? 0 : counted.n;
}

size_t run_save(orr_run *run, void *bytes)
{
    if (what_hinders(run, false) || prepare(run) != ORR_STATUS_OK) return 0;
    const size_t size = count_bytes(run);
    if (!bytes || size == 0) return size;
    RunSaved saved = { .bytes = bytes, .capacity = size, .is_borrowed = true };
    pass_run(run, &saved);
    if (!go_on(run)) drive_fail(run);
    return saved.is_bad ? 0 : size;
}

static bool load(orr_run *run, const char *bytes, size_t n)
{
    RunSaved saved = { .bytes = (char *)bytes, .n = n, .is_loading = true };
    pass_run(run, &saved);
    const bool ok = !saved.is_bad && saved.at == saved.n && go_on(run);
    if (!ok) run->island.is_failed = true;
    return ok;
}

bool run_load(orr_run *run, const void *bytes, size_t n)
{
    return !what_hinders(run, false) && load(run, bytes, n);
}

// ---- Fingerprints

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_join(hash, hash_bytes(text, strlen(text)));
}

#define HASH(hash, ...)                                                                                      \
    do {                                                                                                     \
        const uint64_t numbers_[] = { __VA_ARGS__ };                                                         \
        (hash) = hash_join((hash), hash_bytes(numbers_, sizeof numbers_));                                   \
    } while (0)

static uint64_t hash_events(uint64_t hash, const Flat *flat)
{
    for (size_t i = 0; i < flat->events.n; i++) {
        const FlatEvent *e = &flat->events.items[i];
        HASH(hash, e->kind, e->condition, e->time, e->from, e->after, e->counter, e->n_draws, e->n_actions,
             e->n_sends, e->port, e->switch_plus_1, e->chain, e->at_start, e->asks_plus_1, e->order_plus_1,
             e->luck_plus_1, e->lapses, e->settles);
        hash = hash_join(hash, hash_bytes(&e->priority, sizeof e->priority));
    }
    for (size_t i = 0; i < flat->actions.n; i++)
        HASH(hash, flat->actions.items[i].target, flat->actions.items[i].value,
             flat->actions.items[i].text != NULL);
    for (size_t i = 0; i < flat->relations.n; i++)
        HASH(hash, flat->relations.items[i].relation, flat->relations.items[i].in_equation);
    for (size_t i = 0; i < flat->delays.n; i++)
        HASH(hash, flat->delays.items[i].source, flat->delays.items[i].lag, flat->delays.items[i].before,
             flat->delays.items[i].moving_plus_1);
    for (size_t i = 0; i < flat->terminal.n; i++)
        HASH(hash, flat->terminal.items[i].target, flat->terminal.items[i].value);
    return hash;
}

static uint64_t hash_network(uint64_t hash, const Flat *flat)
{
    for (size_t i = 0; i < flat->ports.n; i++) {
        const FlatPort *p = &flat->ports.items[i];
        hash = hash_text(hash, p->name);
        HASH(hash, p->kind, p->n_values, p->first, p->part, p->member, p->n, p->slot);
    }
    for (size_t i = 0; i < flat->sends.n; i++)
        HASH(hash, flat->sends.items[i].port, flat->sends.items[i].flag, flat->sends.items[i].first);
    for (size_t i = 0; i < flat->couplings.n; i++) {
        const FlatCoupling *c = &flat->couplings.items[i];
        HASH(hash, c->from, c->to, c->from_member, c->to_member);
    }
    for (size_t i = 0; i < flat->parts.n; i++) {
        const FlatPart *p = &flat->parts.items[i];
        hash = hash_text(hash_text(hash, p->name), p->type);
        HASH(hash, p->n, p->first_param, p->n_params);
    }
    for (size_t i = 0; i < flat->switches.n; i++) {
        const FlatSwitch *s = &flat->switches.items[i];
        HASH(hash, s->coupling, s->part, s->member, s->anew, s->event);
    }
    return hash;
}

static uint64_t hash_tables(uint64_t hash, const ExprPool *pool)
{
    for (size_t i = 0; i < pool->tables.n; i++) {
        const ExprTable *t = &pool->tables.items[i];
        hash = hash_join(hash_join(hash, hash_bytes(t->x, t->n * sizeof *t->x)),
                         hash_bytes(t->y, t->n * sizeof *t->y));
    }
    for (size_t i = 0; i < pool->pieces.n; i++)
        hash = hash_join(hash, hash_bytes(pool->pieces.items[i].numbers,
                                          pool->pieces.items[i].n_numbers * sizeof(double)));
    return hash_join(hash, hash_bytes(pool->constants.items, pool->constants.n * sizeof(double)));
}

static uint64_t model_fingerprint(const orr_model *model);

static uint64_t hash_isles(uint64_t hash, const Isles *isles)
{
    for (uint32_t i = 0; isles && i < isles->n; i++) {
        const Isle *isle = &isles->items[i];
        const orr_run_options *o = &isle->options.run;
        const double numbers[] = { o->step,    o->tolerance,        o->absolute,
                                   o->quantum, o->relative_quantum, isle->options.output_period };
        hash = hash_text(hash_text(hash, isle->name), o->solver ? o->solver : "");
        hash = hash_join(hash, hash_bytes(numbers, sizeof numbers));
        HASH(hash, model_fingerprint(isle->model), isle->options.synchronise, isle->options.tell_gradients);
    }
    return hash;
}

// Islands have models of their own, which have none.
static uint64_t model_fingerprint(const orr_model *model)
{
    const Flat *flat = &model->flat;
    uint64_t hash = hash_text(VERSION, orr_model_name(model));
    HASH(hash, model->n_states, model->n_values, model->n_params, model->n_events, model->n_relations,
         flat->vars.n, flat->equations.n, model->n_delays);
    for (size_t i = 0; i < flat->vars.n; i++) hash = hash_text(hash, flat->vars.items[i].name);
    // every expression is a node of the pool
    for (size_t i = 0; i < flat->pool.nodes.n; i++) {
        const ExprNode *node = expr_node(&flat->pool, (Expr)i);
        hash = hash_join(hash, hash_bytes(node, sizeof *node));
    }
    for (size_t i = 0; i < flat->equations.n; i++)
        HASH(hash, flat->equations.items[i].lhs, flat->equations.items[i].rhs);
    for (size_t i = 0; i < flat->families.n; i++)
        HASH(hash, flat->families.items[i].lhs, flat->families.items[i].rhs);
    hash = hash_network(hash_events(hash_tables(hash, &flat->pool), flat), flat);
    hash = hash_isles(hash, model->isles);
    if (model->atomics.n_kinds > 0) {
        Arena work = { 0 };
        const Text text = atomic_text(&model->atomics, &work);
        hash = hash_join(hash, hash_bytes(text.p, text.n));
        arena_free(&work);
        // of native atomics the text has no more than names: what they do is in their files
        for (uint32_t i = 0; i < model->atomics.n_kinds; i++)
            if (model->atomics.kinds[i].is_native) HASH(hash, model->atomics.kinds[i].code);
    }
    return hash;
}

uint64_t run_settings_fingerprint(const orr_run *run, const orr_run_options *options)
{
    const orr_model *model = run->model;
    const Island *island = &run->island;
    uint64_t hash = hash_text(VERSION, island->solver->name);
    const double numbers[] = {
        island->t_begin,      options->step,           options->tolerance,        options->absolute,
        options->max_step, options->quantum,        options->relative_quantum, options->least_quantum,
        options->path,     options->statistics_from
    };
    const uint64_t chance[] = { options->seed, options->number };
    hash = hash_join(hash, hash_bytes(numbers, sizeof numbers));
    hash = hash_join(hash, hash_bytes(chance, sizeof chance));
    hash = hash_join(hash, hash_bytes(run->given, model->n_params * sizeof *run->given));
    hash = hash_join(hash, hash_bytes(run->given_value, model->n_params * sizeof *run->given_value));
    for (size_t i = 0; i < options->n_quanta; i++) {
        hash = hash_text(hash, options->quanta[i].name);
        hash = hash_join(hash, hash_bytes(&options->quanta[i].value, sizeof options->quanta[i].value));
    }
    for (size_t i = 0; i < options->n_islands; i++) {
        const orr_island_solver *s = &options->islands[i];
        const double own[] = { s->step,    s->tolerance,        s->absolute,     s->max_step,
                               s->quantum, s->relative_quantum, s->least_quantum };
        hash = hash_text(hash_text(hash, s->island), s->solver);
        hash = hash_join(hash, hash_bytes(own, sizeof own));
    }
    for (size_t i = 0; i < options->n_absolutes; i++) {
        hash = hash_text(hash, options->absolutes[i].name);
        hash = hash_join(hash, hash_bytes(&options->absolutes[i].value, sizeof options->absolutes[i].value));
    }
    for (size_t i = 0; i < options->n_inputs; i++) {
        const orr_input *input = &options->inputs[i];
        const uint64_t kinds[] = { (uint64_t)input->between, (uint64_t)input->outside, input->cyclic };
        hash = hash_text(hash_text(hash, input->name), input->source);
        hash = hash_join(hash, hash_bytes(kinds, sizeof kinds));
    }
    for (size_t i = 0; i < options->n_claims; i++) {
        const double range[] = { options->claims[i].low, options->claims[i].high };
        hash = hash_join(hash_text(hash, options->claims[i].name), hash_bytes(range, sizeof range));
    }
    if (run->given_start)
        hash = hash_join(hash, hash_bytes(run->given_start, model->n_states * sizeof *run->given_start));
    return hash;
}

// ---- Files

orr_status run_save_file(orr_run *run, const char *path, const void *extra, size_t n_extra)
{
    const char *hinders = what_hinders(run, true);
    const orr_status status = hinders ? ORR_STATUS_USAGE : prepare(run);
    if (status == ORR_STATUS_OK) hinders = what_hinders(run, true);
    if (hinders) {
        diag_report(run->diag, DIAG_CHECKPOINT_CANNOT, (Place){ 0 }, run->t, hinders);
        return ORR_STATUS_USAGE;
    }
    if (status != ORR_STATUS_OK) return status;
    RunSaved saved = { 0 };
    pass_run(run, &saved);
    bool ok = !saved.is_bad;
    if (!ok)
        diag_report(run->diag, DIAG_CHECKPOINT_CANNOT, (Place){ 0 }, run->t,
                    "a component has no way to be saved");
    const size_t n = saved.n;
    if (n_extra) saved_pass(&saved, (void *)extra, n_extra);
    const Head head = { .magic = "ORRERYCK",
                        .version = VERSION,
                        .n = n,
                        .n_extra = n_extra,
                        .hash = hash_bytes(saved.bytes, saved.n),
                        .model = model_fingerprint(run->model),
                        .settings = run->settings_fingerprint };
    FileOut file;
    if (ok) ok = file_open(&file, path, FILE_REPLACE, run->diag);
    if (ok) {
        file.syncs = true;
        file_write(&file, &head, sizeof head);
        file_write(&file, saved.bytes, saved.n);
        file_mark(&file);
        ok = file_close(&file, run->diag);
    }
    free(saved.bytes);
    if (!ok) return ORR_STATUS_SYSTEM;
    return go_on(run) ? ORR_STATUS_OK : drive_fail(run);
}

orr_status orr_run_save_file(orr_run *run, const char *path) { return run_save_file(run, path, NULL, 0); }

static bool is_bad(orr_run *run, const char *path, const char *why, const char *hint)
{
    diag_report(run->diag, DIAG_CHECKPOINT_BAD, (Place){ 0 }, path, why);
    diag_hint(run->diag, "%s", hint);
    return false;
}

static bool is_other(orr_run *run, const char *path, const char *why, const char *hint)
{
    diag_report(run->diag, DIAG_CHECKPOINT_OTHER, (Place){ 0 }, path, why);
    diag_hint(run->diag, "%s", hint);
    return false;
}

static bool check_head(orr_run *run, const char *path, const Text *text, Head *head)
{
    const char *make = "make one with --checkpoint";
    const char *again = "it may be half copied; an older one, or the run from its beginning, still works";
    if (text->n < sizeof *head) return is_bad(run, path, "it is too short", make);
    memcpy(head, text->p, sizeof *head);
    const size_t n = text->n - sizeof *head;
    if (memcmp(head->magic, magic, sizeof magic) != 0)
        return is_bad(run, path, "it is another kind of file", make);
    if (head->version != VERSION) return is_bad(run, path, "another version of orrery wrote it", make);
    if (head->n > n || head->n_extra != n - head->n)
        return is_bad(run, path, "a part of it is missing", again);
    if (hash_bytes(text->p + sizeof *head, n) != head->hash) return is_bad(run, path, "it is damaged", again);
    if (head->model != model_fingerprint(run->model))
        return is_other(run, path, "the model is another one, or was changed", "the run must begin anew");
    if (head->settings != run->settings_fingerprint)
        return is_other(run, path, "it had other settings",
                        "give the same parameters, inputs, start, seed, "
                        "solver, steps and tolerances; the end may be another");
    return true;
}

orr_status run_load_file(orr_run *run, const char *path, Arena *arena, Text *extra)
{
    Arena work = { 0 };
    Text text;
    Head head;
    const char *hinders = what_hinders(run, true);
    bool ok = true;
    if (hinders) {
        diag_report(run->diag, DIAG_CHECKPOINT_CANNOT, (Place){ 0 }, run->t, hinders);
        ok = false;
    }
    ok = ok && os_read_file(&work, NULL, path, FILE_LIMIT, &text, run->diag) &&
         check_head(run, path, &text, &head);
    if (ok) {
        const char *bytes = text.p + sizeof head, *other = NULL;
        ok = load(run, bytes, head.n);
        if (!ok) other = input_other(run);
        if (other)
            is_other(run, path,
                     arena_printf(&work, "the samples that '%s' has followed so far are others now", other),
                     "inputs are read again from their beginning: give the same files");
        else if (!ok && !run->island.is_cancelled)
            is_bad(run, path, "what it says does not fit the model", "make one with --checkpoint");
        if (ok && extra)
            *extra = (Text){ arena_copy_text(arena, bytes + head.n, head.n_extra), head.n_extra };
    }
    arena_free(&work);
    return ok ? ORR_STATUS_OK : run->island.is_cancelled ? ORR_STATUS_CANCELLED : ORR_STATUS_USAGE;
}

orr_status orr_run_load_file(orr_run *run, const char *path) { return run_load_file(run, path, NULL, NULL); }

// src/run/save.c: a run as bytes, and back: a part of something larger (run_save), or a file (checkpoints).
//
// What was saved goes on to the same bits as the run that went on by itself. Solvers remember much that
// nobody could read out, so where a run is saved its solver begins anew, from nothing, in both: then all that
// counts is the state, and what this file lists. Only methods with fixed steps, which remember nothing but
// where their grid begins, are saved between two steps without being touched. One function goes through it
// all, for counting, writing and reading, so that these cannot disagree.
//
// A file: magic, version, length of what follows, its hash; fingerprints of model and settings; the run
#include "base/diag.h"
#include "base/file.h"
#include "base/map.h"
#include "base/os.h"
#include "run/run.h"
#include "solve/solver.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = "ORRERYCK";
enum { VERSION = 2 };
#define FILE_LIMIT ((size_t)1 << 34)

typedef struct Head {
    char magic[8];
    uint64_t version, n, hash;    // of the bytes behind it
    uint64_t model, settings;     // fingerprints
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

// Due times, not the order inside of the calendar.
static void pass_calendar(orr_run *run, RunSaved *s)
{
    Arena work = { 0 };
    double *times = ARENA_ARRAY(&work, double, run->n_due_max);
    for (uint32_t i = 0; i < run->n_due_max; i++) times[i] = calendar_time(&run->calendar, i);
    PASS_ARRAY(s, times, run->n_due_max);
    if (s->is_loading && !s->is_bad) {
        run->calendar = calendar_init(run->due_memory, run->n_due_max);
        for (uint32_t i = 0; i < run->n_due_max && !s->is_bad; i++) {
            s->is_bad = isnan(times[i]);
            if (!s->is_bad) calendar_set(&run->calendar, i, times[i]);
        }
    }
    arena_free(&work);
}

static void pass_run(orr_run *run, RunSaved *s)
{
    const orr_model *model = run->model;
    Island *island = &run->islands[0];
    PASS(s, run->t);
    // states, values, truths, delayed firings, counts of `every`: up to the calendar
    PASS_ARRAY(s, run->state, run->every_k + model->n_events - run->state);
    pass_calendar(run, s);
    PASS(s, island->t);
    PASS(s, island->t_before);
    PASS_ARRAY(s, island->x_before, model->n_states);
    PASS(s, island->t_start);
    PASS(s, island->step);
    PASS(s, island->options.max_step);
    PASS(s, island->k);
    PASS(s, run->k_before);
    PASS(s, island->n_steps);
    PASS(s, island->n_rates);
    PASS(s, island->n_rejected);
    PASS(s, island->n_events);
    PASS_ARRAY(s, run->given, model->n_params);
    PASS_ARRAY(s, run->given_value, model->n_params);
    PASS_ARRAY(s, run->has_slid, model->n_relations);
    PASS(s, run->t_stop);
    PASS(s, run->is_over);
    PASS(s, run->event_waits);
    PASS(s, run->event_is_located);
    PASS(s, run->jump_waits);
    PASS(s, run->burst_start);
    PASS(s, run->n_burst);
    PASS(s, run->n_bodies);
    PASS(s, run->n_switches);
    PASS(s, run->n_events);
    PASS(s, run->n_reruns);
    PASS(s, run->n_violations);
    surface_pass(run, s);
    choose_pass(run, s);
    watch_pass(run, s);
    history_pass(run, s);
    net_pass(run, s);
}

// ---- Where a run can be saved

static const char *what_hinders(const orr_run *run)
{
    if (run->is_failed) return "it has failed";
    if (run->terminated || run->is_over) return "it has ended";
    if (run->isles) return "it has islands beside the main part, which are not saved";
    if (run->islands[0].surface.is_on || run->n_rests > 0)
        return "it slides along a surface or rests on one just now";
    return NULL;
}

// The solver as it is in a new run.
static bool begin_anew(orr_run *run, Island *island)
{
    const double t_start = island->t_start;
    const long k = island->k;
    const size_t n_rates = island->n_rates;
    if (island->memory && island->solver->free) island->solver->free(island);
    island->memory = NULL;
    arena_free(&run->solver_arena);
    island->t_before = island->t;
    memcpy(island->x_before, island->x, run->model->n_states * sizeof *island->x);
    if (!island->solver->init(island, &run->solver_arena, run->diag)) return false;
    island->t_start = t_start;
    island->k = run->k_before = k;
    island->n_rates = n_rates;    // what the solver did to begin is no work of the model
    island->fault.kind = FAULT_NONE;
    run->t_sample = run->t_sample_before = NAN;
    run->jump_waits = run->event_waits = run->event_is_located = false;
    run->x = island->x;
    run->values_valid = false;
    return true;
}

// ---- As a part of something larger

// Not what has a past: it might take more bytes when it is written than when it was counted.
static bool can_save(const orr_run *run)
{
    return !what_hinders(run) && !run->history && !run->net && !run->watch && !run->choosing &&
           !run->islands[0].solver->advance;
}

static size_t count_bytes(orr_run *run)
{
    RunSaved counted = { .is_counting = true };
    pass_run(run, &counted);
    return counted.n;
}

size_t run_save(orr_run *run, void *bytes)
{
    if (!can_save(run)) return 0;
    const size_t size = count_bytes(run);
    if (!bytes) return size;
    Island *island = &run->islands[0];
    const bool is_fixed = island->solver->fixed_step;
    if (!is_fixed && run_stop_at(run, run->t) != ORR_STATUS_OK) return 0;
    RunSaved saved = { .bytes = bytes, .capacity = size, .is_borrowed = true };
    pass_run(run, &saved);
    if (!is_fixed && !begin_anew(run, island)) drive_fail(run);
    return saved.is_bad ? 0 : size;
}

bool run_load(orr_run *run, const void *bytes, size_t n)
{
    Island *island = &run->islands[0];
    if (!can_save(run) || n != count_bytes(run)) return false;
    RunSaved saved = { .bytes = (char *)bytes, .n = n, .is_loading = true };
    pass_run(run, &saved);
    if (saved.is_bad) return false;
    if (!island->solver->fixed_step) return begin_anew(run, island);
    const double t_start = island->t_start, t_before = island->t_before, step = island->step;
    const long k = island->k;
    island->solver->restart(island);
    island->t_start = t_start;
    island->t_before = t_before;
    island->step = step;
    island->k = k;
    run->t_sample = run->t_sample_before = NAN;
    run->values_valid = false;
    run->x = island->x;
    if (island->t > run->t && !drive_is_near(island, run->t)) {
        island->solver->state_at(island, run->t, run->x_between);
        run->x = run->x_between;
    }
    return true;
}

// ---- Fingerprints

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_join(hash, hash_bytes(text, strlen(text)));
}

static uint64_t model_fingerprint(const orr_model *model)
{
    const Flat *flat = &model->flat;
    uint64_t hash = hash_text(VERSION, orr_model_name(model));
    const uint64_t sizes[] = { model->n_states,    model->n_values, model->n_params,   model->n_events,
                               model->n_relations, flat->vars.n,    flat->equations.n, model->n_delays };
    hash = hash_join(hash, hash_bytes(sizes, sizeof sizes));
    for (size_t i = 0; i < flat->vars.n; i++) hash = hash_text(hash, flat->vars.items[i].name);
    // every expression is a node of the pool
    for (size_t i = 0; i < flat->pool.nodes.n; i++) {
        const ExprNode *node = expr_node(&flat->pool, (Expr)i);
        hash = hash_join(hash, hash_bytes(node, sizeof *node));
    }
    hash = hash_join(hash, hash_bytes(flat->pool.constants.items, flat->pool.constants.n * sizeof(double)));
    if (model->atomics.n_kinds > 0) {
        Arena work = { 0 };
        const Text text = atomic_text(&model->atomics, &work);
        hash = hash_join(hash, hash_bytes(text.p, text.n));
        arena_free(&work);
    }
    return hash;
}

uint64_t run_settings_fingerprint(const orr_run *run, const orr_run_options *options)
{
    const orr_model *model = run->model;
    const Island *island = &run->islands[0];
    uint64_t hash = hash_text(VERSION, island->solver->name);
    const double numbers[] = {
        run->t_start,      options->step,    options->tolerance,        options->absolute,
        options->max_step, options->quantum, options->relative_quantum, options->least_quantum,
        options->path
    };
    const uint64_t chance[] = { options->seed, options->number };
    hash = hash_join(hash, hash_bytes(numbers, sizeof numbers));
    hash = hash_join(hash, hash_bytes(chance, sizeof chance));
    hash = hash_join(hash, hash_bytes(run->given, model->n_params * sizeof *run->given));
    hash = hash_join(hash, hash_bytes(run->given_value, model->n_params * sizeof *run->given_value));
    if (run->given_start)
        hash = hash_join(hash, hash_bytes(run->given_start, model->n_states * sizeof *run->given_start));
    return hash;
}

// ---- Files

// Islands are given what their inputs follow by those who keep them; a run alone reads on from somewhere.
static const char *what_hinders_file(const orr_run *run)
{
    return run->inputs ? "its inputs follow samples, whose place in files and sockets is not saved"
                       : what_hinders(run);
}

orr_status orr_run_save_file(orr_run *run, const char *path)
{
    Island *island = &run->islands[0];
    const char *hinders = what_hinders_file(run);
    orr_status status = hinders ? ORR_STATUS_USAGE : run_stop_at(run, run->t);
    if (status == ORR_STATUS_OK) hinders = what_hinders_file(run);
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
    const Head head = { .magic = "ORRERYCK",
                        .version = VERSION,
                        .n = saved.n,
                        .hash = hash_bytes(saved.bytes, saved.n),
                        .model = model_fingerprint(run->model),
                        .settings = run->settings_fingerprint };
    FileOut file;
    if (ok) ok = file_open(&file, path, FILE_REPLACE, run->diag);
    if (ok) {
        file_write(&file, &head, sizeof head);
        file_write(&file, saved.bytes, saved.n);
        file_mark(&file);
        ok = file_close(&file, run->diag);
    }
    free(saved.bytes);
    if (!ok) return ORR_STATUS_SYSTEM;
    return begin_anew(run, island) ? ORR_STATUS_OK : drive_fail(run);
}

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
    if (memcmp(head->magic, magic, sizeof magic) != 0)
        return is_bad(run, path, "it is another kind of file", make);
    if (head->version != VERSION) return is_bad(run, path, "another version of orrery wrote it", make);
    if (head->n != text->n - sizeof *head) return is_bad(run, path, "a part of it is missing", again);
    if (hash_bytes(text->p + sizeof *head, head->n) != head->hash)
        return is_bad(run, path, "it is damaged", again);
    if (head->model != model_fingerprint(run->model))
        return is_other(run, path, "the model is another one, or was changed", "the run must begin anew");
    if (head->settings != run->settings_fingerprint)
        return is_other(
            run, path, "it had other settings",
            "give the same parameters, start, seed, solver, steps and tolerances; the end may be another");
    return true;
}

orr_status orr_run_load_file(orr_run *run, const char *path)
{
    Arena work = { 0 };
    Text text;
    Head head;
    Island *island = &run->islands[0];
    const char *hinders = what_hinders_file(run);
    bool ok = true;
    if (hinders) {
        diag_report(run->diag, DIAG_CHECKPOINT_CANNOT, (Place){ 0 }, run->t, hinders);
        ok = false;
    }
    ok = ok && os_read_file(&work, path, FILE_LIMIT, &text, run->diag) && check_head(run, path, &text, &head);
    if (ok) {
        RunSaved saved = { .bytes = (char *)text.p + sizeof head, .n = head.n, .is_loading = true };
        pass_run(run, &saved);
        ok = !saved.is_bad && saved.at == saved.n && begin_anew(run, island);
        if (!ok) is_bad(run, path, "what it says does not fit the model", "make one with --checkpoint");
        if (!ok) run->is_failed = true;
    }
    arena_free(&work);
    return ok ? ORR_STATUS_OK : ORR_STATUS_USAGE;
}

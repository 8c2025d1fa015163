// src/exp/pieces.c: see pieces.h; and the sink that writes them as CSV.
#include "exp/pieces.h"
#include "base/csv.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/number.h"
#include "exp/resume.h"
#include "model/model.h"
#include "solve/solver.h"
#include <stdlib.h>
#include <string.h>

static void put_latest(Pieces *p)
{
    for (uint32_t k = 0; k < p->n_latest; k++) {
        const uint32_t state = p->states[k];
        orr_piece piece = { .t = p->t, .name = model_state_name(p->model, state) };
        memcpy(piece.c, p->latest[state], sizeof piece.c);
        p->has_latest[state] = false;
        for (size_t i = 0; i < p->n_sinks; i++)
            if (p->sinks[i].piece && !p->sinks[i].piece(p->sinks[i].self, &piece)) p->failed = true;
    }
    p->n_latest = 0;
}

static void take(void *context, uint32_t state, double t, const double *c, int degree)
{
    Pieces *p = context;
    if (!p->is_wanted[state]) return;
    if (t != p->t) put_latest(p);
    p->t = t;
    if (!p->has_latest[state]) p->states[p->n_latest++] = state;
    p->has_latest[state] = true;
    for (int k = 0; k < 4; k++) p->latest[state][k] = k <= degree ? c[k] : 0;
}

static void choose_states(Pieces *p, const orr_run *run, const size_t *columns, size_t n_columns)
{
    const size_t n = run->model->n_states;
    bool any = false;
    for (size_t i = 0; i < n_columns; i++) {
        const uint32_t state = model_variable(run->model, columns[i]).state;
        if (state != FLAT_NONE) p->is_wanted[state] = any = true;
    }
    for (size_t i = 0; i < n && !any; i++) p->is_wanted[i] = true;
}

// A run that is resumed may stand inside of a piece.
static void move_origin(double c[4], double d)
{
    c[0] += d * (c[1] + d * (c[2] + d * c[3]));
    c[1] += d * (2 * c[2] + 3 * d * c[3]);
    c[2] += 3 * d * c[3];
}

bool pieces_begin(Pieces *p, orr_run *run, const orr_sink *sinks, size_t n_sinks, const size_t *columns,
                  size_t n_columns)
{
    const bool goes_on = p->goes_on;
    Island *island = &run->island;
    const size_t n = run->model->n_states;
    if (!island->solver->is_quantised && !run->solver_aside) {
        diag_report(run->diag, DIAG_NO_PIECES, (Place){ 0 }, island->solver->name);
        diag_hint(run->diag, "those of quantised states have: qss1, qss2, qss3, liqss1, liqss2 and mliqss2");
        return false;
    }
    *p = (Pieces){ .model = run->model,
                   .sinks = sinks,
                   .n_sinks = n_sinks,
                   .is_wanted = ARENA_ARRAY(&run->arena, bool, n),
                   .t = run->t,
                   .goes_on = goes_on,
                   .latest = arena_alloc(&run->arena, n, sizeof *p->latest),
                   .has_latest = ARENA_ARRAY(&run->arena, bool, n),
                   .states = ARENA_ARRAY(&run->arena, uint32_t, n) };
    choose_states(p, run, columns, n_columns);
    island->on_piece = take;
    island->piece_context = p;
    if (goes_on) return true;
    if (!island->solver->polynomial) {    // another one stands in
        drive_tell_pieces(island, run->t);
        return true;
    }
    for (uint32_t i = 0; i < n; i++) {
        double c[4], t;
        const int degree = island->solver->polynomial(island, i, &t, c);
        for (int k = degree + 1; k < 4; k++) c[k] = 0;
        move_origin(c, p->t - t);
        take(p, i, p->t, c, degree);
    }
    return true;
}

void pieces_pass(Pieces *p, RunSaved *saved)
{
    const uint32_t n = (uint32_t)p->model->n_states;
    saved_pass(saved, &p->t, sizeof p->t);
    saved_index(saved, &p->n_latest, n + 1);
    for (uint32_t k = 0; k < p->n_latest && !saved->is_bad; k++) {
        saved_index(saved, &p->states[k], n);
        if (saved->is_bad) break;
        saved_pass(saved, p->latest[p->states[k]], sizeof *p->latest);
        p->has_latest[p->states[k]] = true;
    }
    if (saved->is_bad) p->n_latest = 0;
}

bool pieces_end(Pieces *p)
{
    put_latest(p);
    return !p->failed;
}

// ---- CSV

struct orr_piece_csv {
    FileOut file;
    orr_diag *diag;    // borrowed
    bool goes_on;      // behind the pieces of an earlier run
};

orr_piece_csv *orr_piece_csv_create(const char *path, orr_diag *diag)
{
    orr_piece_csv *csv = calloc(1, sizeof *csv);
    if (!csv) arena_no_memory(sizeof *csv);
    csv->diag = diag;
    if (!file_open(&csv->file, path, FILE_IN_PLACE, diag)) {
        free(csv);
        return NULL;
    }
    return csv;
}

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    (void)names, (void)units, (void)n, (void)time_unit;
    orr_piece_csv *csv = self;
    static const char *const columns[] = { "t", "state", "c0", "c1", "c2", "c3" };
    if (csv->goes_on) return true;
    csv_header(&csv->file, columns, sizeof columns / sizeof *columns);
    file_begin(&csv->file);
    return true;
}

static orr_sink_mark mark(void *self) { return resume_mark(&((orr_piece_csv *)self)->file); }

static orr_sink_goes_on go_on(void *self, const orr_sink_mark *marks, size_t n)
{
    orr_piece_csv *csv = self;
    const orr_sink_goes_on how = resume_go_on(&csv->file, marks, n, csv->diag);
    csv->goes_on = how == ORR_SINK_GOES_ON;
    return how;
}

static bool put_piece(void *self, const orr_piece *piece)
{
    FileOut *file = &((orr_piece_csv *)self)->file;
    char text[NUMBER_MAX];
    file_write(file, text, number_format(piece->t, text));
    file_write(file, ",", 1);
    csv_field(file, piece->name);
    for (int k = 0; k < 4; k++) {
        file_write(file, ",", 1);
        file_write(file, text, number_format(piece->c[k], text));
    }
    file_write(file, "\n", 1);
    file_mark(file);
    return file->error == 0;
}

static bool progress(void *self, double t, double from, double until)
{
    (void)t, (void)from, (void)until;
    file_flush(&((orr_piece_csv *)self)->file);
    return true;
}

orr_sink orr_piece_csv_sink(orr_piece_csv *csv)
{
    return (orr_sink){
        .begin = begin, .piece = put_piece, .progress = progress, .mark = mark, .go_on = go_on, .self = csv
    };
}

bool orr_piece_csv_close(orr_piece_csv *csv)
{
    const bool ok = file_close(&csv->file, csv->diag);
    free(csv);
    return ok;
}

// src/exp/pieces.c: see pieces.h; and the sink that writes them as CSV.
#include "exp/pieces.h"
#include "base/csv.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/number.h"
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

bool pieces_begin(Pieces *p, orr_run *run, const orr_sink *sinks, size_t n_sinks, const size_t *columns,
                  size_t n_columns)
{
    Island *island = &run->islands[0];
    const size_t n = run->model->n_states;
    if (!island->solver->is_quantised) {
        diag_report(run->diag, DIAG_NO_PIECES, (Place){ 0 }, island->solver->name);
        diag_hint(run->diag, "those of quantised states have: qss1, qss2, qss3, liqss1, liqss2 and mliqss2");
        return false;
    }
    *p = (Pieces){ .model = run->model,
                   .sinks = sinks,
                   .n_sinks = n_sinks,
                   .is_wanted = ARENA_ARRAY(&run->arena, bool, n),
                   .t = island->t,
                   .latest = arena_alloc(&run->arena, n, sizeof *p->latest),
                   .has_latest = ARENA_ARRAY(&run->arena, bool, n),
                   .states = ARENA_ARRAY(&run->arena, uint32_t, n) };
    choose_states(p, run, columns, n_columns);
    island->on_piece = take;
    island->piece_context = p;
    for (uint32_t i = 0; i < n; i++) {
        double c[4], t;
        const int degree = island->solver->polynomial(island, i, &t, c);
        take(p, i, t, c, degree);
    }
    return true;
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
    static const char *const columns[] = { "t", "state", "c0", "c1", "c2", "c3" };
    csv_header(&csv->file, columns, sizeof columns / sizeof *columns);
    return csv;
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
    return (orr_sink){ .piece = put_piece, .progress = progress, .self = csv };
}

bool orr_piece_csv_close(orr_piece_csv *csv)
{
    const bool ok = file_close(&csv->file, csv->diag);
    free(csv);
    return ok;
}

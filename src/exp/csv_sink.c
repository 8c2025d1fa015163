// src/exp/csv_sink.c: rows to a CSV file, as they come.
//
// Turning numbers into text takes longer than computing them, so a long run does both at once: rows are
// gathered in a block of numbers, and a full block is handed to a thread that formats and writes it while the
// next one fills.
//
//     run: fill block 0 ─hand over→ fill block 1 ─hand over→ …
//     writer:            format, write block 0   format, write block 1   …
//
// A run that is ahead of its writer does not wait idly: it formats rows of the full block itself until the
// writer is free, which then has less to do.
//
// A run that never fills a block starts no thread. Now and then (progress) what has come so far is written
// out, so that a slow run can be watched and a killed one leaves what it had.
#include "base/csv.h"
#include "base/file.h"
#include "exp/resume.h"
#include "exp/rows_out.h"
#include "orrery/experiment.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_BYTES = 1 << 16,    // small: the first block fills, and the last is written, while the other side
                              // waits
    ROWS_AT_ONCE = 32,     // formatted by the run between two looks at the writer
};

typedef struct RowBlock {
    double *numbers;    // [rows_most][width] heap
    size_t  n_rows;
    char   *text;       // heap; the first n_formatted rows as text; NULL until a run is ahead of its writer
    size_t  n_text, n_formatted;
} RowBlock;

struct orr_csv {
    FileOut   file;              // the writer's while `waiting` or `busy`, else the run's
    orr_diag *diag;              // borrowed
    size_t    width;             // numbers in a row
    size_t    rows_most;         // in a block
    RowBlock  blocks[2];
    int       filling;           // the run's block; the other one is the writer's
    bool      wants_flush;       // write the next block through to the file
    bool      has_writer, cannot_start;
    bool      goes_on;           // behind the rows of an earlier run
    bool      has_units;         // in its header
    pthread_t writer;

    pthread_mutex_t lock;        // over what follows
    pthread_cond_t  changed;
    atomic_bool waiting;         // a block has been handed over and is not written yet; read without the lock
                                 // too
    bool      stopping;
    bool      failed;            // the file could not be written
};

orr_csv *orr_csv_create(const char *path, orr_diag *diag)
{
    orr_csv *csv = calloc(1, sizeof *csv);
    if (!csv) arena_no_memory(sizeof *csv);
    csv->diag = diag;
    if (!file_open(&csv->file, path, FILE_IN_PLACE, diag)) {
        free(csv);
        return NULL;
    }
    csv->file.drops = true;    // a run that is refused leaves no file
    pthread_mutex_init(&csv->lock, NULL);
    pthread_cond_init(&csv->changed, NULL);
    return csv;
}

void csv_put_units(orr_csv *csv) { csv->has_units = true; }

static void write_block(orr_csv *csv, RowBlock *block, bool flush)
{
    file_write(&csv->file, block->text, block->n_text);
    file_mark(&csv->file);
    for (size_t i = block->n_formatted; i < block->n_rows; i++)
        csv_row(&csv->file, block->numbers + i * csv->width, csv->width);
    block->n_rows = block->n_text = block->n_formatted = 0;
    if (flush) file_flush(&csv->file);
}

// ---------------------------------------------------------------------------------------------- the writer

static void *write_blocks(void *self)
{
    orr_csv *csv = self;
    pthread_mutex_lock(&csv->lock);
    for (;;) {
        while (!csv->waiting && !csv->stopping) pthread_cond_wait(&csv->changed, &csv->lock);
        if (!csv->waiting) break;
        RowBlock *block = &csv->blocks[1 - csv->filling];
        const bool flush = csv->wants_flush;
        pthread_mutex_unlock(&csv->lock);
        write_block(csv, block, flush);
        pthread_mutex_lock(&csv->lock);
        csv->failed = csv->file.error != 0;
        csv->waiting = false;
        pthread_cond_broadcast(&csv->changed);
    }
    pthread_mutex_unlock(&csv->lock);
    return NULL;
}

// Wait until the writer has nothing to do; false if the file could not be written.
static bool await_writer(orr_csv *csv)
{
    pthread_mutex_lock(&csv->lock);
    while (csv->waiting) pthread_cond_wait(&csv->changed, &csv->lock);
    const bool ok = !csv->failed;
    pthread_mutex_unlock(&csv->lock);
    return ok;
}

static bool start_writer(orr_csv *csv)
{
    if (!csv->has_writer && !csv->cannot_start) {
        csv->has_writer = pthread_create(&csv->writer, NULL, write_blocks, csv) == 0;
        csv->cannot_start = !csv->has_writer;
    }
    return csv->has_writer;
}

// Rows become text here as long as the writer is busy.
static void format_meanwhile(orr_csv *csv, RowBlock *block)
{
    while (atomic_load(&csv->waiting) && block->n_formatted < block->n_rows) {
        if (!block->text) {
            const size_t room = csv->rows_most * csv_row_room(csv->width);
            block->text = malloc(room);
            if (!block->text) arena_no_memory(room);
        }
        size_t last = block->n_formatted + ROWS_AT_ONCE;
        if (last > block->n_rows) last = block->n_rows;
        char *end = block->text + block->n_text;
        for (; block->n_formatted < last; block->n_formatted++)
            end = csv_row_text(end, block->numbers + block->n_formatted * csv->width, csv->width);
        block->n_text = (size_t)(end - block->text);
    }
}

// Give the filling block away and go on in the other one.
static bool hand_over(orr_csv *csv, bool flush)
{
    if (!start_writer(csv)) {    // no thread to be had: do it here
        write_block(csv, &csv->blocks[csv->filling], flush);
        return csv->file.error == 0;
    }
    format_meanwhile(csv, &csv->blocks[csv->filling]);
    if (!await_writer(csv)) return false;
    pthread_mutex_lock(&csv->lock);
    csv->filling = 1 - csv->filling;
    csv->wants_flush = flush;
    csv->waiting = true;
    pthread_cond_broadcast(&csv->changed);
    pthread_mutex_unlock(&csv->lock);
    return true;
}

static void stop_writer(orr_csv *csv)
{
    if (!csv->has_writer) return;
    pthread_mutex_lock(&csv->lock);
    csv->stopping = true;
    pthread_cond_broadcast(&csv->changed);
    pthread_mutex_unlock(&csv->lock);
    pthread_join(csv->writer, NULL);
    csv->has_writer = false;
}

// ---------------------------------------------------------------------------------------------- the sink

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    orr_csv *csv = self;
    Arena work = { 0 };
    const char **all = ARENA_ARRAY(&work, const char *, n + 1);
    for (size_t i = 0; i <= n; i++)
        all[i] = rows_column(&work, i ? names[i - 1] : "t",
                             !csv->has_units ? NULL : i == 0 ? time_unit : units ? units[i - 1] : NULL);
    if (!csv->goes_on) csv_header(&csv->file, all, n + 1);
    arena_free(&work);
    file_begin(&csv->file);    // nobody shall take what stood there for rows of this run

    csv->width = n + 1;
    csv->rows_most = 1 + BLOCK_BYTES / (csv->width * sizeof(double));
    for (int i = 0; i < 2; i++) {
        csv->blocks[i].numbers = malloc(csv->rows_most * csv->width * sizeof(double));
        if (!csv->blocks[i].numbers) arena_no_memory(csv->rows_most * csv->width * sizeof(double));
    }
    return csv->file.error == 0;
}

static bool row(void *self, double t, const double *values, size_t n)
{
    orr_csv *csv = self;
    RowBlock *block = &csv->blocks[csv->filling];
    double *to = block->numbers + block->n_rows * csv->width;
    to[0] = t;
    memcpy(to + 1, values, n * sizeof *values);
    return ++block->n_rows < csv->rows_most || hand_over(csv, false);
}

static bool progress(void *self, double t, double from, double until)
{
    (void)t, (void)from, (void)until;
    orr_csv *csv = self;
    return csv->blocks[csv->filling].n_rows == 0 || hand_over(csv, true);
}

static bool end(void *self, orr_status status)
{
    (void)status;
    orr_csv *csv = self;
    format_meanwhile(csv, &csv->blocks[csv->filling]);
    await_writer(csv);
    write_block(csv, &csv->blocks[csv->filling], true);
    return csv->file.error == 0;
}

static orr_sink_mark mark(void *self)
{
    orr_csv *csv = self;
    await_writer(csv);
    write_block(csv, &csv->blocks[csv->filling], true);
    return resume_mark(&csv->file);
}

static orr_sink_goes_on go_on(void *self, const orr_sink_mark *marks, size_t n)
{
    orr_csv *csv = self;
    const orr_sink_goes_on how = resume_go_on(&csv->file, marks, n, csv->diag);
    csv->goes_on = how == ORR_SINK_GOES_ON;
    return how;
}

orr_sink orr_csv_sink(orr_csv *csv)
{
    return (orr_sink){ .begin = begin,
                       .row = row,
                       .progress = progress,
                       .end = end,
                       .mark = mark,
                       .go_on = go_on,
                       .self = csv };
}

bool orr_csv_close(orr_csv *csv)
{
    if (!csv) return true;
    stop_writer(csv);
    const bool ok = file_close(&csv->file, csv->diag);
    for (int i = 0; i < 2; i++) {
        free(csv->blocks[i].numbers);
        free(csv->blocks[i].text);
    }
    pthread_mutex_destroy(&csv->lock);
    pthread_cond_destroy(&csv->changed);
    free(csv);
    return ok;
}

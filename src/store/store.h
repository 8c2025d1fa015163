// src/store/store.h: an open store, shared by its parts.
//
//     open.c       opening, checking, statements
//     keep.c       what is computed, as it is computed
//     look.c       lists, texts, rows
//     compare.c    two runs
//     change.c     labels, deleting, cleaning, salvage, copies
//     capsule.c    one run as an archive
//
// SQLite opens files by itself, so all its calls are made outside of what confines the model: by store_do.
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/reads.h"
#include "orrery/store.h"
#include "store/pack.h"
#include <pthread.h>
#include <sqlite3.h>

enum { STORE_VERSION = 1, CHUNK_LIMIT = 1 << 28, FILE_LIMIT = 1 << 30 };

// What a run has in chunks; each begins with chunk 0.
typedef enum Stream {
    STREAM_ABOUT = 1,      // texts: facts, report, statistics of the solver
    STREAM_COLUMNS,        // names and units of rows
    STREAM_ROWS,           // t and values, row by row
    STREAM_PIECES,         // column, t and coefficients
    STREAM_REPLAY,         // lines of JSON: messages and transitions
    STREAM_SHEETS,         // tables of the result
    STREAM_ENSEMBLES,      // of each ensemble what is varied and recorded
    STREAM_MEMBERS = 100   // and more: of each ensemble the members
} Stream;

struct orr_store {
    Arena      arena;             // texts that were handed out
    sqlite3   *db;
    const char *path;             // for messages
    pthread_mutex_t lock;         // over the connection
    ReadFile  *served;            // [n_served]
    size_t     n_served;
};

typedef struct Chunk {
    size_t   first, n;            // things in it
    double   t0, t1;
    uint8_t *p;                   // heap, expanded
    size_t   n_bytes;
} Chunk;

// Do something with the connection, outside and alone. Its result is that of `work`.
bool store_do(orr_store *store, bool (*work)(orr_store *store, void *self), void *self);

// ---- For such work
// A statement, with numbers and texts by position: "i" int64, "d" double, "t" text (NULL: none), "b" bytes
// and their number. NULL after a failure.
sqlite3_stmt *store_prepare(orr_store *store, const char *sql, const char *types, ...);
bool store_run(orr_store *store, const char *sql, const char *types, ...);     // and no rows
// End with the statement; false if it failed.
bool store_end(sqlite3_stmt *statement, int result);
bool store_begin(orr_store *store);                       // a transaction
bool store_commit(orr_store *store, bool ok);             // or undo it
const char *store_column_text(sqlite3_stmt *statement, int i, Arena *arena);    // never NULL, always UTF-8
// Say why SQLite refused; always false.
bool store_report(orr_store *store, orr_diag *diag);
bool store_damaged(orr_store *store, size_t run, const char *what, orr_diag *diag);    // always false

// ---- Chunks, of any thread
// in a work:
bool chunk_put(orr_store *store, size_t run, int stream, const Chunk *place, const Pack *pack);
// The chunks of a stream that have something between two times (NaN: all), in order; false if one of them is
// damaged, or `each` says so.
bool chunks_read(orr_store *store, size_t run, int stream, double from, double to,
                 bool (*each)(void *self, const Chunk *chunk), void *self);

// ---- keep.c
void members_free(orr_member *member);
// The next member of a chunk; into the arena. False at the end, or if it is damaged: then unpack is not ok.
bool member_unpack(Unpack *u, size_t n_columns, orr_member *member, Arena *arena);

// ---- look.c
typedef struct KeptColumns {
    const char **names, **units;    // [n]
    size_t       n;
    const char  *time_unit;
} KeptColumns;
bool columns_unpack(Unpack *u, KeptColumns *columns, Arena *arena);
bool store_columns(orr_store *store, size_t run, KeptColumns *columns, Arena *arena);    // false: none
bool store_number_exists(orr_store *store, size_t run, orr_diag *diag);
typedef struct KeptAbout {
    const char *facts, *report, *stats;
    orr_keep_request request;
} KeptAbout;
bool store_about(orr_store *store, size_t run, KeptAbout *about, Arena *arena);
// The files of a run: names, and texts if asked for; in the arena. False after a message.
bool store_files(orr_store *store, size_t run, bool has_texts, ReadFile **files, char (**hashes)[65],
                 size_t *n, Arena *arena, orr_diag *diag);

// ---- change.c
// All of a run to another store; *number there. In no transaction.
bool store_copy(orr_store *from, size_t run, orr_store *to, size_t *number, orr_diag *diag);

// src/store/open.c: opening a store, whoever wrote it.
//
// SQLite is told to trust nothing: no triggers, no views, no functions in the schema, cells checked. What a
// store may contain is the schema below, by its text; anything else is refused and left as it is.
#include "base/confine.h"
#include "base/os.h"
#include "store/store.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { APPLICATION = 0x4f525259, BUSY_MS = 20000, LENGTH_MOST = 1 << 30 };    // "ORRY"

// Runs have small rows, so that a list of them is read fast; all that is large stands in chunks.
static const char *const schema[] = {
    "CREATE TABLE run(id INTEGER PRIMARY KEY, created REAL, file TEXT, model TEXT, experiment TEXT,"
    " kind TEXT, version TEXT, tag TEXT, note TEXT, status INTEGER, seconds REAL, rows INTEGER,"
    " members INTEGER, study BLOB)",
    "CREATE TABLE chunk(id INTEGER PRIMARY KEY, run INTEGER, stream INTEGER, first INTEGER, n INTEGER,"
    " t0 REAL, t1 REAL, data BLOB)",
    "CREATE UNIQUE INDEX chunk_place ON chunk(run, stream, first)",
    "CREATE TABLE text(hash BLOB PRIMARY KEY, data BLOB) WITHOUT ROWID",
    "CREATE TABLE used(run INTEGER, name TEXT, hash BLOB, PRIMARY KEY(run, name)) WITHOUT ROWID",
    "CREATE TABLE value(run INTEGER, name TEXT, number REAL, PRIMARY KEY(run, name)) WITHOUT ROWID",
    "CREATE INDEX value_name ON value(name, number)",
};
enum { N_SCHEMA = sizeof schema / sizeof *schema };

// ---------------------------------------------------------------------------------------------- statements

static bool bind_all(sqlite3_stmt *s, const char *types, va_list args)
{
    int at = 1, r = SQLITE_OK;
    for (const char *p = types; *p && r == SQLITE_OK; p++, at++) {
        if (*p == 'i') r = sqlite3_bind_int64(s, at, va_arg(args, int64_t));
        if (*p == 'd') r = sqlite3_bind_double(s, at, va_arg(args, double));
        if (*p == 't') r = sqlite3_bind_text(s, at, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
        if (*p == 'b') {
            const void *bytes = va_arg(args, const void *);
            const size_t n = va_arg(args, size_t);
            r = sqlite3_bind_blob64(s, at, bytes, n, SQLITE_STATIC);
        }
    }
    return r == SQLITE_OK;
}

static sqlite3_stmt *prepare(orr_store *store, const char *sql, const char *types, va_list args)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(store->db, sql, -1, &s, NULL) == SQLITE_OK && bind_all(s, types, args)) return s;
    sqlite3_finalize(s);
    return NULL;
}

sqlite3_stmt *store_prepare(orr_store *store, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    sqlite3_stmt *s = prepare(store, sql, types, args);
    va_end(args);
    return s;
}

bool store_end(sqlite3_stmt *s, int result)
{
    sqlite3_finalize(s);
    return result == SQLITE_DONE || result == SQLITE_ROW;
}

bool store_run(orr_store *store, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    sqlite3_stmt *s = prepare(store, sql, types, args);
    va_end(args);
    return s && store_end(s, sqlite3_step(s));
}

bool store_begin(orr_store *store) { return store_run(store, "BEGIN IMMEDIATE", ""); }

bool store_commit(orr_store *store, bool ok)
{
    if (ok && store_run(store, "COMMIT", "")) return true;
    store_run(store, "ROLLBACK", "");
    return false;
}

// Texts are shown to people and become names: what is no UTF-8 in a stranger's store is none here.
const char *store_column_text(sqlite3_stmt *s, int i, Arena *arena)
{
    const char *text = (const char *)sqlite3_column_text(s, i);
    const size_t n = text ? strlen(text) : 0;
    if (!text || !text_is_utf8((Text){ text, n }, NULL)) return "";
    return arena_copy_text(arena, text, n);
}

// ---------------------------------------------------------------------------------------------- outside

typedef struct Work {
    orr_store *store;
    bool (*work)(orr_store *store, void *self);
    void *self;
    bool ok;
} Work;

static void do_work(void *self)
{
    Work *w = self;
    pthread_mutex_lock(&w->store->lock);
    w->ok = w->work(w->store, w->self);
    pthread_mutex_unlock(&w->store->lock);
}

bool store_do(orr_store *store, bool (*work)(orr_store *store, void *self), void *self)
{
    Work w = { store, work, self, false };
    confine_outside(do_work, &w);
    return w.ok;
}

bool store_damaged(orr_store *store, size_t run, const char *what, orr_diag *diag)
{
    diag_report(diag, DIAG_STORE_DAMAGED, (Place){ 0 }, store->path, what, run);
    diag_hint(diag, "'orrery runs salvage' copies what can still be read to a new store");
    return false;
}

bool store_report(orr_store *store, orr_diag *diag)
{
    const int error = sqlite3_errcode(store->db) & 0xff;
    if (error == SQLITE_BUSY || error == SQLITE_LOCKED) {
        diag_report(diag, DIAG_STORE_BUSY, (Place){ 0 }, store->path);
        diag_hint(diag, "another program holds it; try again when that has ended");
    } else if (error == SQLITE_CORRUPT || error == SQLITE_NOTADB) {
        diag_report(diag, DIAG_STORE_DAMAGED, (Place){ 0 }, store->path, sqlite3_errmsg(store->db),
                    (size_t)0);
        diag_hint(diag, "'orrery runs salvage' copies what can still be read to a new store");
    } else diag_report(diag, DIAG_STORE_FAILED, (Place){ 0 }, store->path, sqlite3_errmsg(store->db));
    return false;
}

// ---------------------------------------------------------------------------------------------- opening

typedef struct Opening {
    orr_store *store;
    orr_store_mode mode;
    orr_diag *diag;
    bool ok;
} Opening;

static int64_t pragma(orr_store *store, const char *sql)
{
    sqlite3_stmt *s = store_prepare(store, sql, "");
    const int64_t value = s && sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : -1;
    sqlite3_finalize(s);
    return value;
}

static bool is_of_schema(const char *sql)
{
    for (size_t i = 0; sql && i < N_SCHEMA; i++)
        if (strcmp(schema[i], sql) == 0) return true;
    return false;
}

// All of the schema, and nothing else.
static bool check_schema(orr_store *store, orr_diag *diag)
{
    sqlite3_stmt *s = store_prepare(store, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL", "");
    size_t n = 0;
    int r = SQLITE_ERROR;
    bool is_ours = true;
    while (s && (r = sqlite3_step(s)) == SQLITE_ROW) {
        is_ours &= is_of_schema((const char *)sqlite3_column_text(s, 0));
        n++;
    }
    if (!store_end(s, r)) return store_report(store, diag);
    if (is_ours && n == N_SCHEMA) return true;
    diag_report(diag, DIAG_STORE_FOREIGN, (Place){ 0 }, store->path);
    diag_hint(diag, "it is left as it is; name another one by --store");
    return false;
}

static bool make_schema(orr_store *store, orr_diag *diag)
{
    bool ok = store_begin(store);
    // somebody else may have made it meanwhile
    if (ok && pragma(store, "PRAGMA application_id") == 0 &&
        pragma(store, "SELECT count(*) FROM sqlite_schema") == 0) {
        for (size_t i = 0; ok && i < N_SCHEMA; i++) ok = store_run(store, schema[i], "");
        char sql[80];
        snprintf(sql, sizeof sql, "PRAGMA application_id = %d", APPLICATION);
        ok = ok && store_run(store, sql, "");
        snprintf(sql, sizeof sql, "PRAGMA user_version = %d", STORE_VERSION);
        ok = ok && store_run(store, sql, "");
    }
    ok = store_commit(store, ok);
    return ok || store_report(store, diag);
}

static bool set_up(Opening *o)
{
    orr_store *store = o->store;
    sqlite3 *db = store->db;
    sqlite3_busy_timeout(db, BUSY_MS);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LENGTH_MOST);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    store_run(store, "PRAGMA cell_size_check = ON", "");
    store_run(store, "PRAGMA mmap_size = 0", "");
    // of one instant: somebody else may be making the store
    if (!store_run(store, "BEGIN", "")) return store_report(store, o->diag);
    const int64_t application = pragma(store, "PRAGMA application_id");
    const bool is_failed = application < 0 && !store_report(store, o->diag);
    const bool is_empty = application == 0 && pragma(store, "SELECT count(*) FROM sqlite_schema") == 0;
    const bool may_make = o->mode >= ORR_STORE_KEEP && is_empty;
    const int64_t version = pragma(store, "PRAGMA user_version");
    store_run(store, "COMMIT", "");
    if (is_failed) return false;
    if (!may_make && application == APPLICATION && version > STORE_VERSION) {
        diag_report(o->diag, DIAG_STORE_NEWER, (Place){ 0 }, store->path, (size_t)version,
                    (size_t)STORE_VERSION);
        diag_hint(o->diag, "it is left as it is; the newer program reads it");
        return false;
    }
    if (!may_make && application != APPLICATION) {
        diag_report(o->diag, DIAG_STORE_FOREIGN, (Place){ 0 }, store->path);
        diag_hint(o->diag, "it is left as it is; name another one by --store");
        return false;
    }
    if (o->mode == ORR_STORE_KEEP) store_run(store, "PRAGMA journal_mode = WAL", "");
    store_run(store, "PRAGMA synchronous = NORMAL", "");
    if (may_make && !make_schema(store, o->diag)) return false;
    return check_schema(store, o->diag);
}

static void do_open(void *self)
{
    Opening *o = self;
    static const int flags[] = {
        [ORR_STORE_READ] = SQLITE_OPEN_READWRITE,    // a log that a crash left is taken in
        [ORR_STORE_CHANGE] = SQLITE_OPEN_READWRITE,
        [ORR_STORE_KEEP] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
        [ORR_STORE_MEMORY] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY,
    };
    orr_store *store = o->store;
    const bool is_file = o->mode != ORR_STORE_MEMORY;
    struct stat info;
    if (is_file && o->mode != ORR_STORE_KEEP && stat(store->path, &info) != 0) {
        diag_report(o->diag, DIAG_STORE_MISSING, (Place){ 0 }, store->path);
        diag_hint(o->diag, "'orrery run FILE --keep' makes one");
        return;
    }
    if (is_file && stat(store->path, &info) == 0 && !S_ISREG(info.st_mode)) {
        diag_report(o->diag, DIAG_FILE_NOT_PLAIN, (Place){ 0 }, store->path);
        return;
    }
    int r = sqlite3_open_v2(is_file ? store->path : ":memory:", &store->db,
                            flags[o->mode] | SQLITE_OPEN_NOMUTEX, NULL);
    if (r != SQLITE_OK && o->mode == ORR_STORE_READ) {
        sqlite3_close_v2(store->db);
        r = sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    }
    o->ok = r == SQLITE_OK ? set_up(o) : store_report(store, o->diag);
}

orr_store *orr_store_open(const char *path, orr_store_mode mode, orr_diag *diag)
{
    orr_store *store = calloc(1, sizeof *store);
    if (!store) arena_no_memory(sizeof *store);
    pthread_mutex_init(&store->lock, NULL);
    store->path = mode == ORR_STORE_MEMORY ? "memory" : arena_copy_text(&store->arena, path, strlen(path));
    Opening o = { .store = store, .mode = mode, .diag = diag };
    confine_outside(do_open, &o);
    if (o.ok) return store;
    orr_store_close(store);
    return NULL;
}

static void do_close(void *self) { sqlite3_close_v2(((orr_store *)self)->db); }

void orr_store_close(orr_store *store)
{
    if (!store) return;
    if (store->n_served) reads_serve(NULL, 0);
    confine_outside(do_close, store);
    pthread_mutex_destroy(&store->lock);
    arena_free(&store->arena);
    free(store);
}

// ---------------------------------------------------------------------------------------------- chunks

bool chunk_put(orr_store *store, size_t run, int stream, const Chunk *place, const Pack *pack)
{
    Pack squeezed = { 0 };
    pack_squeeze(pack->p, pack->n, &squeezed);
    const bool ok = store_run(store,
                              "INSERT OR REPLACE INTO chunk(run, stream, first, n, t0, t1, data)"
                              " VALUES(?,?,?,?,?,?,?)",
                              "iiiiddb", (int64_t)run, (int64_t)stream, (int64_t)place->first,
                              (int64_t)place->n, place->t0, place->t1, (const void *)squeezed.p, squeezed.n);
    pack_free(&squeezed);
    return ok;
}

typedef struct Reading {
    size_t run;
    int stream;
    double from, to;
    int64_t after;    // place of the chunk before
    Chunk chunk;
    bool is_damaged;
} Reading;

// The next chunk; so that the connection is free between two.
static bool read_next(orr_store *store, void *self)
{
    Reading *r = self;
    sqlite3_stmt *s = store_prepare(store,
                                    "SELECT first, n, t0, t1, data FROM chunk WHERE run = ? AND stream = ?"
                                    " AND first > ? AND NOT t1 < ? AND NOT t0 > ? ORDER BY first LIMIT 1",
                                    "iiidd", (int64_t)r->run, (int64_t)r->stream, r->after,
                                    isnan(r->from) ? -INFINITY : r->from, isnan(r->to) ? INFINITY : r->to);
    const int result = s ? sqlite3_step(s) : SQLITE_ERROR;
    bool found = result == SQLITE_ROW;
    if (found) {
        const int64_t first = sqlite3_column_int64(s, 0), n = sqlite3_column_int64(s, 1);
        r->after = first;
        r->chunk = (Chunk){ .first = (size_t)first,
                            .n = (size_t)n,
                            .t0 = sqlite3_column_double(s, 2),
                            .t1 = sqlite3_column_double(s, 3) };
        const void *data = sqlite3_column_blob(s, 4);
        r->chunk.p = pack_expand(data, (size_t)sqlite3_column_bytes(s, 4), CHUNK_LIMIT, &r->chunk.n_bytes);
        if (first < 0 || n < 0 || !r->chunk.p) {
            free(r->chunk.p);
            r->is_damaged = true;
            found = false;
        }
    }
    if (!store_end(s, result)) r->is_damaged = true;
    return found;
}

bool chunks_read(orr_store *store, size_t run, int stream, double from, double to,
                 bool (*each)(void *self, const Chunk *chunk), void *self)
{
    Reading r = { .run = run, .stream = stream, .from = from, .to = to, .after = -1 };
    bool ok = true;
    while (ok && store_do(store, read_next, &r)) {
        ok = each(self, &r.chunk);
        free(r.chunk.p);
    }
    return ok && !r.is_damaged;
}

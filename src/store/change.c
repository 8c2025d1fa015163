// src/store/change.c: labels, deleting, cleaning up, and copies from store to store.
#include "base/os.h"
#include "store/store.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Change {
    size_t run;
    const char *tag, *note;
    bool is_there;
    size_t freed;
} Change;

static bool do_label(orr_store *store, void *self)
{
    Change *c = self;
    bool ok = store_begin(store);
    if (c->tag)
        ok = ok && store_run(store, "UPDATE run SET tag = ? WHERE id = ?", "ti", c->tag, (int64_t)c->run);
    c->is_there = sqlite3_changes(store->db) > 0;
    if (c->note)
        ok = ok && store_run(store, "UPDATE run SET note = ? WHERE id = ?", "ti", c->note, (int64_t)c->run);
    c->is_there |= sqlite3_changes(store->db) > 0;
    return store_commit(store, ok);
}

static bool unknown(orr_store *store, size_t run, orr_diag *diag)
{
    diag_report(diag, DIAG_RUN_UNKNOWN, (Place){ 0 }, run, store->path);
    diag_hint(diag, "'orrery runs' lists them");
    return false;
}

bool orr_store_label(orr_store *store, size_t number, const char *tag, const char *note, orr_diag *diag)
{
    Change c = { .run = number, .tag = tag, .note = note };
    if (!store_do(store, do_label, &c)) return store_report(store, diag);
    return c.is_there || unknown(store, number, diag);
}

static bool do_delete(orr_store *store, void *self)
{
    Change *c = self;
    static const char *const tables[] = { "chunk WHERE run", "used WHERE run", "value WHERE run",
                                          "run WHERE id" };
    bool ok = store_begin(store);
    for (size_t i = 0; ok && i < sizeof tables / sizeof *tables; i++) {
        char sql[64];
        snprintf(sql, sizeof sql, "DELETE FROM %s = ?", tables[i]);
        ok = store_run(store, sql, "i", (int64_t)c->run);
    }
    c->is_there = sqlite3_changes(store->db) > 0;
    return store_commit(store, ok);
}

bool orr_store_delete(orr_store *store, size_t number, orr_diag *diag)
{
    Change c = { .run = number };
    if (!store_do(store, do_delete, &c)) return store_report(store, diag);
    return c.is_there || unknown(store, number, diag);
}

static int64_t bytes_of(orr_store *store)
{
    sqlite3_stmt *s = store_prepare(
        store, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", "");
    const int64_t n = s && sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_finalize(s);
    return n;
}

static bool do_clean(orr_store *store, void *self)
{
    Change *c = self;
    const int64_t before = bytes_of(store);
    const bool ok = store_run(store, "DELETE FROM text WHERE hash NOT IN (SELECT hash FROM used)", "") &&
                    store_run(store, "DELETE FROM chunk WHERE run NOT IN (SELECT id FROM run)", "") &&
                    store_run(store, "VACUUM", "");
    store_run(store, "PRAGMA wal_checkpoint(TRUNCATE)", "");
    const int64_t after = bytes_of(store);
    c->freed = before > after ? (size_t)(before - after) : 0;
    return ok;
}

bool orr_store_clean(orr_store *store, size_t *freed, orr_diag *diag)
{
    Change c = { 0 };
    if (!store_do(store, do_clean, &c)) return store_report(store, diag);
    if (freed) *freed = c.freed;
    return true;
}

// ---------------------------------------------------------------------------------------------- copies

typedef struct Copy {
    orr_store *to;
    size_t run, number;
    bool from_failed;
} Copy;

// Rows of a table as they are, whatever types they have; column `own` (from 0; -1: none) becomes the number
// of the run there.
static bool copy_rows(orr_store *from, Copy *c, const char *select, const char *insert, int own)
{
    sqlite3_stmt *in = store_prepare(from, select, "i", (int64_t)c->run), *out = NULL;
    bool ok = in && sqlite3_prepare_v2(c->to->db, insert, -1, &out, NULL) == SQLITE_OK;
    int r = SQLITE_ERROR;
    while (ok && (r = sqlite3_step(in)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(in); i++)
            sqlite3_bind_value(out, i + 1, sqlite3_column_value(in, i));
        if (own >= 0) sqlite3_bind_int64(out, own + 1, (int64_t)c->number);
        ok = sqlite3_step(out) == SQLITE_DONE;
        sqlite3_reset(out);
    }
    sqlite3_finalize(out);
    c->from_failed = !store_end(in, r);
    return ok && !c->from_failed;
}

// Inside of both: the other one is locked by whoever calls this.
static bool do_copy(orr_store *from, void *self)
{
    Copy *c = self;
    bool ok = store_begin(c->to);
    ok = ok && copy_rows(from, c,
                         "SELECT created, file, model, experiment, kind, version, tag, note, status,"
                         " seconds, rows, members, study FROM run WHERE id = ?",
                         "INSERT INTO run(created, file, model, experiment, kind, version, tag, note, status,"
                         " seconds, rows, members, study) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
                         -1);
    c->number = ok ? (size_t)sqlite3_last_insert_rowid(c->to->db) : 0;
    ok = ok &&
         copy_rows(from, c, "SELECT run, stream, first, n, t0, t1, data FROM chunk WHERE run = ?",
                   "INSERT INTO chunk(run, stream, first, n, t0, t1, data) VALUES(?,?,?,?,?,?,?)", 0) &&
         copy_rows(from, c, "SELECT run, name, hash FROM used WHERE run = ?",
                   "INSERT INTO used(run, name, hash) VALUES(?,?,?)", 0) &&
         copy_rows(from, c, "SELECT run, name, number FROM value WHERE run = ?",
                   "INSERT INTO value(run, name, number) VALUES(?,?,?)", 0) &&
         copy_rows(from, c, "SELECT hash, data FROM text WHERE hash IN (SELECT hash FROM used WHERE run = ?)",
                   "INSERT OR IGNORE INTO text(hash, data) VALUES(?,?)", -1);
    return store_commit(c->to, ok);
}

bool store_copy(orr_store *from, size_t run, orr_store *to, size_t *number, orr_diag *diag)
{
    Copy c = { .to = to, .run = run };
    pthread_mutex_lock(&to->lock);
    const bool ok = store_do(from, do_copy, &c);
    pthread_mutex_unlock(&to->lock);
    if (!ok) return store_report(c.from_failed ? from : to, diag);
    *number = c.number;
    return true;
}

// ---------------------------------------------------------------------------------------------- salvage

typedef struct Numbers {
    int64_t *all;
    size_t n;
} Numbers;

// As far as they can be read: a damaged page ends the list, so it is read from both ends.
static bool do_numbers(orr_store *store, void *self)
{
    Numbers *list = self;
    static const char *const ways[] = { "SELECT id FROM run ORDER BY id",
                                        "SELECT id FROM run ORDER BY id DESC" };
    int64_t last = INT64_MIN;
    for (int way = 0; way < 2; way++) {
        sqlite3_stmt *s = store_prepare(store, ways[way], "");
        while (s && sqlite3_step(s) == SQLITE_ROW) {
            const int64_t id = sqlite3_column_int64(s, 0);
            if (way == 1 && id <= last) break;
            if (way == 0) last = id;
            int64_t *larger = realloc(list->all, (list->n + 1) * sizeof *larger);
            if (!larger) arena_no_memory(list->n * sizeof *larger);
            list->all = larger;
            list->all[list->n++] = id;
        }
        sqlite3_finalize(s);
    }
    return true;
}

bool orr_store_salvage(const char *path, const char *to_path, size_t *n, orr_diag *diag)
{
    *n = 0;
    if (os_file_exists(to_path)) {
        diag_report(diag, DIAG_WRITE_FAILED, (Place){ 0 }, to_path, "it is there already");
        return false;
    }
    orr_store *from = orr_store_open(path, ORR_STORE_READ, diag);
    orr_store *to = from ? orr_store_open(to_path, ORR_STORE_KEEP, diag) : NULL;
    Numbers list = { 0 };
    if (to) store_do(from, do_numbers, &list);
    for (size_t i = 0; i < list.n; i++) {
        size_t number;
        orr_diag *unheard = orr_diag_create();
        *n += store_copy(from, (size_t)list.all[i], to, &number, unheard);
        orr_diag_destroy(unheard);
    }
    free(list.all);
    orr_store_close(to);
    orr_store_close(from);
    return to != NULL;
}

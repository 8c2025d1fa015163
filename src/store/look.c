// src/store/look.c: what is in a store: lists, descriptions, rows, files.
#include "base/file.h"
#include "base/sha256.h"
#include "base/vec.h"
#include "store/store.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIELDS                                                                                               \
    "SELECT id, created, file, model, experiment, kind, tag, note, version, status, seconds, rows, members," \
    " (SELECT total(length(data)) FROM chunk WHERE run = run.id) FROM run"

// ---------------------------------------------------------------------------------------------- lists

typedef struct Listing {
    const orr_kept_filter *filter;
    orr_kept *all;
    size_t n, capacity;
} Listing;

static orr_kept read_kept(sqlite3_stmt *s, Arena *arena)
{
    orr_kept k = { .number = (size_t)sqlite3_column_int64(s, 0), .created = sqlite3_column_double(s, 1) };
    const char **texts[] = { &k.file, &k.model, &k.experiment, &k.kind, &k.tag, &k.note, &k.version };
    for (int i = 0; i < 7; i++) *texts[i] = store_column_text(s, 2 + i, arena);
    const int64_t status = sqlite3_column_int64(s, 9);
    k.is_done = sqlite3_column_type(s, 9) == SQLITE_INTEGER && status >= 0 && status <= ORR_STATUS_NO_MEMORY;
    k.status = k.is_done ? (orr_status)status : ORR_STATUS_OK;
    k.seconds = sqlite3_column_double(s, 10);
    const double sizes[] = { sqlite3_column_double(s, 11), sqlite3_column_double(s, 12),
                             sqlite3_column_double(s, 13) };
    size_t *to[] = { &k.n_rows, &k.n_members, &k.n_bytes };
    for (int i = 0; i < 3; i++) *to[i] = sizes[i] > 0 && sizes[i] < 1e15 ? (size_t)sizes[i] : 0;
    return k;
}

static bool do_list(orr_store *store, void *self)
{
    Listing *l = self;
    const orr_kept_filter *f = l->filter;
    const bool has_value = f->parameter && !isnan(f->value);
    sqlite3_stmt *s = store_prepare(
        store,
        FIELDS
        " WHERE (?1 IS NULL OR model = ?1) AND (?2 IS NULL OR experiment = ?2) AND (?3 IS NULL OR tag = ?3)"
        " AND created >= ?4 AND (?5 IS NULL OR EXISTS(SELECT 1 FROM value WHERE run = run.id AND"
        " name = ?5 AND (?6 = 0 OR number = ?7))) ORDER BY id DESC LIMIT ?8",
        "tttdtidi", f->model, f->experiment, f->tag, f->since, f->parameter, (int64_t)has_value,
        has_value ? f->value : 0.0, (int64_t)(f->at_most ? f->at_most : INT64_MAX));
    int r = SQLITE_ERROR;
    while (s && (r = sqlite3_step(s)) == SQLITE_ROW) {
        if (l->n == l->capacity) {
            l->capacity = l->capacity ? 2 * l->capacity : 32;
            orr_kept *larger = realloc(l->all, l->capacity * sizeof *larger);
            if (!larger) arena_no_memory(l->capacity * sizeof *larger);
            l->all = larger;
        }
        l->all[l->n++] = read_kept(s, &store->arena);
    }
    return store_end(s, r);
}

bool orr_store_list(orr_store *store, const orr_kept_filter *filter, orr_kept **all, size_t *n,
                    orr_diag *diag)
{
    Listing l = { .filter = filter };
    const bool ok = store_do(store, do_list, &l) || store_report(store, diag);
    *all = l.all;
    *n = l.n;
    return ok;
}

typedef struct Getting {
    size_t run;
    orr_kept kept;
    bool is_there;
} Getting;

static bool do_get(orr_store *store, void *self)
{
    Getting *g = self;
    sqlite3_stmt *s = store_prepare(store, FIELDS " WHERE id = ?", "i", (int64_t)g->run);
    const int r = s ? sqlite3_step(s) : SQLITE_ERROR;
    g->is_there = r == SQLITE_ROW;
    if (g->is_there) g->kept = read_kept(s, &store->arena);
    return store_end(s, r);
}

bool orr_store_get(orr_store *store, size_t number, orr_kept *kept, orr_diag *diag)
{
    Getting g = { .run = number };
    if (!store_do(store, do_get, &g)) return store_report(store, diag);
    if (!g.is_there) {
        diag_report(diag, DIAG_RUN_UNKNOWN, (Place){ 0 }, number, store->path);
        diag_hint(diag, "'orrery runs' lists them");
    }
    *kept = g.kept;
    return g.is_there;
}

// ---------------------------------------------------------------------------------------------- texts

bool columns_unpack(Unpack *u, KeptColumns *c, Arena *arena)
{
    c->n = unpack_count(u, 16);
    c->names = ARENA_ARRAY(arena, const char *, c->n);
    c->units = ARENA_ARRAY(arena, const char *, c->n);
    for (size_t i = 0; i < c->n && u->ok; i++) {
        c->names[i] = unpack_text(u, arena);
        c->units[i] = unpack_text(u, arena);
        u->ok &= c->names[i] && text_is_utf8(text_from(c->names[i]), NULL) &&
                 (!c->units[i] || text_is_utf8(text_from(c->units[i]), NULL));
    }
    c->time_unit = unpack_text(u, arena);
    return u->ok;
}

typedef struct ColumnsReading {
    KeptColumns *columns;
    Arena *arena;
    bool found;
} ColumnsReading;

static bool read_columns(void *self, const Chunk *chunk)
{
    ColumnsReading *r = self;
    Unpack u = unpack_from(chunk->p, chunk->n_bytes);
    r->found = columns_unpack(&u, r->columns, r->arena) && unpack_is_whole(&u);
    return false;
}

bool store_columns(orr_store *store, size_t run, KeptColumns *columns, Arena *arena)
{
    ColumnsReading r = { columns, arena, false };
    chunks_read(store, run, STREAM_COLUMNS, NAN, NAN, read_columns, &r);
    return r.found;
}

typedef struct AboutReading {
    KeptAbout *about;
    Arena *arena;
    bool ok;
} AboutReading;

static const char *or_empty(const char *text)
{
    return text && text_is_utf8(text_from(text), NULL) ? text : "";
}

static bool read_about(void *self, const Chunk *chunk)
{
    AboutReading *r = self;
    KeptAbout *a = r->about;
    Unpack u = unpack_from(chunk->p, chunk->n_bytes);
    if (chunk->first == 1) {
        a->report = or_empty(unpack_text(&u, r->arena));
        a->stats = or_empty(unpack_text(&u, r->arena));
        return u.ok;
    }
    orr_keep_request *q = &a->request;
    a->facts = or_empty(unpack_text(&u, r->arena));
    q->file = unpack_text(&u, r->arena);
    q->experiment = unpack_text(&u, r->arena);
    q->model = unpack_text(&u, r->arena);
    q->loops = unpack_text(&u, r->arena);
    const uint64_t flags = unpack_u64(&u);
    q->has_natives = flags & 1;
    q->is_quiet = flags & 2;
    q->has_pictures = flags & 4;
    q->n_given = unpack_count(&u, 16);
    orr_given *given = ARENA_ARRAY(r->arena, orr_given, q->n_given);
    for (size_t i = 0; i < q->n_given && u.ok; i++) {
        given[i].word = unpack_text(&u, r->arena);
        given[i].text = unpack_text(&u, r->arena);
        u.ok &= given[i].word != NULL;
    }
    q->given = given;
    r->ok = unpack_is_whole(&u) && q->file;
    return r->ok;
}

bool store_about(orr_store *store, size_t run, KeptAbout *about, Arena *arena)
{
    *about = (KeptAbout){ .facts = "", .report = "", .stats = "" };
    AboutReading r = { about, arena, false };
    return chunks_read(store, run, STREAM_ABOUT, NAN, NAN, read_about, &r) && r.ok;
}

// ---------------------------------------------------------------------------------------------- files

typedef struct FilesReading {
    size_t run;
    bool has_texts;
    Arena *arena;
    VEC(ReadFile) files;
    char (*hashes)[65];
    size_t n_hashes;
    const char *damage;    // NULL: none
} FilesReading;

// A text is what its hash says, or nobody's.
static const char *read_text(FilesReading *r, sqlite3_stmt *s, ReadFile *file)
{
    size_t n = 0;
    uint8_t hash[SHA256_BYTES];
    uint8_t *text = pack_expand(sqlite3_column_blob(s, 2), (size_t)sqlite3_column_bytes(s, 2), FILE_LIMIT,
                                &n);
    if (!text) return "a file is not there";
    sha256(text, n, hash);
    const bool is_right = memcmp(hash, sqlite3_column_blob(s, 1), sizeof hash) == 0;
    if (is_right) file->text = (Text){ arena_copy_text(r->arena, (char *)text, n), n };
    free(text);
    return is_right ? NULL : "a file is not what its hash says";
}

static bool do_files(orr_store *store, void *self)
{
    FilesReading *r = self;
    sqlite3_stmt *s = store_prepare(store,
                                    "SELECT name, used.hash, data FROM used LEFT JOIN text"
                                    " ON text.hash = used.hash WHERE run = ? ORDER BY name",
                                    "i", (int64_t)r->run);
    int result = SQLITE_ERROR;
    size_t capacity = 0;
    while (s && !r->damage && (result = sqlite3_step(s)) == SQLITE_ROW) {
        ReadFile file = { .name = store_column_text(s, 0, r->arena) };
        file.path = file.name;
        const void *hash = sqlite3_column_blob(s, 1);
        if (!hash || sqlite3_column_bytes(s, 1) != SHA256_BYTES || !*file.name) {
            r->damage = "a file has no hash";
            break;
        }
        if (r->has_texts) r->damage = read_text(r, s, &file);
        if (r->n_hashes == capacity) {
            capacity = capacity ? 2 * capacity : 16;
            char(*larger)[65] = (char(*)[65])arena_alloc(r->arena, capacity, sizeof *larger);
            if (r->n_hashes) memcpy(larger, r->hashes, r->n_hashes * sizeof *larger);
            r->hashes = larger;
        }
        sha256_text(hash, r->hashes[r->n_hashes++]);
        vec_push(r->arena, &r->files, file);
    }
    return store_end(s, result);
}

bool store_files(orr_store *store, size_t run, bool has_texts, ReadFile **files, char (**hashes)[65],
                 size_t *n, Arena *arena, orr_diag *diag)
{
    FilesReading r = { .run = run, .has_texts = has_texts, .arena = arena };
    if (!store_do(store, do_files, &r)) return store_report(store, diag);
    if (r.damage) return store_damaged(store, run, r.damage, diag);
    *files = r.files.items;
    *n = r.files.n;
    if (hashes) *hashes = r.hashes;
    return true;
}

bool orr_store_serve(orr_store *store, size_t number, orr_keep_request *request, orr_diag *diag)
{
    if (number == 0) {
        reads_serve(NULL, 0);
        return true;
    }
    orr_kept kept;
    KeptAbout about;
    if (!orr_store_get(store, number, &kept, diag)) return false;
    if (!store_about(store, number, &about, &store->arena))
        return store_damaged(store, number, "how it was called cannot be read", diag);
    if (!store_files(store, number, true, &store->served, NULL, &store->n_served, &store->arena, diag))
        return false;
    if (about.request.has_natives) {
        diag_report(diag, DIAG_REPLAY_IMPOSSIBLE, (Place){ 0 }, number, "it needs code of --native");
        return false;
    }
    *request = about.request;
    reads_serve(store->served, store->n_served);
    return true;
}

// ---------------------------------------------------------------------------------------------- descriptions

static bool count_chunks(void *self, const Chunk *c)
{
    *(size_t *)self += c->n;
    return true;
}

static void describe_chunks(orr_store *store, size_t run, StrBuf *text)
{
    static const struct {
        int stream;
        const char *what;
    } streams[] = { { STREAM_ROWS, "rows" },
                    { STREAM_PIECES, "polynomials" },
                    { STREAM_REPLAY, "messages" } };
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        size_t n = 0;
        chunks_read(store, run, streams[i].stream, NAN, NAN, count_chunks, &n);
        if (n) str_addf(text, "  %zu %s\n", n, streams[i].what);
    }
}

char *orr_store_describe(orr_store *store, size_t number, orr_diag *diag)
{
    orr_kept k;
    KeptAbout about;
    Arena work = { 0 };
    StrBuf text = { 0 };
    ReadFile *files;
    char(*hashes)[65];
    size_t n;
    if (!orr_store_get(store, number, &k, diag)) return NULL;
    bool ok = store_about(store, number, &about, &work) ||
              store_damaged(store, number, "how it was called cannot be read", diag);
    ok = ok && store_files(store, number, false, &files, &hashes, &n, &work, diag);
    if (ok) {
        str_addf(&text, "run %zu of %s: %s%s%s, %s\n", number, k.file, k.model, *k.experiment ? ", " : "",
                 k.experiment, k.kind);
        if (*k.tag) str_addf(&text, "  tag: %s\n", k.tag);
        if (*k.note) str_addf(&text, "  note: %s\n", k.note);
        if (k.is_done) str_addf(&text, "  %s in %.3g s\n", orr_status_text(k.status), k.seconds);
        else str_add(&text, "  not finished: it was stopped, or is still running\n");
        str_add(&text, "\ncalled: orrery run");
        str_addf(&text, " %s%s%s", about.request.file, about.request.experiment ? " " : "",
                 about.request.experiment ? about.request.experiment : "");
        for (size_t i = 0; i < about.request.n_given; i++)
            str_addf(&text, " --%s%s%s", about.request.given[i].word, about.request.given[i].text ? " " : "",
                     about.request.given[i].text ? about.request.given[i].text : "");
        str_add(&text, "\n\nfiles\n");
        for (size_t i = 0; i < n; i++) str_addf(&text, "  %.12s  %s\n", hashes[i], files[i].name);
        str_addf(&text, "\nfacts\n%s\nkept\n", about.facts);
        describe_chunks(store, number, &text);
        if (k.n_members) str_addf(&text, "  %zu members\n", k.n_members);
        str_addf(&text, "  %zu bytes\n", k.n_bytes);
        if (*about.report) str_addf(&text, "\n%s", about.report);
        if (*about.stats) str_addf(&text, "\nsolver\n%s", about.stats);
    }
    arena_free(&work);
    return ok ? str_finish(&text) : NULL;
}

// ---------------------------------------------------------------------------------------------- rows

typedef struct RowsReading {
    orr_sink sink;
    size_t n;    // columns
    double from, to;
    size_t n_rows;
    // of members
    bool is_begun;
    Arena arena;
    size_t n_names;
    const double *values;    // [n_members][n_names]
    size_t n_members;
    double *row;
} RowsReading;

static bool read_rows(void *self, const Chunk *c)
{
    RowsReading *r = self;
    Arena work = { 0 };
    Unpack u = unpack_from(c->p, c->n_bytes);
    const size_t width = r->n + 1;
    const bool fits = c->n_bytes / sizeof(double) / width == c->n &&
                      c->n_bytes % (width * sizeof(double)) == 0;
    const double *numbers = fits ? unpack_doubles(&u, c->n * width, &work) : NULL;
    for (size_t i = 0; numbers && i < c->n; i++) {
        const double t = numbers[i * width];
        if (t < r->from || t > r->to) continue;
        r->sink.row(r->sink.self, t, numbers + i * width + 1, r->n);
        r->n_rows++;
    }
    arena_free(&work);
    return numbers != NULL;
}

static bool read_members(void *self, const Chunk *c)
{
    RowsReading *r = self;
    Arena work = { 0 };
    Unpack u = unpack_from(c->p, c->n_bytes);
    orr_member m;
    while (member_unpack(&u, r->n, &m, &work)) {
        if (m.index >= r->n_members) u.ok = false;
        for (size_t i = 0; u.ok && i < m.n_rows; i++) {
            if (m.times[i] < r->from || m.times[i] > r->to) continue;
            r->row[0] = (double)m.index + 1;
            memcpy(r->row + 1, r->values + m.index * r->n_names, r->n_names * sizeof *r->row);
            memcpy(r->row + 1 + r->n_names, m.rows + i * r->n, r->n * sizeof *r->row);
            r->sink.row(r->sink.self, m.times[i], r->row, 1 + r->n_names + r->n);
            r->n_rows++;
        }
    }
    arena_free(&work);
    return unpack_is_whole(&u);
}

// The first ensemble of a study: its columns, and what was varied.
static bool read_ensemble(void *self, const Chunk *c)
{
    RowsReading *r = self;
    KeptColumns columns;
    Unpack u = unpack_from(c->p, c->n_bytes);
    u.at = u.n < SHA256_BYTES ? u.n : SHA256_BYTES;
    r->n_members = unpack_u64(&u);
    unpack_u64(&u);
    if (c->first != 0 || !columns_unpack(&u, &columns, &r->arena)) return false;
    r->n_names = unpack_count(&u, 8);
    const size_t n = 1 + r->n_names + columns.n;
    const char **names = ARENA_ARRAY(&r->arena, const char *, n),
               **units = ARENA_ARRAY(&r->arena, const char *, n);
    names[0] = "member";
    for (size_t i = 0; i < r->n_names && u.ok; i++) {
        names[1 + i] = unpack_text(&u, &r->arena);
        u.ok &= names[1 + i] != NULL;
    }
    if (!u.ok || (r->n_names && r->n_members > (u.n - u.at) / sizeof(double) / r->n_names)) return false;
    r->values = unpack_doubles(&u, r->n_members * r->n_names, &r->arena);
    memcpy(names + 1 + r->n_names, columns.names, columns.n * sizeof *names);
    memcpy(units + 1 + r->n_names, columns.units, columns.n * sizeof *units);
    r->n = columns.n;
    r->row = ARENA_ARRAY(&r->arena, double, n);
    r->is_begun = unpack_is_whole(&u) && r->sink.begin(r->sink.self, names, units, n, columns.time_unit);
    return false;    // no more
}

orr_table *orr_store_table(orr_store *store, size_t number, double from, double to, orr_diag *diag)
{
    orr_kept kept;
    KeptColumns columns;
    if (!orr_store_get(store, number, &kept, diag)) return NULL;
    orr_table *table = orr_table_create(0);
    RowsReading r = { .sink = orr_table_sink(table),
                      .from = isnan(from) ? -INFINITY : from,
                      .to = isnan(to) ? INFINITY : to };
    bool ok = true;
    if (store_columns(store, number, &columns, &r.arena)) {
        r.n = columns.n;
        r.sink.begin(r.sink.self, columns.names, columns.units, columns.n, columns.time_unit);
        ok = chunks_read(store, number, STREAM_ROWS, from, to, read_rows, &r);
    } else {
        chunks_read(store, number, STREAM_ENSEMBLES, NAN, NAN, read_ensemble, &r);
        if (r.is_begun) ok = chunks_read(store, number, STREAM_MEMBERS, NAN, NAN, read_members, &r);
    }
    if (!ok) store_damaged(store, number, "rows cannot be read", diag);
    else if (r.n_rows == 0) diag_report(diag, DIAG_KEPT_NONE, (Place){ 0 }, number, "rows");
    arena_free(&r.arena);
    if (ok && r.n_rows > 0) return table;
    orr_table_destroy(table);
    return NULL;
}

static bool write_lines(void *self, const Chunk *c)
{
    file_write(self, c->p, c->n_bytes);
    file_mark(self);
    return true;
}

bool orr_store_replay_file(orr_store *store, size_t number, const char *path, orr_diag *diag)
{
    orr_kept kept;
    size_t n = 0;
    FileOut f;
    if (!orr_store_get(store, number, &kept, diag)) return false;
    chunks_read(store, number, STREAM_REPLAY, NAN, NAN, count_chunks, &n);
    if (n == 0) {
        diag_report(diag, DIAG_KEPT_NONE, (Place){ 0 }, number, "messages");
        diag_hint(diag, "models with components have");
        return false;
    }
    if (!file_open(&f, path, FILE_REPLACE, diag)) return false;
    const bool ok = chunks_read(store, number, STREAM_REPLAY, NAN, NAN, write_lines, &f) ||
                    store_damaged(store, number, "messages cannot be read", diag);
    return file_close(&f, diag) && ok;
}

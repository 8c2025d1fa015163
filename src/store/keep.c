// src/store/keep.c: what is computed goes to the store while it is computed.
//
// Rows, polynomials, messages and members are gathered in memory and written as chunks: when there is enough
// of them, and members at the latest after a few milliseconds, since one that is finished must survive
// whatever kills the program. Each chunk is a transaction of its own; the log of SQLite (WAL) makes that a
// write without waiting for the disk.
#include "base/file.h"
#include "base/map.h"
#include "base/os.h"
#include "base/sha256.h"
#include "exp/provenance.h"
#include "exp/trace.h"
#include "model/model.h"
#include "orrery/orrery.h"
#include "store/store.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CHUNK_BYTES = 1 << 19,    // gathered before they are written
    MEMBERS_NS = 2000000,     // how long a finished member waits at most
    ROWS_NS = 1000000000,     // and a row
};

// A stream under way.
typedef struct Gathering {
    Pack pack;
    Chunk place;
    int stream;
    uint64_t since;    // when its first thing came
} Gathering;

// Chunks of members that were there already.
typedef struct KnownChunk {
    size_t first, n;
    int stream;
} KnownChunk;

struct orr_keep {
    orr_store *store;
    orr_diag *diag;
    Arena arena;
    size_t run;
    bool has_failed;
    uint64_t began;
    const orr_model *model;
    const orr_experiment *experiment;
    Gathering rows, pieces, replay, members;
    size_t n_rows, n_columns, n_observed, n_members, n_recalled;
    TextMap by_name;    // of columns
    FileOut line;       // in memory
    orr_sink sink;
    orr_keeper keeper;
    // of studies
    int n_ensembles;    // the present one is the last
    VEC(KnownChunk) known;
    pthread_mutex_t lock;    // over the chunk that members are recalled from
    size_t at;               // in `known`; none: known.n
    Arena chunk_arena;
    orr_member *recalled;    // [of the chunk]
};

// ---------------------------------------------------------------------------------------------- writing

typedef struct Putting {
    orr_keep *keep;
    Gathering *g;
} Putting;

static bool do_put(orr_store *store, void *self)
{
    const Putting *p = self;
    const bool ok = store_begin(store);
    return store_commit(store, ok && chunk_put(store, p->keep->run, p->g->stream, &p->g->place, &p->g->pack));
}

static bool flush(orr_keep *k, Gathering *g)
{
    if (g->place.n == 0) return !k->has_failed;
    if (!k->has_failed && !store_do(k->store, do_put, &(Putting){ k, g })) {
        k->has_failed = true;
        store_report(k->store, k->diag);
    }
    g->place = (Chunk){ .first = g->place.first + g->place.n, .t0 = -INFINITY, .t1 = INFINITY };
    g->pack.n = 0;
    return !k->has_failed;
}

// One more thing is in it.
static bool added(orr_keep *k, Gathering *g, double t, uint64_t patience)
{
    if (g->place.n++ == 0) {
        g->place.t0 = t;
        g->since = os_now_ns();
    }
    g->place.t1 = t;
    if (g->pack.n >= CHUNK_BYTES) return flush(k, g);
    // the clock is looked at now and then
    return (patience > MEMBERS_NS && g->place.n % 64) || os_now_ns() - g->since < patience || flush(k, g);
}

static void put_columns(Pack *pack, const char *const *names, const char *const *units, size_t n,
                        const char *time_unit)
{
    pack_u64(pack, n);
    for (size_t i = 0; i < n; i++) {
        pack_text(pack, names[i]);
        pack_text(pack, units ? units[i] : NULL);
    }
    pack_text(pack, time_unit);
}

typedef struct PutOne {
    orr_keep *keep;
    int stream;
    size_t first;
    Pack *pack;
} PutOne;

static bool do_put_one(orr_store *store, void *self)
{
    const PutOne *p = self;
    const Chunk place = { .first = p->first, .n = 1, .t0 = -INFINITY, .t1 = INFINITY };
    const bool ok = store_begin(store);
    return store_commit(store, ok && chunk_put(store, p->keep->run, p->stream, &place, p->pack));
}

static bool put_one(orr_keep *k, int stream, size_t first, Pack *pack)
{
    const bool ok = !k->has_failed && store_do(k->store, do_put_one, &(PutOne){ k, stream, first, pack });
    if (!ok && !k->has_failed) store_report(k->store, k->diag);
    k->has_failed |= !ok;
    pack_free(pack);
    return ok;
}

// ---------------------------------------------------------------------------------------------- one run

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    orr_keep *k = self;
    Pack pack = { 0 };
    k->n_columns = n;
    text_map_init(&k->by_name, &k->arena);
    for (uint32_t i = 0; i < n; i++) text_map_put(&k->by_name, text_from(names[i]), i);
    put_columns(&pack, names, units, n, time_unit);
    return put_one(k, STREAM_COLUMNS, 0, &pack);
}

static bool row(void *self, double t, const double *values, size_t n)
{
    orr_keep *k = self;
    pack_double(&k->rows.pack, t);
    pack_doubles(&k->rows.pack, values, n);
    k->n_rows++;
    return added(k, &k->rows, t, ROWS_NS);
}

static bool piece(void *self, const orr_piece *p)
{
    orr_keep *k = self;
    const uint32_t *column = k->by_name.names.n ? text_map_find(&k->by_name, text_from(p->name)) : NULL;
    if (!column) return true;
    pack_u64(&k->pieces.pack, (uint64_t)*column << 8 | (uint64_t)p->n_terms);
    pack_double(&k->pieces.pack, p->t);
    pack_doubles(&k->pieces.pack, p->c, (size_t)p->n_terms);
    return added(k, &k->pieces, p->t, ROWS_NS);
}

static void trace(void *self, const orr_devs *network, const orr_devs_trace *what)
{
    orr_keep *k = self;
    trace_put(&k->line, network, what, true);
    pack_bytes(&k->replay.pack, k->line.buffer, k->line.used);
    k->line.used = 0;
    added(k, &k->replay, what->t, ROWS_NS);
}

static bool end(void *self, orr_status status)
{
    (void)status;
    orr_keep *k = self;
    return flush(k, &k->rows) && flush(k, &k->pieces) && flush(k, &k->replay);
}

// ---------------------------------------------------------------------------------------------- members

// What decides the members of an ensemble: if it is another, nothing that was kept is of it.
static void ensemble_hash(const orr_experiment *e, const orr_ensemble_options *o, const char *const *columns,
                          size_t n_columns, uint8_t hash[SHA256_BYTES])
{
    Sha256 s;
    sha256_init(&s);
    const uint64_t numbers[] = { o->n_names, o->n_members,      o->common,   o->fast,
                                 n_columns,  e->n_observations, e->run.seed, e->run.number };
    const double options[] = {
        e->from,          e->until,        e->every,        e->run.step,    e->run.path,
        e->run.tolerance, e->run.absolute, e->run.max_step, e->run.quantum, e->run.relative_quantum
    };
    sha256_add(&s, numbers, sizeof numbers);
    sha256_add(&s, options, sizeof options);
    if (e->run.solver) sha256_add(&s, e->run.solver, strlen(e->run.solver) + 1);
    for (size_t i = 0; i < o->n_names; i++) sha256_add(&s, o->names[i], strlen(o->names[i]) + 1);
    for (size_t i = 0; i < n_columns; i++) sha256_add(&s, columns[i], strlen(columns[i]) + 1);
    sha256_add(&s, o->values, o->n_members * o->n_names * sizeof *o->values);
    sha256_finish(&s, hash);
}

static bool find_known(void *self, const Chunk *c)
{
    orr_keep *k = self;
    const KnownChunk known = { c->first, c->n, STREAM_MEMBERS + k->n_ensembles };
    if (c->n > 0) vec_push(&k->arena, &k->known, known);
    return true;
}

typedef struct SameEnsemble {
    const uint8_t *hash;
    size_t number;
    bool is_same;
} SameEnsemble;

static bool is_same(void *self, const Chunk *c)
{
    SameEnsemble *s = self;
    if (c->first == s->number && c->n_bytes >= SHA256_BYTES)
        s->is_same = memcmp(c->p, s->hash, SHA256_BYTES) == 0;
    return true;
}

static bool do_forget(orr_store *store, void *self)
{
    const orr_keep *k = self;
    const bool ok = store_begin(store);
    return store_commit(store, ok && store_run(store, "DELETE FROM chunk WHERE run = ? AND stream >= ?", "ii",
                                               (int64_t)k->run, (int64_t)(STREAM_MEMBERS + k->n_ensembles)));
}

static bool ensemble_begin(void *self, const orr_experiment *e, const orr_ensemble_options *o,
                           const char *const *columns, const char *const *units, size_t n,
                           const char *time_unit)
{
    orr_keep *k = self;
    uint8_t hash[SHA256_BYTES];
    ensemble_hash(e, o, columns, n, hash);
    k->n_columns = n;
    k->n_observed = e->n_observations;
    if (!flush(k, &k->members)) return false;
    SameEnsemble same = { .hash = hash, .number = (size_t)k->n_ensembles };
    chunks_read(k->store, k->run, STREAM_ENSEMBLES, NAN, NAN, is_same, &same);
    k->known.n = 0;
    if (same.is_same) chunks_read(k->store, k->run, STREAM_MEMBERS + k->n_ensembles, NAN, NAN, find_known, k);
    else if (!store_do(k->store, do_forget, k)) return store_report(k->store, k->diag);
    k->at = k->known.n;
    k->members.stream = STREAM_MEMBERS + k->n_ensembles;
    k->members.place = (Chunk){ .t0 = -INFINITY, .t1 = INFINITY };
    Pack pack = { 0 };
    pack_bytes(&pack, hash, sizeof hash);
    pack_u64(&pack, o->n_members);
    pack_u64(&pack, k->n_observed);
    put_columns(&pack, columns, units, n, time_unit);
    pack_u64(&pack, o->n_names);
    for (size_t i = 0; i < o->n_names; i++) pack_text(&pack, o->names[i]);
    pack_doubles(&pack, o->values, o->n_members * o->n_names);
    return put_one(k, STREAM_ENSEMBLES, (size_t)k->n_ensembles++, &pack);
}

static void pack_member(Pack *pack, const orr_member *m, size_t n_columns, size_t n_observed)
{
    pack_u64(pack, m->index);
    pack_u64(pack, (uint64_t)m->status);
    pack_double(pack, m->t);
    pack_u64(pack, m->n_violations);
    pack_text(pack, m->failure);
    pack_text(pack, m->violation);
    pack_u64(pack, m->observed ? n_observed : 0);
    if (m->observed) pack_doubles(pack, m->observed, n_observed);
    pack_u64(pack, m->n_rows);
    pack_doubles(pack, m->times, m->n_rows);
    pack_doubles(pack, m->rows, m->n_rows * n_columns);
}

bool member_unpack(Unpack *u, size_t n_columns, orr_member *m, Arena *arena)
{
    if (!u->ok || u->at == u->n) return false;
    *m = (orr_member){ .index = unpack_u64(u) };
    const uint64_t status = unpack_u64(u);
    u->ok &= status <= ORR_STATUS_NO_MEMORY;
    m->status = u->ok ? (orr_status)status : ORR_STATUS_OK;
    m->t = unpack_double(u);
    m->n_violations = unpack_u64(u);
    m->failure = unpack_text(u, arena);
    m->violation = unpack_text(u, arena);
    const size_t n_observed = unpack_count(u, sizeof(double));
    if (n_observed) m->observed = unpack_doubles(u, n_observed, arena);
    m->n_distributions = n_observed;    // their number, for who looks at it
    m->n_rows = unpack_count(u, (1 + n_columns) * sizeof(double));
    m->times = unpack_doubles(u, m->n_rows, arena);
    m->rows = unpack_doubles(u, m->n_rows * n_columns, arena);
    return u->ok;
}

static bool take_member(void *self, const orr_member *m, bool is_recalled)
{
    orr_keep *k = self;
    k->n_members++;
    k->n_recalled += is_recalled;
    for (size_t i = 0; !is_recalled && i < k->known.n; i++)    // computed again beside one that was not there
        is_recalled = m->index >= k->known.items[i].first &&
                      m->index < k->known.items[i].first + k->known.items[i].n;
    Gathering *g = &k->members;
    if (is_recalled) return flush(k, g);
    if (g->place.n == 0) g->place.first = m->index;
    pack_member(&g->pack, m, k->n_columns, k->n_observed);
    const bool ok = added(k, g, 0, MEMBERS_NS);
    g->place.t0 = -INFINITY;
    g->place.t1 = INFINITY;
    return ok;
}

// Load the chunk of a member. What does not fit is not known.
static bool unpack_known(void *self, const Chunk *c)
{
    orr_keep *k = self;
    const KnownChunk *known = &k->known.items[k->at];
    if (c->first != known->first) return true;
    arena_free(&k->chunk_arena);
    k->recalled = ARENA_ARRAY(&k->chunk_arena, orr_member, known->n);
    Unpack u = unpack_from(c->p, c->n_bytes);
    for (size_t i = 0; i < known->n && u.ok; i++) {
        member_unpack(&u, k->n_columns, &k->recalled[i], &k->chunk_arena);
        const bool observes = k->recalled[i].n_distributions == 0 ||
                              k->recalled[i].n_distributions == k->n_observed;
        u.ok &= observes && k->recalled[i].index == known->first + i;
    }
    if (!unpack_is_whole(&u)) k->recalled = NULL;
    return false;    // no more of them
}

static void *duplicate(const void *p, size_t n)
{
    void *to = p ? malloc(n + 1) : NULL;
    if (p && !to) arena_no_memory(n);
    if (p) memcpy(to, p, n);
    return to;
}

static bool recall(void *self, size_t index, orr_member *m)
{
    orr_keep *k = self;
    pthread_mutex_lock(&k->lock);
    size_t i = 0;
    while (i < k->known.n &&
           !(index >= k->known.items[i].first && index - k->known.items[i].first < k->known.items[i].n))
        i++;
    if (i < k->known.n && i != k->at) {
        k->at = i;
        k->recalled = NULL;
        chunks_read(k->store, k->run, k->known.items[i].stream, NAN, NAN, unpack_known, k);
    }
    const bool found = i < k->known.n && k->recalled;
    if (found) {
        *m = k->recalled[index - k->known.items[i].first];
        m->times = duplicate(m->times, m->n_rows * sizeof(double));
        m->rows = duplicate(m->rows, m->n_rows * k->n_columns * sizeof(double));
        m->observed = duplicate(m->observed, m->n_distributions * sizeof(double));
        m->failure = m->failure ? strdup(m->failure) : NULL;
        m->violation = m->violation ? strdup(m->violation) : NULL;
        m->n_distributions = 0;
    }
    pthread_mutex_unlock(&k->lock);
    return found;
}

void members_free(orr_member *m)
{
    free((void *)m->times);
    free((void *)m->rows);
    free((void *)m->observed);
    free((char *)m->failure);
    free((char *)m->violation);
}

// ---------------------------------------------------------------------------------------------- beginning

// Words that say where to write, or how fast: they decide no result.
static bool is_kept_word(const char *word)
{
    static const char *const others[] = {
        "checkpoint", "checkpoint-every", "events", "polynomials", "trace",    "statistics", "summary",
        "output",     "threads",          "lanes",  "max-time",    "allow-io", "realtime",   "wait"
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(word, others[i]) == 0) return false;
    return true;
}

typedef struct Beginning {
    orr_keep *keep;
    const orr_keep_request *request;
    uint8_t study[SHA256_BYTES];
    ReadFile *files;
    size_t n_files, n_found;
    Pack about;
} Beginning;

// The texts of all files that were read, now; a text that is there already is there once.
static bool put_files(orr_store *store, const Beginning *b)
{
    bool ok = true;
    for (size_t i = 0; ok && i < b->n_files; i++) {
        Arena work = { 0 };
        Text text;
        const ReadFile *f = &b->files[i];
        // one that was read when it was there, and is gone now, is not kept: replay says what is missing
        orr_diag *unheard = orr_diag_create();
        if (os_read_file(&work, f->folder, f->path, FILE_LIMIT, &text, unheard)) {
            uint8_t hash[SHA256_BYTES];
            Pack squeezed = { 0 };
            sha256(text.p, text.n, hash);
            pack_squeeze(text.p, text.n, &squeezed);
            ok = store_run(store, "INSERT OR IGNORE INTO text(hash, data) VALUES(?,?)", "bb", (void *)hash,
                           sizeof hash, (void *)squeezed.p, squeezed.n) &&
                 store_run(store, "INSERT OR REPLACE INTO used(run, name, hash) VALUES(?,?,?)", "itb",
                           (int64_t)b->keep->run, f->name, (void *)hash, sizeof hash);
            pack_free(&squeezed);
        }
        orr_diag_destroy(unheard);
        arena_free(&work);
    }
    return ok;
}

static bool put_value(orr_store *store, size_t run, const char *name, double value)
{
    return store_run(store, "INSERT OR REPLACE INTO value(run, name, number) VALUES(?,?,?)", "itd",
                     (int64_t)run, name, value);
}

static bool do_begin(orr_store *store, void *self)
{
    Beginning *b = self;
    orr_keep *k = b->keep;
    const orr_experiment *e = k->experiment;
    bool ok = store_begin(store);
    if (ok && b->request->goes_on) {
        sqlite3_stmt *s = store_prepare(store,
                                        "SELECT id FROM run WHERE study = ? AND (status IS NULL OR"
                                        " status <> 0) ORDER BY id DESC LIMIT 1",
                                        "b", (void *)b->study, sizeof b->study);
        const int r = s ? sqlite3_step(s) : SQLITE_ERROR;
        if (r == SQLITE_ROW) b->n_found = (size_t)sqlite3_column_int64(s, 0);
        ok = store_end(s, r);
    }
    k->run = b->n_found;
    if (ok && !b->n_found) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        ok = store_run(store,
                       "INSERT INTO run(created, file, model, experiment, kind, version, tag, study)"
                       " VALUES(?,?,?,?,?,?,?,?)",
                       "dttttttb", (double)now.tv_sec + 1e-9 * (double)now.tv_nsec, b->request->file,
                       orr_model_name(k->model), e->name, orr_experiment_kind(e)->name, ORR_VERSION,
                       b->request->tag, (void *)b->study, sizeof b->study);
        k->run = (size_t)sqlite3_last_insert_rowid(store->db);
    }
    const Chunk place = { .n = 1, .t0 = -INFINITY, .t1 = INFINITY };
    ok = ok && chunk_put(store, k->run, STREAM_ABOUT, &place, &b->about) && put_files(store, b);
    for (size_t i = 0; ok && i < e->run.n_settings; i++)
        ok = put_value(store, k->run, e->run.settings[i].name, e->run.settings[i].value);
    return store_commit(store, ok);
}

static void pack_about(Pack *pack, const orr_keep_request *r, const Provenance *facts)
{
    StrBuf text = { 0 };
    for (size_t i = 0; i < facts->facts.n; i++) {
        const Fact *f = &facts->facts.items[i];
        if (f->text) str_addf(&text, "%s: %s\n", f->name, f->text);
        else str_addf(&text, "%s: %.17g\n", f->name, f->number);
    }
    char *lines = str_finish(&text);
    pack_text(pack, lines);
    free(lines);
    pack_text(pack, r->file);
    pack_text(pack, r->experiment);
    pack_text(pack, r->model);
    pack_text(pack, r->loops);
    pack_u64(pack, (uint64_t)(r->has_natives | r->is_quiet << 1 | r->has_pictures << 2));
    size_t n = 0;
    for (size_t i = 0; i < r->n_given; i++) n += is_kept_word(r->given[i].word);
    pack_u64(pack, n);
    for (size_t i = 0; i < r->n_given; i++) {
        if (!is_kept_word(r->given[i].word)) continue;
        pack_text(pack, r->given[i].word);
        pack_text(pack, r->given[i].text);
    }
}

// A study goes on if all of this is the same: files that were read so far, experiment, words, version.
static void study_hash(Beginning *b, const Pack *about_without_facts, orr_diag *diag)
{
    Sha256 s;
    sha256_init(&s);
    sha256_add(&s, ORR_VERSION, sizeof ORR_VERSION);
    sha256_add(&s, about_without_facts->p, about_without_facts->n);
    for (size_t i = 0; i < b->n_files; i++) {
        Arena work = { 0 };
        Text text = { 0 };
        uint8_t hash[SHA256_BYTES] = { 0 };
        if (os_read_file(&work, b->files[i].folder, b->files[i].path, FILE_LIMIT, &text, diag))
            sha256(text.p, text.n, hash);
        sha256_add(&s, b->files[i].name, strlen(b->files[i].name) + 1);
        sha256_add(&s, hash, sizeof hash);
        arena_free(&work);
    }
    sha256_finish(&s, b->study);
}

static orr_keep *create(orr_store *store, const orr_model *model, const orr_experiment *experiment,
                        orr_diag *diag)
{
    orr_keep *k = calloc(1, sizeof *k);
    if (!k) arena_no_memory(sizeof *k);
    *k = (orr_keep){ .store = store,
                     .model = model,
                     .experiment = experiment,
                     .diag = diag,
                     .began = os_now_ns(),
                     .line = { .fd = -1 } };
    Gathering *all[] = { &k->rows, &k->pieces, &k->replay, &k->members };
    static const int streams[] = { STREAM_ROWS, STREAM_PIECES, STREAM_REPLAY, STREAM_MEMBERS };
    for (size_t i = 0; i < 4; i++)
        *all[i] = (Gathering){ .stream = streams[i], .place = { .t0 = -INFINITY, .t1 = INFINITY } };
    pthread_mutex_init(&k->lock, NULL);
    k->sink = (orr_sink){ .begin = begin, .row = row, .piece = piece, .trace = trace, .end = end, .self = k };
    k->keeper = (orr_keeper){ .sink = &k->sink,
                              .begin = ensemble_begin,
                              .recall = recall,
                              .free_member = members_free,
                              .member = take_member,
                              .self = k };
    return k;
}

static void destroy(orr_keep *k)
{
    Gathering *all[] = { &k->rows, &k->pieces, &k->replay, &k->members };
    for (size_t i = 0; i < 4; i++) pack_free(&all[i]->pack);
    free(k->line.buffer);
    pthread_mutex_destroy(&k->lock);
    arena_free(&k->chunk_arena);
    arena_free(&k->arena);
    free(k);
}

orr_keep *orr_keep_begin(orr_store *store, const orr_model *model, const orr_experiment *experiment,
                         const orr_keep_request *request, orr_diag *diag)
{
    orr_keep *k = create(store, model, experiment, diag);
    Beginning b = { .keep = k, .request = request };
    Provenance facts;
    provenance_make(&facts, model, experiment, &k->arena);
    pack_about(&b.about, request, &facts);
    b.n_files = reads_noted(&k->arena, &b.files);
    Pack plain = { 0 };
    orr_keep_request same = *request;    // what is shown decides no member
    same.is_quiet = same.has_pictures = false;
    pack_about(&plain, &same, &(Provenance){ 0 });
    study_hash(&b, &plain, diag);
    pack_free(&plain);
    const bool ok = store_do(store, do_begin, &b);
    pack_free(&b.about);
    if (ok && request->goes_on && !b.n_found) diag_report(diag, DIAG_STUDY_NONE, (Place){ 0 }, store->path);
    if (ok) return k;
    store_report(store, diag);
    destroy(k);
    return NULL;
}

void orr_keep_notes(void) { reads_note(); }
const orr_keeper *orr_keep_keeper(const orr_keep *k) { return &k->keeper; }
size_t orr_keep_number(const orr_keep *k) { return k->run; }
size_t orr_keep_recalled(const orr_keep *k) { return k->n_recalled; }

// ---------------------------------------------------------------------------------------------- the end

typedef struct Ending {
    orr_keep *keep;
    const orr_result *result;
    Beginning files;
    Pack report, sheets;
} Ending;

static void pack_sheets(Pack *pack, const orr_result *r)
{
    pack_u64(pack, r->n_sheets);
    for (size_t i = 0; i < r->n_sheets; i++) {
        const orr_sheet *s = &r->sheets[i];
        pack_text(pack, s->name);
        pack_u64(pack, s->n_rows);
        pack_u64(pack, s->n_columns);
        for (size_t c = 0; c < s->n_columns; c++) {
            pack_text(pack, s->columns[c].name);
            pack_text(pack, s->columns[c].unit);
            pack_u64(pack, s->columns[c].texts != NULL);
            for (size_t row_ = 0; s->columns[c].texts && row_ < s->n_rows; row_++)
                pack_text(pack, s->columns[c].texts[row_]);
            if (!s->columns[c].texts) pack_doubles(pack, s->columns[c].numbers, s->n_rows);
        }
    }
}

// Observations are values that runs are found by.
static bool put_observations(orr_store *store, const Ending *e)
{
    bool ok = true;
    for (size_t i = 0; i < e->result->n_sheets; i++) {
        const orr_sheet *s = &e->result->sheets[i];
        if (strcmp(s->name, "observations") != 0 || s->n_columns < 2 || !s->columns[0].texts) continue;
        for (size_t c = 1; c < s->n_columns; c++)
            for (size_t r = 0; ok && s->columns[c].numbers && r < s->n_rows; r++)
                ok = put_value(store, e->keep->run, s->columns[0].texts[r], s->columns[c].numbers[r]);
    }
    return ok;
}

static bool do_end(orr_store *store, void *self)
{
    Ending *e = self;
    const orr_keep *k = e->keep;
    const Chunk place = { .n = 1, .t0 = -INFINITY, .t1 = INFINITY };
    const Chunk second = { .first = 1, .n = 1, .t0 = -INFINITY, .t1 = INFINITY };
    bool ok = store_begin(store);
    ok = ok && put_files(store, &e->files) && put_observations(store, e) &&
         chunk_put(store, k->run, STREAM_ABOUT, &second, &e->report) &&
         chunk_put(store, k->run, STREAM_SHEETS, &place, &e->sheets) &&
         store_run(store, "UPDATE run SET status = ?, seconds = ?, rows = ?, members = ? WHERE id = ?",
                   "idiii", (int64_t)e->result->status, 1e-9 * (double)(os_now_ns() - k->began),
                   (int64_t)k->n_rows, (int64_t)k->n_members, (int64_t)k->run);
    return store_commit(store, ok);
}

bool orr_keep_end(orr_keep *k, const orr_result *result)
{
    Ending e = { .keep = k, .result = result, .files = { .keep = k } };
    bool ok = flush(k, &k->rows) && flush(k, &k->pieces) && flush(k, &k->replay) && flush(k, &k->members);
    e.files.n_files = reads_noted(&k->arena, &e.files.files);
    StrBuf text = { 0 };
    for (size_t i = 0; i < result->n_parts; i++)
        if (result->parts[i].text) str_add(&text, result->parts[i].text);
    char *report = str_finish(&text);
    pack_text(&e.report, report);
    pack_text(&e.report, result->stats);
    free(report);
    pack_sheets(&e.sheets, result);
    if (ok) ok = store_do(k->store, do_end, &e) || store_report(k->store, k->diag);
    pack_free(&e.report);
    pack_free(&e.sheets);
    destroy(k);
    return ok;
}

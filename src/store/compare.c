// src/store/compare.c: how two kept runs differ: in what they read, how they were called, what came of them.
//
// Results are the same if all that was kept of them is, byte for byte, however it was cut into chunks. Only
// where they are not the numbers are looked at.
#include "base/sha256.h"
#include "store/store.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_SHOWN = 12, ENSEMBLES_MOST = 10000 };

typedef struct Hashing {
    Sha256 hash;
    uint64_t n;    // bytes
} Hashing;

static bool add_chunk(void *self, const Chunk *c)
{
    Hashing *h = self;
    sha256_add(&h->hash, c->p, c->n_bytes);
    h->n += c->n_bytes;
    return true;
}

static bool hash_stream(orr_store *store, size_t run, int stream, uint8_t hash[SHA256_BYTES], uint64_t *n)
{
    Hashing h = { .n = 0 };
    sha256_init(&h.hash);
    const bool ok = chunks_read(store, run, stream, NAN, NAN, add_chunk, &h);
    sha256_finish(&h.hash, hash);
    *n = h.n;
    return ok;
}

typedef struct Sides {
    orr_store *stores[2];
    size_t runs[2];
    orr_diag *diag;
    Arena work;
    StrBuf text;
    bool ok;
} Sides;

// Is a stream the same? *n: bytes of both.
static bool same_stream(Sides *s, int stream, uint64_t *n)
{
    uint8_t hashes[2][SHA256_BYTES];
    uint64_t sizes[2] = { 0 };
    for (int i = 0; i < 2; i++)
        if (!hash_stream(s->stores[i], s->runs[i], stream, hashes[i], &sizes[i])) {
            s->ok = store_damaged(s->stores[i], s->runs[i], "results cannot be read", s->diag);
            return false;
        }
    *n = sizes[0] + sizes[1];
    return memcmp(hashes[0], hashes[1], sizeof hashes[0]) == 0;
}

// ---------------------------------------------------------------------------------------------- input

static bool compare_files(Sides *s)
{
    ReadFile *files[2];
    char(*hashes[2])[65];
    size_t n[2];
    for (int i = 0; i < 2; i++)
        if (!store_files(s->stores[i], s->runs[i], false, &files[i], &hashes[i], &n[i], &s->work, s->diag))
            return s->ok = false;
    bool same = true;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < n[side]; i++) {
            size_t k = 0;
            while (k < n[1 - side] && strcmp(files[side][i].name, files[1 - side][k].name) != 0) k++;
            const bool is_there = k < n[1 - side];
            if (is_there && strcmp(hashes[side][i], hashes[1 - side][k]) == 0) continue;
            same = false;
            if (!is_there)
                str_addf(&s->text, "  only run %zu reads %s\n", s->runs[side], files[side][i].name);
            else if (side == 0) str_addf(&s->text, "  the text of %s differs\n", files[side][i].name);
        }
    return same;
}

// The line "name: value" of a text, by name.
static const char *find_line(const char *lines, const char *name, size_t n, size_t *length)
{
    for (const char *line = lines, *end; *line && (end = strchr(line, '\n')); line = end + 1)
        if (strncmp(line, name, n) == 0 && line[n] == ':') {
            *length = (size_t)(end - line);
            return line;
        }
    return NULL;
}

// Lines of facts that differ; "created" always does, and says nothing.
static bool compare_facts(Sides *s, const char *a, const char *b, bool is_back)
{
    bool same = true;
    for (const char *line = a, *end; *line && (end = strchr(line, '\n')); line = end + 1) {
        const size_t n = strcspn(line, ":"), length = (size_t)(end - line);
        size_t other_length = 0;
        if (n > length || strncmp(line, "created", n) == 0) continue;
        const char *other = find_line(b, line, n, &other_length);
        if (other && (is_back || (other_length == length && strncmp(line, other, length) == 0))) continue;
        same = false;
        const char *value = line + n + (length > n + 1 ? 2 : 0), *none = "none";
        const int n_value = (int)(end - value);
        const char *other_value = other ? other + n + 2 : none;
        const int n_other = other ? (int)(other_length - n - 2) : 4;
        str_addf(&s->text, "  %.*s: %.*s, %.*s\n", (int)n, line, is_back ? n_other : n_value,
                 is_back ? other_value : value, is_back ? n_value : n_other, is_back ? value : other_value);
    }
    return same;
}

static bool compare_input(Sides *s)
{
    KeptAbout about[2];
    for (int i = 0; i < 2; i++)
        if (!store_about(s->stores[i], s->runs[i], &about[i], &s->work))
            return s->ok = store_damaged(s->stores[i], s->runs[i], "how it was called cannot be read",
                                         s->diag);
    const bool same_files = compare_files(s);
    bool same = compare_facts(s, about[0].facts, about[1].facts, false);
    same = compare_facts(s, about[1].facts, about[0].facts, true) && same;
    return same && same_files && s->ok;
}

// ---------------------------------------------------------------------------------------------- results

// The largest difference of a column, in parts of its largest value.
static double column_difference(const orr_table *a, size_t i, const orr_table *b, size_t k, size_t n,
                                double *at)
{
    const double *x = orr_table_column(a, i), *y = orr_table_column(b, k);
    double largest = 0, scale = 0;
    for (size_t row = 0; row < n; row++) {
        const double d = fabs(x[row] - y[row]);
        if (isfinite(x[row])) scale = fmax(scale, fabs(x[row]));
        if (isfinite(y[row])) scale = fmax(scale, fabs(y[row]));
        const bool is_other = memcmp(&x[row], &y[row], sizeof *x) != 0 && !(isnan(x[row]) && isnan(y[row]));
        if (!is_other || (!isnan(d) && d <= largest)) continue;
        largest = isnan(d) ? INFINITY : d;
        *at = orr_table_column(a, 0)[row];
    }
    return largest > 0 && scale > 0 ? largest / scale : largest;
}

static double compare_tables(Sides *s, const orr_table *a, const orr_table *b)
{
    const size_t n_a = orr_table_n_rows(a), n_b = orr_table_n_rows(b), n = n_a < n_b ? n_a : n_b;
    double worst = 0;
    size_t n_shown = 0;
    if (n_a != n_b) str_addf(&s->text, "  %zu rows, %zu rows\n", n_a, n_b);
    for (size_t i = 0; i < orr_table_n_columns(a); i++) {
        size_t k = 0;
        while (k < orr_table_n_columns(b) && strcmp(orr_table_name(a, i), orr_table_name(b, k)) != 0) k++;
        if (k == orr_table_n_columns(b)) {
            str_addf(&s->text, "  only run %zu has %s\n", s->runs[0], orr_table_name(a, i));
            worst = NAN;
            continue;
        }
        double at = NAN;
        const double d = column_difference(a, i, b, k, n, &at);
        if (!(d > 0)) continue;
        if (!isnan(worst)) worst = fmax(worst, d);
        if (n_shown++ < COLUMNS_SHOWN)
            str_addf(&s->text, "  %s differs by up to %.3g of its largest value, at t = %.6g\n",
                     orr_table_name(a, i), d, at);
    }
    if (n_shown > COLUMNS_SHOWN) str_addf(&s->text, "  and %zu more\n", n_shown - COLUMNS_SHOWN);
    return n_a == n_b ? worst : NAN;
}

static double measure(Sides *s)
{
    orr_diag *unheard = orr_diag_create();
    orr_table *a = orr_store_table(s->stores[0], s->runs[0], NAN, NAN, unheard);
    orr_table *b = orr_store_table(s->stores[1], s->runs[1], NAN, NAN, unheard);
    const double worst = a && b ? compare_tables(s, a, b) : NAN;
    if (!a != !b) str_addf(&s->text, "  only run %zu has rows\n", s->runs[a ? 0 : 1]);
    orr_table_destroy(a);
    orr_table_destroy(b);
    orr_diag_destroy(unheard);
    return worst;
}

static bool compare_results(Sides *s, double *largest)
{
    static const struct {
        int stream;
        const char *what;
    } streams[] = { { STREAM_COLUMNS, "columns" },    { STREAM_ROWS, "rows" },
                    { STREAM_PIECES, "polynomials" }, { STREAM_REPLAY, "messages" },
                    { STREAM_SHEETS, "tables" },      { STREAM_ENSEMBLES, "members" } };
    bool same = true;
    uint64_t n;
    for (size_t i = 0; i < sizeof streams / sizeof *streams && s->ok; i++) {
        if (same_stream(s, streams[i].stream, &n)) continue;
        if (s->ok) str_addf(&s->text, "  %s differ\n", streams[i].what);
        same = false;
    }
    n = 1;
    for (int i = 0; i < ENSEMBLES_MOST && n > 0 && s->ok; i++)
        if (!same_stream(s, STREAM_MEMBERS + i, &n)) {
            if (s->ok) str_addf(&s->text, "  members of ensemble %d differ\n", i + 1);
            same = false;
        }
    if (!same && s->ok) *largest = measure(s);
    return same && s->ok;
}

bool orr_store_compare(orr_store *a, size_t i, orr_store *b, size_t k, orr_difference *d, orr_diag *diag)
{
    orr_kept kept[2];
    *d = (orr_difference){ 0 };
    if (!orr_store_get(a, i, &kept[0], diag) || !orr_store_get(b, k, &kept[1], diag)) return false;
    Sides s = { .stores = { a, b }, .runs = { i, k }, .diag = diag, .ok = true };
    d->is_same_input = compare_input(&s);
    if (d->is_same_input) str_add(&s.text, "  the same files, settings and versions\n");
    if (s.ok) d->is_same = compare_results(&s, &d->largest);
    if (s.ok && d->is_same) str_add(&s.text, "  the same results, bit for bit\n");
    arena_free(&s.work);
    d->text = str_finish(&s.text);
    return s.ok;
}

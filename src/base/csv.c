// src/base/csv.c: writing rows straight into the file's buffer; reading tables as people have them.
#include "base/csv.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/number.h"
#include "base/os.h"
#include "base/vec.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

// ---- Writing

// What a spreadsheet takes for a formula: these before anything but a number. Apostrophes before them count
// too, so that those that we add can be told from those of the name.
// An arrow is none.
static bool is_formula(Text text)
{
    double x;
    while (text.n > 0 && text.p[0] == '\'') text = text_part(text, 1, text.n);
    return text.n > 0 && memchr("=+-@\t\r", text.p[0], 6) && !text_starts(text, "->") &&
           number_read(text, &x) == NUMBER_BAD;
}

Text csv_without_guard(Text field)
{
    return field.n > 0 && field.p[0] == '\'' && is_formula(field) ? text_part(field, 1, field.n) : field;
}

// All but plain names is quoted: what has a meaning in CSV, or to whoever takes the file for a program.
void csv_add_field(StrBuf *s, const char *text)
{
    const bool is_harmful = is_formula(text_from(text));
    const size_t n = strlen(text);
    bool is_plain = !is_harmful && *text != ' ' && (n == 0 || text[n - 1] != ' ') &&
                    !strpbrk(text, ",;\"#$`\\<>|&!*?~={}");
    for (const char *p = text; *p && is_plain; p++) is_plain = (unsigned char)*p >= ' ' && *p != 0x7f;
    if (is_plain) {
        str_add(s, text);
        return;
    }
    str_add(s, is_harmful ? "\"'" : "\"");
    for (const char *p = text; *p; p++) {
        if (*p == '"') str_add_char(s, '"');
        str_add_char(s, *p);
    }
    str_add_char(s, '"');
}

void csv_field(FileOut *f, const char *text)
{
    StrBuf s = { 0 };
    csv_add_field(&s, text);
    if (s.n) file_write(f, s.p, s.n);
    str_free(&s);
}

void csv_header(FileOut *f, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i) file_text(f, ",");
        csv_field(f, names[i]);
    }
    file_text(f, "\n");
    file_mark(f);
}

static char *put_row(char *p, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        p += number_format(values[i], p);
        *p++ = ',';
    }
    return p;
}

size_t csv_row_room(size_t n) { return n * (NUMBER_MAX + 1) + 1; }

char *csv_row_text(char *text, const double *values, size_t n)
{
    char *end = put_row(text, values, n);
    if (end > text) end--;    // the last comma
    *end++ = '\n';
    return end;
}

void csv_row(FileOut *f, const double *values, size_t n)
{
    char *const start = file_room(f, csv_row_room(n)), *end = csv_row_text(start, values, n);
    file_use(f, (size_t)(end - start));
    file_mark(f);
}

// ---- Reading

enum { WINDOW_BYTES = 1 << 17, RECORD_BYTES_MAX = 1 << 26, SHOWN_MAX = 40 };

static Place at_line(CsvIn *in, size_t line)
{
    const uint32_t l = line > UINT32_MAX ? 0 : (uint32_t)line;
    return (Place){ .file = diag_add_source(in->diag, in->path, NULL, 0), .offset = l };
}

// Read more of the file behind what is there; what is used up makes room. False at the end or on an error.
static bool refill(CsvIn *in, bool *failed)
{
    if (in->ended) return false;
    if (in->at > 0) {
        memmove(in->buffer, in->buffer + in->at, in->n - in->at);
        in->n -= in->at;
        in->at = 0;
    }
    if (in->n == in->capacity) {
        if (in->capacity >= RECORD_BYTES_MAX) {
            diag_report(in->diag, DIAG_CSV_LINE_TOO_LONG, at_line(in, in->next_line),
                        (size_t)RECORD_BYTES_MAX);
            *failed = true;
            return false;
        }
        const size_t capacity = in->capacity ? in->capacity * 2 : WINDOW_BYTES;
        char *buffer = realloc(in->buffer, capacity);
        if (!buffer) arena_no_memory(capacity);
        in->buffer = buffer;
        in->capacity = capacity;
    }
    in->p = in->buffer;
    ssize_t got;
    do got = read(in->fd, in->buffer + in->n, in->capacity - in->n);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        char text[128];
        diag_report(in->diag, DIAG_FILE_UNREADABLE, (Place){ 0 }, in->path,
                    os_error_text(errno, text, sizeof text));
        *failed = true;
        return false;
    }
    in->ended = got == 0;
    in->n += (size_t)got;
    return got > 0;
}

// How the search for the end of a record stands; it goes on when more was read.
typedef struct Search {
    size_t length;       // bytes looked at
    size_t lines;        // line ends among them, inside quotes
    bool   quoted;       // inside a quoted field
    bool   closed;       // the byte before was a quote that closed one: another makes it a doubled quote
    bool   field_start;  // only spaces since the last separator: a quote here opens a field
    bool   comment;      // quotes mean nothing
} Search;

static bool find_end(Search *s, const char *p, size_t n)
{
    for (; s->length < n; s->length++) {
        const char c = p[s->length];
        if (c == '\n' && !s->quoted) return true;
        if (c == '\n') s->lines++;
        if (c == '"' && !s->comment) {
            const bool opens = !s->quoted && (s->field_start || s->closed);
            s->closed = s->quoted;
            s->quoted = opens;
            s->field_start = false;
            continue;
        }
        if (c == '#' && s->field_start && s->length == 0) s->comment = true;
        s->closed = false;
        if (c == ',' || c == ';' || c == '\t') s->field_start = true;
        else if (c != ' ') s->field_start = false;
    }
    return false;
}

// Nothing more can be read after an error of the file itself.
static CsvResult give_up(CsvIn *in)
{
    in->ended = true;
    in->at = in->n;
    return CSV_ERROR;
}

// The next record, without its line end (a CR before it goes with the white space around fields). A line end
// inside quotes belongs to the record.
static CsvResult next_record(CsvIn *in, Text *record)
{
    Search search = { .lines = 1, .field_start = true };
    while (!find_end(&search, in->p + in->at, in->n - in->at)) {
        bool failed = false;
        if (refill(in, &failed)) continue;
        if (failed) return give_up(in);
        if (search.quoted) {
            diag_report(in->diag, DIAG_CSV_QUOTE, at_line(in, in->next_line));
            return give_up(in);
        }
        if (search.length == 0) return CSV_END;
        break;
    }
    *record = (Text){ in->p + in->at, search.length };
    in->at += search.length < in->n - in->at ? search.length + 1 : search.length;
    in->line = in->next_line;
    in->next_line += search.lines;
    return CSV_ROW;
}

// The next record that says something.
static CsvResult next_filled(CsvIn *in, Text *record)
{
    for (;;) {
        const CsvResult result = next_record(in, record);
        if (result != CSV_ROW) return result;
        const Text trimmed = text_trim(*record);
        if (trimmed.n && trimmed.p[0] != '#') return CSV_ROW;
    }
}

// Cut a record into fields. Quoted ones are put together in a scratch text.
static void split(CsvIn *in, Text record)
{
    in->n_fields = 0;
    in->unquoted.n = 0;
    in->record = record;
    if (memchr(record.p, '"', record.n)) str_room(&in->unquoted, record.n);    // it will not move
    for (size_t i = 0;;) {
        size_t start = i;
        while (start < record.n && record.p[start] == ' ') start++;
        Text field;
        if (start < record.n && record.p[start] == '"') {
            char *const scratch = in->unquoted.p + in->unquoted.n;
            char *out = scratch;
            for (i = start + 1; i < record.n; i++) {
                if (record.p[i] == '"') {
                    if (i + 1 >= record.n || record.p[i + 1] != '"') break;
                    i++;    // doubled: one of them counts
                }
                *out++ = record.p[i];
            }
            field = (Text){ scratch, (size_t)(out - scratch) };
            in->unquoted.n += field.n;
            while (i < record.n && record.p[i] != in->separator) i++;
        } else {
            const char *found = i < record.n ? memchr(record.p + i, in->separator, record.n - i) : NULL;
            const size_t end = found ? (size_t)(found - record.p) : record.n;
            field = text_trim(text_part(record, i, end));
            i = end;
        }
        if (in->n_fields == in->fields_capacity) {
            const size_t capacity = in->fields_capacity ? in->fields_capacity * 2 : 16;
            in->fields = arena_grow(in->arena, in->fields, in->fields_capacity, capacity, sizeof *in->fields);
            in->fields_capacity = capacity;
        }
        in->fields[in->n_fields++] = field;
        if (i >= record.n) return;
        i++;    // the separator
    }
}

// The separator is the one of ; tab , that the header has most of, outside quotes.
static char find_separator(Text record)
{
    static const char candidates[] = { ';', '\t', ',' };
    size_t counts[3] = { 0 };
    bool quoted = false;
    for (size_t i = 0; i < record.n; i++) {
        if (record.p[i] == '"') quoted = !quoted;
        for (size_t k = 0; k < 3 && !quoted; k++) counts[k] += record.p[i] == candidates[k];
    }
    size_t best = 2;
    for (size_t k = 0; k < 3; k++)
        if (counts[k] > counts[best]) best = k;
    return candidates[best];
}

static bool is_missing(Text field)
{
    return field.n == 0 || text_is(field, "NA") || text_is(field, "N/A") || text_is(field, "NaN") ||
           text_is(field, "nan") || text_is(field, "NAN") || text_is(field, "-") || text_is(field, "null");
}

static bool read_number(const CsvIn *in, Text field, double *x)
{
    if (is_missing(field)) {
        *x = NAN;
        return true;
    }
    const NumberResult result = number_read(field, x);
    if (result != NUMBER_BAD) return true;

    // 1,5 where the comma does not separate
    const char *comma = in->separator != ',' ? memchr(field.p, ',', field.n) : NULL;
    char copy[64];
    if (!comma || field.n > sizeof copy) return false;
    memcpy(copy, field.p, field.n);
    copy[comma - field.p] = '.';
    return number_read((Text){ copy, field.n }, x) != NUMBER_BAD;
}

Place csv_place(CsvIn *in, size_t column)
{
    Place place = at_line(in, in->line);
    const Text record = in->record;
    if (column >= in->n_fields || in->fields[column].p < record.p ||
        in->fields[column].p > record.p + record.n)
        return place;
    const Text before = { record.p, (size_t)(in->fields[column].p - record.p) };
    place.length = 1;
    for (size_t i = 0; i < before.n; place.length++) text_utf8_next(before, &i);
    return place;
}

bool csv_report_field(CsvIn *in, size_t column)
{
    const Text field = in->fields[column];
    const int n = (int)(field.n < SHOWN_MAX ? field.n : SHOWN_MAX);
    char shown[SHOWN_MAX + 8];
    snprintf(shown, sizeof shown, "%.*s%s", n, field.p, field.n > SHOWN_MAX ? "..." : "");
    diag_report(in->diag, DIAG_CSV_NOT_NUMBER, csv_place(in, column), shown, in->columns[column].name);
    return false;
}

static bool read_row(CsvIn *in, double *row)
{
    // a separator at the end of the line is a habit of some programs
    const bool trailing = in->n_fields == in->n_columns + 1 && in->fields[in->n_columns].n == 0;
    if (in->n_fields != in->n_columns && !trailing) {
        diag_report(in->diag, DIAG_CSV_FIELDS, at_line(in, in->line), in->n_fields, in->n_columns);
        return false;
    }
    for (size_t i = 0; i < in->n_columns; i++) {
        if (in->columns[i].is_text) row[i] = NAN;
        else if (!read_number(in, in->fields[i], &row[i])) return csv_report_field(in, i);
    }
    return true;
}

// Names from the first row, unless it consists of numbers only.
static bool read_names(CsvIn *in)
{
    while (in->n_fields > 1 && in->fields[in->n_fields - 1].n == 0) in->n_fields--;
    in->n_columns = in->n_fields;
    in->columns = ARENA_ARRAY(in->arena, CsvColumn, in->n_columns);
    double x;
    for (size_t i = 0; i < in->n_columns; i++) in->has_header |= !read_number(in, in->fields[i], &x);

    Names names;
    names_init(&names, in->arena);
    for (size_t i = 0; i < in->n_columns; i++) {
        const Text field = csv_without_guard(in->fields[i]);
        const bool has_name = in->has_header && field.n > 0;
        in->columns[i].name = has_name ? text_copy(in->arena, field) : arena_printf(in->arena, "c%zu", i + 1);
        if (names_intern(&names, text_from(in->columns[i].name)) != i) {
            diag_report(in->diag, DIAG_CSV_COLUMN_TWICE, at_line(in, in->line), in->columns[i].name);
            return false;
        }
    }
    return true;
}

static bool start(CsvIn *in)
{
    bool failed = false;
    if (in->fd >= 0) refill(in, &failed);
    if (failed) return false;
    if (text_starts((Text){ in->p, in->n }, "\xEF\xBB\xBF")) in->at = 3;    // byte order mark
    const void *zero = in->n ? memchr(in->p, 0, in->n) : NULL;
    if (zero) {
        diag_report(in->diag, DIAG_FILE_BINARY, at_line(in, 0), in->path,
                    (size_t)((const char *)zero - in->p), 0u);
        return false;
    }

    Text record;
    const CsvResult result = next_filled(in, &record);
    if (result == CSV_END) diag_report(in->diag, DIAG_CSV_NO_HEADER, at_line(in, 0), in->path);
    if (result != CSV_ROW) return false;
    in->separator = find_separator(record);
    split(in, record);
    if (!read_names(in)) return false;

    // the first row of data tells which columns are numbers; it is given out by the first csv_next
    in->first = ARENA_ARRAY(in->arena, double, in->n_columns);
    if (in->has_header) {
        const CsvResult second = next_filled(in, &record);
        if (second != CSV_ROW) return second == CSV_END;
        split(in, record);
    }
    for (size_t i = 0; i < in->n_columns && i < in->n_fields; i++) {
        double x;
        in->columns[i].is_text = !read_number(in, in->fields[i], &x);
    }
    in->first_line = in->line;
    in->first_waits = read_row(in, in->first);
    return in->first_waits;
}

bool csv_open(CsvIn *in, const char *folder, const char *path, Arena *arena, orr_diag *diag)
{
    *in = (CsvIn){ .arena = arena,
                   .diag = diag,
                   .folder = folder,
                   .path = arena_copy_text(arena, path, strlen(path)),
                   .fd = -1,
                   .next_line = 1 };
    in->fd = os_open_to_read(folder, path, diag);
    return in->fd >= 0 && start(in);
}

bool csv_open_text(CsvIn *in, Text text, const char *path, Arena *arena, orr_diag *diag)
{
    *in = (CsvIn){ .arena = arena, .diag = diag, .path = arena_copy_text(arena, path, strlen(path)), .fd = -1,
                   .next_line = 1, .p = text.n ? text.p : "", .n = text.n, .ended = true };
    return start(in);
}

CsvResult csv_next(CsvIn *in, double *row)
{
    if (in->first_waits) {
        in->first_waits = false;
        in->line = in->first_line;
        memcpy(row, in->first, in->n_columns * sizeof *row);
        return CSV_ROW;
    }
    Text record;
    const CsvResult result = next_filled(in, &record);
    if (result != CSV_ROW) return result;
    split(in, record);
    return read_row(in, row) ? CSV_ROW : CSV_ERROR;
}

size_t csv_column(const CsvIn *in, const char *name)
{
    size_t i = 0;
    while (i < in->n_columns && strcmp(in->columns[i].name, name) != 0) i++;
    return i;
}

void csv_close(CsvIn *in)
{
    if (in->fd > STDIN_FILENO) close(in->fd);
    free(in->buffer);
    str_free(&in->unquoted);
    in->fd = -1;
    in->buffer = NULL;
}

bool csv_read(CsvTable *table, const char *folder, const char *path, Arena *arena, orr_diag *diag)
{
    *table = (CsvTable){ 0 };
    CsvIn in;
    bool ok = csv_open(&in, folder, path, arena, diag);
    if (ok) {
        const size_t n = in.n_columns;
        double *row = ARENA_ARRAY(arena, double, n);
        VEC(double) all = { 0 };    // row by row, then turned
        CsvResult result;
        while ((result = csv_next(&in, row)) != CSV_END) {    // on past bad rows, to report them all
            ok = ok && result == CSV_ROW;
            for (size_t i = 0; i < n && ok; i++) vec_push(arena, &all, row[i]);
        }

        table->columns = in.columns;
        table->n_columns = n;
        table->n_rows = all.n / n;
        table->values = ARENA_ARRAY(arena, double *, n);
        for (size_t i = 0; i < n; i++) {
            table->values[i] = ARENA_ARRAY(arena, double, table->n_rows);
            for (size_t k = 0; k < table->n_rows; k++) table->values[i][k] = all.items[k * n + i];
        }
    }
    csv_close(&in);
    return ok;
}

// src/base/diag.c: collecting messages and drawing them below the line they speak of.
//
// Whatever comes from the user's files (names inside messages, source lines, paths) passes through draw_text
// or next_glyph before it reaches a terminal: control characters and direction overrides become '?'.
#include "base/diag.h"
#include "base/explain_list.h"
#include "base/map.h"
#include "base/vec.h"
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>

enum {
    NOTES_MAX = 8,               // for each message
    TEXT_BYTES_MAX = 2000,       // of a message; a longer one is cut, for names can be of any length
    LINE_COPY_BYTES_MAX = 4096,  // of orr_message.source_line
    LINE_CELLS_MAX = 110,        // of a source line as printed
    CELLS_BEFORE = 40,           // kept before the span when a line is cut
    TAB_CELLS = 4,
};

typedef struct Source {
    const char *path;           // in the arena
    Text        text;           // in the arena; p NULL: not at hand
    uint32_t   *line_starts;    // [n_lines] offsets; NULL until first needed
    size_t      n_lines;
} Source;

typedef struct Message {
    DiagId      id;             // DIAG_COUNT for a note
    Place       place;
    size_t      line, column;   // from 1; 0: unknown
    size_t      length;         // characters on the first line
    Text        source_line;    // inside the source's text; p NULL: none
    const char *line_copy;      // the same with a NUL, or NULL
    const char *text, *hint;    // hint may be NULL
    VEC(orr_edit) edits;        // what an editor may do about it
    VEC(struct Message) notes;
} Message;

struct orr_diag {
    Arena   arena;              // owns the sources
    VEC(Source) sources;        // file number - 1
    TextMap by_path;            // path → file number, the latest of that path
    Arena   texts;              // owns the messages
    Message *messages[DIAG_MESSAGES_MAX];    // by file and offset
    size_t  n_messages;
    Message *latest;            // hints and notes go here; NULL after a message that was not kept
    size_t  n_errors, n_warnings, n_not_shown;
    orr_status status;          // of a call that was given up; OK: none was
};

static const struct Entry {
    const char *code, *format, *explanation;
} entries[DIAG_COUNT] = {
#define D(NAME, CODE, FORMAT) [DIAG_##NAME].code = CODE, [DIAG_##NAME].format = FORMAT,
    DIAG_LIST(D)
#undef D
#define X(NAME, MEANING, EXAMPLE, REPAIR) \
    [DIAG_##NAME].explanation = MEANING "\n\nFor example:\n\n" EXAMPLE "\n\nWhat to do: " REPAIR "\n",
    EXPLAIN_LIST(X)
#undef X
};

static orr_severity severity_of(DiagId id)
{
    if (id == DIAG_COUNT) return ORR_SEVERITY_NOTE;
    return entries[id].code[0] == 'W' ? ORR_SEVERITY_WARNING : ORR_SEVERITY_ERROR;
}

// ---- Life

static void init(orr_diag *diag)
{
    *diag = (orr_diag){ 0 };
}

orr_diag *orr_diag_create(void)
{
    orr_diag *diag = malloc(sizeof *diag);
    if (!diag) arena_no_memory(sizeof *diag);
    init(diag);
    return diag;
}

void orr_diag_clear(orr_diag *diag)
{
    arena_free(&diag->arena);
    arena_free(&diag->texts);
    init(diag);
}

void orr_diag_forget(orr_diag *diag)
{
    arena_free(&diag->texts);
    *diag = (orr_diag){ .arena = diag->arena, .sources = diag->sources, .by_path = diag->by_path };
}

void orr_diag_destroy(orr_diag *diag)
{
    if (!diag) return;
    arena_free(&diag->arena);
    arena_free(&diag->texts);
    free(diag);
}

void diag_keep(orr_diag *diag)
{
    if (!diag) return;
    arena_disown(&diag->arena);
    arena_disown(&diag->texts);
}

void diag_set_status(orr_diag *diag, orr_status status)
{
    if (diag) diag->status = status;
}

// ---- Sources and places

uint32_t diag_add_source(orr_diag *diag, const char *path, const char *text, size_t n)
{
    if (!diag) return 0;
    assert(n <= UINT32_MAX);
    if (!diag->by_path.names.index.arena) text_map_init(&diag->by_path, &diag->arena);

    uint32_t *known = text_map_find(&diag->by_path, text_from(path));
    if (known) {
        const Source *old = &diag->sources.items[*known - 1];
        if (!old->text.p == !text && text_equal(old->text, (Text){ text, n })) return *known;
    }
    Source source = { .path = arena_copy_text(&diag->arena, path, strlen(path)) };
    if (text) source.text = (Text){ arena_copy_text(&diag->arena, text, n), n };
    vec_push(&diag->arena, &diag->sources, source);
    const uint32_t file = (uint32_t)diag->sources.n;
    if (known) *known = file;
    else text_map_put(&diag->by_path, text_from(path), file);
    return file;
}

const char *diag_path(const orr_diag *diag, uint32_t file)
{
    return diag && file && file <= diag->sources.n ? diag->sources.items[file - 1].path : NULL;
}

Text diag_text(const orr_diag *diag, Place place)
{
    if (!diag_path(diag, place.file)) return (Text){ 0 };
    const Text text = diag->sources.items[place.file - 1].text;
    if (!text.p || place.offset > text.n || place.length > text.n - place.offset) return (Text){ 0 };
    return text_part(text, place.offset, place.offset + place.length);
}

static void find_lines(Source *source, Arena *arena)
{
    const Text text = source->text;
    size_t n = 1;
    for (const char *p = text.p, *end = text.p + text.n; (p = memchr(p, '\n', (size_t)(end - p))); p++) n++;
    source->line_starts = ARENA_ARRAY(arena, uint32_t, n);
    source->n_lines = 1;
    for (const char *p = text.p, *end = text.p + text.n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
        source->line_starts[source->n_lines++] = (uint32_t)(p + 1 - text.p);
}

static size_t count_characters(Text text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; n++) text_utf8_next(text, &i);
    return n;
}

// Fill in what follows from the place. The line table is a cache: it changes nothing that can be seen.
static void locate(const orr_diag *diag, Message *m)
{
    const Place place = m->place;
    if (!diag || place.file == 0 || place.file > diag->sources.n) return;
    Source *source = &diag->sources.items[place.file - 1];
    if (!source->text.p) {
        m->line = place.offset;
        m->column = place.length;
        return;
    }
    if (!source->line_starts) find_lines(source, &((orr_diag *)diag)->arena);

    // the last line that starts at or before the offset
    const size_t offset = place.offset < source->text.n ? place.offset : source->text.n;
    size_t low = 0, high = source->n_lines;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (source->line_starts[middle] <= offset) low = middle;
        else high = middle;
    }
    const size_t start = source->line_starts[low];
    size_t end = low + 1 < source->n_lines ? source->line_starts[low + 1] - 1u : source->text.n;
    if (end > start && source->text.p[end - 1] == '\r') end--;
    const size_t first = offset < end ? offset : end;
    const size_t last = place.length < end - first ? first + place.length : end;

    m->line = low + 1;
    m->source_line = text_part(source->text, start, end);
    m->column = 1 + count_characters(text_part(source->text, start, first));
    m->length = count_characters(text_part(source->text, first, last));
    if (m->length == 0) m->length = 1;
}

void diag_locate(const orr_diag *diag, Place place, size_t *line, size_t *column)
{
    Message m = { .place = place };
    locate(diag, &m);
    *line = m.line;
    *column = m.column;
}

size_t diag_line(const orr_diag *diag, Place place)
{
    size_t line, column;
    diag_locate(diag, place, &line, &column);
    return line;
}

orr_place diag_where(const orr_diag *diag, Place place)
{
    Message m = { .place = place };
    locate(diag, &m);
    return (orr_place){ diag_path(diag, place.file), m.line, m.column, m.length };
}

// The latest text of that path; 0: there is none.
static uint32_t find_text(const orr_diag *diag, const char *path)
{
    for (size_t i = diag->sources.n; i > 0; i--)
        if (diag->sources.items[i - 1].text.p && strcmp(diag->sources.items[i - 1].path, path) == 0)
            return (uint32_t)i;
    return 0;
}

Place diag_place(orr_diag *diag, orr_place where)
{
    if (!diag || !where.file) return (Place){ 0 };
    const uint32_t file = find_text(diag, where.file);
    Source *source = file ? &diag->sources.items[file - 1] : NULL;
    if (source && !source->line_starts) find_lines(source, &diag->arena);
    if (!source || where.line == 0 || where.line > source->n_lines)
        return (Place){ diag_add_source(diag, where.file, NULL, 0), (uint32_t)where.line,
                        (uint32_t)where.column };
    const size_t start = source->line_starts[where.line - 1];
    const size_t end = where.line < source->n_lines ? source->line_starts[where.line] - 1u : source->text.n;
    const Text line = text_part(source->text, start, end);
    size_t from = 0;
    if (where.column > 0)
        for (size_t i = 1; i < where.column && from < line.n; i++) text_utf8_next(line, &from);
    else    // all of the line
        while (from < line.n && (line.p[from] == ' ' || line.p[from] == '\t')) from++;
    size_t to = from;
    for (size_t i = 0; (i < where.length || where.column == 0) && to < line.n; i++) text_utf8_next(line, &to);
    return (Place){ file, (uint32_t)(start + from), (uint32_t)(to - from) };
}

// ---- Reporting

static const char *format_text(Arena *arena, const char *format, va_list args)
{
    char *text = arena_vprintf(arena, format, args);
    if (strlen(text) > TEXT_BYTES_MAX) {
        size_t n = TEXT_BYTES_MAX;
        while (n && ((unsigned char)text[n] & 0xC0) == 0x80) n--;    // not inside a character
        memcpy(text + n, "...", 4);
    }
    return text;
}

static void complete(orr_diag *diag, Message *m)
{
    locate(diag, m);
    if (m->source_line.p && m->source_line.n <= LINE_COPY_BYTES_MAX)
        m->line_copy = text_copy(&diag->texts, m->source_line);
}

static bool comes_before(Place a, Place b)
{
    if (a.file != b.file) return b.file == 0 || (a.file != 0 && a.file < b.file);
    return a.offset < b.offset;
}

static bool is_repeated(const orr_diag *diag, const Message *m)
{
    for (size_t i = 0; i < diag->n_messages; i++) {
        const Message *o = diag->messages[i];
        if (o->id != m->id || o->place.file != m->place.file || o->place.offset != m->place.offset) continue;
        // without the text at hand it is a line and its column
        const uint32_t file = m->place.file;
        const bool has_text = file == 0 || (file <= diag->sources.n && diag->sources.items[file - 1].text.p);
        if (!has_text && o->place.length != m->place.length) continue;
        if (m->place.file != 0 || strcmp(o->text, m->text) == 0) return true;
    }
    return false;
}

void diag_report_as(orr_diag *diag, DiagId id, const char *format, Place place, ...)
{
    if (!diag) return;
    const ArenaMark mark = arena_mark(&diag->texts);
    Message m = { .id = id, .place = place };
    va_list args;
    va_start(args, place);
    m.text = format_text(&diag->texts, format, args);
    va_end(args);

    diag->latest = NULL;
    if (is_repeated(diag, &m)) {
        arena_release(&diag->texts, mark);
        return;
    }
    if (severity_of(id) == ORR_SEVERITY_WARNING) diag->n_warnings++;
    else diag->n_errors++;
    if (diag->n_messages == DIAG_MESSAGES_MAX) {
        diag->n_not_shown++;
        arena_release(&diag->texts, mark);
        return;
    }

    complete(diag, &m);
    diag->latest = ARENA_NEW(&diag->texts, Message);
    *diag->latest = m;
    size_t at = diag->n_messages++;
    for (; at > 0 && comes_before(place, diag->messages[at - 1]->place); at--)
        diag->messages[at] = diag->messages[at - 1];
    diag->messages[at] = diag->latest;
}

DiagMark diag_mark(const orr_diag *diag)
{
    DiagMark mark = { 0 };
    if (!diag) return mark;
    memcpy(mark.messages, diag->messages, sizeof mark.messages);
    mark.n_messages = diag->n_messages;
    mark.n_errors = diag->n_errors;
    mark.n_warnings = diag->n_warnings;
    mark.n_not_shown = diag->n_not_shown;
    return mark;
}

void diag_rewind(orr_diag *diag, const DiagMark *mark)
{
    if (!diag) return;
    memcpy(diag->messages, mark->messages, sizeof mark->messages);
    diag->n_messages = mark->n_messages;
    diag->n_errors = mark->n_errors;
    diag->n_warnings = mark->n_warnings;
    diag->n_not_shown = mark->n_not_shown;
    diag->latest = NULL;
}

void diag_hint(orr_diag *diag, const char *format, ...)
{
    if (!diag || !diag->latest) return;
    va_list args;
    va_start(args, format);
    diag->latest->hint = format_text(&diag->texts, format, args);
    va_end(args);
}

static bool is_of_name(char c) { return isalnum((unsigned char)c) || c == '_' || (c & 0x80); }

// Where `wanted` stands as a whole word in `text`; text.n: nowhere, or more than once.
static size_t find_word(Text text, Text wanted)
{
    size_t found = text.n;
    for (size_t i = 0; wanted.n > 0 && i + wanted.n <= text.n; i++) {
        if (memcmp(text.p + i, wanted.p, wanted.n) != 0) continue;
        if (i > 0 && is_of_name(text.p[i - 1])) continue;
        if (i + wanted.n < text.n && is_of_name(text.p[i + wanted.n])) continue;
        if (found < text.n) return text.n;
        found = i;
    }
    return found;
}

void diag_edit(orr_diag *diag, const char *wanted, const char *replacement)
{
    if (!diag || !diag->latest) return;
    const Place at = diag->latest->place;
    const Text text = diag_text(diag, at), word = text_from(wanted);
    const size_t start = find_word(text, word);
    if (start == text.n) return;
    const Place place = { at.file, at.offset + (uint32_t)start, (uint32_t)word.n };
    const orr_edit edit = { .place = diag_where(diag, place), .offset = place.offset, .bytes = word.n,
                            .replacement = text_copy(&diag->texts, text_from(replacement)) };
    vec_push(&diag->texts, &diag->latest->edits, edit);
}

bool diag_suggest(orr_diag *diag, const char *wanted, const char *closest)
{
    if (!closest) return false;
    diag_hint(diag, "did you mean '%s'?", closest);
    diag_edit(diag, wanted, closest);
    return true;
}

void diag_note(orr_diag *diag, Place place, const char *format, ...)
{
    if (!diag || !diag->latest || diag->latest->notes.n == NOTES_MAX) return;
    Message m = { .id = DIAG_COUNT, .place = place };
    va_list args;
    va_start(args, format);
    m.text = format_text(&diag->texts, format, args);
    va_end(args);
    complete(diag, &m);
    vec_push(&diag->texts, &diag->latest->notes, m);
}

static void add(orr_diag *diag, const char *code, Place place, const char *text, const char *hint)
{
    for (int id = 0; id < DIAG_COUNT; id++) {
        if (strcmp(entries[id].code, code) != 0) continue;
        diag_report_as(diag, (DiagId)id, "%s", place, text);
        if (hint) diag_hint(diag, "%s", hint);
        return;
    }
    assert(false && "unknown code");
}

void orr_diag_add(orr_diag *diag, const char *code, const char *text, const char *hint)
{
    add(diag, code, (Place){ 0 }, text, hint);
}

bool diag_is(const orr_message *m, DiagId id) { return strcmp(m->code, entries[id].code) == 0; }

void diag_copy(orr_diag *diag, const orr_message *m)
{
    add(diag, m->code, diag_place(diag, (orr_place){ m->file, m->line, m->column, m->length }), m->text,
        m->hint);
}

// ---- Reading

orr_status orr_diag_status(const orr_diag *diag)
{
    if (diag->status != ORR_STATUS_OK) return diag->status;
    return diag->n_errors ? ORR_STATUS_MODEL_ERROR : ORR_STATUS_OK;
}

size_t orr_diag_errors(const orr_diag *diag) { return diag->n_errors; }
size_t orr_diag_warnings(const orr_diag *diag) { return diag->n_warnings; }
size_t orr_diag_not_shown(const orr_diag *diag) { return diag->n_not_shown; }

size_t orr_diag_count(const orr_diag *diag)
{
    size_t n = diag->n_messages;
    for (size_t i = 0; i < diag->n_messages; i++) n += diag->messages[i]->notes.n;
    return n;
}

orr_message orr_diag_get(const orr_diag *diag, size_t i)
{
    const Message *m = NULL;
    for (size_t k = 0; k < diag->n_messages && !m; k++) {
        const Message *head = diag->messages[k];
        if (i == 0) m = head;
        else if (i <= head->notes.n) m = &head->notes.items[i - 1];
        i -= 1 + head->notes.n;
    }
    assert(m);
    return (orr_message){
        .severity = severity_of(m->id),
        .code = m->id == DIAG_COUNT ? "" : entries[m->id].code,
        .file = diag_path(diag, m->place.file),
        .line = m->line,
        .column = m->column,
        .length = m->length,
        .text = m->text,
        .hint = m->hint,
        .source_line = m->line_copy,
        .edits = m->edits.items,
        .n_edits = m->edits.n,
    };
}

const char *orr_code_at(size_t i, const char **pattern)
{
    if (i >= DIAG_COUNT) return NULL;
    if (pattern) *pattern = entries[i].format;
    return entries[i].code;
}

const char *orr_explain(const char *code)
{
    if (!code || strlen(code) != 4) return NULL;
    for (size_t i = 0; i < DIAG_COUNT; i++) {
        const char *known = entries[i].code;
        if ((code[0] & ~32) == known[0] && strcmp(code + 1, known + 1) == 0) return entries[i].explanation;
    }
    return NULL;
}

const char *orr_status_text(orr_status status)
{
    switch (status) {
    case ORR_STATUS_OK:            return "done";
    case ORR_STATUS_MODEL_ERROR:   return "model error";
    case ORR_STATUS_USAGE:         return "wrong usage";
    case ORR_STATUS_FAILED:        return "simulation failed";
    case ORR_STATUS_NOT_VALIDATED: return "validation not passed";
    case ORR_STATUS_CANCELLED:     return "cancelled";
    case ORR_STATUS_SYSTEM:        return "system error";
    case ORR_STATUS_TERMINATED:    return "ended by the model";
    case ORR_STATUS_NO_MEMORY:     return "out of memory";
    }
    return "unknown status";
}

// ---- Drawing

typedef enum Paint {
    PAINT_NONE, PAINT_PLACE, PAINT_ERROR, PAINT_WARNING, PAINT_NOTE, PAINT_CARET, PAINT_GUTTER
} Paint;

static void paint(StrBuf *s, Paint p, bool colour)
{
    static const char *const codes[] = { "\33[0m",    "\33[1m",    "\33[1;31m", "\33[1;35m",
                                         "\33[1;36m", "\33[1;32m", "\33[2m" };
    if (colour) str_add(s, codes[p]);
}

// The next character of a line as it will be drawn, starting at screen cell `cell`: bytes to print and width.
typedef struct Glyph { Text bytes; size_t cells; } Glyph;

static Glyph next_glyph(Text line, size_t *i, size_t cell)
{
    const size_t start = *i;
    const int32_t c = text_utf8_next(line, i);
    if (c == '\t') {
        const size_t cells = TAB_CELLS - cell % TAB_CELLS;
        return (Glyph){ { "        ", cells }, cells };
    }
    if (text_is_unsafe(c)) return (Glyph){ TEXT("?"), 1 };
    return (Glyph){ text_part(line, start, *i), (size_t)text_width(c) };
}

// Text of a message: one paragraph; further lines, as a compiler's output has, are indented.
static void draw_text(StrBuf *s, const char *text)
{
    const Text t = text_from(text);
    for (size_t i = 0; i < t.n;) {
        if (t.p[i] == '\n') {
            if (i + 1 < t.n) str_add(s, "\n    ");
            i++;
        } else {
            str_add_text(s, next_glyph(t, &i, 0).bytes);
        }
    }
}

static void draw_number(StrBuf *s, size_t line, bool colour)
{
    paint(s, PAINT_GUTTER, colour);
    if (line) str_addf(s, "%5zu | ", line);
    else str_add(s, "      | ");
    paint(s, PAINT_NONE, colour);
}

// The source line with the span underlined. A line too long for the screen is cut on both sides of the span.
static void draw_line(StrBuf *s, const Message *m, bool colour)
{
    const Text line = m->source_line;
    size_t first = 0, last = 0, total = 0, characters = 0;    // screen cells of the span and of the line
    for (size_t i = 0; i < line.n; characters++) {
        if (characters == m->column - 1) first = total;
        if (characters == m->column - 1 + m->length) last = total;
        // enough is known
        if (characters > m->column + m->length && total > last + 2 * LINE_CELLS_MAX) break;
        total += next_glyph(line, &i, total).cells;
    }
    if (m->column - 1 >= characters) first = total;
    if (m->column - 1 + m->length >= characters && last <= first) last = total;
    if (last <= first) last = first + 1;

    size_t from = 0, to = total;
    if (total > LINE_CELLS_MAX) {
        from = first > CELLS_BEFORE ? first - CELLS_BEFORE : 0;
        to = from + LINE_CELLS_MAX < total ? from + LINE_CELLS_MAX : total;
        if (last > to) last = to > first ? to : first + 1;
    }

    draw_number(s, m->line, colour);
    if (from > 0) str_add(s, "...");
    size_t shown_from = from;    // a wide character may straddle the cut
    for (size_t i = 0, cell = 0; i < line.n && cell < to;) {
        const Glyph g = next_glyph(line, &i, cell);
        if (cell >= from) str_add_text(s, g.bytes);
        else if (cell + g.cells > from) shown_from = cell + g.cells;
        cell += g.cells;
    }
    if (to < total) str_add(s, "...");
    str_add_char(s, '\n');

    // underline
    const size_t before = (from > 0 ? 3 : 0) + first - (first >= shown_from ? shown_from : first);
    if (m->line > 99999) str_addf(s, "%*s", (int)snprintf(NULL, 0, "%zu", m->line) - 5, "");
    draw_number(s, 0, colour);
    str_addf(s, "%*s", (int)before, "");
    paint(s, PAINT_CARET, colour);
    str_add_char(s, '^');
    for (size_t i = first + 1; i < last; i++) str_add_char(s, '~');
    if (m->hint) {
        str_add_char(s, ' ');
        draw_text(s, m->hint);
    }
    paint(s, PAINT_NONE, colour);
    str_add_char(s, '\n');
}

static void draw_message(StrBuf *s, const orr_diag *diag, const Message *m, bool colour)
{
    static const Paint paints[] = { PAINT_ERROR, PAINT_WARNING, PAINT_NOTE };
    static const char *const words[] = { "error", "warning", "note" };
    const orr_severity severity = severity_of(m->id);
    const char *path = diag_path(diag, m->place.file);

    if (path) {
        paint(s, PAINT_PLACE, colour);
        draw_text(s, path);
        if (m->line) str_addf(s, ":%zu", m->line);
        if (m->line && m->column) str_addf(s, ":%zu", m->column);
        str_add(s, ": ");
        paint(s, PAINT_NONE, colour);
    }
    paint(s, paints[severity], colour);
    str_add(s, words[severity]);
    if (m->id != DIAG_COUNT) str_addf(s, " %s", entries[m->id].code);
    paint(s, PAINT_NONE, colour);
    str_add(s, ": ");
    draw_text(s, m->text);
    str_add_char(s, '\n');

    if (m->source_line.p) {
        draw_line(s, m, colour);
    } else if (m->hint) {
        str_add(s, "      ");
        paint(s, PAINT_CARET, colour);
        draw_text(s, m->hint);
        paint(s, PAINT_NONE, colour);
        str_add_char(s, '\n');
    }
}

void orr_diag_print(const orr_diag *diag, FILE *out, int colour)
{
    StrBuf s = { 0 };
    for (size_t i = 0; i < diag->n_messages; i++) {
        const Message *m = diag->messages[i];
        draw_message(&s, diag, m, colour);
        for (size_t k = 0; k < m->notes.n; k++) draw_message(&s, diag, &m->notes.items[k], colour);
    }
    if (diag->n_not_shown) str_addf(&s, "too many messages: %zu more not shown\n", diag->n_not_shown);
    if (s.n) fwrite(s.p, 1, s.n, out);
    str_free(&s);
}

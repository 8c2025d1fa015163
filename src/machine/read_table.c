// src/machine/read_table.c: machines from transition tables, one row for each state.
//
//     state,toy,food,output                      state,toy,food
//     -> hungry,hungry,eating,cries              hungry,hungry/cries,eating/quiet
//     eating,playing,playing,quiet               …
//
// Left a Moore machine, right a Mealy machine. The arrow marks where it starts. Outputs may also stand in
// a table of their own below, with the header state,output. Separators , ; and tab are recognised; a cell
// drawn by chance is written `0.5 a | 0.5 b`.
#include "base/csv.h"
#include "base/number.h"
#include "machine/build.h"
#include "machine/draft.h"
#include <strings.h>

typedef struct Field {
    Text text;
    Place place;
} Field;
typedef struct Record {
    size_t first;    // field
    uint32_t n;      // fields
    bool skipped;    // its state has a row already, or none
} Record;

typedef struct Table {
    Arena *arena;      // borrowed
    orr_diag *diag;    // borrowed
    uint32_t file;
    Text text;
    char separator;
    VEC(Field) fields;
    VEC(Record) records;
    Draft draft;
    MachineKind kind;
    uint32_t start;
} Table;

static void report(Table *t, Place place, const char *what)
{
    diag_report(t->diag, DIAG_MACHINE_TABLE, place, what);
    t->draft.ok = false;
}

// ---- Records

static char find_separator(Text text)
{
    bool quoted = false;
    for (size_t i = 0; i < text.n && (quoted || text.p[i] != '\n'); i++) {
        const char c = text.p[i];
        if (c == '"') quoted = !quoted;
        if (!quoted && (c == ',' || c == ';' || c == '\t')) return c;
    }
    return ',';
}

// A quoted field from its quote on; *at goes behind it. Two quotes inside are one.
static Text read_quoted(Table *t, size_t *at)
{
    const size_t start = (*at)++;
    StrBuf s = { .arena = t->arena };
    while (*at < t->text.n) {
        const char c = t->text.p[(*at)++];
        if (c != '"') str_add_char(&s, c);
        else if (*at < t->text.n && t->text.p[*at] == '"') str_add_char(&s, '"'), (*at)++;
        else return (Text){ s.n ? s.p : "", s.n };
    }
    diag_report(t->diag, DIAG_CSV_QUOTE, ((Place){ t->file, (uint32_t)start, 1 }));
    t->draft.ok = false;
    return (Text){ s.n ? s.p : "", s.n };
}

static bool is_line_end(Text text, size_t at) { return at >= text.n || text.p[at] == '\n'; }

static size_t read_field(Table *t, size_t at)
{
    const Text text = t->text;
    while (at < text.n && (text.p[at] == ' ' || (text.p[at] == '\t' && t->separator != '\t'))) at++;
    const size_t start = at;
    Text value;
    if (at < text.n && text.p[at] == '"') {
        const size_t quote = at;
        value = read_quoted(t, &at);
        const size_t behind = at;
        while (!is_line_end(text, at) && text.p[at] != t->separator) at++;
        // `"a b" / quiet` is a cell that starts with a quoted name, not a quoted cell
        if (text_trim(text_part(text, behind, at)).n > 0) value = text_trim(text_part(text, quote, at));
    } else {
        while (!is_line_end(text, at) && text.p[at] != t->separator) at++;
        value = text_trim(text_part(text, start, at));
    }
    const Place place = { t->file, (uint32_t)start, (uint32_t)text_trim(text_part(text, start, at)).n };
    vec_push(t->arena, &t->fields, (Field){ csv_without_guard(value), place });
    return at;
}

static void read_records(Table *t)
{
    const Text text = t->text;
    size_t at = text_starts(text, "\xef\xbb\xbf") ? 3 : 0;
    t->separator = find_separator(text_part(text, at, text.n));
    while (at < text.n) {
        size_t end = at;
        while (!is_line_end(text, end)) end++;
        const Text line = text_trim(text_part(text, at, end));
        if (line.n == 0 || line.p[0] == '#') {
            at = end + 1;
            continue;
        }
        Record record = { .first = t->fields.n };
        for (;;) {
            at = read_field(t, at);
            if (is_line_end(text, at)) break;
            at++;
        }
        at++;
        record.n = (uint32_t)(t->fields.n - record.first);
        vec_push(t->arena, &t->records, record);
    }
}

static const Field *field(const Table *t, const Record *r, uint32_t i)
{
    return &t->fields.items[r->first + i];
}

static bool is_word(Text text, const char *word)
{
    return text.n == strlen(word) && strncasecmp(text.p, word, text.n) == 0;
}

static bool is_header(const Table *t, size_t i)
{
    if (i == 0) return true;
    const Text first = field(t, &t->records.items[i], 0)->text;
    return is_word(first, "state") || is_word(first, "present state");
}

// "input = toy" is toy
static Text input_name(Text text)
{
    if (text.n > 6 && strncasecmp(text.p, "input", 5) == 0) {
        const Text rest = text_trim(text_part(text, 5, text.n));
        if (rest.n > 1 && rest.p[0] == '=') return text_trim(text_part(rest, 1, rest.n));
    }
    return text;
}

static Text unquote(Text text)
{
    text = text_trim(text);
    return text.n >= 2 && text.p[0] == '"' && text.p[text.n - 1] == '"' ? text_part(text, 1, text.n - 1)
                                                                        : text;
}

// Without the arrow of the start, and whether there was one.
static Text state_name(Text text, bool *starts)
{
    *starts = text_starts(text, "->");
    return *starts ? unquote(text_part(text, 2, text.n)) : text;
}

// ---- Cells

// The last c outside of quotes; text.n if there is none.
static size_t find_last(Text text, char c)
{
    bool quoted = false;
    size_t found = text.n;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"') quoted = !quoted;
        else if (!quoted && text.p[i] == c) found = i;
    }
    return found;
}

static size_t find_first(Text text, char c)
{
    bool quoted = false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"') quoted = !quoted;
        else if (!quoted && text.p[i] == c) return i;
    }
    return text.n;
}

// 0.5, or 1/3; false if it is neither
static bool read_probability(Text text, double *out)
{
    double a, b;
    if (number_parse(text, out)) return true;
    const size_t bar = find_last(text, '/');
    if (bar == text.n || !number_parse(text_part(text, 0, bar), &a)) return false;
    if (!number_parse(text_part(text, bar + 1, text.n), &b) || b == 0) return false;
    *out = a / b;
    return true;
}

static uint32_t find_target(Table *t, uint32_t state, uint32_t input, Text name, Place place)
{
    const uint32_t id = names_find(&t->draft.states, name);
    if (id != NAMES_NONE) return id;
    draft_stray(&t->draft, names_text(&t->draft.states, state), names_text(&t->draft.inputs, input),
                text_copy(t->arena, name), place, NULL);
    return DRAFT_UNKNOWN;
}

static void fill_cell(Table *t, uint32_t state, uint32_t input, const Field *f)
{
    const uint32_t source = draft_source(&t->draft, f->place, DRAFT_NAMED);
    Text rest = f->text;
    if (t->kind == MACHINE_MEALY) {
        const size_t slash = find_last(rest, '/');
        if (slash < rest.n) {
            const Text output = unquote(text_part(rest, slash + 1, rest.n));
            if (output.n > 0)
                draft_set_output(&t->draft, state, input, draft_add_output(&t->draft, output), source);
            rest = text_trim(text_part(rest, 0, slash));
        }
    }
    uint32_t whole = names_find(&t->draft.states, rest);
    if (whole == NAMES_NONE) whole = names_find(&t->draft.states, unquote(rest));
    VEC(DraftBranch) branches = { 0 };
    while (whole == NAMES_NONE) {
        const size_t bar = find_first(rest, '|');
        const Text branch = text_trim(text_part(rest, 0, bar));
        const size_t space = find_first(branch, ' ');
        DraftBranch b = { .probability = 1 };
        Text name = branch;
        if (space < branch.n && read_probability(text_part(branch, 0, space), &b.probability))
            name = text_part(branch, space, branch.n);
        b.to = find_target(t, state, input, unquote(name), f->place);
        vec_push(t->arena, &branches, b);
        if (bar == rest.n) break;
        rest = text_part(rest, bar + 1, rest.n);
    }
    if (whole != NAMES_NONE) vec_push(t->arena, &branches, (DraftBranch){ whole, 1 });
    draft_move(&t->draft, state, input, branches.items, branches.n, source);
}

// ---- The two passes: sets, then what is in the rows

static bool is_output_column(const Table *t, const Record *header, uint32_t column)
{
    return column > 0 && is_word(field(t, header, column)->text, "output");
}

static void declare_header(Table *t, const Record *header, size_t number)
{
    const bool only_outputs = header->n == 2 && is_output_column(t, header, 1);
    if (header->n < 2)
        report(t, field(t, header, 0)->place, "a header such as state,toy,food,output is expected");
    if (number > 0 && !only_outputs)
        report(t, field(t, header, 0)->place, "only a table of outputs may follow the first one");
    for (uint32_t c = 1; c < header->n; c++) {
        const Text name = input_name(field(t, header, c)->text);
        if (is_output_column(t, header, c)) {
            t->kind = MACHINE_MOORE;
        } else if (number == 0) {
            if (name.n == 0) report(t, field(t, header, c)->place, "a column has no name");
            else draft_add_input(&t->draft, name, field(t, header, c)->place);
        }
    }
}

// False if the columns make no sense.
static bool declare_sets(Table *t)
{
    bool ok = true;
    size_t n_headers = 0;
    bool has_slash = false;
    t->kind = MACHINE_MEALY;
    const Record *header = NULL;
    for (size_t i = 0; i < t->records.n; i++) {
        Record *r = &t->records.items[i];
        if (is_header(t, i)) {
            const bool before = t->draft.ok;
            t->draft.ok = true;
            declare_header(t, header = r, n_headers++);
            ok &= t->draft.ok;
            t->draft.ok &= before;
            continue;
        }
        if (r->n > header->n) {
            diag_report(t->diag, DIAG_CSV_FIELDS, field(t, r, header->n)->place, (size_t)r->n,
                        (size_t)header->n);
            t->draft.ok = false;
        }
        if (n_headers > 1) continue;
        bool starts;
        const Text name = state_name(field(t, r, 0)->text, &starts);
        const size_t known = t->draft.states.n;
        if (name.n == 0) report(t, field(t, r, 0)->place, "a row has no state");
        else draft_add_state(&t->draft, name, field(t, r, 0)->place);
        r->skipped = t->draft.states.n == known;
        for (uint32_t c = 1; c < r->n && c < header->n; c++)
            has_slash |= find_last(field(t, r, c)->text, '/') < field(t, r, c)->text.n;
    }
    if (!has_slash) t->kind = MACHINE_MOORE;    // no outputs at all: a missing column is what to say
    return ok;
}

static void fill_row(Table *t, const Record *header, const Record *r)
{
    bool starts;
    const Field *head = field(t, r, 0);
    const Text name = state_name(head->text, &starts);
    const uint32_t state = names_find(&t->draft.states, name);
    if (r->skipped) return;    // said already
    if (state == NAMES_NONE) {
        diag_report(t->diag, DIAG_MACHINE_SYMBOL_UNKNOWN, head->place, text_copy(t->arena, name), "a state",
                    t->draft.name);
        t->draft.ok = false;
        return;
    }
    if (starts && t->start != MACHINE_NONE) report(t, head->place, "two rows are marked as the start");
    else if (starts) t->start = state;
    uint32_t input = 0;
    for (uint32_t c = 1; c < header->n; c++) {
        const Field *f = c < r->n ? field(t, r, c) : NULL;
        if (is_output_column(t, header, c)) {
            if (f && f->text.n > 0)
                draft_set_output(&t->draft, state, 0, draft_add_output(&t->draft, f->text),
                                 draft_source(&t->draft, f->place, DRAFT_NAMED));
        } else {
            if (f && f->text.n > 0) fill_cell(t, state, input, f);
            input++;
        }
    }
}

Machine *machine_read_table(Arena *arena, Text text, uint32_t file, const char *name, orr_diag *diag)
{
    Table t = { .arena = arena, .diag = diag, .file = file, .text = text, .start = MACHINE_NONE };
    draft_begin(&t.draft, arena, name, (Place){ file, 0, 0 }, diag);
    t.draft.advice_before = "fill in its cell in column '";
    t.draft.advice_behind = "'";
    t.draft.advice_output = "fill in a column called output";
    read_records(&t);
    if (!t.draft.ok) return NULL;
    if (t.records.n == 0) {
        report(&t, (Place){ file, 0, 0 }, "it is empty");
        return NULL;
    }
    const bool columns_known = declare_sets(&t);
    if (!columns_known || !draft_seal(&t.draft, t.kind)) return NULL;
    const Record *header = NULL;
    for (size_t i = 0; i < t.records.n; i++) {
        if (is_header(&t, i)) header = &t.records.items[i];
        else fill_row(&t, header, &t.records.items[i]);
    }
    return draft_finish(&t.draft, t.start);
}

// src/machine/write.c: machines as text: the report's tables, CSV, DOT, the language, JSON.
#include "base/csv.h"
#include "base/number.h"
#include "base/text.h"
#include "lang/lex.h"
#include "machine/machine.h"
#include <ctype.h>

// ---- Pieces

static bool is_certain(const Machine *m, size_t cell) { return m->next[cell] != MACHINE_NONE; }

static uint32_t first_branch(const Machine *m, size_t cell) { return m->branch_first[cell]; }
static uint32_t behind_branches(const Machine *m, size_t cell) { return m->branch_first[cell + 1]; }

static void add_number(StrBuf *s, double value)
{
    char text[NUMBER_MAX];
    str_add(s, number_text(value, text));
}

static void add_spaces(StrBuf *s, size_t n)
{
    memset(str_room(s, n), ' ', n);
    s->n += n;
}

// A name where `special` characters would be taken for something else: in double quotes then.
static void add_name(StrBuf *s, const char *name, const char *special)
{
    const size_t n = strlen(name);
    const bool plain = n > 0 && !strpbrk(name, special) && name[0] != ' ' && name[n - 1] != ' ';
    if (!plain) str_add_char(s, '"');
    str_add(s, name);
    if (!plain) str_add_char(s, '"');
}

// Where a cell leads, 0.5 a | 0.5 b if by chance.
static void add_cell(StrBuf *s, const Machine *m, size_t cell, const char *special)
{
    if (is_certain(m, cell)) add_name(s, m->states[m->next[cell]], special);
    else
        for (uint32_t b = first_branch(m, cell); b < behind_branches(m, cell); b++) {
            if (b > first_branch(m, cell)) str_add(s, " | ");
            add_number(s, m->branch_probability[b]);
            str_add_char(s, ' ');
            add_name(s, m->states[m->branch_next[b]], special);
        }
    if (m->kind != MACHINE_MEALY) return;
    str_add(s, " / ");
    add_name(s, m->outputs[m->out[cell]], special);
}

// ---- Tables in text

typedef struct Grid {
    const char **cells;
    size_t n_rows, n_columns;
} Grid;    // row by row

static void add_grid(StrBuf *s, const Grid *g)
{
    Arena arena = { 0 };
    size_t *width = ARENA_ARRAY(&arena, size_t, g->n_columns);
    for (size_t i = 0; i < g->n_rows * g->n_columns; i++) {
        const size_t w = text_cells(text_from(g->cells[i]));
        if (w > width[i % g->n_columns]) width[i % g->n_columns] = w;
    }
    for (size_t r = 0; r < g->n_rows; r++) {
        size_t owed = 0;    // blanks before the next cell
        for (size_t c = 0; c < g->n_columns; c++) {
            const char *cell = g->cells[r * g->n_columns + c];
            add_spaces(s, owed);
            str_add(s, cell);
            owed = width[c] - text_cells(text_from(cell)) + 3;
        }
        str_add_char(s, '\n');
    }
    arena_free(&arena);
}

static void write_text(StrBuf *s, const Machine *m)
{
    Arena arena = { 0 };
    const size_t columns = m->n_inputs + 1;
    Grid g = { ARENA_ARRAY(&arena, const char *, (m->n_states + 1) * columns), m->n_states + 1, columns };
    g.cells[0] = "present state";
    for (uint32_t i = 0; i < m->n_inputs; i++)
        g.cells[i + 1] = arena_printf(&arena, "input = %s", m->inputs[i]);
    for (uint32_t q = 0; q < m->n_states; q++) {
        const char **row = &g.cells[(q + 1) * columns];
        row[0] = q == m->start ? arena_printf(&arena, "-> %s", m->states[q]) : m->states[q];
        for (uint32_t i = 0; i < m->n_inputs; i++) {
            StrBuf cell = { .arena = &arena };
            add_cell(&cell, m, machine_cell(m, q, i), "\"|/");
            row[i + 1] = str_finish(&cell);
        }
    }
    str_addf(s, "%s: transition table%s\n\n", m->name,
             m->kind == MACHINE_MEALY ? " (next state / output)" : "");
    add_grid(s, &g);
    if (m->kind == MACHINE_MOORE) {
        Grid o = { ARENA_ARRAY(&arena, const char *, (m->n_states + 1) * 2), m->n_states + 1, 2 };
        o.cells[0] = "state";
        o.cells[1] = "output";
        for (uint32_t q = 0; q < m->n_states; q++) {
            o.cells[2 * q + 2] = m->states[q];
            o.cells[2 * q + 3] = m->outputs[m->out[q]];
        }
        str_addf(s, "\n%s: output table\n\n", m->name);
        add_grid(s, &o);
    }
    arena_free(&arena);
}

// ---- CSV

static void write_csv(StrBuf *s, const Machine *m)
{
    str_add(s, "state");
    for (uint32_t i = 0; i < m->n_inputs; i++) {
        str_add_char(s, ',');
        csv_add_field(s, m->inputs[i]);
    }
    str_add(s, m->kind == MACHINE_MOORE ? ",output\n" : "\n");
    // a table of certain moves needs no quotes inside its cells: whole cells are names there
    const char *special = m->kind == MACHINE_MEALY ? "\"|/" : "\"|";
    for (uint32_t q = 0; q < m->n_states; q++) {
        StrBuf cell = { 0 };
        if (q == m->start) str_add(&cell, "-> "), add_name(&cell, m->states[q], "\"");
        else str_add(&cell, m->states[q]);
        csv_add_field(s, cell.p);
        for (uint32_t i = 0; i < m->n_inputs; i++) {
            const size_t k = machine_cell(m, q, i);
            cell.n = 0;
            if (m->kind == MACHINE_MOORE && is_certain(m, k)) str_add(&cell, m->states[m->next[k]]);
            else add_cell(&cell, m, k, special);
            str_add_char(s, ',');
            csv_add_field(s, cell.p);
        }
        if (m->kind == MACHINE_MOORE) {
            str_add_char(s, ',');
            csv_add_field(s, m->outputs[m->out[q]]);
        }
        str_add_char(s, '\n');
        str_free(&cell);
    }
}

// ---- DOT

// Inside a label: what would end a part of it, or be trimmed, is protected by a backslash.
static void add_dot(StrBuf *s, const char *text)
{
    for (const char *p = text; *p; p++) {
        const bool is_blank = isspace((unsigned char)*p) && (p == text || !p[1]);
        if (is_blank || strchr("\"\\|/{}<>:", *p)) str_add_char(s, '\\');
        str_add_char(s, *p);
    }
}

static void add_edge(StrBuf *s, const Machine *m, uint32_t from, uint32_t input, uint32_t to,
                     double probability)
{
    str_addf(s, "  s%u -> s%u [label=\"", from, to);
    add_dot(s, m->inputs[input]);
    if (m->kind == MACHINE_MEALY) {
        str_add_char(s, '/');
        add_dot(s, m->outputs[machine_output(m, from, input)]);
    }
    if (m->branch_first) {
        str_add_char(s, ':');
        add_number(s, probability);
    }
    str_add(s, "\"];\n");
}

static void write_dot(StrBuf *s, const Machine *m)
{
    str_add(s, "digraph \"");
    add_dot(s, m->name);
    str_add(s, "\" {\n");
    for (uint32_t q = 0; q < m->n_states; q++) {
        str_addf(s, "  s%u [label=\"", q);
        add_dot(s, m->states[q]);
        if (m->kind == MACHINE_MOORE) {
            str_add_char(s, '|');
            add_dot(s, m->outputs[m->out[q]]);
            str_add(s, "\" shape=record style=rounded];\n");
        } else str_add(s, "\" shape=ellipse];\n");
    }
    if (m->start != MACHINE_NONE)
        str_addf(s, "  __start0 [label=\"\" shape=none];\n  __start0 -> s%u;\n", m->start);
    for (uint32_t q = 0; q < m->n_states; q++) {
        for (uint32_t i = 0; i < m->n_inputs; i++) {
            const size_t cell = machine_cell(m, q, i);
            if (is_certain(m, cell)) add_edge(s, m, q, i, m->next[cell], 1);
            else
                for (uint32_t b = first_branch(m, cell); b < behind_branches(m, cell); b++)
                    add_edge(s, m, q, i, m->branch_next[b], m->branch_probability[b]);
        }
    }
    str_add(s, "}\n");
}

// ---- The language

static void add_word(StrBuf *s, const char *name)
{
    const Text text = text_from(name);
    const bool plain = lex_is_name(text);
    if (!plain) str_add_char(s, '"');
    for (const char *p = name; *p; p++)
        str_add_char(s, *p == '"' ? '\'' : *p);    // a quote cannot be written
    if (!plain) str_add_char(s, '"');
}

static void add_moves(StrBuf *s, const Machine *m, uint32_t q, uint32_t input, bool all)
{
    const size_t cell = machine_cell(m, q, input);
    if (all) str_add_char(s, '*');
    else add_word(s, m->inputs[input]);
    str_add(s, " -> ");
    if (is_certain(m, cell)) add_word(s, m->states[m->next[cell]]);
    else
        for (uint32_t b = first_branch(m, cell); b < behind_branches(m, cell); b++) {
            if (b > first_branch(m, cell)) str_add(s, " | ");
            add_number(s, m->branch_probability[b]);
            str_add_char(s, ' ');
            add_word(s, m->states[m->branch_next[b]]);
        }
    if (m->kind != MACHINE_MEALY) return;
    str_add(s, " / ");
    add_word(s, m->outputs[m->out[cell]]);
}

// Whether all inputs do the same there, with certainty.
static bool row_is_constant(const Machine *m, uint32_t q)
{
    for (uint32_t i = 0; i < m->n_inputs; i++) {
        const size_t cell = machine_cell(m, q, i), first = machine_cell(m, q, 0);
        if (!is_certain(m, cell) || m->next[cell] != m->next[first]) return false;
        if (m->kind == MACHINE_MEALY && m->out[cell] != m->out[first]) return false;
    }
    return true;
}

// Whether reading the text without a line `output` would number the outputs otherwise, or miss one.
static bool needs_output_line(const Machine *m)
{
    uint32_t seen = 0;
    const bool is_mealy = m->kind == MACHINE_MEALY;
    const uint32_t columns = is_mealy ? m->n_inputs : 1;
    for (int pass = 0; pass < 2; pass++)    // `*` is read last
        for (uint32_t q = 0; q < m->n_states; q++) {
            if ((is_mealy && row_is_constant(m, q)) != (pass == 1)) continue;
            for (uint32_t i = 0; i < columns; i++) {
                const uint32_t out = machine_output(m, q, i);
                if (out > seen) return true;
                if (out == seen) seen++;
            }
        }
    return seen < m->n_outputs;
}

static void write_language(StrBuf *s, const Machine *m)
{
    str_add(s, "machine ");
    add_word(s, m->name);
    str_add(s, "\n  input ");
    for (uint32_t i = 0; i < m->n_inputs; i++) {
        if (i > 0) str_add(s, ", ");
        add_word(s, m->inputs[i]);
    }
    str_add_char(s, '\n');
    const uint32_t n_listed = needs_output_line(m) ? m->n_outputs : 0;
    for (uint32_t i = 0; i < n_listed; i++) {
        str_add(s, i == 0 ? "  output " : ", ");
        add_word(s, m->outputs[i]);
        if (i + 1 == m->n_outputs) str_add_char(s, '\n');
    }
    if (m->start != MACHINE_NONE) {
        str_add(s, "  start ");
        add_word(s, m->states[m->start]);
        str_add_char(s, '\n');
    }
    for (uint32_t q = 0; q < m->n_states; q++) {
        str_add(s, "  state ");
        add_word(s, m->states[q]);
        if (m->kind == MACHINE_MOORE) {
            str_add(s, " / ");
            add_word(s, m->outputs[m->out[q]]);
        }
        str_add(s, " : ");
        if (row_is_constant(m, q)) add_moves(s, m, q, 0, true);
        else
            for (uint32_t i = 0; i < m->n_inputs; i++) {
                if (i > 0) str_add(s, ", ");
                add_moves(s, m, q, i, false);
            }
        str_add_char(s, '\n');
    }
    str_add(s, "end\n");
}

// ---- JSON

static void add_json(StrBuf *s, const char *text)
{
    str_add_char(s, '"');
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') str_addf(s, "\\%c", c);
        else if (c < ' ') str_addf(s, "\\u%04x", (unsigned)c);
        else str_add_char(s, (char)c);
    }
    str_add_char(s, '"');
}

static void add_json_names(StrBuf *s, const char *key, const char *const *names, uint32_t n)
{
    str_addf(s, "  \"%s\": [", key);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) str_add(s, ", ");
        add_json(s, names[i]);
    }
    str_add(s, "],\n");
}

static void write_json(StrBuf *s, const Machine *m)
{
    str_add(s, "{\n  \"machine\": ");
    add_json(s, m->name);
    str_addf(s, ",\n  \"kind\": \"%s\",\n", m->kind == MACHINE_MOORE ? "moore" : "mealy");
    add_json_names(s, "inputs", m->inputs, m->n_inputs);
    add_json_names(s, "outputs", m->outputs, m->n_outputs);
    add_json_names(s, "states", m->states, m->n_states);
    str_add(s, "  \"start\": ");
    if (m->start == MACHINE_NONE) str_add(s, "null");
    else add_json(s, m->states[m->start]);
    if (m->kind == MACHINE_MOORE) {
        str_add(s, ",\n  \"output\": [");
        for (uint32_t q = 0; q < m->n_states; q++) {
            if (q > 0) str_add(s, ", ");
            add_json(s, m->outputs[m->out[q]]);
        }
        str_add_char(s, ']');
    }
    str_add(s, ",\n  \"moves\": [");
    const char *separator = "\n";
    for (uint32_t q = 0; q < m->n_states; q++) {
        for (uint32_t i = 0; i < m->n_inputs; i++) {
            const size_t cell = machine_cell(m, q, i);
            const uint32_t n = is_certain(m, cell) ? 1 : behind_branches(m, cell) - first_branch(m, cell);
            for (uint32_t b = 0; b < n; b++) {
                const uint32_t to = is_certain(m, cell) ? m->next[cell]
                                                        : m->branch_next[first_branch(m, cell) + b];
                str_addf(s, "%s    {\"state\": ", separator);
                add_json(s, m->states[q]);
                str_add(s, ", \"input\": ");
                add_json(s, m->inputs[i]);
                str_add(s, ", \"next\": ");
                add_json(s, m->states[to]);
                if (!is_certain(m, cell)) {
                    str_add(s, ", \"probability\": ");
                    add_number(s, m->branch_probability[first_branch(m, cell) + b]);
                }
                if (m->kind == MACHINE_MEALY) {
                    str_add(s, ", \"output\": ");
                    add_json(s, m->outputs[m->out[cell]]);
                }
                str_add_char(s, '}');
                separator = ",\n";
            }
        }
    }
    str_add(s, "\n  ]\n}\n");
}

char *orr_machine_write(const orr_machine *machine, orr_machine_form form)
{
    StrBuf s = { 0 };
    switch (form) {
    case ORR_MACHINE_TEXT: write_text(&s, machine->machine); break;
    case ORR_MACHINE_CSV: write_csv(&s, machine->machine); break;
    case ORR_MACHINE_DOT: write_dot(&s, machine->machine); break;
    case ORR_MACHINE_ORR: write_language(&s, machine->machine); break;
    case ORR_MACHINE_JSON: write_json(&s, machine->machine); break;
    }
    return str_finish(&s);
}

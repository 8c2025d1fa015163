// src/order/diagnose.c: the parts of a system that is singular by structure, and messages about them.
#include "order/diagnose.h"
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 5, NOTES_MAX = 7 };    // what a person can take in at once

// ---- Parts

typedef struct Finder {
    const System *system;
    const Match  *match;
    Arena        *arena;
    bool         *row_in, *column_in;     // part of what is being found
    VEC(uint32_t) todo;                   // rows as i, columns as n_rows + j
} Finder;

static void put_row(Finder *f, uint32_t i)
{
    if (i == INCIDENCE_NONE || f->row_in[i]) return;
    f->row_in[i] = true;
    vec_push(f->arena, &f->todo, i);
}

static void put_column(Finder *f, uint32_t j)
{
    if (j == INCIDENCE_NONE || f->column_in[j]) return;
    f->column_in[j] = true;
    vec_push(f->arena, &f->todo, f->system->rows.n_rows + j);
}

// Alternating paths: from an equation left over to all unknowns it reads, from those to the equations that
// compute them.
static void find_over(Finder *f)
{
    const Incidence *rows = &f->system->rows;
    for (uint32_t i = 0; i < rows->n_rows; i++)
        if (f->match->column_of[i] == INCIDENCE_NONE) put_row(f, i);
    while (f->todo.n > 0) {
        const uint32_t i = vec_pop(&f->todo);
        for (uint32_t k = rows->first[i]; k < rows->first[i + 1]; k++) {
            f->column_in[rows->columns[k]] = true;
            put_row(f, f->match->row_of[rows->columns[k]]);
        }
    }
}

// From an unknown left over to all equations that read it, from those to the unknowns they compute.
static void find_under(Finder *f)
{
    const Incidence *columns = &f->system->columns;
    const uint32_t n_rows = f->system->rows.n_rows;
    for (uint32_t j = 0; j < f->system->n_first; j++)
        if (f->match->row_of[j] == INCIDENCE_NONE) put_column(f, j);
    while (f->todo.n > 0) {
        const uint32_t j = vec_pop(&f->todo) - n_rows;
        for (uint32_t k = columns->first[j]; k < columns->first[j + 1]; k++) {
            f->row_in[columns->columns[k]] = true;
            put_column(f, f->match->column_of[columns->columns[k]]);
        }
    }
}

// Take one connected group out of the part, starting with what is in `todo`.
static DiagnoseGroup take_group(Finder *f, bool *row_left, bool *column_left)
{
    const Incidence *rows = &f->system->rows, *columns = &f->system->columns;
    VEC(uint32_t) in_rows = { 0 }, in_columns = { 0 };
    while (f->todo.n > 0) {
        const uint32_t at = vec_pop(&f->todo);
        const bool is_row = at < rows->n_rows;
        const uint32_t line = is_row ? at : at - rows->n_rows;
        const Incidence *from = is_row ? rows : columns;
        if (is_row) vec_push(f->arena, &in_rows, line);
        else vec_push(f->arena, &in_columns, line);
        for (uint32_t k = from->first[line]; k < from->first[line + 1]; k++) {
            const uint32_t other = from->columns[k];
            bool *left = is_row ? column_left : row_left;
            if (!left[other]) continue;
            left[other] = false;
            vec_push(f->arena, &f->todo, is_row ? rows->n_rows + other : other);
        }
    }
    incidence_sort(in_rows.items, in_rows.n);
    incidence_sort(in_columns.items, in_columns.n);
    return (DiagnoseGroup){ .rows = in_rows.items, .columns = in_columns.items, .n_rows = (uint32_t)in_rows.n,
                            .n_columns = (uint32_t)in_columns.n };
}

static DiagnoseGroup *split_groups(Finder *f, uint32_t *n)
{
    VEC(DiagnoseGroup) groups = { 0 };
    const uint32_t n_rows = f->system->rows.n_rows, n_columns = f->system->rows.n_columns;
    for (uint32_t at = 0; at < n_rows + n_columns; at++) {
        bool *in = at < n_rows ? &f->row_in[at] : &f->column_in[at - n_rows];
        if (!*in) continue;
        *in = false;
        vec_push(f->arena, &f->todo, at);
        const DiagnoseGroup group = take_group(f, f->row_in, f->column_in);
        vec_push(f->arena, &groups, group);
    }
    *n = (uint32_t)groups.n;
    return groups.items;
}

DiagnoseParts diagnose_parts(const System *system, const Match *match, Arena *arena)
{
    DiagnoseParts parts = { 0 };
    Finder f = { .system = system, .match = match, .arena = arena,
                 .row_in = ARENA_ARRAY(arena, bool, system->rows.n_rows),
                 .column_in = ARENA_ARRAY(arena, bool, system->rows.n_columns) };
    find_over(&f);
    parts.over = split_groups(&f, &parts.n_over);    // leaves row_in and column_in empty
    find_under(&f);
    parts.under = split_groups(&f, &parts.n_under);
    return parts;
}

// ---- Words

typedef struct Reporter {
    const System *system;
    const Match  *match;
    orr_diag     *diag;
    Arena         work;
} Reporter;

static const FlatVar *variable(const Reporter *r, uint32_t column)
{
    return &r->system->flat->vars.items[r->system->unknowns[column]];
}

static const char *name_of(const Reporter *r, uint32_t column) { return variable(r, column)->name; }
static Place place_of(const Reporter *r, uint32_t row) { return r->system->equations[row].place; }

// "'a'", "'a' and 'b'", "'a', 'b', 'c', 'd' and 3 more".
static const char *list_variables(const Flat *flat, const uint32_t *variables, uint32_t n, const char *last,
                                  Arena *work)
{
    StrBuf text = { .arena = work };
    const uint32_t shown = n > NAMES_MAX ? NAMES_MAX - 1 : n;
    for (uint32_t k = 0; k < shown; k++) {
        if (k > 0) str_add(&text, k + 1 == n ? last : ", ");
        str_addf(&text, "'%s'", flat->vars.items[variables[k]].name);
    }
    if (shown < n) str_addf(&text, "%s%u more", last, n - shown);
    return str_finish(&text);
}

static const char *list_names(Reporter *r, const uint32_t *columns, uint32_t n, const char *last)
{
    uint32_t *variables = ARENA_ARRAY(&r->work, uint32_t, n);
    for (uint32_t k = 0; k < n; k++) variables[k] = r->system->unknowns[columns[k]];
    return list_variables(r->system->flat, variables, n, last, &r->work);
}

static const char *count_text(Reporter *r, uint32_t n, const char *noun)
{
    return arena_printf(&r->work, "%u %s%s", n, noun, n == 1 ? "" : "s");
}

static const char *equation_text(Reporter *r, uint32_t row)
{
    char *buffer = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&buffer, &size);
    if (!out) return "";
    flat_print_equation(r->system->flat, &r->system->equations[row], out);
    fclose(out);
    // a long equation is cut: its place is shown anyway
    const char *text =
        size > 80 ? arena_printf(&r->work, "%.77s…", buffer) : arena_copy_text(&r->work, buffer, size);
    free(buffer);
    return text;
}

static void note_rows(Reporter *r, const uint32_t *rows, uint32_t n, uint32_t except, const char *remark)
{
    uint32_t noted = 0;
    for (uint32_t k = 0; k < n && noted < NOTES_MAX; k++) {
        if (rows[k] == except) continue;
        diag_note(r->diag, place_of(r, rows[k]), "%s", remark);
        noted++;
    }
}

// The first variable read by one of the equations that is of a kind; FLAT_NONE if there is none.
static uint32_t first_read(Reporter *r, const uint32_t *rows, uint32_t n, bool (*is_kind)(const FlatVar *))
{
    const Flat *flat = r->system->flat;
    for (uint32_t k = 0; k < n; k++) {
        const FlatEquation *e = &r->system->equations[rows[k]];
        const Expr sides[2] = { e->lhs, e->rhs };
        for (int i = 0; i < 2; i++) {
            size_t n_reads;
            const uint32_t *reads = expr_variables(&flat->pool, sides[i], &r->work, &n_reads);
            for (size_t j = 0; j < n_reads; j++)
                if (is_kind(&flat->vars.items[reads[j]])) return reads[j];
        }
    }
    return FLAT_NONE;
}

static bool is_param(const FlatVar *v) { return v->kind == FLAT_PARAM; }

// ---- At every instant

// An equation among states leaves nothing to solve for: it is too much, or it has to be differentiated.
static void report_no_unknown(Reporter *r, uint32_t row)
{
    const Flat *flat = r->system->flat;
    const uint32_t state = first_read(r, &row, 1, structure_is_state);
    if (state != FLAT_NONE) {
        const FlatVar *x = &flat->vars.items[state];
        diag_report(r->diag, DIAG_DEFINED_TWICE, place_of(r, row), x->name);
        diag_hint(r->diag,
                  "'%s' is a state, computed by integrating '%s': remove this equation or that of '%s'",
                  x->name, flat->vars.items[x->derivative].name, flat->vars.items[x->derivative].name);
        diag_note(r->diag, x->place, "'%s' is declared here", x->name);
        return;
    }
    diag_report(r->diag, DIAG_EQUATION_EMPTY, place_of(r, row), equation_text(r, row));
    const uint32_t param = first_read(r, &row, 1, is_param);
    if (param != FLAT_NONE)
        diag_hint(r->diag, "remove it, or declare '%s' as var to have it computed",
                  flat->vars.items[param].name);
    else diag_hint(r->diag, "everything in it is known: remove it");
}

static void report_too_many(Reporter *r, const DiagnoseGroup *g)
{
    const Flat *flat = r->system->flat;
    const uint32_t surplus = g->n_rows - g->n_columns, last = g->rows[g->n_rows - 1];
    if (g->n_rows == 2) {
        diag_report(r->diag, DIAG_DEFINED_TWICE, place_of(r, last), name_of(r, g->columns[0]));
        note_rows(r, g->rows, g->n_rows, last, "it is computed here too");
    } else {
        diag_report(r->diag, DIAG_SYSTEM_TOO_MANY, place_of(r, last), count_text(r, surplus, "equation"),
                    count_text(r, g->n_rows, "equation"), count_text(r, g->n_columns, "unknown"),
                    list_names(r, g->columns, g->n_columns, " and "));
        note_rows(r, g->rows, g->n_rows, last, "one of them");
    }
    const uint32_t param = first_read(r, g->rows, g->n_rows, is_param);
    const char *what = surplus == 1
                           ? arena_printf(&r->work, "remove one of these %u equations", g->n_rows)
                           : arena_printf(&r->work, "remove %u of these %u equations", surplus, g->n_rows);
    if (param != FLAT_NONE)
        diag_hint(r->diag, "%s, or declare '%s' as var to have it computed", what,
                  flat->vars.items[param].name);
    else diag_hint(r->diag, "%s", what);
}

static void report_high_index(Reporter *r, const DiagnoseGroup *g)
{
    // the equation among them that reads only states says most
    uint32_t row = g->rows[g->n_rows - 1];
    for (uint32_t k = 0; k < g->n_rows; k++)
        if (incidence_count(&r->system->rows, g->rows[k]) == 0) row = g->rows[k];
    uint32_t state = first_read(r, &row, 1, structure_is_state);
    if (state == FLAT_NONE) state = first_read(r, g->rows, g->n_rows, structure_is_state);
    diag_report(r->diag, DIAG_HIGH_INDEX, place_of(r, row), r->system->flat->vars.items[state].name);
    diag_hint(r->diag,
              "it fixes a state instead of a derivative: write its derivative by time instead, or remove "
              "a state");
    note_rows(r, g->rows, g->n_rows, row, "together with this equation");
}

static void report_too_few(Reporter *r, const DiagnoseGroup *g)
{
    const uint32_t missing = g->n_columns - g->n_rows;
    if (g->n_rows == 0) {
        const FlatVar *v = variable(r, g->columns[0]);
        diag_report(r->diag, DIAG_NOT_IN_EQUATIONS, v->place, v->name);
        diag_hint(r->diag, "write the equation that computes it, or remove it");
        return;
    }
    // unknowns that stand on the left of no equation are the culprits, if they are as many as equations are
    // missing
    bool *is_written = ARENA_ARRAY(&r->work, bool, r->system->rows.n_columns);
    for (uint32_t k = 0; k < g->n_rows; k++) {
        const ExprNode *left = expr_node(&r->system->flat->pool, r->system->equations[g->rows[k]].lhs);
        if (left->op != EXPR_VAR) continue;
        const uint32_t j = r->system->column_of[left->index];
        if (j != FLAT_NONE) is_written[j] = true;
    }
    uint32_t *culprits = ARENA_ARRAY(&r->work, uint32_t, g->n_columns), n = 0;
    for (uint32_t k = 0; k < g->n_columns; k++)
        if (!is_written[g->columns[k]]) culprits[n++] = g->columns[k];
    const bool is_sure = n == missing;
    if (!is_sure) {
        culprits = g->columns;
        n = g->n_columns;
    }
    const char *names = list_names(r, culprits, n, is_sure ? " and " : " or ");
    const char *subject = is_sure ? arena_printf(&r->work, "%s %s", names, n == 1 ? "is" : "are")
                        : missing == 1 ? arena_printf(&r->work, "one of %s is", names)
                                       : arena_printf(&r->work, "%u of %s are", missing, names);
    diag_report(r->diag, DIAG_SYSTEM_TOO_FEW, variable(r, culprits[0])->place, subject,
                count_text(r, g->n_rows, "equation"), count_text(r, g->n_columns, "unknown"));
    diag_hint(r->diag, "write %s for %s, or declare %s as param with a value",
              missing == 1 ? "one more equation" : count_text(r, missing, "more equation"), names,
              missing == 1 && n == 1 ? "it" : missing == 1 ? "one of them" : "as many of them");
    for (uint32_t k = 1; k < n && k <= NOTES_MAX; k++)
        diag_note(r->diag, variable(r, culprits[k])->place, "'%s' is declared here", name_of(r, culprits[k]));
    // where it is needed; if there are several, the equations they share
    const Incidence *columns = &r->system->columns;
    const uint32_t *needed = columns->columns + columns->first[culprits[0]];
    if (n > 1) note_rows(r, g->rows, g->n_rows, INCIDENCE_NONE, "an equation they occur in");
    else note_rows(r, needed, incidence_count(columns, culprits[0]), INCIDENCE_NONE, "it is needed here");
}

void diagnose_dynamic(const System *system, const Match *match, orr_diag *diag)
{
    Reporter r = { .system = system, .match = match, .diag = diag };
    const DiagnoseParts parts = diagnose_parts(system, match, &r.work);
    bool needs_reduction = false;
    for (uint32_t k = 0; k < parts.n_over; k++) {
        const DiagnoseGroup *g = &parts.over[k];
        // too many here and too few there: an equation that fixes states hides what computes their
        // derivatives
        if (parts.n_under > 0 && first_read(&r, g->rows, g->n_rows, structure_is_state) != FLAT_NONE) {
            report_high_index(&r, g);
            needs_reduction = true;
        } else if (g->n_columns == 0) {
            report_no_unknown(&r, g->rows[0]);
        } else {
            report_too_many(&r, g);
        }
    }
    // unknowns that only seem to lack an equation
    for (uint32_t k = 0; k < parts.n_under && !needs_reduction; k++) report_too_few(&r, &parts.under[k]);
    arena_free(&r.work);
}

// ---- At the start

static void report_initial_missing(Reporter *r, const DiagnoseGroup *g)
{
    uint32_t *states = ARENA_ARRAY(&r->work, uint32_t, g->n_columns), n = 0;
    for (uint32_t k = 0; k < g->n_columns; k++) {
        const FlatVar *v = variable(r, g->columns[k]);
        if (structure_is_state(v) && !start_has_value(v)) states[n++] = g->columns[k];
    }
    const uint32_t missing = g->n_columns - g->n_rows;
    // one message for each if all of them need a value, else one for all
    const uint32_t n_messages = n == missing ? n : 1;
    for (uint32_t k = 0; k < n_messages; k++) {
        const FlatVar *v = variable(r, states[k]);
        diag_report(r->diag, DIAG_INITIAL_MISSING, v->place, v->name);
        if (n_messages < n) {
            diag_hint(r->diag, "give %s of %s an initial value, or write an initial equation",
                      missing == 1 ? "one" : arena_printf(&r->work, "%u", missing),
                      list_names(r, states, n, " and "));
        } else if (v->start != EXPR_NONE) {
            diag_hint(r->diag, "'~' gives a first guess only: write 'var %s = …' or an initial equation",
                      v->name);
        } else {
            diag_hint(r->diag, "write 'var %s = …' or an initial equation", v->name);
        }
    }
    for (uint32_t k = 1; n_messages < n && k < n && k <= NOTES_MAX; k++)
        diag_note(r->diag, variable(r, states[k])->place, "'%s' has none either", name_of(r, states[k]));
}

static void report_initial_too_many(Reporter *r, const Start *start, const DiagnoseGroup *g)
{
    // what a user can change are the initial equations and the values given; those of the model are needed
    // anyway
    uint32_t *rows = ARENA_ARRAY(&r->work, uint32_t, g->n_rows), n = 0, given = INCIDENCE_NONE;
    for (uint32_t k = 0; k < g->n_rows; k++) {
        if (g->rows[k] < start->first_initial) continue;
        rows[n++] = g->rows[k];
        if (g->rows[k] >= start->first_given && given == INCIDENCE_NONE) given = g->rows[k];
    }
    const uint32_t row = n > 0 ? rows[0] : g->rows[0];
    if (g->n_columns == 0) {
        diag_report(r->diag, DIAG_EQUATION_EMPTY, place_of(r, row), equation_text(r, row));
        diag_hint(r->diag, "everything in it is known at the start: remove it");
        return;
    }
    const uint32_t column = given != INCIDENCE_NONE ? r->system->written_for[given] : g->columns[0];
    diag_report(r->diag, DIAG_INITIAL_TOO_MANY, place_of(r, row), name_of(r, column));
    for (uint32_t k = 1; k < n && k <= NOTES_MAX; k++) {
        if (rows[k] < start->first_given) diag_note(r->diag, place_of(r, rows[k]), "this initial equation");
        else
            diag_note(r->diag, place_of(r, rows[k]), "the value given for '%s'",
                      name_of(r, r->system->written_for[rows[k]]));
    }
    if (given != INCIDENCE_NONE && given < start->first_default)
        diag_hint(r->diag,
                  "remove the initial equation, or write 'var %s ~ …' if its value is only a first guess",
                  name_of(r, column));
    else diag_hint(r->diag, "remove one of these initial equations");
}

void diagnose_start(const Start *start, const Match *match, orr_diag *diag)
{
    Reporter r = { .system = &start->system, .match = match, .diag = diag };
    const DiagnoseParts parts = diagnose_parts(&start->system, match, &r.work);
    for (uint32_t k = 0; k < parts.n_over; k++) report_initial_too_many(&r, start, &parts.over[k]);
    for (uint32_t k = 0; k < parts.n_under; k++) report_initial_missing(&r, &parts.under[k]);
    arena_free(&r.work);
}

// ---- Loops

void diagnose_singular_loop(const System *system, const Match *match, const uint32_t *rows, uint32_t n,
                            orr_diag *diag)
{
    Reporter r = { .system = system, .match = match, .diag = diag };
    uint32_t *columns = ARENA_ARRAY(&r.work, uint32_t, n);
    for (uint32_t k = 0; k < n; k++) columns[k] = match->column_of[rows[k]];
    incidence_sort(columns, n);
    diag_report(diag, DIAG_LOOP_SINGULAR, place_of(&r, rows[0]), n == 1 ? "equation" : "equations",
                list_names(&r, columns, n, " and "), n == 1 ? "has" : "have");
    diag_hint(diag, n == 1 ? "the unknown cancels out: correct the equation"
                           : "they say the same thing twice or contradict each other: correct one of them");
    note_rows(&r, rows, n, rows[0], "together with this equation");
    arena_free(&r.work);
}

void diagnose_loop(const Flat *flat, const Ordered *system, const Loop *loop, orr_diag *diag)
{
    Arena work = { 0 };
    const FlatEquation *equations = system->equations;
    diag_report(diag, DIAG_LOOP_REFUSED, equations[loop->equations[0]].place, (size_t)loop->n,
                list_variables(flat, loop->unknowns, loop->n, " and ", &work));
    diag_hint(diag, "without --loops halt it is %s; a state or a delay in it breaks the loop",
              order_method_text(loop));
    for (uint32_t k = 1; k < loop->n && k <= NOTES_MAX; k++)
        diag_note(diag, equations[loop->equations[k]].place, "together with this equation");
    arena_free(&work);
}

// src/order/diagnose.c: the parts of a system that is singular by structure, and messages about them.
#include "order/diagnose.h"
#include "order/augment.h"
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
    const char   *missing;    // unknowns that lack an equation elsewhere, NULL if there are none
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

static const char *text_of(Reporter *r, const FlatEquation *equation)
{
    char *buffer = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&buffer, &size);
    if (!out) return "";
    flat_print_equation(r->system->flat, equation, out);
    memory_close(out, &buffer);
    // a long equation is cut: its place is shown anyway
    const char *text = size > 80 ? arena_printf(&r->work, "%.77s…", buffer)
                                 : arena_copy_text(&r->work, buffer, size);
    free(buffer);
    return text;
}

static const char *equation_text(Reporter *r, uint32_t row)
{
    return text_of(r, &r->system->equations[row]);
}

// Does the line alone not tell which instance of a model is meant?
static bool is_of_component(Reporter *r, uint32_t row)
{
    const FlatEquation *e = &r->system->equations[row];
    const Expr sides[2] = { e->lhs, e->rhs };
    for (int i = 0; i < 2; i++) {
        size_t n;
        const uint32_t *reads = expr_variables(&r->system->flat->pool, sides[i], &r->work, &n);
        for (size_t k = 0; k < n; k++)
            if (strchr(r->system->flat->vars.items[reads[k]].name, '.')) return true;
    }
    return false;
}

static void note_rows(Reporter *r, const uint32_t *rows, uint32_t n, uint32_t except, const char *remark)
{
    uint32_t noted = 0;
    for (uint32_t k = 0; k < n && noted < NOTES_MAX; k++) {
        if (rows[k] == except) continue;
        if (is_of_component(r, rows[k]))
            diag_note(r->diag, place_of(r, rows[k]), "%s: %s", remark, equation_text(r, rows[k]));
        else diag_note(r->diag, place_of(r, rows[k]), "%s", remark);
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

// "'k'", "one of 'F' and 'k'": the parameters of which one could be computed instead; "" if there are none.
static const char *list_params(Reporter *r, const uint32_t *rows, uint32_t n)
{
    const Flat *flat = r->system->flat;
    VEC(uint32_t) params = { 0 };
    bool *seen = ARENA_ARRAY(&r->work, bool, flat->vars.n);
    for (uint32_t k = 0; k < n; k++) {
        const FlatEquation *e = &r->system->equations[rows[k]];
        const Expr sides[2] = { e->lhs, e->rhs };
        for (int i = 0; i < 2; i++) {
            size_t n_reads;
            const uint32_t *reads = expr_variables(&flat->pool, sides[i], &r->work, &n_reads);
            for (size_t j = 0; j < n_reads; j++) {
                const FlatVar *v = &flat->vars.items[reads[j]];
                if (seen[reads[j]] || v->kind != FLAT_PARAM || v->is_structural) continue;
                seen[reads[j]] = true;
                vec_push(&r->work, &params, reads[j]);
            }
        }
    }
    const char *names = list_variables(flat, params.items, (uint32_t)params.n, " and ", &r->work);
    return params.n > 1 ? arena_printf(&r->work, "one of %s", names) : names;
}

// A parameter or an input that stands alone on a side of the equation; FLAT_NONE if there is none.
static uint32_t known_alone(const Reporter *r, uint32_t row)
{
    const Flat *flat = r->system->flat;
    const FlatEquation *e = &r->system->equations[row];
    const Expr sides[2] = { e->lhs, e->rhs };
    for (int i = 0; i < 2; i++) {
        const ExprNode *side = expr_node(&flat->pool, sides[i]);
        const ExprNode *other = expr_node(&flat->pool, sides[1 - i]);
        if (side->op != EXPR_VAR || structure_is_state(&flat->vars.items[side->index])) continue;
        // x = k, with a state x, is about x
        if (other->op == EXPR_VAR && structure_is_state(&flat->vars.items[other->index])) continue;
        return side->index;
    }
    return FLAT_NONE;
}

// States among what an equation reads.
static size_t n_read_states(Reporter *r, uint32_t row)
{
    const Flat *flat = r->system->flat;
    const FlatEquation *e = &r->system->equations[row];
    const Expr sides[2] = { e->lhs, e->rhs };
    size_t n_states = 0;
    for (int i = 0; i < 2; i++) {
        size_t n_reads;
        const uint32_t *reads = expr_variables(&flat->pool, sides[i], &r->work, &n_reads);
        for (size_t j = 0; j < n_reads; j++) n_states += structure_is_state(&flat->vars.items[reads[j]]);
    }
    return n_states;
}

// ---- At every instant

// An equation without unknowns. One among states is too much, or it has to be differentiated.
static void report_no_unknown(Reporter *r, uint32_t row)
{
    const Flat *flat = r->system->flat;
    const uint32_t known = known_alone(r, row), state = first_read(r, &row, 1, structure_is_state);
    if (known == FLAT_NONE && state != FLAT_NONE) {
        const FlatVar *x = &flat->vars.items[state];
        diag_report(r->diag, DIAG_DEFINED_TWICE, place_of(r, row), x->name);
        const char *rate = flat->vars.items[x->derivative].name;
        if (n_read_states(r, row) > 1)
            diag_hint(r->diag,
                      "it ties states that have equations of their own: remove it, or add to those the "
                      "unknown that keeps it, such as a force");
        else
            diag_hint(r->diag,
                      "'%s' is a state, computed by integrating '%s': remove this equation or that of '%s'",
                      x->name, rate, rate);
        diag_note(r->diag, x->place, "'%s' is declared here", x->name);
        return;
    }
    diag_report(r->diag, DIAG_EQUATION_EMPTY, place_of(r, row), equation_text(r, row));
    if (known != FLAT_NONE) {
        const FlatVar *v = &flat->vars.items[known];
        const char *kind = v->kind == FLAT_INPUT ? "an input, given from outside"
                                                 : "a parameter, fixed in a run";
        diag_hint(r->diag, "'%s' is %s: declare it as var to have it computed, or remove the equation",
                  v->name, kind);
        diag_note(r->diag, v->place, "'%s' is declared here", v->name);
        return;
    }
    const char *params = list_params(r, &row, 1);
    if (*params) diag_hint(r->diag, "remove it, or declare %s as var to have it computed", params);
    else diag_hint(r->diag, "everything in it is known: remove it");
}

// The part in a terminal that all these unknowns have, those of no terminal left aside.
static FlatRole role_of(const Reporter *r, const uint32_t *columns, uint32_t n)
{
    FlatRole role = FLAT_PLAIN;
    for (uint32_t k = 0; k < n; k++) {
        const FlatRole of_this = variable(r, columns[k])->role;
        if (of_this == FLAT_PLAIN) continue;
        if (role != FLAT_PLAIN && role != of_this) return FLAT_PLAIN;
        role = of_this;
    }
    return role;
}

const char diagnose_no_level[] =
    "nothing fixes the level of what is connected here: add a part that does, such as a ground or a wall";

// The repair of equations that are too many. If others are missing elsewhere, perhaps one of these was meant
// for them.
static void hint_too_many(Reporter *r, const DiagnoseGroup *g, const char *remove)
{
    const char *params = list_params(r, g->rows, g->n_rows);
    const char *more = g->n_rows - g->n_columns == 1 ? "" : ", and so on,";
    if (r->missing)
        diag_hint(r->diag, "%s; or is one of them meant for %s, which is never computed?", remove,
                  r->missing);
    else if (*params)
        diag_hint(r->diag, "%s, or declare %s%s as var to have it computed", remove, params, more);
    else diag_hint(r->diag, "%s", remove);
    const FlatRole role = role_of(r, g->columns, g->n_columns);
    if (role == FLAT_ACROSS)
        diag_hint(r->diag, "parts that each fix the level are joined: put something between them");
    else if (role == FLAT_THROUGH)
        diag_hint(r->diag, "what flows in must flow out: connect the open ends, or remove the part");
}

static const char *times_text(Reporter *r, uint32_t n)
{
    return n == 2 ? "twice" : arena_printf(&r->work, "%u times", n);
}

// Several equations of the form 'v = …' for one v: what their author did, whatever else could be removed. One
// message for each such v; false if that does not explain all that is too much.
static bool report_written_twice(Reporter *r, const DiagnoseGroup *g)
{
    const System *s = r->system;
    uint32_t *n_written = ARENA_ARRAY(&r->work, uint32_t, s->rows.n_columns), explained = 0;
    for (uint32_t k = 0; k < g->n_rows; k++)
        if (s->written_for[g->rows[k]] != INCIDENCE_NONE) n_written[s->written_for[g->rows[k]]]++;
    for (uint32_t k = 0; k < g->n_columns; k++)
        if (n_written[g->columns[k]] > 1) explained += n_written[g->columns[k]] - 1;
    if (explained != g->n_rows - g->n_columns) return false;
    for (uint32_t c = 0; c < g->n_columns; c++) {
        const uint32_t column = g->columns[c];
        if (n_written[column] < 2) continue;
        uint32_t *rows = ARENA_ARRAY(&r->work, uint32_t, n_written[column]), n = 0;
        for (uint32_t k = 0; k < g->n_rows; k++)
            if (s->written_for[g->rows[k]] == column) rows[n++] = g->rows[k];
        diag_report(r->diag, DIAG_DEFINED_TWICE, place_of(r, rows[n - 1]), name_of(r, column));
        hint_too_many(r, g,
                      n == 2 ? "remove one of the two equations"
                             : arena_printf(&r->work, "it is computed %s: keep one of these %u equations",
                                            times_text(r, n), n));
        note_rows(r, rows, n - 1, INCIDENCE_NONE, "it is computed here too");
    }
    return true;
}

// The fewest equations that are too many because of an equation left over: itself and all that could be left
// over in its place. (In the words of matroids, its fundamental circuit.)
static DiagnoseGroup circuit_of(Reporter *r, uint32_t row)
{
    const Incidence *rows = &r->system->rows;
    Finder f = { .system = r->system, .match = r->match, .arena = &r->work,
                 .row_in = ARENA_ARRAY(&r->work, bool, rows->n_rows),
                 .column_in = ARENA_ARRAY(&r->work, bool, rows->n_columns) };
    VEC(uint32_t) in_rows = { 0 }, in_columns = { 0 };
    put_row(&f, row);
    while (f.todo.n > 0) {
        const uint32_t i = vec_pop(&f.todo);
        vec_push(&r->work, &in_rows, i);
        for (uint32_t k = rows->first[i]; k < rows->first[i + 1]; k++) {
            const uint32_t j = rows->columns[k];
            if (f.column_in[j]) continue;
            f.column_in[j] = true;
            vec_push(&r->work, &in_columns, j);
            put_row(&f, r->match->row_of[j]);
        }
    }
    incidence_sort(in_rows.items, in_rows.n);
    incidence_sort(in_columns.items, in_columns.n);
    return (DiagnoseGroup){ .rows = in_rows.items, .columns = in_columns.items, .n_rows = (uint32_t)in_rows.n,
                            .n_columns = (uint32_t)in_columns.n };
}

static void report_surplus(Reporter *r, const DiagnoseGroup *g)
{
    const uint32_t surplus = g->n_rows - g->n_columns, last = g->rows[g->n_rows - 1];
    if (g->n_rows == 2) {
        diag_report(r->diag, DIAG_DEFINED_TWICE, place_of(r, last), name_of(r, g->columns[0]));
        hint_too_many(r, g, "remove one of the two equations");
        note_rows(r, g->rows, g->n_rows, last, "it is computed here too");
        return;
    }
    diag_report(r->diag, DIAG_SYSTEM_TOO_MANY, place_of(r, last), count_text(r, surplus, "equation"),
                count_text(r, g->n_rows, "equation"), count_text(r, g->n_columns, "unknown"),
                list_names(r, g->columns, g->n_columns, " and "));
    const char *number = surplus == 1 ? "one" : arena_printf(&r->work, "%u", surplus);
    hint_too_many(r, g, arena_printf(&r->work, "remove %s of these %u equations", number, g->n_rows));
    note_rows(r, g->rows, g->n_rows, last, "one of them");
}

static void report_too_many(Reporter *r, const DiagnoseGroup *g)
{
    if (report_written_twice(r, g)) return;
    if (g->n_rows - g->n_columns == 1 || g->n_rows <= NOTES_MAX) {
        report_surplus(r, g);
        return;
    }
    // too many to take in at once: each equation left over by itself
    for (uint32_t k = 0, told = 0; k < g->n_rows && told < NOTES_MAX; k++) {
        if (r->match->column_of[g->rows[k]] != INCIDENCE_NONE) continue;
        const DiagnoseGroup circuit = circuit_of(r, g->rows[k]);
        report_surplus(r, &circuit);
        told++;
    }
}

// Unknowns that stand alone on the left of no equation are the culprits, if they are as many as equations are
// missing; or those of them that are neither derivatives nor have one (M*v' = … is the equation of v'). Else
// it may be any of the group.
static uint32_t *find_culprits(Reporter *r, const DiagnoseGroup *g, uint32_t *n)
{
    const uint32_t missing = g->n_columns - g->n_rows;
    bool *is_out = ARENA_ARRAY(&r->work, bool, r->system->rows.n_columns);
    for (uint32_t k = 0; k < g->n_rows; k++) {
        const ExprNode *left = expr_node(&r->system->flat->pool, r->system->equations[g->rows[k]].lhs);
        if (left->op != EXPR_VAR) continue;
        const uint32_t j = r->system->column_of[left->index];
        if (j != FLAT_NONE) is_out[j] = true;
    }
    uint32_t *culprits = ARENA_ARRAY(&r->work, uint32_t, g->n_columns);
    for (int pass = 0; pass < 2; pass++) {
        *n = 0;
        for (uint32_t k = 0; k < g->n_columns; k++)
            if (!is_out[g->columns[k]]) culprits[(*n)++] = g->columns[k];
        if (*n == missing) return culprits;
        for (uint32_t k = 0; k < g->n_columns; k++) {
            const FlatVar *v = variable(r, g->columns[k]);
            if (structure_is_state(v) || v->integral != FLAT_NONE) is_out[g->columns[k]] = true;
        }
    }
    *n = g->n_columns;
    return g->columns;
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
    uint32_t n;
    const uint32_t *culprits = find_culprits(r, g, &n);
    const bool is_sure = n == missing;
    const char *names = list_names(r, culprits, n, is_sure ? " and " : " or ");
    const char *subject = is_sure ? arena_printf(&r->work, "%s %s", names, n == 1 ? "is" : "are")
                        : missing == 1 ? arena_printf(&r->work, "one of %s is", names)
                                       : arena_printf(&r->work, "%u of %s are", missing, names);
    diag_report(r->diag, DIAG_SYSTEM_TOO_FEW, variable(r, culprits[0])->place, subject,
                count_text(r, g->n_rows, "equation"), count_text(r, g->n_columns, "unknown"));
    diag_hint(r->diag, "write %s for %s, or declare %s as param with a value",
              missing == 1 ? "one more equation" : count_text(r, missing, "more equation"), names,
              missing == 1 && n == 1 ? "it" : missing == 1 ? "one of them" : "as many of them");
    const FlatRole role = role_of(r, culprits, n);
    if (role == FLAT_ACROSS) diag_hint(r->diag, "%s", diagnose_no_level);
    else if (role == FLAT_THROUGH)
        diag_hint(r->diag,
                  "parts that each fix the level are joined, so how much flows through each is open");
    // where it is needed; if there are several, the equations they share
    const Incidence *columns = &r->system->columns;
    const uint32_t *needed = columns->columns + columns->first[culprits[0]];
    if (n > 1) note_rows(r, g->rows, g->n_rows, INCIDENCE_NONE, "an equation they occur in");
    else note_rows(r, needed, incidence_count(columns, culprits[0]), INCIDENCE_NONE, "it is needed here");
}

// The unknowns that lack an equation, if there are few and it is sure which.
static const char *missing_names(Reporter *r, const DiagnoseParts *parts)
{
    VEC(uint32_t) all = { 0 };
    for (uint32_t k = 0; k < parts->n_under; k++) {
        const DiagnoseGroup *g = &parts->under[k];
        uint32_t n;
        const uint32_t *culprits = find_culprits(r, g, &n);
        if (n != g->n_columns - g->n_rows) return NULL;
        for (uint32_t i = 0; i < n; i++) vec_push(&r->work, &all, culprits[i]);
    }
    return all.n == 1 ? list_names(r, all.items, 1, "") : NULL;
}

// The equation of a group that reads nothing unknown, or of two equations the one that gives a state a value
// although the other gives it a derivative.
static uint32_t row_that_fixes_a_state(Reporter *r, const DiagnoseGroup *g)
{
    if (g->n_columns == 0) return g->rows[0];
    if (g->n_rows != 2) return INCIDENCE_NONE;
    for (uint32_t k = 2; k-- > 0;)
        if (first_read(r, &g->rows[k], 1, structure_is_unknown) == FLAT_NONE) return g->rows[k];
    return INCIDENCE_NONE;
}

// Too many equations here, though they read states, and too few there: differentiating may bring them
// together.
static bool needs_reduction(Reporter *r, const DiagnoseParts *parts)
{
    for (uint32_t k = 0; parts->n_under > 0 && k < parts->n_over; k++)
        if (first_read(r, parts->over[k].rows, parts->over[k].n_rows, structure_is_state) != FLAT_NONE)
            return true;
    return false;
}

void diagnose_dynamic(const System *system, const Match *match, const System *chains, const Match *whole,
                      orr_diag *diag)
{
    Reporter r = { .system = system, .match = match, .diag = diag };
    DiagnoseParts parts = diagnose_parts(system, match, &r.work);
    if (chains && needs_reduction(&r, &parts)) {
        r.system = chains;
        r.match = whole;
        parts = diagnose_parts(chains, whole, &r.work);
    }
    if (parts.n_over == 1) r.missing = missing_names(&r, &parts);
    for (uint32_t k = 0; k < parts.n_over; k++) {
        const DiagnoseGroup *g = &parts.over[k];
        const uint32_t fixes = row_that_fixes_a_state(&r, g);
        if (fixes != INCIDENCE_NONE) report_no_unknown(&r, fixes);
        else report_too_many(&r, g);
    }
    for (uint32_t k = 0; k < parts.n_under; k++) report_too_few(&r, &parts.under[k]);
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

// Where constraints tie variables together, not every initial value helps: find ones that do.
static bool report_freedom(Reporter *r, const Start *start)
{
    const System *system = r->system;
    const Flat *flat = system->flat;
    Augment a;
    augment_init(&a, &r->work);
    augment_take(&a, &system->rows, r->match);
    uint32_t n_missing = 0, n = 0;
    for (uint32_t j = 0; j < system->n_first; j++) n_missing += r->match->row_of[j] == INCIDENCE_NONE;
    for (uint32_t guess = 2; guess-- > 0;) {    // those with a first guess, then the others
        for (uint32_t v = 0; v < flat->vars.n && n < n_missing; v++) {
            const FlatVar *x = &flat->vars.items[v];
            if (!start->reduction->had_derivative[v] || start->reduction->start_param[v] != FLAT_NONE)
                continue;
            if (guess != (x->start != EXPR_NONE)) continue;
            if (!augment_row(&a, augment_add_row(&a, &system->column_of[v], 1))) {
                augment_close_tree(&a);
                continue;
            }
            n++;
            diag_report(r->diag, DIAG_INITIAL_MISSING, x->place, x->name);
            if (guess)
                diag_hint(r->diag, "'~' gives a first guess only: write 'var %s = …' or an initial equation",
                          x->name);
            else
                diag_hint(r->diag,
                          "write 'var %s = …' or an initial equation, here or "
                          "for a variable that it is tied to by a constraint",
                          x->name);
        }
    }
    return n == n_missing;
}

void diagnose_start(const Start *start, const Match *match, orr_diag *diag)
{
    Reporter r = { .system = &start->system, .match = match, .diag = diag };
    const DiagnoseParts parts = diagnose_parts(&start->system, match, &r.work);
    for (uint32_t k = 0; k < parts.n_over; k++) report_initial_too_many(&r, start, &parts.over[k]);
    if (!start->reduction || !report_freedom(&r, start))
        for (uint32_t k = 0; k < parts.n_under; k++) report_initial_missing(&r, &parts.under[k]);
    arena_free(&r.work);
}

// ---- Loops

static void report_singular(Reporter *r, const uint32_t *rows, uint32_t n, uint32_t at)
{
    uint32_t *columns = ARENA_ARRAY(&r->work, uint32_t, n);
    for (uint32_t k = 0; k < n; k++) columns[k] = r->match->column_of[rows[k]];
    incidence_sort(columns, n);
    diag_report(r->diag, DIAG_LOOP_SINGULAR, place_of(r, at), n == 1 ? "equation" : "equations",
                list_names(r, columns, n, " and "), n == 1 ? "has" : "have");
}

// A circuit without ground: only levels, or only flows, cannot be told, or its equations say the same twice.
static bool is_floating(const Reporter *r, const uint32_t *rows, uint32_t n, bool contradicts)
{
    bool has[FLAT_THROUGH + 1] = { false };
    for (uint32_t k = 0; k < n; k++) has[variable(r, r->match->column_of[rows[k]])->role] = true;
    if (has[FLAT_ACROSS] != has[FLAT_THROUGH]) return true;
    return has[FLAT_ACROSS] && !contradicts;
}

void diagnose_singular_loop(const System *system, const Match *match, const uint32_t *rows, uint32_t n,
                            orr_diag *diag)
{
    Reporter r = { .system = system, .match = match, .diag = diag };
    report_singular(&r, rows, n, rows[0]);
    diag_hint(diag, n == 1 ? "the unknown cancels out: correct the equation"
                           : "they say the same thing twice or contradict each other: correct one of them");
    note_rows(&r, rows, n, rows[0], "together with this equation");
    arena_free(&r.work);
}

void diagnose_dependent(const System *system, const Match *match, const uint32_t *rows, uint32_t n,
                        const DiagnoseDependence *d, orr_diag *diag)
{
    Reporter r = { .system = system, .match = match, .diag = diag };
    incidence_sort(d->rows, d->n);
    const uint32_t last = d->rows[d->n - 1];
    report_singular(&r, rows, n, last);
    const bool is_level = is_floating(&r, rows, n, d->contradicts);
    if (is_level)
        diag_hint(diag, "%s; what is joined to it only by flows that are states, such as those of inductors, "
                        "needs a large resistance to it",
                  diagnose_no_level);
    else if (d->n == 1)
        diag_hint(diag, "the unknowns cancel out%s: correct the equation",
                  d->rest ? arena_printf(&r.work, ", and %s is left", text_of(&r, d->rest)) : "");
    else if (!d->contradicts)
        diag_hint(diag, "%s say the same: replace one of them by what is missing, or correct its signs",
                  d->n == 2 ? "the two equations" : "the equations shown, taken together,");
    else if (d->rest)
        diag_hint(diag, "%s contradict each other, all unknowns cancel and %s is left: correct one of them",
                  d->n == 2 ? "the two equations" : "the equations shown", text_of(&r, d->rest));
    else
        diag_hint(diag, "%s contradict each other: all unknowns cancel; correct one of them",
                  d->n == 2 ? "the two equations" : "the equations shown");
    note_rows(&r, d->rows, d->n, last, "together with this equation");
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

// src/analyse/write.c: results as CSV files.
#include "analyse/analyse.h"
#include "base/csv.h"

// States, then outputs.
typedef struct Columns {
    const size_t *states, *outputs;    // [n_states], [n_outputs] variables
    size_t n_states, n_outputs;
} Columns;

static void put_values(const Columns *c, const double *values, double *row)
{
    for (size_t i = 0; i < c->n_states; i++) row[i] = values[c->states[i]];
    for (size_t i = 0; i < c->n_outputs; i++) row[c->n_states + i] = values[c->outputs[i]];
}

static size_t put_names(const Columns *c, const orr_model *model, const char **names)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_states; i++) names[n++] = orr_model_variable(model, c->states[i]).name;
    for (size_t i = 0; i < c->n_outputs; i++) names[n++] = orr_model_variable(model, c->outputs[i]).name;
    return n;
}

bool orr_steady_write(const orr_steady *steady, const orr_model *model, const char *path, orr_diag *diag)
{
    Arena work = { 0 };
    Columns columns = { .states = steady->states, .n_states = steady->n_states };
    columns.outputs = analyse_outputs(model, &work, &columns.n_outputs);
    const size_t n = columns.n_states + columns.n_outputs;
    const char **names = ARENA_ARRAY(&work, const char *, n + 2);
    double *row = ARENA_ARRAY(&work, double, n + 2);
    put_names(&columns, model, names);
    names[n] = "unstable";
    names[n + 1] = "residual";
    FileOut file;
    bool ok = file_open(&file, path, FILE_REPLACE, diag);
    if (ok) {
        csv_header(&file, names, n + 2);
        for (size_t i = 0; i < steady->n_equilibria; i++) {
            const orr_equilibrium *e = &steady->equilibria[i];
            put_values(&columns, e->values, row);
            row[n] = e->eigenvalues ? 0 : -1;
            for (size_t k = 0; e->eigenvalues && k < steady->n_states; k++)
                if (e->stability != ORR_STABILITY_UNDECIDED && e->eigenvalues[k].re > 0) row[n]++;
            row[n + 1] = e->residual;
            csv_row(&file, row, n + 2);
        }
        ok = file_close(&file, diag);
    }
    arena_free(&work);
    return ok;
}

bool orr_diagram_write(const orr_diagram *diagram, const orr_model *model, const char *path, orr_diag *diag)
{
    Arena work = { 0 };
    Columns columns = { .states = diagram->states, .n_states = diagram->n_states };
    columns.outputs = analyse_outputs(model, &work, &columns.n_outputs);
    const size_t n = columns.n_states + columns.n_outputs;
    const char **names = ARENA_ARRAY(&work, const char *, n + 4);
    double *row = ARENA_ARRAY(&work, double, n + 4);
    names[0] = orr_model_variable(model, diagram->parameter).name;
    put_names(&columns, model, names + 1);
    names[n + 1] = "unstable";
    names[n + 2] = "kind";
    names[n + 3] = "branch";
    FileOut file;
    bool ok = file_open(&file, path, FILE_REPLACE, diag);
    if (ok) {
        csv_header(&file, names, n + 4);
        for (size_t i = 0; i < diagram->n_points; i++) {
            const orr_branch_point *p = &diagram->points[i];
            row[0] = p->parameter;
            put_values(&columns, p->values, row + 1);
            row[n + 1] = (double)p->n_unstable;
            row[n + 2] = p->kind;
            row[n + 3] = (double)p->branch + 1;
            csv_row(&file, row, n + 4);
        }
        ok = file_close(&file, diag);
    }
    arena_free(&work);
    return ok;
}

// ---- A linear model

static bool write_matrix(const orr_model *model, const char *prefix, const char *name, const double *matrix,
                         const size_t *rows, size_t n_rows, const size_t *columns, size_t n_columns,
                         orr_diag *diag)
{
    if (n_rows == 0 || n_columns == 0) return true;
    Arena work = { 0 };
    FileOut f;
    bool ok = file_open(&f, arena_printf(&work, "%s_%s.csv", prefix, name), FILE_REPLACE, diag);
    if (ok) {
        const char **names = ARENA_ARRAY(&work, const char *, n_columns + 1);
        names[0] = name;
        for (size_t c = 0; c < n_columns; c++) names[c + 1] = orr_model_variable(model, columns[c]).name;
        csv_header(&f, names, n_columns + 1);
        for (size_t r = 0; r < n_rows; r++) {
            csv_field(&f, orr_model_variable(model, rows[r]).name);
            file_text(&f, ",");
            csv_row(&f, matrix + r * n_columns, n_columns);
        }
        ok = file_close(&f, diag);
    }
    arena_free(&work);
    return ok;
}

static bool write_poles(const orr_linear *l, const char *prefix, orr_diag *diag)
{
    static const char *const names[] = { "re", "im" };
    if (!l->poles) return true;
    Arena work = { 0 };
    FileOut f;
    bool ok = file_open(&f, arena_printf(&work, "%s_poles.csv", prefix), FILE_REPLACE, diag);
    if (ok) {
        csv_header(&f, names, 2);
        for (size_t i = 0; i < l->n_states; i++) csv_row(&f, (double[]){ l->poles[i].re, l->poles[i].im }, 2);
        ok = file_close(&f, diag);
    }
    arena_free(&work);
    return ok;
}

static bool write_zeros(const orr_linear *l, const orr_model *model, const char *prefix, orr_diag *diag)
{
    if (!l->transfers) return true;
    Arena work = { 0 };
    FileOut f;
    bool ok = file_open(&f, arena_printf(&work, "%s_zeros.csv", prefix), FILE_REPLACE, diag);
    if (ok) {
        file_text(&f, "output,input,re,im\n");
        for (size_t i = 0; i < l->n_outputs * l->n_inputs; i++) {
            for (size_t k = 0; k < l->transfers[i].n_zeros; k++) {
                const orr_complex zero = l->transfers[i].zeros[k];
                csv_field(&f, orr_model_variable(model, l->outputs[i / l->n_inputs]).name);
                file_text(&f, ",");
                csv_field(&f, orr_model_variable(model, l->inputs[i % l->n_inputs]).name);
                file_text(&f, ",");
                csv_row(&f, (double[]){ zero.re, zero.im }, 2);
            }
        }
        ok = file_close(&f, diag);
    }
    arena_free(&work);
    return ok;
}

bool orr_linear_write(const orr_linear *l, const orr_model *model, const char *prefix, orr_diag *diag)
{
    const size_t n = l->n_states;
    bool ok = write_matrix(model, prefix, "A", l->A, l->states, n, l->states, n, diag);
    ok = ok && write_matrix(model, prefix, "B", l->B, l->states, n, l->inputs, l->n_inputs, diag);
    ok = ok && write_matrix(model, prefix, "C", l->C, l->outputs, l->n_outputs, l->states, n, diag);
    ok = ok && write_matrix(model, prefix, "D", l->D, l->outputs, l->n_outputs, l->inputs, l->n_inputs, diag);
    return ok && write_poles(l, prefix, diag) && write_zeros(l, model, prefix, diag);
}

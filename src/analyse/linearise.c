// src/analyse/linearise.c: x' = A x + B u, y = C x + D u around a point.
#include "analyse/analyse.h"
#include "base/diag.h"
#include "base/vec.h"
#include "num/lu.h"
#include <math.h>
#include <string.h>

enum { TRANSFERS_MAX = 1000 };    // pairs of input and output whose zeros are computed

orr_linear_options orr_linear_options_default(void)
{
    return (orr_linear_options){ .run = orr_run_options_default() };
}

typedef VEC(size_t) Variables;

static size_t find_variable(const orr_model *model, const char *name, orr_diag *diag)
{
    const size_t variable = orr_model_find(model, name);
    if (variable != (size_t)-1) return variable;
    diag_report(diag, DIAG_RECORD_UNKNOWN, (Place){ 0 }, name);
    diag_suggest(diag, name, orr_model_closest(model, name));
    return variable;
}

bool analyse_is_input(const orr_model *model, size_t variable, orr_diag *diag)
{
    const orr_variable v = orr_model_variable(model, variable);
    const ModelVariable var = model_variable(model, variable);
    const char *why = NULL;
    switch (v.kind) {
    case ORR_KIND_PARAM:
    case ORR_KIND_INPUT:
        if (var.is_structural) why = "the structure of the model depends on it";
        else if (var.var && model->blocks.start.block_of[variable] != FLAT_NONE)
            why = "the initial equations compute it";
        break;
    case ORR_KIND_STATE:     why = "it is a state"; break;
    case ORR_KIND_RATE:      why = "it is the rate of a state"; break;
    case ORR_KIND_ALGEBRAIC: why = "it is computed by an equation"; break;
    case ORR_KIND_RESULT:    why = "it is a result of the terminal region"; break;
    case ORR_KIND_DISCRETE:  why = "it changes at events"; break;
    }
    if (!why) return true;
    diag_report(diag, DIAG_ANALYSE_PARAMETER, (Place){ 0 }, v.name, why);
    diag_hint(diag, "parameters and inputs can be varied");
    return false;
}

static bool choose_inputs(const orr_model *model, const orr_linear_options *o, Arena *arena,
                          Variables *inputs, orr_diag *diag)
{
    bool ok = true;
    for (size_t i = 0; i < o->n_inputs; i++) {
        const size_t variable = find_variable(model, o->inputs[i], diag);
        if (variable == (size_t)-1 || !analyse_is_input(model, variable, diag)) ok = false;
        else vec_push(arena, inputs, variable);
    }
    for (size_t i = 0; o->n_inputs == 0 && i < model->flat.vars.n; i++)
        if (model->flat.vars.items[i].kind == FLAT_INPUT) vec_push(arena, inputs, i);
    return ok;
}

static bool choose_outputs(const orr_model *model, const orr_linear_options *o, Arena *arena,
                           Variables *outputs, orr_diag *diag)
{
    bool ok = true;
    for (size_t i = 0; i < o->n_outputs; i++) {
        const size_t variable = find_variable(model, o->outputs[i], diag);
        if (variable == (size_t)-1) ok = false;
        else vec_push(arena, outputs, variable);
    }
    for (int round = 0; o->n_outputs == 0 && round < 2 && outputs->n == 0; round++) {
        for (size_t i = 0; i < orr_model_n_variables(model); i++) {
            const orr_variable v = orr_model_variable(model, i);
            if (v.kind == ORR_KIND_PARAM || v.kind == ORR_KIND_INPUT || v.kind == ORR_KIND_RESULT) continue;
            if (round == 0 ? v.is_output : v.kind == ORR_KIND_STATE) vec_push(arena, outputs, i);
        }
    }
    return ok;
}

// ---- The matrices

static void put_column(double *matrix, size_t n_rows, size_t n_columns, size_t c, const double *column)
{
    for (size_t r = 0; r < n_rows; r++) matrix[r * n_columns + c] = column[r] + 0.0;
}

static bool fill_matrices(System *s, const double *x, orr_linear *l)
{
    const size_t n = l->n_states, n_u = l->n_inputs, n_y = l->n_outputs;
    double *a = ARENA_ARRAY(s->arena, double, n * n), *b = ARENA_ARRAY(s->arena, double, n * n_u);
    double *c = ARENA_ARRAY(s->arena, double, n_y * n), *d = ARENA_ARRAY(s->arena, double, n_y * n_u);
    double *column = ARENA_ARRAY(s->arena, double, n > n_y ? n : n_y);
    bool ok = system_jacobian(s, x, true, a);
    for (size_t k = 0; k < n_u && ok; k++) {
        const uint32_t place = model_variable(s->model, l->inputs[k]).place;
        ok = system_input_column(s, x, place, column);
        put_column(b, n, n_u, k, column);
        ok = ok && system_output_column(s, x, 0, place, l->outputs, n_y, column);
        put_column(d, n_y, n_u, k, column);
        // an input that is asked for is itself
        for (size_t i = 0; i < n_y; i++)
            if (l->outputs[i] == l->inputs[k]) d[i * n_u + k] = 1;
    }
    for (size_t k = 0; k < n && ok; k++) {
        ok = system_output_column(s, x, k, FLAT_NONE, l->outputs, n_y, column);
        put_column(c, n_y, n, k, column);
    }
    for (size_t i = 0; i < n * n; i++) a[i] += 0.0;    // no -0
    l->A = a, l->B = b, l->C = c, l->D = d;
    return ok;
}

// y/u for s = 0: D - C A⁻¹ B
static void steady_gains(const orr_linear *l, orr_transfer *transfers)
{
    const size_t n = l->n_states, n_u = l->n_inputs;
    Arena scratch = { 0 };
    double *factors = ARENA_ARRAY(&scratch, double, n * n), *work = ARENA_ARRAY(&scratch, double, 2 * n);
    double *x = ARENA_ARRAY(&scratch, double, n);
    size_t *pivots = ARENA_ARRAY(&scratch, size_t, n);
    memcpy(factors, l->A, n * n * sizeof *factors);
    const double norm = lu_norm(factors, n);
    const bool ok = lu_factor(factors, n, pivots, NULL) &&
                    lu_reciprocal_condition(factors, n, pivots, norm, work) > 1e-14;
    for (size_t k = 0; k < n_u; k++) {
        for (size_t i = 0; i < n; i++) x[i] = l->B[i * n_u + k];
        if (ok) lu_solve(factors, n, pivots, x);
        for (size_t i = 0; i < l->n_outputs; i++) {
            double sum = l->D[i * n_u + k];
            for (size_t j = 0; j < n; j++) sum -= l->C[i * n + j] * x[j];
            transfers[i * n_u + k].steady = ok ? sum : NAN;
        }
    }
    arena_free(&scratch);
}

static bool find_zeros(System *s, orr_linear *l)
{
    const size_t n = l->n_states, n_u = l->n_inputs, n_pairs = l->n_outputs * n_u;
    orr_complex *poles = ARENA_ARRAY(s->arena, orr_complex, n);
    Arena scratch = { 0 };
    double *a = ARENA_ARRAY(&scratch, double, n * n), *b = ARENA_ARRAY(&scratch, double, n);
    orr_complex *zeros = ARENA_ARRAY(&scratch, orr_complex, n);
    memcpy(a, l->A, n * n * sizeof *a);
    bool ok = eigen_values(a, n, poles, s->diag);
    if (ok) l->poles = poles;
    const bool has_transfers = ok && n_pairs > 0 && n_pairs <= TRANSFERS_MAX;
    orr_transfer *transfers = has_transfers ? ARENA_ARRAY(s->arena, orr_transfer, n_pairs) : NULL;
    for (size_t i = 0; transfers && ok && i < n_pairs; i++) {
        const size_t row = i / n_u, k = i % n_u;
        orr_transfer *t = &transfers[i];
        for (size_t r = 0; r < n; r++) b[r] = l->B[r * n_u + k];
        ok = zeros_of(l->A, b, l->C + row * n, l->D[i], n, zeros, &t->n_zeros, &t->gain, s->diag);
        orr_complex *kept = ARENA_ARRAY(s->arena, orr_complex, t->n_zeros);
        memcpy(kept, zeros, t->n_zeros * sizeof *kept);
        t->zeros = kept;
    }
    arena_free(&scratch);
    if (transfers) steady_gains(l, transfers);
    l->transfers = transfers;
    return ok;
}

// ---- The point

static bool go_to_steady(System *s, double *x)
{
    Linear l;
    FoundList found = { 0 };
    if (linear_init(&l, s)) {
        found = steady_search(s, &l, 1, NULL, 0, true);
        if (found.n == 0) found = steady_search(s, &l, 0, NULL, 0, false);
    }
    linear_free(&l);
    if (found.n == 0) return false;
    memcpy(x, found.items[0].x, s->n * sizeof *x);
    return true;
}

static orr_status linearise_at(System *s, double *x, orr_linear *l)
{
    double *values = ARENA_ARRAY(s->arena, double, orr_model_n_variables(s->model)),
           *f = ARENA_ARRAY(s->arena, double, s->n);
    l->t = s->t;
    if (!system_rates(s, x, f) || !system_values(s, x, values)) {
        diag_report(s->diag, DIAG_ANALYSE_POINT, (Place){ 0 }, s->t);
        return ORR_STATUS_FAILED;
    }
    for (size_t i = 0; i < s->n; i++) l->residual = fmax(l->residual, fabs(f[i]));
    l->values = values;
    l->is_symbolic = s->model->ir.has_jacobian;
    if (!fill_matrices(s, x, l)) {
        diag_report(s->diag, DIAG_ANALYSE_POINT, (Place){ 0 }, s->t);
        return ORR_STATUS_FAILED;
    }
    return find_zeros(s, l) ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

static orr_status linearise(const orr_model *model, const orr_linear_options *o, Arena *arena, orr_linear *l,
                            orr_diag *diag)
{
    orr_status status;
    System s;
    Variables inputs = { 0 }, outputs = { 0 };
    if (!analyse_check(model, diag)) return ORR_STATUS_USAGE;
    if (model->n_states > ANALYSE_EIGEN_MAX) {
        diag_report(diag, DIAG_MODEL_TOO_LARGE, (Place){ 0 }, (size_t)model->n_states, "states",
                    (size_t)ANALYSE_EIGEN_MAX);
        return ORR_STATUS_USAGE;
    }
    bool ok = choose_inputs(model, o, arena, &inputs, diag);
    ok = choose_outputs(model, o, arena, &outputs, diag) && ok;
    if (!ok) return ORR_STATUS_USAGE;
    l->n_states = model->n_states, l->n_inputs = inputs.n, l->n_outputs = outputs.n;
    l->states = analyse_states(model, arena), l->inputs = inputs.items, l->outputs = outputs.items;
    const bool opened = o->at == ORR_AT_TIME ? system_open_at(&s, model, &o->run, arena, diag, &status)
                                             : system_open(&s, model, &o->run, arena, diag, &status);
    if (!opened) return status;
    double *x = ARENA_ARRAY(arena, double, s.n);
    memcpy(x, s.start, s.n * sizeof *x);
    if (o->at == ORR_AT_STEADY && !go_to_steady(&s, x)) {
        status = ORR_STATUS_FAILED;
    } else {
        if (o->at == ORR_AT_STEADY) analyse_warn_time(&s, x);
        status = linearise_at(&s, x, l);
    }
    system_close(&s);
    return status;
}

orr_linear orr_linearise(const orr_model *model, const orr_linear_options *options, orr_diag *diag)
{
    const orr_linear_options defaults = orr_linear_options_default();
    orr_linear result = { 0 };
    Arena *arena = analyse_memory(&result.memory);
    result.status = linearise(model, options ? options : &defaults, arena, &result, diag);
    return result;
}

void orr_linear_free(orr_linear *linear)
{
    analyse_free(linear->memory);
    *linear = (orr_linear){ 0 };
}

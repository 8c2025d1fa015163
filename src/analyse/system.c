// src/analyse/system.c: rates and derivatives at a point.
//
// Derivatives by parameters, and by states where the model has no symbolic Jacobian, are central differences
// with steps h, h/2, h/4, …, extrapolated to h = 0 (Ridders 1982): of all estimates in the table the one that
// agrees best with its neighbours is taken, for each component by itself. That leaves some 11 digits, all of
// them for linear equations.
#include "analyse/analyse.h"
#include "base/diag.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { SETTLE_MAX = 100, LEVELS = 10, STEPS_MAX = 50 };

// ---- Life

static void set_up(System *s, Arena *arena)
{
    const orr_model *model = s->model;
    const size_t n = model->n_states;
    s->arena = arena;
    s->island = &s->run->island;
    s->n = n;
    s->t = s->run->t;
    s->start = ARENA_ARRAY(arena, double, n);
    s->scale = ARENA_ARRAY(arena, double, n);
    s->shifted = ARENA_ARRAY(arena, double, n);
    s->low = ARENA_ARRAY(arena, double, n);
    s->high = ARENA_ARRAY(arena, double, n);
    s->entries = ARENA_ARRAY(arena, double, model->ir.n_jacobian);
    s->relations = ARENA_ARRAY(arena, double, 2 * (size_t)model->n_relations);
    s->fresh = ARENA_ARRAY(arena, double, model->n_values);
    memcpy(s->fresh, s->island->env.v, model->n_values * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        s->start[i] = s->run->x[i];
        s->scale[i] = s->start[i] != 0 ? fabs(s->start[i]) : 1;
    }
}

static bool open_run(System *s, const orr_model *model, const orr_run_options *options, orr_diag *diag,
                     orr_status *status)
{
    *s = (System){ .model = model, .diag = diag };
    if (model->blocks.n_implicit > 0) {
        diag_report(diag, DIAG_MODEL_TOO_LARGE, (Place){ 0 }, (size_t)model->blocks.n_implicit,
                    "unknowns in algebraic loops that are left to the solver", (size_t)ORDER_LOOP_MAX);
        return *status = ORR_STATUS_USAGE, false;
    }
    if (model->ir.has_jacobian && !code_require(&model->code, CODE_PART_JACOBIAN, diag))
        return *status = ORR_STATUS_SYSTEM, false;
    s->run = run_create(model, options, diag, status);
    return s->run != NULL;
}

bool system_open(System *s, const orr_model *model, const orr_run_options *options, Arena *arena,
                 orr_diag *diag, orr_status *status)
{
    orr_run_options still = *options;
    still.solver = "euler";
    still.step = 1;
    still.t_end = NAN;
    if (!open_run(s, model, &still, diag, status)) return false;
    set_up(s, arena);
    return true;
}

bool system_open_at(System *s, const orr_model *model, const orr_run_options *options, Arena *arena,
                    orr_diag *diag, orr_status *status)
{
    if (!open_run(s, model, options, diag, status)) return false;
    *status = orr_run_advance(s->run, options->t_end);
    if (*status != ORR_STATUS_OK) return system_close(s), false;
    set_up(s, arena);
    return true;
}

void system_close(System *s)
{
    orr_run_destroy(s->run);
    s->run = NULL;
}

const char *system_state_name(const System *s, size_t state)
{
    return model_state_name(s->model, (uint32_t)state);
}

void system_forget(System *s)
{
    const IrLayout *layout = &s->model->ir.layout;
    double *v = s->island->env.v;
    memcpy(v + layout->first_guess, s->fresh + layout->first_guess, layout->n_guesses * sizeof *v);
    memcpy(v + layout->first_mode, s->fresh + layout->first_mode, layout->n_modes * sizeof *v);
}

// ---- Rates

bool system_rates_held(System *s, const double *x, double *f) { return island_rates(s->island, s->t, x, f); }

// Modes may depend on modes: until none changes any more.
static bool settle(System *s, const double *x)
{
    double *modes = island_modes(s->island);
    const size_t n = s->model->n_relations;
    for (int round = 0; round < SETTLE_MAX; round++) {
        bool changed = false;
        if (n > 0 && !island_relations(s->island, s->t, x, s->relations)) return false;
        for (size_t i = 0; i < n; i++) {
            const double truth = s->relations[2 * i + 1] != 0;
            changed = changed || modes[i] != truth;
            modes[i] = truth;
        }
        if (!changed) return true;
    }
    return false;
}

bool system_rates(System *s, const double *x, double *f)
{
    return island_is_finite(x, s->n) && settle(s, x) && system_rates_held(s, x, f);
}

bool system_moves(System *s, const double *x)
{
    static const double ahead[] = { 1e-3, 0.37, 1, 12.3, 1e3 };
    const double t = s->t;
    bool moves = false;
    if (!system_rates(s, x, s->low)) return false;
    for (size_t k = 0; k < sizeof ahead / sizeof *ahead && !moves; k++) {
        s->t = t + ahead[k];
        moves = !system_rates(s, x, s->high) || memcmp(s->low, s->high, s->n * sizeof *s->low) != 0;
    }
    s->t = t;
    system_rates(s, x, s->low);    // and its relations again
    return moves;
}

// ---- Differences

// A vector that depends on one number; what cannot be computed is not finite.
typedef struct Curve {
    void (*at)(void *context, double u, double *out);
    void  *context;
    size_t n;
} Curve;

// A power of two near `size`: adding and dividing by it loses nothing.
static double round_step(double size)
{
    int exponent;
    frexp(size, &exponent);
    return ldexp(1, exponent - 1);
}

// Estimates for one component, step after step; row[k] is extrapolated k times. NaNs stay among themselves:
// where the first steps lead over a border, the table begins later.
typedef struct Estimate {
    double row[LEVELS];
    double best, error;
    int    n_finite;      // steps so far that gave a number
} Estimate;

static void refine(Estimate *e, double quotient)
{
    double last = e->row[0], factor = 4;
    e->row[0] = quotient;
    if (!isfinite(quotient)) return;
    if (e->n_finite++ == 0) {
        e->best = quotient;
        return;
    }
    for (int k = 1; k < LEVELS && k < e->n_finite; k++, factor *= 4) {
        const double finer = e->row[k - 1] + (e->row[k - 1] - last) / (factor - 1);
        const double off = fmax(fabs(finer - e->row[k - 1]), fabs(finer - last));
        last = e->row[k];
        e->row[k] = finer;
        if (off < e->error) {
            e->error = off;
            e->best = finer;
        }
    }
}

static bool is_refined(const Estimate *e)
{
    return e->n_finite >= LEVELS || e->error <= 4 * DBL_EPSILON * fabs(e->best);
}

// The slope of the curve at u; `size` is a large change of u. False if a component has none.
static bool slope(const Curve *c, double u, double size, double *out)
{
    Arena scratch = { 0 };
    const size_t n = c->n;
    double *low = ARENA_ARRAY(&scratch, double, n), *high = ARENA_ARRAY(&scratch, double, n);
    Estimate *estimates = ARENA_ARRAY(&scratch, Estimate, n);
    for (size_t i = 0; i < n; i++) estimates[i] = (Estimate){ .best = NAN, .error = INFINITY };
    double h = round_step(size) / 16;
    for (int step = 0; step < STEPS_MAX; step++, h /= 2) {
        c->at(c->context, u + h, high);
        c->at(c->context, u - h, low);
        bool done = true;
        for (size_t i = 0; i < n; i++) {
            if (estimates[i].n_finite < LEVELS)
                refine(&estimates[i], (high[i] - low[i]) / ((u + h) - (u - h)));
            done = done && is_refined(&estimates[i]);
        }
        if (done) break;
    }
    for (size_t i = 0; i < n; i++) out[i] = estimates[i].best;
    arena_free(&scratch);
    return island_is_finite(out, n);
}

typedef struct StateShift {
    System *s;
    size_t  state;
    const size_t *outputs;
    size_t  n_outputs;
    uint32_t place;          // of a parameter; FLAT_NONE: the state
    const double *x;
} StateShift;

static void shift(StateShift *c, double u)
{
    if (c->place != FLAT_NONE) system_set(c->s, c->place, u);
    else c->s->shifted[c->state] = u;
}

static void rates_at(void *context, double u, double *out)
{
    StateShift *c = context;
    System *s = c->s;
    shift(c, u);
    if (code_call(&s->model->code, IR_RATES, s->t, s->shifted, &s->island->env, out) == 0) return;
    for (size_t i = 0; i < s->n; i++) out[i] = NAN;
}

// After IR_VALUES at x. What an atomic shows is as it is now: no event happens while a point is looked at.
static double value_of(const System *s, const ModelVariable *variable, const double *x)
{
    if (variable->part) return net_read(s->run, variable);
    return variable->state != FLAT_NONE ? x[variable->state] : s->island->env.v[variable->place];
}

static void outputs_at(void *context, double u, double *out)
{
    StateShift *c = context;
    System *s = c->s;
    shift(c, u);
    const bool ok = code_call(&s->model->code, IR_VALUES, s->t, s->shifted, &s->island->env, NULL) == 0;
    for (size_t i = 0; i < c->n_outputs; i++) {
        const ModelVariable output = model_variable(s->model, c->outputs[i]);
        const bool is_state = output.state != FLAT_NONE;
        out[i] = ok || is_state ? value_of(s, &output, s->shifted) : NAN;
    }
}

static bool column(StateShift *shift_of, bool of_outputs, double *out)
{
    System *s = shift_of->s;
    const bool by_state = shift_of->place == FLAT_NONE;
    const double u = by_state ? shift_of->x[shift_of->state] : system_get(s, shift_of->place);
    const double size = by_state ? fmax(s->scale[shift_of->state], fabs(u)) : u != 0 ? fabs(u) : 1;
    const Curve curve = { of_outputs ? outputs_at : rates_at, shift_of,
                          of_outputs ? shift_of->n_outputs : s->n };
    memcpy(s->shifted, shift_of->x, s->n * sizeof *s->shifted);
    const bool ok = slope(&curve, u, size, out);
    shift(shift_of, u);
    s->run->island.values_valid = false;
    return ok;
}

bool system_input_column(System *s, const double *x, uint32_t place, double *df)
{
    StateShift c = { .s = s, .place = place, .x = x };
    return column(&c, false, df);
}

bool system_output_column(System *s, const double *x, size_t state, uint32_t place, const size_t *outputs,
                          size_t n_outputs, double *out)
{
    StateShift c = {
        .s = s, .state = state, .outputs = outputs, .n_outputs = n_outputs, .place = place, .x = x
    };
    if (!column(&c, true, out)) return false;
    // a state is itself
    for (size_t i = 0; i < n_outputs; i++) {
        const uint32_t is = model_variable(s->model, outputs[i]).state;
        if (is != FLAT_NONE) out[i] = place == FLAT_NONE && is == state ? 1 : 0;
    }
    return true;
}

// ---- The Jacobian

bool system_jacobian(System *s, const double *x, bool fine, double *j)
{
    const Ir *ir = &s->model->ir;
    const size_t n = s->n;
    memset(j, 0, n * n * sizeof *j);
    if (ir->has_jacobian) {
        if (code_call(&s->model->code, IR_JACOBIAN, s->t, x, &s->island->env, s->entries) != 0) return false;
        for (uint32_t k = 0; k < ir->n_jacobian; k++)
            j[ir->jacobian[k].row * n + ir->jacobian[k].column] = s->entries[k];
        return island_is_finite(s->entries, ir->n_jacobian);
    }
    Arena scratch = { 0 };
    double *df = ARENA_ARRAY(&scratch, double, n);
    bool ok = fine || system_rates_held(s, x, s->low);
    for (size_t c = 0; c < n && ok; c++) {
        if (fine) {
            StateShift by = { .s = s, .state = c, .place = FLAT_NONE, .x = x };
            ok = column(&by, false, df);
        } else {
            const double h = round_step(fmax(s->scale[c], fabs(x[c])) * sqrt(DBL_EPSILON));
            memcpy(s->shifted, x, n * sizeof *x);
            s->shifted[c] += h;
            ok = system_rates_held(s, s->shifted, s->high);
            for (size_t r = 0; r < n && ok; r++) df[r] = (s->high[r] - s->low[r]) / (s->shifted[c] - x[c]);
        }
        for (size_t r = 0; r < n && ok; r++) j[r * n + c] = df[r];
    }
    arena_free(&scratch);
    return ok;
}

// ---- Parameters and other variables

double system_get(const System *s, uint32_t place) { return s->island->env.v[place]; }

void system_set(System *s, uint32_t place, double value)
{
    const orr_model *model = s->model;
    const IrLayout *layout = &model->ir.layout;
    double *v = s->island->env.v;
    // IR_PARAMS also writes the first guesses of loops, and we have better ones
    double *guesses = v + layout->first_guess;
    memcpy(s->island->guesses_aside, guesses, layout->n_guesses * sizeof *v);
    s->run->given[place] = 1;
    s->run->given_value[place] = v[place] = value;
    code_call(&model->code, IR_PARAMS, s->t, s->run->given, &s->island->env, NULL);
    memcpy(guesses, s->island->guesses_aside, layout->n_guesses * sizeof *v);
    s->run->island.values_valid = false;
}

bool system_values(System *s, const double *x, double *values)
{
    if (code_call(&s->model->code, IR_VALUES, s->t, x, &s->island->env, NULL) != 0) return false;
    s->run->island.values_valid = false;
    for (size_t i = 0; i < orr_model_n_variables(s->model); i++) {
        const ModelVariable variable = model_variable(s->model, i);
        values[i] = value_of(s, &variable, x);
    }
    return true;
}

// src/run/start.c: from settings to consistent initial values.
//
//     settings → parameters (defaults for the others) → start system ⇄ relations, until both agree → states
//
// The start system is solved by the generated code. Where its Newton iteration fails, it is tried again from
// other guesses, then the whole system goes to KINSOL, whose line search is slower and gets further.
#include "base/diag.h"
#include "run/clones.h"
#include "run/run.h"
#include "solve/solver.h"
#include "solve/stiff/settle.h"
#include <kinsol/kinsol.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { ROUNDS_MAX = 100, CULPRITS_SHOWN = 6 };

// Initial values that constraints make superfluous may be rounded: to as many digits nobody is told, to as
// few it is a contradiction.
#define ADJUST_SILENTLY 1e-6
#define ADJUST_MOST     1e-3

// ---- Settings

static bool report_setting(orr_run *run, const orr_setting *setting, Place place, const char *why)
{
    char value[32];
    snprintf(value, sizeof value, "%g", setting->value);
    diag_report(run->diag, DIAG_SETTING_VALUE, place, setting->name, value, why);
    return false;
}

void run_give_start(orr_run *run, uint32_t state, double value)
{
    const size_t n = run->model->n_states;
    if (!run->given_start) {
        run->given_start = ARENA_ARRAY(&run->arena, double, n);
        for (size_t i = 0; i < n; i++) run->given_start[i] = NAN;
    }
    run->given_start[state] = value;
}

// Is another start value computed from this state? Then overwriting it afterwards would leave that one
// behind.
static const char *start_reader(const orr_model *model, const ModelVariable *state)
{
    const Ordered *start = &model->blocks.start;
    const IrReads *reads = &model->ir.start_reads;
    const Flat *flat = &model->flat;
    Arena scratch = { 0 };
    const char *reader = NULL;
    bool *depends = ARENA_ARRAY(&scratch, bool, flat->vars.n),
         *array_depends = ARENA_ARRAY(&scratch, bool, flat->arrays.n);
    if (state->var) depends[state->number] = true;
    else array_depends[state->number] = true;
    for (uint32_t b = 0; b < start->n_blocks && !reader; b++) {
        const Block *block = &start->blocks[b];
        bool hit = false;
        for (uint32_t i = reads->start[b]; i < reads->start[b + 1]; i++) hit = hit || depends[reads->var[i]];
        for (uint32_t i = reads->array_start[b]; i < reads->array_start[b + 1]; i++)
            hit = hit || array_depends[reads->array[i]];
        if (hit && block->kind == BLOCK_FAMILY) {
            const uint32_t array = expr_access(&flat->pool, start->families[block->family].lhs)->array;
            array_depends[array] = true;
            if (flat_array_is_state(&flat->arrays.items[array])) reader = flat->arrays.items[array].name;
        }
        for (uint32_t i = 0; hit && i < block->n; i++) {
            const uint32_t unknown = block->unknowns[i];
            depends[unknown] = true;
            const bool matters = model->ir.layout.state_of[unknown] != FLAT_NONE ||
                                 model->flat.vars.items[unknown].kind == FLAT_PARAM;
            if (matters && !(state->var && unknown == state->number))
                reader = model->flat.vars.items[unknown].name;
        }
    }
    arena_free(&scratch);
    return reader;
}

// A structural parameter has the value the model was compiled with and no other.
static bool apply_structural(orr_run *run, const orr_setting *setting, Place place)
{
    const Flat *flat = &run->model->flat;
    for (size_t i = flat->n_given; i-- > 0;) {
        const FlatGiven *given = &flat->given[i];
        if (strcmp(given->name, setting->name) == 0 && given->value == setting->value) return true;
    }
    report_setting(run, setting, place, "the structure of the model depends on it");
    diag_hint(run->diag, "compile the model with this value: it is another model");
    return false;
}

static bool apply(orr_run *run, const orr_setting *setting, Place place)
{
    const orr_model *model = run->model;
    const IrLayout *layout = &model->ir.layout;
    const size_t variable = orr_model_find(model, setting->name);
    if (variable == (size_t)-1) {
        diag_report(run->diag, DIAG_SETTING_UNKNOWN, place, setting->name);
        diag_suggest(run->diag, setting->name, orr_model_closest(model, setting->name));
        return false;
    }
    const ModelVariable var = model_variable(model, variable);
    const bool may_be_infinite = !var.part && (var.kind == FLAT_PARAM || var.kind == FLAT_DISCRETE);
    if (!isfinite(setting->value) && !(may_be_infinite && isinf(setting->value)))
        return report_setting(run, setting, place, "a finite number is needed");
    if (var.part) {
        report_setting(run, setting, place, "an atomic computes it");
        diag_hint(run->diag, "set a parameter of the component");
        return false;
    }
    if (var.kind == FLAT_PARAM || var.kind == FLAT_INPUT || var.kind == FLAT_DISCRETE) {
        if (var.is_structural) return apply_structural(run, setting, place);
        if (var.var && model->blocks.start.block_of[variable] != FLAT_NONE)
            return report_setting(run, setting, place, "the initial equations compute it");
        run->given[var.place] = 1;
        run->given_value[var.place] = setting->value;
        return true;
    }
    const Reduction *reduction = model->blocks.reduction;
    if (reduction && var.var && reduction->start_param[variable] != FLAT_NONE) {
        // constraints may compute others from it: it takes part in the start
        const uint32_t at = layout->place[reduction->start_param[variable]];
        run->given[at] = 1;
        run->given_value[at] = setting->value;
        return true;
    }
    const bool is_free = !reduction && model_is_integrated(model, var.state);
    const uint32_t state = is_free ? var.state : FLAT_NONE;
    if (state == FLAT_NONE) {
        report_setting(run, setting, place, "it is computed by an equation");
        diag_hint(run->diag, "parameters, inputs and initial values of states can be set");
        return false;
    }
    const char *reader = start_reader(model, &var);
    if (reader) {
        report_setting(run, setting, place, "other initial values are computed from it");
        diag_hint(run->diag, "'%s' is; set the parameters they come from instead", reader);
        return false;
    }
    run_give_start(run, state, setting->value);
    return true;
}

bool run_apply_settings(orr_run *run, const orr_run_options *options)
{
    bool ok = true;
    for (size_t i = 0; i < options->n_settings; i++) {
        const orr_setting *setting = &options->settings[i];
        ok = apply(run, setting, run_written(options, setting->name, run->diag)) && ok;
    }
    return ok;
}

// ---- Parameters

static bool compute_params(orr_run *run)
{
    const orr_model *model = run->model;
    const IrLayout *layout = &model->ir.layout;
    double *v = run->island.env.v;
    bool ok = true;
    // behind the guesses nothing is read before it is written: a large model that never uses it never has it
    memset(v, 0, layout->first_shadow * sizeof *v);
    for (uint32_t i = 0; i < model->n_params; i++) v[i] = run->given_value[i];
    for (uint32_t i = 0; i < model->blocks.n_required; i++) {
        const uint32_t variable = model->blocks.required[i];
        const FlatVar *var = &model->flat.vars.items[variable];
        if (run->given[layout->place[variable]] != 0) continue;
        diag_report(run->diag, DIAG_SETTING_MISSING, run_place(model, run->diag, var->place), var->name);
        diag_hint(run->diag, "with --set %s=VALUE, or 'set %s = ...' in the experiment", var->name,
                  var->name);
        run->is_incomplete = true;
        ok = false;
    }
    if (!ok) return false;
    code_call(&model->code, IR_PARAMS, run->island.t_begin, run->given, &run->island.env, NULL);
    for (uint32_t i = 0; i < model->blocks.n_params && ok; i++) {
        const uint32_t variable = model->blocks.params[i];
        const uint32_t place = layout->place[variable];
        const Expr start = model->flat.vars.items[variable].start;
        if (isfinite(v[place])) continue;
        const bool is_given = run->given[place] != 0;
        if (isinf(v[place]) && (is_given || model_may_be_infinite(&model->flat, start))) continue;
        fault_report_param(run, variable);
        ok = false;
    }
    return ok;
}

// ---- The start system

void run_guess_from_values(orr_run *run)
{
    const IrLayout *layout = &run->model->ir.layout;
    double *v = run->island.env.v;
    for (size_t i = 0; layout->n_guesses && i < run->model->flat.vars.n; i++)
        if (layout->guess[i] != FLAT_NONE && isfinite(v[layout->place[i]]))
            v[layout->guess[i]] = v[layout->place[i]];
}

static bool solve_generated(orr_run *run, int *failed)
{
    Island *island = &run->island;
    *failed = code_call(&run->model->code, IR_START, island->t, island->x, &island->env, island->x);
    if (*failed == 0 && run->choosing) {
        *failed = choose_start(run);
        if (*failed != 0) *failed += (int)run->model->blocks.start.n_blocks;    // as IR_START tells it
    }
    return *failed == 0;
}

typedef struct Residuals {
    orr_run *run;
    double  *out;      // [n]
} Residuals;

static int residuals(N_Vector u, N_Vector f, void *data)
{
    const Residuals *r = data;
    const orr_model *model = r->run->model;
    const Ordered *start = &model->blocks.start;
    Island *island = &r->run->island;
    const double *values = N_VGetArrayPointer(u);
    for (uint32_t i = 0; i < start->n_unknowns; i++)
        island->env.v[model->ir.layout.place[start->unknowns[i]]] = values[i];
    if (code_call(&model->code, IR_RESIDUALS, island->t, island->x, &island->env, r->out) != 0) return 1;
    if (!island_is_finite(r->out, start->n_equations)) return 1;
    memcpy(N_VGetArrayPointer(f), r->out, start->n_equations * sizeof *r->out);
    return 0;
}

static void keep_silent(int code, const char *module, const char *function, char *message, void *data)
{
    (void)code, (void)module, (void)function, (void)message, (void)data;
}

// The whole start system by KINSOL, from the values in v, which end at the solution. False if it finds none.
static bool solve_kinsol(orr_run *run)
{
    const orr_model *model = run->model;
    const Ordered *start = &model->blocks.start;
    const sunindextype n = (sunindextype)start->n_unknowns;
    if (n == 0 || n > IR_RESIDUALS_MAX || start->n_families > 0 || start->n_equations != start->n_unknowns)
        return false;
    if (!code_require(&model->code, CODE_PART_RESIDUALS, NULL)) return false;
    Arena scratch = { 0 };
    Residuals r = { run, ARENA_ARRAY(&scratch, double, (size_t)n) };
    SUNContext context = NULL;
    if (SUNContext_Create(NULL, &context) != 0) return false;
    N_Vector u = clones_vector(N_VNew_Serial(n, context));
    N_Vector scale_u = N_VNew_Serial(n, context), scale_f = N_VNew_Serial(n, context);
    SUNMatrix matrix = clones_matrix(SUNDenseMatrix(n, n, context));
    SUNLinearSolver linear = SUNLinSol_Dense(u, matrix, context);
    void *kinsol = KINCreate(context);
    KINSetErrHandlerFn(kinsol, keep_silent, NULL);
    for (sunindextype i = 0; i < n; i++) {
        const double value = run->island.env.v[model->ir.layout.place[start->unknowns[i]]];
        NV_Ith_S(u, i) = isfinite(value) ? value : 0;
        NV_Ith_S(scale_u, i) = 1 / fmax(1, fabs(NV_Ith_S(u, i)));
        NV_Ith_S(scale_f, i) = 1;
    }
    bool ok = KINInit(kinsol, residuals, u) == KIN_SUCCESS &&
              KINSetLinearSolver(kinsol, linear, matrix) == KIN_SUCCESS;
    if (ok) {
        KINSetUserData(kinsol, &r);
        KINSetFuncNormTol(kinsol, 1e-11);
        KINSetScaledStepTol(kinsol, 1e-14);
        KINSetNumMaxIters(kinsol, 500);
        KINSetMaxNewtonStep(kinsol, 1e8);
        const int result = KINSol(kinsol, u, KIN_LINESEARCH, scale_u, scale_f);
        ok = (result == KIN_SUCCESS || result == KIN_INITIAL_GUESS_OK) && residuals(u, scale_f, &r) == 0;
    }
    KINFree(&kinsol);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(u);
    N_VDestroy(scale_u);
    N_VDestroy(scale_f);
    SUNContext_Free(&context);
    arena_free(&scratch);
    return ok;
}

// The best first values we have: the guesses of loops, and `other` for those nobody gave a guess.
static void reset_guesses(orr_run *run, double other)
{
    const orr_model *model = run->model;
    const IrLayout *layout = &model->ir.layout;
    Island *island = &run->island;
    code_call(&model->code, IR_PARAMS, island->t_begin, run->given, &island->env, NULL);
    for (size_t i = 0; i < model->flat.vars.n; i++) {
        const FlatVar *var = &model->flat.vars.items[i];
        if (var->kind != FLAT_VARIABLE) continue;
        const bool has_guess = layout->guess[i] != FLAT_NONE;
        if (has_guess && var->start == EXPR_NONE) island->env.v[layout->guess[i]] = other;
        island->env.v[layout->place[i]] = has_guess ? island->env.v[layout->guess[i]] : other;
    }
}

static void report_start(orr_run *run, int failed)
{
    const orr_model *model = run->model;
    const Island *island = &run->island;
    const Ordered *system = NULL;
    const Block *block = ir_failed_block(&model->ir, IR_START, failed, &system);
    if (!block || !system) {
        diag_report(run->diag, DIAG_INITIAL_FAILED, (Place){ 0 }, "t");
        return;
    }
    if (system == &model->blocks.dynamic && choose_report(run, island->t)) return;
    fault_report_loop(run->diag, model, system, block, &island->env, island->t, NULL);
    diag_note(run->diag, (Place){ 0 },
              "tried at the start: the given guesses, 1, -1, and a line search on all start equations");
}

static bool solve_start(orr_run *run)
{
    static const double others[] = { 0, 1, -1 };
    Island *island = &run->island;
    int failed;
    if (solve_generated(run, &failed)) return true;
    const int first_failed = failed;
    run->start_is_hard = true;
    for (size_t i = 1; i < sizeof others / sizeof *others; i++) {
        reset_guesses(run, others[i]);
        if (solve_generated(run, &failed)) return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        reset_guesses(run, others[i]);
        if (!solve_kinsol(run)) continue;
        run_guess_from_values(run);
        if (solve_generated(run, &failed)) return true;
        // at the solution, but not to the last bit that the generated iteration asks for
        for (uint32_t s = 0; s < run->model->n_states; s++)
            island->x[s] = island->env
                               .v[model_variable(run->model, model_state_variable(run->model, s)).place];
        return true;
    }
    reset_guesses(run, 0);
    solve_generated(run, &failed);
    report_start(run, first_failed);
    return false;
}

// ---- Initial values that were not needed

static double value_of(const orr_run *run, uint32_t variable)
{
    const IrLayout *layout = &run->model->ir.layout;
    const Island *island = &run->island;
    const uint32_t state = layout->state_of[variable];
    return state != FLAT_NONE ? island->x[state] : island->env.v[layout->place[variable]];
}

// What a value is small against: itself, or the variables its constraints read.
static double scale_of(const orr_run *run, const GivenCheck *check)
{
    const Flat *flat = &run->model->flat;
    Arena scratch = { 0 };
    double scale = fabs(value_of(run, check->variable));
    for (uint32_t i = 0; i < check->n_others; i++) scale = fmax(scale, fabs(value_of(run, check->others[i])));
    for (uint32_t i = 0; i < check->n_equations; i++) {
        const FlatEquation *e = &flat->equations.items[check->equations[i]];
        const Expr sides[] = { e->lhs, e->rhs };
        for (int k = 0; k < 2; k++) {
            size_t n;
            const uint32_t *variables = expr_variables(&flat->pool, sides[k], &scratch, &n);
            for (size_t j = 0; j < n; j++)
                if (flat->vars.items[variables[j]].unit == flat->vars.items[check->variable].unit
                    && flat->vars.items[variables[j]].kind == FLAT_VARIABLE)
                    scale = fmax(scale, fabs(value_of(run, variables[j])));
        }
    }
    arena_free(&scratch);
    return scale;
}

static void report_contradiction(orr_run *run, const GivenCheck *check, double given, double value)
{
    const orr_model *model = run->model;
    const FlatVar *var = &model->flat.vars.items[check->variable];
    char *follows = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&follows, &size);
    if (!out) arena_no_memory(1);
    fprintf(out, "%.10g follows", value);
    for (uint32_t i = 0; i < check->n_others && i < CULPRITS_SHOWN; i++)
        fprintf(out, "%s%s = %.10g", i == 0 ? " from " : ", ", model->flat.vars.items[check->others[i]].name,
                value_of(run, check->others[i]));
    memory_close(out, &follows);
    diag_report(run->diag, DIAG_INITIAL_CONTRADICTS, run_place(model, run->diag, var->place), given,
                var->name, follows);
    diag_hint(run->diag, "correct one of the values, or write 'var %s ~ …' if this one is only a first guess",
              var->name);
    free(follows);
    for (uint32_t i = 0; i < check->n_equations && i < CULPRITS_SHOWN; i++) {
        const FlatEquation *e = &model->flat.equations.items[check->equations[i]];
        char *text = run_equation_text(model, e);
        diag_note(run->diag, run_place(model, run->diag, e->place), "by %s", text);
        free(text);
    }
    for (uint32_t i = 0; i < check->n_initial && i < CULPRITS_SHOWN; i++)
        diag_note(run->diag, run_place(model, run->diag, model->flat.initial.items[check->initial[i]].place),
                  "by this initial equation");
    for (uint32_t i = 0; i < check->n_others && i < CULPRITS_SHOWN; i++) {
        const FlatVar *other = &model->flat.vars.items[check->others[i]];
        diag_note(run->diag, run_place(model, run->diag, other->place), "the value given for '%s'",
                  other->name);
    }
}

static bool check_given(orr_run *run)
{
    const Reduction *r = run->model->blocks.reduction;
    const IrLayout *layout = &run->model->ir.layout;
    bool ok = true;
    for (uint32_t i = 0; r && i < r->n_checks; i++) {
        const GivenCheck *check = &r->checks[i];
        const double given = run->island.env.v[layout->place[r->start_param[check->variable]]];
        const double value = value_of(run, check->variable), off = fabs(value - given);
        const double scale = fmax(fabs(given), scale_of(run, check));
        if (off <= ADJUST_SILENTLY * scale || off == 0) continue;
        if (off > ADJUST_MOST * scale) {
            report_contradiction(run, check, given, value);
            ok = false;
            continue;
        }
        const FlatVar *var = &run->model->flat.vars.items[check->variable];
        diag_report(run->diag, DIAG_INITIAL_ADJUSTED, run_place(run->model, run->diag, var->place), var->name,
                    value, given);
    }
    return ok;
}

// ---- All of it

static bool check_finite(orr_run *run)
{
    const orr_model *model = run->model;
    const Island *island = &run->island;
    // IR_START has computed every variable; a value that is not finite makes the model meaningless from the
    // start
    bool ok = island_is_finite(island->x, model->n_states);
    for (size_t i = 0; ok && i < model->flat.vars.n; i++)
        if (model->flat.vars.items[i].kind == FLAT_VARIABLE)
            ok = isfinite(island->env.v[model->ir.layout.place[i]]);
    for (size_t a = 0; ok && a < model->flat.arrays.n; a++)
        ok = island_is_finite(island->env.v + model->ir.layout.array_place[a], model->flat.arrays.items[a].n);
    if (ok) return true;
    if (fault_report_values(run->diag, model, &model->blocks.start, &island->env, island->t, NULL))
        return false;
    if (fault_report_values(run->diag, model, &model->blocks.dynamic, &island->env, island->t, island->x))
        return false;
    diag_report(run->diag, DIAG_INITIAL_FAILED, (Place){ 0 },
                island_fastest(&run->island, island->t, island->x));
    return false;
}

// States without a derivative are first guesses until their equations have been solved.
static bool solve_implicit(orr_run *run)
{
    Island *island = &run->island;
    if (run->model->blocks.n_implicit == 0) return true;
    if (!settle_implicit(island)) return false;
    code_call(&run->model->code, IR_VALUES, island->t, island->x, &island->env, NULL);
    return true;
}

bool run_start(orr_run *run)
{
    const orr_model *model = run->model;
    Island *island = &run->island;
    island->t = island->t_before = island->t_start = island->t_begin;
    island->k = 0;
    island->event_waits = island->jump_waits = island->choice_waits = false;
    island->n_burst = 0;
    island->values_valid = false;
    memset(island->x, 0, model->n_states * sizeof *island->x);
    if (!compute_params(run) || !input_start(run) || !history_init(island) || !due_start(island))
        return false;
    source_rewind(run);

    // modes and, of delays, the past depend on the start and the start on them
    for (int round = 0;; round++) {
        if (!solve_start(run)) return false;
        bool any_given = false, modes_changed, past_changed;
        for (uint32_t s = 0; s < model->n_states; s++) {
            if (!run->given_start || isnan(run->given_start[s])) continue;
            island->x[s] = run->given_start[s];
            any_given = true;
        }
        if (any_given) code_call(&model->code, IR_VALUES, island->t, island->x, &island->env, NULL);
        run_guess_from_values(run);
        if (!solve_implicit(run)) return false;
        if (!event_settle(island, 0, &modes_changed)) return false;
        if (!history_start(island, &past_changed)) past_changed = false;
        if (!modes_changed && !past_changed) break;
        if (round == ROUNDS_MAX) {
            diag_report(run->diag, DIAG_INITIAL_FAILED, (Place){ 0 },
                        model->n_states ? model_state_name(model, 0) : "t");
            diag_hint(run->diag, "the relations and the initial values contradict each other");
            return false;
        }
    }
    if (!check_finite(run) || !check_given(run)) return false;
    nominal_start(island);
    return true;
}

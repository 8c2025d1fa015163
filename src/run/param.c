// src/run/param.c: another value of a parameter while the run goes on.
//
// Defaults of other parameters that follow from it are computed again. What was decided once, at the start,
// stays as it was: initial values, which are past; but sizes, times of events, lags of delays and what
// components and islands were given would go on by the old value, so they are reasons to refuse.
#include "run/run.h"
#include "expr/expr.h"
#include "island/isles.h"

// Parameters that change with `variable`, itself included: [n_vars].
static bool *find_changed(const orr_run *run, uint32_t variable, Arena *work)
{
    const Flat *flat = &run->model->flat;
    const Blocks *blocks = &run->model->blocks;
    bool *changed = ARENA_ARRAY(work, bool, flat->vars.n);
    changed[variable] = true;
    for (uint32_t i = 0; i < blocks->n_params; i++) {    // each behind those that it reads
        const uint32_t p = blocks->params[i];
        const FlatVar *var = &flat->vars.items[p];
        if (var->kind != FLAT_PARAM || var->start == EXPR_NONE) continue;
        if (run->given[run->model->ir.layout.place[p]] != 0 || changed[p]) continue;
        if (expr_op(&flat->pool, var->start) == EXPR_CONST) continue;
        const ArenaMark mark = arena_mark(work);
        size_t n;
        const uint32_t *reads = expr_variables(&flat->pool, var->start, work, &n);
        for (size_t k = 0; k < n; k++) changed[p] = changed[p] || changed[reads[k]];
        arena_release(work, mark);
    }
    return changed;
}

static bool reads_changed(const orr_run *run, Expr e, const bool *changed, Arena *work)
{
    if (e == EXPR_NONE) return false;
    bool found = false;
    const ArenaMark mark = arena_mark(work);
    size_t n;
    const uint32_t *reads = expr_variables(&run->model->flat.pool, e, work, &n);
    for (size_t k = 0; k < n && !found; k++) found = changed[reads[k]];
    arena_release(work, mark);
    return found;
}

static bool components_have(const orr_run *run, const bool *changed)
{
    const Flat *flat = &run->model->flat;
    for (size_t i = 0; i < flat->parts.n; i++) {
        const FlatPart *part = &flat->parts.items[i];
        const uint32_t n_members = part->n;
        for (uint32_t k = 0; k < part->n_params; k++) {
            if (!part->is_shared) {
                for (uint32_t m = 0; m < n_members; m++)
                    if (changed[part->first_param + m * part->n_params + k]) return true;
                continue;
            }
            const uint32_t n = part->params_differ[k] ? n_members : 1;
            for (uint32_t m = 0; m < n; m++)
                if (changed[part->params[k] + m]) return true;
        }
    }
    return false;
}

static bool islands_have(const orr_run *run, const bool *changed, Arena *work)
{
    const Isles *isles = run->model->isles;
    for (uint32_t i = 0; isles && i < isles->n; i++) {
        const Isle *isle = &isles->items[i];
        for (uint32_t k = 0; k < isle->n_settings; k++)
            if (changed[isle->settings[k].variable]) return true;
        for (uint32_t k = 0; k < isle->n_own; k++)
            if (reads_changed(run, isle->own[k].value, changed, work)) return true;
    }
    return false;
}

const char *param_why_not(const orr_run *run, uint32_t variable)
{
    const Flat *flat = &run->model->flat;
    if (flat->vars.items[variable].is_structural) return "the structure of the model depends on it";
    Arena work = { 0 };
    const char *why = NULL;
    const bool *changed = find_changed(run, variable, &work);
    for (size_t i = 0; i < flat->events.n && !why; i++) {
        const FlatEvent *event = &flat->events.items[i];
        if (reads_changed(run, event->time, changed, &work) ||
            reads_changed(run, event->from, changed, &work))
            why = "times of events follow from it since the start";
    }
    for (size_t i = 0; i < flat->delays.n && !why; i++)
        if (reads_changed(run, flat->delays.items[i].lag, changed, &work))
            why = "the lag of a delay follows from it since the start";
    if (!why && components_have(run, changed)) why = "a component was given it at the start";
    if (!why && islands_have(run, changed, &work)) why = "an island was given it at the start";
    arena_free(&work);
    return why;
}

void param_set(orr_run *run, uint32_t variable, double value)
{
    const Blocks *blocks = &run->model->blocks;
    const uint32_t *place = run->model->ir.layout.place;
    double *v = run->island.env.v;
    Arena work = { 0 };
    const bool *changed = find_changed(run, variable, &work);
    v[place[variable]] = value;
    for (uint32_t i = 0; i < blocks->n_params; i++) {
        const uint32_t p = blocks->params[i];
        if (changed[p] && p != variable)
            v[place[p]] = run_parameter(run, run->model->flat.vars.items[p].start);
    }
    arena_free(&work);
}

// ---- Expressions over parameters and discrete variables: times of events, lags, values before the start
static double read_variable(const void *context, uint32_t variable)
{
    const orr_run *run = context;
    return run->island.env.v[run->model->ir.layout.place[variable]];
}
static double read_element(const void *context, uint32_t array, uint32_t element)
{
    const orr_run *run = context;
    return run->island.env.v[run->model->ir.layout.array_place[array] + element];
}
static double read_mode(const void *context, uint32_t relation)
{
    const orr_run *run = context;
    return island_modes(&run->island)[relation];
}

static double read_draw(const void *context, uint32_t k, double count, double argument)
{
    const CodeEnv *env = &((const orr_run *)context)->island.env;
    return env->draw(env->streams, (int)k, count, argument);
}

double run_parameter_at(const orr_run *run, Expr e, double t)
{
    const ExprValues values = { .variable = read_variable, .mode = read_mode, .element = read_element,
                                .draw = read_draw, .context = run, .t = t };
    return expr_evaluate(&run->model->flat.pool, e, &values);
}

double run_parameter(const orr_run *run, Expr e) { return run_parameter_at(run, e, run->island.t_begin); }

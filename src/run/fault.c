// src/run/fault.c: failures in the user's words: equation, operation, values, and what to try.
//
// The equations are evaluated once more in the order of evaluation, operation by operation, at the point
// where the generated code failed. The culprit is the first equation with a value that is not finite and in
// it the innermost operation that made it from finite operands. This is slow and happens once.
#include "base/diag.h"
#include "base/number.h"
#include "expr/interval.h"
#include "expr/math.h"
#include "num/rank.h"
#include "run/run.h"
#include "solve/solver.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_SHOWN = 12, EQUATIONS_SHOWN = 5, NAMES_SHOWN = 6 };
enum { FOLD_ROWS_MAX = 50 };     // … of a loop whose solution may end
enum { DEPENDENT_MAX = 200 };    // equations among which to look for those that depend on each other

// ---- Texts

Place run_place(const orr_model *model, orr_diag *diag, Place place)
{
    // places mean the sources of the collector the model was compiled with
    return model->compiled_with == diag ? place : (Place){ 0 };
}

static const char *variable_name(const void *context, uint32_t variable)
{
    const orr_model *model = context;
    return model->flat.vars.items[variable].name;
}

typedef struct NamesOf {
    Arena     scratch;
    ExprNames expr;
    ExprLoops loops;
    char      indices[EXPR_LOOPS_MAX][16];
} NamesOf;

// An element in the turn that the loops stand for: each index has one value.
static void print_element(const void *context, const ExprAccess *access, const ExprLoops *loops, FILE *out)
{
    const orr_model *model = context;
    int64_t element = access->offset;
    for (uint32_t k = 0; loops && k < loops->n; k++) element += (int64_t)access->stride[k] * loops->first[k];
    Arena scratch = { 0 };
    fputs(flat_element_name(&model->flat, access->array, (uint32_t)element, &scratch), out);
    arena_free(&scratch);
}

// The turn of a family, which is read as its first and only one.
static void set_turn(NamesOf *names, const FlatFamily *family, const uint32_t *turn)
{
    names->loops.n = family->loops.n;
    for (uint32_t k = 0; k < family->loops.n; k++) {
        snprintf(names->indices[k], sizeof names->indices[k], "%lld",
                 (long long)family->loops.first[k] + turn[k]);
        names->loops.first[k] = (int32_t)turn[k];
        names->loops.index[k] = names->indices[k];
    }
    names->expr.loops = &names->loops;
}

static NamesOf names_of(const orr_model *model)
{
    NamesOf names = { 0 };
    const size_t n = model->flat.relations.n;
    Expr *relations = ARENA_ARRAY(&names.scratch, Expr, n + 1);
    for (size_t i = 0; i < n; i++) relations[i] = model->flat.relations.items[i].relation;
    names.expr = (ExprNames){ .variable = variable_name,
                              .context = model,
                              .relations = relations,
                              .n_relations = (uint32_t)n,
                              .element = print_element };
    return names;
}

// Where in a family: NULL, or the turn of its loops.
typedef struct InFamily {
    const FlatFamily *family;
    const uint32_t   *turn;    // [loops]
} InFamily;

// Texts of expressions; heap, to be freed. A long one is cut.
static char *print_text(const orr_model *model, const InFamily *in, const Expr *parts, size_t n,
                        const char *between)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) arena_no_memory(1);
    NamesOf names = names_of(model);
    if (in && in->family) set_turn(&names, in->family, in->turn);
    for (size_t i = 0; i < n; i++) {
        if (i) fputs(between, out);
        expr_print(&model->flat.pool, parts[i], &names.expr, out);
    }
    memory_close(out, &text);
    arena_free(&names.scratch);
    if (size > 300) memcpy(text + 296, " ...", 5);
    return text;
}

char *run_expr_text(const orr_model *model, Expr e) { return print_text(model, NULL, &e, 1, ""); }

char *run_equation_text(const orr_model *model, const FlatEquation *equation)
{
    const Expr sides[] = { equation->lhs, equation->rhs };
    return print_text(model, NULL, sides, 2, " = ");
}

// "x, y and 3 more"
static char *list_variables(const orr_model *model, const uint32_t *variables, size_t n)
{
    StrBuf s = { 0 };
    for (size_t i = 0; i < n && i < NAMES_SHOWN; i++)
        str_addf(&s, "%s%s", i ? ", " : "", model->flat.vars.items[variables[i]].name);
    if (n > NAMES_SHOWN) str_addf(&s, " and %zu more", n - NAMES_SHOWN);
    return str_finish(&s);
}

// ---- Evaluating once more

typedef struct Point {
    const orr_model *model;
    const CodeEnv   *env;
    double           t;
    const double    *x;        // [n_states]; NULL: states are read from the value block too
    const double    *v;        // [n_values]
    InFamily         in;       // whose equations are looked at
} Point;

static double element_at(const void *context, uint32_t array, uint32_t element)
{
    const Point *p = context;
    const IrLayout *layout = &p->model->ir.layout;
    const uint32_t state = layout->array_state[array];
    return p->x && state != FLAT_NONE ? p->x[state + element] : p->v[layout->array_place[array] + element];
}

static char *point_text(const Point *p, Expr e) { return print_text(p->model, &p->in, &e, 1, ""); }

static double variable_at(const void *context, uint32_t variable)
{
    const Point *p = context;
    const IrLayout *layout = &p->model->ir.layout;
    const uint32_t state = layout->state_of[variable];
    return p->x && state != FLAT_NONE ? p->x[state] : p->v[layout->place[variable]];
}

static double mode_at(const void *context, uint32_t relation)
{
    const Point *p = context;
    return p->v[p->model->ir.layout.first_mode + relation];
}

static double history_of(const void *context, uint32_t delay, double t)
{
    const Point *p = context;
    return p->env->history ? p->env->history(p->env->histories, (int)delay, t) : 0;
}

static double draw_at(const void *context, uint32_t k, double count, double argument)
{
    const CodeEnv *env = ((const Point *)context)->env;
    return env->draw(env->streams, (int)k, count, argument);
}

static double value_at(const Point *p, Expr e)
{
    ExprValues values = { .variable = variable_at, .mode = mode_at, .history = history_of, .context = p,
                          .draw = draw_at, .t = p->t, .element = element_at };
    for (uint32_t k = 0; p->in.family && k < p->in.family->loops.n; k++) values.turn[k] = p->in.turn[k];
    return expr_evaluate(&p->model->flat.pool, e, &values);
}

// The operation that failed, with its operands.
typedef struct Culprit {
    Expr   e;
    ExprOp op;
    double operand[3], value;
} Culprit;

static size_t place_of(const Expr *nodes, size_t n, Expr e)
{
    size_t lo = 0, hi = n;
    while (hi - lo > 1) {
        const size_t middle = lo + (hi - lo) / 2;
        if (nodes[middle] <= e) lo = middle;
        else hi = middle;
    }
    return lo;
}

// All parts of `root`, each once, in order; then down from the root along what is not finite, branches not
// taken left out.
static Culprit find_culprit(const Point *p, Expr root)
{
    const ExprPool *pool = &p->model->flat.pool;
    Arena scratch = { 0 };
    size_t n;
    const Expr *nodes = expr_collect(pool, &root, 1, &scratch, &n);
    double *values = ARENA_ARRAY(&scratch, double, n);
    for (size_t i = 0; i < n; i++) {
        const ExprOp op = expr_op(pool, nodes[i]);
        double o[3] = { 0, 0, 0 };
        for (int k = 0; k < expr_n_operands(pool, nodes[i]); k++)
            o[k] = values[place_of(nodes, n, expr_operand(pool, nodes[i], k))];
        switch (op) {
        case EXPR_CONST: case EXPR_VAR: case EXPR_TIME: case EXPR_MODE: case EXPR_ELEM: case EXPR_TURN:
        case EXPR_LOOKUP: case EXPR_SLOPE: case EXPR_DELAY:
        case EXPR_PIECES:
        case EXPR_NEAR:
        case EXPR_GRID:
        case EXPR_DRAW: values[i] = value_at(p, nodes[i]); break;
        case EXPR_IF: values[i] = o[0] != 0 ? o[1] : o[2]; break;
        default: values[i] = expr_apply(op, o[0], o[1], o[2]); break;
        }
    }
    Expr at = root;
    for (bool deeper = true; deeper;) {
        deeper = false;
        const bool is_if = expr_op(pool, at) == EXPR_IF;
        const bool truth = is_if && values[place_of(nodes, n, expr_operand(pool, at, 0))] != 0;
        for (int k = 0; k < expr_n_operands(pool, at) && !deeper; k++) {
            if (is_if && k == (truth ? 2 : 1)) continue;
            const Expr below = expr_operand(pool, at, k);
            if (isfinite(values[place_of(nodes, n, below)])) continue;
            at = below;
            deeper = true;
        }
    }
    Culprit culprit = { .e = at, .op = expr_op(pool, at), .value = values[place_of(nodes, n, at)] };
    for (int k = 0; k < expr_n_operands(pool, at); k++)
        culprit.operand[k] = values[place_of(nodes, n, expr_operand(pool, at, k))];
    arena_free(&scratch);
    return culprit;
}

// ---- Messages

static const char *not_finite(double x)
{
    return isnan(x) ? "not a number" : x > 0 ? "infinite" : "minus infinity";
}

// "sqrt(-2.93)", "(-2)^0.5": with ten digits or, where those would hide the trouble
// (asin(1.0000000000000002)), all.
static char *operation_text(const Culprit *c)
{
    char texts[2][NUMBER_MAX];
    double rounded[2];
    for (int i = 0; i < 2; i++) {
        snprintf(texts[i], sizeof texts[i], "%.10g", c->operand[i]);
        if (!number_parse(text_from(texts[i]), &rounded[i])) rounded[i] = c->operand[i];
    }
    if (isfinite(expr_apply(c->op, rounded[0], rounded[1], 0)))
        for (int i = 0; i < 2; i++) number_text(c->operand[i], texts[i]);
    StrBuf s = { 0 };
    if (c->op == EXPR_POW) str_addf(&s, "(%s)^(%s)", texts[0], texts[1]);
    else if (expr_ops[c->op].arity == 1) str_addf(&s, "%s(%s)", expr_ops[c->op].text, texts[0]);
    else str_addf(&s, "%s(%s, %s)", expr_ops[c->op].text, texts[0], texts[1]);
    return str_finish(&s);
}

// "with x = -2.93, k = 4": all that the expressions read, apart from `except`.
static void note_known(orr_diag *diag, const Point *p, const Expr *parts, size_t n_parts,
                       const uint32_t *except, size_t n_except)
{
    Arena scratch = { 0 };
    StrBuf s = { .arena = &scratch };
    size_t shown = 0, left_out = 0;
    bool *seen = ARENA_ARRAY(&scratch, bool, p->model->flat.vars.n);
    for (size_t i = 0; i < n_except; i++) seen[except[i]] = true;
    for (size_t k = 0; k < n_parts; k++) {
        size_t n;
        const uint32_t *variables = expr_variables(&p->model->flat.pool, parts[k], &scratch, &n);
        for (size_t i = 0; i < n; i++) {
            if (seen[variables[i]]) continue;
            seen[variables[i]] = true;
            if (shown == VALUES_SHOWN) {
                left_out++;
                continue;
            }
            str_addf(&s, "%s%s = %.10g", shown++ ? ", " : "", p->model->flat.vars.items[variables[i]].name,
                     variable_at(p, variables[i]));
        }
        size_t n_elements;
        const Expr *elements = expr_elements(&p->model->flat.pool, parts[k], &scratch, &n_elements);
        for (size_t i = 0; i < n_elements && shown < VALUES_SHOWN; i++) {
            char *name = point_text(p, elements[i]);
            str_addf(&s, "%s%s = %.10g", shown++ ? ", " : "", name, value_at(p, elements[i]));
            free(name);
        }
    }
    if (left_out) str_addf(&s, " and %zu more", left_out);
    if (shown) diag_note(diag, (Place){ 0 }, "with %s", str_finish(&s));
    arena_free(&scratch);
}

static void note_values(orr_diag *diag, const Point *p, const Expr *parts, size_t n_parts)
{
    note_known(diag, p, parts, n_parts, NULL, 0);
}

static bool is_table(ExprOp op) { return op == EXPR_PIECES || op == EXPR_NEAR || op == EXPR_GRID; }

// Outside of the points of a table: which of its arguments, and where the points end.
static bool report_outside_table(orr_diag *diag, const Point *p, const Culprit *c, Place place)
{
    const ExprPool *pool = &p->model->flat.pool;
    const ExprNode *node = expr_node(pool, c->e);
    const ExprPieces *table = &pool->pieces.items[c->op == EXPR_PIECES ? node->b : node->c];
    const double *breaks = table->numbers;
    for (int k = 0; k < (c->op == EXPR_GRID ? 2 : 1); k++) {
        const uint32_t n = table->n_breaks[k];
        // what is not known begins right behind the last point
        const double low = breaks[0], high = nextafter(breaks[n - 1], -INFINITY), at = c->operand[k];
        breaks += n;
        if (at >= low && at <= high) continue;
        char number[NUMBER_MAX], operation[NUMBER_MAX + 80];
        double rounded;
        snprintf(number, sizeof number, "%.10g", at);
        if (number_parse(text_from(number), &rounded) && rounded >= low && rounded <= high)
            number_text(at, number);
        const char *name = table->name ? table->name : "table";
        const char *form = k ? "%.60s(…, %s)" : c->op == EXPR_GRID ? "%.60s(%s, …)" : "%.60s(%s)";
        snprintf(operation, sizeof operation, form, name, number);
        char *argument = point_text(p, expr_operand(pool, c->e, k));
        diag_report(diag, DIAG_DOMAIN_ERROR, place, operation, p->t);
        diag_hint(diag,
                  "the points of the table go from %.10g to %.10g; keep %s "
                  "there, or say 'outside hold' or 'outside extrapolate'",
                  low, high, argument);
        free(argument);
        return true;
    }
    return false;
}

static bool is_division_by_zero(const Culprit *c) { return c->op == EXPR_DIV && c->operand[1] == 0; }

// A value that is not finite came out of `root`, which computes `name` by an equation at `place`.
// `solved_by` is what solving it for `name` divided by, or EXPR_NONE.
static void report_culprit(orr_diag *diag, const Point *p, const char *name, Expr root, Expr solved_by,
                           Place place, const char *equation)
{
    const Culprit c = find_culprit(p, root);
    const ExprPool *pool = &p->model->flat.pool;
    place = run_place(p->model, diag, place);
    if (is_division_by_zero(&c)) {
        char *divisor = point_text(p, expr_operand(pool, c.e, 1));
        diag_report(diag, DIAG_DIVISION_BY_ZERO, place, p->t, equation);
        if (expr_operand(pool, c.e, 1) == solved_by)
            diag_hint(diag, "%s is to be computed from it, but its factor there, %s, is 0", name, divisor);
        else if (expr_op(pool, expr_operand(pool, c.e, 1)) == EXPR_CONST)    // "0 is 0" says nothing
            diag_hint(diag, "say with 'if ... then ... else ...' what should happen there");
        else
            diag_hint(diag, "%s is 0; say with 'if ... then ... else ...' what should happen there", divisor);
        free(divisor);
    } else if (is_table(c.op) && isnan(c.value) && report_outside_table(diag, p, &c, place)) {
        // that is all
    } else if (!expr_in_domain(c.op, c.operand[0], c.operand[1])) {
        char *operation = operation_text(&c), *argument = point_text(p, expr_operand(pool, c.e, 0));
        diag_report(diag, DIAG_DOMAIN_ERROR, place, operation, p->t);
        diag_hint(diag, expr_domain_hint(c.op, c.operand[0]), argument);
        free(operation);
        free(argument);
    } else {
        diag_report(diag, DIAG_VALUE_NOT_FINITE, place, name, not_finite(c.value), p->t);
        diag_hint(diag, "no number is larger than 1.8e308: the solution grows "
                        "without bound, or the step is too long for it");
    }
    if (!is_division_by_zero(&c))
        diag_note(diag, (Place){ 0 }, "in %s", equation);    // there the message has it
    note_values(diag, p, &root, 1);
}

static void note_equation(orr_diag *diag, const orr_model *model, const FlatEquation *equation)
{
    char *text = run_equation_text(model, equation);
    diag_note(diag, run_place(model, diag, equation->place), "%s", text);
    free(text);
}

// Is there a relation in one of these equations?
static bool reads_modes(const orr_model *model, const FlatEquation *const *equations, size_t n)
{
    Arena scratch = { 0 };
    bool found = false;
    for (size_t i = 0; i < n && !found; i++) {
        const Expr sides[] = { equations[i]->lhs, equations[i]->rhs };
        size_t n_nodes;
        const Expr *nodes = expr_collect(&model->flat.pool, sides, 2, &scratch, &n_nodes);
        for (size_t k = 0; k < n_nodes && !found; k++)
            found = expr_op(&model->flat.pool, nodes[k]) == EXPR_MODE;
    }
    arena_free(&scratch);
    return found;
}

// A linear loop, matrix · unknowns = vector, has no solution for the values at p: which of its equations say
// the same or contradict each other?
static void report_singular(orr_diag *diag, const Point *p, const Ordered *system, const uint32_t *equations,
                            const uint32_t *unknowns, uint32_t n, const BlockEntry *entries,
                            uint32_t n_entries, const Expr *vector)
{
    const orr_model *model = p->model;
    Arena scratch = { 0 };
    double *factors = ARENA_ARRAY(&scratch, double, n);
    bool found = false;
    double sum = 0, size = 0;
    if (n <= DEPENDENT_MAX) {
        double *a = ARENA_ARRAY(&scratch, double, (size_t)n * n);
        for (uint32_t k = 0; k < n_entries; k++)
            a[(size_t)entries[k].row * n + entries[k].column] = value_at(p, entries[k].value);
        found = rank_dependent(a, n, factors, ARENA_ARRAY(&scratch, double, (size_t)n * n + n));
    }
    Expr *sides = ARENA_ARRAY(&scratch, Expr, 2 * EQUATIONS_SHOWN);
    const FlatEquation *shown[EQUATIONS_SHOWN];
    size_t n_shown = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (found && factors[i] == 0) continue;
        const double term = found ? factors[i] * value_at(p, vector[i]) : 0;
        sum += term;
        size += fabs(term);
        if (n_shown < EQUATIONS_SHOWN) shown[n_shown++] = &system->equations[equations[i]];
    }
    char *names = list_variables(model, unknowns, n);
    diag_report(diag, DIAG_LOOP_SINGULAR_NOW, run_place(model, diag, shown[n_shown - 1]->place), names, p->t);
    free(names);
    if (!found)
        diag_hint(diag, "its equations say the same twice, or contradict each other, for these values");
    else if (fabs(sum) <= 1e-9 * size && reads_modes(model, shown, n_shown))
        diag_hint(diag,
                  "for these values the equations shown say the same: a switch that is ideal leaves this "
                  "open; give it a small resistance while it conducts, and a small leak while it does not");
    else if (fabs(sum) <= 1e-9 * size)
        diag_hint(diag, "for these values the equations shown say the same: one more is needed");
    else
        diag_hint(diag,
                  "for these values the equations shown contradict each "
                  "other: all unknowns cancel and 0 = %.4g is left",
                  sum);
    for (size_t i = 0; i < n_shown; i++) {
        const bool has_place = i + 1 == n_shown && model->compiled_with == diag;
        if (!has_place) note_equation(diag, model, shown[i]);    // there the message has it
        sides[2 * i] = shown[i]->lhs;
        sides[2 * i + 1] = shown[i]->rhs;
    }
    // the unknowns have no values
    note_known(diag, p, sides, 2 * n_shown, unknowns, n);
    arena_free(&scratch);
}

static bool report_at_block(orr_diag *diag, const Point *p, const Ordered *system, const Block *block,
                            uint32_t unknown, Expr root)
{
    const Loop *loop = block->loop != FLAT_NONE ? &system->loops[block->loop] : NULL;
    const bool is_part = loop && loop->is_linear && loop->n > 1;    // solved by Cramer's rule
    if (is_part && block->divisor != EXPR_NONE && value_at(p, block->divisor) == 0) {
        report_singular(diag, p, system, loop->equations, loop->unknowns, loop->n, loop->entries,
                        loop->n_entries, loop->vector);
        return true;
    }
    const FlatEquation *equation = &system->equations[block->equations[0]];
    char *text = run_equation_text(p->model, equation);
    const Expr solved_by = block->kind == BLOCK_ASSIGN ? block->divisor : EXPR_NONE;
    report_culprit(diag, p, p->model->flat.vars.items[unknown].name, root, solved_by, equation->place, text);
    free(text);
    return true;
}

// Something in a loop is not finite: report the first such part.
static bool report_in_loop(orr_diag *diag, const Point *p, const Ordered *system, const Block *block)
{
    const uint32_t n_residuals = block->kind == BLOCK_NEWTON ? block->n_torn : block->n;
    const Expr *residuals = block->kind == BLOCK_NEWTON ? block->residuals : block->vector;
    for (uint32_t i = 0; block->kind == BLOCK_NEWTON && i < block->n - block->n_torn; i++)
        if (!isfinite(value_at(p, block->inner[i])))
            return report_at_block(diag, p, system, block, block->unknowns[block->n_torn + i],
                                   block->inner[i]);
    for (uint32_t i = 0; i < n_residuals; i++)
        if (!isfinite(value_at(p, residuals[i])))
            return report_at_block(diag, p, system, block, block->unknowns[i], residuals[i]);
    for (uint32_t i = 0; i < block->n_entries; i++)
        if (!isfinite(value_at(p, block->entries[i].value)))
            return report_at_block(diag, p, system, block, block->unknowns[block->entries[i].column],
                                   block->entries[i].value);
    return false;
}

// The first element of a family that is not finite, by the values in v.
static bool report_in_family(orr_diag *diag, Point p, const FlatFamily *family)
{
    const Flat *flat = &p.model->flat;
    const ExprAccess *target = expr_access(&flat->pool, family->lhs);
    uint32_t turn[EXPR_LOOPS_MAX] = { 0 };
    for (;;) {
        int64_t element = target->offset;
        for (uint32_t k = 0; k < family->loops.n; k++) element += (int64_t)target->stride[k] * turn[k];
        if (!isfinite(p.v[p.model->ir.layout.array_place[target->array] + (size_t)element])) {
            p.in = (InFamily){ family, turn };
            const Expr sides[] = { family->lhs, family->rhs };
            char *text = print_text(p.model, &p.in, sides, 2, " = "), *name = point_text(&p, family->lhs);
            report_culprit(diag, &p, name, family->rhs, EXPR_NONE, family->place, text);
            free(text);
            free(name);
            return true;
        }
        uint32_t k = family->loops.n;
        while (k > 0 && ++turn[k - 1] == family->loops.count[k - 1]) turn[--k] = 0;
        if (k == 0) return false;
    }
}

bool fault_report_values(orr_diag *diag, const orr_model *model, const Ordered *system, const CodeEnv *env,
                         double t, const double *x)
{
    Arena scratch = { 0 };
    const size_t n_values = model->n_values;
    double *v = ARENA_ARRAY(&scratch, double, n_values);
    memcpy(v, env->v, n_values * sizeof *v);
    const Point p = { .model = model, .env = env, .t = t, .x = x, .v = v };
    bool found = false;
    for (uint32_t b = 0; b < system->n_blocks && !found; b++) {
        const Block *block = &system->blocks[b];
        if (block->kind == BLOCK_FAMILY) {
            found = report_in_family(diag, p, &system->families[block->family]);
            continue;
        }
        if (block->kind != BLOCK_ASSIGN) {
            for (uint32_t i = 0; i < block->n && !found; i++)
                if (!isfinite(variable_at(&p, block->unknowns[i])))
                    found = report_in_loop(diag, &p, system, block);
            continue;
        }
        const double value = value_at(&p, block->value);
        v[model->ir.layout.place[block->unknowns[0]]] = value;
        if (isfinite(value)) continue;
        found = report_at_block(diag, &p, system, block, block->unknowns[0], block->value);
    }
    arena_free(&scratch);
    return found;
}

void fault_report_param(orr_run *run, uint32_t variable)
{
    const FlatVar *var = &run->model->flat.vars.items[variable];
    const Island *island = &run->island;
    if (chance_report(run)) return;
    const Point p = {
        .model = run->model, .env = &island->env, .t = island->t_begin, .x = NULL, .v = island->env.v
    };
    if (var->start == EXPR_NONE) {
        diag_report(run->diag, DIAG_VALUE_NOT_FINITE, run_place(run->model, run->diag, var->place), var->name,
                    "not a number", island->t_begin);
        return;
    }
    char *value = run_expr_text(run->model, var->start);
    StrBuf equation = { 0 };
    str_addf(&equation, "%s = %s", var->name, value);
    report_culprit(run->diag, &p, var->name, var->start, EXPR_NONE, var->place, equation.p);
    str_free(&equation);
    free(value);
}

// ---- Loops

typedef struct Offence { const FlatEquation *equation; double residual; } Offence;

static int by_size(const void *a, const void *b)
{
    const double x = fabs(((const Offence *)a)->residual), y = fabs(((const Offence *)b)->residual);
    return (x < y) - (x > y);
}

// The inner unknowns of a loop follow from the torn ones in v.
static void follow_inner(const Point *p, const Block *block, double *v)
{
    for (uint32_t i = block->n_torn; block->kind == BLOCK_NEWTON && i < block->n; i++)
        v[p->model->ir.layout.place[block->unknowns[i]]] = value_at(p, block->inner[i - block->n_torn]);
}

// The size of the determinant of a loop's matrix at the values in v; 0 if it is singular, NaN if it has no
// value.
static double determinant_at(const Point *p, const Block *block, Arena *arena)
{
    const uint32_t n = block->n_torn;
    double *a = ARENA_ARRAY(arena, double, (size_t)n * n), product = 1;
    for (uint32_t k = 0; k < block->n_entries; k++) {
        const BlockEntry *entry = &block->entries[k];
        a[(size_t)entry->row * n + entry->column] = value_at(p, entry->value);
    }
    for (uint32_t k = 0; k < n; k++) {    // Gauss, with the largest of each column
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        const double pivot = a[best * n + k];
        product *= fabs(pivot);
        if (!(fabs(pivot) > 0)) return isnan(pivot) ? NAN : 0;
        for (uint32_t j = k; j < n; j++) {
            const double swap = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = swap;
        }
        for (uint32_t i = k + 1; i < n; i++) {
            const double f = a[i * n + k] / pivot;
            for (uint32_t j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
        }
    }
    return product;
}

// Where two solutions of a loop meet and end, its matrix is singular: much smaller than a little beside it.
// Looked at from the last solution that was found, in v.
static bool solution_ends(const Point *p, const Block *block, double *v)
{
    if (block->kind != BLOCK_NEWTON || block->n_torn > FOLD_ROWS_MAX) return false;
    Arena scratch = { 0 };
    const uint32_t *place = p->model->ir.layout.place;
    double *kept = ARENA_ARRAY(&scratch, double, block->n);
    for (uint32_t i = 0; i < block->n; i++) kept[i] = v[place[block->unknowns[i]]];
    const double here = determinant_at(p, block, &scratch);
    double beside = 0;
    for (int side = -1; side <= 1; side += 2) {
        for (uint32_t i = 0; i < block->n_torn; i++) {
            const double away = 0.1 * (1 + fabs(kept[i])) * (1 + i / (block->n + 1.0));
            v[place[block->unknowns[i]]] = kept[i] + side * away;
        }
        follow_inner(p, block, v);
        beside = fmax(beside, determinant_at(p, block, &scratch));
    }
    for (uint32_t i = 0; i < block->n; i++) v[place[block->unknowns[i]]] = kept[i];
    arena_free(&scratch);
    return here < 0.1 * beside;
}

void fault_report_loop(orr_diag *diag, const orr_model *model, const Ordered *system, const Block *block,
                       const CodeEnv *env, double t, const double *x)
{
    Arena scratch = { 0 };
    double *v = ARENA_ARRAY(&scratch, double, model->n_values);
    memcpy(v, env->v, model->n_values * sizeof *v);
    const Point p = { .model = model, .env = env, .t = t, .x = x, .v = v };
    // a failed iteration leaves nothing, and what the derivatives found last is the guess; the inner unknowns
    // follow from that
    for (uint32_t i = 0; x && block->kind == BLOCK_NEWTON && i < block->n_torn; i++)
        v[model->ir.layout.place[block->unknowns[i]]] = v[model->ir.layout.guess[block->unknowns[i]]];
    follow_inner(&p, block, v);
    if (report_in_loop(diag, &p, system, block)) {
        arena_free(&scratch);
        return;
    }
    if (block->kind == BLOCK_LINEAR) {
        report_singular(diag, &p, system, block->equations, block->unknowns, block->n, block->entries,
                        block->n_entries, block->vector);
        arena_free(&scratch);
        return;
    }

    // the equations that are farthest off
    Offence *offences = ARENA_ARRAY(&scratch, Offence, block->n);
    size_t n = 0;
    for (uint32_t i = 0; i < block->n; i++) {
        const FlatEquation *e = &system->equations[block->equations[i]];
        offences[i] = (Offence){ e, value_at(&p, e->lhs) - value_at(&p, e->rhs) };
    }
    qsort(offences, block->n, sizeof *offences, by_size);
    while (n < block->n && n < EQUATIONS_SHOWN && (n == 0 || offences[n].residual != 0)) n++;
    char *names = list_variables(model, block->unknowns, block->n);
    const Place place = run_place(model, diag, offences[0].equation->place);
    if (x) {
        diag_report(diag, DIAG_NO_CONVERGENCE, place, names, t);
    } else {
        char *worst = run_equation_text(model, offences[0].equation);
        diag_report(diag, DIAG_INITIAL_FAILED, place, worst);
        free(worst);
    }
    if (x && solution_ends(&p, block, v))
        diag_hint(diag,
                  "its solution seems to end there: another one has met it, and beyond there is none; "
                  "check the equations, or let an event (when … then) say what happens");
    else
        diag_hint(diag,
                  "give first guesses near the solution (var %s ~ 1)%s, or check that a solution exists",
                  model->flat.vars.items[block->unknowns[0]].name, x ? ", a smaller step" : "");
    free(names);
    Expr *sides = ARENA_ARRAY(&scratch, Expr, 2 * n);
    for (size_t i = 0; i < n; i++) {
        const FlatEquation *equation = offences[i].equation;
        char *text = run_equation_text(model, equation);
        diag_note(diag, i > 0 ? run_place(model, diag, equation->place) : (Place){ 0 },
                  "%s: left minus right is %.4g", text, offences[i].residual);    // the message has the first
        free(text);
        sides[2 * i] = equation->lhs;
        sides[2 * i + 1] = equation->rhs;
    }
    if (n < EQUATIONS_SHOWN && n < block->n) diag_note(diag, (Place){ 0 }, "all else holds");
    else if (n < block->n) diag_note(diag, (Place){ 0 }, "%zu more equations are less far off", block->n - n);
    note_values(diag, &p, sides, 2 * n);
    arena_free(&scratch);
}

// ---- What solvers and the driver call

void fault_report(Island *island)
{
    const orr_model *model = island->model;
    const Fault *fault = &island->fault;
    const Ordered *system = &model->blocks.dynamic;
    // the values of loops as far as they can be computed
    const int failed = code_call(&model->code, IR_VALUES, fault->t, fault->x, &island->env, NULL);
    if (fault->kind == FAULT_LOOP || failed) {
        const uint32_t b = fault->kind == FAULT_LOOP ? fault->block : (uint32_t)failed - 1;
        if (b < system->n_blocks) {
            fault_report_loop(island->diag, model, system, &system->blocks[b], &island->env, fault->t,
                              fault->x);
            return;
        }
    }
    if (fault_report_values(island->diag, model, system, &island->env, fault->t, fault->x)) return;

    // all rates are finite: the state itself went out of bounds
    for (uint32_t i = 0; i < model->n_states; i++) {
        if (isfinite(fault->x[i])) continue;
        const size_t variable = model_state_variable(model, i);
        diag_report(island->diag, DIAG_VALUE_NOT_FINITE,
                    run_place(model, island->diag, model_variable(model, variable).declared),
                    model_variable_name(model, variable), not_finite(fault->x[i]), fault->t);
        diag_hint(island->diag, island->solver->fixed_step
                                    ? "the solution grows without bound, or the step is too long for it"
                                    : "the solution grows without bound");
        return;
    }
    diag_report(island->diag, DIAG_SOLVER_FAILED, (Place){ 0 }, island->method, fault->t,
                "a derivative is not finite");
    diag_hint(island->diag, "'%s' changes fastest", island_fastest(island, island->t, island->x));
}

void fault_report_step(Island *island, double h)
{
    const double near = 1e-6 * (fabs(island->t) + island->t - island->t_start) + 10 * fabs(h);
    if (island->fault.kind != FAULT_NONE && island->fault.t - island->t <= near) {
        // ever smaller steps met the same obstacle
        fault_report(island);
        return;
    }
    // the equation of the state that changes fastest, measured by the tolerances
    const orr_model *model = island->model;
    const Ordered *system = &model->blocks.dynamic;
    const uint32_t state = island_fastest_state(island, island->t, island->x);
    const bool is_element = state >= model->blocks.n_states;
    const uint32_t b = is_element ? FLAT_NONE : system->block_of[model->blocks.rates[state]];
    const FlatEquation *equation = b != FLAT_NONE ? &system->equations[system->blocks[b].equations[0]] : NULL;
    diag_report(island->diag, DIAG_STEP_UNDERFLOW,
                run_place(model, island->diag, equation ? equation->place : (Place){ 0 }), fabs(h), island->t,
                model_state_name(model, state));
    if (model->blocks.n_implicit > 0)
        diag_hint(island->diag, "look for a singularity there, or equations that have no solution any more; "
                                "or try a looser tolerance");
    else if (island->solver->traits & SOLVER_IMPLICIT)
        diag_hint(island->diag, "try a looser tolerance, or look for a singularity there");
    else diag_hint(island->diag, "try 'solver bdf', a looser tolerance, or look for a singularity there");
    if (!equation) return;
    const Expr sides[] = { equation->lhs, equation->rhs };
    char *text = run_equation_text(model, equation);
    diag_note(island->diag, (Place){ 0 }, "by %s", text);
    free(text);
    code_call(&model->code, IR_VALUES, island->t, island->x, &island->env, NULL);
    const Point p = {
        .model = model, .env = &island->env, .t = island->t, .x = island->x, .v = island->env.v
    };
    note_values(island->diag, &p, sides, 2);
}

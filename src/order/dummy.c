// src/order/dummy.c: level by level: sparse elimination with constant pivots, then groups.
#include "order/dummy.h"
#include "order/diagnose.h"
#include "expr/build.h"
#include "order/augment.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// How much smaller than the largest constant of its constraint a coefficient may be if it is to be divided
// by, and how small a difference of two constants is only rounding.
#define PIVOT_MIN 0.1
#define ROUNDING  1e-12

enum { NAMES_MAX = 4, NOTES_MAX = 5, CHOICE_MAX = 200000 };
#define PREFERRED_WEIGHT 5.0

typedef VEC(uint32_t) Numbers;

typedef struct Entry {
    uint32_t column;
    Expr     value;
    double   fixed;          // its value if it has one for the whole run, else NaN
} Entry;

typedef struct Row {         // a constraint by the derivatives of one level
    VEC(Entry) entries;      // by column
    uint32_t   equation;     // of the level
    Numbers    uses;         // rows that were put into it
    bool       is_done;      // solved for a variable
    bool       is_queued;
} Row;

typedef struct Column {
    uint32_t variable;       // a derivative
    uint32_t count;          // rows not done that contain it
    Numbers  rows;           // that contained it at some time
    double   worth;          // of what it is the derivative of, as a state
} Column;

typedef struct Gradient {    // of a constraint as written
    uint32_t *variables;     // [n]
    Expr     *partials;      // [n]
    uint32_t  n;
} Gradient;

typedef struct Group {       // a Choice in the making
    Numbers   roots;         // constraints as written
    Numbers   columns;       // highest derivatives, ascending
    BlockEntry *entries;
    uint32_t  n_entries;
    uint32_t  n_levels;      // of differentiation at which it is the same
} Group;

typedef struct Chooser {
    Flat             *flat;
    const Pantelides *p;
    const double     *values;
    orr_diag         *diag;
    Arena             work;
    Gradient        **gradients;    // [n_written] NULL: not yet
    uint32_t         *level_of;     // [n_vars] level at which it is a candidate, from 1
    bool             *was_dummy;    // [n_vars] is one whatever happens: so should be its integral
    uint32_t         *group_of;     // [n_vars] + 1; 0: none
    Numbers           dummies;      // for ever
    VEC(Group)        groups;
    // of the present level
    uint32_t    level;
    VEC(Row)    rows;
    VEC(Column) columns;
    uint32_t   *column_of;          // [n_vars] + 1; 0: none
    Numbers     queue;
} Chooser;

static FlatVar *var(const Chooser *c, uint32_t v) { return &c->flat->vars.items[v]; }

// ---- Values that do not change in a run

static double param_value(const void *context, uint32_t variable)
{
    return ((const double *)context)[variable];
}

static double fixed_value(Chooser *c, Expr e)
{
    const ExprPool *pool = &c->flat->pool;
    double x;
    if (expr_is_const(pool, e, &x)) return isfinite(x) ? x : NAN;
    const ArenaMark mark = arena_mark(&c->work);
    size_t n;
    const Expr *nodes = expr_collect(pool, &e, 1, &c->work, &n);
    bool is_fixed = true;
    for (size_t i = 0; i < n && is_fixed; i++) {
        const ExprNode *node = expr_node(pool, nodes[i]);
        is_fixed = node->op != EXPR_TIME && node->op != EXPR_MODE && node->op != EXPR_DELAY
                   && !(node->op == EXPR_VAR && (var(c, node->index)->kind != FLAT_PARAM
                                                 || isnan(c->values[node->index])));
    }
    arena_release(&c->work, mark);
    if (!is_fixed) return NAN;
    const ExprValues values = { .variable = param_value, .context = c->values };
    x = expr_evaluate(pool, e, &values);
    return isfinite(x) ? x : NAN;
}

// ---- Messages

static void collect_uses(Chooser *c, uint32_t row, Numbers *found)
{
    bool *seen = ARENA_ARRAY(&c->work, bool, c->rows.n);
    vec_push(&c->work, found, row);
    seen[row] = true;
    for (size_t k = 0; k < found->n; k++) {
        const Numbers *uses = &c->rows.items[found->items[k]].uses;
        for (size_t i = 0; i < uses->n; i++) {
            if (seen[uses->items[i]]) continue;
            seen[uses->items[i]] = true;
            vec_push(&c->work, found, uses->items[i]);
        }
    }
}

// What flows through each part follows from the others where a circuit hangs on nothing.
static bool are_all_flows(Chooser *c, const Numbers *equations)
{
    bool has_flow = false;
    for (size_t i = 0; i < equations->n; i++) {
        const FlatEquation *e = &c->flat->equations.items[equations->items[i]];
        const Expr sides[2] = { e->lhs, e->rhs };
        for (int k = 0; k < 2; k++) {
            size_t n;
            const uint32_t *reads = expr_variables(&c->flat->pool, sides[k], &c->work, &n);
            for (size_t j = 0; j < n; j++) {
                const FlatRole role = c->flat->vars.items[reads[j]].role;
                if (role == FLAT_ACROSS) return false;
                has_flow = has_flow || role == FLAT_THROUGH;
            }
        }
    }
    return has_flow;
}

// Nothing is left of a constraint once others were put into it.
static bool report_dependent(Chooser *c, const Numbers *rows)
{
    Numbers roots = { 0 };
    for (size_t k = 0; k < rows->n; k++)
        vec_push(&c->work, &roots, c->p->root[c->rows.items[rows->items[k]].equation]);
    incidence_sort(roots.items, roots.n);
    const FlatEquation *last = &c->flat->equations.items[roots.items[roots.n - 1]];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) arena_no_memory(1);
    flat_print_equation(c->flat, last, out);
    memory_close(out, &text);
    if (size > 80) memcpy(text + 76, " ...", 5);
    diag_report(c->diag, DIAG_CONSTRAINT_DEPENDENT, last->place, text);
    if (are_all_flows(c, &roots)) diag_hint(c->diag, "%s", diagnose_no_level);
    else diag_hint(c->diag, "remove one of %s", roots.n == 2 ? "the two" : "them");
    uint32_t before = roots.items[roots.n - 1];
    for (size_t k = 0, noted = 0; k + 1 < roots.n && noted < NOTES_MAX; k++) {
        if (roots.items[k] == before) continue;
        before = roots.items[k];
        diag_note(c->diag, c->flat->equations.items[before].place, "together with this constraint");
        noted++;
    }
    free(text);
    return false;
}

// ---- The matrix of a level

static const Gradient *gradient_of(Chooser *c, uint32_t equation)
{
    if (c->gradients[equation]) return c->gradients[equation];
    ExprPool *pool = &c->flat->pool;
    Gradient *g = c->gradients[equation] = ARENA_NEW(&c->work, Gradient);
    const FlatEquation *e = &c->flat->equations.items[equation];
    const Expr residual = build_sub(pool, e->lhs, e->rhs);
    size_t n;
    uint32_t *variables = expr_variables(pool, residual, &c->work, &n);
    g->variables = variables;
    for (size_t k = 0; k < n; k++)
        if (var(c, variables[k])->kind == FLAT_VARIABLE) g->variables[g->n++] = variables[k];
    g->partials = ARENA_ARRAY(&c->work, Expr, g->n);
    expr_gradient(pool, residual, g->variables, g->n, g->partials);
    return g;
}

static uint32_t raise(const Chooser *c, uint32_t variable, uint32_t order)
{
    for (; order > 0 && variable != FLAT_NONE; order--) variable = var(c, variable)->derivative;
    return variable;
}

// How much we would like the variable of which this is the derivative to be a state.
static double worth_of(const Chooser *c, uint32_t derivative)
{
    const uint32_t state = var(c, derivative)->integral;
    const FlatVar *x = var(c, state);
    double worth = 0;
    for (uint32_t v = state; v != FLAT_NONE; v = var(c, v)->integral)
        if (var(c, v)->is_preferred) worth = 1000;
    if (x->start != EXPR_NONE) worth += x->start_is_guess ? 10 : 100;
    if (x->is_hidden) worth -= 5;
    if (c->was_dummy[derivative]) worth -= 1e6;
    return worth;
}

static uint32_t column_for(Chooser *c, uint32_t variable)
{
    if (c->column_of[variable] == 0) {
        vec_push(&c->work, &c->columns, (Column){ .variable = variable, .worth = worth_of(c, variable) });
        c->column_of[variable] = (uint32_t)c->columns.n;
    }
    return c->column_of[variable] - 1;
}

static void join(Chooser *c, uint32_t row, uint32_t column)
{
    Column *k = &c->columns.items[column];
    k->count++;
    vec_push(&c->work, &k->rows, row);
}

static int by_column(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    return (x->column > y->column) - (x->column < y->column);
}

// ∂g⁽ᵏ⁾/∂z⁽ᵏ⁾ = ∂g/∂z: the derivatives of the constraint as written serve all levels.
static void add_row(Chooser *c, uint32_t equation)
{
    const uint32_t number = (uint32_t)c->rows.n, root = c->p->root[equation], order = c->p->order[equation];
    const Gradient *g = gradient_of(c, root);
    Row row = { .equation = equation };
    for (uint32_t k = 0; k < g->n; k++) {
        const uint32_t variable = raise(c, g->variables[k], order);
        double x;
        if (variable == FLAT_NONE || c->level_of[variable] != c->level) continue;
        if (expr_is_const(&c->flat->pool, g->partials[k], &x) && x == 0) continue;
        const Entry entry = { column_for(c, variable), g->partials[k], fixed_value(c, g->partials[k]) };
        vec_push(&c->work, &row.entries, entry);
    }
    if (row.entries.n > 0) qsort(row.entries.items, row.entries.n, sizeof *row.entries.items, by_column);
    vec_push(&c->work, &c->rows, row);
    for (size_t k = 0; k < row.entries.n; k++) join(c, number, row.entries.items[k].column);
}

// ---- Constant pivots

static void enqueue(Chooser *c, uint32_t row)
{
    if (c->rows.items[row].is_queued) return;
    c->rows.items[row].is_queued = true;
    vec_push(&c->work, &c->queue, row);
}

// The entry whose variable is best computed by the constraint; NULL if none has a constant coefficient.
static const Entry *find_pivot(const Chooser *c, const Row *row)
{
    const Entry *best = NULL;
    double largest = 0;
    for (size_t k = 0; k < row->entries.n; k++)
        if (!isnan(row->entries.items[k].fixed)) largest = fmax(largest, fabs(row->entries.items[k].fixed));
    for (size_t k = 0; k < row->entries.n; k++) {
        const Entry *e = &row->entries.items[k];
        if (isnan(e->fixed) || fabs(e->fixed) < PIVOT_MIN * largest || e->fixed == 0) continue;
        const Column *a = &c->columns.items[e->column], *b = best ? &c->columns.items[best->column] : NULL;
        const bool is_better = !b || a->worth < b->worth || (a->worth == b->worth && a->count < b->count)
                               || (a->worth == b->worth && a->count == b->count && a->variable > b->variable);
        if (is_better) best = e;
    }
    return best;
}

static const Entry *find_entry(const Row *row, uint32_t column)
{
    const Entry key = { .column = column };
    if (row->entries.n == 0) return NULL;
    return bsearch(&key, row->entries.items, row->entries.n, sizeof key, by_column);
}

// a - f·b, known to vanish if only rounding is left of two constants.
static Entry subtract(Chooser *c, const Entry *a, const Entry *b, Expr factor, double fixed_factor)
{
    ExprPool *pool = &c->flat->pool;
    const Expr zero = expr_const(pool, 0);
    const Expr product = b ? build_mul(pool, factor, b->value) : zero;
    Entry e = { .column = a ? a->column : b->column, .value = build_sub(pool, a ? a->value : zero, product) };
    const double x = a ? a->fixed : 0, y = b ? fixed_factor * b->fixed : 0;
    e.fixed = x - y;
    if (isnan(e.fixed)) e.fixed = fixed_value(c, e.value);
    if (fabs(e.fixed) <= ROUNDING * fmax(fabs(x), fabs(y))) e.fixed = 0;
    return e;
}

// row - f·pivot row, such that the pivot column vanishes.
static void put_into(Chooser *c, uint32_t pivot_row, const Entry *pivot, uint32_t number)
{
    const Row *from = &c->rows.items[pivot_row];
    Row *to = &c->rows.items[number];
    const Entry *target = find_entry(to, pivot->column);
    const Expr factor = build_div(&c->flat->pool, target->value, pivot->value);
    const double fixed_factor = target->fixed / pivot->fixed;
    Row next = *to;
    memset(&next.entries, 0, sizeof next.entries);
    for (size_t i = 0, k = 0; i < to->entries.n || k < from->entries.n;) {
        const Entry *a = i < to->entries.n ? &to->entries.items[i] : NULL;
        const Entry *b = k < from->entries.n ? &from->entries.items[k] : NULL;
        if (a && b && a->column < b->column) b = NULL;
        if (a && b && b->column < a->column) a = NULL;
        i += a != NULL;
        k += b != NULL;
        const uint32_t column = a ? a->column : b->column;
        const Entry e = b ? subtract(c, a, b, factor, fixed_factor) : *a;
        double x;
        const bool vanishes = column == pivot->column || e.fixed == 0
                              || (expr_is_const(&c->flat->pool, e.value, &x) && x == 0);
        if (!vanishes) {
            vec_push(&c->work, &next.entries, e);
            if (!a) join(c, number, column);
        } else if (a) {
            c->columns.items[column].count--;
        }
    }
    vec_push(&c->work, &next.uses, pivot_row);
    c->rows.items[number] = next;
    enqueue(c, number);
}

static bool eliminate(Chooser *c)
{
    for (uint32_t i = 0; i < c->rows.n; i++) enqueue(c, i);
    for (size_t at = 0; at < c->queue.n; at++) {
        const uint32_t number = c->queue.items[at];
        Row *row = &c->rows.items[number];
        row->is_queued = false;
        if (row->entries.n == 0) {
            Numbers uses = { 0 };
            collect_uses(c, number, &uses);
            return report_dependent(c, &uses);
        }
        const Entry *found = find_pivot(c, row);
        if (!found) continue;
        const Entry pivot = *found;
        row->is_done = true;
        vec_push(&c->work, &c->dummies, c->columns.items[pivot.column].variable);
        c->was_dummy[c->columns.items[pivot.column].variable] = true;
        for (size_t k = 0; k < row->entries.n; k++) c->columns.items[row->entries.items[k].column].count--;
        const Numbers *rows = &c->columns.items[pivot.column].rows;
        for (size_t k = 0; k < rows->n; k++) {
            const uint32_t other = rows->items[k];
            if (c->rows.items[other].is_done || !find_entry(&c->rows.items[other], pivot.column)) continue;
            put_into(c, number, &pivot, other);
        }
    }
    return true;
}

// ---- Groups of what is left

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// The same constraints on the integrals of the same variables as a group of the level above: its number + 1,
// or 0.
static uint32_t same_group_above(const Chooser *c, const Numbers *roots, const Numbers *variables)
{
    const uint32_t above = var(c, variables->items[0])->derivative;
    const uint32_t number = above == FLAT_NONE ? 0 : c->group_of[above];
    if (number == 0) return 0;
    const Group *g = &c->groups.items[number - 1];
    if (g->roots.n != roots->n || g->columns.n != variables->n) return 0;
    if (memcmp(g->roots.items, roots->items, roots->n * sizeof *roots->items) != 0) return 0;
    for (size_t k = 0; k < variables->n; k++) {
        const uint32_t derivative = var(c, variables->items[k])->derivative;
        if (derivative == FLAT_NONE || c->group_of[derivative] != number) return 0;
    }
    return number;
}

static bool add_group(Chooser *c, const Numbers *rows)
{
    Numbers variables = { 0 }, roots = { 0 };
    size_t n_entries = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const Row *row = &c->rows.items[rows->items[i]];
        vec_push(&c->work, &roots, c->p->root[row->equation]);
        n_entries += row->entries.n;
        for (size_t k = 0; k < row->entries.n; k++)
            vec_push(&c->work, &variables, c->columns.items[row->entries.items[k].column].variable);
    }
    qsort(variables.items, variables.n, sizeof *variables.items, ascending);
    size_t n = 0;
    for (size_t k = 0; k < variables.n; k++)
        if (n == 0 || variables.items[n - 1] != variables.items[k]) variables.items[n++] = variables.items[k];
    variables.n = n;
    if (variables.n < rows->n) return report_dependent(c, rows);
    if (variables.n == rows->n) {
        for (size_t k = 0; k < n; k++) {
            vec_push(&c->work, &c->dummies, variables.items[k]);
            c->was_dummy[variables.items[k]] = true;
        }
        return true;
    }

    uint32_t number = same_group_above(c, &roots, &variables);
    if (number > 0) {
        c->groups.items[number - 1].n_levels++;
    } else {
        Group g = { .roots = roots, .columns = variables, .n_levels = 1, .n_entries = (uint32_t)n_entries };
        g.entries = ARENA_ARRAY(&c->work, BlockEntry, n_entries);
        uint32_t *place = ARENA_ARRAY(&c->work, uint32_t, c->columns.n), at = 0;
        for (uint32_t k = 0; k < n; k++) place[c->column_of[variables.items[k]] - 1] = k;
        for (uint32_t r = 0; r < rows->n; r++) {
            const Row *row = &c->rows.items[rows->items[r]];
            for (size_t k = 0; k < row->entries.n; k++)
                g.entries[at++] = (BlockEntry){ r, place[row->entries.items[k].column],
                                                row->entries.items[k].value };
        }
        vec_push(&c->work, &c->groups, g);
        number = (uint32_t)c->groups.n;
    }
    for (size_t k = 0; k < n; k++) c->group_of[variables.items[k]] = number;
    return true;
}

static bool find_groups(Chooser *c)
{
    const uint32_t n = (uint32_t)c->rows.n;
    uint32_t *parent = ARENA_ARRAY(&c->work, uint32_t, n),
             *owner = ARENA_ARRAY(&c->work, uint32_t, c->columns.n);
    for (uint32_t i = 0; i < n; i++) parent[i] = i;
    memset(owner, 0xff, c->columns.n * sizeof *owner);
    for (uint32_t i = 0; i < n; i++) {
        const Row *row = &c->rows.items[i];
        for (size_t k = 0; !row->is_done && k < row->entries.n; k++) {
            uint32_t *first = &owner[row->entries.items[k].column];
            if (*first == FLAT_NONE) *first = i;
            else parent[find_root(parent, i)] = find_root(parent, *first);
        }
    }
    Numbers *members = ARENA_ARRAY(&c->work, Numbers, n);
    for (uint32_t i = 0; i < n; i++)
        if (!c->rows.items[i].is_done) vec_push(&c->work, &members[find_root(parent, i)], i);
    for (uint32_t i = 0; i < n; i++)
        if (members[i].n > 0 && !add_group(c, &members[i])) return false;
    return true;
}

// ---- Levels

// One level lower: the equations that those of this level are derivatives of, unless they are as written, and
// the integrals of what is no state any more.
static void go_down(Chooser *c, Numbers *equations)
{
    size_t n = 0;
    for (size_t i = 0; i < equations->n; i++) {
        const uint32_t lower = c->p->from[equations->items[i]];
        if (c->p->order[lower] > 0) equations->items[n++] = lower;
    }
    equations->n = n;
    for (size_t k = 0; k < c->columns.n; k++) {
        const uint32_t v = c->columns.items[k].variable;
        c->column_of[v] = 0;
        if (!c->was_dummy[v] && c->group_of[v] == 0) continue;
        const uint32_t below = var(c, v)->integral;
        if (var(c, below)->integral == FLAT_NONE) continue;
        c->level_of[below] = c->level + 1;
        c->was_dummy[below] = c->was_dummy[v];
    }
    c->level++;
    c->rows.n = c->columns.n = c->queue.n = 0;
}

// Those of one level in the order of the constraints as written, so that groups of two levels can be
// compared.
static void sort_by_root(Chooser *c, Numbers *equations)
{
    uint32_t *at = ARENA_ARRAY(&c->work, uint32_t, c->p->n_written);
    for (size_t i = 0; i < equations->n; i++) at[c->p->root[equations->items[i]]] = equations->items[i] + 1;
    equations->n = 0;
    for (uint32_t i = 0; i < c->p->n_written; i++)
        if (at[i] > 0) equations->items[equations->n++] = at[i] - 1;
}

static bool choose_all(Chooser *c)
{
    Numbers equations = { 0 };
    const uint32_t n_vars = (uint32_t)c->flat->vars.n;
    for (uint32_t i = 0; i < c->p->n_equations; i++)
        if (c->p->derivative[i] == FLAT_NONE && c->p->order[i] > 0) vec_push(&c->work, &equations, i);
    for (uint32_t v = 0; v < n_vars; v++) {
        const FlatVar *x = var(c, v);
        if (x->kind == FLAT_VARIABLE && x->derivative == FLAT_NONE && x->integral != FLAT_NONE)
            c->level_of[v] = 1;
    }
    c->level = 1;
    sort_by_root(c, &equations);
    while (equations.n > 0) {
        for (size_t i = 0; i < equations.n; i++) add_row(c, equations.items[i]);
        // what is wanted as a dummy from above becomes one only if it is chosen again
        for (size_t k = 0; k < c->columns.n; k++) c->was_dummy[c->columns.items[k].variable] = false;
        if (!eliminate(c) || !find_groups(c)) return false;
        go_down(c, &equations);
    }
    return true;
}

// ---- Slots

static uint32_t add_var(Chooser *c, FlatKind kind, const char *name, Place place, Expr start)
{
    const FlatVar v = { .name = arena_copy_text(c->flat->arena, name, strlen(name)),
                        .place = place,
                        .kind = kind,
                        .is_hidden = true,
                        .derivative = FLAT_NONE,
                        .integral = FLAT_NONE,
                        .start = start };
    vec_push(c->flat->arena, &c->flat->vars, v);
    return (uint32_t)c->flat->vars.n - 1;
}

// Which columns the slots begin with: those that matter least as states are taken for the constraints first.
static bool choose_first(Chooser *c, const Group *g, Choice *choice)
{
    const uint32_t m = choice->n_columns;
    Augment matching;
    augment_init(&matching, &c->work);
    for (uint32_t i = 0; i < choice->n_rows; i++) augment_add_column(&matching);
    Numbers *rows_of = ARENA_ARRAY(&c->work, Numbers, m);
    double *worth = ARENA_ARRAY(&c->work, double, m);
    for (uint32_t e = 0; e < g->n_entries; e++)
        vec_push(&c->work, &rows_of[g->entries[e].column], g->entries[e].row);
    for (uint32_t j = 0; j < m; j++) {
        augment_add_row(&matching, rows_of[j].items, (uint32_t)rows_of[j].n);
        worth[j] = -INFINITY;
        for (uint32_t o = 0; o + 1 < choice->n_orders; o++)
            worth[j] = fmax(worth[j], worth_of(c, choice->variables[(o + 1) * m + j]));
    }
    uint32_t n = 0;
    bool *is_met = ARENA_ARRAY(&c->work, bool, m);
    for (uint32_t done = 0; done < m; done++) {
        uint32_t least = FLAT_NONE;
        for (uint32_t j = m; j-- > 0;)
            if (!is_met[j] && (least == FLAT_NONE || worth[j] < worth[least])) least = j;
        is_met[least] = true;
        if (augment_row(&matching, least)) continue;
        augment_close_tree(&matching);
        if (n == choice->n_slots) return false;
        choice->first[n++] = least;
    }
    qsort(choice->first, n, sizeof *choice->first, ascending);
    return n == choice->n_slots;
}

// (x|y), or (x|y|z)₂ as (x|y|z)2 if there are several.
static const char *slot_name(Chooser *c, const Choice *choice, uint32_t order, uint32_t slot)
{
    const uint32_t *variables = choice->variables + (size_t)order * choice->n_columns;
    StrBuf s = { .arena = &c->work };
    for (uint32_t k = 0; k < choice->n_columns && k < NAMES_MAX; k++)
        str_addf(&s, "%c%s", k == 0 ? '(' : '|', var(c, variables[k])->name);
    str_add(&s, choice->n_columns > NAMES_MAX ? "|…)" : ")");
    if (choice->n_slots > 1) str_addf(&s, "%u", slot + 1);
    return str_finish(&s);
}

static void add_slots(Chooser *c, Choice *choice, Place place)
{
    Flat *flat = c->flat;
    ExprPool *pool = &flat->pool;
    const uint32_t m = choice->n_columns, n = choice->n_slots;
    for (uint32_t s = 0; s < n; s++) {
        const char *name = slot_name(c, choice, 0, s);
        for (uint32_t j = 0; j < m; j++)
            choice->params[s * m + j] = add_var(c, FLAT_PARAM,
                                                arena_printf(&c->work, "(%s is %s)", name,
                                                             var(c, choice->variables[j])->name),
                                                place, expr_const(pool, choice->first[s] == j ? 1 : 0));
        for (uint32_t o = 0; o < choice->n_orders; o++) {
            const uint32_t slot = add_var(c, FLAT_VARIABLE, slot_name(c, choice, o, s), place, EXPR_NONE);
            choice->slots[o * n + s] = slot;
            Expr sum = EXPR_NONE;
            for (uint32_t j = 0; j < m; j++) {
                const Expr factor = expr_var(pool, choice->params[s * m + j]);
                const Expr variable = expr_var(pool, choice->variables[o * m + j]);
                const Expr term = expr_binary(pool, EXPR_MUL, factor, variable);
                sum = sum == EXPR_NONE ? term : expr_binary(pool, EXPR_ADD, sum, term);
            }
            const FlatEquation e = { .lhs = expr_var(pool, slot), .rhs = sum, .place = place };
            vec_push(flat->arena, &flat->equations, e);
            if (o == 0) continue;
            const uint32_t below = choice->slots[(o - 1) * n + s];
            var(c, below)->derivative = slot;
            var(c, slot)->integral = below;
        }
    }
}

static bool make_choice(Chooser *c, const Group *g, Choice *choice, Arena *arena)
{
    const uint32_t m = (uint32_t)g->columns.n, k = (uint32_t)g->roots.n;
    const Place place = c->flat->equations.items[g->roots.items[0]].place;
    *choice = (Choice){ .n_rows = k, .n_columns = m, .n_slots = m - k, .n_orders = g->n_levels + 1,
                        .n_entries = g->n_entries };
    if ((size_t)m * choice->n_slots > CHOICE_MAX) {
        diag_report(c->diag, DIAG_MODEL_TOO_LARGE, place, (size_t)m * choice->n_slots,
                    "pairs of a state and a variable that it may be", (size_t)CHOICE_MAX);
        return false;
    }
    choice->equations = ARENA_ARRAY(arena, uint32_t, k);
    memcpy(choice->equations, g->roots.items, k * sizeof *choice->equations);
    choice->entries = ARENA_ARRAY(arena, BlockEntry, g->n_entries);
    memcpy(choice->entries, g->entries, g->n_entries * sizeof *choice->entries);
    choice->variables = ARENA_ARRAY(arena, uint32_t, (size_t)choice->n_orders * m);
    choice->slots = ARENA_ARRAY(arena, uint32_t, (size_t)choice->n_orders * choice->n_slots);
    choice->params = ARENA_ARRAY(arena, uint32_t, (size_t)choice->n_slots * m);
    choice->first = ARENA_ARRAY(arena, uint32_t, choice->n_slots);
    choice->weights = ARENA_ARRAY(arena, double, m);
    for (uint32_t j = 0; j < m; j++) {
        uint32_t v = g->columns.items[j];
        for (uint32_t o = choice->n_orders; o-- > 0; v = var(c, v)->integral)
            choice->variables[o * m + j] = v;
        choice->weights[j] = worth_of(c, g->columns.items[j]) >= 500 ? PREFERRED_WEIGHT : 1;
    }
    if (!choose_first(c, g, choice)) {
        Numbers rows = { 0 };
        c->rows.n = 0;
        for (uint32_t i = 0; i < k; i++) {
            vec_push(&c->work, &c->rows, (Row){ .equation = g->roots.items[i] });
            vec_push(&c->work, &rows, i);
        }
        return report_dependent(c, &rows);
    }
    return true;
}

// ---- All of it

static void cut(Chooser *c, uint32_t derivative)
{
    var(c, var(c, derivative)->integral)->derivative = FLAT_NONE;
    var(c, derivative)->integral = FLAT_NONE;
}

bool dummy_choose(Reduction *reduction, Flat *flat, const Pantelides *pantelides, const double *values,
                  Arena *arena, orr_diag *diag)
{
    const uint32_t n_vars = (uint32_t)flat->vars.n;
    Chooser c = { .flat = flat, .p = pantelides, .values = values, .diag = diag };
    c.gradients = ARENA_ARRAY(&c.work, Gradient *, pantelides->n_written);
    c.level_of = ARENA_ARRAY(&c.work, uint32_t, n_vars);
    c.was_dummy = ARENA_ARRAY(&c.work, bool, n_vars);
    c.group_of = ARENA_ARRAY(&c.work, uint32_t, n_vars);
    c.column_of = ARENA_ARRAY(&c.work, uint32_t, n_vars);
    bool ok = choose_all(&c);

    reduction->choices = ARENA_ARRAY(arena, Choice, c.groups.n);
    reduction->n_choices = (uint32_t)c.groups.n;
    for (size_t i = 0; i < c.groups.n && ok; i++)
        ok = make_choice(&c, &c.groups.items[i], &reduction->choices[i], arena);
    if (ok) {
        reduction->dependents = ARENA_ARRAY(arena, uint32_t, c.dummies.n);
        for (size_t k = 0; k < c.dummies.n; k++)
            reduction->dependents[reduction->n_dependents++] = var(&c, c.dummies.items[k])->integral;
        for (size_t k = 0; k < c.dummies.n; k++) cut(&c, c.dummies.items[k]);
    }
    for (uint32_t i = 0; i < reduction->n_choices && ok; i++) {
        const Choice *choice = &reduction->choices[i];
        for (uint32_t k = choice->n_columns; k < choice->n_orders * choice->n_columns; k++)
            cut(&c, choice->variables[k]);
    }
    for (uint32_t i = 0; i < reduction->n_choices && ok; i++)
        add_slots(&c, &reduction->choices[i],
                  flat->equations.items[reduction->choices[i].equations[0]].place);
    arena_free(&c.work);
    return ok;
}

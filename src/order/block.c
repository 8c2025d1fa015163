// src/order/block.c: solving components, by the simplest means that does it.
//
//     one equation        closed form, else Newton
//     several, linear     up to three symbolically, else elimination at run time
//     several, others     tearing (tear.h) and Newton, with symbolic derivatives of the residuals
//
// The derivatives go through the inner unknowns by the chain rule, in the order in which those are computed:
// of each inner unknown by the torn ones from those it reads. So the expressions grow with the graph, not
// with its unfolding.
#include "order/block.h"
#include "expr/build.h"
#include "order/combine.h"
#include "order/diagnose.h"
#include "order/linear.h"
#include "order/small.h"
#include "order/tear.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Maker {
    Ordered      *out;
    ExprPool     *pool;
    const System *system;
    const Match  *match;
    Arena        *arena;
    Arena         work;          // of one component
    orr_diag     *diag;
    uint32_t     *place;         // [n_vars] place in the present component, FLAT_NONE for all others
    uint32_t     *equations;     // [n_equations] room for the blocks, in order
    uint32_t     *unknowns;
    uint32_t      n_used;
    VEC(Loop)     loops;
} Maker;

// ---- Bookkeeping

static Block *add_block(Maker *m, BlockKind kind, uint32_t n)
{
    Block *block = &m->out->blocks[m->out->n_blocks++];
    *block = (Block){ .kind = kind,
                      .n = n,
                      .equations = m->equations + m->n_used,
                      .unknowns = m->unknowns + m->n_used,
                      .value = EXPR_NONE,
                      .divisor = EXPR_NONE,
                      .loop = FLAT_NONE };
    m->n_used += n;
    return block;
}

static Loop *add_loop(Maker *m, LoopMethod method, bool is_linear, uint32_t n, const uint32_t *rows)
{
    const Loop loop = { .method = method,
                        .is_linear = is_linear,
                        .n = n,
                        .first_block = m->out->n_blocks,
                        .n_blocks = method == LOOP_SYMBOLIC ? n : 1,
                        .equations = ARENA_ARRAY(m->arena, uint32_t, n),
                        .unknowns = ARENA_ARRAY(m->arena, uint32_t, n) };
    for (uint32_t i = 0; i < n; i++) {
        loop.equations[i] = rows[i];
        loop.unknowns[i] = m->out->computes[rows[i]];
    }
    vec_push(m->arena, &m->loops, loop);
    return &vec_last(&m->loops);
}

static uint32_t this_loop(const Maker *m) { return (uint32_t)m->loops.n - 1; }

static bool report_singular(Maker *m, const uint32_t *rows, uint32_t n)
{
    diagnose_singular_loop(m->system, m->match, rows, n, m->diag);
    return false;
}

// Of linear equations it can be said which depend on each other, and what is left of them when all unknowns
// cancel.
static bool report_dependent(Maker *m, const uint32_t *rows, uint32_t n, const SmallMatrix *a)
{
    SmallDependence d;
    if (!small_dependence(m->pool, n, a->entries, a->n_entries, a->vector, &m->work, &d))
        return report_singular(m, rows, n);
    Combinations *combined = m->system->combined;
    if (combined && combine_note(combined, (Flat *)m->system->flat, rows, &d, a)) return false;
    uint32_t *dependent = ARENA_ARRAY(&m->work, uint32_t, d.n);
    FlatEquation rest = { .lhs = expr_const(m->pool, 0), .rhs = expr_const(m->pool, 0) };
    for (uint32_t k = 0; k < d.n; k++) {
        dependent[k] = rows[d.rows[k]];
        const Expr term = build_mul(m->pool, expr_const(m->pool, d.factors[k]), a->vector[d.rows[k]]);
        rest.rhs = build_add(m->pool, rest.rhs, term);
    }
    diagnose_dependent(m->system, m->match, rows, n,
                       &(DiagnoseDependence){ .rows = dependent, .n = d.n, .contradicts = d.contradicts,
                                              .rest = d.is_constant ? &rest : NULL },
                       m->diag);
    return false;
}

static Expr residual_of(Maker *m, uint32_t row)
{
    return build_sub(m->pool, m->system->equations[row].lhs, m->system->equations[row].rhs);
}

static bool is_zero(const Maker *m, Expr e)
{
    double x;
    return expr_is_const(m->pool, e, &x) && x == 0;
}

// Equations in closed form, found while reading them: `v = …` without v on the right.
static Expr explicit_value(const Maker *m, uint32_t row, uint32_t variable)
{
    const System *s = m->system;
    if (s->form[row] != FORM_LEFT && s->form[row] != FORM_RIGHT) return EXPR_NONE;
    if (s->unknowns[s->written_for[row]] != variable) return EXPR_NONE;
    return s->form[row] == FORM_LEFT ? s->equations[row].rhs : s->equations[row].lhs;
}

// ---- One equation

static bool make_single(Maker *m, uint32_t row)
{
    const FlatEquation *equation = &m->system->equations[row];
    const uint32_t variable = m->out->computes[row];
    Expr divisor = EXPR_NONE, value = explicit_value(m, row, variable);
    if (value == EXPR_NONE) value = expr_solve(m->pool, equation->lhs, equation->rhs, variable, &divisor);

    BlockEntry *entry = NULL;
    Expr residual = EXPR_NONE;
    if (value == EXPR_NONE) {
        residual = residual_of(m, row);
        const Expr slope = expr_derivative(m->pool, residual, variable);
        if (is_zero(m, slope)) return report_singular(m, &row, 1);
        entry = ARENA_NEW(m->arena, BlockEntry);
        *entry = (BlockEntry){ .value = slope };
    }
    const bool reads_itself = m->system->form[row] == FORM_CIRCULAR
                              && m->system->unknowns[m->system->written_for[row]] == variable;
    const bool is_loop = value == EXPR_NONE || reads_itself;
    if (is_loop) {
        Loop *loop = add_loop(m, value == EXPR_NONE ? LOOP_NEWTON : LOOP_SYMBOLIC, false, 1, &row);
        loop->is_linear = false;
        // a linear one has a matrix of one entry
        Expr a, b;
        if (expr_split_linear(m->pool, residual_of(m, row), variable, &a, &b)) {
            loop->is_linear = true;
            loop->entries = ARENA_NEW(m->arena, BlockEntry);
            loop->entries[0] = (BlockEntry){ .value = a };
            loop->n_entries = 1;
            loop->vector = ARENA_NEW(m->arena, Expr);
            loop->vector[0] = build_neg(m->pool, b);
        }
    }

    Block *block = add_block(m, value == EXPR_NONE ? BLOCK_NEWTON : BLOCK_ASSIGN, 1);
    block->equations[0] = row;
    block->unknowns[0] = variable;
    block->value = value;
    block->divisor = divisor;
    block->loop = is_loop ? this_loop(m) : FLAT_NONE;
    if (value != EXPR_NONE) return true;
    block->n_torn = 1;
    block->residuals = ARENA_NEW(m->arena, Expr);
    block->residuals[0] = residual;
    block->entries = entry;
    block->n_entries = 1;
    return true;
}

// ---- Several linear equations

static int by_column(const void *a, const void *b)
{
    const BlockEntry *x = a, *y = b;
    return (x->column > y->column) - (x->column < y->column);
}

static SmallMatrix gather_matrix(Maker *m, uint32_t n, const LinearForm *forms)
{
    uint32_t n_entries = 0;
    for (uint32_t i = 0; i < n; i++) n_entries += forms[i].n_terms;
    BlockEntry *entries = ARENA_ARRAY(m->arena, BlockEntry, n_entries);
    Expr *vector = ARENA_ARRAY(m->arena, Expr, n);
    n_entries = 0;
    for (uint32_t i = 0; i < n; i++) {
        BlockEntry *row = entries + n_entries;
        uint32_t length = 0;
        for (uint32_t k = 0; k < forms[i].n_terms; k++) {
            const LinearTerm *term = &forms[i].terms[k];
            if (!term->is_bent && is_zero(m, term->coefficient)) continue;
            row[length++] =
                (BlockEntry){ .row = i, .column = m->place[term->variable], .value = term->coefficient };
        }
        qsort(row, length, sizeof *row, by_column);
        n_entries += length;
        vector[i] = forms[i].is_linear ? forms[i].constant : expr_const(m->pool, 0);
    }
    return (SmallMatrix){ entries, n_entries, vector };
}

static bool make_linear(Maker *m, const uint32_t *rows, uint32_t n, const LinearForm *forms)
{
    const SmallMatrix a = gather_matrix(m, n, forms);
    if (small_is_singular(m->pool, n, a.entries, a.n_entries)) return report_dependent(m, rows, n, &a);
    Expr values[SMALL_MAX], determinant = EXPR_NONE;
    const bool is_small = n <= SMALL_MAX;
    if (is_small && !small_solve(m->pool, n, a.entries, a.n_entries, a.vector, values, &determinant))
        return report_dependent(m, rows, n, &a);

    Loop *loop = add_loop(m, is_small ? LOOP_SYMBOLIC : LOOP_LU, true, n, rows);
    loop->entries = a.entries;
    loop->n_entries = a.n_entries;
    loop->vector = a.vector;
    for (uint32_t i = 0; is_small && i < n; i++) {
        Block *block = add_block(m, BLOCK_ASSIGN, 1);
        block->equations[0] = loop->equations[i];
        block->unknowns[0] = loop->unknowns[i];
        block->value = values[i];
        block->divisor = determinant;
        block->loop = this_loop(m);
    }
    if (is_small) return true;
    Block *block = add_block(m, BLOCK_LINEAR, n);
    memcpy(block->equations, loop->equations, n * sizeof *block->equations);
    memcpy(block->unknowns, loop->unknowns, n * sizeof *block->unknowns);
    block->entries = a.entries;
    block->n_entries = a.n_entries;
    block->vector = a.vector;
    block->loop = this_loop(m);
    return true;
}

// ---- Several equations, not all linear

// How much smaller than the largest of its equation a coefficient may be if it is to be divided by: errors
// grow by the quotient from each inner unknown to the next.
#define PIVOT_MIN 0.1

// Of a coefficient; infinite if it is no constant and so may be anything.
static double size_of(const Maker *m, const LinearTerm *term)
{
    double x;
    if (term->is_bent || !expr_is_const(m->pool, term->coefficient, &x) || !isfinite(x)) return INFINITY;
    return fabs(x);
}

// The rule of tear.h. An equation written for an unknown is taken at its word.
static bool may_solve(const Maker *m, uint32_t row, const LinearTerm *term, double largest)
{
    const double size = size_of(m, term);
    if (size == 0 || isinf(size)) return false;
    return size >= PIVOT_MIN * largest || explicit_value(m, row, term->variable) != EXPR_NONE;
}

static Tearing tear_component(Maker *m, const uint32_t *rows, uint32_t n, const uint32_t *unknowns,
                              const LinearForm *forms)
{
    size_t n_entries = 0;
    for (uint32_t i = 0; i < n; i++) n_entries += forms[i].n_terms;
    TearProblem problem = { .rows = { .n_rows = n, .n_columns = n } };
    problem.rows.first = ARENA_ARRAY(&m->work, uint32_t, (size_t)n + 1);
    problem.rows.columns = ARENA_ARRAY(&m->work, uint32_t, n_entries);
    bool *is_solvable = ARENA_ARRAY(&m->work, bool, n_entries), *is_wanted = ARENA_ARRAY(&m->work, bool, n);

    // places must be ascending in each row: number the unknowns by variable, as the terms are
    uint32_t *sorted = ARENA_ARRAY(&m->work, uint32_t, n);
    memcpy(sorted, unknowns, n * sizeof *sorted);
    incidence_sort(sorted, n);
    for (uint32_t j = 0; j < n; j++) {
        m->place[sorted[j]] = j;
        is_wanted[j] = m->system->flat->vars.items[sorted[j]].start != EXPR_NONE;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        double largest = 0;
        for (uint32_t k = 0; k < forms[i].n_terms; k++)
            largest = fmax(largest, size_of(m, &forms[i].terms[k]));
        for (uint32_t k = 0; k < forms[i].n_terms; k++) {
            const LinearTerm *term = &forms[i].terms[k];
            problem.rows.columns[at] = m->place[term->variable];
            is_solvable[at++] = may_solve(m, rows[i], term, largest);
        }
        problem.rows.first[i + 1] = at;
    }
    problem.is_solvable = is_solvable;
    problem.is_wanted = is_wanted;
    Tearing tearing = tear_choose(&problem, &m->work);
    for (uint32_t j = 0; j < n; j++) tearing.unknowns[j] = sorted[tearing.unknowns[j]];
    return tearing;
}

// Derivatives of one expression by the torn unknowns: a sparse row.
typedef struct Slope { uint32_t torn; Expr value; } Slope;
typedef struct Slopes { Slope *items; uint32_t n; } Slopes;

typedef struct Chain {
    Maker    *m;
    uint32_t  n_torn;
    Slopes   *inner;      // [n - n_torn] of the inner unknowns so far
    Expr     *sum;        // [n_torn] of the present expression, EXPR_NONE: 0
    uint32_t *touched;    // [n_torn] which are not
    uint32_t  n_touched;
    size_t    n_products;
} Chain;

static void chain_add(Chain *c, uint32_t torn, Expr value)
{
    if (is_zero(c->m, value)) return;
    if (c->sum[torn] == EXPR_NONE) {
        c->touched[c->n_touched++] = torn;
        c->sum[torn] = value;
    } else {
        c->sum[torn] = build_add(c->m->pool, c->sum[torn], value);
    }
}

// Total derivatives of an expression, through the inner unknowns that are known by now.
static Slopes chain_slopes(Chain *c, Expr e)
{
    Maker *m = c->m;
    size_t n_read, n = 0;
    uint32_t *variables = expr_variables(m->pool, e, &m->work, &n_read);
    for (size_t i = 0; i < n_read; i++)
        if (m->place[variables[i]] != FLAT_NONE) variables[n++] = variables[i];
    Expr *partials = ARENA_ARRAY(&m->work, Expr, n);
    expr_gradient(m->pool, e, variables, n, partials);
    for (size_t i = 0; i < n; i++) {
        const uint32_t place = m->place[variables[i]];
        if (place < c->n_torn) {
            chain_add(c, place, partials[i]);
        } else {
            const Slopes *through = &c->inner[place - c->n_torn];
            c->n_products += through->n;
            for (uint32_t k = 0; k < through->n; k++)
                chain_add(c, through->items[k].torn,
                          build_mul(m->pool, partials[i], through->items[k].value));
        }
    }
    incidence_sort(c->touched, c->n_touched);
    Slopes slopes = { .items = ARENA_ARRAY(&m->work, Slope, c->n_touched) };
    for (uint32_t k = 0; k < c->n_touched; k++) {
        const uint32_t j = c->touched[k];
        if (!is_zero(m, c->sum[j])) slopes.items[slopes.n++] = (Slope){ j, c->sum[j] };
        c->sum[j] = EXPR_NONE;
    }
    c->n_touched = 0;
    return slopes;
}

static Expr inner_value(Maker *m, uint32_t row, uint32_t variable)
{
    Expr value = explicit_value(m, row, variable), divisor = EXPR_NONE;
    const FlatEquation *equation = &m->system->equations[row];
    if (value == EXPR_NONE) value = expr_solve(m->pool, equation->lhs, equation->rhs, variable, &divisor);
    assert(value != EXPR_NONE && divisor == EXPR_NONE);    // the rule of tear.h
    return value;
}

// Where inner unknowns depend on very many torn ones, the derivatives through them would outgrow the model:
// then it is better to iterate on all unknowns, with a matrix as sparse as the equations.
enum { PRODUCTS_ALWAYS = 100000, PRODUCTS_PER_EQUATION = 100 };

// False if there would be too many derivatives.
static bool eliminate_inner(Chain *c, Block *block)
{
    const uint32_t n_inner = block->n - block->n_torn;
    const size_t limit = PRODUCTS_ALWAYS + (size_t)PRODUCTS_PER_EQUATION * block->n;
    block->inner = ARENA_ARRAY(c->m->arena, Expr, n_inner);
    c->inner = ARENA_ARRAY(&c->m->work, Slopes, n_inner);
    for (uint32_t k = 0; k < n_inner && c->n_products <= limit; k++) {
        const uint32_t i = block->n_torn + k;
        block->inner[k] = inner_value(c->m, block->equations[i], block->unknowns[i]);
        c->inner[k] = chain_slopes(c, block->inner[k]);
    }
    return c->n_products <= limit;
}

// The residuals and their derivatives. False if one depends on none of the torn unknowns.
static bool make_residuals(Chain *c, Block *block)
{
    Maker *m = c->m;
    VEC(BlockEntry) entries = { 0 };
    block->residuals = ARENA_ARRAY(m->arena, Expr, block->n_torn);
    for (uint32_t i = 0; i < block->n_torn; i++) {
        block->residuals[i] = residual_of(m, block->equations[i]);
        const Slopes slopes = chain_slopes(c, block->residuals[i]);
        if (slopes.n == 0) return false;
        for (uint32_t k = 0; k < slopes.n; k++) {
            const Slope slope = slopes.items[k];
            vec_push(m->arena, &entries,
                     (BlockEntry){ .row = i, .column = slope.torn, .value = slope.value });
        }
    }
    block->entries = entries.items;
    block->n_entries = (uint32_t)entries.n;
    return true;
}

static Chain chain_begin(Maker *m, const Block *block)
{
    Chain chain = { .m = m, .n_torn = block->n_torn, .sum = ARENA_ARRAY(&m->work, Expr, block->n_torn),
                    .touched = ARENA_ARRAY(&m->work, uint32_t, block->n_torn) };
    memset(chain.sum, 0xff, block->n_torn * sizeof *chain.sum);
    for (uint32_t i = 0; i < block->n; i++) m->place[block->unknowns[i]] = i;
    return chain;
}

// Do the linear ones among the equations depend on each other, and leave a constraint?
static bool hides_constraint(Maker *m, const uint32_t *rows, uint32_t n, const LinearForm *forms)
{
    uint32_t n_linear = 0;
    for (uint32_t i = 0; i < n; i++) n_linear += forms[i].is_linear;
    if (!m->system->combined || n_linear < 2) return false;
    const SmallMatrix a = gather_matrix(m, n, forms);
    SmallDependence d;
    if (!small_is_singular(m->pool, n, a.entries, a.n_entries)
        || !small_dependence(m->pool, n, a.entries, a.n_entries, a.vector, &m->work, &d))
        return false;
    for (uint32_t k = 0; k < d.n; k++)
        if (!forms[d.rows[k]].is_linear) return false;
    return combine_note(m->system->combined, (Flat *)m->system->flat, rows, &d, &a);
}

static bool make_torn(Maker *m, const uint32_t *rows, uint32_t n, const LinearForm *forms)
{
    Loop *loop = add_loop(m, LOOP_NEWTON, false, n, rows);
    const Tearing tearing = tear_component(m, rows, n, loop->unknowns, forms);
    Block *block = add_block(m, BLOCK_NEWTON, n);
    block->n_torn = tearing.n_torn;
    block->loop = this_loop(m);
    for (uint32_t i = 0; i < n; i++) {
        block->equations[i] = rows[tearing.equations[i]];
        block->unknowns[i] = tearing.unknowns[i];
    }
    Chain chain = chain_begin(m, block);
    if (!eliminate_inner(&chain, block)) {
        block->n_torn = n;
        chain = chain_begin(m, block);
    }
    return make_residuals(&chain, block) || report_singular(m, rows, n);
}

static bool make_several(Maker *m, const uint32_t *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) m->place[m->out->computes[rows[i]]] = i;
    LinearForm *forms = ARENA_ARRAY(&m->work, LinearForm, n);
    bool is_linear = true;
    for (uint32_t i = 0; i < n; i++) {
        const FlatEquation *equation = &m->system->equations[rows[i]];
        forms[i] = linear_form(m->pool, equation->lhs, equation->rhs, m->place, &m->work);
        is_linear = is_linear && forms[i].is_linear;
    }
    const bool ok = is_linear ? make_linear(m, rows, n, forms)
                              : !hides_constraint(m, rows, n, forms) && make_torn(m, rows, n, forms);
    for (uint32_t i = 0; i < n; i++) m->place[m->out->computes[rows[i]]] = FLAT_NONE;
    return ok;
}

// The code of a loop is handed variables, not arrays: those it reads must be variables.
static bool reads_arrays(Maker *m, const uint32_t *rows, uint32_t n)
{
    Flat *flat = (Flat *)m->system->flat;
    bool any = false;
    for (uint32_t i = 0; i < n && flat->arrays.n > 0; i++) {
        const FlatEquation *equation = &m->system->equations[rows[i]];
        const Expr sides[] = { equation->lhs, equation->rhs };
        for (int k = 0; k < 2; k++) {
            size_t n_elements;
            const Expr *elements = expr_elements(m->pool, sides[k], &m->work, &n_elements);
            for (size_t e = 0; e < n_elements; e++) {
                uint32_t a = expr_access(m->pool, elements[e])->array;
                if (flat->arrays.items[a].kind == FLAT_PARAM) continue;
                while (flat->arrays.items[a].integral != FLAT_NONE) a = flat->arrays.items[a].integral;
                flat->arrays.items[a].is_irregular = any = true;
            }
        }
    }
    return any;
}

static void add_family(Maker *m, uint32_t family)
{
    Block *block = add_block(m, BLOCK_FAMILY, 0);
    block->family = family;
    block->value = m->out->families[family].rhs;
}

bool block_make(Ordered *out, ExprPool *pool, const System *system, const Match *match,
                const Strong *components, Arena *arena, orr_diag *diag)
{
    const uint32_t n = system->rows.n_rows, n_arrays = (uint32_t)system->flat->arrays.n;
    const size_t n_vars = system->flat->vars.n;
    Arena kept = { 0 };
    Maker m = { .out = out, .pool = pool, .system = system, .match = match, .arena = arena, .diag = diag };
    m.place = ARENA_ARRAY(&kept, uint32_t, n_vars);
    memset(m.place, 0xff, n_vars * sizeof *m.place);
    m.equations = ARENA_ARRAY(arena, uint32_t, n);
    m.unknowns = ARENA_ARRAY(arena, uint32_t, n);
    out->blocks = ARENA_ARRAY(arena, Block, (size_t)n + out->n_families);
    out->n_blocks = 0;

    bool ok = true;
    for (uint32_t c = 0; c < components->n; c++) {
        const uint32_t *rows = components->nodes + components->first[c];
        const uint32_t size = components->first[c + 1] - components->first[c];
        if (rows[0] >= n) {
            add_family(&m, rows[0] - n);
            continue;
        }
        const uint32_t made = out->n_blocks;
        // go on after an error: several components may be singular
        if (!(size == 1 ? make_single(&m, rows[0]) : make_several(&m, rows, size))) ok = false;
        else if (out->blocks[made].kind != BLOCK_ASSIGN && reads_arrays(&m, rows, size)) ok = false;
        if (size > 1) arena_free(&m.work);
    }
    out->loops = m.loops.items;
    out->n_loops = (uint32_t)m.loops.n;
    out->block_of = ARENA_ARRAY(arena, uint32_t, n_vars);
    memset(out->block_of, 0xff, n_vars * sizeof *out->block_of);
    for (uint32_t b = 0; b < out->n_blocks; b++)
        for (uint32_t i = 0; i < out->blocks[b].n; i++) out->block_of[out->blocks[b].unknowns[i]] = b;
    // who computes which array
    out->array_first = ARENA_ARRAY(arena, uint32_t, (size_t)n_arrays + 2);
    out->array_blocks = ARENA_ARRAY(arena, uint32_t, out->n_families);
    for (uint32_t f = 0; f < out->n_families; f++)
        out->array_first[expr_access(pool, out->families[f].lhs)->array + 2]++;
    for (uint32_t a = 2; a < n_arrays + 2; a++) out->array_first[a] += out->array_first[a - 1];
    for (uint32_t b = 0; b < out->n_blocks; b++) {
        if (out->blocks[b].kind != BLOCK_FAMILY) continue;
        const uint32_t array = expr_access(pool, out->families[out->blocks[b].family].lhs)->array;
        out->array_blocks[out->array_first[array + 1]++] = b;
    }
    arena_free(&kept);
    return ok;
}

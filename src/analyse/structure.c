// src/analyse/structure.c: the order of evaluation, loops and relations of a compiled model as data.
#include "base/diag.h"
#include "model/model.h"
#include "num/lu.h"
#include "orrery/analyse.h"
#include <math.h>
#include <stdlib.h>

enum { CONDITION_MAX = 300 };    // rows of a loop whose condition number is computed

typedef struct Gather {
    const orr_model *model;
    orr_run         *start;    // stands at the initial values; NULL if there are none
    const orr_diag  *diag;     // knows the places
    ExprNames        names;
    Arena           *arena;    // of the result
    char            *text;     // of what is printed
    size_t           n;
    FILE            *out;
} Gather;

// What was printed since the last call.
static const char *printed(Gather *g)
{
    fflush(g->out);
    const char *copy = arena_copy_text(g->arena, g->text, g->n);
    rewind(g->out);
    return copy;
}

static orr_equation equation_of(Gather *g, Place place)
{
    return (orr_equation){ .text = printed(g), .place = diag_where(g->diag, place) };
}

static orr_equation written(Gather *g, const FlatEquation *e)
{
    const ExprPool *pool = &g->model->flat.pool;
    expr_print(pool, e->lhs, &g->names, g->out);
    fputs(" = ", g->out);
    expr_print(pool, e->rhs, &g->names, g->out);
    return equation_of(g, e->place);
}

static double value_of(const void *context, uint32_t variable)
{
    const Gather *r = context;
    return orr_run_value(r->start, variable);
}

static double element_of(const void *context, uint32_t array, uint32_t element)
{
    const Gather *r = context;
    const Flat *flat = &r->model->flat;
    return orr_run_value(r->start, flat->vars.n + flat->arrays.items[array].first + element);
}

static double mode_of(const void *context, uint32_t relation)
{
    (void)context, (void)relation;
    return NAN;    // entries that depend on a mode have no single condition number
}

// Of a linear loop at the initial values; NaN if it is not known.
static double condition_number(const Gather *r, const Loop *loop)
{
    if (!r->start || !loop->is_linear || loop->n > CONDITION_MAX) return NAN;
    const ExprValues values = { .variable = value_of, .mode = mode_of, .element = element_of, .context = r,
                                .t = orr_run_time(r->start) };
    Arena work = { 0 };
    double *matrix = ARENA_ARRAY(&work, double, (size_t)loop->n * loop->n);
    for (uint32_t k = 0; k < loop->n_entries; k++) {
        const BlockEntry *e = &loop->entries[k];
        matrix[(size_t)e->row * loop->n + e->column] = expr_evaluate(&r->model->flat.pool, e->value, &values);
    }
    size_t *pivots = ARENA_ARRAY(&work, size_t, loop->n);
    const double norm = lu_norm(matrix, loop->n);
    double condition = INFINITY;
    if (isnan(norm)) condition = NAN;
    else if (lu_factor(matrix, loop->n, pivots, NULL))
        condition = 1 / lu_reciprocal_condition(matrix, loop->n, pivots, norm,
                                                ARENA_ARRAY(&work, double, 2 * (size_t)loop->n));
    arena_free(&work);
    return condition;
}

static const size_t *numbers_of(Gather *g, const uint32_t *variables, uint32_t n)
{
    size_t *numbers = ARENA_ARRAY(g->arena, size_t, n);
    for (uint32_t i = 0; i < n; i++) numbers[i] = variables[i];
    return numbers;
}

static orr_loop loop_of(Gather *g, const Ordered *system, const Loop *loop)
{
    const FlatVar *vars = g->model->flat.vars.items;
    orr_equation *equations = ARENA_ARRAY(g->arena, orr_equation, loop->n);
    for (uint32_t i = 0; i < loop->n; i++) equations[i] = written(g, &system->equations[loop->equations[i]]);
    orr_loop made = { .method = order_method_text(loop), .condition = condition_number(g, loop), .n = loop->n,
                      .equations = equations, .variables = numbers_of(g, loop->unknowns, loop->n) };
    const Block *block = &system->blocks[loop->first_block];
    if (block->kind != BLOCK_NEWTON) return made;
    const char **guesses = ARENA_ARRAY(g->arena, const char *, block->n_torn);
    for (uint32_t i = 0; i < block->n_torn; i++) {
        const Expr start = vars[block->unknowns[i]].start;
        if (start == EXPR_NONE) continue;
        expr_print(&g->model->flat.pool, start, &g->names, g->out);
        guesses[i] = printed(g);
    }
    made.n_iterated = block->n_torn;
    made.iterated = numbers_of(g, block->unknowns, block->n_torn);
    made.guesses = guesses;
    return made;
}

static void gather_order(Gather *g, orr_structure *s)
{
    const Ordered *system = &g->model->blocks.dynamic;
    orr_turn *order = ARENA_ARRAY(g->arena, orr_turn, system->n_blocks);
    orr_loop *loops = ARENA_ARRAY(g->arena, orr_loop, system->n_loops);
    uint32_t last_loop = FLAT_NONE;
    for (uint32_t b = 0; b < system->n_blocks; b++) {
        const Block *block = &system->blocks[b];
        orr_turn *turn = &order[s->n_order];
        turn->loop = (size_t)-1;
        if (block->kind == BLOCK_FAMILY) {    // as written, whichever way its turns go
            const FlatFamily *family = &g->model->flat.families.items[block->family];
            flat_print_family(&g->model->flat, family, g->out);
            turn->equation = equation_of(g, family->place);
        } else if (block->loop == FLAT_NONE) {
            turn->equation = written(g, &system->equations[block->equations[0]]);
        } else {
            turn->loop = block->loop;
        }
        if (block->loop == FLAT_NONE || block->kind == BLOCK_FAMILY || block->loop != last_loop) s->n_order++;
        last_loop = block->loop;
    }
    for (uint32_t k = 0; k < system->n_loops; k++) loops[k] = loop_of(g, system, &system->loops[k]);
    s->order = order;
    s->loops = loops;
    s->n_loops = system->n_loops;
}

orr_structure orr_model_structure(const orr_model *model, const orr_diag *diag)
{
    Arena *arena = calloc(1, sizeof *arena);
    if (!arena) arena_no_memory(sizeof *arena);
    orr_structure s = { .memory = arena };
    orr_diag *aside = orr_diag_create();    // a model that cannot start can still be sorted
    const orr_run_options options = orr_run_options_default();
    Gather g = { .model = model, .start = orr_run_create(model, &options, aside), .diag = diag,
                 .names = flat_names(&model->flat), .arena = arena };
    g.out = open_memstream(&g.text, &g.n);
    if (!g.out) arena_no_memory(1);
    gather_order(&g, &s);
    const Flat *flat = &model->flat;
    orr_equation *relations = ARENA_ARRAY(arena, orr_equation, flat->relations.n);
    for (size_t i = 0; i < flat->relations.n; i++) {
        expr_print(&flat->pool, flat->relations.items[i].relation, &g.names, g.out);
        relations[i] = equation_of(&g, flat->relations.items[i].place);
    }
    s.relations = relations;
    s.n_relations = flat->relations.n;
    fclose(g.out);
    free(g.text);
    orr_run_destroy(g.start);
    orr_diag_destroy(aside);
    return s;
}

void orr_structure_free(orr_structure *structure)
{
    if (structure->memory) arena_free(structure->memory);
    free(structure->memory);
    *structure = (orr_structure){ 0 };
}

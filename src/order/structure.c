// src/order/structure.c: reading the incidence of a system off its expressions.
#include "order/structure.h"
#include <string.h>

bool structure_is_state(const FlatVar *v) { return v->kind == FLAT_VARIABLE && v->derivative != FLAT_NONE; }
bool structure_is_unknown(const FlatVar *v) { return v->kind == FLAT_VARIABLE && v->derivative == FLAT_NONE; }

// Looking at the nodes below an equation: each once, without recursion.
typedef struct Reader {
    const ExprPool *pool;
    Arena    *work;
    uint32_t *seen;      // [n_nodes] number + 1 of the last equation in which the node was met
    VEC(Expr) todo;
    VEC(uint32_t) found; // columns of all equations, one after the other
} Reader;

static void look_at(Reader *r, Expr e, uint32_t mark)
{
    if (r->seen[e] == mark) return;
    r->seen[e] = mark;
    vec_push(r->work, &r->todo, e);
}

static void look_below(Reader *r, const System *system, uint32_t mark)
{
    while (r->todo.n > 0) {
        const Expr e = vec_pop(&r->todo);
        const ExprNode *node = expr_node(r->pool, e);
        if (node->op == EXPR_VAR) {
            const uint32_t column = system->column_of[node->index];
            if (column != FLAT_NONE) vec_push(r->work, &r->found, column);
            continue;
        }
        for (int i = expr_n_operands(r->pool, e); i-- > 0;) look_at(r, expr_operand(r->pool, e, i), mark);
    }
}

// Several variables may stand for one unknown. Of sorted items; the number left.
static size_t drop_repeated(uint32_t *items, size_t n)
{
    size_t left = n > 0;
    for (size_t i = 1; i < n; i++)
        if (items[i] != items[left - 1]) items[left++] = items[i];
    return left;
}

static bool is_unknown(const System *system, Expr e)
{
    const ExprNode *node = expr_node(&system->flat->pool, e);
    return node->op == EXPR_VAR && system->column_of[node->index] != FLAT_NONE;
}

static void read_equation(Reader *r, System *system, uint32_t row)
{
    const FlatEquation *e = &system->equations[row];
    const bool is_left = is_unknown(system, e->lhs);
    const Expr alone = is_left ? e->lhs : e->rhs, other = is_left ? e->rhs : e->lhs;
    look_at(r, other, row + 1);
    look_below(r, system, row + 1);
    const bool is_new = r->seen[alone] != row + 1;
    look_at(r, alone, row + 1);
    look_below(r, system, row + 1);

    if (!is_unknown(system, alone)) return;
    system->written_for[row] = system->column_of[expr_node(r->pool, alone)->index];
    system->form[row] = !is_new ? FORM_CIRCULAR : is_left ? FORM_LEFT : FORM_RIGHT;
}

// Read all equations, given the unknown, if any, that each variable stands for.
static void read_system(System *system, uint32_t n_equations, uint32_t n_unknowns, Arena *arena)
{
    const Flat *flat = system->flat;
    system->written_for = ARENA_ARRAY(arena, uint32_t, n_equations);
    memset(system->written_for, 0xff, n_equations * sizeof *system->written_for);
    system->form = ARENA_ARRAY(arena, uint8_t, n_equations);

    Arena work = { 0 };
    Reader reader = { .pool = &flat->pool, .work = &work };
    reader.seen = ARENA_ARRAY(&work, uint32_t, flat->pool.nodes.n);
    Incidence rows = { .n_rows = n_equations, .n_columns = n_unknowns };
    rows.first = ARENA_ARRAY(arena, uint32_t, (size_t)n_equations + 1);
    for (uint32_t i = 0; i < n_equations; i++) {
        read_equation(&reader, system, i);
        if (reader.found.n >= UINT32_MAX) arena_no_memory(reader.found.n * sizeof *reader.found.items);
        incidence_sort(reader.found.items + rows.first[i], reader.found.n - rows.first[i]);
        reader.found.n = rows.first[i] + drop_repeated(reader.found.items + rows.first[i],
                                                       reader.found.n - rows.first[i]);
        rows.first[i + 1] = (uint32_t)reader.found.n;
    }
    rows.columns = ARENA_ARRAY(arena, uint32_t, reader.found.n);
    if (reader.found.n > 0) memcpy(rows.columns, reader.found.items, reader.found.n * sizeof *rows.columns);
    arena_free(&work);
    system->rows = rows;
    system->columns = incidence_transpose(&rows, arena);
}

void structure_build(System *system, uint32_t n_equations, uint32_t n_unknowns, Arena *arena)
{
    const size_t n_vars = system->flat->vars.n;
    system->column_of = ARENA_ARRAY(arena, uint32_t, n_vars);
    memset(system->column_of, 0xff, n_vars * sizeof *system->column_of);
    for (uint32_t j = 0; j < n_unknowns; j++) system->column_of[system->unknowns[j]] = j;
    read_system(system, n_equations, n_unknowns, arena);
}

System structure_dynamic(const Flat *flat, Arena *arena)
{
    System system = { .flat = flat, .equations = flat->equations.items };
    system.unknowns = ARENA_ARRAY(arena, uint32_t, flat->vars.n);
    uint32_t n = 0;
    for (uint32_t v = 0; v < flat->vars.n; v++)
        if (structure_is_unknown(&flat->vars.items[v])) system.unknowns[n++] = v;
    system.n_first = n;
    structure_build(&system, (uint32_t)flat->equations.n, n, arena);
    return system;
}

System structure_chains(const Flat *flat, Arena *arena)
{
    const size_t n_vars = flat->vars.n;
    System system = { .flat = flat, .equations = flat->equations.items };
    system.unknowns = ARENA_ARRAY(arena, uint32_t, n_vars);
    system.column_of = ARENA_ARRAY(arena, uint32_t, n_vars);
    memset(system.column_of, 0xff, n_vars * sizeof *system.column_of);
    uint32_t n = 0;
    for (uint32_t v = 0; v < n_vars; v++) {
        if (flat->vars.items[v].kind != FLAT_VARIABLE || flat->vars.items[v].integral != FLAT_NONE) continue;
        for (uint32_t x = v; x != FLAT_NONE; x = flat->vars.items[x].derivative) {
            system.column_of[x] = n;
            system.unknowns[n] = x;
        }
        n++;
    }
    system.n_first = n;
    read_system(&system, (uint32_t)flat->equations.n, n, arena);
    return system;
}

// src/ir/quantise_shapes.c: shapes of terms as expressions over slots, and the rows of their terms.
#include "ir/quantiser.h"
#include <assert.h>
#include <string.h>

static bool is_moving(uint32_t kind)
{
    return kind == IR_SLOT_STATE || kind == IR_SLOT_SHARED || kind == IR_SLOT_UNKNOWN;
}

// The degree of a node as a polynomial of what moves, from those of its operands.
static int degree_of(const Quantiser *w, const ExprNode *r, const uint8_t *degree)
{
    const int arity = expr_ops[r->op].arity;
    int most = 0;
    for (int k = 0; k < arity; k++) {
        const int d = degree[k == 0 ? r->a : k == 1 ? r->b : r->c];
        if (d > most) most = d;
    }
    if (arity == 0) return r->op == EXPR_TIME || (r->op == EXPR_VAR && is_moving(r->a));
    if (most == 0) return 0;
    int d = IR_WILD;
    switch (r->op) {
    case EXPR_NEG:
    case EXPR_ADD:
    case EXPR_SUB: return most;
    case EXPR_MUL: d = degree[r->a] + degree[r->b]; break;
    case EXPR_DIV: return degree[r->b] == 0 ? most : IR_WILD;
    case EXPR_IF: return degree[r->a] == 0 ? most : IR_WILD;
    case EXPR_POW: {
        const double power = r->c ? w->numbers.items[r->c - 1] : -1;
        if (power >= 1 && power < IR_WILD && power == (int)power) d = degree[r->a] * (int)power;
        break;
    }
    default: break;
    }
    return d < IR_WILD ? d : IR_WILD;
}

// Does solve/qss/bounds.c know its bounds?
static bool is_bounded(uint32_t op)
{
    switch (op) {
    case EXPR_GRID:
    case EXPR_DRAW:
    case EXPR_CBRT:
    case EXPR_HYPOT:
    case EXPR_EXPM1:
    case EXPR_LOG2:
    case EXPR_LOG1P:
    case EXPR_ASINH:
    case EXPR_ACOSH:
    case EXPR_ATANH:
    case EXPR_ERF:
    case EXPR_ERFC: return false;
    default: return true;
    }
}

static void find_degree(Quantiser *w, const MetShape *from, IrShape *shape)
{
    const ArenaMark mark = arena_mark(&w->arena);
    uint8_t *degree = ARENA_ARRAY(&w->arena, uint8_t, from->n_records);
    for (uint32_t i = 0; i < from->n_records; i++) {
        const ExprNode *r = &shape->records[i];
        degree[i] = (uint8_t)degree_of(w, r, degree);
        if (degree[i] == IR_WILD && !is_bounded(r->op)) shape->is_opaque = true;
    }
    shape->degree = degree[from->n_records - 1];
    arena_release(&w->arena, mark);
}

static const ExprNode *copy_records(const Quantiser *w, const MetShape *from)
{
    ExprNode *records = ARENA_ARRAY(&w->q->arena, ExprNode, from->n_records);
    memcpy(records, w->records.items + from->first_record, from->n_records * sizeof *records);
    return records;
}

static Expr rebuild(Quantiser *w, const MetShape *from, IrShape *shape)
{
    IrQuantised *q = w->q;
    const ArenaMark mark = arena_mark(&w->arena);
    Expr *made = ARENA_ARRAY(&w->arena, Expr, from->n_records);
    uint32_t slot = 0;
    for (uint32_t i = 0; i < from->n_records; i++) {
        const ExprNode *r = &w->records.items[from->first_record + i];
        if (r->op == EXPR_TIME) {
            made[i] = expr_time(&q->pool);
            shape->reads_time = true;
        } else if (r->op == EXPR_CONST && r->a == TRUTH) {
            made[i] = expr_truth(&q->pool, r->b != 0);
        } else if (r->op == EXPR_CONST && !from->moves[slot]) {
            made[i] = expr_const(&q->pool, w->numbers.items[w->leaves.items[from->first_leaf + slot]]);
            slot++;
        } else if (r->op == EXPR_MODE) {
            made[i] = expr_mode(&q->pool, slot++);
        } else if (expr_ops[r->op].arity == 0) {
            made[i] = expr_var(&q->pool, slot++);
        } else {
            const int arity = expr_ops[r->op].arity;
            const Expr second = has_table_second(r->op) ? r->b : arity > 1 ? made[r->b] : EXPR_NONE;
            const Expr third = has_table_third(r->op) ? r->c : arity > 2 ? made[r->c] : EXPR_NONE;
            made[i] = expr_make(&q->pool, (ExprOp)r->op, made[r->a], second, third);
        }
    }
    const Expr root = made[from->n_records - 1];
    arena_release(&w->arena, mark);
    return root;
}

// The kinds of a shape's slots, in order.
static void find_slots(const Quantiser *w, const MetShape *from, IrShape *shape)
{
    uint32_t slot = 0;
    for (uint32_t i = 0; i < from->n_records; i++) {
        const ExprNode *r = &w->records.items[from->first_record + i];
        const bool is_slot = expr_ops[r->op].arity == 0 && r->op != EXPR_TIME &&
                             !(r->op == EXPR_CONST && r->a == TRUTH);
        if (!is_slot) continue;
        IrSlot *s = &shape->slots[slot];
        *s = (IrSlot){ .kind = (IrSlotKind)r->a,
                       .moves = from->moves[slot],
                       .index = w->leaves.items[from->first_leaf + slot] };
        if (s->moves) s->column = shape->n_columns++;
        slot++;
    }
    assert(slot == from->n_slots);
}

void shapes_make(Quantiser *w)
{
    IrQuantised *q = w->q;
    q->n_shapes = (uint32_t)w->shapes.n;
    q->shapes = ARENA_ARRAY(&q->arena, IrShape, q->n_shapes);
    // tables of the model keep their numbers
    for (uint32_t i = 0; i < w->pool->tables.n; i++) {
        const ExprTable *table = &w->pool->tables.items[i];
        const uint32_t number = expr_table(&q->pool, table->x, table->y, table->n);
        assert(number == i);
        (void)number;
    }
    for (size_t i = 0; i < w->pool->pieces.n; i++)
        vec_push(&q->arena, &q->pool.pieces, w->pool->pieces.items[i]);    // their numbers are the model's
    size_t n_rows = 0;
    for (uint32_t i = 0; i < q->n_shapes; i++) {
        const MetShape *from = &w->shapes.items[i];
        IrShape *shape = &q->shapes[i];
        *shape = (IrShape){ .slots = ARENA_ARRAY(&q->arena, IrSlot, from->n_slots),
                            .n_slots = from->n_slots,
                            .n_terms = from->n_terms,
                            .own = from->own,
                            .records = copy_records(w, from),
                            .n_records = from->n_records,
                            .is_relation = from->kind == TERM_RELATION,
                            .is_residual = from->kind == TERM_RESIDUAL || from->kind == TERM_RESIDUAL_X,
                            .reads_x = from->kind == TERM_RELATION || from->kind == TERM_RESIDUAL_X };
        find_slots(w, from, shape);
        shape->value = rebuild(w, from, shape);
        find_degree(w, from, shape);
        n_rows += (size_t)shape->n_columns * shape->n_terms;
    }
    q->rows = ARENA_ARRAY(&q->arena, uint32_t, n_rows);
    q->row_of = ARENA_ARRAY(&q->arena, uint32_t, q->n_terms);
    uint32_t at = 0;
    for (uint32_t t = 0; t < q->n_terms; t++) {
        if (q->shape_of[t] == FLAT_NONE) continue;
        const IrShape *shape = &q->shapes[q->shape_of[t]];
        q->row_of[t] = at;
        for (uint32_t k = 0; k < shape->n_slots; k++)
            if (shape->slots[k].moves) q->rows[at++] = w->leaves.items[w->first_leaf[t] + k];
    }
    q->numbers = ARENA_ARRAY(&q->arena, double, w->numbers.n);
    if (w->numbers.n) memcpy(q->numbers, w->numbers.items, w->numbers.n * sizeof *q->numbers);
}

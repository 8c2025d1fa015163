// src/code/cexpr.c: expressions as C.
#include "code/cexpr.h"
#include <assert.h>

const char *const cexpr_array_names[N_ARRAYS] = {
    [ARRAY_NONE] = "", [ARRAY_X] = "x", [ARRAY_V] = "v", [ARRAY_OUT] = "out", [ARRAY_IN] = "in",
    [ARRAY_Z] = "z",   [ARRAY_R] = "r", [ARRAY_M] = "m", [ARRAY_W] = "w",     [ARRAY_S] = "s",
    [ARRAY_N] = "numbers",
};

// ---- Expressions

static void print_operand(Gen *g, Operand o, int binding);

bool cexpr_is_mode(const Gen *g, Array array, uint32_t index)
{
    const IrLayout *layout = &g->ir->layout;
    return array == ARRAY_V && index >= layout->first_mode && index < layout->first_mode + layout->n_modes;
}

// The local into which memory is loaded.
void cexpr_local(const Gen *g, StrBuf *s, Array array, uint32_t index)
{
    const IrLayout *layout = &g->ir->layout;
    switch (array) {
    case ARRAY_V:
        if (index < layout->n_params) gen_name(s, "p", index);
        else if (cexpr_is_mode(g, array, index)) gen_name(s, "m", index - layout->first_mode);
        else gen_name(s, "v", index);
        break;
    case ARRAY_IN: gen_name(s, "i", index); break;
    case ARRAY_W: gen_name(s, "a", index); break;
    default: gen_name(s, cexpr_array_names[array], index);
    }
}

// Each member has its own, but for the numbers of loops.
static bool has_lanes(const Gen *g, Array array) { return g->lanes && array != ARRAY_N; }

void cexpr_place(Gen *g, StrBuf *s, Array array, uint32_t index)
{
    g->uses_array[array] = true;
    str_add(s, cexpr_array_names[array]);
    gen_name(s, "[", has_lanes(g, array) ? index * g->lanes : index);
    str_add(s, has_lanes(g, array) ? " + l]" : "]");
}

static void print_memory(Gen *g, Array array, uint32_t index)
{
    StrBuf *s = &g->piece_text;
    if (g->r->is_named) {
        if (array == ARRAY_X) {
            g->reads_state[index] = true;
            gen_name(s, index < g->n_new ? "y" : g->r->state, index);
            return;
        }
        assert(array == ARRAY_V);
        g->uses_place[index] = true;
        cexpr_local(g, s, array, index);
        return;
    }
    const LeafInfo *leaf = &g->leaves[array][index];
    const bool has_local = plan_caches(g) && leaf->piece == g->piece_id && leaf->count >= LOCAL_FROM;
    if (has_local) cexpr_local(g, s, array, index);
    else cexpr_place(g, s, array, index);
}

static void print_mode(Gen *g, uint32_t k, int binding)
{
    StrBuf *s = &g->piece_text;
    const uint32_t place = g->ir->layout.first_mode + k;
    const LeafInfo *leaf = &g->leaves[ARRAY_V][place];
    const bool is_loaded =
        g->r->is_named || (plan_caches(g) && leaf->piece == g->piece_id && leaf->count >= LOCAL_FROM);
    if (!is_loaded && binding > BIND_EQUAL) str_add_char(s, '(');
    print_memory(g, ARRAY_V, place);
    if (is_loaded) return;
    str_add(s, " != 0.0");
    if (binding > BIND_EQUAL) str_add_char(s, ')');
}

void cexpr_variable(Gen *g, uint32_t variable)
{
    const VarInfo *info = plan_variable(g, variable);
    assert(plan_is_local(g, info) || info->array != ARRAY_NONE);
    if (plan_is_local(g, info)) gen_name(&g->piece_text, "a", variable);
    else print_memory(g, (Array)info->array, info->index);
}

static void print_temporary(Gen *g, Expr e, const NodeInfo *info, int binding)
{
    StrBuf *s = &g->piece_text;
    if (info->piece == g->piece) {
        gen_name(s, "e", info->number);
        return;
    }
    const bool is_truth = g->is_truth[e];
    if (is_truth && binding > BIND_EQUAL) str_add_char(s, '(');
    print_memory(g, ARRAY_S, info->slot - 1);
    if (is_truth) str_add(s, " != 0.0");
    if (is_truth && binding > BIND_EQUAL) str_add_char(s, ')');
}

// The operation under way.
typedef struct Operation {
    Gen            *g;
    uint32_t        node;
    const NodeInfo *info;
} Operation;

static void print_operand_of(void *context, int k, int binding)
{
    const Operation *o = context;
    print_operand(o->g, o->info->operands[k], binding);
}

static void print_table(void *context)
{
    const Operation *o = context;
    Gen *g = o->g;
    StrBuf *s = &g->piece_text;
    const ExprNode *node = expr_node(g->pool, o->node);
    if (node->op == EXPR_LOOKUP || node->op == EXPR_SLOPE) {
        g->uses_table[node->b] = true;
        gen_name(s, "orr_table_x", node->b);
        gen_name(s, ", orr_table_y", node->b);
        gen_name(s, ", ", g->pool->tables.items[node->b].n);
        str_add(s, ", ");
        return;
    }
    const uint32_t table = node->op == EXPR_PIECES ? node->b : node->c;
    const ExprPieces *pieces = &g->pool->pieces.items[table];
    if (g->lanes) g->uses_array[ARRAY_N] = true;
    else g->uses_env = true;
    gen_name(s, g->lanes ? "numbers + " : "env->numbers + ", g->ir->pieces[table]);
    gen_name(s, ", ", pieces->n_breaks[0]);
    if (node->op == EXPR_GRID) gen_name(s, ", ", pieces->n_breaks[1]);
    str_add(s, ", ");
}

// What the run is asked for: a history or a random stream, by its number and the operands.
static void print_question(Gen *g, const NodeInfo *info, const char *function, uint32_t number)
{
    StrBuf *s = &g->piece_text;
    g->uses_env = true;
    gen_name(s, function, number);
    for (int k = 0; k < info->n_operands; k++) {
        str_add(s, ", ");
        print_operand(g, info->operands[k], BIND_IF);
    }
    str_add_char(s, ')');
}

static void print_operation(Gen *g, uint32_t node, const NodeInfo *info, int binding)
{
    StrBuf *s = &g->piece_text;
    if (info->place) {    // computed together with others
        gen_name(s, "f[", info->place - 1);
        str_add_char(s, ']');
    } else if (info->op == EXPR_DELAY) {
        print_question(g, info, g->is_file ? "orr_past(env->m, " : "env->history(env->histories, ",
                       expr_node(g->pool, node)->b);
    } else if (info->op == EXPR_DRAW) {
        g->uses_draw = true;
        print_question(g, info, g->is_file ? "orr_draw(env->m, " : "env->draw(env->streams, ",
                       expr_node(g->pool, node)->c);
    } else {
        Operation o = { g, node, info };
        const Arith a = { .s = s, .op = (ExprOp)info->op, .power = info->power,
                          .n_operands = info->n_operands, .may_repeat = true, .has_no_jumps = g->lanes > 0,
                          .uses_math = g->uses_math, .uses_power = g->uses_power,
                          .operand = print_operand_of, .table = print_table, .context = &o };
        arith_print(&a, binding);
    }
}

static void print_leaf(Gen *g, Expr e, int binding)
{
    StrBuf *s = &g->piece_text;
    const ExprNode *leaf = expr_node(g->pool, e);
    if (leaf->op == EXPR_MODE) {
        print_mode(g, leaf->index, binding);
    } else if (leaf->op == EXPR_TIME) {
        g->uses_time = true;
        str_add(s, g->r->time);
    } else if (leaf->op == EXPR_ELEM) {
        uint32_t index;
        const Array array = plan_element(g, e, &index);
        print_memory(g, array, index);
    } else if (leaf->op == EXPR_TURN) {
        const int first = (int32_t)leaf->b;
        if (first == 0) str_addf(s, "(double)%s", g->counters[leaf->a]);
        else
            str_addf(s, "(double)(%s %c %d)", g->counters[leaf->a], first < 0 ? '-' : '+',
                     first < 0 ? -first : first);
    } else {
        const double value = g->pool->constants.items[leaf->index];
        if (g->is_truth[e]) str_add(s, value != 0 ? "1" : "0");
        else gen_leaf(s, value, binding);
    }
}

// ---- Leaves that depend on the turn of a loop

// A table has a number among those that the piece reads.
void cexpr_table(Gen *g, StrBuf *s, uint32_t table)
{
    uint32_t k = 0;
    while (k < g->tables.n && g->tables.items[k] != table) k++;
    if (k == g->tables.n) vec_push(&g->work, &g->tables, table);
    gen_name(s, "T", k);
}

void cexpr_index(Gen *g, const IrPlace *place)
{
    StrBuf *s = &g->piece_text;
    if (place->table != FLAT_NONE) {
        cexpr_table(g, s, place->table);
        str_addf(s, "[%s]", g->counters[0]);
        return;
    }
    gen_name(s, "", place->first);
    for (int k = 0; k < IR_DEPTH_MAX; k++) {
        const int32_t stride = place->stride[k];
        if (stride == 0) continue;
        str_add(s, stride < 0 ? " - " : " + ");
        if (stride != 1 && stride != -1) str_addf(s, "%d*", stride < 0 ? -stride : stride);
        str_add(s, g->counters[k]);
    }
}

void cexpr_moving(Gen *g, const IrPlace *place)
{
    StrBuf *s = &g->piece_text;
    const Array array = plan_array_of[place->memory];
    g->uses_array[array] = true;
    str_add(s, cexpr_array_names[array]);
    str_add(s, has_lanes(g, array) ? "[(" : "[");
    cexpr_index(g, place);
    if (has_lanes(g, array)) str_addf(s, ")*%u + l", g->lanes);
    str_add_char(s, ']');
}

static void print_moving(Gen *g, const IrPlace *place, int binding)
{
    StrBuf *s = &g->piece_text;
    const bool is_truth = expr_op(g->pool, place->leaf) == EXPR_MODE;
    const bool needs_parentheses = is_truth && binding > BIND_EQUAL;
    if (needs_parentheses) str_add_char(s, '(');
    cexpr_moving(g, place);
    if (is_truth) str_add(s, " != 0.0");
    if (needs_parentheses) str_add_char(s, ')');
}

static void print_operand(Gen *g, Operand o, int binding)
{
    o = plan_through(g, o);
    const IrPlace *place = plan_moving(g, o);
    if (place) {
        print_moving(g, place, binding);
        return;
    }
    if (operand_is_variable(o)) {
        cexpr_variable(g, operand_variable(o));
        return;
    }
    if (!operand_is_node(o)) {
        print_leaf(g, operand_leaf(o), binding);
        return;
    }
    const NodeInfo *info = plan_node(g, o);
    if (info->number && o != g->own) {
        print_temporary(g, o, info, binding);
        return;
    }
    print_operation(g, o, info, binding);
}

void cexpr_operand(Gen *g, Operand o) { print_operand(g, o, BIND_IF); }

void cexpr_print(Gen *g, Expr e, int binding) { print_operand(g, plan_operand(g, e), binding); }

// A value for memory: truth values are stored as 1 and 0.
void cexpr_value(Gen *g, Expr e)
{
    double value;
    if (expr_is_const(g->pool, e, &value) && !plan_moving(g, plan_operand(g, e))) {
        gen_number(&g->piece_text, value);
        return;
    }
    const bool is_truth = g->is_truth[e];
    cexpr_print(g, e, is_truth ? BIND_OR : BIND_IF);
    if (is_truth) str_add(&g->piece_text, " ? 1.0 : 0.0");
}

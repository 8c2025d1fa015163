// src/code/cexpr.c: expressions as C.
#include "code/cexpr.h"
#include "base/number.h"
#include <assert.h>
#include <math.h>
#include <string.h>

const char *const cexpr_array_names[N_ARRAYS] = {
    [ARRAY_NONE] = "", [ARRAY_X] = "x", [ARRAY_V] = "v", [ARRAY_OUT] = "out", [ARRAY_IN] = "in",
    [ARRAY_Z] = "z",   [ARRAY_R] = "r", [ARRAY_M] = "m", [ARRAY_W] = "w",     [ARRAY_S] = "s",
    [ARRAY_N] = "numbers",
};

// ---- Text

void gen_name(StrBuf *s, const char *prefix, uint32_t number)
{
    char digits[16];
    size_t n = sizeof digits;
    do digits[--n] = (char)('0' + number % 10);
    while (number /= 10);
    str_add(s, prefix);
    str_add_text(s, (Text){ digits + n, sizeof digits - n });
}

void gen_number(StrBuf *s, double value)
{
    if (isnan(value)) {
        str_add(s, "(0.0/0.0)");
        return;
    }
    if (isinf(value)) {
        str_add(s, value > 0 ? "(1.0/0.0)" : "(-1.0/0.0)");
        return;
    }
    char text[NUMBER_MAX];
    const size_t n = number_format(value, text);
    str_add_text(s, (Text){ text, n });
    if (!memchr(text, '.', n) && !memchr(text, 'e', n)) str_add(s, ".0");
}

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

static void print_infix(Gen *g, const NodeInfo *info, const char *sign, int left, int right)
{
    print_operand(g, info->operands[0], left);
    str_add(&g->piece_text, sign);
    print_operand(g, info->operands[1], right);
}

static void print_call(Gen *g, uint32_t node, const NodeInfo *info)
{
    StrBuf *s = &g->piece_text;
    if (info->place) {    // computed together with others
        gen_name(s, "f[", info->place - 1);
        str_add_char(s, ']');
        return;
    }
    g->uses_math[g->math_of_op[info->op]] = true;
    str_add(s, expr_ops[info->op].c);
    str_add_char(s, '(');
    if (info->op == EXPR_LOOKUP || info->op == EXPR_SLOPE) {
        const uint32_t table = expr_node(g->pool, node)->b;
        g->uses_table[table] = true;
        gen_name(s, "orr_table_x", table);
        gen_name(s, ", orr_table_y", table);
        gen_name(s, ", ", g->pool->tables.items[table].n);
        str_add(s, ", ");
    }
    if (info->op == EXPR_PIECES || info->op == EXPR_NEAR || info->op == EXPR_GRID) {
        const ExprNode *read = expr_node(g->pool, node);
        const uint32_t table = info->op == EXPR_PIECES ? read->b : read->c;
        const ExprPieces *pieces = &g->pool->pieces.items[table];
        if (g->lanes) g->uses_array[ARRAY_N] = true;
        else g->uses_env = true;
        gen_name(s, g->lanes ? "numbers + " : "env->numbers + ", g->ir->pieces[table]);
        gen_name(s, ", ", pieces->n_breaks[0]);
        if (info->op == EXPR_GRID) gen_name(s, ", ", pieces->n_breaks[1]);
        str_add(s, ", ");
    }
    print_operand(g, info->operands[0], BIND_IF);
    if (info->n_operands > 1) {
        str_add(s, ", ");
        print_operand(g, info->operands[1], BIND_IF);
    }
    str_add_char(s, ')');
}

// Squares and cubes as products, others by a function of the prelude: all in the order of expr_whole_power.
static void print_power(Gen *g, const NodeInfo *info)
{
    StrBuf *s = &g->piece_text;
    const int n = info->power;
    const unsigned m = (unsigned)(n < 0 ? -n : n);
    if (n < 0) str_add(s, "1.0/");
    if (m > 3) {
        g->uses_power[m] = true;
        gen_name(s, "orr_power", m);
        str_add_char(s, '(');
        print_operand(g, info->operands[0], BIND_IF);
        str_add_char(s, ')');
        return;
    }
    if (n < -1) str_add_char(s, '(');
    for (unsigned i = 0; i < m; i++) {
        if (i) str_add_char(s, '*');
        print_operand(g, info->operands[0], BIND_UNARY);
    }
    if (n < -1) str_add_char(s, ')');
}

static int binding_of(const NodeInfo *info)
{
    if (info->power) return info->power == 1 || info->power > 3 ? BIND_ATOM : BIND_PRODUCT;
    switch (info->op) {
    case EXPR_IF: return BIND_IF;
    case EXPR_OR: return BIND_OR;
    case EXPR_AND: return BIND_AND;
    case EXPR_EQ: case EXPR_NE: return BIND_EQUAL;
    case EXPR_LT: case EXPR_LE: case EXPR_GT: case EXPR_GE: return BIND_LESS;
    case EXPR_ADD: case EXPR_SUB: return BIND_SUM;
    case EXPR_MUL: case EXPR_DIV: return BIND_PRODUCT;
    case EXPR_NEG: case EXPR_NOT: return BIND_UNARY;
    default: return BIND_ATOM;
    }
}

static void print_operation(Gen *g, uint32_t node, const NodeInfo *info)
{
    StrBuf *s = &g->piece_text;
    if (info->power) {
        print_power(g, info);
        return;
    }
    switch (info->op) {
    case EXPR_NEG: case EXPR_NOT:
        str_add_char(s, info->op == EXPR_NEG ? '-' : '!');
        print_operand(g, info->operands[0], BIND_ATOM);
        return;
    // the right operand of equal rank keeps its parentheses: rounding is not associative
    case EXPR_ADD: print_infix(g, info, " + ", BIND_SUM, BIND_PRODUCT); return;
    case EXPR_SUB: print_infix(g, info, " - ", BIND_SUM, BIND_PRODUCT); return;
    case EXPR_MUL: print_infix(g, info, "*", BIND_PRODUCT, BIND_UNARY); return;
    case EXPR_DIV: print_infix(g, info, "/", BIND_PRODUCT, BIND_UNARY); return;
    case EXPR_LT: print_infix(g, info, " < ", BIND_SUM, BIND_SUM); return;
    case EXPR_LE: print_infix(g, info, " <= ", BIND_SUM, BIND_SUM); return;
    case EXPR_GT: print_infix(g, info, " > ", BIND_SUM, BIND_SUM); return;
    case EXPR_GE: print_infix(g, info, " >= ", BIND_SUM, BIND_SUM); return;
    case EXPR_EQ: print_infix(g, info, " == ", BIND_SUM, BIND_SUM); return;
    case EXPR_NE: print_infix(g, info, " != ", BIND_SUM, BIND_SUM); return;
    // a jump in a loop over lanes would keep it from becoming vectors
    case EXPR_AND: print_infix(g, info, g->lanes ? " & " : " && ", BIND_LESS, BIND_LESS); return;
    case EXPR_OR: print_infix(g, info, g->lanes ? " | " : " || ", BIND_LESS, BIND_LESS); return;
    case EXPR_IF:
        print_operand(g, info->operands[0], BIND_OR);
        str_add(s, " ? ");
        print_operand(g, info->operands[1], BIND_OR);
        str_add(s, " : ");
        print_operand(g, info->operands[2], BIND_OR);
        return;
    case EXPR_DELAY:
        g->uses_env = true;
        gen_name(s, g->is_file ? "orr_past(env->m, " : "env->history(env->histories, ",
                 expr_node(g->pool, node)->b);
        str_add(s, ", ");
        print_operand(g, info->operands[0], BIND_IF);
        str_add_char(s, ')');
        return;
    case EXPR_DRAW:
        g->uses_env = g->uses_draw = true;
        gen_name(s, g->is_file ? "orr_draw(env->m, " : "env->draw(env->streams, ",
                 expr_node(g->pool, node)->c);
        str_add(s, ", ");
        print_operand(g, info->operands[0], BIND_IF);
        str_add(s, ", ");
        print_operand(g, info->operands[1], BIND_IF);
        str_add_char(s, ')');
        return;
    default: print_call(g, node, info);
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
        const bool needs_parentheses = binding > BIND_UNARY && signbit(value) && isfinite(value);
        if (needs_parentheses) str_add_char(s, '(');
        if (g->is_truth[e]) str_add(s, value != 0 ? "1" : "0");
        else gen_number(s, value);
        if (needs_parentheses) str_add_char(s, ')');
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
    StrBuf *s = &g->piece_text;
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
    const bool needs_parentheses = binding_of(info) < binding;
    if (needs_parentheses) str_add_char(s, '(');
    print_operation(g, o, info);
    if (needs_parentheses) str_add_char(s, ')');
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

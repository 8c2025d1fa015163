// src/code/emit.c: planning and printing of straight-line routines; see emit.h.
#include "code/emit.h"
#include "base/number.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    WEIGHT_MAX = 40,      // nodes in one printed expression
    DEPTH_MAX = 30,       // nesting of it, which is also the depth of our recursion
    STACK_DOUBLES = 256,  // of a loop's unknowns and inputs on the C stack
};

static const char *const array_names[N_ARRAYS] = {
    [ARRAY_NONE] = "", [ARRAY_X] = "x", [ARRAY_V] = "v", [ARRAY_OUT] = "out", [ARRAY_IN] = "in", [ARRAY_Z] = "z",
    [ARRAY_R] = "r",   [ARRAY_M] = "m", [ARRAY_W] = "w", [ARRAY_S] = "s",
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

// ---- Life of a generator

static void find_truths(Gen *g)
{
    const size_t n = g->pool->nodes.n;
    g->is_truth = ARENA_ARRAY(&g->work, bool, n);
    for (size_t e = 0; e < n; e++) {
        const ExprNode *node = expr_node(g->pool, (Expr)e);
        if (node->op == EXPR_IF) g->is_truth[e] = g->is_truth[node->b] || g->is_truth[node->c];
        else if (node->op == EXPR_CONST) g->is_truth[e] = expr_is_bool(g->pool, (Expr)e);
        else g->is_truth[e] = expr_ops[node->op].type == 'B';
    }
}

void gen_init(Gen *g, const Ir *ir)
{
    *g = (Gen){ .ir = ir, .pool = &ir->flat->pool };
    const size_t n_vars = ir->flat->vars.n;
    const size_t sizes[N_ARRAYS] = { [ARRAY_X] = ir->blocks->n_states, [ARRAY_V] = ir->layout.n_values,
                                     [ARRAY_IN] = n_vars, [ARRAY_Z] = n_vars, [ARRAY_W] = n_vars,
                                     [ARRAY_S] = (size_t)ir->layout.n_scratch + ir->layout.n_loop_scratch };
    for (size_t i = 0; i < N_ARRAYS; i++)
        if (sizes[i]) g->leaves[i] = ARENA_ARRAY(&g->work, LeafInfo, sizes[i]);
    g->nodes = ARENA_ARRAY(&g->work, NodeInfo, g->pool->nodes.n);
    g->vars = ARENA_ARRAY(&g->work, VarInfo, n_vars);
    g->input_mark = ARENA_ARRAY(&g->work, uint32_t, n_vars);
    g->uses_place = ARENA_ARRAY(&g->work, bool, ir->layout.n_values);
    g->reads_state = ARENA_ARRAY(&g->work, bool, ir->blocks->n_states);
    g->uses_math = ARENA_ARRAY(&g->work, bool, expr_n_math);
    g->uses_table = ARENA_ARRAY(&g->work, bool, g->pool->tables.n);
    for (size_t op = 0; op < EXPR_N_OPS; op++) {
        const ExprMath *math = expr_math_find(expr_ops[op].c);
        g->math_of_op[op] = math ? (int)(math - expr_math) : -1;
    }
    find_truths(g);
}

void gen_free(Gen *g)
{
    str_free(&g->body);
    str_free(&g->piece_text);
    arena_free(&g->work);
}

// ---- Variables

static bool is_variable(Operand o) { return o & OPERAND_VARIABLE; }
static bool is_node(Operand o) { return !(o & (OPERAND_VARIABLE | OPERAND_LEAF)); }
static uint32_t variable_of(Operand o) { return o & ~OPERAND_VARIABLE; }
static Expr leaf_of(Operand o) { return o & ~OPERAND_LEAF; }

// What the routine knows of a variable. By default a state lies in x, a parameter in v.
static VarInfo *var_info(Gen *g, uint32_t variable)
{
    VarInfo *info = &g->vars[variable];
    if (info->routine == g->routine) return info;
    const IrLayout *layout = &g->ir->layout;
    *info = (VarInfo){ .routine = g->routine, .step = FLAT_NONE, .array = ARRAY_V, .index = layout->place[variable] };
    if (!g->r->from_v && layout->state_of[variable] != FLAT_NONE) {
        info->array = ARRAY_X;
        info->index = layout->state_of[variable];
    }
    assert(g->r->from_v || info->array == ARRAY_X || info->index < layout->n_params);
    return info;
}

void gen_in_memory(Gen *g, uint32_t variable, Array array, uint32_t index)
{
    g->vars[variable] =
        (VarInfo){ .routine = g->routine, .step = FLAT_NONE, .array = (uint8_t)array, .index = index };
}

static Operand resolve(const Gen *g, Expr e)
{
    const ExprNode *node = expr_node(g->pool, e);
    if (node->op == EXPR_VAR) {
        const Expr leaf = g->r->alias ? g->r->alias[node->index] : EXPR_NONE;
        if (leaf == EXPR_NONE) return OPERAND_VARIABLE | node->index;
        node = expr_node(g->pool, leaf);
        return node->op == EXPR_VAR ? OPERAND_VARIABLE | node->index : OPERAND_LEAF | leaf;
    }
    return expr_ops[node->op].arity == 0 ? OPERAND_LEAF | e : e;
}

static void declare(Gen *g, uint32_t variable, uint32_t step, Array array, uint32_t index)
{
    g->vars[variable] = (VarInfo){ .routine = g->routine, .step = step, .array = (uint8_t)array, .index = index };
}

void gen_begin(Gen *g, const Routine *r)
{
    g->r = r;
    g->routine++;
    g->piece = g->n_in_piece = g->n_temporaries = g->n_slots = g->n_new = 0;
    g->items.n = 0;
    for (uint32_t i = 0; i < r->n_steps; i++) {
        const Step *step = &r->steps[i];
        if (step->kind == STEP_LET) {
            declare(g, step->variable, i, step->array, step->index);
            // a variable read once and stored nowhere is nested into its reader; but two literal numbers must never meet
            // in one operation, since the compiler would compute it
            VarInfo *info = &g->vars[step->variable];
            info->can_nest = r->style == VARS_CONST && !expr_is_const(g->pool, step->value, NULL);
            info->value = resolve(g, step->value);
        }
        if (step->kind != STEP_SOLVE) continue;
        const Block *block = &r->system->blocks[step->index];
        for (uint32_t k = 0; k < block->n; k++) {
            const uint32_t u = block->unknowns[k];
            declare(g, u, i, step->array, step->array == ARRAY_V ? g->ir->layout.place[u] : u);
        }
    }
}

static bool is_nested(const VarInfo *info)
{
    return info->can_nest && info->uses == 1 && info->array == ARRAY_NONE;
}

static Operand through(Gen *g, Operand o)
{
    while (is_variable(o)) {
        const VarInfo *info = var_info(g, variable_of(o));
        if (!is_nested(info)) break;
        o = info->value;
    }
    return o;
}

// Is a variable a local of the present piece? If not, it is in memory.
static bool is_local(const Gen *g, const VarInfo *info)
{
    if (info->step == FLAT_NONE) return false;
    if (g->r->style == VARS_OUTSIDE) return true;
    return g->r->style == VARS_CONST && info->piece == g->piece;
}

// ---- Counting uses

static NodeInfo *node_info(Gen *g, uint32_t e)
{
    NodeInfo *info = &g->nodes[e];
    if (info->epoch == g->epoch) return info;
    const ExprNode *node = expr_node(g->pool, e);
    *info = (NodeInfo){ .epoch = g->epoch, .op = (uint8_t)node->op, .n_copies = 1 };
    info->n_operands = (uint8_t)expr_ops[node->op].arity;
    int n;
    if (node->op == EXPR_POW && expr_is_whole_power(g->pool, e, &n) && n != 0) {
        // the exponent is not printed
        info->power = (int8_t)n;
        info->n_operands = 1;
        if (n >= -3 && n <= 3) info->n_copies = (uint8_t)(n < 0 ? -n : n);
    }
    if (info->n_operands > 0) info->operands[0] = resolve(g, node->a);
    if (info->n_operands > 1) info->operands[1] = resolve(g, node->b);
    if (info->n_operands > 2) info->operands[2] = resolve(g, node->c);
    return info;
}

static void use(Gen *g, Operand o, uint32_t times)
{
    if (is_variable(o)) {
        var_info(g, variable_of(o))->uses += times;
    } else if (is_node(o)) {
        NodeInfo *info = node_info(g, o);
        if (info->uses == 0) vec_push(&g->work, &g->stack, o);
        info->uses += times;
    }
}

static void count_uses(Gen *g, Operand root)
{
    use(g, root, 1);
    while (g->stack.n) {
        const NodeInfo *info = node_info(g, vec_pop(&g->stack));
        for (int i = info->n_operands; i-- > 0;) use(g, info->operands[i], i == 0 ? info->n_copies : 1);
    }
}

uint32_t *gen_loop_inputs(Gen *g, const Routine *r, uint32_t block, uint32_t *n)
{
    const uint32_t first = r->reads->start[block], end = r->reads->start[block + 1];
    uint32_t *inputs = ARENA_ARRAY(&g->work, uint32_t, end - first);
    const IrLayout *layout = &g->ir->layout;
    *n = 0;
    g->n_inputs_asked++;
    for (uint32_t k = first; k < end; k++) {
        uint32_t variable = r->reads->var[k];
        if (r->alias[variable] != EXPR_NONE) {
            const ExprNode *leaf = expr_node(g->pool, r->alias[variable]);
            if (leaf->op == EXPR_TIME) continue;
            variable = leaf->index;
        }
        const bool is_computed = r->system->block_of[variable] != FLAT_NONE;
        if (layout->place[variable] < layout->n_params && !is_computed) continue;
        if (g->input_mark[variable] == g->n_inputs_asked) continue;
        g->input_mark[variable] = g->n_inputs_asked;
        inputs[(*n)++] = variable;
    }
    return inputs;
}

static void count_step(Gen *g, const Step *step)
{
    if (step->kind == STEP_SOLVE) {
        uint32_t n;
        const uint32_t *inputs = gen_loop_inputs(g, g->r, step->index, &n);
        // as if used twice: what a loop reads stays a variable
        for (uint32_t i = 0; i < n; i++) var_info(g, inputs[i])->uses += 2;
    }
    if (step->value != EXPR_NONE) count_uses(g, resolve(g, step->value));
}

// ---- Order: temporaries before those who use them, cut into pieces

static void add_item(Gen *g, bool is_temporary, uint32_t index)
{
    if (g->n_in_piece >= PIECE_MAX && !g->r->is_named) {
        g->piece++;
        g->n_in_piece = 0;
    }
    g->n_in_piece++;
    vec_push(&g->work, &g->items, (Item){ is_temporary, index, g->piece });
}

static void push_frame(Gen *g, Operand o)
{
    o = through(g, o);
    if (is_node(o) && !node_info(g, o)->ordered) vec_push(&g->work, &g->frames, (Frame){ o, 0 });
}

static void finish_node(Gen *g, uint32_t node, bool is_root)
{
    NodeInfo *info = node_info(g, node);
    unsigned weight = 1, depth = 0;
    for (int i = info->n_operands; i-- > 0;) {
        const Operand operand = through(g, info->operands[i]);
        const NodeInfo *below = is_node(operand) ? node_info(g, operand) : NULL;
        if (below && !below->number) {
            weight += below->weight;
            if (below->depth >= depth) depth = below->depth + 1u;
        } else {
            weight++;
        }
    }
    info->weight = (uint8_t)weight;    // at most 1 + 3*WEIGHT_MAX
    info->depth = (uint8_t)depth;
    info->ordered = true;
    const bool is_too_long = !is_root && (weight > WEIGHT_MAX || depth >= DEPTH_MAX);
    if (info->uses < 2 && !is_too_long) return;
    info->number = ++g->n_temporaries;
    add_item(g, true, node);
    info->piece = g->piece;
}

static void order_expression(Gen *g, Operand root)
{
    push_frame(g, root);
    while (g->frames.n) {
        Frame *top = &vec_last(&g->frames);
        const NodeInfo *info = node_info(g, top->node);
        if (top->next < info->n_operands) {
            push_frame(g, info->operands[top->next++]);
            continue;
        }
        const uint32_t node = vec_pop(&g->frames).node;
        if (!info->ordered) finish_node(g, node, g->frames.n == 0);
    }
}

static void order_step(Gen *g, uint32_t i)
{
    const Step *step = &g->r->steps[i];
    if (step->kind == STEP_LET) {
        const VarInfo *info = &g->vars[step->variable];
        // computed where it is used, or not at all
        if (is_nested(info)) return;
        if (g->r->style == VARS_CONST && info->uses == 0 && info->array == ARRAY_NONE) return;
    }
    if (step->value != EXPR_NONE) order_expression(g, resolve(g, step->value));
    add_item(g, false, i);
    if (step->kind == STEP_LET) g->vars[step->variable].piece = g->piece;
    if (step->kind == STEP_SOLVE) {
        const Block *block = &g->r->system->blocks[step->index];
        for (uint32_t k = 0; k < block->n; k++) g->vars[block->unknowns[k]].piece = g->piece;
    }
}

// ---- What an item reads: once to find what crosses pieces, once to count memory reads of a piece

typedef enum Purpose { FIND_CROSSINGS, COUNT_READS } Purpose;

static void count_memory(Gen *g, Array array, uint32_t index)
{
    LeafInfo *leaf = &g->leaves[array][index];
    if (leaf->piece != g->piece_id) *leaf = (LeafInfo){ .piece = g->piece_id };
    if (++leaf->count == 2 && g->r->caches)
        vec_push(&g->work, &g->loads, (uint64_t)array << 32 | index);
}

static void visit_variable(Gen *g, uint32_t variable, Purpose purpose)
{
    VarInfo *info = var_info(g, variable);
    if (purpose == FIND_CROSSINGS) {
        if (info->step != FLAT_NONE && !is_local(g, info) && info->array == ARRAY_NONE) {
            info->array = ARRAY_W;
            info->index = variable;
        }
    } else if (!g->r->is_named) {
        if (!is_local(g, info)) {
            count_memory(g, (Array)info->array, info->index);
            return;
        }
        if (info->used_in != g->piece_id) info->n_used_in = 0;
        info->used_in = g->piece_id;
        info->n_used_in++;
    }
}

static void visit(Gen *g, Operand o, Purpose purpose)
{
    o = through(g, o);
    if (is_variable(o)) {
        visit_variable(g, variable_of(o), purpose);
        return;
    }
    if (!is_node(o)) {
        const ExprNode *leaf = expr_node(g->pool, leaf_of(o));
        if (leaf->op == EXPR_MODE && purpose == COUNT_READS && !g->r->is_named)
            count_memory(g, ARRAY_V, g->ir->layout.first_mode + leaf->index);
        return;
    }
    NodeInfo *info = node_info(g, o);
    if (info->number && o != g->own) {
        if (info->piece == g->piece) return;
        if (!info->slot) info->slot = ++g->n_slots;
        if (purpose == COUNT_READS) count_memory(g, ARRAY_S, info->slot - 1);
        return;
    }
    for (int i = 0; i < info->n_operands; i++)
        for (int k = i == 0 ? info->n_copies : 1; k > 0; k--) visit(g, info->operands[i], purpose);
}

static void visit_item(Gen *g, const Item *item, Purpose purpose)
{
    g->piece = item->piece;
    g->own = EXPR_NONE;
    if (item->is_temporary) {
        g->own = item->index;
        visit(g, item->index, purpose);
        return;
    }
    const Step *step = &g->r->steps[item->index];
    if (step->kind == STEP_SOLVE) {
        uint32_t n;
        const uint32_t *inputs = gen_loop_inputs(g, g->r, step->index, &n);
        for (uint32_t i = 0; i < n; i++) visit_variable(g, inputs[i], purpose);
    }
    if (step->value != EXPR_NONE) visit(g, resolve(g, step->value), purpose);
}

// ---- Expressions

// What binds how tightly in C.
enum { BIND_IF, BIND_OR, BIND_AND, BIND_EQUAL, BIND_LESS, BIND_SUM, BIND_PRODUCT, BIND_UNARY, BIND_ATOM };

static void print_operand(Gen *g, Operand o, int binding);

static bool is_mode(const Gen *g, Array array, uint32_t index)
{
    const IrLayout *layout = &g->ir->layout;
    return array == ARRAY_V && index >= layout->first_mode && index < layout->first_mode + layout->n_modes;
}

// The local into which memory is loaded.
static void print_local(const Gen *g, StrBuf *s, Array array, uint32_t index)
{
    const IrLayout *layout = &g->ir->layout;
    switch (array) {
    case ARRAY_V:
        if (index < layout->n_params) gen_name(s, "p", index);
        else if (is_mode(g, array, index)) gen_name(s, "m", index - layout->first_mode);
        else gen_name(s, "v", index);
        break;
    case ARRAY_IN: gen_name(s, "i", index); break;
    case ARRAY_W: gen_name(s, "a", index); break;
    default: gen_name(s, array_names[array], index);
    }
}

static void print_place(Gen *g, StrBuf *s, Array array, uint32_t index)
{
    g->uses_array[array] = true;
    str_add(s, array_names[array]);
    gen_name(s, "[", index);
    str_add_char(s, ']');
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
        print_local(g, s, array, index);
        return;
    }
    const LeafInfo *leaf = &g->leaves[array][index];
    if (g->r->caches && leaf->piece == g->piece_id && leaf->count > 1) print_local(g, s, array, index);
    else print_place(g, s, array, index);
}

static void print_mode(Gen *g, uint32_t k, int binding)
{
    StrBuf *s = &g->piece_text;
    const uint32_t place = g->ir->layout.first_mode + k;
    const LeafInfo *leaf = &g->leaves[ARRAY_V][place];
    const bool is_loaded = g->r->is_named || (g->r->caches && leaf->piece == g->piece_id && leaf->count > 1);
    if (!is_loaded && binding > BIND_EQUAL) str_add_char(s, '(');
    print_memory(g, ARRAY_V, place);
    if (is_loaded) return;
    str_add(s, " != 0.0");
    if (binding > BIND_EQUAL) str_add_char(s, ')');
}

static void print_variable(Gen *g, uint32_t variable)
{
    const VarInfo *info = var_info(g, variable);
    assert(is_local(g, info) || info->array != ARRAY_NONE);
    if (is_local(g, info)) gen_name(&g->piece_text, "a", variable);
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
    case EXPR_AND: print_infix(g, info, " && ", BIND_LESS, BIND_LESS); return;
    case EXPR_OR: print_infix(g, info, " || ", BIND_LESS, BIND_LESS); return;
    case EXPR_IF:
        print_operand(g, info->operands[0], BIND_OR);
        str_add(s, " ? ");
        print_operand(g, info->operands[1], BIND_OR);
        str_add(s, " : ");
        print_operand(g, info->operands[2], BIND_OR);
        return;
    case EXPR_DELAY:
        g->uses_env = true;
        gen_name(s, "env->history(env->histories, ", expr_node(g->pool, node)->b);
        str_add(s, ", ");
        print_operand(g, info->operands[0], BIND_IF);
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
    } else {
        const double value = g->pool->constants.items[leaf->index];
        const bool needs_parentheses = binding > BIND_UNARY && signbit(value) && isfinite(value);
        if (needs_parentheses) str_add_char(s, '(');
        if (g->is_truth[e]) str_add(s, value != 0 ? "1" : "0");
        else gen_number(s, value);
        if (needs_parentheses) str_add_char(s, ')');
    }
}

static void print_operand(Gen *g, Operand o, int binding)
{
    StrBuf *s = &g->piece_text;
    o = through(g, o);
    if (is_variable(o)) {
        print_variable(g, variable_of(o));
        return;
    }
    if (!is_node(o)) {
        print_leaf(g, leaf_of(o), binding);
        return;
    }
    const NodeInfo *info = node_info(g, o);
    if (info->number && o != g->own) {
        print_temporary(g, o, info, binding);
        return;
    }
    const bool needs_parentheses = binding_of(info) < binding;
    if (needs_parentheses) str_add_char(s, '(');
    print_operation(g, o, info);
    if (needs_parentheses) str_add_char(s, ')');
}

static void print_expression(Gen *g, Expr e, int binding) { print_operand(g, resolve(g, e), binding); }

// A value for memory: truth values are stored as 1 and 0.
static void print_value(Gen *g, Expr e)
{
    double value;
    if (expr_is_const(g->pool, e, &value)) {
        gen_number(&g->piece_text, value);
        return;
    }
    const bool is_truth = g->is_truth[e];
    print_expression(g, e, is_truth ? BIND_OR : BIND_IF);
    if (is_truth) str_add(&g->piece_text, " ? 1.0 : 0.0");
}

// ---- Statements

static void print_temporary_item(Gen *g, Expr e)
{
    StrBuf *s = &g->piece_text;
    const NodeInfo *info = node_info(g, e);
    str_add(s, g->indent);
    gen_name(s, g->is_truth[e] ? "const int e" : "const double e", info->number);
    str_add(s, " = ");
    g->own = e;
    print_expression(g, e, BIND_IF);
    str_add(s, ";\n");
    if (!info->slot) return;
    str_add(s, g->indent);
    print_place(g, s, ARRAY_S, info->slot - 1);
    gen_name(s, " = e", info->number);
    str_add(s, ";\n");
}

// Is a computed variable read as a local, in the piece that computes it?
static bool is_read_here(const Gen *g, uint32_t variable)
{
    return g->r->style == VARS_OUTSIDE || g->r->is_named ||
           (g->r->style == VARS_CONST && g->vars[variable].used_in == g->piece_id);
}

static void print_let(Gen *g, const Step *step)
{
    StrBuf *s = &g->piece_text;
    const VarInfo *info = &g->vars[step->variable];
    const bool is_named = is_read_here(g, step->variable) || info->array == ARRAY_NONE;
    str_add(s, g->indent);
    if (is_named) {
        gen_name(s, g->r->style == VARS_CONST ? "const double a" : "a", step->variable);
        str_add(s, " = ");
        print_value(g, step->value);
        str_add(s, ";\n");
        if (info->array == ARRAY_NONE) return;
        str_add(s, g->indent);
    }
    print_place(g, s, (Array)info->array, info->index);
    str_add(s, " = ");
    if (is_named) gen_name(s, "a", step->variable);
    else print_value(g, step->value);
    str_add(s, ";\n");
}

void gen_loop_name(const Gen *g, StrBuf *s, const Ordered *system, uint32_t block)
{
    gen_name(s, system == &g->ir->blocks->start ? "orr_start_loop_" : "orr_loop_", block);
}

static void print_unknowns_declaration(Gen *g, const Block *block)
{
    StrBuf *s = &g->piece_text;
    bool is_first = true;
    for (uint32_t k = 0; k < block->n; k++) {
        if (!is_read_here(g, block->unknowns[k])) continue;
        if (is_first) str_add(s, g->indent);
        gen_name(s, is_first ? "double a" : ", a", block->unknowns[k]);
        is_first = false;
    }
    if (!is_first) str_add(s, ";\n");
}

// Hand the loop what it reads, call it, take its unknowns.
static void print_solve(Gen *g, const Step *step)
{
    StrBuf *s = &g->piece_text;
    const Block *block = &g->r->system->blocks[step->index];
    uint32_t n;
    const uint32_t *inputs = gen_loop_inputs(g, g->r, step->index, &n);
    if (g->r->style == VARS_CONST) print_unknowns_declaration(g, block);
    str_addf(s, "%s{\n%s    ", g->indent, g->indent);
    if (n + block->n <= STACK_DOUBLES) {
        if (n) str_addf(s, "double in[%u], z[%u];\n", n, block->n);
        else str_addf(s, "double z[%u];\n", block->n);
    } else {
        const uint32_t place = g->ir->layout.first_work + ir_matrix_size(block);
        str_addf(s, "double *in = env->v + %u, *z = in + %u;\n", place, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        str_addf(s, "%s    in[%u] = ", g->indent, i);
        print_variable(g, inputs[i]);
        str_add(s, ";\n");
    }
    str_addf(s, "%s    if (", g->indent);
    gen_loop_name(g, s, g->r->system, step->index);
    str_addf(s, "(%s, %s, env, z, %s)) ", g->r->time, n ? "in" : "0", g->r->remember);
    str_addf(s, g->r->failed, step->index + 1);
    str_add(s, "\n");
    for (uint32_t k = 0; k < block->n; k++) {
        const uint32_t u = block->unknowns[k];
        const VarInfo *info = &g->vars[u];
        if (is_read_here(g, u)) str_addf(s, "%s    a%u = z[%u];\n", g->indent, u, k);
        if (info->array == ARRAY_NONE) continue;
        str_addf(s, "%s    ", g->indent);
        print_place(g, s, (Array)info->array, info->index);
        str_addf(s, " = z[%u];\n", k);
    }
    str_addf(s, "%s}\n", g->indent);
    g->uses_time = g->uses_env = g->can_fail = true;
    if (strcmp(g->r->remember, "remember") == 0) g->uses_remember = true;
}

static void print_form(Gen *g, const Step *step)
{
    StrBuf *s = &g->piece_text;
    const bool is_unread = g->r->unread_form && !g->reads_state[step->index];
    str_add(s, g->indent);
    for (const char *p = is_unread ? g->r->unread_form : g->r->form; *p; p++) {
        if (*p == '#') gen_name(s, "", step->index);
        else if (*p != '@') str_add_char(s, *p);
        // a factor, the last term of a sum, or alone in parentheses
        else print_expression(g, step->value, p[-1] == '*' ? BIND_UNARY : p[-2] == '+' ? BIND_PRODUCT : BIND_IF);
    }
    str_add_char(s, '\n');
}

static void print_store(Gen *g, const Step *step)
{
    StrBuf *s = &g->piece_text;
    if (step->array == ARRAY_FORM) {
        print_form(g, step);
        return;
    }
    str_add(s, g->indent);
    if (step->kind == STEP_GIVEN) {
        g->uses_array[ARRAY_X] = true;
        str_addf(s, "if (x[%u] == 0.0) ", step->index);
    }
    print_place(g, s, step->array, step->index);
    str_add(s, " = ");
    print_value(g, step->value);
    str_add(s, ";\n");
}

static void print_update(Gen *g, const Step *step)
{
    StrBuf *s = &g->piece_text;
    str_add(s, g->indent);
    if (g->r->is_named) gen_name(s, g->r->copies_states ? "y" : "x", step->index);
    else print_place(g, s, ARRAY_X, step->index);
    str_add(s, " = ");
    if (g->r->is_named) gen_name(s, "x", step->index);
    else print_place(g, s, ARRAY_X, step->index);
    str_add(s, " + h*");
    print_expression(g, step->value, BIND_UNARY);
    str_add(s, ";\n");
    g->uses_step = true;
    if (g->r->copies_states) g->n_new = step->index + 1;
}

static void print_step(Gen *g, const Step *step)
{
    StrBuf *s = &g->piece_text;
    g->own = EXPR_NONE;
    switch (step->kind) {
    case STEP_LET: print_let(g, step); return;
    case STEP_STORE: case STEP_GIVEN: print_store(g, step); return;
    case STEP_UPDATE: print_update(g, step); return;
    case STEP_SOLVE: print_solve(g, step); return;
    case STEP_RERUN:
        str_addf(s, "%sout[%u] = ", g->indent, step->index + 1);
        print_value(g, step->value);
        str_addf(s, ";\n%sif (out[%u] != 0.0) out[0] = 1.0;\n", g->indent, step->index + 1);
        g->uses_array[ARRAY_OUT] = true;
        return;
    case STEP_COPY:
        str_addf(s, "%sv[%u] = v[%u];\n", g->indent, step->index, step->variable);
        g->uses_array[ARRAY_V] = true;
        return;
    case STEP_CALL:
        str_addf(s, "%s{\n%s    const int failed = orr_%s(t, out, env, out);\n", g->indent, g->indent,
                 g->ir->programs[step->index].name);
        str_addf(s, "%s    if (failed) return failed + %u;\n%s}\n", g->indent, g->r->system->n_blocks, g->indent);
        g->uses_array[ARRAY_OUT] = g->uses_env = g->uses_time = g->can_fail = true;
        return;
    }
}

// ---- Functions

static void open_piece(Gen *g)
{
    g->piece_id++;
    g->piece_text.n = 0;
    g->loads.n = 0;
    g->uses_time = g->uses_env = g->uses_step = g->uses_remember = g->can_fail = false;
    memset(g->uses_array, 0, sizeof g->uses_array);
}

static bool uses_argument(const Gen *g, Text name)
{
    if (text_is(name, "t")) return g->uses_time;
    if (text_is(name, "h")) return g->uses_step;
    if (text_is(name, "remember")) return g->uses_remember;
    if (text_is(name, "env"))
        return g->uses_env || g->uses_array[ARRAY_V] || g->uses_array[ARRAY_S] ||
               (g->uses_array[ARRAY_W] && !g->r->has_w);
    for (size_t i = 1; i < ARRAY_FORM; i++)
        if (text_is(name, array_names[i])) return g->uses_array[i];
    return true;
}

static void print_unused(Gen *g, StrBuf *s)
{
    Text rest = text_from(g->r->arguments);
    bool is_first = true;
    while (rest.n) {
        size_t n = 0;
        while (n < rest.n && rest.p[n] != ',') n++;
        const Text name = text_part(rest, 0, n);
        if (!uses_argument(g, name)) {
            str_add(s, is_first ? "    (void)" : ", (void)");
            str_add_text(s, name);
            is_first = false;
        }
        rest = text_part(rest, n < rest.n ? n + 2 : n, rest.n);
    }
    if (!is_first) str_add(s, ";\n");
}

static void print_loads(Gen *g, StrBuf *s)
{
    for (size_t i = 0; i < g->loads.n; i++) {
        const Array array = (Array)(g->loads.items[i] >> 32);
        const uint32_t index = (uint32_t)g->loads.items[i];
        str_add(s, is_mode(g, array, index) ? "    const int " : "    const double ");
        print_local(g, s, array, index);
        str_add(s, " = ");
        print_place(g, s, array, index);
        str_add(s, is_mode(g, array, index) ? " != 0.0;\n" : ";\n");
    }
}

static void print_signature(Gen *g, StrBuf *s, bool returns_int, uint32_t piece_plus_1)
{
    const bool is_piece = piece_plus_1 != 0;
    if (!g->r->is_public || is_piece) str_add(s, "static ");
    str_add(s, returns_int ? "int " : "void ");
    str_add(s, g->r->name);
    if (is_piece) gen_name(s, "_", piece_plus_1);
    str_addf(s, "(%s)\n{\n", g->r->parameters);
}

// Wrap the statements of a piece into a function.
static void close_piece(Gen *g, bool is_only)
{
    StrBuf *s = &g->body;
    const IrLayout *layout = &g->ir->layout;
    const bool returns_int = g->can_fail || (is_only && g->r->returns_int);
    if (!is_only) vec_push(&g->work, &g->piece_fails, returns_int);
    // loads use arrays too, so they are printed first
    StrBuf loads = { .arena = &g->work };
    print_loads(g, &loads);
    print_signature(g, s, returns_int, is_only ? 0 : (uint32_t)g->piece_fails.n);
    if (g->uses_array[ARRAY_V]) str_add(s, "    double *const v = env->v;\n");
    if (g->uses_array[ARRAY_W] && !g->r->has_w)
        str_addf(s, "    double *const w = env->v + %u;\n", layout->first_shadow);
    if (g->uses_array[ARRAY_S])
        str_addf(s, "    double *const s = env->v + %u;\n",
                 g->is_block ? layout->first_loop_scratch : layout->first_scratch);
    print_unused(g, s);
    if (loads.n) str_add_text(s, (Text){ loads.p, loads.n });
    if (g->piece_text.n) str_add_text(s, (Text){ g->piece_text.p, g->piece_text.n });
    str_add(s, returns_int ? "    return 0;\n}\n\n" : "}\n\n");
}

static void print_dispatcher(Gen *g)
{
    StrBuf *s = &g->body;
    bool fails = false;
    for (size_t i = 0; i < g->piece_fails.n; i++) fails |= g->piece_fails.items[i];
    print_signature(g, s, fails || g->r->returns_int, 0);
    if (fails) str_add(s, "    int failed;\n");
    for (size_t i = 0; i < g->piece_fails.n; i++) {
        str_add(s, g->piece_fails.items[i] ? "    if ((failed = " : "    ");
        str_add(s, g->r->name);
        gen_name(s, "_", (uint32_t)i + 1);
        str_addf(s, "(%s)%s;\n", g->r->arguments, g->piece_fails.items[i] ? ")) return failed" : "");
    }
    str_add(s, fails || g->r->returns_int ? "    return 0;\n}\n\n" : "}\n\n");
}

// The items of the steps [first, end), which may share everything.
static void plan_epoch(Gen *g, uint32_t first, uint32_t end)
{
    g->epoch++;
    g->items.n = 0;
    g->n_slots = 0;
    for (uint32_t i = first; i < end; i++) count_step(g, &g->r->steps[i]);
    for (uint32_t i = first; i < end; i++) {
        const size_t n = g->items.n;
        order_step(g, i);
        const uint32_t piece = g->piece;
        for (size_t k = n; k < g->items.n && piece; k++) visit_item(g, &g->items.items[k], FIND_CROSSINGS);
        g->piece = piece;
    }
    const uint32_t n_slots = g->is_block ? g->ir->layout.n_loop_scratch : g->ir->layout.n_scratch;
    assert(g->n_slots <= n_slots);
    (void)n_slots;
}

static uint32_t end_of_epoch(const Routine *r, uint32_t first)
{
    while (first < r->n_steps && !r->steps[first].ends_epoch) first++;
    return first < r->n_steps ? first + 1 : first;
}

// The places that a run of stores of one and the same variable fills, if nothing else reads it: `w[7] = out[0] = …`
// needs no local. How many items follow the variable's own; 0 if it is not so.
static size_t count_stores(Gen *g, size_t first, size_t end)
{
    const Step *let = &g->r->steps[g->items.items[first].index];
    if (g->items.items[first].is_temporary || let->kind != STEP_LET || g->r->style != VARS_CONST || g->r->is_named) return 0;
    const VarInfo *info = &g->vars[let->variable];
    if (info->array == ARRAY_NONE || info->used_in != g->piece_id) return 0;
    size_t n = 0;
    while (first + 1 + n < end && !g->items.items[first + 1 + n].is_temporary) {
        const Step *step = &g->r->steps[g->items.items[first + 1 + n].index];
        if (step->kind != STEP_STORE || step->array == ARRAY_FORM) break;
        if (resolve(g, step->value) != (OPERAND_VARIABLE | let->variable)) break;
        n++;
    }
    return n == info->n_used_in ? n : 0;
}

static void print_stores(Gen *g, const Item *items, size_t n)
{
    StrBuf *s = &g->piece_text;
    const Step *let = &g->r->steps[items[0].index];
    const VarInfo *info = &g->vars[let->variable];
    str_add(s, g->indent);
    print_place(g, s, (Array)info->array, info->index);
    for (size_t i = 1; i <= n; i++) {
        const Step *step = &g->r->steps[items[i].index];
        str_add(s, " = ");
        print_place(g, s, step->array, step->index);
    }
    str_add(s, " = ");
    g->own = EXPR_NONE;
    print_value(g, let->value);
    str_add(s, ";\n");
}

// A run of copies from neighbouring places to neighbouring places, long enough to be a loop; else 0.
static size_t count_copies(Gen *g, size_t first, size_t end)
{
    if (g->r->is_named || g->items.items[first].is_temporary) return 0;
    size_t n = 0;
    const Step *start = NULL;
    uint32_t from = 0;
    Array array = ARRAY_NONE;
    for (; first + n < end && !g->items.items[first + n].is_temporary; n++) {
        const Step *step = &g->r->steps[g->items.items[first + n].index];
        if (step->kind != STEP_STORE || step->array == ARRAY_FORM) break;
        const Operand o = resolve(g, step->value);
        if (!is_variable(o)) break;
        const VarInfo *info = var_info(g, variable_of(o));
        if (is_local(g, info) || is_nested(info)) break;
        if (n == 0) {
            start = step;
            from = info->index;
            array = (Array)info->array;
        }
        if (step->array != start->array || step->index != start->index + n || info->array != array ||
            info->index != from + n)
            break;
    }
    return n >= 8 ? n : 0;
}

static void print_copies(Gen *g, const Item *items, size_t n)
{
    StrBuf *s = &g->piece_text;
    const Step *step = &g->r->steps[items[0].index];
    const VarInfo *info = var_info(g, variable_of(resolve(g, step->value)));
    g->uses_array[step->array] = g->uses_array[info->array] = true;
    str_addf(s, "%sfor (int j = 0; j < %zu; j++) %s[%u + j] = %s[%u + j];\n", g->indent, n, array_names[step->array],
             step->index, array_names[info->array], info->index);
}

static void print_items(Gen *g, bool is_function, uint32_t *open)
{
    const uint32_t after = g->piece;
    for (size_t i = 0; i < g->items.n;) {
        const uint32_t piece = g->items.items[i].piece;
        size_t end = i;
        while (end < g->items.n && g->items.items[end].piece == piece) end++;
        if (piece != *open) {
            assert(is_function);
            close_piece(g, false);
            open_piece(g);
            *open = piece;
        }
        for (size_t k = i; k < end; k++) visit_item(g, &g->items.items[k], COUNT_READS);
        g->piece = piece;
        for (size_t k = i; k < end;) {
            const Item *item = &g->items.items[k];
            const size_t n_stores = count_stores(g, k, end), n_copies = n_stores ? 0 : count_copies(g, k, end);
            if (n_stores) print_stores(g, item, n_stores);
            else if (n_copies) print_copies(g, item, n_copies);
            else if (item->is_temporary) print_temporary_item(g, item->index);
            else print_step(g, &g->r->steps[item->index]);
            k += n_stores ? n_stores + 1 : n_copies ? n_copies : 1;
        }
        i = end;
    }
    g->piece = after;
}

// Epoch by epoch; `open` is the piece being printed.
static uint32_t print_all(Gen *g, bool is_function)
{
    uint32_t open = 0;
    open_piece(g);
    for (uint32_t first = 0; first < g->r->n_steps;) {
        const uint32_t end = end_of_epoch(g->r, first);
        plan_epoch(g, first, end);
        print_items(g, is_function, &open);
        first = end;
    }
    return open;
}

void gen_function(Gen *g)
{
    g->indent = "    ";
    g->piece_fails.n = 0;
    const bool is_only = print_all(g, true) == 0;
    close_piece(g, is_only);
    if (!is_only) print_dispatcher(g);
}

void gen_statements(Gen *g, const char *indent)
{
    g->indent = indent;
    print_all(g, false);
}

uint32_t gen_measure(Gen *g, const Routine *r)
{
    uint32_t n = 0;
    gen_begin(g, r);
    for (uint32_t first = 0; first < r->n_steps;) {
        const uint32_t end = end_of_epoch(r, first);
        plan_epoch(g, first, end);
        n += (uint32_t)g->items.n;
        first = end;
    }
    return n;
}

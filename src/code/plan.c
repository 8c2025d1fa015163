// src/code/plan.c: which values of a routine become variables, in which functions; see emit.h.
#include "code/plan.h"
#include <assert.h>

enum {
    WEIGHT_MAX = 40,      // nodes in one printed expression
    DEPTH_MAX = 30,       // nesting of it, which is also the depth of our recursion
};

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
    const size_t sizes[N_ARRAYS] = { [ARRAY_X] = ir->layout.n_states, [ARRAY_V] = ir->layout.n_values,
                                     [ARRAY_OUT] = ir->layout.n_states,
                                     [ARRAY_IN] = n_vars, [ARRAY_Z] = n_vars, [ARRAY_W] = ir->layout.n_kept,
                                     [ARRAY_S] = (size_t)ir->layout.n_scratch + ir->layout.n_loop_scratch };
    for (size_t i = 0; i < N_ARRAYS; i++)
        if (sizes[i]) g->leaves[i] = ARENA_ARRAY(&g->work, LeafInfo, sizes[i]);
    g->nodes = ARENA_ARRAY(&g->work, NodeInfo, g->pool->nodes.n);
    g->vars = ARENA_ARRAY(&g->work, VarInfo, n_vars);
    g->input_mark = ARENA_ARRAY(&g->work, uint32_t, n_vars);
    g->uses_place = ARENA_ARRAY(&g->work, bool, ir->layout.n_values);
    g->reads_state = ARENA_ARRAY(&g->work, bool, ir->layout.n_states);
    g->uses_math = ARENA_ARRAY(&g->work, bool, expr_n_math);
    g->uses_each = ARENA_ARRAY(&g->work, bool, expr_n_math);
    g->uses_table = ARENA_ARRAY(&g->work, bool, g->pool->tables.n);
    find_truths(g);
}

void gen_free(Gen *g)
{
    str_free(&g->body);
    str_free(&g->piece_text);
    arena_free(&g->work);
    arena_free(&g->scratch);
}

// ---- Variables

// What the routine knows of a variable. By default a state lies in x, a parameter in v, and what loops
// compute in w or, if it is kept, in v.
VarInfo *plan_variable(Gen *g, uint32_t variable)
{
    VarInfo *info = &g->vars[variable];
    if (info->routine == g->routine) return info;
    const IrLayout *layout = &g->ir->layout;
    *info = (VarInfo){
        .routine = g->routine, .step = FLAT_NONE, .array = ARRAY_V, .index = layout->place[variable]
    };
    const bool is_computed = !g->r->from_v && g->r->system->block_of[variable] != FLAT_NONE;
    if (is_computed && !g->r->keeps) {
        info->array = ARRAY_W;
        info->index = variable;
    } else if (!is_computed && !g->r->from_v && layout->state_of[variable] != FLAT_NONE) {
        info->array = ARRAY_X;
        info->index = layout->state_of[variable];
    }
    assert(g->r->from_v || is_computed || info->array == ARRAY_X || info->index < layout->n_params);
    return info;
}

void gen_in_memory(Gen *g, uint32_t variable, Array array, uint32_t index)
{
    g->vars[variable] =
        (VarInfo){ .routine = g->routine, .step = FLAT_NONE, .array = (uint8_t)array, .index = index };
}

const Array plan_array_of[] = {
    [IR_IN_X] = ARRAY_X,     [IR_IN_V] = ARRAY_V,       [IR_IN_W] = ARRAY_W,
    [IR_IN_OUT] = ARRAY_OUT, [IR_IN_NUMBERS] = ARRAY_N,
};

Array plan_element(const Gen *g, Expr elem, uint32_t *index)
{
    const IrPlace place = ir_element_place(g->ir, g->r->program, expr_access(g->pool, elem));
    *index = place.first;
    return plan_array_of[place.memory];
}

Operand plan_operand(const Gen *g, Expr e)
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
    g->vars[variable] =
        (VarInfo){ .routine = g->routine, .step = step, .array = (uint8_t)array, .index = index };
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
            // a variable read once and stored nowhere is nested into its reader; but two literal numbers
            // must never meet in one operation, since the compiler would compute it
            VarInfo *info = &g->vars[step->variable];
            info->can_nest = r->style == VARS_CONST && !expr_is_const(g->pool, step->value, NULL);
            info->value = plan_operand(g, step->value);
        }
        if (step->kind != STEP_SOLVE) continue;
        const Block *block = &r->system->blocks[step->index];
        for (uint32_t k = 0; k < block->n; k++) {
            const uint32_t u = block->unknowns[k];
            declare(g, u, i, step->array, step->array == ARRAY_V ? g->ir->layout.place[u] : u);
        }
    }
}

bool plan_is_nested(const VarInfo *info)
{
    return info->can_nest && info->uses == 1 && info->array == ARRAY_NONE;
}

Operand plan_through(Gen *g, Operand o)
{
    while (operand_is_variable(o)) {
        const VarInfo *info = plan_variable(g, operand_variable(o));
        if (!plan_is_nested(info)) break;
        o = info->value;
    }
    return o;
}

// Is a variable a local of the present piece? If not, it is in memory.
bool plan_is_local(const Gen *g, const VarInfo *info)
{
    if (info->step == FLAT_NONE) return false;
    if (g->r->style == VARS_OUTSIDE) return true;
    return g->r->style == VARS_CONST && info->piece == g->piece;
}

// ---- Counting uses

NodeInfo *plan_node(Gen *g, uint32_t e)
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
    if (info->n_operands > 0) info->operands[0] = plan_operand(g, node->a);
    if (info->n_operands > 1) info->operands[1] = plan_operand(g, node->b);
    if (info->n_operands > 2) info->operands[2] = plan_operand(g, node->c);
    return info;
}

static void use(Gen *g, Operand o, uint32_t times)
{
    if (operand_is_variable(o)) {
        plan_variable(g, operand_variable(o))->uses += times;
    } else if (operand_is_node(o)) {
        NodeInfo *info = plan_node(g, o);
        if (info->uses == 0) vec_push(&g->work, &g->stack, o);
        info->uses += times;
    }
}

static void count_uses(Gen *g, Operand root)
{
    use(g, root, 1);
    while (g->stack.n) {
        const NodeInfo *info = plan_node(g, vec_pop(&g->stack));
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
        for (uint32_t i = 0; i < n; i++) plan_variable(g, inputs[i])->uses += 2;
    }
    if (step->value != EXPR_NONE) count_uses(g, plan_operand(g, step->value));
}

// ---- Order: temporaries before those who use them, cut into pieces

static void add_item(Gen *g, bool is_temporary, uint32_t index)
{
    if (g->n_in_piece >= PIECE_MAX && !g->r->is_named && !g->turn) {
        g->piece++;
        g->n_in_piece = 0;
    }
    g->n_in_piece++;
    vec_push(&g->work, &g->items, (Item){ is_temporary, index, g->piece, 0, 0 });
}

static void push_frame(Gen *g, Operand o)
{
    o = plan_through(g, o);
    if (operand_is_node(o) && !plan_node(g, o)->ordered) vec_push(&g->work, &g->frames, (Frame){ o, 0 });
}

static void make_temporary(Gen *g, uint32_t node)
{
    NodeInfo *info = plan_node(g, node);
    info->number = ++g->n_temporaries;
    add_item(g, true, node);
    info->piece = g->piece;
}

static bool moves(Gen *g, Operand o)
{
    if (operand_is_node(o)) return plan_node(g, o)->moves;
    if (!operand_is_variable(o) && expr_op(g->pool, operand_leaf(o)) == EXPR_TURN) return true;
    return plan_moving(g, o) != NULL;
}

// In a loop, what does not depend on the turn, inside of what does, is computed before the loop.
static void find_moving(Gen *g, NodeInfo *info)
{
    for (int i = info->n_operands; i-- > 0;)
        if (moves(g, plan_through(g, info->operands[i]))) info->moves = true;
    for (int i = info->n_operands; info->moves && i-- > 0;) {
        const Operand o = plan_through(g, info->operands[i]);
        if (operand_is_node(o) && !moves(g, o) && !plan_node(g, o)->number) make_temporary(g, o);
    }
}

static void finish_node(Gen *g, uint32_t node, bool is_root)
{
    NodeInfo *info = plan_node(g, node);
    if (g->turn && !g->is_switch) find_moving(g, info);
    unsigned weight = 1, depth = 0;
    for (int i = info->n_operands; i-- > 0;) {
        const Operand operand = plan_through(g, info->operands[i]);
        const NodeInfo *below = operand_is_node(operand) ? plan_node(g, operand) : NULL;
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
    // where members choose differently both ways are computed, calls included: nothing waits behind a
    // condition
    const bool is_call = g->lanes && !info->power && expr_math_of((ExprOp)info->op) >= 0;
    const bool is_too_long = !is_root && (weight > WEIGHT_MAX || depth >= DEPTH_MAX || is_call);
    if (info->uses >= 2 || is_too_long) make_temporary(g, node);
}

static void order_expression(Gen *g, Operand root)
{
    push_frame(g, root);
    while (g->frames.n) {
        Frame *top = &vec_last(&g->frames);
        const NodeInfo *info = plan_node(g, top->node);
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
        if (plan_is_nested(info)) return;
        if (g->r->style == VARS_CONST && info->uses == 0 && info->array == ARRAY_NONE) return;
    }
    if (step->value != EXPR_NONE) order_expression(g, plan_operand(g, step->value));
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
    const bool had_none = leaf->count < LOCAL_FROM;
    leaf->count += g->turn ? LOCAL_FROM : 1;    // what a loop reads once it reads often
    if (had_none && leaf->count >= LOCAL_FROM && plan_caches(g))
        vec_push(&g->work, &g->loads, (uint64_t)array << 32 | index);
}

static void visit_variable(Gen *g, uint32_t variable, Purpose purpose)
{
    VarInfo *info = plan_variable(g, variable);
    if (purpose == FIND_CROSSINGS) {
        if (info->step != FLAT_NONE && !plan_is_local(g, info) && info->array == ARRAY_NONE) {
            info->array = ARRAY_W;
            info->index = variable;
        }
    } else if (!g->r->is_named) {
        if (!plan_is_local(g, info)) {
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
    o = plan_through(g, o);
    if (plan_moving(g, o)) return;
    if (operand_is_variable(o)) {
        visit_variable(g, operand_variable(o), purpose);
        return;
    }
    if (!operand_is_node(o)) {
        const ExprNode *leaf = expr_node(g->pool, operand_leaf(o));
        if (leaf->op == EXPR_MODE && purpose == COUNT_READS && !g->r->is_named)
            count_memory(g, ARRAY_V, g->ir->layout.first_mode + leaf->index);
        if (leaf->op == EXPR_ELEM && purpose == COUNT_READS && !g->r->is_named) {
            uint32_t index;
            const Array array = plan_element(g, operand_leaf(o), &index);
            count_memory(g, array, index);
        }
        return;
    }
    NodeInfo *info = plan_node(g, o);
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
    if (step->value != EXPR_NONE) visit(g, plan_operand(g, step->value), purpose);
}

void plan_count_reads(Gen *g, const Item *item) { visit_item(g, item, COUNT_READS); }

// ---- Bodies of loops

const IrPlace *plan_moving(const Gen *g, Operand o)
{
    uint32_t moving = 0;
    if (!g->turn || operand_is_node(o)) return NULL;
    if (operand_is_variable(o)) {
        const VarInfo *info = &g->vars[operand_variable(o)];
        if (info->turn == g->epoch) moving = info->moving;
    } else {
        const NodeInfo *info = &g->nodes[operand_leaf(o)];
        if (info->epoch == g->epoch) moving = info->moving;
    }
    return moving ? &g->turn->moving[moving - 1] : NULL;
}

void plan_body(Gen *g, const IrBody *body)
{
    g->turn = body;
    g->epoch++;
    g->items.n = 0;
    for (uint32_t k = 0; k < body->n_moving; k++) {
        const Expr leaf = body->moving[k].leaf;
        const ExprNode *node = expr_node(g->pool, leaf);
        if (node->op == EXPR_VAR) {
            VarInfo *info = plan_variable(g, node->index);
            info->turn = g->epoch;
            info->moving = k + 1;
        } else {
            plan_node(g, leaf)->moving = k + 1;
        }
    }
    const Operand root = plan_operand(g, body->statement.value);
    count_uses(g, root);
    order_expression(g, root);
    const Operand top = plan_through(g, root);
    if (!g->is_switch && operand_is_node(top) && !moves(g, top) && !plan_node(g, top)->number)
        make_temporary(g, top);
    for (size_t i = 0; i < g->items.n; i++) visit_item(g, &g->items.items[i], COUNT_READS);
    g->own = EXPR_NONE;
    visit(g, root, COUNT_READS);
}

// ---- All of it

void plan_epoch(Gen *g, uint32_t first, uint32_t end)
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

uint32_t plan_end_of_epoch(const Routine *r, uint32_t first)
{
    while (first < r->n_steps && !r->steps[first].ends_epoch) first++;
    return first < r->n_steps ? first + 1 : first;
}

uint32_t gen_measure(Gen *g, const Routine *r)
{
    uint32_t n = 0;
    gen_begin(g, r);
    for (uint32_t first = 0; first < r->n_steps;) {
        const uint32_t end = plan_end_of_epoch(r, first);
        if (r->steps[first].kind == STEP_LOOP) return UINT32_MAX;
        plan_epoch(g, first, end);
        n += (uint32_t)g->items.n;
        first = end;
    }
    return n;
}

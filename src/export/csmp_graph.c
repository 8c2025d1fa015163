// src/export/csmp_graph.c: equations taken apart into CSMP blocks, one for each operation.
//
//     x' = -k*x + 2*u - 1          I, 1, 0.5, 6       ; x
//                                  K, 2, 3            ; k
//                            →     X, 4, 2, 1
//                                  W, 5, -1, 4, 2, 3
//                                  OFFSET, 6, -1, 5   ; x'
//
// An expression is a graph already, so a shared node becomes one block. Sums of up to three terms that nobody
// else reads are gathered into one W or +, in the order in which they are computed, and whole powers become
// the products the generated code computes: reading the diagram back gives the same bits. A variable is the
// block of its value.
//
// The walk follows variables to what computes them, children first, without recursion. It stops at states and
// at the unknowns of algebraic loops, whose numbers are given out before, and at delays, whose inputs are
// walked to later.
#include "export/csmp_graph.h"
#include "base/number.h"
#include "csmp/csmp.h"
#include "expr/math.h"
#include <assert.h>
#include <math.h>

enum { TERMS_MAX = 3, CHILDREN_MAX = 4 };

typedef struct Frame {
    Expr node;
    uint32_t next;     // child to walk to
    uint32_t owner;    // variable whose value it is part of, for messages
} Frame;

typedef struct Writer {
    const CsmpGraph *graph;
    const Flat *flat;
    const ExprPool *pool;
    orr_diag *diag;
    Arena arena;    // owns all below
    bool ok;
    bool *is_done;           // [n_nodes]
    bool *is_open;           // [n_nodes] on the stack: met again, it needs itself
    uint32_t *number;        // [n_nodes] block of a node, 0 if none
    uint32_t *sense;         // [n_nodes] of a condition: block that is negative where it holds, 0 if none
    uint32_t *uses;          // [n_nodes] how many read it
    uint32_t *name_of;       // [n_nodes] variable whose value it is, or FLAT_NONE
    uint32_t *var_number;    // [n_vars] of states, constants, unknowns of loops; 0: see `value`
    Expr *value;             // [n_vars] what computes it; EXPR_NONE for states and constants
    bool *in_loop;           // [n_vars]
    bool *is_needed;         // [n_vars]
    uint32_t last;           // number given out last
    uint32_t zero, one;      // constants for truth values, 0 if none
    bool met_infinity;       // a constant has no K block
    VEC(Frame) stack;
    VEC(Frame) delays;    // met, but not yet written
    StrBuf body;          // lines but for integrators, constants and outputs
} Writer;

// A term of a sum: factor times block.
typedef struct Term {
    double factor;
    Expr node;
} Term;

// ---- Messages

static Place place_of(const Writer *w, uint32_t variable)
{
    const Ordered *dynamic = &w->graph->blocks->dynamic;
    const uint32_t b = dynamic->block_of[variable];
    if (b == FLAT_NONE) return w->flat->vars.items[variable].place;
    const Block *block = &dynamic->blocks[b];
    for (uint32_t i = 0; i < block->n; i++)
        if (block->unknowns[i] == variable) return dynamic->equations[block->equations[i]].place;
    return w->flat->vars.items[variable].place;
}

static void refuse(Writer *w, uint32_t variable, const char *what, const char *advice)
{
    const char *text = arena_printf(&w->arena, "%s '%s'", what, w->flat->vars.items[variable].name);
    diag_report(w->diag, DIAG_NOT_CSMP, place_of(w, variable), text);
    diag_hint(w->diag, "%s", advice);
    w->ok = false;
}

// ---- Lines

// Behind a line: name, unit and description, without what would end the line.
static void add_comment(Writer *w, StrBuf *s, uint32_t variable)
{
    if (variable != FLAT_NONE) {
        const FlatVar *v = &w->flat->vars.items[variable];
        const size_t from = s->n;
        str_addf(s, "\t; %s", v->name);
        if (v->unit) str_addf(s, " [%s]", v->unit);
        if (v->doc) str_addf(s, ", %s", v->doc);
        for (size_t i = from + 1; i < s->n; i++)
            if ((unsigned char)s->p[i] < ' ') s->p[i] = ' ';
    }
    str_add_char(s, '\n');
}

// A number for a block that is written later.
static uint32_t reserve(Writer *w)
{
    assert(w->last < CSMP_NUMBER_MAX);
    return ++w->last;
}

static void add_number(StrBuf *s, double value)
{
    str_add(s, ", ");
    s->n += number_format(value, str_room(s, NUMBER_MAX));
}

static uint32_t add_constant(Writer *w, double value, uint32_t variable)
{
    const uint32_t n = reserve(w);
    str_addf(&w->body, "K, %u", n);
    add_number(&w->body, value);
    add_comment(w, &w->body, variable);
    return n;
}

// A line of inputs only.
static uint32_t add_line(Writer *w, const char *kind, const uint32_t *inputs, int n_inputs, uint32_t variable)
{
    const uint32_t n = reserve(w);
    str_addf(&w->body, "%s, %u", kind, n);
    for (int i = 0; i < n_inputs; i++) str_addf(&w->body, ", %u", inputs[i]);
    add_comment(w, &w->body, variable);
    return n;
}

// A line of one parameter and one input.
static uint32_t add_scaled(Writer *w, const char *kind, double value, uint32_t input, uint32_t variable)
{
    const uint32_t n = reserve(w);
    str_addf(&w->body, "%s, %u", kind, n);
    add_number(&w->body, value);
    str_addf(&w->body, ", %u", input);
    add_comment(w, &w->body, variable);
    return n;
}

// ---- Conditions

static bool is_relation(ExprOp op) { return op >= EXPR_LT && op <= EXPR_NE; }

// The relation a condition stands for, or EXPR_NONE if it is no single one.
static Expr relation_of(const Writer *w, Expr condition)
{
    const ExprNode *node = expr_node(w->pool, condition);
    if (node->op == EXPR_MODE) return w->flat->relations.items[node->index].relation;
    return is_relation((ExprOp)node->op) ? condition : EXPR_NONE;
}

// ---- What a node reads

// A node that only its parent reads can become part of the parent's block.
static bool is_private(const Writer *w, Expr e) { return w->uses[e] == 1; }

static bool is_sum(const Writer *w, Expr e)
{
    return expr_op(w->pool, e) == EXPR_ADD || expr_op(w->pool, e) == EXPR_SUB;
}

static bool is_number(const Writer *w, Expr e) { return expr_is_const(w->pool, e, NULL); }

static Term make_term(const Writer *w, Expr e, double sign)
{
    const ExprNode *node = expr_node(w->pool, e);
    double factor;
    if (node->op == EXPR_NEG && is_private(w, e)) return (Term){ -sign, node->a };
    if (node->op == EXPR_MUL && is_private(w, e)) {
        if (expr_is_const(w->pool, node->a, &factor) && isfinite(factor))
            return (Term){ sign * factor, node->b };
        if (expr_is_const(w->pool, node->b, &factor) && isfinite(factor))
            return (Term){ sign * factor, node->a };
    }
    return (Term){ sign, e };
}

// The terms of a sum, in the order in which they are added. A single one with a number beside it: *offset.
static int gather(const Writer *w, Expr e, Term terms[TERMS_MAX], double *offset)
{
    const ExprNode *node = expr_node(w->pool, e);
    const double sign = node->op == EXPR_SUB ? -1 : 1;
    *offset = 0;
    if (expr_is_const(w->pool, node->b, offset) && isfinite(*offset)) {
        *offset *= sign;
        terms[0] = (Term){ 1, node->a };
        return 1;
    }
    if (node->op == EXPR_ADD && expr_is_const(w->pool, node->a, offset) && isfinite(*offset)) {
        terms[0] = (Term){ 1, node->b };
        return 1;
    }
    int n = 0;
    const Expr left = node->a;
    if (is_sum(w, left) && is_private(w, left) && !is_number(w, expr_node(w->pool, left)->a) &&
        !is_number(w, expr_node(w->pool, left)->b)) {
        const ExprNode *inner = expr_node(w->pool, left);
        terms[n++] = make_term(w, inner->a, 1);
        terms[n++] = make_term(w, inner->b, inner->op == EXPR_SUB ? -1 : 1);
    } else {
        terms[n++] = make_term(w, left, 1);
    }
    terms[n++] = make_term(w, node->b, sign);
    return n;
}

// Nodes whose blocks must be there before that of `e`. Constants are written when they are needed.
static int children(const Writer *w, Expr e, Expr out[CHILDREN_MAX])
{
    const ExprNode *node = expr_node(w->pool, e);
    int n = 0;
    if (node->op == EXPR_VAR) {
        const Expr value = w->value[node->index];
        if (value != EXPR_NONE && !w->in_loop[node->index]) out[n++] = value;
    } else if (relation_of(w, e) != EXPR_NONE) {
        const ExprNode *relation = expr_node(w->pool, relation_of(w, e));
        out[n++] = relation->a;
        out[n++] = relation->b;
    } else if (is_sum(w, e)) {
        Term terms[TERMS_MAX];
        double offset;
        const int n_terms = gather(w, e, terms, &offset);
        for (int i = 0; i < n_terms; i++) out[n++] = terms[i].node;
    } else if (node->op != EXPR_DELAY && node->op != EXPR_CONST) {
        for (int i = 0; i < expr_n_operands(w->pool, e); i++) out[n++] = expr_operand(w->pool, e, i);
    }
    return n;
}

// ---- Writing a node whose children are written

// The block of a node. A constant becomes a K block the first time it is needed.
static uint32_t number_of(Writer *w, Expr e)
{
    double value;
    if (w->number[e] == 0 && expr_is_const(w->pool, e, &value)) {
        if (isfinite(value)) w->number[e] = add_constant(w, value, w->name_of[e]);
        else w->met_infinity = true;
    }
    return w->number[e];
}

static uint32_t number_of_variable(Writer *w, uint32_t variable)
{
    if (w->var_number[variable]) return w->var_number[variable];
    return number_of(w, w->value[variable]);
}

static uint32_t truth_constant(Writer *w, bool truth)
{
    uint32_t *n = truth ? &w->one : &w->zero;
    if (*n == 0) *n = add_constant(w, truth, FLAT_NONE);
    return *n;
}

// The block of left - right, which is negative exactly where left < right.
static uint32_t add_difference(Writer *w, Expr left, Expr right)
{
    double value;
    if (expr_is_const(w->pool, right, &value) && isfinite(value))
        return value == 0 ? number_of(w, left)
                          : add_scaled(w, "OFFSET", -value, number_of(w, left), FLAT_NONE);
    const uint32_t b = number_of(w, right);
    if (expr_is_const(w->pool, left, &value) && value == 0) return add_line(w, "-", &b, 1, FLAT_NONE);
    const uint32_t a = number_of(w, left), n = reserve(w);
    str_addf(&w->body, "+, %u, 1, %u, -1, %u\n", n, a, b);
    return n;
}

// What choose() and truth_of() need of a relation: a block that is negative where it holds, or if `inverted`
// where it does not; for == and != one that is zero.
static uint32_t sense_of_relation(Writer *w, Expr relation, bool *inverted)
{
    const ExprNode *node = expr_node(w->pool, relation);
    const bool swap = node->op == EXPR_GT || node->op == EXPR_LE;
    *inverted = node->op == EXPR_GE || node->op == EXPR_LE || node->op == EXPR_NE;
    if (w->sense[relation] == 0)
        w->sense[relation] = swap ? add_difference(w, node->b, node->a) : add_difference(w, node->a, node->b);
    return w->sense[relation];
}

// yes where the condition holds, else no; all three are written.
static uint32_t choose(Writer *w, Expr condition, uint32_t yes, uint32_t no, uint32_t variable)
{
    const Expr relation = relation_of(w, condition);
    bool inverted = false;
    if (relation == EXPR_NONE) {
        if (w->sense[condition] == 0)
            w->sense[condition] = add_line(w, "-", &w->number[condition], 1, FLAT_NONE);
        return add_line(w, "RELAY", (uint32_t[]){ w->sense[condition], yes, no }, 3, variable);
    }
    const uint32_t sense = sense_of_relation(w, relation, &inverted);
    const ExprOp op = expr_op(w->pool, relation);
    const uint32_t then = inverted ? no : yes, otherwise = inverted ? yes : no;
    if (op == EXPR_EQ || op == EXPR_NE)
        return add_line(w, "FCNSW", (uint32_t[]){ sense, otherwise, then, otherwise }, 4, variable);
    return add_line(w, "RELAY", (uint32_t[]){ sense, then, otherwise }, 3, variable);
}

// The block that is 1 where a condition holds, else 0.
static uint32_t truth_of(Writer *w, Expr condition)
{
    double value;
    if (w->number[condition]) return w->number[condition];
    if (expr_is_const(w->pool, condition, &value)) return truth_constant(w, value != 0);
    const uint32_t yes = truth_constant(w, true), no = truth_constant(w, false);
    return w->number[condition] = choose(w, condition, yes, no, w->name_of[condition]);
}

static uint32_t write_logic(Writer *w, const char *kind, Expr e)
{
    uint32_t inputs[CHILDREN_MAX];
    const int n = expr_n_operands(w->pool, e);
    for (int i = 0; i < n; i++) inputs[i] = truth_of(w, expr_operand(w->pool, e, i));
    return add_line(w, kind, inputs, n, w->name_of[e]);
}

static uint32_t write_if(Writer *w, Expr e)
{
    const ExprNode *node = expr_node(w->pool, e);
    const bool is_truth = expr_is_bool(w->pool, e);
    const uint32_t yes = is_truth ? truth_of(w, node->b) : number_of(w, node->b);
    const uint32_t no = is_truth ? truth_of(w, node->c) : number_of(w, node->c);
    return choose(w, node->a, yes, no, w->name_of[e]);
}

static uint32_t write_sum(Writer *w, Expr e)
{
    Term terms[TERMS_MAX];
    double offset;
    const int n_terms = gather(w, e, terms, &offset);
    if (n_terms == 1) return add_scaled(w, "OFFSET", offset, number_of(w, terms[0].node), w->name_of[e]);
    bool weighted = false;
    uint32_t inputs[TERMS_MAX];
    for (int i = 0; i < n_terms; i++) {
        inputs[i] = number_of(w, terms[i].node);
        weighted = weighted || fabs(terms[i].factor) != 1;
    }
    const uint32_t n = reserve(w);
    str_addf(&w->body, "%s, %u", weighted ? "W" : "+", n);
    for (int i = 0; i < n_terms; i++) {
        add_number(&w->body, terms[i].factor);
        str_addf(&w->body, ", %u", inputs[i]);
    }
    add_comment(w, &w->body, w->name_of[e]);
    return n;
}

static uint32_t write_product(Writer *w, Expr e)
{
    const ExprNode *node = expr_node(w->pool, e);
    double factor;
    for (int i = 0; i < 2; i++) {
        if (!expr_is_const(w->pool, i ? node->b : node->a, &factor) || !isfinite(factor)) continue;
        return add_scaled(w, "W", factor, number_of(w, i ? node->a : node->b), w->name_of[e]);
    }
    const uint32_t a = number_of(w, node->a), b = number_of(w, node->b);
    return add_line(w, "X", (uint32_t[]){ a, b }, 2, w->name_of[e]);
}

// x^n by squaring, in the order that expr/math.h promises.
static uint32_t write_whole_power(Writer *w, Expr e, int exponent)
{
    const uint32_t x = number_of(w, expr_node(w->pool, e)->a);
    const unsigned n = (unsigned)(exponent < 0 ? -exponent : exponent);
    uint32_t r = x;
    unsigned bit = 1;
    while (bit <= n / 2) bit *= 2;
    for (bit /= 2; bit > 0; bit /= 2) {
        const bool is_last = bit == 1 && exponent > 0;
        r = add_line(w, "X", (uint32_t[]){ r, r }, 2, is_last && !(n & bit) ? w->name_of[e] : FLAT_NONE);
        if (n & bit) r = add_line(w, "X", (uint32_t[]){ r, x }, 2, is_last ? w->name_of[e] : FLAT_NONE);
    }
    if (exponent > 0) return r;
    return add_line(w, "/", (uint32_t[]){ truth_constant(w, true), r }, 2, w->name_of[e]);
}

static uint32_t write_lookup(Writer *w, Expr e, uint32_t owner)
{
    const ExprNode *node = expr_node(w->pool, e);
    const ExprTable *table = &w->pool->tables.items[node->b];
    bool good = true;
    for (uint32_t i = 0; i < table->n; i++)
        good = good && isfinite(table->x[i]) && isfinite(table->y[i]) &&
               (i == 0 || table->x[i - 1] < table->x[i]);
    if (!good) {
        refuse(w, owner, "the table with a jump in the equation of",
               "separate its points: each x must be larger than the one before");
        return 0;
    }
    const uint32_t input = number_of(w, node->a), n = reserve(w);
    str_addf(&w->body, "FUNCTION, %u, %u", n, input);
    for (uint32_t i = 0; i < table->n; i++) {
        add_number(&w->body, table->x[i]);
        add_number(&w->body, table->y[i]);
    }
    if (table->n == 1) {    // a FUNCTION has two points at least
        add_number(&w->body, table->x[0] + 1 + fabs(table->x[0]));
        add_number(&w->body, table->y[0]);
    }
    add_comment(w, &w->body, w->name_of[e]);
    return n;
}

// An operation that is a block of inputs only: the one with its name, if there is one.
static uint32_t write_plain(Writer *w, Expr e, uint32_t owner)
{
    const ExprOp op = expr_op(w->pool, e);
    const bool has_name = expr_ops[op].is_function || op == EXPR_POW || op == EXPR_TIME;
    const char *kind = op == EXPR_NEG ? "-" : op == EXPR_DIV ? "/" : has_name ? expr_ops[op].name : "";
    for (size_t i = 0; i < csmp_n_blocks; i++) {
        if (strcmp(csmp_blocks[i].name, kind) != 0) continue;
        uint32_t inputs[CHILDREN_MAX];
        const int n = expr_n_operands(w->pool, e);
        for (int k = 0; k < n; k++) inputs[k] = number_of(w, expr_operand(w->pool, e, k));
        return add_line(w, kind, inputs, n, w->name_of[e]);
    }
    const char *what = arena_printf(&w->arena, "%s in the equation of", expr_ops[op].text);
    refuse(w, owner, what, "only what `orrery blocks` lists can be written");
    return 0;
}

static void write_node(Writer *w, Expr e, uint32_t owner)
{
    const ExprNode *node = expr_node(w->pool, e);
    int exponent;
    uint32_t *n = &w->number[e];
    switch ((ExprOp)node->op) {
    case EXPR_CONST:
    case EXPR_MODE: break;    // written when needed
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_EQ:
    case EXPR_NE: break;    // likewise
    case EXPR_VAR: *n = number_of_variable(w, node->index); break;
    case EXPR_AND: *n = write_logic(w, "AND", e); break;
    case EXPR_OR: *n = write_logic(w, "OR", e); break;
    case EXPR_NOT: *n = write_logic(w, "NOT", e); break;
    case EXPR_IF: *n = write_if(w, e); break;
    case EXPR_ADD:
    case EXPR_SUB: *n = write_sum(w, e); break;
    case EXPR_MUL: *n = write_product(w, e); break;
    case EXPR_LOOKUP: *n = write_lookup(w, e, owner); break;
    case EXPR_DELAY:
        *n = reserve(w);
        vec_push(&w->arena, &w->delays, (Frame){ .node = e, .owner = owner });
        break;
    default:
        if (expr_is_whole_power(w->pool, e, &exponent) && exponent != 0)
            *n = write_whole_power(w, e, exponent);
        else *n = write_plain(w, e, owner);
    }
    if (w->met_infinity)
        refuse(w, owner, "an infinite number in the equation of", "a block takes finite numbers only");
    w->met_infinity = false;
}

// ---- Walking

// Write `root`, part of the value of `owner`, and all it needs.
static void walk(Writer *w, Expr root, uint32_t owner)
{
    if (w->is_done[root]) return;
    vec_push(&w->arena, &w->stack, (Frame){ .node = root, .owner = owner });
    w->is_open[root] = true;
    while (w->stack.n > 0) {
        Frame *top = &vec_last(&w->stack);
        if (expr_op(w->pool, top->node) == EXPR_VAR) top->owner = expr_node(w->pool, top->node)->index;
        Expr below[CHILDREN_MAX];
        const int n = children(w, top->node, below);
        if ((int)top->next < n) {
            const Frame child = { .node = below[top->next++], .owner = top->owner };
            if (w->is_open[child.node]) {
                refuse(w, child.owner, "a condition that depends on what it decides, in the equation of",
                       "it is an event of the run; a block diagram has no instant for it");
                w->is_done[child.node] = true;
            } else if (!w->is_done[child.node]) {
                vec_push(&w->arena, &w->stack, child);
                w->is_open[child.node] = true;
            }
            continue;
        }
        const Frame frame = vec_pop(&w->stack);
        w->is_done[frame.node] = true;
        w->is_open[frame.node] = false;
        write_node(w, frame.node, frame.owner);
    }
}

static void read_node(Writer *w, Expr e)
{
    if (e != EXPR_NONE && w->uses[e]++ == 0) vec_push(&w->arena, &w->stack, (Frame){ .node = e });
}

// Something is read from outside the graph.
static void read_variable(Writer *w, uint32_t variable)
{
    w->is_needed[variable] = true;
    const Expr value = w->value[variable];
    if (value == EXPR_NONE) return;
    if (w->name_of[value] == FLAT_NONE) w->name_of[value] = variable;
    read_node(w, value);
}

// Count who is read by how many, and which variables are needed at all.
static void survey(Writer *w)
{
    const CsmpGraph *g = w->graph;
    for (uint32_t i = 0; i < g->blocks->n_states; i++) read_variable(w, g->blocks->rates[i]);
    for (uint32_t i = 0; i < g->n_outputs; i++) read_variable(w, g->outputs[i]);
    while (w->stack.n > 0) {
        const Expr e = vec_pop(&w->stack).node;
        const ExprNode *node = expr_node(w->pool, e);
        if (node->op == EXPR_VAR) {
            if (!w->is_needed[node->index]) read_variable(w, node->index);
        } else if (node->op == EXPR_DELAY) {
            read_node(w, w->flat->delays.items[node->b].source);
        } else {
            const Expr relation = relation_of(w, e);
            const Expr from = relation == EXPR_NONE ? e : relation;
            for (int i = 0; i < expr_n_operands(w->pool, from); i++)
                read_node(w, expr_operand(w->pool, from, i));
        }
    }
}

// ---- What computes a variable

static bool is_variable(const Writer *w, Expr e, uint32_t variable)
{
    const ExprNode *node = expr_node(w->pool, e);
    return node->op == EXPR_VAR && node->index == variable;
}

// Give each unknown of a loop an equation in which it stands alone on a side: its own, or one nobody else
// wants.
static void untie_loop(Writer *w, const Block *block)
{
    const FlatEquation *equations = w->graph->blocks->dynamic.equations;
    bool *is_taken = ARENA_ARRAY(&w->arena, bool, block->n);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < block->n; i++) {
            const uint32_t u = block->unknowns[i];
            w->in_loop[u] = true;
            for (uint32_t k = round ? 0 : i; k < (round ? block->n : i + 1) && w->value[u] == EXPR_NONE;
                 k++) {
                const FlatEquation *eq = &equations[block->equations[k]];
                if (is_taken[k]) continue;
                if (is_variable(w, eq->lhs, u)) w->value[u] = eq->rhs;
                else if (is_variable(w, eq->rhs, u)) w->value[u] = eq->lhs;
                is_taken[k] = w->value[u] != EXPR_NONE;
            }
        }
    }
}

static void find_values(Writer *w)
{
    const CsmpGraph *g = w->graph;
    for (size_t i = 0; i < w->flat->vars.n; i++) {
        const FlatVar *v = &w->flat->vars.items[i];
        w->value[i] = EXPR_NONE;
        const bool is_param = v->kind == FLAT_PARAM || v->kind == FLAT_INPUT;
        // a parameter computed from others stays so, unless its value was given
        if (is_param && v->start != EXPR_NONE && !is_number(w, v->start) && !(g->is_fixed && g->is_fixed[i]))
            w->value[i] = v->start;
    }
    for (size_t i = 0; i < w->flat->events.n; i++) {    // each changes something the blocks would keep
        diag_report(w->diag, DIAG_NOT_CSMP, w->flat->events.items[i].place, "an event");
        diag_hint(w->diag, "block diagrams have no events");
        w->ok = false;
    }
    if (w->flat->islands.n > 0) {
        diag_report(w->diag, DIAG_NOT_CSMP, w->flat->place, "an island");
        diag_hint(w->diag, "without the word 'island' its equations are blocks among the others");
        w->ok = false;
    }
    for (size_t i = 0; i < w->flat->parts.n; i++) {
        diag_report(w->diag, DIAG_NOT_CSMP, w->flat->parts.items[i].place, "an atomic component");
        w->ok = false;
    }
    for (uint32_t i = 0; i < g->blocks->n_states; i++) w->var_number[g->blocks->states[i]] = reserve(w);
    const Ordered *dynamic = &g->blocks->dynamic;
    for (uint32_t i = 0; i < dynamic->n_blocks; i++) {
        const Block *block = &dynamic->blocks[i];
        if (block->kind == BLOCK_ASSIGN) w->value[block->unknowns[0]] = block->value;
        else untie_loop(w, block);
    }
}

// Numbers for what is needed and not computed from anything: constants; and for the unknowns of loops.
static void give_numbers(Writer *w)
{
    const CsmpGraph *g = w->graph;
    for (uint32_t i = 0; i < g->blocks->n_params; i++) {
        const uint32_t p = g->blocks->params[i];
        if (!w->is_needed[p] || w->value[p] != EXPR_NONE) continue;
        if (isfinite(g->start[p])) w->var_number[p] = add_constant(w, g->start[p], p);
        else refuse(w, p, "the value of", "give it a finite value");
    }
    for (uint32_t v = 0; v < w->flat->vars.n; v++) {
        if (!w->is_needed[v] || w->var_number[v]) continue;
        if (w->in_loop[v]) w->var_number[v] = reserve(w);
        if (w->value[v] != EXPR_NONE) continue;
        if (w->in_loop[v])
            refuse(w, v, "the implicit equation for", "write it as 'name = expression', or solve it by hand");
        else if (w->ok)
            refuse(w, v, "the variable", "only variables that are computed while time passes can be written");
    }
}

// ---- The diagram

static double read_start(const void *context, uint32_t variable)
{
    return ((const double *)context)[variable];
}

static void write_delays(Writer *w)
{
    const double *start = w->graph->start;
    for (size_t i = 0; i < w->delays.n; i++) {    // grows on the way
        const Frame frame = w->delays.items[i];
        const FlatDelay *delay = &w->flat->delays.items[expr_node(w->pool, frame.node)->b];
        walk(w, delay->source, frame.owner);
        const ExprValues values = { .variable = read_start, .context = start };
        if (delay->moving_plus_1)
            refuse(w, frame.owner, "the delay in the equation of", "its lag changes during a run");
        const double lag = expr_evaluate(w->pool, delay->lag, &values);
        if (delay->before != EXPR_NONE) {
            refuse(w, frame.owner, "the delay with a history of its own in the equation of",
                   "a DELAY block starts with the first value of its input");
        } else if (!(lag > 0) || !isfinite(lag)) {
            refuse(w, frame.owner, "the delay in the equation of", "its lag must be positive and finite");
        } else {
            const uint32_t input = number_of(w, delay->source);
            str_addf(&w->body, "DELAY, %u", w->number[frame.node]);
            add_number(&w->body, lag);
            str_addf(&w->body, ", %u", input);
            add_comment(w, &w->body, w->name_of[frame.node]);
        }
    }
}

static void write_integrators(Writer *w, StrBuf *s)
{
    const Blocks *blocks = w->graph->blocks;
    for (uint32_t i = 0; i < blocks->n_states; i++) {
        const uint32_t x = blocks->states[i];
        if (!isfinite(w->graph->start[x]))
            refuse(w, x, "the initial value of", "give it a finite initial value");
        str_addf(s, "I, %u", w->var_number[x]);
        add_number(s, w->graph->start[x]);
        str_addf(s, ", %u", number_of_variable(w, blocks->rates[i]));
        add_comment(w, s, x);
    }
}

static bool write_diagram(Writer *w, FILE *out)
{
    const CsmpGraph *g = w->graph;
    find_values(w);
    survey(w);
    give_numbers(w);
    if (!w->ok) return false;

    for (uint32_t i = 0; i < g->blocks->n_states; i++) {
        const uint32_t rate = g->blocks->rates[i];
        if (!w->var_number[rate]) walk(w, w->value[rate], rate);
    }
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        const uint32_t y = g->outputs[i];
        if (!w->var_number[y]) walk(w, w->value[y], y);
    }
    for (uint32_t v = 0; v < w->flat->vars.n; v++) {
        if (!w->is_needed[v] || !w->in_loop[v]) continue;
        walk(w, w->value[v], v);
        str_addf(&w->body, "W, %u, 1, %u", w->var_number[v], number_of(w, w->value[v]));
        add_comment(w, &w->body, v);
    }
    write_delays(w);

    StrBuf integrators = { .arena = &w->arena }, outputs = { .arena = &w->arena };
    write_integrators(w, &integrators);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        const uint32_t input = number_of_variable(w, g->outputs[i]);
        str_addf(&outputs, "O, %u, %u", reserve(w), input);
        add_comment(w, &outputs, g->outputs[i]);
    }
    if (w->met_infinity)
        refuse(w, g->outputs[0], "an infinite number beside", "a block takes finite numbers only");
    if (!w->ok) return false;
    fputs(str_finish(&integrators), out);
    fputs(w->body.p ? w->body.p : "", out);
    fputs(str_finish(&outputs), out);
    return true;
}

bool csmp_graph_write(const CsmpGraph *graph, FILE *out, orr_diag *diag)
{
    Writer w = { .graph = graph, .flat = graph->flat, .pool = &graph->flat->pool, .diag = diag, .ok = true };
    const size_t n_nodes = w.pool->nodes.n, n_vars = w.flat->vars.n;
    w.is_done = ARENA_ARRAY(&w.arena, bool, n_nodes);
    w.is_open = ARENA_ARRAY(&w.arena, bool, n_nodes);
    w.number = ARENA_ARRAY(&w.arena, uint32_t, n_nodes);
    w.sense = ARENA_ARRAY(&w.arena, uint32_t, n_nodes);
    w.uses = ARENA_ARRAY(&w.arena, uint32_t, n_nodes);
    w.name_of = ARENA_ARRAY(&w.arena, uint32_t, n_nodes);
    for (size_t i = 0; i < n_nodes; i++) w.name_of[i] = FLAT_NONE;
    w.var_number = ARENA_ARRAY(&w.arena, uint32_t, n_vars);
    w.value = ARENA_ARRAY(&w.arena, Expr, n_vars);
    w.in_loop = ARENA_ARRAY(&w.arena, bool, n_vars);
    w.is_needed = ARENA_ARRAY(&w.arena, bool, n_vars);
    const bool ok = write_diagram(&w, out);
    str_free(&w.body);
    arena_free(&w.arena);
    return ok;
}

// src/code/quantise.c: one C function for each shape of terms, and building them.
#include "code/quantise.h"
#include "base/guard.h"
#include "base/os.h"
#include "code/arith.h"
#include "code/build.h"
#include "code/emit.h"
#include "code/prelude.h"
#include "code/qss_step_text.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NEST_MAX = 12, N_RESULTS = 4 };

// The function being printed.
typedef struct Printer {
    Gen g;    // what the prelude must have
    const IrQuantised *q;
    ExprPool *pool;
    StrBuf *s;
    const IrShape *shape;
    const uint32_t *row;    // of the one term that is meant; NULL: handed over as r
    const char *indent;
    int order;
    bool is_implicit;
    bool reads_x;
    uint32_t *uses;    // [n_nodes] in the present function; 0 again behind it
    uint32_t *name;    // [n_nodes] number of its temporary, 0: it is nested
    uint8_t *depth;    // [n_nodes]
    size_t n_marks;    // of these arrays
    uint32_t n_names;
    VEC(uint32_t) pieces;    // tables that are read
    const char *prefix;      // of their names, and of those of other tables
    Arena *arena;
} Printer;

// ---- Expressions

static void print(Printer *p, Expr e, int binding);

// The index that a slot stands for, as text.
static void print_index(Printer *p, const IrSlot *s)
{
    if (!s->moves) str_addf(p->s, "%u", s->index);
    else if (p->row) str_addf(p->s, "%u", p->row[s->column]);
    else str_addf(p->s, "r[%u]", s->column);
}

static bool is_moving(const IrSlot *s)
{
    return s->kind == IR_SLOT_STATE || s->kind == IR_SLOT_SHARED || s->kind == IR_SLOT_UNKNOWN;
}

static void print_slot(Printer *p, uint32_t variable)
{
    const uint32_t slot = variable % p->shape->n_slots, rate = variable / p->shape->n_slots;
    const IrSlot *s = &p->shape->slots[slot];
    if (is_moving(s)) {
        str_addf(p->s, "%c%u", (int)('a' + rate), slot);
        return;
    }
    assert(rate == 0);
    str_add(p->s, s->kind == IR_SLOT_NUMBER ? "n[" : "v[");
    print_index(p, s);
    str_add_char(p->s, ']');
}

static void use_pieces(Printer *p, uint32_t table)
{
    for (size_t i = 0; i < p->pieces.n; i++)
        if (p->pieces.items[i] == table) return;
    vec_push(p->arena, &p->pieces, table);
}

static void print_pieces(const Printer *p, StrBuf *s)
{
    const char *name = arena_printf(p->arena, "%spieces", p->prefix);
    for (size_t i = 0; i < p->pieces.n; i++) {
        const ExprPieces *pieces = &p->pool->pieces.items[p->pieces.items[i]];
        gen_list(s, name, p->pieces.items[i], pieces->numbers, pieces->n_numbers);
    }
}

// The operation under way.
typedef struct Operation {
    Printer *p;
    Expr     e;
} Operation;

static void print_operand(void *context, int k, int binding)
{
    const Operation *o = context;
    print(o->p, expr_operand(o->p->pool, o->e, k), binding);
}

static void print_table(void *context)
{
    const Operation *o = context;
    Printer *p = o->p;
    const ExprNode *node = expr_node(p->pool, o->e);
    if (node->op == EXPR_LOOKUP || node->op == EXPR_SLOPE) {
        p->g.uses_table[node->b] = true;
        str_addf(p->s, "%stable_x%u, %stable_y%u, %u, ", p->prefix, node->b, p->prefix, node->b,
                 p->pool->tables.items[node->b].n);
        return;
    }
    const uint32_t table = node->op == EXPR_PIECES ? node->b : node->c;
    const ExprPieces *pieces = &p->pool->pieces.items[table];
    use_pieces(p, table);
    str_addf(p->s, "%spieces%u, %u, ", p->prefix, table, pieces->n_breaks[0]);
    if (node->op == EXPR_GRID) str_addf(p->s, "%u, ", pieces->n_breaks[1]);
}

static void print_operation(Printer *p, Expr e, int binding)
{
    int power;
    if (!expr_is_whole_power(p->pool, e, &power)) power = 0;
    Operation o = { p, e };
    const Arith a = { .s = p->s, .op = expr_op(p->pool, e), .power = power,
                      .n_operands = expr_n_operands(p->pool, e), .may_repeat = true,
                      .uses_math = p->g.uses_math, .uses_power = p->g.uses_power,
                      .operand = print_operand, .table = print_table, .context = &o };
    arith_print(&a, binding);
}

static void print(Printer *p, Expr e, int binding)
{
    const ExprNode *node = expr_node(p->pool, e);
    double value;
    if (node->op == EXPR_VAR) {
        print_slot(p, node->index);
    } else if (node->op == EXPR_MODE) {
        str_add_char(p->s, '(');
        print_slot(p, node->index);
        str_add(p->s, " != 0.0)");
    } else if (node->op == EXPR_TIME) {
        str_add_char(p->s, 't');
    } else if (expr_is_const(p->pool, e, &value)) {
        if (expr_is_bool(p->pool, e)) str_add(p->s, value != 0 ? "1" : "0");
        else gen_leaf(p->s, value, binding);
    } else if (p->name[e]) {
        str_addf(p->s, "e%u", p->name[e]);
    } else {
        print_operation(p, e, binding);    // only so deep as choose_names allowed
    }
}

// ---- Functions

static void make_marks(Printer *p)
{
    const size_t n = p->pool->nodes.n;
    if (n <= p->n_marks) return;
    const size_t more = n + n / 2;
    p->uses = arena_grow(&p->g.work, p->uses, p->n_marks, more, sizeof *p->uses);
    p->name = arena_grow(&p->g.work, p->name, p->n_marks, more, sizeof *p->name);
    p->depth = arena_grow(&p->g.work, p->depth, p->n_marks, more, sizeof *p->depth);
    p->n_marks = more;
}

// The polynomial of a state at t, as far as it is read.
static void print_load(Printer *p, uint32_t slot, const bool reads[3])
{
    StrBuf *s = p->s;
    const IrSlot *from = &p->shape->slots[slot];
    const uint32_t size = (uint32_t)(p->reads_x ? QSS_X(p->order, p->is_implicit) : QSS_Q);
    str_addf(s, "%sconst double *p%u = q + ", p->indent, slot);
    if (from->moves && !p->row) str_addf(s, "%uL*r[%u];\n", size, from->column);
    else str_addf(s, "%u;\n", size * (from->moves ? p->row[from->column] : from->index));
    if (from->kind != IR_SLOT_STATE) {    // computed at t
        if (reads[0]) str_addf(s, "%sconst double a%u = p%u[0];\n", p->indent, slot, slot);
        if (reads[1]) str_addf(s, "%sconst double b%u = p%u[1];\n", p->indent, slot, slot);
        if (reads[2]) str_addf(s, "%sconst double c%u = 2.0*p%u[2];\n", p->indent, slot, slot);
        return;
    }
    const int degree = p->reads_x ? p->order : p->order - 1;    // of the polynomial
    const int time = p->reads_x ? QSS_TIME(p->order) : QSS_Q_TIME;
    if (degree > 0) str_addf(s, "%sconst double d%u = t - p%u[%d];\n", p->indent, slot, slot, time);
    static const char *const value[] = { "p#[0]", "p#[0] + d#*p#[1]", "p#[0] + d#*(p#[1] + d#*p#[2])",
                                         "p#[0] + d#*(p#[1] + d#*(p#[2] + d#*p#[3]))" };
    static const char *const first[] = { "0.0", "p#[1]", "p#[1] + 2.0*d#*p#[2]",
                                         "p#[1] + d#*(2.0*p#[2] + 3.0*d#*p#[3])" };
    static const char *const second[] = { "0.0", "0.0", "2.0*p#[2]", "2.0*p#[2] + 6.0*d#*p#[3]" };
    const char *const *texts[] = { value, first, second };
    for (int k = 0; k < 3; k++) {
        if (!reads[k]) continue;
        str_addf(s, "%sconst double %c%u = ", p->indent, 'a' + k, slot);
        for (const char *c = texts[k][degree]; *c; c++) {
            if (*c == '#') str_addf(s, "%u", slot);
            else str_add_char(s, *c);
        }
        str_add(s, ";\n");
    }
}

static void print_loads(Printer *p, const Expr *nodes, size_t n)
{
    const uint32_t n_slots = p->shape->n_slots;
    bool(*reads)[3] = arena_alloc(&p->g.work, n_slots, sizeof *reads);
    for (size_t i = 0; i < n; i++) {
        if (expr_op(p->pool, nodes[i]) != EXPR_VAR) continue;
        const uint32_t variable = expr_node(p->pool, nodes[i])->index;
        reads[variable % n_slots][variable / n_slots] = true;
    }
    for (uint32_t k = 0; k < n_slots; k++) {
        if (!is_moving(&p->shape->slots[k])) continue;
        if (reads[k][0] || reads[k][1] || reads[k][2]) print_load(p, k, reads[k]);
    }
}

// Which nodes get a name: used twice, or nested too deeply.
static void choose_names(Printer *p, const Expr *nodes, size_t n, const Expr *roots, int n_roots)
{
    for (size_t i = 0; i < n; i++) p->uses[nodes[i]] = p->name[nodes[i]] = 0;
    for (int k = 0; k < n_roots; k++) p->uses[roots[k]]++;
    for (size_t i = 0; i < n; i++) {
        int power;
        const bool repeats = expr_is_whole_power(p->pool, nodes[i], &power);
        for (int k = 0; k < expr_n_operands(p->pool, nodes[i]); k++)
            p->uses[expr_operand(p->pool, nodes[i], k)] += repeats ? 2 : 1;
    }
    p->n_names = 0;
    for (size_t i = 0; i < n; i++) {
        const Expr e = nodes[i];
        uint8_t depth = 0;
        for (int k = 0; k < expr_n_operands(p->pool, e); k++) {
            const Expr below = expr_operand(p->pool, e, k);
            if (!p->name[below] && p->depth[below] >= depth) depth = (uint8_t)(p->depth[below] + 1);
        }
        p->depth[e] = depth;
        if (expr_ops[expr_op(p->pool, e)].arity == 0) continue;
        if (p->uses[e] > 1 || depth >= NEST_MAX) p->name[e] = ++p->n_names;
    }
}

// Statements that leave the roots in o[first], o[first + 1], …
static void print_body(Printer *p, const Expr *roots, int n_roots, int first)
{
    StrBuf *s = p->s;
    make_marks(p);
    size_t n;
    const ArenaMark mark = arena_mark(&p->g.work);
    const Expr *nodes = expr_collect(p->pool, roots, (size_t)n_roots, &p->g.work, &n);
    print_loads(p, nodes, n);
    choose_names(p, nodes, n, roots, n_roots);
    for (size_t i = 0; i < n; i++) {
        if (!p->name[nodes[i]]) continue;
        const bool is_truth = expr_is_bool(p->pool, nodes[i]);
        str_addf(s, "%sconst %s e%u = ", p->indent, is_truth ? "int" : "double", p->name[nodes[i]]);
        print_operation(p, nodes[i], BIND_IF);
        str_add(s, ";\n");
    }
    for (int k = 0; k < n_roots; k++) {
        str_addf(s, "%so[%d] = ", p->indent, first + k);
        print(p, roots[k], BIND_IF);
        str_add(s, ";\n");
    }
    arena_release(&p->g.work, mark);
}

static void begin_function(Printer *p, const char *prefix, uint32_t number)
{
    str_addf(p->s,
             "static void %s%u(double t, const double *q, const double *v, const unsigned *r, "
             "const double *n, double *o)\n{\n",
             prefix, number);
}

// Value and derivatives by time, each from the one before; variables have derivatives up to `degree`.
static int make_roots(Printer *p, int degree, int n_derivatives, bool with_own, Expr roots[N_RESULTS])
{
    const IrShape *shape = p->shape;
    const uint32_t n = shape->n_slots;
    const ArenaMark mark = arena_mark(&p->g.work);
    Expr *rates = ARENA_ARRAY(&p->g.work, Expr, 3 * (size_t)n);
    for (uint32_t k = 0; k < 3 * n; k++) {
        const bool moves = is_moving(&shape->slots[k % n]) && (int)(k / n) < degree;
        rates[k] = moves && k < 2 * n ? expr_var(p->pool, k + n) : EXPR_NONE;
    }
    int n_roots = 0;
    roots[n_roots++] = shape->value;
    for (int k = 0; k < n_derivatives; k++, n_roots++)
        roots[n_roots] = expr_time_derivative(p->pool, roots[n_roots - 1], rates, 3 * (size_t)n);
    if (with_own)
        roots[n_roots++] = shape->own == FLAT_NONE ? expr_const(p->pool, 0)
                                                   : expr_derivative(p->pool, shape->value, shape->own);
    arena_release(&p->g.work, mark);
    return n_roots;
}

// All rates that depend on state i, each in a scope of its own.
static void print_rates_of(Printer *p, uint32_t i)
{
    const IrLists *affects = &p->q->affects;
    int first = 0;
    for (uint32_t k = affects->start[i]; k < affects->start[i + 1]; k++) {
        const uint32_t term = affects->item[k];
        p->shape = &p->q->shapes[p->q->shape_of[term]];
        p->reads_x = false;
        p->row = p->q->rows + p->q->row_of[term];
        Expr roots[N_RESULTS];
        const int n_roots = make_roots(p, p->order - 1, p->order - 1, p->is_implicit, roots);
        str_add(p->s, "    {\n");
        print_body(p, roots, n_roots, first);
        str_add(p->s, "    }\n");
        first += n_roots;
    }
    p->row = NULL;
}

static void print_update(Printer *p, uint32_t i)
{
    begin_function(p, "u", i);
    p->indent = "        ";
    print_rates_of(p, i);
    str_add(p->s, "}\n\n");
}

// The derivatives of a shape by its states.
static void print_slopes(Printer *p, uint32_t number, const char *prefix, const char *first_line)
{
    const IrShape *shape = p->shape = &p->q->shapes[number];
    Expr roots[CODE_SLOPES_MAX];
    int n = 0;
    p->reads_x = shape->reads_x;
    for (uint32_t k = 0; k < shape->n_slots && n < CODE_SLOPES_MAX && !shape->is_relation; k++)
        if (shape->slots[k].kind == IR_SLOT_STATE) roots[n++] = expr_derivative(p->pool, shape->value, k);
    begin_function(p, prefix, number);
    str_add(p->s, first_line);
    p->indent = "    ";
    if (n) print_body(p, roots, n, 0);
    str_add(p->s, "}\n\n");
}

// The derivatives of a shape by all that moves.
static void print_parts(Printer *p, uint32_t number, const char *prefix, const char *first_line)
{
    const IrShape *shape = p->shape = &p->q->shapes[number];
    p->reads_x = shape->reads_x;
    Expr *roots = ARENA_ARRAY(p->arena, Expr, shape->n_slots);
    int n = 0;
    for (uint32_t k = 0; k < shape->n_slots && !shape->is_relation; k++)
        if (is_moving(&shape->slots[k])) roots[n++] = expr_derivative(p->pool, shape->value, k);
    begin_function(p, prefix, number);
    str_add(p->s, first_line);
    p->indent = "    ";
    if (n) print_body(p, roots, n, 0);
    str_add(p->s, "}\n\n");
}

static bool has_parts(const IrQuantised *q, CodeOwn own)
{
    return q->n_loops > 0 || (q->n_shared > 0 && own != CODE_PLAIN);
}

static bool has_updates(const IrQuantised *q) { return q->n_states <= CODE_UPDATES_MAX && q->n_shared == 0; }

bool code_has_loop(const IrQuantised *q)
{
    return has_updates(q) && q->n_relations == 0 && !q->has_opaque &&
           q->affects.start[q->n_states] <= CODE_LOOP_MAX;
}

// ---- The loop of a small model

static const char step_text[] = QSS_STEP_TEXT;

const bool *code_bends(const IrQuantised *q, int order)
{
    // in first order q is constant, so only time can bend a rate
    return order == 1 ? q->moves_in_time : q->bends;
}

bool code_proves(const IrQuantised *q, int order, uint32_t state)
{
    return !q->is_opaque[state] && (order == 1 ? q->moves_in_time : q->is_wild)[state];
}

// Places of an array to or from locals of the same name, which the compiler then keeps in registers.
static void print_moves(Printer *p, const char *name, uint32_t n, bool is_back)
{
    for (uint32_t k = 0; k < n; k++)
        str_addf(p->s, is_back ? "%sm->%s[%u] = %s[%u];" : "%s%s[%u] = m->%s[%u];",
                 k % 6 ? " "
                 : k   ? "\n    "
                       : "    ",
                 name, k, name, k);
    str_add(p->s, "\n");
}

// What follows when state i is due.
static void print_case(Printer *p, uint32_t i, const bool *bends)
{
    StrBuf *s = p->s;
    const IrLists *affects = &p->q->affects;
    const int order = p->order, n_x = QSS_X(order, p->is_implicit), n_out = order + p->is_implicit;
    const uint32_t n_rates = affects->start[i + 1] - affects->start[i];
    str_addf(s, "    case %u: {\n", i);
    if (n_rates) str_addf(s, "        double o[%u];\n", n_rates * (uint32_t)n_out);
    str_addf(s, "        qss_move(x + %d, %d, t);\n", n_x * (int)i, order);
    str_addf(s, "        qss_renew(x + %d, q + %d, m->quanta + %u, %d, %d, t);\n", n_x * (int)i,
             QSS_Q * (int)i, i, order, p->is_implicit);
    p->indent = "            ";
    if (order == 1) str_add(s, "        {\n        const double t = m->held;\n");
    print_rates_of(p, i);
    if (order == 1) str_add(s, "        }\n");
    bool is_own = false;
    for (uint32_t k = 0; k <= n_rates; k++) {
        if (k == n_rates && is_own) break;    // it is due anew, even if its own rate stays
        const uint32_t r = k < n_rates ? affects->item[affects->start[i] + k] : i;
        is_own |= r == i;
        const bool proves = code_proves(p->q, order, r);
        if (k < n_rates && bends[r] && !proves)
            str_addf(s, "        qss_doubt(x + %d, again + %u, %d, t, o[%u], m->least_wait);\n", n_x * (int)r,
                     2 * r, order, k * (uint32_t)n_out);
        if (k < n_rates)
            str_addf(s, "        qss_begin(x + %d, o + %u, %d, %d, t, &failed);\n", n_x * (int)r,
                     k * (uint32_t)n_out, order, p->is_implicit);
        if (proves) str_addf(s, "        m->trust(m->self, x, q, again + %u, %u, t);\n", 2 * r, r);
        str_addf(s, "        x[%d] = qss_due(x + %d, q + %d, %d, %d, t, m->leave3);\n",
                 n_x * (int)r + QSS_DUE(order), n_x * (int)r, QSS_Q * (int)r, order, p->is_implicit);
    }
    str_addf(s, "        n_rates += %u;\n        break;\n    }\n", n_rates);
}

static void print_loop(Printer *p)
{
    StrBuf *s = p->s;
    const uint32_t n = p->q->n_states, n_x = (uint32_t)QSS_X(p->order, p->is_implicit);
    const bool *bends = code_bends(p->q, p->order);
    str_add(s, step_text);
    str_addf(s,
             "void orr_small(QssSmall *m)\n{\n    double x[%u], q[%u], again[%u];\n"
             "    const double *const v = m->v, "
             "*const n = m->numbers;\n    double t = m->t;\n    const double t_want = m->t_want;\n"
             "    long n_steps = 0, n_rates = 0;\n    int failed = 0;\n",
             n * n_x, n * QSS_Q, 2 * n);
    print_moves(p, "x", n * n_x, false);
    print_moves(p, "q", n * QSS_Q, false);
    for (uint32_t i = 0; i < n; i++)
        if (bends[i])
            str_addf(s, "    again[%u] = m->again[%u], again[%u] = m->again[%u];\n", 2 * i, 2 * i, 2 * i + 1,
                     2 * i + 1);
    str_addf(s,
             "    for (; n_steps < m->n_max && !failed; n_steps++) {\n    unsigned i = 0;\n"
             "    double due = x[%d];\n",
             QSS_DUE(p->order));
    for (uint32_t i = 1; i < n; i++)
        str_addf(s, "    if (x[%u] < due) due = x[%u], i = %u;\n", i * n_x + (uint32_t)QSS_DUE(p->order),
                 i * n_x + (uint32_t)QSS_DUE(p->order), i);
    str_add(s, "    if (__builtin_expect(due > t_want, 0)) break;\n");
    for (uint32_t i = 0; i < n; i++)
        if (bends[i]) str_addf(s, "    if (__builtin_expect(again[%u] < due, 0)) break;\n", 2 * i);
    str_add(s, "    t = due;\n    switch (i) {\n");
    for (uint32_t i = 0; i < n; i++) print_case(p, i, bends);
    str_add(s, "    }\n    }\n");
    print_moves(p, "x", n * n_x, true);
    print_moves(p, "q", n * QSS_Q, true);
    for (uint32_t i = 0; i < n; i++)
        if (bends[i])
            str_addf(s, "    m->again[%u] = again[%u], m->again[%u] = again[%u];\n", 2 * i, 2 * i, 2 * i + 1,
                     2 * i + 1);
    str_add(s, "    m->t = t;\n    m->n_steps = n_steps;\n    m->n_rates = n_rates;\n"
               "    m->failed = failed;\n}\n\n");
}

// ---- All of it

static Printer new_printer(IrQuantised *q, int order, CodeOwn own, StrBuf *body, Arena *scratch)
{
    Printer p = { .q = q,
                  .pool = &q->pool,
                  .s = body,
                  .order = order,
                  .is_implicit = own != CODE_PLAIN,
                  .prefix = "orr_",
                  .arena = scratch };
    Gen *g = &p.g;
    g->pool = &q->pool;
    g->uses_math = ARENA_ARRAY(scratch, bool, expr_n_math);
    g->uses_each = ARENA_ARRAY(scratch, bool, expr_n_math);
    g->uses_table = ARENA_ARRAY(scratch, bool, q->pool.tables.n);
    return p;
}

static void print_shape(Printer *p, uint32_t i, const char *prefix, const char *first_line)
{
    Expr roots[N_RESULTS];
    p->shape = &p->q->shapes[i];
    p->reads_x = p->shape->reads_x;
    const bool with_own = p->is_implicit && !p->shape->is_residual;
    const int n_roots = p->reads_x ? make_roots(p, 2, 2, false, roots)
                                   : make_roots(p, p->order - 1, p->order - 1, with_own, roots);
    begin_function(p, prefix, i);
    str_add(p->s, first_line);
    p->indent = "    ";
    print_body(p, roots, n_roots, 0);
    str_add(p->s, "}\n\n");
}

static void print_table_of_terms(StrBuf *s, const char *name, const char *prefix, uint32_t n)
{
    str_addf(s,
             "static void (*const %s[])(double t, const double *q, const double *v, const unsigned *r,\n"
             "                                 const double *n, double *o) = {\n",
             name);
    for (uint32_t i = 0; i < n; i++) str_addf(s, "    %s%u,\n", prefix, i);
    str_add(s, "};\n\n");
}

Text code_quantised_file_text(IrQuantised *q, int order, CodeOwn own, const char **math, Arena *arena)
{
    static const char unused[] = "    (void)t, (void)q, (void)v, (void)r, (void)n, (void)o;\n";
    Arena scratch = { 0 };
    StrBuf body = { .arena = &scratch }, s = { .arena = arena };
    Printer p = new_printer(q, order, own, &body, &scratch);
    p.prefix = "orr_term_";    // the model's own equations have other tables
    for (uint32_t i = 0; i < q->n_shapes; i++) print_shape(&p, i, "orr_term_", unused);
    print_table_of_terms(&body, "orr_terms", "orr_term_", q->n_shapes);
    if (own == CODE_WITH_SLOPES) {
        for (uint32_t i = 0; i < q->n_shapes; i++) print_slopes(&p, i, "orr_slopes_", unused);
        print_table_of_terms(&body, "orr_slopes", "orr_slopes_", q->n_shapes);
    }
    if (has_parts(q, own)) {
        for (uint32_t i = 0; i < q->n_shapes; i++) print_parts(&p, i, "orr_parts_", unused);
        print_table_of_terms(&body, "orr_parts", "orr_parts_", q->n_shapes);
    }
    for (uint32_t i = 0; i < q->pool.tables.n; i++) {
        const ExprTable *table = &q->pool.tables.items[i];
        if (!p.g.uses_table[i]) continue;
        gen_list(&s, "orr_term_table_x", i, table->x, table->n);
        gen_list(&s, "orr_term_table_y", i, table->y, table->n);
    }
    print_pieces(&p, &s);
    str_add_text(&s, (Text){ body.p, body.n });
    size_t n_math = 0;
    for (size_t i = 0; i < expr_n_math; i++)
        if (p.g.uses_math[i]) math[n_math++] = expr_math[i].c_name;
    for (unsigned k = 4; k <= EXPR_WHOLE_POWER_MAX; k++)
        if (p.g.uses_power[k]) math[n_math++] = arena_printf(arena, "orr_power%u", k);
    math[n_math] = NULL;
    arena_free(&p.g.work);
    arena_free(&scratch);
    const size_t n = s.n;
    return (Text){ str_finish(&s), n };
}

Text code_quantised_text(IrQuantised *q, int order, CodeOwn own, bool with_loop, Arena *arena)
{
    Arena scratch = { 0 };
    StrBuf body = { .arena = &scratch };
    Printer p = new_printer(q, order, own, &body, &scratch);
    Gen *g = &p.g;
    for (uint32_t i = 0; i < q->n_shapes; i++) print_shape(&p, i, "f", "");
    const uint32_t n_updates = has_updates(q) ? q->n_states : 0;
    for (uint32_t i = 0; i < n_updates; i++) print_update(&p, i);
    for (uint32_t i = 0; i < q->n_shapes && own == CODE_WITH_SLOPES; i++) print_slopes(&p, i, "s", "");
    for (uint32_t i = 0; i < q->n_shapes && has_parts(q, own); i++) print_parts(&p, i, "g", "");
    if (with_loop) print_loop(&p);
    StrBuf s = { .arena = arena };
    prelude_print(g, &s);
    print_pieces(&p, &s);
    str_add_text(&s, (Text){ body.p, body.n });
    str_add(
        &s,
        "typedef void (*orr_term)(double, const double *, const double *, const unsigned *, const double *, "
        "double *);\nconst orr_term orr_quantised[] = {");
    for (uint32_t i = 0; i < q->n_shapes; i++) str_addf(&s, "%s f%u", i ? "," : "", i);
    for (uint32_t i = 0; i < n_updates; i++) str_addf(&s, ", u%u", i);
    for (uint32_t i = 0; i < q->n_shapes && own == CODE_WITH_SLOPES; i++) str_addf(&s, ", s%u", i);
    for (uint32_t i = 0; i < q->n_shapes && has_parts(q, own); i++) str_addf(&s, ", g%u", i);
    str_add(&s, " };\n");
    arena_free(&g->work);
    arena_free(&scratch);
    const size_t n = s.n;
    return (Text){ str_finish(&s), n };
}

// ---- Building

static void report_obstacle(const Code *code, const IrObstacle *o, const char *solver, orr_diag *diag)
{
    const Flat *flat = code->ir->flat;
    StrBuf why = { 0 };
    Place place = { 0 };
    if (o->loop) {
        const Block *b = o->loop;
        str_addf(&why,
                 "its rates need the loop of %u equations, of which at most %d can be solved together, for ",
                 b->n, IR_QUANTISED_LOOP_MAX);
        for (uint32_t i = 0; i < b->n && i < 5; i++)
            str_addf(&why, "%s'%s'", i ? ", " : "", flat->vars.items[b->unknowns[i]].name);
        if (b->n > 5) str_add(&why, ", …");
        place = code->ir->blocks->dynamic.equations[b->equations[0]].place;
    } else if (o->delay != FLAT_NONE) {
        str_add(&why, "it has a delay, and quantised states keep no past");
        place = flat->delays.items[o->delay].place;
    } else {
        str_add(&why, "there are too many dependencies between its states");
    }
    if (code->compiled_with != diag) place = (Place){ 0 };
    diag_report(diag, DIAG_SOLVER_UNSUITABLE, place, solver, why.p);
    diag_hint(diag,
              o->loop ? "such a loop is solved at nearly every step, and those are many: take 'auto' or 'ida'"
                      : "take 'auto' or another solver");
    str_free(&why);
}

// The kind of code, as a place in Code.quantised.
static int kind_of(int order, CodeOwn own)
{
    return own == CODE_WITH_SLOPES ? CODE_N_QUANTISED - 1 : order - 1 + (own == CODE_WITH_OWN ? 3 : 0);
}

static bool gets_loop(const IrQuantised *q, CodeOwn own)
{
    return code_has_loop(q) && own != CODE_WITH_SLOPES;
}

static NativeFlavour flavour_of(const Code *code, bool with_loop, Text text)
{
    return with_loop ? NATIVE_LOOPS : native_flavour(code, text);
}

// What the functions of a text are, in the order in which it lists them.
static CodeQuantised name_terms(const IrQuantised *ir, int order, CodeOwn own, const void *terms)
{
    CodeQuantised named = { .ir = ir, .terms = terms, .order = order, .own = own };
    const CodeTerm *next = named.terms + ir->n_shapes;
    if (has_updates(ir)) named.updates = next, next += ir->n_states;
    if (own == CODE_WITH_SLOPES) named.slopes = next, next += ir->n_shapes;
    if (has_parts(ir, own)) named.parts = next;
    return named;
}

static CodeQuantised name_native(const IrQuantised *ir, int order, CodeOwn own, const CodeUnit *unit)
{
    CodeQuantised named = name_terms(ir, order, own, native_symbol(unit, "orr_quantised"));
    assert(named.terms);
    if (gets_loop(ir, own)) *(void **)&named.loop = native_symbol(unit, "orr_small");
    return named;
}

static const CodeQuantised *build(Code *code, int order, CodeOwn own, const char *solver, orr_diag *diag)
{
    const uint64_t began = os_now_ns();
    if (!code->quantised_ir) {
        IrObstacle obstacle;
        code->quantised_ir = ir_quantise(code->ir, &obstacle);
        if (!code->quantised_ir) {
            report_obstacle(code, &obstacle, solver, diag);
            return NULL;
        }
    }
    Arena work = { 0 };
    IrQuantised *ir = code->quantised_ir;
    const bool is_native = code->tier == CODE_NATIVE, with_loop = is_native && gets_loop(ir, own);
    const Text text = code_quantised_text(ir, order, own, with_loop, &work);
    CodeUnit unit = { 0 };
    code->quantised_built = NULL;
    const bool ok = is_native ? native_compile(text, flavour_of(code, with_loop, text), &unit, NULL, diag)
                              : instant_compile(code, text, NULL, &unit, diag);
    arena_free(&work);
    if (!ok) return NULL;
    CodeQuantised *made = ARENA_NEW(&ir->arena, CodeQuantised);
    *made = is_native ? name_native(ir, order, own, &unit)
                      : name_terms(ir, order, own, code->quantised_built);
    assert(made->terms);
    made->unit = unit;
    code->compile_ms += (double)(os_now_ns() - began) * 1e-6;
    return made;
}

const CodeQuantised *code_quantised(const Code *const_code, int order, CodeOwn own, const char *solver,
                                    orr_diag *diag)
{
    Code *code = (Code *)const_code;    // completed under its lock; what is there already does not change
    Cleanup lock;
    guard_lock(&lock, &code->lock);
    CodeQuantised **place = &code->quantised[kind_of(order, own)];
    if (!*place) *place = (CodeQuantised *)build(code, order, own, solver, diag);
    const CodeQuantised *made = *place;
    guard_unlock(&lock);
    return made;
}

// ---- Native code for what runs already

// Printing makes derivatives in the pool, as building did: with the lock.
static Text native_text(const Code *code, const CodeQuantised *made, Arena *arena)
{
    Cleanup lock;
    guard_lock(&lock, (pthread_mutex_t *)&code->lock);
    const Text text = code_quantised_text(code->quantised_ir, made->order, made->own,
                                          gets_loop(made->ir, made->own), arena);
    guard_unlock(&lock);
    return text;
}

double code_quantised_native_ms(const Code *code, const CodeQuantised *made)
{
    Arena work = { 0 };
    const Text text = native_text(code, made, &work);
    const double ms = native_ms(text, flavour_of(code, gets_loop(made->ir, made->own), text));
    arena_free(&work);
    return ms;
}

static void take_terms(void *self, const CodeUnit *unit)
{
    CodeQuantised *made = self;
    CodeQuantised *better = malloc(sizeof *better);
    if (!better) return;
    *better = name_native(made->ir, made->order, made->own, unit);
    atomic_store(&made->better, better);
}

void code_quantised_improve(const Code *const_code, const CodeQuantised *const_made)
{
    Code *code = (Code *)const_code;    // as code_require
    CodeQuantised *made = (CodeQuantised *)const_made;
    if (code->tier == CODE_NATIVE) return;
    Arena arena = { 0 };
    const Text text = native_text(code, made, &arena);
    const NativeFlavour flavour = flavour_of(code, gets_loop(made->ir, made->own), text);
    pthread_mutex_lock(&code->lock);
    if (!made->background) made->background = background_start(&arena, text, flavour, take_terms, made);
    pthread_mutex_unlock(&code->lock);
    arena_free(&arena);
}

bool code_quantised_is_improved(const Code *code)
{
    bool any = false;
    pthread_mutex_lock((pthread_mutex_t *)&code->lock);
    for (int i = 0; i < CODE_N_QUANTISED; i++)
        any |= code->quantised[i] && atomic_load(&code->quantised[i]->better) != NULL;
    pthread_mutex_unlock((pthread_mutex_t *)&code->lock);
    return any;
}

void code_free_quantised(Code *code)
{
    for (int i = 0; i < CODE_N_QUANTISED; i++) {
        CodeQuantised *made = code->quantised[i];
        if (!made) continue;
        background_end(made->background);
        free((void *)atomic_load(&made->better));
        if (code->tier == CODE_NATIVE) native_free(&made->unit);
        else instant_free(&made->unit);
    }
    ir_quantised_free(code->quantised_ir);
}

// src/atomic/cgen.c: typed programs of atomics as C text, and that text compiled.
//
// The text is plain C99 without headers and contains nothing of the user's: kinds, states, slots and faults
// are numbers. Memory of instant code cannot be written, so there the functions we provide are a name that
// we define; a shared object is handed them. What draws random numbers or takes from a queue is computed in
// a statement of its own, in the order written, since C leaves the order inside an expression open and both
// compilers must do the same.
#include "atomic/atomic.h"
#include "atomic/host.h"
#include "code/build.h"
#include "code/emit.h"
#include "code/prelude.h"
#include "expr/math.h"
#include <math.h>

typedef struct Writer {
    const AtomicSet *set;
    const AtomicKind *kind;
    uint32_t k;         // its number
    Arena work;         // owns pieces of text
    StrBuf body;        // functions so far
    bool *uses_math;    // [expr_n_math]
    bool uses_power[EXPR_WHOLE_POWER_MAX + 1];
    bool uses_index, uses_after;
    int depth;           // of indentation
    uint32_t n_temps;    // of the function under way
    int32_t present;     // the state in which what is printed happens; -1: any
} Writer;

// ---------------------------------------------------------------------------------------------- text

static void line(Writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(Writer *w, const char *format, ...)
{
    for (int i = 0; i < w->depth; i++) str_add(&w->body, "    ");
    va_list args;
    va_start(args, format);
    str_vaddf(&w->body, format, args);
    va_end(args);
    str_add_char(&w->body, '\n');
}

static void open_brace(Writer *w, const char *text)
{
    line(w, "%s{", text);
    w->depth++;
}

static void close_brace(Writer *w)
{
    w->depth--;
    line(w, "}");
}

static const char *slot_text(Writer *w, uint32_t slot)
{
    return arena_printf(&w->work, "s->v[%u]", slot - 2);
}
static const char *pure_text(Writer *w, const AtomicExpr *e);

// Where something stands that may be one of an array.
static const char *slots_of(Writer *w, uint32_t slot, const AtomicIndex *index)
{
    if (!index->expr) return arena_printf(&w->work, "s->v + %u", slot - 2);
    w->uses_index = true;
    return arena_printf(&w->work, "s->v + (%u + %u*orr_index(c, %s, %u, %u))", slot - 2, index->stride,
                        pure_text(w, index->expr), index->n, index->fault);
}
static const char *slots_at(Writer *w, uint32_t slot)
{
    return slots_of(w, slot, &(AtomicIndex){ 0 });
}
static const char *slots_for(Writer *w, const AtomicExpr *e) { return slots_of(w, e->slot, &e->index); }

// -------------------------------------------------------------------------------- pure expressions

static const char *value_text(Writer *w, const AtomicExpr *e);

static bool is_truth(const AtomicExpr *e) { return e->type.base == ATOMIC_TRUTH; }

static void print_leaf_number(StrBuf *s, double value, int binding)
{
    if (isinf(value)) str_add(s, value > 0 ? "1e999" : "(-1e999)");
    else gen_leaf(s, value, binding);
}

// The operation under way.
typedef struct Operation {
    Writer           *w;
    const AtomicExpr *e;
    StrBuf           *s;
} Operation;

static void print(Writer *w, const AtomicExpr *e, StrBuf *s, int binding);

static void print_operand(void *context, int k, int binding)
{
    const Operation *o = context;
    print(o->w, o->e->args[k], o->s, binding);
}

static void print_table(void *context)
{
    const Operation *o = context;
    const ExprPieces *pieces = &o->w->set->pool.pieces.items[o->w->set->pieces[o->e->n] - 1];
    str_addf(o->s, "T%u, %u, ", o->e->n, pieces->n_breaks[0]);
    if (o->e->n_args == 2) str_addf(o->s, "%u, ", pieces->n_breaks[1]);
}

static void print_operation(Writer *w, const AtomicExpr *e, ExprOp op, StrBuf *s, int binding)
{
    int power = 0;
    if (op == EXPR_POW && e->args[1]->op == ATOMIC_OP_CONST && expr_is_whole(e->args[1]->value, &power) &&
        power == 0) {
        str_add(s, "1.0");
        return;
    }
    const AtomicOp first = e->args[0]->op;
    Operation o = { w, e, s };
    const Arith a = { .s = s, .op = op, .power = power, .n_operands = (int)e->n_args,
                      .may_repeat = first == ATOMIC_OP_SLOT || first == ATOMIC_OP_LOCAL ||
                                    first == ATOMIC_OP_MESSAGE,
                      .uses_math = w->uses_math, .uses_power = w->uses_power,
                      .operand = print_operand, .table = print_table, .context = &o };
    arith_print(&a, binding);
}

static void print_args(Writer *w, const AtomicExpr *e, StrBuf *s)
{
    for (uint32_t i = 0; i < e->n_args; i++) {
        if (i) str_add(s, ", ");
        print(w, e->args[i], s, BIND_IF);
    }
}

// A value as it is kept, without effects: a number.
static void print_kept(Writer *w, const AtomicExpr *e, StrBuf *s, int binding)
{
    switch (e->op) {
    case ATOMIC_OP_CONST: print_leaf_number(s, e->value, binding); break;
    case ATOMIC_OP_SLOT:
        if (e->index.expr) str_addf(s, "(%s)[0]", slots_for(w, e));    // "/*" would begin a comment
        else str_addf(s, "s->v[%u]", e->slot - 2);
        break;
    case ATOMIC_OP_MESSAGE: str_addf(s, "m[%u]", e->slot); break;
    case ATOMIC_OP_LOCAL: str_addf(s, "l%u", e->n); break;
    case ATOMIC_OP_TIME: str_add(s, "c->t"); break;
    case ATOMIC_OP_ELAPSED: str_addf(s, "(c->t - s->v[%u])", w->kind->last - 2); break;
    case ATOMIC_OP_REMAINING: str_add(s, "(s->due - c->t)"); break;
    case ATOMIC_OP_LENGTH: str_addf(s, "((double)*(const unsigned *)(%s))", slots_for(w, e)); break;
    case ATOMIC_OP_ELEMENT:
        w->uses_index = true;
        str_addf(s, "s->v[%u + orr_index(c, ", e->slot - 2);
        print(w, e->args[0], s, BIND_IF);
        str_addf(s, ", %u, %u)]", e->n, e->fault);
        break;
    case ATOMIC_OP_APPLY: print_operation(w, e, e->apply, s, binding); break;
    case ATOMIC_OP_TABLE:
        print_operation(w, e, e->n_args == 2 ? EXPR_GRID : EXPR_PIECES, s, binding);
        break;
    case ATOMIC_OP_FUNCTION:
        str_addf(s, "f%u(", e->n);
        print_args(w, e, s);
        str_add_char(s, ')');
        break;
    case ATOMIC_OP_PEEK:
        str_addf(s, "H->peek_one(c, %s, ", slots_for(w, e));
        print(w, e->args[0], s, BIND_IF);
        str_addf(s, ", %u)", e->fault);
        break;
    case ATOMIC_OP_STATISTIC:
        str_addf(s, "H->statistic(c->t, %s, %u, %u, ", slots_for(w, e), e->n, e->value != 0);
        if (e->n_args) print_args(w, e, s);
        else str_add(s, "0.0");
        str_add_char(s, ')');
        break;
    case ATOMIC_OP_DRAW:
    case ATOMIC_OP_POP:
    case ATOMIC_OP_TAKE:
    case ATOMIC_OP_MAKE: break;    // not pure, or no number
    }
}

// A value as an operation takes it: truth values are ints.
static void print(Writer *w, const AtomicExpr *e, StrBuf *s, int binding)
{
    if (!is_truth(e) || e->op == ATOMIC_OP_APPLY) {
        print_kept(w, e, s, binding);
    } else if (e->op == ATOMIC_OP_CONST) {
        str_add(s, e->value != 0 ? "1" : "0");
    } else {
        str_add_char(s, '(');
        print_kept(w, e, s, BIND_SUM);
        str_add(s, " != 0.0)");
    }
}

static const char *pure_text(Writer *w, const AtomicExpr *e)
{
    StrBuf s = { .arena = &w->work };
    print(w, e, &s, is_truth(e) ? BIND_OR : BIND_IF);
    if (is_truth(e)) str_add(&s, " ? 1.0 : 0.0");
    return str_finish(&s);
}

static const char *truth_text(Writer *w, const AtomicExpr *e)
{
    StrBuf s = { .arena = &w->work };
    print(w, e, &s, BIND_IF);
    return str_finish(&s);
}

// ---------------------------------------------------------------------------------------------- effects

// A new local, as an expression; truth values are ints.
static AtomicExpr *temporary(Writer *w, const AtomicExpr *like, uint32_t *number)
{
    AtomicExpr *x = ARENA_NEW(&w->work, AtomicExpr);
    *number = 1000000 + w->n_temps++;
    *x = (AtomicExpr){ .op = ATOMIC_OP_LOCAL, .type = like->type, .n = *number };
    return x;
}

static const AtomicExpr *sequence(Writer *w, const AtomicExpr *e);
static const char *condition_text(Writer *w, const AtomicExpr *e);

// Compute the operands in order: those that later ones could change are kept in locals.
static AtomicExpr *sequence_args(Writer *w, const AtomicExpr *e)
{
    AtomicExpr *x = ARENA_NEW(&w->work, AtomicExpr);
    *x = *e;
    x->args = ARENA_ARRAY(&w->work, AtomicExpr *, e->n_args);
    for (uint32_t i = 0; i < e->n_args; i++) {
        const AtomicExpr *arg = sequence(w, e->args[i]);
        if (i + 1 < e->n_args && arg->op != ATOMIC_OP_CONST && arg->op != ATOMIC_OP_LOCAL) {
            uint32_t number;
            AtomicExpr *kept = temporary(w, arg, &number);
            line(w, "const double l%u = %s;", number, pure_text(w, arg));
            arg = kept;
        }
        x->args[i] = (AtomicExpr *)arg;
    }
    x->has_effects = false;
    return x;
}

// The number of a local array that holds the operands.
static uint32_t args_array(Writer *w, const AtomicExpr *e)
{
    const AtomicExpr *x = sequence_args(w, e);
    StrBuf s = { .arena = &w->work };
    print_args(w, x, &s);
    const uint32_t number = w->n_temps++;
    line(w, "const double a%u[%u] = { %s };", number, x->n_args, str_finish(&s));
    return number;
}

static const char *draw_text(Writer *w, const AtomicExpr *e)
{
    if (e->slot)
        return arena_printf(&w->work, "H->draw(c, s->v + %u, %u, S%u, %u, %u)", w->kind->stream - 2, e->n,
                            e->slot - 1, w->set->samples[e->slot - 1].n, e->fault);
    const uint32_t number = args_array(w, e);
    return arena_printf(&w->work, "H->draw(c, s->v + %u, %u, a%u, %u, %u)", w->kind->stream - 2, e->n, number,
                        e->n_args, e->fault);
}

// An expression without effects that has the value: what has effects is done here.
static const AtomicExpr *sequence(Writer *w, const AtomicExpr *e)
{
    if (!e->has_effects) return e;
    uint32_t number;
    AtomicExpr *result = temporary(w, e, &number);
    switch (e->op) {
    case ATOMIC_OP_DRAW: {
        const char *text = draw_text(w, e);
        line(w, "const double l%u = %s;", number, text);
        return result;
    }
    case ATOMIC_OP_POP:
        line(w, "double l%u;", number);
        line(w, "H->pop(c, %s, &l%u, %u);", slots_for(w, e), number, e->fault);
        return result;
    case ATOMIC_OP_TAKE:
    case ATOMIC_OP_PEEK: {
        const AtomicExpr *x = sequence_args(w, e);
        line(w, "double l%u;", number);
        line(w, "H->%s(c, %s, %s, &l%u, %u);", e->op == ATOMIC_OP_TAKE ? "take" : "peek",
             slots_for(w, e), pure_text(w, x->args[0]), number, e->fault);
        return result;
    }
    case ATOMIC_OP_APPLY:
        if (e->apply == EXPR_IF) {
            const char *condition = condition_text(w, e->args[0]);
            line(w, "double l%u;", number);
            open_brace(w, arena_printf(&w->work, "if (%s) ", condition));
            line(w, "l%u = %s;", number, value_text(w, e->args[1]));
            w->depth--;
            open_brace(w, "} else ");
            line(w, "l%u = %s;", number, value_text(w, e->args[2]));
            close_brace(w);
            return result;
        }
        if ((e->apply == EXPR_AND || e->apply == EXPR_OR) && e->args[1]->has_effects) {
            const char *sign = e->apply == EXPR_AND ? "!=" : "==";
            line(w, "double l%u = %s;", number, value_text(w, e->args[0]));
            open_brace(w, arena_printf(&w->work, "if (l%u %s 0.0) ", number, sign));
            line(w, "l%u = %s;", number, value_text(w, e->args[1]));
            close_brace(w);
            return result;
        }
        return sequence_args(w, e);
    default: return sequence_args(w, e);
    }
}

// A number, or a truth value as a double.
static const char *value_text(Writer *w, const AtomicExpr *e)
{
    const AtomicExpr *x = sequence(w, e);
    if (is_truth(x) && x->op == ATOMIC_OP_LOCAL) return arena_printf(&w->work, "l%u", x->n);
    return pure_text(w, x);
}

static const char *condition_text(Writer *w, const AtomicExpr *e)
{
    return truth_text(w, sequence(w, e));
}

// ---------------------------------------------------------------------------------------------- records

// A pointer to the slots of a record, or to one number: where it stands, or a copy of it.
static const char *slots_text(Writer *w, const AtomicExpr *e)
{
    const bool is_record = e->type.base == ATOMIC_RECORD;
    if (e->op == ATOMIC_OP_SLOT) return slots_for(w, e);
    if (e->op == ATOMIC_OP_MESSAGE) return e->slot ? arena_printf(&w->work, "m + %u", e->slot) : "m";
    if (!is_record) {
        const char *text = value_text(w, e);
        const uint32_t number = w->n_temps++;
        line(w, "const double r%u = %s;", number, text);
        return arena_printf(&w->work, "&r%u", number);
    }
    const uint32_t n = atomic_type_slots(w->set, e->type);
    const AtomicExpr *x = e->op == ATOMIC_OP_MAKE || e->n_args > 0 ? sequence_args(w, e) : e;
    const uint32_t number = w->n_temps++;
    line(w, "double r%u[%u];", number, n);
    if (e->op == ATOMIC_OP_MAKE) {
        for (uint32_t i = 0; i < n; i++) line(w, "r%u[%u] = %s;", number, i, value_text(w, x->args[i]));
    } else if (e->op == ATOMIC_OP_POP) {
        line(w, "H->pop(c, %s, r%u, %u);", slots_for(w, e), number, e->fault);
    } else {
        line(w, "H->%s(c, %s, %s, r%u, %u);", e->op == ATOMIC_OP_TAKE ? "take" : "peek", slots_for(w, e),
             pure_text(w, x->args[0]), number, e->fault);
    }
    return arena_printf(&w->work, "r%u", number);
}

static void set_record(Writer *w, const AtomicAct *act)
{
    const AtomicExpr *e = act->value;
    const uint32_t n = atomic_type_slots(w->set, e->type);
    if (act->n > 0 || act->index.expr) {    // an element, or all of them at the beginning
        const uint32_t number = w->n_temps++;
        if (act->index.expr) {
            line(w, "double *const p%u = %s;", number, slots_of(w, act->slot, &act->index));
        } else {
            line(w, "int i%u;", number);
            line(w, "double *p%u = s->v + %u;", number, act->slot - 2);
        }
        const char *from = slots_text(w, e);
        if (!act->index.expr)
            line(w, "for (i%u = 0; i%u < %u; i%u++, p%u += %u)", number, number, act->n, number, number, n);
        open_brace(w, "");
        for (uint32_t i = 0; i < n; i++) line(w, "p%u[%u] = (%s)[%u];", number, i, from, i);
        close_brace(w);
        return;
    }
    if (e->op == ATOMIC_OP_POP) {
        line(w, "H->pop(c, %s, %s, %u);", slots_for(w, e), slots_at(w, act->slot), e->fault);
        return;
    }
    const char *from = slots_text(w, e);
    for (uint32_t i = 0; i < n; i++) line(w, "%s = (%s)[%u];", slot_text(w, act->slot + i), from, i);
}

// ---------------------------------------------------------------------------------------------- statements

static void print_acts(Writer *w, const AtomicAct *acts, uint32_t n);

static void set_number(Writer *w, const AtomicAct *act)
{
    if (act->index.expr) {    // a field of an element
        const uint32_t number = w->n_temps++;
        line(w, "double *const p%u = %s;", number, slots_of(w, act->slot, &act->index));
        line(w, "*p%u = %s;", number, value_text(w, act->value));
    } else if (act->other) {    // an element
        const AtomicExpr *index = sequence(w, act->other);
        const uint32_t number = w->n_temps++;
        w->uses_index = true;
        line(w, "const int i%u = orr_index(c, %s, %u, %u);", number, pure_text(w, index), act->n, act->fault);
        line(w, "s->v[%u + i%u] = %s;", act->slot - 2, number, value_text(w, act->value));
    } else if (act->n > 0) {    // all of an array, at the beginning
        const char *text = value_text(w, act->value);
        const uint32_t number = w->n_temps++;
        line(w, "const double l%u = %s;", 1000000 + number, text);
        line(w, "int i%u;", number);
        line(w, "for (i%u = 0; i%u < %u; i%u++) s->v[%u + i%u] = l%u;", number, number, act->n, number,
             act->slot - 2, number, 1000000 + number);
    } else {
        line(w, "%s = %s;", slot_text(w, act->slot), value_text(w, act->value));
    }
}

static void print_loop(Writer *w, const AtomicAct *act)
{
    const AtomicExpr *first = sequence(w, act->value);
    const uint32_t number = w->n_temps++;
    line(w, "const double b%u = %s;", number, pure_text(w, first));
    line(w, "const double e%u = %s;", number, value_text(w, act->other));
    line(w, "double l%u;", act->n);
    line(w, "if (!(e%u - b%u <= 1e9)) H->fault(c, %u, e%u - b%u);", number, number, act->fault, number,
         number);
    open_brace(w, arena_printf(&w->work, "else for (l%u = b%u; l%u <= e%u; l%u += 1.0) ", act->n, number,
                               act->n, number, act->n));
    print_acts(w, act->body, act->n_body);
    close_brace(w);
}

// Each message of the bag to the first that takes it.
static void print_messages(Writer *w, const AtomicAct *act)
{
    const AtomicKind *kind = w->kind;
    line(w, "const struct event *end = bag + n, *event;");
    open_brace(w, "for (event = bag; event < end; event++) ");
    line(w, "const double *m = event->value;");
    open_brace(w, "switch (event->port) ");
    for (uint32_t port = 0; port < kind->n_inputs; port++) {
        bool is_open = false;
        for (uint32_t i = 0; i < act->n_body; i++) {
            const AtomicAct *take = &act->body[i];
            if (take->n != port) continue;
            if (!is_open) {
                line(w, "case %u:", port);
                w->depth++;
                is_open = true;
            }
            if (take->value)
                open_brace(w, arena_printf(&w->work, "if (%s) ", condition_text(w, take->value)));
            else open_brace(w, "");
            print_acts(w, take->body, take->n_body);
            line(w, "break;");
            close_brace(w);
        }
        if (!is_open) continue;
        line(w, "break;");
        w->depth--;
    }
    close_brace(w);
    close_brace(w);
}

// One queue or statistic, or each of an array of them.
static void begin_each(Writer *w, const AtomicAct *act, const char *text)
{
    const uint32_t n = act->index.n ? act->index.n : 1;
    line(w, "double *q = %s;", slots_at(w, act->slot));
    if (n > 1) {
        line(w, "int i;");
        line(w, "for (i = 0; i < %u; i++, q += %u) %s", n, act->index.stride, text);
    } else {
        line(w, "%s", text);
    }
}

static void print_act(Writer *w, const AtomicAct *act)
{
    const bool is_begin = act->kind >= ATOMIC_BEGIN_QUEUE;
    const char *at = is_begin ? "q" : act->slot ? slots_of(w, act->slot, &act->index) : "";
    switch (act->kind) {
    case ATOMIC_SET:
        if (act->value->type.base == ATOMIC_RECORD) set_record(w, act);
        else set_number(w, act);
        break;
    case ATOMIC_PUSH: line(w, "H->push(c, %s, %s);", at, slots_text(w, act->value)); break;
    case ATOMIC_INSERT: {
        const char *value = slots_text(w, act->value);
        line(w, "H->insert(c, %s, %s, %s, %u);", at, value_text(w, act->other), value, act->fault);
        break;
    }
    case ATOMIC_CLEAR: line(w, "H->clear(c, %s);", at); break;
    case ATOMIC_ADD: line(w, "H->tally_add(%s, %s);", at, value_text(w, act->value)); break;
    case ATOMIC_LEVEL_SET: line(w, "H->level_set(c, %s, %s);", at, value_text(w, act->value)); break;
    case ATOMIC_RESET: line(w, "H->reset(c, %s, %u);", at, act->n); break;
    case ATOMIC_DROP:
        line(w, "(void)(%s);",
             act->value->type.base == ATOMIC_RECORD ? slots_text(w, act->value) : value_text(w, act->value));
        break;
    case ATOMIC_BRANCH:
        open_brace(w, arena_printf(&w->work, "if (%s) ", condition_text(w, act->value)));
        print_acts(w, act->body, act->n_body);
        if (act->n_rest > 0) {
            w->depth--;
            open_brace(w, "} else ");
            print_acts(w, act->rest, act->n_rest);
        }
        close_brace(w);
        break;
    case ATOMIC_LOOP: print_loop(w, act); break;
    case ATOMIC_MESSAGES: print_messages(w, act); break;
    case ATOMIC_TAKE_ONE: break;    // part of ATOMIC_MESSAGES
    case ATOMIC_BEGIN_QUEUE:
        begin_each(w, act, arena_printf(&w->work, "H->queue_begin(%s, %u, %u);", at, act->n, act->fault));
        break;
    case ATOMIC_BEGIN_TALLY: break;    // all zeros
    case ATOMIC_BEGIN_LEVEL: {
        const char *value = act->value ? value_text(w, act->value) : "0.0";
        begin_each(w, act, arena_printf(&w->work, "H->level_begin(c, %s, %s);", at, value));
        break;
    }
    }
}

static bool is_plain(const AtomicAct *act)
{
    return act->kind == ATOMIC_SET && act->value->type.base != ATOMIC_RECORD && !act->value->has_effects &&
           !act->n && !act->index.expr;
}

// Statements with locals of their own stand in braces.
static void print_acts(Writer *w, const AtomicAct *acts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (is_plain(&acts[i])) {
            print_act(w, &acts[i]);
            continue;
        }
        open_brace(w, "");
        print_act(w, &acts[i]);
        close_brace(w);
    }
}

// ---------------------------------------------------------------------------------------------- goals

static bool is_simple(const AtomicExpr *duration)
{
    return !duration || duration->op == ATOMIC_OP_CONST ||
           (duration->op == ATOMIC_OP_SLOT && !duration->index.expr);
}

static void enter_now(Writer *w, const AtomicState *state)
{
    const AtomicExpr *d = state->duration;
    if (!d || (d->op == ATOMIC_OP_CONST && isinf(d->value))) line(w, "s->due = 1e999;");
    else if (d->op == ATOMIC_OP_CONST && d->value == 0) line(w, "s->due = c->t;");
    else {
        w->uses_after = true;
        line(w, "s->due = orr_after(c, %s, %u);", value_text(w, d), state->fault);
    }
}

static void enter(Writer *w, const AtomicGoal *goal)
{
    const AtomicKind *kind = w->kind;
    if (goal->state < 0) return;
    if (goal->state != w->present) line(w, "s->state = %d;", goal->state);
    if (goal->keeps) return;
    if (kind->confluent == AST_CONFLUENT_EXTERNAL) line(w, "s->entered = 1;");
    const AtomicState *state = &kind->states[goal->state];
    if (is_simple(state->duration)) enter_now(w, state);
    else line(w, "a%u_enter%d(s, c);", w->k, goal->state);
}

static void print_goal(Writer *w, const AtomicGoal *goal)
{
    print_acts(w, goal->acts, goal->n_acts);
    if (goal->condition) {
        open_brace(w, "");
        open_brace(w, arena_printf(&w->work, "if (%s) ", condition_text(w, goal->condition)));
        print_goal(w, goal->yes);
        w->depth--;
        open_brace(w, "} else ");
        print_goal(w, goal->no);
        close_brace(w);
        close_brace(w);
    } else if (goal->n_chances > 0) {
        open_brace(w, "");
        AtomicExpr all = { .args = goal->chances, .n_args = goal->n_chances };
        const uint32_t number = args_array(w, &all);
        open_brace(w, arena_printf(&w->work, "switch (H->pick(c, s->v + %u, a%u, %u, %u)) ",
                                   w->kind->stream - 2, number, goal->n_chances, goal->fault));
        for (uint32_t i = 0; i < goal->n_chances; i++) {
            if (i + 1 < goal->n_chances) open_brace(w, arena_printf(&w->work, "case %u: ", i));
            else open_brace(w, "default: ");
            print_goal(w, &goal->cases[i]);
            line(w, "break;");
            close_brace(w);
        }
        close_brace(w);
        close_brace(w);
    } else {
        enter(w, goal);
    }
}

// A transition that is made: what it does, and that it was made.
static void print_made(Writer *w, const AtomicGoal *goal)
{
    print_goal(w, goal);
    if (w->kind->last) line(w, "s->v[%u] = c->t;", w->kind->last - 2);
}

// ---------------------------------------------------------------------------------------------- functions

static void begin_function(Writer *w, const char *head)
{
    w->n_temps = 0;
    w->present = -1;
    line(w, "%s", head);
    line(w, "{");
    w->depth++;
}

static void end_function(Writer *w)
{
    close_brace(w);
    line(w, "%s", "");
}

static void print_enters(Writer *w)
{
    for (uint32_t i = 0; i < w->kind->n_states; i++) {
        const AtomicState *state = &w->kind->states[i];
        if (is_simple(state->duration)) continue;
        begin_function(w, arena_printf(&w->work,
                                       "static void a%u_enter%u(struct state *s, const struct call *c)", w->k,
                                       i));
        enter_now(w, state);
        end_function(w);
    }
}

static void print_init(Writer *w)
{
    const AtomicKind *kind = w->kind;
    begin_function(
        w,
        arena_printf(&w->work, "static void a%u_init(struct state *s, const double *p, const struct call *c)",
                     w->k));
    for (uint32_t i = 0; i < kind->n_params; i++) line(w, "s->v[%u] = p[%u];", i, i);
    if (kind->last) line(w, "s->v[%u] = c->t;", kind->last - 2);
    if (kind->stream) line(w, "H->stream(c, %s);", slots_at(w, kind->stream));
    print_acts(w, kind->begin, kind->n_begin);
    print_goal(w, &kind->start);
    end_function(w);
}

static void print_emit(Writer *w, const AtomicEmit *emit)
{
    if (emit->condition)
        open_brace(w, arena_printf(&w->work, "if (%s) ", condition_text(w, emit->condition)));
    else open_brace(w, "");
    const char *port = arena_printf(&w->work, "%u", emit->port);
    if (emit->index.expr) {
        w->uses_index = true;
        port = arena_printf(&w->work, "%u + orr_index(c, %s, %u, %u)", emit->port,
                            pure_text(w, emit->index.expr), emit->index.n, emit->index.fault);
    }
    line(w, "H->send(c, %s, %s);", port, emit->value ? slots_text(w, emit->value) : "0");
    close_brace(w);
}

// The first move whose guard is true; `what` prints one.
static void print_moves(Writer *w, const AtomicMove *moves, uint32_t n,
                        void (*what)(Writer *, const AtomicMove *))
{
    for (uint32_t i = 0; i < n; i++) {
        const bool is_free = !moves[i].guard;
        const char *word = i > 0 ? "} else " : "";
        if (i > 0) w->depth--;
        if (is_free) open_brace(w, word);
        else open_brace(w, arena_printf(&w->work, "%sif (%s) ", word, condition_text(w, moves[i].guard)));
        what(w, &moves[i]);
        if (is_free || i + 1 == n) {
            close_brace(w);
            break;
        }
    }
}

static void print_output_of(Writer *w, const AtomicMove *move)
{
    for (uint32_t i = 0; i < move->n_emits; i++) print_emit(w, &move->emits[i]);
}

static void print_move(Writer *w, const AtomicMove *move) { print_made(w, &move->goal); }

static bool has_output(const AtomicState *state)
{
    for (uint32_t i = 0; i < state->n_afters; i++)
        if (state->afters[i].n_emits > 0) return true;
    return false;
}

// What each state does, one after another.
static void print_afters(Writer *w, bool is_output)
{
    open_brace(w, "switch (s->state) ");
    for (uint32_t i = 0; i < w->kind->n_states; i++) {
        const AtomicState *state = &w->kind->states[i];
        if (is_output ? !has_output(state) : state->n_afters == 0) continue;
        line(w, "case %u:", i);
        w->depth++;
        w->present = (int32_t)i;
        print_moves(w, state->afters, state->n_afters, is_output ? print_output_of : print_move);
        line(w, "break;");
        w->depth--;
    }
    close_brace(w);
}

// Nothing but its acts: the next message meets the same state.
static bool stays(const AtomicMove *move, int32_t present)
{
    const AtomicGoal *goal = &move->goal;
    return !move->guard && !goal->condition && goal->n_chances == 0 &&
           (goal->state == -1 || (goal->state == present && goal->keeps));
}

// What one port does in each state.
static void print_port(Writer *w, uint32_t port)
{
    const AtomicKind *kind = w->kind;
    open_brace(w, "switch (s->state) ");
    for (uint32_t i = 0; i < kind->n_states; i++) {
        const AtomicState *state = &kind->states[i];
        AtomicMove *moves = ARENA_ARRAY(&w->work, AtomicMove, state->n_ons);
        uint32_t n = 0;
        for (uint32_t k = 0; k < state->n_ons; k++)
            if (state->ons[k].port == port) moves[n++] = state->ons[k];
        if (n == 0) continue;
        line(w, "case %u:", i);
        w->depth++;
        w->present = (int32_t)i;
        if (kind->n_inputs == 1 && n == 1 && stays(&moves[0], w->present)) {
            // all that are left in the bag, in a loop in which compilers can keep sums in registers
            open_brace(w, "for (;;) ");
            print_move(w, &moves[0]);
            line(w, "if (++bag == end) return;");
            line(w, "m = bag->value;");
            close_brace(w);
        } else {
            print_moves(w, moves, n, print_move);
            line(w, "break;");
        }
        w->depth--;
    }
    close_brace(w);
}

static void print_external(Writer *w)
{
    const AtomicKind *kind = w->kind;
    begin_function(w,
                   arena_printf(&w->work,
                                "static void a%u_external(struct state *restrict "
                                "s, const struct call *c, double e, "
                                "const struct event *restrict bag, unsigned long n)",
                                w->k));
    line(w, "const struct event *const end = bag + n;");
    open_brace(w, "for (; bag < end; bag++) ");
    line(w, "const double *m = bag->value;");
    line(w, "(void)m;");    // messages without numbers
    if (kind->n_inputs == 1) {
        print_port(w, 0);
    } else {
        open_brace(w, "switch (bag->port) ");
        for (uint32_t i = 0; i < kind->n_inputs; i++) {
            line(w, "case %u:", i);
            w->depth++;
            print_port(w, i);
            line(w, "break;");
            w->depth--;
        }
        close_brace(w);
    }
    close_brace(w);
    end_function(w);
}

static void print_confluent(Writer *w)
{
    const AtomicKind *kind = w->kind;
    if (kind->confluent == AST_CONFLUENT_INTERNAL) return;
    begin_function(w, arena_printf(&w->work,
                                   "static void a%u_confluent(struct state *s, const struct call *c, "
                                   "const struct event *bag, unsigned long n)",
                                   w->k));
    if (kind->confluent == AST_CONFLUENT_OWN) {
        print_made(w, &kind->confluent_goal);
    } else {
        line(w, "s->entered = 0;");
        line(w, "a%u_external(s, c, 0.0, bag, n);", w->k);
        line(w, "if (!s->entered) a%u_internal(s, c);", w->k);
    }
    end_function(w);
}

static void print_kind(Writer *w, uint32_t k)
{
    w->k = k;
    w->kind = &w->set->kinds[k];
    print_enters(w);
    print_init(w);
    begin_function(
        w, arena_printf(&w->work, "static void a%u_output(const struct state *s, const struct call *c)", k));
    print_afters(w, true);
    end_function(w);
    begin_function(
        w, arena_printf(&w->work, "static void a%u_internal(struct state *s, const struct call *c)", k));
    print_afters(w, false);
    end_function(w);
    print_external(w);
    print_confluent(w);
}

static void print_functions(Writer *w)
{
    for (uint32_t i = 0; i < w->set->functions.n; i++) {
        const AtomicFunction *f = &w->set->functions.items[i];
        StrBuf head = { .arena = &w->work };
        str_addf(&head, "static double f%u(", i);
        for (uint32_t k = 0; k < f->n_params; k++) str_addf(&head, "%sdouble l%u", k ? ", " : "", k);
        str_add(&head, f->n_params ? ")" : "void)");
        begin_function(w, str_finish(&head));
        for (uint32_t k = 0; k < f->n_locals; k++)
            line(w, "const double l%u = %s;", f->n_params + k, pure_text(w, f->locals[k]));
        line(w, "return %s;", pure_text(w, f->result));
        end_function(w);
    }
}

// ---------------------------------------------------------------------------------------------- the text

static const char declarations[] =
    "struct call { double t; void *run; unsigned component; double rest, *due_rest; };\n"
    "struct event { const double *value; unsigned port, sender; };\n"
    "struct state { double due; int state, entered; double v[1]; };\n"
    "struct host {\n"
    "    void (*send)(const struct call *, unsigned, const void *);\n"
    "    void (*fault)(const struct call *, int, double);\n"
    "    void (*stream)(const struct call *, void *);\n"
    "    double (*draw)(const struct call *, void *, int, const double *, int, int);\n"
    "    int (*pick)(const struct call *, void *, const double *, int, int);\n"
    "    void (*queue_begin)(void *, int, int);\n"
    "    void (*push)(const struct call *, void *, const double *);\n"
    "    void (*insert)(const struct call *, void *, double, const double *, int);\n"
    "    void (*pop)(const struct call *, void *, double *, int);\n"
    "    void (*take)(const struct call *, void *, double, double *, int);\n"
    "    void (*peek)(const struct call *, const void *, double, double *, int);\n"
    "    double (*peek_one)(const struct call *, const void *, double, int);\n"
    "    void (*clear)(const struct call *, void *);\n"
    "    void (*level_begin)(const struct call *, void *, double);\n"
    "    void (*tally_add)(void *, double);\n"
    "    void (*level_set)(const struct call *, void *, double);\n"
    "    void (*reset)(const struct call *, void *, int);\n"
    "    double (*statistic)(double, const void *, int, int, double);\n"
    "};\n"
    "#ifdef __TINYC__\n"
    "extern const struct host orr_host;\n"
    "#define H (&orr_host)\n"
    "static void bind(const struct host *host) { }\n"
    "#else\n"
    "static const struct host *H;\n"
    "static void bind(const struct host *host) { H = host; }\n"
    "#endif\n\n";

static const char index_text[] = "static int orr_index(const struct call *c, double x, int n, int fault)\n"
                                 "{\n"
                                 "    const int i = x >= 1.0 && x <= n ? (int)x : 0;\n"
                                 "    if (i > 0 && i == x) return i - 1;\n"
                                 "    H->fault(c, fault, x);\n"
                                 "    return 0;\n"
                                 "}\n\n";
// As due_after in devs/kernel.c.
static const char after_text[] = "static double orr_after(const struct call *c, double d, int fault)\n"
                                 "{\n"
                                 "    if (d > 0.0 && d < 1e999) {\n"
                                 "        const double sum = c->t + d, added = sum - c->t;\n"
                                 "        const double rest = c->t - (sum - added) + (d - added) + c->rest;\n"
                                 "        const double due = sum + rest;\n"
                                 "        *c->due_rest = rest - (due - sum);\n"
                                 "        return due > c->t ? due : c->t;\n"
                                 "    }\n"
                                 "    if (d >= 0.0) return c->t + d;\n"
                                 "    H->fault(c, fault, d);\n"
                                 "    return 1e999;\n"
                                 "}\n\n";
static void print_tables(const AtomicSet *set, StrBuf *s)
{
    for (uint32_t i = 0; i < set->n_tables; i++) {
        if (set->samples[i].n) gen_list(s, "S", i, set->samples[i].values, set->samples[i].n);
        if (!set->pieces[i]) continue;
        const ExprPieces *pieces = &set->pool.pieces.items[set->pieces[i] - 1];
        gen_list(s, "T", i, pieces->numbers, pieces->n_numbers);
    }
}

static void print_all(Writer *w)
{
    w->body.arena = &w->work;
    w->uses_math = ARENA_ARRAY(&w->work, bool, expr_n_math);
    print_functions(w);
    for (uint32_t k = 0; k < w->set->n_kinds; k++) {
        const AtomicKind *kind = &w->set->kinds[k];
        if (!kind->is_native) print_kind(w, k);
        else str_addf(&w->body, "/* a%u: native, a state of %zu bytes */\n", k, kind->table.state_size);
    }
}

// What the functions of kinds call besides elementary functions, and these functions.
static void add_program(const Writer *w, StrBuf *text)
{
    print_tables(w->set, text);
    if (w->uses_index) str_add(text, index_text);
    if (w->uses_after) str_add(text, after_text);
    str_add_text(text, (Text){ w->body.p, w->body.n });
}

Text atomic_program_text(const AtomicSet *set, Arena *arena)
{
    Writer w = { .set = set };
    StrBuf text = { .arena = arena };
    print_all(&w);
    add_program(&w, &text);
    arena_free(&w.work);
    const size_t n = text.n;
    return (Text){ str_finish(&text), n };
}

Text atomic_text(const AtomicSet *set, Arena *arena)
{
    Writer w = { .set = set };
    print_all(&w);

    StrBuf text = { .arena = arena };
    str_add(&text, declarations);
    prelude_math(w.uses_math, &w.work, &text);
    prelude_powers(w.uses_power, &text);
    add_program(&w, &text);
    str_add(&text, "struct functions { void *init, *advance, *output, *internal, *external, *confluent; };\n"
                   "static double advance(const struct state *s, const struct call *c) { return s->due; }\n"
                   "static const struct functions kinds[] = {\n");
    for (uint32_t k = 0; k < set->n_kinds; k++) {
        const AtomicKind *kind = &set->kinds[k];
        bool sends = kind->n_outputs > 0, moves = false;
        if (kind->is_native) {
            str_add(&text, "    { 0, 0, 0, 0, 0, 0 },\n");
            continue;
        }
        for (uint32_t i = 0; i < kind->n_states; i++) {
            moves = moves || kind->states[i].n_afters > 0;
        }
        str_addf(&text, "    { a%u_init, advance, ", k);
        if (sends) str_addf(&text, "a%u_output, ", k);
        else str_add(&text, "0, ");
        if (moves) str_addf(&text, "a%u_internal, ", k);
        else str_add(&text, "0, ");
        str_addf(&text, "a%u_external, ", k);
        if (kind->confluent != AST_CONFLUENT_INTERNAL) str_addf(&text, "a%u_confluent },\n", k);
        else str_add(&text, "0 },\n");
    }
    str_add(&text, "};\n"
                   "struct code { void (*bind)(const struct host *); const struct functions *kinds; };\n"
                   "const struct code " ATOMIC_CODE_NAME " = { bind, kinds };\n");
    arena_free(&w.work);
    const size_t n = text.n;
    return (Text){ str_finish(&text), n };
}

// src/atomic/print.c: typed programs of atomics, for `orrery show --stage atomic`.
//
// Slots have numbers, types are told, and what a line of the source left out is written: common transitions
// in each state, where a state stays, what can fail.
#include "atomic/atomic.h"
#include "base/number.h"
#include "expr/math.h"
#include "num/distribution.h"

typedef struct Printer {
    const AtomicSet *set;
    const AtomicKind *kind;
    FILE *out;
} Printer;

static void indent(Printer *p, int depth)
{
    for (int i = 0; i < depth; i++) fputs("  ", p->out);
}

// ---------------------------------------------------------------------------------------------- expressions

static void print_expr(Printer *p, const AtomicExpr *e);

static void print_index(Printer *p, const AtomicIndex *index)
{
    if (!index->expr) return;
    fprintf(p->out, " + %u*(", index->stride);
    print_expr(p, index->expr);
    fputc(')', p->out);
}

static void print_args(Printer *p, const AtomicExpr *e)
{
    fputc('(', p->out);
    for (uint32_t i = 0; i < e->n_args; i++) {
        if (i) fputs(", ", p->out);
        print_expr(p, e->args[i]);
    }
    fputc(')', p->out);
}

static void print_apply(Printer *p, const AtomicExpr *e)
{
    const ExprOp op = e->apply;
    int power;
    if (op == EXPR_NEG || op == EXPR_NOT) {
        fputs(op == EXPR_NEG ? "-" : "not ", p->out);
        print_expr(p, e->args[0]);
    } else if (op == EXPR_IF) {
        static const char *const words[] = { "(if ", " then ", " else " };
        for (int i = 0; i < 3; i++) {
            fputs(words[i], p->out);
            print_expr(p, e->args[i]);
        }
        fputc(')', p->out);
    } else if (op == EXPR_POW && e->args[1]->op == ATOMIC_OP_CONST &&
               expr_is_whole(e->args[1]->value, &power)) {
        print_expr(p, e->args[0]);
        fprintf(p->out, "^%d", power);
    } else if (expr_ops[op].is_function) {
        fputs(expr_ops[op].text, p->out);
        print_args(p, e);
    } else {
        fputc('(', p->out);
        print_expr(p, e->args[0]);
        fprintf(p->out, " %s ", expr_ops[op].text);
        print_expr(p, e->args[1]);
        fputc(')', p->out);
    }
}

static void print_expr(Printer *p, const AtomicExpr *e)
{
    static const char *const hows[] = {
        [ATOMIC_READ_COUNT] = "count",         [ATOMIC_READ_MEAN] = "mean",
        [ATOMIC_READ_DEVIATION] = "deviation", [ATOMIC_READ_LOWEST] = "lowest",
        [ATOMIC_READ_HIGHEST] = "highest",     [ATOMIC_READ_QUANTILE] = "quantile"
    };
    char number[NUMBER_MAX];
    const uint32_t slots = atomic_type_slots(p->set, e->type);
    switch (e->op) {
    case ATOMIC_OP_CONST:
        if (e->type.base == ATOMIC_TRUTH) fputs(e->value != 0 ? "true" : "false", p->out);
        else if (e->type.base == ATOMIC_ENUM)
            fputs(p->set->ast->enums.items[e->type.index].values[(int)e->value - 1], p->out);
        else fputs(number_text(e->value, number), p->out);
        break;
    case ATOMIC_OP_SLOT:
    case ATOMIC_OP_MESSAGE:
        fprintf(p->out, "%s%u", e->op == ATOMIC_OP_SLOT ? "s" : "m", e->slot);
        if (slots > 1) fprintf(p->out, "..%u", e->slot + slots - 1);
        print_index(p, &e->index);
        break;
    case ATOMIC_OP_ELEMENT:
        fprintf(p->out, "s%u..%u", e->slot, e->slot + e->n - 1);
        print_args(p, e);
        break;
    case ATOMIC_OP_LOCAL: fprintf(p->out, "l%u", e->n); break;
    case ATOMIC_OP_TIME: fputs("t", p->out); break;
    case ATOMIC_OP_ELAPSED: fputs("elapsed", p->out); break;
    case ATOMIC_OP_REMAINING: fputs("remaining", p->out); break;
    case ATOMIC_OP_APPLY: print_apply(p, e); break;
    case ATOMIC_OP_TABLE:
        fprintf(p->out, "table %s", p->set->ast->tables.items[e->n].name);
        print_args(p, e);
        break;
    case ATOMIC_OP_FUNCTION:
        fputs(p->set->functions.items[e->n].name, p->out);
        print_args(p, e);
        break;
    case ATOMIC_OP_DRAW:
        fprintf(p->out, "draw %s", distributions[e->n].name);
        if (e->slot) fprintf(p->out, "(%s)", p->set->ast->tables.items[e->slot - 1].name);
        else print_args(p, e);
        break;
    case ATOMIC_OP_MAKE:
        fputs(atomic_type_name(p->set, e->type), p->out);
        print_args(p, e);
        break;
    case ATOMIC_OP_LENGTH:
    case ATOMIC_OP_POP:
        fprintf(p->out, "%s s%u", e->op == ATOMIC_OP_POP ? "pop" : "length", e->slot);
        print_index(p, &e->index);
        break;
    case ATOMIC_OP_TAKE:
    case ATOMIC_OP_PEEK:
        fprintf(p->out, "%s s%u", e->op == ATOMIC_OP_TAKE ? "take" : "item", e->slot);
        print_index(p, &e->index);
        print_args(p, e);
        break;
    case ATOMIC_OP_STATISTIC:
        fprintf(p->out, "%s s%u", hows[e->n], e->slot);
        print_index(p, &e->index);
        if (e->n_args) print_args(p, e);
        break;
    }
}

// ---------------------------------------------------------------------------------------------- statements

static void print_guard(Printer *p, const AtomicExpr *guard)
{
    if (!guard) return;
    fputs(" if ", p->out);
    print_expr(p, guard);
}

static void print_set(Printer *p, const AtomicAct *act)
{
    const uint32_t slots = act->n && !act->other ? act->n : atomic_type_slots(p->set, act->value->type);
    fprintf(p->out, "s%u", act->slot);
    print_index(p, &act->index);
    if (act->other) {
        fprintf(p->out, "..%u(", act->slot + act->n - 1);
        print_expr(p, act->other);
        fputc(')', p->out);
    } else if (slots > 1) {
        fprintf(p->out, "..%u", act->slot + slots - 1);
    }
    fputs(" := ", p->out);
    print_expr(p, act->value);
}

// What happens to a queue or to statistics: a word and its operands.
static void print_operation(Printer *p, const AtomicAct *act)
{
    static const char *const words[] = {
        [ATOMIC_PUSH] = "push",         [ATOMIC_INSERT] = "insert",     [ATOMIC_CLEAR] = "clear",
        [ATOMIC_ADD] = "add",           [ATOMIC_LEVEL_SET] = "set",     [ATOMIC_RESET] = "reset",
        [ATOMIC_DROP] = "drop",         [ATOMIC_BEGIN_QUEUE] = "queue", [ATOMIC_BEGIN_TALLY] = "tally",
        [ATOMIC_BEGIN_LEVEL] = "level",
    };
    fputs(words[act->kind], p->out);
    if (act->kind != ATOMIC_DROP) fprintf(p->out, " s%u", act->slot);
    print_index(p, &act->index);
    if (act->kind >= ATOMIC_BEGIN_QUEUE && act->index.n) fprintf(p->out, ", %u of them", act->index.n);
    if (act->value) {
        fputc(' ', p->out);
        print_expr(p, act->value);
    }
    if (act->other) {
        fputs(", ", p->out);
        print_expr(p, act->other);
    }
    if (act->kind == ATOMIC_BEGIN_QUEUE && act->fault) fputs(" ranked", p->out);
}

static void print_acts(Printer *p, const AtomicAct *acts, uint32_t n, int depth);

// Behind the first line of a block.
static void print_body(Printer *p, const AtomicAct *act, int depth)
{
    fputc('\n', p->out);
    print_acts(p, act->body, act->n_body, depth + 1);
    if (act->n_rest > 0) {
        indent(p, depth);
        fputs("else\n", p->out);
        print_acts(p, act->rest, act->n_rest, depth + 1);
    }
    indent(p, depth);
    fputs("end", p->out);
}

static void print_acts(Printer *p, const AtomicAct *acts, uint32_t n, int depth)
{
    for (uint32_t i = 0; i < n; i++) {
        const AtomicAct *act = &acts[i];
        indent(p, depth);
        switch (act->kind) {
        case ATOMIC_SET:
            print_set(p, act);
            break;
        case ATOMIC_BRANCH:
            fputs("if ", p->out);
            print_expr(p, act->value);
            print_body(p, act, depth);
            break;
        case ATOMIC_LOOP:
            fprintf(p->out, "for l%u in ", act->n);
            print_expr(p, act->value);
            fputs("..", p->out);
            print_expr(p, act->other);
            print_body(p, act, depth);
            break;
        case ATOMIC_MESSAGES:
            fputs("messages", p->out);
            print_body(p, act, depth);
            break;
        case ATOMIC_TAKE_ONE:
            fprintf(p->out, "on %s", p->kind->inputs[act->n].name);
            print_guard(p, act->value);
            print_body(p, act, depth);
            break;
        default: print_operation(p, act);
        }
        fputc('\n', p->out);
    }
}

static void print_goal(Printer *p, const AtomicGoal *goal, int depth)
{
    print_acts(p, goal->acts, goal->n_acts, depth);
    if (goal->condition) {
        indent(p, depth);
        fputs("if ", p->out);
        print_expr(p, goal->condition);
        fputc('\n', p->out);
        print_goal(p, goal->yes, depth + 1);
        indent(p, depth);
        fputs("else\n", p->out);
        print_goal(p, goal->no, depth + 1);
        return;
    }
    for (uint32_t i = 0; i < goal->n_chances; i++) {
        indent(p, depth);
        fputs("with chance ", p->out);
        print_expr(p, goal->chances[i]);
        fputc('\n', p->out);
        print_goal(p, &goal->cases[i], depth + 1);
    }
    if (goal->n_chances > 0) return;
    indent(p, depth);
    if (goal->state < 0) fputs("-> stay\n", p->out);
    else fprintf(p->out, "-> %s%s\n", p->kind->states[goal->state].name, goal->keeps ? " keeping time" : "");
}

static void print_state(Printer *p, uint32_t number)
{
    const AtomicState *state = &p->kind->states[number];
    fprintf(p->out, "  state %u %s for ", number, state->name);
    if (state->duration) print_expr(p, state->duration);
    else fputs("ever", p->out);
    fputc('\n', p->out);
    for (uint32_t i = 0; i < state->n_ons; i++) {
        fprintf(p->out, "    on %s", p->kind->inputs[state->ons[i].port].name);
        print_guard(p, state->ons[i].guard);
        fputc('\n', p->out);
        print_goal(p, &state->ons[i].goal, 3);
    }
    for (uint32_t i = 0; i < state->n_afters; i++) {
        const AtomicMove *move = &state->afters[i];
        fputs("    after", p->out);
        print_guard(p, move->guard);
        fputc('\n', p->out);
        for (uint32_t k = 0; k < move->n_emits; k++) {
            const AtomicEmit *emit = &move->emits[k];
            fprintf(p->out, "      send %s", p->kind->outputs[emit->port].name);
            if (emit->index.expr) {
                fputs(" + ", p->out);
                print_expr(p, emit->index.expr);
            }
            if (emit->value) {
                fputc(' ', p->out);
                print_expr(p, emit->value);
            }
            print_guard(p, emit->condition);
            fputc('\n', p->out);
        }
        print_goal(p, &move->goal, 3);
    }
}

static void print_kind(Printer *p)
{
    static const char *const orders[] = { "internal first", "external first", "own" };
    const AtomicKind *kind = p->kind;
    if (kind->is_native) fprintf(p->out, "atomic %s: native\n", kind->name);
    else fprintf(p->out, "atomic %s: %u slots\n", kind->name, kind->n_slots);
    for (uint32_t i = 0; i < kind->n_params; i++)
        if (kind->is_native) fprintf(p->out, "  param %s\n", kind->params[i].name);
        else fprintf(p->out, "  param s%u %s\n", ATOMIC_SLOT_PARAMS + i, kind->params[i].name);
    for (uint32_t i = 0; i < kind->n_inputs; i++)
        fprintf(p->out, "  input %u %s : %s\n", i, kind->inputs[i].name,
                atomic_type_name(p->set, kind->inputs[i].type));
    for (uint32_t i = 0; i < kind->n_outputs; i++)
        fprintf(p->out, "  output %u %s : %s\n", i, kind->outputs[i].name,
                atomic_type_name(p->set, kind->outputs[i].type));
    if (kind->is_native) {
        for (uint32_t i = 0; i < kind->n_readables; i++)
            fprintf(p->out, "  var %s\n", kind->readables[i].name);
        return;
    }
    for (uint32_t i = 1; i < kind->n_readables; i++)
        if (kind->readables[i].how == ATOMIC_READ_SLOT || kind->readables[i].is_main)
            fprintf(p->out, "  s%u %s : %s\n", kind->readables[i].slot, kind->readables[i].name,
                    atomic_type_name(p->set, kind->readables[i].type));
    if (kind->stream) fprintf(p->out, "  s%u random stream\n", kind->stream);
    if (kind->last) fprintf(p->out, "  s%u time of the last transition\n", kind->last);
    fputs("  begin\n", p->out);
    print_acts(p, kind->begin, kind->n_begin, 2);
    print_goal(p, &kind->start, 2);
    for (uint32_t i = 0; i < kind->n_states; i++) print_state(p, i);
    fprintf(p->out, "  confluent %s\n", orders[kind->confluent]);
    if (kind->confluent == AST_CONFLUENT_OWN) print_goal(p, &kind->confluent_goal, 2);
}

void atomic_print(const AtomicSet *set, FILE *out)
{
    Printer p = { .set = set, .out = out };
    for (uint32_t i = 0; i < set->ast->records.n; i++) {
        const AtomicRecord *record = &set->records[i];
        fprintf(out, "record %s:", record->ast->name);
        for (uint32_t k = 0; k < record->ast->n_fields; k++)
            fprintf(out, " m%u %s : %s%s", k, record->fields[k].name,
                    atomic_type_name(set, record->fields[k].type), k + 1 < record->ast->n_fields ? "," : "");
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < set->n_kinds; i++) {
        p.kind = &set->kinds[i];
        print_kind(&p);
    }
}

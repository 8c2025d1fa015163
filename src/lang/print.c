// src/lang/print.c: an Ast written in the language again.
#include "base/number.h"
#include "lang/ast.h"
#include "lang/lex.h"
#include <math.h>

typedef struct Printer {
    FILE *out;
    bool  at_start;    // of an equation: nothing of it is printed yet
} Printer;

static void put(Printer *p, const char *text)
{
    fputs(text, p->out);
    p->at_start = false;
}

static void put_char(Printer *p, char c)
{
    fputc(c, p->out);
    p->at_start = false;
}

__attribute__((format(printf, 2, 3))) static void put_format(Printer *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(p->out, format, args);
    va_end(args);
    p->at_start = false;
}

// ---- Names
//
// A name is quoted if it is not a plain one, or if it could be taken for the word that starts a statement.

static bool is_statement_word(Text name)
{
    static const char *const words[] = { "assert",     "at",       "const",   "discrete", "end",     "every",
                                         "for",        "function", "initial", "input",    "machine", "model",
                                         "next",       "output",   "param",   "rerun",    "return",  "atomic",
                                         "terminal",   "time",     "frame",   "use",      "var",     "when",
                                         "experiment", "orrery",   "prefer",  "table",    "elseif",
                                         "samples",    "island",   "reinit" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_is(name, words[i])) return true;
    return false;
}

static void print_name(const char *name, Printer *p)
{
    const Text text = text_from(name);
    const bool plain = lex_is_name(text) && !(p->at_start && is_statement_word(text));
    if (plain) put(p, name);
    else put_format(p, "\"%s\"", name);
}

// ---- Expressions

enum {
    RANK_IF,
    RANK_OR,
    RANK_AND,
    RANK_NOT,
    RANK_RELATION,
    RANK_CONVERT,
    RANK_SUM,
    RANK_PRODUCT,
    RANK_SIGN,
    RANK_POWER,
    RANK_LEAF
};

static const struct OpText {
    int         rank;
    const char *text;
} op_texts[] = {
    [AST_ADD] = { RANK_SUM, " + " },      [AST_SUB] = { RANK_SUM, " - " },
    [AST_MUL] = { RANK_PRODUCT, "*" },    [AST_DIV] = { RANK_PRODUCT, "/" },
    [AST_POW] = { RANK_POWER, "^" },      [AST_NEG] = { RANK_SIGN, "-" },
    [AST_LT] = { RANK_RELATION, " < " },  [AST_LE] = { RANK_RELATION, " <= " },
    [AST_GT] = { RANK_RELATION, " > " },  [AST_GE] = { RANK_RELATION, " >= " },
    [AST_EQ] = { RANK_RELATION, " == " }, [AST_NE] = { RANK_RELATION, " != " },
    [AST_AND] = { RANK_AND, " and " },    [AST_OR] = { RANK_OR, " or " },
    [AST_NOT] = { RANK_NOT, "not " },
};

static void print_at_rank(const AstExpr *e, int min_rank, Printer *p);

static int rank_of(const AstExpr *e)
{
    switch (e->kind) {
    // another front end may have made a negative number
    case AST_NUMBER: return signbit(e->number.value) ? RANK_SIGN : RANK_LEAF;
    case AST_UNARY: case AST_BINARY: return op_texts[e->op].rank;
    case AST_IF: return RANK_IF;
    case AST_CONVERT: return RANK_CONVERT;
    default: return RANK_LEAF;
    }
}

// The least ranks the operands of a binary operation may have without parentheses.
static void operand_ranks(AstOp op, int *left, int *right)
{
    const int rank = op_texts[op].rank;
    *left = rank == RANK_RELATION || rank == RANK_POWER ? rank + 1 : rank;
    *right = rank == RANK_POWER ? RANK_SIGN : rank + 1;
}

static void print_list(AstExpr *const *list, uint32_t n, Printer *p)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) put(p, ", ");
        print_at_rank(list[i], RANK_IF, p);
    }
}

static void print_ref(const AstRef *ref, Printer *p)
{
    for (uint32_t i = 0; i < ref->n_parts; i++) {
        if (i > 0) put_char(p, '.');
        print_name(ref->parts[i].name, p);
        if (ref->parts[i].n_indices == 0) continue;
        put_char(p, '[');
        print_list(ref->parts[i].indices, ref->parts[i].n_indices, p);
        put_char(p, ']');
    }
    for (uint32_t i = 0; i < ref->primes; i++) put_char(p, '\'');
}

// A chain that leans left may be of any length: go down it to its first operand, then print on the way back.
static void print_chain(const AstExpr *top, Printer *p)
{
    Arena scratch = { 0 };
    VEC(const AstExpr *) chain = { 0 };
    int min_rank = RANK_IF;    // for the chain's present link; the top one is no longer asked
    const AstExpr *e = top;
    while (e->kind == AST_BINARY) {
        if (e != top && rank_of(e) < min_rank) put_char(p, '(');
        vec_push(&scratch, &chain, e);
        int right;
        operand_ranks(e->op, &min_rank, &right);
        e = e->operands.a;
    }
    print_at_rank(e, min_rank, p);
    while (chain.n > 0) {
        const AstExpr *link = vec_pop(&chain);
        int left, right;
        operand_ranks(link->op, &left, &right);
        put(p, op_texts[link->op].text);
        print_at_rank(link->operands.b, right, p);
        if (chain.n == 0) break;
        operand_ranks(vec_last(&chain)->op, &left, &right);
        if (rank_of(link) < left) put_char(p, ')');
    }
    arena_free(&scratch);
}

static void print_inner(const AstExpr *e, Printer *p)
{
    char number[NUMBER_MAX];
    switch (e->kind) {
    case AST_NUMBER:
        put(p, number_text(e->number.value, number));
        if (e->number.unit) put_format(p, " [%s]", e->number.unit);
        break;
    case AST_REF:
        print_ref(&e->ref, p);
        break;
    case AST_CALL:
        print_name(e->call.function, p);
        put_char(p, '(');
        print_list(e->call.args, e->call.n_args, p);
        for (uint32_t i = 0; i < e->call.n_loops; i++) {
            put(p, " for ");
            print_name(e->call.loops[i].name, p);
            put(p, " in ");
            print_at_rank(e->call.loops[i].first, RANK_IF, p);
            put(p, "..");
            print_at_rank(e->call.loops[i].last, RANK_IF, p);
        }
        put_char(p, ')');
        break;
    case AST_UNARY:
        put(p, op_texts[e->op].text);
        if (e->op == AST_NEG && e->operands.a->kind == AST_UNARY && e->operands.a->op == AST_NEG)
            put_char(p, ' ');
        print_at_rank(e->operands.a, op_texts[e->op].rank, p);
        break;
    case AST_BINARY:
        print_chain(e, p);
        break;
    case AST_IF:
        put(p, "if ");
        print_at_rank(e->operands.a, RANK_IF, p);
        put(p, " then ");
        print_at_rank(e->operands.b, RANK_IF, p);
        put(p, " else ");
        print_at_rank(e->operands.c, RANK_IF, p);
        break;
    case AST_RANGE:
        print_at_rank(e->operands.a, RANK_IF, p);
        put(p, "..");
        print_at_rank(e->operands.b, RANK_IF, p);
        break;
    case AST_CONVERT: {
        const char *unit = e->operands.b->number.unit;
        print_at_rank(e->operands.a, RANK_SUM, p);
        put_format(p, lex_is_name(text_from(unit)) ? " in %s" : " in [%s]", unit);
        break;
    }
    }
}

// In parentheses if it binds less tightly than its place needs.
static void print_at_rank(const AstExpr *e, int min_rank, Printer *p)
{
    const bool bare = rank_of(e) >= min_rank;
    if (!bare) put_char(p, '(');
    print_inner(e, p);
    if (!bare) put_char(p, ')');
}

static void print_expr(const AstExpr *e, Printer *p)
{
    print_at_rank(e, RANK_IF, p);
}

void ast_print_expr(const AstExpr *expr, FILE *out)
{
    print_expr(expr, &(Printer){ .out = out });
}

// ---- Statements

static void indent(int depth, Printer *p)
{
    for (int i = 0; i < depth; i++) put(p, "  ");
}

static void print_doc(const char *doc, Printer *p)
{
    if (doc) put_format(p, " \"%s\"", doc);
}

static void print_sizes(AstExpr *const *sizes, uint32_t n, Printer *p)
{
    if (n == 0) return;
    put_char(p, '[');
    print_list(sizes, n, p);
    put_char(p, ']');
}

// A lone number with that unit says it by itself.
static bool says_unit(const AstExpr *value, const char *unit)
{
    if (value && value->kind == AST_UNARY && value->op == AST_NEG) value = value->operands.a;
    return value && value->kind == AST_NUMBER && value->number.unit &&
           text_is(text_from(value->number.unit), unit);
}

static void print_decl(const AstDecl *d, Printer *p)
{
    static const char *const words[] = { "param",  "const",   "input",    "var", "output",
                                         "across", "through", "discrete", "input event", "output event" };
    put_format(p, "%s ", words[d->kind]);
    print_name(d->name, p);
    print_sizes(d->sizes, d->n_sizes, p);
    for (uint32_t i = 0; i < d->primes; i++) put_char(p, '\'');

    if (d->unit && !says_unit(d->value, d->unit)) put_format(p, " [%s]", d->unit);
    if (d->value) {
        put(p, d->is_guess ? " ~ " : " = ");
        print_expr(d->value, p);
    }
    if (d->type) {
        put(p, " : ");
        print_name(d->type, p);
    }
    if (d->is_required) put(p, " required");
    print_doc(d->doc, p);
}

static void print_settings(const AstSetting *settings, uint32_t n, Printer *p)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) put(p, ", ");
        print_ref(&settings[i].target, p);
        put(p, " = ");
        print_expr(settings[i].value, p);
    }
}

static void print_equation(const AstItem *item, Printer *p)
{
    p->at_start = true;
    print_expr(item->equation.lhs, p);
    put(p, " = ");
    print_expr(item->equation.rhs, p);
}

static void print_items(const AstItem *items, uint32_t n, int depth, Printer *p);

static void print_function(const AstFunction *f, int depth, Printer *p)
{
    put(p, "function ");
    print_name(f->name, p);
    put_char(p, '(');
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (i > 0) put(p, ", ");
        print_name(f->params[i], p);
    }
    put_char(p, ')');
    print_doc(f->doc, p);
    if (f->n_locals == 0) {
        put(p, " = ");
        print_expr(f->result, p);
        return;
    }
    put_char(p, '\n');
    print_items(f->locals, f->n_locals, depth + 1, p);
    indent(depth + 1, p);
    put(p, "return ");
    print_expr(f->result, p);
    put_char(p, '\n');
    indent(depth, p);
    put(p, "end");
}

static void print_clause(const char *word, const AstExpr *e, Printer *p)
{
    if (!e) return;
    put_format(p, " %s ", word);
    print_expr(e, p);
}

static void print_event(const AstEvent *e, int depth, Printer *p)
{
    static const char *const words[] = { "when ", "at ", "every ", "next ", "on ", "reinit" };
    if (e->kind == AST_NEXT) {
        put(p, "next ");
        print_ref(&e->body[0].assign.target, p);
        put(p, " = ");
        print_expr(e->body[0].assign.value, p);
        print_clause("every", e->time, p);
        print_clause("from", e->from, p);
        return;
    }
    put(p, words[e->kind]);
    for (bool is_first = true; e; e = e->otherwise, is_first = false) {
        if (!is_first) {
            indent(depth, p);
            put(p, "elsewhen ");
        }
        if (e->kind == AST_ON) print_ref(&e->port, p);
        else if (e->kind != AST_REINIT) print_expr(e->kind == AST_WHEN ? e->condition : e->time, p);
        print_clause("from", e->from, p);
        print_clause("after", e->after, p);
        print_clause("priority", e->priority, p);
        put(p, " then\n");
        print_items(e->body, e->n_body, depth + 1, p);
    }
    indent(depth, p);
    put(p, "end");
}

static void print_branches(const AstItem *item, int depth, Printer *p)
{
    put(p, "if ");
    for (bool is_first = true; item; item = item->branch.otherwise, is_first = false) {
        if (!is_first) {
            indent(depth, p);
            put(p, item->branch.condition ? "elseif " : "else\n");
        }
        if (item->branch.condition) {
            print_expr(item->branch.condition, p);
            put(p, " then\n");
        }
        print_items(item->branch.items, item->branch.n_items, depth + 1, p);
    }
    indent(depth, p);
    put(p, "end");
}

static void print_island(const AstIsland *island, Printer *p)
{
    if (island->solver) {
        put(p, " solver ");
        put(p, island->solver);
    }
    for (uint32_t i = 0; i < island->n_options; i++) {
        const AstRef *target = &island->options[i].target;
        put_char(p, ' ');
        put(p, strcmp(target->parts[0].name, "period") == 0 ? "output every" : target->parts[0].name);
        put_char(p, ' ');
        if (target->n_parts > 1) {
            const AstRef state = { target->parts + 1, target->n_parts - 1, target->primes };
            print_ref(&state, p);
            put(p, " = ");
        }
        print_expr(island->options[i].value, p);
    }
    if (island->synchronised) put(p, " synchronised");
    if (island->gradients) put(p, " gradients");
}

static void print_item(const AstItem *item, int depth, Printer *p)
{
    switch (item->kind) {
    case AST_DECL:
        print_decl(&item->decl, p);
        break;
    case AST_EQUATION:
        print_equation(item, p);
        break;
    case AST_INITIAL:
        put(p, "initial ");
        print_equation(item, p);
        break;
    case AST_ASSERT:
        put(p, "assert ");
        print_expr(item->assertion.condition, p);
        print_doc(item->assertion.text, p);
        break;
    case AST_PREFER:
        put(p, "prefer ");
        print_ref(&item->prefer, p);
        break;
    case AST_COMPONENT:
        if (item->component.island) put(p, "island ");
        print_name(item->component.name, p);
        print_sizes(item->component.sizes, item->component.n_sizes, p);
        put(p, " : ");
        print_name(item->component.model, p);
        if (item->component.n_overrides > 0) {
            put_char(p, '(');
            print_settings(item->component.overrides, item->component.n_overrides, p);
            put_char(p, ')');
        }
        if (item->component.island) print_island(item->component.island, p);
        break;
    case AST_ARROW:
        print_ref(&item->arrow.from, p);
        put(p, " -> ");
        print_ref(&item->arrow.to, p);
        print_clause("when", item->arrow.when, p);
        break;
    case AST_CONNECT:
        print_ref(&item->arrow.from, p);
        put(p, " -- ");
        print_ref(&item->arrow.to, p);
        break;
    case AST_FOR:
        put(p, "for ");
        print_name(item->loop.index, p);
        put(p, " in ");
        print_expr(item->loop.first, p);
        put(p, "..");
        print_expr(item->loop.last, p);
        put_char(p, '\n');
        print_items(item->loop.items, item->loop.n_items, depth + 1, p);
        indent(depth, p);
        put(p, "end");
        break;
    case AST_TIME_UNIT:
        put_format(p, "time [%s]", item->time_unit);
        break;
    case AST_FUNCTION:
        print_function(&item->function, depth, p);
        break;
    case AST_ASSIGN:
        print_ref(&item->assign.target, p);
        put(p, " := ");
        print_expr(item->assign.value, p);
        break;
    case AST_RERUN:
        put(p, "rerun when ");
        print_expr(item->rerun.condition, p);
        if (!item->rerun.at_most) break;
        put(p, " at most ");
        print_expr(item->rerun.at_most, p);
        break;
    case AST_TERMINAL:
        put(p, "terminal\n");
        print_items(item->terminal.items, item->terminal.n_items, depth + 1, p);
        indent(depth, p);
        put(p, "end");
        break;
    case AST_EVENT:
        print_event(item->event, depth, p);
        break;
    case AST_BRANCH:
        print_branches(item, depth, p);
        break;
    case AST_TERMINATE:
        put(p, "terminate");
        print_doc(item->terminate, p);
        break;
    case AST_PRESENT:
        put(p, "present ");
        print_ref(&item->present.part, p);
        if (item->present.anew) put(p, " anew");
        print_clause("when", item->present.condition, p);
        break;
    case AST_SEND:
        put(p, "send ");
        print_ref(&item->send.port, p);
        if (item->send.n_values == 0) break;
        put_char(p, '(');
        for (uint32_t i = 0; i < item->send.n_values; i++) {
            if (i > 0) put(p, ", ");
            print_expr(item->send.values[i], p);
        }
        put_char(p, ')');
        break;
    }
}

static void print_items(const AstItem *items, uint32_t n, int depth, Printer *p)
{
    for (uint32_t i = 0; i < n; i++) {
        indent(depth, p);
        print_item(&items[i], depth, p);
        put_char(p, '\n');
    }
}

static void print_model(const char *word, const AstModel *model, Printer *p)
{
    put_format(p, "%s ", word);
    print_name(model->name, p);
    print_doc(model->doc, p);
    put_char(p, '\n');
    print_items(model->items, model->n_items, 1, p);
    put(p, "end\n");
}

// ---- Machines

// At the start of a rule a word that starts another statement is quoted.
static void print_symbol_name(const char *name, Printer *p)
{
    const bool is_word = strcmp(name, "state") == 0 || strcmp(name, "start") == 0;
    if (p->at_start && is_word) put_format(p, "\"%s\"", name);
    else print_name(name, p);
}

static void print_symbol(const AstSymbol *symbol, Printer *p)
{
    for (; symbol->condition; symbol = symbol->no) {
        put(p, "if ");
        print_expr(symbol->condition, p);
        put(p, " then ");
        print_symbol(symbol->yes, p);
        put(p, " else ");
    }
    if (!symbol->name) {
        put_char(p, '*');
        return;
    }
    print_symbol_name(symbol->name, p);
    if (symbol->n_indices == 0) return;
    put_char(p, '[');
    print_list(symbol->indices, symbol->n_indices, p);
    put_char(p, ']');
}

static void print_family(const AstFamily *family, Printer *p)
{
    print_symbol_name(family->name, p);
    for (uint32_t i = 0; i < family->n_ranges; i++) {
        put(p, i == 0 ? "[" : ", ");
        if (family->ranges[i].first) {
            print_expr(family->ranges[i].first, p);
            put(p, "..");
        }
        print_expr(family->ranges[i].last, p);
    }
    if (family->n_ranges > 0) put_char(p, ']');
}

static void print_move(const AstMove *move, Printer *p)
{
    print_symbol(move->input, p);
    put(p, " -> ");
    for (uint32_t i = 0; i < move->n_branches; i++) {
        const AstExpr *probability = move->branches[i].probability;
        if (i > 0) put(p, " | ");
        if (probability) {
            // what does not start with a digit would be taken for the state
            const bool plain = probability->kind == AST_NUMBER && rank_of(probability) == RANK_LEAF;
            if (!plain) put_char(p, '(');
            print_expr(probability, p);
            put(p, plain ? " " : ") ");
        }
        print_symbol(move->branches[i].to, p);
    }
    if (!move->output) return;
    put(p, " / ");
    print_symbol(move->output, p);
}

static void print_machine_item(const AstMachineItem *item, Printer *p)
{
    static const char *const words[] = {
        [AST_MACHINE_CONST] = "const ", [AST_MACHINE_INPUT] = "input ", [AST_MACHINE_OUTPUT] = "output ",
        [AST_MACHINE_START] = "start ", [AST_MACHINE_STATE] = "state ", [AST_MACHINE_RULE] = "",
    };
    put_format(p, "  %s", words[item->kind]);
    p->at_start = item->kind == AST_MACHINE_RULE;
    if (item->symbol) print_symbol(item->symbol, p);
    else print_family(&item->family, p);
    if (item->value) {
        put(p, " = ");
        print_expr(item->value, p);
    }
    print_doc(item->doc, p);
    if (item->output) {
        put(p, " / ");
        print_symbol(item->output, p);
    }
    for (uint32_t i = 0; i < item->n_moves; i++) {
        put(p, i > 0 ? ", " : item->kind == AST_MACHINE_RULE ? " on " : " : ");
        print_move(&item->moves[i], p);
    }
    put_char(p, '\n');
}

static void print_machine(const AstMachine *machine, Printer *p)
{
    put(p, "machine ");
    print_name(machine->name, p);
    print_doc(machine->doc, p);
    put_char(p, '\n');
    for (uint32_t i = 0; i < machine->n_items; i++) print_machine_item(&machine->items[i], p);
    put(p, "end\n");
}

// ---- Records, enumerations, atomics

static void print_type(const char *type, Printer *p)
{
    if (!type) return;
    put(p, " : ");
    print_name(type, p);
}

static void print_own_unit(const char *unit, Printer *p)
{
    if (unit) put_format(p, " [%s]", unit);
}

static void print_record(const AstRecord *record, Printer *p)
{
    put(p, "record ");
    print_name(record->name, p);
    print_doc(record->doc, p);
    put_char(p, '\n');
    for (uint32_t i = 0; i < record->n_fields; i++) {
        put(p, "  ");
        p->at_start = true;
        print_name(record->fields[i].name, p);
        print_own_unit(record->fields[i].unit, p);
        print_type(record->fields[i].type, p);
        put_char(p, '\n');
    }
    put(p, "end\n");
}

static void print_enum(const AstEnum *e, Printer *p)
{
    put(p, "enum ");
    print_name(e->name, p);
    print_doc(e->doc, p);
    put_char(p, ' ');
    for (uint32_t i = 0; i < e->n_values; i++) {
        if (i > 0) put(p, ", ");
        print_name(e->values[i], p);
    }
    put_char(p, '\n');
}

static void print_acts(const AstAct *acts, uint32_t n, int depth, Printer *p);

static void print_act(const AstAct *act, int depth, Printer *p)
{
    switch (act->kind) {
    case AST_ACT_ASSIGN:
        p->at_start = true;
        print_ref(&act->target, p);
        put(p, " := ");
        print_expr(act->value, p);
        break;
    case AST_ACT_CALL:
        p->at_start = true;
        print_expr(act->value, p);
        break;
    case AST_ACT_IF:
        put(p, "if ");
        print_expr(act->value, p);
        put(p, " then\n");
        print_acts(act->body, act->n_body, depth + 1, p);
        for (; act->n_other == 1 && act->other->kind == AST_ACT_IF;) {
            act = act->other;
            indent(depth, p);
            put(p, "elseif ");
            print_expr(act->value, p);
            put(p, " then\n");
            print_acts(act->body, act->n_body, depth + 1, p);
        }
        if (act->n_other > 0) {
            indent(depth, p);
            put(p, "else\n");
            print_acts(act->other, act->n_other, depth + 1, p);
        }
        indent(depth, p);
        put(p, "end");
        break;
    case AST_ACT_FOR:
        put(p, "for ");
        print_name(act->index, p);
        put(p, " in ");
        print_expr(act->value, p);
        put(p, "..");
        print_expr(act->last, p);
        put_char(p, '\n');
        print_acts(act->body, act->n_body, depth + 1, p);
        indent(depth, p);
        put(p, "end");
        break;
    case AST_ACT_ON:
        put(p, "on ");
        print_name(act->index, p);
        if (act->value) {
            put(p, " if ");
            print_expr(act->value, p);
        }
        put(p, " do\n");
        print_acts(act->body, act->n_body, depth + 1, p);
        indent(depth, p);
        put(p, "end");
        break;
    }
}

static void print_acts(const AstAct *acts, uint32_t n, int depth, Printer *p)
{
    for (uint32_t i = 0; i < n; i++) {
        indent(depth, p);
        print_act(&acts[i], depth, p);
        put_char(p, '\n');
    }
}

static bool goal_is_empty(const AstGoal *goal)
{
    return goal->n_acts == 0 && !goal->state && !goal->condition && goal->n_chances == 0;
}

static void print_goal(const AstGoal *goal, bool arrow, int depth, Printer *p)
{
    const bool leads = goal->state || goal->condition || goal->n_chances > 0;
    if (goal->n_acts > 0 || !leads) {
        put(p, "do\n");
        print_acts(goal->acts, goal->n_acts, depth + 1, p);
        indent(depth, p);
        put(p, leads ? "-> " : "end");
    } else if (arrow) {
        put(p, "-> ");
    }
    if (goal->condition) {
        put(p, "if ");
        print_expr(goal->condition, p);
        put(p, " then ");
        print_goal(goal->yes, false, depth, p);
        put(p, " else ");
        print_goal(goal->no, false, depth, p);
    } else if (goal->n_chances > 0) {
        for (uint32_t i = 0; i < goal->n_chances; i++) {
            const AstExpr *chance = goal->chances[i];
            const bool plain = chance->kind == AST_NUMBER && rank_of(chance) == RANK_LEAF;
            if (i > 0) put(p, " | ");
            if (!plain) put_char(p, '(');
            print_expr(chance, p);
            put(p, plain ? " " : ") ");
            print_goal(&goal->cases[i], false, depth, p);
        }
    } else if (goal->state) {
        if (strcmp(goal->state, "do") == 0) put(p, "\"do\"");    // else a block would begin
        else print_name(goal->state, p);
        if (goal->keeps) put(p, " keeping time");
    }
}

static void print_transition(const AstTransition *transition, int depth, Printer *p)
{
    indent(depth, p);
    put(p, transition->port ? "on " : "after");
    if (transition->port) print_name(transition->port, p);
    if (transition->guard) {
        put(p, " if ");
        print_expr(transition->guard, p);
    }
    for (uint32_t i = 0; i < transition->n_emits; i++) {
        const AstEmit *emit = &transition->emits[i];
        put(p, i > 0 ? ", " : " send ");
        print_name(emit->port, p);
        if (emit->value) {
            put_char(p, '(');
            print_expr(emit->value, p);
            put_char(p, ')');
        }
        if (emit->condition) {
            put(p, " if ");
            print_expr(emit->condition, p);
        }
    }
    if (!transition->port || !goal_is_empty(&transition->goal)) {
        put_char(p, ' ');
        print_goal(&transition->goal, true, depth, p);
    }
    put_char(p, '\n');
}

static void print_port(const AstPort *port, Printer *p)
{
    put(p, port->is_output ? "  output event " : "  input event ");
    print_name(port->name, p);
    print_own_unit(port->unit, p);
    print_type(port->type, p);
    if (port->is_required) put(p, " required");
    print_doc(port->doc, p);
    put_char(p, '\n');
}

static void print_cell(const AstCell *cell, Printer *p)
{
    put(p, "  var ");
    print_name(cell->name, p);
    print_sizes(&cell->size, cell->size != NULL, p);
    if (cell->unit && !says_unit(cell->value, cell->unit)) print_own_unit(cell->unit, p);
    print_type(cell->type, p);
    if (cell->value) {
        put(p, " = ");
        print_expr(cell->value, p);
    }
    print_doc(cell->doc, p);
    put_char(p, '\n');
}

static void print_atomic(const AstAtomic *a, Printer *p)
{
    static const char *const words[] = { "internal first", "external first" };
    put(p, "atomic ");
    print_name(a->name, p);
    if (a->is_native) put(p, " native");
    print_doc(a->doc, p);
    put_char(p, '\n');
    for (uint32_t i = 0; i < a->n_params; i++) {
        indent(1, p);
        print_decl(&a->params[i], p);
        put_char(p, '\n');
    }
    for (uint32_t i = 0; i < a->n_ports; i++) print_port(&a->ports[i], p);
    for (uint32_t i = 0; i < a->n_cells; i++) print_cell(&a->cells[i], p);
    if (a->has_start) {
        put(p, "  start ");
        print_goal(&a->start, false, 1, p);
        put_char(p, '\n');
    }
    if (a->has_confluent) {
        put(p, "  confluent ");
        if (a->confluent == AST_CONFLUENT_OWN) print_goal(&a->confluent_goal, true, 1, p);
        else put(p, words[a->confluent]);
        put_char(p, '\n');
    }
    for (uint32_t i = 0; i < a->n_common; i++) print_transition(&a->common[i], 1, p);
    for (uint32_t i = 0; i < a->n_states; i++) {
        const AstState *state = &a->states[i];
        put(p, "  state ");
        print_name(state->name, p);
        print_doc(state->doc, p);
        if (state->duration) {
            put(p, " for ");
            print_expr(state->duration, p);
        }
        put_char(p, '\n');
        for (uint32_t k = 0; k < state->n_transitions; k++) print_transition(&state->transitions[k], 2, p);
    }
    put(p, "end\n");
}

// ---- Experiments

static void print_refs(const AstRef *refs, uint32_t n, Printer *p)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) put(p, ", ");
        print_ref(&refs[i], p);
    }
}

static void print_timing(const char *word, const AstExpr *value, Printer *p)
{
    if (!value) return;
    put_format(p, "  %s ", word);
    print_expr(value, p);
    put_char(p, '\n');
}

// stdin, "data.csv", udp "5005"
static void print_address(const char *kind, const char *address, Printer *p)
{
    if (strcmp(kind, "csv") != 0) put_format(p, " %s", kind);
    if (*address) put_format(p, " \"%s\"", address);
}

static void print_input(const AstInput *input, Printer *p)
{
    put(p, "  input ");
    print_ref(&input->target, p);
    if (input->value) {
        put(p, " = ");
        print_expr(input->value, p);
    } else {
        put(p, " from");
        print_address(input->kind, input->address, p);
        if (input->column) put_format(p, " column \"%s\"", input->column);
        if (input->time) put_format(p, " time \"%s\"", input->time);
        for (uint32_t i = 0; i < input->n_columns; i++)
            put_format(p, "%s\"%s\"", i ? ", " : " columns ", input->columns[i]);
        put_format(p, " %s%s", input->is_messages ? "as messages" : input->between,
                   input->is_cyclic ? " cyclic" : "");
        if (input->outside) put_format(p, " outside %s", input->outside);
    }
    put_char(p, '\n');
}

static void print_ranges(const char *word, const AstClaim *ranges, uint32_t n, Printer *p)
{
    for (uint32_t i = 0; i < n; i++) {
        put_format(p, "  %s ", word);
        print_ref(&ranges[i].what, p);
        if (ranges[i].low) {
            put(p, " in ");
            print_expr(ranges[i].low, p);
            put(p, "..");
            print_expr(ranges[i].high, p);
        }
        put_char(p, '\n');
    }
}

static void print_frame(const AstFrame *f, Printer *p)
{
    put(p, "frame ");
    print_name(f->name, p);
    put(p, " of ");
    print_name(f->model, p);
    print_doc(f->doc, p);
    put_char(p, '\n');
    print_ranges("input", f->inputs, f->n_inputs, p);
    print_ranges("range", f->ranges, f->n_ranges, p);
    if (f->n_observes > 0) {
        put(p, "  observe ");
        print_refs(f->observes, f->n_observes, p);
        put_char(p, '\n');
    }
    if (f->outside) put_format(p, "  outside %s\n", f->outside);
    put(p, "end\n");
}

static void print_statistics(const AstStatistic *s, Printer *p)
{
    put(p, "  statistics ");
    print_refs(s->refs, s->n_refs, p);
    for (uint32_t i = 0; i < s->n_percentiles; i++) {
        put(p, i ? ", " : " percentiles ");
        print_expr(s->percentiles[i], p);
    }
    if (s->has_histogram) put(p, " histogram");
    if (s->n_bins) {
        put_char(p, ' ');
        print_expr(s->n_bins, p);
        put(p, " bins");
    }
    if (s->low) {
        put(p, " in ");
        print_expr(s->low, p);
        put(p, "..");
        print_expr(s->high, p);
    }
    put_char(p, '\n');
}

static void print_experiment(const AstExperiment *e, Printer *p)
{
    put(p, "experiment ");
    print_name(e->name, p);
    put(p, " of ");
    print_name(e->model, p);
    if (e->frame) {
        put(p, " in ");
        print_name(e->frame, p);
    }
    print_doc(e->doc, p);
    put_char(p, '\n');
    if (e->missing) put_format(p, "  # %s must be given\n", e->missing);
    print_timing("from", e->from, p);
    print_timing("until", e->until, p);
    print_timing("every", e->every, p);
    if (e->solver) {
        put_format(p, "  solver %s", e->solver);
        for (uint32_t i = 0; i < e->n_options; i++) {
            put_format(p, " %s ", e->options[i].target.parts[0].name);    // an option's name is never quoted
            print_expr(e->options[i].value, p);
        }
        put_char(p, '\n');
    }
    if (e->n_sets > 0) {
        put(p, "  set ");
        print_settings(e->sets, e->n_sets, p);
        put_char(p, '\n');
    }
    if (e->n_quanta > 0) {
        put(p, "  quantum ");
        print_settings(e->quanta, e->n_quanta, p);
        put_char(p, '\n');
    }
    for (uint32_t i = 0; i < e->n_inputs; i++) print_input(&e->inputs[i], p);
    for (uint32_t i = 0; i < e->n_sends; i++) {
        put(p, "  output ");
        print_refs(e->sends[i].refs, e->sends[i].n_refs, p);
        put(p, " to");
        print_address(e->sends[i].kind, e->sends[i].address, p);
        put_char(p, '\n');
    }
    print_timing("seed", e->seed, p);
    print_timing("replications", e->replications, p);
    print_timing("warm up", e->warm_up, p);
    print_timing("confidence", e->confidence, p);
    if (e->precision) {
        put(p, "  precision ");
        print_expr(e->precision, p);
        for (uint32_t i = 0; i < e->n_precise; i++) {
            put(p, i ? ", " : " of ");
            if (e->precise_means[i]) put(p, "mean(");
            print_ref(&e->precise[i], p);
            if (e->precise_means[i]) put(p, ")");
        }
        put_char(p, '\n');
    }
    if (e->outside) put_format(p, "  outside %s\n", e->outside);
    if (e->n_records > 0) {
        put(p, "  record ");
        print_refs(e->records, e->n_records, p);
        if (e->as_polynomials) put(p, " as polynomials");
        put_char(p, '\n');
    }
    for (uint32_t i = 0; i < e->n_plots; i++) {
        put(p, e->plots[i].is_histogram ? "  plot histogram of " : "  plot ");
        print_refs(e->plots[i].ys, e->plots[i].n_ys, p);
        if (e->plots[i].over.n_parts > 0) {
            put(p, " over ");
            print_ref(&e->plots[i].over, p);
        }
        put_char(p, '\n');
    }
    for (uint32_t i = 0; i < e->n_statistics; i++) print_statistics(&e->statistics[i], p);
    for (uint32_t i = 0; i < e->n_expects; i++) {
        put(p, "  expect ");
        print_ref(&e->expects[i].what, p);
        if (e->expects[i].at) {
            put(p, " at ");
            print_expr(e->expects[i].at, p);
        }
        put(p, " = ");
        print_expr(e->expects[i].value, p);
        put(p, " within ");
        print_expr(e->expects[i].within, p);
        put_char(p, '\n');
    }
    put(p, "end\n");
}

static void print_unit(const AstUnit *unit, Printer *p)
{
    char number[NUMBER_MAX];
    put(p, "unit ");
    print_name(unit->name, p);
    if (unit->unit) put_format(p, " = %s [%s]", number_text(unit->value, number), unit->unit);
    print_doc(unit->doc, p);
    put_char(p, '\n');
}

static void print_unit_of(const char *unit, Printer *p)
{
    if (unit) put_format(p, " [%s]", unit);
}

static void print_numbers(const double *numbers, uint32_t n, Printer *p)
{
    char text[NUMBER_MAX];
    for (uint32_t i = 0; i < n; i++) put_format(p, "%s%s", i ? ", " : "", number_text(numbers[i], text));
}

static void print_table(const AstTable *table, Printer *p)
{
    const bool is_samples = table->n_arguments == 0;
    put(p, is_samples ? "samples " : "table ");
    print_name(table->name, p);
    for (uint32_t i = 0; i < table->n_arguments; i++) {
        put(p, i ? ", " : "(");
        print_name(table->arguments[i].name, p);
        print_unit_of(table->arguments[i].unit, p);
    }
    if (!is_samples) put(p, ")");
    print_unit_of(table->unit, p);
    print_doc(table->doc, p);
    if (table->file) put_format(p, " from \"%s\"", table->file);
    for (uint32_t i = 0; i < table->n_columns; i++)
        put_format(p, "%s\"%s\"", i ? ", " : is_samples ? " column " : " columns ", table->columns[i]);
    if (is_samples) {
        put_char(p, '\n');
        return;
    }
    put_format(p, " %s outside %s\n", ast_between_words[table->between], ast_outside_words[table->outside]);
    if (table->file) return;
    if (table->n_y) {
        put(p, "  : ");
        print_numbers(table->y, table->n_y, p);
        put_char(p, '\n');
    }
    const uint32_t n = table->n_y ? table->n_y : 1;
    for (uint32_t i = 0; i < table->n_x; i++) {
        put(p, "  ");
        print_numbers(&table->x[i], 1, p);
        put(p, " : ");
        print_numbers(&table->z[(size_t)i * n], n, p);
        put_char(p, '\n');
    }
    put(p, "end\n");
}

void ast_print(const Ast *ast, FILE *out)
{
    Printer printer = { .out = out }, *p = &printer;
    for (size_t i = 0; i < ast->uses.n; i++) put_format(p, "use \"%s\"\n", ast->uses.items[i].path);
    for (size_t i = 0; i < ast->units.n; i++) print_unit(&ast->units.items[i], p);
    for (size_t i = 0; i < ast->tables.n; i++) print_table(&ast->tables.items[i], p);
    for (size_t i = 0; i < ast->functions.n; i++) {
        print_function(&ast->functions.items[i], 0, p);
        put_char(p, '\n');
    }
    for (size_t i = 0; i < ast->terminals.n; i++) print_model("terminal", &ast->terminals.items[i], p);
    for (size_t i = 0; i < ast->models.n; i++)
        if (!ast->models.items[i].is_machine && !ast->models.items[i].atomic)
            print_model("model", &ast->models.items[i], p);
    for (size_t i = 0; i < ast->machines.n; i++) print_machine(&ast->machines.items[i], p);
    for (size_t i = 0; i < ast->enums.n; i++) print_enum(&ast->enums.items[i], p);
    for (size_t i = 0; i < ast->records.n; i++) print_record(&ast->records.items[i], p);
    for (size_t i = 0; i < ast->atomics.n; i++) print_atomic(&ast->atomics.items[i], p);
    for (size_t i = 0; i < ast->frames.n; i++) print_frame(&ast->frames.items[i], p);
    for (size_t i = 0; i < ast->experiments.n; i++) print_experiment(&ast->experiments.items[i], p);
}

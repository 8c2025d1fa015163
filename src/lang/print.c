// src/lang/print.c: an Ast written in the language again.
#include "base/number.h"
#include "lang/ast.h"
#include "lang/lex.h"
#include <math.h>

// ---- Names
//
// A name is quoted if it is not a plain one, or if it could be taken for the first word of a statement.

static bool is_statement_word(Text name)
{
    static const char *const words[] = { "assert", "at",     "const",    "discrete", "end",   "every", "for",  "function",
                                         "initial", "input",  "machine",  "model",    "next",  "output", "param", "rerun",
                                         "return",  "atomic", "terminal", "time",     "frame", "use",    "var",  "when",
                                         "experiment", "orrery" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_is(name, words[i])) return true;
    return false;
}

static void print_name(const char *name, FILE *out)
{
    const Text text = text_from(name);
    const bool plain = lex_is_name(text) && !is_statement_word(text);
    fprintf(out, plain ? "%s" : "\"%s\"", name);
}

// ---- Expressions

enum { RANK_IF, RANK_OR, RANK_AND, RANK_NOT, RANK_RELATION, RANK_SUM, RANK_PRODUCT, RANK_SIGN, RANK_POWER, RANK_LEAF };

static const struct OpText {
    int         rank;
    const char *text;
} op_texts[] = {
    [AST_ADD] = { RANK_SUM, " + " },     [AST_SUB] = { RANK_SUM, " - " },     [AST_MUL] = { RANK_PRODUCT, "*" },
    [AST_DIV] = { RANK_PRODUCT, "/" },   [AST_POW] = { RANK_POWER, "^" },     [AST_NEG] = { RANK_SIGN, "-" },
    [AST_LT] = { RANK_RELATION, " < " }, [AST_LE] = { RANK_RELATION, " <= " }, [AST_GT] = { RANK_RELATION, " > " },
    [AST_GE] = { RANK_RELATION, " >= " }, [AST_EQ] = { RANK_RELATION, " == " }, [AST_NE] = { RANK_RELATION, " != " },
    [AST_AND] = { RANK_AND, " and " },   [AST_OR] = { RANK_OR, " or " },      [AST_NOT] = { RANK_NOT, "not " },
};

static void print_at_rank(const AstExpr *e, int min_rank, FILE *out);

static int rank_of(const AstExpr *e)
{
    switch (e->kind) {
    // another front end may have made a negative number
    case AST_NUMBER: return signbit(e->number.value) ? RANK_SIGN : RANK_LEAF;
    case AST_UNARY: case AST_BINARY: return op_texts[e->op].rank;
    case AST_IF: return RANK_IF;
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

static void print_list(AstExpr *const *list, uint32_t n, FILE *out)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) fputs(", ", out);
        print_at_rank(list[i], RANK_IF, out);
    }
}

static void print_ref(const AstRef *ref, FILE *out)
{
    for (uint32_t i = 0; i < ref->n_parts; i++) {
        if (i > 0) fputc('.', out);
        print_name(ref->parts[i].name, out);
        if (ref->parts[i].n_indices == 0) continue;
        fputc('[', out);
        print_list(ref->parts[i].indices, ref->parts[i].n_indices, out);
        fputc(']', out);
    }
    for (uint32_t i = 0; i < ref->primes; i++) fputc('\'', out);
}

// A chain that leans left may be of any length: go down it to its first operand, then print on the way back.
static void print_chain(const AstExpr *top, FILE *out)
{
    Arena scratch = { 0 };
    VEC(const AstExpr *) chain = { 0 };
    int min_rank = RANK_IF;    // for the chain's present link; the top one is no longer asked
    const AstExpr *e = top;
    while (e->kind == AST_BINARY) {
        if (e != top && rank_of(e) < min_rank) fputc('(', out);
        vec_push(&scratch, &chain, e);
        int right;
        operand_ranks(e->op, &min_rank, &right);
        e = e->operands.a;
    }
    print_at_rank(e, min_rank, out);
    while (chain.n > 0) {
        const AstExpr *link = vec_pop(&chain);
        int left, right;
        operand_ranks(link->op, &left, &right);
        fputs(op_texts[link->op].text, out);
        print_at_rank(link->operands.b, right, out);
        if (chain.n == 0) break;
        operand_ranks(vec_last(&chain)->op, &left, &right);
        if (rank_of(link) < left) fputc(')', out);
    }
    arena_free(&scratch);
}

static void print_inner(const AstExpr *e, FILE *out)
{
    char number[NUMBER_MAX];
    switch (e->kind) {
    case AST_NUMBER:
        fputs(number_text(e->number.value, number), out);
        if (e->number.unit) fprintf(out, " [%s]", e->number.unit);
        break;
    case AST_REF:
        print_ref(&e->ref, out);
        break;
    case AST_CALL:
        print_name(e->call.function, out);
        fputc('(', out);
        print_list(e->call.args, e->call.n_args, out);
        fputc(')', out);
        break;
    case AST_UNARY:
        fputs(op_texts[e->op].text, out);
        if (e->op == AST_NEG && e->operands.a->kind == AST_UNARY && e->operands.a->op == AST_NEG) fputc(' ', out);
        print_at_rank(e->operands.a, op_texts[e->op].rank, out);
        break;
    case AST_BINARY:
        print_chain(e, out);
        break;
    case AST_IF:
        fputs("if ", out);
        print_at_rank(e->operands.a, RANK_IF, out);
        fputs(" then ", out);
        print_at_rank(e->operands.b, RANK_IF, out);
        fputs(" else ", out);
        print_at_rank(e->operands.c, RANK_IF, out);
        break;
    }
}

// In parentheses if it binds less tightly than its place needs.
static void print_at_rank(const AstExpr *e, int min_rank, FILE *out)
{
    const bool bare = rank_of(e) >= min_rank;
    if (!bare) fputc('(', out);
    print_inner(e, out);
    if (!bare) fputc(')', out);
}

void ast_print_expr(const AstExpr *expr, FILE *out)
{
    print_at_rank(expr, RANK_IF, out);
}

// ---- Statements

static void indent(int depth, FILE *out)
{
    for (int i = 0; i < depth; i++) fputs("  ", out);
}

static void print_doc(const char *doc, FILE *out)
{
    if (doc) fprintf(out, " \"%s\"", doc);
}

static void print_sizes(AstExpr *const *sizes, uint32_t n, FILE *out)
{
    if (n == 0) return;
    fputc('[', out);
    print_list(sizes, n, out);
    fputc(']', out);
}

static void print_decl(const AstDecl *d, FILE *out)
{
    static const char *const words[] = { "param", "const", "input", "var", "output" };
    fprintf(out, "%s ", words[d->kind]);
    print_name(d->name, out);
    print_sizes(d->sizes, d->n_sizes, out);
    for (uint32_t i = 0; i < d->primes; i++) fputc('\'', out);

    // a lone number with that unit says it by itself
    const AstExpr *number = d->value;
    if (number && number->kind == AST_UNARY && number->op == AST_NEG) number = number->operands.a;
    const bool said = d->unit && number && number->kind == AST_NUMBER && number->number.unit
                      && text_is(text_from(number->number.unit), d->unit);
    if (d->unit && !said) fprintf(out, " [%s]", d->unit);
    if (d->value) {
        fputs(d->is_guess ? " ~ " : " = ", out);
        ast_print_expr(d->value, out);
    }
    print_doc(d->doc, out);
}

static void print_settings(const AstSetting *settings, uint32_t n, FILE *out)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) fputs(", ", out);
        print_ref(&settings[i].target, out);
        fputs(" = ", out);
        ast_print_expr(settings[i].value, out);
    }
}

static void print_equation(const AstItem *item, FILE *out)
{
    ast_print_expr(item->equation.lhs, out);
    fputs(" = ", out);
    ast_print_expr(item->equation.rhs, out);
}

static void print_items(const AstItem *items, uint32_t n, int depth, FILE *out);

static void print_function(const AstFunction *f, int depth, FILE *out)
{
    fputs("function ", out);
    print_name(f->name, out);
    fputc('(', out);
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (i > 0) fputs(", ", out);
        print_name(f->params[i], out);
    }
    fputc(')', out);
    print_doc(f->doc, out);
    if (f->n_locals == 0) {
        fputs(" = ", out);
        ast_print_expr(f->result, out);
        return;
    }
    fputc('\n', out);
    print_items(f->locals, f->n_locals, depth + 1, out);
    indent(depth + 1, out);
    fputs("return ", out);
    ast_print_expr(f->result, out);
    fputc('\n', out);
    indent(depth, out);
    fputs("end", out);
}

static void print_item(const AstItem *item, int depth, FILE *out)
{
    switch (item->kind) {
    case AST_DECL:
        print_decl(&item->decl, out);
        break;
    case AST_EQUATION:
        print_equation(item, out);
        break;
    case AST_INITIAL:
        fputs("initial ", out);
        print_equation(item, out);
        break;
    case AST_ASSERT:
        fputs("assert ", out);
        ast_print_expr(item->assertion.condition, out);
        print_doc(item->assertion.text, out);
        break;
    case AST_COMPONENT:
        print_name(item->component.name, out);
        print_sizes(item->component.sizes, item->component.n_sizes, out);
        fputs(" : ", out);
        print_name(item->component.model, out);
        if (item->component.n_overrides == 0) break;
        fputc('(', out);
        print_settings(item->component.overrides, item->component.n_overrides, out);
        fputc(')', out);
        break;
    case AST_ARROW:
        print_ref(&item->arrow.from, out);
        fputs(" -> ", out);
        print_ref(&item->arrow.to, out);
        break;
    case AST_FOR:
        fputs("for ", out);
        print_name(item->loop.index, out);
        fputs(" in ", out);
        ast_print_expr(item->loop.first, out);
        fputs("..", out);
        ast_print_expr(item->loop.last, out);
        fputc('\n', out);
        print_items(item->loop.items, item->loop.n_items, depth + 1, out);
        indent(depth, out);
        fputs("end", out);
        break;
    case AST_TIME_UNIT:
        fprintf(out, "time [%s]", item->time_unit);
        break;
    case AST_FUNCTION:
        print_function(&item->function, depth, out);
        break;
    case AST_ASSIGN:
        print_ref(&item->assign.target, out);
        fputs(" := ", out);
        ast_print_expr(item->assign.value, out);
        break;
    case AST_RERUN:
        fputs("rerun when ", out);
        ast_print_expr(item->rerun.condition, out);
        if (!item->rerun.at_most) break;
        fputs(" at most ", out);
        ast_print_expr(item->rerun.at_most, out);
        break;
    case AST_TERMINAL:
        fputs("terminal\n", out);
        print_items(item->terminal.items, item->terminal.n_items, depth + 1, out);
        indent(depth, out);
        fputs("end", out);
        break;
    }
}

static void print_items(const AstItem *items, uint32_t n, int depth, FILE *out)
{
    for (uint32_t i = 0; i < n; i++) {
        indent(depth, out);
        print_item(&items[i], depth, out);
        fputc('\n', out);
    }
}

static void print_model(const AstModel *model, FILE *out)
{
    fputs("model ", out);
    print_name(model->name, out);
    print_doc(model->doc, out);
    fputc('\n', out);
    print_items(model->items, model->n_items, 1, out);
    fputs("end\n", out);
}

// ---- Experiments

static void print_refs(const AstRef *refs, uint32_t n, FILE *out)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) fputs(", ", out);
        print_ref(&refs[i], out);
    }
}

static void print_timing(const char *word, const AstExpr *value, FILE *out)
{
    if (!value) return;
    fprintf(out, "  %s ", word);
    ast_print_expr(value, out);
    fputc('\n', out);
}

static void print_experiment(const AstExperiment *e, FILE *out)
{
    fputs("experiment ", out);
    print_name(e->name, out);
    fputs(" of ", out);
    print_name(e->model, out);
    print_doc(e->doc, out);
    fputc('\n', out);
    if (e->missing) fprintf(out, "  # %s must be given\n", e->missing);
    print_timing("from", e->from, out);
    print_timing("until", e->until, out);
    print_timing("every", e->every, out);
    if (e->solver) {
        fprintf(out, "  solver %s", e->solver);
        for (uint32_t i = 0; i < e->n_options; i++) {
            fprintf(out, " %s ", e->options[i].target.parts[0].name);    // an option's name is never quoted
            ast_print_expr(e->options[i].value, out);
        }
        fputc('\n', out);
    }
    if (e->n_sets > 0) {
        fputs("  set ", out);
        print_settings(e->sets, e->n_sets, out);
        fputc('\n', out);
    }
    if (e->n_records > 0) {
        fputs("  record ", out);
        print_refs(e->records, e->n_records, out);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < e->n_plots; i++) {
        fputs("  plot ", out);
        print_refs(e->plots[i].ys, e->plots[i].n_ys, out);
        if (e->plots[i].over.n_parts > 0) {
            fputs(" over ", out);
            print_ref(&e->plots[i].over, out);
        }
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < e->n_expects; i++) {
        fputs("  expect ", out);
        print_ref(&e->expects[i].what, out);
        if (e->expects[i].at) {
            fputs(" at ", out);
            ast_print_expr(e->expects[i].at, out);
        }
        fputs(" = ", out);
        ast_print_expr(e->expects[i].value, out);
        fputs(" within ", out);
        ast_print_expr(e->expects[i].within, out);
        fputc('\n', out);
    }
    fputs("end\n", out);
}

void ast_print(const Ast *ast, FILE *out)
{
    for (size_t i = 0; i < ast->uses.n; i++) fprintf(out, "use \"%s\"\n", ast->uses.items[i].path);
    for (size_t i = 0; i < ast->functions.n; i++) {
        print_function(&ast->functions.items[i], 0, out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < ast->models.n; i++) print_model(&ast->models.items[i], out);
    for (size_t i = 0; i < ast->experiments.n; i++) print_experiment(&ast->experiments.items[i], out);
}

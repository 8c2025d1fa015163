// src/exp/constant.c: values and names in experiments, which know no variables.
#include "exp/constant.h"
#include "expr/expr.h"
#include <math.h>
#include <string.h>

static bool refuse(const AstExpr *e, orr_diag *diag)
{
    diag_report(diag, DIAG_EXPERIMENT_VALUE, e->place);
    diag_hint(diag, "experiments know numbers, pi, operators and functions, but no variables");
    return false;
}

static const ExprOp binary_of[] = {
    [AST_ADD] = EXPR_ADD, [AST_SUB] = EXPR_SUB, [AST_MUL] = EXPR_MUL, [AST_DIV] = EXPR_DIV, [AST_POW] = EXPR_POW,
};

static bool call_value(const AstExpr *e, double *value, orr_diag *diag)
{
    double args[2] = { 0, 0 };
    if (e->call.n_args < 1 || e->call.n_args > 2) return refuse(e, diag);
    for (uint32_t i = 0; i < e->call.n_args; i++)
        if (!constant_value(e->call.args[i], &args[i], diag)) return false;
    for (int op = EXPR_ABS; op <= EXPR_TANH; op++) {
        if (strcmp(expr_ops[op].text, e->call.function) != 0 || (uint32_t)expr_ops[op].arity != e->call.n_args) continue;
        *value = expr_apply((ExprOp)op, args[0], args[1], 0);
        return true;
    }
    return refuse(e, diag);
}

bool constant_value(const AstExpr *e, double *value, orr_diag *diag)
{
    double a, b;
    switch (e->kind) {
    case AST_NUMBER: return *value = e->number.value, true;
    case AST_CALL:   return call_value(e, value, diag);
    case AST_REF:
        if (e->ref.n_parts != 1 || e->ref.primes) return refuse(e, diag);
        if (strcmp(e->ref.parts[0].name, "pi") == 0) return *value = 3.14159265358979323846, true;
        if (strcmp(e->ref.parts[0].name, "inf") == 0) return *value = INFINITY, true;
        return refuse(e, diag);
    case AST_UNARY:
        if (e->op != AST_NEG) return refuse(e, diag);
        if (!constant_value(e->operands.a, &a, diag)) return false;
        return *value = -a, true;
    case AST_BINARY: {
        if (e->op > AST_POW) return refuse(e, diag);
        // the left spine may be long: go down it in a loop
        VEC(const AstExpr *) spine = { 0 };
        Arena work = { 0 };
        const AstExpr *left = e;
        for (; left->kind == AST_BINARY && left->op <= AST_POW; left = left->operands.a) vec_push(&work, &spine, left);
        bool ok = constant_value(left, &a, diag);
        while (ok && spine.n) {
            const AstExpr *node = vec_pop(&spine);
            ok = constant_value(node->operands.b, &b, diag);
            if (ok) a = expr_apply(binary_of[node->op], a, b, 0);
        }
        arena_free(&work);
        *value = a;
        return ok;
    }
    case AST_IF: return refuse(e, diag);
    }
    return false;
}

const char *constant_name(const AstRef *ref, Arena *arena, orr_diag *diag)
{
    StrBuf s = { .arena = arena };
    for (uint32_t i = 0; i < ref->n_parts; i++) {
        const AstPart *part = &ref->parts[i];
        str_addf(&s, "%s%s", i ? "." : "", part->name);
        for (uint32_t k = 0; k < part->n_indices; k++) {
            double index;
            if (!constant_value(part->indices[k], &index, diag)) return NULL;
            str_addf(&s, "%s%.0f", k ? "," : "[", index);
        }
        if (part->n_indices) str_add(&s, "]");
    }
    for (uint32_t i = 0; i < ref->primes; i++) str_add(&s, "'");
    return str_finish(&s);
}

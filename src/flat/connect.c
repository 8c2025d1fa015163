// src/flat/connect.c: arrows between ports become equations.
#include "flat/scope.h"

static void connect_arrow(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    Flat *flat = ex->flat;
    const Reading r = { .ex = ex, .scope = scope, .locals = locals, .makes_modes = true };
    const Expr source = lower_ref(&r, &item->arrow.from, item->arrow.from_place);
    Entity *to;
    const uint32_t target = lower_variable(&r, &item->arrow.to, item->arrow.to_place, &to);
    if (target == FLAT_NONE) return;

    // into a component: one of its inputs; outward: an output or variable of this model that nothing else
    // defines
    const char *name = flat->vars.items[target].name;
    const AstDeclKind declared = to->symbol->declared;
    const bool is_inward = item->arrow.to.n_parts > 1;
    if (item->arrow.to.primes ||
        (is_inward ? declared != AST_INPUT : declared == AST_INPUT || declared == AST_PARAM)) {
        EXPAND_FAIL(ex, DIAG_OUTPUT_AS_TARGET, item->arrow.to_place, name);
        if (!is_inward && declared == AST_INPUT)
            diag_hint(ex->diag, "an input of this model gets its value from outside");
        else diag_hint(ex->diag, "an arrow leads to an input of a component, or to an output of this model");
        return;
    }
    const uint32_t *driver = map_find(&ex->driven, target);
    if (driver) {
        EXPAND_FAIL(ex, DIAG_INPUT_DRIVEN_TWICE, item->arrow.to_place, name);
        diag_note(ex->diag, ex->arrows.items[*driver]->place, "the other source");
        return;
    }
    map_put(&ex->driven, target, (uint32_t)ex->arrows.n);
    vec_push(&ex->work, &ex->arrows, item);
    flat->vars.items[target].kind = FLAT_VARIABLE;
    define_equation(ex, lower_read(ex, target), source, item->place);
}

bool connect_wants(const AstItem *item) { return item->kind == AST_ARROW; }

void connect_item(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    if (item->kind == AST_ARROW) connect_arrow(ex, scope, locals, item);
}

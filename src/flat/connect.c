// src/flat/connect.c: arrows between ports and connections between terminals become equations.
//
// `a -- b` puts two terminals on one node. A node may have any number of them, joined in any order by any
// number of statements in any instances; which belong together is found by joining sets (Tarjan's
// union-find). At a node all across variables are equal, and the through variables sum to zero. A through
// variable is positive into the component that owns the terminal. A terminal of a model has two ends: inside,
// where the model connects it to its components, and outside, where the model itself is connected. The ends
// are on different nodes. What flows in outside comes out inside, so it counts with the opposite sign there:
//
//             outside  ┌─ model ─────────────────────┐
//        a.n ──────────o p ── r.p    p.i = r.p.i     │      a.n.i + p.i = 0
//                      └─────────────────────────────┘
//
// An end outside that nothing is connected to lets nothing through.
#include "flat/scope.h"

// ---------------------------------------------------------------------------------------------- arrows

static void connect_arrow(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    Flat *flat = ex->flat;
    const Reading r = { .ex = ex, .scope = scope, .locals = locals, .makes_modes = true };
    if (port_connect(&r, item)) return;
    if (item->arrow.when) {
        EXPAND_FAIL(ex, DIAG_SIGNAL_WHEN, item->place,
                    item->arrow.from.parts[item->arrow.from.n_parts - 1].name);
        diag_hint(ex->diag,
                  "only messages can be kept back; a signal is chosen by an equation: if … then … else …");
        return;
    }
    const Expr source = lower_ref(&r, &item->arrow.from, item->arrow.from_place);
    Entity *to;
    const uint32_t target = lower_variable(&r, &item->arrow.to, item->arrow.to_place, &to);
    if (target == FLAT_NONE) return;

    // into a component: one of its inputs; outward: an output or variable of this model that nothing else
    // defines
    const char *name = flat->vars.items[target].name;
    const AstDeclKind declared = to->symbol->declared;
    const bool is_inward = item->arrow.to.n_parts > 1;
    const bool is_target = is_inward ? declared == AST_INPUT : declared == AST_VAR || declared == AST_OUTPUT;
    if (item->arrow.to.primes || !is_target) {
        EXPAND_FAIL(ex, DIAG_OUTPUT_AS_TARGET, item->arrow.to_place, name);
        if (!is_inward && declared == AST_INPUT)
            diag_hint(ex->diag, "an input of this model gets its value from outside");
        else if (is_inward && declared == AST_OUTPUT && !item->arrow.to.primes)
            diag_hint(ex->diag,
                      "it is an output: turn the arrow round, or lead it to an input of the component");
        else diag_hint(ex->diag, "an arrow leads to an input of a component, or to an output of this model");
        return;
    }
    const uint32_t *driver = map_find(&ex->driven, target);
    if (driver) {
        EXPAND_FAIL(ex, DIAG_INPUT_DRIVEN_TWICE, item->arrow.to_place, name);
        diag_hint(ex->diag, "remove one of the two arrows; to add signals, lead their sum to it");
        diag_note(ex->diag, ex->arrows.items[*driver]->place, "the other source");
        return;
    }
    map_put(&ex->driven, target, (uint32_t)ex->arrows.n);
    vec_push(&ex->work, &ex->arrows, item);
    flat->vars.items[target].kind = FLAT_VARIABLE;
    const Expr value = lower_convert(ex, source, scope->site, item);
    define_equation(ex, lower_read(ex, target), value, item->place);
}

// ---------------------------------------------------------------------------------------------- connections

typedef struct End {
    uint32_t parent;      // in its tree; itself at the root
    uint32_t size;        // of a root: ends in its set; 0: not connected
    uint32_t join;        // of a root: number of the first statement of its set
    uint32_t next;        // on the node; FLAT_NONE at the last
    Place    place;       // of a root: that statement
} End;

enum { OUTSIDE, INSIDE };    // number of an end: 2 * terminal + side

static uint32_t find_root(End *ends, uint32_t end)
{
    while (ends[end].parent != end) end = ends[end].parent = ends[ends[end].parent].parent;
    return end;
}

static void make_ends(Expander *ex)
{
    if (ex->ends) return;
    const uint32_t n = 2 * (uint32_t)ex->terminals.n;
    ex->ends = ARENA_ARRAY(&ex->work, End, n);
    for (uint32_t i = 0; i < n; i++) ex->ends[i].parent = i;
}

// The end that a path in a connection names; FLAT_NONE after an error.
static uint32_t find_end(const Reading *r, const AstRef *ref, Place place, const Scope **terminal)
{
    Target target;
    if (!lower_target(r, ref, place, &target)) return FLAT_NONE;
    const Symbol *symbol = target.entity->symbol;
    if (symbol->kind != SYMBOL_COMPONENT || !symbol->is_terminal) {
        EXPAND_FAIL(r->ex, DIAG_NOT_A_TERMINAL, place, symbol->name, lower_kind(target.entity));
        if (symbol->kind == SYMBOL_COMPONENT)
            diag_hint(r->ex->diag, "name one of its terminals: '%s.…'", symbol->name);
        else diag_hint(r->ex->diag, "values are made equal by an equation: a = b");
        return FLAT_NONE;
    }
    *terminal = target.entity->components[target.element];
    if (!*terminal) return FLAT_NONE;    // reported where it could not be made
    return 2 * (*terminal)->terminal + (ref->n_parts == 1 ? INSIDE : OUTSIDE);
}

// Equations for each element of the variables of a kind, of one terminal or of two.
typedef void Relate(Expander *ex, uint32_t a, uint32_t b, Place place);

static void each_pair(Expander *ex, const Scope *a, const Scope *b, AstDeclKind kind, Relate *relate,
                      Place place)
{
    for (size_t i = 0; i < a->shape->symbols.n; i++) {
        const Entity *x = &a->entities[i], *y = &b->entities[i];
        if (x->symbol->declared != kind || x->is_broken || y->is_broken) continue;
        for (uint32_t k = 0; k < x->n_elements; k++) relate(ex, x->first + k, y->first + k, place);
    }
}

static void make_equal(Expander *ex, uint32_t a, uint32_t b, Place place)
{
    define_equation(ex, lower_read(ex, a), lower_read(ex, b), place);
}

static void connect_pair(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    const Reading r = { .ex = ex, .scope = scope, .locals = locals };
    const Scope *from, *to;
    const uint32_t a = find_end(&r, &item->arrow.from, item->arrow.from_place, &from);
    const uint32_t b = find_end(&r, &item->arrow.to, item->arrow.to_place, &to);
    if (a == FLAT_NONE || b == FLAT_NONE) return;
    const int from_n = (int)from->path.n - 1, to_n = (int)to->path.n - 1;    // without the point at the end
    if (from->shape != to->shape) {
        EXPAND_FAIL(ex, DIAG_TERMINALS_DIFFER, item->place,
                    arena_printf(&ex->work, "%.*s", from_n, from->path.p), from->shape->model->name,
                    arena_printf(&ex->work, "%.*s", to_n, to->path.p), to->shape->model->name);
        return;
    }
    if (a == b) {
        EXPAND_FAIL(ex, DIAG_TERMINAL_TO_ITSELF, item->place,
                    arena_printf(&ex->work, "%.*s", from_n, from->path.p));
        return;
    }

    // join the two sets, the smaller below the larger; said twice is said once
    make_ends(ex);
    End *ends = ex->ends;
    uint32_t x = find_root(ends, a), y = find_root(ends, b);
    if (x == y) return;
    for (int i = 0; i < 2; i++) {
        End *root = &ends[i ? y : x];
        if (root->size) continue;
        *root = (End){ i ? y : x, 1, ex->n_joins, FLAT_NONE, item->place };
    }
    ex->n_joins++;
    if (ends[x].size < ends[y].size) {
        const uint32_t swap = x;
        x = y;
        y = swap;
    }
    if (ends[y].join < ends[x].join) {
        ends[x].join = ends[y].join;
        ends[x].place = ends[y].place;
    }
    ends[x].size += ends[y].size;
    ends[y].parent = x;
    each_pair(ex, from, to, AST_ACROSS, make_equal, item->place);
}

static void make_zero(Expander *ex, uint32_t a, uint32_t b, Place place)
{
    (void)b;
    define_equation(ex, lower_read(ex, a), expr_const(&ex->flat->pool, 0), place);
}

static Expr add(ExprPool *pool, Expr sum, Expr term)
{
    return sum == EXPR_NONE ? term : expr_binary(pool, EXPR_ADD, sum, term);
}

// What flows into the components on a node equals what comes in through the terminals of the model.
static void balance(Expander *ex, uint32_t first, size_t symbol, uint32_t element, Place place)
{
    ExprPool *pool = &ex->flat->pool;
    Expr sums[2] = { EXPR_NONE, EXPR_NONE };
    for (uint32_t end = first; end != FLAT_NONE; end = ex->ends[end].next) {
        const Entity *entity = &ex->terminals.items[end / 2]->entities[symbol];
        if (entity->is_broken) return;
        sums[end % 2] = add(pool, sums[end % 2], lower_read(ex, entity->first + element));
    }
    for (int i = 0; i < 2; i++)
        if (sums[i] == EXPR_NONE) sums[i] = expr_const(pool, 0);
    define_equation(ex, sums[OUTSIDE], sums[INSIDE], place);
}

static void balance_node(Expander *ex, uint32_t first, Place place)
{
    const Scope *terminal = ex->terminals.items[first / 2];
    for (size_t i = 0; i < terminal->shape->symbols.n; i++) {
        const Entity *entity = &terminal->entities[i];
        if (entity->symbol->declared != AST_THROUGH) continue;
        for (uint32_t k = 0; k < entity->n_elements; k++) balance(ex, first, i, k, place);
    }
}

void connect_terminals(Expander *ex)
{
    const uint32_t n = 2 * (uint32_t)ex->terminals.n;
    if (n == 0) return;
    make_ends(ex);

    // the ends of each node in the order of declaration
    End *ends = ex->ends;
    uint32_t *first = ARENA_ARRAY(&ex->work, uint32_t, n), *last = ARENA_ARRAY(&ex->work, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) first[i] = FLAT_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t root = find_root(ends, i);
        ends[i].next = FLAT_NONE;
        if (first[root] == FLAT_NONE) first[root] = i;
        else ends[last[root]].next = i;
        last[root] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t root = find_root(ends, i);
        const Scope *terminal = ex->terminals.items[i / 2];
        if (ends[root].size == 0) {
            if (i % 2 == INSIDE) continue;    // the model's own equations say what happens there
            each_pair(ex, terminal, terminal, AST_THROUGH, make_zero, declare_owner_place(terminal));
        } else if (first[root] == i) {
            balance_node(ex, i, ends[root].place);
        }
    }
}

// ---------------------------------------------------------------------------------------------- both

bool connect_wants(const AstItem *item)
{
    return item->kind == AST_ARROW || item->kind == AST_CONNECT || item->kind == AST_PRESENT;
}

void connect_item(Expander *ex, Scope *scope, const Local *locals, const AstItem *item)
{
    if (item->kind == AST_ARROW) connect_arrow(ex, scope, locals, item);
    else if (item->kind == AST_CONNECT) connect_pair(ex, scope, locals, item);
    else if (item->kind == AST_PRESENT) port_present(ex, scope, locals, item);
}

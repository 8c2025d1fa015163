// src/flat/settle.c: values of parameters, inputs and starts, once all equations are known.
//
// What a value depends on decides what it means: an input whose default moves becomes a variable with an
// equation; the value of a state that reads variables becomes an equation of the start; a parameter reads
// parameters only.
#include "flat/scope.h"

// ---------------------------------------------------------------------------------------------- what a value
// reads

// Children have smaller numbers than their parents: one pass over the pool, continued when it has grown.
static Reads reads_of(Expander *ex, Expr e)
{
    const Flat *flat = ex->flat;
    const ExprNode *node = expr_node(&flat->pool, e);
    Reads reads = READS_PARAMS;
    switch (node->op) {
    case EXPR_CONST: case EXPR_TURN: return READS_PARAMS;
    case EXPR_ELEM:
        return flat->arrays.items[expr_access(&flat->pool, e)->array].kind == FLAT_PARAM ? READS_PARAMS
                                                                                          : READS_VARIABLES;
    case EXPR_TIME: case EXPR_MODE: return READS_TIME;
    case EXPR_DELAY: return READS_TIME;
    case EXPR_VAR: {
        const FlatKind kind = flat->vars.items[node->index].kind;
        return kind == FLAT_PARAM      ? READS_PARAMS
               : kind == FLAT_INPUT    ? READS_INPUTS
               : kind == FLAT_DISCRETE ? READS_DISCRETE
                                       : READS_VARIABLES;
    }
    default: break;
    }
    const uint8_t *known = ex->reads.items;
    const int arity = expr_ops[node->op].arity;
    if (arity > 0) reads |= known[node->a];
    if (arity > 1) reads |= known[node->b];
    if (arity > 2) reads |= known[node->c];
    return reads;
}

Reads settle_reads(Expander *ex, Expr e)
{
    if (ex->reads.n <= e) {
        vec_reserve(&ex->work, &ex->reads, ex->flat->pool.nodes.n);
        for (Expr i = (Expr)ex->reads.n; i <= e; i++) ex->reads.items[i] = (uint8_t)reads_of(ex, i);
        ex->reads.n = (size_t)e + 1;
    }
    return (Reads)ex->reads.items[e];
}

bool settle_is_fixed(Expander *ex, Expr e) { return settle_reads(ex, e) == READS_PARAMS; }

// ---- Numbers that change by steps

static bool is_stepping(const Flat *flat, Expr e, const bool *steps, const bool *var_steps)
{
    const ExprNode *node = expr_node(&flat->pool, e);
    switch (node->op) {
    case EXPR_TIME: case EXPR_ELEM: case EXPR_DELAY: return false;
    case EXPR_VAR: return var_steps[node->index];
    case EXPR_FLOOR: case EXPR_CEIL: case EXPR_ROUND: case EXPR_SIGN: return true;
    default: break;
    }
    if (expr_is_bool(&flat->pool, e)) return true;
    for (int k = 0; k < expr_n_operands(&flat->pool, e); k++)
        if (!steps[expr_operand(&flat->pool, e, k)]) return false;
    return true;
}

// Variables are what their equations make them, through others too, in whatever order these stand.
void settle_equalities(Expander *ex)
{
    const Flat *flat = ex->flat;
    bool any = false;
    for (size_t k = 0; k < flat->relations.n; k++) {
        const ExprOp op = expr_op(&flat->pool, flat->relations.items[k].relation);
        any |= op == EXPR_EQ || op == EXPR_NE;
    }
    if (!any) return;
    bool *steps = ARENA_ARRAY(&ex->work, bool, flat->pool.nodes.n);
    bool *var_steps = ARENA_ARRAY(&ex->work, bool, flat->vars.n);
    for (size_t i = 0; i < flat->vars.n; i++) var_steps[i] = flat->vars.items[i].kind != FLAT_VARIABLE;
    for (bool changed = true; changed;) {
        for (Expr e = 0; e < flat->pool.nodes.n; e++) steps[e] = is_stepping(flat, e, steps, var_steps);
        changed = false;
        for (size_t i = 0; i < flat->equations.n; i++) {
            const FlatEquation *equation = &flat->equations.items[i];
            if (expr_op(&flat->pool, equation->lhs) != EXPR_VAR || !steps[equation->rhs]) continue;
            bool *known = &var_steps[expr_node(&flat->pool, equation->lhs)->index];
            changed |= !*known;
            *known = true;
        }
    }
    for (size_t k = 0; k < flat->relations.n; k++) {
        const FlatRelation *relation = &flat->relations.items[k];
        const ExprNode *node = expr_node(&flat->pool, relation->relation);
        if ((node->op != EXPR_EQ && node->op != EXPR_NE) || (steps[node->a] && steps[node->b])) continue;
        diag_report(ex->diag, DIAG_EQUAL_REALS, relation->place, expr_ops[node->op].text);
        diag_hint(ex->diag, "compare with <, <=, > or >=");
    }
}

// The first thing in `e` that depends on more than `allowed`, for messages.
const char *settle_offender(Expander *ex, Expr e, Reads allowed)
{
    const Flat *flat = ex->flat;
    const ArenaMark mark = arena_mark(&ex->scratch);
    size_t n;
    const uint32_t *variables = expr_variables(&flat->pool, e, &ex->scratch, &n);
    const char *name = "t";
    size_t n_elements;
    const Expr *elements = expr_elements(&flat->pool, e, &ex->scratch, &n_elements);
    for (size_t i = 0; i < n_elements; i++) {
        const FlatArray *a = &flat->arrays.items[expr_access(&flat->pool, elements[i])->array];
        if (a->kind != FLAT_PARAM) name = a->name;
    }
    for (size_t i = 0; i < n; i++) {
        const FlatKind kind = flat->vars.items[variables[i]].kind;
        if (kind == FLAT_PARAM || (kind == FLAT_INPUT && allowed & READS_INPUTS)) continue;
        if (kind == FLAT_DISCRETE && allowed & READS_DISCRETE) continue;
        name = flat->vars.items[variables[i]].name;
        break;
    }
    arena_release(&ex->scratch, mark);
    return name;
}

// ---------------------------------------------------------------------------------------------- all entities

typedef void Settle(Expander *ex, Scope *scope, Entity *entity);

static void each_entity(Expander *ex, Scope *scope, Settle *settle)
{
    for (size_t i = 0; i < scope->shape->symbols.n && !expand_gives_up(ex); i++) {
        Entity *entity = &scope->entities[i];
        if (entity->is_broken || !entity->is_declared) continue;
        if (entity->symbol->kind != SYMBOL_COMPONENT) {
            settle(ex, scope, entity);
            continue;
        }
        for (uint32_t k = 0; k < entity->n_elements; k++)
            if (entity->components[k]) each_entity(ex, entity->components[k], settle);
    }
}

static Expr read_value(Expander *ex, const Value *value, bool makes_modes)
{
    const Reading r = { .ex = ex, .scope = value->scope, .makes_modes = makes_modes };
    return lower_value(&r, value);
}

// The same of one variable, which may be drawn: from the stream that has its name. *last is the expression
// read before, whose value `known` is, for elements that share one.
static Expr read_drawn(Expander *ex, const Value *value, uint32_t variable, const AstExpr **last, Expr known)
{
    if (value->expr == *last) return known;
    Draws draws = { .stream = ex->flat->vars.items[variable].name };
    const Reading r = { .ex = ex, .scope = value->scope, .draws = &draws };
    const Expr read = lower_value(&r, value);
    const bool is_given = draws.n && value->given_to && value->given_to->shape->model->atomic;
    if (is_given && map_put(&ex->told, (uint64_t)(uintptr_t)value->expr, 0)) {
        diag_report(ex->diag, DIAG_DRAWN_ONCE, value->expr->place, draws.stream);
        diag_hint(ex->diag, "declare it in the atomic with the word 'draw': it is then drawn for each use");
    }
    *last = draws.n ? NULL : value->expr;    // each draws for itself
    return read;
}

// Constants in the order of declaration: each finds those before it known, so long chains are no deep
// recursion.
static void settle_const(Expander *ex, Scope *scope, Entity *entity)
{
    if (entity->symbol->kind != SYMBOL_CONST) return;
    AstPart part = { .name = entity->symbol->name };
    const AstRef ref = { .parts = &part, .n_parts = 1 };
    const Reading r = { .ex = ex, .scope = scope };
    const size_t errors_before = ex->n_errors;
    if (entity->n_sizes) {
        EXPAND_FAIL(ex, DIAG_NOT_YET, entity->symbol->place, "an array of constants");
        diag_hint(ex->diag, "use param");
        return;
    }
    const Expr value = lower_ref(&r, &ref, entity->symbol->place);
    if (ex->n_errors > errors_before || expr_is_const(&ex->flat->pool, value, NULL)) return;
    EXPAND_FAIL(ex, DIAG_CONST_NEEDED, entity->symbol->place, entity->symbol->name);
    diag_hint(ex->diag, "a const is made of numbers and other constants; use param for the rest");
}

void settle_consts(Expander *ex, Scope *root) { each_entity(ex, root, settle_const); }

// ---------------------------------------------------------------------------------------------- inputs

// An input that follows samples needs no default, which holds until the first one comes; one with slopes
// becomes a variable with an equation.
static void settle_driven(Expander *ex, uint32_t variable, FlatDriven *driven, const Value *value,
                          Place place)
{
    static const char *const names[] = { "c0", "c1", "c2", "c3" };
    Flat *flat = ex->flat;
    Expr start = value->expr ? read_value(ex, value, false) : EXPR_NONE;
    if (start == EXPR_NONE || !settle_is_fixed(ex, start)) start = expr_const(&flat->pool, 0);
    driven->variable = driven->c[0] = variable;
    flat->vars.items[variable].start = start;
    if (driven->degree == 0) return;
    driven->origin = declare_hidden_input(ex, variable, "origin");
    for (int i = 0; i <= driven->degree; i++) driven->c[i] = declare_hidden_input(ex, variable, names[i]);
    flat->vars.items[variable].kind = FLAT_VARIABLE;
    flat->vars.items[variable].start = EXPR_NONE;
    flat->vars.items[driven->c[0]].start = start;
    const Expr s = expr_binary(&flat->pool, EXPR_SUB, expr_time(&flat->pool), lower_read(ex, driven->origin));
    Expr polynomial = lower_read(ex, driven->c[driven->degree]);
    for (int i = driven->degree - 1; i >= 0; i--)
        polynomial = expr_binary(&flat->pool, EXPR_ADD, lower_read(ex, driven->c[i]),
                            expr_binary(&flat->pool, EXPR_MUL, s, polynomial));
    define_equation(ex, lower_read(ex, variable), polynomial, place);
}

static FlatDriven *driven_by_name(Expander *ex, const char *name)
{
    const uint32_t *found = ex->flat->n_driven ? text_map_find(&ex->driven_of, text_from(name)) : NULL;
    return found ? &ex->flat->driven[*found] : NULL;
}

static void settle_input(Expander *ex, Scope *scope, Entity *entity)
{
    Flat *flat = ex->flat;
    if (entity->symbol->kind != SYMBOL_VARIABLE || entity->symbol->declared != AST_INPUT) return;
    const AstExpr *last = NULL;
    Expr start = EXPR_NONE;
    bool ok = true;
    for (uint32_t i = 0; i < entity->n_elements; i++) {
        const uint32_t variable = entity->first + i;
        if (flat->vars.items[variable].kind != FLAT_INPUT) continue;    // driven by an arrow
        flat->vars.items[variable].is_input = true;
        FlatDriven *driven = driven_by_name(ex, flat->vars.items[variable].name);
        if (driven) {
            settle_driven(ex, variable, driven, entity_value(entity, i), entity->symbol->place);
            continue;
        }
        Value *value = entity_value(entity, i);
        if (!value->expr) {
            EXPAND_FAIL(ex, DIAG_INPUT_OPEN, entity->symbol->place, flat->vars.items[variable].name);
            if (map_find(&ex->held_ports, variable))
                diag_hint(ex->diag, "it holds messages: give it the value before the first one: input %s = 0",
                          entity->symbol->name);
            else diag_hint(ex->diag, scope->parent ? "draw an arrow to it, or give it a default: input %s = 0"
                                              : "give it a default: input %s = 0", entity->symbol->name);
            continue;
        }
        if (value->expr != last) {    // elements mostly share one
            const size_t errors_before = ex->n_errors;
            start = read_drawn(ex, value, variable, &last, start);
            ok = ex->n_errors == errors_before;
        }
        if (!ok) continue;
        flat->vars.items[variable].start = start;
        vec_push(&ex->work, &ex->held, (Held){ variable, value });
    }
}

typedef struct Edge { uint32_t to, next_plus_1; } Edge;    // input `to` reads another one

// Inputs whose default reads time, a variable, or an input that does: [*n] numbers in ex->held.
static uint32_t *find_moving(Expander *ex, size_t *n)
{
    Flat *flat = ex->flat;
    Map first;    // input → its first edge + 1
    VEC(Edge) edges = { 0 };
    map_init(&first, &ex->work);
    uint32_t *moving = ARENA_ARRAY(&ex->work, uint32_t, ex->held.n + 1);
    *n = 0;
    for (uint32_t i = 0; i < ex->held.n; i++) {
        FlatVar *v = &flat->vars.items[ex->held.items[i].variable];
        const Reads reads = settle_reads(ex, v->start);
        const Value *value = ex->held.items[i].value;
        if (reads & READS_VARIABLES && value->given_to && !value->given_to->parent) {
            EXPAND_FAIL(ex, DIAG_INPUT_READS, value->expr->place, v->name,
                        settle_offender(ex, v->start, READS_INPUTS));
            diag_hint(ex->diag,
                      "it may depend on t, parameters and inputs; what the "
                      "model feeds back belongs into a model");
        }
        if (reads > READS_INPUTS) {
            moving[(*n)++] = i;
        } else if (reads == READS_INPUTS) {
            const ArenaMark mark = arena_mark(&ex->scratch);
            size_t n_read;
            const uint32_t *read = expr_variables(&flat->pool, v->start, &ex->scratch, &n_read);
            for (size_t k = 0; k < n_read; k++) {
                if (flat->vars.items[read[k]].kind != FLAT_INPUT) continue;
                uint32_t *edge = map_at(&first, read[k]);
                vec_push(&ex->work, &edges, (Edge){ i, *edge });
                *edge = (uint32_t)edges.n;
            }
            arena_release(&ex->scratch, mark);
        }
    }
    for (size_t i = 0; i < *n; i++) flat->vars.items[ex->held.items[moving[i]].variable].kind = FLAT_VARIABLE;
    for (size_t i = 0; i < *n; i++) {
        const uint32_t *edge = map_find(&first, ex->held.items[moving[i]].variable);
        for (uint32_t e = edge ? *edge : 0; e; e = edges.items[e - 1].next_plus_1) {
            FlatVar *reader = &flat->vars.items[ex->held.items[edges.items[e - 1].to].variable];
            if (reader->kind == FLAT_VARIABLE) continue;
            reader->kind = FLAT_VARIABLE;
            moving[(*n)++] = edges.items[e - 1].to;
        }
    }
    return moving;
}

static bool is_event_port(const Flat *flat, const char *name)
{
    for (size_t i = 0; i < flat->ports.n; i++)
        if (flat->ports.items[i].kind == FLAT_PORT_IN && strcmp(flat->ports.items[i].name, name) == 0)
            return true;
    return false;
}

// What is to be driven but is no input that anything could drive.
static void report_not_driven(Expander *ex)
{
    Flat *flat = ex->flat;
    for (uint32_t i = 0; i < flat->n_driven; i++) {
        const FlatDriven *driven = &flat->driven[i];
        if (driven->variable != FLAT_NONE) continue;
        EXPAND_FAIL(ex, DIAG_INPUT_UNKNOWN, driven->place, flat->model, driven->name);
        const uint32_t known = flat_find(flat, driven->name);
        if (is_event_port(flat, driven->name)) {
            diag_hint(ex->diag,
                      "it is an event input: messages are the rows of a file, "
                      "input %s from \"FILE.csv\" as messages",
                      driven->name);
            continue;
        }
        if (known != FLAT_NONE) {
            const bool has_arrow = map_find(&ex->driven, known) != NULL;
            diag_hint(ex->diag, "%s", has_arrow ? "an arrow leads to it already"
                                                : "there is such a name, but it is not declared by 'input'");
            continue;
        }
        const char **names = ARENA_ARRAY(&ex->work, const char *, flat->vars.n + flat->n_driven);
        size_t n = 0;
        for (size_t k = 0; k < flat->vars.n; k++)
            if (flat->vars.items[k].kind == FLAT_INPUT && !flat->vars.items[k].is_hidden)
                names[n++] = flat->vars.items[k].name;
        for (uint32_t k = 0; k < flat->n_driven; k++)
            if (flat->driven[k].variable != FLAT_NONE && flat->driven[k].degree > 0)
                names[n++] = flat->driven[k].name;
        const char *closest = text_closest(driven->name, names, n);
        if (closest) diag_suggest(ex->diag, driven->name, closest);
        else if (n > 0) diag_hint(ex->diag, "there is '%s'%s", names[0], n > 1 ? " and others" : "");
        else diag_hint(ex->diag, "the model has no inputs; declare one: input %s = 0", driven->name);
    }
}

static void settle_inputs(Expander *ex, Scope *root)
{
    Flat *flat = ex->flat;
    text_map_init(&ex->driven_of, &ex->work);
    for (uint32_t i = 0; i < flat->n_driven; i++) {
        flat->driven[i].variable = FLAT_NONE;
        text_map_put(&ex->driven_of, text_from(flat->driven[i].name), i);
    }
    each_entity(ex, root, settle_input);
    if (flat->n_driven) ex->reads.n = 0;    // some inputs have become variables
    report_not_driven(ex);
    size_t n;
    const uint32_t *moving = find_moving(ex, &n);
    ex->reads.n = 0;    // inputs have become variables
    for (size_t i = 0; i < n; i++) {
        const Held *held = &ex->held.items[moving[i]];
        flat->vars.items[held->variable].start = EXPR_NONE;
        const Expr value = read_value(ex, held->value, true);
        define_equation(ex, lower_read(ex, held->variable), value, held->value->expr->place);
    }
}

// ---------------------------------------------------------------------------------------------- parameters

// Of all elements; what is wrong is told when they are expanded.
static void settle_array_param(Expander *ex, Entity *entity)
{
    FlatArray *a = &ex->flat->arrays.items[entity->array];
    a->is_structural = entity->is_structural;
    if (!entity->value.expr) {
        array_spoil(ex, entity->array);
        return;
    }
    Draws draws = { .stream = "" };
    const Reading r = { .ex = ex, .scope = entity->value.scope, .draws = &draws };
    const Expr start = lower_value(&r, &entity->value);
    if (settle_is_fixed(ex, start) && draws.n == 0) ex->flat->arrays.items[entity->array].start = start;
    else array_spoil(ex, entity->array);    // each element draws for itself
}

static void settle_param(Expander *ex, Scope *scope, Entity *entity)
{
    (void)scope;
    Flat *flat = ex->flat;
    if (entity->symbol->kind != SYMBOL_VARIABLE || entity->symbol->declared != AST_PARAM) return;
    if (entity->array != FLAT_NONE) {
        settle_array_param(ex, entity);
        return;
    }
    const AstExpr *last = NULL;
    Expr start = EXPR_NONE;
    for (uint32_t i = 0; i < entity->n_elements; i++) {
        const Value *value = entity_value(entity, i);
        FlatVar *v = &flat->vars.items[entity->first + i];
        v->is_structural = entity->is_structural;
        if (!value->expr) continue;
        if (value->expr != last) {
            start = read_drawn(ex, value, entity->first + i, &last, start);
            v = &flat->vars.items[entity->first + i];
            if (!settle_is_fixed(ex, start)) {
                EXPAND_FAIL(ex, DIAG_PARAM_NOT_CONSTANT, value->expr->place, entity->symbol->name,
                            settle_offender(ex, start, READS_PARAMS));
                diag_hint(ex->diag,
                          "what changes during a run is a var or an output: '%s = …' as an equation",
                          entity->symbol->name);
                start = expr_const(&flat->pool, 0);
            }
        }
        v->start = start;
    }
}

// ---------------------------------------------------------------------------------------------- discrete
// variables

// What a discrete variable begins with. Where that reads variables the start finds it.
static void settle_discrete(Expander *ex, Scope *scope, Entity *entity)
{
    (void)scope;
    Flat *flat = ex->flat;
    const AstDeclKind declared = entity->symbol->declared;
    if (entity->symbol->kind != SYMBOL_VARIABLE || !entity->symbol->decl || entity->array != FLAT_NONE ||
        (declared != AST_DISCRETE && declared != AST_VAR))
        return;
    const AstExpr *last = NULL;
    Expr start = EXPR_NONE;
    for (uint32_t i = 0; i < entity->n_elements; i++) {
        const Value *value = entity_value(entity, i);
        const uint32_t variable = entity->first + i;
        if (!value->expr || flat->vars.items[variable].kind != FLAT_DISCRETE) continue;
        start = read_drawn(ex, value, variable, &last, start);
        if (settle_reads(ex, start) & (READS_TIME | READS_VARIABLES))
            vec_push(flat->arena, &flat->initial,
                     (FlatEquation){ lower_read(ex, variable), start, entity->symbol->place });
        else flat->vars.items[variable].start = start;
    }
}

// ---------------------------------------------------------------------------------------------- starts

// The value written with a variable or with one of its derivatives: initial value of a state, first guess
// otherwise.
static void settle_start(Expander *ex, uint32_t variable, Expr start, bool is_guess, Place place)
{
    Flat *flat = ex->flat;
    FlatVar *v = &flat->vars.items[variable];
    if (v->start != EXPR_NONE && v->start != start) {
        EXPAND_FAIL(ex, DIAG_INITIAL_TOO_MANY, place, v->name);
        return;
    }
    if (!(settle_reads(ex, start) & (READS_TIME | READS_VARIABLES))) {
        v->start = start;
        v->start_is_guess = is_guess;
        return;
    }
    v->start = EXPR_NONE;
    if (v->derivative != FLAT_NONE && !is_guess) {    // a state that starts where an equation says
        vec_push(flat->arena, &flat->initial, (FlatEquation){ lower_read(ex, variable), start, place });
        return;
    }
    EXPAND_FAIL(ex, DIAG_GUESS_READS, place, v->name,
                settle_offender(ex, start, READS_INPUTS | READS_DISCRETE));
    diag_hint(ex->diag, "to define '%s' write an equation on a line of its own, or 'output %s = …'", v->name,
              v->name);
}

// The same for all elements of an array; what is wrong is told when they are expanded.
static void settle_array_start(Expander *ex, uint32_t array, Expr start, bool is_guess, Place place)
{
    FlatArray *a = &ex->flat->arrays.items[array];
    if (a->start != EXPR_NONE && a->start != start) {
        array_spoil(ex, array);
    } else if (settle_reads(ex, start) <= READS_INPUTS) {
        a->start = start;
        a->start_is_guess = is_guess;
    } else if (a->derivative != FLAT_NONE && !is_guess) {
        array_equation_for_all(ex, true, array, start, place);
    } else {
        array_spoil(ex, array);
    }
}

static void settle_variable(Expander *ex, Scope *scope, Entity *entity)
{
    (void)scope;
    const Symbol *symbol = entity->symbol;
    if (!symbol_is_unknown(symbol) || !symbol->decl) return;
    if (entity->array != FLAT_NONE) {
        if (!entity->value.expr) return;
        Draws draws = { .stream = "" };
        const Reading r = { .ex = ex, .scope = entity->value.scope, .draws = &draws };
        const Expr value = lower_value(&r, &entity->value);
        if (draws.n > 0) array_spoil(ex, entity->array);    // each element draws for itself
        settle_array_start(ex, entity->array, value, symbol->decl->is_guess, symbol->place);
        return;
    }
    const AstExpr *last = NULL;
    Expr start = EXPR_NONE;
    for (uint32_t i = 0; i < entity->n_elements; i++) {
        const Value *value = entity_value(entity, i);
        if (!value->expr || ex->flat->vars.items[entity->first + i].kind == FLAT_DISCRETE) continue;
        start = read_drawn(ex, value, entity->first + i, &last, start);
        settle_start(ex, entity->first + i, start, symbol->decl->is_guess, symbol->place);
    }
}

// Starts that parents give to derivatives: M(x' = 3). Of several the outermost comes first and stays.
static void settle_given_rates(Expander *ex, Scope *scope, Entity *entity)
{
    if (entity->symbol->kind != SYMBOL_VARIABLE) return;
    if (entity->array != FLAT_NONE) {
        if (entity->overrides) array_spoil(ex, entity->array);
        return;
    }
    for (const Override *o = entity->overrides; o; o = o->next) {
        const AstRef *target = &o->setting->target;
        const AstPart *part = &target->parts[target->n_parts - 1];
        size_t from = 0, to = entity->n_elements;
        if (part->n_indices) {
            const Reading r = { .ex = ex, .scope = o->scope };
            if (!lower_select(&r, entity, part, o->setting->place, &from)) continue;
            to = from + 1;
        }
        const Value value = { o->setting->value, o->scope, scope, EXPR_NONE, VALUE_NEW };
        const Expr start = read_value(ex, &value, false);
        for (size_t i = from; i < to; i++) {
            uint32_t v = entity->first + (uint32_t)i;
            for (uint32_t k = target->primes; k > 0 && v != FLAT_NONE; k--)
                v = ex->flat->vars.items[v].derivative;
            if (v == FLAT_NONE) {
                EXPAND_FAIL(ex, DIAG_PARAM_UNKNOWN, o->setting->place, scope->shape->model->name,
                            arena_printf(&ex->work, "%s'", entity->symbol->name));
                diag_hint(ex->diag, "no equation of '%s' contains that derivative",
                          scope->shape->model->name);
                break;
            }
            if (map_put(&ex->given_rates, v, 0)) settle_start(ex, v, start, false, o->setting->place);
        }
    }
}

// A size written once more, `var u[3]' = 0`, must be the same.
static bool sizes_agree(const Reading *r, const Entity *entity, const AstDecl *decl)
{
    if (decl->n_sizes == 0) return true;
    if (decl->n_sizes != entity->n_sizes) {
        EXPAND_FAIL(r->ex, DIAG_INDEX_COUNT, decl->place, decl->name, entity->n_sizes, decl->n_sizes);
        return false;
    }
    for (uint32_t i = 0; i < decl->n_sizes; i++) {
        double size;
        if (!lower_number(r, decl->sizes[i], &size)) return false;
        if (size == (double)entity->sizes[i]) continue;
        EXPAND_FAIL(r->ex, DIAG_TYPE_MISMATCH, decl->sizes[i]->place,
                    arena_printf(&r->ex->work, "the size of '%s', %u,", decl->name, entity->sizes[i]),
                    arena_printf(&r->ex->work, "%.15g", size));
        return false;
    }
    return true;
}

// var x' = 0
static void settle_own_rate(Expander *ex, Scope *scope, const AstDecl *decl)
{
    Flat *flat = ex->flat;
    const Reading r = { .ex = ex, .scope = scope };
    Entity *entity = scope_find(scope, decl->name);
    if (entity && entity->is_broken) return;
    if (entity && entity->array != FLAT_NONE) {
        if (flat->arrays.items[entity->array].kind != FLAT_VARIABLE || !sizes_agree(&r, entity, decl)) {
            array_spoil(ex, entity->array);
            return;
        }
        const Value given = { decl->value, scope, NULL, EXPR_NONE, VALUE_NEW };
        const uint32_t rate = array_derivative(ex, entity->array, decl->primes);
        if (decl->unit) flat->arrays.items[rate].unit = decl->unit;
        if (decl->nominal) flat->arrays.items[rate].nominal = decl->nominal->number.value;
        flat->arrays.items[rate].is_positive = decl->is_positive;
        if (decl->value)
            settle_array_start(ex, rate, read_value(ex, &given, false), decl->is_guess, decl->place);
        return;
    }
    const bool is_variable = entity && entity->symbol->kind == SYMBOL_VARIABLE
                             && flat->vars.items[entity->first].kind == FLAT_VARIABLE;
    if (!is_variable) {    // let it be said why
        AstPart part = { .name = decl->name };
        const AstRef ref = { .parts = &part, .n_parts = 1, .primes = decl->primes };
        lower_variable(&r, &ref, decl->place, &entity);
        return;
    }
    if (!sizes_agree(&r, entity, decl)) return;
    const Value value = { decl->value, scope, NULL, EXPR_NONE, VALUE_NEW };
    const Expr start = decl->value ? read_value(ex, &value, false) : EXPR_NONE;
    for (uint32_t i = 0; i < entity->n_elements; i++) {
        const uint32_t v = declare_derivative(ex, entity->first + i, decl->primes, decl->place);
        if (v == FLAT_NONE) return;
        if (decl->unit) flat->vars.items[v].unit = decl->unit;    // in its own words
        if (decl->nominal) flat->vars.items[v].nominal = decl->nominal->number.value;
        flat->vars.items[v].is_positive = decl->is_positive;
        if (decl->value && !map_find(&ex->given_rates, v))
            settle_start(ex, v, start, decl->is_guess, decl->place);
    }
}

static void settle_own_rates(Expander *ex, Scope *scope)
{
    for (uint32_t i = 0; scope->shape->has_rates && i < scope->shape->model->n_items; i++) {
        const AstItem *item = &scope->shape->model->items[i];
        if (item->kind == AST_DECL && item->decl.primes > 0) settle_own_rate(ex, scope, &item->decl);
    }
    for (size_t i = 0; i < scope->shape->symbols.n; i++) {
        const Entity *entity = &scope->entities[i];
        if (entity->symbol->kind != SYMBOL_COMPONENT || entity->is_broken) continue;
        for (uint32_t k = 0; k < entity->n_elements; k++)
            if (entity->components[k]) settle_own_rates(ex, entity->components[k]);
    }
}

// ---------------------------------------------------------------------------------------------- all together

static void settle_delays(Expander *ex)
{
    for (size_t i = 0; i < ex->flat->delays.n; i++) {
        const FlatDelay *d = &ex->flat->delays.items[i];
        if (!settle_is_fixed(ex, d->lag)) {
            EXPAND_FAIL(ex, DIAG_LAG_MOVES, d->place, "lag", settle_offender(ex, d->lag, READS_PARAMS));
            diag_hint(ex->diag, d->moving_plus_1
                                    ? "the largest lag is made of numbers and parameters"
                                    : "say how long it is at most: delay(x, lag) within 10");
        } else if (d->before != EXPR_NONE && settle_reads(ex, d->before) & READS_VARIABLES) {
            EXPAND_FAIL(ex, DIAG_LAG_MOVES, d->place, "value before the start",
                        settle_offender(ex, d->before, READS_INPUTS | READS_DISCRETE));
            diag_hint(ex->diag, "it is made of numbers, parameters and t");
        }
    }
}

void settle_all(Expander *ex, Scope *root)
{
    Flat *flat = ex->flat;
    map_init(&ex->given_rates, &ex->work);
    settle_inputs(ex, root);
    reaction_define(ex);
    define_terminal(ex, root);
    each_entity(ex, root, settle_param);
    each_entity(ex, root, settle_discrete);
    // INTEG gave its start values directly; those that read variables become initial equations
    for (uint32_t i = 0; i < flat->vars.n; i++) {
        const FlatVar *v = &flat->vars.items[i];
        if (v->kind == FLAT_VARIABLE && v->start != EXPR_NONE)
            settle_start(ex, i, v->start, v->start_is_guess, v->place);
    }
    each_entity(ex, root, settle_variable);
    each_entity(ex, root, settle_given_rates);
    settle_own_rates(ex, root);
    array_settle(ex);
    settle_delays(ex);
    for (size_t i = 0; i < flat->terminal.n; i++) {
        const FlatTerminal *step = &flat->terminal.items[i];
        if (step->target == FLAT_NONE || !flat->vars.items[step->target].is_structural) continue;
        EXPAND_FAIL(ex, DIAG_STRUCTURAL_SET, step->place, flat->vars.items[step->target].name);
    }
}

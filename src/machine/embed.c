// src/machine/embed.c: machines as components of models: discrete variables and one event for each input.
//
//     when toy > "seen toy" + 0.5 then
//       (Mealy: output := …, counted by name)
//       state := if state < 2.5 then … else …
//       (Moore: output := …, cries := if output == 1 then 1 else 0)
//       "seen toy" := toy
//     end
//     when toy < "seen toy" - 0.5 then "seen toy" := toy end
//
// A move by chance draws "luck" first, from the stream of the component, and compares it with sums of
// probabilities.
// So a signal that goes from 0 to 1, as an output of another machine does, is one input each time, and so
// is a discrete variable that counts. Where a state leads is a tree of comparisons: its depth is the
// logarithm of the number of states.
#include "machine/embed.h"
#include "base/map.h"
#include "machine/build.h"
#include <stdlib.h>

typedef struct Embed {
    Arena *arena;         // borrowed; the Ast's
    const Machine *m;     // borrowed
    Place place;          // of the machine: all that is made here stands there
    const char **in;      // [n_inputs] names of the signals
    const char **seen;    // [n_inputs]
    const char **out;     // [n_outputs]
    VEC(AstItem) items;
} Embed;

// ---- Expressions

static AstExpr *make(Embed *e, AstExprKind kind)
{
    AstExpr *x = ARENA_NEW(e->arena, AstExpr);
    x->kind = kind;
    x->place = e->place;
    return x;
}

static AstExpr *number(Embed *e, double value)
{
    AstExpr *x = make(e, AST_NUMBER);
    x->number.value = value;
    return x;
}

static AstRef reference(Embed *e, const char *name)
{
    AstPart *part = ARENA_NEW(e->arena, AstPart);
    part->name = name;
    return (AstRef){ .parts = part, .n_parts = 1 };
}

static AstExpr *read(Embed *e, const char *name)
{
    AstExpr *x = make(e, AST_REF);
    x->ref = reference(e, name);
    return x;
}

static AstExpr *binary(Embed *e, AstOp op, AstExpr *a, AstExpr *b)
{
    AstExpr *x = make(e, AST_BINARY);
    x->op = op;
    x->operands.a = a;
    x->operands.b = b;
    return x;
}

static AstExpr *choose(Embed *e, AstExpr *condition, AstExpr *yes, AstExpr *no)
{
    AstExpr *x = make(e, AST_IF);
    x->operands.a = condition;
    x->operands.b = yes;
    x->operands.c = no;
    return x;
}

// values[first * stride …] for states first … last - 1, one more than each; equal halves are one leaf. The
// depth is the logarithm of their number.
static AstExpr *look_up(Embed *e, const uint32_t *values, size_t stride, uint32_t first, uint32_t last)
{
    bool same = true;
    for (uint32_t i = first + 1; i < last && same; i++) same = values[i * stride] == values[first * stride];
    if (same) return number(e, values[first * stride] + 1.0);
    const uint32_t middle = first + (last - first) / 2;
    AstExpr *below = binary(e, AST_LT, read(e, "state"), number(e, middle + 0.5));    // states from 1
    return choose(e, below, look_up(e, values, stride, first, middle),
                  look_up(e, values, stride, middle, last));
}

// Where a cell leads: a state from 1 or, by chance, one of several: the first whose probabilities up to it
// exceed "luck".
static AstExpr *next_of(Embed *e, size_t cell)
{
    const Machine *m = e->m;
    if (m->next[cell] != MACHINE_NONE) return number(e, m->next[cell] + 1.0);
    const uint32_t first = m->branch_first[cell];
    uint32_t k = m->branch_first[cell + 1] - 1;
    AstExpr *chosen = number(e, m->branch_next[k] + 1.0);
    while (k-- > first) {
        double upto = 0;
        for (uint32_t i = first; i <= k; i++) upto += m->branch_probability[i];
        chosen = choose(e, binary(e, AST_LT, read(e, "luck"), number(e, upto)),
                        number(e, m->branch_next[k] + 1.0), chosen);
    }
    return chosen;
}

// The same for states first … last - 1, by halves, as look_up does.
static AstExpr *look_up_next(Embed *e, uint32_t input, uint32_t first, uint32_t last)
{
    const Machine *m = e->m;
    const uint32_t *next = m->next + input;
    bool same = next[first * (size_t)m->n_inputs] != MACHINE_NONE || last - first == 1;
    for (uint32_t i = first + 1; i < last && same; i++)
        same = next[i * (size_t)m->n_inputs] == next[first * (size_t)m->n_inputs];
    if (same) return next_of(e, machine_cell(m, first, input));
    const uint32_t middle = first + (last - first) / 2;
    AstExpr *below = binary(e, AST_LT, read(e, "state"), number(e, middle + 0.5));
    return choose(e, below, look_up_next(e, input, first, middle), look_up_next(e, input, middle, last));
}

static bool is_by_chance(const Machine *m, uint32_t input)
{
    bool found = false;
    for (uint32_t i = 0; i < m->n_states && !found; i++)
        found = m->next[machine_cell(m, i, input)] == MACHINE_NONE;
    return found;
}

static AstExpr *draw_unit(Embed *e)
{
    AstExpr *x = make(e, AST_CALL);
    x->call.function = "uniform";
    x->call.args = ARENA_ARRAY(e->arena, AstExpr *, 2);
    x->call.args[0] = number(e, 0);
    x->call.args[1] = number(e, 1);
    x->call.n_args = 2;
    return x;
}

// ---- Items

static void declare(Embed *e, AstDeclKind kind, const char *name, AstExpr *value)
{
    AstItem item = { .kind = AST_DECL, .place = e->place };
    item.decl = (AstDecl){ .kind = kind, .name = name, .value = value, .place = e->place };
    vec_push(e->arena, &e->items, item);
}

typedef struct Body {
    AstItem *items;
    uint32_t n;
} Body;

static void assign(Embed *e, Body *body, const char *name, AstExpr *value)
{
    body->items[body->n] = (AstItem){ .kind = AST_ASSIGN, .place = e->place };
    body->items[body->n].assign.target = reference(e, name);
    body->items[body->n++].assign.value = value;
}

static void when(Embed *e, AstExpr *condition, Body body)
{
    AstItem item = { .kind = AST_EVENT, .place = e->place };
    item.event = ARENA_NEW(e->arena, AstEvent);
    *item.event = (AstEvent){
        .kind = AST_WHEN, .condition = condition, .body = body.items, .n_body = body.n, .place = e->place
    };
    vec_push(e->arena, &e->items, item);
}

static void add_input(Embed *e, uint32_t i)
{
    const Machine *m = e->m;
    const char *in = e->in[i], *seen = e->seen[i];
    Body taken = { ARENA_ARRAY(e->arena, AstItem, m->n_outputs + 4), 0 };
    const bool is_mealy = m->kind == MACHINE_MEALY;
    if (is_mealy) assign(e, &taken, "output", look_up(e, m->out + i, m->n_inputs, 0, m->n_states));
    if (is_by_chance(m, i)) assign(e, &taken, "luck", draw_unit(e));    // one draw for each move
    assign(e, &taken, "state", look_up_next(e, i, 0, m->n_states));
    if (!is_mealy) assign(e, &taken, "output", look_up(e, m->out, 1, 0, m->n_states));
    for (uint32_t k = 0; k < m->n_outputs; k++) {
        AstExpr *is_shown = binary(e, AST_EQ, read(e, "output"), number(e, k + 1.0));
        AstExpr *one = is_mealy ? binary(e, AST_ADD, read(e, e->out[k]), number(e, 1)) : number(e, 1);
        assign(e, &taken, e->out[k], choose(e, is_shown, one, is_mealy ? read(e, e->out[k]) : number(e, 0)));
    }
    assign(e, &taken, seen, read(e, in));
    when(e, binary(e, AST_GT, read(e, in), binary(e, AST_ADD, read(e, seen), number(e, 0.5))), taken);
    Body armed = { ARENA_ARRAY(e->arena, AstItem, 1), 0 };
    assign(e, &armed, seen, read(e, in));
    when(e, binary(e, AST_LT, read(e, in), binary(e, AST_SUB, read(e, seen), number(e, 0.5))), armed);
}

// Inputs are called as in the machine, outputs too unless something else is: then "output NAME".
static void choose_names(Embed *e)
{
    const Machine *m = e->m;
    Names taken;
    names_init(&taken, e->arena);
    names_intern(&taken, TEXT("state"));
    names_intern(&taken, TEXT("output"));
    if (m->branch_first) names_intern(&taken, TEXT("luck"));
    e->in = ARENA_ARRAY(e->arena, const char *, m->n_inputs);
    e->seen = ARENA_ARRAY(e->arena, const char *, m->n_inputs);
    e->out = ARENA_ARRAY(e->arena, const char *, m->n_outputs);
    for (uint32_t i = 0; i < m->n_inputs; i++) {
        const bool is_free = names_find(&taken, text_from(m->inputs[i])) == NAMES_NONE;
        e->in[i] = is_free ? m->inputs[i] : arena_printf(e->arena, "input %s", m->inputs[i]);
        e->seen[i] = arena_printf(e->arena, "seen %s", m->inputs[i]);
        names_intern(&taken, text_from(e->in[i]));
        names_intern(&taken, text_from(e->seen[i]));
    }
    for (uint32_t i = 0; i < m->n_outputs; i++) {
        const bool is_free = names_find(&taken, text_from(m->outputs[i])) == NAMES_NONE;
        e->out[i] = is_free ? m->outputs[i] : arena_printf(e->arena, "output %s", m->outputs[i]);
        names_intern(&taken, text_from(e->out[i]));
    }
}

static AstModel embed(Arena *arena, const AstMachine *ast, const Machine *m)
{
    Embed e = { .arena = arena, .m = m, .place = ast->place };
    choose_names(&e);
    const bool is_moore = m->kind == MACHINE_MOORE;
    declare(&e, AST_DISCRETE, "state", number(&e, m->start + 1.0));
    declare(&e, AST_DISCRETE, "output", number(&e, is_moore ? m->out[m->start] + 1.0 : 0));
    if (m->branch_first) declare(&e, AST_DISCRETE, "luck", number(&e, 0));
    for (uint32_t i = 0; i < m->n_outputs; i++)
        declare(&e, AST_DISCRETE, e.out[i], number(&e, is_moore && m->out[m->start] == i));
    for (uint32_t i = 0; i < m->n_inputs; i++) {
        declare(&e, AST_INPUT, e.in[i], number(&e, 0));
        declare(&e, AST_DISCRETE, e.seen[i], read(&e, e.in[i]));    // what is high at the start has not risen
    }
    for (uint32_t i = 0; i < m->n_inputs; i++) add_input(&e, i);
    return (AstModel){ .name = ast->name,
                       .doc = ast->doc,
                       .place = ast->place,
                       .items = e.items.items,
                       .n_items = (uint32_t)e.items.n,
                       .is_machine = true };
}

// ---- Which machines are components

static const AstItem *find_component(const Ast *ast, const char *name)
{
    for (size_t i = 0; i < ast->models.n; i++)
        for (uint32_t k = 0; k < ast->models.items[i].n_items; k++) {
            const AstItem *item = &ast->models.items[i].items[k];
            if (item->kind == AST_COMPONENT && strcmp(item->component.model, name) == 0) return item;
        }
    return NULL;
}

static const AstModel *find_model(const Ast *ast, const char *name)
{
    for (size_t i = 0; i < ast->models.n; i++)
        if (strcmp(ast->models.items[i].name, name) == 0) return &ast->models.items[i];
    return NULL;
}

bool machine_embed(Ast *ast, orr_diag *diag)
{
    bool ok = true;
    const size_t n_models = ast->models.n;
    for (size_t i = 0; n_models > 0 && i < ast->machines.n; i++) {
        const AstMachine *machine = &ast->machines.items[i];
        const AstItem *user = find_component(ast, machine->name);
        const AstModel *other = user ? find_model(ast, machine->name) : NULL;
        if (other) {
            diag_report(diag, DIAG_MODEL_TWICE, machine->place, machine->name);
            diag_note(diag, other->place, "the other one is here");
            ok = false;
        }
        if (!user || other) continue;
        const Machine *m = machine_build(ast->arena, machine, diag);
        ok &= m != NULL;
        if (!m) continue;
        if (m->start == MACHINE_NONE) {
            diag_report(diag, DIAG_MACHINE_NO_START, user->component.model_place, machine->name);
            diag_hint(diag, "add a line to the machine: start STATE");
            diag_note(diag, machine->place, "the machine is here");
            ok = false;
        } else {
            vec_push(ast->arena, &ast->models, embed(ast->arena, machine, m));
        }
    }
    return ok;
}

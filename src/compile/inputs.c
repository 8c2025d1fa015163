// src/compile/inputs.c: what the inputs of a model follow: expressions and samples given from outside.
#include "compile/compile.h"
#include "lang/parse.h"
#include <string.h>

static int degree_of(orr_between between)
{
    return between == ORR_BETWEEN_HOLD ? 0 : between == ORR_BETWEEN_LINEAR ? 1 : 3;
}

static bool is_input_of(const AstModel *model, const char *name)
{
    for (uint32_t i = 0; i < model->n_items; i++)
        if (model->items[i].kind == AST_DECL && model->items[i].decl.kind == AST_INPUT &&
            strcmp(model->items[i].decl.name, name) == 0)
            return true;
    return false;
}

// An expression can be given to inputs only, not to what an override could reach besides.
static bool check_input(const Compile *c, const AstSetting *setting)
{
    const AstModel *model = c->chosen;
    const char *name = setting->target.parts[0].name;
    if (setting->target.n_parts > 1 || is_input_of(model, name)) return true;
    diag_report(c->diag, DIAG_INPUT_UNKNOWN, setting->place, model->name, name);
    Arena work = { 0 };
    const char **names = ARENA_ARRAY(&work, const char *, model->n_items);
    size_t n = 0;
    for (uint32_t i = 0; i < model->n_items; i++)
        if (model->items[i].kind == AST_DECL && model->items[i].decl.kind == AST_INPUT)
            names[n++] = model->items[i].decl.name;
    const char *closest = text_closest(name, names, n);
    if (closest) diag_suggest(c->diag, name, closest);
    else if (n > 0) diag_hint(c->diag, "there is '%s'%s", names[0], n > 1 ? " and others" : "");
    else diag_hint(c->diag, "the model has no inputs; declare one: input %s = 0", name);
    arena_free(&work);
    return false;
}

static bool has_unit(const AstExpr *e)
{
    switch (e->kind) {
    case AST_NUMBER: return e->number.unit != NULL;
    case AST_CONVERT: return true;
    case AST_CALL:
        for (uint32_t i = 0; i < e->call.n_args; i++)
            if (has_unit(e->call.args[i])) return true;
        return false;
    case AST_UNARY: return has_unit(e->operands.a);
    case AST_BINARY: return has_unit(e->operands.a) || has_unit(e->operands.b);
    case AST_IF: return has_unit(e->operands.a) || has_unit(e->operands.b) || has_unit(e->operands.c);
    default: return false;
    }
}

static AstExpr *times_unit(Arena *arena, const AstExpr *e, AstOp op, const char *unit)
{
    AstExpr *made = ARENA_ARRAY(arena, AstExpr, 3);    // the whole, the value, the number 1
    made[0] = (AstExpr){
        .kind = AST_BINARY, .op = op, .place = e->place, .operands = { &made[1], &made[2], NULL }
    };
    made[1] = *e;
    made[2] = (AstExpr){ .kind = AST_NUMBER, .place = e->place, .number = { 1, unit } };
    return made;
}

// t as a pure number of units of time.
static void count_time(Arena *arena, AstExpr *e, const char *unit)
{
    if (e->kind == AST_REF && e->ref.n_parts == 1 && strcmp(e->ref.parts[0].name, "t") == 0)
        *e = *times_unit(arena, e, AST_DIV, unit);
    else if (e->kind == AST_CALL)
        for (uint32_t i = 0; i < e->call.n_args; i++) count_time(arena, e->call.args[i], unit);
    else if (e->kind == AST_UNARY || e->kind == AST_BINARY || e->kind == AST_IF)
        for (int i = 0; i < 3; i++) {
            AstExpr *const operands[] = { e->operands.a, e->operands.b, e->operands.c };
            if (operands[i] && (i == 0 || e->kind != AST_UNARY) && (i < 2 || e->kind == AST_IF))
                count_time(arena, operands[i], unit);
        }
}

// An expression without any unit is one of pure numbers: of t in the unit of time, of the input in its own.
static AstExpr *with_units(const Compile *c, AstExpr *e, const char *name)
{
    const char *time_unit = "s", *unit = NULL;
    if (!c->source->ast.has_units || has_unit(e)) return e;
    for (uint32_t i = 0; i < c->chosen->n_items; i++) {
        const AstItem *item = &c->chosen->items[i];
        if (item->kind == AST_TIME_UNIT) time_unit = item->time_unit;
        if (item->kind == AST_DECL && item->decl.kind == AST_INPUT && strcmp(item->decl.name, name) == 0)
            unit = item->decl.unit;
    }
    Arena *arena = &c->model->arena;
    count_time(arena, e, time_unit);
    return unit ? times_unit(arena, e, AST_MUL, unit) : e;
}

// `u = 2*sin(t)` as the command line has it.
static bool parse_setting_text(Compile *c, const orr_input *input, AstSetting *setting)
{
    Arena *arena = &c->model->arena;
    const char *text = arena_printf(arena, "%s", input->address);
    const uint32_t file = diag_add_source(c->diag, arena_printf(arena, "input %s", input->name), text,
                                          strlen(text));
    AstExpr *value = parse_expression(arena, file, text_from(text), c->diag);
    const AstExpr *target = value ? parse_expression(arena, 0, text_from(input->name), NULL) : NULL;
    if (!value) return false;
    *setting = (AstSetting){ .value = with_units(c, value, input->name), .place = value->place };
    if (target && target->kind == AST_REF) return setting->target = target->ref, true;
    diag_report(c->diag, DIAG_INPUT_UNKNOWN, (Place){ 0 }, c->chosen->name, input->name);
    return false;
}

// Expressions are given to the model as a parent would, samples come while it runs.
bool inputs_read(Compile *c)
{
    const orr_compile_options *o = c->options;
    Flat *flat = &c->model->flat;
    Arena *arena = &c->model->arena;
    AstSetting *settings = ARENA_ARRAY(arena, AstSetting, o->n_inputs);
    flat->driven = ARENA_ARRAY(arena, FlatDriven, o->n_inputs);
    flat->settings = settings;
    TextMap seen;
    text_map_init(&seen, arena);
    bool ok = true;
    for (size_t i = 0; i < o->n_inputs; i++) {
        const orr_input *input = &o->inputs[i];
        const AstInput *parsed = input->parsed;
        const Place place = parsed ? parsed->place : (Place){ 0 };
        if (!text_map_put(&seen, text_from(input->name), 0)) {
            diag_report(c->diag, DIAG_INPUT_TWICE, place, input->name);
            ok = false;
        } else if (input->between == ORR_BETWEEN_MESSAGES) {
            continue;    // no signal: the run leads them to the port
        } else if (strcmp(input->source, "expression") != 0) {
            flat->driven[flat->n_driven++] =
                (FlatDriven){ .name = arena_copy_text(arena, input->name, strlen(input->name)),
                              .degree = degree_of(input->between), .place = place, .variable = FLAT_NONE };
        } else {
            AstSetting *setting = &settings[flat->n_settings++];
            if (parsed) *setting = (AstSetting){ parsed->target, parsed->value, parsed->place };
            else ok = parse_setting_text(c, input, setting) && ok;
            ok = ok && check_input(c, setting);
        }
    }
    return ok;
}

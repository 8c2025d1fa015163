// src/model/model.c: what a compiled model says about itself.
#include "model/model.h"
#include <stdlib.h>

void orr_model_destroy(orr_model *model)
{
    if (!model) return;
    code_free(&model->code);
    arena_free(&model->arena);
    free(model);
}

const char *orr_model_name(const orr_model *model) { return model->flat.model; }

const char *orr_model_time_unit(const orr_model *model)
{
    return model->flat.time_unit ? model->flat.time_unit : "s";
}

size_t orr_model_n_variables(const orr_model *model) { return model->flat.vars.n; }

static orr_kind kind_of(const orr_model *model, size_t i)
{
    const FlatVar *var = &model->flat.vars.items[i];
    switch (var->kind) {
    case FLAT_PARAM: return ORR_KIND_PARAM;
    case FLAT_INPUT: return ORR_KIND_INPUT;
    case FLAT_RESULT: return ORR_KIND_RESULT;
    case FLAT_DISCRETE: return ORR_KIND_DISCRETE;
    case FLAT_VARIABLE: break;
    }
    // a variable whose derivative is written is a state to the user, even if constraints compute it
    const Reduction *reduction = model->blocks.reduction;
    if (model->ir.layout.state_of[i] != FLAT_NONE || (reduction && reduction->had_derivative[i])) return ORR_KIND_STATE;
    return var->integral != FLAT_NONE ? ORR_KIND_RATE : ORR_KIND_ALGEBRAIC;
}

orr_variable orr_model_variable(const orr_model *model, size_t i)
{
    const FlatVar *var = &model->flat.vars.items[i];
    return (orr_variable){
        .name = var->name,
        .unit = var->unit,
        .doc = var->doc,
        .kind = kind_of(model, i),
        .is_output = var->is_output,
        .is_hidden = var->is_hidden,
    };
}

size_t orr_model_find(const orr_model *model, const char *name)
{
    const uint32_t *found = text_map_find(&model->flat.by_name, text_from(name));
    return found ? *found : (size_t)-1;
}

const char *orr_model_closest(const orr_model *model, const char *name)
{
    Arena scratch = { 0 };
    const char **names = ARENA_ARRAY(&scratch, const char *, model->flat.vars.n);
    size_t n = 0;
    for (size_t i = 0; i < model->flat.vars.n; i++)
        if (!model->flat.vars.items[i].is_hidden) names[n++] = model->flat.vars.items[i].name;
    const char *closest = text_closest(name, names, n);
    arena_free(&scratch);
    return closest;
}

orr_model_facts orr_model_get_facts(const orr_model *model)
{
    orr_model_facts facts = {
        .n_states = model->n_states,
        .n_equations = model->flat.equations.n,
        .n_loops = model->blocks.dynamic.n_loops,    // those solved symbolically too
        .n_relations = model->n_relations,
        .compile_ms = model->compile_ms,
        .code = model->code.tier == CODE_NATIVE        ? "native"
                : code_is_improved(&model->code) ? "instant+native"
                                                 : "instant",
    };
    return facts;
}

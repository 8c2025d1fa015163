// src/model/model.c: what a compiled model says about itself.
#include "base/guard.h"
#include "model/model.h"
#include "code/quantise.h"
#include <stdlib.h>

void orr_model_destroy(orr_model *model)
{
    if (!model) return;
    code_free(&model->code);
    net_destroy(model->network);
    atomic_free(&model->atomics);
    if (model->free_isles) model->free_isles(model->isles);
    arena_free(&model->arena);
    arena_free(&model->units_arena);
    arena_free(&model->later);
    if (model->release) model->release(model->source);
    pthread_mutex_destroy(&model->lock);
    free(model);
}

const char *orr_model_name(const orr_model *model) { return model->flat.model; }

const char *orr_model_time_unit(const orr_model *model)
{
    return model->flat.time_unit ? model->flat.time_unit : "s";
}

static size_t first_shown(const orr_model *model) { return model->flat.vars.n + model->flat.n_elements; }

size_t orr_model_n_variables(const orr_model *model)
{
    return first_shown(model) + (model->network ? model->network->n_variables : 0);
}

// ---- Variables, and elements of arrays

ModelVariable model_variable(const orr_model *model, size_t i)
{
    const Flat *flat = &model->flat;
    const IrLayout *layout = &model->ir.layout;
    if (i < flat->vars.n) {
        const FlatVar *var = &flat->vars.items[i];
        return (ModelVariable){ .var = var,
                                .number = (uint32_t)i,
                                .place = layout->place[i],
                                .state = layout->state_of[i],
                                .kind = var->kind,
                                .is_structural = var->is_structural,
                                .declared = var->place };
    }
    if (i >= first_shown(model)) {
        ModelVariable v = { .place = FLAT_NONE, .state = FLAT_NONE, .kind = FLAT_DISCRETE };
        v.part = net_variable(model->network, i - first_shown(model), &v.element, &v.shown);
        v.declared = v.shown->place;
        return v;
    }
    const uint32_t element = (uint32_t)(i - flat->vars.n), a = flat_array_of(flat, element);
    const FlatArray *array = &flat->arrays.items[a];
    ModelVariable v = { .array = array,
                        .number = a,
                        .element = element - array->first,
                        .state = layout->array_state[a],
                        .kind = array->kind,
                        .is_structural = array->is_structural,
                        .declared = array->place };
    v.place = layout->array_place[a] + v.element;
    if (v.state != FLAT_NONE) v.state += v.element * layout->array_step[a];
    return v;
}

bool model_is_integrated(const orr_model *model, uint32_t state)
{
    // there are no arrays beside implicit states, which come last then
    return state != FLAT_NONE && state < model->n_states - model->blocks.n_implicit;
}

const char *model_variable_name(const orr_model *const_model, size_t i)
{
    if (i < const_model->flat.vars.n) return const_model->flat.vars.items[i].name;
    orr_model *model = (orr_model *)const_model;    // a cache
    Cleanup lock;
    guard_lock(&lock, &model->lock);
    if (!model->element_names.index.arena) map_init(&model->element_names, &model->later);
    const uint32_t *known = map_find(&model->element_names, i);
    const char *name;
    if (known) {
        name = model->names.items[*known];
    } else {
        const ModelVariable v = model_variable(model, i);
        name = v.part ? arena_printf(&model->later, "%s.%s",
                                     flat_member_name(v.part->flat, v.element, &model->later), v.shown->name)
                      : flat_element_name(&model->flat, v.number, v.element, &model->later);
        map_put(&model->element_names, i, (uint32_t)model->names.n);
        vec_push(&model->later, &model->names, name);
    }
    guard_unlock(&lock);
    return name;
}

const IrPattern *model_pattern(const orr_model *const_model)
{
    if (const_model->flat.arrays.n == 0) return const_model->ir.has_pattern ? &const_model->ir.pattern : NULL;
    orr_model *model = (orr_model *)const_model;    // a cache
    Cleanup lock;
    guard_lock(&lock, &model->lock);
    if (!model->pattern_is_made)
        model->has_pattern = ir_family_pattern(&model->ir, &model->pattern, &model->later);
    model->pattern_is_made = true;
    guard_unlock(&lock);
    return model->has_pattern ? &model->pattern : NULL;
}

size_t model_state_variable(const orr_model *model, uint32_t state)
{
    const Blocks *blocks = &model->blocks;
    const IrLayout *layout = &model->ir.layout;
    uint32_t n_before = 0;    // elements
    for (uint32_t i = 0; i < blocks->n_state_arrays; i++) {
        const uint32_t a = blocks->state_arrays[i], first = layout->array_state[a],
                       step = layout->array_step[a];
        const FlatArray *array = &model->flat.arrays.items[a];
        if (state < first) continue;
        if (state < first + array->n * step && (state - first) % step == 0)
            return model->flat.vars.n + array->first + (state - first) / step;
        n_before += array->n;
    }
    return blocks->states[state - n_before];
}

static orr_kind kind_of(const orr_model *model, const ModelVariable *v)
{
    switch (v->kind) {
    case FLAT_PARAM: return ORR_KIND_PARAM;
    case FLAT_INPUT: return ORR_KIND_INPUT;
    case FLAT_RESULT: return ORR_KIND_RESULT;
    case FLAT_DISCRETE: return ORR_KIND_DISCRETE;
    case FLAT_VARIABLE: break;
    }
    // a variable whose derivative is written is a state to the user, even if constraints compute it
    const Reduction *reduction = model->blocks.reduction;
    if (model_is_integrated(model, v->state) || (v->var && reduction && reduction->had_derivative[v->number]))
        return ORR_KIND_STATE;
    return (v->var ? v->var->integral : v->array->integral) != FLAT_NONE ? ORR_KIND_RATE : ORR_KIND_ALGEBRAIC;
}

orr_variable orr_model_variable(const orr_model *model, size_t i)
{
    const ModelVariable v = model_variable(model, i);
    if (v.part)
        return (orr_variable){ .name = model_variable_name(model, i),
                               .unit = v.shown->unit,
                               .kind = ORR_KIND_DISCRETE };
    return (orr_variable){
        .name = model_variable_name(model, i),
        .unit = v.var ? v.var->unit : v.array->unit,
        .doc = v.var ? v.var->doc : v.array->doc,
        .kind = kind_of(model, &v),
        .is_output = v.var ? v.var->is_output : v.array->is_output,
        .is_hidden = v.var ? v.var->is_hidden : v.array->is_hidden,
        .is_input = v.var && v.var->is_input,
    };
}

size_t orr_model_find(const orr_model *model, const char *name)
{
    const uint32_t *found = text_map_find(&model->flat.by_name, text_from(name));
    if (found) return *found;
    uint32_t array, element;
    if (!flat_find_element(&model->flat, name, &array, &element)) {
        const size_t shown = model->network ? net_find(model->network, name) : 0;
        return model->network && shown < model->network->n_variables ? first_shown(model) + shown
                                                                     : (size_t)-1;
    }
    return model->flat.vars.n + model->flat.arrays.items[array].first + element;
}

// Among what atomic components show; of an array the member with the indices of the name, or the first.
static const char *closest_shown(const orr_model *model, const char *name, Arena *scratch)
{
    const Network *net = model->network;
    VEC(const char *) names = { 0 };
    VEC(size_t) variables = { 0 };
    const char *open = strchr(name, '['), *close = open ? strchr(open, ']') : NULL;
    const Text indices = close ? (Text){ open, (size_t)(close + 1 - open) } : (Text){ "", 0 };
    for (size_t i = 0; i < net->flat->parts.n; i++) {
        const NetPart *part = &net->parts[i];
        uint32_t member;
        if (!net_read_indices(part->flat, indices, &member)) member = 0;
        const char *component = part->flat->n > 0 ? flat_member_name(part->flat, member, scratch) : NULL;
        for (uint32_t r = 0; component && r < part->kind->n_readables; r++) {
            vec_push(scratch, &names,
                     arena_printf(scratch, "%s.%s", component, part->kind->readables[r].name));
            vec_push(scratch, &variables,
                     part->first_variable + (size_t)member * part->kind->n_readables + r);
        }
    }
    const char *closest = text_closest(name, names.items, names.n);
    for (size_t i = 0; closest && i < names.n; i++)
        if (names.items[i] == closest)
            return model_variable_name(model, first_shown(model) + variables.items[i]);
    return NULL;
}

const char *orr_model_closest(const orr_model *model, const char *name)
{
    Arena scratch = { 0 };
    const Flat *flat = &model->flat;
    const char **names = ARENA_ARRAY(&scratch, const char *, flat->vars.n + flat->arrays.n);
    size_t n = 0;
    for (size_t i = 0; i < flat->vars.n; i++)
        if (!flat->vars.items[i].is_hidden) names[n++] = flat->vars.items[i].name;
    for (size_t i = 0; i < flat->arrays.n; i++) names[n++] = flat->arrays.items[i].name;
    const char *closest = text_closest(name, names, n);
    if (!closest && model->network) closest = closest_shown(model, name, &scratch);
    arena_free(&scratch);
    return closest;
}

static size_t count_equations(const Flat *flat)
{
    size_t n = flat->equations.n;
    for (size_t i = 0; i < flat->families.n; i++) {
        size_t turns = 1;
        if (flat->arrays.items[expr_access(&flat->pool, flat->families.items[i].lhs)->array].is_hidden)
            continue;
        for (uint32_t k = 0; k < flat->families.items[i].loops.n; k++)
            turns *= flat->families.items[i].loops.count[k];
        n += turns;
    }
    return n;
}

// Has native code taken over any of it?
bool model_is_improved(const orr_model *model)
{
    const bool any = code_is_improved(&model->code) || code_quantised_is_improved(&model->code) ||
                     atomic_is_improved(&model->atomics);
    return any || (model->isles && model->isles_are_improved(model->isles));
}

orr_model_facts orr_model_get_facts(const orr_model *model)
{
    orr_model_facts facts = {
        .n_states = model->n_states - model->blocks.n_implicit,
        .n_equations = count_equations(&model->flat),
        .n_loops = model->blocks.dynamic.n_loops,    // those solved symbolically too
        .n_relations = model->n_relations,
        .compile_ms = model->compile_ms,
        .code = model->code.tier == CODE_NATIVE        ? "native"
                : model_is_improved(model)             ? "instant+native"
                                                 : "instant",
    };
    return facts;
}

// src/model/model.h: a compiled model: all that runs share and nothing that changes.
#pragma once
#include "code/code.h"
#include "ir/ir.h"
#include "orrery/model.h"

struct orr_model {
    Arena    arena;           // owns everything below
    Flat     flat;            // names, equations, relations: for messages and recording
    Blocks   blocks;
    Ir       ir;
    Code     code;
    uint32_t n_states, n_params, n_values, n_relations, n_asserts, n_delays;
    double   compile_ms;
    const orr_diag *compiled_with;    // places mean its sources; compared, never read
    // names of elements of arrays, made when first asked for; all under the lock
    pthread_mutex_t names_lock;
    Arena    names_arena;
    Map      element_names;           // number of a variable → place in `names`
    VEC(const char *) names;
};

// A variable as the interface numbers it: those of the Flat model, then the elements of its arrays.
typedef struct ModelVariable {
    const FlatVar   *var;             // NULL if it is an element
    const FlatArray *array;           // NULL if it is not
    uint32_t number;                  // of the variable or the array
    uint32_t element;
    uint32_t place;                   // in v
    uint32_t state;                   // its number among the states, or FLAT_NONE
    FlatKind kind;
    bool     is_structural;
    Place    declared;
} ModelVariable;
ModelVariable model_variable(const orr_model *model, size_t variable);
const char   *model_variable_name(const orr_model *model, size_t variable);    // the model's
size_t        model_state_variable(const orr_model *model, uint32_t state);
static inline const char *model_state_name(const orr_model *model, uint32_t state)
{
    return model_variable_name(model, model_state_variable(model, state));
}

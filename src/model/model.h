// src/model/model.h: a compiled model: all that runs share and nothing that changes.
#pragma once
#include "atomic/atomic.h"
#include "code/code.h"
#include "engine/engine.h"
#include "ir/ir.h"
#include "net/net.h"
#include "orrery/model.h"

struct orr_model {
    Arena    arena;           // owns everything below but
    Arena    units_arena;     // the units, which outlive a flat model that is made again
    void    *source;          // texts and places above all; kept, and let go by
    void   (*release)(void *source);
    Ast      own_units;       // only `units`: those the source defined, for data that use them
    Flat     flat;            // names, equations, relations: for messages and recording
    Blocks   blocks;
    Ir       ir;
    Code     code;
    struct Isles *isles;      // components with a solver of their own (island/isles.h); NULL: none
    void   (*free_isles)(struct Isles *isles);
    bool   (*isles_are_improved)(const struct Isles *isles);    // any of them
    Network *network;         // NULL: the model is one island without event ports
    AtomicSet atomics;        // of the source
    uint32_t n_states, n_params, n_values, n_relations, n_asserts, n_delays, n_events;
    EngineTables tables;      // what the engine knows of it
    Expr        *clocks;      // [tables.n_clocks] each such relation, over time and what is fixed between
                              // events
    bool    *port_affects;    // [ports] rates or relations depend on what a message leaves
    double   compile_ms;
    const orr_diag *compiled_with;    // places mean its sources; compared, never read
    // what grows with the sizes of arrays is made when first asked for; all under the lock
    pthread_mutex_t lock;
    Arena    later;
    Map      element_names;           // number of a variable → place in `names`
    VEC(const char *) names;
    bool     pattern_is_made, has_pattern;
    IrPattern pattern;
};

// A variable as the interface numbers it: those of the Flat model, then the elements of its arrays, then what
// atomic components show.
typedef struct ModelVariable {
    const FlatVar   *var;             // NULL if it is an element
    const FlatArray *array;           // NULL if it is not
    const NetPart   *part;            // NULL if no atomic component shows it; then there is no place
    const AtomicReadable *shown;      // likewise
    uint32_t number;                  // of the variable or the array
    uint32_t element;
    uint32_t place;                   // in v
    uint32_t state;                   // its number among the states, or FLAT_NONE
    FlatKind kind;
    bool     is_structural;
    Place    declared;
} ModelVariable;
enum { MODEL_SOURCES = 16 };         // things that act at times they know, besides one for each input
void model_make_tables(orr_model *model);    // EngineTables, once all else is known
// May it be infinite because somebody wrote `inf`, not because a number left the range?
bool model_may_be_infinite(const Flat *flat, Expr e);
bool model_is_improved(const orr_model *model);    // native code has taken over some of it
bool model_is_integrated(const orr_model *model, uint32_t state);    // not one of Blocks.n_implicit
ModelVariable model_variable(const orr_model *model, size_t variable);
const char   *model_variable_name(const orr_model *model, size_t variable);    // the model's
// Which derivatives depend on which states; NULL if that would be too large: then treat it as full.
const IrPattern *model_pattern(const orr_model *model);
size_t        model_state_variable(const orr_model *model, uint32_t state);
static inline const char *model_state_name(const orr_model *model, uint32_t state)
{
    return model_variable_name(model, model_state_variable(model, state));
}

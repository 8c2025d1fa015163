// src/atomic/check.h: what the files that check atomics share.
#pragma once
#include "atomic/atomic.h"
#include "base/map.h"

// What a name of an atomic stands for.
typedef enum EntityKind { ENTITY_PARAM, ENTITY_CONST, ENTITY_CELL, ENTITY_INPUT, ENTITY_OUTPUT,
                          ENTITY_DRAW } EntityKind;
typedef struct Entity {
    EntityKind  kind;
    const char *name;
    AtomicType  type;
    uint32_t    slot;        // parameter, cell; port: its number
    uint32_t    n;           // elements of an array; 0: no array
    struct Entity *array;    // of a known element: what it belongs to
    double      value;       // const
    const AstExpr *draw;     // what is drawn wherever it is read
    bool        is_read, is_assigned, is_ranked;
    Place       place;
} Entity;

typedef struct Local {       // an index of a loop, or an argument of a function
    const char   *name;
    uint32_t      number;
    const struct Local *outer;
    const AtomicExpr *known;    // its value, if that is known here; NULL: it is computed
} Local;

// Where an expression stands decides what it may do.
typedef enum Where { IN_ACTS, IN_GUARD, IN_SEND, IN_FUNCTION, IN_CONST } Where;

typedef struct Checker {
    AtomicSet       *set;
    AtomicKind      *kind;         // under way
    const AstAtomic *ast;
    Arena           *arena;        // of the set
    Arena            work;         // owns what only checking needs
    orr_diag        *diag;
    size_t           n_errors;
    TextMap          enum_values;  // name → 1 + enumeration, the first that has it
    TextMap          types;        // name → record, or enumeration from n_records on
    TextMap          functions;    // of the file → their number in the Ast
    TextMap          tables;       // of the file → their number in the Ast
    uint32_t        *calls;        // [functions of the Ast] 1 + their number in the set; 0: not yet
    Map              site_calls;   // those in which something is converted: site of the call → the same
    TextMap          names;        // of the atomic → entities
    VEC(Entity)      entities;
    VEC(AtomicExpr *) firsts;      // [entities] of levels: what they begin with; NULL: 0
    uint32_t         n_declared;   // entities that may be read: an initial value sees those above it
    TextMap          states;
    const Local     *locals;
    uint32_t         n_locals;
    Where            where;
    const Units     *units;        // NULL: none are known
    uint32_t         site;         // where conversions are asked for: the atomic, or a call of a function
    uint32_t         port;         // whose message is handled; NO_PORT: none
} Checker;
#define NO_PORT UINT32_MAX
#define BEING_CHECKED UINT32_MAX

#define CHECK_FAIL(c, id, ...) ((c)->n_errors++, diag_report((c)->diag, id, __VA_ARGS__))

// Never NULL; of type ATOMIC_BAD after a report. `want` chooses between values of enumerations that have the
// same name; its base may be ATOMIC_BAD.
AtomicExpr *check_expr(Checker *c, const AstExpr *e, AtomicType want);
// The same, and reported if it is not of that type.
AtomicExpr *check_typed(Checker *c, const AstExpr *e, AtomicType type);
AtomicExpr *check_number(Checker *c, const AstExpr *e);
AtomicExpr *check_condition(Checker *c, const AstExpr *e);
// A value as it is handed over at `node`: in another unit.
AtomicExpr *check_conversion(Checker *c, AtomicExpr *value, const AstExpr *node);
// The queue or the statistic that an argument names; NULL, reported, if it is none of `base`.
Entity     *check_named(Checker *c, const AstExpr *e, AtomicBase base, AtomicIndex *index);
// The element that a part of a path names, of an array: *slot moves there, or `index` says how. False:
// reported.
bool        check_index(Checker *c, Entity *entity, const AstPart *part, Place place, uint32_t *slot,
                        AtomicIndex *index);
bool        check_arguments(Checker *c, const AstExpr *call, uint32_t n, const char *takes);
Entity     *check_find(const Checker *c, const char *name);    // NULL if there is none
void        check_unknown(Checker *c, const char *name, Place place);
uint32_t    check_fault(Checker *c, AtomicFaultKind kind, const char *name, Place place);
const char *check_a(const Checker *c, AtomicType type);        // "a number", "a Job"
static inline bool check_same(AtomicType a, AtomicType b)
{
    return a.base == b.base && (a.base < ATOMIC_ENUM || a.base == ATOMIC_NOTHING || a.index == b.index);
}
#define TYPE_ANY    ((AtomicType){ .base = ATOMIC_BAD })
#define TYPE_NUMBER ((AtomicType){ .base = ATOMIC_NUMBER })
#define TYPE_TRUTH  ((AtomicType){ .base = ATOMIC_TRUTH })

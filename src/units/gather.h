// src/units/gather.h: what a model says about its units, inside the stage.
#pragma once
#include "base/map.h"
#include "units/system.h"
#include "units/units.h"

#define UNIT_NONE UINT32_MAX

// A product of powers of units of variables and of a unit that is known.
typedef struct FormTerm {
    uint32_t var;
    Ratio    power;     // not 0
} FormTerm;

typedef struct Form {
    const Unit     *unit;     // NULL: 1
    const FormTerm *terms;    // [n] by ascending variable
    uint32_t        n;
} Form;

// The zero of what is measured in degC and the like: the sum of the offsets of variables, times numbers, and
// of a constant. 0 for all that is measured from its natural zero, and for differences.
typedef struct ZeroTerm {
    uint32_t var;
    double   factor;
} ZeroTerm;

typedef struct Zero {
    const ZeroTerm *terms;    // [n] by ascending variable; variables whose zero is not known
    uint32_t        n;
    long double     constant; // in base units
} Zero;

typedef struct UnitVar {
    const char *name;         // full path; NULL for one of our own
    Place       place;        // where it is declared
    const char *text;         // unit as declared, NULL if it is not
    const Unit *value;        // NULL: not known
    uint32_t    from;         // the relation that told the value; UNIT_NONE if declared or unknown
    bool        is_eliminated;
    Form        definition;   // if eliminated: what it is
    long double zero;         // in base units, once found
} UnitVar;

// One side of a relation, and how to speak of it.
typedef struct UnitSide {
    Form           form;
    Zero           zero;
    const AstExpr *expr;      // NULL: `name`
    const char    *name;
    Place          place;
} UnitSide;

typedef enum RelationKind {
    RELATION_SAME,    // a and b have one unit
    RELATION_PURE,    // a is a pure number, since `what` asks for it; b is 1
    RELATION_LINK,    // b flows into a: if both units are known, it is converted
} RelationKind;

typedef struct UnitRelation {
    RelationKind kind;
    UnitSide     a, b;
    bool         compares_zeros;    // not in a sum: a temperature and a difference have one unit
    const char  *what;        // PURE: "the argument of sin"
    uint32_t     site;        // LINK: what units_conversion is asked
    const void  *node;
} UnitRelation;

typedef struct UnitConvert {  // `a in km`
    UnitSide    a;
    bool        is_bare;      // a number without unit, which adopts that of its place
    Unit        to;
    const char *text;
    uint32_t    site;
    const AstExpr *node;
} UnitConvert;

// Something with a zero of its own where only differences and quantities with a natural zero can stand.
typedef struct UnitZeroUse {
    UnitSide    a;
    const char *what;         // "multiplied", …
} UnitZeroUse;

typedef struct UnitScope UnitScope;
struct PastCall;

typedef struct Gather {
    UnitSystem *system;
    const Ast  *ast;
    const AstSetting *given;  // [n_given] borrowed; values for the model from outside
    uint32_t    n_given;
    Arena      *arena;        // borrowed; the Units'
    Arena       work;         // forms, relations; ends with the check
    orr_diag   *diag;
    TextMap     models;       // name → number in ast->models, or behind them in ast->terminals
    TextMap     functions, tables, records;
    uint32_t   *fields;       // [ast->records.n] the variable of the first field of each record
    const Units *found;       // of records and atomics, once those are solved; NULL: not yet
    Unit        time;
    bool        failed;       // a unit could not be read
    bool        says_units;   // something is declared or written with a unit
    const Unit *zero_unit;    // a unit with a zero of its own if there is one and zeros are tracked
    const UnitVar *solved;    // then: the variables of the first pass
    size_t      n_scopes;
    UnitScope  *root;
    VEC(UnitVar)      vars;
    VEC(UnitRelation) relations;
    VEC(UnitConvert)  converts;
    VEC(UnitZeroUse)  zero_uses;
    uint32_t    n_sites;
    Map         sites;        // hash of site and name or call → site
    const AstFunction *calls[64];      // functions being followed, outermost first
    uint32_t    n_calls;
    Map         call_of;      // hash → number in `past_calls`
    VEC(struct PastCall) past_calls;    // functions inside functions; see gather.c
} Gather;

struct UnitScope {
    UnitScope      *parent;   // NULL at the root
    const AstModel *model;    // NULL of an atomic
    const AstAtomic *atomic;  // whose body is looked at, once for all its components
    const char     *path;     // "" at the root, else "axle.spring."
    uint32_t        site, depth;
    uint32_t        atomic_site;    // if `model` stands for an atomic: that of its body
    TextMap         by_name;
    VEC(struct UnitEntity) entities;
};

typedef struct UnitEntity {
    const char    *name;
    uint32_t       var;       // UNIT_NONE: a component
    UnitScope     *component;
    const AstDecl *decl;      // NULL if declared by an equation
    double         value;     // of a constant, NaN if not known
    uint32_t       record;    // 1 + the record it holds, or of which it is a queue; 0: none
    bool           is_busy, is_done;
} UnitEntity;

// gather.c. `before` is NULL, or the result of a first pass whose units are solved: then zeros are tracked.
void gather_model(Gather *g, const AstModel *model, const Gather *before);
// What both begin with: names of the source, zeros, the unit of time, units of fields.
void gather_begin(Gather *g, const AstModel *model, const Gather *before);
UnitScope *gather_scope(Gather *g, UnitScope *parent, const AstModel *model, const char *path);
void gather_declare(Gather *g, UnitScope *scope, const char *name, Place place, const AstDecl *decl);
// NULL: twice
UnitEntity *gather_component(Gather *g, UnitScope *scope, UnitScope *child, const char *name);
void gather_decl(Gather *g, UnitScope *scope, const AstDecl *decl);    // what its value says
// The variable of a field of a record; UNIT_NONE if there is none.
uint32_t gather_field(Gather *g, uint32_t record, const char *name);
UnitEntity *gather_find(const UnitScope *scope, const char *name);    // NULL if absent
// A constant is met where it is first used, since its value may be an exponent.
void        gather_constant(Gather *g, UnitScope *scope, UnitEntity *entity);
uint64_t    gather_site_key(uint32_t site, const void *node);
uint64_t    gather_name_key(uint32_t site, const char *name);

// atomic.c: the records of the source, and the bodies of the atomics that `model` uses.
void gather_atomics(Gather *g, const AstModel *model, const Gather *before);
struct Walk;
struct Term;
// A call that only atomics know: of a queue or a statistic. False if it is none.
bool gather_atomic_call(const struct Walk *w, const AstExpr *call, const struct Term *args,
                        struct Term *result);

// units.c: a unit that was found before, or declared, "1" for a pure number; NULL: none.
const char *units_found(const Units *units, uint32_t site, const char *name);
#define UNITS_ATOMICS 0x80000000u    // sites of atomics begin here
#define UNITS_RECORDS 0xC0000000u    // those of records

// form.c
Form form_var(Arena *arena, uint32_t var);
Form form_unit(Arena *arena, const Unit *unit);
Form form_mul(Arena *arena, Form a, Form b, Ratio power_of_b);    // a b^power
bool form_same(Form a, Form b);                                   // as written
Zero zero_add(Arena *arena, Zero a, Zero b, double factor_of_b);

// solve.c: find the units of variables. Relations that cannot hold are left for report.c to find.
void solve_units(Gather *g);
// The unit of a form; false if it is not known: then unknown variables count as 1.
bool solve_value(Gather *g, Form form, Unit *unit);

// zero.c: find the zeros of variables, set them in their values, and report what does not fit; false then.
bool zero_check(Gather *g);
long double zero_value(const Gather *g, Zero zero);    // of variables whose zeros have been found

// report.c: false if anything was reported.
bool report_mismatches(Gather *g);
const char *report_side(Gather *g, const UnitSide *side);    // 'x', 'v*dt'
const char *report_conversion(Gather *g, const UnitSide *side, const char *unit);    // (v*dt in m)
// Notes: where its unit came from. What the other side told already is left out; `told` may be NULL.
void report_origins(Gather *g, const UnitSide *side, const UnitSide *told);

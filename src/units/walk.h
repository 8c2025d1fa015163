// src/units/walk.h: the unit of an expression, as the files that gather relations see it.
#pragma once
#include "units/gather.h"

// What an expression is, as far as units are concerned.
typedef struct Term {
    bool     is_bare;    // no unit in it: adopts that of its place
    double   value;      // of a constant, else NaN
    UnitSide side;       // its unit and how to speak of it: of a sum the operand that decided the unit
} Term;

typedef struct LocalTerm {    // a name of a function body or a `for`
    const struct LocalTerm *outer;
    const char *name;
    Term        term;
} LocalTerm;

typedef struct Walk {
    Gather          *g;
    UnitScope       *scope;    // NULL: only locals, as in a function of the file
    const LocalTerm *locals;
    uint32_t         site;
} Walk;

Term walk(const Walk *w, const AstExpr *e);
Term walk_bare(double value);
Term walk_name(Gather *g, uint32_t var, const char *name, Place place);    // of a variable
Term walk_time(const Walk *w, const AstExpr *at);
Term walk_frequency(const Walk *w, const AstExpr *at);    // so many in a unit of time
Form walk_form(Gather *g, uint32_t var, uint32_t primes);                  // of a derivative
UnitScope *walk_component(UnitScope *scope, const AstRef *ref, uint32_t n_parts);    // NULL if there is none

// One unit and, if zeros are compared, one zero.
void walk_relate(Gather *g, const Term *a, const Term *b, bool compares_zeros);
// A value for a field of a record, by its number.
void walk_field(Gather *g, uint32_t record, uint32_t field, const Term *value);
void walk_must_be_pure(Gather *g, const Term *t, const char *what);
// A value that flows into a variable from outside: converted if both units are known.
void walk_link(Gather *g, const UnitSide *to, const Term *from, uint32_t site, const void *node);

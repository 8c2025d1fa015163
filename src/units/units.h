// src/units/units.h: the units of a model, checked and inferred before it is flattened.
//
// Units are a property of what is written, not of its elements: all elements of an array have one unit, and
// so have all components of an array of components. So the model is looked at as a tree of instances in which
// arrays are one thing and the body of a `for` is met once, and the cost does not grow with sizes.
//
//     gather   every + - = < min if … says that two units are equal, every sin(x) that one is 1: relations
//              between the units of variables, known where declared, unknown elsewhere
//     solve    units form a group; relations are linear in their logarithms. Propagate what is known, then
//              eliminate what is left
//     report   relations that do not hold: which terms, their units, where those came from
//
// Atomics come first: their bodies are looked at once, whatever components there are, and what they say of
// their ports, parameters and of the fields of records is taken as declared in the models.
//
// Flattening then asks for the factor of each conversion and for the unit of each variable. The tree is
// addressed by sites: a site is an instance, or a call of a function in one.
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "lang/ast.h"
#include <stdio.h>

typedef struct Units Units;

// Find and check the units of `model`. False after an error. *units is NULL if the model says nothing of
// units, and may be NULL in everything below: then nothing is known and nothing is converted.
bool units_check(Units **units, const Ast *ast, const AstModel *model, Arena *arena, orr_diag *diag);

// The same with values given to names of the model from outside, as an experiment gives them to inputs.
bool units_check_given(Units **units, const Ast *ast, const AstModel *model, const AstSetting *given,
                       uint32_t n_given, Arena *arena, orr_diag *diag);

#define UNITS_ROOT    0u
#define UNITS_NO_SITE UINT32_MAX
uint32_t units_component(const Units *units, uint32_t site, const char *name);    // the site of a component
// of a function called there
uint32_t units_call(const Units *units, uint32_t site, const AstExpr *call);

// The site of the body of an atomic, which all its components share; UNITS_NO_SITE if the model does not use
// it.
uint32_t units_atomic(const Units *units, const AstAtomic *atomic);

// How the value at a node is converted: of `x in km` the node is the expression, of an arrow its item, of a
// setting of a component (site: the instance that is set) the expression of the value; of a state of an
// atomic that of its duration.
typedef struct UnitConversion {
    double scale, offset;    // new value = scale*value + offset
} UnitConversion;
UnitConversion units_conversion(const Units *units, uint32_t site, const void *node);

// The unit of a name declared at a site, as text: as declared, or as inferred. NULL: not known, or a pure
// number.
const char *units_text(const Units *units, uint32_t site, const char *name);
// The unit of a field of a record of the source.
const char *units_field_text(const Units *units, uint32_t record, const char *field);
// The unit of the time derivative of something in the unit `text`. NULL for NULL and for a pure number.
const char *units_rate_text(Units *units, const char *text);

// Units that were not written but found, for `orrery check`: name and unit of the i-th; false behind the
// last.
bool units_inferred(const Units *units, size_t i, const char **name, const char **unit);

// What is converted without being asked to, at arrows and settings: the i-th; false behind the last.
typedef struct UnitLink {
    const char *name;        // what gets the value
    const char *from, *to;   // units
    Place       place;
} UnitLink;
bool units_converted(const Units *units, size_t i, UnitLink *link);

// All of them, for `orrery show --stage units`.
void units_print(const Units *units, FILE *out);

// The unit of what a path leads to from the root; "1" for a pure number, NULL if it is not known.
const char *units_of_ref(Units *units, const AstRef *ref);

// A number in one unit as a number in another, for values outside of models. A difference has no zero: 5 degC
// more are 5 K more. False, with a message, if there is no such unit or the dimensions differ.
bool units_convert(const Ast *ast, const char *from, const char *to, bool is_difference, Place place,
                   double *value, orr_diag *diag);

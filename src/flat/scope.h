// src/flat/scope.h: instances of models while they are expanded, and what the names in them stand for.
//
// Expansion keeps a tree of scopes, one for each instance: the model asked for at the root, its components below. Each
// has a table of entities. Values (of parameters, equations, overrides) stay Ast until every name of the tree is
// declared, so the order of declarations never matters.
#pragma once
#include "flat/flat.h"

typedef struct Scope Scope;

typedef enum EntityKind { ENTITY_VARIABLE, ENTITY_CONST, ENTITY_COMPONENT } EntityKind;

typedef struct Entity {
    EntityKind  kind;
    const char *name;
    Place       place;
    AstDeclKind declared;        // VARIABLE: how
    uint32_t    first;           // VARIABLE: number of its first element in flat->vars
    uint32_t   *sizes;           // [n_sizes] of an array; none for a scalar
    uint32_t    n_sizes;
    size_t      n_elements;      // product of the sizes, 1 for a scalar
    Scope     **components;      // COMPONENT: [n_elements]
    const AstDecl *decl;         // VARIABLE, CONST: NULL if declared by an equation
    const AstExpr *value;        // default, definition or override; NULL if none
    Scope      *value_scope;     // where the names in `value` are looked up: the parent's for an override
    bool        is_structural;   // occurs in a size, bound or index: its value is fixed at compile time
    bool        busy;            // being evaluated: to find values that depend on themselves
    Expr        folded;          // CONST: its value once known, else EXPR_NONE
} Entity;

struct Scope {
    Scope          *parent;      // NULL at the root
    const AstModel *model;
    const char     *path;        // "" at the root, else "axle.spring."
    uint32_t        depth;
    TextMap         by_name;     // name → number in `entities`
    VEC(Entity)     entities;
    const AstSetting **overrides;    // [n_overrides] given by the parents, not yet used
    Scope          **override_scopes;
    uint32_t        *depth_of_override;    // [n_overrides] parts of its path already followed
    bool            *override_used;
    uint32_t        n_overrides;
};

// A name that is not of the model but of a function body or a `for`: innermost first.
typedef struct Local {
    const struct Local *outer;
    const char *name;
    Expr        value;
} Local;

typedef struct Expander {
    Flat       *flat;
    const Ast  *ast;
    orr_diag   *diag;
    Arena       work;                  // scopes and tables; ends with the expansion
    TextMap     models, functions;     // name → number in the Ast
    Map         relation_of;           // relation (Expr) → its mode
    Map         driven;                // variable that an arrow leads to → number in `arrows`
    VEC(const AstItem *) arrows;
    const AstFunction *calls[64];      // functions being inlined, outermost first
    uint32_t    n_calls;
    uint32_t    n_integrals;           // hidden variables made for INTEG inside an expression
    bool        failed;
} Expander;

// How an expression is to be read.
typedef struct Reading {
    Expander    *ex;
    Scope       *scope;          // NULL: only locals, as in a function of the file
    const Local *locals;
    bool         makes_modes;    // relations become MODEs: only in equations that hold all the time
    bool         is_structural;  // parameters are replaced by their values: sizes, bounds, indices
} Reading;

// expand.c
Entity  *scope_find(const Scope *scope, const char *name);                   // NULL if absent
uint32_t expand_derivative(Expander *ex, uint32_t variable, uint32_t order);   // declared on demand
uint32_t expand_integral(Expander *ex, Scope *scope, Expr rate, Expr start, Place place);    // for INTEG in an expression

// lower.c: from Ast to Expr. An error is reported, sets ex->failed and gives a harmless constant.
Expr lower_real(const Reading *r, const AstExpr *e);
Expr lower_truth(const Reading *r, const AstExpr *e);
bool lower_whole(const Reading *r, const AstExpr *e, long long *value);      // a structural whole number
uint32_t lower_variable(const Reading *r, const AstRef *ref, Place place, Entity **entity);   // FLAT_NONE after an error
Scope *lower_component(const Reading *r, const AstRef *ref, uint32_t n_parts, Place place);   // the instance a path leads to

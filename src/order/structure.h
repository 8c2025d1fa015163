// src/order/structure.h: a system of equations and unknowns, and which equation reads which unknown.
//
// The same structure serves two systems. At every instant, unknown are the highest derivatives and the
// algebraic variables; parameters, inputs, time, modes, histories and the states are known. At the start, the
// states are unknown too.
#pragma once
#include "flat/flat.h"
#include "num/incidence.h"

typedef enum StructureForm {
    FORM_OTHER,       // no unknown stands alone
    FORM_LEFT,        // v = …, and v does not occur on the right
    FORM_RIGHT,       // … = v, and v does not occur on the left
    FORM_CIRCULAR,    // alone on one side, and on the other side too
} StructureForm;

typedef struct System {
    const Flat         *flat;         // borrowed
    const FlatEquation *equations;    // [rows.n_rows]
    uint32_t           *unknowns;     // [rows.n_columns] variables
    uint32_t            n_first;      // unknowns from here on are parameters that may be given instead
    uint32_t           *column_of;    // [n_vars] place in `unknowns`, or FLAT_NONE if known
    Incidence           rows;         // equation → unknowns it reads, ascending
    Incidence           columns;      // unknown → equations that read it, ascending
    uint32_t           *written_for;  // [n_rows] unknown alone on a side, left first; INCIDENCE_NONE if none
    uint8_t            *form;         // [n_rows] StructureForm
    struct Combinations *combined;    // dependent equations are noted here where that helps; NULL: they are
                                      // errors
} System;

bool structure_is_state(const FlatVar *v);       // known at every instant, integrated by the solver
bool structure_is_unknown(const FlatVar *v);     // of the dynamic system

// Fill in the rest of a system of which flat, equations, unknowns and n_first are given. Everything goes into
// the arena. Linear in the size of the expressions, each equation's counted by itself.
void structure_build(System *system, uint32_t n_equations, uint32_t n_unknowns, Arena *arena);

// The system at every instant.
System structure_dynamic(const Flat *flat, Arena *arena);
// The same equations, a variable and all its derivatives being one unknown, named after the highest one. If
// this cannot be matched then no differentiating helps: the model is wrong (Pantelides 1988).
System structure_chains(const Flat *flat, Arena *arena);

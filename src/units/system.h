// src/units/system.h: what the text of a unit means.
//
//     unit   = factor { ( " " | "*" | "." | "·" | "/" ) factor }      read from left to right
//     factor = ( NUMBER | NAME | "%" | "(" unit ")" ) [ power ]       and "-" or "1" alone for a pure number
//     power  = [ "^" | "**" ] [ "-" ] DIGITS | "^" "(" [ "-" ] DIGITS [ "/" DIGITS ] ")" | "²" …
//
// A name is looked up among the units of the user's files, then among the common ones (common.def, with the
// prefixes of the SI), then in the database of UDUNITS-2, which is opened when it is first needed.
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "lang/ast.h"
#include "units/unit.h"

typedef struct UnitSystem {
    Arena      *arena;                    // borrowed; owns the rest but the database
    const Ast  *ast;                      // borrowed; defines units. May be NULL
    orr_diag   *diag;                     // borrowed
    TextMap     user;                     // name → number in ast->units
    Unit       *user_units;               // [ast->units.n] once read
    uint8_t    *user_state;               // [ast->units.n] USER_*
    const char *dim_names[UNIT_DIMS];
    int         n_dims;
    TextMap     known;                    // text → number in `units`
    VEC(Unit)   units;
    Map         text_of;                  // hash of a unit → number in `texts`: how it is written
    VEC(const char *) texts;
    VEC(const char *) atoms;              // names met, in order: what unit_text likes to use
    VEC(Unit)   atom_units;               // what they are
    void       *database;                 // ut_system, NULL until needed
    bool        has_no_database;          // it could not be read
} UnitSystem;

void unit_system_open(UnitSystem *system, const Ast *ast, Arena *arena, orr_diag *diag);
void unit_system_close(UnitSystem *system);    // the database; texts and units live with the arena

// The unit a text stands for; false after a message at `place`, which underlines the text.
bool unit_read(UnitSystem *system, const char *text, Place place, Unit *unit);

// A text for a unit: one that the user's files contain if it is the same, a named unit of the SI, or a
// product of names. Reading it gives the unit again.
const char *unit_text(UnitSystem *system, const Unit *unit);
void        unit_text_remember(UnitSystem *system, const Unit *unit, const char *text);    // read or written

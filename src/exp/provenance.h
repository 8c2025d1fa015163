// src/exp/provenance.h: where results come from: program, model, experiment, settings, seed.
#pragma once
#include "base/arena.h"
#include "base/vec.h"
#include "orrery/kind.h"

typedef struct Fact {
    const char *name, *text;    // text NULL: a number
    double      number;
} Fact;

typedef struct Provenance {
    Arena    *arena;
    VEC(Fact) facts;
} Provenance;

// In the arena. `experiment` as it is carried out.
void provenance_make(Provenance *p, const orr_model *model, const orr_experiment *experiment, Arena *arena);
void provenance_text(Provenance *p, const char *name, const char *text);    // NULL: nothing is added
// As JSON, with `stats` ("name: value" lines) as an object of its own. False after a message.
bool provenance_write(const Provenance *p, const char *stats, const char *path, orr_diag *diag);

// src/source/source.h: a model file and all it uses, read and parsed.
#pragma once
#include "lang/ast.h"
#include "lang/frontend.h"
#include "orrery/model.h"

struct orr_source {
    Arena arena;        // owns the texts and the Ast
    Ast   ast;
    const char *path;   // of the first file
    uint32_t first;     // its number in places
    VEC(void *) heap;   // freed with it: what experiments borrow
    size_t n_models;    // that can be asked for; behind them stand atomics, which are components only
    _Atomic size_t n_users;    // beside its owner: compiled models, which borrow its texts
};
// A model borrows from its source from now on; the memory goes with the last who needs it.
void source_keep(orr_source *source);
void source_release(void *source);

enum {
    SOURCE_BYTES_MAX = 64 << 20,    // of one file
    SOURCE_FILES_MAX = 1000,
};

// The front end for a file by its suffix; the language itself for standard input and for a text in memory
// without one. NULL, with a message at `place`, if the suffix is not known.
const FrontEnd *source_front_end(const char *path, bool in_memory, Place place, orr_diag *diag);

// Make the text known to the diagnostics; 0 bytes and what is not UTF-8 are refused with one message.
bool source_accept(const char *path, Text text, uint32_t *file, orr_diag *diag);

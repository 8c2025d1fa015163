// tests/unit/flat/flatten.h: the text of a model, flattened.
#pragma once
#include "base/text.h"
#include "flat/flat.h"
#include "lang/frontend.h"

typedef struct Flattened {
    Arena     arena;
    orr_diag *diag;
    Ast       ast;
    Flat      flat;
    bool      ok;
} Flattened;

// Read a file and flatten its last model.
static inline void flatten(Flattened *f, Text text)
{
    *f = (Flattened){ .diag = orr_diag_create() };
    f->ast.arena = f->flat.arena = &f->arena;
    const uint32_t file = diag_add_source(f->diag, "model.orr", text.p, text.n);
    f->ok = frontend_orrery.parse(&f->ast, file, "model.orr", text.p, text.n, f->diag);
    if (f->ok) f->ok = flat_expand(&f->flat, &f->ast, &f->ast.models.items[f->ast.models.n - 1], f->diag);
}

static inline void flatten_free(Flattened *f)
{
    orr_diag_destroy(f->diag);
    arena_free(&f->arena);
}

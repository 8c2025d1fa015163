// src/lang/frontend.h: a way of writing models. Each reads its own text and adds to the same Ast.
#pragma once
#include "lang/ast.h"

typedef struct FrontEnd {
    const char *name;       // "orrery", "csmp"
    const char *suffix;     // ".orr", ".csmp"
    // Add what `text` ([n] bytes, NUL follows) contains to the Ast. False once an error has been reported;
    // goes on after errors as far as it makes sense, so that several are found at once.
    bool (*parse)(Ast *ast, uint32_t file, const char *path, const char *text, size_t n, orr_diag *diag);
} FrontEnd;

// Which there are is listed in source/source.c; these two are known by name elsewhere.
extern const FrontEnd frontend_orrery;    // lang/parse.c
extern const FrontEnd frontend_csmp;      // csmp/read.c

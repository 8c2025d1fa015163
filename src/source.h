// src/source.h: a model file and all it uses, read and parsed.
#pragma once
#include "lang/ast.h"
#include "orrery/model.h"

struct orr_source {
    Arena arena;        // owns the texts and the Ast
    Ast   ast;
    const char *path;   // of the first file
};

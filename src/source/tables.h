// src/source/tables.h: the points of tables, read and judged.
#pragma once
#include "base/diag.h"
#include "lang/ast.h"

enum { TABLES_NUMBERS_MAX = 1 << 24 };    // coefficients of one table

// Read the points of a table from a file in the folder or below, in the units of its arguments. False after
// a message.
bool tables_read(Ast *ast, AstTable *table, const char *folder, const char *path, orr_diag *diag);
// Are the points of a table, wherever they came from, those of a function? False after a message.
bool tables_check(const AstTable *table, orr_diag *diag);

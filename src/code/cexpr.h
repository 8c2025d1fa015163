// src/code/cexpr.h: expressions of the present routine as C, into the text of the present piece.
#pragma once
#include "code/arith.h"
#include "code/plan.h"

void cexpr_print(Gen *g, Expr e, int binding);
void cexpr_operand(Gen *g, Operand o);    // alone, binding nothing
// For memory: truth values are stored as 1 and 0.
void cexpr_value(Gen *g, Expr e);
void cexpr_variable(Gen *g, uint32_t variable);

extern const char *const cexpr_array_names[N_ARRAYS];
void cexpr_place(Gen *g, StrBuf *s, Array array, uint32_t index);          // v[7]
void cexpr_local(const Gen *g, StrBuf *s, Array array, uint32_t index);    // p7: its local
bool cexpr_is_mode(const Gen *g, Array array, uint32_t index);

// In a loop: the index of a place in the present turn, the place itself, and the name of a table.
void cexpr_index(Gen *g, const IrPlace *place);     // 5 + 3*i, or T0[i]
void cexpr_moving(Gen *g, const IrPlace *place);    // w[5 + 3*i]
void cexpr_table(Gen *g, StrBuf *s, uint32_t table);

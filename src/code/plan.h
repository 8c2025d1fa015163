// src/code/plan.h: what the printers ask the plan of the present routine.
#pragma once
#include "code/emit.h"

static inline bool operand_is_variable(Operand o) { return o & OPERAND_VARIABLE; }
static inline bool operand_is_node(Operand o) { return !(o & (OPERAND_VARIABLE | OPERAND_LEAF)); }
static inline uint32_t operand_variable(Operand o) { return o & ~OPERAND_VARIABLE; }
static inline Expr operand_leaf(Operand o) { return o & ~OPERAND_LEAF; }

// An expression as the routine sees it: aliases followed.
Operand   plan_operand(const Gen *g, Expr e);
// And nested variables replaced by their values.
Operand   plan_through(Gen *g, Operand o);
VarInfo  *plan_variable(Gen *g, uint32_t variable);
NodeInfo *plan_node(Gen *g, uint32_t e);
Array     plan_element(const Gen *g, Expr elem, uint32_t *index);    // where an element is that does not move
bool      plan_is_nested(const VarInfo *info);
bool      plan_is_local(const Gen *g, const VarInfo *info);    // of the present piece; else in memory

// The items of the steps [first, end), which may share everything.
void      plan_epoch(Gen *g, uint32_t first, uint32_t end);
uint32_t  plan_end_of_epoch(const Routine *r, uint32_t first);
// Note what an item reads of memory and of the piece's variables. All items of a piece before the first is
// printed.
void      plan_count_reads(Gen *g, const Item *item);

// May memory be read at the top of a piece? Not where the piece itself writes it, nor outside of the loop
// over lanes.
static inline bool plan_caches(const Gen *g)
{
    return g->r->caches && !g->is_switch && !(g->lanes && g->turn);
}

// The body of a loop: its temporaries become the items, those that depend on the turn have `moves`.
void      plan_body(Gen *g, const IrBody *body);
// Where an operand lives if that depends on the turn of the present loop, else NULL.
extern const Array plan_array_of[];    // by IrMemory
const IrPlace *plan_moving(const Gen *g, Operand o);

// src/export/c/quanta.c: exported models by methods of quantised states: the text of the engine, and what it
// reads of the model. The names are those of ir/quantise.h and solve/qss.
#include "code/emit.h"
#include "code/qss_step_text.h"
#include "export/c/net.h"
#include "export/runtime/quanta_text.h"
#include "solve/qss/bounds.h"
#include "solve/qss/bounds_c_text.h"
#include "solve/qss/bounds_text.h"
#include "solve/qss/pairs.h"
#include "solve/qss/pairs_c_text.h"
#include "solve/qss/pairs_text.h"
#include "solve/qss/relations_c_text.h"
#include "solve/qss/relations_text.h"
#include "solve/qss/roots_c_text.h"
#include "solve/qss/roots_text.h"
#include "solve/qss/shared.h"
#include "solve/qss/shared_c_text.h"
#include "solve/qss/shared_text.h"
#include "solve/qss/steps_text.h"
#include <math.h>

// ---- Lists

// A number, or none.
static void add_place(StrBuf *s, uint32_t place, const char *behind)
{
    if (place == FLAT_NONE) str_addf(s, "FLAT_NONE%s", behind);
    else str_addf(s, "%u%s", place, behind);
}

static void add_list(StrBuf *s, const char *type, const char *name, const uint32_t *items, size_t n)
{
    str_addf(s, "static const %s %s[] = {", type, name);
    for (size_t i = 0; i < n; i++) {
        str_add(s, i == 0 ? " " : i % 24 ? ", " : ",\n    ");
        add_place(s, items[i], "");
    }
    str_add(s, n ? " };\n" : " 0 };\n");
}

static void add_lists(StrBuf *s, const char *name, const IrLists *lists, uint32_t n)
{
    add_list(s, "uint32_t", arena_printf(s->arena, "%s_start", name), lists->start, (size_t)n + 1);
    add_list(s, "uint32_t", arena_printf(s->arena, "%s_items", name), lists->item, lists->start[n]);
}

static void add_flags(StrBuf *s, const char *name, const bool *flags, size_t n)
{
    str_addf(s, "static const bool %s[] = {", name);
    for (size_t i = 0; i < n; i++) str_addf(s, "%s%d", i == 0 ? " " : i % 32 ? ", " : ",\n    ", flags[i]);
    str_add(s, " };\n");
}

// ---- Terms

static void add_terms(StrBuf *s, const IrQuantised *ir)
{
    size_t n_rows = 0, n_numbers = 0;
    for (uint32_t i = 0; i < ir->n_terms; i++) {
        if (ir->shape_of[i] == FLAT_NONE) continue;
        const IrShape *shape = &ir->shapes[ir->shape_of[i]];
        if (ir->row_of[i] + shape->n_columns > n_rows) n_rows = ir->row_of[i] + shape->n_columns;
        for (uint32_t k = 0; k < shape->n_slots; k++) {
            const IrSlot *slot = &shape->slots[k];
            if (slot->kind != IR_SLOT_NUMBER) continue;
            const uint32_t at = slot->moves ? ir->rows[ir->row_of[i] + slot->column] : slot->index;
            if (at + 1 > n_numbers) n_numbers = at + 1;
        }
    }
    str_add(s, "// Of each term: which function, where its row begins; rows and numbers.\n");
    add_list(s, "uint32_t", "shape_of", ir->shape_of, ir->n_terms);
    add_list(s, "uint32_t", "row_of", ir->row_of, ir->n_terms);
    add_list(s, "uint32_t", "term_rows", ir->rows, n_rows);
    str_add(s, "static const double term_numbers[] = {");
    for (size_t i = 0; i < n_numbers; i++) {
        str_add(s, i == 0 ? " " : i % 8 ? ", " : ",\n    ");
        gen_number(s, ir->numbers[i]);
    }
    str_add(s, n_numbers ? " };\n" : " 0.0 };\n");
}

static void add_shapes(const CExport *c, StrBuf *s, const IrQuantised *ir)
{
    static const char *const kinds[] = { "STATE", "SHARED", "PLACE", "MODE", "NUMBER", "UNKNOWN" };
    const bool with_slots = c_is_on(c, TEXT("HAS_SLOTS")), with_records = c_is_on(c, TEXT("HAS_BOUNDS"));
    for (uint32_t i = 0; with_slots && i < ir->n_shapes; i++) {
        const IrShape *shape = &ir->shapes[i];
        str_addf(s, "static const IrSlot slots_%u[] = {\n", i);
        for (uint32_t k = 0; k < shape->n_slots; k++) {
            const IrSlot *slot = &shape->slots[k];
            str_addf(s, "    { IR_SLOT_%s, %d, %u, %u },\n", kinds[slot->kind], slot->moves, slot->index,
                     slot->column);
        }
        str_add(s, shape->n_slots ? "};\n" : "    { 0, 0, 0, 0 },\n};\n");
    }
    for (uint32_t i = 0; with_records && i < ir->n_shapes; i++) {
        str_addf(s, "static const ExprNode records_%u[] = {\n", i);
        for (uint32_t k = 0; k < ir->shapes[i].n_records; k++) {
            const ExprNode *r = &ir->shapes[i].records[k];
            str_addf(s, "    { EXPR_%s, %u, %u, %u },\n", expr_ops[r->op].name, r->a, r->b, r->c);
        }
        str_add(s, "};\n");
    }
    str_add(s, "static const IrShape shapes[] = {\n");
    for (uint32_t i = 0; i < ir->n_shapes; i++) {
        str_addf(s, "    { %d", ir->shapes[i].reads_x);
        if (with_slots) str_addf(s, ", %u, slots_%u", ir->shapes[i].n_slots, i);
        if (with_records)
            str_addf(s, ", %d, %u, records_%u", ir->shapes[i].reads_time, ir->shapes[i].n_records, i);
        str_add(s, " },\n");
    }
    str_add(s, "};\n");
}

static void add_loops(const CExport *c, StrBuf *s, const IrQuantised *ir)
{
    str_add(s, "static const IrLoopTerms loops[] = {\n");
    for (uint32_t l = 0; l < ir->n_loops; l++) {
        const IrLoopTerms *loop = &ir->loops[l];
        str_addf(s, "    { %u, %u, %u, %d, { ", loop->block, loop->first, loop->n, loop->is_linear);
        add_place(s, loop->residuals[0], ", ");
        add_place(s, loop->residuals[1], " } },\n");
    }
    str_add(s, "};\n");
    add_list(s, "uint32_t", "loop_of", ir->loop_of, ir->n_shared);
    add_list(s, "uint32_t", "guess_from", c->qss->guess_from, ir->n_shared);
    add_list(s, "uint32_t", "guess_kept", c->qss->guess_kept, ir->n_shared);
    if (ir->n_relations) add_lists(s, "loops_of", &ir->loops_of, ir->n_relations);
}

// ---- Relations

static void add_numbers(StrBuf *s, const char *name, size_t i, const double *numbers, size_t n)
{
    str_addf(s, "static const double %s_%zu[] = {", name, i);
    for (size_t k = 0; k < n; k++) {
        str_add(s, k == 0 ? " " : k % 8 ? ", " : ",\n    ");
        gen_number(s, numbers[k]);
    }
    str_add(s, " };\n");
}

// The tables of the terms, as bounds and relations read them.
static void add_stepped(const CExport *c, StrBuf *s, const IrQuantised *ir)
{
    const ExprPool *pool = &ir->pool;
    for (size_t i = 0; i < pool->pieces.n; i++)
        add_numbers(s, "stepped", i, pool->pieces.items[i].numbers, pool->pieces.items[i].n_numbers);
    str_add(s, "static const ExprPieces stepped_tables[] = {\n");
    for (size_t i = 0; i < pool->pieces.n; i++)
        str_addf(s, "    { stepped_%zu, { %u } },\n", i, pool->pieces.items[i].n_breaks[0]);
    str_add(s, pool->pieces.n ? "};\n" : "    { NULL, { 0 } },\n};\n");
    if (!c_is_on(c, TEXT("HAS_LINES"))) return;
    for (size_t i = 0; i < pool->tables.n; i++) {
        add_numbers(s, "points_x", i, pool->tables.items[i].x, pool->tables.items[i].n);
        add_numbers(s, "points_y", i, pool->tables.items[i].y, pool->tables.items[i].n);
    }
    str_add(s, "static const ExprTable point_tables[] = {\n");
    for (size_t i = 0; i < pool->tables.n; i++)
        str_addf(s, "    { points_x_%zu, points_y_%zu, %u },\n", i, i, pool->tables.items[i].n);
    str_add(s, "};\n");
}

static void add_leaps(StrBuf *s, const IrQuantised *ir)
{
    str_add(s, "static const struct IrSteps steps_seen[] = {\n");
    for (uint32_t k = 0; k < ir->n_relations; k++) {
        if (ir->steps[k].table == FLAT_NONE) str_add(s, "    { FLAT_NONE, ");
        else str_addf(s, "    { %u, ", ir->steps[k].table);
        gen_number(s, ir->steps[k].period);
        str_add(s, ", ");
        gen_number(s, ir->steps[k].level);
        str_add(s, " },\n");
    }
    str_add(s, "};\n");
}

static void add_relations(const CExport *c, StrBuf *s, const IrQuantised *ir)
{
    str_add(s, "// Relations: who depends on modes, and who must be looked at again.\n");
    add_lists(s, "mode_affects", &ir->mode_affects, ir->n_relations);
    add_lists(s, "watched_by", &ir->watched_by, ir->n_states);
    add_lists(s, "mode_watched_by", &ir->mode_watched_by, ir->n_relations);
    str_add(s, "static const uint8_t comparisons[] = {");
    for (uint32_t k = 0; k < ir->n_relations; k++)
        str_addf(s, "%sEXPR_%s", k == 0 ? " " : k % 8 ? ", " : ",\n    ", expr_ops[ir->comparison[k]].name);
    str_add(s, " };\n");
    add_flags(s, "relation_bends", ir->relation_bends, ir->n_relations);
    add_flags(s, "relation_is_opaque", ir->relation_is_opaque, ir->n_relations);
    if (c_is_on(c, TEXT("HAS_LEAPS"))) add_leaps(s, ir);
}

// ---- Pairs

static void add_pairs(const CExport *c, StrBuf *s)
{
    const QssPairs *pairs = c->qss->pairs;
    str_add(s, "// States that push each other.\nstatic QssPair pair_items[] = {\n");
    for (uint32_t i = 0; i < pairs->start[c->qss->n]; i++) {
        const QssPair *pair = &pairs->items[i];
        str_addf(s, "    { %u, %u, %u, ", pair->other, pair->here, pair->there);
        add_place(s, pair->own_here, ", ");
        add_place(s, pair->own_there, " },\n");
    }
    if (pairs->start[c->qss->n] == 0) str_add(s, "    { 0, 0, 0, 0, 0 },\n");
    str_add(s, "};\nstatic uint32_t pair_start[] = {");
    for (uint32_t i = 0; i <= c->qss->n; i++)
        str_addf(s, "%s%u", i == 0 ? " " : i % 24 ? ", " : ",\n    ", pairs->start[i]);
    str_add(s, " };\nstatic const QssPairs pairs = { pair_start, pair_items };\n");
}

// ---- All of it

// What shared_make takes, in doubles.
static size_t loop_memory(const Qss *m)
{
    const IrQuantised *ir = m->ir;
    size_t n = 0, largest = 0, most_slots = 0;
    for (uint32_t i = 0; i < ir->n_shapes; i++)
        if (ir->shapes[i].n_slots > most_slots) most_slots = ir->shapes[i].n_slots;
    for (uint32_t l = 0; l < ir->n_loops; l++) {
        const size_t size = ir->loops[l].n;
        if (size > largest) largest = size;
        n += 2 * (2 * size * size + size + 2 * sizeof(QssLoop) / 8 + 16);
    }
    return n + sizeof(QssLoops) / 8 + most_slots + ir->n_shared + 8 * largest + largest * largest + 64;
}

static void add_settings(const CExport *c, StrBuf *s)
{
    const Qss *m = c->qss;
    str_addf(s,
             "enum { ORDER = %d, IMPLICIT = %d, N_SHARED = %u };    // "
             "shared: variables that several rates read\n",
             m->order, m->is_implicit, m->ir->n_shared);
    if (!m->scans) str_addf(s, "enum { CALENDAR_BYTES = %zu };\n", calendar_bytes(m->n));
    if (m->ir->n_relations)
        str_addf(s, "enum { CROSSINGS_BYTES = %zu };\n", calendar_bytes(m->ir->n_relations));
    if (m->ir->n_places) str_addf(s, "enum { N_PLACES = %u };\n", m->ir->n_places);
    if (c_is_on(c, TEXT("HAS_PARTS"))) str_addf(s, "enum { LOOP_MEMORY = %zu };\n", loop_memory(m));
    if (c_is_on(c, TEXT("HAS_BOUNDS"))) str_addf(s, "enum { N_RECORDS = %u };\n", ir_most_records(m->ir));
    c_define(s, "LEAST_WAIT", m->least_wait, "between two looks at a rate that bends");
    str_addf(s, "#define %-12s %s\n\n", "LEAVE3", m->order == 3 ? "roots_leave3" : "NULL");
}

static void add_data(const CExport *c, StrBuf *s)
{
    const Qss *m = c->qss;
    const IrQuantised *ir = m->ir;
    str_add(s,
            "// The quanta: relative to the state, within limits.\nstatic const QssQuantum quanta[] = {\n");
    for (uint32_t i = 0; i < (m->has_own_quanta ? m->n : 1); i++) {
        str_add(s, "    { ");
        gen_number(s, m->quanta[i].least);
        str_add(s, ", ");
        gen_number(s, m->quanta[i].relative);
        str_add(s, ", ");
        if (isinf(m->quanta[i].most)) str_add(s, "INFINITY");
        else gen_number(s, m->quanta[i].most);
        str_add(s, " },\n");
    }
    str_add(s, "};\n");
    add_terms(s, ir);
    str_add(s, "// Which rates depend on a state.\n");
    add_lists(s, "affects", &ir->affects, m->n);
    if (ir->n_shared) {
        str_add(s, "// Which shared variables a rate needs.\n");
        add_lists(s, "shared_of", &ir->shared_of, m->n);
    }
    if (c_is_on(c, TEXT("HAS_SHAPES"))) add_shapes(c, s, ir);
    if (c_is_on(c, TEXT("HAS_STEPPED"))) add_stepped(c, s, ir);
    if (ir->n_loops) add_loops(c, s, ir);
    if (ir->n_relations) add_relations(c, s, ir);
    if (ir->n_places) {
        str_add(s, "// Variables that only events change, in v, and who reads them.\n");
        add_list(s, "uint32_t", "event_places", ir->places, ir->n_places);
        add_lists(s, "place_affects", &ir->place_affects, ir->n_places);
        if (ir->n_relations) add_lists(s, "place_watched_by", &ir->place_watched_by, ir->n_places);
    }
    if (m->bends) {
        str_add(s, "// Rates whose polynomial is only near the truth.\n");
        add_flags(s, "is_bent", code_bends(ir, m->order), m->n);
        add_flags(s, "is_wild", m->wild, m->n);
    } else {
        str_add(s, "#define is_bent NULL    // each polynomial is exact\n#define is_wild NULL\n");
    }
    if (m->opaque) add_flags(s, "is_opaque_rate", m->opaque, m->n);
    c_add_template(c, s,
                   "static const IrQuantised quantised = {\n"
                   "    .n_states = N_STATES,\n"
                   "    .shape_of = shape_of, .row_of = row_of, .rows = term_rows, .numbers = term_numbers,\n"
                   "    .affects = { affects_start, affects_items },\n"
                   "#if HAS_SHAPES\n"
                   "    .n_shapes = sizeof shapes/sizeof *shapes, .shapes = shapes,\n"
                   "#endif\n"
                   "#if HAS_HELD\n"
                   "    .moves_in_time = is_bent,\n"
                   "#endif\n"
                   "#if HAS_SHARED\n"
                   "    .n_shared = N_SHARED,\n"
                   "    .shared_of = { shared_of_start, shared_of_items },\n"
                   "#endif\n"
                   "#if HAS_LOOPS\n"
                   "    .n_loops = sizeof loops/sizeof *loops, .loops = loops, .loop_of = loop_of,\n"
                   "#if HAS_RELATIONS\n"
                   "    .loops_of = { loops_of_start, loops_of_items },\n"
                   "#endif\n"
                   "#endif\n"
                   "#if HAS_RELATIONS\n"
                   "    .n_relations = N_RELATIONS,\n"
                   "    .mode_affects = { mode_affects_start, mode_affects_items },\n"
                   "    .watched_by = { watched_by_start, watched_by_items },\n"
                   "    .mode_watched_by = { mode_watched_by_start, mode_watched_by_items },\n"
                   "    .comparison = comparisons, .relation_bends = relation_bends,\n"
                   "    .relation_is_opaque = relation_is_opaque,\n"
                   "#endif\n"
                   "#if HAS_LEAPS\n"
                   "    .steps = steps_seen,\n"
                   "#endif\n"
                   "#if HAS_STEPPED\n"
                   "    .pool = {\n"
                   "        { stepped_tables },\n"
                   "#if HAS_LINES\n"
                   "        { point_tables },\n"
                   "#endif\n"
                   "    },\n"
                   "#endif\n"
                   "#if HAS_PLACES\n"
                   "    .n_places = N_PLACES, .places = event_places,\n"
                   "    .place_affects = { place_affects_start, place_affects_items },\n"
                   "#if HAS_RELATIONS\n"
                   "    .place_watched_by = { place_watched_by_start, place_watched_by_items },\n"
                   "#endif\n"
                   "#endif\n"
                   "};\n"
                   "#if HAS_DERIVATIVES\n"
                   "static const CodeQuantised derivatives = {\n"
                   "#if HAS_PARTS\n"
                   "    .parts = orr_parts,\n"
                   "#endif\n"
                   "#if HAS_PAIRS\n"
                   "    .slopes = orr_slopes,\n"
                   "#endif\n"
                   "};\n"
                   "#endif\n\n");
}

// Is it met in what is bounded?
static bool has_record(const IrQuantised *ir, ExprOp op)
{
    for (uint32_t i = 0; i < ir->n_shapes; i++)
        for (uint32_t k = 0; k < ir->shapes[i].n_records; k++)
            if (ir->shapes[i].records[k].op == op) return true;
    return false;
}

bool c_has_record(const CExport *c, ExprOp op) { return c->qss && has_record(c->qss->ir, op); }

const uint8_t *c_bounds_math(const CExport *c, Arena *arena)
{
    static const uint8_t ops[][2] = {
        { EXPR_SIN, EXPR_COS },     { EXPR_COS, EXPR_SIN },     { EXPR_SINH, EXPR_COSH },
        { EXPR_COSH, EXPR_SINH },   { EXPR_TAN, EXPR_TAN },     { EXPR_TANH, EXPR_TANH },
        { EXPR_EXP, EXPR_EXP },     { EXPR_POW, EXPR_EXP },     { EXPR_POW, EXPR_LOG },
        { EXPR_LOG, EXPR_LOG },     { EXPR_LOG10, EXPR_LOG },   { EXPR_ASIN, EXPR_ASIN },
        { EXPR_ACOS, EXPR_ASIN },   { EXPR_ATAN, EXPR_ATAN },   { EXPR_ATAN2, EXPR_ATAN },
        { EXPR_FLOOR, EXPR_FLOOR }, { EXPR_CEIL, EXPR_CEIL },   { EXPR_ROUND, EXPR_ROUND },
        { EXPR_SIGN, EXPR_SIGN },
    };
    bool is_used[EXPR_N_OPS] = { false };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (c_has_record(c, (ExprOp)ops[i][0])) is_used[ops[i][0]] = is_used[ops[i][1]] = true;
    is_used[EXPR_POW] = is_used[EXPR_LOG10] = is_used[EXPR_ACOS] = is_used[EXPR_ATAN2] = false;
    uint8_t *list = ARENA_ARRAY(arena, uint8_t, EXPR_N_OPS + 1);
    for (int op = 0, n = 0; op < EXPR_N_OPS; op++)
        if (is_used[op]) list[n++] = (uint8_t)op;
    return list;
}

// The operations of expressions, by number; and those that bounds compute numbers with.
static void add_operations(const CExport *c, StrBuf *s)
{
    str_add(s, "typedef enum ExprOp {");
    for (int op = 0; op < EXPR_N_OPS; op++)
        str_addf(s, "%sEXPR_%s", op == 0 ? " " : op % 8 ? ", " : ",\n    ", expr_ops[op].name);
    str_add(s, " } ExprOp;\n\n");
    if (!c_is_on(c, TEXT("HAS_BOUNDS"))) return;
    str_add(s, "static double expr_apply(ExprOp op, double a, double b, double c)\n{\n    (void)b, (void)c;\n"
               "    switch (op) {\n    case EXPR_POW: return orr_pow(a, b);\n");
    for (const uint8_t *op = c_bounds_math(c, s->arena); *op; op++)
        str_addf(s, "    case EXPR_%s: return %s(a);\n", expr_ops[*op].name, expr_ops[*op].c);
    str_add(s, "    default: return a;\n    }\n}\n\n");
}

void c_add_quanta(const CExport *c, StrBuf *s)
{
    const bool has_relations = c->qss->ir->n_relations > 0;
    c_add_private(c, s, QSS_STEP_TEXT, "");
    if (c->qss->order == 3 || has_relations) {
        const char *unused = c->qss->order != 3 ? "roots_leave3 root_between first_rise "
                             : !has_relations   ? "roots_fall "
                                                : "";
        c_add_private(c, s, TEXT_SOLVE_QSS_ROOTS_H, unused);
        c_add_private(c, s, TEXT_SOLVE_QSS_ROOTS_C, unused);
    }
    const bool has_bounds = c_is_on(c, TEXT("HAS_BOUNDS"));
    add_settings(c, s);
    if (has_relations || has_bounds) add_operations(c, s);
    c_add_template(c, s, TEXT_QUANTA);
    if (has_bounds) c_add_private(c, s, TEXT_SOLVE_QSS_BOUNDS_H, "");
    if (c->qss->ir->n_shared) c_add_private(c, s, TEXT_SOLVE_QSS_SHARED_H, "");
    if (c->qss->pairs) c_add_private(c, s, TEXT_SOLVE_QSS_PAIRS_H, "");
    if (has_relations) c_add_private(c, s, TEXT_SOLVE_QSS_RELATIONS_H, "");
    add_data(c, s);
    if (c->qss->pairs) add_pairs(c, s);
    if (has_bounds) c_add_private(c, s, TEXT_SOLVE_QSS_BOUNDS_C, "");
    if (c->qss->ir->n_shared) c_add_private(c, s, TEXT_SOLVE_QSS_SHARED_C, "");
    if (has_relations) c_add_private(c, s, TEXT_SOLVE_QSS_RELATIONS_C, "");
    if (c->qss->pairs) c_add_private(c, s, TEXT_SOLVE_QSS_PAIRS_C, "");
    c_add_private(c, s, TEXT_SOLVE_QSS_STEPS_INC, "");
}

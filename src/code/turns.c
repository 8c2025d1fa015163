// src/code/turns.c: loops over statements of equal shape, as C.
//
//     const double e1 = …;                              what is the same in all turns
//     for (long i = 0; i < 1000; i++) {
//         const double e2 = …;
//         w[5 + i] = …e1…e2…x[T0[i]]…;                  T0: an index table, in env->tables
//     }
//
//     for (long i = 0; i < 1000; i++) switch (T0[i]) {  a long chain of statements of a few shapes
//         case 0: w[T1[c0]] = -w[T2[c0]]; c0++; break;
//         …
//
// Of several members of an ensemble the loop over them is the innermost one: whatever a turn reads, by tables
// too, they have it side by side. What is the same in all turns is then kept for each: h1[lanes].
#include "code/turns.h"
#include "code/cexpr.h"
#include "code/label.h"
#include <stdio.h>

static void print_temporaries(Gen *g, bool that_move)
{
    for (size_t i = 0; i < g->items.n; i++) {
        const Expr e = g->items.items[i].index;
        if ((g->is_switch || plan_node(g, e)->moves) == that_move) gen_temporary(g, e);
    }
}

static void open_lanes(const Gen *g, StrBuf *s, const char *indent)
{
    if (g->lanes) str_addf(s, "%sORR_LANES\n%sfor (int l = 0; l < %u; l++) {\n", indent, indent, g->lanes);
}

static void close_lanes(const Gen *g, StrBuf *s, const char *indent)
{
    if (g->lanes) str_addf(s, "%s}\n", indent);
}

// What does not depend on the turn, once for each member.
static void keep_for_lanes(Gen *g)
{
    StrBuf *s = &g->piece_text;
    bool is_first = true;
    for (size_t i = 0; i < g->items.n; i++) {
        const NodeInfo *info = plan_node(g, g->items.items[i].index);
        if (info->moves) continue;
        str_addf(s, is_first ? "    double h%u[%u]" : ", h%u[%u]", info->number, g->lanes);
        is_first = false;
    }
    if (is_first) return;
    str_add(s, ";\n");
    open_lanes(g, s, "    ");
    print_temporaries(g, false);
    for (size_t i = 0; i < g->items.n; i++) {
        const NodeInfo *info = plan_node(g, g->items.items[i].index);
        if (!info->moves) str_addf(s, "    h%u[l] = e%u;\n", info->number, info->number);
    }
    close_lanes(g, s, "    ");
}

static void load_for_lanes(Gen *g)
{
    for (size_t i = 0; i < g->items.n; i++) {
        const Expr e = g->items.items[i].index;
        const NodeInfo *info = plan_node(g, e);
        if (info->moves) continue;
        str_addf(&g->piece_text,
                 g->is_truth[e] ? "%sconst int e%u = h%u[l] != 0.0;\n" : "%sconst double e%u = h%u[l];\n",
                 g->indent, info->number, info->number);
    }
}

static void print_body(Gen *g)
{
    StrBuf *s = &g->piece_text;
    const IrBody *body = g->turn;
    g->own = EXPR_NONE;
    str_add(s, g->indent);
    if (body->statement.kind == IR_PARAM) {
        g->uses_array[ARRAY_X] = true;
        str_add(s, "if (x[");
        cexpr_index(g, &body->target);
        str_add(s, "] == 0.0) ");
    }
    cexpr_moving(g, &body->target);
    str_add(s, " = ");
    cexpr_value(g, body->statement.value);
    str_add_char(s, ';');
    label_place(g, s, plan_array_of[body->target.memory], body->target.first);
    str_add_char(s, '\n');
}

static void move_text(StrBuf *to, StrBuf *from)
{
    if (from->n) str_add_text(to, (Text){ from->p, from->n });
    from->n = 0;
}

// Each turn executes one of the bodies, which count their own turns.
static void print_switch(Gen *g, const IrLoop *loop)
{
    StrBuf *s = &g->piece_text, inside = { .arena = &g->work };
    g->is_switch = true;
    g->indent = "            ";
    for (uint32_t k = 0; k < loop->n_body; k++) {
        char counter[16];
        snprintf(counter, sizeof counter, "c%u", k);
        g->counters[0] = counter;
        plan_body(g, &loop->body[k]);
        str_addf(&inside, "        case %u: {\n", k);
        open_lanes(g, s, g->indent);
        print_temporaries(g, true);
        print_body(g);
        close_lanes(g, s, g->indent);
        move_text(&inside, s);
        str_addf(&inside, "            %s++;\n            break;\n        }\n", counter);
    }
    for (uint32_t k = 0; k < loop->n_body; k++) str_addf(s, "%s%u = 0", k ? ", c" : "    long c", k);
    str_addf(s, ";\n    for (long i = 0; i < %u; i++) {\n        switch (", loop->count[0]);
    cexpr_table(g, s, loop->codes);
    str_add(s, "[i]) {\n");
    move_text(s, &inside);
    str_add(s, "        }\n    }\n");
    g->is_switch = false;
}

static void print_nest(Gen *g, const IrLoop *loop)
{
    static const char *const counters[IR_DEPTH_MAX] = { "i", "j", "k" };
    static const char *const indents[] = { "    ", "        ", "            ", "                " };
    StrBuf *s = &g->piece_text, before = { .arena = &g->work }, inside = { .arena = &g->work };
    for (int k = 0; k < IR_DEPTH_MAX; k++) g->counters[k] = counters[k];
    for (uint32_t k = 0; k < loop->n_body; k++) {
        plan_body(g, &loop->body[k]);
        g->indent = "    ";
        if (g->lanes) keep_for_lanes(g);
        else print_temporaries(g, false);
        move_text(&before, s);
        g->indent = indents[loop->n_nested];
        if (g->lanes) load_for_lanes(g);
        print_temporaries(g, true);
        print_body(g);
        move_text(&inside, s);
    }
    move_text(s, &before);
    for (uint32_t k = 0; k < loop->n_nested; k++)
        str_addf(s, "%sfor (long %s = 0; %s < %u; %s++) {\n", indents[k], counters[k], counters[k],
                 loop->count[k], counters[k]);
    // gathering from many places at once is slower than one by one
    if (g->tables.n && !g->lanes) str_addf(s, "%sORR_ONE_BY_ONE\n", indents[loop->n_nested]);
    open_lanes(g, s, indents[loop->n_nested]);
    move_text(s, &inside);
    close_lanes(g, s, indents[loop->n_nested]);
    for (uint32_t k = loop->n_nested; k-- > 0;) str_addf(s, "%s}\n", indents[k]);
}

void turns_print(Gen *g, const IrLoop *loop)
{
    const char *indent = g->indent;
    g->has_loops = true;
    if (loop->codes != FLAT_NONE) print_switch(g, loop);
    else print_nest(g, loop);
    g->indent = indent;
    g->turn = NULL;
}

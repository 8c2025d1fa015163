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
        print_temporaries(g, true);
        print_body(g);
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
        print_temporaries(g, false);
        move_text(&before, s);
        g->indent = indents[loop->n_nested];
        print_temporaries(g, true);
        print_body(g);
        move_text(&inside, s);
    }
    move_text(s, &before);
    for (uint32_t k = 0; k < loop->n_nested; k++)
        str_addf(s, "%sfor (long %s = 0; %s < %u; %s++) {\n", indents[k], counters[k], counters[k],
                 loop->count[k], counters[k]);
    // gathering from many places at once is slower than one by one
    if (g->tables.n) str_addf(s, "%sORR_ONE_BY_ONE\n", indents[loop->n_nested]);
    move_text(s, &inside);
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

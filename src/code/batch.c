// src/code/batch.c: elementary functions of a piece, computed several at a time; see batch.h.
#include "code/batch.h"
#include "code/cexpr.h"
#include <stdlib.h>
#include <string.h>

enum {
    TOGETHER_MIN = 4,      // calls of one function that are worth it
    PLACES_MAX = 512,      // of f, on the C stack
};

static uint32_t level_of(Gen *g, Operand o)
{
    o = plan_through(g, o);
    if (operand_is_variable(o)) {
        const VarInfo *info = plan_variable(g, operand_variable(o));
        return plan_is_local(g, info) ? info->level : 0;
    }
    if (!operand_is_node(o)) return 0;
    NodeInfo *info = plan_node(g, o);
    if (info->number && o != g->own) return info->piece == g->piece ? info->level : 0;
    uint32_t level = 0;
    for (int i = 0; i < info->n_operands; i++) {
        const uint32_t below = level_of(g, info->operands[i]);
        if (below > level) level = below;
    }
    const int math = info->power ? -1 : expr_math_of((ExprOp)info->op);
    if (math < 0 || !expr_math[math].each) return level;
    vec_push(&g->work, &g->calls, (Call){ o, level, (uint32_t)math });
    return level + 1;
}

static bool find_levels(Gen *g, size_t first, size_t end)
{
    for (size_t k = first; k < end; k++) {
        Item *item = &g->items.items[k];
        item->level = item->rank = 0;
        g->own = EXPR_NONE;
        if (item->is_temporary) {
            g->own = item->index;
            item->level = level_of(g, item->index);
            plan_node(g, item->index)->level = item->level;
            continue;
        }
        const Step *step = &g->r->steps[item->index];
        if (step->kind != STEP_LET && step->kind != STEP_STORE) return false;
        item->level = level_of(g, plan_operand(g, step->value));
        if (step->kind == STEP_LET) g->vars[step->variable].level = item->level;
    }
    return true;
}

// By level and function; else in the order in which they were met.
static int compare_calls(const void *a, const void *b)
{
    const Call *x = a, *y = b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    if (x->math != y->math) return x->math < y->math ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

// Behind the calls of one level and one function that begin at `first`.
static size_t end_of_group(const Gen *g, size_t first)
{
    const Call *calls = g->calls.items, *one = &calls[first];
    size_t end = first + 1;
    while (end < g->calls.n && calls[end].level == one->level && calls[end].math == one->math) end++;
    return end;
}

// Calls of one level and one function get neighbouring places; few are printed where they stand.
static bool give_places(Gen *g)
{
    Call *calls = g->calls.items;
    const uint32_t before = g->n_places;
    size_t n_kept = 0;
    qsort(calls, g->calls.n, sizeof *calls, compare_calls);
    for (size_t i = 0, end; i < g->calls.n; i = end) {
        end = end_of_group(g, i);
        if (end - i < TOGETHER_MIN || g->n_places + (end - i) > PLACES_MAX) continue;
        g->uses_each[calls[i].math] = g->uses_math[calls[i].math] = true;
        for (size_t k = i; k < end; k++) {
            plan_node(g, calls[k].node)->place = ++g->n_places;
            calls[n_kept++] = calls[k];
        }
    }
    g->calls.n = n_kept;
    return g->n_places > before;
}

// Does anything else in the piece wait for it?
static bool is_read(const Gen *g, const Item *item)
{
    if (item->is_temporary) return true;
    const Step *step = &g->r->steps[item->index];
    return step->kind == STEP_LET && g->vars[step->variable].used_in == g->piece_id;
}

// By levels, and in a level what others read first.
static void sort_items(Gen *g, size_t first, size_t end)
{
    const ArenaMark mark = arena_mark(&g->scratch);
    const size_t n = end - first;
    Item *items = g->items.items + first;
    Item *sorted = ARENA_ARRAY(&g->scratch, Item, n);
    uint32_t n_ranks = 0;
    for (size_t k = 0; k < n; k++) {
        items[k].rank = 2 * items[k].level + !is_read(g, &items[k]);
        if (items[k].rank >= n_ranks) n_ranks = items[k].rank + 1;
    }
    size_t *start = ARENA_ARRAY(&g->scratch, size_t, (size_t)n_ranks + 1);
    for (size_t k = 0; k < n; k++) start[items[k].rank + 1]++;
    for (uint32_t rank = 1; rank <= n_ranks; rank++) start[rank] += start[rank - 1];
    for (size_t k = 0; k < n; k++) sorted[start[items[k].rank]++] = items[k];
    memcpy(items, sorted, n * sizeof *items);
    arena_release(&g->scratch, mark);
}

void batch_plan(Gen *g, size_t first, size_t end)
{
    g->calls.n = g->n_calls_printed = g->n_arguments_printed = 0;
    // what is read is in locals, or was in memory before the piece began: then any order of levels will do
    if (!g->r->caches || g->r->style != VARS_CONST || g->r->is_named || g->lanes) return;
    if (find_levels(g, first, end) && g->calls.n >= TOGETHER_MIN && give_places(g)) sort_items(g, first, end);
    else g->calls.n = 0;
}

static void print_argument(Gen *g, const Call *call)
{
    StrBuf *s = &g->piece_text;
    const NodeInfo *info = plan_node(g, call->node);
    str_add(s, g->indent);
    gen_name(s, "f[", info->place - 1);
    str_add(s, "] = ");
    cexpr_operand(g, info->operands[0]);
    str_add(s, ";\n");
}

static void print_function(Gen *g, size_t first, size_t end)
{
    StrBuf *s = &g->piece_text;
    const Call *calls = g->calls.items;
    str_add(s, g->indent);
    str_add(s, expr_math[calls[first].math].c_name);
    gen_name(s, "_each(f + ", plan_node(g, calls[first].node)->place - 1);
    gen_name(s, ", ", (uint32_t)(end - first));
    str_add(s, ");\n");
}

void batch_print(Gen *g, const Item *item)
{
    const Call *calls = g->calls.items;
    const uint32_t before = g->own;
    g->own = EXPR_NONE;
    for (;;) {
        // of a level: its arguments once all that they read is there, and its calls before the next
        const size_t k = g->n_arguments_printed, c = g->n_calls_printed;
        const bool calls_are_due = c < k && calls[c].level < item->level;
        const bool argument_is_due = k < g->calls.n && 2 * calls[k].level < item->rank;
        if (calls_are_due && (!argument_is_due || calls[k].level > calls[c].level)) {
            g->n_calls_printed = end_of_group(g, c);
            print_function(g, c, g->n_calls_printed);
        } else if (argument_is_due) {
            print_argument(g, &calls[g->n_arguments_printed++]);
        } else {
            break;
        }
    }
    g->own = before;
}

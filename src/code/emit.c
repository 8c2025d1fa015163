// src/code/emit.c: the statements and functions of a planned routine as C; see emit.h.
#include "code/batch.h"
#include "code/cexpr.h"
#include "code/label.h"
#include "code/prelude.h"
#include "code/turns.h"
#include <assert.h>
#include <string.h>

enum { STACK_DOUBLES = 256 };    // of a loop's unknowns and inputs on the C stack

// ---- Statements

void gen_temporary(Gen *g, Expr e)
{
    StrBuf *s = &g->piece_text;
    const NodeInfo *info = plan_node(g, e);
    str_add(s, g->indent);
    gen_name(s, g->is_truth[e] ? "const int e" : "const double e", info->number);
    str_add(s, " = ");
    g->own = e;
    cexpr_print(g, e, BIND_IF);
    str_add(s, ";\n");
    if (!info->slot) return;
    str_add(s, g->indent);
    cexpr_place(g, s, ARRAY_S, info->slot - 1);
    gen_name(s, " = e", info->number);
    str_add(s, ";\n");
}

// Is a computed variable read as a local, in the piece that computes it?
static bool is_read_here(const Gen *g, uint32_t variable)
{
    return g->r->style == VARS_OUTSIDE || (g->r->is_named && g->vars[variable].uses > 0) ||
           (g->r->style == VARS_CONST && g->vars[variable].used_in == g->piece_id);
}

static void print_let(Gen *g, const Step *step)
{
    StrBuf *s = &g->piece_text;
    const VarInfo *info = &g->vars[step->variable];
    const bool is_named = is_read_here(g, step->variable) || info->array == ARRAY_NONE;
    str_add(s, g->indent);
    if (is_named) {
        gen_name(s, g->r->style == VARS_CONST ? "const double a" : "a", step->variable);
        str_add(s, " = ");
        cexpr_value(g, step->value);
        str_add_char(s, ';');
        label_variable(g, s, step->variable);
        str_add_char(s, '\n');
        if (info->array == ARRAY_NONE) return;
        str_add(s, g->indent);
    }
    cexpr_place(g, s, (Array)info->array, info->index);
    str_add(s, " = ");
    if (is_named) gen_name(s, "a", step->variable);
    else cexpr_value(g, step->value);
    str_add_char(s, ';');
    if (!is_named) label_variable(g, s, step->variable);
    str_add_char(s, '\n');
}

void gen_loop_name(const Gen *g, StrBuf *s, const Ordered *system, uint32_t block)
{
    gen_name(s, system == &g->ir->blocks->start ? "orr_start_loop_" : "orr_loop_", block);
}

static void print_unknowns_declaration(Gen *g, const Block *block)
{
    StrBuf *s = &g->piece_text;
    bool is_first = true;
    for (uint32_t k = 0; k < block->n; k++) {
        if (!is_read_here(g, block->unknowns[k])) continue;
        if (is_first) str_add(s, g->indent);
        gen_name(s, is_first ? "double a" : ", a", block->unknowns[k]);
        is_first = false;
    }
    if (!is_first) str_add(s, ";\n");
}

// Hand the loop what it reads, call it, take its unknowns.
static void print_solve(Gen *g, const Step *step)
{
    StrBuf *s = &g->piece_text;
    const Block *block = &g->r->system->blocks[step->index];
    uint32_t n;
    const uint32_t *inputs = gen_loop_inputs(g, g->r, step->index, &n);
    if (g->r->style == VARS_CONST) print_unknowns_declaration(g, block);
    str_addf(s, "%s{\n%s    ", g->indent, g->indent);
    if (n + block->n <= STACK_DOUBLES) {
        if (n) str_addf(s, "double in[%u], z[%u];\n", n, block->n);
        else str_addf(s, "double z[%u];\n", block->n);
    } else {
        const uint32_t place = g->ir->layout.first_work + ir_matrix_size(block);
        str_addf(s, "double *in = env->v + %u, *z = in + %u;\n", place, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        str_addf(s, "%s    in[%u] = ", g->indent, i);
        cexpr_variable(g, inputs[i]);
        str_add(s, ";\n");
    }
    str_addf(s, "%s    if (", g->indent);
    gen_loop_name(g, s, g->r->system, step->index);
    str_addf(s, "(%s, %s, env, z, %s)) ", g->r->time, n ? "in" : "0", g->r->remember);
    str_addf(s, g->r->failed, step->index + 1);
    str_add(s, "\n");
    for (uint32_t k = 0; k < block->n; k++) {
        const uint32_t u = block->unknowns[k];
        const VarInfo *info = &g->vars[u];
        if (is_read_here(g, u)) str_addf(s, "%s    a%u = z[%u];\n", g->indent, u, k);
        if (info->array == ARRAY_NONE) continue;
        str_addf(s, "%s    ", g->indent);
        cexpr_place(g, s, (Array)info->array, info->index);
        str_addf(s, " = z[%u];\n", k);
    }
    str_addf(s, "%s}\n", g->indent);
    g->uses_time = g->uses_env = g->can_fail = true;
    if (strcmp(g->r->remember, "remember") == 0) g->uses_remember = true;
}

static void print_form(Gen *g, const Step *step)
{
    StrBuf *s = &g->piece_text;
    const bool is_unread = g->r->unread_form && !g->reads_state[step->index];
    str_add(s, g->indent);
    for (const char *p = is_unread ? g->r->unread_form : g->r->form; *p; p++) {
        if (*p == '#') gen_name(s, "", step->index);
        else if (*p != '@') str_add_char(s, *p);
        else if (g->lanes && g->is_truth[step->value]) cexpr_value(g, step->value);
        // a factor, the last term of a sum, or alone in parentheses
        else cexpr_print(g, step->value, p[-1] == '*' ? BIND_UNARY : p[-2] == '+' ? BIND_PRODUCT : BIND_IF);
    }
    str_add_char(s, '\n');
}

static void print_store(Gen *g, const Step *step)
{
    StrBuf *s = &g->piece_text;
    if (step->array == ARRAY_FORM) {
        print_form(g, step);
        return;
    }
    str_add(s, g->indent);
    if (step->kind == STEP_GIVEN) {
        g->uses_array[ARRAY_X] = true;
        str_addf(s, "if (x[%u] == 0.0) ", step->index);
    }
    cexpr_place(g, s, step->array, step->index);
    str_add(s, " = ");
    cexpr_value(g, step->value);
    str_add_char(s, ';');
    label_place(g, s, step->array, step->index);
    str_add_char(s, '\n');
}

static void print_update(Gen *g, const Step *step)
{
    StrBuf *s = &g->piece_text;
    str_add(s, g->indent);
    if (g->r->is_named) gen_name(s, g->r->copies_states ? "y" : "x", step->index);
    else cexpr_place(g, s, ARRAY_X, step->index);
    str_add(s, " = ");
    if (g->r->is_named) gen_name(s, "x", step->index);
    else cexpr_place(g, s, ARRAY_X, step->index);
    str_add(s, " + h*");
    cexpr_print(g, step->value, BIND_UNARY);
    str_add(s, ";\n");
    g->uses_step = true;
    if (g->r->copies_states) g->n_new = step->index + 1;
}

static void print_step(Gen *g, const Step *step)
{
    StrBuf *s = &g->piece_text;
    g->own = EXPR_NONE;
    switch (step->kind) {
    case STEP_LET: print_let(g, step); return;
    case STEP_STORE: case STEP_GIVEN: print_store(g, step); return;
    case STEP_UPDATE: print_update(g, step); return;
    case STEP_SOLVE: print_solve(g, step); return;
    case STEP_RERUN:
        str_addf(s, "%sout[%u] = ", g->indent, step->index + 1);
        cexpr_value(g, step->value);
        str_addf(s, ";\n%sif (out[%u] != 0.0) out[0] = 1.0;\n", g->indent, step->index + 1);
        g->uses_array[ARRAY_OUT] = true;
        return;
    case STEP_COPY:
        str_addf(s, "%sv[%u] = v[%u];\n", g->indent, step->index, step->variable);
        g->uses_array[ARRAY_V] = true;
        return;
    case STEP_CALL:
        str_addf(s, "%s{\n%s    const int failed = orr_%s(t, out, env, out);\n", g->indent, g->indent,
                 g->ir->programs[step->index].name);
        str_addf(s, "%s    if (failed) return failed + %u;\n%s}\n", g->indent, g->r->system->n_blocks,
                 g->indent);
        g->uses_array[ARRAY_OUT] = g->uses_env = g->uses_time = g->can_fail = true;
        return;
    case STEP_LOOP: assert(false && "a piece of its own"); return;
    }
}

// ---- Functions

static void open_piece(Gen *g)
{
    g->piece_id++;
    g->piece_text.n = 0;
    g->loads.n = 0;
    g->tables.n = 0;
    g->n_places = 0;
    g->uses_time = g->uses_env = g->uses_step = g->uses_remember = g->can_fail = g->is_loop_piece = false;
    memset(g->uses_array, 0, sizeof g->uses_array);
}

// Parts of the value block that the piece itself takes from env; lanes are handed theirs.
static bool takes_values(const Gen *g)
{
    return !g->lanes &&
           (g->uses_array[ARRAY_V] || g->uses_array[ARRAY_S] || (g->uses_array[ARRAY_W] && !g->r->has_w));
}

static bool uses_argument(const Gen *g, Text name)
{
    if (text_is(name, "t")) return g->uses_time;
    if (text_is(name, "h")) return g->uses_step;
    if (text_is(name, "remember")) return g->uses_remember;
    if (text_is(name, "env"))
        return g->uses_env || g->uses_array[ARRAY_N] || g->tables.n || takes_values(g);
    for (size_t i = 1; i < ARRAY_FORM; i++)
        if (text_is(name, cexpr_array_names[i])) return g->uses_array[i];
    return true;
}

static void print_unused(Gen *g, StrBuf *s)
{
    Text rest = text_from(g->r->arguments);
    bool is_first = true;
    while (rest.n) {
        size_t n = 0;
        while (n < rest.n && rest.p[n] != ',') n++;
        const Text name = text_part(rest, 0, n);
        if (!uses_argument(g, name)) {
            str_add(s, is_first ? "    (void)" : ", (void)");
            str_add_text(s, name);
            is_first = false;
        }
        rest = text_part(rest, n < rest.n ? n + 2 : n, rest.n);
    }
    if (!is_first) str_add(s, ";\n");
}

static void print_loads(Gen *g, StrBuf *s)
{
    for (size_t i = 0; i < g->loads.n; i++) {
        const Array array = (Array)(g->loads.items[i] >> 32);
        const uint32_t index = (uint32_t)g->loads.items[i];
        str_add(s, cexpr_is_mode(g, array, index) ? "    const int " : "    const double ");
        cexpr_local(g, s, array, index);
        str_add(s, " = ");
        cexpr_place(g, s, array, index);
        str_add(s, cexpr_is_mode(g, array, index) ? " != 0.0;" : ";");
        label_place(g, s, array, index);
        str_add_char(s, '\n');
    }
}

static void print_signature(Gen *g, StrBuf *s, bool returns_int, uint32_t piece_plus_1)
{
    const bool is_piece = piece_plus_1 != 0;
    const bool is_shared = is_piece ? g->r->may_be_cut : g->r->is_public && !g->is_file;
    if (!is_shared) str_add(s, "static ");
    str_add(s, returns_int ? "int " : "void ");
    str_add(s, g->r->name);
    if (is_piece) gen_name(s, "_", piece_plus_1);
    str_addf(s, "(%s)", g->r->parameters);
}

static void print_values(Gen *g, StrBuf *s)
{
    const IrLayout *layout = &g->ir->layout;
    if (g->uses_array[ARRAY_V]) str_add(s, "    double *const v = env->v;\n");
    if (g->uses_array[ARRAY_W] && !g->r->has_w)
        str_addf(s, "    double *const w = env->v + %u;\n", layout->first_shadow);
    if (g->uses_array[ARRAY_S])
        str_addf(s, "    double *const s = env->v + %u;\n",
                 g->is_block ? layout->first_loop_scratch : layout->first_scratch);
}

// Wrap the statements of a piece into a function.
static void close_piece(Gen *g, bool is_only)
{
    StrBuf *s = &g->body;
    const bool returns_int = g->can_fail || (is_only && g->r->returns_int);
    if (!is_only) vec_push(&g->work, &g->piece_fails, returns_int);
    // loads use arrays too, so they are printed first
    StrBuf loads = { .arena = &g->work };
    print_loads(g, &loads);
    print_signature(g, s, returns_int, is_only ? 0 : (uint32_t)g->piece_fails.n);
    str_add(s, "\n{\n");
    if (takes_values(g)) print_values(g, s);
    if (g->uses_array[ARRAY_N])
        str_addf(s, "    const double *const %snumbers = env->numbers;\n", g->lanes ? "restrict " : "");
    for (size_t k = 0; k < g->tables.n; k++)
        str_addf(s, "    const unsigned *const T%zu = env->tables + %u;\n", k, g->tables.items[k]);
    print_unused(g, s);
    if (g->n_places) str_addf(s, "    double f[%u];\n", g->n_places);
    const bool is_over_lanes = g->lanes && !g->is_loop_piece;
    if (is_over_lanes) str_addf(s, "    ORR_LANES\n    for (int l = 0; l < %u; l++) {\n", g->lanes);
    if (loads.n) str_add_text(s, (Text){ loads.p, loads.n });
    if (g->piece_text.n) str_add_text(s, (Text){ g->piece_text.p, g->piece_text.n });
    if (is_over_lanes) str_add(s, "    }\n");
    str_add(s, returns_int ? "    return 0;\n}\n\n" : "}\n\n");
}

static void print_dispatcher(Gen *g)
{
    StrBuf *s = &g->body;
    bool fails = false;
    for (size_t i = 0; i < g->piece_fails.n; i++) fails |= g->piece_fails.items[i];
    print_signature(g, s, fails || g->r->returns_int, 0);
    str_add(s, "\n{\n");
    if (fails) str_add(s, "    int failed;\n");
    for (size_t i = 0; i < g->piece_fails.n; i++) {
        str_add(s, g->piece_fails.items[i] ? "    if ((failed = " : "    ");
        str_add(s, g->r->name);
        gen_name(s, "_", (uint32_t)i + 1);
        str_addf(s, "(%s)%s;\n", g->r->arguments, g->piece_fails.items[i] ? ")) return failed" : "");
    }
    str_add(s, fails || g->r->returns_int ? "    return 0;\n}\n\n" : "}\n\n");
}

// A variable that only stores in memory read needs no local: `w[7] = out[0] = …`. How many items follow the
// variable's own; 0 if it is not so.
static size_t count_stores(Gen *g, size_t first, size_t end)
{
    const Step *let = &g->r->steps[g->items.items[first].index];
    if (g->items.items[first].is_temporary || let->kind != STEP_LET || g->r->style != VARS_CONST ||
        g->r->is_named)
        return 0;
    const VarInfo *info = &g->vars[let->variable];
    if (info->array == ARRAY_NONE || info->used_in != g->piece_id) return 0;
    size_t n = 0;
    while (first + 1 + n < end && !g->items.items[first + 1 + n].is_temporary) {
        const Step *step = &g->r->steps[g->items.items[first + 1 + n].index];
        if (step->kind != STEP_STORE || step->array == ARRAY_FORM) break;
        if (plan_operand(g, step->value) != (OPERAND_VARIABLE | let->variable)) break;
        n++;
    }
    return n == info->n_used_in ? n : 0;
}

static void print_stores(Gen *g, const Item *items, size_t n)
{
    StrBuf *s = &g->piece_text;
    const Step *let = &g->r->steps[items[0].index];
    const VarInfo *info = &g->vars[let->variable];
    str_add(s, g->indent);
    cexpr_place(g, s, (Array)info->array, info->index);
    for (size_t i = 1; i <= n; i++) {
        const Step *step = &g->r->steps[items[i].index];
        str_add(s, " = ");
        cexpr_place(g, s, step->array, step->index);
    }
    str_add(s, " = ");
    g->own = EXPR_NONE;
    cexpr_value(g, let->value);
    str_add_char(s, ';');
    label_variable(g, s, let->variable);
    str_add_char(s, '\n');
}

// A run of copies from neighbouring places to neighbouring places, long enough to be a loop; else 0.
static size_t count_copies(Gen *g, size_t first, size_t end)
{
    if (g->r->is_named || g->lanes || g->items.items[first].is_temporary) return 0;
    size_t n = 0;
    const Step *start = NULL;
    uint32_t from = 0;
    Array array = ARRAY_NONE;
    for (; first + n < end && !g->items.items[first + n].is_temporary; n++) {
        const Step *step = &g->r->steps[g->items.items[first + n].index];
        if (step->kind != STEP_STORE || step->array == ARRAY_FORM) break;
        const Operand o = plan_operand(g, step->value);
        if (!operand_is_variable(o)) break;
        const VarInfo *info = plan_variable(g, operand_variable(o));
        if (plan_is_local(g, info) || plan_is_nested(info)) break;
        if (g->leaves[info->array][info->index].count >= LOCAL_FROM) break;    // has a local
        if (n == 0) {
            start = step;
            from = info->index;
            array = (Array)info->array;
        }
        if (step->array != start->array || step->index != start->index + n || info->array != array ||
            info->index != from + n)
            break;
    }
    return n >= 8 ? n : 0;
}

static void print_copies(Gen *g, const Item *items, size_t n)
{
    StrBuf *s = &g->piece_text;
    const Step *step = &g->r->steps[items[0].index];
    const VarInfo *info = plan_variable(g, operand_variable(plan_operand(g, step->value)));
    g->uses_array[step->array] = g->uses_array[info->array] = true;
    str_addf(s, "%sfor (int j = 0; j < %zu; j++) %s[%u + j] = %s[%u + j];\n", g->indent, n,
             cexpr_array_names[step->array], step->index, cexpr_array_names[info->array], info->index);
}

// The pieces printed so far are a text of their own, and declared in the next one.
static void cut(Gen *g)
{
    const uint32_t n = (uint32_t)g->piece_fails.n;
    g->cut->take(g->cut->self, prelude_finish(g, g->texts), g->r->name, n);
    g->body.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        print_signature(g, &g->body, g->piece_fails.items[i], i + 1);
        str_add(&g->body, ";\n");
    }
    str_add_char(&g->body, '\n');
}

static void print_items(Gen *g, bool is_function, uint32_t *open)
{
    const uint32_t after = g->piece;
    const uint32_t cut_at = g->r->may_be_cut && after >= CUT_FROM ? after * CUT_PERCENT / 100 : 0;
    for (size_t i = 0; i < g->items.n;) {
        const uint32_t piece = g->items.items[i].piece;
        size_t end = i;
        while (end < g->items.n && g->items.items[end].piece == piece) end++;
        if (piece != *open) {
            assert(is_function);
            close_piece(g, false);
            if (cut_at && piece == cut_at) cut(g);
            open_piece(g);
            *open = piece;
        }
        for (size_t k = i; k < end; k++) plan_count_reads(g, &g->items.items[k]);
        g->piece = piece;
        batch_plan(g, i, end);
        for (size_t k = i; k < end;) {
            const Item *item = &g->items.items[k];
            batch_print(g, item);
            const size_t n_stores = count_stores(g, k, end),
                         n_copies = n_stores ? 0 : count_copies(g, k, end);
            if (n_stores) print_stores(g, item, n_stores);
            else if (n_copies) print_copies(g, item, n_copies);
            else if (item->is_temporary) gen_temporary(g, item->index);
            else print_step(g, &g->r->steps[item->index]);
            k += n_stores ? n_stores + 1 : n_copies ? n_copies : 1;
        }
        i = end;
    }
    g->piece = after;
}

// A piece of its own.
static void print_loop(Gen *g, uint32_t loop, uint32_t *open)
{
    if (g->n_in_piece) g->piece++;
    if (g->piece != *open) {
        close_piece(g, false);
        open_piece(g);
        *open = g->piece;
    }
    g->is_loop_piece = true;
    turns_print(g, &g->ir->loops.items[loop]);
    g->n_in_piece = PIECE_MAX;
}

// Epoch by epoch. The number of the last piece.
static uint32_t print_all(Gen *g, bool is_function)
{
    uint32_t open = 0;
    open_piece(g);
    for (uint32_t first = 0; first < g->r->n_steps;) {
        const uint32_t end = plan_end_of_epoch(g->r, first);
        if (g->r->steps[first].kind == STEP_LOOP) {
            assert(is_function && end == first + 1);
            print_loop(g, g->r->steps[first].index, &open);
        } else {
            plan_epoch(g, first, end);
            print_items(g, is_function, &open);
        }
        first = end;
    }
    return open;
}

void gen_function(Gen *g)
{
    g->indent = "    ";
    g->piece_fails.n = 0;
    const bool is_only = print_all(g, true) == 0;
    close_piece(g, is_only);
    if (!is_only) print_dispatcher(g);
}

void gen_statements(Gen *g, const char *indent)
{
    g->indent = indent;
    print_all(g, false);
}

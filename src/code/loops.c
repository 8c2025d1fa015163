// src/code/loops.c: the fixed-step methods as loops around the derivatives.
//
// Of a small model the derivatives stand inside the loop, once for each stage, and states, rates and
// parameters are locals: nothing is called and nothing is read from other memory. libtcc keeps every local
// on the stack, and what is stored and soon read again costs more than the arithmetic; so a rate is used
// where it is computed, and each stage has locals of its own:
//
//     y1_0 = x0 + h_2*(k0_0 = …);        k1_, k2_: rates of the next stages        y2_, y3_: their states
//
// Of a large model the loop calls orr_rates on arrays. Both are printed from the table of the method
// (num/fixed.def), in the order of code.h.
#include "code/cgen.h"
#include "code/label.h"
#include "code/lanes.h"
#include "num/fixed.h"
#include "num/turn.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LOCAL_STATES_MAX = 16 };

#define LOOP_PARAMETERS                                                                                      \
    "(double t_start, double h, long k, long n, double *x, const struct orr_env *env,\n    double "          \
    "*scratch, "                                                                                             \
    "int *why)\n{\n"

typedef struct Stepping {
    Cgen  *c;
    bool   is_lanes;          // inside a loop over the members of an ensemble
    bool   is_watched;        // … each of which may have to stop
    const char *fresh;        // … first part of the names of their new states
    StrBuf body;              // of the loop over the steps
    bool   is_local;          // a small model
    bool   has_relations;
    uint32_t n_asserts;       // of members that are watched
    const Tableau *method;    // NULL: in place
    bool   uses_t, uses_next;
    bool   uses_row[TABLEAU_ROWS];    // times of stages between the ends of a step
    bool  *is_read;           // [n_states] by some rate
} Stepping;

static uint32_t n_states(const Stepping *l) { return l->c->gen.ir->layout.n_states; }

static const char *linkage(const Stepping *l) { return l->c->gen.is_file ? "static " : ""; }

static Stepping begin(Cgen *c)
{
    const Ir *ir = c->gen.ir;
    Stepping l = { .c = c, .has_relations = ir->layout.n_modes > 0, .body = { .arena = &c->gen.work } };
    l.is_local = !c->is_large && ir->layout.n_states <= LOCAL_STATES_MAX;
    if (l.is_local && l.has_relations) l.is_local = cgen_fits(c, &ir->programs[IR_CHANGED]);
    memset(c->gen.uses_place, 0, ir->layout.n_values * sizeof *c->gen.uses_place);
    return l;
}

// The new states must not be written over the old ones before all is known.
static bool holds(const Stepping *l) { return l->has_relations || l->is_watched; }

static void note_time(Stepping *l, const char *time)
{
    if (!l->c->gen.uses_time) return;
    if (strcmp(time, "t") == 0) l->uses_t = true;
    else if (strcmp(time, "t_next") == 0) l->uses_next = true;
    else l->uses_row[atoi(time + 2)] = true;
}

// ---- Small models

static Routine named_routine(const IrProgram *program, const char *time, const char *state, const char *form)
{
    Routine r = cgen_routine(program);
    r.is_named = true;
    r.caches = false;
    r.time = time;
    r.state = state;
    r.form = form;
    r.failed = "{ *why = %u; break; }";
    return r;
}

static void add_statements(Stepping *l, const Routine *r, const char *indent)
{
    Gen *g = &l->c->gen;
    gen_begin(g, r);
    gen_statements(g, indent);
    if (g->piece_text.n) str_add_text(&l->body, (Text){ g->piece_text.p, g->piece_text.n });
    note_time(l, r->time);
}

// The rates at the states `state`, each used in a statement of the given form; of another one if the state
// is not read by any rate, so that the next stage does without it.
static void add_stage(Stepping *l, const char *time, const char *state, const char *form,
                      const char *unread_form)
{
    const IrProgram *rates = &l->c->gen.ir->programs[IR_RATES];
    Routine r = named_routine(rates, time, state, form);
    r.unread_form = unread_form;
    r.steps = cgen_steps(l->c, rates, ARRAY_FORM, &r.n_steps);
    str_add(&l->body, "        {\n");
    add_statements(l, &r, "            ");
    str_add(&l->body, "        }\n");
}

// Which states the rates read at all: known once they have been printed.
static void find_read_states(Stepping *l)
{
    memset(l->c->gen.reads_state, 0, n_states(l) * sizeof *l->c->gen.reads_state);
    add_stage(l, "t", "x", "k0_# = @;", NULL);
    l->body.n = 0;
    l->uses_t = false;
    l->is_read = ARENA_ARRAY(&l->c->gen.work, bool, n_states(l));
    memcpy(l->is_read, l->c->gen.reads_state, n_states(l) * sizeof *l->is_read);
}

// The new states become those in x: at once or, of lanes, if the member goes on.
static void add_copy(Stepping *l, const char *from)
{
    l->fresh = from;
    for (uint32_t i = 0; i < n_states(l) && !l->is_watched; i++)
        str_addf(&l->body, "        x%u = %s%u;\n", i, from, i);
}

// What is to be seen at a time and a state, each number in a statement of the given form.
static void add_look(Stepping *l, IrProgramId id, const char *time, const char *state, const char *form)
{
    const IrProgram *program = &l->c->gen.ir->programs[id];
    Routine r = named_routine(program, time, state, form);
    r.remember = "0";
    r.steps = cgen_steps(l->c, program, ARRAY_FORM, &r.n_steps);
    str_add(&l->body, "        {\n");
    add_statements(l, &r, "            ");
    str_add(&l->body, "        }\n");
}

// Before the new states become those in x: do the modes still hold?
static void add_check(Stepping *l, const char *state)
{
    // lanes have to see more: whether a zero function turned round
    if (l->has_relations && l->is_lanes) add_look(l, IR_RELATIONS, "t_next", state, "r# = @;");
    else if (l->has_relations) add_look(l, IR_CHANGED, "t_next", state, "if (@) { *why = -1; break; }");
    if (l->n_asserts) add_look(l, IR_ASSERTS, "t_next", state, "c# = @;");
}

static void load_places(Stepping *l, StrBuf *s)
{
    const IrLayout *layout = &l->c->gen.ir->layout;
    for (uint32_t i = 0; i < layout->first_var; i++) {
        if (!l->c->gen.uses_place[i]) continue;
        const char *place = l->is_lanes ? arena_printf(&l->c->gen.work, "v[%u + l]", i * l->c->gen.lanes)
                                        : arena_printf(&l->c->gen.work, "env->v[%u]", i);
        if (i < layout->n_params) str_addf(s, "    const double p%u = %s;", i, place);
        else str_addf(s, "    const int m%u = %s != 0.0;", i - layout->first_mode, place);
        label_place(&l->c->gen, s, ARRAY_V, i);
        str_add_char(s, '\n');
    }
}

// One number for each state, or for each of those that are read.
static void declare(const Stepping *l, StrBuf *s, const char *name, bool only_read)
{
    bool is_first = true;
    for (uint32_t i = 0; i < n_states(l); i++) {
        if (only_read && !l->is_read[i]) continue;
        str_addf(s, "%s%s%u", is_first ? "    double " : ", ", name, i);
        is_first = false;
    }
    if (!is_first) str_add(s, ";\n");
}

// Times of a step, from the number of the grid point before it: its text, and with 1 added.
static void declare_times(const Stepping *l, StrBuf *s)
{
    const char *grid = l->is_watched ? "T[l]" : "t_start", *k = l->is_watched ? "K[l]" : "(double)(k + i)";
    if (l->uses_t) str_addf(s, "        const double t = %s + %s*h;\n", grid, k);
    for (int row = 0; row < TABLEAU_ROWS; row++)
        if (l->uses_row[row]) {
            str_addf(s, "        const double t_%d = %s + (%s + ", row, grid, k);
            gen_number(s, l->method->rows[row].c);
            str_add(s, ")*h;\n");
        }
    if (l->uses_next)
        str_addf(s, "        const double t_next = %s + %s*h;\n", grid,
                 l->is_watched ? "(K[l] + 1.0)" : "(double)(k + i + 1)");
}

// The same statements for one member after the other: compilers turn the inner loop into vectors.
static void finish_lanes(Stepping *l, const char *name, const char *constants, const char *locals)
{
    Gen *g = &l->c->gen;
    StrBuf *s = &g->body;
    const uint32_t n = n_states(l), width = g->lanes,
                   n_relations = l->has_relations ? g->ir->layout.n_modes : 0;
    str_addf(s, "// %s\nlong orr_lanes(" LANES_PARAMETERS ")\n{\n%s", name, constants);
    str_add(s, "    const double *const restrict numbers = env->numbers;\n    long i;\n"
               "    (void)t_start, (void)k, (void)h, (void)v, (void)numbers, (void)lane, (void)scratch;\n");
    if (l->is_watched) lanes_print_vectors(s, width, n_relations, l->n_asserts);
    str_add(s, "    for (i = 0; i < n; i++) {\n");
    if (!l->is_watched) declare_times(l, s);
    str_addf(s, "        ORR_LANES\n        for (int l = 0; l < %u; l++) {\n", width);
    if (l->is_watched) declare_times(l, s);
    load_places(l, s);
    for (uint32_t i = 0; i < n; i++) str_addf(s, "    double x%u = x[%u + l];\n", i, i * width);
    str_add(s, locals);
    for (uint32_t k = 0; k < 2 * n_relations; k++) str_addf(s, "    double r%u;\n", k);
    for (uint32_t k = 0; k < l->n_asserts; k++) str_addf(s, "    double c%u;\n", k);
    if (l->body.n) str_add_text(s, (Text){ l->body.p, l->body.n });
    if (l->is_watched) {
        str_add(s, "    double odd = 0.0;\n");
        for (uint32_t i = 0; i < n; i++)
            str_addf(s, "    odd = odd + (%s%u - %s%u);\n", l->fresh, i, l->fresh, i);
        for (uint32_t k = 0; k < n_relations; k++)
            lanes_print_relation(s, width, k, arena_printf(&g->work, "r%u", 2 * k),
                                 arena_printf(&g->work, "r%u", 2 * k + 1), g->ir->layout.first_mode + k);
        for (uint32_t k = 0; k < l->n_asserts; k++)
            lanes_print_assert(s, "odd", width, k, arena_printf(&g->work, "c%u", k));
        lanes_print_goes(s);
        for (uint32_t i = 0; i < n; i++)
            str_addf(s, "    x[%u + l] = goes ? %s%u : x%u;\n", i * width, l->fresh, i, i);
        for (uint32_t k = 0; k < n_relations; k++)
            lanes_print_shift(s, width, k, arena_printf(&g->work, "r%u", 2 * k));
        str_add(s, "        }\n");
        lanes_print_count(s, width);
    } else {
        for (uint32_t i = 0; i < n; i++) str_addf(s, "    x[%u + l] = x%u;\n", i * width, i);
        str_add(s, "        }\n");
    }
    str_add(s, "    }\n    return i;\n}\n\n");
}

// `constants`: declarations before the loop. `locals`: those of what there is for each state, besides x.
static void finish_local(Stepping *l, const char *name, const char *constants, const char *locals)
{
    StrBuf *s = &l->c->gen.body;
    const uint32_t n = n_states(l);
    l->c->gen.r = NULL;    // the routines of the stages are gone; what follows belongs to none
    if (l->is_lanes) {
        finish_lanes(l, name, constants, locals);
        return;
    }
    str_addf(s, "%slong orr_%s" LOOP_PARAMETERS "%s", linkage(l), name, n ? constants : "");
    load_places(l, s);
    for (uint32_t i = 0; i < n; i++) {
        str_addf(s, "    double x%u = x[%u];", i, i);
        label_place(&l->c->gen, s, ARRAY_X, i);
        str_add_char(s, '\n');
    }
    str_add(s, locals);
    str_add(s, "    long i;\n    (void)x, (void)env, (void)scratch, (void)t_start, (void)k, (void)h;\n");
    str_add(s, "    *why = 0;\n    for (i = 0; i < n; i++) {\n");
    declare_times(l, s);
    if (l->body.n) str_add_text(s, (Text){ l->body.p, l->body.n });
    str_add(s, "    }\n");
    for (uint32_t i = 0; i < n; i++) str_addf(s, "    x[%u] = x%u;\n", i, i);
    str_add(s, "    return i;\n}\n\n");
}

// ---- A row of a table as text

// The time of a row: those at the same place in the step share a name.
static const char *time_of(const Tableau *m, int row, Arena *arena)
{
    const double c = m->rows[row].c;
    if (c == 0 || c == 1) return c == 0 ? "t" : "t_next";
    for (row = 0; m->rows[row].c != c;) row++;
    return arena_printf(arena, "t_%d", row);
}

// Does a row behind the next one need the rate of a stage?
static bool is_kept(const Tableau *m, int stage)
{
    if (m->rows[stage + 1].weight[stage] == 0) return true;
    for (int row = stage + 2; row <= m->n_stages; row++)
        if (m->rows[row].weight[stage] != 0) return true;
    return false;
}

// "h" or a constant that is declared before the loop.
static void add_part(StrBuf *s, const Tableau *m, int row)
{
    const double divisor = m->rows[row].divisor;
    if (divisor == 1) str_add(s, "h");
    else str_addf(s, "h_%.0f", divisor);
}

// The constants of the rows from `first` on.
static const char *constants_of(const Tableau *m, int first, Arena *arena)
{
    StrBuf s = { .arena = arena };
    for (int row = first; row <= m->n_stages; row++) {
        const double divisor = m->rows[row].divisor;
        int same = first;
        while (m->rows[same].divisor != divisor) same++;
        if (divisor != 1 && same == row)
            str_addf(&s, "    const double h_%.0f = h/%.0f.0;\n", divisor, divisor);
    }
    return str_finish(&s);
}

// What a row adds to x: part*(w0*a + w1*b + …), without what is not needed. `rate` prints the rate of a stage
// from its number; `newest`, if not NULL, is that of the last one.
static void add_row(StrBuf *s, const Tableau *m, int row, const char *rate, const char *newest)
{
    const double *weight = m->rows[row].weight;
    int n = 0, last = 0;
    for (int j = 0; j < row; j++)
        if (weight[j] != 0) n++, last = j;
    const bool is_one = n == 1 && weight[last] == 1;
    add_part(s, m, row);
    str_add(s, is_one ? "*" : "*(");
    lanes_print_sum(s, weight, row, rate, 0, newest);
    if (!is_one) str_add_char(s, ')');
}

// How the rate of a stage is used where it is computed: in the next row, whose value gets the name `to`.
static const char *form_of(const Tableau *m, int stage, const char *to, Arena *arena)
{
    StrBuf s = { .arena = arena };
    const char *rate = arena_printf(arena, "k%d_#", stage);
    const char *newest = is_kept(m, stage) ? arena_printf(arena, "(%s = @)", rate) : "@";
    if (m->rows[stage + 1].weight[stage] == 0) str_addf(&s, "%s = @; ", rate);
    str_addf(&s, "%s# = x# + ", to);
    add_row(&s, m, stage + 1, "k%d_#", newest);
    str_add_char(&s, ';');
    return str_finish(&s);
}

static void print_local(Stepping *l, const Tableau *m)
{
    Arena *arena = &l->c->gen.work;
    StrBuf locals = { .arena = arena };
    const int n_stages = m->n_stages;
    // the end is written over x if nothing reads that any more
    const bool is_apart = holds(l) || n_stages == 1;
    bool any_read = false;
    l->method = m;
    if (n_stages > 1) find_read_states(l);
    for (uint32_t i = 0; n_stages > 1 && i < n_states(l); i++) any_read = any_read || l->is_read[i];
    for (int stage = 0; stage < n_stages; stage++) {
        const bool is_last = stage + 1 == n_stages;
        const char *at = stage ? arena_printf(arena, "y%d_", stage) : "x";
        const char *to = is_last && !is_apart ? "x" : arena_printf(arena, "y%d_", stage + 1);
        const char *unread = is_kept(m, stage) ? arena_printf(arena, "k%d_# = @;", stage) : "(void)(@);";
        add_stage(l, time_of(m, stage, arena), at, form_of(m, stage, to, arena), is_last ? NULL : unread);
        if (is_kept(m, stage)) declare(l, &locals, arena_printf(arena, "k%d_", stage), false);
        if (!is_last || is_apart) declare(l, &locals, to, !is_last);
        if (!is_last || !is_apart) continue;
        add_check(l, to);
        add_copy(l, to);
    }
    finish_local(l, m->name, constants_of(m, any_read ? 1 : n_stages, arena), str_finish(&locals));
}

// ---- Adaptive methods, small models

// Where the rates of a row are computed, and they themselves; what is not finite shows in `sum`.
static void add_adaptive_stage(Stepping *l, const Tableau *m, int row, const char *at, const char *sum)
{
    StrBuf *s = &l->body;
    Arena *arena = &l->c->gen.work;
    for (uint32_t i = 0; i < n_states(l); i++) {
        str_addf(s, "        %s%u = x%u + h*(", at, i, i);
        lanes_print_sum(s, m->rows[row].weight, row, "k%d_%u", i, NULL);
        str_add(s, ");\n");
    }
    str_addf(s, "        t%d = t + ", row);
    gen_number(s, m->rows[row].c);
    str_add(s, "*h;\n");
    add_stage(l, arena_printf(arena, "t%d", row), at, arena_printf(arena, "k%d_# = @;", row), NULL);
    for (uint32_t i = 0; i < n_states(l); i++)
        str_addf(s, "        %s = %s + (k%d_%u - k%d_%u);\n", sum, sum, row, i, row, i);
}

static void add_error(Stepping *l, const Tableau *m)
{
    StrBuf *s = &l->body;
    for (uint32_t i = 0; i < n_states(l); i++) {
        str_addf(s, "        low = __builtin_fabs(x%u), high = __builtin_fabs(y%u);\n", i, i);
        for (int e = 0; e < m->n_errors; e++) {
            str_add(s, "        off = ");
            lanes_print_sum(s, m->error[e], m->n_stages + 1, "k%d_%u", i, NULL);
            str_addf(s,
                     ";\n        off = h*off/(A[%u + l] + tolerance*(low > high ? low : high));\n"
                     "        sum%d = sum%d + off*off;\n",
                     i * l->c->gen.lanes, e, e);
        }
    }
    str_add(s, "        error = ");
    lanes_print_error(s, m, "sum0", "sum1", n_states(l));
    str_add(s, ";\n");
}

// The step as a polynomial of time, as step_make_dense and step_state have it, and the relations at four
// places in it, as in engine/look.c: `watch` is 0 if none differs from its mode and no zero function turns
// round between two of them. Asserts are looked at in the same places, as run/watch.c does.
static void add_looks(Stepping *l, const Tableau *m)
{
    enum { N = TURN_LOOKS };
    Gen *g = &l->c->gen;
    StrBuf *s = &l->body;
    const uint32_t n = n_states(l), n_relations = g->ir->layout.n_modes;
    for (int row = m->n_stages + 1; row <= m->n_stages + m->n_extra; row++)
        add_adaptive_stage(l, m, row, "z", "watch");
    for (uint32_t i = 0; i < n; i++) {
        str_addf(s,
                 "        const double d0_%u = y%u - x%u, d1_%u = h*k0_%u - "
                 "d0_%u, d2_%u = d0_%u - h*k%d_%u - d1_%u;\n",
                 i, i, i, i, i, i, i, i, m->n_stages, i, i);
        for (int q = 0; q < m->n_dense; q++) {
            str_addf(s, "        const double d%d_%u = h*(", q + 3, i);
            lanes_print_sum(s, m->dense[q], m->n_stages + 1 + m->n_extra, "k%d_%u", i, NULL);
            str_add(s, ");\n");
        }
    }
    for (int q = 1; q <= N; q++) {
        for (uint32_t k = 0; k < 2 * n_relations; k++) str_addf(s, "        double g%d_%u;\n", q, k);
        for (uint32_t k = 0; k < l->n_asserts; k++) str_addf(s, "        double c%d_%u;\n", q, k);
        str_add(s, "        {\n");
        if (q < N) {
            str_addf(s,
                     "            const double tq = t + (t_to - t)*%d.0/%d.0, s = (tq - t)/h, r = 1.0 - s;\n",
                     q, N);
            for (uint32_t i = 0; i < n; i++) {
                str_addf(s, "            z%u = x%u + s*", i, i);
                lanes_print_dense(s, m, arena_printf(&g->work, "_%u", i));
                str_add(s, ";\n");
            }
        }
        const char *time = q < N ? "tq" : "t_to", *state = q < N ? "z" : "y";
        if (n_relations) add_look(l, IR_RELATIONS, time, state, arena_printf(&g->work, "g%d_# = @;", q));
        if (l->n_asserts) add_look(l, IR_ASSERTS, time, state, arena_printf(&g->work, "c%d_# = @;", q));
        str_add(s, "        }\n");
        for (uint32_t k = 0; k < l->n_asserts; k++)
            lanes_print_assert(s, "watch", g->lanes, k, arena_printf(&g->work, "c%d_%u", q, k));
    }
    for (uint32_t k = 0; k < n_relations; k++) {
        const uint32_t mode = (g->ir->layout.first_mode + k) * g->lanes;
        str_addf(s,
                 "        {\n            const double g0 = G[%u + l], g1 = "
                 "g1_%u, g2 = g2_%u, g3 = g3_%u, g4 = g4_%u;\n",
                 k * g->lanes, 2 * k, 2 * k, 2 * k, 2 * k);
        for (int q = 1; q <= N; q++)
            str_addf(s, "            watch = watch + (g%d_%u - v[%u + l])*(g%d_%u - v[%u + l]);\n", q,
                     2 * k + 1, mode, q, 2 * k + 1, mode);
        lanes_print_turns(s);
        str_add(s, "        }\n");
    }
}

// Attempts at steps of an adaptive method: see lane_adaptive.c.
static void print_lanes_adaptive(Stepping *l, const Tableau *m)
{
    StrBuf *b = &l->body, *s = &l->c->gen.body;
    const uint32_t n = n_states(l), width = l->c->gen.lanes;
    const uint32_t n_relations = l->is_watched ? l->c->gen.ir->layout.n_modes : 0;
    const bool has_looks = n_relations || l->n_asserts;
    const int n_rows = m->n_stages + 1 + (has_looks ? m->n_extra : 0);
    for (int row = 1; row <= m->n_stages; row++) add_adaptive_stage(l, m, row, "y", "finite");
    add_error(l, m);
    if (has_looks) add_looks(l, m);
    lanes_print_attempts(s, width, n, n_relations, l->is_watched);
    str_addf(s, "    for (i = 0; i < n; i++) {\n        ORR_LANES\n        for (int l = 0; l < %u; l++) {\n",
             width);
    load_places(l, s);
    for (uint32_t i = 0; i < n; i++)
        str_addf(s, "    const double x%u = x[%u + l], k0_%u = K[%u + l];\n", i, i * width, i, i * width);
    for (int row = 1; row < n_rows; row++) {
        str_addf(s, "    double t%d;\n", row);
        declare(l, s, arena_printf(&l->c->gen.work, "k%d_", row), false);
    }
    declare(l, s, "y", false);
    if (has_looks) declare(l, s, "z", false);
    lanes_print_attempt(s, l->is_watched);
    str_add(s, "    double off, low, high, sum0 = 0.0, finite = 0.0, error;\n");
    if (m->n_errors > 1) str_add(s, "    double sum1 = 0.0;\n");
    if (l->is_watched) str_add(s, "    double watch = 0.0;\n");
    str_add_text(s, (Text){ b->p, b->n });
    lanes_print_control(s, m, l->is_watched);
    for (uint32_t k = 0; k < n_relations; k++)
        str_addf(s, "        G[%u + l] = taken ? g4_%u : G[%u + l];\n", k * width, 2 * k, k * width);
    for (uint32_t i = 0; i < n; i++)
        str_addf(s,
                 "        x[%u + l] = taken ? y%u : x%u;\n        K[%u + l] = taken ? k%d_%u : k0_%u;\n",
                 i * width, i, i, i * width, m->n_stages, i, i);
    str_add(s, "        }\n");
    lanes_print_attempts_end(s, width, l->is_watched);
}

// Does all of it fit into the loop?
static bool fits_lanes(Cgen *c)
{
    const Stepping l = begin(c);
    const Ir *ir = c->gen.ir;
    return l.is_local && n_states(&l) > 0 &&
           (!l.has_relations || cgen_fits(c, &ir->programs[IR_RELATIONS])) &&
           (ir->flat->asserts.n == 0 || cgen_fits(c, &ir->programs[IR_ASSERTS]));
}

bool loops_print_lanes(Cgen *c, CodeLanesKind kind)
{
    if (!fits_lanes(c)) return false;
    Stepping l = begin(c);
    l.is_lanes = true;
    l.is_watched = c->is_watched;
    l.n_asserts = l.is_watched ? (uint32_t)c->gen.ir->flat->asserts.n : 0;
    if (kind.family == CODE_LANES_FIXED) print_local(&l, kind.method);
    else print_lanes_adaptive(&l, kind.method);
    return true;
}

// ---- Large models: arrays in scratch

static void add_for_each(Stepping *l, const char *statement)
{
    str_addf(&l->body, "        for (j = 0; j < %u; j++) %s\n", n_states(l), statement);
}

// `arrays`: those in scratch besides y, of n numbers each.
static void finish_large(Stepping *l, const char *name, const char *constants, int arrays)
{
    StrBuf *s = &l->c->gen.body;
    const uint32_t n = n_states(l);
    assert(arrays < CODE_SCRATCH);
    if (l->has_relations)
        str_add(&l->body, "        if ((*why = orr_changed(t_next, y, env, &changed))) break;\n"
                          "        if (changed != 0.0) { *why = -1; break; }\n");
    if (l->has_relations) add_for_each(l, "x[j] = y[j];");
    str_addf(s, "%slong orr_%s" LOOP_PARAMETERS "%s", linkage(l), name, constants);
    for (int k = 0; k < arrays; k++)
        str_addf(s, "    double *const k%d = scratch + %u;\n", k, (uint32_t)k * n);
    str_addf(s, "    double *const y = scratch + %u;\n", (uint32_t)arrays * n);
    str_add(s, "    double changed;\n    long i;\n    int j;\n    (void)y, (void)changed;\n");
    str_add(s, "    *why = 0;\n    for (i = 0; i < n; i++) {\n");
    l->uses_next |= l->has_relations;
    declare_times(l, s);
    str_add_text(s, (Text){ l->body.p, l->body.n });
    str_add(s, "    }\n    return i;\n}\n\n");
}

// A method of which each stage needs the rates of the one before only: the sum for the end is collected in k0
// while the others share k1.
static bool is_chain(const Tableau *m)
{
    for (int row = 2; row < m->n_stages; row++)
        for (int j = 0; j < row - 1; j++)
            if (m->rows[row].weight[j] != 0) return false;
    return m->n_stages > 1 && m->rows[m->n_stages].weight[0] == 1;
}

int array_n_rates(const Tableau *m) { return is_chain(m) ? 2 : m->n_stages; }

ArrayStage array_stage(const Tableau *m, int stage, Arena *arena)
{
    const bool is_last = stage + 1 == m->n_stages, is_shared = is_chain(m) && stage > 0;
    const char *const rate = arena_printf(arena, "k%d", is_shared ? 1 : stage);
    const double sum[] = { 1, m->rows[m->n_stages].weight[stage] };    // of a chain: k0 + weight·k1
    StrBuf s = { .arena = arena };
    if (is_shared && !is_last) {
        str_add(&s, "{ k0[j] = ");
        lanes_print_sum(&s, sum, 2, "k%d[j]", 0, NULL);
        str_add(&s, "; ");
    }
    str_add(&s, is_last ? "x[j] + " : "y[j] = x[j] + ");
    if (is_shared && is_last) {
        add_part(&s, m, m->n_stages);
        str_add(&s, "*(");
        lanes_print_sum(&s, sum, 2, "k%d[j]", 0, NULL);
        str_add_char(&s, ')');
    } else {
        add_row(&s, m, stage + 1, "k%d[j]", arena_printf(arena, "%s[j]", rate));
    }
    if (!is_last) str_add(&s, is_shared ? "; }" : ";");
    return (ArrayStage){ time_of(m, stage, arena), stage ? "y" : "x", rate, str_finish(&s) };
}

const char *array_constants(const Tableau *m, Arena *arena) { return constants_of(m, 1, arena); }

static void print_large(Stepping *l, const Tableau *m)
{
    Arena *arena = &l->c->gen.work;
    l->method = m;
    l->c->gen.uses_time = true;
    for (int i = 0; i < m->n_stages; i++) {
        const ArrayStage stage = array_stage(m, i, arena);
        str_addf(&l->body, "        if ((*why = orr_rates(%s, %s, env, %s))) break;\n", stage.time,
                 stage.state, stage.out);
        note_time(l, stage.time);
        if (i + 1 < m->n_stages) add_for_each(l, stage.each);
        // the end: into y if it may turn out that the step must not be made, else into x at once
        else add_for_each(l, arena_printf(arena, "%s[j] = %s;", l->has_relations ? "y" : "x", stage.each));
    }
    finish_large(l, m->name, constants_of(m, 1, arena), array_n_rates(m));
}

void loops_print(Cgen *c, unsigned loops)
{
    for (int i = 0; i < N_FIXED; i++) {
        if (!(loops & 1u << i)) continue;
        Stepping l = begin(c);
        if (l.is_local) print_local(&l, &fixed_methods[i]);
        else print_large(&l, &fixed_methods[i]);
    }
}

bool loops_are_local(Cgen *c) { return begin(c).is_local; }

// ---- In place

// Which variables some block reads.
static bool *find_read(Cgen *c)
{
    const Ir *ir = c->gen.ir;
    bool *is_read = ARENA_ARRAY(&c->gen.work, bool, ir->flat->vars.n);
    const uint32_t n = ir->dynamic_reads.start[ir->blocks->dynamic.n_blocks];
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t variable = ir->dynamic_reads.var[k];
        const Expr leaf = ir->dynamic_alias[variable];
        if (leaf == EXPR_NONE) is_read[variable] = true;
        else if (expr_op(c->gen.pool, leaf) == EXPR_VAR) is_read[expr_node(c->gen.pool, leaf)->index] = true;
    }
    return is_read;
}

typedef struct InPlaceSteps {
    Step    *steps;
    uint32_t n;
    bool     has_loops;
} InPlaceSteps;

static void add_in_place(InPlaceSteps *p, const IrStatement *s, uint32_t state, Array variables)
{
    Step *step = &p->steps[p->n++];
    if (s->kind == IR_LOCAL) {
        *step = (Step){ STEP_LET, s->value, s->index, variables, s->index, false };
    } else if (s->kind == IR_SOLVE) {
        *step = (Step){ STEP_SOLVE, EXPR_NONE, FLAT_NONE, variables, s->index, false };
        p->has_loops = true;
    } else {
        *step = (Step){ STEP_UPDATE, s->value, FLAT_NONE, ARRAY_NONE, state, true };
    }
}

// The programs of all rates one behind the other, each ended by the update of its state. A rate that nobody
// else reads has no variable.
static InPlaceSteps in_place_steps(Cgen *c, Array variables)
{
    const Ir *ir = c->gen.ir;
    const bool *is_read = find_read(c);
    size_t n = 0;
    for (uint32_t i = 0; i < ir->blocks->n_states; i++) n += ir->one_rate[i].n_statements;
    InPlaceSteps p = { .steps = ARENA_ARRAY(&c->gen.work, Step, n) };
    for (uint32_t i = 0; i < ir->blocks->n_states; i++) {
        const IrProgram *program = &ir->one_rate[i];
        const uint32_t n_before = program->n_statements - 1, rate = ir->blocks->rates[i];
        IrStatement update = program->statements[n_before];
        for (uint32_t k = 0; k < n_before; k++) {
            const IrStatement *s = &program->statements[k];
            if (s->kind == IR_LOCAL && s->index == rate && !is_read[rate]) update.value = s->value;
            else add_in_place(&p, s, i, variables);
        }
        add_in_place(&p, &update, i, variables);
    }
    return p;
}

static void declare_variables(Cgen *c, StrBuf *s, const InPlaceSteps *p)
{
    const Ordered *system = &c->gen.ir->blocks->dynamic;
    bool *is_declared = ARENA_ARRAY(&c->gen.work, bool, system->n_blocks);
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->steps[i].kind == STEP_UPDATE) continue;
        const Step *step = &p->steps[i];
        const uint32_t b = step->kind == STEP_LET ? system->block_of[step->variable] : step->index;
        if (is_declared[b]) continue;
        is_declared[b] = true;
        for (uint32_t k = 0; k < system->blocks[b].n; k++)
            str_addf(s,
                     c->gen.is_file ? "        double a%u;\n        (void)a%u;\n" : "        double a%u;\n",
                     system->blocks[b].unknowns[k], system->blocks[b].unknowns[k]);
    }
}

static void print_local_in_place(Stepping *l, const InPlaceSteps *p)
{
    Cgen *c = l->c;
    Routine r = named_routine(&c->gen.ir->programs[IR_RATES], "t", "x", NULL);
    r.steps = p->steps;
    r.n_steps = p->n;
    r.style = VARS_OUTSIDE;
    r.copies_states = p->has_loops || l->has_relations;
    declare_variables(c, &l->body, p);
    str_add(&l->body, "        {\n");
    add_statements(l, &r, "            ");
    str_add(&l->body, "        }\n");
    add_check(l, "y");
    if (r.copies_states) add_copy(l, "y");
    StrBuf locals = { .arena = &c->gen.work };
    if (r.copies_states) declare(l, &locals, "y", false);
    finish_local(l, "in_place", "", str_finish(&locals));
}

static void print_large_in_place(Stepping *l)
{
    Gen *g = &l->c->gen;
    const InPlaceSteps p = in_place_steps(l->c, ARRAY_W);
    Routine r = cgen_routine(&g->ir->programs[IR_RATES]);
    r.name = "orr_in_place_step";
    r.parameters = "double t, double h, double *x, const struct orr_env *env";
    r.arguments = "t, h, x, env";
    r.is_public = false;
    r.caches = false;
    r.steps = p.steps;
    r.n_steps = p.n;
    r.style = VARS_MEMORY;
    gen_begin(g, &r);
    gen_function(g);

    add_for_each(l, "y[j] = x[j];");
    str_add(&l->body, "        if ((*why = orr_in_place_step(t, h, y, env))) break;\n");
    if (!l->has_relations) add_for_each(l, "x[j] = y[j];");
    l->uses_t = true;
    finish_large(l, "in_place", "", 0);
}

void loops_print_in_place(Cgen *c)
{
    Stepping l = begin(c);
    InPlaceSteps p = in_place_steps(c, ARRAY_NONE);
    if (l.is_local) {
        // what is computed anew may make it longer than the other loops
        Routine r = named_routine(&c->gen.ir->programs[IR_RATES], "t", "x", NULL);
        r.steps = p.steps;
        r.n_steps = p.n;
        r.style = VARS_OUTSIDE;
        l.is_local = gen_measure(&c->gen, &r) <= 4 * PIECE_MAX;
    }
    if (l.is_local) print_local_in_place(&l, &p);
    else print_large_in_place(&l);
}

// src/code/loops.c: the fixed-step methods as loops around the derivatives.
//
// Of a small model the derivatives stand inside the loop, once for each stage, and states, rates and
// parameters are locals: nothing is called and nothing is read from other memory. libtcc keeps every local
// on the stack, and what is stored and soon read again costs more than the arithmetic; so a rate is used
// where it is computed, and each stage has locals of its own:
//
//     y0 = x0 + h_half*(f0 = …);        g, q: rates of the next stages        z, w: their states
//
// Of a large model the loop calls orr_rates on arrays. The formulas and their order are those of code.h, in
// both forms.
#include "code/cgen.h"
#include "code/label.h"
#include "code/lanes.h"
#include "num/dormand_prince.h"
#include "num/turn.h"
#include <ctype.h>
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
    const char *fresh;        // … letter of their new states
    StrBuf body;              // of the loop over the steps
    bool   is_local;          // a small model
    bool   has_relations;
    uint32_t n_asserts;       // of members that are watched
    bool   uses_t, uses_half, uses_next;
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
    else if (strcmp(time, "t_half") == 0) l->uses_half = true;
    else l->uses_next = true;
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
    add_stage(l, "t", "x", "f# = @;", NULL);
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

static void declare_locals(Stepping *l, StrBuf *s, const char *locals)
{
    const uint32_t n = n_states(l);
    for (const char *letter = locals; *letter; letter++) {
        // a letter in capitals: only of the states that are read
        bool is_first = true;
        for (uint32_t i = 0; i < n; i++) {
            if (isupper(*letter) && !l->is_read[i]) continue;
            str_addf(s, "%s%c%u", is_first ? "    double " : ", ", tolower(*letter), i);
            is_first = false;
        }
        if (!is_first) str_add(s, ";\n");
    }
}

static void declare_times(const Stepping *l, StrBuf *s)
{
    if (l->is_watched) {
        if (l->uses_t) str_add(s, "    const double t = T[l] + K[l]*h;\n");
        if (l->uses_half) str_add(s, "    const double t_half = T[l] + (K[l] + 0.5)*h;\n");
        if (l->uses_next) str_add(s, "    const double t_next = T[l] + (K[l] + 1.0)*h;\n");
        return;
    }
    if (l->uses_t) str_add(s, "        const double t = t_start + (double)(k + i)*h;\n");
    if (l->uses_half) str_add(s, "        const double t_half = t_start + ((double)(k + i) + 0.5)*h;\n");
    if (l->uses_next) str_add(s, "        const double t_next = t_start + (double)(k + i + 1)*h;\n");
}

// The same statements for one member after the other: compilers turn the inner loop into vectors.
static void finish_lanes(Stepping *l, const char *name, const char *constants, const char *locals)
{
    Gen *g = &l->c->gen;
    StrBuf *s = &g->body;
    const uint32_t n = n_states(l), width = g->lanes,
                   n_relations = l->has_relations ? g->ir->layout.n_modes : 0;
    str_addf(s, "long orr_lanes_%s(" LANES_PARAMETERS ")\n{\n%s", name, constants);
    str_add(s, "    const double *const restrict numbers = env->numbers;\n    long i;\n"
               "    (void)t_start, (void)k, (void)h, (void)v, (void)numbers, (void)lane, (void)scratch;\n");
    if (l->is_watched) lanes_print_vectors(s, width, n_relations, l->n_asserts);
    str_add(s, "    for (i = 0; i < n; i++) {\n");
    if (!l->is_watched) declare_times(l, s);
    str_addf(s, "        ORR_LANES\n        for (int l = 0; l < %u; l++) {\n", width);
    if (l->is_watched) declare_times(l, s);
    load_places(l, s);
    for (uint32_t i = 0; i < n; i++) str_addf(s, "    double x%u = x[%u + l];\n", i, i * width);
    declare_locals(l, s, locals);
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

// `constants`: declarations before the loop. `locals`: letters of what there is one of for each state,
// besides x.
static void finish_local(Stepping *l, const char *name, const char *constants, const char *locals)
{
    StrBuf *s = &l->c->gen.body;
    const uint32_t n = n_states(l);
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
    declare_locals(l, s, locals);
    str_add(s, "    long i;\n    (void)x, (void)env, (void)scratch, (void)t_start, (void)k, (void)h;\n");
    str_add(s, "    *why = 0;\n    for (i = 0; i < n; i++) {\n");
    declare_times(l, s);
    if (l->body.n) str_add_text(s, (Text){ l->body.p, l->body.n });
    str_add(s, "    }\n");
    for (uint32_t i = 0; i < n; i++) str_addf(s, "    x[%u] = x%u;\n", i, i);
    str_add(s, "    return i;\n}\n\n");
}

static void print_local_euler(Stepping *l)
{
    add_stage(l, "t", "x", "y# = x# + h*@;", NULL);
    add_check(l, "y");
    add_copy(l, "y");
    finish_local(l, "euler", "", "y");
}

static void print_local_heun(Stepping *l)
{
    find_read_states(l);
    add_stage(l, "t", "x", "y# = x# + h*(f# = @);", "f# = @;");
    if (holds(l)) {
        add_stage(l, "t_next", "y", "z# = x# + h_half*(f# + @);", NULL);
        add_check(l, "z");
        add_copy(l, "z");
    } else {
        add_stage(l, "t_next", "y", "x# = x# + h_half*(f# + @);", NULL);
    }
    finish_local(l, "heun", "    const double h_half = 0.5*h;\n", holds(l) ? "fYz" : "fY");
}

static void print_local_rk4(Stepping *l)
{
    find_read_states(l);
    add_stage(l, "t", "x", "y# = x# + h_half*(f# = @);", "f# = @;");
    add_stage(l, "t_half", "y", "z# = x# + h_half*(g# = @);", "g# = @;");
    add_stage(l, "t_half", "z", "w# = x# + h*(q# = @);", "q# = @;");
    if (holds(l)) {
        add_stage(l, "t_next", "w", "y# = x# + h_sixth*(f# + 2.0*g# + 2.0*q# + @);", NULL);
        add_check(l, "y");
        add_copy(l, "y");
    } else {
        add_stage(l, "t_next", "w", "x# = x# + h_sixth*(f# + 2.0*g# + 2.0*q# + @);", NULL);
    }
    bool any_read = false;
    for (uint32_t i = 0; i < n_states(l); i++) any_read = any_read || l->is_read[i];
    finish_local(l, "rk4",
                 any_read ? "    const double h_half = 0.5*h, h_sixth = h/6.0;\n"
                          : "    const double h_sixth = h/6.0;\n",
                 holds(l) ? "fgqyZW" : "fgqYZW");
}

// The arguments of a stage: y = x + h*(a0*k0 + a1*k1 + …), in the order of the scalar solver.
static void add_argument(Stepping *l, int stage)
{
    StrBuf *s = &l->body;
    for (uint32_t i = 0; i < n_states(l); i++) {
        str_addf(s, "        y%u = x%u + h*(", i, i);
        for (int j = 0; j < stage; j++) {
            if (j) str_add(s, " + ");
            gen_number(s, dp_a[stage][j]);
            str_addf(s, "*k%d_%u", j, i);
        }
        str_add(s, ");\n");
    }
    str_addf(s, "        t%d = t + ", stage);
    gen_number(s, dp_c[stage]);
    str_add(s, "*h;\n");
}

static void add_error(Stepping *l)
{
    StrBuf *s = &l->body;
    for (uint32_t i = 0; i < n_states(l); i++) {
        str_add(s, "        off = 0.0");
        for (int j = 0; j < DP_STAGES; j++) {
            str_add(s, " + ");
            gen_number(s, dp_e[j]);
            str_addf(s, "*k%d_%u", j, i);
        }
        str_addf(s, ";\n        low = __builtin_fabs(x%u), high = __builtin_fabs(y%u);\n", i, i);
        str_add(s,
                "        off = h*off/(absolute + tolerance*(low > high ? low : high));\n"
                "        sum = sum + off*off;\n");
    }
    str_addf(s, "        error = __builtin_sqrt(sum/%u.0);\n", n_states(l));
}

// The step as a polynomial of time, as dp_make_dense and dp_state have it, and the relations at four places
// in it, as in engine/look.c: `watch` is 0 if none differs from its mode and no zero function turns round
// between two of them. Asserts are looked at in the same places, as run/watch.c does.
static void add_looks(Stepping *l)
{
    enum { N = TURN_LOOKS };
    Gen *g = &l->c->gen;
    StrBuf *s = &l->body;
    const uint32_t n = n_states(l), n_relations = g->ir->layout.n_modes;
    for (uint32_t i = 0; i < n; i++) {
        str_addf(s,
                 "        const double d0_%u = y%u - x%u, d1_%u = h*k0_%u - "
                 "d0_%u, d2_%u = d0_%u - h*k%d_%u - d1_%u;\n",
                 i, i, i, i, i, i, i, i, DP_STAGES - 1, i, i);
        str_addf(s, "        const double d3_%u = h*(0.0", i);
        for (int j = 0; j < DP_STAGES; j++) {
            str_add(s, " + ");
            gen_number(s, dp_d[j]);
            str_addf(s, "*k%d_%u", j, i);
        }
        str_add(s, ");\n");
    }
    for (int q = 1; q <= N; q++) {
        for (uint32_t k = 0; k < 2 * n_relations; k++) str_addf(s, "        double g%d_%u;\n", q, k);
        for (uint32_t k = 0; k < l->n_asserts; k++) str_addf(s, "        double c%d_%u;\n", q, k);
        str_add(s, "        {\n");
        if (q < N) {
            str_addf(s,
                     "            const double tq = t + (t_to - t)*%d.0/%d.0, s = (tq - t)/h, r = 1.0 - s;\n",
                     q, N);
            for (uint32_t i = 0; i < n; i++)
                str_addf(s,
                         "            const double z%u = x%u + s*(d0_%u "
                         "+ r*(d1_%u + s*(d2_%u + r*d3_%u)));\n",
                         i, i, i, i, i, i);
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

// Attempts at steps of the adaptive method: see lane_dopri5.c.
static void print_lanes_dopri5(Stepping *l)
{
    static const char *const times[] = { "t", "t1", "t2", "t3", "t4", "t5", "t6" };
    StrBuf *b = &l->body, *s = &l->c->gen.body;
    const uint32_t n = n_states(l);
    for (int stage = 1; stage < DP_STAGES; stage++) {
        add_argument(l, stage);
        add_stage(l, times[stage], "y", arena_printf(&l->c->gen.work, "k%d_# = @;", stage), NULL);
        for (uint32_t i = 0; i < n; i++)
            str_addf(b, "        finite = finite + (k%d_%u - k%d_%u);\n", stage, i, stage, i);
    }
    add_error(l);
    const uint32_t width = l->c->gen.lanes, n_relations = l->is_watched ? l->c->gen.ir->layout.n_modes : 0;
    if (n_relations || l->n_asserts) add_looks(l);
    lanes_print_attempts(s, width, n, n_relations, l->is_watched);
    str_addf(s, "    for (i = 0; i < n; i++) {\n        ORR_LANES\n        for (int l = 0; l < %u; l++) {\n",
             width);
    load_places(l, s);
    for (uint32_t i = 0; i < n; i++)
        str_addf(s, "    const double x%u = x[%u + l], k0_%u = K[%u + l];\n    double y%u", i, i * width, i,
                 i * width, i),
            str_addf(s, ", k1_%u, k2_%u, k3_%u, k4_%u, k5_%u, k6_%u;\n", i, i, i, i, i, i);
    lanes_print_attempt(s, l->is_watched);
    str_add(s, "    double t1, t2, t3, t4, t5, t6, off, low, high, sum = 0.0, finite = 0.0, error;\n");
    if (l->is_watched) str_add(s, "    double watch = 0.0;\n");
    str_add_text(s, (Text){ b->p, b->n });
    lanes_print_control(s, l->is_watched);
    for (uint32_t k = 0; k < n_relations; k++)
        str_addf(s, "        G[%u + l] = taken ? g4_%u : G[%u + l];\n", k * width, 2 * k, k * width);
    for (uint32_t i = 0; i < n; i++)
        str_addf(s,
                 "        x[%u + l] = taken ? y%u : x%u;\n        K[%u + l] = taken ? k6_%u : k0_%u;\n",
                 i * width, i, i, i * width, i, i);
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

bool loops_print_lanes(Cgen *c, CodeLaneMethod method)
{
    static void (*const methods[CODE_LANES_N_METHODS])(Stepping *) = {
        [CODE_LANES_EULER] = print_local_euler,
        [CODE_LANES_HEUN] = print_local_heun,
        [CODE_LANES_RK4] = print_local_rk4,
        [CODE_LANES_DOPRI5] = print_lanes_dopri5,
    };
    if (!fits_lanes(c)) return false;
    Stepping l = begin(c);
    l.is_lanes = true;
    l.is_watched = c->is_watched;
    l.n_asserts = l.is_watched ? (uint32_t)c->gen.ir->flat->asserts.n : 0;
    methods[method](&l);
    return true;
}

// ---- Large models: arrays d, f, y in scratch

static void add_call(Stepping *l, const char *time, const char *state, const char *rates)
{
    str_addf(&l->body, "        if ((*why = orr_rates(%s, %s, env, %s))) break;\n", time, state, rates);
}

static void add_for_each(Stepping *l, const char *statement)
{
    str_addf(&l->body, "        for (j = 0; j < %u; j++) %s\n", n_states(l), statement);
}

// The end of a step: into y if it may turn out that the step must not be made, else into x at once.
static void add_last(Stepping *l, const char *value)
{
    str_addf(&l->body, "        for (j = 0; j < %u; j++) %s[j] = %s;\n", n_states(l),
             l->has_relations ? "y" : "x", value);
}

static void finish_large(Stepping *l, const char *name, const char *constants)
{
    StrBuf *s = &l->c->gen.body;
    const uint32_t n = n_states(l);
    if (l->has_relations)
        str_add(&l->body, "        if ((*why = orr_changed(t_next, y, env, &changed))) break;\n"
                          "        if (changed != 0.0) { *why = -1; break; }\n");
    if (l->has_relations) add_for_each(l, "x[j] = y[j];");
    str_addf(s, "%slong orr_%s" LOOP_PARAMETERS "%s", linkage(l), name, constants);
    str_addf(s, "    double *const f = scratch, *const d = scratch + %u, *const y = scratch + %u;\n", n,
             2 * n);
    str_add(s,
            "    double changed;\n    long i;\n    int j;\n    (void)f, (void)d, (void)y, (void)changed;\n");
    str_add(s, "    *why = 0;\n    for (i = 0; i < n; i++) {\n"
               "        const double t = t_start + (double)(k + i)*h;\n"
               "        const double t_half = t_start + ((double)(k + i) + 0.5)*h;\n"
               "        const double t_next = t_start + (double)(k + i + 1)*h;\n"
               "        (void)t_half, (void)t_next;\n");
    str_add_text(s, (Text){ l->body.p, l->body.n });
    str_add(s, "    }\n    return i;\n}\n\n");
}

const ArrayMethod array_euler = { "euler", "", { { "t", "x", "f", NULL } }, "x[j] + h*f[j]" };

const ArrayMethod array_heun = {
    "heun",
    "    const double h_half = 0.5*h;\n",
    { { "t", "x", "d", "y[j] = x[j] + h*d[j];" }, { "t_next", "y", "f", NULL } },
    "x[j] + h_half*(d[j] + f[j])",
};

const ArrayMethod array_rk4 = {
    "rk4",
    "    const double h_half = 0.5*h, h_sixth = h/6.0;\n",
    {
        { "t", "x", "d", "y[j] = x[j] + h_half*d[j];" },
        { "t_half", "y", "f", "{ d[j] = d[j] + 2.0*f[j]; y[j] = x[j] + h_half*f[j]; }" },
        { "t_half", "y", "f", "{ d[j] = d[j] + 2.0*f[j]; y[j] = x[j] + h*f[j]; }" },
        { "t_next", "y", "f", NULL },
    },
    "x[j] + h_sixth*(d[j] + f[j])",
};

static void print_large(Stepping *l, const ArrayMethod *m)
{
    for (int i = 0; i < 4 && m->stages[i].time; i++) {
        const ArrayStage *stage = &m->stages[i];
        add_call(l, stage->time, stage->state, stage->out);
        if (stage->each) add_for_each(l, stage->each);
    }
    add_last(l, m->end);
    finish_large(l, m->name, m->constants);
}

static void print_method(Cgen *c, void (*local)(Stepping *), const ArrayMethod *large)
{
    Stepping l = begin(c);
    if (l.is_local) local(&l);
    else print_large(&l, large);
}

void loops_print(Cgen *c, unsigned loops)
{
    if (loops & 1u << CODE_EULER) print_method(c, print_local_euler, &array_euler);
    if (loops & 1u << CODE_HEUN) print_method(c, print_local_heun, &array_heun);
    if (loops & 1u << CODE_RK4) print_method(c, print_local_rk4, &array_rk4);
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
    finish_local(l, "in_place", "", r.copies_states ? "y" : "");
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
    finish_large(l, "in_place", "");
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

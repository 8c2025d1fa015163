// src/code/loops.c: the fixed-step methods as loops around the derivatives.
//
// Of a small model the derivatives stand inside the loop, once for each stage, and states, rates and parameters are
// locals: nothing is called and nothing is read from memory. Of a large one the loop calls orr_rates on arrays. The
// formulas and their order are those of code.h, in both forms.
#include "code/cgen.h"
#include <string.h>

enum { LOCAL_STATES_MAX = 16 };

#define LOOP_PARAMETERS                                                                                     \
    "(double t_start, double h, long k, long n, double *x, const struct orr_env *env,\n    double *scratch, " \
    "int *why)\n{\n"

typedef struct Stepping {
    Cgen  *c;
    StrBuf body;              // of the loop over the steps
    bool   is_local;          // a small model
    bool   has_relations;
    bool   uses_t, uses_half, uses_next;
} Stepping;

static uint32_t n_states(const Stepping *l) { return l->c->gen.ir->blocks->n_states; }

static Stepping begin(Cgen *c)
{
    const Ir *ir = c->gen.ir;
    Stepping l = { .c = c, .has_relations = ir->layout.n_modes > 0, .body = { .arena = &c->gen.work } };
    l.is_local = !c->is_large && ir->blocks->n_states <= LOCAL_STATES_MAX;
    if (l.is_local && l.has_relations) {
        Routine changed = cgen_routine(&ir->programs[IR_CHANGED]);
        changed.steps = cgen_steps(c, &ir->programs[IR_CHANGED], ARRAY_K, &changed.n_steps);
        l.is_local = gen_measure(&c->gen, &changed) <= PIECE_MAX;
    }
    memset(c->gen.uses_place, 0, ir->layout.n_values * sizeof *c->gen.uses_place);
    return l;
}

static void note_time(Stepping *l, const char *time)
{
    if (!l->c->gen.uses_time) return;
    if (strcmp(time, "t") == 0) l->uses_t = true;
    else if (strcmp(time, "t_half") == 0) l->uses_half = true;
    else l->uses_next = true;
}

static Routine named_routine(const IrProgram *program, const char *time, const char *state)
{
    Routine r = cgen_routine(program);
    r.is_named = true;
    r.caches = false;
    r.time = time;
    r.state = state;
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

// Rates at the states `state` into locals k0, … or s0, …; or into the arrays of these names.
static void add_stage(Stepping *l, Array out, const char *time, const char *state)
{
    const char *const name = out == ARRAY_K ? "k1" : "s";
    if (!l->is_local) {
        str_addf(&l->body, "        if ((*why = orr_rates(%s, %s, env, %s))) break;\n", time, state, name);
        return;
    }
    const IrProgram *rates = &l->c->gen.ir->programs[IR_RATES];
    Routine r = named_routine(rates, time, state);
    r.steps = cgen_steps(l->c, rates, out, &r.n_steps);
    str_add(&l->body, "        {\n");
    add_statements(l, &r, "            ");
    str_add(&l->body, "        }\n");
}

// The same statement for every state; `form` has # where the number goes.
static void add_for_each(Stepping *l, const char *form)
{
    StrBuf *s = &l->body;
    if (!l->is_local) {
        str_addf(s, "        for (j = 0; j < %u; j++) ", n_states(l));
        for (const char *p = form; *p; p++) {
            if (*p == '#') str_add(s, "[j]");
            else if (*p == 'k') str_add(s, "k1");    // k is the grid point
            else str_add_char(s, *p);
        }
        str_add(s, "\n");
        return;
    }
    for (uint32_t i = 0; i < n_states(l); i++) {
        str_add(s, "        ");
        for (const char *p = form; *p; p++) {
            if (*p == '#') gen_name(s, "", i);
            else str_add_char(s, *p);
        }
        str_add(s, "\n");
    }
}

static const char *target(const Stepping *l, const char *direct, const char *through_y)
{
    return l->has_relations ? through_y : direct;
}

// Before the new states in y become those in x: do the modes still hold?
static void add_check(Stepping *l)
{
    Gen *g = &l->c->gen;
    if (!l->has_relations) return;
    if (l->is_local) {
        const IrProgram *changed = &g->ir->programs[IR_CHANGED];
        Routine r = named_routine(changed, "t_next", "y");
        r.remember = "0";
        r.steps = cgen_steps(l->c, changed, ARRAY_K, &r.n_steps);
        str_add(&l->body, "        {\n            double k0;\n");
        add_statements(l, &r, "            ");
        str_add(&l->body, "            if (k0 != 0.0) { *why = -1; break; }\n        }\n");
    } else {
        str_add(&l->body, "        if ((*why = orr_changed(t_next, y, env, &changed))) break;\n"
                          "        if (changed != 0.0) { *why = -1; break; }\n");
    }
    add_for_each(l, "x# = y#;");
}

// ---- The function around the loop

static void declare_locals(Stepping *l, StrBuf *s, const char *const *prefixes, size_t n)
{
    for (size_t k = 0; k < n && n_states(l); k++) {
        for (uint32_t i = 0; i < n_states(l); i++) {
            str_add(s, i ? ", " : "    double ");
            gen_name(s, prefixes[k], i);
        }
        str_add(s, ";\n");
    }
}

static void load_places(Stepping *l, StrBuf *s)
{
    const IrLayout *layout = &l->c->gen.ir->layout;
    for (uint32_t i = 0; i < layout->first_var; i++) {
        if (!l->c->gen.uses_place[i]) continue;
        if (i < layout->n_params) str_addf(s, "    const double p%u = env->v[%u];\n", i, i);
        else str_addf(s, "    const int m%u = env->v[%u] != 0.0;\n", i - layout->first_mode, i);
    }
}

static void add_times(const Stepping *l, StrBuf *s)
{
    const bool all = !l->is_local;
    if (all || l->uses_t) str_add(s, "        const double t = t_start + (double)(k + i)*h;\n");
    if (l->uses_half) str_add(s, "        const double t_half = t_start + ((double)(k + i) + 0.5)*h;\n");
    if (l->uses_next) str_add(s, "        const double t_next = t_start + (double)(k + i + 1)*h;\n");
}

// `constants`: declarations before the loop. `locals`: what there is one of for each state, besides x; of a large model
// the arrays, one behind the other in scratch.
static void finish(Stepping *l, const char *name, const char *constants, const char *const *locals, size_t n_locals)
{
    Gen *g = &l->c->gen;
    StrBuf *s = &g->body;
    const uint32_t n = n_states(l);
    str_addf(s, "long orr_%s" LOOP_PARAMETERS, name);
    str_add(s, constants);
    if (l->is_local) {
        load_places(l, s);
        for (uint32_t i = 0; i < n; i++) str_addf(s, "    double x%u = x[%u];\n", i, i);
        declare_locals(l, s, locals, n_locals);
        str_add(s, "    long i;\n    (void)env, (void)scratch, (void)t_start, (void)k, (void)h;\n");
    } else {
        for (size_t i = 0; i < n_locals; i++)
            str_addf(s, "    double *const %s = scratch + %llu;\n", locals[i], (unsigned long long)i * n);
        str_addf(s, "%s    long i;\n    int j;\n", l->has_relations ? "    double changed;\n" : "");
    }
    str_add(s, "    *why = 0;\n    for (i = 0; i < n; i++) {\n");
    add_times(l, s);
    if (l->body.n) str_add_text(s, (Text){ l->body.p, l->body.n });
    str_add(s, "    }\n");
    for (uint32_t i = 0; l->is_local && i < n; i++) str_addf(s, "    x[%u] = x%u;\n", i, i);
    str_add(s, "    return i;\n}\n\n");
}

// ---- The methods

static void print_euler(Cgen *c)
{
    Stepping l = begin(c);
    add_stage(&l, ARRAY_K, "t", "x");
    add_for_each(&l, target(&l, "x# = x# + h*k#;", "y# = x# + h*k#;"));
    l.uses_next = !l.is_local && l.has_relations;
    add_check(&l);
    const char *const local[] = { "k", "y" }, *const large[] = { "k1", "y" };
    finish(&l, "euler", "", l.is_local ? local : large, l.has_relations ? 2 : 1);
}

static void print_heun(Cgen *c)
{
    Stepping l = begin(c);
    add_stage(&l, ARRAY_SUM, "t", "x");
    add_for_each(&l, "y# = x# + h*s#;");
    add_stage(&l, ARRAY_K, "t_next", "y");
    add_for_each(&l, target(&l, "x# = x# + h_half*(s# + k#);", "y# = x# + h_half*(s# + k#);"));
    if (!l.is_local) l.uses_next = true;
    add_check(&l);
    const char *const local[] = { "k", "y", "s" }, *const large[] = { "k1", "y", "s" };
    finish(&l, "heun", "    const double h_half = 0.5*h;\n", l.is_local ? local : large, 3);
}

static void print_rk4(Cgen *c)
{
    Stepping l = begin(c);
    add_stage(&l, ARRAY_SUM, "t", "x");
    add_for_each(&l, "y# = x# + h_half*s#;");
    add_stage(&l, ARRAY_K, "t_half", "y");
    add_for_each(&l, "s# = s# + 2.0*k#;");
    add_for_each(&l, "y# = x# + h_half*k#;");
    add_stage(&l, ARRAY_K, "t_half", "y");
    add_for_each(&l, "s# = s# + 2.0*k#;");
    add_for_each(&l, "y# = x# + h*k#;");
    add_stage(&l, ARRAY_K, "t_next", "y");
    add_for_each(&l, target(&l, "x# = x# + h_sixth*(s# + k#);", "y# = x# + h_sixth*(s# + k#);"));
    if (!l.is_local) l.uses_half = l.uses_next = true;
    add_check(&l);
    const char *const local[] = { "k", "y", "s" }, *const large[] = { "k1", "y", "s" };
    finish(&l, "rk4", "    const double h_half = 0.5*h, h_sixth = h/6.0;\n", l.is_local ? local : large, 3);
}

void loops_print(Cgen *c)
{
    print_euler(c);
    print_heun(c);
    print_rk4(c);
}

// ---- In place

// The programs of all rates one behind the other, each ended by the update of its state.
static Step *in_place_steps(Cgen *c, Array variables, uint32_t *n, bool *has_loops)
{
    const Ir *ir = c->gen.ir;
    size_t n_all = 0;
    for (uint32_t i = 0; i < ir->blocks->n_states; i++) n_all += ir->one_rate[i].n_statements;
    Step *steps = ARENA_ARRAY(&c->gen.work, Step, n_all);
    *n = 0;
    *has_loops = false;
    for (uint32_t i = 0; i < ir->blocks->n_states; i++) {
        const IrProgram *program = &ir->one_rate[i];
        for (uint32_t k = 0; k < program->n_statements; k++) {
            const IrStatement *s = &program->statements[k];
            Step *step = &steps[(*n)++];
            if (s->kind == IR_LOCAL) {
                *step = (Step){ STEP_LET, s->value, s->index, variables, s->index, false };
            } else if (s->kind == IR_SOLVE) {
                *step = (Step){ STEP_SOLVE, EXPR_NONE, FLAT_NONE, variables, s->index, false };
                *has_loops = true;
            } else {
                *step = (Step){ STEP_UPDATE, s->value, FLAT_NONE, ARRAY_NONE, i, true };
            }
        }
    }
    return steps;
}

static void declare_variables(Cgen *c, StrBuf *s, const Step *steps, uint32_t n)
{
    const Ordered *system = &c->gen.ir->blocks->dynamic;
    bool *is_declared = ARENA_ARRAY(&c->gen.work, bool, system->n_blocks);
    for (uint32_t i = 0; i < n; i++) {
        if (steps[i].kind == STEP_UPDATE) continue;
        const uint32_t b = steps[i].kind == STEP_LET ? system->block_of[steps[i].variable] : steps[i].index;
        if (is_declared[b]) continue;
        is_declared[b] = true;
        for (uint32_t k = 0; k < system->blocks[b].n; k++)
            str_addf(s, "        double a%u;\n", system->blocks[b].unknowns[k]);
    }
}

static void print_local_in_place(Stepping *l)
{
    Cgen *c = l->c;
    if (n_states(l) == 0) {
        add_check(l);
        finish(l, "in_place", "", NULL, 0);
        return;
    }
    bool has_loops;
    Routine r = named_routine(&c->gen.ir->one_rate[0], "t", "x");
    r.steps = in_place_steps(c, ARRAY_NONE, &r.n_steps, &has_loops);
    r.style = VARS_OUTSIDE;
    r.copies_states = has_loops || l->has_relations;
    declare_variables(c, &l->body, r.steps, r.n_steps);
    add_statements(l, &r, "        ");
    if (l->has_relations) add_check(l);
    else if (has_loops) add_for_each(l, "x# = y#;");
    const char *const locals[] = { "y" };
    finish(l, "in_place", "", locals, r.copies_states ? 1 : 0);
}

static void print_large_in_place(Stepping *l)
{
    Cgen *c = l->c;
    Gen *g = &c->gen;
    if (n_states(l)) {
        bool has_loops;
        Routine r = cgen_routine(&g->ir->one_rate[0]);
        r.name = "orr_in_place_step";
        r.parameters = "double t, double h, double *x, const struct orr_env *env";
        r.arguments = "t, h, x, env";
        r.is_public = false;
        r.caches = false;
        r.steps = in_place_steps(c, ARRAY_W, &r.n_steps, &has_loops);
        r.style = VARS_MEMORY;
        gen_begin(g, &r);
        gen_function(g);
    }
    add_for_each(l, "y# = x#;");
    if (n_states(l)) str_add(&l->body, "        if ((*why = orr_in_place_step(t, h, y, env))) break;\n");
    l->uses_next = l->has_relations;
    if (l->has_relations) add_check(l);
    else add_for_each(l, "x# = y#;");
    const char *const locals[] = { "y" };
    finish(l, "in_place", "", locals, 1);
}

void loops_print_in_place(Cgen *c)
{
    Stepping l = begin(c);
    // what is computed anew may make it longer than the other loops
    if (l.is_local && n_states(&l)) {
        bool has_loops;
        Routine r = named_routine(&c->gen.ir->one_rate[0], "t", "x");
        r.steps = in_place_steps(c, ARRAY_NONE, &r.n_steps, &has_loops);
        r.style = VARS_OUTSIDE;
        l.is_local = gen_measure(&c->gen, &r) <= 4 * PIECE_MAX;
    }
    if (l.is_local) print_local_in_place(&l);
    else print_large_in_place(&l);
}

// src/code/cgen.c: an Ir as C text.
//
// Every program becomes a function `int orr_<name>(t, x, env, out)`. A loop of equations becomes a function
// of its own, called by all programs that need it:
//
//     int orr_loop_7(t, in, env, z, remember)       in: the variables it reads, z: its unknowns
//         linear: fill the matrix, eliminate    non-linear: orr_eval_7(t, in, env, z, r, m) under orr_newton
//
// Small models have the derivatives inside their fixed-step loops (loops.c). In large ones the functions
// that compute the derivatives and those that compute all values are the same, told where to put the
// variables:
//
//     rates:  common_1(…, w = shadow, out), common_2, …
//     values: common_1(…, w = variables of v, out = inner), common_2, …; copies of inner; rest_1, …
#include "code/cgen.h"
#include "code/prelude.h"
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM_PARAMETERS "double t, const double *x, const struct orr_env *env, double *out"
#define PROGRAM_ARGUMENTS  "t, x, env, out"
#define COMMON_PARAMETERS \
    "double t, const double *x, const struct orr_env *env, double *w, double *out, int remember"
#define COMMON_ARGUMENTS "t, x, env, w, out, remember"
#define EVAL_PARAMETERS \
    "double t, const double *in, const struct orr_env *env, double *z, double *r, double *m"
#define EVAL_ARGUMENTS "t, in, env, z, r, m"

static const char *linkage(const Cgen *c) { return c->gen.is_file ? "static " : ""; }

enum { RUN_MIN = 4 };    // copies that are worth a loop

// ---- Programs

Routine cgen_routine(const IrProgram *program)
{
    return (Routine){
        .name = program->name,
        .parameters = PROGRAM_PARAMETERS,
        .arguments = PROGRAM_ARGUMENTS,
        .is_public = true,
        .returns_int = true,
        .system = program->system,
        .reads = program->reads,
        .alias = program->alias,
        .from_v = program->from_v,
        .keeps = program->keeps,
        .program = program,
        .caches = !program->in_sequence,
        .style = VARS_CONST,
        .remember = program->remembers ? "1" : "0",
        .failed = "return %u;",
        .time = "t",
        .state = "x",
    };
}

static Step step_of(const Cgen *c, const IrProgram *program, const IrStatement *s, Array out)
{
    const IrLayout *layout = &c->gen.ir->layout;
    switch (s->kind) {
    case IR_LOCAL: {
        const Array array = program->keeps ? ARRAY_V : ARRAY_NONE;
        return (Step){ STEP_LET, s->value, s->index, array, layout->place[s->index], false };
    }
    case IR_KEEP: return (Step){ STEP_STORE, s->value, FLAT_NONE, ARRAY_V, layout->place[s->index], false };
    case IR_OUT: return (Step){ STEP_STORE, s->value, FLAT_NONE, out, s->index, false };
    case IR_PARAM: return (Step){ STEP_GIVEN, s->value, FLAT_NONE, ARRAY_V, layout->place[s->index], false };
    case IR_GUESS:
        if (s->value == EXPR_NONE)
            return (Step){ STEP_COPY, EXPR_NONE, layout->place[s->index], ARRAY_V, layout->guess[s->index],
                           false };
        return (Step){ STEP_STORE, s->value, FLAT_NONE, ARRAY_V, layout->guess[s->index], false };
    case IR_RERUN: return (Step){ STEP_RERUN, s->value, FLAT_NONE, ARRAY_OUT, s->index, false };
    case IR_SOLVE:
        return (Step){ STEP_SOLVE, EXPR_NONE, FLAT_NONE, program->keeps ? ARRAY_V : ARRAY_NONE,
                       s->index,   false };
    case IR_CALL: return (Step){ STEP_CALL, EXPR_NONE, FLAT_NONE, ARRAY_NONE, s->index, false };
    case IR_LOOP: return (Step){ STEP_LOOP, EXPR_NONE, FLAT_NONE, ARRAY_NONE, s->index, true };
    }
    assert(false && "a kind of statement");
    return (Step){ 0 };
}

static bool has_loops(const IrProgram *program)
{
    for (uint32_t i = 0; i < program->n_statements; i++)
        if (program->statements[i].kind == IR_LOOP) return true;
    return false;
}

// Loops find what they read in memory, and leave there what they compute.
static void put_in_memory(const IrProgram *program, Step *steps)
{
    for (uint32_t i = 0; i < program->n_statements; i++) {
        Step *step = &steps[i];
        if (step->kind == STEP_LOOP && i > 0) steps[i - 1].ends_epoch = true;
        if (step->array != ARRAY_NONE) continue;
        if (step->kind == STEP_LET || step->kind == STEP_SOLVE) step->array = ARRAY_W;
        if (step->kind == STEP_LET) step->index = step->variable;
    }
}

Step *cgen_steps(Cgen *c, const IrProgram *program, Array out, uint32_t *n)
{
    Step *steps = ARENA_ARRAY(&c->gen.work, Step, program->n_statements);
    for (uint32_t i = 0; i < program->n_statements; i++) {
        steps[i] = step_of(c, program, &program->statements[i], out);
        // what is computed before the first action of an event is computed together
        const bool is_action = steps[i].kind != STEP_LET && steps[i].kind != STEP_SOLVE;
        steps[i].ends_epoch = (program->in_sequence && is_action) || steps[i].kind == STEP_LOOP;
    }
    if (has_loops(program)) put_in_memory(program, steps);
    *n = program->n_statements;
    return steps;
}

bool cgen_fits(Cgen *c, const IrProgram *program)
{
    uint32_t n_out = 0;
    for (uint32_t i = 0; i < program->n_statements; i++) n_out += program->statements[i].kind == IR_OUT;
    // most variables are nested into others, but not so many
    if (n_out > PIECE_MAX || program->n_statements > 20 * PIECE_MAX) return false;
    Routine r = cgen_routine(program);
    r.steps = cgen_steps(c, program, ARRAY_OUT, &r.n_steps);
    return gen_measure(&c->gen, &r) <= PIECE_MAX;
}

static Routine routine_of(Cgen *c, IrProgramId id)
{
    const IrProgram *program = &c->gen.ir->programs[id];
    Routine r = cgen_routine(program);
    r.name = arena_printf(&c->gen.work, "orr_%s", program->name);
    r.steps = cgen_steps(c, program, ARRAY_OUT, &r.n_steps);
    return r;
}

static void print_program(Cgen *c, IrProgramId id)
{
    const Routine r = routine_of(c, id);
    gen_begin(&c->gen, &r);
    gen_function(&c->gen);
}

// ---- Derivatives and values of a large model

// Variables go to w instead of v, by their numbers.
static void put_into_w(Step *steps, uint32_t n, const IrProgram *program)
{
    for (uint32_t i = 0; i < n; i++) {
        const IrStatement *s = &program->statements[i];
        if (s->kind == IR_OUT) continue;
        steps[i].array = ARRAY_W;
        if (s->kind != IR_SOLVE) steps[i].index = s->index;
    }
}

// Does a loop of the values compute a variable of one of these blocks?
static bool computes_some(const Ir *ir, const IrLoop *loop, const bool *blocks)
{
    const uint32_t *block_of = ir->programs[IR_VALUES].system->block_of;
    for (uint32_t k = 0; k < loop->n_body; k++) {
        const IrBody *body = &loop->body[k];
        if (body->statement.kind != IR_LOCAL) continue;
        const IrPlace *target = &body->target;
        if (loop->n_nested > 1 || target->memory != IR_IN_V) return true;    // an array
        for (uint32_t i = 0; i < body->n; i++) {
            const uint32_t place = target->table != FLAT_NONE
                                       ? ir->tables.items[target->table + i]
                                       : target->first + (uint32_t)((int64_t)target->stride[0] * i);
            const uint32_t variable = place - ir->layout.first_var;
            const uint32_t block = variable < ir->flat->vars.n ? block_of[variable] : FLAT_NONE;
            if (block == FLAT_NONE || blocks[block]) return true;
        }
    }
    return false;
}

// What the values need beside what the derivatives compute. False if a loop of theirs computes some of both.
static bool find_rest(Cgen *c, IrProgram *rest)
{
    const Ir *ir = c->gen.ir;
    const IrProgram *rates = &ir->programs[IR_RATES];
    bool *is_common = ARENA_ARRAY(&c->gen.work, bool, rates->system->n_blocks);
    for (uint32_t i = 0; i < rates->n_statements; i++) {
        const IrStatement *s = &rates->statements[i];
        if (s->kind == IR_SOLVE) is_common[s->index] = true;
        else if (s->kind == IR_LOCAL) is_common[rates->system->block_of[s->index]] = true;
    }
    *rest = ir->programs[IR_VALUES];
    IrStatement *statements = ARENA_ARRAY(&c->gen.work, IrStatement, rest->n_statements);
    uint32_t n = 0;
    for (uint32_t i = 0; i < rest->n_statements; i++) {
        const IrStatement *s = &rest->statements[i];
        if (s->kind == IR_LOOP && computes_some(ir, &ir->loops.items[s->index], is_common)) return false;
        const bool is_done = (s->kind == IR_SOLVE && is_common[s->index]) ||
                             (s->kind == IR_LOCAL && is_common[rest->system->block_of[s->index]]);
        if (!is_done) statements[n++] = *s;
    }
    rest->statements = statements;
    rest->n_statements = n;
    return true;
}

// A derivative needs no place of its own beside the one in `out`. The number of steps left; which variable
// each derivative is goes to `derivative` [n_states], FLAT_NONE if it is none or has a place of its own.
static uint32_t put_into_out(Cgen *c, Step *steps, uint32_t n, uint32_t *derivative)
{
    Gen *g = &c->gen;
    const Ir *ir = g->ir;
    const Expr *alias = ir->programs[IR_RATES].alias;
    uint32_t *let = ARENA_ARRAY(&g->work, uint32_t, ir->flat->vars.n);    // 1 + its step
    for (uint32_t i = 0; i < ir->layout.n_states; i++) derivative[i] = FLAT_NONE;
    uint32_t n_left = 0;
    for (uint32_t i = 0; i < n; i++) {
        const Step step = steps[i];
        if (step.kind == STEP_LET) let[step.variable] = n_left + 1;
        if (step.array == ARRAY_OUT) {
            const ExprNode *node = expr_node(g->pool, step.value);
            if (node->op == EXPR_VAR && alias && alias[node->index] != EXPR_NONE)
                node = expr_node(g->pool, alias[node->index]);
            const uint32_t at = node->op == EXPR_VAR ? let[node->index] : 0;
            if (at && steps[at - 1].array != ARRAY_OUT) {
                steps[at - 1].array = ARRAY_OUT;
                steps[at - 1].index = step.index;
                derivative[step.index] = node->index;
                continue;
            }
        }
        steps[n_left++] = step;
    }
    return n_left;
}

// Copy derivatives to where recording reads them; stretches of equal distance are loops.
static void print_derivatives(Cgen *c, const uint32_t *derivative)
{
    StrBuf *s = &c->gen.body;
    const IrLayout *layout = &c->gen.ir->layout;
    const uint32_t n = layout->n_states;
    for (uint32_t i = 0, end; i < n; i = end) {
        end = i + 1;
        if (derivative[i] == FLAT_NONE) continue;
        const uint32_t to = layout->place[derivative[i]];
        const bool has_next = end < n && derivative[end] != FLAT_NONE;
        const int64_t step = has_next ? (int64_t)layout->place[derivative[end]] - to : 0;
        while (end < n && derivative[end] != FLAT_NONE &&
               (int64_t)layout->place[derivative[end]] - to == step * (int64_t)(end - i))
            end++;
        if (end - i < RUN_MIN) {
            for (uint32_t k = i; k < end; k++)
                str_addf(s, "    v[%u] = v[%u];\n", layout->place[derivative[k]], layout->first_inner + k);
        } else {
            str_addf(s, "    for (i = 0; i < %u; i++) v[%u + %lld*i] = v[%u + i];\n", end - i, to,
                     (long long)step, layout->first_inner + i);
        }
    }
}

// The derivatives leave each variable in w, which is v itself when the values are computed.
static void print_large_rates_and_values(Cgen *c, const IrProgram *rest)
{
    Gen *g = &c->gen;
    const Ir *ir = g->ir;
    const IrLayout *layout = &ir->layout;
    const IrProgram *rates = &ir->programs[IR_RATES];
    Routine common = cgen_routine(rates);
    common.name = "orr_common";
    common.parameters = COMMON_PARAMETERS;
    common.arguments = COMMON_ARGUMENTS;
    common.has_w = true;
    common.is_public = false;
    common.may_be_cut = g->cut && g->body.n == 0;    // its pieces call nothing that is printed
    common.remember = "remember";
    Step *steps = cgen_steps(c, rates, ARRAY_OUT, &common.n_steps);
    put_into_w(steps, common.n_steps, rates);
    uint32_t *derivative = ARENA_ARRAY(&g->work, uint32_t, layout->n_states);
    common.n_steps = put_into_out(c, steps, common.n_steps, derivative);
    common.steps = steps;
    gen_begin(g, &common);
    gen_function(g);

    Routine others = cgen_routine(rest);
    others.name = "orr_rest";
    others.is_public = false;
    others.steps = cgen_steps(c, rest, ARRAY_OUT, &others.n_steps);
    gen_begin(g, &others);
    gen_function(g);

    str_addf(&g->body,
             "%sint orr_rates(" PROGRAM_PARAMETERS ")\n{\n"
             "    return orr_common(t, x, env, env->v + %u, out, 1);\n}\n\n",
             linkage(c), layout->first_shadow);
    str_addf(&g->body,
             "%sint orr_values(" PROGRAM_PARAMETERS ")\n{\n"
             "    double *const v = env->v;\n"
             "    const int failed = orr_common(t, x, env, v + %u, v + %u, 0);\n"
             "    long i;\n"
             "    if (failed) return failed;\n",
             linkage(c), layout->first_var, layout->first_inner);
    print_derivatives(c, derivative);
    str_add(&g->body, "    (void)i;\n    return orr_rest(t, x, env, out);\n}\n\n");
}

static void print_rates_and_values(Cgen *c)
{
    const Ir *ir = c->gen.ir;
    IrProgram rest;
    if (c->is_large && !has_loops(&ir->programs[IR_RATES]) && find_rest(c, &rest)) {
        print_large_rates_and_values(c, &rest);
        return;
    }
    print_program(c, IR_RATES);
    print_program(c, IR_VALUES);
}

// ---- Relations

void cgen_print_changed(Cgen *c)
{
    Gen *g = &c->gen;
    const IrLayout *layout = &g->ir->layout;
    if (cgen_fits(c, &g->ir->programs[IR_CHANGED])) {
        print_program(c, IR_CHANGED);
        return;
    }
    // rather than computing everything behind them a second time
    str_addf(&g->body,
             "%sint orr_changed(" PROGRAM_PARAMETERS ")\n{\n"
             "    double *const now = env->v + %u, *const mode = env->v + %u;\n"
             "    const int failed = orr_relations(t, x, env, now);\n"
             "    int k;\n"
             "    out[0] = 0.0;\n"
             "    for (k = 0; k < %u; k++)\n"
             "        if (now[2*k + 1] != mode[k]) out[0] = 1.0;\n"
             "    return failed;\n}\n\n",
             linkage(c), layout->first_inner + layout->n_states, layout->first_mode, layout->n_modes);
}

void cgen_print_relations(Cgen *c)
{
    print_program(c, IR_RELATIONS);
    cgen_print_changed(c);
}

// ---- Events

static void print_event(Cgen *c, uint32_t number)
{
    const IrProgram *program = &c->gen.ir->events[number];
    Routine r = cgen_routine(program);
    r.name = arena_printf(&c->gen.work, "orr_event_%u", number);
    r.is_public = false;
    r.style = VARS_MEMORY;    // computed before the first action, read behind others
    r.steps = cgen_steps(c, program, ARRAY_OUT, &r.n_steps);
    gen_begin(&c->gen, &r);
    gen_function(&c->gen);
}

// One function for each body, and one that calls the right one.
static void print_events(Cgen *c)
{
    const size_t n = c->gen.ir->flat->events.n;
    StrBuf *s = &c->gen.body;
    if (n == 0) return;
    print_program(c, IR_CONDITIONS);
    if (c->gen.ir->flat->pres.n) print_program(c, IR_PRES);
    for (uint32_t i = 0; i < n; i++) print_event(c, i);
    str_add(s, "static int (*const orr_events[])(" PROGRAM_PARAMETERS ") = {\n");
    for (uint32_t i = 0; i < n; i++) str_addf(s, "    orr_event_%u,\n", i);
    str_addf(s, "};\n\n%sint orr_event(" PROGRAM_PARAMETERS ")\n{\n"
                "    return orr_events[env->event](" PROGRAM_ARGUMENTS ");\n}\n\n", linkage(c));
}

// ---- Loops of equations

static void add_step(Gen *g, Step **steps, uint32_t *n, size_t *capacity, Step step)
{
    if (*n == *capacity) {
        const size_t more = vec_next_capacity(*capacity, *n + 1);
        *steps = arena_grow(&g->work, *steps, *capacity, more, sizeof **steps);
        *capacity = more;
    }
    (*steps)[(*n)++] = step;
}

// The function that computes matrix and right-hand side, or residuals and their derivatives.
static void print_evaluation(Cgen *c, const IrProgram *program, uint32_t b)
{
    Gen *g = &c->gen;
    const Block *block = &program->system->blocks[b];
    const uint32_t rows = ir_matrix_rows(block);
    Routine r = cgen_routine(program);
    r.name = arena_printf(&g->work, "%s%u",
                          program->system == &g->ir->blocks->start ? "orr_start_eval_" : "orr_eval_", b);
    r.parameters = EVAL_PARAMETERS;
    r.arguments = EVAL_ARGUMENTS;
    r.is_public = r.returns_int = false;
    Step *steps = NULL;
    size_t capacity = 0;
    if (block->kind == BLOCK_NEWTON) {
        for (uint32_t i = 0; i < block->n - block->n_torn; i++) {
            const uint32_t u = block->unknowns[block->n_torn + i];
            add_step(g, &steps, &r.n_steps, &capacity,
                     (Step){ STEP_LET, block->inner[i], u, ARRAY_Z, block->n_torn + i, false });
        }
    }
    const Expr *vector = block->kind == BLOCK_NEWTON ? block->residuals : block->vector;
    for (uint32_t i = 0; i < rows; i++)
        add_step(g, &steps, &r.n_steps, &capacity,
                 (Step){ STEP_STORE, vector[i], FLAT_NONE, ARRAY_R, i, false });
    for (uint32_t k = 0; k < block->n_entries; k++) {
        const BlockEntry *entry = &block->entries[k];
        add_step(
            g, &steps, &r.n_steps, &capacity,
            (Step){ STEP_STORE, entry->value, FLAT_NONE, ARRAY_M, entry->row * rows + entry->column, false });
    }
    r.steps = steps;

    gen_begin(g, &r);
    uint32_t n_inputs;
    const uint32_t *inputs = gen_loop_inputs(g, &r, b, &n_inputs);
    for (uint32_t i = 0; i < n_inputs; i++) gen_in_memory(g, inputs[i], ARRAY_IN, i);
    for (uint32_t i = 0; block->kind == BLOCK_NEWTON && i < block->n_torn; i++)
        gen_in_memory(g, block->unknowns[i], ARRAY_Z, i);
    g->is_block = true;
    gen_function(g);
    g->is_block = false;
}

static void print_loop(Cgen *c, const IrProgram *program, uint32_t b)
{
    Gen *g = &c->gen;
    StrBuf *s = &g->body;
    const IrLayout *layout = &g->ir->layout;
    const Block *block = &program->system->blocks[b];
    const uint32_t n = ir_matrix_rows(block), size = ir_matrix_size(block);
    const bool is_start = program->system == &g->ir->blocks->start;
    const char *eval = is_start ? "orr_start_eval_" : "orr_eval_";
    print_evaluation(c, program, b);

    str_add(s, "static int ");
    gen_loop_name(g, s, program->system, b);
    str_add(s, "(double t, const double *in, const struct orr_env *env, double *z, int remember)\n{\n");
    if (size <= IR_STACK_MAX) str_addf(s, "    double work[%u];\n", size);
    else str_addf(s, "    double *const work = env->v + %u;\n", layout->first_work);
    if (block->kind == BLOCK_LINEAR) {
        g->uses_lu = true;
        str_addf(s, "    int i;\n    (void)remember;\n    for (i = 0; i < %u; i++) work[i] = 0.0;\n", n * n);
        str_addf(s, "    %s%u(t, in, env, z, z, work);\n", eval, b);
        str_addf(s, "    return !orr_lu(%u, work, z, work + %u);\n}\n\n", n, n * n);
        return;
    }
    g->uses_newton = true;
    for (uint32_t i = 0; i < n; i++)
        str_addf(s, "    z[%u] = env->v[%u];\n", i, layout->guess[block->unknowns[i]]);
    str_addf(s, "    if (orr_newton(%u, %s%u, t, in, env, z, work)) return 1;\n", n, eval, b);
    str_add(s, "    if (remember) {\n");
    for (uint32_t i = 0; i < n; i++)
        str_addf(s, "        env->v[%u] = z[%u];\n", layout->guess[block->unknowns[i]], i);
    str_add(s, "    }\n    return 0;\n}\n\n");
}

// Every loop that one of these programs solves, once.
static void print_loops_of(Cgen *c, const IrProgram *program, bool *is_printed)
{
    for (uint32_t i = 0; i < program->n_statements; i++) {
        const IrStatement *s = &program->statements[i];
        if (s->kind != IR_SOLVE || is_printed[s->index]) continue;
        is_printed[s->index] = true;
        print_loop(c, program, s->index);
    }
}

static void print_equation_loops(Cgen *c, unsigned parts)
{
    const Ir *ir = c->gen.ir;
    bool *dynamic = ARENA_ARRAY(&c->gen.work, bool, ir->blocks->dynamic.n_blocks);
    bool *start = ARENA_ARRAY(&c->gen.work, bool, ir->blocks->start.n_blocks);
    if (parts & CODE_PART_CORE) {
        print_loops_of(c, &ir->programs[IR_START], start);
        print_loops_of(c, &ir->programs[IR_VALUES], dynamic);
    }
    if (parts & CODE_PART_JACOBIAN) print_loops_of(c, &ir->programs[IR_JACOBIAN], dynamic);
    if (parts & CODE_PART_IN_PLACE) print_loops_of(c, &ir->programs[IR_RELATIONS], dynamic);
    for (uint32_t i = 0; parts & CODE_PART_IN_PLACE && ir->one_rate && i < ir->blocks->n_states; i++)
        print_loops_of(c, &ir->one_rate[i], dynamic);
}

// ---- All of it

static void print_core(Cgen *c)
{
    print_rates_and_values(c);
    print_program(c, IR_PARAMS);
    print_program(c, IR_START);
    cgen_print_relations(c);
    print_program(c, IR_ASSERTS);
    print_program(c, IR_TERMINAL);
    print_program(c, IR_HISTORIES);
    if (c->gen.ir->programs[IR_CHOICES].n_statements > 0) print_program(c, IR_CHOICES);
    print_events(c);
    if (c->gen.ir->n_noise > 0) print_program(c, IR_NOISE);
    loops_print(c, UINT_MAX);
}

Text code_text(const Ir *ir, unsigned parts, Arena *arena) { return code_text_cut(ir, parts, NULL, arena); }

Text code_text_cut(const Ir *ir, unsigned parts, const CodeCut *cut, Arena *arena)
{
    Cgen c = { 0 };
    Gen *g = &c.gen;
    gen_init(g, ir);
    g->cut = cut;
    g->texts = arena;
    c.is_large = !cgen_fits(&c, &ir->programs[IR_RATES]);

    print_equation_loops(&c, parts);
    if (parts & CODE_PART_CORE) print_core(&c);
    if (parts & CODE_PART_IN_PLACE && ir->one_rate) {
        if (!(parts & CODE_PART_CORE)) cgen_print_relations(&c);
        loops_print_in_place(&c);
    }
    if (parts & CODE_PART_JACOBIAN && ir->has_jacobian) print_program(&c, IR_JACOBIAN);
    if (parts & CODE_PART_RESIDUALS) print_program(&c, IR_RESIDUALS);

    const Text result = prelude_finish(g, arena);
    gen_free(g);
    return result;
}

// ---- A file that stands alone

// A routine of expressions over parameters and discrete variables in v.
static void print_outside(Cgen *c, const char *name, const Step *steps, uint32_t n)
{
    Routine r = cgen_routine(&c->gen.ir->programs[IR_PRES]);
    r.name = name;
    r.alias = NULL;
    r.from_v = true;
    r.is_public = false;
    r.steps = steps;
    r.n_steps = n;
    gen_begin(&c->gen, &r);
    gen_function(&c->gen);
}

// When time events fire: out[3*i] the time or period of event i, then where it begins, then its delay. Over
// parameters and discrete variables in v.
static void print_times(Cgen *c)
{
    Gen *g = &c->gen;
    const Flat *flat = g->ir->flat;
    Step *steps = ARENA_ARRAY(&g->work, Step, 3 * flat->events.n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < flat->events.n; i++) {
        const FlatEvent *event = &flat->events.items[i];
        const Expr values[] = { event->time, event->from, event->after };
        for (uint32_t k = 0; k < 3; k++)
            if (values[k] != EXPR_NONE)
                steps[n++] = (Step){ STEP_STORE, values[k], FLAT_NONE, ARRAY_OUT, 3 * i + k, false };
    }
    if (n) print_outside(c, "orr_times", steps, n);
}

// How long each delay is: out[k]; and functions that compute what it was before the start, NULL if its first
// value counts.
static void print_delays(Cgen *c)
{
    Gen *g = &c->gen;
    const Flat *flat = g->ir->flat;
    const uint32_t n = (uint32_t)flat->delays.n;
    print_program(c, IR_HISTORIES);
    Step *steps = ARENA_ARRAY(&g->work, Step, n);
    bool has_before = false;
    for (uint32_t k = 0; k < n; k++) {
        steps[k] = (Step){ STEP_STORE, flat->delays.items[k].lag, FLAT_NONE, ARRAY_OUT, k, false };
        has_before |= flat->delays.items[k].before != EXPR_NONE;
    }
    print_outside(c, "orr_lags", steps, n);
    if (!has_before) return;
    for (uint32_t k = 0; k < n; k++) {
        const Step step = { STEP_STORE, flat->delays.items[k].before, FLAT_NONE, ARRAY_OUT, 0, false };
        if (step.value != EXPR_NONE) print_outside(c, arena_printf(&g->work, "orr_before_%u", k), &step, 1);
    }
    StrBuf *s = &g->body;
    str_add(s, "static int (*const orr_befores[])(" PROGRAM_PARAMETERS ") = {\n");
    for (uint32_t k = 0; k < n; k++) {
        if (flat->delays.items[k].before == EXPR_NONE) str_add(s, "    NULL,\n");
        else str_addf(s, "    orr_before_%u,\n", k);
    }
    str_add(s, "};\n\n");
}

// Derivatives of constraints, by which states are chosen: at the start from the variables in v, later from
// the states.
static void print_choices(Cgen *c)
{
    Gen *g = &c->gen;
    const Reduction *r = g->ir->blocks->reduction;
    uint32_t n_entries = 0, n = 0;
    for (uint32_t i = 0; i < r->n_choices; i++) n_entries += r->choices[i].n_entries;
    Step *steps = ARENA_ARRAY(&g->work, Step, n_entries);
    for (uint32_t i = 0; i < r->n_choices; i++)
        for (uint32_t e = 0; e < r->choices[i].n_entries; e++, n++)
            steps[n] = (Step){ STEP_STORE, r->choices[i].entries[e].value, FLAT_NONE, ARRAY_OUT, n, false };
    print_outside(c, "orr_start_choices", steps, n);
    print_program(c, IR_CHOICES);
}

Text code_file_text(const Ir *ir, CodeLoopId loop, bool jacobian, const char *const *math, bool labels,
                    Arena *arena)
{
    Cgen c = { 0 };
    Gen *g = &c.gen;
    gen_init(g, ir);
    g->is_file = true;
    g->has_labels = labels;
    for (; *math; math++) {
        if (strncmp(*math, "orr_power", 9) == 0) g->uses_power[strtoul(*math + 9, NULL, 10)] = true;
        else g->uses_math[expr_math_find(*math) - expr_math] = true;
    }
    c.is_large = !cgen_fits(&c, &ir->programs[IR_RATES]);
    const bool has_relations = ir->layout.n_modes > 0, is_local = loops_are_local(&c);
    const bool has_jacobian = jacobian && ir->n_jacobian > 0;
    print_equation_loops(&c, CODE_PART_CORE | (loop == CODE_IN_PLACE ? CODE_PART_IN_PLACE : 0)
                                 | (has_jacobian ? CODE_PART_JACOBIAN : 0));
    print_rates_and_values(&c);
    if (has_jacobian) print_program(&c, IR_JACOBIAN);
    print_program(&c, IR_PARAMS);
    print_program(&c, IR_START);
    if (has_relations) print_program(&c, IR_RELATIONS);
    if (has_relations && loop != CODE_N_LOOPS && !is_local) cgen_print_changed(&c);
    if (ir->flat->asserts.n) print_program(&c, IR_ASSERTS);
    if (ir->flat->terminal.n) print_program(&c, IR_TERMINAL);
    if (ir->flat->delays.n) print_delays(&c);
    if (ir->n_noise) print_program(&c, IR_NOISE);
    if (ir->programs[IR_CHOICES].n_statements > 0) print_choices(&c);
    if (ir->flat->events.n) print_times(&c);
    print_events(&c);
    if (loop == CODE_IN_PLACE) loops_print_in_place(&c);
    else if (loop != CODE_N_LOOPS) loops_print(&c, 1u << loop);
    const Text result = prelude_finish(g, arena);
    gen_free(g);
    return result;
}

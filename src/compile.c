// src/compile.c: from model text to a compiled model, one line for each pass.
//
//     text ─parse→ Ast ─units, flatten→ Flat ─network→ Network
//                                            └─order→ Blocks ─lower→ Ir ─emit→ C text ─build→ machine code
//
// Parsing happens when a source is opened (source/source.c), since one source serves several models and
// experiments. What a pass decides that is not the matter of one stage stands in compile/.
#include "base/guard.h"
#include "base/os.h"
#include "compile/compile.h"
#include <stdlib.h>
#include <string.h>

static bool pass_choose(Compile *c)
{
    if (!choose_names_are_unique(c)) return false;
    if (choose_model(c)) return inputs_read(c);
    // so that messages about both come together
    atomic_check(&c->model->atomics, &c->source->ast, NULL, &c->model->arena, c->diag);
    return false;
}

// Wrong units do not stop flattening, so that wrong names are told together with them.
static bool pass_units(Compile *c)
{
    orr_model *m = c->model;
    c->units_fit = units_check_given(&m->flat.units, &c->source->ast, c->chosen, m->flat.settings,
                                     m->flat.n_settings, &m->units_arena, c->diag);
    return true;
}

static bool pass_atomic(Compile *c)
{
    return atomic_check(&c->model->atomics, &c->source->ast, c->model->flat.units, &c->model->arena, c->diag);
}

static uint32_t arrays_from(const Compile *c)
{
    const size_t from = c->options->arrays_from;
    if (from == 0) return FLAT_KEEP_FROM;
    return from > UINT32_MAX ? 0 : (uint32_t)from;
}

// The arrays that must not stay arrays are added to `expanded`. False if there are no new ones.
static bool find_irregular(const Flat *flat, TextMap *expanded)
{
    bool any = false;
    for (size_t i = 0; i < flat->arrays.n; i++) {
        if (!flat->arrays.items[i].is_irregular) continue;
        if (text_map_put(expanded, text_from(flat->arrays.items[i].name), 0)) any = true;
    }
    return any;
}

// Large arrays stay arrays where the order of evaluation allows it. Which do is found by trying: those that
// do not become single variables, and the model is read again.
static bool pass_flatten(Compile *c)
{
    orr_model *m = c->model;
    const size_t n_given = c->options->n_settings;
    FlatGiven *given = ARENA_ARRAY(&m->arena, FlatGiven, n_given);
    for (size_t i = 0; i < n_given; i++) {
        const orr_setting *setting = &c->options->settings[i];
        given[i] = (FlatGiven){ text_copy(&m->arena, text_from(setting->name)), setting->value };
    }
    Arena work = { 0 };
    TextMap expanded;
    text_map_init(&expanded, &work);
    const ArenaMark mark = arena_mark(&m->arena);
    const DiagMark messages = diag_mark(c->diag);
    uint32_t from = arrays_from(c);
    bool ok;
    for (;;) {
        m->flat = (Flat){ .arena = &m->arena,
                          .units = m->flat.units,
                          .given = given,
                          .n_given = n_given,
                          .settings = m->flat.settings,
                          .n_settings = m->flat.n_settings,
                          .driven = m->flat.driven,
                          .n_driven = m->flat.n_driven,
                          .reactions_are_events = c->options->reactions_are_events,
                          .keep_from = from,
                          .expanded = &expanded };
        ok = flat_expand(&m->flat, &c->source->ast, c->chosen, c->diag);
        m->flat.expanded = NULL;
        if (m->flat.arrays.n == 0) break;
        const bool is_flat = ok && !m->flat.keep_failed;
        if (is_flat && order_sort(&m->blocks, &m->flat, &m->arena, c->diag)) {
            c->is_ordered = true;
            break;
        }
        // what is wrong with the model is told by single variables
        if (!is_flat || !find_irregular(&m->flat, &expanded)) from = 0;
        diag_rewind(c->diag, &messages);
        arena_release(&m->arena, mark);
    }
    arena_free(&work);
    return ok && c->units_fit;
}

static bool pass_network(Compile *c)
{
    if (!natives_bind(c)) return false;
    orr_model *m = c->model;
    if (m->flat.ports.n == 0 && m->flat.parts.n == 0 && m->flat.islands.n == 0) return true;
    m->network = net_build(&m->flat, &m->atomics, c->options->is_component, &m->arena, c->diag);
    return m->network != NULL;
}

static bool pass_order(Compile *c)
{
    orr_model *m = c->model;
    if (!c->is_ordered && !order_sort(&m->blocks, &m->flat, &m->arena, c->diag)) return false;
    if (c->options->loops_halt && !order_refuse_loops(&m->blocks, c->diag)) return false;
    order_leave_loops(&m->blocks, &m->flat, c->options->implicit ? 0 : ORDER_LOOP_MAX, &m->arena);
    return true;
}

// Only what a solver integrates can be kept positive by it.
static bool check_positive(const Compile *c)
{
    const Flat *flat = &c->model->flat;
    const IrLayout *layout = &c->model->ir.layout;
    bool ok = true;
    for (size_t i = 0; i < flat->vars.n + flat->arrays.n; i++) {
        const size_t a = i - flat->vars.n;
        const bool is_array = i >= flat->vars.n;
        if (is_array ? !flat->arrays.items[a].is_positive || layout->array_state[a] != FLAT_NONE
                     : !flat->vars.items[i].is_positive || layout->state_of[i] != FLAT_NONE)
            continue;
        diag_report(c->diag, DIAG_POSITIVE_NO_STATE,
                    is_array ? flat->arrays.items[a].place : flat->vars.items[i].place,
                    is_array ? flat->arrays.items[a].name : flat->vars.items[i].name);
        diag_hint(c->diag, "what equations compute is claimed by 'assert'");
        ok = false;
    }
    return ok;
}

static bool pass_lower(Compile *c)
{
    return ir_lower(&c->model->ir, &c->model->blocks, &c->model->arena, c->diag) && check_positive(c);
}

static bool pass_build(Compile *c)
{
    const CodeTier tier = c->options->code == ORR_CODE_NATIVE ? CODE_NATIVE : CODE_INSTANT;
    if (!code_build(&c->model->code, &c->model->ir, tier, c->diag)) return false;
    c->model->code.may_improve = c->options->code == ORR_CODE_AUTO;
    if (!atomic_build(&c->model->atomics, tier, c->diag)) return false;
    NetGuests islands;
    if (!islands_build(c, &islands)) return false;
    return !c->model->network || net_finish(c->model->network, &islands, &c->model->arena, c->diag);
}

static void dump_ast(const Compile *c, FILE *out) { ast_print(&c->source->ast, out); }
static void dump_atomic(const Compile *c, FILE *out) { atomic_print(&c->model->atomics, out); }
static void dump_units(const Compile *c, FILE *out) { units_print(c->model->flat.units, out); }
static void dump_flat(const Compile *c, FILE *out) { flat_print(&c->model->flat, out); }
static void dump_network(const Compile *c, FILE *out)
{
    if (c->model->network) net_print(c->model->network, out);
    else fputs("no event ports: the model is one island\n", out);
}
static void dump_blocks(const Compile *c, FILE *out) { blocks_print(&c->model->blocks, out); }
static void dump_ir(const Compile *c, FILE *out) { ir_print(&c->model->ir, out); }
static void dump_c(const Compile *c, FILE *out)
{
    Arena work = { 0 };
    const Text text = code_text(&c->model->ir, CODE_PART_ALL, &work);
    fwrite(text.p, 1, text.n, out);
    if (c->model->atomics.n_kinds > 0) {
        const Text atomics = atomic_text(&c->model->atomics, &work);
        fputs("\n/* Atomics: a text of its own. */\n", out);
        fwrite(atomics.p, 1, atomics.n, out);
    }
    arena_free(&work);
}

static const struct Pass {
    const char *name;                             // also the argument of `orrery show --stage`
    bool (*run)(Compile *c);                      // false once an error has been reported
    void (*dump)(const Compile *c, FILE *out);
} passes[] = {
    { "ast",     pass_choose,  dump_ast     },    // ast    → the model to compile
    { "units",   pass_units,   dump_units   },    // ast    → units     of every name, and what to convert
    { "atomic",  pass_atomic,  dump_atomic  },    // ast    → atomics   programs of discrete-event components
    { "flat",    pass_flatten, dump_flat    },    // ast    → flat      no instances or connections left
    { "network", pass_network, dump_network },    // flat   → network   components, ports, couplings
    { "order",   pass_order,   dump_blocks  },    // flat   → blocks    who computes what, and when
    { "ir",      pass_lower,   dump_ir      },    // blocks → ir        programs over expressions
    { "c",       pass_build,   dump_c       },    // ir     → code      C text, then machine code
};

const char *orr_stage_at(size_t i)
{
    if (i >= sizeof passes / sizeof *passes) return NULL;
    return passes[i].name;
}

orr_compile_options orr_compile_options_default(void)
{
    return (orr_compile_options){ .code = ORR_CODE_AUTO };
}

static void destroy(void *self)
{
    Compile *c = self;
    orr_model_destroy(c->model);
    c->model = NULL;
}

static void compile(void *self)
{
    Compile *c = self;
    const uint64_t started = os_now_ns();
    orr_model *model = c->model = calloc(1, sizeof *model);
    if (!model) arena_no_memory(sizeof *model);
    pthread_mutex_init(&model->lock, NULL);
    source_keep(model->source = (orr_source *)c->source);
    model->release = source_release;
    const char *stage = c->options->dump_stage;
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        guard_look();
        if (!passes[i].run(c)) return destroy(c);
        if (stage && strcmp(stage, passes[i].name) == 0) passes[i].dump(c, c->options->dump_to);
    }
    model->n_states = model->ir.layout.n_states;
    model->n_params = model->ir.layout.n_params;
    model->n_values = model->ir.layout.n_values;
    model->n_relations = (uint32_t)model->flat.relations.n;
    model->n_events = (uint32_t)model->flat.events.n;
    model->n_asserts = (uint32_t)model->flat.asserts.n;
    model->n_delays = (uint32_t)model->flat.delays.n;
    model_make_tables(model);
    model->own_units = (Ast){ .arena = &model->arena,
                              .has_units = c->source->ast.has_units,
                              .units = c->source->ast.units };
    model->compile_ms = (double)(os_now_ns() - started) * 1e-6;
    model->compiled_with = model->code.compiled_with = c->diag;
}

orr_model *orr_model_compile(const orr_source *source, const orr_compile_options *options, orr_diag *diag)
{
    const orr_compile_options defaults = orr_compile_options_default();
    const orr_compile_options *o = options ? options : &defaults;
    Compile c = { .source = source, .options = o, .diag = diag };
    const GuardLimits limits = { o->cancel, o->max_seconds, o->max_bytes, destroy, diag };
    guard_call(&limits, compile, &c);
    return c.model;
}

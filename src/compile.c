// src/compile.c: from model text to a compiled model, one line for each pass.
//
//     text ─parse→ Ast ─units, flatten→ Flat ─network→ Network, ─order→ Blocks ─lower→ Ir ─emit→ C text
// ─build→ machine code
//
// Parsing happens when a source is opened (source.c), since one source serves several models and experiments.
#include "compile.h"
#include "islands.h"
#include "base/os.h"
#include "lang/parse.h"
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- which model

enum { NAMES_SHOWN = 12 };    // in a hint

static const AstModel *find_model(const Ast *ast, const char *name)
{
    for (size_t i = 0; i < ast->models.n; i++)
        if (strcmp(ast->models.items[i].name, name) == 0) return &ast->models.items[i];
    return NULL;
}

static const AstModel *named_model(const Compile *c)
{
    const Ast *ast = &c->source->ast;
    const AstModel *model = find_model(ast, c->options->model);
    if (model) return model;
    Arena work = { 0 };
    const char **names = ARENA_ARRAY(&work, const char *, ast->models.n + 1);
    for (size_t i = 0; i < ast->models.n; i++) names[i] = ast->models.items[i].name;
    diag_report(c->diag, DIAG_MODEL_UNKNOWN, (Place){ 0 }, c->options->model);
    const char *closest = text_closest(c->options->model, names, ast->models.n);
    StrBuf all = { .arena = &work };
    for (size_t i = 0; i < ast->models.n && i < NAMES_SHOWN; i++)
        str_addf(&all, "%s%s", i ? ", " : "", names[i]);
    if (closest) diag_hint(c->diag, "did you mean '%s'?", closest);
    else if (ast->models.n > 0)
        diag_hint(c->diag, "there are %s%s", str_finish(&all), ast->models.n > NAMES_SHOWN ? ", …" : "");
    arena_free(&work);
    return NULL;
}

// The one model that no other uses as a component. Models of the file itself go before those of files it
// uses.
static const AstModel *top_model(const Compile *c)
{
    const Ast *ast = &c->source->ast;
    Arena work = { 0 };
    TextMap components;
    text_map_init(&components, &work);
    for (size_t i = 0; i < ast->models.n; i++) {
        const AstModel *model = &ast->models.items[i];
        for (uint32_t k = 0; k < model->n_items; k++)
            if (model->items[k].kind == AST_COMPONENT)
                text_map_put(&components, text_from(model->items[k].component.model), 0);
    }
    const AstModel *top = NULL;
    StrBuf tops = { .arena = &work };
    size_t n_tops = 0;
    for (int own = 1; own >= 0 && n_tops == 0; own--) {
        for (size_t i = 0; i < ast->models.n; i++) {
            const AstModel *model = &ast->models.items[i];
            if (model->atomic) continue;
            if ((own && model->place.file != c->source->first) ||
                text_map_find(&components, text_from(model->name)))
                continue;
            top = model;
            str_addf(&tops, "%s%s", n_tops++ ? ", " : "", top->name);
        }
    }
    if (n_tops == 0 && ast->models.n > 0) {    // only cycles: expanding the first names the cycle
        top = &ast->models.items[0];
    } else if (n_tops == 0) {
        diag_report(c->diag, DIAG_MODEL_NONE, (Place){ 0 }, c->source->path);
        if (c->source->ast.machines.n > 0)
            diag_hint(c->diag, "it has machines: see orrery run --inputs and orrery machine");
        else if (c->source->ast.atomics.n > 0)
            diag_hint(c->diag, "it has atomics, which are components of models: model Name; a : %s; end",
                      c->source->ast.atomics.items[0].name);
        else diag_hint(c->diag, "a model is written: model Name … end");
    } else if (n_tops > 1) {
        diag_report(c->diag, DIAG_MODEL_AMBIGUOUS, (Place){ 0 }, str_finish(&tops));
        diag_hint(c->diag, "choose one with --model, or name an experiment of the file");
        top = NULL;
    }
    arena_free(&work);
    return top;
}

static bool report_twice(orr_diag *diag, const char *name, Place place, Place first)
{
    diag_report(diag, DIAG_MODEL_TWICE, place, name);
    diag_note(diag, first, "'%s' is defined here first", name);
    return false;
}

// Models, experiments and units have names of their own.
static bool names_are_unique(const Compile *c)
{
    const Ast *ast = &c->source->ast;
    Arena work = { 0 };
    TextMap models, experiments, frames, units;
    text_map_init(&models, &work);
    text_map_init(&experiments, &work);
    text_map_init(&frames, &work);
    text_map_init(&units, &work);
    bool ok = true;
    for (size_t i = 0; i < ast->models.n; i++) {
        const AstModel *model = &ast->models.items[i];
        if (!model->atomic && !text_map_put(&models, text_from(model->name), (uint32_t)i))
            ok = report_twice(c->diag, model->name, model->place,
                              ast->models.items[*text_map_find(&models, text_from(model->name))].place);
    }
    for (size_t i = 0; i < ast->experiments.n; i++) {
        const AstExperiment *e = &ast->experiments.items[i];
        if (!text_map_put(&experiments, text_from(e->name), (uint32_t)i))
            ok = report_twice(c->diag, e->name, e->place,
                              ast->experiments.items[*text_map_find(&experiments, text_from(e->name))].place);
    }
    for (size_t i = 0; i < ast->frames.n; i++) {
        const AstFrame *f = &ast->frames.items[i];
        if (!text_map_put(&frames, text_from(f->name), (uint32_t)i))
            ok = report_twice(c->diag, f->name, f->place,
                              ast->frames.items[*text_map_find(&frames, text_from(f->name))].place);
    }
    for (size_t i = 0; i < ast->units.n; i++) {
        const AstUnit *unit = &ast->units.items[i];
        if (!text_map_put(&units, text_from(unit->name), (uint32_t)i))
            ok = report_twice(c->diag, unit->name, unit->place,
                              ast->units.items[*text_map_find(&units, text_from(unit->name))].place);
    }
    arena_free(&work);
    return ok;
}

// ---------------------------------------------------------------------------------------------- inputs

static int degree_of(orr_between between)
{
    return between == ORR_BETWEEN_HOLD ? 0 : between == ORR_BETWEEN_LINEAR ? 1 : 3;
}

static bool is_input_of(const AstModel *model, const char *name)
{
    for (uint32_t i = 0; i < model->n_items; i++)
        if (model->items[i].kind == AST_DECL && model->items[i].decl.kind == AST_INPUT &&
            strcmp(model->items[i].decl.name, name) == 0)
            return true;
    return false;
}

// An expression can be given to inputs only, not to what an override could reach besides.
static bool check_input(const Compile *c, const AstSetting *setting)
{
    const AstModel *model = c->chosen;
    const char *name = setting->target.parts[0].name;
    if (setting->target.n_parts > 1 || is_input_of(model, name)) return true;
    diag_report(c->diag, DIAG_INPUT_UNKNOWN, setting->place, model->name, name);
    Arena work = { 0 };
    const char **names = ARENA_ARRAY(&work, const char *, model->n_items);
    size_t n = 0;
    for (uint32_t i = 0; i < model->n_items; i++)
        if (model->items[i].kind == AST_DECL && model->items[i].decl.kind == AST_INPUT)
            names[n++] = model->items[i].decl.name;
    const char *closest = text_closest(name, names, n);
    if (closest) diag_hint(c->diag, "did you mean '%s'?", closest);
    else if (n > 0) diag_hint(c->diag, "there is '%s'%s", names[0], n > 1 ? " and others" : "");
    else diag_hint(c->diag, "the model has no inputs; declare one: input %s = 0", name);
    arena_free(&work);
    return false;
}

// `u = 2*sin(t)` as the command line has it.
static bool parse_setting_text(Compile *c, const orr_input *input, AstSetting *setting)
{
    Arena *arena = &c->model->arena;
    const char *text = arena_printf(arena, "%s", input->address);
    const uint32_t file = diag_add_source(c->diag, arena_printf(arena, "input %s", input->name), text,
                                          strlen(text));
    AstExpr *value = parse_expression(arena, file, text_from(text), c->diag);
    const AstExpr *target = value ? parse_expression(arena, 0, text_from(input->name), NULL) : NULL;
    if (!value) return false;
    *setting = (AstSetting){ .value = value, .place = value->place };
    if (target && target->kind == AST_REF) return setting->target = target->ref, true;
    diag_report(c->diag, DIAG_INPUT_UNKNOWN, (Place){ 0 }, c->chosen->name, input->name);
    return false;
}

// Expressions are given to the model as a parent would, samples come while it runs.
static bool read_inputs(Compile *c)
{
    const orr_compile_options *o = c->options;
    Flat *flat = &c->model->flat;
    Arena *arena = &c->model->arena;
    AstSetting *settings = ARENA_ARRAY(arena, AstSetting, o->n_inputs);
    flat->driven = ARENA_ARRAY(arena, FlatDriven, o->n_inputs);
    flat->settings = settings;
    TextMap seen;
    text_map_init(&seen, arena);
    bool ok = true;
    for (size_t i = 0; i < o->n_inputs; i++) {
        const orr_input *input = &o->inputs[i];
        const AstInput *parsed = input->parsed;
        const Place place = parsed ? parsed->place : (Place){ 0 };
        if (!text_map_put(&seen, text_from(input->name), 0)) {
            diag_report(c->diag, DIAG_INPUT_TWICE, place, input->name);
            ok = false;
        } else if (input->between == ORR_BETWEEN_MESSAGES) {
            continue;    // no signal: the run leads them to the port
        } else if (strcmp(input->source, "expression") != 0) {
            flat->driven[flat->n_driven++] =
                (FlatDriven){ .name = arena_copy_text(arena, input->name, strlen(input->name)),
                              .degree = degree_of(input->between), .place = place, .variable = FLAT_NONE };
        } else {
            AstSetting *setting = &settings[flat->n_settings++];
            if (parsed) *setting = (AstSetting){ parsed->target, parsed->value, parsed->place };
            else ok = parse_setting_text(c, input, setting) && ok;
            ok = ok && check_input(c, setting);
        }
    }
    return ok;
}

// ---------------------------------------------------------------------------------------------- passes

static bool pass_choose(Compile *c)
{
    if (!names_are_unique(c)) return false;
    c->chosen = c->options->model ? named_model(c) : top_model(c);
    if (c->chosen) return read_inputs(c);
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

// The arrays that must not stay arrays are added to `expanded`; all if `expanded` is NULL. False if there are
// none.
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

// Native code computes with plain numbers, and its times are those of the model: a parameter that is a time
// in another unit would be taken for something else.
static bool times_fit(const Compile *c)
{
    const Flat *flat = &c->model->flat;
    const char *time = flat->time_unit ? flat->time_unit : "s";
    bool *seen = ARENA_ARRAY(&c->model->arena, bool, c->model->atomics.n_kinds);
    bool ok = true;
    for (size_t i = 0; i < flat->parts.n; i++) {
        const uint32_t number = flat->parts.items[i].kind;
        if (number >= c->model->atomics.n_kinds || seen[number]) continue;
        seen[number] = true;
        const AtomicKind *kind = &c->model->atomics.kinds[number];
        if (!kind->is_native) continue;    // what its body says is checked, and converted
        for (uint32_t k = 0; k < kind->n_params; k++) {
            const AtomicParam *param = &kind->params[k];
            double factor = 1;
            if (!param->unit || strcmp(param->unit, time) == 0) continue;
            if (!units_convert(&c->source->ast, param->unit, time, true, param->place, &factor, NULL) ||
                factor == 1)
                continue;
            diag_report(c->diag, DIAG_UNIT_MISMATCH, param->place, param->name, param->unit,
                        "the time of the model", time);
            diag_hint(c->diag,
                      "a native atomic computes in the unit of time of the "
                      "model: write it in [%s], or 'time [%s]' in '%s'",
                      time, param->unit, c->chosen->name);
            ok = false;
        }
    }
    return ok;
}

// The C code of native atomics, as far as the model uses them.
static bool bind_natives(const Compile *c)
{
    const orr_compile_options *o = c->options;
    orr_model *m = c->model;
    bool *is_used = ARENA_ARRAY(&m->arena, bool, m->atomics.n_kinds);
    for (size_t i = 0; i < m->flat.parts.n; i++)
        if (m->flat.parts.items[i].kind < m->atomics.n_kinds) is_used[m->flat.parts.items[i].kind] = true;
    const AtomicNatives natives = { o->natives, o->n_natives, o->linked, o->n_linked };
    return atomic_bind(&m->atomics, &natives, is_used, c->diag);
}

static bool pass_network(Compile *c)
{
    if (!times_fit(c) || !bind_natives(c)) return false;
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

static bool pass_lower(Compile *c)
{
    return ir_lower(&c->model->ir, &c->model->blocks, &c->model->arena, c->diag);
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
    { "ast",   pass_choose,  dump_ast    },    // ast    → the model to compile
    { "units", pass_units,   dump_units  },    // ast    → units    of every name, and what to convert
    { "atomic", pass_atomic, dump_atomic },    // ast   → atomics  typed programs of discrete-event components
    { "flat",  pass_flatten, dump_flat   },    // ast    → flat     no instances or connections left
    { "network", pass_network, dump_network },    // flat → network: components, ports, couplings
    { "order", pass_order,   dump_blocks },    // flat   → blocks   who computes what, and when
    { "ir",    pass_lower,   dump_ir     },    // blocks → ir       programs over expressions
    { "c",     pass_build,   dump_c      },    // ir     → code     C text, then machine code
};

// Units of the user's own may occur in data, when the source is gone.
static void keep_units(Compile *c)
{
    Arena *arena = &c->model->arena;
    const Ast *ast = &c->source->ast;
    Ast *own = &c->model->own_units;
    own->arena = arena;
    own->has_units = ast->has_units;
    for (size_t i = 0; i < ast->units.n; i++) {
        AstUnit unit = ast->units.items[i];
        unit.name = arena_copy_text(arena, unit.name, strlen(unit.name));
        if (unit.unit) unit.unit = arena_copy_text(arena, unit.unit, strlen(unit.unit));
        unit.doc = NULL;
        vec_push(arena, &own->units, unit);
    }
}

const char *orr_stage_at(size_t i)
{
    if (i >= sizeof passes / sizeof *passes) return NULL;
    return passes[i].name;
}

orr_compile_options orr_compile_options_default(void)
{
    return (orr_compile_options){ .code = ORR_CODE_AUTO };
}

orr_model *orr_model_compile(const orr_source *source, const orr_compile_options *options, orr_diag *diag)
{
    const orr_compile_options defaults = orr_compile_options_default();
    const uint64_t started = os_now_ns();
    orr_model *model = calloc(1, sizeof *model);
    if (!model) arena_no_memory(sizeof *model);
    pthread_mutex_init(&model->lock, NULL);
    Compile c = { .source = source, .options = options ? options : &defaults, .diag = diag, .model = model };
    bool ok = true;
    const char *stage = c.options->dump_stage;
    for (size_t i = 0; ok && i < sizeof passes / sizeof *passes; i++) {
        ok = passes[i].run(&c);
        if (ok && stage && strcmp(stage, passes[i].name) == 0) passes[i].dump(&c, c.options->dump_to);
    }
    if (!ok) return orr_model_destroy(model), NULL;
    model->n_states = model->ir.layout.n_states;
    model->n_params = model->ir.layout.n_params;
    model->n_values = model->ir.layout.n_values;
    model->n_relations = (uint32_t)model->flat.relations.n;
    model->n_events = (uint32_t)model->flat.events.n;
    model->n_asserts = (uint32_t)model->flat.asserts.n;
    model->n_delays = (uint32_t)model->flat.delays.n;
    keep_units(&c);
    model->compile_ms = (double)(os_now_ns() - started) * 1e-6;
    model->compiled_with = model->code.compiled_with = diag;
    return model;
}

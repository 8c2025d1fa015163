// src/export/c/header.c: what an exported model keeps between calls, what its numbers are called, and the
// experiment's settings.
#include "base/map.h"
#include "code/emit.h"
#include "code/label.h"
#include "export/c/c.h"
#include <inttypes.h>
#include <math.h>

enum { NAMES_MOST = 2000 };    // that a header lists

static uint32_t at_least_one(uint32_t n) { return n ? n : 1; }

// ---- The struct

void c_add_struct(const CExport *c, StrBuf *s)
{
    const orr_model *model = c->model;
    const uint32_t n = at_least_one(model->n_states), n_params = at_least_one(model->n_params);
    str_addf(s, "struct %s_model {\n", c->name);
    str_add(s, "    double t;              /* time */\n");
    str_addf(s, "    double x[%u];          /* states at t */\n", n);
    str_addf(s, "    double dx[%u];         /* their rates, by _state */\n", n);
    str_addf(s, "    double y[%u];          /* what is recorded, by _output */\n",
             at_least_one((uint32_t)c->columns.n));
    str_addf(s,
             "    double v[%u];          /* parameters, modes, variables, "
             "and what loops of equations need */\n",
             at_least_one(model->n_values));
    str_add(s, "    double t_start;        /* where a run begins */\n");
    str_addf(s, "    double given[%u];      /* 1: this parameter is value[], 0: it has its default */\n",
             n_params);
    str_addf(s, "    double value[%u];\n", n_params);
    if (c_is_on(c, TEXT("HAS_STARTS")))
        str_addf(s, "    double x_given[%u];    /* initial values; NaN: the model's own */\n", n);
    if (model->ir.n_reruns)
        str_add(s,
                "    double n_reruns;       /* how often the terminal region has asked for another run */\n");
    if (c_is_on(c, TEXT("HAS_RANDOM")))
        str_add(s, "    uint64_t seed, run;    /* what is drawn depends on them */\n");
    if (c->inputs.n)
        str_addf(s, "    int piece[%zu];          /* of each input that follows data: which one counts */\n",
                 c->inputs.n);
    if (c->net)
        str_add(s, "    struct Net *net;       /* components and messages on their way, by _initial */\n");
    if (model->flat.asserts.n)
        str_addf(s, "    char is_broken[%zu];    /* assertions that did not hold */\n",
                 model->flat.asserts.n);
    str_add(s, "    struct Run *engine;    /* what events, delays and the method remember */\n"
               "};\n");
}

// ---- Names

typedef struct Enumerator {
    const CExport *c;
    StrBuf  *s;
    TextMap *taken;
    const char *group;
    size_t   n;
} Enumerator;

static void add_name(Enumerator *e, const char *name, const char *unit, uint32_t number)
{
    Arena *arena = e->taken->names.index.arena;
    const char *wanted = arena_printf(arena, "%s_%s_%s", e->c->name, e->group, c_identifier(arena, name));
    const char *unique = wanted;
    for (uint32_t k = 2; !text_map_put(e->taken, text_from(unique), 0); k++)
        unique = arena_printf(arena, "%s_%u", wanted, k);
    str_addf(e->s, "%s    %s = %u,    /* ", e->n++ ? "" : "enum {\n", unique, number);
    label_text(e->s, name);
    if (unit) {
        str_add(e->s, " [");
        label_text(e->s, unit);
        str_add_char(e->s, ']');
    }
    str_add(e->s, " */\n");
}

static void end_names(Enumerator *e, const char *group)
{
    if (e->n) str_add(e->s, "};\n\n");
    e->n = 0;
    e->group = group;
}

void c_add_names(const CExport *c, StrBuf *s)
{
    const Flat *flat = &c->model->flat;
    const IrLayout *layout = &c->model->ir.layout;
    Arena work = { 0 };
    TextMap taken;
    text_map_init(&taken, &work);
    Enumerator e = { .c = c, .s = s, .taken = &taken, .group = "X" };
    str_add(s, "/* States: places in x and dx. */\n");
    for (uint32_t i = 0; i < flat->vars.n && e.n < NAMES_MOST; i++)
        if (layout->state_of[i] != FLAT_NONE)
            add_name(&e, flat->vars.items[i].name, flat->vars.items[i].unit, layout->state_of[i]);
    for (uint32_t a = 0; a < flat->arrays.n; a++) {
        if (layout->array_state[a] == FLAT_NONE) continue;
        add_name(&e, flat->arrays.items[a].name, NULL, layout->array_state[a]);
        str_addf(s, "    /* %u elements from there on", flat->arrays.items[a].n);
        if (layout->array_step[a] != 1) str_addf(s, ", every %u-th", layout->array_step[a]);
        str_add(s, " */\n");
    }
    end_names(&e, "P");
    str_add(s, "/* Parameters, inputs and discrete variables: places in given, value and v. */\n");
    for (uint32_t i = 0; i < flat->vars.n && e.n < NAMES_MOST; i++) {
        const FlatVar *var = &flat->vars.items[i];
        if (layout->place[i] < c->model->n_params && !var->is_hidden && !var->is_structural
            && (var->kind == FLAT_PARAM || var->kind == FLAT_INPUT || var->kind == FLAT_DISCRETE))
            add_name(&e, var->name, var->unit, layout->place[i]);
    }
    end_names(&e, "Y");
    str_add(s, "/* What is recorded: places in y. */\n");
    for (size_t i = 0; i < c->columns.n && e.n < NAMES_MOST; i++) {
        const orr_variable v = orr_model_variable(c->model, orr_model_find(c->model, c->columns.items[i]));
        add_name(&e, c->columns.items[i], v.unit, (uint32_t)i);
    }
    end_names(&e, "");
    arena_free(&work);
}

// ---- Settings of the experiment

void c_add_defaults(const CExport *c, StrBuf *s)
{
    str_add(s, "    memset(m, 0, sizeof *m);\n    m->t_start = FROM;\n");
    if (c_is_on(c, TEXT("HAS_RANDOM")))
        str_addf(s, "    m->seed = UINT64_C(%" PRIu64 ");\n    m->run = UINT64_C(%" PRIu64 ");\n",
                 c->run->seed, c->run->number);
    for (uint32_t i = 0; i < c->model->n_params; i++) {
        if (c->run->given[i] == 0) continue;
        str_addf(s, "    m->given[%u] = 1.0;\n    m->value[%u] = ", i, i);
        gen_number(s, c->run->given_value[i]);
        str_add(s, ";\n");
    }
    if (!c_is_on(c, TEXT("HAS_STARTS"))) return;
    str_add(s, "    for (int i = 0; i < N_STATES; i++) m->x_given[i] = NAN;\n");
    for (uint32_t i = 0; i < c->model->n_states; i++) {
        if (isnan(c->run->given_start[i])) continue;
        str_addf(s, "    m->x_given[%u] = ", i);
        gen_number(s, c->run->given_start[i]);
        str_add(s, ";\n");
    }
}

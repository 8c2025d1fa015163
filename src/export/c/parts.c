// src/export/c/parts.c: data that only some exported models need: of random numbers, inputs, surfaces,
// choices.
#include "code/emit.h"
#include "code/label.h"
#include "export/c/c.h"
#include "num/pick.h"
#include <inttypes.h>
#include <math.h>

// ---- Random numbers

static void add_streams(const CExport *c, StrBuf *s)
{
    static const char *const kinds[] = { "DRAW_UNIT", "DRAW_NORMAL", "DRAW_GAMMA", "DRAW_POISSON" };
    const Flat *flat = &c->model->flat;
    if (flat->pool.draws.n) {
        str_add(s, "// Streams of random numbers: the hash of the name, and what is drawn.\n"
                   "enum { DRAW_UNIT, DRAW_NORMAL, DRAW_GAMMA, DRAW_POISSON };\n"
                   "static const struct { uint64_t name; int kind; } streams[] = {\n");
        for (size_t i = 0; i < flat->pool.draws.n; i++) {
            const ExprDraw *draw = &flat->pool.draws.items[i];
            const uint64_t name = random_stream(0, 0, draw->stream).name;
            str_addf(s, "    { UINT64_C(0x%016" PRIx64 "), %s },    /* ", name, kinds[draw->kind]);
            label_text(s, draw->stream);
            str_add(s, " */\n");
        }
        str_add(s, "};\n\n");
    }
    if (!c->noise) return;
    str_add(s, "// Streams of the Brownian paths.\nstatic const uint64_t noise_streams[] = {\n");
    for (size_t i = 0; i < flat->noises.n; i++) {
        str_addf(s, "    UINT64_C(0x%016" PRIx64 "),    /* ", c->run->island.noise[i].name);
        label_text(s, flat->noises.items[i].stream);
        str_add(s, " */\n");
    }
    str_add(s, "};\n// Which state is moved by which path.\nstatic const int noise_entries[][2] = {\n");
    for (uint32_t k = 0; k < c->model->ir.n_noise; k++) {
        const BlockEntry *entry = &c->model->ir.noise[k];
        str_addf(s, "    { %u, %u },    /* ", entry->row, entry->column);
        label_text(s, model_state_name(c->model, entry->row));
        str_add(s, " */\n");
    }
    str_add(s, "};\n\n");
}

// ---- Inputs

// Places in v of what an input is made of, and its data.
static void add_inputs(const CExport *c, StrBuf *s)
{
    const uint32_t *place = c->model->ir.layout.place;
    size_t n = 0;
    str_add(s,
            "// Inputs between samples: c0 + s (c1 + s (c2 + s c3)), s = "
            "t - origin, up to a time; then, perhaps, they jump.\n"
            "static const struct Piece { double until; int jumps; double origin, c[4]; } pieces[] = {\n");
    for (size_t i = 0; i < c->inputs.n; i++) {
        for (size_t k = 0; k < c->inputs.items[i].n; k++) {
            const SignalPiece *p = &c->inputs.items[i].pieces[k];
            str_add(s, "    { ");
            if (isinf(p->until)) str_add(s, "INFINITY");
            else gen_number(s, p->until);
            str_addf(s, ", %d, ", p->jumps);
            gen_number(s, p->origin);
            str_add(s, ", { ");
            for (int d = 0; d <= c->inputs.items[i].driven->degree; d++) {
                if (d) str_add(s, ", ");
                gen_number(s, p->c[d]);
            }
            str_add(s, " } },\n");
        }
    }
    str_add(s,
            "};\n// Where the pieces of each are, and where in v the parts of one go.\n"
            "static const struct Input { int first, last, degree; unsigned origin, c[4]; } inputs[] = {\n");
    for (size_t i = 0; i < c->inputs.n; i++) {
        const FlatDriven *driven = c->inputs.items[i].driven;
        str_addf(s, "    { %zu, %zu, %d, %u, { ", n, n + c->inputs.items[i].n - 1, driven->degree,
                 driven->degree > 0 ? place[driven->origin] : 0);
        for (int d = 0; d <= driven->degree; d++) str_addf(s, d ? ", %u" : "%u", place[driven->c[d]]);
        str_add(s, " } },    /* ");
        label_text(s, driven->name);
        str_add(s, " */\n");
        n += c->inputs.items[i].n;
    }
    str_add(s, "};\n\n");
}

// ---- Choices

size_t c_count_slots(const Reduction *r)
{
    size_t n = 0;
    for (uint32_t i = 0; i < r->n_choices; i++) n += r->choices[i].n_slots;
    return n;
}

void c_add_choice_sizes(const CExport *c, StrBuf *s)
{
    const Reduction *r = c->model->blocks.reduction;
    size_t n_entries = 0, matrix = 0, scratch = 0;
    for (uint32_t i = 0; i < r->n_choices; i++) {
        const Choice *choice = &r->choices[i];
        const size_t rows = choice->n_rows, columns = choice->n_columns;
        const size_t n = rows * columns, needs = PICK_SCRATCH(rows, columns);
        n_entries += choice->n_entries;
        if (n > matrix) matrix = n;
        if (needs > scratch) scratch = needs;
    }
    c_size(s, "N_CHOICES", r->n_choices);
    c_size(s, "N_CHOICE_SLOTS", c_count_slots(r));
    c_size(s, "N_CHOICE_ENTRIES", n_entries);
    c_size(s, "CHOICE_MATRIX", matrix);
    c_size(s, "CHOICE_SCRATCH", scratch);
}

// One list of places; `name` tells what they are.
static void add_places(StrBuf *s, const char *name, uint32_t choice, const uint32_t *place,
                       const uint32_t *variables, size_t n)
{
    str_addf(s, "static const unsigned choice_%u_%s[] = {", choice, name);
    for (size_t i = 0; i < n; i++)
        str_addf(s, "%s%u", i == 0 ? " " : i % 16 ? ", " : ",\n    ", place[variables[i]]);
    str_add(s, " };\n");
}

static void add_choices(const CExport *c, StrBuf *s)
{
    const IrLayout *layout = &c->model->ir.layout;
    const Reduction *r = c->model->blocks.reduction;
    str_add(s,
            "// Where constraints tie variables together, each slot among the states is one of them.\n"
            "struct Choice {\n"
            "    size_t n_rows, n_columns, n_slots, n_orders, n_entries; "
            "   // constraints, variables, states, derivatives\n"
            "    const unsigned (*entries)[2];    // constraint, variable: "
            "derivative of the first by the second\n"
            "    const unsigned *variables;       // [n_orders][n_columns] places in v\n"
            "    const unsigned *slots;           // [n_orders - 1][n_slots] states\n"
            "    const unsigned *params;          // [n_slots][n_columns] "
            "places in v: 1, the slot is that variable\n"
            "    const double *weights;           // [n_columns] the larger, the rather it is a state\n"
            "};\n");
    for (uint32_t i = 0; i < r->n_choices; i++) {
        const Choice *choice = &r->choices[i];
        str_addf(s, "// %u:", i);
        for (uint32_t k = 0; k < choice->n_columns; k++) {
            str_add(s, k ? ", " : " ");
            label_text(s, c->model->flat.vars.items[choice->variables[k]].name);
        }
        str_addf(s, "\nstatic const unsigned choice_%u_entries[][2] = {", i);
        for (uint32_t k = 0; k < choice->n_entries; k++)
            str_addf(s, "%s{ %u, %u }",
                     k == 0  ? " "
                     : k % 8 ? ", "
                             : ",\n    ",
                     choice->entries[k].row, choice->entries[k].column);
        str_add(s, " };\n");
        add_places(s, "variables", i, layout->place, choice->variables,
                   (size_t)choice->n_orders * choice->n_columns);
        add_places(s, "slots", i, layout->state_of, choice->slots,
                   (size_t)(choice->n_orders - 1) * choice->n_slots);
        add_places(s, "params", i, layout->place, choice->params,
                   (size_t)choice->n_slots * choice->n_columns);
        str_addf(s, "static const double choice_%u_weights[] = {", i);
        for (uint32_t k = 0; k < choice->n_columns; k++) {
            str_add(s, k == 0 ? " " : ", ");
            gen_number(s, choice->weights[k]);
        }
        str_add(s, " };\n");
    }
    str_add(s, "static const struct Choice choices[] = {\n");
    for (uint32_t i = 0; i < r->n_choices; i++) {
        const Choice *choice = &r->choices[i];
        str_addf(s,
                 "    { %u, %u, %u, %u, %u,\n"
                 "      choice_%u_entries, choice_%u_variables, "
                 "choice_%u_slots, choice_%u_params, choice_%u_weights },\n",
                 choice->n_rows, choice->n_columns, choice->n_slots, choice->n_orders, choice->n_entries, i,
                 i, i, i, i);
    }
    str_add(s, "};\n\n");
}

void c_add_parts(const CExport *c, StrBuf *s)
{
    if (c_is_on(c, TEXT("HAS_RANDOM"))) add_streams(c, s);
    if (c->inputs.n) add_inputs(c, s);
    if (c_is_on(c, TEXT("HAS_CHOICES"))) add_choices(c, s);
}

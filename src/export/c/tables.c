// src/export/c/tables.c: sizes, settings, columns, events and names of an exported model, as C.
#include "base/csv.h"
#include "base/map.h"
#include "code/emit.h"
#include "code/label.h"
#include "export/c/c.h"
#include "num/pick.h"
#include <inttypes.h>
#include <math.h>

enum { NAMES_MOST = 2000 };    // that a header lists

static uint32_t at_least_one(uint32_t n) { return n ? n : 1; }

// ---- Sizes and settings

static void define(StrBuf *s, const char *name, double value, const char *remark)
{
    str_addf(s, "#define %-12s ", name);
    if (isinf(value)) str_add(s, value > 0 ? "INFINITY" : "(-INFINITY)");
    else if (value < 0) {
        str_add_char(s, '(');
        gen_number(s, value);
        str_add_char(s, ')');
    } else gen_number(s, value);
    str_addf(s, "    /* %s */\n", remark);
}

static void size(StrBuf *s, const char *name, size_t value) { str_addf(s, "    %s = %zu,\n", name, value); }

static size_t count_slots(const Reduction *r)
{
    size_t n = 0;
    for (uint32_t i = 0; i < r->n_choices; i++) n += r->choices[i].n_slots;
    return n;
}

static void add_choice_sizes(const CExport *c, StrBuf *s)
{
    const Reduction *r = c->model->blocks.reduction;
    size_t n_entries = 0, matrix = 0, scratch = 0;
    for (uint32_t i = 0; i < r->n_choices; i++) {
        const Choice *choice = &r->choices[i];
        const size_t n = (size_t)choice->n_rows * choice->n_columns, needs = PICK_SCRATCH((size_t)choice->n_rows, (size_t)choice->n_columns);
        n_entries += choice->n_entries;
        if (n > matrix) matrix = n;
        if (needs > scratch) scratch = needs;
    }
    size(s, "N_CHOICES", r->n_choices);
    size(s, "N_SLOTS", count_slots(r));
    size(s, "N_CHOICE_ENTRIES", n_entries);
    size(s, "CHOICE_MATRIX", matrix);
    size(s, "CHOICE_SCRATCH", scratch);
}

void c_add_constants(const CExport *c, StrBuf *s)
{
    static const char *const loops[CODE_N_LOOPS] = { "orr_euler", "orr_in_place", "orr_heun", "orr_rk4" };
    const orr_model *model = c->model;
    const IrLayout *layout = &model->ir.layout;
    const Island *island = &c->run->islands[0];
    str_add(s, "enum {\n");
    size(s, "N_STATES", model->n_states);
    size(s, "N_PARAMS", model->n_params);
    size(s, "N_COLUMNS", c->columns.n);
    size(s, "FIRST_VAR", layout->first_var);
    size(s, "N_VARS", layout->first_guess - layout->first_var);
    if (model->n_relations) {
        size(s, "N_RELATIONS", model->n_relations);
        size(s, "FIRST_MODE", layout->first_mode);
    }
    if (layout->n_guesses) {
        size(s, "FIRST_GUESS", layout->first_guess);
        size(s, "N_GUESSES", layout->n_guesses);
    }
    if (model->n_events) size(s, "N_EVENTS", model->n_events);
    if (model->flat.initial_flag != FLAT_NONE) size(s, "INITIAL_FLAG", layout->place[model->flat.initial_flag]);
    if (model->flat.asserts.n) size(s, "N_ASSERTS", model->flat.asserts.n);
    if (model->flat.terminal.n) size(s, "N_RERUNS", model->ir.n_reruns);
    if (c_is_on(c, TEXT("HAS_AFTER"))) size(s, "PENDING_MAX", 4096);
    if (model->n_delays) size(s, "N_DELAYS", model->n_delays);
    if (c->inputs.n) size(s, "N_INPUTS", c->inputs.n);
    if (c_is_on(c, TEXT("HAS_CHOICES"))) add_choice_sizes(c, s);
    if (c->noise) {
        size(s, "N_NOISES", model->flat.noises.n);
        size(s, "N_STRENGTHS", model->ir.n_noise);
    }
    str_add(s, "};\n\n");

    define(s, "FROM", c->experiment->from, "start of the experiment");
    define(s, "UNTIL", c->experiment->until, "its end");
    if (c->every > 0) define(s, "EVERY", c->every, "between two rows");
    if (c->solver->fixed_step) {
        define(s, "STEP", island->step, "of the method");
        if (c->noise) {
            const double path = island->options.path > 0 ? island->options.path : island->step;
            define(s, "PATH_CELL", island->step / round(island->step / path), "of the Brownian paths");
        } else {
            str_addf(s, "#define %-12s %s\n", "ORR_LOOP", loops[c->loop]);
        }
        if (c->rests) define(s, "ABSOLUTE", island->options.absolute, "smaller excursions are not seen");
    } else if (!c->qss) {
        define(s, "FIRST_STEP", island->options.step, "0: chosen");
        define(s, "MAX_STEP", island->options.max_step, "no step is longer");
        define(s, "TOLERANCE", island->options.tolerance, "relative");
        define(s, "ABSOLUTE", island->options.absolute, "and absolute");
    }
    str_add(s, "\n");
}

// ---- Static data

static void add_columns(const CExport *c, StrBuf *s)
{
    str_add(s, "// What is recorded: a state, or a place in v; is_computed: it must be finite.\n"
               "static const struct Column { char is_state, is_computed; unsigned place; } columns[] = {\n");
    for (size_t i = 0; i < c->columns.n; i++) {
        const ModelVariable v = model_variable(c->model, orr_model_find(c->model, c->columns.items[i]));
        const bool is_state = v.state != FLAT_NONE;
        str_addf(s, "    { %d, %d, %u },    /* ", is_state, !is_state && v.kind == FLAT_VARIABLE, is_state ? v.state : v.place);
        label_text(s, c->columns.items[i]);
        str_add(s, " */\n");
    }
    if (c->columns.n == 0) str_add(s, "    { 0, 0, 0 },\n");
    str_add(s, "};\n\n");
}

// A field of CSV is quoted if it must be; then the line is a literal of C.
static void add_header(const CExport *c, StrBuf *s)
{
    StrBuf line = { .arena = (Arena *)&c->arena };
    str_add(&line, "t");
    const size_t n = c->columns.n + (size_t)(c->model->ir.n_reruns > 0) + (size_t)c->has_frame;
    for (size_t i = 0; i < n; i++) {
        const char *name = c->columns.items[i];
        str_add_char(&line, ',');
        const bool is_quoted = strpbrk(name, ",;\t\"\r\n") || name[0] == '#';
        if (is_quoted) str_add_char(&line, '"');
        for (const char *p = name; *p; p++) {
            if (*p == '"') str_add_char(&line, '"');
            str_add_char(&line, *p);
        }
        if (is_quoted) str_add_char(&line, '"');
    }
    str_add(s, "static const char csv_header[] = ");
    c_add_quoted(s, str_finish(&line));
    str_add(s, " \"\\n\";\n\n");
}

static void add_relations(const CExport *c, StrBuf *s)
{
    const orr_model *model = c->model;
    str_add(s, "static const char in_equation[] = {");
    for (uint32_t i = 0; i < model->n_relations; i++)
        str_addf(s, "%s%d", i == 0 ? " " : i % 32 ? ", " : ",\n    ", model->flat.relations.items[i].in_equation);
    str_add(s, " };\n");
    if (model->n_events == 0) return;
    str_add(s, "enum { READERS_NONE = -1, READERS_MANY = -2 };    // conditions of events that read a relation\n"
               "static const int reader[] = {");
    for (uint32_t i = 0; i < model->n_relations; i++) {
        const uint32_t reader = c->run->reader[i];
        str_add(s, i == 0 ? " " : i % 16 ? ", " : ",\n    ");
        if (reader == EVENT_NONE) str_add(s, "READERS_NONE");
        else if (reader == EVENT_MANY) str_add(s, "READERS_MANY");
        else str_addf(s, "%u", reader);
    }
    str_add(s, " };\n\n");
}

static void add_claims(const CExport *c, StrBuf *s)
{
    const orr_run_options *run = &c->experiment->run;
    str_add(s, "// The ranges of the frame.\n"
               "static const struct Claim { char is_state; unsigned place; double low, high; } claims[] = {\n");
    for (size_t i = 0; i < run->n_claims; i++) {
        const ModelVariable v = model_variable(c->model, orr_model_find(c->model, run->claims[i].name));
        const bool is_state = v.state != FLAT_NONE;
        str_addf(s, "    { %d, %u, ", is_state, is_state ? v.state : v.place);
        const double ends[] = { run->claims[i].low, run->claims[i].high };
        for (int k = 0; k < 2; k++) {
            if (isinf(ends[k])) str_add(s, ends[k] < 0 ? "-INFINITY" : "INFINITY");
            else gen_number(s, ends[k]);
            str_add(s, k ? " },    /* " : ", ");
        }
        label_text(s, run->claims[i].name);
        str_add(s, " */\n");
    }
    str_add(s, "};\n\n");
}

static void add_cause(const CExport *c, StrBuf *s, uint32_t event)
{
    str_add(s, "    /* ");
    label_text(s, event_cause(c->run, event));
    str_add(s, " */\n");
}

static void add_events(const CExport *c, StrBuf *s)
{
    static const char *const kinds[] = { "EVENT_WHEN", "EVENT_AT", "EVENT_EVERY", "EVENT_NEVER", "EVENT_NEVER" };
    const orr_model *model = c->model;
    const Flat *flat = &model->flat;
    const bool has_draws = c_is_on(c, TEXT("HAS_DRAWN_TIMES"));
    str_addf(s, "enum { EVENT_WHEN, EVENT_AT, EVENT_EVERY, EVENT_NEVER };\n"
               "// chain: one of these fires at an instant; affects: the method begins anew behind it\n"
               "static const struct Event { char kind, at_start, has_from, has_after, affects; int chain;%s } events[] = {\n",
             has_draws ? " int n_draws; unsigned counter;" : "");
    for (uint32_t i = 0; i < model->n_events; i++) {
        const FlatEvent *event = &flat->events.items[i];
        str_addf(s, "    { %s, %d, %d, %d, %d, %u", kinds[event->kind], event->at_start, event->from != EXPR_NONE,
                 event->after != EXPR_NONE, c->run->affects[i], event->chain);
        if (has_draws) str_addf(s, ", %u, %u", event->n_draws, event->n_draws ? model->ir.layout.place[event->counter] : 0);
        str_add(s, " },");
        add_cause(c, s, i);
    }
    uint32_t *by_rank = ARENA_ARRAY((Arena *)&c->arena, uint32_t, model->n_events);
    for (uint32_t i = 0; i < model->n_events; i++) by_rank[c->run->rank[i]] = i;
    str_add(s, "};\nstatic const int by_rank[] = {");
    for (uint32_t i = 0; i < model->n_events; i++) str_addf(s, "%s%u", i == 0 ? " " : i % 16 ? ", " : ",\n    ", by_rank[i]);
    str_add(s, " };\n");
    if (!c_is_on(c, TEXT("HAS_TERMINATE"))) {
        str_add(s, "\n");
        return;
    }
    str_add(s, "static const struct Terminator { int event; unsigned place; } terminators[] = {\n");
    for (uint32_t i = 0; i < model->n_events; i++)
        for (uint32_t k = 0; k < flat->events.items[i].n_actions; k++) {
            const FlatAction *action = &flat->actions.items[flat->events.items[i].first_action + k];
            if (action->text) str_addf(s, "    { %u, %u },\n", i, model->ir.layout.place[action->target]);
        }
    str_add(s, "};\n\n");
}

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
        str_addf(s, "    UINT64_C(0x%016" PRIx64 "),    /* ", c->run->islands[0].noise[i].name);
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

// Places in v of what an input is made of, and its data.
static void add_inputs(const CExport *c, StrBuf *s)
{
    const uint32_t *place = c->model->ir.layout.place;
    size_t n = 0;
    str_add(s, "// Inputs between samples: c0 + s (c1 + s (c2 + s c3)), s = t - origin, up to a time; then, perhaps, they jump.\n"
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
    str_add(s, "};\n// Where the pieces of each are, and where in v the parts of one go.\n"
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

// What sliding and rest change besides the rates.
static void add_surface(const CExport *c, StrBuf *s)
{
    const orr_model *model = c->model;
    const Flat *flat = &model->flat;
    const IrLayout *layout = &model->ir.layout;
    str_add(s, "// Rates among the variables: place in v, number of the state.\nstatic const unsigned rate_places[][2] = {\n");
    for (uint32_t i = 0; i < model->n_states; i++)
        if (layout->state_of[model->blocks.rates[i]] == FLAT_NONE)
            str_addf(s, "    { %u, %u },\n", layout->place[model->blocks.rates[i]], i);
    str_add(s, "};\n");
    if (c->slides) {
        str_add(s, "// Variables that are mixed of both sides where the solution slides: places in v.\nstatic const unsigned mixed[] = {");
        size_t n = 0;
        for (uint32_t i = 0; i < flat->vars.n; i++)
            if (flat->vars.items[i].kind == FLAT_VARIABLE && layout->state_of[i] == FLAT_NONE)
                str_addf(s, "%s%u", n++ == 0 ? " " : n % 16 ? ", " : ",\n    ", layout->place[i]);
        str_add(s, " };\n");
    }
    if (c->rests) {
        str_add(s, "// Which events assign which states.\nstatic const int event_states[][2] = {\n");
        for (uint32_t i = 0; i < model->n_events; i++) {
            for (uint32_t k = 0; k < flat->events.items[i].n_actions; k++) {
                const uint32_t target = flat->actions.items[flat->events.items[i].first_action + k].target;
                if (layout->state_of[target] != FLAT_NONE) str_addf(s, "    { %u, %u },\n", i, layout->state_of[target]);
            }
        }
        str_add(s, "};\n");
    }
    str_add(s, "\n");
}

static void add_list(StrBuf *s, const char *type, const char *name, const uint32_t *items, size_t n)
{
    str_addf(s, "static const %s %s[] = {", type, name);
    for (size_t i = 0; i < n; i++) str_addf(s, "%s%u", i == 0 ? " " : i % 24 ? ", " : ",\n    ", items[i]);
    str_add(s, n ? " };\n" : " 0 };\n");
}

void c_add_quanta(const CExport *c, StrBuf *s)
{
    const Qss *m = c->qss;
    const IrQuantised *ir = m->ir;
    const bool *bends = code_bends(ir, m->order);
    size_t n_rows = 0, n_numbers = 0;
    for (uint32_t i = 0; i < ir->n_terms; i++) {
        const IrShape *shape = &ir->shapes[ir->shape_of[i]];
        if (ir->row_of[i] + shape->n_columns > n_rows) n_rows = ir->row_of[i] + shape->n_columns;
        for (uint32_t k = 0; k < shape->n_slots; k++) {
            const IrSlot *slot = &shape->slots[k];
            if (slot->kind != IR_SLOT_NUMBER) continue;
            const uint32_t at = slot->moves ? ir->rows[ir->row_of[i] + slot->column] : slot->index;
            if (at + 1 > n_numbers) n_numbers = at + 1;
        }
    }
    str_addf(s, "enum { ORDER = %d, IMPLICIT = %d, N_SHARED = %u };    // shared: variables that several rates read\n", m->order,
             m->is_implicit, ir->n_shared);
    if (!m->scans) str_addf(s, "enum { CALENDAR_BYTES = %zu };\n", calendar_bytes(m->n));
    define(s, "LEAST_WAIT", m->bends ? m->least_wait : 1e-9, "between two looks at a rate that bends");
    str_addf(s, "#define %-12s %s\n\n", "LEAVE3", m->order == 3 ? "roots_leave3" : "NULL");
    str_add(s, "// The quanta: relative to the state, within limits.\nstatic const QssQuantum quanta[] = {\n");
    for (uint32_t i = 0; i < (m->has_own_quanta ? m->n : 1); i++) {
        str_add(s, "    { ");
        gen_number(s, m->quanta[i].least);
        str_add(s, ", ");
        gen_number(s, m->quanta[i].relative);
        str_add(s, ", ");
        if (isinf(m->quanta[i].most)) str_add(s, "INFINITY");
        else gen_number(s, m->quanta[i].most);
        str_add(s, " },\n");
    }
    str_add(s, "};\n// Of each term: which function, where its row begins; rows and numbers.\n");
    add_list(s, "int", "shape_of", ir->shape_of, ir->n_terms);
    add_list(s, "int", "row_of", ir->row_of, ir->n_terms);
    add_list(s, "unsigned", "term_rows", ir->rows, n_rows);
    str_add(s, "static const double term_numbers[] = {");
    for (size_t i = 0; i < n_numbers; i++) {
        str_add(s, i == 0 ? " " : i % 8 ? ", " : ",\n    ");
        gen_number(s, ir->numbers[i]);
    }
    str_add(s, n_numbers ? " };\n" : " 0.0 };\n");
    str_add(s, "// Which rates depend on a state: its part of a list.\n");
    add_list(s, "int", "affects_start", ir->affects.start, m->n + 1);
    add_list(s, "int", "affects", ir->affects.item, ir->affects.start[m->n]);
    if (ir->n_shared) {
        str_add(s, "// Which shared variables a rate needs.\n");
        add_list(s, "int", "shared_start", ir->shared_of.start, m->n + 1);
        add_list(s, "int", "shared", ir->shared_of.item, ir->shared_of.start[m->n]);
    }
    str_add(s, "// Rates whose polynomial is only near the truth.\nstatic const char is_bent[] = {");
    for (uint32_t i = 0; i < m->n; i++) str_addf(s, "%s%d", i == 0 ? " " : i % 32 ? ", " : ",\n    ", m->bends && bends[i]);
    str_add(s, " };\n\n");
}

// One list of places; `name` tells what they are.
static void add_places(StrBuf *s, const char *name, uint32_t choice, const uint32_t *place, const uint32_t *variables, size_t n)
{
    str_addf(s, "static const unsigned choice_%u_%s[] = {", choice, name);
    for (size_t i = 0; i < n; i++) str_addf(s, "%s%u", i == 0 ? " " : i % 16 ? ", " : ",\n    ", place[variables[i]]);
    str_add(s, " };\n");
}

static void add_choices(const CExport *c, StrBuf *s)
{
    const IrLayout *layout = &c->model->ir.layout;
    const Reduction *r = c->model->blocks.reduction;
    str_add(s, "// Where constraints tie variables together, each slot among the states is one of them.\n"
               "struct Choice {\n"
               "    size_t n_rows, n_columns, n_slots, n_orders, n_entries;    // constraints, variables, states, derivatives\n"
               "    const unsigned (*entries)[2];    // constraint, variable: derivative of the first by the second\n"
               "    const unsigned *variables;       // [n_orders][n_columns] places in v\n"
               "    const unsigned *slots;           // [n_orders - 1][n_slots] states\n"
               "    const unsigned *params;          // [n_slots][n_columns] places in v: 1, the slot is that variable\n"
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
            str_addf(s, "%s{ %u, %u }", k == 0 ? " " : k % 8 ? ", " : ",\n    ", choice->entries[k].row, choice->entries[k].column);
        str_add(s, " };\n");
        add_places(s, "variables", i, layout->place, choice->variables, (size_t)choice->n_orders * choice->n_columns);
        add_places(s, "slots", i, layout->state_of, choice->slots, (size_t)(choice->n_orders - 1) * choice->n_slots);
        add_places(s, "params", i, layout->place, choice->params, (size_t)choice->n_slots * choice->n_columns);
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
        str_addf(s, "    { %u, %u, %u, %u, %u, choice_%u_entries, choice_%u_variables, choice_%u_slots, choice_%u_params, choice_%u_weights },\n",
                 choice->n_rows, choice->n_columns, choice->n_slots, choice->n_orders, choice->n_entries, i, i, i, i, i);
    }
    str_add(s, "};\n\n");
}

static void add_guesses(const CExport *c, StrBuf *s)
{
    const IrLayout *layout = &c->model->ir.layout;
    str_add(s, "// Loops of equations begin at what they were: place of the guess, place of the variable.\n"
               "static const unsigned guesses[][2] = {\n");
    for (uint32_t i = 0; i < c->model->flat.vars.n; i++) {
        if (layout->guess[i] == FLAT_NONE) continue;
        str_addf(s, "    { %u, %u },    /* ", layout->guess[i], layout->place[i]);
        label_text(s, c->model->flat.vars.items[i].name);
        str_add(s, " */\n");
    }
    str_add(s, "};\n\n");
}

static void add_terminal(const CExport *c, StrBuf *s)
{
    const Flat *flat = &c->model->flat;
    if (c->model->ir.n_reruns) {
        str_add(s, "static const struct Rerun { double at_most; char is_limited; } reruns[] = {\n");
        for (size_t i = 0; i < flat->terminal.n; i++) {
            if (flat->terminal.items[i].target != FLAT_NONE) continue;
            str_add(s, "    { ");
            gen_number(s, flat->terminal.items[i].at_most);
            str_addf(s, ", %d },\n", flat->terminal.items[i].is_limited);
        }
        str_add(s, "};\n");
    }
    if (!c_is_on(c, TEXT("HAS_KEPT"))) return;
    str_add(s, "// Parameters that the terminal region changes.\nstatic const unsigned kept[] = {\n");
    for (size_t i = 0; i < flat->terminal.n; i++) {
        const uint32_t target = flat->terminal.items[i].target;
        if (target == FLAT_NONE) continue;
        const FlatVar *var = &flat->vars.items[target];
        if (var->kind != FLAT_PARAM && var->kind != FLAT_INPUT) continue;
        str_addf(s, "    %u,    /* ", c->model->ir.layout.place[target]);
        label_text(s, var->name);
        str_add(s, " */\n");
    }
    str_add(s, "};\n\n");
}

static void add_numbers(const CExport *c, StrBuf *s)
{
    const Ir *ir = &c->model->ir;
    if (ir->tables.n) {
        str_add(s, "static const unsigned index_tables[] = {");
        for (size_t i = 0; i < ir->tables.n; i++) str_addf(s, "%s%u", i == 0 ? " " : i % 16 ? ", " : ",\n    ", ir->tables.items[i]);
        str_add(s, " };\n\n");
    }
    if (ir->numbers.n) {
        str_add(s, "static const double table_numbers[] = {");
        for (size_t i = 0; i < ir->numbers.n; i++) {
            str_add(s, i == 0 ? " " : i % 8 ? ", " : ",\n    ");
            gen_number(s, ir->numbers.items[i]);
        }
        str_add(s, " };\n\n");
    }
}

void c_add_tables(const CExport *c, StrBuf *s)
{
    add_numbers(c, s);
    add_columns(c, s);
    add_header(c, s);
    if (c->model->n_relations) add_relations(c, s);
    if (c->model->n_events) add_events(c, s);
    if (c->experiment->run.n_claims) add_claims(c, s);
    if (c_is_on(c, TEXT("HAS_RANDOM"))) add_streams(c, s);
    if (c->inputs.n) add_inputs(c, s);
    if (c->slides || c->rests) add_surface(c, s);
    if (c_is_on(c, TEXT("HAS_CHOICES"))) add_choices(c, s);
    if (c->model->ir.layout.n_guesses) add_guesses(c, s);
    if (c->model->flat.terminal.n) add_terminal(c, s);
}

// ---- The header

void c_add_struct(const CExport *c, StrBuf *s)
{
    const orr_model *model = c->model;
    const uint32_t n = at_least_one(model->n_states), n_params = at_least_one(model->n_params);
    str_addf(s, "struct %s_model {\n", c->name);
    str_add(s, "    double t;              /* time */\n");
    str_addf(s, "    double x[%u];          /* states at t */\n", n);
    str_addf(s, "    double dx[%u];         /* their rates, by _state */\n", n);
    str_addf(s, "    double y[%u];          /* what is recorded, by _output */\n", at_least_one((uint32_t)c->columns.n));
    str_addf(s, "    double v[%u];          /* parameters, modes, variables, and what loops of equations need */\n",
             at_least_one(model->n_values));
    str_add(s, "    double t_start;        /* where a run begins */\n");
    str_addf(s, "    double given[%u];      /* 1: this parameter is value[], 0: it has its default */\n", n_params);
    str_addf(s, "    double value[%u];\n", n_params);
    if (c_is_on(c, TEXT("HAS_STARTS"))) str_addf(s, "    double x_given[%u];    /* initial values; NaN: the model's own */\n", n);
    if (model->ir.n_reruns) str_add(s, "    double n_reruns;       /* how often the terminal region has asked for another run */\n");
    if (model->n_relations) str_addf(s, "    double relations[%u];  /* zero function and truth of each */\n", 2 * model->n_relations);
    if (model->n_events) {
        const uint32_t m = model->n_events;
        if (c_is_on(c, TEXT("HAS_TERMINATE"))) str_add(s, "    int is_terminated;     /* an event has ended the run */\n");
        str_addf(s, "    double truth[%u];      /* of each condition at the last look */\n", m);
        if (c_is_on(c, TEXT("HAS_TIMED")))
            str_addf(s, "    double due[%u], fired_every[%u];    /* when events act next, and how often they have */\n", m, m);
        str_addf(s, "    char is_fired[%u];\n", m);
        if (model->n_relations)
            str_addf(s, "    double fired_at[%u], interval[%u];\n    int n_shrinking[%u];\n", m, m, m);
        if (c_is_on(c, TEXT("HAS_AFTER")))
            str_add(s, "    struct { double t; int event; } pending[4096];    /* delayed events */\n    int n_pending;\n");
    }
    if (c_is_on(c, TEXT("HAS_RANDOM"))) str_add(s, "    uint64_t seed, run;    /* what is drawn depends on them */\n");
    if (c->slides || c->rests) {
        str_add(s, "    /* where a solution slides along the surface of a relation, or rests on it */\n");
        str_addf(s, "    double probe, surface_dx[%u], side_rates[2][%u], x_near[%u], x_far[%u], zeros[%u];\n", n, n, n, n, 2 * model->n_relations);
    }
    if (c->slides) {
        str_addf(s, "    int slides, sliding_ends, surface;    /* surface: the relation */\n    char is_ignored[%u];\n", model->n_relations);
        str_addf(s, "    double part, side_modes[2][%u], other_side[%u];    /* part: of the first side */\n", model->n_relations,
                 model->ir.layout.first_guess - model->ir.layout.first_var);
    }
    if (c->rests) {
        str_addf(s, "    double x_left[%u];     /* states before the body of an event */\n    char is_held[%u], is_resting[%u];\n", n, n, model->n_relations);
        str_addf(s, "    int held_by[%u], n_held, n_rests;    /* held_by: the relation on whose surface it stays; -1: its rate is 0 */\n", n);
        str_addf(s, "    struct { int event, relation; double push; } rests[%u];\n", model->n_events);
    }
    if (c_is_on(c, TEXT("HAS_CHOICES")))
        str_addf(s, "    uint32_t wanted[%zu];    /* variables that states are, or will be before the next step */\n    int choice_waits;\n",
                 count_slots(model->blocks.reduction));
    if (c->inputs.n) str_addf(s, "    int piece[%zu];          /* of each input that follows data: which one counts */\n", c->inputs.n);
    if (model->n_delays) {
        const uint32_t k = model->n_delays;
        str_addf(s, "    double lag[%u], shortest_lag, longest_lag;    /* of delays */\n", k);
        str_addf(s, "    double at_start[%u];    /* what they remember of the start */\n    int start_is_known;\n", k);
        str_add(s, "    double *past;          /* segments of what they remember since then, and which of these count */\n"
                   "    long past_first, past_end, past_room;\n");
    }
    if (model->flat.asserts.n) str_addf(s, "    char is_broken[%zu];    /* assertions that did not hold */\n", model->flat.asserts.n);
    str_add(s, "};\n");
}

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
    for (uint32_t k = 2; !text_map_put(e->taken, text_from(unique), 0); k++) unique = arena_printf(arena, "%s_%u", wanted, k);
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
        if (layout->state_of[i] != FLAT_NONE) add_name(&e, flat->vars.items[i].name, flat->vars.items[i].unit, layout->state_of[i]);
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
        str_addf(s, "    m->seed = UINT64_C(%" PRIu64 ");\n    m->run = UINT64_C(%" PRIu64 ");\n", c->run->seed, c->run->number);
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

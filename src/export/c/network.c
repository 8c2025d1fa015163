// src/export/c/network.c: components and couplings of an exported model, as tables.
#include "atomic/calls_c_text.h"
#include "atomic/calls_text.h"
#include "base/diag.h"
#include "base/map.h"
#include "code/emit.h"
#include "devs/agenda_c_text.h"
#include "devs/inputs_c_text.h"
#include "devs/kernel_c_text.h"
#include "devs/kernel_text.h"
#include "devs/queue_c_text.h"
#include "devs/sort_c_text.h"
#include "devs/switch_c_text.h"
#include "export/c/net.h"
#include "export/runtime/network_text.h"
#include "expr/math.h"
#include "include/orrery/atomic_text.h"
#include "include/orrery/statistics_text.h"
#include "num/distribution_draw_text.h"
#include "num/statistics_c_text.h"
#include <inttypes.h>
#include <stdlib.h>

// ---- Can it be?

bool c_check_network(CExport *c)
{
    const Network *network = c->model->network;
    const Flat *flat = &c->model->flat;
    bool ok = true;
    if (!network) return true;
    for (size_t i = 0; i < flat->parts.n; i++)
        if (network->parts[i].kind->is_native)
            ok = c_refuse(c,
                          arena_printf(&c->arena,
                                       "component '%s' is C code of your own, which it does not have",
                                       flat->parts.items[i].name),
                          "write the component in the language");
    if (network->devs->n_components > C_TABLES_MAX || network->devs->n_targets > C_TABLES_MAX ||
        network->devs->state_words > C_VALUES_MAX)
        ok = c_refuse(c, "it is too large", "make its arrays of components smaller");
    return ok;
}

// A call `host_draw(c, s->v + S_x, 3, …)` in a function of a kind that is used.
static void find_draws(CNet *net, Text text)
{
    static const char call[] = "host_draw(c, s->v + ";
    for (const char *p = text.p; (p = memmem(p, (size_t)(text.p + text.n - p), call, strlen(call)));) {
        p = strchr(p + strlen(call), ',');
        const long number = p ? strtol(p + 1, NULL, 10) : -1;
        if (!p) return;
        if (number >= 0 && number < n_distributions) net->draws[number] = true;
    }
}

static bool calls(Text text, const char *name) { return memmem(text.p, text.n, name, strlen(name)) != NULL; }

// Names may look the same once letters of other scripts are gone: numbers tell them apart.
static void name_kinds(CExport *c)
{
    const AtomicSet *set = &c->model->atomics;
    TextMap taken;
    text_map_init(&taken, &c->arena);
    c->net->kind_names = ARENA_ARRAY(&c->arena, const char *, set->n_kinds);
    for (uint32_t k = 0; k < set->n_kinds; k++) {
        const char *plain = c_identifier(&c->arena, set->kinds[k].name);
        const char *name = arena_printf(&c->arena, "A_%s_", plain);
        for (uint32_t n = 2; !text_map_put(&taken, text_from(name), 0); n++)
            name = arena_printf(&c->arena, "A_%s_%u_", plain, n);
        c->net->kind_names[k] = name;
    }
}

static const char *kind_name(const CExport *c, const AtomicKind *kind)
{
    return c->net->kind_names[kind - c->model->atomics.kinds];
}

// Roots of what is used: the tables.
static void add_kinds(const CExport *c, StrBuf *s);

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Files are one behind the other in the order of their names; where two of them have messages at the same
// time, who is first follows from the calendar of a run, which an exported program does not have.
static bool times_differ(CExport *c)
{
    const CNet *net = c->net;
    Arena work = { 0 };
    VEC(double) times = { 0 };
    for (size_t i = 0; i < net->files.n && net->files.n > 1; i++) {
        const RunMessages *file = &net->files.items[i];
        for (size_t k = 0; k < file->n; k++) {
            const double t = file->numbers[k * (1 + file->n_values)];
            if (k == 0 || t != file->numbers[(k - 1) * (1 + file->n_values)]) vec_push(&work, &times, t);
        }
    }
    if (times.n > 1) qsort(times.items, times.n, sizeof *times.items, by_number);
    bool differ = true;
    for (size_t i = 1; i < times.n; i++) differ = differ && times.items[i] != times.items[i - 1];
    arena_free(&work);
    return differ ||
           c_refuse(c, "messages come from several files at the same time", "put them into one file");
}

static bool find_files(CExport *c)
{
    size_t room = C_PIECES_MAX;
    for (size_t i = 0; i < arrive_count(c->run); i++) {
        RunMessages messages;
        if (!arrive_all(c->run, i, c->experiment->until, room, &c->arena, &messages)) return false;
        room -= messages.n * (1 + messages.n_values);
        if (room <= messages.n_values)
            return c_refuse(c, "its files have too many messages", "let the experiment end earlier");
        vec_push(&c->arena, &c->net->files, messages);
    }
    return times_differ(c);
}

bool c_find_network(CExport *c)
{
    const orr_model *model = c->model;
    if (!model->network) return true;
    CNet *net = c->net = ARENA_NEW(&c->arena, CNet);
    net->network = model->network;
    net->is_used = ARENA_ARRAY(&c->arena, bool, model->atomics.n_kinds);
    for (size_t i = 0; i < model->flat.parts.n; i++) net->is_used[model->flat.parts.items[i].kind] = true;
    name_kinds(c);
    for (size_t i = 0; i < c->columns.n; i++) {
        const size_t variable = orr_model_find(model, c->columns.items[i]);
        if (model_variable(model, variable).part) vec_push(&c->arena, &net->shown, variable);
    }
    StrBuf roots = { .arena = &c->arena };
    add_kinds(c, &roots);
    const Text text = { roots.p, roots.n };
    net->functions = c_prune(text, c_atomics_text(c, &c->arena), (Text){ 0 }, &c->arena);
    find_draws(net, net->functions);
    net->has_draws = calls(net->functions, "host_draw(") || calls(net->functions, "host_pick(") ||
                     calls(net->functions, "host_stream(");
    net->has_statistics = calls(net->functions, "host_tally_add(") || calls(net->functions, "host_level_") ||
                          calls(net->functions, "host_statistic(") || calls(net->functions, "host_reset(");
    for (size_t i = 0; i < net->shown.n; i++)
        if (model_variable(model, net->shown.items[i]).shown->how > ATOMIC_READ_LENGTH)
            net->has_statistics = true;
    net->has_on = model->network->first_on[model->flat.ports.n] > 0;
    for (size_t i = 0; i < model->flat.switches.n; i++)
        net->has_again |= model->flat.switches.items[i].coupling == FLAT_NONE &&
                          model->flat.switches.items[i].anew;
    net->has_warm_up = c->experiment->warm_up > 0;
    for (size_t i = 0; i < model->flat.parts.n; i++) {
        const AtomicKind *kind = model->network->parts[i].kind;
        for (uint32_t k = 0; k < kind->n_readables; k++)
            net->has_resets |= net->has_warm_up && kind->readables[k].how == ATOMIC_READ_MEAN;
    }
    net->has_statistics |= net->has_resets;
    return find_files(c);
}

const char *const *c_net_math(const CExport *c, const char **names, Arena *arena)
{
    size_t n = 0;
    while (names[n]) n++;
    const Text text = c->net->functions;
    for (size_t i = 0; i < expr_n_math; i++)
        if (calls(text, arena_printf(arena, "%s(", expr_math[i].c_name))) names[n++] = expr_math[i].c_name;
    for (unsigned k = 2; k <= EXPR_WHOLE_POWER_MAX; k++) {
        const char *name = arena_printf(arena, "orr_power%u", k);
        if (calls(text, arena_printf(arena, "%s(", name))) names[n++] = name;
    }
    static const struct Needs {
        const char *distribution, *function;
    } needs[] = {
        { "lognormal", "orr_exp" },
        { "exponential", "orr_log" },
        { "weibull", "orr_log" },
        { "weibull", "orr_pow" },
    };
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (c->net->draws[distribution_number(needs[i].distribution)]) names[n++] = needs[i].function;
    names[n] = NULL;
    return names;
}

// ---- Sizes

void c_add_net_sizes(const CExport *c, StrBuf *s)
{
    uint32_t n_params = 0;
    for (size_t i = 0; i < c->model->flat.parts.n; i++) {
        const AtomicKind *kind = c->net->network->parts[i].kind;
        if (kind->n_params > n_params) n_params = kind->n_params;
    }
    c_size(s, "N_PARAMS_MOST", n_params);
    if (c->net->files.n) c_size(s, "N_FILES", c->net->files.n);
}

// ---- Kinds and components

// The kind behind a type of the network: its table is the first part of it.
static const AtomicKind *kind_of_type(const CExport *c, uint32_t type)
{
    return (const AtomicKind *)c->net->network->devs->types[type];
}

static void add_ports(const CExport *c, StrBuf *s, const AtomicKind *kind)
{
    str_addf(s, "static const orr_devs_port %soutputs[] = {\n", kind_name(c, kind));
    for (uint32_t i = 0; i < kind->n_outputs; i++) {
        const orr_devs_port *port = &kind->table.outputs[i];
        str_add(s, "    { ");
        c_add_quoted(s, port->name);
        str_add(s, ", ");
        c_add_quoted(s, port->type);
        str_addf(s, ", %u, 0 },\n", port->size);
    }
    str_add(s, "};\n");
}

static void add_kind(const CExport *c, StrBuf *s, const AtomicKind *kind)
{
    const char *name = kind_name(c, kind);
    bool moves = false;
    for (uint32_t i = 0; i < kind->n_states; i++) moves = moves || kind->states[i].n_afters > 0;
    if (kind->n_outputs) add_ports(c, s, kind);
    str_addf(s, "static const orr_atomic %stable = {\n    .traits = ORR_ATOMIC_ABSOLUTE,\n", name);
    if (kind->n_outputs)
        str_addf(s, "    .outputs = %soutputs,\n    .n_outputs = %u,\n", name, kind->n_outputs);
    str_addf(s, "    .init = %sinit,\n    .advance = due_of,\n", name);
    if (kind->n_outputs) str_addf(s, "    .output = %soutput,\n", name);
    if (moves) str_addf(s, "    .internal = %sinternal,\n", name);
    if (kind->n_inputs) str_addf(s, "    .external = %sexternal,\n", name);
    if (kind->confluent != AST_CONFLUENT_INTERNAL) str_addf(s, "    .confluent = %sconfluent,\n", name);
    str_add(s, "};\n");
}

static void add_kinds(const CExport *c, StrBuf *s)
{
    const orr_devs *devs = c->net->network->devs;
    uint32_t n_faults = 0;
    if (devs->n_types)
        str_add(s, "// Kinds of components: their functions.\n"
                   "static double due_of(const void *state, const orr_devs_call *call)\n{\n    (void)call;\n"
                   "    return ((const struct state *)state)->due;\n}\n\n");
    for (uint32_t k = 0; k < devs->n_types; k++) add_kind(c, s, kind_of_type(c, k));
    str_add(s, "static const orr_atomic *const types[] = {");
    for (uint32_t k = 0; k < devs->n_types; k++) str_addf(s, " &%stable,", kind_name(c, kind_of_type(c, k)));
    str_add(s, devs->n_types ? " };\n" : " NULL };\n");
    str_add(s, "// How many parameters they have and, among the faults, the first.\n"
               "static const struct { int n_params, first_fault; } kinds[] = {");
    for (uint32_t k = 0; k < devs->n_types; k++) {
        str_addf(s, " { %u, %u },", kind_of_type(c, k)->n_params, n_faults);
        n_faults += (uint32_t)kind_of_type(c, k)->faults.n;
    }
    str_add(s, devs->n_types ? " };\n\n" : " { 0, 0 } };\n\n");
}

static const char *fault_text(const AtomicKind *kind, const AtomicFault *f, Arena *arena)
{
    static const char *const forms[] = {
        [ATOMIC_FAULT_DURATION] = "state '%s' cannot last less than 0",
        [ATOMIC_FAULT_EMPTY] = "queue '%s' is empty",
        [ATOMIC_FAULT_INDEX] = "'%s' has no such element",
        [ATOMIC_FAULT_DRAW] = "the arguments of '%s' make no sense",
        [ATOMIC_FAULT_CHANCES] = "the probabilities of a choice do not sum to 1",
        [ATOMIC_FAULT_RANK] = "the rank of an element of '%s' is not a number",
        [ATOMIC_FAULT_LOOP] = "the loop over '%s' has bounds that make no sense",
    };
    StrBuf s = { .arena = arena };
    for (const char *p = forms[f->kind]; *p; p++) {
        if (p[0] == '%' && p[1] == 's') {
            str_add(&s, f->name);
            p++;
        } else str_add_char(&s, *p);
    }
    str_addf(&s, " in %s", kind->name);
    if (f->line) str_addf(&s, ", line %zu", f->line);
    return str_finish(&s);
}

static void add_faults(const CExport *c, StrBuf *s)
{
    Arena work = { 0 };
    str_add(s, "// What can go wrong in components.\nstatic const char *const faults[] = {\n");
    for (uint32_t k = 0; k < c->net->network->devs->n_types; k++) {
        const AtomicKind *kind = kind_of_type(c, k);
        for (size_t i = 0; i < kind->faults.n; i++) {
            str_add(s, "    ");
            c_add_quoted(s, fault_text(kind, &kind->faults.items[i], &work));
            str_add(s, ",\n");
        }
    }
    str_add(s, "    NULL,\n};\n\n");
    arena_free(&work);
}

static uint32_t param_place(const CExport *c, const FlatPart *part, uint32_t member, uint32_t k)
{
    const uint32_t variable = part->is_shared ? part->params[k] + (part->params_differ[k] ? member : 0)
                                              : part->first_param + member * part->n_params + k;
    return c->model->ir.layout.place[variable];
}

// Components that share all parameters share the list of places, too.
static bool params_are_same(const FlatPart *part)
{
    bool differ = !part->is_shared;
    for (uint32_t k = 0; part->is_shared && k < part->n_params; k++)
        differ = differ || part->params_differ[k];
    return !differ;
}

static void add_number(StrBuf *s, size_t *n, uint32_t number)
{
    str_addf(s, "%s%u", *n == 0 ? " " : *n % 16 ? ", " : ",\n    ", number);
    ++*n;
}

// What each component has of its own besides its place in the tables of the network.
static void add_component_list(const CExport *c, StrBuf *s)
{
    const Network *network = c->net->network;
    const orr_devs *devs = network->devs;
    Arena work = { 0 };
    StrBuf places = { .arena = &work };
    size_t n_places = 0;
    str_addf(s,
             "// Components in the order of their names, in which they act: where their parameters stand%s.\n"
             "static const struct { unsigned first_param;%s } components[] = {\n",
             c->net->has_draws ? ", and their streams of random numbers" : "",
             c->net->has_draws ? " uint64_t stream;" : "");
    for (uint32_t i = 0; i < devs->n_components; i++) {
        const NetPart *part = net_part_of(network, i);
        const uint32_t member = i - part->component;
        size_t first = n_places;
        if (member > 0 && params_are_same(part->flat)) first -= part->flat->n_params;
        else
            for (uint32_t k = 0; k < part->flat->n_params; k++)
                add_number(&places, &n_places, param_place(c, part->flat, member, k));
        const ArenaMark mark = arena_mark((Arena *)&c->arena);
        const char *name = devs_component_name(devs, i, (Arena *)&c->arena);
        str_addf(s, "    { %zu", first);
        if (c->net->has_draws) {
            const char *stream = arena_printf((Arena *)&c->arena, "%s:", name);
            str_addf(s, ", UINT64_C(0x%016" PRIx64 ")",
                     c->net->has_again ? random_name_begun(stream) : random_stream(0, 0, stream).name);
        }
        str_add(s, " },    // ");
        c_add_remark(s, name);
        str_add(s, "\n");
        arena_release((Arena *)&c->arena, mark);
    }
    str_addf(s, "%s};\n", devs->n_components ? "" : c->net->has_draws ? "    { 0, 0 },\n" : "    { 0 },\n");
    str_add(s, "// Places in v of their parameters.\nstatic const unsigned param_places[] = {");
    if (places.n) str_add_text(s, (Text){ places.p, places.n });
    str_add(s, n_places ? " };\n\n" : " 0 };\n\n");
    arena_free(&work);
}

// ---- The network, as the kernel reads it

// Rows of n_columns numbers.
static void add_rows(StrBuf *s, const char *type, const char *name, const void *rows, size_t n,
                     uint32_t n_columns)
{
    const uint32_t *numbers = rows;
    const size_t per_line = n_columns > 1 ? 8 : 16;
    str_addf(s, "static const %s %s[] = {", type, name);
    for (size_t i = 0; i < (n ? n : 1); i++) {
        str_add(s, i == 0 ? " " : i % per_line ? ", " : ",\n    ");
        if (n_columns > 1) str_add(s, "{ ");
        for (uint32_t k = 0; k < n_columns; k++)
            str_addf(s, k ? ", %u" : "%u", n ? numbers[i * n_columns + k] : 0);
        if (n_columns > 1) str_add(s, " }");
    }
    str_add(s, " };\n");
}

static void add_network(const CExport *c, StrBuf *s)
{
    const orr_devs *devs = c->net->network->devs;
    size_t n_lists = 1;
    for (size_t i = 0; devs->target_gates && i < devs->n_targets; i++) {
        const uint32_t list = devs->target_gates[i];
        if (list && list + 1 + devs->gate_lists[list] > n_lists) n_lists = list + 1 + devs->gate_lists[list];
    }
    str_add(s, "// The network: components of one kind after the other; where their states and outputs are; "
               "where what they\n// send goes to.\n");
    add_rows(s, "DevsRange", "ranges", devs->ranges, devs->n_ranges, 3);
    add_rows(s, "DevsSpot", "spots", devs->spots, (size_t)devs->n_components + 1, 2);
    add_rows(s, "DevsTarget", "outputs", devs->outputs, devs->n_outputs, 2);
    add_rows(s, "DevsTarget", "targets", devs->targets, devs->n_targets, 2);
    add_rows(s, "uint32_t", "input_sizes", devs->input_sizes, devs->n_outputs - devs->first_input, 1);
    if (devs->target_gates) {
        str_add(s, "// Arrows that are there only sometimes, on the way to a target: how many, and which.\n");
        add_rows(s, "uint32_t", "target_gates", devs->target_gates, devs->n_targets, 1);
        add_rows(s, "uint32_t", "gate_lists", devs->gate_lists, n_lists, 1);
    }
    str_addf(s,
             "static const orr_devs network = {\n"
             "    .n_components = %u,\n    .first_input = %u,\n    .n_types = %u,\n    .n_ranges = %u,\n"
             "    .n_gates = %u,\n    .input_words = %u,\n    .n_targets = %zu,\n    .state_words = %zu,\n"
             "    .types = types,\n    .ranges = ranges,\n    .input_sizes = input_sizes,\n"
             "    .spots = spots,\n    .outputs = outputs,\n    .targets = targets,\n",
             devs->n_components, devs->first_input, devs->n_types, devs->n_ranges, devs->n_gates,
             devs->input_words, devs->n_targets, devs->state_words);
    if (devs->target_gates) str_add(s, "    .target_gates = target_gates,\n    .gate_lists = gate_lists,\n");
    str_add(s, "};\n\n");
}

static void add_switches(const CExport *c, StrBuf *s)
{
    const Network *network = c->net->network;
    const Flat *flat = &c->model->flat;
    str_add(
        s,
        "// Components and arrows that are there only sometimes: which, and the event with which they come.\n"
        "struct Switch { char is_gate, anew; unsigned number; int event; };\n"
        "static const struct Switch switches[] = {\n");
    for (size_t i = 0; i < flat->switches.n; i++) {
        const FlatSwitch *sw = &flat->switches.items[i];
        const bool is_gate = sw->coupling != FLAT_NONE;
        const uint32_t number = is_gate ? *map_find(&network->devs->gate_numbers, network->switched[i])
                                        : network->parts[sw->part].component + sw->member;
        str_addf(s, "    { %d, %d, %u, %u },\n", is_gate, !is_gate && sw->anew, number, sw->event);
    }
    size_t n = 0;
    str_add(s, "};\n// Of each event: 1 + which of these it switches; 0: none.\n"
               "static const unsigned event_switches[] = {");
    for (uint32_t i = 0; i < c->model->n_events; i++) add_number(s, &n, flat->events.items[i].switch_plus_1);
    str_add(s, " };\n\n");
}

// What arrives for equations and events.
static void add_arrivals(const CExport *c, StrBuf *s)
{
    const Network *network = c->net->network;
    const Flat *flat = &c->model->flat;
    StrBuf places = { .arena = (Arena *)&c->arena }, events = { .arena = (Arena *)&c->arena };
    size_t n_places = 0, n_events = 0;
    str_addf(
        s,
        "// Messages for the model, by the port at which they arrive: it leaves the model, it is counted, "
        "rates depend\n// on it; the numbers that are kept%s.\n"
        "struct Arrival { char leaves, counts, affects; unsigned first, n%s; };\n"
        "static const struct Arrival arrivals[] = {\n",
        c->net->has_on ? ", and the events on it" : "", c->net->has_on ? ", first_on" : "");
    for (uint32_t i = 0; i < network->first_guest_output; i++) {
        const uint32_t number = network->arrives[i];
        const FlatPort *port = &flat->ports.items[number];
        const uint32_t n = port->first != FLAT_NONE ? port->n_values : 0;
        str_addf(s, "    { %d, %d, %d, %zu, %u", network->is_outlet[number], port->kind == FLAT_PORT_COUNT,
                 net_affects(c->run, number), n_places, n);
        if (c->net->has_on) str_addf(s, ", %zu", n_events);
        str_add(s, " },    // ");
        c_add_remark(s, port->name);
        str_add(s, "\n");
        for (uint32_t k = 0; k < n; k++)
            add_number(&places, &n_places, c->model->ir.layout.place[port->first + k]);
        for (uint32_t k = network->first_on[number]; k < network->first_on[number + 1]; k++)
            add_number(&events, &n_events, network->on[k]);
    }
    str_addf(s, "    { 0, 0, 0, %zu, 0", n_places);
    if (c->net->has_on) str_addf(s, ", %zu", n_events);
    str_add(s, " },\n};\nstatic const unsigned arrival_places[] = {");
    if (n_places) str_add_text(s, (Text){ places.p, places.n });
    str_add(s, n_places ? " };\n" : " 0 };\n");
    if (c->net->has_on) {
        str_add(s, "static const int arrival_events[] = {");
        str_add_text(s, (Text){ events.p, events.n });
        str_add(s, " };\n");
    }
    str_add(s, "\n");
}

static void add_sends(const CExport *c, StrBuf *s)
{
    const Network *network = c->net->network;
    const Flat *flat = &c->model->flat;
    const uint32_t *place = c->model->ir.layout.place;
    StrBuf places = { .arena = (Arena *)&c->arena }, firsts = { .arena = (Arena *)&c->arena };
    size_t n_places = 0, n_sends = 0, n_firsts = 0;
    str_add(s, "// What events send: a flag in v says that they did; by which input, and its numbers.\n"
               "struct Send { unsigned flag, input, first; };\nstatic const struct Send sends[] = {\n");
    for (uint32_t i = 0; i < c->model->n_events; i++) {
        const FlatEvent *event = &flat->events.items[i];
        add_number(&firsts, &n_firsts, (uint32_t)n_sends);
        for (uint32_t k = 0; k < event->n_sends; k++, n_sends++) {
            const FlatSend *send = &flat->sends.items[event->first_send + k];
            const FlatPort *port = &flat->ports.items[send->port];
            str_addf(s, "    { %u, %u, %zu },    // ", place[send->flag], network->input[send->port],
                     n_places);
            c_add_remark(s, port->name);
            str_add(s, "\n");
            for (uint32_t v = 0; v < port->n_values; v++)
                add_number(&places, &n_places, place[send->first + v]);
        }
    }
    add_number(&firsts, &n_firsts, (uint32_t)n_sends);
    str_add(s, "};\n// Where those of each event begin.\nstatic const unsigned first_send[] = {");
    str_add_text(s, (Text){ firsts.p, firsts.n });
    str_add(s, " };\nstatic const unsigned send_places[] = {");
    if (n_places) str_add_text(s, (Text){ places.p, places.n });
    str_add(s, n_places ? " };\n\n" : " 0 };\n\n");
}

static void add_shown(const CExport *c, StrBuf *s)
{
    static const char *const how_names[] = {
        "STATE", "SLOT", "LENGTH", "COUNT", "MEAN", "DEVIATION", "LOWEST", "HIGHEST", "QUANTILE", "NOW",
    };
    _Static_assert(ATOMIC_READ_LENGTH == 2 && ATOMIC_READ_COUNT == 3 && ATOMIC_READ_NOW == 9, "their order");
    str_add(s,
            "// What is recorded of components.\n"
            "struct Shown { unsigned component; AtomicHow how; unsigned slot; int is_level; double p; };\n"
            "static const struct Shown shown[] = {\n");
    for (size_t i = 0; i < c->net->shown.n; i++) {
        const ModelVariable v = model_variable(c->model, c->net->shown.items[i]);
        str_addf(s, "    { %u, ATOMIC_READ_%s, %u, %d, ", v.part->component + v.element,
                 how_names[v.shown->how], v.shown->slot, v.shown->is_level);
        gen_number(s, v.shown->p);
        str_add(s, " },    // ");
        c_add_remark(s, model_variable_name(c->model, c->net->shown.items[i]));
        str_add(s, "\n");
    }
    str_add(s, "};\n\n");
}

// ---- What is due

static void add_files(const CExport *c, StrBuf *s)
{
    size_t n = 0;
    str_add(s, "// Messages from outside: time and numbers of each.\nstatic const double file_numbers[] = {");
    for (size_t i = 0; i < c->net->files.n; i++) {
        const RunMessages *file = &c->net->files.items[i];
        for (size_t k = 0; k < file->n * (1 + file->n_values); k++) {
            str_add(s, n == 0 ? " " : n % 8 ? ", " : ",\n    ");
            gen_number(s, file->numbers[k]);
            n++;
        }
    }
    str_add(s, n ? " };\n" : " 0.0 };\n");
    str_add(s, "// Where those of a file begin, how many they are, and by which input they come.\n"
               "struct File { unsigned first, n, input; };\n"
               "static const struct File files[] = {\n");
    n = 0;
    for (size_t i = 0; i < c->net->files.n; i++) {
        const RunMessages *file = &c->net->files.items[i];
        str_addf(s, "    { %zu, %zu, %u },    // ", n, file->n, c->net->network->entry[file->port]);
        c_add_remark(s, c->model->flat.ports.items[file->port].name);
        str_add(s, "\n");
        n += file->n * (1 + file->n_values);
    }
    str_add(s, "};\n\n");
}

static void add_warm_up(const CExport *c, StrBuf *s)
{
    str_add(s, "// Statistics: component, slot, and whether it is a level.\n"
               "static const unsigned statistics[][3] = {\n");
    for (size_t i = 0; i < c->model->flat.parts.n; i++) {
        const NetPart *part = &c->net->network->parts[i];
        for (uint32_t member = 0; member < part->flat->n; member++)
            for (uint32_t k = 0; k < part->kind->n_readables; k++) {
                const AtomicReadable *r = &part->kind->readables[k];
                if (r->how == ATOMIC_READ_MEAN)    // each shows its mean once
                    str_addf(s, "    { %u, %u, %d },\n", part->component + member, r->slot, r->is_level);
            }
    }
    str_add(s, "};\n\n");
}

// ---- All of it

void c_add_components(const CExport *c, StrBuf *s)
{
    static const char state[] =
        "// Of a component: when it is due, the number of its state, then parameters, variables, queues and "
        "statistics.\nstruct state { double due; int state, entered; double v[]; };\n\n";
    static const char *const kernel[] = { TEXT_DEVS_SORT_C,   TEXT_DEVS_AGENDA_C, TEXT_DEVS_INPUTS_C,
                                          TEXT_DEVS_KERNEL_C, TEXT_DEVS_QUEUE_C,  TEXT_ATOMIC_CALLS_C };
    if (c->net->has_draws) c_add_template(c, s, TEXT_NUM_DISTRIBUTION_DRAW_INC);
    str_add(s, "// ---- Components in time\n\n");
    c_add_private(c, s, TEXT_INCLUDE_ORRERY_ATOMIC_H, "");
    c_add_private(c, s, TEXT_DEVS_KERNEL_H, "");
    if (c->net->has_statistics) {
        c_add_private(c, s, TEXT_INCLUDE_ORRERY_STATISTICS_H, "");
        c_add_private(c, s, TEXT_NUM_STATISTICS_C, "");
    }
    c_add_private(c, s, TEXT_ATOMIC_CALLS_H, "");
    if (c->net->network->devs->n_components) {
        str_add(s, state);
        str_add(s, "// ---- What components do\n\n");
        str_add_text(s, c->net->functions);
        add_faults(c, s);
    }
    add_kinds(c, s);
    add_component_list(c, s);
    add_network(c, s);
    if (c->net->network->reaches) add_arrivals(c, s);
    if (c->model->flat.sends.n) add_sends(c, s);
    if (c->net->shown.n) add_shown(c, s);
    if (c->model->flat.switches.n) add_switches(c, s);
    if (c->net->files.n) add_files(c, s);
    if (c->net->has_resets) add_warm_up(c, s);
    for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++) c_add_private(c, s, kernel[i], "");
    if (c->model->flat.switches.n) c_add_private(c, s, TEXT_DEVS_SWITCH_C, "");
    c_add_template(c, s, TEXT_NETWORK);
}

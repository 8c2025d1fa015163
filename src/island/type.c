// src/island/type.c: one kind of island: options are copied, variables found, ports made.
#include "island/island.h"
#include <stdlib.h>
#include <string.h>

uint32_t orr_signal_size(uint32_t n_islands)
{
    const uint32_t words = n_islands > 64 ? (n_islands + 63) / 64 : 1;
    return (uint32_t)(sizeof(orr_signal) + (words - 1) * sizeof(uint64_t));
}

static double count_passed(const orr_signal *signal, uint32_t size)
{
    const size_t words = 1 + (size - sizeof *signal) / sizeof *signal->passed;
    int n = 0;
    for (size_t i = 0; i < words; i++) n += __builtin_popcountll(signal->passed[i]);
    return n;
}

size_t orr_message_numbers(const orr_devs_port *port, const void *message, double *numbers, size_t size)
{
    double first[3];
    const double *from = message;
    size_t n = port->size / sizeof(double);
    if (!message) n = 0;
    else if (strcmp(port->type, ORR_SIGNAL) == 0 && port->size >= sizeof(orr_signal)) {
        const orr_signal *signal = message;
        first[0] = signal->value;
        first[1] = signal->has_gradient ? signal->gradient : 0;
        first[2] = signal->perturbation ? count_passed(signal, port->size) : 0;
        n = signal->perturbation ? 3 : signal->has_gradient ? 2 : 1;
        from = first;
    } else if (strcmp(port->type, ORR_PERTURBATION) == 0 && port->size == sizeof(orr_perturbation)) {
        first[0] = ((const orr_perturbation *)message)->value;
        n = 1;
        from = first;
    }
    const size_t written = n < size ? n : size;
    if (written) memcpy(numbers, from, written * sizeof *numbers);
    return n;
}

orr_island_options orr_island_options_default(void)
{
    return (orr_island_options){ .run = orr_run_options_default() };
}

static const char *copy(Arena *arena, const char *text)
{
    return text ? arena_copy_text(arena, text, strlen(text)) : NULL;
}

static const orr_setting *copy_settings(Arena *arena, const orr_setting *settings, size_t n)
{
    orr_setting *copies = ARENA_ARRAY(arena, orr_setting, n);
    for (size_t i = 0; i < n; i++)
        copies[i] = (orr_setting){ copy(arena, settings[i].name), settings[i].value };
    return copies;
}

static const char *const *copy_names(Arena *arena, const char *const *names, size_t n)
{
    const char **copies = ARENA_ARRAY(arena, const char *, n);
    for (size_t i = 0; i < n; i++) copies[i] = copy(arena, names[i]);
    return copies;
}

static void keep_options(orr_island *island, const orr_island_options *given)
{
    Arena *arena = &island->arena;
    orr_island_options *o = &island->options;
    *o = *given;
    o->run.solver = copy(arena, given->run.solver);
    o->run.settings = copy_settings(arena, given->run.settings, given->run.n_settings);
    o->run.quanta = copy_settings(arena, given->run.quanta, given->run.n_quanta);
    o->run.inputs = NULL;    // external variables, found below
    o->run.n_inputs = 0;
    o->run.exact = false;
    o->outputs = copy_names(arena, given->outputs, given->n_outputs);
    o->params = copy_names(arena, given->params, given->n_params);
    o->messages = copy_names(arena, given->messages, given->n_messages);
    o->sends = copy_names(arena, given->sends, given->n_sends);
    o->perturbed = copy_names(arena, given->perturbed, given->n_perturbed);
    o->run.is_component = true;
    orr_island_input *inputs = ARENA_ARRAY(arena, orr_island_input, given->n_inputs);
    for (size_t i = 0; i < given->n_inputs; i++)
        inputs[i] = (orr_island_input){ copy(arena, given->inputs[i].variable), given->inputs[i].is_number };
    o->inputs = inputs;
    if (o->n_islands == 0) o->n_islands = 1;
}

static bool report(orr_diag *diag, const orr_model *model, const char *name, const char *why)
{
    diag_report(diag, DIAG_PORT_VARIABLE, (Place){ 0 }, name, model->flat.model, why);
    const char *closest = orr_model_find(model, name) == (size_t)-1 ? orr_model_closest(model, name) : NULL;
    diag_suggest(diag, name, closest);
    return false;
}

static const FlatDriven *driven_of(const orr_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->flat.n_driven; i++)
        if (strcmp(model->flat.driven[i].name, name) == 0) return &model->flat.driven[i];
    return NULL;
}

static bool find_inputs(orr_island *island, orr_diag *diag)
{
    const orr_model *model = island->model;
    orr_island_options *o = &island->options;
    orr_input *driven = ARENA_ARRAY(&island->arena, orr_input, o->n_inputs);
    bool ok = true;
    island->inputs = ARENA_ARRAY(&island->arena, IslandInput, o->n_inputs);
    o->run.inputs = driven;
    for (size_t i = 0; i < o->n_inputs; i++) {
        const char *name = o->inputs[i].variable;
        const FlatDriven *d = driven_of(model, name);
        const size_t variable = d && d->variable != FLAT_NONE ? d->variable : orr_model_find(model, name);
        if (variable == (size_t)-1) {
            ok = report(diag, model, name, "nothing is called that");
            continue;
        }
        const bool is_input = d || model_variable(model, variable).kind == FLAT_INPUT;
        if (!is_input) ok = report(diag, model, name, "only inputs can be external variables");
        if (d && d->degree > 1) ok = report(diag, model, name, "it was compiled to follow samples");
        island->inputs[i] = (IslandInput){ variable, o->inputs[i].is_number, d != NULL };
        if (!d) continue;
        driven[o->run.n_inputs++] =
            (orr_input){ .name = name,
                         .source = "host",
                         .address = "",
                         .patience = INFINITY,
                         .between = d->degree ? ORR_BETWEEN_LINEAR : ORR_BETWEEN_HOLD };
    }
    return ok;
}

static bool find_outputs(orr_island *island, orr_diag *diag)
{
    const orr_island_options *o = &island->options;
    bool ok = true;
    island->outputs = ARENA_ARRAY(&island->arena, size_t, o->n_outputs);
    for (size_t i = 0; i < o->n_outputs; i++) {
        island->outputs[i] = orr_model_find(island->model, o->outputs[i]);
        if (island->outputs[i] == (size_t)-1)
            ok = report(diag, island->model, o->outputs[i], "nothing is called that");
    }
    return ok;
}

// Event ports of the model itself.
static bool find_event_ports(orr_island *island, const char *const *names, size_t n, FlatPortKind kind,
                             uint32_t *ports, orr_diag *diag)
{
    const Flat *flat = &island->model->flat;
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < flat->ports.n &&
               (flat->ports.items[k].kind != kind || strcmp(flat->ports.items[k].name, names[i]) != 0))
            k++;
        ports[i] = k;
        if (k < flat->ports.n) continue;
        ok = report(diag, island->model, names[i],
                    kind == FLAT_PORT_IN ? "it is no event input" : "it is no event output");
    }
    return ok;
}

static bool find_messages(orr_island *island, orr_diag *diag)
{
    const orr_island_options *o = &island->options;
    Arena *arena = &island->arena;
    island->messages = ARENA_ARRAY(arena, uint32_t, o->n_messages);
    island->sends = ARENA_ARRAY(arena, uint32_t, o->n_sends);
    island->send_of = ARENA_ARRAY(arena, uint32_t, island->model->flat.ports.n + 1);
    const bool hears =
        find_event_ports(island, o->messages, o->n_messages, FLAT_PORT_IN, island->messages, diag);
    const bool sends = find_event_ports(island, o->sends, o->n_sends, FLAT_PORT_OUT, island->sends, diag);
    for (uint32_t i = 0; i < o->n_sends; i++) island->send_of[island->sends[i]] = i + 1;
    return hears && sends;
}

static bool find_perturbed(orr_island *island, orr_diag *diag)
{
    const orr_island_options *o = &island->options;
    bool ok = true;
    island->perturbed = ARENA_ARRAY(&island->arena, size_t, o->n_perturbed);
    for (size_t i = 0; i < o->n_perturbed; i++) {
        const size_t v = island->perturbed[i] = orr_model_find(island->model, o->perturbed[i]);
        if (v == (size_t)-1) ok = report(diag, island->model, o->perturbed[i], "nothing is called that");
        else if (model_variable(island->model, v).state == FLAT_NONE)
            ok = report(diag, island->model, o->perturbed[i], "only states are perturbed");
    }
    return ok;
}

static orr_devs_port event_port(const orr_island *island, uint32_t number)
{
    const FlatPort *port = &island->model->flat.ports.items[number];
    return (orr_devs_port){ .name = port->name,
                            .type = port->type,
                            .size = port->n_values * (uint32_t)sizeof(double) };
}

static void make_ports(orr_island *island)
{
    const orr_island_options *o = &island->options;
    const uint32_t n_in = 1 + (uint32_t)(o->n_inputs + o->n_messages + o->n_perturbed);
    const uint32_t n_out = (uint32_t)(o->n_outputs + o->n_sends);
    orr_devs_port *in = ARENA_ARRAY(&island->arena, orr_devs_port, n_in);
    orr_devs_port *out = ARENA_ARRAY(&island->arena, orr_devs_port, n_out);
    in[ISLAND_PERTURB] =
        (orr_devs_port){ .name = "perturb", .type = ORR_PERTURBATION, .size = sizeof(orr_perturbation) };
    for (size_t i = 0; i < o->n_inputs; i++) {
        const bool is_number = o->inputs[i].is_number;
        in[1 + i] = (orr_devs_port){ .name = o->inputs[i].variable,
                                     .type = is_number ? "number" : ORR_SIGNAL,
                                     .size = is_number ? sizeof(double) : island->signal_size };
    }
    for (size_t i = 0; i < o->n_messages; i++)
        in[1 + o->n_inputs + i] = event_port(island, island->messages[i]);
    for (size_t i = 0; i < o->n_perturbed; i++)
        in[1 + o->n_inputs + o->n_messages + i] =
            (orr_devs_port){ .name = o->perturbed[i], .type = "number", .size = sizeof(double) };
    for (size_t i = 0; i < o->n_sends; i++) out[o->n_outputs + i] = event_port(island, island->sends[i]);
    for (size_t i = 0; i < o->n_outputs; i++)
        out[i] = (orr_devs_port){ .name = o->outputs[i], .type = ORR_SIGNAL, .size = island->signal_size };
    island->atomic.inputs = in;
    island->atomic.outputs = out;
    island->atomic.n_inputs = n_in;
    island->atomic.n_outputs = n_out;
    island->atomic.params_size = o->n_params * sizeof(double);
    island->atomic.state_size = sizeof(Component *);
    island->atomic.name = island->model->flat.model;
}

orr_island *orr_island_create(const orr_model *model, const orr_island_options *options, orr_diag *diag)
{
    const orr_island_options defaults = orr_island_options_default();
    orr_island *island = calloc(1, sizeof *island);
    if (!island) arena_no_memory(sizeof *island);
    island->model = model;
    island->atomic = island_functions;
    keep_options(island, options ? options : &defaults);
    const orr_island_options *o = &island->options;
    bool ok = find_inputs(island, diag);
    ok = find_outputs(island, diag) && ok;
    ok = find_messages(island, diag) && ok;
    ok = find_perturbed(island, diag) && ok;
    if (!(o->output_period >= 0) || isinf(o->output_period)) {
        char text[32];
        snprintf(text, sizeof text, "%g", o->output_period);
        diag_report(diag, DIAG_SETTING_VALUE, (Place){ 0 }, "output period", text,
                    "it must be a positive, finite time");
        ok = false;
    }
    if (o->number >= o->n_islands || orr_signal_size(o->n_islands) > ORR_DEVS_MESSAGE_MAX) {
        const size_t most = (ORR_DEVS_MESSAGE_MAX - sizeof(orr_signal)) * 8;
        diag_report(diag, DIAG_MODEL_TOO_LARGE, (Place){ 0 }, (size_t)o->n_islands, "islands", most);
        ok = false;
    }
    if (!ok) return orr_island_destroy(island), NULL;
    island->signal_size = orr_signal_size(o->n_islands);
    island->n_words = o->n_islands > 64 ? (o->n_islands + 63) / 64 : 1;
    make_ports(island);
    return island;
}

void orr_island_destroy(orr_island *island)
{
    if (!island) return;
    arena_free(&island->arena);
    free(island);
}

const orr_atomic *orr_island_type(const orr_island *island) { return &island->atomic; }

// src/devs/build.c: a coupled model as its components and couplings are added.
#include "base/text.h"
#include "devs/devs.h"
#include <stdlib.h>

static const Place no_place = { 0 };

orr_devs *orr_devs_create(orr_diag *diag)
{
    orr_devs *model = calloc(1, sizeof *model);
    if (!model) arena_no_memory(sizeof *model);
    model->diag = diag;
    map_init(&model->gate_numbers, &model->arena);
    vec_push(&model->arena, &model->ports, (DevsPorts){ 0 });
    vec_push(&model->arena, &model->decls, (DevsDecl){ .name = "", .n = 1 });
    model->n_parts = 1;
    return model;
}

void orr_devs_destroy(orr_devs *model)
{
    if (!model) return;
    free(model->couplings);
    free((void *)model->spots);
    free((void *)model->outputs);
    free((void *)model->targets);
    free((void *)model->target_gates);
    free((void *)model->gate_lists);
    arena_free(&model->arena);
    free(model);
}

void orr_devs_set_ports(orr_devs *model, const orr_devs_port *inputs, uint32_t n_inputs,
                        const orr_devs_port *outputs, uint32_t n_outputs)
{
    model->ports.items[0] = (DevsPorts){ inputs, outputs, n_inputs, n_outputs };
}

// ---- Names and numbers

uint32_t devs_decl_of_part(const orr_devs *model, uint32_t part)
{
    // the last one that does not begin behind it
    size_t low = 0;
    size_t high = model->decls.n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (model->decls.items[middle].part <= part) low = middle;
        else high = middle;
    }
    return (uint32_t)low;
}

uint32_t devs_decl_of_component(const orr_devs *model, uint32_t component)
{
    size_t low = 0;
    size_t high = model->n_ranges;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (model->decls.items[model->by_component[middle]].component <= component) low = middle;
        else high = middle;
    }
    return model->by_component[low];
}

DevsPorts devs_ports(const orr_devs *model, uint32_t decl)
{
    const DevsDecl *d = &model->decls.items[decl];
    if (!d->type) return model->ports.items[d->ports];
    return (DevsPorts){ d->type->inputs, d->type->outputs, d->type->n_inputs, d->type->n_outputs };
}

// "[3]", "[2,3]"
static const char *index_text(const DevsDecl *decl, uint32_t index, Arena *arena)
{
    if (!decl->is_array) return "";
    if (decl->n_sizes < 2) return arena_printf(arena, "[%u]", index + 1);
    StrBuf text = { .arena = arena };
    uint32_t stride = decl->n;
    for (uint32_t i = 0; i < decl->n_sizes; i++) {
        stride /= decl->sizes[i];
        str_addf(&text, "%c%u", i ? ',' : '[', index / stride + 1);
        index %= stride;
    }
    str_add_char(&text, ']');
    return str_finish(&text);
}

// Names of nested components are joined from the inside out, so the text is filled from its end.
static const char *full_name(const orr_devs *model, uint32_t decl, uint32_t index, Arena *arena)
{
    if (decl == 0) return "the model";
    size_t length = 0;
    for (uint32_t d = decl; d; d = model->decls.items[d].parent)
        length += strlen(model->decls.items[d].name) + 1;    // and a point, or the end
    const char *last = index_text(&model->decls.items[decl], index, arena);
    length += strlen(last);
    char *text = ARENA_ARRAY(arena, char, length);
    char *p = text + length - 1 - strlen(last);
    memcpy(p, last, strlen(last) + 1);
    for (uint32_t d = decl; d; d = model->decls.items[d].parent) {
        const size_t n = strlen(model->decls.items[d].name);
        p -= n;
        memcpy(p, model->decls.items[d].name, n);
        if (p > text) *--p = '.';
    }
    return text;
}

const char *devs_part_name(const orr_devs *model, uint32_t part, Arena *arena)
{
    const uint32_t decl = devs_decl_of_part(model, part);
    return full_name(model, decl, part - model->decls.items[decl].part, arena);
}

const char *devs_component_name(const orr_devs *model, uint32_t component, Arena *arena)
{
    const uint32_t decl = devs_decl_of_component(model, component);
    return full_name(model, decl, component - model->decls.items[decl].component, arena);
}

uint32_t orr_devs_component(const orr_devs *model, orr_devs_part part)
{
    if (part >= model->n_parts || !model->is_finished) return ORR_DEVS_NONE;
    const DevsDecl *d = &model->decls.items[devs_decl_of_part(model, part)];
    return d->type ? d->component + (part - d->part) : ORR_DEVS_NONE;
}

size_t orr_devs_name(const orr_devs *model, uint32_t component, char *text, size_t size)
{
    Arena work = { 0 };
    const bool known = model->is_finished && component < model->n_components;
    const char *name = known ? devs_component_name(model, component, &work) : "";
    const size_t n = strlen(name);
    if (size > 0) snprintf(text, size, "%s", name);
    arena_free(&work);
    return n;
}

const orr_devs_port *orr_devs_get_port(const orr_devs *model, uint32_t component, int is_input, uint32_t port)
{
    if (component != ORR_DEVS_OUTSIDE && component >= model->n_components) return NULL;
    const DevsPorts ports = component == ORR_DEVS_OUTSIDE
                                ? model->ports.items[0]
                                : devs_ports(model, devs_decl_of_component(model, component));
    if (port >= (is_input ? ports.n_inputs : ports.n_outputs)) return NULL;
    return is_input ? &ports.inputs[port] : &ports.outputs[port];
}

// The component whose actor begins at this word; n_components: the outputs of the model.
static uint32_t component_at(const orr_devs *model, uint32_t word)
{
    uint32_t low = 0;
    uint32_t high = model->n_components + 1;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (model->spots[middle].word <= word) low = middle;
        else high = middle;
    }
    return low;
}

int orr_devs_get_target(const orr_devs *model, uint32_t component, uint32_t port, uint32_t i, uint32_t *to,
                        uint32_t *to_port)
{
    const bool from_outside = component == ORR_DEVS_OUTSIDE;
    if (!orr_devs_get_port(model, component, from_outside, port)) return 0;
    const uint32_t first = from_outside ? model->first_input : model->spots[component].first_output;
    const DevsTarget *end;
    const DevsTarget *target = devs_targets(model, first + port, &end);
    if (i >= (size_t)(end - target)) return 0;
    *to = component_at(model, target[i].word);
    if (*to == model->n_components) *to = ORR_DEVS_OUTSIDE;
    *to_port = target[i].port;
    return 1;
}

// ---- Components

static void bad_part(orr_devs *model, const char *name, const char *why)
{
    diag_report(model->diag, DIAG_PART_BAD, no_place, name, why);
    model->is_bad = true;
}

static orr_devs_part add_part(orr_devs *model, orr_devs_part parent, const char *name, DevsDecl decl)
{
    const uint32_t around = parent < model->n_parts ? devs_decl_of_part(model, parent) : 0;
    if (model->is_finished) bad_part(model, name, "the model is finished");
    else if (parent >= model->n_parts)
        bad_part(model, name, "the component it should be part of does not exist");
    else if (model->decls.items[around].type) bad_part(model, name, "an atomic component has no parts");
    else if (decl.n < 1 || decl.n > DEVS_COMPONENTS_MAX - model->n_parts) {
        diag_report(model->diag, DIAG_MODEL_TOO_LARGE, no_place, (size_t)model->n_parts + decl.n,
                    "components", (size_t)DEVS_COMPONENTS_MAX);
        model->is_bad = true;
    } else {
        decl.name = arena_copy_text(&model->arena, name, strlen(name));
        decl.parent = around;
        decl.part = model->n_parts;
        model->n_parts += decl.n;
        vec_push(&model->arena, &model->decls, decl);
        return decl.part;
    }
    return ORR_DEVS_NONE;
}

static const char *what_is_wrong(const orr_atomic *type)
{
    if (type->version != ORR_DEVS_VERSION) return "its table is of another version of orrery/devs.h";
    if (!type->advance) return "it has no time advance";
    if (type->traits & ~(unsigned)ORR_ATOMIC_ABSOLUTE) return "it has traits that are not known";
    for (uint32_t i = 0; i < type->n_outputs; i++)
        if (type->outputs[i].size > ORR_DEVS_MESSAGE_MAX) return "an output has too large messages";
    if (!type->save != !type->load || (type->save && !type->destroy))
        return "it has one or two of save, load and destroy, but not all";
    if (type->n_outputs > 0 && !type->output) return "it has outputs, but no output function";
    return NULL;
}

static const char bad_name[] = "a name has no point in it and is not empty";
static bool is_good_name(const char *name) { return name[0] && !strchr(name, '.'); }

static orr_devs_part add_atomics(orr_devs *model, orr_devs_part parent, const char *name,
                                 const orr_atomic *type, uint32_t n, bool is_array, const void *params,
                                 size_t stride)
{
    const char *wrong = is_good_name(name) ? what_is_wrong(type) : bad_name;
    if (!wrong && type->params_size > 0 && !params) wrong = "it needs parameters";
    if (wrong) {
        bad_part(model, name, wrong);
        return ORR_DEVS_NONE;
    }
    DevsDecl decl = { .type = type, .n = n, .is_array = is_array, .stride = (uint32_t)stride };
    if (type->params_size > 0 && n > 0) {
        const size_t size = (size_t)(n - 1) * stride + type->params_size;
        void *copy = arena_alloc(&model->arena, (size + 7) / 8, 8);
        memcpy(copy, params, size);
        decl.params = copy;
    }
    return add_part(model, parent, name, decl);
}

orr_devs_part devs_add(orr_devs *model, const char *name, const orr_atomic *type, uint32_t n,
                       const uint32_t *sizes, uint32_t n_sizes)
{
    const char *wrong = what_is_wrong(type);
    const DevsDecl decl = {
        .type = type, .n = n, .is_array = n_sizes > 0, .n_sizes = n_sizes, .sizes = sizes
    };
    if (!wrong) return add_part(model, ORR_DEVS_ROOT, name, decl);
    bad_part(model, name, wrong);
    return ORR_DEVS_NONE;
}

orr_devs_part orr_devs_add(orr_devs *model, orr_devs_part parent, const char *name, const orr_atomic *type,
                           const void *params)
{
    return add_atomics(model, parent, name, type, 1, false, params, 0);
}

orr_devs_part orr_devs_add_array(orr_devs *model, orr_devs_part parent, const char *name,
                                 const orr_atomic *type, uint32_t n, const void *params, size_t stride)
{
    return add_atomics(model, parent, name, type, n, true, params, stride);
}

orr_devs_part orr_devs_add_coupled(orr_devs *model, orr_devs_part parent, const char *name,
                                   const orr_devs_port *inputs, uint32_t n_inputs,
                                   const orr_devs_port *outputs, uint32_t n_outputs)
{
    const DevsDecl decl = { .n = 1, .ports = (uint32_t)model->ports.n };
    if (!is_good_name(name)) {
        bad_part(model, name, bad_name);
        return ORR_DEVS_NONE;
    }
    vec_push(&model->arena, &model->ports, (DevsPorts){ inputs, outputs, n_inputs, n_outputs });
    return add_part(model, parent, name, decl);
}

// ---- Couplings

static bool find_port(orr_devs *model, uint32_t part, const char *name, bool is_input, uint32_t *port)
{
    const DevsPorts ports = devs_ports(model, devs_decl_of_part(model, part));
    const orr_devs_port *list = is_input ? ports.inputs : ports.outputs;
    const uint32_t n = is_input ? ports.n_inputs : ports.n_outputs;
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(list[i].name, name) != 0) continue;
        *port = i;
        return true;
    }
    Arena work = { 0 };
    const char **names = ARENA_ARRAY(&work, const char *, n ? n : 1);
    for (uint32_t i = 0; i < n; i++) names[i] = list[i].name;
    const char *near = text_closest(name, names, n);
    diag_report(model->diag, DIAG_PORT_UNKNOWN, no_place, devs_part_name(model, part, &work),
                is_input ? "input" : "output", name);
    diag_suggest(model->diag, name, near);
    arena_free(&work);
    return false;
}

static const char *kind_of(const orr_devs_port *port, Arena *arena)
{
    return arena_printf(arena, "%s of %u bytes", port->type ? port->type : "messages", port->size);
}

static bool kinds_agree(orr_devs *model, const DevsCoupling *c, const orr_devs_port *from,
                        const orr_devs_port *to)
{
    const char *a = from->type ? from->type : "";
    const char *b = to->type ? to->type : "";
    if (from->size == to->size && strcmp(a, b) == 0) return true;
    Arena work = { 0 };
    diag_report(model->diag, DIAG_PORT_KINDS, no_place, devs_part_name(model, c->from, &work), from->name,
                kind_of(from, &work), devs_part_name(model, c->to, &work), to->name, kind_of(to, &work));
    arena_free(&work);
    return false;
}

orr_devs_coupling orr_devs_couple(orr_devs *model, orr_devs_part from, const char *from_port,
                                  orr_devs_part to, const char *to_port)
{
    if (from >= model->n_parts || to >= model->n_parts || model->is_finished) {
        // a part that could not be added has been reported
        if (from != ORR_DEVS_NONE && to != ORR_DEVS_NONE)
            bad_part(model, from_port, "it should be coupled with what does not exist");
        return ORR_DEVS_NONE;
    }
    const uint32_t a = devs_decl_of_part(model, from);
    const uint32_t b = devs_decl_of_part(model, to);
    const DevsDecl *d = model->decls.items;
    const bool from_is_around = !d[a].type && (a == b || (b != 0 && d[b].parent == a));
    const bool to_is_around = !d[b].type && (a == b || (a != 0 && d[a].parent == b));
    if (!from_is_around && !to_is_around && (a == 0 || b == 0 || d[a].parent != d[b].parent)) {
        Arena work = { 0 };
        diag_report(model->diag, DIAG_COUPLING_SCOPE, no_place, devs_part_name(model, from, &work),
                    devs_part_name(model, to, &work));
        diag_hint(model->diag, "couple brothers, or a component with those directly inside it");
        arena_free(&work);
        model->is_bad = true;
        return ORR_DEVS_NONE;
    }
    DevsCoupling c = { .from = from, .to = to };
    const bool from_known = find_port(model, from, from_port, from_is_around, &c.from_port);
    const bool to_known = find_port(model, to, to_port, !to_is_around, &c.to_port);
    if (from_known && to_known) {
        const DevsPorts p = devs_ports(model, a);
        const DevsPorts q = devs_ports(model, b);
        if (!kinds_agree(model, &c, &(from_is_around ? p.inputs : p.outputs)[c.from_port],
                         &(to_is_around ? q.outputs : q.inputs)[c.to_port]))
            model->is_bad = true;
    } else model->is_bad = true;
    // ends as numbers of ports of the part: inputs first, then outputs
    if (!from_is_around) c.from_port += devs_ports(model, a).n_inputs;
    if (to_is_around) c.to_port += devs_ports(model, b).n_inputs;
    return devs_join(model, c.from, c.from_port, c.to, c.to_port);
}

orr_devs_coupling devs_join(orr_devs *model, orr_devs_part from, uint32_t from_port, orr_devs_part to,
                            uint32_t to_port)
{
    const DevsCoupling c = { .from = from, .to = to, .from_port = from_port, .to_port = to_port };
    if (model->n_couplings == model->couplings_capacity) {
        model->couplings_capacity = vec_next_capacity(model->couplings_capacity, model->n_couplings + 1);
        model->couplings = realloc(model->couplings, model->couplings_capacity * sizeof *model->couplings);
        if (!model->couplings) arena_no_memory(model->couplings_capacity * sizeof *model->couplings);
    }
    model->couplings[model->n_couplings++] = c;
    return (orr_devs_coupling)(model->n_couplings - 1);
}

void orr_devs_set_off(orr_devs *model, orr_devs_part part)
{
    if (part == ORR_DEVS_NONE) return;    // reported
    if (part >= model->n_parts || model->is_finished || part == ORR_DEVS_ROOT)
        bad_part(model, "", "what should begin switched off does not exist, or is the whole model");
    else vec_push(&model->arena, &model->off_parts, part);
}

void orr_devs_set_switched(orr_devs *model, orr_devs_coupling coupling, int is_on)
{
    if (coupling == ORR_DEVS_NONE) return;    // reported
    if (coupling >= model->n_couplings || model->is_finished) {
        bad_part(model, "", "the coupling that should be switched does not exist");
        return;
    }
    DevsCoupling *c = &model->couplings[coupling];
    if (!c->gate) {
        vec_push(&model->arena, &model->gates, (DevsGate){ .coupling = coupling });
        map_put(&model->gate_numbers, coupling, (uint32_t)model->gates.n - 1);
        c->gate = (uint32_t)model->gates.n;
    }
    model->gates.items[c->gate - 1].is_off = !is_on;
}

int orr_devs_finish(orr_devs *model)
{
    if (!model->is_finished && !model->is_bad) model->is_bad = !devs_flatten(model);
    model->is_finished = true;
    free(model->couplings);
    model->couplings = NULL;
    model->n_couplings = model->couplings_capacity = 0;
    return !model->is_bad;
}

// src/devs/flatten.c: from a tree of components to components in the order of names and targets of outputs.
//
// Every port of every component is a node; couplings are edges between nodes. An output of an atomic
// reaches the inputs of atomics at the ends of all paths through ports of coupled components; two paths to
// one input deliver a message twice, as the two couplings say. Names are compared from the root down,
// digits as numbers: the numbers of components, and all that follows, do not depend on the order in which
// they were added.
#include "base/map.h"
#include "base/os.h"
#include "base/text.h"
#include "devs/devs.h"
#include <stdlib.h>

static const Place no_place = { 0 };

// ---- The order of names

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "cpu[2]" before "cpu[10]".
int devs_compare_names(const char *a, const char *b)
{
    const char *const whole_a = a;
    const char *const whole_b = b;
    while (*a && *b) {
        if (!is_digit(*a) || !is_digit(*b)) {
            if (*a != *b) return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
            continue;
        }
        while (*a == '0') a++;
        while (*b == '0') b++;
        size_t n = 0;
        size_t m = 0;
        while (is_digit(a[n])) n++;
        while (is_digit(b[m])) m++;
        if (n != m) return n < m ? -1 : 1;
        const int order = strncmp(a, b, n);
        if (order) return order;
        a += n;
        b += m;
    }
    if (*a || *b) return *a ? 1 : -1;
    return strcmp(whole_a, whole_b);    // they differ by leading zeros at most
}

typedef struct Child {
    const char *name;
    uint32_t decl;
} Child;

static int by_name(const void *a, const void *b)
{
    return devs_compare_names(((const Child *)a)->name, ((const Child *)b)->name);
}

// Children of all coupled components, sorted, in one list; first[d] … first[d+1] are those of decl d.
static bool sort_children(orr_devs *model, Arena *work, uint32_t **first, Child **children)
{
    const size_t n = model->decls.n;
    const DevsDecl *decls = model->decls.items;
    *first = ARENA_ARRAY(work, uint32_t, n + 2);
    *children = ARENA_ARRAY(work, Child, n);
    for (size_t d = 1; d < n; d++) (*first)[decls[d].parent + 2]++;
    for (size_t d = 2; d < n + 2; d++) (*first)[d] += (*first)[d - 1];
    for (size_t d = 1; d < n; d++)
        (*children)[(*first)[decls[d].parent + 1]++] = (Child){ decls[d].name, (uint32_t)d };
    bool ok = true;
    for (size_t d = 0; d < n; d++) {
        Child *list = *children + (*first)[d];
        const size_t m = (*first)[d + 1] - (*first)[d];
        if (m > 1) qsort(list, m, sizeof *list, by_name);
        for (size_t i = 1; i < m; i++) {
            if (strcmp(list[i - 1].name, list[i].name) != 0) continue;
            diag_report(model->diag, DIAG_NAME_TWICE, no_place,
                        devs_part_name(model, decls[list[i].decl].part, work));
            ok = false;
        }
    }
    return ok;
}

static size_t actor_words(const orr_atomic *type) { return (sizeof(DevsActor) + type->state_size + 7) / 8; }

// Number the atomic components, depth first through the sorted children.
static bool number_components(orr_devs *model, Arena *work)
{
    uint32_t *first;
    Child *children;
    if (!sort_children(model, work, &first, &children)) return false;
    DevsDecl *decls = model->decls.items;
    uint32_t n_atomic = 0;
    for (size_t d = 0; d < model->decls.n; d++) n_atomic += decls[d].type != NULL;
    model->by_component = ARENA_ARRAY(&model->arena, uint32_t, n_atomic + 1);

    uint32_t *stack = ARENA_ARRAY(work, uint32_t, model->decls.n + 1);    // next child of each level
    uint32_t *level = ARENA_ARRAY(work, uint32_t, model->decls.n + 1);
    size_t depth = 1;
    size_t words = 0;
    size_t outputs = 0;
    level[0] = 0;
    stack[0] = first[0];
    while (depth > 0) {
        const uint32_t at = stack[depth - 1]++;
        if (at == first[level[depth - 1] + 1]) {
            DevsDecl *around = &decls[level[--depth]];
            around->n_inside = model->n_components - around->component;
            continue;
        }
        const uint32_t d = children[at].decl;
        if (!decls[d].type) {
            decls[d].component = model->n_components;
            level[depth] = d;
            stack[depth++] = first[d];
            continue;
        }
        const orr_atomic *type = decls[d].type;
        decls[d].component = model->n_components;
        model->by_component[model->n_ranges++] = d;
        model->n_components += decls[d].n;
        words += decls[d].n * actor_words(type);
        outputs += (size_t)decls[d].n * type->n_outputs;
        if (words > UINT32_MAX || outputs > DEVS_COUPLINGS_MAX) {
            diag_report(model->diag, DIAG_MODEL_TOO_LARGE, no_place, words, "words of state",
                        (size_t)UINT32_MAX);
            return false;
        }
    }
    model->state_words = words + sizeof(DevsActor) / 8;    // one for the outputs of the model
    model->first_input = (uint32_t)outputs;
    model->n_outputs = model->first_input + model->ports.items[0].n_inputs;
    return true;
}

// Where each component finds its own.
static void make_spots(orr_devs *model)
{
    Map known;
    map_init(&known, &model->arena);
    DevsSpot *spots = os_large_alloc(((size_t)model->n_components + 1) * sizeof *spots);
    DevsRange *ranges = ARENA_ARRAY(&model->arena, DevsRange, model->n_ranges + 1);
    const orr_atomic **types = ARENA_ARRAY(&model->arena, const orr_atomic *, model->n_ranges + 1);
    uint32_t output = 0;
    size_t word = 0;
    for (uint32_t b = 0; b < model->n_ranges; b++) {
        const DevsDecl *d = &model->decls.items[model->by_component[b]];
        map_put(&known, (uint64_t)(uintptr_t)d->type, (uint32_t)known.n);
        const uint32_t type = *map_find(&known, (uint64_t)(uintptr_t)d->type);
        types[type] = d->type;
        ranges[b] = (DevsRange){ d->component, d->n, type };
        if (d->type->destroy) model->has_objects = true;
        for (uint32_t i = 0; i < d->n; i++) {
            spots[d->component + i] = (DevsSpot){ (uint32_t)word, output };
            word += actor_words(d->type);
            output += d->type->n_outputs;
        }
        model->own_words += d->n * (actor_words(d->type) - sizeof(DevsActor) / 8);
    }
    spots[model->n_components] = (DevsSpot){ (uint32_t)word, output };
    model->spots = spots;
    model->ranges = ranges;
    model->types = types;
    model->n_types = (uint32_t)known.n;
}

// Of messages from outside.
static void make_inputs(orr_devs *model)
{
    const DevsPorts *ports = &model->ports.items[0];
    uint32_t *sizes = ARENA_ARRAY(&model->arena, uint32_t, ports->n_inputs + 1);
    for (uint32_t i = 0; i < ports->n_inputs; i++) {
        sizes[i] = ports->inputs[i].size;
        if ((sizes[i] + 7) / 8 > model->input_words) model->input_words = (sizes[i] + 7) / 8;
    }
    model->input_sizes = sizes;
    model->n_gates = (uint32_t)model->gates.n;
}

// ---- Targets

// The graph of ports. Node numbers follow the parts: of each its inputs, then its outputs.
typedef struct Edge {
    uint32_t to;      // node
    uint32_t gate;    // as in DevsCoupling
} Edge;
typedef struct Nodes {
    const orr_devs *model;
    uint32_t *base;     // [n_decls] first node of the first part
    uint32_t *first;    // [n + 1] edges of each node
    Edge *edges;        // by node
    uint32_t n;
} Nodes;

static uint32_t node_of(const Nodes *nodes, uint32_t part, uint32_t port)
{
    const orr_devs *model = nodes->model;
    const uint32_t decl = devs_decl_of_part(model, part);
    const DevsPorts p = devs_ports(model, decl);
    return nodes->base[decl] + (part - model->decls.items[decl].part) * (p.n_inputs + p.n_outputs) + port;
}

// The decl and, of it, the part and port a node belongs to.
static uint32_t decl_of_node(const Nodes *nodes, uint32_t node, uint32_t *index, uint32_t *port)
{
    size_t low = 0;
    size_t high = nodes->model->decls.n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (nodes->base[middle] <= node) low = middle;
        else high = middle;
    }
    // of several that begin here those without ports come first
    const DevsPorts p = devs_ports(nodes->model, (uint32_t)low);
    const uint32_t n_ports = p.n_inputs + p.n_outputs;
    *index = (node - nodes->base[low]) / n_ports;
    *port = (node - nodes->base[low]) % n_ports;
    return (uint32_t)low;
}

static const char *node_name(const Nodes *nodes, uint32_t node, Arena *arena)
{
    uint32_t index, port;
    const uint32_t decl = decl_of_node(nodes, node, &index, &port);
    const DevsPorts p = devs_ports(nodes->model, decl);
    const char *name = port < p.n_inputs ? p.inputs[port].name : p.outputs[port - p.n_inputs].name;
    if (decl == 0) return name;
    return arena_printf(arena, "%s.%s",
                        devs_part_name(nodes->model, nodes->model->decls.items[decl].part + index, arena),
                        name);
}

static bool make_nodes(orr_devs *model, Nodes *nodes, Arena *work)
{
    nodes->model = model;
    nodes->base = ARENA_ARRAY(work, uint32_t, model->decls.n);
    size_t n = 0;
    for (size_t d = 0; d < model->decls.n; d++) {
        const DevsPorts p = devs_ports(model, (uint32_t)d);
        nodes->base[d] = (uint32_t)n;
        n += (size_t)model->decls.items[d].n * ((size_t)p.n_inputs + p.n_outputs);
        if (n > DEVS_COUPLINGS_MAX) {
            diag_report(model->diag, DIAG_MODEL_TOO_LARGE, no_place, n, "ports", (size_t)DEVS_COUPLINGS_MAX);
            return false;
        }
    }
    nodes->n = (uint32_t)n;
    nodes->first = ARENA_ARRAY(work, uint32_t, n + 2);
    nodes->edges = ARENA_ARRAY(work, Edge, model->n_couplings + 1);
    for (size_t i = 0; i < model->n_couplings; i++) {
        DevsCoupling *c = &model->couplings[i];
        // the ends become nodes in place: parts are not needed any more
        c->from = node_of(nodes, c->from, c->from_port);
        c->to = node_of(nodes, c->to, c->to_port);
        nodes->first[c->from + 2]++;
    }
    for (size_t i = 2; i < n + 2; i++) nodes->first[i] += nodes->first[i - 1];
    for (size_t i = 0; i < model->n_couplings; i++)
        nodes->edges[nodes->first[model->couplings[i].from + 1]++] =
            (Edge){ model->couplings[i].to, model->couplings[i].gate };
    return true;
}

static int by_node(const void *a, const void *b)
{
    const uint32_t x = ((const Edge *)a)->to;
    const uint32_t y = ((const Edge *)b)->to;
    return (x > y) - (x < y);
}

// A coupling twice is a mistake: its messages would arrive twice.
static bool check_twice(orr_devs *model, Nodes *nodes, Arena *work)
{
    bool ok = true;
    for (uint32_t i = 0; i < nodes->n; i++) {
        Edge *list = &nodes->edges[nodes->first[i]];
        const size_t n = nodes->first[i + 1] - nodes->first[i];
        if (n > 1) qsort(list, n, sizeof *list, by_node);
        for (size_t k = 1; k < n; k++) {
            if (list[k].to != list[k - 1].to) continue;
            diag_report(model->diag, DIAG_COUPLING_TWICE, no_place, node_name(nodes, i, work),
                        node_name(nodes, list[k].to, work));
            ok = false;
        }
    }
    return ok;
}

static bool check_required(orr_devs *model, const Nodes *nodes, Arena *work)
{
    uint8_t *reached = ARENA_ARRAY(work, uint8_t, nodes->n + 1);
    for (size_t i = 0; i < model->n_couplings; i++) reached[nodes->edges[i].to] = 1;
    bool ok = true;
    for (size_t d = 1; d < model->decls.n; d++) {
        const DevsPorts p = devs_ports(model, (uint32_t)d);
        for (uint32_t port = 0; port < p.n_inputs; port++) {
            if (!p.inputs[port].required) continue;
            for (uint32_t i = 0; i < model->decls.items[d].n; i++) {
                const uint32_t node = nodes->base[d] + i * (p.n_inputs + p.n_outputs) + port;
                if (reached[node]) continue;
                diag_report(model->diag, DIAG_PORT_OPEN, no_place, node_name(nodes, node, work));
                ok = false;
            }
        }
    }
    return ok;
}

// Couplings straight through coupled components may lead round in a circle, on which a message would travel
// for ever. Nodes of coupled components are taken away as long as one has no edge from another: what is
// left has a circle in it.
static bool check_circles(orr_devs *model, const Nodes *nodes, Arena *work)
{
    uint32_t *n_into = ARENA_ARRAY(work, uint32_t, nodes->n + 1);
    uint32_t *todo = ARENA_ARRAY(work, uint32_t, nodes->n + 1);
    for (size_t i = 0; i < model->n_couplings; i++) n_into[nodes->edges[i].to]++;
    uint32_t n_todo = 0;
    uint32_t n_done = 0;
    for (uint32_t i = 0; i < nodes->n; i++)
        if (n_into[i] == 0) todo[n_todo++] = i;
    while (n_done < n_todo) {
        const uint32_t i = todo[n_done++];
        for (uint32_t k = nodes->first[i]; k < nodes->first[i + 1]; k++)
            if (--n_into[nodes->edges[k].to] == 0) todo[n_todo++] = nodes->edges[k].to;
    }
    if (n_done == nodes->n) return true;

    // whoever is left has one left before it: going back often enough ends on the circle
    uint32_t *before = todo;
    uint32_t at = 0;
    for (uint32_t i = 0; i < nodes->n; i++)
        for (uint32_t k = nodes->first[i]; n_into[i] && k < nodes->first[i + 1]; k++)
            if (n_into[nodes->edges[k].to]) before[at = nodes->edges[k].to] = i;
    for (uint32_t i = 0; i < nodes->n; i++) at = before[at];
    diag_report(model->diag, DIAG_COUPLING_CIRCLE, no_place, node_name(nodes, at, work));
    return false;
}

// A target with the gates on the way to it.
typedef struct Reached {
    DevsTarget target;
    uint32_t gates;    // where in Targets.gates they stand: how many, and which; 0: none
} Reached;

static int by_target(const void *a, const void *b)
{
    const Reached *x = a;
    const Reached *y = b;
    if (x->target.word != y->target.word) return x->target.word < y->target.word ? -1 : 1;    // as components
    if (x->target.port != y->target.port) return x->target.port < y->target.port ? -1 : 1;
    return (x->gates > y->gates) - (x->gates < y->gates);
}

typedef struct Targets {
    Reached *items;
    size_t n, capacity;
    uint32_t *gates;
    size_t n_gates, gates_capacity;
} Targets;

static void add_target(Targets *targets, DevsTarget target, uint32_t gates)
{
    if (targets->n == targets->capacity) {
        targets->capacity = vec_next_capacity(targets->capacity, targets->n + 1);
        targets->items = realloc(targets->items, targets->capacity * sizeof *targets->items);
        if (!targets->items) arena_no_memory(targets->capacity * sizeof *targets->items);
    }
    targets->items[targets->n++] = (Reached){ target, gates };
}

// The gates of a way as those of its beginning and one more; 0 stands for none.
static uint32_t add_gate(Targets *targets, uint32_t before, uint32_t gate)
{
    if (!gate) return before;
    const uint32_t n = before ? targets->gates[before] : 0;
    if (targets->n_gates + n + 3 > targets->gates_capacity) {
        targets->gates_capacity = vec_next_capacity(targets->gates_capacity, targets->n_gates + n + 3);
        targets->gates = realloc(targets->gates, targets->gates_capacity * sizeof *targets->gates);
        if (!targets->gates) arena_no_memory(targets->gates_capacity * sizeof *targets->gates);
    }
    if (targets->n_gates == 0) targets->gates[targets->n_gates++] = 0;    // no list begins at 0
    const uint32_t at = (uint32_t)targets->n_gates;
    targets->gates[at] = n + 1;
    for (uint32_t i = 1; i <= n; i++) targets->gates[at + i] = targets->gates[before + i];
    targets->gates[at + n + 1] = gate - 1;
    targets->n_gates += n + 2;
    return at;
}

typedef struct Way {
    uint32_t node, gates;
} Way;

// All ends of paths from `node`; `stack` grows in the arena.
static bool reach(orr_devs *model, const Nodes *nodes, uint32_t node, Targets *targets, Arena *work)
{
    const size_t begin = targets->n;
    VEC(Way) stack = { 0 };
    Way at = { .node = node };
    const ArenaMark mark = arena_mark(work);
    for (bool more = true; more; more = stack.n > 0) {
        if (stack.n > 0) at = vec_pop(&stack);
        for (uint32_t k = nodes->first[at.node]; k < nodes->first[at.node + 1]; k++) {
            const uint32_t to = nodes->edges[k].to;
            const uint32_t gates = add_gate(targets, at.gates, nodes->edges[k].gate);
            uint32_t index, port;
            const uint32_t decl = decl_of_node(nodes, to, &index, &port);
            const DevsDecl *d = &model->decls.items[decl];
            const uint32_t n_inputs = model->ports.items[0].n_inputs;
            const uint32_t outside = model->spots[model->n_components].word;
            if (d->type)
                add_target(targets, (DevsTarget){ model->spots[d->component + index].word, port }, gates);
            else if (decl == 0) add_target(targets, (DevsTarget){ outside, port - n_inputs }, gates);
            else vec_push(work, &stack, (Way){ to, gates });
        }
        if (targets->n > DEVS_COUPLINGS_MAX || targets->n_gates > DEVS_COUPLINGS_MAX) {
            diag_report(model->diag, DIAG_MODEL_TOO_LARGE, no_place, targets->n, "couplings",
                        (size_t)DEVS_COUPLINGS_MAX);
            return false;
        }
    }
    arena_release(work, mark);
    if (targets->n - begin > 1)
        qsort(targets->items + begin, targets->n - begin, sizeof *targets->items, by_target);
    return true;
}

// An output with one target that cannot be switched off needs no list.
static bool find_output(orr_devs *model, const Nodes *nodes, uint32_t node, DevsTarget *output,
                        Targets *targets, Arena *work)
{
    const size_t begin = targets->n;
    if (!reach(model, nodes, node, targets, work)) return false;
    const size_t n = targets->n - begin;
    model->n_reached += n;
    if (n == 1 && !targets->items[begin].gates) *output = targets->items[--targets->n].target;
    else *output = (DevsTarget){ (uint32_t)begin, DEVS_SEVERAL | (uint32_t)n };
    return true;
}

// The lists exactly as large as needed; never nothing, since outputs without targets point into them, too.
static void keep_targets(orr_devs *model, Targets *targets)
{
    DevsTarget *list = malloc((targets->n + 1) * sizeof *list);
    uint32_t *gates = targets->n_gates ? malloc((targets->n + 1) * sizeof *gates) : NULL;
    if (!list || (targets->n_gates && !gates)) arena_no_memory((targets->n + 1) * sizeof *list);
    for (size_t i = 0; i < targets->n; i++) {
        list[i] = targets->items[i].target;
        if (gates) gates[i] = targets->items[i].gates;
    }
    model->n_targets = targets->n;
    model->targets = list;
    model->target_gates = gates;
    model->gate_lists = targets->gates;
    free(targets->items);
}

static bool find_targets(orr_devs *model, const Nodes *nodes, Arena *work)
{
    make_spots(model);
    make_inputs(model);
    Targets targets = { 0 };
    bool ok = true;
    DevsTarget *outputs = os_large_alloc(((size_t)model->n_outputs + 1) * sizeof *outputs), *output = outputs;
    model->outputs = outputs;
    for (uint32_t b = 0; ok && b < model->n_ranges; b++) {
        const DevsDecl *d = &model->decls.items[model->by_component[b]];
        const uint32_t n_ports = d->type->n_inputs + d->type->n_outputs;
        const uint32_t base = nodes->base[model->by_component[b]];
        for (uint32_t i = 0; ok && i < d->n; i++)
            for (uint32_t port = d->type->n_inputs; ok && port < n_ports; port++)
                ok = find_output(model, nodes, base + i * n_ports + port, output++, &targets, work);
    }
    for (uint32_t port = 0; ok && port < model->ports.items[0].n_inputs; port++)
        ok = find_output(model, nodes, port, output++, &targets, work);
    keep_targets(model, &targets);
    return ok;
}

bool devs_flatten(orr_devs *model)
{
    Arena work = { 0 };
    Nodes nodes = { 0 };
    const bool ok = number_components(model, &work) && make_nodes(model, &nodes, &work) &&
                    check_twice(model, &nodes, &work) && check_required(model, &nodes, &work) &&
                    check_circles(model, &nodes, &work) && find_targets(model, &nodes, &work);
    arena_free(&work);
    return ok;
}

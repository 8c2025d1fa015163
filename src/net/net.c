// src/net/net.c: from event ports and arrows to a coupled model of the kernel.
#include "net/net.h"
#include <stdlib.h>
#include <string.h>

// ---- Checks, where lines are known

static int by_ends(const void *a, const void *b)
{
    const FlatCoupling *x = *(const FlatCoupling *const *)a, *y = *(const FlatCoupling *const *)b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    if (x->from_member != y->from_member) return x->from_member < y->from_member ? -1 : 1;
    if (x->to_member != y->to_member) return x->to_member < y->to_member ? -1 : 1;
    return (x > y) - (x < y);    // as written
}

static bool check_twice(const Flat *flat, orr_diag *diag, Arena *work)
{
    const size_t n = flat->couplings.n;
    const FlatCoupling **sorted = ARENA_ARRAY(work, const FlatCoupling *, n + 1);
    for (size_t i = 0; i < n; i++) sorted[i] = &flat->couplings.items[i];
    qsort(sorted, n, sizeof *sorted, by_ends);
    bool ok = true;
    for (size_t i = 1; i < n; i++) {
        const FlatCoupling *a = sorted[i - 1], *b = sorted[i];
        if (a->from != b->from || a->to != b->to || a->from_member != b->from_member ||
            a->to_member != b->to_member)
            continue;
        diag_report(diag, DIAG_COUPLING_TWICE, b->place, flat->ports.items[b->from].name,
                    flat->ports.items[b->to].name);
        diag_note(diag, a->place, "here first");
        ok = false;
    }
    return ok;
}

const char *net_port_name(const Network *net, uint32_t number, uint32_t member, Arena *arena)
{
    const Flat *flat = net->flat;
    const FlatPort *port = &flat->ports.items[number];
    if (port->n == 1) return port->name;
    const FlatPart *part = &flat->parts.items[port->part];
    return arena_printf(arena, "%s%s", flat_member_name(part, member, arena),
                        port->name + strlen(part->name));
}

// An event port of the model itself, not of a component.
static bool is_own(const FlatPort *port)
{
    return port->kind <= FLAT_PORT_OUT && port->part == FLAT_NONE && !strchr(port->name, '.');
}

static bool check_required(const Network *net, orr_diag *diag, Arena *work)
{
    const Flat *flat = net->flat;
    bool *reached = ARENA_ARRAY(work, bool, net->node[flat->ports.n] + 1);
    for (size_t i = 0; i < flat->couplings.n; i++) {
        const FlatCoupling *c = &flat->couplings.items[i];
        reached[net->node[c->to] + c->to_member] = true;
    }
    bool ok = true;
    for (uint32_t i = 0; i < flat->ports.n; i++) {
        const FlatPort *port = &flat->ports.items[i];
        if (net->is_component && is_own(port)) continue;
        for (uint32_t k = 0; port->is_required && k < port->n; k++) {
            if (reached[net->node[i] + k]) continue;
            const char *name = net_port_name(net, i, k, work);
            diag_report(diag, DIAG_PORT_OPEN, port->place, name);
            diag_hint(diag, "lead an arrow to it: … -> %s", name);
            ok = false;
            break;    // the others of an array will be open too
        }
    }
    return ok;
}

// Ports are taken away as long as no arrow comes to one of them: what is left has a circle in it.
static bool check_circles(const Flat *flat, orr_diag *diag, Arena *work)
{
    const size_t n = flat->ports.n, m = flat->couplings.n;
    uint32_t *n_into = ARENA_ARRAY(work, uint32_t, n), *todo = ARENA_ARRAY(work, uint32_t, n);
    uint32_t *first = ARENA_ARRAY(work, uint32_t, n + 2), *edges = ARENA_ARRAY(work, uint32_t, m + 1);
    for (size_t i = 0; i < m; i++) {
        n_into[flat->couplings.items[i].to]++;
        first[flat->couplings.items[i].from + 2]++;
    }
    for (size_t i = 2; i < n + 2; i++) first[i] += first[i - 1];
    for (size_t i = 0; i < m; i++)
        edges[first[flat->couplings.items[i].from + 1]++] = flat->couplings.items[i].to;
    size_t n_todo = 0, n_done = 0;
    for (uint32_t i = 0; i < n; i++)
        if (n_into[i] == 0) todo[n_todo++] = i;
    while (n_done < n_todo) {
        const uint32_t i = todo[n_done++];
        for (uint32_t k = first[i]; k < first[i + 1]; k++)
            if (--n_into[edges[k]] == 0) todo[n_todo++] = edges[k];
    }
    for (size_t i = 0; n_done < n && i < m; i++) {
        const FlatCoupling *c = &flat->couplings.items[i];
        if (n_into[c->from] == 0 || n_into[c->to] == 0) continue;
        diag_report(diag, DIAG_COUPLING_CIRCLE, c->place, flat->ports.items[c->from].name);
        diag_hint(diag, "remove one of these arrows, or let a model act on the messages and send others");
        return false;
    }
    return true;
}

// P-DEVS excludes couplings of a component with itself. The kernel can deliver such a message, at the same
// instant, so it is allowed, but hardly ever meant.
static void warn_of_self_couplings(const Network *net, orr_diag *diag, Arena *work)
{
    const Flat *flat = net->flat;
    for (size_t i = 0; i < flat->couplings.n; i++) {
        const FlatCoupling *c = &flat->couplings.items[i];
        const FlatPort *from = &flat->ports.items[c->from], *to = &flat->ports.items[c->to];
        if (from->part == FLAT_NONE || from->part != to->part) continue;
        if (from->member + c->from_member != to->member + c->to_member) continue;
        diag_report(diag, DIAG_SELF_COUPLING, c->place, net_port_name(net, c->from, c->from_member, work),
                    net_port_name(net, c->to, c->to_member, work));
        diag_hint(diag, "a component changes its own state in its transitions, without a message");
    }
}

// ---- Building

static orr_devs_port kernel_port(const FlatPort *port)
{
    return (orr_devs_port){ .name = port->name,
                            .type = port->type,
                            .size = port->n_values * (uint32_t)sizeof(double) };
}

// An `on` of higher priority first.
static void find_events(Network *net, Arena *arena)
{
    const Flat *flat = net->flat;
    const size_t n = flat->ports.n;
    net->first_on = ARENA_ARRAY(arena, uint32_t, n + 2);
    uint32_t n_on = 0;
    for (size_t i = 0; i < flat->events.n; i++) {
        if (flat->events.items[i].kind != FLAT_ON) continue;
        net->first_on[flat->events.items[i].port + 2]++;
        n_on++;
    }
    for (size_t i = 2; i < n + 2; i++) net->first_on[i] += net->first_on[i - 1];
    net->on = ARENA_ARRAY(arena, uint32_t, n_on + 1);
    for (size_t i = 0; i < flat->events.n; i++) {
        const FlatEvent *event = &flat->events.items[i];
        if (event->kind != FLAT_ON) continue;
        const uint32_t begin = net->first_on[event->port];
        uint32_t k = net->first_on[event->port + 1]++;
        for (; k > begin && flat->events.items[net->on[k - 1]].priority < event->priority; k--)
            net->on[k] = net->on[k - 1];
        net->on[k] = (uint32_t)i;
    }
}

static int by_name(const void *a, const void *b)
{
    const FlatPort *x = *(const FlatPort *const *)a, *y = *(const FlatPort *const *)b;
    const int order = devs_compare_names(x->name, y->name);
    return order ? order : (x > y) - (x < y);
}

static void find_inputs(Network *net, Arena *arena)
{
    const Flat *flat = net->flat;
    const uint32_t n = (uint32_t)flat->ports.n;
    net->input = ARENA_ARRAY(arena, uint32_t, n);
    net->entry = ARENA_ARRAY(arena, uint32_t, n);
    net->inputs = ARENA_ARRAY(arena, orr_devs_port, 2 * n);
    for (uint32_t i = 0; i < n; i++) net->input[i] = net->entry[i] = FLAT_NONE;
    // in the order of names, in which messages of one bag are sent
    const FlatPort **senders = ARENA_ARRAY(arena, const FlatPort *, n + 1);
    for (size_t i = 0; i < flat->sends.n; i++) {
        const uint32_t port = flat->sends.items[i].port;
        if (net->input[port] != FLAT_NONE) continue;
        net->input[port] = 0;
        senders[net->n_inputs++] = &flat->ports.items[port];
    }
    qsort(senders, net->n_inputs, sizeof *senders, by_name);
    for (uint32_t i = 0; i < net->n_inputs; i++) {
        net->input[senders[i] - flat->ports.items] = i;
        net->inputs[i] = kernel_port(senders[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        const FlatPort *port = &flat->ports.items[i];
        if (!is_own(port) || port->kind != FLAT_PORT_IN) continue;
        net->entry[i] = net->n_inputs;
        net->inputs[net->n_inputs++] = kernel_port(port);
    }
}

static void find_outputs(Network *net, Arena *arena)
{
    const Flat *flat = net->flat;
    const uint32_t n = (uint32_t)flat->ports.n;
    net->arrives = ARENA_ARRAY(arena, uint32_t, n);
    net->outputs = ARENA_ARRAY(arena, orr_devs_port, n + net->guests.n_outputs);
    net->points = ARENA_ARRAY(arena, orr_devs_port, n);
    net->is_outlet = ARENA_ARRAY(arena, bool, n);
    for (uint32_t i = 0; i < n; i++) {
        const FlatPort *port = &flat->ports.items[i];
        net->points[i] = kernel_port(port);
        net->is_outlet[i] = is_own(port) && port->kind == FLAT_PORT_OUT;
        net->reaches |= port->is_heard;
        if (!port->is_heard && !net->is_outlet[i]) continue;
        net->arrives[net->n_outputs] = i;
        net->outputs[net->n_outputs++] = kernel_port(port);
    }
}

static void add_guests(Network *net, const NetGuests *guests, Arena *arena)
{
    net->guest_port = ARENA_ARRAY(arena, uint32_t, net->flat->ports.n);
    if (guests) net->guests = *guests;
    NetGuests *g = &net->guests;
    g->by_component = ARENA_ARRAY(arena, uint32_t, g->n);
    for (uint32_t i = 0; i < g->n_ports; i++) net->guest_port[g->ports[i].port] = i + 1;
    find_outputs(net, arena);
    net->first_guest_input = net->n_inputs;
    net->first_guest_output = net->n_outputs;
    orr_devs_port *inputs = ARENA_ARRAY(arena, orr_devs_port, net->n_inputs + g->n_inputs);
    for (uint32_t i = 0; i < net->n_inputs; i++) inputs[i] = net->inputs[i];
    net->inputs = inputs;
    for (uint32_t i = 0; i < g->n_inputs; i++) net->inputs[net->n_inputs++] = g->inputs[i];
    for (uint32_t i = 0; i < g->n_outputs; i++) net->outputs[net->n_outputs++] = g->outputs[i];
    net->reaches |= g->n_outputs > 0;
}

// Where a coupling ends, as the kernel has it.
static orr_devs_coupling join(const Network *net, orr_devs_part hub, const FlatCoupling *c)
{
    const Flat *flat = net->flat;
    const FlatPort *ports[2] = { &flat->ports.items[c->from], &flat->ports.items[c->to] };
    const uint32_t members[2] = { c->from_member, c->to_member }, numbers[2] = { c->from, c->to };
    orr_devs_part parts[2];
    uint32_t slots[2];
    for (int i = 0; i < 2; i++) {
        const bool is_atomic = ports[i]->part != FLAT_NONE;
        parts[i] = is_atomic ? net->parts[ports[i]->part].part + ports[i]->member + members[i] : hub;
        slots[i] = is_atomic ? ports[i]->slot : numbers[i];
    }
    return devs_join(net->devs, parts[0], slots[0], parts[1], slots[1]);
}

// What comes to an event port of a guest goes on to the guest, and what it sends comes from there.
static void join_guests(const Network *net, orr_devs_part hub)
{
    const NetGuests *g = &net->guests;
    for (uint32_t i = 0; i < g->n_ports; i++) {
        const NetGuestPort *p = &g->ports[i];
        const NetGuest *guest = &g->items[p->guest];
        if (p->slot < guest->type->n_inputs) devs_join(net->devs, hub, p->port, guest->part, p->slot);
        else devs_join(net->devs, guest->part, p->slot, hub, p->port);
    }
    for (uint32_t i = 0; i < g->n_lines; i++) {
        const NetLine *line = &g->lines[i];
        const bool enters = line->from == NET_OUTSIDE, leaves = line->to == NET_OUTSIDE;
        devs_join(net->devs, enters ? ORR_DEVS_ROOT : g->items[line->from].part,
                  enters ? net->first_guest_input + line->from_slot : line->from_slot,
                  leaves ? ORR_DEVS_ROOT : g->items[line->to].part,
                  leaves ? net->n_inputs + net->first_guest_output + line->to_slot : line->to_slot);
    }
}

static int by_component(const void *a, const void *b, void *context)
{
    const NetPart *parts = context;
    const NetPart *x = &parts[*(const uint32_t *)a], *y = &parts[*(const uint32_t *)b];
    return (x->component > y->component) - (x->component < y->component);
}

static int by_guest_component(const void *a, const void *b, void *context)
{
    const NetGuest *guests = context;
    const NetGuest *x = &guests[*(const uint32_t *)a], *y = &guests[*(const uint32_t *)b];
    return (x->component > y->component) - (x->component < y->component);
}

bool net_finish(Network *net, const NetGuests *guests, Arena *arena, orr_diag *diag)
{
    const Flat *flat = net->flat;
    add_guests(net, guests, arena);
    orr_devs *devs = net->devs = orr_devs_create(diag);
    orr_devs_set_ports(devs, net->inputs, net->n_inputs, net->outputs, net->n_outputs);
    for (size_t i = 0; i < flat->parts.n; i++) {
        const FlatPart *part = net->parts[i].flat;
        net->parts[i].part = devs_add(devs, part->name, &net->parts[i].kind->table, part->n, part->sizes,
                                      part->n_sizes);
    }
    NetGuests *g = &net->guests;
    for (uint32_t i = 0; i < g->n; i++)
        g->items[i].part = devs_add(devs, g->items[i].name, g->items[i].type, 1, NULL, 0);
    const orr_devs_part hub = orr_devs_add_coupled(devs, ORR_DEVS_ROOT, "event ports", net->points,
                                                   (uint32_t)flat->ports.n, NULL, 0);
    for (uint32_t i = 0; i < flat->ports.n; i++) {
        if (net->input[i] != FLAT_NONE) devs_join(devs, ORR_DEVS_ROOT, net->input[i], hub, i);
        if (net->entry[i] != FLAT_NONE) devs_join(devs, ORR_DEVS_ROOT, net->entry[i], hub, i);
    }
    for (uint32_t i = 0; i < net->first_guest_output; i++)
        devs_join(devs, hub, net->arrives[i], ORR_DEVS_ROOT, net->n_inputs + i);
    join_guests(net, hub);
    size_t next = 0;    // switches of couplings stand in their order
    for (size_t i = 0; i < flat->couplings.n; i++) {
        const orr_devs_coupling coupling = join(net, hub, &flat->couplings.items[i]);
        while (next < flat->switches.n && flat->switches.items[next].coupling == FLAT_NONE) next++;
        if (next == flat->switches.n || flat->switches.items[next].coupling != i) continue;
        orr_devs_set_switched(devs, coupling, 1);
        net->switched[next++] = coupling;
    }
    if (!orr_devs_finish(devs)) return false;
    for (size_t i = 0; i < flat->parts.n; i++)
        net->parts[i].component = orr_devs_component(devs, net->parts[i].part);
    qsort_r(net->by_component, flat->parts.n, sizeof *net->by_component, by_component, net->parts);
    for (uint32_t i = 0; i < g->n; i++) {
        g->items[i].component = orr_devs_component(devs, g->items[i].part);
        g->by_component[i] = i;
    }
    qsort_r(g->by_component, g->n, sizeof *g->by_component, by_guest_component, g->items);
    return true;
}

static void find_parts(Network *net, const AtomicSet *atomics, Arena *arena)
{
    const Flat *flat = net->flat;
    net->parts = ARENA_ARRAY(arena, NetPart, flat->parts.n);
    net->by_component = ARENA_ARRAY(arena, uint32_t, flat->parts.n);
    text_map_init(&net->part_names, arena);
    for (size_t i = 0; i < flat->parts.n; i++) {
        const FlatPart *part = &flat->parts.items[i];
        net->parts[i] = (NetPart){ .flat = part,
                                   .kind = &atomics->kinds[part->kind],
                                   .first_variable = net->n_variables };
        net->by_component[i] = (uint32_t)i;
        net->n_variables += (size_t)part->n * net->parts[i].kind->n_readables;
        text_map_put(&net->part_names, text_from(part->name), (uint32_t)i);
    }
}

Network *net_build(const Flat *flat, const AtomicSet *atomics, bool is_component, Arena *arena,
                   orr_diag *diag)
{
    Network *net = ARENA_NEW(arena, Network);
    net->flat = flat;
    net->is_component = is_component;
    net->node = ARENA_ARRAY(arena, size_t, flat->ports.n + 1);
    for (size_t i = 0; i < flat->ports.n; i++) net->node[i + 1] = net->node[i] + flat->ports.items[i].n;
    Arena work = { 0 };
    const bool is_single = check_twice(flat, diag, &work), is_complete = check_required(net, diag, &work);
    const bool is_right = is_single && is_complete && check_circles(flat, diag, &work);
    warn_of_self_couplings(net, diag, &work);
    arena_free(&work);
    if (!is_right) return NULL;
    find_inputs(net, arena);
    find_events(net, arena);
    net->switched = ARENA_ARRAY(arena, orr_devs_coupling, flat->switches.n);
    find_parts(net, atomics, arena);
    return net;
}

void net_destroy(Network *net)
{
    if (net) orr_devs_destroy(net->devs);
}

// ---- What components show

bool net_read_indices(const FlatPart *part, Text indices, uint32_t *member)
{
    *member = 0;
    const char *p = indices.p, *end = indices.p + indices.n;
    for (uint32_t i = 0; i < part->n_sizes; i++) {
        if (p == end || *p++ != (i ? ',' : '[')) return false;
        uint64_t index = 0;
        const char *digits = p;
        while (p < end && *p >= '0' && *p <= '9' && index < UINT32_MAX)
            index = 10 * index + (uint64_t)(*p++ - '0');
        if (p == digits || index < 1 || index > part->sizes[i]) return false;
        *member = *member * part->sizes[i] + (uint32_t)(index - 1);
    }
    if (part->n_sizes > 0 && (p == end || *p++ != ']')) return false;
    return p == end;
}

size_t net_find(const Network *net, const char *name)
{
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        const char *bracket = dot;
        if (dot[-1] == ']')
            while (bracket > name && *bracket != '[') bracket--;
        const uint32_t *found = text_map_find(&net->part_names, (Text){ name, (size_t)(bracket - name) });
        uint32_t member;
        if (!found ||
            !net_read_indices(net->parts[*found].flat, (Text){ bracket, (size_t)(dot - bracket) }, &member))
            continue;
        const NetPart *part = &net->parts[*found];
        for (uint32_t i = 0; i < part->kind->n_readables; i++)
            if (strcmp(part->kind->readables[i].name, dot + 1) == 0)
                return part->first_variable + (size_t)member * part->kind->n_readables + i;
    }
    return net->n_variables;
}

const NetPart *net_variable(const Network *net, size_t variable, uint32_t *member,
                            const AtomicReadable **what)
{
    size_t low = 0, high = net->flat->parts.n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (net->parts[middle].first_variable <= variable) low = middle;
        else high = middle;
    }
    const NetPart *part = &net->parts[low];
    const size_t offset = variable - part->first_variable;
    *member = (uint32_t)(offset / part->kind->n_readables);
    *what = &part->kind->readables[offset % part->kind->n_readables];
    return part;
}

const NetPart *net_part_of(const Network *net, uint32_t component)
{
    size_t low = 0, high = net->flat->parts.n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (net->parts[net->by_component[middle]].component <= component) low = middle;
        else high = middle;
    }
    return &net->parts[net->by_component[low]];
}

uint32_t net_guest_of(const Network *net, uint32_t component)
{
    const NetGuests *g = &net->guests;
    uint32_t low = 0, high = g->n;
    if (g->n == 0) return FLAT_NONE;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (g->items[g->by_component[middle]].component <= component) low = middle;
        else high = middle;
    }
    const uint32_t guest = g->by_component[low];
    return g->items[guest].component == component ? guest : FLAT_NONE;
}

// ---- Printing

static void print_part(const Flat *flat, const FlatPart *part, FILE *out)
{
    fprintf(out, "atomic %s", part->name);
    for (uint32_t i = 0; i < part->n_sizes; i++)
        fprintf(out, "%c%u%s", i ? ',' : '[', part->sizes[i], i + 1 < part->n_sizes ? "" : "]");
    fprintf(out, " : %s", part->type);
    for (uint32_t k = 0; k < part->n_params; k++)
        fprintf(out, "%s%s", k ? ", " : ", parameters ",
                strrchr(flat->vars.items[part->params ? part->params[k] : part->first_param + k].name, '.') +
                    1);
    uint32_t n_differ = 0;
    for (uint32_t k = 0; part->params && k < part->n_params; k++) n_differ += part->params_differ[k];
    if (part->is_shared && part->n_params > n_differ)
        fputs(n_differ ? ", those that do not differ of all together" : " of all together", out);
    fputc('\n', out);
}

void net_print(const Network *net, FILE *out)
{
    static const char *const words[] = { "input", "output", "held by", "counted by", "perturbs" };
    const Flat *flat = net->flat;
    for (size_t i = 0; i < flat->parts.n; i++) print_part(flat, &flat->parts.items[i], out);
    for (size_t i = 0; i < flat->islands.n; i++)
        fprintf(out, "island %s : %s\n", flat->islands.items[i].name,
                flat->islands.items[i].item->component.model);
    for (size_t i = 0; i < flat->ports.n; i++) {
        const FlatPort *port = &flat->ports.items[i];
        fprintf(out, "%s %s : %s", words[port->kind], port->name, port->type);
        if (port->is_required) fputs(" required", out);
        if (port->part != FLAT_NONE) fputs(port->n > 1 ? ", of each atomic" : ", of an atomic", out);
        if (port->is_island) fputs(", of an island", out);
        const uint32_t n_on = net->first_on[i + 1] - net->first_on[i];
        if (n_on > 0) fprintf(out, ", on it %u event%s", n_on, n_on > 1 ? "s" : "");
        if (net->input[i] != FLAT_NONE) fputs(", sent to by events", out);
        fputc('\n', out);
    }
    Arena work = { 0 };
    for (size_t i = 0; i < flat->couplings.n; i++) {
        const FlatCoupling *c = &flat->couplings.items[i];
        const ArenaMark mark = arena_mark(&work);
        fprintf(out, "%s -> %s\n", net_port_name(net, c->from, c->from_member, &work),
                net_port_name(net, c->to, c->to_member, &work));
        arena_release(&work, mark);
    }
    arena_free(&work);
}

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
        if (a->from != b->from || a->to != b->to) continue;
        diag_report(diag, DIAG_COUPLING_TWICE, b->place, flat->ports.items[b->from].name, flat->ports.items[b->to].name);
        diag_note(diag, a->place, "here first");
        ok = false;
    }
    return ok;
}

static bool check_required(const Flat *flat, orr_diag *diag, Arena *work)
{
    bool *reached = ARENA_ARRAY(work, bool, flat->ports.n);
    for (size_t i = 0; i < flat->couplings.n; i++) reached[flat->couplings.items[i].to] = true;
    bool ok = true;
    for (size_t i = 0; i < flat->ports.n; i++) {
        const FlatPort *port = &flat->ports.items[i];
        if (!port->is_required || reached[i]) continue;
        diag_report(diag, DIAG_PORT_OPEN, port->place, port->name);
        diag_hint(diag, "lead an arrow to it: … -> %s", port->name);
        ok = false;
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
    for (size_t i = 0; i < m; i++) edges[first[flat->couplings.items[i].from + 1]++] = flat->couplings.items[i].to;
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

// ---- Building

static orr_devs_port kernel_port(const FlatPort *port)
{
    return (orr_devs_port){ .name = port->name, .type = port->type, .size = port->n_values * (uint32_t)sizeof(double) };
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
        for (; k > begin && flat->events.items[net->on[k - 1]].priority < event->priority; k--) net->on[k] = net->on[k - 1];
        net->on[k] = (uint32_t)i;
    }
}

static void find_kernel_ports(Network *net, Arena *arena)
{
    const Flat *flat = net->flat;
    const uint32_t n = (uint32_t)flat->ports.n;
    net->input = ARENA_ARRAY(arena, uint32_t, n);
    net->arrives = ARENA_ARRAY(arena, uint32_t, n);
    net->inputs = ARENA_ARRAY(arena, orr_devs_port, n);
    net->outputs = ARENA_ARRAY(arena, orr_devs_port, n);
    net->points = ARENA_ARRAY(arena, orr_devs_port, n);
    for (uint32_t i = 0; i < n; i++) {
        const FlatPort *port = &flat->ports.items[i];
        net->input[i] = FLAT_NONE;
        net->points[i] = kernel_port(port);
        if (!port->is_heard) continue;
        net->arrives[net->n_outputs] = i;
        net->outputs[net->n_outputs++] = kernel_port(port);
    }
    for (size_t i = 0; i < flat->sends.n; i++) {
        const uint32_t port = flat->sends.items[i].port;
        if (net->input[port] != FLAT_NONE) continue;
        net->input[port] = net->n_inputs;
        net->inputs[net->n_inputs++] = kernel_port(&flat->ports.items[port]);
    }
}

static bool build_kernel(Network *net, orr_diag *diag)
{
    const Flat *flat = net->flat;
    orr_devs *devs = net->devs = orr_devs_create(diag);
    orr_devs_set_ports(devs, net->inputs, net->n_inputs, net->outputs, net->n_outputs);
    const orr_devs_part hub =
        orr_devs_add_coupled(devs, ORR_DEVS_ROOT, "ports", net->points, (uint32_t)flat->ports.n, NULL, 0);
    for (uint32_t i = 0; i < flat->ports.n; i++)
        if (net->input[i] != FLAT_NONE) devs_join(devs, ORR_DEVS_ROOT, net->input[i], hub, i);
    for (uint32_t i = 0; i < net->n_outputs; i++)
        devs_join(devs, hub, net->arrives[i], ORR_DEVS_ROOT, net->n_inputs + i);
    for (size_t i = 0; i < flat->couplings.n; i++)
        devs_join(devs, hub, flat->couplings.items[i].from, hub, flat->couplings.items[i].to);
    return orr_devs_finish(devs);
}

Network *net_build(const Flat *flat, Arena *arena, orr_diag *diag)
{
    Arena work = { 0 };
    const bool is_right = check_twice(flat, diag, &work) & check_required(flat, diag, &work) &&
                          check_circles(flat, diag, &work);
    arena_free(&work);
    if (!is_right) return NULL;
    Network *net = ARENA_NEW(arena, Network);
    net->flat = flat;
    find_kernel_ports(net, arena);
    find_events(net, arena);
    net->reaches = net->n_outputs > 0;
    if (build_kernel(net, diag)) return net;
    net_destroy(net);
    return NULL;
}

void net_destroy(Network *net)
{
    if (net) orr_devs_destroy(net->devs);
}

// ---- Printing

void net_print(const Network *net, FILE *out)
{
    static const char *const words[] = { "input", "output", "held by", "counted by" };
    const Flat *flat = net->flat;
    for (size_t i = 0; i < flat->ports.n; i++) {
        const FlatPort *port = &flat->ports.items[i];
        fprintf(out, "%s %s : %s", words[port->kind], port->name, port->type);
        if (port->is_required) fputs(" required", out);
        const uint32_t n_on = net->first_on[i + 1] - net->first_on[i];
        if (n_on > 0) fprintf(out, ", on it %u event%s", n_on, n_on > 1 ? "s" : "");
        if (net->input[i] != FLAT_NONE) fputs(", sent to by events", out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < flat->couplings.n; i++)
        fprintf(out, "%s -> %s\n", flat->ports.items[flat->couplings.items[i].from].name,
                flat->ports.items[flat->couplings.items[i].to].name);
}

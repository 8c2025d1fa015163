// src/net/tap.c: from the name of an event port to those whose messages pass it.
//
// The kernel leads each message straight to where it ends and tells only who sent it. So whose messages pass
// a port is found once, against the arrows.
#include "net/net.h"
#include <string.h>

// ---- Names

void net_ports_by_name(const Network *net, TextMap *map, Arena *arena)
{
    const Flat *flat = net->flat;
    text_map_init(map, arena);
    for (uint32_t i = 0; i < flat->ports.n; i++)
        if (flat->ports.items[i].kind <= FLAT_PORT_OUT)
            text_map_put(map, text_from(flat->ports.items[i].name), i);
}

bool net_find_port(const Network *net, const TextMap *map, const char *name, NetSpot *spot, Arena *arena)
{
    const uint32_t *found = text_map_find(map, text_from(name));
    if (found && net->flat->ports.items[*found].n == 1) {
        *spot = (NetSpot){ *found, 0 };
        return true;
    }
    // large arrays have one entry for all: "cell[3,4].fire" is kept as "cell.fire"
    const char *dot = strrchr(name, '.'), *bracket = dot;
    if (!dot || dot == name || dot[-1] != ']') return false;
    while (bracket > name && *bracket != '[') bracket--;
    const char *plain = arena_printf(arena, "%.*s%s", (int)(bracket - name), name, dot);
    found = text_map_find(map, text_from(plain));
    if (!found || net->flat->ports.items[*found].n == 1) return false;
    const FlatPort *port = &net->flat->ports.items[*found];
    spot->port = *found;
    return net_read_indices(&net->flat->parts.items[port->part], (Text){ bracket, (size_t)(dot - bracket) },
                            &spot->member);
}

// ---- Sources

typedef struct Walk {
    const Network *net;
    size_t   *first;       // [n nodes + 1] where the arrows to a node begin
    uint32_t *into;        // [couplings]
    bool     *switched;    // [couplings]
    uint32_t *waits;       // [n nodes] arrows from it to those that were found, not yet followed
    uint64_t *ways;        // [n nodes] from it to the port
} Walk;

static size_t from_node(const Walk *w, uint32_t coupling)
{
    const FlatCoupling *c = &w->net->flat->couplings.items[coupling];
    return w->net->node[c->from] + c->from_member;
}

static void sort_arrows(Walk *w, size_t n_nodes, Arena *work)
{
    const Flat *flat = w->net->flat;
    w->first = ARENA_ARRAY(work, size_t, n_nodes + 2);
    w->into = ARENA_ARRAY(work, uint32_t, flat->couplings.n + 1);
    w->switched = ARENA_ARRAY(work, bool, flat->couplings.n + 1);
    for (size_t i = 0; i < flat->couplings.n; i++) {
        const FlatCoupling *c = &flat->couplings.items[i];
        w->first[w->net->node[c->to] + c->to_member + 2]++;
    }
    for (size_t i = 2; i < n_nodes + 2; i++) w->first[i] += w->first[i - 1];
    for (uint32_t i = 0; i < flat->couplings.n; i++) {
        const FlatCoupling *c = &flat->couplings.items[i];
        w->into[w->first[w->net->node[c->to] + c->to_member + 1]++] = i;
    }
    for (size_t i = 0; i < flat->switches.n; i++)
        if (flat->switches.items[i].coupling != FLAT_NONE)
            w->switched[flat->switches.items[i].coupling] = true;
}

static NetSpot spot_of(const Network *net, size_t node)
{
    size_t low = 0, high = net->flat->ports.n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (net->node[middle] <= node) low = middle;
        else high = middle;
    }
    return (NetSpot){ (uint32_t)low, (uint32_t)(node - net->node[low]) };
}

static void add_source(const Network *net, NetSpot spot, uint64_t ways, NetSources *sources, Arena *arena)
{
    const FlatPort *port = &net->flat->ports.items[spot.port];
    if (port->part != FLAT_NONE && port->kind == FLAT_PORT_OUT) {
        const NetPart *part = &net->parts[port->part];
        const NetSource source = { part->component + port->member + spot.member,
                                   port->slot - part->kind->n_inputs, ways };
        vec_push(arena, sources, source);
    } else if (net->guest_port[spot.port] && port->kind == FLAT_PORT_OUT) {
        const NetGuestPort *p = &net->guests.ports[net->guest_port[spot.port] - 1];
        const NetGuest *guest = &net->guests.items[p->guest];
        const NetSource source = { guest->component, p->slot - guest->type->n_inputs, ways };
        vec_push(arena, sources, source);
    } else if (net->input[spot.port] != FLAT_NONE) {
        const NetSource source = { ORR_DEVS_OUTSIDE, net->input[spot.port], ways };
        vec_push(arena, sources, source);
    }
}

static bool is_switched(const Network *net, NetSpot spot)
{
    const FlatPort *port = &net->flat->ports.items[spot.port];
    if (port->part == FLAT_NONE || port->kind == FLAT_PORT_OUT) return false;
    for (size_t i = 0; i < net->flat->switches.n; i++) {
        const FlatSwitch *s = &net->flat->switches.items[i];
        if (s->coupling == FLAT_NONE && s->part == port->part && s->member == port->member + spot.member)
            return true;
    }
    return false;
}

bool net_sources(const Network *net, NetSpot spot, NetSources *sources, Arena *arena)
{
    const size_t n_nodes = net->node[net->flat->ports.n];
    Arena work = { 0 };
    Walk w = { .net = net };
    sort_arrows(&w, n_nodes, &work);
    w.waits = ARENA_ARRAY(&work, uint32_t, n_nodes);
    w.ways = ARENA_ARRAY(&work, uint64_t, n_nodes);
    bool *seen = ARENA_ARRAY(&work, bool, n_nodes), ok = !is_switched(net, spot);
    size_t *todo = ARENA_ARRAY(&work, size_t, n_nodes), n_todo = 0;
    const size_t goal = net->node[spot.port] + spot.member;
    todo[n_todo++] = goal;
    seen[goal] = true;
    for (size_t k = 0; k < n_todo; k++)
        for (size_t i = w.first[todo[k]]; i < w.first[todo[k] + 1]; i++) {
            const size_t from = from_node(&w, w.into[i]);
            ok = ok && !w.switched[w.into[i]];
            w.waits[from]++;
            if (!seen[from]) todo[n_todo++] = from;
            seen[from] = true;
        }
    // there are no circles: what is led on is taken once all that it leads to has been
    n_todo = 0;
    todo[n_todo++] = goal;
    w.ways[goal] = 1;
    for (size_t k = 0; k < n_todo && ok; k++) {
        add_source(net, spot_of(net, todo[k]), w.ways[todo[k]], sources, arena);
        for (size_t i = w.first[todo[k]]; i < w.first[todo[k] + 1]; i++) {
            const size_t from = from_node(&w, w.into[i]);
            w.ways[from] += w.ways[todo[k]];
            if (--w.waits[from] == 0) todo[n_todo++] = from;
        }
    }
    arena_free(&work);
    return ok;
}

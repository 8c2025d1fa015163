// src/machine/learn.c: the smallest machines that agree with observations.
//
// The observations form a forest of nodes, one for each moment: a single tree of their common beginnings if
// all begin in the same state, else a chain for each. A machine agrees if each node can be given a state such
// that outputs fit and equal states move alike. For a number of states n, cells of the transition table are
// filled one by one: a cell is open once some node waits behind it. Choosing its next state gives the waiting
// nodes their state, which fills outputs, moves on through cells that are filled already, and opens others,
// or contradicts. A state not used before is only ever the next in number, so machines that differ in the
// numbering of states are met once.
//
// If the observations begin anywhere, their first states are chosen in the same way; one that the machine can
// already give from some state needs no choice. Different choices may then lead to the same machine, so these
// are compared in the order of states that their behaviour gives (all states of a smallest machine behave
// differently).
#include "base/cancel.h"
#include "base/map.h"
#include "base/vec.h"
#include "machine/ask.h"
#include "machine/ledger.h"
#include <math.h>
#include <stdlib.h>

enum {
    STATES_DEFAULT = 8,
    LIMIT_DEFAULT = 50000000,
    KEPT_DEFAULT = 64,
    COUNTED_MAX = 100000,
    ROOTS_LOOKED_AT = 16,
    KEPT_OF_ONE = 8
};    // machines that differ only in what was never observed

typedef struct Node {
    uint32_t input, output;           // that led here; of a Moore machine: its own output
    uint32_t first_child, sibling;    // NONE: no more
    uint32_t example;                 // an observation that passes here
} Node;

typedef struct Change {
    uint32_t *where, old;
} Change;

// A choice: the next state of a cell, or the first state of a root.
typedef struct Choice {
    bool     is_root;
    uint32_t id;
    uint32_t value, end;    // to be tried next, and where to stop
    size_t   n_changes;     // before it
} Choice;

typedef struct Learn {
    const orr_learn_options *o;
    Arena                   *arena;
    bool                     is_moore;
    uint32_t                 k;
    VEC(Node)                nodes;
    VEC(uint32_t)            roots;
    bool              is_rooted;    // one tree: its root is where machines start
    // for n states
    uint32_t                 n;
    uint32_t                *next, *out;        // NONE: open. next: [n*k]; out: [n] or [n*k]
    uint32_t                *waiting;           // [n*k] first node that waits behind a cell
    uint32_t                *behind;            // [nodes] next one that waits there
    uint32_t                *state;             // [nodes]
    uint32_t                 used, n_rooted;    // states in use; roots that have a state
    VEC(Change)              changes;
    VEC(Choice)              choices;
    VEC(uint32_t)            queue;             // nodes and states to give them, in pairs
    VEC(uint32_t)            walk;              // scratch of agrees()
    size_t                   n_steps, limit;
    // what was found
    double                   n_machines;
    bool                     is_count_exact;
    Index                    seen;
    VEC(const uint32_t *)    forms;             // of the machines counted one by one
    VEC(orr_machine *)       kept;
    bool                    *is_free;           // of the first kept
    size_t                   n_free, max_kept;
} Learn;

// ---- The forest

static uint32_t add_node(Learn *l, uint32_t parent, uint32_t input, uint32_t output, uint32_t example)
{
    const uint32_t node = (uint32_t)l->nodes.n;
    vec_push(l->arena, &l->nodes, (Node){ input, output, MACHINE_NONE, MACHINE_NONE, example });
    if (parent != MACHINE_NONE) {
        l->nodes.items[node].sibling = l->nodes.items[parent].first_child;
        l->nodes.items[parent].first_child = node;
    }
    return node;
}

static uint32_t find_child(const Learn *l, uint32_t node, uint32_t input)
{
    uint32_t child = l->nodes.items[node].first_child;
    while (child != MACHINE_NONE && l->nodes.items[child].input != input)
        child = l->nodes.items[child].sibling;
    return child;
}

// The node of a moment is met again: the same output, or one of them was not observed.
static bool meet(Learn *l, uint32_t node, uint32_t output, uint32_t example, orr_learned *r)
{
    Node *x = &l->nodes.items[node];
    if (output == MACHINE_NONE || x->output == output) return true;
    if (x->output == MACHINE_NONE) {
        x->output = output;
        x->example = example;
        return true;
    }
    r->has_conflict = true;
    r->conflict[0] = x->example;
    r->conflict[1] = example;
    return false;
}

static uint32_t output_of(const orr_observation *x, size_t i)
{
    return i < x->n_outputs ? x->outputs[i] : MACHINE_NONE;
}

// False if two observations contradict each other: the same beginning, and then another output.
static bool plant(Learn *l, orr_learned *r)
{
    Map roots;    // by start
    map_init(&roots, l->arena);
    for (uint32_t e = 0; e < l->o->n_observations; e++) {
        const orr_observation *x = &l->o->observations[e];
        const uint32_t start = l->o->reset ? 0 : x->start,
                       first = l->is_moore ? output_of(x, 0) : MACHINE_NONE;
        uint32_t at = MACHINE_NONE;
        if (start != MACHINE_NONE && map_find(&roots, start)) {
            at = *map_find(&roots, start);
            if (!meet(l, at, first, e, r)) return false;
        } else {
            at = add_node(l, MACHINE_NONE, MACHINE_NONE, first, e);
            vec_push(l->arena, &l->roots, at);
            if (start != MACHINE_NONE) map_put(&roots, start, at);
        }
        for (size_t i = 0; i < x->n_inputs; i++) {
            const uint32_t output = output_of(x, i + l->is_moore), child = find_child(l, at, x->inputs[i]);
            if (child == MACHINE_NONE) at = add_node(l, at, x->inputs[i], output, e);
            else if (!meet(l, child, output, e, r)) return false;
            else at = child;
        }
    }
    l->is_rooted = l->roots.n == 1 && roots.n == 1;
    return true;
}

// ---- Filling in

static void set(Learn *l, uint32_t *where, uint32_t value)
{
    vec_push(l->arena, &l->changes, (Change){ where, *where });
    *where = value;
}

static void undo(Learn *l, size_t n)
{
    while (l->changes.n > n) {
        const Change change = vec_pop(&l->changes);
        *change.where = change.old;
    }
}

static bool fits(Learn *l, uint32_t *where, uint32_t output)
{
    if (output == MACHINE_NONE || *where == output) return true;
    if (*where != MACHINE_NONE) return false;
    set(l, where, output);
    return true;
}

// Give a node a state, and all that follows from it. False: a contradiction; changes are to be undone.
static bool give(Learn *l, uint32_t node, uint32_t state)
{
    l->queue.n = 0;
    vec_push(l->arena, &l->queue, node);
    vec_push(l->arena, &l->queue, state);
    while (l->queue.n > 0) {
        const uint32_t s = vec_pop(&l->queue), x = vec_pop(&l->queue);
        l->n_steps++;
        if (l->is_moore && !fits(l, &l->out[s], l->nodes.items[x].output)) return false;
        set(l, &l->state[x], s);
        for (uint32_t c = l->nodes.items[x].first_child; c != MACHINE_NONE; c = l->nodes.items[c].sibling) {
            const size_t cell = (size_t)s * l->k + l->nodes.items[c].input;
            if (!l->is_moore && !fits(l, &l->out[cell], l->nodes.items[c].output)) return false;
            if (l->next[cell] != MACHINE_NONE) {
                vec_push(l->arena, &l->queue, c);
                vec_push(l->arena, &l->queue, l->next[cell]);
            } else {
                set(l, &l->behind[c], l->waiting[cell]);
                set(l, &l->waiting[cell], c);
            }
        }
    }
    return true;
}

// What was observed against what is filled in, or still open: then it agrees, unless nothing may be open.
static bool is_same(uint32_t seen, uint32_t filled, bool fully)
{
    return seen == MACHINE_NONE || seen == filled || (filled == MACHINE_NONE && !fully);
}

// Does what follows a node agree with what is filled in, if the node is in a state? If `fully`, without
// anything open.
static bool agrees(Learn *l, uint32_t node, uint32_t state, bool fully)
{
    l->walk.n = 0;
    vec_push(l->arena, &l->walk, node);
    vec_push(l->arena, &l->walk, state);
    while (l->walk.n > 0) {
        const uint32_t s = vec_pop(&l->walk), x = vec_pop(&l->walk);
        l->n_steps++;
        if (s >= l->used) {
            if (fully) return false;
            continue;    // a new state agrees with everything
        }
        if (l->is_moore && !is_same(l->nodes.items[x].output, l->out[s], fully)) return false;
        for (uint32_t c = l->nodes.items[x].first_child; c != MACHINE_NONE; c = l->nodes.items[c].sibling) {
            const size_t cell = (size_t)s * l->k + l->nodes.items[c].input;
            if (!l->is_moore && !is_same(l->nodes.items[c].output, l->out[cell], fully)) return false;
            if (l->next[cell] == MACHINE_NONE) {
                if (fully) return false;
                continue;
            }
            vec_push(l->arena, &l->walk, c);
            vec_push(l->arena, &l->walk, l->next[cell]);
        }
    }
    return true;
}

static bool cell_agrees(Learn *l, uint32_t cell, uint32_t state)
{
    for (uint32_t x = l->waiting[cell]; x != MACHINE_NONE; x = l->behind[x])
        if (!agrees(l, x, state, false)) return false;
    return true;
}

static bool try_value(Learn *l, const Choice *choice, uint32_t value)
{
    if (choice->is_root ? !agrees(l, choice->id, value, false) : !cell_agrees(l, choice->id, value))
        return false;
    if (value == l->used) set(l, &l->used, l->used + 1);
    if (choice->is_root) return give(l, choice->id, value);
    set(l, &l->next[choice->id], value);
    for (uint32_t x = l->waiting[choice->id]; x != MACHINE_NONE; x = l->behind[x])
        if (!give(l, x, value)) return false;
    return true;
}

// ---- What to choose next: where the fewest values are left

static uint32_t count_values(Learn *l, bool is_root, uint32_t id, uint32_t enough)
{
    const uint32_t end = l->used < l->n ? l->used + 1 : l->n;
    uint32_t n = 0;
    for (uint32_t v = 0; v < end && n < enough; v++)
        n += is_root ? agrees(l, id, v, false) : cell_agrees(l, id, v);
    return n;
}

// Roots that the machine gives already, from some state, need no choice.
static void settle_roots(Learn *l)
{
    for (size_t i = 0; i < l->roots.n; i++) {
        if (l->state[l->roots.items[i]] != MACHINE_NONE) continue;
        for (uint32_t s = 0; s < l->used; s++) {
            if (!agrees(l, l->roots.items[i], s, true)) continue;
            set(l, &l->state[l->roots.items[i]], s);
            break;
        }
    }
}

// False if all is chosen.
static bool choose(Learn *l, Choice *choice)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t cell = 0; cell < l->used * l->k && least > 0; cell++) {
        if (l->next[cell] != MACHINE_NONE || l->waiting[cell] == MACHINE_NONE) continue;
        const uint32_t n = count_values(l, false, cell, least);
        if (n >= least) continue;
        least = n;
        *choice = (Choice){ .id = cell };
    }
    uint32_t n_looked = 0;
    for (size_t i = 0; i < l->roots.n && n_looked < ROOTS_LOOKED_AT && least > 0; i++) {
        if (l->state[l->roots.items[i]] != MACHINE_NONE) continue;
        n_looked++;
        const uint32_t n = count_values(l, true, l->roots.items[i], least);
        if (n >= least) continue;
        least = n;
        *choice = (Choice){ .is_root = true, .id = l->roots.items[i] };
    }
    if (least == UINT32_MAX) return false;
    choice->end = l->used < l->n ? l->used + 1 : l->n;
    choice->n_changes = l->changes.n;
    return true;
}

// ---- Machines found

static orr_machine *build(const Learn *l, const uint32_t *next, const uint32_t *out)
{
    const char **names = ARENA_ARRAY(l->arena, const char *, l->n);
    for (uint32_t s = 0; s < l->n; s++) names[s] = arena_printf(l->arena, "s%u", s + 1);
    const Machine m = { .name = "Learned",
                        .kind = l->is_moore ? MACHINE_MOORE : MACHINE_MEALY,
                        .n_states = l->n,
                        .n_inputs = l->o->n_inputs,
                        .n_outputs = l->o->n_outputs,
                        .states = names,
                        .inputs = l->o->inputs,
                        .outputs = l->o->outputs,
                        .next = next,
                        .out = out,
                        .start = l->is_rooted ? 0 : MACHINE_NONE };
    return machine_wrap(&m);
}

static int compare_rows(const uint32_t *a, const uint32_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

// The tables with states in the order of their behaviour: by outputs, then by the ranks of the states they
// move to, until all differ. NULL if some do not: then it is not a smallest machine.
static uint32_t *standard_form(const Learn *l, const uint32_t *next, const uint32_t *out, Arena *arena)
{
    const size_t n = l->n, k = l->k, width = l->is_moore ? 1 : k;
    uint32_t *rank = ARENA_ARRAY(arena, uint32_t, n),
             *row = ARENA_ARRAY(arena, uint32_t, n * (width + k + 1));
    size_t n_ranks = 0;
    for (size_t round = 0; round <= n; round++) {
        const size_t w = round == 0 ? width : 1 + k;
        for (size_t s = 0; s < n; s++) {
            if (round == 0) memcpy(row + s * w, out + s * width, width * sizeof *row);
            else row[s * w] = rank[s];
            for (size_t i = 0; round > 0 && i < k; i++) row[s * w + 1 + i] = rank[next[s * k + i]];
        }
        // the rank of a row is the number of smaller ones
        size_t n_new = 0;
        for (size_t s = 0; s < n; s++) {
            uint32_t smaller = 0;
            bool is_first = true;
            for (size_t t = 0; t < n; t++) {
                const int order = compare_rows(row + t * w, row + s * w, w);
                smaller += order < 0;
                is_first &= order != 0 || t >= s;
            }
            rank[s] = smaller;
            n_new += is_first;
        }
        if (n_new == n) break;
        if (n_new == n_ranks && round > 0) return NULL;
        n_ranks = n_new;
    }
    uint32_t *form = ARENA_ARRAY(arena, uint32_t, n * (k + width));
    for (size_t s = 0; s < n; s++) {
        for (size_t i = 0; i < k; i++) form[rank[s] * k + i] = rank[next[s * k + i]];
        memcpy(form + n * k + rank[s] * width, out + s * width, width * sizeof *form);
    }
    return form;
}

// Count a complete machine, if it is new. False when enough have been counted.
static bool count_one(Learn *l, const uint32_t *next, const uint32_t *out)
{
    const size_t size = (size_t)l->n * (l->k + (l->is_moore ? 1 : l->k)) * sizeof(uint32_t);
    const ArenaMark mark = arena_mark(l->arena);
    const uint32_t *form = standard_form(l, next, out, l->arena);
    if (!form) return true;
    const uint64_t hash = hash_bytes(form, size);
    IndexProbe probe = index_probe(&l->seen, hash);
    for (uint32_t id; index_next(&l->seen, &probe, &id);)
        if (memcmp(l->forms.items[id], form, size) == 0) {
            arena_release(l->arena, mark);
            return true;
        }
    index_add(&l->seen, hash, (uint32_t)l->forms.n);
    vec_push(l->arena, &l->forms, form);
    l->n_machines++;
    if (l->kept.n < l->max_kept) vec_push(l->arena, &l->kept, build(l, next, out));
    return l->forms.n < COUNTED_MAX;
}

// Something that no observation decides: a move, or an output.
typedef struct Open {
    uint32_t *where;
    uint32_t  first, n;    // what stands there first; how many values there are
} Open;

// Everything observed is in place; what is open can be filled as one likes. If there is one start only, all
// such machines are different and can be counted at once; a few are kept. False when enough have been
// counted.
static bool found(Learn *l)
{
    const uint32_t n_cells = l->n * l->k, n_outs = l->is_moore ? l->n : n_cells;
    uint32_t *next = ARENA_ARRAY(l->arena, uint32_t, n_cells), *out = ARENA_ARRAY(l->arena, uint32_t, n_outs);
    Open *open = ARENA_ARRAY(l->arena, Open, n_cells + (size_t)n_outs);
    size_t n_open = 0;
    double n_ways = 1;
    // first, a move that was never tried stays where it is
    for (uint32_t cell = 0; cell < n_cells; cell++) {
        next[cell] = l->next[cell];
        if (next[cell] == MACHINE_NONE) open[n_open++] = (Open){ &next[cell], cell / l->k, l->n };
    }
    if (l->kept.n == 0) {
        l->is_free = ARENA_ARRAY(l->arena, bool, n_cells);
        for (uint32_t cell = 0; cell < n_cells; cell++) l->is_free[cell] = next[cell] == MACHINE_NONE;
        l->n_free = n_open;
    }
    for (uint32_t i = 0; i < n_outs; i++) {
        out[i] = l->out[i];
        if (out[i] == MACHINE_NONE) open[n_open++] = (Open){ &out[i], 0, l->o->n_outputs };
    }
    for (size_t i = 0; i < n_open; i++) {
        *open[i].where = open[i].first;
        n_ways *= open[i].n;
    }
    if (l->is_rooted) l->n_machines += n_ways;
    for (size_t i = 0;; i++) {
        if (!l->is_rooted && !count_one(l, next, out)) return false;
        if (l->is_rooted) {
            if (l->kept.n >= l->max_kept || i == KEPT_OF_ONE) return true;
            vec_push(l->arena, &l->kept, build(l, next, out));
        }
        if (cancel_is_set(l->o->cancel)) return true;
        // count up, each place from its first value round to it again
        size_t at = 0;
        for (; at < n_open; at++) {
            *open[at].where = (*open[at].where + 1) % open[at].n;
            if (*open[at].where != open[at].first) break;
        }
        if (at == n_open) return true;
    }
}

// ---- The search for one number of states

static SearchEnd search(Learn *l)
{
    const size_t n_cells = (size_t)l->n * l->k, n_outs = l->is_moore ? l->n : n_cells;
    l->next = ARENA_ARRAY(l->arena, uint32_t, n_cells);
    l->waiting = ARENA_ARRAY(l->arena, uint32_t, n_cells);
    l->out = ARENA_ARRAY(l->arena, uint32_t, n_outs);
    for (size_t i = 0; i < n_cells; i++) l->next[i] = l->waiting[i] = MACHINE_NONE;
    for (size_t i = 0; i < n_outs; i++) l->out[i] = MACHINE_NONE;
    for (size_t i = 0; i < l->nodes.n; i++) l->state[i] = l->behind[i] = MACHINE_NONE;
    l->used = 0;
    l->changes.n = l->choices.n = 0;
    const size_t allowed = l->n_steps + l->limit;

    Choice choice;
    if (!choose(l, &choice)) return SEARCH_NONE;    // no observations
    vec_push(l->arena, &l->choices, choice);
    while (l->choices.n > 0) {
        Choice *at = &vec_last(&l->choices);
        undo(l, at->n_changes);
        if (at->value == at->end) {
            l->choices.n--;
            continue;
        }
        if (l->n_steps > allowed) return SEARCH_LIMIT;
        if (cancel_is_set(l->o->cancel)) return SEARCH_CANCELLED;
        const uint32_t value = at->value++;
        if (!try_value(l, at, value)) continue;
        if (!l->is_rooted) settle_roots(l);
        if (choose(l, &choice)) {
            vec_push(l->arena, &l->choices, choice);
            continue;
        }
        const ArenaMark mark = arena_mark(l->arena);
        const size_t n_kept = l->kept.n, n_forms = l->forms.n;
        const bool goes_on = found(l);
        if (l->kept.n == n_kept && l->forms.n == n_forms) arena_release(l->arena, mark);
        if (!goes_on) {
            l->is_count_exact = false;
            return SEARCH_FOUND;
        }
    }
    return l->n_machines > 0 ? SEARCH_FOUND : SEARCH_NONE;
}

static bool check_options(const orr_learn_options *o, orr_diag *diag)
{
    const char *wrong = NULL;
    if (o->n_observations == 0 || o->n_inputs == 0 || o->n_outputs == 0) wrong = "there are no observations";
    for (size_t e = 0; e < o->n_observations && !wrong; e++)
        if (o->observations[e].n_outputs > o->observations[e].n_inputs + !o->is_mealy)
            wrong = "an observation has more outputs than a machine of this kind shows";
    if (!wrong) return true;
    diag_report(diag, DIAG_MACHINE_LEARN, (Place){ 0 }, wrong);
    diag_hint(
        diag,
        "a Moore machine shows an output before each input and one "
        "behind the last, a Mealy machine one for each input");
    return false;
}

orr_learn_options orr_learn_options_default(void) { return (orr_learn_options){ 0 }; }

orr_learned orr_machine_learn(const orr_learn_options *options, orr_diag *diag)
{
    orr_learned r = { 0 };
    if (!check_options(options, diag)) {
        r.status = ORR_STATUS_USAGE;
        return r;
    }
    Arena arena = { 0 };
    Learn l = { .o = options,
                .arena = &arena,
                .is_moore = !options->is_mealy,
                .k = options->n_inputs,
                .is_count_exact = true,
                .limit = options->limit ? options->limit : LIMIT_DEFAULT,
                .max_kept = options->max_machines ? options->max_machines : KEPT_DEFAULT };
    const uint32_t max_states = options->max_states ? options->max_states : STATES_DEFAULT;
    index_init(&l.seen, &arena);
    if (plant(&l, &r)) {
        l.state = ARENA_ARRAY(&arena, uint32_t, l.nodes.n);
        l.behind = ARENA_ARRAY(&arena, uint32_t, l.nodes.n);
        SearchEnd end = SEARCH_NONE;
        for (l.n = 1; end == SEARCH_NONE && l.n <= max_states; l.n++) {
            r.n_states = l.n;
            end = search(&l);
        }
        // a count that could not be finished is a lower bound
        if (l.n_machines > 0 && end != SEARCH_FOUND) l.is_count_exact = false;
        if (l.n_machines > 0) r.verdict = ORR_ANSWER_YES;
        else r.verdict = end == SEARCH_NONE ? ORR_ANSWER_NO : ORR_ANSWER_UNKNOWN;
        if (end == SEARCH_CANCELLED) r.status = ORR_STATUS_CANCELLED;
    } else {
        r.verdict = ORR_ANSWER_NO;
    }
    r.n_machines = l.n_machines;
    r.is_count_exact = l.is_count_exact;
    r.machines = l.kept.items;
    r.n_kept = l.kept.n;
    r.is_free = l.is_free;
    r.n_free = l.n_free;
    if (r.n_kept > 1 && r.status == ORR_STATUS_OK) {
        orr_separate_options o = orr_separate_options_default();
        uint32_t *from = ARENA_ARRAY(&arena, uint32_t, r.n_kept);
        if (l.is_rooted) o.from = from;    // state 0 of each
        o.limit = 20000;
        o.cancel = options->cancel;
        r.experiment =
            orr_machine_separate((const orr_machine *const *)r.machines, (uint32_t)r.n_kept, &o, diag);
    }
    r.memory = ask_keep(arena);
    return r;
}

void orr_learned_free(orr_learned *learned)
{
    for (size_t i = 0; i < learned->n_kept; i++) orr_machine_destroy(learned->machines[i]);
    orr_separation_free(&learned->experiment);
    ask_free(learned->memory);
    *learned = (orr_learned){ 0 };
}

// ---- From a ledger

bool orr_ledger_is_mealy(const orr_ledger *ledger)
{
    for (size_t e = 0; e < ledger->n; e++)
        if (ledger->experiments[e].n_outputs > ledger->experiments[e].n_inputs) return false;
    return ledger->n > 0;
}

static uint32_t *intern(Names *names, const LedgerSymbol *symbols, size_t n, Arena *arena)
{
    uint32_t *ids = ARENA_ARRAY(arena, uint32_t, n);
    for (size_t i = 0; i < n; i++)
        ids[i] = symbols[i].name ? names_intern(names, text_from(symbols[i].name)) : MACHINE_NONE;
    return ids;
}

static const char *const *texts_of(const Names *names, Arena *arena)
{
    const char **texts = ARENA_ARRAY(arena, const char *, names->n);
    for (uint32_t i = 0; i < names->n; i++) texts[i] = names_text(names, i);
    return texts;
}

orr_learned orr_ledger_learn(const orr_ledger *ledger, const orr_learn_options *options, orr_diag *diag)
{
    Arena work = { 0 };
    orr_learn_options o = *options;
    Names inputs, outputs, starts;
    names_init(&inputs, &work);
    names_init(&outputs, &work);
    names_init(&starts, &work);
    orr_observation *observations = ARENA_ARRAY(&work, orr_observation, ledger->n);
    for (size_t e = 0; e < ledger->n; e++) {
        const Experiment *x = &ledger->experiments[e];
        observations[e] = (orr_observation){ .inputs = intern(&inputs, x->inputs, x->n_inputs, &work),
                                             .outputs = intern(&outputs, x->outputs, x->n_outputs, &work),
                                             .n_inputs = x->n_inputs,
                                             .n_outputs = x->n_outputs,
                                             .start = *intern(&starts, &x->from, 1, &work) };
    }
    o.observations = observations;
    o.n_observations = ledger->n;
    o.inputs = texts_of(&inputs, &work);
    o.outputs = texts_of(&outputs, &work);
    o.n_inputs = (uint32_t)inputs.n;
    o.n_outputs = (uint32_t)outputs.n;
    orr_learned learned = orr_machine_learn(&o, diag);
    arena_free(&work);
    return learned;
}

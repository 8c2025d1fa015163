// src/machine/minimise.c: classes of equivalent states.
//
// Two states are equivalent if no input sequence tells them apart. Classes are found by refining a partition
// until states of a class agree in their outputs and, for each input, in the class they move to.
//
// First in rounds (Moore 1956): a round gives each state the signature (its class, the classes it moves to)
// and makes a class of each signature. A machine without much structure is done in a few rounds, each a pass
// through memory. But a chain would need as many rounds as states, so rounds end when one no longer adds half
// as many classes again, and Hopcroft's algorithm (1971) goes on from there: a class is split by what leads
// into the smaller half of another one, so a state is looked at O(log n) times.
#include "base/map.h"
#include "machine/ask.h"

// ---- Rounds

typedef struct Round {
    uint32_t *slots;       // [capacity] a state with the signature, plus 1; 0: free
    size_t    capacity;    // power of two, more than twice n_states
    uint32_t *of;          // [n_states] the class of each state; the new ones in `into`
    uint32_t *into;
    uint32_t  n;           // classes
} Round;

static bool same_signature(const Joint *j, const uint32_t *of, uint32_t a, uint32_t b)
{
    if (of[a] != of[b]) return false;
    const uint32_t *x = j->next + (size_t)a * j->n_inputs, *y = j->next + (size_t)b * j->n_inputs;
    for (uint32_t i = 0; i < j->n_inputs; i++)
        if (of[x[i]] != of[y[i]]) return false;
    return true;
}

static uint64_t hash_signature(const Joint *j, const uint32_t *of, uint32_t s)
{
    uint64_t h = of[s];
    const uint32_t *next = j->next + (size_t)s * j->n_inputs;
    for (uint32_t i = 0; i < j->n_inputs; i++) h = (h ^ of[next[i]]) * 0x9E3779B97F4A7C15u + (h >> 29);
    return hash_mix(h);
}

static void refine_once(Round *r, const Joint *j)
{
    memset(r->slots, 0, r->capacity * sizeof *r->slots);
    uint32_t n = 0;
    for (uint32_t s = 0; s < j->n_states; s++) {
        size_t at = hash_signature(j, r->of, s) & (r->capacity - 1);
        while (r->slots[at] && !same_signature(j, r->of, r->slots[at] - 1, s))
            at = (at + 1) & (r->capacity - 1);
        if (!r->slots[at]) {
            r->slots[at] = s + 1;
            r->into[s] = n++;
        } else {
            r->into[s] = r->into[r->slots[at] - 1];
        }
    }
    uint32_t *old = r->of;
    r->of = r->into;
    r->into = old;
    r->n = n;
}

// Classes by output alone; for a Mealy machine, by its whole row of outputs.
static void classes_by_output(Round *r, const Joint *j, Arena *work)
{
    const size_t width = j->kind == MACHINE_MOORE ? 1 : j->n_inputs;
    Index index;
    index_init(&index, work);
    uint32_t *example = ARENA_ARRAY(work, uint32_t, j->n_states);
    r->n = 0;
    for (uint32_t s = 0; s < j->n_states; s++) {
        const uint32_t *row = j->out + s * width;
        const uint64_t hash = hash_bytes(row, width * sizeof *row);
        IndexProbe probe = index_probe(&index, hash);
        uint32_t id, found = MACHINE_NONE;
        while (found == MACHINE_NONE && index_next(&index, &probe, &id))
            if (memcmp(row, j->out + example[id] * width, width * sizeof *row) == 0) found = id;
        if (found == MACHINE_NONE) {
            found = r->n++;
            example[found] = s;
            index_add(&index, hash, found);
        }
        r->of[s] = found;
    }
}

// ---- Hopcroft

typedef struct Split {
    const Joint *j;
    uint32_t    *elements;        // [n_states] class after class
    uint32_t    *place;           // [n_states] where a state stands among them
    uint32_t    *of;              // [n_states]
    uint32_t    *first, *end;     // [n_states] of each class
    uint32_t    *marked;          // [n_states] states of a class that were moved to its front
    uint32_t     n;               // classes
    uint32_t    *source_first;    // [n_inputs*(n_states + 1)] rows of `source`
    uint32_t    *source;          // [n_inputs*n_states] states that move to a state, input by input
    uint32_t    *waiting;         // [n_states] classes that may split others
    uint32_t     n_waiting;
    uint32_t    *touched;         // [n_states] classes with marked states
    uint32_t     n_touched;
    uint32_t    *splitter;        // [n_states] copy of the class that splits
} Split;

static void find_sources(Split *s, Arena *work)
{
    const uint32_t n = s->j->n_states, k = s->j->n_inputs;
    s->source_first = ARENA_ARRAY(work, uint32_t, (size_t)k * ((size_t)n + 1));
    s->source = ARENA_ARRAY(work, uint32_t, (size_t)k * n);
    for (uint32_t i = 0; i < k; i++) {
        uint32_t *first = s->source_first + (size_t)i * ((size_t)n + 1);
        uint32_t *source = s->source + (size_t)i * n;
        for (uint32_t q = 0; q < n; q++) first[joint_next(s->j, q, i) + 1]++;
        for (uint32_t q = 0; q < n; q++) first[q + 1] += first[q];
        for (uint32_t q = n; q-- > 0;) source[--first[joint_next(s->j, q, i) + 1]] = q;
        // filling has moved each start one place to the right
        memmove(first, first + 1, n * sizeof *first);
        first[n] = n;
    }
}

static void mark(Split *s, uint32_t state)
{
    const uint32_t c = s->of[state], front = s->first[c] + s->marked[c], at = s->place[state];
    if (at < front) return;
    if (s->marked[c]++ == 0) s->touched[s->n_touched++] = c;
    const uint32_t other = s->elements[front];
    s->elements[front] = state;
    s->elements[at] = other;
    s->place[state] = front;
    s->place[other] = at;
}

// The smaller part becomes a class of its own, and the only one that must split others: where the old one
// still waits, it goes on waiting as the larger part; where it had been used, splitting by one part is
// splitting by the other.
static void divide(Split *s, uint32_t c)
{
    const uint32_t first = s->first[c], end = s->end[c], middle = first + s->marked[c];
    s->marked[c] = 0;
    if (middle == end) return;
    const uint32_t fresh = s->n++;
    if (middle - first <= end - middle) {
        s->first[fresh] = first;
        s->end[fresh] = s->first[c] = middle;
    } else {
        s->first[fresh] = s->end[c] = middle;
        s->end[fresh] = end;
    }
    for (uint32_t i = s->first[fresh]; i < s->end[fresh]; i++) s->of[s->elements[i]] = fresh;
    s->waiting[s->n_waiting++] = fresh;
}

static void split_by(Split *s, uint32_t c)
{
    const uint32_t n = s->j->n_states;
    for (uint32_t i = 0; i < s->j->n_inputs; i++) {
        // c itself may be divided while it divides others
        const uint32_t size = s->end[c] - s->first[c];
        memcpy(s->splitter, s->elements + s->first[c], size * sizeof *s->splitter);
        const uint32_t *first = s->source_first + (size_t)i * ((size_t)n + 1),
                       *source = s->source + (size_t)i * n;
        s->n_touched = 0;
        for (uint32_t e = 0; e < size; e++) {
            const uint32_t to = s->splitter[e];
            for (uint32_t p = first[to]; p < first[to + 1]; p++) {
                const uint32_t d = s->of[source[p]];
                if (s->end[d] - s->first[d] > 1) mark(s, source[p]);
            }
        }
        for (uint32_t t = 0; t < s->n_touched; t++) divide(s, s->touched[t]);
    }
}

static void hopcroft(Round *r, const Joint *j, Arena *work)
{
    const uint32_t n = j->n_states;
    Split s = { .j = j,
                .of = r->of,
                .n = r->n,
                .elements = ARENA_ARRAY(work, uint32_t, n),
                .place = ARENA_ARRAY(work, uint32_t, n),
                .first = ARENA_ARRAY(work, uint32_t, (size_t)n + 1),
                .end = ARENA_ARRAY(work, uint32_t, n),
                .marked = ARENA_ARRAY(work, uint32_t, n),
                .waiting = ARENA_ARRAY(work, uint32_t, n),
                .touched = ARENA_ARRAY(work, uint32_t, n),
                .splitter = ARENA_ARRAY(work, uint32_t, n) };
    find_sources(&s, work);
    for (uint32_t q = 0; q < n; q++) s.end[s.of[q]]++;
    for (uint32_t c = 0, at = 0; c < s.n; c++) {
        s.first[c] = at;
        at += s.end[c];
        s.end[c] = s.first[c];
    }
    for (uint32_t q = 0; q < n; q++) {
        s.place[q] = s.end[s.of[q]]++;
        s.elements[s.place[q]] = q;
    }
    // every move leads somewhere, so the largest class splits nothing that the others do not
    uint32_t largest = 0;
    for (uint32_t c = 1; c < s.n; c++)
        if (s.end[c] - s.first[c] > s.end[largest] - s.first[largest]) largest = c;
    for (uint32_t c = 0; c < s.n; c++)
        if (c != largest) s.waiting[s.n_waiting++] = c;
    while (s.n_waiting > 0 && s.n < n) split_by(&s, s.waiting[--s.n_waiting]);
    r->n = s.n;
}

// ---- Both

static void number_by_first_state(const Round *r, uint32_t n_states, uint32_t *of, Arena *work)
{
    uint32_t *number = ARENA_ARRAY(work, uint32_t, r->n), n = 0;
    for (uint32_t c = 0; c < r->n; c++) number[c] = MACHINE_NONE;
    for (uint32_t s = 0; s < n_states; s++) {
        if (number[r->of[s]] == MACHINE_NONE) number[r->of[s]] = n++;
        of[s] = number[r->of[s]];
    }
}

Classes classes_find(const Joint *joint, Arena *arena)
{
    const uint32_t n = joint->n_states;
    Classes classes = { .of = ARENA_ARRAY(arena, uint32_t, n) };
    Arena work = { 0 };
    Round r = { .of = ARENA_ARRAY(&work, uint32_t, n),
                .into = ARENA_ARRAY(&work, uint32_t, n),
                .capacity = 16 };
    while (r.capacity < 2 * (size_t)n + 1) r.capacity *= 2;
    r.slots = ARENA_ARRAY(&work, uint32_t, r.capacity);
    classes_by_output(&r, joint, &work);

    uint32_t before = 0;
    bool is_growing = true;
    while (r.n < n && is_growing) {
        before = r.n;
        refine_once(&r, joint);
        is_growing = r.n > before + before / 2;
    }
    if (r.n < n && r.n != before) hopcroft(&r, joint, &work);
    number_by_first_state(&r, n, classes.of, &work);
    classes.n = r.n;
    arena_free(&work);
    return classes;
}

Joint *classes_quotient(const Joint *joint, const Classes *classes, Arena *arena)
{
    Joint *small = ARENA_NEW(arena, Joint);
    const size_t k = joint->n_inputs, width = joint->kind == MACHINE_MOORE ? 1 : k;
    uint32_t *next = ARENA_ARRAY(arena, uint32_t, classes->n * k),
             *out = ARENA_ARRAY(arena, uint32_t, classes->n * width);
    uint32_t n_seen = 0;
    for (uint32_t s = 0; n_seen < classes->n; s++) {
        if (classes->of[s] != n_seen) continue;    // not the first of a class
        for (size_t i = 0; i < k; i++) next[n_seen * k + i] = classes->of[joint->next[s * k + i]];
        memcpy(out + n_seen * width, joint->out + s * width, width * sizeof *out);
        n_seen++;
    }
    *small = *joint;
    small->n_states = classes->n;
    small->first = NULL;    // states of several machines are mixed
    small->next = next;
    small->out = out;
    return small;
}

// The machine on the classes, without those that are not wanted: new_number[n_classes], MACHINE_NONE for
// them.
static orr_machine *build(const Machine *m, const Classes *classes, const uint32_t *new_number,
                          uint32_t n_new, Arena *work)
{
    const size_t k = m->n_inputs, width = m->kind == MACHINE_MOORE ? 1 : k;
    uint32_t *next = ARENA_ARRAY(work, uint32_t, n_new * k),
             *out = ARENA_ARRAY(work, uint32_t, n_new * width);
    const char **names = ARENA_ARRAY(work, const char *, n_new);
    for (uint32_t s = 0; s < m->n_states; s++) {
        const uint32_t c = new_number[classes->of[s]];
        if (c == MACHINE_NONE || names[c]) continue;
        names[c] = m->states[s];
        for (size_t i = 0; i < k; i++) next[c * k + i] = new_number[classes->of[m->next[s * k + i]]];
        memcpy(out + c * width, m->out + s * width, width * sizeof *out);
    }
    Machine small = *m;
    small.n_states = n_new;
    small.states = names;
    small.next = next;
    small.out = out;
    small.branch_first = NULL;
    if (m->start != MACHINE_NONE) small.start = new_number[classes->of[m->start]];
    return machine_wrap(&small);
}

orr_machine *orr_machine_minimise(const orr_machine *machine, bool reachable_only, uint32_t *class_of,
                                  orr_diag *diag)
{
    const Machine *m = machine->machine;
    if (!ask_is_deterministic(m, "minimised", diag)) return NULL;
    Arena work = { 0 };
    Joint joint;
    joint_make(&joint, &m, 1, &work, diag);
    const Classes classes = classes_find(&joint, &work);

    // classes are numbered by their first states, and stay in that order
    uint32_t *new_number = ARENA_ARRAY(&work, uint32_t, classes.n), n_new = 0;
    const uint32_t from = reachable_only ? m->start : MACHINE_NONE;
    orr_reach reach = orr_machine_reach(machine, from);
    for (uint32_t c = 0; c < classes.n; c++) new_number[c] = from == MACHINE_NONE ? 0 : MACHINE_NONE;
    for (uint32_t s = 0; reach.distance && s < m->n_states; s++)
        if (reach.distance[s] != MACHINE_NONE) new_number[classes.of[s]] = 0;
    for (uint32_t c = 0; c < classes.n; c++)
        if (new_number[c] == 0) new_number[c] = n_new++;
    for (uint32_t s = 0; class_of && s < m->n_states; s++) {
        const bool is_left_out = reach.distance && reach.distance[s] == MACHINE_NONE;
        class_of[s] = is_left_out ? MACHINE_NONE : new_number[classes.of[s]];
    }

    orr_machine *small = build(m, &classes, new_number, n_new, &work);
    orr_reach_free(&reach);
    arena_free(&work);
    return small;
}

// src/ir/quantise_readers.c: who reads whom: what is to be computed anew when something changes.
#include "ir/quantiser.h"
#include <stdlib.h>
#include <string.h>

// Marks that are cleared by counting up.
typedef struct Marks {
    uint32_t *mark;
    uint32_t now;
} Marks;

static bool mark_once(Marks *m, uint32_t i)
{
    if (m->mark[i] == m->now) return false;
    m->mark[i] = m->now;
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// What a term reads, itself and through the shared variables that it needs, each once.
typedef struct Reader {
    Quantiser *w;
    Marks states, shared, modes, places;
    VEC(uint32_t) shared_read, states_read, modes_read, places_read;
    Map number_of;    // of places
    bool reads_time, is_opaque;
    uint32_t degree;    // of its terms, one through the other
} Reader;

// Of a loop all unknowns come together.
static void note_shared(Reader *r, uint32_t s)
{
    const IrQuantised *q = r->w->q;
    const uint32_t loop = q->loop_of[s], first = loop == FLAT_NONE ? s : q->loops[loop].first,
                   n = loop == FLAT_NONE ? 1 : q->loops[loop].n;
    if (!mark_once(&r->shared, first)) return;
    for (uint32_t i = 0; i < n; i++) vec_push(&r->w->arena, &r->shared_read, first + i);
}

static void read_term(Reader *r, uint32_t term)
{
    const Quantiser *w = r->w;
    const IrQuantised *q = w->q;
    const IrShape *shape = &q->shapes[q->shape_of[term]];
    const uint32_t *leaves = shape->n_slots ? &w->leaves.items[w->first_leaf[term]] : NULL;
    Arena *arena = &r->w->arena;
    if (shape->reads_time) r->reads_time = true;
    if (shape->is_opaque) r->is_opaque = true;
    r->degree = shape->degree > 1 ? r->degree * shape->degree : r->degree;
    if (r->degree > IR_WILD) r->degree = IR_WILD;
    for (uint32_t k = 0; k < shape->n_slots; k++) {
        const uint32_t index = leaves[k];
        switch (shape->slots[k].kind) {
        case IR_SLOT_STATE:
            if (mark_once(&r->states, index)) vec_push(arena, &r->states_read, index);
            break;
        case IR_SLOT_SHARED: note_shared(r, index - q->n_states); break;
        case IR_SLOT_MODE: {
            const uint32_t mode = index - w->ir->layout.first_mode;
            if (mark_once(&r->modes, mode)) vec_push(arena, &r->modes_read, mode);
            break;
        }
        case IR_SLOT_PLACE: {
            const uint32_t *number = q->n_places ? map_find(&r->number_of, index) : NULL;
            if (number && mark_once(&r->places, *number)) vec_push(arena, &r->places_read, *number);
            break;
        }
        default: break;
        }
    }
}

static void read_all(Reader *r, uint32_t term)
{
    r->states.now++, r->shared.now++, r->modes.now++, r->places.now++;
    r->states_read.n = r->shared_read.n = r->modes_read.n = r->places_read.n = 0;
    r->reads_time = r->is_opaque = false;
    r->degree = 1;
    const IrQuantised *q = r->w->q;
    const bool reads_x = q->shapes[q->shape_of[term]].reads_x;
    read_term(r, term);
    for (size_t i = 0; i < r->shared_read.n; i++) {
        const uint32_t s = r->shared_read.items[i];
        const IrLoopTerms *loop = q->loop_of[s] == FLAT_NONE ? NULL : &q->loops[q->loop_of[s]];
        if (!loop) read_term(r, q->n_states + s);
        else r->is_opaque = true;
        for (uint32_t k = 0; loop && s == loop->first && k < loop->n; k++)
            read_term(r, loop->residuals[reads_x] + k);
    }
    if (r->shared_read.n > 1)
        qsort(r->shared_read.items, r->shared_read.n, sizeof *r->shared_read.items, compare_numbers);
}

// Lists are made in two passes: count, then fill.
static void begin_lists(IrQuantised *q, IrLists *lists, uint32_t n)
{
    lists->start = ARENA_ARRAY(&q->arena, uint32_t, (size_t)n + 2);
}

static void sum_lists(IrQuantised *q, IrLists *lists, uint32_t n)
{
    // counted two places ahead, so that filling in leaves each start where it belongs; where all lists are
    // empty, nothing is written, and a million of them have no memory
    for (uint32_t i = 2, sum = 0; i < n + 2; i++) {
        sum += lists->start[i];
        if (sum) lists->start[i] = sum;
    }
    lists->item = ARENA_ARRAY(&q->arena, uint32_t, lists->start[n + 1]);
}

static void enter(IrLists *lists, bool fills, uint32_t list, uint32_t item)
{
    if (fills) lists->item[lists->start[list + 1]++] = item;
    else lists->start[list + 2]++;
}

// The places of variables that terms read and something changes now and then, among them those that events
// assign; map: place → number.
static void find_places(Quantiser *w, Map *number_of)
{
    IrQuantised *q = w->q;
    const Flat *flat = w->ir->flat;
    const uint32_t n_params = w->ir->layout.n_params;
    VEC(uint32_t) places = { 0 };
    Map assigned;
    map_init(&assigned, &w->arena);
    map_init(number_of, &w->arena);
    for (size_t i = 0; i < flat->actions.n; i++)
        map_put(&assigned, w->ir->layout.place[flat->actions.items[i].target], 1);
    for (uint32_t term = 0; term < q->n_terms; term++) {
        if (q->shape_of[term] == FLAT_NONE) continue;
        const IrShape *shape = &q->shapes[q->shape_of[term]];
        for (uint32_t k = 0; k < shape->n_slots; k++) {
            if (shape->slots[k].kind != IR_SLOT_PLACE) continue;
            const uint32_t place = w->leaves.items[w->first_leaf[term] + k];
            if (place < n_params && !map_find(&assigned, place)) continue;
            if (map_find(number_of, place)) continue;
            map_put(number_of, place, (uint32_t)places.n);
            vec_push(&w->arena, &places, place);
        }
    }
    q->n_places = (uint32_t)places.n;
    q->places = ARENA_ARRAY(&q->arena, uint32_t, places.n);
    if (places.n) memcpy(q->places, places.items, places.n * sizeof *q->places);
}

bool readers_find(Quantiser *w)
{
    IrQuantised *q = w->q;
    Arena *arena = &w->arena;
    const uint32_t n_modes = w->ir->layout.n_modes, first_relation = q->n_states + q->n_shared;
    Reader r = { .w = w };
    r.states.mark = ARENA_ARRAY(arena, uint32_t, q->n_states);
    r.shared.mark = ARENA_ARRAY(arena, uint32_t, q->n_shared);
    r.modes.mark = ARENA_ARRAY(arena, uint32_t, n_modes);
    find_places(w, &r.number_of);
    r.places.mark = ARENA_ARRAY(arena, uint32_t, q->n_places);
    IrLists *lists[] = { &q->shared_of,       &q->affects,       &q->mode_affects,     &q->watched_by,
                         &q->mode_watched_by, &q->place_affects, &q->place_watched_by, &q->loops_of };
    const uint32_t counts[] = { q->n_states, q->n_states, n_modes,     q->n_states,
                                n_modes,     q->n_places, q->n_places, q->n_relations };
    enum { N_LISTS = sizeof lists / sizeof *lists };
    q->moves_in_time = ARENA_ARRAY(&q->arena, bool, q->n_states);
    q->bends = ARENA_ARRAY(&q->arena, bool, q->n_states);
    q->is_wild = ARENA_ARRAY(&q->arena, bool, q->n_states);
    q->is_opaque = ARENA_ARRAY(&q->arena, bool, q->n_states);
    q->relation_is_opaque = ARENA_ARRAY(&q->arena, bool, q->n_relations);
    q->relation_bends = ARENA_ARRAY(&q->arena, bool, q->n_relations);
    for (int k = 0; k < N_LISTS; k++) begin_lists(q, lists[k], counts[k]);
    for (int fills = 0; fills < 2; fills++) {
        uint64_t n = 0;
        for (uint32_t i = 0; i < q->n_states; i++) {
            read_all(&r, i);
            n += r.shared_read.n + r.states_read.n + r.modes_read.n + r.places_read.n;
            if (n > LISTS_MAX) return false;
            for (size_t k = 0; k < r.shared_read.n; k++)
                enter(&q->shared_of, fills, i, r.shared_read.items[k]);
            // in all orders a rate that is only near its polynomial is computed anew when its own state is,
            // so that what it is off in a run is proportional to the quantum
            if ((r.reads_time || r.degree > 1) && mark_once(&r.states, i)) vec_push(arena, &r.states_read, i);
            for (size_t k = 0; k < r.states_read.n; k++) enter(&q->affects, fills, r.states_read.items[k], i);
            for (size_t k = 0; k < r.modes_read.n; k++)
                enter(&q->mode_affects, fills, r.modes_read.items[k], i);
            for (size_t k = 0; k < r.places_read.n; k++)
                enter(&q->place_affects, fills, r.places_read.items[k], i);
            q->moves_in_time[i] = r.reads_time;
            if (r.degree > 1) q->bends[i] = true;    // memory that is not written is not taken
            if (r.degree >= IR_WILD) q->is_wild[i] = true;
            if (r.is_opaque) q->is_opaque[i] = true;
            q->has_opaque |= r.is_opaque && (r.reads_time || r.degree > 1);
        }
        for (uint32_t i = 0; i < q->n_relations; i++) {
            read_all(&r, first_relation + i);
            n += r.shared_read.n + r.states_read.n + r.modes_read.n + r.places_read.n;
            if (n > LISTS_MAX) return false;
            for (size_t k = 0; k < r.shared_read.n; k++) {    // of relations only unknowns are shared
                const uint32_t loop = q->loop_of[r.shared_read.items[k]];
                if (q->loops[loop].first == r.shared_read.items[k]) enter(&q->loops_of, fills, i, loop);
            }
            for (size_t k = 0; k < r.states_read.n; k++)
                enter(&q->watched_by, fills, r.states_read.items[k], i);
            for (size_t k = 0; k < r.modes_read.n; k++)
                enter(&q->mode_watched_by, fills, r.modes_read.items[k], i);
            for (size_t k = 0; k < r.places_read.n; k++)
                enter(&q->place_watched_by, fills, r.places_read.items[k], i);
            q->relation_bends[i] = r.degree > 1;
            q->relation_is_opaque[i] = r.is_opaque;
        }
        for (int k = 0; k < N_LISTS && !fills; k++) sum_lists(q, lists[k], counts[k]);
    }
    return true;
}

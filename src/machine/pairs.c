// src/machine/pairs.c: shortest words that tell two states apart.
//
// Suppose p and q are equivalent; then so are the states that each input leads to, and so on: pairs are
// followed breadth first until one answers differently, or until nothing new is found. What has been supposed
// is kept in a union-find structure, and a pair that follows from others by transitivity is passed over
// (Hopcroft and Karp 1971). So there are fewer pairs than states.
//
// The first word found is a shortest one all the same. If d(p, q) is the length of the shortest word for a
// pair, then d(p, q) >= min(d(p, r), d(r, q)): a word that tells p from q tells one of them from r. A pair
// that is passed over hangs together by pairs that stand before it in the queue, and one of these has a word
// no longer than its own.
#include "machine/ask.h"
#include <assert.h>

typedef struct Pair {
    uint32_t p, q;
    uint32_t from, input;    // place in the queue and input that led here; the first comes from itself
} Pair;

void pairs_init(Pairs *pairs, const Joint *joint, Arena *arena)
{
    *pairs = (Pairs){ .joint = joint,
                      .parent = ARENA_ARRAY(arena, uint32_t, joint->n_states),
                      .stamp = ARENA_ARRAY(arena, uint32_t, joint->n_states),
                      .queue = ARENA_ARRAY(arena, Pair, joint->n_states) };
}

static uint32_t find(Pairs *pairs, uint32_t s)
{
    if (pairs->stamp[s] != pairs->now) {
        pairs->stamp[s] = pairs->now;
        pairs->parent[s] = s;
        return s;
    }
    uint32_t *parent = pairs->parent;
    while (parent[s] != s) {
        parent[s] = parent[parent[s]];    // halving the path
        s = parent[s];
    }
    return s;
}

static orr_word trace_back(const Pairs *pairs, uint32_t at, uint32_t last, Arena *arena)
{
    size_t n = last != MACHINE_NONE;
    for (uint32_t i = at; i != 0; i = pairs->queue[i].from) n++;
    uint32_t *inputs = ARENA_ARRAY(arena, uint32_t, n);
    const orr_word word = { inputs, n };
    if (last != MACHINE_NONE) inputs[--n] = last;
    for (uint32_t i = at; i != 0; i = pairs->queue[i].from) inputs[--n] = pairs->queue[i].input;
    assert(n == 0);
    return word;
}

bool pairs_separate(Pairs *pairs, uint32_t p, uint32_t q, orr_word *word, Arena *arena)
{
    const Joint *j = pairs->joint;
    const uint32_t k = j->n_inputs;
    const bool is_moore = j->kind == MACHINE_MOORE;
    *word = (orr_word){ 0 };
    if (p == q) return false;
    if (is_moore && j->out[p] != j->out[q]) return true;
    if (++pairs->now == 0) {    // after 2³² searches: stamps of the first would look new
        memset(pairs->stamp, 0, j->n_states * sizeof *pairs->stamp);
        pairs->now = 1;
    }
    Pair *queue = pairs->queue;
    uint32_t n = 1;
    queue[0] = (Pair){ p, q, 0, MACHINE_NONE };
    pairs->parent[find(pairs, p)] = find(pairs, q);

    for (uint32_t at = 0; at < n; at++) {
        if (at + 8 < n) {    // tables are larger than caches: rows are asked for ahead of time
            __builtin_prefetch(j->next + (size_t)queue[at + 8].p * k);
            __builtin_prefetch(j->next + (size_t)queue[at + 8].q * k);
        }
        const size_t row_p = (size_t)queue[at].p * k, row_q = (size_t)queue[at].q * k;
        for (uint32_t i = 0; i < k; i++) {
            if (!is_moore && j->out[row_p + i] != j->out[row_q + i]) {
                *word = trace_back(pairs, at, i, arena);
                return true;
            }
            const uint32_t x = find(pairs, j->next[row_p + i]), y = find(pairs, j->next[row_q + i]);
            if (x == y) continue;
            pairs->parent[x] = y;
            queue[n] = (Pair){ j->next[row_p + i], j->next[row_q + i], at, i };
            if (is_moore && j->out[queue[n].p] != j->out[queue[n].q]) {
                *word = trace_back(pairs, n, MACHINE_NONE, arena);
                return true;
            }
            n++;
        }
    }
    return false;
}

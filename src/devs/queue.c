// src/devs/queue.c: lists that grow, in the memory of the run.
//
// The queues of a run share one growing array of words. A queue is a ring in a block of it; blocks have
// powers of 2 words. When a ring is full it gets a block of twice the size: the same one if it stands last,
// else another, and the old one waits in a list for another queue. Everything is found by offsets: the words
// can be moved, copied and saved.
#include "devs/devs.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK_MIN = 3 /* log2 of the words of the smallest block */ };

static size_t head_words(void) { return (sizeof(DevsPool) + 7) / 8; }
static DevsPool *pool_of(const orr_devs_run *run) { return (DevsPool *)(void *)run->pool; }

size_t pool_words(const orr_devs_run *run) { return run->pool ? pool_of(run)->n_words : 0; }

static uint32_t queue_words(const orr_devs_queue *queue)
{
    const uint32_t words = queue->size / 8 + (queue->size % 8 != 0) + (queue->is_ranked != 0);
    return words ? words : 1;    // of nothing, too, so that a block has an end
}

// ---- Blocks

static bool pool_reserve(orr_devs_run *run, size_t n_words)
{
    const size_t limit = run->max_memory / 8;
    if (n_words <= run->pool_capacity) return true;
    if (n_words > limit || n_words > UINT32_MAX) return false;
    size_t capacity = kernel_more(run->pool_capacity < 256 ? 256 : run->pool_capacity, n_words);
    if (capacity > limit) capacity = limit;
#if IS_ENGINE
    uint64_t *larger = reallocarray(run->pool, capacity, sizeof *larger);    // NULL even where realloc ends
#else
    uint64_t *larger = realloc(run->pool, capacity * sizeof *larger);
#endif
    if (!larger) {
        run->is_denied = true;
        return false;
    }
    if (!run->pool) {
        memset(larger, 0, head_words() * sizeof *larger);
        ((DevsPool *)(void *)larger)->n_words = head_words();
    }
    run->pool = larger;
    run->pool_capacity = capacity;
    return true;
}

// A block of 2^k words; 0: there is no more memory.
static uint32_t take_block(orr_devs_run *run, uint32_t k)
{
    if (k >= POOL_CLASSES) return 0;
    if (run->pool && pool_of(run)->waiting[k]) {
        const uint32_t at = pool_of(run)->waiting[k];
        pool_of(run)->waiting[k] = (uint32_t)run->pool[at];
        return at;
    }
    const size_t words = (size_t)1 << k;
    if (!pool_reserve(run, (run->pool ? pool_of(run)->n_words : head_words()) + words)) return 0;
    DevsPool *pool = pool_of(run);
    const uint32_t at = (uint32_t)pool->n_words;
    // saved with the run: equal runs have equal bytes
    memset(run->pool + at, 0, words * sizeof *run->pool);
    pool->n_words += words;
    return at;
}

static void give_block(orr_devs_run *run, uint32_t at, uint32_t k)
{
    DevsPool *pool = pool_of(run);
    run->pool[at] = pool->waiting[k];
    pool->waiting[k] = at;
}

static uint32_t pool_class(uint64_t n)
{
    uint32_t k = BLOCK_MIN;
    while (((uint64_t)1 << k) < n) k++;
    return k;
}

// The block of a queue: its size follows from the number of slots.
static uint32_t queue_block(const orr_devs_queue *queue)
{
    return pool_class((uint64_t)queue->capacity * queue_words(queue));
}

// ---- Rings

static uint64_t *queue_slot(const orr_devs_run *run, const orr_devs_queue *queue, uint32_t i)
{
    const uint64_t index = (uint64_t)queue->first + i;
    return run->pool + queue->at +
           (index < queue->capacity ? index : index - queue->capacity) * queue_words(queue);
}

static void queue_copy(const orr_devs_run *run, const orr_devs_queue *queue, uint32_t to, uint32_t from)
{
    memcpy(queue_slot(run, queue, to), queue_slot(run, queue, from), queue_words(queue) * sizeof(uint64_t));
}

// A block at the end of the memory grows where it is: only what stood before the end of the ring moves.
static bool queue_grow_in_place(orr_devs_run *run, orr_devs_queue *queue)
{
    if (!queue->capacity) return false;
    const uint32_t words = queue_words(queue);
    const size_t old_words = (size_t)1 << queue_block(queue);
    if (queue->at + old_words != pool_of(run)->n_words) return false;
    if (!pool_reserve(run, queue->at + 2 * old_words)) return false;
    memset(run->pool + queue->at + old_words, 0, old_words * sizeof *run->pool);
    pool_of(run)->n_words += old_words;
    const uint32_t capacity = (uint32_t)(2 * old_words / words);
    const uint32_t n_moved = queue->capacity - queue->first;
    uint64_t *ring = run->pool + queue->at;
    memmove(ring + (size_t)(capacity - n_moved) * words, ring + (size_t)queue->first * words,
            (size_t)n_moved * words * sizeof *ring);
    queue->first = capacity - n_moved;
    queue->capacity = capacity;
    return true;
}

static bool queue_grow(orr_devs_run *run, orr_devs_queue *queue)
{
    const uint32_t words = queue_words(queue);
    if (queue_grow_in_place(run, queue)) return true;
    const uint32_t k = queue->capacity ? queue_block(queue) + 1 : pool_class(words);
    const uint32_t at = take_block(run, k);
    if (!at) {
        devs_queue_is_full(run, queue);
        return false;
    }
    // the ring in order: up to its end, then from its beginning
    const uint32_t behind = queue->capacity - queue->first;
    const uint32_t n_first = queue->n < behind ? queue->n : behind;
    if (queue->n > 0) {
        memcpy(run->pool + at, run->pool + queue->at + (size_t)queue->first * words,
               (size_t)n_first * words * 8);
        memcpy(run->pool + at + (size_t)n_first * words, run->pool + queue->at,
               (size_t)(queue->n - n_first) * words * 8);
    }
    if (queue->capacity) give_block(run, queue->at, queue_block(queue));
    queue->at = at;
    queue->first = 0;
    queue->capacity = (uint32_t)(((uint64_t)1 << k) / words);
    return true;
}

// Room at index i: what stands on the shorter side moves by one.
static bool queue_open(orr_devs_run *run, orr_devs_queue *queue, uint32_t i)
{
    if (queue->n == queue->capacity && !queue_grow(run, queue)) return false;
    queue->n++;
    if (i >= queue->n / 2) {
        for (uint32_t k = queue->n - 1; k > i; k--) queue_copy(run, queue, k, k - 1);
    } else {
        queue->first = queue->first ? queue->first - 1 : queue->capacity - 1;
        for (uint32_t k = 0; k < i; k++) queue_copy(run, queue, k, k + 1);
    }
    return true;
}

static double queue_rank_at(const orr_devs_run *run, const orr_devs_queue *queue, uint32_t i)
{
    double rank;
    memcpy(&rank, queue_slot(run, queue, i), sizeof rank);
    return rank;
}

static bool queue_put(orr_devs_run *run, orr_devs_queue *queue, uint32_t i, double rank, const void *value)
{
    if (!queue_open(run, queue, i)) return false;
    uint64_t *to = queue_slot(run, queue, i);
    if (queue->is_ranked) memcpy(to++, &rank, sizeof rank);
    if (queue->size > 0) memcpy(to, value, queue->size);
    return true;
}

// ---- What components call

void orr_devs_queue_init(orr_devs_queue *queue, uint32_t size, int is_ranked)
{
    *queue = (orr_devs_queue){ .size = size, .is_ranked = is_ranked != 0 };
}

int orr_devs_queue_push(const orr_devs_call *call, orr_devs_queue *queue, const void *value)
{
    const double rank = queue->is_ranked && queue->n ? queue_rank_at(call->run, queue, queue->n - 1) : 0;
    return queue_put(call->run, queue, queue->n, rank, value);
}

int orr_devs_queue_insert(const orr_devs_call *call, orr_devs_queue *queue, double rank, const void *value)
{
    orr_devs_run *run = call->run;
    if (!queue->is_ranked) return queue_put(run, queue, queue->n, 0, value);
    if (isnan(rank)) {
        orr_devs_fail(call, "a rank in a queue is not a number");
        return 0;
    }
    // behind those of equal rank
    uint32_t low = 0;
    uint32_t high = queue->n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (queue_rank_at(run, queue, middle) <= rank) low = middle + 1;
        else high = middle;
    }
    return queue_put(run, queue, low, rank, value);
}

int orr_devs_queue_remove(const orr_devs_call *call, orr_devs_queue *queue, uint32_t i, void *value)
{
    const orr_devs_run *run = call->run;
    if (i >= queue->n) return 0;
    if (value && queue->size > 0) memcpy(value, queue_slot(run, queue, i) + queue->is_ranked, queue->size);
    queue->n--;
    if (i >= queue->n / 2) {
        for (uint32_t k = i; k < queue->n; k++) queue_copy(run, queue, k, k + 1);
    } else {
        for (uint32_t k = i; k > 0; k--) queue_copy(run, queue, k, k - 1);
        queue->first = queue->first + 1 < queue->capacity ? queue->first + 1 : 0;
    }
    return 1;
}

int orr_devs_queue_pop(const orr_devs_call *call, orr_devs_queue *queue, void *value)
{
    const orr_devs_run *run = call->run;
    if (queue->n == 0) return 0;
    if (value && queue->size > 0) memcpy(value, queue_slot(run, queue, 0) + queue->is_ranked, queue->size);
    queue->n--;
    queue->first = queue->first + 1 < queue->capacity ? queue->first + 1 : 0;
    return 1;
}

const void *orr_devs_run_queue_at(const orr_devs_run *run, const orr_devs_queue *queue, uint32_t i)
{
    return i < queue->n ? queue_slot(run, queue, i) + queue->is_ranked : NULL;
}

const void *orr_devs_queue_at(const orr_devs_call *call, const orr_devs_queue *queue, uint32_t i)
{
    return orr_devs_run_queue_at(call->run, queue, i);
}

double orr_devs_queue_rank(const orr_devs_call *call, const orr_devs_queue *queue, uint32_t i)
{
    return i < queue->n && queue->is_ranked ? queue_rank_at(call->run, queue, i) : (double)NAN;
}

void orr_devs_queue_clear(const orr_devs_call *call, orr_devs_queue *queue)
{
    if (queue->capacity) give_block(call->run, queue->at, queue_block(queue));
    orr_devs_queue_init(queue, queue->size, queue->is_ranked != 0);
}

// ---- Saved runs

void pool_load(orr_devs_run *run, const uint64_t *words, size_t n)
{
    free(run->pool);
    run->pool = NULL;
    run->pool_capacity = 0;
    if (n == 0) return;
    run->pool = devs_resize(run, NULL, n * sizeof *words);
    memcpy(run->pool, words, n * sizeof *words);
    run->pool_capacity = n;
}

static bool pool_claim(const orr_devs_run *run, uint8_t *taken, uint64_t at, uint32_t k)
{
    const uint64_t words = (uint64_t)1 << k, n = pool_words(run);
    if (at < head_words() || words > n || at > n - words || memchr(taken + at, 1, words)) return false;
    memset(taken + at, 1, words);
    return true;
}

bool pool_has_waiting(const orr_devs_run *run, uint8_t *taken)
{
    for (uint32_t k = 0; run->pool && k < POOL_CLASSES; k++)
        for (uint64_t at = pool_of(run)->waiting[k]; at; at = run->pool[at])
            if (!pool_claim(run, taken, at, k)) return false;
    return true;
}

bool pool_has_queue(const orr_devs_run *run, uint8_t *taken, const orr_devs_queue *queue, uint32_t size,
                    bool is_ranked)
{
    if (queue->size != size || queue->is_ranked != is_ranked) return false;
    if (queue->capacity == 0) return queue->n == 0 && queue->first == 0 && queue->at == 0;
    const uint32_t k = queue_block(queue);
    return k < POOL_CLASSES && queue->capacity == ((uint64_t)1 << k) / queue_words(queue) &&
           queue->first < queue->capacity && queue->n <= queue->capacity &&
           pool_claim(run, taken, queue->at, k);
}

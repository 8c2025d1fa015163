// src/num/heap.c: an indexed 4-ary heap; see heap.h.
#include "num/heap.h"
#include <assert.h>
#include <string.h>

enum { CHILDREN = 4, ABSENT = UINT32_MAX };

typedef struct Parts {
    double   *key;
    uint64_t *order;
    uint32_t *items, *place;
} Parts;

static Parts parts_of(Heap *heap)
{
    const size_t n = heap->capacity;
    Parts p = { .key = (double *)(heap + 1) };
    p.order = (uint64_t *)(p.key + n);
    p.items = (uint32_t *)(p.order + n);
    p.place = p.items + n;
    return p;
}

size_t heap_size(uint32_t capacity)
{
    return sizeof(Heap) + (size_t)capacity * (sizeof(double) + sizeof(uint64_t) + 2 * sizeof(uint32_t));
}

Heap *heap_init(void *memory, uint32_t capacity)
{
    Heap *heap = memory;
    *heap = (Heap){ .capacity = capacity };
    const Parts p = parts_of(heap);
    for (uint32_t i = 0; i < capacity; i++) p.place[i] = ABSENT;
    return heap;
}

bool heap_has(const Heap *heap, uint32_t item)
{
    return heap_items(heap)[heap->capacity + item] != ABSENT;
}

static bool is_before(const Parts *p, uint32_t a, uint32_t b)
{
    return p->key[a] < p->key[b] || (p->key[a] == p->key[b] && p->order[a] < p->order[b]);
}

static void set(const Parts *p, uint32_t place, uint32_t item)
{
    p->items[place] = item;
    p->place[item] = place;
}

static void rise(const Parts *p, uint32_t place)
{
    const uint32_t item = p->items[place];
    while (place > 0) {
        const uint32_t parent = (place - 1) / CHILDREN;
        if (!is_before(p, item, p->items[parent])) break;
        set(p, place, p->items[parent]);
        place = parent;
    }
    set(p, place, item);
}

static void sink(const Parts *p, uint32_t n, uint32_t place)
{
    const uint32_t item = p->items[place];
    for (;;) {
        const uint32_t first = CHILDREN * place + 1, end = first + CHILDREN < n ? first + CHILDREN : n;
        uint32_t least = place;
        uint32_t best = item;
        for (uint32_t c = first; c < end; c++) {
            if (!is_before(p, p->items[c], best)) continue;
            least = c;
            best = p->items[c];
        }
        if (least == place) break;
        set(p, place, best);
        place = least;
    }
    set(p, place, item);
}

void heap_put(Heap *heap, uint32_t item, double key)
{
    assert(item < heap->capacity && key == key);
    const Parts p = parts_of(heap);
    p.key[item] = key;
    p.order[item] = heap->next_order++;
    if (p.place[item] == ABSENT) set(&p, heap->n++, item);
    rise(&p, p.place[item]);
    sink(&p, heap->n, p.place[item]);
}

void heap_remove(Heap *heap, uint32_t item)
{
    assert(item < heap->capacity);
    const Parts p = parts_of(heap);
    const uint32_t place = p.place[item];
    if (place == ABSENT) return;
    p.place[item] = ABSENT;
    const uint32_t last = p.items[--heap->n];
    if (last == item) return;
    set(&p, place, last);
    rise(&p, place);
    sink(&p, heap->n, p.place[last]);
}

uint32_t heap_pop(Heap *heap)
{
    assert(heap->n > 0);
    const uint32_t item = heap_first(heap);
    heap_remove(heap, item);
    return item;
}

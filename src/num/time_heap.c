// src/num/time_heap.c: see time_heap.h.
#include "num/time_heap.h"
#include <math.h>
#include <stdbool.h>

enum { WIDTH = 4 };

void time_heap_init(TimeHeap *heap, uint32_t n, Arena *arena)
{
    heap->n = n;
    heap->items = ARENA_ARRAY(arena, TimeHeapItem, n);
    heap->place = ARENA_ARRAY(arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        heap->items[i] = (TimeHeapItem){ INFINITY, i };
        heap->place[i] = i;
    }
}

static void put(TimeHeap *heap, uint32_t at, TimeHeapItem item)
{
    heap->items[at] = item;
    heap->place[item.i] = at;
}

void time_heap_set(TimeHeap *heap, uint32_t i, double t)
{
    uint32_t at = heap->place[i];
    const TimeHeapItem item = { t, i };
    const bool is_earlier = t < heap->items[at].t;
    if (is_earlier) {
        while (at > 0) {
            const uint32_t up = (at - 1) / WIDTH;
            if (heap->items[up].t <= t) break;
            put(heap, at, heap->items[up]);
            at = up;
        }
        put(heap, at, item);
        return;
    }
    for (;;) {
        const uint32_t first = WIDTH * at + 1;
        if (first >= heap->n) break;
        const uint32_t end = first + WIDTH < heap->n ? first + WIDTH : heap->n;
        uint32_t least = first;
        for (uint32_t k = first + 1; k < end; k++)
            if (heap->items[k].t < heap->items[least].t) least = k;
        if (heap->items[least].t >= t) break;
        put(heap, at, heap->items[least]);
        at = least;
    }
    put(heap, at, item);
}

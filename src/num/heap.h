// src/num/heap.h: which of n things is due first: an indexed heap with four children to a node.
//
// Each item is in the heap at most once, so a thing whose time changes is moved, not put in again. Of equal
// keys the item that was put in, or moved, first comes out first. All of it lies in one block without
// pointers: a copy of the block is a copy of the heap.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Heap {
    uint32_t capacity;      // items are 0 .. capacity - 1
    uint32_t n;             // in the heap
    uint64_t next_order;
    // behind it: keys and orders [capacity] by item; items [capacity] by place; places [capacity] by item
} Heap;

size_t heap_size(uint32_t capacity);                      // bytes, a multiple of 8
Heap  *heap_init(void *memory, uint32_t capacity);        // empty, in memory of that size, aligned to 8
void   heap_put(Heap *heap, uint32_t item, double key);   // or move it; key is a number
void   heap_remove(Heap *heap, uint32_t item);            // if it is there
bool   heap_has(const Heap *heap, uint32_t item);
uint32_t heap_pop(Heap *heap);                            // the first; there must be one

static inline const double *heap_keys(const Heap *heap) { return (const double *)(heap + 1); }
static inline const uint32_t *heap_items(const Heap *heap)
{
    return (const uint32_t *)(heap_keys(heap) + 2 * (size_t)heap->capacity);
}
static inline uint32_t heap_first(const Heap *heap) { return heap_items(heap)[0]; }    // there must be one
// The smallest key, or `otherwise` if the heap is empty.
static inline double heap_first_key(const Heap *heap, double otherwise)
{
    return heap->n ? heap_keys(heap)[heap_first(heap)] : otherwise;
}

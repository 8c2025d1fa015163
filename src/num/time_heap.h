// src/num/time_heap.h: which of n things is due next; the time of each may change at any moment.
//
// A heap with four children to a node and the times beside the numbers, so that a move touches few lines of
// memory. Equal times: any order, but the same on every machine.
#pragma once
#include "base/arena.h"
#include <stdint.h>

typedef struct TimeHeapItem {
    double t;
    uint32_t i;
} TimeHeapItem;

typedef struct TimeHeap {
    TimeHeapItem *items;    // [n] items[0] is due first
    uint32_t *place;        // [n] of each thing among the items
    uint32_t n;
} TimeHeap;

void time_heap_init(TimeHeap *heap, uint32_t n, Arena *arena);    // all at INFINITY
void time_heap_set(TimeHeap *heap, uint32_t i, double t);
static inline double time_heap_time(const TimeHeap *heap) { return heap->items[0].t; }
static inline uint32_t time_heap_first(const TimeHeap *heap) { return heap->items[0].i; }

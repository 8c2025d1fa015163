// src/devs/sort.c: sorting numbers of components.
//
// A natural merge sort: ascending runs are found and merged in pairs until one is left. Lists of components
// are nearly always in order, or made of a few pieces that are, since they come from loops over components.
#include "devs/devs.h"
#include <stdlib.h>
#include <string.h>

static size_t run_end(const uint32_t *ids, size_t from, size_t n)
{
    size_t i = from + 1;
    while (i < n && ids[i - 1] < ids[i]) i++;
    return i;
}

void sort_ids(uint32_t *ids, size_t n, uint32_t **scratch_memory, size_t *scratch_capacity)
{
    if (n < 2 || run_end(ids, 0, n) == n) return;
    if (n > *scratch_capacity) {
        *scratch_capacity = vec_next_capacity(*scratch_capacity, n);
        *scratch_memory = realloc(*scratch_memory, *scratch_capacity * sizeof **scratch_memory);
        if (!*scratch_memory) arena_no_memory(*scratch_capacity * sizeof **scratch_memory);
    }
    uint32_t *scratch = *scratch_memory;
    while (run_end(ids, 0, n) < n) {
        size_t out = 0;
        for (size_t from = 0; from < n;) {
            const size_t middle = run_end(ids, from, n);
            const size_t end = middle < n ? run_end(ids, middle, n) : n;
            size_t a = from;
            size_t b = middle;
            while (a < middle && b < end) scratch[out++] = ids[a] < ids[b] ? ids[a++] : ids[b++];
            while (a < middle) scratch[out++] = ids[a++];
            while (b < end) scratch[out++] = ids[b++];
            from = end;
        }
        memcpy(ids, scratch, n * sizeof *ids);
    }
}

// src/devs/sort.c: sorting numbers of components.
//
// A natural merge sort: ascending runs are found and merged in pairs until one is left. Lists of components
// are nearly always in order, or made of a few pieces that are, since they come from loops over components.
#include "devs/devs.h"
#include <stdlib.h>
#include <string.h>

static size_t ascent_end(const uint32_t *ids, size_t from, size_t n)
{
    size_t i = from + 1;
    while (i < n && ids[i - 1] < ids[i]) i++;
    return i;
}

void sort_ids(orr_devs_run *run, uint32_t *ids, size_t n)
{
    if (n < 2 || ascent_end(ids, 0, n) == n) return;
    if (n > run->scratch_capacity) {
        const size_t capacity = kernel_more(run->scratch_capacity, n);
        run->scratch = devs_resize(run, run->scratch, capacity * sizeof *run->scratch);
        run->scratch_capacity = capacity;
    }
    uint32_t *scratch = run->scratch;
    while (ascent_end(ids, 0, n) < n) {
        size_t out = 0;
        for (size_t from = 0; from < n;) {
            const size_t middle = ascent_end(ids, from, n);
            const size_t end = middle < n ? ascent_end(ids, middle, n) : n;
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

// src/devs/inputs.c: messages from outside that are still to come.
#include "devs/devs.h"
#include <stdlib.h>
#include <string.h>

double inputs_first(const DevsInputs *inputs) { return inputs->n ? inputs->heap[0].t : (double)INFINITY; }

static bool input_is_before(const DevsInput *a, const DevsInput *b)
{
    return a->t < b->t || (a->t == b->t && a->order < b->order);
}

void inputs_add(orr_devs_run *run, double t, uint32_t port, const void *value, size_t size)
{
    DevsInputs *inputs = &run->inputs;
    if (inputs->n == inputs->n_slots) {
        const uint32_t old = inputs->n_slots;
        const uint32_t n = old ? 2 * old : 8;
        inputs->heap = devs_resize(run, inputs->heap, n * sizeof *inputs->heap);
        inputs->free = devs_resize(run, inputs->free, n * sizeof *inputs->free);
        inputs->values = devs_resize(run, inputs->values, ((size_t)n * inputs->slot_words + 1) * 8);
        inputs->n_slots = n;
        for (uint32_t i = old; i < n; i++) inputs->free[i - old] = i;
    }
    const DevsInput new = { t, inputs->order++, port, inputs->free[inputs->n_slots - inputs->n - 1] };
    if (size > 0) memcpy(&inputs->values[(size_t) new.slot * inputs->slot_words], value, size);
    uint32_t at = inputs->n++;
    for (; at > 0 && input_is_before(&new, &inputs->heap[(at - 1) / 2]); at = (at - 1) / 2)
        inputs->heap[at] = inputs->heap[(at - 1) / 2];
    inputs->heap[at] = new;
}

DevsInput inputs_take(DevsInputs *inputs)
{
    const DevsInput first = inputs->heap[0];
    const DevsInput last = inputs->heap[--inputs->n];
    inputs->free[inputs->n_slots - inputs->n - 1] = first.slot;
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= inputs->n) break;
        if (child + 1 < inputs->n && input_is_before(&inputs->heap[child + 1], &inputs->heap[child])) child++;
        if (!input_is_before(&inputs->heap[child], &last)) break;
        inputs->heap[at] = inputs->heap[child];
        at = child;
    }
    inputs->heap[at] = last;
    return first;
}

void inputs_clear(DevsInputs *inputs)
{
    for (uint32_t i = 0; i < inputs->n_slots; i++) inputs->free[i] = i;
    inputs->n = 0;
    inputs->order = 0;
}

void inputs_free(DevsInputs *inputs)
{
    free(inputs->heap);
    free(inputs->free);
    free(inputs->values);
}

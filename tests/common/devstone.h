// tests/common/devstone.h: the DEVStone models, and how many transitions one injected message makes.
//
// Levels are nested d deep. LI: w - 1 atomics side by side in each level. HI: each also drives the next.
// HO: as HI, with outputs, and a second input that the level around feeds. HOmod: a triangle of atomics
// drives a first row, which drives the level inside. [Glinsky & Wainer 2005; Risco-Martín et al. 2017 for
// HOmod]
#pragma once
#include "orrery/devs.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The atomic: answers every bag at once with one message

typedef struct Stone {
    uint64_t sum;    // of all that came
    uint64_t n_internal, n_external;
    int64_t is_active;
} Stone;

static double devstone_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return ((const Stone *)state)->is_active ? 0 : (double)INFINITY;
}
static void devstone_output(const void *state, const orr_devs_call *call)
{
    orr_devs_send(call, 0, &((const Stone *)state)->sum);
}
static void devstone_internal(void *state, const orr_devs_call *call)
{
    (void)call;
    Stone *s = state;
    s->n_internal++;
    s->is_active = 0;
}
static void devstone_external(void *state, const orr_devs_call *call, double elapsed,
                              const orr_devs_event *bag, size_t n)
{
    (void)call;
    (void)elapsed;
    Stone *s = state;
    s->n_external++;
    for (size_t i = 0; i < n; i++) s->sum += *(const uint64_t *)bag[i].value;
    s->is_active = 1;
}

static const orr_devs_port devstone_ins[] = { { "in", "number", 8, 0 }, { "in2", "number", 8, 0 } };
static const orr_devs_port devstone_outs[] = { { "out", "number", 8, 0 }, { "out2", "number", 8, 0 } };
static const orr_atomic devstone_atomic = {
    .version = ORR_DEVS_VERSION,
    .name = "stone",
    .inputs = devstone_ins,
    .n_inputs = 1,
    .outputs = devstone_outs,
    .n_outputs = 1,
    .state_size = sizeof(Stone),
    .advance = devstone_advance,
    .output = devstone_output,
    .internal = devstone_internal,
    .external = devstone_external,
};

// ---- The models

// Which atomic the models are made of: the one above unless a test says otherwise.
static const orr_atomic *devstone_type = &devstone_atomic;

static orr_devs_part devstone_add(orr_devs *m, orr_devs_part parent, const char *prefix, int i)
{
    char name[64];
    snprintf(name, sizeof name, "%s%d", prefix, i);
    return orr_devs_add(m, parent, name, devstone_type, NULL);
}

static void devstone_triangle(orr_devs *m, orr_devs_part level, orr_devs_part inner, int w)
{
    orr_devs_part *above = malloc((size_t)w * sizeof *above), *row = malloc((size_t)w * sizeof *row);
    orr_devs_part *first = malloc((size_t)w * sizeof *first);
    for (int i = 0; i < w - 1; i++) {
        first[i] = devstone_add(m, level, "first", i);
        orr_devs_couple(m, level, "in2", first[i], "in");
        orr_devs_couple(m, first[i], "out", inner, "in2");
    }
    for (int r = 1; r < w; r++) {
        for (int i = 0; i < w - r; i++) {
            char prefix[32];
            snprintf(prefix, sizeof prefix, "row%d_", r);
            row[i] = devstone_add(m, level, prefix, i);
            if (i == 0) orr_devs_couple(m, level, "in2", row[i], "in");
            if (r > 1) orr_devs_couple(m, row[i], "out", above[i + 1], "in");
            else
                for (int k = 0; k < w - 1; k++) orr_devs_couple(m, row[i], "out", first[k], "in");
        }
        memcpy(above, row, (size_t)w * sizeof *row);
    }
    free(above);
    free(row);
    free(first);
}

static void devstone_line(orr_devs *m, orr_devs_part level, const char *input, int w, int is_chain,
                          int has_outputs)
{
    orr_devs_part before = 0;
    for (int i = 0; i < w - 1; i++) {
        const orr_devs_part a = devstone_add(m, level, "atomic", i);
        orr_devs_couple(m, level, input, a, "in");
        if (is_chain && i > 0) orr_devs_couple(m, before, "out", a, "in");
        if (has_outputs) orr_devs_couple(m, a, "out", level, "out2");
        before = a;
    }
}

static orr_devs *devstone_build(const char *kind, int w, int d, orr_diag *diag)
{
    orr_devs *m = orr_devs_create(diag);
    orr_devs_set_ports(m, devstone_ins, 2, devstone_outs, 2);
    const int is_ho = strncmp(kind, "HO", 2) == 0;
    orr_devs_part level = ORR_DEVS_ROOT;
    for (int k = d; k > 1; k--) {
        const orr_devs_part inner =
            orr_devs_add_coupled(m, level, "inner", devstone_ins, 2, devstone_outs, 2);
        orr_devs_couple(m, level, "in", inner, "in");
        orr_devs_couple(m, inner, "out", level, "out");
        if (strcmp(kind, "HOmod") == 0) devstone_triangle(m, level, inner, w);
        else {
            if (is_ho) orr_devs_couple(m, level, "in", inner, "in2");
            devstone_line(m, level, is_ho ? "in2" : "in", w, strcmp(kind, "LI") != 0, is_ho);
        }
        level = inner;
    }
    const orr_devs_part last = devstone_add(m, level, "atomic", 0);
    orr_devs_couple(m, level, "in", last, "in");
    orr_devs_couple(m, last, "out", level, "out");
    return m;
}

static uint64_t devstone_transitions(const char *kind, uint64_t w, uint64_t d)
{
    if (strcmp(kind, "LI") == 0) return (w - 1) * (d - 1) + 1;
    if (strcmp(kind, "HOmod") != 0) return w * (w - 1) / 2 * (d - 1) + 1;
    return 1 + (d - 1) * (w - 1) * (w - 1) +
           ((d - 1) + (w - 1) * (d - 1) * (d - 2) / 2) * ((w - 1) + w * (w - 1) / 2);
}

// src/code/lanes.h: what the printers of loops over lanes share.
//
//     loops.c          small models: the statements of the scalar loop, inside one over the members
//     lane_arrays.c    large ones: functions over arrays, each with loops over the members inside
//     lanes.c          which of them, and building
#pragma once
#include "code/cgen.h"

#define LANES_PARAMETERS                                                                                     \
    "double t_start, double h, long k, long n, double *restrict x,\n"                                        \
    "    const double *restrict v, const struct orr_env *env, double *restrict lane, double *restrict scratch"

// Members have grids of their own, and may have to stop.
bool lanes_are_watched(const Ir *ir);

// Of a loop over watched members: the vectors T, K, L, S, B, G, Q of `lane`; inside of the loop over members,
// for each relation and assert what it adds to `odd`, which is 0 for members without anything to look at,
// then who `goes`, then what a relation remembers; behind it how many move on. Sums of numbers, since gcc
// cannot turn chains of conditions into vectors.
void lanes_print_vectors(StrBuf *s, uint32_t width, uint32_t n_relations, uint32_t n_asserts);
void lanes_print_relation(StrBuf *s, uint32_t width, uint32_t k, const char *zero, const char *truth,
                          uint32_t mode);
void lanes_print_assert(StrBuf *s, const char *odd, uint32_t width, uint32_t k, const char *truth);
void lanes_print_goes(StrBuf *s);
void lanes_print_shift(StrBuf *s, uint32_t width, uint32_t k, const char *zero);
void lanes_print_count(StrBuf *s, uint32_t width);

// A loop of a large model.
void lanes_print_arrays(Cgen *c, CodeLaneMethod method);
// Doubles that they need for each member, besides states and values.
size_t lanes_scratch(const Ir *ir);

// src/code/lanes.h: what the printers of loops over lanes share.
//
//     loops.c          small models: the statements of the scalar loop, inside one over the members
//     lane_arrays.c    large ones: functions over arrays, each with loops over the members inside
//     lane_noise.c     those with noise: the same
//     lane_adaptive.c  the adaptive methods
//     lanes.c          which of them, and building
#pragma once
#include "code/cgen.h"

#define LANES_PARAMETERS                                                                                     \
    "double t_start, double h, long k, long n, double *restrict x,\n"                                        \
    "    const double *restrict v, const struct orr_env *env, double *restrict lane, double *restrict scratch"

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

// Of attempts at adaptive steps: everything up to their loop; inside of that over members, where the next
// attempt of one leads (t, h, and t_to of those who are watched); from its `error`, from `finite`, which is 0
// if all its numbers are, and from `watch`, whether it is `taken` and what follows; behind it the end of the
// function. And what zero functions that turn round add to `watch`, from their values g0 … g4 in a step.
void lanes_print_attempts(StrBuf *s, uint32_t width, uint32_t n_states, uint32_t n_relations,
                          bool is_watched);
void lanes_print_attempt(StrBuf *s, bool is_watched);
void lanes_print_control(StrBuf *s, const Tableau *method, bool is_watched);
void lanes_print_attempts_end(StrBuf *s, uint32_t width, bool is_watched);
void lanes_print_turns(StrBuf *s);
// Of tables: Σ weight·rate, where `rate` prints one from the numbers of stage and state and `newest`, if not
// NULL, is the last one; the error from sums of squares over n states; what follows `x + s*` in the dense
// output, from d0, d1, … with a suffix.
void lanes_print_sum(StrBuf *s, const double *weight, int n, const char *rate, uint32_t i,
                     const char *newest);
void lanes_print_error(StrBuf *s, const Tableau *method, const char *first, const char *second, uint32_t n);
void lanes_print_dense(StrBuf *s, const Tableau *method, const char *suffix);

// Loops of large models: what there is of arrays in the one that is printed.
typedef struct LaneArrays {
    Cgen    *c;
    StrBuf  *s;
    uint32_t width, n;        // lanes, and numbers in x
    uint32_t n_relations, n_asserts;
    uint32_t n_rates;         // arrays k0, k1, … of rates
    bool     is_watched;
} LaneArrays;
// Prints the functions orr_lane_rates and, for members that are watched, what is looked at.
LaneArrays lanes_begin_arrays(Cgen *c, int n_rates);
void lanes_print_program(Cgen *c, IrProgramId id, const char *name);
// Up to the beginning of a step, from x: arrays k0, k1, … for rates, y for a state, t and t_next for its
// ends, t_1 … for stages between, `more` for other numbers; `constants` stands before the loop.
void lanes_print_head(const LaneArrays *a, const char *name, const char *constants, const Tableau *method);
void lanes_print_call(const LaneArrays *a, const char *what, const char *time, const char *state,
                      const char *out);
void lanes_print_end(const LaneArrays *a, const char *value);    // of the new state, for each number j

void lanes_print_arrays(Cgen *c, const Tableau *method);
void lanes_print_noise(Cgen *c, CodeLaneFamily family);
void lanes_print_adaptive(Cgen *c, const Tableau *method);
// Doubles that they need for each member, besides states and values; with noise or adaptive steps, more.
size_t lanes_scratch(const Ir *ir, int n_rates);
size_t lanes_noise_scratch(const Ir *ir);
size_t lanes_adaptive_scratch(const Ir *ir, const Tableau *method);

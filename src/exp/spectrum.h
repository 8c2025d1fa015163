// src/exp/spectrum.h: complex numbers and variables with their units, for people.
#pragma once
#include "exp/kind.h"
#include "orrery/analyse.h"

// "-1", "-0.5 ± 2i": n eigenvalues, poles or zeros, each behind `indent`; a conjugate pair is one line. With
// `with_frequency` the frequency and damping of each pair follow.
void say_spectrum(Call *call, const orr_complex *values, size_t n, const char *indent, bool with_frequency);
// "  name [unit] = value" for several variables, out of the values of all.
void say_variables(Call *call, const size_t *variables, size_t n, const double *values, const char *indent);
// The outputs of the model that are not states; in the arena of the result.
size_t *point_outputs(const Call *call, size_t *n);
// Points of a model, a row for each of `values`: the states and the outputs that are not states.
void sheet_points(Sheet *sheet, const size_t *states, size_t n_states, const double *const *values);

// apps/cli/spectrum.h: complex numbers and units for people.
#pragma once
#include "options.h"

// "-1", "-0.5 ± 2i": n eigenvalues, poles or zeros, each behind `indent`; a conjugate pair is one line. With
// `with_frequency` the frequency and damping of each pair follow.
void spectrum_print(const orr_complex *values, size_t n, const char *indent, bool with_frequency, FILE *out);
void spectrum_text(orr_complex value, bool is_pair, char *text, size_t size);
// "x [m]": name and unit of a variable, padded to `width` characters.
void variable_print(const orr_model *model, size_t variable, int width, FILE *out);
int  variable_width(const orr_model *model, const size_t *variables, size_t n, int at_least);
// "  name = value" for several variables, out of the values of all.
void variables_print(const orr_model *model, const size_t *variables, size_t n, const double *values,
                     const char *indent, FILE *out);
// The outputs of a model that are not states; heap.
size_t *variables_outputs(const orr_model *model, size_t *n);

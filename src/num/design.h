// src/num/design.h: points of a study: which combinations of values are tried.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DESIGN_SOBOL_MAX = 10 };    // dimensions for which there are direction numbers

typedef enum DesignKind {
    DESIGN_GRID,     // each value with each; the last factor changes fastest
    DESIGN_LATIN,    // Latin hypercube: each of n equal parts of each range once, paired at random
    DESIGN_SOBOL,    // Sobol' sequence: each stretch of it fills all directions evenly
} DesignKind;

// Fill u [n][n_factors] with numbers in (0, 1). Of a grid it is not asked.
void design_latin(double *u, size_t n, size_t n_factors, uint64_t seed);
void design_sobol(double *u, size_t n, size_t n_factors);    // n_factors <= DESIGN_SOBOL_MAX

// src/num/indices.h: which of several inputs a result depends on: designs for such questions and what their
// results say.
//
// All designs are points of the unit cube, [n][k]; whoever asks maps them into ranges, computes the results y
// [n] in this order and hands them back.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- Sobol': parts of the variance. Points: A, B, then A with column i of B for each i: n·(k + 2).
void indices_sobol_design(double *u, size_t n, size_t k, uint64_t seed);

typedef struct Indices {
    double first, total;                   // part of the variance by it alone; with all it acts together with
    double first_error, total_error;       // standard errors, by drawing the rows anew
} Indices;
// NaN if nothing varies. y is spoilt: its mean is taken off.
void indices_sobol(double *y, size_t n, size_t k, uint64_t seed, Indices *out);

// ---- Morris: elementary effects along n paths of k + 1 points, on a grid of 4 levels.
void indices_morris_design(double *u, size_t n, size_t k, uint64_t seed);
// mean of the magnitudes of the effects over the whole range, and their deviation, for each input [k].
void indices_morris(const double *u, const double *y, size_t n, size_t k, double *mean, double *deviation);

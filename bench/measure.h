// bench/measure.h: what the programs beside the benchmarks share: a clock, and numbers from the environment.
#pragma once
#include <stdlib.h>
#include <time.h>

static inline double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// Read while the program runs, so that the compiler can fold none of them.
static inline double given(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text ? atof(text) : otherwise;
}

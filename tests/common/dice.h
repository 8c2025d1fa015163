// tests/common/dice.h: numbers that look random and are the same in every run (SplitMix64).
#pragma once
#include <stdint.h>

static inline uint64_t random_next(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint32_t random_below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)(random_next(seed) >> 33) % n;
}

// From 0.5 to 1.5.
static inline double random_number(uint64_t *seed)
{
    return 0.5 + (double)(random_next(seed) >> 11) * 0x1p-53;
}

// src/num/design.c: see design.h. [McKay, Beckman, Conover 1979; Sobol' 1967; Antonov and Saleev 1979]
#include "num/design.h"
#include "num/random.h"

void design_latin(double *u, size_t n, size_t n_factors, uint64_t seed)
{
    for (size_t k = 0; k < n_factors; k++) {
        RandomStream stream = random_stream(seed, k, "Latin hypercube");
        for (size_t i = 0; i < n; i++) u[i * n_factors + k] = ((double)i + random_unit(&stream)) / (double)n;
        for (size_t i = n; i > 1; i--) {    // [Fisher and Yates]
            const size_t other = (size_t)random_below(&stream, i) * n_factors + k;
            const double swap = u[(i - 1) * n_factors + k];
            u[(i - 1) * n_factors + k] = u[other];
            u[other] = swap;
        }
    }
}

// Primitive polynomials and first direction numbers from the second dimension on. [Joe and Kuo 2008]
static const struct {
    unsigned degree, coefficients, first[5];
} directions[DESIGN_SOBOL_MAX - 1] = {
    { 1, 0, { 1 } },
    { 2, 1, { 1, 3 } },
    { 3, 1, { 1, 3, 1 } },
    { 3, 2, { 1, 1, 1 } },
    { 4, 1, { 1, 1, 3, 3 } },
    { 4, 4, { 1, 3, 5, 13 } },
    { 5, 2, { 1, 1, 5, 5, 17 } },
    { 5, 4, { 1, 1, 5, 5, 5 } },
    { 5, 7, { 1, 1, 7, 11, 19 } },
};

enum { BITS = 32 };

static void find_directions(size_t dimension, uint32_t v[BITS])
{
    if (dimension == 0) {
        for (unsigned i = 0; i < BITS; i++) v[i] = 1u << (BITS - 1 - i);
        return;
    }
    const unsigned s = directions[dimension - 1].degree, a = directions[dimension - 1].coefficients;
    for (unsigned i = 0; i < s; i++) v[i] = directions[dimension - 1].first[i] << (BITS - 1 - i);
    for (unsigned i = s; i < BITS; i++) {
        v[i] = v[i - s] ^ (v[i - s] >> s);
        for (unsigned k = 1; k < s; k++)
            if (a >> (s - 1 - k) & 1) v[i] ^= v[i - k];
    }
}

void design_sobol(double *u, size_t n, size_t n_factors)
{
    for (size_t k = 0; k < n_factors; k++) {
        uint32_t v[BITS], x = 0;
        find_directions(k, v);
        for (size_t i = 0; i < n; i++) {
            u[i * n_factors + k] = ((double)x + 0.5) * 0x1p-32;
            unsigned bit = 0;    // the lowest that is 0 in i: the order of Gray's code
            while (bit < BITS - 1 && (i >> bit & 1)) bit++;
            x ^= v[bit];
        }
    }
}

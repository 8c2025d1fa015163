// src/expr/each.c: SLEEF's functions of vectors without fused multiply-add, as wide as the machine has them.
#include "expr/each.h"

#if defined __x86_64__

typedef double Two __attribute__((vector_size(16)));
typedef double Four __attribute__((vector_size(32)));
typedef double Eight __attribute__((vector_size(64)));

// Groups of `width` from memory that need not be aligned. The last one is padded with one of its own numbers,
// so that no lane takes a slow way.
#define DEFINE_IN_GROUPS(name, isa, Vector, width)                                                        \
    __attribute__((target(isa))) static void name(double *f, int n, Vector (*function)(Vector))           \
    {                                                                                                     \
        for (int i = 0; i < n; i += width) {                                                              \
            const int left = n - i;                                                                       \
            Vector v;                                                                                     \
            if (left >= width) {                                                                          \
                __builtin_memcpy(&v, f + i, sizeof v);                                                    \
                v = function(v);                                                                          \
                __builtin_memcpy(f + i, &v, sizeof v);                                                    \
            } else {                                                                                      \
                double last[width];                                                                       \
                for (int k = 0; k < width; k++) last[k] = f[i + (k < left ? k : 0)];                      \
                __builtin_memcpy(&v, last, sizeof v);                                                     \
                v = function(v);                                                                          \
                __builtin_memcpy(last, &v, sizeof v);                                                     \
                for (int k = 0; k < left; k++) f[i + k] = last[k];                                        \
            }                                                                                             \
        }                                                                                                 \
    }
DEFINE_IN_GROUPS(in_twos, "sse2", Two, 2)
DEFINE_IN_GROUPS(in_fours, "avx", Four, 4)
DEFINE_IN_GROUPS(in_eights, "avx512f", Eight, 8)

// SLEEF's header declares those that the compiler's own machine has
#define SLEEF(name, accuracy)                                                                             \
    Two   narrow_##name(Two) __asm__("Sleef_cinz_" #name "d2_" #accuracy "sse2");                         \
    Four  wide_##name(Four) __asm__("Sleef_cinz_" #name "d4_" #accuracy "avx");                           \
    Eight widest_##name(Eight) __asm__("Sleef_cinz_" #name "d8_" #accuracy "avx512fnofma");               \
    void each_##name(double *f, int n)                                                                    \
    {                                                                                                     \
        if (__builtin_cpu_supports("avx512f")) in_eights(f, n, widest_##name);                            \
        else if (__builtin_cpu_supports("avx")) in_fours(f, n, wide_##name);                              \
        else in_twos(f, n, narrow_##name);                                                                \
    }

#else
#include <sleef.h>

#define SLEEF(name, accuracy)                                                                             \
    void each_##name(double *f, int n)                                                                    \
    {                                                                                                     \
        for (int i = 0; i < n; i++) f[i] = Sleef_cinz_##name##d1_##accuracy##purec(f[i]);                 \
    }

#endif

#define FN(name, arity, text, value, unit, shape, domain, interval, derivative) value
#include "expr/ops.def"

// src/base/sha256.h: a content hash that nobody can make collide (FIPS 180-4).
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

typedef struct Sha256 {
    uint32_t state[8];
    uint64_t n;               // bytes so far
    uint8_t  block[64];
} Sha256;
void sha256_init(Sha256 *s);
void sha256_add(Sha256 *s, const void *bytes, size_t n);
void sha256_finish(Sha256 *s, uint8_t hash[SHA256_BYTES]);

static inline void sha256(const void *bytes, size_t n, uint8_t hash[SHA256_BYTES])
{
    Sha256 s;
    sha256_init(&s);
    sha256_add(&s, bytes, n);
    sha256_finish(&s, hash);
}
void sha256_text(const uint8_t hash[SHA256_BYTES], char text[2 * SHA256_BYTES + 1]);    // hexadecimal

// src/code/seal.h: objects of the cache of native code, sealed with a secret of the user's.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Both: false if the file is not there, is not the user's own, or cannot be read or written. A seal holds if
// the file is as it was when it was sealed, by this user.
bool seal_add(const char *path);
bool seal_holds(const char *path);
// The keyed hash: SipHash-2-4.
uint64_t seal_hash(const uint64_t key[2], const void *bytes, size_t n);

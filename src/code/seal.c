// src/code/seal.c: see seal.h. Behind the object's own bytes stand their number and a keyed hash of them,
// SipHash-2-4 (Aumasson and Bernstein 2012). The key is 16 random bytes in <cache>/secret, which only the
// user may read: who plants an object in the cache needs that as well.
#include "code/seal.h"
#include "base/os.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OBJECT_MAX = 1 << 30, OTHERS_WRITE = S_IWGRP | S_IWOTH };

typedef struct Seal {
    char     magic[8];
    uint64_t n_bytes;    // before the seal
    uint64_t hash;       // of them
} Seal;
static const char seal_magic[8] = "orrery.2";

// ---- The keyed hash

static uint64_t rotate(uint64_t x, int n) { return x << n | x >> (64 - n); }

static void mix(uint64_t v[4], int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1], v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0], v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1], v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2], v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

uint64_t seal_hash(const uint64_t key[2], const void *bytes, size_t n)
{
    uint64_t v[4] = { key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                      key[1] ^ 0x7465646279746573 };
    for (size_t i = 0; i <= n / 8; i++) {
        uint64_t word = 0;
        memcpy(&word, (const char *)bytes + 8 * i, i < n / 8 ? 8 : n % 8);
        if (i == n / 8) word |= (uint64_t)n << 56;
        v[3] ^= word;
        mix(v, 2);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

// ---- The secret

static bool read_secret(const char *path, uint64_t key[2])
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
                    (st.st_mode & 077) == 0 && read(fd, key, 16) == 16;
    if (fd >= 0) close(fd);
    return ok;
}

// One that others could have read is replaced. Of two processes that make one, the second takes the first's.
static bool get_secret(uint64_t key[2])
{
    Arena work = { 0 };
    const char *folder = os_private_folder(&work, NULL, NULL);
    const char *path = folder ? os_path_join(&work, folder, "secret") : NULL;
    bool ok = path && read_secret(path, key);
    if (path && !ok) {
        char *own = arena_printf(&work, "%s.XXXXXX", path);
        const int fd = mkostemp(own, O_CLOEXEC);    // mode 0600
        const bool made = fd >= 0 && getrandom(key, 16, 0) == 16 && write(fd, key, 16) == 16;
        if (fd >= 0) close(fd);
        if (made && link(own, path) != 0 && errno == EEXIST && !read_secret(path, key)) rename(own, path);
        if (fd >= 0) unlink(own);
        ok = made && read_secret(path, key);
    }
    arena_free(&work);
    return ok;
}

// ---- Objects

static bool is_own(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
           !(st.st_mode & OTHERS_WRITE);
}

bool seal_holds(const char *path)
{
    Arena work = { 0 };
    Text bytes;
    uint64_t key[2];
    Seal seal;
    bool ok = is_own(path) && get_secret(key) && os_read_file(&work, NULL, path, OBJECT_MAX, &bytes, NULL) &&
              bytes.n > sizeof seal;
    if (ok) {
        const size_t n = bytes.n - sizeof seal;
        memcpy(&seal, bytes.p + n, sizeof seal);
        ok = memcmp(seal.magic, seal_magic, sizeof seal_magic) == 0 && seal.n_bytes == n &&
             seal.hash == seal_hash(key, bytes.p, n);
    }
    arena_free(&work);
    return ok;
}

bool seal_add(const char *path)
{
    Arena work = { 0 };
    Text bytes;
    uint64_t key[2];
    bool ok = get_secret(key) && chmod(path, 0600) == 0 &&
              os_read_file(&work, NULL, path, OBJECT_MAX, &bytes, NULL);
    if (ok) {
        Seal seal = { .n_bytes = bytes.n, .hash = seal_hash(key, bytes.p, bytes.n) };
        memcpy(seal.magic, seal_magic, sizeof seal_magic);
        const int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        ok = fd >= 0 && write(fd, &seal, sizeof seal) == sizeof seal;
        if (fd >= 0 && close(fd) != 0) ok = false;
    }
    arena_free(&work);
    return ok;
}

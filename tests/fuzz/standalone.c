// tests/fuzz/standalone.c: the main of a fuzz target built without libFuzzer: run it over files and folders
// of files, or with `-random N` over N short inputs of random bytes, always the same.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t size = 0, room = 1 << 16;
    uint8_t *data = malloc(room);
    while (data) {
        size += fread(data + size, 1, room - size, file);
        if (size < room) break;
        room *= 2;
        uint8_t *more = realloc(data, room);
        if (!more) free(data);
        data = more;
    }
    fclose(file);
    if (!data) {
        fprintf(stderr, "%s: too large\n", path);
        return 1;
    }
    // a copy of exactly that size, so that a sanitizer sees the first byte read behind it
    uint8_t *exact = malloc(size ? size : 1);
    if (exact) {
        memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
    }
    free(exact);
    free(data);
    return 0;
}

static int run_path(const char *path, int *n_files)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        perror(path);
        return 1;
    }
    if (!S_ISDIR(info.st_mode)) {
        ++*n_files;
        return run_file(path);
    }
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort), failed = 0;
    for (int i = 0; i < n; i++) {
        char inner[4096];
        if (entries[i]->d_name[0] != '.') {
            snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
            ++*n_files;
            failed |= run_file(inner);
        }
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    return failed;
}

// [Steele, Lea & Flood 2014]
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void run_random(uint64_t first, uint64_t n)
{
    const char *shown = getenv("FUZZ_SHOWS");    // each number before it is tried: to find the one that fails
    for (uint64_t k = first; k < first + n; k++) {
        uint64_t state = k;
        uint8_t data[64];
        for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)next_random(&state);
        if (shown) fprintf(stderr, "%llu\n", (unsigned long long)k);
        // few changes are more dangerous than many: those are refused at once
        const size_t few = 5 + 4 * (next_random(&state) % 2), many = 1 + next_random(&state) % sizeof data;
        LLVMFuzzerTestOneInput(data, next_random(&state) % 3 ? few : many);
    }
}

int main(int argc, char **argv)
{
    int n_files = 0, failed = 0;
    if (argc >= 3 && strcmp(argv[1], "-random") == 0) {
        const uint64_t n = strtoull(argv[2], NULL, 10), first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
        run_random(first, n);
        printf("%llu inputs\n", (unsigned long long)n);
        return 0;
    }
    for (int i = 1; i < argc; i++) failed |= run_path(argv[i], &n_files);
    printf("%d inputs\n", n_files);
    return failed || n_files == 0;
}

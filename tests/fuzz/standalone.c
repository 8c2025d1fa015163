// tests/fuzz/standalone.c: the main of a fuzz target built without libFuzzer: run it over files and folders
// of files.
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

int main(int argc, char **argv)
{
    int n_files = 0, failed = 0;
    for (int i = 1; i < argc; i++) failed |= run_path(argv[i], &n_files);
    printf("%d inputs\n", n_files);
    return failed || n_files == 0;
}

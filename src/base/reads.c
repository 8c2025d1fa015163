// src/base/reads.c: see reads.h.
#include "base/reads.h"
#include "base/map.h"
#include "base/os.h"
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILES_MAX = 100000 };

static struct {
    pthread_mutex_t lock;
    bool   notes;
    Arena  arena;              // of what follows
    Names  names;              // of files noted
    ReadFile *files;           // [names.n]
    size_t capacity;
    const ReadFile *served;    // [n_served] borrowed
    size_t n_served;
} reads = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const char *name_of(Arena *arena, const char *path)
{
    const char *library = os_library_folder(arena);
    const char *inside = library ? os_name_below(library, path) : path;
    return inside != path ? arena_printf(arena, "library:%s", inside) : path;
}

void reads_note(void)
{
    pthread_mutex_lock(&reads.lock);
    arena_free(&reads.arena);
    names_init(&reads.names, &reads.arena);
    reads.files = NULL;
    reads.capacity = 0;
    reads.notes = true;
    pthread_mutex_unlock(&reads.lock);
}

static char *copy(Arena *arena, const char *text)
{
    return text ? arena_copy_text(arena, text, strlen(text)) : NULL;
}

static void note(const char *folder, const char *path)
{
    Arena work = { 0 };
    const char *name = name_of(&work, path);
    const uint32_t id = names_intern(&reads.names, text_from(name));
    if (reads.names.n > reads.capacity) {
        const size_t capacity = reads.capacity ? 2 * reads.capacity : 16;
        ReadFile *larger = ARENA_ARRAY(&reads.arena, ReadFile, capacity);
        if (reads.capacity) memcpy(larger, reads.files, reads.capacity * sizeof *larger);
        reads.files = larger;
        reads.capacity = capacity;
    }
    if (!reads.files[id].path)
        reads.files[id] = (ReadFile){ .folder = copy(&reads.arena, folder), .path = copy(&reads.arena, path),
                                      .name = names_text(&reads.names, id) };
    arena_free(&work);
}

size_t reads_noted(Arena *arena, ReadFile **files)
{
    pthread_mutex_lock(&reads.lock);
    const size_t n = reads.notes ? reads.names.n : 0;
    *files = ARENA_ARRAY(arena, ReadFile, n);
    for (size_t i = 0; i < n; i++)
        (*files)[i] = (ReadFile){ .folder = copy(arena, reads.files[i].folder),
                                  .path = copy(arena, reads.files[i].path),
                                  .name = copy(arena, reads.files[i].name) };
    pthread_mutex_unlock(&reads.lock);
    return n;
}

void reads_serve(const ReadFile *files, size_t n)
{
    pthread_mutex_lock(&reads.lock);
    reads.served = files;
    reads.n_served = n;
    pthread_mutex_unlock(&reads.lock);
}

static const ReadFile *find_served(const char *path)
{
    Arena work = { 0 };
    const char *name = reads.n_served ? name_of(&work, path) : NULL;
    const ReadFile *found = NULL;
    for (size_t i = 0; i < reads.n_served && !found; i++)
        if (strcmp(reads.served[i].name, name) == 0) found = &reads.served[i];
    arena_free(&work);
    return found;
}

bool reads_has(const char *path)
{
    pthread_mutex_lock(&reads.lock);
    const bool has = find_served(path) != NULL;
    pthread_mutex_unlock(&reads.lock);
    return has;
}

// A file of its own in memory: whoever reads it piece by piece has his own place in it.
static int open_text(Text text)
{
    const int fd = memfd_create("served", MFD_CLOEXEC);
    size_t done = 0;
    while (fd >= 0 && done < text.n) {
        const ssize_t n = write(fd, text.p + done, text.n - done);
        if (n <= 0) break;
        done += (size_t)n;
    }
    if (fd < 0 || (done == text.n && lseek(fd, 0, SEEK_SET) == 0)) return fd;
    close(fd);
    return -1;
}

int reads_open(const char *folder, const char *path, bool *is_served)
{
    pthread_mutex_lock(&reads.lock);
    const ReadFile *served = find_served(path);
    int fd = -1;
    *is_served = served != NULL;
    if (served) fd = open_text(served->text);
    if (reads.notes && reads.names.n < FILES_MAX) note(folder, path);
    pthread_mutex_unlock(&reads.lock);
    return fd;
}

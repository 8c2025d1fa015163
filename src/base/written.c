// src/base/written.c: see written.h. A list in the user's cache, to which each run appends:
//
//     <cache>/written    device, inode, time of birth; then, once it is finished, size and hash of its end
//
// The last entry of a file counts. It knows a file by what it is, not by its name, so a folder may be moved;
// a copy is another file, and one that somebody edited differs from what is noted. A mark in the file itself
// would change what other programs read, and an attribute is lost by most of them.
#include "base/written.h"
#include "base/confine.h"
#include "base/map.h"
#include "base/os.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAIL_BYTES = 1 << 16, LIST_MAX = 1 << 20 };

typedef struct Entry {
    uint64_t device, inode, born, size, hash, is_whole;
} Entry;

static bool identify(int fd, Entry *entry)
{
    struct statx info;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &info) != 0 || !S_ISREG(info.stx_mode))
        return false;
    *entry = (Entry){ .device = (uint64_t)info.stx_dev_major << 32 | info.stx_dev_minor,
                      .inode = info.stx_ino, .size = info.stx_size };
    if (info.stx_mask & STATX_BTIME)
        entry->born = (uint64_t)info.stx_btime.tv_sec * 1000000000u + info.stx_btime.tv_nsec;
    return true;
}

// Of the last bytes; 0 if they cannot be read.
static uint64_t hash_end(int fd, uint64_t size)
{
    // the file is open for writing: read it by another description
    char path[64], *bytes = malloc(TAIL_BYTES);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int in = bytes ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const size_t n = size < TAIL_BYTES ? (size_t)size : TAIL_BYTES;
    const bool ok = in >= 0 && pread(in, bytes, n, (off_t)(size - n)) == (ssize_t)n;
    const uint64_t hash = ok ? hash_join(size, hash_bytes(bytes, n)) : 0;
    if (in >= 0) close(in);
    free(bytes);
    return hash;
}

static int open_list(int flags)
{
    Arena work = { 0 };
    const char *folder = os_private_folder(&work, NULL, NULL);
    const char *path = folder ? os_path_join(&work, folder, "written") : NULL;
    const int fd = path ? open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    arena_free(&work);
    return fd;
}

bool written_is_ours(int fd)
{
    Entry file, last = { 0 }, entry;
    const int list = identify(fd, &file) ? open_list(O_RDONLY) : -1;
    FILE *in = list >= 0 ? fdopen(list, "r") : NULL;
    while (in && fread(&entry, sizeof entry, 1, in) == 1)
        if (entry.inode == file.inode && entry.device == file.device && entry.born == file.born) last = entry;
    if (in) fclose(in);
    else if (list >= 0) close(list);
    if (last.inode == 0) return false;
    return !last.is_whole || (last.size == file.size && last.hash == hash_end(fd, file.size));
}

// Older entries go when the list is long: their files then need consent to be replaced.
static void shorten(int list)
{
    struct stat info;
    if (fstat(list, &info) != 0 || info.st_size < LIST_MAX) return;
    const size_t n = LIST_MAX / 2 / sizeof(Entry) * sizeof(Entry);
    char *kept = malloc(n);
    if (kept && pread(list, kept, n, info.st_size / (off_t)sizeof(Entry) * (off_t)sizeof(Entry) - (off_t)n) ==
                    (ssize_t)n &&
        ftruncate(list, 0) == 0 && write(list, kept, n) != (ssize_t)n)
        (void)!ftruncate(list, 0);
    free(kept);
}

static void note(int fd, bool is_whole)
{
    Entry entry;
    if (!identify(fd, &entry)) return;
    entry.is_whole = is_whole;
    if (is_whole) entry.hash = hash_end(fd, entry.size);
    const int list = open_list(O_RDWR | O_CREAT | O_APPEND);
    if (list < 0) return;    // nothing is remembered: the file stays until somebody consents
    if (flock(list, LOCK_EX) == 0) {
        shorten(list);
        if (write(list, &entry, sizeof entry) != sizeof entry) (void)!ftruncate(list, 0);
    }
    close(list);
}

typedef struct Note {
    int  fd;
    bool is_whole;
} Note;

static void do_note(void *self) { note(((Note *)self)->fd, ((Note *)self)->is_whole); }

void written_note(int fd, bool is_whole) { confine_outside(do_note, &(Note){ fd, is_whole }); }

// src/base/os_linux.c: the operating system, as Linux has it.
#include "base/confine.h"
#include "base/diag.h"
#include "base/os.h"
#include "base/reads.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

uint64_t os_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void os_sleep_ns(uint64_t ns)
{
    const struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };
    nanosleep(&ts, NULL);
}

const char *os_error_text(int error, char *buffer, size_t n)
{
    return strerror_r(error, buffer, n);    // the GNU form, which returns the text
}

// ---- Reading

static void report_unreadable(const char *path, int error, orr_diag *diag)
{
    char buffer[128];
    if (error == ENOENT || error == ENOTDIR) diag_report(diag, DIAG_FILE_MISSING, (Place){ 0 }, path);
    else if (error == EISDIR) diag_report(diag, DIAG_FILE_IS_FOLDER, (Place){ 0 }, path);
    else if (error == ENXIO) diag_report(diag, DIAG_FILE_NOT_PLAIN, (Place){ 0 }, path);
    else if (error == EXDEV) {
        diag_report(diag, DIAG_FILE_OUTSIDE, (Place){ 0 }, path);
        diag_hint(diag, "a link leads there; copy the file");
    } else
        diag_report(diag, DIAG_FILE_UNREADABLE, (Place){ 0 }, path,
                    os_error_text(error, buffer, sizeof buffer));
}

// Read to the end, or to one byte more than the limit. The size known beforehand is a hint only: pipes have
// none, and a file may change while it is read.
static bool read_all(int fd, size_t hint, size_t limit, Arena *arena, Text *out, int *error)
{
    size_t capacity = hint < limit ? hint + 2 : limit + 2, n = 0;    // room for a NUL and to see the end
    if (capacity < 4096) capacity = 4096;
    char *p = arena_alloc(arena, capacity, 1);
    for (;;) {
        if (capacity - n < 2) {
            p = arena_grow(arena, p, capacity, capacity * 2, 1);
            capacity *= 2;
        }
        const ssize_t got = read(fd, p + n, capacity - n - 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            *error = errno;
            return false;
        }
        if (got == 0) break;
        n += (size_t)got;
        if (n > limit) break;
    }
    p[n] = 0;
    *out = (Text){ p, n };
    return true;
}

int os_open_to_read(const char *folder, const char *path, orr_diag *diag)
{
    if (!folder && strcmp(path, "-") == 0) return STDIN_FILENO;
    // what the program reads for itself, without messages, decides no run
    bool is_served = false;
    int fd = diag ? reads_open(folder, path, &is_served) : -1;
    if (!is_served)
        fd = folder ? os_open_below(folder, path, O_RDONLY) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat info;
    const int error = fd < 0 || fstat(fd, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
    if (!error) return fd;
    report_unreadable(path, error, diag);
    if (fd >= 0) close(fd);
    return -1;
}

bool os_read_file(Arena *arena, const char *folder, const char *path, size_t limit, Text *out,
                  orr_diag *diag)
{
    *out = (Text){ 0 };
    const int fd = os_open_to_read(folder, path, diag);
    if (fd < 0) return false;

    const ArenaMark mark = arena_mark(arena);
    struct stat info;
    const bool has_size = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    bool too_large = has_size && (uint64_t)info.st_size > limit;
    int error = 0;
    if (!too_large && read_all(fd, has_size ? (size_t)info.st_size : 0, limit, arena, out, &error))
        too_large = out->n > limit;
    if (fd != STDIN_FILENO) close(fd);

    if (error) report_unreadable(path, error, diag);
    else if (too_large) diag_report(diag, DIAG_FILE_TOO_LARGE, (Place){ 0 }, path, limit);
    else return true;
    arena_release(arena, mark);
    *out = (Text){ 0 };
    return false;
}

// ---- Paths

bool os_file_exists(const char *path) { return reads_has(path) || access(path, F_OK) == 0; }

bool os_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool make_folders(const char *path, orr_diag *diag)
{
    Arena arena = { 0 };
    char *part = arena_copy_text(&arena, path, strlen(path));
    int error = 0;
    // make a, then a/b, then a/b/c; those that exist are fine
    for (char *p = part; !error;) {
        p += strspn(p, "/");
        p += strcspn(p, "/");
        const char end = *p;
        *p = 0;
        const int refusal = mkdir(part, 0777) == 0 ? 0 : errno;    // before another call changes it
        if (refusal && !os_is_folder(part)) error = refusal;
        *p = end;
        if (!end) break;
    }
    char buffer[128];
    if (error)
        diag_report(diag, DIAG_FOLDER_FAILED, (Place){ 0 }, path,
                    os_error_text(error, buffer, sizeof buffer));
    arena_free(&arena);
    return !error;
}

typedef struct Folders {
    const char *path;
    orr_diag   *diag;
    bool        ok;
} Folders;

static void do_make(void *self)
{
    Folders *f = self;
    f->ok = make_folders(f->path, f->diag);
}

bool os_make_folders(const char *path, orr_diag *diag)
{
    Folders f = { path, diag, false };
    confine_outside(do_make, &f);
    return f.ok;
}

char *os_path_folder(Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return arena_copy_text(arena, ".", 1);
    return arena_copy_text(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

char *os_path_join(Arena *arena, const char *folder, const char *name)
{
    if (name[0] == '/' || strcmp(folder, ".") == 0 || !folder[0])
        return arena_copy_text(arena, name, strlen(name));
    const bool has_slash = folder[strlen(folder) - 1] == '/';
    return arena_printf(arena, "%s%s%s", folder, has_slash ? "" : "/", name);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *os_path_suffix(const char *path)
{
    const char *name = file_name(path), *dot = strrchr(name, '.');
    return dot && dot != name ? dot : name + strlen(name);
}

char *os_path_stem(Arena *arena, const char *path)
{
    const char *name = file_name(path);
    return arena_copy_text(arena, name, (size_t)(os_path_suffix(path) - name));
}

char *os_cache_folder(Arena *arena)
{
    const char *own = getenv("ORRERY_CACHE");
    if (own && own[0]) return arena_copy_text(arena, own, strlen(own));
    const char *cache = getenv("XDG_CACHE_HOME");
    // the standard ignores relative ones
    if (cache && cache[0] == '/') return os_path_join(arena, cache, "orrery");
    const char *home = getenv("HOME");
    if (home && home[0] == '/') return os_path_join(arena, home, ".cache/orrery");
    return arena_printf(arena, "/tmp/orrery-%ld", (long)getuid());
}

// Others of the user's group could write to what older versions made: that is taken from them.
static bool make_private(const char *folder)
{
    struct stat st;
    mkdir(folder, 0700);
    if (lstat(folder, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & S_IWOTH))
        return false;
    return !(st.st_mode & S_IWGRP) || chmod(folder, st.st_mode & 07755) == 0;
}

char *os_private_folder(Arena *arena, const char *name, orr_diag *diag)
{
    char *root = os_cache_folder(arena), *folder = name ? os_path_join(arena, root, name) : root;
    if (!os_is_folder(os_path_folder(arena, root)) && !os_make_folders(os_path_folder(arena, root), diag))
        return NULL;
    for (int i = 0; i < 2; i++) {
        char *one = i == 0 ? root : folder, buffer[128];
        if (make_private(one)) continue;
        const int error = errno;
        if (os_is_folder(one))
            diag_report(diag, DIAG_WRITE_FAILED, (Place){ 0 }, one,
                        "it belongs to others or others may write to it");
        else
            diag_report(diag, DIAG_FOLDER_FAILED, (Place){ 0 }, one,
                        os_error_text(error, buffer, sizeof buffer));
        return NULL;
    }
    return folder;
}

char *os_library_folder(Arena *arena)
{
    char program[4096];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n > 0) {
        program[n] = '\0';
        char *beside = os_path_join(arena, os_path_folder(arena, program), "../share/orrery/lib");
        if (os_is_folder(beside)) return beside;
    }
    const Text installed = TEXT(ORRERY_LIBRARY);
    return os_is_folder(installed.p) ? arena_copy_text(arena, installed.p, installed.n) : NULL;
}

// ---- Processors

int os_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

void *os_large_alloc(size_t bytes)
{
    const size_t page = (size_t)2 << 20;
    const size_t alignment = bytes >= page / 2 ? page : 64;
    if (bytes > SIZE_MAX - page) arena_no_memory(bytes);
    const size_t size = (bytes + alignment) / alignment * alignment;
    void *p = aligned_alloc(alignment, size);
    if (!p) arena_no_memory(bytes);
    // a last page of which less than half is used stays in small ones; refusal is no failure
    if (alignment == page) (void)madvise(p, (bytes + page / 2) / page * page, MADV_HUGEPAGE);
    memset(p, 0, bytes);
    return p;
}

// src/base/os_open.c: files that the text of a model names, opened below the folder of the model.
//
// A path says nothing about where it leads: a link in the folder may point anywhere. So the folder is opened
// first, and the kernel finds the rest from there without ever leaving it (RESOLVE_BENEATH). Kernels that
// cannot do that get a walk from folder to folder which follows no link at all. Both end at plain files: a
// FIFO would let the reader wait for ever, and a device does things by being opened.
#include "base/confine.h"
#include "base/os.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TRIES = 100, NEW_FILE = 0666 };

// By the kernel; ENOSYS or EPERM if it cannot or may not.
static int open_beneath(int folder, const char *name, int flags)
{
    const struct open_how how = { .flags = (uint64_t)(unsigned)flags,
                                  .mode = flags & O_CREAT ? NEW_FILE : 0,
                                  .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
    int fd = -1;
    // EAGAIN: somebody renamed a folder on the way
    for (int i = 0; i < TRIES && fd < 0 && (i == 0 || errno == EAGAIN || errno == EINTR); i++)
        fd = (int)syscall(SYS_openat2, folder, name, &how, sizeof how);
    return fd;
}

// The folders on the way and the file; false if the name leads out.
static bool split(Arena *arena, const char *name, const char ***parts, size_t *n)
{
    *parts = ARENA_ARRAY(arena, const char *, strlen(name) + 1);
    *n = 0;
    if (name[0] == '/') return false;
    for (char *at = arena_copy_text(arena, name, strlen(name)), *part; (part = strsep(&at, "/"));) {
        if (!*part || strcmp(part, ".") == 0) continue;
        if (strcmp(part, "..") != 0) (*parts)[(*n)++] = part;
        else if ((*n)-- == 0) return false;
    }
    return true;
}

// Step by step: "a/../b" is b, which is right because nothing on the way is a link.
static int open_walking(int folder, const char *name, int flags)
{
    Arena work = { 0 };
    const char **parts;
    size_t n;
    int fd = -1, at = folder, error = split(&work, name, &parts, &n) ? EISDIR : EXDEV;
    for (size_t i = 0; error != EXDEV && i < n; i++) {
        const int how = i + 1 == n ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC;
        fd = openat(at, parts[i], how | O_NOFOLLOW, NEW_FILE);
        error = errno;
        struct stat info;
        if (fd < 0 && fstatat(at, parts[i], &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode))
            error = EXDEV;
        if (at != folder) close(at);
        if (fd < 0) break;
        at = fd;
    }
    arena_free(&work);
    errno = error;
    return fd;
}

const char *os_name_below(const char *folder, const char *path)
{
    const size_t n = strlen(folder);
    if (strcmp(folder, ".") == 0 || strncmp(folder, path, n) != 0) return path;
    if (n > 0 && folder[n - 1] == '/') return path + n;
    return path[n] == '/' ? path + n + 1 : path;
}

bool os_path_leaves(const char *folder, const char *path)
{
    Arena work = { 0 };
    const char **parts;
    size_t n;
    const bool leaves = !split(&work, os_name_below(folder, path), &parts, &n);
    arena_free(&work);
    return leaves;
}

static int open_below(const char *folder, const char *path, int flags)
{
    const int root = open(folder[0] ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) return -1;
    const char *name = os_name_below(folder, path);
    flags |= O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int fd = open_beneath(root, name, flags);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM)) fd = open_walking(root, name, flags);
    struct stat info;
    int error = fd < 0 ? errno : fstat(fd, &info) != 0 ? errno : 0;
    if (!error && !S_ISREG(info.st_mode)) error = S_ISDIR(info.st_mode) ? EISDIR : ENXIO;
    if (error && fd >= 0) close(fd);
    close(root);
    errno = error;
    return error ? -1 : fd;
}

typedef struct Request {
    const char *folder, *path;
    int flags, fd, error;
} Request;

static void do_open(void *self)
{
    Request *r = self;
    r->fd = open_below(r->folder, r->path, r->flags);
    r->error = errno;
}

// Outside, because a confined thread has no openat2, whose flags cannot be checked.
int os_open_below(const char *folder, const char *path, int flags)
{
    Request r = { .folder = folder, .path = path, .flags = flags };
    confine_outside(do_open, &r);
    errno = r.error;
    return r.fd;
}

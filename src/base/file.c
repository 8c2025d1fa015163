// src/base/file.c: the buffered writer.
#include "base/file.h"
#include "base/confine.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/os.h"
#include "base/written.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 16 };    // large enough that write(2) costs little, small enough for the cache

static void report(const char *path, int error, orr_diag *diag)
{
    char buffer[128];
    diag_report(diag, DIAG_WRITE_FAILED, (Place){ 0 }, path, os_error_text(error, buffer, sizeof buffer));
}

static char *copy(const char *text)
{
    char *c = strdup(text);
    if (!c) arena_no_memory(strlen(text));
    return c;
}

static void forget(FileOut *f)
{
    free(f->buffer);
    free(f->path);
    free(f->target);
    free(f->temp);
    *f = (FileOut){ .fd = -1, .error = f->error };
}

// Is it the name of a temporary file of ours for this target: target.1f-ab12.tmp?
static bool is_temporary_of(const char *name, const char *target)
{
    const size_t n = strlen(target);
    if (strncmp(name, target, n) != 0 || name[n] != '.') return false;
    const char *p = name + n + 1;
    const size_t digits = strspn(p, "0123456789abcdef");
    if (digits == 0 || p[digits] != '-') return false;
    p += digits + 1;
    const size_t more = strspn(p, "0123456789abcdef");
    return more > 0 && strcmp(p + more, ".tmp") == 0;
}

// Those that killed runs have left: whoever still writes one has it locked.
static void clean_temporaries(const char *target)
{
    Arena work = { 0 };
    const char *slash = strrchr(target, '/');
    const char *folder = !slash ? "." : slash == target ? "/" : arena_copy_text(&work, target,
                                                                               (size_t)(slash - target));
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (!is_temporary_of(entry->d_name, slash ? slash + 1 : target)) continue;
        const int fd = openat(dirfd(entries), entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) unlinkat(dirfd(entries), entry->d_name, 0);
        if (fd >= 0) close(fd);
    }
    if (entries) closedir(entries);
    arena_free(&work);
}

// Somebody who cleans up may have taken it before it was locked.
static bool lock_temporary(int fd)
{
    struct stat info;
    return flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &info) == 0 && info.st_nlink > 0;
}

// A new file beside the target, so that the rename stays within one file system.
static int open_temporary(FileOut *f)
{
    // write through a symbolic link, do not replace it
    char *real = realpath(f->path, NULL);
    f->target = real ? real : copy(f->path);
    int fd = -1;
    clean_temporaries(f->target);
    for (int attempt = 0; attempt < 100 && fd < 0; attempt++) {
        StrBuf name = { 0 };
        str_addf(&name, "%s.%lx-%llx.tmp", f->target, (long)getpid(), (unsigned long long)os_now_ns());
        free(f->temp);
        f->temp = str_finish(&name);
        fd = open(f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) return -1;
        if (fd >= 0 && !lock_temporary(fd)) {
            close(fd);
            fd = -1;
        }
    }
    // keep the rights of the file that is replaced; if that is refused, those of a new file do
    struct stat old;
    if (fd >= 0 && stat(f->target, &old) == 0 && fchmod(fd, old.st_mode & 0777) != 0) errno = 0;
    return fd;
}

static bool make_buffer(FileOut *f)
{
    f->capacity = BUFFER_BYTES;
    f->buffer = malloc(f->capacity);
    if (!f->buffer) arena_no_memory(f->capacity);
    return true;
}

static bool open_file(FileOut *f, const char *path, FileMode mode, orr_diag *diag)
{
    *f = (FileOut){ .fd = -1, .mode = mode, .path = copy(path) };
    if (strcmp(path, "-") == 0) {
        f->fd = STDOUT_FILENO;
        f->mode = FILE_IN_PLACE;
        f->is_terminal = isatty(STDOUT_FILENO);
    } else {
        // a device or pipe cannot be replaced: write through it
        struct stat info;
        if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
            f->mode = FILE_IN_PLACE;
        f->owns_fd = true;
        f->is_new = access(path, F_OK) != 0;
        f->fd = f->mode == FILE_REPLACE
                    ? open_temporary(f)
                    : open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
        f->is_old = f->fd >= 0 && f->mode == FILE_IN_PLACE && fstat(f->fd, &info) == 0 &&
                    S_ISREG(info.st_mode) && info.st_size > 0;
        if (f->fd >= 0 && f->mode == FILE_REPLACE && os_is_folder(path)) {
            close(f->fd);
            unlink(f->temp);
            f->fd = -1;
            errno = EISDIR;
        }
    }
    if (f->fd < 0) {
        f->error = errno;
        report(path, f->error, diag);
        forget(f);
        return false;
    }
    return make_buffer(f);
}

// Why a model may not write to a file of this name; NULL: it may.
static const char *bad_name(const char *folder, const char *path)
{
    static const char *const suffixes[] = { ".csv", ".tsv", ".dat", ".jsonl", ".nc" };
    const char *name = os_name_below(folder, path);
    for (const char *p = name; *p; p++) {
        const bool begins = p == name || p[-1] == '/';
        if (begins && p[0] == '.' && strcspn(p, "/") > 1 + (size_t)(p[1] == '.')) return "it is hidden";
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(os_path_suffix(path), suffixes[i]) == 0) return NULL;
    return "its suffix is none of results: .csv, .tsv, .dat, .jsonl or .nc";
}

static bool open_result(FileOut *f, const char *folder, const char *path, orr_diag *diag)
{
    *f = (FileOut){ .fd = -1, .mode = FILE_IN_PLACE, .path = copy(path), .owns_fd = true };
    const char *refusal = bad_name(folder, path);
    errno = 0;
    if (!refusal) f->fd = os_open_below(folder, path, O_WRONLY | O_CREAT | O_EXCL);
    if (!refusal && f->fd < 0 && errno == EEXIST) {
        struct stat info;
        f->fd = os_open_below(folder, path, O_WRONLY);
        f->is_old = f->fd >= 0 && fstat(f->fd, &info) == 0 && info.st_size > 0;
        if (f->is_old && !written_is_ours(f->fd))
            refusal = "it exists, and no run of yours has written it so";
    }
    if (!refusal && f->fd < 0) {
        f->error = errno;
        if (errno == EXDEV) refusal = "a link leads out of the folder of the model";
        else if (errno == ENXIO) refusal = "it is no plain file";
        else report(path, errno, diag);
    }
    if (refusal) {
        diag_report(diag, DIAG_OUTPUT_REFUSED, (Place){ 0 }, path, refusal);
        diag_hint(diag, f->is_old ? "move it away, or add --allow-io if you trust the model"
                                  : "if you trust the model, add --allow-io");
    }
    if (refusal || f->fd < 0) {
        if (f->fd >= 0) close(f->fd);
        forget(f);
        return false;
    }
    f->is_noted = true;
    if (!f->is_old) written_note(f->fd, false);
    return make_buffer(f);
}

void file_begin(FileOut *f)
{
    if (f->is_old && f->is_noted) written_note(f->fd, false);
    if (f->is_old && ftruncate(f->fd, 0) != 0 && !f->error) f->error = errno;
    f->is_old = false;
}

// Write the first n bytes of the buffer and move the rest to its front.
static void write_out(FileOut *f, size_t n)
{
    file_begin(f);
    size_t done = 0;
    if (f->is_terminal) {    // records are whole, so no character is cut off
        const size_t n_safe = text_make_safe((Text){ f->buffer, n }, f->buffer, NULL);
        memmove(f->buffer + n_safe, f->buffer + n, f->used - n);
        f->used -= n - n_safe;
        n = n_safe;
    }
    while (done < n && !f->error) {
        const ssize_t wrote = write(f->fd, f->buffer + done, n - done);
        if (wrote >= 0) done += (size_t)wrote;
        else if (errno != EINTR) f->error = errno;
    }
    if (!f->error) {
        f->written += n;
    } else if (done > 0 && f->owns_fd && f->mode == FILE_IN_PLACE) {
        // half a line may be on disk: cut back to whole ones, if it is a file that can be cut
        while (done > 0 && f->buffer[done - 1] != '\n') done--;
        f->written += done;
        if (f->written <= LONG_MAX && ftruncate(f->fd, (off_t)f->written) != 0) errno = 0;
    }
    if (n > 0) memmove(f->buffer, f->buffer + n, f->used - n);
    f->used -= n;
    f->whole = f->whole > n ? f->whole - n : 0;
}

char *file_room(FileOut *f, size_t n)
{
    if (f->capacity - f->used >= n) return f->buffer + f->used;
    write_out(f, f->error ? f->used : f->whole);
    if (f->capacity - f->used < n) {
        // one record larger than the buffer
        if (n > SIZE_MAX / 4 - f->used) arena_no_memory(n);
        size_t capacity = f->capacity * 2;
        if (capacity < f->used + n) capacity = f->used + n;
        char *buffer = realloc(f->buffer, capacity);
        if (!buffer) arena_no_memory(capacity);
        f->buffer = buffer;
        f->capacity = capacity;
    }
    return f->buffer + f->used;
}

void file_write(FileOut *f, const void *bytes, size_t n)
{
    if (n == 0) return;
    memcpy(file_room(f, n), bytes, n);
    file_use(f, n);
}

void file_text(FileOut *f, const char *text) { file_write(f, text, strlen(text)); }

void file_json(FileOut *f, const char *text)
{
    file_text(f, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\') file_printf(f, "\\%c", *p);
        else if (*p < 0x20) file_printf(f, "\\u%04x", *p);
        else file_write(f, (const char *)p, 1);
    }
    file_text(f, "\"");
}

void file_printf(FileOut *f, const char *format, ...)
{
    StrBuf s = { 0 };
    va_list args;
    va_start(args, format);
    str_vaddf(&s, format, args);
    va_end(args);
    file_write(f, s.p, s.n);
    str_free(&s);
}

bool file_flush(FileOut *f)
{
    if (f->fd < 0) return false;
    write_out(f, f->error ? f->used : f->whole);
    return !f->error;
}

// A run that was refused before anything was written leaves no file behind.
static void drop_empty(const FileOut *f)
{
    if (f->drops && f->is_new && f->mode == FILE_IN_PLACE && f->written == 0 && !f->error) unlink(f->path);
}

static bool close_file(FileOut *f, orr_diag *diag)
{
    if (f->fd < 0) return f->error == 0;
    if (f->keeps && f->is_old) f->used = 0;
    else write_out(f, f->used);
    if (f->syncs && !f->error && fsync(f->fd) != 0 && errno != EINVAL && errno != EROFS) f->error = errno;
    if (f->is_noted) written_note(f->fd, true);
    // some file systems report a full disk only now
    if (f->owns_fd && close(f->fd) != 0 && errno != EINTR && !f->error) f->error = errno;
    if (f->temp && !f->error && rename(f->temp, f->target) != 0) f->error = errno;
    if (f->temp && f->error) unlink(f->temp);
    drop_empty(f);
    if (f->error) report(strcmp(f->path, "-") == 0 ? "standard output" : f->path, f->error, diag);
    forget(f);
    return f->error == 0;
}

// ---- Points

enum { TAIL_BYTES = 1 << 16 };    // a file is recognised by what stands before a point

static uint64_t name_of(const FileOut *f)
{
    char *real = realpath(f->path, NULL);
    const char *name = real ? real : f->path;
    const uint64_t hash = hash_bytes(name, strlen(name));
    free(real);
    return hash;
}

// False if the file is shorter.
static bool hash_before(const FileOut *f, uint64_t position, uint64_t *hash)
{
    const size_t n = position < TAIL_BYTES ? (size_t)position : TAIL_BYTES;
    const int fd = open(f->path, O_RDONLY | O_CLOEXEC);
    char *tail = malloc(n + 1);
    if (!tail) arena_no_memory(n);
    size_t done = 0;
    while (fd >= 0 && done < n) {
        const ssize_t got = pread(fd, tail + done, n - done, (off_t)(position - n + done));
        if (got > 0) done += (size_t)got;
        else if (got == 0 || errno != EINTR) break;
    }
    *hash = hash_join(position, hash_bytes(tail, done));
    free(tail);
    if (fd >= 0) close(fd);
    return done == n;
}

FilePoint file_point(FileOut *f)
{
    FilePoint point = { 0 };
    struct stat info;
    if (!file_flush(f) || !f->owns_fd || fstat(f->fd, &info) != 0 || !S_ISREG(info.st_mode)) return point;
    point = (FilePoint){ .file = name_of(f), .position = f->written };
    return hash_before(f, point.position, &point.hash) ? point : (FilePoint){ 0 };
}

FileGoesOn file_go_on(FileOut *f, const FilePoint *points, size_t n)
{
    if (!f->is_old || !f->owns_fd) return FILE_IS_OTHER;
    const uint64_t name = name_of(f);
    for (size_t i = 0; i < n; i++) {
        uint64_t hash;
        const uint64_t position = points[i].position;
        if (points[i].file != name || position == 0 || position > LONG_MAX) continue;
        if (!hash_before(f, position, &hash) || hash != points[i].hash) return FILE_WAS_CHANGED;
        if (ftruncate(f->fd, (off_t)position) != 0 || lseek(f->fd, (off_t)position, SEEK_SET) < 0)
            f->error = errno;
        if (f->is_noted) written_note(f->fd, false);
        f->is_old = false;
        f->used = f->whole = 0;
        f->written = position;
        return FILE_GOES_ON;
    }
    return FILE_IS_OTHER;
}

static void abandon(FileOut *f)
{
    if (f->fd < 0) return;
    if (!f->temp) write_out(f, f->error ? f->used : f->whole);    // a stream keeps its finished records
    if (f->is_noted) written_note(f->fd, true);
    if (f->owns_fd) close(f->fd);
    if (f->temp) unlink(f->temp);
    drop_empty(f);
    forget(f);
}

// ---- Opening and closing, where files may be written

typedef struct Request {
    FileOut    *f;
    const char *folder, *path;
    FileMode    mode;
    orr_diag   *diag;
    bool        ok;
} Request;

static void do_open(void *self)
{
    Request *r = self;
    r->ok = r->folder ? open_result(r->f, r->folder, r->path, r->diag)
                      : open_file(r->f, r->path, r->mode, r->diag);
}

static void do_close(void *self)
{
    Request *r = self;
    r->ok = close_file(r->f, r->diag);
}

static void do_abandon(void *self) { abandon(((Request *)self)->f); }

bool file_open(FileOut *f, const char *path, FileMode mode, orr_diag *diag)
{
    Request r = { .f = f, .path = path, .mode = mode, .diag = diag };
    confine_outside(do_open, &r);
    return r.ok;
}

bool file_open_result(FileOut *f, const char *folder, const char *path, orr_diag *diag)
{
    Request r = { .f = f, .folder = folder, .path = path, .mode = FILE_IN_PLACE, .diag = diag };
    confine_outside(do_open, &r);
    return r.ok;
}

bool file_close(FileOut *f, orr_diag *diag)
{
    Request r = { .f = f, .diag = diag };
    confine_outside(do_close, &r);
    return r.ok;
}

void file_abandon(FileOut *f) { confine_outside(do_abandon, &(Request){ .f = f }); }

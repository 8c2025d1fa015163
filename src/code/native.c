// src/code/native.c: C text to machine code by the machine's compiler, kept in a cache.
//
//     <cache>/native/<hash of text, flags, compiler, machine, our version>.so
//
// A file appears there whole or not at all (built in a folder of its own, then renamed), so any number of
// processes can share the cache. Each is sealed (seal.h): a file that was cut short, damaged or planted is
// built again. Without a compiler or a writable cache there is no native code, and the caller goes on with
// the instant one.
#include "base/confine.h"
#include "base/map.h"
#include "base/os.h"
#include "base/vec.h"
#include "code/build.h"
#include "code/seal.h"
#include "orrery/orrery.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char compiler[] = "cc";

// Nothing here lets the compiler change a result: no contraction into fused operations, no functions that it
// thinks it knows.
static const char *const flags[] = {
    "-std=gnu11", "-march=native", "-shared", "-fPIC", "-ffp-contract=off", "-fno-builtin",
    "-fno-math-errno", "-fno-trapping-math", "-DORR_VECTORS", "-w", "-x", "c", NULL,
};
static const char *const libraries[] = { "-x", "none", "-Wl,--as-needed", "-l:libsleef.so.3", "-lm", NULL };

enum {
    ARGUMENTS_MAX = 32,
    LOOPS_MAX = 1 << 18,
    CACHE_MB = 256,              // of objects, unless ORRERY_CACHE_MB says otherwise
    WORK_ABANDONED_S = 3600,     // nobody compiles one model that long
    BACKGROUND_NICE = 10,
};

// Straight-line code over locals runs no faster for -O2 than for -O1 and takes twice as long; loops over
// arrays want vectors, those over lanes the widest there are. Options are such as clang knows too.
#if defined __x86_64__
#define WIDEST "-mprefer-vector-width=512"
#else
#define WIDEST "-O3"
#endif
// What gcc makes of conditions that follow from one another it cannot turn into vectors.
#define NO_JUMPS "-fno-thread-jumps"
static const char *const flavours[][5] = {
    [NATIVE_LINES] = { "-O1", "-ftree-vectorize", "-fno-tree-slp-vectorize" },
    [NATIVE_LOOPS] = { "-O3" },
    [NATIVE_LANES] = { "-O3", WIDEST, NO_JUMPS },
    [NATIVE_LANES_FAST] = { "-O3", WIDEST, NO_JUMPS, "-ffp-contract=fast" },
};

NativeFlavour native_flavour(const Code *code, Text text)
{
    return code->ir->loops.n > 0 && text.n <= LOOPS_MAX ? NATIVE_LOOPS : NATIVE_LINES;
}

// ---- Identity

// The compiler by its file: reading that is ten times faster than asking for its version.
static bool find_compiler(Arena *arena, uint64_t *hash)
{
    const char *path = getenv("PATH");
    if (!path) path = "/usr/local/bin:/usr/bin:/bin";
    for (const char *p = path; *p;) {
        const size_t n = strcspn(p, ":");
        char *file = arena_printf(arena, "%.*s/%s", n ? (int)n : 1, n ? p : ".", compiler);
        char *real = access(file, X_OK) == 0 ? realpath(file, NULL) : NULL;
        struct stat st;
        if (real && stat(real, &st) == 0 && S_ISREG(st.st_mode)) {
            *hash = hash_join(*hash, hash_bytes(real, strlen(real)));
            *hash = hash_join(*hash, (uint64_t)st.st_size);
            *hash = hash_join(*hash, (uint64_t)st.st_mtime);
            free(real);
            return true;
        }
        free(real);
        p += n + (p[n] == ':');
    }
    return false;
}

// What -march=native depends on: the description of the first processor, but not its clock.
static uint64_t hash_machine(void)
{
    char text[8192];
    const int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = 0;
    uint64_t hash = 0;
    static const char *const keys[] = { "vendor_id", "cpu family", "model", "stepping", "flags" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *line = strstr(text, keys[i]);
        if (line) hash = hash_join(hash, hash_bytes(line, strcspn(line, "\n")));
    }
    return hash;
}

// Two halves of 64 bits each from different starts: the name stands for the content.
static char *object_path(Arena *arena, const char *folder, NativeFlavour flavour, Text text,
                         uint64_t compiler_hash)
{
    uint64_t hash = hash_join(compiler_hash, hash_machine());
    const char *const *extra = flavours[flavour];
    for (size_t i = 0; extra[i]; i++) hash = hash_join(hash, hash_bytes(extra[i], strlen(extra[i])));
    for (size_t i = 0; flags[i]; i++) hash = hash_join(hash, hash_bytes(flags[i], strlen(flags[i])));
    for (size_t i = 0; libraries[i]; i++)
        hash = hash_join(hash, hash_bytes(libraries[i], strlen(libraries[i])));
    hash = hash_join(hash, hash_bytes(ORR_VERSION, strlen(ORR_VERSION)));
    const uint64_t first = hash_join(hash, hash_bytes(text.p, text.n));
    const uint64_t second =
        hash_join(hash_bytes(text.p + text.n / 2, text.n - text.n / 2), hash_join(first, text.n));
    return arena_printf(arena, "%s/%016llx%016llx.so", folder, (unsigned long long)first,
                        (unsigned long long)second);
}

// ---- Files

static bool write_all(int fd, const char *p, size_t n)
{
    while (n) {
        const ssize_t written = write(fd, p, n);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        p += written;
        n -= (size_t)written;
    }
    return true;
}

static bool write_file(const char *path, int mode, const char *p, size_t n)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC | mode, 0666);
    if (fd < 0) return false;
    const bool ok = write_all(fd, p, n);
    return close(fd) == 0 && ok;
}

// ---- Compiling

// Our own environment, but with messages in English: the one that says "error" is looked for.
static char **plain_environment(Arena *arena)
{
    size_t n = 0;
    while (environ[n]) n++;
    char **result = ARENA_ARRAY(arena, char *, n + 2);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0) result[k++] = environ[i];
    result[k] = arena_printf(arena, "LC_ALL=C");
    return result;
}

void native_job_init(NativeJob *job)
{
    *job = (NativeJob){ 0 };
    pthread_mutex_init(&job->lock, NULL);
}

void native_job_end(NativeJob *job) { pthread_mutex_destroy(&job->lock); }

static void do_cancel(void *self)
{
    NativeJob *job = self;
    pthread_mutex_lock(&job->lock);
    job->is_cancelled = true;
    if (job->pid > 0) kill(-job->pid, SIGTERM);    // the compiler's own children too
    pthread_mutex_unlock(&job->lock);
}

void native_job_cancel(NativeJob *job) { confine_outside(do_cancel, job); }

bool native_job_is_cancelled(NativeJob *job)
{
    pthread_mutex_lock(&job->lock);
    const bool is_cancelled = job->is_cancelled;
    pthread_mutex_unlock(&job->lock);
    return is_cancelled;
}

// Start the compiler; in the background in a process group of its own and with less right to the processors.
static int spawn_compiler(const char *const *arguments, char **environment,
                          const posix_spawn_file_actions_t *actions, NativeJob *job, pid_t *pid)
{
    if (!job) return posix_spawnp(pid, compiler, actions, NULL, (char *const *)arguments, environment);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    pthread_mutex_lock(&job->lock);
    int error = ECANCELED;
    if (!job->is_cancelled)
        error = posix_spawnp(pid, compiler, actions, &attributes, (char *const *)arguments, environment);
    if (error == 0) {
        job->pid = *pid;
        setpriority(PRIO_PROCESS, (id_t)*pid, BACKGROUND_NICE);
    }
    pthread_mutex_unlock(&job->lock);
    posix_spawnattr_destroy(&attributes);
    return error;
}

// The number of a process is another's once it has been waited for: it is forgotten before.
static void await_compiler(pid_t pid, NativeJob *job)
{
    siginfo_t info;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    pthread_mutex_lock(&job->lock);
    job->pid = 0;
    pthread_mutex_unlock(&job->lock);
}

// Run the compiler, its messages into a file. 0, an errno, or -1 if it ran and failed.
static int run_compiler(Arena *arena, NativeFlavour flavour, const char *source, const char *object,
                        const char *messages, NativeJob *job)
{
    const char *arguments[ARGUMENTS_MAX] = { compiler };
    size_t n = 1;
    for (size_t i = 0; flags[i]; i++) arguments[n++] = flags[i];
    for (size_t i = 0; flavours[flavour][i]; i++) arguments[n++] = flavours[flavour][i];
    arguments[n++] = source;
    arguments[n++] = "-o";
    arguments[n++] = object;
    for (size_t i = 0; libraries[i]; i++) arguments[n++] = libraries[i];

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, messages, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t pid;
    const int error = spawn_compiler(arguments, plain_environment(arena), &actions, job, &pid);
    posix_spawn_file_actions_destroy(&actions);
    if (error) return error;
    if (job) await_compiler(pid, job);
    int status;
    while (waitpid(pid, &status, 0) < 0) {
        // somebody else may collect the program's children: then the object tells
        if (errno == ECHILD) return os_file_exists(object) ? 0 : -1;
        if (errno != EINTR) return errno;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static bool report_failure(int result, const char *messages, orr_diag *diag)
{
    Arena work = { 0 };
    Text text = { 0 };
    char buffer[128];
    const char *reason = "it gave no reason";
    if (result > 0) {
        reason = os_error_text(result, buffer, sizeof buffer);
    } else if (os_read_file(&work, NULL, messages, 1 << 20, &text, NULL) && text.n) {
        // the first line that says so
        const char *line = strstr(text.p, "error");
        while (line && line > text.p && line[-1] != '\n') line--;
        if (!line) line = text.p;
        reason = arena_copy_text(&work, line, strcspn(line, "\n"));
    }
    diag_report(diag, DIAG_COMPILER_FAILED, (Place){ 0 }, reason);
    arena_free(&work);
    return false;
}

// Compile into a folder of our own, then move the object into place.
static bool build_object(Arena *arena, const char *folder, const char *path, NativeFlavour flavour, Text text,
                         NativeJob *job, orr_diag *diag)
{
    char buffer[128];
    char *work = arena_printf(arena, "%s/work.XXXXXX", folder);
    if (!mkdtemp(work)) {
        diag_report(diag, DIAG_WRITE_FAILED, (Place){ 0 }, folder,
                    os_error_text(errno, buffer, sizeof buffer));
        return false;
    }
    const char *source = os_path_join(arena, work, "model.c"),
               *object = os_path_join(arena, work, "model.so");
    const char *messages = os_path_join(arena, work, "messages");
    bool ok = write_file(source, O_CREAT | O_EXCL, text.p, text.n);
    if (!ok)
        diag_report(diag, DIAG_WRITE_FAILED, (Place){ 0 }, source,
                    os_error_text(errno, buffer, sizeof buffer));
    if (ok) {
        const int result = run_compiler(arena, flavour, source, object, messages, job);
        ok = result == 0 || report_failure(result, messages, diag);
    }
    if (ok && (!seal_add(object) || rename(object, path) != 0)) {
        diag_report(diag, DIAG_WRITE_FAILED, (Place){ 0 }, path, os_error_text(errno, buffer, sizeof buffer));
        ok = false;
    }
    unlink(source);
    unlink(object);
    unlink(messages);
    rmdir(work);
    return ok;
}

// ---- The size of the cache

typedef struct CacheFile {
    const char *path;
    uint64_t    bytes;
    int64_t     used;    // when last, in seconds
} CacheFile;

static int compare_use(const void *a, const void *b)
{
    const int64_t x = ((const CacheFile *)a)->used, y = ((const CacheFile *)b)->used;
    return (x > y) - (x < y);
}

static uint64_t cache_limit(void)
{
    const char *text = getenv("ORRERY_CACHE_MB");
    char *end = NULL;
    const unsigned long long mb = text ? strtoull(text, &end, 10) : 0;
    return (text && end > text && *end == 0 && mb < 1ull << 40 ? mb : CACHE_MB) << 20;
}

// What a compiler that was killed has left behind.
static void remove_work(Arena *arena, const char *work)
{
    static const char *const files[] = { "model.c", "model.so", "messages" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) unlink(os_path_join(arena, work, files[i]));
    rmdir(work);
}

// Throw away what has not been used for longest until the rest fits. Whoever has an object loaded keeps it,
// and whoever looks for it builds it again; `newest` stays in any case.
static void trim_cache(Arena *arena, const char *folder, const char *newest)
{
    DIR *list = opendir(folder);
    if (!list) return;
    VEC(CacheFile) files = { 0 };
    uint64_t total = 0;
    const time_t now = time(NULL);
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        const CacheFile file = { .path = os_path_join(arena, folder, entry->d_name) };
        struct stat st;
        if (lstat(file.path, &st) != 0) continue;
        if (S_ISDIR(st.st_mode)) {
            if (now - st.st_mtime > WORK_ABANDONED_S) remove_work(arena, file.path);
        } else {
            total += (uint64_t)st.st_size;
            if (strcmp(file.path, newest) != 0)
                vec_push(arena, &files, (CacheFile){ file.path, (uint64_t)st.st_size, (int64_t)st.st_mtime });
        }
    }
    closedir(list);
    const uint64_t limit = cache_limit();
    if (files.n > 0) qsort(files.items, files.n, sizeof *files.items, compare_use);
    for (size_t i = 0; i < files.n && total > limit; i++)
        if (unlink(files.items[i].path) == 0) total -= files.items[i].bytes;
}

// ---- Loading

static bool load(const char *path, CodeUnit *unit)
{
    unit->memory = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return unit->memory != NULL;
}

void *native_symbol(const CodeUnit *unit, const char *name) { return dlsym(unit->memory, name); }

static bool build_and_load(Arena *arena, Text text, NativeFlavour flavour, CodeUnit *unit, NativeJob *job,
                           orr_diag *diag)
{
    uint64_t compiler_hash = 0;
    if (!find_compiler(arena, &compiler_hash)) {
        diag_report(diag, DIAG_COMPILER_MISSING, (Place){ 0 }, compiler);
        return false;
    }
    const char *folder = os_private_folder(arena, "native", diag);    // code is run from there
    if (!folder) return false;
    const char *path = object_path(arena, folder, flavour, text, compiler_hash);
    if (seal_holds(path) && load(path, unit)) {
        utimensat(AT_FDCWD, path, NULL, 0);    // used just now: the last to be thrown away
        return true;
    }
    // absent, damaged, or made for something that is no longer there
    if (!build_object(arena, folder, path, flavour, text, job, diag)) return false;
    trim_cache(arena, folder, path);
    if (load(path, unit)) return true;
    const char *reason = dlerror();
    diag_report(diag, DIAG_CODE_LOAD_FAILED, (Place){ 0 }, reason ? reason : path);
    return false;
}

bool native_is_cached(Text text, NativeFlavour flavour)
{
    Arena arena = { 0 };
    uint64_t compiler_hash = 0;
    bool cached = find_compiler(&arena, &compiler_hash);
    if (cached) {
        const char *folder = os_path_join(&arena, os_cache_folder(&arena), "native");
        cached = os_file_exists(object_path(&arena, folder, flavour, text, compiler_hash));
    }
    arena_free(&arena);
    return cached;
}

typedef struct Wanted {
    Text text;
    NativeFlavour flavour;
    CodeUnit *unit;
    NativeJob *job;
    orr_diag *diag;
    bool ok;
} Wanted;

static void do_compile(void *self)
{
    Wanted *w = self;
    Arena arena = { 0 };
    w->ok = build_and_load(&arena, w->text, w->flavour, w->unit, w->job, w->diag);
    arena_free(&arena);
}

bool native_compile(Text text, NativeFlavour flavour, CodeUnit *unit, NativeJob *job, orr_diag *diag)
{
    Wanted wanted = { text, flavour, unit, job, diag, false };
    confine_outside(do_compile, &wanted);
    return wanted.ok;
}

void native_free(CodeUnit *unit)
{
    if (unit->memory) dlclose(unit->memory);
    *unit = (CodeUnit){ 0 };
}

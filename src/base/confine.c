// src/base/confine.c: see confine.h. Both ways of Linux to give up rights, seccomp and Landlock, hold for one
// thread and those it starts. So there are three:
//
//     the caller    waits
//     the model     confined: all that is read, compiled and run
//     outside       opens files for writing, starts compilers and gnuplot, opens sockets, on request
//
// The model's thread asks for what the library needs by a function and its argument, never by a text.
#include "base/confine.h"
#include "base/os.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// ---- Outside

static struct {
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    bool  is_open, is_busy, is_done;    // busy: somebody waits for his work
    void (*work)(void *self);
    void *self;
} outside = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false, false, NULL, NULL };

static _Thread_local bool is_free;    // this is the thread outside

static void *serve(void *unused)
{
    (void)unused;
    is_free = true;
    pthread_mutex_lock(&outside.lock);
    for (;;) {
        while (outside.is_open && !outside.work) pthread_cond_wait(&outside.changed, &outside.lock);
        if (!outside.work) break;
        void (*work)(void *self) = outside.work;
        pthread_mutex_unlock(&outside.lock);
        work(outside.self);
        pthread_mutex_lock(&outside.lock);
        outside.work = NULL;
        outside.is_done = true;
        pthread_cond_broadcast(&outside.changed);
    }
    pthread_mutex_unlock(&outside.lock);
    return NULL;
}

void confine_outside(void (*work)(void *self), void *self)
{
    pthread_mutex_lock(&outside.lock);
    const bool is_direct = !outside.is_open || is_free;
    if (!is_direct) {
        while (outside.is_busy) pthread_cond_wait(&outside.changed, &outside.lock);
        outside.is_busy = true;
        outside.is_done = false;
        outside.self = self;
        outside.work = work;
        pthread_cond_broadcast(&outside.changed);
        while (!outside.is_done) pthread_cond_wait(&outside.changed, &outside.lock);
        outside.is_busy = false;
        pthread_cond_broadcast(&outside.changed);
    }
    pthread_mutex_unlock(&outside.lock);
    if (is_direct) work(self);
}

typedef struct Free {
    pthread_t *thread;
    void *(*work)(void *self);
    void *self;
    int   error;
} Free;

static void *run_free(void *self)
{
    const Free start = *(Free *)self;
    free(self);
    is_free = true;
    return start.work(start.self);
}

static void create_free(void *self)
{
    Free *f = self, *copy = malloc(sizeof *copy);
    if (copy) *copy = *f;
    f->error = copy ? pthread_create(f->thread, NULL, run_free, copy) : ENOMEM;
    if (f->error) free(copy);
}

int confine_thread(pthread_t *thread, void *(*work)(void *self), void *self)
{
    Free start = { thread, work, self, 0 };
    confine_outside(create_free, &start);
    return start.error;
}

// ---- Giving up rights

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define REFUSE(number) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), \
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
// Refused if a flag of this argument is set, which is the last look at this call.
#define REFUSE_FLAGS(number, argument, flags) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 4), \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[argument])), \
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (flags), 0, 1), \
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM), \
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static bool apply_seccomp(void)
{
#ifdef ARCHITECTURE
    enum { WRITES = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC };
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        // programs and processes; a thread is made by clone, whose flags can be seen
        REFUSE(SYS_execve), REFUSE(SYS_execveat), REFUSE(SYS_ptrace), REFUSE(SYS_process_vm_writev),
        REFUSE(SYS_process_vm_readv), REFUSE(SYS_kill), REFUSE(SYS_pidfd_open), REFUSE(SYS_pidfd_getfd),
        REFUSE(SYS_unshare), REFUSE(SYS_setns), REFUSE(SYS_mount), REFUSE(SYS_bpf),
        REFUSE(SYS_perf_event_open), REFUSE(SYS_io_uring_setup), REFUSE(SYS_userfaultfd), REFUSE(SYS_keyctl),
        // files; openat2 hides its flags
        REFUSE(SYS_mkdirat), REFUSE(SYS_mknodat), REFUSE(SYS_linkat), REFUSE(SYS_symlinkat),
        REFUSE(SYS_renameat), REFUSE(SYS_renameat2), REFUSE(SYS_unlinkat), REFUSE(SYS_truncate),
        REFUSE(SYS_fchmodat), REFUSE(SYS_fchmod), REFUSE(SYS_fchownat), REFUSE(SYS_open_by_handle_at),
        REFUSE(SYS_setxattr), REFUSE(SYS_utimensat),
#ifdef SYS_open
        REFUSE(SYS_creat), REFUSE(SYS_mkdir), REFUSE(SYS_mknod), REFUSE(SYS_link), REFUSE(SYS_symlink),
        REFUSE(SYS_rename), REFUSE(SYS_unlink), REFUSE(SYS_rmdir), REFUSE(SYS_chmod), REFUSE(SYS_chown),
        REFUSE(SYS_fork), REFUSE(SYS_vfork), REFUSE_FLAGS(SYS_open, 1, WRITES),
#endif
        // sockets
        REFUSE(SYS_socket), REFUSE(SYS_socketpair), REFUSE(SYS_connect), REFUSE(SYS_bind), REFUSE(SYS_listen),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        REFUSE_FLAGS(SYS_openat, 2, WRITES),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { sizeof code / sizeof *code, code };
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
#else
    return false;
#endif
}

// Nothing may be written, made, removed or executed anywhere; rules that would allow it there are none.
static bool apply_landlock(void)
{
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) return false;
    struct landlock_ruleset_attr rules = { 0 };
    for (int right = 0; right <= 12; right++) rules.handled_access_fs |= 1u << right;
    rules.handled_access_fs &= ~(uint64_t)(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR);
    if (version >= 2) rules.handled_access_fs |= 1u << 13;    // LANDLOCK_ACCESS_FS_REFER
    if (version >= 3) rules.handled_access_fs |= 1u << 14;    // LANDLOCK_ACCESS_FS_TRUNCATE
    const int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules.handled_access_fs, 0);
    const bool ok = fd >= 0 && syscall(SYS_landlock_restrict_self, fd, 0) == 0;
    if (fd >= 0) close(fd);
    return ok;
}

// ---- The model's thread

typedef struct Confined {
    void (*work)(void *self);
    void *self;
    int   how;
} Confined;

static void *run_confined(void *self)
{
    Confined *c = self;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        if (apply_landlock()) c->how |= 2;    // first: seccomp would not refuse it, but need not allow it
        if (apply_seccomp()) c->how |= 1;
    }
    c->work(c->self);
    return NULL;
}

int confine_call(void (*work)(void *self), void *self)
{
    Confined confined = { work, self, 0 };
    pthread_t server, thread;
    pthread_attr_t attributes;
    outside.is_open = true;
    if (pthread_create(&server, NULL, serve, NULL) != 0) {
        outside.is_open = false;
        work(self);
        return 0;
    }
    // as much room as the first thread of a program has
    struct rlimit limit;
    pthread_attr_init(&attributes);
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        pthread_attr_setstacksize(&attributes, limit.rlim_cur);
    const bool ok = pthread_create(&thread, &attributes, run_confined, &confined) == 0;
    pthread_attr_destroy(&attributes);
    if (ok) pthread_join(thread, NULL);
    pthread_mutex_lock(&outside.lock);
    outside.is_open = false;
    pthread_cond_broadcast(&outside.changed);
    pthread_mutex_unlock(&outside.lock);
    pthread_join(server, NULL);
    if (!ok) work(self);
    return confined.how;
}

// src/base/filter.c: see filter.h. Input, output and messages go through pipes of ours, each as it is ready,
// so that none can fill up and block the others.
#include "base/filter.h"
#include "base/confine.h"
#include "base/diag.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { IN, OUT, ERR, N_PIPES, CHUNK = 65536 };

// -1 if it cannot be started.
static pid_t start(const Filter *filter, int ours[N_PIPES])
{
    int pipes[N_PIPES][2], n = 0;
    while (n < N_PIPES && pipe2(pipes[n], O_CLOEXEC) == 0) n++;
    pid_t pid = -1;
    if (n == N_PIPES) {
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        for (int i = 0; i < N_PIPES; i++)
            posix_spawn_file_actions_adddup2(&actions, pipes[i][i == IN ? 0 : 1], i);
        if (posix_spawnp(&pid, filter->argv[0], &actions, NULL, (char *const *)filter->argv, environ) != 0)
            pid = -1;
        posix_spawn_file_actions_destroy(&actions);
    }
    for (int i = 0; i < n; i++) {
        ours[i] = pipes[i][i == IN ? 1 : 0];
        close(pipes[i][i == IN ? 0 : 1]);
        if (pid < 0) close(ours[i]);
    }
    return pid;
}

typedef struct Start {
    const Filter *filter;
    int  *ours;
    pid_t pid;
} Start;

static void do_start(void *self)
{
    Start *s = self;
    s->pid = start(s->filter, s->ours);
}

// Both: true if there may be more to do.
static bool take(int fd, StrBuf *text)
{
    const ssize_t n = read(fd, str_room(text, CHUNK), CHUNK);
    if (n > 0) text->n += (size_t)n;
    return n > 0 || (n < 0 && errno == EINTR);
}

static bool give(int fd, Text *input)
{
    const ssize_t n = write(fd, input->p, input->n);
    if (n < 0) return errno == EINTR || errno == EAGAIN;    // it may have ended early: its status tells
    *input = text_part(*input, (size_t)n, input->n);
    return input->n > 0;
}

static void converse(int fds[N_PIPES], Text input, StrBuf *output, StrBuf *said)
{
    struct pollfd polled[N_PIPES];
    for (int i = 0; i < N_PIPES; i++)
        polled[i] = (struct pollfd){ .fd = fds[i], .events = i == IN ? POLLOUT : POLLIN };
    fcntl(fds[IN], F_SETFL, O_NONBLOCK);
    for (int n_open = N_PIPES; n_open > 0;) {
        if (poll(polled, N_PIPES, -1) < 0) continue;    // a signal
        for (int i = 0; i < N_PIPES; i++) {
            if (polled[i].fd < 0 || polled[i].revents == 0) continue;
            if (i == IN ? give(fds[i], &input) : take(fds[i], i == OUT ? output : said)) continue;
            close(fds[i]);
            polled[i].fd = -1;
            n_open--;
        }
    }
}

bool filter_run(const Filter *filter, const char *input, size_t n, StrBuf *output, orr_diag *diag)
{
    const char *name = filter->argv[0];
    int fds[N_PIPES];
    Start starting = { filter, fds, -1 };
    confine_outside(do_start, &starting);
    const pid_t pid = starting.pid;
    if (pid < 0) {
        diag_report(diag, DIAG_PROGRAM_MISSING, (Place){ 0 }, name, filter->purpose);
        diag_hint(diag, "install the package %s", filter->package);
        return false;
    }
    const size_t n_before = output->n;
    StrBuf said = { 0 };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGPIPE, &ignore, &before);
    converse(fds, (Text){ input, n }, output, &said);
    sigaction(SIGPIPE, &before, NULL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    const bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0 && output->n > n_before;
    str_add(output, "");    // a NUL follows
    if (!ok) {
        str_add(&said, "");
        diag_report(diag, DIAG_PROGRAM_FAILED, (Place){ 0 }, name, said.n ? said.p : "no reason given");
    }
    str_free(&said);
    return ok;
}

bool filter_write(const Filter *filter, const char *input, size_t n, const char *path, orr_diag *diag)
{
    FileOut file;
    StrBuf output = { 0 };
    if (!file_open(&file, path, FILE_REPLACE, diag)) return false;
    bool ok = filter_run(filter, input, n, &output, diag);
    if (ok) {
        file_write(&file, output.p, output.n);
        file_mark(&file);
        ok = file_close(&file, diag);
    } else {
        file_abandon(&file);
    }
    str_free(&output);
    return ok;
}

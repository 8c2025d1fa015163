// src/machine/draw.c: drawings of machines, by Graphviz' `dot`.
#include "base/diag.h"
#include "base/file.h"
#include "machine/machine.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// A file that is gone when it is closed; -1 if there can be none.
static int open_temporary(void)
{
    char path[] = "/tmp/orrery-XXXXXX";
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) unlink(path);
    return fd;
}

static bool write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        const ssize_t wrote = write(fd, text, n);
        if (wrote < 0 && errno != EINTR) return false;
        if (wrote > 0) text += wrote, n -= (size_t)wrote;
    }
    return true;
}

static bool read_all(int fd, StrBuf *to)
{
    if (lseek(fd, 0, SEEK_SET) != 0) return false;
    for (ssize_t n; (n = read(fd, str_room(to, 65536), 65536)) != 0;) {
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) to->n += (size_t)n;
    }
    str_add(to, "");
    return true;
}

// Run dot from file to file, so that no pipe can fill up. False if it did not end well.
static bool run_dot(int graph, int drawing, int errors, bool *missing)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, graph, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, drawing, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    char *argv[] = { "dot", "-Tsvg", NULL };
    pid_t pid;
    *missing = posix_spawnp(&pid, "dot", &actions, NULL, argv, environ) != 0;
    posix_spawn_file_actions_destroy(&actions);
    if (*missing) return false;
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void report_failure(bool missing, int errors, orr_diag *diag)
{
    if (missing) {
        diag_report(diag, DIAG_PROGRAM_MISSING, (Place){ 0 }, "dot", "drawings of machines");
        diag_hint(diag, "install the package graphviz");
        return;
    }
    StrBuf said = { 0 };
    char line[160] = "no reason given";
    if (read_all(errors, &said) && said.n > 0)
        snprintf(line, sizeof line, "%.*s", (int)strcspn(said.p, "\n"), said.p);
    diag_report(diag, DIAG_PROGRAM_FAILED, (Place){ 0 }, "dot", line);
    str_free(&said);
}

bool orr_machine_draw(const orr_machine *machine, const char *path, orr_diag *diag)
{
    const int graph = open_temporary(), drawing = open_temporary(), errors = open_temporary();
    char *text = orr_machine_write(machine, ORR_MACHINE_DOT);
    StrBuf svg = { 0 };
    bool ok = graph >= 0 && drawing >= 0 && errors >= 0 && write_all(graph, text, strlen(text)) &&
              lseek(graph, 0, SEEK_SET) == 0;
    free(text);
    bool missing = false;
    FileOut out;
    if (!ok) {
        diag_report(diag, DIAG_WRITE_FAILED, (Place){ 0 }, "/tmp", "no temporary file can be made");
    } else if (!(ok = run_dot(graph, drawing, errors, &missing) && read_all(drawing, &svg))) {
        report_failure(missing, errors, diag);
    } else if ((ok = file_open(&out, path, FILE_REPLACE, diag))) {
        file_write(&out, svg.p, svg.n);
        file_mark(&out);
        ok = file_close(&out, diag);
    }
    str_free(&svg);
    if (graph >= 0) close(graph);
    if (drawing >= 0) close(drawing);
    if (errors >= 0) close(errors);
    return ok;
}

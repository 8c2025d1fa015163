// bench/wall.c: wall N COMMAND ARGS…: of N runs of a command the shortest wall-clock time, in ms, and the
// largest memory, in kB of 1024 bytes.
#include "measure.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    double best = 1e300;
    for (int i = atoi(argv[1]); i > 0; i--) {
        const double started = now_ms();
        const pid_t pid = fork();
        if (pid == 0) {
            dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
            execvp(argv[2], argv + 2);
            _exit(127);
        }
        int status;
        waitpid(pid, &status, 0);
        if (status != 0) return 1;
        const double took = now_ms() - started;
        if (took < best) best = took;
    }
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    printf("%.4f %ld\n", best, usage.ru_maxrss);
    return 0;
}

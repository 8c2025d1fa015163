// apps/cli/limits.c: what one call of the program may take of memory and time.
//
// A model from a stranger is only arithmetic, but arithmetic can be endless. Memory is limited by the system,
// so that every library obeys; rows that were computed are written before the program ends.
#include "commands.h"
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SHARE 0.9     // of the machine's memory
#define GRACE_SHARE   0.1     // a run that reaches its limit has this long to write what it has
#define GRACE_LEAST   2.0     // s

// What to save when there is no memory left, by the thread that would be able to.
static struct {
    const orr_sink *sink;
    pthread_t       owner;
} rescue;

void limits_rescue(const orr_sink *sink)
{
    rescue.owner = pthread_self();
    rescue.sink = sink;
}

static void end_program(const char *message)
{
    const char *p = message;
    for (ssize_t n; *p && (n = write(STDERR_FILENO, p, strlen(p))) > 0;) p += n;
    _exit(ORR_STATUS_FAILED);
}

void orr_no_memory(size_t bytes)
{
    (void)bytes;
    const orr_sink *sink = rescue.sink;
    rescue.sink = NULL;    // once: saving may fail for the same reason
    if (sink && pthread_equal(pthread_self(), rescue.owner)) sink->end(sink->self, ORR_STATUS_FAILED);
    end_program("error E507: the model or its run needs more memory than it may take\n"
                "    --max-memory MB allows more; what was recorded with -o is kept\n");
}

void limits_memory(double megabytes)
{
    const double bytes = megabytes * 1048576;
    struct rlimit limit = { .rlim_cur = bytes < 9e18 ? (rlim_t)bytes : RLIM_INFINITY };
    struct rlimit now;
    if (getrlimit(RLIMIT_DATA, &now) != 0) return;
    limit.rlim_max = now.rlim_max;
    if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_DATA, &limit);
}

void limits_memory_default(void)
{
#ifndef ORRERY_SANITIZE    // sanitizers map more than any machine has
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) limits_memory(DEFAULT_SHARE * (double)pages * (double)page / 1048576);
#endif
}

static void *watch(void *seconds)
{
    double wait = *(double *)seconds;
    free(seconds);
    wait += fmax(GRACE_LEAST, GRACE_SHARE * wait);
    const struct timespec pause = { (time_t)wait, (long)((wait - floor(wait)) * 1e9) };
    nanosleep(&pause, NULL);
    end_program("error E513: the time limit was reached\n    --max-time S allows more\n");
    return NULL;
}

void limits_time(double seconds)
{
    double *copy = malloc(sizeof *copy);
    if (!copy) orr_no_memory(sizeof *copy);
    *copy = fmin(seconds, 1e9);
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, copy) == 0) pthread_detach(thread);
    else free(copy);
}

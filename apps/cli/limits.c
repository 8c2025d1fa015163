// apps/cli/limits.c: what one call of the program may take of memory and time, and how it is ended: the one
// place for Ctrl-C.
//
// A model from a stranger is only arithmetic, but arithmetic can be endless. Memory is limited by the system,
// so that every library obeys; rows that were computed are written before the program ends.
#include "commands.h"
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SHARE 0.9     // of the machine's memory
#define GRACE_SHARE   0.1     // a run that reaches its limit has this long to write what it has
#define GRACE_LEAST   2.0     // s
#define GRACE_SIGNAL  10      // s, after Ctrl-C or SIGTERM
#define INTERRUPTED   130     // as shells report an interrupt

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

_Noreturn void no_memory(void)
{
    orr_no_memory(0);
    _exit(ORR_STATUS_FAILED);
}

// Of all that is linked in, other libraries too; see CMakeLists.txt. realloc by another name may fail.
#ifndef ORRERY_SANITIZE
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *text);

static void *sure(void *p, size_t n)
{
    if (!p && n) no_memory();
    return p;
}

void *__wrap_malloc(size_t n) { return sure(__real_malloc(n), n); }
void *__wrap_calloc(size_t n, size_t size) { return sure(__real_calloc(n, size), n && size); }
void *__wrap_realloc(void *p, size_t n) { return sure(__real_realloc(p, n), n); }
char *__wrap_strdup(const char *text) { return sure(__real_strdup(text), 1); }
#endif

static void set_memory(double megabytes)
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
    if (pages > 0 && page > 0) set_memory(DEFAULT_SHARE * (double)pages * (double)page / 1048576);
#endif
}

// ---------------------------------------------------------------------------------------------- ending

// Written by a signal or by the watch, read by what runs.
static volatile int cancelled;
static volatile bool is_time_up;

// What does not see that it is cancelled has a while to do so.
static void on_alarm(int signal_number)
{
    (void)signal_number;
    static const char message[] = "\norrery: ended by a signal\n";
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(INTERRUPTED);
    _exit(INTERRUPTED);
}

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    cancelled = 1;
    alarm(GRACE_SIGNAL);
}

const volatile int *limits_cancel(void)
{
    struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    return &cancelled;
}

orr_status limits_judge(orr_status status, orr_diag *diag)
{
    if (status != ORR_STATUS_CANCELLED || !is_time_up) return status;
    orr_diag_add(diag, "E513", "the time limit was reached", "--max-time S allows more");
    return ORR_STATUS_FAILED;
}

static void sleep_for(double seconds)
{
    const struct timespec pause = { (time_t)seconds, (long)((seconds - floor(seconds)) * 1e9) };
    nanosleep(&pause, NULL);
}

// A single run ends by itself when its time is up, and says so; what has many runs is cancelled.
static void *watch(void *seconds)
{
    const double wait = *(double *)seconds, grace = fmax(GRACE_LEAST, GRACE_SHARE * wait);
    free(seconds);
    sleep_for(wait + 0.1 * grace);
    is_time_up = true;
    __atomic_store_n(&cancelled, 1, __ATOMIC_RELAXED);
    sleep_for(grace);
    end_program("error E513: the time limit was reached\n    --max-time S allows more\n");
    return NULL;
}

static void start_watch(double seconds)
{
    double *copy = malloc(sizeof *copy);
    if (!copy) orr_no_memory(sizeof *copy);
    *copy = fmin(seconds, 1e9);
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, copy) == 0) pthread_detach(thread);
    else free(copy);
}

static struct { double seconds, megabytes; } requested;    // 0: none

bool limits_request(const char *option, double value, orr_diag *diag)
{
    const bool is_time = strcmp(option, "--max-time") == 0;
    *(is_time ? &requested.seconds : &requested.megabytes) = value;
    if (value > 0) return true;
    usage_error(diag, "E022",
                is_time ? "give seconds, such as --max-time 60" : "give megabytes, such as --max-memory 1000",
                "limit of %s %g is not a positive number", is_time ? "time" : "memory", value);
    return false;
}

void limits_apply(const Shared *s)
{
    for (size_t i = 0; s && i < s->n_given; i++)
        if (strcmp(s->given[i].word, "max-time") == 0)
            orr_parse_number(s->given[i].text, &requested.seconds);
    if (requested.seconds > 0) start_watch(requested.seconds);
    if (requested.megabytes > 0) set_memory(requested.megabytes);
}

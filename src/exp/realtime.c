// src/exp/realtime.c: a run that keeps pace with the clock on the wall.
#include "exp/realtime.h"
#include "base/cancel.h"
#include "base/os.h"

#define LATE_NS  1000000.0      // less is nobody's fault
#define SLICE_NS 100000000.0    // between two looks at `cancel`

void realtime_start(Realtime *clock, double from)
{
    clock->from = from;
    clock->started = os_now_ns();
}

bool realtime_await(Realtime *clock, double t)
{
    const double due = (t - clock->from) * clock->ns_per_unit;
    clock->n_instants++;
    const double late = (double)(os_now_ns() - clock->started) - due;
    if (late > LATE_NS) {
        clock->n_late++;
        if (late * 1e-9 > clock->latest) clock->latest = late * 1e-9;
    }
    for (;;) {
        if (cancel_is_set(clock->cancel)) return false;
        const double left = due - (double)(os_now_ns() - clock->started);
        if (left <= 0) return true;
        os_sleep_ns((uint64_t)(left < SLICE_NS ? left : SLICE_NS));
    }
}

// examples/native/smooth.c: an atomic in C for smooth.orr: exponential smoothing of what comes, told at once.
//
//     cc -shared -fPIC -I include -o smooth.so examples/native/smooth.c
//     orrery run examples/native/smooth.orr --native smooth.so
#include <orrery/devs.h>
#include <math.h>
#include <stddef.h>

typedef struct Smooth {
    double level;     // shown to experiments
    double count;
    double part;      // the parameter: how much of the new value is taken over
    double is_due;
} Smooth;

static void begin(void *state, const void *params, const orr_devs_call *call)
{
    (void)call;
    ((Smooth *)state)->part = *(const double *)params;
}

static double advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return ((const Smooth *)state)->is_due != 0 ? 0 : INFINITY;
}

static void tell(const void *state, const orr_devs_call *call)
{
    orr_devs_send(call, 0, &((const Smooth *)state)->level);
}

static void done(void *state, const orr_devs_call *call)
{
    (void)call;
    ((Smooth *)state)->is_due = 0;
}

static void take(void *state, const orr_devs_call *call, double elapsed, const orr_devs_event *bag, size_t n)
{
    (void)elapsed;
    Smooth *s = state;
    for (size_t i = 0; i < n; i++) {
        const double value = *(const double *)bag[i].value;
        if (isnan(value)) orr_devs_fail(call, "a value to be smoothed is not a number");
        s->level = s->count++ == 0 ? value : s->level + s->part*(value - s->level);
    }
    s->is_due = 1;
}

static const orr_devs_port value = { "value", "number", sizeof(double), 0 };
static const orr_devs_port smooth = { "smooth", "number", sizeof(double), 0 };
static const orr_atomic atomic = {
    .version = ORR_DEVS_VERSION, .name = "Smooth",
    .inputs = &value, .n_inputs = 1, .outputs = &smooth, .n_outputs = 1,
    .params_size = sizeof(double), .state_size = sizeof(Smooth),
    .init = begin, .advance = advance, .output = tell, .internal = done, .external = take,
};

// What orrery asks for: the atomics of this object, with the names of their parameters and variables.
static const char *const params[] = { "part" };
static const orr_native_variable variables[] = {
    { "level", offsetof(Smooth, level) },
    { "count", offsetof(Smooth, count) },
};
static const orr_native_atomic atomics[] = {
    { .atomic = &atomic, .params = params, .n_params = 1, .variables = variables, .n_variables = 2 },
};
static const orr_native table = { .version = ORR_DEVS_VERSION, .n_atomics = 1, .atomics = atomics };

ORR_API const orr_native *orr_native_atomics(void);
const orr_native *orr_native_atomics(void) { return &table; }

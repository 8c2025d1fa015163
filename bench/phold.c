// bench/phold.c: PHOLD, by the kernel and by an indexed 4-ary heap written by hand.
//
//     phold COMPONENTS EVENTS REPEAT
//
// Each component waits for an exponential time, then sends a message to one of four others, picked at
// random, and waits again; who gets a message draws its time anew. Both programs draw the same numbers, so
// they must agree to the last bit at the end. Prints one line: events, seconds of set-up, of the kernel and
// of the heap by hand (the least of REPEAT), bytes the kernel needs beyond the states.
#include "orrery/devs.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NEIGHBOURS = 4 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- What both do

typedef struct Member {
    uint64_t random;
    double due;
    uint64_t pick;    // to whom the next message goes
} Member;

static inline uint64_t draw(Member *m)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return m->random;
}
static inline void wait_anew(Member *m, double t)
{
    const double u = (double)((draw(m) >> 12) + 1) * 0x1p-52;
    m->due = t - log(u);
}
static inline void act(Member *m, double t)
{
    m->pick = draw(m) % NEIGHBOURS;
    wait_anew(m, t);
}
static inline void begin(Member *m, uint32_t i)
{
    m->random = (i + 1) * 0x9e3779b97f4a7c15u;
    act(m, 0);
}

static uint32_t neighbour(uint32_t i, uint32_t k, uint32_t n)    // never itself, no two the same
{
    uint64_t h = ((uint64_t)i * NEIGHBOURS + k + 1) * 0xbf58476d1ce4e5b9u;
    h ^= h >> 31;
    const uint32_t part = (n - 1) / NEIGHBOURS;
    return (uint32_t)((i + 1 + k * part + h % part) % n);
}

// ---- The kernel's

static void init(void *state, const void *params, const orr_devs_call *call)
{
    (void)params;
    begin(state, call->component);
}
static double advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return ((const Member *)state)->due;
}
static void output(const void *state, const orr_devs_call *call)
{
    orr_devs_send(call, (uint32_t)((const Member *)state)->pick, NULL);
}
static void internal(void *state, const orr_devs_call *call) { act(state, call->t); }
static void external(void *state, const orr_devs_call *call, double elapsed, const orr_devs_event *bag,
                     size_t n)
{
    (void)elapsed;
    (void)bag;
    (void)n;
    wait_anew(state, call->t);
}

static const orr_devs_port in[] = { { "in", NULL, 0, 0 } };
static const orr_devs_port out[] = {
    { "a", NULL, 0, 0 }, { "b", NULL, 0, 0 }, { "c", NULL, 0, 0 }, { "d", NULL, 0, 0 }
};
static const orr_atomic member = {
    .version = ORR_DEVS_VERSION,
    .traits = ORR_ATOMIC_ABSOLUTE,
    .name = "member",
    .inputs = in,
    .n_inputs = 1,
    .outputs = out,
    .n_outputs = NEIGHBOURS,
    .state_size = sizeof(Member),
    .init = init,
    .advance = advance,
    .output = output,
    .internal = internal,
    .external = external,
};

static orr_devs *build(uint32_t n, orr_diag *diag)
{
    orr_devs *model = orr_devs_create(diag);
    const orr_devs_part first = orr_devs_add_array(model, ORR_DEVS_ROOT, "member", &member, n, NULL, 0);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < NEIGHBOURS; k++)
            orr_devs_couple(model, first + i, out[k].name, first + neighbour(i, k, n), "in");
    return model;
}

// ---- By hand

typedef struct Entry {
    double t;
    uint32_t id;
} Entry;
typedef struct Heap {
    uint32_t n;
    Entry *entries;
    uint32_t *place;
    Member *members;
    uint32_t (*neighbours)[NEIGHBOURS];
} Heap;

static void sift_up(Heap *h, uint32_t at, Entry e)
{
    for (; at > 0 && h->entries[(at - 1) / 4].t > e.t; at = (at - 1) / 4) {
        h->entries[at] = h->entries[(at - 1) / 4];
        h->place[h->entries[at].id] = at;
    }
    h->entries[at] = e;
    h->place[e.id] = at;
}

static void sift_down(Heap *h, uint32_t at, Entry e)
{
    for (uint32_t child; (child = 4 * at + 1) < h->n;) {
        const uint32_t end = child + 4 < h->n ? child + 4 : h->n;
        uint32_t least = child;
        for (uint32_t k = child + 1; k < end; k++)
            if (h->entries[k].t < h->entries[least].t) least = k;
        if (h->entries[least].t >= e.t) break;
        h->entries[at] = h->entries[least];
        h->place[h->entries[at].id] = at;
        at = least;
    }
    h->entries[at] = e;
    h->place[e.id] = at;
}

static void change(Heap *h, uint32_t id, double t)
{
    const uint32_t at = h->place[id];
    if (t < h->entries[at].t) sift_up(h, at, (Entry){ t, id });
    else sift_down(h, at, (Entry){ t, id });
}

static Heap heap_build(uint32_t n)
{
    Heap h = { .n = n };
    h.entries = malloc(n * sizeof *h.entries);
    h.place = malloc(n * sizeof *h.place);
    h.members = malloc(n * sizeof *h.members);
    h.neighbours = malloc(n * sizeof *h.neighbours);
    h.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        begin(&h.members[i], i);
        for (uint32_t k = 0; k < NEIGHBOURS; k++) h.neighbours[i][k] = neighbour(i, k, n);
        sift_up(&h, h.n++, (Entry){ h.members[i].due, i });
    }
    return h;
}

static void heap_run(Heap *h, double until)
{
    while (h->entries[0].t <= until) {
        const uint32_t i = h->entries[0].id;
        const double t = h->entries[0].t;
        const uint32_t to = h->neighbours[i][h->members[i].pick];
        act(&h->members[i], t);
        change(h, i, h->members[i].due);
        wait_anew(&h->members[to], t);
        change(h, to, h->members[to].due);
    }
}

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    const uint32_t n = (uint32_t)atof(argv[1]);
    const double events = atof(argv[2]);
    const int repeat = atoi(argv[3]);
    orr_diag *diag = orr_diag_create();
    const double before = seconds();
    orr_devs *model = build(n, diag);
    const orr_devs_options options = orr_devs_options_default();
    orr_devs_run *run = orr_devs_finish(model) ? orr_devs_run_create(model, &options, diag) : NULL;
    const double set_up = seconds() - before;
    if (!run) {
        orr_diag_print(diag, stderr, 0);
        return 1;
    }
    Heap heap = heap_build(n);
    // one internal event for each component in one unit of time
    const double span = events / n / repeat;
    double kernel = INFINITY, by_hand = INFINITY;
    for (int k = 1; k <= repeat; k++) {
        double t = seconds();
        if (orr_devs_run_advance(run, k * span) != ORR_STATUS_OK) return 1;
        kernel = fmin(kernel, seconds() - t);
        t = seconds();
        heap_run(&heap, k * span);
        by_hand = fmin(by_hand, seconds() - t);
    }
    const orr_devs_facts facts = orr_devs_run_facts(run);
    for (uint32_t i = 0; i < n; i++)
        if (memcmp(orr_devs_run_state(run, i), &heap.members[i], sizeof(Member)) != 0) {
            fprintf(stderr, "phold: the kernel and the heap by hand differ at component %u\n", i);
            return 1;
        }
    printf("%.0f %.6f %.6f %.6f %.1f\n", (double)facts.n_internal / repeat, set_up, kernel, by_hand,
           (double)(facts.model_bytes + facts.run_bytes) / n);
    orr_devs_run_destroy(run);
    orr_devs_destroy(model);
    orr_diag_destroy(diag);
    return 0;
}

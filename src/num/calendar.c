// src/num/calendar.c: the indexed 4-ary heap behind the calendar.
#include "num/calendar.h"
#include <assert.h>

static size_t up_64(size_t n) { return (n + 63) & ~(size_t)63; }
// the root's three empty places, and the last group of brothers made whole
static size_t n_places(uint32_t n_ids) { return (size_t)n_ids + 11; }

size_t calendar_bytes(uint32_t n_ids)
{
    return 64 + up_64(n_places(n_ids) * sizeof(double)) + up_64(n_places(n_ids) * sizeof(uint32_t)) +
           up_64(n_ids * sizeof(uint32_t));
}

Calendar calendar_attach(void *block, uint32_t n_ids)
{
    char *p = block;
    Calendar c = { .n = block };
    c.times = (double *)(p += 64);
    c.ids = (uint32_t *)(p += up_64(n_places(n_ids) * sizeof(double)));
    c.places = (uint32_t *)(p + up_64(n_places(n_ids) * sizeof(uint32_t)));
    return c;
}

Calendar calendar_init(void *block, uint32_t n_ids)
{
    assert(n_ids <= CALENDAR_MAX);
    Calendar c = calendar_attach(block, n_ids);
    *c.n = 0;
    for (size_t i = 0; i < n_places(n_ids); i++) {
        c.times[i] = (double)INFINITY;
        c.ids[i] = 0;
    }
    for (size_t i = 0; i < n_ids; i++) c.places[i] = 0;
    return c;
}

static void put(Calendar *c, uint32_t place, uint32_t id, double t)
{
    c->times[place] = t;
    c->ids[place] = id;
    c->places[id] = place;
}

static void sift_up(Calendar *c, uint32_t place, uint32_t id, double t)
{
    while (place > CALENDAR_ROOT) {
        const uint32_t parent = place / 4 + 2;
        if (c->times[parent] <= t) break;
        put(c, place, c->ids[parent], c->times[parent]);
        place = parent;
    }
    put(c, place, id, t);
}

static void sift_down(Calendar *c, uint32_t place, uint32_t id, double t)
{
    const uint32_t end = CALENDAR_ROOT + *c->n;    // behind the last place
    for (;;) {
        const uint32_t child = 4 * place - 8;
        if (child >= end) break;
        const double *four = &c->times[child];
        const uint32_t left = four[1] < four[0];
        const uint32_t right = 2 + (four[3] < four[2]);
        const uint32_t least = four[right] < four[left] ? right : left;
        if (!(four[least] < t)) break;
        put(c, place, c->ids[child + least], four[least]);
        place = child + least;
    }
    put(c, place, id, t);
}

static void move(Calendar *c, uint32_t place, uint32_t id, double t)
{
    if (place > CALENDAR_ROOT && t < c->times[place / 4 + 2]) sift_up(c, place, id, t);
    else sift_down(c, place, id, t);
}

void calendar_set(Calendar *c, uint32_t id, double t)
{
    const uint32_t place = c->places[id];
    assert(t == t);
    if (t < (double)INFINITY) {
        if (place) move(c, place, id, t);
        else sift_up(c, CALENDAR_ROOT + (*c->n)++, id, t);
    } else if (place) {
        // the last one takes its place
        const uint32_t last = CALENDAR_ROOT + --*c->n;
        const uint32_t moved = c->ids[last];
        const double moved_t = c->times[last];
        c->times[last] = (double)INFINITY;
        c->places[id] = 0;
        if (last != place) move(c, place, moved, moved_t);
    }
}

uint32_t calendar_due(const Calendar *c, uint32_t *due)
{
    if (*c->n == 0) return 0;
    const double t = calendar_first(c);
    const uint32_t end = CALENDAR_ROOT + *c->n;
    // places first: whoever is due at t has a parent that is
    uint32_t n = 0;
    due[n++] = CALENDAR_ROOT;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t child = 4 * due[k] - 8;
        for (uint32_t i = child; i < child + 4 && i < end; i++)
            if (c->times[i] == t) due[n++] = i;
    }
    for (uint32_t k = 0; k < n; k++) due[k] = c->ids[due[k]];
    return n;
}

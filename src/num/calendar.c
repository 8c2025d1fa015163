// src/num/calendar.c: the indexed 4-ary heap behind the calendar.
#include "num/calendar.h"
#include <assert.h>

static size_t up_64(size_t n) { return (n + 63) & ~(size_t)63; }
// the root's three empty places, and the last group of brothers made whole
static size_t n_places(uint32_t n_ids) { return (size_t)n_ids + 11; }

size_t calendar_bytes(uint32_t n_ids)
{
    return 64 + up_64(n_places(n_ids) * sizeof(CalendarEntry)) + up_64(n_ids * sizeof(uint32_t));
}

Calendar calendar_attach(void *block, uint32_t n_ids)
{
    char *p = block;
    Calendar c = { .n = block, .entries = (CalendarEntry *)(p + 64) };
    c.places = (uint32_t *)(p + 64 + up_64(n_places(n_ids) * sizeof(CalendarEntry)));
    return c;
}

Calendar calendar_init(void *block, uint32_t n_ids)
{
    assert(n_ids <= CALENDAR_MAX);
    Calendar c = calendar_attach(block, n_ids);
    *c.n = 0;
    for (size_t i = 0; i < n_places(n_ids); i++) c.entries[i] = (CalendarEntry){ .t = (double)INFINITY };
    for (size_t i = 0; i < n_ids; i++) c.places[i] = 0;
    return c;
}

static void put(Calendar *c, uint32_t place, CalendarEntry entry)
{
    c->entries[place] = entry;
    c->places[entry.id] = place;
}

static void sift_up(Calendar *c, uint32_t place, CalendarEntry entry)
{
    while (place > CALENDAR_ROOT) {
        const uint32_t parent = place / 4 + 2;
        if (c->entries[parent].t <= entry.t) break;
        put(c, place, c->entries[parent]);
        place = parent;
    }
    put(c, place, entry);
}

static void sift_down(Calendar *c, uint32_t place, CalendarEntry entry)
{
    const uint32_t end = CALENDAR_ROOT + *c->n;    // behind the last place
    for (;;) {
        const uint32_t child = 4 * place - 8;
        if (child >= end) break;
        const CalendarEntry *four = &c->entries[child];
        // the children of all four stand side by side: fetch them before it is known whose are needed
        if (4 * child < end)
            for (uint32_t k = 0; k < 4; k++) __builtin_prefetch(&c->entries[4 * (child + k) - 8]);
        const uint32_t left = four[1].t < four[0].t;
        const uint32_t right = 2 + (four[3].t < four[2].t);
        const uint32_t least = four[right].t < four[left].t ? right : left;
        if (!(four[least].t < entry.t)) break;
        put(c, place, four[least]);
        place = child + least;
    }
    put(c, place, entry);
}

static void move(Calendar *c, uint32_t place, CalendarEntry entry)
{
    if (entry.t < c->entries[place].t) sift_up(c, place, entry);
    else sift_down(c, place, entry);
}

void calendar_set(Calendar *c, uint32_t id, double t)
{
    const uint32_t place = c->places[id];
    const CalendarEntry entry = { .t = t, .id = id };
    assert(t == t);
    if (t < (double)INFINITY) {
        if (place) move(c, place, entry);
        else sift_up(c, CALENDAR_ROOT + (*c->n)++, entry);
    } else if (place) {
        // the last one takes its place
        const uint32_t last = CALENDAR_ROOT + --*c->n;
        const CalendarEntry moved = c->entries[last];
        c->entries[last] = (CalendarEntry){ .t = (double)INFINITY };
        c->places[id] = 0;
        if (last != place) move(c, place, moved);
    }
}

uint32_t calendar_due(const Calendar *c, double t, uint32_t *due)
{
    if (*c->n == 0 || calendar_first(c) > t) return 0;
    const uint32_t end = CALENDAR_ROOT + *c->n;
    // places first: whoever is due until t has a parent that is
    uint32_t n = 0;
    due[n++] = CALENDAR_ROOT;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t child = 4 * due[k] - 8;
        for (uint32_t i = child; i < child + 4 && i < end; i++)
            if (c->entries[i].t <= t) due[n++] = i;
    }
    for (uint32_t k = 0; k < n; k++) due[k] = c->entries[due[k]].id;
    return n;
}

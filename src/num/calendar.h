// src/num/calendar.h: when each of n things, numbered from 0, is due; each at most once.
//
// An indexed heap with four children to a node: `places` says where in the heap a thing stands, so its time
// can be changed where it is, without taking it out. The root stands at place 3 and the children of place i
// at 4i - 8 … 4i - 5, so that four brothers are one cache line; behind the last node stand infinities, so
// that no bound is tested. All of it lies in one block of memory of the caller's and holds no pointers:
// copying the block and attaching to the copy gives an equal calendar.
//
// Things due until a time are all found by one look; their order is the caller's affair.
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { CALENDAR_ROOT = 3, CALENDAR_MAX = 1 << 28 /* things */ };

typedef struct CalendarEntry {
    double t;
    uint32_t id;
    uint32_t unused;    // 0
} CalendarEntry;

typedef struct Calendar {
    uint32_t *n;               // [1] things that are due at all
    CalendarEntry *entries;    // [n_ids + 11] by place; infinite behind the last
    uint32_t *places;          // [n_ids] place of each thing; 0: it is not due
} Calendar;

size_t calendar_bytes(uint32_t n_ids);    // of the block; it must be aligned to 64 bytes
Calendar calendar_attach(void *block, uint32_t n_ids);
Calendar calendar_init(void *block, uint32_t n_ids);    // attach, and nothing is due

// Earliest time; INFINITY if nothing is due.
static inline double calendar_first(const Calendar *calendar) { return calendar->entries[CALENDAR_ROOT].t; }
static inline uint32_t calendar_first_id(const Calendar *calendar)    // one of those due then
{
    return calendar->entries[CALENDAR_ROOT].id;
}
static inline double calendar_time(const Calendar *calendar, uint32_t id)    // INFINITY: not due
{
    return calendar->places[id] ? calendar->entries[calendar->places[id]].t : (double)INFINITY;
}

// From now on `id` is due at t, any number but NaN; INFINITY: not at all. Logarithmic in the number of
// things.
void calendar_set(Calendar *calendar, uint32_t id, double t);

// The things due until t, in no order, into `due` [n_ids]; their number. They stay due.
uint32_t calendar_due(const Calendar *calendar, double t, uint32_t *due);

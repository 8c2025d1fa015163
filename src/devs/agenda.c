// src/devs/agenda.c: when components are due: a small heap for what comes soon, buckets for what comes later.
//
//     near      an indexed 4-ary heap of those due before bucket `current`
//     buckets   equal pieces of a span of time, each a list without order through the actors
//     later     all that are due behind the span: nothing but a mark in the actor
//
// When the heap is empty the next bucket is put into it; when all buckets are, a new span is laid over those
// that are later, found by going through all actors once. So in a large model an event costs a few places
// in memory that do not depend on each other, where a heap of all would follow a path down to its leaves.
// Which bucket a time belongs to is a monotone function of it: widths chosen badly cost time, never order.
// Times that differ only by rounding are one instant (num/instant.h): the heap has all of the next one. While
// few components are due at all, the heap has all of them.
// [Brown 1988, calendar queues; Tang, Goh & Thng 2005, ladder queues]
#include "devs/devs.h"
#include "num/instant.h"
#include <stdlib.h>
#include <string.h>

#define AGENDA_NEAR  (UINT32_MAX - 1)    // in `prev`: in the heap, `next` is the place
#define AGENDA_LATER (UINT32_MAX - 2)    // in `prev`: behind the span
#define AGENDA_NONE  UINT32_MAX
enum { AGENDA_ROOT = 3 /* see num/calendar.h: four brothers are one cache line */, AGENDA_SAMPLES = 63 };

static DevsActor *agenda_actor(const DevsAgenda *a, uint32_t word)
{
    return (DevsActor *)(a->states + (size_t)word * 8);
}

// ---- The heap
//
// That of num/calendar.c, but an entry's place is noted in its actor, which is at hand anyway: a large model
// would have to fetch one more line of memory for it. The calendar, in turn, is text that exported programs
// have as it stands, so the two share nothing.

static void near_reserve(DevsAgenda *a, uint32_t n)
{
    if (n <= a->near_capacity) return;
    const uint32_t capacity = n < 64 ? 64 : 2 * n;
    DevsDue *near = devs_zeroed(a->run, ((size_t)capacity + 11) * sizeof *near);
    for (uint32_t i = 0; i < capacity + 11; i++) near[i].t = (double)INFINITY;
    if (a->near) memcpy(near, a->near, ((size_t)AGENDA_ROOT + a->n_near) * sizeof *near);
    free(a->near);
    a->near = near;
    a->near_capacity = capacity;
}

static inline void near_put(DevsAgenda *a, uint32_t place, DevsDue due)
{
    a->near[place] = due;
    agenda_actor(a, due.word)->next = place;
}

static void near_sift_up(DevsAgenda *a, uint32_t place, DevsDue due)
{
    while (place > AGENDA_ROOT) {
        const uint32_t parent = place / 4 + 2;
        if (a->near[parent].t <= due.t) break;
        near_put(a, place, a->near[parent]);
        place = parent;
    }
    near_put(a, place, due);
}

static void near_sift_down(DevsAgenda *a, uint32_t place, DevsDue due)
{
    const uint32_t end = AGENDA_ROOT + a->n_near;
    for (;;) {
        const uint32_t child = 4 * place - 8;
        if (child >= end) break;
        const DevsDue *four = &a->near[child];
        const uint32_t left = four[1].t < four[0].t;
        const uint32_t right = 2 + (four[3].t < four[2].t);
        const uint32_t least = four[right].t < four[left].t ? right : left;
        if (!(four[least].t < due.t)) break;
        near_put(a, place, four[least]);
        place = child + least;
    }
    near_put(a, place, due);
}

static void near_move(DevsAgenda *a, uint32_t place, DevsDue due)
{
    if (due.t < a->near[place].t) near_sift_up(a, place, due);
    else near_sift_down(a, place, due);
}

static void near_remove(DevsAgenda *a, uint32_t place)
{
    const uint32_t last = AGENDA_ROOT + --a->n_near;
    const DevsDue moved = a->near[last];
    a->near[last].t = (double)INFINITY;
    if (last != place) near_move(a, place, moved);
}

static void near_add(DevsAgenda *a, DevsActor *actor, uint32_t word)
{
    near_reserve(a, a->n_near + 1);
    actor->prev = AGENDA_NEAR;
    near_sift_up(a, AGENDA_ROOT + a->n_near++, (DevsDue){ .t = actor->due, .word = word });
}

// ---- Buckets

// Where a time belongs, as a number: below `current` to the heap, from n_buckets on it is later.
static inline double bucket_of(const DevsAgenda *a, double t) { return (t - a->begin) * a->per_second; }

static void agenda_unlink(DevsAgenda *a, DevsActor *actor)
{
    if (actor->prev == AGENDA_LATER) {
        a->n_later--;
        return;
    }
    a->n_far--;
    if (actor->next != AGENDA_NONE) agenda_actor(a, actor->next)->prev = actor->prev;
    if (actor->prev != AGENDA_NONE) agenda_actor(a, actor->prev)->next = actor->next;
    else a->heads[(uint32_t)bucket_of(a, actor->due)] = actor->next;
}

static void agenda_insert(DevsAgenda *a, DevsActor *actor, uint32_t word)
{
    const double x = bucket_of(a, actor->due);
    if (x < (double)a->current) near_add(a, actor, word);
    else if (x < (double)a->n_buckets) {
        uint32_t *head = &a->heads[(uint32_t)x];
        if (*head != AGENDA_NONE) agenda_actor(a, *head)->prev = word;
        actor->next = *head;
        actor->prev = AGENDA_NONE;
        *head = word;
        a->n_far++;
    } else {
        actor->prev = AGENDA_LATER;
        a->n_later++;
    }
}

void agenda_set(DevsAgenda *a, uint32_t word, double t)
{
    DevsActor *actor = agenda_actor(a, word);
    if (actor->due <= a->limit || t <= a->limit) a->is_stale = true;
    if (actor->due < (double)INFINITY) {
        if (actor->prev == AGENDA_NEAR) {
            if (bucket_of(a, t) < (double)a->current) {
                actor->due = t;
                near_move(a, actor->next, (DevsDue){ .t = t, .word = word });
                return;
            }
            near_remove(a, actor->next);
        } else agenda_unlink(a, actor);
    }
    actor->due = t;
    if (t < (double)INFINITY) agenda_insert(a, actor, word);
}

// ---- Spans

static int times_ascend(const void *x, const void *y)
{
    const double a = *(const double *)x;
    const double b = *(const double *)y;
    return (a > b) - (a < b);
}

// All into the heap, now and until there are many.
static void heap_only(DevsAgenda *a)
{
    a->begin = 0;
    a->per_second = 0;    // every time has the place 0
    a->current = 1;
    a->n_buckets = 1;
    a->heads[0] = AGENDA_NONE;
}

// A span from the earliest time that holds most of them: twice the way to the middle one.
static bool choose_span(DevsAgenda *a, const orr_devs *model)
{
    double samples[AGENDA_SAMPLES];
    double least = (double)INFINITY;
    const uint32_t n = a->n_near + a->n_far + a->n_later;
    const uint32_t every = n / AGENDA_SAMPLES + 1;
    uint32_t n_samples = 0;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < model->n_components; i++) {
        const double due = agenda_actor(a, model->spots[i].word)->due;
        if (!(due < (double)INFINITY)) continue;
        if (due < least) least = due;
        if (seen++ % every == 0 && n_samples < AGENDA_SAMPLES) samples[n_samples++] = due;
    }
    qsort(samples, n_samples, sizeof *samples, times_ascend);
    const double span = 2 * (samples[n_samples / 2] - least);
    a->n_buckets = n / 2 < a->buckets_capacity ? n / 2 : a->buckets_capacity;
    a->begin = least;
    a->per_second = a->n_buckets / span;
    a->current = 0;
    // times so close to each other, or so far, that an instant is wider than a bucket are left to the heap
    const double end = fmax(fabs(least), fabs(least + span));
    return span > 0 && isfinite(a->per_second) && 1 / a->per_second > 2 * (instant_reach(end) - end);
}

static void lay_span(DevsAgenda *a, const orr_devs *model)
{
    for (uint32_t i = 0; i < a->n_near; i++) a->near[AGENDA_ROOT + i].t = (double)INFINITY;
    const uint32_t n = a->n_near + a->n_far + a->n_later;
    if (n < a->few / 2 || !choose_span(a, model)) heap_only(a);
    for (uint32_t b = 0; b < a->n_buckets; b++) a->heads[b] = AGENDA_NONE;
    a->n_near = a->n_far = a->n_later = 0;
    for (uint32_t i = 0; i < model->n_components; i++) {
        const uint32_t word = model->spots[i].word;
        DevsActor *actor = agenda_actor(a, word);
        if (actor->due < (double)INFINITY) agenda_insert(a, actor, word);
    }
    a->n_near_max = 2 * a->n_near + a->few;
    a->is_stale = true;
}

// Those of the current bucket into the heap.
static void load_bucket(DevsAgenda *a, const orr_devs *model)
{
    uint32_t word = a->heads[a->current];
    a->heads[a->current++] = AGENDA_NONE;
    while (word != AGENDA_NONE) {
        DevsActor *actor = agenda_actor(a, word);
        const uint32_t next = actor->next;
        near_add(a, actor, word);
        a->n_far--;
        // it will be asked for its output soon
        __builtin_prefetch(&model->spots[actor->component]);
        word = next;
    }
    // those of the next buckets: by the time they come, they are there
    for (uint32_t b = a->current; b < a->current + 4 && b < a->n_buckets; b++)
        if (a->heads[b] != AGENDA_NONE) __builtin_prefetch(agenda_actor(a, a->heads[b]));
}

// The heap has somebody, if there is anybody.
static void load_first(DevsAgenda *a, const orr_devs *model)
{
    while (a->n_near == 0 && a->n_far + a->n_later > 0) {
        if (a->n_far == 0) {
            lay_span(a, model);
            continue;
        }
        while (a->heads[a->current] == AGENDA_NONE) a->current++;
        load_bucket(a, model);
    }
}

// Of those at `place` of the heap and below it that are due at the next instant, the latest time.
static double latest_near(const DevsAgenda *a, uint32_t place)
{
    double latest = a->near[place].t;
    const uint32_t child = 4 * place - 8;
    const uint32_t end = AGENDA_ROOT + a->n_near;
    for (uint32_t i = child; i < child + 4 && i < end; i++) {
        if (a->near[i].t > a->limit) continue;
        const double below = latest_near(a, i);
        if (below > latest) latest = below;
    }
    return latest;
}

void agenda_settle(DevsAgenda *a, const orr_devs *model)
{
    if (a->n_near > a->n_near_max) lay_span(a, model);
    if (!a->is_stale) return;
    load_first(a, model);
    a->instant = a->limit = a->near[AGENDA_ROOT].t;
    if (a->n_near == 0) return;
    a->limit = instant_reach(a->instant);
    if (bucket_of(a, a->limit) >= (double)a->n_buckets && a->n_later > 0) {
        lay_span(a, model);
        load_first(a, model);
    }
    while (a->current < a->n_buckets && bucket_of(a, a->limit) >= (double)a->current) load_bucket(a, model);
    a->instant = latest_near(a, AGENDA_ROOT);
    a->is_stale = false;
}

uint32_t agenda_due(const DevsAgenda *a, uint32_t *due)
{
    if (a->n_near == 0) return 0;
    const uint32_t end = AGENDA_ROOT + a->n_near;
    // places first: whoever is due then has a parent that is
    uint32_t n = 0;
    due[n++] = AGENDA_ROOT;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t child = 4 * due[k] - 8;
        for (uint32_t i = child; i < child + 4 && i < end; i++)
            if (a->near[i].t <= a->limit) due[n++] = i;
    }
    for (uint32_t k = 0; k < n; k++) due[k] = a->near[due[k]].word;
    return n;
}

void agenda_init(DevsAgenda *a, orr_devs_run *run, char *states, uint32_t n_components)
{
    a->run = run;
    a->states = states;
    a->few = n_components / 4 + 64;
    a->buckets_capacity = n_components / 2 + 1;
    a->heads = devs_zeroed(run, ((size_t)a->buckets_capacity + 1) * sizeof *a->heads);
    near_reserve(a, 1);
    a->instant = a->limit = (double)INFINITY;
    a->is_stale = true;
    // all that is set before the first settling is later
    a->n_near_max = a->few;
}

void agenda_free(DevsAgenda *a)
{
    free(a->near);
    free(a->heads);
}

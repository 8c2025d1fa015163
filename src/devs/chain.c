// src/devs/chain.c: who keeps whom going when an instant never ends.
//
// Among the components that were seen to act, a circle of couplings is looked for, depth first. Without
// one, somebody is due again at once after each of its own transitions: its time advance is 0, or so short
// that adding it to t changes nothing.
#include "base/text.h"
#include "devs/devs.h"
#include <math.h>

enum { NAMES_MAX = 8 };    // shown
static const Place no_place = { 0 };

typedef struct Search {
    const orr_devs *model;
    const orr_devs_run *run;
    const uint8_t *watched;
    uint32_t *path;      // components from the root of the search on
    uint32_t *next;      // [n_components] next output to look at; of those on the path
    uint32_t *target;    // [n_components] next target of it
    uint8_t *state;      // [n_components] 0 not seen, 1 on the path, 2 done
    size_t depth;
} Search;

static void enter(Search *s, uint32_t component)
{
    s->state[component] = 1;
    s->next[component] = s->model->spots[component].first_output;
    s->target[component] = 0;
    s->path[s->depth++] = component;
}

// Extends the path by one or shortens it; true if it closed: *begin is where on the path the circle begins.
static bool go_on(Search *s, size_t *begin)
{
    const uint32_t at = s->path[s->depth - 1];
    if (s->next[at] == s->model->spots[at + 1].first_output) {
        s->state[at] = 2;
        s->depth--;
        return false;
    }
    const DevsTarget *end;
    const DevsTarget *target = devs_targets(s->model, s->next[at], &end) + s->target[at]++;
    if (target >= end) {
        s->next[at]++;
        s->target[at] = 0;
        return false;
    }
    const uint32_t to = actor_at(s->run, target->word)->component;
    if (to == s->model->n_components || !s->watched[to] || s->state[to] == 2) return false;
    if (s->state[to] == 0) {
        enter(s, to);
        return false;
    }
    for (*begin = s->depth - 1; s->path[*begin] != to;) --*begin;
    return true;
}

static size_t find_circle(Search *s, size_t *begin)
{
    for (uint32_t i = 0; i < s->model->n_components; i++) {
        if (!s->watched[i] || s->state[i]) continue;
        s->depth = 0;
        enter(s, i);
        while (s->depth > 0)
            if (go_on(s, begin)) return s->depth - *begin;
    }
    return 0;
}

void chain_report(orr_devs_run *run)
{
    Arena work = { 0 };
    const orr_devs *model = run->model;
    const size_t n = model->n_components;
    Search s = { .model = model,
                 .run = run,
                 .target = ARENA_ARRAY(&work, uint32_t, n),
                 .watched = run->watched,
                 .path = ARENA_ARRAY(&work, uint32_t, n),
                 .next = ARENA_ARRAY(&work, uint32_t, n),
                 .state = ARENA_ARRAY(&work, uint8_t, n) };
    size_t begin = 0;
    const size_t length = find_circle(&s, &begin);
    StrBuf text = { .arena = &work };
    if (length > 0) {
        for (size_t i = 0; i < length && i < NAMES_MAX; i++)
            str_addf(&text, "'%s' → ", devs_component_name(model, s.path[begin + i], &work));
        if (length > NAMES_MAX) str_addf(&text, "… (%zu components) → ", length);
        str_addf(&text, "'%s'", devs_component_name(model, s.path[begin], &work));
    } else {
        size_t shown = 0;
        for (uint32_t i = 0; i < n && shown < NAMES_MAX; i++) {
            if (!run->watched[i]) continue;
            str_addf(&text, "%s'%s'", shown++ ? ", " : "", devs_component_name(model, i, &work));
        }
        str_add(&text, shown > 1 ? " are due again at once" : " is due again at once");
    }
    diag_report(run->diag, DIAG_CHAIN_ENDLESS, no_place, run->call.t, (unsigned long long)run->clock->bag,
                str_finish(&text));
    diag_hint(run->diag, "give one of them a time advance greater than %.2g, the resolution of t there",
              nextafter(run->call.t, (double)INFINITY) - run->call.t);
    arena_free(&work);
}

// tests/unit/devs/test_agenda.c: the agenda against a plain list of times, for times of every kind.
#include "check.h"
#include "devs/devs.h"
#include "num/instant.h"
#include "num/random.h"
#include <stdlib.h>

enum { N = 3000, WORDS = sizeof(DevsActor) / 8 + 1 };

typedef struct Plain {
    orr_devs model;
    DevsAgenda agenda;
    uint64_t *states;
    double due[N];
    uint32_t found[N];
} Plain;

static Plain *plain_create(void)
{
    Plain *p = calloc(1, sizeof *p);
    p->model.n_components = N;
    DevsSpot *spots = calloc(N + 1, sizeof *spots);
    p->model.spots = spots;
    p->states = calloc(N, WORDS * 8);
    for (uint32_t i = 0; i < N; i++) {
        spots[i].word = i * WORDS;
        DevsActor *actor = (DevsActor *)(void *)(p->states + (size_t)i * WORDS);
        actor->component = i;
        actor->due = p->due[i] = (double)INFINITY;
    }
    agenda_init(&p->agenda, NULL, (char *)p->states, N);
    return p;
}

static void plain_destroy(Plain *p)
{
    agenda_free(&p->agenda);
    free((void *)p->model.spots);
    free(p->states);
    free(p);
}

static void set(Plain *p, uint32_t i, double t)
{
    p->due[i] = t;
    agenda_set(&p->agenda, i * WORDS, t);
}

// The earliest and what is one instant with it, found one by one: exactly what the agenda says.
static double check_first(Plain *p, uint32_t *n_found)
{
    double first = (double)INFINITY, instant = -(double)INFINITY;
    uint32_t n = 0;
    for (uint32_t i = 0; i < N; i++) first = fmin(first, p->due[i]);
    const double limit = first + 4 * (nextafter(fabs(first), (double)INFINITY) - fabs(first));
    for (uint32_t i = 0; i < N; i++) {
        if (p->due[i] > instant_reach(first)) continue;
        assert_true(isinf(first) || p->due[i] <= limit);
        instant = fmax(instant, p->due[i]);
        n++;
    }
    agenda_settle(&p->agenda, &p->model);
    assert_same_bits(agenda_first(&p->agenda), instant);
    *n_found = isinf(first) ? 0 : agenda_due(&p->agenda, p->found);
    if (!isinf(first)) assert_int_equal(*n_found, n);
    for (uint32_t k = 0; k < *n_found; k++)
        assert_true(p->due[p->found[k] / WORDS] >= first && p->due[p->found[k] / WORDS] <= instant);
    return instant;
}

static double draw(RandomStream *s, int kind, double now)
{
    switch (kind) {
    case 0: return now + random_exponential(s, 1);
    case 1: return now + (double)random_below(s, 4);                     // many at once, and now
    case 2: return now + random_lognormal(s, 0, 5);                      // some very far
    case 3: return floor(now / 10) * 10 + 10;                            // all at the same times
    case 4: return now * (1 + 1e-15 * random_unit(s));                   // as near as numbers allow
    case 7: return now + 1e-4 * (floor(3 * random_unit(s)) + 1) * 0.1 * 3;    // but for rounding, at once
    case 5: return random_below(s, 4) ? (double)INFINITY : now + random_unit(s);
    default: return random_below(s, 50) ? now + random_unit(s) : now + 1e300 * random_unit(s);
    }
}

static void test_agenda_agrees_with_a_plain_list(void **state)
{
    (void)state;
    uint32_t worst_far = 0;
    for (int kind = 0; kind < 8; kind++) {
        RandomStream s = random_stream(1, (uint64_t)kind, "agenda");
        Plain *p = plain_create();
        double now = kind == 4 ? 1e6 : -50;
        for (uint32_t i = 0; i < N; i++) set(p, i, draw(&s, kind, now));
        for (int turn = 0; turn < 3000; turn++) {
            uint32_t n;
            const double first = check_first(p, &n);
            if (isinf(first)) break;
            now = first;
            if (p->agenda.n_far > worst_far) worst_far = p->agenda.n_far;
            for (uint32_t k = 0; k < n; k++) set(p, p->found[k] / WORDS, draw(&s, kind, now));
            // others are changed, too: earlier, later, not at all
            for (int k = 0; k < 3; k++) {
                const uint32_t i = (uint32_t)random_below(&s, N);
                set(p, i, random_below(&s, 9) ? draw(&s, kind, now) : (double)INFINITY);
            }
        }
        plain_destroy(p);
    }
    assert_true(worst_far > N / 3);    // buckets took part
}

static void test_agenda_grows_and_shrinks(void **state)
{
    (void)state;
    // from few to many to few, again and again: heap, spans, heap
    RandomStream s = random_stream(2, 0, "agenda");
    Plain *p = plain_create();
    double now = 0;
    for (int wave = 0; wave < 4; wave++) {
        for (uint32_t i = 0; i < N; i++) {
            set(p, i, now + 0.001 * i + random_unit(&s));
            if (i % 100 == 0) agenda_settle(&p->agenda, &p->model);
        }
        uint32_t n;
        for (int left = N; left > 20;) {
            now = check_first(p, &n);
            for (uint32_t k = 0; k < n; k++) set(p, p->found[k] / WORDS, (double)INFINITY);
            left -= (int)n;
        }
    }
    plain_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agenda_agrees_with_a_plain_list),
        cmocka_unit_test(test_agenda_grows_and_shrinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

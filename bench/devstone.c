// bench/devstone.c: DEVStone, by the kernel and by a flat loop written by hand.
//
//     devstone KIND WIDTH DEPTH REPEAT
//
// Prints one line: transitions, seconds of set-up, of the kernel and of the loop by hand (the least of
// REPEAT), and bytes. Exits with 1 if the numbers of transitions are not those of the formulas, or the two
// do not agree.
//
// The loop by hand knows the model as flattened couplings, all atomics as one array, and no times at all:
// who acts next is a list. It is written twice: with bags, as the formalism has them (messages are kept
// until their receiver looks at all of them), and, as a lower bound, with messages added up where they
// arrive, since that is all these atomics do with them. The goals are about the first.
#include "devstone.h"
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- By hand

typedef struct Message {
    uint32_t sender;
    uint64_t value;
} Message;

typedef struct Flat {
    uint32_t n;
    uint32_t *first;    // [n + 1] targets of each, then of the injected message
    uint32_t *targets;
    Stone *stones;
    uint32_t *n_into, *start, *active, *next;
    uint64_t *into;    // added up
    Message *bags;     // [n_edges]
    Message *sent;     // [n + 1]
} Flat;

// The couplings as seen by tracing one run of the kernel would not show those never used, so they are built
// again, from the same description, without hierarchy.
typedef struct Edges {
    uint32_t (*items)[2];
    size_t n, capacity;
} Edges;
static void edge(Edges *e, uint32_t from, uint32_t to)
{
    if (e->n == e->capacity) {
        e->capacity = e->capacity ? 2 * e->capacity : 1024;
        e->items = realloc(e->items, e->capacity * sizeof *e->items);
    }
    e->items[e->n][0] = from;
    e->items[e->n++][1] = to;
}

static Flat flat_build(const char *kind, uint32_t w, uint32_t d)
{
    const int mod = strcmp(kind, "HOmod") == 0;
    const uint32_t per_level = mod ? (w - 1) + w * (w - 1) / 2 : w - 1;
    Flat f = { .n = per_level * (d - 1) + 1 };
    Edges e = { 0 };
    for (uint32_t k = 0; k < d - 1; k++) {
        const uint32_t base = k * per_level;
        if (!mod) {
            for (uint32_t i = 0; i < w - 1; i++) edge(&e, f.n, base + i);
            for (uint32_t i = 0; i + 1 < w - 1 && strcmp(kind, "LI") != 0; i++)
                edge(&e, base + i, base + i + 1);
            continue;
        }
        // heads of the rows, and the first layer, take what comes in
        uint32_t row = base + w - 1;
        for (uint32_t from = 0; from < (k ? w - 1 : 1); from++) {
            const uint32_t sender = k ? base - per_level + from : f.n;
            for (uint32_t i = 0; i < w - 1; i++) edge(&e, sender, base + i);
            uint32_t head = row;
            for (uint32_t r = 1; r < w; head += w - r, r++) edge(&e, sender, head);
        }
        for (uint32_t r = 1; r < w; row += w - r, r++)
            for (uint32_t i = 0; i < w - r; i++) {
                if (r > 1) edge(&e, row + i, row - (w - r + 1) + i + 1);
                else
                    for (uint32_t j = 0; j < w - 1; j++) edge(&e, row + i, base + j);
            }
    }
    edge(&e, f.n, f.n - 1);
    f.first = calloc(f.n + 3, sizeof *f.first);
    f.targets = malloc((e.n + 1) * sizeof *f.targets);
    for (size_t i = 0; i < e.n; i++) f.first[e.items[i][0] + 2]++;
    for (uint32_t i = 2; i < f.n + 3; i++) f.first[i] += f.first[i - 1];
    for (size_t i = 0; i < e.n; i++) f.targets[f.first[e.items[i][0] + 1]++] = e.items[i][1];
    free(e.items);
    f.stones = calloc(f.n, sizeof *f.stones);
    f.into = calloc(f.n, sizeof *f.into);
    f.n_into = calloc(f.n, sizeof *f.n_into);
    f.start = calloc(f.n, sizeof *f.start);
    f.active = malloc(f.n * sizeof *f.active);
    f.next = malloc(f.n * sizeof *f.next);
    f.bags = malloc((e.n + 1) * sizeof *f.bags);
    f.sent = malloc((f.n + 1) * sizeof *f.sent);
    return f;
}

// One injected message; returns the transitions made, internal and external together.
static uint64_t run_with_bags(Flat *f, uint64_t value)
{
    uint64_t transitions = 0;
    uint32_t n_active = 0, n_next = 0, n_sent = 0;
    f->sent[n_sent++] = (Message){ f->n, value };
    while (n_sent) {
        for (uint32_t m = 0; m < n_sent; m++)
            for (uint32_t k = f->first[f->sent[m].sender]; k < f->first[f->sent[m].sender + 1]; k++)
                if (f->n_into[f->targets[k]]++ == 0) f->next[n_next++] = f->targets[k];
        uint32_t at = 0;
        for (uint32_t a = 0; a < n_next; a++) {
            f->start[f->next[a]] = at;
            at += f->n_into[f->next[a]];
            f->n_into[f->next[a]] = 0;
        }
        for (uint32_t m = 0; m < n_sent; m++)
            for (uint32_t k = f->first[f->sent[m].sender]; k < f->first[f->sent[m].sender + 1]; k++)
                f->bags[f->start[f->targets[k]] + f->n_into[f->targets[k]]++] = f->sent[m];
        for (uint32_t a = 0; a < n_active; a++) {
            Stone *s = &f->stones[f->active[a]];
            s->n_internal++;
            s->is_active = 0;
        }
        for (uint32_t a = 0; a < n_next; a++) {
            const uint32_t i = f->next[a];
            Stone *s = &f->stones[i];
            s->n_external++;
            for (uint32_t k = 0; k < f->n_into[i]; k++) s->sum += f->bags[f->start[i] + k].value;
            s->is_active = 1;
            f->n_into[i] = 0;
        }
        transitions += n_active + n_next;
        uint32_t *swap = f->active;
        f->active = f->next;
        f->next = swap;
        n_active = n_next;
        n_sent = n_next = 0;
        for (uint32_t a = 0; a < n_active; a++)
            f->sent[n_sent++] = (Message){ f->active[a], f->stones[f->active[a]].sum };
    }
    return transitions;
}

static uint64_t run_adding_up(Flat *f, uint64_t value)
{
    uint64_t transitions = 0;
    uint32_t n_active = 0, n_next = 0;
    for (uint32_t k = f->first[f->n]; k < f->first[f->n + 1]; k++) {
        const uint32_t to = f->targets[k];
        if (f->n_into[to]++ == 0) f->next[n_next++] = to;
        f->into[to] += value;
    }
    while (n_active || n_next) {
        for (uint32_t a = 0; a < n_active; a++) {
            const uint32_t i = f->active[a];
            const uint64_t sum = f->stones[i].sum;
            for (uint32_t k = f->first[i]; k < f->first[i + 1]; k++) {
                const uint32_t to = f->targets[k];
                if (f->n_into[to]++ == 0) f->next[n_next++] = to;
                f->into[to] += sum;
            }
        }
        for (uint32_t a = 0; a < n_active; a++) f->stones[f->active[a]].n_internal++;
        for (uint32_t a = 0; a < n_next; a++) {
            const uint32_t i = f->next[a];
            f->stones[i].n_external++;
            f->stones[i].sum += f->into[i];
            f->into[i] = 0;
            f->n_into[i] = 0;
        }
        transitions += n_active + n_next;
        uint32_t *swap = f->active;
        f->active = f->next;
        f->next = swap;
        n_active = n_next;
        n_next = 0;
    }
    return transitions;
}

// ---- Both

static int cannot(orr_diag *diag)
{
    orr_diag_print(diag, stderr, 0);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 5) return 2;
    const char *kind = argv[1];
    const int w = atoi(argv[2]), d = atoi(argv[3]), repeat = atoi(argv[4]);
    const uint64_t formula = devstone_transitions(kind, (uint64_t)w, (uint64_t)d);
    orr_diag *diag = orr_diag_create();

    const double before = seconds();
    orr_devs *model = devstone_build(kind, w, d, diag);
    if (!orr_devs_finish(model)) return cannot(diag);
    orr_devs_options options = orr_devs_options_default();
    orr_devs_run *run = orr_devs_run_create(model, &options, diag);
    if (!run) return cannot(diag);
    const double set_up = seconds() - before;

    Flat flat = flat_build(kind, (uint32_t)w, (uint32_t)d), lean = flat_build(kind, (uint32_t)w, (uint32_t)d);
    double kernel = INFINITY, by_hand = INFINITY, adding_up = INFINITY;
    orr_devs_facts facts = orr_devs_run_facts(run), last = facts;
    for (int k = 0; k < repeat; k++) {
        const uint64_t one = 1;
        double t = seconds();
        orr_devs_run_send(run, k, 0, &one);
        if (strncmp(kind, "HO", 2) == 0) orr_devs_run_send(run, k, 1, &one);
        if (orr_devs_run_advance(run, k) != ORR_STATUS_OK) return cannot(diag);
        kernel = fmin(kernel, seconds() - t);
        last = facts;
        facts = orr_devs_run_facts(run);
        t = seconds();
        const uint64_t made = run_with_bags(&flat, 1);
        by_hand = fmin(by_hand, seconds() - t);
        t = seconds();
        const uint64_t lean_made = run_adding_up(&lean, 1);
        adding_up = fmin(adding_up, seconds() - t);
        if (facts.n_internal - last.n_internal != formula || facts.n_external - last.n_external != formula ||
            made != 2 * formula || lean_made != made) {
            fprintf(stderr,
                    "%s %d×%d: %llu internal, %llu external, %llu by hand, but the formula says %llu\n", kind,
                    w, d, (unsigned long long)(facts.n_internal - last.n_internal),
                    (unsigned long long)(facts.n_external - last.n_external), (unsigned long long)made,
                    (unsigned long long)formula);
            return 1;
        }
    }
    // the sums of all that ever arrived, in whatever order the two number their components
    uint64_t a = 0, b = 0, c = 0;
    for (uint32_t i = 0; i < facts.n_components; i++) {
        a += ((const Stone *)orr_devs_run_state(run, i))->sum % 1000003;
        b += flat.stones[i].sum % 1000003;
        c += lean.stones[i].sum % 1000003;
    }
    if (a != b || b != c) {
        fprintf(stderr, "%s %d×%d: the kernel and the loops by hand compute different sums\n", kind, w, d);
        return 1;
    }
    printf("%llu %.6f %.6f %.6f %.6f %u %llu %zu %zu %.1f\n", (unsigned long long)(2 * formula), set_up,
           kernel, by_hand, adding_up, facts.n_components, (unsigned long long)facts.n_couplings,
           facts.model_bytes + facts.run_bytes, facts.state_bytes,
           (double)(facts.n_received - last.n_received) / (double)formula);
    orr_devs_run_destroy(run);
    orr_devs_destroy(model);
    orr_diag_destroy(diag);
    return 0;
}

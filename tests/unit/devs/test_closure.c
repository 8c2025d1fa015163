// tests/unit/devs/test_closure.c: random coupled models. A coupled model and its flattened form do the
// same; so does any order of adding components and couplings; and a saved run goes on as the original does.
#include "bits.h"
#include "devs/devs.h"
#include "num/random.h"

// ---- A component with much to do and little sense: all it does follows from a hash of what it has seen

typedef struct Cell {
    uint64_t hash;
    double due;
    int64_t n;
} Cell;

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 29)) * 0x94d049bb133111ebu;
    return h ^ (h >> 32);
}
// Often a multiple of 1/4, so that much happens at once; sometimes no time at all, seldom enough to end.
static void choose_due(Cell *c, double t)
{
    const uint64_t kind = c->hash % 8;
    c->due = kind == 0 ? t : kind == 1 ? (double)INFINITY : t + 0.25 * (double)(1 + c->hash / 8 % 6);
}
static void cell_init(void *state, const void *params, const orr_devs_call *call)
{
    Cell *c = state;
    c->hash = mix(*(const uint64_t *)params, 1);
    choose_due(c, call->t);
}
static double cell_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return ((const Cell *)state)->due;
}
static void cell_output(const void *state, const orr_devs_call *call)
{
    const Cell *c = state;
    for (uint64_t i = 0; i < c->hash / 64 % 3; i++) {
        const int64_t number = (int64_t)(c->hash + i);
        orr_devs_send(call, c->hash / (256u << i) % 2, &number);
    }
}
static void cell_internal(void *state, const orr_devs_call *call)
{
    Cell *c = state;
    c->hash = mix(c->hash, 2);
    c->n++;
    choose_due(c, call->t);
}
static void cell_external(void *state, const orr_devs_call *call, double elapsed, const orr_devs_event *bag,
                          size_t n)
{
    Cell *c = state;
    c->hash = mix(c->hash, (uint64_t)(elapsed * 1024));
    for (size_t i = 0; i < n; i++) c->hash = mix(mix(c->hash, bag[i].port), *(const uint64_t *)bag[i].value);
    if (c->hash / 1024 % 2) choose_due(c, call->t);    // else it keeps its time
}
static const orr_atomic cell = {
    .version = ORR_DEVS_VERSION,
    .traits = ORR_ATOMIC_ABSOLUTE,
    .name = "cell",
    .inputs = number_in,
    .n_inputs = 2,
    .outputs = number_out,
    .n_outputs = 2,
    .params_size = sizeof(uint64_t),
    .state_size = sizeof(Cell),
    .init = cell_init,
    .advance = cell_advance,
    .output = cell_output,
    .internal = cell_internal,
    .external = cell_external,
};

// ---- Random trees of components with random couplings

enum { PARTS_MAX = 60, COUPLINGS_MAX = 400 };

typedef struct Plan {
    int n_parts;    // [0] is the root
    int parent[PARTS_MAX];
    int is_coupled[PARTS_MAX];
    char name[PARTS_MAX][16];    // different among brothers
    int n_couplings;
    int from[COUPLINGS_MAX], to[COUPLINGS_MAX], from_port[COUPLINGS_MAX], to_port[COUPLINGS_MAX];
} Plan;

static int pick(RandomStream *s, int n) { return (int)random_below(s, (uint64_t)n); }

static bool is_known(const Plan *p, int from, int from_port, int to, int to_port)
{
    for (int k = 0; k < p->n_couplings; k++)
        if (p->from[k] == from && p->from_port[k] == from_port && p->to[k] == to && p->to_port[k] == to_port)
            return true;
    return false;
}

static Plan plan_random(RandomStream *s)
{
    Plan p = { .n_parts = 10 + pick(s, PARTS_MAX - 10) };
    p.is_coupled[0] = 1;
    for (int i = 1; i < p.n_parts; i++) {
        do p.parent[i] = pick(s, i);
        while (!p.is_coupled[p.parent[i]]);
        p.is_coupled[i] = pick(s, 3) == 0;
        snprintf(p.name[i], sizeof p.name[i], "%c%d", 'a' + pick(s, 3), i * 7 % 61);
    }
    const int wanted = p.n_parts * 3;
    for (int k = 0; k < wanted; k++) {
        const int a = 1 + pick(s, p.n_parts - 1), b = 1 + pick(s, p.n_parts - 1);
        const int a_port = pick(s, 2), b_port = pick(s, 2);
        int from = a, to = b;
        if (pick(s, 3) == 0) from = p.parent[a], to = a;    // into it
        else if (pick(s, 3) == 0) to = p.parent[a];         // out of it
        else if (p.parent[a] != p.parent[b]) continue;
        if (from == to && p.is_coupled[from]) continue;    // straight through may make circles
        if (is_known(&p, from, a_port, to, b_port)) continue;
        p.from[p.n_couplings] = from;
        p.to[p.n_couplings] = to;
        p.from_port[p.n_couplings] = a_port;
        p.to_port[p.n_couplings++] = b_port;
    }
    return p;
}

// Parts in order of names from the root down, by a method of its own: texts of equal width, compared as
// such.
static void path_of(const Plan *p, int part, char *text)
{
    if (part == 0) {
        text[0] = 0;
        return;
    }
    path_of(p, p->parent[part], text);
    sprintf(text + strlen(text), "%c%03d.", p->name[part][0], atoi(p->name[part] + 1));
}

static void shuffle(RandomStream *s, int *order, int from, int n)
{
    for (int i = n - 1; i > from; i--) {
        const int k = from + pick(s, i - from + 1), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
}

static uint64_t seed_of(int part) { return (uint64_t)part * 77; }

static void add_part(const Plan *p, Bench *b, orr_devs_part *parts, int i)
{
    if (parts[i] != ORR_DEVS_NONE) return;
    add_part(p, b, parts, p->parent[i]);    // around first
    const uint64_t seed = seed_of(i);
    if (p->is_coupled[i])
        parts[i] =
            orr_devs_add_coupled(b->model, parts[p->parent[i]], p->name[i], number_in, 2, number_out, 2);
    else parts[i] = orr_devs_add(b->model, parts[p->parent[i]], p->name[i], &cell, &seed);
}

// The model as planned; parts and couplings are added in a random order.
static void build(const Plan *p, Bench *b, RandomStream *s, orr_devs_part *parts)
{
    int order[PARTS_MAX], couplings[COUPLINGS_MAX];
    for (int i = 0; i < p->n_parts; i++) order[i] = i, parts[i] = ORR_DEVS_NONE;
    for (int k = 0; k < p->n_couplings; k++) couplings[k] = k;
    parts[0] = ORR_DEVS_ROOT;
    orr_devs_set_ports(b->model, number_in, 2, number_out, 2);
    shuffle(s, order, 1, p->n_parts);
    shuffle(s, couplings, 0, p->n_couplings);
    for (int i = 1; i < p->n_parts; i++) add_part(p, b, parts, order[i]);
    for (int i = 0; i < p->n_couplings; i++) {
        const int k = couplings[i];
        const bool is_in = p->parent[p->to[k]] == p->from[k] && p->to[k] != 0;
        const bool is_out = p->parent[p->from[k]] == p->to[k] && p->from[k] != 0;
        static const char *const names[2][2] = { { "out", "out2" }, { "in", "in2" } };
        orr_devs_couple(b->model, parts[p->from[k]], names[is_in][p->from_port[k]], parts[p->to[k]],
                        names[!is_out][p->to_port[k]]);
    }
}

// All atomics a message leaving `part` at `port` reaches, by following couplings; `inward`: it enters the
// part.
static void follow(const Plan *p, int part, int port, bool inward, int depth, int (*found)(void *, int, int),
                   void *context)
{
    if (depth > 40) return;
    if (inward && !p->is_coupled[part]) {
        found(context, part, port);
        return;
    }
    if (!inward && part == 0) {
        found(context, 0, port);
        return;
    }
    for (int k = 0; k < p->n_couplings; k++) {
        if (p->from[k] != part || p->from_port[k] != port) continue;
        const bool goes_in = p->parent[p->to[k]] == part && p->to[k] != 0;
        if (goes_in != inward) continue;
        const bool goes_out = p->parent[part] == p->to[k] && part != 0;
        follow(p, p->to[k], p->to_port[k], !goes_out, depth + 1, found, context);
    }
}

typedef struct Links {
    int n;
    int to[2000], port[2000];
    bool has_twice;
} Links;
static int remember(void *context, int to, int port)
{
    Links *l = context;
    for (int i = 0; i < l->n; i++) l->has_twice |= l->to[i] == to && l->port[i] == port;
    assert_true(l->n < 2000);
    l->to[l->n] = to;
    l->port[l->n++] = port;
    return 0;
}

// The same without hierarchy: all atomics in the root, called by their place in the order of names. False
// if a message reaches an input twice, which a flat model cannot say.
static bool build_flat(const Plan *p, Bench *b, orr_devs_part *parts)
{
    static const char *const outs[] = { "out", "out2" }, *const ins[] = { "in", "in2" };
    char(*paths)[400] = calloc(PARTS_MAX, sizeof *paths);
    for (int i = 1; i < p->n_parts; i++) path_of(p, i, paths[i]);
    orr_devs_set_ports(b->model, number_in, 2, number_out, 2);
    parts[0] = ORR_DEVS_ROOT;
    for (int i = 1; i < p->n_parts; i++) {
        int before = 0;
        for (int k = 1; k < p->n_parts; k++) before += strcmp(paths[k], paths[i]) < 0;
        char name[32];
        snprintf(name, sizeof name, "n%d", before);
        const uint64_t seed = seed_of(i);
        parts[i] = p->is_coupled[i] ? ORR_DEVS_NONE
                                    : orr_devs_add(b->model, ORR_DEVS_ROOT, name, &cell, &seed);
    }
    free(paths);
    Links links;
    for (int i = 0; i < p->n_parts; i++) {
        if (i > 0 && p->is_coupled[i]) continue;
        for (int port = 0; port < 2; port++) {
            links = (Links){ 0 };
            follow(p, i, port, i == 0, 0, remember, &links);
            if (links.has_twice) return false;
            for (int k = 0; k < links.n; k++)
                orr_devs_couple(b->model, parts[i], (i == 0 ? ins : outs)[port], parts[links.to[k]],
                                (links.to[k] == 0 ? outs : ins)[links.port[k]]);
        }
    }
    return true;
}

// ---- What is compared: all that happens, with components by number

typedef struct Story {
    uint64_t hash, n;
} Story;

static void add_story(void *context, const orr_devs_trace *what)
{
    Story *story = context;
    uint64_t h = mix(story->hash, (uint64_t)(what->t * 1024));
    h = mix(mix(h, what->bag), mix((uint64_t)what->kind, what->component));
    if (what->kind == ORR_DEVS_SENT) h = mix(mix(h, what->port), *(const uint64_t *)what->value);
    else {
        h = mix(mix(h, (uint64_t)(what->elapsed * 1024)), what->n);
        h = mix(h, isinf(what->due) ? 99 : (uint64_t)(what->due * 1024));
    }
    story->hash = h;
    story->n++;
}

// What must hold of every trace: in each bag messages by sender and port, then transitions of those that
// were due, by name, then of the others, by name; due means due at this very time; elapsed is since the
// last transition.
typedef struct Watcher {
    Story story;
    double t, due[PARTS_MAX], last[PARTS_MAX];
    uint64_t bag, place;    // how far in the order of the bag we are
} Watcher;

static void watch(void *context, const orr_devs_trace *what)
{
    Watcher *w = context;
    add_story(&w->story, what);
    assert_true(what->t > w->t || (what->t == w->t && what->bag >= w->bag));
    if (what->t > w->t || what->bag > w->bag) w->place = 0;
    w->t = what->t;
    w->bag = what->bag;
    const bool is_sent = what->kind == ORR_DEVS_SENT;
    const uint64_t group = is_sent ? 1 : what->kind == ORR_DEVS_EXTERNAL ? 3 : 2;
    const uint64_t sender = what->component == ORR_DEVS_OUTSIDE ? 0 : what->component + 1;    // stands first
    const uint64_t place = group << 40 | sender << 8 | (is_sent && sender ? what->port : 0);
    assert_true(is_sent ? place >= w->place : place > w->place);
    w->place = place;
    if (is_sent) return;
    const uint32_t c = what->component;
    assert_true(group == 2 ? w->due[c] == what->t : w->due[c] > what->t);
    assert_same_bits(what->elapsed, what->t - w->last[c]);
    assert_true((what->n > 0) == (what->kind != ORR_DEVS_INTERNAL));
    w->due[c] = what->due;
    w->last[c] = what->t;
}

static void start(Bench *b, Story *story)
{
    if (!orr_devs_finish(b->model)) orr_diag_print(b->diag, stderr, 0);
    assert_int_equal(orr_diag_errors(b->diag), 0);
    orr_devs_options options = orr_devs_options_default();
    options.trace = add_story;
    options.trace_context = story;
    options.has_counts = 1;
    b->run = orr_devs_run_create(b->model, &options, b->diag);
    assert_non_null(b->run);
}

static void inject(Bench *b, RandomStream s, double from)
{
    for (int i = 0; i < 20; i++) {
        const int64_t number = pick(&s, 1000);
        assert_true(orr_devs_run_send(b->run, from + 0.25 * pick(&s, 80), (uint32_t)pick(&s, 2), &number));
    }
}

static void run_to(Bench *b, double t)
{
    const orr_status status = orr_devs_run_advance(b->run, t);
    if (status != ORR_STATUS_OK) orr_diag_print(b->diag, stderr, 0);
    assert_int_equal(status, ORR_STATUS_OK);
}

static void test_closure_a_model_and_its_flattened_form_do_the_same(void **state)
{
    (void)state;
    RandomStream s = random_stream(1, 0, "closure");
    int compared = 0;
    uint64_t happened = 0;
    for (int turn = 0; turn < 500; turn++) {
        const Plan plan = plan_random(&s);
        orr_devs_part parts[PARTS_MAX];
        Bench tree = bench_create(), flat = bench_create();
        if (build_flat(&plan, &flat, parts)) {
            Story a = { 0 }, b = { 0 };
            build(&plan, &tree, &s, parts);
            start(&tree, &a);
            start(&flat, &b);
            assert_int_equal(orr_devs_run_facts(tree.run).n_couplings,
                             orr_devs_run_facts(flat.run).n_couplings);
            inject(&tree, s, 0);
            inject(&flat, s, 0);
            run_to(&tree, 15);
            run_to(&flat, 15);
            assert_int_equal(a.hash, b.hash);
            assert_int_equal(a.n, b.n);
            happened += a.n;
            compared++;
        }
        bench_end(&tree);
        bench_end(&flat);
    }
    assert_true(compared > 150);
    assert_true(happened > 50000);
}

static void test_closure_everything_happens_in_order_and_when_it_is_due(void **state)
{
    (void)state;
    RandomStream s = random_stream(4, 0, "closure");
    for (int turn = 0; turn < 50; turn++) {
        const Plan plan = plan_random(&s);
        orr_devs_part parts[PARTS_MAX];
        Bench b = bench_create();
        Watcher *w = calloc(1, sizeof *w);
        w->t = -1;
        build(&plan, &b, &s, parts);
        assert_true(orr_devs_finish(b.model));
        orr_devs_options options = orr_devs_options_default();
        options.trace = watch;
        options.trace_context = w;
        b.run = orr_devs_run_create(b.model, &options, b.diag);
        for (int i = 0; i < plan.n_parts; i++) {
            const uint32_t c = orr_devs_component(b.model, parts[i]);
            if (c != ORR_DEVS_NONE) w->due[c] = orr_devs_run_due(b.run, c);
        }
        inject(&b, s, 0);
        run_to(&b, 20);
        assert_true(w->story.n > 100);
        free(w);
        bench_end(&b);
    }
}

static void test_closure_the_order_of_adding_changes_nothing(void **state)
{
    (void)state;
    RandomStream s = random_stream(2, 0, "closure");
    for (int turn = 0; turn < 20; turn++) {
        const Plan plan = plan_random(&s);
        Story first = { 0 };
        const RandomStream inputs = s;
        for (int k = 0; k < 5; k++) {
            orr_devs_part parts[PARTS_MAX];
            Bench b = bench_create();
            Story story = { 0 };
            build(&plan, &b, &s, parts);
            start(&b, &story);
            inject(&b, inputs, 0);
            run_to(&b, 20);
            if (k == 0) first = story;
            assert_int_equal(story.hash, first.hash);
            assert_true(story.n > 100);
            bench_end(&b);
        }
    }
}

static void test_closure_a_saved_run_goes_on_as_the_original(void **state)
{
    (void)state;
    RandomStream s = random_stream(3, 0, "closure");
    for (int turn = 0; turn < 20; turn++) {
        const Plan plan = plan_random(&s);
        orr_devs_part parts[PARTS_MAX];
        Bench b = bench_create();
        Story story = { 0 }, other_story = { 0 };
        build(&plan, &b, &s, parts);
        start(&b, &story);
        inject(&b, s, 0);
        // anywhere, between the bags of an instant too
        const int bags = 1 + pick(&s, 60);
        int done = 1;
        for (int k = 0; k < bags && done; k++)
            assert_int_equal(orr_devs_run_step(b.run, 20, &done), ORR_STATUS_OK);
        const size_t size = orr_devs_run_size(b.run);
        void *bytes = malloc(size);
        orr_devs_run_save(b.run, bytes);
        story = (Story){ 0 };
        run_to(&b, 20);

        orr_devs_options options = orr_devs_options_default();
        options.trace = add_story;
        options.trace_context = &other_story;
        options.has_counts = 1;
        orr_devs_run *other = orr_devs_run_create(b.model, &options, b.diag);
        orr_devs_run_advance(other, 3);
        assert_true(orr_devs_run_load(other, bytes, size));
        other_story = (Story){ 0 };
        assert_int_equal(orr_devs_run_advance(other, 20), ORR_STATUS_OK);
        assert_int_equal(story.hash, other_story.hash);
        assert_int_equal(story.n, other_story.n);
        // equal to the last byte, counters and due times included
        void *end = malloc(orr_devs_run_size(b.run)), *other_end = malloc(orr_devs_run_size(other));
        assert_int_equal(orr_devs_run_size(b.run), orr_devs_run_size(other));
        orr_devs_run_save(b.run, end);
        orr_devs_run_save(other, other_end);
        assert_memory_equal(end, other_end, orr_devs_run_size(other));
        free(end);
        free(other_end);

        assert_false(orr_devs_run_load(other, bytes, size - 1));
        ((uint64_t *)bytes)[sizeof(DevsClock) / 8]++;    // of another model
        assert_false(orr_devs_run_load(other, bytes, size));
        free(bytes);
        orr_devs_run_destroy(other);
        bench_end(&b);
    }
}

// Switch one component of a model, whatever part it is there.
static void switch_component(Bench *b, const orr_devs_part *parts, uint32_t component,
                             orr_devs_presence presence)
{
    for (int i = 0; i < PARTS_MAX; i++)
        if (orr_devs_component(b->model, parts[i]) == component) {
            assert_true(orr_devs_run_switch(b->run, parts[i], presence));
            assert_int_equal(orr_devs_run_is_on(b->run, component), presence != ORR_DEVS_OFF);
            return;
        }
}

static void test_closure_holds_while_components_are_switched(void **state)
{
    (void)state;
    RandomStream s = random_stream(5, 0, "closure");
    int compared = 0;
    uint64_t happened = 0, unswitched = 0;
    for (int turn = 0; turn < 200; turn++) {
        const Plan plan = plan_random(&s);
        orr_devs_part parts[2][PARTS_MAX];
        memset(parts, 0xff, sizeof parts);
        Bench tree = bench_create(), flat = bench_create();
        if (build_flat(&plan, &flat, parts[0])) {
            Story a = { 0 }, b = { 0 };
            build(&plan, &tree, &s, parts[1]);
            start(&tree, &a);
            start(&flat, &b);
            inject(&tree, s, 0);
            inject(&flat, s, 0);
            const uint32_t n = orr_devs_run_facts(tree.run).n_components;
            for (double t = 1; t <= 15; t += 0.5) {
                run_to(&tree, t);
                run_to(&flat, t);
                const uint32_t component = (uint32_t)random_below(&s, n);
                const orr_devs_presence presence = (orr_devs_presence)random_below(&s, 3);
                switch_component(&flat, parts[0], component, presence);
                switch_component(&tree, parts[1], component, presence);
            }
            assert_int_equal(a.hash, b.hash);
            happened += a.n;
            compared++;
            // who is off does nothing
            for (uint32_t i = 0; i < n; i++)
                if (!orr_devs_run_is_on(tree.run, i)) assert_true(isinf(orr_devs_run_due(tree.run, i)));
            Story none = { 0 };
            orr_devs_options options = orr_devs_options_default();
            options.trace = add_story;
            options.trace_context = &none;
            orr_devs_run *other = orr_devs_run_create(tree.model, &options, tree.diag);
            orr_devs_run_advance(other, 15);
            unswitched += none.hash != a.hash;
            orr_devs_run_destroy(other);
        }
        bench_end(&tree);
        bench_end(&flat);
    }
    assert_true(compared > 50 && happened > 10000);
    assert_true(unswitched > 50);    // switching matters
}

// What a run says of each component, counted from its trace.
static void add_counts(void *context, const orr_devs_trace *what)
{
    orr_devs_counts *counts = context;
    if (what->component == ORR_DEVS_OUTSIDE) return;
    counts += what->component;
    counts->n_sent += what->kind == ORR_DEVS_SENT;
    if (what->kind == ORR_DEVS_SENT) return;
    counts->n_internal += what->kind == ORR_DEVS_INTERNAL || what->kind == ORR_DEVS_CONFLUENT;
    counts->n_external += what->kind == ORR_DEVS_EXTERNAL || what->kind == ORR_DEVS_CONFLUENT;
    counts->n_confluent += what->kind == ORR_DEVS_CONFLUENT;
    counts->n_received += what->n;
}

static void test_closure_counts_of_components_are_those_of_the_trace(void **state)
{
    (void)state;
    RandomStream s = random_stream(4, 0, "closure");
    for (int turn = 0; turn < 10; turn++) {
        const Plan plan = plan_random(&s);
        orr_devs_part parts[PARTS_MAX];
        orr_devs_counts counts[PARTS_MAX];
        memset(counts, 0, sizeof counts);
        Bench b = bench_create();
        build(&plan, &b, &s, parts);
        assert_true(orr_devs_finish(b.model));
        orr_devs_options options = orr_devs_options_default();
        options.trace = add_counts;
        options.trace_context = counts;
        options.has_counts = 1;
        b.run = orr_devs_run_create(b.model, &options, b.diag);
        inject(&b, s, 0);
        for (double until = 5; until < 20; until += 10) {
            run_to(&b, until);
            const orr_devs_facts facts = orr_devs_run_facts(b.run);
            uint64_t n_internal = 0;
            for (uint32_t i = 0; i < facts.n_components; i++) {
                const orr_devs_counts got = orr_devs_run_counts(b.run, i);
                assert_memory_equal(&got, &counts[i], sizeof got);
                n_internal += got.n_internal;
            }
            if (until == 5) assert_int_equal(n_internal, facts.n_internal);
            // the warm-up is over
            memset(counts, 0, sizeof counts);
            orr_devs_run_reset_counts(b.run);
        }
        bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closure_a_model_and_its_flattened_form_do_the_same),
        cmocka_unit_test(test_closure_everything_happens_in_order_and_when_it_is_due),
        cmocka_unit_test(test_closure_the_order_of_adding_changes_nothing),
        cmocka_unit_test(test_closure_a_saved_run_goes_on_as_the_original),
        cmocka_unit_test(test_closure_holds_while_components_are_switched),
        cmocka_unit_test(test_closure_counts_of_components_are_those_of_the_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

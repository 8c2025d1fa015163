// src/machine/suite.c: test suites by the W-method (Vasilevskii 1973, Chow 1978).
//
// V leads from the start to every state of the smallest machine: the words along a tree of shortest ways. W
// tells every two states apart. If an unknown machine has at most m states more, then answering all of
// V·I⁰…I^(m+1)·W rightly proves that it is equivalent (I: all inputs).
//
// V contains with each word its beginnings, so v·a·x with a along the tree is another word of V with a
// shorter rest, and all such are left out: what remains is V·W and v·a·x·W for the moves (v, a) outside the
// tree, with x of length 0…m. These can be counted before one is made.
#include "base/map.h"
#include "base/vec.h"
#include "machine/ask.h"
#include <stdlib.h>

enum { W_STEPS_MAX = 2000000000 };    // states followed while W is computed

typedef struct Suite {
    Arena        arena;
    const Joint *joint;          // the smallest machine, states in the order of the tree
    uint32_t     n_extra;
    uint32_t    *parent, *by;    // [n_states] the tree: state before and input; the root is 0
    uint32_t    *depth;          // [n_states]
    orr_word    *words;          // [n_words] W, by the machine's own inputs
    size_t       n_words;
} Suite;

// The reachable part of the smallest machine, numbered breadth first.
static const Joint *reachable_part(const Joint *small, uint32_t start, Suite *s)
{
    Arena *arena = &s->arena;
    const size_t k = small->n_inputs, width = small->kind == MACHINE_MOORE ? 1 : k;
    uint32_t *number = ARENA_ARRAY(arena, uint32_t, small->n_states),
             *queue = ARENA_ARRAY(arena, uint32_t, small->n_states);
    s->parent = ARENA_ARRAY(arena, uint32_t, small->n_states);
    s->by = ARENA_ARRAY(arena, uint32_t, small->n_states);
    s->depth = ARENA_ARRAY(arena, uint32_t, small->n_states);
    for (uint32_t q = 0; q < small->n_states; q++) number[q] = MACHINE_NONE;
    uint32_t n = 1;
    queue[0] = start;
    number[start] = 0;
    for (uint32_t at = 0; at < n; at++)
        for (uint32_t i = 0; i < k; i++) {
            const uint32_t to = joint_next(small, queue[at], i);
            if (number[to] != MACHINE_NONE) continue;
            number[to] = n;
            s->parent[n] = at;
            s->by[n] = i;
            s->depth[n] = s->depth[at] + 1;
            queue[n++] = to;
        }
    uint32_t *next = ARENA_ARRAY(arena, uint32_t, n * k), *out = ARENA_ARRAY(arena, uint32_t, n * width);
    for (uint32_t q = 0; q < n; q++) {
        for (uint32_t i = 0; i < k; i++) next[q * k + i] = number[joint_next(small, queue[q], i)];
        memcpy(out + q * width, small->out + queue[q] * width, width * sizeof *out);
    }
    Joint *part = ARENA_NEW(arena, Joint);
    *part = *small;
    part->n_states = n;
    part->next = next;
    part->out = out;
    return part;
}

// ---- W

// Divide groups by the answers to a word. Only states of groups with more than one member are followed.
static uint32_t divide(const Joint *j, orr_word word, uint32_t *group, const uint32_t *open, uint32_t n_open,
                       uint32_t n_groups, Arena *work)
{
    const ArenaMark mark = arena_mark(work);
    // the answers as one number: names of (group, first answer), of (that, second answer), …
    uint32_t *now = ARENA_ARRAY(work, uint32_t, n_open), *name = ARENA_ARRAY(work, uint32_t, n_open);
    for (uint32_t i = 0; i < n_open; i++) {
        now[i] = open[i];
        name[i] = group[open[i]];
    }
    const size_t n_steps = word.n + (j->kind == MACHINE_MOORE);
    for (size_t step = 0; step < n_steps; step++) {
        const ArenaMark inner = arena_mark(work);
        Map map;
        map_init(&map, work);
        for (uint32_t i = 0; i < n_open; i++) {
            const bool looks = j->kind == MACHINE_MOORE && step == 0;
            const uint32_t input = looks ? 0 : word.inputs[step - (j->kind == MACHINE_MOORE)];
            const uint64_t answer = looks ? j->out[now[i]] : joint_answer(j, now[i], input);
            const uint64_t key = (uint64_t)name[i] << 32 | answer;
            map_put(&map, key, (uint32_t)map.n);
            name[i] = *map_find(&map, key);
            if (!looks) now[i] = joint_next(j, now[i], input);
        }
        arena_release(work, inner);
    }
    // the first part of a group keeps its number
    uint32_t *part_of = ARENA_ARRAY(work, uint32_t, n_open), *owner = ARENA_ARRAY(work, uint32_t, n_groups);
    for (uint32_t i = 0; i < n_open; i++) part_of[i] = MACHINE_NONE;
    for (uint32_t g = 0; g < n_groups; g++) owner[g] = MACHINE_NONE;
    for (uint32_t i = 0; i < n_open; i++) {
        uint32_t *part = &part_of[name[i]], *first = &owner[group[open[i]]];
        if (*part == MACHINE_NONE) {
            *part = *first == MACHINE_NONE ? group[open[i]] : n_groups++;
            if (*first == MACHINE_NONE) *first = name[i];
        }
        now[i] = *part;
    }
    for (uint32_t i = 0; i < n_open; i++) group[open[i]] = now[i];
    arena_release(work, mark);
    return n_groups;
}

static bool is_prefix(orr_word a, orr_word b)
{
    return a.n <= b.n && (a.n == 0 || memcmp(a.inputs, b.inputs, a.n * sizeof *a.inputs) == 0);
}

static int compare_words(const void *a, const void *b)
{
    const orr_word *x = a, *y = b;
    if (x->n != y->n) return x->n > y->n ? -1 : 1;
    return x->n == 0 ? 0 : memcmp(x->inputs, y->inputs, x->n * sizeof *x->inputs);
}

// A word that begins with another one says all that the other does. The long ones first.
static size_t drop_prefixes(orr_word *words, size_t n)
{
    qsort(words, n, sizeof *words, compare_words);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_covered = false;
        for (size_t k = 0; k < kept && !is_covered; k++) is_covered = is_prefix(words[i], words[k]);
        if (!is_covered) words[kept++] = words[i];
    }
    return kept;
}

static bool find_words(Suite *s, orr_diag *diag)
{
    const Joint *j = s->joint;
    const uint32_t n = j->n_states;
    Arena work = { 0 };
    VEC(orr_word) words = { 0 };
    uint32_t *group = ARENA_ARRAY(&work, uint32_t, n), *open = ARENA_ARRAY(&work, uint32_t, n),
             *member = ARENA_ARRAY(&work, uint32_t, n), n_groups = 1, n_open = n;
    for (uint32_t q = 0; q < n; q++) open[q] = q;
    Pairs pairs;
    pairs_init(&pairs, j, &work);
    uint64_t steps = 0;
    bool ok = true;
    // two states of a group, told apart; then again, until every group is one state
    while (ok && n_groups < n) {
        for (uint32_t i = 0; i < n_open; i++) member[group[open[i]]] = MACHINE_NONE;
        uint32_t a = MACHINE_NONE, b = MACHINE_NONE;
        for (uint32_t i = 0; a == MACHINE_NONE && i < n_open; i++) {
            uint32_t *first = &member[group[open[i]]];
            if (*first == MACHINE_NONE) *first = open[i];
            else a = *first, b = open[i];
        }
        orr_word word;
        pairs_separate(&pairs, a, b, &word, &s->arena);
        vec_push(&s->arena, &words, word);
        n_groups = divide(j, word, group, open, n_open, n_groups, &work);
        steps += (uint64_t)n_open * (word.n + 1);

        uint32_t *size = ARENA_ARRAY(&work, uint32_t, n_groups), kept = 0;
        for (uint32_t i = 0; i < n_open; i++) size[group[open[i]]]++;
        for (uint32_t i = 0; i < n_open; i++)
            if (size[group[open[i]]] > 1) open[kept++] = open[i];
        n_open = kept;
        if (steps > W_STEPS_MAX) {
            diag_report(diag, DIAG_MACHINE_LIMIT, (Place){ 0 }, "the words that identify states", "states");
            diag_hint(diag, "they were found for %u of %u states", n_groups, n);
            ok = false;
        }
    }
    if (words.n == 0) vec_push(&s->arena, &words, (orr_word){ 0 });    // one state: its output is enough
    s->words = words.items;
    s->n_words = words.n <= 4096 ? drop_prefixes(words.items, words.n) : words.n;
    arena_free(&work);
    return ok;
}

// ---- Counting and writing

static void count(orr_suite *suite, const Suite *s)
{
    const double n = s->joint->n_states, k = s->joint->n_inputs, n_words = (double)s->n_words;
    double to_states = 0, to_moves = 0, of_words = 0;    // inputs: along the tree, of W
    for (uint32_t q = 0; q < s->joint->n_states; q++) {
        to_states += s->depth[q];
        to_moves += k * (s->depth[q] + 1.0);
    }
    to_moves -= to_states;    // moves along the tree; the root has none
    for (size_t w = 0; w < s->n_words; w++) of_words += (double)s->words[w].n;
    const double n_moves = n * k - (n - 1);
    suite->n_words = n * n_words;
    suite->n_inputs = to_states * n_words + n * of_words;
    double n_middle = 1;
    for (uint32_t length = 0; length <= s->n_extra; length++, n_middle *= k) {
        suite->n_words += n_moves * n_middle * n_words;
        suite->n_inputs += n_middle * ((to_moves + n_moves * length) * n_words + n_moves * of_words);
    }
}

orr_suite orr_machine_suite(const orr_machine *machine, uint32_t from, uint32_t n_extra, orr_diag *diag)
{
    const Machine *m = machine->machine;
    orr_suite suite = { 0 };
    Arena arena = { 0 };
    Suite *s = ARENA_NEW(&arena, Suite);
    s->arena = arena;
    suite.memory = s;
    Joint joint;
    if (!joint_make(&joint, &m, 1, &s->arena, diag)) {
        suite.status = ORR_STATUS_MODEL_ERROR;
        return suite;
    }
    const Classes classes = classes_find(&joint, &s->arena);
    s->joint = reachable_part(classes_quotient(&joint, &classes, &s->arena), classes.of[from], s);
    s->n_extra = n_extra;
    if (!find_words(s, diag)) suite.status = ORR_STATUS_FAILED;
    suite.n_states = s->joint->n_states;
    suite.n_identifying = s->n_words;
    count(&suite, s);
    return suite;
}

void orr_suite_free(orr_suite *suite)
{
    if (suite->memory) {
        Arena arena = ((Suite *)suite->memory)->arena;
        arena_free(&arena);
    }
    *suite = (orr_suite){ 0 };
}

typedef struct Writing {
    const Suite *s;
    uint32_t    *inputs;     // room for the longest
    bool         (*take)(void *context, orr_word word);
    void        *context;
} Writing;

// What stands in inputs[n], followed by each word of W.
static bool write_words(const Writing *w, size_t n)
{
    for (size_t i = 0; i < w->s->n_words; i++) {
        const orr_word word = w->s->words[i];
        if (word.n > 0) memcpy(w->inputs + n, word.inputs, word.n * sizeof *word.inputs);
        if (!w->take(w->context, (orr_word){ w->inputs, n + word.n })) return false;
    }
    return true;
}

// inputs[n], followed by each sequence of the length and W.
static bool write_middles(const Writing *w, size_t n, uint32_t length)
{
    uint32_t *middle = w->inputs + n;
    for (uint32_t i = 0; i < length; i++) middle[i] = 0;
    while (write_words(w, n + length)) {
        uint32_t at = length;    // count up
        while (at > 0 && ++middle[at - 1] == w->s->joint->n_inputs) middle[--at] = 0;
        if (at == 0) return true;
    }
    return false;
}

void orr_suite_write(const orr_suite *suite, bool (*take)(void *context, orr_word word), void *context)
{
    const Suite *s = suite->memory;
    const Joint *j = s->joint;
    size_t longest = 0;
    for (size_t i = 0; i < s->n_words; i++)
        if (s->words[i].n > longest) longest = s->words[i].n;
    Arena work = { 0 };
    const Writing w = { s, ARENA_ARRAY(&work, uint32_t, j->n_states + (size_t)s->n_extra + longest + 2), take,
                        context };
    bool goes_on = true;
    for (uint32_t q = 0; goes_on && q < j->n_states; q++) {
        for (uint32_t at = q, i = s->depth[q]; i > 0; at = s->parent[at]) w.inputs[--i] = s->by[at];
        goes_on = write_words(&w, s->depth[q]);
        for (uint32_t i = 0; goes_on && i < j->n_inputs; i++) {
            const uint32_t to = joint_next(j, q, i);
            if (to != 0 && s->parent[to] == q && s->by[to] == i) continue;    // along the tree
            w.inputs[s->depth[q]] = i;
            for (uint32_t length = 0; goes_on && length <= s->n_extra; length++)
                goes_on = write_middles(&w, s->depth[q] + (size_t)1, length);
        }
    }
    arena_free(&work);
}

// tests/unit/machine/test_next.c: experiments that tell states and rivals apart, against trying all; test
// suites against all mutants.
#include "machines.h"

// ---- One sequence

// Does the word tell all suspects with different labels apart?
static bool tells_all(const Machine *m, const uint32_t *states, const uint32_t *labels, uint32_t n,
                      orr_word word)
{
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < a; b++)
            if (labels[a] != labels[b] && !answers_differ(m, states[a], states[b], word)) return false;
    return true;
}

// The length of a shortest such word up to a length, by trying all; MACHINE_NONE if there is none.
static uint32_t try_all(const Machine *m, const uint32_t *states, const uint32_t *labels, uint32_t n,
                        uint32_t longest)
{
    uint32_t inputs[64];
    if (tells_all(m, states, labels, n, (orr_word){ inputs, 0 })) return 0;
    for (uint64_t i = 1;; i++) {
        const size_t length = orr_word_by_length(m->n_inputs, i, inputs);
        if (length > longest) return MACHINE_NONE;
        if (tells_all(m, states, labels, n, (orr_word){ inputs, length })) return (uint32_t)length;
    }
}

// A machine in which all states are different, so that Joint can be made of it alone.
static Machine *reduced(Arena *arena, Dice *dice, MachineKind kind, uint32_t n, uint32_t k,
                        uint32_t n_outputs, Joint *joint)
{
    for (;;) {
        Machine *m = random_machine(arena, dice, kind, n, k, n_outputs);
        const Machine *list = m;
        assert_true(joint_make(joint, &list, 1, arena, NULL));
        if (classes_find(joint, arena).n == n) return m;
    }
}

static void test_word_is_a_shortest_one(void **state)
{
    (void)state;
    Dice dice = { 606 };
    const Effort effort = { 100000, 10000000, NULL };
    int n_found = 0, n_none = 0;
    for (int round = 0; round < 300; round++) {
        Arena arena = { 0 };
        Joint joint;
        const uint32_t n = 2 + dice_roll(&dice, 4), k = 2 + dice_roll(&dice, 2);
        const Machine *m = reduced(&arena, &dice, round % 2 ? MACHINE_MEALY : MACHINE_MOORE, n, k, 2, &joint);
        uint32_t states[5], labels[5];
        for (uint32_t s = 0; s < n; s++) {
            states[s] = s;
            labels[s] = round % 3 == 0 ? s % 2 : s;    // each from each, or two kinds
        }
        const Suspects suspects = { &joint, states, labels, n, round % 3 == 0 ? 2 : n };
        orr_word word;
        const SearchEnd end = separate_by_word(&suspects, &effort, &word, &arena);
        const uint32_t expected = try_all(m, states, labels, n, k == 2 ? 9 : 6);
        if (end == SEARCH_FOUND) {
            n_found++;
            assert_true(tells_all(m, states, labels, n, word));
            if (word.n <= (k == 2 ? 9u : 6u)) assert_int_equal(word.n, expected);
            else assert_int_equal(expected, MACHINE_NONE);
        } else {
            n_none++;
            assert_int_equal(end, SEARCH_NONE);
            assert_int_equal(expected, MACHINE_NONE);
        }
        // greedily: never more than what is possible, and all of it where nothing merges
        const orr_word greedy = separate_greedily(&suspects, 100, &effort, &arena);
        uint32_t group[5];
        const uint32_t n_groups = separate_groups(&suspects, greedy, group);
        assert_true(n_groups >= 1 && n_groups <= n);
        if (greedy.n < 60)
            for (uint32_t a = 0; a < n; a++)
                for (uint32_t b = 0; b < a; b++)
                    assert_int_equal(group[a] != group[b], answers_differ(m, states[a], states[b], greedy));
        arena_free(&arena);
    }
    assert_true(n_found > 50 && n_none > 20);
}

// ---- A tree

// The fewest inputs in the worst case, up to `depth`, by trying all. alive: a bit for each suspect.
static bool tree_exists(const Machine *m, const uint32_t *now, const uint32_t *labels, uint32_t n,
                        uint32_t alive, uint32_t depth)
{
    uint32_t label = MACHINE_NONE;
    bool is_done = true;
    for (uint32_t i = 0; i < n; i++) {
        if (!(alive >> i & 1)) continue;
        if (label == MACHINE_NONE) label = labels[i];
        is_done &= labels[i] == label;
    }
    if (is_done) return true;
    for (uint32_t input = 0; depth > 0 && input < m->n_inputs; input++) {
        uint32_t then[8], saw[8];
        for (uint32_t i = 0; i < n; i++) {
            const size_t cell = now[i] * (size_t)m->n_inputs + input;
            then[i] = m->next[cell];
            saw[i] = m->kind == MACHINE_MOORE ? m->out[then[i]] : m->out[cell];
        }
        bool ok = true;
        for (uint32_t o = 0; ok && o < m->n_outputs; o++) {
            uint32_t part = 0;
            for (uint32_t i = 0; i < n; i++)
                if ((alive >> i & 1) && saw[i] == o) part |= 1u << i;
            ok = tree_exists(m, then, labels, n, part, depth - 1);
        }
        if (ok) return true;
    }
    return false;
}

static uint32_t try_trees(const Machine *m, const uint32_t *labels, uint32_t n, uint32_t deepest)
{
    uint32_t now[8];
    for (uint32_t s = 0; s < n; s++) now[s] = s;
    for (uint32_t depth = 0; depth <= deepest; depth++) {
        bool ok = true;
        if (m->kind == MACHINE_MEALY) ok = tree_exists(m, now, labels, n, (1u << n) - 1, depth);
        for (uint32_t o = 0; m->kind == MACHINE_MOORE && o < m->n_outputs; o++) {
            uint32_t part = 0;
            for (uint32_t s = 0; s < n; s++) part |= m->out[s] == o ? 1u << s : 0;
            ok &= tree_exists(m, now, labels, n, part, depth);
        }
        if (ok) return depth;
    }
    return MACHINE_NONE;
}

// Every suspect, doing what the tree says, ends in a leaf where all have its label. The deepest leaf met.
static uint32_t follow_tree(const Machine *m, const Tree *tree, const uint32_t *labels, uint32_t suspect)
{
    uint32_t at = 0, now = suspect, depth = 0;
    while (tree->nodes[at].n_children > 0) {
        const TreeNode *node = &tree->nodes[at];
        uint32_t saw = m->kind == MACHINE_MOORE ? m->out[now] : MACHINE_NONE;
        if (node->input != MACHINE_NONE) {
            const size_t cell = now * (size_t)m->n_inputs + node->input;
            now = m->next[cell];
            saw = m->kind == MACHINE_MOORE ? m->out[now] : m->out[cell];
            depth++;
        }
        uint32_t child = node->first_child;
        while (child < node->first_child + node->n_children && tree->nodes[child].output != saw) child++;
        assert_true(child < node->first_child + node->n_children);
        at = child;
    }
    bool is_listed = false;
    for (uint32_t i = 0; i < tree->nodes[at].n_suspects; i++) {
        const uint32_t other = tree->order[tree->nodes[at].first_suspect + i];
        assert_int_equal(labels[other], labels[suspect]);
        is_listed |= other == suspect;
    }
    assert_true(is_listed);
    return depth;
}

static void test_tree_is_a_shallowest_one(void **state)
{
    (void)state;
    Dice dice = { 909 };
    const Effort effort = { 100000, 10000000, NULL };
    int n_found = 0, n_none = 0, n_deeper_than_word = 0;
    for (int round = 0; round < 300; round++) {
        Arena arena = { 0 };
        Joint joint;
        const uint32_t n = 2 + dice_roll(&dice, 5);
        const Machine *m = reduced(&arena, &dice, round % 2 ? MACHINE_MEALY : MACHINE_MOORE, n, 2, 2, &joint);
        uint32_t states[8], labels[8];
        for (uint32_t s = 0; s < n; s++) {
            states[s] = s;
            labels[s] = round % 3 == 0 ? s % 2 : s;
        }
        const Suspects suspects = { &joint, states, labels, n, round % 3 == 0 ? 2 : n };
        Tree tree;
        orr_word word;
        const SearchEnd end = separate_by_tree(&suspects, &effort, &tree, &arena);
        const SearchEnd by_word = separate_by_word(&suspects, &effort, &word, &arena);
        const uint32_t expected = try_trees(m, labels, n, 7);
        if (end == SEARCH_FOUND) {
            n_found++;
            uint32_t depth = 0;
            for (uint32_t s = 0; s < n; s++) {
                const uint32_t reached = follow_tree(m, &tree, labels, s);
                if (reached > depth) depth = reached;
            }
            assert_true(tree.is_shortest);
            assert_int_equal(depth, tree.depth);
            if (depth <= 7) assert_int_equal(depth, expected);
            else assert_int_equal(expected, MACHINE_NONE);
            if (by_word == SEARCH_FOUND) assert_true(depth <= word.n);
            n_deeper_than_word += by_word != SEARCH_FOUND || word.n > depth;
        } else {
            n_none++;
            assert_int_equal(end, SEARCH_NONE);
            assert_int_equal(expected, MACHINE_NONE);
            assert_int_equal(by_word, SEARCH_NONE);    // a sequence would be a tree
        }
        arena_free(&arena);
    }
    assert_true(n_found > 50 && n_none > 20 && n_deeper_than_word > 5);
}

static void test_search_says_when_it_meets_its_limit_or_is_stopped(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Dice dice = { 1 };
    Joint joint;
    // permutations never merge states, so nothing ends the search early
    Machine *m = draft(&arena, MACHINE_MOORE, 60, 2, 2);
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t s = 0; s < 60; s++) next_of(m)[2 * s + i] = s;
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t s = 59; s > 0; s--) {
            const uint32_t t = dice_roll(&dice, s + 1), x = m->next[2 * s + i];
            next_of(m)[2 * s + i] = m->next[2 * t + i];
            next_of(m)[2 * t + i] = x;
        }
    for (uint32_t s = 0; s < 60; s++) out_of(m)[s] = s == 0;
    const Machine *list = m;
    assert_true(joint_make(&joint, &list, 1, &arena, NULL));
    assert_int_equal(classes_find(&joint, &arena).n, 60);
    uint32_t states[60];
    for (uint32_t s = 0; s < 60; s++) states[s] = s;
    const Suspects suspects = { &joint, states, states, 60, 60 };
    orr_word word;
    Tree tree;
    assert_int_equal(separate_by_word(&suspects, &(Effort){ 100, 1000000, NULL }, &word, &arena),
                     SEARCH_LIMIT);
    assert_int_equal(separate_by_tree(&suspects, &(Effort){ 10, 1000000, NULL }, &tree, &arena),
                     SEARCH_LIMIT);
    const volatile int stop = 1;
    assert_int_equal(separate_by_word(&suspects, &(Effort){ 100000, 1000000, &stop }, &word, &arena),
                     SEARCH_CANCELLED);
    assert_int_equal(separate_by_tree(&suspects, &(Effort){ 100000, 1000000, &stop }, &tree, &arena),
                     SEARCH_CANCELLED);
    // greedily it is done at once, since nothing merges
    uint32_t group[60];
    word = separate_greedily(&suspects, 1000, &(Effort){ 100, 1000000, NULL }, &arena);
    assert_int_equal(separate_groups(&suspects, word, group), 60);
    arena_free(&arena);
}

// ---- The public side

static void test_baby_states_are_told_apart(void **state)
{
    (void)state;
    Arena arena = { 0 };
    orr_machine *x = machine_wrap(baby(&arena));
    const orr_machine *list = x;
    orr_separation r = orr_machine_separate(&list, 1, NULL, NULL);
    // by Table 4b, toy food toy food gives each state another answer; nothing shorter does
    assert_int_equal(r.verdict, ORR_ANSWER_YES);
    assert_int_equal(r.n_groups, 5);
    uint32_t all[5] = { 0, 1, 2, 3, 4 };
    assert_int_equal(r.word.n, try_all(x->machine, all, all, 5, 8));
    orr_separation_free(&r);
    // crying: a toy tells
    const uint32_t crying[] = { 0, 2 };
    orr_separate_options o = orr_separate_options_default();
    o.states = crying;
    o.n_states = 2;
    r = orr_machine_separate(&list, 1, &o, NULL);
    assert_int_equal(r.word.n, 1);
    assert_int_equal(r.n_answers, 2);
    assert_string_equal(r.outputs[r.answers[0]], "cries");
    orr_separation_free(&r);
    orr_machine_destroy(x);
    arena_free(&arena);
}

static void test_rivals_are_told_apart(void **state)
{
    (void)state;
    Arena arena = { 0 };
    // the baby, and one that wants to play after sleeping
    Machine *b = baby(&arena);
    static const uint32_t next[] = { 0, 1, 2, 2, 3, 2, 4, 4, 2, 2 };
    b->next = next;
    orr_machine *x = machine_wrap(baby(&arena)), *y = machine_wrap(b);
    const orr_machine *const list[] = { x, y };
    orr_separate_options o = orr_separate_options_default();
    const uint32_t from[] = { 4, 4 };    // both asleep
    o.from = from;
    orr_separation r = orr_machine_separate(list, 2, &o, NULL);
    assert_int_equal(r.verdict, ORR_ANSWER_YES);
    assert_int_equal(r.n_suspects, 2);
    assert_int_equal(r.word.n, 2);    // anything wakes it, then a toy or food tells
    orr_comparison c = orr_machine_compare(x, 4, y, 4, NULL);
    assert_int_equal(c.word.n, 2);
    orr_comparison_free(&c);
    orr_separation_free(&r);
    // state unknown: any of ten, by trying all
    o.from = NULL;
    r = orr_machine_separate(list, 2, &o, NULL);
    Machine *both = draft(&arena, MACHINE_MOORE, 10, 2, 2);
    uint32_t states[10], labels[10];
    for (uint32_t s = 0; s < 10; s++) {
        states[s] = s;
        labels[s] = s / 5;
        for (uint32_t i = 0; i < 2; i++)
            next_of(both)[2 * s + i] = s < 5 ? x->machine->next[2 * s + i] : 5 + next[2 * (s - 5) + i];
        out_of(both)[s] = x->machine->out[s % 5];
    }
    const uint32_t expected = try_all(both, states, labels, 10, 12);
    assert_int_equal(r.verdict, expected == MACHINE_NONE ? ORR_ANSWER_NO : ORR_ANSWER_YES);
    if (expected != MACHINE_NONE) assert_int_equal(r.word.n, expected);
    orr_separation_free(&r);
    orr_machine_destroy(x);
    orr_machine_destroy(y);
    arena_free(&arena);
}

static void test_words_by_length(void **state)
{
    (void)state;
    uint32_t w[64];
    uint64_t i = 1;
    for (uint32_t length = 1; length <= 5; length++)
        for (uint32_t code = 0; code < 3u * 3 * 3 * 3 * 3; code++) {
            uint32_t power = 1;
            for (uint32_t k = 0; k < length; k++) power *= 3;
            if (code >= power) break;
            assert_int_equal(orr_word_by_length(3, i++, w), length);
            uint32_t value = 0;
            for (uint32_t k = 0; k < length; k++) value = value * 3 + w[k];
            assert_int_equal(value, code);
        }
    assert_int_equal(orr_word_by_length(1, 64, w), 64);
    assert_int_equal(orr_word_by_length(1, 65, w), 0);
    assert_int_equal(orr_word_by_length(0, 1, w), 0);
    assert_int_equal(orr_word_by_length(2, 0, w), 0);
    assert_true(orr_word_by_length(2, UINT64_MAX, w) <= 64);
}

// ---- Suites

typedef struct Tally {
    const Machine *right, *other;
    uint32_t from_right, from_other;
    bool is_caught;
    double n_words, n_inputs;
} Tally;

static bool take(void *context, orr_word word)
{
    Tally *t = context;
    t->n_words++;
    t->n_inputs += (double)word.n;
    uint32_t a[256] = { 0 }, b[256] = { 0 };
    assert_true(word.n < 255);
    answer(t->right, t->from_right, word, a);
    answer(t->other, t->from_other, word, b);
    if (memcmp(a, b, sizeof a) != 0) t->is_caught = true;
    return true;
}

// Run the suite of `m` on `other`, both from a state; check that it finds exactly what is not equivalent.
static bool check_suite(const orr_machine *m, const orr_suite *suite, uint32_t from, Machine *other,
                        uint32_t from_other)
{
    orr_machine *y = machine_wrap(other);
    orr_comparison c = orr_machine_compare(m, from, y, from_other, NULL);
    Tally t = { .right = m->machine, .other = other, .from_right = from, .from_other = from_other };
    orr_suite_write(suite, take, &t);
    assert_near(t.n_words, suite->n_words, 0);
    assert_near(t.n_inputs, suite->n_inputs, 0);
    assert_int_equal(t.is_caught, !c.are_equivalent);
    const bool is_caught = t.is_caught;
    orr_comparison_free(&c);
    orr_machine_destroy(y);
    return is_caught;
}

static void test_suites_catch_every_mutant(void **state)
{
    (void)state;
    Dice dice = { 555 };
    size_t n_caught = 0, n_equivalent = 0;
    for (int round = 0; round < 50; round++) {
        Arena arena = { 0 };
        const uint32_t n = 3 + dice_roll(&dice, 8), k = 1 + dice_roll(&dice, 3),
                       n_outputs = 2 + dice_roll(&dice, 2);
        Machine *m =
            random_machine(&arena, &dice, round % 2 ? MACHINE_MEALY : MACHINE_MOORE, n, k, n_outputs);
        const uint32_t from = dice_roll(&dice, n);
        orr_machine *x = machine_wrap(m);
        // states that are missing in the smallest machine are room for mutants
        orr_suite suite = orr_machine_suite(x, from, 0, NULL);
        const uint32_t n_extra = n - suite.n_states;
        orr_suite_free(&suite);
        if (n_extra > 3) {    // suites grow exponentially with these
            orr_machine_destroy(x);
            arena_free(&arena);
            round--;
            continue;
        }
        suite = orr_machine_suite(x, from, n_extra, NULL);
        for (size_t cell = 0; cell < (size_t)n * k; cell++)
            for (uint32_t to = 0; to < n; to++) {
                const uint32_t old = m->next[cell];
                if (to == old) continue;
                next_of(m)[cell] = to;
                const bool caught = check_suite(x, &suite, from, m, from);
                n_caught += caught;
                n_equivalent += !caught;
                next_of(m)[cell] = old;
            }
        for (size_t cell = 0; cell < n_out(m); cell++)
            for (uint32_t output = 0; output < n_outputs; output++) {
                const uint32_t old = m->out[cell];
                if (output == old) continue;
                out_of(m)[cell] = output;
                const bool caught = check_suite(x, &suite, from, m, from);
                n_caught += caught;
                n_equivalent += !caught;
                out_of(m)[cell] = old;
            }
        orr_suite_free(&suite);
        orr_machine_destroy(x);
        arena_free(&arena);
    }
    assert_true(n_caught > 3000 && n_equivalent > 100);
}

// A lock: one more state, reached by a long way only, gives itself away. Suites that allow for it must find
// it.
static void test_suites_catch_extra_states(void **state)
{
    (void)state;
    Dice dice = { 777 };
    for (int round = 0; round < 20; round++) {
        Arena arena = { 0 };
        const uint32_t n = 2 + dice_roll(&dice, 3), k = 2;
        Machine *m = random_machine(&arena, &dice, MACHINE_MEALY, n, k, 2);
        orr_machine *x = machine_wrap(m);
        orr_suite suite = orr_machine_suite(x, 0, 2, NULL);
        for (int mutant = 0; mutant < 200; mutant++) {
            // some moves and outputs of a machine with as many states as the suite allows
            Machine *other = random_machine(&arena, &dice, MACHINE_MEALY, suite.n_states + 2, k, 2);
            if (mutant % 2) {    // near to the right one: copies of its states, and one wrong output
                other = blow_up(&arena, &dice, m, n + 2);
                if (other->n_states > suite.n_states + 2) continue;
                const size_t cell = dice_roll(&dice, other->n_states * k);
                out_of(other)[cell] = 1 - other->out[cell];
            }
            check_suite(x, &suite, 0, other, 0);
        }
        orr_suite_free(&suite);
        orr_machine_destroy(x);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_word_is_a_shortest_one),
        cmocka_unit_test(test_tree_is_a_shallowest_one),
        cmocka_unit_test(test_search_says_when_it_meets_its_limit_or_is_stopped),
        cmocka_unit_test(test_baby_states_are_told_apart),
        cmocka_unit_test(test_rivals_are_told_apart),
        cmocka_unit_test(test_words_by_length),
        cmocka_unit_test(test_suites_catch_every_mutant),
        cmocka_unit_test(test_suites_catch_extra_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

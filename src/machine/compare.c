// src/machine/compare.c: do two machines behave alike?
#include "machine/ask.h"

enum { TRIES_MAX = 64 };    // states from which a shortest experiment is searched when all are compared
static const Effort compare_effort = { .n_sets = 50000, .n_items = 5000000 };

static void compare_from(orr_comparison *c, const Joint *joint, const uint32_t from[2], Arena *arena,
                         Arena *work)
{
    Pairs pairs;
    pairs_init(&pairs, joint, work);
    c->has_word = pairs_separate(&pairs, from[0], joint->first[1] + from[1], &c->word, arena);
    c->are_equivalent = !c->has_word;
    c->is_shortest = true;
    c->from[0] = from[0];
    c->from[1] = from[1];
}

static void find_alone(orr_comparison *c, const Joint *joint, const Classes *classes, Arena *arena,
                       Arena *work)
{
    bool *has[2] = { ARENA_ARRAY(work, bool, classes->n), ARENA_ARRAY(work, bool, classes->n) };
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t s = joint->first[side]; s < joint->first[side + 1]; s++)
            has[side][classes->of[s]] = true;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t n = 0, *alone = ARENA_ARRAY(arena, uint32_t, joint->first[side + 1] - joint->first[side]);
        for (uint32_t s = joint->first[side]; s < joint->first[side + 1]; s++)
            if (!has[1 - side][classes->of[s]]) alone[n++] = s - joint->first[side];
        c->alone[side] = alone;
        c->n_alone[side] = n;
    }
}

// Suspects: one state of machine `side`, and all of the other one.
static SearchEnd tell_apart(const Joint *joint, const Classes *classes, const Joint *small, uint32_t side,
                            uint32_t alone, orr_word *word, Arena *work)
{
    const uint32_t other = 1 - side;
    uint32_t *states = ARENA_ARRAY(work, uint32_t, classes->n + (size_t)1), n = 1;
    uint32_t *labels = ARENA_ARRAY(work, uint32_t, classes->n + (size_t)1);
    bool *is_in = ARENA_ARRAY(work, bool, classes->n);
    states[0] = classes->of[joint->first[side] + alone];
    for (uint32_t s = joint->first[other]; s < joint->first[other + 1]; s++) {
        if (is_in[classes->of[s]]) continue;
        is_in[classes->of[s]] = true;
        labels[n] = 1;
        states[n++] = classes->of[s];
    }
    const Suspects suspects = { small, states, labels, n, 2 };
    SearchEnd end = separate_by_word(&suspects, &compare_effort, word, work);
    if (end != SEARCH_LIMIT) return end;
    *word = separate_greedily(&suspects, 10000, &compare_effort, work);
    uint32_t *group = ARENA_ARRAY(work, uint32_t, n);
    separate_groups(&suspects, *word, group);
    for (uint32_t i = 1; i < n; i++)
        if (group[i] == group[0]) return SEARCH_NONE;    // not found, which is no proof
    return SEARCH_LIMIT;
}

static void compare_all(orr_comparison *c, const Joint *joint, Arena *arena, Arena *work)
{
    const Classes classes = classes_find(joint, work);
    find_alone(c, joint, &classes, arena, work);
    c->are_equivalent = c->n_alone[0] == 0 && c->n_alone[1] == 0;
    c->from[0] = c->from[1] = MACHINE_NONE;
    if (c->are_equivalent) return;

    const Joint *small = classes_quotient(joint, &classes, work);
    c->is_shortest = true;
    for (uint32_t side = 0; side < 2; side++) {
        size_t tries = joint->n_states > 1000 ? 1 : TRIES_MAX;
        if (tries < c->n_alone[side]) c->is_shortest = false;
        if (tries > c->n_alone[side]) tries = c->n_alone[side];
        for (size_t i = 0; i < tries; i++) {
            const ArenaMark mark = arena_mark(work);
            orr_word word;
            const SearchEnd end = tell_apart(joint, &classes, small, side, c->alone[side][i], &word, work);
            if (end == SEARCH_LIMIT) c->is_shortest = false;
            if ((end == SEARCH_FOUND || end == SEARCH_LIMIT) && (!c->has_word || word.n < c->word.n)) {
                c->has_word = true;
                c->from[side] = c->alone[side][i];
                c->from[1 - side] = MACHINE_NONE;
                c->word = joint_translate(joint, 0, word, arena);
            }
            arena_release(work, mark);
        }
    }
}

orr_comparison orr_machine_compare(const orr_machine *a, uint32_t from_a, const orr_machine *b,
                                   uint32_t from_b, orr_diag *diag)
{
    orr_comparison c = { .from = { MACHINE_NONE, MACHINE_NONE } };
    Arena arena = { 0 }, work = { 0 };
    const Machine *machines[2] = { a->machine, b->machine };
    const uint32_t from[2] = { from_a, from_b };
    Joint joint;
    if (!joint_make(&joint, machines, 2, &work, diag)) {
        c.status = ORR_STATUS_MODEL_ERROR;
    } else {
        if (from_a == MACHINE_NONE || from_b == MACHINE_NONE) compare_all(&c, &joint, &arena, &work);
        else compare_from(&c, &joint, from, &arena, &work);
        for (uint32_t side = 0; side < 2 && c.has_word; side++)
            if (c.from[side] != MACHINE_NONE)
                c.outputs[side] = joint_respond(&joint, side, joint.first[side] + c.from[side], c.word,
                                                &c.n_outputs, &arena);
    }
    arena_free(&work);
    c.memory = ask_keep(arena);
    return c;
}

void orr_comparison_free(orr_comparison *comparison)
{
    ask_free(comparison->memory);
    *comparison = (orr_comparison){ 0 };
}

// src/machine/next.c: which experiment to make next: to learn in which state a machine is, or which of
// several machines.
#include "machine/ask.h"

enum { LONGEST_GREEDY = 1000, SETS_DEFAULT = 200000, ITEMS_MAX = 50000000 };

orr_separate_options orr_separate_options_default(void) { return (orr_separate_options){ 0 }; }

// Suspects by class, and what the public result says about them.
typedef struct Asking {
    Joint        joint;
    Classes      classes;
    const Joint *small;
    Suspects     suspects;
    orr_suspect *listed;      // [suspects.n]
} Asking;

static void add_suspect(Asking *a, uint32_t machine, uint32_t state, uint32_t *states, uint32_t *labels,
                        uint32_t *seen)
{
    const uint32_t class = a->classes.of[a->joint.first[machine] + state];
    if (seen[class] == machine + 1) return;
    seen[class] = machine + 1;
    const uint32_t n = a->suspects.n++;
    states[n] = class;
    labels[n] = a->joint.n_machines == 1 ? n : machine;
    a->listed[n] = (orr_suspect){ machine, state, 0 };
}

static void list_suspects(Asking *a, const orr_separate_options *o, Arena *arena, Arena *work)
{
    const uint32_t n = a->joint.n_states, n_machines = a->joint.n_machines;
    uint32_t *states = ARENA_ARRAY(work, uint32_t, n), *labels = ARENA_ARRAY(work, uint32_t, n);
    uint32_t *seen = ARENA_ARRAY(work, uint32_t, a->classes.n);
    a->listed = ARENA_ARRAY(arena, orr_suspect, n);
    for (uint32_t m = 0; m < n_machines; m++) {
        const uint32_t from = o->from ? o->from[m] : MACHINE_NONE;
        if (n_machines == 1 && o->states) {
            for (size_t i = 0; i < o->n_states; i++) add_suspect(a, 0, o->states[i], states, labels, seen);
        } else if (n_machines > 1 && from != MACHINE_NONE) {
            add_suspect(a, m, from, states, labels, seen);
        } else {
            for (uint32_t s = 0; s < a->joint.first[m + 1] - a->joint.first[m]; s++)
                add_suspect(a, m, s, states, labels, seen);
        }
    }
    a->suspects = (Suspects){ a->small, states, labels, a->suspects.n,
                              n_machines == 1 ? a->suspects.n : n_machines };
}

// Who answers the word alike, and what.
static void fill_answers(orr_separation *r, const Asking *a, orr_word word, Arena *arena)
{
    const Joint *j = a->small;
    uint32_t *group = ARENA_ARRAY(arena, uint32_t, a->suspects.n);
    r->n_groups = separate_groups(&a->suspects, word, group);
    r->n_answers = word.n + (j->kind == MACHINE_MOORE);
    uint32_t *answers = ARENA_ARRAY(arena, uint32_t, r->n_groups * r->n_answers), n_done = 0;
    for (uint32_t i = 0; i < a->suspects.n; i++) {
        a->listed[i].group = group[i];
        if (group[i] != n_done) continue;
        uint32_t *row = answers + n_done++ * r->n_answers, at = a->suspects.states[i];
        if (j->kind == MACHINE_MOORE) *row++ = j->out[at];
        for (size_t k = 0; k < word.n; k++) {
            *row++ = joint_answer(j, at, word.inputs[k]);
            at = joint_next(j, at, word.inputs[k]);
        }
    }
    r->answers = answers;
    r->word = joint_translate(&a->joint, 0, word, arena);
}

static void fill_tree(orr_separation *r, const Asking *a, const Tree *tree, Arena *arena)
{
    orr_tree_node *nodes = ARENA_ARRAY(arena, orr_tree_node, tree->n);
    for (uint32_t i = 0; i < tree->n; i++) {
        const TreeNode *t = &tree->nodes[i];
        const uint32_t input = t->input == MACHINE_NONE ? MACHINE_NONE : a->joint.input[0][t->input];
        nodes[i] = (orr_tree_node){ t->output,        input,        t->first_child, t->n_children,
                                    t->first_suspect, t->n_suspects };
    }
    r->nodes = nodes;
    r->n_nodes = tree->n;
    r->depth = tree->depth;
    r->order = tree->order;
}

static bool tells_all_apart(const orr_separation *r, const Asking *a, Arena *work)
{
    uint32_t *label = ARENA_ARRAY(work, uint32_t, r->n_groups);
    for (uint32_t g = 0; g < r->n_groups; g++) label[g] = MACHINE_NONE;
    for (uint32_t i = 0; i < r->n_suspects; i++) {
        uint32_t *of_group = &label[r->suspects[i].group];
        if (*of_group == MACHINE_NONE) *of_group = a->suspects.labels[i];
        if (*of_group != a->suspects.labels[i]) return false;
    }
    return true;
}

static void search(orr_separation *r, const Asking *a, const orr_separate_options *o, Arena *arena,
                   Arena *work)
{
    const Effort effort = { o->limit ? o->limit : SETS_DEFAULT, ITEMS_MAX, o->cancel };
    orr_word word = { 0 };
    Tree tree = { 0 };
    const SearchEnd end = o->adaptive ? separate_by_tree(&a->suspects, &effort, &tree, arena)
                                      : separate_by_word(&a->suspects, &effort, &word, work);
    r->verdict = end == SEARCH_FOUND  ? ORR_ANSWER_YES
                 : end == SEARCH_NONE ? ORR_ANSWER_NO
                                      : ORR_ANSWER_UNKNOWN;
    r->is_shortest = end == SEARCH_FOUND && (!o->adaptive || tree.is_shortest);
    if (end == SEARCH_CANCELLED) {
        r->status = ORR_STATUS_CANCELLED;
        return;
    }
    if (tree.n > 0) fill_tree(r, a, &tree, arena);
    if (end != SEARCH_FOUND) word = separate_greedily(&a->suspects, LONGEST_GREEDY, &effort, work);
    fill_answers(r, a, word, arena);
    // what the search did not find may have been found by going for pairs
    if (end == SEARCH_LIMIT && tells_all_apart(r, a, work)) r->verdict = ORR_ANSWER_YES;
}

orr_separation orr_machine_separate(const orr_machine *const *machines, uint32_t n_machines,
                                    const orr_separate_options *options, orr_diag *diag)
{
    orr_separation r = { 0 };
    const orr_separate_options o = options ? *options : orr_separate_options_default();
    Arena arena = { 0 }, work = { 0 };
    const Machine **list = ARENA_ARRAY(&work, const Machine *, n_machines);
    for (uint32_t m = 0; m < n_machines; m++) list[m] = machines[m]->machine;
    Asking a = { 0 };
    if (joint_make(&a.joint, list, n_machines, &work, diag)) {
        const char **outputs = ARENA_ARRAY(&arena, const char *, a.joint.n_outputs);
        for (uint32_t i = 0; i < a.joint.n_outputs; i++)
            outputs[i] = text_copy(&arena, text_from(a.joint.outputs[i]));
        r.outputs = outputs;
        r.n_output_names = a.joint.n_outputs;
        a.classes = classes_find(&a.joint, &work);
        a.small = classes_quotient(&a.joint, &a.classes, &work);
        list_suspects(&a, &o, &arena, &work);
        r.suspects = a.listed;
        r.n_suspects = a.suspects.n;
        search(&r, &a, &o, &arena, &work);
    } else {
        r.status = ORR_STATUS_MODEL_ERROR;
    }
    arena_free(&work);
    r.memory = ask_keep(arena);
    return r;
}

void orr_separation_free(orr_separation *separation)
{
    ask_free(separation->memory);
    *separation = (orr_separation){ 0 };
}

size_t orr_word_by_length(uint32_t n_inputs, uint64_t i, uint32_t *inputs)
{
    // how many are shorter
    uint64_t of_length = n_inputs;
    size_t n = 1;
    if (i == 0 || n_inputs == 0) return 0;
    for (i--; i >= of_length; n++) {
        i -= of_length;
        if (n == 64 || of_length > UINT64_MAX / n_inputs) return 0;
        of_length *= n_inputs;
    }
    for (size_t at = n; at-- > 0; i /= n_inputs) inputs[at] = (uint32_t)(i % n_inputs);
    return n;
}

// apps/cli/machine_next.c: `orrery machine next`: which input sequence to try next.
#include "commands.h"
#include "machine_ask.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    List        machine, from;
    const char *states, *ledger, *by;
    bool        adaptive, suite, repeat, json;
    double      extra, count, limit;
} Settings;

static const Option options[] = {
    { "--adaptive", OPTION_FLAG, NULL, "a tree: what to give next depends on what was seen",
      offsetof(Settings, adaptive) },
    { "--suite", OPTION_FLAG, NULL, "a test suite that finds every fault, by the W-method",
      offsetof(Settings, suite) },
    { "--extra", OPTION_NUMBER, "M", "states the real system may have more than the model (default: 0)",
      offsetof(Settings, extra) },
    { "--by", OPTION_TEXT, "length", "all sequences, the short ones first", offsetof(Settings, by) },
    { "--repeat", OPTION_FLAG, NULL, "with --by length: all earlier ones again before each new one",
      offsetof(Settings, repeat) },
    { "--count", OPTION_NUMBER, "N", "with --by length: how many (default: 20)", offsetof(Settings, count) },
    { "--ledger", OPTION_TEXT, "FILE", "experiments made: only rivals that agree with them count",
      offsetof(Settings, ledger) },
    { "--states", OPTION_TEXT, "A,B,…", "tell these states apart (default: all)",
      offsetof(Settings, states) },
    { "--from", OPTION_LIST, "STATE", "where machines begin, in their order; one for all (default: starts)",
      offsetof(Settings, from) },
    { "--machine", OPTION_LIST, "NAME", "only this one; may be repeated", offsetof(Settings, machine) },
    { "--limit", OPTION_NUMBER, "N", "sets of states to look at (default: 200000)",
      offsetof(Settings, limit) },
    JSON_OPTION,
};

enum { ROWS_SHOWN = 40, EQUIVALENT_SHOWN = 8, COUNT_DEFAULT = 20 };

// ---- All sequences by length

static bool is_in_ledger(const orr_machine *m, const orr_ledger *ledger, orr_word word, orr_diag *diag)
{
    for (size_t i = 0; ledger && i < orr_ledger_count(ledger); i++) {
        const char *from, *inputs, *outputs;
        size_t first, n;
        uint32_t *sequence;
        orr_ledger_get(ledger, i, &from, &inputs, &outputs, &first);
        if (first != i) continue;
        bool same = orr_machine_read_sequence(m, ORR_MACHINE_INPUTS, inputs, &sequence, &n, diag);
        same = same && n == word.n && (n == 0 || memcmp(sequence, word.inputs, n * sizeof *sequence) == 0);
        free(sequence);
        if (same) return true;
    }
    return false;
}

static void write_word(const orr_machine *m, orr_word word, bool json, bool is_first)
{
    if (json) {
        printf("%s\n    ", is_first ? "" : ",");
        json_list(stdout, m, ORR_MACHINE_INPUTS, word.inputs, word.n);
        return;
    }
    // straight to the buffer: a suite may have millions of them
    for (size_t i = 0; i < word.n; i++) {
        if (i > 0) fputs_unlocked(", ", stdout);
        fputs_unlocked(orr_machine_text(m, ORR_MACHINE_INPUTS, word.inputs[i]), stdout);
    }
    putchar_unlocked('\n');
}

// Section 11: "running through all those of a given length and then going on to the next longer length"; with
// repetition all the previous ones come again before a new one. A ledger says how far one has come.
static int by_length(const Settings *s, const orr_machine *m, const orr_ledger *ledger, orr_diag *diag)
{
    const uint32_t k = orr_machine_count(m, ORR_MACHINE_INPUTS);
    const double count = isnan(s->count) ? COUNT_DEFAULT : s->count;
    size_t n_skip = s->repeat && ledger ? orr_ledger_count(ledger) : 0;
    if (s->json) printf("{\n  \"sequences\": [");
    double n_written = 0;
    for (uint64_t newest = 1; n_written < count; newest++) {
        uint32_t inputs[64];
        if (orr_word_by_length(k, newest, inputs) == 0) break;
        for (uint64_t i = s->repeat ? 1 : newest; i <= newest && n_written < count; i++) {
            const orr_word word = { inputs, orr_word_by_length(k, i, inputs) };
            if (n_skip > 0) {
                n_skip--;
                continue;
            }
            if (!s->repeat && is_in_ledger(m, ledger, word, diag)) continue;
            write_word(m, word, s->json, n_written == 0);
            n_written++;
        }
    }
    if (s->json) printf("\n  ]\n}\n");
    return ORR_STATUS_OK;
}

// ---- Suites

typedef struct Writing {
    const orr_machine  *m;
    bool                json;
    double              n;
    const volatile int *cancel;
} Writing;

static bool take(void *context, orr_word word)
{
    Writing *w = context;
    write_word(w->m, word, w->json, w->n++ == 0);
    return !*w->cancel && !ferror(stdout);
}

static int write_suite(const Settings *s, const orr_machine *m, uint32_t from, orr_diag *diag)
{
    const uint32_t n_extra = isnan(s->extra) ? 0 : (uint32_t)s->extra;
    if (from == ORR_MACHINE_NONE) {
        usage_error(diag, "E815", "a suite is run from a known state: --from STATE, or a line 'start STATE'",
                    "where machine '%s' starts is not known", orr_machine_name(m));
        return ORR_STATUS_USAGE;
    }
    orr_suite suite = orr_machine_suite(m, from, n_extra, diag);
    if (suite.status == ORR_STATUS_OK) {
        Writing w = { m, s->json, 0, limits_cancel() };
        if (s->json) {
            printf("{\n  \"machine\": ");
            json_text(stdout, orr_machine_name(m));
            printf(
                ",\n  \"states\": %u,\n  \"extra\": %u,\n  \"n_sequences\": %.17g,\n  \"n_inputs\": %.17g,\n"
                "  \"sequences\": [",
                suite.n_states, n_extra, suite.n_words, suite.n_inputs);
        } else {
            printf("# %.17g sequences, %.17g inputs in all, each from %s after a reset\n", suite.n_words,
                   suite.n_inputs, orr_machine_text(m, ORR_MACHINE_STATES, from));
            printf("# whatever answers all of them as %s does, with at most %u states, is equivalent to it\n",
                   orr_machine_name(m), suite.n_states + n_extra);
        }
        orr_suite_write(&suite, take, &w);
        if (s->json) printf("\n  ]\n}\n");
        if (*w.cancel) suite.status = ORR_STATUS_CANCELLED;
    }
    const int status = (int)suite.status;
    orr_suite_free(&suite);
    return status;
}

// ---- Telling apart

// What a suspect is called: its state, or its machine.
static const char *suspect_name(const Machines *machines, const orr_separation *r, uint32_t i)
{
    const orr_machine *m = machines->items[r->suspects[i].machine];
    return machines->n == 1 ? orr_machine_text(m, ORR_MACHINE_STATES, r->suspects[i].state)
                            : orr_machine_name(m);
}

// Names of suspects list[n], each machine once; on the heap.
static char *suspect_names(const Machines *machines, const orr_separation *r, const uint32_t *list, size_t n)
{
    char *text = NULL;
    size_t length = 0, shown = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) no_memory();
    for (size_t i = 0; i < n; i++) {
        bool is_new = true;    // suspects of one machine stand together
        if (machines->n > 1 && i > 0)
            is_new = r->suspects[list[i]].machine != r->suspects[list[i - 1]].machine;
        if (!is_new) continue;
        if (shown++ == 8) {
            fprintf(out, ", …");
            break;
        }
        fprintf(out, "%s%s", shown > 1 ? ", " : "", suspect_name(machines, r, list[i]));
    }
    memory_close(out, &text);
    return text;
}

static char *answers_text(const orr_separation *r, uint32_t group)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) no_memory();
    for (size_t i = 0; i < r->n_answers; i++)
        fprintf(out, "%s%s", i ? ", " : "", r->outputs[r->answers[group * r->n_answers + i]]);
    memory_close(out, &text);
    return text;
}

// Suspects by group: list[n_suspects], first[n_groups + 1].
static uint32_t *by_group(const orr_separation *r, uint32_t *first)
{
    uint32_t *list = calloc(r->n_suspects + (size_t)1, sizeof *list),
             *at = calloc(r->n_groups + (size_t)1, sizeof *at);
    if (!list || !at) no_memory();
    for (uint32_t i = 0; i < r->n_suspects; i++) first[r->suspects[i].group + 1]++;
    for (uint32_t g = 0; g < r->n_groups; g++) first[g + 1] += first[g];
    for (uint32_t i = 0; i < r->n_suspects; i++)
        list[first[r->suspects[i].group] + at[r->suspects[i].group]++] = i;
    free(at);
    return list;
}

static void print_outcomes(const Machines *machines, const orr_separation *r)
{
    uint32_t *first = calloc(r->n_groups + (size_t)2, sizeof *first);
    if (!first) no_memory();
    uint32_t *list = by_group(r, first);
    const uint32_t n = r->n_groups > ROWS_SHOWN ? ROWS_SHOWN : r->n_groups;
    const char **cells = calloc(2 * (n + (size_t)1), sizeof *cells);
    if (!cells) no_memory();
    cells[0] = "if it answers";
    cells[1] = machines->n == 1 ? "it was in" : "it is";
    for (uint32_t g = 0; g < n; g++) {
        cells[2 * (g + 1)] = answers_text(r, g);
        cells[2 * (g + 1) + 1] = suspect_names(machines, r, list + first[g], first[g + 1] - first[g]);
    }
    machine_print_grid(stdout, cells, n + (size_t)1, 2);
    if (n < r->n_groups) printf("and %u more answers; --json has them all\n", r->n_groups - n);
    for (uint32_t i = 2; i < 2 * (n + 1); i++) free((char *)(uintptr_t)cells[i]);
    free(cells);
    free(list);
    free(first);
}

// Suspects that one answer leaves together may be equivalent: then no experiment at all tells them apart.
// Each is compared with the first of its group. Returns how many were found.
static size_t print_equivalent(const Machines *machines, const orr_separation *r, orr_diag *diag)
{
    uint32_t *first = calloc(r->n_groups + (size_t)2, sizeof *first);
    if (!first) no_memory();
    uint32_t *list = by_group(r, first);
    size_t n_found = 0;
    for (uint32_t g = 0; g < r->n_groups; g++) {
        const orr_suspect *a = &r->suspects[list[first[g]]];
        for (uint32_t i = first[g] + 1; i < first[g + 1] && n_found < EQUIVALENT_SHOWN; i++) {
            const orr_suspect *b = &r->suspects[list[i]];
            orr_comparison c = orr_machine_compare(machines->items[a->machine], a->state,
                                                   machines->items[b->machine], b->state, diag);
            if (c.status == ORR_STATUS_OK && c.are_equivalent && n_found++ < EQUIVALENT_SHOWN)
                printf("%s and %s are equivalent: no experiment tells them apart.\n",
                       suspect_name(machines, r, list[first[g]]), suspect_name(machines, r, list[i]));
            orr_comparison_free(&c);
        }
    }
    free(list);
    free(first);
    return n_found;
}

// Indented, a node on a line: what was seen, then what to give or what it was. Children are pushed in
// reverse, so that they come out in order.
static void print_tree(const Machines *machines, const orr_separation *r)
{
    typedef struct {
        uint32_t node, depth;
    } Item;
    Item *stack = calloc(r->n_nodes, sizeof *stack);
    if (!stack) no_memory();
    size_t n = 1;
    while (n > 0) {
        const Item at = stack[--n];
        const orr_tree_node *node = &r->nodes[at.node];
        const bool looks = node->n_children > 0 && node->input == ORR_MACHINE_NONE;
        printf("%*s", (int)(2 * at.depth), "");
        if (node->output != ORR_MACHINE_NONE) printf("%s: ", r->outputs[node->output]);
        if (looks) {
            printf("look\n");
        } else if (node->n_children > 0) {
            printf("give %s\n", orr_machine_text(machines->items[0], ORR_MACHINE_INPUTS, node->input));
        } else {
            char *names = suspect_names(machines, r, r->order + node->first_suspect, node->n_suspects);
            printf("%s %s\n", machines->n == 1 ? "it was in" : "it is", names);
            free(names);
        }
        for (uint32_t c = node->n_children; c-- > 0;)
            stack[n++] = (Item){ node->first_child + c, at.depth + 1 };
    }
    free(stack);
}

static void print_people(const Settings *s, const Machines *machines, const orr_separation *r,
                         orr_diag *diag)
{
    char text[80];
    const char *what = machines->n == 1 ? "states" : "machines";
    if (machines->n == 1)
        printf("%s: in which of %s is it?%s\n\n", orr_machine_name(machines->items[0]),
               count_text(r->n_suspects, "state", text), r->n_suspects < 2 ? " There is only one." : "");
    else printf("Which of %zu machines is it?\n\n", machines->n);
    if (r->n_suspects < 2) return;
    if (s->adaptive && r->n_nodes > 0) {
        print_tree(machines, r);
        printf("\n%s in the worst case%s.\n", count_text(r->depth, "input", text),
               r->is_shortest ? "; fewer do not suffice" : ", maybe not the fewest");
        return;
    }
    char *word = word_text(machines->items[0], r->word);
    printf("give  %s\n\n", word);
    free(word);
    print_outcomes(machines, r);
    putchar('\n');
    if (r->verdict == ORR_ANSWER_YES) {
        printf("This tells all %s apart%s.\n", what, r->is_shortest ? "; nothing shorter does" : "");
        return;
    }
    if (r->verdict == ORR_ANSWER_NO)
        printf("No %s tells all %s apart.",
               s->adaptive ? "experiment, not even one that goes by what was seen," : "one sequence", what);
    else
        printf("Whether one %s tells all %s apart was not found out within the limit (--limit).",
               s->adaptive ? "experiment" : "sequence", what);
    printf(" This one makes %s of them.\n", count_text(r->n_groups, "group", text));
    const size_t n_equivalent = r->verdict == ORR_ANSWER_NO ? print_equivalent(machines, r, diag) : 0;
    if (r->verdict == ORR_ANSWER_NO && !s->adaptive && n_equivalent == 0)
        puts("Maybe one that goes by what was seen does: --adaptive.");
}

static void print_json(const Machines *machines, const orr_separation *r)
{
    static const char *const verdicts[] = { "yes", "no", "unknown" };
    printf("{\n  \"machines\": [");
    for (size_t i = 0; i < machines->n; i++) {
        if (i > 0) printf(", ");
        json_text(stdout, orr_machine_name(machines->items[i]));
    }
    printf("],\n  \"tells_all_apart\": \"%s\",\n  \"shortest\": %s,\n  \"inputs\": ", verdicts[r->verdict],
           r->is_shortest ? "true" : "false");
    json_list(stdout, machines->items[0], ORR_MACHINE_INPUTS, r->word.inputs, r->word.n);
    printf(",\n  \"outcomes\": [");
    uint32_t *first = calloc(r->n_groups + (size_t)2, sizeof *first);
    if (!first) no_memory();
    uint32_t *list = by_group(r, first);
    for (uint32_t g = 0; g < r->n_groups; g++) {
        printf("%s\n    {\"outputs\": [", g ? "," : "");
        for (size_t i = 0; i < r->n_answers; i++) {
            if (i > 0) printf(", ");
            json_text(stdout, r->outputs[r->answers[g * r->n_answers + i]]);
        }
        printf("], \"suspects\": [");
        for (uint32_t i = first[g]; i < first[g + 1]; i++) {
            const orr_suspect *x = &r->suspects[list[i]];
            printf("%s{\"machine\": ", i > first[g] ? ", " : "");
            json_text(stdout, orr_machine_name(machines->items[x->machine]));
            printf(", \"state\": ");
            json_text(stdout, orr_machine_text(machines->items[x->machine], ORR_MACHINE_STATES, x->state));
            printf("}");
        }
        printf("]}");
    }
    printf("\n  ],\n  \"depth\": %u,\n  \"tree\": [", r->depth);
    for (uint32_t i = 0; i < r->n_nodes; i++) {
        const orr_tree_node *node = &r->nodes[i];
        printf("%s\n    {\"output\": ", i ? "," : "");
        if (node->output == ORR_MACHINE_NONE) printf("null");
        else json_text(stdout, r->outputs[node->output]);
        printf(", \"input\": ");
        if (node->input == ORR_MACHINE_NONE) printf("null");
        else json_text(stdout, orr_machine_text(machines->items[0], ORR_MACHINE_INPUTS, node->input));
        printf(", \"children\": [");
        for (uint32_t c = 0; c < node->n_children; c++) printf("%s%u", c ? ", " : "", node->first_child + c);
        printf("], \"suspects\": [");
        for (uint32_t k = 0; k < node->n_suspects; k++) {
            if (k > 0) printf(", ");
            json_text(stdout, suspect_name(machines, r, r->order[node->first_suspect + k]));
        }
        printf("]}");
    }
    printf("\n  ]\n}\n");
    free(list);
    free(first);
}

static int tell_apart(const Settings *s, const Machines *machines, const uint32_t *from, orr_diag *diag)
{
    orr_separate_options o = orr_separate_options_default();
    uint32_t *states = NULL;
    size_t n_states = 0;
    if (s->states && machines->n > 1) {
        usage_error(diag, "E025", "--states is about one machine: choose it by --machine",
                    "'--states' and several machines exclude each other");
        return ORR_STATUS_USAGE;
    }
    if (s->states &&
        !machine_sequence(machines->items[0], ORR_MACHINE_STATES, s->states, &states, &n_states, diag)) {
        free(states);
        return ORR_STATUS_USAGE;
    }
    o.from = from;
    o.states = states;
    o.n_states = n_states;
    o.adaptive = s->adaptive;
    o.limit = isnan(s->limit) ? 0 : (size_t)s->limit;
    o.cancel = limits_cancel();
    orr_separation r = orr_machine_separate((const orr_machine *const *)machines->items,
                                            (uint32_t)machines->n, &o, diag);
    const int status = (int)r.status;
    if (status == ORR_STATUS_OK && s->json) print_json(machines, &r);
    else if (status == ORR_STATUS_OK) print_people(s, machines, &r, diag);
    orr_separation_free(&r);
    free(states);
    return status;
}

// ---- All together

// Rivals that a ledger falsifies leave the field, and it is said.
static bool drop_falsified(const Settings *s, Machines *machines, const orr_ledger *ledger, orr_diag *diag)
{
    const size_t n = machines->n;
    bool ok = true, *stands = calloc(n, sizeof *stands);
    if (!stands) no_memory();
    for (size_t i = 0; i < n; i++) {
        orr_validation v;
        ok &= orr_ledger_validate(ledger, machines->items[i], (const orr_machine *const *)machines->items, n,
                                  &v, diag);
        stands[i] = ok && v.falsified_by == 0;
        if (ok && !stands[i] && !s->json)
            printf("%s is falsified by experiment %zu\n", orr_machine_name(machines->items[i]),
                   v.falsified_by);
        orr_validation_free(&v);
    }
    machines->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (stands[i] || !ok) machines->items[machines->n++] = machines->items[i];
        else orr_machine_destroy(machines->items[i]);
    }
    free(stands);
    return ok;
}

static bool check_numbers(const Settings *s, orr_diag *diag)
{
    if (s->by && strcmp(s->by, "length") != 0) {
        usage_error(diag, "E022", "--by length lists all sequences, the short ones first",
                    "option '--by' needs 'length', not '%s'", s->by);
        return false;
    }
    if ((s->repeat || !isnan(s->count)) && !s->by) {
        usage_error(diag, "E025", "write --by length --repeat", "'%s' goes with '--by length' only",
                    s->repeat ? "--repeat" : "--count");
        return false;
    }
    if (!isnan(s->extra) && !s->suite) {
        usage_error(diag, "E025", "write --suite --extra 1", "'--extra' goes with '--suite' only");
        return false;
    }
    const double values[] = { s->count, s->limit, s->extra };
    const char *const names[] = { "--count", "--limit", "--extra" };
    for (size_t i = 0; i < 3; i++) {
        if (isnan(values[i]) ||
            (values[i] >= (i < 2) && values[i] == floor(values[i]) && values[i] < (i < 2 ? 1e15 : 50)))
            continue;
        usage_error(diag, "E022",
                    i < 2 ? "from 1 on" : "suites grow exponentially with it: 0, 1 or 2 are usual",
                    "option '%s' needs a whole number, not '%g'", names[i], values[i]);
        return false;
    }
    return true;
}

static int answer(const Settings *s, Machines *machines, orr_diag *diag)
{
    orr_ledger *ledger = NULL;
    if (s->ledger) {
        ledger = orr_ledger_open(s->ledger, diag);
        if (!ledger) return ORR_STATUS_MODEL_ERROR;
        if (!s->by && !drop_falsified(s, machines, ledger, diag)) {
            orr_ledger_destroy(ledger);
            return ORR_STATUS_MODEL_ERROR;
        }
    }
    int status = ORR_STATUS_USAGE;
    uint32_t *from = calloc(machines->n + 1, sizeof *from);
    if (!from) no_memory();
    bool ok = true;
    for (size_t i = 0; i < machines->n; i++) {
        const char *name = i < s->from.n ? s->from.items[i] : s->from.n == 1 ? s->from.items[0] : NULL;
        ok &= machine_state(machines->items[i], name, &from[i], diag);
    }
    if (ok && machines->n == 0) {
        puts("None of the machines is left: change one, or think of another.");
        status = ORR_STATUS_NOT_VALIDATED;
    } else if (ok && (s->by || s->suite) && machines->n > 1) {
        usage_error(diag, "E814", "choose one by --machine NAME",
                    "this is about one machine, but there are %zu", machines->n);
    } else if (ok && s->by) {
        status = by_length(s, machines->items[0], ledger, diag);
    } else if (ok && s->suite) {
        status = write_suite(s, machines->items[0], from[0], diag);
    } else if (ok) {
        status = tell_apart(s, machines, from, diag);
    }
    free(from);
    orr_ledger_destroy(ledger);
    return status;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    if (!check_numbers(s, diag)) return ORR_STATUS_USAGE;
    Machines machines;
    const bool ok = machines_open(&machines, arguments, &s->machine, diag);
    const int status = ok ? answer(s, &machines, diag) : ORR_STATUS_MODEL_ERROR;
    machines_close(&machines);
    return status;
}

const Command machine_next = {
    .name = "machine next",
    .arguments = "FILE...",
    .summary = "Which experiment to make next",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 1000,
    .settings_size = sizeof(Settings),
    .run = run,
    .details = "One machine: the shortest input sequence that tells its "
               "states apart. Several: one that tells which it is,\n"
               "from their starts or from any state. If there is none, or "
               "none is found within the limit, a sequence that\n"
               "tells many apart. --suite lists the sequences that prove a "
               "system equivalent to the model, if it is reset\n"
               "before each; --by length lists all sequences.\n\n"
               "Examples:\n"
               "  orrery machine next examples/baby.orr\n"
               "  orrery machine next examples/baby.orr --states 'wants to eat,wants to play'\n"
               "  orrery machine next examples/finger_game.orr --ledger examples/finger_game.ledger\n"
               "  orrery machine next examples/baby.orr --adaptive\n"
               "  orrery machine next examples/baby.orr --suite --extra 1 --from sleeping\n"
               "  orrery machine next examples/baby.orr --by length --repeat\n",
};

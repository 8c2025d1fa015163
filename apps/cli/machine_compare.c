// apps/cli/machine_compare.c: `orrery machine compare`: do two machines behave alike?
#include "machine_ask.h"
#include <stdlib.h>

typedef struct Settings {
    List machine, from;
    bool states, json;
} Settings;

static const Option options[] = {
    { "--from", OPTION_LIST, "STATE", "where the first begins; given again: where the second does",
      offsetof(Settings, from) },
    { "--states", OPTION_FLAG, NULL, "each state with all of the other, even if both have a start",
      offsetof(Settings, states) },
    { "--machine", OPTION_LIST, "NAME", "which one; given again: which the second",
      offsetof(Settings, machine) },
    JSON_OPTION,
};

// The output sequence of one side, or that nothing answers so.
static void print_side(const orr_machine *m, const orr_comparison *c, int side)
{
    if (c->from[side] == ORR_MACHINE_NONE) {
        printf("  %s answers so from none of its states\n", orr_machine_name(m));
        return;
    }
    char *list = machine_list(m, ORR_MACHINE_OUTPUTS, c->outputs[side], c->n_outputs);
    printf("  %s from %s answers %s\n", orr_machine_name(m),
           orr_machine_text(m, ORR_MACHINE_STATES, c->from[side]), list);
    free(list);
}

static void print_people(const Machines *two, const orr_comparison *c, bool all)
{
    const orr_machine *a = two->items[0], *b = two->items[1];
    if (c->are_equivalent && all) {
        printf("%s and %s are equivalent: each state of one has a state of the other that behaves alike.\n",
               orr_machine_name(a), orr_machine_name(b));
        return;
    }
    if (c->are_equivalent) {
        printf("%s from %s and %s from %s are equivalent: no input sequence tells them apart.\n",
               orr_machine_name(a), orr_machine_text(a, ORR_MACHINE_STATES, c->from[0]), orr_machine_name(b),
               orr_machine_text(b, ORR_MACHINE_STATES, c->from[1]));
        return;
    }
    printf("%s and %s are not equivalent.\n", orr_machine_name(a), orr_machine_name(b));
    for (int side = 0; side < 2; side++) {
        if (c->n_alone[side] == 0) continue;
        char *list = machine_some(two->items[side], ORR_MACHINE_STATES, c->alone[side], c->n_alone[side], 12);
        printf("  only in %s: %s\n", orr_machine_name(two->items[side]), list);
        free(list);
    }
    if (!c->has_word) {
        puts("But no single experiment that begins in an unknown state "
             "shows it: whatever one answers, the other\n"
             "answers too from some state.");
        return;
    }
    char *word = word_text(a, c->word);
    printf("%s: %s\n", c->is_shortest ? "A shortest experiment that shows it" : "An experiment that shows it",
           word);
    free(word);
    for (int side = 0; side < 2; side++)
        if (c->from[side] != ORR_MACHINE_NONE) print_side(two->items[side], c, side);
    for (int side = 0; side < 2; side++)
        if (c->from[side] == ORR_MACHINE_NONE) print_side(two->items[side], c, side);
}

static void print_json(const Machines *two, const orr_comparison *c)
{
    printf("{\n  \"machines\": [");
    json_text(stdout, orr_machine_name(two->items[0]));
    printf(", ");
    json_text(stdout, orr_machine_name(two->items[1]));
    printf("],\n  \"equivalent\": %s,\n  \"from\": [", c->are_equivalent ? "true" : "false");
    for (int side = 0; side < 2; side++) {
        if (side > 0) printf(", ");
        if (c->from[side] == ORR_MACHINE_NONE) printf("null");
        else json_text(stdout, orr_machine_text(two->items[side], ORR_MACHINE_STATES, c->from[side]));
    }
    printf("],\n  \"inputs\": ");
    if (c->has_word) json_list(stdout, two->items[0], ORR_MACHINE_INPUTS, c->word.inputs, c->word.n);
    else printf("null");
    printf(",\n  \"shortest\": %s,\n  \"outputs\": [", c->has_word && c->is_shortest ? "true" : "false");
    for (int side = 0; side < 2; side++) {
        if (side > 0) printf(", ");
        if (c->outputs[side])
            json_list(stdout, two->items[side], ORR_MACHINE_OUTPUTS, c->outputs[side], c->n_outputs);
        else printf("null");
    }
    printf("],\n  \"alone\": [");
    for (int side = 0; side < 2; side++) {
        if (side > 0) printf(", ");
        json_list(stdout, two->items[side], ORR_MACHINE_STATES, c->alone[side], c->n_alone[side]);
    }
    printf("]\n}\n");
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    Machines two;
    bool ok = machines_open(&two, arguments, &s->machine, diag);
    int status = ok ? ORR_STATUS_USAGE : ORR_STATUS_MODEL_ERROR;
    if (ok && two.n != 2) {
        usage_error(diag, "E814", "name two files, or two machines of one: --machine A --machine B",
                    "two machines are compared, but there %s %zu", two.n == 1 ? "is" : "are", two.n);
        ok = false;
    }
    uint32_t from[2] = { ORR_MACHINE_NONE, ORR_MACHINE_NONE };
    for (size_t i = 0; ok && i < 2; i++) {
        const char *name = i < s->from.n ? s->from.items[i] : s->from.n == 1 ? s->from.items[0] : NULL;
        ok = machine_state(two.items[i], name, &from[i], diag);
    }
    if (ok && s->states && s->from.n > 0) {
        usage_error(diag, "E025", "with --states all are compared",
                    "'--states' and '--from' exclude each other");
        ok = false;
    }
    if (ok) {
        const bool all = s->states || from[0] == ORR_MACHINE_NONE || from[1] == ORR_MACHINE_NONE;
        if (all) from[0] = from[1] = ORR_MACHINE_NONE;
        orr_comparison c = orr_machine_compare(two.items[0], from[0], two.items[1], from[1], diag);
        status = (int)c.status;
        if (c.status == ORR_STATUS_OK) {
            if (s->json) print_json(&two, &c);
            else print_people(&two, &c, all);
            if (!c.are_equivalent) status = ORR_STATUS_NOT_VALIDATED;
        }
        orr_comparison_free(&c);
    }
    machines_close(&two);
    return status;
}

const Command machine_compare = {
    .name = "machine compare",
    .arguments = "FILE [FILE]",
    .summary = "Are two machines equivalent? If not, what shows it",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 2,
    .settings_size = sizeof(Settings),
    .run = run,
    .details = "From the states given, or from their starts; if one has no "
               "start, each state is compared with all of the\n"
               "other. One --from holds for both machines. Inputs and "
               "outputs are matched by name; a Moore machine is\n"
               "taken as a Mealy machine where the other is one. Exits with 4 if they are not equivalent.\n\n"
               "Examples:\n"
               "  orrery machine compare examples/baby.orr examples/baby.orr\n"
               "  orrery machine compare examples/finger_game.orr --machine Copies --machine Adds\n",
};

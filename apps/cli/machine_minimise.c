// apps/cli/machine_minimise.c: `orrery machine minimise`: the smallest machine with the same behaviour.
#include "machine_ask.h"
#include <stdlib.h>

typedef struct Settings {
    const char *machine, *output;
    bool        reachable, json;
} Settings;

static const Option options[] = {
    { "--reachable", OPTION_FLAG, NULL, "leave out what the start cannot reach",
      offsetof(Settings, reachable) },
    { "-o", OPTION_TEXT, "FILE", "write the result: .orr, .csv, .dot, .svg, .json",
      offsetof(Settings, output) },
    MACHINE_OPTION,
    JSON_OPTION,
};

enum { CLASSES_SHOWN = 20, STATES_SHOWN = 30 };

// Members of each class, class after class: members[n], first[n_classes + 1].
static void group(const uint32_t *class_of, uint32_t n, uint32_t n_classes, uint32_t *members,
                  uint32_t *first)
{
    for (uint32_t s = 0; s < n; s++)
        if (class_of[s] != ORR_MACHINE_NONE) first[class_of[s] + 1]++;
    for (uint32_t c = 0; c < n_classes; c++) first[c + 1] += first[c];
    uint32_t *at = calloc(n_classes + (size_t)1, sizeof *at);
    if (!at) no_memory();
    for (uint32_t s = 0; s < n; s++)
        if (class_of[s] != ORR_MACHINE_NONE) members[first[class_of[s]] + at[class_of[s]]++] = s;
    free(at);
}

static void print_people(const orr_machine *m, const orr_machine *small, const uint32_t *members,
                         const uint32_t *first)
{
    const uint32_t n = orr_machine_count(m, ORR_MACHINE_STATES),
                   n_small = orr_machine_count(small, ORR_MACHINE_STATES);
    char text[80];
    printf("%s: %s", orr_machine_name(m), count_text(n, "state", text));
    if (n == n_small) puts("; no two behave alike, so nothing can be left out");
    else printf(", as %s with the same behaviour\n", count_text(n_small, "state", text));
    const uint32_t n_gone = n - first[n_small];
    if (n_gone > 0) printf("  %s cannot be reached and is left out\n", count_text(n_gone, "state", text));
    uint32_t shown = 0;
    for (uint32_t c = 0; c < n_small; c++) {
        const uint32_t size = first[c + 1] - first[c];
        if (size < 2) continue;
        if (shown++ == CLASSES_SHOWN) {
            puts("  …");
            break;
        }
        char *list = machine_some(m, ORR_MACHINE_STATES, members + first[c], size, 12);
        printf("  alike: %s\n", list);
        free(list);
    }
    if (n == n_small || n_small > STATES_SHOWN) return;
    char *table = orr_machine_write(small, ORR_MACHINE_TEXT);
    printf("\n%s", table);
    free(table);
}

static void print_json(const orr_machine *m, const orr_machine *small, const uint32_t *members,
                       const uint32_t *first)
{
    const uint32_t n = orr_machine_count(m, ORR_MACHINE_STATES),
                   n_small = orr_machine_count(small, ORR_MACHINE_STATES);
    printf("{\n  \"machine\": ");
    json_text(stdout, orr_machine_name(m));
    printf(",\n  \"states\": %u,\n  \"minimal\": %u,\n  \"classes\": [", n, n_small);
    for (uint32_t c = 0; c < n_small; c++) {
        printf("%s\n    ", c ? "," : "");
        json_list(stdout, m, ORR_MACHINE_STATES, members + first[c], first[c + 1] - first[c]);
    }
    printf("\n  ]\n}\n");
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    orr_machine *machine = machine_get(arguments->items[0], s->machine, diag);
    if (!machine) return ORR_STATUS_MODEL_ERROR;
    if (s->reachable && orr_machine_start(machine) == ORR_MACHINE_NONE) {
        usage_error(diag, "E815", "add a line 'start STATE' to it, or leave out --reachable",
                    "where machine '%s' starts is not known", orr_machine_name(machine));
        orr_machine_destroy(machine);
        return ORR_STATUS_USAGE;
    }
    const uint32_t n = orr_machine_count(machine, ORR_MACHINE_STATES);
    uint32_t *class_of = calloc(n, sizeof *class_of);
    if (!class_of) no_memory();
    int status = ORR_STATUS_MODEL_ERROR;
    orr_machine *small = orr_machine_minimise(machine, s->reachable, class_of, diag);
    if (small) {
        const uint32_t n_small = orr_machine_count(small, ORR_MACHINE_STATES);
        uint32_t *members = calloc(n, sizeof *members), *first = calloc(n_small + (size_t)1, sizeof *first);
        if (!members || !first) no_memory();
        group(class_of, n, n_small, members, first);
        status = ORR_STATUS_OK;
        if (s->json) print_json(machine, small, members, first);
        else if (!s->output || s->output[0] != '-') print_people(machine, small, members, first);
        if (s->output && !machine_save(small, s->output, diag)) status = ORR_STATUS_SYSTEM;
        free(members);
        free(first);
    }
    free(class_of);
    orr_machine_destroy(small);
    orr_machine_destroy(machine);
    return status;
}

const Command machine_minimise = {
    .name = "machine minimise",
    .arguments = "FILE",
    .summary = "The smallest machine with the same behaviour",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 1,
    .settings_size = sizeof(Settings),
    .run = run,
    .details = "Two states are alike if no input sequence tells them apart. "
               "Each state of the machine has one that is\n"
               "alike in the result, called by the first of them.\n\n"
               "Examples:\n"
               "  orrery machine minimise examples/everyday_machines.orr --machine Customer\n"
               "  orrery machine minimise examples/tank_machine.orr --machine Lamp --reachable -o lamp.dot\n",
};

// apps/cli/machine_reach.c: `orrery machine reach`: what can be reached, and what cannot be left.
#include "machine_ask.h"
#include <stdlib.h>

typedef struct Settings {
    const char *machine, *from;
    bool        json;
} Settings;

static const Option options[] = {
    { "--from", OPTION_TEXT, "STATE", "where it begins (default: its start)", offsetof(Settings, from) },
    MACHINE_OPTION,
    JSON_OPTION,
};

typedef bool (*Test)(const orr_reach *r, uint32_t state);
static bool is_unreachable(const orr_reach *r, uint32_t s) { return r->distance[s] == ORR_MACHINE_NONE; }
static bool is_absorbing(const orr_reach *r, uint32_t s) { return r->is_absorbing[s]; }
static bool is_transient(const orr_reach *r, uint32_t s) { return r->is_transient[s]; }

static uint32_t *select_states(const orr_machine *m, const orr_reach *r, Test test, size_t *n)
{
    const uint32_t n_states = orr_machine_count(m, ORR_MACHINE_STATES);
    uint32_t *list = calloc(n_states, sizeof *list);
    if (!list) no_memory();
    *n = 0;
    for (uint32_t s = 0; s < n_states; s++)
        if (test(r, s)) list[(*n)++] = s;
    return list;
}

static void print_selected(const orr_machine *m, const orr_reach *r, const char *title, Test test)
{
    size_t n;
    uint32_t *list = select_states(m, r, test, &n);
    char *text = machine_some(m, ORR_MACHINE_STATES, list, n, 12);
    printf("  %-12s %s\n", title, n ? text : "none");
    free(text);
    free(list);
}

static void print_farthest(const orr_machine *m, const orr_reach *r)
{
    uint32_t far = r->from, n = orr_machine_count(m, ORR_MACHINE_STATES);
    for (uint32_t s = 0; s < n; s++)
        if (r->distance[s] != ORR_MACHINE_NONE && r->distance[s] > r->distance[far]) far = s;
    uint32_t length = r->distance[far], *inputs = calloc(length + (size_t)1, sizeof *inputs);
    if (!inputs) no_memory();
    for (uint32_t s = far, i = length; i > 0; s = r->came_from[s]) inputs[--i] = r->by_input[s];
    char text[80], *word = machine_some(m, ORR_MACHINE_INPUTS, inputs, length, 20);
    printf("  %-12s %s, after %s%s%s\n", "farthest", orr_machine_text(m, ORR_MACHINE_STATES, far),
           count_text(length, "input", text), length ? ": " : "", word);
    free(word);
    free(inputs);
}

static void print_people(const orr_machine *m, const orr_reach *r)
{
    const uint32_t n = orr_machine_count(m, ORR_MACHINE_STATES);
    char text[80];
    printf("%s: %s", orr_machine_name(m), count_text(n, "state", text));
    if (r->distance)
        printf(", %u of them reachable from %s", n - r->n_unreachable,
               orr_machine_text(m, ORR_MACHINE_STATES, r->from));
    putchar('\n');
    if (r->distance) {
        print_selected(m, r, "unreachable", is_unreachable);
        print_farthest(m, r);
    } else {
        puts("  it has no start: --from STATE says what can be reached from one");
    }
    print_selected(m, r, "absorbing", is_absorbing);
    print_selected(m, r, "transient", is_transient);
    uint32_t n_closed = 0;
    for (uint32_t c = 0; c < r->n_components; c++) n_closed += r->is_closed[c];
    if (r->n_components == 1) {
        puts("Every state can be reached from every other.");
        return;
    }
    printf("In the long run it stays in %s:\n", n_closed == 1 ? "one part" : "one of these parts");
    uint32_t shown = 0, *members = calloc(n, sizeof *members);
    if (!members) no_memory();
    for (uint32_t c = 0; c < r->n_components; c++) {
        if (!r->is_closed[c]) continue;
        if (shown++ == 10) {
            printf("  and %u more\n", n_closed - 10);
            break;
        }
        size_t size = 0;
        for (uint32_t s = 0; s < n; s++)
            if (r->component[s] == c) members[size++] = s;
        char *list = machine_some(m, ORR_MACHINE_STATES, members, size, 12);
        printf("  %s\n", list);
        free(list);
    }
    free(members);
}

static void print_json(const orr_machine *m, const orr_reach *r)
{
    const uint32_t n = orr_machine_count(m, ORR_MACHINE_STATES);
    printf("{\n  \"machine\": ");
    json_text(stdout, orr_machine_name(m));
    printf(",\n  \"from\": ");
    if (r->distance) json_text(stdout, orr_machine_text(m, ORR_MACHINE_STATES, r->from));
    else printf("null");
    printf(",\n  \"unreachable\": %u,\n  \"absorbing\": %u,\n  \"transient\": %u,\n  \"components\": %u,\n"
           "  \"states\": [",
           r->n_unreachable, r->n_absorbing, r->n_transient, r->n_components);
    for (uint32_t s = 0; s < n; s++) {
        printf("%s\n    {\"state\": ", s ? "," : "");
        json_text(stdout, orr_machine_text(m, ORR_MACHINE_STATES, s));
        if (r->distance && r->distance[s] != ORR_MACHINE_NONE) printf(", \"distance\": %u", r->distance[s]);
        else if (r->distance) printf(", \"distance\": null");
        printf(", \"component\": %u, \"absorbing\": %s, \"transient\": %s}", r->component[s],
               r->is_absorbing[s] ? "true" : "false", r->is_transient[s] ? "true" : "false");
    }
    printf("\n  ]\n}\n");
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    orr_machine *machine = machine_get(arguments->items[0], s->machine, diag);
    if (!machine) return ORR_STATUS_MODEL_ERROR;
    uint32_t from;
    int status = ORR_STATUS_USAGE;
    if (machine_state(machine, s->from, &from, diag)) {
        orr_reach r = orr_machine_reach(machine, from);
        if (s->json) print_json(machine, &r);
        else print_people(machine, &r);
        orr_reach_free(&r);
        status = ORR_STATUS_OK;
    }
    orr_machine_destroy(machine);
    return status;
}

const Command machine_reach = {
    .name = "machine reach",
    .arguments = "FILE",
    .summary = "What can be reached, what cannot be left",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 1,
    .settings_size = sizeof(Settings),
    .run = run,
    .details = "Absorbing: no input leaves it. Transient: it can be left "
               "without a way back. Moves by chance count as\n"
               "moves to each of their branches.\n\n"
               "Examples:\n"
               "  orrery machine reach examples/baby.orr --from sleeping\n"
               "  orrery machine reach examples/everyday_machines.orr --machine Customer\n",
};

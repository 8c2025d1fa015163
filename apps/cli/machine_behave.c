// apps/cli/machine_behave.c: `orrery machine behave`: what a machine does for an input sequence, from
// every state.
#include "machine.h"
#include <math.h>
#include <stdlib.h>

typedef struct Settings {
    const char *inputs, *from, *machine;
    double seed;
    bool steps, json;
} Settings;

static const Option options[] = {
    { "--inputs", OPTION_TEXT, "A,B,…", "the input sequence; @FILE reads it, - from standard input",
      offsetof(Settings, inputs) },
    { "--from", OPTION_TEXT, "STATE", "only from this state (default: from every state)",
      offsetof(Settings, from) },
    { "--steps", OPTION_FLAG, NULL, "show the behaviour table filling in step by step",
      offsetof(Settings, steps) },
    { "--seed", OPTION_NUMBER, "N", "for moves drawn by chance (default: 1)", offsetof(Settings, seed) },
    MACHINE_OPTION,
    JSON_OPTION,
};

typedef struct Behaviour {
    uint32_t *states, *outputs;    // [n+1] each
    size_t n_outputs;
} Behaviour;

static Behaviour compute(const orr_machine *machine, uint32_t from, const uint32_t *inputs, size_t n,
                         uint64_t seed)
{
    Behaviour b = { calloc(n + 1, sizeof *b.states), calloc(n + 1, sizeof *b.outputs),
                    orr_machine_n_outputs(machine, n) };
    if (!b.states || !b.outputs) no_memory();
    orr_walk walk = { .state = from, .seed = seed };
    orr_machine_advance(machine, &walk, inputs, n, b.states, b.outputs);
    b.states[n] = walk.state;
    if (b.n_outputs > n) b.outputs[n] = orr_machine_output(machine, walk.state, 0);
    return b;
}

static void free_behaviour(Behaviour *b)
{
    free(b->states);
    free(b->outputs);
}

// The table as section 7 of the report fills it in: output, state, output, state, …
static void print_steps(const orr_machine *machine, const uint32_t *inputs, size_t n, const Behaviour *b)
{
    for (size_t i = 0; i <= n; i++) {
        if (i > 0) fputc('\n', stdout);
        machine_print_behaviour(stdout, machine, inputs, n, b->states, i + 1, b->outputs,
                                i < b->n_outputs ? i : b->n_outputs);
        if (i >= b->n_outputs) break;
        fputc('\n', stdout);
        machine_print_behaviour(stdout, machine, inputs, n, b->states, i + 1, b->outputs, i + 1);
    }
}

static void print_json(const orr_machine *machine, const uint32_t *inputs, size_t n, uint32_t first,
                       uint32_t last, uint64_t seed)
{
    printf("{\n  \"machine\": ");
    json_text(stdout, orr_machine_name(machine));
    printf(",\n  \"inputs\": ");
    json_list(stdout, machine, ORR_MACHINE_INPUTS, inputs, n);
    printf(",\n  \"behaviour\": [");
    for (uint32_t s = first; s <= last; s++) {
        Behaviour b = compute(machine, s, inputs, n, seed);
        printf("%s\n    {\"states\": ", s > first ? "," : "");
        json_list(stdout, machine, ORR_MACHINE_STATES, b.states, n + 1);
        printf(", \"outputs\": ");
        json_list(stdout, machine, ORR_MACHINE_OUTPUTS, b.outputs, b.n_outputs);
        printf("}");
        free_behaviour(&b);
    }
    printf("\n  ]\n}\n");
}

static void print_table(const orr_machine *machine, const uint32_t *inputs, size_t n, uint64_t seed)
{
    const uint32_t n_states = orr_machine_count(machine, ORR_MACHINE_STATES);
    const size_t n_outputs = orr_machine_n_outputs(machine, n), columns = n_outputs + 3;
    const char **cells = calloc((n_states + 1) * columns, sizeof *cells);
    char(*numbers)[12] = calloc(n_states, sizeof *numbers);
    if (!cells || !numbers) no_memory();
    cells[1] = "initial state";
    cells[2] = "output sequence";
    cells[columns - 1] = "final state";
    // the title of the outputs may be wider than the first of them
    char *list = machine_list(machine, ORR_MACHINE_INPUTS, inputs, n);
    printf("%s: %s\n\n", orr_machine_name(machine), n ? list : "no input");
    free(list);
    for (uint32_t s = 0; s < n_states; s++) {
        const char **row = &cells[(s + 1) * columns];
        Behaviour b = compute(machine, s, inputs, n, seed);
        snprintf(numbers[s], sizeof numbers[s], "%u", s + 1);
        row[0] = numbers[s];
        row[1] = orr_machine_text(machine, ORR_MACHINE_STATES, s);
        for (size_t i = 0; i < n_outputs; i++)
            row[i + 2] = orr_machine_text(machine, ORR_MACHINE_OUTPUTS, b.outputs[i]);
        row[columns - 1] = orr_machine_text(machine, ORR_MACHINE_STATES, b.states[n]);
        free_behaviour(&b);
    }
    machine_print_grid(stdout, cells, n_states + 1, columns);
    free(cells);
    free(numbers);
    if (orr_machine_is_stochastic(machine))
        printf("\nOne of several possible: moves by chance were drawn with seed %llu.\n",
               (unsigned long long)seed);
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    if (!s->inputs) {
        usage_error(diag, "E023", "write --inputs toy,food", "--inputs is missing");
        return ORR_STATUS_USAGE;
    }
    orr_machine *machine = machine_get(arguments->items[0], s->machine, diag);
    if (!machine) return ORR_STATUS_MODEL_ERROR;
    const uint64_t seed = isnan(s->seed) ? 1 : (uint64_t)s->seed;
    uint32_t *inputs = NULL, from = ORR_MACHINE_NONE;
    size_t n;
    int status = ORR_STATUS_USAGE;
    bool ok = machine_sequence(machine, ORR_MACHINE_INPUTS, s->inputs, &inputs, &n, diag);
    if (s->from) ok = machine_state(machine, s->from, &from, diag) && ok;
    if (ok) {
        const uint32_t first = s->from ? from : 0;
        const uint32_t last = s->from ? from : orr_machine_count(machine, ORR_MACHINE_STATES) - 1;
        if (s->json) print_json(machine, inputs, n, first, last, seed);
        else if (!s->steps && !s->from) print_table(machine, inputs, n, seed);
        else
            for (uint32_t q = first; q <= last; q++) {
                Behaviour b = compute(machine, q, inputs, n, seed);
                if (q > first) printf("\n\n");
                if (!s->from) printf("From '%s':\n\n", orr_machine_text(machine, ORR_MACHINE_STATES, q));
                if (s->steps) print_steps(machine, inputs, n, &b);
                else
                    machine_print_behaviour(stdout, machine, inputs, n, b.states, n + 1, b.outputs,
                                            b.n_outputs);
                free_behaviour(&b);
            }
        status = ORR_STATUS_OK;
    }
    free(inputs);
    orr_machine_destroy(machine);
    return status;
}

const Command machine_behave = {
    .name = "machine behave",
    .arguments = "FILE",
    .summary = "Output sequences from every initial state for given inputs",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 1,
    .settings_size = sizeof(Settings),
    .run = run,
    .details = "One line for each initial state: what an observer may see who does not know the state.\n\n"
               "Examples:\n"
               "  orrery machine behave examples/baby.orr --inputs toy,food,toy,food\n"
               "  orrery machine behave examples/baby.orr --inputs toy,food --from eating --steps\n",
};

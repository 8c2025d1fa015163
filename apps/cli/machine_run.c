// apps/cli/machine_run.c: `orrery run` and `orrery check` of machines.
#include "machine.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16, SHOWN_MAX = 1000 };

// ---------------------------------------------------------------------------------------------- files

static void write_field(FILE *out, const char *text)
{
    char *field = orr_csv_field(text);
    fputs(*text ? field : "\"\"", out);
    free(field);
}

static void write_row(FILE *out, const orr_machine *m, uint64_t step, uint32_t input, uint32_t state,
                      uint32_t output)
{
    fprintf(out, "%llu,", (unsigned long long)step);
    if (input != ORR_MACHINE_NONE) write_field(out, orr_machine_text(m, ORR_MACHINE_INPUTS, input));
    fputc(',', out);
    write_field(out, orr_machine_text(m, ORR_MACHINE_STATES, state));
    fputc(',', out);
    if (output != ORR_MACHINE_NONE) write_field(out, orr_machine_text(m, ORR_MACHINE_OUTPUTS, output));
    fputc('\n', out);
}

typedef struct Opening {
    const char *path;
    FILE *file;
} Opening;

static void open_file(void *self) { ((Opening *)self)->file = fopen(((Opening *)self)->path, "w"); }

// step,input,state,output: the last row has no input.
static bool write_csv(const char *path, const orr_machine *m, const uint32_t *inputs, size_t n,
                      const uint32_t *states, const uint32_t *outputs, orr_diag *diag)
{
    const bool to_stdout = strcmp(path, "-") == 0;
    Opening opening = { path, NULL };
    if (!to_stdout) orr_unconfined(open_file, &opening);
    FILE *out = to_stdout ? stdout : opening.file;
    if (out) {
        fputs("step,input,state,output\n", out);
        const size_t n_outputs = orr_machine_n_outputs(m, n);
        for (size_t i = 0; i <= n; i++)
            write_row(out, m, i + 1, i < n ? inputs[i] : ORR_MACHINE_NONE, states[i],
                      i < n_outputs ? outputs[i] : ORR_MACHINE_NONE);
    }
    const bool ok = out && !ferror(out) && (to_stdout || fclose(out) == 0);
    if (!ok) usage_error(diag, "E010", "is the disk full?", "cannot write '%s': %s", path, strerror(errno));
    return ok;
}

// ---------------------------------------------------------------------------------------------- running

static int run_sequence(orr_machine *m, const MachineRun *options, uint32_t from, uint64_t seed,
                        orr_diag *diag)
{
    uint32_t *inputs;
    size_t n;
    if (!machine_sequence(m, ORR_MACHINE_INPUTS, options->inputs ? options->inputs : "-", &inputs, &n, diag))
        return ORR_STATUS_USAGE;
    uint32_t *states = malloc((n + 1) * sizeof *states), *outputs = malloc((n + 1) * sizeof *outputs);
    if (!states || !outputs) no_memory();
    orr_walk walk = { .state = from, .seed = seed };
    orr_machine_advance(m, &walk, inputs, n, states, outputs);
    states[n] = walk.state;
    const size_t n_outputs = orr_machine_n_outputs(m, n);
    if (n_outputs > n) outputs[n] = orr_machine_output(m, walk.state, 0);
    bool ok = true;
    if (options->output) {
        ok = write_csv(options->output, m, inputs, n, states, outputs, diag);
        if (ok && !options->quiet && strcmp(options->output, "-") != 0)
            printf("%zu rows in %s\n", n + 1, options->output);
    } else if (!options->quiet && n > SHOWN_MAX) {
        printf("%s: %zu inputs, from '%s' to '%s'; -o writes all of it\n", orr_machine_name(m), n,
               orr_machine_text(m, ORR_MACHINE_STATES, from),
               orr_machine_text(m, ORR_MACHINE_STATES, walk.state));
    } else if (!options->quiet) {
        machine_print_behaviour(stdout, m, inputs, n, states, n + 1, outputs, n_outputs);
    }
    free(inputs);
    free(states);
    free(outputs);
    return ok ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

static void print_state(const orr_machine *m, uint32_t state)
{
    printf("%s", orr_machine_text(m, ORR_MACHINE_STATES, state));
    if (!orr_machine_is_mealy(m))
        printf(" / %s", orr_machine_text(m, ORR_MACHINE_OUTPUTS, orr_machine_output(m, state, 0)));
    printf("\n");
}

// At a terminal: each line is one or several inputs, and the answer follows.
static int run_dialogue(orr_machine *m, uint32_t from, uint64_t seed)
{
    orr_walk walk = { .state = from, .seed = seed };
    uint32_t ids[16];
    const uint32_t n_inputs = orr_machine_count(m, ORR_MACHINE_INPUTS);
    for (uint32_t i = 0; i < 16 && i < n_inputs; i++) ids[i] = i;
    char *list = machine_list(m, ORR_MACHINE_INPUTS, ids, n_inputs < 16 ? n_inputs : 16);
    printf("Inputs: %s%s; Ctrl-D ends.\n", list, n_inputs > 16 ? ", …" : "");
    free(list);
    print_state(m, walk.state);
    char *line = NULL;
    size_t capacity = 0;
    for (;;) {
        fputs("> ", stdout);
        fflush(stdout);
        if (getline(&line, &capacity, stdin) < 0) break;
        orr_diag *aside = orr_diag_create();    // a slip is said at once and ends nothing
        uint32_t *inputs;
        size_t n;
        if (orr_machine_read_sequence(m, ORR_MACHINE_INPUTS, line, &inputs, &n, aside)) {
            for (size_t i = 0; i < n; i++) {
                uint32_t state, output;
                orr_machine_advance(m, &walk, &inputs[i], 1, &state, &output);
                if (orr_machine_is_mealy(m))
                    printf("%s -> ", orr_machine_text(m, ORR_MACHINE_OUTPUTS, output));
                print_state(m, walk.state);
            }
            free(inputs);
        }
        orr_diag_print(aside, stdout, 0);
        orr_diag_destroy(aside);
    }
    fputc('\n', stdout);
    free(line);
    return ORR_STATUS_OK;
}

int machine_run(orr_machine *machine, const MachineRun *options, orr_diag *diag)
{
    uint32_t from;
    if (!machine_state(machine, options->from, &from, diag)) {
        // what is wrong with the inputs is said at once too
        uint32_t *inputs = NULL;
        size_t n;
        if (options->inputs && strcmp(options->inputs, "-") != 0)
            machine_sequence(machine, ORR_MACHINE_INPUTS, options->inputs, &inputs, &n, diag);
        free(inputs);
        return ORR_STATUS_USAGE;
    }
    if (from == ORR_MACHINE_NONE) {
        usage_error(diag, "E815",
                    "say it with --from STATE; 'orrery machine behave' shows what happens from every state",
                    "where machine '%s' starts is not known", orr_machine_name(machine));
        return ORR_STATUS_USAGE;
    }
    const uint64_t seed = isnan(options->seed) ? 1 : (uint64_t)options->seed;
    const bool asks = !options->inputs || strcmp(options->inputs, "-") == 0;
    if (asks && !options->output && isatty(STDIN_FILENO)) return run_dialogue(machine, from, seed);
    return run_sequence(machine, options, from, seed, diag);
}

// ---------------------------------------------------------------------------------------------- checking

static void report(const orr_machine *m)
{
    const uint32_t start = orr_machine_start(m);
    printf("%s: a %s%s machine, complete and unambiguous: %u state%s, %u input%s, %u output%s",
           orr_machine_name(m), orr_machine_is_stochastic(m) ? "stochastic " : "",
           orr_machine_is_mealy(m) ? "Mealy" : "Moore", orr_machine_count(m, ORR_MACHINE_STATES),
           orr_machine_count(m, ORR_MACHINE_STATES) == 1 ? "" : "s", orr_machine_count(m, ORR_MACHINE_INPUTS),
           orr_machine_count(m, ORR_MACHINE_INPUTS) == 1 ? "" : "s",
           orr_machine_count(m, ORR_MACHINE_OUTPUTS),
           orr_machine_count(m, ORR_MACHINE_OUTPUTS) == 1 ? "" : "s");
    if (start != ORR_MACHINE_NONE)
        printf("; starts in '%s'\n", orr_machine_text(m, ORR_MACHINE_STATES, start));
    else printf("; no start\n");
}

int machine_check_file(const char *path, orr_diag *diag)
{
    orr_machine *machine = orr_machine_open(path, NULL, diag);
    if (!machine) return ORR_STATUS_MODEL_ERROR;
    report(machine);
    orr_machine_destroy(machine);
    return ORR_STATUS_OK;
}

bool machine_check_all(const orr_source *source, orr_diag *diag)
{
    bool ok = true;
    for (size_t i = 0; i < orr_source_n_machines(source); i++) {
        orr_machine *machine = orr_machine_build(source, orr_source_machine_name(source, i), diag);
        if (machine) report(machine);
        ok &= machine != NULL;
        orr_machine_destroy(machine);
    }
    return ok;
}

// apps/cli/machine_predict.c: `orrery machine predict`: the state is unknown; what was it, what is it,
// what comes next?
#include "machine.h"
#include <stdlib.h>

typedef struct Settings {
    const char *inputs, *outputs, *machine;
    bool json;
} Settings;

static const Option options[] = {
    { "--inputs", OPTION_TEXT, "A,B,…", "inputs given so far (default: none); @FILE reads them",
      offsetof(Settings, inputs) },
    { "--outputs", OPTION_TEXT, "C,D,…", "outputs observed, from before the first input on; ? is unknown",
      offsetof(Settings, outputs) },
    MACHINE_OPTION,
    JSON_OPTION,
};

// What an input would show and lead to: shares of the belief, by output and by state.
typedef struct Outlook {
    double *outputs, *states;
} Outlook;

static Outlook look_ahead(const orr_machine *m, const orr_prediction *p, uint32_t input)
{
    const uint32_t n = orr_machine_count(m, ORR_MACHINE_STATES);
    Outlook o = { calloc(orr_machine_count(m, ORR_MACHINE_OUTPUTS), sizeof(double)),
                  calloc(n, sizeof(double)) };
    if (!o.outputs || !o.states) no_memory();
    for (uint32_t s = 0; s < n; s++) {
        if (p->is[s] == 0) continue;
        if (orr_machine_is_mealy(m)) o.outputs[orr_machine_output(m, s, input)] += p->is[s];
        for (uint32_t k = 0; k < orr_machine_branches(m, s, input); k++) {
            double share;
            const uint32_t to = orr_machine_next(m, s, input, k, &share);
            o.states[to] += share * p->is[s];
            if (!orr_machine_is_mealy(m)) o.outputs[orr_machine_output(m, to, 0)] += share * p->is[s];
        }
    }
    return o;
}

static void free_outlook(Outlook *o)
{
    free(o->outputs);
    free(o->states);
}

static void print_shares(const orr_machine *m, orr_machine_set set, const double *shares)
{
    const uint32_t n = orr_machine_count(m, set);
    uint32_t n_possible = 0, shown = 0;
    for (uint32_t i = 0; i < n; i++) n_possible += shares[i] > 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!(shares[i] > 0)) continue;
        if (shown++ == 12) {
            printf(" and %u more", n_possible - 12);
            break;
        }
        printf("%s%s", shown > 1 ? ", " : "", orr_machine_text(m, set, i));
        if (n_possible > 1) printf(" (%.3g)", shares[i]);
    }
}

static void print_people(const orr_machine *m, const orr_prediction *p)
{
    const uint32_t n = orr_machine_count(m, ORR_MACHINE_STATES),
                   n_inputs = orr_machine_count(m, ORR_MACHINE_INPUTS);
    printf("%s\n\n  was in      ", orr_machine_name(m));
    // where it began: only whether it is possible
    uint32_t shown = 0;
    for (uint32_t s = 0; s < n; s++) {
        if (!(p->was[s] > 0)) continue;
        if (shown++ == 12) {
            printf(" and %u more", p->n_were - 12);
            break;
        }
        printf("%s%s", shown > 1 ? ", " : "", orr_machine_text(m, ORR_MACHINE_STATES, s));
    }
    printf("\n  is now in   ");
    print_shares(m, ORR_MACHINE_STATES, p->is);
    printf("\n\n");
    for (uint32_t i = 0; i < n_inputs; i++) {
        Outlook o = look_ahead(m, p, i);
        printf("  on %s: ", orr_machine_text(m, ORR_MACHINE_INPUTS, i));
        print_shares(m, ORR_MACHINE_OUTPUTS, o.outputs);
        printf("; then in ");
        print_shares(m, ORR_MACHINE_STATES, o.states);
        printf("\n");
        free_outlook(&o);
    }
    if (p->n_are > 1)
        printf("\nNumbers in parentheses are probabilities, if all initial states were equally likely.\n");
}

static void json_shares(const orr_machine *m, orr_machine_set set, const double *shares)
{
    const char *separator = "";
    printf("{");
    for (uint32_t i = 0; i < orr_machine_count(m, set); i++) {
        if (!(shares[i] > 0)) continue;
        char number[40];
        orr_format_number(shares[i], number);
        printf("%s", separator);
        json_text(stdout, orr_machine_text(m, set, i));
        printf(": %s", number);
        separator = ", ";
    }
    printf("}");
}

static void print_json(const orr_machine *m, const orr_prediction *p)
{
    const uint32_t n = orr_machine_count(m, ORR_MACHINE_STATES);
    const char *separator = "";
    printf("{\n  \"machine\": ");
    json_text(stdout, orr_machine_name(m));
    printf(",\n  \"agrees\": %s,\n  \"was\": [", p->n_are > 0 ? "true" : "false");
    for (uint32_t s = 0; s < n; s++) {
        if (!(p->was[s] > 0)) continue;
        printf("%s", separator);
        json_text(stdout, orr_machine_text(m, ORR_MACHINE_STATES, s));
        separator = ", ";
    }
    printf("],\n  \"is\": ");
    json_shares(m, ORR_MACHINE_STATES, p->is);
    printf(",\n  \"next\": [");
    for (uint32_t i = 0; p->n_are > 0 && i < orr_machine_count(m, ORR_MACHINE_INPUTS); i++) {
        Outlook o = look_ahead(m, p, i);
        printf("%s\n    {\"input\": ", i ? "," : "");
        json_text(stdout, orr_machine_text(m, ORR_MACHINE_INPUTS, i));
        printf(", \"outputs\": ");
        json_shares(m, ORR_MACHINE_OUTPUTS, o.outputs);
        printf(", \"states\": ");
        json_shares(m, ORR_MACHINE_STATES, o.states);
        printf("}");
        free_outlook(&o);
    }
    printf("\n  ]\n}\n");
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    orr_machine *machine = machine_get(arguments->items[0], s->machine, diag);
    if (!machine) return ORR_STATUS_MODEL_ERROR;
    uint32_t *inputs = NULL, *outputs = NULL;
    size_t n_inputs = 0, n_outputs = 0;
    bool ok =
        machine_sequence(machine, ORR_MACHINE_INPUTS, s->inputs ? s->inputs : "", &inputs, &n_inputs, diag);
    ok = machine_sequence(machine, ORR_MACHINE_OUTPUTS, s->outputs ? s->outputs : "", &outputs, &n_outputs,
                          diag) &&
         ok;
    if (ok && n_outputs > orr_machine_n_outputs(machine, n_inputs)) {
        usage_error(diag, "E818",
                    orr_machine_is_mealy(machine) ? "there is one for each input"
                                                  : "there is one before each input and one behind the last",
                    "this is not a ledger of experiments: %zu inputs cannot have %zu outputs", n_inputs,
                    n_outputs);
        ok = false;
    }
    int status = ORR_STATUS_USAGE;
    if (ok) {
        orr_prediction p = orr_machine_predict(machine, inputs, n_inputs, outputs, n_outputs);
        status = p.n_are > 0 ? ORR_STATUS_OK : ORR_STATUS_NOT_VALIDATED;
        if (s->json) print_json(machine, &p);
        else if (p.n_are > 0) print_people(machine, &p);
        else
            printf("No state of %s agrees with this observation: it falsifies the model.\n",
                   orr_machine_name(machine));
        orr_prediction_free(&p);
    }
    free(inputs);
    free(outputs);
    orr_machine_destroy(machine);
    return status;
}

const Command machine_predict = {
    .name = "machine predict",
    .arguments = "FILE",
    .summary = "The state is unknown: what agrees with what was observed",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 1,
    .settings_size = sizeof(Settings),
    .run = run,
    .details = "Prints the states in which the machine may have been and "
               "may be now, and what each input would show next.\n"
               "Exits with 4 if no state agrees.\n\n"
               "Example: it cried, was given food, and went on crying:\n"
               "  orrery machine predict examples/baby.orr --inputs food --outputs cries,cries\n",
};

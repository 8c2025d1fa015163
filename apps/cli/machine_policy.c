// apps/cli/machine_policy.c: `orrery machine policy`: which inputs keep a cost low.
#include "commands.h"
#include "machine_ask.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    List        cost, input_cost;
    const char *machine, *from;
    double      discount, horizon;
    bool        json;
} Settings;

static const Option options[] = {
    { "--cost", OPTION_LIST, "OUTPUT=X", "what an output costs (default: 0); a list, or repeated",
      offsetof(Settings, cost) },
    { "--input-cost", OPTION_LIST, "INPUT=X", "what giving an input costs (default: 0)",
      offsetof(Settings, input_cost) },
    { "--discount", OPTION_NUMBER, "D", "each step counts D times the one before it",
      offsetof(Settings, discount) },
    { "--horizon", OPTION_NUMBER, "N", "the sum over N inputs (default: the average in the long run)",
      offsetof(Settings, horizon) },
    { "--from", OPTION_TEXT, "STATE", "where it begins (default: its start)", offsetof(Settings, from) },
    MACHINE_OPTION,
    JSON_OPTION,
};

enum { STATES_SHOWN = 40, STEPS_SHOWN = 60 };

// The end of one NAME=NUMBER: a comma outside of quotes and brackets, or the end.
static char *end_of_cost(char *text)
{
    bool quoted = false, bracketed = false;
    for (; *text && (*text != ',' || quoted || bracketed); text++) {
        if (*text == '"') quoted = !quoted;
        if (*text == '[' || *text == ']') bracketed = *text == '[';
    }
    return text;
}

static bool read_cost(const orr_machine *m, orr_machine_set set, const char *option, char *part, double *cost,
                      orr_diag *diag)
{
    char *equals = strrchr(part, '=');
    double value;
    if (!equals || !orr_parse_number(equals + 1, &value) || !isfinite(value)) {
        usage_error(diag, "E022", "write --cost cries=1", "option '%s' needs NAME=NUMBER, not '%s'", option,
                    part);
        return false;
    }
    *equals = '\0';
    uint32_t *id;
    size_t n;
    bool ok = orr_machine_read_sequence(m, set, part, &id, &n, diag);
    ok = ok && n == 1 && *id != ORR_MACHINE_NONE;
    if (ok) cost[*id] = value;
    free(id);
    return ok;
}

// "cries=1,quiet=0" into cost[].
static bool read_costs(const orr_machine *m, orr_machine_set set, const List *given, const char *option,
                       double *cost, orr_diag *diag)
{
    bool ok = true;
    for (size_t i = 0; i < given->n; i++) {
        char *text = strdup(given->items[i]);
        if (!text) no_memory();
        for (char *part = text, *end, last = ','; last == ','; part = end + 1) {
            end = end_of_cost(part);
            last = *end;
            *end = '\0';
            ok &= read_cost(m, set, option, part, cost, diag);
        }
        free(text);
    }
    return ok;
}

// The inputs that are as good as each other; "any" if all are.
static char *best_inputs(const orr_machine *m, const orr_policy *p, uint32_t state)
{
    const uint32_t k = orr_machine_count(m, ORR_MACHINE_INPUTS);
    uint32_t *list = calloc(k, sizeof *list), n = 0;
    if (!list) no_memory();
    for (uint32_t i = 0; i < k; i++)
        if (p->is_best[(size_t)state * k + i]) list[n++] = i;
    char *text = k > 1 && n == k ? strdup("any") : machine_list(m, ORR_MACHINE_INPUTS, list, n);
    if (!text) no_memory();
    free(list);
    return text;
}

static void print_states(const orr_machine *m, const orr_policy *p, orr_criterion criterion)
{
    const uint32_t n_states = orr_machine_count(m, ORR_MACHINE_STATES),
                   n = n_states > STATES_SHOWN ? STATES_SHOWN : n_states;
    const char **cells = calloc(3 * (n + (size_t)1), sizeof *cells);
    if (!cells) no_memory();
    cells[0] = "in state";
    cells[1] = criterion == ORR_CRITERION_HORIZON ? "give first" : "give";
    cells[2] = criterion == ORR_CRITERION_AVERAGE ? "average" : "cost from there";
    for (uint32_t s = 0; s < n; s++) {
        char number[80], *copy = strdup(ratio_text(p->value[s], number));
        if (!copy) no_memory();
        cells[3 * (s + 1)] = orr_machine_text(m, ORR_MACHINE_STATES, s);
        cells[3 * (s + 1) + 1] = best_inputs(m, p, s);
        cells[3 * (s + 1) + 2] = copy;
    }
    machine_print_grid(stdout, cells, n + (size_t)1, 3);
    if (n < n_states) printf("and %u more states; --json has them all\n", n_states - n);
    for (uint32_t s = 1; s <= n; s++) {
        free((char *)(uintptr_t)cells[3 * s + 1]);
        free((char *)(uintptr_t)cells[3 * s + 2]);
    }
    free(cells);
}

static void print_way(const orr_machine *m, const orr_policy *p, orr_criterion criterion, uint32_t from)
{
    const size_t lead = p->word.n - p->n_cycle;
    char *first = machine_some(m, ORR_MACHINE_INPUTS, p->word.inputs, lead, STEPS_SHOWN);
    printf("\nFrom %s: %s", orr_machine_text(m, ORR_MACHINE_STATES, from), first);
    free(first);
    if (criterion != ORR_CRITERION_HORIZON) {
        char *cycle = machine_some(m, ORR_MACHINE_INPUTS, p->word.inputs + lead, p->n_cycle, STEPS_SHOWN);
        printf("%sagain and again %s", lead ? "; then " : "", cycle);
        printf("\n  costs %.10g in %zu step%s", p->cycle_cost, p->n_cycle, p->n_cycle == 1 ? "" : "s");
        free(cycle);
    }
    putchar('\n');
}

// Part of the time that each output is seen.
static double *output_shares(const orr_machine *m, const orr_policy *p)
{
    double *share = calloc(orr_machine_count(m, ORR_MACHINE_OUTPUTS), sizeof *share);
    if (!share) no_memory();
    for (uint32_t s = 0; s < orr_machine_count(m, ORR_MACHINE_STATES); s++)
        share[orr_machine_output(m, s, p->input[s])] += p->share[s];
    return share;
}

static void print_shares(const orr_machine *m, const orr_policy *p)
{
    double *share = output_shares(m, p);
    fputs("\nIn the long run: ", stdout);
    uint32_t shown = 0;
    for (uint32_t o = 0; o < orr_machine_count(m, ORR_MACHINE_OUTPUTS); o++) {
        if (share[o] < 5e-7) continue;
        if (shown++ == 12) {
            printf(", …");
            break;
        }
        printf("%s%s %.4g %%", shown > 1 ? ", " : "", orr_machine_text(m, ORR_MACHINE_OUTPUTS, o),
               100 * share[o]);
    }
    printf(" of the time%s\n",
           p->word.n == 0 && !orr_machine_is_stochastic(m) ? ", from all states alike" : "");
    free(share);
}

static void print_people(const orr_machine *m, const orr_policy *p, const orr_policy_options *o)
{
    printf("%s: what to give so that ", orr_machine_name(m));
    if (o->criterion == ORR_CRITERION_AVERAGE) puts("the average cost of a step is least in the long run\n");
    else if (o->criterion == ORR_CRITERION_DISCOUNTED)
        printf("the cost is least, each step weighing %g of the one before\n\n", o->discount);
    else printf("the cost of %zu input%s is least\n\n", o->horizon, o->horizon == 1 ? "" : "s");
    print_states(m, p, o->criterion);
    if (p->word.n > 0) print_way(m, p, o->criterion, o->from);
    if (p->share) print_shares(m, p);
}

static void print_json(const orr_machine *m, const orr_policy *p, const orr_policy_options *o)
{
    static const char *const criteria[] = { "average", "discounted", "horizon" };
    const uint32_t n = orr_machine_count(m, ORR_MACHINE_STATES), k = orr_machine_count(m, ORR_MACHINE_INPUTS);
    printf("{\n  \"machine\": ");
    json_text(stdout, orr_machine_name(m));
    printf(",\n  \"criterion\": \"%s\",\n  \"states\": [", criteria[o->criterion]);
    for (uint32_t s = 0; s < n; s++) {
        printf("%s\n    {\"state\": ", s ? "," : "");
        json_text(stdout, orr_machine_text(m, ORR_MACHINE_STATES, s));
        printf(", \"give\": ");
        json_text(stdout, orr_machine_text(m, ORR_MACHINE_INPUTS, p->input[s]));
        printf(", \"as_good\": [");
        const char *separator = "";
        for (uint32_t i = 0; i < k; i++) {
            if (!p->is_best[(size_t)s * k + i]) continue;
            fputs(separator, stdout);
            json_text(stdout, orr_machine_text(m, ORR_MACHINE_INPUTS, i));
            separator = ", ";
        }
        printf("], \"cost\": ");
        json_number(stdout, p->value[s]);
        if (p->share) printf(", \"share\": ");
        if (p->share) json_number(stdout, p->share[s]);
        putchar('}');
    }
    printf("\n  ]");
    if (o->criterion == ORR_CRITERION_HORIZON) {
        printf(",\n  \"steps\": [");
        for (size_t step = 0; step < o->horizon; step++) {
            printf("%s\n    ", step ? "," : "");
            json_list(stdout, m, ORR_MACHINE_INPUTS, p->input + step * n, n);
        }
        printf("\n  ]");
    }
    if (p->word.n > 0) {
        printf(",\n  \"sequence\": ");
        json_list(stdout, m, ORR_MACHINE_INPUTS, p->word.inputs, p->word.n);
        printf(",\n  \"path\": ");
        json_list(stdout, m, ORR_MACHINE_STATES, p->path, p->word.n + 1);
        printf(",\n  \"cycle\": %zu,\n  \"cycle_cost\": ", p->n_cycle);
        json_number(stdout, p->cycle_cost);
    }
    printf("\n}\n");
}

static bool read_options(const Settings *s, const orr_machine *m, orr_policy_options *o, orr_diag *diag)
{
    if (!isnan(s->discount) && !isnan(s->horizon)) {
        usage_error(diag, "E025", "choose one of them", "'--discount' and '--horizon' exclude each other");
        return false;
    }
    if (s->cost.n + s->input_cost.n == 0) {
        usage_error(diag, "E023", "write --cost OUTPUT=1 for the output that is to be kept rare",
                    "a cost is missing");
        return false;
    }
    if (!isnan(s->horizon) && !(s->horizon >= 1 && s->horizon <= 1e15 && s->horizon == floor(s->horizon))) {
        usage_error(diag, "E022", "write --horizon 10",
                    "option '--horizon' needs a whole number from 1 on, not '%g'", s->horizon);
        return false;
    }
    o->criterion = !isnan(s->horizon)    ? ORR_CRITERION_HORIZON
                   : !isnan(s->discount) ? ORR_CRITERION_DISCOUNTED
                                         : ORR_CRITERION_AVERAGE;
    o->discount = s->discount;
    o->horizon = isnan(s->horizon) ? 0 : (size_t)s->horizon;
    o->cancel = limits_cancel();
    return machine_state(m, s->from, &o->from, diag);
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    orr_machine *m = machine_get(arguments->items[0], s->machine, diag);
    if (!m) return ORR_STATUS_MODEL_ERROR;
    double *output_cost = calloc(orr_machine_count(m, ORR_MACHINE_OUTPUTS) + (size_t)1, sizeof *output_cost),
           *input_cost = calloc(orr_machine_count(m, ORR_MACHINE_INPUTS) + (size_t)1, sizeof *input_cost);
    if (!output_cost || !input_cost) no_memory();
    orr_policy_options o = orr_policy_options_default();
    o.output_cost = output_cost;
    o.input_cost = input_cost;
    bool ok = read_options(s, m, &o, diag);
    ok = read_costs(m, ORR_MACHINE_OUTPUTS, &s->cost, "--cost", output_cost, diag) && ok;
    ok = read_costs(m, ORR_MACHINE_INPUTS, &s->input_cost, "--input-cost", input_cost, diag) && ok;
    int status = ORR_STATUS_USAGE;
    if (ok) {
        orr_policy p = orr_machine_policy(m, &o, diag);
        status = (int)p.status;
        if (status == ORR_STATUS_OK && s->json) print_json(m, &p, &o);
        else if (status == ORR_STATUS_OK) print_people(m, &p, &o);
        orr_policy_free(&p);
    }
    free(output_cost);
    free(input_cost);
    orr_machine_destroy(m);
    return status;
}

const Command machine_policy = {
    .name = "machine policy",
    .arguments = "FILE",
    .summary = "Which inputs keep a cost of the outputs low",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 1,
    .settings_size = sizeof(Settings),
    .run = run,
    .details = "For each state the inputs that are best, and the least "
               "cost: the average of a step in the long run; with\n"
               "--discount the sum of all steps, each weighing less; with "
               "--horizon the sum over so many inputs, for Moore\n"
               "machines with the output behind the last. From a known "
               "state also the sequence, if nothing moves by chance.\n\n"
               "Examples:\n"
               "  orrery machine policy examples/baby.orr --cost cries=1\n"
               "  orrery machine policy examples/baby.orr --cost cries=1 --horizon 6 --from sleeping\n"
               "  orrery machine policy examples/baby.orr --cost cries=1 "
               "--input-cost food=0.2,toy=0.1 --discount 0.9\n",
};

// apps/cli/machine_learn.c: `orrery machine learn`: the smallest machine that agrees with what was observed.
#include "commands.h"
#include "machine_ask.h"
#include <math.h>
#include <stdlib.h>

typedef struct Settings {
    const char *output;
    bool        reset, mealy, moore, json;
    double      max_states, limit;
} Settings;

static const Option options[] = {
    { "--reset", OPTION_FLAG, NULL, "all experiments began in the same state (default: each in any)",
      offsetof(Settings, reset) },
    { "--mealy", OPTION_FLAG, NULL, "an output for each input (default: if no experiment has one more)",
      offsetof(Settings, mealy) },
    { "--moore", OPTION_FLAG, NULL, "an output in each state", offsetof(Settings, moore) },
    { "--max-states", OPTION_NUMBER, "N", "largest machine to try (default: 8)",
      offsetof(Settings, max_states) },
    { "--limit", OPTION_NUMBER, "N", "steps of the search for each size (default: 50 million)",
      offsetof(Settings, limit) },
    { "-o", OPTION_TEXT, "FILE", "write the first machine: .orr, .csv, .dot, .svg, .json",
      offsetof(Settings, output) },
    JSON_OPTION,
};

static void print_free(const orr_learned *r)
{
    const orr_machine *m = r->machines[0];
    const uint32_t n = orr_machine_count(m, ORR_MACHINE_STATES), k = orr_machine_count(m, ORR_MACHINE_INPUTS);
    if (r->n_free == 0) return;
    printf("\nNever observed, and shown as staying where it is:");
    size_t shown = 0;
    for (size_t cell = 0; cell < (size_t)n * k; cell++) {
        if (!r->is_free[cell]) continue;
        if (shown++ == 12) {
            printf(" …");
            break;
        }
        printf("%s %s on %s", shown > 1 ? "," : "",
               orr_machine_text(m, ORR_MACHINE_STATES, (uint32_t)(cell / k)),
               orr_machine_text(m, ORR_MACHINE_INPUTS, (uint32_t)(cell % k)));
    }
    putchar('\n');
}

// Machines of a group of the experiment, numbered from 1; those of one machine stand together.
static void print_group(const orr_separation *e, uint32_t group)
{
    uint32_t last = ORR_MACHINE_NONE, shown = 0;
    for (uint32_t i = 0; i < e->n_suspects; i++) {
        if (e->suspects[i].group != group || e->suspects[i].machine == last) continue;
        last = e->suspects[i].machine;
        if (shown++ == 12) {
            printf(", …");
            break;
        }
        printf("%s%u", shown > 1 ? ", " : "", last + 1);
    }
}

static void print_experiment(const orr_learned *r)
{
    const orr_separation *e = &r->experiment;
    if (e->n_suspects == 0 || e->n_groups < 2) return;
    char *word = word_text(r->machines[0], e->word);
    const bool tells_all = e->verdict == ORR_ANSWER_YES;
    printf("\nAn experiment that tells %s%s%zu%s apart: %s\n", tells_all ? "" : "many of ",
           (double)r->n_kept == r->n_machines ? "the " : "the first ", r->n_kept, tells_all ? " of them" : "",
           word);
    free(word);
    for (uint32_t g = 0; g < e->n_groups && g < 20; g++) {
        fputs("  ", stdout);
        for (size_t i = 0; i < e->n_answers; i++)
            printf("%s%s", i ? ", " : "", e->outputs[e->answers[g * e->n_answers + i]]);
        fputs(": number ", stdout);
        print_group(e, g);
        putchar('\n');
    }
    if (e->n_groups > 20) printf("  and %u more answers\n", e->n_groups - 20);
}

static void print_people(const orr_learned *r, size_t n_experiments)
{
    char text[80];
    if (r->has_conflict) {
        printf("No machine agrees: experiments %zu and %zu begin alike, "
               "get the same inputs and answer differently.\n",
               r->conflict[0] + 1, r->conflict[1] + 1);
        return;
    }
    if (r->verdict == ORR_ANSWER_NO) {
        printf("No machine with at most %s agrees; try more with --max-states.\n",
               count_text(r->n_states, "state", text));
        return;
    }
    if (r->verdict == ORR_ANSWER_UNKNOWN) {
        printf("No machine with fewer than %u states agrees; whether one "
               "with %u does was not found out within the limit\n"
               "(--limit).\n",
               r->n_states, r->n_states);
        return;
    }
    printf("%s agree%s with a machine of %s, and with none that is smaller.\n",
           count_text(n_experiments, "experiment", text), n_experiments == 1 ? "s" : "",
           count_text(r->n_states, "state", (char[80]){ 0 }));
    if (r->n_machines == 1 && r->is_count_exact) puts("It is the only one of that size.\n");
    else
        printf("There %s%.10g different ones of that size%s\n\n",
               r->is_count_exact ? "are " : "are at least ", r->n_machines, "; the first:");
    char *table = orr_machine_write(r->machines[0], ORR_MACHINE_TEXT);
    fputs(table, stdout);
    free(table);
    print_free(r);
    print_experiment(r);
}

static void print_json(const orr_learned *r)
{
    static const char *const verdicts[] = { "yes", "no", "unknown" };
    printf("{\n  \"found\": \"%s\",\n  \"states\": %u,\n  \"count\": ", verdicts[r->verdict], r->n_states);
    json_number(stdout, r->n_machines);
    printf(",\n  \"count_exact\": %s,\n  \"conflict\": ", r->is_count_exact ? "true" : "false");
    if (r->has_conflict) printf("[%zu, %zu]", r->conflict[0] + 1, r->conflict[1] + 1);
    else printf("null");
    printf(",\n  \"machines\": [");
    for (size_t i = 0; i < r->n_kept; i++) {
        char *text = orr_machine_write(r->machines[i], ORR_MACHINE_JSON);
        printf("%s\n%s", i ? "," : "", text);
        free(text);
    }
    printf("],\n  \"experiment\": ");
    if (r->experiment.n_suspects > 0)
        json_list(stdout, r->machines[0], ORR_MACHINE_INPUTS, r->experiment.word.inputs,
                  r->experiment.word.n);
    else printf("null");
    printf("\n}\n");
}

static bool check_numbers(const Settings *s, orr_diag *diag)
{
    const double values[] = { s->max_states, s->limit };
    const char *const names[] = { "--max-states", "--limit" };
    for (size_t i = 0; i < 2; i++) {
        if (isnan(values[i]) ||
            (values[i] >= 1 && values[i] <= (i == 0 ? 1000 : 1e15) && values[i] == floor(values[i])))
            continue;
        usage_error(diag, "E022", i == 0 ? "1 to 1000; more than 10 take long" : "from 1 on",
                    "option '%s' needs a whole number, not '%g'", names[i], values[i]);
        return false;
    }
    if (s->mealy && s->moore) {
        usage_error(diag, "E025", "choose one of them", "'--mealy' and '--moore' exclude each other");
        return false;
    }
    return true;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    if (!check_numbers(s, diag)) return ORR_STATUS_USAGE;
    orr_ledger *ledger = orr_ledger_open(arguments->items[0], diag);
    if (!ledger) return ORR_STATUS_MODEL_ERROR;
    orr_learn_options o = orr_learn_options_default();
    o.is_mealy = s->mealy || (!s->moore && orr_ledger_is_mealy(ledger));
    o.reset = s->reset;
    o.max_states = isnan(s->max_states) ? 0 : (uint32_t)s->max_states;
    o.limit = isnan(s->limit) ? 0 : (size_t)s->limit;
    o.cancel = limits_cancel();
    orr_learned r = orr_ledger_learn(ledger, &o, diag);
    int status = (int)r.status;
    if (status == ORR_STATUS_OK) {
        if (s->json) print_json(&r);
        else if (!s->output || s->output[0] != '-') print_people(&r, orr_ledger_count(ledger));
        if (r.verdict == ORR_ANSWER_NO) status = ORR_STATUS_NOT_VALIDATED;
        if (r.verdict == ORR_ANSWER_UNKNOWN) status = ORR_STATUS_FAILED;
        if (s->output && r.n_kept > 0 && !machine_save(r.machines[0], s->output, diag))
            status = ORR_STATUS_SYSTEM;
    }
    orr_learned_free(&r);
    orr_ledger_destroy(ledger);
    return status;
}

const Command machine_learn = {
    .name = "machine learn",
    .arguments = "LEDGER",
    .summary = "The smallest machine that agrees with experiments",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 1,
    .settings_size = sizeof(Settings),
    .run = run,
    .details = "Tries 1, 2, 3, … states until a machine agrees with every "
               "experiment of the ledger, says how many there are\n"
               "of that size and which experiment would tell them apart. "
               "Exact, so for small machines only; Ctrl-C stops it.\n"
               "Experiments that say 'from STATE' begin in the same state if "
               "it is the same name. Exits with 4 if no machine\n"
               "agrees, with 3 if the limit was reached.\n\n"
               "Examples:\n"
               "  orrery machine learn examples/finger_game.ledger\n"
               "  orrery machine learn examples/finger_game.ledger --max-states 4 -o friend.orr\n",
};

// apps/cli/machine_validate.c: `orrery machine validate`: models against a ledger of experiments.
#include "machine_ask.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    const char *ledger, *attempt, *observed, *from, *machine;
    bool repair, json;
} Settings;

static const Option options[] = {
    { "--ledger", OPTION_TEXT, "FILE", "the experiments: lines 'inputs : outputs'",
      offsetof(Settings, ledger) },
    { "--try", OPTION_TEXT, "A,B,…", "an experiment to add to the ledger: its inputs …",
      offsetof(Settings, attempt) },
    { "--observed", OPTION_TEXT, "C,D,…", "… and the outputs observed", offsetof(Settings, observed) },
    { "--from", OPTION_TEXT, "STATE", "the state before that experiment, if it was known",
      offsetof(Settings, from) },
    { "--repair", OPTION_FLAG, NULL, "look for changes of one table entry that repair a falsified model",
      offsetof(Settings, repair) },
    { "--machine", OPTION_TEXT, "NAME", "only this one (default: all machines of the files are rivals)",
      offsetof(Settings, machine) },
    JSON_OPTION,
};

typedef struct Rivals {
    orr_machine **items;    // [n] owned
    orr_validation *verdicts;
    size_t n;
} Rivals;

// All machines of all files, or those called `name`.
static bool open_rivals(const List *files, const char *name, Rivals *rivals, orr_diag *diag)
{
    const List names = { &name, name != NULL };
    Machines machines;
    const bool ok = machines_open(&machines, files, &names, diag);
    rivals->items = machines.items;
    rivals->n = machines.n;
    return ok;
}

static void close_rivals(Rivals *rivals)
{
    for (size_t i = 0; i < rivals->n; i++) {
        orr_machine_destroy(rivals->items[i]);
        if (rivals->verdicts) orr_validation_free(&rivals->verdicts[i]);
    }
    free(rivals->items);
    free(rivals->verdicts);
}

// ---------------------------------------------------------------------------------------------- the ledger

static char *read_text(const char *path, orr_diag *diag)
{
    FILE *in = fopen(path, "r");
    if (!in) {
        if (errno == ENOENT)
            usage_error(diag, "E001", "--try and --observed begin one", "there is no file '%s'", path);
        else usage_error(diag, "E002", NULL, "cannot read '%s': %s", path, strerror(errno));
        return NULL;
    }
    char *text = NULL;
    size_t n = 0, got;
    FILE *copy = open_memstream(&text, &n);
    char buffer[4096];
    if (!copy) no_memory();
    while ((got = fread(buffer, 1, sizeof buffer, in)) > 0) fwrite(buffer, 1, got, copy);
    fclose(in);
    memory_close(copy, &text);
    return text;
}

// The line of a new experiment, free() it.
static char *new_line(const Settings *s)
{
    char *line = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&line, &n);
    if (!out) no_memory();
    if (s->from) fprintf(out, "from %s : ", s->from);
    fprintf(out, "%s : %s\n", s->attempt ? s->attempt : "", s->observed);
    memory_close(out, &line);
    return line;
}

// The ledger with the new experiment behind it; NULL after a message. *line is what is to be added to the
// file.
static char *ledger_text(const Settings *s, const Rivals *rivals, char **line, orr_diag *diag)
{
    FILE *there = s->observed ? fopen(s->ledger, "r") : NULL;
    const bool begins = s->observed && !there && errno == ENOENT;
    if (there) fclose(there);
    char *old = begins ? calloc(1, 1) : read_text(s->ledger, diag);
    if (!old || !s->observed) return old;
    char *experiment = new_line(s), *text = NULL;
    size_t n = 0;
    FILE *head = open_memstream(line, &n);
    if (!head) no_memory();
    if (begins) {
        fprintf(head, "ledger of ");
        for (size_t i = 0; i < rivals->n; i++)
            fprintf(head, "%s\"%s\"", i ? ", " : "", orr_machine_name(rivals->items[i]));
        fputc('\n', head);
    } else if (*old && old[strlen(old) - 1] != '\n') fputc('\n', head);
    fputs(experiment, head);
    memory_close(head, line);
    FILE *out = open_memstream(&text, &n);
    if (!out) no_memory();
    fprintf(out, "%s%s", old, *line);
    memory_close(out, &text);
    free(experiment);
    free(old);
    return text;
}

static bool append(const char *path, const char *line, orr_diag *diag)
{
    FILE *out = fopen(path, "a");
    bool ok = out && fputs(line, out) >= 0;
    if (out) ok = fclose(out) == 0 && ok;
    if (!ok) usage_error(diag, "E010", NULL, "cannot write '%s': %s", path, strerror(errno));
    return ok;
}

// ---------------------------------------------------------------------------------------------- what came
// out

static void print_table(const orr_ledger *ledger, const Rivals *rivals)
{
    const size_t n = orr_ledger_count(ledger), columns = 3 + rivals->n;
    const char **cells = calloc((n + 1) * columns, sizeof *cells);
    char(*texts)[40] = calloc(n * (1 + rivals->n) + 1, sizeof *texts), (*next)[40] = texts;
    char **inputs = calloc(n + 1, sizeof *inputs);
    if (!cells || !texts || !inputs) no_memory();
    cells[1] = "inputs";
    cells[2] = "observed";
    for (size_t m = 0; m < rivals->n; m++) cells[3 + m] = orr_machine_name(rivals->items[m]);
    for (size_t k = 0; k < n; k++) {
        const char **row = &cells[(k + 1) * columns], *from, *tried, *outputs;
        size_t first;
        orr_ledger_get(ledger, k, &from, &tried, &outputs, &first);
        snprintf(*next, sizeof *next, "%zu", k + 1);
        row[0] = *next++;
        size_t length = 0;
        FILE *out = open_memstream(&inputs[k], &length);
        if (!out) no_memory();
        fprintf(out, "%s%s%s%s", from ? "from " : "", from ? from : "", from ? ": " : "", tried);
        if (first != k) fprintf(out, " (as %zu)", first + 1);
        memory_close(out, &inputs[k]);
        row[1] = inputs[k];
        row[2] = outputs;
        for (size_t m = 0; m < rivals->n; m++) {
            const orr_validation *v = &rivals->verdicts[m];
            const uint32_t agreeing = v->agreeing[k];
            if (agreeing == 0) snprintf(*next, sizeof *next, "no state agrees");
            else snprintf(*next, sizeof *next, "%u state%s", agreeing, agreeing == 1 ? " agrees" : "s agree");
            row[3 + m] = *next++;
        }
    }
    machine_print_grid(stdout, cells, n + 1, columns);
    for (size_t k = 0; k < n; k++) free(inputs[k]);
    free(inputs);
    free(cells);
    free(texts);
}

static void print_repairs(const orr_ledger *ledger, const orr_machine *m)
{
    size_t n;
    bool too_large;
    orr_repair *repairs = orr_ledger_repairs(ledger, m, &n, &too_large);
    if (too_large) printf("  the machine is too large to try all repairs\n");
    else if (n == 0) printf("  no change of one entry of its tables repairs it\n");
    else printf("  %zu change%s of one entry repair%s it:\n", n, n == 1 ? "" : "s", n == 1 ? "s" : "");
    for (size_t i = 0; i < n; i++) {
        const orr_machine_set set = repairs[i].is_output ? ORR_MACHINE_OUTPUTS : ORR_MACHINE_STATES;
        printf("    %s", orr_machine_text(m, ORR_MACHINE_STATES, repairs[i].state));
        if (repairs[i].input != ORR_MACHINE_NONE)
            printf(" on %s", orr_machine_text(m, ORR_MACHINE_INPUTS, repairs[i].input));
        printf("%s %s instead of %s\n", repairs[i].is_output ? " /" : " ->",
               orr_machine_text(m, set, repairs[i].now), orr_machine_text(m, set, repairs[i].old));
    }
    free(repairs);
}

static void print_people(const Settings *s, const orr_ledger *ledger, const Rivals *rivals)
{
    print_table(ledger, rivals);
    printf("\n");
    for (size_t i = 0; i < rivals->n; i++) {
        const orr_validation *v = &rivals->verdicts[i];
        printf("%s: ", orr_machine_name(rivals->items[i]));
        if (v->falsified_by)
            printf("falsified by experiment %zu; confidence was %zu\n", v->falsified_by, v->rating);
        else printf("valid so far; confidence %zu\n", v->rating);
        if (v->falsified_by && s->repair) print_repairs(ledger, rivals->items[i]);
    }
}

static void print_json(const orr_ledger *ledger, const Rivals *rivals)
{
    printf("{\n  \"experiments\": %zu,\n  \"models\": [", orr_ledger_count(ledger));
    for (size_t i = 0; i < rivals->n; i++) {
        const orr_validation *v = &rivals->verdicts[i];
        printf("%s\n    {\"machine\": ", i ? "," : "");
        json_text(stdout, orr_machine_name(rivals->items[i]));
        printf(", \"valid\": %s, \"confidence\": %zu, \"falsified_by\": ", v->falsified_by ? "false" : "true",
               v->rating);
        if (v->falsified_by) printf("%zu", v->falsified_by);
        else printf("null");
        printf(", \"agreeing\": [");
        for (size_t k = 0; k < orr_ledger_count(ledger); k++) printf("%s%u", k ? ", " : "", v->agreeing[k]);
        printf("]}");
    }
    printf("\n  ]\n}\n");
}

// ---------------------------------------------------------------------------------------------- the command

static int judge(const Settings *s, const orr_ledger *ledger, Rivals *rivals, orr_diag *diag)
{
    bool ok = true;
    rivals->verdicts = calloc(rivals->n, sizeof *rivals->verdicts);
    if (!rivals->verdicts) no_memory();
    for (size_t i = 0; i < rivals->n; i++)
        ok &= orr_ledger_validate(ledger, rivals->items[i], (const orr_machine *const *)rivals->items,
                                  rivals->n, &rivals->verdicts[i], diag);
    if (!ok) return ORR_STATUS_MODEL_ERROR;
    if (s->json) print_json(ledger, rivals);
    else print_people(s, ledger, rivals);
    for (size_t i = 0; i < rivals->n; i++)
        if (!rivals->verdicts[i].falsified_by) return ORR_STATUS_OK;
    return ORR_STATUS_NOT_VALIDATED;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    if (!s->ledger) {
        usage_error(diag, "E023", "the experiments stand in a file: --ledger baby.ledger",
                    "--ledger is missing");
        return ORR_STATUS_USAGE;
    }
    if (s->attempt && !s->observed) {
        usage_error(diag, "E023", "say what was seen: --observed cries,quiet", "--observed is missing");
        return ORR_STATUS_USAGE;
    }
    Rivals rivals = { 0 };
    char *text = NULL, *line = NULL;
    orr_ledger *ledger = NULL;
    int status = ORR_STATUS_MODEL_ERROR;
    if (open_rivals(arguments, s->machine, &rivals, diag)) text = ledger_text(s, &rivals, &line, diag);
    if (text) ledger = orr_ledger_parse(s->ledger, text, strlen(text), diag);
    if (ledger) status = judge(s, ledger, &rivals, diag);
    // only an experiment that makes sense is entered
    const bool judged = status == ORR_STATUS_OK || status == ORR_STATUS_NOT_VALIDATED;
    if (judged && line && !append(s->ledger, line, diag)) status = ORR_STATUS_SYSTEM;
    orr_ledger_destroy(ledger);
    close_rivals(&rivals);
    free(text);
    free(line);
    return status;
}

const Command machine_validate = {
    .name = "machine validate",
    .arguments = "FILE…",
    .summary = "Models against a ledger of experiments: confidence or falsified",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 1000,
    .settings_size = sizeof(Settings),
    .run = run,
    .details =
        "The ledger has a line for each experiment: the inputs tried, a "
        "colon, the outputs observed, from before the\n"
        "first input to behind the last. An experiment agrees with a model "
        "if one of its states shows these outputs;\n"
        "each that does raises the confidence by one, the first that "
        "does not falsifies the model. All machines of\n"
        "all files are rivals. Exits with 4 if none is left.\n\n"
        "Examples:\n"
        "  orrery machine validate examples/finger_game.orr --ledger examples/finger_game.ledger --repair\n"
        "  orrery machine validate examples/baby.orr --ledger "
        "baby.ledger --try toy,food --observed cries,cries,quiet\n",
};

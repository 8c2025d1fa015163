// apps/cli/machine_show.c: `orrery machine show`: a machine as tables, CSV, DOT, a drawing, text of the
// language or JSON.
#include "machine.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    const char *as, *output, *machine;
    bool json;
} Settings;

static const Option options[] = {
    { "--as", OPTION_TEXT, "FORM", "table (default), csv, dot, svg, orr or json", offsetof(Settings, as) },
    { "-o", OPTION_TEXT, "FILE", "write to this file; its suffix tells the form",
      offsetof(Settings, output) },
    MACHINE_OPTION,
    { "--json", OPTION_FLAG, NULL, "the same as --as json", offsetof(Settings, json) },
};

enum { FORM_SVG = 100 };

static const struct {
    const char *name;
    int form;
} forms[] = {
    { "table", ORR_MACHINE_TEXT }, { "txt", ORR_MACHINE_TEXT }, { "csv", ORR_MACHINE_CSV },
    { "dot", ORR_MACHINE_DOT },    { "gv", ORR_MACHINE_DOT },   { "orr", ORR_MACHINE_ORR },
    { "json", ORR_MACHINE_JSON },  { "svg", FORM_SVG },
};

// -1 after a message
static int form_of(const Settings *s, orr_diag *diag)
{
    const char *suffix = s->output ? strrchr(s->output, '.') : NULL;
    const char *name = s->as                            ? s->as
                       : s->json                        ? "json"
                       : suffix && !strchr(suffix, '/') ? suffix + 1
                                                        : "table";
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0) return forms[i].form;
    usage_error(diag, "E022", "a machine is written as table, csv, dot, svg, orr or json",
                s->as ? "option '--as' needs a form, not '%s'"
                      : "what to write to a file that ends in '.%s' is not known",
                name);
    return -1;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    const int form = form_of(s, diag);
    if (form < 0) return ORR_STATUS_USAGE;
    orr_machine *machine = machine_get(arguments->items[0], s->machine, diag);
    if (!machine) return ORR_STATUS_MODEL_ERROR;
    int status = ORR_STATUS_OK;
    if (form == FORM_SVG) {
        if (!orr_machine_draw(machine, s->output ? s->output : "-", diag)) status = ORR_STATUS_SYSTEM;
    } else {
        char *text = orr_machine_write(machine, (orr_machine_form)form);
        const bool to_file = s->output && strcmp(s->output, "-") != 0;
        FILE *out = to_file ? fopen(s->output, "w") : stdout;
        bool ok = out != NULL && fputs(text, out) >= 0;
        if (to_file && out) ok = fclose(out) == 0 && ok;
        if (!ok) {
            usage_error(diag, "E010", NULL, "cannot write '%s': %s", s->output ? s->output : "-",
                        strerror(errno));
            status = ORR_STATUS_SYSTEM;
        }
        free(text);
    }
    orr_machine_destroy(machine);
    return status;
}

const Command machine_show = {
    .name = "machine show",
    .arguments = "FILE",
    .summary = "Write a machine as table, CSV, DOT, drawing or model text",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .at_most = 1,
    .settings_size = sizeof(Settings),
    .run = run,
    .details = "FILE is a model file (.orr), a transition table (.csv, .tsv) "
               "or a graph (.dot, .gv), so this also converts\n"
               "between them. Drawings are made by Graphviz' dot.\n\n"
               "Examples:\n"
               "  orrery machine show examples/baby.orr\n"
               "  orrery machine show examples/baby.orr -o baby.svg\n"
               "  orrery machine show learned.dot --as orr\n",
};

// apps/cli/machine_ask.c: what the questions of `orrery machine` share.
#include "machine_ask.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_machine(Machines *machines, orr_machine *machine)
{
    if (!machine) return;
    machines->items = realloc(machines->items, (machines->n + 1) * sizeof *machines->items);
    if (!machines->items) no_memory();
    machines->items[machines->n++] = machine;
}

// All machines of a model file.
static bool open_all(Machines *machines, const char *path, orr_diag *diag)
{
    orr_source *source = orr_source_open(path, diag);
    if (!source) return false;
    const size_t n = orr_source_n_machines(source), n_before = machines->n;
    for (size_t i = 0; i < n; i++)
        add_machine(machines, orr_machine_build(source, orr_source_machine_name(source, i), diag));
    if (n == 0)
        usage_error(diag, "E813", "a machine begins with 'machine NAME'", "'%s' contains no machine", path);
    orr_source_destroy(source);
    return n > 0 && machines->n == n_before + n;
}

bool machines_open(Machines *machines, const List *files, const List *names, orr_diag *diag)
{
    *machines = (Machines){ 0 };
    bool ok = true;
    for (size_t i = 0; i < files->n; i++) {
        if (!orr_machine_is_file(files->items[i]) && names->n == 0) {
            ok &= open_all(machines, files->items[i], diag);
            continue;
        }
        // of one file all that are named, of several files one each
        const bool one_each = files->n > 1 && names->n == files->n;
        const size_t first = one_each ? i : 0, end = names->n == 0 ? 1 : one_each ? i + 1 : names->n;
        for (size_t k = first; k < end; k++) {
            orr_machine *machine = orr_machine_open(files->items[i], names->n ? names->items[k] : NULL, diag);
            add_machine(machines, machine);
            ok &= machine != NULL;
        }
    }
    return ok;
}

void machines_close(Machines *machines)
{
    for (size_t i = 0; i < machines->n; i++) orr_machine_destroy(machines->items[i]);
    free(machines->items);
    *machines = (Machines){ 0 };
}

bool machine_save(const orr_machine *machine, const char *path, orr_diag *diag)
{
    static const struct {
        const char *suffix;
        int form;
    } forms[] = {
        { ".csv", ORR_MACHINE_CSV }, { ".dot", ORR_MACHINE_DOT },   { ".gv", ORR_MACHINE_DOT },
        { ".orr", ORR_MACHINE_ORR }, { ".json", ORR_MACHINE_JSON }, { ".txt", ORR_MACHINE_TEXT },
    };
    const char *suffix = strrchr(path, '.');
    if (suffix && strcmp(suffix, ".svg") == 0) return orr_machine_draw(machine, path, diag);
    int form = strcmp(path, "-") == 0 ? ORR_MACHINE_ORR : -1;
    for (size_t i = 0; suffix && i < sizeof forms / sizeof *forms; i++)
        if (strcmp(suffix, forms[i].suffix) == 0) form = forms[i].form;
    if (form < 0) {
        usage_error(diag, "E022",
                    "a machine is written to a file that ends in .orr, .csv, .dot, .svg, .json or .txt",
                    "option '-o' needs a file of a known form, not '%s'", path);
        return false;
    }
    char *text = orr_machine_write(machine, (orr_machine_form)form);
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    bool ok = out && fputs(text, out) >= 0;
    if (out && out != stdout) ok = fclose(out) == 0 && ok;
    if (!ok)
        usage_error(diag, "E010", "does the folder exist, and is there room?", "cannot write '%s': %s", path,
                    strerror(errno));
    free(text);
    return ok;
}

char *machine_some(const orr_machine *machine, orr_machine_set set, const uint32_t *ids, size_t n,
                   size_t most)
{
    char *list = machine_list(machine, set, ids, n > most ? most : n), *text = NULL;
    if (n <= most) return list;
    if (asprintf(&text, "%s and %zu more", list, n - most) < 0) no_memory();
    free(list);
    return text;
}

const char *ratio_text(double value, char *text)
{
    char number[40];
    snprintf(number, sizeof number, "%.10g", value);
    for (int q = 2; q <= 200; q++) {
        const double p = round(value * q);
        if (fabs(value) > 1e6 || fabs(value - p / q) > 1e-11 * (1 + fabs(value))) continue;
        if (fabs(value - round(value)) < 1e-11) break;
        snprintf(text, 80, "%.0f/%d = %s", p, q, number);
        return text;
    }
    snprintf(text, 80, "%s", number);
    return text;
}

char *word_text(const orr_machine *machine, orr_word word)
{
    if (word.n > 0) return machine_list(machine, ORR_MACHINE_INPUTS, word.inputs, word.n);
    char *text = strdup("nothing");
    if (!text) no_memory();
    return text;
}

const char *count_text(size_t n, const char *noun, char *text)
{
    snprintf(text, 80, "%zu %s%s", n, noun, n == 1 ? "" : "s");
    return text;
}

void json_number(FILE *out, double value)
{
    char text[40];
    orr_format_number(value, text);
    fputs(isfinite(value) ? text : "null", out);
}

// apps/cli/options.c: reading the command line by tables.
#include "commands.h"
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void list_add(List *list, const char *item)
{
    const char **grown = realloc(list->items, (list->n + 1) * sizeof *grown);
    if (!grown) no_memory();
    list->items = grown;
    list->items[list->n++] = item;
}

void list_free(List *list)
{
    free(list->items);
    *list = (List){ 0 };
}

void usage_error(orr_diag *diag, const char *code, const char *hint, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    orr_diag_add(diag, code, text, hint);
}

// ---------------------------------------------------------------------------------------------- the table

// Options that are not words of experiments and that several commands have.
static const Option shared[] = {
    { "--model", OPTION_TEXT, "NAME", "take this model, without an experiment", offsetof(Shared, model) },
    { "--native", OPTION_LIST, "FILE.so",
      "load C code for native atomics, which must be trusted; may be repeated", offsetof(Shared, natives) },
    { "--loops", OPTION_TEXT, "solve|halt", "halt: algebraic loops are errors", offsetof(Shared, loops) },
    { "--code", OPTION_TEXT, "TIER", "instant, native, or auto (default): instant, and native in long runs",
      offsetof(Shared, code) },
    { "-o", OPTION_TEXT, "FILE", "write results as CSV, or as NetCDF-4 (.nc); - is standard output",
      offsetof(Shared, output) },
    { "--units", OPTION_FLAG, NULL, "write units into the header of CSV: x [m]",
      offsetof(Shared, units) },
    { "--provenance", OPTION_FLAG, NULL,
      "write where results come from beside them: FILE.json, with model, settings, seed and versions",
      offsetof(Shared, provenance) },
    { "--keep", OPTION_FLAG, NULL,
      "keep the run with all it needs in the store of the model, NAME.runs; see 'orrery runs'",
      offsetof(Shared, keep) },
    { "--continue", OPTION_FLAG, NULL, "keep it, and go on with the members of a study that was stopped",
      offsetof(Shared, goes_on) },
    { "--store", OPTION_TEXT, "FILE", "keep it there; a name.runs, or the model it belongs to",
      offsetof(Shared, store) },
    { "--tag", OPTION_TEXT, "TEXT", "a word by which the kept run is found", offsetof(Shared, tag) },
    { "--plot", OPTION_LIST, "FILE|WHAT",
      "draw to .svg, .png or .pdf; or what: 'x, v over t', 'histogram of a.times'", offsetof(Shared, plot) },
    { "--no-sandbox", OPTION_FLAG, NULL,
      "do not confine the model: code of --native may start programs and write files",
      offsetof(Shared, no_sandbox) },
    { "--stats", OPTION_FLAG, NULL, "print counts and times to standard error", offsetof(Shared, stats) },
    { "--quiet", OPTION_FLAG, NULL, "print no table, plot or summary", offsetof(Shared, quiet) },
};
enum { N_SHARED = sizeof shared / sizeof *shared, OF_WORD = -1 };

// Of every command, unless a word of its experiment says it more exactly.
static const Option limits[] = {
    { "--max-time", OPTION_LIMIT, "S", "end after so many seconds on the clock", 0 },
    { "--max-memory", OPTION_LIMIT, "MB",
      "take no more memory than this (default: nine tenths of the machine's)", 0 },
};
enum { N_LIMITS = sizeof limits / sizeof *limits };

// Is it one of "--model --native"?
static bool is_listed(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = list; p && (p = strstr(p, name)); p += n)
        if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0')) return true;
    return false;
}

static Option option_of(const orr_keyword *word, char name[OPTION_NAME_MAX])
{
    static const OptionKind kinds[] = {
        [ORR_WORD_FLAG] = OPTION_FLAG, [ORR_WORD_NUMBER] = OPTION_TEXT, [ORR_WORD_COUNT] = OPTION_TEXT,
        [ORR_WORD_TEXT] = OPTION_TEXT, [ORR_WORD_NAMES] = OPTION_TEXT,  [ORR_WORD_LIST] = OPTION_TEXT,
        [ORR_WORD_FACTOR] = OPTION_FACTOR,
    };
    snprintf(name, OPTION_NAME_MAX, "--%s", word->name);
    return (Option){ name, kinds[word->type], word->argument, word->help, (size_t)OF_WORD };
}

static bool has_word(const Command *command, const char *name)
{
    const orr_keyword *word;
    for (size_t k = 0; command->kind && (word = orr_kind_word_at(command->kind, k)); k++)
        if (strcmp(word->name, name) == 0) return !command->words || is_listed(command->words, name);
    return false;
}

bool option_at(const Command *command, size_t i, Option *option, char name[OPTION_NAME_MAX])
{
    if (i < command->n_options) return *option = command->options[i], true;
    i -= command->n_options;
    const orr_keyword *word;
    for (size_t k = 0; command->kind && (word = orr_kind_word_at(command->kind, k)); k++)
        if ((!command->words || is_listed(command->words, word->name)) && i-- == 0)
            return *option = option_of(word, name), true;
    for (size_t k = 0; k < N_SHARED; k++) {
        if (!is_listed(command->shares, shared[k].name) || i-- > 0) continue;
        *option = shared[k];
        if (command->kind && command->kind->output && !command->words && strcmp(option->name, "-o") == 0) {
            option->value = command->kind->output;
            option->help = command->kind->output_help;
        }
        return true;
    }
    for (size_t k = 0; k < N_LIMITS && !command->parts; k++)
        if (!has_word(command, limits[k].name + 2) && i-- == 0) return *option = limits[k], true;
    return false;
}

static bool find_option(const Command *command, const char *text, size_t length, Option *option,
                        char name[OPTION_NAME_MAX])
{
    for (size_t i = 0; option_at(command, i, option, name); i++)
        if (strlen(option->name) == length && strncmp(option->name, text, length) == 0) return true;
    const orr_kind_info *kind;
    const orr_keyword *word;
    for (size_t i = 0; command->takes_all && (kind = orr_kind_at(i)); i++)
        for (size_t k = 0; (word = orr_kind_word_at(kind, k)); k++) {
            *option = option_of(word, name);
            if (strlen(name) == length && strncmp(name, text, length) == 0) return true;
        }
    return false;
}

// ---------------------------------------------------------------------------------------------- reading

static void report_unknown(const Command *command, const char *argument, size_t length, orr_diag *diag)
{
    enum { MOST = 100 };
    char texts[MOST][OPTION_NAME_MAX];
    const char *names[MOST];
    Option option;
    size_t n = 0;
    for (; n < MOST && option_at(command, n, &option, texts[n]); n++) names[n] = option.name;
    char typed[128], hint[256];
    snprintf(typed, sizeof typed, "%.*s", (int)(length < 100 ? length : 100), argument);
    const char *closest = orr_closest(typed, names, n);
    if (closest) snprintf(hint, sizeof hint, "did you mean '%s'?", closest);
    else snprintf(hint, sizeof hint, "see 'orrery %s --help'", command->name);
    usage_error(diag, "E021", hint, "there is no option '%s'", typed);
}

static bool store(const Option *option, const char *value, void *settings, orr_diag *diag)
{
    if (option->offset == (size_t)OF_WORD) {
        Shared *all = settings;
        orr_given *grown = realloc(all->given, (all->n_given + 1) * sizeof *grown);
        char *word = strdup(option->name + 2);
        if (!grown || !word) no_memory();
        all->given = grown;
        all->given[all->n_given++] = (orr_given){ .word = word, .text = value };
        return true;
    }
    char *field = (char *)settings + option->offset;
    switch (option->kind) {
    case OPTION_FLAG: *(bool *)(void *)field = true; return true;
    case OPTION_TEXT: *(const char **)(void *)field = value; return true;
    case OPTION_LIST: list_add((List *)(void *)field, value); return true;
    case OPTION_NUMBER: case OPTION_FACTOR: case OPTION_LIMIT: break;
    }
    double number;
    if (!orr_parse_number(value, &number) || !isfinite(number)) {
        usage_error(diag, "E022", "write a number such as 0.01 or 1e-6",
                    "option '%s' needs a number, not '%s'", option->name, value);
        return false;
    }
    if (option->kind == OPTION_LIMIT) return limits_request(option->name, number, diag);
    *(double *)(void *)field = number;
    return true;
}

bool options_parse(const Command *command, int argc, char **argv, void *settings, List *arguments,
                   orr_diag *diag)
{
    Option option;
    char name[OPTION_NAME_MAX];
    for (size_t i = 0; option_at(command, i, &option, name); i++)
        if (option.kind == OPTION_NUMBER) *(double *)(void *)((char *)settings + option.offset) = NAN;
    if (command->kind && !command->takes_all) ((Shared *)settings)->kind = command->kind;

    bool ok = true, only_arguments = false;
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i];
        if (only_arguments || argument[0] != '-' || argument[1] == '\0') {
            list_add(arguments, argument);
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            only_arguments = true;
            continue;
        }
        // --name=value or --name value
        const char *equals = strchr(argument, '=');
        const size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
        if (!find_option(command, argument, length, &option, name)) {
            report_unknown(command, argument, length, diag);
            ok = false;
            continue;
        }
        const char *value = equals ? equals + 1 : NULL;
        if (option.kind == OPTION_FLAG && value) {
            usage_error(diag, "E022", NULL, "option '%s' needs no value, not '%s'", option.name, value);
            ok = false;
            continue;
        }
        if (option.kind == OPTION_FACTOR && !value) {
            double number;
            value = i + 1 < argc && orr_parse_number(argv[i + 1], &number) ? argv[++i] : "1";
        }
        if (option.kind != OPTION_FLAG && !value) {
            if (i + 1 >= argc) {
                usage_error(diag, "E023", "give it behind the option", "the value of '%s' (%s) is missing",
                            option.name, option.value);
                return false;
            }
            value = argv[++i];
        }
        if (!store(&option, value, settings, diag)) ok = false;
    }
    char hint[256];
    snprintf(hint, sizeof hint, "usage: orrery %s %s [options]", command->name, command->arguments);
    if (arguments->n < command->at_least) {
        const int first = (int)strcspn(command->arguments, " ");
        usage_error(diag, "E023", hint, "%.*s is missing", first, command->arguments);
        ok = false;
    } else if (arguments->n > command->at_most) {
        usage_error(diag, "E024", hint, "too many arguments, from '%s' on",
                    arguments->items[command->at_most]);
        ok = false;
    }
    return ok;
}

void options_free(const Command *command, void *settings, List *arguments)
{
    Option option;
    char name[OPTION_NAME_MAX];
    for (size_t i = 0; option_at(command, i, &option, name); i++)
        if (option.kind == OPTION_LIST) list_free((List *)(void *)((char *)settings + option.offset));
    list_free(arguments);
    if (!command->kind) return;
    Shared *all = settings;
    for (size_t i = 0; i < all->n_given; i++) free((char *)all->given[i].word);
    free(all->given);
}

void options_help(const Command *command, FILE *out)
{
    Option o;
    char name[OPTION_NAME_MAX];
    const bool has_options = option_at(command, 0, &o, name);
    fprintf(out, "Usage: orrery %s %s%s\n\n%s.\n", command->name, command->arguments,
            has_options ? " [options]" : "", command->summary);
    if (has_options) fputs("\nOptions:\n", out);
    for (size_t i = 0; option_at(command, i, &o, name); i++) {
        char left[80];
        snprintf(left, sizeof left, "%s%s%s", o.name, o.value ? " " : "", o.value ? o.value : "");
        int wide = 22;    // characters; printf counts bytes
        for (const char *c = left; *c; c++)
            if (((unsigned char)*c & 0xC0) == 0x80) wide++;
        fprintf(out, "  %-*s %s\n", wide, left, o.help);
    }
    if (command->details) fprintf(out, "\n%s", command->details);
}

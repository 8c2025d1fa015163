// apps/cli/options.c: reading the command line by tables.
#include "options.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void list_add(List *list, const char *item)
{
    const char **grown = realloc(list->items, (list->n + 1) * sizeof *grown);
    if (!grown) abort();
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

static const Option *find_option(const Command *command, const char *name, size_t length)
{
    for (size_t i = 0; i < command->n_options; i++) {
        const char *known = command->options[i].name;
        if (strlen(known) == length && strncmp(known, name, length) == 0) return &command->options[i];
    }
    return NULL;
}

static void report_unknown(const Command *command, const char *argument, size_t length, orr_diag *diag)
{
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < command->n_options && n < 64; i++) names[n++] = command->options[i].name;
    char typed[128], hint[256];
    snprintf(typed, sizeof typed, "%.*s", (int)(length < 100 ? length : 100), argument);
    const char *closest = orr_closest(typed, names, n);
    if (closest) snprintf(hint, sizeof hint, "did you mean '%s'?", closest);
    else snprintf(hint, sizeof hint, "see 'orrery %s --help'", command->name);
    usage_error(diag, "E021", hint, "there is no option '%s'", typed);
}

static bool store(const Option *option, const char *value, void *settings, orr_diag *diag)
{
    char *field = (char *)settings + option->offset;
    switch (option->kind) {
    case OPTION_FLAG: *(bool *)(void *)field = true; return true;
    case OPTION_TEXT: *(const char **)(void *)field = value; return true;
    case OPTION_LIST: list_add((List *)(void *)field, value); return true;
    case OPTION_NUMBER: case OPTION_FACTOR: break;
    }
    double number;
    if (!orr_parse_number(value, &number) || !isfinite(number)) {
        usage_error(diag, "E022", "write a number such as 0.01 or 1e-6",
                    "option '%s' needs a number, not '%s'", option->name, value);
        return false;
    }
    *(double *)(void *)field = number;
    return true;
}

bool options_parse(const Command *command, int argc, char **argv, void *settings, List *arguments,
                   orr_diag *diag)
{
    for (size_t i = 0; i < command->n_options; i++)
        if (command->options[i].kind == OPTION_NUMBER)
            *(double *)(void *)((char *)settings + command->options[i].offset) = NAN;

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
        const Option *option = find_option(command, argument, length);
        if (!option) {
            report_unknown(command, argument, length, diag);
            ok = false;
            continue;
        }
        const char *value = equals ? equals + 1 : NULL;
        if (option->kind == OPTION_FLAG && value) {
            usage_error(diag, "E022", NULL, "option '%s' needs no value, not '%s'", option->name, value);
            ok = false;
            continue;
        }
        if (option->kind == OPTION_FACTOR && !value) {
            double number;
            value = i + 1 < argc && orr_parse_number(argv[i + 1], &number) ? argv[++i] : "1";
        }
        if (option->kind != OPTION_FLAG && !value) {
            if (i + 1 >= argc) {
                usage_error(diag, "E023", "give it behind the option", "the value of '%s' (%s) is missing",
                            option->name, option->value);
                return false;
            }
            value = argv[++i];
        }
        if (!store(option, value, settings, diag)) ok = false;
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
    for (size_t i = 0; i < command->n_options; i++)
        if (command->options[i].kind == OPTION_LIST)
            list_free((List *)(void *)((char *)settings + command->options[i].offset));
    list_free(arguments);
}

void options_help(const Command *command, FILE *out)
{
    fprintf(out, "Usage: orrery %s %s%s\n\n%s.\n", command->name, command->arguments,
            command->n_options ? " [options]" : "", command->summary);
    if (command->n_options) fputs("\nOptions:\n", out);
    for (size_t i = 0; i < command->n_options; i++) {
        const Option *o = &command->options[i];
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        int wide = 22;    // characters; printf counts bytes
        for (const char *c = left; *c; c++)
            if (((unsigned char)*c & 0xC0) == 0x80) wide++;
        fprintf(out, "  %-*s %s\n", wide, left, o->help);
    }
    if (command->details) fprintf(out, "\n%s", command->details);
}

// apps/cli/options.h: commands and their options as tables, from which parsing, --help and completion follow.
#pragma once
#include "orrery/orrery.h"

typedef enum OptionKind {
    OPTION_FLAG,      // bool
    OPTION_TEXT,      // const char *
    OPTION_NUMBER,    // double; NaN until given
    OPTION_LIST,      // List: may be given several times
    OPTION_FACTOR,    // double; 0 until given, 1 if given without a number
} OptionKind;

typedef struct List {
    const char **items;    // [n], heap
    size_t       n;
} List;

typedef struct Option {
    const char *name;      // "--step", or "-o"
    OptionKind  kind;
    const char *value;     // how the value is called in the help: "H"; NULL for a flag
    const char *help;
    size_t      offset;    // of the field in the command's own struct
} Option;

typedef struct Command {
    const char   *name;
    const char   *arguments;    // "FILE [EXPERIMENT]"
    const char   *summary;      // one line
    const char   *details;      // paragraphs and examples for `orrery NAME --help`
    const Option *options;      // [n_options]
    size_t        n_options;
    size_t        at_least, at_most;    // arguments
    size_t        settings_size;        // of the command's own struct
    int         (*run)(const void *settings, const List *arguments, orr_diag *diag);
    const struct Command *const *parts; // NULL-terminated subcommands, called "NAME PART"; NULL: none
} Command;

// Fill `settings` and `arguments` from argv[0..argc). False after a message; --help is the caller's business.
bool options_parse(const Command *command, int argc, char **argv, void *settings, List *arguments,
                   orr_diag *diag);
void options_free(const Command *command, void *settings, List *arguments);
void options_help(const Command *command, FILE *out);

// A usage message with a code that `orrery explain` knows.
void usage_error(orr_diag *diag, const char *code, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void list_add(List *list, const char *item);
void list_free(List *list);    // the list, not the items

extern const Command *const commands[];    // in the order of the help; NULL-terminated; main.c

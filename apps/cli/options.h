// apps/cli/options.h: commands and their options as tables, from which parsing, --help and completion follow.
//
// A command has options of its own, options of the program that several commands share (options.c), and words
// of experiments (orrery/kind.h). Which of the latter two it has it lists by name. Every command has limits.
#pragma once
#include "orrery/orrery.h"
#include <stdio.h>

typedef enum OptionKind {
    OPTION_FLAG,      // bool
    OPTION_TEXT,      // const char *
    OPTION_NUMBER,    // double; NaN until given
    OPTION_LIST,      // List: may be given several times
    OPTION_FACTOR,    // its value may be left out; words only
    OPTION_LIMIT,     // of the whole call, see limits.c
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

// What options shared by commands give; the first field of the own struct of a command that has some.
typedef struct Shared {
    const orr_kind_info *kind;           // as which the experiment is taken; NULL: as what it is
    orr_given  *given;              // [n_given], heap: words
    size_t      n_given;
    List        natives, plot;      // files of --native; --plot
    const char *model, *loops, *code, *output, *store, *tag;    // NULL: not given
    bool        stats, quiet, no_sandbox, units, provenance, keep, goes_on;
} Shared;

typedef struct Command {
    const char   *name;
    const char   *arguments;    // "FILE [EXPERIMENT]"
    const char   *summary;      // one line
    const char   *details;      // paragraphs and examples for `orrery NAME --help`
    const Option *options;      // [n_options]
    size_t        n_options;
    const char   *shares;       // options of the program: "--model --native"; NULL: none
    const char   *words;        // words of simulations: "set until"; NULL: all of `kind`, if there is one
    const orr_kind_info *kind;       // whose words these are; filled in when the command is called
    bool          takes_all;    // carries out whatever kind the experiment is: knows the words of all
    size_t        at_least, at_most;    // arguments
    bool          changes_files;        // those it is given: never suggested for a word that does not exist
    bool          prints_data;          // models or programs, byte for byte where nobody looks at them
    size_t        settings_size;        // of the command's own struct
    int         (*run)(const void *settings, const List *arguments, orr_diag *diag);
    const struct Command *const *parts; // NULL-terminated subcommands, called "NAME PART"; NULL: none
} Command;

// The i-th option of a command; false behind the last. `name` has room for the name of a word.
enum { OPTION_NAME_MAX = 40 };
bool option_at(const Command *command, size_t i, Option *option, char name[OPTION_NAME_MAX]);

// Fill `settings` and `arguments` from argv[0..argc). False after a message; --help is the caller's business.
bool options_parse(const Command *command, int argc, char **argv, void *settings, List *arguments,
                   orr_diag *diag);
void options_free(const Command *command, void *settings, List *arguments);
void options_help(const Command *command, FILE *out);

// A usage message with a code that `orrery explain` knows.
void usage_error(orr_diag *diag, const char *code, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

_Noreturn void no_memory(void);    // says so and ends the program, see limits.c
// Close what open_memstream opened: its text is there.
static inline void memory_close(FILE *out, char *const *text)
{
    if (fclose(out) != 0 || !*text) no_memory();
}

void list_add(List *list, const char *item);
void list_free(List *list);    // the list, not the items

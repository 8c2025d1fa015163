// apps/cli/machine.h: what the parts of `orrery machine` share; each part stands in machine_<name>.c.
#pragma once
#include "options.h"

// Options that several parts have; each has a Settings with these fields.
#define MACHINE_OPTION \
    { "--machine", OPTION_TEXT, "NAME", "which one, if the file has several", offsetof(Settings, machine) }
#define JSON_OPTION { "--json", OPTION_FLAG, NULL, "for programs", offsetof(Settings, json) }

extern const Command machine_show, machine_behave, machine_predict, machine_validate;

// `orrery run` and `orrery check` of machines: machine_run.c.
typedef struct MachineRun {
    const char *inputs, *from, *output;    // NULL: ask for inputs; the start; no file
    double      seed;                      // NaN: 1
    bool        quiet;
} MachineRun;
int  machine_run(orr_machine *machine, const MachineRun *options, orr_diag *diag);
int  machine_check_file(const char *path, orr_diag *diag);
bool machine_check_all(const orr_source *source, orr_diag *diag);

// One machine of a file by --machine, or the only one; NULL after messages.
orr_machine *machine_get(const char *path, const char *name, orr_diag *diag);

// A state by name; false after a message. name NULL: the machine's start, or ORR_MACHINE_NONE if it has none.
bool machine_state(const orr_machine *machine, const char *name, uint32_t *state, orr_diag *diag);

// What --inputs or --outputs says: a sequence, @FILE for one in a file, - for standard input. False after
// a message; free().
bool machine_sequence(const orr_machine *machine, orr_machine_set set, const char *text,
                      uint32_t **sequence, size_t *n, orr_diag *diag);

// The behaviour table, input, state and output sequence below each other, in pieces as wide as the terminal.
// states[n+1]; outputs[orr_machine_n_outputs]; n_shown of the states, o_shown of the outputs are filled in.
void machine_print_behaviour(FILE *out, const orr_machine *machine, const uint32_t *inputs, size_t n,
                             const uint32_t *states, size_t n_shown, const uint32_t *outputs, size_t o_shown);

// A table of texts in columns as wide as needed; cells[n_rows*n_columns], row by row. NULL cells are empty.
void machine_print_grid(FILE *out, const char *const *cells, size_t n_rows, size_t n_columns);

// "a, b, c" on the heap
char *machine_list(const orr_machine *machine, orr_machine_set set, const uint32_t *ids, size_t n);

// JSON
void json_text(FILE *out, const char *text);    // "…"
void json_list(FILE *out, const orr_machine *machine, orr_machine_set set, const uint32_t *ids, size_t n);

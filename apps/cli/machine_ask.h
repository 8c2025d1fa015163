// apps/cli/machine_ask.h: what the questions of `orrery machine` share.
#pragma once
#include "machine.h"

extern const Command machine_minimise, machine_compare, machine_reach, machine_next, machine_policy,
    machine_learn;

// Machines of several files: of each file the ones named, or all of them.
typedef struct Machines {
    orr_machine **items;    // [n] owned
    size_t        n;
} Machines;

// False after messages; every file is looked at. Close in either case.
bool machines_open(Machines *machines, const List *files, const List *names, orr_diag *diag);
void machines_close(Machines *machines);

// Write a machine to a file whose suffix tells the form; false after a message.
bool machine_save(const orr_machine *machine, const char *path, orr_diag *diag);

// "a, b, c and 12 more", at most `most` names; on the heap.
char *machine_some(const orr_machine *machine, orr_machine_set set, const uint32_t *ids, size_t n,
                   size_t most);
// A number as people write it: 2/5 = 0.4 if it is a ratio of small whole numbers; `text` has room for 80.
const char *ratio_text(double value, char *text);
// A word, as it would be typed behind --inputs; "nothing" if it is empty. On the heap.
char *word_text(const orr_machine *machine, orr_word word);
// Of a count and a noun: "1 state", "3 states"; `text` has room for 80.
const char *count_text(size_t n, const char *noun, char *text);
void json_number(FILE *out, double value);

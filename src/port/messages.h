// src/port/messages.h: messages from the rows of a table: a time, and a number for each field.
#pragma once
#include "base/csv.h"
#include "port/port.h"

typedef struct MessageField {
    const char *name;        // of the column
    double      scale, offset;    // value = scale·number + offset; 1 and 0 unless whoever opened it says
                                  // otherwise
    const char *unit;        // of the header, `size [kg]`; NULL if none
    size_t      column;
} MessageField;

typedef struct MessageFile {
    CsvIn         csv;
    Arena        *arena;     // borrowed, as is diag
    orr_diag     *diag;
    MessageField  time;
    MessageField *fields;    // [n]
    size_t        n;
    double       *row;       // [n_columns]
    double        t;         // of the next message; INFINITY: none is left
    double       *values;    // [n] of the next message
    bool          has_begun, is_open;
} MessageFile;

// Find the columns: that of the time is the first one unless address->time names it, those of fields have the
// names in `names`; of two columns the other one will do if `or_other`. False, reported, if one is missing.
// Before the first row: messages_next goes there.
bool messages_open(MessageFile *file, const PortAddress *address, const char *const *names, size_t n,
                   bool or_other, Arena *arena, orr_diag *diag);
// Go to the next row; false, reported with its line and column, if it is not a message. Times never go back.
bool messages_next(MessageFile *file);
bool messages_rewind(MessageFile *file);    // before the first row
void messages_close(MessageFile *file);

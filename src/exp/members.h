// src/exp/members.h: what kinds with many members share: each member is counted, its failures are reported
// with its settings, and its rows go to the file.
#pragma once
#include "exp/kind.h"

typedef struct Members {
    Call         *call;
    RowFile       file;
    const char *const *names;     // [n_names] what differs
    const double *values;         // [n][n_names]
    size_t        n_names, n;
    const char *const *observed;  // [n_observed] columns for what each one is measured by; NULL: none
    size_t        n_observed;
    size_t        n_columns;      // of rows, since members_begin
    size_t        n_done, n_failed, n_violated;
} Members;

// "K = 2, M = 0.5"
const char *members_label(const Members *m, size_t member);
// Columns of the file: `member`, what differs, what is observed, then these. False after a message.
bool members_begin(Members *m, const char *const *names, size_t n, const char *time_unit);
bool members_has_failed(const orr_member *member);
// A member with its number among all; false: its rows cannot be written.
bool members_take(Members *m, const orr_member *member, size_t number);
void members_progress(const Members *m);
// "3 failed", "rows in all.csv"
void members_say_rest(const Members *m);

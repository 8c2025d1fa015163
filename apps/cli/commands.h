// apps/cli/commands.h: every command; each stands in cmd_<name>.c.
#pragma once
#include "options.h"

extern const Command command_run, command_check, command_test, command_show, command_plot, command_new, command_fmt,
    command_export, command_solvers, command_blocks, command_explain;

// session.c: what several commands do first: open a file, choose an experiment, compile its model.
typedef struct Session {
    orr_source    *source;
    orr_model     *model;
    orr_experiment experiment;
} Session;

typedef struct SessionOptions {
    const char *path, *experiment, *model;    // experiment and model may be NULL
    const char *code;                         // "instant", "native" or NULL
    const char *loops;                        // "halt" or NULL
    const char *dump_stage;                   // NULL: none
} SessionOptions;

// ORR_STATUS_OK, or the reason why not, with messages. Close in either case.
orr_status session_open(Session *session, const SessionOptions *options, orr_diag *diag);
void       session_close(Session *session);
// After something could not be written: did the machine refuse, or was the model wrong? By the last message.
orr_status failure_status(const orr_diag *diag);

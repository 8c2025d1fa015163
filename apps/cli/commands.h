// apps/cli/commands.h: what commands share. Each command stands in cmd_<name>.c and in the list of main.c.
#pragma once
#include "options.h"

// session.c: what several commands do first: open a file, choose an experiment, compile its model.
typedef struct Session {
    orr_source    *source;
    orr_model     *model;
    orr_experiment experiment;    // as the command line changes it
} Session;

#define OPENING "--model --native --loops --no-sandbox"    // options of commands that open a model

typedef struct SessionOptions {
    const Shared *shared;
    const List   *arguments;                  // FILE [EXPERIMENT]
    const char   *dump_stage;                 // NULL: none
    size_t        arrays_from;                // see orr_compile_options; 0: as the kind says
    bool          takes_machines;             // a file with machines only is fine: then there is no model
} SessionOptions;

// ORR_STATUS_OK, or the reason why not, with messages. Close in either case.
orr_status session_open(Session *session, const SessionOptions *options, orr_diag *diag);
void       session_close(Session *session);
// After something could not be written: did the machine refuse, or was the model wrong? By the last message.
orr_status failure_status(const orr_diag *diag);

// store.c: which store of runs is meant by a path, of a store or of a model; freed with free(). NULL given:
// that of `model`; NULL both: the only one in this folder, else NULL after a message.
char *store_path(const char *given, const char *model, orr_diag *diag);
// As `orrery run --keep` is called: what the store needs to call it again. Borrows.
orr_keep_request store_request(const Shared *shared, const List *arguments);

// limits.c: what one call of the program may take, and how it is ended.
void limits_memory_default(void);
// --max-memory or --max-time was given; false after a message.
bool limits_request(const char *option, double value, orr_diag *diag);
// Begin to hold them, and a word max-time of the experiment; `shared` NULL: there is none. When time is up
// what runs is cancelled, and if that does not help, as while compiling, the program is ended.
void limits_apply(const Shared *shared);
void limits_rescue(const orr_sink *sink);    // ended properly when memory ends; NULL: none
// Becomes 1 when the user presses Ctrl-C, or time is up; from the first call on. A second Ctrl-C kills.
const volatile int *limits_cancel(void);
// What a call that was cancelled ends with: ORR_STATUS_FAILED, with a message, if its time was up.
orr_status limits_judge(orr_status status, orr_diag *diag);

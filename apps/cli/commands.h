// apps/cli/commands.h: every command; each stands in cmd_<name>.c.
#pragma once
#include "options.h"

extern const Command command_run, command_step, command_check, command_test, command_show, command_plot,
    command_new, command_fmt, command_export, command_steady, command_linearise, command_continue,
    command_compare, command_machine, command_ensemble, command_replicate, command_solvers, command_blocks,
    command_explain;

// session.c: what several commands do first: open a file, choose an experiment, compile its model.
typedef struct Session {
    orr_source    *source;
    orr_model     *model;
    orr_experiment experiment;
    orr_input     *inputs;                    // heap; those of the command line, then the experiment's
    List           texts;                     // heap; what they borrow
} Session;

// What every command says that opens a model, as `opening` in its settings; its table of options has
// OPENING_OPTIONS(Settings).
typedef struct Opening {
    List        set;                          // NAME=VALUE, for sizes and bounds too
    List        natives;                      // files of --native
    const char *model;                        // NULL: that of the experiment
    const char *loops;                        // "halt", "solve" or NULL
    const char *code;                         // "auto", "instant", "native" or NULL; of CODE_OPTION
} Opening;
#define NATIVE_OPTION(Settings)                                                                              \
    { "--native", OPTION_LIST, "FILE.so",                                                                    \
      "load C code for native atomics, which must be trusted; may be repeated",                              \
      offsetof(Settings, opening.natives) }
#define OPENING_OPTIONS(Settings)                                                                            \
    { "--set", OPTION_LIST, "NAME=VALUE",                                                                    \
      "parameter (sizes too), input or initial value; may be repeated", offsetof(Settings, opening.set) },  \
    { "--model", OPTION_TEXT, "NAME", "take this model, without an experiment",                              \
      offsetof(Settings, opening.model) },                                                                   \
    NATIVE_OPTION(Settings),                                                                                 \
    { "--loops", OPTION_TEXT, "solve|halt", "halt: algebraic loops are errors",                              \
      offsetof(Settings, opening.loops) }
#define CODE_OPTION(Settings)                                                                                \
    { "--code", OPTION_TEXT, "TIER", "instant, native, or auto (default): instant, and native in long runs", \
      offsetof(Settings, opening.code) }

typedef struct SessionOptions {
    const Opening *opening;
    const char *path, *experiment;            // experiment may be NULL
    const char *dump_stage;                   // NULL: none
    size_t      arrays_from;                  // see orr_compile_options
    const char *solver;                       // instead of that of the experiment; NULL: none
    bool        takes_machines;               // a file with machines only is fine: then there is no model
    const List *inputs;                       // texts of --input, on top of those of the experiment; NULL:
                                              // none
} SessionOptions;
enum { SESSION_EXACT = 10000 };    // arrays below have exact derivatives if they become single variables

// ORR_STATUS_OK, or the reason why not, with messages. Close in either case.
orr_status session_open(Session *session, const SessionOptions *options, orr_diag *diag);
void       session_close(Session *session);

// What a command does with its session. The experiment has the settings of --set; if one of these was wrong,
// `ok` is false: then the command looks at its own options only, so that all mistakes are told at once.
typedef orr_status SessionWork(const void *settings, const Session *session, orr_experiment *experiment,
                               bool ok, orr_diag *diag);
// For commands with FILE [EXPERIMENT] and --set: open, work, close. Path and experiment come from the
// arguments.
int session_do(const SessionOptions *options, const List *arguments, const void *settings, SessionWork *work,
               orr_diag *diag);
// After something could not be written: did the machine refuse, or was the model wrong? By the last message.
orr_status failure_status(const orr_diag *diag);

// limits.c: what one call of the program may take.
void limits_memory(double megabytes);
void limits_memory_default(void);
void limits_rescue(const orr_sink *sink);    // ended properly when memory ends; NULL: none
// A run ends by itself; what comes before and after it (compiling, drawing) is ended with the program.
void limits_time(double seconds);

// given.c: what the command line gives beside the experiment.

// NAME=VALUE: the name as a copy to be freed, and its value; NULL, silently, if it is not of this form.
char *given_name(const char *text, double *value);
typedef struct Given {
    orr_setting *settings;      // [n] those of the experiment, then those of the command line
    size_t       n;
    List         texts;         // owned names
} Given;

// Settings of the form NAME=VALUE, on top of the experiment's, which then has them all. Free in either case,
// after the experiment's last use.
bool given_read(Given *given, const List *set, const Session *session, orr_experiment *experiment,
                orr_diag *diag);
void given_free(Given *given);
// For commands that run nothing: is each of them a setting of this model?
bool given_check(const List *set, const Session *session, orr_diag *diag);
// Zero stands for "not given" further on, so a user who writes it must hear that it makes no sense. NaN is
// fine.
bool given_is_positive(const char *code, const char *what, const char *hint, double value, orr_diag *diag);
// An option that only some solvers look at was given (or is NaN), and the one of this experiment is another:
// W602.
void given_unused(const char *option, double value, const orr_experiment *experiment, orr_diag *diag);
bool given_lanes(const char *text, orr_lanes *lanes, orr_diag *diag);     // of --lanes; NULL: not given
bool given_seed(double value, orr_run_options *run, orr_diag *diag);    // of --seed; NaN: not given
bool given_number(double value, orr_run_options *run, orr_diag *diag);    // of --run, likewise
// a, b ,c → three names, each a copy
void names_split(const char *text, List *names);
void names_free(List *names);
// Of --record: what is recorded instead, borrowed from `names`; NULL: as the experiment says.
void given_records(const char *text, List *names, orr_experiment *experiment);

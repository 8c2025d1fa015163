// include/orrery/model.h: from model text to a compiled model.
//
//     source   the parsed text of a file and of those it uses: models and experiments
//     model    one model of it, sorted and compiled; const from then on and shared by any number of runs
//
// Messages point into the texts that the diagnostics know from orr_source_open: use one orr_diag for a
// source, its models and their runs.
#pragma once
#include "orrery/base.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orr_source orr_source;
typedef struct orr_model  orr_model;

// Read and parse a file (.orr or .csmp) and the files it uses. NULL, with the reasons in `diag`, if that
// fails.
ORR_API orr_source *orr_source_open(const char *path, orr_diag *diag);
// The same from a text in memory; `name` stands for the file in messages, its suffix chooses the language.
ORR_API orr_source *orr_source_parse(const char *name, const char *text, size_t length, orr_diag *diag);
ORR_API void        orr_source_destroy(orr_source *source);    // NULL is allowed

// Print all of it in the language, one statement to a line, as `orrery show --stage ast` does.
ORR_API void        orr_source_print(const orr_source *source, FILE *out);

// Warn of what is declared in the first file and never used: parameters, constants and inputs. Not of block
// diagrams.
ORR_API void        orr_source_check(const orr_source *source, orr_diag *diag);
ORR_API size_t      orr_source_n_models(const orr_source *source);
ORR_API const char *orr_source_model_name(const orr_source *source, size_t i);
ORR_API const char *orr_source_model_doc(const orr_source *source, size_t i);         // NULL if none
ORR_API size_t      orr_source_n_experiments(const orr_source *source);
ORR_API const char *orr_source_experiment_name(const orr_source *source, size_t i);
ORR_API const char *orr_source_experiment_model(const orr_source *source, size_t i);
ORR_API const char *orr_source_experiment_doc(const orr_source *source, size_t i);    // NULL if none

// The stages that can be shown, in order ("ast", "flat", …); NULL behind the last.
ORR_API const char *orr_stage_at(size_t i);

typedef struct orr_setting {
    const char *name;           // parameter, input or state (its initial value), by full path
    double      value;
} orr_setting;

// The compiler: libtcc in memory, which is ready at once; the machine's `cc`, whose code is faster; or the
// first, with the second in the background for runs that are long enough. Results do not depend on it.
typedef enum orr_code { ORR_CODE_INSTANT, ORR_CODE_NATIVE, ORR_CODE_AUTO } orr_code;

// What an input of the model follows during a run, and how. From orr_experiment_get, or filled in by hand on
// top of orr_input_default. The model must be compiled with it (orr_compile_options.inputs): it then needs no
// default.
typedef enum orr_between {
    ORR_BETWEEN_HOLD, ORR_BETWEEN_LINEAR, ORR_BETWEEN_CUBIC,
    ORR_BETWEEN_MESSAGES        // nothing: the input is an event input of the model, and each row of a csv a
                                // message at its time
} orr_between;
typedef enum orr_outside { ORR_OUTSIDE_HOLD, ORR_OUTSIDE_ERROR, ORR_OUTSIDE_ZERO } orr_outside;
typedef enum orr_sample { ORR_SAMPLE_OK, ORR_SAMPLE_END, ORR_SAMPLE_FAILED } orr_sample;

typedef struct orr_input {
    const char *name;           // full path of the input
    const char *source;         // "expression", "csv", "stdin", "unix", "udp", "mqtt" or "host"
    const char *address;        // expression: its text; csv: the file; unix: the path of a socket that is
                                // listened on; udp: [HOST:]PORT to listen on; mqtt: HOST[:PORT]/TOPIC
    const char *column, *time;  // of a csv, by their names without units; NULL: the column called like the
                                // input, or the only other one; the first column
    orr_between between;        // between two samples: steps, straight lines, cubic polynomials
    bool        cyclic;         // the samples are repeated; the last one is the first of the next round
    orr_outside outside;        // before the first and behind the last sample: nearest value, failure, 0
    double      patience;       // s that the sender may take for a sample, but for files; INFINITY: for ever
    // "host": the next sample, in ascending time; may wait. Called from orr_run_create and orr_run_advance,
    // in their thread. NULL: it is held, or moves on a line, until orr_run_set; `self` is then NULL or two
    // doubles, its value and its derivative by time at the start
    orr_sample (*next)(void *self, double *t, double *value);
    void       *self;
    const char *folder;         // the text of a model names the file, which must lie in this folder or below
                                // unless the run allows more; NULL: whoever fills this in chose the file
    const void *parsed;         // "expression": as read, borrowed from the source; NULL: from `address`
    const char *file;           // where it is written; NULL: nowhere
    size_t      line;
    const char *const *columns; // [n_columns] of messages: a column for each field of the record, in order;
                                // none: those with
    size_t      n_columns;      // the names of the fields. For a message that is a number, `column` or the
                                // only other one
    void *reserved[4];
} orr_input;
ORR_API orr_input orr_input_default(void);

// Read what the command line says of an input: `u=data.csv:flow:linear`, `u=-`, `u=udp:5005`,
// `u=mqtt:HOST/TOPIC`, `u=unix:PATH`, `u=expr:2*sin(t)`, with the words hold, linear, cubic, cyclic,
// outside-hold, outside-error, outside-zero behind colons. *texts gets memory that *input borrows, to be
// freed with free(). False after a message.
ORR_API bool orr_input_read(const char *text, orr_input *input, char **texts, orr_diag *diag);

typedef struct orr_compile_options {
    const char *model;          // name; NULL: the one model that no other uses
    orr_code    code;           // default: ORR_CODE_AUTO
    bool        loops_halt;     // refuse algebraic loops instead of solving them
    bool        implicit;       // leave algebraic loops to the solver, which then must be "ida". Without it
                                // only those too large for generated code are
    size_t      arrays_from;    // arrays of so many elements stay arrays, and a `for` over them a loop:
                                // compiling takes no longer for larger ones; 0: 1000, SIZE_MAX: all become
                                // single variables
    const orr_input *inputs;    // [n_inputs] inputs that are to be driven, borrowed during the call
    size_t      n_inputs;
    bool        is_component;   // for an island (orrery/island.h): who couples its event inputs sees to those
                                // required
    bool        reactions_are_events;    // each `reaction` happens at random; else it is part of rates
    const char *dump_stage;     // print this stage (orr_stage_at) to `dump_to` on the way; NULL: none
    FILE       *dump_to;
    // what the runs will be given, borrowed during the call; of one name the last one counts. The model takes
    // the parameters that its structure depends on (sizes, bounds, indices); all others are left to the runs
    const orr_setting *settings;    // [n_settings]
    size_t      n_settings;
    // C code for atomics that are declared `native` (orrery/devs.h). Files are loaded, and so run, as part of
    // this process: name only those you trust. They stay loaded while the model lives
    const char *const *natives;     // [n_natives] shared objects, borrowed during the call
    size_t      n_natives;
    const struct orr_native *const *linked;    // [n_linked] of this program; must outlive the model
    size_t      n_linked;
    // Limits; if one is reached the result is NULL, and orr_diag_status tells which. They hold for islands
    // too, but not for the machine's `cc`
    const volatile int *cancel;     // not 0: given up. NULL: none; written as that of orr_run_options
    double      max_seconds;        // on the clock; 0: no limit
    size_t      max_bytes;          // of memory; 0: no limit
    const void *also;               // [n_also] statements that an experiment adds to the model: what it
                                    // observes, when it ends; as read, borrowed from the source
    size_t      n_also;
    void *reserved[3];
} orr_compile_options;
ORR_API orr_compile_options orr_compile_options_default(void);

// Compile one model of a source. NULL, with the reasons in `diag`, if it is wrong. The model does not need
// the source afterwards. Free with orr_model_destroy.
ORR_API orr_model *orr_model_compile(const orr_source *source, const orr_compile_options *options,
                                     orr_diag *diag);
ORR_API void       orr_model_destroy(orr_model *model);    // NULL is allowed

// What a model consists of. Variables are numbered from 0; names are full paths such as "axle.spring.x".
typedef enum orr_kind {
    ORR_KIND_PARAM,
    ORR_KIND_INPUT,
    ORR_KIND_STATE,
    ORR_KIND_RATE,
    ORR_KIND_ALGEBRAIC,
    ORR_KIND_RESULT,
    ORR_KIND_DISCRETE
} orr_kind;

typedef struct orr_variable {
    const char *name;
    const char *unit;          // NULL if none
    const char *doc;           // NULL if none
    orr_kind    kind;
    bool        is_output;
    bool        is_input;      // declared by `input`, also if it is driven or has a default that moves
    bool        is_hidden;     // made by the compiler
    void *reserved[4];
} orr_variable;

ORR_API const char  *orr_model_name(const orr_model *model);
// "s" unless the model says otherwise
ORR_API const char  *orr_model_time_unit(const orr_model *model);
ORR_API size_t       orr_model_n_variables(const orr_model *model);
ORR_API orr_variable orr_model_variable(const orr_model *model, size_t i);
ORR_API size_t       orr_model_find(const orr_model *model, const char *name); // (size_t)-1 if there is none
// for "did you mean"; NULL if none
ORR_API const char  *orr_model_closest(const orr_model *model, const char *name);

typedef struct orr_model_facts {
    size_t n_states, n_equations, n_loops, n_relations;
    double compile_ms;
    const char *code;          // "instant", "native" or "instant+native" if that took over
    void *reserved[4];
} orr_model_facts;
ORR_API orr_model_facts orr_model_get_facts(const orr_model *model);

// What `orrery check` tells: states, order of evaluation, loops with method and condition number; `explain`
// adds the steps of the sorting. `diag` is the one the source was opened with: it knows the lines.
ORR_API void orr_model_report(const orr_model *model, FILE *out, bool explain, const orr_diag *diag);

// The blocks that CSMP files may contain, in order; false behind the last. All texts are static.
typedef struct orr_block {
    const char *name;          // "W"
    const char *form;          // "W, number, P1, e1[, P2, e2[, P3, e3]]"
    const char *summary;
    const char *example;
} orr_block;
ORR_API bool orr_block_at(size_t i, orr_block *block);

// Format the text of a model file: the result is to be freed with free(). NULL, with messages, on a syntax
// error.
ORR_API char *orr_format(const char *name, const char *text, size_t length, orr_diag *diag);

// The same for a file, in place ("-": from standard input to standard output). *changed tells whether the
// text differs; with `only_look` nothing is written.
ORR_API bool orr_format_file(const char *path, bool only_look, bool *changed, orr_diag *diag);

#ifdef __cplusplus
}
#endif

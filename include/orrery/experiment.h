// include/orrery/experiment.h: an experiment: a model, settings, a solver, what is recorded; and its results.
#pragma once
#include "orrery/distribution.h"
#include "orrery/figure.h"
#include "orrery/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orr_plot {
    const char *const *ys;       // [n_ys] names
    size_t      n_ys;
    const char *over;            // NULL: time
    bool        is_histogram;    // of the statistic ys[0], alone: orr_distribution_figure
    void *reserved[2];
} orr_plot;

// What is measured of a run: of the curve of a variable as the solver knows it, whatever is recorded.
typedef enum orr_observe {
    ORR_OBSERVE_AT,          // its value at a time, behind what happens then; or at the end
    ORR_OBSERVE_MAX,
    ORR_OBSERVE_MIN,
    ORR_OBSERVE_MEAN,        // over time
    ORR_OBSERVE_INTEGRAL,
    ORR_OBSERVE_QUANTILE,    // what it does not exceed for a part of the time
    ORR_OBSERVE_TIME,        // when a relation becomes true for the first time; NaN: never
    ORR_OBSERVE_COUNT,       // how often a relation becomes true, after the beginning
    ORR_OBSERVE_ALWAYS,      // 1: a relation holds all the time, but for single instants
    ORR_OBSERVE_EVENTUALLY,  // 1: it holds for some time
    ORR_OBSERVE_OF,          // arithmetic of other observations, by their names
    ORR_OBSERVE_FOLLOWS,     // how far it is from data at most
    ORR_OBSERVE_MISFIT,      // the root of the mean square of how far all data are, in their deviations
} orr_observe;
typedef enum orr_relation { ORR_RELATION_LT, ORR_RELATION_LE, ORR_RELATION_GT, ORR_RELATION_GE } orr_relation;

typedef struct orr_measurement {
    const char  *name;           // "peak", or as it is written: "max of x"
    orr_observe  what;
    const char  *variable;       // of an expression: one that the experiment adds to the model; NULL: none
    double       at;             // NaN: at the end
    double       from, to;       // NaN: from the beginning, to the end
    double       part;           // of quantiles: 0.95
    orr_relation relation;       // of times, counts and truths: variable relation level
    double       level;
    bool         is_expected;    // only an expectation asks for it
    const void  *parsed;         // ORR_OBSERVE_OF: its expression, as read; borrowed from the source
} orr_measurement;

// What was measured of a variable. orr_experiment_compile reads the points from the file.
typedef struct orr_data {
    const char *variable;
    const char *path;            // of a CSV file; NULL: the points are given here
    const char *folder;          // the text of a model names the file: where it must lie; or NULL
    const char *column, *time;   // their names; time NULL: the first column
    const char *unit;            // of the column; NULL: as the file says
    const char *column_deviation;    // NULL: none
    double      deviation;       // of each point, in the unit of the variable; NaN: not known
    size_t      condition;       // 0: measured in the experiment as it is; else one of `conditions`, from 1
    size_t      observation;     // `x follows …`, from 1: no data of the experiment itself; 0: they are
    orr_place   place;
    size_t      n;               // points, in order of time and in units of the model
    const double *t, *values, *deviations;    // [n]; deviations NULL: not known
    void *reserved[4];
} orr_data;
typedef struct orr_condition {   // what was set when data were measured
    const orr_setting *settings;
    size_t      n_settings;
} orr_condition;

typedef struct orr_expect {
    const char *name;
    double      at;              // NaN: at the end
    size_t      observation;     // of the experiment, from 1, instead of the value at a time; 0: none
    double      value, within;
    const char *file;            // where it is written
    size_t      line, column, length;
    void *reserved[2];
} orr_expect;

// What a model is claimed to hold for; the ranges are in orr_run_options.
typedef struct orr_frame {
    const char *name;
    const char *const *inputs;   // [n_inputs] what may be applied; none: anything
    size_t      n_inputs;
    const char *const *observes; // [n_observes] recorded, unless the experiment says what is
    size_t      n_observes;
    const char *file;            // where it is written
    size_t      line;
    void *reserved[2];
} orr_frame;

// Values that leave while the run goes on, at each row: lines `t,y,z`. The name of an event port, which
// stands alone: its messages, a line for each: `t` and its number, or the fields of its record.
typedef struct orr_send {
    const char *const *names;    // [n_names]
    size_t      n_names;
    const char *target;          // "csv", "stdout", "unix", "udp" or "mqtt"
    const char *address;         // a file; a socket that is listened on; [HOST:]PORT; HOST[:PORT]/TOPIC
    const char *folder;          // the text of a model names the file, which must lie in this folder or
                                 // below unless the run allows more; NULL: whoever fills this in chose it
    const char *file;            // where it is written; NULL: nowhere
    size_t      line;
    void *reserved[2];
} orr_send;

// Read what the command line says of an output: `y=udp:5006`, `y,z=-`, `y=live.csv`, `y=unix:PATH`,
// `y=mqtt:HOST/TOPIC`.
// *texts gets memory that *send borrows, to be freed with free(). False after a message.
ORR_API bool orr_send_read(const char *text, orr_send *send, char **texts, orr_diag *diag);

#define ORR_REPLICATIONS_MAX 10000000

// What a word of the kind of an experiment was given, see orrery/kind.h.
typedef struct orr_value {
    const char *word;
    double      number;          // NaN if it is none
    const char *text;            // as written; NULL: it is a flag
    const char *const *names;    // [n_names] of a list
    size_t      n_names;
    const char *folder;          // of a file that the text of a model names: where it must lie; or NULL
} orr_value;

// What to do. From orr_experiment_get or filled in by hand on top of orr_experiment_default.
typedef struct orr_experiment {
    const char *name;            // "" for an experiment nobody wrote
    const char *model;
    double      from, until;     // until NaN: must be given
    double      every;           // recording interval; 0: each step of the solver. The end is always recorded
    orr_run_options run;         // solver, step, tolerances, settings
    const char *const *records;  // [n_records] names, of an array all elements; none: the outputs or, without
                                 // outputs, all states. What `plots` name is recorded too
    size_t      n_records;
    bool        as_polynomials;  // what is written of them are pieces, not rows
    const orr_plot   *plots;     size_t n_plots;
    const orr_expect *expects;   size_t n_expects;
    bool        verdicts_only;   // expectations that do not hold are told by the outcome only
    const orr_measurement *observations; size_t n_observations;
    const orr_statistic *statistics; size_t n_statistics;    // of components; besides those of histograms
    const orr_frame  *frame;     // NULL: none
    const orr_send   *sends;     size_t n_sends;
    // of orr_replicate, see orrery/replicate.h; a single run does not look at them
    size_t      replications;    // 0: not asked for
    double      warm_up;         // how long after `from` rows do not count yet
    double      precision;       // relative; 0: not asked for
    double      confidence;      // of intervals; 0: 0.95
    const char *const *precise;  // [n_precise] what must be precise: "x", at the end, or "mean(x)", of its
                                 // rows; none: all
    size_t      n_precise;
    double      realtime;        // 0: as fast as possible; 1: as fast as the clock on the wall, 2: twice as
                                 // fast. The run waits at each row, reads the newest values of its sockets
                                 // and says if it was late
    // Checkpoints, see orr_run_save_file; NULL: none. Written at from + k·checkpoint_every or, if that is 0,
    // at the end; the latest replaces the one before. A run that is resumed goes on where the file was
    // written. Files of results that were written until then are cut back and go on; in others the first row
    // is that of the checkpoint.
    const char *checkpoint, *resume;
    double      checkpoint_every;
    const char *missing;         // a setting the user must give ("timestep"), or NULL
    const char *kind;            // see orrery/kind.h; NULL: replicate if it asks for replications, else
                                 // simulate
    const orr_value *values;     size_t n_values;    // of words of its kind that have no place above
    size_t      n_unasked;       // expectations that went when the question was changed
    size_t      n_overrides;     // of run.settings the last ones, from orr_experiment_override
    const void *also;            // [n_also] statements that it adds to the model, see orr_compile_options
    size_t      n_also;
    const char *reactions;       // how they are read: "equations" or "events"; NULL: equations
    const double *times;         // [n_times] rows at these times instead, ascending, behind `from` and not
    size_t      n_times;         // behind `until`; besides `from` and the end
    const orr_data *data;        size_t n_data;
    const orr_condition *conditions; size_t n_conditions;
    const struct orr_keeper *keeper;    // of members of ensembles, see orrery/ensemble.h; NULL: none
    bool        keeps;           // whoever carries it out keeps it in the store of the model
    void *reserved[2];
} orr_experiment;

ORR_API orr_experiment orr_experiment_default(void);
// The experiment `name` of a source; NULL: the first of the file itself. All texts and arrays belong to the
// source.
// False, with a message, if there is none of that name. Without any experiment in the file: the default, for
// the one model that no other uses.
ORR_API bool orr_experiment_get(const orr_source *source, const char *name, orr_experiment *experiment,
                                orr_diag *diag);

// Does the model have what the frame of the experiment speaks of, and does the experiment apply only what the
// frame allows? As types are checked: before anything runs. Messages if not.
ORR_API bool orr_experiment_check(const orr_model *model, const orr_experiment *experiment, orr_diag *diag);

// Change a setting of the experiment itself rather than of the model: the names CSMP files use, `timestep`,
// `endtime`, `comminterval`, `starttime`. False if it is none of these.
ORR_API bool orr_experiment_set(orr_experiment *experiment, const char *name, double value);

// Write the model, with the times and the solver of an experiment, in another form: "csmp". False, with the
// reason in `diag`, if it has none; a file is then not written.
ORR_API bool orr_model_export(const orr_model *model, const orr_experiment *experiment, const char *form,
                              FILE *out, orr_diag *diag);
ORR_API bool orr_model_export_file(const orr_model *model, const orr_experiment *experiment, const char *form,
                                   const char *path, orr_diag *diag);
// The same for a form of several files: "c", which is C99 that stands alone and carries out the experiment,
// with a header and a README. It is found out by a run whether the experiment can be carried out there. Files
// in the folder that were not written so are left alone, with a message, unless `force`.
ORR_API bool orr_model_export_folder(const orr_model *model, const orr_experiment *experiment,
                                     const char *form, const char *folder, bool force, orr_diag *diag);

// A polynomial by which something is known: from t on, until the next piece of the same name, it is
// c[0] + c[1] d + c[2] d² + … with d = time - t. NaN: it has no value.
#define ORR_PIECE_TERMS 6
typedef struct orr_piece {
    double      t;
    const char *name;
    int         n_terms;         // that pieces of this run may have; the others are 0
    double      c[ORR_PIECE_TERMS];
} orr_piece;

// Where the output of a sink stood when a checkpoint was written: in which file, bytes, and what it is
// recognised by.
typedef struct orr_sink_mark {
    uint64_t file, position, hash;
} orr_sink_mark;
typedef enum orr_sink_goes_on {
    ORR_SINK_BEGINS,     // none of the marks is of its file: it begins, with the row of the checkpoint
    ORR_SINK_GOES_ON,    // what came behind the mark was cut off
    ORR_SINK_CHANGED,    // reported: its file is not what it was
} orr_sink_goes_on;

// Where rows go as they are computed. Any function may be NULL. A false return ends the experiment.
typedef struct orr_sink {
    bool (*begin)(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit);
    bool (*row)(void *self, double t, const double *values, size_t n);
    bool (*progress)(void *self, double t, double from, double until);    // now and then, also between rows
    bool (*end)(void *self, orr_status status);                           // always called if begin was
    // each, in order; its texts until the next one
    bool (*event)(void *self, const orr_event *event);
    // each, in order of time, of what is recorded. Of quantised states: as the solver has them (of all states
    // if none is recorded, of nothing else). Else of each step, as exact as the solver, with jumps where they
    // are. Variables of components have none
    bool (*piece)(void *self, const orr_piece *piece);
    double piece_least;    // what happens in less time may be told as one straight piece; 0: all of it
    // each message and transition among components, in order
    void (*trace)(void *self, const orr_devs *network, const orr_devs_trace *what);
    void *self;
    // behind begin: which columns change at events only, and hold their values between
    void (*kinds)(void *self, const bool *jumps, size_t n);
    // a checkpoint is written: where all that came so far ends; position 0: nobody can go on there
    orr_sink_mark (*mark)(void *self);
    // a run is resumed, before begin: go on at one of the marks. marks NULL, before all else: keep what is
    // there, until something is written
    orr_sink_goes_on (*go_on)(void *self, const orr_sink_mark *marks, size_t n);
    void *reserved[8];
} orr_sink;

// How an expectation came out.
typedef struct orr_verdict {
    const orr_expect *expect;
    double            found;
    bool              holds;
    void *reserved[2];
} orr_verdict;

typedef struct orr_outcome {
    orr_status    status;
    orr_run_facts facts;
    const char   *islands;           // method and steps of each, for people; NULL: none; freed likewise
    double        t;                 // reached
    size_t        n_rows;
    const orr_left *left;            // [n_left] what of the frame did not hold, freed likewise
    size_t        n_left;
    bool          is_over;           // it ended before its time
    size_t        n_instants, n_late;    // of a real-time run: when it waited, or was too late
    double        latest;                // s; the worst delay
    size_t        n_verdicts, n_failed;
    const orr_verdict *verdicts;     // [n_verdicts], freed by orr_outcome_free
    const double *observed;          // [n_observed] of the observations, in their order; NaN: no value. Freed
    size_t        n_observed;        // likewise
    const orr_setting *results;      // [n_results] of the terminal region: names and values; freed likewise
    size_t        n_results;
    const orr_distribution *distributions;    // [n_distributions] of the statistics asked for, in order, then
                                              // of histograms to be
    size_t        n_distributions;            // plotted; freed likewise. None after a failure
    const char   *tolerances;        // absolute ones, where they follow the sizes of states; likewise
    void *reserved[7];
} orr_outcome;

// Simulate: create a run, advance it from row to row, feed the sinks, run the terminal region and again if it
// asks so, check the expectations (of the last run). Rows of all runs follow each other; a model that may run
// again has a last column `run`, from 1; one with a frame a last column `in_frame`, 1 where all its claims
// hold. Without a sink that takes rows none are computed. Messages go to `diag`. Free the outcome with
// orr_outcome_free.
ORR_API orr_outcome orr_simulate(const orr_model *model, const orr_experiment *experiment,
                                 const orr_sink *sinks, size_t n_sinks, orr_diag *diag);
ORR_API void orr_outcome_free(orr_outcome *outcome);

// A sink that writes CSV, header `t,x,y`, shortest round-trip numbers, whole rows only; path "-": standard
// output.
typedef struct orr_csv orr_csv;
ORR_API orr_csv *orr_csv_create(const char *path, orr_diag *diag);    // NULL if it cannot be opened
ORR_API orr_sink orr_csv_sink(orr_csv *csv);
ORR_API bool     orr_csv_close(orr_csv *csv);                         // false, reported, if a byte is missing

// A sink that writes what happens to a file, a line for each thing. Of messages and transitions what the
// equations send and get has the model that says so as its component.
typedef enum orr_log_kind {
    ORR_LOG_EVENTS,    // t, cause, line, variable, left, right, iteration
    ORR_LOG_PIECES,    // t, state, c0, c1, … c3 (of quantised states) or … c5
    ORR_LOG_TRACE,     // messages and transitions of components: t, bag, kind, component, port, value (the
                       // numbers of the message), elapsed, due, messages. As lines of JSON if the path ends
                       // in .jsonl
} orr_log_kind;
typedef struct orr_log orr_log;
ORR_API orr_log *orr_log_create(orr_log_kind kind, const char *path, orr_diag *diag);    // NULL: not opened
ORR_API orr_sink orr_log_sink(orr_log *log);
ORR_API bool     orr_log_close(orr_log *log);                         // false, reported, if a byte is missing

// A sink that keeps them for a message sequence chart: a line for each component, an arrow for each message.
// At most `at_most` messages are drawn; 0: 200. NULL, with a message, if there was none.
typedef struct orr_sequence orr_sequence;
ORR_API orr_sequence *orr_sequence_create(size_t at_most);
ORR_API orr_sink orr_sequence_sink(orr_sequence *sequence);
ORR_API orr_figure *orr_sequence_figure(const orr_sequence *sequence, const char *title, orr_diag *diag);
ORR_API void     orr_sequence_destroy(orr_sequence *sequence);        // NULL is allowed

// A sink that keeps rows in memory; or a table read from a CSV file.
typedef struct orr_table orr_table;
// `at_most` > 1: when more rows come, every second one is dropped, again and again, the first and the last
// kept: enough for a look at a long run. 0: keep all.
ORR_API orr_table *orr_table_create(size_t at_most);
ORR_API orr_table *orr_table_read(const char *path, orr_diag *diag);  // first column: time or whatever it is
// Before its sink is made: keep curves beside the rows, so that figures are smooth where the solution is, and
// have corners and jumps where it has. `least`: time that cannot be seen, see orr_sink.piece_least.
ORR_API void       orr_table_keep_curves(orr_table *table, double least);
ORR_API orr_sink   orr_table_sink(orr_table *table);
ORR_API void       orr_table_destroy(orr_table *table);
ORR_API size_t        orr_table_n_rows(const orr_table *table);
ORR_API size_t        orr_table_n_columns(const orr_table *table);               // the first is t
ORR_API const char   *orr_table_name(const orr_table *table, size_t column);
ORR_API const char   *orr_table_unit(const orr_table *table, size_t column);     // NULL if none
// its values hold until the next row
ORR_API bool          orr_table_jumps(const orr_table *table, size_t column);
ORR_API const double *orr_table_column(const orr_table *table, size_t column);   // [n_rows]
// Times of the events of the run, each once; the first 1000 of them. What plots over time mark.
ORR_API const double *orr_table_events(const orr_table *table, size_t *n);

// What a plot means by the columns of a table. Rows of different members or runs (a column `member`,
// `replication` or `run`, or a time that goes back) are not joined. NULL, with the reason, if a name is not a
// column.
ORR_API orr_figure *orr_table_figure(const orr_table *table, const orr_plot *plot, const char *title,
                                     orr_diag *diag);

#ifdef __cplusplus
}
#endif

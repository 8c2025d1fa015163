// include/orrery/store.h: a store of runs: one file that remembers what was run, and what came of it.
//
// A store is an SQLite file beside a model (NAME.runs). A kept run has the texts of all files it read, by
// content; the experiment and what the command line said; versions, machine, times; the report, its tables,
// observations, rows, polynomials and messages. Nothing is kept unless somebody asks for it. Several
// processes may write to a store at once; what was kept before a crash stays. A store may come from a
// stranger: whatever is read from it is checked.
#pragma once
#include "orrery/kind.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orr_store orr_store;
typedef enum orr_store_mode {
    ORR_STORE_READ,      // it must be there
    ORR_STORE_CHANGE,    // likewise
    ORR_STORE_KEEP,      // made if it is not there
    ORR_STORE_MEMORY     // in memory only; no path
} orr_store_mode;

// NULL, with the reason: not there, locked, damaged, not a store, of a newer version. One that is refused is
// left as it is.
ORR_API orr_store *orr_store_open(const char *path, orr_store_mode mode, orr_diag *diag);
ORR_API void       orr_store_close(orr_store *store);    // NULL is allowed

// ---- Keeping

// What is going to be run, as the command line says it.
typedef struct orr_keep_request {
    const char *file;            // of the model
    const char *experiment;      // NULL: the first
    const char *model;           // --model; NULL: none
    const char *loops;           // --loops; NULL: none
    const orr_given *given;      // [n_given] words
    size_t      n_given;
    const char *tag;             // NULL: none
    bool        has_natives;     // code of --native, which is not kept
    bool        is_quiet;        // as in orr_call, or rows go to a file: what is recorded for the eye alone
    bool        has_pictures;    // is recorded again when the run is repeated
    bool        goes_on;         // with the members of an earlier call that was stopped
    void *reserved[5];
} orr_keep_request;

// Note which files are read from now on; before the model is opened. For the whole process.
ORR_API void orr_keep_notes(void);
typedef struct orr_keep orr_keep;
// The model is compiled: begin to keep what comes. NULL after a message.
ORR_API orr_keep *orr_keep_begin(orr_store *store, const orr_model *model, const orr_experiment *experiment,
                                 const orr_keep_request *request, orr_diag *diag);
ORR_API const orr_keeper *orr_keep_keeper(const orr_keep *keep);    // for orr_call
ORR_API size_t orr_keep_number(const orr_keep *keep);               // of the run in the store, from 1
ORR_API size_t orr_keep_recalled(const orr_keep *keep);             // members that were there already
// It is done. False, reported, if something was not kept.
ORR_API bool   orr_keep_end(orr_keep *keep, const orr_result *result);

// ---- Looking

typedef struct orr_kept {
    size_t      number;
    double      created;         // seconds since 1970
    const char *file, *model, *experiment, *kind, *tag, *note, *version;
    bool        is_done;         // else it was stopped, or is still running
    orr_status  status;
    double      seconds;
    size_t      n_rows, n_members, n_bytes;
    void *reserved[6];
} orr_kept;

typedef struct orr_kept_filter {
    const char *model, *experiment, *tag;    // NULL: any
    const char *parameter;                   // a setting or an observation by name; NULL: any
    double      value;                       // of it; NaN: any
    double      since;                       // seconds since 1970; 0: any
    size_t      at_most;                     // the newest; 0: all
    void *reserved[4];
} orr_kept_filter;

// The newest first. Texts and the array, which is freed with free(), until the store is closed. False after a
// message.
ORR_API bool  orr_store_list(orr_store *store, const orr_kept_filter *filter, orr_kept **all, size_t *n,
                             orr_diag *diag);
ORR_API bool  orr_store_get(orr_store *store, size_t number, orr_kept *kept, orr_diag *diag);
// All that is known about a run, for people. Free with free(). NULL after a message.
ORR_API char *orr_store_describe(orr_store *store, size_t number, orr_diag *diag);
// Rows of a run, or of the members of a study, from a time to another (NaN: all). NULL after a message.
ORR_API orr_table *orr_store_table(orr_store *store, size_t number, double from, double to, orr_diag *diag);
// The messages and transitions of a discrete run as lines of JSON; "-": standard output. False after a
// message.
ORR_API bool  orr_store_replay_file(orr_store *store, size_t number, const char *path, orr_diag *diag);

// How two runs differ: in files, settings, results. Free the text with free(); NULL after a message.
typedef struct orr_difference {
    bool   is_same_input;        // files, experiment, words
    bool   is_same;              // results, bit for bit
    double largest;              // difference of a number, relative to the largest of its column; NaN: shape
    char  *text;                 // for people
    void *reserved[4];
} orr_difference;
ORR_API bool orr_store_compare(orr_store *a, size_t i, orr_store *b, size_t k, orr_difference *difference,
                               orr_diag *diag);

// ---- Changing

ORR_API bool orr_store_label(orr_store *store, size_t number, const char *tag, const char *note,
                             orr_diag *diag);    // NULL: as it is; "": none
ORR_API bool orr_store_delete(orr_store *store, size_t number, orr_diag *diag);
// Give back what nothing refers to; *freed: bytes. May be NULL.
ORR_API bool orr_store_clean(orr_store *store, size_t *freed, orr_diag *diag);
// Copy what can still be read of a damaged store to a new one. *n: runs.
ORR_API bool orr_store_salvage(const char *path, const char *to, size_t *n, orr_diag *diag);

// ---- Repeating and passing on

// Serve the files of a run to whoever opens them, in the whole process, until the store is closed or it is
// called with 0. *request: how the run was called; what it points to lives as long as the store.
ORR_API bool orr_store_serve(orr_store *store, size_t number, orr_keep_request *request, orr_diag *diag);
// One run with all it needs, as a .zip; and from one. *number: in this store.
ORR_API bool orr_store_export(orr_store *store, size_t number, const char *path, orr_diag *diag);
ORR_API bool orr_store_import(orr_store *store, const char *path, size_t *number, orr_diag *diag);

#ifdef __cplusplus
}
#endif

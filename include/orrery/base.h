// include/orrery/base.h: what all parts of the public interface share: status and diagnostics.
#pragma once
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ORR_API __attribute__((visibility("default")))
#else
#define ORR_API
#endif

// The version of the library that runs; ORR_VERSION (orrery.h) is the one a program was compiled with. The
// interface is a number: while it is the same, programs that were compiled with an earlier version run with a
// later one. Structures keep their sizes: new fields take the place of `reserved`, where 0 is the default.
// So begin with what a `_default` function gives, or with { 0 }, and leave `reserved` alone.
#define ORR_INTERFACE 1
ORR_API const char *orr_version(void);

// How a call ended. The first five are also the exit codes of the program.
typedef enum orr_status {
    ORR_STATUS_OK            = 0,    // done
    ORR_STATUS_MODEL_ERROR   = 1,    // the model or experiment text is wrong; see the diagnostics
    ORR_STATUS_USAGE         = 2,    // an argument or option makes no sense; nothing was done
    ORR_STATUS_FAILED        = 3,    // the simulation failed (NaN, no convergence, a limit); rows are kept
    ORR_STATUS_NOT_VALIDATED = 4,    // everything ran, but an expectation or validation did not hold
    ORR_STATUS_CANCELLED     = 5,    // the caller asked to stop; what was computed is kept
    ORR_STATUS_SYSTEM        = 6,    // the machine refused: file, disk, compiler
    ORR_STATUS_TERMINATED    = 7,    // the model itself ended the run, by `terminate`; only of
                                     // orr_run_advance and orr_run_step: an experiment is then done
    ORR_STATUS_NO_MEMORY     = 8     // the machine, or the limit that was set, has no more memory for it
} orr_status;
ORR_API const char *orr_status_text(orr_status status);    // "done", "model error", …; static

typedef enum orr_severity { ORR_SEVERITY_ERROR, ORR_SEVERITY_WARNING, ORR_SEVERITY_NOTE } orr_severity;

// A collector of messages. It is handed to whatever can fail and read afterwards. It keeps copies of
// the source texts its messages point into. One thread at a time.
typedef struct orr_diag orr_diag;
ORR_API orr_diag *orr_diag_create(void);             // never NULL; free with orr_diag_destroy
ORR_API void      orr_diag_destroy(orr_diag *diag);  // NULL is allowed
ORR_API void      orr_diag_clear(orr_diag *diag);    // forget messages and sources: later ones have no places
ORR_API void      orr_diag_forget(orr_diag *diag);   // forget messages only, as when they have been printed

ORR_API size_t orr_diag_errors(const orr_diag *diag);      // errors reported, those not kept included
ORR_API size_t orr_diag_warnings(const orr_diag *diag);    // warnings reported, likewise

// Where something is written, as messages report it. All zero: nowhere.
typedef struct orr_place {
    const char *file;            // path as given; NULL: nowhere
    size_t      line, column;    // from 1, column in characters; 0 if unknown
    size_t      length;          // characters on that line; 0 if unknown
} orr_place;

// A change of a file that an editor can apply: what stands there is replaced.
typedef struct orr_edit {
    orr_place   place;
    size_t      offset, bytes;   // the same place in bytes from the start of the file
    const char *replacement;
} orr_edit;

// How the calls ended that had this collector: OK; ORR_STATUS_MODEL_ERROR if there are errors; or why the
// latest one was given up: ORR_STATUS_NO_MEMORY, ORR_STATUS_CANCELLED, or ORR_STATUS_FAILED if its time was
// over. For those that return a pointer, such as orr_model_compile.
ORR_API orr_status orr_diag_status(const orr_diag *diag);

// One message. All texts belong to the collector and live until it is cleared or destroyed.
typedef struct orr_message {
    orr_severity severity;       // a note belongs to the message before it
    const char  *code;           // "E101"; "" for a note
    const char  *file;           // path as given, or NULL if the message has no place
    size_t       line;           // from 1; 0 if unknown
    size_t       column;         // from 1, in characters; 0 if unknown
    size_t       length;         // characters of the span on that line, at least 1; 0 if there is no place
    const char  *text;           // the sentence
    const char  *hint;           // a next step such as "did you mean 'level'?", or NULL
    const char  *source_line;    // the line of the source without its end, as it was read, or NULL
    const orr_edit *edits;       // [n_edits] what the hint proposes, where it is a change of the text
    size_t       n_edits;
    void        *reserved[4];
} orr_message;

// Messages kept, notes included, at most a fixed number; by file and place, those without a place last.
ORR_API size_t orr_diag_count(const orr_diag *diag);
ORR_API size_t orr_diag_not_shown(const orr_diag *diag);    // reported beyond that number, and dropped
ORR_API orr_message orr_diag_get(const orr_diag *diag, size_t i);    // i < orr_diag_count(diag)

// Add a message of one's own, under a code that orr_explain knows (E…: an error, W…: a warning), without a
// place. The hint may be NULL.
ORR_API void orr_diag_add(orr_diag *diag, const char *code, const char *text, const char *hint);

// Print all messages as
//
//     tank.orr:7:12: error E101: nothing called 'levle' is declared in 'Tank'
//         7 |   level' = levle / tau
//           |            ^~~~~ did you mean 'level' (line 3)?
//
// Control characters of the source are shown as '?', never sent. colour: 0 plain, 1 with ANSI colours.
ORR_API void orr_diag_print(const orr_diag *diag, FILE *out, int colour);

// The long explanation of a code such as "E101" (any case): what it means, an example, a repair.
// Several lines of plain text; static. NULL if there is no such code.
ORR_API const char *orr_explain(const char *code);

// The i-th code and its message pattern, in order; NULL behind the last.
ORR_API const char *orr_code_at(size_t i, const char **pattern);

// The name nearest to `wanted` for a "did you mean", or NULL if none is close enough.
ORR_API const char *orr_closest(const char *wanted, const char *const *names, size_t n);

// Called when there is no memory left where no status can say so (collectors, sinks and tables; sources,
// models and runs report ORR_STATUS_NO_MEMORY instead); must not return. Prints a line and aborts, unless the
// program has a function of this name itself.
ORR_API void orr_no_memory(size_t bytes);

// Text for people, made safe for a terminal: '?' instead of characters that move the cursor, change the
// terminal or the direction of writing, and of bytes that are no UTF-8; line ends and tabs stay. At most n
// bytes to `safe`, which may be `text`; returns their number. *used: bytes of `text` that were looked at,
// less than n if its end is the beginning of a character; NULL: nothing follows.
ORR_API size_t orr_safe_text(const char *text, size_t n, char *safe, size_t *used);

// A text as a field of CSV, quoted where needed; one that a spreadsheet would carry out begins with an
// apostrophe. Free with free().
ORR_API char *orr_csv_field(const char *text);

// Numbers as text, independent of the locale: the shortest that reads back the same (at most 31 characters
// and a NUL), and reading: true if `text` is one number and nothing else.
ORR_API size_t orr_format_number(double value, char *text);
ORR_API int    orr_parse_number(const char *text, double *value);

#ifdef __cplusplus
}
#endif

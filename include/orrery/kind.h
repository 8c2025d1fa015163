// include/orrery/kind.h: kinds of experiment: what each is called, which words it understands, and one call
// that carries out any of them.
//
// A word is a statement of an experiment and an option of the command line (`starts 50`, --starts 50). From
// the tables of words follow checking, options, their help and their completion; whoever makes a form finds
// here what can be filled in.
#pragma once
#include "orrery/ensemble.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum orr_keyword_type {
    ORR_WORD_FLAG,      // given or not
    ORR_WORD_NUMBER,
    ORR_WORD_COUNT,     // a whole number
    ORR_WORD_TEXT,
    ORR_WORD_NAMES,     // a,b
    ORR_WORD_LIST,      // a text that may be given several times
    ORR_WORD_FACTOR,    // a number, or alone: 1
} orr_keyword_type;

typedef struct orr_keyword {
    const char   *name;          // "until"
    orr_keyword_type type;
    const char   *argument;      // how its value is called, with its unit if it has one: "T"; NULL: none
    const char   *help;          // one line, with the default
    double        low, high;     // of numbers; both 0: any
    const char   *hint;          // what to write instead of a wrong one; NULL: none
    // of numbers that must be positive: the code of the message, and what it calls them; NULL: "E022"
    const char   *code, *called;
    const char   *choices;       // of texts: "auto|never|always"; NULL: any
    bool          is_time;       // of numbers: in the unit of time of the model
    bool          is_input;      // of texts: a file that is read
    bool          is_private;    // only whoever carries the experiment out may say it, not the text of it
} orr_keyword;

typedef struct orr_kind_info {
    const char     *name;        // "simulate"; of its command
    const char     *summary;     // one line
    const char     *details;     // paragraphs and examples
    const orr_keyword *words;       // [n_words] its own
    size_t          n_words;
    const char     *implied_by;  // a word that makes an experiment one of this kind; NULL: none does
    const char     *shared;      // words that several kinds have, as a list: "from until every"
    const char     *output, *output_help;    // of -o: how its value is called, and what is written there
    size_t          arrays_from; // how its models are compiled, see orr_compile_options; 0: as usual
} orr_kind_info;

ORR_API const orr_kind_info *orr_kind_at(size_t i);                          // NULL behind the last
ORR_API const orr_kind_info *orr_kind_find(const char *name);                // NULL if there is none
ORR_API const orr_kind_info *orr_experiment_kind(const orr_experiment *experiment);
// All words of a kind, first its own; NULL behind the last. orr_kind_word: by name, NULL if it has none.
ORR_API const orr_keyword *orr_kind_word_at(const orr_kind_info *kind, size_t i);
ORR_API const orr_keyword *orr_kind_word(const orr_kind_info *kind, const char *name);

// What the command line says: a word and its value as text, NULL for a flag.
typedef struct orr_given {
    const char *word, *text;
    const char *folder;    // the text of a model names the file `text`: where it must lie; or NULL
} orr_given;
// Change an experiment by words of its kind. What it then borrows belongs to the source. False after
// messages, all at once. Expectations belong to the question as it is written: if that changes, they go.
ORR_API bool orr_experiment_override(orr_source *source, orr_experiment *experiment, const orr_given *given,
                                     size_t n, orr_diag *diag);
// Write the experiment as `given` has changed it behind the text of its file, formatted, under this name; its
// plots are those of `experiment`, if it has any. How it is carried out (threads, files) is left out. False
// after a message.
ORR_API bool orr_experiment_save(const orr_source *source, const orr_experiment *experiment, const char *name,
                                 const orr_given *given, size_t n, orr_diag *diag);
// Compile the model of an experiment with what its kind, solver, settings and inputs need; `options` (NULL:
// the defaults) tell the rest: compiler, native code, limits. Settings that were given by
// orr_experiment_override must be the model's own; those of CSMP files change the experiment itself. NULL
// after messages; orr_diag_status is ORR_STATUS_USAGE if a setting is wrong.
ORR_API orr_model *orr_experiment_compile(const orr_source *source, orr_experiment *experiment,
                                          const orr_compile_options *options, orr_diag *diag);

// ---- Results

typedef struct orr_column {
    const char        *name, *unit;    // unit NULL: none
    const double      *numbers;        // [n_rows], or
    const char *const *texts;          // [n_rows]
    void *reserved[2];
} orr_column;

typedef struct orr_sheet {             // a table by name
    const char       *name;            // "estimates"
    size_t            n_rows, n_columns;
    const orr_column *columns;
    void *reserved[2];
} orr_sheet;
// As CSV; "-": standard output. False after a message.
ORR_API bool orr_sheet_write(const orr_sheet *sheet, const char *path, orr_diag *diag);

// What there is to read, part after part: lines of text, or a table, or numbers, or a figure.
typedef struct orr_part {
    const char             *text;
    const orr_table        *table;           // of rows, to be looked at
    const orr_distribution *distribution;    // its numbers and its histogram
    orr_figure             *figure;
    size_t                  picture;         // of a figure: its number among pictures, from 1; 0: none
    bool                    is_file_only;    // not for the terminal
    void *reserved[2];
} orr_part;

typedef struct orr_result {
    orr_status         status;
    const orr_part    *parts;      size_t n_parts;
    const orr_sheet   *sheets;     size_t n_sheets;
    const orr_verdict *verdicts;   size_t n_verdicts;
    const char        *stats;              // counts and times, a line "name: value" for each
    struct orr_result_memory *memory;
    void *reserved[4];
} orr_result;

// How an experiment is carried out. { 0 }: quietly into memory, until it is done.
typedef struct orr_call {
    const char *output;                    // where rows go while they are computed: CSV or, if its
                                           // name ends in .nc, NetCDF-4; NULL: nowhere
    bool        is_quiet;                  // nobody reads the parts
    bool        asks_plots;                // the plots of the experiment were given by hand
    size_t      n_pictures;                // files that will be drawn: more rows are kept for them
    const volatile int *cancel;            // as that of orr_run_options; NULL: none
    // now and then: which part is done (NaN: unknown), and words on where it stands; NULL: none
    void      (*progress)(void *self, double share, const char *text);
    void       *self;
    void      (*rescue)(const orr_sink *rows);    // to be ended if memory ends; NULL when they are; or NULL
    const orr_keeper *keeper;              // who keeps it, see orrery/store.h; NULL: nobody
    bool        has_units;                 // in headers of CSV: "x [m]"
    bool        has_provenance;            // beside `output`, in a file .json
    void *reserved[6];
} orr_call;

// Carry out an experiment, whatever its kind. Free the result in any case.
ORR_API orr_result orr_carry_out(const orr_model *model, const orr_experiment *experiment,
                                 const orr_call *call, orr_diag *diag);
ORR_API void       orr_result_free(orr_result *result);

#ifdef __cplusplus
}
#endif

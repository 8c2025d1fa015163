// src/exp/kind.h: kinds of experiment as rows of one table; a new kind is a file of its own and a line in
// registry.c.
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "base/vec.h"
#include "exp/rows_out.h"
#include "orrery/ensemble.h"
#include "orrery/kind.h"

// Arrays below have exact derivatives if they become single variables: `arrays_from` of kinds that need them.
enum { KIND_EXACT = 10000 };

// One experiment that is being carried out.
typedef struct Call {
    const orr_model      *model;
    const orr_experiment *experiment;
    const orr_call       *how;
    orr_diag             *diag;
    orr_result           *result;
    Arena                *arena;         // of the result
    VEC(orr_part)         parts;
    VEC(orr_sheet)        sheets;
    StrBuf                text;          // of the part of text under way
    StrBuf                stats;
    VEC(orr_table *)      tables;        // freed with the result
    Provenance           *provenance;    // NULL until somebody needs it: call_provenance
} Call;

// A word of a table; what is behind its help is given by name: .low = 2.
#define WORD(name_, type_, argument_, help_, ...)                                                            \
    {                                                                                                        \
        .name = (name_), .type = ORR_WORD_##type_, .argument = (argument_), .help = (help_), __VA_ARGS__     \
    }

typedef struct Kind {
    orr_kind_info kind;
    // What it finds out goes into the parts, sheets and verdicts of the result.
    orr_status (*carry_out)(Call *call);
} Kind;

orr_result call_carry_out(const Kind *kind, const orr_model *model, const orr_experiment *experiment,
                          const orr_call *how, orr_diag *diag);

// ---- What words of the kind were given
// As orr_experiment_override; is_written: by the experiment itself, whose expectations stay.
bool words_apply(orr_source *source, orr_experiment *experiment, const orr_given *given, size_t n,
                 bool is_written, orr_diag *diag);
const orr_value *given_of(const orr_experiment *experiment, const char *word);    // NULL: not given
double      value_number(const orr_experiment *experiment, const char *word);     // NaN: not given
size_t      value_count(const orr_experiment *experiment, const char *word);      // 0: not given
const char *value_text(const orr_experiment *experiment, const char *word);       // NULL: not given
orr_lanes   value_lanes(const orr_experiment *experiment);                        // of `lanes`

// `peak = max of x from 2 to 5`; what it then borrows belongs to the source. False after a message.
// others: those whose names it may use.
bool observation_read(orr_source *source, orr_experiment *e, const orr_measurement *others, size_t n_others,
                      const char *text, orr_measurement *x, orr_diag *diag);

// `100`, `x < 0.01 or t >= 100`, likewise.
bool until_read(orr_source *source, orr_experiment *e, const char *text, orr_diag *diag);

// ---- What comes of it
void say(Call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
void stat_count(Call *call, const char *name, size_t value);
void stat_text(Call *call, const char *name, const char *value);                  // NULL: an empty one
void stat_ms(Call *call, const char *name, double ms);
void part_add(Call *call, orr_part part);                  // behind what was said so far
orr_table *table_add(Call *call, size_t at_most);          // see orr_table_create
bool call_writes_stdout(const Call *call);                 // rows go there, and nothing else
// A file of rows that are not those of a run, behind columns of their own; no path: none is written.
typedef struct RowFile {
    RowsOut *out;              // NULL: none
    orr_sink sink;
    bool     has_begun;
    double  *row;              // [n]
    size_t   n;
    const Call *call;
} RowFile;
bool row_file_open(RowFile *file, Call *call);       // false after a message
// Columns: `n_own` of the file's own, then n others. False after a message.
bool row_file_begin(RowFile *file, const char *const *own, size_t n_own, const char *const *names, size_t n,
                    const char *time_unit);
// The first problem is what the status becomes.
orr_status row_file_close(RowFile *file, orr_status status);
// Where the results come from; of the experiment as it stands when this is first called.
const Provenance *call_provenance(Call *call);
// "NAME, EXPERIMENT": how reports begin.
const char *call_title(const Call *call);
// Verdicts of expectations, as lines and in the result.
void verdicts_add(Call *call, const orr_verdict *verdicts, size_t n);
// What was observed, as lines and as the sheet "observations"; observed: as in the outcome.
void observations_add(Call *call, const double *observed);
// The unit of an observation, as far as it has a name; NULL: none.
const char *observation_unit(const orr_model *model, const orr_measurement *x);
// Statistics: their numbers and histograms, and a file of them, beside that of the rows unless --statistics
// says where. False after a message.
bool statistics_add(Call *call, const orr_distribution *all, size_t n);

// A sheet: its columns are filled in by the caller.
typedef struct Sheet {
    Call  *call;
    orr_sheet sheet;
    VEC(orr_column) columns;
} Sheet;
Sheet        sheet_begin(Call *call, const char *name, size_t n_rows);
double      *sheet_numbers(Sheet *sheet, const char *name, const char *unit);
const char **sheet_texts(Sheet *sheet, const char *name);
void         sheet_end(Sheet *sheet);
// Write the sheet of this name, if there is a path. False after a message.
bool         sheet_write(Call *call, const char *name, const char *path);

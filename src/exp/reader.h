// src/exp/reader.h: how an experiment as written becomes numbers and names, statement by statement.
//
// read_values.c has numbers with units and names, read_observe.c observations, expectations, data and the
// end, read_kind.c the words of kinds; experiment.c puts them together.
#pragma once
#include "base/diag.h"
#include "lang/ast.h"
#include "orrery/experiment.h"
#include "source/source.h"
#include "units/units.h"

typedef struct Reader {
    Arena        *arena;       // of the source
    Arena         work;
    const char   *name;        // of the experiment, for messages
    orr_diag     *diag;
    bool          failed;
    bool          may_be_infinite;    // the number under way
    VEC(orr_written) written;  // where names stand, in `work`
    VEC(AstItem)  also;        // what the experiment adds to the model, in `arena`
    VEC(orr_data) data;        // likewise
    const orr_source *source;
    const orr_measurement *observed;    // [n_observed] that have been read
    size_t        n_observed;
    const char   *path;        // the latest, in the arena
    uint32_t      path_file;

    // what a number with a unit is converted to
    const Ast    *ast;
    const AstModel *model;
    enum { NEEDS_NO_UNIT, NEEDS_TIME, NEEDS_REF, NEEDS_TEXT } needs;
    const AstRef *ref;         // NEEDS_REF: the unit of this variable
    const char   *text;        // NEEDS_TEXT: this unit
    bool          is_difference;
    Units        *units;       // of the model with `n_units_also` of what is added; NULL: not found yet
    size_t        n_units_also;
} Reader;

// Marks the reading as failed, after a message; NaN.
double reader_fail(Reader *r);

// ---------------------------------------------------------------------------------------------- values
// Units of the model with what the experiment has added so far.
void        reader_find_units(Reader *r);
double      reader_evaluate(Reader *r, const AstExpr *e);
// A value with this unit, in the one that is needed.
double      reader_convert(Reader *r, const AstExpr *e, const char *given, double value);
// A finite number, or a message that says which statement needs one.
double      reader_number(Reader *r, const AstExpr *e, const char *what);
double      reader_number_within(Reader *r, const AstExpr *e, const char *what, double low, double high,
                                 bool is_whole, const char *needed);
double      reader_time(Reader *r, const AstExpr *e, const char *what);
// A value of a variable, or a difference of two.
double      reader_value(Reader *r, const AstExpr *e, const AstRef *ref, bool is_difference,
                         const char *what);
// Where this is written, for messages of the run.
void        reader_note(Reader *r, const char *name, Place place);
// As the flat model calls it: axle.spring[2].x'; if several may be meant, ranges stay: u[2..5].
const char *reader_name(Reader *r, const AstRef *ref, Place place, bool may_be_several);
const char *const *reader_names(Reader *r, const AstRef *refs, const Place *places, Place place, size_t n,
                                bool may_be_several);
const AstModel *reader_model_named(const Ast *ast, const char *name);

// ---------------------------------------------------------------------------------------------- observations
// `until 100`, `until x < 0.01 or t >= 100`: a condition is an event of the model that ends the run.
double reader_until(Reader *r, AstExpr *e);
void   reader_observes(Reader *r, const AstExperiment *e, orr_experiment *experiment);
void   reader_data(Reader *r, const AstExperiment *e, orr_experiment *experiment);
// What the reader adds to the model goes to the experiment.
void   reader_keep_also(const Reader *r, orr_experiment *e);

// ---------------------------------------------------------------------------------------------- kinds
// Words and their values, as a command line would give them.
void reader_kind(Reader *r, const orr_source *source, const AstExperiment *e, orr_experiment *experiment);
void reader_sweeps(Reader *r, const orr_source *source, const AstExperiment *e, orr_experiment *experiment);
void reader_scenarios(Reader *r, const orr_source *source, const AstExperiment *e,
                      orr_experiment *experiment);
void reader_draws(Reader *r, const orr_source *source, const AstExperiment *e, orr_experiment *experiment);

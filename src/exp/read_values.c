// src/exp/read_values.c: numbers with units and names of an experiment.
#include "exp/reader.h"
#include "front/front.h"
#include <math.h>
#include <string.h>

double reader_fail(Reader *r)
{
    r->failed = true;
    return NAN;
}

// What is wrong with the units of the model is reported when it is compiled.
void reader_find_units(Reader *r)
{
    if (r->units && r->n_units_also == r->also.n) return;
    const AstModel *model = r->model;
    if (r->also.n) model = ast_model_with(&r->work, model, r->also.items, r->also.n);
    units_check(&r->units, r->ast, model, &r->work, NULL);
    r->n_units_also = r->also.n;
}

// The unit in which the value is needed; NULL after a message.
static const char *needed_unit(Reader *r, const AstExpr *e, const char *given)
{
    const char *unit = NULL;
    if (r->needs == NEEDS_TEXT) return r->text;
    if (r->model && r->needs == NEEDS_TIME) {
        unit = "s";
        for (uint32_t i = 0; i < r->model->n_items; i++)
            if (r->model->items[i].kind == AST_TIME_UNIT) unit = r->model->items[i].time_unit;
    } else if (r->model && r->needs == NEEDS_REF) {
        reader_find_units(r);
        unit = units_of_ref(r->units, r->ref);
        if (unit) return unit;
        const char *name = arena_printf(&r->work, "'%s'", r->ref->parts[r->ref->n_parts - 1].name);
        diag_report(r->diag, DIAG_UNIT_UNDETERMINED, e->place, name, given);
        diag_hint(r->diag, "declare the unit of %s in the model, or leave out the unit here", name);
    } else {
        diag_report(r->diag, DIAG_UNIT_MISPLACED, e->place);
        diag_hint(r->diag, "this is a pure number");
    }
    return unit;
}

double reader_convert(Reader *r, const AstExpr *e, const char *given, double value)
{
    const char *unit = needed_unit(r, e, given);
    if (!unit || !units_convert(r->ast, given, unit, r->is_difference, e->place, &value, r->diag))
        return reader_fail(r);
    return value;
}

// `5 [mi] in km`: what stands before `in` is needed in that unit, the result in another.
static double evaluate_conversion(Reader *r, const AstExpr *e)
{
    const char *unit = e->operands.b->number.unit;
    Reader before = *r;
    r->needs = NEEDS_TEXT;
    r->text = unit;
    const double value = reader_evaluate(r, e->operands.a);
    r->needs = before.needs;
    r->text = before.text;
    return reader_convert(r, e, unit, value);
}

static double evaluate_ref(void *reader, const AstExpr *e)
{
    Reader *r = reader;
    const AstRef *ref = &e->ref;
    double value;
    bool is_truth;
    if (ref->n_parts == 1 && ref->primes == 0 && ref->parts[0].n_indices == 0 &&
        front_constant(ref->parts[0].name, &value, &is_truth))
        return value;
    diag_report(r->diag, DIAG_NAME_UNKNOWN, e->place, ref->parts[0].name, r->name);
    diag_hint(r->diag, "an experiment is written with numbers; 'pi' and functions such as sqrt are known");
    return reader_fail(r);
}

static double evaluate_unit(void *reader, const AstExpr *e)
{
    return e->kind == AST_CONVERT ? evaluate_conversion(reader, e)
                                  : reader_convert(reader, e, e->number.unit, e->number.value);
}

static double refuse(void *reader, const AstExpr *e, const char *takes)
{
    Reader *r = reader;
    if (takes)
        diag_report(r->diag, DIAG_FUNCTION_ARGUMENTS, e->place, e->call.function, takes,
                    (size_t)e->call.n_args);
    else if (e->kind == AST_CALL) diag_report(r->diag, DIAG_FUNCTION_UNKNOWN, e->place, e->call.function);
    return reader_fail(r);
}

double reader_evaluate(Reader *r, const AstExpr *e)
{
    return front_evaluate(&(FrontNumbers){ evaluate_ref, evaluate_unit, refuse, NULL, r }, e);
}

double reader_time(Reader *r, const AstExpr *e, const char *what)
{
    r->needs = NEEDS_TIME;
    const double value = reader_number(r, e, what);
    r->needs = NEEDS_NO_UNIT;
    return value;
}

// A value of a variable, or a difference of two.
double reader_value(Reader *r, const AstExpr *e, const AstRef *ref, bool is_difference, const char *what)
{
    r->needs = NEEDS_REF;
    r->ref = ref;
    r->is_difference = is_difference;
    const double value = reader_number(r, e, what);
    r->needs = NEEDS_NO_UNIT;
    r->is_difference = false;
    return value;
}

// A finite number, or a message that says which statement needs one.
double reader_number(Reader *r, const AstExpr *e, const char *what)
{
    const bool had_failed = r->failed;
    const double value = reader_evaluate(r, e);
    if (isfinite(value) || r->failed != had_failed || (isinf(value) && r->may_be_infinite)) return value;
    diag_report(r->diag, DIAG_SETTING_VALUE, e->place, what, isnan(value) ? "not a number" : "infinity",
                "a finite number is needed");
    return reader_fail(r);
}
// ---------------------------------------------------------------------------------------------- names

static double index_of(Reader *r, const AstExpr *e, const char *name, Place place)
{
    const double index = reader_evaluate(r, e);
    if (index == floor(index) && fabs(index) <= 1e9) return index;
    if (!r->failed)
        diag_report(r->diag, DIAG_SETTING_VALUE, place, name, "this index", "it is not a whole number");
    return reader_fail(r);
}

// Where this is written, for messages of the run.
void reader_note(Reader *r, const char *name, Place place)
{
    orr_written written = { name, diag_where(r->diag, place) };
    if (!written.place.file) return;
    if (place.file != r->path_file) {
        r->path = arena_copy_text(r->arena, written.place.file, strlen(written.place.file));
        r->path_file = place.file;
    }
    written.place.file = r->path;
    vec_push(&r->work, &r->written, written);
}

// As the flat model calls it: axle.spring[2].x'; if several may be meant, ranges stay: u[2..5].
const char *reader_name(Reader *r, const AstRef *ref, Place place, bool may_be_several)
{
    StrBuf s = { .arena = r->arena };
    for (uint32_t i = 0; i < ref->n_parts; i++) {
        const AstPart *part = &ref->parts[i];
        if (i) str_add_char(&s, '.');
        str_add(&s, part->name);
        for (uint32_t k = 0; k < part->n_indices; k++) {
            const AstExpr *index = part->indices[k];
            const bool is_range = index->kind == AST_RANGE;
            if (is_range && !may_be_several) {
                diag_report(r->diag, DIAG_SLICE_MISPLACED, index->place, "a range");
                reader_fail(r);
                continue;
            }
            const AstExpr *first = is_range ? index->operands.a : index;
            str_addf(&s, "%s%.0f", k ? "," : "[", index_of(r, first, part->name, place));
            if (is_range) str_addf(&s, "..%.0f", index_of(r, index->operands.b, part->name, place));
        }
        if (part->n_indices) str_add_char(&s, ']');
    }
    for (uint32_t i = 0; i < ref->primes; i++) str_add_char(&s, '\'');
    const char *name = str_finish(&s);
    reader_note(r, name, place);
    return name;
}

const char *const *reader_names(Reader *r, const AstRef *refs, const Place *places, Place place, size_t n,
                                bool may_be_several)
{
    const char **names = ARENA_ARRAY(r->arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        names[i] = reader_name(r, &refs[i], places ? places[i] : place, may_be_several);
    return names;
}

// A number in a range, or a message.
double reader_number_within(Reader *r, const AstExpr *e, const char *what, double low, double high,
                            bool is_whole, const char *needed)
{
    const double value = reader_number(r, e, what);
    if (isnan(value) || (value >= low && value <= high && (!is_whole || value == floor(value)))) return value;
    char text[32];
    snprintf(text, sizeof text, "%.10g", value);
    diag_report(r->diag, DIAG_SETTING_VALUE, e->place, what, text, needed);
    return reader_fail(r);
}

const AstModel *reader_model_named(const Ast *ast, const char *name)
{
    for (size_t i = 0; name && i < ast->models.n; i++)
        if (strcmp(ast->models.items[i].name, name) == 0) return &ast->models.items[i];
    return NULL;
}

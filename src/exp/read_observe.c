// src/exp/read_observe.c: what an experiment observes, expects, compares with data, and when it ends.
#include "base/os.h"
#include "exp/bind.h"
#include "exp/kind.h"
#include "exp/reader.h"
#include "front/front.h"
#include "lang/parse.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *printed(Reader *r, const AstObserve *o, const AstExpr *e)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out) arena_no_memory(0);
    if (o) ast_print_observe(o, out);
    else ast_print_expr(e, out);
    memory_close(out, &text);
    const char *kept = arena_copy_text(r->arena, text, n);
    free(text);
    return kept;
}

// ---------------------------------------------------------------------------------------------- the end

static bool is_time(const AstExpr *e)
{
    return e->kind == AST_REF && e->ref.n_parts == 1 && e->ref.primes == 0 &&
           strcmp(e->ref.parts[0].name, "t") == 0;
}

static bool is_condition(const AstExpr *e)
{
    return (e->kind == AST_BINARY && (front_is_relation(e->op) || front_is_logic(e->op))) ||
           (e->kind == AST_UNARY && front_is_logic(e->op));
}

static AstExpr *join(Reader *r, AstOp op, AstExpr *a, AstExpr *b)
{
    AstExpr *e = ARENA_NEW(r->arena, AstExpr);
    *e = (AstExpr){
        .kind = AST_BINARY, .op = op, .place = place_join(a->place, b->place), .operands = { a, b, NULL }
    };
    return e;
}

// Of `x < 0.01 or t >= 100` the time, if it is earlier than *until, and what else ends the run; NULL:
// nothing.
static AstExpr *split_end(Reader *r, AstExpr *e, double *until)
{
    if (e->kind != AST_BINARY) return e;
    AstExpr *a = e->operands.a, *b = e->operands.b;
    if (e->op == AST_OR) {
        a = split_end(r, a, until);
        b = split_end(r, b, until);
        return !a ? b : !b ? a : join(r, AST_OR, a, b);
    }
    const bool behind = is_time(a) && (e->op == AST_GE || e->op == AST_GT),
               before = is_time(b) && (e->op == AST_LE || e->op == AST_LT);
    if (!behind && !before) return e;
    const double time = reader_time(r, behind ? b : a, "until");
    if (!(*until <= time)) *until = time;
    return NULL;
}

// `until 100`, `until x < 0.01 or t >= 100`: a condition is an event of the model that ends the run.
double reader_until(Reader *r, AstExpr *e)
{
    double until = NAN;
    if (!is_condition(e)) return reader_time(r, e, "until");
    AstExpr *condition = split_end(r, e, &until);
    if (isnan(until) && !r->failed) {
        diag_report(r->diag, DIAG_UNTIL_OPEN, e->place);
        diag_hint(r->diag, "say when it ends at the latest: until … or t >= 100");
        return reader_fail(r);
    }
    if (!condition) return until;
    AstEvent *event = ARENA_NEW(r->arena, AstEvent);
    event->body = ARENA_NEW(r->arena, AstItem);
    *event->body = (AstItem){ .kind = AST_TERMINATE,
                              .place = e->place,
                              .terminate = arena_printf(r->arena, "until %s", printed(r, NULL, condition)) };
    event->n_body = 1;
    event->kind = AST_WHEN;
    event->condition = condition;
    event->place = e->place;
    const AstItem item = { .kind = AST_EVENT, .place = e->place, .event = event };
    vec_push(r->arena, &r->also, item);
    return until;
}

// ---------------------------------------------------------------------------------------------- observations

// Do all names that occur stand for observations read so far? *n_names: how many names there are.
static bool is_of_observations(const Reader *r, const AstExpr *e, size_t *n_names)
{
    double value;
    bool is_truth, ok = true;
    switch (e->kind) {
    case AST_REF:
        if (e->ref.n_parts == 1 && front_constant(e->ref.parts[0].name, &value, &is_truth)) return true;
        (*n_names)++;
        for (size_t i = 0; i < r->n_observed && e->ref.n_parts == 1 && e->ref.primes == 0; i++)
            if (strcmp(r->observed[i].name, e->ref.parts[0].name) == 0) return true;
        return false;
    case AST_CALL:
        for (uint32_t i = 0; i < e->call.n_args; i++) ok &= is_of_observations(r, e->call.args[i], n_names);
        return ok;
    case AST_IF:
    case AST_BINARY:
    case AST_UNARY: {
        AstExpr *const operands[] = { e->operands.a, e->operands.b, e->operands.c };
        const int n = e->kind == AST_UNARY ? 1 : e->kind == AST_BINARY ? 2 : 3;
        for (int i = 0; i < n; i++) ok &= is_of_observations(r, operands[i], n_names);
        return ok;
    }
    default: return true;
    }
}

static bool has_names(const Reader *r, const AstExpr *e)
{
    size_t n = 0;
    is_of_observations(r, e, &n);
    return n > 0;
}

// The variable that an observation is about: that which is named, or one that the experiment adds to the
// model for an expression.
static const AstExpr *variable_of(Reader *r, AstExpr *e)
{
    if (e->kind == AST_REF) return e;
    AstPart *part = ARENA_NEW(r->arena, AstPart);
    part->name = printed(r, NULL, e);
    AstExpr *ref = ARENA_NEW(r->arena, AstExpr);
    *ref = (AstExpr){ .kind = AST_REF, .place = e->place, .ref = { .parts = part, .n_parts = 1 } };
    for (size_t i = 0; i < r->also.n; i++)
        if (r->also.items[i].kind == AST_EQUATION &&
            strcmp(r->also.items[i].equation.lhs->ref.parts[0].name, part->name) == 0)
            return ref;
    const AstItem item = { .kind = AST_EQUATION, .place = e->place, .equation = { ref, e } };
    vec_push(r->arena, &r->also, item);
    return ref;
}

static orr_relation relation_of(AstOp op, bool is_negated)
{
    const bool is_less = op == AST_LT || op == AST_LE, is_strict = op == AST_LT || op == AST_GT;
    if (is_less != is_negated) return is_strict != is_negated ? ORR_RELATION_LT : ORR_RELATION_LE;
    return is_strict != is_negated ? ORR_RELATION_GT : ORR_RELATION_GE;
}

// Data of one variable, still to be read.
static orr_data data_of(Reader *r, const AstData *d, const AstDataColumn *c, const char *variable,
                        const AstRef *ref)
{
    orr_data data = { .variable = variable,
                      .column = c->column,
                      .time = d->time,
                      .unit = c->unit,
                      .column_deviation = c->deviation,
                      .deviation = NAN,
                      .place = diag_where(r->diag, d->place) };
    if (data.place.file)
        data.place.file = arena_copy_text(r->arena, data.place.file, strlen(data.place.file));
    data.path = bind_path(r->source, d->file, d->place, r->arena, r->diag, &data.folder);
    if (os_path_leaves(data.folder, data.path))
        diag_report(r->diag, DIAG_FILE_OUTSIDE, d->place, d->file), reader_fail(r);
    if (c->sd) data.deviation = reader_value(r, c->sd, ref, true, "deviation");
    if (data.deviation <= 0) {
        diag_report(r->diag, DIAG_SETTING_VALUE, c->sd->place, "deviation", "not positive",
                    "it is a distance");
        reader_fail(r);
    }
    return data;
}

// *of: the variable it is about.
static orr_measurement read_observe(Reader *r, const AstObserve *o, const AstRef **of)
{
    orr_measurement x = { .at = NAN, .from = NAN, .to = NAN, .part = o->part };
    const bool is_never = o->measure == AST_MEASURE_NEVER;
    AstExpr *what = o->what;
    const AstExpr *level = o->level;
    size_t n_names = 0;
    *of = NULL;
    x.what = is_never                            ? ORR_OBSERVE_ALWAYS
             : o->measure == AST_MEASURE_FOLLOWS ? ORR_OBSERVE_FOLLOWS
             : o->measure == AST_MEASURE_MISFIT  ? ORR_OBSERVE_MISFIT
                                                 : (orr_observe)o->measure;
    x.name = o->name ? o->name : printed(r, o, NULL);
    if (!o->name && x.what == ORR_OBSERVE_AT && !o->at) x.name = arena_printf(r->arena, "%s at end", x.name);
    if (x.what == ORR_OBSERVE_MISFIT) return x;
    if (x.what == ORR_OBSERVE_AT && !o->at && is_of_observations(r, what, &n_names) && n_names > 0) {
        x.what = ORR_OBSERVE_OF;
        x.parsed = what;
        if (!o->name) x.name = printed(r, NULL, what);
        return x;
    }
    // what moves, too, is subtracted
    if (level && has_names(r, level)) {
        AstExpr *difference = ARENA_NEW(r->arena, AstExpr);
        *difference = (AstExpr){
            .kind = AST_BINARY, .op = AST_SUB, .place = o->place, .operands = { what, (AstExpr *)level, NULL }
        };
        what = difference;
        level = NULL;
    }
    const AstExpr *variable = variable_of(r, what);
    *of = &variable->ref;
    x.variable = reader_name(r, &variable->ref, variable->place, false);
    if (o->data) {
        orr_data data = data_of(r, o->data, o->data->columns, x.variable, *of);
        data.observation = r->n_observed + 1;
        vec_push(r->arena, &r->data, data);
    }
    if (o->at) x.at = reader_time(r, o->at, "at");
    if (o->from) x.from = reader_time(r, o->from, "from");
    if (o->to) x.to = reader_time(r, o->to, "to");
    if (level) x.level = reader_value(r, level, &variable->ref, false, x.variable);
    if (o->level) x.relation = relation_of(o->relation, is_never);
    if (x.from > x.to) {
        diag_report(r->diag, DIAG_TIME_BAD, o->place, x.from, x.to);
        reader_fail(r);
    }
    return x;
}

// As on a command line: what is read of the text, with what the experiment has added to the model so far.
static Reader reader_of(orr_source *source, const orr_experiment *e, const char *word, orr_diag *diag)
{
    Reader r = { .arena = &source->arena,
                 .name = word,
                 .diag = diag,
                 .ast = &source->ast,
                 .model = reader_model_named(&source->ast, e->model) };
    r.source = source;
    for (size_t i = 0; i < e->n_also; i++) vec_push(r.arena, &r.also, ((const AstItem *)e->also)[i]);
    for (size_t i = 0; i < e->n_data; i++) vec_push(r.arena, &r.data, e->data[i]);
    return r;
}

// What the reader adds to the model goes to the experiment.
void reader_keep_also(const Reader *r, orr_experiment *e)
{
    e->also = r->also.items;
    e->n_also = r->also.n;
    e->data = r->data.items;
    e->n_data = r->data.n;
}

bool observation_read(orr_source *source, orr_experiment *e, const orr_measurement *others, size_t n_others,
                      const char *text, orr_measurement *x, orr_diag *diag)
{
    Reader r = reader_of(source, e, "--observe", diag);
    r.observed = others;
    r.n_observed = n_others;
    const AstRef *of;
    AstObserve o;
    const char *kept = arena_copy_text(r.arena, text, strlen(text));
    const uint32_t file = diag_add_source(diag, "--observe", kept, strlen(kept));
    if (!parse_observation(r.arena, file, text_from(kept), &o, diag)) return false;
    *x = read_observe(&r, &o, &of);
    reader_keep_also(&r, e);
    arena_free(&r.work);
    return !r.failed;
}

bool until_read(orr_source *source, orr_experiment *e, const char *text, orr_diag *diag)
{
    Reader r = reader_of(source, e, "--until", diag);
    const char *kept = arena_copy_text(r.arena, text, strlen(text));
    const uint32_t file = diag_add_source(diag, "--until", kept, strlen(kept));
    AstExpr *until = parse_expression(r.arena, file, text_from(kept), diag);
    for (size_t i = r.also.n; i-- > 0;)    // instead of what the experiment says
        if (r.also.items[i].kind == AST_EVENT) r.also.items[i] = r.also.items[--r.also.n];
    if (until) e->until = reader_until(&r, until);
    reader_keep_also(&r, e);
    arena_free(&r.work);
    return until && !r.failed;
}

static void read_expect(Reader *r, const AstExpect *expect, const orr_measurement *x, const AstRef *ref,
                        orr_expect *out)
{
    const bool is_time = x->what == ORR_OBSERVE_TIME;
    const bool has_unit = x->what < ORR_OBSERVE_INTEGRAL || x->what == ORR_OBSERVE_QUANTILE ||
                          x->what == ORR_OBSERVE_FOLLOWS;
    *out = (orr_expect){ .name = x->what == ORR_OBSERVE_AT ? x->variable : x->name, .at = x->at, .value = 1 };
    if (!expect->within) return;
    out->value = !expect->value ? 0
                 : is_time      ? reader_time(r, expect->value, out->name)
                 : has_unit     ? reader_value(r, expect->value, ref, false, out->name)
                                : reader_number(r, expect->value, out->name);
    out->within = is_time    ? reader_time(r, expect->within, "within")
                  : has_unit ? reader_value(r, expect->within, ref, true, "within")
                             : reader_number(r, expect->within, "within");
    if (!(out->within < 0)) return;
    diag_report(r->diag, DIAG_SETTING_VALUE, expect->place, "within", "a negative number",
                "it is a distance");
    reader_fail(r);
}

// What is observed, and what is expected: of anything but a value at a time by an observation of its own.
void reader_observes(Reader *r, const AstExperiment *e, orr_experiment *experiment)
{
    orr_measurement *all = ARENA_ARRAY(r->arena, orr_measurement, e->n_observes + e->n_expects);
    orr_expect *expects = ARENA_ARRAY(r->arena, orr_expect, e->n_expects);
    size_t n = 0;
    const AstRef *of;
    r->observed = all;
    for (uint32_t i = 0; i < e->n_observes; i++) {
        all[n++] = read_observe(r, &e->observes[i], &of);
        r->n_observed = n;
    }
    for (uint32_t i = 0; i < e->n_expects; i++) {
        const AstExpect *expect = &e->expects[i];
        r->n_observed = n;
        orr_measurement x = read_observe(r, &expect->what, &of);
        read_expect(r, expect, &x, of, &expects[i]);
        const orr_place where = diag_where(r->diag, expect->place);
        expects[i].file = where.file ? arena_copy_text(r->arena, where.file, strlen(where.file)) : NULL;
        expects[i].line = where.line;
        expects[i].column = where.column;
        expects[i].length = where.length;
        if (x.what == ORR_OBSERVE_AT) continue;
        x.is_expected = true;
        all[n++] = x;
        expects[i].observation = n;
    }
    experiment->observations = all;
    experiment->n_observations = n;
    experiment->expects = expects;
    experiment->n_expects = e->n_expects;
}

// `data "measured.csv" x = column "position"`: each set of conditions once.
void reader_data(Reader *r, const AstExperiment *e, orr_experiment *experiment)
{
    orr_condition *conditions = ARENA_ARRAY(r->arena, orr_condition, e->n_data);
    for (uint32_t i = 0; i < e->n_data; i++) {
        const AstData *d = &e->data[i];
        size_t condition = 0;
        if (d->n_where) {
            orr_setting *settings = ARENA_ARRAY(r->arena, orr_setting, d->n_where);
            for (uint32_t k = 0; k < d->n_where; k++) {
                const AstSetting *w = &d->where[k];
                settings[k].name = reader_name(r, &w->target, w->place, false);
                settings[k].value = reader_value(r, w->value, &w->target, false, settings[k].name);
            }
            conditions[experiment->n_conditions++] = (orr_condition){ settings, d->n_where };
            condition = experiment->n_conditions;
        }
        for (uint32_t k = 0; k < d->n_columns; k++) {
            const AstRef *ref = &d->columns[k].what->ref;
            const char *variable = reader_name(r, ref, d->columns[k].what->place, false);
            orr_data data = data_of(r, d, &d->columns[k], variable, ref);
            data.condition = condition;
            vec_push(r->arena, &r->data, data);
        }
    }
    experiment->conditions = conditions;
}

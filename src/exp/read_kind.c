// src/exp/read_kind.c: words of kinds, as a command line would give them.
#include "base/os.h"
#include "exp/bind.h"
#include "exp/kind.h"
#include "exp/reader.h"
#include "num/distribution.h"
#include <string.h>

static const orr_kind_info *find_kind(Reader *r, const AstTerm *term)
{
    const orr_kind_info *kind = orr_kind_find(term->name);
    if (kind) return kind;
    VEC(const char *) names = { 0 };
    for (size_t i = 0; orr_kind_at(i); i++) vec_push(&r->work, &names, orr_kind_at(i)->name);
    diag_report(r->diag, DIAG_KIND_UNKNOWN, term->place, term->name);
    diag_suggest(r->diag, term->name, text_closest(term->name, names.items, names.n));
    reader_fail(r);
    return NULL;
}

static const orr_keyword *find_word(Reader *r, const orr_kind_info *kind, const AstTerm *term)
{
    const orr_keyword *word = term->name && !term->is_quoted ? orr_kind_word(kind, term->name) : NULL;
    if (word && !word->is_private) return word;
    VEC(const char *) names = { 0 };
    for (size_t i = 0; orr_kind_word_at(kind, i); i++)
        if (!orr_kind_word_at(kind, i)->is_private)
            vec_push(&r->work, &names, orr_kind_word_at(kind, i)->name);
    const char *text = term->name ? term->name : "a value";
    diag_report(r->diag, DIAG_KIND_WORD, term->place, text, kind->name);
    const char *closest = term->name ? text_closest(term->name, names.items, names.n) : NULL;
    if (word) diag_hint(r->diag, "only whoever carries it out may say that: --%s", word->name);
    else if (closest && strcmp(closest, text) != 0) diag_suggest(r->diag, term->name, closest);
    else if (names.n > 0)
        diag_hint(r->diag, "there is '%s'%s", names.items[0], names.n > 1 ? " and others" : "");
    reader_fail(r);
    return NULL;
}

// One term as the command line would write it.
static void add_term(Reader *r, const orr_source *source, const orr_keyword *word, const AstTerm *term,
                     StrBuf *text, const char **folder)
{
    if (term->before != ' ' && text->n > 0)
        str_add(text, term->before == '.' ? ".." : term->before == ',' ? "," : "=");
    const bool is_number = word->type == ORR_WORD_NUMBER || word->type == ORR_WORD_COUNT;
    if (term->name && word->is_input) {
        const char *path = bind_path(source, term->name, term->place, r->arena, r->diag, folder);
        if (os_path_leaves(*folder, path))
            diag_report(r->diag, DIAG_FILE_OUTSIDE, term->place, term->name), reader_fail(r);
        str_add(text, path);
    } else if (term->name && !(is_number && !term->is_quoted && strcmp(term->name, "pi") == 0)) {
        str_add(text, term->name);
    } else if (term->value && term->value->kind == AST_REF && !is_number) {
        str_add(text, reader_name(r, &term->value->ref, term->place, false));
    } else {
        char shown[40];
        const double value = !term->value    ? 3.14159265358979323846
                             : word->is_time ? reader_time(r, term->value, word->name)
                                             : reader_number(r, term->value, word->name);
        orr_format_number(value, shown);
        str_add(text, shown);
    }
}

// `kind continue param a from 1 to -1`: words and their values, as a command line would give them.
void reader_kind(Reader *r, const orr_source *source, const AstExperiment *e, orr_experiment *experiment)
{
    if (e->n_kind == 0) return;
    const orr_kind_info *kind = find_kind(r, &e->kind[0]);
    if (!kind) return;
    experiment->kind = kind->name;
    VEC(orr_given) given = { 0 };
    for (uint32_t i = 1; i < e->n_kind;) {
        const orr_keyword *word = find_word(r, kind, &e->kind[i]);
        if (!word) return;
        const Place place = e->kind[i++].place;
        StrBuf text = { .arena = r->arena };
        const char *folder = NULL;
        if (word->type != ORR_WORD_FLAG && i < e->n_kind) {
            do add_term(r, source, word, &e->kind[i], &text, &folder);
            while (++i < e->n_kind && e->kind[i].before != ' ');
        } else if (word->type != ORR_WORD_FLAG) {
            diag_report(r->diag, DIAG_EXPECTED, place, "a value", "the end of the line");
            reader_fail(r);
        }
        const orr_given one = { word->name, word->type == ORR_WORD_FLAG ? NULL : str_finish(&text), folder };
        vec_push(&r->work, &given, one);
    }
    if (!r->failed && !words_apply((orr_source *)source, experiment, given.items, given.n, true, r->diag)) {
        diag_note(r->diag, e->kind[0].place, "it is written here");
        reader_fail(r);
    }
}

static void add_number(StrBuf *text, double value)
{
    char shown[40];
    orr_format_number(value, shown);
    str_add(text, shown);
}

static double swept_value(Reader *r, const AstVaried *s, const AstExpr *e, const char *name)
{
    if (!s->option) return reader_value(r, e, &s->what, false, name);
    return strcmp(s->option, "step") == 0 ? reader_time(r, e, name) : reader_number(r, e, name);
}

// `sweep K over 1, 2, 5`, as a command line would give it.
void reader_sweeps(Reader *r, const orr_source *source, const AstExperiment *e, orr_experiment *experiment)
{
    VEC(orr_given) given = { 0 };
    for (uint32_t i = 0; i < e->n_varied; i++) {
        const AstVaried *s = &e->varied[i];
        StrBuf text = { .arena = r->arena };
        const char *name = s->option ? arena_printf(r->arena, "solver %s", s->option)
                                     : reader_name(r, &s->what, s->what_place, false);
        str_add(&text, name);
        if (!s->is_fit || s->start) str_add_char(&text, '=');
        if (s->start) add_number(&text, swept_value(r, s, s->start, name));
        if (s->is_fit && s->low) str_add(&text, " in ");
        for (uint32_t k = 0; k < s->n_values; k++) {
            if (k > 0) str_add_char(&text, ',');
            add_number(&text, swept_value(r, s, s->values[k], name));
        }
        if (s->low) {
            add_number(&text, swept_value(r, s, s->low, name));
            str_add(&text, "..");
            add_number(&text, swept_value(r, s, s->high, name));
            if (s->count) str_addf(&text, ":%.17g", reader_number(r, s->count, "in"));
        }
        if (s->is_log) str_add(&text, s->is_fit ? " log" : ":log");
        const orr_given one = { .word = s->is_fit ? "fit" : "sweep", .text = str_finish(&text) };
        vec_push(&r->work, &given, one);
    }
    if (given.n == 0 || r->failed) return;
    if (!words_apply((orr_source *)source, experiment, given.items, given.n, true, r->diag)) {
        diag_note(r->diag, e->varied[0].what_place, "it is written here");
        reader_fail(r);
    }
}

// `set K ~ normal(2, 0.1)`, as a command line would give it: each argument in the unit of what is drawn.
static const char *draw_text(Reader *r, const AstSetting *draw)
{
    const AstExpr *call = draw->value;
    const char *name = reader_name(r, &draw->target, draw->place, false);
    const int number_of = distribution_number(call->call.function);
    StrBuf text = { .arena = r->arena };
    str_addf(&text, "%s~%s(", name, call->call.function);
    for (uint32_t k = 0; k < call->call.n_args; k++) {
        const bool is_known = number_of != DISTRIBUTION_NONE && k < DISTRIBUTION_ARGUMENTS;
        const DistributionArgument *a = is_known ? &distributions[number_of].arguments[k] : NULL;
        const bool is_distance = a && a->name && (strcmp(a->name, "deviation") == 0);
        if (k > 0) str_add_char(&text, ',');
        add_number(&text, a && !a->is_pure
                              ? reader_value(r, call->call.args[k], &draw->target, is_distance, name)
                              : reader_number(r, call->call.args[k], name));
    }
    str_add_char(&text, ')');
    return str_finish(&text);
}

// `scenario fast : K = 3, M = 2` and `select …`, likewise.
void reader_scenarios(Reader *r, const orr_source *source, const AstExperiment *e, orr_experiment *experiment)
{
    VEC(orr_given) given = { 0 };
    for (uint32_t i = 0; i < e->n_scenarios; i++) {
        const AstScenario *s = &e->scenarios[i];
        StrBuf text = { .arena = r->arena };
        str_addf(&text, "%s:", s->name);
        for (uint32_t k = 0; k < s->n_sets; k++) {
            const char *name = reader_name(r, &s->sets[k].target, s->sets[k].place, false);
            str_addf(&text, "%s%s=", k ? "," : "", name);
            add_number(&text, reader_value(r, s->sets[k].value, &s->sets[k].target, false, name));
        }
        const orr_given one = { .word = "scenario", .text = str_finish(&text) };
        vec_push(&r->work, &given, one);
    }
    if (e->select) {
        StrBuf text = { .arena = r->arena };
        add_number(&text, reader_number(r, e->select->within, "within"));
        const orr_given within = { .word = "select", .text = str_finish(&text) },
                        of = { .word = "of", .text = e->select->of }, least = { .word = "least" };
        vec_push(&r->work, &given, within);
        if (e->select->of) vec_push(&r->work, &given, of);
        if (e->select->is_least) vec_push(&r->work, &given, least);
    }
    if (given.n == 0 || r->failed) return;
    if (!words_apply((orr_source *)source, experiment, given.items, given.n, true, r->diag)) {
        if (e->n_scenarios) diag_note(r->diag, e->scenarios[0].place, "it is written here");
        reader_fail(r);
    }
}

void reader_draws(Reader *r, const orr_source *source, const AstExperiment *e, orr_experiment *experiment)
{
    VEC(orr_given) given = { 0 };
    for (uint32_t i = 0; i < e->n_draws; i++) {
        const orr_given one = { .word = "set", .text = draw_text(r, &e->draws[i]) };
        vec_push(&r->work, &given, one);
    }
    for (uint32_t i = 0; i < e->n_correlations; i++) {
        const AstCorrelation *c = &e->correlations[i];
        StrBuf text = { .arena = r->arena };
        str_addf(&text, "%s,%s=", reader_name(r, &c->a, c->place, false),
                 reader_name(r, &c->b, c->place, false));
        add_number(&text, reader_number(r, c->value, "correlation"));
        const orr_given one = { .word = "correlation", .text = str_finish(&text) };
        vec_push(&r->work, &given, one);
    }
    if (given.n == 0 || r->failed) return;
    if (!words_apply((orr_source *)source, experiment, given.items, given.n, true, r->diag)) {
        diag_note(r->diag, e->n_draws ? e->draws[0].place : e->correlations[0].place, "it is written here");
        reader_fail(r);
    }
}

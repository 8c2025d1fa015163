// src/lang/parse_experiment.c: experiments.
#include "lang/parse.h"
#include <math.h>

typedef struct Lists {    // of the experiment under way, in the scratch arena
    VEC(AstSetting) sets, quanta, absolutes;
    VEC(AstSolver)  islands;
    VEC(AstRef)     records;
    VEC(Place)      record_places;
    VEC(AstRef)     precise;
    VEC(Place)      precise_places;
    VEC(bool)       precise_means;
    VEC(AstPlot)    plots;
    VEC(AstExpect)  expects;
    VEC(AstObserve) observes;
    VEC(AstVaried)   varied;
    VEC(AstData)    data;
    VEC(AstSetting) draws;
    VEC(AstCorrelation) correlations;
    VEC(AstScenario) scenarios;
    VEC(AstStatistic) statistics;
    VEC(AstInput)   inputs;
    VEC(AstSend)    sends;
} Lists;

// A list of an experiment, in an array of its own.
#define COPY(p, vec, n_out) copy_list((p), (vec).items, (vec).n, sizeof *(vec).items, (n_out))
static void *copy_list(Parser *p, const void *items, size_t n, size_t size, uint32_t *n_out)
{
    return parse_take(p, items, &n, 0, size, n_out);
}

// A value that may be given once.
static void parse_once(Parser *p, AstExpr **value, const char *word, Place place)
{
    AstExpr *e = parse_condition(p);
    if (!e) return;
    if (*value) PARSE_FAIL(p, DIAG_STATEMENT_TWICE, place, word);
    else *value = e;
}

// ---- solver [ISLAND :] NAME {option value}
//
// A name may have two words and hyphens (semi-implicit euler), an option's value may be a name (step h), and
// nothing separates them. The words in a row up to the first thing that is not a word settle it: options and
// values pair up, so one word or two remain for the name.

// Pass over a word and what hyphens join to it.
bool parse_hyphened(Parser *p)
{
    if (!parse_at(p, TOKEN_NAME)) return false;
    parse_advance(p);
    while (parse_at(p, TOKEN_MINUS) && !p->token.space_before) {
        const Token next = parse_peek(p);
        if (next.kind != TOKEN_NAME || next.space_before) break;
        parse_advance(p);
        parse_advance(p);
    }
    return true;
}

static bool name_has_two_words(const Parser *p)
{
    Parser ahead = *p;    // only its tokens are used
    ahead.lexer.quiet = true;
    size_t n_words = 0;
    while (parse_hyphened(&ahead)) n_words++;
    // the last word is an option if a value follows that is not a word, else it is itself a value or the name
    const TokenKind next = ahead.token.kind;
    const bool option_last = next == TOKEN_NUMBER || next == TOKEN_LPAREN || next == TOKEN_MINUS ||
                             next == TOKEN_QUOTED || next == TOKEN_IF || next == TOKEN_EQUALS;
    return n_words >= 2 && (n_words - 1 - (option_last ? 1u : 0u)) % 2 == 1;
}

static void parse_solver_options(Parser *p, AstSolver *solver)
{
    VEC(AstSetting) options = { 0 };
    while (parse_at(p, TOKEN_NAME)) {
        AstSetting option = { 0 };
        const uint32_t option_start = p->token.offset;
        AstPart *part = ARENA_NEW(p->arena, AstPart);
        part->name = parse_name(p, "an option");
        if (!part->name) return;
        const bool is_equals = parse_at(p, TOKEN_EQUALS);
        if (is_equals || parse_at(p, TOKEN_END)) {
            if (parse_report(p, "a value"))
                diag_hint(p->diag,
                          is_equals ? "options are written without '=': %s 0.01"
                                    : "every option of a solver has a value: %s 0.01",
                          part->name);
            return;
        }
        option.target = (AstRef){ .parts = part, .n_parts = 1 };
        option.value = parse_expr(p);
        if (!option.value) return;
        option.place = parse_since(p, option_start);
        vec_push(&p->scratch, &options, option);
    }
    solver->options = COPY(p, options, &solver->n_options);
}

// Does the name of an island follow, with a colon behind it?
static bool names_island(const Parser *p)
{
    Parser ahead = *p;    // only its tokens are used
    ahead.lexer.quiet = true;
    while (!parse_at(&ahead, TOKEN_END) && !parse_at(&ahead, TOKEN_EOF) && !parse_at(&ahead, TOKEN_COLON))
        parse_advance(&ahead);
    return parse_at(&ahead, TOKEN_COLON);
}

static void parse_solver(Parser *p, AstExperiment *e, Lists *lists)
{
    AstSolver solver = { 0 };
    const Place word_place = parse_since(p, p->statement);
    if (names_island(p) && (!parse_ref(p, &solver.island, &solver.island_place, "the name of an island") ||
                            !parse_expect(p, TOKEN_COLON, "':' and the name of a solver")))
        return;
    const bool two_words = name_has_two_words(p);
    const uint32_t start = p->token.offset;
    if (!parse_hyphened(p)) {
        parse_unexpected(p, "the name of a solver");
        return;
    }
    StrBuf name = { .arena = &p->scratch };
    str_add_text(&name, text_part(p->lexer.text, start, p->end));
    if (two_words) {
        const uint32_t second = p->token.offset;
        parse_hyphened(p);
        str_add_char(&name, ' ');
        str_add_text(&name, text_part(p->lexer.text, second, p->end));
    }
    if (e->solver.name && solver.island.n_parts == 0) {
        PARSE_FAIL(p, DIAG_STATEMENT_TWICE, word_place, "solver");
        return;
    }
    solver.name = parse_intern(p, (Text){ name.p, name.n });
    solver.place = parse_since(p, start);
    parse_solver_options(p, &solver);
    if (solver.island.n_parts == 0) e->solver = solver;
    else vec_push(&p->scratch, &lists->islands, solver);
}

// ---- The other statements

static void parse_set(Parser *p, Lists *lists)
{
    do {
        const uint32_t start = p->token.offset;
        AstSetting setting = { 0 };
        if (!parse_ref(p, &setting.target, &setting.place, "a name")) return;
        const bool is_drawn = parse_accept(p, TOKEN_TILDE);
        if (!is_drawn && !parse_expect(p, TOKEN_EQUALS, "'=' and a value")) return;
        setting.value = parse_expr(p);
        if (!setting.value) return;
        setting.place = parse_since(p, start);
        if (is_drawn && setting.value->kind != AST_CALL) {
            PARSE_FAIL(p, DIAG_EXPECTED, setting.value->place, "a distribution such as normal(2, 0.1)",
                       "something else");
            return;
        }
        if (is_drawn) vec_push(&p->scratch, &lists->draws, setting);
        else vec_push(&p->scratch, &lists->sets, setting);
    } while (parse_accept(p, TOKEN_COMMA));
}

static void parse_scenario(Parser *p, Lists *lists)
{
    AstScenario s = { .place = parse_here(p) };
    VEC(AstSetting) sets = { 0 };
    s.name = parse_name(p, "the name of a scenario");
    if (!s.name || !parse_expect(p, TOKEN_COLON, "':' and what changes")) return;
    do {
        AstSetting setting = { 0 };
        if (!parse_setting(p, &setting)) return;
        vec_push(&p->scratch, &sets, setting);
    } while (parse_accept(p, TOKEN_COMMA));
    s.sets = COPY(p, sets, &s.n_sets);
    vec_push(&p->scratch, &lists->scenarios, s);
}

// select best within 0.5, select least of cost within 2
static void parse_select(Parser *p, AstExperiment *e)
{
    AstSelect *s = ARENA_NEW(p->arena, AstSelect);
    s->is_least = parse_accept_word(p, "least");
    if (!s->is_least && !parse_accept_word(p, "best") && !parse_accept_word(p, "largest")) {
        parse_unexpected(p, "best, largest or least");
        return;
    }
    if (parse_accept_word(p, "of") && !(s->of = parse_name(p, "the name of an observation"))) return;
    if (!parse_accept_word(p, "within")) {
        if (parse_report(p, "'within'")) diag_hint(p->diag, "say which difference matters: within 0.5");
        return;
    }
    s->within = parse_expr(p);
    if (s->within) e->select = s;
}

static void parse_correlation(Parser *p, Lists *lists)
{
    AstCorrelation c = { 0 };
    Place place;
    if (!parse_ref(p, &c.a, &place, "the name of something that is drawn") ||
        !parse_expect(p, TOKEN_COMMA, "',' and another name") ||
        !parse_ref(p, &c.b, &place, "the name of something that is drawn") ||
        !parse_expect(p, TOKEN_EQUALS, "'=' and a number between -1 and 1"))
        return;
    c.value = parse_expr(p);
    c.place = parse_since(p, p->statement);
    if (c.value) vec_push(&p->scratch, &lists->correlations, c);
}

// Of single states: quantum x = 0.01, abs x = 1e-12.
static void parse_of_states(Parser *p, Lists *lists, bool is_quantum)
{
    if (parse_at(p, TOKEN_NUMBER)) {
        if (parse_report(p, "the name of a state"))
            diag_hint(p->diag, "that of all states is an option of the solver: solver %s 1e-4",
                      is_quantum ? "qss2 quantum" : "bdf abs");
        return;
    }
    do {
        AstSetting setting = { 0 };
        if (!parse_setting(p, &setting)) return;
        if (is_quantum) vec_push(&p->scratch, &lists->quanta, setting);
        else vec_push(&p->scratch, &lists->absolutes, setting);
    } while (parse_accept(p, TOKEN_COMMA));
}

static void parse_record(Parser *p, AstExperiment *e, Lists *lists)
{
    do {
        AstRef ref;
        Place place;
        if (!parse_ref(p, &ref, &place, "the name of a variable")) return;
        vec_push(&p->scratch, &lists->records, ref);
        vec_push(&p->scratch, &lists->record_places, place);
    } while (parse_accept(p, TOKEN_COMMA));
    const Place place = parse_here(p);
    if (parse_accept_word(p, "every")) parse_once(p, &e->every, "every", place);
    if (!parse_accept_word(p, "as")) return;
    if (!parse_accept_word(p, "polynomials")) {
        if (parse_report(p, "'polynomials'"))
            diag_hint(p->diag,
                      "states can be recorded as the polynomials that solvers of quantised states have");
        return;
    }
    e->as_polynomials = true;
}

// `precision 0.05 of x, mean(y)`
static void parse_precision(Parser *p, AstExperiment *e, Lists *lists, Place word)
{
    parse_once(p, &e->precision, "precision", word);
    if (!parse_accept_word(p, "of")) return;
    do {
        AstRef ref;
        Place place;
        const bool is_mean = parse_at_word(p, "mean") && parse_peek(p).kind == TOKEN_LPAREN;
        Token open = p->token;
        if (is_mean) {
            parse_advance(p);
            open = p->token;
            parse_mark(p, MARK_CALL, open);
            parse_advance(p);
        }
        if (!parse_ref(p, &ref, &place, "the name of a variable")) return;
        if (is_mean && !parse_close(p, open, TOKEN_RPAREN, "')'")) return;
        vec_push(&p->scratch, &lists->precise, ref);
        vec_push(&p->scratch, &lists->precise_places, place);
        vec_push(&p->scratch, &lists->precise_means, is_mean);
    } while (parse_accept(p, TOKEN_COMMA));
}

// Names with commas between them, each with its place; false after a message.
static bool parse_refs(Parser *p, AstRef **refs, Place **places, uint32_t *n)
{
    VEC(AstRef) all = { 0 };
    VEC(Place) all_places = { 0 };
    do {
        AstRef ref;
        Place place;
        if (!parse_ref(p, &ref, &place, "the name of a variable")) return false;
        vec_push(&p->scratch, &all, ref);
        vec_push(&p->scratch, &all_places, place);
    } while (parse_accept(p, TOKEN_COMMA));
    *refs = COPY(p, all, n);
    *places = COPY(p, all_places, n);
    return true;
}

static void parse_plot(Parser *p, Lists *lists)
{
    AstPlot plot = { 0 };
    if (parse_at_word(p, "histogram")) {    // a variable may be called that
        Parser ahead = *p;
        ahead.lexer.quiet = true;
        parse_advance(&ahead);
        plot.is_histogram = parse_at_word(&ahead, "of");
    }
    if (plot.is_histogram) {
        parse_advance(p);
        parse_advance(p);
    }
    if (!parse_refs(p, &plot.ys, &plot.y_places, &plot.n_ys)) return;
    if (!plot.is_histogram && parse_accept_word(p, "over") &&
        !parse_ref(p, &plot.over, &plot.over_place, "the name of a variable"))
        return;
    const Text over = plot.over.n_parts == 1 ? text_from(plot.over.parts[0].name) : (Text){ 0 };
    if ((parse_at(p, TOKEN_NAME) || parse_at(p, TOKEN_LPAREN)) &&
        (text_is(over, "log") || text_is(over, "log10") || text_is(over, "ln"))) {
        if (parse_report(p, "the end of the statement"))
            diag_hint(p->diag, "a plot goes over a variable: write 'output lg = log10(t)' in the model and "
                               "'over lg' here");
        return;
    }
    plot.place = parse_since(p, p->statement);
    vec_push(&p->scratch, &lists->plots, plot);
}

// `statistics desk.waits percentiles 50, 95, 99 histogram 20 bins in 0..10`
static void parse_statistics(Parser *p, Lists *lists)
{
    AstStatistic s = { 0 };
    if (!parse_refs(p, &s.refs, &s.places, &s.n_refs)) return;
    VEC(AstExpr *) percentiles = { 0 };
    if (parse_accept_word(p, "percentiles")) {
        do {
            AstExpr *e = parse_expr(p);
            if (!e) return;
            vec_push(&p->scratch, &percentiles, e);
        } while (parse_accept(p, TOKEN_COMMA));
        s.percentiles = COPY(p, percentiles, &s.n_percentiles);
    }
    s.has_histogram = parse_accept_word(p, "histogram");
    if (s.has_histogram && !parse_at_word(p, "in") && !parse_at(p, TOKEN_END)) {
        s.n_bins = parse_expr(p);
        if (!s.n_bins) return;
        if (!parse_accept_word(p, "bins")) {
            if (parse_report(p, "'bins'"))
                diag_hint(p->diag, "write histogram 20 bins, or histogram 20 bins in 0..10");
            return;
        }
    }
    if (s.has_histogram && parse_accept_word(p, "in")) {
        s.low = parse_expr(p);
        if (!s.low || !parse_expect(p, TOKEN_RANGE, "'..' and the upper end")) return;
        s.high = parse_expr(p);
        if (!s.high) return;
    }
    if (!parse_at(p, TOKEN_END) && !parse_at(p, TOKEN_EOF)) {
        if (parse_report(p, s.has_histogram ? "the end of the line"
                                            : "'percentiles', 'histogram' or the end of the line"))
            diag_hint(p->diag, "write statistics desk.waits percentiles 50, 95 histogram 20 bins in 0..10");
        return;
    }
    vec_push(&p->scratch, &lists->statistics, s);
}

// ---- Observations

static const struct {
    const char *word, *then;    // what follows it
    AstMeasure  measure;
} measures[] = {
    { "max", "of", AST_MEASURE_MAX },       { "min", "of", AST_MEASURE_MIN },
    { "mean", "of", AST_MEASURE_MEAN },     { "integral", "of", AST_MEASURE_INTEGRAL },
    { "time", "when", AST_MEASURE_TIME },   { "count", "when", AST_MEASURE_COUNT },
    { "always", NULL, AST_MEASURE_ALWAYS }, { "eventually", NULL, AST_MEASURE_EVENTUALLY },
    { "never", NULL, AST_MEASURE_NEVER },
};

// `p95`: 0.95; NaN: it is none.
static double quantile_of(Text word)
{
    double percent = 0;
    if (word.n < 2 || word.n > 4 || word.p[0] != 'p') return NAN;
    for (size_t i = 1; i < word.n; i++) {
        if (word.p[i] < '0' || word.p[i] > '9') return NAN;
        percent = 10 * percent + (word.p[i] - '0');
    }
    return percent <= 100 ? percent / 100 : NAN;
}

// Words that measure are also names of variables: what follows tells.
static bool parse_measure(Parser *p, AstObserve *o)
{
    const double part = parse_at(p, TOKEN_NAME) ? quantile_of(lex_text(&p->lexer, p->token)) : NAN;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        if (!parse_at_word(p, measures[i].word)) continue;
        const bool is_one = measures[i].then ? parse_peek_word(p, measures[i].then)
                                             : parse_peek(p).kind == TOKEN_NAME ||
                                                   parse_peek(p).kind == TOKEN_LPAREN;
        if (!is_one) continue;
        o->measure = measures[i].measure;
        parse_advance(p);
        if (measures[i].then) parse_advance(p);
        return true;
    }
    if (isnan(part) || !parse_peek_word(p, "of")) return false;
    o->measure = AST_MEASURE_QUANTILE;
    o->part = part;
    parse_advance(p);
    parse_advance(p);
    return true;
}

// `x > 1`: its two sides.
static bool split_relation(Parser *p, AstObserve *o)
{
    const AstExpr *e = o->what;
    if (e->kind == AST_BINARY && e->op >= AST_LT && e->op <= AST_GE) {
        o->relation = e->op;
        o->level = e->operands.b;
        o->what = e->operands.a;
        return true;
    }
    if (parse_report(p, "<, <=, > or >="))
        diag_hint(p->diag, "two values are compared: time when x > 1");
    return false;
}

static bool parse_observe(Parser *p, AstObserve *o)
{
    const uint32_t start = p->token.offset;
    if (parse_at_word(p, "misfit") && parse_peek_word(p, "to")) {
        parse_advance(p);
        parse_advance(p);
        o->measure = AST_MEASURE_MISFIT;
        o->place = parse_since(p, start);
        return parse_accept_word(p, "data") || parse_unexpected(p, "'data'");
    }
    const bool is_measure = parse_measure(p, o);
    o->what = parse_expr(p);
    if (o->what && !is_measure && parse_accept_word(p, "follows")) {
        o->measure = AST_MEASURE_FOLLOWS;
        o->data = ARENA_NEW(p->arena, AstData);
        if (!parse_follows(p, o->what, o->data)) return false;
        o->place = parse_since(p, start);
        return true;
    }
    if (!o->what || (o->measure >= AST_MEASURE_TIME && !split_relation(p, o))) return false;
    if (is_measure && parse_accept_word(p, "from") && !(o->from = parse_expr(p))) return false;
    if (is_measure && parse_accept_word(p, "to") && !(o->to = parse_expr(p))) return false;
    if (!is_measure && parse_accept_word(p, "at") && !parse_accept_word(p, "end") && !(o->at = parse_expr(p)))
        return false;
    o->place = parse_since(p, start);
    return true;
}

// `observe peak = max of x from 2 to 5`
static bool parse_named_observe(Parser *p, AstObserve *o)
{
    if (parse_at_name(p) && parse_peek(p).kind == TOKEN_EQUALS) {
        o->name = parse_name(p, "a name");
        parse_advance(p);
    }
    return parse_observe(p, o);
}

bool parse_observation(Arena *arena, uint32_t file, Text text, AstObserve *observe, orr_diag *diag)
{
    Parser p;
    *observe = (AstObserve){ 0 };
    parse_begin(&p, NULL, arena, file, text, diag, NULL);
    parse_statement_begin(&p);
    parse_named_observe(&p, observe);
    parse_statement_end(&p);
    parse_accept(&p, TOKEN_END);
    if (!parse_at(&p, TOKEN_EOF)) parse_unexpected(&p, "one observation");
    return parse_finish(&p);
}

static void parse_observes(Parser *p, Lists *lists)
{
    do {
        AstObserve o = { 0 };
        if (!parse_named_observe(p, &o)) return;
        vec_push(&p->scratch, &lists->observes, o);
    } while (parse_accept(p, TOKEN_COMMA));
}

static void parse_expectation(Parser *p, Lists *lists)
{
    AstExpect expect = { 0 };
    if (!parse_observe(p, &expect.what)) return;
    const AstMeasure measure = expect.what.measure;
    const bool is_truth = measure >= AST_MEASURE_ALWAYS && measure <= AST_MEASURE_NEVER;
    if (!is_truth) {
        if (measure == AST_MEASURE_FOLLOWS) {
            expect.value = NULL;    // 0
        } else if (!parse_at(p, TOKEN_EQUALS)) {
            if (parse_report(p, expect.what.at || expect.what.measure ? "'='" : "'at' or '='"))
                diag_hint(p->diag, "write expect x at 1 = 0.3679 within 1e-4");
            return;
        } else {
            parse_advance(p);
            expect.value = parse_expr(p);
            if (!expect.value) return;
        }
        if (!parse_accept_word(p, "within")) {
            if (parse_report(p, "'within'")) diag_hint(p->diag, "say how near it must be: within 1e-6");
            return;
        }
        expect.within = parse_expr(p);
        if (!expect.within) return;
    }
    expect.place = parse_since(p, p->statement);
    vec_push(&p->scratch, &lists->expects, expect);
}

// ---- sweep NAME over VALUES

static void parse_sweep(Parser *p, Lists *lists)
{
    AstVaried s = { 0 };
    if (parse_at_word(p, "solver") && parse_peek(p).kind == TOKEN_NAME && !parse_peek_word(p, "over")) {
        parse_advance(p);
        s.what_place = parse_here(p);
        s.option = parse_name(p, "an option of the solver");
        if (!s.option) return;
    } else if (!parse_ref(p, &s.what, &s.what_place, "the name of a parameter")) {
        return;
    }
    if (!parse_accept_word(p, "over")) {
        if (parse_report(p, "'over' and values"))
            diag_hint(p->diag, "write sweep K over 1, 2, 5 or sweep K over 0..10 in 6");
        return;
    }
    VEC(AstExpr *) values = { 0 };
    do {
        AstExpr *e = parse_expr(p);
        if (!e) return;
        vec_push(&p->scratch, &values, e);
    } while (parse_accept(p, TOKEN_COMMA));
    if (values.n == 1 && parse_accept(p, TOKEN_RANGE)) {
        s.low = values.items[0];
        s.high = parse_expr(p);
        if (!s.high || (parse_accept_word(p, "in") && !(s.count = parse_expr(p)))) return;
        s.is_log = parse_accept_word(p, "log");
    } else {
        s.values = COPY(p, values, &s.n_values);
    }
    vec_push(&p->scratch, &lists->varied, s);
}

// ---- fit NAME from START in LOW..HIGH, …

static void parse_fit(Parser *p, Lists *lists)
{
    do {
        AstVaried f = { .is_fit = true };
        if (!parse_ref(p, &f.what, &f.what_place, "the name of a parameter")) return;
        if (parse_accept_word(p, "from") && !(f.start = parse_expr(p))) return;
        if (parse_accept_word(p, "in")) {
            f.low = parse_expr(p);
            if (!f.low || !parse_expect(p, TOKEN_RANGE, "'..' and the upper bound")) return;
            f.high = parse_expr(p);
            if (!f.high) return;
        }
        f.is_log = parse_accept_word(p, "log");
        vec_push(&p->scratch, &lists->varied, f);
    } while (parse_accept(p, TOKEN_COMMA));
    if (parse_at(p, TOKEN_END) || parse_at(p, TOKEN_EOF)) return;
    if (parse_report(p, "'from', 'in', 'log' or a comma"))
        diag_hint(p->diag, "write fit K from 1 in 0.1..50, or fit K from 1 in 0.1..50 log");
}

// A name that is a word by itself, not the beginning of a value: `from 1 to -1`, `semi-implicit`.
static bool stands_alone(const Parser *p)
{
    Parser ahead = *p;    // only its tokens are used
    ahead.lexer.quiet = true;
    if (!parse_hyphened(&ahead)) return false;
    const Token next = ahead.token;
    if (next.kind == TOKEN_LPAREN) return next.space_before;
    if (next.kind == TOKEN_MINUS) return next.space_before && !parse_peek(&ahead).space_before;
    return next.kind == TOKEN_NAME || next.kind == TOKEN_NUMBER || next.kind == TOKEN_QUOTED ||
           next.kind == TOKEN_COMMA || next.kind == TOKEN_EQUALS || next.kind == TOKEN_RANGE ||
           next.kind == TOKEN_END || next.kind == TOKEN_EOF || next.kind == TOKEN_IF;
}

// `kind NAME {word value}`
static void parse_kind(Parser *p, AstExperiment *e)
{
    VEC(AstTerm) terms = { 0 };
    if (e->n_kind > 0) {
        PARSE_FAIL(p, DIAG_STATEMENT_TWICE, parse_since(p, p->statement), "kind");
        return;
    }
    do {
        AstTerm term = { .before = parse_accept(p, TOKEN_COMMA)    ? ','
                                   : parse_accept(p, TOKEN_EQUALS) ? '='
                                   : parse_accept(p, TOKEN_RANGE)  ? '.'
                                                                   : ' ' };
        const uint32_t start = p->token.offset;
        if (parse_at(p, TOKEN_QUOTED)) {
            term.name = parse_doc(p);
            term.is_quoted = true;
        } else if (stands_alone(p)) {
            parse_hyphened(p);
            term.name = parse_intern(p, text_part(p->lexer.text, start, p->end));
        } else if (terms.n == 0) {
            parse_unexpected(p, "the name of a kind of experiment");
            return;
        } else {
            term.value = parse_expr(p);
            if (!term.value) return;
        }
        term.place = parse_since(p, start);
        vec_push(&p->scratch, &terms, term);
    } while (!parse_at(p, TOKEN_END) && !parse_at(p, TOKEN_EOF));
    e->kind = COPY(p, terms, &e->n_kind);
}

// `reactions as events`
static void parse_reactions(Parser *p, AstExperiment *e, Place word)
{
    static const char *const ways[] = { "equations", "events" };
    if (e->reactions) PARSE_FAIL(p, DIAG_STATEMENT_TWICE, word, "reactions");
    const bool says_as = parse_accept_word(p, "as");
    for (int i = 0; i < 2 && says_as && !e->reactions; i++)
        if (parse_accept_word(p, ways[i])) e->reactions = ways[i];
    if (!e->reactions)
        parse_unexpected(p, says_as ? "'equations' or 'events'" : "'as equations' or 'as events'");
}

static void report_unknown_word(Parser *p)
{
    static const char *const words[] = { "keep",
                                         "kind",      "from",       "until",     "every",        "solver",
                                         "set",       "abs",
                                         "quantum",   "input",      "output",    "record",       "plot",
                                         "expect",    "observe",    "outside",   "seed",         "warm",
                                         "precision", "confidence", "statistics", "replications", "sweep",
                                         "reactions", "fit",        "data",      "correlation",
                                         "scenario",  "select" };
    static const char *const later[] = { "validate", "optimise", "sensitivity",
                                         "predict", "policy", "morphism", "monte" };
    if (!parse_at(p, TOKEN_NAME)) {
        parse_unexpected(p, "a statement of an experiment");
        return;
    }
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        if (!parse_at_word(p, later[i])) continue;
        parse_not_yet(p, p->token);
        return;
    }
    const Text text = lex_text(&p->lexer, p->token);
    const char *word = parse_intern(p, text);
    const bool equation = parse_peek(p).kind == TOKEN_EQUALS;
    const bool of_model = parse_is_model_word(text);
    if (!PARSE_FAIL(p, DIAG_STATEMENT_UNKNOWN, parse_here(p), word, "an experiment")) return;
    const char *closest = text_closest(word, words, sizeof words / sizeof *words);
    if (text_is(text, "to") || text_is(text, "stop") || text_is(text, "endtime")) closest = "until";
    if (text_is(text, "start")) closest = "from";
    if (text_is(text, "step") || text_is(text, "tol"))
        diag_hint(p->diag, "it is an option of the solver: solver rk4 step 0.01");
    else if (closest) diag_suggest(p->diag, word, closest);
    else if (equation) diag_hint(p->diag, "a parameter is changed by: set %s = ...", word);
    else if (of_model)
        diag_hint(p->diag, "it belongs in the model; an experiment changes parameters by 'set'");
}

static void parse_statement(Parser *p, AstExperiment *e, Lists *lists)
{
    const Place place = parse_here(p);
    if (parse_accept_word(p, "from")) parse_once(p, &e->from, "from", place);
    else if (parse_accept_word(p, "until")) parse_once(p, &e->until, "until", place);
    else if (parse_accept_word(p, "every")) parse_once(p, &e->every, "every", place);
    else if (parse_accept_word(p, "kind")) parse_kind(p, e);
    else if (parse_accept_word(p, "keep")) e->keeps = true;
    else if (parse_accept_word(p, "solver")) parse_solver(p, e, lists);
    else if (parse_accept_word(p, "set")) parse_set(p, lists);
    else if (parse_accept_word(p, "correlation")) parse_correlation(p, lists);
    else if (parse_accept_word(p, "scenario")) parse_scenario(p, lists);
    else if (parse_accept_word(p, "select")) parse_select(p, e);
    else if (parse_accept_word(p, "reactions")) parse_reactions(p, e, place);
    else if (parse_accept_word(p, "quantum")) parse_of_states(p, lists, true);
    else if (parse_accept_word(p, "abs")) parse_of_states(p, lists, false);
    else if (parse_accept_word(p, "record")) parse_record(p, e, lists);
    else if (parse_accept_word(p, "plot")) parse_plot(p, lists);
    else if (parse_accept_word(p, "expect")) parse_expectation(p, lists);
    else if (parse_accept_word(p, "observe")) parse_observes(p, lists);
    else if (parse_accept_word(p, "sweep")) parse_sweep(p, lists);
    else if (parse_accept_word(p, "fit")) parse_fit(p, lists);
    else if (parse_accept_word(p, "data")) {
        AstData data;
        if (parse_data(p, &data)) vec_push(&p->scratch, &lists->data, data);
    }
    else if (parse_accept_word(p, "statistics")) parse_statistics(p, lists);
    else if (parse_accept_word(p, "seed")) parse_once(p, &e->seed, "seed", place);
    else if (parse_accept_word(p, "replications")) parse_once(p, &e->replications, "replications", place);
    else if (parse_accept_word(p, "confidence")) parse_once(p, &e->confidence, "confidence", place);
    else if (parse_accept_word(p, "precision")) parse_precision(p, e, lists, place);
    else if (parse_accept_word(p, "warm")) {
        if (parse_accept_word(p, "up")) parse_once(p, &e->warm_up, "warm up", place);
        else parse_unexpected(p, "'up' and a time");
    }
    else if (parse_accept_word(p, "input")) {
        AstInput input;
        if (parse_input(p, &input)) vec_push(&p->scratch, &lists->inputs, input);
    } else if (parse_accept_word(p, "output")) {
        AstSend send;
        if (parse_output_to(p, &send)) vec_push(&p->scratch, &lists->sends, send);
    } else if (parse_accept_word(p, "outside")) parse_outside(p, &e->outside);
    else report_unknown_word(p);
}

void parse_experiment(Parser *p)
{
    const Token opener = p->token;
    parse_advance(p);
    AstExperiment e = { .place = parse_here(p) };
    Parser ahead = *p;    // only its tokens are used
    ahead.lexer.quiet = true;
    parse_advance(&ahead);
    const bool unnamed = parse_at_word(p, "of") && !parse_at_word(&ahead, "of");
    if (unnamed) parse_unexpected(p, "the name of an experiment");
    else e.name = parse_name(p, "the name of an experiment");
    if (e.name && parse_accept_word(p, "of")) {
        e.model_place = parse_here(p);
        e.model = parse_name(p, "the name of a model");
    } else if (e.name && parse_report(p, "'of' and a model")) {
        diag_hint(p->diag, "write experiment %s of MODEL", e.name);
    }
    if (e.model && parse_accept_word(p, "in")) {
        e.frame_place = parse_here(p);
        e.frame = parse_name(p, "the name of a frame");
    }
    if (e.model) e.doc = parse_doc(p);

    p->suspect = (Place){ 0 };
    const char *words = e.name ? arena_printf(&p->scratch, "experiment %s", e.name) : "experiment";
    const ParseBlock block = parse_block_begin(p, opener, words);
    Lists lists = { 0 };
    while (parse_block_goes_on(p, &block)) {
        parse_statement_begin(p);
        parse_statement(p, &e, &lists);
        parse_statement_end(p);
    }
    uint32_t n_places;
    e.islands = COPY(p, lists.islands, &e.n_islands);
    e.sets = COPY(p, lists.sets, &e.n_sets);
    e.quanta = COPY(p, lists.quanta, &e.n_quanta);
    e.absolutes = COPY(p, lists.absolutes, &e.n_absolutes);
    e.records = COPY(p, lists.records, &e.n_records);
    e.record_places = COPY(p, lists.record_places, &n_places);
    e.precise = COPY(p, lists.precise, &e.n_precise);
    e.precise_places = COPY(p, lists.precise_places, &n_places);
    e.precise_means = COPY(p, lists.precise_means, &n_places);
    e.plots = COPY(p, lists.plots, &e.n_plots);
    e.expects = COPY(p, lists.expects, &e.n_expects);
    e.observes = COPY(p, lists.observes, &e.n_observes);
    e.varied = COPY(p, lists.varied, &e.n_varied);
    e.data = COPY(p, lists.data, &e.n_data);
    e.draws = COPY(p, lists.draws, &e.n_draws);
    e.correlations = COPY(p, lists.correlations, &e.n_correlations);
    e.scenarios = COPY(p, lists.scenarios, &e.n_scenarios);
    e.statistics = COPY(p, lists.statistics, &e.n_statistics);
    e.inputs = COPY(p, lists.inputs, &e.n_inputs);
    e.sends = COPY(p, lists.sends, &e.n_sends);
    if (e.model) vec_push(p->arena, &p->ast->experiments, e);
}

// src/lang/parse.c: a file in the language: what stands outside of models and experiments, and the front end.
#include "lang/parse.h"
#include "base/number.h"
#include "lang/frontend.h"

enum { VERSION_MAX = 1 };

// `orrery 1`, the version of the language, in the first line only.
static void parse_version(Parser *p, bool is_first)
{
    const Place place = parse_here(p);
    parse_advance(p);
    const Text text = lex_text(&p->lexer, p->token);
    double version = 0;
    number_parse(text, &version);
    if (!is_first) {
        if (PARSE_FAIL(p, DIAG_EXPECTED, place, "a model, a function or an experiment",
                       "the version of the language"))
            diag_hint(p->diag, "the version stands in the first line");
    } else if (version != 1) {
        char buffer[40];
        snprintf(buffer, sizeof buffer, "%.*s", (int)(text.n < 30 ? text.n : 30), text.p);
        PARSE_FAIL(p, DIAG_VERSION_UNKNOWN, place_join(place, parse_here(p)), buffer, VERSION_MAX);
        p->stop = true;    // what another version of the language says cannot be judged
    }
    parse_advance(p);
}

static void parse_use(Parser *p)
{
    parse_advance(p);
    AstUse use = { .place = parse_here(p) };
    if (!parse_at(p, TOKEN_QUOTED)) {
        if (parse_report(p, "the name of a file in double quotes"))
            diag_hint(p->diag, "write use \"parts.orr\"");
        return;
    }
    use.path = parse_doc(p);
    if (use.path[0] == '\0') PARSE_FAIL(p, DIAG_EXPECTED, use.place, "the name of a file", "an empty text");
    else vec_push(p->arena, &p->ast->uses, use);
}

// unit NAME [= NUMBER UNIT] [TEXT]
static void parse_unit_definition(Parser *p)
{
    parse_advance(p);
    AstUnit unit = { .place = parse_here(p) };
    unit.name = parse_name(p, "the name of a unit");
    if (!unit.name) return;
    if (parse_accept(p, TOKEN_EQUALS)) {
        const uint32_t start = p->token.offset;
        const NumberResult result = parse_at(p, TOKEN_NUMBER)
                                        ? number_read(lex_text(&p->lexer, p->token), &unit.value)
                                        : NUMBER_BAD;
        if (result != NUMBER_OK || !(unit.value > 0)) {
            if (parse_report(p, "a positive number"))
                diag_hint(p->diag, "a unit is so many of another: unit furlong = 201.168 [m]");
            return;
        }
        parse_advance(p);
        const Text text = parse_at(p, TOKEN_UNIT) ? lex_inner(&p->lexer, p->token) : (Text){ 0 };
        if (text.n == 0) {
            const bool is_empty = parse_at(p, TOKEN_UNIT);
            if (is_empty ? PARSE_FAIL(p, DIAG_EXPECTED, parse_here(p), "a unit", "empty brackets")
                         : parse_report(p, "a unit"))
                diag_hint(p->diag, "a unit is so many of another: unit furlong = 201.168 [m]");
            return;
        }
        unit.unit = parse_intern(p, text);
        parse_advance(p);
        unit.unit_place = parse_since(p, start);
    }
    unit.doc = parse_doc(p);
    vec_push(p->arena, &p->ast->units, unit);
}

static void parse_file_function(Parser *p)
{
    AstFunction function;
    parse_function(p, &function);
    if (function.result) vec_push(p->arena, &p->ast->functions, function);
}

static void report_outside(Parser *p)
{
    const bool may = !p->said_outside && PARSE_FAIL(p, DIAG_OUTSIDE_MODEL, parse_here(p));
    if (may) diag_hint(p->diag, "write 'model NAME' above it and 'end' below");
    p->said_outside = p->failed = true;    // once for a file: the lines around it will not be better
    p->ok = false;
}

// A statement that no word of a file starts. True if it was read as what it was meant to be.
static bool parse_misspelt(Parser *p)
{
    static const char *const words[] = { "model", "machine", "function", "experiment",
                                         "frame", "use",     "unit",     "terminal", "table",
                                         "atomic", "record", "enum", "samples" };
    static const struct { const char *theirs, *ours; } table[] = {
        { "import", "use" },  { "include", "use" },         { "class", "model" }, { "connector", "terminal" },
        { "block", "model" }, { "simulate", "experiment" },  { "struct", "record" },
    };
    if (!parse_at(p, TOKEN_NAME) || parse_is_model_word(lex_text(&p->lexer, p->token))) {
        report_outside(p);
        return false;
    }
    const TokenKind next = parse_peek(p).kind;
    if (next != TOKEN_NAME && next != TOKEN_QUOTED) {
        report_outside(p);
        return false;
    }
    const char *word = parse_intern(p, lex_text(&p->lexer, p->token));
    const char *meant = text_closest(word, words, sizeof words / sizeof *words);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (text_is(text_from(word), table[i].theirs)) meant = table[i].ours;
    if (PARSE_FAIL(p, DIAG_STATEMENT_UNKNOWN, parse_here(p), word, "a file") && meant)
        diag_suggest(p->diag, word, meant);
    if (!meant) return false;

    // go on as if it had been written, so that its lines and its `end` cause no further messages
    if (text_is(text_from(meant), "model")) parse_model(p);
    else if (text_is(text_from(meant), "machine")) parse_machine(p);
    else if (text_is(text_from(meant), "experiment")) parse_experiment(p);
    else if (text_is(text_from(meant), "frame")) parse_frame(p);
    else if (text_is(text_from(meant), "terminal")) parse_terminal_type(p);
    else if (text_is(text_from(meant), "table")) parse_table(p);
    else if (text_is(text_from(meant), "samples")) parse_samples(p);
    else if (text_is(text_from(meant), "atomic")) parse_atomic(p);
    else if (text_is(text_from(meant), "record")) parse_record_type(p);
    else if (text_is(text_from(meant), "enum")) parse_enum_type(p);
    else return false;
    return true;
}

static void parse_top(Parser *p, bool is_first)
{
    const TokenKind next = parse_peek(p).kind;
    const bool named = next == TOKEN_NAME || next == TOKEN_QUOTED;
    if (parse_at_word(p, "orrery") && next == TOKEN_NUMBER) {
        parse_version(p, is_first);
        return;
    }
    if (parse_at_word(p, "model")) parse_model(p);
    else if (parse_at_word(p, "machine") && (named || next == TOKEN_END)) parse_machine(p);
    else if (parse_at_word(p, "atomic") && (named || next == TOKEN_END)) parse_atomic(p);
    else if (parse_at_word(p, "record") && (named || next == TOKEN_END)) parse_record_type(p);
    else if (parse_at_word(p, "enum") && (named || next == TOKEN_END)) parse_enum_type(p);
    else if (parse_at_word(p, "experiment")) parse_experiment(p);
    else if (parse_at_word(p, "frame") && (named || next == TOKEN_END)) parse_frame(p);
    else if (parse_at_word(p, "terminal") && (named || next == TOKEN_END)) parse_terminal_type(p);
    else if (parse_at_word(p, "table") && (named || next == TOKEN_END)) parse_table(p);
    else if (parse_at_word(p, "samples") && (named || next == TOKEN_END)) parse_samples(p);
    else if (parse_at_word(p, "function")) parse_file_function(p);
    else if (parse_at_word(p, "use")) parse_use(p);
    else if (parse_at_word(p, "unit")) parse_unit_definition(p);
    else if (parse_at_word(p, "end")) {
        if (PARSE_FAIL(p, DIAG_END_EXTRA, parse_here(p)))
            diag_hint(p->diag, "every block has one 'end'; all are closed here");
        parse_advance(p);
    } else parse_misspelt(p);
}

bool parse_text(Ast *ast, uint32_t file, Text text, orr_diag *diag, ParseMarks *marks)
{
    Parser p;
    parse_begin(&p, ast, ast->arena, file, text, diag, marks);
    for (bool is_first = true; !p.stop && !parse_at(&p, TOKEN_EOF); is_first = false) {
        parse_statement_begin(&p);
        parse_top(&p, is_first);
        parse_statement_end(&p);
        while (parse_accept(&p, TOKEN_END)) continue;
    }
    return parse_finish(&p);
}

static bool parse(Ast *ast, uint32_t file, const char *path, const char *text, size_t n, orr_diag *diag)
{
    (void)path;
    return parse_text(ast, file, (Text){ text, n }, diag, NULL);
}

const FrontEnd frontend_orrery = { .name = "orrery", .suffix = ".orr", .parse = parse };

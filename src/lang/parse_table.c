// src/lang/parse_table.c: tables: functions given by points.
//
//     table drag(v [m/s]) [N] linear outside extrapolate table map(n [rpm], a) [N*m] from "engine.csv" cubic
//       0 : 0
//       10 : 2.5                                                 table map(n, a)
//       20 : 11                                                         : 0, 0.5, 1
//     end                                                          1000 : 0, 20, 40
//                                                                  2000 : 0, 30, 70
//                                                                end
#include "base/number.h"
#include "lang/parse.h"

static const char between_words[] = "hold, linear, monotone or cubic";
static const char outside_words[] = "hold, extrapolate or error";

const char *const ast_between_words[AST_N_BETWEEN] = { "hold", "linear", "monotone", "cubic" };
const char *const ast_outside_words[AST_N_OUTSIDE] = { "hold", "extrapolate", "error" };

// ---- The first line

static bool parse_unit_of(Parser *p, const char **unit, Place *place)
{
    if (!parse_at(p, TOKEN_UNIT)) return true;
    const Text text = lex_inner(&p->lexer, p->token);
    *place = parse_here(p);
    if (text.n == 0) return PARSE_FAIL(p, DIAG_EXPECTED, *place, "a unit", "empty brackets"), false;
    *unit = parse_intern(p, text);
    p->ast->has_units = true;
    parse_advance(p);
    return true;
}

static bool parse_arguments(Parser *p, AstTable *table)
{
    const Token open = p->token;
    if (parse_at(p, TOKEN_LPAREN)) parse_mark(p, MARK_CALL, open);
    if (!parse_expect(p, TOKEN_LPAREN, "'(' and one or two arguments")) return false;
    do {
        if (table->n_arguments == 2) {
            if (PARSE_FAIL(p, DIAG_EXPECTED, parse_here(p), "')'", "a third argument"))
                diag_hint(p->diag, "a table has one argument or two");
            return false;
        }
        AstArgument *argument = &table->arguments[table->n_arguments];
        argument->place = parse_here(p);
        argument->name = parse_name(p, "the name of an argument");
        if (!argument->name || !parse_unit_of(p, &argument->unit, &argument->unit_place)) return false;
        table->n_arguments++;
    } while (parse_accept(p, TOKEN_COMMA));
    return parse_close(p, open, TOKEN_RPAREN, "',' or ')'");
}

static const char *parse_quoted(Parser *p, const char *expected)
{
    if (!parse_at(p, TOKEN_QUOTED)) {
        parse_unexpected(p, expected);
        return NULL;
    }
    const Place place = parse_here(p);
    const char *text = parse_doc(p);
    if (text[0] != '\0') return text;
    PARSE_FAIL(p, DIAG_EXPECTED, place, expected, "an empty text");
    return NULL;
}

static bool parse_columns(Parser *p, AstTable *table)
{
    const size_t base = p->texts.n;
    bool ok;
    do {
        const char *column = parse_quoted(p, "the name of a column in double quotes");
        ok = column != NULL;
        if (ok) vec_push(&p->scratch, &p->texts, column);
    } while (ok && parse_accept(p, TOKEN_COMMA));
    table->columns = PARSE_TAKE(p, texts, base, &table->n_columns);
    if (ok && table->n_columns != table->n_arguments + 1) {
        const bool one = table->n_arguments == 1;
        ok = false;
        if (table->n_arguments == 0) {
            PARSE_FAIL(p, DIAG_EXPECTED, parse_since(p, p->end - 1), "one column", "several");
            return false;
        }
        if (PARSE_FAIL(p, DIAG_EXPECTED, parse_since(p, p->end - 1), one ? "two columns" : "three columns",
                       "another number of them"))
            diag_hint(p->diag,
                      one ? "columns \"of the argument\", \"of the value\""
                          : "columns \"of the first argument\", \"of the second\", \"of the value\"");
    }
    return ok;
}

// The number of the word that stands here; n if it is none of them.
static size_t accept_word_of(Parser *p, const char *const *words, size_t n)
{
    size_t i = 0;
    while (i < n && !parse_at_word(p, words[i])) i++;
    if (i < n) parse_advance(p);
    return i;
}

// from "file" columns "a", "b"; linear; outside hold: in any order, each once
static bool parse_options(Parser *p, AstTable *table)
{
    while (!parse_at(p, TOKEN_END)) {
        const Token word = p->token;
        const Place place = parse_here(p);
        size_t k;
        bool twice = false;
        if (parse_at_word(p, "from")) {
            twice = table->file != NULL;
            parse_advance(p);
            table->file_place = parse_here(p);
            table->file = parse_quoted(p, "the name of a file in double quotes");
            if (!table->file) return false;
        } else if (parse_at_word(p, "columns")) {
            twice = table->n_columns > 0;
            parse_advance(p);
            table->columns_place = parse_here(p);
            if (!parse_columns(p, table)) return false;
        } else if (parse_at_word(p, "outside")) {
            twice = table->says_outside;
            parse_advance(p);
            k = accept_word_of(p, ast_outside_words, AST_N_OUTSIDE);
            if (k == AST_N_OUTSIDE) return parse_unexpected(p, outside_words);
            table->outside = (PiecesOutside)k;
            table->says_outside = true;
        } else if ((k = accept_word_of(p, ast_between_words, AST_N_BETWEEN)) < AST_N_BETWEEN) {
            twice = table->says_between;
            table->between = (PiecesBetween)k;
            table->says_between = true;
            table->between_place = place;
        } else {
            if (parse_report(p, "'from', 'outside', a way to interpolate or the end of the line"))
                diag_hint(p->diag, "between the points: %s; outside of them: outside %s", between_words,
                          outside_words);
            return false;
        }
        if (twice) {
            PARSE_FAIL(p, DIAG_STATEMENT_TWICE, place, parse_intern(p, lex_text(&p->lexer, word)));
            return false;
        }
    }
    return true;
}

// ---- Rows

typedef VEC(double) Numbers;

static bool parse_number(Parser *p, const char *expected, double *value)
{
    const bool is_negative = parse_at(p, TOKEN_MINUS);
    if (is_negative) parse_mark(p, MARK_SIGN, p->token);
    if (is_negative) parse_advance(p);
    if (!parse_at(p, TOKEN_NUMBER)) return parse_unexpected(p, expected);
    const NumberResult result = number_read(lex_text(&p->lexer, p->token), value);
    if (result != NUMBER_OK) return parse_unexpected(p, expected);
    if (is_negative) *value = -*value;
    parse_advance(p);
    return true;
}

static bool parse_list(Parser *p, Numbers *to)
{
    double value;
    do {
        if (!parse_number(p, "a number", &value)) return false;
        vec_push(&p->scratch, to, value);
    } while (parse_accept(p, TOKEN_COMMA));
    if (!parse_at(p, TOKEN_UNIT)) return true;
    if (PARSE_FAIL(p, DIAG_UNIT_MISPLACED, parse_here(p)))
        diag_hint(p->diag, "units stand in the first line: table f(x [m]) [N]");
    return false;
}

typedef struct Rows {
    Numbers x, y, z;
    size_t n_row;    // values in each
    bool is_wrong;
} Rows;

// A row must be as long as the others.
static bool check_length(Parser *p, const AstTable *table, Rows *rows, size_t n)
{
    const size_t wanted = table->n_arguments == 1 ? 1 : rows->y.n;
    if (n == wanted) return true;
    const Place place = parse_since(p, p->statement);
    if (table->n_arguments == 1) {
        if (PARSE_FAIL(p, DIAG_TABLE_BAD, place, table->name, "a row has more than one value"))
            diag_hint(p->diag, "a table of one argument has rows 'argument : value'");
    } else if (PARSE_FAIL(p, DIAG_TABLE_BAD, place, table->name,
                          arena_printf(&p->scratch, "a row has %zu values, but the second argument has %zu",
                                       n, wanted)))
        diag_hint(p->diag, "the row that begins with ':' has the values of '%s'", table->arguments[1].name);
    return false;
}

static bool parse_row(Parser *p, const AstTable *table, Rows *rows)
{
    if (parse_at(p, TOKEN_COLON)) {
        if (table->n_arguments == 1 || rows->y.n > 0 || rows->x.n > 0) {
            if (parse_report(p, "a number"))
                diag_hint(p->diag, table->n_arguments == 1
                                       ? "a row is 'argument : value'"
                                       : "the values of the second argument stand in the first row, once");
            return false;
        }
        parse_advance(p);
        return parse_list(p, &rows->y);
    }
    if (table->n_arguments == 2 && rows->y.n == 0) {
        if (parse_report(p, "':' and the values of the second argument"))
            diag_hint(p->diag, "the first row is ': y1, y2, …', each other one 'x : value, value, …'");
        return false;
    }
    double x;
    if (!parse_number(p, "a number", &x)) return false;
    if (!parse_expect(p, TOKEN_COLON, "':' between the argument and the value")) return false;
    const size_t before = rows->z.n;
    if (!parse_list(p, &rows->z) || !check_length(p, table, rows, rows->z.n - before)) return false;
    vec_push(&p->scratch, &rows->x, x);
    return true;
}

static double *keep(Parser *p, const Numbers *list)
{
    double *numbers = ARENA_ARRAY(p->arena, double, list->n);
    if (list->n) memcpy(numbers, list->items, list->n * sizeof *numbers);
    return numbers;
}

void parse_table(Parser *p)
{
    const Token opener = p->token;
    parse_advance(p);
    AstTable table = { .place = parse_here(p), .between = PIECES_LINEAR };
    table.name = parse_name(p, "the name of a table");
    const bool ok = table.name && parse_arguments(p, &table) &&
                    parse_unit_of(p, &table.unit, &table.unit_place) &&
                    (table.doc = parse_doc(p), parse_options(p, &table));
    if (ok && table.file) {    // one line
        vec_push(p->arena, &p->ast->tables, table);
        return;
    }
    if (ok && table.n_columns &&
        PARSE_FAIL(p, DIAG_EXPECTED, table.columns_place, "'from' and the name of a file", "only columns"))
        diag_hint(p->diag, "columns are those of a file: from \"data.csv\" columns \"x\", \"y\"");
    const ParseBlock block = parse_block_begin(
        p, opener, table.name ? arena_printf(&p->scratch, "table %s", table.name) : "table");
    Rows rows = { 0 };
    while (parse_block_goes_on(p, &block)) {
        parse_statement_begin(p);
        if (!ok) p->failed = true;    // what its rows should be is not known
        else if (!parse_row(p, &table, &rows)) rows.is_wrong = true;
        parse_statement_end(p);
    }
    if (!ok || rows.is_wrong) return;
    table.n_x = (uint32_t)rows.x.n;
    table.n_y = (uint32_t)rows.y.n;
    table.x = keep(p, &rows.x);
    table.y = keep(p, &rows.y);
    table.z = keep(p, &rows.z);
    vec_push(p->arena, &p->ast->tables, table);
}

// samples Waits [min] "at the counter" from "waits.csv" column "wait"
void parse_samples(Parser *p)
{
    parse_advance(p);
    AstTable table = { .place = parse_here(p), .between = PIECES_LINEAR };
    table.name = parse_name(p, "the name of the samples");
    if (!table.name || !parse_unit_of(p, &table.unit, &table.unit_place)) return;
    table.doc = parse_doc(p);
    if (!parse_at_word(p, "from")) {
        parse_unexpected(p, "'from' and the name of a file");
        return;
    }
    parse_advance(p);
    table.file_place = parse_here(p);
    table.file = parse_quoted(p, "the name of a file in double quotes");
    if (!table.file) return;
    if (parse_at_word(p, "column")) {
        parse_advance(p);
        table.columns_place = parse_here(p);
        if (!parse_columns(p, &table)) return;
    }
    vec_push(p->arena, &p->ast->tables, table);
}

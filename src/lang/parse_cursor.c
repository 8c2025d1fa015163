// src/lang/parse_cursor.c: what every part of the parser uses: tokens, messages, statements and blocks.
#include "lang/parse.h"
#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { WORDS_MAX = 80 };    // bytes of a token quoted in a message

// ---- Life

void parse_begin(Parser *p, Ast *ast, Arena *arena, uint32_t file, Text text, orr_diag *diag,
                 ParseMarks *marks)
{
    *p = (Parser){ .ast = ast, .arena = arena, .diag = diag, .marks = marks, .ok = true };
    lex_init(&p->lexer, text, file ? file : 1, diag);    // places join only inside a file, asked for or not
    names_init(&p->names, arena);
    p->token = lex_next(&p->lexer);
}

bool parse_finish(Parser *p)
{
    arena_free(&p->scratch);
    return p->ok && p->lexer.n_errors == 0;
}

void *parse_take(Parser *p, const void *items, size_t *n, size_t base, size_t size, uint32_t *n_out)
{
    const size_t count = *n - base;
    *n_out = (uint32_t)count;
    *n = base;
    if (count == 0) return NULL;
    void *copy = arena_alloc(p->arena, count, size);
    memcpy(copy, (const char *)items + base * size, count * size);
    return copy;
}

// ---- Tokens

void parse_advance(Parser *p)
{
    p->end = p->token.offset + p->token.length;
    p->errors_before_token = p->lexer.n_errors;
    p->token = lex_next(&p->lexer);
}

Token parse_peek(const Parser *p)
{
    Lexer ahead = p->lexer;
    ahead.quiet = true;    // it will be read, and reported, again
    return lex_next(&ahead);
}

bool parse_accept(Parser *p, TokenKind kind)
{
    if (p->token.kind != kind) return false;
    parse_advance(p);
    return true;
}

static bool is_word(const Parser *p, Token token, const char *word)
{
    if (token.kind != TOKEN_NAME || p->lexer.text.p[token.offset] != word[0]) return false;
    return text_is(lex_text(&p->lexer, token), word);
}

bool parse_at_word(const Parser *p, const char *word) { return is_word(p, p->token, word); }

bool parse_peek_word(const Parser *p, const char *word) { return is_word(p, parse_peek(p), word); }

bool parse_accept_word(Parser *p, const char *word)
{
    if (!parse_at_word(p, word)) return false;
    parse_advance(p);
    return true;
}

bool parse_at_name(const Parser *p) { return p->token.kind == TOKEN_NAME || p->token.kind == TOKEN_QUOTED; }

Place parse_here(const Parser *p) { return lex_place(&p->lexer, p->token); }

Place parse_since(const Parser *p, uint32_t offset)
{
    return (Place){ p->lexer.file, offset, p->end > offset ? p->end - offset : 0 };
}

void parse_mark(Parser *p, ParseMarkKind kind, Token token)
{
    if (p->marks) vec_push(p->marks->arena, &p->marks->list, (ParseMark){ kind, token.offset });
}

// Behind a word these say that it is the name of something in an equation, a component or an arrow.
static const bool makes_a_name[TOKEN_COUNT] = {
    [TOKEN_PRIME] = true, [TOKEN_DOT] = true,    [TOKEN_LBRACKET] = true, [TOKEN_COMMA] = true,
    [TOKEN_COLON] = true, [TOKEN_ASSIGN] = true, [TOKEN_EQUALS] = true,   [TOKEN_ARROW] = true,
    [TOKEN_TILDE] = true, [TOKEN_PLUS] = true,   [TOKEN_TIMES] = true,    [TOKEN_DIVIDE] = true,
    [TOKEN_POWER] = true, [TOKEN_LT] = true,     [TOKEN_LE] = true,       [TOKEN_GT] = true,
    [TOKEN_GE] = true,    [TOKEN_EQ] = true,     [TOKEN_NE] = true,
};

bool parse_at_keyword(const Parser *p, const char *word, bool takes_expression)
{
    if (!parse_at_word(p, word)) return false;
    const TokenKind next = parse_peek(p).kind;
    if (next == TOKEN_MINUS || next == TOKEN_LPAREN) return takes_expression;
    return !makes_a_name[next];
}

bool parse_at_rate(const Parser *p)
{
    if (!parse_at_keyword(p, "rate", true)) return false;
    const Text text = p->lexer.text;
    uint32_t at = p->token.offset, n = 0;
    for (; at < text.n && text.p[at] != '\n' && text.p[at] != '#'; at += n + (n == 0)) {
        n = 0;
        while (at + n < text.n && (isalnum((unsigned char)text.p[at + n]) || text.p[at + n] == '_')) n++;
        if (text_is(text_part(text, at, at + n), "then")) return true;
    }
    return false;
}

// The column of what stands at `offset` if it is the first on its line, else -1.
static long indent_of(const Parser *p, uint32_t offset)
{
    const char *text = p->lexer.text.p;
    uint32_t start = offset;
    while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t')) start--;
    const bool first = start == 0 || text[start - 1] == '\n' || text[start - 1] == '\r';
    return first ? (long)(offset - start) : -1;
}

// `end` with nothing behind it closes a block, wherever it stands.
static bool at_lone_end(const Parser *p)
{
    if (!parse_at_word(p, "end")) return false;
    const TokenKind next = parse_peek(p).kind;
    return next == TOKEN_END || next == TOKEN_EOF;
}

// ---- Messages

bool parse_may_report(Parser *p)
{
    const bool may = !p->failed && p->lexer.n_errors == p->lexer_errors;
    p->failed = true;
    p->ok = false;
    return may;
}

bool parse_at_line_end(const Parser *p)
{
    // the one at the end of the file has no bytes
    return parse_at(p, TOKEN_END) && (p->token.length == 0 || p->lexer.text.p[p->token.offset] != ';');
}

const char *parse_found(const Parser *p, char *buffer, size_t n)
{
    const Token token = p->token;
    const Text text = lex_text(&p->lexer, token);
    const int shown = (int)(text.n < WORDS_MAX ? text.n : WORDS_MAX - 10);
    const char *more = text.n < WORDS_MAX ? "" : "...";
    switch (token.kind) {
    case TOKEN_END:
        if (token.length == 0) return "the end of the file";
        return parse_at_line_end(p) ? "the end of the line" : "';'";
    case TOKEN_NAME: case TOKEN_NUMBER: snprintf(buffer, n, "'%.*s%s'", shown, text.p, more); return buffer;
    case TOKEN_QUOTED: snprintf(buffer, n, "%.*s%s", shown, text.p, more); return buffer;
    case TOKEN_UNIT: snprintf(buffer, n, "the unit %.*s%s", shown, text.p, more); return buffer;
    default: return lex_kind_text(token.kind);
    }
}

// Whether the token before the present one is a number.
static bool follows_number(const Parser *p)
{
    const char *text = p->lexer.text.p;
    size_t end = p->token.offset;
    while (end > 0 && text[end - 1] == ' ') end--;
    size_t start = end;
    while (start > 0 && (isalnum((unsigned char)text[start - 1]) || strchr("._", text[start - 1]))) start--;
    return start < end && isdigit((unsigned char)text[start]);
}

// What people write by mistake, or in another language, where something else is expected.
static const char *advice_for(const Parser *p)
{
    const TokenKind kind = p->token.kind;
    const bool is_joined = p->token.offset > 0 && !p->token.space_before;
    const char before = is_joined ? p->lexer.text.p[p->token.offset - 1] : ' ';
    if (kind == TOKEN_PRIME)
        return "texts and names with spaces stand in double quotes; a single quote marks a derivative";
    if (kind == TOKEN_DOT && parse_peek(p).kind == TOKEN_NUMBER)
        return "a number's point has digits on both sides: 0.5, not .5";
    if (kind == TOKEN_GT && before == '<') return "write '!=' for 'is different from'";
    if (kind == TOKEN_TIMES && before == '*') return "write '^' for a power";
    if (kind == TOKEN_DIVIDE && before == '/') return "a comment starts with '#'";
    if (kind == TOKEN_LT && before == '=') return "write '<='";
    if (kind == TOKEN_GT && before == '=') return "write '>='";
    const TokenKind next = parse_peek(p).kind;
    if (kind == TOKEN_NAME && follows_number(p) && next != TOKEN_EQUALS && next != TOKEN_NUMBER)
        return "a unit stands in brackets: 20 [degC]";
    if (kind == TOKEN_BAR) return "write 'or'";
    if (kind == TOKEN_PLUS) return "a number or name needs no plus sign";
    return NULL;
}

bool parse_report(Parser *p, const char *expected)
{
    char buffer[WORDS_MAX + 40];
    const Place here = parse_here(p);
    if (parse_at(p, TOKEN_UNIT)) {
        if (PARSE_FAIL(p, DIAG_UNIT_MISPLACED, here))
            diag_hint(p->diag,
                      "a unit follows a number or the name that is declared; an index touches its name");
        return false;    // that hint is the best one
    }
    if (!PARSE_FAIL(p, DIAG_EXPECTED, here, expected, parse_found(p, buffer, sizeof buffer))) return false;
    const char *advice = advice_for(p);
    if (advice) diag_hint(p->diag, "%s", advice);
    return true;
}

bool parse_unexpected(Parser *p, const char *expected)
{
    parse_report(p, expected);
    return false;
}

bool parse_expect(Parser *p, TokenKind kind, const char *expected)
{
    return parse_accept(p, kind) || parse_unexpected(p, expected);
}

bool parse_not_yet(Parser *p, Token token)
{
    const Text word = lex_text(&p->lexer, token);
    char buffer[WORDS_MAX];
    snprintf(buffer, sizeof buffer, "%.*s", (int)(word.n < WORDS_MAX ? word.n : WORDS_MAX - 1), word.p);
    PARSE_FAIL(p, DIAG_WORD_NOT_YET, lex_place(&p->lexer, token), buffer);
    return false;
}

const char *parse_intern(Parser *p, Text text)
{
    return names_text(&p->names, names_intern(&p->names, text));
}

const char *parse_name(Parser *p, const char *expected)
{
    // `end` in a line of its own, after one that goes on, was not meant as a name
    if (at_lone_end(p) && indent_of(p, p->token.offset) >= 0) {
        if (parse_report(p, expected))
            diag_hint(p->diag, "the line above is not finished");
        return NULL;
    }
    if (parse_at_name(p)) {
        const Text text = lex_inner(&p->lexer, p->token);
        if (text.n > 0) {
            parse_advance(p);
            return parse_intern(p, text);
        }
        if (PARSE_FAIL(p, DIAG_EXPECTED, parse_here(p), expected, "an empty text"))
            diag_hint(p->diag, "write at least one character between the quotes");
        return NULL;
    }
    const Text word = lex_text(&p->lexer, p->token);
    if (lex_is_reserved(word)) {
        char buffer[WORDS_MAX];
        snprintf(buffer, sizeof buffer, "%.*s", (int)word.n, word.p);
        if (PARSE_FAIL(p, DIAG_WORD_RESERVED, parse_here(p), buffer))
            diag_hint(p->diag, "in double quotes it can be a name: \"%s\"", buffer);
        return NULL;
    }
    parse_unexpected(p, expected);
    return NULL;
}

const char *parse_doc(Parser *p)
{
    if (!parse_at(p, TOKEN_QUOTED)) return NULL;
    const char *doc = text_copy(p->arena, lex_inner(&p->lexer, p->token));
    parse_advance(p);
    return doc;
}

bool parse_deeper(Parser *p, Place place)
{
    if (p->depth < AST_DEPTH_MAX) {
        p->depth++;
        return true;
    }
    if (PARSE_FAIL(p, DIAG_NESTED_TOO_DEEP, place, AST_DEPTH_MAX))
        diag_hint(p->diag, "give the inner part a name of its own");
    return false;
}

// ---- Statements

void parse_statement_begin(Parser *p)
{
    p->statement = p->token.offset;
    p->lexer_errors = p->errors_before_token;
    p->failed = false;
}

static bool starts_a_file_block(const Parser *p)
{
    static const char *const words[] = { "model", "experiment", "machine", "atomic", "frame", "use" };
    if (!parse_at(p, TOKEN_NAME)) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!parse_at_word(p, words[i])) continue;
        const TokenKind next = parse_peek(p).kind;
        return next == TOKEN_NAME || next == TOKEN_QUOTED;
    }
    return false;
}

// Go to where the next statement starts: the end of this one or, if a bracket was left open, a later line.
static void recover(Parser *p)
{
    p->lexer.depth = 0;
    const bool is_later = parse_at_name(p) && p->token.offset > p->statement;
    if (is_later && (indent_of(p, p->token.offset) >= 0 || starts_a_file_block(p))) return;
    p->lexer.quiet = true;
    while (!parse_at(p, TOKEN_END) && !parse_at(p, TOKEN_EOF) && !at_lone_end(p)) {
        parse_advance(p);
        p->lexer.depth = 0;
    }
    p->lexer.quiet = false;
    p->lexer_errors = p->lexer.n_errors;
}

void parse_statement_end(Parser *p)
{
    if (!p->failed && !parse_at(p, TOKEN_END) && !parse_at(p, TOKEN_EOF)) {
        char buffer[WORDS_MAX + 40];
        const Place here = parse_here(p);
        switch (p->token.kind) {
        case TOKEN_UNIT: parse_unexpected(p, "the end of the statement"); break;
        default:
            if (!PARSE_FAIL(p, DIAG_EXPECTED, here,
                            p->expr_end == p->end ? "an operator or the end of the statement"
                                                  : "the end of the statement",
                            parse_found(p, buffer, sizeof buffer)))
                break;
            if (parse_at(p, TOKEN_RPAREN)) diag_hint(p->diag, "there is no '(' for it");
            else if (parse_at(p, TOKEN_BAR)) diag_hint(p->diag, "write 'or'");
            else if (parse_at(p, TOKEN_LPAREN)) diag_hint(p->diag, "a product needs its sign: '*'");
            else if (at_lone_end(p)) diag_hint(p->diag, "write 'end' in a line of its own, or ';' before it");
            else if (parse_at(p, TOKEN_LBRACKET))
                diag_hint(p->diag, "only a name can have an index; a unit has a space before its bracket");
            break;
        }
    }
    if (p->failed || p->lexer.n_errors != p->lexer_errors) {
        p->ok = false;
        recover(p);
    }
}

// ---- Blocks

ParseBlock parse_block_begin(Parser *p, Token opener, const char *words)
{
    parse_mark(p, MARK_OPEN, opener);
    ParseBlock block = { .words = words, .opener = opener.offset };
    parse_statement_end(p);
    block.place = parse_since(p, opener.offset);
    if (block.place.length < opener.length) block.place = lex_place(&p->lexer, opener);
    p->lexer_errors = p->lexer.n_errors;
    block.counted = parse_deeper(p, block.place);    // says nothing if the first line was wrong already
    p->failed = false;
    return block;
}

static void report_missing_end(Parser *p, const ParseBlock *block)
{
    p->ok = false;
    diag_report(p->diag, DIAG_END_MISSING, block->place, block->words);
    if (parse_at(p, TOKEN_EOF)) diag_hint(p->diag, "the file ends without it");
    if (!parse_at(p, TOKEN_EOF)) diag_note(p->diag, parse_here(p), "the next block starts here");
    if (p->suspect.file == block->place.file && p->suspect.length > 0)
        diag_note(p->diag, p->suspect,
                  "the 'end' that closes this is indented unlike it; perhaps its own is missing");
}

bool parse_block_goes_on(Parser *p, const ParseBlock *block)
{
    if (!block->counted) {    // too deep to be read
        parse_block_skip(p);
        return false;
    }
    while (parse_accept(p, TOKEN_END)) continue;
    if (parse_at(p, TOKEN_EOF) || starts_a_file_block(p)) {
        report_missing_end(p, block);
        p->failed = true;    // nothing more is said about this statement
        parse_shallower(p);
        return false;
    }
    if (!parse_at_keyword(p, "end", true)) return true;

    const long opened = indent_of(p, block->opener), closed = indent_of(p, p->token.offset);
    if (opened >= 0 && closed >= 0 && opened != closed && p->suspect.length == 0) p->suspect = block->place;
    parse_statement_begin(p);
    parse_mark(p, MARK_CLOSE, p->token);
    parse_advance(p);
    parse_shallower(p);
    return false;
}

void parse_block_skip(Parser *p)
{
    static const char *const openers[] = { "for", "when", "at", "every", "on", "reinit" };
    p->lexer.quiet = true;
    p->lexer.depth = 0;
    size_t open = 1;
    bool is_start = true;
    while (open > 0 && !parse_at(p, TOKEN_EOF)) {
        if (is_start && starts_a_file_block(p)) break;
        if (is_start) {
            for (size_t i = 0; i < sizeof openers / sizeof *openers; i++)
                if (parse_at_keyword(p, openers[i], true)) open++;
            if (parse_at_rate(p)) open++;
            const bool region = parse_at_word(p, "initial") || parse_at_word(p, "terminal");
            if (parse_at(p, TOKEN_IF) || (region && parse_peek(p).kind == TOKEN_END)) open++;
        }
        if (at_lone_end(p)) open--;
        is_start = parse_at(p, TOKEN_END);
        parse_advance(p);
        p->lexer.depth = 0;
    }
    p->lexer.quiet = false;
    p->failed = true;
}

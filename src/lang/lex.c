// src/lang/lex.c: the text of a model as a stream of tokens.
#include "lang/lex.h"
#include <assert.h>

static const char *const kind_texts[TOKEN_COUNT] = {
#define T(NAME, WORDS) [TOKEN_##NAME] = WORDS,
    TOKEN_LIST(T)
#undef T
};

static const struct Reserved {
    const char *word;
    TokenKind   kind;
} reserved[] = {
    { "and", TOKEN_AND }, { "or", TOKEN_OR },     { "not", TOKEN_NOT },
    { "if", TOKEN_IF },   { "then", TOKEN_THEN }, { "else", TOKEN_ELSE },
};
enum { RESERVED_MIN = 2, RESERVED_MAX = 4 };    // bytes

// What people type, or a word processor makes of it, in place of what the language knows.
static const struct LookAlike {
    int32_t     code_point;
    const char *advice;
} look_alikes[] = {
    { 0x00A0, "this is a non-breaking space; write a plain one" },
    { 0x2212, "write the plain '-'" },
    { 0x2013, "write the plain '-'" },
    { 0x2014, "write the plain '-'" },
    { 0x00D7, "write '*'" },
    { 0x00B7, "write '*'" },
    { 0x22C5, "write '*'" },
    { 0x00F7, "write '/'" },
    { 0x00B2, "write '^2'" },
    { 0x00B3, "write '^3'" },
    { 0x2264, "write '<='" },
    { 0x2265, "write '>='" },
    { 0x2260, "write '!='" },
    { 0x2192, "write '->'" },
    { 0x2026, "write '..'" },
    { 0x201C, "write plain double quotes" },
    { 0x201D, "write plain double quotes" },
    { 0x201E, "write plain double quotes" },
    { 0x2018, "write the plain single quote for a derivative" },
    { 0x2019, "write the plain single quote for a derivative" },
    { 0x2032, "write the plain single quote for a derivative" },
    { '!', "write 'not', or '!=' for 'is different from'" },
    { '&', "write 'and'" },
    { '|', "write 'or'" },
    { '%', "a comment starts with '#'; the remainder of a division is mod(a, b)" },
    { '{', "blocks start with their first line and close with 'end'" },
    { '}', "blocks start with their first line and close with 'end'" },
    { '\\', "a long line goes on after an operator or a comma, and inside parentheses" },
    { '`', "write the plain single quote for a derivative, double quotes for a name" },
};

const char *lex_kind_text(TokenKind kind)
{
    return kind_texts[kind];
}

Text lex_text(const Lexer *lexer, Token token)
{
    return text_part(lexer->text, token.offset, (size_t)token.offset + token.length);
}

Text lex_inner(const Lexer *lexer, Token token)
{
    Text text = lex_text(lexer, token);
    if (token.kind != TOKEN_QUOTED && token.kind != TOKEN_UNIT) return text;
    const char close = token.kind == TOKEN_UNIT ? ']' : '"';
    const bool closed = text.n > 1 && text.p[text.n - 1] == close;    // it is not after an error
    text = text_part(text, 1, closed ? text.n - 1 : text.n);
    return token.kind == TOKEN_UNIT ? text_trim(text) : text;
}

Place lex_place(const Lexer *lexer, Token token)
{
    return (Place){ lexer->file, token.offset, token.length };
}

// ---- Characters

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What names consist of, in ASCII.
static const bool is_in_name[256] = {
    ['0' ... '9'] = true, ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['_'] = true,
};

// Letters of names beyond ASCII: alphabets and syllabaries in use, by blocks. Left out on purpose is all that
// looks like an operator, a quote or a space, and combining marks, for then two different names could look
// the same.
static bool is_wide_letter(int32_t c)
{
    static const struct { int32_t first, last; } blocks[] = {
        { 0x00AA, 0x00AA }, { 0x00B5, 0x00B5 }, { 0x00BA, 0x00BA }, { 0x00C0, 0x00D6 }, { 0x00D8, 0x00F6 },
        { 0x00F8, 0x02AF }, { 0x0370, 0x0373 }, { 0x0376, 0x0377 }, { 0x037B, 0x037D }, { 0x037F, 0x037F },
        { 0x0386, 0x0386 }, { 0x0388, 0x03FF }, { 0x0400, 0x0481 }, { 0x048A, 0x0556 }, { 0x0561, 0x0587 },
        { 0x05D0, 0x05EA }, { 0x0620, 0x064A }, { 0x0671, 0x06D3 }, { 0x0905, 0x0939 }, { 0x0E01, 0x0E30 },
        { 0x10A0, 0x10FF }, { 0x1E00, 0x1FBC }, { 0x2080, 0x2089 }, { 0x2090, 0x209C }, { 0x3041, 0x3096 },
        { 0x30A1, 0x30FA }, { 0x3400, 0x4DBF }, { 0x4E00, 0x9FFF }, { 0xAC00, 0xD7A3 },
    };
    if (c < blocks[0].first) return false;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (c <= blocks[i].last) return c >= blocks[i].first;
    return false;
}

// Where the name that starts at `at` ends; `at` itself if no name starts there.
static size_t name_end(Text text, size_t at)
{
    if (at < text.n && is_digit(text.p[at])) return at;
    while (at < text.n) {
        while (at < text.n && is_in_name[(unsigned char)text.p[at]]) at++;
        if (at == text.n || (unsigned char)text.p[at] < 0x80) break;
        size_t next = at;
        if (!is_wide_letter(text_utf8_next(text, &next))) break;
        at = next;
    }
    return at;
}

bool lex_is_reserved(Text text)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (text_is(text, reserved[i].word)) return true;
    return false;
}

bool lex_is_name(Text text)
{
    return text.n > 0 && name_end(text, 0) == text.n && !lex_is_reserved(text);
}

// ---- Reading

void lex_init(Lexer *lexer, Text text, uint32_t file, orr_diag *diag)
{
    assert(text.n < UINT32_MAX);
    *lexer = (Lexer){ .text = text, .file = file, .diag = diag, .previous = TOKEN_END };
    if (text_starts(text, "\xEF\xBB\xBF")) lexer->at = 3;
}

// After these a statement cannot end, so a line end does not count.
static const bool continues[TOKEN_COUNT] = {
    [TOKEN_DOT] = true,    [TOKEN_RANGE] = true, [TOKEN_COMMA] = true, [TOKEN_COLON] = true,
    [TOKEN_ASSIGN] = true, [TOKEN_EQUALS] = true, [TOKEN_ARROW] = true, [TOKEN_TILDE] = true,
    [TOKEN_PLUS] = true,   [TOKEN_MINUS] = true, [TOKEN_TIMES] = true, [TOKEN_DIVIDE] = true,
    [TOKEN_POWER] = true,  [TOKEN_LT] = true,    [TOKEN_LE] = true,    [TOKEN_GT] = true,
    [TOKEN_GE] = true,     [TOKEN_EQ] = true,    [TOKEN_NE] = true,    [TOKEN_AND] = true,
    [TOKEN_OR] = true,     [TOKEN_NOT] = true,   [TOKEN_IF] = true,    [TOKEN_THEN] = true,
    [TOKEN_ELSE] = true,   [TOKEN_BAR] = true,
};

static Place place_of(const Lexer *lexer, size_t from, size_t to)
{
    return (Place){ lexer->file, (uint32_t)from, (uint32_t)(to - from) };
}

// True if a message may be given now.
static bool may_report(Lexer *lexer)
{
    lexer->n_errors++;
    return !lexer->quiet;
}

static char byte_at(const Lexer *lexer, size_t at)
{
    return at < lexer->text.n ? lexer->text.p[at] : '\0';
}

// Where the line that contains `at` ends: at its line feed, carriage return or the end of the text.
static size_t line_end(const Lexer *lexer, size_t at)
{
    const Text text = lexer->text;
    while (at < text.n && text.p[at] != '\n' && text.p[at] != '\r') at++;
    return at;
}

static const char *advice_for(int32_t code_point)
{
    for (size_t i = 0; i < sizeof look_alikes / sizeof *look_alikes; i++)
        if (look_alikes[i].code_point == code_point) return look_alikes[i].advice;
    return NULL;
}

// Report the characters at `at` that no token starts with, a run of equal ones once, and pass over them.
static void pass_bad(Lexer *lexer)
{
    const Text text = lexer->text;
    const size_t start = lexer->at;
    const int32_t code_point = text_utf8_next(text, &lexer->at);
    const size_t end = lexer->at;
    for (size_t next = end; next < text.n; lexer->at = next)
        if (text_utf8_next(text, &next) != code_point) break;

    if (!may_report(lexer)) return;
    char words[64];
    if (code_point < 0)
        snprintf(words, sizeof words, "(byte 0x%02X)", (unsigned)(unsigned char)text.p[start]);
    else if (code_point < 0x20 || code_point == 0x7F)
        snprintf(words, sizeof words, "(code %d)", (int)code_point);
    else snprintf(words, sizeof words, "'%.*s'", (int)(end - start), text.p + start);
    diag_report(lexer->diag, DIAG_CHARACTER_BAD, place_of(lexer, start, end), words);
    const char *advice = advice_for(code_point);
    if (advice) diag_hint(lexer->diag, "%s", advice);
}

// digits [. digits] [e [+-] digits]. What does not belong there but touches it is taken along and reported.
static size_t number_end(Lexer *lexer)
{
    const size_t start = lexer->at;
    size_t at = start;
    while (is_digit(byte_at(lexer, at))) at++;
    if (byte_at(lexer, at) == '.' && is_digit(byte_at(lexer, at + 1)))
        for (at++; is_digit(byte_at(lexer, at));) at++;
    size_t exponent = at;
    if (byte_at(lexer, at) == 'e' || byte_at(lexer, at) == 'E') {
        exponent++;
        if (byte_at(lexer, exponent) == '+' || byte_at(lexer, exponent) == '-') exponent++;
        if (is_digit(byte_at(lexer, exponent))) {
            while (is_digit(byte_at(lexer, exponent))) exponent++;
            at = exponent;
        }
    }

    // 2x, 1.2.3, 5. and 1e are not numbers, but 1..2 is a range
    const bool point = byte_at(lexer, at) == '.' && byte_at(lexer, at + 1) != '.';
    size_t letters = name_end(lexer->text, at);
    if (!point && letters == at) return at;
    const size_t good = at;
    do {
        at = letters > at ? letters : at + 1;
        while (is_digit(byte_at(lexer, at))) at++;
        letters = name_end(lexer->text, at);
    } while (letters > at || (byte_at(lexer, at) == '.' && byte_at(lexer, at + 1) != '.'));

    if (!may_report(lexer)) return at;
    const int shown = (int)(at - start < 60 ? at - start : 60);
    char words[64];
    snprintf(words, sizeof words, "%.*s", shown, lexer->text.p + start);
    diag_report(lexer->diag, DIAG_NUMBER_BAD, place_of(lexer, start, at), words);
    const char *text = lexer->text.p + start;
    const int n_good = (int)(good - start);
    if (n_good > 30 || at - good > 30) return at;
    if (point) {
        if (good + 1 == at) diag_hint(lexer->diag, "a point has digits on both sides: %.*s.0", n_good, text);
    } else if (at - good == 1 && (text[n_good] == 'e' || text[n_good] == 'E')) {
        diag_hint(lexer->diag, "an exponent needs digits: %.*se-3", n_good, text);
    } else if (name_end(lexer->text, good) == at && text[n_good] != '_' && text[0] != '0') {
        diag_hint(lexer->diag, "a product needs its sign: %.*s*%.*s", n_good, text, (int)(at - good),
                  text + n_good);
    }
    return at;
}

// A text up to its closing quote, or a unit up to its bracket, on the same line.
static size_t enclosed_end(Lexer *lexer, char close)
{
    const Text text = lexer->text;
    size_t end = lexer->at + 1;
    while (end < text.n && text.p[end] != close && text.p[end] != '\n' && text.p[end] != '\r') {
        // a unit has neither brackets nor '=' inside: one that is not closed would swallow the next one
        if (close == ']' && (text.p[end] == '[' || text.p[end] == '=')) break;
        end++;
    }
    if (end < text.n && text.p[end] == close) return end + 1;
    if (may_report(lexer)) {
        if (close == '"') {
            diag_report(lexer->diag, DIAG_TEXT_OPEN, place_of(lexer, lexer->at, end));
            diag_hint(lexer->diag, "write '\"' at its end, in the same line");
        } else {
            diag_report(lexer->diag, DIAG_PAREN_OPEN, place_of(lexer, lexer->at, lexer->at + 1), "[");
            diag_hint(lexer->diag, "a unit ends with ']' in the same line");
        }
    }
    return end;
}

// The kind of the operator at `at` and its bytes; 0 bytes if there is none.
static TokenKind read_operator(const Lexer *lexer, size_t *n)
{
    const char c = byte_at(lexer, lexer->at), next = byte_at(lexer, lexer->at + 1);
    *n = 2;
    if (next == '=') {
        if (c == ':') return TOKEN_ASSIGN;
        if (c == '<') return TOKEN_LE;
        if (c == '>') return TOKEN_GE;
        if (c == '=') return TOKEN_EQ;
        if (c == '!') return TOKEN_NE;
    }
    if (next == '.' && c == '.') return TOKEN_RANGE;
    if (next == '>' && c == '-') return TOKEN_ARROW;
    *n = 1;
    switch (c) {
    case '\'': return TOKEN_PRIME;
    case '.': return TOKEN_DOT;
    case ',': return TOKEN_COMMA;
    case ':': return TOKEN_COLON;
    case '=': return TOKEN_EQUALS;
    case '~': return TOKEN_TILDE;
    case '(': return TOKEN_LPAREN;
    case ')': return TOKEN_RPAREN;
    case '[': return TOKEN_LBRACKET;
    case ']': return TOKEN_RBRACKET;
    case '+': return TOKEN_PLUS;
    case '-': return TOKEN_MINUS;
    case '*': return TOKEN_TIMES;
    case '/': return TOKEN_DIVIDE;
    case '|':
        if (next != '|') return TOKEN_BAR;    // two of them are an 'or' from elsewhere
        *n = 0;
        return TOKEN_EOF;
    case '^': return TOKEN_POWER;
    case '<': return TOKEN_LT;
    case '>': return TOKEN_GT;
    default: *n = 0; return TOKEN_EOF;
    }
}

static TokenKind word_kind(Text word)
{
    if (word.n < RESERVED_MIN || word.n > RESERVED_MAX) return TOKEN_NAME;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (word.p[0] == reserved[i].word[0] && text_is(word, reserved[i].word)) return reserved[i].kind;
    return TOKEN_NAME;
}

static Token give(Lexer *lexer, TokenKind kind, size_t start, size_t end, bool space_before)
{
    lexer->at = end;
    if (kind != TOKEN_COMMENT) lexer->previous = kind;
    return (Token){ kind, space_before, (uint32_t)start, (uint32_t)(end - start) };
}

Token lex_next(Lexer *lexer)
{
    const Text text = lexer->text;
    bool space = lexer->at == 0 || lexer->previous == TOKEN_END;
    while (lexer->at < text.n) {
        const size_t start = lexer->at;
        const char c = text.p[start];

        if (c == ' ' || c == '\t' || c == '\f' || c == '\v') {
            lexer->at++;
            space = true;
            continue;
        }
        if (c == '#') {
            const size_t end = line_end(lexer, start);
            if (lexer->keep_comments) return give(lexer, TOKEN_COMMENT, start, end, space);
            lexer->at = end;
            space = true;
            continue;
        }
        if (c == '\n' || c == '\r' || c == ';') {
            const bool counts = lexer->previous != TOKEN_END
                                && (c == ';' || (lexer->depth == 0 && !continues[lexer->previous]));
            if (counts) return give(lexer, TOKEN_END, start, start + 1, space);
            lexer->at++;
            space = true;
            continue;
        }

        if (c == '"') return give(lexer, TOKEN_QUOTED, start, enclosed_end(lexer, '"'), space);
        if (c == '[' && space) return give(lexer, TOKEN_UNIT, start, enclosed_end(lexer, ']'), space);
        if (is_digit(c)) return give(lexer, TOKEN_NUMBER, start, number_end(lexer), space);
        const size_t end = name_end(text, start);
        if (end > start) return give(lexer, word_kind(text_part(text, start, end)), start, end, space);

        size_t n;
        const TokenKind kind = read_operator(lexer, &n);
        if (n > 0) {
            if (kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET) lexer->depth++;
            if ((kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET) && lexer->depth > 0) lexer->depth--;
            return give(lexer, kind, start, start + n, space);
        }
        pass_bad(lexer);
        space = true;
    }
    if (lexer->previous != TOKEN_END && lexer->previous != TOKEN_EOF)
        return give(lexer, TOKEN_END, text.n, text.n, space);
    return give(lexer, TOKEN_EOF, text.n, text.n, space);
}

// src/lang/lex.h: the text of a model as a stream of tokens.
//
// White space decides three things, all of them here. A line end is a statement end, except after a token
// that cannot end a statement (an operator, a comma, `=`, `->` …) and inside parentheses and index brackets.
// A `[` after white space starts a unit, touching what stands before it an index. A `;` is a statement end
// anywhere. Words of statements (model, param, until …) are plain names here: the grammar knows where they
// have a meaning. Only the words of expressions are reserved.
#pragma once
#include "base/diag.h"
#include "base/text.h"

// Every kind and how messages call it.
#define TOKEN_LIST(T)                                  \
    T(EOF, "the end of the file")                      \
    T(END, "the end of the statement")                 \
    T(NAME, "a name")                                  \
    T(QUOTED, "a text in double quotes")               \
    T(NUMBER, "a number")                              \
    T(UNIT, "a unit")                                  \
    T(COMMENT, "a comment")                            \
    T(PRIME, "a single quote")                         \
    T(DOT, "'.'")                                      \
    T(RANGE, "'..'")                                   \
    T(COMMA, "','")                                    \
    T(COLON, "':'")                                    \
    T(ASSIGN, "':='")                                  \
    T(EQUALS, "'='")                                   \
    T(ARROW, "'->'")                                   \
    T(TILDE, "'~'")                                    \
    T(LPAREN, "'('")                                   \
    T(RPAREN, "')'")                                   \
    T(LBRACKET, "'['")                                 \
    T(RBRACKET, "']'")                                 \
    T(PLUS, "'+'")                                     \
    T(MINUS, "'-'")                                    \
    T(TIMES, "'*'")                                    \
    T(DIVIDE, "'/'")                                   \
    T(BAR, "'|'")                                      \
    T(POWER, "'^'")                                    \
    T(LT, "'<'")                                       \
    T(LE, "'<='")                                      \
    T(GT, "'>'")                                       \
    T(GE, "'>='")                                      \
    T(EQ, "'=='")                                      \
    T(NE, "'!='")                                      \
    T(AND, "'and'")                                    \
    T(OR, "'or'")                                      \
    T(NOT, "'not'")                                    \
    T(IF, "'if'")                                      \
    T(THEN, "'then'")                                  \
    T(ELSE, "'else'")

typedef enum TokenKind {
#define T(NAME, WORDS) TOKEN_##NAME,
    TOKEN_LIST(T)
#undef T
    TOKEN_COUNT
} TokenKind;

typedef struct Token {
    TokenKind kind;
    bool      space_before;    // white space, a line end or a comment stands before it
    uint32_t  offset, length;  // bytes, with quotes and brackets
} Token;

typedef struct Lexer {
    Text      text;            // borrowed
    uint32_t  file;            // for places
    orr_diag *diag;            // borrowed; may be NULL
    size_t    at;              // next byte to read
    TokenKind previous;        // decides whether a line end counts
    uint32_t  depth;           // open parentheses and index brackets
    bool      keep_comments;   // give them as tokens; else they are white space
    bool      quiet;           // count errors, but do not report them
    size_t    n_errors;        // bad characters, numbers and unclosed texts so far
} Lexer;

// A byte order mark is passed over. n is less than 4 GB.
void lex_init(Lexer *lexer, Text text, uint32_t file, orr_diag *diag);

// The next token. Wrong characters are reported and passed over as white space; a wrong number or an unclosed
// text is reported and given as if it were right, so that the grammar sees no second error. TOKEN_EOF for
// ever at the end; a TOKEN_END comes before it. No TOKEN_END comes first in a file nor after another.
Token lex_next(Lexer *lexer);

Text        lex_text(const Lexer *lexer, Token token);     // as written
Text        lex_inner(const Lexer *lexer, Token token);    // without quotes, or brackets and blanks in them
Place       lex_place(const Lexer *lexer, Token token);
const char *lex_kind_text(TokenKind kind);                 // "'->'", "a name"; static

bool lex_is_name(Text text);        // could be written as a name without quotes: letters and not reserved
bool lex_is_reserved(Text text);    // and or not if then else

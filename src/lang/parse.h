// src/lang/parse.h: reading the language: the state all files of the parser share, and what a formatter asks
// of it.
//
// Recursive descent over one token and the one behind it. After an error in a statement nothing more is said
// about that statement; the parser goes to the end of it and on with the next, so several errors are found at
// once. A block with a wrong first line is still read as a block, so that its `end` finds its partner.
#pragma once
#include "base/map.h"
#include "lang/ast.h"
#include "lang/lex.h"

// What the grammar knows about a token and the token itself does not tell; for the formatter.
typedef enum ParseMarkKind {
    MARK_OPEN,     // starts the first line of a block
    MARK_CLOSE,    // the `end` of a block
    MARK_CALL,     // the parenthesis of a call, of arguments or overrides
    MARK_SIGN,     // a minus with one operand
    MARK_CONNECT,  // the first minus of `--` between terminals
    MARK_BODY,     // a `then` behind which statements follow
    MARK_MIDDLE,   // starts another part of a block: `elsewhen`, `elseif`
    MARK_ELSE,     // both: the `else` of a block
    MARK_LOOSE,    // `*` and `/` of a machine: no arithmetic
    MARK_DO,       // a `do` behind which statements follow, up to a MARK_CLOSE
    MARK_STATE,    // starts the first line of a state of an atomic
    MARK_LEAVE,    // starts a statement that belongs to no state
} ParseMarkKind;

typedef struct ParseMark {
    ParseMarkKind kind;
    uint32_t      offset;    // of the token
} ParseMark;

typedef struct ParseMarks {
    Arena *arena;    // borrowed; owns the list
    VEC(ParseMark) list;
} ParseMarks;

// Add what a text in the language contains to the Ast; see FrontEnd.parse. marks may be NULL.
bool parse_text(Ast *ast, uint32_t file, Text text, orr_diag *diag, ParseMarks *marks);

// One expression, such as a value from the command line; NULL after an error. Must be all of the text.
AstExpr *parse_expression(Arena *arena, uint32_t file, Text text, orr_diag *diag);

// One observation, such as `max of x from 2 to 5`, likewise; false after an error.
bool parse_observation(Arena *arena, uint32_t file, Text text, AstObserve *observe, orr_diag *diag);

// ---- Inside the parser

typedef struct Parser {
    Lexer     lexer;
    Token     token;              // the one to be looked at
    Ast      *ast;                // borrowed
    Arena    *arena;              // borrowed; the Ast's
    orr_diag *diag;               // borrowed; may be NULL
    Names     names;              // every name once, in the Ast's arena
    ParseMarks *marks;            // borrowed; NULL: nobody asks
    uint32_t  statement;          // offset of the present statement
    uint32_t  end;                // end of the last token passed
    uint32_t  expr_end;           // end of the last expression read
    size_t    lexer_errors;       // before the present statement
    size_t    errors_before_token;
    bool      failed;             // an error of the present statement has been reported
    bool      ok;                 // nothing has failed yet
    bool      stop;               // the rest of the file makes no sense
    bool      said_outside;       // a statement outside of a model has been reported
    AstExpr  *last_unit;          // the last number that had a unit
    uint32_t  depth;              // of nesting, at most AST_DEPTH_MAX
    Place     suspect;            // first block since the last model whose `end` is indented unlike it

    // lists under way; each user takes off what it put on
    Arena     scratch;            // owns them
    VEC(AstExpr *)    exprs;
    VEC(AstPart)      parts;
    VEC(AstItem)      items;
    VEC(AstSetting)   settings;
    VEC(const char *) texts;
} Parser;

// Copy what was put on a list since it had `base` items into an array of its own in the Ast's arena.
#define PARSE_TAKE(p, list, base, n_out) \
    parse_take((p), (p)->list.items, &(p)->list.n, (base), sizeof *(p)->list.items, (n_out))
void *parse_take(Parser *p, const void *items, size_t *n, size_t base, size_t size, uint32_t *n_out);

// ---- parse_cursor.c: tokens, messages, blocks

void  parse_begin(Parser *p, Ast *ast, Arena *arena, uint32_t file, Text text, orr_diag *diag,
                  ParseMarks *marks);
bool  parse_finish(Parser *p);      // free what is the parser's own; true if nothing failed
void  parse_advance(Parser *p);
Token parse_peek(const Parser *p);  // the token behind the present one
static inline bool parse_at(const Parser *p, TokenKind kind) { return p->token.kind == kind; }
bool  parse_accept(Parser *p, TokenKind kind);              // pass over it if it is there
bool  parse_at_word(const Parser *p, const char *word);     // a name without quotes
bool  parse_peek_word(const Parser *p, const char *word);   // likewise, behind the present token
bool  parse_accept_word(Parser *p, const char *word);
bool  parse_at_name(const Parser *p);                       // plain or quoted
bool  parse_at_line_end(const Parser *p);                   // a statement end that is not a ';'
Place parse_here(const Parser *p);                          // of the present token
Place parse_since(const Parser *p, uint32_t offset);        // up to the last token passed
void  parse_mark(Parser *p, ParseMarkKind kind, Token token);

// A word with a meaning at the start of a statement; but `param = 3` is an equation for a variable `param`.
bool  parse_at_keyword(const Parser *p, const char *word, bool takes_expression);
bool  parse_at_rate(const Parser *p);    // `rate r then`, and not an equation about something called so

// Report an error of the present statement unless one was reported before; true if hints may follow.
#define PARSE_FAIL(p, id, ...) (parse_may_report(p) ? (diag_report((p)->diag, id, __VA_ARGS__), true) : false)
bool  parse_may_report(Parser *p);
bool  parse_report(Parser *p, const char *expected);                    // E204 at the present token
bool  parse_unexpected(Parser *p, const char *expected);                // the same; always false
bool  parse_expect(Parser *p, TokenKind kind, const char *expected);    // pass over it, or fail
bool  parse_not_yet(Parser *p, Token token);                            // E220
const char *parse_found(const Parser *p, char *buffer, size_t n);       // the present token in words

const char *parse_name(Parser *p, const char *expected);    // NULL after an error
const char *parse_doc(Parser *p);                           // an optional text; NULL if there is none
const char *parse_intern(Parser *p, Text text);

bool  parse_deeper(Parser *p, Place place);                 // false, reported: nested too deeply
static inline void parse_shallower(Parser *p) { p->depth--; }

void  parse_statement_begin(Parser *p);
void  parse_statement_end(Parser *p);       // report what does not belong there; go to where it ends

typedef struct ParseBlock {
    Place       place;      // of its first line
    const char *words;      // "model Tank"
    uint32_t    opener;     // offset of its first token
    bool        counted;    // its depth has been counted
} ParseBlock;
// Between the first line, whose end is expected here, and the first statement.
ParseBlock parse_block_begin(Parser *p, Token opener, const char *words);
// True if a statement follows; false after `end`, or after the report that it is missing.
bool  parse_block_goes_on(Parser *p, const ParseBlock *block);
void  parse_block_skip(Parser *p);          // from a word of another version over its lines up to `end`

// ---- parse_expr.c

AstExpr *parse_expr(Parser *p);                              // NULL after an error
AstExpr *parse_condition(Parser *p);                         // the same, with a better message for '='
bool     parse_ref(Parser *p, AstRef *ref, Place *place, const char *expected);
bool     parse_data(Parser *p, AstData *data);               // behind `data`: "file" x = column "c" …
// Behind `follows` the same for one expression.
bool     parse_follows(Parser *p, AstExpr *what, AstData *data);
bool     parse_setting(Parser *p, AstSetting *setting);      // path = value
bool     parse_hyphened(Parser *p);                          // pass over a word and what hyphens join to it
AstExpr **parse_indices(Parser *p, uint32_t *n);             // [a, b]; NULL after an error
bool     parse_close(Parser *p, Token open, TokenKind close, const char *expected);    // what closes `open`

// ---- parse_event.c

AstEvent *parse_event(Parser *p, AstEventKind kind);         // at its first word; NULL after an error
bool      parse_assign(Parser *p, AstItem *item);            // name := e; false after an error

// ---- parse_model.c, parse_machine.c, parse_experiment.c

void parse_model(Parser *p);                                 // at the word `model`
bool parse_for_head(Parser *p, AstItem *item);                // for i in a..b; false after an error
void parse_machine(Parser *p);                               // at the word `machine`
void parse_terminal_type(Parser *p);                         // at the word `terminal`, outside of models
void parse_function(Parser *p, AstFunction *function);       // at the word `function`
void parse_declarations(Parser *p, AstDeclKind kind);        // at `param`, `var` …: AST_DECLs on p->items
bool parse_own_unit(Parser *p, const char **unit, Place *place);    // [unit], if there is one
// The value of a declaration; a unit behind it is that of the declaration. NULL after a report.
AstExpr *parse_quantity(Parser *p, const char **unit, Place *place);
void parse_experiment(Parser *p);                            // at the word `experiment`

// ---- parse_atomic.c

void parse_atomic(Parser *p);                                // at the word `atomic`
void parse_record_type(Parser *p);                                // at the word `record`
void parse_enum_type(Parser *p);                                  // at the word `enum`
// Behind `input event` or `output event`; what was read is right also after an error.
bool parse_event_ports(Parser *p, bool is_output, AstPort **ports, uint32_t *n);

// ---- parse_bind.c

void parse_frame(Parser *p);                                 // at the word `frame`
bool parse_input(Parser *p, AstInput *input);                // behind the word `input` in an experiment
bool parse_output_to(Parser *p, AstSend *send);              // behind `output`, likewise
bool parse_outside(Parser *p, const char **outside);         // behind `outside`: stop, or go on

void parse_samples(Parser *p);                               // at the word `samples`; parse_table.c
void parse_table(Parser *p);                                 // at the word `table`; parse_table.c
bool parse_is_model_word(Text word);                         // starts a statement of a model

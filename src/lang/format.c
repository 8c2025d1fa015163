// src/lang/format.c: the layout of a model file.
//
// The text is parsed first, which tells what the tokens alone do not: where blocks open and close, which
// parentheses are those of a call, which minus is a sign. Then the tokens are written again. The author
// decides where lines break and whether + - * / are tight or loose; all other white space is decided here.
#include "lang/format.h"
#include "lang/parse.h"
#include <stdlib.h>

enum {
    INDENT = 2,             // spaces for each block
    CONTINUED = 2,          // steps of indentation more for a line that goes on
    COMMENT_GAP = 2,        // least spaces before a comment behind code
    ALIGNED_MAX = 80,       // longer lines do not push the comments of their neighbours
};

typedef struct Line {
    Text   code;            // without indentation
    Text   comment;         // with its '#', or empty
    size_t depth;           // of indentation, in steps
    bool   blank_before;
} Line;

typedef struct Formatter {
    Lexer      lexer;
    Arena     *arena;           // borrowed; owns the lines
    StrBuf     code;            // of the line under way, the last one
    VEC(Line)  lines;
    ParseMark *marks;           // [n_marks] ascending
    size_t     n_marks, next_mark;
    size_t     depth;           // of open blocks
    size_t     statement_depth; // of the statement under way
    size_t     state_depth;     // of what belongs to a state of an atomic; 0: outside of states
    size_t     end;             // of the last token written, in the source
    bool       statement_over;  // the next token starts a statement
    bool       body_begins;     // … the first of a body
    Token      previous;        // last token of the statement under way
    bool       previous_is_sign, previous_is_loose;
    int        connecting;      // minus signs of `--` just written
} Formatter;

static size_t count_line_ends(Text text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '\n' || (text.p[i] == '\r' && (i + 1 == text.n || text.p[i + 1] != '\n'))) n++;
    return n;
}

static int compare_marks(const void *a, const void *b)
{
    const ParseMark *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool has_mark(Formatter *f, Token token, ParseMarkKind kind)
{
    while (f->next_mark < f->n_marks && f->marks[f->next_mark].offset < token.offset) f->next_mark++;
    if (f->next_mark == f->n_marks) return false;
    return f->marks[f->next_mark].offset == token.offset && f->marks[f->next_mark].kind == kind;
}

// ---- Spaces inside a line

static bool is_arithmetic(TokenKind kind)
{
    return kind == TOKEN_PLUS || kind == TOKEN_MINUS || kind == TOKEN_TIMES || kind == TOKEN_DIVIDE;
}

// With a space on either side, or before a sign (two minus signs must not touch), an operator gets both.
static bool is_loose(const Formatter *f, Token token)
{
    Lexer ahead = f->lexer;
    ahead.quiet = true;
    const Token next = lex_next(&ahead);
    return token.space_before || next.space_before || (token.kind == TOKEN_MINUS && next.kind == TOKEN_MINUS);
}

static bool needs_space(Formatter *f, Token token, bool is_sign, bool loose)
{
    if (f->connecting) return f->connecting == 2;
    switch (f->previous.kind) {
    case TOKEN_LPAREN: case TOKEN_LBRACKET: case TOKEN_DOT: case TOKEN_RANGE: case TOKEN_POWER: return false;
    default: break;
    }
    switch (token.kind) {
    case TOKEN_RPAREN: case TOKEN_LBRACKET: case TOKEN_RBRACKET: case TOKEN_COMMA: case TOKEN_PRIME:
    case TOKEN_DOT: case TOKEN_RANGE: case TOKEN_POWER:
        return false;
    case TOKEN_LPAREN:
        if (has_mark(f, token, MARK_CALL)) return false;
        break;
    default:
        break;
    }
    if (f->previous_is_sign) return token.kind == TOKEN_MINUS;
    if (is_arithmetic(f->previous.kind)) return f->previous_is_loose;
    if (is_arithmetic(token.kind) && !is_sign) return loose;
    return true;
}

// ---- Lines

static void close_line(Formatter *f)
{
    if (f->lines.n == 0) return;
    vec_last(&f->lines).code = text_from(str_finish(&f->code));
    f->code = (StrBuf){ .arena = f->arena };
}

static void open_line(Formatter *f, size_t depth, size_t breaks)
{
    close_line(f);
    const Line line = { .depth = depth, .blank_before = breaks > 1 && f->lines.n > 0 };
    vec_push(f->arena, &f->lines, line);
}

static void add_comment(Formatter *f, Token token, size_t breaks)
{
    if (breaks > 0 || f->lines.n == 0)
        open_line(f, f->statement_over ? f->depth : f->statement_depth + CONTINUED, breaks);
    vec_last(&f->lines).comment = text_trim(lex_text(&f->lexer, token));
}

static void add_code(Formatter *f, Token token, size_t breaks)
{
    // `then` and `else` in a new line still belong to the statement before
    const bool is_else = has_mark(f, token, MARK_ELSE), is_state = has_mark(f, token, MARK_STATE);
    const bool is_middle = is_else || has_mark(f, token, MARK_MIDDLE) || (is_state && f->state_depth > 0);
    const bool starts = f->statement_over &&
                        (is_else || (token.kind != TOKEN_THEN && token.kind != TOKEN_ELSE));
    const bool leaves = f->state_depth > 0 && f->depth == f->state_depth;
    if (leaves && (has_mark(f, token, MARK_LEAVE) || has_mark(f, token, MARK_CLOSE))) {
        f->state_depth = 0;
        f->depth--;
    }
    if (has_mark(f, token, MARK_CLOSE)) f->depth--;
    if (starts) f->statement_depth = is_middle ? f->depth - 1 : f->depth;
    if (has_mark(f, token, MARK_OPEN) || has_mark(f, token, MARK_DO)) f->depth++;
    if (is_state && f->state_depth == 0) f->state_depth = ++f->depth;
    const bool is_sign = has_mark(f, token, MARK_SIGN);
    const bool connects = has_mark(f, token, MARK_CONNECT);
    const bool loose = connects || has_mark(f, token, MARK_LOOSE)
                       || (is_arithmetic(token.kind) && is_loose(f, token));
    if (breaks > 0 || f->lines.n == 0) open_line(f, f->statement_depth + (starts ? 0 : CONTINUED), breaks);
    else if (starts) str_add(&f->code, f->body_begins ? " " : "; ");
    else if (needs_space(f, token, is_sign, loose)) str_add_char(&f->code, ' ');

    if (token.kind == TOKEN_UNIT) {
        str_add_char(&f->code, '[');
        str_add_text(&f->code, lex_inner(&f->lexer, token));
        str_add_char(&f->code, ']');
    } else {
        str_add_text(&f->code, lex_text(&f->lexer, token));
    }
    // statements follow such a `then` or `else`, on the same line or in the next
    f->body_begins = is_else || has_mark(f, token, MARK_BODY) || has_mark(f, token, MARK_DO);
    f->statement_over = f->body_begins;
    f->previous = token;
    f->previous_is_sign = is_sign;
    f->previous_is_loose = loose;
    f->connecting = connects ? 1 : f->connecting == 1 ? 2 : 0;
}

static void split_lines(Formatter *f)
{
    for (Token token; (token = lex_next(&f->lexer)).kind != TOKEN_EOF;) {
        if (token.kind == TOKEN_END) {
            f->statement_over = true;
            continue;
        }
        const size_t breaks = count_line_ends(text_part(f->lexer.text, f->end, token.offset));
        if (token.kind == TOKEN_COMMENT) add_comment(f, token, breaks);
        else add_code(f, token, breaks);
        f->end = (size_t)token.offset + token.length;
    }
    close_line(f);
}

// ---- Writing

static size_t width(const Line *line) { return line->depth * INDENT + text_cells(line->code); }

static bool has_both(const Line *line) { return line->code.n > 0 && line->comment.n > 0; }

// Where the comments of a run of neighbouring lines start, counted from the first of the run.
static size_t comment_column(const Line *lines, size_t n)
{
    size_t column = 0;
    for (size_t i = 0; i < n && has_both(&lines[i]) && !(i > 0 && lines[i].blank_before); i++) {
        const size_t w = width(&lines[i]);
        if (w <= ALIGNED_MAX && w > column) column = w;
    }
    return column + COMMENT_GAP;
}

static void add_spaces(StrBuf *out, size_t n)
{
    memset(str_room(out, n), ' ', n);
    out->n += n;
}

static void write_lines(const Formatter *f, StrBuf *out)
{
    size_t column = 0;
    bool in_run = false;
    for (size_t i = 0; i < f->lines.n; i++) {
        const Line *line = &f->lines.items[i];
        if (line->blank_before) {
            str_add_char(out, '\n');
            in_run = false;
        }
        if (!has_both(line)) in_run = false;
        else if (!in_run) {
            column = comment_column(line, f->lines.n - i);
            in_run = true;
        }
        add_spaces(out, line->depth * INDENT);
        str_add_text(out, line->code);
        if (has_both(line)) {
            const size_t w = width(line);
            add_spaces(out, w + COMMENT_GAP > column ? COMMENT_GAP : column - w);
        }
        str_add_text(out, line->comment);
        str_add_char(out, '\n');
    }
}

bool format_text(Text text, uint32_t file, StrBuf *out, orr_diag *diag)
{
    Arena arena = { 0 };
    Ast ast = { .arena = &arena };
    ParseMarks marks = { .arena = &arena };
    const bool ok = parse_text(&ast, file, text, diag, &marks);
    if (ok) {
        if (marks.list.n > 1) qsort(marks.list.items, marks.list.n, sizeof *marks.list.items, compare_marks);
        Formatter f = { .arena = &arena, .code = { .arena = &arena }, .marks = marks.list.items,
                        .n_marks = marks.list.n, .statement_over = true };
        lex_init(&f.lexer, text, file, diag);
        f.lexer.keep_comments = true;
        f.lexer.quiet = true;
        split_lines(&f);
        write_lines(&f, out);
    }
    arena_free(&arena);
    return ok;
}

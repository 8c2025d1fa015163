// src/lang/parse_event.c: events: what happens at an instant, and when.
//
//     when CONDITION [after DELAY] [priority N] {option} then … elsewhen CONDITION … then … end
//     at TIME [priority N] {option} then … end
//     every PERIOD [from TIME] [priority N] {option} then … end
//     next NAME = VALUE every PERIOD [from TIME]
//     on PORT [priority N] then … end
//     reinit [priority N] then … end
//
// A body is a list of assignments, `if` and `for` blocks, `send` and `terminate`. It may stand on one line.
#include "lang/parse.h"

static bool parse_body(Parser *p, AstItem **items, uint32_t *n, bool *ends);

bool parse_assign(Parser *p, AstItem *item)
{
    const uint32_t start = p->token.offset;
    *item = (AstItem){ .kind = AST_ASSIGN };
    Place place;
    if (!parse_ref(p, &item->assign.target, &place, "a name")) return false;
    if (!parse_at(p, TOKEN_ASSIGN)) {
        parse_report(p, "':='");
        return false;
    }
    parse_advance(p);
    item->assign.value = parse_expr(p);
    item->place = parse_since(p, start);
    return item->assign.value != NULL;
}

// ---- Bodies

static bool at_part(const Parser *p)
{
    return parse_at_word(p, "end") || parse_at_word(p, "elsewhen") || parse_at_word(p, "elseif") ||
           parse_at(p, TOKEN_ELSE);
}

static void parse_body_assign(Parser *p)
{
    AstItem item;
    if (parse_assign(p, &item)) vec_push(&p->scratch, &p->items, item);
    else if (parse_at(p, TOKEN_EQUALS)) diag_hint(p->diag, "an event computes in order; write ':=' there");
}

static void parse_terminate(Parser *p)
{
    const uint32_t start = p->token.offset;
    parse_advance(p);
    AstItem item = { .kind = AST_TERMINATE };
    item.terminate = parse_doc(p);
    if (!item.terminate) {
        if (parse_report(p, "a text in double quotes"))
            diag_hint(p->diag, "say why: terminate \"tank is empty\"");
        return;
    }
    item.place = parse_since(p, start);
    vec_push(&p->scratch, &p->items, item);
}

// send PORT, send PORT(value, …)
static void parse_send(Parser *p)
{
    const uint32_t start = p->token.offset;
    parse_advance(p);
    AstItem item = { .kind = AST_SEND };
    if (!parse_ref(p, &item.send.port, &item.send.port_place, "the name of an event port")) return;
    if (parse_at(p, TOKEN_LPAREN)) {
        const Token open = p->token;
        const size_t base = p->exprs.n;
        parse_mark(p, MARK_CALL, open);
        parse_advance(p);
        bool ok = true;
        if (!parse_at(p, TOKEN_RPAREN)) {
            do {
                AstExpr *value = parse_expr(p);
                ok = value != NULL;
                if (ok) vec_push(&p->scratch, &p->exprs, value);
            } while (ok && parse_accept(p, TOKEN_COMMA));
        }
        item.send.values = PARSE_TAKE(p, exprs, base, &item.send.n_values);
        if (!ok || !parse_close(p, open, TOKEN_RPAREN, "',' or ')'")) return;
    }
    item.place = parse_since(p, start);
    vec_push(&p->scratch, &p->items, item);
}

// Over the `end` of a block.
static void close_block(Parser *p, const ParseBlock *block)
{
    if (parse_at_word(p, "end")) {
        parse_mark(p, MARK_CLOSE, p->token);
        parse_advance(p);
    } else {
        parse_block_goes_on(p, block);    // reports what is missing
        return;
    }
    parse_shallower(p);
}

static ParseBlock open_block(Parser *p, Token opener, const char *words)
{
    parse_mark(p, MARK_OPEN, opener);
    ParseBlock block = { .words = words, .opener = opener.offset, .place = parse_since(p, opener.offset) };
    block.counted = parse_deeper(p, block.place);
    return block;
}

static bool parse_then(Parser *p)
{
    if (!parse_at(p, TOKEN_THEN)) return parse_unexpected(p, "'then'");
    parse_mark(p, MARK_BODY, p->token);
    parse_advance(p);
    return true;
}

// A first line that is wrong: over the lines up to its `end`.
static void skip_block(Parser *p)
{
    p->lexer.quiet = true;
    while (!parse_at(p, TOKEN_THEN) && !parse_at(p, TOKEN_END) && !parse_at(p, TOKEN_EOF)) parse_advance(p);
    p->lexer.quiet = false;
    if (parse_accept(p, TOKEN_THEN)) {
        parse_block_skip(p);
        return;
    }
    // without its `then`: a block if what follows is an assignment
    const Parser before = *p;
    parse_accept(p, TOKEN_END);
    const bool is_block = parse_at_name(p) && parse_peek(p).kind == TOKEN_ASSIGN;
    *p = before;
    if (is_block) parse_block_skip(p);
}

static AstItem *parse_branches(Parser *p)
{
    const Token opener = p->token;
    parse_advance(p);
    AstItem *first = NULL, **next = &first;
    ParseBlock block = { 0 };
    bool ends = false;
    for (bool is_else = false; !ends; next = &(*next)->branch.otherwise) {
        AstItem *item = *next = ARENA_NEW(p->arena, AstItem);
        item->kind = AST_BRANCH;
        item->place = parse_since(p, opener.offset);
        if (!is_else) {
            item->branch.condition = parse_condition(p);
            item->place = parse_since(p, opener.offset);
            if (!item->branch.condition || !parse_then(p)) {
                if (!block.words) skip_block(p);
                return NULL;
            }
        }
        if (!block.words) block = open_block(p, opener, "if");
        if (!block.counted || !parse_body(p, &item->branch.items, &item->branch.n_items, &ends)) return NULL;
        if (ends) break;
        if (is_else || parse_at_word(p, "elsewhen")) {
            parse_unexpected(p, "'end'");
            return NULL;
        }
        is_else = parse_at(p, TOKEN_ELSE);
        parse_mark(p, is_else ? MARK_ELSE : MARK_MIDDLE, p->token);
        parse_advance(p);
    }
    close_block(p, &block);
    return first;
}

static void parse_body_for(Parser *p)
{
    const Token opener = p->token;
    AstItem item;
    const bool ok = parse_for_head(p, &item);
    const ParseBlock block = parse_block_begin(p, opener, "for");
    bool ends = false;
    if (!block.counted || !parse_body(p, &item.loop.items, &item.loop.n_items, &ends)) return;
    if (!ends) {
        parse_unexpected(p, "'end'");
        return;
    }
    close_block(p, &block);
    if (ok) vec_push(&p->scratch, &p->items, item);
}

static void parse_body_statement(Parser *p)
{
    if (parse_at(p, TOKEN_IF)) {
        AstItem *branches = parse_branches(p);
        if (branches) vec_push(&p->scratch, &p->items, *branches);
    } else if (parse_at_keyword(p, "for", false)) {
        parse_body_for(p);
    } else if (parse_at_keyword(p, "terminate", false)) {
        parse_terminate(p);
    } else if (parse_at_keyword(p, "send", false)) {
        parse_send(p);
    } else if (parse_at_keyword(p, "on", false) || parse_at_keyword(p, "when", true) ||
               parse_at_keyword(p, "at", true) || parse_at_keyword(p, "every", true) ||
               parse_at_keyword(p, "reinit", false) || parse_at_rate(p)) {
        if (parse_report(p, "an assignment"))
            diag_hint(p->diag, "an event stands outside of others; 'if' asks for something here");
        skip_block(p);
    } else {
        parse_body_assign(p);
    }
}

// Statements up to a word that ends this part of the block, which is left; *ends if that is `end`, or if the
// file ends. False if it is missing.
static bool parse_body(Parser *p, AstItem **items, uint32_t *n, bool *ends)
{
    const size_t base = p->items.n;
    for (;;) {
        while (parse_accept(p, TOKEN_END)) continue;
        if (at_part(p) || parse_at(p, TOKEN_EOF)) break;
        parse_statement_begin(p);
        parse_body_statement(p);
        if (!at_part(p) || p->failed) parse_statement_end(p);
    }
    *items = PARSE_TAKE(p, items, base, n);
    *ends = parse_at_word(p, "end") || parse_at(p, TOKEN_EOF);
    p->failed = false;
    return true;
}

// ---- Events

// `from 1`, `after 2`, `priority 3`: a word and a value, each at most once.
static bool parse_clause(Parser *p, const char *word, AstExpr **value, bool *found)
{
    if (!parse_at_word(p, word)) return true;
    if (*value) {
        PARSE_FAIL(p, DIAG_STATEMENT_TWICE, parse_here(p), word);
        return false;
    }
    parse_advance(p);
    *value = parse_expr(p);
    *found = true;
    return *value != NULL;
}

#define O(name, word) word,
const char *const ast_event_options[] = { AST_EVENT_OPTIONS(O) };
#undef O

static bool parse_option(Parser *p, AstEvent *e, bool *found)
{
    for (int i = e->kind == AST_WHEN ? 0 : 1; i < AST_N_EVENT_OPTIONS; i++) {
        if (!parse_at_word(p, ast_event_options[i])) continue;
        if (e->options & 1u << i) {
            PARSE_FAIL(p, DIAG_STATEMENT_TWICE, parse_here(p), ast_event_options[i]);
            return false;
        }
        e->options |= 1u << i;
        parse_advance(p);
        *found = true;
    }
    return true;
}

static bool parse_clauses(Parser *p, AstEvent *e)
{
    for (bool found = true, ok = true; found;) {
        found = false;
        if (e->kind == AST_EVERY || e->kind == AST_NEXT) ok = parse_clause(p, "from", &e->from, &found);
        if (ok && e->kind == AST_WHEN) ok = parse_clause(p, "after", &e->after, &found);
        if (ok && e->kind != AST_NEXT) ok = parse_clause(p, "priority", &e->priority, &found);
        if (ok && e->kind != AST_NEXT && e->kind != AST_ON && e->kind != AST_REINIT)
            ok = parse_option(p, e, &found);
        if (!ok) return false;
    }
    return true;
}

static AstEvent *parse_next(Parser *p)
{
    AstEvent *e = ARENA_NEW(p->arena, AstEvent);
    const uint32_t start = p->token.offset;
    e->kind = AST_NEXT;
    parse_advance(p);
    e->body = ARENA_NEW(p->arena, AstItem);
    e->n_body = 1;
    e->body->kind = AST_ASSIGN;
    Place place;
    if (!parse_ref(p, &e->body->assign.target, &place, "the name of a discrete variable")) return NULL;
    if (!parse_expect(p, TOKEN_EQUALS, "'='")) return NULL;
    e->body->assign.value = parse_expr(p);
    if (!e->body->assign.value) return NULL;
    e->body->place = parse_since(p, start);
    if (!parse_accept_word(p, "every")) {
        if (parse_report(p, "'every'")) diag_hint(p->diag, "write next x = … every PERIOD");
        return NULL;
    }
    e->time = parse_expr(p);
    if (!e->time || !parse_clauses(p, e)) return NULL;
    e->place = parse_since(p, start);
    return e;
}

AstEvent *parse_event(Parser *p, AstEventKind kind)
{
    static const char *const words[] = { "when", "at", "every", "next", "on", "reinit", "rate" };
    if (kind == AST_NEXT) return parse_next(p);
    const Token opener = p->token;
    AstEvent *first = NULL, **next = &first;
    ParseBlock block = { 0 };
    for (bool ends = false; !ends; next = &(*next)->otherwise) {
        const uint32_t start = p->token.offset;
        AstEvent *e = *next = ARENA_NEW(p->arena, AstEvent);
        e->kind = kind;
        parse_advance(p);
        bool ok = true;
        if (kind == AST_ON) ok = parse_ref(p, &e->port, &e->port_place, "the name of an event port");
        else if (kind == AST_WHEN) ok = (e->condition = parse_condition(p)) != NULL;
        else if (kind != AST_REINIT) ok = (e->time = parse_expr(p)) != NULL;
        ok = ok && parse_clauses(p, e);
        e->place = parse_since(p, start);
        if (!ok || !parse_then(p)) {
            if (block.words) parse_block_skip(p);
            else skip_block(p);
            return NULL;
        }
        if (!block.words) block = open_block(p, opener, words[kind]);
        if (!block.counted || !parse_body(p, &e->body, &e->n_body, &ends)) return NULL;
        if (ends) break;
        if (kind != AST_WHEN || !parse_at_word(p, "elsewhen")) {
            if (parse_report(p, "'end'") && parse_at_word(p, "elsewhen"))
                diag_hint(p->diag, "'elsewhen' belongs to 'when'");
            parse_block_skip(p);
            return NULL;
        }
        parse_mark(p, MARK_MIDDLE, p->token);
    }
    close_block(p, &block);
    return first;
}

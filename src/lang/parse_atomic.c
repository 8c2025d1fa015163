// src/lang/parse_atomic.c: discrete events: records, enumerations and atomics.
//
//     record Job
//       born [s], size
//       urgent : boolean
//     end
//     enum Colour red, green, blue
//     atomic NAME
//       param mean = 0.8
//       input event job : Job, stop : nothing
//       output event done : Job
//       var waiting = queue(Job), now : Job
//       start idle
//       on stop -> idle                                     # in any state
//       state idle
//         on job if job.size > 0 do now := job -> busy
//       state busy for exponential(mean)
//         on job do push(waiting, job) -> busy keeping time
//         after send done(now) -> if empty(waiting) then idle else do now := pop(waiting) -> busy
//       confluent external first                            # or: confluent do on job do … end -> busy
//     end
//
// A `do` block ends with `->` and where it leads or, if the state stays, with `end`. It may stand on one
// line.
#include "lang/parse.h"

typedef struct Lists {    // of the block under way, in the scratch arena
    VEC(AstAct) acts;
    VEC(AstGoal) goals;
    VEC(AstEmit) emits;
    VEC(AstTransition) transitions, common;
    VEC(AstState) states;
    VEC(AstPort) ports;
    VEC(AstCell) cells;
    VEC(AstField) fields;
    VEC(Place) places;
    bool takes_messages;    // statements of `confluent`: `on job do … end` is one of them
} Lists;

#define TAKE(p, list, base, n_out)                                                                           \
    parse_take((p), (list).items, &(list).n, (base), sizeof *(list).items, (n_out))

// ---------------------------------------------------------------------------------------------- statements

static AstAct *parse_acts(Parser *p, Lists *lists, uint32_t *n);

// What ends a list of statements.
static bool at_part(const Parser *p)
{
    return parse_at_word(p, "end") || parse_at_word(p, "elseif") || parse_at(p, TOKEN_ELSE) ||
           parse_at(p, TOKEN_ARROW) || parse_at(p, TOKEN_EOF);
}

static bool parse_assignment(Parser *p, AstAct *act)
{
    act->kind = AST_ACT_ASSIGN;
    if (!parse_ref(p, &act->target, &act->target_place, "a statement")) return false;
    if (!parse_at(p, TOKEN_ASSIGN)) {
        if (parse_report(p, "':='")) {
            if (parse_at(p, TOKEN_EQUALS))
                diag_hint(p->diag, "a 'do' block computes in order; write ':=' there");
            else if (parse_at_name(p)) diag_hint(p->diag, "statements on one line are separated by ';'");
        }
        return false;
    }
    parse_advance(p);
    return (act->value = parse_expr(p)) != NULL;
}

// Over the `end` of a block of statements.
static bool close_acts(Parser *p, Place opener, const char *words)
{
    if (parse_at_word(p, "end")) {
        parse_mark(p, MARK_CLOSE, p->token);
        parse_advance(p);
        return true;
    }
    if (parse_at(p, TOKEN_ARROW) || parse_at(p, TOKEN_EOF)) {
        if (PARSE_FAIL(p, DIAG_END_MISSING, opener, words) && parse_at(p, TOKEN_ARROW))
            diag_note(p->diag, parse_here(p), "the block around it ends here");
        return false;
    }
    return parse_unexpected(p, "'end'");
}

// if CONDITION then … elseif … else … end
static bool parse_if(Parser *p, Lists *lists, AstAct *act)
{
    const Token opener = p->token;
    if (!parse_deeper(p, parse_here(p))) return false;
    parse_mark(p, MARK_OPEN, opener);
    AstAct *part = act;
    Place place = parse_here(p);
    bool ok = true;
    for (;;) {
        parse_advance(p);
        part->kind = AST_ACT_IF;
        part->value = parse_condition(p);
        part->place = parse_since(p, opener.offset);
        ok = part->value != NULL && parse_at(p, TOKEN_THEN);
        if (part->value && !ok) parse_report(p, "'then'");
        if (!ok) break;
        place = parse_since(p, opener.offset);
        parse_mark(p, MARK_BODY, p->token);
        parse_advance(p);
        part->body = parse_acts(p, lists, &part->n_body);
        if (parse_at(p, TOKEN_ELSE)) {
            parse_mark(p, MARK_ELSE, p->token);
            parse_advance(p);
            part->other = parse_acts(p, lists, &part->n_other);
            break;
        }
        if (!parse_at_word(p, "elseif")) break;
        parse_mark(p, MARK_MIDDLE, p->token);
        part->other = ARENA_NEW(p->arena, AstAct);
        part->n_other = 1;
        part = part->other;
    }
    parse_shallower(p);
    return ok && close_acts(p, place, "if");
}

// for i in 1..n … end
static bool parse_for(Parser *p, Lists *lists, AstAct *act)
{
    const Token opener = p->token;
    if (!parse_deeper(p, parse_here(p))) return false;
    parse_mark(p, MARK_OPEN, opener);
    parse_advance(p);
    act->kind = AST_ACT_FOR;
    act->index = parse_name(p, "the name of an index");
    bool ok = act->index && (parse_accept_word(p, "in") || parse_unexpected(p, "'in'"));
    ok = ok && (act->value = parse_expr(p)) && parse_expect(p, TOKEN_RANGE, "'..'");
    ok = ok && (act->last = parse_expr(p));
    act->place = parse_since(p, opener.offset);
    if (ok && !parse_at(p, TOKEN_END)) ok = parse_unexpected(p, "the end of the line");
    if (ok) act->body = parse_acts(p, lists, &act->n_body);
    parse_shallower(p);
    return ok && close_acts(p, act->place, "for");
}

// on job [if CONDITION] do … end, where `confluent` says what becomes of messages
static bool parse_take_act(Parser *p, Lists *lists, AstAct *act)
{
    const Token opener = p->token;
    if (!parse_deeper(p, parse_here(p))) return false;
    parse_advance(p);
    act->kind = AST_ACT_ON;
    act->target_place = parse_here(p);
    act->index = parse_name(p, "an input event");
    bool ok = act->index && (!parse_accept(p, TOKEN_IF) || (act->value = parse_condition(p)));
    act->place = parse_since(p, opener.offset);
    if (ok && !parse_at_word(p, "do")) {
        if (parse_report(p, "'do'"))
            diag_hint(p->diag, "messages are taken one by one, then it is said "
                               "where it leads: confluent do on %s do … end -> …", act->index);
        parse_accept(p, TOKEN_ARROW);    // it does not end the block
        ok = false;
    }
    if (ok) {
        parse_mark(p, MARK_DO, p->token);
        parse_advance(p);
        act->body = parse_acts(p, lists, &act->n_body);
    }
    parse_shallower(p);
    return ok && close_acts(p, act->place, "do");
}

static bool parse_act(Parser *p, Lists *lists, AstAct *act)
{
    const uint32_t start = p->token.offset;
    *act = (AstAct){ 0 };
    bool ok;
    if (parse_at(p, TOKEN_IF)) return parse_if(p, lists, act);
    if (parse_at_keyword(p, "for", false)) return parse_for(p, lists, act);
    if (lists->takes_messages && parse_at_word(p, "on") && parse_peek(p).kind == TOKEN_NAME)
        return parse_take_act(p, lists, act);
    if (parse_at_word(p, "send") && parse_peek(p).kind == TOKEN_NAME) {
        if (parse_report(p, "a statement"))
            diag_hint(p->diag, "messages are sent before what is done: after send done(now) do … -> idle");
        return false;
    }
    if (parse_at_name(p) && parse_peek(p).kind == TOKEN_LPAREN) {
        act->kind = AST_ACT_CALL;
        act->value = parse_expr(p);
        ok = act->value != NULL;
    } else {
        ok = parse_assignment(p, act);
    }
    act->place = parse_since(p, start);
    return ok;
}

// Over the rest of a wrong statement, but not over the arrow that ends its block.
static void skip_act(Parser *p)
{
    p->ok = false;
    p->lexer.quiet = true;
    p->lexer.depth = 0;
    while (!parse_at(p, TOKEN_END) && !parse_at(p, TOKEN_EOF) && !parse_at(p, TOKEN_ARROW)) {
        parse_advance(p);
        p->lexer.depth = 0;
    }
    p->lexer.quiet = false;
    p->lexer_errors = p->lexer.n_errors;
}

// Statements up to a word that ends them, which is left.
static AstAct *parse_acts(Parser *p, Lists *lists, uint32_t *n)
{
    const size_t base = lists->acts.n;
    const bool failed = p->failed;
    const uint32_t statement = p->statement;
    for (;;) {
        while (parse_accept(p, TOKEN_END)) continue;
        if (at_part(p) || p->stop) break;
        // an `end` was forgotten: what stands here belongs to the atomic
        if (parse_at_keyword(p, "state", false) || parse_at_word(p, "after")) {
            const TokenKind next = parse_peek(p).kind;
            if (next != TOKEN_ASSIGN && next != TOKEN_DOT && next != TOKEN_LPAREN && next != TOKEN_LBRACKET)
                break;
        }
        if (!lists->takes_messages && parse_at_word(p, "on") && parse_peek(p).kind == TOKEN_NAME) break;
        parse_statement_begin(p);
        AstAct act;
        if (parse_act(p, lists, &act)) vec_push(&p->scratch, &lists->acts, act);
        if (!p->failed && !at_part(p) && !parse_at(p, TOKEN_END)) {
            if (parse_report(p, "an operator, ';' or the end of the statement") && parse_at_name(p))
                diag_hint(p->diag, "statements on one line are separated by ';'");
        }
        if (p->failed || p->lexer.n_errors != p->lexer_errors) skip_act(p);
    }
    p->failed = failed;
    p->statement = statement;
    return TAKE(p, lists->acts, base, n);
}

// ---------------------------------------------------------------------------------------------- goals

static bool parse_goal(Parser *p, Lists *lists, AstGoal *goal, bool needs_arrow);

// `else` may start a line.
static bool parse_else(Parser *p)
{
    if (parse_at_line_end(p) && parse_peek(p).kind == TOKEN_ELSE) parse_advance(p);
    if (parse_accept(p, TOKEN_ELSE)) return true;
    if (parse_report(p, "'else'"))
        diag_hint(p->diag, "every case needs an answer: -> if empty(waiting) then idle else busy");
    return false;
}

// STATE [keeping time], if CONDITION then GOAL else GOAL, or 0.5 STATE | 0.5 STATE
static bool parse_target(Parser *p, Lists *lists, AstGoal *goal)
{
    const uint32_t start = p->token.offset;
    bool ok = true;
    if (parse_at(p, TOKEN_IF)) {
        if (!parse_deeper(p, parse_here(p))) return false;
        parse_advance(p);
        goal->yes = ARENA_NEW(p->arena, AstGoal);
        goal->no = ARENA_NEW(p->arena, AstGoal);
        ok = (goal->condition = parse_condition(p)) != NULL && parse_expect(p, TOKEN_THEN, "'then'");
        ok = ok && parse_goal(p, lists, goal->yes, false) && parse_else(p) &&
             parse_goal(p, lists, goal->no, false);
        parse_shallower(p);
    } else if (parse_at(p, TOKEN_NUMBER) || parse_at(p, TOKEN_LPAREN)) {
        const size_t base = lists->goals.n, exprs = p->exprs.n;
        do {
            AstGoal part = { 0 };
            if (!parse_at(p, TOKEN_NUMBER) && !parse_at(p, TOKEN_LPAREN)) {
                if (parse_report(p, "a probability"))
                    diag_hint(p->diag, "write how likely each is: 0.5 a | 0.5 b");
                ok = false;
                break;
            }
            AstExpr *chance = parse_expr(p);
            ok = chance && parse_goal(p, lists, &part, false);
            if (ok && (part.condition || part.n_chances > 0)) {
                ok = false;
                if (PARSE_FAIL(p, DIAG_EXPECTED, part.place, "a state behind its probability", "a choice"))
                    diag_hint(p->diag, "go to a state that lasts 0 and choose there");
            }
            if (!ok) break;
            vec_push(&p->scratch, &p->exprs, chance);
            vec_push(&p->scratch, &lists->goals, part);
        } while (parse_accept(p, TOKEN_BAR));
        uint32_t n;
        goal->cases = TAKE(p, lists->goals, base, &goal->n_chances);
        goal->chances = PARSE_TAKE(p, exprs, exprs, &n);
    } else {
        goal->state = parse_name(p, "a state");
        ok = goal->state != NULL;
        if (ok && parse_at_word(p, "keeping")) {
            parse_advance(p);
            if (!parse_accept_word(p, "time")) ok = parse_unexpected(p, "'time'");
            goal->keeps = true;
        }
    }
    goal->place = parse_since(p, start);
    return ok;
}

// [do ACTS] -> TARGET, or do ACTS end; inside of another goal the arrow is needed behind `do` only.
static bool parse_goal(Parser *p, Lists *lists, AstGoal *goal, bool needs_arrow)
{
    const uint32_t start = p->token.offset;
    goal->place = parse_here(p);
    // `-> do ACTS -> STATE` is what people write as well
    if (needs_arrow && parse_at(p, TOKEN_ARROW) && parse_peek_word(p, "do")) parse_advance(p);
    if (parse_at_word(p, "do")) {
        if (!parse_deeper(p, parse_here(p))) return false;
        parse_mark(p, MARK_DO, p->token);
        const Place opener = parse_here(p);
        parse_advance(p);
        goal->acts = parse_acts(p, lists, &goal->n_acts);
        parse_shallower(p);
        if (parse_at_word(p, "end")) {
            parse_mark(p, MARK_CLOSE, p->token);
            parse_advance(p);
            goal->place = parse_since(p, start);
            if (!parse_at(p, TOKEN_ARROW)) return true;
        } else if (parse_at(p, TOKEN_ARROW)) {
            parse_mark(p, MARK_CLOSE, p->token);
        } else {
            if (PARSE_FAIL(p, DIAG_END_MISSING, opener, "do"))
                diag_hint(p->diag,
                          "a 'do' block ends with '->' and a state or, if the state stays, with 'end'");
            return false;
        }
        parse_advance(p);
    } else if (needs_arrow && !parse_accept(p, TOKEN_ARROW)) {
        return parse_unexpected(p, "'do', or '->' and a state");
    }
    return parse_target(p, lists, goal);
}

// ---------------------------------------------------------------------------------------------- transitions

// [i] behind a port; nothing is read if there is none
static bool parse_port_index(Parser *p, AstExpr **index)
{
    if (!parse_at(p, TOKEN_LBRACKET)) return true;
    uint32_t n;
    AstExpr **indices = parse_indices(p, &n);
    if (!indices) return false;
    if (n > 1) return PARSE_FAIL(p, DIAG_EXPECTED, indices[1]->place, "one index", "several"), false;
    *index = indices[0];
    return true;
}

// done(now) if size > 2, lost
static bool parse_emits(Parser *p, Lists *lists, AstTransition *transition)
{
    const size_t base = lists->emits.n;
    bool ok = true;
    do {
        const uint32_t start = p->token.offset;
        AstEmit emit = { .port_place = parse_here(p) };
        emit.port = parse_name(p, "an output event");
        ok = emit.port && parse_port_index(p, &emit.index);
        if (ok && parse_at(p, TOKEN_LPAREN)) {
            const Token open = p->token;
            parse_mark(p, MARK_CALL, open);
            parse_advance(p);
            if (!parse_at(p, TOKEN_RPAREN)) ok = (emit.value = parse_expr(p)) != NULL;
            ok = ok && parse_close(p, open, TOKEN_RPAREN, "an operator or ')'");
        }
        if (ok && parse_accept(p, TOKEN_IF)) ok = (emit.condition = parse_condition(p)) != NULL;
        emit.place = parse_since(p, start);
        if (ok) vec_push(&p->scratch, &lists->emits, emit);
    } while (ok && parse_accept(p, TOKEN_COMMA));
    transition->emits = TAKE(p, lists->emits, base, &transition->n_emits);
    return ok;
}

// on PORT [if GUARD] GOAL, after [if GUARD] [send …] [GOAL]
static bool parse_transition(Parser *p, Lists *lists, AstTransition *transition)
{
    const uint32_t start = p->token.offset;
    const bool is_on = parse_at_word(p, "on");
    *transition = (AstTransition){ 0 };
    parse_advance(p);
    if (is_on) {
        transition->port_place = parse_here(p);
        transition->port = parse_name(p, "an input event");
        if (!transition->port || !parse_port_index(p, &transition->index)) return false;
    }
    if (parse_accept(p, TOKEN_IF) && !(transition->guard = parse_condition(p))) return false;
    if (parse_at_word(p, "send")) {
        if (is_on) {
            if (parse_report(p, "'do', or '->' and a state"))
                diag_hint(p->diag, "messages are sent when a state ends: go to a "
                                   "state that lasts 0 and has 'after send …'");
            return false;
        }
        parse_advance(p);
        if (!parse_emits(p, lists, transition)) return false;
    }
    transition->place = parse_since(p, start);
    transition->goal.place = transition->place;
    // what follows may start a line: nothing else can begin with it
    if (parse_at_line_end(p)) {
        const Token next = parse_peek(p);
        const bool is_do = next.kind == TOKEN_NAME && text_is(lex_text(&p->lexer, next), "do");
        if (is_do || next.kind == TOKEN_ARROW) parse_advance(p);
    }
    // `on job` alone: it is ignored here
    if (is_on && (parse_at(p, TOKEN_END) || parse_at(p, TOKEN_EOF))) return true;
    if (!is_on && (parse_at(p, TOKEN_END) || parse_at(p, TOKEN_EOF))) {
        if (parse_report(p, "'->' and a state"))
            diag_hint(p->diag, "say what follows: after send done -> idle");
        return false;
    }
    return parse_goal(p, lists, &transition->goal, true);
}

// ---------------------------------------------------------------------------------------------- declarations

static bool parse_type(Parser *p, const char **type, Place *place)
{
    if (!parse_accept(p, TOKEN_COLON)) return true;
    *place = parse_here(p);
    *type = parse_name(p, "a type");
    if (*type && parse_at(p, TOKEN_LPAREN)) {
        if (parse_report(p, "the end of the declaration"))
            diag_hint(p->diag, "a queue is given as a value: var waiting = queue(Job)");
        return false;
    }
    return *type != NULL;
}

bool parse_event_ports(Parser *p, bool is_output, AstPort **ports, uint32_t *n)
{
    VEC(AstPort) list = { 0 };
    bool ok = true;
    do {
        AstPort port = { .is_output = is_output, .place = parse_here(p) };
        port.name = parse_name(p, "the name of an event");
        ok = port.name && parse_port_index(p, &port.size) &&
             parse_own_unit(p, &port.unit, &port.unit_place) && parse_type(p, &port.type, &port.type_place);
        if (ok && parse_at_word(p, "required")) {
            if (is_output) ok = parse_unexpected(p, "',' or the end of the statement");
            else parse_advance(p);
            port.is_required = true;
        }
        if (ok) port.doc = parse_doc(p);
        if (ok) vec_push(&p->scratch, &list, port);
    } while (ok && parse_accept(p, TOKEN_COMMA));
    if (ok && parse_at_name(p)) ok = parse_unexpected(p, "':' and a type, ',' or the end of the statement");
    *ports = parse_take(p, list.items, &list.n, 0, sizeof *list.items, n);
    return ok;
}

static void parse_ports(Parser *p, Lists *lists, bool is_output)
{
    parse_advance(p);
    if (!parse_accept_word(p, "event")) {
        if (parse_report(p, "'event'"))
            diag_hint(p->diag, "an atomic has ports for messages: %s event NAME",
                      is_output ? "output" : "input");
        return;
    }
    AstPort *ports;
    uint32_t n;
    parse_event_ports(p, is_output, &ports, &n);
    for (uint32_t i = 0; i < n; i++) vec_push(&p->scratch, &lists->ports, ports[i]);
}

static void parse_cells(Parser *p, Lists *lists)
{
    parse_advance(p);
    do {
        AstCell cell = { .place = parse_here(p) };
        cell.name = parse_name(p, "a name");
        if (!cell.name) return;
        if (parse_at(p, TOKEN_LBRACKET)) {
            uint32_t n;
            AstExpr **sizes = parse_indices(p, &n);
            if (!sizes) return;
            if (n > 1) {
                PARSE_FAIL(p, DIAG_EXPECTED, sizes[1]->place, "one size", "several");
                return;
            }
            cell.size = sizes[0];
        }
        if (!parse_own_unit(p, &cell.unit, &cell.unit_place)) return;
        if (!parse_type(p, &cell.type, &cell.type_place)) return;
        if (parse_accept(p, TOKEN_EQUALS)) {
            cell.value = parse_quantity(p, &cell.unit, &cell.unit_place);
            if (!cell.value) return;
        } else if (parse_at(p, TOKEN_ASSIGN)) {
            if (parse_report(p, "'='")) diag_hint(p->diag, "a declaration gives the first value with '='");
            return;
        }
        cell.doc = parse_doc(p);
        vec_push(&p->scratch, &lists->cells, cell);
    } while (parse_accept(p, TOKEN_COMMA));
    if (parse_at_name(p)) parse_unexpected(p, "',' or the end of the statement");
}

// ---------------------------------------------------------------------------------------------- atomics

// state NAME ["doc"] [for DURATION]
static void parse_state(Parser *p, Lists *lists)
{
    const uint32_t start = p->token.offset;
    parse_mark(p, MARK_STATE, p->token);
    parse_advance(p);
    AstState state = { .place = parse_here(p) };
    state.name = parse_name(p, "the name of a state");
    if (!state.name) return;
    state.doc = parse_doc(p);
    if (parse_accept_word(p, "for")) state.duration = parse_expr(p);
    else if (parse_at(p, TOKEN_DIVIDE) || parse_at(p, TOKEN_COLON)) {
        if (parse_report(p, "'for' or the end of the line"))
            diag_hint(p->diag, "transitions of an atomic stand in lines of their own: on job -> busy");
    }
    state.line = parse_since(p, start);
    vec_push(&p->scratch, &lists->states, state);
}

// Transitions since the last state are its own.
static void finish_state(Parser *p, Lists *lists)
{
    if (lists->states.n == 0) return;
    AstState *state = &vec_last(&lists->states);
    if (!state->transitions) state->transitions = TAKE(p, lists->transitions, 0, &state->n_transitions);
}

static void parse_start(Parser *p, Lists *lists, AstAtomic *atomic)
{
    const Place place = parse_here(p);
    if (atomic->has_start) {
        PARSE_FAIL(p, DIAG_STATEMENT_TWICE, place, "start");
        return;
    }
    parse_advance(p);
    if (parse_goal(p, lists, &atomic->start, false)) atomic->has_start = true;
    atomic->start_place = place;
}

static void parse_confluent(Parser *p, Lists *lists, AstAtomic *atomic)
{
    atomic->confluent_place = parse_here(p);
    if (atomic->has_confluent) {
        PARSE_FAIL(p, DIAG_STATEMENT_TWICE, parse_here(p), "confluent");
        return;
    }
    atomic->has_confluent = true;
    parse_advance(p);
    const bool is_external = parse_at_word(p, "external");
    if (is_external || parse_at_word(p, "internal")) {
        parse_advance(p);
        if (!parse_accept_word(p, "first")) parse_unexpected(p, "'first'");
        atomic->confluent = is_external ? AST_CONFLUENT_EXTERNAL : AST_CONFLUENT_INTERNAL;
        return;
    }
    atomic->confluent = AST_CONFLUENT_OWN;
    if (!parse_at_word(p, "do") && !parse_at(p, TOKEN_ARROW)) {
        if (parse_report(p, "'internal first', 'external first', 'do', or '->' and a state"))
            diag_hint(p->diag, "it says what happens when a message comes just when the time is up");
        return;
    }
    lists->takes_messages = true;
    parse_goal(p, lists, &atomic->confluent_goal, true);
    lists->takes_messages = false;
}

static void report_unknown(Parser *p)
{
    static const char *const words[] = { "param", "draw",  "const", "input", "output",   "var",
                                         "start", "state", "on",    "after", "confluent" };
    if (!parse_at(p, TOKEN_NAME)) {
        parse_unexpected(p, "a statement of an atomic");
        return;
    }
    const char *word = parse_intern(p, lex_text(&p->lexer, p->token));
    const char *meant = text_closest(word, words, sizeof words / sizeof *words);
    if (text_is(text_from(word), "initial")) meant = "start";
    if (text_is(text_from(word), "discrete")) meant = "var";
    if (text_is(text_from(word), "when")) meant = "on";
    if (text_is(text_from(word), "send")) meant = "after send";
    if (!PARSE_FAIL(p, DIAG_STATEMENT_UNKNOWN, parse_here(p), word, "an atomic")) return;
    if (meant) diag_suggest(p->diag, word, meant);
    else
        diag_hint(p->diag,
                  "an atomic has param, draw, const, input event, output event, "
                  "var, start, state, on, after, confluent");
}

static void parse_statement(Parser *p, Lists *lists, AstAtomic *atomic)
{
    const bool is_on = parse_at_word(p, "on"), is_after = parse_at_word(p, "after");
    if (is_on || is_after) {
        AstTransition transition;
        if (is_after && lists->states.n == 0) {
            if (parse_report(p, "a state before 'after'"))
                diag_hint(p->diag, "'after' says what happens when the time of a state is up");
            return;
        }
        if (!parse_transition(p, lists, &transition)) return;
        if (lists->states.n > 0) vec_push(&p->scratch, &lists->transitions, transition);
        else vec_push(&p->scratch, &lists->common, transition);
        return;
    }
    finish_state(p, lists);
    if (parse_at_word(p, "state")) {
        parse_state(p, lists);
        return;
    }
    parse_mark(p, MARK_LEAVE, p->token);
    if (parse_at_word(p, "param")) parse_declarations(p, AST_PARAM);
    else if (parse_at_word(p, "const")) parse_declarations(p, AST_CONST);
    else if (parse_at_word(p, "draw")) {
        const size_t first = p->items.n;
        parse_declarations(p, AST_PARAM);
        for (size_t i = first; i < p->items.n; i++) p->items.items[i].decl.is_draw = true;
    } else if (parse_at_word(p, "input")) parse_ports(p, lists, false);
    else if (parse_at_word(p, "output")) parse_ports(p, lists, true);
    else if (parse_at_word(p, "var")) parse_cells(p, lists);
    else if (parse_at_word(p, "start")) parse_start(p, lists, atomic);
    else if (parse_at_word(p, "confluent")) parse_confluent(p, lists, atomic);
    else report_unknown(p);
}

void parse_atomic(Parser *p)
{
    const Token opener = p->token;
    parse_advance(p);
    AstAtomic atomic = { .place = parse_here(p) };
    atomic.name = parse_name(p, "the name of an atomic");
    if (atomic.name) atomic.is_native = parse_accept_word(p, "native");
    if (atomic.name) atomic.doc = parse_doc(p);

    p->suspect = (Place){ 0 };
    const char *words = atomic.name ? arena_printf(&p->scratch, "atomic %s", atomic.name) : "atomic";
    const ParseBlock block = parse_block_begin(p, opener, words);
    Lists lists = { 0 };
    const size_t base = p->items.n;
    while (parse_block_goes_on(p, &block)) {
        parse_statement_begin(p);
        parse_statement(p, &lists, &atomic);
        parse_statement_end(p);
    }
    finish_state(p, &lists);
    uint32_t n;
    const AstItem *items = PARSE_TAKE(p, items, base, &n);    // all AST_DECL
    atomic.params = ARENA_ARRAY(p->arena, AstDecl, n);
    for (uint32_t i = 0; i < n; i++) atomic.params[i] = items[i].decl;
    atomic.n_params = n;
    atomic.ports = TAKE(p, lists.ports, 0, &atomic.n_ports);
    atomic.cells = TAKE(p, lists.cells, 0, &atomic.n_cells);
    atomic.common = TAKE(p, lists.common, 0, &atomic.n_common);
    atomic.states = TAKE(p, lists.states, 0, &atomic.n_states);
    if (atomic.name) vec_push(p->arena, &p->ast->atomics, atomic);
}

// -------------------------------------------------------------------------------- records, enumerations

// name [unit] [: type], …
static void parse_fields(Parser *p, Lists *lists)
{
    do {
        AstField field = { .place = parse_here(p) };
        field.name = parse_name(p, "the name of a field");
        if (!field.name || !parse_own_unit(p, &field.unit, &field.unit_place)) return;
        if (!parse_type(p, &field.type, &field.type_place)) return;
        if (parse_at(p, TOKEN_EQUALS)) {
            if (parse_report(p, "',' or the end of the line"))
                diag_hint(p->diag, "a record tells what a message says; values are given when it is made");
            return;
        }
        vec_push(&p->scratch, &lists->fields, field);
    } while (parse_accept(p, TOKEN_COMMA));
    if (parse_at_name(p)) parse_unexpected(p, "':' and a type, ',' or the end of the line");
}

void parse_record_type(Parser *p)
{
    const Token opener = p->token;
    parse_advance(p);
    AstRecord record = { .place = parse_here(p) };
    record.name = parse_name(p, "the name of a record");
    if (record.name) record.doc = parse_doc(p);
    p->suspect = (Place){ 0 };
    const char *words = record.name ? arena_printf(&p->scratch, "record %s", record.name) : "record";
    const ParseBlock block = parse_block_begin(p, opener, words);
    Lists lists = { 0 };
    while (parse_block_goes_on(p, &block)) {
        parse_statement_begin(p);
        parse_fields(p, &lists);
        parse_statement_end(p);
    }
    record.fields = TAKE(p, lists.fields, 0, &record.n_fields);
    if (record.name) vec_push(p->arena, &p->ast->records, record);
}

// enum NAME ["doc"] value, value, …
void parse_enum_type(Parser *p)
{
    parse_advance(p);
    AstEnum e = { .place = parse_here(p) };
    e.name = parse_name(p, "the name of an enumeration");
    if (!e.name) return;
    // a text is the description unless it is itself a value
    const TokenKind behind = parse_peek(p).kind;
    if (behind == TOKEN_NAME || behind == TOKEN_QUOTED) e.doc = parse_doc(p);
    if (parse_at(p, TOKEN_EQUALS) || parse_at(p, TOKEN_COLON)) {
        if (parse_report(p, "the first value")) diag_hint(p->diag, "write enum %s red, green, blue", e.name);
        return;
    }
    Lists lists = { 0 };
    const size_t base = p->texts.n;
    do {
        const Place place = parse_here(p);
        const char *value = parse_name(p, "a value");
        if (!value) {
            p->texts.n = base;
            return;
        }
        vec_push(&p->scratch, &p->texts, value);
        vec_push(&p->scratch, &lists.places, place);
    } while (parse_accept(p, TOKEN_COMMA));
    e.values = PARSE_TAKE(p, texts, base, &e.n_values);
    uint32_t n;
    e.places = TAKE(p, lists.places, 0, &n);
    vec_push(p->arena, &p->ast->enums, e);
}

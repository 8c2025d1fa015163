// src/lang/parse_machine.c: machines.
//
//     machine NAME
//       input toy, coin[3]
//       output cries, quiet                      # optional
//       start S
//       state S / cries : toy -> T, * -> S       # Moore; Mealy: toy -> T / cries
//       state T[0..5]
//       T[i] on coin[j] -> if i + j <= 5 then T[i+j] else T[i]
//       T[i] / quiet
//       * on toy -> 0.5 S | 0.5 T[0]
//     end
#include "lang/parse.h"

typedef struct Lists {    // of the machine under way, in the scratch arena
    VEC(AstMachineItem) items;
    VEC(AstMove) moves;
    VEC(AstBranch) branches;
    VEC(AstRange) ranges;
} Lists;

#define TAKE(p, list, base, n_out)                                                                           \
    parse_take((p), (list).items, &(list).n, (base), sizeof *(list).items, (n_out))

// ---- Symbols

// A name, or a whole number that serves as one; NULL after an error.
static const char *parse_symbol_name(Parser *p, const char *expected)
{
    if (!parse_at(p, TOKEN_NUMBER)) return parse_name(p, expected);
    const char *name = parse_intern(p, lex_text(&p->lexer, p->token));
    parse_advance(p);
    return name;
}

static AstSymbol *parse_symbol(Parser *p, const char *expected);

// if CONDITION then SYMBOL else SYMBOL
static bool parse_choice(Parser *p, AstSymbol *symbol, const char *expected)
{
    if (!parse_deeper(p, parse_here(p))) return false;
    parse_advance(p);
    symbol->condition = parse_condition(p);
    bool ok = symbol->condition && parse_expect(p, TOKEN_THEN, "'then'");
    ok = ok && (symbol->yes = parse_symbol(p, expected));
    if (ok && !parse_at(p, TOKEN_ELSE)) {
        ok = false;
        if (parse_report(p, "'else'"))
            diag_hint(p->diag, "every case needs an answer: if i < 3 then S[i+1] else S[i]");
    }
    if (ok) parse_advance(p);
    ok = ok && (symbol->no = parse_symbol(p, expected));
    parse_shallower(p);
    return ok;
}

static AstSymbol *parse_symbol(Parser *p, const char *expected)
{
    AstSymbol *symbol = ARENA_NEW(p->arena, AstSymbol);
    const uint32_t start = p->token.offset;
    if (parse_at(p, TOKEN_IF)) {
        if (!parse_choice(p, symbol, expected)) return NULL;
    } else {
        const bool is_number = parse_at(p, TOKEN_NUMBER);
        symbol->name = parse_symbol_name(p, expected);
        if (!symbol->name) return NULL;
        if (!is_number && parse_at(p, TOKEN_LBRACKET)) {
            symbol->indices = parse_indices(p, &symbol->n_indices);
            if (!symbol->indices) return NULL;
        }
    }
    symbol->place = parse_since(p, start);
    return symbol;
}

// The same, or `*`.
static AstSymbol *parse_pattern(Parser *p, const char *expected)
{
    if (!parse_at(p, TOKEN_TIMES)) return parse_symbol(p, expected);
    AstSymbol *symbol = ARENA_NEW(p->arena, AstSymbol);
    symbol->place = parse_here(p);
    parse_mark(p, MARK_LOOSE, p->token);
    parse_advance(p);
    return symbol;
}

// `/ output`, if it is there. False after an error.
static bool parse_output(Parser *p, AstSymbol **output)
{
    if (!parse_at(p, TOKEN_DIVIDE)) return true;
    parse_mark(p, MARK_LOOSE, p->token);
    parse_advance(p);
    return (*output = parse_symbol(p, "an output")) != NULL;
}

// ---- What is declared

static bool parse_ranges(Parser *p, Lists *lists, AstFamily *family)
{
    const Token open = p->token;
    const size_t base = lists->ranges.n;
    if (!parse_deeper(p, parse_here(p))) return false;
    parse_advance(p);
    bool ok = true;
    do {
        AstRange range = { 0 };
        range.last = parse_expr(p);
        ok = range.last != NULL;
        if (ok && parse_accept(p, TOKEN_RANGE)) {
            range.first = range.last;
            range.last = parse_expr(p);
            ok = range.last != NULL;
        }
        if (ok) vec_push(&p->scratch, &lists->ranges, range);
    } while (ok && parse_accept(p, TOKEN_COMMA));
    family->ranges = TAKE(p, lists->ranges, base, &family->n_ranges);
    parse_shallower(p);
    return ok && parse_close(p, open, TOKEN_RBRACKET, "an operator, '..', ',' or ']'");
}

static bool parse_family(Parser *p, Lists *lists, AstFamily *family, const char *expected, bool may_be_number)
{
    const uint32_t start = p->token.offset;
    const bool is_number = parse_at(p, TOKEN_NUMBER);
    family->name = may_be_number ? parse_symbol_name(p, expected) : parse_name(p, expected);
    if (!family->name) return false;
    if (!is_number && parse_at(p, TOKEN_LBRACKET) && !parse_ranges(p, lists, family)) return false;
    family->place = parse_since(p, start);
    return true;
}

static void parse_set(Parser *p, Lists *lists, AstMachineItemKind kind)
{
    const char *expected = kind == AST_MACHINE_INPUT ? "an input" : "an output";
    parse_advance(p);
    do {
        AstMachineItem item = { .kind = kind };
        if (!parse_family(p, lists, &item.family, expected, true)) return;
        item.place = item.family.place;
        vec_push(&p->scratch, &lists->items, item);
    } while (parse_accept(p, TOKEN_COMMA));
}

static void parse_const(Parser *p, Lists *lists)
{
    parse_advance(p);
    do {
        AstMachineItem item = { .kind = AST_MACHINE_CONST, .family.place = parse_here(p) };
        const uint32_t start = p->token.offset;
        item.family.name = parse_name(p, "a name");
        if (!item.family.name || !parse_expect(p, TOKEN_EQUALS, "'=' and a value")) return;
        item.value = parse_expr(p);
        if (!item.value) return;
        item.place = parse_since(p, start);
        vec_push(&p->scratch, &lists->items, item);
    } while (parse_accept(p, TOKEN_COMMA));
}

// ---- Moves

// 0.5 a | 0.5 b, or one state
static bool parse_branches(Parser *p, Lists *lists, AstMove *move)
{
    const size_t base = lists->branches.n;
    bool ok = true;
    do {
        AstBranch branch = { 0 };
        if (parse_at(p, TOKEN_NUMBER) || parse_at(p, TOKEN_LPAREN)) {
            branch.probability = parse_expr(p);
            if (!branch.probability) return false;
        }
        branch.to = parse_symbol(p, branch.probability ? "a state behind its probability" : "a state");
        ok = branch.to != NULL;
        if (ok) vec_push(&p->scratch, &lists->branches, branch);
    } while (ok && parse_accept(p, TOKEN_BAR));
    move->branches = TAKE(p, lists->branches, base, &move->n_branches);
    for (uint32_t i = 0; ok && i < move->n_branches; i++) {
        if (move->branches[i].probability || move->n_branches == 1) continue;
        ok = false;
        if (PARSE_FAIL(p, DIAG_EXPECTED, move->branches[i].to->place, "a probability", "a state without one"))
            diag_hint(p->diag, "write how likely each is: 0.5 a | 0.5 b");
    }
    return ok;
}

// input -> state / output
static bool parse_move(Parser *p, Lists *lists, uint32_t start)
{
    AstMove move = { .input = parse_pattern(p, "an input or '*'") };
    if (!move.input) return false;
    if (move.input->condition) {
        PARSE_FAIL(p, DIAG_EXPECTED, move.input->place, "an input", "a choice");
        return false;
    }
    if (!parse_expect(p, TOKEN_ARROW, "'->' and a state")) return false;
    if (!parse_branches(p, lists, &move) || !parse_output(p, &move.output)) return false;
    move.place = parse_since(p, start);
    vec_push(&p->scratch, &lists->moves, move);
    return true;
}

// state NAME ["doc"] [/ output] [: moves]
static void parse_state(Parser *p, Lists *lists)
{
    AstMachineItem item = { .kind = AST_MACHINE_STATE };
    const size_t base = lists->moves.n;
    parse_advance(p);
    if (!parse_family(p, lists, &item.family, "a state", false)) return;
    item.doc = parse_doc(p);
    bool ok = parse_output(p, &item.output);
    if (ok && parse_accept(p, TOKEN_COLON)) {
        do ok = parse_move(p, lists, p->token.offset);
        while (ok && parse_accept(p, TOKEN_COMMA));
    } else if (ok && parse_at(p, TOKEN_ARROW)) {
        ok = false;
        if (parse_report(p, "':' and moves"))
            diag_hint(p->diag, "write state %s : input -> state",
                      lex_is_name(text_from(item.family.name)) ? item.family.name : "NAME");
    }
    item.moves = TAKE(p, lists->moves, base, &item.n_moves);
    item.place = parse_since(p, p->statement);
    if (ok) vec_push(&p->scratch, &lists->items, item);
}

// STATES on INPUTS -> STATE / OUTPUT, or STATES / OUTPUT
static void parse_rule(Parser *p, Lists *lists)
{
    AstMachineItem item = { .kind = AST_MACHINE_RULE };
    const size_t base = lists->moves.n;
    const uint32_t start = p->token.offset;
    item.symbol = parse_pattern(p, "a statement of a machine");
    if (!item.symbol) return;
    bool ok = true;
    if (item.symbol->condition) {
        PARSE_FAIL(p, DIAG_EXPECTED, item.symbol->place, "a state", "a choice");
        return;
    }
    if (parse_accept_word(p, "on")) ok = parse_move(p, lists, start);
    else if (parse_at(p, TOKEN_DIVIDE)) ok = parse_output(p, &item.output);
    else {
        static const char *const words[] = { "input", "output", "state", "start", "const" };
        const char *name = item.symbol->name ? item.symbol->name : "*";
        const char *meant = text_closest(name, words, sizeof words / sizeof *words);
        if (text_is(text_from(name), "initial")) meant = "start";
        if (text_is(text_from(name), "param")) meant = "const";
        const bool word = item.symbol->name && !parse_at(p, TOKEN_ARROW) && !parse_at(p, TOKEN_COLON);
        ok = false;
        if (word && PARSE_FAIL(p, DIAG_STATEMENT_UNKNOWN, item.symbol->place, name, "a machine")) {
            if (meant) diag_suggest(p->diag, name, meant);
            else diag_hint(p->diag, "a rule is written: STATE on INPUT -> STATE");
        } else if (!word && parse_report(p, "'on' and an input")) {
            diag_hint(p->diag, "a rule is written: STATE on INPUT -> STATE");
        }
    }
    item.moves = TAKE(p, lists->moves, base, &item.n_moves);
    item.place = parse_since(p, start);
    if (ok) vec_push(&p->scratch, &lists->items, item);
}

static void parse_start(Parser *p, Lists *lists)
{
    AstMachineItem item = { .kind = AST_MACHINE_START };
    parse_advance(p);
    item.symbol = parse_symbol(p, "a state");
    if (!item.symbol) return;
    item.place = parse_since(p, p->statement);
    vec_push(&p->scratch, &lists->items, item);
}

static void parse_statement(Parser *p, Lists *lists)
{
    const TokenKind next = parse_peek(p).kind;
    const bool named = next == TOKEN_NAME || next == TOKEN_QUOTED || next == TOKEN_NUMBER ||
                       next == TOKEN_END;
    if (!named) parse_rule(p, lists);
    else if (parse_at_word(p, "input")) parse_set(p, lists, AST_MACHINE_INPUT);
    else if (parse_at_word(p, "output")) parse_set(p, lists, AST_MACHINE_OUTPUT);
    else if (parse_at_word(p, "state")) parse_state(p, lists);
    else if (parse_at_word(p, "start")) parse_start(p, lists);
    else if (parse_at_word(p, "const")) parse_const(p, lists);
    else parse_rule(p, lists);
}

void parse_machine(Parser *p)
{
    const Token opener = p->token;
    parse_advance(p);
    AstMachine machine = { .place = parse_here(p) };
    machine.name = parse_name(p, "the name of a machine");
    if (machine.name) machine.doc = parse_doc(p);

    p->suspect = (Place){ 0 };
    const char *words = machine.name ? arena_printf(&p->scratch, "machine %s", machine.name) : "machine";
    const ParseBlock block = parse_block_begin(p, opener, words);
    Lists lists = { 0 };
    while (parse_block_goes_on(p, &block)) {
        parse_statement_begin(p);
        parse_statement(p, &lists);
        parse_statement_end(p);
    }
    machine.items = TAKE(p, lists.items, 0, &machine.n_items);
    if (machine.name) vec_push(p->arena, &p->ast->machines, machine);
}

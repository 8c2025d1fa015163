// src/lang/parse_model.c: models and functions, statement by statement.
#include "base/number.h"
#include "lang/parse.h"

// Where a statement stands decides what may be said there.
typedef enum Region { REGION_MODEL, REGION_FOR, REGION_INITIAL, REGION_TERMINAL } Region;

static void parse_items(Parser *p, Region region, const ParseBlock *block);

static void add_item(Parser *p, AstItem item)
{
    vec_push(&p->scratch, &p->items, item);
}

static AstItem item_since(const Parser *p, AstItemKind kind, uint32_t start)
{
    return (AstItem){ .kind = kind, .place = parse_since(p, start) };
}

// ---- Declarations

static const struct DeclKind {
    const char *word, *words;
} decl_kinds[] = {
    [AST_PARAM] = { "param", "parameter" },
    [AST_CONST] = { "const", "constant" },
    [AST_INPUT] = { "input", "model input" },
    [AST_VAR] = { "var", "variable" },
    [AST_OUTPUT] = { "output", "model output" },
    [AST_ACROSS] = { "across", "variable of a terminal type" },
    [AST_THROUGH] = { "through", "variable of a terminal type" },
    [AST_DISCRETE] = { "discrete", "discrete variable" },
    [AST_EVENT_INPUT] = { "input event", "event port" },
    [AST_EVENT_OUTPUT] = { "output event", "event port" },
};

static bool parse_unit(Parser *p, const char **unit, Place *place)
{
    if (!parse_at(p, TOKEN_UNIT)) return true;
    const Text text = lex_inner(&p->lexer, p->token);
    if (text.n == 0) {
        if (PARSE_FAIL(p, DIAG_EXPECTED, parse_here(p), "a unit", "empty brackets"))
            diag_hint(p->diag, "a pure number has the unit [1], or none");
        return false;
    }
    if (*unit) {
        if (PARSE_FAIL(p, DIAG_UNIT_MISPLACED, parse_here(p)))
            diag_hint(p->diag, "the unit is given already");
        return false;
    }
    *unit = parse_intern(p, text);
    if (place) {    // not that of time, which is only a label if there are no others
        *place = parse_here(p);
        if (p->ast) p->ast->has_units = true;
    }
    parse_advance(p);
    return true;
}

bool parse_own_unit(Parser *p, const char **unit, Place *place) { return parse_unit(p, unit, place); }

// A unit behind the whole value is that of the declaration, also where it touches a number: `output e =
// m*v^2/2 [J]`. A number that is itself the whole value, with a sign or without, keeps it too.
static const char *unit_of_value(Parser *p, AstExpr *value, Place *place)
{
    *place = value->place;
    if (value->kind == AST_UNARY && value->op == AST_NEG) value = value->operands.a;
    if (value->kind == AST_NUMBER) return value->number.unit;
    AstExpr *last = p->last_unit;
    if (!last || last->place.offset + last->place.length != p->end) return NULL;
    const char *unit = last->number.unit;
    *place = last->place;
    last->number.unit = NULL;
    return unit;
}

AstExpr *parse_quantity(Parser *p, const char **unit, Place *place)
{
    p->last_unit = NULL;
    AstExpr *value = parse_expr(p);
    if (!value) return NULL;
    if (!*unit) *unit = unit_of_value(p, value, place);
    return parse_unit(p, unit, place) ? value : NULL;
}

static bool parse_value(Parser *p, AstDecl *decl)
{
    const bool guess = parse_at(p, TOKEN_TILDE);
    if (parse_at(p, TOKEN_ASSIGN)) {
        PARSE_FAIL(p, DIAG_ASSIGN_IN_MODEL, parse_here(p));
        return false;
    }
    if (!guess && !parse_at(p, TOKEN_EQUALS)) {
        if (decl->kind != AST_CONST) return true;
        if (parse_report(p, "'=' and a value"))
            diag_hint(p->diag, "a constant has a value; a 'param' may get it later");
        return false;
    }
    if (decl->kind == AST_ACROSS || decl->kind == AST_THROUGH) {
        if (parse_report(p, "',' or the end of the statement"))
            diag_hint(p->diag, "a terminal type has variables and units; values belong in models");
        return false;
    }
    if (guess && decl->kind != AST_VAR && decl->kind != AST_PARAM) {
        if (parse_report(p, "'='")) diag_hint(p->diag, "'~' gives a first guess to a 'var' or a 'param'");
        return false;
    }
    parse_advance(p);
    decl->is_guess = guess;
    decl->value = parse_quantity(p, &decl->unit, &decl->unit_place);
    return decl->value != NULL;
}

// nominal 1e-19, positive
static bool parse_traits(Parser *p, AstDecl *decl)
{
    while (decl->kind == AST_VAR && (parse_at_word(p, "nominal") || parse_at_word(p, "positive"))) {
        const bool is_positive = parse_accept_word(p, "positive");
        decl->is_positive |= is_positive;
        if (is_positive) continue;
        parse_advance(p);
        const Place place = parse_here(p);
        const char *unit = NULL;
        Place unit_place;
        AstExpr *size = parse_quantity(p, &unit, &unit_place);
        if (!size) return false;
        if (size->kind != AST_NUMBER || !(size->number.value > 0) ||
            (unit && !(decl->unit && strcmp(unit, decl->unit) == 0))) {
            PARSE_FAIL(p, DIAG_EXPECTED, place, "a positive number in the unit of the variable", "another");
            return false;
        }
        decl->nominal = size;
    }
    return true;
}

// name sizes primes [unit] [= value [unit]] [nominal size] [positive] ["doc"]
static bool parse_declaration(Parser *p, AstDeclKind kind, uint32_t start)
{
    AstDecl decl = { .kind = kind, .place = parse_here(p) };
    decl.name = parse_name(p, "a name");
    if (!decl.name) return false;
    if (parse_at(p, TOKEN_LBRACKET)) {
        decl.sizes = parse_indices(p, &decl.n_sizes);
        if (!decl.sizes) return false;
    }
    if (parse_at(p, TOKEN_PRIME) && kind != AST_VAR) {
        if (PARSE_FAIL(p, DIAG_DERIVATIVE_BAD, parse_here(p), decl.name, decl_kinds[kind].words))
            diag_hint(p->diag, "only a 'var' is given an initial derivative");
        return false;
    }
    while (parse_accept(p, TOKEN_PRIME)) decl.primes++;
    if (!parse_unit(p, &decl.unit, &decl.unit_place) || !parse_value(p, &decl) ||
        !parse_traits(p, &decl))
        return false;
    decl.doc = parse_doc(p);
    if (!decl.doc && parse_at(p, TOKEN_EQUALS)) {
        PARSE_FAIL(p, DIAG_EQUALS_TWICE, parse_here(p));
        return false;
    }
    if (decl.doc && parse_at(p, TOKEN_EQUALS)) {
        if (parse_report(p, "',' or the end of the statement"))
            diag_hint(p->diag, "the text comes last, behind the value");
        return false;
    }
    AstItem item = item_since(p, AST_DECL, start);
    item.decl = decl;
    add_item(p, item);
    return true;
}

// name sizes [unit] [: type] [required] ["doc"]; behind `input event` or `output event`
static void parse_model_ports(Parser *p, AstDeclKind kind)
{
    parse_advance(p);
    do {
        const uint32_t start = p->token.offset;
        AstDecl decl = { .kind = kind, .place = parse_here(p) };
        decl.name = parse_name(p, "the name of an event port");
        if (!decl.name) return;
        if (parse_at(p, TOKEN_LBRACKET)) {
            decl.sizes = parse_indices(p, &decl.n_sizes);
            if (!decl.sizes) return;
        }
        if (!parse_unit(p, &decl.unit, &decl.unit_place)) return;
        if (parse_accept(p, TOKEN_COLON)) {
            decl.type_place = parse_here(p);
            decl.type = parse_name(p, "the type of its messages");
            if (!decl.type) return;
        }
        if (kind == AST_EVENT_INPUT && parse_accept_word(p, "required")) decl.is_required = true;
        if (parse_at(p, TOKEN_EQUALS) || parse_at(p, TOKEN_TILDE)) {
            if (parse_report(p, "',' or the end of the statement"))
                diag_hint(p->diag, "an event port has no value; it gets one with each message");
            return;
        }
        decl.doc = parse_doc(p);
        AstItem item = item_since(p, AST_DECL, start);
        item.decl = decl;
        add_item(p, item);
    } while (parse_accept(p, TOKEN_COMMA));
    if (parse_at_name(p)) parse_unexpected(p, "',' or the end of the statement");
}

// `event` behind `input` or `output`, unless that is the name of what is declared.
static bool at_event_port(const Parser *p)
{
    if (!parse_at_word(p, "event")) return false;
    const TokenKind next = parse_peek(p).kind;
    return next == TOKEN_NAME || next == TOKEN_QUOTED;
}

void parse_declarations(Parser *p, AstDeclKind kind)
{
    parse_advance(p);
    if ((kind == AST_INPUT || kind == AST_OUTPUT) && at_event_port(p)) {
        parse_model_ports(p, kind == AST_INPUT ? AST_EVENT_INPUT : AST_EVENT_OUTPUT);
        return;
    }
    do {
        if (!parse_declaration(p, kind, p->token.offset)) return;
    } while (parse_accept(p, TOKEN_COMMA));
    if (parse_at_name(p)) parse_unexpected(p, "',' or the end of the statement");
}

// ---- Equations, components, arrows: statements without a word of their own

static bool is_relation(const AstExpr *e)
{
    return e->kind == AST_BINARY && e->op >= AST_LT && e->op <= AST_NE;
}

static bool is_plain_name(const AstExpr *e)
{
    return e->kind == AST_REF && e->ref.n_parts == 1 && e->ref.primes == 0;
}

static void parse_equation(Parser *p, AstExpr *lhs, Region region, uint32_t start)
{
    parse_advance(p);
    AstExpr *rhs = parse_expr(p);
    if (!rhs) return;
    if (parse_at(p, TOKEN_EQUALS)) {
        if (!PARSE_FAIL(p, DIAG_EQUALS_TWICE, parse_here(p))) return;
        const char *between = p->lexer.text.p + lhs->place.offset;
        if (memchr(between, '\n', p->token.offset - lhs->place.offset))
            diag_hint(p->diag, "a line that ends with an operator, '=' or ',' goes on in the next one");
        else diag_hint(p->diag, "write two equations, or '==' to compare");
        return;
    }
    if (parse_at(p, TOKEN_QUOTED)) {
        if (parse_report(p, "the end of the statement"))
            diag_hint(p->diag, "a text describes a declaration: output y = ... \"text\"");
        return;
    }
    AstItem item = item_since(p, region == REGION_INITIAL ? AST_INITIAL : AST_EQUATION, start);
    item.equation.lhs = lhs;
    item.equation.rhs = rhs;
    add_item(p, item);
}

static bool parse_overrides(Parser *p, AstSetting **settings, uint32_t *n)
{
    if (!parse_at(p, TOKEN_LPAREN)) return true;
    const Token open = p->token;
    const size_t base = p->settings.n;
    parse_mark(p, MARK_CALL, open);
    parse_advance(p);
    bool ok = true;
    if (!parse_at(p, TOKEN_RPAREN)) {
        do {
            AstSetting setting = { 0 };
            ok = parse_setting(p, &setting);
            if (ok) vec_push(&p->scratch, &p->settings, setting);
        } while (ok && parse_accept(p, TOKEN_COMMA));
    }
    *settings = PARSE_TAKE(p, settings, base, n);
    return ok && parse_close(p, open, TOKEN_RPAREN, "',' or ')'");
}

// An option of one state: `quantum x = 0.01`; what stands before the '=' has been read.
static bool parse_state_option(Parser *p, uint32_t start, const AstPart *name, const AstExpr *state)
{
    if (state->kind != AST_REF || strcmp(name->name, "quantum") != 0) {
        if (parse_report(p, "an option"))
            diag_hint(p->diag, "options are written with a value and without '='; "
                               "of single states there is: quantum x = 0.01");
        return false;
    }
    AstSetting setting = { .target = state->ref };
    parse_advance(p);
    setting.value = parse_expr(p);
    setting.place = parse_since(p, start);
    for (bool more = setting.value != NULL; more;) {
        AstPart *parts = ARENA_ARRAY(p->arena, AstPart, setting.target.n_parts + 1);
        parts[0] = *name;
        memcpy(parts + 1, setting.target.parts, setting.target.n_parts * sizeof *parts);
        setting.target.parts = parts;
        setting.target.n_parts++;
        vec_push(&p->scratch, &p->settings, setting);
        more = parse_accept(p, TOKEN_COMMA);
        if (more && !parse_setting(p, &setting)) return false;
    }
    return setting.value != NULL;
}

// solver NAME {option value} {output every value} {synchronised} {gradients}, in any order
static bool parse_island_option(Parser *p, AstIsland *island)
{
    const uint32_t start = p->token.offset;
    if (parse_accept_word(p, "synchronised")) return island->synchronised = true;
    if (parse_accept_word(p, "gradients")) return island->gradients = true;
    if (parse_accept_word(p, "solver")) {
        const Place word = parse_since(p, start);
        const uint32_t name = p->token.offset;
        StrBuf text = { .arena = &p->scratch };
        if (!parse_hyphened(p)) return parse_unexpected(p, "the name of a solver");
        str_add_text(&text, text_part(p->lexer.text, name, p->end));
        if (text_is((Text){ text.p, text.n }, "semi-implicit") && parse_accept_word(p, "euler"))
            str_add(&text, " euler");
        if (island->solver) return PARSE_FAIL(p, DIAG_STATEMENT_TWICE, word, "solver"), false;
        island->solver = parse_intern(p, (Text){ text.p, text.n });
        island->solver_place = parse_since(p, name);
        return true;
    }
    AstPart *part = ARENA_NEW(p->arena, AstPart);
    if (parse_accept_word(p, "output")) {
        if (!parse_accept_word(p, "every")) return parse_unexpected(p, "'every'");
        part->name = "period";
    } else {
        part->name = parse_name(p, "an option");
    }
    if (!part->name) return false;
    if (parse_at(p, TOKEN_EQUALS) || parse_at(p, TOKEN_END)) {
        if (parse_report(p, "a value"))
            diag_hint(p->diag, "options are written with a value and without '=': step 0.01");
        return false;
    }
    AstSetting option = { .target = { .parts = part, .n_parts = 1 } };
    option.value = parse_expr(p);
    if (option.value && parse_at(p, TOKEN_EQUALS)) return parse_state_option(p, start, part, option.value);
    option.place = parse_since(p, start);
    if (option.value) vec_push(&p->scratch, &p->settings, option);
    return option.value != NULL;
}

static bool parse_island_options(Parser *p, AstIsland *island)
{
    const size_t base = p->settings.n;
    bool ok = true;
    while (ok && parse_at(p, TOKEN_NAME)) ok = parse_island_option(p, island);
    island->options = PARSE_TAKE(p, settings, base, &island->n_options);
    return ok;
}

// a, b[3] : Model(overrides); the first name has been read
static void parse_component(Parser *p, AstExpr *first, uint32_t start, bool is_island)
{
    const size_t base = p->exprs.n;
    vec_push(&p->scratch, &p->exprs, first);
    bool ok = true;
    while (ok && parse_accept(p, TOKEN_COMMA)) {
        AstExpr *e = ARENA_NEW(p->arena, AstExpr);
        e->kind = AST_REF;
        ok = parse_ref(p, &e->ref, &e->place, "a name");
        if (ok) vec_push(&p->scratch, &p->exprs, e);
    }
    uint32_t n;
    AstExpr **names = PARSE_TAKE(p, exprs, base, &n);
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = is_plain_name(names[i]);
        if (!ok && PARSE_FAIL(p, DIAG_EXPECTED, names[i]->place, "the name of a component", "this"))
            diag_hint(p->diag, "a component is written name : Model, an equation a + b = c");
    }
    if (ok && !parse_at(p, TOKEN_COLON)) {
        ok = false;
        if (parse_report(p, "':' and a model")) diag_hint(p->diag, "variables are listed after 'var'");
    }
    if (!ok) return;
    parse_advance(p);

    AstItem item = { .kind = AST_COMPONENT };
    item.component.model_place = parse_here(p);
    item.component.model = parse_name(p, "the name of a model");
    if (!item.component.model) return;
    if (!parse_overrides(p, &item.component.overrides, &item.component.n_overrides)) return;
    if (is_island) {
        AstIsland *island = ARENA_NEW(p->arena, AstIsland);
        if (!parse_island_options(p, island)) return;
        item.component.island = island;
    }
    item.place = parse_since(p, start);
    for (uint32_t i = 0; i < n; i++) {
        const AstPart *part = &names[i]->ref.parts[0];
        item.component.name = part->name;
        item.component.sizes = part->indices;
        item.component.n_sizes = part->n_indices;
        item.component.name_place = names[i]->place;
        add_item(p, item);
    }
}

// from -> to, to; the left side has been read
static void parse_arrow(Parser *p, const AstExpr *from, uint32_t start)
{
    if (from->kind != AST_REF) {
        if (PARSE_FAIL(p, DIAG_EXPECTED, from->place, "the name of an output", "an expression"))
            diag_hint(p->diag, "give it a name first: output y = ..., then y -> ...");
        return;
    }
    parse_advance(p);
    const size_t base = p->items.n;
    do {
        AstItem item = { .kind = AST_ARROW };
        item.arrow.from = from->ref;
        item.arrow.from_place = from->place;
        if (!parse_ref(p, &item.arrow.to, &item.arrow.to_place, "the name of an input")) return;
        item.place = parse_since(p, start);
        add_item(p, item);
    } while (parse_accept(p, TOKEN_COMMA));
    if (!parse_accept_word(p, "when")) return;
    AstExpr *condition = parse_condition(p);
    for (size_t i = base; condition && i < p->items.n; i++) p->items.items[i].arrow.when = condition;
}

// present NAME [anew] when CONDITION
static void parse_present(Parser *p)
{
    const uint32_t start = p->token.offset;
    parse_advance(p);
    AstItem item = { .kind = AST_PRESENT };
    if (!parse_ref(p, &item.present.part, &item.present.part_place, "the name of a component")) return;
    item.present.anew = parse_accept_word(p, "anew");
    if (!parse_accept_word(p, "when")) {
        if (parse_report(p, "'when'")) diag_hint(p->diag, "write present NAME when CONDITION");
        return;
    }
    item.present.condition = parse_condition(p);
    if (!item.present.condition) return;
    item.place = parse_since(p, start);
    add_item(p, item);
}

// A + 2 B, up to an arrow or the word `rate`
static bool parse_species(Parser *p, AstReaction *reaction)
{
    if (parse_at(p, TOKEN_ARROW) || parse_at_word(p, "rate")) return true;
    VEC(AstSpecies) all = { 0 };
    for (uint32_t i = 0; i < reaction->n_species; i++) vec_push(&p->scratch, &all, reaction->species[i]);
    do {
        AstSpecies one = { .number = 1 };
        if (parse_at(p, TOKEN_NUMBER)) {
            number_read(lex_text(&p->lexer, p->token), &one.number);
            parse_advance(p);
        }
        if (!parse_ref(p, &one.ref, &one.place, "the name of a species")) return false;
        vec_push(&p->scratch, &all, one);
    } while (parse_accept(p, TOKEN_PLUS));
    reaction->species = parse_take(p, all.items, &all.n, 0, sizeof *all.items, &reaction->n_species);
    return true;
}

// reaction NAME : SPECIES -> SPECIES rate VALUE
static void parse_reaction(Parser *p)
{
    const uint32_t start = p->token.offset;
    AstReaction *reaction = ARENA_NEW(p->arena, AstReaction);
    parse_advance(p);
    reaction->name = parse_name(p, "the name of a reaction");
    if (!reaction->name || !parse_expect(p, TOKEN_COLON, "':' and what reacts")) return;
    if (!parse_species(p, reaction)) return;
    reaction->n_left = reaction->n_species;
    if (!parse_expect(p, TOKEN_ARROW, "'->'") || !parse_species(p, reaction)) return;
    if (!parse_accept_word(p, "rate")) {
        if (parse_report(p, "'rate'")) diag_hint(p->diag, "write reaction NAME : A + B -> C rate k*A*B");
        return;
    }
    reaction->rate = parse_expr(p);
    if (!reaction->rate) return;
    AstItem item = item_since(p, AST_REACTION, start);
    item.reaction = reaction;
    add_item(p, item);
}

// Two minus signs that touch, and no '=' in the statement: not a difference, but terminals that are
// connected.
static bool is_connection(const Parser *p, const AstExpr *e)
{
    if (e->kind != AST_BINARY || e->op != AST_SUB || e->operands.b->kind != AST_UNARY) return false;
    const uint32_t sign = e->operands.b->place.offset;
    return e->operands.b->op == AST_NEG && sign > 0 && p->lexer.text.p[sign - 1] == '-';
}

static bool is_terminal_name(Parser *p, const AstExpr *e)
{
    if (e->kind == AST_REF && e->ref.primes == 0) return true;
    if (PARSE_FAIL(p, DIAG_EXPECTED, e->place, "the name of a terminal", "an expression"))
        diag_hint(p->diag, "terminals are connected by a -- b; an equation has an '='");
    return false;
}

static void add_connection(Parser *p, const AstExpr *a, const AstExpr *b)
{
    AstItem item = { .kind = AST_CONNECT, .place = place_join(a->place, b->place) };
    item.arrow.from = a->ref;
    item.arrow.to = b->ref;
    item.arrow.from_place = a->place;
    item.arrow.to_place = b->place;
    add_item(p, item);
}

// a -- b -- c, read as a - -b - -c; it leans to the left.
static void parse_connection(Parser *p, const AstExpr *chain)
{
    const size_t base = p->exprs.n;
    bool ok = true;
    for (; ok && is_connection(p, chain); chain = chain->operands.a) {
        AstExpr *end = chain->operands.b->operands.a;
        parse_mark(p, MARK_CONNECT, (Token){ .offset = chain->operands.b->place.offset - 1 });
        ok = is_terminal_name(p, end);
        vec_push(&p->scratch, &p->exprs, end);
    }
    ok = ok && is_terminal_name(p, chain);
    for (size_t i = p->exprs.n; ok && i > base; i--) {
        add_connection(p, chain, p->exprs.items[i - 1]);
        chain = p->exprs.items[i - 1];
    }
    p->exprs.n = base;
}

static void report_no_equation(Parser *p, const AstExpr *lhs)
{
    if (is_relation(lhs)) {
        if (!PARSE_FAIL(p, DIAG_NOTHING_STATED, lhs->place)) return;
        if (lhs->op == AST_EQ) diag_hint(p->diag, "'==' compares; an equation is written with '='");
        else diag_hint(p->diag, "write 'assert' before it to have it checked during the run");
    } else if (parse_report(p, "'='")) {
        const bool quoted = p->lexer.text.p[lhs->place.offset] == '"';
        if (quoted) diag_hint(p->diag, "a text stands in the line of what it describes");
        else diag_hint(p->diag, "an equation has two sides: x' = -x");
    }
}

static void parse_plain(Parser *p, Region region)
{
    const uint32_t start = p->token.offset;
    AstExpr *lhs = parse_expr(p);
    if (!lhs) return;
    switch (p->token.kind) {
    case TOKEN_EQUALS:
        parse_equation(p, lhs, region, start);
        return;
    case TOKEN_ASSIGN:
        PARSE_FAIL(p, DIAG_ASSIGN_IN_MODEL, parse_here(p));
        return;
    case TOKEN_COLON: case TOKEN_COMMA:
        if (region == REGION_MODEL) parse_component(p, lhs, start, false);
        else if (parse_report(p, "'='") && region == REGION_FOR)
            diag_hint(p->diag, "declare an array of components outside of 'for': name[3] : Model");
        return;
    case TOKEN_ARROW:
        if (region != REGION_INITIAL) parse_arrow(p, lhs, start);
        else parse_unexpected(p, "'='");
        return;
    case TOKEN_TILDE:
        if (parse_report(p, "'='"))
            diag_hint(p->diag, "a first guess is given where the variable is declared: var x ~ 1");
        return;
    case TOKEN_END: case TOKEN_EOF:
        if (is_connection(p, lhs) && region != REGION_INITIAL) parse_connection(p, lhs);
        else report_no_equation(p, lhs);
        return;
    default:
        if (parse_at_name(p) || parse_at(p, TOKEN_NUMBER)) parse_unexpected(p, "an operator or '='");
        return;    // the rest is reported where the statement ends
    }
}

// ---- Statements with a word of their own

static void parse_island(Parser *p)
{
    const uint32_t start = p->token.offset;
    parse_advance(p);
    AstExpr *first = ARENA_NEW(p->arena, AstExpr);
    first->kind = AST_REF;
    if (parse_ref(p, &first->ref, &first->place, "the name of an island"))
        parse_component(p, first, start, true);
}

static void parse_initial(Parser *p)
{
    const Token opener = p->token;
    parse_advance(p);
    if (!parse_at(p, TOKEN_END)) {
        const size_t base = p->items.n;
        parse_plain(p, REGION_INITIAL);
        if (p->items.n > base) vec_last(&p->items).place = parse_since(p, opener.offset);
        return;
    }
    const ParseBlock block = parse_block_begin(p, opener, "initial");
    parse_items(p, REGION_INITIAL, &block);
}

static void parse_assert(Parser *p)
{
    const uint32_t start = p->token.offset;
    parse_advance(p);
    AstExpr *condition = parse_condition(p);
    if (!condition) return;
    const char *text = parse_doc(p);
    AstItem item = item_since(p, AST_ASSERT, start);
    item.assertion.condition = condition;
    item.assertion.text = text;
    add_item(p, item);
}

static void parse_prefer(Parser *p)
{
    parse_advance(p);
    do {
        AstItem item = { .kind = AST_PREFER };
        if (!parse_ref(p, &item.prefer, &item.place, "the name of a variable")) return;
        add_item(p, item);
    } while (parse_accept(p, TOKEN_COMMA));
}

bool parse_for_head(Parser *p, AstItem *item)
{
    const uint32_t from = p->token.offset;
    parse_advance(p);
    *item = (AstItem){ .kind = AST_FOR };
    item->loop.index = parse_name(p, "the name of an index");
    bool ok = item->loop.index && (parse_accept_word(p, "in") || parse_unexpected(p, "'in'"));
    if (ok) item->loop.first = parse_expr(p);
    ok = ok && item->loop.first && parse_expect(p, TOKEN_RANGE, "'..'");
    if (ok) item->loop.last = parse_expr(p);
    ok = ok && item->loop.last;
    item->place = parse_since(p, from);
    return ok;
}

static void parse_for(Parser *p, Region region)
{
    const Token opener = p->token;
    AstItem item;
    const bool ok = parse_for_head(p, &item);

    const ParseBlock block = parse_block_begin(p, opener, "for");
    const size_t base = p->items.n;
    parse_items(p, region == REGION_INITIAL ? REGION_INITIAL : REGION_FOR, &block);
    item.loop.items = PARSE_TAKE(p, items, base, &item.loop.n_items);
    if (ok) add_item(p, item);
}

static void parse_time(Parser *p)
{
    const uint32_t start = p->token.offset;
    parse_advance(p);
    const char *unit = NULL;
    if (!parse_at(p, TOKEN_UNIT)) {
        if (parse_report(p, "a unit")) diag_hint(p->diag, "write, for example, time [d]");
        return;
    }
    if (!parse_unit(p, &unit, NULL)) return;
    AstItem item = item_since(p, AST_TIME_UNIT, start);
    item.time_unit = unit;
    add_item(p, item);
}

static void parse_local_function(Parser *p)
{
    const uint32_t start = p->token.offset;
    AstItem item = { .kind = AST_FUNCTION };
    parse_function(p, &item.function);
    item.place = parse_since(p, start);
    if (item.function.result) add_item(p, item);
}

static void parse_terminal(Parser *p)
{
    const Token opener = p->token;
    parse_advance(p);
    if (!parse_at(p, TOKEN_END)) {
        // a terminal type, which is a block; or one line that should have been one
        const TokenKind next = parse_peek(p).kind;
        if (parse_at_name(p) && (next == TOKEN_END || next == TOKEN_QUOTED)) {
            if (parse_report(p, "the end of the line"))
                diag_hint(p->diag, "a type of terminals stands outside of models");
            parse_advance(p);
            parse_block_skip(p);
        } else if (parse_report(p, "the end of the line")) {
            diag_hint(p->diag, "a terminal region is a block: its statements follow, then 'end'");
        }
        return;
    }
    AstItem item = item_since(p, AST_TERMINAL, opener.offset);
    const ParseBlock block = parse_block_begin(p, opener, "terminal");
    const size_t base = p->items.n;
    parse_items(p, REGION_TERMINAL, &block);
    item.terminal.items = PARSE_TAKE(p, items, base, &item.terminal.n_items);
    add_item(p, item);
}

// ---- The terminal region

static void parse_rerun(Parser *p)
{
    const uint32_t start = p->token.offset;
    parse_advance(p);
    if (!parse_accept_word(p, "when")) {
        if (parse_report(p, "'when'")) diag_hint(p->diag, "write rerun when CONDITION");
        return;
    }
    AstItem item = { .kind = AST_RERUN };
    item.rerun.condition = parse_condition(p);
    if (!item.rerun.condition) return;
    if (parse_accept_word(p, "at")) {
        if (!parse_accept_word(p, "most")) {
            parse_unexpected(p, "'most'");
            return;
        }
        item.rerun.at_most = parse_expr(p);
        if (!item.rerun.at_most) return;
    }
    item.place = parse_since(p, start);
    add_item(p, item);
}

static void parse_assignment(Parser *p)
{
    AstItem item;
    if (parse_assign(p, &item)) add_item(p, item);
    else if (parse_at(p, TOKEN_EQUALS))
        diag_hint(p->diag, "a terminal region computes in order; write ':=' there");
}

// ---- Events

static void parse_event_item(Parser *p, AstEventKind kind)
{
    const uint32_t start = p->token.offset;
    AstItem item = { .kind = AST_EVENT };
    item.event = parse_event(p, kind);
    item.place = parse_since(p, start);
    if (!item.event) return;
    if (kind != AST_NEXT) item.place = item.event->place;
    add_item(p, item);
}

// ---- All of them

typedef enum Statement {
    ST_ISLAND, ST_DECL, ST_INITIAL, ST_TERMINAL, ST_ASSERT, ST_PREFER, ST_FOR, ST_TIME, ST_FUNCTION,
    ST_WHEN, ST_AT, ST_EVERY, ST_NEXT, ST_ON, ST_REINIT, ST_PRESENT, ST_REACTION,
} Statement;

static const struct Word {
    const char *word;
    Statement   statement;
    AstDeclKind kind;
    bool        takes_expression;    // what follows may start with a sign or a parenthesis
} words[] = {
    { "island", ST_ISLAND, 0, false },
    { "param", ST_DECL, AST_PARAM, false },
    { "const", ST_DECL, AST_CONST, false },
    { "input", ST_DECL, AST_INPUT, false },
    { "var", ST_DECL, AST_VAR, false },
    { "output", ST_DECL, AST_OUTPUT, false },
    { "initial", ST_INITIAL, 0, true },
    { "terminal", ST_TERMINAL, 0, false },
    { "assert", ST_ASSERT, 0, true },
    { "prefer", ST_PREFER, 0, false },
    { "for", ST_FOR, 0, false },
    { "time", ST_TIME, 0, false },
    { "function", ST_FUNCTION, 0, true },
    { "discrete", ST_DECL, AST_DISCRETE, false },
    { "when", ST_WHEN, 0, true },
    { "at", ST_AT, 0, true },
    { "every", ST_EVERY, 0, true },
    { "next", ST_NEXT, 0, false },
    { "on", ST_ON, 0, false },
    { "reinit", ST_REINIT, 0, false },
    { "present", ST_PRESENT, 0, false },
    { "reaction", ST_REACTION, 0, false },
};
enum { N_WORDS = sizeof words / sizeof *words };

bool parse_is_model_word(Text word)
{
    for (size_t i = 0; i < N_WORDS; i++)
        if (text_is(word, words[i].word)) return true;
    return false;
}

// Words of other languages for what ours says.
static const char *translate(Text word)
{
    static const struct { const char *theirs, *ours; } table[] = {
        { "parameter", "param" }, { "constant", "const" }, { "variable", "var" }, { "real", "var" },
        { "Real", "var" },        { "double", "var" },     { "float", "var" },    { "state", "var" },
        { "let", "var" },         { "init", "initial" },   { "def", "function" }, { "loop", "for" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (text_is(word, table[i].theirs)) return table[i].ours;
    return NULL;
}

// A name, and then another: it was meant to be a word of the language.
static void report_unknown_word(Parser *p)
{
    const char *names[N_WORDS];
    size_t n = 0;
    for (size_t i = 0; i < N_WORDS; i++) names[n++] = words[i].word;
    const Text text = lex_text(&p->lexer, p->token);
    const char *word = parse_intern(p, text);
    if (!PARSE_FAIL(p, DIAG_STATEMENT_UNKNOWN, parse_here(p), word, "a model")) return;
    if (text_is(text, "noise") || text_is(text, "random")) {
        diag_hint(p->diag, "chance stands in equations and values: w = noise(1), param k ~ normal(2, 0.1)");
        return;
    }
    const char *closest = translate(text);
    if (!closest) closest = text_closest(word, names, n);
    diag_suggest(p->diag, word, closest);
}

static bool suits(Region region, Statement statement)
{
    if (region == REGION_MODEL || statement == ST_FOR) return true;
    return region == REGION_FOR && (statement == ST_INITIAL || statement == ST_ASSERT ||
                                    statement == ST_PREFER || statement >= ST_WHEN);
}

static void parse_statement(Parser *p, Region region)
{
    if (parse_at_rate(p) && suits(region, ST_WHEN)) {
        parse_event_item(p, AST_RATE);
        return;
    }
    for (size_t i = 0; i < N_WORDS && parse_at(p, TOKEN_NAME); i++) {
        if (!parse_at_keyword(p, words[i].word, words[i].takes_expression)) continue;
        if (!suits(region, words[i].statement)) {
            if (!parse_report(p, "an equation")) return;
            if (region == REGION_INITIAL)
                diag_hint(p->diag, "an 'initial' block contains equations and 'for' blocks");
            else diag_hint(p->diag, "it stands outside of 'for'; an array is declared by var x[n]");
            return;
        }
        switch (words[i].statement) {
        case ST_ISLAND: parse_island(p); return;
        case ST_DECL: parse_declarations(p, words[i].kind); return;
        case ST_INITIAL: parse_initial(p); return;
        case ST_TERMINAL: parse_terminal(p); return;
        case ST_ASSERT: parse_assert(p); return;
        case ST_PREFER: parse_prefer(p); return;
        case ST_FOR: parse_for(p, region); return;
        case ST_TIME: parse_time(p); return;
        case ST_FUNCTION: parse_local_function(p); return;
        case ST_WHEN: parse_event_item(p, AST_WHEN); return;
        case ST_AT: parse_event_item(p, AST_AT); return;
        case ST_EVERY: parse_event_item(p, AST_EVERY); return;
        case ST_NEXT: parse_event_item(p, AST_NEXT); return;
        case ST_ON: parse_event_item(p, AST_ON); return;
        case ST_REINIT: parse_event_item(p, AST_REINIT); return;
        case ST_PRESENT: parse_present(p); return;
        case ST_REACTION: parse_reaction(p); return;
        }
    }
    if (parse_at(p, TOKEN_NAME)) {
        const Token next = parse_peek(p);
        const bool beside = next.offset == p->token.offset + p->token.length + 1;
        if (beside && (next.kind == TOKEN_NAME || next.kind == TOKEN_QUOTED || next.kind == TOKEN_NUMBER)) {
            report_unknown_word(p);
            return;
        }
    }
    if (parse_at(p, TOKEN_PLUS) || parse_at(p, TOKEN_TIMES) || parse_at(p, TOKEN_DIVIDE)) {
        if (parse_report(p, "a statement"))
            diag_hint(p->diag, "a line goes on if the one before ends with an operator: move it there");
        return;
    }
    parse_plain(p, region);
}

static void parse_items(Parser *p, Region region, const ParseBlock *block)
{
    while (parse_block_goes_on(p, block)) {
        parse_statement_begin(p);
        if (region != REGION_TERMINAL) parse_statement(p, region);
        else if (parse_at_keyword(p, "rerun", false)) parse_rerun(p);
        else parse_assignment(p);
        parse_statement_end(p);
    }
}

// "model Tank", for messages
static const char *block_words(Parser *p, const char *word, const char *name)
{
    return name ? arena_printf(&p->scratch, "%s %s", word, name) : word;
}

void parse_model(Parser *p)
{
    const Token opener = p->token;
    parse_advance(p);
    AstModel model = { .place = parse_here(p) };
    model.name = parse_name(p, "the name of a model");
    if (model.name) model.doc = parse_doc(p);
    p->suspect = (Place){ 0 };
    const ParseBlock block = parse_block_begin(p, opener, block_words(p, "model", model.name));
    const size_t base = p->items.n;
    parse_items(p, REGION_MODEL, &block);
    model.items = PARSE_TAKE(p, items, base, &model.n_items);
    if (model.name) vec_push(p->arena, &p->ast->models, model);
}

// terminal NAME "doc", across …, through …, end
void parse_terminal_type(Parser *p)
{
    const Token opener = p->token;
    parse_advance(p);
    AstModel type = { .place = parse_here(p) };
    type.name = parse_name(p, "the name of a type of terminals");
    if (type.name) type.doc = parse_doc(p);
    p->suspect = (Place){ 0 };
    const ParseBlock block = parse_block_begin(p, opener, block_words(p, "terminal", type.name));
    const size_t base = p->items.n;
    while (parse_block_goes_on(p, &block)) {
        parse_statement_begin(p);
        if (parse_at_keyword(p, "across", false)) parse_declarations(p, AST_ACROSS);
        else if (parse_at_keyword(p, "through", false)) parse_declarations(p, AST_THROUGH);
        else if (parse_report(p, "'across' or 'through'"))
            diag_hint(p->diag, "a terminal type lists variables: across v [V]; through i [A]");
        parse_statement_end(p);
    }
    type.items = PARSE_TAKE(p, items, base, &type.n_items);
    if (type.name) vec_push(p->arena, &p->ast->terminals, type);
}

// ---- Functions

static bool parse_parameters(Parser *p, AstFunction *function)
{
    const Token open = p->token;
    if (parse_at(p, TOKEN_LPAREN)) parse_mark(p, MARK_CALL, open);
    if (!parse_expect(p, TOKEN_LPAREN, "'(' and the arguments")) return false;
    const size_t base = p->texts.n;
    bool ok = true;
    if (!parse_at(p, TOKEN_RPAREN)) {
        do {
            const char *name = parse_name(p, "the name of an argument");
            ok = name != NULL;
            if (ok) vec_push(&p->scratch, &p->texts, name);
        } while (ok && parse_accept(p, TOKEN_COMMA));
    }
    function->params = PARSE_TAKE(p, texts, base, &function->n_params);
    if (ok && parse_at(p, TOKEN_EQUALS)) return parse_unexpected(p, "',' or ')'");
    return ok && parse_close(p, open, TOKEN_RPAREN, "',' or ')'");
}

static void parse_local(Parser *p)
{
    const uint32_t start = p->token.offset;
    if (!parse_at_name(p)) {
        parse_unexpected(p, "'name = value' or 'return'");
        return;
    }
    AstExpr *lhs = parse_expr(p);
    if (!lhs) return;
    if (!is_plain_name(lhs) || lhs->ref.parts[0].n_indices) {
        if (PARSE_FAIL(p, DIAG_EXPECTED, lhs->place, "'name = value' or 'return'", "this"))
            diag_hint(p->diag, "a function computes one value from its arguments, step by step");
        return;
    }
    if (!parse_at(p, TOKEN_EQUALS)) {
        parse_unexpected(p, "'='");
        return;
    }
    parse_equation(p, lhs, REGION_MODEL, start);
}

// Go to the end of the line; true if there was a '=' on the way.
static bool passes_equals(Parser *p)
{
    bool found = false;
    p->lexer.quiet = true;
    for (; !parse_at(p, TOKEN_END) && !parse_at(p, TOKEN_EOF); parse_advance(p)) {
        found = found || parse_at(p, TOKEN_EQUALS);
        p->lexer.depth = 0;
    }
    p->lexer.quiet = false;
    return found;
}

void parse_function(Parser *p, AstFunction *function)
{
    const Token opener = p->token;
    *function = (AstFunction){ 0 };
    parse_advance(p);
    function->place = parse_here(p);
    function->name = parse_name(p, "the name of a function");
    const bool ok = function->name && parse_parameters(p, function);
    if (ok) function->doc = parse_doc(p);
    if (ok && parse_accept(p, TOKEN_EQUALS)) {
        function->result = parse_expr(p);
        return;
    }
    if (ok && !parse_at(p, TOKEN_END)) {
        parse_unexpected(p, "'=' or the end of the line");
        return;
    }
    if (!ok && passes_equals(p)) return;    // it was meant to be one line

    const ParseBlock block = parse_block_begin(p, opener, block_words(p, "function", function->name));
    const size_t base = p->items.n;
    AstExpr *result = NULL;
    bool whole = ok;    // nothing was lost that might have been the return
    while (parse_block_goes_on(p, &block)) {
        parse_statement_begin(p);
        if (parse_at_keyword(p, "return", true)) {
            const Place place = parse_here(p);
            parse_advance(p);
            AstExpr *e = parse_condition(p);
            if (e && result) PARSE_FAIL(p, DIAG_STATEMENT_TWICE, place, "return");
            result = e;
        } else if (result) {
            parse_unexpected(p, "'end' after 'return'");
        } else {
            parse_local(p);
        }
        whole = whole && !p->failed;
        parse_statement_end(p);
    }
    function->locals = PARSE_TAKE(p, items, base, &function->n_locals);
    function->result = result;
    if (!result && whole && !p->failed) {
        p->ok = false;
        diag_report(p->diag, DIAG_EXPECTED, block.place, "a line 'return ...' before 'end'",
                    "only local values");
    }
}

// src/lang/parse_bind.c: how a model meets the world: inputs and outputs of experiments, and frames.
#include "lang/parse.h"

// ---------------------------------------------------------------------------------------------- where from,
// where to

static const char *accept_one(Parser *p, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (parse_accept_word(p, words[i])) return words[i];
    return NULL;
}
#define ACCEPT_ONE(p, ...)                                                                                   \
    accept_one((p), (const char *const[]){ __VA_ARGS__ },                                                    \
               sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static const char *parse_text_of(Parser *p, const char *expected)
{
    if (!parse_at(p, TOKEN_QUOTED)) {
        parse_unexpected(p, expected);
        return NULL;
    }
    const char *text = parse_doc(p);
    if (text[0] == '\0') {
        PARSE_FAIL(p, DIAG_EXPECTED, parse_since(p, p->end - 2), expected, "an empty text");
        return NULL;
    }
    return text;
}

// "data.csv" | stdin | unix "path" | udp "host:port" | mqtt "host/topic"
static bool parse_address(Parser *p, const char **kind, const char **address)
{
    *kind = ACCEPT_ONE(p, "stdin", "unix", "udp", "mqtt");
    *address = "";
    if (*kind && (*kind)[0] == 's') return true;
    const char *expected = !*kind ? "the name of a file in double quotes, stdin, unix, udp or mqtt"
                           : (*kind)[0] == 'm' ? "a broker and a topic, such as \"localhost/plant/flow\""
                           : (*kind)[1] == 'd' ? "a port in double quotes, such as \"5005\""
                                               : "the path of a socket in double quotes";
    if (!*kind) *kind = "csv";
    *address = parse_text_of(p, expected);
    return *address != NULL;
}

// ---------------------------------------------------------------------------------------------- input u = …,
// from …

static bool parse_once_of(Parser *p, const char **where, const char *value, const char *word)
{
    if (!value) return false;
    if (*where) return PARSE_FAIL(p, DIAG_STATEMENT_TWICE, parse_since(p, p->statement), word), false;
    *where = value;
    return true;
}

// column "flow" time "t" hold|linear|cubic cyclic outside hold|error|zero, in any order
static bool parse_input_options(Parser *p, AstInput *input)
{
    while (parse_at(p, TOKEN_NAME)) {
        const char *word;
        if (parse_accept_word(p, "column")) {
            if (!parse_once_of(p, &input->column, parse_text_of(p, "the name of a column in double quotes"),
                               "column"))
                return false;
        } else if (parse_accept_word(p, "time")) {
            if (!parse_once_of(p, &input->time, parse_text_of(p, "the name of a column in double quotes"),
                               "time"))
                return false;
        } else if ((word = ACCEPT_ONE(p, "hold", "linear", "cubic"))) {
            if (!parse_once_of(p, &input->between, word, word)) return false;
        } else if (parse_accept_word(p, "columns")) {
            VEC(const char *) names = { 0 };
            do {
                const char *name = parse_text_of(p, "the name of a column in double quotes");
                if (!name) return false;
                vec_push(&p->scratch, &names, name);
            } while (parse_accept(p, TOKEN_COMMA));
            const size_t n = names.n;
            input->columns = parse_take(p, names.items, &names.n, 0, sizeof *names.items, &input->n_columns);
            if (n != input->n_columns) return false;
        } else if (parse_accept_word(p, "as")) {
            if (!parse_accept_word(p, "messages")) return parse_unexpected(p, "'messages'");
            input->is_messages = true;
        } else if (parse_accept_word(p, "cyclic")) {
            input->is_cyclic = true;
        } else if (parse_accept_word(p, "outside")) {
            word = ACCEPT_ONE(p, "hold", "error", "zero");
            if (!word) return parse_unexpected(p, "hold, error or zero");
            if (!parse_once_of(p, &input->outside, word, "outside")) return false;
        } else {
            static const char *const words[] = { "column", "time",    "hold",    "linear", "cubic",
                                                 "cyclic", "outside", "columns", "as" };
            const char *wanted = parse_intern(p, lex_text(&p->lexer, p->token));
            if (parse_report(p, "column, time, hold, linear, cubic, cyclic or outside"))
                diag_suggest(p->diag, wanted, text_closest(wanted, words, sizeof words / sizeof *words));
            return false;
        }
    }
    const bool is_table = text_is(text_from(input->kind), "csv");
    if (input->is_messages && (input->between || input->is_cyclic || input->outside || !is_table)) {
        if (PARSE_FAIL(p, DIAG_EXPECTED, parse_since(p, p->statement), "a file of messages",
                       is_table ? "samples" : input->kind))
            diag_hint(p->diag, "each row is a message, at its time: input job from \"jobs.csv\" as messages");
        return false;
    }
    if (input->n_columns > 0 && !input->is_messages) {
        if (parse_report(p, "'as messages'")) diag_hint(p->diag, "a signal has one column: column \"flow\"");
        return false;
    }
    if (!input->between && is_table && !input->is_messages) {
        if (parse_report(p, "hold, linear or cubic"))
            diag_hint(p->diag,
                      "say how values between two rows are found: linear draws straight lines, "
                      "hold makes steps; for an event input: as messages");
        return false;
    }
    if (!is_table && (input->column || input->time || input->is_cyclic)) {
        if (PARSE_FAIL(p, DIAG_EXPECTED, parse_since(p, p->statement), "a file", input->kind))
            diag_hint(p->diag, "only a table has columns and can be read again and again");
        return false;
    }
    if (!input->between) input->between = "hold";
    return true;
}

bool parse_input(Parser *p, AstInput *input)
{
    *input = (AstInput){ 0 };
    if (!parse_ref(p, &input->target, &input->target_place, "the name of an input")) return false;
    if (parse_accept(p, TOKEN_EQUALS)) {
        input->value = parse_expr(p);
        input->place = parse_since(p, p->statement);
        return input->value != NULL;
    }
    if (!parse_accept_word(p, "from")) {
        if (parse_report(p, "'=' or 'from'"))
            diag_hint(p->diag, "write input u = sin(t), or input u from \"data.csv\" column \"u\" linear");
        return false;
    }
    if (!parse_address(p, &input->kind, &input->address) || !parse_input_options(p, input)) return false;
    input->place = parse_since(p, p->statement);
    return true;
}

// output y, z to udp "5006"
bool parse_output_to(Parser *p, AstSend *send)
{
    VEC(AstRef) refs = { 0 };
    *send = (AstSend){ 0 };
    do {
        AstRef ref;
        Place place;
        if (!parse_ref(p, &ref, &place, "the name of a variable")) return false;
        vec_push(&p->scratch, &refs, ref);
    } while (parse_accept(p, TOKEN_COMMA));
    if (!parse_accept_word(p, "to")) {
        if (parse_report(p, "'to'"))
            diag_hint(p->diag, "write output y to udp \"5006\"; what is kept is named by record");
        return false;
    }
    if (parse_accept_word(p, "stdout")) send->kind = "stdout", send->address = "";
    else if (!parse_address(p, &send->kind, &send->address)) return false;
    if (text_is(text_from(send->kind), "stdin")) {
        PARSE_FAIL(p, DIAG_EXPECTED, parse_since(p, p->statement), "a place to send to", "standard input");
        return false;
    }
    size_t n = refs.n;
    send->refs = parse_take(p, refs.items, &n, 0, sizeof *refs.items, &send->n_refs);
    send->place = parse_since(p, p->statement);
    return true;
}

// ---------------------------------------------------------------------------------------------- outside stop
// | go on

bool parse_outside(Parser *p, const char **outside)
{
    const char *word = ACCEPT_ONE(p, "stop", "go");
    if (word && word[0] == 'g' && !parse_accept_word(p, "on")) return parse_unexpected(p, "'on'");
    if (!word) return parse_unexpected(p, "stop, or go on");
    return parse_once_of(p, outside, word[0] == 'g' ? "go on" : "stop", "outside");
}

// ---------------------------------------------------------------------------------------------- frames

typedef struct Lists {
    VEC(AstClaim) inputs, ranges;
    VEC(AstRef)   observes;
    VEC(Place)    observe_places;
} Lists;

// NAME [in LOW..HIGH]
static bool parse_range(Parser *p, bool needs_bounds, AstClaim *range)
{
    const uint32_t start = p->token.offset;
    *range = (AstClaim){ 0 };
    if (!parse_ref(p, &range->what, &range->place, "a name")) return false;
    if (!parse_at_word(p, "in") && !needs_bounds) return true;
    if (!parse_accept_word(p, "in")) {
        if (parse_report(p, "'in' and a range")) diag_hint(p->diag, "write range x in 0..2");
        return false;
    }
    range->low = parse_expr(p);
    if (!range->low || !parse_expect(p, TOKEN_RANGE, "'..'")) return false;
    range->high = parse_expr(p);
    range->place = parse_since(p, start);
    return range->high != NULL;
}

static void parse_frame_statement(Parser *p, AstFrame *f, Lists *lists)
{
    static const char *const words[] = { "input", "range", "observe", "outside" };
    if (parse_accept_word(p, "input") || parse_at_word(p, "range")) {
        const bool is_range = parse_accept_word(p, "range");
        do {
            AstClaim range;
            if (!parse_range(p, is_range, &range)) return;
            if (is_range) vec_push(&p->scratch, &lists->ranges, range);
            else vec_push(&p->scratch, &lists->inputs, range);
        } while (parse_accept(p, TOKEN_COMMA));
    } else if (parse_accept_word(p, "observe")) {
        do {
            AstRef ref;
            Place place;
            if (!parse_ref(p, &ref, &place, "the name of a variable")) return;
            vec_push(&p->scratch, &lists->observes, ref);
            vec_push(&p->scratch, &lists->observe_places, place);
        } while (parse_accept(p, TOKEN_COMMA));
    } else if (parse_accept_word(p, "outside")) {
        parse_outside(p, &f->outside);
    } else if (!parse_at(p, TOKEN_NAME)) {
        parse_unexpected(p, "a statement of a frame");
    } else {
        const char *word = parse_intern(p, lex_text(&p->lexer, p->token));
        const char *closest = text_closest(word, words, sizeof words / sizeof *words);
        if (PARSE_FAIL(p, DIAG_STATEMENT_UNKNOWN, parse_here(p), word, "a frame")) {
            if (closest) diag_suggest(p->diag, word, closest);
            else diag_hint(p->diag, "a frame says input, range, observe and outside");
        }
    }
}

void parse_frame(Parser *p)
{
    const Token opener = p->token;
    parse_advance(p);
    AstFrame f = { .place = parse_here(p) };
    f.name = parse_name(p, "the name of a frame");
    if (f.name && parse_accept_word(p, "of")) {
        f.model_place = parse_here(p);
        f.model = parse_name(p, "the name of a model");
    } else if (f.name && parse_report(p, "'of' and a model")) {
        diag_hint(p->diag, "write frame %s of MODEL", f.name);
    }
    if (f.model) f.doc = parse_doc(p);

    p->suspect = (Place){ 0 };
    const char *words = f.name ? arena_printf(&p->scratch, "frame %s", f.name) : "frame";
    const ParseBlock block = parse_block_begin(p, opener, words);
    Lists lists = { 0 };
    while (parse_block_goes_on(p, &block)) {
        parse_statement_begin(p);
        parse_frame_statement(p, &f, &lists);
        parse_statement_end(p);
    }
    uint32_t n_places;
    size_t n = lists.inputs.n;
    f.inputs = parse_take(p, lists.inputs.items, &n, 0, sizeof *lists.inputs.items, &f.n_inputs);
    n = lists.ranges.n;
    f.ranges = parse_take(p, lists.ranges.items, &n, 0, sizeof *lists.ranges.items, &f.n_ranges);
    n = lists.observes.n;
    f.observes = parse_take(p, lists.observes.items, &n, 0, sizeof *lists.observes.items, &f.n_observes);
    n = lists.observe_places.n;
    f.observe_places = parse_take(p, lists.observe_places.items, &n, 0, sizeof *lists.observe_places.items,
                                  &n_places);
    if (f.model) vec_push(p->arena, &p->ast->frames, f);
}

// ---- Measured data

static const char column_expected[] = "the name of a column in double quotes";

// column "position" [cm] deviation "sd"
static bool parse_data_column(Parser *p, AstDataColumn *c)
{
    Place unit_place;
    if (!parse_accept_word(p, "column")) {
        if (parse_report(p, "'column'"))
            diag_hint(p->diag, "write data \"measured.csv\" x = column \"position\" [cm] deviation \"sd\"");
        return false;
    }
    c->column = parse_text_of(p, column_expected);
    if (!c->column || !parse_own_unit(p, &c->unit, &unit_place)) return false;
    if (!parse_accept_word(p, "deviation")) return true;
    if (parse_at(p, TOKEN_QUOTED)) return (c->deviation = parse_text_of(p, column_expected)) != NULL;
    return (c->sd = parse_expr(p)) != NULL;
}

static bool parse_data_file(Parser *p, AstData *data)
{
    data->file = parse_text_of(p, "a file in double quotes");
    if (!data->file) return false;
    return !parse_accept_word(p, "time") || (data->time = parse_text_of(p, column_expected)) != NULL;
}

bool parse_data(Parser *p, AstData *data)
{
    VEC(AstDataColumn) columns = { 0 };
    VEC(AstSetting) where = { 0 };
    *data = (AstData){ 0 };
    if (!parse_data_file(p, data)) return false;
    do {
        AstDataColumn c = { 0 };
        Place place;
        AstExpr *what = ARENA_NEW(p->arena, AstExpr);
        if (!parse_ref(p, &what->ref, &place, "the name of a variable")) return false;
        what->kind = AST_REF;
        what->place = place;
        c.what = what;
        if (!parse_expect(p, TOKEN_EQUALS, "'=' and a column") || !parse_data_column(p, &c)) return false;
        vec_push(&p->scratch, &columns, c);
    } while (parse_accept(p, TOKEN_COMMA));
    if (parse_accept_word(p, "where"))
        do {
            AstSetting setting = { 0 };
            if (!parse_setting(p, &setting)) return false;
            vec_push(&p->scratch, &where, setting);
        } while (parse_accept(p, TOKEN_COMMA));
    size_t n = columns.n;
    data->columns = parse_take(p, columns.items, &n, 0, sizeof *columns.items, &data->n_columns);
    n = where.n;
    data->where = parse_take(p, where.items, &n, 0, sizeof *where.items, &data->n_where);
    data->place = parse_since(p, p->statement);
    return true;
}

bool parse_follows(Parser *p, AstExpr *what, AstData *data)
{
    AstDataColumn *c = ARENA_NEW(p->arena, AstDataColumn);
    *data = (AstData){ .columns = c, .n_columns = 1 };
    c->what = what;
    if (!parse_data_file(p, data) || !parse_data_column(p, c)) return false;
    data->place = parse_since(p, p->statement);
    return true;
}

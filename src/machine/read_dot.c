// src/machine/read_dot.c: machines from Graphviz DOT, in the form that automata-learning tools exchange.
//
//     digraph {
//       __start0 [label="" shape=none];  __start0 -> s0;
//       s0 [label="hungry|cries"];       s0 -> s1 [label="food"];        // Moore
//       s0 -> s1 [label="food/quiet"];                                   // Mealy
//     }
//
// The start is shown by an arrow without a label from a node that is not drawn. Labels of a stochastic
// machine end in their probability, food:0.5. Acceptors, whose states are single and double circles, have
// the outputs rejected and accepted. All of DOT is read; attributes that only concern the drawing are
// passed over.
#include "base/number.h"
#include "machine/build.h"
#include "machine/draft.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

typedef enum DotKind { DOT_EOF, DOT_ID, DOT_ARROW, DOT_LINE, DOT_PUNCTUATION } DotKind;

typedef struct DotToken {
    DotKind kind;
    char c;        // of DOT_PUNCTUATION
    bool plain;    // an ID without quotes: may be a keyword
    Text text;     // of an ID, without quotes; \" resolved, other escapes kept
    Place place;
} DotToken;

typedef struct Node {
    const char *id;
    Text label;    // as written, escapes kept
    bool has_label, is_hidden, is_double;
    Text name, output;    // told from the label
    bool has_output;
    Place place;
    bool is_start;    // only shows where to start
    uint32_t state;
} Node;

typedef struct Edge {
    uint32_t from, to;
    Text label;
    Place place;
} Edge;

typedef struct Part {
    Text input, output;
    bool has_output, has_chance;
    double chance;
} Part;

typedef struct Dot {
    Arena *arena;      // borrowed
    orr_diag *diag;    // borrowed
    Text text;
    uint32_t file;
    size_t at;
    DotToken token;
    bool failed;
    Names ids;
    VEC(Node) nodes;
    VEC(Edge) edges;
    Draft draft;
} Dot;

// ---- Tokens

static bool fail(Dot *d, Place place, const char *what)
{
    if (!d->failed) diag_report(d->diag, DIAG_MACHINE_DOT, place, what);
    d->failed = true;
    return false;
}

static bool is_id_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (c & 0x80);
}

static Place place_of(const Dot *d, size_t from, size_t to)
{
    return (Place){ d->file, (uint32_t)from, (uint32_t)(to - from) };
}

static void skip_blanks(Dot *d)
{
    const Text t = d->text;
    for (;;) {
        while (d->at < t.n && strchr(" \t\r\n", t.p[d->at])) d->at++;
        if (d->at >= t.n) return;
        const char c = t.p[d->at], next = d->at + 1 < t.n ? t.p[d->at + 1] : '\0';
        if (c == '#' || (c == '/' && next == '/')) {
            while (d->at < t.n && t.p[d->at] != '\n') d->at++;
        } else if (c == '/' && next == '*') {
            const size_t start = d->at;
            const char *end = memmem(t.p + d->at + 2, t.n - d->at - 2, "*/", 2);
            if (!end) fail(d, place_of(d, start, start + 2), "a comment is never closed");
            d->at = end ? (size_t)(end - t.p) + 2 : t.n;
        } else return;
    }
}

static Text read_quoted(Dot *d)
{
    const size_t start = d->at++;
    StrBuf s = { .arena = d->arena };
    while (d->at < d->text.n && d->text.p[d->at] != '"') {
        const char c = d->text.p[d->at++];
        const char next = d->at < d->text.n ? d->text.p[d->at] : '\0';
        if (c == '\\' && next == '"') str_add_char(&s, '"'), d->at++;
        else if (c == '\\' && next == '\n') d->at++;    // a line that goes on
        else if (c == '\\' && d->at < d->text.n) str_add_char(&s, c), str_add_char(&s, next), d->at++;
        else str_add_char(&s, c);
    }
    if (d->at < d->text.n) d->at++;
    else fail(d, place_of(d, start, start + 1), "a text is never closed");
    return (Text){ s.n ? s.p : "", s.n };
}

static Text read_html(Dot *d)
{
    const size_t start = d->at;
    size_t depth = 0;
    do {
        if (d->text.p[d->at] == '<') depth++;
        if (d->text.p[d->at] == '>') depth--;
        d->at++;
    } while (depth > 0 && d->at < d->text.n);
    if (depth > 0) {
        fail(d, place_of(d, start, start + 1), "'<' is never closed");
        return (Text){ "", 0 };
    }
    return text_part(d->text, start + 1, d->at - 1);
}

static void advance(Dot *d)
{
    skip_blanks(d);
    const Text t = d->text;
    const size_t start = d->at;
    d->token = (DotToken){ .kind = DOT_EOF, .place = place_of(d, start, start) };
    if (start >= t.n) return;
    const char c = t.p[start], next = start + 1 < t.n ? t.p[start + 1] : '\0';
    d->token.kind = DOT_ID;
    if (c == '"') {
        d->token.text = read_quoted(d);
    } else if (c == '<') {
        d->token.text = read_html(d);
    } else if (c == '-' && (next == '>' || next == '-')) {
        d->at += 2;
        d->token.kind = next == '>' ? DOT_ARROW : DOT_LINE;
    } else if (is_id_char(c) || c == '.' || (c == '-' && (next == '.' || (next >= '0' && next <= '9')))) {
        d->at++;
        while (d->at < t.n && (is_id_char(t.p[d->at]) || t.p[d->at] == '.')) d->at++;
        d->token.text = text_part(t, start, d->at);
        d->token.plain = true;
    } else {
        d->at++;
        d->token.kind = DOT_PUNCTUATION;
        d->token.c = c;
        if (!strchr("{}[];,=:+", c))
            fail(d, place_of(d, start, start + 1), "this character has no place here");
    }
    d->token.place = place_of(d, start, d->at);
}

static bool at(const Dot *d, char c) { return d->token.kind == DOT_PUNCTUATION && d->token.c == c; }

static bool accept(Dot *d, char c)
{
    if (!at(d, c)) return false;
    advance(d);
    return true;
}

static bool at_word(const Dot *d, const char *word)
{
    const Text t = d->token.text;
    return d->token.kind == DOT_ID && d->token.plain && t.n == strlen(word) &&
           strncasecmp(t.p, word, t.n) == 0;
}

static bool accept_word(Dot *d, const char *word)
{
    if (!at_word(d, word)) return false;
    advance(d);
    return true;
}

// An ID; quoted ones may be joined by +.
static bool read_id(Dot *d, Text *out)
{
    if (d->token.kind != DOT_ID) return fail(d, d->token.place, "a name is expected here");
    *out = d->token.text;
    advance(d);
    while (at(d, '+')) {
        advance(d);
        if (d->token.kind != DOT_ID) return fail(d, d->token.place, "a text is expected behind '+'");
        *out = text_from(
            arena_printf(d->arena, "%.*s%.*s", (int)out->n, out->p, (int)d->token.text.n, d->token.text.p));
        advance(d);
    }
    return true;
}

// ---- Statements

typedef struct Attributes {
    Text label, shape, style;
    bool has_label;
} Attributes;

// [a=b, c=d] …
static bool read_attributes(Dot *d, Attributes *a)
{
    while (accept(d, '[')) {
        while (!d->failed && !at(d, ']')) {
            Text name, value = TEXT("true");
            if (d->token.kind == DOT_EOF) return fail(d, d->token.place, "']' is missing");
            if (!read_id(d, &name)) return false;
            if (accept(d, '=') && !read_id(d, &value)) return false;
            if (text_is(name, "label")) a->label = value, a->has_label = true;
            if (text_is(name, "shape")) a->shape = value;
            if (text_is(name, "style")) a->style = value;
            if (!accept(d, ',')) accept(d, ';');
        }
        if (d->failed) return false;
        advance(d);
    }
    return true;
}

static uint32_t node_of(Dot *d, Text id, Place place)
{
    const uint32_t number = names_intern(&d->ids, id);
    if (number == d->nodes.n)
        vec_push(d->arena, &d->nodes, (Node){ .id = names_text(&d->ids, number), .place = place });
    return number;
}

// ID[:port[:compass]]
static bool read_node(Dot *d, uint32_t *node)
{
    Text id, port;
    const Place place = d->token.place;
    if (at(d, '{') || at_word(d, "subgraph"))
        return fail(d, place, "an edge joins two states, not groups of them");
    if (!read_id(d, &id)) return false;
    while (accept(d, ':'))
        if (!read_id(d, &port)) return false;
    *node = node_of(d, id, place);
    return true;
}

static void note_node(Dot *d, uint32_t node, const Attributes *a)
{
    Node *n = &d->nodes.items[node];
    if (a->has_label) n->label = a->label, n->has_label = true;
    n->is_hidden |= text_is(a->shape, "none") || text_is(a->shape, "point") ||
                    text_is(a->shape, "plaintext") || text_is(a->shape, "plain") ||
                    text_is(a->style, "invis") || text_is(a->style, "invisible");
    n->is_double |= text_is(a->shape, "doublecircle");
}

static bool read_edges(Dot *d, uint32_t from, Place start)
{
    const size_t first = d->edges.n;
    while (d->token.kind == DOT_ARROW || d->token.kind == DOT_LINE) {
        if (d->token.kind == DOT_LINE)
            return fail(d, d->token.place, "an edge has a direction here: write ->");
        advance(d);
        uint32_t to;
        const Place place = d->token.place;
        if (!read_node(d, &to)) return false;
        vec_push(d->arena, &d->edges, (Edge){ from, to, { 0 }, place_join(start, place) });
        from = to;
        start = place;
    }
    Attributes a = { 0 };
    if (!read_attributes(d, &a)) return false;
    for (size_t i = first; i < d->edges.n; i++) d->edges.items[i].label = a.label;
    return true;
}

static bool read_statement(Dot *d)
{
    Attributes ignored = { 0 };
    for (size_t i = 0; i < 3; i++)
        if (accept_word(d, (const char *const[]){ "graph", "node", "edge" }[i]))
            return read_attributes(d, &ignored);
    const DotToken first = d->token;
    uint32_t node;
    if (first.kind == DOT_ID) {    // a setting of the graph: name = value
        const Dot before = *d;
        Text name, value;
        if (read_id(d, &name) && accept(d, '=')) return read_id(d, &value);
        d->at = before.at;
        d->token = before.token;
    }
    if (d->failed || !read_node(d, &node)) return false;
    if (d->token.kind == DOT_ARROW || d->token.kind == DOT_LINE) return read_edges(d, node, first.place);
    Attributes a = { 0 };
    if (!read_attributes(d, &a)) return false;
    note_node(d, node, &a);
    return true;
}

// strict digraph name { … }; the name, or empty
static Text read_graph(Dot *d)
{
    Text name = { "", 0 };
    size_t depth = 1;
    advance(d);
    accept_word(d, "strict");
    if (at_word(d, "graph")) fail(d, d->token.place, "an edge has a direction here: write digraph");
    else if (!accept_word(d, "digraph")) fail(d, d->token.place, "'digraph' is expected first");
    if (!d->failed && d->token.kind == DOT_ID) read_id(d, &name);
    if (!d->failed && !accept(d, '{')) fail(d, d->token.place, "'{' is expected here");
    while (!d->failed && depth > 0) {
        if (accept(d, ';') || accept(d, ',')) continue;
        if (d->token.kind == DOT_EOF) fail(d, d->token.place, "'}' is missing");
        else if (at(d, '}')) depth--, advance(d);
        else if (accept(d, '{')) depth++;
        else if (accept_word(d, "subgraph")) {
            Text ignored;
            if (d->token.kind == DOT_ID) read_id(d, &ignored);
        } else read_statement(d);
    }
    return name;
}

// ---- Labels

// \n, \l and \r end a line of a label, a backslash before anything else only protects it.
static Text resolve_escapes(Dot *d, Text label)
{
    if (!memchr(label.p ? label.p : "", '\\', label.n)) return text_trim(label);
    StrBuf s = { .arena = d->arena };
    size_t first = SIZE_MAX, behind = 0;    // of what is not trimmed
    for (size_t i = 0; i < label.n; i++) {
        char c = label.p[i];
        bool is_kept = !isspace((unsigned char)c);
        if (c == '\\' && i + 1 < label.n) {
            c = label.p[++i];
            if (c == 'n' || c == 'l' || c == 'r') c = '\n', is_kept = false;
        }
        if (is_kept && first == SIZE_MAX) first = s.n;
        str_add_char(&s, c);
        if (is_kept) behind = s.n;
    }
    return behind ? text_part((Text){ s.p, s.n }, first, behind) : (Text){ "", 0 };
}

// Where c stands in a label, not protected by a backslash; n if nowhere.
static size_t find_plain(Text t, char c, bool last)
{
    size_t found = t.n;
    for (size_t i = 0; i < t.n && (last || found == t.n); i++) {
        if (t.p[i] == '\\') i++;
        else if (t.p[i] == c) found = i;
    }
    return found;
}

// The line that ends at \n, \l or \r; *rest is what follows.
static Text first_line(Text t, Text *rest)
{
    for (size_t i = 0; i + 1 < t.n; i++) {
        if (t.p[i] != '\\') continue;
        if (t.p[i + 1] == 'n' || t.p[i + 1] == 'l' || t.p[i + 1] == 'r') {
            *rest = text_part(t, i + 2, t.n);
            return text_part(t, 0, i);
        }
        i++;
    }
    *rest = (Text){ 0 };
    return t;
}

// name|output, {name|output}, name / output, or two lines
static void split_node(Dot *d, Node *n)
{
    const Text trimmed = text_trim(n->label);
    Text t = n->label, rest;
    if (trimmed.n > 1 && trimmed.p[0] == '{' && trimmed.p[trimmed.n - 1] == '}')
        t = text_part(trimmed, 1, trimmed.n - 1);
    size_t cut = find_plain(t, '|', false);
    if (cut == t.n) cut = find_plain(t, '/', false);
    Text name = text_part(t, 0, cut), output = cut < t.n ? text_part(t, cut + 1, t.n) : (Text){ 0 };
    n->has_output = cut < t.n;
    if (!n->has_output) {
        name = first_line(t, &rest);
        n->has_output = text_trim(rest).n > 0;
        output = rest;
    }
    n->name = resolve_escapes(d, name);
    n->output = resolve_escapes(d, output);
}

// input, input/output, each with :probability behind it if the machine has probabilities
static Part split_edge(Dot *d, Text label, bool with_chance)
{
    Part part = { .chance = 1 };
    if (with_chance) {
        const size_t colon = find_plain(label, ':', true);
        part.has_chance = colon < label.n &&
                          number_parse(text_trim(text_part(label, colon + 1, label.n)), &part.chance);
        if (part.has_chance) label = text_part(label, 0, colon);
    }
    const size_t slash = find_plain(label, '/', false);
    part.input = resolve_escapes(d, text_part(label, 0, slash));
    part.has_output = slash < label.n;
    if (part.has_output) part.output = resolve_escapes(d, text_part(label, slash + 1, label.n));
    return part;
}

// ---- From graph to machine

typedef struct Meaning {
    bool is_mealy, is_moore, is_acceptor, has_chances;
    uint32_t start_node;    // UINT32_MAX: none
} Meaning;

static Meaning interpret(Dot *d)
{
    Meaning m = { .has_chances = true, .start_node = UINT32_MAX };
    bool *has_incoming = ARENA_ARRAY(d->arena, bool, d->nodes.n + 1);
    for (size_t i = 0; i < d->edges.n; i++) has_incoming[d->edges.items[i].to] = true;
    size_t n_labels = 0;
    for (size_t i = 0; i < d->edges.n; i++) {
        const Edge *e = &d->edges.items[i];
        Node *from = &d->nodes.items[e->from];
        const bool named = strncmp(from->id, "__start", 7) == 0;
        if (text_trim(e->label).n == 0 && !has_incoming[e->from] && (named || from->is_hidden)) {
            from->is_start = true;
            if (m.start_node != UINT32_MAX && m.start_node != e->to)
                fail(d, e->place, "there are two arrows to a start");
            m.start_node = e->to;
            continue;
        }
        for (Text rest = e->label, line; rest.n > 0; n_labels++) {
            line = first_line(rest, &rest);
            m.has_chances &= split_edge(d, line, true).has_chance;
            m.is_mealy |= split_edge(d, line, false).has_output;
        }
    }
    m.has_chances &= n_labels > 0;
    for (size_t i = 0; i < d->nodes.n; i++) {
        Node *n = &d->nodes.items[i];
        n->is_start |= strncmp(n->id, "__start", 7) == 0 && n->has_label && n->label.n == 0;
        if (n->is_start) continue;
        if (n->has_label) split_node(d, n);
        m.is_moore |= n->has_output;
        m.is_acceptor |= n->is_double;
    }
    if (m.is_mealy)
        m.is_moore = m.is_acceptor = false;    // then what looks like an output is part of the name
    if (m.is_moore) m.is_acceptor = false;
    return m;
}

// By their labels, if these tell them apart; else by their ids.
static void add_states(Dot *d, const Meaning *m)
{
    Names labels;
    names_init(&labels, d->arena);
    bool distinct = true;
    for (size_t i = 0; i < d->nodes.n; i++) {
        Node *n = &d->nodes.items[i];
        if (n->is_start) continue;
        if (!m->is_moore) n->name = resolve_escapes(d, n->label);
        if (!n->has_label) n->name = text_from(n->id);    // as Graphviz does
        const size_t known = labels.n;
        distinct &= n->name.n > 0 && names_intern(&labels, n->name) == known;
    }
    for (size_t i = 0; i < d->nodes.n; i++) {
        Node *n = &d->nodes.items[i];
        if (!n->is_start)
            n->state = draft_add_state(&d->draft, distinct ? n->name : text_from(n->id), n->place);
    }
}

typedef struct Step {
    uint32_t state, input, to, output;
    double chance;
    Place place;
} Step;

static int compare_steps(const void *a, const void *b)
{
    const Step *x = a, *y = b;
    if (x->state != y->state) return x->state < y->state ? -1 : 1;
    if (x->input != y->input) return x->input < y->input ? -1 : 1;
    return x->place.offset < y->place.offset ? -1 : x->place.offset > y->place.offset;
}

static Step *gather_steps(Dot *d, const Meaning *m, size_t *n)
{
    VEC(Step) steps = { 0 };
    for (size_t i = 0; i < d->edges.n; i++) {
        const Edge *e = &d->edges.items[i];
        if (d->nodes.items[e->from].is_start) continue;
        if (d->nodes.items[e->to].is_start) fail(d, e->place, "the node of the start is no state");
        if (text_trim(e->label).n == 0) {
            fail(d, e->place, "this edge has no label to name its input");
            continue;
        }
        for (Text rest = e->label, line; rest.n > 0;) {
            line = first_line(rest, &rest);
            const Part part = split_edge(d, line, m->has_chances);
            const Text name = part.input;
            uint32_t input = names_find(&d->draft.inputs, name);
            if (input == NAMES_NONE) input = draft_add_input(&d->draft, name, e->place);
            const uint32_t output = m->is_mealy && part.has_output ? draft_add_output(&d->draft, part.output)
                                                                   : MACHINE_NONE;
            vec_push(d->arena, &steps,
                     (Step){ d->nodes.items[e->from].state, input, d->nodes.items[e->to].state, output,
                             part.chance, e->place });
        }
    }
    if (steps.n > 1) qsort(steps.items, steps.n, sizeof *steps.items, compare_steps);
    *n = steps.n;
    return steps.items;
}

static void fill_steps(Dot *d, const Meaning *m, const Step *steps, size_t n)
{
    VEC(DraftBranch) branches = { 0 };
    for (size_t i = 0, end; i < n; i = end) {
        const Step *s = &steps[i];
        for (end = i + 1; end < n && steps[end].state == s->state && steps[end].input == s->input; end++)
            continue;
        const size_t one = m->has_chances ? end - i : 1;
        for (size_t k = i; k < end; k += one) {
            const uint32_t source = draft_source(&d->draft, steps[k].place, DRAFT_NAMED);
            branches.n = 0;
            for (size_t b = k; b < k + one; b++)
                vec_push(d->arena, &branches, (DraftBranch){ steps[b].to, steps[b].chance });
            draft_move(&d->draft, s->state, s->input, branches.items, branches.n, source);
            if (steps[k].output != MACHINE_NONE)
                draft_set_output(&d->draft, s->state, s->input, steps[k].output, source);
            for (size_t b = k; b < k + one; b++)
                if (steps[b].output != steps[k].output)
                    fail(d, steps[b].place, "the outputs of one state and input differ");
        }
    }
}

static void fill_outputs(Dot *d, const Meaning *m)
{
    for (size_t i = 0; i < d->nodes.n; i++) {
        const Node *n = &d->nodes.items[i];
        if (n->is_start || !(n->has_output || m->is_acceptor)) continue;
        const Text output = !m->is_acceptor ? n->output : n->is_double ? TEXT("accepted") : TEXT("rejected");
        if (output.n > 0)
            draft_set_output(&d->draft, n->state, 0, draft_add_output(&d->draft, output),
                             draft_source(&d->draft, n->place, DRAFT_NAMED));
    }
}

Machine *machine_read_dot(Arena *arena, Text text, uint32_t file, const char *name, orr_diag *diag)
{
    Dot d = { .arena = arena, .diag = diag, .text = text, .file = file };
    names_init(&d.ids, arena);
    const Text title = read_graph(&d);
    if (d.failed) return NULL;
    const Meaning m = interpret(&d);
    if (d.failed) return NULL;
    const bool is_named = title.n > 0 && !text_is(title, "g") && !text_is(title, "G");
    draft_begin(&d.draft, arena, is_named ? text_copy(arena, title) : name, (Place){ file, 0, 0 }, diag);
    d.draft.advice_before = "add an edge with the label ";
    d.draft.advice_behind = m.is_mealy ? "/OUTPUT" : "";
    d.draft.advice_output = "label the node NAME|OUTPUT";
    add_states(&d, &m);
    size_t n_steps;
    const Step *steps = gather_steps(&d, &m, &n_steps);
    if (d.failed || !d.draft.ok || !draft_seal(&d.draft, m.is_mealy ? MACHINE_MEALY : MACHINE_MOORE))
        return NULL;
    fill_steps(&d, &m, steps, n_steps);
    if (!m.is_mealy) fill_outputs(&d, &m);
    const uint32_t start = m.start_node == UINT32_MAX ? MACHINE_NONE : d.nodes.items[m.start_node].state;
    Machine *machine = draft_finish(&d.draft, start);
    return d.failed ? NULL : machine;
}

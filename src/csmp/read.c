// src/csmp/read.c: CSMP block diagrams, line by line.
//
//     ; Circle test                     model circle
//     $endtime = 100                      b1 = INTEG(b3, 0)
//     $timestep = ?                       b2 = INTEG(b1, 1)
//     $comminterval = 1.5         →       b3 = -b2
//     I, 1, 0, 3                          output b5 = b2
//     I, 2, 1, 1                        end
//     -, 3, 2                           experiment csmp of circle
//     O, 5, 2                             from 0; until 100; solver euler; record b5 every 1.5
//
// Lines come in any order. Here they are only collected, each checked as far as it can be alone; build.c
// makes the model of them. A line with an error is reported and left out, and the next one is read.
#include "base/map.h"
#include "base/number.h"
#include "csmp/diagram.h"
#include "csmp/rule.h"
#include "lang/frontend.h"
#include <ctype.h>
#include <math.h>

enum { QUOTE_BYTES = 48, KIND_BYTES = 16 };

const char *const csmp_setting_names[CSMP_N_SETTINGS] = {
    [CSMP_ENDTIME] = "$endtime",     [CSMP_TIMESTEP] = "$timestep", [CSMP_COMMINTERVAL] = "$comminterval",
    [CSMP_STARTTIME] = "$starttime", [CSMP_TITLE] = "$title",       [CSMP_UNTIL] = "$until",
};

static Place place_at(const CsmpDiagram *d, Text part)
{
    return (Place){ d->file, (uint32_t)(part.p - d->text.p), (uint32_t)part.n };
}

// A copy fit for a message: not too long, never cut inside a character.
static const char *quote(Text text, char out[QUOTE_BYTES])
{
    size_t n = text.n;
    const bool cut = n >= QUOTE_BYTES;
    if (cut) {
        n = QUOTE_BYTES - 4;
        while (n > 0 && ((unsigned char)text.p[n] & 0xC0) == 0x80) n--;
    }
    memcpy(out, text.p, n);
    strcpy(out + n, cut ? "..." : "");
    return out;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

static Text trim(Text a)
{
    while (a.n > 0 && is_space(a.p[0])) a = text_part(a, 1, a.n);
    while (a.n > 0 && is_space(a.p[a.n - 1])) a.n--;
    return a;
}

// Cut the text before the first `c` off *rest; all of it if there is none.
static Text cut_at(Text *rest, char c)
{
    const char *at = rest->n > 0 ? memchr(rest->p, c, rest->n) : NULL;
    Text head = *rest;
    if (at) {
        head.n = (size_t)(at - rest->p);
        *rest = text_part(*rest, head.n + 1, rest->n);
    } else {
        *rest = (Text){ rest->p + rest->n, 0 };
    }
    return head;
}

// ---- Kinds

static void learn_kinds(CsmpDiagram *d)
{
    text_map_init(&d->kinds, &d->arena);
    for (uint32_t i = 0; i < csmp_n_blocks; i++) {
        d->shapes[i] = csmp_shape(&csmp_blocks[i]);
        text_map_put(&d->kinds, text_from(csmp_blocks[i].name), i);
        Text synonyms = text_from(csmp_blocks[i].synonyms);
        while (synonyms.n > 0) text_map_put(&d->kinds, cut_at(&synonyms, ' '), i);
    }
}

// The number of a kind, or csmp_n_blocks.
static uint32_t find_kind(const CsmpDiagram *d, Text name)
{
    char capitals[KIND_BYTES];
    if (name.n == 0 || name.n > sizeof capitals) return (uint32_t)csmp_n_blocks;
    for (size_t i = 0; i < name.n; i++) {
        const char c = name.p[i];
        capitals[i] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    const uint32_t *kind = text_map_find(&d->kinds, (Text){ capitals, name.n });
    return kind ? *kind : (uint32_t)csmp_n_blocks;
}

static void report_unknown_kind(CsmpDiagram *d, Text name)
{
    char word[QUOTE_BYTES];
    diagram_complain(d, DIAG_CSMP_BLOCK_UNKNOWN, place_at(d, name), quote(name, word));
    const char *names[CSMP_KINDS_MAX];
    for (size_t i = 0; i < csmp_n_blocks; i++) names[i] = csmp_blocks[i].name;
    if (!diag_suggest(d->diag, word, name.n > 1 ? text_closest(word, names, csmp_n_blocks) : NULL))
        diag_hint(d->diag, "W + I - X / K O and named ones such as SIN; `orrery blocks` lists them all");
}

// ---- Blocks

// A whole number from 1 to CSMP_NUMBER_MAX, or 0.
static uint32_t read_block_number(Text text)
{
    uint32_t number = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9') return 0;
        number = number * 10 + (uint32_t)(text.p[i] - '0');
        if (number > CSMP_NUMBER_MAX) return 0;
    }
    return number;
}

static void read_argument(CsmpDiagram *d, uint32_t kind, size_t i, Text text)
{
    const CsmpShape *shape = &d->shapes[kind];
    const uint32_t slot = csmp_shape_slot(shape, i);
    CsmpArgument arg = { .offset = (uint32_t)(text.p - d->text.p), .length = (uint32_t)text.n };
    double value;
    const bool is_number = number_parse(text, &value) && isfinite(value);
    if (shape->is_input[slot]) arg.number = read_block_number(text);
    else arg.value = value;

    char name[QUOTE_BYTES], word[QUOTE_BYTES];
    quote(shape->names[slot], name);
    quote(text, word);
    if (shape->is_input[slot] && arg.number == 0) {
        diagram_complain(d, DIAG_CSMP_INPUT, place_at(d, text), name, word);
        if (is_number) diag_hint(d->diag, "a number comes in through a K block: K, n, %s", word);
        else diag_hint(d->diag, "inputs are the numbers of the blocks they come from");
    } else if (!shape->is_input[slot] && !is_number) {
        diagram_complain(d, DIAG_CSMP_PARAMETER, place_at(d, text), name, word);
        diag_hint(d->diag, "write a number such as 2.5 or 1e-3");
    }
    vec_push(&d->arena, &d->args, arg);
}

// "2, 4 or 6 arguments after its number"
static const char *describe_counts(CsmpDiagram *d, const CsmpShape *shape)
{
    if (shape->n == 0) return "no arguments after its number";
    StrBuf s = { .arena = &d->arena };
    uint32_t left = 0;
    for (uint32_t i = 0; i <= shape->n; i++) left += shape->may_end[i];
    for (uint32_t i = 0; i <= shape->n; i++) {
        if (!shape->may_end[i]) continue;
        left--;
        str_addf(&s, "%u%s", i, left == 0 ? "" : left == 1 && !shape->repeat ? " or " : ", ");
    }
    if (shape->repeat) str_add(&s, ", ...");
    str_addf(&s, " argument%s after its number", shape->n == 1 ? "" : "s");
    return str_finish(&s);
}

static void report_counts(CsmpDiagram *d, Text statement, uint32_t kind, size_t n_args)
{
    const CsmpBlock *block = &csmp_blocks[kind];
    diagram_complain(d, DIAG_CSMP_ARGUMENTS, place_at(d, statement), block->name,
                     describe_counts(d, &d->shapes[kind]), n_args);
    const bool no_start = block->role == CSMP_STATE && n_args + 1 == d->shapes[kind].n;
    const bool many = n_args > d->shapes[kind].n && d->shapes[kind].n == 6;
    diag_hint(d->diag, "%swrite %s%s", no_start ? "an integral needs its initial condition: " : "",
              block->form, many ? ", and add further terms with a second block" : "");
}

static void report_garbage(CsmpDiagram *d, Text statement)
{
    char word[QUOTE_BYTES];
    const Text first = text_part(statement, 0, strcspn(quote(statement, word), " \t"));
    diagram_complain(d, DIAG_CSMP_LINE, place_at(d, statement));
    if (strchr("#*/!%", statement.p[0]) && !memchr(statement.p, ',', statement.n)) {
        diag_hint(d->diag, "a comment starts with ;");
    } else if (find_kind(d, first) < csmp_n_blocks) {
        diag_hint(d->diag, "commas are missing: write %s", csmp_blocks[find_kind(d, first)].form);
    } else {
        diag_hint(d->diag,
                  "a block is written as I, 1, 0, 3, a setting as $endtime = 10, a comment starts with ;");
    }
}

// Parameters that are numbers may still make no sense together.
static void check_values(CsmpDiagram *d, Text statement, const CsmpLine *line)
{
    const CsmpBlock *block = &csmp_blocks[line->kind];
    const CsmpShape *shape = &d->shapes[line->kind];
    const CsmpArgument *args = &d->args.items[line->first_arg];
    if (block->needs[0]) {
        double values[CSMP_SHAPE_MAX];
        for (uint32_t i = 0; i < shape->n; i++)
            values[i] = i < line->n_args && !shape->is_input[i] ? args[i].value : NAN;
        const Text unmet = csmp_rule_unmet(block, shape, values);
        if (unmet.n > 0) {
            diagram_complain(d, DIAG_CSMP_NEEDS, place_at(d, statement), block->name, (int)unmet.n, unmet.p);
            diag_hint(d->diag, "for example %s", block->example);
        }
    }
    // the points of a function must ascend
    for (uint32_t k = 3; shape->repeat && k < line->n_args; k += 2) {
        if (args[k - 2].value < args[k].value) continue;
        char name[QUOTE_BYTES], earlier[NUMBER_MAX], later[NUMBER_MAX], text[QUOTE_BYTES + 2 * NUMBER_MAX];
        snprintf(name, sizeof name, "block %u", line->number);
        snprintf(text, sizeof text, "x must ascend, but %s follows %s", number_text(args[k].value, later),
                 number_text(args[k - 2].value, earlier));
        diagram_complain(d, DIAG_TABLE_BAD, ((Place){ d->file, args[k].offset, args[k].length }), name, text);
        diag_hint(d->diag, "put the points x, y in order of x");
        break;
    }
}

static void read_block(CsmpDiagram *d, Text statement, Text comment)
{
    if (!memchr(statement.p, ',', statement.n)) {
        report_garbage(d, statement);
        return;
    }
    const bool was_ok = d->ok;
    d->ok = true;    // of this line
    CsmpLine line = {
        .offset = (uint32_t)(statement.p - d->text.p),
        .length = (uint32_t)statement.n,
        .comment_offset = (uint32_t)(comment.p - d->text.p),
        .comment_length = (uint32_t)comment.n,
        .first_arg = (uint32_t)d->args.n,
    };
    Text rest = statement;
    const Text name = trim(cut_at(&rest, ','));
    line.kind = find_kind(d, name);
    const bool known = line.kind < csmp_n_blocks;
    if (!known) report_unknown_kind(d, name);

    bool more = memchr(rest.p, ',', rest.n) != NULL;
    const Text number = trim(cut_at(&rest, ','));
    line.number = read_block_number(number);
    line.number_offset = (uint32_t)(number.p - d->text.p);
    line.number_length = (uint32_t)number.n;
    if (line.number == 0) {
        char word[QUOTE_BYTES];
        diagram_complain(d, DIAG_CSMP_BLOCK_NUMBER, place_at(d, number), (long long)CSMP_NUMBER_MAX,
                         quote(number, word));
        if (known) diag_hint(d->diag, "for example %s", csmp_blocks[line.kind].example);
    }

    // arguments are counted first: what is wrong with one that should not be there helps nobody
    size_t n_args = more;
    for (size_t i = 0; more && i < rest.n; i++) n_args += rest.p[i] == ',';
    if (known && !csmp_shape_allows(&d->shapes[line.kind], n_args))
        report_counts(d, statement, line.kind, n_args);
    else if (known)
        for (size_t i = 0; i < n_args; i++) read_argument(d, line.kind, i, trim(cut_at(&rest, ',')));
    line.n_args = (uint32_t)n_args;
    if (d->ok) check_values(d, statement, &line);

    if (d->ok) {
        vec_push(&d->arena, &d->lines, line);
    } else if (line.number) {
        // it stands here, however wrong: nobody is told that it is missing
        vec_push(&d->arena, &d->broken, line.number);
        d->args.n = line.first_arg;
    }
    d->ok = d->ok && was_ok;
}

// ---- Settings

static bool same_letters(Text a, const char *b)
{
    if (a.n != strlen(b)) return false;
    for (size_t i = 0; i < a.n; i++)
        if (tolower((unsigned char)a.p[i]) != b[i]) return false;
    return true;
}

static void read_setting(CsmpDiagram *d, Text statement)
{
    char word[QUOTE_BYTES];
    Text rest = statement;
    const bool has_value = memchr(statement.p, '=', statement.n) != NULL;
    const Text name = trim(cut_at(&rest, '='));
    const Text value = trim(rest);
    int which = 0;
    while (which < CSMP_N_SETTINGS && !same_letters(name, csmp_setting_names[which])) which++;
    if (which == CSMP_N_SETTINGS) {
        diagram_complain(d, DIAG_CSMP_SETTING_UNKNOWN, place_at(d, name), quote(name, word));
        if (!diag_suggest(d->diag, word, text_closest(word, csmp_setting_names, CSMP_N_SETTINGS)))
            diag_hint(d->diag, "known are $endtime, $until, $timestep, $comminterval, $starttime and $title");
        return;
    }
    CsmpSetting *setting = &d->settings[which];
    if (setting->is_given) {
        diagram_complain(d, DIAG_STATEMENT_TWICE, place_at(d, name), csmp_setting_names[which]);
        diag_hint(d->diag, "keep one of the two");
        diag_note(d->diag, setting->place, "the first is here");
        return;
    }
    setting->is_given = true;
    setting->place = value.n > 0 ? place_at(d, value) : place_at(d, statement);
    setting->text = value;
    if ((which == CSMP_TITLE || which == CSMP_UNTIL) && has_value && value.n > 0) return;
    if (which == CSMP_TIMESTEP && text_is(value, "?")) {
        setting->is_asked = true;
        return;
    }
    const bool positive = which == CSMP_TIMESTEP || which == CSMP_COMMINTERVAL;
    if (!number_parse(value, &setting->value) || !isfinite(setting->value) ||
        (positive && setting->value <= 0)) {
        diagram_complain(d, DIAG_CSMP_SETTING_VALUE, setting->place, csmp_setting_names[which],
                         which == CSMP_TITLE   ? "a text"
                         : which == CSMP_UNTIL ? "a condition"
                         : positive          ? "a positive number"
                                             : "a finite number",
                         quote(value, word));
        if (text_is(value, "?")) diag_hint(d->diag, "only $timestep may be left to the user with '?'");
        else
            diag_hint(d->diag, "write %s = %s", csmp_setting_names[which],
                      which == CSMP_TITLE   ? "Circle test"
                      : which == CSMP_UNTIL ? "b2 < 0.01"
                                            : "1.5");
    }
}

// ---- The whole file

static void read_lines(CsmpDiagram *d)
{
    // room at once, so that nothing is copied while a long file grows; a block has at least two commas
    size_t n_lines = 1, n_commas = 0;
    for (size_t i = 0; i < d->text.n; i++) {
        n_lines += d->text.p[i] == '\n';
        n_commas += d->text.p[i] == ',';
    }
    vec_reserve(&d->arena, &d->lines, n_lines < n_commas ? n_lines : n_commas);
    vec_reserve(&d->arena, &d->args, n_commas);

    size_t at = d->text.n >= 3 && memcmp(d->text.p, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;    // a byte order mark
    while (at < d->text.n) {
        size_t end = at, comment = SIZE_MAX;
        for (; end < d->text.n && d->text.p[end] != '\n' && d->text.p[end] != '\r'; end++)
            if (d->text.p[end] == ';' && comment == SIZE_MAX) comment = end;
        const Text statement = trim(text_part(d->text, at, comment == SIZE_MAX ? end : comment));
        const Text behind = comment == SIZE_MAX ? text_part(d->text, end, end)
                                                : trim(text_part(d->text, comment + 1, end));
        at = end + 1;
        if (statement.n == 0) continue;
        if (statement.p[0] == '$') read_setting(d, statement);
        else read_block(d, statement, behind);
    }
}

static bool parse(Ast *ast, uint32_t file, const char *path, const char *text, size_t n, orr_diag *diag)
{
    CsmpDiagram d = { .text = { text, n }, .file = file, .diag = diag, .ok = true };
    learn_kinds(&d);
    read_lines(&d);
    diagram_build(&d, ast, path);
    arena_free(&d.arena);
    return d.ok;
}

const FrontEnd frontend_csmp = { .name = "csmp", .suffix = ".csmp", .parse = parse };

// src/exp/words.c: words that several kinds of experiment share, and what a command line does with words.
#include "exp/data.h"
#include "exp/kind.h"
#include "run/run.h"
#include "solve/solver.h"
#include "source/source.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// An experiment that is being changed.
typedef struct Change {
    orr_source     *source;
    Arena          *arena;       // of the source
    orr_experiment *experiment;
    orr_diag       *diag;
    VEC(orr_setting) settings;
    VEC(orr_input)  inputs;      // of the command line
    VEC(orr_send)   sends;       // likewise
    VEC(orr_measurement) observations;
    VEC(orr_island_solver) islands;
    VEC(orr_value)  values;
    VEC(char *)     heap;        // texts on the heap, to be copied
    double          wait;        // NaN: not given
    bool            is_other;    // another question
} Change;

static bool wrong(Change *c, const char *code, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool wrong(Change *c, const char *code, const char *hint, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    orr_diag_add(c->diag, code, text, hint);
    return false;
}

// ---------------------------------------------------------------------------------------------- single words

static const char *kept(Change *c, Text text)
{
    const Text trimmed = text_trim(text);
    return arena_copy_text(c->arena, trimmed.p, trimmed.n);
}

// a, b[2,3], c: a comma inside brackets belongs to the name.
static const char *const *split(Change *c, const char *text, size_t *n)
{
    VEC(const char *) names = { 0 };
    int depth = 0;
    const char *start = text;
    for (const char *p = text;; p++) {
        if (*p == '[') depth++;
        if (*p == ']') depth--;
        if (*p && (*p != ',' || depth > 0)) continue;
        const char *name = kept(c, (Text){ start, (size_t)(p - start) });
        if (*name) vec_push(c->arena, &names, name);
        start = p + 1;
        if (!*p) break;
    }
    *n = names.n;
    return names.items;
}

static bool read_number(Change *c, const orr_keyword *word, const char *text, double *number);

static bool give_set(Change *c, const char *text)
{
    const char *equals = strchr(text, '=');
    if (strchr(text, '~')) return true;    // a draw of each replication, see chance.h
    if (!equals || equals == text)
        return wrong(c, "E022", "write --set NAME=VALUE, such as --set K=2.5",
                     "option '--set' needs NAME=VALUE, not '%s'", text);
    orr_setting setting = { .name = kept(c, (Text){ text, (size_t)(equals - text) }) };
    if (!orr_parse_number(equals + 1, &setting.value))
        return wrong(c, "E407", "write a number such as 0.01 or 1e-6",
                     "'%s' cannot be set to '%s': not a number", setting.name, equals + 1);
    vec_push(c->arena, &c->settings, setting);
    return true;
}

static bool give_input(Change *c, const char *text)
{
    char *memory = NULL;
    orr_input input;
    const bool ok = orr_input_read(arena_copy_text(c->arena, text, strlen(text)), &input, &memory, c->diag);
    vec_push(c->arena, &c->heap, memory);
    if (ok) vec_push(c->arena, &c->inputs, input);
    return ok;
}

// NAME=SOLVER:OPTION=VALUE:…
static bool give_island(Change *c, const char *text)
{
    const char *equals = strchr(text, '='), *colon = strchr(text, ':');
    orr_island_solver island = { 0 };
    const struct {
        const char *name;
        double     *value;
    } options[] = {
        { "step", &island.step },       { "tol", &island.tolerance },
        { "abs", &island.absolute },    { "max", &island.max_step },
        { "quantum", &island.quantum }, { "relative", &island.relative_quantum },
        { "min", &island.least_quantum },
    };
    enum { N = sizeof options / sizeof *options };
    const char *const hint = "write --island NAME=SOLVER, such as --island a=qss2:quantum=1e-3";
    if (!equals || equals == text || (colon && colon < equals))
        return wrong(c, "E022", hint, "option '--island' needs NAME=SOLVER, not '%s'", text);
    island.island = kept(c, (Text){ text, (size_t)(equals - text) });
    island.solver = kept(c, (Text){ equals + 1, strcspn(equals + 1, ":") });
    while (colon) {
        const char *word = colon + 1;
        const size_t n = strcspn(word, "=:");
        size_t i = 0;
        while (i < N && (strlen(options[i].name) != n || strncmp(options[i].name, word, n) != 0)) i++;
        const char *value = word[n] == '=' ? kept(c, (Text){ word + n + 1, strcspn(word + n + 1, ":") }) : "";
        if (i == N)
            return wrong(c, "E022", "there are step, tol, abs, max, quantum, relative and min",
                         "'%.*s' is no option of an island", (int)n, word);
        if (!orr_parse_number(value, options[i].value) || !(*options[i].value > 0))
            return wrong(c, "E022", hint, "'%s' of island '%s' needs a positive number, not '%s'",
                         options[i].name, island.island, value);
        colon = strchr(word, ':');
    }
    vec_push(c->arena, &c->islands, island);
    return true;
}

static bool give_output(Change *c, const char *text)
{
    char *memory = NULL;
    orr_send send;
    const bool ok = orr_send_read(text, &send, &memory, c->diag);
    vec_push(c->arena, &c->heap, memory);
    if (ok) vec_push(c->arena, &c->sends, send);
    return ok;
}

static bool give_observe(Change *c, const char *text)
{
    orr_measurement x;
    if (!observation_read(c->source, c->experiment, c->observations.items, c->observations.n, text, &x,
                          c->diag))
        return false;
    vec_push(c->arena, &c->observations, x);
    return true;
}

static bool give_until(Change *c, const char *text)
{
    double time;
    const orr_keyword word = { .name = "until" };
    if (strpbrk(text, "<>")) return until_read(c->source, c->experiment, text, c->diag);
    if (!read_number(c, &word, text, &time)) return false;
    return until_read(c->source, c->experiment, text, c->diag);
}

// x=measured.csv:position:sd
static bool give_data(Change *c, const char *text)
{
    const char *equals = strchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
    if (!equals || equals == text || !colon)
        return wrong(c, "E022", "write --data x=measured.csv:position or x=measured.csv:position:sd",
                     "option '--data' needs NAME=FILE:COLUMN, not '%s'", text);
    const char *next = strchr(colon + 1, ':');
    orr_experiment *e = c->experiment;
    orr_data *all = ARENA_ARRAY(c->arena, orr_data, e->n_data + 1);
    if (e->n_data) memcpy(all, e->data, e->n_data * sizeof *all);
    all[e->n_data++] = (orr_data){
        .variable = kept(c, (Text){ text, (size_t)(equals - text) }),
        .path = kept(c, (Text){ equals + 1, (size_t)(colon - equals - 1) }),
        .column = kept(c, (Text){ colon + 1, next ? (size_t)(next - colon - 1) : strlen(colon + 1) }),
        .column_deviation = next ? kept(c, text_from(next + 1)) : NULL,
        .deviation = NAN,
    };
    e->data = all;
    return true;
}

static bool give_record(Change *c, const char *text)
{
    c->experiment->records = split(c, text, &c->experiment->n_records);
    return true;
}

static bool give_precise(Change *c, const char *text)
{
    c->experiment->precise = split(c, text, &c->experiment->n_precise);
    return true;
}

static bool give_update(Change *c, const char *text)
{
    const bool in_place = strcmp(text, "in-place") == 0;
    const char *method = in_place ? "semi-implicit euler" : "euler";
    const orr_value *solver = NULL;
    for (size_t i = 0; i < c->values.n; i++)
        if (strcmp(c->values.items[i].word, "solver") == 0) solver = &c->values.items[i];
    if (solver && strcmp(solver->text, method) != 0)
        return wrong(c, "E025", "--update chooses between the two ways of an Euler step",
                     "'--solver %s' and '--update %s' exclude each other", solver->text, text);
    c->experiment->run.solver = method;
    return true;
}

// ---------------------------------------------------------------------------------------------- the table

enum { IS_OTHER = 1, IS_SIZE = 2, IS_WHOLE = 4 };    // what a word does: asks another question; a size_t; a
                                                      // uint64_t
#define NOWHERE ((size_t)-1)    // among the values of the experiment only
#define AT(field) offsetof(orr_experiment, field)
#define POSITIVE(code_, called_, hint_) .code = (code_), .called = (called_), .hint = (hint_)

typedef struct Shared {
    orr_keyword word;
    size_t   at;                                   // of its field
    unsigned does;
    bool   (*give)(Change *change, const char *text);    // instead; NULL: into its field
} Shared;

static const Shared shared[] = {
    { WORD("set", LIST, "NAME=VALUE", "parameter (sizes too), input or initial value; may be repeated"),
      NOWHERE, IS_OTHER, give_set },
    { WORD("reactions", TEXT, "equations|events",
        "how 'reaction' is read: as rates of change (default), or as events at random",
        .choices = "equations|events", .hint = "equations are the mean of many, events count one by one"),
      AT(reactions), IS_OTHER, NULL },
    { WORD("input", LIST, "NAME=SOURCE",
        "what an input follows: FILE:COLUMN:linear, -, udp:PORT, …; see 'orrery run --help'",
        .is_private = true),
      NOWHERE, IS_OTHER, give_input },
    { WORD("output", LIST, "NAME=TARGET",
        "send values as they are computed: -, FILE, udp:PORT, …; see below", .is_private = true),
      NOWHERE, 0, give_output },
    { WORD("allow-io", FLAG, NULL, "sockets, networks and files outside the model's folder may be used",
           .is_private = true),
      AT(run.allow_io), 0, NULL },
    { WORD("realtime", FACTOR, "[FACTOR]", "keep pace with the clock, or FACTOR times as fast",
        .low = 1e-9, .high = 1e9, .hint = "1 is real time, 2 twice as fast", .is_private = true),
      AT(realtime), 0, NULL },
    { WORD("wait", NUMBER, "S", "longest wait for a value from a socket (default: 10 s)",
        POSITIVE("E022", "--wait", "give seconds, such as --wait 60"), .is_private = true),
      NOWHERE, 0, NULL },
    { WORD("until", TEXT, "T", "end of the run: a time, or 'x < 0.01 or t >= 100'", .is_time = true),
      NOWHERE, IS_OTHER, give_until },
    { WORD("from", NUMBER, "T", "start of the run (default: 0)", .is_time = true), AT(from), IS_OTHER, NULL },
    { WORD("solver", TEXT, "S", "method; 'orrery solvers' lists them (default: auto)"),
      AT(run.solver), 0, NULL },
    { WORD("step", NUMBER, "H", "step of fixed-step solvers, first step of the others",
        POSITIVE("E409", "step", "give one such as --step 0.01"), .is_time = true),
      AT(run.step), 0, NULL },
    { WORD("path", NUMBER, "H",
        "of models with noise: steps of the Brownian paths, a whole part of --step",
        POSITIVE("E409", "step of paths", "give one such as --path 0.001"), .is_time = true),
      AT(run.path), 0, NULL },
    { WORD("tol", NUMBER, "R", "relative tolerance (default: 1e-6)",
        POSITIVE("E415", "tolerance", "give one such as --tol 1e-8")),
      AT(run.tolerance), 0, NULL },
    { WORD("abs", NUMBER, "A", "absolute tolerance (default: --tol/1000 times the size of each state)",
        POSITIVE("E415", "tolerance", "give one such as --abs 1e-10")),
      AT(run.absolute), 0, NULL },
    { WORD("max-step", NUMBER, "H", "largest step of solvers that choose it",
        POSITIVE("E409", "largest step", "leave --max-step out for no limit"), .is_time = true),
      AT(run.max_step), 0, NULL },
    { WORD("quantum", NUMBER, "Q", "of solvers of quantised states: qss1, qss2, …",
        POSITIVE("E417", "quantum", "give one such as --quantum 1e-4")),
      AT(run.quantum), 0, NULL },
    { WORD("island", LIST, "NAME=SOLVER",
        "solver of one island, with options: a=qss2:quantum=1e-3; may be repeated"),
      NOWHERE, 0, give_island },
    { WORD("update", TEXT, "MODE", "synchronous or in-place (semi-implicit Euler)",
        .choices = "synchronous|in-place",
        .hint = "synchronous is explicit Euler, in-place semi-implicit Euler"),
      NOWHERE, 0, give_update },
    { WORD("every", NUMBER, "DT", "record at this interval; 0: every step", .is_time = true),
      AT(every), 0, NULL },
    { WORD("record", NAMES, "A,B", "what to record (default: the outputs, or the states)"),
      NOWHERE, 0, give_record },
    { WORD("observe", LIST, "WHAT",
        "measure it: 'max of x from 2 to 5', 'x at 3', 'time when x > 1', 'p95 of x', …; may be repeated"),
      NOWHERE, 0, give_observe },
    { WORD("data", LIST, "NAME=FILE:COLUMN", "what was measured: x=measured.csv:position, or …:position:sd",
           .is_private = true),
      NOWHERE, 0, give_data },
    { WORD("seed", COUNT, "N", "what is drawn at random depends on it (default: 1)",
        .high = 0x1p53, .hint = "any whole number from 0 to 2^53, such as --seed 7"),
      AT(run.seed), IS_OTHER | IS_WHOLE, NULL },
    { WORD("run", COUNT, "I", "number of the run: that of a replication, from 0 (default: 0)",
        .high = 0x1p53, .hint = "replications are counted from 0", .is_private = true),
      AT(run.number), IS_OTHER | IS_WHOLE, NULL },
    { WORD("max-time", NUMBER, "S", "end after so many seconds on the clock; what is complete is kept",
        POSITIVE("E022", "limit of time", "give seconds, such as --max-time 60"), .is_private = true),
      NOWHERE, 0, NULL },
    { WORD("checkpoint", TEXT, "FILE",
        "save the run to this file, at the end or as often as --checkpoint-every says", .is_private = true),
      AT(checkpoint), 0, NULL },
    { WORD("checkpoint-every", NUMBER, "DT", "save it at this interval of the model's time",
        POSITIVE("E022", "--checkpoint-every", "give an interval of the model's time"), .is_private = true),
      AT(checkpoint_every), 0, NULL },
    { WORD("resume", TEXT, "FILE",
        "go on where this checkpoint was written; settings must be the same", .is_private = true),
      AT(resume), IS_OTHER, NULL },
    { WORD("replications", COUNT, "N", "how often (default: as the experiment says, or 10)",
        .low = 2, .high = ORR_REPLICATIONS_MAX, .hint = "from 2 on"),
      AT(replications), IS_OTHER | IS_SIZE, NULL },
    { WORD("sampling", TEXT, "random|latin|sobol",
        "how what is set by chance is drawn: at random, a Latin hypercube, a Sobol' sequence",
        .choices = "random|latin|sobol", .hint = "latin and sobol fill the ranges evenly"),
      NOWHERE, IS_OTHER, NULL },
    { WORD("correlation", LIST, "A,B=R", "of two things that are drawn: K,M=0.5; may be repeated"),
      NOWHERE, IS_OTHER, NULL },
    { WORD("warm-up", NUMBER, "T", "rows of the first T do not count", .high = 1e300,
        .hint = "it is a time", .is_time = true),
      AT(warm_up), 0, NULL },
    { WORD("precision", NUMBER, "P", "go on until half of each interval is at most P of its mean",
        .low = 1e-9, .high = 1, .hint = "a part of the mean, such as 0.05"),
      AT(precision), IS_OTHER, NULL },
    { WORD("precise", NAMES, "A,B",
        "what must be precise: x at the end, mean(x) of its rows (default: all)"),
      NOWHERE, 0, give_precise },
    { WORD("confidence", NUMBER, "C", "of the intervals (default: 0.95)", .low = 0.01, .high = 0.999999,
        .hint = "a probability, such as 0.95"),
      AT(confidence), 0, NULL },
    { WORD("threads", COUNT, "N", "threads (default: one for each processor)",
        POSITIVE("E022", "number of threads", "give one such as --threads 2"), .is_private = true),
      NOWHERE, 0, NULL },
    { WORD("lanes", TEXT, "auto|never|always", "runs side by side in vector instructions",
        .choices = "auto|never|always", .hint = "auto uses them when they pay", .is_private = true),
      NOWHERE, 0, NULL },
    { WORD("statistics", TEXT, "FILE",
        "write the statistics asked for as CSV (default: beside -o, FILE-statistics.csv)",
        .is_private = true),
      NOWHERE, 0, NULL },
    { WORD("starts", COUNT, "N", "starting points to try (default: 20)",
        POSITIVE("E022", "number of starting points", "give one such as --starts 50")),
      NOWHERE, 0, NULL },
};
enum { N_SHARED = sizeof shared / sizeof *shared };

static const Shared *shared_of(const orr_keyword *word)
{
    for (size_t i = 0; i < N_SHARED; i++)
        if (&shared[i].word == word) return &shared[i];
    return NULL;
}

// Is it one of "from until every"?
static bool is_listed(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = list; (p = strstr(p, name)); p += n)
        if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0')) return true;
    return false;
}

const orr_keyword *orr_kind_word_at(const orr_kind_info *kind, size_t i)
{
    if (i < kind->n_words) return &kind->words[i];
    i -= kind->n_words;
    for (size_t k = 0; k < N_SHARED; k++)
        if (is_listed(kind->shared, shared[k].word.name) && i-- == 0) return &shared[k].word;
    return NULL;
}

const orr_keyword *orr_kind_word(const orr_kind_info *kind, const char *name)
{
    const orr_keyword *word;
    for (size_t i = 0; (word = orr_kind_word_at(kind, i)); i++)
        if (strcmp(word->name, name) == 0) return word;
    return NULL;
}

// ---------------------------------------------------------------------------------------------- values

static bool is_choice(const char *choices, const char *text)
{
    const size_t n = strlen(text);
    for (const char *p = choices; p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
        if (strcspn(p, "|") == n && strncmp(p, text, n) == 0) return true;
    return false;
}

// "a, b or c"
static const char *list_choices(Change *c, const char *choices)
{
    StrBuf s = { .arena = c->arena };
    for (const char *p = choices, *bar; *p; p = *bar ? bar + 1 : bar) {
        bar = p + strcspn(p, "|");
        if (p != choices) str_add(&s, *bar ? ", " : " or ");
        str_add_text(&s, (Text){ p, (size_t)(bar - p) });
    }
    return str_finish(&s);
}

static bool read_number(Change *c, const orr_keyword *word, const char *text, double *number)
{
    char shown[40];
    if (!orr_parse_number(text, number) || !isfinite(*number))
        return wrong(c, "E022", "write a number such as 0.01 or 1e-6",
                     "option '--%s' needs a number, not '%s'", word->name, text);
    orr_format_number(*number, shown);
    if (word->called && !(*number > 0))
        return wrong(c, word->code, word->hint, "%s %s is not a positive number", word->called, shown);
    const bool has_bounds = word->low != 0 || word->high != 0;
    const bool is_whole = word->type != ORR_WORD_COUNT || *number == floor(*number);
    if (is_whole && (!has_bounds || (*number >= word->low && *number <= word->high))) return true;
    const char *what = word->type == ORR_WORD_COUNT    ? "a whole number"
                       : word->type == ORR_WORD_FACTOR ? "a positive number"
                                                       : "a number";
    return wrong(c, "E022", word->hint, "option '--%s' needs %s, not '%s'", word->name, what, shown);
}

static void store(const Shared *s, orr_experiment *e, const orr_value *value)
{
    char *field = (char *)e + s->at;
    if (s->word.type == ORR_WORD_FLAG) *(bool *)(void *)field = true;
    else if (s->word.type == ORR_WORD_TEXT) *(const char **)(void *)field = value->text;
    else if (s->does & IS_WHOLE) *(uint64_t *)(void *)field = (uint64_t)value->number;
    else if (s->does & IS_SIZE) *(size_t *)(void *)field = (size_t)value->number;
    else *(double *)(void *)field = value->number;
}

static bool give(Change *c, const orr_keyword *word, const orr_given *given)
{
    const char *text = given->text;
    orr_value value = { .word = word->name, .number = NAN, .folder = given->folder };
    if (text) value.text = arena_copy_text(c->arena, text, strlen(text));
    const bool is_number = word->type == ORR_WORD_NUMBER || word->type == ORR_WORD_COUNT ||
                           word->type == ORR_WORD_FACTOR;
    if (is_number && !read_number(c, word, text ? text : "1", &value.number)) return false;
    if (word->choices && !is_choice(word->choices, text))
        return wrong(c, "E022", word->hint, "option '--%s' needs %s, not '%s'", word->name,
                     list_choices(c, word->choices), text);
    const Shared *s = shared_of(word);
    if (word->type == ORR_WORD_NAMES && (!s || !s->give)) value.names = split(c, text, &value.n_names);
    vec_push(c->arena, &c->values, value);
    if (!s) return true;
    c->is_other |= (s->does & IS_OTHER) != 0;
    if (s->give) return s->give(c, text);
    if (s->at != NOWHERE) store(s, c->experiment, &value);
    if (strcmp(word->name, "wait") == 0) c->wait = value.number;
    return true;
}

// ---------------------------------------------------------------------------------------------- all of them

static bool is_given(const Change *c, const char *word)
{
    for (size_t i = 0; i < c->values.n; i++)
        if (strcmp(c->values.items[i].word, word) == 0) return true;
    return false;
}

// A word that only some solvers look at, and that of this experiment is another: W602.
static void warn_unused(Change *c, const char *word)
{
    const orr_run_options *run = &c->experiment->run;
    const orr_solver_info *solver = orr_solver_find(run->solver ? run->solver : "auto");
    const bool is_quantum = strcmp(word, "quantum") == 0;
    if (!is_given(c, word) || !solver || (is_quantum ? solver->is_quantised : !solver->fixed_step)) return;
    wrong(c, "W602",
          is_quantum ? "qss1, qss2, qss3, liqss1, liqss2 and mliqss2 have"
                     : "--step decides how exact it is; 'dopri5' and 'bdf' keep a tolerance",
          "'--%s' means nothing to solver '%s': %s", word, solver->name,
          is_quantum ? "it has no quantised states" : "its steps are fixed");
}

// What the command line says of an input goes before what the experiment says.
static void join_inputs(Change *c)
{
    orr_run_options *run = &c->experiment->run;
    for (size_t i = 0; i < run->n_inputs; i++) {
        bool given = false;
        for (size_t k = 0; k < c->inputs.n; k++)
            given |= strcmp(c->inputs.items[k].name, run->inputs[i].name) == 0;
        if (!given) vec_push(c->arena, &c->inputs, run->inputs[i]);
    }
    for (size_t i = 0; i < c->inputs.n && !isnan(c->wait); i++) c->inputs.items[i].patience = c->wait;
    run->inputs = c->inputs.items;
    run->n_inputs = c->inputs.n;
}

static bool is_swept(const Change *c, const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < c->values.n; i++)
        if (strcmp(c->values.items[i].word, "sweep") == 0 && strncmp(c->values.items[i].text, name, n) == 0 &&
            c->values.items[i].text[n] == '=')
            return true;
    return false;
}

static void finish(Change *c, const orr_kind_info *kind)
{
    orr_experiment *e = c->experiment;
    join_inputs(c);
    e->run.settings = c->settings.items;
    e->run.n_settings = c->settings.n;
    e->run.islands = c->islands.items;
    e->run.n_islands = c->islands.n;
    VEC(orr_send) sends = { 0 };
    for (size_t i = 0; i < e->n_sends; i++) vec_push(c->arena, &sends, e->sends[i]);
    for (size_t i = 0; i < c->sends.n; i++) vec_push(c->arena, &sends, c->sends.items[i]);
    e->sends = sends.items;
    e->n_sends = sends.n;
    e->observations = c->observations.items;
    e->n_observations = c->observations.n;
    e->values = c->values.items;
    e->n_values = c->values.n;
    if (is_given(c, "quantum"))    // of all states
        e->run.relative_quantum = e->run.least_quantum = 0, e->run.n_quanta = 0;
    if (is_given(c, "abs")) e->run.n_absolutes = 0;
    if (is_given(c, "replications") && !is_given(c, "precision")) e->precision = 0;    // so many, whatever
    if (is_given(c, "precision") && !is_given(c, "replications")) e->replications = 0;
    const orr_solver_info *solver = e->run.solver ? orr_solver_find(e->run.solver) : NULL;
    const bool has_step = is_given(c, "step") || (is_given(c, "solver") && solver && !solver->fixed_step);
    if (e->missing && strcmp(e->missing, "timestep") == 0 &&
        (has_step || strcmp(kind->name, "compare") == 0 || is_swept(c, "solver step")))
        e->missing = NULL;
    if (!c->is_other) return;
    e->n_unasked = e->n_expects;
    e->n_expects = 0;
}

// A setting that is drawn is a word of its own here.
static const char *implying(const orr_given *given)
{
    return strcmp(given->word, "set") == 0 && strchr(given->text, '~') ? "draw" : given->word;
}

// An experiment that says no kind is of that which one of the words is for.
static const orr_kind_info *implied_kind(orr_experiment *e, const orr_given *given, size_t n)
{
    const orr_kind_info *kind;
    for (size_t i = 0; !e->kind && i < n; i++)
        for (size_t k = 0; (kind = orr_kind_at(k)); k++)
            if (kind->implied_by && is_listed(kind->implied_by, implying(&given[i]))) e->kind = kind->name;
    return orr_experiment_kind(e);
}

bool words_apply(orr_source *source, orr_experiment *e, const orr_given *given, size_t n, bool is_written,
                 orr_diag *diag)
{
    const orr_kind_info *kind = implied_kind(e, given, n);
    Change c = { .source = source, .arena = &source->arena, .experiment = e, .diag = diag, .wait = NAN };
    for (size_t i = 0; i < e->run.n_settings; i++) vec_push(c.arena, &c.settings, e->run.settings[i]);
    for (size_t i = 0; i < e->run.n_islands; i++) vec_push(c.arena, &c.islands, e->run.islands[i]);
    for (size_t i = 0; i < e->n_values; i++) vec_push(c.arena, &c.values, e->values[i]);
    // those of expectations keep their places
    for (size_t i = 0; i < e->n_observations; i++) vec_push(c.arena, &c.observations, e->observations[i]);
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        const orr_keyword *word = orr_kind_word(kind, given[i].word);
        if (word) ok &= give(&c, word, &given[i]);
        else
            ok &= wrong(&c, "E021", NULL, "there is no option '--%s' for an experiment of the kind '%s'",
                        given[i].word, kind->name);
    }
    if (is_given(&c, "checkpoint-every") && !e->checkpoint)
        ok &= wrong(&c, "E023", "--checkpoint FILE says where to",
                    "a file for '--checkpoint-every' is missing");
    c.is_other &= !is_written;
    finish(&c, kind);
    static const char *const exactness[] = { "tol", "abs", "max-step", "quantum" };
    for (size_t i = 0; i < sizeof exactness / sizeof *exactness && orr_kind_word(kind, "solver"); i++)
        warn_unused(&c, exactness[i]);
    // what was read on the heap lives as long as the source
    for (size_t i = 0; i < c.heap.n; i++) vec_push(&source->arena, &source->heap, (void *)c.heap.items[i]);
    return ok;
}

bool orr_experiment_override(orr_source *source, orr_experiment *e, const orr_given *given, size_t n,
                             orr_diag *diag)
{
    const size_t n_before = e->run.n_settings;
    const bool ok = words_apply(source, e, given, n, false, diag);
    e->n_overrides += e->run.n_settings - n_before;
    return ok;
}

// Are the settings that were given some of the model? Those of CSMP files change the experiment itself.
static bool settings_fit(const orr_model *model, orr_experiment *e, orr_diag *diag)
{
    orr_setting *settings = (orr_setting *)e->run.settings;    // made by orr_experiment_override
    size_t n = e->run.n_settings - e->n_overrides;
    bool ok = true;
    for (size_t i = n; i < e->run.n_settings; i++) {
        const orr_setting setting = settings[i];
        if (orr_model_find(model, setting.name) != (size_t)-1) {
            settings[n++] = setting;
        } else if (orr_experiment_set(e, setting.name, setting.value)) {
            if (strstr(setting.name, "timestep") && !(setting.value > 0)) {
                diag_report(diag, DIAG_STEP_BAD, (Place){ 0 }, setting.value);
                diag_hint(diag, "give one such as timestep=0.01");
                ok = false;
            }
        } else {
            diag_report(diag, DIAG_SETTING_UNKNOWN, (Place){ 0 }, setting.name);
            if (!diag_suggest(diag, setting.name, orr_model_closest(model, setting.name)))
                diag_hint(diag, "parameters, inputs and initial values can be set");
            ok = false;
        }
    }
    e->run.n_settings = n;
    e->n_overrides = 0;
    if (!ok) diag_set_status(diag, ORR_STATUS_USAGE);
    return ok;
}

orr_model *orr_experiment_compile(const orr_source *source, orr_experiment *e,
                                  const orr_compile_options *options, orr_diag *diag)
{
    orr_compile_options c = options ? *options : orr_compile_options_default();
    const char *solver = e->run.solver;
    c.model = e->model;
    if (!c.arrays_from) c.arrays_from = orr_experiment_kind(e)->arrays_from;
    c.implicit = solver && strcmp(solver, "ida") == 0;
    // loops of arrays can only be left to ida element by element, and the other needs single rates
    if (c.implicit || (solver && strcmp(solver, "semi-implicit euler") == 0)) c.arrays_from = SIZE_MAX;
    c.reactions_are_events = e->reactions && strcmp(e->reactions, "events") == 0;
    c.settings = e->run.settings;
    c.n_settings = e->run.n_settings;
    c.inputs = e->run.inputs;
    c.n_inputs = e->run.n_inputs;
    c.also = e->also;
    c.n_also = e->n_also;
    orr_model *model = orr_model_compile(source, &c, diag);
    if (!model) return NULL;
    if (settings_fit(model, e, diag)) {
        if (data_read(model, e, &((orr_source *)source)->arena, diag)) return model;
        diag_set_status(diag, ORR_STATUS_USAGE);
    }
    orr_model_destroy(model);
    return NULL;
}

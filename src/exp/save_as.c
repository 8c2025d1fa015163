// src/exp/save_as.c: the options of a command as an experiment in the text of a file.
//
//     options ──a statement for each→ text ──parse→ Ast ──before what the experiment says→ printed, formatted
#include "base/file.h"
#include "base/os.h"
#include "exp/kind.h"
#include "lang/parse.h"
#include "lang/print.h"
#include "source/source.h"
#include <stdlib.h>
#include <string.h>

typedef struct Saving {
    const orr_experiment *experiment;    // as the options make it
    const orr_kind_info  *kind;
    Arena    work;
    orr_diag *diag;
    StrBuf   text, options, words;       // statements; options of the solver; words of the kind
    const char *solver, *precision, *precise;
} Saving;

static bool refuse(Saving *s, const char *what, const char *why)
{
    diag_report(s->diag, DIAG_SAVE_AS, (Place){ 0 }, what, why);
    return false;
}

// Words that are statements of their own.
static const struct {
    const char *word, *statement;
} statements[] = {
    { "until", "until" },   { "from", "from" },             { "every", "every" },
    { "seed", "seed" },     { "replications", "replications" }, { "warm-up", "warm up" },
    { "record", "record" }, { "observe", "observe" },       { "confidence", "confidence" },
};
// Words that are options of the statement `solver`.
static const struct {
    const char *word, *option;
} options[] = {
    { "step", "step" }, { "tol", "tol" }, { "abs", "abs" }, { "max-step", "max" }, { "path", "path" },
    { "quantum", "quantum" },
};

// K=1,2,5: K over 1,2,5; K=0..10:6:log: K over 0..10 in 6 log
static void add_sweep(Saving *s, const char *text)
{
    const char *equals = strchr(text, '=');
    char *rest = arena_copy_text(&s->work, equals + 1, strlen(equals + 1));
    str_addf(&s->text, "sweep %.*s over ", (int)(equals - text), text);
    for (char *part = strtok(rest, ":"), *first = part; part; part = strtok(NULL, ":"))
        str_addf(&s->text, part == first ? "%s" : strcmp(part, "log") == 0 ? " %s" : " in %s", part);
    str_add_char(&s->text, '\n');
}

// a=qss2:quantum=1e-3: solver a : qss2 quantum 1e-3
static void add_island(Saving *s, const char *text)
{
    const char *equals = strchr(text, '=');
    char *rest = arena_copy_text(&s->work, equals + 1, strlen(equals + 1));
    for (char *p = rest; *p; p++)
        if (*p == ':' || *p == '=') *p = ' ';
    str_addf(&s->text, "solver %.*s : %s\n", (int)(equals - text), text, rest);
}

static bool add_input(Saving *s, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || strncmp(equals + 1, "expr:", 5) != 0)
        return refuse(s, "--input", "write 'input … from' into the experiment by hand");
    str_addf(&s->text, "input %.*s = %s\n", (int)(equals - text), text, equals + 6);
    return true;
}

static void add_word(Saving *s, const orr_keyword *word, const char *text)
{
    if (word->is_private) return;    // how it is carried out, not what
    str_addf(&s->words, " %s", word->name);
    if (word->type != ORR_WORD_FLAG) str_addf(&s->words, word->is_input ? " \"%s\"" : " %s", text);
}

static bool add_given(Saving *s, const orr_given *given)
{
    const char *word = given->word, *text = given->text;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (strcmp(word, statements[i].word) == 0)
            return str_addf(&s->text, "%s %s\n", statements[i].statement, text), true;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(word, options[i].word) == 0)
            return str_addf(&s->options, " %s %s", options[i].option, text), true;
    if (strcmp(word, "set") == 0) return str_addf(&s->text, "set %s\n", text), true;
    if (strcmp(word, "sweep") == 0) return add_sweep(s, text), true;
    if (strcmp(word, "island") == 0) return add_island(s, text), true;
    if (strcmp(word, "input") == 0) return add_input(s, text);
    if (strcmp(word, "output") == 0) return refuse(s, "--output", "write 'output … to' by hand");
    if (strcmp(word, "solver") == 0) return s->solver = text, true;
    if (strcmp(word, "update") == 0) return s->solver = s->experiment->run.solver, true;
    if (strcmp(word, "precision") == 0) return s->precision = text, true;
    if (strcmp(word, "precise") == 0) return s->precise = text, true;
    const orr_keyword *of_kind = orr_kind_word(s->kind, word);
    if (of_kind) add_word(s, of_kind, text);
    return true;
}

// Both lists, one behind the other.
#define JOIN(work, to, from, list, n_list)                                                                   \
    do {                                                                                                     \
        void *joined_ = arena_alloc((work), (to)->n_list + (from)->n_list, sizeof *(to)->list);              \
        if ((to)->n_list) memcpy(joined_, (to)->list, (to)->n_list * sizeof *(to)->list);                    \
        if ((from)->n_list)                                                                                  \
            memcpy((char *)joined_ + (to)->n_list * sizeof *(to)->list, (from)->list,                        \
                   (from)->n_list * sizeof *(to)->list);                                                     \
        (to)->list = joined_;                                                                                \
        (to)->n_list += (from)->n_list;                                                                      \
    } while (0)

// What the options say goes before what the experiment says, or stands behind it.
static void merge(Saving *s, AstExperiment *e, const AstExperiment *more)
{
    AstExpr *const *single[] = { &more->from, &more->until, &more->every, &more->seed, &more->warm_up,
                                 &more->confidence };
    AstExpr **to[] = { &e->from, &e->until, &e->every, &e->seed, &e->warm_up, &e->confidence };
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        if (*single[i]) *to[i] = *single[i];
    if (more->replications) e->replications = more->replications, e->precision = NULL;
    if (more->precision) {
        if (!more->replications) e->replications = NULL;
        e->precision = more->precision;
        e->precise = more->precise, e->n_precise = more->n_precise, e->precise_means = more->precise_means;
    }
    if (s->solver) {
        e->solver = more->solver;
    } else if (more->solver.name) {
        const AstSolver base = e->solver;
        e->solver.name = base.name ? base.name : more->solver.name;
        JOIN(&s->work, &e->solver, &more->solver, options, n_options);
    }
    if (more->n_records) e->records = more->records, e->n_records = more->n_records;
    if (more->n_plots) e->plots = more->plots, e->n_plots = more->n_plots;
    if (more->n_kind) e->kind = more->kind, e->n_kind = more->n_kind;
    JOIN(&s->work, e, more, islands, n_islands);
    JOIN(&s->work, e, more, sets, n_sets);
    JOIN(&s->work, e, more, inputs, n_inputs);
    JOIN(&s->work, e, more, observes, n_observes);
    JOIN(&s->work, e, more, varied, n_varied);
    if (s->experiment->n_unasked || more->n_varied) e->n_expects = 0;    // of another question
    e->missing = NULL;
}

// The experiment in the language; NULL after messages.
static const char *write_experiment(Saving *s, const orr_source *source, const char *name)
{
    const Ast *ast = &source->ast;
    const char *text = str_finish(&s->text);
    Ast parsed = { .arena = &s->work };
    const uint32_t file = diag_add_source(s->diag, "--save-as", text, strlen(text));
    if (!parse_text(&parsed, file, text_from(text), s->diag, NULL)) return NULL;
    AstExperiment e = parsed.experiments.items[0];
    for (size_t i = 0; i < ast->experiments.n; i++) {
        if (strcmp(ast->experiments.items[i].name, s->experiment->name) != 0) continue;
        e = ast->experiments.items[i];
        merge(s, &e, &parsed.experiments.items[0]);
    }
    e.name = name;
    e.model = parsed.experiments.items[0].model;
    char *printed = NULL;
    size_t n;
    FILE *out = open_memstream(&printed, &n);
    if (!out) arena_no_memory(0);
    print_experiment(&e, &(Printer){ .out = out });
    memory_close(out, &printed);
    char *formatted = orr_format("--save-as", printed, n, s->diag);
    const char *kept = formatted ? arena_copy_text(&s->work, formatted, strlen(formatted)) : NULL;
    free(formatted);
    free(printed);
    return kept;
}

static bool append(Saving *s, const char *path, const char *experiment)
{
    Text text;
    FileOut file;
    if (!os_read_file(&s->work, NULL, path, SOURCE_BYTES_MAX, &text, s->diag) ||
        !file_open(&file, path, FILE_REPLACE, s->diag))
        return false;
    file_write(&file, text.p, text.n);
    file_text(&file, text.n && text.p[text.n - 1] != '\n' ? "\n\n" : "\n");
    file_text(&file, experiment);
    return file_close(&file, s->diag);
}

static bool check_name(Saving *s, const orr_source *source, const char *name)
{
    const size_t n = strlen(source->path);
    if (n < 4 || strcmp(source->path + n - 4, ".orr") != 0)
        return refuse(s, name, "experiments stand in files that end in .orr");
    for (size_t i = 0; i < source->ast.experiments.n; i++)
        if (strcmp(source->ast.experiments.items[i].name, name) == 0)
            return refuse(s, name, "there is an experiment of this name");
    return true;
}

bool orr_experiment_save(const orr_source *source, const orr_experiment *experiment, const char *name,
                         const orr_given *given, size_t n, orr_diag *diag)
{
    Saving s = { .experiment = experiment, .kind = orr_experiment_kind(experiment), .diag = diag };
    Arena *const work = &s.work;
    s.text = s.options = s.words = (StrBuf){ .arena = work };
    const char *model = experiment->model;
    for (size_t i = 0; !model && i < source->ast.models.n; i++) model = source->ast.models.items[i].name;
    str_addf(&s.text, "experiment saved of \"%s\"\n", model);
    bool ok = check_name(&s, source, name);
    for (size_t i = 0; i < n && ok; i++) ok = add_given(&s, &given[i]);
    for (size_t i = 0; i < experiment->n_plots && ok; i++) {
        const orr_plot *plot = &experiment->plots[i];
        str_add(&s.text, plot->is_histogram ? "plot histogram of " : "plot ");
        for (size_t k = 0; k < plot->n_ys; k++) str_addf(&s.text, "%s%s", k ? ", " : "", plot->ys[k]);
        if (plot->over) str_addf(&s.text, " over %s", plot->over);
        str_add_char(&s.text, '\n');
    }
    if (s.solver || s.options.n)
        str_addf(&s.text, "solver %s%s\n",
                 s.solver ? s.solver : experiment->run.solver ? experiment->run.solver : "auto",
                 s.options.n ? str_finish(&s.options) : "");
    if (s.precision)
        str_addf(&s.text, "precision %s%s%s\n", s.precision, s.precise ? " of " : "",
                 s.precise ? s.precise : "");
    if (s.words.n || (experiment->kind && !s.kind->implied_by && strcmp(experiment->kind, "simulate") != 0))
        str_addf(&s.text, "kind %s%s\n", s.kind->name, s.words.n ? str_finish(&s.words) : "");
    str_add(&s.text, "end\n");
    const char *text = ok ? write_experiment(&s, source, name) : NULL;
    ok = text && append(&s, source->path, text);
    arena_free(work);
    return ok;
}

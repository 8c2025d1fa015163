// tests/manufactured/test_manufactured.c: every solver on random models whose exact solution is known; see
// manufactured.h.
//
// Without arguments: some models of each construct, with fixed seeds. What is known to fail stands in
// known.csv, a line for each construct and family of solvers. A failure outside of it fails the test, and
// so does a line that nothing needs any more. A failure is printed as the smallest model that shows it.
#include "judge.h"
#include "tiers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 400, MOST_SHOWN = 6, MOST_SOLVERS = 40, LONG_SEEDS = 100 };

// What a seed is drawn for: a construct, several at once, or a scale.
typedef struct Kind {
    const char *name, *summary;
    const Construct *construct;    // NULL: any
    int size, pace;
} Kind;

static const Kind others[] = {
    { "tiny", "values of 1e-18", NULL, -18, 0 },
    { "huge", "values of 1e18", NULL, 18, 0 },
    { "fast", "times of 1e-6", NULL, 0, -6 },
    { "slow", "times of 1e6", NULL, 0, 6 },
    { "mixed", "several constructs at once", NULL, 0, 0 },
};
enum { N_OTHERS = sizeof others / sizeof *others };

static Kind kind_at(size_t i)
{
    if (i >= n_constructs) return others[i - n_constructs];
    return (Kind){ constructs[i].name, constructs[i].summary, &constructs[i], 0, 0 };
}

static Model kind_draw(const Kind *kind, uint64_t seed)
{
    // scales are tried on constructs that every solver knows
    const char *const plain[] = { "time", "clock", "at", "when" };
    const bool is_scale = kind->size != 0 || kind->pace != 0;
    Model model = model_draw(seed, is_scale ? construct_find(plain[seed % 4]) : kind->construct);
    model.size = kind->size;
    model.pace = kind->pace;
    return model;
}

// ---- What is known to fail

typedef struct Line {
    char construct[24], family[24], reason[200];
    size_t n_failed;
} Line;

static const char *family_of(const orr_solver_info *solver)
{
    if (solver->fixed_step) return "fixed";
    if (solver->is_quantised) return strstr(solver->name, "liqss") ? "liqss" : "qss";
    if (strcmp(solver->name, "adams") == 0 || strcmp(solver->name, "bdf") == 0 ||
        strcmp(solver->name, "ida") == 0)
        return "multistep";
    // auto chooses; of the others those with an order of their own make one step at a time
    return solver->order > 0 ? "onestep" : solver->name;
}

static size_t read_known(const char *path, Line *lines)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    char text[400];
    size_t n = 0;
    while (n < MOST_LINES && fgets(text, sizeof text, file)) {
        Line *line = &lines[n];
        *line = (Line){ 0 };
        if (text[0] == '#') continue;
        if (sscanf(text, "%23[^,],%23[^,],%199[^\n]", line->construct, line->family, line->reason) == 3) n++;
    }
    fclose(file);
    return n;
}

static bool names(const Line *line, const orr_solver_info *solver)
{
    return strcmp(line->family, "all") == 0 || strcmp(line->family, solver->name) == 0 ||
           strcmp(line->family, family_of(solver)) == 0;
}

// The line that knows of a failure of this kind, or of a construct in a mixed model.
static Line *line_for(Line *lines, size_t n, const Kind *kind, const Model *model,
                      const orr_solver_info *solver)
{
    for (size_t i = 0; i < n; i++)
        if (names(&lines[i], solver) && strcmp(lines[i].construct, kind->name) == 0) return &lines[i];
    for (size_t i = 0; i < n; i++) {
        const Construct *construct = construct_find(lines[i].construct);
        if (names(&lines[i], solver) && construct && model_has(model, construct)) return &lines[i];
    }
    return NULL;
}

// ---- Running

typedef struct Arguments {
    uint64_t first, last;
    const char *solver, *construct;
    bool shrink, list, text, tiers;
} Arguments;

typedef struct Counts {
    size_t n_models, n_runs, of[N_VERDICTS], n_unknown, n_shown;
    size_t refused[80][MOST_SOLVERS], failed[80][MOST_SOLVERS];
} Counts;

static const char *const verdicts[] = { "right", "wrong", "refused", "crashed", "slow" };

static Outcome judge_once(const Model *model, const orr_solver_info *solver)
{
    Judged judged;
    judge_open(model, ORR_CODE_INSTANT, &judged);
    Outcome outcome = { .verdict = REFUSED };
    if (judged.compiled) outcome = judge_solver(&judged, solver);
    judge_close(&judged);
    return outcome;
}

// The smallest model with the same kind of failure.
static Model shrink(Model model, const orr_solver_info *solver, Verdict verdict)
{
    Model simpler;
    size_t n_tries = 0;
    for (size_t i = 0; n_tries < 400 && model_simpler(&model, i, &simpler); i++) {
        if (memcmp(&simpler, &model, sizeof model) == 0 || !model_is_valid(&simpler)) continue;
        n_tries++;
        if (judge_once(&simpler, solver).verdict != verdict) continue;
        model = simpler;
        i = (size_t)-1;
    }
    return model;
}

static void show(const Kind *kind, const Model *drawn, const orr_solver_info *solver, Verdict verdict,
                 bool smaller)
{
    const Model model = smaller ? shrink(*drawn, solver, verdict) : *drawn;
    const Outcome o = judge_once(&model, solver);
    char *text = model_write(&model), name[32];
    cell_name(&model, o.cell, name);
    printf("\n%s by %s: --construct %s --seeds %llu..%llu --solver '%s'\n%s", verdicts[verdict], solver->name,
           kind->name, (unsigned long long)drawn->seed, (unsigned long long)drawn->seed, solver->name, text);
    const orr_run_options options = judge_options(&model, solver, 1);
    printf("# until %g, step %g, tolerance %g, quantum %g: %s(%.17g) = %.10g, exact %.10g\n"
           "# error %.3g, at most %.3g (with wider settings %.3g)\n",
           options.t_end, options.step, options.tolerance, options.quantum, name, o.t, o.found, o.expected,
           o.fine, o.limit, o.coarse);
    free(text);
}

static void judge_model(const Kind *kind, size_t k, uint64_t seed, const Arguments *arguments, Line *lines,
                        size_t n_lines, Counts *counts)
{
    const Model model = kind_draw(kind, seed);
    Judged judged;
    judge_open(&model, ORR_CODE_INSTANT, &judged);
    if (arguments->text) fputs(judged.text, stdout);
    if (!judged.compiled) {
        printf("\n%s, seed %llu: it is not accepted\n%s", kind->name, (unsigned long long)seed, judged.text);
        orr_diag_print(judged.diag, stdout, 0);
        counts->n_unknown++;
        judge_close(&judged);
        return;
    }
    counts->n_models++;
    const orr_solver_info *solver;
    for (size_t i = 0; (solver = orr_solver_at(i)); i++) {
        if (arguments->solver && strcmp(arguments->solver, solver->name) != 0 &&
            strcmp(arguments->solver, family_of(solver)) != 0)
            continue;
        const Outcome outcome = judge_solver(&judged, solver);
        counts->n_runs++;
        counts->of[outcome.verdict]++;
        if (outcome.verdict == RIGHT) continue;
        if (outcome.verdict == REFUSED) {
            counts->refused[k][i]++;
            if (arguments->list)
                printf("%s %llu %s: refused %s\n", kind->name, (unsigned long long)seed, solver->name,
                       outcome.code);
            continue;
        }
        counts->failed[k][i]++;
        Line *line = line_for(lines, n_lines, kind, &model, solver);
        if (arguments->list)
            printf("%s %llu %s: %s %.3g, limit %.3g, wider %.3g%s\n", kind->name, (unsigned long long)seed,
                   solver->name, verdicts[outcome.verdict], outcome.fine, outcome.limit, outcome.coarse,
                   line ? "" : " NEW");
        if (line) line->n_failed++;
        else counts->n_unknown++;
        if (arguments->shrink || (!line && !arguments->list && counts->n_shown < MOST_SHOWN)) {
            counts->n_shown++;
            show(kind, &model, solver, outcome.verdict, true);
        }
    }
    judge_close(&judged);
}

// Is the line needed by a seed that was not run? Its construct is tried until one fails.
static bool is_needed(const Line *line, uint64_t first, uint64_t last)
{
    const orr_solver_info *solver;
    Kind kind = { 0 };
    for (size_t k = 0; k < n_constructs + N_OTHERS; k++)
        if (strcmp(kind_at(k).name, line->construct) == 0) kind = kind_at(k);
    for (uint64_t seed = first; kind.name && seed <= last; seed++) {
        const Model model = kind_draw(&kind, seed);
        for (size_t i = 0; (solver = orr_solver_at(i)); i++) {
            if (!names(line, solver)) continue;
            const Verdict verdict = judge_once(&model, solver).verdict;
            if (verdict != RIGHT && verdict != REFUSED) return true;
        }
    }
    return false;
}

// Which construct by which solver: refused and failed.
static void summarise(const Counts *counts, size_t n_kinds)
{
    printf("\n%zu models, %zu runs: %zu right, %zu wrong, %zu refused, %zu crashed, %zu slow\n",
           counts->n_models, counts->n_runs, counts->of[RIGHT], counts->of[WRONG], counts->of[REFUSED],
           counts->of[CRASHED], counts->of[SLOW]);
    for (size_t k = 0; k < n_kinds; k++) {
        bool any = false;
        for (size_t i = 0; orr_solver_at(i); i++) {
            if (counts->failed[k][i] + counts->refused[k][i] == 0) continue;
            printf(any ? "," : "%-10s", kind_at(k).name);
            any = true;
            printf(" %s", orr_solver_at(i)->name);
            if (counts->failed[k][i]) printf(" %zu failed", counts->failed[k][i]);
            if (counts->refused[k][i]) printf(" %zu refused", counts->refused[k][i]);
        }
        if (any) fputc('\n', stdout);
    }
}

// Native code, lanes and exported programs; how many were wrong.
static size_t judge_tiers(uint64_t first, uint64_t last)
{
    size_t n_wrong = 0, n_refused = 0, n = 0;
    for (uint64_t seed = first; seed <= last; seed++, n++) {
        const Model model = tiers_join(seed, false), in_lanes = tiers_join(seed, true);
        n_wrong += !tiers_native(&model);
        n_wrong += !tiers_lanes(&in_lanes);
        n_wrong += !tiers_export(&model, &n_refused);
    }
    printf("native code, lanes and exported programs of %zu joined models: %zu wrong, %zu not exported\n", n,
           n_wrong, n_refused);
    return n_wrong;
}

static const char usage[] =
    "Usage: test_manufactured [--seeds A..B] [--solver S] [--construct K] [--shrink] [--list] [--text]\n\n"
    "Run random models with known solutions by every solver. Without a choice of seeds: 1..6.\n\n"
    "  --seeds A..B      these; 7 is 7..7\n"
    "  --solver S        one solver, or a family: fixed, onestep, multistep, auto, qss, liqss\n"
    "  --construct K     one construct of the list below\n"
    "  --shrink          print the smallest model of every failure, known ones too\n"
    "  --list            a line for each failure and each refusal\n"
    "  --text            print the models\n"
    "  --tiers           only native code, lanes and exported programs, of many models joined in one\n\n"
    "Constructs:\n";

static bool read_arguments(int n, char **texts, Arguments *arguments)
{
    for (int i = 1; i < n; i++) {
        const bool has_value = i + 1 < n;
        if (strcmp(texts[i], "--shrink") == 0) arguments->shrink = true;
        else if (strcmp(texts[i], "--list") == 0) arguments->list = true;
        else if (strcmp(texts[i], "--text") == 0) arguments->text = true;
        else if (strcmp(texts[i], "--tiers") == 0) arguments->tiers = true;
        else if (strcmp(texts[i], "--solver") == 0 && has_value) arguments->solver = texts[++i];
        else if (strcmp(texts[i], "--construct") == 0 && has_value) arguments->construct = texts[++i];
        else if (strcmp(texts[i], "--seeds") == 0 && has_value) {
            char *end;
            arguments->first = arguments->last = strtoull(texts[++i], &end, 10);
            if (strncmp(end, "..", 2) == 0) arguments->last = strtoull(end + 2, &end, 10);
        } else return false;
    }
    return true;
}

int main(int n, char **texts)
{
    static Line lines[MOST_LINES];
    static Counts counts;
    const size_t n_kinds = n_constructs + N_OTHERS;
    const bool is_long = getenv("ORRERY_LONG") && *getenv("ORRERY_LONG");
    Arguments arguments = { .first = 1, .last = is_long ? LONG_SEEDS : 6 };
    if (!read_arguments(n, texts, &arguments)) {
        fputs(usage, stderr);
        for (size_t k = 0; k < n_kinds; k++)
            fprintf(stderr, "  %-12s %s\n", kind_at(k).name, kind_at(k).summary);
        return 2;
    }
    const char *root = getenv("ORRERY_SOURCE_DIR");
    char path[1000];
    snprintf(path, sizeof path, "%s/tests/manufactured/known.csv", root ? root : ".");
    const size_t n_lines = read_known(path, lines);
    const bool is_all = !arguments.solver && !arguments.construct;
    if (arguments.tiers) return judge_tiers(arguments.first, arguments.last) != 0;
    for (size_t k = 0; k < n_kinds; k++) {
        const Kind kind = kind_at(k);
        if (arguments.construct && strcmp(arguments.construct, kind.name) != 0) continue;
        for (uint64_t seed = arguments.first; seed <= arguments.last; seed++)
            judge_model(&kind, k, seed, &arguments, lines, n_lines, &counts);
    }
    summarise(&counts, n_kinds);
    size_t n_stale = 0;
    for (size_t i = 0; is_all && i < n_lines; i++) {
        if (lines[i].n_failed > 0 || is_needed(&lines[i], arguments.last + 1, LONG_SEEDS)) continue;
        n_stale++;
        printf("known.csv: '%s,%s' does not fail any more: remove the line\n", lines[i].construct,
               lines[i].family);
    }
    if (counts.n_unknown) printf("%zu failures are not in known.csv\n", counts.n_unknown);
    const bool is_much = 20 * counts.of[REFUSED] > counts.n_runs && is_all;
    if (is_much) printf("more than one in twenty was refused\n");
    const size_t n_other = is_all ? judge_tiers(1, is_long ? 20 : 2) : 0;
    return counts.n_unknown || n_stale || is_much || n_other;
}

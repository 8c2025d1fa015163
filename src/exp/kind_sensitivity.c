// src/exp/kind_sensitivity.c: which parameters a result depends on.
//
//     ranges ──design→ members ──ensemble→ observations ──indices→ tables and bars, the strongest first
#include "exp/members.h"
#include "num/indices.h"
#include "orrery/ensemble.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FACTORS_MAX = 64, ROWS_USUAL = 1024, PATHS_USUAL = 40, MEMBERS_MAX = 100000000 };

static const orr_keyword words[] = {
    WORD("range", LIST, "NAME=LOW..HIGH",
      "a parameter, input or initial value, and where it lies; may be repeated"),
    WORD("method", TEXT, "sobol|morris|local",
      "parts of the variance, elementary effects, or derivatives at the values of the model (default: sobol)",
      .choices = "sobol|morris|local", .hint = "sobol, morris or local"),
    WORD("points", COUNT, "N", "rows of the design (default: 1024), or paths of morris (default: 40)",
      .low = 2, .high = 1e7, .hint = "a whole number such as 2048"),
};

typedef struct Factor {
    const char *name;
    double      low, high;
} Factor;

typedef struct Study {
    Call      *call;
    Factor     factors[FACTORS_MAX];
    size_t     k;                     // of them
    double    *points;                // [n_members][k]
    size_t     n_members;
    Members    members;
    double    *y;                     // [n_observed][n_members]
    const char **names;               // [n_observed]
    size_t     n_observed;
} Study;

// What is found of one factor.
typedef struct Line {
    size_t factor;
    double numbers[4];
    double rank;                      // the strongest first
} Line;

// What a method gives: columns, and how many of the design's points it needs.
typedef struct Method {
    const char *name, *columns[4];
    const char *axis;                 // of the picture
} Method;

static const Method methods[] = {
    { "sobol", { "first", "first_error", "total", "total_error" }, "part of the variance" },
    { "morris", { "mean", "deviation" }, "mean effect of the range" },
    { "local", { "slope", "relative" }, "relative derivative" },
};

// ---------------------------------------------------------------------------------------------- words

static bool read_factor(Study *s, const char *text)
{
    const char *equals = strchr(text, '='), *dots = equals ? strstr(equals, "..") : NULL;
    Factor *f = &s->factors[s->k];
    if (s->k < FACTORS_MAX && equals && equals > text && dots) {
        f->name = arena_copy_text(s->call->arena, text, (size_t)(equals - text));
        const char *low = arena_copy_text(s->call->arena, equals + 1, (size_t)(dots - equals - 1));
        if (orr_parse_number(low, &f->low) && orr_parse_number(dots + 2, &f->high) && f->low < f->high &&
            isfinite(f->high - f->low)) {
            s->k++;
            return true;
        }
    }
    diag_report(s->call->diag, DIAG_USAGE_OPTION_VALUE, (Place){ 0 }, "--range", "NAME=LOW..HIGH", text);
    diag_hint(s->call->diag, "write --range K=0.5..2, the lower end first");
    return false;
}

static const Method *method_of(const orr_experiment *e)
{
    const char *name = value_text(e, "method");
    for (size_t i = 0; name && i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i].name, name) == 0) return &methods[i];
    return &methods[0];
}

// ---------------------------------------------------------------------------------------------- members

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    Study *s = self;
    const orr_experiment *e = s->call->experiment;
    (void)units, (void)time_unit;
    if (s->y) return true;
    s->n_observed = e->n_observations ? e->n_observations : n;
    s->names = ARENA_ARRAY(s->call->arena, const char *, s->n_observed);
    for (size_t i = 0; i < s->n_observed; i++)
        s->names[i] = e->n_observations ? e->observations[i].name
                                        : arena_printf(s->call->arena, "%s at end", names[i]);
    s->y = ARENA_ARRAY(s->call->arena, double, s->n_observed * s->n_members);
    return true;
}

static bool take_member(void *self, const orr_member *m)
{
    Study *s = self;
    const bool has_observations = s->call->experiment->n_observations > 0;
    const double *last = m->n_rows ? m->rows + (m->n_rows - 1) * s->n_observed : NULL;
    const double *values = has_observations ? m->observed : last;
    bool ok = !members_has_failed(m) && values;
    for (size_t i = 0; ok && i < s->n_observed; i++) {
        s->y[i * s->n_members + m->index] = values[i];
        ok = isfinite(values[i]);
    }
    orr_member judged = *m;
    if (!ok && !members_has_failed(m)) {
        judged.status = ORR_STATUS_FAILED;
        judged.failure = "an observation has no value";
    }
    return members_take(&s->members, &judged, m->index);
}

static bool show_progress(void *self, size_t n_done, size_t n_members)
{
    (void)n_done, (void)n_members;
    members_progress(&((Study *)self)->members);
    return true;
}

static orr_status run_members(Study *s)
{
    orr_experiment e = *s->call->experiment;
    const char **names = ARENA_ARRAY(s->call->arena, const char *, s->k);
    orr_ensemble_options o = orr_ensemble_options_default();
    for (size_t i = 0; i < s->k; i++) names[i] = s->factors[i].name;
    e.every = 0;
    e.n_expects = e.n_plots = e.n_statistics = 0;
    o.names = names;
    o.n_names = s->k;
    o.values = s->points;
    o.n_members = s->n_members;
    o.n_threads = value_count(&e, "threads");
    o.lanes = value_lanes(&e);
    s->members = (Members){ .call = s->call, .names = names, .values = s->points, .n_names = s->k,
                            .n = s->n_members };
    o.common = true;    // chance must not look like a parameter
    o.cancel = s->call->how->cancel;
    const orr_member_sink sink = {
        .begin = begin, .member = take_member, .progress = show_progress, .self = s
    };
    return orr_ensemble_run(s->call->model, &e, &o, &sink, NULL, s->call->diag);
}

// ---------------------------------------------------------------------------------------------- designs

static bool allocate(Study *s, double n_members)
{
    if (n_members > MEMBERS_MAX) {
        diag_report(s->call->diag, DIAG_USAGE_OPTION_VALUE, (Place){ 0 }, "--points", "fewer",
                    "that makes more than 100,000,000 members");
        return false;
    }
    s->n_members = (size_t)n_members;
    s->points = ARENA_ARRAY(s->call->arena, double, s->n_members * s->k);
    return true;
}

static void into_ranges(Study *s)
{
    for (size_t i = 0; i < s->n_members * s->k; i++) {
        const Factor *f = &s->factors[i % s->k];
        s->points[i] = f->low + s->points[i] * (f->high - f->low);
    }
}

// The values of the model, then for each factor four of a difference of fourth order.
static const double places[] = { -2, -1, 1, 2 }, weights[] = { 1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12 };

static double reach_of(const Factor *f) { return 1e-3 * (f->high - f->low); }

static bool local_design(Study *s, double *at)
{
    orr_run *run = orr_run_create(s->call->model, &s->call->experiment->run, s->call->diag);
    if (!run || !allocate(s, 1 + 4 * (double)s->k)) return orr_run_destroy(run), false;
    for (size_t i = 0; i < s->k; i++) {
        const size_t variable = orr_model_find(s->call->model, s->factors[i].name);
        at[i] = variable == (size_t)-1 ? NAN : orr_run_value(run, variable);
    }
    orr_run_destroy(run);
    for (size_t m = 0; m < s->n_members; m++) {
        memcpy(s->points + m * s->k, at, s->k * sizeof *at);
        const size_t factor = (m - 1) / 4;
        if (m > 0) s->points[m * s->k + factor] += places[(m - 1) % 4] * reach_of(&s->factors[factor]);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- outcome

static int by_rank(const void *a, const void *b)
{
    const Line *x = a, *y = b;
    return (x->rank < y->rank) - (x->rank > y->rank);
}

// What the results of one observation say.
static void judge(Study *s, const Method *method, size_t n, const double *u, const double *at, double *y,
                  Line *lines)
{
    const uint64_t seed = s->call->experiment->run.seed;
    Indices sobol[FACTORS_MAX];
    double mean[FACTORS_MAX], deviation[FACTORS_MAX];
    if (method == &methods[0]) indices_sobol(y, n, s->k, seed, sobol);
    if (method == &methods[1]) indices_morris(u, y, n, s->k, mean, deviation);
    for (size_t i = 0; i < s->k; i++) {
        lines[i] = (Line){ .factor = i };
        double *x = lines[i].numbers;
        if (method == &methods[0]) {
            x[0] = sobol[i].first, x[1] = sobol[i].first_error;
            x[2] = sobol[i].total, x[3] = sobol[i].total_error;
            lines[i].rank = x[2];
        } else if (method == &methods[1]) {
            x[0] = mean[i], x[1] = deviation[i];
            lines[i].rank = x[0];
        } else {
            for (size_t p = 0; p < 4; p++) x[0] += weights[p] * y[1 + 4 * i + p] / reach_of(&s->factors[i]);
            x[1] = x[0] * at[i] / y[0];
            lines[i].rank = isfinite(x[1]) ? fabs(x[1]) : fabs(x[0]);
        }
    }
    qsort(lines, s->k, sizeof *lines, by_rank);
}

static void add_lines(const Study *s, const Method *method, const char *observation, const Line *lines)
{
    Sheet sheet = sheet_begin(s->call, observation, s->k);
    const char **names = sheet_texts(&sheet, "parameter");
    say(s->call, "\n  %s\n  %-16s", observation, "parameter");
    for (size_t c = 0; c < 4 && method->columns[c]; c++) {
        double *numbers = sheet_numbers(&sheet, method->columns[c], NULL);
        for (size_t i = 0; i < s->k; i++) numbers[i] = lines[i].numbers[c];
        say(s->call, " %12s", method->columns[c]);
    }
    say(s->call, "\n");
    for (size_t i = 0; i < s->k; i++) {
        names[i] = s->factors[lines[i].factor].name;
        say(s->call, "  %-16s", names[i]);
        for (size_t c = 0; c < 4 && method->columns[c]; c++) say(s->call, " %12.5g", lines[i].numbers[c]);
        say(s->call, "\n");
    }
    sheet_end(&sheet);
}

// Bars, the strongest first.
static void draw(const Study *s, const Method *method, const char *observation, const Line *lines,
                 orr_figure *f)
{
    orr_panel *panel = orr_figure_add_panel(f);
    orr_tick *ticks = ARENA_ARRAY(s->call->arena, orr_tick, s->k);
    orr_series *bars = orr_figure_add_series(f, panel, ORR_SERIES_BARS, NULL, s->k);
    panel->title = orr_figure_text(f, observation);
    panel->y.label = orr_figure_text(f, method->axis);
    bars->width = 0.7;
    for (size_t i = 0; i < s->k; i++) {
        bars->x[i] = (double)i;
        bars->y[i] = method == &methods[2] ? lines[i].numbers[1] : lines[i].rank;
        ticks[i] = (orr_tick){ (double)i, s->factors[lines[i].factor].name };
    }
    panel->x.ticks = ticks;
    panel->x.n_ticks = s->k;
    panel->x.low = -0.75;
    panel->x.high = (double)s->k - 0.25;
}

static orr_status carry_out(Call *call)
{
    Study s = { .call = call };
    const orr_experiment *e = call->experiment;
    const Method *method = method_of(e);
    bool ok = true;
    for (size_t i = 0; i < e->n_values; i++)
        if (strcmp(e->values[i].word, "range") == 0) ok = read_factor(&s, e->values[i].text) && ok;
    if (ok && s.k == 0) {
        orr_diag_add(call->diag, "E023", "'--range NAME=LOW..HIGH' is missing", "such as --range K=0.5..2");
        ok = false;
    }
    if (!ok) return ORR_STATUS_USAGE;
    size_t n = value_count(e, "points");
    double at[FACTORS_MAX], *u = NULL;
    if (!n) n = method == &methods[0] ? ROWS_USUAL : PATHS_USUAL;
    if (method == &methods[0]) {
        if (!allocate(&s, (double)n * (double)(s.k + 2))) return ORR_STATUS_USAGE;
        indices_sobol_design(s.points, n, s.k, e->run.seed);
        into_ranges(&s);
    } else if (method == &methods[1]) {
        if (!allocate(&s, (double)n * (double)(s.k + 1))) return ORR_STATUS_USAGE;
        indices_morris_design(s.points, n, s.k, e->run.seed);
        u = ARENA_ARRAY(call->arena, double, s.n_members * s.k);
        memcpy(u, s.points, s.n_members * s.k * sizeof *u);
        into_ranges(&s);
    } else if (!local_design(&s, at)) {
        return ORR_STATUS_USAGE;
    }
    orr_status status = run_members(&s);
    if (status != ORR_STATUS_OK || !s.y) return status == ORR_STATUS_OK ? ORR_STATUS_FAILED : status;
    say(call, "%s: %s, %zu members\n", call_title(call), method->name, s.members.n_done);
    if (s.members.n_failed) {    // the designs need every point
        say(call, "  %zu failed: choose ranges in which the model runs\n", s.members.n_failed);
        return ORR_STATUS_FAILED;
    }
    orr_figure *f = orr_figure_create(orr_model_name(call->model));
    Line lines[FACTORS_MAX];
    for (size_t i = 0; i < s.n_observed; i++) {
        judge(&s, method, n, u, at, s.y + i * s.n_members, lines);
        add_lines(&s, method, s.names[i], lines);
        draw(&s, method, s.names[i], lines, f);
    }
    part_add(call, (orr_part){ .figure = f, .picture = 1, .is_file_only = true });
    if (call->how->output && !sheet_write(call, s.names[0], call->how->output)) return ORR_STATUS_SYSTEM;
    stat_count(call, "members", s.members.n_done);
    return ORR_STATUS_OK;
}

const Kind kind_sensitivity = {
    .kind = {
        .name = "sensitivity",
        .summary = "find which parameters a result depends on",
        .words = words,
        .n_words = sizeof words / sizeof *words,
        .shared = "set input allow-io until from solver step tol abs max-step quantum record observe seed "
                  "threads lanes max-time",
        .output = "FILE",
        .output_help = "write the table of the first observation as CSV; - is standard output",
        .details =
            "sobol: which part of the variance of each observation a parameter makes, alone (first) and with "
            "all it acts\n"
            "together with (total), when all are drawn evenly from their ranges, independent of each other. "
            "morris: mean\n"
            "and deviation of the effects of single changes; far cheaper. local: derivatives at the values "
            "of the model, and\n"
            "these times parameter over result. Errors are those of drawing the rows of the design anew. "
            "Without observations\n"
            "the values at the end count.\n\n"
            "Examples:\n"
            "  orrery sensitivity examples/lotka_volterra.orr --range alpha=1..2 --range beta=0.5..1.5 "
            "--observe 'max of X' --points 256\n"
            "  orrery sensitivity examples/lotka_volterra.orr --method morris --range alpha=1..2 --range "
            "beta=0.5..1.5\n",
    },
    .carry_out = carry_out,
};

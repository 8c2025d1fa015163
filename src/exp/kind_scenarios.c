// src/exp/kind_scenarios.c: what if: named sets of changes side by side, with the same luck for each.
//
//     base and scenarios ──an ensemble of replications for each→ observations → differences, the best
//
// Replication i of all scenarios has the same run number, so the same random numbers (unless they are to be
// independent): differences are taken replication by replication.
#include "exp/chance.h"
#include "exp/members.h"
#include "num/compare.h"
#include <math.h>
#include <string.h>

enum { SCENARIOS_MAX = 100, REPLICATIONS_USUAL = 20, FIRST_USUAL = 10, STAGE = 32, TIMES_DRAWN = 300 };

static const orr_keyword words[] = {
    WORD("scenario", LIST, "NAME: K=3, M=2", "a set of changes, by name; may be repeated"),
    WORD("select", NUMBER, "DELTA",
      "replicate until the best is known, if it is better than the others by DELTA", .low = 1e-300,
      .high = 1e300, .hint = "a difference that matters, such as 0.5"),
    WORD("of", TEXT, "OBSERVATION", "what is compared for the best (default: the first)"),
    WORD("least", FLAG, NULL, "the best is the one with the least mean (default: the largest)"),
    WORD("independent", FLAG, NULL, "each scenario draws random numbers of its own"),
    WORD("at-least", COUNT, "N", "of select: replications before scenarios leave (default: 10)", .low = 2,
      .high = ORR_REPLICATIONS_MAX, .hint = "from 2 on"),
    WORD("at-most", COUNT, "N", "of select: replications of one scenario (default: 100000)", .low = 2,
      .high = ORR_REPLICATIONS_MAX, .hint = "from 2 on"),
};

typedef struct Scenario {
    const char  *name;
    orr_setting *settings;      // [n_settings]
    size_t       n_settings;
    double     **y;             // [n_observed][n] heap; NaN: the replication failed
    size_t       n, capacity;
    bool         is_in;         // of a selection: not left behind
    size_t       n_left;        // replications after which it was
} Scenario;

typedef struct Study {
    Call       *call;
    orr_experiment experiment;
    Scenario    all[SCENARIOS_MAX + 1];    // the first is the experiment as it is
    size_t      k;
    const char **names, **units;           // [n_observed]
    size_t      n_observed, of;            // of: what is selected by
    double      confidence, sign;
    Chance      chance;
    Members     members;                   // counts failures; its file has the observations of each
    Scenario   *now;                       // under way
    size_t      first;                     // number of its first replication
    orr_table  *table;                     // curves of replication 0 of each; NULL: none
    orr_sink    sink;
    double     *row;
    size_t      n_columns;
    double      seconds;
} Study;

// ---------------------------------------------------------------------------------------------- reading

static bool wrong(const Study *s, const char *text, const char *why)
{
    orr_diag_add(s->call->diag, "E022",
                 arena_printf(s->call->arena, "option '--scenario' cannot read '%s': %s", text, why),
                 "write --scenario 'fast: K=3, M=2'");
    return false;
}

// fast: K=3, M=2
static bool read_scenario(Study *s, const char *text)
{
    Arena *arena = s->call->arena;
    const char *colon = strchr(text, ':');
    if (!colon) return wrong(s, text, "behind its name and ':' stand values");
    if (s->k > SCENARIOS_MAX) return wrong(s, text, "there are no more than 100");
    const Text name = text_trim((Text){ text, (size_t)(colon - text) });
    Scenario *x = &s->all[s->k++];
    *x = (Scenario){ .name = arena_copy_text(arena, name.p, name.n),
                     .settings = ARENA_ARRAY(arena, orr_setting, strlen(colon)), .is_in = true };
    for (size_t i = 0; i + 1 < s->k; i++)
        if (strcmp(s->all[i].name, x->name) == 0 || !*x->name)
            return wrong(s, text, "each has a name of its own, other than 'base'");
    for (const char *p = colon + 1; *p; p += *p == ',') {
        const size_t n = strcspn(p, ",");
        const char *equals = memchr(p, '=', n);
        if (!equals) return wrong(s, text, "a change is NAME=VALUE");
        const Text what = text_trim((Text){ p, (size_t)(equals - p) }),
                   value = text_trim((Text){ equals + 1, (size_t)(p + n - equals - 1) });
        orr_setting *setting = &x->settings[x->n_settings++];
        setting->name = arena_copy_text(arena, what.p, what.n);
        if (!orr_parse_number(arena_copy_text(arena, value.p, value.n), &setting->value))
            return wrong(s, text, "values are numbers");
        if (orr_model_find(s->call->model, setting->name) == (size_t)-1)
            return wrong(s, text, arena_printf(arena, "the model has no '%s'", setting->name));
        p += n;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- members

static bool find_selected(Study *s)
{
    const char *of = value_text(&s->experiment, "of");
    for (s->of = 0; of && s->of < s->n_observed; s->of++)
        if (strcmp(s->names[s->of], of) == 0) break;
    if (s->of < s->n_observed) return true;
    orr_diag_add(s->call->diag, "E022",
                 arena_printf(s->call->arena, "option '--of' cannot be '%s': it is not observed", of),
                 "observe it: --observe 'peak = max of x' --of peak");
    return false;
}

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    Study *s = self;
    Arena *arena = s->call->arena;
    const orr_experiment *e = &s->experiment;
    if (s->names) return true;
    const bool observes = e->n_observations > 0;
    s->n_columns = n;
    s->n_observed = observes ? e->n_observations : n;
    s->names = ARENA_ARRAY(arena, const char *, s->n_observed);
    s->units = ARENA_ARRAY(arena, const char *, s->n_observed);
    for (size_t i = 0; i < s->n_observed; i++) {
        const char *unit = observes ? observation_unit(s->call->model, &e->observations[i]) : units[i];
        s->names[i] = observes ? e->observations[i].name : arena_printf(arena, "%s at end", names[i]);
        s->units[i] = unit ? arena_copy_text(arena, unit, strlen(unit)) : NULL;
    }
    for (size_t k = 0; k < s->k; k++) s->all[k].y = ARENA_ARRAY(arena, double *, s->n_observed);
    if (s->table) {
        const char **all = ARENA_ARRAY(arena, const char *, n + 1), **all_units = ARENA_ARRAY(
                                                                         arena, const char *, n + 1);
        all[0] = "member";
        for (size_t i = 0; i < n; i++) all[i + 1] = names[i], all_units[i + 1] = units[i];
        s->row = ARENA_ARRAY(arena, double, n + 1);
        s->sink = orr_table_sink(s->table);
        s->sink.begin(s->sink.self, all, all_units, n + 1, time_unit);
    }
    static const char *const own[] = { "scenario", "replication" };
    if (s->members.file.out && !row_file_begin(&s->members.file, own, 2, s->names, s->n_observed, time_unit))
        return false;
    return find_selected(s);
}

static void keep_curve(Study *s, const orr_member *m)
{
    for (size_t i = 0; i < m->n_rows; i++) {
        s->row[0] = (double)(s->now - s->all) + 1;
        memcpy(s->row + 1, m->rows + i * s->n_columns, s->n_columns * sizeof *s->row);
        s->sink.row(s->sink.self, m->times[i], s->row, s->n_columns + 1);
    }
}

static bool take_member(void *self, const orr_member *m)
{
    Study *s = self;
    Scenario *x = s->now;
    s->members.n_done++;
    const bool failed = members_has_failed(m);
    if (failed && s->members.n_failed++ == 0)
        orr_diag_add(s->call->diag, "E509",
                     arena_printf(s->call->arena, "replication %zu of scenario %s failed at t = %.10g: %s",
                                  s->first + m->index, x->name, m->t,
                                  m->failure ? m->failure : orr_status_text(m->status)), NULL);
    if (m->n_violations) s->members.n_violated++;
    if (x->n == x->capacity) {
        x->capacity = x->capacity ? 2 * x->capacity : 64;
        for (size_t i = 0; i < s->n_observed; i++) {
            double *larger = ARENA_ARRAY(s->call->arena, double, x->capacity);
            if (x->n) memcpy(larger, x->y[i], x->n * sizeof *larger);
            x->y[i] = larger;
        }
    }
    const double *last = m->n_rows ? m->rows + (m->n_rows - 1) * s->n_columns : NULL;
    for (size_t i = 0; i < s->n_observed; i++)
        x->y[i][x->n] = failed || !last ? NAN : s->experiment.n_observations ? m->observed[i] : last[i];
    if (s->table && x->n == 0) keep_curve(s, m);
    x->n++;
    RowFile *file = &s->members.file;
    if (!file->out) return true;
    file->row[0] = (double)(x - s->all);
    file->row[1] = (double)(s->first + m->index);
    for (size_t i = 0; i < s->n_observed; i++) file->row[2 + i] = x->y[i][x->n - 1];
    return file->sink.row(file->sink.self, m->t, file->row, file->n);
}

static bool show_progress(void *self, size_t n_done, size_t n_members)
{
    (void)n_done, (void)n_members;
    members_progress(&((Study *)self)->members);
    return true;
}

// n more replications of a scenario.
static orr_status run_more(Study *s, Scenario *x, size_t n)
{
    Arena work = { 0 };
    orr_experiment e = s->experiment;
    orr_setting *settings = ARENA_ARRAY(&work, orr_setting, e.run.n_settings + x->n_settings);
    for (size_t i = 0; i < e.run.n_settings; i++) settings[i] = e.run.settings[i];
    for (size_t i = 0; i < x->n_settings; i++) settings[e.run.n_settings + i] = x->settings[i];
    e.run.settings = settings;
    e.run.n_settings += x->n_settings;
    e.run.number += x->n;
    // run numbers of other scenarios are far away
    if (given_of(&e, "independent")) e.run.number += (uint64_t)(x - s->all) << 40;
    orr_ensemble_options o = orr_ensemble_options_default();
    double *values = ARENA_ARRAY(&work, double, n * s->chance.n);
    chance_fill(&s->chance, NULL, e.run.seed, e.run.number, n, values);
    o.names = s->chance.names;
    o.n_names = s->chance.n;
    o.values = values;
    o.n_members = n;
    o.lanes = value_lanes(&e);
    o.n_threads = value_count(&e, "threads");
    o.cancel = s->call->how->cancel;
    s->now = x;
    s->first = x->n;
    orr_ensemble_facts facts = { 0 };
    const orr_member_sink sink = {
        .begin = begin, .member = take_member, .progress = show_progress, .self = s
    };
    const orr_status status = orr_ensemble_run(s->call->model, &e, &o, &sink, &facts, s->call->diag);
    s->seconds += 1e-3 * facts.simulate_ms;
    arena_free(&work);
    return status;
}

// ---------------------------------------------------------------------------------------------- comparing

// Replications that failed in one scenario count in none. How many are left.
static size_t drop_failed(Study *s)
{
    size_t n = s->all[0].n, kept = 0;
    for (size_t k = 1; k < s->k; k++) n = s->all[k].n < n ? s->all[k].n : n;
    for (size_t r = 0; r < n; r++) {
        bool is_good = true;
        for (size_t k = 0; k < s->k; k++)
            for (size_t i = 0; i < s->n_observed; i++) is_good &= !isnan(s->all[k].y[i][r]);
        for (size_t k = 0; k < s->k; k++)
            for (size_t i = 0; i < s->n_observed; i++) s->all[k].y[i][kept] = s->all[k].y[i][r];
        kept += is_good;
    }
    return kept;
}

static void say_observation(Study *s, size_t i, size_t n, double **columns, size_t *at)
{
    const double *y[SCENARIOS_MAX + 1];
    double low[SCENARIOS_MAX + 1], high[SCENARIOS_MAX + 1];
    for (size_t k = 0; k < s->k; k++) y[k] = s->all[k].y[i], low[k] = high[k] = NAN;
    if (s->k > 1 && n > 1) compare_best(y, s->k, n, s->confidence, s->sign, low, high);
    say(s->call, "  %s%s%s%s\n", s->names[i], s->units[i] ? " [" : "", s->units[i] ? s->units[i] : "",
        s->units[i] ? "]" : "");
    say(s->call, "    %-16s %13s %11s %13s %11s   %s\n", "scenario", "mean", "±", "minus base", "±",
        "better than the best of the others by");
    for (size_t k = 0; k < s->k; k++) {
        const Interval mean = compare_mean(y[k], n, s->confidence);
        const Interval d = k ? compare_paired(y[k], y[0], n, s->confidence) : (Interval){ NAN, NAN };
        say(s->call, "    %-16s %13.7g %11.4g", s->all[k].name, mean.mean, mean.half);
        if (k) say(s->call, " %13.7g %11.4g", d.mean, d.half);
        else say(s->call, " %13s %11s", "", "");
        say(s->call, "   %.5g to %.5g%s\n", low[k], high[k],
            low[k] == 0 && high[k] > 0 ? "  the best" : high[k] == 0 && low[k] < 0 ? "  not the best" : "");
        const double row[] = { mean.mean, mean.half, d.mean, d.half, low[k], high[k] };
        for (size_t c = 0; c < sizeof row / sizeof *row; c++) columns[c][*at] = row[c];
        (*at)++;
    }
}

static void say_table(Study *s, size_t n)
{
    static const char *const names[] = { "mean", "half_width", "difference", "difference_half_width",
                                         "best_low", "best_high" };
    enum { N = sizeof names / sizeof *names };
    Sheet sheet = sheet_begin(s->call, "scenarios", s->k * s->n_observed);
    const char **observations = sheet_texts(&sheet, "observation"), **scenarios = sheet_texts(&sheet,
                                                                                             "scenario");
    double *columns[N];
    size_t at = 0;
    for (size_t c = 0; c < N; c++) columns[c] = sheet_numbers(&sheet, names[c], NULL);
    for (size_t i = 0; i < s->n_observed * s->k; i++) {
        observations[i] = s->names[i / s->k];
        scenarios[i] = s->all[i % s->k].name;
    }
    for (size_t i = 0; i < s->n_observed; i++) say_observation(s, i, n, columns, &at);
    sheet_end(&sheet);
}

// A fixed number of replications of each.
static orr_status compare_all(Study *s)
{
    const size_t n = s->experiment.replications ? s->experiment.replications : REPLICATIONS_USUAL;
    orr_status status = ORR_STATUS_OK;
    s->members.n = n * s->k;
    for (size_t k = 0; k < s->k && status == ORR_STATUS_OK; k++) status = run_more(s, &s->all[k], n);
    if (status != ORR_STATUS_OK || !s->names) return status;
    const size_t kept = drop_failed(s);
    say(s->call, "%s: %zu scenarios, %zu replications of each in %.3g s, %s, intervals of confidence %g\n",
        call_title(s->call), s->k, kept, s->seconds,
        given_of(&s->experiment, "independent") ? "independent" : "with the same random numbers",
        s->confidence);
    say_table(s, kept);
    return status;
}

// [Kim and Nelson 2001]: scenarios leave as soon as another is better by far enough.
static orr_status select_best(Study *s)
{
    const orr_experiment *e = &s->experiment;
    const size_t n_first = value_count(e, "at-least") ? value_count(e, "at-least") : FIRST_USUAL,
                 at_most = value_count(e, "at-most") ? value_count(e, "at-most") : 100000;
    double variances[(SCENARIOS_MAX + 1) * (SCENARIOS_MAX + 1)], sums[SCENARIOS_MAX + 1] = { 0 };
    bool is_in[SCENARIOS_MAX + 1];
    Selection x = { .k = s->k, .n_first = n_first, .delta = value_number(e, "select"), .sign = s->sign,
                    .variances = variances, .is_in = is_in };
    orr_status status = ORR_STATUS_OK;
    s->members.n = n_first * s->k;
    bool is_done = false;
    for (size_t r = 1; !is_done && r <= at_most && status == ORR_STATUS_OK; r++) {
        for (size_t k = 0; k < s->k && status == ORR_STATUS_OK; k++) {
            Scenario *one = &s->all[k];
            if (one->is_in && one->n < r) status = run_more(s, one, r == 1 ? n_first : STAGE);
            if (status != ORR_STATUS_OK || !one->is_in) continue;
            if (isnan(one->y[s->of][r - 1])) status = ORR_STATUS_FAILED;
            sums[k] += one->y[s->of][r - 1];
        }
        if (status != ORR_STATUS_OK || r < n_first) continue;
        const double *y[SCENARIOS_MAX + 1];
        for (size_t k = 0; k < s->k; k++) y[k] = s->all[k].y[s->of];
        if (r == n_first) select_begin(&x, y, s->confidence);
        is_done = select_look(&x, sums, r);
        for (size_t k = 0; k < s->k; k++) {
            if (s->all[k].is_in) s->all[k].n_left = r;
            s->all[k].is_in = is_in[k];
        }
    }
    if (!s->names) return status;
    say(s->call, "%s: selection of the best of %zu by %s, if it is better by %g, with confidence %g\n",
        call_title(s->call), s->k, s->names[s->of], x.delta, s->confidence);
    for (size_t k = 0; k < s->k && s->all[k].n_left; k++)
        say(s->call, "    %-16s %13.7g  %zu replications%s\n", s->all[k].name,
            sums[k] / (double)s->all[k].n_left, s->all[k].n_left,
            !s->all[k].is_in ? "" : is_done ? "  selected" : "  still in");
    if (!is_done && status == ORR_STATUS_OK) say(s->call, "  not decided; --at-most N allows more\n");
    return status;
}

// Curves of the first replication of each, with their names.
static bool add_figures(Study *s, bool looks)
{
    static const orr_plot everything = { 0 };
    const orr_experiment *e = s->call->experiment;
    bool ok = true;
    for (size_t i = 0; s->table && s->names && i < (e->n_plots ? e->n_plots : 1); i++) {
        const orr_plot *plot = e->n_plots ? &e->plots[i] : &everything;
        if (plot->is_histogram) continue;
        orr_figure *f = orr_table_figure(s->table, plot, orr_model_name(s->call->model), s->call->diag);
        ok = f && ok;
        for (size_t k = 0; f && k < f->panels[0]->n_series && f->panels[0]->n_series == s->k; k++)
            f->panels[0]->series[k]->name = orr_figure_text(f, s->all[k].name);
        if (f) part_add(s->call, (orr_part){ .figure = f, .picture = i + 1, .is_file_only = !looks });
    }
    return ok;
}

static orr_status carry_out(Call *call)
{
    Study *s = ARENA_NEW(call->arena, Study);
    *s = (Study){ .call = call, .experiment = *call->experiment, .k = 1, .sign = 1 };
    orr_experiment *e = &s->experiment;
    s->all[0] = (Scenario){ .name = "base", .is_in = true };
    bool ok = chance_read(&s->chance, e, call->arena, call->diag);
    for (size_t i = 0; i < e->n_values; i++)
        if (strcmp(e->values[i].word, "scenario") == 0) ok = read_scenario(s, e->values[i].text) && ok;
    if (ok && s->k == 1) {
        orr_diag_add(call->diag, "E023", "'--scenario NAME: CHANGES' is missing",
                     "such as --scenario 'fast: K=3, M=2', or 'scenario fast : K = 3, M = 2'");
        ok = false;
    }
    if (!ok) return ORR_STATUS_USAGE;
    if (given_of(e, "least")) s->sign = -1;
    s->confidence = e->confidence > 0 ? e->confidence : 0.95;
    e->n_expects = e->n_sends = e->n_statistics = 0;
    const bool looks = !call->how->is_quiet && !call->how->output, draws = looks || call->how->n_pictures > 0;
    if (draws) s->table = table_add(call, 0);
    if (draws && e->every == 0 && !isnan(e->until)) e->every = (e->until - e->from) / TIMES_DRAWN;
    if (!draws) e->every = 0;
    s->members.call = call;
    if (!row_file_open(&s->members.file, call)) return ORR_STATUS_SYSTEM;
    orr_status status = isnan(value_number(e, "select")) ? compare_all(s) : select_best(s);
    status = row_file_close(&s->members.file, status);
    if (s->table && s->sink.end) s->sink.end(s->sink.self, status);
    if (status == ORR_STATUS_OK && s->members.n_failed) status = ORR_STATUS_FAILED;
    members_say_rest(&s->members);
    if (!add_figures(s, looks) && status == ORR_STATUS_OK) status = ORR_STATUS_USAGE;
    stat_count(call, "members", s->members.n_done);
    stat_count(call, "failed", s->members.n_failed);
    stat_ms(call, "simulate_ms", 1e3 * s->seconds);
    return status;
}

const Kind kind_scenarios = {
    .kind = {
        .name = "scenarios",
        .summary = "compare named sets of changes, with the same random numbers for each",
        .words = words,
        .n_words = sizeof words / sizeof *words,
        .implied_by = "scenario",
        .shared = "set reactions input sampling correlation allow-io until from every record observe solver "
                  "island step path tol abs max-step quantum seed run replications confidence threads lanes "
                  "max-time",
        .output = "FILE",
        .output_help = "write what each replication of each scenario shows as CSV, or as NetCDF-4 (.nc)",
        .details =
            "Each scenario is replicated (20 times unless --replications says otherwise) with the same "
            "random numbers. The table has the\n"
            "mean of each observation (--observe, else what is recorded, at the end), its difference to the "
            "experiment as it is with a\n"
            "paired interval, and how much better it is than the best of the others: intervals that hold all "
            "at once. --select DELTA goes\n"
            "on until the best is known [Kim and Nelson 2001].\n\n"
            "Example:\n"
            "  orrery scenarios examples/mass_spring.orr --scenario 'stiff: K=4' --scenario 'heavy: M=2' "
            "--observe 'max of v'\n",
    },
    .carry_out = carry_out,
};

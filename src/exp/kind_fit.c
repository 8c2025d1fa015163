// src/exp/kind_fit.c: calibration: parameters, initial values and inputs from data, each with its interval
// and a verdict.
//
//     words → Fit ──search, from one start or many→ FitFound → table, tests of the residuals, figures
#include "base/text.h"
#include "exp/data.h"
#include "exp/fit.h"
#include "exp/kind.h"
#include "model/model.h"
#include "num/design.h"
#include "num/random.h"
#include "num/student.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SERIES_MAX = 64,
    ROWS_DRAWN = 400,
    STARTS_USUAL = 10,
    SCANNED_PER_START = 40,    // points that are looked at before
};
#define TOLERANCE_USUAL  1e-10    // of runs inside a fit, where the experiment says none
#define DIFFERENCE_RUNS  2e-3     // how far differences reach: fourth order beside that tolerance
#define DIFFERENCE_EXACT 1e-3     // where nothing is integrated
#define SAME_OPTIMUM     1e-3     // relative, of parameters
#define SAME_SQUARES     1e-4     // relative
#define EXACT_SQUARES    1e-14    // of the squares of the data: both meet them exactly

static const orr_keyword words[] = {
    WORD("fit", LIST, "NAME[=START] [in LOW..HIGH] [log]",
         "a parameter, input or initial value to find: 'K=1 in 0.1..50'; may be repeated"),
    WORD("profile", FLAG, NULL,
      "follow each parameter until the sum of squares has grown as chance explains"),
    WORD("starts", COUNT, "N", "search from so many points within the bounds (default: 10 if there are any)",
      .low = 1, .high = 1e5, .hint = "a whole number such as 20"),
};

typedef struct Calibration {
    Call *call;
    Fit fit;
    FitParameter parameters[FIT_PARAMETERS_MAX];
    FitSeries series[SERIES_MAX];
    double start[FIT_PARAMETERS_MAX], confidence;
    FitFound best;
    FitProfile *profiles;                       // [n] if they were requested
    FitCause cause;                       // of what the best does not know
    double total;                         // sum of squares of the data
    size_t n_starts, n_equal, n_other;    // searches that ended at the same sum: there, elsewhere
    double elsewhere[FIT_PARAMETERS_MAX];
} Calibration;

// ---------------------------------------------------------------------------------------------- words

static bool wrong(const Calibration *c, const char *text, const char *why)
{
    diag_report(c->call->diag, DIAG_FIT_PARAMETER, (Place){ 0 }, text, why);
    diag_hint(c->call->diag,
              "write NAME, NAME=START, NAME=START in LOW..HIGH, and log behind it for its logarithm");
    return false;
}

// The next number of a text; false: there is none.
static bool take_number(Text *text, double *value)
{
    size_t n = 0;
    while (n < text->n && strchr("0123456789+-.eEinf", text->p[n]) &&
           !(text->p[n] == '.' && n + 1 < text->n && text->p[n + 1] == '.'))
        n++;
    char number[64];
    if (n == 0 || n >= sizeof number) return false;
    memcpy(number, text->p, n);
    number[n] = '\0';
    *text = text_trim((Text){ text->p + n, text->n - n });
    return orr_parse_number(number, value);
}

static bool take_word(Text *text, const char *word)
{
    const size_t n = strlen(word);
    if (text->n < n || memcmp(text->p, word, n) != 0) return false;
    *text = text_trim((Text){ text->p + n, text->n - n });
    return true;
}

static bool read_parameter(Calibration *c, const char *written)
{
    if (c->fit.n == FIT_PARAMETERS_MAX) return wrong(c, written, "no more than 64 things are fitted at once");
    FitParameter *x = &c->parameters[c->fit.n];
    *x = (FitParameter){ .start = NAN, .low = -INFINITY, .high = INFINITY };
    Text rest = text_trim(text_from(written));
    size_t n = 0;
    while (n < rest.n && !strchr("= ", rest.p[n])) n++;
    x->name = arena_copy_text(c->call->arena, rest.p, n);
    rest = text_trim((Text){ rest.p + n, rest.n - n });
    if (take_word(&rest, "=") && !take_number(&rest, &x->start))
        return wrong(c, written, "behind '=' stands a number");
    if (take_word(&rest, "in ") &&
        !(take_number(&rest, &x->low) && take_word(&rest, "..") && take_number(&rest, &x->high)))
        return wrong(c, written, "a range is written as LOW..HIGH");
    x->is_log = take_word(&rest, "log");
    if (rest.n)
        return wrong(c, written, arena_printf(c->call->arena, "'%.*s' is not expected", (int)rest.n, rest.p));
    if (!(x->low < x->high)) return wrong(c, written, "the lower bound comes first");
    if (x->is_log && !(x->high > 0)) return wrong(c, written, "what has a logarithm is positive");
    if (x->is_log && x->low < 0) x->low = 0;
    if (isfinite(x->start) && !(x->start >= x->low && x->start <= x->high))
        return wrong(c, written, "its start is outside its bounds");
    for (size_t i = 0; i < c->fit.n; i++)
        if (strcmp(c->parameters[i].name, x->name) == 0) return wrong(c, written, "it is given twice");
    const size_t variable = orr_model_find(c->call->model, x->name);
    if (variable == (size_t)-1) {
        const char *closest = orr_model_closest(c->call->model, x->name);
        return wrong(
            c, x->name,
            closest ? arena_printf(c->call->arena, "there is nothing of that name; is '%s' meant?", closest)
                    : "there is nothing of that name");
    }
    c->fit.n++;
    return true;
}

// Starts that were not given are the values of the model.
static bool find_starts(Calibration *c)
{
    orr_run *run = orr_run_create(c->call->model, &c->fit.experiment.run, c->call->diag);
    bool ok = run != NULL;
    for (size_t j = 0; j < c->fit.n && run; j++) {
        FitParameter *x = &c->parameters[j];
        if (isnan(x->start)) x->start = orr_run_value(run, orr_model_find(c->call->model, x->name));
        if (!(x->start >= x->low && x->start <= x->high) || (x->is_log && !(x->start > 0)))
            ok = wrong(
                c, x->name,
                arena_printf(c->call->arena, "it starts at %g, which is outside its bounds", x->start));
        c->start[j] = x->start;
    }
    orr_run_destroy(run);
    return ok;
}

// The data of the experiment, as far as they lie in its run; those of one condition stand together.
static bool take_data(Calibration *c)
{
    const orr_experiment *e = c->call->experiment;
    for (size_t condition = 0; condition <= e->n_conditions; condition++) {
        for (size_t i = 0; i < e->n_data; i++) {
            const orr_data *d = &e->data[i];
            if (d->condition != condition || d->observation || c->fit.n_series == SERIES_MAX) continue;
            FitSeries *s = &c->series[c->fit.n_series];
            *s = (FitSeries){ .variable = d->variable, .condition = condition };
            size_t first = 0;    // in order of time
            while (first < d->n && d->t[first] < e->from) first++;
            while (first + s->n < d->n && !(d->t[first + s->n] > e->until)) s->n++;
            s->t = d->t + first;
            s->y = d->values + first;
            s->deviation = d->deviations ? d->deviations + first : NULL;
            if (s->n > 0) c->fit.n_series++;
        }
    }
    return c->fit.n_series > 0;
}

static bool read_words(Calibration *c)
{
    const orr_experiment *e = c->call->experiment;
    bool ok = true;
    for (size_t i = 0; i < e->n_values; i++)
        if (strcmp(e->values[i].word, "fit") == 0) ok = read_parameter(c, e->values[i].text) && ok;
    if (!ok) return false;
    if (c->fit.n && take_data(c)) return true;
    orr_diag_add(c->call->diag, "E023",
                 c->fit.n ? "'--data NAME=FILE:COLUMN' is missing" : "'--fit NAME' is missing",
                 "such as orrery fit spring.orr --fit K --data x=measured.csv:position");
    return false;
}

// ---------------------------------------------------------------------------------------------- search

static bool show_progress(void *self, size_t step, double squares)
{
    Calibration *c = self;
    char text[120];
    snprintf(text, sizeof text, "start %zu of %zu, step %zu, sum of squares %.6g",
             c->n_equal + c->n_other + 1, c->n_starts, step, squares);
    if (c->call->how->progress) c->call->how->progress(c->call->how->self, NAN, text);
    return !(c->call->how->cancel && *c->call->how->cancel);
}

static bool is_same(const Calibration *c, const double *a, const double *b)
{
    for (size_t j = 0; j < c->fit.n; j++) {
        const FitParameter *x = &c->parameters[j];
        const double size = fmax(fmax(fabs(a[j]), fabs(b[j])), 1e-3 * fabs(x->start));
        const double room = isfinite(x->high - x->low) && !x->is_log ? x->high - x->low : 0;
        if (fabs(a[j] - b[j]) > SAME_OPTIMUM * fmax(size, 1e-3 * room)) return false;
    }
    return true;
}

static bool is_range(const FitParameter *x) { return isfinite(x->high - x->low); }

static bool has_range(const Calibration *c)
{
    for (size_t j = 0; j < c->fit.n; j++)
        if (is_range(&c->parameters[j])) return true;
    return false;
}

static double from_unit(const FitParameter *x, double u)
{
    if (!is_range(x)) return x->start;
    if (x->is_log && x->low > 0) return x->low * pow(x->high / x->low, u);
    return x->low + u * (x->high - x->low);
}

// Points within the bounds, the most promising of many first. [n_starts][n]
static double *choose_starts(Calibration *c)
{
    const size_t n = c->fit.n, n_all = SCANNED_PER_START * c->n_starts;
    double *points = ARENA_ARRAY(c->call->arena, double, n_all * n),
           *squares = ARENA_ARRAY(c->call->arena, double, n_all);
    design_latin(points, n_all, n, c->call->experiment->run.seed);
    for (size_t i = 0; i < n_all * n; i++) points[i] = from_unit(&c->parameters[i % n], points[i]);
    fit_squares(&c->fit, points, n_all, squares);
    for (size_t i = 0; i < c->n_starts; i++) {    // the best to the front
        size_t best = i;
        for (size_t k = i; k < n_all; k++)
            if (squares[k] < squares[best]) best = k;
        for (size_t j = 0; j < n; j++) {
            const double x = points[i * n + j];
            points[i * n + j] = points[best * n + j];
            points[best * n + j] = x;
        }
        squares[best] = squares[i];
    }
    return points;
}

// From the start that is given, and from others; the best of all, and whether another place is as good.
static bool search(Calibration *c)
{
    const size_t n = c->fit.n;
    const double *points = c->n_starts > 1 ? choose_starts(c) : NULL;
    c->best = fit_search(&c->fit, c->start, c->confidence);
    for (size_t i = 1; i < c->n_starts && c->best.result.end != LEAST_SQUARES_STOPPED; i++) {
        const FitFound found = fit_search(&c->fit, points + (i - 1) * n, c->confidence);
        if (found.result.end == LEAST_SQUARES_NO_START) continue;
        const bool has_best = c->best.result.end != LEAST_SQUARES_NO_START;
        const double best = has_best ? c->best.result.squares : INFINITY;
        const bool is_equal = fabs(found.result.squares - best) <=
                              SAME_SQUARES * best + EXACT_SQUARES * c->total;
        if (is_equal) {
            if (is_same(c, found.p, c->best.p)) c->n_equal++;
            else if (c->n_other++ == 0) memcpy(c->elsewhere, found.p, sizeof found.p);
        }
        if (!(found.result.squares < best)) continue;
        if (!is_equal) c->n_equal = c->n_other = 0;
        c->best = found;
    }
    return c->best.result.end != LEAST_SQUARES_NO_START;
}

// ---------------------------------------------------------------------------------------------- report

static bool is_open(const Calibration *c, size_t j)
{
    return c->profiles && (isnan(c->profiles[j].low) || isnan(c->profiles[j].high));
}

static const char *verdict_of(const Calibration *c, size_t j)
{
    if (c->best.is_at_bound[j]) return "at its bound";
    if (!isnan(c->best.error[j]) && is_open(c, j)) return "not by these data";
    if (isnan(c->best.error[j]))
        return c->cause.is_structural ? "locally structurally not" : "not by these data";
    return c->n_other ? "not unique" : "identifiable";
}

static void say_parameters(Calibration *c)
{
    const FitFound *b = &c->best;
    Sheet sheet = sheet_begin(c->call, "parameters", c->fit.n);
    const char **names = sheet_texts(&sheet, "parameter"), **verdicts = sheet_texts(&sheet, "verdict");
    double *value = sheet_numbers(&sheet, "value", NULL), *error = sheet_numbers(&sheet, "error", NULL),
           *low = sheet_numbers(&sheet, "low", NULL), *high = sheet_numbers(&sheet, "high", NULL);
    say(c->call, "  %-16s %14s %12s   %g %% interval\n", "parameter", "value", "std. error",
        100 * c->confidence);
    for (size_t j = 0; j < c->fit.n; j++) {
        names[j] = c->parameters[j].name;
        verdicts[j] = verdict_of(c, j);
        value[j] = b->p[j], error[j] = b->error[j], low[j] = b->low[j], high[j] = b->high[j];
        say(c->call, "  %-16s %14.8g", names[j], b->p[j]);
        if (isnan(b->error[j])) say(c->call, " %12s   %-28s", "none", "");
        else say(c->call, " %12.4g   %-12.6g to %-12.6g", b->error[j], b->low[j], b->high[j]);
        say(c->call, " %s\n", verdicts[j]);
    }
    sheet_end(&sheet);
}

static void say_end(Calibration *c, double end)
{
    if (isnan(end)) say(c->call, " %12s", "open");
    else say(c->call, " %12.6g", end);
}

// Intervals by profiles, which have the shape that the model has.
static void say_profiles(Calibration *c)
{
    Sheet sheet = sheet_begin(c->call, "profiles", c->fit.n);
    const char **names = sheet_texts(&sheet, "parameter");
    double *low = sheet_numbers(&sheet, "low", NULL), *high = sheet_numbers(&sheet, "high", NULL);
    say(c->call, "  %-16s %12s %12s   by its profile\n", "", "from", "to");
    for (size_t j = 0; j < c->fit.n; j++) {
        const FitProfile *profile = &c->profiles[j];
        names[j] = c->parameters[j].name;
        low[j] = profile->low, high[j] = profile->high;
        say(c->call, "  %-16s", names[j]);
        say_end(c, profile->low);
        say_end(c, profile->high);
        say(c->call, "   %zu points%s\n", profile->n,
            profile->has_better ? "; a lower sum was met: take more --starts" : "");
    }
    sheet_end(&sheet);
}

// What the data do not know: a direction in which parameters can move and nothing changes.
static void say_unknown(Calibration *c)
{
    const FitFound *b = &c->best;
    const size_t n = c->fit.n;
    if (c->cause.known)
        say(c->call, "  only %s is known, whatever the data of these variables\n", c->cause.known);
    for (size_t k = b->rank; k < b->n_free && !c->cause.known; k++) {
        say(c->call, "  nothing changes along");
        for (size_t j = 0; j < n; j++)
            if (fabs(b->directions[k * n + j]) > 1e-3)
                say(c->call, " %+.3g %s", b->directions[k * n + j], c->parameters[j].name);
        say(c->call, " (in units of what each changes)\n");
    }
    size_t n_unknown = 0;
    for (size_t j = 0; j < n; j++) n_unknown += isnan(b->error[j]) && !b->is_at_bound[j];
    if (n_unknown) {
        diag_report(c->call->diag, DIAG_FIT_UNKNOWN, (Place){ 0 }, n_unknown, n);
        diag_hint(c->call->diag, "fit fewer of them, or give data in which each is felt alone");
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (fabs(b->correlation[i * n + j]) > 0.99 && !isnan(b->error[i]) && !isnan(b->error[j]))
                say(c->call, "  %s and %s are nearly exchangeable: correlation %.5f\n", c->parameters[i].name,
                    c->parameters[j].name, b->correlation[i * n + j]);
    if (!c->n_other) return;
    say(c->call, "  %zu of %zu searches ended elsewhere with the same sum, such as", c->n_other, c->n_starts);
    for (size_t j = 0; j < n; j++)
        say(c->call, "%s %s = %.6g", j ? "," : "", c->parameters[j].name, c->elsewhere[j]);
    say(c->call, "\n");
}

// Do the signs of the residuals come in runs? Wald and Wolfowitz, by the normal distribution.
static void say_runs(Calibration *c, const FitSeries *s, const double *r)
{
    double n_up = 0, n_down = 0, n_runs = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (r[i] > 0) n_up++;
        else n_down++;
        if (i == 0 || (r[i] > 0) != (r[i - 1] > 0)) n_runs++;
    }
    const double n = n_up + n_down, mean = 1 + 2 * n_up * n_down / n,
                 variance = (mean - 1) * (mean - 2) / (n - 1);
    if (n < 10 || !(variance > 0)) return;
    const double z = (n_runs - mean) / sqrt(variance), p = erfc(fabs(z) / sqrt(2));
    say(c->call, "  residuals of %s: %.0f runs of one sign, %.0f expected (p = %.2g)%s\n", s->variable,
        n_runs, mean, p,
        p < 0.01
            ? z < 0 ? ": the model misses something that lasts" : ": neighbours differ more than chance would"
            : "");
}

static void say_quality(Calibration *c)
{
    const FitFound *b = &c->best;
    const double m = (double)c->fit.m, n = (double)c->fit.n, squares = b->result.squares;
    say(c->call, "  sum of squares %.10g, %g degrees of freedom", squares, m - (double)b->n_free);
    if (!c->fit.has_deviations && m > n) say(c->call, ", deviation of the residuals %.8g", b->deviation);
    say(c->call, "\n");
    // of a normal error whose deviation is known, or is one more parameter
    const double k = n + (c->fit.has_deviations ? 0 : 1),
                 fit = c->fit.has_deviations ? squares : m * log(squares / m);
    const double aic = fit + 2 * k, aicc = m > k + 1 ? aic + 2 * k * (k + 1) / (m - k - 1) : NAN,
                 bic = fit + k * log(m);
    if (squares > 0) say(c->call, "  AIC %.6g, BIC %.6g", aic, bic);
    if (squares > 0) say(c->call, isnan(aicc) ? "\n" : ", AICc %.6g\n", aicc);
    const double *r = b->result.r;
    for (size_t i = 0; i < c->fit.n_series; r += c->fit.series[i++].n) say_runs(c, &c->fit.series[i], r);
    say(c->call, "  %zu steps, %zu runs", b->result.n_steps, c->fit.n_runs);
    if (c->fit.n_failed)
        say(c->call, ", of which %zu failed and were avoided (%s)", c->fit.n_failed, c->fit.failure);
    say(c->call, "\n");
}

// ---------------------------------------------------------------------------------------------- figures

// The run of a group with what was found, as curves.
static orr_table *best_run(Calibration *c, const FitGroup *g)
{
    Call *call = c->call;
    orr_experiment e = g->experiment;
    orr_setting *settings = ARENA_ARRAY(call->arena, orr_setting, e.run.n_settings + c->fit.n);
    for (size_t i = 0; i < e.run.n_settings; i++) settings[i] = e.run.settings[i];
    for (size_t j = 0; j < c->fit.n; j++)
        settings[e.run.n_settings + j] = (orr_setting){ c->parameters[j].name, c->best.p[j] };
    e.run.settings = settings;
    e.run.n_settings += c->fit.n;
    e.n_times = 0;
    e.every = (e.until - e.from) / ROWS_DRAWN;
    orr_table *table = table_add(call, 0);
    orr_table_keep_curves(table, 0);
    const orr_sink sink = orr_table_sink(table);
    orr_outcome outcome = orr_simulate(call->model, &e, &sink, 1, call->diag);
    orr_outcome_free(&outcome);
    return table;
}

// A panel for each parameter: the rise of the sum, and the line where the interval ends.
static void draw_profiles(Calibration *c, bool looks)
{
    orr_figure *f = orr_figure_create(orr_model_name(c->call->model));
    for (size_t j = 0; j < c->fit.n; j++) {
        const FitProfile *profile = &c->profiles[j];
        orr_panel *panel = orr_figure_add_panel(f);
        panel->x.label = orr_figure_text(f, c->parameters[j].name);
        panel->x.is_log = c->parameters[j].is_log;
        panel->y.label = orr_figure_text(f, "rise / variance");
        panel->y.low = 0;
        panel->y.high = 2 * profile->limit;
        orr_series *line = orr_figure_add_series(f, panel, ORR_SERIES_LINE, "profile", profile->n);
        orr_series *limit = orr_figure_add_series(f, panel, ORR_SERIES_LINE, "end of the interval", 2);
        memcpy(line->x, profile->p, profile->n * sizeof *line->x);
        memcpy(line->y, profile->rise, profile->n * sizeof *line->y);
        limit->x[0] = profile->p[0];
        limit->x[1] = profile->p[profile->n - 1];
        limit->y[0] = limit->y[1] = profile->limit;
        limit->is_dashed = true;
    }
    part_add(c->call, (orr_part){ .figure = f, .picture = c->fit.n_series + 1, .is_file_only = !looks });
}

static void draw_residuals(orr_figure *f, const FitSeries *s, const double *r)
{
    orr_panel *panel = orr_figure_add_panel(f);
    panel->x.label = orr_figure_text(f, "t");
    panel->y.label = orr_figure_text(f, s->deviation ? "residual / deviation" : "residual");
    orr_series *points = orr_figure_add_series(f, panel, ORR_SERIES_POINTS, NULL, s->n);
    points->colour = 1;
    for (size_t i = 0; i < s->n; i++) {
        points->x[i] = s->t[i];
        points->y[i] = -r[i];
    }
}

// For each variable of each condition the data over the curve, then what is left.
static bool add_figures(Calibration *c, bool looks)
{
    const double *r = c->best.result.r;
    bool ok = true;
    for (size_t i = 0; i < c->fit.n_groups; i++) {
        const FitGroup *g = &c->fit.groups[i];
        const orr_table *table = best_run(c, g);
        for (size_t k = 0; k < g->n; k++) {
            const FitSeries *s = &c->fit.series[g->first + k];
            const orr_plot plot = { .ys = &s->variable, .n_ys = 1 };
            orr_figure *f = orr_table_figure(table, &plot, orr_model_name(c->call->model), c->call->diag);
            ok = f && ok;
            if (f) data_draw(c->call->experiment, s->condition, &plot, "", 1, f);
            if (f) draw_residuals(f, s, r);
            r += s->n;
            const orr_part part = { .figure = f, .picture = g->first + k + 1, .is_file_only = !looks };
            if (f) part_add(c->call, part);
        }
    }
    if (c->profiles) draw_profiles(c, looks);
    return ok;
}

// ---------------------------------------------------------------------------------------------- carrying out

// One run of the fit: what the data ask for, as exact as differences need.
static void prepare_experiment(Calibration *c)
{
    orr_experiment *e = &c->fit.experiment;
    *e = *c->call->experiment;
    e->n_expects = e->n_observations = e->n_plots = e->n_statistics = e->n_sends = 0;
    e->verdicts_only = true;
    e->kind = NULL;
    if (e->run.tolerance == 0) e->run.tolerance = TOLERANCE_USUAL;
    c->fit.reach = orr_model_get_facts(c->call->model).n_states ? DIFFERENCE_RUNS : DIFFERENCE_EXACT;
}

static orr_status carry_out(Call *call)
{
    Calibration c = { .call = call, .fit = { .model = call->model, .arena = call->arena } };
    prepare_experiment(&c);
    if (call->model->flat.draws.n || call->model->flat.noises.n) {
        diag_report(call->diag, DIAG_FIT_PARAMETER, (Place){ 0 }, orr_model_name(call->model),
                    "it draws at random, and one run of it is no curve");
        diag_hint(call->diag, "fit a model of its mean");
        return ORR_STATUS_USAGE;
    }
    if (!read_words(&c) || !find_starts(&c)) return ORR_STATUS_USAGE;
    Fit *f = &c.fit;
    f->has_deviations = true;
    for (size_t i = 0; i < f->n_series; i++)
        if (!c.series[i].deviation) f->has_deviations = false;
    f->parameters = c.parameters;
    f->series = c.series;
    f->how = orr_ensemble_options_default();
    f->how.lanes = value_lanes(call->experiment);
    f->how.n_threads = value_count(call->experiment, "threads");
    f->how.cancel = call->how->cancel;
    f->goes_on = show_progress;
    f->self = &c;
    c.confidence = call->experiment->confidence > 0 ? call->experiment->confidence : 0.95;
    c.n_starts = value_count(call->experiment, "starts");
    if (!c.n_starts) c.n_starts = has_range(&c) ? STARTS_USUAL : 1;
    if (!fit_prepare(f, call->diag)) return ORR_STATUS_USAGE;
    for (size_t i = 0; i < f->n_series; i++)
        for (size_t j = 0; j < c.series[i].n; j++) c.total += c.series[i].y[j] * c.series[i].y[j];
    if (!search(&c)) {
        diag_report(call->diag, DIAG_FIT_START, (Place){ 0 }, f->failure);
        diag_hint(call->diag, "give other starts, NAME=START, or bounds within which the model runs");
        return ORR_STATUS_FAILED;
    }
    say(call, "%s: %zu parameters from %zu points\n", call_title(call), f->n, f->m);
    if (c.best.result.end == LEAST_SQUARES_STOPPED) say(call, "  stopped before the end: the best so far\n");
    if (c.best.result.end == LEAST_SQUARES_TOO_MANY_STEPS) {
        diag_report(call->diag, DIAG_FIT_UNFINISHED, (Place){ 0 }, c.best.result.n_steps);
        diag_hint(call->diag, "give a better start, or bounds");
    }
    if (c.best.rank < c.best.n_free) c.cause = fit_explain(f, c.best.p);
    if (given_of(call->experiment, "profile") && f->m > c.best.n_free) {
        c.profiles = ARENA_ARRAY(call->arena, FitProfile, f->n);
        for (size_t j = 0; j < f->n; j++) c.profiles[j] = fit_profile(f, &c.best, j, c.confidence);
    }
    say_parameters(&c);
    if (c.profiles) say_profiles(&c);
    say_unknown(&c);
    say_quality(&c);
    const bool looks = !call->how->is_quiet && !call->how->output;
    const bool is_drawn = (!looks && !call->how->n_pictures) || add_figures(&c, looks);
    if (call->how->output && !sheet_write(call, "parameters", call->how->output)) return ORR_STATUS_SYSTEM;
    stat_count(call, "runs", f->n_runs);
    stat_count(call, "failed", f->n_failed);
    if (c.best.result.end == LEAST_SQUARES_STOPPED) return ORR_STATUS_CANCELLED;
    return is_drawn ? ORR_STATUS_OK : ORR_STATUS_USAGE;
}

const Kind kind_fit = {
    .kind = {
        .name = "fit",
        .summary = "find parameters from data: values, intervals and whether the data can tell them",
        .words = words,
        .n_words = sizeof words / sizeof *words,
        .implied_by = "fit",
        .shared = "set input allow-io data from until solver step tol abs max-step quantum confidence seed "
                  "threads lanes max-time",
        .output = "FILE",
        .output_help = "write the parameters as CSV; - is standard output",
        .details =
            "The sum of the squares of what the model misses of the data becomes the least there is within "
            "the bounds. A name\n"
            "is a parameter, an input or an initial value. Standard errors and intervals are those of the "
            "model made linear at\n"
            "the solution; what the data cannot tell has none, and what they do tell is named. --starts "
            "searches from many\n"
            "points within the bounds and reports places that are as good.\n\n"
            "Examples:\n"
            "  orrery run examples/mass_spring/spring.orr ideal\n"
            "  orrery fit examples/mass_spring/spring.orr --model Damped --fit 'K in 0.1..50 log' --fit D "
            "--data x=examples/mass_spring/measured.csv:x\n",
    },
    .carry_out = carry_out,
};

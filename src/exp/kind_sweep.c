// src/exp/kind_sweep.c: one experiment for many values: of parameters, inputs, initial values and options of
// the solver.
//
//     factors ──design→ members ──ensemble, one for each setting of the solver→ observations → table, figures
#include "exp/members.h"
#include "num/design.h"
#include "orrery/ensemble.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FACTORS_MAX = 32,
    MEMBERS_MAX = 100000000,
    VALUES_USUAL = 5,        // of a range in a grid
    POINTS_USUAL = 100,      // of designs that are no grids
    ROWS_SHOWN = 16,         // of the table of members
    CURVES_DRAWN = 200,      // members whose curves are kept for pictures
    TIMES_DRAWN = 300,       // rows of each, unless the experiment says how often
    NAMED_MAX = 8,           // members with a colour and a name of their own, see exp/figures.c
};

static const orr_keyword words[] = {
    WORD("sweep", LIST, "NAME=VALUES",
      "K=1,2,5; K=0..10:6, six values; K=0.01..100:5:log; 'solver step=0.1,0.01'; may be repeated"),
    WORD("design", TEXT, "grid|latin|sobol",
      "each value with each, a Latin hypercube, or a Sobol' sequence (default: grid)",
      .choices = "grid|latin|sobol", .hint = "latin and sobol fill ranges with --points points"),
    WORD("points", COUNT, "N", "members of designs that are no grids (default: 100)", .low = 1, .high = 1e8,
      .hint = "a whole number such as 64"),
    WORD("every", NUMBER, "DT", "record at this interval; 0 (default): only the end", .is_time = true),
    WORD("common", FLAG, NULL, "all members draw the same random numbers"),
};

// Something that is varied.
typedef struct Factor {
    const char *name;
    double     *values;      // [n] of a list
    size_t      n;
    bool        is_range, is_log;
    double      low, high;
    size_t      option;      // of a solver, in the list below, from 1; 0: a value of the model
} Factor;

static const struct {
    const char *name;
    size_t      at;
} options[] = {
    { "solver step", offsetof(orr_experiment, run.step) },
    { "solver tol", offsetof(orr_experiment, run.tolerance) },
    { "solver abs", offsetof(orr_experiment, run.absolute) },
    { "solver quantum", offsetof(orr_experiment, run.quantum) },
};

typedef struct Sweep {
    Call       *call;
    orr_experiment experiment;        // that the members carry out
    Factor      factors[FACTORS_MAX];
    size_t      n_factors, n_members;
    double     *points;               // [n_members][n_factors]
    Members     members;
    // what each member is measured by
    const char **names, **units;      // [n_observed]
    size_t      n_observed;
    size_t     *columns;              // [n_observed] of the last row, where no observation is asked for
    double     *observed;             // [n_members][n_observed]
    bool       *has_failed;           // [n_members]
    orr_table  *table;                // of curves; NULL: none
    orr_sink    sink;                 // into it
    double     *row;
    // the ensemble under way
    const size_t *which;              // [its members] their numbers
} Sweep;

// ---------------------------------------------------------------------------------------------- factors

static bool wrong(const Sweep *s, const char *text, const char *why)
{
    orr_diag_add(s->call->diag, "E022",
                 arena_printf(s->call->arena, "option '--sweep' cannot read '%s': %s", text, why),
                 "write K=1,2,5 or K=0..10:6 or K=0.01..100:5:log");
    return false;
}

static bool read_range(const Sweep *s, Factor *f, const char *text, const char *dots)
{
    char *parts = arena_copy_text(s->call->arena, dots + 2, strlen(dots + 2));
    const char *low = arena_copy_text(s->call->arena, text, (size_t)(dots - text));
    double n = VALUES_USUAL;
    f->is_range = true;
    for (char *part = strchr(parts, ':'), *next; part; part = next) {
        *part++ = '\0';
        next = strchr(part, ':');
        const size_t length = next ? (size_t)(next - part) : strlen(part);
        if (length == 3 && strncmp(part, "log", 3) == 0) f->is_log = true;
        else if (!orr_parse_number(arena_copy_text(s->call->arena, part, length), &n))
            return wrong(s, part, "behind ':' stands how many values, or log");
    }
    if (!orr_parse_number(low, &f->low) || !orr_parse_number(parts, &f->high) || !isfinite(f->low) ||
        !isfinite(f->high))
        return wrong(s, text, "both ends of a range are numbers");
    if (!(f->low < f->high)) return wrong(s, text, "the lower end comes first");
    if (f->is_log && !(f->low > 0)) return wrong(s, text, "a logarithmic range is positive");
    if (!(n >= 2 && n <= MEMBERS_MAX && n == floor(n))) return wrong(s, text, "a range has 2 or more values");
    f->n = (size_t)n;
    return true;
}

static double in_range(const Factor *f, double part)
{
    if (part <= 0) return f->low;
    if (part >= 1) return f->high;
    return f->is_log ? f->low * pow(f->high / f->low, part) : f->low + part * (f->high - f->low);
}

static bool read_list(const Sweep *s, Factor *f, const char *text)
{
    size_t n = 1;
    for (const char *p = text; *p; p++) n += *p == ',';
    f->values = ARENA_ARRAY(s->call->arena, double, n);
    for (const char *p = text;; p++) {
        const size_t length = strcspn(p, ",");
        const Text value = text_trim((Text){ p, length });
        if (!orr_parse_number(arena_copy_text(s->call->arena, value.p, value.n), &f->values[f->n++]))
            return wrong(s, text, "values are numbers with commas between them");
        p += length;
        if (!*p) return true;
    }
}

static bool read_factor(Sweep *s, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) return wrong(s, text, "a name and '=' come first");
    if (s->n_factors == FACTORS_MAX) return wrong(s, text, "no more than 32 things are varied at once");
    Factor *f = &s->factors[s->n_factors++];
    const Text name = text_trim((Text){ text, (size_t)(equals - text) });
    *f = (Factor){ .name = arena_copy_text(s->call->arena, name.p, name.n) };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(options[i].name, f->name) == 0) f->option = i + 1;
    for (size_t i = 0; i + 1 < s->n_factors; i++)
        if (strcmp(s->factors[i].name, f->name) == 0) return wrong(s, text, "it is given twice");
    const char *dots = strstr(equals, "..");
    if (!(dots ? read_range(s, f, equals + 1, dots) : read_list(s, f, equals + 1))) return false;
    for (size_t i = 0; f->option && i < f->n; i++)
        if (!((f->is_range ? f->low : f->values[i]) > 0))
            return wrong(s, text, "an option of the solver is positive");
    return true;
}

static double grid_value(const Factor *f, size_t i)
{
    return f->is_range ? in_range(f, (double)i / (double)(f->n - 1)) : f->values[i];
}

static bool make_points(Sweep *s)
{
    const orr_experiment *e = &s->experiment;
    const char *design = value_text(e, "design");
    const bool is_grid = !design || strcmp(design, "grid") == 0;
    double n = is_grid ? 1 : POINTS_USUAL;
    for (size_t k = 0; k < s->n_factors && is_grid; k++) n *= (double)s->factors[k].n;
    if (!is_grid && value_count(e, "points")) n = (double)value_count(e, "points");
    if (n > MEMBERS_MAX) return wrong(s, s->factors[0].name, "that makes more than 100,000,000 members");
    if (design && strcmp(design, "sobol") == 0 && s->n_factors > DESIGN_SOBOL_MAX)
        return wrong(s, s->factors[0].name, "a Sobol' sequence has up to 10 dimensions here: take latin");
    s->n_members = (size_t)n;
    s->points = ARENA_ARRAY(s->call->arena, double, s->n_members * s->n_factors);
    if (!is_grid && design[0] == 'l') design_latin(s->points, s->n_members, s->n_factors, e->run.seed);
    if (!is_grid && design[0] == 's') design_sobol(s->points, s->n_members, s->n_factors);
    for (size_t i = 0; i < s->n_members; i++) {
        size_t rest = i;
        for (size_t k = s->n_factors; k-- > 0;) {
            const Factor *f = &s->factors[k];
            double *point = &s->points[i * s->n_factors + k];
            if (is_grid) *point = grid_value(f, rest % f->n);
            else if (f->is_range) *point = in_range(f, *point);
            else *point = f->values[(size_t)(*point * (double)f->n)];
            rest /= f->n;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- members

static const char *keep_text(Sweep *s, const char *text)
{
    return text ? arena_copy_text(s->call->arena, text, strlen(text)) : NULL;
}

// The first member of the first ensemble tells what there is.
static void learn_columns(Sweep *s, const char *const *names, const char *const *units, size_t n)
{
    const orr_experiment *e = &s->experiment;
    const bool has_observations = s->call->experiment->n_observations > 0;
    s->n_observed = has_observations ? s->call->experiment->n_observations : n;
    s->names = ARENA_ARRAY(s->call->arena, const char *, s->n_observed);
    s->units = ARENA_ARRAY(s->call->arena, const char *, s->n_observed);
    s->columns = ARENA_ARRAY(s->call->arena, size_t, s->n_observed);
    for (size_t i = 0; i < s->n_observed; i++) {
        const orr_measurement *x = has_observations ? &s->call->experiment->observations[i] : NULL;
        s->names[i] = x ? x->name : arena_printf(s->call->arena, "%s at end", names[i]);
        s->units[i] = keep_text(s, x ? observation_unit(s->call->model, x) : units[i]);
        s->columns[i] = i;
        for (size_t c = 0; x && e->n_observations == 0 && c < n; c++)
            if (strcmp(names[c], x->variable) == 0) s->columns[i] = c;
    }
    s->observed = ARENA_ARRAY(s->call->arena, double, s->n_members * s->n_observed);
    for (size_t i = 0; i < s->n_members * s->n_observed; i++) s->observed[i] = NAN;
}

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    Sweep *s = self;
    if (s->observed) return true;    // another setting of the solver: the same columns
    learn_columns(s, names, units, n);
    if (s->table) {
        const char **all = ARENA_ARRAY(s->call->arena, const char *, n + 1),
                   **all_units = ARENA_ARRAY(s->call->arena, const char *, n + 1);
        all[0] = "member";
        for (size_t i = 0; i < n; i++) all[i + 1] = names[i], all_units[i + 1] = units[i];
        s->row = ARENA_ARRAY(s->call->arena, double, n + 1);
        s->sink = orr_table_sink(s->table);
        s->sink.begin(s->sink.self, all, all_units, n + 1, time_unit);
    }
    return members_begin(&s->members, names, n, time_unit);
}

static bool take_member(void *self, const orr_member *m)
{
    Sweep *s = self;
    const size_t member = s->which[m->index];
    const size_t n_columns = s->members.n_columns;
    s->has_failed[member] = members_has_failed(m);
    const double *last = m->n_rows ? m->rows + (m->n_rows - 1) * n_columns : NULL;
    for (size_t i = 0; last && i < s->n_observed && !s->has_failed[member]; i++)
        s->observed[member * s->n_observed + i] =
            s->experiment.n_observations ? m->observed[i] : last[s->columns[i]];
    for (size_t i = 0; s->table && member < CURVES_DRAWN && i < m->n_rows; i++) {
        s->row[0] = (double)member + 1;
        memcpy(s->row + 1, m->rows + i * n_columns, n_columns * sizeof *s->row);
        s->sink.row(s->sink.self, m->times[i], s->row, n_columns + 1);
    }
    return members_take(&s->members, m, member);
}

static bool show_progress(void *self, size_t n_done, size_t n_members)
{
    (void)n_done, (void)n_members;
    members_progress(&((Sweep *)self)->members);
    return true;
}

// Are two members alike in what the solver is told?
static bool same_solver(const Sweep *s, size_t a, size_t b)
{
    for (size_t k = 0; k < s->n_factors; k++)
        if (s->factors[k].option && s->points[a * s->n_factors + k] != s->points[b * s->n_factors + k])
            return false;
    return true;
}

// One ensemble: the members from `first` on that are alike in what the solver is told.
static orr_status run_group(Sweep *s, size_t first, bool *is_done, orr_ensemble_facts *facts)
{
    Call *call = s->call;
    Arena work = { 0 };
    orr_experiment e = s->experiment;
    orr_ensemble_options o = orr_ensemble_options_default();
    const char **names = ARENA_ARRAY(&work, const char *, s->n_factors);
    double *values = ARENA_ARRAY(&work, double, s->n_members * s->n_factors);
    size_t *which = ARENA_ARRAY(&work, size_t, s->n_members);
    for (size_t k = 0; k < s->n_factors; k++) {
        const double value = s->points[first * s->n_factors + k];
        const size_t option = s->factors[k].option;
        if (option) *(double *)(void *)((char *)&e + options[option - 1].at) = value;
        else names[o.n_names++] = s->factors[k].name;
    }
    for (size_t i = first; i < s->n_members; i++) {
        if (is_done[i] || !same_solver(s, first, i)) continue;
        is_done[i] = true;
        size_t n = 0;
        for (size_t k = 0; k < s->n_factors; k++)
            if (!s->factors[k].option)
                values[o.n_members * o.n_names + n++] = s->points[i * s->n_factors + k];
        which[o.n_members++] = i;
    }
    o.names = names;
    o.values = values;
    o.lanes = value_lanes(&e);
    o.common = given_of(&e, "common") != NULL;
    o.n_threads = value_count(&e, "threads");
    o.cancel = call->how->cancel;
    s->which = which;
    const orr_member_sink sink = {
        .begin = begin, .member = take_member, .progress = show_progress, .self = s
    };
    const orr_status status = orr_ensemble_run(call->model, &e, &o, &sink, facts, call->diag);
    arena_free(&work);
    return status;
}

static orr_status run_all(Sweep *s, double *seconds)
{
    bool *is_done = ARENA_ARRAY(s->call->arena, bool, s->n_members);
    orr_status status = ORR_STATUS_OK;
    for (size_t i = 0; i < s->n_members && status == ORR_STATUS_OK; i++) {
        orr_ensemble_facts facts = { 0 };
        if (is_done[i]) continue;
        status = run_group(s, i, is_done, &facts);
        *seconds += 1e-3 * facts.simulate_ms;
    }
    return status;
}

// ---------------------------------------------------------------------------------------------- outcome

static void add_sheet(Sweep *s)
{
    Sheet sheet = sheet_begin(s->call, "members", s->n_members);
    double *number = sheet_numbers(&sheet, "member", NULL);
    for (size_t i = 0; i < s->n_members; i++) number[i] = (double)i + 1;
    for (size_t k = 0; k < s->n_factors; k++) {
        double *values = sheet_numbers(&sheet, s->factors[k].name, NULL);
        for (size_t i = 0; i < s->n_members; i++) values[i] = s->points[i * s->n_factors + k];
    }
    for (size_t k = 0; k < s->n_observed; k++) {
        double *values = sheet_numbers(&sheet, s->names[k], s->units[k]);
        for (size_t i = 0; i < s->n_members; i++) values[i] = s->observed[i * s->n_observed + k];
    }
    sheet_end(&sheet);
}

static void say_cell(const Sweep *s, const char *text, const char *head)
{
    const int width = (int)strlen(head) > 12 ? (int)strlen(head) : 12;
    say(s->call, "  %*s", width, text);
}

static void say_table(const Sweep *s)
{
    say(s->call, "  %6s", "member");
    for (size_t k = 0; k < s->n_factors; k++) say_cell(s, s->factors[k].name, s->factors[k].name);
    for (size_t k = 0; k < s->n_observed; k++) say_cell(s, s->names[k], s->names[k]);
    say(s->call, "\n");
    const size_t n = s->n_members, rows = n < ROWS_SHOWN ? n : ROWS_SHOWN;
    for (size_t r = 0; r < rows; r++) {
        const size_t i = rows < 2 ? 0 : r * (n - 1) / (rows - 1);
        char text[32];
        say(s->call, "  %6zu", i + 1);
        for (size_t k = 0; k < s->n_factors; k++) {
            snprintf(text, sizeof text, "%.6g", s->points[i * s->n_factors + k]);
            say_cell(s, text, s->factors[k].name);
        }
        for (size_t k = 0; k < s->n_observed; k++) {
            const double value = s->observed[i * s->n_observed + k];
            snprintf(text, sizeof text, "%.8g", value);
            say_cell(s, s->has_failed[i] ? "failed" : isnan(value) ? "never" : text, s->names[k]);
        }
        say(s->call, "\n");
    }
}

// Of methods with fixed steps: how the results come closer to each other as steps become smaller.
static void say_orders(const Sweep *s)
{
    if (s->n_factors != 1 || s->factors[0].option != 1 || s->n_members < 3) return;
    say(s->call, "\n  how results change from one step to the next, and the order that this shows\n");
    for (size_t k = 0; k < s->n_observed; k++) {
        say(s->call, "  %s\n", s->names[k]);
        double before = NAN;
        for (size_t i = 0; i + 1 < s->n_members; i++) {
            const double h = s->points[i], next = s->points[i + 1];
            const double change = fabs(s->observed[(i + 1) * s->n_observed + k] -
                                       s->observed[i * s->n_observed + k]);
            say(s->call, "    %.6g to %.6g: %.3g", h, next, change);
            if (i > 0 && change > 0 && before > 0)
                say(s->call, ", order %.2f", log(before / change) / log(s->points[i - 1] / h));
            say(s->call, "\n");
            before = change;
        }
    }
}

// Where a value of a factor stands in a picture: in maps, whose cells are equal, logarithms where they are.
static double place_of(const Factor *f, double value, bool is_map)
{
    return is_map && f->is_log ? log10(value) : value;
}

static void label_axis(orr_figure *f, orr_axis *axis, const Factor *factor, bool is_map)
{
    const bool is_log = factor->is_log || factor->option;
    char text[256];
    snprintf(text, sizeof text, is_map && factor->is_log ? "log10 %s" : "%s", factor->name);
    axis->label = orr_figure_text(f, text);
    axis->is_log = is_log && !is_map;
}

static double cell_of(const Factor *f)
{
    const double first = place_of(f, grid_value(f, 0), true),
                 last = place_of(f, grid_value(f, f->n - 1), true);
    return f->n > 1 ? fabs(last - first) / (double)(f->n - 1) : 1;
}

// One factor: each observation over it. Two in a grid: a map of the first one.
static orr_figure *draw_observations(const Sweep *s)
{
    const char *design = value_text(&s->experiment, "design");
    const bool is_grid = !design || strcmp(design, "grid") == 0;
    const Factor *a = &s->factors[0], *b = &s->factors[1];
    if (s->n_factors > 2 || (s->n_factors == 2 && !is_grid) || s->n_members < 2) return NULL;
    orr_figure *f = orr_figure_create(orr_model_name(s->call->model));
    for (size_t k = 0; k < s->n_observed && k < 4; k++) {
        orr_panel *panel = orr_figure_add_panel(f);
        const bool is_map = s->n_factors == 2;
        label_axis(f, &panel->x, a, is_map);
        orr_series *points = orr_figure_add_series(f, panel, is_map ? ORR_SERIES_MAP : ORR_SERIES_POINTS,
                                                   NULL, s->n_members);
        for (size_t i = 0; i < s->n_members; i++) {
            const double value = s->observed[i * s->n_observed + k];
            points->x[i] = place_of(a, s->points[i * s->n_factors], is_map);
            if (is_map) points->y[i] = place_of(b, s->points[i * s->n_factors + 1], true);
            if (is_map) points->z[i] = value;
            else points->y[i] = value;
        }
        if (is_map) {
            label_axis(f, &panel->y, b, true);
            panel->z_label = orr_figure_text(f, s->names[k]);
            points->width = cell_of(a);
            points->height = cell_of(b);
        } else {
            panel->y.label = orr_figure_text(f, s->names[k]);
            panel->y.unit = orr_figure_text(f, s->units[k]);
        }
    }
    return f;
}

// Curves of the members, each with its values in the legend where they are few.
static bool add_figures(Sweep *s, bool looks)
{
    static const orr_plot everything = { 0 };
    const orr_experiment *e = s->call->experiment;
    const bool has_curves = s->table && orr_table_n_rows(s->table) > s->n_members;
    size_t picture = 0;
    bool ok = true;
    for (size_t i = 0; has_curves && i < (e->n_plots ? e->n_plots : 1); i++) {
        const orr_plot *plot = e->n_plots ? &e->plots[i] : &everything;
        if (plot->is_histogram) continue;
        orr_figure *f = orr_table_figure(s->table, plot, orr_model_name(s->call->model), s->call->diag);
        ok = f && ok;
        if (!f) continue;
        orr_panel *panel = f->panels[0];
        for (size_t k = 0; k < panel->n_series && panel->n_series == s->n_members && k < NAMED_MAX; k++)
            panel->series[k]->name = orr_figure_text(f, members_label(&s->members, k));
        part_add(s->call, (orr_part){ .figure = f, .picture = ++picture, .is_file_only = !looks });
    }
    orr_figure *f = draw_observations(s);
    if (f) part_add(s->call, (orr_part){ .figure = f, .picture = ++picture, .is_file_only = !looks });
    return ok;
}

// ---------------------------------------------------------------------------------------------- carrying out

// Values at the end alone are those of the last row, which lanes can compute.
static void take_ends_from_rows(Sweep *s)
{
    orr_experiment *e = &s->experiment;
    for (size_t i = 0; i < e->n_observations; i++)
        if (e->observations[i].what != ORR_OBSERVE_AT || !isnan(e->observations[i].at)) return;
    const char **records = ARENA_ARRAY(s->call->arena, const char *, e->n_records + e->n_observations);
    size_t n = 0;
    for (size_t i = 0; i < e->n_records; i++) records[n++] = e->records[i];
    for (size_t i = 0; i < e->n_observations; i++) records[n++] = e->observations[i].variable;
    if (n == 0) return;
    e->records = records;
    e->n_records = n;
    e->n_observations = 0;
}

static orr_status carry_out(Call *call)
{
    Sweep s = { .call = call, .experiment = *call->experiment };
    orr_experiment *e = &s.experiment;
    bool ok = true;
    for (size_t i = 0; i < e->n_values; i++)
        if (strcmp(e->values[i].word, "sweep") == 0) ok = read_factor(&s, e->values[i].text) && ok;
    if (ok && s.n_factors == 0) {
        orr_diag_add(call->diag, "E023", "'--sweep NAME=VALUES' is missing",
                     "such as --sweep K=1,2,5, or 'sweep K over 1, 2, 5' in the experiment");
        ok = false;
    }
    if (!ok || !make_points(&s)) return ORR_STATUS_USAGE;
    const bool looks = !call->how->is_quiet && !call->how->output;
    const bool draws = (looks || call->how->n_pictures > 0) && s.n_members <= CURVES_DRAWN;
    if (!isnan(value_number(e, "every"))) e->every = value_number(e, "every");
    else if (e->every == 0 && draws && !isnan(e->until)) e->every = (e->until - e->from) / TIMES_DRAWN;
    if (draws) s.table = table_add(call, 0);
    s.has_failed = ARENA_ARRAY(call->arena, bool, s.n_members);
    e->n_expects = 0;
    take_ends_from_rows(&s);
    const char **names = ARENA_ARRAY(call->arena, const char *, s.n_factors);
    for (size_t k = 0; k < s.n_factors; k++) names[k] = s.factors[k].name;
    s.members = (Members){ .call = call, .names = names, .values = s.points, .n_names = s.n_factors,
                           .n = s.n_members };
    if (!row_file_open(&s.members.file, call)) return ORR_STATUS_SYSTEM;
    double seconds = 0;
    orr_status status = run_all(&s, &seconds);
    status = row_file_close(&s.members.file, status);
    if (status == ORR_STATUS_USAGE || !s.observed) return status;
    if (status == ORR_STATUS_OK && s.members.n_failed) status = ORR_STATUS_FAILED;
    if (s.table && s.sink.end) s.sink.end(s.sink.self, status);
    add_sheet(&s);
    say(call, "%s: %zu of %zu members in %.3g s\n", call_title(call), s.members.n_done, s.n_members, seconds);
    say_table(&s);
    say_orders(&s);
    members_say_rest(&s.members);
    if (!add_figures(&s, looks) && status == ORR_STATUS_OK) status = ORR_STATUS_USAGE;
    stat_count(call, "members", s.members.n_done);
    stat_count(call, "failed", s.members.n_failed);
    stat_ms(call, "simulate_ms", 1e3 * seconds);
    return status;
}

const Kind kind_sweep = {
    .kind = {
        .name = "sweep",
        .summary = "run an experiment for many values of parameters, and compare",
        .words = words,
        .n_words = sizeof words / sizeof *words,
        .implied_by = "sweep",
        .shared = "set reactions input allow-io until from solver step path tol abs max-step quantum record "
                  "observe seed run threads lanes max-time",
        .output = "FILE",
        .output_help = "write the rows of all members as CSV, or as NetCDF-4 (.nc); - is standard output",
        .details =
            "Each value of --sweep makes a member; several make a grid, or the points that --design chooses. "
            "A name is a parameter,\n"
            "an input, an initial value, or an option of the solver: 'solver step', 'solver tol', 'solver "
            "abs', 'solver quantum'.\n"
            "Members are measured by what is observed (--observe), else by what is recorded, at the end. "
            "Pictures show the curves of\n"
            "the members and what is observed over what is varied, as a map if two things are.\n\n"
            "Examples:\n"
            "  orrery run examples/mass_spring.orr --sweep M=0.5,1,2 --plot 'x over t' --plot springs.svg\n"
            "  orrery sweep examples/lotka_volterra.orr --sweep alpha=1..2:11 --observe 'max of X'\n"
            "  orrery sweep examples/circle.csmp --sweep 'solver step=0.1,0.05,0.025,0.0125'\n",
    },
    .carry_out = carry_out,
};

// src/exp/kind_compare.c: one experiment by several methods, each twice, and how far they agree.
//
// Each method runs as it is asked and once more, finer: half the step, a tenth of the tolerance or quantum.
// What that changes is its own estimate of its error (for fixed steps of order p by Richardson, times
// 2^p/(2^p - 1)). Methods that have nothing in common and still agree are a stronger sign. Neither is a
// proof, and nothing here is called one.
#include "exp/kind.h"
#include <math.h>
#include <string.h>

enum { METHODS_MAX = 32, ROWS = 200 };
#define DIGITS_MOST 15.0
#define DIGITS_LOST 1.0    // fewer than this are none
#define HOPELESS    0.1    // a method that by its own estimate is this far off has no digit to agree on

static const orr_keyword words[] = {
    WORD("solvers", NAMES, "A,B", "methods (default: euler,rk4,dopri5,bdf,qss2,qss3)"),
    WORD("every", NUMBER, "DT", "compare at this interval (default: 200 times)"),
};

typedef struct Method {
    const orr_solver_info *solver;
    orr_table *rough, *fine;    // as asked, and finer
    size_t n_steps, n_rates;
    double ms;
    double own;     // its own estimate, in parts of the scale
    bool is_out;    // not asked when digits are counted
    bool was_cancelled;
} Method;

typedef struct Comparison {
    Method methods[METHODS_MAX];
    size_t n;
    size_t n_rows, n_columns;    // columns without t
    double *scale;               // [n_columns] largest value of any method
} Comparison;

// One run into a table of its own; NULL if it fails, which has been said.
static orr_table *run_once(Call *call, const orr_experiment *e, Method *m, bool is_counted)
{
    orr_table *table = table_add(call, 0);
    const orr_sink sink = orr_table_sink(table);
    orr_outcome outcome = orr_simulate(call->model, e, &sink, 1, call->diag);
    const bool ok = outcome.status == ORR_STATUS_OK;
    if (is_counted) {
        m->n_steps = outcome.facts.n_steps;
        m->n_rates = outcome.facts.n_rates;
        m->ms = outcome.facts.simulate_ms;
    }
    m->was_cancelled |= outcome.status == ORR_STATUS_CANCELLED;
    orr_outcome_free(&outcome);
    return ok ? table : NULL;
}

static void make_finer(orr_run_options *run, const orr_solver_info *solver, double span)
{
    if (solver->fixed_step) {
        run->step = (run->step > 0 ? run->step : span / 1000) / 2;
        return;
    }
    const double tolerance = run->tolerance > 0 ? run->tolerance : solver->is_quantised ? 0 : 1e-6;
    if (solver->is_quantised && run->quantum <= 0 && run->relative_quantum <= 0 && tolerance <= 0) {
        const double by_order[] = { 1e-3, 1e-4, 1e-5 };
        run->relative_quantum = by_order[solver->order - 1] / 10;
        return;
    }
    run->absolute /= 10;
    run->tolerance = tolerance / 10;
    run->quantum /= 10;
    run->relative_quantum /= 10;
    run->least_quantum /= 10;
}

static double column_distance(const Comparison *c, const orr_table *a, const orr_table *b, size_t row)
{
    double most = 0;
    for (size_t k = 0; k < c->n_columns; k++) {
        const double d = fabs(orr_table_column(a, k + 1)[row] - orr_table_column(b, k + 1)[row]);
        if (c->scale[k] > 0) most = fmax(most, d / c->scale[k]);
    }
    return most;
}

// The largest difference of any variable at any time, in parts of its largest value.
static double distance(const Comparison *c, const orr_table *a, const orr_table *b)
{
    double most = 0;
    for (size_t row = 0; row < c->n_rows; row++) most = fmax(most, column_distance(c, a, b, row));
    return most;
}

static double digits_of(double difference)
{
    if (!(difference > 0)) return isnan(difference) ? 0 : DIGITS_MOST;
    return fmax(0, fmin(DIGITS_MOST, -log10(difference)));
}

// On how many digits do all agree at a time, the finer runs included?
static double digits_at(const Comparison *c, size_t row)
{
    double most = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->methods[i].is_out) continue;
        most = fmax(most, column_distance(c, c->methods[i].rough, c->methods[i].fine, row));
        for (size_t k = 0; k < i; k++)
            if (!c->methods[k].is_out)
                most = fmax(most, column_distance(c, c->methods[i].fine, c->methods[k].fine, row));
    }
    return digits_of(most);
}

static orr_status run_all(Call *call, const orr_experiment *asked, Comparison *c)
{
    static const char *const usual[] = { "euler", "rk4", "dopri5", "bdf", "qss2", "qss3" };
    const orr_value *solvers = given_of(asked, "solvers");
    const char *const *names = solvers ? solvers->names : usual;
    const size_t n = solvers ? solvers->n_names : sizeof usual / sizeof *usual;
    bool ok = true;
    for (size_t i = 0; i < n && c->n < METHODS_MAX; i++) {
        const orr_solver_info *solver = orr_solver_find(names[i]);
        if (!solver) {
            diag_report(call->diag, DIAG_SOLVER_UNKNOWN, (Place){ 0 }, names[i]);
            diag_hint(call->diag, "'orrery solvers' lists them");
            ok = false;
            continue;
        }
        Method *m = &c->methods[c->n];
        *m = (Method){ .solver = solver };
        orr_experiment e = *asked;
        e.run.solver = solver->name;
        m->rough = run_once(call, &e, m, true);
        if (m->rough) {
            make_finer(&e.run, solver, e.until - e.from);
            m->fine = run_once(call, &e, m, false);
        }
        if (m->was_cancelled) return ORR_STATUS_CANCELLED;
        if (m->fine) c->n++;
        if (call->how->progress)
            call->how->progress(call->how->self, (double)(i + 1) / (double)n, solver->name);
    }
    if (ok && c->n < 2)
        orr_diag_add(call->diag, "E022", "fewer than two methods came to the end: nothing to compare",
                     "give others by --solvers A,B");
    return !ok ? ORR_STATUS_USAGE : c->n >= 2 ? ORR_STATUS_OK : ORR_STATUS_FAILED;
}

static void measure(Call *call, Comparison *c)
{
    const orr_table *first = c->methods[0].rough;
    c->n_columns = orr_table_n_columns(first) - 1;
    c->n_rows = orr_table_n_rows(first);
    for (size_t i = 0; i < c->n; i++) {
        const size_t n = orr_table_n_rows(c->methods[i].fine);
        if (n < c->n_rows) c->n_rows = n;
    }
    c->scale = ARENA_ARRAY(call->arena, double, c->n_columns);
    for (size_t k = 0; k < c->n_columns; k++)
        for (size_t i = 0; i < c->n; i++)
            for (size_t row = 0; row < c->n_rows; row++) {
                const double v = fabs(orr_table_column(c->methods[i].fine, k + 1)[row]);
                if (isfinite(v)) c->scale[k] = fmax(c->scale[k], v);
            }
    for (size_t i = 0; i < c->n; i++) {
        Method *m = &c->methods[i];
        const double power = m->solver->fixed_step ? pow(2, m->solver->order) : 10;
        m->own = distance(c, m->rough, m->fine) * power / (power - 1);
    }
    // where some methods know better, those that know nothing are left out; where none does, the model is the
    // reason
    size_t n_good = 0;
    for (size_t i = 0; i < c->n; i++) n_good += c->methods[i].own < HOPELESS;
    for (size_t i = 0; i < c->n; i++) c->methods[i].is_out = n_good >= 2 && !(c->methods[i].own < HOPELESS);
}

static void say_methods(Call *call, const Comparison *c)
{
    size_t best = 0;
    for (size_t i = 1; i < c->n; i++)
        if (c->methods[i].own < c->methods[best].own) best = i;
    say(call, "\n%-20s %10s %12s %9s   %-14s %s\n", "method", "steps", "rates", "ms", "own estimate",
           "from the surest other");
    for (size_t i = 0; i < c->n; i++) {
        const Method *m = &c->methods[i];
        size_t other = best;
        if (i == best) {
            other = i == 0 ? 1 : 0;
            for (size_t k = 0; k < c->n; k++)
                if (k != i && c->methods[k].own < c->methods[other].own) other = k;
        }
        say(call, "%-20s %10zu %12zu %9.2f   %-14.1e %.1e (%s)\n", m->solver->name, m->n_steps, m->n_rates,
               m->ms, m->own, distance(c, m->rough, c->methods[other].fine), c->methods[other].solver->name);
    }
    say(call, "\nlargest difference between any two, in parts of the largest value\n%-12s", "");
    for (size_t k = 0; k + 1 < c->n; k++) say(call, " %9.9s", c->methods[k].solver->name);
    for (size_t i = 1; i < c->n; i++) {
        say(call, "\n%-12.12s", c->methods[i].solver->name);
        for (size_t k = 0; k < i; k++)
            say(call, " %9.1e", distance(c, c->methods[i].rough, c->methods[k].rough));
    }
    say(call, "\n");
}

static orr_table *table_of_digits(Call *call, const Comparison *c)
{
    static const char *const names[] = { "digits" }, *const units[] = { NULL };
    orr_table *table = table_add(call, 0);
    const orr_sink sink = orr_table_sink(table);
    sink.begin(sink.self, names, units, 1, orr_model_time_unit(call->model));
    for (size_t row = 0; row < c->n_rows; row++) {
        const double digits = digits_at(c, row);
        sink.row(sink.self, orr_table_column(c->methods[0].fine, 0)[row], &digits, 1);
    }
    if (sink.end) sink.end(sink.self, ORR_STATUS_OK);
    return table;
}

static void say_verdict(Call *call, const Comparison *c, const orr_table *digits)
{
    const double *t = orr_table_column(digits, 0), *d = orr_table_column(digits, 1);
    double least = DIGITS_MOST;
    size_t lost = c->n_rows, n = 0;
    say(call, "\n");
    for (size_t i = 0; i < c->n; i++) {
        n += !c->methods[i].is_out;
        if (c->methods[i].is_out)
            say(call, "%s is not asked: by its own estimate it has no digit "
                   "right here. Give it a smaller step or tolerance.\n",
                   c->methods[i].solver->name);
    }
    for (size_t row = 0; row < c->n_rows; row++) {
        least = fmin(least, d[row]);
        if (d[row] < DIGITS_LOST && lost == c->n_rows) lost = row;
    }
    size_t n_steps = 0;
    for (size_t i = 0; i < c->n; i++) n_steps += c->methods[i].n_steps;
    if (n_steps == 0 || orr_model_get_facts(call->model).n_states == 0) {
        say(call, "Nothing was integrated: what has no states is computed by none of the methods, and that "
                  "they agree says nothing.\n");
        return;
    }
    if (lost == c->n_rows) {
        say(call, "%zu methods agree on %.0f digits or more at every time "
               "compared. That is agreement, not proof: they may\n"
               "share an error, and no method knows whether the model is right.\n",
               n, floor(least));
        return;
    }
    size_t half = 0;
    while (half < lost && d[half] >= 3) half++;
    if (half > 0) say(call, "%zu methods agree on 3 digits or more until t = %.6g", n, t[half - 1]);
    else say(call, "%zu methods never agree on 3 digits", n);
    say(call, " and have no digit in common at t = %.6g.\n"
           "What a method shows from there on is its own, not the "
           "model's: small errors have grown until they are all there is.\n"
           "A finer tolerance puts that off. What does not depend on a "
           "single path, such as a mean, may still agree.\n",
           t[lost]);
}

static orr_status carry_out(Call *call)
{
    orr_experiment e = *call->experiment;
    const double every = value_number(&e, "every");
    if (isnan(e.until)) e.until = e.from + 10;
    e.every = every > 0 ? every : (e.until - e.from) / ROWS;
    e.n_expects = e.n_plots = e.n_sends = 0;
    e.run.cancel = call->how->cancel;
    Comparison c = { 0 };
    const orr_status status = run_all(call, &e, &c);
    if (status != ORR_STATUS_OK) return status;
    measure(call, &c);
    say(call, "%s: %zu methods, %zu variables at %zu times, t = %g to %g %s; each once more, finer\n",
        call_title(call), c.n, c.n_columns, c.n_rows, e.from, e.until, orr_model_time_unit(call->model));
    say_methods(call, &c);
    orr_table *digits = table_of_digits(call, &c);
    Sheet sheet = sheet_begin(call, "digits", c.n_rows);
    memcpy(sheet_numbers(&sheet, "t", orr_model_time_unit(call->model)), orr_table_column(digits, 0),
           c.n_rows * sizeof(double));
    memcpy(sheet_numbers(&sheet, "digits", NULL), orr_table_column(digits, 1), c.n_rows * sizeof(double));
    sheet_end(&sheet);
    say(call, "\n");
    part_add(call, (orr_part){ .figure = orr_table_figure(digits, &(orr_plot){ 0 },
                                                          "digits on which the methods agree", call->diag),
                               .picture = 1 });
    say_verdict(call, &c, digits);
    return sheet_write(call, "digits", call->how->output) ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

const Kind kind_compare = {
    .kind = {
        .name = "compare",
        .summary = "Run by several methods and show how far they agree",
        .words = words,
        .n_words = sizeof words / sizeof *words,
        .shared = "set reactions input allow-io until from step path tol abs max-step quantum record "
                  "seed run max-time",
        .output = "FILE",
        .output_help = "write the digits over time as CSV; - is standard output",
        .details = "Each method runs as asked and once more, finer; what that "
                   "changes is its own estimate of its error.\n"
                   "  orrery compare examples/lorenz.orr --solvers rk4,dopri5,qss3\n"
                   "  orrery compare examples/lotka_volterra.orr cycle --tol 1e-8 --quantum 1e-5\n",
    },
    .carry_out = carry_out,
};

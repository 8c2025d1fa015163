// src/lang/print_experiment.c: experiments and frames.
#include "lang/print.h"

static void print_refs(const AstRef *refs, uint32_t n, Printer *p)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) print_text(p, ", ");
        print_ref(&refs[i], p);
    }
}

static void print_timing(const char *word, const AstExpr *value, Printer *p)
{
    if (!value) return;
    print_format(p, "  %s ", word);
    print_expr(value, p);
    print_char(p, '\n');
}

// stdin, "data.csv", udp "5005"
static void print_address(const char *kind, const char *address, Printer *p)
{
    if (strcmp(kind, "csv") != 0) print_format(p, " %s", kind);
    if (*address) print_format(p, " \"%s\"", address);
}

static void print_input(const AstInput *input, Printer *p)
{
    print_text(p, "  input ");
    print_ref(&input->target, p);
    if (input->value) {
        print_text(p, " = ");
        print_expr(input->value, p);
    } else {
        print_text(p, " from");
        print_address(input->kind, input->address, p);
        if (input->column) print_format(p, " column \"%s\"", input->column);
        if (input->time) print_format(p, " time \"%s\"", input->time);
        for (uint32_t i = 0; i < input->n_columns; i++)
            print_format(p, "%s\"%s\"", i ? ", " : " columns ", input->columns[i]);
        print_format(p, " %s%s", input->is_messages ? "as messages" : input->between,
                   input->is_cyclic ? " cyclic" : "");
        if (input->outside) print_format(p, " outside %s", input->outside);
    }
    print_char(p, '\n');
}

static void print_ranges(const char *word, const AstClaim *ranges, uint32_t n, Printer *p)
{
    for (uint32_t i = 0; i < n; i++) {
        print_format(p, "  %s ", word);
        print_ref(&ranges[i].what, p);
        if (ranges[i].low) {
            print_text(p, " in ");
            print_expr(ranges[i].low, p);
            print_text(p, "..");
            print_expr(ranges[i].high, p);
        }
        print_char(p, '\n');
    }
}

void print_frame(const AstFrame *f, Printer *p)
{
    print_text(p, "frame ");
    print_name(f->name, p);
    print_text(p, " of ");
    print_name(f->model, p);
    print_doc(f->doc, p);
    print_char(p, '\n');
    print_ranges("input", f->inputs, f->n_inputs, p);
    print_ranges("range", f->ranges, f->n_ranges, p);
    if (f->n_observes > 0) {
        print_text(p, "  observe ");
        print_refs(f->observes, f->n_observes, p);
        print_char(p, '\n');
    }
    if (f->outside) print_format(p, "  outside %s\n", f->outside);
    print_text(p, "end\n");
}

static void print_statistics(const AstStatistic *s, Printer *p)
{
    print_text(p, "  statistics ");
    print_refs(s->refs, s->n_refs, p);
    for (uint32_t i = 0; i < s->n_percentiles; i++) {
        print_text(p, i ? ", " : " percentiles ");
        print_expr(s->percentiles[i], p);
    }
    if (s->has_histogram) print_text(p, " histogram");
    if (s->n_bins) {
        print_char(p, ' ');
        print_expr(s->n_bins, p);
        print_text(p, " bins");
    }
    if (s->low) {
        print_text(p, " in ");
        print_expr(s->low, p);
        print_text(p, "..");
        print_expr(s->high, p);
    }
    print_char(p, '\n');
}

static void print_solver(const AstSolver *solver, Printer *p)
{
    if (!solver->name) return;
    print_text(p, "  solver ");
    if (solver->island.n_parts > 0) {
        print_refs(&solver->island, 1, p);
        print_text(p, " : ");
    }
    print_text(p, solver->name);
    for (uint32_t i = 0; i < solver->n_options; i++) {
        print_format(p, " %s ", solver->options[i].target.parts[0].name);    // is never quoted
        print_expr(solver->options[i].value, p);
    }
    print_char(p, '\n');
}

static void print_setting_line(const char *word, const AstSetting *settings, uint32_t n, Printer *p)
{
    if (n == 0) return;
    print_format(p, "  %s ", word);
    print_settings(settings, n, p);
    print_char(p, '\n');
}

static void print_precision(const AstExperiment *e, Printer *p)
{
    if (!e->precision) return;
    print_text(p, "  precision ");
    print_expr(e->precision, p);
    for (uint32_t i = 0; i < e->n_precise; i++) {
        print_text(p, i ? ", " : " of ");
        if (e->precise_means[i]) print_text(p, "mean(");
        print_ref(&e->precise[i], p);
        if (e->precise_means[i]) print_text(p, ")");
    }
    print_char(p, '\n');
}

static void print_plot(const AstPlot *plot, Printer *p)
{
    print_text(p, plot->is_histogram ? "  plot histogram of " : "  plot ");
    print_refs(plot->ys, plot->n_ys, p);
    if (plot->over.n_parts > 0) {
        print_text(p, " over ");
        print_ref(&plot->over, p);
    }
    print_char(p, '\n');
}

static void print_data_column(const AstDataColumn *c, Printer *p)
{
    print_format(p, " column \"%s\"", c->column);
    print_unit_of(c->unit, p);
    if (c->deviation) print_format(p, " deviation \"%s\"", c->deviation);
    print_clause("deviation", c->sd, p);
}

static void print_data(const AstData *d, Printer *p)
{
    print_format(p, "  data \"%s\"", d->file);
    if (d->time) print_format(p, " time \"%s\"", d->time);
    for (uint32_t i = 0; i < d->n_columns; i++) {
        print_text(p, i ? ", " : " ");
        print_expr(d->columns[i].what, p);
        print_text(p, " =");
        print_data_column(&d->columns[i], p);
    }
    if (d->n_where) print_text(p, " where ");
    print_settings(d->where, d->n_where, p);
    print_char(p, '\n');
}

static void print_observe(const AstObserve *o, Printer *p)
{
    static const char *const words[] = {
        [AST_MEASURE_AT] = "",
        [AST_MEASURE_MAX] = "max of ",
        [AST_MEASURE_MIN] = "min of ",
        [AST_MEASURE_MEAN] = "mean of ",
        [AST_MEASURE_INTEGRAL] = "integral of ",
        [AST_MEASURE_QUANTILE] = "",
        [AST_MEASURE_TIME] = "time when ",
        [AST_MEASURE_COUNT] = "count when ",
        [AST_MEASURE_ALWAYS] = "always ",
        [AST_MEASURE_EVENTUALLY] = "eventually ",
        [AST_MEASURE_NEVER] = "never ",
        [AST_MEASURE_FOLLOWS] = "",
        [AST_MEASURE_MISFIT] = "misfit to data",
    };
    static const char *const relations[] = {
        [AST_LT] = " < ", [AST_LE] = " <= ", [AST_GT] = " > ", [AST_GE] = " >= "
    };
    if (o->measure == AST_MEASURE_QUANTILE) print_format(p, "p%.0f of ", 100 * o->part);
    print_text(p, words[o->measure]);
    if (o->what) print_expr(o->what, p);
    if (o->data) {
        print_format(p, " follows \"%s\"", o->data->file);
        if (o->data->time) print_format(p, " time \"%s\"", o->data->time);
        print_data_column(o->data->columns, p);
    }
    if (o->level) {
        print_text(p, relations[o->relation]);
        print_expr(o->level, p);
    }
    print_clause("at", o->at, p);
    print_clause("from", o->from, p);
    print_clause("to", o->to, p);
}

void ast_print_observe(const AstObserve *o, FILE *out) { print_observe(o, &(Printer){ .out = out }); }

static void print_expect(const AstExpect *expect, Printer *p)
{
    print_text(p, "  expect ");
    print_observe(&expect->what, p);
    if (expect->value) {
        print_text(p, " = ");
        print_expr(expect->value, p);
    }
    if (expect->within) {
        print_text(p, " within ");
        print_expr(expect->within, p);
    }
    print_char(p, '\n');
}

static void print_fit(const AstVaried *f, Printer *p)
{
    print_text(p, "  fit ");
    print_ref(&f->what, p);
    print_clause("from", f->start, p);
    print_clause("in", f->low, p);
    if (f->high) print_text(p, "..");
    if (f->high) print_expr(f->high, p);
    if (f->is_log) print_text(p, " log");
    print_char(p, '\n');
}

static void print_sweep(const AstVaried *s, Printer *p)
{
    if (s->is_fit) {
        print_fit(s, p);
        return;
    }
    print_text(p, "  sweep ");
    if (s->option) print_format(p, "solver %s", s->option);
    else print_ref(&s->what, p);
    print_text(p, " over ");
    for (uint32_t i = 0; i < s->n_values; i++) {
        if (i > 0) print_text(p, ", ");
        print_expr(s->values[i], p);
    }
    if (s->low) {
        print_expr(s->low, p);
        print_text(p, "..");
        print_expr(s->high, p);
        print_clause("in", s->count, p);
        if (s->is_log) print_text(p, " log");
    }
    print_char(p, '\n');
}

static void print_kind(const AstExperiment *e, Printer *p)
{
    if (e->keeps) print_text(p, "  keep\n");
    if (e->n_kind > 0) print_text(p, "  kind");
    for (uint32_t i = 0; i < e->n_kind; i++) {
        const AstTerm *term = &e->kind[i];
        print_text(p, term->before == ','   ? ", "
                      : term->before == '=' ? " = "
                      : term->before == '.' ? ".."
                                            : " ");
        if (term->is_quoted) print_format(p, "\"%s\"", term->name);
        else if (term->name) print_text(p, term->name);
        else print_expr(term->value, p);
    }
    if (e->n_kind > 0) print_char(p, '\n');
}

void print_experiment(const AstExperiment *e, Printer *p)
{
    print_text(p, "experiment ");
    print_name(e->name, p);
    print_text(p, " of ");
    print_name(e->model, p);
    if (e->frame) {
        print_text(p, " in ");
        print_name(e->frame, p);
    }
    print_doc(e->doc, p);
    print_char(p, '\n');
    if (e->missing) print_format(p, "  # %s must be given\n", e->missing);
    print_kind(e, p);
    print_timing("from", e->from, p);
    print_timing("until", e->until, p);
    print_timing("every", e->every, p);
    print_solver(&e->solver, p);
    for (uint32_t i = 0; i < e->n_islands; i++) print_solver(&e->islands[i], p);
    if (e->reactions) print_format(p, "  reactions as %s\n", e->reactions);
    print_setting_line("set", e->sets, e->n_sets, p);
    for (uint32_t i = 0; i < e->n_draws; i++) {
        print_text(p, "  set ");
        print_ref(&e->draws[i].target, p);
        print_text(p, " ~ ");
        print_expr(e->draws[i].value, p);
        print_char(p, '\n');
    }
    for (uint32_t i = 0; i < e->n_correlations; i++) {
        print_text(p, "  correlation ");
        print_ref(&e->correlations[i].a, p);
        print_text(p, ", ");
        print_ref(&e->correlations[i].b, p);
        print_text(p, " = ");
        print_expr(e->correlations[i].value, p);
        print_char(p, '\n');
    }
    print_setting_line("quantum", e->quanta, e->n_quanta, p);
    print_setting_line("abs", e->absolutes, e->n_absolutes, p);
    for (uint32_t i = 0; i < e->n_inputs; i++) print_input(&e->inputs[i], p);
    for (uint32_t i = 0; i < e->n_sends; i++) {
        print_text(p, "  output ");
        print_refs(e->sends[i].refs, e->sends[i].n_refs, p);
        print_text(p, " to");
        print_address(e->sends[i].kind, e->sends[i].address, p);
        print_char(p, '\n');
    }
    print_timing("seed", e->seed, p);
    print_timing("replications", e->replications, p);
    print_timing("warm up", e->warm_up, p);
    print_timing("confidence", e->confidence, p);
    print_precision(e, p);
    if (e->outside) print_format(p, "  outside %s\n", e->outside);
    if (e->n_records > 0) {
        print_text(p, "  record ");
        print_refs(e->records, e->n_records, p);
        if (e->as_polynomials) print_text(p, " as polynomials");
        print_char(p, '\n');
    }
    for (uint32_t i = 0; i < e->n_plots; i++) print_plot(&e->plots[i], p);
    for (uint32_t i = 0; i < e->n_statistics; i++) print_statistics(&e->statistics[i], p);
    for (uint32_t i = 0; i < e->n_varied; i++) print_sweep(&e->varied[i], p);
    for (uint32_t i = 0; i < e->n_data; i++) print_data(&e->data[i], p);
    for (uint32_t i = 0; i < e->n_scenarios; i++) {
        print_text(p, "  scenario ");
        print_name(e->scenarios[i].name, p);
        print_text(p, " : ");
        print_settings(e->scenarios[i].sets, e->scenarios[i].n_sets, p);
        print_char(p, '\n');
    }
    if (e->select) {
        print_text(p, e->select->is_least ? "  select least" : "  select best");
        if (e->select->of) print_text(p, " of "), print_name(e->select->of, p);
        print_clause("within", e->select->within, p);
        print_char(p, '\n');
    }
    for (uint32_t i = 0; i < e->n_observes; i++) {
        print_text(p, "  observe ");
        if (e->observes[i].name) {
            print_name(e->observes[i].name, p);
            print_text(p, " = ");
        }
        print_observe(&e->observes[i], p);
        print_char(p, '\n');
    }
    for (uint32_t i = 0; i < e->n_expects; i++) print_expect(&e->expects[i], p);
    print_text(p, "end\n");
}

// src/exp/kind_ensemble.c: one experiment for many sets of parameters.
#include "exp/kind.h"
#include "exp/table.h"
#include "model/model.h"
#include "units/units.h"
#include "orrery/ensemble.h"
#include <math.h>
#include <string.h>

enum { FAILURES_SHOWN = 5 };

static const orr_keyword words[] = {
    WORD("members", TEXT, "FILE",
      "CSV: a row for each member, a column for each parameter or initial value",
         .is_input = true),
    WORD("every", NUMBER, "DT", "record at this interval; 0 (default): only the end"),
    WORD("common", FLAG, NULL, "all members draw the same random numbers"),
    WORD("fast", FLAG, NULL, "allow fused operations in lanes: faster, with other last bits"),
};

typedef struct Ensemble {
    Call         *call;
    RowFile       file;
    const orr_ensemble_options *members;
    size_t        n_columns, n_failed, n_violated;
} Ensemble;

static bool read_members(Call *call, const orr_value *given, orr_ensemble_options *o)
{
    orr_table *table = table_read(given->folder, given->text, call->diag);
    if (!table) return false;
    vec_push(call->arena, &call->tables, table);
    o->n_names = orr_table_n_columns(table);
    o->n_members = orr_table_n_rows(table);
    const char **names = ARENA_ARRAY(call->arena, const char *, o->n_names);
    double *values = ARENA_ARRAY(call->arena, double, o->n_members * o->n_names);
    for (size_t k = 0; k < o->n_names; k++) {
        const double *column = orr_table_column(table, k);
        names[k] = orr_table_name(table, k);
        const char *unit = orr_table_unit(table, k);
        const size_t variable = unit ? orr_model_find(call->model, names[k]) : (size_t)-1;
        const char *own = variable != (size_t)-1 ? orr_model_variable(call->model, variable).unit : NULL;
        for (size_t i = 0; i < o->n_members; i++) {
            double *value = &values[i * o->n_names + k];
            *value = column[i];
            if (own && !units_convert(&call->model->own_units, unit, own, false, (Place){ 0 }, value,
                                      call->diag))
                return false;
        }
        if (variable != (size_t)-1 && !own)
            diag_report(call->diag, DIAG_UNIT_NOT_USED, (Place){ 0 }, unit, names[k]);
    }
    o->names = names;
    o->values = values;
    return true;
}

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    Ensemble *s = self;
    (void)units;
    s->n_columns = n;
    if (!s->file.out) return true;
    const orr_experiment *e = s->call->experiment;
    const size_t n_names = s->members->n_names, n_own = 1 + n_names + e->n_observations;
    const char **own = ARENA_ARRAY(s->call->arena, const char *, n_own);
    own[0] = "member";
    memcpy(own + 1, s->members->names, n_names * sizeof *own);
    for (size_t i = 0; i < e->n_observations; i++) own[1 + n_names + i] = e->observations[i].name;
    return row_file_begin(&s->file, own, n_own, names, n, time_unit);
}

static bool take_member(void *self, const orr_member *m)
{
    Ensemble *s = self;
    if (m->status != ORR_STATUS_OK && s->n_failed++ < FAILURES_SHOWN)
        orr_diag_add(s->call->diag, "E509",
                     arena_printf(s->call->arena, "member %zu failed at t = %.10g: %s", m->index + 1, m->t,
                                  m->failure ? m->failure : orr_status_text(m->status)), NULL);
    if (m->n_violations && s->n_violated++ < FAILURES_SHOWN)
        orr_diag_add(s->call->diag, "W633",
                     arena_printf(s->call->arena, "in member %zu a claim does not hold: %s", m->index + 1,
                                  m->violation ? m->violation : ""), NULL);
    if (!s->file.out) return true;
    const size_t n_names = s->members->n_names, n_observed = s->call->experiment->n_observations;
    const size_t n_given = n_names + n_observed;
    double *row = s->file.row;
    row[0] = (double)m->index + 1;
    memcpy(row + 1, s->members->values + m->index * n_names, n_names * sizeof *row);
    for (size_t i = 0; i < n_observed; i++) row[1 + n_names + i] = m->observed ? m->observed[i] : NAN;
    bool ok = true;
    for (size_t i = 0; ok && i < m->n_rows; i++) {
        memcpy(row + 1 + n_given, m->rows + i * s->n_columns, s->n_columns * sizeof *row);
        ok = s->file.sink.row(s->file.sink.self, m->times[i], row, s->file.n);
    }
    return ok;
}

static bool show_progress(void *self, size_t n_done, size_t n_members)
{
    const Call *call = ((Ensemble *)self)->call;
    char text[80];
    snprintf(text, sizeof text, "%zu of %zu members", n_done, n_members);
    if (call->how->progress)
        call->how->progress(call->how->self, (double)n_done / (double)n_members, text);
    return true;
}

static orr_status carry_out(Call *call)
{
    orr_experiment e = *call->experiment;
    orr_ensemble_options o = orr_ensemble_options_default();
    e.every = isnan(value_number(&e, "every")) ? 0 : value_number(&e, "every");
    const orr_value *members = given_of(&e, "members");
    if (!members || !members->text) {
        orr_diag_add(call->diag, "E023", "'--members FILE' is missing",
                     "a CSV with a row for each member, such as: K,M");
        return ORR_STATUS_USAGE;
    }
    if (!read_members(call, members, &o)) return ORR_STATUS_USAGE;
    o.fast = given_of(&e, "fast") != NULL;
    o.common = given_of(&e, "common") != NULL;
    o.lanes = value_lanes(&e);
    o.n_threads = value_count(&e, "threads");
    o.cancel = call->how->cancel;
    Ensemble s = { .call = call, .members = &o };
    if (!row_file_open(&s.file, call)) return ORR_STATUS_SYSTEM;
    const orr_member_sink sink = { .begin = begin, .member = take_member, .progress = show_progress,
                                   .self = &s };
    orr_ensemble_facts facts = { 0 };
    orr_status status = orr_ensemble_run(call->model, &e, &o, &sink, &facts, call->diag);
    status = row_file_close(&s.file, status);
    if (status == ORR_STATUS_OK && facts.n_failed) status = ORR_STATUS_FAILED;
    if (status != ORR_STATUS_USAGE) {
        say(call, "%s: %zu of %zu members in %.3g s, %zu threads%s%s\n", orr_model_name(call->model),
            facts.n_done, o.n_members, facts.simulate_ms / 1e3, facts.n_threads,
            facts.n_in_lanes ? ", many at once" : "",
            o.fast && facts.n_in_lanes ? " with fused operations: the last digits depend on the machine"
                                       : "");
        if (facts.one_by_one && o.lanes == ORR_LANES_ALWAYS)
            say(call, "  one by one: %s\n", facts.one_by_one);
        if (facts.n_failed) say(call, "  %zu failed\n", facts.n_failed);
        if (facts.n_violated) say(call, "  in %zu a claim does not hold\n", facts.n_violated);
        if (call->how->output) say(call, "  rows in %s\n", call->how->output);
    }
    stat_count(call, "members", facts.n_done);
    stat_count(call, "failed", facts.n_failed);
    stat_count(call, "violated", facts.n_violated);
    stat_count(call, "in_lanes", facts.n_in_lanes);
    stat_text(call, "one_by_one", facts.one_by_one);
    stat_count(call, "threads", facts.n_threads);
    stat_count(call, "fast", o.fast);
    stat_ms(call, "simulate_ms", facts.simulate_ms);
    return status;
}

const Kind kind_ensemble = {
    .kind = {
        .name = "ensemble",
        .summary = "run an experiment for many sets of parameters",
        .words = words,
        .n_words = sizeof words / sizeof *words,
        .shared = "set input allow-io until from solver island step path tol abs max-step "
                  "quantum record observe seed run threads lanes max-time",
        .output = "FILE",
        .output_help = "write the rows of all members as CSV, or as NetCDF-4 (.nc); - is standard output",
        .details =
            "Each row of MEMBERS.csv is a member; its columns are parameters, "
            "inputs or initial values, by name. Results have\n"
            "the same bits whatever the number of threads and whether members "
            "are computed one by one or many at once.\n"
            "Members that fail are told and leave the others alone; the exit code is then 3.\n\n"
            "Example:\n\n"
            "  orrery ensemble examples/lotka_volterra.orr --members "
            "examples/lotka_volterra_members.csv --until 15 -o all.csv\n",
    },
    .carry_out = carry_out,
};

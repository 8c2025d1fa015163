// src/exp/kind_ensemble.c: one experiment for many sets of parameters.
#include "exp/members.h"
#include "exp/table.h"
#include "model/model.h"
#include "units/units.h"
#include "orrery/ensemble.h"
#include <math.h>
#include <string.h>

static const orr_keyword words[] = {
    WORD("members", TEXT, "FILE",
      "CSV: a row for each member, a column for each parameter or initial value",
         .is_input = true),
    WORD("every", NUMBER, "DT", "record at this interval; 0 (default): only the end"),
    WORD("common", FLAG, NULL, "all members draw the same random numbers"),
    WORD("fast", FLAG, NULL, "allow fused operations in lanes: faster, with other last bits"),
};

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
    (void)units;
    return members_begin(self, names, n, time_unit);
}

static bool take_member(void *self, const orr_member *m) { return members_take(self, m, m->index); }

static bool show_progress(void *self, size_t n_done, size_t n_members)
{
    (void)n_done, (void)n_members;
    members_progress(self);
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
    Members all = { .call = call, .names = o.names, .values = o.values, .n_names = o.n_names,
                    .n = o.n_members, .n_observed = e.n_observations };
    const char **observed = ARENA_ARRAY(call->arena, const char *, e.n_observations);
    for (size_t i = 0; i < e.n_observations; i++) observed[i] = e.observations[i].name;
    all.observed = observed;
    if (!row_file_open(&all.file, call)) return ORR_STATUS_SYSTEM;
    const orr_member_sink sink = { .begin = begin, .member = take_member, .progress = show_progress,
                                   .self = &all };
    orr_ensemble_facts facts = { 0 };
    orr_status status = orr_ensemble_run(call->model, &e, &o, &sink, &facts, call->diag);
    status = row_file_close(&all.file, status);
    if (status == ORR_STATUS_OK && facts.n_failed) status = ORR_STATUS_FAILED;
    if (status != ORR_STATUS_USAGE) {
        say(call, "%s: %zu of %zu members in %.3g s, %zu threads%s%s\n", orr_model_name(call->model),
            facts.n_done, o.n_members, facts.simulate_ms / 1e3, facts.n_threads,
            facts.n_in_lanes ? ", many at once" : "",
            o.fast && facts.n_in_lanes ? " with fused operations: the last digits depend on the machine"
                                       : "");
        if (facts.one_by_one && o.lanes == ORR_LANES_ALWAYS)
            say(call, "  one by one: %s\n", facts.one_by_one);
        members_say_rest(&all);
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
        .shared = "set reactions input allow-io until from solver island step path tol abs max-step "
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

// src/exp/result.c: what a kind of experiment hands out: parts to read, sheets of numbers, verdicts.
#include "base/os.h"
#include "exp/kind.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct orr_result_memory {
    Arena       arena;
    orr_table **tables;    // [n_tables]
    size_t      n_tables;
};

const Provenance *call_provenance(Call *call)
{
    if (call->provenance) return call->provenance;
    call->provenance = ARENA_ARRAY(call->arena, Provenance, 1);
    provenance_make(call->provenance, call->model, call->experiment, call->arena);
    return call->provenance;
}

// Beside the results: out.csv → out.json.
static bool write_provenance(Call *call, const char *stats)
{
    const char *path = call->how->output;
    if (!call->how->has_provenance || !path || call_writes_stdout(call)) return true;
    const size_t n = strlen(path) - strlen(os_path_suffix(path));
    return provenance_write(call_provenance(call), stats,
                            arena_printf(call->arena, "%.*s.json", (int)n, path), call->diag);
}

orr_result call_carry_out(const Kind *kind, const orr_model *model, const orr_experiment *experiment,
                          const orr_call *how, orr_diag *diag)
{
    static const orr_call usual = { 0 };
    orr_result result = { .memory = calloc(1, sizeof *result.memory) };
    if (!result.memory) arena_no_memory(sizeof *result.memory);
    Arena *arena = &result.memory->arena;
    orr_experiment kept = *experiment;
    if (how && how->keeper) kept.keeper = how->keeper;
    Call call = { .model = model,
                  .experiment = &kept,
                  .how = how ? how : &usual,
                  .diag = diag,
                  .result = &result,
                  .arena = arena,
                  .text = { .arena = arena },
                  .stats = { .arena = arena } };
    const char *output = call.how->output;
    const bool is_file = output && kind->kind.output && strcmp(kind->kind.output, "FILE") == 0;
    if (is_file && !rows_know(output, diag)) result.status = ORR_STATUS_USAGE;
    else result.status = kind->carry_out(&call);
    part_add(&call, (orr_part){ 0 });
    result.parts = call.parts.items;
    result.n_parts = call.parts.n;
    result.sheets = call.sheets.items;
    result.n_sheets = call.sheets.n;
    result.stats = str_finish(&call.stats);
    if (!write_provenance(&call, result.stats) && result.status == ORR_STATUS_OK)
        result.status = ORR_STATUS_SYSTEM;
    result.memory->tables = call.tables.items;
    result.memory->n_tables = call.tables.n;
    return result;
}

void orr_result_free(orr_result *result)
{
    if (!result->memory) return;
    for (size_t i = 0; i < result->n_parts; i++) orr_figure_destroy(result->parts[i].figure);
    for (size_t i = 0; i < result->memory->n_tables; i++) orr_table_destroy(result->memory->tables[i]);
    arena_free(&result->memory->arena);
    free(result->memory);
    *result = (orr_result){ 0 };
}

// ---------------------------------------------------------------------------------------------- words

const orr_value *given_of(const orr_experiment *e, const char *word)
{
    for (size_t i = e->n_values; i-- > 0;)    // the last one counts
        if (strcmp(e->values[i].word, word) == 0) return &e->values[i];
    return NULL;
}

double value_number(const orr_experiment *e, const char *word)
{
    const orr_value *value = given_of(e, word);
    return value ? value->number : NAN;
}

size_t value_count(const orr_experiment *e, const char *word)
{
    const orr_value *value = given_of(e, word);
    return value ? (size_t)fmin(value->number, 1e15) : 0;
}

const char *value_text(const orr_experiment *e, const char *word)
{
    const orr_value *value = given_of(e, word);
    return value ? value->text : NULL;
}

orr_lanes value_lanes(const orr_experiment *e)
{
    const char *text = value_text(e, "lanes");
    return !text || text[1] == 'u' ? ORR_LANES_AUTO : text[0] == 'n' ? ORR_LANES_NEVER : ORR_LANES_ALWAYS;
}

// ---------------------------------------------------------------------------------------------- parts

void part_add(Call *call, orr_part part)
{
    if (call->text.n > 0) {
        const orr_part said = { .text = str_finish(&call->text) };
        vec_push(call->arena, &call->parts, said);
        call->text = (StrBuf){ .arena = call->arena };
    }
    if (part.table || part.distribution || part.figure) vec_push(call->arena, &call->parts, part);
}

void say(Call *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str_vaddf(&call->text, format, args);
    va_end(args);
}

void stat_count(Call *call, const char *name, size_t value)
{
    str_addf(&call->stats, "%s: %zu\n", name, value);
}

void stat_text(Call *call, const char *name, const char *value)
{
    str_addf(&call->stats, "%s: %s\n", name, value ? value : "");
}

void stat_ms(Call *call, const char *name, double ms) { str_addf(&call->stats, "%s: %.3f\n", name, ms); }

orr_table *table_add(Call *call, size_t at_most)
{
    orr_table *table = orr_table_create(at_most);
    vec_push(call->arena, &call->tables, table);
    return table;
}

bool call_writes_stdout(const Call *call) { return call->how->output && strcmp(call->how->output, "-") == 0; }

const char *call_title(const Call *call)
{
    const char *name = call->experiment->name;
    return arena_printf(call->arena, "%s%s%s", orr_model_name(call->model), *name ? ", " : "", name);
}

void verdicts_add(Call *call, const orr_verdict *verdicts, size_t n)
{
    orr_verdict *kept = ARENA_ARRAY(call->arena, orr_verdict, n);
    if (n > 0) memcpy(kept, verdicts, n * sizeof *kept);
    call->result->verdicts = kept;
    call->result->n_verdicts = n;
    for (size_t i = 0; i < n; i++)
        say(call, "  %s %s = %.10g, expected %.10g within %g\n", kept[i].holds ? "ok" : "FAILED",
            kept[i].expect->name, kept[i].found, kept[i].expect->value, kept[i].expect->within);
}

const char *observation_unit(const orr_model *model, const orr_measurement *x)
{
    const size_t variable = x->variable ? orr_model_find(model, x->variable) : (size_t)-1;
    if (x->what == ORR_OBSERVE_TIME) return orr_model_time_unit(model);
    const bool is_pure = x->what >= ORR_OBSERVE_COUNT && x->what != ORR_OBSERVE_FOLLOWS;
    if (is_pure || x->what == ORR_OBSERVE_INTEGRAL) return NULL;
    if (variable == (size_t)-1) return NULL;
    return orr_model_variable(model, variable).unit;
}

void observations_add(Call *call, const double *observed)
{
    const orr_experiment *e = call->experiment;
    size_t n = 0;
    for (size_t i = 0; i < e->n_observations; i++) n += !e->observations[i].is_expected;
    if (n == 0 || !observed) return;
    Sheet sheet = sheet_begin(call, "observations", n);
    const char **names = sheet_texts(&sheet, "observation");
    double *values = sheet_numbers(&sheet, "value", NULL);
    const char **units = sheet_texts(&sheet, "unit");
    n = 0;
    for (size_t i = 0; i < e->n_observations; i++) {
        if (e->observations[i].is_expected) continue;
        const char *unit = observation_unit(call->model, &e->observations[i]);
        names[n] = e->observations[i].name;
        values[n] = observed[i];
        units[n++] = unit ? unit : "";
        if (isnan(observed[i])) say(call, "  %s: never\n", e->observations[i].name);
        else say(call, "  %s = %.10g%s%s\n", e->observations[i].name, observed[i], unit ? " " : "",
                 unit ? unit : "");
    }
    sheet_end(&sheet);
}

// Where something belongs that is written beside a file: out.csv → out-statistics.csv.
static const char *beside(Call *call, const char *what)
{
    const char *path = call->how->output;
    if (!path || call_writes_stdout(call)) return NULL;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return arena_printf(call->arena, "%.*s-%s.csv", dot ? (int)(dot - path) : (int)strlen(path), path, what);
}

// Which of the plots of the experiment is the histogram of a statistic; 0: none.
static size_t histogram_number(const orr_experiment *e, const char *name)
{
    for (size_t i = 0; i < e->n_plots; i++)
        if (e->plots[i].is_histogram && strcmp(e->plots[i].ys[0], name) == 0) return i + 1;
    return 0;
}

bool statistics_add(Call *call, const orr_distribution *all, size_t n)
{
    const char *asked = value_text(call->experiment, "statistics");
    const char *path = asked ? asked : beside(call, "statistics");
    orr_distribution *kept = ARENA_ARRAY(call->arena, orr_distribution, n);
    for (size_t i = 0; i < n; i++) {
        kept[i] = all[i];
        part_add(call, (orr_part){ .distribution = &kept[i] });
        const size_t picture = histogram_number(call->experiment, all[i].asked.name);
        if (picture == 0 || call->how->n_pictures == 0) continue;
        part_add(call, (orr_part){ .figure = orr_distribution_figure(&kept[i], orr_model_name(call->model),
                                                                     call->diag),
                                   .picture = picture,
                                   .is_file_only = true });
    }
    if (asked && n == 0) {
        orr_diag_add(call->diag, "E023", "what '--statistics' writes is missing",
                     "name them in the experiment: statistics desk.waits percentiles 50, 95 histogram 20 "
                     "bins");
        return false;
    }
    if (!path || n == 0) return true;
    if (!orr_distributions_write(all, n, path, call->diag)) return false;
    say(call, "  statistics in %s\n", path);
    return true;
}

// ---------------------------------------------------------------------------------------------- rows

bool row_file_open(RowFile *file, Call *call)
{
    *file = (RowFile){ .call = call };
    if (!call->how->output) return true;
    file->out = rows_open(call->how->output, call->how->has_units, call_provenance(call), call->diag);
    if (file->out) file->sink = rows_sink(file->out);
    return file->out != NULL;
}

// Of a variable, of a mean of one, or of what is observed; NULL: none.
static const char *column_unit(const Call *call, const char *name)
{
    const orr_experiment *e = call->experiment;
    for (size_t i = 0; i < e->n_observations; i++)
        if (strcmp(e->observations[i].name, name) == 0)
            return observation_unit(call->model, &e->observations[i]);
    const size_t n = strlen(name);
    if (n > 6 && strncmp(name, "mean(", 5) == 0)
        name = arena_copy_text(call->arena, name + 5, n - 6);
    const size_t variable = orr_model_find(call->model, name);
    return variable == (size_t)-1 ? NULL : orr_model_variable(call->model, variable).unit;
}

bool row_file_begin(RowFile *file, const char *const *own, size_t n_own, const char *const *names, size_t n,
                    const char *time_unit)
{
    Arena work = { 0 };
    file->n = n_own + n;
    const char **all = ARENA_ARRAY(&work, const char *, file->n), **units = ARENA_ARRAY(&work, const char *,
                                                                                      file->n);
    memcpy(all, own, n_own * sizeof *all);
    if (n > 0) memcpy(all + n_own, names, n * sizeof *all);
    for (size_t i = 0; i < file->n; i++) units[i] = column_unit(file->call, all[i]);
    rows_study(file->out, n_own);
    file->row = calloc(file->n + 1, sizeof *file->row);
    if (!file->row) arena_no_memory(file->n * sizeof *file->row);
    if (!time_unit) time_unit = orr_model_time_unit(file->call->model);
    file->has_begun = file->sink.begin(file->sink.self, all, units, file->n, time_unit);
    arena_free(&work);
    return file->has_begun;
}

orr_status row_file_close(RowFile *file, orr_status status)
{
    bool ok = !file->has_begun || file->sink.end(file->sink.self, status);
    if (file->out) ok = rows_close(file->out) && ok;
    free(file->row);
    return !ok && status == ORR_STATUS_OK ? ORR_STATUS_SYSTEM : status;
}

// ---------------------------------------------------------------------------------------------- sheets

Sheet sheet_begin(Call *call, const char *name, size_t n_rows)
{
    return (Sheet){ .call = call, .sheet = { .name = name, .n_rows = n_rows } };
}

double *sheet_numbers(Sheet *s, const char *name, const char *unit)
{
    double *numbers = ARENA_ARRAY(s->call->arena, double, s->sheet.n_rows);
    const orr_column column = { .name = name, .unit = unit, .numbers = numbers };
    vec_push(s->call->arena, &s->columns, column);
    return numbers;
}

const char **sheet_texts(Sheet *s, const char *name)
{
    const char **texts = ARENA_ARRAY(s->call->arena, const char *, s->sheet.n_rows);
    const orr_column column = { .name = name, .texts = texts };
    vec_push(s->call->arena, &s->columns, column);
    return texts;
}

void sheet_end(Sheet *s)
{
    s->sheet.columns = s->columns.items;
    s->sheet.n_columns = s->columns.n;
    vec_push(s->call->arena, &s->call->sheets, s->sheet);
}

bool sheet_write(Call *call, const char *name, const char *path)
{
    for (size_t i = 0; path && i < call->sheets.n; i++)
        if (strcmp(call->sheets.items[i].name, name) == 0)
            return rows_sheet(&call->sheets.items[i], path, call->how->has_units, call_provenance(call),
                              call->diag);
    return true;
}

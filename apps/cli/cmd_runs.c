// apps/cli/cmd_runs.c: `orrery runs`: what was kept by `orrery run --keep`: look, compare, repeat, pass on.
#include "commands.h"
#include "results.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Settings {
    Shared shared;    // of replay
    const char *store, *model, *experiment, *tag, *with, *output;
    double days, last, from, to;
    List plot;
} Settings;

#define STORE                                                                                                \
    {                                                                                                        \
        "--store", OPTION_TEXT, "FILE", "the store, or its model (default: the only one here)",              \
            offsetof(Settings, store)                                                                        \
    }

static orr_store *open_store(const Settings *s, orr_store_mode mode, orr_diag *diag)
{
    char *path = store_path(s->store, NULL, diag);
    orr_store *store = path ? orr_store_open(path, mode, diag) : NULL;
    free(path);
    return store;
}

static bool read_number(const char *text, size_t *number, orr_diag *diag)
{
    double value;
    if (orr_parse_number(text, &value) && value >= 1 && value < 1e15 && value == floor(value))
        return *number = (size_t)value, true;
    usage_error(diag, "E022", "'orrery runs' lists them", "a run is a whole number from 1 on, not '%s'",
                text);
    return false;
}

// ---------------------------------------------------------------------------------------------- list

static const Option list_options[] = {
    STORE,
    { "--model", OPTION_TEXT, "NAME", "runs of this model only", offsetof(Settings, model) },
    { "--experiment", OPTION_TEXT, "NAME", "of this experiment", offsetof(Settings, experiment) },
    { "--tag", OPTION_TEXT, "TEXT", "with this tag", offsetof(Settings, tag) },
    { "--with", OPTION_TEXT, "NAME[=VALUE]", "in which this was set or observed, with this value",
      offsetof(Settings, with) },
    { "--days", OPTION_NUMBER, "N", "of the last N days", offsetof(Settings, days) },
    { "--last", OPTION_NUMBER, "N", "the last N (default: 20)", offsetof(Settings, last) },
};

static void print_kept(const orr_kept *k)
{
    char when[32], what[64];
    const time_t created = (time_t)k->created;
    struct tm local;
    strftime(when, sizeof when, "%Y-%m-%d %H:%M", localtime_r(&created, &local));
    snprintf(what, sizeof what, "%s%s%s", k->model, *k->experiment ? ", " : "", k->experiment);
    const char *how = !k->is_done                  ? "not finished"
                      : k->status == ORR_STATUS_OK ? ""
                                                   : orr_status_text(k->status);
    printf("%6zu  %s  %-10s %-28s", k->number, when, k->kind, what);
    if (k->n_members) printf(" %zu members", k->n_members);
    else if (k->n_rows) printf(" %zu rows", k->n_rows);
    printf("%s%s%s%s%s%s\n", *how ? "  " : "", how, *k->tag ? "  #" : "", k->tag, *k->note ? "  " : "",
           k->note);
}

static int run_list(const void *settings, const List *arguments, orr_diag *diag)
{
    (void)arguments;
    const Settings *s = settings;
    char *name = s->with ? strdup(s->with) : NULL, *equals = name ? strchr(name, '=') : NULL;
    orr_kept_filter filter = { .model = s->model,
                               .experiment = s->experiment,
                               .tag = s->tag,
                               .parameter = name,
                               .value = NAN,
                               .at_most = isnan(s->last) ? 20 : (size_t)fmax(s->last, 1) };
    if (!isnan(s->days)) filter.since = (double)time(NULL) - 86400 * s->days;
    if (equals) *equals = 0;
    if (equals && !orr_parse_number(equals + 1, &filter.value)) {
        usage_error(diag, "E022", NULL, "option '--with' needs NAME=NUMBER, not '%s'", s->with);
        free(name);
        return ORR_STATUS_USAGE;
    }
    orr_store *store = open_store(s, ORR_STORE_READ, diag);
    orr_kept *all = NULL;
    size_t n = 0;
    const bool ok = store && orr_store_list(store, &filter, &all, &n, diag);
    for (size_t i = n; i-- > 0;) print_kept(&all[i]);
    if (ok && n == 0) puts("no runs");
    free(all);
    free(name);
    orr_store_close(store);
    return ok ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

// ---------------------------------------------------------------------------------------------- looking

static const Option store_only[] = { STORE };

static int run_show(const void *settings, const List *arguments, orr_diag *diag)
{
    size_t number;
    if (!read_number(arguments->items[0], &number, diag)) return ORR_STATUS_USAGE;
    orr_store *store = open_store(settings, ORR_STORE_READ, diag);
    char *text = store ? orr_store_describe(store, number, diag) : NULL;
    if (text) fputs(text, stdout);
    free(text);
    orr_store_close(store);
    return text ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

static const Option rows_options[] = {
    STORE,
    { "-o", OPTION_TEXT, "FILE.csv", "write them there (default: standard output)",
      offsetof(Settings, output) },
    { "--from", OPTION_NUMBER, "T", "from this time on", offsetof(Settings, from) },
    { "--to", OPTION_NUMBER, "T", "to this time", offsetof(Settings, to) },
};

// All rows of a table, with a first column of their own if `run` is not 0.
static void pour(const orr_table *table, const size_t *columns, size_t n, size_t run, const orr_sink *sink)
{
    double *row = calloc(n + 1, sizeof *row);
    if (!row) no_memory();
    for (size_t r = 0; r < orr_table_n_rows(table); r++) {
        const size_t own = run > 0;
        row[0] = (double)run;
        for (size_t c = 0; c < n; c++) row[own + c] = orr_table_column(table, columns[c])[r];
        sink->row(sink->self, orr_table_column(table, 0)[r], row, own + n);
    }
    free(row);
}

static int run_rows(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    size_t number;
    if (!read_number(arguments->items[0], &number, diag)) return ORR_STATUS_USAGE;
    orr_store *store = open_store(s, ORR_STORE_READ, diag);
    orr_table *table = store ? orr_store_table(store, number, s->from, s->to, diag) : NULL;
    orr_csv *csv = table ? orr_csv_create(s->output ? s->output : "-", diag) : NULL;
    bool ok = csv != NULL;
    if (ok) {
        const orr_sink sink = orr_csv_sink(csv);
        const size_t n = orr_table_n_columns(table) - 1;
        List names = { 0 };
        size_t *columns = calloc(n + 1, sizeof *columns);
        if (!columns) no_memory();
        for (size_t c = 0; c < n; c++) {
            list_add(&names, orr_table_name(table, c + 1));
            columns[c] = c + 1;
        }
        sink.begin(sink.self, names.items, NULL, n, NULL);
        pour(table, columns, n, 0, &sink);
        sink.end(sink.self, ORR_STATUS_OK);
        ok = orr_csv_close(csv);
        free(columns);
        list_free(&names);
    }
    orr_table_destroy(table);
    orr_store_close(store);
    return ok ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

static const Option messages_options[] = {
    STORE,
    { "-o", OPTION_TEXT, "FILE.jsonl", "write them there (default: standard output)",
      offsetof(Settings, output) },
};

static int run_messages(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    size_t number;
    if (!read_number(arguments->items[0], &number, diag)) return ORR_STATUS_USAGE;
    orr_store *store = open_store(s, ORR_STORE_READ, diag);
    const bool ok = store && orr_store_replay_file(store, number, s->output ? s->output : "-", diag);
    orr_store_close(store);
    return ok ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

// ---------------------------------------------------------------------------------------------- pictures

static const Option plot_options[] = {
    STORE,
    { "-o", OPTION_TEXT, "FILE", "draw to .svg, .png or .pdf instead of the terminal",
      offsetof(Settings, output) },
    { "--plot", OPTION_LIST, "WHAT", "such as 'x, v over t'; default: all", offsetof(Settings, plot) },
    { "--from", OPTION_NUMBER, "T", "from this time on", offsetof(Settings, from) },
    { "--to", OPTION_NUMBER, "T", "to this time", offsetof(Settings, to) },
};

static size_t column_of(const orr_table *table, const char *name)
{
    size_t c = 1;
    while (c < orr_table_n_columns(table) && strcmp(orr_table_name(table, c), name) != 0) c++;
    return c;
}

// Rows of several runs in one table, behind a column `run`: of what they all have.
static orr_table *join(orr_table *const *tables, const size_t *runs, size_t n)
{
    List names = { 0 }, units = { 0 };
    list_add(&names, "run");
    list_add(&units, NULL);
    for (size_t c = 1; c < orr_table_n_columns(tables[0]); c++) {
        const char *name = orr_table_name(tables[0], c);
        bool all = strcmp(name, "run") != 0;
        for (size_t i = 1; i < n; i++) all &= column_of(tables[i], name) < orr_table_n_columns(tables[i]);
        if (!all) continue;
        list_add(&names, name);
        list_add(&units, orr_table_unit(tables[0], c));
    }
    orr_table *joined = orr_table_create(0);
    const orr_sink sink = orr_table_sink(joined);
    size_t *columns = calloc(names.n, sizeof *columns);
    if (!columns) no_memory();
    sink.begin(sink.self, names.items, units.items, names.n, orr_table_unit(tables[0], 0));
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 1; c < names.n; c++) columns[c - 1] = column_of(tables[i], names.items[c]);
        pour(tables[i], columns, names.n - 1, runs[i], &sink);
    }
    free(columns);
    list_free(&names);
    list_free(&units);
    return joined;
}

static orr_status plot_runs(orr_store *store, const Settings *s, const List *arguments, orr_diag *diag)
{
    orr_table **tables = calloc(arguments->n, sizeof *tables);
    size_t *runs = calloc(arguments->n, sizeof *runs), n = 0;
    if (!tables || !runs) no_memory();
    orr_status status = ORR_STATUS_USAGE;
    while (n < arguments->n && read_number(arguments->items[n], &runs[n], diag)) {
        tables[n] = orr_store_table(store, runs[n], s->from, s->to, diag);
        if (!tables[n]) break;
        n++;
    }
    if (n == arguments->n) {
        char title[80];
        snprintf(title, sizeof title, n > 1 ? "runs %zu, %zu%s" : "run %zu", runs[0], n > 1 ? runs[1] : 0,
                 n > 2 ? ", …" : "");
        orr_table *joined = n > 1 ? join(tables, runs, n) : NULL;
        status = results_plot(joined ? joined : tables[0], &s->plot, s->output, title, diag);
        orr_table_destroy(joined);
    }
    for (size_t i = 0; i < n; i++) orr_table_destroy(tables[i]);
    free(tables);
    free(runs);
    return status;
}

static int run_plot(const void *settings, const List *arguments, orr_diag *diag)
{
    orr_store *store = open_store(settings, ORR_STORE_READ, diag);
    const orr_status status = store ? plot_runs(store, settings, arguments, diag) : ORR_STATUS_SYSTEM;
    orr_store_close(store);
    return (int)status;
}

// ---------------------------------------------------------------------------------------------- differences

static int run_diff(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    size_t a, b;
    if (!read_number(arguments->items[0], &a, diag) || !read_number(arguments->items[1], &b, diag))
        return ORR_STATUS_USAGE;
    orr_store *store = open_store(settings, ORR_STORE_READ, diag);
    orr_difference d = { 0 };
    orr_status status = ORR_STATUS_SYSTEM;
    if (store && orr_store_compare(store, a, store, b, &d, diag)) {
        printf("run %zu and run %zu\n%s", a, b, d.text);
        status = d.is_same && d.is_same_input ? ORR_STATUS_OK : ORR_STATUS_NOT_VALIDATED;
        const bool draws = !d.is_same && (s->output || s->plot.n > 0);
        const orr_status drawn = draws ? plot_runs(store, s, arguments, diag) : ORR_STATUS_OK;
        if (drawn != ORR_STATUS_OK) status = drawn;
    }
    free(d.text);
    orr_store_close(store);
    return (int)status;
}

// ---------------------------------------------------------------------------------------------- repeating

// Once more, into a store in memory.
static orr_status repeat(const Settings *s, const orr_keep_request *request, orr_store *memory,
                         const orr_kept *kept, orr_diag *diag)
{
    Shared shared = s->shared;
    List arguments = { 0 };
    Session session;
    list_add(&arguments, request->file);
    if (request->experiment) list_add(&arguments, request->experiment);
    shared.kind = orr_kind_find(kept->kind);
    shared.model = request->model;
    shared.loops = request->loops;
    shared.given = (orr_given *)request->given;
    shared.n_given = request->n_given;
    orr_keep_notes();
    orr_status status = session_open(&session,
                                     &(SessionOptions){ .shared = &shared, .arguments = &arguments }, diag);
    if (status == ORR_STATUS_OK) {
        session.experiment.n_sends = 0;
        orr_keep *keep = orr_keep_begin(memory, session.model, &session.experiment, request, diag);
        const orr_call call = { .is_quiet = request->is_quiet,
                                .n_pictures = request->has_pictures,
                                .cancel = limits_cancel(),
                                .keeper = keep ? orr_keep_keeper(keep) : NULL };
        orr_result result = { .status = ORR_STATUS_SYSTEM };
        if (keep) result = orr_carry_out(session.model, &session.experiment, &call, diag);
        status = limits_judge(result.status, diag);
        if (keep && !orr_keep_end(keep, &result)) status = ORR_STATUS_SYSTEM;
        orr_result_free(&result);
    }
    session_close(&session);
    list_free(&arguments);
    return status;
}

static orr_status compare_again(orr_store *store, const orr_kept *kept, orr_store *memory, orr_diag *diag)
{
    orr_difference d = { 0 };
    char text[120];
    if (!orr_store_compare(store, kept->number, memory, 1, &d, diag)) return ORR_STATUS_SYSTEM;
    if (!d.is_same_input) printf("what changed\n%s", d.text);
    if (d.is_same) printf("run %zu: the same results again, bit for bit\n", kept->number);
    else {
        if (d.is_same_input) fputs(d.text, stdout);
        snprintf(text, sizeof text, "run %zu gives other results than those that were kept", kept->number);
        orr_diag_add(diag, "E469", text, NULL);
    }
    free(d.text);
    return d.is_same ? ORR_STATUS_OK : ORR_STATUS_NOT_VALIDATED;
}

static int run_replay(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    size_t number;
    if (!read_number(arguments->items[0], &number, diag)) return ORR_STATUS_USAGE;
    orr_store *store = open_store(s, ORR_STORE_READ, diag);
    orr_store *memory = store ? orr_store_open(NULL, ORR_STORE_MEMORY, diag) : NULL;
    orr_keep_request request;
    orr_kept kept;
    orr_status status = ORR_STATUS_SYSTEM;
    if (memory && orr_store_get(store, number, &kept, diag) &&
        orr_store_serve(store, number, &request, diag)) {
        if (!kept.is_done) printf("run %zu was not finished: what follows is all of it\n", number);
        status = repeat(s, &request, memory, &kept, diag);
        // one that failed does so again
        const bool has_come = status == ORR_STATUS_OK || (kept.is_done && status == kept.status);
        if (has_come) status = compare_again(store, &kept, memory, diag);
    }
    orr_store_close(memory);
    orr_store_close(store);
    return (int)status;
}

// ---------------------------------------------------------------------------------------------- changing

static int run_label(const Settings *s, const List *arguments, bool is_tag, orr_diag *diag)
{
    size_t number;
    if (!read_number(arguments->items[0], &number, diag)) return ORR_STATUS_USAGE;
    orr_store *store = open_store(s, ORR_STORE_CHANGE, diag);
    const char *text = arguments->n > 1 ? arguments->items[1] : "";
    const bool ok = store && orr_store_label(store, number, is_tag ? text : NULL, is_tag ? NULL : text, diag);
    orr_store_close(store);
    return ok ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

static int run_tag(const void *s, const List *a, orr_diag *diag) { return run_label(s, a, true, diag); }
static int run_note(const void *s, const List *a, orr_diag *diag) { return run_label(s, a, false, diag); }

static int run_delete(const void *settings, const List *arguments, orr_diag *diag)
{
    orr_store *store = open_store(settings, ORR_STORE_CHANGE, diag);
    bool ok = store != NULL;
    for (size_t i = 0; ok && i < arguments->n; i++) {
        size_t number;
        ok = read_number(arguments->items[i], &number, diag) && orr_store_delete(store, number, diag);
    }
    orr_store_close(store);
    return ok ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

static int run_gc(const void *settings, const List *arguments, orr_diag *diag)
{
    (void)arguments;
    size_t freed = 0;
    orr_store *store = open_store(settings, ORR_STORE_CHANGE, diag);
    const bool ok = store && orr_store_clean(store, &freed, diag);
    if (ok) printf("%zu bytes freed\n", freed);
    orr_store_close(store);
    return ok ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

static int run_size(const void *settings, const List *arguments, orr_diag *diag)
{
    (void)arguments;
    orr_store *store = open_store(settings, ORR_STORE_READ, diag);
    orr_kept *all = NULL;
    size_t n = 0, bytes = 0;
    const bool ok = store && orr_store_list(store, &(orr_kept_filter){ .value = NAN }, &all, &n, diag);
    for (size_t i = 0; i < n; i++) bytes += all[i].n_bytes;
    if (ok) printf("%zu runs, %zu bytes of results\n", n, bytes);
    free(all);
    orr_store_close(store);
    return ok ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

// ---------------------------------------------------------------------------------------------- passing on

static const Option export_options[] = {
    STORE,
    { "-o", OPTION_TEXT, "FILE.zip", "the archive", offsetof(Settings, output) },
};

static int run_export(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    size_t number;
    if (!read_number(arguments->items[0], &number, diag)) return ORR_STATUS_USAGE;
    if (!s->output) {
        usage_error(diag, "E023", "such as -o capsule.zip", "'-o FILE.zip' is missing");
        return ORR_STATUS_USAGE;
    }
    orr_store *store = open_store(s, ORR_STORE_READ, diag);
    const bool ok = store && orr_store_export(store, number, s->output, diag);
    orr_store_close(store);
    return ok ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

static int run_import(const void *settings, const List *arguments, orr_diag *diag)
{
    orr_store *store = open_store(settings, ORR_STORE_KEEP, diag);
    size_t number;
    const bool ok = store && orr_store_import(store, arguments->items[0], &number, diag);
    if (ok) printf("it is run %zu here\n", number);
    orr_store_close(store);
    return ok ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

static const Option salvage_options[] = {
    STORE,
    { "-o", OPTION_TEXT, "FILE.runs", "the new store", offsetof(Settings, output) },
};

static int run_salvage(const void *settings, const List *arguments, orr_diag *diag)
{
    (void)arguments;
    const Settings *s = settings;
    if (!s->output) {
        usage_error(diag, "E023", "such as -o salvaged.runs", "'-o FILE.runs' is missing");
        return ORR_STATUS_USAGE;
    }
    char *path = store_path(s->store, NULL, diag);
    size_t n = 0;
    const bool ok = path && orr_store_salvage(path, s->output, &n, diag);
    if (ok) printf("%zu runs in %s\n", n, s->output);
    free(path);
    return ok ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

// ---------------------------------------------------------------------------------------------- the table

#define PART(symbol, name_, arguments_, summary_, least, most, options_, run_, ...)                          \
    static const Command symbol = { .name = "runs " name_,                                                   \
                                    .arguments = arguments_,                                                 \
                                    .summary = summary_,                                                     \
                                    .options = options_,                                                     \
                                    .n_options = sizeof options_ / sizeof *options_,                         \
                                    .at_least = least,                                                       \
                                    .at_most = most,                                                         \
                                    .settings_size = sizeof(Settings),                                       \
                                    .run = run_,                                                             \
                                    __VA_ARGS__ }

PART(part_list, "list", "", "List what was kept, the newest last", 0, 0, list_options, run_list,
     .details = "Examples:\n  orrery runs list --last 5\n  orrery runs list --with K=4 --tag good\n");
PART(part_show, "show", "N", "Tell all that is known about a run", 1, 1, store_only, run_show,
     .details = "Example:\n  orrery runs show 3 --store spring.orr\n");
PART(
    part_diff, "diff", "N M", "Tell how two runs differ: files, settings, versions, results", 2, 2,
    plot_options, run_diff,
    .details =
        "Exit code 4 if they differ. Examples:\n"
        "  orrery runs diff 3 4\n  orrery runs diff 3 4 --plot 'x over t' -o both.svg\n");
PART(
    part_replay, "replay", "N", "Repeat a run from what was kept, and compare bit for bit", 1, 1, store_only,
    run_replay, .shares = "--code --no-sandbox",
    .details =
        "Exit code 4 if other numbers come out: then it says which, and by how much. Example:\n"
        "  orrery runs replay 3\n");
PART(part_plot, "plot", "N [M …]", "Draw runs, several over each other", 1, 100, plot_options, run_plot,
     .details = "Example:\n  orrery runs plot 3 4 5 --plot 'x over t' -o runs.svg\n");
PART(
    part_rows, "rows", "N", "Write the rows of a run as CSV", 1, 1, rows_options, run_rows,
    .prints_data = true,
    .details =
        "Only what is between --from and --to is read. Example:\n"
        "  orrery runs rows 3 --from 2 --to 3 -o part.csv\n");
PART(
    part_messages, "messages", "N", "Write messages and transitions of a discrete run", 1, 1,
    messages_options, run_messages, .prints_data = true,
    .details =
        "Lines of JSON, in the order in which they happened. Example:\n"
        "  orrery runs messages 3 -o replay.jsonl\n");
PART(part_tag, "tag", "N [TEXT]", "Give a run a tag, or take it away", 1, 2, store_only, run_tag, );
PART(part_note, "note", "N [TEXT]", "Give a run a note, or take it away", 1, 2, store_only, run_note, );
PART(part_delete, "delete", "N …", "Delete runs; 'gc' then gives the room back", 1, 1000, store_only,
     run_delete, .changes_files = true);
PART(part_gc, "gc", "", "Give back the room of what was deleted", 0, 0, store_only, run_gc, );
PART(part_size, "size", "", "How much is kept", 0, 0, store_only, run_size, );
PART(
    part_export, "export", "N", "Write a run with all it needs as an archive", 1, 1, export_options,
    run_export,
    .details =
        "Another machine takes it in by 'orrery runs import' and repeats it. Example:\n"
        "  orrery runs export 3 -o capsule.zip\n");
PART(part_import, "import", "FILE.zip", "Take a run from an archive into the store", 1, 1, store_only,
     run_import, .details = "Example:\n  orrery runs import capsule.zip --store spring.runs\n");
PART(part_salvage, "salvage", "", "Copy what can be read of a damaged store to a new one", 0, 0,
     salvage_options, run_salvage,
     .details = "Example:\n  orrery runs salvage --store spring.runs -o salvaged.runs\n");

static const Command *const parts[] = {
    &part_list, &part_show, &part_diff,   &part_replay, &part_plot,   &part_rows,   &part_messages, &part_tag,
    &part_note, &part_size, &part_delete, &part_gc,     &part_export, &part_import, &part_salvage,  NULL,
};

const Command command_runs = {
    .name = "runs",
    .arguments = "[PART]",
    .summary = "What was kept by --keep: look, compare, repeat, pass on",
    .options = list_options,
    .n_options = sizeof list_options / sizeof *list_options,
    .parts = parts,
    .settings_size = sizeof(Settings),
    .run = run_list,
};

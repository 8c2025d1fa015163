// apps/cli/cmd_new.c: `orrery new`: a commented skeleton to start from, with the columns of measured data.
#include "commands.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    const char *from;
    bool        force;
} Settings;

static const Option options[] = {
    { "--from", OPTION_TEXT, "DATA.csv", "take names, initial values and times from this table",
      offsetof(Settings, from) },
    { "--force", OPTION_FLAG, NULL, "replace the file if it exists", offsetof(Settings, force) },
};

static bool is_plain(const char *name, size_t n)
{
    static const char *const words[] = { "and", "or", "not", "if", "then", "else" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && strncmp(words[i], name, n) == 0) return false;
    if (n == 0 || isdigit((unsigned char)name[0])) return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_') return false;
    return true;
}

// As the language writes it: plain, or in double quotes if it has other characters. Names with a meaning of
// their own get a _ behind.
static void write_name(FILE *out, const char *name, size_t n)
{
    static const char *const taken[] = { "t", "pi", "inf", "true", "false" };
    const bool plain = is_plain(name, n);
    if (!plain) fputc('"', out);
    for (size_t i = 0; i < n; i++) fputc(name[i] == '"' || (unsigned char)name[i] < ' ' ? '_' : name[i], out);
    if (n == 0) fputc('_', out);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strlen(taken[i]) == n && strncmp(taken[i], name, n) == 0) fputc('_', out);
    if (!plain) fputc('"', out);
}

static void write_model_name(FILE *out, const char *path)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    const char *dot = strrchr(base, '.');
    char stem[128];
    snprintf(stem, sizeof stem, "%.*s", (int)(dot ? dot - base : (ptrdiff_t)strlen(base)), base);
    stem[0] = (char)toupper((unsigned char)stem[0]);
    write_name(out, stem, strlen(stem));
}

static void write_number(FILE *out, double value)
{
    char text[40];
    orr_format_number(value, text);
    fputs(text, out);
}

static void write_experiment(FILE *out, const char *path, double from, double until)
{
    fputs("experiment once of ", out);
    write_model_name(out, path);
    fputs("\n", out);
    if (from != 0) fputs("  from ", out), write_number(out, from), fputc('\n', out);
    fputs("  until ", out);
    write_number(out, until);
    fputs("\n  every ", out);
    write_number(out, (until - from) / 100);
    fputs("    # interval of recording\n"
          "  # solver rk4 step 0.01: without it 'auto' chooses; 'orrery solvers' lists them\n", out);
}

static void write_plain(FILE *out, const char *path)
{
    fputs("# A model is a set of equations; their order does not matter.\nmodel ", out);
    write_model_name(out, path);
    fputs(" \"say in a few words what it is\"\n"
          "  param k = 0.5 [1/s]    # fixed during a run; change it with --set k=1\n"
          "  var x = 1              # a state: the value is where it starts\n"
          "  x' = -k*x              # its rate of change\n"
          "  output half = x/2      # what else to publish\n"
          "end\n\n", out);
    write_experiment(out, path, 0, 10);
    fputs("  plot x, half\n  expect x at 10 = exp(-5) within 1e-6\nend\n", out);
}

static void write_variable(FILE *out, const orr_table *table, size_t column)
{
    const double *values = orr_table_column(table, column);
    double first = 0, low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < orr_table_n_rows(table); i++) {
        if (!isfinite(values[i])) continue;
        if (!isfinite(low)) first = values[i];
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    const char *name = orr_table_name(table, column), *unit = orr_table_unit(table, column);
    fputs("  var ", out);
    write_name(out, name, strlen(name));
    fputs(" = ", out);
    write_number(out, first);
    if (unit) fprintf(out, " [%s]", unit);
    if (isfinite(low)) fprintf(out, " # measured from %.6g to %.6g\n", low, high);
    else fputs(" # no numbers in this column\n", out);
}

static void write_from_table(FILE *out, const char *path, const char *data, const orr_table *table)
{
    const size_t n = orr_table_n_rows(table), columns = orr_table_n_columns(table);
    const double *t = orr_table_column(table, 0);
    fprintf(out, "# Skeleton for the %zu row%s of %s: columns", n, n == 1 ? "" : "s", data);
    for (size_t c = 0; c < columns; c++) {
        const char *unit = orr_table_unit(table, c);
        fprintf(out, unit ? "%s %s [%s]" : "%s %s", c ? "," : "", orr_table_name(table, c), unit);
    }
    fputs(".\n# Each measured column is a state here, starting at its first value; put your equations in.\n"
          "model ",
          out);
    write_model_name(out, path);
    fputc('\n', out);
    const char *time = orr_table_unit(table, 0);
    if (time && columns > 1) fprintf(out, "  time [%s]\n", time);
    for (size_t c = 1; c < columns; c++) write_variable(out, table, c);
    for (size_t c = 1; c < columns; c++) {
        fputs("  ", out);
        write_name(out, orr_table_name(table, c), strlen(orr_table_name(table, c)));
        fputs("' = 0 # how fast it changes\n", out);
    }
    fputs("end\n\n", out);
    const double from = isfinite(t[0]) ? t[0] : 0, until = t[n - 1];
    write_experiment(out, path, from, until > from ? until : from + 10);
    fputs("end\n", out);
}

// The skeleton in the layout of `orrery fmt`.
static bool write_skeleton(FILE *out, const char *path, const char *data, const orr_table *table)
{
    char *text = NULL, *formatted = NULL;
    size_t n = 0;
    FILE *draft = open_memstream(&text, &n);
    if (!draft) no_memory();
    if (table) write_from_table(draft, path, data, table);
    else write_plain(draft, path);
    memory_close(draft, &text);
    orr_diag *aside = orr_diag_create();
    formatted = orr_format(path, text, n, aside);
    fputs(formatted ? formatted : text, out);
    orr_diag_destroy(aside);
    free(formatted);
    free(text);
    return !ferror(out);
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    const char *path = arguments->items[0];
    const size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 4, ".orr") != 0) {
        usage_error(diag, "E022", "call it NAME.orr", "a model file ends in .orr, not '%s'", path);
        return ORR_STATUS_USAGE;
    }
    orr_table *table = NULL;
    if (s->from && !(table = orr_table_read(s->from, diag))) return ORR_STATUS_SYSTEM;
    if (table && orr_table_n_rows(table) == 0) {
        usage_error(diag, "E047", NULL, "'%s' has a header but no rows", s->from);
        orr_table_destroy(table);
        return ORR_STATUS_SYSTEM;
    }
    FILE *out = fopen(path, s->force ? "w" : "wx");
    if (!out) {
        if (errno == EEXIST)
            usage_error(diag, "E012", "choose another name, or --force to replace it", "'%s' exists already",
                        path);
        else usage_error(diag, "E010", NULL, "cannot write '%s': %s", path, strerror(errno));
        orr_table_destroy(table);
        return ORR_STATUS_SYSTEM;
    }
    const bool drafted = write_skeleton(out, path, s->from, table);
    const bool ok = fclose(out) == 0 && drafted;
    if (!ok) {
        usage_error(diag, "E010", "is the disk full?", "cannot write '%s'", path);
        remove(path);    // half a file would only be in the way
    } else printf("%s written; now: orrery run %s\n", path, path);
    orr_table_destroy(table);
    return ok ? ORR_STATUS_OK : ORR_STATUS_SYSTEM;
}

const Command command_new = {
    .name = "new", .arguments = "NAME.orr", .summary = "Write a commented skeleton of a model",
    .options = options, .n_options = sizeof options / sizeof *options, .at_least = 1, .at_most = 1,
    .settings_size = sizeof(Settings), .run = run,
    .details = "Examples:\n"
               "  orrery new spring.orr\n"
               "  orrery new spring.orr --from measured.csv\n",
};

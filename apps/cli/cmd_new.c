// apps/cli/cmd_new.c: `orrery new`: a commented skeleton to start from, with the columns of measured data.
#include "commands.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    const char *from;
    bool        force;
} Settings;

static const Option options[] = {
    { "--from", OPTION_TEXT, "DATA.csv", "take names, initial values and times from this table", offsetof(Settings, from) },
    { "--force", OPTION_FLAG, NULL, "replace the file if it exists", offsetof(Settings, force) },
};

// A name the language accepts: letters, digits, _; a leading digit gets a c in front.
static void write_name(FILE *out, const char *text)
{
    if (!isalpha((unsigned char)*text)) fputc('c', out);
    for (; *text; text++) fputc(isalnum((unsigned char)*text) ? *text : '_', out);
}

static void write_model_name(FILE *out, const char *path)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    const char *dot = strrchr(base, '.');
    char stem[128];
    snprintf(stem, sizeof stem, "%.*s", (int)(dot ? dot - base : (ptrdiff_t)strlen(base)), base);
    stem[0] = (char)toupper((unsigned char)stem[0]);
    write_name(out, stem);
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
    fputs("             # interval of recording\n  # solver rk4 step 0.01    # default: auto, which chooses; 'orrery solvers' lists them\n", out);
}

static void write_plain(FILE *out, const char *path)
{
    fputs("# A model is a set of equations; their order does not matter.\nmodel ", out);
    write_model_name(out, path);
    fputs(" \"say in a few words what it is\"\n"
          "  param k = 0.5 [1/s]      # fixed during a run; change it with --set k=1\n"
          "  var x = 1                # a state: the value is where it starts\n"
          "  x' = -k*x                # its rate of change\n"
          "  output half = x/2        # what else to record\n"
          "end\n\n", out);
    write_experiment(out, path, 0, 10);
    fputs("  plot x, half\n  expect x at 10 = exp(-5) within 1e-6\nend\n", out);
}

static void write_from_table(FILE *out, const char *path, const char *data, const orr_table *table)
{
    const size_t n = orr_table_n_rows(table), columns = orr_table_n_columns(table);
    const double *t = orr_table_column(table, 0);
    fprintf(out, "# Skeleton for the %zu rows of %s: columns", n, data);
    for (size_t c = 0; c < columns; c++) fprintf(out, "%s %s", c ? "," : "", orr_table_name(table, c));
    fputs(".\n# Each measured column is a state here, starting at its first value; put your equations in.\nmodel ", out);
    write_model_name(out, path);
    fputc('\n', out);
    for (size_t c = 1; c < columns; c++) {
        const double *values = orr_table_column(table, c);
        double first = 0, low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            if (!isfinite(values[i])) continue;
            if (!isfinite(low)) first = values[i];
            low = fmin(low, values[i]);
            high = fmax(high, values[i]);
        }
        fputs("  var ", out);
        write_name(out, orr_table_name(table, c));
        fputs(" = ", out);
        write_number(out, first);
        fprintf(out, "    # measured from %.6g to %.6g\n", low, high);
    }
    for (size_t c = 1; c < columns; c++) {
        fputs("  ", out);
        write_name(out, orr_table_name(table, c));
        fputs("' = 0    # how fast it changes\n", out);
    }
    fputs("end\n\n", out);
    const double until = n ? t[n - 1] : 10;
    write_experiment(out, path, n ? t[0] : 0, until > t[0] ? until : t[0] + 10);
    fputs("end\n", out);
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
    FILE *out = fopen(path, s->force ? "w" : "wx");
    if (!out) {
        usage_error(diag, s->force ? "E010" : "E012", "choose another name, or --force to replace it", "cannot make '%s': it exists, or its folder does not", path);
        orr_table_destroy(table);
        return ORR_STATUS_SYSTEM;
    }
    if (table) write_from_table(out, path, s->from, table);
    else write_plain(out, path);
    const bool ok = !ferror(out) && fclose(out) == 0;
    if (!ok) usage_error(diag, "E010", "is the disk full?", "cannot write '%s'", path);
    else printf("%s written; now: orrery run %s\n", path, path);
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

// apps/cli/results.c: results for the eye: texts, short tables, plots on the terminal and in files.
#include "results.h"
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TABLE_ROWS = 11, TABLE_COLUMNS = 7, PLOT_ROWS = 20 };

static bool ends_with(const char *text, const char *suffix)
{
    const size_t n = strlen(text), k = strlen(suffix);
    return n >= k && strcmp(text + n - k, suffix) == 0;
}

static const char *keep_name(PlotRequest *request, const char *from, const char *to)
{
    while (from < to && *from == ' ') from++;
    while (to > from && to[-1] == ' ') to--;
    char *copy = strndup(from, (size_t)(to - from));
    if (!copy) no_memory();
    list_add(&request->texts, copy);
    return copy;
}

// Names of pictures of other kinds, which nobody means as variables.
static bool is_other_picture(const char *text)
{
    static const char *const suffixes[] = { ".jpg", ".jpeg", ".gif",  ".eps",  ".ps",
                                            ".bmp", ".tif",  ".tiff", ".webp", ".html" };
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (ends_with(text, suffixes[i])) return true;
    return false;
}

// "x, v over t", "histogram of desk.waits"
static bool read_plot(PlotRequest *request, const char *text, orr_plot *plot, orr_diag *diag)
{
    static const char histogram[] = "histogram of ";
    if (strncmp(text, histogram, sizeof histogram - 1) == 0) {
        List names = { 0 };
        const char *name = text + sizeof histogram - 1;
        list_add(&names, keep_name(request, name, name + strlen(name)));
        *plot = (orr_plot){ .ys = names.items, .n_ys = 1, .is_histogram = true };
        return true;
    }
    const char *over = strstr(text, " over ");
    const char *end = over ? over : text + strlen(text);
    List ys = { 0 };
    for (const char *start = text; start <= end;) {
        const char *comma = memchr(start, ',', (size_t)(end - start));
        const char *stop = comma ? comma : end;
        const char *name = keep_name(request, start, stop);
        if (*name) list_add(&ys, name);
        start = stop + 1;
    }
    if (is_other_picture(text)) {
        usage_error(diag, "E412", NULL, "cannot plot '%s': pictures end in .svg, .png or .pdf", text);
        list_free(&ys);
        return false;
    }
    if (ys.n == 0) {
        usage_error(diag, "E412", "write a file such as out.svg, or what to draw: 'x, v over t'",
                    "cannot plot '%s': nothing is named", text);
        return false;
    }
    *plot = (orr_plot){ .ys = ys.items, .n_ys = ys.n };
    if (over) {
        plot->over = keep_name(request, over + 6, over + strlen(over));
        if (strcmp(plot->over, "t") == 0) plot->over = NULL;
    }
    return true;
}

bool results_read_plots(PlotRequest *request, const List *given, const orr_experiment *experiment,
                        orr_diag *diag)
{
    *request = (PlotRequest){ 0 };
    request->plots = calloc(given->n + experiment->n_plots + 1, sizeof *request->plots);
    request->files = calloc(given->n + 1, sizeof *request->files);
    if (!request->plots || !request->files) no_memory();
    bool ok = true;
    for (size_t i = 0; i < given->n; i++) {
        if (orr_figure_is_path(given->items[i])) request->files[request->n_files++] = given->items[i];
        else if (read_plot(request, given->items[i], &request->plots[request->n_plots], diag))
            request->n_plots++;
        else ok = false;
    }
    if (request->n_plots == 0) {
        for (size_t i = 0; i < experiment->n_plots; i++) {
            orr_plot copy = experiment->plots[i];
            List ys = { 0 };
            for (size_t k = 0; k < copy.n_ys; k++) list_add(&ys, copy.ys[k]);
            copy.ys = ys.items;
            request->plots[request->n_plots++] = copy;
        }
    }
    return ok;
}

void results_free_plots(PlotRequest *request)
{
    for (size_t i = 0; i < request->n_plots; i++) free((void *)request->plots[i].ys);
    for (size_t i = 0; i < request->texts.n; i++) free((char *)request->texts.items[i]);
    free(request->texts.items);
    free(request->plots);
    free(request->files);
}

// ---------------------------------------------------------------------------------------------- table

static void print_cell(FILE *out, double value, int width)
{
    char text[32];
    snprintf(text, sizeof text, "%.7g", value);
    fprintf(out, "  %*s", width, text);
}

// Characters, not bytes.
static int width_of(const char *text)
{
    int n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static void print_table(const orr_table *table, FILE *out)
{
    const size_t n = orr_table_n_rows(table);
    size_t columns = orr_table_n_columns(table);
    const size_t left_out = columns > TABLE_COLUMNS ? columns - TABLE_COLUMNS : 0;
    columns -= left_out;
    int widths[TABLE_COLUMNS];
    for (size_t c = 0; c < columns; c++) {
        const char *name = orr_table_name(table, c), *unit = orr_table_unit(table, c);
        char head[80];
        if (unit) snprintf(head, sizeof head, "%s [%s]", name, unit);
        else snprintf(head, sizeof head, "%s", name);
        const int width = width_of(head);
        widths[c] = width > 12 ? width : 12;
        fprintf(out, "  %*s%s", widths[c] - width, "", head);
    }
    if (left_out) fprintf(out, "  (+%zu more)", left_out);
    fputc('\n', out);
    const size_t rows = n < TABLE_ROWS ? n : TABLE_ROWS;
    for (size_t i = 0; i < rows; i++) {
        const size_t row = rows < 2 ? 0 : i * (n - 1) / (rows - 1);
        for (size_t c = 0; c < columns; c++) print_cell(out, orr_table_column(table, c)[row], widths[c]);
        fputc('\n', out);
    }
}

// ---------------------------------------------------------------------------------------------- plots

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        return size.ws_col < 120 ? size.ws_col : 120;
    return 79;
}

bool results_put(orr_figure *figure, const char *path, orr_diag *diag)
{
    const bool ok = figure && orr_figure_write(figure, path, diag);
    orr_figure_destroy(figure);
    return ok;
}

static void print_part(const orr_part *part)
{
    if (part->text) fputs(part->text, stdout);
    if (part->distribution) orr_distribution_print(part->distribution, stdout, terminal_width());
    if (part->table) {
        print_table(part->table, stdout);
        if (orr_table_n_rows(part->table) >= 2) putchar('\n');
    }
    if (part->figure) orr_figure_print(part->figure, stdout, terminal_width(), PLOT_ROWS);
}

static bool draw_part(const orr_part *part, const char *path, bool is_silent, orr_diag *diag)
{
    char numbered[4096];
    const char *dot = strrchr(path, '.');
    snprintf(numbered, sizeof numbered, "%.*s-%zu%s", (int)(dot - path), path, part->picture, dot);
    const char *to = part->picture == 1 ? path : numbered;
    const bool drawn = orr_figure_write(part->figure, to, diag);
    if (drawn && !is_silent) printf("  plot in %s\n", to);
    return drawn;
}

bool results_show(const orr_result *result, const PlotRequest *request, bool is_silent, orr_diag *diag)
{
    bool ok = true;
    for (size_t i = 0; i < result->n_parts && !is_silent; i++)
        if (!result->parts[i].is_file_only) print_part(&result->parts[i]);
    for (size_t f = 0; f < request->n_files; f++)
        for (size_t i = 0; i < result->n_parts; i++)
            if (result->parts[i].figure && result->parts[i].picture > 0)
                ok = draw_part(&result->parts[i], request->files[f], is_silent, diag) && ok;
    return ok;
}

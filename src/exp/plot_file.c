// src/exp/plot_file.c: a plot as a picture, drawn by gnuplot.
//
// gnuplot reads its script and the data, as binary doubles, from a pipe: nothing of the model's text is ever
// part of a command, names and titles are quoted, and no shell is involved. The picture appears under its
// name only when it is whole.
#include "base/diag.h"
#include "base/os.h"
#include "exp/plot.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { POINTS_MAX = 20000 };    // of a curve: more cannot be seen and make huge files

static const struct Form {
    const char *suffix, *terminal, *unit, *more;
    double      scale;              // of the size in points
} forms[] = {
    { ".svg", "svg", "", "dynamic font 'Helvetica,14' background 'white'", 1 },
    { ".png", "pngcairo", "", "font 'Helvetica,12'", 1.25 },
    { ".pdf", "pdfcairo", "cm", "font 'Helvetica,11'", 0.02 },
};

// Okabe and Ito's colours, told apart by everybody.
static const char *const colours[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                       "#E69F00", "#56B4E9", "#000000", "#F0E442" };

static const struct Form *find_form(const char *path)
{
    const char *suffix = os_path_suffix(path);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].suffix, suffix) == 0) return &forms[i];
    return NULL;
}

// In single quotes gnuplot expands nothing but a doubled quote; control characters are dropped.
void plot_quote(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if ((unsigned char)*text < ' ') continue;
        fputc(*text, out);
        if (*text == '\'') fputc('\'', out);
    }
    fputc('\'', out);
}

static void write_label(FILE *out, const orr_table *table, size_t column)
{
    char text[256];
    const char *unit = orr_table_unit(table, column);
    snprintf(text, sizeof text, unit ? "%s [%s]" : "%s", orr_table_name(table, column), unit);
    plot_quote(out, text);
}

static const char *look_text(char look)
{
    switch (look) {
    case ':': return "lines linewidth 2 dashtype 2";
    case 's': return "steps linewidth 2";
    case 'o': return "points pointtype 7 pointsize 0.8";
    default:  return "lines linewidth 2";
    }
}

static void write_script(FILE *out, const orr_table *table, const PlotData *data, const char *title,
                         size_t n_points)
{
    fputs("set grid linecolor '#dddddd'\nset border linecolor '#555555'\n"
          "set key outside top center horizontal\nset rmargin 4\nset title ",
          out);
    plot_quote(out, title ? title : "");
    fputs(" noenhanced\nset xlabel ", out);
    write_label(out, table, data->x);
    fputs(" noenhanced\n", out);
    if (data->n_ys == 1) {
        fputs("set ylabel ", out);
        write_label(out, table, data->ys[0]);
        fputs(" noenhanced\nunset key\n", out);
    }
    size_t n_events = 0;
    const double *events = data->x == 0 ? orr_table_events(table, &n_events) : NULL;
    for (size_t i = 0; i < n_events; i++)
        fprintf(out,
                "set arrow from first %.17g, graph 0 to first %.17g, graph 1 "
                "nohead back linecolor '#bbbbbb' dashtype 3\n",
                events[i], events[i]);
    fprintf(out, "set xrange [%.17g:%.17g]\nplot ", data->x_min, data->x_max);
    size_t colour = 0;
    for (size_t i = 0; i < data->n_ys; i++) {
        if (i > 0 && (data->looks[i] == '-' || data->looks[i] == 's')) colour++;
        fprintf(out,
                "%s'-' binary record=%zu format='%%double%%double' using 1:2 with %s linecolor '%s' title ",
                i ? ", " : "", n_points, look_text(data->looks[i]),
                colours[colour % (sizeof colours / sizeof *colours)]);
        write_label(out, table, data->ys[i]);
    }
    fputc('\n', out);
}

static void write_data(FILE *out, const orr_table *table, const PlotData *data, size_t n_points)
{
    const size_t n = orr_table_n_rows(table);
    for (size_t c = 0; c < data->n_ys; c++) {
        for (size_t i = 0; i < n_points; i++) {
            const size_t row = n_points < 2 ? 0
                                            : (size_t)((double)i * (double)(n - 1) / (double)(n_points - 1));
            const double point[2] = { orr_table_column(table, data->x)[row],
                                      orr_table_column(table, data->ys[c])[row] };
            fwrite(point, sizeof point, 1, out);
        }
    }
}

static pid_t start_gnuplot(int *input, int *errors, orr_diag *diag)
{
    int in[2], err[2];
    if (pipe(in) != 0 || pipe(err) != 0) return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, in[1]);
    posix_spawn_file_actions_addclose(&actions, err[0]);
    char *argv[] = { "gnuplot", "-d", NULL };    // -d: no start-up files of the user
    pid_t pid;
    const int error = posix_spawnp(&pid, "gnuplot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(err[1]);
    if (error != 0) {
        close(in[1]);
        close(err[0]);
        diag_report(diag, DIAG_PROGRAM_MISSING, (Place){ 0 }, "gnuplot", "plots in files");
        diag_hint(diag, "install the package gnuplot-nox");
        return -1;
    }
    *input = in[1];
    *errors = err[0];
    return pid;
}

static bool finish_gnuplot(pid_t pid, int errors, orr_diag *diag)
{
    char text[1024];
    size_t used = 0;
    for (ssize_t n; used < sizeof text - 1 && (n = read(errors, text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)n;
    text[used] = '\0';
    close(errors);
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    diag_report(diag, DIAG_PROGRAM_FAILED, (Place){ 0 }, "gnuplot", used ? text : "no reason given");
    return false;
}

// gnuplot that cannot open its output writes the picture to standard output: find out before.
static bool can_be_made(const char *temp, const char *path, orr_diag *diag)
{
    FILE *file = fopen(temp, "w");
    if (file) return fclose(file) == 0;
    char reason[128];
    diag_report(diag, DIAG_WRITE_FAILED, (Place){ 0 }, path, os_error_text(errno, reason, sizeof reason));
    return false;
}

typedef struct Curves {
    const orr_table *table;
    const PlotData  *data;
    const char      *title;
} Curves;

static void write_curves(void *context, FILE *out)
{
    const Curves *c = context;
    const size_t n = orr_table_n_rows(c->table), n_points = n < POINTS_MAX ? n : POINTS_MAX;
    write_script(out, c->table, c->data, c->title, n_points);
    write_data(out, c->table, c->data, n_points);
}

static bool draw(const PlotPicture *picture, const struct Form *form, const char *temp, orr_diag *diag)
{
    int input, errors;
    const pid_t pid = start_gnuplot(&input, &errors, diag);
    if (pid < 0) return false;
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGPIPE, &ignore, &before);    // gnuplot may die early; its status tells
    FILE *out = fdopen(input, "w");
    if (out) {
        fprintf(out, "set terminal %s size %g%s,%g%s %s noenhanced\nset output ", form->terminal,
                picture->width * form->scale, form->unit, picture->height * form->scale, form->unit,
                form->more);
        plot_quote(out, temp);
        fputc('\n', out);
        picture->write(picture->context, out);
        fclose(out);
    }
    sigaction(SIGPIPE, &before, NULL);
    return finish_gnuplot(pid, errors, diag);
}

// A full disk does not trouble gnuplot: it leaves an empty file.
static bool put_in_place(const char *temp, const char *path, orr_diag *diag)
{
    char reason[128] = "the picture is empty; is the disk full?";
    struct stat made;
    if (stat(temp, &made) == 0 && made.st_size > 0) {
        if (rename(temp, path) == 0) return true;
        os_error_text(errno, reason, sizeof reason);
    }
    diag_report(diag, DIAG_WRITE_FAILED, (Place){ 0 }, path, reason);
    return false;
}

bool plot_draw(const PlotPicture *picture, const char *path, orr_diag *diag)
{
    const struct Form *form = find_form(path);
    if (!form) {
        diag_report(diag, DIAG_PLOT_BAD, (Place){ 0 }, path, "pictures end in .svg, .png or .pdf");
        return false;
    }
    char *temp = malloc(strlen(path) + 32);
    if (!temp) arena_no_memory(strlen(path));
    sprintf(temp, "%s.%ld.tmp", path, (long)getpid());
    const bool ok = can_be_made(temp, path, diag) && draw(picture, form, temp, diag) &&
                    put_in_place(temp, path, diag);
    if (!ok) unlink(temp);
    free(temp);
    return ok;
}

bool orr_plot_file(const orr_table *table, const orr_plot *plot, const char *title, const char *path,
                   orr_diag *diag)
{
    PlotData data = { 0 };
    if (find_form(path)) {
        if (!plot_prepare(table, plot, &data, diag)) return false;
        if (data.is_empty || data.n_ys == 0) {
            diag_report(diag, DIAG_PLOT_BAD, (Place){ 0 }, path, "there is nothing to draw");
            return false;
        }
    }
    Curves curves = { table, &data, title };
    return plot_draw(&(PlotPicture){ .width = 800, .height = 500, .write = write_curves, .context = &curves },
                     path, diag);
}

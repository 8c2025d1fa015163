// src/exp/spectrum.c: complex numbers, and variables with their units, for people; points of a model.
#include "exp/spectrum.h"
#include "analyse/analyse.h"
#include <math.h>
#include <string.h>

enum { LINES_MOST = 40 };

void say_spectrum(Call *call, const orr_complex *values, size_t n, const char *indent, bool with_frequency)
{
    int lines = 0;
    for (size_t i = 0; i < n; i++) {
        if (++lines > LINES_MOST) {
            say(call, "%s… and %zu more\n", indent, n - i);
            return;
        }
        const orr_complex v = values[i];
        const bool is_pair = i + 1 < n && v.im != 0 && values[i + 1].im == -v.im && values[i + 1].re == v.re;
        const double size = hypot(v.re, v.im);
        if (v.im == 0) say(call, "%s%.8g", indent, v.re);
        else if (is_pair) say(call, "%s%.8g ± %.8gi", indent, v.re, fabs(v.im));
        else say(call, "%s%.8g %c %.8gi", indent, v.re, v.im < 0 ? '-' : '+', fabs(v.im));
        if (with_frequency && is_pair) say(call, "    frequency %.6g, damping %.6g", size, -v.re / size);
        say(call, "\n");
        if (is_pair) i++;
    }
}

static const char *name_of(const Call *call, size_t variable)
{
    const orr_variable v = orr_model_variable(call->model, variable);
    return v.unit ? arena_printf(call->arena, "%s [%s]", v.name, v.unit) : v.name;
}

void say_variables(Call *call, const size_t *variables, size_t n, const double *values, const char *indent)
{
    size_t width = 1;
    for (size_t i = 0; i < n; i++) {
        const size_t cells = text_cells(text_from(name_of(call, variables[i])));
        if (cells > width) width = cells;
    }
    for (size_t i = 0; i < n; i++) {
        if (i == LINES_MOST) {
            say(call, "%s… and %zu more; -o writes them all\n", indent, n - i);
            return;
        }
        const char *name = name_of(call, variables[i]);
        say(call, "%s%s%*s = %.10g\n", indent, name, (int)(width - text_cells(text_from(name))), "",
            values[variables[i]]);
    }
}

size_t *point_outputs(const Call *call, size_t *n) { return analyse_outputs(call->model, call->arena, n); }

static void add_column(Sheet *sheet, size_t variable, const double *const *values)
{
    const orr_variable v = orr_model_variable(sheet->call->model, variable);
    double *column = sheet_numbers(sheet, v.name, v.unit);
    for (size_t r = 0; r < sheet->sheet.n_rows; r++) column[r] = values[r][variable];
}

void sheet_points(Sheet *sheet, const size_t *states, size_t n_states, const double *const *values)
{
    size_t n_outputs;
    const size_t *outputs = point_outputs(sheet->call, &n_outputs);
    for (size_t i = 0; i < n_states; i++) add_column(sheet, states[i], values);
    for (size_t i = 0; i < n_outputs; i++) add_column(sheet, outputs[i], values);
}

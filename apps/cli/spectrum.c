// apps/cli/spectrum.c: complex numbers, and variables with their units, for people.
#include "spectrum.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 40 };

void spectrum_text(orr_complex value, bool is_pair, char *text, size_t size)
{
    if (value.im == 0) snprintf(text, size, "%.8g", value.re);
    else if (is_pair) snprintf(text, size, "%.8g ± %.8gi", value.re, fabs(value.im));
    else snprintf(text, size, "%.8g %c %.8gi", value.re, value.im < 0 ? '-' : '+', fabs(value.im));
}

void spectrum_print(const orr_complex *values, size_t n, const char *indent, bool with_frequency, FILE *out)
{
    int lines = 0;
    for (size_t i = 0; i < n; i++) {
        if (++lines > LINES_MOST) {
            fprintf(out, "%s… and %zu more\n", indent, n - i);
            return;
        }
        const orr_complex value = values[i];
        const bool is_pair = i + 1 < n && value.im != 0 && values[i + 1].im == -value.im &&
                             values[i + 1].re == value.re;
        char text[80];
        spectrum_text(value, is_pair, text, sizeof text);
        fprintf(out, "%s%s", indent, text);
        const double size = hypot(value.re, value.im);
        if (with_frequency && is_pair)
            fprintf(out, "    frequency %.6g, damping %.6g", size, -value.re / size);
        fputc('\n', out);
        if (is_pair) i++;
    }
}

static int print_name(const orr_model *model, size_t variable, char *text, size_t size)
{
    const orr_variable v = orr_model_variable(model, variable);
    if (v.unit) snprintf(text, size, "%s [%s]", v.name, v.unit);
    else snprintf(text, size, "%s", v.name);
    int cells = 0;
    for (const char *p = text; *p; p++) cells += ((unsigned char)*p & 0xC0) != 0x80;
    return cells;
}

int variable_width(const orr_model *model, const size_t *variables, size_t n, int at_least)
{
    char text[256];
    for (size_t i = 0; i < n; i++) {
        const int width = print_name(model, variables[i], text, sizeof text);
        if (width > at_least) at_least = width;
    }
    return at_least;
}

void variable_print(const orr_model *model, size_t variable, int width, FILE *out)
{
    char text[256];
    const int cells = print_name(model, variable, text, sizeof text);
    fprintf(out, "%s%*s", text, width > cells ? width - cells : 0, "");
}

void variables_print(const orr_model *model, const size_t *variables, size_t n, const double *values,
                     const char *indent, FILE *out)
{
    const int width = variable_width(model, variables, n, 1);
    for (size_t i = 0; i < n; i++) {
        if (i == LINES_MOST) {
            fprintf(out, "%s… and %zu more; -o writes them all\n", indent, n - i);
            return;
        }
        fputs(indent, out);
        variable_print(model, variables[i], width, out);
        fprintf(out, " = %.10g\n", values[variables[i]]);
    }
}

size_t *variables_outputs(const orr_model *model, size_t *n)
{
    const size_t n_all = orr_model_n_variables(model);
    size_t *outputs = calloc(n_all + 1, sizeof *outputs);
    if (!outputs) abort();
    *n = 0;
    for (size_t i = 0; i < n_all; i++) {
        const orr_variable v = orr_model_variable(model, i);
        if (v.is_output && v.kind != ORR_KIND_STATE) outputs[(*n)++] = i;
    }
    return outputs;
}

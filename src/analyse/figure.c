// src/analyse/figure.c: branches of equilibria as a figure.
#include "orrery/analyse.h"
#include <math.h>
#include <stdio.h>

enum { STABLE, UNSTABLE, SPECIAL, N_PARTS };

// Where a variable is stable, where not, and its special points; parts that are empty are left out. A point
// at which the stability changes belongs to both parts, so that they meet there.
static void add_variable(orr_figure *f, orr_panel *panel, const orr_diagram *d, const orr_variable *variable,
                         size_t index, int colour)
{
    static const char *const names[N_PARTS] = { "%s", "%s, unstable", "%s, fold or Hopf" };
    char label[300], name[340];
    snprintf(label, sizeof label, variable->unit ? "%s [%s]" : "%s", variable->name, variable->unit);
    for (int part = STABLE; part < N_PARTS; part++) {
        const orr_series_kind kind = part == SPECIAL ? ORR_SERIES_POINTS : ORR_SERIES_LINE;
        snprintf(name, sizeof name, names[part], part == STABLE ? label : variable->name);
        orr_series *s = orr_figure_add_series(f, panel, kind, name, 2 * d->n_points);
        s->is_dashed = part == UNSTABLE;
        s->colour = colour;
        s->n = 0;
        bool is_seen = part == STABLE;
        for (size_t p = 0; p < d->n_points; p++) {
            const orr_branch_point *point = &d->points[p], *last = p ? point - 1 : point;
            const bool is_first = p == 0 || last->branch != point->branch;
            const bool is_special = point->kind != ORR_POINT_PLAIN, is_stable = point->n_unstable == 0;
            const bool is_fresh = is_first || last->kind != ORR_POINT_PLAIN;
            const bool was_stable = is_fresh ? is_stable : last->n_unstable == 0;
            const bool is_here[N_PARTS] = { is_stable || was_stable || is_special,
                                            !is_stable || !was_stable || is_special, is_special };
            if (is_first && p > 0) s->x[s->n] = s->y[s->n] = NAN, s->n++;
            s->x[s->n] = point->parameter;
            s->y[s->n++] = is_here[part] ? point->values[index] : NAN;
            is_seen |= is_here[part];
        }
        if (!is_seen) panel->n_series--;
    }
}

orr_figure *orr_diagram_figure(const orr_diagram *d, const orr_model *model, const size_t *variables,
                               size_t n, const char *title)
{
    orr_figure *f = orr_figure_create(title);
    orr_panel *panel = orr_figure_add_panel(f);
    const orr_variable parameter = orr_model_variable(model, d->parameter);
    panel->x.label = orr_figure_text(f, parameter.name);
    panel->x.unit = orr_figure_text(f, parameter.unit);
    for (size_t i = 0; i < n; i++) {
        const orr_variable variable = orr_model_variable(model, variables[i]);
        add_variable(f, panel, d, &variable, variables[i], (int)i);
    }
    return f;
}

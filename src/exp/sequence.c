// src/exp/sequence.c: a message sequence chart: a line down the page for each component, an arrow for each
// message; as a figure.
//
// Time goes down, not to scale: each message has a line of its own, and times stand at the left where a new
// instant begins.
#include "base/diag.h"
#include "base/vec.h"
#include "exp/trace.h"
#include "orrery/experiment.h"
#include "orrery/island.h"
#include <stdlib.h>
#include <string.h>

enum {
    MESSAGES_DEFAULT = 200,
    LEFT = 90,    // points: around the chart
    ABOVE = 120,
    ROW = 26,     // of a message
    LETTER = 7,    // width of one
    COLUMN_MIN = 120,
    VALUES_SHOWN = 3,
};

typedef struct Arrow {
    double t;
    uint64_t bag;
    uint32_t from, to;    // participants
    const char *text;
} Arrow;

struct orr_sequence {
    Arena arena;
    VEC(const char *) names;    // participants in the order they appear
    VEC(Arrow) arrows;
    size_t at_most, n_left_out;
};

orr_sequence *orr_sequence_create(size_t at_most)
{
    orr_sequence *s = calloc(1, sizeof *s);
    if (!s) arena_no_memory(sizeof *s);
    s->at_most = at_most ? at_most : MESSAGES_DEFAULT;
    return s;
}

void orr_sequence_destroy(orr_sequence *s)
{
    if (!s) return;
    arena_free(&s->arena);
    free(s);
}

// ---- Keeping

// Few are drawn, so looking through them is fine.
static uint32_t participant(orr_sequence *s, const char *name)
{
    for (size_t i = 0; i < s->names.n; i++)
        if (strcmp(s->names.items[i], name) == 0) return (uint32_t)i;
    vec_push(&s->arena, &s->names, arena_copy_text(&s->arena, name, strlen(name)));
    return (uint32_t)s->names.n - 1;
}

static const char *message_text(orr_sequence *s, const char *port_name, const orr_devs_port *port,
                                const void *bytes)
{
    StrBuf text = { .arena = &s->arena };
    str_add(&text, port_name);
    double values[VALUES_SHOWN];
    const size_t n = port ? orr_message_numbers(port, bytes, values, VALUES_SHOWN) : 0;
    for (size_t i = 0; i < n && i < VALUES_SHOWN; i++) str_addf(&text, "%s%.4g", i ? ", " : " ", values[i]);
    if (n > VALUES_SHOWN) str_add(&text, ", …");
    return str_finish(&text);
}

static void take_message(orr_sequence *s, const orr_devs *network, const orr_devs_trace *what)
{
    Arena work = { 0 };
    const bool is_outside = what->component == ORR_DEVS_OUTSIDE;
    TraceNames from, to;
    trace_names(network, what->component, is_outside, what->port, &work, &from);
    const orr_devs_port *port = orr_devs_get_port(network, what->component, is_outside, what->port);
    uint32_t component, to_port;
    for (uint32_t i = 0; orr_devs_get_target(network, what->component, what->port, i, &component, &to_port);
         i++) {
        if (s->arrows.n >= s->at_most) {
            s->n_left_out++;
            continue;
        }
        trace_names(network, component, component != ORR_DEVS_OUTSIDE, to_port, &work, &to);
        const Arrow arrow = { .t = what->t,
                              .bag = what->bag,
                              .from = participant(s, from.component),
                              .to = participant(s, to.component),
                              .text = message_text(s, from.port, port, what->value) };
        vec_push(&s->arena, &s->arrows, arrow);
    }
    arena_free(&work);
}

static void take(void *self, const orr_devs *network, const orr_devs_trace *what)
{
    if (what->kind == ORR_DEVS_SENT) take_message(self, network, what);
}

orr_sink orr_sequence_sink(orr_sequence *s) { return (orr_sink){ .trace = take, .self = s }; }

// ---- As a figure

static const char *shown_name(const orr_sequence *s, size_t i)
{
    return *s->names.items[i] ? s->names.items[i] : "the model";
}

// As wide as the longest name and message need, between two lines that stand side by side.
static double column_width(const orr_sequence *s)
{
    size_t longest = 0;
    for (size_t i = 0; i < s->names.n + s->arrows.n; i++) {
        const char *text = i < s->names.n ? shown_name(s, i) : s->arrows.items[i - s->names.n].text;
        if (strlen(text) > longest) longest = strlen(text);
    }
    const int wanted = (int)(longest > 40 ? 40 : longest) * LETTER + 30;
    return wanted > COLUMN_MIN ? wanted : COLUMN_MIN;
}

orr_figure *orr_sequence_figure(const orr_sequence *s, const char *title, orr_diag *diag)
{
    if (s->arrows.n == 0) {
        diag_report(diag, DIAG_SEQUENCE_EMPTY, (Place){ 0 });
        diag_hint(diag, "messages are sent from event ports, by 'send' and by atomic components");
        return NULL;
    }
    orr_figure *f = orr_figure_create(title);
    orr_panel *panel = orr_figure_add_panel(f);
    orr_series *arrows = orr_figure_add_series(f, panel, ORR_SERIES_ARROWS, NULL, s->arrows.n);
    for (size_t i = 0; i < s->names.n; i++)
        orr_figure_set_tick(f, &panel->x, (double)i, shown_name(s, i));
    double y = 0;
    for (size_t i = 0; i < s->arrows.n; i++) {
        const Arrow *a = &s->arrows.items[i];
        const bool is_new = i == 0 || a->t != a[-1].t;
        y += is_new ? 1.5 : 1;
        if (is_new) {
            char time[40];
            snprintf(time, sizeof time, "%.6g", a->t);
            orr_figure_set_tick(f, &panel->y, y, time);
        }
        arrows->x[i] = a->from;
        arrows->x_to[i] = a->to;
        arrows->y[i] = arrows->y_to[i] = y;
        arrows->texts[i] = orr_figure_text(f, a->text);
    }
    panel->x.low = -0.5, panel->x.high = (double)s->names.n - 0.5;
    panel->y.low = 0, panel->y.high = y + 1;
    panel->y.is_reversed = true;
    if (s->n_left_out) {
        char note[80];
        snprintf(note, sizeof note, "%zu further messages are not drawn", s->n_left_out);
        panel->x.label = orr_figure_text(f, note);
    }
    f->width = LEFT + (double)s->names.n * column_width(s);
    f->height = ABOVE + y * ROW;
    return f;
}

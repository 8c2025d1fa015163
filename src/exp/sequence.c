// src/exp/sequence.c: a message sequence chart: a line down the page for each component, an arrow for each
// message.
//
// Time goes down, not to scale: each message has a line of its own, and times stand at the left where a new
// instant begins.
#include "base/diag.h"
#include "base/vec.h"
#include "exp/plot.h"
#include "exp/trace.h"
#include "orrery/experiment.h"
#include "orrery/island.h"
#include <stdlib.h>
#include <string.h>

enum {
    MESSAGES_DEFAULT = 200,
    LEFT = 90,    // points: where the first line stands
    ABOVE = 70,
    ROW = 26,
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

// ---- Drawing

static const char *shown_name(const orr_sequence *s, size_t i)
{
    return *s->names.items[i] ? s->names.items[i] : "the model";
}

// As wide as the longest name and message need, between two lines that stand side by side.
static int column_width(const orr_sequence *s)
{
    size_t longest = 0;
    for (size_t i = 0; i < s->names.n; i++)
        if (strlen(shown_name(s, i)) > longest) longest = strlen(shown_name(s, i));
    for (size_t i = 0; i < s->arrows.n; i++)
        if (strlen(s->arrows.items[i].text) > longest) longest = strlen(s->arrows.items[i].text);
    const int wanted = (int)(longest > 40 ? 40 : longest) * LETTER + 30;
    return wanted > COLUMN_MIN ? wanted : COLUMN_MIN;
}

typedef struct Drawing {
    const orr_sequence *s;
    const char *title;
    int width, bottom, right;    // points: of a column, of all
} Drawing;

static int line_at(const Drawing *d, uint32_t participant)
{
    return LEFT + d->width / 2 + (int)participant * d->width;
}

static void put_participants(const Drawing *d, FILE *out)
{
    for (size_t i = 0; i < d->s->names.n; i++) {
        const int x = line_at(d, (uint32_t)i);
        const int half = (int)strlen(shown_name(d->s, i)) * LETTER / 2 + 12;
        fprintf(out, "set arrow from %d,%d to %d,%d nohead back linecolor '#999999' dashtype 2\n", x, ABOVE,
                x, d->bottom);
        fprintf(out,
                "set object rectangle from %d,%d to %d,%d fillcolor "
                "'#eef3fa' fillstyle solid border linecolor '#4a6da7'\n",
                x - half, ABOVE - 26, x + half, ABOVE);
        fputs("set label ", out);
        plot_quote(out, shown_name(d->s, i));
        fprintf(out, " at %d,%d center front\n", x, ABOVE - 13);
    }
}

static void put_arrow(const Drawing *d, const Arrow *a, FILE *out, int y)
{
    const int from = line_at(d, a->from), to = line_at(d, a->to);
    fputs("set label ", out);
    plot_quote(out, a->text);
    if (from == to) {    // to itself: out and back
        fprintf(out, " at %d,%d left front font ',12'\n", from + 40, y - 4);
        fprintf(out, "set arrow from %d,%d to %d,%d nohead\n", from, y - 8, from + 32, y - 8);
        fprintf(out, "set arrow from %d,%d to %d,%d nohead\n", from + 32, y - 8, from + 32, y);
        fprintf(out, "set arrow from %d,%d to %d,%d size 9,20 filled\n", from + 32, y, from, y);
    } else {
        fprintf(out, " at %d,%d center front font ',12'\n", (from + to) / 2, y - 9);
        fprintf(out, "set arrow from %d,%d to %d,%d size 9,20 filled\n", from, y, to, y);
    }
}

static void write_chart(void *context, FILE *out)
{
    const Drawing *d = context;
    const orr_sequence *s = d->s;
    fprintf(out,
            "unset border\nunset tics\nunset key\nset margins 0,0,0,0\nset xrange [0:%d]\n"
            "set yrange [%d:0]\nset label ",
            d->right, d->bottom + 30);
    plot_quote(out, d->title);
    fprintf(out, " at 14,22 left font ',16'\n");
    put_participants(d, out);
    int y = ABOVE + 10;
    for (size_t i = 0; i < s->arrows.n; i++) {
        const Arrow *a = &s->arrows.items[i];
        const bool is_new = i == 0 || a->t != a[-1].t;
        y += is_new ? ROW + ROW / 2 : ROW;
        if (is_new) {
            fprintf(out, "set arrow from %d,%d to %d,%d nohead back linecolor '#dddddd'\n", LEFT - 10, y - 22,
                    d->right - 20, y - 22);
            fprintf(out, "set label '%.6g' at %d,%d right textcolor '#4a6da7' font ',12'\n", a->t, LEFT - 14,
                    y);
        }
        put_arrow(d, a, out, y);
    }
    if (s->n_left_out)
        fprintf(out, "set label '%zu further messages are not drawn' at %d,%d left textcolor '#aa3333'\n",
                s->n_left_out, LEFT, d->bottom + 16);
    fputs("plot NaN notitle\n", out);
}

bool orr_sequence_draw(const orr_sequence *s, const char *title, const char *path, orr_diag *diag)
{
    if (s->arrows.n == 0) {
        diag_report(diag, DIAG_SEQUENCE_EMPTY, (Place){ 0 });
        diag_hint(diag, "messages are sent from event ports, by 'send' and by atomic components");
        return false;
    }
    size_t n_instants = 0;
    for (size_t i = 0; i < s->arrows.n; i++)
        n_instants += i == 0 || s->arrows.items[i].t != s->arrows.items[i - 1].t;
    Drawing d = { .s = s, .title = title, .width = column_width(s) };
    d.bottom = ABOVE + 20 + (int)(s->arrows.n * ROW + n_instants * (ROW / 2)) + 10;
    d.right = LEFT + (int)s->names.n * d.width + 20;
    return plot_draw(
        &(PlotPicture){ .width = d.right, .height = d.bottom + 30, .write = write_chart, .context = &d },
        path, diag);
}

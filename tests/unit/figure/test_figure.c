// tests/unit/figure/test_figure.c: figures and their printers: what is joined and what is not, ranges,
// hostile texts.
#include "base/text.h"
#include "check.h"
#include "figure/figure.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static orr_series *curve(orr_figure *f, orr_series_kind kind, size_t n, const double *x, const double *y)
{
    orr_panel *panel = f->n_panels ? f->panels[0] : orr_figure_add_panel(f);
    orr_series *s = orr_figure_add_series(f, panel, kind, "curve", n);
    memcpy(s->x, x, n * sizeof *x);
    memcpy(s->y, y, n * sizeof *y);
    return s;
}

static char *printed(const orr_figure *f, int width, int height)
{
    char *text = calloc(1, 100000);
    FILE *out = fmemopen(text, 100000, "w");
    orr_figure_print(f, out, width, height);
    fclose(out);
    return text;
}

static void test_steps_hold_until_the_next_point_and_are_vertical_there(void **state)
{
    (void)state;
    orr_figure *f = orr_figure_create(NULL);
    Arena arena = { 0 };
    const orr_series *s = curve(f, ORR_SERIES_STEPS, 3, (double[]){ 0, 1, 3 }, (double[]){ 5, 7, 6 });
    const FigurePath path = figure_path(s, 100, &arena);
    const double x[] = { 0, 1, 1, 3, 3 }, y[] = { 5, 5, 7, 7, 6 };
    assert_int_equal(path.n, 5);
    assert_memory_equal(path.x, x, sizeof x);
    assert_memory_equal(path.y, y, sizeof y);
    arena_free(&arena);
    orr_figure_destroy(f);
}

static void test_many_points_keep_their_extremes_and_gaps(void **state)
{
    (void)state;
    enum { N = 100000, PEAK = 54321, GAP = 70000 };
    orr_figure *f = orr_figure_create(NULL);
    orr_series *s = orr_figure_add_series(f, orr_figure_add_panel(f), ORR_SERIES_LINE, NULL, N);
    for (size_t i = 0; i < N; i++) s->x[i] = (double)i, s->y[i] = sin(1e-3 * (double)i);
    s->y[PEAK] = 9, s->y[GAP] = NAN;
    Arena arena = { 0 };
    const FigurePath path = figure_path(s, 1000, &arena);
    assert_true(path.n < 1500);
    bool has_peak = false, has_gap = false;
    for (size_t i = 0; i < path.n; i++) {
        has_peak |= path.y[i] == 9 && path.x[i] == PEAK;
        has_gap |= isnan(path.y[i]);
        if (i > 0 && !isnan(path.x[i]) && !isnan(path.x[i - 1])) assert_true(path.x[i] > path.x[i - 1]);
    }
    assert_true(has_peak && has_gap);
    assert_true(path.x[0] == 0 && path.x[path.n - 1] == N - 1);
    arena_free(&arena);
    orr_figure_destroy(f);
}

static void test_gaps_are_not_joined_in_text(void **state)
{
    (void)state;
    orr_figure *f = orr_figure_create(NULL);
    // two flat pieces, far apart in y: a line between them would cross the rows in the middle
    curve(f, ORR_SERIES_LINE, 5, (double[]){ 0, 1, NAN, 2, 3 }, (double[]){ 0, 0, NAN, 8, 8 });
    char *text = printed(f, 60, 9);
    int rows = 0;
    for (char *line = strtok(strchr(text, '\n'), "\n"); line; line = strtok(NULL, "\n"))
        rows += strchr(line, '*') != NULL;
    assert_int_equal(rows, 2);
    free(text);
    orr_figure_destroy(f);
}

static void test_ranges_cover_all_that_is_drawn(void **state)
{
    (void)state;
    orr_figure *f = orr_figure_create(NULL);
    orr_panel *panel = orr_figure_add_panel(f);
    orr_series *bars = orr_figure_add_series(f, panel, ORR_SERIES_BARS, NULL, 2);
    bars->x[0] = 1, bars->x[1] = 3, bars->y[0] = 4, bars->y[1] = 2, bars->width = 2;
    orr_series *band = orr_figure_add_series(f, panel, ORR_SERIES_BAND, NULL, 1);
    band->x[0] = 2, band->y[0] = 99, band->low[0] = -1, band->high[0] = 6;
    FigureRange r = figure_range(panel);
    assert_true(r.x_min == 0 && r.x_max == 4 && r.y_min == -1 && r.y_max == 6 && !r.is_empty);
    panel->y.low = -5;
    r = figure_range(panel);
    assert_true(r.y_min == -5);
    orr_figure_destroy(f);

    f = orr_figure_create(NULL);
    panel = orr_figure_add_panel(f);
    panel->y.is_log = true;
    orr_series *line = orr_figure_add_series(f, panel, ORR_SERIES_LINE, NULL, 3);
    for (int i = 0; i < 3; i++) line->x[i] = i, line->y[i] = pow(10, i) - 1;    // 0 has no logarithm
    r = figure_range(panel);
    assert_near(r.y_min, log10(9), 1e-15);
    assert_near(r.y_max, log10(99), 1e-15);
    orr_figure_destroy(f);
}

static void test_each_kind_is_drawn_in_each_form(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    orr_figure *f = orr_figure_create("all kinds");
    for (orr_series_kind kind = ORR_SERIES_LINE; kind <= ORR_SERIES_ARROWS; kind++) {
        orr_panel *panel = orr_figure_add_panel(f);
        panel->events = orr_figure_numbers(f, 1);
        panel->n_events = 1;
        orr_series *s = orr_figure_add_series(f, panel, kind, "a", 4);
        if (kind == ORR_SERIES_POINTS) s->low = orr_figure_numbers(f, 4), s->high = orr_figure_numbers(f, 4);
        for (int i = 0; i < 4; i++) {
            s->x[i] = i % 2, s->y[i] = i / 2;
            if (s->low) s->low[i] = i - 1, s->high[i] = i + 1;
            if (s->z) s->z[i] = i;
            if (s->x_to) s->x_to[i] = 1, s->y_to[i] = 1, s->texts[i] = "message";
        }
    }
    static const struct {
        const char *form, *begins;
    } forms[] = { { "svg", "<?xml" }, { "png", "\x89PNG" }, { "pdf", "%PDF" } };
    for (size_t i = 0; i < 3; i++) {
        char *bytes;
        size_t n;
        if (!orr_figure_draw(f, forms[i].form, &bytes, &n, diag)) {
            orr_diag_destroy(diag);
            orr_figure_destroy(f);
            skip();    // no gnuplot
        }
        assert_true(n > 1000);
        assert_memory_equal(bytes, forms[i].begins, 4);
        if (i == 0) assert_non_null(strstr(bytes, "message"));
        free(bytes);
    }
    char *text = printed(f, 60, 5);
    assert_non_null(strstr(text, "->"));
    free(text);
    orr_diag_destroy(diag);
    orr_figure_destroy(f);
}

// ---- Texts of others are texts

// What must be seen of a text: without what is no text; as XML.
static void add_expected(StrBuf *to, const char *given)
{
    const Text text = text_from(given);
    size_t n = 0;
    for (size_t i = 0, end; i < text.n; i = end) {
        end = i;
        const int32_t c = text_utf8_next(text, &end);
        if (c < ' ' || (c >= 0x7f && c < 0xa0) || (c & 0xfffe) == 0xfffe) continue;
        n += end - i + (c == '%');
        if (n > 44) {    // a long tick
            str_add(to, "…");
            return;
        }
        if (c == '<') str_add(to, "&lt;");
        else if (c == '&') str_add(to, "&amp;");
        else if (c == '>' && i >= 2 && given[i - 1] == ']' && given[i - 2] == ']') str_add(to, " >");
        else str_add_text(to, text_part(text, i, end));
    }
}

static void test_no_text_becomes_a_command(void **state)
{
    (void)state;
    enum { N = 300, PARTS = 6 };
    static const char *const parts[] = { "'",
                                         "\"",
                                         "`touch hostile`",
                                         "\\",
                                         "\n",
                                         "\r\n",
                                         "system('touch hostile')",
                                         "\\\n",
                                         "]]>",
                                         "<b>",
                                         "&",
                                         "%s%n",
                                         "{/:Bold x}",
                                         "$x",
                                         "@y",
                                         "#",
                                         ";",
                                         "!touch hostile\n",
                                         "'; system('touch hostile'); '",
                                         "\"; print 1",
                                         "\xff",
                                         "\xc3",
                                         "\x01",
                                         "\xef\xbf\xbf",
                                         "ä",
                                         "日本",
                                         "e",
                                         "e\n",
                                         "EOF",
                                         "\t",
                                         "''",
                                         "'\n!touch hostile\n'",
                                         "$(touch hostile)",
                                         "x_1^2" };
    unlink("hostile");
    orr_diag *diag = orr_diag_create();
    orr_figure *f = orr_figure_create("a");
    orr_panel *panel = orr_figure_add_panel(f);
    orr_figure_add_series(f, panel, ORR_SERIES_POINTS, "b", 2)->x[1] = N;
    unsigned seed = 12345;
    char *texts[N];
    for (int i = 0; i < N; i++) {
        StrBuf text = { 0 };
        for (int k = 0; k < PARTS; k++) {
            seed = seed * 1103515245 + 12345;
            str_add(&text, parts[(seed >> 16) % (sizeof parts / sizeof *parts)]);
        }
        str_addf(&text, "%d", i);
        texts[i] = text.p;
        orr_figure_set_tick(f, &panel->y, i, texts[i]);
    }
    panel->y.high = N;
    f->width = 4000, f->height = 9000;    // room for all of them
    f->title = panel->x.label = texts[1];
    panel->series[0]->name = orr_figure_add_series(f, panel, ORR_SERIES_ARROWS, texts[2], 1)->name;
    panel->series[1]->texts[0] = texts[3];
    panel->x.unit = texts[4];
    char *svg;
    size_t n;
    if (orr_figure_draw(f, "svg", &svg, &n, diag)) {
        for (int i = 0; i < N; i++) {
            StrBuf expected = { 0 };
            str_add(&expected, "<text>");
            add_expected(&expected, texts[i]);
            str_add(&expected, "</text>");
            if (!strstr(svg, expected.p)) fail_msg("text %d is not there as it is: %s", i, expected.p);
            str_free(&expected);
        }
        assert_null(strstr(svg, "]]>"));
        free(svg);
    } else {
        const orr_message message = orr_diag_get(diag, 0);
        if (!message.hint || !strstr(message.hint, "install")) fail_msg("%s", message.text);
    }
    assert_int_not_equal(access("hostile", F_OK), 0);
    for (int i = 0; i < N; i++) free(texts[i]);
    orr_diag_destroy(diag);
    orr_figure_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_hold_until_the_next_point_and_are_vertical_there),
        cmocka_unit_test(test_many_points_keep_their_extremes_and_gaps),
        cmocka_unit_test(test_gaps_are_not_joined_in_text),
        cmocka_unit_test(test_ranges_cover_all_that_is_drawn),
        cmocka_unit_test(test_each_kind_is_drawn_in_each_form),
        cmocka_unit_test(test_no_text_becomes_a_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/unit/exp/test_figures.c: figures of tables: which columns, what is not joined, scales, steps.
#include "check.h"
#include "orrery/experiment.h"
#include <math.h>
#include <stdlib.h>

typedef struct Rows {
    orr_table *table;
    orr_diag *diag;
} Rows;

// A table with the columns t and `names`, row by row.
static Rows rows_of(size_t n, const char *const *names, const char *const *units, size_t n_rows,
                    const double *numbers)
{
    Rows r = { orr_table_create(0), orr_diag_create() };
    const orr_sink sink = orr_table_sink(r.table);
    sink.begin(sink.self, names, units, n, "s");
    for (size_t i = 0; i < n_rows; i++)
        sink.row(sink.self, numbers[i * (n + 1)], numbers + i * (n + 1) + 1, n);
    return r;
}

static void free_rows(Rows *r)
{
    orr_table_destroy(r->table);
    orr_diag_destroy(r->diag);
}

static orr_figure *figure(const Rows *r, const char *y, const char *over)
{
    const char *ys[] = { y };
    return orr_table_figure(r->table, &(orr_plot){ .ys = ys, .n_ys = y != NULL, .over = over }, "title",
                            r->diag);
}

static const char *const no_units[8];

static void test_members_are_not_joined(void **state)
{
    (void)state;
    enum { MEMBERS = 20 };
    double numbers[MEMBERS * 2][4];
    for (int i = 0; i < MEMBERS * 2; i++) {
        const double row[] = { i % 2, 1 + i / 2, i, -i };
        memcpy(numbers[i], row, sizeof row);
    }
    Rows r = rows_of(3, (const char *[]){ "member", "x", "y" }, no_units, MEMBERS * 2, numbers[0]);
    orr_figure *f = figure(&r, NULL, NULL);    // all: x and y, not the number of the member
    const orr_panel *panel = f->panels[0];
    assert_int_equal(panel->n_series, 2);
    for (size_t k = 0; k < 2; k++) {
        const orr_series *s = panel->series[k];
        assert_int_equal(s->n, 3 * MEMBERS - 1);
        for (size_t i = 0; i < s->n; i++) assert_int_equal(isnan(s->x[i]) && isnan(s->y[i]), i % 3 == 2);
    }
    orr_figure_destroy(f);
    f = figure(&r, "y", "x");    // nor in a phase plot
    assert_int_equal(f->panels[0]->series[0]->n, 3 * MEMBERS - 1);
    orr_figure_destroy(f);
    free_rows(&r);

    // few members of one variable have names of their own
    r = rows_of(2, (const char *[]){ "member", "x" }, no_units, 4,
                (double[]){ 0, 1, 5, 1, 1, 6, 0, 7, 8, 1, 7, 9 });
    f = figure(&r, "x", NULL);
    assert_int_equal(f->panels[0]->n_series, 2);
    assert_string_equal(f->panels[0]->series[1]->name, "member 7");
    assert_true(f->panels[0]->series[1]->y[0] == 8);
    orr_figure_destroy(f);
    free_rows(&r);
}

static void test_a_time_that_goes_back_is_another_run(void **state)
{
    (void)state;
    Rows r = rows_of(1, (const char *[]){ "x" }, no_units, 4, (double[]){ 0, 1, 1, 2, 0, 3, 1, 4 });
    orr_figure *f = figure(&r, "x", NULL);
    const orr_series *s = f->panels[0]->series[0];
    assert_int_equal(s->n, 5);
    assert_true(isnan(s->x[2]) && s->x[3] == 0);
    orr_figure_destroy(f);
    free_rows(&r);
}

static void test_ranges_of_elements_are_plotted(void **state)
{
    (void)state;
    const char *const names[] = { "c[1].v", "c[2].v", "c[3].v", "c[3].w", "u[1]", "u[2]" };
    Rows r = rows_of(6, names, no_units, 2, (double[14]){ 0, 1, 2, 3, 4, 5, 6, 1 });
    orr_figure *f = figure(&r, "c[2..3].v", NULL);
    assert_int_equal(f->panels[0]->n_series, 2);
    assert_string_equal(f->panels[0]->series[0]->name, "c[2].v");
    assert_string_equal(f->panels[0]->series[1]->name, "c[3].v");
    orr_figure_destroy(f);
    f = figure(&r, "u", NULL);
    assert_int_equal(f->panels[0]->n_series, 2);
    orr_figure_destroy(f);
    assert_null(figure(&r, "c[2..4].v", NULL));
    assert_non_null(strstr(orr_diag_get(r.diag, 0).text, "c[4].v"));
    assert_null(figure(&r, "c[4..2].v", NULL));
    assert_null(figure(&r, "u", "nothing"));
    free_rows(&r);
}

static void test_scales_are_equal_where_units_are(void **state)
{
    (void)state;
    static const struct {
        const char *x, *y;
        double height;
        bool is_equal;
    } cases[] = {
        { "m", "m", 3, true },  { "m", "m/s", 3, false },  { NULL, NULL, 3, true },   { NULL, "m", 1, false },
        { "m", "m", 10, true }, { NULL, NULL, 10, false }, { "m", "m", 1000, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Rows r = rows_of(2, (const char *[]){ "x", "y" }, (const char *[]){ cases[i].x, cases[i].y }, 2,
                         (double[]){ 0, 0, 0, 1, 1, cases[i].height });
        orr_figure *f = figure(&r, "y", "x");
        assert_int_equal(f->panels[0]->has_equal_scales, cases[i].is_equal);
        orr_figure_destroy(f);
        f = figure(&r, "y", NULL);
        assert_false(f->panels[0]->has_equal_scales);
        assert_true(f->panels[0]->x.low == 0 && f->panels[0]->x.high == 1);
        orr_figure_destroy(f);
        free_rows(&r);
    }
}

static void test_held_values_are_steps_over_time_only(void **state)
{
    (void)state;
    Rows r = rows_of(2, (const char *[]){ "x", "d" }, no_units, 2, (double[]){ 0, 1, 2, 1, 2, 3 });
    const orr_sink sink = orr_table_sink(r.table);
    sink.kinds(sink.self, (bool[]){ false, true }, 2);
    orr_figure *f = figure(&r, NULL, NULL);
    assert_int_equal(f->panels[0]->series[0]->kind, ORR_SERIES_LINE);
    assert_int_equal(f->panels[0]->series[1]->kind, ORR_SERIES_STEPS);
    orr_figure_destroy(f);
    f = figure(&r, "d", "x");
    assert_int_equal(f->panels[0]->series[0]->kind, ORR_SERIES_LINE);
    orr_figure_destroy(f);
    free_rows(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_are_not_joined),
        cmocka_unit_test(test_a_time_that_goes_back_is_another_run),
        cmocka_unit_test(test_ranges_of_elements_are_plotted),
        cmocka_unit_test(test_scales_are_equal_where_units_are),
        cmocka_unit_test(test_held_values_are_steps_over_time_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

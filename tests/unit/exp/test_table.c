// tests/unit/exp/test_table.c: rows kept in memory, all of them or evenly thinned.
#include "check.h"
#include "orrery/experiment.h"
#include <stdlib.h>
#include <unistd.h>

static const char *const names[] = { "x", "y" };
static const char *const units[] = { "m", NULL };

static orr_table *filled(size_t at_most, size_t n_rows)
{
    orr_table *table = orr_table_create(at_most);
    const orr_sink sink = orr_table_sink(table);
    assert_true(sink.begin(sink.self, names, units, 2, "d"));
    for (size_t i = 0; i < n_rows; i++) {
        const double values[] = { (double)i * 2, -(double)i };
        assert_true(sink.row(sink.self, (double)i, values, 2));
    }
    return table;
}

static void test_table_keeps_everything_without_a_limit(void **state)
{
    (void)state;
    orr_table *table = filled(0, 1000);
    assert_int_equal(orr_table_n_rows(table), 1000);
    assert_int_equal(orr_table_n_columns(table), 3);
    assert_string_equal(orr_table_name(table, 0), "t");
    assert_string_equal(orr_table_name(table, 2), "y");
    assert_string_equal(orr_table_unit(table, 0), "d");
    assert_string_equal(orr_table_unit(table, 1), "m");
    assert_null(orr_table_unit(table, 2));
    for (size_t i = 0; i < 1000; i++) {
        assert_near(orr_table_column(table, 0)[i], (double)i, 0);
        assert_near(orr_table_column(table, 1)[i], 2 * (double)i, 0);
        assert_near(orr_table_column(table, 2)[i], -(double)i, 0);
    }
    orr_table_destroy(table);
}

static void test_table_thins_evenly_and_keeps_both_ends(void **state)
{
    (void)state;
    for (size_t at_most = 2; at_most < 40; at_most++) {
        for (size_t n = 0; n < 300; n++) {
            orr_table *table = filled(at_most, n);
            const size_t rows = orr_table_n_rows(table);
            assert_true(rows <= at_most);
            assert_true(n == 0 || rows >= (n < at_most ? n : at_most / 2));
            const double *t = orr_table_column(table, 0), *x = orr_table_column(table, 1);
            if (n > 0) assert_near(t[0], 0, 0);
            if (n > 0) assert_near(t[rows - 1], (double)(n - 1), 0);
            for (size_t i = 1; i + 1 < rows; i++)
                assert_near(t[i + 1 < rows ? i : 0] - t[i - 1], t[1] - t[0], 0);
            for (size_t i = 1; i < rows; i++) assert_true(t[i] > t[i - 1]);
            for (size_t i = 0; i < rows; i++) assert_near(x[i], 2 * t[i], 0);
            orr_table_destroy(table);
        }
    }
}

static void test_table_begins_anew(void **state)
{
    (void)state;
    orr_table *table = filled(10, 100);
    const orr_sink sink = orr_table_sink(table);
    assert_true(sink.begin(sink.self, names, units, 1, NULL));
    assert_int_equal(orr_table_n_rows(table), 0);
    assert_int_equal(orr_table_n_columns(table), 2);
    const double value = 7;
    for (int i = 0; i < 3; i++) assert_true(sink.row(sink.self, i, &value, 1));
    assert_int_equal(orr_table_n_rows(table), 3);
    orr_table_destroy(table);
}

static void test_table_reads_what_the_csv_sink_wrote(void **state)
{
    (void)state;
    char path[] = "/tmp/orrery-table-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    orr_diag *diag = orr_diag_create();
    orr_csv *csv = orr_csv_create(path, diag);
    const orr_sink sink = orr_csv_sink(csv);
    assert_true(sink.begin(sink.self, names, units, 2, "s"));
    for (int i = 0; i < 100; i++) {
        const double values[] = { sin(i), 1.0 / (i + 1) };
        assert_true(sink.row(sink.self, i * 0.1, values, 2));
    }
    assert_true(sink.end(sink.self, ORR_STATUS_OK));
    assert_true(orr_csv_close(csv));
    orr_table *table = orr_table_read(path, diag);
    assert_non_null(table);
    assert_int_equal(orr_table_n_rows(table), 100);
    assert_string_equal(orr_table_name(table, 1), "x");
    for (int i = 0; i < 100; i++) {
        assert_same_bits(orr_table_column(table, 0)[i], i * 0.1);
        assert_same_bits(orr_table_column(table, 1)[i], sin(i));
        assert_same_bits(orr_table_column(table, 2)[i], 1.0 / (i + 1));
    }
    orr_table_destroy(table);
    assert_null(orr_table_read("/nowhere/x.csv", diag));
    assert_null(orr_csv_create("/nowhere/x.csv", diag));
    assert_int_equal(orr_diag_errors(diag), 2);
    orr_diag_destroy(diag);
    unlink(path);
}

static void test_csv_sink_tells_of_a_full_disk(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    orr_csv *csv = orr_csv_create("/dev/full", diag);
    assert_non_null(csv);
    const orr_sink sink = orr_csv_sink(csv);
    assert_true(sink.begin(sink.self, names, units, 2, "s"));
    const double values[] = { 1, 2 };
    bool ok = true;
    for (int i = 0; ok && i < 10000000; i++) ok = sink.row(sink.self, i, values, 2);
    assert_false(ok);
    sink.end(sink.self, ORR_STATUS_SYSTEM);
    assert_false(orr_csv_close(csv));
    assert_int_equal(orr_diag_errors(diag), 1);
    orr_diag_destroy(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_keeps_everything_without_a_limit),
        cmocka_unit_test(test_table_thins_evenly_and_keeps_both_ends),
        cmocka_unit_test(test_table_begins_anew),
        cmocka_unit_test(test_table_reads_what_the_csv_sink_wrote),
        cmocka_unit_test(test_csv_sink_tells_of_a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

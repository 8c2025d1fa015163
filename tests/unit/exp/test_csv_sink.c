// tests/unit/exp/test_csv_sink.c: promises of the CSV sink: every row, in order, whole, and no failure lost.
#include "check.h"
#include "orrery/experiment.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 30000 };    // several blocks, so the writing thread is at work

static const char *const names[] = { "x", "y" };
static const char *const units[] = { NULL, NULL };

static bool feed(orr_sink sink, int from, int to)
{
    for (int i = from; i < to; i++) {
        const double values[] = { i * 0.5, -i };
        if (!sink.row(sink.self, i, values, 2)) return false;
    }
    return true;
}

// Rows of the file that are as they were fed, from the first; -1 if anything else is in it.
static int count_rows(const char *path)
{
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    char line[128];
    int n = 0;
    bool ok = fgets(line, sizeof line, in) && strcmp(line, "t,x,y\n") == 0;
    while (ok && fgets(line, sizeof line, in)) {
        char expected[128];
        snprintf(expected, sizeof expected, n ? "%d,%.15g,-%d\n" : "%d,%.15g,%d\n", n, n * 0.5, n);
        ok = strcmp(line, expected) == 0;
        n++;
    }
    fclose(in);
    return ok ? n : -1;
}

static void test_csv_sink_writes_every_row_in_order(void **state)
{
    (void)state;
    char path[] = "/tmp/orrery-csv-XXXXXX";
    close(mkstemp(path));
    orr_diag *diag = orr_diag_create();
    orr_csv *csv = orr_csv_create(path, diag);
    const orr_sink sink = orr_csv_sink(csv);
    assert_true(sink.begin(sink.self, names, units, 2, "s"));
    assert_true(feed(sink, 0, ROWS));
    assert_true(sink.end(sink.self, ORR_STATUS_OK));
    assert_true(orr_csv_close(csv));
    assert_int_equal(count_rows(path), ROWS);
    unlink(path);
    orr_diag_destroy(diag);
}

static void test_csv_sink_shows_what_came_when_there_is_progress(void **state)
{
    (void)state;
    char path[] = "/tmp/orrery-csv-XXXXXX";
    close(mkstemp(path));
    orr_diag *diag = orr_diag_create();
    orr_csv *csv = orr_csv_create(path, diag);
    const orr_sink sink = orr_csv_sink(csv);
    sink.begin(sink.self, names, units, 2, "s");
    assert_true(feed(sink, 0, 100));
    assert_true(sink.progress(sink.self, 1, 0, 10));
    assert_true(sink.progress(sink.self, 1, 0, 10));
    // the writer works on its own
    for (int wait = 0; wait < 1000 && count_rows(path) < 100; wait++) usleep(1000);
    assert_int_equal(count_rows(path), 100);
    assert_true(feed(sink, 100, 150));
    assert_true(sink.end(sink.self, ORR_STATUS_CANCELLED));
    assert_true(orr_csv_close(csv));
    assert_int_equal(count_rows(path), 150);
    unlink(path);
    orr_diag_destroy(diag);
}

static void test_csv_sink_tells_of_a_full_disk(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    orr_csv *csv = orr_csv_create("/dev/full", diag);
    const orr_sink sink = orr_csv_sink(csv);
    sink.begin(sink.self, names, units, 2, "s");
    assert_false(feed(sink, 0, 100 * ROWS));    // ends the run long before
    assert_false(sink.end(sink.self, ORR_STATUS_OK));
    assert_false(orr_csv_close(csv));
    assert_int_equal(orr_diag_errors(diag), 1);
    orr_diag_destroy(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv_sink_writes_every_row_in_order),
        cmocka_unit_test(test_csv_sink_shows_what_came_when_there_is_progress),
        cmocka_unit_test(test_csv_sink_tells_of_a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/unit/base/test_csv.c: promises of the CSV writer and reader.
#include "base/csv.h"
#include "base/diag.h"
#include "base/os.h"
#include "check.h"
#include <stdlib.h>
#include <unistd.h>

typedef struct Table {
    Arena     arena;
    orr_diag *diag;
    CsvIn     in;
    bool      opened;
    double    rows[64];    // [n_rows][n_columns]
    size_t    n_rows;
    CsvResult result;
} Table;

// Read a text to its end, or to the first error.
static void read_text(Table *t, const char *text)
{
    *t = (Table){ .diag = orr_diag_create() };
    t->opened = csv_open_text(&t->in, text_from(text), "data.csv", &t->arena, t->diag);
    t->result = t->opened ? CSV_ROW : CSV_ERROR;
    while (t->opened && (t->result = csv_next(&t->in, t->rows + t->n_rows * t->in.n_columns)) == CSV_ROW)
        t->n_rows++;
}

static void drop(Table *t)
{
    csv_close(&t->in);
    orr_diag_destroy(t->diag);
    arena_free(&t->arena);
}

static void assert_rows(const char *text, size_t n_columns, const double *expected, size_t n)
{
    Table t;
    read_text(&t, text);
    assert_int_equal(t.result, CSV_END);
    assert_int_equal(t.in.n_columns, n_columns);
    assert_int_equal(t.n_rows * n_columns, n);
    for (size_t i = 0; i < n; i++) {
        if (isnan(expected[i])) assert_true(isnan(t.rows[i]));
        else assert_same_bits(t.rows[i], expected[i]);
    }
    assert_int_equal(orr_diag_count(t.diag), 0);
    drop(&t);
}
#define ROWS(text, n_columns, ...)                                                                           \
    assert_rows(text, n_columns, (const double[]){ __VA_ARGS__ },                                            \
                sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

static void test_csv_reads_the_forms_people_have(void **state)
{
    (void)state;
    ROWS("t,x\n0,1.5\n1,-2e3\n", 2, 0, 1.5, 1, -2000);
    ROWS("t,x\r\n0,1.5\r\n1,2", 2, 0, 1.5, 1, 2);                             // CRLF, no line end at the end
    // byte order mark, decimal comma
    ROWS("\xEF\xBB\xBFt;x\n0;1,5\n1;2.5\n", 2, 0, 1.5, 1, 2.5);
    ROWS("t\tx\n0\t1,5\n", 2, 0, 1.5);
    ROWS("# made by hand\n\nt, x \n 0 , 1 \n# between, \"quoted\n  \n1,2\n", 2, 0, 1, 1, 2);
    ROWS("t,x\n0,\n1,NA\n2,nan\n3,4\n", 2, 0, NAN, 1, NAN, 2, NAN, 3, 4);     // missing values
    ROWS("\"t\",\"x\"\n\"0\",\"1.5\"\n", 2, 0, 1.5);
    ROWS("t,x,\n0,1,\n1,2\n", 2, 0, 1, 1, 2);                                 // separators at the line end
    ROWS("1,2\n3,4\n", 2, 1, 2, 3, 4);                                        // no header
    ROWS("x\n7\n", 1, 7);
    ROWS("t,date,x\n0,2024-01-01,1\n1,2024-01-02,2\n", 3, 0, NAN, 1, 1, NAN, 2);
    ROWS("t,x\n0,inf\n1,-inf\n", 2, 0, INFINITY, 1, -INFINITY);
}

static void test_csv_names_columns(void **state)
{
    (void)state;
    Table t;
    read_text(&t, "t,\"level, \"\"left\"\"\ntank\",date,5\" pipe,\n0,1,monday,4,\n");
    assert_true(t.opened);
    assert_int_equal(t.in.n_columns, 4);
    assert_true(t.in.has_header);
    assert_string_equal(t.in.columns[0].name, "t");
    assert_string_equal(t.in.columns[1].name, "level, \"left\"\ntank");
    assert_true(t.in.columns[2].is_text && !t.in.columns[1].is_text);
    assert_string_equal(t.in.columns[3].name, "5\" pipe");
    assert_int_equal(csv_column(&t.in, "date"), 2);
    assert_int_equal(csv_column(&t.in, "none"), 4);
    assert_int_equal(t.in.line, 3);    // the name has a line end inside
    drop(&t);

    read_text(&t, "1,2\n");
    assert_false(t.in.has_header);
    assert_string_equal(t.in.columns[1].name, "c2");
    drop(&t);
}

static void assert_error(const char *text, const char *code, size_t line, const char *part)
{
    Table t;
    read_text(&t, text);
    assert_int_equal(t.result, CSV_ERROR);
    assert_int_equal(orr_diag_count(t.diag), 1);
    const orr_message m = orr_diag_get(t.diag, 0);
    assert_string_equal(m.code, code);
    assert_string_equal(m.file, "data.csv");
    assert_int_equal(m.line, line);
    assert_contains(m.text, part);
    drop(&t);
}

static void test_csv_errors_name_line_and_column(void **state)
{
    (void)state;
    assert_error("", "E040", 0, "data.csv");
    assert_error("\n# nothing\n\n", "E040", 0, "data.csv");
    assert_error("t,x\n0,1\n1\n", "E041", 3, "1 fields");
    assert_error("t,x\n0,1\n\n# c\n1,2,3\n", "E041", 5, "3 fields");
    assert_error("t,x\n0,1\n1,abc\n", "E042", 3, "'abc' in column 'x'");
    assert_error("t,x\n0,1\n1,1.2.3\n", "E042", 3, "'1.2.3'");
    assert_error("t,x\n0,1\n1,\"2\n", "E043", 3, "never closed");
    assert_error("t,x,t\n0,1,2\n", "E046", 1, "'t'");
    assert_error("t,x\n0,1\n1,0123456789012345678901234567890123456789abcdefghij\n", "E042", 3, "...");

    const char binary[] = "t,x\n\0\1\2";
    CsvIn in;
    Arena arena = { 0 };
    orr_diag *diag = orr_diag_create();
    assert_false(csv_open_text(&in, (Text){ binary, sizeof binary }, "data.csv", &arena, diag));
    assert_string_equal(orr_diag_get(diag, 0).code, "E005");
    csv_close(&in);
    orr_diag_destroy(diag);
    arena_free(&arena);
}

static void test_csv_header_without_rows_is_an_empty_table(void **state)
{
    (void)state;
    Table t;
    read_text(&t, "t,x\n");
    assert_true(t.opened);
    assert_int_equal(t.result, CSV_END);
    assert_int_equal(t.n_rows, 0);
    drop(&t);
}

static void test_csv_goes_on_after_a_bad_row(void **state)
{
    (void)state;
    Arena arena = { 0 };
    orr_diag *diag = orr_diag_create();
    CsvIn in;
    double row[2];
    assert_true(csv_open_text(&in, TEXT("t,x\n0,1\nbad,2\n3\n4,5\n"), "data.csv", &arena, diag));
    assert_int_equal(csv_next(&in, row), CSV_ROW);
    assert_int_equal(csv_next(&in, row), CSV_ERROR);
    assert_int_equal(csv_next(&in, row), CSV_ERROR);
    assert_int_equal(csv_next(&in, row), CSV_ROW);
    assert_same_bits(row[1], 5.0);
    assert_int_equal(csv_next(&in, row), CSV_END);
    assert_int_equal(csv_next(&in, row), CSV_END);
    assert_int_equal(orr_diag_errors(diag), 2);
    csv_close(&in);
    orr_diag_destroy(diag);
    arena_free(&arena);
}

// What is written is read back bit for bit, over many buffers of both sides.
static void test_csv_round_trip_through_a_file(void **state)
{
    (void)state;
    enum { ROWS_N = 50000 };
    char path[] = "/tmp/orrery-test-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    Arena arena = { 0 };
    orr_diag *diag = orr_diag_create();

    FileOut out;
    assert_true(file_open(&out, path, FILE_IN_PLACE, diag));
    const char *const names[] = { "t", "tank.level", "a, \"b\"" };
    csv_header(&out, names, 3);
    for (int i = 0; i < ROWS_N; i++) {
        const double values[] = { i * 0.01, 1.0 / (i + 1), i % 7 == 0 ? NAN : -i * 1e300 };
        csv_row(&out, values, 3);
    }
    assert_true(file_close(&out, diag));

    CsvTable table;
    assert_true(csv_read(&table, NULL, path, &arena, diag));
    assert_int_equal(table.n_columns, 3);
    assert_int_equal(table.n_rows, ROWS_N);
    for (size_t k = 0; k < 3; k++) assert_string_equal(table.columns[k].name, names[k]);
    for (int i = 0; i < ROWS_N; i++) {
        assert_same_bits(table.values[0][i], i * 0.01);
        assert_same_bits(table.values[1][i], 1.0 / (i + 1));
        if (i % 7 == 0) assert_true(isnan(table.values[2][i]));
        else assert_same_bits(table.values[2][i], -i * 1e300);
    }
    assert_int_equal(orr_diag_count(diag), 0);

    assert_false(csv_read(&table, NULL, "/no/such/file.csv", &arena, diag));
    assert_string_equal(orr_diag_get(diag, 0).code, "E001");
    unlink(path);
    orr_diag_destroy(diag);
    arena_free(&arena);
}

// Names that are not plain, as they stand in a file, and as they are read.
static void test_csv_neutralises_names(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        { "x", "x" }, { "tank.level", "tank.level" }, { "x[1]", "x[1]" }, { "x'", "x'" },
        { "\xc3\xa4", "\xc3\xa4" },
        { "=1+2", "\"'=1+2\"" }, { "+x", "\"'+x\"" }, { "-x", "\"'-x\"" }, { "@f", "\"'@f\"" },
        { "-5", "-5" },
        { "'=x", "\"''=x\"" }, { "'x", "'x" }, { "$(id)", "\"$(id)\"" }, { "`id`", "\"`id`\"" },
        { "a\"b", "\"a\"\"b\"" }, { " a ", "\" a \"" }, { "a\nb", "\"a\nb\"" }, { "\tx", "\"'\tx\"" },
    };
    enum { N = sizeof names / sizeof *names };
    StrBuf line = { 0 };
    for (size_t i = 0; i < N; i++) {
        const size_t start = line.n;
        csv_add_field(&line, names[i][0]);
        assert_string_equal(line.p + start, names[i][1]);
        str_add_char(&line, i + 1 < N ? ',' : '\n');
    }
    Arena arena = { 0 };
    CsvIn in;
    orr_diag *diag = orr_diag_create();
    csv_open_text(&in, (Text){ line.p, line.n }, "text", &arena, diag);
    assert_int_equal(in.n_columns, N);
    for (size_t i = 0; i < N; i++) assert_string_equal(in.columns[i].name, names[i][0]);
    csv_close(&in);
    orr_diag_destroy(diag);
    arena_free(&arena);
    str_free(&line);
}

static void test_csv_writes_rows_as_promised(void **state)
{
    (void)state;
    char path[] = "/tmp/orrery-test-XXXXXX";
    close(mkstemp(path));
    orr_diag *diag = orr_diag_create();
    FileOut out;
    assert_true(file_open(&out, path, FILE_IN_PLACE, diag));
    csv_header(&out, (const char *const[]){ "t", "x,y", "#c" }, 3);
    csv_row(&out, (const double[]){ 0.1, 1500, -1e-7 }, 3);
    csv_row(&out, (const double[]){ 2 }, 1);
    csv_row(&out, NULL, 0);
    assert_true(file_close(&out, diag));
    Arena arena = { 0 };
    Text text;
    assert_true(os_read_file(&arena, NULL, path, 1000, &text, diag));
    assert_string_equal(text.p, "t,\"x,y\",\"#c\"\n0.1,1500,-1e-7\n2\n\n");
    unlink(path);
    orr_diag_destroy(diag);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv_reads_the_forms_people_have),
        cmocka_unit_test(test_csv_names_columns),
        cmocka_unit_test(test_csv_errors_name_line_and_column),
        cmocka_unit_test(test_csv_header_without_rows_is_an_empty_table),
        cmocka_unit_test(test_csv_goes_on_after_a_bad_row),
        cmocka_unit_test(test_csv_round_trip_through_a_file),
        cmocka_unit_test(test_csv_neutralises_names),
        cmocka_unit_test(test_csv_writes_rows_as_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

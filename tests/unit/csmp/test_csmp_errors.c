// tests/unit/csmp/test_csmp_errors.c: every mistake has its code, its line and a next step; several are found
// at once.
#include "diagram_text.h"

// One wrong diagram; the first two lines are settings, so blocks start in line 3.
static const struct Case {
    const char *blocks, *code;
    size_t line;
    const char *text;    // part of the sentence
    const char *hint;    // part of the next step
} cases[] = {
    { "Z, 1, 2\nK, 2, 1", "E240", 3, "'Z'", "orrery blocks" },
    { "K, 2, 1\nLIMTI, 1, 0, 1, 2", "E240", 4, "'LIMTI'", "'LIMIT'" },
    { "K, 2, 1\n, 1, 2", "E240", 4, "''", "orrery blocks" },
    { "K, 0, 1", "E241", 3, "'0'", "K, 3, 9.81" },
    { "K, -1, 1", "E241", 3, "'-1'", "K, 3" },
    { "K, 1.5, 1", "E241", 3, "'1.5'", "K, 3" },
    { "K, x, 1", "E241", 3, "'x'", "K, 3" },
    { "K, , 1", "E241", 3, "''", "K, 3" },
    { "K, 1000000000, 1", "E241", 3, "999999999", "K, 3" },
    { "K, 18446744073709551617, 1", "E241", 3, "'18446744073709551617'", "K, 3" },
    { "K, 1, 1\nK, 2, 1\nSIN, 1, 2", "E242", 5, "block 1", "another number" },
    { "-, 1, 7", "E243", 3, "block 1 reads block 7", "from 1 to 1" },
    { "I, 1, 3", "E244", 3, "type I takes 2 arguments after its number, not 1",
      "initial condition: write I, n, IC, e1" },
    { "W, 1, 2", "E244", 3, "2, 4 or 6 arguments", "W, n, P1, e1[, P2, e2[, P3, e3]]" },
    { "W, 1, 2, 1, 3", "E244", 3, "not 3", "P1, e1[" },
    { "+, 1, 1, 1, 1, 1, 1, 1, 1, 1", "E244", 3, "not 8", "second block" },
    { "X, 1, 1", "E244", 3, "2 arguments", "X, n, e1, e2" },
    { "TIME, 1, 1", "E244", 3, "no arguments", "write TIME, n" },
    { "K, 1", "E244", 3, "1 argument after", "K, n, P1" },
    { "K, 2, 1\nFUNCTION, 1, 2, 0, 0, 1", "E244", 4, "5, 7, ... arguments",
      "e1, x1, y1, x2, y2[, x3, y3, ...]" },
    { "K, 1, abc", "E250", 3, "P1 must be a finite number, not 'abc'", "2.5" },
    { "K, 1, nan", "E250", 3, "'nan'", "number" },
    { "K, 1, -inf", "E250", 3, "'-inf'", "number" },
    { "K, 1, 1e999", "E250", 3, "'1e999'", "number" },
    { "K, 1, ", "E250", 3, "''", "number" },
    { "K, 1, 1 2", "E250", 3, "'1 2'", "number" },
    { "K, 1, 0x10", "E250", 3, "'0x10'", "number" },
    { "I, 1, IC, 1", "E250", 3, "IC must be", "number" },
    { "I, 1, 0, 2.5", "E251", 3, "e1 must be the number of a block, not '2.5'", "K, n, 2.5" },
    { "X, 1, a, 1", "E251", 3, "e1 must be", "numbers of the blocks" },
    { "X, 1, 1,", "E251", 3, "e2 must be", "numbers of the blocks" },
    { "hello world", "E252", 3, "neither a block", "I, 1, 0, 3" },
    { "# a note", "E252", 3, "neither a block", "comment starts with ;" },
    { "// a note", "E252", 3, "neither a block", "comment starts with ;" },
    { "SIN 1 2", "E252", 3, "neither a block", "write SIN, n, e1" },
    { "K, 2, 1\nLIMIT, 1, 2, 1, 2", "E254", 4, "LIMIT needs low <= high", "LIMIT, 3" },
    { "K, 2, 1\nDEADSPACE, 1, 2, 1, 2", "E254", 4, "low <= high", "DEADSPACE, 3" },
    { "PULSE, 1, 0, 0, 1", "E254", 3, "0 < width", "PULSE, 3" },
    { "PULSE, 1, 0, 2, 1", "E254", 3, "width <= period", "PULSE, 3" },
    { "K, 2, 1\nDELAY, 1, 0, 2", "E254", 4, "0 < tau", "DELAY, 3" },
    { "K, 2, 1\nLAG, 1, 0, -1, 2", "E254", 4, "0 < tau", "LAG, 3" },
    { "K, 2, 1\nQUANTIZE, 1, 0, 2", "E254", 4, "0 < P1", "QUANTIZE, 3" },
    { "K, 2, 1\nFUNCTION, 1, 2, 0, 0, 1, 2, 1, 3", "E127", 4, "x must ascend, but 1 follows 1",
      "order of x" },
    { "$endtimes = 1", "E245", 3, "'$endtimes'", "'$endtime'" },
    { "$colour = 1", "E245", 3, "'$colour'", "$comminterval" },
    { "$endtime = 2", "E216", 3, "'$endtime' is given twice", "one of the two" },
    { "$comminterval = 0", "E247", 3, "a positive number, not '0'", "$comminterval = 1.5" },
    { "$comminterval = ?", "E247", 3, "not '?'", "only $timestep" },
    { "$comminterval", "E247", 3, "a positive number", "$comminterval = 1.5" },
    { "$starttime = inf", "E247", 3, "a finite number, not 'inf'", "$starttime" },
    { "$starttime = 1\nK, 1, 1", "E410", 1, "from 1 s to 1 s", "later than $starttime" },
};

static void test_each_mistake_has_code_line_and_next_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Read r = read_blocks(cases[i].blocks);
        assert_false(r.ok);
        assert_true(orr_diag_errors(r.diag) > 0);
        const orr_message m = assert_message(&r, cases[i].code, cases[i].line);
        assert_contains(m.text, cases[i].text);
        assert_contains(m.hint, cases[i].hint);
        assert_non_null(m.source_line);
        assert_int_equal(r.ast.models.n, 0);
        assert_int_equal(r.ast.experiments.n, 0);
        read_free(&r);
    }
}

static void test_settings_that_are_missing(void **state)
{
    (void)state;
    Read r = read_text("I, 1, 0, 1\n$timestep = 1\n");
    assert_contains(assert_message(&r, "E246", 1).text, "'$endtime'");
    assert_int_equal(orr_diag_errors(r.diag), 1);
    read_free(&r);
    r = read_text("I, 1, 0, 1");
    assert_int_equal(orr_diag_errors(r.diag), 2);
    assert_contains(orr_diag_get(r.diag, 0).text, "'$endtime'");
    assert_contains(orr_diag_get(r.diag, 0).hint, "$endtime = 100");
    assert_contains(orr_diag_get(r.diag, 1).text, "'$timestep'");
    assert_contains(orr_diag_get(r.diag, 1).hint, "$timestep = ?");
    read_free(&r);
}

static void test_time_step_must_be_positive(void **state)
{
    (void)state;
    Read r = read_text("$endtime = 1\n$timestep = -0.1\nI, 1, 0, 1\n");
    assert_contains(assert_message(&r, "E247", 2).text, "'$timestep' needs a positive number, not '-0.1'");
    read_free(&r);
}

static void test_files_without_blocks(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "\n\n", "; nothing", "$endtime = 1\n", "\r\n \t\r\n" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Read r = read_text(texts[i]);
        assert_false(r.ok);
        assert_int_equal(orr_diag_errors(r.diag), 1);
        assert_string_equal(orr_diag_get(r.diag, 0).code, "E253");
        assert_contains(orr_diag_get(r.diag, 0).hint, "I, 1, 0, 3");
        read_free(&r);
    }
}

static void test_several_mistakes_are_found_at_once(void **state)
{
    (void)state;
    Read r = read_blocks("Q, 1, 2\n"         // 3: no such kind
                         "I, 2, 1\n"         // 4: no initial condition
                         "K, 3, one\n"       // 5: no number
                         "SIN, 4, 2\n"       // fine: block 2 stands there, however wrong
                         "COS, 5, 77\n"      // 7: nobody is 77
                         "COS, 5, 3\n"       // 8: a second block 5
                         "$commint = 1\n"    // 9
                         "rubbish\n");       // 10
    assert_message(&r, "E240", 3);
    assert_message(&r, "E244", 4);
    assert_message(&r, "E250", 5);
    assert_message(&r, "E243", 7);
    assert_message(&r, "E242", 8);
    assert_message(&r, "E245", 9);
    assert_message(&r, "E252", 10);
    assert_int_equal(orr_diag_errors(r.diag), 7);
    read_free(&r);
}

static void test_a_block_defined_twice_shows_both_lines(void **state)
{
    (void)state;
    Read r = read_blocks("K, 5, 1\nK, 1, 1\nK, 5, 2\nO, 9, 1\nK, 5, 3\n");
    assert_int_equal(orr_diag_errors(r.diag), 2);
    assert_message(&r, "E242", 5);
    assert_message(&r, "E242", 7);
    int notes = 0;
    for (size_t i = 0; i < orr_diag_count(r.diag); i++) {
        const orr_message m = orr_diag_get(r.diag, i);
        if (m.severity != ORR_SEVERITY_NOTE) continue;
        assert_int_equal(m.line, 3);
        notes++;
    }
    assert_int_equal(notes, 2);
    read_free(&r);
}

static void test_the_mark_stands_under_the_culprit(void **state)
{
    (void)state;
    Read r = read_blocks("  X, 1, 1,   77 ; comment\n");
    const orr_message m = assert_message(&r, "E243", 3);
    assert_int_equal(m.column, 14);
    assert_int_equal(m.length, 2);
    read_free(&r);
}

static void test_messages_can_be_forgotten(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Ast ast = { .arena = &arena };
    const char text[] = "nonsense\nK, 1, 1, 1\nK, a, b\n$x = 2\n";
    assert_false(frontend_csmp.parse(&ast, 0, "a.csmp", text, strlen(text), NULL));
    arena_free(&arena);
}

static void test_a_megabyte_of_garbage_is_survived(void **state)
{
    (void)state;
    enum { N = 1 << 20 };
    char *text = malloc(N + 1);
    assert_non_null(text);
    unsigned seed = 99;
    for (int way = 0; way < 3; way++) {
        for (size_t i = 0; i < N; i++) {
            seed = seed * 1664525u + 1013904223u;
            // any byte; printable ones with many commas; one long line
            text[i] = way == 0 ? (char)(seed >> 24) : "K,1 \n;$=+-X/7.e\tSIN,,,"[(seed >> 24) % 22];
            if (way == 2 && text[i] == '\n') text[i] = ',';
        }
        text[N] = '\0';
        Read r = read_file_text("garbage.csmp", text, N);
        assert_false(r.ok);
        assert_true(orr_diag_errors(r.diag) > 0);
        for (size_t i = 0; i < orr_diag_count(r.diag); i++)
            assert_true(strlen(orr_diag_get(r.diag, i).text) < 300);
        read_free(&r);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_mistake_has_code_line_and_next_step),
        cmocka_unit_test(test_settings_that_are_missing),
        cmocka_unit_test(test_time_step_must_be_positive),
        cmocka_unit_test(test_files_without_blocks),
        cmocka_unit_test(test_several_mistakes_are_found_at_once),
        cmocka_unit_test(test_a_block_defined_twice_shows_both_lines),
        cmocka_unit_test(test_the_mark_stands_under_the_culprit),
        cmocka_unit_test(test_messages_can_be_forgotten),
        cmocka_unit_test(test_a_megabyte_of_garbage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

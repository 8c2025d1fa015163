// tests/unit/source/test_source.c: promises of reading a model file and what it uses, and of formatting one.
#include "check.h"
#include "orrery/model.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];    // of this test run; entered

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/orrery-test-XXXXXX");
    if (!mkdtemp(folder) || chdir(folder) != 0) return -1;
    return mkdir("sub", 0700) || mkdir("sub/deep", 0700);
}

static int leave_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return chdir("/") || system(command);
}

static void put_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    fclose(out);
}

static void put(const char *path, const char *text) { put_bytes(path, text, strlen(text)); }

// The messages of opening a file, one a line, as "code file:line:column text | hint"; "" if it opens.
static const char *messages_of_open(const char *path)
{
    static char text[8192];
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_open(path, diag);
    assert_int_equal(source == NULL, orr_diag_errors(diag) > 0);
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < orr_diag_count(diag) && n < sizeof text; i++) {
        const orr_message m = orr_diag_get(diag, i);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s %s:%zu:%zu %s%s%s\n", m.code,
                              m.file ? m.file : "", m.line, m.column, m.text, m.hint ? " | " : "",
                              m.hint ? m.hint : "");
    }
    orr_source_destroy(source);
    orr_diag_destroy(diag);
    return text;
}

static void test_source_names_models_and_experiments(void **state)
{
    (void)state;
    put("two.orr", "model A \"first\"\nend\nmodel B\nend\nexperiment e of B \"once\"\nend\n");
    orr_diag *diag = orr_diag_create();
    orr_source *s = orr_source_open("two.orr", diag);
    assert_non_null(s);
    assert_int_equal(orr_source_n_models(s), 2);
    assert_string_equal(orr_source_model_name(s, 0), "A");
    assert_string_equal(orr_source_model_doc(s, 0), "first");
    assert_null(orr_source_model_doc(s, 1));
    assert_int_equal(orr_source_n_experiments(s), 1);
    assert_string_equal(orr_source_experiment_name(s, 0), "e");
    assert_string_equal(orr_source_experiment_model(s, 0), "B");
    assert_string_equal(orr_source_experiment_doc(s, 0), "once");
    orr_source_destroy(s);
    orr_source_destroy(NULL);
    orr_diag_destroy(diag);
}

static void test_source_reads_what_is_used_once(void **state)
{
    (void)state;
    // a ring, a diamond, and the same file by several names
    put("main.orr", "use \"sub/a.orr\"\nuse \"./sub/../sub/a.orr\"\nuse \"b.orr\"\nmodel Main\nend\n");
    put("b.orr", "use \"sub/a.orr\"\nuse \"main.orr\"\nmodel B\nend\n");
    put("sub/a.orr", "use \"deep/c.orr\"\nuse \"../b.orr\"\nmodel A\nend\n");
    put("sub/deep/c.orr", "use \"../../main.orr\"\nfunction f(x) = x\nmodel C\nend\n");
    const char *const paths[] = { "main.orr", "./main.orr" };
    for (size_t i = 0; i < 2; i++) {
        orr_diag *diag = orr_diag_create();
        orr_source *s = orr_source_open(paths[i], diag);
        assert_non_null(s);
        assert_int_equal(orr_source_n_models(s), 4);
        assert_string_equal(orr_source_model_name(s, 0), "Main");
        orr_source_destroy(s);
        orr_diag_destroy(diag);
    }
    // the folder of the first file is what counts, not where the program runs
    assert_int_equal(chdir("sub"), 0);
    assert_string_equal(messages_of_open("../main.orr"), "");
    assert_int_equal(chdir(".."), 0);
    char absolute[128];
    snprintf(absolute, sizeof absolute, "%s/main.orr", folder);
    assert_string_equal(messages_of_open(absolute), "");
}

static void test_source_refuses_files_outside_its_folder(void **state)
{
    (void)state;
    put("outside.orr", "use \"../x.orr\"\nuse \"/etc/passwd\"\nuse \"sub/../../x.orr\"\nmodel M\nend\n");
    const char *m = messages_of_open("outside.orr");
    assert_contains(m, "E009 outside.orr:1:5 '../x.orr' is outside the folder of the model");
    assert_contains(m, "E009 outside.orr:2:5 '/etc/passwd'");
    assert_contains(m, "E009 outside.orr:3:5 'sub/../../x.orr'");
    put("sub/up.orr", "use \"../b.orr\"\nmodel M\nend\n");    // fine from above, not when it is the first
    assert_contains(messages_of_open("sub/up.orr"), "E009 sub/up.orr:1:5");
}

static void test_source_says_why_a_file_cannot_be_read(void **state)
{
    (void)state;
    assert_contains(messages_of_open("absent.orr"), "E001 :0:0 there is no file 'absent.orr'");
    assert_contains(messages_of_open("absent.txt"), "E001");
    assert_contains(messages_of_open("sub"), "E003 :0:0 'sub' is a folder");
    put("notes.txt", "model M\nend\n");
    assert_contains(messages_of_open("notes.txt"),
                    "E007 :0:0 cannot tell what kind of file 'notes.txt' is; known are .orr and .csmp");
    put("plain", "model M\nend\n");
    assert_contains(messages_of_open("plain"), "E007");
    put("SHOUT.ORR", "model M\nend\n");
    assert_string_equal(messages_of_open("SHOUT.ORR"), "");

    put("needs.orr", "model M\nend\nuse \"absent.orr\"\nuse \"sub\"\nuse \"notes.txt\"\n");
    const char *m = messages_of_open("needs.orr");
    assert_contains(m, "there is no file 'absent.orr'");
    assert_contains(m, "needs.orr:3:5 it is used here");
    assert_contains(m, "there is no file 'sub.orr' | it is neither beside the model nor in the library");
    assert_contains(m, "needs.orr:4:5 it is used here");
    assert_contains(m, "E007 needs.orr:5:5");
}

static void test_source_binary_is_one_message(void **state)
{
    (void)state;
    static const char zero[] = "model M\n\0\x01\x02 = = =\n@@@\nend\n";
    put_bytes("zero.orr", zero, sizeof zero - 1);
    const char *m = messages_of_open("zero.orr");
    assert_contains(m, "E005 :0:0 'zero.orr' does not look like text: byte 8 is 0x00");
    assert_null(strchr(strchr(m, '\n') + 1, '\n'));

    put("latin.orr", "model M\n  # caf\xE9\n x = = 1\nend\n");
    m = messages_of_open("latin.orr");
    assert_contains(
        m, "E006 latin.orr:2:8 'latin.orr' is not UTF-8 text: ill-formed byte 0xe9 | save the file as UTF-8");
    assert_null(strchr(strchr(m, '\n') + 1, '\n'));
}

static void test_source_collects_errors_of_all_files(void **state)
{
    (void)state;
    put("e1.orr", "use \"e2.orr\"\nmodel A\nx = = 1\nend\n");
    put("e2.orr", "model B\ny = )\nend\n");
    const char *m = messages_of_open("e1.orr");
    assert_contains(m, "E204 e1.orr:3:5");
    assert_contains(m, "E204 e2.orr:2:5");
}

static void test_source_number_of_files_is_limited(void **state)
{
    (void)state;
    for (int i = 0; i < 1005; i++) {
        char path[32], text[64];
        snprintf(path, sizeof path, "n%d.orr", i);
        snprintf(text, sizeof text, "use \"n%d.orr\"\n", i + 1);
        put(path, text);
    }
    assert_contains(messages_of_open("n0.orr"), "more than 1000 files are used");
    put("n900.orr", "model M\nend\n");
    assert_string_equal(messages_of_open("n0.orr"), "");
}

static void test_source_parses_texts_in_memory(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    put("part.orr", "model Part\nend\n");
    const char text[] = "use \"part.orr\"\nmodel M\nend\n";
    orr_source *s = orr_source_parse("text", text, sizeof text - 1, diag);
    assert_non_null(s);
    assert_int_equal(orr_source_n_models(s), 2);
    orr_source_destroy(s);
    assert_null(orr_source_parse("text.xyz", text, sizeof text - 1, diag));
    assert_null(orr_source_parse("text.orr", "model\0M", 7, diag));
    assert_null(orr_source_parse("text.orr", "x", (size_t)65 << 20, diag));    // refused before it is read
    assert_non_null(s = orr_source_parse("empty.orr", "", 0, diag));
    assert_int_equal(orr_source_n_models(s), 0);
    orr_source_destroy(s);
    assert_null(orr_source_parse("text.orr", "model", 5, NULL));
    orr_diag_destroy(diag);
}

static void check_file(const char *path, const char *expected)
{
    char text[1024] = { 0 };
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    (void)!fread(text, 1, sizeof text - 1, in);
    fclose(in);
    assert_string_equal(text, expected);
}

static void test_format_changes_only_what_must(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    bool changed;
    put("f.orr", "model M\nx'=1\nend");
    assert_true(orr_format_file("f.orr", true, &changed, diag));
    assert_true(changed);
    check_file("f.orr", "model M\nx'=1\nend");
    assert_true(orr_format_file("f.orr", false, &changed, diag));
    assert_true(changed);
    check_file("f.orr", "model M\n  x' = 1\nend\n");
    assert_true(orr_format_file("f.orr", false, &changed, diag));
    assert_false(changed);

    // with errors it is left alone
    put("f.orr", "model M\nx'==1\nend");
    assert_false(orr_format_file("f.orr", false, &changed, diag));
    check_file("f.orr", "model M\nx'==1\nend");
    assert_int_equal(orr_diag_errors(diag), 1);

    char *text = orr_format("x.orr", "x", 1, diag);
    assert_null(text);
    text = orr_format("x.orr", "model M;end", 11, diag);
    assert_string_equal(text, "model M; end\n");
    free(text);
    text = orr_format("x.orr", "", 0, diag);
    assert_string_equal(text, "");
    free(text);
    assert_null(orr_format("x.csmp", "W, 1, 2", 7, diag));
    orr_diag_destroy(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_source_names_models_and_experiments),
        cmocka_unit_test(test_source_reads_what_is_used_once),
        cmocka_unit_test(test_source_refuses_files_outside_its_folder),
        cmocka_unit_test(test_source_says_why_a_file_cannot_be_read),
        cmocka_unit_test(test_source_binary_is_one_message),
        cmocka_unit_test(test_source_collects_errors_of_all_files),
        cmocka_unit_test(test_source_number_of_files_is_limited),
        cmocka_unit_test(test_source_parses_texts_in_memory),
        cmocka_unit_test(test_format_changes_only_what_must),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}

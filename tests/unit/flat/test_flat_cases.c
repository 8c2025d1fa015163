// tests/unit/flat/test_flat_cases.c: runs tests/flat/*.cases: which variables and equations a model comes
// down to, or which messages it gives. See tests/common/cases.h; modes are
//
//     body     statements of a model, which is put around them
//     file     a whole file, of which the last model is flattened
#include "cases.h"
#include "flatten.h"

enum { MODE_BODY, MODE_FILE };

static char *result_of(int mode, Text input)
{
    StrBuf text = { 0 };
    if (mode == MODE_BODY) str_add(&text, "model M\n");
    str_add_text(&text, input);
    str_add(&text, mode == MODE_BODY ? "\nend\n" : "\n");
    Flattened f;
    flatten(&f, (Text){ text.p, text.n });
    assert_int_equal(f.ok, orr_diag_errors(f.diag) == 0);    // messages exactly if it failed

    StrBuf result = { 0 };
    if (f.ok) {
        char *printed;
        size_t n;
        FILE *out = open_memstream(&printed, &n);
        flat_print(&f.flat, out);
        fclose(out);
        str_add(&result, strchr(printed, '\n') + 1);    // without "model M"
        free(printed);
        if (result.n == 0) str_add(&result, "(nothing)\n");
    }
    char *messages = cases_messages(f.diag, mode == MODE_BODY ? 1 : 0);
    str_add(&result, messages);
    free(messages);
    flatten_free(&f);
    str_free(&text);
    return str_finish(&result);
}

static void test_flat_cases_give_what_they_say(void **state)
{
    (void)state;
    static const char *const modes[] = { "body", "file" };
    Cases cases = { .pattern = "tests/flat/*.cases", .modes = modes, .n_modes = 2, .result_of = result_of };
    cases_run(&cases, 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_flat_cases_give_what_they_say) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

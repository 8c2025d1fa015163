// tests/unit/units/test_check.c: runs tests/units/*.cases: what the units of a model are, or what is wrong
// with them.
//
//     body    statements of a model, which is put around them
//     file    a whole file; its last model is checked
//
// A model that is right gives `ok` and the units that were found for what declares none.
#include "cases.h"
#include "lang/parse.h"
#include "units/units.h"

enum { MODE_BODY, MODE_FILE };
static const char *const modes[] = { "body", "file" };

static char *result_of(int mode, Text input)
{
    StrBuf text = { 0 };
    if (mode == MODE_BODY) str_add(&text, "model M\n");
    str_add_text(&text, input);
    str_add(&text, mode == MODE_BODY ? "\nend\n" : "\n");
    orr_diag *diag = orr_diag_create();
    Arena arena = { 0 };
    Ast ast = { .arena = &arena };
    const uint32_t file = diag_add_source(diag, "case", text.p, text.n);
    Units *units = NULL;
    const bool ok = parse_text(&ast, file, (Text){ text.p, text.n }, diag, NULL)
                    && units_check(&units, &ast, &vec_last(&ast.models), &arena, diag);
    assert_int_equal(ok, orr_diag_errors(diag) == 0);
    StrBuf result = { 0 };
    if (ok) {
        str_add(&result, units ? "ok" : "no units");
        const char *name, *unit;
        for (size_t i = 0; units_inferred(units, i, &name, &unit); i++)
            str_addf(&result, "%s %s [%s]", i ? "," : ":", name, unit);
        str_add_char(&result, '\n');
    }
    char *messages = cases_messages(diag, mode == MODE_BODY ? 1 : 0);
    str_add(&result, messages);
    free(messages);
    orr_diag_destroy(diag);
    arena_free(&arena);
    str_free(&text);
    return str_finish(&result);
}

static void test_units_cases_give_what_they_say(void **state)
{
    (void)state;
    Cases cases = { .pattern = "tests/units/*.cases", .modes = modes, .n_modes = 2, .result_of = result_of };
    cases_run(&cases, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_cases_give_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

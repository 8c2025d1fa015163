// tests/machine/test_cases.c: runs tests/machine/*.cases: machines as language, tables and DOT; what they
// are, or which messages they give.
//
// `%% orr`, `%% csv` and `%% dot` say how the cases below are read. What is a machine is written in the
// language, and, written as CSV and DOT and read again, it must be the same.
#include "cases.h"
#include "orrery/machine.h"

static const char *const modes[] = { "csv", "dot", "orr" };
static const char *const paths[] = { "case.csv", "case.dot", "case.orr" };

static char *result_of(int mode, Text input)
{
    orr_diag *diag = orr_diag_create();
    orr_machine *machine = orr_machine_parse(paths[mode], input.p, input.n, NULL, diag);
    char *result;
    if (!machine) {
        result = cases_messages(diag, 0);
        if (orr_diag_errors(diag) == 0) fail_msg("no machine and no message: %.*s", (int)input.n, input.p);
    } else {
        assert_int_equal(orr_diag_errors(diag), 0);
        result = orr_machine_write(machine, ORR_MACHINE_ORR);
        const orr_machine_form forms[] = { ORR_MACHINE_CSV, ORR_MACHINE_DOT, ORR_MACHINE_ORR };
        for (int i = 0; i < 3; i++) {
            char *text = orr_machine_write(machine, forms[i]);
            orr_machine *again = orr_machine_parse(paths[i], text, strlen(text), NULL, diag);
            if (!again) orr_diag_print(diag, stdout, 0);
            assert_non_null(again);
            char *twice = orr_machine_write(again, ORR_MACHINE_ORR);
            // a table has no name for its machine
            assert_string_equal(strchr(twice, '\n'), strchr(result, '\n'));
            free(text);
            free(twice);
            orr_machine_destroy(again);
        }
    }
    orr_machine_destroy(machine);
    orr_diag_destroy(diag);
    return result;
}

static void test_cases_give_what_they_say(void **state)
{
    (void)state;
    Cases cases = {
        .pattern = "tests/machine/*.cases", .modes = modes, .n_modes = 3, .result_of = result_of
    };
    cases_run(&cases, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases_give_what_they_say) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

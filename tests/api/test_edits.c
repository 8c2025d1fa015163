// tests/api/test_edits.c: an editor that applies the edits of messages gets the text that was meant.
#include "check.h"
#include "orrery/orrery.h"
#include <stdlib.h>

// Replace what an edit names; its place in characters must be the one in bytes (these texts are ASCII).
static char *apply(const char *text, const orr_edit *edit)
{
    size_t at = 0;
    for (size_t line = 1; line < edit->place.line; line++) at = (size_t)(strchr(text + at, '\n') + 1 - text);
    assert_int_equal(at + edit->place.column - 1, edit->offset);
    assert_int_equal(edit->place.length, edit->bytes);
    char *changed = calloc(strlen(text) + strlen(edit->replacement) + 1, 1);
    memcpy(changed, text, edit->offset);
    strcat(changed, edit->replacement);
    return strcat(changed, text + edit->offset + edit->bytes);
}

// The first edit among the messages of compiling `text` and running its experiment, applied. NULL: none.
static char *improve(const char *name, const char *text)
{
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse(name, text, strlen(text), diag);
    orr_experiment e;
    orr_compile_options o = orr_compile_options_default();
    if (source && orr_experiment_get(source, NULL, &e, diag)) {
        o.model = e.model;
        orr_model *model = orr_model_compile(source, &o, diag);
        if (model) {
            orr_result result = orr_carry_out(model, &e, NULL, diag);
            orr_result_free(&result);
        }
        orr_model_destroy(model);
    }
    char *better = NULL;
    for (size_t i = 0; i < orr_diag_count(diag) && !better; i++) {
        const orr_message m = orr_diag_get(diag, i);
        if (m.n_edits) better = apply(text, &m.edits[0]);
    }
    if (!better) orr_diag_print(diag, stderr, 0);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
    return better;
}

static void check_edit(const char *name, const char *wrong, const char *meant)
{
    char *better = improve(name, wrong);
    if (!better) print_error("no edit for:\n%s", wrong);
    assert_non_null(better);
    assert_string_equal(better, meant);
    free(better);
}

#define MODEL(equation) "model Tank\n  param tau = 2 [s]\n  var level = 1 [m]\n  " equation "\nend\n"
#define GOOD  MODEL("level' = -level/tau")
#define TWO   "experiment two of Two\n  until 1\nend\n"
#define RUN(statement) GOOD "experiment drain of Tank\n  until 1\n  " statement "\nend\n"

static void test_misspelt_names_in_models_are_repaired(void **state)
{
    (void)state;
    check_edit("a.orr", MODEL("level' = -levle/tau"), GOOD);
    check_edit("a.orr", MODEL("level' = -level/tua"), GOOD);
    check_edit("a.orr", MODEL("level' = -level/tau\n  var b = sqr(4)"),
               MODEL("level' = -level/tau\n  var b = sqrt(4)"));
    check_edit("a.orr", "modle Tank\n  var x = 1\n  x' = -x\nend\n",
               "model Tank\n  var x = 1\n  x' = -x\nend\n");
    check_edit("a.orr", MODEL("level' = -level/tau\n  output r = dlevel"),
               MODEL("level' = -level/tau\n  output r = level'"));
    check_edit("a.orr", GOOD "model Two\n  a : Tnak\nend\n" TWO, GOOD "model Two\n  a : Tank\nend\n" TWO);
    check_edit("a.orr", GOOD "model Two\n  a : Tank(tua = 3 [s])\nend\n",
               GOOD "model Two\n  a : Tank(tau = 3 [s])\nend\n");
}

static void test_misspelt_words_of_experiments_are_repaired(void **state)
{
    (void)state;
    check_edit("a.orr", RUN("recrod level"), RUN("record level"));
    check_edit("a.orr", RUN("record levle"), RUN("record level"));
    check_edit("a.orr", RUN("set tua = 3"), RUN("set tau = 3"));
    check_edit("a.orr", RUN("solver rk4 setp 0.1"), RUN("solver rk4 step 0.1"));
    check_edit("a.orr", RUN("kind stedy"), RUN("kind steady"));
    check_edit("a.orr", RUN("kind steady strats 5"), RUN("kind steady starts 5"));
    check_edit("a.orr", GOOD "experiment drain of Tnak\n  until 1\nend\n",
               GOOD "experiment drain of Tank\n  until 1\nend\n");
}

static void test_misspelt_units_and_blocks_are_repaired(void **state)
{
    (void)state;
    check_edit("a.orr", "model M\n  var x = 1 [metr]\n  x' = -x\nend\n",
               "model M\n  var x = 1 [meter]\n  x' = -x\nend\n");
    check_edit("a.csmp", "$endtim = 1\n", "$endtime = 1\n");
}

static void test_an_edit_never_guesses_among_several_places(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    const char text[] = MODEL("level' = -levle*levle/tau");
    orr_source *source = orr_source_parse("a.orr", text, strlen(text), diag);
    assert_non_null(source);
    assert_null(orr_model_compile(source, NULL, diag));
    size_t n = 0;
    for (size_t i = 0; i < orr_diag_count(diag); i++) {
        const orr_message m = orr_diag_get(diag, i);
        for (size_t k = 0; k < m.n_edits; k++, n++) {
            assert_int_equal(m.edits[k].bytes, strlen("levle"));
            assert_memory_equal(text + m.edits[k].offset, "levle", m.edits[k].bytes);
        }
    }
    assert_int_equal(n, 1);    // a name is reported once, where it stands first
    orr_source_destroy(source);
    orr_diag_destroy(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misspelt_names_in_models_are_repaired),
        cmocka_unit_test(test_misspelt_words_of_experiments_are_repaired),
        cmocka_unit_test(test_misspelt_units_and_blocks_are_repaired),
        cmocka_unit_test(test_an_edit_never_guesses_among_several_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/api/test_explanations.c: the examples of the explanations produce the messages they explain.
//
// An example that is a model or a diagram is compiled and, if its message comes while running, run; its code
// must be among the messages. What needs a command or a machine in a certain state is left to tests/cli.
#include "check.h"
#include "orrery/orrery.h"
#include <math.h>
#include <stdlib.h>

// Messages about experiments and runs, of examples that are whole models.
static bool is_of_a_run(const char *code, const char *example)
{
    const char *const others[] = { "W605" };    // a frame is needed
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(code, others[i]) == 0) return false;
    return strchr("456", code[1]) && !strstr(example, "# orrery ");
}

static bool is_of_the_compiler(const char *code)
{
    const char *const warnings[] = { "W609", "W612", "W613" };
    if (strcmp(code, "E166") == 0) return false;    // its example is only hinted at
    for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++)
        if (strcmp(code, warnings[i]) == 0) return true;
    return (code[1] >= '1' && code[1] <= '3') || code[1] == '8';
}

// The example without its indentation, free() it.
static char *example_of(const char *explanation)
{
    const char *p = strstr(explanation, "For example:\n\n"), *end = strstr(explanation, "\n\nWhat to do:");
    assert_true(p && end);
    p += strlen("For example:\n\n");
    char *text = calloc((size_t)(end - p) + 2, 1);
    char *out = text;
    while (p < end) {
        assert_memory_equal(p, "    ", 4);
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop) stop = end;
        memcpy(out, p + 4, (size_t)(stop - p) - 4);
        out += stop - p - 4;
        *out++ = '\n';
        p = stop + 1;
    }
    return text;
}

static const char *kind_of(const char *example)
{
    const char *const starts[] = { "model ",      "machine ", "atomic ",   "record ", "function ",
                                   "experiment ", "unit ",    "orrery 99", "x = 1" };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(example, starts[i], strlen(starts[i])) == 0) return "example.orr";
    return strchr("KIZ$", example[0]) && strpbrk(example, ",=") ? "example.csmp" : NULL;
}

static bool has_code(const orr_diag *diag, const char *code)
{
    for (size_t i = 0; i < orr_diag_count(diag); i++)
        if (strcmp(orr_diag_get(diag, i).code, code) == 0) return true;
    return false;
}

// Run for 10 s, if the example does not say for how long.
static void run_example(const orr_source *source, const orr_model *model, orr_diag *diag)
{
    orr_experiment experiment;
    if (!orr_experiment_get(source, NULL, &experiment, diag)) return;
    if (isnan(experiment.until)) experiment.until = 10;
    orr_table *table = orr_table_create(1000);
    const orr_sink sink = orr_table_sink(table);
    orr_outcome outcome = orr_simulate(model, &experiment, &sink, 1, diag);
    orr_outcome_free(&outcome);
    orr_table_destroy(table);
}

static void try_example(const char *name, const char *text, bool runs, orr_diag *diag)
{
    if (strncmp(text, "machine ", 8) == 0) {
        orr_machine_destroy(orr_machine_parse(name, text, strlen(text), NULL, diag));
        return;
    }
    orr_source *source = orr_source_parse(name, text, strlen(text), diag);
    if (!source) return;
    orr_compile_options options = orr_compile_options_default();
    orr_experiment experiment;
    if (runs && !orr_experiment_get(source, NULL, &experiment, diag)) return orr_source_destroy(source);
    if (runs) {
        options.inputs = experiment.run.inputs;
        options.n_inputs = experiment.run.n_inputs;
    }
    orr_model *model = orr_model_compile(source, &options, diag);
    if (model && runs) run_example(source, model, diag);
    if (model && runs) orr_source_check(source, diag);
    orr_model_destroy(model);
    orr_source_destroy(source);
}

static void test_examples_produce_their_messages(void **state)
{
    (void)state;
    size_t compiled = 0, run = 0, wrong = 0;
    for (size_t i = 0; orr_code_at(i, NULL); i++) {
        const char *code = orr_code_at(i, NULL);
        char *example = example_of(orr_explain(code));
        const char *name = kind_of(example);
        const bool compiles = name && is_of_the_compiler(code) &&
                              !(code[1] == '8' && strstr(example, "# orrery "));
        const bool runs = name && !compiles && is_of_a_run(code, example);
        if (compiles || runs) {
            orr_diag *diag = orr_diag_create();
            try_example(name, example, runs, diag);
            compiled += compiles;
            run += runs;
            if (!has_code(diag, code)) {
                wrong++;
                print_error("the example of %s gives something else:\n%s", code, example);
                orr_diag_print(diag, stderr, 0);
            }
            orr_diag_destroy(diag);
        }
        free(example);
    }
    assert_true(compiled > 50);
    assert_true(run > 10);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_examples_produce_their_messages) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

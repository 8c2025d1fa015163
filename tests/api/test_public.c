// tests/api/test_public.c: the library as a stranger uses it, from text to values, with everything that can
// go wrong on the way.
#include "lab.h"
#include "orrery/orrery.h"
#include <math.h>

static const char decay[] = "model Decay \"loses a part of itself\"\n"
                            "  time [h]\n"
                            "  param k = 1 [1/h] \"how fast\"\n"
                            "  var x = 1 [kg]\n"
                            "  x' = -k*x\n"
                            "  output half = x/2\n"
                            "  assert x > 0.2 \"enough is left\"\n"
                            "end\n"
                            "experiment normal of Decay \"as it comes\"\n"
                            "  until 2\n"
                            "  every 0.5\n"
                            "  expect x at 1 = exp(-1) within 1e-5\n"
                            "  expect x = 7 within 1\n"
                            "end\n";

static Lab bench_for(const char *name, const char *text)
{
    Lab b = { .diag = orr_diag_create() };
    b.source = orr_source_parse(name, text, strlen(text), b.diag);
    b.model = b.source ? orr_model_compile(b.source, NULL, b.diag) : NULL;
    return b;
}

static bool has_code(const orr_diag *diag, const char *code)
{
    for (size_t i = 0; i < orr_diag_count(diag); i++)
        if (strcmp(orr_diag_get(diag, i).code, code) == 0) return true;
    print_error("no message with the code %s, but:\n", code);
    orr_diag_print(diag, stderr, 0);
    return false;
}

static void test_model_tells_what_it_consists_of(void **state)
{
    (void)state;
    Lab b = bench_for("decay.orr", decay);
    assert_non_null(b.model);
    assert_string_equal(orr_model_name(b.model), "Decay");
    assert_string_equal(orr_model_time_unit(b.model), "h");
    const struct { const char *name, *unit; orr_kind kind; bool is_output; } known[] = {
        { "k", "1/h", ORR_KIND_PARAM, false }, { "x", "kg", ORR_KIND_STATE, false },
        { "x'", NULL, ORR_KIND_RATE, false }, { "half", NULL, ORR_KIND_ALGEBRAIC, true },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t at = orr_model_find(b.model, known[i].name);
        assert_true(at < orr_model_n_variables(b.model));
        const orr_variable v = orr_model_variable(b.model, at);
        assert_string_equal(v.name, known[i].name);
        assert_int_equal(v.kind, known[i].kind);
        assert_int_equal(v.is_output, known[i].is_output);
        if (known[i].unit) assert_string_equal(v.unit, known[i].unit);
    }
    assert_string_equal(orr_model_variable(b.model, orr_model_find(b.model, "k")).doc, "how fast");
    assert_true(orr_model_find(b.model, "nothing") == (size_t)-1);
    assert_string_equal(orr_model_closest(b.model, "hlaf"), "half");
    const orr_model_facts facts = orr_model_get_facts(b.model);
    assert_int_equal(facts.n_states, 1);
    assert_int_equal(facts.n_equations, 2);
    assert_int_equal(facts.n_loops, 0);
    assert_string_equal(facts.code, "instant");
    lab_close(&b);
}

static void test_model_outlives_its_source(void **state)
{
    (void)state;
    Lab b = bench_for("decay.orr", decay);
    orr_source_destroy(b.source);
    b.source = NULL;
    orr_run_options options = orr_run_options_default();
    orr_run *run = orr_run_create(b.model, &options, b.diag);
    assert_non_null(run);
    assert_int_equal(orr_run_advance(run, 1), ORR_STATUS_OK);
    assert_near(orr_run_value(run, orr_model_find(b.model, "x")), exp(-1), 1e-6);
    orr_run_destroy(run);
    lab_close(&b);
}

static void test_wrong_text_gives_messages_with_places(void **state)
{
    (void)state;
    Lab b = bench_for("wrong.orr", "model A\n  x = y + zz\n  zzz = 1\nend\n");
    assert_non_null(b.source);
    assert_null(b.model);
    assert_int_equal(orr_diag_errors(b.diag), 2);
    const orr_message m = orr_diag_get(b.diag, 1);
    assert_string_equal(m.code, "E101");
    assert_string_equal(m.file, "wrong.orr");
    assert_int_equal(m.line, 2);
    assert_int_equal(m.column, 11);
    assert_int_equal(m.length, 2);
    assert_string_equal(m.source_line, "  x = y + zz");
    assert_contains(m.hint, "zzz");
    assert_non_null(orr_explain(m.code));
    lab_close(&b);

    b = bench_for("wrong.orr", "model");
    assert_null(b.source);
    assert_true(orr_diag_errors(b.diag) > 0);
    lab_close(&b);
    b = bench_for("wrong.txt", "model A\nend\n");
    assert_null(b.source);
    assert_true(has_code(b.diag, "E007"));
    lab_close(&b);
}

static void test_run_refuses_what_makes_no_sense(void **state)
{
    (void)state;
    Lab b = bench_for("decay.orr", decay);
    const struct { const char *code; orr_run_options options; } wrong[] = {
        { "E403", { .solver = "rk5" } },
        { "E409", { .solver = "rk4", .step = -1 } },
        { "E409", { .solver = "rk4", .step = NAN } },
        { "E415", { .tolerance = -1 } },
        { "E406", { .settings = &(orr_setting){ "q", 1 }, .n_settings = 1 } },
        { "E407", { .settings = &(orr_setting){ "k", NAN }, .n_settings = 1 } },
        { "E407", { .settings = &(orr_setting){ "half", 1 }, .n_settings = 1 } },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        orr_run_options options = wrong[i].options;
        options.t_end = 1;
        orr_run *run = orr_run_create(b.model, &options, b.diag);
        if (run) print_error("accepted, though it should be %s\n", wrong[i].code);
        assert_null(run);
        assert_true(has_code(b.diag, wrong[i].code));
        orr_diag_clear(b.diag);
    }
    lab_close(&b);
}

static void test_run_goes_forward_only(void **state)
{
    (void)state;
    Lab b = bench_for("decay.orr", decay);
    const orr_setting settings[] = { { "k", 2 }, { "x", 3 } };
    orr_run_options options = orr_run_options_default();
    options.t_start = 1;
    options.settings = settings;
    options.n_settings = 2;
    orr_run *run = orr_run_create(b.model, &options, b.diag);
    assert_non_null(run);
    const size_t x = orr_model_find(b.model, "x");
    assert_near(orr_run_time(run), 1, 0);
    assert_near(orr_run_value(run, x), 3, 0);
    assert_near(orr_run_value(run, orr_model_find(b.model, "x'")), -6, 0);
    assert_int_equal(orr_run_advance(run, 2), ORR_STATUS_OK);
    assert_near(orr_run_value(run, x), 3 * exp(-2), 1e-5);
    assert_int_equal(orr_run_advance(run, 1.5), ORR_STATUS_USAGE);
    assert_int_equal(orr_run_advance(run, NAN), ORR_STATUS_USAGE);
    assert_near(orr_run_time(run), 2, 0);
    assert_int_equal(orr_run_advance(run, 2), ORR_STATUS_OK);
    // one step of the solver at a time reaches the end too
    size_t n = 0;
    while (orr_run_time(run) < 3 && n++ < 1000) assert_int_equal(orr_run_step(run, 3), ORR_STATUS_OK);
    assert_near(orr_run_value(run, x), 3 * exp(-4), 1e-5);
    assert_true(n > 1 && n < 1000);
    // the assertion was broken on the way, and said once
    assert_int_equal(orr_run_get_facts(run).n_violations, 1);
    assert_int_equal(orr_diag_warnings(b.diag), 1);
    assert_true(has_code(b.diag, "W614"));
    orr_run_destroy(run);
    lab_close(&b);
}

// A sink that counts, and may stop.
typedef struct Counter {
    int    n_begun, n_rows, n_ended, stop_at;
    double last_t, last_x;
    orr_status status;
} Counter;

static bool count_begin(void *self, const char *const *names, const char *const *units, size_t n,
                        const char *time_unit)
{
    Counter *c = self;
    c->n_begun++;
    assert_int_equal(n, 1);
    assert_string_equal(names[0], "half");
    assert_string_equal(units[0], "kg");    // follows from that of x
    assert_string_equal(time_unit, "h");
    return true;
}
static bool count_row(void *self, double t, const double *values, size_t n)
{
    Counter *c = self;
    assert_int_equal(n, 1);
    c->last_t = t;
    c->last_x = 2 * values[0];
    return ++c->n_rows != c->stop_at;
}
static bool count_end(void *self, orr_status status)
{
    Counter *c = self;
    c->n_ended++;
    c->status = status;
    return true;
}

static void test_simulate_feeds_sinks_and_judges(void **state)
{
    (void)state;
    Lab b = bench_for("decay.orr", decay);
    orr_experiment e;
    assert_true(orr_experiment_get(b.source, "normal", &e, b.diag));
    assert_near(e.until, 2, 0);
    Counter counter = { 0 };
    orr_table *table = orr_table_create(0);
    const orr_sink sinks[] = { { .begin = count_begin, .row = count_row, .end = count_end, .self = &counter },
                               orr_table_sink(table) };
    orr_outcome outcome = orr_simulate(b.model, &e, sinks, 2, b.diag);
    assert_int_equal(outcome.status, ORR_STATUS_NOT_VALIDATED);
    assert_int_equal(outcome.n_verdicts, 2);
    assert_int_equal(outcome.n_failed, 1);
    assert_true(outcome.verdicts[0].holds && !outcome.verdicts[1].holds);
    assert_near(outcome.verdicts[0].found, exp(-1), 1e-6);
    assert_int_equal(outcome.verdicts[1].expect->line, 13);
    assert_int_equal(outcome.n_rows, 5);
    assert_near(outcome.t, 2, 0);
    assert_int_equal(counter.n_begun, 1);
    assert_int_equal(counter.n_rows, 5);
    assert_int_equal(counter.n_ended, 1);
    assert_int_equal(counter.status, ORR_STATUS_OK);
    assert_near(counter.last_x, exp(-2), 1e-6);
    assert_int_equal(orr_table_n_rows(table), 5);
    assert_string_equal(orr_table_name(table, 1), "half");
    assert_string_equal(orr_table_unit(table, 0), "h");
    assert_same_bits(orr_table_column(table, 1)[4] * 2, counter.last_x);
    orr_outcome_free(&outcome);

    // a sink that has enough ends it, and everything is closed all the same
    counter = (Counter){ .stop_at = 3 };
    outcome = orr_simulate(b.model, &e, sinks, 1, b.diag);
    assert_int_not_equal(outcome.status, ORR_STATUS_OK);
    assert_int_equal(counter.n_rows, 3);
    assert_int_equal(counter.n_ended, 1);
    orr_outcome_free(&outcome);
    orr_table_destroy(table);
    assert_false(orr_experiment_get(b.source, "nromal", &e, b.diag));
    assert_true(has_code(b.diag, "E401"));
    lab_close(&b);
}

static void test_many_runs_live_side_by_side(void **state)
{
    (void)state;
    // enough for a leak or a clash to show under the sanitizers
    Lab b = bench_for("decay.orr", decay);
    orr_run *runs[50];
    const orr_run_options options = orr_run_options_default();
    for (int i = 0; i < 50; i++) assert_non_null(runs[i] = orr_run_create(b.model, &options, b.diag));
    for (int i = 0; i < 50; i++) assert_int_equal(orr_run_advance(runs[i], 0.1 * i), ORR_STATUS_OK);
    for (int i = 49; i >= 0; i--) {
        assert_near(orr_run_value(runs[i], orr_model_find(b.model, "x")), exp(-0.1 * i), 1e-5);
        orr_run_destroy(runs[i]);
    }
    orr_run_destroy(NULL);
    orr_model_destroy(NULL);
    orr_source_destroy(NULL);
    orr_table_destroy(NULL);
    lab_close(&b);
    for (int i = 0; i < 20; i++) {
        b = bench_for("decay.orr", decay);
        assert_non_null(b.model);
        lab_close(&b);
    }
}

static void test_the_format_of_a_text(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    char *text = orr_format("a.orr", "model A\nx=1\nend", 15, diag);
    assert_string_equal(text, "model A\n  x = 1\nend\n");
    free(text);
    assert_null(orr_format("a.orr", "model", 5, diag));
    assert_true(orr_diag_errors(diag) > 0);
    orr_diag_destroy(diag);
}

// Sizes are what a model is compiled for; a run may repeat them, but not change them.
static void test_a_model_is_compiled_for_its_sizes(void **state)
{
    (void)state;
    static const char text[] = "model Rod\n  param n, k = 1\n  var u[n] = 2\n"
                               "  for i in 1..n\n    u[i]' = -k*u[i]*n\n  end\nend\n";
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse("rod.orr", text, strlen(text), diag);
    assert_non_null(source);
    assert_null(orr_model_compile(source, NULL, diag));
    assert_true(has_code(diag, "E129"));
    orr_diag_clear(diag);

    const orr_setting settings[] = { { "n", 2 }, { "k", 0.25 }, { "n", 4 } };
    orr_compile_options compile = orr_compile_options_default();
    compile.settings = settings;
    compile.n_settings = 3;
    orr_model *model = orr_model_compile(source, &compile, diag);
    orr_source_destroy(source);
    assert_non_null(model);
    assert_int_equal(orr_model_get_facts(model).n_states, 4);

    orr_run_options options = orr_run_options_default();
    options.settings = settings;
    options.n_settings = 3;
    orr_run *run = orr_run_create(model, &options, diag);
    assert_non_null(run);
    assert_near(orr_run_value(run, orr_model_find(model, "n")), 4, 0);
    assert_int_equal(orr_run_advance(run, 1), ORR_STATUS_OK);
    assert_near(orr_run_value(run, orr_model_find(model, "u[4]")), 2 * exp(-1), 1e-5);
    orr_run_destroy(run);

    // k was not compiled in: without it a run has the model's own
    run = orr_run_create(model, NULL, diag);
    assert_non_null(run);
    assert_near(orr_run_value(run, orr_model_find(model, "k")), 1, 0);
    orr_run_destroy(run);
    const orr_setting other = { "n", 5 };
    options.settings = &other;
    options.n_settings = 1;
    assert_null(orr_run_create(model, &options, diag));
    assert_true(has_code(diag, "E407"));
    orr_model_destroy(model);
    orr_diag_destroy(diag);
}

// What `orrery run FILE --set k=2 --until 1` does, by the library: x(1) = exp(-2).
static void test_overrides_do_what_the_command_line_does(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse("decay.orr", decay, strlen(decay), diag);
    orr_experiment e;
    assert_true(orr_experiment_get(source, "normal", &e, diag));
    const orr_given words[] = { { .word = "set", .text = "k=2" }, { .word = "until", .text = "1" },
                                { .word = "tol", .text = "1e-9" } };
    assert_true(orr_experiment_override(source, &e, words, 3, diag));
    orr_model *model = orr_experiment_compile(source, &e, NULL, diag);
    assert_non_null(model);
    orr_table *table = orr_table_create(0);
    const orr_sink sink = orr_table_sink(table);
    e.n_expects = 0;
    orr_outcome outcome = orr_simulate(model, &e, &sink, 1, diag);
    assert_int_equal(outcome.status, ORR_STATUS_OK);
    assert_near(outcome.t, 1, 1e-12);
    const size_t last = orr_table_n_rows(table) - 1;
    assert_near(orr_table_column(table, 1)[last], exp(-2) / 2, 1e-7);
    orr_outcome_free(&outcome);
    orr_table_destroy(table);
    orr_model_destroy(model);

    const orr_given wrong = { .word = "set", .text = "kk=2" };
    assert_true(orr_experiment_override(source, &e, &wrong, 1, diag));
    assert_null(orr_experiment_compile(source, &e, NULL, diag));
    assert_int_equal(orr_diag_status(diag), ORR_STATUS_USAGE);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
}

// Worked by hand: z = 5 first, then x and y together, whose matrix [1 -1; 1 1] has the condition number 2
// in the norm of the largest row or column.
static void test_structure_is_data(void **state)
{
    (void)state;
    Lab b = bench_for("loop.orr", "model Loop\n  var x, y, z\n  x = y + 16\n  y = -x - z\n  z = 5\nend\n");
    assert_non_null(b.model);
    orr_structure s = orr_model_structure(b.model, b.diag);
    assert_int_equal(s.n_order, 2);
    assert_string_equal(s.order[0].equation.text, "z = 5");
    assert_int_equal(s.order[0].equation.place.line, 5);
    assert_int_equal(s.order[0].loop, (size_t)-1);
    assert_int_equal(s.order[1].loop, 0);
    assert_int_equal(s.n_loops, 1);
    assert_int_equal(s.loops[0].n, 2);
    assert_near(s.loops[0].condition, 2, 1e-12);
    assert_string_equal(s.loops[0].equations[0].text, "x = y + 16");
    const size_t x = orr_model_find(b.model, "x"), y = orr_model_find(b.model, "y");
    assert_true(s.loops[0].variables[0] + s.loops[0].variables[1] == x + y);
    orr_structure_free(&s);
    lab_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overrides_do_what_the_command_line_does),
        cmocka_unit_test(test_structure_is_data),
        cmocka_unit_test(test_model_tells_what_it_consists_of),
        cmocka_unit_test(test_model_outlives_its_source),
        cmocka_unit_test(test_wrong_text_gives_messages_with_places),
        cmocka_unit_test(test_run_refuses_what_makes_no_sense),
        cmocka_unit_test(test_run_goes_forward_only),
        cmocka_unit_test(test_simulate_feeds_sinks_and_judges),
        cmocka_unit_test(test_many_runs_live_side_by_side),
        cmocka_unit_test(test_the_format_of_a_text),
        cmocka_unit_test(test_a_model_is_compiled_for_its_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/solve/test_faults.c: a run that fails says when, in which equation and line, with what values, and
// what to try.
#include "check.h"
#include "orrery/experiment.h"

typedef struct Case {
    const char *text;         // of a model
    const char *code;
    const char *message;      // part of the sentence
    size_t      line;         // of the message; 0: none
    const char *more;         // part of all that is printed
    double      t_least, t_most;
} Case;

static const Case cases[] = {
    { "model M\n  var x = 1\n  x' = -1 - sqrt(x)\nend\n", "E503", "sqrt(-", 3, "with x = -", 0.6, 0.63 },
    { "model M\n  var x = 2\n  x' = -1\n  y = 3 + log(x - 1)\n  var w = 0\n  w' = y\nend\n", "E503", "log(",
      4, "x = ", 0.98, 1.02 },
    { "model M\n  var x = 0\n  x' = 1\n  y = asin(x)\n  var w = 0\n  w' = y\nend\n", "E503", "asin(1.", 4,
      "with x = 1", 0.98, 1.02 },
    { "model M\n  var x = 1\n  x' = -1\n  y = x^0.5\n  var w = 0\n  w' = y\nend\n", "E503", ")^(0.5)", 4,
      "x = -", 0.98, 1.02 },
    // the culprit is deep inside, and the branch not taken is innocent
    { "model M\n  var x = 1\n  x' = -1\n  y = 2*(if x < -9 then log(-1) else 1 + exp(sqrt(x) - 2))\n"
      "  var w = 0\n  w' = y\nend\n",
      "E503", "sqrt(-", 4, "x = -", 0.98, 1.02 },
    { "model M\n  var x = 1\n  x' = x^3\nend\n", "E50", "", 3, "x' = x^3", 0.49, 0.56 },
    { "model M\n  var x = 1\n  x' = exp(x)\nend\n", "E50", "", 3, "x' = exp(x)", 0.3, 0.45 },
    { "model M\n  var x = 0, y ~ 2, w = 0\n  x' = 1\n  y^2 = 1 - x\n  w' = y\nend\n", "E504", "loop of y", 4,
      "left minus right", 0.97, 1.01 },
};

static const char *everything(const orr_diag *diag)
{
    static char text[8000];
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text, "w");
    orr_diag_print(diag, out, 0);
    fclose(out);
    return text;
}

static void check_case(const Case *c, const orr_solver_info *s)
{
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse("test.orr", c->text, strlen(c->text), diag);
    orr_model *model = source ? orr_model_compile(source, NULL, diag) : NULL;
    if (!model) orr_diag_print(diag, stderr, 0);
    assert_non_null(model);
    orr_run_options o = orr_run_options_default();
    o.solver = s->name;
    o.t_end = 3;
    o.step = s->fixed_step ? 0.003 : 0;
    orr_run *run = orr_run_create(model, &o, diag);
    assert_non_null(run);
    const orr_status status = orr_run_advance(run, 3);
    const orr_message m = orr_diag_count(diag) ? orr_diag_get(diag, 0)
                                               : (orr_message){ .code = "", .text = "" };
    const double t = orr_run_time(run);
    const bool ok = status == ORR_STATUS_FAILED && orr_diag_errors(diag) == 1 &&
                    strncmp(m.code, c->code, strlen(c->code)) == 0 && strstr(m.text, c->message) &&
                    (c->line == 0 || m.line == c->line) && m.hint && t >= c->t_least && t <= c->t_most &&
                    strstr(everything(diag), c->more);
    if (!ok) print_error("%s on\n%s: status %d, t = %g\n%s", s->name, c->text, status, t, everything(diag));
    assert_true(ok);
    // what was computed can still be read
    for (size_t i = 0; i < orr_model_n_variables(model); i++)
        if (orr_model_variable(model, i).kind == ORR_KIND_STATE) assert_true(isfinite(orr_run_value(run, i)));
    orr_run_destroy(run);
    orr_model_destroy(model);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
}

static void test_failures_are_explained_by_every_solver(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; orr_solver_at(k); k++) {
            // quantised states have no loops
            if (orr_solver_at(k)->is_quantised && strcmp(cases[i].code, "E504") == 0) continue;
            check_case(&cases[i], orr_solver_at(k));
        }
}

static void test_overflow_names_the_equation(void **state)
{
    (void)state;
    const Case overflow = { "model M\n  var x = 1\n  x' = x*x\n  y = exp(x)\n  var w = 0\n  w' = y\nend\n",
                            "E502",
                            "'y' became infinite",
                            4,
                            "in y = exp(x)",
                            0.9,
                            1.1 };
    for (size_t k = 0; orr_solver_at(k); k++)
        if (orr_solver_at(k)->fixed_step) check_case(&overflow, orr_solver_at(k));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_are_explained_by_every_solver),
        cmocka_unit_test(test_overflow_names_the_equation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

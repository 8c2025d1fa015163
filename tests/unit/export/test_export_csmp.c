// tests/unit/export/test_export_csmp.c: a model taken apart into CSMP blocks computes what the model
// computes.
//
// Each model is written as a diagram, which is read back and sorted like any other. Then both are evaluated
// at random states, parameters and times: all derivatives and outputs must have the same bits.
#include "base/arena.h"
#include "base/diag.h"
#include "check.h"
#include "export/csmp_graph.h"
#include "lang/frontend.h"
#include <stdlib.h>

typedef struct Model {
    Arena arena;
    Ast ast;
    Flat flat;
    Blocks blocks;
    orr_diag *diag;
    double *values;    // [n_vars]
    double t;
} Model;

static bool compile_text(Model *m, const FrontEnd *front, const char *path, const char *text)
{
    *m = (Model){ .diag = orr_diag_create() };
    m->ast.arena = m->flat.arena = &m->arena;
    const uint32_t file = diag_add_source(m->diag, path, text, strlen(text));
    const bool ok = front->parse(&m->ast, file, path, text, strlen(text), m->diag) &&
                    flat_expand(&m->flat, &m->ast, &m->ast.models.items[0], m->diag) &&
                    order_sort(&m->blocks, &m->flat, &m->arena, m->diag);
    if (!ok) orr_diag_print(m->diag, stderr, 0);
    m->values = ARENA_ARRAY(&m->arena, double, m->flat.vars.n);
    return ok;
}

static void release(Model *m)
{
    orr_diag_destroy(m->diag);
    arena_free(&m->arena);
}

// ---- Evaluating without the rest of the program

static double evaluate(const Model *m, Expr e);

static double read_variable(const void *context, uint32_t variable)
{
    return ((const Model *)context)->values[variable];
}

static double read_mode(const void *context, uint32_t relation)
{
    const Model *m = context;
    return evaluate(m, m->flat.relations.items[relation].relation);
}

static double read_history(const void *context, uint32_t delay, double at)
{
    (void)context, (void)delay;
    return cos(at);    // anything, as long as both ask for the same time
}

static double evaluate(const Model *m, Expr e)
{
    const ExprValues values = {
        .variable = read_variable, .mode = read_mode, .history = read_history, .context = m, .t = m->t
    };
    return expr_evaluate(&m->flat.pool, e, &values);
}

static void evaluate_params(Model *m)
{
    for (uint32_t i = 0; i < m->blocks.n_params; i++) {
        const uint32_t p = m->blocks.params[i];
        if (m->flat.vars.items[p].start != EXPR_NONE) m->values[p] = evaluate(m, m->flat.vars.items[p].start);
    }
}

// Conditions may read what other conditions decide, and are not part of the order: go round until all is
// settled.
static void evaluate_blocks(Model *m)
{
    for (int round = 0; round < 10; round++) {
        for (uint32_t i = 0; i < m->blocks.dynamic.n_blocks; i++) {
            const Block *b = &m->blocks.dynamic.blocks[i];
            assert_int_equal(b->kind, BLOCK_ASSIGN);
            m->values[b->unknowns[0]] = evaluate(m, b->value);
        }
    }
}

// ---- Writing

static uint32_t *outputs_of(Model *m, uint32_t *n)
{
    uint32_t *outputs = ARENA_ARRAY(&m->arena, uint32_t, m->flat.vars.n + 1);
    *n = 0;
    for (uint32_t v = 0; v < m->flat.vars.n; v++)
        if (m->flat.vars.items[v].is_output) outputs[(*n)++] = v;
    return outputs;
}

// The diagram of a model, to be freed; NULL if it has none.
static char *write_diagram(Model *m, const char *settings)
{
    evaluate_params(m);
    for (uint32_t i = 0; i < m->blocks.n_states; i++) {
        const uint32_t x = m->blocks.states[i];
        m->values[x] = evaluate(m, m->flat.vars.items[x].start);
    }
    CsmpGraph graph = { .flat = &m->flat, .blocks = &m->blocks, .start = m->values };
    graph.outputs = outputs_of(m, &graph.n_outputs);
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    fputs(settings, out);
    const bool ok = csmp_graph_write(&graph, out, m->diag);
    fclose(out);
    if (ok) return text;
    free(text);
    return NULL;
}

static char *write_model(const char *body, Model *m)
{
    char *text = NULL;
    assert_true(asprintf(&text, "model M\n%s\nend\n", body) > 0);
    assert_true(compile_text(m, &frontend_orrery, "m.orr", text));
    free(text);
    return write_diagram(m, "$endtime = 1\n$timestep = ?\n");
}

static double uniform(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

static void compare(const char *body, bool is_positive)
{
    Model m, d;
    char *text = write_model(body, &m);
    if (!text) orr_diag_print(m.diag, stderr, 0);
    assert_non_null(text);
    if (!compile_text(&d, &frontend_csmp, "d.csmp", text)) print_error("%s\n", text);
    assert_int_equal(orr_diag_errors(d.diag), 0);
    assert_int_equal(d.blocks.n_states, m.blocks.n_states);

    uint32_t n_outputs, n_written;
    const uint32_t *outputs = outputs_of(&m, &n_outputs), *written = outputs_of(&d, &n_written);
    assert_int_equal(n_outputs, n_written);
    evaluate_params(&m);
    evaluate_params(&d);
    for (uint32_t i = 0; i < m.blocks.n_states; i++) {
        const uint32_t x = m.blocks.states[i], y = d.blocks.states[i];
        assert_same_bits(evaluate(&d, d.flat.vars.items[y].start), evaluate(&m, m.flat.vars.items[x].start));
    }
    uint64_t seed = 1;
    for (int round = 0; round < 200; round++) {
        m.t = d.t = round == 0 ? 0 : uniform(&seed, 0, 5);
        for (uint32_t i = 0; i < m.blocks.n_states; i++) {
            const double x = round == 0 ? 1 : uniform(&seed, is_positive ? 0.1 : -3, 3);
            m.values[m.blocks.states[i]] = d.values[d.blocks.states[i]] = x;
        }
        evaluate_blocks(&m);
        evaluate_blocks(&d);
        for (uint32_t i = 0; i < m.blocks.n_states; i++)
            assert_same_bits(d.values[d.blocks.rates[i]], m.values[m.blocks.rates[i]]);
        for (uint32_t i = 0; i < n_outputs; i++) assert_same_bits(d.values[written[i]], m.values[outputs[i]]);
    }
    free(text);
    release(&m);
    release(&d);
}

static void test_arithmetic(void **state)
{
    (void)state;
    compare("var x = 0.5, v = 2\nparam K = 2, M = 3\nx' = v\nv' = -K/M*x", false);
    compare("var x = 1, y = 1\nparam a = 1.5\nx' = 2*x - 3*y + 0.25*a\ny' = (x + y)*(x - y)/a", false);
    compare("var x = 1\nx' = 1 - x\noutput y = x - 1\noutput z = 4 - 3*x\noutput q = -x - 2", false);
    compare("var x = 1, y = 2\nx' = x + y + x*y + 7\ny' = x - y - x/3 - 0.1*y - 2", false);
    compare("var x = 1\nx' = -(x + 1) + 2*(x + 1)*(x + 1)", false);
    compare("var x = 1\nx' = 1/(1 + x*x)\noutput y = 3/x - x/3\noutput z = 0.1 + x", true);
    compare("var x = 1\nx'' = -x - 0.1*x'\nvar x' = 0.25", false);
    compare("var x = 1\nx' = y\ny = 2*z\nz = x + 1\noutput y\noutput z\noutput w = x", false);
}

static void test_whole_powers_become_products(void **state)
{
    (void)state;
    for (int n = -9; n <= 16; n++) {
        char body[64];
        snprintf(body, sizeof body, "var x = 1\nx' = x^(%d)", n);
        compare(body, true);
    }
    compare("var x = 1\nx' = x^2.5 + x^x + 2^x", true);
}

static void test_functions(void **state)
{
    (void)state;
    compare("var x = 1\nx' = sin(x) + cos(x)*tan(x) + atan(x) + sinh(x) + cosh(x) + tanh(x)", false);
    compare("var x = 1\nx' = exp(x) + log(x) + log10(x) + sqrt(x)", true);
    compare("var x = 1, y = 1\nx' = min(x, y) + max(x, 2) + abs(y) + atan2(x, y)\n"
            "y' = mod(x, 2) + floor(y) + ceil(x) + round(y)",
            false);
    compare("var x = 1\nx' = asin(x/10) + acos(x/10) + t*x", false);
    compare("var x = 1\nx' = table(x, -1, 0, 0, 2, 2.5, -1)", false);
    compare("var x = 1\nx' = table(x, 2, 3)", false);
}

static void test_conditions(void **state)
{
    (void)state;
    static const char *const relations[] = { "<", "<=", ">", ">=" };
    for (size_t i = 0; i < 4; i++) {
        char body[256];
        snprintf(body, sizeof body,
                 "var x = 1, y = 1\nx' = if x %s 1 then x else 2*y\ny' = if 0 %s x then 1 else 0\n"
                 "output z = if x %s y then 3 else x",
                 relations[i], relations[i], relations[i]);
        compare(body, false);
    }
    compare("var x = 1\nx' = if x > 0 and x < 2 then 1 else -1\noutput y = if x < -1 or x > 1 then x else 0",
            false);
    compare("var x = 1\nx' = if not (x > 0 and t < 2) then 1 else -1", false);
    compare("var x = 1\nx' = limit(x, -1, 2) + deadspace(x, -0.5, 0.5) + sign(x)", false);
    compare("var x = 1\nx' = step(1) + ramp(2) + pulse(1, 0.5, 2) + pulse(0.5, 1)", false);
    compare("var x = 1\nx' = delay(x, 0.5) - delay(2*x, 1)", false);
}

static void test_parameters_stay_parameters(void **state)
{
    (void)state;
    Model m, d;
    char *text = write_model(
        "param a = 2 [m]\nparam b = 3*a + 1 \"computed\"\nparam unused = 7\nvar x = b\nx' = a*b - x", &m);
    assert_non_null(text);
    assert_contains(text, "K, 2, 2\t; a [m]\n");
    assert_null(strstr(text, "unused"));
    assert_true(compile_text(&d, &frontend_csmp, "d.csmp", text));
    // the state starts at a number, but b still follows a
    const uint32_t a = flat_find(&d.flat, "b2");
    assert_int_equal(d.flat.vars.items[a].kind, FLAT_PARAM);
    const uint32_t x = d.blocks.states[0];
    assert_near(evaluate(&d, d.flat.vars.items[x].start), 7, 0);
    d.values[a] = 5;
    d.values[x] = 1;
    evaluate_blocks(&d);
    assert_near(d.values[d.blocks.rates[0]], 5 * 16 - 1, 0);
    free(text);
    release(&m);
    release(&d);
}

static size_t count_lines(const char *text, const char *kind)
{
    size_t n = 0;
    char start[16];
    snprintf(start, sizeof start, "%s, ", kind);
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        n += strncmp(line, start, strlen(start)) == 0;
    return n;
}

static void test_shared_parts_are_written_once(void **state)
{
    (void)state;
    Model m;
    char *text = write_model("var x = 1, y = 1\nx' = sin(x*y)\ny' = 2*sin(x*y)\noutput z = sin(x*y) + 1", &m);
    assert_int_equal(count_lines(text, "SIN"), 1);
    assert_int_equal(count_lines(text, "X"), 1);
    assert_int_equal(count_lines(text, "I"), 2);
    assert_int_equal(count_lines(text, "O"), 1);
    free(text);
    release(&m);
    // what others read too is not swallowed by a sum
    text = write_model("var x = 1, y = 1\nx' = 3*x + y\ny' = 3*x", &m);
    assert_int_equal(count_lines(text, "W"), 1);
    assert_int_equal(count_lines(text, "+"), 1);
    free(text);
    release(&m);
}

static void test_sums_are_gathered(void **state)
{
    (void)state;
    Model m;
    char *text = write_model("var x = 1, y = 1, z = 1\nx' = 2*x - 3*y + z\ny' = x - y - z\nz' = -x", &m);
    assert_int_equal(count_lines(text, "W"), 1);
    assert_int_equal(count_lines(text, "+"), 1);
    assert_int_equal(count_lines(text, "-"), 1);
    assert_int_equal(count_lines(text, "I"), 3);
    assert_contains(text, "2, 1, -3, 2, 1, 3");
    free(text);
    release(&m);
}

static void test_integrators_come_in_the_order_of_the_states(void **state)
{
    (void)state;
    Model m;
    char *text = write_model("var x = 0.5, v = 2\nv' = -x\nx' = v", &m);
    assert_contains(text, "I, 1, 0.5, 2\t; x\nI, 2, 2, ");
    free(text);
    release(&m);
}

// x = cos(x) + s/2 can be drawn: a block reads its own output; the diagram has a loop like the model.
static void test_a_loop_of_explicit_equations_is_drawn(void **state)
{
    (void)state;
    Model m, d;
    char *text = write_model("var s = 1\ns' = -s\nx = cos(y) + s/2\ny = sin(x)\noutput x\noutput y", &m);
    if (!text) orr_diag_print(m.diag, stderr, 0);
    assert_non_null(text);
    assert_true(compile_text(&d, &frontend_csmp, "d.csmp", text));
    assert_int_equal(m.blocks.dynamic.n_loops, 1);
    assert_int_equal(d.blocks.dynamic.n_loops, 1);
    free(text);
    release(&m);
    release(&d);
}

static void assert_refused(const char *body, size_t line, const char *part)
{
    Model m;
    char *text = write_model(body, &m);
    assert_null(text);
    assert_int_equal(orr_diag_errors(m.diag), 1);
    bool found = false;
    for (size_t i = 0; i < orr_diag_count(m.diag); i++) {
        const orr_message message = orr_diag_get(m.diag, i);
        if (strcmp(message.code, "E320") != 0) continue;
        found = true;
        assert_contains(message.text, part);
        assert_int_equal(message.line, line);
        assert_non_null(message.hint);
    }
    assert_true(found);
    release(&m);
}

static void test_what_has_no_block_is_refused_with_its_line(void **state)
{
    (void)state;
    assert_refused("var x = 1\nx' = y\nvar y ~ 1\ny^3 + y*exp(y) = x", 5, "the implicit equation for 'y'");
    assert_refused("var x = 1\nx' = delay(x, 1, 0.5)", 3, "delay");
    assert_refused("var x = 1\nx' = min(x, inf)", 3, "infinite");
}

static void test_a_long_chain_is_written_in_linear_time(void **state)
{
    (void)state;
    enum { N = 20000 };
    char *body = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&body, &size);
    fputs("var x = 1\nx' = a0\n", f);
    for (int i = 0; i < N; i++) fprintf(f, "a%d = sin(a%d) + 1\n", i, i + 1);
    fprintf(f, "a%d = x", N);
    fclose(f);
    Model m;
    char *text = write_model(body, &m);
    assert_non_null(text);
    assert_int_equal(count_lines(text, "SIN"), N);
    free(text);
    free(body);
    release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_whole_powers_become_products),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_parameters_stay_parameters),
        cmocka_unit_test(test_shared_parts_are_written_once),
        cmocka_unit_test(test_sums_are_gathered),
        cmocka_unit_test(test_integrators_come_in_the_order_of_the_states),
        cmocka_unit_test(test_a_loop_of_explicit_equations_is_drawn),
        cmocka_unit_test(test_what_has_no_block_is_refused_with_its_line),
        cmocka_unit_test(test_a_long_chain_is_written_in_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/unit/csmp/test_csmp_read.c: what the reader makes of good diagrams.
#include "diagram_text.h"

static const char circle[] = "; Circle Test for\n"
                             "; CSMP-style Time Slicing Simulator\n"
                             "\n"
                             "$endtime = 100;\n"
                             "$timestep = ?;\n"
                             "$comminterval = 1.5;\n"
                             "\n"
                             "I, 1, 0, 3      ; x' is integral of x'', IC=0\n"
                             "I, 2, 1, 1      ; x is integral of x', IC=1\n"
                             "-, 3, 2         ; -x\n"
                             "O, 4, 1         ; output x'\n"
                             "O, 5, 2         ; output x\n";

static void assert_equals(const Read *r, const char *name, const char *expected)
{
    char *text = expr_text(find_value(r, name));
    assert_string_equal(text, expected);
    free(text);
}

static void test_circle_becomes_a_model(void **state)
{
    (void)state;
    Read r = read_text(circle);
    if (!r.ok) show_messages(&r);
    assert_true(r.ok);
    assert_int_equal(orr_diag_count(r.diag), 0);
    assert_int_equal(r.ast.models.n, 1);
    assert_string_equal(r.ast.models.items[0].name, "circle");
    assert_int_equal(r.ast.models.items[0].n_items, 5);
    assert_equals(&r, "b1", "INTEG(b3,0)");
    assert_equals(&r, "b2", "INTEG(b1,1)");
    assert_equals(&r, "b3", "-b2");
    assert_equals(&r, "b4", "b1");
    assert_equals(&r, "b5", "b2");
    const AstItem *b4 = find_item(&r, "b4");
    assert_int_equal(b4->kind, AST_DECL);
    assert_int_equal(b4->decl.kind, AST_OUTPUT);
    assert_string_equal(b4->decl.doc, "output x'");
    assert_int_equal(diag_line(r.diag, b4->place), 11);
    read_free(&r);
}

static void test_circle_becomes_an_experiment(void **state)
{
    (void)state;
    Read r = read_text(circle);
    assert_int_equal(r.ast.experiments.n, 1);
    const AstExperiment *x = &r.ast.experiments.items[0];
    assert_string_equal(x->name, "csmp");
    assert_string_equal(x->model, "circle");
    assert_string_equal(x->solver.name, "euler");
    assert_string_equal(x->missing, "timestep");
    assert_int_equal(diag_line(r.diag, x->missing_place), 5);
    assert_int_equal(x->solver.n_options, 0);
    assert_same_bits(x->from->number.value, 0.0);
    assert_same_bits(x->until->number.value, 100.0);
    assert_same_bits(x->every->number.value, 1.5);
    assert_int_equal(x->n_records, 2);
    assert_string_equal(x->records[0].parts[0].name, "b4");
    assert_string_equal(x->records[1].parts[0].name, "b5");
    read_free(&r);
}

static void test_settings_are_read(void **state)
{
    (void)state;
    Read r = read_text("$TimeStep=0.25\n$STARTTIME = -2\n$endtime =\t1e1 ; s\n"
                       "$title = A spring; with mass\nI,1,0,1\nO,2,1\n");
    assert_true(r.ok);
    const AstExperiment *x = &r.ast.experiments.items[0];
    assert_null(x->missing);
    assert_null(x->every);    // at every step
    assert_same_bits(x->from->number.value, -2.0);
    assert_same_bits(x->until->number.value, 10.0);
    assert_int_equal(x->solver.n_options, 1);
    assert_string_equal(x->solver.options[0].target.parts[0].name, "step");
    assert_same_bits(x->solver.options[0].value->number.value, 0.25);
    assert_string_equal(r.ast.models.items[0].doc, "A spring");
    read_free(&r);
}

// Every kind of the table, by its example: the number is 3 unless more inputs are needed.
static void test_every_example_of_the_table_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < csmp_n_blocks; i++) {
        const CsmpBlock *block = &csmp_blocks[i];
        StrBuf s = { 0 };
        const long number = strtol(strchr(block->example, ',') + 1, NULL, 10);
        for (long k = 1; k < number; k++) str_addf(&s, "K, %ld, %ld\n", k, k);
        str_addf(&s, "%s\nO, 9, %ld\n", block->example, number);
        Read r = read_blocks(s.p);
        if (!r.ok) show_messages(&r);
        assert_true(r.ok);
        assert_int_equal(orr_diag_count(r.diag), 0);
        char name[16];
        snprintf(name, sizeof name, "b%ld", number);
        assert_non_null(find_value(&r, name));
        assert_true(strlen(block->summary) > 3);
        read_free(&r);
        str_free(&s);
    }
}

static const struct Case {
    const char *line, *expected;    // of block 9; blocks 1 to 4 are constants
} cases[] = {
    { "W, 9, 2.5, 1", "2.5*b1" },
    { "W, 9, 2.5, 1, -3, 2", "2.5*b1-3*b2" },
    { "W, 9, -2, 1, 3, 2, 0.5, 3", "-2*b1+3*b2+0.5*b3" },
    { "W, 9, 1, 1, -1, 2", "b1-b2" },
    { "+, 9, 7, 1", "b1" },
    { "+, 9, -7, 1", "-b1" },
    { "+, 9, 7, 1, -0.001, 2, 4, 3", "b1-b2+b3" },
    { "+, 9, 0, 1, 1, 2", "0*b1+b2" },
    { "I, 9, -1.5, 1", "INTEG(b1,-1.5)" },
    { "-, 9, 1", "-b1" },
    { "X, 9, 1, 2", "b1*b2" },
    { "/, 9, 1, 2", "b1/b2" },
    { "O, 9, 2", "b2" },
    { "K, 9, 2.5", "2.5" },
    { "GAIN, 9, -3, 1", "-3*b1" },
    { "OFFSET, 9, 4, 1", "b1+4" },
    { "OFFSET, 9, -4.5, 1", "b1-4.5" },
    { "POW, 9, 1, 2", "b1^b2" },
    { "MIN, 9, 1, 2", "min(b1,b2)" },
    { "MAX, 9, 1, 2", "max(b1,b2)" },
    { "ABS, 9, 1", "abs(b1)" },
    { "SIGN, 9, 1", "sign(b1)" },
    { "SQRT, 9, 1", "sqrt(b1)" },
    { "EXP, 9, 1", "exp(b1)" },
    { "LOG, 9, 1", "log(b1)" },
    { "LOG10, 9, 1", "log10(b1)" },
    { "SIN, 9, 1", "sin(b1)" },
    { "COS, 9, 1", "cos(b1)" },
    { "TAN, 9, 1", "tan(b1)" },
    { "ASIN, 9, 1", "asin(b1)" },
    { "ACOS, 9, 1", "acos(b1)" },
    { "ATAN, 9, 1", "atan(b1)" },
    { "ATAN2, 9, 1, 2", "atan2(b1,b2)" },
    { "SINH, 9, 1", "sinh(b1)" },
    { "COSH, 9, 1", "cosh(b1)" },
    { "TANH, 9, 1", "tanh(b1)" },
    { "FLOOR, 9, 1", "floor(b1)" },
    { "CEIL, 9, 1", "ceil(b1)" },
    { "ROUND, 9, 1", "round(b1)" },
    { "MOD, 9, 1, 2", "mod(b1,b2)" },
    { "LIMIT, 9, -1, 2, 3", "limit(b3,-1,2)" },
    { "DEADSPACE, 9, -1, 2, 3", "deadspace(b3,-1,2)" },
    { "QUANTIZE, 9, 0.5, 3", "0.5*floor(b3/0.5+0.5)" },
    { "RELAY, 9, 1, 2, 3", "ifb1<0thenb2elseb3" },
    { "FCNSW, 9, 1, 2, 3, 4", "ifb1<0thenb2elseif0<b1thenb4elseb3" },
    { "COMPAR, 9, 1, 2", "ifb1<b2then0else1" },
    { "NOT, 9, 1", "if0<b1then0else1" },
    { "OR, 9, 1, 2", "if0<b1then1elseif0<b2then1else0" },
    { "TIME, 9", "t" },
    { "STEP, 9, 2", "step(2)" },
    { "RAMP, 9, -2", "ramp(-2)" },
    { "PULSE, 9, 1, 0.5, 2", "pulse(1,0.5,2)" },
    { "PULSE, 9, 1, 0.5", "pulse(1,0.5)" },
    { "DELAY, 9, 0.5, 2", "delay(b2,0.5)" },
    { "LAG, 9, 1, 2.5, 3", "INTEG((b3-b9)/2.5,1)" },
    { "FUNCTION, 9, 1, 0, 0, 1, 2", "table(b1,0,0,1,2)" },
    { "FUNCTION, 9, 1, 0, 0, 1, 2, 4, -3, 5, 0", "table(b1,0,0,1,2,4,-3,5,0)" },
    // names in any case, the names of CSMP III, white space anywhere, comments behind
    { " i,9,1,2", "INTEG(b2,1)" },
    { "x , 9,1 ,\t2;product", "b1*b2" },
    { "Sin, 009, 1 ;", "sin(b1)" },
    { "\tINTGRL\t,\t9\t,\t1.\t,\t2\t", "INTEG(b2,1)" },
    { "INSW, 9, 1, 2, 3", "ifb1<0thenb2elseb3" },
    { "AFGEN, 9, 1, 0, 0, 1, 2", "table(b1,0,0,1,2)" },
    { "DEADSP, 9, -1, 2, 3", "deadspace(b3,-1,2)" },
    { "REALPL, 9, 1, 2.5, 3", "INTEG((b3-b9)/2.5,1)" },
    { "*, 9, 1, 2", "b1*b2" },
    { "K, 9, 1e-3", "0.001" },
};

static void test_each_block_becomes_its_equation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        StrBuf s = { 0 };
        str_addf(&s, "%s\nK,1,1\nK,2,2\nK,3,3\nK,4,4\nO,10,9\n", cases[i].line);
        Read r = read_blocks(s.p);
        if (!r.ok) show_messages(&r);
        assert_true(r.ok);
        assert_equals(&r, "b9", cases[i].expected);
        read_free(&r);
        str_free(&s);
    }
}

// discrete b9 = IC; next b9 = input every T; and blocks behind it are where they were
static void test_a_z_delay_is_a_discrete_variable(void **state)
{
    (void)state;
    Read r = read_blocks("TIME, 1\nZDELAY, 9, 0.5, 2, 1\nGAIN, 10, 3, 9\nO, 11, 10\n");
    if (!r.ok) show_messages(&r);
    assert_true(r.ok);
    const AstModel *model = &r.ast.models.items[0];
    assert_int_equal(model->n_items, 5);
    const AstItem *decl = &model->items[1], *next = &model->items[2];
    assert_int_equal(decl->kind, AST_DECL);
    assert_int_equal(decl->decl.kind, AST_DISCRETE);
    assert_string_equal(decl->decl.name, "b9");
    assert_true(decl->decl.value->number.value == 0.5);
    assert_int_equal(next->kind, AST_EVENT);
    assert_int_equal(next->event->kind, AST_NEXT);
    assert_true(next->event->time->number.value == 2);
    assert_string_equal(next->event->body->assign.target.parts[0].name, "b9");
    assert_string_equal(next->event->body->assign.value->ref.parts[0].name, "b1");
    assert_equals(&r, "b10", "3*b9");
    read_free(&r);
}

static void test_constants_are_parameters(void **state)
{
    (void)state;
    Read r = read_blocks("K, 7, 9.81 ; gravity\nI, 1, 0, 7\nO, 2, 1\n");
    const AstItem *item = find_item(&r, "b7");
    assert_int_equal(item->kind, AST_DECL);
    assert_int_equal(item->decl.kind, AST_PARAM);
    assert_string_equal(item->decl.doc, "gravity");
    assert_int_equal(find_item(&r, "b1")->kind, AST_EQUATION);
    read_free(&r);
}

// The definition of the documents, computed beside it: W sums Pi*ei, + sums sign(Pi)*ei.
static double evaluate(const AstExpr *e, const double *blocks)
{
    if (e->kind == AST_NUMBER) return e->number.value;
    if (e->kind == AST_REF) return blocks[strtol(e->ref.parts[0].name + 1, NULL, 10)];
    const double a = evaluate(e->operands.a, blocks);
    if (e->kind == AST_UNARY && e->op == AST_NEG) return -a;
    assert_int_equal(e->kind, AST_BINARY);
    const double b = evaluate(e->operands.b, blocks);
    switch (e->op) {
    case AST_ADD: return a + b;
    case AST_SUB: return a - b;
    case AST_MUL: return a * b;
    default: fail(); return 0;
    }
}

static void test_sums_have_the_bits_of_their_definition(void **state)
{
    (void)state;
    unsigned seed = 12345;
    for (int round = 0; round < 2000; round++) {
        double p[3], blocks[4];
        const int n = 1 + round % 3;
        StrBuf s = { 0 };
        for (int i = 0; i < 3; i++) {
            seed = seed * 1664525u + 1013904223u;
            p[i] = (double)((int)(seed >> 24) % 7 - 3) / (double)(1 + (seed >> 20) % 3);
            seed = seed * 1664525u + 1013904223u;
            blocks[i + 1] = (double)(int)(seed >> 8) / 3e5 - 20;
            str_addf(&s, "K,%d,0\n", i + 1);
        }
        for (int kind = 0; kind < 2; kind++) {
            str_addf(&s, "%s,%d", kind ? "+" : "W", 8 + kind);
            for (int i = 0; i < n; i++) str_addf(&s, ",%.17g,%d", p[i], i + 1);
            str_add(&s, "\n");
        }
        str_add(&s, "O,10,8\n");
        double weighted = p[0] * blocks[1], sum = ((p[0] > 0) - (p[0] < 0)) * blocks[1];
        for (int i = 1; i < n; i++) {
            weighted += p[i] * blocks[i + 1];
            sum += ((p[i] > 0) - (p[i] < 0)) * blocks[i + 1];
        }
        Read r = read_blocks(s.p);
        assert_true(r.ok);
        assert_near(evaluate(find_value(&r, "b8"), blocks), weighted, 0);
        assert_near(evaluate(find_value(&r, "b9"), blocks), sum, 0);
        read_free(&r);
        str_free(&s);
    }
}

static char *whole_text(const Read *r)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    ast_print(&r->ast, out);
    fclose(out);
    return text;
}

static void test_the_order_of_lines_makes_no_difference(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "I, 10, 0, 30",  "I, 2, 1, 10",  "-, 30, 2",           "O, 4, 10",
        "O, 5, 2",       "K, 700, 2.5",  "X, 6, 700, 2",       "$endtime = 100",
        "$timestep = 1", "SIN, 31, 700", "LIMIT, 8, 0, 1, 31", "; a comment"
    };
    enum { N = sizeof lines / sizeof *lines };
    char *first = NULL;
    unsigned seed = 7;
    for (int round = 0; round < 200; round++) {
        size_t order[N];
        for (size_t i = 0; i < N; i++) order[i] = i;
        for (size_t i = N - 1; i > 0 && round > 0; i--) {
            seed = seed * 1664525u + 1013904223u;
            const size_t k = (seed >> 16) % (i + 1), other = order[i];
            order[i] = order[k];
            order[k] = other;
        }
        StrBuf s = { 0 };
        for (size_t i = 0; i < N; i++) str_addf(&s, "%s\n", lines[order[i]]);
        Read r = read_text(s.p);
        assert_true(r.ok);
        char *text = whole_text(&r);
        if (!first) first = strdup(text);
        assert_string_equal(text, first);
        // equations follow the block numbers, which the in-place update relies on
        const AstModel *model = &r.ast.models.items[0];
        long last = 0;
        for (uint32_t i = 0; i < model->n_items; i++) {
            const AstItem *item = &model->items[i];
            const char *name = item->kind == AST_DECL ? item->decl.name
                                                      : item->equation.lhs->ref.parts[0].name;
            const long number = strtol(name + 1, NULL, 10);
            assert_true(number > last);
            last = number;
        }
        free(text);
        read_free(&r);
        str_free(&s);
    }
    free(first);
}

static void test_line_ends_and_byte_order_mark(void **state)
{
    (void)state;
    Read unix_ends = read_text(circle);
    char *expected = whole_text(&unix_ends);
    StrBuf s = { 0 };
    for (int way = 0; way < 3; way++) {
        s.n = 0;
        str_add(&s, way == 2 ? "\xEF\xBB\xBF" : "");
        for (const char *p = circle; *p; p++) {
            if (*p != '\n') str_add_char(&s, *p);
            else str_add(&s, way == 1 ? "\r" : "\r\n");
        }
        if (way == 2) s.p[s.n -= 2] = '\0';    // and no end of the last line
        Read r = read_text(s.p);
        if (!r.ok) show_messages(&r);
        assert_true(r.ok);
        char *text = whole_text(&r);
        assert_string_equal(text, expected);
        free(text);
        read_free(&r);
    }
    str_free(&s);
    free(expected);
    read_free(&unix_ends);
}

static void test_model_names_are_valid(void **state)
{
    (void)state;
    static const struct {
        const char *path, *name;
    } names[] = {
        { "circle.csmp", "circle" },
        { "/a/b/two tanks-3.csmp", "two_tanks_3" },
        { "2nd.csmp", "model_2nd" },
    };
    const char text[] = "$endtime=1\n$timestep=1\nI,1,0,1\nO,2,1\n";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Read r = read_file_text(names[i].path, text, strlen(text));
        assert_true(r.ok);
        assert_string_equal(r.ast.models.items[0].name, names[i].name);
        assert_string_equal(r.ast.experiments.items[0].model, names[i].name);
        read_free(&r);
    }
}

static void test_without_outputs_the_integrators_are_recorded(void **state)
{
    (void)state;
    Read r = read_blocks("I, 20, 0, 3\nI, 4, 1, 20\n-, 3, 4\n");
    assert_true(r.ok);
    assert_int_equal(orr_diag_warnings(r.diag), 1);
    assert_string_equal(orr_diag_get(r.diag, 0).code, "W613");
    const AstExperiment *x = &r.ast.experiments.items[0];
    assert_int_equal(x->n_records, 2);
    assert_string_equal(x->records[0].parts[0].name, "b4");
    assert_string_equal(x->records[1].parts[0].name, "b20");
    read_free(&r);
}

// The reference is complete: the form, the summary and the example of every kind stand in it.
static void test_every_kind_is_documented(void **state)
{
    (void)state;
    FILE *file = fopen("docs/csmp.md", "r");    // tests run in the folder of the sources
    assert_non_null(file);
    StrBuf doc = { 0 };
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;) str_add_text(&doc, (Text){ buffer, n });
    fclose(file);
    for (size_t i = 0; i < csmp_n_blocks; i++) {
        const CsmpBlock *b = &csmp_blocks[i];
        StrBuf row = { 0 };
        str_addf(&row, "| `%s` | `%s` | %s", b->form, b->rule, b->summary);
        assert_contains(doc.p, row.p);
        row.n = 0;
        str_addf(&row, "| `%s` |", b->example);
        assert_contains(doc.p, row.p);
        str_free(&row);
    }
    str_free(&doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circle_becomes_a_model),
        cmocka_unit_test(test_circle_becomes_an_experiment),
        cmocka_unit_test(test_settings_are_read),
        cmocka_unit_test(test_every_example_of_the_table_is_read),
        cmocka_unit_test(test_each_block_becomes_its_equation),
        cmocka_unit_test(test_a_z_delay_is_a_discrete_variable),
        cmocka_unit_test(test_constants_are_parameters),
        cmocka_unit_test(test_sums_have_the_bits_of_their_definition),
        cmocka_unit_test(test_the_order_of_lines_makes_no_difference),
        cmocka_unit_test(test_line_ends_and_byte_order_mark),
        cmocka_unit_test(test_model_names_are_valid),
        cmocka_unit_test(test_every_kind_is_documented),
        cmocka_unit_test(test_without_outputs_the_integrators_are_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

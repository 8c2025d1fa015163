// tests/unit/ir/test_lower.c: which statements each program consists of.
#include "check.h"
#include "ir/ir.h"
#include "make_flat.h"

typedef struct Lowered {
    Make   make;
    Blocks blocks;
    Ir     ir;
} Lowered;

static void lower(Lowered *l)
{
    const bool ok = order_sort(&l->blocks, &l->make.flat, &l->make.arena, l->make.diag) &&
                    ir_lower(&l->ir, &l->blocks, &l->make.arena, l->make.diag);
    if (!ok) orr_diag_print(l->make.diag, stderr, 0);
    assert_true(ok);
}

// Variables that a program computes, as text: "y z".
static const char *computed(const Lowered *l, const IrProgram *program)
{
    Arena *arena = (Arena *)&l->make.arena;
    const char *text = "";
    for (uint32_t i = 0; i < program->n_statements; i++) {
        const IrStatement *s = &program->statements[i];
        if (s->kind == IR_LOCAL)
            text = arena_printf(arena, "%s%s%s", text, *text ? " " : "",
                                l->make.flat.vars.items[s->index].name);
    }
    return text;
}

// x' = a, a = p*x, b = a + 1, c = d (alias), d = sin(t), z' = d + c
static void make_example(Lowered *l)
{
    memset(l, 0, sizeof *l);
    make_init(&l->make);
    Make *m = &l->make;
    const Expr p = make_param(m, "p", make_number(m, 2)), x = make_var(m, "x"), a = make_var(m, "a"),
               b = make_var(m, "b");
    const Expr c = make_var(m, "c"), d = make_var(m, "d"), z = make_var(m, "z");
    make_at(m, x)->start = make_number(m, 1);
    make_at(m, z)->start = make_number(m, 2);
    make_equation(m, make_der(m, x), make_add(m, a, z));
    make_equation(m, a, make_mul(m, p, x));
    make_equation(m, b, make_add(m, a, make_number(m, 1)));
    make_equation(m, c, d);
    make_equation(m, d, make_call(m, EXPR_SIN, expr_time(&m->flat.pool)));
    make_equation(m, make_der(m, z), make_add(m, d, c));
}

static void test_programs_are_slices(void **state)
{
    (void)state;
    Lowered l;
    make_example(&l);
    Make *m = &l.make;
    const FlatAssert assertion = { .condition = make_op(m, EXPR_GT,
                                                        expr_var(&m->flat.pool, flat_find(&m->flat, "b")),
                                                        make_number(m, 0), EXPR_NONE) };
    vec_push(&m->arena, &m->flat.asserts, assertion);
    lower(&l);
    // b is not needed, c is another name
    const char *rates = computed(&l, &l.ir.programs[IR_RATES]);
    assert_null(strchr(rates, 'b'));
    assert_null(strchr(rates, 'c'));
    assert_non_null(strchr(rates, 'a'));
    assert_non_null(strchr(rates, 'd'));
    // the assertion needs a, then b, and no derivative
    assert_string_equal(computed(&l, &l.ir.programs[IR_ASSERTS]), "a b");
    // values begin like the rates
    const IrProgram *r = &l.ir.programs[IR_RATES], *v = &l.ir.programs[IR_VALUES];
    for (uint32_t i = 0, k = 0; i < r->n_statements; i++) {
        if (r->statements[i].kind != IR_LOCAL) continue;
        assert_int_equal(r->statements[i].index, v->statements[k].index);
        assert_true(v->statements[k++].equation < l.blocks.dynamic.n_equations);
    }
    // every variable but the parameter is kept
    assert_int_equal(v->n_statements, m->flat.vars.n - 1);
    assert_true(v->keeps);
    make_free(&l.make);
}

static void test_the_layout_has_a_place_for_everything(void **state)
{
    (void)state;
    Lowered l;
    make_example(&l);
    lower(&l);
    const IrLayout *layout = &l.ir.layout;
    bool *taken = calloc(layout->n_values, sizeof *taken);
    for (uint32_t i = 0; i < l.make.flat.vars.n; i++) {
        assert_true(layout->place[i] < layout->first_guess);
        assert_false(taken[layout->place[i]]);
        taken[layout->place[i]] = true;
    }
    assert_int_equal(layout->place[0], 0);
    assert_int_equal(l.blocks.n_states, 2);
    assert_int_equal(layout->state_of[flat_find(&l.make.flat, "z")], 1);
    assert_int_equal(layout->state_of[flat_find(&l.make.flat, "a")], FLAT_NONE);
    free(taken);
    make_free(&l.make);
}

static void test_the_pattern_follows_aliases_and_chains(void **state)
{
    (void)state;
    Lowered l;
    make_example(&l);
    lower(&l);
    // x' reads x (through a) and z; z' reads neither
    assert_true(l.ir.has_pattern);
    assert_int_equal(l.ir.pattern.n, 2);
    assert_int_equal(l.ir.pattern.start[0], 0);
    assert_int_equal(l.ir.pattern.start[1], 1);
    assert_int_equal(l.ir.pattern.start[2], 2);
    assert_int_equal(l.ir.pattern.row[0], 0);
    assert_int_equal(l.ir.pattern.row[1], 0);
    assert_true(l.ir.has_jacobian);
    make_free(&l.make);
}

// y_k = y_(k-1) + x_(k/m), x_i' = y_(m·i + m - 1): column j has the rows from j on. With long chains it is
// found for many states together, with short ones for each alone.
static void check_triangle(uint32_t n, uint32_t m)
{
    Lowered l = { 0 };
    make_init(&l.make);
    Make *make = &l.make;
    Expr *x = calloc(n, sizeof *x), before = make_number(make, 0);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = make_var(make, arena_printf(&make->arena, "x%u", i));
        make_at(make, x[i])->start = make_number(make, 1);
    }
    for (uint32_t k = 0; k < n * m; k++) {
        const Expr y = make_var(make, arena_printf(&make->arena, "y%u", k));
        make_equation(make, y, make_add(make, before, make_mul(make, x[k / m], make_number(make, k + 2))));
        before = y;
        if (k % m == m - 1) make_equation(make, make_der(make, x[k / m]), y);
    }
    lower(&l);
    assert_true(l.ir.has_pattern);
    assert_int_equal(l.ir.pattern.n, n * (n + 1) / 2);
    for (uint32_t j = 0; j < n; j++) {
        assert_int_equal(l.ir.pattern.start[j + 1] - l.ir.pattern.start[j], n - j);
        for (uint32_t k = 0; k < n - j; k++)
            assert_int_equal(l.ir.pattern.row[l.ir.pattern.start[j] + k], j + k);
    }
    free(x);
    make_free(make);
}

static void test_the_pattern_of_long_chains(void **state)
{
    (void)state;
    check_triangle(10, 2);
    check_triangle(200, 10);
    check_triangle(65, 100);
}

// x'' = -x: the rate of x is a state itself.
static void test_a_rate_may_be_a_state(void **state)
{
    (void)state;
    Lowered l = { 0 };
    make_init(&l.make);
    Make *m = &l.make;
    const Expr x = make_var(m, "x"), v = make_der(m, x), a = make_der(m, v);
    make_at(m, x)->start = make_number(m, 1);
    make_at(m, v)->start = make_number(m, 0);
    make_equation(m, a, make_neg(m, x));
    lower(&l);
    assert_int_equal(l.blocks.n_states, 2);
    assert_int_equal(l.ir.pattern.n, 2);
    assert_int_equal(l.ir.pattern.row[0], 1);    // column x
    assert_int_equal(l.ir.pattern.row[1], 0);    // column x'
    make_free(m);
}

// A chain x_i' = y_i, y_i = x_i - x_(i+1): before the update of x_i only y_i is computed, each once.
static void test_in_place_computes_only_what_is_stale(void **state)
{
    (void)state;
    enum { N = 50 };
    Lowered l = { 0 };
    make_init(&l.make);
    Make *m = &l.make;
    Expr x[N + 1];
    for (int i = 0; i <= N; i++) {
        x[i] = make_var(m, arena_printf(&m->arena, "x%d", i));
        make_at(m, x[i])->start = make_number(m, i);
    }
    for (int i = 0; i < N; i++) {
        const Expr y = make_var(m, arena_printf(&m->arena, "y%d", i));
        make_equation(m, y, make_sub(m, x[i], x[i + 1]));
        make_equation(m, make_der(m, x[i]), make_mul(m, y, y));
    }
    make_equation(m, make_der(m, x[N]), make_number(m, 1));
    lower(&l);
    assert_non_null(l.ir.one_rate);
    for (int i = 0; i < N; i++) assert_int_equal(l.ir.one_rate[i].n_statements, 3);    // y, x', out
    make_free(m);
}

// s = x_1 + … + x_n is read by every rate: computed anew before each update.
static void test_in_place_computes_again_what_an_update_changed(void **state)
{
    (void)state;
    enum { N = 20 };
    Lowered l = { 0 };
    make_init(&l.make);
    Make *m = &l.make;
    const Expr s = make_var(m, "s"), once = make_var(m, "once");
    Expr sum = make_number(m, 0);
    make_equation(m, once, make_call(m, EXPR_SIN, expr_time(&m->flat.pool)));
    for (int i = 0; i < N; i++) {
        const Expr x = make_var(m, arena_printf(&m->arena, "x%d", i));
        make_at(m, x)->start = make_number(m, i);
        make_equation(m, make_der(m, x), make_mul(m, s, once));
        sum = make_add(m, sum, x);
    }
    make_equation(m, s, sum);
    lower(&l);
    for (int i = 0; i < N; i++) assert_int_equal(l.ir.one_rate[i].n_statements, i == 0 ? 4 : 3);
    make_free(m);
}

static void test_verify_finds_a_variable_that_is_never_computed(void **state)
{
    (void)state;
    Lowered l;
    make_example(&l);
    lower(&l);
    assert_true(ir_verify(&l.ir));
    IrProgram *rates = &l.ir.programs[IR_RATES];
    const IrStatement first = rates->statements[0];
    assert_int_equal(first.kind, IR_LOCAL);
    rates->statements[0] = rates->statements[rates->n_statements - 1];
    rates->statements[rates->n_statements - 1] = first;
    assert_false(ir_verify(&l.ir));
    make_free(&l.make);
}

static void test_print_shows_the_programs(void **state)
{
    (void)state;
    Lowered l;
    make_example(&l);
    lower(&l);
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    ir_print(&l.ir, out);
    fclose(out);
    assert_contains(text, "states: x z\n");
    assert_contains(text, "program rates\n");
    assert_contains(text, "    a := p*x\n");
    assert_contains(text, "    keep c := d\n");
    assert_contains(text, "in place, before z\n");
    assert_contains(text, "2 of 4 derivatives by states, as expressions\n");
    free(text);
    make_free(&l.make);
}

// A loop in the way of the derivatives: differences then, along the pattern.
static void test_no_jacobian_through_loops(void **state)
{
    (void)state;
    Lowered l = { 0 };
    make_init(&l.make);
    Make *m = &l.make;
    const Expr x = make_var(m, "x"), y = make_var(m, "y"), z = make_var(m, "z");
    make_at(m, x)->start = make_number(m, 1);
    make_at(m, z)->start = make_number(m, 1);
    make_equation(m, make_add(m, make_call(m, EXPR_EXP, y), y), x);
    make_equation(m, make_der(m, x), y);
    make_equation(m, make_der(m, z), x);
    lower(&l);
    assert_false(l.ir.has_jacobian);
    assert_int_equal(l.ir.n_jacobian, 0);
    assert_true(l.ir.has_pattern);
    assert_int_equal(l.ir.pattern.n, 2);
    assert_int_equal(l.ir.pattern.start[1], 2);
    assert_int_equal(l.ir.layout.n_guesses, 1);
    make_free(m);
}

// 100,000 equations one behind the other: nothing may recurse or be quadratic.
static void test_long_chains(void **state)
{
    (void)state;
    Lowered l = { 0 };
    make_init(&l.make);
    Make *m = &l.make;
    const Expr x = make_var(m, "x");
    make_at(m, x)->start = make_number(m, 1);
    Expr before = x;
    for (int i = 0; i < 100000; i++) {
        const Expr y = make_var(m, arena_printf(&m->arena, "y%d", i));
        make_equation(m, y, i % 2 ? before : make_add(m, before, make_number(m, 1)));
        before = y;
    }
    make_equation(m, make_der(m, x), before);
    lower(&l);
    // the first reads a state, all others a variable; the last is the result
    const IrProgram *rates = &l.ir.programs[IR_RATES];
    assert_int_equal(rates->n_statements, 3);
    assert_int_equal(rates->statements[1].kind, IR_LOOP);
    const IrLoop *loop = &l.ir.loops.items[rates->statements[1].index];
    assert_int_equal(loop->count[0], 50000 - 2);
    assert_int_equal(l.ir.pattern.n, 1);
    make_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs_are_slices),
        cmocka_unit_test(test_the_layout_has_a_place_for_everything),
        cmocka_unit_test(test_the_pattern_follows_aliases_and_chains),
        cmocka_unit_test(test_the_pattern_of_long_chains),
        cmocka_unit_test(test_a_rate_may_be_a_state),
        cmocka_unit_test(test_in_place_computes_only_what_is_stale),
        cmocka_unit_test(test_in_place_computes_again_what_an_update_changed),
        cmocka_unit_test(test_verify_finds_a_variable_that_is_never_computed),
        cmocka_unit_test(test_print_shows_the_programs),
        cmocka_unit_test(test_no_jacobian_through_loops),
        cmocka_unit_test(test_long_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/unit/code/test_programs.c: the programs of small models compute what their equations say.
#include "make_code.h"

// X' = X(alpha - beta Y), Y' = Y(gamma X - delta)
static void make_predators(Built *b)
{
    Make *m = &b->make;
    const Expr alpha = make_param(m, "alpha", make_number(m, 1.5)), beta = make_param(m, "beta", make_number(m, 1));
    const Expr gamma = make_param(m, "gamma", make_number(m, 1)), delta = make_param(m, "delta", make_number(m, 3));
    const Expr x = make_var(m, "X"), y = make_var(m, "Y");
    make_at(m, x)->start = make_number(m, 10);
    make_at(m, y)->start = make_number(m, 5);
    make_equation(m, make_der(m, x), make_mul(m, x, make_sub(m, alpha, make_mul(m, beta, y))));
    make_equation(m, make_der(m, y), make_mul(m, y, make_sub(m, make_mul(m, gamma, x), delta)));
}

static void test_rates_of_predators(void **state)
{
    (void)state;
    Built b;
    built_init(&b);
    make_predators(&b);
    built_finish(&b, CODE_INSTANT);
    if (getenv("SHOW")) {
        ir_print(&b.ir, stdout);
        Arena a = { 0 };
        puts(code_text(&b.ir, CODE_PART_ALL, &a).p);
        arena_free(&a);
    }
    assert_int_equal(built_start(&b, 0), 0);
    assert_same_bits(b.x[0], 10.0);
    assert_same_bits(b.x[1], 5.0);
    double rates[2];
    assert_int_equal(built_run(&b, IR_RATES, 0, rates), 0);
    assert_same_bits(rates[0], 10 * (1.5 - 1 * 5.0));
    assert_same_bits(rates[1], 5 * (1 * 10.0 - 3));
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates_of_predators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/api/test_native.c: an atomic in C that is linked into the program, as a component of a model text.
#include "lab.h"
#include "orrery/orrery.h"
#include "../../examples/native/smooth.c"

static const char text[] = "atomic Smooth native\n"
                           "  param part = 0.5\n"
                           "  input event value\n"
                           "  output event smooth\n"
                           "  var count, level\n"
                           "end\n"
                           "atomic Steps\n"
                           "  output event value\n"
                           "  var n = 1\n"
                           "  state waiting for 1\n"
                           "    after send value(n) do n := n + 1 -> waiting\n"
                           "end\n"
                           "model M\n"
                           "  steps : Steps\n"
                           "  a[3] : Smooth\n"
                           "  steps.value -> a[1].value\n"
                           "  a[1].smooth -> a[2].value\n"
                           "end\n";

static Lab bench_with(const orr_native *linked)
{
    orr_compile_options options = orr_compile_options_default();
    options.linked = &linked;
    options.n_linked = linked != NULL;
    return lab_try(text, &options);
}

static double value_of(orr_run *run, const Lab *b, const char *name)
{
    const size_t i = orr_model_find(b->model, name);
    assert_int_not_equal(i, (size_t)-1);
    return orr_run_value(run, i);
}

// 1, 2, 3 smoothed by halves: 1, 1.5, 2.25; and that again: 1, 1.25, 1.75
static void test_linked_in(void **state)
{
    (void)state;
    Lab b = bench_with(orr_native_atomics());
    if (!b.model) orr_diag_print(b.diag, stderr, 0);
    assert_non_null(b.model);
    orr_run_options options = orr_run_options_default();
    orr_run *run = orr_run_create(b.model, &options, b.diag);
    assert_non_null(run);
    assert_int_equal(orr_run_advance(run, 3.5), ORR_STATUS_OK);
    assert_true(value_of(run, &b, "a[1].level") == 2.25);
    assert_true(value_of(run, &b, "a[2].level") == 1.75);
    assert_true(value_of(run, &b, "a[2].count") == 3);
    assert_true(value_of(run, &b, "a[3].count") == 0);
    assert_int_equal(orr_model_find(b.model, "a[1].state"), (size_t)-1);
    orr_run_destroy(run);
    lab_close(&b);
}

static void expect_code(const orr_native *linked, const char *code)
{
    Lab b = bench_with(linked);
    assert_null(b.model);
    assert_int_equal(orr_diag_count(b.diag), 1);
    assert_string_equal(orr_diag_get(b.diag, 0).code, code);
    lab_close(&b);
}

static void test_refused(void **state)
{
    (void)state;
    expect_code(NULL, "E875");
    const orr_native none = { .version = ORR_DEVS_VERSION };
    expect_code(&none, "E875");
    // of another version nothing else is looked at
    const orr_native old = { .version = ORR_DEVS_VERSION + 1, .n_atomics = 1000, .atomics = (const void *)8 };
    expect_code(&old, "E877");
    const orr_native lost = { .version = ORR_DEVS_VERSION, .n_atomics = 1 };
    expect_code(&lost, "E876");
    const orr_native_atomic empty = { 0 };
    const orr_native hollow = { .version = ORR_DEVS_VERSION, .n_atomics = 1, .atomics = &empty };
    expect_code(&hollow, "E876");
    orr_native_atomic bare = { .atomic = &atomic, .n_params = 1, .n_variables = 2 };
    const orr_native unnamed = { .version = ORR_DEVS_VERSION, .n_atomics = 1, .atomics = &bare };
    expect_code(&unnamed, "E878");
    bare.params = params;
    expect_code(&unnamed, "E878");    // no variables
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_linked_in), cmocka_unit_test(test_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

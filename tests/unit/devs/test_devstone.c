// tests/unit/devs/test_devstone.c: the numbers of transitions of DEVStone, by the published formulas.
#include "check.h"
#include "devstone.h"

static void counts(const char *kind, int w, int d)
{
    orr_diag *diag = orr_diag_create();
    orr_devs *model = devstone_build(kind, w, d, diag);
    assert_true(orr_devs_finish(model));
    const orr_devs_options options = orr_devs_options_default();
    orr_devs_run *run = orr_devs_run_create(model, &options, diag);
    assert_true(orr_devs_run_send(run, 1, 0, &(int64_t){ 1 }));
    assert_true(orr_devs_run_send(run, 1, 1, &(int64_t){ 1 }));
    assert_int_equal(orr_devs_run_advance(run, 2), ORR_STATUS_OK);
    const orr_devs_facts facts = orr_devs_run_facts(run);
    const uint64_t W = (uint64_t)w, D = (uint64_t)d;
    const bool is_mod = strcmp(kind, "HOmod") == 0;
    assert_int_equal(facts.n_components, (is_mod ? (W - 1) + W * (W - 1) / 2 : W - 1) * (D - 1) + 1);
    assert_int_equal(facts.n_internal, devstone_transitions(kind, W, D));
    assert_int_equal(facts.n_external, devstone_transitions(kind, W, D));
    uint64_t n = 0;
    for (uint32_t i = 0; i < facts.n_components; i++)
        n += ((const Stone *)orr_devs_run_state(run, i))->n_internal;
    assert_int_equal(n, facts.n_internal);
    orr_devs_run_destroy(run);
    orr_devs_destroy(model);
    orr_diag_destroy(diag);
}

static void test_devstone_counts_are_those_of_the_formulas(void **state)
{
    (void)state;
    static const int sizes[][2] = { { 2, 1 }, { 2, 2 }, { 3, 2 }, { 2, 5 }, { 5, 5 }, { 9, 4 }, { 20, 20 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        counts("LI", sizes[i][0], sizes[i][1]);
        counts("HI", sizes[i][0], sizes[i][1]);
        counts("HO", sizes[i][0], sizes[i][1]);
        counts("HOmod", sizes[i][0], sizes[i][1]);
    }
}

// The formulas themselves: published totals.
static void test_devstone_formulas_give_published_totals(void **state)
{
    (void)state;
    assert_int_equal(devstone_transitions("HOmod", 20, 20), 689872);
    assert_int_equal(devstone_transitions("HOmod", 30, 30), 5500982);
    assert_int_equal(devstone_transitions("HI", 300, 300), 300 * 299 / 2 * 299 + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devstone_counts_are_those_of_the_formulas),
        cmocka_unit_test(test_devstone_formulas_give_published_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

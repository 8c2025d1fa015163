// tests/unit/model/test_model.c: what a compiled model says about itself.
#include "check.h"
#include "fake_model.h"

static int rates(double t, const double *x, const CodeEnv *env, double *out)
{
    (void)t, (void)x, (void)env;
    out[0] = out[1] = 0;
    return 0;
}

static orr_model *make(void)
{
    return fake_model((Fake){
        .n_states = 2, .states = { "level", "speed" }, .n_params = 1, .params = { "gain" }, .rates = rates });
}

static void test_model_names_its_variables_and_their_kinds(void **state)
{
    (void)state;
    static const struct { const char *name; orr_kind kind; } expected[] = {
        { "gain", ORR_KIND_PARAM },  { "level", ORR_KIND_STATE }, { "speed", ORR_KIND_STATE },
        { "level'", ORR_KIND_RATE }, { "speed'", ORR_KIND_RATE },
    };
    orr_model *model = make();
    assert_string_equal(orr_model_name(model), "Fake");
    assert_string_equal(orr_model_time_unit(model), "s");
    model->flat.time_unit = "d";
    assert_string_equal(orr_model_time_unit(model), "d");
    assert_int_equal(orr_model_n_variables(model), 5);
    for (size_t i = 0; i < 5; i++) {
        const orr_variable v = orr_model_variable(model, i);
        assert_string_equal(v.name, expected[i].name);
        assert_int_equal(v.kind, expected[i].kind);
        assert_int_equal(orr_model_find(model, v.name), i);
    }
    // neither integrated nor the derivative of anything
    model->flat.vars.items[3].integral = FLAT_NONE;
    assert_int_equal(orr_model_variable(model, 3).kind, ORR_KIND_ALGEBRAIC);
    model->flat.vars.items[3].kind = FLAT_RESULT;
    assert_int_equal(orr_model_variable(model, 3).kind, ORR_KIND_RESULT);
    model->flat.vars.items[0].kind = FLAT_INPUT;
    assert_int_equal(orr_model_variable(model, 0).kind, ORR_KIND_INPUT);
    orr_model_destroy(model);
}

static void test_model_finds_names_and_near_misses(void **state)
{
    (void)state;
    orr_model *model = make();
    assert_true(orr_model_find(model, "levle") == (size_t)-1);
    assert_true(orr_model_find(model, "") == (size_t)-1);
    assert_string_equal(orr_model_closest(model, "levle"), "level");
    assert_null(orr_model_closest(model, "temperature"));
    // what the compiler made is not offered
    model->flat.vars.items[0].is_hidden = true;
    assert_null(orr_model_closest(model, "gian"));
    orr_model_destroy(model);
    orr_model_destroy(NULL);
}

static void test_model_counts(void **state)
{
    (void)state;
    orr_model *model = make();
    model->compile_ms = 1.5;
    model->blocks.dynamic.n_loops = 3;
    const orr_model_facts facts = orr_model_get_facts(model);
    assert_int_equal(facts.n_states, 2);
    assert_int_equal(facts.n_loops, 3);
    assert_int_equal(facts.n_relations, 0);
    assert_near(facts.compile_ms, 1.5, 0);
    assert_string_equal(facts.code, "instant");
    model->code.tier = CODE_NATIVE;
    assert_string_equal(orr_model_get_facts(model).code, "native");
    model->code.tier = CODE_INSTANT;
    orr_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_names_its_variables_and_their_kinds),
        cmocka_unit_test(test_model_finds_names_and_near_misses),
        cmocka_unit_test(test_model_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

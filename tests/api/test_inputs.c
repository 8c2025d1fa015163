// tests/api/test_inputs.c: inputs driven by the host program, and frames, through the public interface.
#include "check.h"
#include "orrery/orrery.h"

static const char text[] =
    "model M\n  param tau = 1\n  input u\n  input w = 2\n  var v = 0\n  tau*v' = u - v + w - 2\nend\n";

// Samples of a parabola, one after the other.
typedef struct Host {
    int n, most;
} Host;

static orr_sample next(void *self, double *t, double *value)
{
    Host *host = self;
    if (host->n == host->most) return ORR_SAMPLE_END;
    *t = 0.25 * host->n++;
    *value = *t * *t;
    return ORR_SAMPLE_OK;
}

static void test_a_host_program_drives_an_input(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse("m.orr", text, strlen(text), diag);
    Host host = { .most = 100 };
    orr_input input = orr_input_default();
    input.name = "u";
    input.source = "host";
    input.between = ORR_BETWEEN_CUBIC;
    input.next = next;
    input.self = &host;
    orr_compile_options options = orr_compile_options_default();
    options.inputs = &input;
    options.n_inputs = 1;
    orr_model *model = orr_model_compile(source, &options, diag);
    assert_non_null(model);
    orr_run_options run_options = orr_run_options_default();
    run_options.t_end = 4;
    run_options.tolerance = 1e-10;
    run_options.inputs = &input;
    run_options.n_inputs = 1;
    orr_run *run = orr_run_create(model, &run_options, diag);
    assert_non_null(run);
    assert_int_equal(orr_run_advance(run, 4), ORR_STATUS_OK);
    // v' = t^2 - v: v = t^2 - 2t + 2 - 2e^-t; a cubic is exact for a parabola
    assert_near(orr_run_value(run, orr_model_find(model, "v")), 16 - 8 + 2 - 2 * exp(-4), 1e-8);
    assert_near(orr_run_value(run, orr_model_find(model, "u")), 16, 1e-12);
    assert_true(host.n < 25);    // no more is asked for than is needed
    orr_run_destroy(run);

    // a model that was compiled otherwise is refused
    orr_model *other = orr_model_compile(source, NULL, diag);
    assert_null(other);    // u has no default
    input.between = ORR_BETWEEN_HOLD;
    orr_diag_clear(diag);
    assert_null(orr_run_create(model, &run_options, diag));
    assert_string_equal(orr_diag_get(diag, 0).code, "E432");
    orr_model_destroy(model);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
}

static void test_an_input_is_set_while_a_run_stands_still(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    static const char simple[] = "model M\n  param k = 1\n  input u = 1\n  var x = 0\n  x' = k*u\nend\n";
    orr_source *source = orr_source_parse("m.orr", simple, strlen(simple), diag);
    orr_model *model = orr_model_compile(source, NULL, diag);
    assert_non_null(model);
    const char *const solvers[] = { "euler", "rk4", "dopri5", "bdf" };
    for (size_t i = 0; i < 4; i++) {
        orr_run_options options = orr_run_options_default();
        options.solver = solvers[i];
        options.t_end = 3;
        options.step = 0.3;
        options.exact = true;
        orr_run *run = orr_run_create(model, &options, diag);
        const size_t u = orr_model_find(model, "u"), x = orr_model_find(model, "x");
        assert_int_equal(orr_run_advance(run, 1), ORR_STATUS_OK);
        assert_int_equal(orr_run_set(run, u, 5), ORR_STATUS_OK);
        assert_near(orr_run_value(run, u), 5, 0);
        assert_int_equal(orr_run_advance(run, 2), ORR_STATUS_OK);
        assert_int_equal(orr_run_set(run, u, -1), ORR_STATUS_OK);
        assert_int_equal(orr_run_advance(run, 3), ORR_STATUS_OK);
        assert_near(orr_run_value(run, x), 1 + 5 - 1, 1e-6);
        assert_int_equal(orr_diag_count(diag), 0);
        // a state jumps, and goes on from there
        assert_int_equal(orr_run_set(run, x, 10), ORR_STATUS_OK);
        assert_near(orr_run_value(run, x), 10, 0);
        assert_int_equal(orr_run_advance(run, 4), ORR_STATUS_OK);
        assert_near(orr_run_value(run, x), 10 - 1, 1e-6);
        // a parameter, from here on
        assert_int_equal(orr_run_set(run, orr_model_find(model, "k"), 3), ORR_STATUS_OK);
        assert_int_equal(orr_run_advance(run, 5), ORR_STATUS_OK);
        assert_near(orr_run_value(run, x), 9 - 3, 1e-6);
        // nothing else, only finite numbers
        assert_int_equal(orr_run_set(run, orr_model_find(model, "x'"), 1), ORR_STATUS_USAGE);
        assert_int_equal(orr_run_set(run, u, INFINITY), ORR_STATUS_USAGE);
        orr_run_destroy(run);
        orr_diag_clear(diag);
    }
    orr_model_destroy(model);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
}

static void test_claims_tell_where_they_were_left(void **state)
{
    (void)state;
    orr_diag *diag = orr_diag_create();
    static const char ramp[] = "model M\n  var x = 0\n  x' = 2\n  y = x^2\nend\n";
    orr_source *source = orr_source_parse("m.orr", ramp, strlen(ramp), diag);
    orr_model *model = orr_model_compile(source, NULL, diag);
    const orr_claim claims[] = { { .name = "x", .low = -1, .high = 5 }, { .name = "y", .low = 0, .high = 9 },
                                 { .name = "x", .low = -1, .high = 100 } };
    for (int stops = 0; stops < 2; stops++) {
        orr_run_options options = orr_run_options_default();
        options.t_end = 10;
        options.claims = claims;
        options.n_claims = 3;
        options.stop_outside = stops;
        orr_run *run = orr_run_create(model, &options, diag);
        assert_int_equal(orr_run_advance(run, 10), ORR_STATUS_OK);
        assert_int_equal(orr_run_is_over(run), stops);
        assert_near(orr_run_time(run), stops ? 1.5 : 10, 1e-9);
        orr_left left;
        assert_true(orr_run_left(run, 1, &left) || stops);
        bool found = false;
        for (size_t i = 0; orr_run_left(run, i, &left); i++) {
            if (strcmp(left.name, "y") != 0) continue;
            found = true;
            assert_near(left.t, 1.5, 1e-9);
            assert_near(left.value, 9, 1e-6);
        }
        assert_true(found);
        if (!stops) assert_int_equal(orr_run_get_facts(run).n_violations, 2);
        orr_run_destroy(run);
    }
    orr_model_destroy(model);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_host_program_drives_an_input),
        cmocka_unit_test(test_an_input_is_set_while_a_run_stands_still),
        cmocka_unit_test(test_claims_tell_where_they_were_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/unit/devs/test_build.c: names, numbers, and what cannot be built.
#include "bits.h"

static const orr_devs_port text_in[] = { { "in", "text", 8, 0 } };
static const orr_devs_port wide_in[] = { { "in", "number", 16, 0 } };
static const orr_devs_port needed_in[] = { { "in", "number", 8, 1 } };

static orr_atomic like_sink(const orr_devs_port *inputs)
{
    orr_atomic type = sink_type;
    type.inputs = inputs;
    type.n_inputs = 1;
    return type;
}

static orr_devs_part sink(Bench *b, orr_devs_part parent, const char *name)
{
    return orr_devs_add(b->model, parent, name, &sink_type, NULL);
}
static orr_devs_part relay(Bench *b, orr_devs_part parent, const char *name)
{
    return orr_devs_add(b->model, parent, name, &relay_type, &(double){ 1 });
}
static orr_devs_part box(Bench *b, orr_devs_part parent, const char *name)
{
    return orr_devs_add_coupled(b->model, parent, name, number_in, 2, number_out, 2);
}

static void named(const Bench *b, uint32_t component, const char *expected)
{
    char text[64];
    assert_int_equal(orr_devs_name(b->model, component, text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
}

// From the root down, by name; digits as numbers; arrays by index. A component stands before what its name
// is the beginning of.
static void test_build_numbers_components_by_name(void **state)
{
    (void)state;
    Bench b = bench_create();
    const orr_devs_part z = sink(&b, ORR_DEVS_ROOT, "z");
    const orr_devs_part shop10 = box(&b, ORR_DEVS_ROOT, "shop[10]");
    const orr_devs_part shop2 = box(&b, ORR_DEVS_ROOT, "shop[2]");
    const orr_devs_part cpu = orr_devs_add_array(b.model, shop2, "cpu", &relay_type, 12, &(double){ 1 }, 0);
    sink(&b, shop2, "b");
    const orr_devs_part inner = box(&b, shop10, "c");
    sink(&b, inner, "x07");
    sink(&b, inner, "x7");
    sink(&b, shop10, "a");
    sink(&b, ORR_DEVS_ROOT, "sho");
    assert_true(orr_devs_finish(b.model));
    static const char *const names[] = { "sho", "shop[2].b" };
    for (uint32_t i = 0; i < 2; i++) named(&b, i, names[i]);
    for (uint32_t i = 0; i < 12; i++) {
        char name[64];
        snprintf(name, sizeof name, "shop[2].cpu[%u]", i + 1);
        named(&b, 2 + i, name);
        assert_int_equal(orr_devs_component(b.model, cpu + i), 2 + i);
    }
    static const char *const rest[] = { "shop[10].a", "shop[10].c.x07", "shop[10].c.x7", "z" };
    for (uint32_t i = 0; i < 4; i++) named(&b, 14 + i, rest[i]);
    assert_int_equal(orr_devs_component(b.model, z), 17);
    assert_int_equal(orr_devs_component(b.model, shop10), ORR_DEVS_NONE);
    assert_int_equal(orr_devs_component(b.model, 999), ORR_DEVS_NONE);
    char small[6];
    assert_int_equal(orr_devs_name(b.model, 14, small, sizeof small), 10);
    assert_string_equal(small, "shop[");
    bench_end(&b);
}

// ---- What cannot be built

static void wrong_component(const char *text, orr_devs_part (*add)(Bench *b))
{
    Bench b = bench_create();
    assert_int_equal(add(&b), ORR_DEVS_NONE);
    bench_complains(&b, "E150", text);
    assert_false(orr_devs_finish(b.model));
    const orr_devs_options options = orr_devs_options_default();
    orr_diag_clear(b.diag);
    assert_null(orr_devs_run_create(b.model, &options, b.diag));
    bench_complains(&b, "E150", "not finished, or has errors");
    bench_end(&b);
}
static orr_devs_part in_nothing(Bench *b) { return sink(b, 77, "x"); }
static orr_devs_part in_an_atomic(Bench *b) { return sink(b, sink(b, ORR_DEVS_ROOT, "s"), "x"); }
static orr_devs_part without_a_name(Bench *b) { return sink(b, ORR_DEVS_ROOT, ""); }
static orr_devs_part with_a_point(Bench *b) { return sink(b, ORR_DEVS_ROOT, "a.b"); }
static orr_devs_part without_parameters(Bench *b)
{
    return orr_devs_add(b->model, ORR_DEVS_ROOT, "r", &relay_type, NULL);
}
static orr_devs_part of_another_version(Bench *b)
{
    orr_atomic type = sink_type;
    type.version++;
    return orr_devs_add(b->model, ORR_DEVS_ROOT, "s", &type, NULL);
}
static orr_devs_part without_advance(Bench *b)
{
    orr_atomic type = sink_type;
    type.advance = NULL;
    return orr_devs_add(b->model, ORR_DEVS_ROOT, "s", &type, NULL);
}
static orr_devs_part without_output(Bench *b)
{
    orr_atomic type = relay_type;
    type.output = NULL;
    return orr_devs_add(b->model, ORR_DEVS_ROOT, "s", &type, &(double){ 1 });
}

static void test_build_refuses_components_that_make_no_sense(void **state)
{
    (void)state;
    wrong_component("'x' cannot be added: the component it should be part of does not exist", in_nothing);
    wrong_component("an atomic component has no parts", in_an_atomic);
    wrong_component("is not empty", without_a_name);
    wrong_component("'a.b' cannot be added", with_a_point);
    wrong_component("it needs parameters", without_parameters);
    wrong_component("another version", of_another_version);
    wrong_component("no time advance", without_advance);
    wrong_component("no output function", without_output);
}

static void test_build_refuses_two_of_one_name(void **state)
{
    (void)state;
    Bench b = bench_create();
    const orr_devs_part shop = box(&b, ORR_DEVS_ROOT, "shop");
    sink(&b, shop, "s");
    relay(&b, shop, "s");
    sink(&b, ORR_DEVS_ROOT, "s");    // elsewhere it may be called so
    assert_false(orr_devs_finish(b.model));
    bench_complains(&b, "E102", "'shop.s'");
    bench_end(&b);
}

static void test_build_refuses_couplings_that_make_no_sense(void **state)
{
    (void)state;
    Bench b = bench_create();
    const orr_devs_part shop = box(&b, ORR_DEVS_ROOT, "shop"), mill = box(&b, ORR_DEVS_ROOT, "mill");
    const orr_devs_part r = relay(&b, shop, "r"), s = sink(&b, mill, "s"),
                        top = relay(&b, ORR_DEVS_ROOT, "top");
    orr_devs_couple(b.model, r, "out", s, "in");
    bench_complains(&b, "E153", "'shop.r' cannot be coupled to 'mill.s'");
    orr_diag_clear(b.diag);
    orr_devs_couple(b.model, top, "out", r, "in");
    bench_complains(&b, "E153", "'top' cannot be coupled to 'shop.r'");
    orr_diag_clear(b.diag);
    orr_devs_couple(b.model, r, "otu", shop, "out");
    bench_complains(&b, "E151", "'shop.r' has no output called 'otu'");
    assert_contains(orr_diag_get(b.diag, 0).hint, "did you mean 'out'?");
    orr_diag_clear(b.diag);
    orr_devs_couple(b.model, r, "in", shop, "out");    // the wrong side
    bench_complains(&b, "E151", "'shop.r' has no output called 'in'");
    orr_diag_clear(b.diag);
    orr_devs_couple(b.model, shop, "out", r,
                    "in");    // inside a coupled component messages come from its inputs
    bench_complains(&b, "E151", "'shop' has no input called 'out'");
    orr_diag_clear(b.diag);
    orr_devs_couple(b.model, top, "out", 99, "in");
    bench_complains(&b, "E150", "does not exist");
    orr_diag_clear(b.diag);
    assert_false(orr_devs_finish(b.model));
    bench_end(&b);
}

static void test_build_refuses_messages_of_another_kind(void **state)
{
    (void)state;
    const orr_atomic of_text = like_sink(text_in), wide = like_sink(wide_in);
    Bench b = bench_create();
    const orr_devs_part r = relay(&b, ORR_DEVS_ROOT, "r");
    const orr_devs_part t = orr_devs_add(b.model, ORR_DEVS_ROOT, "t", &of_text, NULL);
    const orr_devs_part w = orr_devs_add(b.model, ORR_DEVS_ROOT, "w", &wide, NULL);
    orr_devs_couple(b.model, r, "out", t, "in");
    bench_complains(&b, "E152",
                    "'r' sends at 'out' number of 8 bytes, but 't' takes at 'in' text of 8 bytes");
    orr_diag_clear(b.diag);
    orr_devs_couple(b.model, r, "out", w, "in");
    bench_complains(&b, "E152", "number of 16 bytes");
    assert_false(orr_devs_finish(b.model));
    bench_end(&b);
}

static void test_build_refuses_a_coupling_twice(void **state)
{
    (void)state;
    Bench b = bench_create();
    const orr_devs_part shop = box(&b, ORR_DEVS_ROOT, "shop"), r = relay(&b, shop, "r");
    orr_devs_couple(b.model, r, "out", shop, "out");
    orr_devs_couple(b.model, shop, "in", r, "in");
    orr_devs_couple(b.model, r, "out", shop, "out2");
    orr_devs_couple(b.model, r, "out", shop, "out");
    assert_false(orr_devs_finish(b.model));
    bench_complains(&b, "E154", "'shop.r.out' is coupled to 'shop.out' twice");
    bench_end(&b);
}

// Two ways to one input are not the same coupling twice: the message arrives twice.
static void test_build_two_paths_deliver_twice(void **state)
{
    (void)state;
    Bench b = bench_create();
    orr_devs_set_ports(b.model, number_in, 1, NULL, 0);
    const orr_devs_part shop = box(&b, ORR_DEVS_ROOT, "shop"), s = sink(&b, shop, "s");
    orr_devs_couple(b.model, ORR_DEVS_ROOT, "in", shop, "in");
    orr_devs_couple(b.model, ORR_DEVS_ROOT, "in", shop, "in2");
    orr_devs_couple(b.model, shop, "in", s, "in");
    orr_devs_couple(b.model, shop, "in2", s, "in");
    bench_start(&b, false);
    orr_devs_run_send(b.run, 1, 0, &(int64_t){ 5 });
    assert_int_equal(orr_devs_run_advance(b.run, 1), ORR_STATUS_OK);
    assert_int_equal(((const Sink *)bench_state(&b, s))->n, 2);
    assert_int_equal(orr_devs_run_facts(b.run).n_couplings, 2);
    bench_end(&b);
}

static void test_build_refuses_circles_without_an_atomic(void **state)
{
    (void)state;
    Bench b = bench_create();
    const orr_devs_part before = relay(&b, ORR_DEVS_ROOT, "before"), after = sink(&b, ORR_DEVS_ROOT, "after");
    const orr_devs_part x = box(&b, ORR_DEVS_ROOT, "x"), y = box(&b, ORR_DEVS_ROOT, "y");
    orr_devs_couple(b.model, before, "out", x, "in");
    orr_devs_couple(b.model, x, "in", x, "out");
    orr_devs_couple(b.model, x, "out", y, "in2");
    orr_devs_couple(b.model, y, "in2", y, "out");
    orr_devs_couple(b.model, y, "out", x, "in");
    orr_devs_couple(b.model, y, "out", after, "in");
    assert_false(orr_devs_finish(b.model));
    bench_complains(&b, "E155", "back to it without passing an atomic");
    const char *text = orr_diag_get(b.diag, 0).text;
    assert_true(strstr(text, "'x.") || strstr(text, "'y."));
    bench_end(&b);

    // with one in it the circle is a model like any other
    b = bench_create();
    const orr_devs_part x2 = box(&b, ORR_DEVS_ROOT, "x"), r = relay(&b, ORR_DEVS_ROOT, "r");
    orr_devs_couple(b.model, x2, "in", x2, "out");
    orr_devs_couple(b.model, x2, "out", r, "in");
    orr_devs_couple(b.model, r, "out", x2, "in");
    bench_start(&b, false);
    bench_end(&b);
}

static void test_build_wants_required_inputs_coupled(void **state)
{
    (void)state;
    const orr_atomic needy = like_sink(needed_in);
    Bench b = bench_create();
    const orr_devs_part r = relay(&b, ORR_DEVS_ROOT, "r");
    const orr_devs_part s = orr_devs_add_array(b.model, ORR_DEVS_ROOT, "s", &needy, 3, NULL, 0);
    orr_devs_couple(b.model, r, "out", s, "in");
    orr_devs_couple(b.model, r, "out", s + 2, "in");
    assert_false(orr_devs_finish(b.model));
    bench_complains(&b, "E156", "input 's[2].in' must be coupled");
    bench_end(&b);
}

static void test_build_an_empty_model_runs(void **state)
{
    (void)state;
    Bench b = bench_create();
    box(&b, ORR_DEVS_ROOT, "nothing in it");
    bench_start(&b, false);
    assert_int_equal(orr_devs_run_advance(b.run, 10), ORR_STATUS_OK);
    assert_near(orr_devs_run_time(b.run), 10, 0);
    assert_int_equal(sink(&b, ORR_DEVS_ROOT, "late"), ORR_DEVS_NONE);
    bench_complains(&b, "E150", "the model is finished");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build_numbers_components_by_name),
        cmocka_unit_test(test_build_refuses_components_that_make_no_sense),
        cmocka_unit_test(test_build_refuses_two_of_one_name),
        cmocka_unit_test(test_build_refuses_couplings_that_make_no_sense),
        cmocka_unit_test(test_build_refuses_messages_of_another_kind),
        cmocka_unit_test(test_build_refuses_a_coupling_twice),
        cmocka_unit_test(test_build_two_paths_deliver_twice),
        cmocka_unit_test(test_build_refuses_circles_without_an_atomic),
        cmocka_unit_test(test_build_wants_required_inputs_coupled),
        cmocka_unit_test(test_build_an_empty_model_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

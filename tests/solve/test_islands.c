// tests/solve/test_islands.c: equations as components: the cases of VLE's own tests, in one piece and
// split, disturbed, with external updates and periods of output.
#include "islands.h"

static const char text[] = "model Whole\n"
                           "  param alpha = 1.5, beta = 1, gamma = 1, delta = 3\n"
                           "  var X = 10, Y = 5\n"
                           "  X' = X*(alpha - beta*Y)\n"
                           "  Y' = Y*(gamma*X - delta)\n"
                           "end\n"
                           "model Prey\n"
                           "  param alpha = 1.5, beta = 1\n"
                           "  input Y\n"
                           "  var X = 10\n"
                           "  X' = X*(alpha - beta*Y)\n"
                           "end\n"
                           "model Predators\n"
                           "  param gamma = 1, delta = 3\n"
                           "  input X\n"
                           "  var Y = 5\n"
                           "  Y' = Y*(gamma*X - delta)\n"
                           "end\n"
                           "model Epidemic\n"
                           "  param beta = 0.9, gamma = 0.2, sigma = 0.5, nu = 0\n"
                           "  var S = 10, E = 1, I = 0, R = 0\n"
                           "  n = S + E + I + R\n"
                           "  S' = -beta*S*I/n - nu*S\n"
                           "  E' = beta*S*I/n - sigma*E\n"
                           "  I' = sigma*E - gamma*I\n"
                           "  R' = gamma*I + nu*S\n"
                           "end\n"
                           "model Susceptible\n"
                           "  param beta = 0.9, nu = 0\n"
                           "  input E, I, R\n"
                           "  var S = 10\n"
                           "  n = S + E + I + R\n"
                           "  S' = -beta*S*I/n - nu*S\n"
                           "end\n"
                           "model Exposed\n"
                           "  param beta = 0.9, sigma = 0.5\n"
                           "  input S, I, R\n"
                           "  var E = 1\n"
                           "  n = S + E + I + R\n"
                           "  E' = beta*S*I/n - sigma*E\n"
                           "end\n"
                           "model Infected\n"
                           "  param gamma = 0.2, sigma = 0.5\n"
                           "  input E\n"
                           "  var I = 0\n"
                           "  I' = sigma*E - gamma*I\n"
                           "end\n"
                           "model Recovered\n"
                           "  param gamma = 0.2, nu = 0\n"
                           "  input S, I\n"
                           "  var R = 0\n"
                           "  R' = gamma*I + nu*S\n"
                           "end\n";

static Part part(const char *model, const char *solver, double step)
{
    Part p = { .model = model, .options = orr_island_options_default() };
    p.options.run.solver = solver;
    p.options.run.step = step;
    return p;
}

static World whole(const char *model, const char *solver, double step)
{
    const Part p = part(model, solver, step);
    World world = world_open(text, &p, 1, 0);
    world_begin(&world);
    return world;
}

static void split_parts(Part parts[2], const char *solver, double step)
{
    parts[0] = part("Prey", solver, step);
    parts[0].reads[0] = parts[1].tells[0] = "Y";
    parts[1] = part("Predators", solver, step);
    parts[1].reads[0] = parts[0].tells[0] = "X";
    parts[0].reads[0] = parts[1].tells[0] = "Y";
}

static World split(const char *solver, double step)
{
    Part parts[2] = { 0 };
    split_parts(parts, solver, step);
    World world = world_open(text, parts, 2, 0);
    world_begin(&world);
    return world;
}

static World split_epidemic(const char *solver, double step)
{
    static const char *const names[] = { "S", "E", "I", "R" };
    static const char *const models[] = { "Susceptible", "Exposed", "Infected", "Recovered" };
    static const char *const reads[][3] = { { "E", "I", "R" }, { "S", "I", "R" }, { "E" }, { "S", "I" } };
    Part parts[4];
    for (int i = 0; i < 4; i++) {
        parts[i] = part(models[i], solver, step);
        parts[i].tells[0] = names[i];
        for (int k = 0; k < 3; k++) parts[i].reads[k] = reads[i][k];
    }
    World world = world_open(text, parts, 4, 0);
    world_begin(&world);
    return world;
}

static double prey_of(const World *world) { return world_value(world, 0, "X"); }
static double predators_of(const World *world) { return world_value(world, world->n - 1, "Y"); }

static void expect_at(World *world, double t, double x, double y, double tolerance)
{
    world_go(world, t);
    assert_near(prey_of(world), x, tolerance);
    assert_near(predators_of(world), y, tolerance);
}

// Step k of the table ends at k + 1 steps; see the first line: X after 9 steps is 10 + …
static void test_euler_and_rk4_give_the_published_values(void **state)
{
    (void)state;
    World one = whole("Whole", "euler", 0.001), two = split("euler", 0.001);
    World *worlds[] = { &one, &two };
    for (int i = 0; i < 2; i++) {
        expect_at(worlds[i], 0.009, 9.677077, 5.317209, 1e-4);
        expect_at(worlds[i], 0.029, 8.903716, 6.030680, 1e-4);
        expect_at(worlds[i], 14.999, 0.5528446, 0.09330513, 1e-4);
    }
    world_close(&one);
    world_close(&two);
    World rk = whole("Whole", "rk4", 0.001);
    expect_at(&rk, 0.009, 9.676110, 5.317448, 1e-4);
    expect_at(&rk, 0.029, 8.901151, 6.030798, 1e-4);
    expect_at(&rk, 14.999, 0.7127354, 0.07558043, 1e-4);
    world_close(&rk);
}

static void expect_epidemic(World *world, const double expected[4])
{
    static const char *const names[] = { "S", "E", "I", "R" };
    world_go(world, 15);
    for (size_t i = 0; i < 4; i++)
        assert_near(world_value(world, world->n == 1 ? 0 : i, names[i]), expected[i], 1e-4);
}

static void test_an_epidemic_gives_the_published_values(void **state)
{
    (void)state;
    const double euler[] = { 0.634334231496758, 0.65430775343564, 2.97798653683738, 6.73337147823022 };
    const double rk4[] = { 0.635933347641559, 0.654326066542035, 2.97469330853422, 6.73504727728219 };
    World one = whole("Epidemic", "euler", 0.01), four = split_epidemic("euler", 0.01);
    expect_epidemic(&one, euler);
    expect_epidemic(&four, euler);
    // to the bit
    assert_same_bits(world_value(&four, 0, "S"), world_value(&one, 0, "S"));
    assert_same_bits(world_value(&four, 1, "E"), world_value(&one, 0, "E"));
    assert_same_bits(world_value(&four, 2, "I"), world_value(&one, 0, "I"));
    assert_same_bits(world_value(&four, 3, "R"), world_value(&one, 0, "R"));
    world_close(&one);
    world_close(&four);
    World rk = whole("Epidemic", "rk4", 0.001);
    expect_epidemic(&rk, rk4);
    world_close(&rk);
}

static void test_a_split_model_has_the_bits_of_one_piece_with_euler(void **state)
{
    (void)state;
    World one = whole("Whole", "euler", 0.001), two = split("euler", 0.001);
    for (int i = 1; i <= 150; i++) {
        world_go(&one, 0.1 * i);
        world_go(&two, 0.1 * i);
        assert_same_bits(prey_of(&two), prey_of(&one));
        assert_same_bits(predators_of(&two), predators_of(&one));
    }
    world_close(&one);
    world_close(&two);
}

static double split_error(double step)
{
    World two = split("rk4", step);
    world_go(&two, 1);
    World one = whole("Whole", "rk4", 0.0005);
    world_go(&one, 1);
    const double error = fabs(prey_of(&two) - prey_of(&one));
    world_close(&one);
    world_close(&two);
    return error;
}

static void test_a_split_model_with_rk4_is_of_first_order(void **state)
{
    (void)state;
    const double ratio = split_error(0.004) / split_error(0.002);
    assert_near(ratio, 2, 0.1);
}

// ---- Perturbations

static void test_a_perturbation_resets_and_the_grid_begins_anew(void **state)
{
    (void)state;
    World one = whole("Whole", "euler", 0.001), two = split("euler", 0.001);
    World *worlds[] = { &one, &two };
    for (int i = 0; i < 2; i++) {
        world_kick_at(worlds[i], 4.3545, 0, "X", 0);
        world_go(worlds[i], 4.3545);
        assert_same_bits(prey_of(worlds[i]), 0);
        const double before = predators_of(worlds[i]);
        // one whole step later, by hand: the grid begins at the perturbation
        world_go(worlds[i], 4.3555);
        assert_same_bits(predators_of(worlds[i]), before + 0.001 * (before * (0 - 3)));
        expect_at(worlds[i], 4.3555, 0, 6.62948339477899, 1e-3);
        assert_int_equal(orr_run_get_facts(world_run(worlds[i], worlds[i]->n - 1)).n_steps, 4356);
        expect_at(worlds[i], 14.999, 0, 0, 1e-4);
    }
    assert_same_bits(predators_of(&two), predators_of(&one));
    world_close(&one);
    world_close(&two);
}

// ---- Quantised states

static World quantised(bool is_split, double x_quantum, double y_quantum)
{
    static orr_setting quanta[2];
    quanta[0] = (orr_setting){ "X", x_quantum };
    quanta[1] = (orr_setting){ "Y", y_quantum };
    Part parts[2] = { 0 };
    split_parts(parts, "qss2", 0);
    if (!is_split) parts[0] = part("Whole", "qss2", 0);
    for (int i = 0; i < 2; i++) {
        parts[i].is_linear = true;
        parts[i].options.run.quanta = quanta + i;
        parts[i].options.run.n_quanta = is_split ? 1 : 2;
        parts[i].options.expect_gradients = true;
    }
    World world = world_open(text, parts, is_split ? 2 : 1, 0);
    world_begin(&world);
    return world;
}

static void test_qss2_is_as_near_as_its_quantum(void **state)
{
    (void)state;
    for (int is_split = 0; is_split < 2; is_split++) {
        World coarse = quantised(is_split, 0.01, 0.001), fine = quantised(is_split, 1e-4, 1e-5);
        world_go(&coarse, 15);
        world_go(&fine, 15);
        // the true solution: VLE itself is off by 0.0201
        assert_near(prey_of(&coarse), 0.71375, 0.025);
        assert_near(prey_of(&fine), 0.71375, 4e-4);
        world_close(&coarse);
        world_close(&fine);
    }
}

static void test_qss2_split_goes_through_the_same_steps(void **state)
{
    (void)state;
    World one = quantised(false, 0.01, 0.001), two = quantised(true, 0.01, 0.001);
    world_go(&one, 15);
    world_go(&two, 15);
    const size_t n_one = orr_run_get_facts(world_run(&one, 0)).n_steps;
    const size_t n_two =
        orr_run_get_facts(world_run(&two, 0)).n_steps + orr_run_get_facts(world_run(&two, 1)).n_steps;
    assert_near((double)n_two, (double)n_one, 0.01 * (double)n_one);
    assert_near(prey_of(&two), prey_of(&one), 1e-3);
    assert_near(predators_of(&two), predators_of(&one), 1e-3);
    world_close(&one);
    world_close(&two);
}

static void test_qss2_follows_a_perturbation(void **state)
{
    (void)state;
    for (int is_split = 0; is_split < 2; is_split++) {
        World world = quantised(is_split, 0.01, 0.001);
        world_kick_at(&world, 4.3545, 0, "X", 0);
        world_go(&world, 4.355);
        assert_same_bits(prey_of(&world), 0);
        assert_near(predators_of(&world), 7.00360, 0.03);
        world_close(&world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_euler_and_rk4_give_the_published_values),
        cmocka_unit_test(test_an_epidemic_gives_the_published_values),
        cmocka_unit_test(test_a_split_model_has_the_bits_of_one_piece_with_euler),
        cmocka_unit_test(test_a_split_model_with_rk4_is_of_first_order),
        cmocka_unit_test(test_a_perturbation_resets_and_the_grid_begins_anew),
        cmocka_unit_test(test_qss2_is_as_near_as_its_quantum),
        cmocka_unit_test(test_qss2_split_goes_through_the_same_steps),
        cmocka_unit_test(test_qss2_follows_a_perturbation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

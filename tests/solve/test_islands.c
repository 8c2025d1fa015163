// tests/solve/test_islands.c: equations as components: the cases of VLE's own tests, in one piece and
// split, disturbed, with external updates and periods of output.
#include "worlds.h"

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
    World world = world_open(text, &p, 1, 1);
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
    World world = world_open(text, parts, 2, 1);
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
    World world = world_open(text, parts, 4, 1);
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
    World world = world_open(text, parts, is_split ? 2 : 1, 1);
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

// What an island reads moves with time, so its rates are looked at again at other times than in one piece:
// the steps are as many, and the values agree to the quantum.
static void test_qss2_split_makes_as_many_steps(void **state)
{
    (void)state;
    World one = quantised(false, 0.01, 0.001), two = quantised(true, 0.01, 0.001);
    world_go(&one, 15);
    world_go(&two, 15);
    const size_t n_one = orr_run_get_facts(world_run(&one, 0)).n_steps;
    const size_t n_two = orr_run_get_facts(world_run(&two, 0)).n_steps +
                         orr_run_get_facts(world_run(&two, 1)).n_steps;
    assert_near((double)n_two, (double)n_one, 0.01 * (double)n_one);
    assert_near(prey_of(&two), prey_of(&one), 0.01);
    assert_near(predators_of(&two), predators_of(&one), 0.01);
    world_close(&one);
    world_close(&two);
}

static void test_qss2_follows_a_perturbation(void **state)
{
    (void)state;
    for (int is_split = 0; is_split < 2; is_split++) {
        for (double scale = 1; scale > 0.001; scale *= 0.1) {    // the error is proportional to the quantum
            World world = quantised(is_split, 0.01 * scale, 0.001 * scale);
            world_kick_at(&world, 4.3545, 0, "X", 0);
            world_go(&world, 4.355);
            assert_same_bits(prey_of(&world), 0);
            assert_near(predators_of(&world), 7.003602946509329, 0.04 * scale);
            world_close(&world);
        }
    }
}

// ---- External updates

enum { SAMPLES_MOST = 8 };
typedef struct Sample {
    double t, value, gradient;
    bool has_gradient;
} Sample;
typedef struct Samples {
    Sample items[SAMPLES_MOST];
    size_t n, next;
} Samples;

static void samples_init(void *state, const void *params, const orr_devs_call *call)
{
    (void)call;
    memcpy(state, params, sizeof(Samples));
}

static double samples_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    const Samples *s = state;
    return s->next < s->n ? s->items[s->next].t : INFINITY;
}

static void samples_output(const void *state, const orr_devs_call *call)
{
    const Samples *s = state;
    const Sample *now = &s->items[s->next];
    const orr_signal signal = { .value = now->value,
                                .gradient = now->gradient,
                                .has_gradient = now->has_gradient };
    orr_devs_send(call, 0, &signal);
    orr_devs_send(call, 1, &now->value);
}

static void samples_internal(void *state, const orr_devs_call *call)
{
    (void)call;
    ((Samples *)state)->next++;
}

static const orr_devs_port samples_ports[] = {
    { .name = "u", .type = ORR_SIGNAL, .size = sizeof(orr_signal) },
    { .name = "number", .type = "number", .size = sizeof(double) },
};
static const orr_atomic samples_type = {
    .version = ORR_DEVS_VERSION,
    .traits = ORR_ATOMIC_ABSOLUTE,
    .name = "samples",
    .outputs = samples_ports,
    .n_outputs = 2,
    .params_size = sizeof(Samples),
    .state_size = sizeof(Samples),
    .init = samples_init,
    .advance = samples_advance,
    .output = samples_output,
    .internal = samples_internal,
};

static const char integrator[] = "model Sum\n  input u\n  var x = 0\n  output y = 2*x\n  x' = u\nend\n";

// One island that reads samples.
static World fed(const char *model_text, const char *model, orr_island_options options, bool is_linear,
                 bool is_number, const Samples *samples)
{
    World world = { .diag = orr_diag_create(), .n = 1 };
    world.source = orr_source_parse("test.orr", model_text, strlen(model_text), world.diag);
    if (!world.source) world_fail(&world, "the text is wrong");
    const Part p = { .model = model, .reads = { "u" }, .is_linear = is_linear };
    world_compile(&world, 0, &p);
    const orr_island_input input = { "u", is_number };
    options.inputs = &input;
    options.n_inputs = 1;
    world.islands[0] = orr_island_create(world.models[0], &options, world.diag);
    if (!world.islands[0]) world_fail(&world, "no island");
    world.devs = orr_devs_create(world.diag);
    const orr_devs_part source = orr_devs_add(world.devs, ORR_DEVS_ROOT, "source", &samples_type, samples);
    world.parts[0] = orr_devs_add(world.devs, ORR_DEVS_ROOT, "sum", orr_island_type(world.islands[0]), NULL);
    orr_devs_couple(world.devs, source, is_number ? "number" : "u", world.parts[0], "u");
    if (!orr_devs_finish(world.devs)) world_fail(&world, "not finished");
    world_begin(&world);
    return world;
}

static orr_island_options method(const char *solver, double step)
{
    orr_island_options o = orr_island_options_default();
    o.run.solver = solver;
    o.run.step = step;
    return o;
}

static const Samples one_step = { .items = { { 0, 0, 0, false }, { 0.25, 1, 0, false } }, .n = 2 };

static double sum_at_1(orr_island_options options, bool is_number)
{
    World world = fed(integrator, "Sum", options, false, is_number, &one_step);
    world_go(&world, 1);
    const double x = world_value(&world, 0, "x");
    assert_near(world_value(&world, 0, "y"), 2 * x, 1e-15);
    world_close(&world);
    return x;
}

static void test_updates_between_grid_points(void **state)
{
    (void)state;
    orr_island_options o = method("euler", 0.1);
    // the value is taken over at 0.3, or at once
    assert_near(sum_at_1(o, false), 0.7, 1e-14);
    o.synchronise = true;
    assert_near(sum_at_1(o, false), 0.75, 1e-14);
    // a number is a jump: no method may step over it
    o.synchronise = false;
    assert_near(sum_at_1(o, true), 0.75, 1e-14);
}

static void test_free_steps_end_where_something_arrives(void **state)
{
    (void)state;
    // the first three choose their steps
    static const char *const solvers[] = { "dopri5", "bdf",  "adams",  "qss1",
                                           "qss2",   "qss3", "liqss1", "liqss2" };
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        orr_island_options o = method(solvers[i], 0);
        if (i < 3) o.run.tolerance = 1e-9;
        assert_near(sum_at_1(o, false), 0.75, 1e-8);
        assert_near(sum_at_1(o, true), 0.75, 1e-8);
    }
}

// What is read, and how often, changes no bit.
static void test_reading_changes_nothing(void **state)
{
    (void)state;
    static const char curved[] =
        "model Curved\n  input u\n  var x = 1, z = 0\n  x' = u - x*z\n  z' = sin(3*t) + x\nend\n";
    static const char *const solvers[] = { "euler", "rk4", "dopri5", "bdf", "qss2" };
    const Samples samples = {
        .items = { { 0, 0.3, 0, false }, { 0.255, 1, 0, false }, { 0.7, -1, 0, false } }, .n = 3
    };
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        for (int synchronise = 0; synchronise < 2; synchronise++) {
            orr_island_options o = method(solvers[i], 0.1);
            o.synchronise = synchronise;
            World quiet = fed(curved, "Curved", o, false, false, &samples),
                  read = fed(curved, "Curved", o, false, false, &samples);
            world_go(&quiet, 2);
            for (int k = 1; k <= 200; k++) {
                world_go(&read, 0.01 * k);
                world_value(&read, 0, "z");
            }
            assert_same_bits(world_value(&read, 0, "x"), world_value(&quiet, 0, "x"));
            assert_same_bits(world_value(&read, 0, "z"), world_value(&quiet, 0, "z"));
            world_close(&quiet);
            world_close(&read);
        }
    }
}

static void test_external_variables_move_by_their_gradients(void **state)
{
    (void)state;
    // u = t, then 2 - t: the integral is 1/2, then 1/2 + (t-1) - (t-1)²/2
    const Samples ramp = { .items = { { 0, 0, 1, true }, { 1, 1, -1, true } }, .n = 2 };
    static const char *const solvers[] = { "qss2", "qss3", "rk4", "dopri5" };
    for (size_t i = 0; i < 4; i++) {
        orr_island_options o = method(solvers[i], 0.1);
        o.expect_gradients = true;
        World world = fed(integrator, "Sum", o, true, false, &ramp);
        world_go(&world, 1);
        assert_near(world_value(&world, 0, "x"), 0.5, 1e-12);
        world_go(&world, 1.5);
        assert_near(world_value(&world, 0, "u"), 0.5, 1e-12);
        assert_near(world_value(&world, 0, "x"), 0.5 + 0.5 - 0.125, 1e-12);
        world_close(&world);
    }
    // compiled to be held, it is
    World held = fed(integrator, "Sum", method("qss2", 0), false, false, &ramp);
    world_go(&held, 1.5);
    assert_near(world_value(&held, 0, "x"), 0.5, 1e-12);
    world_close(&held);
}

static void test_a_missing_gradient_is_told(void **state)
{
    (void)state;
    orr_island_options o = method("qss2", 0);
    o.expect_gradients = true;
    World world = fed(integrator, "Sum", o, true, false, &one_step);
    assert_int_equal(orr_devs_run_advance(world.run, 1), ORR_STATUS_FAILED);
    char *out = NULL;
    size_t size;
    FILE *file = open_memstream(&out, &size);
    orr_diag_print(world.diag, file, 0);
    fclose(file);
    assert_contains(out, "'sum' failed at t = 0: a signal came without its gradient");
    free(out);
    world_close(&world);
}

// ---- Outputs

static uint64_t messages(const char *solver, double step, double period, uint64_t *n_bags)
{
    Part p = part("Whole", solver, step);
    p.tells[0] = "X";
    p.options.output_period = period;
    World world = world_open(text, &p, 1, 1);
    world_begin(&world);
    world_go(&world, 1);
    const orr_devs_facts facts = orr_devs_run_facts(world.run);
    *n_bags = facts.n_bags;
    world_close(&world);
    return facts.n_messages;
}

static void test_outputs_are_told_at_each_step_or_period(void **state)
{
    (void)state;
    uint64_t n_bags;
    // one at the start; a step is one bag
    assert_int_equal(messages("rk4", 0.001, 0, &n_bags), 1 + 1000);
    assert_int_equal(n_bags, 1 + 1000);
    assert_int_equal(messages("rk4", 0.001, 0.1, &n_bags), 1 + 10);
    assert_int_equal(n_bags, 1 + 10);
    assert_int_equal(messages("dopri5", 0, 0.25, &n_bags), 1 + 4);
    assert_int_equal(messages("qss2", 0, 0.25, &n_bags), 1 + 4);
    // steps of its own, and never more than the run has made
    const uint64_t free_steps = messages("dopri5", 0, 0, &n_bags);
    assert_in_range(free_steps, 10, 200);
}

// ---- Reinit

typedef struct Told {
    size_t variable;
    int n_perturbations, n_discontinuities;
    double value;
} Told;

// Instead of being set, the state is raised.
static int raise_state(void *context, orr_run *run, const orr_reinit *what)
{
    Told *told = context;
    if (!what->is_perturbation) {
        told->n_discontinuities++;
        told->value = what->value;
        return 1;
    }
    told->n_perturbations++;
    return orr_run_set(run, what->variable, orr_run_value(run, what->variable) + what->value) ==
           ORR_STATUS_OK;
}

static void test_reinit_sees_perturbations_and_discontinuities(void **state)
{
    (void)state;
    Told prey = { 0 }, predators = { 0 };
    Part parts[2] = { 0 };
    split_parts(parts, "rk4", 0.01);
    parts[0].options.reinit = parts[1].options.reinit = raise_state;
    parts[0].options.reinit_context = &prey;
    parts[1].options.reinit_context = &predators;
    World world = world_open(text, parts, 2, 1), plain = split("rk4", 0.01);
    world_begin(&world);
    world_go(&plain, 1.005);
    const double before = prey_of(&plain);
    world_kick_at(&world, 1.005, 0, "X", 2);
    world_go(&world, 1.005);
    // a step that ends there, so not the interpolated value
    assert_near(prey_of(&world), before + 2, 1e-4);
    assert_int_equal(prey.n_perturbations, 1);
    assert_int_equal(prey.n_discontinuities, 1);    // Y comes back
    assert_int_equal(predators.n_perturbations, 0);
    assert_int_equal(predators.n_discontinuities, 1);
    assert_same_bits(predators.value, prey_of(&world));
    world_close(&world);
    world_close(&plain);
}

static void test_a_perturbation_of_nothing_fails(void **state)
{
    (void)state;
    World world = whole("Whole", "rk4", 0.01);
    world_kick_at(&world, 0.5, 0, "alpha", 2);
    assert_int_equal(orr_devs_run_advance(world.run, 1), ORR_STATUS_FAILED);
    // it stays readable where it stands
    assert_near(orr_run_time(world_run(&world, 0)), 0.5, 1e-12);
    world_close(&world);
}

// Initial values that depend on what another island tells at the first instant.
static void test_the_first_instant_settles(void **state)
{
    (void)state;
    static const char chain[] =
        "model A\n  var a = 3\n  a' = -a\n  output y = 2*a\nend\n"
        "model B\n  input y\n  var b\n  initial b = 1/y\n  b' = 0\n  output z = b + 1\nend\n"
        "model C\n  input z\n  var c\n  initial c = sqrt(z - 1)\n  c' = 0\nend\n";
    // B and C cannot begin before they have heard something
    Part parts[3] = { part("C", "euler", 0.1), part("B", "euler", 0.1), part("A", "euler", 0.1) };
    parts[0].reads[0] = parts[1].tells[0] = "z";
    parts[1].reads[0] = parts[2].tells[0] = "y";
    World world = world_open(chain, parts, 3, 1);
    world_begin(&world);
    world_go(&world, 0.1);
    assert_near(world_value(&world, 1, "b"), 1.0 / 6, 1e-15);
    assert_near(world_value(&world, 0, "c"), sqrt(1.0 / 6), 1e-15);
    world_close(&world);
}

// An island that others disturb in steps of their own: two rates of steps, one model.
static void test_islands_have_steps_of_their_own(void **state)
{
    (void)state;
    Part parts[2] = { 0 };
    split_parts(parts, "euler", 0.001);
    parts[1].options.run.step = 0.0001;
    World world = world_open(text, parts, 2, 1);
    world_begin(&world);
    world_go(&world, 1);
    assert_int_equal(orr_run_get_facts(world_run(&world, 0)).n_steps, 1000);
    assert_int_equal(orr_run_get_facts(world_run(&world, 1)).n_steps, 10000);
    World one = whole("Whole", "rk4", 0.001);
    world_go(&one, 1);
    assert_near(prey_of(&world), prey_of(&one), 0.01);
    assert_near(predators_of(&world), predators_of(&one), 0.01);
    world_close(&one);
    world_close(&world);
}

// Saved in the middle, loaded into another run: both go on alike.
static void test_a_saved_run_goes_on_to_the_last_bit(void **state)
{
    (void)state;
    static const char *const solvers[] = { "euler", "rk4", "dopri5", "bdf" };
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        World first = split(solvers[i], 0.01), second = split(solvers[i], 0.01);
        world_go(&first, 3.3333);
        const size_t size = orr_devs_run_size(first.run);
        assert_true(size > 0);
        void *bytes = malloc(size);
        orr_devs_run_save(first.run, bytes);
        assert_true(orr_devs_run_load(second.run, bytes, size));
        free(bytes);
        assert_same_bits(prey_of(&second), prey_of(&first));
        world_go(&first, 7.7);
        world_go(&second, 7.7);
        assert_same_bits(prey_of(&second), prey_of(&first));
        assert_same_bits(predators_of(&second), predators_of(&first));
        world_close(&first);
        world_close(&second);
    }
}

// ---- Messages of the model leave, and a state has a port of its own

typedef struct Umpire {    // answers each hit with a push, a quarter of a second later
    double n, last, due;
} Umpire;

static void umpire_init(void *state, const void *params, const orr_devs_call *call)
{
    (void)params, (void)call;
    *(Umpire *)state = (Umpire){ .due = INFINITY };
}
static double umpire_advance(const void *state, const orr_devs_call *call)
{
    (void)call;
    return ((const Umpire *)state)->due;
}
static void umpire_output(const void *state, const orr_devs_call *call)
{
    (void)state;
    orr_devs_send(call, 0, &(double){ 4 });
}
static void umpire_internal(void *state, const orr_devs_call *call)
{
    (void)call;
    ((Umpire *)state)->due = INFINITY;
}
static void umpire_external(void *state, const orr_devs_call *call, double elapsed, const orr_devs_event *bag,
                            size_t n)
{
    (void)elapsed;
    Umpire *u = state;
    u->n += (double)n;
    u->last = *(const double *)bag[n - 1].value;
    u->due = call->t + 0.25;
}

static const orr_devs_port hit_port = { .name = "hit", .type = "number", .size = sizeof(double) };
static const orr_devs_port push_port = { .name = "push", .type = "number", .size = sizeof(double) };
static const orr_atomic umpire = { .version = ORR_DEVS_VERSION,
                                   .traits = ORR_ATOMIC_ABSOLUTE,
                                   .name = "Umpire",
                                   .inputs = &hit_port,
                                   .outputs = &push_port,
                                   .n_inputs = 1,
                                   .n_outputs = 1,
                                   .state_size = sizeof(Umpire),
                                   .init = umpire_init,
                                   .advance = umpire_advance,
                                   .output = umpire_output,
                                   .internal = umpire_internal,
                                   .external = umpire_external };

// x falls from 4 by 1 in a time unit; at 2 it says when; a quarter later it is put to 4 again: 2, 4.25, 6.5,
// …
static void test_messages_leave_and_perturb(void **state)
{
    (void)state;
    static const char falls[] = "model Falls\n"
                                "  output event low\n"
                                "  input event must required\n"
                                "  var x = 4\n"
                                "  x' = -1\n"
                                "  when x < 2 then send low(t) end\n"
                                "end\n";
    static const char *const solvers[] = { "euler", "dopri5", "qss2" };
    const char *const sends[] = { "low" }, *const states[] = { "x" };
    for (int i = 0; i < 3; i++) {
        orr_diag *diag = orr_diag_create();
        orr_source *source = orr_source_parse("test.orr", falls, sizeof falls - 1, diag);
        orr_compile_options compile = orr_compile_options_default();
        assert_null(orr_model_compile(source, &compile, diag));    // alone, what is required is missing
        compile.is_component = true;
        orr_model *model = orr_model_compile(source, &compile, diag);
        assert_non_null(model);
        orr_island_options o = orr_island_options_default();
        o.run.solver = solvers[i];
        o.run.step = 0.3;
        o.sends = sends;
        o.n_sends = 1;
        o.perturbed = states;
        o.n_perturbed = 1;
        orr_island *island = orr_island_create(model, &o, diag);
        assert_non_null(island);
        orr_devs *devs = orr_devs_create(diag);
        const orr_devs_part falling =
            orr_devs_add(devs, ORR_DEVS_ROOT, "falling", orr_island_type(island), NULL);
        const orr_devs_part judge = orr_devs_add(devs, ORR_DEVS_ROOT, "judge", &umpire, NULL);
        orr_devs_couple(devs, falling, "low", judge, "hit");
        orr_devs_couple(devs, judge, "push", falling, "x");
        assert_true(orr_devs_finish(devs));
        const orr_devs_options options = orr_devs_options_default();
        orr_devs_run *run = orr_devs_run_create(devs, &options, diag);
        assert_int_equal(orr_devs_run_advance(run, 7), ORR_STATUS_OK);
        const Umpire *u = orr_devs_run_state(run, orr_devs_component(devs, judge));
        assert_near(u->n, 3, 0);
        assert_near(u->last, 6.5, 1e-9);
        orr_run *inside = orr_island_run(run, orr_devs_component(devs, falling));
        assert_near(orr_run_value(inside, orr_model_find(model, "x")), 4 - 0.25, 1e-9);
        orr_devs_run_destroy(run);
        orr_devs_destroy(devs);
        orr_island_destroy(island);
        orr_model_destroy(model);
        orr_source_destroy(source);
        orr_diag_destroy(diag);
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
        cmocka_unit_test(test_qss2_split_makes_as_many_steps),
        cmocka_unit_test(test_qss2_follows_a_perturbation),
        cmocka_unit_test(test_updates_between_grid_points),
        cmocka_unit_test(test_free_steps_end_where_something_arrives),
        cmocka_unit_test(test_reading_changes_nothing),
        cmocka_unit_test(test_external_variables_move_by_their_gradients),
        cmocka_unit_test(test_a_missing_gradient_is_told),
        cmocka_unit_test(test_outputs_are_told_at_each_step_or_period),
        cmocka_unit_test(test_reinit_sees_perturbations_and_discontinuities),
        cmocka_unit_test(test_a_perturbation_of_nothing_fails),
        cmocka_unit_test(test_the_first_instant_settles),
        cmocka_unit_test(test_islands_have_steps_of_their_own),
        cmocka_unit_test(test_a_saved_run_goes_on_to_the_last_bit),
        cmocka_unit_test(test_messages_leave_and_perturb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

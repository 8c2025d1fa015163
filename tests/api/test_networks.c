// tests/api/test_networks.c: random networks of atomics and equations: the order in which components are
// declared changes no bit, and a model of models behaves as the same model in one piece.
#include "check.h"
#include "orrery/orrery.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 12, GROUPS = 3, TEXT_MAX = 20000, SEEDS = 8, TIMES = 40 };

static const char library[] = "atomic Node\n"
                              "  param delay = 1, chance = 0\n"
                              "  input event in\n"
                              "  output event out\n"
                              "  var n = 0, sum = 1\n"
                              "  state idle\n"
                              "    on in do n := n + 1; sum := mod(3*sum + in, 1009) -> busy\n"
                              "  state busy for delay + (if chance > 0 then exponential(chance) else 0)\n"
                              "    on in do n := n + 1; sum := mod(5*sum + in, 1009) -> busy keeping time\n"
                              "    after send out(sum) -> idle\n"
                              "end\n"
                              "atomic Clock\n"
                              "  param period = 1\n"
                              "  output event out\n"
                              "  var n = 0\n"
                              "  state active for period\n"
                              "    after send out(n) do n := n + 1 -> active\n"
                              "end\n"
                              "model Leak\n"
                              "  input event in\n"
                              "  output event out\n"
                              "  var h = 0\n"
                              "  discrete n = 0\n"
                              "  h' = -h\n"
                              "  on in then\n"
                              "    h := h + in/100\n"
                              "    n := n + 1\n"
                              "  end\n"
                              "  when h > 8 then\n"
                              "    send out(h)\n"
                              "    h := 0\n"
                              "  end\n"
                              "end\n";

typedef struct Random {
    uint64_t state;
} Random;

static uint32_t draw(Random *r, uint32_t n)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(r->state >> 33) % n;
}

typedef struct Text {
    char p[TEXT_MAX];
    size_t n;
} Text;
#define add(text, ...)                                                                                       \
    ((text)->n += (size_t)snprintf((text)->p + (text)->n, TEXT_MAX - (text)->n, __VA_ARGS__))

// A network: what each node is, and arrows from node to node; node 0 is the clock.
typedef struct Plan {
    int delay[NODES];    // in quarters; of a leak -1
    bool arrow[NODES][NODES];
    double chance;
} Plan;

static Plan make_plan(Random *r, double chance)
{
    Plan plan = { .chance = chance };
    for (int i = 1; i < NODES; i++) {
        plan.delay[i] = draw(r, 6) == 0 ? -1 : 1 + (int)draw(r, 4);
        for (int k = 0; k < 2; k++) plan.arrow[draw(r, (uint32_t)i)][i] = true;    // reached from somewhere
        if (plan.delay[i] > 0) plan.arrow[i][1 + draw(r, NODES - 1)] = true;
    }
    return plan;
}

static void add_node(Text *text, const Plan *plan, const char *indent, const char *name, int i)
{
    if (i == 0) add(text, "%s%s : Clock\n", indent, name);
    else if (plan->delay[i] < 0) add(text, "%s%s : Leak\n", indent, name);
    else
        add(text, "%s%s : Node(delay = %g, chance = %g)\n", indent, name, plan->delay[i] * 0.25,
            plan->chance);
}

// All in one model, the statements in the order of `order`.
static Text write_flat(const Plan *plan, const int *order)
{
    Text text = { .n = 0 };
    add(&text, "%smodel Whole\n", library);
    char name[32];
    for (int k = 0; k < NODES; k++) {
        snprintf(name, sizeof name, "g%d_c%d", order[k] % GROUPS, order[k]);
        add_node(&text, plan, "  ", name, order[k]);
        for (int to = 0; to < NODES; to++)
            if (plan->arrow[order[k]][to])
                add(&text, "  g%d_c%d.out -> g%d_c%d.in\n", order[k] % GROUPS, order[k], to % GROUPS, to);
    }
    add(&text, "end\n");
    return text;
}

// The same in groups, each a model whose ports hand on what its nodes send and get.
static Text write_nested(const Plan *plan)
{
    Text text = { .n = 0 };
    add(&text, "%s", library);
    char name[32];
    for (int g = 0; g < GROUPS; g++) {
        add(&text, "model Group%d\n", g);
        for (int i = g; i < NODES; i += GROUPS) {
            snprintf(name, sizeof name, "c%d", i);
            add_node(&text, plan, "  ", name, i);
            add(&text, "  output event out%d\n  c%d.out -> out%d\n", i, i, i);
            if (i > 0) add(&text, "  input event in%d\n  in%d -> c%d.in\n", i, i, i);
        }
        for (int i = g; i < NODES; i += GROUPS)
            for (int to = g; to < NODES; to += GROUPS)
                if (plan->arrow[i][to]) add(&text, "  c%d.out -> c%d.in\n", i, to);
        add(&text, "end\n");
    }
    add(&text, "model Whole\n");
    for (int g = GROUPS; g-- > 0;) add(&text, "  g%d : Group%d\n", g, g);
    for (int i = 0; i < NODES; i++)
        for (int to = 0; to < NODES; to++)
            if (plan->arrow[i][to] && i % GROUPS != to % GROUPS)
                add(&text, "  g%d.out%d -> g%d.in%d\n", i % GROUPS, i, to % GROUPS, to);
    add(&text, "end\n");
    return text;
}

// What every node shows at some times.
typedef struct Trace {
    double n[TIMES][NODES], sum[TIMES][NODES];
} Trace;

static double read_node(const orr_model *model, orr_run *run, const char *form, int i, const char *what)
{
    char name[64];
    const int length = snprintf(name, sizeof name, form, i % GROUPS, i);
    snprintf(name + length, sizeof name - (size_t)length, ".%s", what);
    const size_t variable = orr_model_find(model, name);
    return variable == (size_t)-1 ? 0 : orr_run_value(run, variable);
}

static Trace simulate(const Text *text, const char *form)
{
    Trace trace = { 0 };
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse("network.orr", text->p, text->n, diag);
    orr_compile_options options = orr_compile_options_default();
    options.model = "Whole";
    orr_model *model = source ? orr_model_compile(source, &options, diag) : NULL;
    orr_source_destroy(source);    // a model does not need it
    orr_run_options run_options = orr_run_options_default();
    run_options.solver = "rk4";
    run_options.step = 1.0 / 64;
    run_options.t_end = TIMES;
    orr_run *run = model ? orr_run_create(model, &run_options, diag) : NULL;
    if (!run) orr_diag_print(diag, stderr, 0);
    assert_non_null(run);
    for (int k = 0; k < TIMES; k++) {
        assert_int_equal(orr_run_advance(run, k + 0.5), ORR_STATUS_OK);
        for (int i = 0; i < NODES; i++) {
            trace.n[k][i] = read_node(model, run, form, i, "n");
            trace.sum[k][i] = read_node(model, run, form, i, "sum") + read_node(model, run, form, i, "h");
        }
    }
    orr_run_destroy(run);
    orr_model_destroy(model);
    orr_diag_destroy(diag);
    return trace;
}

static void shuffle(Random *r, int *order)
{
    for (int i = 0; i < NODES; i++) order[i] = i;
    for (int i = NODES - 1; i > 0; i--) {
        const int k = (int)draw(r, (uint32_t)i + 1), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

static double received(const Trace *trace)
{
    double n = 0;
    for (int i = 1; i < NODES; i++) n += trace->n[TIMES - 1][i];
    return n;
}

static void test_order_of_declarations_changes_no_bit(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Random r = { seed };
        const Plan plan = make_plan(&r, seed % 2 ? 0.3 : 0);
        int order[NODES];
        for (int i = 0; i < NODES; i++) order[i] = i;
        Text text = write_flat(&plan, order);
        const Trace first = simulate(&text, "g%d_c%d");
        assert_true(received(&first) > 100);
        for (int again = 0; again < 2; again++) {
            shuffle(&r, order);
            text = write_flat(&plan, order);
            const Trace other = simulate(&text, "g%d_c%d");
            assert_memory_equal(&first, &other, sizeof first);
        }
    }
}

static void test_a_model_of_models_is_the_model_in_one_piece(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Random r = { seed + 100 };
        const Plan plan = make_plan(&r, 0);
        int order[NODES];
        for (int i = 0; i < NODES; i++) order[i] = i;
        const Text flat = write_flat(&plan, order), nested = write_nested(&plan);
        const Trace one = simulate(&flat, "g%d_c%d"), other = simulate(&nested, "g%d.c%d");
        assert_true(received(&one) > 100);
        assert_memory_equal(&one, &other, sizeof one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_declarations_changes_no_bit),
        cmocka_unit_test(test_a_model_of_models_is_the_model_in_one_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

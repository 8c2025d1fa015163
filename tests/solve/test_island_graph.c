// tests/solve/test_island_graph.c: how far a discontinuity goes: zero-time bags in rings, complete and
// random graphs; and the state graph of an island, as it is documented and as it is followed.
#include "base/text.h"
#include "island/island.h"
#include "worlds.h"

typedef struct Graph {
    int n;
    uint64_t reads[64];    // [n] whom each hears, by bits
} Graph;

// ---- The rule on its own

// Bags in which somebody tells somebody, if those in `perturbed` are perturbed at once.
static int count_bags(const Graph *graph, uint64_t perturbed)
{
    static uint64_t known[64][64], sets[64][64];    // [island][perturbation]
    uint64_t spreads[64] = { 0 }, told[64];         // [island] perturbations to be told
    memset(known, 0, sizeof known);
    for (int i = 0; i < graph->n; i++) {
        if (!(perturbed >> i & 1)) continue;
        known[i][i] = 1ull << i;
        spreads[i] = 1ull << i;
    }
    for (int bags = 0;; bags++) {
        uint64_t any = 0;
        memcpy(told, spreads, sizeof told);
        memcpy(sets, known, sizeof sets);
        memset(spreads, 0, sizeof spreads);
        for (int i = 0; i < graph->n; i++) any |= told[i];
        if (!any) return bags;
        for (int i = 0; i < graph->n; i++) {
            for (int k = 0; k < graph->n * graph->n; k++) {
                const int j = k / graph->n, p = k % graph->n;
                if (!(graph->reads[i] >> j & 1) || !(told[j] >> p & 1)) continue;
                const uint64_t mine = known[i][p] | 1ull << i;
                if (sets[j][p] & ~mine) spreads[i] |= 1ull << p;
                known[i][p] = mine | sets[j][p];
            }
        }
    }
}

// ---- Islands

static World graph_world(const Graph *graph, uint64_t perturbed)
{
    static char names[64][16], models[64][16];
    StrBuf text = { 0 };
    Part parts[64] = { 0 };
    for (int i = 0; i < graph->n; i++) {
        snprintf(names[i], sizeof names[i], "x%d", i);
        snprintf(models[i], sizeof models[i], "M%d", i);
    }
    for (int i = 0; i < graph->n; i++) {
        Part *part = &parts[i];
        *part = (Part){ .model = models[i], .tells = { names[i] }, .options = orr_island_options_default() };
        part->options.run.solver = "euler";
        part->options.run.step = 1;
        str_addf(&text, "model M%d\n  var x%d = %d\n", i, i, i);
        size_t n = 0;
        for (int j = 0; j < graph->n; j++) {
            if (!(graph->reads[i] >> j & 1)) continue;
            str_addf(&text, "  input x%d\n", j);
            part->reads[n++] = names[j];
        }
        str_addf(&text, "  x%d' = 0", i);
        for (size_t k = 0; k < n; k++) str_addf(&text, " + %s", part->reads[k]);
        str_addf(&text, "\nend\n");
    }
    World world = world_open(text.p, parts, (size_t)graph->n, perturbed);
    str_free(&text);
    return world;
}

// Bags at the instant of a perturbation with time advance 0: all but the one in which it comes.
static int zero_bags(const Graph *graph, uint64_t perturbed)
{
    World world = graph_world(graph, perturbed);
    world_begin(&world);
    world_go(&world, 0.25);
    const uint64_t before = orr_devs_run_facts(world.run).n_bags;
    world_kick_at(&world, 0.5, 0, "x0", 100);
    world_go(&world, 0.5);
    const uint64_t bags = orr_devs_run_facts(world.run).n_bags - before - 1;
    for (int i = 0; i < graph->n; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        // the state has the same number in all of them
        assert_int_equal(orr_model_find(world.models[i], name), orr_model_find(world.models[0], "x0"));
        if (perturbed >> i & 1) assert_near(world_value(&world, (size_t)i, name), 100, 0);
    }
    world_close(&world);
    return (int)bags;
}

static Graph ring(int n)
{
    Graph graph = { .n = n };
    for (int i = 0; i < n; i++) graph.reads[i] = 1ull << (i + n - 1) % n;
    return graph;
}

static Graph complete(int n)
{
    Graph graph = { .n = n };
    for (int i = 0; i < n; i++) graph.reads[i] = ((1ull << n) - 1) & ~(1ull << i);
    return graph;
}

static void test_a_ring_needs_twice_its_length_less_one(void **state)
{
    (void)state;
    for (int n = 2; n <= 10; n++) {
        const Graph graph = ring(n);
        assert_int_equal(zero_bags(&graph, 1), 2 * n - 1);
        assert_int_equal(count_bags(&graph, 1), 2 * n - 1);
    }
}

static void test_a_complete_graph_needs_three(void **state)
{
    (void)state;
    for (int n = 3; n <= 10; n++) {
        const Graph graph = complete(n);
        assert_int_equal(zero_bags(&graph, 1), 3);
        assert_int_equal(count_bags(&graph, 1), 3);
    }
}

static void test_random_graphs_keep_the_bound(void **state)
{
    (void)state;
    orr_random random = orr_random_stream(7, 0, "graphs");
    for (int turn = 0; turn < 40; turn++) {
        Graph graph = { .n = 3 + (int)(8 * orr_random_unit(&random)) };
        const double density = orr_random_unit(&random);
        for (int i = 0; i < graph.n; i++)
            for (int j = 0; j < graph.n; j++)
                if (i != j && orr_random_unit(&random) < density) graph.reads[i] |= 1ull << j;
        uint64_t perturbed = 1;
        for (int i = 1; i < graph.n; i++)
            if (orr_random_unit(&random) < 0.3) perturbed |= 1ull << i;
        const int n_p = __builtin_popcountll(perturbed), bags = zero_bags(&graph, perturbed);
        assert_int_equal(bags, count_bags(&graph, perturbed));
        assert_in_range(bags, 1, graph.n * n_p * (graph.n - 1));
    }
}

// More than one word of bits.
static void test_sets_of_islands_have_any_size(void **state)
{
    (void)state;
    enum { N = 130 };
    static const char text[] = "model Node\n  input u\n  var x = 1\n  x' = u\nend\n";
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse("test.orr", text, strlen(text), diag);
    orr_input input = orr_input_default();
    input.name = "u";
    input.source = "host";
    orr_compile_options o = orr_compile_options_default();
    o.inputs = &input;
    o.n_inputs = 1;
    orr_model *model = orr_model_compile(source, &o, diag);
    assert_non_null(model);
    static const orr_devs_port kick = { .name = "kick",
                                        .type = ORR_PERTURBATION,
                                        .size = sizeof(orr_perturbation) };
    orr_devs *devs = orr_devs_create(diag);
    orr_devs_set_ports(devs, &kick, 1, NULL, 0);
    orr_island *islands[N];
    orr_devs_part parts[N];
    for (uint32_t i = 0; i < N; i++) {
        const orr_island_input reads = { .variable = "u" };
        const char *tells = "x";
        orr_island_options options = orr_island_options_default();
        options.run.solver = "euler";
        options.run.step = 1;
        options.inputs = &reads;
        options.outputs = &tells;
        options.n_inputs = options.n_outputs = 1;
        options.number = i;
        options.n_islands = N;
        islands[i] = orr_island_create(model, &options, diag);
        char name[16];
        snprintf(name, sizeof name, "node%u", i);
        parts[i] = orr_devs_add(devs, ORR_DEVS_ROOT, name, orr_island_type(islands[i]), NULL);
    }
    for (uint32_t i = 0; i < N; i++) orr_devs_couple(devs, parts[i], "x", parts[(i + 1) % N], "u");
    orr_devs_couple(devs, ORR_DEVS_ROOT, "kick", parts[0], "perturb");
    assert_true(orr_devs_finish(devs));
    const orr_devs_options run_options = orr_devs_options_default();
    orr_devs_run *run = orr_devs_run_create(devs, &run_options, diag);
    assert_int_equal(orr_devs_run_advance(run, 0.25), ORR_STATUS_OK);
    const uint64_t before = orr_devs_run_facts(run).n_bags;
    const orr_perturbation message = { orr_model_find(model, "x"), 5 };
    assert_true(orr_devs_run_send(run, 0.5, 0, &message));
    assert_int_equal(orr_devs_run_advance(run, 0.5), ORR_STATUS_OK);
    assert_int_equal(orr_devs_run_facts(run).n_bags - before - 1, 2 * N - 1);
    orr_devs_run_destroy(run);
    orr_devs_destroy(devs);
    for (uint32_t i = 0; i < N; i++) orr_island_destroy(islands[i]);
    orr_model_destroy(model);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
}

// ---- The state graph

static void test_the_documented_state_graph_is_the_one_in_force(void **state)
{
    (void)state;
    FILE *file = fopen("docs/decisions/islands.md", "r");
    assert_non_null(file);
    StrBuf doc = { 0 };
    char line[1024];
    while (fgets(line, sizeof line, file)) str_addf(&doc, "%s", line);
    fclose(file);
    for (int is_quantised = 0; is_quantised < 2; is_quantised++) {
        char *graph = NULL;
        size_t size;
        FILE *out = open_memstream(&graph, &size);
        island_print_graph(is_quantised, out);
        fclose(out);
        // indented, as code
        StrBuf expected = { 0 };
        for (const char *p = graph; *p;) {
            const size_t n = strcspn(p, "\n");
            str_addf(&expected, "    %.*s\n", (int)n, p);
            p += n + (p[n] == '\n');
        }
        assert_contains(doc.p, expected.p);
        str_free(&expected);
        free(graph);
    }
    str_free(&doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ring_needs_twice_its_length_less_one),
        cmocka_unit_test(test_a_complete_graph_needs_three),
        cmocka_unit_test(test_random_graphs_keep_the_bound),
        cmocka_unit_test(test_sets_of_islands_have_any_size),
        cmocka_unit_test(test_the_documented_state_graph_is_the_one_in_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

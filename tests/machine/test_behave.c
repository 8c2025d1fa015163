// tests/machine/test_behave.c: what machines do: the report's exercises, and properties of random machines.
#include "check.h"
#include "orrery/orrery.h"
#include <stdlib.h>

// xorshift64*: below n
static uint32_t random_below(uint64_t *seed, uint32_t n)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (uint32_t)((*seed * 0x2545f4914f6cdd1dULL) >> 40) % n;
}

static orr_machine *open_example(const char *file, const char *name)
{
    char path[512];
    const char *root = getenv("ORRERY_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/examples/%s", root ? root : ".", file);
    orr_diag *diag = orr_diag_create();
    orr_machine *machine = orr_machine_open(path, name, diag);
    orr_diag_print(diag, stdout, 0);
    orr_diag_destroy(diag);
    assert_non_null(machine);
    return machine;
}

// The states gone through and the outputs shown from `from`, as "a b c" on the heap.
static char *walk(const orr_machine *m, const char *from, const char *text, orr_machine_set what)
{
    uint32_t *inputs, states[64], outputs[64];
    size_t n, length;
    assert_true(orr_machine_read_sequence(m, ORR_MACHINE_INPUTS, text, &inputs, &n, NULL));
    assert_true(n < 63);
    orr_walk w = { .state = orr_machine_find(m, ORR_MACHINE_STATES, from) };
    assert_true(w.state != ORR_MACHINE_NONE);
    orr_machine_advance(m, &w, inputs, n, states, outputs);
    states[n] = w.state;
    if (!orr_machine_is_mealy(m)) outputs[n] = orr_machine_output(m, w.state, 0);
    const size_t count = what == ORR_MACHINE_STATES ? n + 1 : orr_machine_n_outputs(m, n);
    char *list = NULL;
    FILE *out = open_memstream(&list, &length);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? "|" : "",
                orr_machine_text(m, what, what == ORR_MACHINE_STATES ? states[i] : outputs[i]));
    fclose(out);
    free(inputs);
    return list;
}

static void expect_walk(const orr_machine *m, const char *from, const char *inputs, const char *states,
                        const char *outputs)
{
    char *s = walk(m, from, inputs, ORR_MACHINE_STATES), *o = walk(m, from, inputs, ORR_MACHINE_OUTPUTS);
    if (states) assert_string_equal(s, states);
    if (outputs) assert_string_equal(o, outputs);
    free(s);
    free(o);
}

// ---- The report

static void test_baby_behaves_as_sections_6_and_7_say(void **state)
{
    (void)state;
    orr_machine *baby = open_example("baby.orr", NULL);
    expect_walk(baby, "wants to eat", "toy, food, toy, food",
                "wants to eat|wants to eat|eating|wants to play|wants to play",
                "cries|cries|quiet|cries|cries");
    expect_walk(baby, "wants to eat", "toy, food, toy, food, toy",
                "wants to eat|wants to eat|eating|wants to play|wants to play|playing", NULL);
    // exercise 7.3
    expect_walk(baby, "wants to eat", "toy,toy,toy,toy,toy,toy", NULL,
                "cries|cries|cries|cries|cries|cries|cries");
    expect_walk(baby, "wants to eat", "food,food,food,food,food,food",
                "wants to eat|eating|wants to play|wants to play|wants to play|wants to play|wants to play",
                NULL);
    // section 12: sleeping, then toys as often as one likes, then food
    expect_walk(baby, "wants to eat", "food", NULL, "cries|quiet");
    expect_walk(baby, "wants to eat", "toy, food", NULL, "cries|cries|quiet");
    expect_walk(baby, "wants to eat", "toy, toy, food", NULL, "cries|cries|cries|quiet");
    orr_machine_destroy(baby);
}

// Table 4b is misprinted in the report; these are its values by its own Table 1.
static void test_table_4b(void **state)
{
    (void)state;
    static const char *const rows[] = { "CCqCC", "qCCqq", "CqqCq", "qqCCq", "qCqCC" };
    orr_machine *baby = open_example("baby.orr", NULL);
    assert_int_equal(orr_machine_count(baby, ORR_MACHINE_STATES), 5);
    for (uint32_t s = 0; s < 5; s++) {
        char *outputs = walk(baby, orr_machine_text(baby, ORR_MACHINE_STATES, s), "toy,food,toy,food",
                             ORR_MACHINE_OUTPUTS);
        char row[8] = "";
        for (char *at = strtok(outputs, "|"); at; at = strtok(NULL, "|"))
            strcat(row, strcmp(at, "cries") == 0 ? "C" : "q");
        assert_string_equal(row, rows[s]);
        free(outputs);
    }
    orr_machine_destroy(baby);
}

static void test_everyday_machines_behave_as_exercise_7_4_asks(void **state)
{
    (void)state;
    orr_machine *m = open_example("everyday_machines.orr", "PushButton");
    expect_walk(m, "off", "press, no press, no press", "off|on|on|on", "dark|shines|shines|shines");
    orr_machine_destroy(m);
    m = open_example("everyday_machines.orr", "Crossing");
    expect_walk(m, "gate up",
                "sensor not depressed, sensor depressed, sensor depressed, sensor not depressed",
                "gate up|gate up|gate down|gate down|gate up", "up|up|down|down|up");
    orr_machine_destroy(m);
    m = open_example("everyday_machines.orr", "Customer");
    expect_walk(m, "head for counter", "someone ahead, someone ahead, someone ahead, no one ahead",
                "head for counter|wait in line|wait in line|wait in line|turn to be served", NULL);
    orr_machine_destroy(m);
}

static void test_dispenser_counts_to_25_cents(void **state)
{
    (void)state;
    orr_machine *m = open_example("everyday_machines.orr", "Dispenser");
    // exercise 7.5: two dimes or four nickels end with a can or not alike, from every state
    for (uint32_t s = 0; s < 6; s++) {
        const char *from = orr_machine_text(m, ORR_MACHINE_STATES, s);
        char *dimes = walk(m, from, "10¢,10¢", ORR_MACHINE_OUTPUTS);
        char *nickels = walk(m, from, "5¢,5¢,5¢,5¢", ORR_MACHINE_OUTPUTS);
        assert_string_equal(strrchr(dimes, '|'), strrchr(nickels, '|'));
        free(dimes);
        free(nickels);
    }
    // it has received k nickels' worth: any order of coins that fit exactly releases a can
    expect_walk(m, "received[0]", "10¢,10¢,5¢", NULL,
                "no release of can|no release of can|no release of can|release can");
    expect_walk(m, "received[0]", "25¢,25¢", NULL, "no release of can|release can|release can");
    expect_walk(m, "received[4]", "10¢,0¢,5¢,0¢",
                "received[4]|received[4]|received[4]|received[5]|received[0]", NULL);
    orr_machine_destroy(m);
}

static void test_prediction_of_exercise_10_1(void **state)
{
    (void)state;
    orr_machine *baby = open_example("baby.orr", NULL);
    const uint32_t food = orr_machine_find(baby, ORR_MACHINE_INPUTS, "food");
    const uint32_t cries = orr_machine_find(baby, ORR_MACHINE_OUTPUTS, "cries");
    const uint32_t play = orr_machine_find(baby, ORR_MACHINE_STATES, "wants to play");
    const uint32_t seen[] = { cries, cries };
    orr_prediction p = orr_machine_predict(baby, &food, 1, seen, 2);
    assert_int_equal(p.n_were, 1);
    assert_int_equal(p.n_are, 1);
    assert_true(p.was[play] > 0);
    assert_near(p.is[play], 1, 0);
    orr_prediction_free(&p);
    // nothing observed: anything is possible, but food leads to three states only
    p = orr_machine_predict(baby, &food, 1, NULL, 0);
    assert_int_equal(p.n_were, 5);
    assert_int_equal(p.n_are, 4);
    orr_prediction_free(&p);
    orr_machine_destroy(baby);
}

// ---- Random machines

typedef struct Random { char text[20000]; uint32_t n_states, n_inputs, n_outputs; } Random;

// Text of a random machine, with names that need quotes.
static void make_random(Random *r, uint64_t *seed, bool is_mealy, bool by_chance)
{
    r->n_states = 1 + random_below(seed, 8);
    r->n_inputs = 1 + random_below(seed, 3);
    r->n_outputs = 1 + random_below(seed, 3);
    char *at = r->text;
    at += sprintf(at, "machine R\ninput \"i 0\"");
    for (uint32_t i = 1; i < r->n_inputs; i++) at += sprintf(at, ", \"i %u\"", i);
    at += sprintf(at, "\nstart \"s|/%u\"\n", random_below(seed, r->n_states));
    for (uint32_t s = 0; s < r->n_states; s++) {
        at += sprintf(at, "state \"s|/%u\"", s);
        if (!is_mealy) at += sprintf(at, " / \"o:{%u}\"", random_below(seed, r->n_outputs));
        for (uint32_t i = 0; i < r->n_inputs; i++) {
            at += sprintf(at, "%s \"i %u\" -> ", i ? "," : " :", i);
            if (by_chance && random_below(seed, 2)) {
                const uint32_t k = 1 + random_below(seed, 7);
                at += sprintf(at, "%u/8 \"s|/%u\" | %u/8 ", k, random_below(seed, r->n_states), 8 - k);
            }
            at += sprintf(at, "\"s|/%u\"", random_below(seed, r->n_states));
            if (is_mealy) at += sprintf(at, " / \"o:{%u}\"", random_below(seed, r->n_outputs));
        }
        at += sprintf(at, "\n");
    }
    sprintf(at, "end\n");
}

static orr_machine *parse(const char *path, const char *text)
{
    orr_diag *diag = orr_diag_create();
    orr_machine *m = orr_machine_parse(path, text, strlen(text), NULL, diag);
    if (!m) {
        orr_diag_print(diag, stdout, 0);
        print_error("%s\n", text);
    }
    orr_diag_destroy(diag);
    assert_non_null(m);
    return m;
}

static void test_written_machines_are_read_as_they_were(void **state)
{
    (void)state;
    static const struct { orr_machine_form form; const char *path; } forms[] = {
        { ORR_MACHINE_CSV, "R.csv" }, { ORR_MACHINE_DOT, "R.dot" }, { ORR_MACHINE_ORR, "R.orr" },
    };
    uint64_t seed = 7;
    for (int round = 0; round < 300; round++) {
        Random r;
        make_random(&r, &seed, round % 2, round % 3 == 0);
        orr_machine *m = parse("R.orr", r.text);
        char *before = orr_machine_write(m, ORR_MACHINE_JSON);
        for (size_t i = 0; i < 3; i++) {
            char *text = orr_machine_write(m, forms[i].form);
            orr_machine *again = parse(forms[i].path, text);
            char *behind = orr_machine_write(again, ORR_MACHINE_JSON);
            assert_string_equal(behind, before);
            orr_machine_destroy(again);
            free(text);
            free(behind);
        }
        free(before);
        orr_machine_destroy(m);
    }
}

static void test_walks_in_pieces_are_walks_in_one_go(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < 200; round++) {
        Random r;
        make_random(&r, &seed, round % 2, true);
        orr_machine *m = parse("R.orr", r.text);
        enum { N = 100 };
        uint32_t inputs[N], states[N], outputs[N], piece_states[N], piece_outputs[N];
        for (int i = 0; i < N; i++) inputs[i] = random_below(&seed, r.n_inputs);
        orr_walk whole = { .seed = (uint64_t)round }, piece = whole, blind = whole;
        orr_machine_advance(m, &whole, inputs, N, states, outputs);
        orr_machine_advance(m, &blind, inputs, N, NULL, NULL);
        for (size_t at = 0; at < N;) {
            size_t n = 1 + random_below(&seed, 9);
            if (n > N - at) n = N - at;
            orr_machine_advance(m, &piece, inputs + at, n, piece_states + at, piece_outputs + at);
            at += n;
        }
        assert_int_equal(whole.state, piece.state);
        assert_int_equal(whole.state, blind.state);
        assert_int_equal(piece.step, N);
        assert_memory_equal(states, piece_states, sizeof states);
        assert_memory_equal(outputs, piece_outputs, sizeof outputs);
        // each step is one the machine has
        for (int i = 0; i < N; i++) {
            const uint32_t next = i + 1 < N ? states[i + 1] : whole.state;
            bool possible = false;
            for (uint32_t k = 0; k < orr_machine_branches(m, states[i], inputs[i]); k++)
                possible |= orr_machine_next(m, states[i], inputs[i], k, NULL) == next;
            assert_true(possible);
            assert_int_equal(outputs[i], orr_machine_output(m, states[i], inputs[i]));
        }
        orr_machine_destroy(m);
    }
}

// Against trying every initial state by hand.
static void test_predictions_agree_with_trying_every_state(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int round = 0; round < 500; round++) {
        Random r;
        make_random(&r, &seed, round % 2, false);
        orr_machine *m = parse("R.orr", r.text);
        const uint32_t n_outputs_of_m = orr_machine_count(m, ORR_MACHINE_OUTPUTS);
        uint32_t inputs[6], seen[7], outputs[7];
        const size_t n = random_below(&seed, 7);
        const size_t n_seen = orr_machine_n_outputs(m, n);
        for (size_t i = 0; i < n; i++) inputs[i] = random_below(&seed, r.n_inputs);
        // half of the time what some state shows, else anything; one in five is not observed
        orr_walk real = { .state = random_below(&seed, r.n_states) };
        orr_machine_advance(m, &real, inputs, n, NULL, seen);
        if (n_seen > n) seen[n] = orr_machine_output(m, real.state, 0);
        const bool any = random_below(&seed, 2);
        for (size_t i = 0; i < n_seen; i++) {
            if (any) seen[i] = random_below(&seed, n_outputs_of_m);
            if (random_below(&seed, 5) == 0) seen[i] = ORR_MACHINE_NONE;
        }
        orr_prediction p = orr_machine_predict(m, inputs, n, seen, n_seen);
        double share[8] = { 0 };
        uint32_t n_were = 0;
        for (uint32_t s = 0; s < r.n_states; s++) {
            orr_walk w = { .state = s };
            orr_machine_advance(m, &w, inputs, n, NULL, outputs);
            if (n_seen > n) outputs[n] = orr_machine_output(m, w.state, 0);
            bool agrees = true;
            for (size_t i = 0; i < n_seen; i++)
                agrees &= seen[i] == ORR_MACHINE_NONE || seen[i] == outputs[i];
            assert_int_equal(p.was[s] > 0, agrees);
            n_were += agrees;
            if (agrees) share[w.state] += 1;
        }
        assert_int_equal(p.n_were, n_were);
        for (uint32_t s = 0; s < r.n_states; s++)
            assert_near(p.is[s], n_were ? share[s] / n_were : 0, 1e-12);
        orr_prediction_free(&p);
        orr_machine_destroy(m);
    }
}

static void test_chances_come_as_often_as_they_say(void **state)
{
    (void)state;
    orr_machine *m = parse("R.orr", "machine R\ninput toss\n"
                                    "state a / a : toss -> 0.2 a | 0.3 b | 0.5 c\n"
                                    "state b / b : toss -> a\nstate c / c : toss -> a\nend\n");
    enum { N = 200000 };
    uint32_t *inputs = calloc(N, sizeof *inputs), *states = calloc(N, sizeof *states);
    orr_walk w = { .seed = 5 };
    orr_machine_advance(m, &w, inputs, N, states, NULL);
    double n[3] = { 0 };
    for (size_t i = 0; i < N; i++) n[states[i]] += 1;
    // the stationary distribution: a = 0.2 a + b + c, b = 0.3 a, c = 0.5 a
    const double a = 1 / 1.8;
    assert_near(n[0] / N, a, 5e-3);
    assert_near(n[1] / N, 0.3 * a, 5e-3);
    assert_near(n[2] / N, 0.5 * a, 5e-3);
    // another seed is another walk, the same seed the same
    uint32_t *others = calloc(N, sizeof *others);
    w = (orr_walk){ .seed = 6 };
    orr_machine_advance(m, &w, inputs, N, others, NULL);
    assert_true(memcmp(states, others, N * sizeof *states) != 0);
    w = (orr_walk){ .seed = 5 };
    orr_machine_advance(m, &w, inputs, N, others, NULL);
    assert_memory_equal(states, others, N * sizeof *states);
    free(inputs);
    free(states);
    free(others);
    orr_machine_destroy(m);
}

// ---- Validation

static void test_finger_game_is_judged_as_known(void **state)
{
    (void)state;
    static const struct { const char *name; size_t rating, falsified_by; } known[] = {
        { "Copies", 0, 1 }, { "Alternates", 0, 1 }, { "Adds", 1, 2 },
    };
    static const char text[] = "1, 1, 1, 1 : 1, 2, 2, 1, 2\n2, 2, 2, 2 : 2, 1, 1, 1, 1\n";
    orr_ledger *ledger = orr_ledger_parse("play.ledger", text, strlen(text), NULL);
    assert_non_null(ledger);
    for (size_t i = 0; i < 3; i++) {
        orr_machine *m = open_example("finger_game.orr", known[i].name);
        const orr_machine *const rivals[] = { m };
        orr_validation v;
        assert_true(orr_ledger_validate(ledger, m, rivals, 1, &v, NULL));
        assert_int_equal(v.rating, known[i].rating);
        assert_int_equal(v.falsified_by, known[i].falsified_by);
        // c survives the first experiment from state (2, 1) only
        if (i == 2) {
            assert_int_equal(v.agreeing[0], 1);
            uint32_t inputs[] = { 0, 0, 0, 0 };
            const uint32_t one = orr_machine_find(m, ORR_MACHINE_OUTPUTS, "1"), two = 1 - one;
            const uint32_t seen[] = { one, two, two, one, two };
            orr_prediction p = orr_machine_predict(m, inputs, 4, seen, 5);
            assert_true(p.was[orr_machine_find(m, ORR_MACHINE_STATES, "F[2,1]")] > 0);
            orr_prediction_free(&p);
        }
        orr_validation_free(&v);
        size_t n, n_sensible = 0;
        bool too_large;
        orr_repair *repairs = orr_ledger_repairs(ledger, m, &n, &too_large);
        for (size_t k = 0; k < n; k++) {
            // F[a,b] can only lead to some F[b,c]
            const char *from = orr_machine_text(m, ORR_MACHINE_STATES, repairs[k].state);
            const char *to = orr_machine_text(m, ORR_MACHINE_STATES, repairs[k].now);
            if (repairs[k].is_output || from[4] != to[2]) continue;
            n_sensible++;
            assert_string_equal(from, "F[1,1]");
            assert_string_equal(to, "F[1,1]");
            assert_string_equal(orr_machine_text(m, ORR_MACHINE_INPUTS, repairs[k].input), "2");
        }
        assert_int_equal(n_sensible, i == 2 ? 1 : 0);
        free(repairs);
        orr_machine_destroy(m);
    }
    orr_ledger_destroy(ledger);
}

// d and e fail the first experiment however they are completed.
static void test_no_completion_of_d_or_e_survives(void **state)
{
    (void)state;
    static const char text[] = "1, 1, 1, 1 : 1, 2, 2, 1, 2\n";
    orr_ledger *ledger = orr_ledger_parse("play.ledger", text, strlen(text), NULL);
    for (int choice = 0; choice < 18; choice++) {
        char machine[1000];
        if (choice < 16)    // d: what he does after the same number twice is open: 4 cells, 2 moves each
            snprintf(machine, sizeof machine,
                     "machine D\ninput 1, 2\nstate \"1,1\" / 1 : 1 -> \"1,%d\", 2 -> \"1,%d\"\n"
                     "state \"1,2\" / 2 : 1 -> \"2,1\", 2 -> \"2,2\"\n"
                     "state \"2,1\" / 1 : 1 -> \"1,1\", 2 -> \"1,2\"\n"
                     "state \"2,2\" / 2 : 1 -> \"2,%d\", 2 -> \"2,%d\"\nend\n",
                     1 + choice % 2, 1 + choice / 2 % 2, 1 + choice / 4 % 2, 1 + choice / 8 % 2);
        else    // e: on one of your moves he repeats, on the other he alternates
            snprintf(machine, sizeof machine,
                     "machine E\ninput 1, 2\nstate F[2, 2]\nF[a, b] / if b == 1 then 1 else 2\n"
                     "F[a, b] on %d -> F[b, b]\nF[a, b] on %d -> F[b, 3 - b]\nend\n",
                     choice - 15, 18 - choice);
        orr_machine *m = parse("D.orr", machine);
        const orr_machine *const rivals[] = { m };
        orr_validation v;
        assert_true(orr_ledger_validate(ledger, m, rivals, 1, &v, NULL));
        assert_int_equal(v.falsified_by, 1);
        orr_validation_free(&v);
        orr_machine_destroy(m);
    }
    orr_ledger_destroy(ledger);
}

// Section 12: with the repair, playing what the model predicts, both play 1 in rounds 3 to 7.
static void test_repaired_model_predicts_rounds_3_to_7(void **state)
{
    (void)state;
    orr_machine *m = parse("R.orr",
                           "machine R\ninput 1, 2\nstate F[2, 2]\nF[a, b] / if b == 1 then 1 else 2\n"
                           "F[1, 1] on 2 -> F[1, 1]\n"
                           "F[1, 1] on 1 -> F[1, 2 - mod(1 + 1 + 1, 2)]\n"
                           "F[1, 2] on 1 -> F[2, 2]\nF[1, 2] on 2 -> F[2, 1]\n"
                           "F[2, 1] on 1 -> F[1, 2]\nF[2, 1] on 2 -> F[1, 1]\n"
                           "F[2, 2] on 1 -> F[2, 1]\nF[2, 2] on 2 -> F[2, 2]\nend\n");
    // round 1: you 1, he 2; round 2: you 2, he 1: he stands in F[2,1], and your last move 2 comes now
    orr_walk w = { .state = orr_machine_find(m, ORR_MACHINE_STATES, "F[2,1]") };
    uint32_t yours = orr_machine_find(m, ORR_MACHINE_INPUTS, "2");
    for (int round = 3; round <= 7; round++) {
        orr_machine_advance(m, &w, &yours, 1, NULL, NULL);
        const char *his = orr_machine_text(m, ORR_MACHINE_OUTPUTS, orr_machine_output(m, w.state, 0));
        assert_string_equal(his, "1");
        yours = orr_machine_find(m, ORR_MACHINE_INPUTS, his);    // the same as he: you win
    }
    orr_machine_destroy(m);
}

static void test_ledgers_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const struct { const char *text, *code; } bad[] = {
        { "toy, food\n", "E818" },
        { "toy : cries, cries, cries\n", "E818" },
        { "toy : : cries\n", "E818" },
        { "toy :\n", "E818" },
        { "? : cries, cries\n", "E818" },
        { "from : toy : cries\n", "E818" },
        { "ledger of Door\ntoy : cries, cries\n", "E819" },
        { "tooy : cries, cries\n", "E819" },
        { "toy : cries, crise\n", "E819" },
        { "from eatin : toy : cries, cries\n", "E819" },
    };
    orr_machine *baby = open_example("baby.orr", NULL);
    const orr_machine *const rivals[] = { baby };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        orr_diag *diag = orr_diag_create();
        orr_ledger *ledger = orr_ledger_parse("bad.ledger", bad[i].text, strlen(bad[i].text), diag);
        if (ledger) {
            orr_validation v;
            assert_false(orr_ledger_validate(ledger, baby, rivals, 1, &v, diag));
            orr_validation_free(&v);
        }
        if (orr_diag_count(diag) == 0) fail_msg("no message about %s", bad[i].text);
        assert_string_equal(orr_diag_get(diag, 0).code, bad[i].code);
        assert_true(orr_diag_get(diag, 0).line > 0);
        orr_ledger_destroy(ledger);
        orr_diag_destroy(diag);
    }
    // and these make sense
    static const char
        fine[] = "ledger of Baby, \"Other one\"\n\ntoy, food : cries, ?, quiet   # seen at night\n"
                 "from sleeping : toy : quiet, cries\n : quiet\n";
    orr_ledger *ledger = orr_ledger_parse("fine.ledger", fine, strlen(fine), NULL);
    assert_non_null(ledger);
    assert_int_equal(orr_ledger_count(ledger), 3);
    orr_validation v;
    assert_true(orr_ledger_validate(ledger, baby, rivals, 1, &v, NULL));
    assert_int_equal(v.rating, 3);
    assert_int_equal(v.agreeing[1], 1);
    assert_int_equal(v.agreeing[2], 3);
    orr_validation_free(&v);
    orr_ledger_destroy(ledger);
    orr_machine_destroy(baby);
}

static void test_sequences_are_read_as_people_write_them(void **state)
{
    (void)state;
    orr_machine *m = parse("R.orr", "machine R\ninput a, \"b, c\", \"d e\"\nstate S / x : * -> S\nend\n");
    uint32_t *sequence;
    size_t n;
    assert_true(orr_machine_read_sequence(m, ORR_MACHINE_INPUTS, " a,\"b, c\" ,d e\n\n# a, b\na # x\n",
                                          &sequence, &n, NULL));
    const uint32_t expected[] = { 0, 1, 2, 0 };
    assert_int_equal(n, 4);
    assert_memory_equal(sequence, expected, sizeof expected);
    free(sequence);
    assert_true(orr_machine_read_sequence(m, ORR_MACHINE_OUTPUTS, "x, ?, x", &sequence, &n, NULL));
    assert_int_equal(sequence[1], ORR_MACHINE_NONE);
    free(sequence);
    orr_diag *diag = orr_diag_create();
    assert_false(orr_machine_read_sequence(m, ORR_MACHINE_INPUTS, "a, d f, d f, q", &sequence, &n, diag));
    assert_null(sequence);
    assert_int_equal(orr_diag_errors(diag), 2);    // each once
    assert_string_equal(orr_diag_get(diag, 0).hint, "did you mean 'd e'?");
    orr_diag_destroy(diag);
    orr_machine_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_baby_behaves_as_sections_6_and_7_say),
        cmocka_unit_test(test_table_4b),
        cmocka_unit_test(test_everyday_machines_behave_as_exercise_7_4_asks),
        cmocka_unit_test(test_dispenser_counts_to_25_cents),
        cmocka_unit_test(test_prediction_of_exercise_10_1),
        cmocka_unit_test(test_written_machines_are_read_as_they_were),
        cmocka_unit_test(test_walks_in_pieces_are_walks_in_one_go),
        cmocka_unit_test(test_predictions_agree_with_trying_every_state),
        cmocka_unit_test(test_chances_come_as_often_as_they_say),
        cmocka_unit_test(test_finger_game_is_judged_as_known),
        cmocka_unit_test(test_no_completion_of_d_or_e_survives),
        cmocka_unit_test(test_repaired_model_predicts_rounds_3_to_7),
        cmocka_unit_test(test_ledgers_that_make_no_sense_are_refused),
        cmocka_unit_test(test_sequences_are_read_as_people_write_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

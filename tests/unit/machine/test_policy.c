// tests/unit/machine/test_policy.c: policies against trying all of them; the baby of section 12.
#include "machine/policy.h"
#include "machines.h"
#include "num/lu.h"

static Machine *random_chances(Arena *arena, Dice *d, MachineKind kind, uint32_t n, uint32_t k, bool sparse)
{
    Machine *m = random_machine(arena, d, kind, n, k, 3);
    uint32_t *first = ARENA_ARRAY(arena, uint32_t, (size_t)n * k + 1),
             *to = ARENA_ARRAY(arena, uint32_t, (size_t)3 * n * k), at = 0;
    double *p = ARENA_ARRAY(arena, double, (size_t)3 * n * k);
    for (size_t cell = 0; cell < (size_t)n * k; cell++) {
        first[cell] = at;
        if (dice_roll(d, 3) == 0) continue;    // a certain move
        next_of(m)[cell] = MACHINE_NONE;
        const uint32_t n_branches = 2 + dice_roll(d, 2);
        double sum = 0;
        for (uint32_t b = 0; b < n_branches; b++) {
            // sparse: often stays or goes up, so that there are several end components
            to[at + b] = sparse ? (uint32_t)(cell / k) + dice_roll(d, n - (uint32_t)(cell / k))
                                : dice_roll(d, n);
            sum += p[at + b] = 1 + dice_roll(d, 5);
        }
        for (uint32_t b = 0; b < n_branches; b++) p[at + b] /= sum;
        at += n_branches;
    }
    first[(size_t)n * k] = at;
    m->branch_first = first;
    m->branch_next = to;
    m->branch_probability = p;
    if (sparse)
        for (size_t cell = 0; cell < (size_t)n * k; cell++)
            if (m->next[cell] != MACHINE_NONE && dice_roll(d, 2)) next_of(m)[cell] = (uint32_t)(cell / k);
    return m;
}

// row of probabilities of a state under an input
static void row_of(const Machine *m, uint32_t s, uint32_t i, double *row)
{
    const size_t cell = (size_t)s * m->n_inputs + i;
    for (uint32_t t = 0; t < m->n_states; t++) row[t] = 0;
    if (m->next[cell] != MACHINE_NONE) row[m->next[cell]] = 1;
    else
        for (uint32_t b = m->branch_first[cell]; b < m->branch_first[cell + 1]; b++)
            row[m->branch_next[b]] += m->branch_probability[b];
}

// P* of a policy: the long-run matrix, by squaring the lazy chain often.
static void long_run(const Machine *m, const uint32_t *policy, double *limit)
{
    const uint32_t n = m->n_states;
    double other[64];
    for (uint32_t s = 0; s < n; s++) {
        row_of(m, s, policy[s], limit + s * n);
        for (uint32_t t = 0; t < n; t++) limit[s * n + t] = (limit[s * n + t] + (s == t)) / 2;
    }
    for (int i = 0; i < 60; i++) {
        for (uint32_t s = 0; s < n; s++) {
            double sum = 0;
            for (uint32_t t = 0; t < n; t++) {
                other[s * n + t] = 0;
                for (uint32_t r = 0; r < n; r++) other[s * n + t] += limit[s * n + r] * limit[r * n + t];
                sum += other[s * n + t];
            }
            for (uint32_t t = 0; t < n; t++) other[s * n + t] /= sum;
        }
        memcpy(limit, other, n * n * sizeof *other);
    }
}

static double step_cost(const Machine *m, const double *output_cost, const double *input_cost, uint32_t s,
                        uint32_t i)
{
    return output_cost[m->kind == MACHINE_MOORE ? m->out[s] : m->out[s * m->n_inputs + i]] + input_cost[i];
}

// Least cost from each state over all policies, as each state's own choice; discount 1: the average.
static void try_all(const Machine *m, const double *output_cost, const double *input_cost, double discount,
                    double *best)
{
    const uint32_t n = m->n_states, k = m->n_inputs;
    uint32_t policy[8] = { 0 };
    for (uint32_t s = 0; s < n; s++) best[s] = INFINITY;
    for (;;) {
        double value[8], a[64];
        size_t pivots[8];
        if (discount == 1) {
            long_run(m, policy, a);
            for (uint32_t s = 0; s < n; s++) {
                value[s] = 0;
                for (uint32_t t = 0; t < n; t++)
                    value[s] += a[s * n + t] * step_cost(m, output_cost, input_cost, t, policy[t]);
            }
        } else {
            for (uint32_t s = 0; s < n; s++) {
                row_of(m, s, policy[s], a + s * n);
                for (uint32_t t = 0; t < n; t++) a[s * n + t] = (s == t) - discount * a[s * n + t];
                value[s] = step_cost(m, output_cost, input_cost, s, policy[s]);
            }
            assert_true(lu_factor(a, n, pivots, NULL));
            lu_solve(a, n, pivots, value);
        }
        for (uint32_t s = 0; s < n; s++) best[s] = fmin(best[s], value[s]);
        uint32_t at = 0;
        while (at < n && ++policy[at] == k) policy[at++] = 0;
        if (at == n) return;
    }
}

static void random_costs(Dice *d, double *cost, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) cost[i] = (double)dice_roll(d, 100) / 10 - 3;
}

static void check_endless(const Machine *m, Dice *d, double discount)
{
    double output_cost[3], input_cost[3], expected[8];
    random_costs(d, output_cost, 3);
    random_costs(d, input_cost, 3);
    orr_machine *x = machine_wrap(m);
    orr_policy_options o = orr_policy_options_default();
    o.output_cost = output_cost;
    o.input_cost = input_cost;
    o.criterion = discount == 1 ? ORR_CRITERION_AVERAGE : ORR_CRITERION_DISCOUNTED;
    o.discount = discount;
    o.from = 0;
    orr_policy p = orr_machine_policy(x, &o, NULL);
    assert_int_equal(p.status, ORR_STATUS_OK);
    try_all(m, output_cost, input_cost, discount, expected);
    for (uint32_t s = 0; s < m->n_states; s++)
        assert_near(p.value[s], expected[s], 1e-8 * (1 + fabs(expected[s])));

    // the policy itself achieves it
    double limit[64];
    if (discount == 1) {
        long_run(m, p.input, limit);
        for (uint32_t s = 0; s < m->n_states; s++) {
            double average = 0;
            for (uint32_t t = 0; t < m->n_states; t++)
                average += limit[s * m->n_states + t] * step_cost(m, output_cost, input_cost, t, p.input[t]);
            assert_near(average, expected[s], 1e-8);
        }
        // shares are those of the stationary distribution that state 0 leads to
        for (uint32_t t = 0; t < m->n_states; t++) assert_near(p.share[t], limit[t], 1e-9);
    }
    for (uint32_t s = 0; s < m->n_states; s++) assert_true(p.is_best[s * m->n_inputs + p.input[s]]);
    if (p.word.n > 0 && discount == 1) assert_near(p.cycle_cost / (double)p.n_cycle, expected[0], 1e-9);
    orr_policy_free(&p);
    orr_machine_destroy(x);
}

static void test_policies_are_the_best_of_all(void **state)
{
    (void)state;
    Dice dice = { 1978 };
    for (int round = 0; round < 300; round++) {
        Arena arena = { 0 };
        const MachineKind kind = round % 2 ? MACHINE_MEALY : MACHINE_MOORE;
        const uint32_t n = 1 + dice_roll(&dice, 5), k = 1 + dice_roll(&dice, 3);
        const Machine *certain = random_machine(&arena, &dice, kind, n, k, 3);
        const Machine *chance = random_chances(&arena, &dice, kind, n, k, round % 3 == 0);
        check_endless(certain, &dice, 1);
        check_endless(certain, &dice, 0.9);
        check_endless(chance, &dice, 1);
        check_endless(chance, &dice, 0.95);
        arena_free(&arena);
    }
}

// The way there is cheap too: the first discount near 1 at which policies agree. Here: two ways into the same
// cycle.
static void test_average_takes_the_cheaper_way(void **state)
{
    (void)state;
    Arena arena = { 0 };
    for (int chance = 0; chance < 2; chance++) {
        Machine *m = draft(&arena, MACHINE_MOORE, 4, 2, 3);
        static const uint32_t next[] = { 1, 2, 3, 3, 3, 3, 3, 3 }, out[] = { 0, 2, 1, 0 };
        static const uint32_t first[] = { 0, 0, 0, 0, 0, 0, 0, 0, 2 }, to[] = { 3, 3 };
        static const double p[] = { 0.5, 0.5 };
        memcpy(next_of(m), next, sizeof next);
        memcpy(out_of(m), out, sizeof out);
        if (chance) {
            next_of(m)[7] = MACHINE_NONE;
            m->branch_first = first;
            m->branch_next = to;
            m->branch_probability = p;
        }
        orr_machine *x = machine_wrap(m);
        const double cost[] = { 0, 1, 2 };
        orr_policy_options o = orr_policy_options_default();
        o.output_cost = cost;
        orr_policy r = orr_machine_policy(x, &o, NULL);
        assert_int_equal(r.input[0], 1);
        assert_false(r.is_best[0]);
        assert_true(r.is_best[2] && r.is_best[3]);
        assert_near(r.value[0], 0, 1e-12);
        orr_policy_free(&r);
        orr_machine_destroy(x);
    }
    arena_free(&arena);
}

// A deterministic machine by the road of the stochastic ones gives the same averages.
static void test_two_ways_to_the_average_agree(void **state)
{
    (void)state;
    Dice dice = { 33 };
    for (int round = 0; round < 20; round++) {
        Arena arena = { 0 };
        const uint32_t n = 20 + dice_roll(&dice, 200);
        Machine *m = random_machine(&arena, &dice, MACHINE_MEALY, n, 2, 3);
        double cost[3];
        random_costs(&dice, cost, 3);
        Control a = { .m = m,
                      .output_cost = cost,
                      .scale = 7,
                      .value = ARENA_ARRAY(&arena, double, n),
                      .input = ARENA_ARRAY(&arena, uint32_t, n),
                      .bias = ARENA_ARRAY(&arena, double, n) };
        Control b = a;
        b.value = ARENA_ARRAY(&arena, double, n);
        b.input = ARENA_ARRAY(&arena, uint32_t, n);
        b.bias = ARENA_ARRAY(&arena, double, n);
        control_howard(&a, 1);
        assert_int_equal(control_average(&b), CONTROL_DONE);
        for (uint32_t s = 0; s < n; s++) assert_near(a.value[s], b.value[s], 1e-9);
        arena_free(&arena);
    }
}

// Karp (1978): the least mean of a cycle is the least, over states, of the largest (d_n - d_k)/(n - k), where
// d_k is the cheapest way of k moves from a state that reaches all.
static void test_average_agrees_with_karp(void **state)
{
    (void)state;
    Dice dice = { 1978 };
    for (int round = 0; round < 30; round++) {
        Arena arena = { 0 };
        const uint32_t n = 2 + dice_roll(&dice, 60), k = 3;
        Machine *m = random_machine(&arena, &dice, MACHINE_MEALY, n, k, 3);
        for (uint32_t s = 0; s < n; s++) next_of(m)[s * k] = (s + 1) % n;    // reaches all
        double cost[3], *d = ARENA_ARRAY(&arena, double, ((size_t)n + 1) * n), expected = INFINITY;
        random_costs(&dice, cost, 3);
        for (uint32_t s = 1; s < n; s++) d[s] = INFINITY;
        for (uint32_t l = 1; l <= n; l++) {
            for (uint32_t s = 0; s < n; s++) d[l * n + s] = INFINITY;
            for (uint32_t s = 0; s < n; s++)
                for (uint32_t i = 0; i < k; i++) {
                    double *to = &d[l * n + m->next[s * k + i]];
                    *to = fmin(*to, d[(l - 1) * n + s] + cost[m->out[s * k + i]]);
                }
        }
        for (uint32_t s = 0; s < n; s++) {
            double most = -INFINITY;
            for (uint32_t l = 0; l < n && isfinite(d[n * n + s]); l++)
                if (isfinite(d[l * n + s])) most = fmax(most, (d[n * n + s] - d[l * n + s]) / (n - l));
            if (isfinite(most)) expected = fmin(expected, most);
        }
        orr_machine *x = machine_wrap(m);
        orr_policy_options o = orr_policy_options_default();
        o.output_cost = cost;
        orr_policy p = orr_machine_policy(x, &o, NULL);
        for (uint32_t s = 0; s < n; s++) assert_near(p.value[s], expected, 1e-9);
        double sum = 0;
        for (uint32_t s = 0; s < n; s++) sum += p.share[s] * cost[m->out[s * k + p.input[s]]];
        assert_near(sum, expected, 1e-9);
        orr_policy_free(&p);
        orr_machine_destroy(x);
        arena_free(&arena);
    }
}

// ---- A number of steps

static double try_horizon(const Machine *m, const double *output_cost, const double *input_cost, uint32_t s,
                          size_t left)
{
    if (left == 0) return m->kind == MACHINE_MOORE ? output_cost[m->out[s]] : 0;
    double best = INFINITY;
    for (uint32_t i = 0; i < m->n_inputs; i++) {
        double row[8], sum = step_cost(m, output_cost, input_cost, s, i);
        row_of(m, s, i, row);
        for (uint32_t t = 0; t < m->n_states; t++)
            if (row[t] > 0) sum += row[t] * try_horizon(m, output_cost, input_cost, t, left - 1);
        best = fmin(best, sum);
    }
    return best;
}

static void test_horizon_agrees_with_trying_all(void **state)
{
    (void)state;
    Dice dice = { 808 };
    for (int round = 0; round < 100; round++) {
        Arena arena = { 0 };
        const MachineKind kind = round % 2 ? MACHINE_MEALY : MACHINE_MOORE;
        const uint32_t n = 1 + dice_roll(&dice, 4), k = 1 + dice_roll(&dice, 2);
        const Machine *m = round % 3 ? random_machine(&arena, &dice, kind, n, k, 3)
                                     : random_chances(&arena, &dice, kind, n, k, false);
        double output_cost[3], input_cost[2];
        random_costs(&dice, output_cost, 3);
        random_costs(&dice, input_cost, 2);
        orr_machine *x = machine_wrap(m);
        orr_policy_options o = orr_policy_options_default();
        o.output_cost = output_cost;
        o.input_cost = input_cost;
        o.criterion = ORR_CRITERION_HORIZON;
        o.horizon = 1 + dice_roll(&dice, 4);
        o.from = dice_roll(&dice, n);
        orr_policy p = orr_machine_policy(x, &o, NULL);
        for (uint32_t s = 0; s < n; s++)
            assert_near(p.value[s], try_horizon(m, output_cost, input_cost, s, o.horizon), 1e-9);
        if (!m->branch_first) {    // the sequence costs what is promised
            double sum = 0;
            assert_int_equal(p.word.n, o.horizon);
            for (size_t i = 0; i < p.word.n; i++) {
                sum += step_cost(m, output_cost, input_cost, p.path[i], p.word.inputs[i]);
                assert_int_equal(m->next[p.path[i] * k + p.word.inputs[i]], p.path[i + 1]);
            }
            if (kind == MACHINE_MOORE) sum += output_cost[m->out[p.path[p.word.n]]];
            assert_near(sum, p.value[o.from], 1e-9);
        }
        orr_policy_free(&p);
        orr_machine_destroy(x);
        arena_free(&arena);
    }
}

// Section 12: a toy after eating, food after sleeping, and otherwise it does not matter. Least crying: 2/5.
static void test_baby_cries_two_times_in_five(void **state)
{
    (void)state;
    Arena arena = { 0 };
    orr_machine *x = machine_wrap(baby(&arena));
    const double cost[] = { 1, 0 };
    orr_policy_options o = orr_policy_options_default();
    o.output_cost = cost;
    o.from = 4;
    orr_policy p = orr_machine_policy(x, &o, NULL);
    for (uint32_t s = 0; s < 5; s++) {
        assert_near(p.value[s], 0.4, 1e-15);
        assert_near(p.share[s], 0.2, 1e-15);
    }
    assert_int_equal(p.n_cycle, 5);
    assert_near(p.cycle_cost, 2, 0);
    const bool best[] = { false, true, true, true, true, false, true, true, true, true };
    for (size_t i = 0; i < 10; i++) assert_int_equal(p.is_best[i], best[i]);
    orr_policy_free(&p);
    orr_machine_destroy(x);
    arena_free(&arena);
}

// Section 13: after sleeping it wants to eat or to play, equally likely. In the long run: sleep, want one of
// two, …
static void test_uncertain_baby(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Machine *m = baby(&arena);
    static const uint32_t next[] = { 0, 1, 2, 2, 3, 2, 4, 4, MACHINE_NONE, MACHINE_NONE };
    static const uint32_t first[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 4 }, to[] = { 0, 2, 0, 2 };
    static const double p[] = { 0.5, 0.5, 0.5, 0.5 };
    m->next = next;
    m->branch_first = first;
    m->branch_next = to;
    m->branch_probability = p;
    orr_machine *x = machine_wrap(m);
    const double cost[] = { 1, 0 };
    orr_policy_options o = orr_policy_options_default();
    o.output_cost = cost;
    orr_policy r = orr_machine_policy(x, &o, NULL);
    // a round takes 5 steps with 2 of crying, or 3 with 1: (2 + 1)/(5 + 3)
    for (uint32_t s = 0; s < 5; s++) assert_near(r.value[s], 3.0 / 8, 1e-10);
    assert_near(r.share[0], 1.0 / 8, 1e-10);    // wants to eat: once in every second round
    assert_near(r.share[4], 2.0 / 8, 1e-10);
    orr_policy_free(&r);
    orr_machine_destroy(x);
    arena_free(&arena);
}

static void test_nonsense_is_refused(void **state)
{
    (void)state;
    Arena arena = { 0 };
    orr_machine *x = machine_wrap(baby(&arena));
    const double cost[] = { 1, NAN }, fine[] = { 1, 0 };
    orr_policy_options o = orr_policy_options_default();
    orr_diag *diag = orr_diag_create();
    o.output_cost = cost;
    orr_policy p = orr_machine_policy(x, &o, diag);
    assert_int_equal(p.status, ORR_STATUS_USAGE);
    orr_policy_free(&p);
    o.output_cost = fine;
    o.criterion = ORR_CRITERION_DISCOUNTED;
    for (int i = 0; i < 3; i++) {
        o.discount = i;
        p = orr_machine_policy(x, &o, diag);
        assert_int_equal(p.status, ORR_STATUS_USAGE);
        orr_policy_free(&p);
    }
    o.criterion = ORR_CRITERION_HORIZON;
    o.horizon = (size_t)1 << 40;
    p = orr_machine_policy(x, &o, diag);
    assert_int_equal(p.status, ORR_STATUS_FAILED);
    orr_policy_free(&p);
    orr_diag_destroy(diag);
    orr_machine_destroy(x);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policies_are_the_best_of_all),
        cmocka_unit_test(test_average_takes_the_cheaper_way),
        cmocka_unit_test(test_two_ways_to_the_average_agree),
        cmocka_unit_test(test_average_agrees_with_karp),
        cmocka_unit_test(test_horizon_agrees_with_trying_all),
        cmocka_unit_test(test_baby_cries_two_times_in_five),
        cmocka_unit_test(test_uncertain_baby),
        cmocka_unit_test(test_nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

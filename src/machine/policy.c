// src/machine/policy.c: which inputs keep a cost of the outputs low.
#include "machine/policy.h"
#include <math.h>

static const double CHOICES_MAX = 2e8;     // states times steps of a horizon
static const double SHARES_WORK = 1e10;    // cells looked at while shares settle

orr_policy_options orr_policy_options_default(void) { return (orr_policy_options){ .from = MACHINE_NONE }; }

// ---- A number of steps, from the last to the first

static ControlEnd solve_horizon(Control *c, size_t horizon, uint32_t *inputs, bool *is_best, Arena *work)
{
    const Machine *m = c->m;
    const uint32_t n = m->n_states, k = m->n_inputs;
    double *later = ARENA_ARRAY(work, double, n);
    for (uint32_t s = 0; s < n; s++) c->value[s] = m->kind == MACHINE_MOORE ? c->output_cost[m->out[s]] : 0;
    for (size_t step = horizon; step-- > 0;) {
        memcpy(later, c->value, n * sizeof *later);
        for (uint32_t s = 0; s < n; s++) {
            double best = INFINITY;
            for (uint32_t i = 0; i < k; i++) {
                const double v = control_cost(c, s, i) + control_mean(c, machine_cell(m, s, i), later);
                if (v >= best - 1e-13 * (c->scale + fabs(v))) continue;
                best = v;
                inputs[step * n + s] = i;
            }
            c->value[s] = best;
            for (uint32_t i = 0; step == 0 && i < k; i++) {
                const size_t cell = machine_cell(m, s, i);
                is_best[cell] = control_cost(c, s, i) + control_mean(c, cell, later) <=
                                best + 1e-10 * (c->scale + fabs(best));
            }
        }
        if (control_is_cancelled(c)) return CONTROL_CANCELLED;
    }
    return CONTROL_DONE;
}

// ---- What a policy without end means

static void mark_best(const Control *c, double discount, bool *is_best)
{
    const Machine *m = c->m;
    const bool averages = discount == 1;
    for (uint32_t s = 0; s < m->n_states; s++) {
        const size_t chosen = machine_cell(m, s, c->input[s]);
        const double best = control_cost(c, s, c->input[s]) +
                            (averages ? control_mean(c, chosen, c->bias)
                                      : discount * control_mean(c, chosen, c->value));
        const double tolerance = 1e-9 * (c->scale + fabs(best));
        for (uint32_t i = 0; i < m->n_inputs; i++) {
            const size_t cell = machine_cell(m, s, i);
            const double rest = averages ? control_mean(c, cell, c->bias)
                                         : discount * control_mean(c, cell, c->value);
            is_best[cell] = control_cost(c, s, i) + rest <= best + tolerance &&
                            (!averages || control_mean(c, cell, c->value) <= c->value[s] + 1e-9 * c->scale);
        }
        is_best[chosen] = true;
    }
}

// Where the machine is in the long run: the limit of the means of its distributions. Half steps have the same
// limit, and no periods.
static ControlEnd find_shares(const Control *c, uint32_t from, double *share, Arena *work)
{
    const Machine *m = c->m;
    const uint32_t n = m->n_states;
    double *then = ARENA_ARRAY(work, double, n);
    for (uint32_t s = 0; s < n; s++) share[s] = from == MACHINE_NONE ? 1.0 / n : s == from;
    for (double left = fmax(SHARES_WORK, 1000.0 * n); left > 0; left -= n) {
        for (uint32_t s = 0; s < n; s++) then[s] = 0;
        for (uint32_t s = 0; s < n; s++) {
            if (share[s] == 0) continue;
            const size_t cell = machine_cell(m, s, c->input[s]);
            if (m->next[cell] != MACHINE_NONE) {
                then[m->next[cell]] += share[s];
                continue;
            }
            for (uint32_t b = m->branch_first[cell]; b < m->branch_first[cell + 1]; b++)
                then[m->branch_next[b]] += m->branch_probability[b] * share[s];
        }
        double change = 0, sum = 0;
        for (uint32_t s = 0; s < n; s++) {
            change += fabs(then[s] - share[s]);
            share[s] = (share[s] + then[s]) / 2;
            if (share[s] < 1e-300) share[s] = 0;    // numbers this small are slow, and nothing
            sum += share[s];
        }
        for (uint32_t s = 0; s < n; s++) share[s] /= sum;
        if (change <= 1e-13) return CONTROL_DONE;
        if (control_is_cancelled(c)) return CONTROL_CANCELLED;
    }
    return CONTROL_UNSETTLED;
}

// A machine without chance from one state: into a cycle, all of whose states have the same share.
static void follow(const Control *c, uint32_t from, orr_policy *p, Arena *arena, Arena *work)
{
    const Machine *m = c->m;
    uint32_t *met = ARENA_ARRAY(work, uint32_t, m->n_states),
             *path = ARENA_ARRAY(arena, uint32_t, m->n_states + (size_t)1),
             *inputs = ARENA_ARRAY(arena, uint32_t, m->n_states), n = 0, s = from;
    double *share = ARENA_ARRAY(arena, double, m->n_states);
    for (; met[s] == 0; s = m->next[machine_cell(m, s, c->input[s])]) {
        path[n] = s;
        inputs[n++] = c->input[s];
        met[s] = n;
    }
    path[n] = s;
    p->word = (orr_word){ inputs, n };
    p->path = path;
    p->n_cycle = n - (met[s] - 1);
    for (size_t i = n - p->n_cycle; i < n; i++) {
        p->cycle_cost += control_cost(c, path[i], inputs[i]);
        share[path[i]] = 1.0 / (double)p->n_cycle;
    }
    p->share = share;
}

// Without chance and from anywhere: every state ends on a cycle, on which it spends its share evenly.
static void spread_shares(const Control *c, orr_policy *p, Arena *arena, Arena *work)
{
    const Machine *m = c->m;
    const uint32_t n = m->n_states;
    double *share = ARENA_ARRAY(arena, double, n), *weight = ARENA_ARRAY(work, double, n);
    uint32_t *n_from = ARENA_ARRAY(work, uint32_t, n), *queue = ARENA_ARRAY(work, uint32_t, n), n_queue = 0;
    for (uint32_t s = 0; s < n; s++) {
        weight[s] = 1.0 / n;
        n_from[m->next[machine_cell(m, s, c->input[s])]]++;
    }
    for (uint32_t s = 0; s < n; s++)
        if (n_from[s] == 0) queue[n_queue++] = s;
    for (uint32_t at = 0; at < n_queue; at++) {    // what is on no cycle hands over what it has
        const uint32_t s = queue[at], to = m->next[machine_cell(m, s, c->input[s])];
        weight[to] += weight[s];
        if (--n_from[to] == 0) queue[n_queue++] = to;
    }
    for (uint32_t s = 0; s < n; s++) {
        if (n_from[s] == 0 || share[s] > 0) continue;
        double sum = 0;
        uint32_t length = 0, t = s;
        do {
            sum += weight[t];
            length++;
            t = m->next[machine_cell(m, t, c->input[t])];
        } while (t != s);
        do {
            share[t] = sum / length;
            t = m->next[machine_cell(m, t, c->input[t])];
        } while (t != s);
    }
    p->share = share;
}

static void follow_horizon(const Control *c, uint32_t from, size_t horizon, const uint32_t *inputs,
                           orr_policy *p, Arena *arena)
{
    const Machine *m = c->m;
    uint32_t *path = ARENA_ARRAY(arena, uint32_t, horizon + 1), *word = ARENA_ARRAY(arena, uint32_t, horizon);
    path[0] = from;
    for (size_t step = 0; step < horizon; step++) {
        word[step] = inputs[step * m->n_states + path[step]];
        path[step + 1] = m->next[machine_cell(m, path[step], word[step])];
    }
    p->word = (orr_word){ word, horizon };
    p->path = path;
}

// ---- All together

static bool check_options(const Machine *m, const orr_policy_options *o, orr_diag *diag)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; !wrong && i < m->n_outputs; i++)
        if (!isfinite(o->output_cost[i])) wrong = "a cost is not a finite number";
    for (uint32_t i = 0; !wrong && o->input_cost && i < m->n_inputs; i++)
        if (!isfinite(o->input_cost[i])) wrong = "a cost is not a finite number";
    if (o->criterion == ORR_CRITERION_DISCOUNTED && !(o->discount > 0 && o->discount < 1))
        wrong = "the discount must lie between 0 and 1";
    if (o->criterion == ORR_CRITERION_HORIZON && o->horizon == 0) wrong = "a horizon has at least one input";
    if (m->n_inputs == 0) wrong = "there are no inputs to choose from";
    if (wrong) diag_report(diag, DIAG_MACHINE_POLICY, (Place){ 0 }, m->name, wrong);
    if (wrong) diag_hint(diag, "a discount such as 0.9 weighs each step nine tenths of the one before it");
    return !wrong;
}

static double cost_scale(const Machine *m, const orr_policy_options *o)
{
    double scale = 0;
    for (uint32_t i = 0; i < m->n_outputs; i++) scale = fmax(scale, fabs(o->output_cost[i]));
    for (uint32_t i = 0; o->input_cost && i < m->n_inputs; i++) scale = fmax(scale, fabs(o->input_cost[i]));
    return scale > 0 ? scale : 1;
}

static ControlEnd solve(Control *c, const orr_policy_options *o, orr_policy *p, Arena *arena, Arena *work,
                        orr_diag *diag)
{
    const Machine *m = c->m;
    const bool by_chance = m->branch_first != NULL;
    bool *is_best = ARENA_ARRAY(arena, bool, (size_t)m->n_states * m->n_inputs);
    p->is_best = is_best;
    if (o->criterion == ORR_CRITERION_HORIZON) {
        if ((double)o->horizon * m->n_states > CHOICES_MAX) {
            diag_report(diag, DIAG_MACHINE_LIMIT, (Place){ 0 }, "the inputs of each step and state",
                        "of them");
            diag_hint(diag,
                      "at most %g: take fewer steps, or the average cost, which needs one for each state",
                      CHOICES_MAX);
            return CONTROL_UNSETTLED;
        }
        uint32_t *inputs = ARENA_ARRAY(arena, uint32_t, o->horizon * m->n_states);
        const ControlEnd end = solve_horizon(c, o->horizon, inputs, is_best, work);
        p->input = inputs;
        if (end == CONTROL_DONE && !by_chance && o->from != MACHINE_NONE)
            follow_horizon(c, o->from, o->horizon, inputs, p, arena);
        return end;
    }
    const double discount = o->criterion == ORR_CRITERION_AVERAGE ? 1 : o->discount;
    ControlEnd end = CONTROL_DONE;
    if (!by_chance) control_howard(c, discount);
    else end = discount == 1 ? control_average(c) : control_discounted(c, discount);
    if (control_is_cancelled(c)) end = CONTROL_CANCELLED;
    p->input = c->input;
    if (end == CONTROL_DONE) {
        mark_best(c, discount, is_best);
        if (by_chance) {
            double *share = ARENA_ARRAY(arena, double, m->n_states);
            end = find_shares(c, o->from, share, work);
            p->share = share;
        } else if (o->from != MACHINE_NONE) {
            follow(c, o->from, p, arena, work);
        } else {
            spread_shares(c, p, arena, work);
        }
    }
    if (end == CONTROL_UNSETTLED) {
        diag_report(diag, DIAG_MACHINE_UNSETTLED, (Place){ 0 }, m->name);
        diag_hint(
            diag,
            "chances that are very small, or close to 1, make the long run "
            "very long; a discount below 1, or a horizon, ends it");
    }
    return end;
}

orr_policy orr_machine_policy(const orr_machine *machine, const orr_policy_options *options, orr_diag *diag)
{
    const Machine *m = machine->machine;
    orr_policy p = { 0 };
    Arena arena = { 0 }, work = { 0 };
    if (!check_options(m, options, diag)) {
        p.status = ORR_STATUS_USAGE;
        return p;
    }
    Control c = { .m = m,
                  .output_cost = options->output_cost,
                  .input_cost = options->input_cost,
                  .scale = cost_scale(m, options),
                  .cancel = options->cancel,
                  .value = ARENA_ARRAY(&arena, double, m->n_states),
                  .input = ARENA_ARRAY(&arena, uint32_t, m->n_states),
                  .bias = ARENA_ARRAY(&work, double, m->n_states) };
    const ControlEnd end = solve(&c, options, &p, &arena, &work, diag);
    p.value = c.value;
    p.status = end == CONTROL_DONE        ? ORR_STATUS_OK
               : end == CONTROL_CANCELLED ? ORR_STATUS_CANCELLED
                                          : ORR_STATUS_FAILED;
    arena_free(&work);
    p.memory = ask_keep(arena);
    return p;
}

void orr_policy_free(orr_policy *policy)
{
    ask_free(policy->memory);
    *policy = (orr_policy){ 0 };
}

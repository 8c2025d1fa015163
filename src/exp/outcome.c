// src/exp/outcome.c: what is left of a run when it is gone.
#include "exp/outcome.h"
#include <stdlib.h>
#include <string.h>

// All that the terminal region assigns, each once, in the order written.
void outcome_keep_results(orr_outcome *outcome, orr_run *run)
{
    const Flat *flat = &run->model->flat;
    if (flat->terminal.n == 0) return;
    orr_setting *results = calloc(flat->terminal.n, sizeof *results);
    bool *is_kept = calloc(flat->vars.n + 1, sizeof *is_kept);
    if (!results || !is_kept) arena_no_memory(flat->terminal.n * sizeof *results);
    for (size_t i = 0; i < flat->terminal.n; i++) {
        const uint32_t target = flat->terminal.items[i].target;
        if (target == FLAT_NONE || is_kept[target]) continue;
        is_kept[target] = true;
        results[outcome->n_results++] =
            (orr_setting){ orr_model_variable(run->model, target).name, orr_run_value(run, target) };
    }
    free(is_kept);
    outcome->results = results;
}

static int by_time(const void *a, const void *b)
{
    const orr_left *p = a, *q = b;
    return (p->t > q->t) - (p->t < q->t);
}

static void keep_left(const orr_run *run, orr_outcome *outcome)
{
    orr_left left;
    size_t n = 0;
    while (orr_run_left(run, n, &left)) n++;
    if (n == 0) return;
    orr_left *all = calloc(n, sizeof *all);
    if (!all) arena_no_memory(n * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        orr_run_left(run, i, &all[i]);
        all[i].name = strdup(all[i].name);
    }
    qsort(all, n, sizeof *all, by_time);
    outcome->left = all;
    outcome->n_left = n;
}

static const char *copy_of(const char *text) { return text ? strdup(text) : NULL; }

void outcome_keep_facts(orr_outcome *outcome, const orr_run *run)
{
    outcome->facts = orr_run_get_facts(run);
    outcome->facts.solver_reason = copy_of(outcome->facts.solver_reason);
    outcome->facts.terminated = copy_of(outcome->facts.terminated);
    outcome->islands = isles_describe(run);
    outcome->tolerances = run_describe_tolerances(run);
    outcome->t = orr_run_time(run);
    outcome->is_over = run->is_over;
    keep_left(run, outcome);
}

void orr_outcome_free(orr_outcome *outcome)
{
    free((char *)outcome->facts.solver_reason);
    free((char *)outcome->facts.terminated);
    free((char *)outcome->islands);
    free((char *)outcome->tolerances);
    free((orr_verdict *)outcome->verdicts);
    free((double *)outcome->observed);
    free((orr_setting *)outcome->results);
    free((orr_distribution *)outcome->distributions);
    for (size_t i = 0; i < outcome->n_left; i++) free((char *)outcome->left[i].name);
    free((orr_left *)outcome->left);
    *outcome = (orr_outcome){ 0 };
}

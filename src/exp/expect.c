// src/exp/expect.c: values of a run compared with what is expected of them.
#include "exp/expect.h"
#include "base/diag.h"
#include "exp/columns.h"
#include <stdlib.h>

static double time_of(const Expectations *x, size_t i)
{
    const double at = x->experiment->expects[i].at;
    return isnan(at) ? INFINITY : at;
}

// Times in order, by merging, so that equal times keep the order written.
static void sort_by_time(Expectations *x, Arena *arena)
{
    const size_t n = x->experiment->n_expects;
    size_t *other = ARENA_ARRAY(arena, size_t, n);
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t lo = 0; lo < n; lo += 2 * width) {
            const size_t mid = lo + width < n ? lo + width : n, hi = lo + 2 * width < n ? lo + 2 * width : n;
            size_t a = lo, b = mid;
            for (size_t k = lo; k < hi; k++) {
                const bool left = a < mid && (b >= hi || time_of(x, x->order[a]) <= time_of(x, x->order[b]));
                other[k] = x->order[left ? a++ : b++];
            }
        }
        size_t *swap = x->order;
        x->order = other;
        other = swap;
    }
}

bool expect_prepare(Expectations *x, const orr_model *model, const orr_experiment *e, Arena *arena,
                    orr_diag *diag)
{
    const size_t n = e->n_expects;
    bool ok = true;
    *x = (Expectations){ .model = model, .experiment = e };
    x->verdicts = calloc(n + 1, sizeof *x->verdicts);
    if (!x->verdicts) arena_no_memory(n);
    x->order = ARENA_ARRAY(arena, size_t, n);
    x->variables = ARENA_ARRAY(arena, size_t, n);
    for (size_t i = 0; i < n; i++) {
        const orr_expect *expect = &e->expects[i];
        x->order[i] = i;
        x->verdicts[i] = (orr_verdict){ .expect = expect, .found = NAN };
        if (expect->observation) continue;    // who observes it finds it
        x->variables[i] = orr_model_find(model, expect->name);
        if (x->variables[i] != (size_t)-1) continue;
        ok = columns_report_unknown(model, expect->name, run_written(&e->run, expect->name, diag), diag);
    }
    sort_by_time(x, arena);
    return ok;
}

static void judge(orr_verdict *verdict, double found)
{
    verdict->found = found;
    verdict->holds = fabs(found - verdict->expect->value) <= verdict->expect->within;
}

static void compare(Expectations *x, orr_run *run, size_t i)
{
    if (!x->experiment->expects[i].observation) judge(&x->verdicts[i], orr_run_value(run, x->variables[i]));
}

void expect_meet_observed(Expectations *x, const double *observed)
{
    for (size_t i = 0; i < x->experiment->n_expects; i++) {
        const size_t observation = x->experiment->expects[i].observation;
        if (observation) judge(&x->verdicts[i], observed[observation - 1]);
    }
}

void expect_meet(Expectations *x, orr_run *run) { compare(x, run, x->order[x->next++]); }

void expect_meet_rest(Expectations *x, orr_run *run, double t_end)
{
    while (x->next < x->experiment->n_expects) {
        const double at = expect_next(x);
        if (at > t_end && !isinf(at)) x->next++;    // outside the run: reported when it is judged
        else expect_meet(x, run);
    }
}

void expect_meet_results(Expectations *x, orr_run *run)
{
    for (size_t i = 0; i < x->experiment->n_expects; i++)
        if (!x->experiment->expects[i].observation &&
            orr_model_variable(x->model, x->variables[i]).kind == ORR_KIND_RESULT) compare(x, run, i);
}

size_t expect_judge(const Expectations *x, double t_end, orr_diag *diag)
{
    const double from = x->experiment->from;
    size_t n_failed = 0;
    for (size_t i = 0; i < x->experiment->n_expects; i++) {
        const orr_verdict *v = &x->verdicts[i];
        const orr_expect *expect = v->expect;
        if (v->holds) continue;
        n_failed++;
        if (x->experiment->verdicts_only) continue;
        const orr_place written = { expect->file, expect->line, expect->column, expect->length };
        const Place place = diag_place(diag, written);
        if (expect->observation) {
            diag_report(diag, DIAG_EXPECT_OBSERVED, place, expect->name, expect->value, expect->within,
                        v->found);
        } else if (expect->at < from || expect->at > t_end) {
            diag_report(diag, DIAG_EXPECT_OUTSIDE, place, expect->at, from, t_end);
        } else {
            const double at = isnan(expect->at) ? t_end : expect->at;
            diag_report(diag, DIAG_EXPECT_FAILED, place, expect->name, at, expect->value, expect->within,
                        v->found);
        }
    }
    return n_failed;
}

// apps/cli/cmd_test.c: `orrery test`: run every experiment of some files that has expectations, and count.
#include "commands.h"
#include <string.h>

typedef struct Count {
    size_t passed, failed;
} Count;

static void print_verdict(const char *path, const orr_experiment *e, const orr_verdict *v, bool quiet)
{
    if (v->holds && quiet) return;
    char at[40] = " at the end";
    if (v->expect->observation) *at = '\0';
    else if (v->expect->at == v->expect->at) snprintf(at, sizeof at, " at %.6g", v->expect->at);
    if (v->expect->at < e->from || v->expect->at > e->until) {
        printf("FAILED %s:%zu: %s: %s%s: the run goes from %.6g to %.6g\n",
               v->expect->file ? v->expect->file : path, v->expect->line, e->name, v->expect->name, at,
               e->from, e->until);
        return;
    }
    printf("%s %s:%zu: %s: %s%s = %.10g, expected %.10g within %g\n", v->holds ? "ok    " : "FAILED",
           v->expect->file ? v->expect->file : path, v->expect->line, e->name, v->expect->name, at, v->found,
           v->expect->value, v->expect->within);
}

// One experiment; the first status that is not OK wins.
static orr_status test_experiment(const char *path, const char *name, const Shared *s, Count *count,
                                  orr_diag *diag)
{
    Session session;
    const char *items[] = { path, name };
    const List arguments = { items, 2 };
    const SessionOptions open = { .shared = s, .arguments = &arguments };
    orr_status status = session_open(&session, &open, diag);
    if (status == ORR_STATUS_OK) {
        session.experiment.verdicts_only = true;    // they are printed here
        const orr_call call = { .is_quiet = true, .cancel = limits_cancel() };
        orr_result result = orr_carry_out(session.model, &session.experiment, &call, diag);
        status = result.status;
        for (size_t i = 0; i < result.n_verdicts; i++) {
            print_verdict(path, &session.experiment, &result.verdicts[i], s->quiet);
            if (result.verdicts[i].holds) count->passed++;
            else count->failed++;
        }
        orr_result_free(&result);
    }
    if (status != ORR_STATUS_OK && status != ORR_STATUS_NOT_VALIDATED) {
        count->failed++;
        printf("FAILED %s: %s%s%s\n", path, session.model ? name : "", session.model ? ": " : "",
               orr_status_text(status));
    }
    session_close(&session);
    return status;
}

static orr_status test_file(const char *path, const Shared *s, Count *count, orr_diag *diag)
{
    orr_source *source = orr_source_open(path, diag);
    if (!source) {
        count->failed++;
        printf("FAILED %s: cannot be read\n", path);
        return ORR_STATUS_MODEL_ERROR;
    }
    orr_status worst = ORR_STATUS_OK;
    size_t n_tested = 0;
    for (size_t i = 0; i < orr_source_n_experiments(source); i++) {
        const char *name = orr_source_experiment_name(source, i);
        orr_experiment e;
        if (!orr_experiment_get(source, name, &e, diag)) worst = ORR_STATUS_MODEL_ERROR;
        else if (e.n_expects > 0) {
            const orr_status status = test_experiment(path, name, s, count, diag);
            if (worst == ORR_STATUS_OK) worst = status;
            n_tested++;
        }
    }
    if (n_tested == 0 && !s->quiet) printf("-      %s: no experiment with 'expect'\n", path);
    orr_source_destroy(source);
    return worst;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    Count count = { 0 };
    orr_status worst = ORR_STATUS_OK;
    for (size_t i = 0; i < arguments->n; i++) {
        const orr_status status = test_file(arguments->items[i], settings, &count, diag);
        if (worst == ORR_STATUS_OK) worst = status;
    }
    printf("%zu passed, %zu failed\n", count.passed, count.failed);
    return (int)worst;
}

const Command command_test = {
    .name = "test", .arguments = "FILE…", .summary = "Check the expectations written in experiments",
    .shares = "--native --loops --code --no-sandbox --quiet", .at_least = 1, .at_most = (size_t)-1,
    .settings_size = sizeof(Shared), .run = run,
    .details = "An experiment may say what is known:\n"
               "  experiment decay of Decay\n"
               "    until 1\n"
               "    expect x at 1 = 0.3679 within 1e-4\n"
               "  end\n\n"
               "Example:\n"
               "  orrery test examples/*.orr\n",
};

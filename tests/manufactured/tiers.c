// tests/manufactured/tiers.c: the bits of instant code in all other forms that a model can take.
//
// The solvers are judged with instant code (judge.c). Native code, lanes and exported programs must give
// the same numbers to the last bit, so they are right where it is right. Several models are joined in one,
// since each needs a compiler.
#include "tiers.h"
#include "dice.h"
#include "judge.h"
#include "orrery/ensemble.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const not_in_lanes[] = { "delay", "delay_self", "loop", "island", "coupled", "atomic" };

static bool fits(const Construct *construct, bool for_lanes)
{
    if (construct->is_island) return false;
    for (size_t i = 0; for_lanes && i < sizeof not_in_lanes / sizeof *not_in_lanes; i++)
        if (strcmp(construct->name, not_in_lanes[i]) == 0) return false;
    return true;
}

Model tiers_join(uint64_t seed, bool for_lanes)
{
    Model joined = { .seed = seed };
    uint64_t dice = seed + 99;
    while (joined.n_cells < MOST_CELLS) {
        const Construct *construct = &constructs[random_below(&dice, (uint32_t)n_constructs)];
        if (!fits(construct, for_lanes)) continue;
        const Model one = model_draw(seed * 100 + joined.n_cells, construct);
        joined.end = one.end;
        joined.cells[joined.n_cells++] = one.cells[0];
    }
    return joined;
}

// ---- Native

// the values at all samples; false if the run was refused
static bool values_of(const Judged *judged, const orr_solver_info *solver, double values[][MOST_CELLS])
{
    const orr_run_options options = judge_options(judged->model, solver, 0);
    orr_diag *diag = orr_diag_create();
    orr_run *run = orr_run_create(judged->compiled, &options, diag);
    bool ok = run != NULL;
    for (size_t i = 0; ok && i < N_SAMPLES; i++) {
        ok = orr_run_advance(run, judged->samples[i]) == ORR_STATUS_OK;
        for (size_t c = 0; ok && c < judged->model->n_cells; c++) {
            char name[32];
            cell_name(judged->model, c, name);
            values[i][c] = orr_run_value(run, orr_model_find(judged->compiled, name));
        }
    }
    orr_run_destroy(run);
    orr_diag_destroy(diag);
    return ok;
}

bool tiers_native(const Model *model)
{
    Judged instant, native;
    judge_open(model, ORR_CODE_INSTANT, &instant);
    judge_open(model, ORR_CODE_NATIVE, &native);
    bool ok = instant.compiled && native.compiled;
    if (!ok) printf("seed %llu: not compiled\n%s", (unsigned long long)model->seed, instant.text);
    // one of each family
    static const char *const solvers[] = { "rk4", "dopri5", "bdf", "qss2" };
    for (size_t i = 0; ok && i < sizeof solvers / sizeof *solvers; i++) {
        static double left[N_SAMPLES][MOST_CELLS], right[N_SAMPLES][MOST_CELLS];
        memset(left, 0, sizeof left);
        memset(right, 0, sizeof right);
        const orr_solver_info *solver = orr_solver_find(solvers[i]);
        if (values_of(&instant, solver, left) == values_of(&native, solver, right) &&
            memcmp(left, right, sizeof left) == 0)
            continue;
        printf("seed %llu by %s: native code gives other bits\n%s", (unsigned long long)model->seed,
               solvers[i], instant.text);
        ok = false;
    }
    judge_close(&instant);
    judge_close(&native);
    return ok;
}

// ---- Lanes

typedef struct Rows {
    double *numbers;
    size_t n, n_failed;
} Rows;

static bool keep_member(void *self, const orr_member *member)
{
    Rows *rows = self;
    const size_t n = member->n_rows * MOST_CELLS;
    rows->numbers = realloc(rows->numbers, (rows->n + n + 1) * sizeof *rows->numbers);
    if (!rows->numbers) abort();
    memcpy(rows->numbers + rows->n, member->rows, n * sizeof *rows->numbers);
    rows->n += n;
    rows->n_failed += member->status != ORR_STATUS_OK;
    return true;
}

static orr_experiment experiment_of(const Judged *judged, const char *solver)
{
    orr_experiment e = orr_experiment_default();
    e.name = "one";
    e.model = "All";
    e.until = judged->model->end;
    e.every = judged->model->end / 7;
    e.run = judge_options(judged->model, orr_solver_find(solver), 0);
    return e;
}

bool tiers_lanes(const Model *model)
{
    Judged judged;
    judge_open(model, ORR_CODE_INSTANT, &judged);
    bool ok = judged.compiled != NULL;
    static char names[MOST_CELLS][32];
    const char *records[MOST_CELLS];
    for (size_t c = 0; c < model->n_cells; c++) {
        cell_name(model, c, names[c]);
        records[c] = names[c];
    }
    static const char *const solvers[] = { "rk4", "dopri5" };
    for (size_t i = 0; ok && i < 2; i++) {
        orr_experiment e = experiment_of(&judged, solvers[i]);
        e.records = records;
        e.n_records = model->n_cells;
        const double start = cell_base(&model->cells[0], 0);
        const double values[] = { start, start + 0.25, start, start - 0.5, start };
        Rows rows[2] = { { 0 } };
        orr_ensemble_facts facts[2];
        for (int k = 0; k < 2; k++) {
            orr_ensemble_options o = orr_ensemble_options_default();
            o.names = records;
            o.n_names = 1;
            o.values = values;
            o.n_members = 5;
            o.n_threads = 1;
            o.lanes = k == 0 ? ORR_LANES_NEVER : ORR_LANES_ALWAYS;
            const orr_member_sink sink = { .member = keep_member, .self = &rows[k] };
            ok &= orr_ensemble_run(judged.compiled, &e, &o, &sink, &facts[k], judged.diag) == ORR_STATUS_OK;
        }
        const char *trouble = facts[1].n_in_lanes == 0 && !facts[1].one_by_one ? "lanes were not used"
                              : rows[0].n != rows[1].n || memcmp(rows[0].numbers, rows[1].numbers,
                                                                 rows[0].n * sizeof(double)) != 0
                                  ? "lanes give other bits"
                                  : NULL;
        free(rows[0].numbers);
        free(rows[1].numbers);
        if (ok && !trouble) continue;
        ok = false;
        printf("seed %llu by %s: %s %s\n%s", (unsigned long long)model->seed, solvers[i],
               trouble ? trouble : "failed", facts[1].one_by_one ? facts[1].one_by_one : "", judged.text);
        orr_diag_print(judged.diag, stdout, 0);
    }
    judge_close(&judged);
    return ok;
}

// ---- Exported programs

static char *contents(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t length = 0;
    if (file && getdelim(&text, &length, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    if (file) fclose(file);
    return text;
}

static bool export_in(const char *folder, const Model *model, const char *solver, size_t *n_refused)
{
    Judged judged;
    judge_open(model, ORR_CODE_INSTANT, &judged);
    const orr_experiment e = experiment_of(&judged, solver);
    char path[600], command[2000];
    snprintf(path, sizeof path, "%s/run.csv", folder);
    snprintf(
        command, sizeof command,
        "cd %s && %s -std=c99 -O1 -ffp-contract=off -DORRERY_SLEEF c/*.c -o program -lsleef -lm && "
        "./program >exported.csv",
        folder, getenv("ORRERY_CC") ? getenv("ORRERY_CC") : "cc");
    char sources[600], exported[600];
    snprintf(sources, sizeof sources, "%s/c", folder);
    snprintf(exported, sizeof exported, "%s/exported.csv", folder);
    bool ok = judged.compiled != NULL;
    if (ok && !orr_model_export_folder(judged.compiled, &e, "c", sources, true, judged.diag)) {
        ++*n_refused;
        printf("seed %llu by %s is not exported: %s\n", (unsigned long long)model->seed, solver,
               orr_diag_get(judged.diag, 0).text);
        judge_close(&judged);
        return true;
    }
    orr_csv *csv = ok ? orr_csv_create(path, judged.diag) : NULL;
    if (csv) {
        const orr_sink sink = orr_csv_sink(csv);
        orr_outcome outcome = orr_simulate(judged.compiled, &e, &sink, 1, judged.diag);
        ok = outcome.status == ORR_STATUS_OK;
        orr_outcome_free(&outcome);
        orr_csv_close(csv);
    }
    ok = ok && system(command) == 0;
    char *left = contents(path), *right = contents(exported);
    ok = ok && left && right && strcmp(left, right) == 0;
    if (!ok) {
        printf("seed %llu by %s: the exported program gives other rows\n%s", (unsigned long long)model->seed,
               solver, judged.text);
        orr_diag_print(judged.diag, stdout, 0);
    }
    free(left);
    free(right);
    judge_close(&judged);
    return ok;
}

bool tiers_export(const Model *model, size_t *n_refused)
{
    char folder[] = "/tmp/manufactured.XXXXXX";
    static const char *const solvers[] = { "rk4", "dopri5", "qss2", "heun" };
    if (!mkdtemp(folder)) return false;
    const bool ok = export_in(folder, model, solvers[model->seed % 4], n_refused);
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 && ok;
}

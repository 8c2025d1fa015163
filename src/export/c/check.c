// src/export/c/check.c: can a model be exported as C, and by which method does it run?
//
// What only a run can tell is told by one: whether `auto` stays with dopri5, and whether a solution slides or
// comes to rest, for which most programs need no text.
#include "base/diag.h"
#include "engine/radau.h"
#include "export/c/net.h"
#include "solve/noise/noise.h"
#include "solve/stiff/shifted.h"
#include <math.h>

bool c_refuse(CExport *c, const char *why, const char *hint)
{
    diag_report(c->diag, DIAG_NOT_C, (Place){ 0 }, arena_printf(&c->arena, "'%s'", c->model->flat.model),
                why);
    diag_hint(c->diag, "%s", hint);
    return false;
}

static const char exported_solvers[] =
    "take an explicit one such as rk4, dopri5 or dop853, radau for a stiff model of few states, or one that "
    "quantises its states, with --solver or in the experiment";

// By what the model and its experiment say.
static bool check_form(CExport *c)
{
    const orr_model *model = c->model;
    const orr_experiment *e = c->experiment;
    const Solver *solver = solver_find(e->run.solver ? e->run.solver : "auto");
    bool ok = true;
    if (model->blocks.n_implicit > 0)
        ok = c_refuse(c, "its loops of equations are too large for the solver that is printed; they need IDA",
                      "run it with 'orrery run', or make the loops smaller: up "
                      "to 2000 equations are solved inside");
    const bool is_quantised = solver && solver->is_quantised;
    if (solver && !is_quantised && !solver->fixed_step && !solver->tableau &&
        strcmp(solver->name, "auto") != 0 && strcmp(solver->name, "radau") != 0)
        ok = c_refuse(c, arena_printf(&c->arena, "solver '%s' needs CVODE or IDA", solver->name),
                      exported_solvers);
    if (model->isles)
        ok = c_refuse(c,
                      arena_printf(&c->arena, "'%s' is an island, with a solver of its own",
                                   model->flat.islands.items[0].name),
                      "leave 'island' out: one solver for all equations");
    ok = c_check_network(c) && ok;
    for (size_t i = 0; i < e->run.n_inputs; i++) {
        const char *source = e->run.inputs[i].source;
        if (strcmp(source, "csv") == 0 || strcmp(source, "expression") == 0) continue;
        ok = c_refuse(
            c,
            arena_printf(&c->arena, "input '%s' comes from %s while it runs", e->run.inputs[i].name, source),
            "give the inputs as expressions of time, as numbers, or as samples in a file");
    }
    if (e->n_sends > 0 || e->realtime > 0)
        ok = c_refuse(c, "values leave during the run, or it waits for the clock",
                      "leave 'send' and 'realtime' out");
    for (size_t i = 0; i < e->n_observations && ok; i++)
        if (!e->observations[i].is_expected)
            ok = c_refuse(c, arena_printf(&c->arena, "'%s' is observed, and its program only writes rows",
                                          e->observations[i].name),
                          "leave 'observe' out, and record what it needs");
    if (model->ir.tables.n + model->ir.numbers.n > C_TABLES_MAX || model->n_values > C_VALUES_MAX)
        ok = c_refuse(c, "it is too large",
                      "make its arrays smaller: sizes are parameters, set them with --set");
    return ok;
}

static bool keep_columns(void *self, const char *const *names, const char *const *units, size_t n,
                         const char *time_unit)
{
    CExport *c = self;
    (void)units, (void)time_unit;
    for (size_t i = 0; i < n; i++) vec_push(&c->arena, &c->columns, arena_printf(&c->arena, "%s", names[i]));
    return true;
}

// Carry the experiment out, without rows.
static bool check_run(CExport *c)
{
    orr_experiment trial = *c->experiment;
    trial.n_expects = trial.n_observations = 0;
    const orr_sink sink = { .begin = keep_columns, .self = c };
    size_t n_messages = orr_diag_count(c->diag);
    orr_outcome outcome = orr_simulate(c->model, &trial, &sink, 1, c->diag);
    bool ok = outcome.status == ORR_STATUS_OK;
    for (; ok && n_messages < orr_diag_count(c->diag); n_messages++) {
        const char *code = orr_diag_get(c->diag, n_messages).code;
        c->slides |= strcmp(code, "W619") == 0;
        c->rests |= strcmp(code, "W618") == 0;
    }
    const char *method = outcome.facts.solver, *reason = outcome.facts.solver_reason;
    if (ok && method && (strcmp(method, "bdf") == 0 || (reason && strstr(reason, "bdf"))))
        ok = c_refuse(c, "the model is stiff, and solver 'auto' goes over to bdf, which is CVODE's",
                      exported_solvers);
    if (ok && outcome.facts.n_foreseen)
        ok = c_refuse(c,
                      "a relation on time changes and changes back within one step, which its program would "
                      "not see",
                      "take shorter steps: 'max' of solvers that choose them, or 'step'");
    c->has_frame = c->experiment->frame != NULL;
    if (ok) c->columns.n -= (size_t)(c->model->ir.n_reruns > 0) + (size_t)c->has_frame;    // not of the model
    orr_outcome_free(&outcome);
    return ok;
}

// Components without equations, whose arrows have conditions: a run makes a row at each of their instants.
static bool rows_are_instants(const CExport *c)
{
    const orr_model *m = c->model;
    return m->network && m->n_states == 0 && m->flat.equations.n == 0 && m->n_relations > 0 &&
           c->experiment->every == 0;
}

// Where each run begins, and with what.
static bool check_start(CExport *c)
{
    orr_status status;
    orr_run_options options = c->experiment->run;
    options.t_start = c->experiment->from;
    options.t_end = c->experiment->until;
    c->run = run_create(c->model, &options, c->diag, &status);
    if (!c->run) return false;
    c->solver = c->run->island.solver;
    if (rows_are_instants(c))
        return c_refuse(c, "its rows are at the instants of components whose arrows have conditions",
                        "record at an interval: 'record … every 1'");
    if (c->run->start_is_hard)
        return c_refuse(c, "its start is found only by trying other guesses",
                        "give the unknowns of the start first values near their solution: 'var x ~ 3'");
    c->loop = !c->solver->fixed_step || c->solver->traits & SOLVER_TAKES_NOISE ? CODE_N_LOOPS
              : c->solver->tableau ? (CodeLoopId)(c->solver->tableau - fixed_methods)
                                   : CODE_IN_PLACE;
    if (c->solver->advance) c->qss = c->run->island.memory;
    // without states another method may have taken its place
    c->is_radau = strcmp(c->solver->name, "radau") == 0;
    const Radau *radau = c->run->island.memory;
    if (c->is_radau && radau && ((const Shifted *)radau->memory)->j.is_sparse)
        return c_refuse(c, "its Jacobian is sparse, and solver 'radau' then needs KLU", exported_solvers);
    if (c->qss && c->qss->is_implicit && (c->slides || c->rests))
        return c_refuse(c,
                        arena_printf(&c->arena,
                                     "where it %s, bdf stands in for solver '%s', which is CVODE's",
                                     c->slides ? "slides along a surface" : "comes to rest", c->solver->name),
                        "take qss2 or qss3, for which dopri5 stands in, or dopri5 itself");
    if (c->solver->traits & SOLVER_TAKES_NOISE) {
        const bool is_srk = strcmp(c->solver->name, "srk") == 0;
        c->noise = !is_srk                                        ? C_NOISE_MARUYAMA
                   : noise_kind(c->model, NULL) == NOISE_ADDITIVE ? C_NOISE_SRA
                                                                  : C_NOISE_SRI;
        if (c->model->ir.n_noise == 0)
            return c_refuse(
                c, arena_printf(&c->arena, "solver '%s' is for noise, and it has none", c->solver->name),
                exported_solvers);
    }
    if (c->loop == CODE_IN_PLACE && !c->model->ir.one_rate)
        return c_refuse(c, "it has too many states for semi-implicit Euler", exported_solvers);
    // as orr_simulate does: on a grid that nothing moves each step is at a known time
    c->every = c->experiment->every;
    if (c->every == 0 && c->solver->fixed_step && c->model->n_relations == 0 && c->model->n_events == 0 &&
        !c->model->network)
        c->every = c->run->island.step;
    return true;
}

// Data of inputs, from here to the end.
static bool check_inputs(CExport *c)
{
    size_t room = C_PIECES_MAX;
    for (uint32_t i = 0; i < c->model->flat.n_driven; i++) {
        CInput input = { .driven = &c->model->flat.driven[i] };
        input.pieces = input_pieces(c->run, i, c->experiment->until, room, &c->arena, &input.n);
        if (input.n == room)
            return c_refuse(c, "the data of its inputs have too many samples",
                            "let the experiment end earlier");
        room -= input.n;
        for (size_t k = 0; k < input.n; k++) {
            if (input.pieces[k].jumps) c->has_jumps = true;
            else if (isfinite(input.pieces[k].until)) c->has_bends = true;
        }
        vec_push(&c->arena, &c->inputs, input);
    }
    return true;
}

bool c_check(CExport *c)
{
    // X_state must not be both a function and the place of a state; see names.c
    static const char *const taken[] = { "X", "P", "V", "G", "MODE" };
    c->name = c_identifier(&c->arena, c->model->flat.model);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(c->name, taken[i]) == 0) c->name = arena_printf(&c->arena, "model_%s", taken[i]);
    if (!check_form(c) || !check_run(c) || !check_start(c) || !check_inputs(c)) return false;
    return c_find_network(c);
}

void c_free(CExport *c)
{
    orr_run_destroy(c->run);
    arena_free(&c->arena);
}

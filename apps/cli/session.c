// apps/cli/session.c: what several commands do first: open a file, choose an experiment, compile its model.
#include "commands.h"
#include <stdint.h>
#include <string.h>

static bool read_code(const char *text, orr_code *code, orr_diag *diag)
{
    if (!text || strcmp(text, "auto") == 0) return *code = ORR_CODE_AUTO, true;
    if (strcmp(text, "instant") == 0) return *code = ORR_CODE_INSTANT, true;
    if (strcmp(text, "native") == 0) return *code = ORR_CODE_NATIVE, true;
    usage_error(diag, "E022",
                "'instant' starts at once, 'native' is compiled by cc and "
                "runs faster, 'auto' changes over in long runs",
                "option '--code' needs auto, instant or native, not '%s'", text);
    return false;
}

static bool read_loops(const char *text, bool *halt, orr_diag *diag)
{
    *halt = text && strcmp(text, "halt") == 0;
    if (!text || *halt || strcmp(text, "solve") == 0) return true;
    usage_error(diag, "E022", "'solve' is the default, 'halt' refuses algebraic loops",
                "option '--loops' needs solve or halt, not '%s'", text);
    return false;
}

// What the model of the experiment is compiled with.
static orr_model *compile(const Session *session, const SessionOptions *options, orr_compile_options c,
                          orr_diag *diag)
{
    const orr_experiment *e = &session->experiment;
    const char *solver = e->run.solver;
    c.model = e->model;
    c.arrays_from = options->arrays_from ? options->arrays_from : orr_experiment_kind(e)->arrays_from;
    c.implicit = solver && strcmp(solver, "ida") == 0;
    // loops of arrays can only be left to ida element by element, and the other needs single rates
    if (c.implicit || (solver && strcmp(solver, "semi-implicit euler") == 0)) c.arrays_from = SIZE_MAX;
    c.settings = e->run.settings;
    c.n_settings = e->run.n_settings;
    c.inputs = e->run.inputs;
    c.n_inputs = e->run.n_inputs;
    c.natives = options->shared->natives.items;
    c.n_natives = options->shared->natives.n;
    c.dump_stage = options->dump_stage;
    c.dump_to = stdout;
    return orr_model_compile(session->source, &c, diag);
}

orr_status session_open(Session *session, const SessionOptions *options, orr_diag *diag)
{
    const Shared *s = options->shared;
    const List *arguments = options->arguments;
    const char *name = arguments->n > 1 ? arguments->items[1] : NULL;
    orr_experiment *e = &session->experiment;
    orr_compile_options how = orr_compile_options_default();
    *session = (Session){ .experiment = orr_experiment_default() };
    if (!read_code(s->code, &how.code, diag) || !read_loops(s->loops, &how.loops_halt, diag))
        return ORR_STATUS_USAGE;

    session->source = orr_source_open(arguments->items[0], diag);
    if (!session->source) return ORR_STATUS_MODEL_ERROR;
    if (options->takes_machines && !s->model && !name && orr_source_n_models(session->source) == 0 &&
        orr_source_n_machines(session->source) > 0)
        return ORR_STATUS_OK;
    if (s->model) e->model = s->model;
    else if (!orr_experiment_get(session->source, name, e, diag)) return ORR_STATUS_MODEL_ERROR;
    const size_t n_known = e->run.n_settings;
    if (s->kind) e->kind = s->kind->name;
    if (!orr_experiment_override(session->source, e, s->given, s->n_given, diag)) return ORR_STATUS_USAGE;
    session->model = compile(session, options, how, diag);
    if (!session->model) return ORR_STATUS_MODEL_ERROR;
    return orr_experiment_settle(session->model, e, n_known, options->only_looks, diag) ? ORR_STATUS_OK
                                                                                       : ORR_STATUS_USAGE;
}

void session_close(Session *session)
{
    orr_model_destroy(session->model);
    orr_source_destroy(session->source);
}

orr_status failure_status(const orr_diag *diag)
{
    // E010 to E019 are about writing files
    const size_t n = orr_diag_count(diag);
    const bool refused = n > 0 && strncmp(orr_diag_get(diag, n - 1).code, "E01", 3) == 0;
    return refused ? ORR_STATUS_SYSTEM : ORR_STATUS_MODEL_ERROR;
}

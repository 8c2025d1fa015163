// apps/cli/session.c: what several commands do first: open a file, choose an experiment, compile its model.
#include "commands.h"
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
    if (!session->source) return orr_diag_status(diag);
    if (options->takes_machines && !s->model && !name && orr_source_n_models(session->source) == 0 &&
        orr_source_n_machines(session->source) > 0)
        return ORR_STATUS_OK;
    if (s->model) e->model = s->model;
    else if (!orr_experiment_get(session->source, name, e, diag)) return ORR_STATUS_MODEL_ERROR;
    if (s->kind) e->kind = s->kind->name;
    if (!orr_experiment_override(session->source, e, s->given, s->n_given, diag)) return ORR_STATUS_USAGE;
    how.arrays_from = options->arrays_from;
    how.natives = s->natives.items;
    how.n_natives = s->natives.n;
    how.dump_stage = options->dump_stage;
    how.dump_to = stdout;
    how.cancel = limits_cancel();
    session->model = orr_experiment_compile(session->source, e, &how, diag);
    return session->model ? ORR_STATUS_OK : limits_judge(orr_diag_status(diag), diag);
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

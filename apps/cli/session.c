// apps/cli/session.c: what several commands do first: open a file, choose an experiment, compile its model.
#include "commands.h"
#include <stdint.h>
#include <stdlib.h>
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

// What the structure of the model may depend on: the settings of the experiment, then those of the command
// line, as far as they can be read. What is wrong with them is told by given_read.
static orr_model *compile_with(const orr_source *source, const orr_experiment *experiment, const List *set,
                               orr_compile_options options, orr_diag *diag)
{
    orr_setting *settings = calloc(experiment->run.n_settings + set->n + 1, sizeof *settings);
    if (!settings) abort();
    for (size_t i = 0; i < experiment->run.n_settings; i++) settings[i] = experiment->run.settings[i];
    size_t n = experiment->run.n_settings;
    for (size_t i = 0; i < set->n; i++)
        if ((settings[n].name = given_name(set->items[i], &settings[n].value))) n++;
    options.settings = settings;
    options.n_settings = n;
    orr_model *model = orr_model_compile(source, &options, diag);
    for (size_t i = experiment->run.n_settings; i < n; i++) free((char *)settings[i].name);
    free(settings);
    return model;
}

// What the command line says of an input goes before what the experiment says.
static bool read_inputs(Session *session, const List *texts, orr_diag *diag)
{
    orr_run_options *run = &session->experiment.run;
    size_t n = 0;
    bool ok = true;
    session->inputs = calloc(texts->n + run->n_inputs + 1, sizeof *session->inputs);
    if (!session->inputs) abort();
    for (size_t i = 0; i < texts->n; i++) {
        char *memory = NULL;
        ok &= orr_input_read(texts->items[i], &session->inputs[n++], &memory, diag);
        list_add(&session->texts, memory);
    }
    for (size_t i = 0; i < run->n_inputs; i++) {
        bool given = false;
        for (size_t k = 0; k < texts->n && ok; k++)
            given |= strcmp(session->inputs[k].name, run->inputs[i].name) == 0;
        if (!given) session->inputs[n++] = run->inputs[i];
    }
    run->inputs = session->inputs;
    run->n_inputs = n;
    return ok;
}

orr_status session_open(Session *session, const SessionOptions *options, orr_diag *diag)
{
    *session = (Session){ .experiment = orr_experiment_default() };
    orr_compile_options compile = orr_compile_options_default();
    const Opening *opening = options->opening;
    if (!read_code(opening->code, &compile.code, diag) ||
        !read_loops(opening->loops, &compile.loops_halt, diag))
        return ORR_STATUS_USAGE;

    session->source = orr_source_open(options->path, diag);
    if (!session->source) return ORR_STATUS_MODEL_ERROR;
    if (options->takes_machines && !opening->model && !options->experiment &&
        orr_source_n_models(session->source) == 0 && orr_source_n_machines(session->source) > 0)
        return ORR_STATUS_OK;
    if (opening->model) session->experiment.model = opening->model;
    else if (!orr_experiment_get(session->source, options->experiment, &session->experiment, diag))
        return ORR_STATUS_MODEL_ERROR;

    compile.model = session->experiment.model;
    compile.arrays_from = options->arrays_from;
    const char *solver = options->solver ? options->solver : session->experiment.run.solver;
    compile.implicit = solver && strcmp(solver, "ida") == 0;
    if (compile.implicit) compile.arrays_from = SIZE_MAX;    // loops of arrays can only be left to it element
                                                             // by element
    // it needs single rates
    if (solver && strcmp(solver, "semi-implicit euler") == 0) compile.arrays_from = SIZE_MAX;
    if (options->inputs && !read_inputs(session, options->inputs, diag)) return ORR_STATUS_USAGE;
    compile.inputs = session->experiment.run.inputs;
    compile.n_inputs = session->experiment.run.n_inputs;
    compile.natives = opening->natives.items;
    compile.n_natives = opening->natives.n;
    compile.dump_stage = options->dump_stage;
    compile.dump_to = stdout;
    session->model = compile_with(session->source, &session->experiment, &opening->set, compile, diag);
    return session->model ? ORR_STATUS_OK : ORR_STATUS_MODEL_ERROR;
}

void session_close(Session *session)
{
    orr_model_destroy(session->model);
    orr_source_destroy(session->source);
    names_free(&session->texts);
    free(session->inputs);
}

int session_do(const SessionOptions *options, const List *arguments, const void *settings, SessionWork *work,
               orr_diag *diag)
{
    SessionOptions open = *options;
    open.path = arguments->items[0];
    open.experiment = arguments->n > 1 ? arguments->items[1] : NULL;
    Session session;
    orr_status status = session_open(&session, &open, diag);
    if (status == ORR_STATUS_OK) {
        orr_experiment experiment = session.experiment;
        Given given;
        const bool ok = given_read(&given, &open.opening->set, &session, &experiment, diag);
        status = work(settings, &session, &experiment, ok, diag);
        given_free(&given);
    }
    session_close(&session);
    return (int)status;
}

orr_status failure_status(const orr_diag *diag)
{
    // E010 to E019 are about writing files
    const size_t n = orr_diag_count(diag);
    const bool refused = n > 0 && strncmp(orr_diag_get(diag, n - 1).code, "E01", 3) == 0;
    return refused ? ORR_STATUS_SYSTEM : ORR_STATUS_MODEL_ERROR;
}

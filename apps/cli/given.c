// apps/cli/given.c: what the command line gives beside the experiment: settings, and lists of names.
#include "commands.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *trimmed_copy(const char *from, size_t n)
{
    while (n && (*from == ' ' || *from == '\t')) from++, n--;
    while (n && (from[n - 1] == ' ' || from[n - 1] == '\t')) n--;
    char *copy = malloc(n + 1);
    if (!copy) abort();
    memcpy(copy, from, n);
    copy[n] = '\0';
    return copy;
}

void names_split(const char *text, List *names)
{
    int depth = 0;    // a comma inside [2,3] belongs to the name
    const char *start = text;
    for (const char *p = text;; p++) {
        if (*p == '[') depth++;
        if (*p == ']') depth--;
        if (*p && (*p != ',' || depth > 0)) continue;
        const char *name = trimmed_copy(start, (size_t)(p - start));
        if (*name) list_add(names, name);
        else free((char *)name);
        if (!*p) return;
        start = p + 1;
    }
}

void names_free(List *names)
{
    for (size_t i = 0; i < names->n; i++) free((char *)names->items[i]);
    list_free(names);
}

void given_records(const char *text, List *names, orr_experiment *experiment)
{
    if (!text) return;
    names_split(text, names);
    experiment->records = names->items;
    experiment->n_records = names->n;
}

bool given_is_positive(const char *code, const char *what, const char *hint, double value, orr_diag *diag)
{
    if (isnan(value) || value > 0) return true;
    char number[40];
    orr_format_number(value, number);
    usage_error(diag, code, hint, "%s %s is not a positive number", what, number);
    return false;
}

void given_unused(const char *option, double value, const orr_experiment *experiment, orr_diag *diag)
{
    const orr_solver_info *solver = orr_solver_find(experiment->run.solver ? experiment->run.solver : "auto");
    const bool is_quantum = strcmp(option, "--quantum") == 0;
    const bool is_heard = !solver || (is_quantum ? solver->is_quantised : !solver->fixed_step);
    if (isnan(value) || is_heard) return;
    char text[160];
    snprintf(text, sizeof text, "'%s' means nothing to solver '%s': %s", option, solver->name,
             is_quantum ? "it has no quantised states" : "its steps are fixed");
    orr_diag_add(diag, "W602", text,
                 is_quantum ? "qss1, qss2, qss3, liqss1, liqss2 and mliqss2 have"
                            : "--step decides how exact it is; 'dopri5' and 'bdf' keep a tolerance");
}

bool given_lanes(const char *text, orr_lanes *lanes, orr_diag *diag)
{
    static const char *const words[] = { "auto", "never", "always" };
    for (int i = 0; i < 3; i++)
        if (!text || strcmp(text, words[i]) == 0) return *lanes = (orr_lanes)i, true;
    usage_error(diag, "E022", "auto uses them when they pay",
                "option '--lanes' needs auto, never or always, not '%s'", text);
    return false;
}

bool given_seed(double value, orr_run_options *run, orr_diag *diag)
{
    if (isnan(value)) return true;
    if (value >= 0 && value <= 0x1p53 && value == floor(value)) {
        run->seed = (uint64_t)value;
        return true;
    }
    char number[40];
    orr_format_number(value, number);
    usage_error(diag, "E022", "any whole number from 0 to 2^53, such as --seed 7",
                "option '--seed' needs a whole number, not '%s'", number);
    return false;
}

bool given_number(double value, orr_run_options *run, orr_diag *diag)
{
    if (isnan(value)) return true;
    if (value >= 0 && value <= 0x1p53 && value == floor(value)) {
        run->number = (uint64_t)value;
        return true;
    }
    usage_error(diag, "E022", "replications are counted from 0",
                "option '--run' needs a whole number, not '%g'", value);
    return false;
}

char *given_name(const char *text, double *value)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !orr_parse_number(equals + 1, value)) return NULL;
    return trimmed_copy(text, (size_t)(equals - text));
}

static bool apply_set(const char *text, const Session *session, Given *given, orr_experiment *experiment,
                      orr_diag *diag)
{
    const char *equals = strchr(text, '=');
    double value;
    if (!equals || equals == text) {
        usage_error(diag, "E022", "write --set NAME=VALUE, such as --set K=2.5",
                    "option '--set' needs NAME=VALUE, not '%s'", text);
        return false;
    }
    const char *name = trimmed_copy(text, (size_t)(equals - text));
    list_add(&given->texts, name);
    if (!orr_parse_number(equals + 1, &value)) {
        usage_error(diag, "E407", "write a number such as 0.01 or 1e-6",
                    "'%s' cannot be set to '%s': not a number", name, equals + 1);
        return false;
    }
    if (orr_model_find(session->model, name) == (size_t)-1 && orr_experiment_set(experiment, name, value))
        return strcmp(name, "timestep") != 0 ||
               given_is_positive("E409", "step", "give one such as timestep=0.01", value, diag);
    given->settings[given->n++] = (orr_setting){ name, value };
    return true;
}

bool given_read(Given *given, const List *set, const Session *session, orr_experiment *experiment,
                orr_diag *diag)
{
    *given = (Given){ .settings = calloc(experiment->run.n_settings + set->n + 1, sizeof *given->settings) };
    if (!given->settings) abort();
    for (size_t i = 0; i < experiment->run.n_settings; i++)
        given->settings[given->n++] = experiment->run.settings[i];
    bool ok = true;
    for (size_t i = 0; i < set->n; i++) ok &= apply_set(set->items[i], session, given, experiment, diag);
    experiment->run.settings = given->settings;
    experiment->run.n_settings = given->n;
    return ok;
}

bool given_check(const List *set, const Session *session, orr_diag *diag)
{
    orr_experiment experiment = session->experiment;
    Given given;
    bool ok = given_read(&given, set, session, &experiment, diag);
    for (size_t i = session->experiment.run.n_settings; i < given.n; i++) {
        const char *name = given.settings[i].name;
        if (orr_model_find(session->model, name) != (size_t)-1) continue;
        const char *closest = orr_model_closest(session->model, name);
        char hint[160] = "parameters, inputs and initial values can be set";
        if (closest) snprintf(hint, sizeof hint, "did you mean '%s'?", closest);
        usage_error(diag, "E406", hint, "there is nothing called '%s' to set", name);
        ok = false;
    }
    given_free(&given);
    return ok;
}

void given_free(Given *given)
{
    names_free(&given->texts);
    free(given->settings);
}

// src/exp/frame.c: is a model what a frame takes it for? Names, inputs, and what the experiment applies.
#include "base/diag.h"
#include "orrery/experiment.h"
#include "run/run.h"
#include <string.h>

static Place place_of(orr_diag *diag, const char *file, size_t line)
{
    return diag_place(diag, (orr_place){ .file = file, .line = line });
}

static bool report_name(const orr_model *model, const orr_frame *frame, const char *name, Place place,
                        orr_diag *diag)
{
    diag_report(diag, DIAG_FRAME_NAME, place, frame->name, name, orr_model_name(model));
    diag_suggest(diag, name, orr_model_closest(model, name));
    return false;
}

// An array may be observed as a whole.
static bool has_array(const orr_model *model, const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < orr_model_n_variables(model); i++) {
        const char *element = orr_model_variable(model, i).name;
        if (strncmp(element, name, n) == 0 && element[n] == '[') return true;
    }
    return false;
}

static bool allows(const orr_frame *frame, const char *name)
{
    for (size_t i = 0; i < frame->n_inputs; i++)
        if (strcmp(frame->inputs[i], name) == 0) return true;
    return frame->n_inputs == 0;
}

static bool check_applied(const orr_frame *frame, const char *name, Place place, orr_diag *diag)
{
    if (allows(frame, name)) return true;
    diag_report(diag, DIAG_FRAME_APPLIES, place, frame->name, name);
    diag_hint(diag, "the frame allows %s%s", frame->inputs[0], frame->n_inputs > 1 ? " and others" : "");
    return false;
}

static bool is_input(const orr_model *model, const orr_experiment *e, const char *name)
{
    for (size_t i = 0; i < e->run.n_inputs; i++)    // one that is driven may be computed, and so no input any
                                                    // more
        if (strcmp(e->run.inputs[i].name, name) == 0) return true;
    const size_t variable = orr_model_find(model, name);
    return variable != (size_t)-1 && orr_model_variable(model, variable).is_input;
}

bool orr_experiment_check(const orr_model *model, const orr_experiment *e, orr_diag *diag)
{
    const orr_frame *frame = e->frame;
    if (!frame) return true;
    const Place here = place_of(diag, frame->file, frame->line);
    bool ok = true;
    for (size_t i = 0; i < frame->n_inputs; i++) {
        if (orr_model_find(model, frame->inputs[i]) == (size_t)-1) {
            ok = report_name(model, frame, frame->inputs[i], here, diag);
        } else if (!is_input(model, e, frame->inputs[i])) {
            diag_report(diag, DIAG_FRAME_NOT_INPUT, here, frame->name, frame->inputs[i],
                        orr_model_name(model));
            diag_hint(diag, "what is not an input has a range: range %s in …", frame->inputs[i]);
            ok = false;
        }
    }
    for (size_t i = 0; i < e->run.n_claims; i++) {
        const orr_claim *range = &e->run.claims[i];
        bool is_applied = false;    // told above
        for (size_t k = 0; k < frame->n_inputs; k++) is_applied |= strcmp(frame->inputs[k], range->name) == 0;
        const size_t variable = orr_model_find(model, range->name);
        const Place place = place_of(diag, range->file, range->line);
        if (!is_applied && variable == (size_t)-1)
            ok = report_name(model, frame, range->name, place, diag);
        else if (variable != (size_t)-1 && model_variable(model, variable).part) {
            diag_report(diag, DIAG_RANGE_OF_COMPONENT, place, range->name);
            diag_hint(diag, "let the atomic send it to an input of a model, and give that a range");
            ok = false;
        }
    }
    for (size_t i = 0; i < frame->n_observes; i++)
        if (orr_model_find(model, frame->observes[i]) == (size_t)-1 && !has_array(model, frame->observes[i]))
            ok = report_name(model, frame, frame->observes[i], here, diag);
    for (size_t i = 0; i < e->run.n_inputs; i++) {
        const orr_input *input = &e->run.inputs[i];
        ok = check_applied(frame, input->name, place_of(diag, input->file, input->line), diag) && ok;
    }
    for (size_t i = 0; i < e->run.n_settings; i++)
        if (is_input(model, e, e->run.settings[i].name))
            ok = check_applied(frame, e->run.settings[i].name,
                               run_written(&e->run, e->run.settings[i].name, diag), diag) &&
                 ok;
    return ok;
}

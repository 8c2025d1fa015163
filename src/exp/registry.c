// src/exp/registry.c: the kinds of experiment, in the order of the help.
#include "exp/kind.h"
#include <string.h>

extern const Kind kind_simulate, kind_steady, kind_linearise, kind_continue, kind_compare, kind_ensemble,
    kind_replicate, kind_scenarios, kind_sweep, kind_fit, kind_sensitivity;

static const Kind *const kinds[] = {
    &kind_simulate, &kind_steady,   &kind_linearise, &kind_continue,
    &kind_compare,  &kind_ensemble, &kind_replicate, &kind_sweep,
    &kind_scenarios, &kind_fit,     &kind_sensitivity,
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

const orr_kind_info *orr_kind_at(size_t i) { return i < N_KINDS ? &kinds[i]->kind : NULL; }

const orr_kind_info *orr_kind_find(const char *name)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (strcmp(kinds[i]->kind.name, name) == 0) return &kinds[i]->kind;
    return NULL;
}

const orr_kind_info *orr_experiment_kind(const orr_experiment *e)
{
    if (e->kind) return orr_kind_find(e->kind);
    return &(e->replications > 0 || e->precision > 0 ? &kind_replicate : &kind_simulate)->kind;
}

orr_result orr_carry_out(const orr_model *model, const orr_experiment *experiment, const orr_call *how,
                         orr_diag *diag)
{
    // the description of a kind is the first field of its row
    const Kind *kind = (const Kind *)(const void *)orr_experiment_kind(experiment);
    for (size_t i = 0; i < experiment->n_values && !orr_kind_word(&kind->kind, "sampling"); i++) {
        const orr_value *value = &experiment->values[i];
        if (strcmp(value->word, "set") != 0 || !strchr(value->text, '~')) continue;
        diag_report(diag, DIAG_CHANCE_KIND, (Place){ 0 }, value->text, kind->kind.name);
        return (orr_result){ .status = ORR_STATUS_USAGE };
    }
    return call_carry_out(kind, model, experiment, how, diag);
}

// src/compile/natives.c: the C code of native atomics, where the flat model uses them.
#include "compile/compile.h"
#include <string.h>

// Native code computes with plain numbers, and its times are those of the model: a parameter that is a time
// in another unit would be taken for something else.
static bool times_fit(const Compile *c)
{
    const Flat *flat = &c->model->flat;
    const char *time = flat->time_unit ? flat->time_unit : "s";
    bool *seen = ARENA_ARRAY(&c->model->arena, bool, c->model->atomics.n_kinds);
    bool ok = true;
    for (size_t i = 0; i < flat->parts.n; i++) {
        const uint32_t number = flat->parts.items[i].kind;
        if (number >= c->model->atomics.n_kinds || seen[number]) continue;
        seen[number] = true;
        const AtomicKind *kind = &c->model->atomics.kinds[number];
        if (!kind->is_native) continue;    // what its body says is checked, and converted
        for (uint32_t k = 0; k < kind->n_params; k++) {
            const AtomicParam *param = &kind->params[k];
            double factor = 1;
            if (!param->unit || strcmp(param->unit, time) == 0) continue;
            if (!units_convert(&c->source->ast, param->unit, time, true, param->place, &factor, NULL) ||
                factor == 1)
                continue;
            diag_report(c->diag, DIAG_UNIT_MISMATCH, param->place, param->name, param->unit,
                        "the time of the model", time);
            diag_hint(c->diag,
                      "a native atomic computes in the unit of time of the "
                      "model: write it in [%s], or 'time [%s]' in '%s'",
                      time, param->unit, c->chosen->name);
            ok = false;
        }
    }
    return ok;
}

bool natives_bind(const Compile *c)
{
    if (!times_fit(c)) return false;
    const orr_compile_options *o = c->options;
    orr_model *m = c->model;
    bool *is_used = ARENA_ARRAY(&m->arena, bool, m->atomics.n_kinds);
    for (size_t i = 0; i < m->flat.parts.n; i++)
        if (m->flat.parts.items[i].kind < m->atomics.n_kinds) is_used[m->flat.parts.items[i].kind] = true;
    const AtomicNatives natives = { o->natives, o->n_natives, o->linked, o->n_linked };
    return atomic_bind(&m->atomics, &natives, is_used, c->diag);
}

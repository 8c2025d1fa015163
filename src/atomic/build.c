// src/atomic/build.c: the functions of atomics: instant or native at first, and native ones while a run goes
// on.
#include "code/build.h"
#include "atomic/host.h"
#include "devs/devs.h"
#include <stdlib.h>

// The functions that a text defines.
static void take_functions(orr_atomic *table, const AtomicFunctions *f)
{
    table->init = f->init;
    table->advance = f->advance;
    table->output = f->output;
    table->internal = f->internal;
    table->external = f->external;
    table->confluent = f->confluent;
}

bool atomic_build(AtomicSet *set, CodeTier tier, orr_diag *diag)
{
    if (set->n_kinds == 0) return true;
    const ArenaMark mark = arena_mark(set->arena);
    // kept: it may be compiled natively when the Ast is gone
    const Text text = atomic_text(set, set->arena);
    const AtomicCode *code = NULL;
    if (tier == CODE_INSTANT)
        code = instant_compile_one(text, ATOMIC_CODE_NAME, "orr_host", &atomic_host, &set->unit, diag);
    else if (native_compile(text, NATIVE_LOOPS, &set->unit, NULL, diag))
        code = native_symbol(&set->unit, ATOMIC_CODE_NAME);
    if (!code || tier == CODE_NATIVE) arena_release(set->arena, mark);
    else set->text = text;
    if (!code) return false;
    set->tier = tier;
    set->is_built = true;
    pthread_mutex_init(&set->lock, NULL);
    code->bind(&atomic_host);
    for (uint32_t i = 0; i < set->n_kinds; i++)
        if (!set->kinds[i].is_native) take_functions(&set->kinds[i].table, &code->kinds[i]);
    return true;
}

void atomic_free(AtomicSet *set)
{
    if (set->is_built) {
        background_end(set->background);
        free((void *)atomic_load(&set->better));
        pthread_mutex_destroy(&set->lock);
        if (set->tier == CODE_NATIVE) native_free(&set->unit);
        else instant_free(&set->unit);
        set->is_built = false;
    }
    native_unload(set);
}

// ---- Native code for what runs already

static bool can_improve(const AtomicSet *set) { return set->is_built && set->text.n > 0; }

double atomic_native_ms(const AtomicSet *set)
{
    return can_improve(set) ? native_ms(set->text, NATIVE_LOOPS) : INFINITY;
}

// Tables like those of the kinds, with the functions of the object.
static void take_tables(void *self, const CodeUnit *unit)
{
    AtomicSet *set = self;
    const AtomicCode *code = native_symbol(unit, ATOMIC_CODE_NAME);
    orr_atomic *tables = code ? calloc(set->n_kinds, sizeof *tables) : NULL;
    if (!tables) return;
    code->bind(&atomic_host);
    for (uint32_t i = 0; i < set->n_kinds; i++) {
        tables[i] = set->kinds[i].table;
        if (!set->kinds[i].is_native) take_functions(&tables[i], &code->kinds[i]);
    }
    atomic_store(&set->better, tables);
}

void atomic_improve(const AtomicSet *const_set)
{
    // completed under its lock; what a table means does not change
    AtomicSet *set = (AtomicSet *)const_set;
    if (!can_improve(set)) return;
    Arena none = { 0 };    // the text is the set's
    pthread_mutex_lock(&set->lock);
    if (!set->background)
        set->background = background_start(&none, set->text, NATIVE_LOOPS, take_tables, set);
    pthread_mutex_unlock(&set->lock);
}

bool atomic_is_improved(const AtomicSet *set) { return atomic_load(&((AtomicSet *)set)->better) != NULL; }

bool atomic_take_over(const AtomicSet *set, orr_devs_run *run)
{
    const orr_atomic *better = atomic_load(&((AtomicSet *)set)->better);
    for (uint32_t i = 0; better && i < set->n_kinds; i++)
        devs_run_replace(run, &set->kinds[i].table, &better[i]);
    return better != NULL;
}

// tests/unit/atomic/bench.h: atomics from a text, built and coupled by hand.
#pragma once
#include "atomic/atomic.h"
#include "check.h"
#include "lang/parse.h"
#include "orrery/base.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct Bench {
    Arena     arena;
    Ast       ast;
    AtomicSet set;
    orr_diag *diag;
    orr_devs *model;
    orr_devs_run *run;
    bool      ok;
} Bench;

static inline void bench_show(const Bench *b) { orr_diag_print(b->diag, stderr, 0); }

// Parse, check and build; ok tells whether all of it went well.
static inline Bench *bench_open(const char *text, CodeTier tier)
{
    Bench *b = calloc(1, sizeof *b);
    b->diag = orr_diag_create();
    b->ast.arena = &b->arena;
    const uint32_t file = diag_add_source(b->diag, "bench.orr", text, strlen(text));
    b->ok = parse_text(&b->ast, file, text_from(text), b->diag, NULL) &&
            atomic_check(&b->set, &b->ast, NULL, &b->arena, b->diag) && atomic_build(&b->set, tier, b->diag);
    b->model = orr_devs_create(b->diag);
    return b;
}

static inline orr_devs_part bench_add(Bench *b, const char *name, const char *kind, const double *params)
{
    const AtomicKind *k = atomic_find(&b->set, kind);
    assert_non_null(k);
    return orr_devs_add(b->model, ORR_DEVS_ROOT, name, &k->table, params);
}

static inline void bench_start(Bench *b, uint64_t seed)
{
    if (!orr_devs_finish(b->model)) bench_show(b);
    orr_devs_options options = orr_devs_options_default();
    options.seed = seed;
    b->run = orr_devs_run_create(b->model, &options, b->diag);
    if (!b->run) bench_show(b);
    assert_non_null(b->run);
}

static inline double bench_read(const Bench *b, orr_devs_part part, const char *kind, const char *name)
{
    const AtomicKind *k = atomic_find(&b->set, kind);
    for (uint32_t i = 0; i < k->n_readables; i++)
        if (strcmp(k->readables[i].name, name) == 0)
            return atomic_read(&k->readables[i], b->run, orr_devs_component(b->model, part));
    fail_msg("'%s' has nothing called '%s'", kind, name);
    return 0;
}

static inline void bench_close(Bench *b)
{
    orr_devs_run_destroy(b->run);
    orr_devs_destroy(b->model);
    atomic_free(&b->set);
    orr_diag_destroy(b->diag);
    arena_free(&b->arena);
    free(b);
}

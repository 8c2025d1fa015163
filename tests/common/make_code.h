// tests/common/make_code.h: a flat model made by hand, taken through sorting, lowering and a compiler.
//
//     Built b;
//     built_init(&b);
//     make_equation(&b.make, …);
//     built_finish(&b, CODE_INSTANT);
//     built_start(&b, 0);
//     …
//     built_free(&b);
#pragma once
#include "check.h"
#include "code/code.h"
#include "make_flat.h"
#include <stdlib.h>

typedef struct Built {
    Make    make;
    Blocks  blocks;
    Ir      ir;
    Code    code;
    bool    has_code;
    double *x, *v, *scratch;
    double  given[256];
    uint32_t group_from;    // 0: as the compiler does
    CodeEnv env;
} Built;

// Native code of tests stays out of the user's own cache.
static inline void built_use_own_cache(void)
{
    char path[512];
    const char *build = getenv("ORRERY_BUILD_DIR");
    snprintf(path, sizeof path, "%s/test-cache", build ? build : "/tmp/orrery");
    setenv("ORRERY_CACHE", path, 0);
}

static inline void built_init(Built *b)
{
    memset(b, 0, sizeof *b);
    built_use_own_cache();
    make_init(&b->make);
}

static inline double built_no_history(const void *histories, int k, double t)
{
    (void)histories;
    return 100 * k + t;
}

static inline double built_draw(const void *streams, int k, double count, double argument)
{
    (void)streams;
    return 0.001 * k + count + 0.1 * argument;
}

// Sort and lower; the vectors are made.
static inline void built_lower(Built *b)
{
    if (!order_sort(&b->blocks, &b->make.flat, &b->make.arena, b->make.diag) ||
        !ir_lower_grouping(&b->ir, &b->blocks, b->group_from ? b->group_from : IR_GROUP_FROM, &b->make.arena,
                           b->make.diag)) {
        orr_diag_print(b->make.diag, stderr, 0);
        fail();
    }
    b->x = calloc(b->blocks.n_states + 1, sizeof *b->x);
    b->v = calloc(b->ir.layout.n_values + 1, sizeof *b->v);
    b->scratch = calloc(CODE_SCRATCH * b->blocks.n_states + 1, sizeof *b->scratch);
    b->env = (CodeEnv){ .v = b->v, .history = built_no_history, .tables = b->ir.tables.items,
                        .numbers = b->ir.numbers.items, .draw = built_draw };
}

static inline void built_compile(Built *b, CodeTier tier)
{
    if (b->has_code) code_free(&b->code);
    b->has_code = code_build(&b->code, &b->ir, tier, b->make.diag) &&
                  code_require(&b->code, CODE_PART_ALL, b->make.diag);
    if (b->has_code) return;
    orr_diag_print(b->make.diag, stderr, 0);
    fail();
}

static inline void built_finish(Built *b, CodeTier tier)
{
    built_lower(b);
    built_compile(b, tier);
}

// Defaults, then the start system at time t.
static inline int built_start(Built *b, double t)
{
    b->code.programs[IR_PARAMS](t, b->given, &b->env, NULL);
    return b->code.programs[IR_START](t, NULL, &b->env, b->x);
}

static inline int built_run(Built *b, IrProgramId id, double t, double *out)
{
    return b->code.programs[id](t, b->x, &b->env, out);
}

static inline double *built_value(Built *b, Expr variable)
{
    return &b->v[b->ir.layout.place[expr_node(&b->make.flat.pool, variable)->index]];
}

static inline uint32_t built_number(const Built *b, Expr variable)
{
    return expr_node(&b->make.flat.pool, variable)->index;
}

static inline void built_free(Built *b)
{
    if (b->has_code) code_free(&b->code);
    free(b->x);
    free(b->v);
    free(b->scratch);
    make_free(&b->make);
}

// src/run/chance.c: random numbers of a run.
//
// What has been drawn is counted by discrete variables of the model, which lie in the state block; here are
// only the keys of the streams, which never change.
#include "base/diag.h"
#include "num/distribution.h"
#include "num/random.h"
#include "run/run.h"

typedef struct Stream {
    RandomStream key;
    ExprDrawKind kind;
} Stream;

static double draw(const void *streams, int k, double count, double argument)
{
    const Stream *stream = (const Stream *)streams + k;
    RandomStream at = stream->key;
    if (!(count >= 0)) return NAN;
    at.n_draws = (uint64_t)count;
    switch (stream->kind) {
    case EXPR_DRAW_NORMAL: return random_normal(&at, 0, 1);
    case EXPR_DRAW_GAMMA: return random_gamma(&at, argument, 1);
    case EXPR_DRAW_POISSON: return random_poisson(&at, argument);
    default: return random_unit(&at);
    }
}

void chance_number(orr_run *run, uint64_t number)
{
    Stream *streams = (Stream *)run->island.env.streams;
    run->number = number;
    RandomStream *noise = (RandomStream *)run->island.noise;
    for (size_t i = 0; i < run->model->flat.noises.n; i++) noise[i].run = number;
    for (size_t i = 0; i < run->model->flat.pool.draws.n; i++) streams[i].key.run = number;
}

// The full name of a stream: an island is compiled alone, and its names begin in it.
static RandomStream stream_of(orr_run *run, const char *within, const char *name)
{
    if (within && *within) name = *name ? arena_printf(&run->arena, "%s.%s", within, name) : within;
    return random_stream(run->seed, run->number, name);
}

void chance_open(orr_run *run, uint64_t seed, uint64_t number, const char *within)
{
    const ExprPool *pool = &run->model->flat.pool;
    Stream *streams = ARENA_ARRAY(&run->arena, Stream, pool->draws.n);
    run->seed = seed;
    run->number = number;
    for (size_t i = 0; i < pool->draws.n; i++)
        streams[i] = (Stream){ stream_of(run, within, pool->draws.items[i].stream),
                               pool->draws.items[i].kind };
    const size_t n_noises = run->model->flat.noises.n;
    RandomStream *noise = ARENA_ARRAY(&run->arena, RandomStream, n_noises);
    for (size_t i = 0; i < n_noises; i++)
        noise[i] = stream_of(run, within, run->model->flat.noises.items[i].stream);
    run->island.noise = noise;
    run->island.env.draw = draw;
    run->island.env.streams = streams;
}

bool chance_report(orr_run *run)
{
    const Flat *flat = &run->model->flat;
    Arena scratch = { 0 };
    bool found = false;
    for (size_t i = 0; i < flat->draws.n && !found; i++) {
        const FlatDraw *d = &flat->draws.items[i];
        const Distribution *distribution = &distributions[d->distribution];
        double *args = ARENA_ARRAY(&scratch, double, d->n_args);
        for (uint32_t k = 0; k < d->n_args; k++) args[k] = run_parameter(run, d->args[k]);
        const char *must;
        const int fault = distribution_fault(d->distribution, args, d->n_args, &must);
        found = fault >= 0;
        if (!found) continue;
        diag_report(run->diag, DIAG_DRAW_ARGUMENT, run_place(run->model, run->diag, d->place),
                    distribution->name, distribution->arguments[distribution->n_arguments ? fault : 0].name,
                    args[fault], must);
    }
    arena_free(&scratch);
    return found;
}

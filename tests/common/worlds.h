// tests/common/worlds.h: models of several islands, coupled by the names of their variables.
#pragma once
#include "check.h"
#include "orrery/orrery.h"
#include <stdlib.h>

enum { ISLANDS_MOST = 64, NAMES_MOST = 16 };

// One island: a model of the text; all that it reads is an input of it.
typedef struct Part {
    const char *model;
    const char *reads[NAMES_MOST];
    const char *tells[NAMES_MOST];
    orr_island_options options;    // as far as they are not these
    bool is_linear;                // what it reads moves by gradients
} Part;

typedef struct World {
    orr_diag *diag;
    orr_source *source;
    orr_devs *devs;
    orr_devs_run *run;
    size_t n;
    orr_model *models[ISLANDS_MOST];
    orr_island *islands[ISLANDS_MOST];
    orr_devs_part parts[ISLANDS_MOST];
} World;

static inline void world_fail(const World *world, const char *what)
{
    print_error("%s\n", what);
    orr_diag_print(world->diag, stderr, 0);
    fail();
}

static inline void world_compile(World *world, size_t i, const Part *part)
{
    orr_input inputs[NAMES_MOST];
    orr_compile_options o = orr_compile_options_default();
    o.model = part->model;
    o.code = ORR_CODE_INSTANT;
    o.inputs = inputs;
    for (size_t k = 0; k < NAMES_MOST && part->reads[k]; k++) {
        inputs[k] = orr_input_default();
        inputs[k].name = part->reads[k];
        inputs[k].source = "host";
        inputs[k].between = part->is_linear ? ORR_BETWEEN_LINEAR : ORR_BETWEEN_HOLD;
        o.n_inputs++;
    }
    world->models[i] = orr_model_compile(world->source, &o, world->diag);
    if (!world->models[i]) world_fail(world, part->model);
}

// All islands, each output coupled to every input of its name; port "kick" of the whole perturbs part
// `kicked`.
static inline World world_open(const char *text, const Part *parts, size_t n, uint64_t kicked)
{
    static const orr_devs_port kick = { .name = "kick",
                                        .type = ORR_PERTURBATION,
                                        .size = sizeof(orr_perturbation) };
    World world = { .diag = orr_diag_create(), .n = n };
    world.source = orr_source_parse("test.orr", text, strlen(text), world.diag);
    if (!world.source) world_fail(&world, "the text is wrong");
    world.devs = orr_devs_create(world.diag);
    orr_devs_set_ports(world.devs, &kick, 1, NULL, 0);
    for (size_t i = 0; i < n; i++) {
        world_compile(&world, i, &parts[i]);
        orr_island_options o = parts[i].options;
        orr_island_input inputs[NAMES_MOST] = { 0 };
        for (o.n_inputs = 0; o.n_inputs < NAMES_MOST && parts[i].reads[o.n_inputs]; o.n_inputs++)
            inputs[o.n_inputs].variable = parts[i].reads[o.n_inputs];
        for (o.n_outputs = 0; o.n_outputs < NAMES_MOST && parts[i].tells[o.n_outputs];) o.n_outputs++;
        o.inputs = inputs;
        o.outputs = parts[i].tells;
        o.number = (uint32_t)i;
        o.n_islands = (uint32_t)n;
        world.islands[i] = orr_island_create(world.models[i], &o, world.diag);
        if (!world.islands[i]) world_fail(&world, "no island");
        char name[32];
        snprintf(name, sizeof name, "part%zu", i);
        world.parts[i] =
            orr_devs_add(world.devs, ORR_DEVS_ROOT, name, orr_island_type(world.islands[i]), NULL);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < NAMES_MOST && parts[i].tells[k]; k++)
            for (size_t j = 0; j < n; j++)
                for (size_t r = 0; r < NAMES_MOST && parts[j].reads[r]; r++)
                    if (strcmp(parts[i].tells[k], parts[j].reads[r]) == 0)
                        orr_devs_couple(world.devs, world.parts[i], parts[i].tells[k], world.parts[j],
                                        parts[j].reads[r]);
    for (size_t i = 0; i < n; i++)
        if (kicked >> i & 1) orr_devs_couple(world.devs, ORR_DEVS_ROOT, "kick", world.parts[i], "perturb");
    if (!orr_devs_finish(world.devs)) world_fail(&world, "not finished");
    return world;
}

static inline void world_begin(World *world)
{
    const orr_devs_options o = orr_devs_options_default();
    orr_devs_run_destroy(world->run);
    world->run = orr_devs_run_create(world->devs, &o, world->diag);
    if (!world->run) world_fail(world, "no run");
}

static inline void world_close(World *world)
{
    orr_devs_run_destroy(world->run);
    orr_devs_destroy(world->devs);
    for (size_t i = 0; i < world->n; i++) {
        orr_island_destroy(world->islands[i]);
        orr_model_destroy(world->models[i]);
    }
    orr_source_destroy(world->source);
    orr_diag_destroy(world->diag);
}

static inline void world_go(World *world, double t)
{
    if (orr_devs_run_advance(world->run, t) != ORR_STATUS_OK) world_fail(world, "the run failed");
}

static inline orr_run *world_run(const World *world, size_t i)
{
    return orr_island_run(world->run, orr_devs_component(world->devs, world->parts[i]));
}

static inline double world_value(const World *world, size_t i, const char *name)
{
    const size_t variable = orr_model_find(world->models[i], name);
    assert_true(variable != (size_t)-1);
    return orr_run_value(world_run(world, i), variable);
}

// At time t a state of the part that is perturbed gets a value.
static inline void world_kick_at(World *world, double t, size_t i, const char *name, double value)
{
    const orr_perturbation message = { orr_model_find(world->models[i], name), value };
    assert_true(orr_devs_run_send(world->run, t, 0, &message));
}

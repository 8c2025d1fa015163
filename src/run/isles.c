// src/run/isles.c: the islands of a model beside its main part, each with a solver of its own.
//
// They are components of a P-DEVS kernel, and the main part is what is outside of it. The kernel follows
// the main part: before each step it is brought to where the main part stands. First the islands that are
// due tell their values, then the main part tells its own, which hold from here on. A step of the main part
// ends where an island may tell it something. So the kernel never is ahead of the user, and nothing has to
// be taken back.
#include "island/isles.h"
#include "base/diag.h"
#include "run/run.h"
#include "solve/solver.h"
#include <stdlib.h>
#include <string.h>

typedef struct IsleTold {    // what the main part tells
    uint32_t variable;
    uint32_t port;    // input of the kernel
    double value;     // last told; NaN: nothing yet
} IsleTold;

typedef struct IslesRun {
    const Isles *isles;    // borrowed; the model's
    Arena arena;
    orr_island **types;      // [n]
    orr_devs_part *parts;    // [n]
    orr_devs *devs;
    orr_devs_run *run;    // NULL: not begun
    orr_devs_port *inputs, *outputs;
    uint32_t n_inputs, n_outputs;
    IsleTold *told;        // [n_inputs]
    uint32_t *heard;       // [n_outputs] variable of the main part
    uint32_t *perturb;     // [n] input of the kernel that perturbs it; n_inputs and more: none
    uint32_t n_told;       // of the inputs: signals
    uint32_t first_message;    // … and messages, from here on
    orr_signal *signal;    // scratch
    bool has_news;         // something that the main part reads has come,
    bool has_jumped;       // … and it has jumped
} IslesRun;

// ---- Making

static orr_run_options options_of(const orr_run *run, const Isle *isle, const orr_run_options *given)
{
    orr_run_options o = isle->options.run;
    const Island *main = &run->islands[0];
    if (!isle->has_solver) o.solver = main->solver->name;
    const bool is_same = !isle->has_solver;
    if (is_same && !(o.step > 0)) o.step = given->step;
    if (!(o.tolerance > 0)) o.tolerance = given->tolerance;
    if (!(o.absolute > 0)) o.absolute = given->absolute;
    if (is_same && !(o.quantum > 0)) o.quantum = given->quantum;
    if (is_same && !(o.relative_quantum > 0)) o.relative_quantum = given->relative_quantum;
    o.t_end = given->t_end;
    o.seed = given->seed;
    o.number = given->number;
    o.within = isle->name;
    o.cancel = given->cancel;
    o.max_seconds = given->max_seconds;
    return o;
}

static orr_island *make_type(orr_run *run, IslesRun *r, uint32_t i, const orr_run_options *given)
{
    const Isle *isle = &r->isles->items[i];
    orr_island_options o = isle->options;
    orr_island_input *inputs = ARENA_ARRAY(&r->arena, orr_island_input, isle->n_inputs);
    const char **params = ARENA_ARRAY(&r->arena, const char *, isle->n_settings);
    for (uint32_t k = 0; k < isle->n_inputs; k++) inputs[k].variable = isle->inputs[k];
    for (uint32_t k = 0; k < isle->n_settings; k++) params[k] = isle->settings[k].name;
    o.run = options_of(run, isle, given);
    o.inputs = inputs;
    o.n_inputs = isle->n_inputs;
    o.outputs = isle->outputs;
    o.n_outputs = isle->n_outputs;
    o.messages = isle->messages;
    o.n_messages = isle->n_messages;
    o.params = params;
    o.n_params = isle->n_settings;
    o.number = i;
    o.n_islands = r->isles->n + 1;
    return orr_island_create(isle->model, &o, run->diag);
}

static void make_ports(IslesRun *r, const Flat *flat)
{
    const Isles *isles = r->isles;
    const uint32_t size = orr_signal_size(isles->n + 1);
    r->inputs = ARENA_ARRAY(&r->arena, orr_devs_port, isles->n_couplings + isles->n + isles->n_messages);
    r->perturb = ARENA_ARRAY(&r->arena, uint32_t, isles->n);
    r->outputs = ARENA_ARRAY(&r->arena, orr_devs_port, isles->n_couplings);
    r->told = ARENA_ARRAY(&r->arena, IsleTold, isles->n_couplings);
    r->heard = ARENA_ARRAY(&r->arena, uint32_t, isles->n_couplings);
    r->signal = arena_alloc(&r->arena, 1, size);
    for (uint32_t k = 0; k < isles->n_couplings; k++) {
        const IsleCoupling *c = &isles->couplings[k];
        const orr_devs_port port = { .name = arena_printf(&r->arena, "signal %u", k),
                                     .type = ORR_SIGNAL,
                                     .size = size };
        if (c->from == ISLE_MAIN) {
            r->told[r->n_inputs] = (IsleTold){ c->variable, r->n_inputs, NAN };
            r->inputs[r->n_inputs++] = port;
        } else if (c->to == ISLE_MAIN) {
            r->heard[r->n_outputs] = c->variable;
            r->outputs[r->n_outputs++] = port;
        }
    }
    r->n_told = r->n_inputs;
    for (uint32_t i = 0; i < isles->n; i++) {
        r->perturb[i] = r->n_inputs;
        if (!isles->is_perturbed[i]) continue;
        r->inputs[r->n_inputs++] = (orr_devs_port){ .name = arena_printf(&r->arena, "perturb %u", i),
                                                    .type = ORR_PERTURBATION,
                                                    .size = sizeof(orr_perturbation) };
    }
    r->first_message = r->n_inputs;
    for (uint32_t k = 0; k < isles->n_messages; k++) {
        const FlatPort *port = &flat->ports.items[isles->messages[k].port];
        r->inputs[r->n_inputs++] = (orr_devs_port){ .name = arena_printf(&r->arena, "message %u", k),
                                                    .type = port->type,
                                                    .size = port->n_values * (uint32_t)sizeof(double) };
    }
}

static void couple(IslesRun *r)
{
    const Isles *isles = r->isles;
    for (uint32_t k = 0; k < isles->n_couplings; k++) {
        const IsleCoupling *c = &isles->couplings[k];
        const char *port = arena_printf(&r->arena, "signal %u", k);
        if (c->from == ISLE_MAIN) orr_devs_couple(r->devs, ORR_DEVS_ROOT, port, r->parts[c->to], c->input);
        else if (c->to == ISLE_MAIN)
            orr_devs_couple(r->devs, r->parts[c->from], c->output, ORR_DEVS_ROOT, port);
        else orr_devs_couple(r->devs, r->parts[c->from], c->output, r->parts[c->to], c->input);
    }
    for (uint32_t i = 0; i < isles->n; i++)
        if (isles->is_perturbed[i])
            orr_devs_couple(r->devs, ORR_DEVS_ROOT, r->inputs[r->perturb[i]].name, r->parts[i], "perturb");
    for (uint32_t k = 0; k < isles->n_messages; k++)
        orr_devs_couple(r->devs, ORR_DEVS_ROOT, r->inputs[r->first_message + k].name,
                        r->parts[isles->messages[k].isle], isles->messages[k].name);
}

bool isles_open(orr_run *run, const orr_run_options *options)
{
    const Isles *isles = run->model->isles;
    if (!isles) return true;
    IslesRun *r = run->isles = calloc(1, sizeof *r);
    if (!r) arena_no_memory(sizeof *r);
    r->isles = isles;
    r->types = ARENA_ARRAY(&r->arena, orr_island *, isles->n);
    r->parts = ARENA_ARRAY(&r->arena, orr_devs_part, isles->n);
    bool ok = true;
    for (uint32_t i = 0; i < isles->n; i++) ok = (r->types[i] = make_type(run, r, i, options)) != NULL && ok;
    if (!ok) return false;
    make_ports(r, &run->model->flat);
    if (r->n_told) run->chunk = 1;    // each step is told
    return true;
}

void isles_close(orr_run *run)
{
    IslesRun *r = run->isles;
    if (!r) return;
    orr_devs_run_destroy(r->run);
    orr_devs_destroy(r->devs);
    for (uint32_t i = 0; i < r->isles->n; i++) orr_island_destroy(r->types[i]);
    arena_free(&r->arena);
    free(r);
}

// ---- Beginning

static void take(void *context, double t, const orr_devs_event *bag, size_t n)
{
    (void)t;
    orr_run *run = context;
    IslesRun *r = run->isles;
    for (size_t i = 0; i < n; i++) {
        const orr_signal *signal = bag[i].value;
        double *v = &run->islands[0].env.v[run->model->ir.layout.place[r->heard[bag[i].port]]];
        if (*v != signal->value) r->has_news = true;
        if (signal->perturbation) r->has_jumped = true;
        *v = signal->value;
    }
    run->values_valid = false;
}

// What the model around says of an island; NaN: nothing.
static double setting_of(const orr_run *run, const IsleSetting *s)
{
    const uint32_t place = run->model->ir.layout.place[s->variable];
    const bool is_given =
        !s->is_start || s->is_given || (place < run->model->n_params && run->given[place] != 0);
    return is_given ? run->islands[0].env.v[place] : NAN;
}

bool isles_start(orr_run *run)
{
    IslesRun *r = run->isles;
    if (!r) return true;
    const Isles *isles = r->isles;
    orr_devs_run_destroy(r->run);
    orr_devs_destroy(r->devs);
    r->run = NULL;
    r->devs = orr_devs_create(run->diag);
    orr_devs_set_ports(r->devs, r->inputs, r->n_inputs, r->outputs, r->n_outputs);
    for (uint32_t i = 0; i < isles->n; i++) {
        const Isle *isle = &isles->items[i];
        double *params = ARENA_ARRAY(&r->arena, double, isle->n_settings);
        for (uint32_t k = 0; k < isle->n_settings; k++) params[k] = setting_of(run, &isle->settings[k]);
        r->parts[i] = orr_devs_add(r->devs, ORR_DEVS_ROOT, isle->name, orr_island_type(r->types[i]), params);
    }
    couple(r);
    if (!orr_devs_finish(r->devs)) return false;
    orr_devs_options o = orr_devs_options_default();
    o.t_start = run->t_start;
    o.output = take;
    o.output_context = run;
    o.cancel = run->cancel;
    for (uint32_t k = 0; k < r->n_told; k++) r->told[k].value = NAN;
    r->run = orr_devs_run_create(r->devs, &o, run->diag);
    return r->run != NULL;
}

// ---- Going on

static orr_status follow(orr_run *run, double t)
{
    const orr_status status = orr_devs_run_advance(run->isles->run, t);
    return status == ORR_STATUS_FAILED ? drive_fail(run) : status;
}

// What the main part tells where it stands; true if there was anything new.
static bool tell(orr_run *run, Island *island)
{
    IslesRun *r = run->isles;
    bool any = false;
    const double *x = run->x, t = run->t;
    run->x = island->x;
    run->t = island->t;
    run->values_valid = false;
    for (uint32_t k = 0; k < r->n_told; k++) {
        const double value = run_own_value(run, r->told[k].variable);
        if (value == r->told[k].value) continue;
        any = true;
        r->told[k].value = value;
        memset(r->signal, 0, orr_signal_size(r->isles->n + 1));
        r->signal->value = value;
        orr_devs_run_send(r->run, island->t, r->told[k].port, r->signal);
    }
    run->x = (double *)x;
    run->t = t;
    run->values_valid = false;
    return any;
}

// What has come is taken over.
static orr_status hear(orr_run *run)
{
    IslesRun *r = run->isles;
    if (!r->has_news && !r->has_jumped) return ORR_STATUS_OK;
    const bool jumped = r->has_jumped;
    r->has_news = r->has_jumped = false;
    return jumped ? run_begin_anew(run) : run_take_over(run);
}

orr_status isles_act(orr_run *run, Island *island)
{
    IslesRun *r = run->isles;
    if (!r) return ORR_STATUS_OK;
    const bool is_first = island->t == run->t_start;
    for (uint32_t round = 0;; round++) {
        orr_status status = r->isles->reaches || r->n_inputs ? follow(run, island->t) : ORR_STATUS_OK;
        if (status == ORR_STATUS_OK) status = hear(run);
        if (status != ORR_STATUS_OK) return status;
        // at the first instant everybody must have heard of everybody
        const bool told = r->n_told > 0 && (round == 0 || is_first) && tell(run, island);
        if (run->is_failed) return ORR_STATUS_FAILED;
        if (!told || round > r->isles->n + 2) return ORR_STATUS_OK;
    }
}

double isles_next(const orr_run *run)
{
    const IslesRun *r = run->isles;
    return r && r->isles->reaches ? orr_devs_run_next(r->run) : INFINITY;
}

orr_status isles_follow(orr_run *run) { return run->isles ? follow(run, run->t) : ORR_STATUS_OK; }

// ---- Events of the main part

orr_status isles_before(orr_run *run, Island *island, const FlatAction *actions, uint32_t n)
{
    const Isles *isles = run->isles->isles;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t target = actions[k].target;
        if (!isles->isle_of[target]) continue;
        const orr_status status = follow(run, island->t);
        if (status != ORR_STATUS_OK) return status;
        double value;
        if (isles_value(run, target, &value)) island->env.v[run->model->ir.layout.place[target]] = value;
    }
    return ORR_STATUS_OK;
}

void isles_after(orr_run *run, const Island *island, const FlatAction *actions, uint32_t n)
{
    const IslesRun *r = run->isles;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t target = actions[k].target, isle = r->isles->isle_of[target];
        const double value = island->env.v[run->model->ir.layout.place[target]];
        // a branch that was not taken assigns what was there
        if (!isle || value == run->left[k]) continue;
        const orr_perturbation message = { r->isles->variable_of[target], value };
        orr_devs_run_send(r->run, island->t, r->perturb[isle - 1], &message);
    }
}

void isles_message(orr_run *run, const Island *island, uint32_t port, const double *values)
{
    const IslesRun *r = run->isles;
    const uint32_t message = r->isles->message_of[port];
    if (message) orr_devs_run_send(r->run, island->t, r->first_message + message - 1, values);
}

// ---- Looking

bool isles_value(orr_run *run, size_t variable, double *value)
{
    const IslesRun *r = run->isles;
    if (!r || variable >= r->isles->n_variables || !r->isles->isle_of[variable]) return false;
    const size_t inside = r->isles->variable_of[variable];
    const uint32_t isle = r->isles->isle_of[variable] - 1;
    if (inside == (size_t)-1 || !r->run) return false;
    orr_run *of = orr_island_run(r->run, orr_devs_component(r->devs, r->parts[isle]));
    if (!of) return false;
    *value = orr_run_value(of, inside);
    return true;
}

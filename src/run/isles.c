// src/run/isles.c: the islands of a model beside its main part, each with a solver of its own.
//
// They are components of the kernel that the atomics are in, too (run/net.c), and the main part is what is
// outside of it. What they tell arrives like messages, bag by bag; a step of the main part ends where that
// may happen. Before each step the main part tells its own values, which hold from here on. So the kernel
// never is ahead of the user, and nothing has to be taken back.
//
// The main part passes discontinuities on as every island does. What its own events make jump is told at
// once, as <iP, Md>; and so is, of what it hears, each perturbation whose Md has identifiers new to it.
#include "island/isles.h"
#include "base/diag.h"
#include "run/run.h"
#include "solve/solver.h"
#include <stdlib.h>
#include <string.h>

typedef struct Spread {    // of one perturbation, at the present instant
    uint64_t perturbation;
    uint64_t *known;    // [n_words] islands it is known to have passed through, the main part included
    bool is_new;        // … and those have not been told of it
} Spread;

typedef struct IslesRun {
    const Isles *isles;          // borrowed; the model's
    orr_run_options given;       // of the run around
    orr_run_options *options;    // [n] of each island
    double *periods;             // [n] of their outputs
    orr_setting **quanta;        // [n] of single states
    double *values, *first;      // scratch: parameters and external variables of one island
    IslandParams params;         // … and all of it
    double *told;                // [n_told] last told; NaN: nothing yet
    double *slopes;              // [n_told] with this derivative by time
    double *told_slopes;         // [n_told] with this one they were told
    double *x, *dx;              // [n_states] scratch
    orr_signal *signal;          // scratch
    double *held;       // [most actions of an event] scratch: what the main part holds of islands it assigns
    bool has_news;      // something that the main part reads has come,
    bool has_jumped;    // … and it has jumped
    // discontinuities
    bool can_jump;    // there are events or inputs that could make what is told jump
    bool any_jumps, any_spreads;
    bool *jumps;                 // [n_told] by an event of the main part, and not told yet
    double *base;                // [n_told] values before that event
    uint64_t n_perturbations;    // that began here
    uint32_t n_words;
    double t_spread;        // the instant of
    VEC(Spread) spreads;    // [n_spreads of them are in use]
    size_t n_spreads;
} IslesRun;

// ---- Making

// What is written behind the model, as far as it has a value; false, reported, if that is none.
static bool read_own(orr_run *run, uint32_t number, orr_run_options *o)
{
    IslesRun *r = run->isles;
    const Isle *isle = &r->isles->items[number];
    double *const fields[] = {
        [ISLE_STEP] = &o->step,           [ISLE_TOLERANCE] = &o->tolerance,
        [ISLE_ABSOLUTE] = &o->absolute,   [ISLE_MAX_STEP] = &o->max_step,
        [ISLE_QUANTUM] = &o->quantum,     [ISLE_RELATIVE] = &o->relative_quantum,
        [ISLE_LEAST] = &o->least_quantum, [ISLE_PERIOD] = &r->periods[number],
    };
    bool ok = true;
    o->quanta = r->quanta[number];
    for (uint32_t i = 0; i < isle->n_own; i++) {
        const IsleOption *option = &isle->own[i];
        const double value = run_parameter(run, option->value);
        if (option->kind == ISLE_STATE_QUANTUM)
            r->quanta[number][o->n_quanta++] = (orr_setting){ option->name, value };
        else *fields[option->kind] = value;
        if (value > 0 && isfinite(value)) continue;
        char text[32];
        snprintf(text, sizeof text, "%g", value);
        diag_report(run->diag, DIAG_SETTING_VALUE, run_place(run->model, run->diag, option->place),
                    option->name, text, "a positive number is needed");
        ok = false;
    }
    return ok;
}

// What was requested for an island by its name; NULL: nothing. The last word counts.
static const orr_island_solver *choice_of(const orr_run_options *given, const char *name)
{
    for (size_t i = given->n_islands; i-- > 0;) {
        const char *island = given->islands[i].island;
        const size_t n = strlen(island);
        if (strncmp(name, island, n) == 0 && (name[n] == '\0' || name[n] == '[')) return &given->islands[i];
    }
    return NULL;
}

static void take_choice(const orr_island_solver *choice, orr_run_options *o)
{
    const struct {
        double from, *to;
    } fields[] = {
        { choice->step, &o->step },         { choice->tolerance, &o->tolerance },
        { choice->absolute, &o->absolute }, { choice->max_step, &o->max_step },
        { choice->quantum, &o->quantum },   { choice->relative_quantum, &o->relative_quantum },
        { choice->least_quantum, &o->least_quantum },
    };
    o->solver = choice->solver;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].from > 0) *fields[i].to = fields[i].from;
}

// Are islands and solvers that were requested by name there?
static bool check_choices(orr_run *run, const orr_run_options *given)
{
    const Isles *isles = run->model->isles;
    const uint32_t n = isles ? isles->n : 0;
    const char **names = ARENA_ARRAY(&run->arena, const char *, n);
    for (uint32_t k = 0; k < n; k++) names[k] = isles->items[k].name;
    bool ok = true;
    for (size_t i = 0; i < given->n_islands; i++) {
        const orr_island_solver *choice = &given->islands[i];
        const orr_run_options one = { .islands = choice, .n_islands = 1 };
        bool found = false;
        for (uint32_t k = 0; k < n && !found; k++) found = choice_of(&one, names[k]) != NULL;
        if (!solver_find(choice->solver)) {
            diag_report(run->diag, DIAG_SOLVER_UNKNOWN, run_written(given, choice->solver, run->diag),
                        choice->solver);
            diag_hint(run->diag, "'orrery solvers' lists them");
            ok = false;
        }
        if (found) continue;
        diag_report(run->diag, DIAG_ISLAND_UNKNOWN, run_written(given, choice->island, run->diag),
                    choice->island);
        const char *closest = text_closest(choice->island, names, n);
        if (closest) diag_suggest(run->diag, choice->island, closest);
        else
            diag_hint(run->diag, n ? "the summary of a run names all islands"
                                   : "the model has none: the solver of all equations is 'solver NAME'");
        ok = false;
    }
    return ok;
}

// What follows the name of an island and a dot; NULL: it is none of its names.
static const char *name_inside(const Isle *isle, const char *name)
{
    const size_t n = strlen(isle->name);
    return strncmp(name, isle->name, n) == 0 && name[n] == '.' ? name + n + 1 : NULL;
}

bool isles_has(const orr_run *run, const char *name)
{
    const Isles *isles = run->model->isles;
    for (uint32_t i = 0; isles && i < isles->n; i++)
        if (name_inside(&isles->items[i], name)) return true;
    return false;
}

// The absolute tolerances of single states that are inside.
static void take_absolutes(orr_run *run, const Isle *isle, orr_run_options *o)
{
    const orr_run_options *given = &run->isles->given;
    orr_setting *own = ARENA_ARRAY(&run->arena, orr_setting, given->n_absolutes);
    for (size_t i = 0; i < given->n_absolutes; i++) {
        const char *name = name_inside(isle, given->absolutes[i].name);
        if (name) own[o->n_absolutes++] = (orr_setting){ name, given->absolutes[i].value };
    }
    o->absolutes = own;
}

static bool find_options(orr_run *run, uint32_t number)
{
    IslesRun *r = run->isles;
    const Isle *isle = &r->isles->items[number];
    const orr_run_options *given = &r->given;
    orr_run_options o = isle->options.run;
    const orr_island_solver *choice = choice_of(given, isle->name);
    const bool is_same = !isle->has_solver && !choice;
    if (!read_own(run, number, &o)) return false;
    if (choice) take_choice(choice, &o);
    // as requested: the main part may have another one, for example where it has nothing to integrate
    const Solver *requested = solver_find(given->solver ? given->solver : "auto");
    if (is_same) o.solver = requested->name;
    for (uint32_t i = 0; is_same && i < isle->n_own && run->n_reruns == 0; i++) {
        const IsleOption *option = &isle->own[i];
        solver_warn_unused(requested, isle_option(option->kind), option->name,
                           run_place(run->model, run->diag, option->place), run->diag);
    }
    if (is_same && !(o.step > 0)) o.step = given->step;
    if (!(o.tolerance > 0)) o.tolerance = given->tolerance;
    if (!(o.absolute > 0)) o.absolute = given->absolute;
    take_absolutes(run, isle, &o);
    if (is_same && !(o.quantum > 0)) o.quantum = given->quantum;
    if (is_same && !(o.relative_quantum > 0)) o.relative_quantum = given->relative_quantum;
    o.t_end = given->t_end;
    o.seed = given->seed;
    o.number = given->number;
    o.within = isle->name;
    o.cancel = given->cancel;
    o.max_seconds = given->max_seconds;
    r->options[number] = o;
    return true;
}

bool isles_open(orr_run *run, const orr_run_options *options)
{
    const Isles *isles = run->model->isles;
    if (!check_choices(run, options)) return false;
    if (!isles) return true;
    Arena *arena = &run->arena;
    IslesRun *r = run->isles = ARENA_NEW(arena, IslesRun);
    uint32_t n_values = 1, n_first = 1;
    r->isles = isles;
    r->given = *options;
    orr_setting *absolutes = ARENA_ARRAY(arena, orr_setting, options->n_absolutes);
    for (size_t i = 0; i < options->n_absolutes; i++)
        absolutes[i] = (orr_setting){ arena_printf(arena, "%s", options->absolutes[i].name),
                                      options->absolutes[i].value };
    r->given.absolutes = absolutes;
    r->options = ARENA_ARRAY(arena, orr_run_options, isles->n);
    r->periods = ARENA_ARRAY(arena, double, isles->n);
    r->quanta = ARENA_ARRAY(arena, orr_setting *, isles->n);
    for (uint32_t i = 0; i < isles->n; i++) {
        const Isle *isle = &isles->items[i];
        r->quanta[i] = ARENA_ARRAY(arena, orr_setting, isle->n_own);
        if (isle->n_settings > n_values) n_values = isle->n_settings;
        if (isle->n_inputs > n_first) n_first = isle->n_inputs;
    }
    r->values = ARENA_ARRAY(arena, double, n_values);
    r->first = ARENA_ARRAY(arena, double, n_first);
    r->told = ARENA_ARRAY(arena, double, isles->n_told);
    r->slopes = ARENA_ARRAY(arena, double, isles->n_told);
    r->told_slopes = ARENA_ARRAY(arena, double, isles->n_told);
    r->x = ARENA_ARRAY(arena, double, run->model->n_states);
    r->dx = ARENA_ARRAY(arena, double, run->model->n_states);
    r->base = ARENA_ARRAY(arena, double, isles->n_told);
    r->jumps = ARENA_ARRAY(arena, bool, isles->n_told);
    r->signal = arena_alloc(arena, 1, orr_signal_size(isles->n + 1));
    uint32_t most = 0;
    for (uint32_t i = 0; i < run->model->n_events; i++)
        if (run->model->flat.events.items[i].n_actions > most)
            most = run->model->flat.events.items[i].n_actions;
    r->held = ARENA_ARRAY(arena, double, most);
    r->n_words = (isles->n + 1 + 63) / 64;
    r->can_jump = isles->n_told && (run->model->n_events || run->model->n_relations || run->inputs ||
                                    run->model->network->first_guest_output > 0);
    if (isles->n_told) run->island.chunk = 1;    // each step is told
    return true;
}

// ---- Beginning

// What the model around says of an island; NaN: nothing.
static double setting_of(const orr_run *run, const IsleSetting *s)
{
    const uint32_t place = run->model->ir.layout.place[s->variable];
    const bool is_given = !s->is_start || s->is_given ||
                          (place < run->model->n_params && run->given[place] != 0);
    return is_given ? run->island.env.v[place] : NAN;
}

const void *isles_params(const orr_run *run, uint32_t number)
{
    IslesRun *r = run->isles;
    const Isle *isle = &r->isles->items[number];
    for (uint32_t k = 0; k < isle->n_settings; k++) r->values[k] = setting_of(run, &isle->settings[k]);
    for (uint32_t k = 0; k < isle->n_inputs; k++)
        r->first[k] = isle->inputs[k].is_number
                          ? run->island.env.v[run->model->ir.layout.place[isle->inputs[k].variable]]
                          : NAN;
    r->params = (IslandParams){ &r->options[number], r->periods[number], r->values, r->first };
    return &r->params;
}

bool isles_start(orr_run *run)
{
    IslesRun *r = run->isles;
    bool ok = true;
    if (!r) return true;
    for (uint32_t i = 0; i < r->isles->n; i++) ok = find_options(run, i) && ok;
    for (uint32_t k = 0; k < r->isles->n_told; k++) r->told[k] = NAN;
    r->has_news = r->has_jumped = false;
    r->t_spread = NAN;
    r->n_perturbations = 0;
    isles_forget(run);
    return ok;
}

// ---- Discontinuities

void isles_forget(orr_run *run)
{
    IslesRun *r = run->isles;
    memset(r->jumps, 0, r->isles->n_told * sizeof *r->jumps);
    r->any_jumps = r->any_spreads = false;
    r->n_spreads = 0;
}

static Spread *find_spread(orr_run *run, double t, uint64_t perturbation)
{
    IslesRun *r = run->isles;
    const uint32_t self = r->isles->n;
    if (r->t_spread != t) r->n_spreads = 0;
    r->t_spread = t;
    for (size_t i = 0; i < r->n_spreads; i++)
        if (r->spreads.items[i].perturbation == perturbation) return &r->spreads.items[i];
    if (r->n_spreads == r->spreads.n) {
        const Spread fresh = { .known = ARENA_ARRAY(&run->arena, uint64_t, r->n_words) };
        vec_push(&run->arena, &r->spreads, fresh);
    }
    Spread *spread = &r->spreads.items[r->n_spreads++];
    spread->perturbation = perturbation;
    spread->is_new = false;
    memset(spread->known, 0, r->n_words * sizeof *spread->known);
    spread->known[self / 64] |= 1ull << self % 64;
    return spread;
}

// A perturbation has come with a signal.
static void learn(orr_run *run, double t, const orr_signal *signal)
{
    IslesRun *r = run->isles;
    Spread *spread = find_spread(run, t, signal->perturbation);
    uint64_t news = 0;
    for (uint32_t i = 0; i < r->n_words; i++) {
        news |= signal->passed[i] & ~spread->known[i];
        spread->known[i] |= signal->passed[i];
    }
    if (news) spread->is_new = r->any_spreads = true;
}

// Values of what is told where the main part stands, one after the other.
static void look_from(orr_run *run, Island *island, double **x, double *t)
{
    *x = run->x;
    *t = run->t;
    run->x = island->x;
    run->t = island->t;
    island->values_valid = false;
}

static void look_back(orr_run *run, double *x, double t)
{
    run->x = x;
    run->t = t;
    run->island.values_valid = false;
}

void isles_compare(orr_run *run, Island *island, bool is_base)
{
    IslesRun *r = run->isles;
    double *x, t;
    if (!r || !r->can_jump) return;
    look_from(run, island, &x, &t);
    for (uint32_t k = 0; k < r->isles->n_told; k++) {
        const double value = run_own_value(run, r->isles->told[k]);
        if (!is_base && value != r->base[k]) r->jumps[k] = r->any_jumps = true;
        r->base[k] = value;
    }
    look_back(run, x, t);
}

// ---- Signals

void isles_hear(orr_run *run, double t, uint32_t output, const void *value)
{
    IslesRun *r = run->isles;
    const orr_signal *signal = value;
    double *v = &run->island.env.v[run->model->ir.layout.place[r->isles->heard[output]]];
    if (*v != signal->value) r->has_news = true;
    if (signal->perturbation) {
        r->has_jumped = true;
        learn(run, t, signal);
    }
    *v = signal->value;
    run->island.values_valid = false;
}

bool isles_have_news(orr_run *run, const Island *island, bool *affects)
{
    IslesRun *r = run->isles;
    const bool has_news = r->has_news || r->has_jumped;
    // what is continuous is taken over where it comes; steps on a grid are kept
    *affects |= r->has_jumped || (r->has_news && !island->solver->fixed_step);
    r->has_news = r->has_jumped = false;
    return has_news;
}

static void tell_one(orr_run *run, double t, uint32_t k, uint64_t own)
{
    IslesRun *r = run->isles;
    const bool passes_on = r->any_spreads && r->isles->passes_on[k];
    orr_signal *signal = r->signal;
    memset(signal, 0, orr_signal_size(r->isles->n + 1));
    signal->value = r->told[k];
    signal->gradient = r->slopes[k];
    signal->has_gradient = 1;
    for (size_t i = 0; i < r->n_spreads; i++) {
        const Spread *spread = &r->spreads.items[i];
        const bool is_own = r->jumps[k] && spread->perturbation == own;
        if (!is_own && !(passes_on && spread->is_new)) continue;
        signal->perturbation = spread->perturbation;
        memcpy(signal->passed, spread->known, r->n_words * sizeof *spread->known);
        net_send(run, t, k, signal);
    }
    if (!signal->perturbation) net_send(run, t, k, signal);    // nothing but an update
}

// Derivatives by time of what is told, where the main part stands: from a little later. A method of first
// order has none; without states there is no method.
static void find_slopes(orr_run *run, Island *island)
{
    IslesRun *r = run->isles;
    const double length = island->t - island->t_before;
    const double ahead = length > 0 ? 1e-4 * length : 1e-7 * fmax(1, fabs(island->t));
    const size_t n = run->model->n_states;
    for (uint32_t k = 0; k < r->isles->n_told; k++) r->slopes[k] = 0;
    if (n > 0 && island->solver->order < 2) return;
    if (!island_rates_aside(island, island->t, island->x, r->dx)) return;
    for (uint32_t k = 0; k < r->isles->n_told; k++) r->slopes[k] = run_own_value(run, r->isles->told[k]);
    for (size_t i = 0; i < n; i++) r->x[i] = island->x[i] + ahead * r->dx[i];
    run->x = r->x;
    run->t = island->t + ahead;
    island->values_valid = false;
    for (uint32_t k = 0; k < r->isles->n_told; k++)
        r->slopes[k] = (run_own_value(run, r->isles->told[k]) - r->slopes[k]) / ahead;
    run->x = island->x;
    run->t = island->t;
    island->values_valid = false;
}

// What the main part tells where it stands: all that is new, or only discontinuities. False: nothing.
static bool tell(orr_run *run, Island *island, bool all)
{
    IslesRun *r = run->isles;
    bool any = false;
    double *x, t;
    const uint64_t own = r->any_jumps ? 1ull << 63 | ++r->n_perturbations : 0;
    if (own) find_spread(run, island->t, own);
    look_from(run, island, &x, &t);
    find_slopes(run, island);
    for (uint32_t k = 0; k < r->isles->n_told; k++) {
        const bool jumps = r->jumps[k] || (r->any_spreads && r->isles->passes_on[k]);
        if (!jumps && !all) continue;
        const double value = run_own_value(run, r->isles->told[k]);
        if (!jumps && value == r->told[k] && r->slopes[k] == r->told_slopes[k]) continue;
        any = true;
        r->told[k] = value;
        r->told_slopes[k] = r->slopes[k];
        tell_one(run, island->t, k, own);
        r->jumps[k] = false;
    }
    look_back(run, x, t);
    for (size_t i = 0; i < r->n_spreads; i++) r->spreads.items[i].is_new = false;
    r->any_jumps = r->any_spreads = false;
    return any;
}

bool isles_spread(orr_run *run, Island *island)
{
    const IslesRun *r = run->isles;
    return r && (r->any_jumps || r->any_spreads) && tell(run, island, false);
}

orr_status isles_tell(orr_run *run, Island *island)
{
    const IslesRun *r = run->isles;
    if (!r || r->isles->n_told == 0) return ORR_STATUS_OK;
    // at the first instant everybody must have heard of everybody
    const uint32_t n_rounds = island->t == island->t_begin ? r->isles->n + 3 : 1;
    for (uint32_t round = 0; round < n_rounds; round++) {
        const bool told = tell(run, island, true);
        if (island->is_failed) return ORR_STATUS_FAILED;
        if (!told) return ORR_STATUS_OK;
        const orr_status status = event_exchange(run, island);
        if (status != ORR_STATUS_OK) return status;
    }
    return ORR_STATUS_OK;
}

// ---- Events of the main part

static bool value_at(orr_run *run, size_t variable, double t, double *value)
{
    const Isles *isles = run->isles->isles;
    if (variable >= isles->n_variables || !isles->isle_of[variable]) return false;
    const size_t inside = isles->variable_of[variable];
    const uint32_t isle = isles->isle_of[variable] - 1;
    orr_devs_run *kernel = net_kernel(run);
    if (inside == (size_t)-1 || !kernel) return false;
    orr_run *of = island_run_at(kernel, run->model->network->guests.items[isle].component, t);
    if (!of) return false;
    *value = orr_run_value(of, inside);
    return true;
}

void isles_before(orr_run *run, const Island *island, const FlatAction *actions, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        double *v = &island->env.v[run->model->ir.layout.place[actions[k].target]];
        run->isles->held[k] = *v;
        value_at(run, actions[k].target, island->t, v);
    }
}

void isles_after(orr_run *run, const Island *island, const FlatAction *actions, uint32_t n)
{
    const Isles *isles = run->isles->isles;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t target = actions[k].target, isle = isles->isle_of[target];
        const double value = island->env.v[run->model->ir.layout.place[target]];
        // a branch that was not taken assigns what was there
        if (!isle || value == island->left[k]) continue;
        const orr_perturbation message = { isles->variable_of[target], value };
        net_send(run, island->t, isles->perturb[isle - 1], &message);
    }
    // what becomes of it the island will tell; backwards, since of two assignments the first found it so
    for (uint32_t k = n; k-- > 0;)
        if (isles->isle_of[actions[k].target])
            island->env.v[run->model->ir.layout.place[actions[k].target]] = run->isles->held[k];
}

// ---- Looking

// Islands exchange values at the ends of their steps, so a method of high order may be no better than what it
// reads, and one that remembers its past, which has to begin anew with each message, no better than its first
// steps.
void isles_report(orr_run *run)
{
    enum { MANY = 100 };
    const IslesRun *r = run->isles;
    const orr_devs_run *kernel = net_kernel(run);
    const Isle *isle = NULL;
    IslandReading worst = { 0 };
    for (uint32_t i = 0; r && kernel && i < r->isles->n; i++) {
        const uint32_t component = run->model->network->guests.items[i].component;
        const IslandReading reading = island_worst_reading(kernel, component);
        const uint64_t n_anew = island_n_anew(kernel, component);
        if (n_anew > MANY) {
            diag_report(run->diag, DIAG_ISLAND_ANEW, (Place){ 0 }, r->isles->items[i].name, (size_t)n_anew,
                        orr_run_get_facts(island_inside(kernel, component)).solver);
            diag_hint(run->diag, "take a method of single steps, such as 'dopri5', or solve the equations "
                                 "together, without the word 'island'");
        }
        if (reading.off <= worst.off) continue;
        worst = reading;
        isle = &r->isles->items[i];
    }
    if (!isle) return;
    diag_report(run->diag, DIAG_ISLAND_READS, (Place){ 0 }, isle->name, isle->inputs[worst.input].name,
                worst.off, worst.size);
    diag_hint(run->diag, "results are hardly more accurate than that: shorter steps ('max' or 'step') make "
                         "it less; without the word 'island' the equations are solved together");
}

bool isles_absolute_of(const orr_run *run, size_t variable, double *absolute)
{
    const Isles *isles = run->isles->isles;
    const orr_devs_run *kernel = net_kernel(run);
    if (!kernel || variable >= isles->n_variables || !isles->isle_of[variable]) return false;
    const uint32_t guest = isles->isle_of[variable] - 1;
    const orr_run *of = island_inside(kernel, run->model->network->guests.items[guest].component);
    const size_t inside = isles->variable_of[variable];
    *absolute = of && inside != (size_t)-1 ? run_absolute_of(of, inside) : 0;
    return true;
}

char *isles_describe(const orr_run *run)
{
    enum { MOST = 8 };    // a line is read by people
    const Isles *isles = run->model->isles;
    orr_devs_run *kernel = net_kernel(run);
    if (!isles || !kernel) return NULL;
    StrBuf s = { 0 };
    for (uint32_t i = 0; i < isles->n && i < MOST; i++) {
        const orr_run *of = island_inside(kernel, run->model->network->guests.items[i].component);
        if (!of) continue;
        const orr_run_facts facts = orr_run_get_facts(of);
        str_addf(&s, "%s%s: %s, %zu steps", s.n ? "; " : "", isles->items[i].name,
                 facts.solver ? facts.solver : "nothing to integrate", facts.n_steps);
    }
    if (isles->n > MOST) str_addf(&s, "; and %u more", isles->n - MOST);
    return s.p;
}

bool isles_value(orr_run *run, size_t variable, double *value)
{
    const orr_devs_run *kernel = net_kernel(run);
    return kernel && value_at(run, variable, orr_devs_run_time(kernel), value);
}

// What islands are like is told by the kernel, of which they are components.
void isles_pass(orr_run *run, RunSaved *saved)
{
    IslesRun *r = run->isles;
    if (!r) return;
    saved_pass(saved, r->told, r->isles->n_told * sizeof *r->told);
    saved_pass(saved, r->told_slopes, r->isles->n_told * sizeof *r->told_slopes);
    saved_flags(saved, &r->has_news, 1);
    saved_flags(saved, &r->has_jumped, 1);
}

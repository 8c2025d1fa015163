// src/compile/islands.c: from components declared `island` to compiled models and the signals between them.
//
// The flat model around has a variable for each name of an island (lang/island.c). An equation that is
// nothing but an arrow between two of them leads straight from island to island; all other equations belong
// to the main part.
#include "compile/compile.h"
#include "island/island.h"
#include "solve/solver.h"
#include <stdlib.h>
#include <string.h>

typedef struct Building {
    Compile *c;
    Arena *arena;    // the model's
    Arena work;
    Flat *flat;
    Isles *isles;
    NetGuests guests;
    const char **rests;          // [vars.n] name inside of the island; NULL if it is in none
    uint32_t *first_variable;    // [n + 1] where in `variables` those of an island begin
    uint32_t *variables;         // of all islands
    uint32_t *first_port;        // [n + 1] likewise of event ports
    uint32_t *ports;             // in Flat.ports
    const char **port_rests;     // [ports.n]
    uint32_t *
        slot;    // [vars.n] of what is told: which output of its island; of an external variable: which input
    uint32_t *equation_of;    // [vars.n] that gives an external variable its value; FLAT_NONE
    bool *is_read;            // [vars.n] by the main part
    bool *is_held;            // [vars.n] an input that holds messages
    VEC(IsleCoupling) couplings;
} Building;

// ---- Which variables belong to islands

// The island that a name lies in, and its name there; FLAT_NONE: in none.
static uint32_t find_isle(const TextMap *names, const char *name, const char **rest)
{
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        const uint32_t *isle = text_map_find(names, (Text){ name, (size_t)(dot - name) });
        if (!isle) continue;
        *rest = dot + 1;
        return *isle;
    }
    return FLAT_NONE;
}

// Numbers 0, 1, … n - 1 by the island that each belongs to, in their order; first[n_isles + 1].
static uint32_t *sort_by_isle(Building *b, const uint32_t *isle_plus_1, size_t n, uint32_t *first)
{
    uint32_t *sorted = ARENA_ARRAY(&b->work, uint32_t, n + 1);
    uint32_t *next = ARENA_ARRAY(&b->work, uint32_t, b->isles->n + 1);
    for (size_t i = 0; i < n; i++)
        if (isle_plus_1[i]) first[isle_plus_1[i]]++;
    for (uint32_t i = 0; i < b->isles->n; i++) {
        next[i] = first[i];
        first[i + 1] += first[i];
    }
    for (uint32_t i = 0; i < n; i++)
        if (isle_plus_1[i]) sorted[next[isle_plus_1[i] - 1]++] = i;
    return sorted;
}

static void find_variables(Building *b)
{
    const Flat *flat = b->flat;
    TextMap names;
    text_map_init(&names, &b->work);
    for (uint32_t i = 0; i < flat->islands.n; i++)
        text_map_put(&names, text_from(flat->islands.items[i].name), i);
    for (uint32_t v = 0; v < flat->vars.n; v++) {
        const char *rest;
        const uint32_t isle = find_isle(&names, flat->vars.items[v].name, &rest);
        if (isle == FLAT_NONE) continue;
        b->isles->isle_of[v] = isle + 1;
        b->rests[v] = rest;
    }
    // what a message of an island says belongs to who hears it
    for (uint32_t i = 0; i < flat->ports.n; i++) {
        const FlatPort *port = &flat->ports.items[i];
        for (uint32_t k = 0; port->kind == FLAT_PORT_IN && !port->is_island && port->first != FLAT_NONE &&
                             k < port->n_values; k++)
            b->isles->isle_of[port->first + k] = 0;
    }
    b->variables = sort_by_isle(b, b->isles->isle_of, flat->vars.n, b->first_variable);
    uint32_t *of_port = ARENA_ARRAY(&b->work, uint32_t, flat->ports.n + 1);
    for (uint32_t i = 0; i < flat->ports.n; i++) {
        const FlatPort *port = &flat->ports.items[i];
        const uint32_t isle = port->is_island ? find_isle(&names, port->name, &b->port_rests[i]) : FLAT_NONE;
        if (isle != FLAT_NONE) of_port[i] = isle + 1;
    }
    b->ports = sort_by_isle(b, of_port, flat->ports.n, b->first_port);
}

static void find_held(Building *b)
{
    for (size_t i = 0; i < b->flat->ports.n; i++)
        if (b->flat->ports.items[i].kind == FLAT_PORT_HOLD) b->is_held[b->flat->ports.items[i].first] = true;
}

// An input that an equation or messages give a value: all that an island computes is discrete in its stub.
static bool is_external(const Building *b, uint32_t v)
{
    return b->isles->isle_of[v] && (b->flat->vars.items[v].kind == FLAT_VARIABLE || b->is_held[v]);
}

static uint32_t variable_in(const Building *b, Expr e)
{
    const ExprPool *pool = &b->flat->pool;
    return expr_op(pool, e) == EXPR_VAR ? expr_node(pool, e)->index : FLAT_NONE;
}

// The variable that this equation only repeats; FLAT_NONE if there is none, or no equation.
static uint32_t variable_of(const Building *b, uint32_t equation)
{
    return equation == FLAT_NONE ? FLAT_NONE : variable_in(b, b->flat->equations.items[equation].rhs);
}

// Is it told by an island?
static bool is_told(const Building *b, uint32_t v)
{
    return v != FLAT_NONE && b->isles->isle_of[v] && b->flat->vars.items[v].kind == FLAT_DISCRETE;
}

static void read_all(Building *b, Expr e)
{
    if (e == EXPR_NONE) return;
    const ArenaMark mark = arena_mark(&b->work);
    size_t n;
    const uint32_t *variables = expr_variables(&b->flat->pool, e, &b->work, &n);
    for (size_t i = 0; i < n; i++) b->is_read[variables[i]] = true;
    arena_release(&b->work, mark);
}

static void find_readers(Building *b)
{
    const Flat *flat = b->flat;
    for (uint32_t i = 0; i < flat->equations.n; i++) {
        const FlatEquation *equation = &flat->equations.items[i];
        const uint32_t left = variable_in(b, equation->lhs), right = variable_in(b, equation->rhs);
        if (left != FLAT_NONE && is_external(b, left)) b->equation_of[left] = i;
        const bool is_straight = left != FLAT_NONE && is_external(b, left) && is_told(b, right);
        if (is_straight) continue;
        read_all(b, equation->lhs);
        read_all(b, equation->rhs);
    }
    for (size_t i = 0; i < flat->families.n; i++) read_all(b, flat->families.items[i].rhs);
    for (size_t i = 0; i < flat->relations.n; i++) read_all(b, flat->relations.items[i].relation);
    for (size_t i = 0; i < flat->delays.n; i++) read_all(b, flat->delays.items[i].source);
    for (size_t i = 0; i < flat->asserts.n; i++) read_all(b, flat->asserts.items[i].condition);
    for (size_t i = 0; i < flat->actions.n; i++) read_all(b, flat->actions.items[i].value);
    for (size_t i = 0; i < flat->events.n; i++) read_all(b, flat->events.items[i].condition);
}

// ---- Events of the main part that assign a state of an island: perturbations

static bool find_perturbed(Building *b)
{
    const Flat *flat = b->flat;
    bool ok = true;
    for (size_t i = 0; i < flat->actions.n; i++) {
        const FlatAction *action = &flat->actions.items[i];
        const uint32_t isle = b->isles->isle_of[action->target];
        if (!isle) continue;
        const orr_model *model = b->isles->items[isle - 1].model;
        const size_t inside = b->isles->variable_of[action->target];
        b->isles->is_perturbed[isle - 1] = true;
        if (!model || (inside != (size_t)-1 && model_variable(model, inside).state != FLAT_NONE)) continue;
        diag_report(b->c->diag, DIAG_EVENT_TARGET, action->place, flat->vars.items[action->target].name,
                    "computed by an island");
        diag_hint(b->c->diag, "from outside, the states of an island can be assigned");
        ok = false;
    }
    for (uint32_t i = 0; i < flat->ports.n; i++) {
        const FlatPort *port = &flat->ports.items[i];
        if (port->kind != FLAT_PORT_PERTURB) continue;
        const orr_model *model = b->isles->items[b->isles->isle_of[port->first] - 1].model;
        const size_t inside = b->isles->variable_of[port->first];
        if (!model || (inside != (size_t)-1 && model_variable(model, inside).state != FLAT_NONE)) continue;
        size_t k = 0;
        while (flat->couplings.items[k].to != i) k++;
        diag_report(b->c->diag, DIAG_HOLD_TARGET, port->place,
                    flat->ports.items[flat->couplings.items[k].from].name, port->name,
                    "variable of an island, but no state");
        diag_hint(b->c->diag,
                  "messages perturb states; lead it to an event input of the island: on … then … end");
        ok = false;
    }
    return ok;
}

// ---- Couplings

static void couple(Building *b)
{
    const Flat *flat = b->flat;
    for (uint32_t v = 0; v < flat->vars.n; v++) {
        if (!is_external(b, v) || b->is_held[v]) continue;
        const uint32_t to = b->isles->isle_of[v] - 1, equation = b->equation_of[v];
        const uint32_t source = variable_of(b, equation);
        IsleCoupling coupling = {
            .from = ISLE_MAIN, .to = to, .input = b->rests[v], .variable = v, .source = FLAT_NONE, .target = v
        };
        if (is_told(b, source)) {
            coupling.from = b->isles->isle_of[source] - 1;
            coupling.output = b->rests[source];
            coupling.source = source;
        }
        vec_push(b->arena, &b->couplings, coupling);
    }
    for (uint32_t v = 0; v < flat->vars.n; v++) {
        if (!is_told(b, v) || !b->is_read[v]) continue;
        const IsleCoupling coupling = { .from = b->isles->isle_of[v] - 1,
                                        .to = ISLE_MAIN,
                                        .output = b->rests[v],
                                        .variable = v,
                                        .source = v,
                                        .target = FLAT_NONE };
        vec_push(b->arena, &b->couplings, coupling);
    }
    b->isles->couplings = b->couplings.items;
    b->isles->n_couplings = (uint32_t)b->couplings.n;
}

// ---- What passes through the main part

static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

static void unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    parent[root_of(parent, a)] = root_of(parent, b);
}

// Variables that share an equation may depend on each other; those that stand apart from all that is heard
// do not, and what jumps there does not reach them.
static void find_passing(Building *b)
{
    const Flat *flat = b->flat;
    Isles *isles = b->isles;
    uint32_t *parent = ARENA_ARRAY(&b->work, uint32_t, flat->vars.n);
    bool *hears = ARENA_ARRAY(&b->work, bool, flat->vars.n);
    for (uint32_t v = 0; v < flat->vars.n; v++) parent[v] = v;
    for (uint32_t v = 0; v < flat->vars.n; v++)
        if (flat->vars.items[v].derivative != FLAT_NONE) unite(parent, v, flat->vars.items[v].derivative);
    for (size_t i = 0; i < flat->equations.n; i++) {
        const Expr sides[] = { flat->equations.items[i].lhs, flat->equations.items[i].rhs };
        uint32_t first = FLAT_NONE;
        const ArenaMark mark = arena_mark(&b->work);
        for (int k = 0; k < 2; k++) {
            size_t n;
            const uint32_t *variables = expr_variables(&flat->pool, sides[k], &b->work, &n);
            for (size_t j = 0; j < n; j++) {
                const bool is_known = flat->vars.items[variables[j]].kind != FLAT_VARIABLE;
                if (is_known && !is_told(b, variables[j])) continue;
                if (first != FLAT_NONE) unite(parent, first, variables[j]);
                first = variables[j];
            }
        }
        arena_release(&b->work, mark);
    }
    for (uint32_t k = 0; k < isles->n_heard; k++) hears[root_of(parent, isles->heard[k])] = true;
    isles->passes_on = ARENA_ARRAY(b->arena, bool, isles->n_told);
    for (uint32_t k = 0; k < isles->n_told; k++)
        isles->passes_on[k] = flat->families.n > 0 || hears[root_of(parent, isles->told[k])];
}

// What each island reads and tells, and where among its ports that stands.
static void find_ports(Building *b)
{
    const Flat *flat = b->flat;
    Isles *isles = b->isles;
    bool *tells = ARENA_ARRAY(&b->work, bool, flat->vars.n);
    for (size_t k = 0; k < b->couplings.n; k++)
        if (b->couplings.items[k].source != FLAT_NONE) tells[b->couplings.items[k].source] = true;
    for (uint32_t i = 0; i < isles->n; i++) {
        Isle *isle = &isles->items[i];
        const uint32_t *of = b->variables + b->first_variable[i];
        const uint32_t n = b->first_variable[i + 1] - b->first_variable[i];
        isle->inputs = ARENA_ARRAY(b->arena, IsleInput, n);
        isle->outputs = ARENA_ARRAY(b->arena, const char *, n);
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t v = of[k];
            if (is_external(b, v)) {
                b->slot[v] = isle->n_inputs;
                isle->inputs[isle->n_inputs++] = (IsleInput){ b->rests[v], v, b->is_held[v] };
            } else if (tells[v]) {
                b->slot[v] = isle->n_outputs;
                isle->outputs[isle->n_outputs++] = b->rests[v];
            }
        }
        const uint32_t n_ports = b->first_port[i + 1] - b->first_port[i];
        isle->messages = ARENA_ARRAY(b->arena, const char *, n_ports);
        isle->sends = ARENA_ARRAY(b->arena, const char *, n_ports);
        isle->perturbed = ARENA_ARRAY(b->arena, const char *, n_ports);
        for (uint32_t k = 0; k < n_ports; k++) {
            const uint32_t port = b->ports[b->first_port[i] + k];
            const FlatPortKind kind = flat->ports.items[port].kind;
            if (kind == FLAT_PORT_IN) isle->messages[isle->n_messages++] = b->port_rests[port];
            if (kind == FLAT_PORT_OUT) isle->sends[isle->n_sends++] = b->port_rests[port];
            if (kind == FLAT_PORT_PERTURB) isle->perturbed[isle->n_perturbed++] = b->port_rests[port];
        }
    }
}

// ---- Options

static const struct {
    const char *name;
    IsleOptionKind kind;
} known_options[] = {
    { "step", ISLE_STEP },         { "tol", ISLE_TOLERANCE },     { "tolerance", ISLE_TOLERANCE },
    { "abs", ISLE_ABSOLUTE },      { "absolute", ISLE_ABSOLUTE }, { "max", ISLE_MAX_STEP },
    { "max_step", ISLE_MAX_STEP }, { "quantum", ISLE_QUANTUM },   { "relative", ISLE_RELATIVE },
    { "min", ISLE_LEAST },         { "period", ISLE_PERIOD },
};
enum { N_KNOWN = sizeof known_options / sizeof *known_options };

static bool report_option(Building *b, const AstIsland *island, const FlatIslandOption *option)
{
    orr_diag *diag = b->c->diag;
    const char *names[N_KNOWN];
    for (uint32_t j = 0; j < N_KNOWN; j++) names[j] = known_options[j].name;
    diag_report(diag, DIAG_SOLVER_OPTION, option->place, island->solver ? island->solver : "auto",
                option->name);
    const char *closest = text_closest(option->name, names, N_KNOWN - 1);
    if (closest) diag_suggest(diag, option->name, closest);
    else
        diag_hint(diag, "there are step, tol, abs, max, quantum, relative, min, "
                        "output every, synchronised, gradients");
    return false;
}

static bool read_option(Building *b, Isle *isle, const AstIsland *island, const FlatIslandOption *option)
{
    double value;
    uint32_t k = 0;
    while (k < N_KNOWN && strcmp(known_options[k].name, option->name) != 0) k++;
    if (k == N_KNOWN) return report_option(b, island, option);
    const IsleOptionKind kind = option->state ? ISLE_STATE_QUANTUM : known_options[k].kind;
    const char *name = option->state ? option->state : kind == ISLE_PERIOD ? "output every" : option->name;
    if (expr_is_const(&b->flat->pool, option->value, &value) && !(value > 0 && isfinite(value))) {
        diag_report(b->c->diag, DIAG_SETTING_VALUE, option->place, name, "this",
                    "a positive number is needed");
        return false;
    }
    // where the island has none of its own, that of the run is known when one begins
    const Solver *solver = island->solver ? solver_find(island->solver) : NULL;
    if (solver && !solver_hears(solver, isle_option(kind), option->name, option->place, b->c->diag))
        return false;
    isle->own[isle->n_own++] = (IsleOption){ kind, name, option->value, option->place };
    return true;
}

static bool read_options(Building *b, Isle *isle, const FlatIsland *flat)
{
    const AstIsland *island = flat->item->component.island;
    orr_run_options *run = &isle->options.run;
    bool ok = true;
    *run = orr_run_options_default();
    isle->has_solver = island->solver != NULL;
    if (island->solver) run->solver = arena_copy_text(b->arena, island->solver, strlen(island->solver));
    if (island->solver && !solver_find(island->solver)) {
        diag_report(b->c->diag, DIAG_SOLVER_UNKNOWN, island->solver_place, island->solver);
        diag_hint(b->c->diag, "'orrery solvers' lists them");
        ok = false;
    }
    isle->options.synchronise = island->synchronised;
    isle->options.expect_gradients = island->gradients;
    isle->options.tell_gradients = true;
    isle->own = ARENA_ARRAY(b->arena, IsleOption, flat->n_options);
    for (uint32_t i = 0; i < flat->n_options; i++) ok = read_option(b, isle, island, &flat->options[i]) && ok;
    return ok;
}

static bool has_state(const orr_model *model, const char *name)
{
    const size_t variable = orr_model_find(model, name), n = strlen(name);
    if (variable != (size_t)-1) return model_variable(model, variable).state != FLAT_NONE;
    for (uint32_t k = 0; k < model->n_states; k++) {    // all elements of an array
        const char *state = model_state_name(model, k);
        if (strncmp(state, name, n) == 0 && state[n] == '[') return true;
    }
    return false;
}

// Quanta belong to states, which are known once the island is compiled.
static bool check_quanta(Building *b, const Isle *isle)
{
    bool ok = true;
    for (uint32_t i = 0; i < isle->n_own; i++) {
        const IsleOption *option = &isle->own[i];
        if (option->kind != ISLE_STATE_QUANTUM || has_state(isle->model, option->name)) continue;
        const bool is_known = orr_model_find(isle->model, option->name) != (size_t)-1;
        diag_report(b->c->diag, DIAG_QUANTUM_NAME, option->place, option->name, "quantum",
                    is_known ? "it is not a state" : "nothing is called that");
        const char *closest = is_known ? NULL : orr_model_closest(isle->model, option->name);
        diag_suggest(b->c->diag, option->name, closest);
        ok = false;
    }
    return ok;
}

// ---- Models

// Structural parameters are what the model around was compiled with.
static double structural_value(const Building *b, uint32_t v)
{
    const Flat *flat = b->flat;
    double value = 0;
    expr_is_const(&flat->pool, flat->vars.items[v].start, &value);
    for (size_t i = 0; i < flat->n_given; i++)
        if (strcmp(flat->given[i].name, flat->vars.items[v].name) == 0) value = flat->given[i].value;
    return value;
}

static bool compile_isle(Building *b, uint32_t i, Isle *isle)
{
    const AstItem *item = b->flat->islands.items[i].item;
    orr_compile_options o = *b->c->options;
    orr_input *inputs = ARENA_ARRAY(&b->work, orr_input, isle->n_inputs);
    const uint32_t *of = b->variables + b->first_variable[i];
    const uint32_t n_variables = b->first_variable[i + 1] - b->first_variable[i];
    orr_setting *settings = ARENA_ARRAY(&b->work, orr_setting, n_variables);
    for (uint32_t k = 0; k < isle->n_inputs; k++) {
        inputs[k] = orr_input_default();
        inputs[k].name = isle->inputs[k].name;
        inputs[k].source = "host";
        inputs[k].between = isle->inputs[k].is_number ? ORR_BETWEEN_HOLD : ORR_BETWEEN_LINEAR;
    }
    o.model = item->component.model;
    o.inputs = inputs;
    o.n_inputs = isle->n_inputs;
    o.settings = settings;
    o.n_settings = 0;
    o.dump_stage = NULL;
    o.is_component = true;
    for (uint32_t k = 0; k < n_variables; k++)
        if (b->flat->vars.items[of[k]].is_structural)
            settings[o.n_settings++] = (orr_setting){ b->rests[of[k]], structural_value(b, of[k]) };
    // members of an array are one model, mostly
    for (uint32_t k = i; k-- > 0 && !isle->model;) {
        const Isle *other = &b->isles->items[k];
        if (b->flat->islands.items[k].item != item || other->n_inputs != isle->n_inputs || o.n_settings)
            continue;
        bool same = other->model != NULL;
        for (uint32_t j = 0; j < isle->n_inputs; j++)
            same = same && strcmp(other->inputs[j].name, isle->inputs[j].name) == 0 &&
                   other->inputs[j].is_number == isle->inputs[j].is_number;
        if (same) isle->model = other->model;
    }
    if (isle->model) return true;
    isle->model = orr_model_compile(b->c->source, &o, b->c->diag);
    isle->owns_model = true;
    return isle->model != NULL;
}

static bool is_overridden(const AstItem *item, const char *name)
{
    for (uint32_t i = 0; i < item->component.n_overrides; i++) {
        const AstRef *target = &item->component.overrides[i].target;
        if (target->n_parts == 1 && target->primes == 0 && strcmp(target->parts[0].name, name) == 0)
            return true;
    }
    return false;
}

static void find_settings(Building *b, uint32_t i, Isle *isle)
{
    const Flat *flat = b->flat;
    const uint32_t *of = b->variables + b->first_variable[i];
    const uint32_t n_variables = b->first_variable[i + 1] - b->first_variable[i];
    isle->settings = ARENA_ARRAY(b->arena, IsleSetting, n_variables);
    for (uint32_t k = 0; k < n_variables; k++) {
        const uint32_t v = of[k];
        const FlatVar *var = &flat->vars.items[v];
        const size_t inside = orr_model_find(isle->model, b->rests[v]);
        b->isles->variable_of[v] = inside;
        if (inside == (size_t)-1) continue;
        const ModelVariable what = model_variable(isle->model, inside);
        if (what.is_structural) continue;
        const bool is_value = var->kind == FLAT_PARAM ||
                              (var->kind == FLAT_INPUT && what.kind == FLAT_INPUT && !b->is_held[v]);
        const bool is_start = var->kind == FLAT_DISCRETE &&
                              (what.state != FLAT_NONE || what.kind == FLAT_DISCRETE);
        if (!is_value && !is_start) continue;
        isle->settings[isle->n_settings++] = (IsleSetting){
            b->rests[v], v, is_start, is_start && is_overridden(flat->islands.items[i].item, b->rests[v]),
        };
    }
}

// ---- Components of the kernel

static orr_island *make_type(Building *b, uint32_t i, Isle *isle)
{
    orr_island_options o = isle->options;
    orr_island_input *inputs = ARENA_ARRAY(&b->work, orr_island_input, isle->n_inputs);
    const char **params = ARENA_ARRAY(&b->work, const char *, isle->n_settings);
    for (uint32_t k = 0; k < isle->n_inputs; k++)
        inputs[k] = (orr_island_input){ isle->inputs[k].name, isle->inputs[k].is_number };
    for (uint32_t k = 0; k < isle->n_settings; k++) params[k] = isle->settings[k].name;
    o.inputs = inputs;
    o.n_inputs = isle->n_inputs;
    o.outputs = isle->outputs;
    o.n_outputs = isle->n_outputs;
    o.messages = isle->messages;
    o.n_messages = isle->n_messages;
    o.sends = isle->sends;
    o.n_sends = isle->n_sends;
    o.perturbed = isle->perturbed;
    o.n_perturbed = isle->n_perturbed;
    o.params = params;
    o.n_params = isle->n_settings;
    o.number = i;
    o.n_islands = b->isles->n + 1;    // the main part is the last
    orr_island *type = orr_island_create(isle->model, &o, b->c->diag);
    if (type) type->is_member = true;
    return type;
}

// The input of an island that its k-th external variable is, and the output that tells its k-th variable.
static uint32_t input_slot(uint32_t k) { return 1 + k; }
static uint32_t output_slot(const Isle *isle, uint32_t k)
{
    return orr_island_type(isle->type)->n_inputs + k;
}

// Event ports of stubs are ports of the islands.
static void join_ports(Building *b)
{
    NetGuests *g = &b->guests;
    g->ports = ARENA_ARRAY(b->arena, NetGuestPort, b->flat->ports.n);
    for (uint32_t i = 0; i < b->isles->n; i++) {
        const Isle *isle = &b->isles->items[i];
        const uint32_t first_perturbed = 1 + isle->n_inputs + isle->n_messages;
        uint32_t n_messages = 0, n_sends = 0, n_perturbed = 0;
        for (uint32_t k = b->first_port[i]; k < b->first_port[i + 1]; k++) {
            FlatPort *port = &b->flat->ports.items[b->ports[k]];
            uint32_t slot;
            if (port->kind == FLAT_PORT_IN) slot = 1 + isle->n_inputs + n_messages++;
            else if (port->kind == FLAT_PORT_HOLD) slot = input_slot(b->slot[port->first]);
            else if (port->kind == FLAT_PORT_PERTURB) slot = first_perturbed + n_perturbed++;
            else if (port->kind == FLAT_PORT_OUT) slot = output_slot(isle, isle->n_outputs + n_sends++);
            else continue;
            g->ports[g->n_ports++] = (NetGuestPort){ b->ports[k], i, slot };
            // what the island holds is held by the main part too, if it reads that
            if (port->kind == FLAT_PORT_HOLD) port->is_heard = b->is_read[port->first];
        }
    }
}

static void join_signals(Building *b)
{
    Isles *isles = b->isles;
    NetGuests *g = &b->guests;
    const uint32_t size = orr_signal_size(isles->n + 1), n = isles->n_couplings;
    g->inputs = ARENA_ARRAY(b->arena, orr_devs_port, n + isles->n);
    g->outputs = ARENA_ARRAY(b->arena, orr_devs_port, n);
    g->lines = ARENA_ARRAY(b->arena, NetLine, n + isles->n);
    isles->told = ARENA_ARRAY(b->arena, uint32_t, n);
    isles->heard = ARENA_ARRAY(b->arena, uint32_t, n);
    isles->perturb = ARENA_ARRAY(b->arena, uint32_t, isles->n);
    for (uint32_t k = 0; k < n; k++) {
        const IsleCoupling *c = &isles->couplings[k];
        NetLine line = { c->from, 0, c->to, 0 };
        // what the main part tells is called by its own name, if it has one
        const uint32_t equation = c->from == ISLE_MAIN ? b->equation_of[c->variable] : FLAT_NONE;
        const uint32_t named = variable_of(b, equation);
        const FlatVar *shown = &b->flat->vars.items[named == FLAT_NONE ? c->variable : named];
        const orr_devs_port port = { .name = shown->name, .type = ORR_SIGNAL, .size = size };
        if (c->from == ISLE_MAIN) {
            line.from_slot = g->n_inputs;
            isles->told[isles->n_told++] = c->variable;
            g->inputs[g->n_inputs++] = port;
        } else {
            line.from_slot = output_slot(&isles->items[c->from], b->slot[c->source]);
        }
        if (c->to == ISLE_MAIN) {
            line.to_slot = g->n_outputs;
            isles->heard[isles->n_heard++] = c->variable;
            g->outputs[g->n_outputs++] = port;
        } else {
            line.to_slot = input_slot(b->slot[c->target]);
        }
        g->lines[g->n_lines++] = line;
    }
    for (uint32_t i = 0; i < isles->n; i++) {
        isles->perturb[i] = FLAT_NONE;
        if (!isles->is_perturbed[i]) continue;
        isles->perturb[i] = g->n_inputs;
        g->lines[g->n_lines++] = (NetLine){ NET_OUTSIDE, g->n_inputs, i, ISLAND_PERTURB };
        g->inputs[g->n_inputs++] =
            (orr_devs_port){ .name = arena_printf(b->arena, "%s.perturb", isles->items[i].name),
                             .type = ORR_PERTURBATION,
                             .size = sizeof(orr_perturbation) };
    }
}

static bool make_guests(Building *b)
{
    Isles *isles = b->isles;
    bool ok = true;
    b->guests.n = isles->n;
    b->guests.items = ARENA_ARRAY(b->arena, NetGuest, isles->n);
    for (uint32_t i = 0; i < isles->n; i++) {
        Isle *isle = &isles->items[i];
        isle->type = make_type(b, i, isle);
        ok = isle->type && ok;
        if (isle->type)
            b->guests.items[i] = (NetGuest){ .name = isle->name, .type = orr_island_type(isle->type) };
    }
    if (!ok) return false;
    join_ports(b);
    join_signals(b);
    find_passing(b);
    return true;
}

// Their models; the rest belongs to the arena of the model around.
static void free_models(Isles *isles)
{
    for (uint32_t i = 0; i < isles->n; i++) {
        orr_island_destroy(isles->items[i].type);
        if (isles->items[i].owns_model) orr_model_destroy(isles->items[i].model);
    }
}

static bool are_improved(const Isles *isles)
{
    bool any = false;
    for (uint32_t i = 0; i < isles->n && !any; i++)
        any = isles->items[i].owns_model && model_is_improved(isles->items[i].model);
    return any;
}

bool islands_build(Compile *c, NetGuests *guests)
{
    orr_model *model = c->model;
    Flat *flat = &model->flat;
    *guests = (NetGuests){ 0 };
    if (flat->islands.n == 0) return true;
    Isles *isles = model->isles = ARENA_NEW(&model->arena, Isles);
    isles->n = (uint32_t)flat->islands.n;
    isles->n_variables = (uint32_t)flat->vars.n;
    isles->items = ARENA_ARRAY(&model->arena, Isle, isles->n);
    model->free_isles = free_models;    // from here on: asking for memory may be the end of compiling
    model->isles_are_improved = are_improved;
    isles->is_perturbed = ARENA_ARRAY(&model->arena, bool, isles->n);
    isles->isle_of = ARENA_ARRAY(&model->arena, uint32_t, flat->vars.n);
    isles->variable_of = ARENA_ARRAY(&model->arena, size_t, flat->vars.n);
    Building b = { .c = c, .arena = &model->arena, .flat = flat, .isles = isles };
    b.rests = ARENA_ARRAY(&model->arena, const char *, flat->vars.n);
    b.port_rests = ARENA_ARRAY(&model->arena, const char *, flat->ports.n);
    b.first_variable = ARENA_ARRAY(&b.work, uint32_t, isles->n + 1);
    b.first_port = ARENA_ARRAY(&b.work, uint32_t, isles->n + 1);
    b.slot = ARENA_ARRAY(&b.work, uint32_t, flat->vars.n);
    b.equation_of = ARENA_ARRAY(&b.work, uint32_t, flat->vars.n);
    b.is_read = ARENA_ARRAY(&b.work, bool, flat->vars.n);
    b.is_held = ARENA_ARRAY(&b.work, bool, flat->vars.n);
    find_held(&b);
    for (size_t v = 0; v < flat->vars.n; v++) b.equation_of[v] = FLAT_NONE;
    find_variables(&b);
    find_readers(&b);
    couple(&b);
    find_ports(&b);
    bool ok = true;
    for (uint32_t i = 0; i < isles->n; i++) {
        Isle *isle = &isles->items[i];
        isle->name = flat->islands.items[i].name;
        const bool is_right = read_options(&b, isle, &flat->islands.items[i]) && compile_isle(&b, i, isle) &&
                              check_quanta(&b, isle);
        if (is_right) find_settings(&b, i, isle);
        ok = ok && is_right;
    }
    ok = ok && find_perturbed(&b) && make_guests(&b);
    *guests = b.guests;
    arena_free(&b.work);
    return ok;
}

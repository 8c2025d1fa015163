// src/run/input.c: inputs that follow samples: from a table, a socket, the host program.
//
// The equations know such an input as a polynomial of t whose coefficients are inputs of their own (see
// FlatDriven).
// While a step is made one piece is in force. Where its value jumps a source of the calendar moves on to the
// next piece, and the solver begins anew; where only the slope changes (a kink) a step ends, and the next one
// begins with the next piece. What was interpolated inside the last step still sees the piece it was computed
// with.
#include "base/cancel.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/os.h"
#include "port/port.h"
#include "run/run.h"
#include "solve/solver.h"
#include "units/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Driven {
    const FlatDriven *flat;      // borrowed
    const orr_input  *given;     // borrowed while the run is created; texts are copies
    orr_input  input;            // a copy
    Signal     signal;
    PortIn     port;
    bool       has_port, is_live;    // live: read at the instants of a real-time run, and held
    bool       by_hand;              // the host program sets it: orr_run_set
    bool       was_closed;           // told
    uint64_t   n_moves;              // from piece to piece since the start
    uint64_t   hash;                 // of the samples read
    bool       is_other;             // these were others when the run was saved
    uint32_t   source;               // in the calendar
} Driven;

struct Inputs {
    Driven *items;      // [n]
    size_t  n;
    double  kink;       // the first end of a piece at which nothing jumps
};

// ---------------------------------------------------------------------------------------------- units

// The scale and zero of a column: values are converted to the unit of the input, times to that of the model.
static bool read_units(orr_run *run, Driven *d, Place place)
{
    const orr_model *model = run->model;
    const FlatVar *var = &model->flat.vars.items[d->flat->variable];
    PortIn *port = &d->port;
    if (port->time_unit) {
        double one = 1;
        if (!units_convert(&model->own_units, port->time_unit, orr_model_time_unit(model), true, place, &one,
                           run->diag))
            return false;
        port->time_scale = one;
    }
    if (!port->value_unit) return true;
    const char *unit = var->unit;
    if (!unit) {
        diag_report(run->diag, DIAG_UNIT_NOT_USED, place, port->value_unit, var->name);
        diag_hint(run->diag, "declare it: input %s [%s]", var->name, port->value_unit);
        return true;
    }
    if (strcmp(unit, port->value_unit) == 0) return true;
    double zero = 0, one = 1;
    if (!units_convert(&model->own_units, port->value_unit, unit, false, place, &zero, run->diag))
        return false;
    units_convert(&model->own_units, port->value_unit, unit, false, place, &one, run->diag);
    port->value_offset = zero;
    port->value_scale = one - zero;
    return true;
}

// ---------------------------------------------------------------------------------------------- pieces

static SampleResult keep(Driven *d, SampleResult result, const Sample *sample)
{
    if (result == SAMPLE_OK) d->hash = hash_join(d->hash, hash_bytes(sample, sizeof *sample));
    return result;
}

static SampleResult next_of_port(void *self, Sample *sample)
{
    Driven *d = self;
    return keep(d, port_next(&d->port, sample), sample);
}

static SampleResult next_of_host(void *self, Sample *sample)
{
    const orr_input *input = &((Driven *)self)->input;
    switch (input->next(input->self, &sample->t, &sample->u)) {
    case ORR_SAMPLE_OK: return keep(self, SAMPLE_OK, sample);
    case ORR_SAMPLE_END: return SAMPLE_END;
    case ORR_SAMPLE_FAILED: break;
    }
    return SAMPLE_FAILED;
}

static const char *title_of(const Driven *d) { return d->has_port ? d->port.title : "the host program"; }

static void put_piece(orr_run *run, const Driven *d)
{
    const FlatDriven *f = d->flat;
    const SignalPiece *p = &d->signal.piece;
    for (int i = 0; i <= f->degree; i++) run_set_input(run, f->c[i], p->c[i]);
    if (f->degree > 0) run_set_input(run, f->origin, p->origin);
}

// Why a signal has no piece, in words.
static bool report_state(orr_run *run, Driven *d, double t)
{
    const FlatVar *var = &run->model->flat.vars.items[d->flat->variable];
    const Place place = diag_place(run->diag, (orr_place){ .file = d->input.file, .line = d->input.line });
    switch (d->signal.state) {
    case SIGNAL_OK: break;
    case SIGNAL_FAILED:
        if (d->has_port && d->port.is_cancelled) run->island.is_cancelled = true;
        else if (d->has_port && d->port.is_late) {
            diag_report(run->diag, DIAG_INPUT_LATE, place, var->name, title_of(d), d->port.patience, t);
            diag_hint(run->diag,
                      "--wait S waits longer; with --realtime the run goes on with the last value");
        } else if (!d->has_port) {
            diag_report(run->diag, DIAG_PORT_LOST, place, title_of(d), "it gave no sample");
        } else {
            diag_note(run->diag, (Place){ 0 }, "'%s' is read from it; the run stands at t = %.10g", var->name,
                      t);
        }
        break;
    case SIGNAL_OUTSIDE:
        diag_report(run->diag, DIAG_INPUT_OUTSIDE, place, var->name, t, title_of(d), d->signal.first,
                    d->signal.last);
        diag_hint(run->diag, "let the run end there, or say what holds outside: outside hold, outside zero");
        break;
    case SIGNAL_TOO_FINE: diag_report(run->diag, DIAG_SAMPLE_TWICE, place, t); break;
    case SIGNAL_EMPTY: diag_report(run->diag, DIAG_INPUT_EMPTY, place, var->name, title_of(d)); break;
    }
    return false;
}

// The other side has closed, and the data end: said once.
static void look_for_end(orr_run *run, Driven *d, double t)
{
    const bool is_socket = d->has_port && d->port.kind->is_outside;
    if (d->was_closed || !is_socket || !d->port.is_closed || d->signal.phase != SIGNAL_BEHIND) return;
    d->was_closed = true;
    diag_report(run->diag, DIAG_INPUT_CLOSED, (Place){ 0 }, title_of(d),
                run->model->flat.vars.items[d->flat->variable].name, signal_value(&d->signal.piece, t), t);
}

static void find_kink(struct Inputs *inputs)
{
    inputs->kink = INFINITY;
    for (size_t i = 0; i < inputs->n; i++) {
        const Driven *d = &inputs->items[i];
        if (d->is_live || d->signal.piece.jumps) continue;
        if (d->signal.piece.until < inputs->kink) inputs->kink = d->signal.piece.until;
    }
}

static SignalState move(Driven *d)
{
    d->n_moves++;
    return signal_move(&d->signal);
}

// In the calendar: the value jumps here.
static bool jump(void *context, orr_run *run, double t, double *next)
{
    Driven *d = context;
    *next = INFINITY;
    if (d->is_live) return true;
    if (move(d) != SIGNAL_OK) return report_state(run, d, t);
    put_piece(run, d);
    look_for_end(run, d, t);
    if (d->signal.piece.jumps) *next = d->signal.piece.until;
    find_kink(run->inputs);
    return true;
}

static double first_jump(void *context, orr_run *run)
{
    (void)run;
    const Driven *d = context;
    return !d->is_live && d->signal.piece.jumps ? d->signal.piece.until : INFINITY;
}

double input_kink(const orr_run *run) { return run->inputs ? run->inputs->kink : INFINITY; }

bool input_move(orr_run *run, double t)
{
    struct Inputs *inputs = run->inputs;
    for (size_t i = 0; i < inputs->n; i++) {
        Driven *d = &inputs->items[i];
        // near a grid point means that point; a piece of no length passes at once
        while (!d->is_live && !d->signal.piece.jumps && d->signal.piece.until <= inputs->kink) {
            if (move(d) != SIGNAL_OK) return report_state(run, d, t);
            put_piece(run, d);
            look_for_end(run, d, t);
            if (d->signal.piece.jumps) run_schedule(run, d->source, d->signal.piece.until);
        }
    }
    run->island.values_valid = false;
    find_kink(inputs);
    return true;
}

// ---------------------------------------------------------------------------------------------- life

bool input_start(orr_run *run)
{
    struct Inputs *inputs = run->inputs;
    bool ok = true;
    for (size_t i = 0; inputs && i < inputs->n; i++) {
        Driven *d = &inputs->items[i];
        if (d->is_live || d->by_hand) {    // the default, until something comes
            const double *first = d->by_hand ? d->input.self : NULL;
            const double value = run->island.env.v[run->model->ir.layout.place[d->flat->c[0]]];
            d->signal.piece = (SignalPiece){ .origin = run->island.t_begin, .c = { value },
                                             .until = INFINITY };
            if (first) d->signal.piece.c[0] = first[0], d->signal.piece.c[1] = first[1];
            if (d->by_hand) put_piece(run, d);
            continue;
        }
        const bool is_again = run->n_reruns > 0;
        if (is_again && d->has_port && !d->signal.cyclic && !port_rewind(&d->port)) {
            diag_report(run->diag, DIAG_INPUT_SHARED, (Place){ 0 }, title_of(d), d->input.name,
                        "a model that runs again needs it from the beginning");
            diag_hint(run->diag, "keep the samples in a file");
            ok = false;
            continue;
        }
        d->n_moves = 0;
        if (!d->signal.is_loaded) d->hash = 0;
        d->signal.is_stream = d->has_port && d->port.kind->receive;
        d->signal.end = run->island.options.t_end;
        if (signal_start(&d->signal, run->island.t_begin) != SIGNAL_OK) {
            ok = report_state(run, d, run->island.t_begin);
            run->is_incomplete = !(d->has_port && d->port.is_late);
            continue;
        }
        put_piece(run, d);
    }
    if (inputs) find_kink(inputs);
    return ok;
}

static const orr_input *find_given(const orr_run_options *options, const char *name)
{
    for (size_t i = 0; i < options->n_inputs; i++)
        if (strcmp(options->inputs[i].name, name) == 0) return &options->inputs[i];
    return NULL;
}

static const FlatDriven *find_driven(const Flat *flat, const char *name)
{
    for (uint32_t i = 0; i < flat->n_driven; i++)
        if (strcmp(flat->driven[i].name, name) == 0) return &flat->driven[i];
    return NULL;
}

static Place place_of(orr_run *run, const orr_input *input)
{
    return diag_place(run->diag, (orr_place){ .file = input->file, .line = input->line });
}

static bool open_one(orr_run *run, Driven *d, const orr_run_options *options)
{
    const orr_input *input = &d->input;
    const Place place = place_of(run, input);
    d->signal = (Signal){ .between = (SignalBetween)input->between, .outside = (SignalOutside)input->outside,
                          .cyclic = input->cyclic, .self = d, .arena = &run->arena };
    if (strcmp(input->source, "host") == 0) {
        d->signal.next = next_of_host;
        d->by_hand = !input->next;
        return true;
    }
    const PortAddress address = { .kind = input->source, .address = input->address, .column = input->column,
                                  .time = input->time, .place = place,
                                  .folder = options->allow_io ? NULL : input->folder };
    if (!port_may_open(&address, options->allow_io, run->diag)) return false;
    if (!port_kind(input->source)) {
        diag_report(run->diag, DIAG_PORT_ADDRESS, place, input->source, "an input",
                    "csv, stdin, unix, udp or mqtt");
        return false;
    }
    d->has_port = true;
    d->signal.next = next_of_port;
    if (!port_open(&d->port, &address, input->name, &run->arena, run->diag)) return false;
    d->port.patience = input->patience;
    d->port.cancel = options->cancel;
    d->is_live = run->is_live && d->port.kind->receive;
    d->port.takes_bare = d->is_live;
    return read_units(run, d, place);
}

bool input_open(orr_run *run, const orr_run_options *options)
{
    const Flat *flat = &run->model->flat;
    bool ok = true;
    for (size_t i = 0; i < options->n_inputs; i++) {
        const orr_input *input = &options->inputs[i];
        const FlatDriven *driven = find_driven(flat, input->name);
        const bool is_expression = strcmp(input->source, "expression") == 0;
        const int degree = input->between == ORR_BETWEEN_HOLD     ? 0
                           : input->between == ORR_BETWEEN_LINEAR ? 1
                                                                  : 3;
        if (is_expression || input->between == ORR_BETWEEN_MESSAGES || (driven && driven->degree == degree))
            continue;
        diag_report(run->diag, DIAG_INPUT_NOT_COMPILED, place_of(run, input), input->name);
        diag_hint(run->diag, "give the same inputs to orr_model_compile");
        ok = false;
    }
    if (flat->n_driven == 0 || !ok) return ok;
    struct Inputs *inputs = run->inputs = ARENA_NEW(&run->arena, struct Inputs);
    inputs->items = ARENA_ARRAY(&run->arena, Driven, flat->n_driven);
    const char *stdin_user = NULL;
    for (uint32_t i = 0; i < flat->n_driven; i++) {
        const orr_input *given = find_given(options, flat->driven[i].name);
        if (!given) {
            diag_report(run->diag, DIAG_SETTING_MISSING, (Place){ 0 }, flat->driven[i].name);
            diag_hint(run->diag, "the model was compiled to have it driven: give the same inputs to the run");
            ok = false;
            continue;
        }
        Driven *d = &inputs->items[inputs->n++];
        d->flat = &flat->driven[i];
        d->input = *given;
        if (strcmp(given->source, "stdin") == 0) {
            if (stdin_user) {
                diag_report(run->diag, DIAG_INPUT_SHARED, place_of(run, given), "standard input", given->name,
                            "another input reads it");
                ok = false;
                continue;
            }
            stdin_user = given->name;
        }
        ok = open_one(run, d, options) && ok;
        const RunSource source = { .due = jump, .rewind = first_jump, .context = d,
                                   .name = arena_printf(&run->arena, "input %s", d->flat->name) };
        d->source = run_add_source(run, &source, INFINITY);
    }
    return ok;
}

void input_close(orr_run *run)
{
    for (size_t i = 0; run->inputs && i < run->inputs->n; i++)
        if (run->inputs->items[i].has_port) port_close(&run->inputs->items[i].port);
}

SignalPiece *input_pieces(orr_run *run, uint32_t driven, double until, size_t most, Arena *arena, size_t *n)
{
    Signal *signal = &run->inputs->items[driven].signal;
    VEC(SignalPiece) pieces = { 0 };
    do vec_push(arena, &pieces, signal->piece);
    while (signal->piece.until <= until && pieces.n < most && signal_move(signal) == SIGNAL_OK);
    *n = pieces.n;
    return pieces.items;
}

// ---------------------------------------------------------------------------------------------- saving

// Samples are read again from their beginning, up to where the run stood, and must be the same.
static void pass_moves(orr_run *run, Driven *d, RunSaved *saved)
{
    uint64_t n = d->n_moves, hash = d->hash;
    double until = d->signal.piece.until;
    saved_pass(saved, &n, sizeof n);
    saved_pass(saved, &hash, sizeof hash);
    saved_pass(saved, &until, sizeof until);
    if (!saved->is_loading || saved->is_bad) return;
    while (d->n_moves < n && d->signal.piece.until <= until && d->signal.state == SIGNAL_OK) {
        if (d->signal.phase == SIGNAL_BEHIND && isinf(until)) break;    // nothing comes any more
        move(d);
        // samples that repeat have no end
        if (drive_pulse(run, run->t, 1) != ORR_STATUS_OK || cancel_is_set(run->cancel)) {
            run->island.is_cancelled = true;
            break;
        }
    }
    if (d->has_port && d->port.is_cancelled) run->island.is_cancelled = true;
    d->is_other = d->n_moves != n || d->hash != hash || d->signal.piece.until != until;
    saved->is_bad = d->is_other;
}

void input_pass(orr_run *run, RunSaved *saved)
{
    struct Inputs *inputs = run->inputs;
    for (size_t i = 0; inputs && i < inputs->n && !saved->is_bad; i++) {
        Driven *d = &inputs->items[i];
        SignalPiece *p = &d->signal.piece;
        saved_flags(saved, &d->was_closed, 1);
        if (!d->is_live && !d->by_hand) {
            pass_moves(run, d, saved);
            continue;
        }
        saved_pass(saved, &p->origin, sizeof p->origin);
        saved_pass(saved, p->c, sizeof p->c);
        saved_pass(saved, &p->until, sizeof p->until);
    }
    if (inputs && saved->is_loading) find_kink(inputs);
}

const char *input_other(const orr_run *run)
{
    for (size_t i = 0; run->inputs && i < run->inputs->n; i++)
        if (run->inputs->items[i].is_other) return run->inputs->items[i].flat->name;
    return NULL;
}

// ---------------------------------------------------------------------------------------------- by hand,
// live

static Driven *driven_by_hand(const orr_run *run, size_t variable)
{
    for (size_t i = 0; run->inputs && i < run->inputs->n; i++) {
        Driven *d = &run->inputs->items[i];
        if (d->by_hand && d->flat->variable == variable) return d;
    }
    return NULL;
}

// Why a variable cannot be set during a run; NULL: it can.
static const char *why_not_set(const orr_run *run, size_t variable)
{
    const orr_model *model = run->model;
    const ModelVariable var = model_variable(model, variable);
    if (driven_by_hand(run, variable)) return NULL;
    if (var.state != FLAT_NONE) {
        const bool is_free = !model->blocks.reduction && model_is_integrated(model, var.state);
        return is_free ? NULL : "constraints of the model decide on this state";
    }
    if (var.kind == FLAT_INPUT && var.var && !find_driven(&model->flat, var.var->name)) return NULL;
    if (var.kind == FLAT_PARAM && var.var) return param_why_not(run, (uint32_t)variable);
    return "only states, parameters, and inputs that nothing else drives, can be set during a run";
}

bool run_put(orr_run *run, size_t variable, double value, double gradient)
{
    const char *why = why_not_set(run, variable);
    if (!why && !(isfinite(value) && isfinite(gradient))) why = "a finite number is needed";
    if (why) {
        char text[32];
        snprintf(text, sizeof text, "%g", value);
        diag_report(run->diag, DIAG_SETTING_VALUE, (Place){ 0 }, model_variable_name(run->model, variable),
                    text, why);
        if (model_variable(run->model, variable).kind == FLAT_PARAM)
            diag_hint(run->diag, "set it before the run begins: --set %s=%s",
                      model_variable_name(run->model, variable), text);
        return false;
    }
    run->island.values_valid = false;
    const ModelVariable var = model_variable(run->model, variable);
    Driven *d = driven_by_hand(run, variable);
    if (d) {
        d->signal.piece = (SignalPiece){ .origin = run->t, .c = { value, gradient }, .until = INFINITY };
        put_piece(run, d);
    } else if (var.state != FLAT_NONE) {
        run->island.x[var.state] = value;
    } else if (var.kind == FLAT_PARAM) {
        param_set(run, (uint32_t)variable, value);
    } else {
        run_set_input(run, (uint32_t)variable, value);
    }
    return true;
}

orr_status orr_run_set(orr_run *run, size_t variable, double value)
{
    Island *island = &run->island;
    if (island->is_failed) return ORR_STATUS_FAILED;
    const bool is_known = variable < orr_model_n_variables(run->model);
    if (!is_known || !drive_is_near(island, run->t)) {
        char text[32];
        snprintf(text, sizeof text, "%g", value);
        diag_report(run->diag, DIAG_SETTING_VALUE, (Place){ 0 },
                    is_known ? model_variable_name(run->model, variable) : "?", text,
                    is_known ? "the solver is ahead; create the run with `exact`"
                             : "there is no such variable");
        return ORR_STATUS_USAGE;
    }
    if (!why_not_set(run, variable) && orr_run_value(run, variable) == value &&
        !driven_by_hand(run, variable))
        return ORR_STATUS_OK;
    if (!run_put(run, variable, value, 0)) return ORR_STATUS_USAGE;
    return run_begin_anew(run);
}

void input_report_skipped(const orr_run *run, orr_diag *diag)
{
    for (size_t i = 0; run->inputs && i < run->inputs->n; i++) {
        const Driven *d = &run->inputs->items[i];
        if (!d->has_port || d->port.n_skipped == 0) continue;
        diag_report(diag, DIAG_LINES_SKIPPED, (Place){ 0 }, d->port.n_skipped, title_of(d), d->input.name,
                    d->port.skipped);
        diag_hint(diag, "a sample is a number, or a time and a number: 0.5,1.25");
    }
}

bool input_poll(orr_run *run)
{
    bool changed = false;
    for (size_t i = 0; run->inputs && i < run->inputs->n; i++) {
        Driven *d = &run->inputs->items[i];
        if (!d->is_live) continue;
        Sample sample;
        bool failed;
        d->port.now = run->t;
        const bool found = port_newest(&d->port, &sample, &failed);
        if (found && sample.u != d->signal.piece.c[0]) {
            d->signal.piece = (SignalPiece){ .origin = run->t, .c = { sample.u }, .until = INFINITY };
            put_piece(run, d);
            changed = true;
        }
        if (failed) {
            diag_note(run->diag, (Place){ 0 }, "'%s' is read from it; the run stands at t = %.10g",
                      d->input.name, run->t);
            return run->island.is_failed = true, false;
        }
        if (d->port.is_closed && d->port.kind->is_outside) {
            d->signal.phase = SIGNAL_BEHIND;
            look_for_end(run, d, run->t);
        }
    }
    return !changed || run_begin_anew(run) == ORR_STATUS_OK;
}


// src/run/arrive.c: messages from files, which arrive at event inputs of the model at the times of their
// rows.
//
// A file is something outside of the model that acts at times it knows beforehand: it is in the calendar with
// the time of its next row. Rows of one time are sent in their order. All that a checkpoint needs is that
// time: rows before it have been sent.
#include "port/messages.h"
#include "run/run.h"
#include "units/units.h"
#include <math.h>
#include <string.h>

typedef struct Arriving {
    uint32_t port;    // in Flat.ports
    MessageFile file;
} Arriving;

struct Arrivals {
    Arriving *items;    // [n]
    size_t n;
};

static Place place_of(orr_run *run, const orr_input *input)
{
    return diag_place(run->diag, (orr_place){ .file = input->file, .line = input->line });
}

// ---- In the calendar

static bool due(void *context, orr_run *run, double t, double *next)
{
    Arriving *a = context;
    while (a->file.t < t)    // before the start, or before a checkpoint
        if (!messages_next(&a->file)) return false;
    while (a->file.t == t) {
        net_enter(run, t, a->port, a->file.values);
        if (!messages_next(&a->file)) return false;
    }
    *next = a->file.t;
    return true;
}

// The run begins again, or for the first time.
static double begin(void *context, orr_run *run)
{
    Arriving *a = context;
    if (a->file.has_begun && !messages_rewind(&a->file)) return -INFINITY;
    while (a->file.t < run->island.t_begin)
        if (!messages_next(&a->file)) return -INFINITY;
    return a->file.t;
}

static double rewind_file(void *context, orr_run *run)
{
    const double t = begin(context, run);
    return isinf(t) ? INFINITY : t;    // what is wrong has been told
}

// ---- Opening

static bool find_port(orr_run *run, const orr_input *input, uint32_t *port)
{
    const Network *net = run->model->network;
    const Flat *flat = &run->model->flat;
    Arena work = { 0 };
    const char **names = ARENA_ARRAY(&work, const char *, flat->ports.n + 1);
    size_t n = 0;
    bool found = false;
    for (uint32_t i = 0; net && i < flat->ports.n; i++) {
        if (net->entry[i] == FLAT_NONE) continue;
        names[n++] = flat->ports.items[i].name;
        if (strcmp(flat->ports.items[i].name, input->name) != 0) continue;
        *port = i;
        found = true;
    }
    if (!found) {
        diag_report(run->diag, DIAG_INPUT_UNKNOWN, place_of(run, input), orr_model_name(run->model),
                    input->name);
        const char *closest = text_closest(input->name, names, n);
        if (closest) diag_suggest(run->diag, input->name, closest);
        else if (n > 0)
            diag_hint(run->diag, "messages can arrive at '%s'%s", names[0], n > 1 ? " and others" : "");
        else
            diag_hint(run->diag, "messages arrive at an event input of the model: input event %s",
                      input->name);
    }
    arena_free(&work);
    return found;
}

// The names of the columns: as given, as the fields of the record, or as the port.
static const char **column_names(orr_run *run, const orr_input *input, const FlatPort *port,
                                 const AtomicRecord *record)
{
    const char **names = ARENA_ARRAY(&run->arena, const char *, port->n_values + 1);
    if (input->n_columns > 0 && input->n_columns != port->n_values) {
        diag_report(run->diag, DIAG_MESSAGE_COLUMNS, place_of(run, input), input->name,
                    (size_t)port->n_values, input->n_columns);
        diag_hint(run->diag,
                  "name a column for each field, in order; that of the time is named by: time \"t\"");
        return NULL;
    }
    for (uint32_t i = 0; i < port->n_values; i++) {
        if (input->n_columns > 0) names[i] = input->columns[i];
        else if (record && i < record->n_fields) names[i] = record->fields[i].name;
        else names[i] = input->column ? input->column : input->name;
    }
    return names;
}

static bool read_unit(orr_run *run, MessageField *field, const char *unit, bool is_time, Place place)
{
    const Ast *units = &run->model->own_units;
    if (!field->unit || !unit || strcmp(field->unit, unit) == 0) return true;
    double zero = 0, one = 1;
    if (!units_convert(units, field->unit, unit, is_time, place, &zero, run->diag)) return false;
    units_convert(units, field->unit, unit, is_time, place, &one, run->diag);
    field->offset = zero;
    field->scale = one - zero;
    return true;
}

static bool open_one(orr_run *run, Arriving *a, const orr_input *input, bool allow_io)
{
    const Flat *flat = &run->model->flat;
    const Place place = place_of(run, input);
    if (strcmp(input->source, "csv") != 0) {
        diag_report(run->diag, DIAG_PORT_ADDRESS, place, input->source, "messages", "a file");
        return false;
    }
    if (!find_port(run, input, &a->port)) return false;
    const PortAddress address = { .kind = input->source, .address = input->address, .column = input->column,
                                  .time = input->time, .place = place,
                                  .folder = allow_io ? NULL : input->folder };
    if (!port_may_open(&address, allow_io, run->diag)) return false;
    const FlatPort *port = &flat->ports.items[a->port];
    const AtomicRecord *record = atomic_find_record(&run->model->atomics, port->type);
    const char **names = column_names(run, input, port, record);
    const bool or_other = !record && !input->column && input->n_columns == 0;
    if (!names || !messages_open(&a->file, &address, names, port->n_values, or_other, &run->arena, run->diag))
        return false;
    const char *time_unit = orr_model_time_unit(run->model);
    // of a number
    const char *own_unit = port->first != FLAT_NONE ? flat->vars.items[port->first].unit : NULL;
    bool ok = read_unit(run, &a->file.time, time_unit, true, place);
    for (uint32_t i = 0; i < port->n_values; i++) {
        MessageField *field = &a->file.fields[i];
        const char *unit = record && i < record->n_fields ? record->fields[i].unit : own_unit;
        const bool is_time = !unit && field->column == a->file.time.column;
        ok = read_unit(run, field, is_time ? time_unit : unit, is_time, place) && ok;
    }
    return ok;
}

bool arrive_open(orr_run *run, const orr_run_options *options)
{
    size_t n = 0;
    for (size_t i = 0; i < options->n_inputs; i++) n += options->inputs[i].between == ORR_BETWEEN_MESSAGES;
    if (n == 0) return true;
    struct Arrivals *arrivals = run->arrivals = ARENA_NEW(&run->arena, struct Arrivals);
    arrivals->items = ARENA_ARRAY(&run->arena, Arriving, n);
    bool ok = true;
    for (size_t i = 0; i < options->n_inputs; i++) {
        const orr_input *input = &options->inputs[i];
        if (input->between != ORR_BETWEEN_MESSAGES) continue;
        Arriving *a = &arrivals->items[arrivals->n++];
        if (!open_one(run, a, input, options->allow_io)) {
            ok = false;
            continue;
        }
        const double first = begin(a, run);
        const RunSource source = { .due = due,
                                   .rewind = rewind_file,
                                   .context = a,
                                   .name = arena_printf(&run->arena, "input %s", input->name) };
        if (first == -INFINITY) ok = false;
        else run_add_source(run, &source, first);
    }
    return ok;
}

void arrive_close(orr_run *run)
{
    for (size_t i = 0; run->arrivals && i < run->arrivals->n; i++)
        messages_close(&run->arrivals->items[i].file);
}

size_t arrive_count(const orr_run *run) { return run->arrivals ? run->arrivals->n : 0; }

bool arrive_all(orr_run *run, size_t file, double until, size_t room, Arena *arena, RunMessages *messages)
{
    Arriving *a = &run->arrivals->items[file];
    const uint32_t n_values = run->model->flat.ports.items[a->port].n_values;
    VEC(double) numbers = { 0 };
    bool ok = begin(a, run) != -INFINITY;
    while (ok && a->file.t <= until && numbers.n + 1 + n_values <= room) {
        vec_push(arena, &numbers, a->file.t);
        for (uint32_t k = 0; k < n_values; k++) vec_push(arena, &numbers, a->file.values[k]);
        ok = messages_next(&a->file);
    }
    *messages = (RunMessages){ a->port, n_values, numbers.items, numbers.n / (1 + n_values) };
    return ok;
}

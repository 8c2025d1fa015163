// src/exp/send.c: values that leave while the run goes on: lines `t,y` to a file, a socket, standard output.
//
// Of variables there is a line at each row; of an event port one for each message that passes it.
#include "exp/send.h"
#include "base/csv.h"
#include "base/number.h"
#include "base/os.h"
#include "exp/resume.h"
#include "port/port.h"
#include <string.h>

typedef struct Send {
    size_t  *variables;    // [n]; NULL: messages of an event port
    NetSources sources;    // whose messages these are
    const char **columns;  // [n]
    double  *values;       // [n]
    size_t   n;
    bool     is_file;      // or standard output
    bool     has_header;
    bool     goes_on;      // behind the lines of an earlier run
    FileOut  file;
    PortOut  port;
    char    *line;         // [(n + 1)*(NUMBER_MAX + 1) + 1]
} Send;

struct Sends {
    Send     *items;       // [n]
    size_t    n;
    bool      has_messages, has_failed;    // has_failed: a message could not leave
    orr_diag *diag;
};

static Place place_of(const orr_send *given, orr_diag *diag)
{
    return diag_place(diag, (orr_place){ .file = given->file, .line = given->line });
}

// A message has a column for each field of its record, one for a number, none if it tells nothing.
static void name_fields(Send *send, const orr_model *model, const FlatPort *port, const char *name,
                        Arena *arena)
{
    const AtomicRecord *record = atomic_find_record(&model->atomics, port->type);
    send->n = port->n_values;
    send->columns = ARENA_ARRAY(arena, const char *, send->n);
    for (size_t i = 0; i < send->n; i++)
        send->columns[i] = record && i < record->n_fields ? record->fields[i].name : name;
}

// *is_port: it names an event port, of which all is known now. False after a message.
static bool find_port(Send *send, const orr_send *given, const orr_model *model, const TextMap *ports,
                      bool *is_port, Arena *arena, orr_diag *diag)
{
    NetSpot spot;
    size_t k = 0;
    *is_port = false;
    if (!model->network) return true;
    while (k < given->n_names && !net_find_port(model->network, ports, given->names[k], &spot, arena)) k++;
    if (k == given->n_names) return true;
    *is_port = true;
    if (given->n_names > 1) {
        diag_report(diag, DIAG_MESSAGES_OUT, place_of(given, diag), given->names[k],
                    "other names stand beside it");
        diag_hint(diag, "messages come at times of their own: write an output to another file for each");
        return false;
    }
    if (!net_sources(model->network, spot, &send->sources, arena)) {
        diag_report(diag, DIAG_MESSAGES_OUT, place_of(given, diag), given->names[k],
                    "whether they arrive depends on what is switched by 'when'");
        diag_hint(diag, "name the event output that they come from");
        return false;
    }
    name_fields(send, model, &model->flat.ports.items[spot.port], given->names[k], arena);
    return true;
}

static bool find_variables(Send *send, const orr_send *given, const orr_model *model, Arena *arena,
                           orr_diag *diag)
{
    bool ok = true;
    send->n = given->n_names;
    send->variables = ARENA_ARRAY(arena, size_t, send->n);
    send->columns = ARENA_ARRAY(arena, const char *, send->n);
    for (size_t i = 0; i < send->n; i++) {
        send->columns[i] = given->names[i];
        send->variables[i] = orr_model_find(model, given->names[i]);
        if (send->variables[i] != (size_t)-1) continue;
        diag_report(diag, DIAG_RECORD_UNKNOWN, place_of(given, diag), given->names[i]);
        diag_suggest(diag, given->names[i], orr_model_closest(model, given->names[i]));
        ok = false;
    }
    return ok;
}

static bool open_one(Send *send, const orr_send *given, bool allow_io, Arena *arena, orr_diag *diag)
{
    const Place place = place_of(given, diag);
    send->values = ARENA_ARRAY(arena, double, send->n);
    send->line = ARENA_ARRAY(arena, char, (send->n + 1) * (NUMBER_MAX + 1) + 1);
    send->is_file = strcmp(given->target, "csv") == 0 || strcmp(given->target, "stdout") == 0;
    const PortKind *kind = port_kind(given->target);
    if (!send->is_file && (!kind || !kind->can_send)) {
        diag_report(diag, DIAG_PORT_ADDRESS, place, given->target, "an output",
                    "a file, stdout, unix, udp or mqtt");
        return false;
    }
    const PortAddress address = { .kind = given->target, .address = given->address, .place = place,
                                  .folder = allow_io ? NULL : given->folder };
    if (!port_may_open(&address, allow_io, diag)) return false;
    if (!send->is_file) return port_open_out(&send->port, &address, arena, diag);
    const bool is_stdout = strcmp(given->target, "stdout") == 0;
    if (!is_stdout && strcmp(os_path_suffix(given->address), ".nc") == 0) {
        diag_report(diag, DIAG_FORM_UNKNOWN, place, given->address, ".nc");
        diag_hint(diag, "an output is written line by line, as CSV; -o FILE.nc writes all rows as NetCDF-4");
        return false;
    }
    if (!is_stdout && address.folder) {
        const bool ok = file_open_result(&send->file, address.folder, given->address, diag);
        if (!ok) diag_note(diag, place, "it is written here");
        return ok;
    }
    return file_open(&send->file, is_stdout ? "-" : given->address, FILE_IN_PLACE, diag);
}

Sends *sends_open(const orr_model *model, const orr_experiment *experiment, Arena *arena, orr_diag *diag)
{
    Sends *sends = ARENA_NEW(arena, Sends);
    sends->diag = diag;
    sends->items = ARENA_ARRAY(arena, Send, experiment->n_sends);
    TextMap ports;
    if (model->network) net_ports_by_name(model->network, &ports, arena);
    bool ok = true;
    for (size_t i = 0; i < experiment->n_sends; i++) {
        Send *send = &sends->items[i];
        bool is_port;
        send->file.fd = -1;
        ok = find_port(send, &experiment->sends[i], model, &ports, &is_port, arena, diag) && ok;
        if (!is_port) ok = find_variables(send, &experiment->sends[i], model, arena, diag) && ok;
        sends->has_messages |= is_port;
        sends->n = i + 1;
        ok = ok && open_one(send, &experiment->sends[i], experiment->run.allow_io, arena, diag);
    }
    if (ok) return sends;
    sends_close(sends);
    return NULL;
}

// A file gets whole lines, but not at once.
static bool put_line(Send *send, double t)
{
    char *end = send->line;
    end += number_format(t, end);
    for (size_t k = 0; k < send->n; k++) {
        *end++ = ',';
        end += number_format(send->values[k], end);
    }
    *end++ = '\n';
    const size_t n = (size_t)(end - send->line);
    if (!send->is_file) return port_send(&send->port, send->line, n);
    file_write(&send->file, send->line, n);
    file_mark(&send->file);
    return true;
}

static void put_header(Send *send)
{
    file_text(&send->file, "t");
    for (size_t i = 0; i < send->n; i++) {
        file_text(&send->file, ",");
        csv_field(&send->file, send->columns[i]);
    }
    file_text(&send->file, "\n");
    file_mark(&send->file);
    send->has_header = true;
}

bool sends_begin(Sends *sends)
{
    bool ok = true;
    for (size_t i = 0; i < sends->n; i++) {
        Send *send = &sends->items[i];
        if (!send->is_file || send->goes_on) continue;
        if (!send->has_header) put_header(send);
        ok = file_flush(&send->file) && ok;
    }
    return ok;
}

size_t sends_count(const Sends *sends) { return sends ? sends->n : 0; }

void sends_mark(Sends *sends, orr_sink_mark *marks)
{
    for (size_t i = 0; i < sends->n; i++)
        marks[i] = sends->items[i].is_file ? resume_mark(&sends->items[i].file) : (orr_sink_mark){ 0 };
}

bool sends_go_on(Sends *sends, const orr_sink_mark *marks, size_t n)
{
    bool ok = true;
    for (size_t i = 0; i < sends->n; i++) {
        Send *send = &sends->items[i];
        if (!send->is_file) continue;
        const orr_sink_goes_on how = resume_go_on(&send->file, marks, n, sends->diag);
        send->goes_on = how == ORR_SINK_GOES_ON;
        ok = ok && how != ORR_SINK_CHANGED;
    }
    return ok;
}

static bool put_all(Sends *sends, orr_run *run, bool to_those_that_go_on)
{
    bool ok = !sends->has_failed;
    for (size_t i = 0; i < sends->n; i++) {
        Send *send = &sends->items[i];
        if (send->goes_on && !to_those_that_go_on) continue;
        if (send->variables) {
            orr_run_values(run, send->variables, send->n, send->values);
            ok = put_line(send, orr_run_time(run)) && ok;
        }
        if (send->is_file) ok = file_flush(&send->file) && ok;
    }
    return ok;
}

bool sends_put(Sends *sends, orr_run *run) { return put_all(sends, run, true); }
bool sends_put_first(Sends *sends, orr_run *run, bool is_due) { return put_all(sends, run, is_due); }

bool sends_have_messages(const Sends *sends) { return sends->has_messages; }

static uint64_t ways_of(const Send *send, const orr_devs_trace *what)
{
    for (size_t i = 0; i < send->sources.n; i++) {
        const NetSource *source = &send->sources.items[i];
        if (source->component == what->component && source->port == what->port) return source->ways;
    }
    return 0;
}

void sends_take(Sends *sends, const orr_devs_trace *what)
{
    if (what->kind != ORR_DEVS_SENT) return;
    for (size_t i = 0; i < sends->n && !sends->has_failed; i++) {
        Send *send = &sends->items[i];
        const uint64_t ways = send->variables ? 0 : ways_of(send, what);
        if (ways > 0 && send->n > 0) memcpy(send->values, what->value, send->n * sizeof *send->values);
        // at the start
        if (ways > 0 && send->is_file && !send->has_header && !send->goes_on) put_header(send);
        for (uint64_t k = 0; k < ways && !sends->has_failed; k++)
            sends->has_failed = !put_line(send, what->t);
    }
}

void sends_flush(Sends *sends)
{
    for (size_t i = 0; i < sends->n; i++)
        if (sends->items[i].is_file) file_flush(&sends->items[i].file);
}

bool sends_close(Sends *sends)
{
    bool ok = true;
    for (size_t i = 0; sends && i < sends->n; i++) {
        Send *send = &sends->items[i];
        if (send->is_file && send->file.path) ok = file_close(&send->file, sends->diag) && ok;
        else if (!send->is_file && send->port.kind) port_close_out(&send->port);
    }
    return ok;
}

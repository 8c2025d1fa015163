// src/exp/send.c: values that leave while the run goes on: lines `t,y` to a file, a socket, standard output.
#include "exp/send.h"
#include "base/csv.h"
#include "base/number.h"
#include "port/port.h"
#include <string.h>

typedef struct Send {
    size_t  *variables;    // [n]
    double  *values;       // [n]
    size_t   n;
    bool     is_file;      // or standard output
    FileOut  file;
    PortOut  port;
    char    *line;         // [(n + 1)*(NUMBER_MAX + 1) + 1]
} Send;

struct Sends {
    Send     *items;       // [n]
    size_t    n;
    orr_diag *diag;
};

static bool find_variables(Send *send, const orr_send *given, const orr_model *model, Arena *arena, orr_diag *diag)
{
    bool ok = true;
    send->n = given->n_names;
    send->variables = ARENA_ARRAY(arena, size_t, send->n);
    send->values = ARENA_ARRAY(arena, double, send->n);
    send->line = ARENA_ARRAY(arena, char, (send->n + 1) * (NUMBER_MAX + 1) + 1);
    for (size_t i = 0; i < send->n; i++) {
        send->variables[i] = orr_model_find(model, given->names[i]);
        if (send->variables[i] != (size_t)-1) continue;
        diag_report(diag, DIAG_RECORD_UNKNOWN, (Place){ 0 }, given->names[i]);
        const char *closest = orr_model_closest(model, given->names[i]);
        if (closest) diag_hint(diag, "did you mean '%s'?", closest);
        ok = false;
    }
    return ok;
}

static bool open_one(Send *send, const orr_send *given, bool allow_io, Arena *arena, orr_diag *diag)
{
    const Place place = given->file ? (Place){ .file = diag_add_source(diag, given->file, NULL, 0), .offset = (uint32_t)given->line }
                                    : (Place){ 0 };
    send->is_file = strcmp(given->target, "csv") == 0 || strcmp(given->target, "stdout") == 0;
    const PortKind *kind = port_kind(given->target);
    if (!send->is_file && (!kind || !kind->can_send)) {
        diag_report(diag, DIAG_PORT_ADDRESS, place, given->target, "an output", "a file, stdout, unix, udp or mqtt");
        return false;
    }
    if (!allow_io && (!send->is_file || given->leaves_folder)) {
        diag_report(diag, DIAG_IO_REFUSED, place,
                    arena_printf(arena, "%s '%s'", send->is_file ? "the file" : given->target, given->address));
        diag_hint(diag, "if you trust the model, add --allow-io");
        return false;
    }
    if (!send->is_file) {
        const PortAddress address = { .kind = given->target, .address = given->address, .place = place };
        return port_open_out(&send->port, &address, arena, diag);
    }
    const bool is_stdout = strcmp(given->target, "stdout") == 0;
    if (!file_open(&send->file, is_stdout ? "-" : given->address, FILE_IN_PLACE, diag)) return false;
    file_text(&send->file, "t");
    for (size_t i = 0; i < given->n_names; i++) {
        file_text(&send->file, ",");
        csv_field(&send->file, given->names[i]);
    }
    file_text(&send->file, "\n");
    file_mark(&send->file);
    return file_flush(&send->file);
}

Sends *sends_open(const orr_model *model, const orr_experiment *experiment, Arena *arena, orr_diag *diag)
{
    Sends *sends = ARENA_NEW(arena, Sends);
    sends->diag = diag;
    sends->items = ARENA_ARRAY(arena, Send, experiment->n_sends);
    bool ok = true;
    for (size_t i = 0; i < experiment->n_sends; i++) {
        Send *send = &sends->items[i];
        send->file.fd = -1;
        ok = find_variables(send, &experiment->sends[i], model, arena, diag) && ok;
        sends->n = i + 1;
        ok = ok && open_one(send, &experiment->sends[i], experiment->run.allow_io, arena, diag);
    }
    if (ok) return sends;
    sends_close(sends);
    return NULL;
}

bool sends_put(Sends *sends, orr_run *run)
{
    bool ok = true;
    for (size_t i = 0; i < sends->n; i++) {
        Send *send = &sends->items[i];
        orr_run_values(run, send->variables, send->n, send->values);
        char *end = send->line;
        end += number_format(orr_run_time(run), end);
        for (size_t k = 0; k < send->n; k++) {
            *end++ = ',';
            end += number_format(send->values[k], end);
        }
        *end++ = '\n';
        const size_t n = (size_t)(end - send->line);
        if (send->is_file) {
            file_write(&send->file, send->line, n);
            file_mark(&send->file);
            ok = file_flush(&send->file) && ok;
        } else {
            ok = port_send(&send->port, send->line, n) && ok;
        }
    }
    return ok;
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

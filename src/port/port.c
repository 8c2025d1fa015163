// src/port/port.c: the table of ports; bytes become lines and lines samples.
#include "port/port.h"
#include "base/cancel.h"
#include "base/confine.h"
#include "base/number.h"
#include "base/os.h"
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

extern const PortKind port_csv, port_stdin, port_unix, port_udp, port_mqtt;
static const PortKind *const kinds[] = { &port_csv, &port_stdin, &port_unix, &port_udp, &port_mqtt };
enum { N_KINDS = sizeof kinds / sizeof *kinds };

enum {
    SHOWN_MAX = 40,               // bytes of a bad line that are shown
    LINE_BYTES_MAX = 1 << 16,     // of a line
    RECEIVE_BYTES = 1 << 12,
    WAIT_MS = 100,                // between two looks at `cancel`
};

const PortKind *port_kind(const char *name)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
    return NULL;
}

// ---------------------------------------------------------------------------------------------- messages

static Place at_line(PortIn *in, size_t line)
{
    const uint32_t l = line > UINT32_MAX ? 0 : (uint32_t)line;
    return (Place){ .file = diag_add_source(in->diag, in->title, NULL, 0), .offset = l };
}

bool port_report_open(orr_diag *diag, const PortAddress *address, const char *title, int error)
{
    char text[128];
    diag_report(diag, DIAG_SOURCE_OPEN, address->place, title, os_error_text(error, text, sizeof text));
    if (error == ECONNREFUSED || error == ENOENT)
        diag_hint(diag, "start what listens there first");
    else if (error == EADDRINUSE) diag_hint(diag, "another program uses it; choose another port");
    return false;
}

// ---------------------------------------------------------------------------------------------- addresses

static bool report_address(orr_diag *diag, const PortAddress *address, const char *text)
{
    const PortKind *kind = port_kind(address->kind);
    diag_report(diag, DIAG_PORT_ADDRESS, address->place, text, address->kind, kind ? kind->form : "");
    return false;
}

bool port_split_host(Arena *arena, const PortAddress *address, const char *text, const char *otherwise,
                     int port_otherwise, const char **host, int *port, orr_diag *diag)
{
    const char *colon = strrchr(text, ':');
    // without a colon a number is a port if there must be one, and anything else a host
    const bool only_port = !colon && port_otherwise == 0;
    const Text digits = only_port ? text_from(text) : colon ? text_from(colon + 1) : (Text){ 0 };
    const size_t n_host = only_port ? 0 : colon ? (size_t)(colon - text) : strlen(text);
    double number = port_otherwise;
    if (digits.n > 0 && (!number_parse(digits, &number) || number != floor(number)))
        return report_address(diag, address, text);
    if (digits.n > 0 && digits.p[0] == '+') return report_address(diag, address, text);
    if (!(number >= 1 && number <= 65535)) return report_address(diag, address, text);
    *host = n_host > 0 ? arena_copy_text(arena, text, n_host) : otherwise;
    *port = (int)number;
    return true;
}

// ---------------------------------------------------------------------------------------------- bytes

PortReceived port_receive_fd(PortIn *in, double wait)
{
    struct pollfd poll_fd = { .fd = in->fd, .events = POLLIN };
    const int ms = wait <= 0 ? 0 : wait > 1000 ? 1000000 : (int)ceil(wait * 1000);
    const int ready = poll(&poll_fd, 1, ms);
    if (ready == 0 || (ready < 0 && errno == EINTR)) return PORT_NOTHING;
    char *room = str_room(&in->bytes, RECEIVE_BYTES);
    const ssize_t got = ready < 0 ? -1 : read(in->fd, room, RECEIVE_BYTES);
    if (got > 0) {
        in->bytes.n += (size_t)got;
        return PORT_BYTES;
    }
    if (got == 0) return PORT_CLOSED;
    if (errno == EINTR || errno == EAGAIN) return PORT_NOTHING;
    if (errno == ECONNRESET) return PORT_CLOSED;
    char text[128];
    diag_report(in->diag, DIAG_PORT_LOST, (Place){ 0 }, in->title, os_error_text(errno, text, sizeof text));
    return PORT_BROKEN;
}

// A whole line out of what was received; false if there is none yet. After the end the rest counts as one.
static bool take_line(PortIn *in, Text *line)
{
    if (!in->bytes.p) return false;    // nothing has come yet
    const char *from = in->bytes.p + in->used;
    const size_t n = in->bytes.n - in->used;
    const char *end = n > 0 ? memchr(from, '\n', n) : NULL;
    if (!end && !(in->is_closed && n > 0)) {
        // make room at the front now and then
        if (in->used > 0) {
            memmove(in->bytes.p, from, n);
            in->bytes.n = n;
            in->used = 0;
        }
        return false;
    }
    *line = (Text){ from, end ? (size_t)(end - from) : n };
    in->used += line->n + (end ? 1 : 0);
    in->line++;
    return true;
}

// ---------------------------------------------------------------------------------------------- samples

typedef enum LineResult { LINE_SAMPLE, LINE_NOTHING, LINE_BAD } LineResult;

static bool is_separator(char c) { return c == ',' || c == ';' || c == '\t' || c == ' '; }

static void show_line(Text line, char shown[SHOWN_MAX + 8])
{
    snprintf(shown, SHOWN_MAX + 8, "%.*s%s", (int)(line.n < SHOWN_MAX ? line.n : SHOWN_MAX), line.p,
             line.n > SHOWN_MAX ? "..." : "");
}

// A run that keeps pace with the clock has nobody to ask: it goes on without the line, and counts.
static LineResult skip_line(PortIn *in, Text line)
{
    _Static_assert(sizeof in->skipped == SHOWN_MAX + 8, "a bad line as it is shown");
    if (in->n_skipped++ == 0) show_line(line, in->skipped);
    return LINE_NOTHING;
}

static LineResult report_line(PortIn *in, Text line)
{
    if (in->takes_bare) return skip_line(in, line);
    char shown[SHOWN_MAX + 8];
    show_line(line, shown);
    diag_report(in->diag, DIAG_SAMPLE_LINE, at_line(in, in->line), shown);
    diag_hint(in->diag, "time and value of '%s', such as 0.5,1.25", in->name);
    return LINE_BAD;
}

// `t,u`, or `u` where a time is not needed. What is empty, a comment or, in the first line, a header says
// nothing.
static LineResult read_line(PortIn *in, Text line, Sample *sample)
{
    line = text_trim(line);
    if (line.n == 0 || line.p[0] == '#') return LINE_NOTHING;
    size_t end = 0;
    while (end < line.n && !is_separator(line.p[end])) end++;
    const Text first = text_part(line, 0, end);
    while (end < line.n && is_separator(line.p[end])) end++;
    const Text second = text_part(line, end, line.n);
    const bool is_bare = second.n == 0 && in->takes_bare;
    double t = in->now, u = 0;
    const bool has_time = is_bare || number_read(first, &t) != NUMBER_BAD;
    const bool has_value = number_read(is_bare ? first : second, &u) != NUMBER_BAD;
    if (!has_time && !has_value && in->line == 1 && second.n > 0) return LINE_NOTHING;    // t,u
    if (!has_time || !has_value) return report_line(in, line);
    if (!isfinite(u)) {
        if (in->takes_bare) return skip_line(in, line);
        diag_report(in->diag, DIAG_SAMPLE_VALUE, at_line(in, in->line), in->name,
                    isnan(u) ? "missing" : "infinite");
        return LINE_BAD;
    }
    *sample = (Sample){ t, u };
    return LINE_SAMPLE;
}

// Times must be finite and ascend.
static bool check_time(PortIn *in, double t, size_t line)
{
    if (!isfinite(t)) {
        diag_report(in->diag, DIAG_SAMPLE_TIME, at_line(in, line), isnan(t) ? "missing" : "infinite");
        diag_hint(in->diag, "each row needs a time; delete the row, or fill it in");
        return false;
    }
    if (!in->has_sample || t > in->latest.t) return true;
    if (t == in->latest.t) {
        diag_report(in->diag, DIAG_SAMPLE_TWICE, at_line(in, line), t);
        diag_hint(in->diag, "keep one of the two rows");
    } else {
        diag_report(in->diag, DIAG_SAMPLE_ORDER, at_line(in, line), in->latest.t, t);
        diag_hint(in->diag, "sort the rows by time");
    }
    return false;
}

// Scaled, and remembered for the next check.
static SampleResult give(PortIn *in, Sample read, size_t line, Sample *sample)
{
    const Sample scaled = { in->time_scale * read.t, in->value_scale * read.u + in->value_offset };
    if (!check_time(in, scaled.t, line)) return SAMPLE_FAILED;
    in->latest = *sample = scaled;
    in->has_sample = true;
    return SAMPLE_OK;
}

static SampleResult next_row(PortIn *in, Sample *sample)
{
    const CsvResult result = csv_next(&in->csv, in->row);
    if (result == CSV_END) return SAMPLE_END;
    if (result == CSV_ERROR) return SAMPLE_FAILED;
    const Sample read = { in->row[in->time], in->row[in->column] };
    if (!isfinite(read.u)) {
        diag_report(in->diag, DIAG_SAMPLE_VALUE, at_line(in, in->csv.line), in->csv.columns[in->column].name,
                    isnan(read.u) ? "missing" : "infinite");
        diag_hint(in->diag,
                  "fill it in, or delete the row: values between rows are found from their neighbours");
        return SAMPLE_FAILED;
    }
    return give(in, read, in->csv.line, sample);
}

// Wait for bytes, with a look at `cancel` now and then.
static PortReceived await_bytes(PortIn *in)
{
    const uint64_t started = os_now_ns();
    for (;;) {
        if (cancel_is_set(in->cancel)) return in->is_cancelled = true, PORT_BROKEN;
        const double left = in->patience - (double)(os_now_ns() - started) * 1e-9;
        const double wait = left < WAIT_MS * 1e-3 ? left : WAIT_MS * 1e-3;
        const PortReceived received = in->kind->receive(in, wait);
        if (received != PORT_NOTHING) return received;
        if (left <= 0) return in->is_late = true, PORT_BROKEN;
    }
}

static bool is_too_long(PortIn *in)
{
    if (in->bytes.n - in->used <= LINE_BYTES_MAX) return false;
    diag_report(in->diag, DIAG_CSV_LINE_TOO_LONG, at_line(in, in->line + 1), (size_t)LINE_BYTES_MAX);
    return true;
}

SampleResult port_next(PortIn *in, Sample *sample)
{
    if (in->kind == &port_csv) return next_row(in, sample);
    for (;;) {
        Text line;
        while (take_line(in, &line)) {
            Sample read;
            const LineResult result = read_line(in, line, &read);
            if (result == LINE_SAMPLE) return give(in, read, in->line, sample);
            if (result == LINE_BAD) return SAMPLE_FAILED;
        }
        if (in->is_closed) return SAMPLE_END;
        if (is_too_long(in)) return SAMPLE_FAILED;
        const PortReceived received = await_bytes(in);
        if (received == PORT_BROKEN) return SAMPLE_FAILED;
        in->is_closed = received == PORT_CLOSED;
    }
}

// A line without an end is skipped with what follows of it, up to the next end.
static void drop_too_long(PortIn *in)
{
    if (in->bytes.n - in->used <= LINE_BYTES_MAX) return;
    if (!in->drops_rest) skip_line(in, (Text){ in->bytes.p + in->used, in->bytes.n - in->used });
    in->bytes.n = in->used = 0;
    in->drops_rest = true;
}

bool port_newest(PortIn *in, Sample *sample, bool *failed)
{
    bool found = false;
    *failed = false;
    for (;;) {
        Text line;
        while (take_line(in, &line)) {
            Sample read;
            const bool is_rest = in->drops_rest;
            in->drops_rest = false;
            if (is_rest || read_line(in, line, &read) != LINE_SAMPLE) continue;
            *sample = (Sample){ in->now, in->value_scale * read.u + in->value_offset };
            in->has_sample = found = true;
        }
        if (in->is_closed) return found;
        drop_too_long(in);
        const PortReceived received = in->kind->receive(in, 0);
        if (received == PORT_NOTHING) return found;
        if (received == PORT_BROKEN) return *failed = true, found;
        in->is_closed = received == PORT_CLOSED;
    }
}

// ---------------------------------------------------------------------------------------------- life

// Sockets are opened where that is possible.
typedef struct Opening {
    PortIn  *in;
    PortOut *out;
    const PortAddress *address;
    bool     ok;
} Opening;

static void do_open(void *self)
{
    Opening *o = self;
    o->ok = o->in ? o->in->kind->open(o->in, o->address) : o->out->kind->open_out(o->out, o->address);
}

bool port_may_open(const PortAddress *address, bool allow_io, orr_diag *diag)
{
    const PortKind *kind = port_kind(address->kind);
    const bool is_outside = kind && kind->is_outside;
    const bool leaves = address->folder && os_path_leaves(address->folder, address->address);
    if (allow_io || (!is_outside && !leaves)) return true;
    Arena work = { 0 };
    diag_report(diag, DIAG_IO_REFUSED, address->place,
                arena_printf(&work, "%s '%s'", is_outside ? address->kind : "the file", address->address));
    diag_hint(diag, "if you trust the model, add --allow-io");
    arena_free(&work);
    return false;
}

bool port_open(PortIn *in, const PortAddress *address, const char *name, Arena *arena, orr_diag *diag)
{
    *in = (PortIn){ .kind = port_kind(address->kind), .arena = arena, .diag = diag, .name = name, .fd = -1,
                    .patience = INFINITY, .value_scale = 1, .time_scale = 1, .csv.fd = -1 };
    in->title = *address->address ? arena_printf(arena, "%s:%s", address->kind, address->address)
                                  : address->kind;
    Opening opening = { in, NULL, address, false };
    confine_outside(do_open, &opening);
    return opening.ok;
}

void port_close(PortIn *in)
{
    if (in->kind && in->kind->close) in->kind->close(in);
    str_free(&in->bytes);
    in->kind = NULL;
}

bool port_open_out(PortOut *out, const PortAddress *address, Arena *arena, orr_diag *diag)
{
    *out = (PortOut){ .kind = port_kind(address->kind), .arena = arena, .diag = diag, .fd = -1 };
    out->title = arena_printf(arena, "%s:%s", address->kind, address->address);
    Opening opening = { NULL, out, address, false };
    confine_outside(do_open, &opening);
    return opening.ok;
}

bool port_send(PortOut *out, const char *line, size_t n)
{
    int error = 0;
    if (out->has_failed) return false;
    if (out->kind->send(out, line, n, &error)) return true;
    char text[128];
    out->has_failed = true;
    diag_report(out->diag, DIAG_PORT_LOST, (Place){ 0 }, out->title, os_error_text(error, text, sizeof text));
    return false;
}

void port_close_out(PortOut *out)
{
    if (out->kind && out->kind->close_out) out->kind->close_out(out);
    out->kind = NULL;
}

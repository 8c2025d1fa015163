// src/port/port.h: where samples of inputs come from and where values of outputs go, outside of the program.
//
//     csv     a file, row by row
//     stdin   lines `t,u` (or `u`) as they are typed or piped
//     unix    the same lines from a stream socket of this machine
//     udp     the same lines as datagrams
//     mqtt    the same lines as messages of a broker, by libmosquitto, loaded when first asked for
//
// Each is a row of one table. All but files hand over bytes; port.c makes lines and samples of them, so a bad
// line is told in the same way wherever it comes from. Nothing here knows what the samples are for.
#pragma once
#include "base/csv.h"
#include "base/diag.h"
#include "base/text.h"
#include "port/signal.h"

typedef struct PortKind PortKind;

typedef struct PortAddress {
    const char *kind;         // of the table
    const char *address;      // a path, [HOST:]PORT, HOST[:PORT]/TOPIC; "" for stdin
    const char *column;       // of a table: the values; NULL: the column called as the input, or the only one
    const char *time;         // of a table: the times; NULL: the first column
    Place       place;        // where it is written; {0}: on the command line
    const char *folder;       // of a table: it must lie there or below, see os_read_file; NULL: anywhere
} PortAddress;

// Without consent there are no sockets and networks, and no file that leads out of its folder. False after a
// message; whoever has consent opens with the folder NULL.
bool port_may_open(const PortAddress *address, bool allow_io, orr_diag *diag);

// ---- In

typedef struct PortIn {
    const PortKind *kind;     // borrowed; a static table
    Arena      *arena;        // borrowed
    orr_diag   *diag;         // borrowed
    const char *name;         // of the input, for messages
    const char *title;        // what it is, for messages: "data.csv", "standard input", "udp:5005"
    double      patience;     // longest wait for a sample, s; INFINITY: for ever
    const volatile int *cancel;    // looked at while waiting; NULL: none
    bool        takes_bare;   // `u` alone is a sample, at the time `now` (a real-time run)
    double      now;
    size_t      n_skipped;    // of a real-time run: lines that are no samples
    char        skipped[48];  // the first of them, or its beginning
    bool        drops_rest;   // a line that was too long has not ended yet
    const char *value_unit, *time_unit;    // of a table whose header tells them, else NULL

    // of all that come as bytes
    void       *memory;       // the kind's own, in the arena
    int         fd;           // -1: none
    StrBuf      bytes;        // heap; received and not yet used from `used` on
    size_t      used;
    size_t      line;         // number of the latest line, from 1
    bool        is_closed;    // the other side has closed
    bool        is_late;      // the latest failure was a wait that took too long
    bool        is_cancelled; // or somebody asked to stop

    // of a table
    CsvIn       csv;
    double     *row;          // [csv.n_columns]
    size_t      column, time; // numbers

    bool        has_sample;   // one was given out
    Sample      latest;
    double      value_scale, value_offset, time_scale;    // sample = scale*what was read + offset; by the
                                                          // owner
} PortIn;

// Open. False, with messages, if it cannot be. Close in either case.
bool port_open(PortIn *in, const PortAddress *address, const char *name, Arena *arena, orr_diag *diag);
// The next sample, in ascending time; waits for it as long as `patience` lets it. SAMPLE_END: the file has
// ended, or the other side has closed.
SampleResult port_next(PortIn *in, Sample *sample);
// The newest sample that has come by now, without waiting; false if none has since the last call. *failed
// after a message.
bool port_newest(PortIn *in, Sample *sample, bool *failed);
bool port_rewind(PortIn *in);    // from the first sample again; false if that is impossible (nothing
                                 // reported)
void port_close(PortIn *in);

// ---- Out

typedef struct PortOut {
    const PortKind *kind;
    Arena      *arena;
    orr_diag   *diag;
    const char *title;
    void       *memory;
    int         fd;
    bool        has_failed;   // reported once
} PortOut;

bool port_open_out(PortOut *out, const PortAddress *address, Arena *arena, orr_diag *diag);
bool port_send(PortOut *out, const char *line, size_t n);    // with its line end; false, reported once, if it
                                                             // cannot be
void port_close_out(PortOut *out);

// ---- The table

// BROKEN: reported
typedef enum PortReceived { PORT_BYTES, PORT_NOTHING, PORT_CLOSED, PORT_BROKEN } PortReceived;

struct PortKind {
    const char *name;
    const char *form;         // of the address, for messages: "[HOST:]PORT"
    const char *summary;
    bool        is_outside;   // a socket or network: needs to be allowed
    bool        can_send;
    bool (*open)(PortIn *in, const PortAddress *address);
    // Append to in->bytes what has come; wait for at most so long, s.
    PortReceived (*receive)(PortIn *in, double wait);
    void (*close)(PortIn *in);
    bool (*open_out)(PortOut *out, const PortAddress *address);
    bool (*send)(PortOut *out, const char *line, size_t n, int *error);
    void (*close_out)(PortOut *out);
};
const PortKind *port_kind(const char *name);    // NULL if there is none

// ---- Shared by the kinds

// "[HOST:]PORT" → both; HOST stays as given, PORT must be 1 to 65535. False, with a message.
bool port_split_host(Arena *arena, const PortAddress *address, const char *text, const char *otherwise,
                     int port_otherwise, const char **host, int *port, orr_diag *diag);
PortReceived port_receive_fd(PortIn *in, double wait);    // from in->fd
// Of tables: the unit of `flow [l/min]`, whose name becomes `flow`, NULL if there is none; there is no such
// column, always false.
const char *port_split_unit(Arena *arena, CsvColumn *column);
bool port_report_column(const CsvIn *csv, Place place, const char *wanted, Arena *arena, orr_diag *diag);
// always false
bool port_report_open(orr_diag *diag, const PortAddress *address, const char *title, int error);

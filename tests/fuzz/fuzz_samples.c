// tests/fuzz/fuzz_samples.c: any bytes as samples of an input, as a table and as lines: times ascend, values
// are finite, every failure has its message, and pieces follow each other without a gap.
#include "port/port.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static SampleResult next(void *self, Sample *sample) { return port_next(self, sample); }

static void read_all(PortIn *in, orr_diag *diag, unsigned how)
{
    Arena arena = { 0 };
    Signal s = { .between = (SignalBetween)(how % 3),
                 .outside = (SignalOutside)(how / 3 % 3),
                 .cyclic = how & 16,
                 .next = next,
                 .self = in,
                 .arena = &arena };
    SignalState state = signal_start(&s, 0);
    for (int i = 0; i < 1000 && state == SIGNAL_OK && isfinite(s.piece.until); i++) {
        const double until = s.piece.until;
        if (!isfinite(s.piece.c[0])) abort();
        state = signal_move(&s);
        if (state == SIGNAL_OK && s.piece.until < until) abort();
    }
    if (state == SIGNAL_FAILED && orr_diag_errors(diag) == 0) abort();
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    const unsigned how = data[0];
    char path[] = "/tmp/orrery-samples-XXXXXX";
    const int fd = mkstemp(path);
    if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1)) abort();
    for (int lines = 0; lines < 2; lines++) {
        Arena arena = { 0 };
        orr_diag *diag = orr_diag_create();
        PortIn in;
        const PortAddress address = { .kind = lines ? "stdin" : "csv", .address = lines ? "" : path,
                                      .column = how & 32 ? "v" : NULL, .time = how & 64 ? "at" : NULL };
        const bool opened = port_open(&in, &address, "u", &arena, diag);
        if (!opened && orr_diag_errors(diag) == 0) abort();
        if (opened && lines) {
            lseek(fd, 0, SEEK_SET);
            in.fd = fd;
        }
        if (opened) read_all(&in, diag, how);
        if (opened && orr_diag_errors(diag) == 0 && port_rewind(&in)) read_all(&in, diag, how / 2);
        port_close(&in);
        orr_diag_destroy(diag);
        arena_free(&arena);
    }
    close(fd);
    unlink(path);
    return 0;
}

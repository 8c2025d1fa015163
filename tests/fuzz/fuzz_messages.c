// tests/fuzz/fuzz_messages.c: any bytes as a file of messages, and as a table of results: times never go
// back, values are finite, every failure has its message; what is rewound comes again.
#include "orrery/experiment.h"
#include "port/messages.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok) abort();
}

// How many messages there are, and the sum of all numbers.
static size_t read_all(MessageFile *file, orr_diag *diag, double *sum)
{
    size_t n = 0;
    double before = -INFINITY;
    *sum = 0;
    for (; messages_next(file); n++) {
        if (file->t == INFINITY) return n;
        must(file->t >= before && isfinite(file->t));
        before = file->t;
        *sum += file->t;
        for (size_t i = 0; i < file->n; i++) {
            must(isfinite(file->values[i]));
            *sum += file->values[i];
        }
    }
    must(orr_diag_errors(diag) > 0);
    return n;
}

static void read_messages(const char *path, bool is_record)
{
    static const char *const names[] = { "size", "kind" };
    Arena arena = { 0 };
    orr_diag *diag = orr_diag_create();
    MessageFile file;
    const PortAddress address = { .kind = "csv", .address = path };
    const bool ok = messages_open(&file, &address, names, is_record ? 2 : 1, !is_record, &arena, diag);
    must(ok == (orr_diag_errors(diag) == 0));
    if (ok) {
        double first, second;
        const size_t n = read_all(&file, diag, &first);
        orr_diag_clear(diag);
        must(messages_rewind(&file));
        must(read_all(&file, diag, &second) == n && (first == second || isnan(first)));
    }
    messages_close(&file);
    orr_diag_destroy(diag);
    arena_free(&arena);
}

static void read_results(const char *path)
{
    orr_diag *diag = orr_diag_create();
    orr_table *table = orr_table_read(path, diag);
    must((table == NULL) == (orr_diag_errors(diag) > 0));
    double sum = 0;
    for (size_t i = 0; table && i < orr_table_n_columns(table); i++) {
        must(orr_table_name(table, i) != NULL);
        for (size_t k = 0; k < orr_table_n_rows(table); k++) sum += orr_table_column(table, i)[k];
    }
    volatile double read = sum;
    (void)read;
    orr_table_destroy(table);
    orr_diag_destroy(diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/orrery-messages-XXXXXX";
    const int fd = mkstemp(path);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    close(fd);
    read_messages(path, false);
    read_messages(path, true);
    read_results(path);
    unlink(path);
    return 0;
}

// tests/fuzz/fuzz_words.c: any bytes as what the command line says of inputs and outputs, as a number there,
// and as a line of an experiment: read or refused with a message.
#include "orrery/experiment.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok) abort();
}

static void read_statement(const char *text, orr_diag *diag)
{
    static const char before[] = "model M\n  input u = 0, v = 0\n  x = u + v\nend\n"
                                 "experiment e of M\n  until 1\n  ";
    const size_t n = strlen(text) + sizeof before + 10;
    char *whole = malloc(n);
    must(whole != NULL);
    snprintf(whole, n, "%s%s\nend\n", before, text);
    orr_source *source = orr_source_parse("folder/fuzz.orr", whole, strlen(whole), diag);
    orr_experiment e = orr_experiment_default();
    const bool ok = source && orr_experiment_get(source, NULL, &e, diag);
    must(ok || orr_diag_errors(diag) > 0);
    orr_source_destroy(source);
    free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup(size ? (const char *)data : "", size), *texts = NULL;
    must(text != NULL);
    orr_diag *diag = orr_diag_create();
    orr_input input;
    bool ok = orr_input_read(text, &input, &texts, diag);
    must(ok == (orr_diag_errors(diag) == 0));
    if (ok) must(input.name && *input.name && input.source && input.address);
    free(texts);

    orr_diag_clear(diag);
    texts = NULL;
    orr_send send;
    ok = orr_send_read(text, &send, &texts, diag);
    must(ok == (orr_diag_errors(diag) == 0));
    if (ok) must(send.n_names > 0 && send.target && send.address);
    for (size_t i = 0; ok && i < send.n_names; i++) must(send.names[i] != NULL);
    free(texts);

    double value;
    orr_parse_number(text, &value);
    orr_diag_clear(diag);
    read_statement(text, diag);
    orr_diag_destroy(diag);
    free(text);
    return 0;
}

// tests/fuzz/fuzz_machine.h: what holds for every reader of machines.
#pragma once
#include "base/diag.h"
#include "machine/build.h"
#include <stdio.h>
#include <stdlib.h>

typedef Machine *(*FuzzReader)(Arena *arena, Text text, uint32_t file, const char *name, orr_diag *diag);

static inline int fuzz_machine(const uint8_t *data, size_t size, FuzzReader read)
{
    Arena arena = { 0 };
    orr_diag *diag = orr_diag_create();
    const Text text = { size ? (const char *)data : "", size };
    size_t bad;
    if (memchr(text.p, 0, text.n) || !text_is_utf8(text, &bad)) goto end;    // refused before
    const uint32_t file = diag_add_source(diag, "fuzz", text.p, text.n);
    const Machine *m = read(&arena, text, file, "fuzz", diag);
    if ((m == NULL) != (orr_diag_errors(diag) > 0)) abort();
    if (m) {
        const char *wrong = machine_verify(&arena, m);
        if (wrong) fprintf(stderr, "%s\n", wrong), abort();
        orr_machine *wrapped = machine_wrap(m);
        const orr_machine_form forms[] = { ORR_MACHINE_TEXT, ORR_MACHINE_CSV, ORR_MACHINE_DOT,
                                           ORR_MACHINE_ORR, ORR_MACHINE_JSON };
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) free(orr_machine_write(wrapped, forms[i]));
        orr_machine_destroy(wrapped);
    }
end:
    orr_diag_destroy(diag);
    arena_free(&arena);
    return 0;
}

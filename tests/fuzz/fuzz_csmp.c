// tests/fuzz/fuzz_csmp.c: any bytes as a CSMP diagram: an Ast or an error, never a crash, never both.
#include "base/arena.h"
#include "base/diag.h"
#include "lang/frontend.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';

    Arena arena = { 0 };
    Ast ast = { .arena = &arena };
    orr_diag *diag = orr_diag_create();
    const uint32_t file = diag_add_source(diag, "fuzz.csmp", text, size);
    const bool ok = frontend_csmp.parse(&ast, file, "fuzz.csmp", text, size, diag);
    if (ok != (orr_diag_errors(diag) == 0)) abort();
    if (ast.models.n != ok || ast.experiments.n != ok) abort();

    // all that was made can be looked at
    static FILE *nowhere;
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    if (nowhere) {
        ast_print(&ast, nowhere);
        orr_diag_print(diag, nowhere, 0);
    }
    orr_diag_destroy(diag);
    arena_free(&arena);
    free(text);
    return 0;
}

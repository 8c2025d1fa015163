// tests/fuzz/fuzz_diag.c: a message at any place of any source is drawn without control characters.
#include "base/diag.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4) return 0;
    const char *text = (const char *)data + 4;
    const size_t n = size - 4;
    const Place span = { 1, (uint32_t)(data[0] | data[1] << 8), (uint32_t)(data[2] | data[3] << 8) };
    orr_diag *diag = orr_diag_create();
    diag_add_source(diag, "fuzz.orr", text, n);
    char *name = strndup(text, n);
    diag_report(diag, DIAG_NAME_TWICE, span, name);
    diag_hint(diag, "%s", name);
    diag_note(diag, (Place){ 1, span.length, span.offset }, "%s", name);
    free(name);

    char *out = NULL;
    size_t n_out = 0;
    FILE *file = open_memstream(&out, &n_out);
    orr_diag_print(diag, file, 0);
    fclose(file);
    if (!text_is_utf8((Text){ out, n_out }, NULL)) abort();
    for (size_t i = 0; i < n_out; i++)
        if ((unsigned char)out[i] < 0x20 && out[i] != '\n') abort();
    free(out);
    orr_diag_destroy(diag);
    return 0;
}

// tests/fuzz/fuzz_lang.c: any bytes as a model file: read, printed and laid out; what means something keeps
// its meaning.
#include "base/diag.h"
#include "lang/format.h"
#include "lang/parse.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The text printed again, on the heap; NULL if it has errors.
static char *print_again(Text text, orr_diag *diag)
{
    Arena arena = { 0 };
    Ast ast = { .arena = &arena };
    char *printed = NULL;
    if (parse_text(&ast, diag_add_source(diag, "fuzz.orr", text.p, text.n), text, diag, NULL)) {
        size_t n;
        FILE *out = open_memstream(&printed, &n);
        if (!out) abort();
        ast_print(&ast, out);
        fclose(out);
    }
    arena_free(&arena);
    return printed;
}

static void check_layout(Text text)
{
    StrBuf once = { 0 }, twice = { 0 };
    if (!format_text(text, 0, &once, NULL)) abort();
    if (!format_text((Text){ once.p, once.n }, 0, &twice, NULL)) abort();
    if (!text_equal((Text){ once.p, once.n }, (Text){ twice.p, twice.n })) abort();
    str_free(&once);
    str_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const Text text = { (const char *)data, size };
    // files with NULs never get this far, and what is printed could not hold one
    if (size > 0 && memchr(data, '\0', size)) return 0;
    orr_diag *diag = orr_diag_create();
    char *printed = print_again(text, diag);
    if ((printed == NULL) != (orr_diag_errors(diag) > 0)) abort();
    if (printed) {
        check_layout(text);
        char *again = print_again(text_from(printed), diag);
        if (!again || strcmp(printed, again) != 0) abort();
        free(again);
    } else {
        FILE *out = fopen("/dev/null", "w");
        if (out) {
            orr_diag_print(diag, out, 1);
            fclose(out);
        }
    }
    free(printed);
    orr_diag_destroy(diag);
    return 0;
}

// tests/fuzz/fuzz_atomic.c: any bytes as a file with atomics: their units and programs are checked, and what
// is right is printed as C twice alike.
#include "atomic/atomic.h"
#include "lang/parse.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && memchr(data, '\0', size)) return 0;
    const Text text = { (const char *)data, size };
    Arena arena = { 0 };
    Ast ast = { .arena = &arena };
    orr_diag *diag = orr_diag_create();
    AtomicSet set = { 0 };
    if (parse_text(&ast, diag_add_source(diag, "fuzz.orr", text.p, text.n), text, diag, NULL)) {
        // as the compiler does: units first, in the last model of the text
        const AstModel *model = ast.models.n ? &vec_last(&ast.models) : NULL;
        const char *name = model ? model->name : NULL;
        atomic_embed(&ast);    // the list grows
        for (size_t i = 0; name && i < ast.models.n; i++)
            if (!ast.models.items[i].atomic && strcmp(ast.models.items[i].name, name) == 0)
                model = &ast.models.items[i];
        Units *units = NULL;
        const bool fits = !model || units_check(&units, &ast, model, &arena, diag);
        if (fits != (orr_diag_errors(diag) == 0)) abort();
        const bool ok = atomic_check(&set, &ast, units, &arena, diag) && fits;
        if (ok != (orr_diag_errors(diag) == 0)) abort();
        if (ok) {
            const Text first = atomic_text(&set, &arena), second = atomic_text(&set, &arena);
            if (!text_equal(first, second)) abort();
            FILE *out = fopen("/dev/null", "w");
            if (out) {
                atomic_print(&set, out);
                fclose(out);
            }
        }
    }
    orr_diag_destroy(diag);
    arena_free(&arena);
    return 0;
}

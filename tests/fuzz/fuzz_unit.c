// tests/fuzz/fuzz_unit.c: any bytes as a unit of measurement: refused with a message, or a unit whose text is
// read as the same unit again.
#include "lang/parse.h"
#include "units/system.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const Text bytes = { size ? (const char *)data : "", size };
    if (memchr(bytes.p, 0, bytes.n) || !text_is_utf8(bytes, NULL)) return 0;    // refused before
    Arena arena = { 0 };
    orr_diag *diag = orr_diag_create();
    const char *text = text_copy(&arena, bytes);
    const Place place = { diag_add_source(diag, "fuzz.orr", text, size), 0, (uint32_t)size };
    static const char own[] = "unit wug\nunit zork = 2 [m]\nunit a = 1 [b]\nunit b = 1 [a]\n";
    Ast ast = { .arena = &arena };
    const Text units = { own, sizeof own - 1 };
    if (!parse_text(&ast, diag_add_source(diag, "units.orr", own, units.n), units, diag, NULL)) abort();
    UnitSystem system;
    unit_system_open(&system, &ast, &arena, diag);
    Unit unit, again;
    const bool ok = unit_read(&system, text, place, &unit);
    if (ok != (orr_diag_errors(diag) == 0)) abort();
    if (ok && unit_is_known(&unit)) {
        if (!unit_read(&system, unit_text(&system, &unit), place, &again) || !unit_equal(&unit, &again))
            abort();
    }
    unit_system_close(&system);
    orr_diag_destroy(diag);
    arena_free(&arena);
    return 0;
}

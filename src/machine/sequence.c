// src/machine/sequence.c: sequences of inputs and outputs as people write them.
#include "machine/sequence.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "machine/machine.h"
#include <stdlib.h>

Text sequence_next(Text *rest)
{
    size_t i = 0;
    bool quoted = false, comment = false;
    const Text t = *rest;
    size_t end = t.n;    // of the name, before a comment
    for (; i < t.n; i++) {
        const char c = t.p[i];
        if (c == '"' && !comment) quoted = !quoted;
        if (c == '#' && !quoted && !comment) comment = true, end = i;
        if (c == '\n') quoted = false;
        if (c == '[' && !quoted && !comment) {    // F[1,2] is one name
            size_t close = i;
            while (close < t.n && t.p[close] != ']' && t.p[close] != '\n') close++;
            if (close < t.n && t.p[close] == ']') i = close;
        }
        if ((c == ',' && !quoted && !comment) || c == '\n') break;
    }
    const Text name = text_trim(text_part(t, 0, comment ? end : i));
    *rest = i < t.n ? text_part(t, i + 1, t.n) : (Text){ t.p + t.n, 0 };
    if (name.n >= 2 && name.p[0] == '"' && name.p[name.n - 1] == '"') return text_part(name, 1, name.n - 1);
    return name;
}

static void report_unknown(const Machine *m, const char *const *names, uint32_t n, const char *word,
                           Text name, orr_diag *diag)
{
    Arena arena = { 0 };
    const char *wanted = text_copy(&arena, name);
    diag_report(diag, DIAG_MACHINE_SYMBOL_UNKNOWN, (Place){ 0 }, wanted, word, m->name);
    const char *closest = text_closest(wanted, names, n);
    if (closest) {
        diag_suggest(diag, wanted, closest);
    } else {
        StrBuf all = { .arena = &arena };
        for (uint32_t i = 0; i < n && i < 10; i++) str_addf(&all, "%s%s", i ? ", " : "", names[i]);
        if (n > 10) str_addf(&all, " and %u more", n - 10);
        diag_hint(diag, "it has %s", n ? str_finish(&all) : "none");
    }
    arena_free(&arena);
}

bool orr_machine_read_sequence(const orr_machine *machine, orr_machine_set set, const char *text,
                               uint32_t **sequence, size_t *n, orr_diag *diag)
{
    static const char *const words[] = { "a state", "an input", "an output" };
    const Machine *m = machine->machine;
    const uint32_t count = orr_machine_count(machine, set);
    const char *const *names = set == ORR_MACHINE_STATES   ? m->states
                               : set == ORR_MACHINE_INPUTS ? m->inputs
                                                           : m->outputs;
    Arena arena = { 0 };
    Names index;
    names_init(&index, &arena);
    for (uint32_t i = 0; i < count; i++) names_intern(&index, text_from(names[i]));

    VEC(uint32_t) found = { 0 };
    bool ok = true;
    size_t n_unknown = 0;
    for (Text rest = text_from(text); rest.n > 0;) {
        const Text name = sequence_next(&rest);
        if (name.n == 0) continue;
        uint32_t id = names_find(&index, name);
        if (id == NAMES_NONE && set == ORR_MACHINE_OUTPUTS && text_is(name, "?")) {
            vec_push(&arena, &found, MACHINE_NONE);
            continue;
        }
        if (id == NAMES_NONE) {
            ok = false;
            // once for each name
            const uint32_t known = (uint32_t)index.n;
            id = names_intern(&index, name);
            if (id == known && n_unknown++ < DIAG_MESSAGES_MAX)
                report_unknown(m, names, count, words[set], name, diag);
            continue;
        }
        if (id >= count) {
            ok = false;
            continue;
        }
        vec_push(&arena, &found, id);
    }
    *n = found.n;
    *sequence = malloc((found.n + 1) * sizeof **sequence);
    if (!*sequence) arena_no_memory(found.n * sizeof **sequence);
    if (found.n > 0) memcpy(*sequence, found.items, found.n * sizeof **sequence);
    arena_free(&arena);
    if (!ok) free(*sequence), *sequence = NULL, *n = 0;
    return ok;
}

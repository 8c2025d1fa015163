// src/machine/ledger.c: the validation procedure of Zeigler's section 11, with its memory.
#include "machine/ledger.h"
#include "base/map.h"
#include "base/vec.h"
#include "machine/sequence.h"
#include <stdlib.h>

// ---- Reading

typedef struct Reader {
    orr_ledger *ledger;
    Arena *arena;    // the ledger's
    orr_diag *diag;
    Text text;
    uint32_t file;
    bool ok;
    VEC(LedgerSymbol) models;
    VEC(Experiment) experiments;
    Map by_inputs;    // hash of the inputs → experiment + 1
} Reader;

static Place place_of(const Reader *r, Text part)
{
    return (Place){ r->file, (uint32_t)(part.p - r->text.p), (uint32_t)part.n };
}

static void fail(Reader *r, Text part, const char *what, const char *hint)
{
    diag_report(r->diag, DIAG_MACHINE_LEDGER, place_of(r, part), what);
    if (hint) diag_hint(r->diag, "%s", hint);
    r->ok = false;
}

// Up to c outside of quotes; *rest is what follows it, p NULL if there is no c.
static Text cut(Text text, char c, Text *rest)
{
    bool quoted = false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"') quoted = !quoted;
        if (text.p[i] != c || quoted) continue;
        *rest = text_part(text, i + 1, text.n);
        return text_part(text, 0, i);
    }
    *rest = (Text){ 0 };
    return text;
}

static LedgerSymbol *read_symbols(Reader *r, Text list, size_t *n)
{
    VEC(LedgerSymbol) symbols = { 0 };
    while (list.n > 0) {
        const Text name = sequence_next(&list);
        if (name.n == 0) continue;
        const bool unseen = text_is(name, "?");
        vec_push(r->arena, &symbols,
                 (LedgerSymbol){ unseen ? NULL : text_copy(r->arena, name), place_of(r, name) });
    }
    *n = symbols.n;
    return symbols.items;
}

static bool starts_with_word(Text line, const char *word)
{
    const size_t n = strlen(word);
    return text_starts(line, word) && line.n > n && (line.p[n] == ' ' || line.p[n] == '\t');
}

static void read_experiment(Reader *r, Text line)
{
    static const char form[] = "an experiment is written: toy, food : cries, cries, quiet";
    Experiment e = { .place = place_of(r, line) };
    Text inputs = line, outputs, rest;
    if (starts_with_word(line, "from")) {
        Text state = text_trim(text_part(cut(line, ':', &inputs), 4, cut(line, ':', &inputs).n));
        e.from.place = place_of(r, state);
        if (state.n == 0 || !inputs.p) {
            fail(r, line, "'from' needs a state and a colon", "write: from sleeping : food : quiet, cries");
            return;
        }
        e.from.name = text_copy(r->arena, sequence_next(&state));
    }
    inputs = cut(inputs, ':', &outputs);
    if (!outputs.p) {
        fail(r, line, "there is no colon between inputs and outputs", form);
        return;
    }
    outputs = cut(outputs, ':', &rest);
    if (rest.p) {
        fail(r, line, "there are too many colons", form);
        return;
    }
    e.inputs_text = text_copy(r->arena, text_trim(inputs));
    e.outputs_text = text_copy(r->arena, text_trim(outputs));
    e.inputs = read_symbols(r, inputs, &e.n_inputs);
    e.outputs = read_symbols(r, outputs, &e.n_outputs);
    for (size_t i = 0; i < e.n_inputs; i++) {
        if (e.inputs[i].name) continue;
        fail(r, line, "an input is always known", "only among outputs '?' stands for what was not observed");
        return;
    }
    if (e.n_outputs == 0) {
        fail(r, line, "nothing was observed", form);
        return;
    }
    // the Mealy form has as many outputs as inputs, the Moore form one more
    if (e.n_outputs > e.n_inputs + 1) {
        fail(r, line, arena_printf(r->arena, "%zu inputs cannot have %zu outputs", e.n_inputs, e.n_outputs),
             "there is one output before each input and one behind the last");
        return;
    }
    uint64_t hash = hash_mix(e.n_inputs);
    for (size_t i = 0; i < e.n_inputs; i++)
        hash = hash_join(hash, hash_bytes(e.inputs[i].name, strlen(e.inputs[i].name)));
    uint32_t *first = map_at(&r->by_inputs, hash);
    if (*first == 0) *first = (uint32_t)r->experiments.n + 1;
    e.first_like_it = *first - 1;
    vec_push(r->arena, &r->experiments, e);
}

orr_ledger *ledger_read(Text text, uint32_t file, orr_diag *diag)
{
    orr_ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger) arena_no_memory(sizeof *ledger);
    Reader r = {
        .ledger = ledger, .arena = &ledger->arena, .diag = diag, .text = text, .file = file, .ok = true
    };
    map_init(&r.by_inputs, r.arena);
    for (Text rest = text; rest.n > 0;) {
        const char *end = memchr(rest.p, '\n', rest.n);
        const size_t n = end ? (size_t)(end - rest.p) : rest.n;
        Text behind;
        const Text line = text_trim(cut(text_part(rest, 0, n), '#', &behind));
        rest = text_part(rest, end ? n + 1 : n, rest.n);
        if (line.n == 0) continue;
        Text colon;
        cut(line, ':', &colon);
        if (starts_with_word(line, "ledger") && !colon.p) {
            Text names = text_trim(text_part(line, 6, line.n));
            if (starts_with_word(names, "of")) names = text_trim(text_part(names, 2, names.n));
            size_t n_names;
            LedgerSymbol *symbols = read_symbols(&r, names, &n_names);
            for (size_t i = 0; i < n_names; i++)
                if (symbols[i].name) vec_push(r.arena, &r.models, symbols[i]);
            continue;
        }
        read_experiment(&r, line);
    }
    ledger->models = r.models.items;
    ledger->n_models = r.models.n;
    ledger->experiments = r.experiments.items;
    ledger->n = r.experiments.n;
    if (r.ok) return ledger;
    orr_ledger_destroy(ledger);
    return NULL;
}

void orr_ledger_destroy(orr_ledger *ledger)
{
    if (!ledger) return;
    arena_free(&ledger->arena);
    free(ledger);
}

size_t orr_ledger_count(const orr_ledger *ledger) { return ledger->n; }

void orr_ledger_get(const orr_ledger *ledger, size_t i, const char **from, const char **inputs,
                    const char **outputs, size_t *first_like_it)
{
    const Experiment *e = &ledger->experiments[i];
    if (from) *from = e->from.name;
    if (inputs) *inputs = e->inputs_text;
    if (outputs) *outputs = e->outputs_text;
    if (first_like_it) *first_like_it = e->first_like_it;
}

// ---- Judging

// The experiments in the numbers of one machine.
typedef struct Trial {
    uint32_t from, *inputs, *outputs;
    size_t n_inputs, n_outputs;
} Trial;

enum { NEVER = UINT32_MAX - 1 };    // an output that this machine never shows

static bool has_name(const char *const *names, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static bool report_other(const LedgerSymbol *symbol, const char *what, const char *const *names, uint32_t n,
                         const char *of, orr_diag *diag)
{
    char text[300];
    snprintf(text, sizeof text, "'%.100s' is not %s of %s%.100s%s", symbol->name, what,
             of ? "machine '" : "any of them", of ? of : "", of ? "'" : "");
    diag_report(diag, DIAG_MACHINE_LEDGER_OTHER, symbol->place, text);
    if (!diag_suggest(diag, symbol->name, text_closest(symbol->name, names, n)))
        diag_hint(diag, "name the model it was kept for, or correct the line");
    return false;
}

static bool check_models(const orr_ledger *ledger, const orr_machine *const *rivals, size_t n_rivals,
                         const Machine *m, orr_diag *diag)
{
    for (size_t k = 0; k < ledger->n_models; k++) {
        if (strcmp(ledger->models[k].name, m->name) == 0) return true;
        for (size_t i = 0; i < n_rivals; i++)
            if (strcmp(rivals[i]->machine->name, ledger->models[k].name) == 0) return true;
    }
    if (ledger->n_models == 0) return true;
    char text[300];
    snprintf(text, sizeof text, "it was kept for '%.100s', not for '%.100s'", ledger->models[0].name,
             m->name);
    diag_report(diag, DIAG_MACHINE_LEDGER_OTHER, ledger->models[0].place, text);
    diag_hint(diag, "if it serves this model too, add its name: ledger of %s, %s", ledger->models[0].name,
              m->name);
    return false;
}

static uint32_t find_output(const Machine *m, const Names *outputs, const LedgerSymbol *symbol,
                            const orr_machine *const *rivals, size_t n_rivals, bool *ok, orr_diag *diag)
{
    if (!symbol->name) return MACHINE_NONE;
    const uint32_t id = names_find(outputs, text_from(symbol->name));
    if (id != NAMES_NONE) return id;
    // what a rival can show only falsifies this machine
    for (size_t i = 0; i < n_rivals; i++)
        if (has_name(rivals[i]->machine->outputs, rivals[i]->machine->n_outputs, symbol->name)) return NEVER;
    *ok = report_other(symbol, "an output", m->outputs, m->n_outputs, n_rivals > 1 ? NULL : m->name, diag);
    return NEVER;
}

static bool translate(const orr_ledger *ledger, const Machine *m, const orr_machine *const *rivals,
                      size_t n_rivals, Trial *trials, Arena *arena, orr_diag *diag)
{
    Names inputs, outputs;
    names_init(&inputs, arena);
    names_init(&outputs, arena);
    for (uint32_t i = 0; i < m->n_inputs; i++) names_intern(&inputs, text_from(m->inputs[i]));
    for (uint32_t i = 0; i < m->n_outputs; i++) names_intern(&outputs, text_from(m->outputs[i]));
    bool ok = true;
    for (size_t k = 0; k < ledger->n; k++) {
        const Experiment *e = &ledger->experiments[k];
        Trial *t = &trials[k];
        *t = (Trial){ MACHINE_NONE, ARENA_ARRAY(arena, uint32_t, e->n_inputs),
                      ARENA_ARRAY(arena, uint32_t, e->n_outputs), e->n_inputs, e->n_outputs };
        if (e->from.name && (t->from = machine_find_state(m, e->from.name)) == MACHINE_NONE)
            ok = report_other(&e->from, "a state", m->states, m->n_states, m->name, diag);
        for (size_t i = 0; i < e->n_inputs; i++) {
            t->inputs[i] = names_find(&inputs, text_from(e->inputs[i].name));
            if (t->inputs[i] == NAMES_NONE)
                ok = report_other(&e->inputs[i], "an input", m->inputs, m->n_inputs, m->name, diag);
        }
        for (size_t i = 0; i < e->n_outputs; i++)
            t->outputs[i] = find_output(m, &outputs, &e->outputs[i], rivals, n_rivals, &ok, diag);
        if (m->kind == MACHINE_MEALY && e->n_outputs > e->n_inputs) {
            diag_report(diag, DIAG_MACHINE_LEDGER_OTHER, e->place,
                        "it has an output behind the last input, a Mealy machine has none");
            diag_hint(diag, "leave the output before the first input out");
            ok = false;
        }
    }
    return ok;
}

bool orr_ledger_validate(const orr_ledger *ledger, const orr_machine *machine,
                         const orr_machine *const *rivals, size_t n_rivals, orr_validation *validation,
                         orr_diag *diag)
{
    const Machine *m = machine->machine;
    Arena arena = { 0 };
    Trial *trials = ARENA_ARRAY(&arena, Trial, ledger->n);
    *validation = (orr_validation){ 0 };
    bool ok = check_models(ledger, rivals, n_rivals, m, diag);
    ok = ok && translate(ledger, m, rivals, n_rivals, trials, &arena, diag);
    if (ok) {
        validation->agreeing = calloc(ledger->n + 1, sizeof *validation->agreeing);
        if (!validation->agreeing) arena_no_memory(ledger->n * sizeof *validation->agreeing);
        for (size_t k = 0; k < ledger->n; k++) {
            const Trial *t = &trials[k];
            orr_prediction p = orr_machine_predict(machine, t->inputs, t->n_inputs, t->outputs, t->n_outputs);
            validation->agreeing[k] = t->from == MACHINE_NONE ? p.n_were : p.was[t->from] > 0;
            orr_prediction_free(&p);
            if (validation->falsified_by > 0)
                continue;    // the procedure has ended; the rest is for the table
            if (validation->agreeing[k] > 0) validation->rating++;
            else validation->falsified_by = k + 1;
        }
    }
    arena_free(&arena);
    return ok;
}

void orr_validation_free(orr_validation *validation)
{
    free(validation->agreeing);
    *validation = (orr_validation){ 0 };
}

// ---- Repairing

static bool agrees(const Machine *m, const Trial *t)
{
    for (uint32_t s = 0; s < m->n_states; s++) {
        if (t->from != MACHINE_NONE && t->from != s) continue;
        uint32_t now = s;
        size_t i = 0;
        for (; i < t->n_outputs; i++) {
            const uint32_t input = i < t->n_inputs ? t->inputs[i] : 0;
            if (t->outputs[i] != MACHINE_NONE && machine_output(m, now, input) != t->outputs[i]) break;
            if (i < t->n_inputs) now = m->next[machine_cell(m, now, input)];
        }
        if (i == t->n_outputs) return true;
    }
    return false;
}

static bool all_agree(const Machine *m, const Trial *trials, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!agrees(m, &trials[k])) return false;
    return true;
}

orr_repair *orr_ledger_repairs(const orr_ledger *ledger, const orr_machine *machine, size_t *n,
                               bool *too_large)
{
    *n = 0;
    *too_large = false;
    if (machine->machine->branch_first) return NULL;
    Arena arena = { 0 };
    Machine m = *machine_copy(&arena, machine->machine);
    Trial *trials = ARENA_ARRAY(&arena, Trial, ledger->n);
    const orr_machine *const self[] = { machine };
    double steps = 0;
    for (size_t k = 0; k < ledger->n; k++) steps += (double)ledger->experiments[k].n_inputs + 1;
    const double n_cells = (double)m.n_states * m.n_inputs;
    const double n_tries = n_cells * m.n_states +
                           (m.kind == MACHINE_MOORE ? m.n_states : n_cells) * m.n_outputs;
    *too_large = steps * m.n_states * n_tries > 1e10;

    VEC(orr_repair) found = { 0 };
    if (!*too_large && translate(ledger, &m, self, 1, trials, &arena, NULL)) {
        // the copy is ours to change
        uint32_t *next = (uint32_t *)(uintptr_t)m.next, *out = (uint32_t *)(uintptr_t)m.out;
        for (size_t c = 0; c < (size_t)m.n_states * m.n_inputs; c++) {
            const uint32_t old = next[c];
            for (uint32_t to = 0; to < m.n_states; to++) {
                next[c] = to;
                if (to != old && all_agree(&m, trials, ledger->n))
                    vec_push(&arena, &found,
                             (orr_repair){ (uint32_t)(c / m.n_inputs), (uint32_t)(c % m.n_inputs), old, to,
                                           false });
            }
            next[c] = old;
        }
        const size_t n_out = m.kind == MACHINE_MOORE ? m.n_states : (size_t)m.n_states * m.n_inputs;
        for (size_t c = 0; c < n_out; c++) {
            const uint32_t old = out[c];
            const bool moore = m.kind == MACHINE_MOORE;
            for (uint32_t to = 0; to < m.n_outputs; to++) {
                out[c] = to;
                if (to != old && all_agree(&m, trials, ledger->n))
                    vec_push(&arena, &found,
                             (orr_repair){ (uint32_t)(moore ? c : c / m.n_inputs),
                                           moore ? MACHINE_NONE : (uint32_t)(c % m.n_inputs), old, to,
                                           true });
            }
            out[c] = old;
        }
    }
    orr_repair *repairs = found.n ? malloc(found.n * sizeof *repairs) : NULL;
    if (repairs) memcpy(repairs, found.items, found.n * sizeof *repairs);
    *n = repairs ? found.n : 0;
    arena_free(&arena);
    return repairs;
}

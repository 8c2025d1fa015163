// src/machine/draft.c: filling the tables of a machine and holding them to the three principles.
#include "machine/draft.h"
#include "lang/lex.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { NAMES_SHOWN = 4 };    // inputs listed in one message

void draft_begin(Draft *d, Arena *arena, const char *name, Place place, orr_diag *diag)
{
    *d = (Draft){ .arena = arena, .diag = diag, .name = name, .place = place, .ok = true };
    names_init(&d->states, arena);
    names_init(&d->inputs, arena);
    names_init(&d->outputs, arena);
}

static uint32_t add_name(Draft *d, Names *names, Text name, Place place)
{
    const size_t known = names->n;
    const uint32_t id = names_intern(names, name);
    if (id < known) {
        diag_report(d->diag, DIAG_NAME_TWICE, place, names_text(names, id));
        d->ok = false;
    }
    return id;
}

uint32_t draft_add_state(Draft *d, Text name, Place place)
{
    const uint32_t id = add_name(d, &d->states, name, place);
    if (id == d->state_places.n) vec_push(d->arena, &d->state_places, place);
    else diag_note(d->diag, d->state_places.items[id], "it is a state already");
    return id;
}

uint32_t draft_add_input(Draft *d, Text name, Place place) { return add_name(d, &d->inputs, name, place); }

uint32_t draft_add_output(Draft *d, Text name) { return names_intern(&d->outputs, name); }

static void report_empty(Draft *d, const char *what, const char *hint)
{
    diag_report(d->diag, DIAG_MACHINE_SET_EMPTY, d->place, d->name, what);
    diag_hint(d->diag, "%s", hint);
    d->ok = false;
}

bool draft_seal(Draft *d, MachineKind kind)
{
    d->kind = kind;
    const size_t n_states = d->states.n, n_inputs = d->inputs.n;
    if (n_states == 0) report_empty(d, "states", "a machine is in one of finitely many states: name them");
    if (n_inputs == 0) report_empty(d, "inputs", "a machine changes by its inputs: name them");
    if (n_states == 0 || n_inputs == 0) return false;
    if (n_inputs > MACHINE_CELLS_MAX / n_states) {
        diag_report(d->diag, DIAG_MACHINE_TOO_LARGE, d->place, d->name, n_states, n_inputs,
                    (size_t)MACHINE_CELLS_MAX);
        return d->ok = false;
    }
    const size_t n_cells = n_states * n_inputs, n_out = kind == MACHINE_MOORE ? n_states : n_cells;
    d->next = ARENA_ARRAY(d->arena, uint32_t, n_cells);
    memset(d->next, 0xff, n_cells * sizeof *d->next);
    d->filled = ARENA_ARRAY(d->arena, uint32_t, n_cells);
    d->out = ARENA_ARRAY(d->arena, uint32_t, n_out);
    d->out_filled = ARENA_ARRAY(d->arena, uint32_t, n_out);
    d->is_reached = ARENA_ARRAY(d->arena, bool, n_states);
    d->is_doubtful = ARENA_ARRAY(d->arena, bool, n_states);
    return true;
}

uint32_t draft_source(Draft *d, Place place, DraftLevel level)
{
    vec_push(d->arena, &d->sources, (DraftSource){ place, level });
    return (uint32_t)d->sources.n - 1;
}

// ---- Filling

// Whether `source` may fill what `by` (a source + 1, or 0) filled before. *twice: both have the same right.
static bool may_fill(const Draft *d, uint32_t by, uint32_t source, bool *twice)
{
    *twice = by != 0 && d->sources.items[by - 1].level == d->sources.items[source].level;
    assert(by == 0 || d->sources.items[by - 1].level <= d->sources.items[source].level);
    return by == 0;
}

static bool is_taken(const Draft *d, uint32_t by, uint32_t source)
{
    return by != 0 && d->sources.items[by - 1].level < d->sources.items[source].level;
}

bool draft_has_move(const Draft *d, uint32_t state, uint32_t input, uint32_t source)
{
    return is_taken(d, d->filled[(size_t)state * d->inputs.n + input], source);
}

bool draft_has_output(const Draft *d, uint32_t state, uint32_t source)
{
    return is_taken(d, d->out_filled[state], source);
}

// As the language writes it.
static const char *spell(Draft *d, uint32_t state)
{
    const Text name = d->states.texts[state];
    return arena_printf(d->arena, lex_is_name(name) ? "%s" : "\"%s\"", name.p);
}

static const char *cell_words(Draft *d, size_t cell)
{
    if (d->next[cell] < d->states.n)
        return arena_printf(d->arena, "'%s'", names_text(&d->states, d->next[cell]));
    return "a state drawn by chance";
}

static void report_twice(Draft *d, uint32_t state, uint32_t input, size_t cell, const DraftBranch *branches,
                         size_t n, uint32_t source)
{
    d->ok = false;
    if (d->next[cell] == DRAFT_UNKNOWN || branches[0].to == DRAFT_UNKNOWN) return;    // it has its message
    const bool certain = n == 1;
    const char *old = cell_words(d, cell);
    const char *now = certain ? arena_printf(d->arena, "'%s'", names_text(&d->states, branches[0].to))
                              : "a state drawn by chance";
    const bool same = certain && d->next[cell] == branches[0].to;
    const char *both = same ? arena_printf(d->arena, "%s twice", old)
                            : arena_printf(d->arena, "%s and to %s", old, now);
    diag_report(d->diag, DIAG_MACHINE_MOVE_TWICE, d->sources.items[source].place,
                names_text(&d->states, state), names_text(&d->inputs, input), both);
    if (same) diag_hint(d->diag, "leave one of them out");
    else
        diag_hint(d->diag, "keep one; if both can happen, say how likely each is: 0.5 %s | 0.5 %s",
                  certain && d->next[cell] < d->states.n ? spell(d, d->next[cell]) : "a",
                  certain ? spell(d, branches[0].to) : "b");
    diag_note(d->diag, d->sources.items[d->filled[cell] - 1].place, "the other one is here");
}

static bool check_chances(Draft *d, uint32_t state, uint32_t input, const DraftBranch *branches, size_t n,
                          uint32_t source)
{
    double sum = 0;
    const DraftBranch *bad = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!(branches[i].probability >= 0)) bad = &branches[i];    // NaN is refused too
        sum += branches[i].probability;
    }
    if (!bad && fabs(sum - 1) <= 1e-9) return true;
    const char *what = bad ? arena_printf(d->arena, "include %.10g", bad->probability)
                           : arena_printf(d->arena, "sum to %.10g, not 1", sum);
    diag_report(d->diag, DIAG_MACHINE_CHANCES, d->sources.items[source].place, names_text(&d->states, state),
                names_text(&d->inputs, input), what);
    if (bad) diag_hint(d->diag, "a probability is a number from 0 to 1");
    else if (n == 1 && sum < 1)
        diag_hint(d->diag, "say what else can happen: %.10g a | %.10g b", sum, 1 - sum);
    else if (sum < 1) diag_hint(d->diag, "%.10g is missing", 1 - sum);
    else diag_hint(d->diag, "%.10g is too much; a third is written 1/3", sum - 1);
    return d->ok = false;
}

void draft_move(Draft *d, uint32_t state, uint32_t input, const DraftBranch *branches, size_t n,
                uint32_t source)
{
    const size_t cell = (size_t)state * d->inputs.n + input;
    bool twice;
    if (!may_fill(d, d->filled[cell], source, &twice)) {
        if (twice) report_twice(d, state, input, cell, branches, n, source);
        return;
    }
    d->filled[cell] = source + 1;
    size_t likely = 0, n_likely = 0;
    for (size_t i = 0; i < n; i++) {
        if (branches[i].to == DRAFT_UNKNOWN) {
            d->next[cell] = DRAFT_UNKNOWN;
            return;
        }
        d->is_reached[branches[i].to] = true;
        if (branches[i].probability != 0) likely = i, n_likely++;
    }
    const bool plain = n == 1 && branches[0].probability == 1;
    if (!plain && !check_chances(d, state, input, branches, n, source)) {
        d->next[cell] = DRAFT_UNKNOWN;
    } else if (plain || n_likely == 1) {
        d->next[cell] = branches[likely].to;    // what is certain is not drawn
    } else {
        for (size_t i = 0; i < n; i++)
            if (branches[i].probability != 0)
                vec_push(d->arena, &d->chances, (DraftChance){ cell, branches[i] });
    }
}

void draft_stray(Draft *d, const char *state, const char *input, const char *name, Place place,
                 const char *hint)
{
    vec_push(d->arena, &d->strays, (DraftStray){ state, input, name, hint, place });
    d->ok = false;
}

void draft_doubt(Draft *d, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) d->is_doubtful[first + i] = true;
    d->ok = false;
}

void draft_set_output(Draft *d, uint32_t state, uint32_t input, uint32_t output, uint32_t source)
{
    const size_t cell = d->kind == MACHINE_MOORE ? state : (size_t)state * d->inputs.n + input;
    bool twice;
    if (may_fill(d, d->out_filled[cell], source, &twice)) {
        d->out[cell] = output;
        d->out_filled[cell] = source + 1;
    } else if (twice && d->kind == MACHINE_MOORE) {    // of a Mealy machine the move itself is reported
        d->ok = false;
        if (output == DRAFT_UNKNOWN || d->out[cell] == DRAFT_UNKNOWN) return;
        diag_report(d->diag, DIAG_MACHINE_OUTPUT_TWICE, d->sources.items[source].place,
                    names_text(&d->states, state), names_text(&d->outputs, d->out[cell]),
                    names_text(&d->outputs, output));
        diag_hint(d->diag, "keep one of them, or split the state in two");
        diag_note(d->diag, d->sources.items[d->out_filled[cell] - 1].place, "the other one is here");
    }
}

// ---- The principles

// A state that nothing else leads to is most likely what a name that is none was meant to be.
static const char *lonely_state(const Draft *d, uint32_t start)
{
    const char *found = NULL;
    for (uint32_t i = 0; i < d->states.n; i++) {
        if (d->is_reached[i] || i == start) continue;
        if (found) return NULL;
        found = names_text(&d->states, i);
    }
    return found;
}

static void report_strays(Draft *d, uint32_t start)
{
    if (d->strays.n == 0) return;
    const char *lonely = lonely_state(d, start);
    const char **names = ARENA_ARRAY(d->arena, const char *, d->states.n);
    for (uint32_t i = 0; i < d->states.n; i++) names[i] = names_text(&d->states, i);
    for (size_t i = 0; i < d->strays.n && i < DIAG_MESSAGES_MAX; i++) {
        const DraftStray *s = &d->strays.items[i];
        const char *on = s->input ? arena_printf(d->arena, "on '%s'", s->input) : "on every input not named";
        diag_report(d->diag, DIAG_MACHINE_TARGET, s->place, s->state, on, s->name);
        const char *closest = text_closest(s->name, names, d->states.n);
        if (s->hint) diag_hint(d->diag, "%s", s->hint);
        else if (lonely) diag_hint(d->diag, "did you mean '%s', to which nothing else leads?", lonely);
        else if (!diag_suggest(d->diag, s->name, closest))
            diag_hint(d->diag, "lead to one of the states, or add '%s' to them", s->name);
    }
}

static void report_holes(Draft *d, uint32_t state)
{
    const size_t n_inputs = d->inputs.n;
    StrBuf list = { .arena = d->arena };
    size_t n = 0;
    const char *first = NULL;
    for (uint32_t i = 0; i < n_inputs; i++) {
        if (d->filled[(size_t)state * n_inputs + i]) continue;
        const char *name = names_text(&d->inputs, i);
        if (n == 0) first = name;
        if (n < NAMES_SHOWN) str_addf(&list, "%s'%s'", n ? ", " : "", name);
        n++;
    }
    if (n == 0) return;
    d->ok = false;
    if (n > NAMES_SHOWN) str_addf(&list, " and %zu more", n - NAMES_SHOWN);
    diag_report(d->diag, DIAG_MACHINE_MOVE_MISSING, d->state_places.items[state],
                names_text(&d->states, state), n == n_inputs && n > 1 ? "any input" : str_finish(&list));
    const char *any = n == n_inputs && n > 1 && d->advice_all ? d->advice_all : first;
    diag_hint(d->diag, "%s%s%s", d->advice_before, any, d->advice_behind);
}

static void report_output_holes(Draft *d, uint32_t state)
{
    const char *name = names_text(&d->states, state);
    if (d->kind == MACHINE_MOORE) {
        if (d->out_filled[state]) return;
        diag_report(d->diag, DIAG_MACHINE_OUTPUT_MISSING, d->state_places.items[state], name, "");
        diag_hint(d->diag, "say what is observed there: %s", d->advice_output);
        d->ok = false;
        return;
    }
    for (uint32_t i = 0; i < d->inputs.n; i++) {
        const size_t cell = (size_t)state * d->inputs.n + i;
        if (d->out_filled[cell] || !d->filled[cell]) continue;    // no move: that has its message
        diag_report(d->diag, DIAG_MACHINE_OUTPUT_MISSING, d->sources.items[d->filled[cell] - 1].place, name,
                    arena_printf(d->arena, " on '%s'", names_text(&d->inputs, i)));
        diag_hint(d->diag, "other moves have an output; write one behind this too: / OUTPUT");
        d->ok = false;
    }
}

static const char *const *names_array(Arena *arena, const Names *names)
{
    const char **texts = ARENA_ARRAY(arena, const char *, names->n);
    for (uint32_t i = 0; i < names->n; i++) texts[i] = names_text(names, i);
    return texts;
}

// The branches row by row, in the order they were written.
static void sort_chances(const Draft *d, Machine *m)
{
    const size_t n_cells = d->states.n * d->inputs.n;
    uint32_t *first = ARENA_ARRAY(d->arena, uint32_t, n_cells + 1);
    uint32_t *to = ARENA_ARRAY(d->arena, uint32_t, d->chances.n);
    double *probability = ARENA_ARRAY(d->arena, double, d->chances.n);
    for (size_t i = 0; i < d->chances.n; i++) first[d->chances.items[i].cell + 1]++;
    for (size_t i = 0; i < n_cells; i++) first[i + 1] += first[i];
    uint32_t *at = ARENA_ARRAY(d->arena, uint32_t, n_cells);
    memcpy(at, first, n_cells * sizeof *at);
    for (size_t i = 0; i < d->chances.n; i++) {
        const DraftChance *c = &d->chances.items[i];
        to[at[c->cell]] = c->branch.to;
        probability[at[c->cell]++] = c->branch.probability;
    }
    m->branch_first = first;
    m->branch_next = to;
    m->branch_probability = probability;
}

Machine *draft_finish(Draft *d, uint32_t start)
{
    report_strays(d, start);
    for (uint32_t i = 0; i < d->states.n; i++) {
        if (d->is_doubtful[i]) continue;
        report_holes(d, i);
        report_output_holes(d, i);
    }
    if (!d->ok) return NULL;
    Machine *m = ARENA_NEW(d->arena, Machine);
    *m = (Machine){
        .name = d->name,
        .kind = d->kind,
        .n_states = (uint32_t)d->states.n,
        .n_inputs = (uint32_t)d->inputs.n,
        .n_outputs = (uint32_t)d->outputs.n,
        .states = names_array(d->arena, &d->states),
        .inputs = names_array(d->arena, &d->inputs),
        .outputs = names_array(d->arena, &d->outputs),
        .next = d->next,
        .out = d->out,
        .start = start,
    };
    if (d->chances.n > 0) sort_chances(d, m);
    return m;
}

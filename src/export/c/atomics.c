// src/export/c/atomics.c: the functions of atomic components with the names of the model.
//
// The generated text knows kinds, slots, states and ports by numbers. Word by word they get their names:
//
//     a2_internal          A_Server_internal
//     s->v[3], s->v + 3    s->v[S_Server_waiting], s->v + S_Server_waiting
//     H->push              host_push
//     struct call          orr_devs_call
//     *(const unsigned *)(s->v + 3)    host_length(s->v + …)
//     s->state = 1;        s->state = 1;    // busy
//
// and what a function is handed and does not read is told to the compiler. The slots that were named become
// enumerators before the functions.
#include "base/map.h"
#include "export/c/c.h"
#include "export/c/net.h"
#include <ctype.h>
#include <stdlib.h>

typedef struct Slot {
    const char *name;    // S_Server_waiting; NULL: none
    const char *says;    // waiting
    bool is_used;
} Slot;

typedef struct Kind {
    const AtomicKind *kind;    // borrowed
    const char *name;          // A_Server_
    Slot *slots;               // [kind->n_slots] of v
    uint32_t n_slots;
} Kind;

typedef struct Atomics {
    const CExport *c;
    Arena work;
    TextMap taken;      // enumerators
    Kind *kinds;        // [n_kinds]
    const Kind *now;    // whose function this is; NULL: nobody's
    StrBuf *s;
} Atomics;

// ---- Names

static void name_slot(Atomics *a, Kind *kind, uint32_t slot, const char *name)
{
    if (slot < ATOMIC_SLOT_PARAMS || slot - ATOMIC_SLOT_PARAMS >= kind->n_slots) return;
    Slot *named = &kind->slots[slot - ATOMIC_SLOT_PARAMS];
    if (named->name) return;
    const char *plain = arena_printf(&a->work, "S_%s%s", kind->name + strlen("A_"),
                                     c_identifier(&a->work, name));
    const char *found = plain;
    for (uint32_t k = 2; !text_map_put(&a->taken, text_from(found), 0); k++)
        found = arena_printf(&a->work, "%s_%u", plain, k);
    *named = (Slot){ found, arena_printf(&a->work, "%s", name), false };
}

static void name_kind(Atomics *a, Kind *kind, const AtomicKind *of)
{
    *kind = (Kind){ .kind = of,
                    .n_slots = of->n_slots > ATOMIC_SLOT_PARAMS ? of->n_slots - ATOMIC_SLOT_PARAMS : 0 };
    kind->slots = ARENA_ARRAY(&a->work, Slot, kind->n_slots + 1);
    kind->name = a->c->net->kind_names[of - a->c->model->atomics.kinds];
    for (uint32_t i = 0; i < of->n_params; i++)
        name_slot(a, kind, ATOMIC_SLOT_PARAMS + i, of->params[i].name);
    for (uint32_t i = 0; i < of->n_readables; i++) {
        const AtomicReadable *r = &of->readables[i];
        if (r->how == ATOMIC_READ_STATE) continue;
        // "delay.mean" is a part of "delay", which stands where its first part does; so does "a[1]" of "a"
        const size_t n = strlen(r->name);
        const char *dot = r->how > ATOMIC_READ_LENGTH ? strrchr(r->name, '.') : NULL;
        const bool is_first = n > 3 && strcmp(r->name + n - 3, "[1]") == 0;
        const size_t end = dot ? (size_t)(dot - r->name) : is_first ? n - 3 : n;
        name_slot(a, kind, r->slot, arena_printf(&a->work, "%.*s", (int)end, r->name));
    }
    if (of->stream) name_slot(a, kind, of->stream, "random stream");
    if (of->last) name_slot(a, kind, of->last, "last transition");
}

// ---- Words

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t word_end(Text text, size_t at)
{
    while (at < text.n && is_word(text.p[at])) at++;
    return at;
}

// a2_internal: the kind, and what is behind its number. NULL: it is another word.
static Kind *kind_of(Atomics *a, Text word, Text *rest)
{
    size_t i = 1;
    uint64_t number = 0;
    if (word.n < 4 || word.p[0] != 'a' || !isdigit((unsigned char)word.p[1])) return NULL;
    for (; i < word.n && isdigit((unsigned char)word.p[i]); i++)
        number = 10 * number + (uint64_t)(word.p[i] - '0');
    if (i == word.n || word.p[i] != '_' || number >= a->c->model->atomics.n_kinds) return NULL;
    *rest = text_part(word, i + 1, word.n);
    return &a->kinds[number];
}

// A number behind "s->v[", "s->v + " or "s->v + (" is a slot.
static bool add_slot(Atomics *a, Text text, size_t at)
{
    static const char *const before[] = { "s->v[", "s->v + ", "s->v + (" };
    bool is_slot = false;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const size_t n = strlen(before[i]);
        is_slot = is_slot || (at >= n && memcmp(text.p + at - n, before[i], n) == 0);
    }
    if (!is_slot || !a->now) return false;
    const unsigned long slot = strtoul(text.p + at, NULL, 10);
    if (slot >= a->now->n_slots || !a->now->slots[slot].name) return false;
    a->now->slots[slot].is_used = true;
    str_add(a->s, a->now->slots[slot].name);
    return true;
}

static void add_words(Atomics *a, Text text)
{
    static const char length[] = "*(const unsigned *)(";
    for (size_t i = 0; i < text.n;) {
        if (text_starts(text_part(text, i, text.n), length)) {
            str_add(a->s, "host_length(");
            i += strlen(length);
            continue;
        }
        if (!is_word(text.p[i])) {
            str_add_char(a->s, text.p[i++]);
            continue;
        }
        const size_t end = word_end(text, i);
        const Text word = text_part(text, i, end);
        Text rest;
        const Kind *kind = kind_of(a, word, &rest);
        if (kind) {
            str_add(a->s, kind->name);
            str_add_text(a->s, rest);
        } else if (text_is(word, "H") && end + 1 < text.n && text.p[end] == '-' && text.p[end + 1] == '>') {
            const bool sends = text_starts(text_part(text, end + 2, text.n), "send(");
            str_add(a->s, sends ? "orr_devs_" : "host_");
            i = end + 2;
            continue;
        } else if (text_is(word, "struct") && (text_starts(text_part(text, end, text.n), " call ") ||
                                               text_starts(text_part(text, end, text.n), " event "))) {
            str_add(a->s, "orr_devs_");
            i = end + 1;
            continue;
        } else if (text_is(word, "1e999")) str_add(a->s, "INFINITY");
        else if (!isdigit((unsigned char)word.p[0]) || !add_slot(a, text, i)) str_add_text(a->s, word);
        i = end;
    }
}

// A condition stands in one pair of parentheses: of two, compilers suspect that "=" was meant.
static void add_condition(Atomics *a, Text line)
{
    const char *found = memmem(line.p, line.n, "if ((", 5);
    const size_t open = found ? (size_t)(found - line.p) + 4 : 0;
    size_t close = open;
    for (int depth = 0; found && close < line.n; close++) {
        depth += line.p[close] == '(' ? 1 : line.p[close] == ')' ? -1 : 0;
        if (depth == 0) break;
    }
    if (!found || close + 1 >= line.n || line.p[close + 1] != ')') {
        add_words(a, line);
        return;
    }
    add_words(a, text_part(line, 0, open));
    add_words(a, text_part(line, open + 1, close));
    add_words(a, text_part(line, close + 1, line.n));
}

// ---- Remarks

// Which switch the cases at a depth belong to.
typedef enum Switch { OTHER, BY_STATE, BY_PORT } Switch;

static void add_state_remark(Atomics *a, unsigned long state)
{
    if (!a->now || state >= a->now->kind->n_states) return;
    str_add(a->s, "    // ");
    c_add_remark(a->s, a->now->kind->states[state].name);
}

static void add_line(Atomics *a, Text line, Switch *switches, size_t n_switches)
{
    size_t indent = 0;
    while (indent < line.n && line.p[indent] == ' ') indent++;
    const size_t depth = indent / 4 < n_switches ? indent / 4 : n_switches - 1;
    const Text bare = text_trim(line);
    if (text_starts(bare, "switch (")) switches[depth] = OTHER;
    if (text_starts(bare, "switch (s->state)")) switches[depth] = BY_STATE;
    if (text_starts(bare, "switch (bag->port)") || text_starts(bare, "switch (event->port)"))
        switches[depth] = BY_PORT;
    const bool has_end = line.n && line.p[line.n - 1] == '\n';
    add_condition(a, text_part(line, 0, line.n - has_end));
    if (text_starts(bare, "case ") && depth > 0) {
        const unsigned long number = strtoul(bare.p + 5, NULL, 10);
        if (switches[depth - 1] == BY_STATE) add_state_remark(a, number);
        if (switches[depth - 1] == BY_PORT && a->now && number < a->now->kind->n_inputs) {
            str_add(a->s, "    // ");
            c_add_remark(a->s, a->now->kind->inputs[number].name);
        }
    } else if (text_starts(bare, "s->state = ")) add_state_remark(a, strtoul(bare.p + 11, NULL, 10));
    str_add(a->s, "\n");
}

// ---- What a function does not read

// How often each word is there, but 2 for any number of times.
static void count_words(TextMap *counts, Text text)
{
    for (size_t i = 0; i < text.n;) {
        if (!is_word(text.p[i])) {
            i++;
            continue;
        }
        const size_t end = word_end(text, i);
        if (!text_map_put(counts, text_part(text, i, end), 1))
            *text_map_find(counts, text_part(text, i, end)) = 2;
        i = end;
    }
}

// The word before a place.
static Text word_before(Text text, size_t at)
{
    size_t begin = at;
    while (begin > 0 && is_word(text.p[begin - 1])) begin--;
    return text_part(text, begin, at);
}

static void add_unused(Atomics *a, const TextMap *counts, Text word, const char *indent, size_t *n)
{
    const uint32_t *count = word.n ? text_map_find(counts, word) : NULL;
    if (!count || *count > 1 || text_is(word, "void") || text_is(word, "s") || text_is(word, "p")) return;
    str_add(a->s, *n ? ", " : indent);
    str_addf(a->s, "(void)%.*s", (int)word.n, word.p);
    ++*n;
}

static void add_unused_params(Atomics *a, const TextMap *counts, Text head)
{
    size_t n = 0;
    const char *open = memchr(head.p, '(', head.n);
    for (size_t i = open ? (size_t)(open - head.p) : head.n; i < head.n; i++)
        if (head.p[i] == ',' || head.p[i] == ')') add_unused(a, counts, word_before(head, i), "    ", &n);
    if (n) str_add(a->s, ";\n");
}

// `const double l3 = …;`, `double l3;`, `const double *m = …;`
static void add_unused_local(Atomics *a, const TextMap *counts, Text line)
{
    const Text bare = text_trim(line);
    if (!text_starts(bare, "const double ") && !text_starts(bare, "double ")) return;
    size_t at = 0, n = 0;
    while (at < bare.n && bare.p[at] != '=' && bare.p[at] != ';' && bare.p[at] != '[') at++;
    while (at > 0 && bare.p[at - 1] == ' ') at--;
    add_unused(a, counts, word_before(bare, at),
               arena_printf(&a->work, "%.*s", (int)(bare.p - line.p), line.p), &n);
    if (n) str_add(a->s, ";\n");
}

// ---- All of it

static Text next_line(Text *rest)
{
    const char *end = memchr(rest->p, '\n', rest->n);
    const size_t n = end ? (size_t)(end - rest->p) + 1 : rest->n;
    const Text line = text_part(*rest, 0, n);
    *rest = text_part(*rest, n, rest->n);
    return line;
}

// The kernel knows states and parameters only as memory: what a function calls them is a local of it.
static const struct Given {
    const char *says, *given, *local, *name;
} givens[] = {
    { "const struct state *s", "const void *state", "const struct state *s = state;", "s" },
    { "struct state *s", "void *state", "struct state *s = state;", "s" },
    { "struct state *restrict s", "void *state", "struct state *s = state;", "s" },
    { "const double *p", "const void *params", "const double *p = params;", "p" },
    { "unsigned long n", "size_t n", NULL, "n" },
};
enum { N_GIVENS = sizeof givens / sizeof *givens };

// The head of a function as the kernel calls it; behind its brace, in *locals, what is meant by that.
static Text given_head(Atomics *a, const TextMap *counts, Text head, StrBuf *locals)
{
    StrBuf s = { .arena = &a->work };
    for (size_t i = 0; i < head.n;) {
        size_t k = 0;
        while (k < N_GIVENS && !text_starts(text_part(head, i, head.n), givens[k].says)) k++;
        if (k == N_GIVENS) {
            str_add_char(&s, head.p[i++]);
            continue;
        }
        const struct Given *given = &givens[k];
        const uint32_t *count = text_map_find(counts, text_from(given->name));
        str_add(&s, given->given);
        if (given->local && count && *count > 1) str_addf(locals, "    %s\n", given->local);
        else if (given->local) str_addf(locals, "    (void)%s;\n", strrchr(given->given, '*') + 1);
        i += strlen(given->says);
    }
    const size_t n = s.n;
    return (Text){ str_finish(&s), n };
}

// From its head to the brace at its end.
static void add_function(Atomics *a, Text head, Text *rest)
{
    Switch switches[64] = { OTHER };
    const char *begin = head.p;
    const char *end = memmem(rest->p, rest->n, "\n}", 2);
    const Text function = { begin, end ? (size_t)(end + 2 - begin) : (size_t)(rest->p + rest->n - begin) };
    const char *open = memchr(head.p, '(', head.n);
    Text tail;
    TextMap counts;
    text_map_init(&counts, &a->work);
    count_words(&counts, function);
    a->now = open ? kind_of(a, word_before(head, (size_t)(open - head.p)), &tail) : NULL;
    StrBuf locals = { .arena = &a->work };
    add_words(a, a->now ? given_head(a, &counts, head, &locals) : head);
    for (bool is_first = true; rest->n; is_first = false) {
        const Text line = next_line(rest);
        if (line.p[0] == '}') {
            str_add_text(a->s, line);
            break;
        }
        add_line(a, line, switches, sizeof switches / sizeof *switches);
        if (is_first && locals.n) str_add_text(a->s, (Text){ locals.p, locals.n });
        if (is_first) add_unused_params(a, &counts, head);
        else add_unused_local(a, &counts, line);
    }
    a->now = NULL;
}

static void add_slots(const Atomics *a, StrBuf *s)
{
    for (uint32_t k = 0; k < a->c->model->atomics.n_kinds; k++) {
        const Kind *kind = &a->kinds[k];
        bool is_open = false;
        for (uint32_t i = 0; i < kind->n_slots; i++) {
            if (!kind->slots[i].is_used || !a->c->net->is_used[k]) continue;
            if (!is_open) {
                str_add(s, "// Where things stand in the state of ");
                c_add_remark(s, kind->kind->name);
                str_add(s, ".\nenum {\n");
            }
            is_open = true;
            const Slot *slot = &kind->slots[i];
            str_addf(s, "    %s = %u,", slot->name, i);
            const size_t n = strlen(slot->name), n_says = strlen(slot->says);
            if (n < n_says || strcmp(slot->name + n - n_says, slot->says) != 0) {
                str_add(s, "    // ");
                c_add_remark(s, slot->says);
            }
            str_add(s, "\n");
        }
        if (is_open) str_add(s, "};\n\n");
    }
}

Text c_atomics_text(const CExport *c, Arena *arena)
{
    const AtomicSet *set = &c->model->atomics;
    Atomics a = { .c = c };
    text_map_init(&a.taken, &a.work);
    a.kinds = ARENA_ARRAY(&a.work, Kind, set->n_kinds);
    for (uint32_t k = 0; k < set->n_kinds; k++) name_kind(&a, &a.kinds[k], &set->kinds[k]);
    StrBuf body = { .arena = &a.work };
    a.s = &body;
    for (Text rest = atomic_program_text(set, &a.work); rest.n;) {
        const Text line = next_line(&rest);
        if (text_starts(line, "static ") && rest.n && rest.p[0] == '{') add_function(&a, line, &rest);
        else add_words(&a, line);
    }
    StrBuf text = { .arena = arena };
    add_slots(&a, &text);
    str_add_text(&text, (Text){ body.p, body.n });
    arena_free(&a.work);
    const size_t n = text.n;
    return (Text){ str_finish(&text), n };
}

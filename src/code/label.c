// src/code/label.c: the names of a model in the comments of an exported file.
//
// Names may contain anything, so nothing of them reaches the text but letters, digits and signs that cannot
// end a comment or begin another one (there are no stars), splice lines or make a trigraph.
#include "code/label.h"
#include <string.h>

enum { LABEL_MAX = 60 };

void label_text(StrBuf *s, const char *name)
{
    static const char harmless[] = " _.,:;'()[]{}<>=+-/^%!|&#@~";
    size_t n = 0;
    for (; *name && n < LABEL_MAX; name++, n++) {
        const char c = *name;
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        str_add_char(s, is_plain || strchr(harmless, c) ? c : '_');
    }
    if (*name) str_add(s, "...");
}

static const char *array_element(const Gen *g, uint32_t place)
{
    const Flat *flat = g->ir->flat;
    for (uint32_t a = 0; a < flat->arrays.n; a++) {
        const uint32_t first = g->ir->layout.array_place[a];
        if (place >= first && place < first + flat->arrays.items[a].n)
            return flat_element_name(flat, a, place - first, (Arena *)&g->work);
    }
    return NULL;
}

// The variable at a place of v.
static const char *name_of_value(Gen *g, uint32_t place)
{
    const Flat *flat = g->ir->flat;
    if (!g->names) {
        g->names = ARENA_ARRAY(&g->work, const char *, g->ir->layout.n_kept + g->ir->layout.first_var);
        for (uint32_t i = 0; i < flat->vars.n; i++)
            g->names[g->ir->layout.place[i]] = flat->vars.items[i].name;
    }
    if (place >= g->ir->layout.first_guess) return NULL;
    if (g->names[place]) return g->names[place];
    return array_element(g, place);
}

static const char *name_of_state(const Gen *g, uint32_t state)
{
    const Blocks *blocks = g->ir->blocks;
    const Flat *flat = g->ir->flat;
    if (flat->arrays.n == 0)
        return state < blocks->n_states ? flat->vars.items[blocks->states[state]].name : NULL;
    for (uint32_t i = 0; i < flat->vars.n; i++)
        if (g->ir->layout.state_of[i] == state) return flat->vars.items[i].name;
    for (uint32_t a = 0; a < flat->arrays.n; a++) {
        const uint32_t first = g->ir->layout.array_state[a], step = g->ir->layout.array_step[a];
        if (first == FLAT_NONE || state < first || (state - first) % step != 0) continue;
        const uint32_t element = (state - first) / step;
        if (element < flat->arrays.items[a].n) return flat_element_name(flat, a, element, (Arena *)&g->work);
    }
    return NULL;
}

void label_place(Gen *g, StrBuf *s, Array array, uint32_t index)
{
    if (!g->is_file) return;
    const IrProgram *program = g->r ? g->r->program : NULL;
    const char *name = NULL, *before = "";
    if (!g->has_labels && !(array == ARRAY_OUT && program == &g->ir->programs[IR_RELATIONS])) return;
    if (array == ARRAY_V) name = name_of_value(g, index);
    if (array == ARRAY_W && index < g->ir->flat->vars.n) name = g->ir->flat->vars.items[index].name;
    if (array == ARRAY_X) name = name_of_state(g, index);
    if (array == ARRAY_OUT && program == &g->ir->programs[IR_RATES]) {
        name = name_of_state(g, index);
        before = "rate of ";
    }
    if (array == ARRAY_OUT && program == &g->ir->programs[IR_START]) name = name_of_state(g, index);
    if (array == ARRAY_OUT && program == &g->ir->programs[IR_RELATIONS]) {
        str_addf(s, "    /* relation %u, %s */", index / 2, index % 2 ? "its truth" : "its zero function");
        return;
    }
    if (!name) return;
    str_addf(s, "    /* %s", before);
    label_text(s, name);
    str_add(s, g->turn ? ", ... */" : " */");
}

void label_variable(Gen *g, StrBuf *s, uint32_t variable)
{
    if (!g->has_labels) return;
    str_add(s, "    /* ");
    label_text(s, g->ir->flat->vars.items[variable].name);
    str_add(s, " */");
}

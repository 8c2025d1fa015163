// src/island/spread.c: discontinuities travel as <iP, Md>.
//
// All of it happens at one instant. An island remembers, for each perturbation of the instant, which
// islands it has passed through as far as it has heard. It tells its readers again if and only if it hears
// of an island that is new to it: there are finitely many, so the instant ends.
#include "island/island.h"
#include <string.h>

Passing *spread_find(Component *c, double t, uint64_t perturbation, bool *is_new)
{
    const orr_island *type = c->type;
    if (c->t_passing != t) c->n_passing = 0;
    c->t_passing = t;
    *is_new = false;
    for (size_t i = 0; i < c->n_passing; i++)
        if (c->passing.items[i].perturbation == perturbation) return &c->passing.items[i];
    *is_new = true;
    if (c->n_passing == c->passing.n) {
        const Passing fresh = { .known = ARENA_ARRAY(&c->arena, uint64_t, type->n_words),
                                .is_told = ARENA_ARRAY(&c->arena, bool, type->options.n_inputs) };
        vec_push(&c->arena, &c->passing, fresh);
    }
    Passing *passing = &c->passing.items[c->n_passing++];
    passing->perturbation = perturbation;
    passing->spreads = false;
    memset(passing->known, 0, type->n_words * sizeof *passing->known);
    memset(passing->is_told, 0, type->options.n_inputs * sizeof *passing->is_told);
    passing->known[type->options.number / 64] |= 1ull << type->options.number % 64;
    return passing;
}

bool spread_learns(Component *c, Passing *passing, const uint64_t *passed)
{
    uint64_t news = 0;
    for (uint32_t i = 0; i < c->type->n_words; i++) {
        news |= passed[i] & ~passing->known[i];
        passing->known[i] |= passed[i];
    }
    return news != 0;
}

uint64_t spread_identify(Component *c, uint32_t component)
{
    return ((uint64_t)component + 1) << 32 | (++c->n_perturbations & UINT32_MAX);
}

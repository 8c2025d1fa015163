// src/units/form.c: products of powers of unknown units.
#include "units/gather.h"
#include <math.h>

Form form_var(Arena *arena, uint32_t var)
{
    FormTerm *term = ARENA_NEW(arena, FormTerm);
    *term = (FormTerm){ var, ratio_whole(1) };
    return (Form){ NULL, term, 1 };
}

Form form_unit(Arena *arena, const Unit *unit)
{
    Unit *copy = ARENA_NEW(arena, Unit);
    *copy = *unit;
    return (Form){ copy, NULL, 0 };
}

static const Unit *mul_units(Arena *arena, const Unit *a, const Unit *b, Ratio power)
{
    if (!b) return a;
    if (!a && power.p == 1 && power.q == 1) return b;
    const Unit one = unit_one(), raised = unit_pow(b, power);
    Unit *product = ARENA_NEW(arena, Unit);
    *product = unit_mul(a ? a : &one, &raised);
    return product;
}

Form form_mul(Arena *arena, Form a, Form b, Ratio power)
{
    Form c = { .unit = mul_units(arena, a.unit, b.unit, power) };
    if (b.n == 0) return c.terms = a.terms, c.n = a.n, c;
    FormTerm *terms = ARENA_ARRAY(arena, FormTerm, a.n + b.n);
    uint32_t i = 0, k = 0;
    while (i < a.n || k < b.n) {
        FormTerm term;
        if (k == b.n || (i < a.n && a.terms[i].var < b.terms[k].var)) term = a.terms[i++];
        else {
            term = (FormTerm){ b.terms[k].var, ratio_mul(b.terms[k].power, power) };
            if (i < a.n && a.terms[i].var == term.var)
                term.power = ratio_add(a.terms[i++].power, term.power);
            k++;
        }
        if (!ratio_is_zero(term.power)) terms[c.n++] = term;
    }
    c.terms = terms;
    return c;
}

bool form_same(Form a, Form b)
{
    if (a.n != b.n) return false;
    for (uint32_t i = 0; i < a.n; i++)
        if (a.terms[i].var != b.terms[i].var || a.terms[i].power.p != b.terms[i].power.p
            || a.terms[i].power.q != b.terms[i].power.q)
            return false;
    const Unit one = unit_one();
    return unit_equal(a.unit ? a.unit : &one, b.unit ? b.unit : &one);
}

Zero zero_add(Arena *arena, Zero a, Zero b, double factor)
{
    Zero c = { .constant = a.constant + factor * b.constant };
    if (b.n == 0) return c.terms = a.terms, c.n = a.n, c;
    ZeroTerm *terms = ARENA_ARRAY(arena, ZeroTerm, a.n + b.n);
    uint32_t i = 0, k = 0;
    while (i < a.n || k < b.n) {
        ZeroTerm term;
        if (k == b.n || (i < a.n && a.terms[i].var < b.terms[k].var)) term = a.terms[i++];
        else {
            term = (ZeroTerm){ b.terms[k].var, factor * b.terms[k].factor };
            if (i < a.n && a.terms[i].var == term.var) term.factor += a.terms[i++].factor;
            k++;
        }
        if (fabs(term.factor) > 1e-9) terms[c.n++] = term;
    }
    c.terms = terms;
    return c;
}

// src/units/common.c: the units nearly every model uses, without a database.
#include "units/lookup.h"

static const struct Common {
    const char *name;
    bool        takes_prefixes;
    long double scale;
    long double offset;
    int8_t      powers[UNIT_SI];
} common[] = {
#define U(name, prefixes, scale, offset, ...) { name, prefixes, scale, offset, { __VA_ARGS__ } },
#include "units/common.def"
#undef U
};
enum { N_COMMON = sizeof common / sizeof *common };

static const struct Prefix {
    const char *name;
    long double scale;
} prefixes[] = {
    { "k", 1e3L },  { "m", 1e-3L },  { "M", 1e6L },   { "u", 1e-6L }, { "µ", 1e-6L }, { "μ", 1e-6L },
    { "c", 1e-2L }, { "h", 1e2L },   { "d", 1e-1L },  { "G", 1e9L },  { "n", 1e-9L }, { "T", 1e12L },
    { "p", 1e-12L }, { "f", 1e-15L }, { "a", 1e-18L }, { "P", 1e15L }, { "E", 1e18L }, { "da", 1e1L },
};
enum { N_PREFIXES = sizeof prefixes / sizeof *prefixes };

static const struct Common *find(Text name)
{
    for (size_t i = 0; i < N_COMMON; i++)
        if (text_is(name, common[i].name)) return &common[i];
    return NULL;
}

static Unit make(const struct Common *c, long double prefix)
{
    Unit unit = unit_one();
    unit.scale = c->scale * prefix;
    unit.offset = c->offset;
    for (int i = 0; i < UNIT_SI; i++) unit.powers[i].p = c->powers[i];
    return unit;
}

bool lookup_common(Text name, Unit *unit)
{
    // a name of its own wins: min is a minute, not a milli-inch
    const struct Common *whole = find(name);
    if (whole) return *unit = make(whole, 1), true;
    for (size_t i = 0; i < N_PREFIXES; i++) {
        if (!text_starts(name, prefixes[i].name)) continue;
        const struct Common *rest = find(text_part(name, strlen(prefixes[i].name), name.n));
        if (rest && rest->takes_prefixes) return *unit = make(rest, prefixes[i].scale), true;
    }
    return false;
}

const char *lookup_common_at(size_t i, bool *takes_prefixes)
{
    if (i >= N_COMMON) return NULL;
    *takes_prefixes = common[i].takes_prefixes;
    return common[i].name;
}

const char *lookup_prefix_at(size_t i, long double *scale)
{
    if (i >= N_PREFIXES) return NULL;
    *scale = prefixes[i].scale;
    return prefixes[i].name;
}

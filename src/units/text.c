// src/units/text.c: a unit as people would write it.
//
// Of several ways to say the same the one with the fewest factors is taken: a text of the user's own, then a
// named unit of the SI with a prefix, then a product of the names the user's files contain (km, h, euro) and
// of base units, with at most one named unit (N/m, W/(m^2*K)). If no names give the scale, it is written as a
// number.
#include "base/number.h"
#include "units/lookup.h"
#include "units/system.h"
#include <math.h>
#include <stdlib.h>

// Named units that replace a product with mass in it.
static const char *const named[] = { "N", "Pa", "J", "W", "V", "Ohm", "C", "F", "S", "Wb", "T", "H" };
static const char *const named_prefixes[] = { "", "k", "M", "G", "m", "u", "n" };

enum { FACTORS_MAX = UNIT_DIMS + 1, CHOICES_MAX = 4, TRIALS_MAX = 256 };

typedef struct Factor {
    const char *name;
    Ratio       power;
} Factor;

typedef struct Product {
    Factor factors[FACTORS_MAX];
    int    n;
    double cost;    // sum of the powers, and a little for each factor
} Product;

static void add_factor(Product *product, const char *name, Ratio power)
{
    product->factors[product->n++] = (Factor){ name, power };
    product->cost += fabs((double)power.p / power.q) + (power.q > 1 ? 1 : 0) + 0.1;
}

// ---- Products of base units

static bool has_one_dimension(const Unit *unit, int dimension)
{
    for (int i = 0; i < UNIT_DIMS; i++)
        if (i == dimension ? unit->powers[i].p != 1 || unit->powers[i].q != 1 : unit->powers[i].p != 0)
            return false;
    return unit->offset == 0;
}

// Names for a dimension: those of the user's files, then that of the SI.
static int names_for(const UnitSystem *system, int dimension, const char **names, long double *scales)
{
    int n = 0;
    for (size_t i = 0; i < system->atoms.n && n < CHOICES_MAX - 1; i++) {
        if (!has_one_dimension(&system->atom_units.items[i], dimension)) continue;
        names[n] = system->atoms.items[i];
        scales[n++] = system->atom_units.items[i].scale;
    }
    names[n] = system->dim_names[dimension];
    scales[n] = 1;
    return n + 1;
}

static bool scale_is(long double a, long double b) { return fabsl(a / b - 1) <= 1e-10L; }

// Factors whose product is `unit`, added to what `product` has; false if no names give its scale.
static bool add_base_factors(const UnitSystem *system, const Unit *unit, Product *product)
{
    // mass comes first by habit: kg*m/s^2
    static const int order[UNIT_SI] = { 1, 0, 2, 3, 4, 5, 6 };
    int dims[UNIT_DIMS], n_dims = 0, n_names[UNIT_DIMS], trials = 1;
    const char *names[UNIT_DIMS][CHOICES_MAX];
    long double scales[UNIT_DIMS][CHOICES_MAX];
    for (int i = 0; i < system->n_dims; i++) {
        const int dimension = i < UNIT_SI ? order[i] : i;
        if (unit->powers[dimension].p == 0) continue;
        n_names[n_dims] = names_for(system, dimension, names[n_dims], scales[n_dims]);
        if (trials < TRIALS_MAX) trials *= n_names[n_dims];
        dims[n_dims++] = dimension;
    }
    for (int trial = 0; trial < trials && trial < TRIALS_MAX; trial++) {
        long double scale = 1;
        int choice[UNIT_DIMS], rest = trial;
        for (int i = 0; i < n_dims; i++) {
            choice[i] = rest % n_names[i];
            rest /= n_names[i];
            const Ratio power = unit->powers[dims[i]];
            if (scales[i][choice[i]] != 1)
                scale *= powl(scales[i][choice[i]], (long double)power.p / power.q);
        }
        if (!scale_is(scale, unit->scale)) continue;
        for (int i = 0; i < n_dims; i++) add_factor(product, names[i][choice[i]], unit->powers[dims[i]]);
        return true;
    }
    return false;
}

// ---- Named units

// `unit` divided by a named one, as a product without mass; false if that is not shorter than `best`.
static bool improve_by_name(const UnitSystem *system, const Unit *unit, const char *name, int power,
                            Product *best)
{
    enum { MASS = 1 };
    Unit factor;
    lookup_common(text_from(name), &factor);
    const Unit divided_by = unit_pow(&factor, ratio_whole(-power)), rest = unit_mul(unit, &divided_by);
    if (rest.powers[MASS].p != 0) return false;
    Product product = { .n = 0 };
    add_factor(&product, name, ratio_whole(power));
    if (!add_base_factors(system, &rest, &product) || product.cost >= best->cost) return false;
    *best = product;
    return true;
}

static void improve_by_names(const UnitSystem *system, const Unit *unit, Product *best)
{
    enum { MASS = 1 };
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        const bool has_mass = strcmp(named[i], "C") != 0;
        if (has_mass && unit->powers[MASS].p == 0) continue;
        for (int power = 1; power >= -1; power -= 2) {
            if (!has_mass && power < 0) continue;
            for (size_t k = 0; k < sizeof named_prefixes / sizeof *named_prefixes; k++) {
                const char *name = arena_printf(system->arena, "%s%s", named_prefixes[k], named[i]);
                if (improve_by_name(system, unit, name, power, best)) break;
            }
        }
    }
}

// ---- Writing

static void add_power(StrBuf *s, const Factor *f, bool inverse)
{
    const int p = inverse ? -f->power.p : f->power.p;
    str_add(s, f->name);
    if (f->power.q > 1) str_addf(s, "^(%d/%d)", p, f->power.q);
    else if (p != 1) str_addf(s, "^%d", p);
}

static void add_product(StrBuf *s, const Product *product)
{
    int above = 0, below = 0;
    for (int i = 0; i < product->n; i++) {
        if (product->factors[i].power.p < 0) below++;
        else {
            if (above++) str_add(s, "*");
            add_power(s, &product->factors[i], false);
        }
    }
    if (above == 0) str_add(s, "1");
    if (below == 0) return;
    str_add(s, below > 1 ? "/(" : "/");
    for (int i = 0, n = 0; i < product->n; i++) {
        if (product->factors[i].power.p >= 0) continue;
        if (n++) str_add(s, "*");
        add_power(s, &product->factors[i], true);
    }
    if (below > 1) str_add(s, ")");
}

// ---- Texts that are known

// Equal for units that unit_same calls equal, unless their scales fall on two sides of a rounding: then a
// text is made that need not have been.
static uint64_t hash_unit(const Unit *unit)
{
    const float scale = (float)unit->scale, offset = (float)unit->offset;
    return hash_join(hash_bytes(unit->powers, sizeof unit->powers),
                     hash_join(hash_bytes(&scale, sizeof scale), hash_bytes(&offset, sizeof offset)));
}

// Does a text say more than its unit does, that it is an angle or a frequency?
static bool says_more(const char *text)
{
    static const char *const more[] = { "rad", "sr", "turn", "rpm", "deg", "°", "Hz", "Bq" };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (strstr(text, more[i])) return true;
    return false;
}

void unit_text_remember(UnitSystem *system, const Unit *unit, const char *text)
{
    if (text_map_put(&system->known, text_from(text), (uint32_t)system->units.n))
        vec_push(system->arena, &system->units, *unit);
    if (unit->offset == 0 && says_more(text)) return;
    if (map_put(&system->text_of, hash_unit(unit), (uint32_t)system->texts.n))
        vec_push(system->arena, &system->texts, text);
}

const char *unit_text(UnitSystem *system, const Unit *unit)
{
    if (!unit_is_known(unit)) return "?";
    if (unit_is_pure(unit)) return "1";
    const uint32_t *known = map_find(&system->text_of, hash_unit(unit));
    if (known) return system->texts.items[*known];
    const Unit one = unit_one();
    StrBuf s = { .arena = system->arena };
    Product best = { .cost = 1000 };
    Product plain = { .n = 0 };
    if (unit_same_dimension(unit, &one)) {
        if (scale_is(unit->scale, 0.01L)) return "%";
    } else {
        if (add_base_factors(system, unit, &plain)) best = plain;
        improve_by_names(system, unit, &best);
    }
    if (best.n == 0) {
        char number[NUMBER_MAX];
        str_add(&s, number_text((double)unit->scale, number));
        Unit base = *unit;
        base.scale = 1;
        if (!unit_same_dimension(unit, &one)) {
            add_base_factors(system, &base, &best);
            str_add(&s, best.n && best.factors[0].power.p > 0 ? " " : "*");
        }
    }
    if (best.n) add_product(&s, &best);
    const char *text = str_finish(&s);
    unit_text_remember(system, unit, text);
    return text;
}

// src/units/system.c: reading the text of a unit.
#include "units/system.h"
#include "base/number.h"
#include "units/lookup.h"
#include <math.h>

enum { USER_UNREAD, USER_BUSY, USER_READ, USER_BAD };
enum { DEPTH_MAX = 50 };    // parentheses in a unit

void unit_system_open(UnitSystem *system, const Ast *ast, Arena *arena, orr_diag *diag)
{
    *system = (UnitSystem){ .arena = arena, .ast = ast, .diag = diag, .n_dims = UNIT_SI };
    memcpy(system->dim_names, unit_si_names, sizeof unit_si_names);
    text_map_init(&system->user, arena);
    text_map_init(&system->known, arena);
    map_init(&system->text_of, arena);
    const size_t n = ast ? ast->units.n : 0;
    system->user_units = ARENA_ARRAY(arena, Unit, n + 1);
    system->user_state = ARENA_ARRAY(arena, uint8_t, n + 1);
    for (size_t i = 0; i < n; i++)
        text_map_put(&system->user, text_from(ast->units.items[i].name), (uint32_t)i);
}

void unit_system_close(UnitSystem *system) { lookup_close(system); }

// ---- Names

// A unit of the user: a new dimension, or a multiple of another unit.
static bool read_user_unit(UnitSystem *system, uint32_t number, Unit *unit)
{
    const AstUnit *given = &system->ast->units.items[number];
    uint8_t *state = &system->user_state[number];
    if (*state == USER_BUSY) {
        diag_report(system->diag, DIAG_UNIT_CYCLE, given->place, given->name);
        diag_hint(system->diag, "define it by other units, or write 'unit %s' alone for a unit of a new kind",
                  given->name);
        return false;
    }
    if (*state == USER_UNREAD) {
        *state = USER_BUSY;
        Unit *made = &system->user_units[number];
        bool ok = true;
        if (given->unit) {
            ok = unit_read(system, given->unit, given->unit_place, made);
            made->scale *= given->value;
            made->offset = 0;
        } else if (system->n_dims == UNIT_DIMS) {
            diag_report(system->diag, DIAG_UNIT_LIMIT, given->place, UNIT_DIMS - UNIT_SI);
            ok = false;
        } else {
            system->dim_names[system->n_dims] = given->name;
            *made = unit_base(system->n_dims++);
        }
        *state = ok ? USER_READ : USER_BAD;
    }
    *unit = system->user_units[number];
    return *state == USER_READ;
}

static void remember_atom(UnitSystem *system, Text name, const Unit *unit)
{
    for (size_t i = 0; i < system->atoms.n; i++)
        if (text_is(name, system->atoms.items[i])) return;
    vec_push(system->arena, &system->atoms, text_copy(system->arena, name));
    vec_push(system->arena, &system->atom_units, *unit);
}

// What someone may have meant: a unit of his own, a common one, or one with a prefix.
static const char *closest_name(UnitSystem *system, const char *name)
{
    VEC(const char *) names = { 0 };
    const size_t n_user = system->ast ? system->ast->units.n : 0;
    for (size_t i = 0; i < n_user; i++) vec_push(system->arena, &names, system->ast->units.items[i].name);
    // some of those that the database knows
    static const char *const long_names[] = {
        "meter",   "metre",   "kilometer", "centimeter", "millimeter", "gram",       "kilogram", "second",
        "seconds", "minute",  "minutes",   "hours",      "weeks",      "month",      "years",    "ampere",
        "kelvin",  "mole",    "candela",   "newton",     "pascal",     "joule",      "watt",     "kilowatt",
        "volt",    "coulomb", "farad",     "henry",      "siemens",    "tesla",      "weber",    "hertz",
        "radian",  "degree",  "degrees",   "percent",    "celsius",    "fahrenheit", "liter",    "litre",
        "hectare", "tonne",   "inch",      "foot",       "feet",       "yard",       "pound",    "gallon",
        "psi",     "cal",     "kcal",      "becquerel",  "lumen",      "lux",
    };
    for (size_t i = 0; i < sizeof long_names / sizeof *long_names; i++)
        vec_push(system->arena, &names, long_names[i]);
    bool takes_prefixes;
    const char *common, *prefix;
    for (size_t i = 0; (common = lookup_common_at(i, &takes_prefixes)); i++) {
        vec_push(system->arena, &names, common);
        long double scale;
        for (size_t k = 0; takes_prefixes && (prefix = lookup_prefix_at(k, &scale)); k++)
            vec_push(system->arena, &names, arena_printf(system->arena, "%s%s", prefix, common));
    }
    return text_closest(name, names.items, names.n);
}

static void report_unknown(UnitSystem *system, const char *name, Place place, LookupResult result)
{
    diag_report(system->diag, DIAG_UNIT_UNKNOWN, place, name);
    const char *closest = closest_name(system, name);
    if (result == LOOKUP_NOT_LINEAR)
        diag_hint(system->diag, "logarithmic units and dates are not supported: use a plain quantity");
    else if (closest) diag_suggest(system->diag, name, closest);
    else if (system->has_no_database)
        diag_hint(system->diag, "the database of UDUNITS-2 was not found, so only common units are known");
    else
        diag_hint(system->diag, "define it above the models: unit %s = 2 [m], or unit %s for a new kind",
                  name, name);
}

// ---- The grammar

typedef struct Reader {
    UnitSystem *system;
    const char *whole;        // for messages
    Text        text;
    size_t      at;
    Place       place;
    int         depth;
} Reader;

static bool fail(Reader *r, const char *why)
{
    diag_report(r->system->diag, DIAG_UNIT_TEXT, r->place, r->whole, why);
    diag_hint(r->system->diag, "write units as in [m/s^2], [kg*m^2/s] or [1/h]");
    return false;
}

static char here(const Reader *r) { return r->at < r->text.n ? r->text.p[r->at] : '\0'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool accept(Reader *r, const char *sign)
{
    if (!text_starts(text_part(r->text, r->at, r->text.n), sign)) return false;
    r->at += strlen(sign);
    return true;
}

static void skip_blanks(Reader *r)
{
    while (here(r) == ' ' || here(r) == '\t') r->at++;
}

static bool read_whole(Reader *r, int32_t *value)
{
    if (!is_digit(here(r))) return fail(r, "a power is a whole number or a fraction in parentheses");
    int64_t number = 0;
    for (; is_digit(here(r)); r->at++)
        if (number < 10000) number = number * 10 + (here(r) - '0');
    if (number > 9999) return fail(r, "the power is too large");
    *value = (int32_t)number;
    return true;
}

static const char *const superscripts[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };

static bool read_superscript(Reader *r, Ratio *power)
{
    const bool is_negative = accept(r, "⁻");
    int32_t value = 0;
    size_t n = 0;
    for (int digit = 0; digit < 10 && n < 4;) {
        if (accept(r, superscripts[digit])) {
            value = value * 10 + digit;
            n++;
            digit = 0;
        } else digit++;
    }
    if (n == 0) return is_negative ? fail(r, "a power is missing") : true;
    *power = ratio_whole(is_negative ? -value : value);
    return true;
}

// The power behind a factor; 1 if there is none.
static bool read_power(Reader *r, bool after_name, Ratio *power)
{
    *power = ratio_whole(1);
    const bool has_sign = accept(r, "^") || accept(r, "**");
    const bool is_digits = is_digit(here(r)) || ((here(r) == '-' || here(r) == '+') && r->at + 1 < r->text.n
                                                 && is_digit(r->text.p[r->at + 1]));
    if (!has_sign && !(after_name && is_digits)) return read_superscript(r, power);
    const bool in_brackets = has_sign && accept(r, "(");
    const bool is_negative = accept(r, "-");
    if (!is_negative) accept(r, "+");
    int32_t p, q = 1;
    if (!read_whole(r, &p)) return false;
    if (here(r) == '.' && r->at + 1 < r->text.n && is_digit(r->text.p[r->at + 1]))
        return fail(r, "a power is a whole number or a fraction such as ^(5/2)");
    if (in_brackets && accept(r, "/") && !read_whole(r, &q)) return false;
    if (in_brackets && !accept(r, ")")) return fail(r, "')' is missing");
    if (q == 0) return fail(r, "the power is no number");
    *power = ratio_make(is_negative ? -p : p, q);
    return true;
}

// How far a name reaches: letters, digits and all that is not a sign. Digits at the end are a power.
static size_t name_end(const Reader *r)
{
    size_t at = r->at;
    while (at < r->text.n && !strchr(" \t*/.^()+-", r->text.p[at])) {
        const Text rest = text_part(r->text, at, r->text.n);
        bool is_sign = text_starts(rest, "·") || text_starts(rest, "⋅") || text_starts(rest, "×")
                       || text_starts(rest, "⁻");
        for (int digit = 0; digit < 10; digit++) is_sign |= text_starts(rest, superscripts[digit]);
        if (is_sign) break;
        at++;
    }
    return at;
}

static LookupResult find_name(Reader *r, Text name, bool in_database, Unit *unit, bool *failed)
{
    UnitSystem *system = r->system;
    const uint32_t *user = text_map_find(&system->user, name);
    if (user) {
        *failed = !read_user_unit(system, *user, unit);
        return LOOKUP_FOUND;
    }
    if (lookup_common(name, unit)) return LOOKUP_FOUND;
    return in_database ? lookup_database(system, name, unit) : LOOKUP_UNKNOWN;
}

static bool read_name(Reader *r, Unit *unit)
{
    const size_t start = r->at, end = name_end(r);
    size_t digits = end;
    while (digits > start && is_digit(r->text.p[digits - 1])) digits--;
    if (digits == start) return fail(r, "a name of a unit is expected");
    bool failed = false;
    // a name that ends with digits, such as CO2, before a name with a power
    Text name = text_part(r->text, start, end);
    LookupResult result = digits < end ? find_name(r, name, false, unit, &failed) : LOOKUP_UNKNOWN;
    r->at = end;
    if (result != LOOKUP_FOUND) {
        name = text_part(r->text, start, digits);
        result = find_name(r, name, true, unit, &failed);
        r->at = digits;
    }
    if (failed) return false;
    if (result == LOOKUP_FOUND) {
        remember_atom(r->system, name, unit);
        return true;
    }
    report_unknown(r->system, text_copy(r->system->arena, name), r->place, result);
    return false;
}

static bool read_number(Reader *r, Unit *unit)
{
    size_t end = r->at;
    while (end < r->text.n && (is_digit(r->text.p[end]) || r->text.p[end] == '.')) end++;
    // an exponent needs digits: "2e" is twice something called e
    size_t exponent = end;
    if (exponent < r->text.n && (r->text.p[exponent] | 32) == 'e') {
        exponent++;
        if (exponent < r->text.n && (r->text.p[exponent] == '-' || r->text.p[exponent] == '+')) exponent++;
        if (exponent < r->text.n && is_digit(r->text.p[exponent])) {
            while (exponent < r->text.n && is_digit(r->text.p[exponent])) exponent++;
            end = exponent;
        }
    }
    double value;
    if (!number_parse(text_part(r->text, r->at, end), &value) || !(value > 0) || !isfinite(value))
        return fail(r, "a number in a unit is positive");
    r->at = end;
    *unit = unit_one();
    unit->scale = value;
    return true;
}

static bool read_product(Reader *r, Unit *unit);

static bool read_factor(Reader *r, Unit *unit)
{
    skip_blanks(r);
    const bool is_name = here(r) != '(' && !is_digit(here(r));
    if (accept(r, "(")) {
        if (++r->depth > DEPTH_MAX) return fail(r, "too many parentheses");
        if (!read_product(r, unit)) return false;
        r->depth--;
        if (!accept(r, ")")) return fail(r, "')' is missing");
    } else if (!(is_name ? read_name(r, unit) : read_number(r, unit))) return false;
    Ratio power;
    if (!read_power(r, is_name, &power)) return false;
    if (power.p != 1 || power.q != 1) *unit = unit_pow(unit, power);
    return true;
}

static bool accept_times(Reader *r)
{
    static const char *const signs[] = { "*", ".", "·", "⋅", "×" };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (accept(r, signs[i])) return true;
    return false;
}

static bool read_product(Reader *r, Unit *unit)
{
    if (!read_factor(r, unit)) return false;
    for (;;) {
        const size_t before = r->at;
        skip_blanks(r);
        if (r->at == r->text.n || here(r) == ')') return true;
        const bool divides = accept(r, "/");
        if (!divides && !accept_times(r) && r->at == before && here(r) != '(')
            return fail(r, "'*' or '/' is expected between units");
        Unit next;
        if (!read_factor(r, &next)) return false;
        if (divides) next = unit_pow(&next, ratio_whole(-1));
        *unit = unit_mul(unit, &next);
    }
}

bool unit_read(UnitSystem *system, const char *text, Place place, Unit *unit)
{
    const Text trimmed = text_trim(text_from(text));
    const uint32_t *known = text_map_find(&system->known, trimmed);
    if (known) return *unit = system->units.items[*known], true;
    // a text that was wrong is read again, so that each place gets its message
    Reader r = { .system = system, .whole = text, .text = trimmed, .place = place };
    bool ok = true;
    if (text_is(trimmed, "-")) *unit = unit_one();
    else ok = read_product(&r, unit) && (r.at == r.text.n || fail(&r, "')' has no '('"));
    if (ok && !unit_is_known(unit)) ok = fail(&r, "it is too large or too small");
    if (ok) unit_text_remember(system, unit, text_copy(system->arena, trimmed));
    return ok;
}

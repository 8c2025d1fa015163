// tests/unit/units/test_unit.c: promises of units: reading their texts, the common ones, writing them.
#include "check.h"
#include "units/lookup.h"
#include "units/system.h"

typedef struct Fixture {
    Arena      arena;
    Ast        ast;
    orr_diag  *diag;
    uint32_t   file;
    UnitSystem system;
} Fixture;

static int set_up(void **state)
{
    static Fixture f;
    f = (Fixture){ .diag = orr_diag_create() };
    f.ast.arena = &f.arena;
    f.file = diag_add_source(f.diag, "units.orr", NULL, 0);
    unit_system_open(&f.system, &f.ast, &f.arena, f.diag);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    unit_system_close(&f->system);
    orr_diag_destroy(f->diag);
    arena_free(&f->arena);
    return 0;
}

static void define(Fixture *f, const char *name, double value, const char *unit)
{
    const Place place = { f->file, (uint32_t)f->ast.units.n + 1, 1 };
    vec_push(&f->arena, &f->ast.units, (AstUnit){ .name = name, .value = value, .unit = unit, .place = place,
                                                  .unit_place = place });
    unit_system_open(&f->system, &f->ast, &f->arena, f->diag);
}

static Unit read_unit(Fixture *f, const char *text)
{
    Unit unit = unit_one();
    if (!unit_read(&f->system, text, (Place){ f->file, 1, 1 }, &unit)) {
        print_error("[%s]: %s\n", text, orr_diag_get(f->diag, orr_diag_count(f->diag) - 1).text);
        fail();
    }
    return unit;
}

// ---- Reading

// Each text against its scale and its powers of m kg s A K mol cd, from tables of the SI and of the units of
// the English-speaking countries.
static void test_unit_reads_texts(void **state)
{
    static const struct { const char *text; double scale; int powers[UNIT_SI]; } cases[] = {
        { "1", 1, { 0 } },
        { "-", 1, { 0 } },
        { "%", 0.01, { 0 } },
        { "m", 1, { 1 } },
        { "km", 1000, { 1 } },
        { " m / s ", 1, { 1, 0, -1 } },
        { "m/s^2", 1, { 1, 0, -2 } },
        { "m/s2", 1, { 1, 0, -2 } },
        { "m s-2", 1, { 1, 0, -2 } },
        { "m·s⁻²", 1, { 1, 0, -2 } },
        { "m.s**-2", 1, { 1, 0, -2 } },
        { "kg*m^2/(s^3*A)", 1, { 2, 1, -3, -1 } },
        { "W/m2/K", 1, { 0, 1, -3, 0, -1 } },
        { "W/(m^2 K)", 1, { 0, 1, -3, 0, -1 } },
        { "J/(kg*K)", 1, { 2, 0, -2, 0, -1 } },
        { "km/h", 1000.0 / 3600, { 1, 0, -1 } },
        { "1/d", 1.0 / 86400, { 0, 0, -1 } },
        { "1/(1/d)", 86400, { 0, 0, 1 } },
        { "1000 kg", 1000, { 0, 1 } },
        { "1e-3 m", 1e-3, { 1 } },
        { "10^3 m", 1000, { 1 } },
        { "m³", 1, { 3 } },
        { "L/min", 1e-3 / 60, { 3, 0, -1 } },
        { "mol/L", 1000, { -3, 0, 0, 0, 0, 1 } },
        { "kWh", 3.6e6, { 2, 1, -2 } },
        { "kW h", 3.6e6, { 2, 1, -2 } },
        { "bar", 1e5, { -1, 1, -2 } },
        { "degree", 3.14159265358979323846 / 180, { 0 } },
        { "deg", 3.14159265358979323846 / 180, { 0 } },
        { "rpm", 2 * 3.14159265358979323846 / 60, { 0, 0, -1 } },
        { "furlong", 201.16840233680, { 1 } },    // of UDUNITS-2: 660 US survey feet
        { "kilometer", 1000, { 1 } },
        { "pascals", 1, { -1, 1, -2 } },
        { "µm", 1e-6, { 1 } },
        { "Ω", 1, { 2, 1, -3, -2 } },
        { "rad/s", 1, { 0, 0, -1 } },
        { "sr", 1, { 0 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Unit unit = read_unit(*state, cases[i].text);
        assert_near_relative((double)unit.scale, cases[i].scale, 1e-12);
        for (int k = 0; k < UNIT_SI; k++) {
            if (unit.powers[k].p == cases[i].powers[k] && unit.powers[k].q == 1) continue;
            print_error("[%s]: power %d/%d of %s\n", cases[i].text, unit.powers[k].p, unit.powers[k].q,
                        unit_si_names[k]);
            fail();
        }
    }
}

static void test_unit_reads_rational_powers(void **state)
{
    const Unit noise = read_unit(*state, "nV/Hz^(1/2)");
    assert_int_equal(noise.powers[2].p, -5);    // s^-3 by the volt, s^(1/2) by the root
    assert_int_equal(noise.powers[2].q, 2);
    assert_near_relative((double)noise.scale, 1e-9, 1e-12);
    const Unit volt = read_unit(*state, "V"), root = read_unit(*state, "Hz^(1/2)");
    const Unit product = unit_mul(&noise, &root), nano = read_unit(*state, "nV");
    assert_true(unit_equal(&product, &nano));
    assert_false(unit_equal(&product, &volt));
}

static void test_unit_has_offsets(void **state)
{
    assert_near((double)read_unit(*state, "degC").offset, 273.15, 0);
    assert_near((double)read_unit(*state, "°C").offset, 273.15, 0);
    assert_near((double)read_unit(*state, "celsius").offset, 273.15, 1e-10);
    assert_near((double)read_unit(*state, "degF").offset, 459.67 * 5 / 9, 1e-10);
    assert_near((double)read_unit(*state, "fahrenheit").offset, 459.67 * 5 / 9, 1e-10);
    assert_near((double)read_unit(*state, "J/degC").offset, 0, 0);    // a difference
    assert_near((double)read_unit(*state, "K").offset, 0, 0);
}

static void test_unit_refuses_texts(void **state)
{
    static const struct { const char *text, *code, *part; } cases[] = {
        { "kmm", "E126", "did you mean 'km'" },
        { "metter", "E126", "" },
        { "bananas", "E126", "unit bananas" },
        { "m//s", "E160", "" },
        { "m/", "E160", "" },
        { "(m", "E160", "" },
        { "m)", "E160", "" },
        { "m^", "E160", "" },
        { "m^x", "E160", "" },
        { "m^2.5", "E160", "" },
        { "m^99999", "E160", "" },
        { "km^9999", "E160", "" },
        { "^2", "E160", "" },
        { "0 m", "E160", "" },
        { "s@2000", "E126", "" },
        { "hours since 2000-01-01", "E126", "" },
        { "((((((((((((((((((((((((((((((((((((((((((((((((((((((m", "E160", "" },
    };
    Fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Unit unit;
        orr_diag_clear(f->diag);
        if (unit_read(&f->system, cases[i].text, (Place){ 0 }, &unit)) {
            print_error("[%s] was read\n", cases[i].text);
            fail();
        }
        assert_true(orr_diag_count(f->diag) == 1);
        const orr_message m = orr_diag_get(f->diag, 0);
        if (strcmp(m.code, cases[i].code) != 0) print_error("[%s]: %s %s\n", cases[i].text, m.code, m.text);
        assert_string_equal(m.code, cases[i].code);
        if (cases[i].part[0]) assert_contains(m.hint, cases[i].part);
    }
}

static void test_unit_of_the_user(void **state)
{
    Fixture *f = *state;
    define(f, "euro", 0, NULL);
    define(f, "furlong", 201.168, "m");     // his own comes before that of the database
    define(f, "fortnight", 14, "d");
    define(f, "cent", 0.01, "euro");
    define(f, "CO2", 0, NULL);
    const Unit speed = read_unit(f, "furlong/fortnight");
    assert_near_relative((double)speed.scale, 201.168 / (14 * 86400), 1e-14);
    const Unit price = read_unit(f, "cent/kWh"), same = read_unit(f, "euro/MWh");
    assert_true(unit_same_dimension(&price, &same));
    assert_near_relative((double)(price.scale / same.scale), 10.0, 1e-14);
    const Unit gas = read_unit(f, "kg/CO2"), one = unit_one();
    assert_false(unit_same_dimension(&price, &gas));
    assert_false(unit_same_dimension(&gas, &one));
}

static void test_unit_of_the_user_may_not_need_itself(void **state)
{
    Fixture *f = *state;
    define(f, "a", 2, "b");
    define(f, "b", 3, "a");
    Unit unit;
    assert_false(unit_read(&f->system, "a/s", (Place){ 0 }, &unit));
    assert_string_equal(orr_diag_get(f->diag, 0).code, "E165");
}

static void test_unit_kinds_are_limited(void **state)
{
    Fixture *f = *state;
    for (int i = 0; i <= UNIT_DIMS - UNIT_SI; i++)
        define(f, arena_printf(&f->arena, "kind%c", 'A' + i), 0, NULL);
    for (int i = 0; i < UNIT_DIMS - UNIT_SI; i++) read_unit(f, f->ast.units.items[i].name);
    Unit unit;
    assert_false(unit_read(&f->system, f->ast.units.items[UNIT_DIMS - UNIT_SI].name, (Place){ 0 }, &unit));
    assert_string_equal(orr_diag_get(f->diag, 0).code, "E166");
}

// ---- The common ones

// Every common unit, with every prefix, is what the database says; save where we differ on purpose.
static void test_unit_common_agree_with_database(void **state)
{
    static const char *const ours[] = { "mph", "kph", "eV", "deg", "Wh" };
    Fixture *f = *state;
    size_t n = 0;
    bool takes_prefixes;
    for (size_t i = 0; lookup_common_at(i, &takes_prefixes); i++) {
        const char *name = lookup_common_at(i, &takes_prefixes);
        bool is_ours = false;
        for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) is_ours |= strcmp(name, ours[k]) == 0;
        if (is_ours) continue;
        const char *prefix = "";
        long double scale = 1;
        for (size_t k = 0; prefix; prefix = takes_prefixes ? lookup_prefix_at(k++, &scale) : NULL) {
            const char *whole = arena_printf(&f->arena, "%s%s", prefix, name);
            Unit common, database;
            assert_true(lookup_common(text_from(whole), &common));
            const LookupResult result = lookup_database(&f->system, text_from(whole), &database);
            if (result != LOOKUP_FOUND || !unit_same_dimension(&common, &database)
                || fabsl(common.scale / database.scale - 1) > 1e-12L
                || fabsl(common.offset - database.offset) > 1e-9L) {
                print_error("%s: ours %Lg, database %Lg (%d)\n", whole, common.scale, database.scale,
                            (int)result);
                fail();
            }
            n++;
        }
    }
    assert_true(n > 500);
}

// ---- Arithmetic

static void test_ratio_arithmetic(void **state)
{
    (void)state;
    const Ratio half = { 1, 2 }, third = { 1, 3 };
    const Ratio sum = ratio_add(half, third), product = ratio_mul(half, third),
                quotient = ratio_div(half, third);
    assert_true(sum.p == 5 && sum.q == 6);
    assert_true(product.p == 1 && product.q == 6);
    assert_true(quotient.p == 3 && quotient.q == 2);
    assert_int_equal(ratio_make(6, -4).p, -3);
    assert_int_equal(ratio_from(1.852).q, 250);
    assert_int_equal(ratio_from(1.0 / 3).q, 3);
    assert_int_equal(ratio_from(-0.5).p, -1);
    assert_int_equal(ratio_from(3.14159265358979).q, 0);    // no fraction
    const Ratio large = { INT32_MAX, 1 };
    assert_int_equal(ratio_add(large, large).q, 0);
    assert_int_equal(ratio_add(ratio_add(large, large), half).q, 0);
}

static void test_unit_too_large_is_not_accused(void **state)
{
    Unit x = read_unit(*state, "km");
    for (int i = 0; i < 40; i++) x = unit_pow(&x, ratio_whole(9));
    assert_false(unit_is_known(&x));
    const Unit second = read_unit(*state, "s");
    assert_true(unit_equal(&x, &second));
}

// ---- Writing

static void assert_text(Fixture *f, const char *unit, const char *text)
{
    const Unit u = read_unit(f, unit);
    // written without knowing what was read
    UnitSystem fresh;
    unit_system_open(&fresh, &f->ast, &f->arena, f->diag);
    const char *written = unit_text(&fresh, &u);
    if (strcmp(written, text) != 0) print_error("[%s] is written [%s], not [%s]\n", unit, written, text);
    assert_string_equal(written, text);
    const Unit again = read_unit(f, written);
    assert_true(unit_same(&u, &again));
    unit_system_close(&fresh);
}

static void test_unit_text_is_tidy(void **state)
{
    assert_text(*state, "m/m", "1");
    assert_text(*state, "rad", "1");
    assert_text(*state, "%", "%");
    assert_text(*state, "Hz", "1/s");
    assert_text(*state, "kg*m/s^2", "N");
    assert_text(*state, "m*kg*s^-2*m", "J");
    assert_text(*state, "kg/s^2", "N/m");
    assert_text(*state, "m/s^2", "m/s^2");
    assert_text(*state, "kg/s", "kg/s");
    assert_text(*state, "kg/m^3", "kg/m^3");
    assert_text(*state, "W/(m^2*K)", "W/(m^2*K)");
    assert_text(*state, "V/A", "Ohm");
    assert_text(*state, "1000*kg*m/s^2", "kN");
    assert_text(*state, "A*s", "C");
    assert_text(*state, "m^(1/2)", "m^(1/2)");
    assert_text(*state, "1/m^(1/2)", "1/m^(1/2)");
    assert_text(*state, "km/h", "0.2777777777777778 m/s");
    assert_text(*state, "mol/m^3/s", "mol/(m^3*s)");
    assert_text(*state, "J/(kg*K)", "m^2/(s^2*K)");
}

static void test_unit_text_uses_the_words_of_the_user(void **state)
{
    Fixture *f = *state;
    define(f, "euro", 0, NULL);
    const Unit km = read_unit(f, "km"), h = read_unit(f, "h"), kwh = read_unit(f, "kWh"),
               euro = read_unit(f, "euro");
    const Unit per_h = unit_pow(&h, ratio_whole(-1)), speed = unit_mul(&km, &per_h);
    assert_string_equal(unit_text(&f->system, &speed), "km/h");
    const Unit per_kwh = unit_pow(&kwh, ratio_whole(-1)), price = unit_mul(&euro, &per_kwh);
    assert_string_equal(unit_text(&f->system, &kwh), "kWh");
    const Unit again = read_unit(f, unit_text(&f->system, &price));
    assert_true(unit_same(&price, &again));
    read_unit(f, "N*m");
    const Unit joule = read_unit(f, "J");
    assert_string_equal(unit_text(&f->system, &joule), "N*m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_unit_reads_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unit_reads_rational_powers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unit_has_offsets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unit_refuses_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unit_of_the_user, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unit_of_the_user_may_not_need_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unit_kinds_are_limited, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unit_common_agree_with_database, set_up, tear_down),
        cmocka_unit_test(test_ratio_arithmetic),
        cmocka_unit_test_setup_teardown(test_unit_too_large_is_not_accused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unit_text_is_tidy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unit_text_uses_the_words_of_the_user, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

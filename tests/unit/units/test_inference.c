// tests/unit/units/test_inference.c: random models: what is right stays right, what is found is true, what is
// wrong is found; and the cost grows with the text only.
//
// Each equation of a random model is a sum of products of variables. Its first product sets the unit of the
// result; the others get a number whose unit, written out as a quotient of texts, makes up the difference. So
// the true unit of everything is known as a text, without the arithmetic that is tested.
#include "base/os.h"
#include "check.h"
#include "lang/parse.h"
#include "units/system.h"
#include "units/units.h"
#include <stdlib.h>
#include <time.h>

static uint64_t seed;

static uint32_t dice(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed % n);
}

// ---- Random models

enum { N_BASE = 6, N_EQUATIONS = 12, N_ALL = N_BASE + N_EQUATIONS };

typedef struct Random {
    char        units[N_ALL][4000];     // the true unit of each variable, as text
    bool        is_declared[N_ALL];
    bool        is_used[N_ALL];
    int         renamed;                // declared in another unit and converted where it is used; -1: none
    int         corrupted;              // declared in a wrong unit; -1: none
    StrBuf      text;
} Random;

static const char *const base_units[] = { "m",   "km",  "s",     "h",       "kg",  "g",    "N",
                                          "kPa", "L",   "mol/L", "1",       "K",   "kW h", "V",
                                          "mA",  "m^2", "1/min", "m^(1/2)", "euro" };
enum { N_UNITS = sizeof base_units / sizeof *base_units };

static void add_variable(Random *r, StrBuf *s, int v)
{
    if (v == r->renamed) str_addf(s, "(v%d in [%s])", v, r->units[v]);
    else str_addf(s, "v%d", v);
    r->is_used[v] = true;
}

// One to three different variables below `n`, multiplied or divided; *unit becomes the unit of that.
static void add_product(Random *r, StrBuf *s, int n, StrBuf *unit)
{
    const int n_factors = 1 + (int)dice(3);
    int used[3];
    for (int i = 0; i < n_factors; i++) {
        int v;
        bool again;
        do {
            v = (int)dice((uint32_t)n);
            again = false;
            for (int k = 0; k < i; k++) again |= used[k] == v;
        } while (again);
        used[i] = v;
        const bool divides = i > 0 && dice(2);
        const uint32_t power = 1 + dice(2);
        if (i > 0) str_add(s, divides ? "/" : "*"), str_add(unit, divides ? "/" : "*");
        add_variable(r, s, v);
        str_addf(unit, "(%s)", r->units[v]);
        if (power > 1) str_addf(s, "^%u", power), str_addf(unit, "^%u", power);
    }
}

static void add_equation(Random *r, int v)
{
    StrBuf *s = &r->text;
    StrBuf first = { 0 };
    str_addf(s, "  v%d = ", v);
    add_product(r, s, v, &first);
    const uint32_t n_terms = dice(3);
    for (uint32_t i = 0; i < n_terms; i++) {
        StrBuf sum = { 0 }, unit = { 0 };
        const uint32_t kind = dice(4);
        if (kind == 0) {
            str_addf(s, " + %u", dice(9));    // a bare number
            continue;
        }
        add_product(r, &sum, v, &unit);
        switch (kind) {
        case 1: str_addf(s, " - 2*%s*3 [(%s)/(%s)]", sum.p, first.p, unit.p); break;
        case 2: str_addf(s, " + max(%s*3 [(%s)/(%s)], 0)", sum.p, first.p, unit.p); break;
        default:
            str_addf(s, " + sqrt((%s)^2)*exp(-v%d/v%d)*1 [(%s)/(%s)]", sum.p, v - 1, v - 1, first.p, unit.p);
        }
        str_free(&sum);
        str_free(&unit);
    }
    str_add_char(s, '\n');
    assert_true(first.n < sizeof r->units[0] - 60);
    strcpy(r->units[v], first.p);
    str_free(&first);
}

static void make_model(Random *r, uint64_t from, bool declare_all)
{
    seed = from * 2654435761u + 88172645463325252u;
    for (int i = 0; i < 10; i++) dice(2);
    r->text = (StrBuf){ 0 };
    str_add(&r->text, "unit euro\nmodel M\n");
    for (int v = 0; v < N_BASE; v++) {
        strcpy(r->units[v], base_units[dice(N_UNITS)]);
        r->is_declared[v] = true;
        if (v == r->renamed) str_addf(&r->text, "  param v%d = 2 [1000*(%s)]\n", v, r->units[v]);
        else if (v == r->corrupted) str_addf(&r->text, "  param v%d = 2 [(%s)*A^3]\n", v, r->units[v]);
        else str_addf(&r->text, "  param v%d = 2 [%s]\n", v, r->units[v]);
    }
    for (int v = N_BASE; v < N_ALL; v++) {
        add_equation(r, v);
        r->is_declared[v] = declare_all;
        if (declare_all) str_addf(&r->text, "  var v%d [%s]\n", v, r->units[v]);
    }
    str_add(&r->text, "end\n");
}

// ---- Checking one

typedef struct Checked {
    Arena     arena;
    Ast       ast;
    orr_diag *diag;
    Units    *units;
    bool      ok;
} Checked;

static Checked *check_text(const char *text)
{
    Checked *c = calloc(1, sizeof *c);
    c->ast.arena = &c->arena;
    c->diag = orr_diag_create();
    const uint32_t file = diag_add_source(c->diag, "random.orr", text, strlen(text));
    if (!parse_text(&c->ast, file, text_from(text), c->diag, NULL)) {
        orr_diag_print(c->diag, stderr, 0);
        fail_msg("%s", text);
    }
    c->ok = units_check(&c->units, &c->ast, &vec_last(&c->ast.models), &c->arena, c->diag);
    return c;
}

static void free_checked(Checked *c)
{
    orr_diag_destroy(c->diag);
    arena_free(&c->arena);
    free(c);
}

static void assert_ok(const Checked *c, const char *text)
{
    if (c->ok) return;
    orr_diag_print(c->diag, stderr, 0);
    fail_msg("%s", text);
}

// Every unit that was found is the true one.
static void assert_found(Checked *c, const Random *r)
{
    UnitSystem system;
    unit_system_open(&system, &c->ast, &c->arena, c->diag);
    const char *name, *unit;
    size_t n = 0;
    for (; units_inferred(c->units, n, &name, &unit); n++) {
        const int v = atoi(name + 1);
        Unit found, truth;
        assert_true(unit_read(&system, unit, (Place){ 0 }, &found));
        assert_true(unit_read(&system, r->units[v], (Place){ 0 }, &truth));
        if (!unit_same(&found, &truth))
            fail_msg("%s is in [%s], not [%s]\n%s", name, r->units[v], unit, r->text.p);
    }
    assert_int_equal(n, N_EQUATIONS);
    unit_system_close(&system);
}

enum { N_MODELS = 300 };

static void test_random_models_are_right_and_units_are_found(void **state)
{
    (void)state;
    static Random r;
    for (uint64_t i = 0; i < N_MODELS; i++) {
        r = (Random){ .renamed = -1, .corrupted = -1 };
        make_model(&r, i, i % 2);
        Checked *c = check_text(r.text.p);
        assert_ok(c, r.text.p);
        if (i % 2 == 0) assert_found(c, &r);
        free_checked(c);
        str_free(&r.text);
    }
}

static void test_random_models_stay_right_with_another_unit_and_conversions(void **state)
{
    (void)state;
    static Random r;
    for (uint64_t i = 0; i < N_MODELS; i++) {
        r = (Random){ .renamed = (int)(i % N_BASE), .corrupted = -1 };
        make_model(&r, i, i % 2);
        Checked *c = check_text(r.text.p);
        assert_ok(c, r.text.p);
        if (i % 2 == 0) assert_found(c, &r);
        free_checked(c);
        str_free(&r.text);
    }
}

static void test_random_corruptions_are_found(void **state)
{
    (void)state;
    static Random r;
    size_t n = 0;
    for (uint64_t i = 0; i < N_MODELS; i++) {
        r = (Random){ .renamed = -1, .corrupted = (int)(i % N_BASE) };
        make_model(&r, i, true);
        Checked *c = check_text(r.text.p);
        if (c->ok == r.is_used[r.corrupted]) fail_msg("v%d is wrong here:\n%s", r.corrupted, r.text.p);
        n += !c->ok;
        // one mistake is not told fifty times
        assert_true(orr_diag_errors(c->diag) <= 12);
        free_checked(c);
        str_free(&r.text);
    }
    assert_true(n > N_MODELS / 2);
}

// ---- Size

// x1 = x2, x2 = x3 … in a random order; the last one is declared, or none.
static char *chain_text(uint32_t n, bool is_told)
{
    uint32_t *order = calloc(n, sizeof *order);
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t k = dice(i), swap = order[k];
        order[k] = order[i - 1];
        order[i - 1] = swap;
    }
    StrBuf s = { 0 };
    str_add(&s, "model M\n  param a = 1 [s]\n");
    for (uint32_t i = 0; i < n; i++) str_addf(&s, "  x%u = x%u*a/2 + 1\n", order[i], order[i] + 1);
    str_addf(&s, "  x%u = %s\n  y = x0 in s\nend\n", n, is_told ? "3 [m]" : "a + 1");
    free(order);
    return str_finish(&s);
}

static double seconds(const char *text, Checked **result)
{
    const clock_t start = clock();    // of this process: machines may be busy
    *result = check_text(text);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

// Relations that propagation cannot settle: chains of unknown units, joined at the end.
static void test_long_chains_of_unknown_units_cost_little(void **state)
{
    (void)state;
    seed = 12345;
    enum { N = 20000 };
    StrBuf s = { 0 };
    str_add(&s, "model M\n  param a = 1 [s]\n");
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t k = dice(i + 1);
        str_addf(&s, "  x%u = 2*x%u + y%u\n  y%u*z = x%u*z\n", i + 1, i, k, i, k);
    }
    str_add(&s, "end\n");
    Checked *c;
    const double time = seconds(s.p, &c);
    assert_ok(c, "");
    if (time > 20) fail_msg("%.1f s", time);
    free_checked(c);
    str_free(&s);
}

static void test_cost_grows_with_the_text_only(void **state)
{
    (void)state;
    seed = 4711;
    enum { N = 20000 };
    char *small = chain_text(N, true), *large = chain_text(5 * N, true);
    Checked *a, *b;
    const double time_small = seconds(small, &a), time_large = seconds(large, &b);
    // the result is in m s^20000, which is no time
    assert_false(a->ok);
    assert_string_equal(orr_diag_get(a->diag, 0).code, "E162");
    if (time_large > 15 * time_small + 0.5) fail_msg("%.3f s and %.3f s", time_small, time_large);
    free_checked(a);
    free_checked(b);
    free(small);
    free(large);
}

// An array of a million elements is one thing.
static void test_sizes_cost_nothing(void **state)
{
    (void)state;
    const char *text = "model Cell\n  param c = 1 [J/K], n = 10000\n  input q = 0 [W]\n  var T[n] = 300 [K]\n"
                       "  for i in 1..n\n    T[i]' = q/c\n  end\nend\n"
                       "model M\n  cell[100000] : Cell\n  for i in 1..99999\n"
                       "    cell[i+1].T[1]*1 [W/K] = cell[i].q\n  end\nend\n";
    Checked *c;
    const double time = seconds(text, &c);
    assert_ok(c, text);
    assert_true(time < 0.1);
    free_checked(c);
}

// Functions that call another twice and are called twice.
static void test_calls_do_not_double(void **state)
{
    (void)state;
    StrBuf s = { 0 };
    str_add(&s, "function f0(x) = x in m\n");
    for (int i = 1; i < 60; i++) str_addf(&s, "function f%d(x) = f%d(x) + f%d(2*x)\n", i, i - 1, i - 1);
    str_add(&s, "model M\n  param a = 1 [km]\n  y = f59(a)\nend\n");
    Checked *c;
    const double time = seconds(s.p, &c);
    assert_ok(c, s.p);
    assert_true(time < 2);
    free_checked(c);
    str_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_models_are_right_and_units_are_found),
        cmocka_unit_test(test_random_models_stay_right_with_another_unit_and_conversions),
        cmocka_unit_test(test_random_corruptions_are_found),
        cmocka_unit_test(test_cost_grows_with_the_text_only),
        cmocka_unit_test(test_long_chains_of_unknown_units_cost_little),
        cmocka_unit_test(test_sizes_cost_nothing),
        cmocka_unit_test(test_calls_do_not_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

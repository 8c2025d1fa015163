// tests/unit/flat/test_flat.c: promises of flattening that do not show in its text: places, limits, cost, and
// that no text whatever brings it down. What comes out for which model is in tests/flat/*.cases.
#include "check.h"
#include "flatten.h"
#include <ctype.h>
#include <stdlib.h>

typedef struct Case {
    StrBuf    text;
    Flattened f;
} Case;

static void case_run(Case *c)
{
    str_add(&c->text, "");
    flatten(&c->f, (Text){ c->text.p, c->text.n });
}

static void case_free(Case *c)
{
    flatten_free(&c->f);
    str_free(&c->text);
}

static void assert_flattens(const Case *c)
{
    if (!c->f.ok) orr_diag_print(c->f.diag, stderr, 0);
    assert_true(c->f.ok);
}

static void assert_refused(const Case *c, const char *code)
{
    assert_false(c->f.ok);
    assert_true(orr_diag_count(c->f.diag) > 0);
    assert_string_equal(orr_diag_get(c->f.diag, 0).code, code);
}

static void assert_at(const Case *c, Place place, size_t line, size_t column)
{
    size_t l, k;
    diag_locate(c->f.diag, place, &l, &k);
    assert_int_equal(l, line);
    assert_int_equal(k, column);
}

// ---- What is kept of the text

static void test_flat_keeps_the_place_of_everything(void **state)
{
    (void)state;
    Case c = { 0 };
    str_add(&c.text, "model Part\n"              // 1
                     "  input u = sin(t)\n"      // 2
                     "  output y = 2*u\n"        // 3
                     "end\n"                     // 4
                     "model M\n"                 // 5
                     "  a, b : Part\n"           // 6
                     "  a.y -> b.u\n"            // 7
                     "  for i in 1..2\n"         // 8
                     "    v[i]' = if v[i] > i then 1 else 2\n"
                     "  end\n"                   // 10
                     "  var v[2] = 0, w\n"       // 11
                     "  z = INTEG(1, w)\n"       // 12
                     "  w = 3 + INTEG(2, 0)\n"   // 13
                     "  assert z > 0 \"up\"\n"   // 14
                     "  terminal\n"              // 15
                     "    r := z\n"              // 16
                     "  end\n"
                     "end\n");
    case_run(&c);
    assert_flattens(&c);
    const Flat *flat = &c.f.flat;
    assert_at(&c, flat->vars.items[flat_find(flat, "v[2]")].place, 11, 7);
    assert_at(&c, flat->vars.items[flat_find(flat, "b.y")].place, 3, 10);
    assert_at(&c, flat->vars.items[flat_find(flat, "z")].place, 12, 3);
    assert_at(&c, flat->vars.items[flat_find(flat, "integral1")].place, 13, 11);
    static const size_t lines[][2] = { { 7, 3 },  { 9, 5 },  { 9, 5 },  { 12, 3 }, { 13, 11 },
                                       { 13, 3 }, { 3, 10 }, { 3, 10 }, { 2, 13 } };
    assert_int_equal(flat->equations.n, 9);
    for (size_t i = 0; i < 9; i++) assert_at(&c, flat->equations.items[i].place, lines[i][0], lines[i][1]);
    assert_int_equal(flat->initial.n, 1);
    assert_int_equal(flat->relations.n, 2);
    assert_at(&c, flat->relations.items[1].place, 9, 16);
    assert_at(&c, flat->asserts.items[0].place, 14, 3);
    assert_string_equal(flat->asserts.items[0].text, "up");
    assert_at(&c, flat->terminal.items[0].place, 16, 5);
    case_free(&c);
}

static void test_flat_equations_of_a_node_stand_where_it_is_connected(void **state)
{
    (void)state;
    Case c = { 0 };
    str_add(&c.text, "terminal Pin\n"                // 1
                     "  across v\n"                  // 2
                     "  through i\n"                 // 3
                     "end\n"                         // 4
                     "model M\n"                     // 5
                     "  p[5], alone : Pin\n"         // 6
                     "  p[1] -- p[2]\n"              // 7
                     "  p[4] -- p[3] -- p[5]\n"      // 8
                     "  p[3] -- p[2]\n"              // 9
                     "  p[1] -- p[5]\n"              // 10, nothing new
                     "end\n");
    case_run(&c);
    assert_flattens(&c);
    const Flat *flat = &c.f.flat;
    assert_int_equal(flat->equations.n, 4 + 1 + 6);
    static const size_t equal[][2] = { { 7, 3 }, { 8, 3 }, { 8, 11 }, { 9, 3 } };
    for (size_t i = 0; i < 4; i++) assert_at(&c, flat->equations.items[i].place, equal[i][0], equal[i][1]);
    // p[1].i = 0 outside, then the sum inside, at the first connection; the rest stands where it is declared
    assert_at(&c, flat->equations.items[4].place, 6, 3);
    assert_at(&c, flat->equations.items[5].place, 7, 3);
    assert_at(&c, flat->equations.items[10].place, 6, 9);
    case_free(&c);
}

static void test_flat_knows_the_variables_of_terminals(void **state)
{
    (void)state;
    Case c = { 0 };
    str_add(&c.text, "terminal Flange\n  across x\n  through f\nend\n"               // 1 to 4
                     "model Mass\n  flange : Flange\n  flange.x'' = flange.f\nend\n"    // 5 to 8
                     "model M\n  own : Flange\n  a, b : Mass\nend\n");                 // 9 to 12
    case_run(&c);
    assert_flattens(&c);
    const Flat *flat = &c.f.flat;
    static const struct { const char *name; FlatRole role; size_t line, column; } expected[] = {
        { "own.x", FLAT_ACROSS, 10, 3 },          { "own.f", FLAT_THROUGH, 10, 3 },
        { "b.flange.x", FLAT_ACROSS, 11, 6 },     { "b.flange.f", FLAT_THROUGH, 11, 6 },
        { "b.flange.x'", FLAT_PLAIN, 11, 6 },     { "a.flange.x''", FLAT_PLAIN, 11, 3 },
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const FlatVar *v = &flat->vars.items[flat_find(flat, expected[i].name)];
        assert_int_equal(v->role, expected[i].role);
        assert_at(&c, v->place, expected[i].line, expected[i].column);
    }
    // nothing is connected: what does not flow through b is said where b is declared
    assert_at(&c, flat->equations.items[2].place, 11, 6);
    case_free(&c);
}

static void test_flat_keeps_units_texts_and_links(void **state)
{
    (void)state;
    Case c = { 0 };
    str_add(&c.text, "model M \"of a mass\"\n  var x = 1 [m] \"way\", x' = 2 [m/s]\n  x'' = -x\n"
                     "  output x \"other\"\nend\n");
    case_run(&c);
    assert_flattens(&c);
    const Flat *flat = &c.f.flat;
    assert_string_equal(flat->doc, "of a mass");
    const uint32_t x = flat_find(flat, "x"), v = flat_find(flat, "x'"), a = flat_find(flat, "x''");
    assert_string_equal(flat->vars.items[x].doc, "way");
    assert_string_equal(flat->vars.items[x].unit, "m");
    assert_string_equal(flat->vars.items[v].unit, "m/s");
    assert_null(flat->vars.items[a].unit);
    assert_int_equal(flat->vars.items[x].derivative, v);
    assert_int_equal(flat->vars.items[v].integral, x);
    assert_int_equal(flat->vars.items[v].derivative, a);
    assert_int_equal(flat->vars.items[a].integral, v);
    assert_int_equal(flat->vars.items[a].derivative, FLAT_NONE);
    assert_int_equal(flat_find(flat, "y"), FLAT_NONE);
    case_free(&c);
}

// Values from outside are taken where structure depends on them, and nowhere else.
static void test_flat_takes_given_values_of_structural_parameters(void **state)
{
    (void)state;
    static const char text[] = "model Part\n  param k = 1, m, a[2] = 1\n  var x[m] = 0\n"
                               "  for i in 1..a[2]\n    x[i]' = k\n  end\nend\n"
                               "model M\n  param h = 1, n = 2*h\n  p[n] : Part(m = 1)\n"
                               "  var y = 0\n  y' = h\nend\n";
    Flattened f = { .diag = orr_diag_create() };
    f.ast.arena = f.flat.arena = &f.arena;
    const uint32_t file = diag_add_source(f.diag, "model.orr", text, sizeof text - 1);
    assert_true(frontend_orrery.parse(&f.ast, file, "model.orr", text, sizeof text - 1, f.diag));
    const FlatGiven given[] = { { "n", 9 }, { "p[2].k", 7 }, { "y", 5 }, { "n", 3 }, { "h", 4 },
                                { "p[2].m", 2 }, { "p[2].a[2]", 2 }, { "nothing", 1 } };
    f.flat.given = given;
    f.flat.n_given = sizeof given / sizeof *given;
    assert_true(flat_expand(&f.flat, &f.ast, &f.ast.models.items[1], f.diag));
    assert_int_not_equal(flat_find(&f.flat, "p[3].x[1]"), FLAT_NONE);
    assert_int_equal(flat_find(&f.flat, "p[4].x[1]"), FLAT_NONE);
    assert_int_not_equal(flat_find(&f.flat, "p[2].x[2]'"), FLAT_NONE);
    static const struct { const char *name; double value; bool is_structural; } starts[] = {
        { "n", 3, true },         { "h", 1, false },        { "p[1].m", 1, true },
        { "p[2].m", 2, true },    { "p[2].k", 1, false },   { "p[2].a[1]", 1, true },
        { "p[2].a[2]", 2, true }, { "p[1].a[2]", 1, true }, { "y", 0, false },
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const FlatVar *var = &f.flat.vars.items[flat_find(&f.flat, starts[i].name)];
        assert_int_equal(var->is_structural, starts[i].is_structural);
        double value;
        const Expr start = f.flat.vars.items[flat_find(&f.flat, starts[i].name)].start;
        assert_true(expr_is_const(&f.flat.pool, start, &value));
        assert_near(value, starts[i].value, 0);
    }
    flatten_free(&f);
}

// ---- Depth

static void test_flat_follows_long_sums_without_recursion(void **state)
{
    (void)state;
    Case c = { 0 };
    str_add(&c.text, "model M\n  x = t");
    for (int i = 0; i < 200000; i++) str_addf(&c.text, " + %d", i % 7 + 1);
    str_add(&c.text, "\nend\n");
    case_run(&c);
    assert_flattens(&c);
    case_free(&c);
}

// Constants that read the one before: no deeper for a hundred thousand of them. Read backwards they are
// refused.
static void test_flat_values_of_long_chains(void **state)
{
    (void)state;
    enum { N = 100000 };
    Case c = { 0 };
    str_add(&c.text, "model M\n  const c0 = 1\n");
    for (int i = 1; i < N; i++) str_addf(&c.text, "  const c%d = c%d + 1\n", i, i - 1);
    str_addf(&c.text, "  x = c%d\nend\n", N - 1);
    case_run(&c);
    assert_flattens(&c);
    double value;
    assert_true(expr_is_const(&c.f.flat.pool, c.f.flat.equations.items[0].rhs, &value));
    assert_near(value, N, 0);
    case_free(&c);

    c = (Case){ 0 };
    str_addf(&c.text, "model M\n  param c%d = 1\n", N);
    for (int i = N - 1; i >= 0; i--) str_addf(&c.text, "  param c%d = c%d + 1\n", i, i + 1);
    str_add(&c.text, "  var u[c0]\nend\n");
    case_run(&c);
    assert_refused(&c, "E207");
    case_free(&c);
}

static void add_nested_models(Case *c, int n)
{
    str_add(&c->text, "model M0\n  param k = 1\n  x = k\nend\n");
    for (int i = 1; i <= n; i++) str_addf(&c->text, "model M%d\n  m : M%d\nend\n", i, i - 1);
}

static void test_flat_components_nest_to_a_limit(void **state)
{
    (void)state;
    Case c = { 0 };
    add_nested_models(&c, 200);
    case_run(&c);
    assert_flattens(&c);
    assert_int_equal(c.f.flat.vars.n, 2);
    assert_int_equal(strlen(c.f.flat.vars.items[0].name), 2 * 200 + 1);
    case_free(&c);

    c = (Case){ 0 };
    add_nested_models(&c, 201);
    case_run(&c);
    assert_refused(&c, "E207");
    case_free(&c);
}

static void add_parentheses(Case *c, int n, const char *inner)
{
    for (int i = 0; i < n; i++) str_add(&c->text, "(1 + ");
    str_add(&c->text, inner);
    for (int i = 0; i < n; i++) str_add(&c->text, ")");
}

static void test_flat_expressions_nest_to_a_limit(void **state)
{
    (void)state;
    Case c = { 0 };
    str_add(&c.text, "model M\n  x = ");
    add_parentheses(&c, 190, "t");
    str_add(&c.text, "\nend\n");
    case_run(&c);
    assert_flattens(&c);
    case_free(&c);

    // functions inside functions, each with deep expressions
    c = (Case){ 0 };
    str_add(&c.text, "function f0(x) = x\n");
    for (int i = 1; i < 60; i++) {
        char inner[32];
        snprintf(inner, sizeof inner, "f%d(x)", i - 1);
        str_addf(&c.text, "function f%d(x) = ", i);
        add_parentheses(&c, 190, inner);
        str_add(&c.text, "\n");
    }
    str_add(&c.text, "model M\n  x = f59(t)\nend\n");
    case_run(&c);
    assert_refused(&c, "E207");
    case_free(&c);

    // more functions inside functions than we follow
    c = (Case){ 0 };
    str_add(&c.text, "function f0(x) = x\n");
    for (int i = 1; i < 70; i++) str_addf(&c.text, "function f%d(x) = f%d(x)\n", i, i - 1);
    str_add(&c.text, "model M\n  x = f69(t)\nend\n");
    case_run(&c);
    assert_refused(&c, "E207");
    case_free(&c);
}

// ---- Cost: each of these would take hours if it grew with the square, or worse

static void test_flat_functions_that_double_do_not_explode(void **state)
{
    (void)state;
    Case c = { 0 };
    str_add(&c.text, "function f0(x) = x\n");
    for (int i = 1; i < 60; i++) str_addf(&c.text, "function f%d(x) = f%d(x) + f%d(x)\n", i, i - 1, i - 1);
    str_add(&c.text, "model M\n  x = f59(1)\nend\n");
    case_run(&c);
    assert_flattens(&c);
    double value;
    assert_true(expr_is_const(&c.f.flat.pool, c.f.flat.equations.items[0].rhs, &value));
    assert_near(value, ldexp(1, 59), 0);
    case_free(&c);
}

static void test_flat_structural_values_that_double_do_not_explode(void **state)
{
    (void)state;
    Case c = { 0 };
    str_add(&c.text, "model M\n  param p0 = 1\n");
    for (int i = 1; i < 60; i++) str_addf(&c.text, "  param p%d = (p%d + p%d)/2\n", i, i - 1, i - 1);
    str_add(&c.text, "  var u[p59]\n  u[1] = 1\nend\n");
    case_run(&c);
    assert_flattens(&c);
    case_free(&c);
}

static void test_flat_many_statements_of_one_model(void **state)
{
    (void)state;
    enum { N = 100000 };
    Case c = { 0 };
    str_add(&c.text, "function g(x) = 2*x\nmodel Part\n");
    for (int i = 0; i < N; i++) str_addf(&c.text, "  param p%d = %d\n", i, i);
    str_add(&c.text, "end\nmodel M\n  part : Part(p0 = 1");
    for (int i = 1; i < N; i++) str_addf(&c.text, ", p%d = %d", i, i + 1);
    str_add(&c.text, ")\n");
    for (int i = 0; i < N; i++) str_addf(&c.text, "  function f%d(x) = x + %d\n", i, i);
    for (int i = 0; i < N; i++)
        str_addf(&c.text, "  x%d' = f%d(t) + sin(x%d) + g(x%d)\n", i, i, (i + 1) % N, i);
    for (int i = 0; i < N; i++) str_addf(&c.text, "  output x%d\n", i);
    str_add(&c.text, "end\n");
    case_run(&c);
    assert_flattens(&c);
    assert_int_equal(c.f.flat.equations.n, N);
    assert_int_equal(c.f.flat.vars.n, 3 * N);
    case_free(&c);
}

static void test_flat_many_components(void **state)
{
    (void)state;
    Case c = { 0 };
    str_add(&c.text,
            "model Cell\n  param k = 1\n  input u = 0\n  var x = 0\n  x' = k*(u - x)\n  output y = x\nend\n"
            "model M\n  param n = 100000\n  cell[n] : Cell(k = 3)\n"
            "  for i in 2..n\n    cell[i - 1].y -> cell[i].u\n  end\nend\n");
    case_run(&c);
    assert_flattens(&c);
    assert_int_equal(c.f.flat.equations.n, 100000 * 2 + 99999);
    case_free(&c);

    // a value for each of them
    c = (Case){ 0 };
    str_add(&c.text, "model Cell\n  param k = 1\n  x = k\nend\nmodel Row\n  cell[20000] : Cell\nend\n"
                     "model M\n  row : Row(cell[1].k = 1");
    for (int i = 2; i <= 20000; i++) str_addf(&c.text, ", cell[%d].k = %d", i, i);
    str_add(&c.text, ")\nend\n");
    case_run(&c);
    assert_flattens(&c);
    const Expr start = c.f.flat.vars.items[flat_find(&c.f.flat, "row.cell[12345].k")].start;
    double value;
    assert_true(expr_is_const(&c.f.flat.pool, start, &value));
    assert_near(value, 12345, 0);
    case_free(&c);
}

// One node with very many terminals, and very many nodes.
static void test_flat_many_connections(void **state)
{
    (void)state;
    static const char types[] = "terminal Pin\n  across v\n  through i\nend\n"
                                "model R\n  p, n : Pin\n  p.i + n.i = 0\n  p.v - n.v = p.i\nend\n";
    Case c = { 0 };
    str_add(&c.text, types);
    str_add(&c.text, "model M\n  r[50000] : R\n  for i in 1..49999\n    r[i].p -- r[i + 1].p\n  end\n"
                     "  for i in 1..49999\n    r[50000].n -- r[i].n\n  end\nend\n");
    case_run(&c);
    assert_flattens(&c);
    assert_int_equal(c.f.flat.equations.n, 2 * 50000 + 2 * 49999 + 2);
    case_free(&c);

    c = (Case){ 0 };
    str_add(&c.text, types);
    str_add(&c.text,
            "model M\n  param n = 150\n  h[n,n], v[n,n] : R\n  for i in 1..n\n    for j in 1..n\n"
            "      h[i,j].p -- v[i,j].p\n    end\n  end\n  for i in 1..n - 1\n    for j in 1..n - 1\n"
            "      h[i,j].n -- h[i,j + 1].p\n      v[i,j].n -- v[i + 1,j].p\n    end\n  end\nend\n");
    case_run(&c);
    assert_flattens(&c);
    // every resistor has two equations, every terminal one more for each of its variables but one for each
    // node
    const size_t n = 150, joins = n*n + 2*(n - 1)*(n - 1), ends = 4*n*n;
    assert_int_equal(c.f.flat.equations.n, 2*2*n*n + joins + (ends - joins));
    case_free(&c);
}

// Inputs whose defaults read each other, the moving one last.
static void test_flat_many_inputs_that_wait_for_each_other(void **state)
{
    (void)state;
    enum { N = 100000 };
    Case c = { 0 };
    str_add(&c.text, "model M\n");
    for (int i = 0; i < N; i++) str_addf(&c.text, "  input u%d = u%d\n", i, i + 1);
    str_addf(&c.text, "  input u%d = sin(t)\nend\n", N);
    case_run(&c);
    assert_flattens(&c);
    assert_int_equal(c.f.flat.equations.n, N + 1);
    assert_int_equal(c.f.flat.vars.items[0].kind, FLAT_VARIABLE);
    case_free(&c);
}

static void test_flat_a_file_of_errors_is_soon_given_up(void **state)
{
    (void)state;
    enum { N = 100000 };
    Case c = { 0 };
    str_add(&c.text, "model M\n");
    for (int i = 0; i < N; i++) str_addf(&c.text, "  variable%d = variabel%d\n", i, i);
    str_add(&c.text, "end\n");
    case_run(&c);
    assert_refused(&c, "E101");
    assert_int_equal(orr_diag_count(c.f.diag), DIAG_MESSAGES_MAX);
    case_free(&c);

    c = (Case){ 0 };    // the same error again and again
    str_add(&c.text, "model M\n  var u[3]\n  for i in 1..10000000\n    assert u[4] > missing\n  end\nend\n");
    case_run(&c);
    assert_refused(&c, "E122");
    assert_int_equal(orr_diag_errors(c.f.diag), 2);
    case_free(&c);
}

static void test_flat_loops_that_make_far_too_much_are_stopped(void **state)
{
    (void)state;
    Case c = { 0 };
    str_add(&c.text,
            "model M\n  for i in 1..7000\n    for j in 1..7000\n      x = i\n    end\n  end\n  var x\nend\n");
    case_run(&c);
    assert_refused(&c, "E707");
    case_free(&c);
}

// ---- Whatever the text

static const char rich[] =
    "terminal Pin\n  across v [V]\n  through i, j[2]\nend\n"
    "model Wire\n  p, n : Pin\n  p -- n\nend\n"
    "function sq(x) = x*x\nfunction blend(c, a, b)\n  d = a - b\n  return if c then b + d else sq(b)\nend\n"
    "model Leaf \"a leaf\"\n  param k = 1, n = 2\n  const c = 3\n  input u[n] = t\n"
    "  var x = 1, x' = 0, w[n,2] ~ 1\n"
    "  x'' = -k*x + delay(x, k) + u[1]\n  for i in 1..n\n    for j in 1..2\n      w[i,j] = i*u[i] + j + c\n"
    "    end\n  end\n"
    "  output y = blend(x > 1, x, 2) + INTEG(sign(x), k)\nend\n"
    "model Node\n  param p = 2\n  leaf[2] : Leaf(k = p, n = 3)\n  leaf[1].y -> leaf[2].u[2]\n"
    "  output s = leaf[2].y\nend\n"
    "model Top\n  time [d]\n  wire[2] : Wire\n  pin : Pin(v = 3)\n  wire[1].n -- wire[2].p -- pin\n"
    "  a, b : Node(p = 5, leaf[2].k = 7, leaf.x' = 4)\n  q = INTEG(a.s, 2)\n"
    "  v' = -v\n  var v\n"
    "  initial v = q + 1\n  assert v > 0 and not (q == 3) \"fine\"\n"
    "  z = table(v, 0, 1, 2, 3) + limit(q, 0, 1)\n"
    "  terminal\n    last := v\n    rerun when last > 1 at most 3\n  end\nend\n";

// Messages exactly when it fails; nothing else is asked. Memory is watched by the sanitizers.
static void run_any(const char *text, size_t n)
{
    Flattened f;
    char *copy = malloc(n + 1);    // exactly as long as it is
    memcpy(copy, text, n);
    copy[n] = '\0';
    const Text t = { copy, n };
    f = (Flattened){ .diag = orr_diag_create() };
    f.ast.arena = f.flat.arena = &f.arena;
    const uint32_t file = diag_add_source(f.diag, "any.orr", t.p, t.n);
    f.ok = frontend_orrery.parse(&f.ast, file, "any.orr", t.p, t.n, f.diag);
    for (size_t i = 0; f.ok && i < f.ast.models.n; i++) {
        const size_t errors = orr_diag_errors(f.diag);
        Arena arena = { 0 };
        Flat flat = { .arena = &arena };
        const bool ok = flat_expand(&flat, &f.ast, &f.ast.models.items[i], f.diag);
        // the same error at the same place, from another model, is not counted again
        if (!ok) assert_true(orr_diag_errors(f.diag) > 0);
        else assert_int_equal(orr_diag_errors(f.diag), errors);
        arena_free(&arena);
    }
    flatten_free(&f);
    free(copy);
}

static void test_flat_survives_every_beginning_of_a_text(void **state)
{
    (void)state;
    Flattened f;
    flatten(&f, TEXT(rich));
    if (!f.ok) orr_diag_print(f.diag, stderr, 0);
    assert_true(f.ok);    // the whole is right, or the rest of the test means little
    flatten_free(&f);
    for (size_t n = 0; n < sizeof rich; n++) run_any(rich, n);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

// Words exchanged, doubled and lost.
static void test_flat_survives_shuffled_texts(void **state)
{
    (void)state;
    VEC(Text) words = { 0 };
    Arena arena = { 0 };
    for (size_t i = 0; i < sizeof rich - 1;) {
        size_t n = 1;
        const bool is_word = isalnum((unsigned char)rich[i]);
        while (is_word && isalnum((unsigned char)rich[i + n])) n++;
        vec_push(&arena, &words, (Text){ rich + i, n });
        i += n;
    }
    uint64_t random = 1;
    for (int turn = 0; turn < 4000; turn++) {
        StrBuf s = { 0 };
        const uint64_t changes = 1 + next_random(&random) % 4;
        size_t at[4], with[4];
        for (uint64_t k = 0; k < changes; k++) {
            at[k] = next_random(&random) % words.n;
            with[k] = next_random(&random) % words.n;
        }
        for (size_t i = 0; i < words.n; i++) {
            Text word = words.items[i];
            for (uint64_t k = 0; k < changes; k++)
                if (at[k] == i) word = words.items[with[k]];
            str_add_text(&s, word);
        }
        run_any(s.p, s.n);
        str_free(&s);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_keeps_the_place_of_everything),
        cmocka_unit_test(test_flat_equations_of_a_node_stand_where_it_is_connected),
        cmocka_unit_test(test_flat_knows_the_variables_of_terminals),
        cmocka_unit_test(test_flat_keeps_units_texts_and_links),
        cmocka_unit_test(test_flat_takes_given_values_of_structural_parameters),
        cmocka_unit_test(test_flat_follows_long_sums_without_recursion),
        cmocka_unit_test(test_flat_values_of_long_chains),
        cmocka_unit_test(test_flat_components_nest_to_a_limit),
        cmocka_unit_test(test_flat_expressions_nest_to_a_limit),
        cmocka_unit_test(test_flat_functions_that_double_do_not_explode),
        cmocka_unit_test(test_flat_structural_values_that_double_do_not_explode),
        cmocka_unit_test(test_flat_many_statements_of_one_model),
        cmocka_unit_test(test_flat_many_components),
        cmocka_unit_test(test_flat_many_connections),
        cmocka_unit_test(test_flat_many_inputs_that_wait_for_each_other),
        cmocka_unit_test(test_flat_a_file_of_errors_is_soon_given_up),
        cmocka_unit_test(test_flat_loops_that_make_far_too_much_are_stopped),
        cmocka_unit_test(test_flat_survives_every_beginning_of_a_text),
        cmocka_unit_test(test_flat_survives_shuffled_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

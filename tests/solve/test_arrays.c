// tests/solve/test_arrays.c: arrays that stay arrays compute what single variables would, to the last bit.
//
// Random models of stencils, recurrences, boundaries and scalars in between are compiled twice: with every
// array of two elements or more kept, and with all elements as single variables. The second is what has
// always been there.
#include "base/text.h"
#include "lab.h"
#include "model/model.h"

static void lab_run(Lab *lab, const char *solver, double step, double t_end)
{
    orr_run_options o = orr_run_options_default();
    o.solver = solver;
    o.t_end = t_end;
    o.step = step;
    lab_start(lab, &o);
    if (orr_run_advance(lab->run, t_end) != ORR_STATUS_OK) lab_print(lab);
}

// Every variable of one is a variable of the other, of the same kind, with the same value.
static void compare(const Lab *a, const Lab *b, const char *text, const char *solver, double tolerance)
{
    const size_t n = orr_model_n_variables(a->model);
    size_t n_compared = 0;
    for (size_t i = 0; i < n; i++) {
        const orr_variable v = orr_model_variable(a->model, i);
        if (v.is_hidden) continue;    // parts of sums
        n_compared++;
        const size_t k = orr_model_find(b->model, v.name);
        if (k == (size_t)-1) fail_msg("%s is missing", v.name);
        assert_int_equal(v.kind, orr_model_variable(b->model, k).kind);
        const double x = orr_run_value(a->run, i), y = orr_run_value(b->run, k);
        const bool same = tolerance == 0 ? memcmp(&x, &y, sizeof x) == 0
                                         : fabs(x - y) <= tolerance * (1 + fabs(y));
        if (same) continue;
        fputs(text, stderr);
        fail_msg("%s by %s: %.17g as an array, %.17g alone", v.name, solver, x, y);
    }
    assert_int_equal(n_compared, orr_model_n_variables(b->model));
}

// ---- Random models

typedef struct Writer {
    StrBuf   s;
    uint64_t random;
    int      n, m;           // sizes
    int      n_kept;         // arrays that must have stayed arrays
} Writer;

static uint32_t draw(Writer *w, uint32_t n)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (uint32_t)(w->random >> 20) % n;
}

#define PUT(w, ...) str_addf(&(w)->s, __VA_ARGS__)

// A number of ordinary size, of i or not.
static const char *factor(Writer *w)
{
    static const char *const factors[] = { "0.5",         "a",          "b[i]",
                                           "0.01*i",      "sin(0.3*i)", "1/(i + 2)",
                                           "exp(-0.1*t)", "(n - i)/n",  "if i > 3 then 0.2 else 0.4",
                                           "cos(t + i)" };
    return factors[draw(w, sizeof factors / sizeof *factors)];
}

// Something that reads the array u near i.
static void put_stencil(Writer *w, const char *u)
{
    switch (draw(w, 5)) {
    case 0: PUT(w, "(%s)*(%s[i-1] - 2*%s[i] + %s[i+1])", factor(w), u, u, u); break;
    case 1: PUT(w, "(%s)*(%s[i+1] - %s[i-1]) - %s[i]^3", factor(w), u, u, u); break;
    case 2: PUT(w, "-(%s)*%s[i] + 0.1*tanh(%s[i-1]*%s[i+1])", factor(w), u, u, u); break;
    case 3: PUT(w, "(%s)*(%s[n+1-i] - %s[i]) + 0.01*s", factor(w), u, u); break;
    default: PUT(w, "(%s)*%s[i-1] - (%s)*%s[i] + 0.05*%s[3]", factor(w), u, factor(w), u, u); break;
    }
}

static void put_start(Writer *w, const char *u)
{
    if (draw(w, 2))
        PUT(w, "  for i in 1..n\n    initial %s[i] = 0.3*sin(%u*i) + 0.1\n  end\n", u, 1 + draw(w, 3));
    else
        PUT(w, "  initial\n    %s[1] = 0.2\n    for k in 2..n\n      %s[k] = 0.1 + k/20\n    end\n  end\n", u,
            u);
}

// The rate of each element once: ends and inside, by parities, or in two pieces.
static void put_rates(Writer *w, const char *u, const char *rate, bool reads_f)
{
    const char *more = reads_f ? " + 0.1*f[i]" : "";
    switch (draw(w, 3)) {
    case 0:
        PUT(w, "  %s[1]%s = -%s[1]\n  %s[n]%s = 0.1*s - %s[n]\n  for i in 2..n-1\n    %s[i]%s = ", u, rate, u,
            u, rate, u, u, rate);
        put_stencil(w, u);
        PUT(w, "%s\n  end\n", more);
        break;
    case 1:
        PUT(w, "  for i in 1..n\n    %s[i]%s = -(%s)*%s[i] + 0.2*%s[n+1-i]%s\n  end\n", u, rate, factor(w), u,
            u, more);
        break;
    default:
        PUT(w,
            "  for j in 1..n/2\n    %s[2*j]%s = 0.3*(%s[2*j-1] - %s[2*j])\n"
            "    %s[2*j-1]%s = 0.2*(%s[2*j] - %s[2*j-1])\n  end\n",
            u, rate, u, u, u, rate, u, u);
        break;
    }
}

static void put_algebraic(Writer *w)
{
    switch (draw(w, 5)) {
    case 0: PUT(w, "  for i in 1..n\n    f[i] = (%s)*u[i] + 0.1*s\n  end\n", factor(w)); break;
    case 1:
        PUT(w, "  f[1] = u[1]\n  for i in 2..n\n    f[i] = 0.3*f[i-1] + u[i]\n  end\n");
        break;    // forwards
    case 2:
        PUT(w, "  f[n] = z\n  for i in 1..n-1\n    f[i] = 0.3*f[i+1] - (%s)*u[i]\n  end\n", factor(w));
        break;    // backwards
    case 3:
        PUT(w, "  for i in 1..n\n    2*f[i] + u[i] = 0.3\n  end\n"), w->n_kept--;
        break;    // to be solved
    default:
        PUT(w, "  for i in 1..n\n    f[i] = if u[i] > 0.2 then 0.1 else u[i]\n  end\n"), w->n_kept--;
        break;    // relations
    }
}

// Slices, whole arrays and sums of all kinds.
static void put_sums(Writer *w)
{
    static const char *const sums[] = {
        "sum(u)",
        "sum(u[2..n-1])",
        "sum(b*u)",
        "sum(u[i]*i for i in 2..n)",
        "min(u)",
        "max(u[i]*b[i] for i in 1..n)",
        "sum(b[i]*u[j] for i in 1..3 for j in 1..n)",
        "sum(u[j] for i in 1..n for j in 1..i)",
        "sum(f[i] - u[i] for i in 1..n)",
    };
    const char *sum = sums[draw(w, sizeof sums / sizeof *sums)];
    switch (draw(w, 4)) {
    case 0: PUT(w, "  h = 2*u + %s\n", sum); break;
    case 1: PUT(w, "  h[1..n-1] = u[2..n] - u[1..n-1]\n  h[n] = %s\n", sum); break;
    case 2: PUT(w, "  h[n] = 0\n  for k in 1..n-1\n    h[k] = sum(u[i]*k for i in k..n)\n  end\n"); break;
    default: PUT(w, "  for k in 1..n\n    h[k] = sum(u[i]*b[k] for i in 1..n) + 0.1*%s\n  end\n", sum); break;
    }
}

static void put_grid(Writer *w)
{
    PUT(w, "  for i in 1..m\n    for j in 1..n\n      initial g[i,j] = 0.1*i - 0.05*j\n    end\n  end\n");
    PUT(w, "  for j in 1..n\n    g[1,j]' = -g[1,j]\n    g[m,j]' = 0.1\n  end\n");
    PUT(w, "  for i in 2..m-1\n    g[i,1]' = 0\n    g[i,n]' = -g[i,n-1]\n    for j in 2..n-1\n");
    PUT(w, "      g[i,j]' = 0.2*(g[i-1,j] + g[i+1,j] + g[i,j-1] + g[i,j+1] - 4*g[i,j]) + (%s)*u[j]\n",
        factor(w));
    PUT(w, "    end\n  end\n");
}

static char *random_model(uint64_t seed, int *n_kept)
{
    Writer w = { .random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1 };
    for (int i = 0; i < 5; i++) draw(&w, 2);
    w.n = 2 * (3 + (int)draw(&w, 8));
    w.m = 3 + (int)draw(&w, 5);
    const bool has_grid = draw(&w, 2), has_second = draw(&w, 2), has_v = draw(&w, 2),
               scalars_first = draw(&w, 2);
    w.n_kept = 4 + has_v + has_grid + has_second;    // u, f, b, h
    PUT(&w, "model M\n  const n = %d, m = %d\n  param a = 0.7, b[n] = 0.3*a\n", w.n, w.m);
    if (scalars_first) PUT(&w, "  var s = 0.5, z\n");
    PUT(&w, "  var u[n]\n");
    if (has_second) PUT(&w, "  var q[n] = 0.1\n  var q[n]' = -0.2\n");
    if (!scalars_first) PUT(&w, "  var s = 0.5, z\n");
    if (has_v) PUT(&w, "  var v[n] = a/2\n");
    if (has_grid) PUT(&w, "  var g[m,n]\n");
    PUT(&w, "  output f[n]\n  var h[n]\n");
    PUT(&w, "  s' = -s + u[2] - 0.1*f[n]\n  z = u[1]*u[n] + s\n");
    put_start(&w, "u");
    put_rates(&w, "u", "'", draw(&w, 2));
    if (has_v) put_rates(&w, "v", "'", draw(&w, 2));
    if (has_second) put_rates(&w, "q", "''", false);
    put_algebraic(&w);
    put_sums(&w);
    if (has_grid) put_grid(&w);
    PUT(&w, "end\n");
    *n_kept = w.n_kept;
    return str_finish(&w.s);
}

static const struct Method {
    const char *name;
    double      step, tolerance;
} methods[] = {
    { "euler", 0.01, 0 }, { "heun", 0.01, 0 }, { "rk4", 0.05, 0 },  { "semi-implicit euler", 0.01, 0 },
    { "dopri5", 0, 0 },   { "adams", 0, 0 },   { "bdf", 0, 1e-4 },    // scalars have a symbolic Jacobian
};
enum { N_METHODS = sizeof methods / sizeof *methods };

static size_t count_kept(const orr_model *model)
{
    size_t n = 0;
    for (size_t i = 0; i < model->flat.arrays.n; i++)
        n += model->flat.arrays.items[i].n_primes == 0 && !model->flat.arrays.items[i].is_hidden;
    return n;
}

// Which rates depend on which states is found in two quite different ways.
static void compare_patterns(const Lab *a, const Lab *b, const char *text)
{
    const IrPattern *p = model_pattern(a->model), *q = model_pattern(b->model);
    assert_true(p && q);
    const size_t n = a->model->n_states;
    assert_int_equal(n, b->model->n_states);
    const bool same = p->n == q->n && memcmp(p->start, q->start, (n + 1) * sizeof *p->start) == 0
                      && memcmp(p->row, q->row, p->n * sizeof *p->row) == 0;
    if (same) return;
    fputs(text, stderr);
    fail_msg("patterns differ: %u entries, and %u", p->n, q->n);
}

static void test_arrays_compute_what_single_variables_would(void **state)
{
    (void)state;
    size_t n_kept_in_all = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        int n_kept;
        char *text = random_model(seed, &n_kept);
        Lab kept = lab_arrays(text, 2), single = lab_arrays(text, SIZE_MAX);
        assert_int_equal(single.model->flat.arrays.n, 0);
        if (count_kept(kept.model) < (size_t)n_kept) {
            fputs(text, stderr);
            fail_msg("only %zu arrays stayed arrays", count_kept(kept.model));
        }
        n_kept_in_all += count_kept(kept.model);
        compare_patterns(&kept, &single, text);
        for (size_t i = 0; i < N_METHODS; i++) {
            const struct Method *m = &methods[i];
            lab_run(&kept, m->name, m->step, 0.5);
            lab_run(&single, m->name, m->step, 0.5);
            compare(&kept, &single, text, m->name, m->tolerance);
        }
        lab_close(&kept);
        lab_close(&single);
        free(text);
    }
    printf("%zu arrays stayed arrays\n", n_kept_in_all);
}

// BDF where neither has a symbolic Jacobian: the same differences, the same steps, the same bits.
static void test_stiff_arrays_agree_to_the_bit(void **state)
{
    (void)state;
    static const char text[] = "model M\n  const n = 4000\n  var u[n], s = 1, q[n]\n  initial u[1..n] = 0\n"
                               "  u[1]' = s - u[1]\n  u[n]' = -u[n]\n"
                               "  for i in 2..n-1\n    u[i]' = 1e4*(q[i] - q[i-1])\n  end\n"
                               "  for i in 1..n-1\n    q[i] = u[i+1] - u[i]\n  end\n  q[n] = 0\n"
                               "  s' = -s + 0.1*u[7]\nend\n";
    Lab kept = lab_arrays(text, 0), single = lab_arrays(text, SIZE_MAX);
    assert_int_equal(count_kept(kept.model), 2);
    assert_false(single.model->ir.has_jacobian);
    lab_run(&kept, "bdf", 0, 0.1);
    lab_run(&single, "bdf", 0, 0.1);
    compare(&kept, &single, text, "bdf", 0);
    lab_close(&kept);
    lab_close(&single);
}

// The compiler works with families: a million elements are no more to it than a thousand.
static void test_a_million_elements_are_few_equations(void **state)
{
    (void)state;
    static const char text[] =
        "model M\n  const n = 1000\n  param b[n,n] = 0.5\n  var u[n,n] = 1, w[n*n]\n"
        "  for i in 1..n\n    for j in 1..n\n      u[i,j]' = -b[i,j]*u[i,j] + w[1]\n    end\n  end\n"
        "  w = 0\n  output total = sum(u)\nend\n";
    Lab lab = lab_arrays(text, 0);
    assert_int_equal(lab.model->n_states, 1000000);
    assert_int_equal(lab.model->flat.vars.n, 1);
    assert_int_equal(lab.model->flat.equations.n, 1);
    assert_true(lab.model->flat.pool.nodes.n < 100);
    assert_true(lab.model->ir.loops.n < 30);
    lab_run(&lab, "rk4", 0.1, 0.2);
    const size_t total = orr_model_find(lab.model, "total"), last = orr_model_find(lab.model, "u[1000,1000]");
    assert_near(orr_run_value(lab.run, last), exp(-0.1), 1e-6);
    assert_near(orr_run_value(lab.run, total), 1e6 * exp(-0.1), 1);
    lab_close(&lab);
}

// The first mode of a rod decays by exp(-pi^2 t); the error of the cut rod goes with the square of the width
// of a cell.
static double rod_error(int n)
{
    char text[1000];
    snprintf(text, sizeof text,
             "model Rod\n  const n = %d\n  var u[n]\n  for i in 1..n\n    initial u[i] = sin(pi*i/(n + 1))\n"
             "  end\n"
             "  u[1]' = (-2*u[1] + u[2])*(n + 1)^2\n  u[n]' = (u[n-1] - 2*u[n])*(n + 1)^2\n"
             "  u[2..n-1]' = (u[1..n-2] - 2*u[2..n-1] + u[3..n])*(n + 1)^2\nend\n",
             n);
    Lab lab = lab_arrays(text, 10);
    assert_int_equal(count_kept(lab.model), 1);
    orr_run_options o = orr_run_options_default();
    o.solver = "bdf";
    o.t_end = 0.1;
    o.tolerance = 1e-10;
    o.absolute = 1e-12;
    lab.run = orr_run_create(lab.model, &o, lab.diag);
    assert_non_null(lab.run);
    assert_int_equal(orr_run_advance(lab.run, 0.1), ORR_STATUS_OK);
    char middle[32];
    snprintf(middle, sizeof middle, "u[%d]", (n + 1) / 2);
    const double pi = acos(-1),
                 error = orr_run_value(lab.run, orr_model_find(lab.model, middle)) - exp(-pi * pi * 0.1);
    lab_close(&lab);
    return fabs(error);
}

static void test_heat_converges_with_order_two_in_space(void **state)
{
    (void)state;
    double before = rod_error(19);
    for (int n = 39; n <= 319; n = 2 * n + 1) {
        const double error = rod_error(n), order = log2(before / error);
        printf("%d cells: error %.3g, order %.3f\n", n, error, order);
        assert_near(order, 2, 0.05);
        before = error;
    }
}

// A pattern that nobody can hold is not made: every rate depends on every state, through a sum.
static void test_a_full_pattern_is_refused(void **state)
{
    (void)state;
    static const char text[] = "model M\n  const n = 20000\n  var u[n] = 1\n  u' = -u + 1e-6*sum(u)\nend\n";
    Lab lab = lab_arrays(text, 0);
    assert_null(model_pattern(lab.model));
    lab_run(&lab, "dopri5", 0, 0.1);
    assert_near(orr_run_value(lab.run, orr_model_find(lab.model, "u[7]")), exp(-0.1 * (1 - 0.02)), 1e-6);
    lab_close(&lab);
}

// A message about one turn of a loop tells which, in the words of the model.
static void test_a_fault_in_a_loop_names_the_element(void **state)
{
    (void)state;
    static const char text[] = "model F\n  const n = 2000\n  param b[n] = 3\n  var u[n] = 1\n"
                               "  for i in 2..n\n    u[i]' = -u[i-1]*sqrt(b[i])\n  end\n  u[1]' = 0\nend\n";
    Lab lab = lab_arrays(text, 0);
    const orr_setting setting = { "b[17]", -1 };
    orr_run_options o = orr_run_options_default();
    o.settings = &setting;
    o.n_settings = 1;
    assert_null(orr_run_create(lab.model, &o, lab.diag));
    const orr_message m = orr_diag_get(lab.diag, 0);
    assert_string_equal(m.code, "E503");
    assert_int_equal(m.line, 6);
    assert_non_null(strstr(m.hint, "b[17]"));
    assert_non_null(strstr(orr_diag_get(lab.diag, 1).text, "u[17]' = -u[16]*sqrt(b[17])"));
    lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays_compute_what_single_variables_would),
        cmocka_unit_test(test_stiff_arrays_agree_to_the_bit),
        cmocka_unit_test(test_a_million_elements_are_few_equations),
        cmocka_unit_test(test_heat_converges_with_order_two_in_space),
        cmocka_unit_test(test_a_full_pattern_is_refused),
        cmocka_unit_test(test_a_fault_in_a_loop_names_the_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

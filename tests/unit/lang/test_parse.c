// tests/unit/lang/test_parse.c: promises of the parser that a line in a .cases file cannot state: what is in
// the Ast, where things stand, limits, and that no text at all upsets it.
#include "base/diag.h"
#include "base/text.h"
#include "check.h"
#include "lang/format.h"
#include "lang/frontend.h"
#include "lang/parse.h"
#include <stdlib.h>
#include <time.h>

typedef struct Parsed {
    Arena     arena;
    Ast       ast;
    orr_diag *diag;
    bool      ok;
} Parsed;

static void parse(Parsed *parsed, const char *text, size_t n)
{
    *parsed = (Parsed){ .diag = orr_diag_create() };
    parsed->ast.arena = &parsed->arena;
    const uint32_t file = diag_add_source(parsed->diag, "test.orr", text, n);
    parsed->ok = frontend_orrery.parse(&parsed->ast, file, "test.orr", text, n, parsed->diag);
    assert_int_equal(parsed->ok, orr_diag_errors(parsed->diag) == 0);
}

static void release(Parsed *parsed)
{
    orr_diag_destroy(parsed->diag);
    arena_free(&parsed->arena);
}

static const char *code_of(const Parsed *parsed, size_t i)
{
    return i < orr_diag_count(parsed->diag) ? orr_diag_get(parsed->diag, i).code : "none";
}

// The text a place covers.
static void check_place(const char *text, Place place, const char *expected)
{
    char found[256];
    snprintf(found, sizeof found, "%.*s", (int)place.length, text + place.offset);
    assert_string_equal(found, expected);
}

static void test_parse_declaration_keeps_unit_value_and_doc(void **state)
{
    (void)state;
    const char *text = "model M\n  var x[2, n]'' = -5 [km] \"doc\", y ~ k [m]\n  param E = m*c^2 [J]\nend\n";
    Parsed p;
    parse(&p, text, strlen(text));
    assert_true(p.ok);
    assert_int_equal(p.ast.models.n, 1);
    const AstModel *m = &p.ast.models.items[0];
    assert_string_equal(m->name, "M");
    assert_int_equal(m->n_items, 3);

    const AstDecl *x = &m->items[0].decl;
    assert_int_equal(x->kind, AST_VAR);
    assert_string_equal(x->name, "x");
    assert_int_equal(x->primes, 2);
    assert_int_equal(x->n_sizes, 2);
    assert_string_equal(x->unit, "km");
    assert_string_equal(x->doc, "doc");
    assert_false(x->is_guess);
    assert_int_equal(x->value->kind, AST_UNARY);
    assert_string_equal(x->value->operands.a->number.unit, "km");    // the literal keeps it too
    check_place(text, x->place, "x");
    check_place(text, m->items[0].place, "x[2, n]'' = -5 [km] \"doc\"");

    const AstDecl *y = &m->items[1].decl;
    assert_true(y->is_guess);
    assert_string_equal(y->unit, "m");
    assert_int_equal(y->value->kind, AST_REF);

    // behind a longer value the unit is the declaration's alone
    const AstDecl *e = &m->items[2].decl;
    assert_string_equal(e->unit, "J");
    const AstExpr *power = e->value->operands.b;
    assert_int_equal(power->op, AST_POW);
    assert_null(power->operands.b->number.unit);
    release(&p);
}

static void test_parse_places_cover_what_was_written(void **state)
{
    (void)state;
    const char *text = "model Tank\n"
                       "  a.b[1]' = (x + 2 [m])*f(y)\n"
                       "  p, q[3] : Pump(K = 3)\n"
                       "  p.out -> q[1].in, q[2].in\n"
                       "  initial x = 1\n"
                       "  assert x > 0 \"dry\"\n"
                       "end\n"
                       "experiment run of Tank\n"
                       "  solver semi-implicit euler step 0.1\n"
                       "  record a.b, x\n"
                       "  expect x at 1 = 2 within 3\n"
                       "end\n";
    Parsed p;
    parse(&p, text, strlen(text));
    assert_true(p.ok);
    const AstModel *m = &p.ast.models.items[0];
    check_place(text, m->place, "Tank");
    const AstItem *equation = &m->items[0];
    check_place(text, equation->place, "a.b[1]' = (x + 2 [m])*f(y)");
    check_place(text, equation->equation.lhs->place, "a.b[1]'");
    check_place(text, equation->equation.rhs->place, "(x + 2 [m])*f(y)");
    check_place(text, equation->equation.rhs->operands.a->place, "(x + 2 [m])");
    check_place(text, equation->equation.rhs->operands.a->operands.b->place, "2 [m]");
    check_place(text, equation->equation.rhs->operands.b->place, "f(y)");
    const AstItem *q = &m->items[2];
    assert_string_equal(q->component.name, "q");
    assert_int_equal(q->component.n_sizes, 1);
    check_place(text, q->component.name_place, "q[3]");
    check_place(text, q->component.model_place, "Pump");
    check_place(text, q->place, "p, q[3] : Pump(K = 3)");
    check_place(text, q->component.overrides[0].place, "K = 3");
    check_place(text, m->items[4].arrow.from_place, "p.out");
    check_place(text, m->items[4].arrow.to_place, "q[2].in");
    check_place(text, m->items[5].place, "initial x = 1");
    check_place(text, m->items[6].place, "assert x > 0 \"dry\"");
    const AstExperiment *e = &p.ast.experiments.items[0];
    check_place(text, e->place, "run");
    check_place(text, e->model_place, "Tank");
    check_place(text, e->solver.place, "semi-implicit euler");
    assert_string_equal(e->solver.name, "semi-implicit euler");
    check_place(text, e->solver.options[0].place, "step 0.1");
    check_place(text, e->record_places[1], "x");
    check_place(text, e->expects[0].place, "expect x at 1 = 2 within 3");
    release(&p);
}

static void test_parse_goes_on_after_errors_and_keeps_the_rest(void **state)
{
    (void)state;
    const char *text = "model A\n x = = 1\n y = 2\nend\nmodel B\n z = )\nend\nmodel C\n w = 3\nend\n";
    Parsed p;
    parse(&p, text, strlen(text));
    assert_false(p.ok);
    assert_int_equal(orr_diag_count(p.diag), 2);
    assert_int_equal(p.ast.models.n, 3);
    assert_int_equal(p.ast.models.items[0].n_items, 1);
    assert_int_equal(p.ast.models.items[2].n_items, 1);
    release(&p);
}

static void test_parse_works_without_a_collector(void **state)
{
    (void)state;
    Arena arena = { 0 };
    Ast ast = { .arena = &arena };
    assert_true(parse_text(&ast, 0, TEXT("model M\nx = 1\nend"), NULL, NULL));
    assert_false(parse_text(&ast, 0, TEXT("model M\nx = = 1\nend"), NULL, NULL));
    assert_null(parse_expression(&arena, 0, TEXT("1 +"), NULL));
    assert_non_null(parse_expression(&arena, 0, TEXT("1 + 1"), NULL));
    assert_null(parse_expression(&arena, 0, TEXT(""), NULL));
    arena_free(&arena);
}

// ---- Size and depth

static char *repeat(const char *before, const char *part, size_t n, const char *middle,
                    const char *after_part, const char *after)
{
    StrBuf s = { 0 };
    str_add(&s, before);
    for (size_t i = 0; i < n; i++) str_add(&s, part);
    str_add(&s, middle);
    for (size_t i = 0; i < n; i++) str_add(&s, after_part);
    str_add(&s, after);
    return str_finish(&s);
}

static void test_parse_refuses_deep_nesting_once(void **state)
{
    (void)state;
    static const struct { const char *part, *middle, *after; } kinds[] = {
        { "(", "1", ")" },          { "-", "1", "" },         { "not ", "a", "" },  { "2^", "2", "" },
        { "f(", "1", ")" },         { "u[", "1", "]" },       { "if a then b else ", "c", "" },
        { "if ", "a", " then b else c" },                     { "(1 + ", "1", ")" }, { "-(", "1", ")^2" },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t depths[] = { 90, 1000, 100000 };
        for (size_t j = 0; j < 3; j++) {
            char *text = repeat("model M\nx = ", kinds[i].part, depths[j], kinds[i].middle, kinds[i].after,
                                "\ny = = 1\nend\n");
            Parsed p;
            parse(&p, text, strlen(text));
            assert_false(p.ok);
            // the error behind it is found as well
            assert_string_equal(code_of(&p, 0), depths[j] == 90 ? "E204" : "E207");
            assert_string_equal(code_of(&p, 1), depths[j] == 90 ? "none" : "E204");
            release(&p);
            free(text);
        }
    }
}

static void test_parse_refuses_deep_blocks_once(void **state)
{
    (void)state;
    char *text = repeat("model M\n", "for i in 1..2\n", 50, "x = 1\n", "end\n", "end\n");
    Parsed p;
    parse(&p, text, strlen(text));
    assert_true(p.ok);
    release(&p);
    free(text);

    text = repeat("model M\n", "for i in 1..2\n", 100000, "x = 1\n", "end\n", "y = = 1\nend\n");
    parse(&p, text, strlen(text));
    assert_int_equal(orr_diag_count(p.diag), 2);
    assert_string_equal(code_of(&p, 0), "E207");
    assert_string_equal(code_of(&p, 1), "E204");
    release(&p);
    free(text);
}

// The deepest tree the parser makes, for walks that recurse.
static void test_parse_depth_of_the_tree_is_bounded(void **state)
{
    (void)state;
    char *text = repeat("", "(1 < 2 + 3*-2^", AST_DEPTH_MAX / 4, "1", ")", "");
    Arena arena = { 0 };
    const AstExpr *e = parse_expression(&arena, 0, text_from(text), NULL);
    assert_non_null(e);
    char *printed = NULL;
    size_t n;
    FILE *out = open_memstream(&printed, &n);
    ast_print_expr(e, out);
    fclose(out);
    assert_true(n > AST_DEPTH_MAX);
    free(printed);
    arena_free(&arena);
    free(text);
}

static void check_long(const char *part, const char *before, const char *after)
{
    // read, printed and laid out without recursion
    char *text = repeat(before, part, 100000, strstr(before, "experiment") ? "record b" : "b", "", after);
    Parsed p;
    parse(&p, text, strlen(text));
    assert_true(p.ok);
    char *printed = NULL;
    size_t n;
    FILE *out = open_memstream(&printed, &n);
    ast_print(&p.ast, out);
    fclose(out);
    assert_true(n > 100000);
    release(&p);
    parse(&p, printed, n);
    assert_true(p.ok);
    release(&p);
    StrBuf layout = { 0 };
    assert_true(format_text(text_from(text), 0, &layout, NULL));
    str_free(&layout);
    free(printed);
    free(text);
}

static void test_parse_chains_may_be_long(void **state)
{
    (void)state;
    check_long("a + ", "model M\nx = ", "\nend\n");
    check_long("a - ", "model M\nx = ", "\nend\n");
    check_long("a*b/", "model M\nx = ", "\nend\n");
    check_long("a*2 + ", "model M\nx = ", "\nend\n");
    check_long("a and ", "model M\nassert ", "\nend\n");
    check_long("a or not c and ", "model M\nassert ", "\nend\n");
    check_long("a, ", "model M\nvar ", "\nend\n");
    check_long("a.", "model M\nx = ", "\nend\n");
    check_long("1, ", "model M\nx = f(", ")\nend\n");
    check_long("x = a\n", "model M\n", " = a\nend\n");
    check_long("record a; ", "experiment e of M; ", "; until 1; end\n");
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A lot of each kind of garbage ends soon, with messages.
static void test_parse_garbage_ends_soon(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "\xFF",        "@",       "(",      "[",        "\"",          "'",              "model ",  "model\n",
        "model M\n",   "end\n",   "=\n",    "x = = 1\n", "for\n",       "x y\n",          "machine M\n",
        "when a then\n", "\"\n",  "5 [\n",  "1e\n",      "function f(\n", "experiment e of M\n", "solver a\n",
        "a, ",         "a : M(",  "\n(",    "end ",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *text = repeat("", parts[i], 300000 / strlen(parts[i]), "", "", "");
        const double start = seconds();
        Parsed p;
        parse(&p, text, strlen(text));
        assert_false(p.ok);
        assert_true(orr_diag_count(p.diag) >= 1);
        if (seconds() - start > 20) fail_msg("'%s' took %g s", parts[i], seconds() - start);
        release(&p);
        free(text);

        text = repeat("model M\n", parts[i], 300000 / strlen(parts[i]), "", "", "");
        parse(&p, text, strlen(text));
        assert_false(p.ok);
        if (seconds() - start > 40) fail_msg("'%s' in a model took %g s", parts[i], seconds() - start);
        release(&p);
        free(text);
    }
}

// ---- Any text at all

static const char *const words[] = {
    "model", "M",        "end",      "end\n",      "param",  "var",      "x",      "y",        "'",
    "=",     "==",       "1",        "2.5",        "+",      "-",        "*",      "/",        "^",
    "(",     ")",        "[",        "]",          " [m]",   "\"doc\"",  ",",      ";",        "\n",
    "\n",    ":",        ":=",       "->",         "~",      "..",       ".",      "<",        ">=",
    "if",    "then",     "else",     "and",        "or",     "not",      "for",    "in",       "i",
    "1..n",  "initial",  "terminal", "assert",     "time",   "function", "f(x)",   "return",   "rerun",
    "when",  "at",       "most",     "experiment", "of",     "until",    "solver", "step",     "record",
    "every", "plot",     "over",     "expect",     "within", "set",      "use",    "machine",  "atomic",
    "frame", "discrete", "next",     "# c\n",      "@",      "orrery",   "1e",     "\xC3\xA9",
};

// What atomics are made of.
static const char *const event_words[] = {
    "state",
    "state a\n",
    "\non x",
    "\nafter",
    "send y",
    "send y(1)",
    "do",
    "do\n",
    "-> a",
    "->",
    "keeping",
    "time",
    "start",
    "confluent",
    "external",
    "first",
    "internal",
    "input event x",
    "output event y : J",
    "required",
    "var v = 0",
    "var q = queue(J)",
    "param p = 1",
    "push(q, x)",
    "v := v + 1",
    "v[i] := 2",
    "if",
    "then",
    "else",
    "elseif",
    "end",
    "end\n",
    "for i in 1..3\n",
    "0.5 a | 0.5 b",
    "|",
    "(p)",
    "\n",
    "\n",
    ";",
    ",",
    "a",
    "\"b c\"",
    "x > 1",
    "J(1, 2)",
    "pop(q)",
    "elapsed",
    "confluent do on x do v := 1 end -> a\n",
    "nothing",
    ":",
    "[s]",
    "# c\n",
    "\"do\"",
    "record R\n",
    "enum E a, \"b\"\n",
};

static uint64_t roll(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 33;
}

// Whatever the text is: it is read to its end, messages point into it, and what means something keeps its
// meaning.
static void check_any(const char *bytes, size_t n)
{
    // no NUL follows, so that a sanitizer sees the first byte read behind it
    char *text = malloc(n ? n : 1);
    memcpy(text, bytes, n);
    Parsed p;
    parse(&p, text, n);
    for (size_t i = 0; i < orr_diag_count(p.diag); i++) {
        const orr_message m = orr_diag_get(p.diag, i);
        assert_true(m.line >= 1 && m.column >= 1);
        assert_true(m.text[0] != '\0');
    }
    StrBuf once = { 0 }, twice = { 0 };
    assert_int_equal(format_text((Text){ text, n }, 0, &once, NULL), p.ok);
    if (p.ok) {
        str_add(&once, "");
        if (!format_text((Text){ once.p, once.n }, 0, &twice, NULL))
            fail_msg("cannot be read again:\n%s", once.p);
        str_add(&twice, "");
        assert_string_equal(once.p, twice.p);

        char *printed[2] = { 0 };
        for (int i = 0; i < 2; i++) {
            size_t size;
            FILE *out = open_memstream(&printed[i], &size);
            ast_print(&p.ast, out);
            fclose(out);
            release(&p);
            if (i == 0) parse(&p, printed[0], size);
            if (i == 0 && !p.ok) fail_msg("cannot be read again:\n%s", printed[0]);
        }
        assert_string_equal(printed[0], printed[1]);
        free(printed[0]);
        free(printed[1]);
        str_free(&twice);
    } else {
        release(&p);
    }
    str_free(&once);
    free(text);
}

static void test_parse_survives_random_words(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int round = 0; round < 20000; round++) {
        StrBuf s = { 0 };
        if (round % 2) str_add(&s, "model M\n");
        const size_t n = roll(&random) % 40;
        for (size_t i = 0; i < n; i++) {
            str_add(&s, words[roll(&random) % (sizeof words / sizeof *words)]);
            if (roll(&random) % 4) str_add_char(&s, ' ');
        }
        if (round % 2) str_add(&s, "\nend\n");
        str_add(&s, "");
        check_any(s.p, s.n);
        str_free(&s);
    }
}

static void test_parse_survives_random_words_of_atomics(void **state)
{
    (void)state;
    uint64_t random = 5;
    size_t n_right = 0;
    for (int round = 0; round < 20000; round++) {
        StrBuf s = { 0 };
        str_add(&s, "atomic A\n");
        if (round % 2) str_add(&s, "state a\n");
        const size_t n = roll(&random) % (round % 4 ? 8 : 30);
        for (size_t i = 0; i < n; i++) {
            str_add(&s, event_words[roll(&random) % (sizeof event_words / sizeof *event_words)]);
            str_add_char(&s, ' ');
        }
        str_add(&s, "\nend\n");
        check_any(s.p, s.n);
        Parsed p;
        parse(&p, s.p, s.n);
        n_right += p.ok;
        release(&p);
        str_free(&s);
    }
    assert_true(n_right > 500);    // enough of them mean something
}

static void check_slips(const char *right, size_t length);

// A right text with a few bytes or lines changed: most of these mean something, or nearly.
static void test_parse_survives_slips_in_atomics(void **state)
{
    (void)state;
    static const char right[] =
        "enum Colour \"hue\" red, green, \"dark blue\"\nrecord Job \"work\"\n  born [s], size\n"
        "  urgent : boolean\nend\n"
        "atomic A \"one\"\n  param mean = 0.8 [s], k = 2\n  const n = 3\n"
        "  input event job : Job required, stop : nothing\n"
        "  output event done : Job, count [m]\n  var q = queue(Job), now : Job, a[n] = 0, on = false\n"
        "  start do a[1] := 3; if k > 2 then on := true end -> idle\n  on stop -> idle\n  state idle\n"
        "    on job if job.size > 0 do now := job -> busy\n    on job\n"
        "  state busy \"works\" for exponential(mean)\n"
        "    on job do push(q, job) -> busy keeping time\n"
        "    after send done(now) if now.size > 2, count(2) -> if "
        "empty(q) then idle else do now := pop(q) -> busy\n"
        "  state last for 0\n    after do\n      for i in 1..n\n        a[i] := a[i] + 1\n"
        "        if i == 2 then\n"
        "          on := false\n        elseif i == 3 then on := true\n        else on := not on end\n"
        "      end\n"
        "      -> 0.5 idle | (k/4) do on := true -> last\n    on stop do now.size := 3 end\n"
        "  confluent do on := false\n    on job if job.size > 1 do push(q, job) end\n"
        "    on stop do k := 1 end\n  -> last\nend\n";
    check_any(right, sizeof right - 1);
    check_slips(right, sizeof right - 1);
}

static void test_parse_survives_slips(void **state)
{
    (void)state;
    static const char right[] =
        "orrery 1\nuse \"a.orr\"\nmodel Tank \"a tank\"\n  param A = 2 [m^2], q[3] = -1 \"flow\"\n"
        "  const c = 1\n"
        "  input u = 0\n  var h = 1 [m], h' = 0, w[2, n] ~ 3\n  output y = h^2*A - (1 + u)/2\n"
        "  h'' = -q[1]*h' + if h > 0 then 1 else -1\n"
        "  a + b = c\n  initial h + y = 2\n  initial\n    for i in 1..n-1\n      w[1, i] = 0\n    end\n"
        "  end\n"
        "  for i in 1..3\n    w[i, 1]' = i # rate\n    p[i].out -> p[i+1].in, s.in\n  end\n"
        "  p[4], s : Pump(K = 3, m.x = 2)\n"
        "  assert abs(h) < 3 and not (u == 2) \"dry\"\n  function f(x, y)\n    z = x*y\n    return z^-1\n"
        "  end\n  time [d]\n"
        "  terminal\n    A := A + 1\n    rerun when y > 2 at most 10\n  end\nend\nfunction g(x) = x^2\n"
        "experiment run of Tank \"once\"\n  from 0; until 10\n  solver semi-implicit euler step 0.01 tol r\n"
        "  set A = 3, p[1].K = 2\n  record h, p[1].out every 0.1\n  plot h, y over h'\n"
        "  expect h at 1 = 2 within 1e-3\nend\n";
    check_any(right, sizeof right - 1);
    check_slips(right, sizeof right - 1);
}

static void check_slips(const char *right, size_t length)
{
    assert_true(length < 3900);
    uint64_t random = 2;
    for (int round = 0; round < 6000; round++) {
        char text[4000];
        size_t n = length;
        memcpy(text, right, n);
        for (uint64_t slips = 1 + roll(&random) % 3; slips > 0; slips--) {
            const size_t at = roll(&random) % n;
            const char c = right[roll(&random) % (length)];
            switch (roll(&random) % 4) {
            case 0: text[at] = c; break;
            case 1: memmove(text + at, text + at + 1, n - at - 1); n--; break;
            case 2: memmove(text + at + 1, text + at, n - at); text[at] = c; n++; break;
            default:    // cut a piece out
                {
                    const size_t cut = roll(&random) % (n - at < 30 ? n - at : 30);
                    memmove(text + at, text + at + cut, n - at - cut);
                    n -= cut;
                }
            }
        }
        check_any(text, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_declaration_keeps_unit_value_and_doc),
        cmocka_unit_test(test_parse_places_cover_what_was_written),
        cmocka_unit_test(test_parse_goes_on_after_errors_and_keeps_the_rest),
        cmocka_unit_test(test_parse_works_without_a_collector),
        cmocka_unit_test(test_parse_refuses_deep_nesting_once),
        cmocka_unit_test(test_parse_refuses_deep_blocks_once),
        cmocka_unit_test(test_parse_depth_of_the_tree_is_bounded),
        cmocka_unit_test(test_parse_chains_may_be_long),
        cmocka_unit_test(test_parse_garbage_ends_soon),
        cmocka_unit_test(test_parse_survives_random_words),
        cmocka_unit_test(test_parse_survives_slips),
        cmocka_unit_test(test_parse_survives_random_words_of_atomics),
        cmocka_unit_test(test_parse_survives_slips_in_atomics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/api/test_devstone_text.c: DEVStone written in the language from top to bottom: atomics, levels inside
// levels, arrows. Each atomic counts its own transitions; their sums are those of the published formulas.
#include "check.h"
#include "devstone.h"
#include "orrery/orrery.h"

typedef struct Writer {
    char  *text;
    size_t n;
    FILE  *out;
} Writer;

static const char atomics[] = "atomic Stone\n"
                              "  input event in\n"
                              "  output event out\n"
                              "  var sum = 0, n_internal = 0, n_external = 0\n"
                              "  state idle\n"
                              "    on in do sum := sum + in; n_external := n_external + 1 -> active\n"
                              "  state active for 0\n"
                              "    on in do sum := sum + in -> active keeping time\n"
                              "    after send out(sum) do n_internal := n_internal + 1 -> idle\n"
                              "end\n"
                              "atomic Kick\n"
                              "  output event out\n"
                              "  state waiting for 1\n"
                              "    after send out(1) -> over\n"
                              "  state over\n"
                              "end\n";

// Level k; a width of w means w - 1 atomics beside the level inside.
static void write_level(FILE *out, const char *kind, int w, int k)
{
    const bool is_ho = strncmp(kind, "HO", 2) == 0, is_mod = strcmp(kind, "HOmod") == 0;
    fprintf(out, "model L%d\n  input event in, in2\n  output event out, out2\n", k);
    if (k == 1) {
        fprintf(out, "  a : Stone\n  in -> a.in\n  a.out -> out\nend\n");
        return;
    }
    fprintf(out, "  inner : L%d\n  in -> inner.in\n  inner.out -> out\n", k - 1);
    if (is_mod) {
        // a first row that drives the level inside, and a triangle below that drives it
        fprintf(out, "  first[%d] : Stone\n  for i in 1..%d\n", w - 1, w - 1);
        fprintf(out, "    in2 -> first[i].in\n    first[i].out -> inner.in2\n  end\n");
        for (int r = 1; r < w; r++) {
            fprintf(out, "  row%d[%d] : Stone\n  in2 -> row%d[1].in\n", r, w - r, r);
            if (r == 1)
                fprintf(out,
                        "  for i in 1..%d\n    for k in 1..%d\n      row1[i].out -> first[k].in\n    end\n"
                        "  end\n",
                        w - 1, w - 1);
            else
                fprintf(out, "  for i in 1..%d\n    row%d[i].out -> row%d[i + 1].in\n  end\n", w - r, r,
                        r - 1);
        }
        fprintf(out, "end\n");
        return;
    }
    if (is_ho) fprintf(out, "  in -> inner.in2\n");
    fprintf(out, "  s[%d] : Stone\n  for i in 1..%d\n    %s -> s[i].in\n", w - 1, w - 1,
            is_ho ? "in2" : "in");
    if (is_ho) fprintf(out, "    s[i].out -> out2\n");
    fprintf(out, "  end\n");
    if (strcmp(kind, "LI") != 0 && w > 2)
        fprintf(out, "  for i in 1..%d\n    s[i].out -> s[i + 1].in\n  end\n", w - 2);
    fprintf(out, "end\n");
}

static void count(const char *kind, int w, int d)
{
    Writer t = { 0 };
    t.out = open_memstream(&t.text, &t.n);
    fputs(atomics, t.out);
    for (int k = 1; k <= d; k++) write_level(t.out, kind, w, k);
    fprintf(t.out, "model Top\n  kick : Kick\n  l : L%d\n  kick.out -> l.in, l.in2\nend\n", d);
    fclose(t.out);

    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse("stones.orr", t.text, t.n, diag);
    orr_compile_options options = orr_compile_options_default();
    options.model = "Top";
    orr_model *model = source ? orr_model_compile(source, &options, diag) : NULL;
    orr_source_destroy(source);    // a model needs it no more
    orr_run *run = model ? orr_run_create(model, NULL, diag) : NULL;
    if (!run) orr_diag_print(diag, stderr, 0);
    assert_non_null(run);
    assert_int_equal(orr_run_advance(run, 2), ORR_STATUS_OK);
    double internal = 0, external = 0;
    size_t n_atomics = 0;
    for (size_t i = 0; i < orr_model_n_variables(model); i++) {
        const char *name = orr_model_variable(model, i).name, *dot = strrchr(name, '.');
        if (dot && strcmp(dot, ".n_internal") == 0) internal += orr_run_value(run, i), n_atomics++;
        if (dot && strcmp(dot, ".n_external") == 0) external += orr_run_value(run, i);
    }
    const size_t W = (size_t)w, D = (size_t)d;
    const bool is_mod = strcmp(kind, "HOmod") == 0;
    assert_int_equal(n_atomics, (is_mod ? (W - 1) + W * (W - 1) / 2 : W - 1) * (D - 1) + 1);
    assert_near(internal, (double)devstone_transitions(kind, W, D), 0);
    assert_near(external, (double)devstone_transitions(kind, W, D), 0);
    orr_run_destroy(run);
    orr_model_destroy(model);
    orr_diag_destroy(diag);
    free(t.text);
}

static void test_devstone_in_the_language(void **state)
{
    (void)state;
    static const int sizes[][2] = { { 2, 1 }, { 2, 3 }, { 3, 2 }, { 5, 4 }, { 8, 6 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        count("LI", sizes[i][0], sizes[i][1]);
        count("HI", sizes[i][0], sizes[i][1]);
        count("HO", sizes[i][0], sizes[i][1]);
        count("HOmod", sizes[i][0], sizes[i][1]);
    }
}

int main(void)
{
    (void)devstone_build;
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_devstone_in_the_language) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

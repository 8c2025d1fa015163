// examples/c/decay.c: the library in thirty lines: compile a model from text, run it, read values.
//
//     cc decay.c $(pkg-config --cflags --libs orrery) -o decay
#include <orrery/orrery.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "model Decay\n"
                           "  param k = 1\n"
                           "  var x = 1\n"
                           "  x' = -k*x\n"
                           "end\n";

int main(void)
{
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse("decay.orr", text, strlen(text), diag);
    orr_model *model = source ? orr_model_compile(source, NULL, diag) : NULL;

    const orr_setting half = { "k", 0.5 };
    orr_run_options options = orr_run_options_default();
    options.solver = "dopri5";
    options.settings = &half;
    options.n_settings = 1;
    orr_run *run = model ? orr_run_create(model, &options, diag) : NULL;

    for (int i = 0; run && i <= 10 && orr_run_advance(run, i) == ORR_STATUS_OK; i++)
        printf("%g %.9g\n", orr_run_time(run), orr_run_value(run, orr_model_find(model, "x")));

    orr_diag_print(diag, stderr, 0);
    const int failed = orr_diag_errors(diag) > 0;
    orr_run_destroy(run);
    orr_model_destroy(model);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
    return failed;
}

// tests/fuzz/fuzz_checkpoint.c: a saved run in which any bytes are others: it is loaded or refused, never a
// crash, and what was loaded can be read.
//
// The input is a list of changes of four bytes each: where (three), and what is put there. A hash protects
// files against accidents, so here the bytes behind it are given to the reader directly.
#include "orrery/experiment.h"
#include "run/run.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Something of everything that is saved.
static const char text[] =
    "atomic Source\n  output event job\n  state waiting for exponential(0.3)\n"
    "    after send job(t) -> waiting\nend\n"
    "atomic Server\n  input event job\n  output event done\n  var waiting = queue(number), times = tally()\n"
    "  var now = 0\n  state idle\n    on job do now := job -> busy\n  state busy for exponential(0.4)\n"
    "    on job do push(waiting, job) -> busy keeping time\n"
    "    after send done(now) -> if empty(waiting) then idle else do\n      now := pop(waiting)\n"
    "      add(times, now)\n    end -> busy\nend\n"
    "model Decay\n  input u = 0\n  var x = 1\n  x' = u - x\nend\n"
    "model Ball\n  var h = 1, v = 0, s = 1, y = 0\n  discrete n = 0, d = 0\n  h' = v\n  v' = -9.81\n"
    "  s' = if s > 0 then -1 + 0.3*y else 1 + 0.3*y\n  y' = 0.1\n"
    "  when h <= 0 then\n    v := -0.5*v\n    n := n + 1\n  end\n  when n > 3 after 0.2 then d := 1 end\n"
    "  every 0.3 then d := d + uniform(0, 1) end\n  assert h < 0.9\nend\n"
    "model Late\n  var x = 1\n  x' = -delay(x, 0.3)\nend\n"
    "model All\n  source : Source\n  server : Server\n  source.job -> server.job\n  ball : Ball\n"
    "  island a : Decay solver qss2\n  island b : Decay solver rk4 step 0.01\n  a.x -> b.u\n  b.x -> a.u\n"
    "end\n"
    "model Both\n  ball : Ball\n  late : Late\nend\n";

typedef struct Subject {
    const char *model, *solver;
} Subject;

static const Subject subjects[] = {
    { "All", "rk4" }, { "Both", "dopri5" }, { "Ball", "qss2" }, { "Ball", "liqss1" }, { "Both", "auto" },
};
enum { N_SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct Saved {
    orr_diag *diag;
    orr_model *model;
    orr_run_options options;
    char *bytes;    // [n]
    size_t n;
} Saved;

static void must(bool ok)
{
    if (!ok) abort();
}

static Saved make(const Subject *subject)
{
    Saved s = { .diag = orr_diag_create(), .options = orr_run_options_default() };
    orr_source *source = orr_source_parse("fuzz.orr", text, sizeof text - 1, s.diag);
    orr_compile_options o = orr_compile_options_default();
    o.code = ORR_CODE_INSTANT;
    o.model = subject->model;
    s.model = source ? orr_model_compile(source, &o, s.diag) : NULL;
    if (!s.model) orr_diag_print(s.diag, stderr, 0);
    must(s.model);
    s.options.solver = subject->solver;
    s.options.t_end = 6;
    s.options.step = 0.01;
    orr_run *run = orr_run_create(s.model, &s.options, s.diag);
    must(run && orr_run_advance(run, 1.234) == ORR_STATUS_OK);
    s.n = run_save(run, NULL);
    s.bytes = malloc(s.n);
    must(s.bytes && run_save(run, s.bytes) == s.n);
    orr_run_destroy(run);
    orr_source_destroy(source);
    s.options.max_seconds = 0.2;    // islands are advanced when they are read: their times may be anything
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Saved saved[N_SUBJECTS];    // made once: compiling takes longer than loading
    if (size < 1) return 0;
    Saved *s = &saved[data[0] % N_SUBJECTS];
    if (!s->model) *s = make(&subjects[data[0] % N_SUBJECTS]);
    const bool is_shorter = data[0] >= 200;
    char *bytes = malloc(s->n);
    must(bytes);
    memcpy(bytes, s->bytes, s->n);
    for (size_t i = 1; i + 4 <= size; i += 4) {
        const size_t at = (size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2];
        bytes[at % s->n] = (char)data[i + 3];
    }
    const size_t n = is_shorter && size > 3 ? ((size_t)data[2] << 8 | data[3]) % s->n : s->n;

    orr_diag_clear(s->diag);
    orr_run *run = orr_run_create(s->model, &s->options, s->diag);
    must(run);
    const bool is_changed = size >= 5 || n < s->n;
    const bool ok = run_load(run, bytes, n);
    if (!is_changed) must(ok);
    if (n < s->n) must(!ok);
    double sum = 0;
    for (size_t i = 0; ok && i < orr_model_n_variables(s->model); i++) sum += orr_run_value(run, i);
    volatile double read = sum;
    (void)read;
    orr_run_destroy(run);
    free(bytes);
    return 0;
}

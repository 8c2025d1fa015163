// tests/fuzz/fuzz_checkpoint.c: a saved run in which any bytes are others: it is loaded or refused, never a
// crash, and what was loaded can be read, goes on and can be saved again.
//
// The input is a list of changes of four bytes each: where (three), and what is put there: a byte or, if its
// number is small, a word of eight that is the limit of something. A hash protects files against accidents,
// so here the bytes behind it are given to the reader directly.
#include "orrery/experiment.h"
#include "run/run.h"
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
    "model Noisy\n  var x = 1\n  x' = -x + noise(0.2)\nend\n"
    "model Pendulum\n  var x = 1, y = 0, vx = 0, vy = 0, f\n  x' = vx\n  y' = vy\n  vx' = -f*x\n"
    "  vy' = -f*y - 9.81\n  x^2 + y^2 = 1\nend\n"
    "record Job\n  born\n  size\nend\n"
    "atomic Maker\n  output event job : Job\n  var n = 0\n  state waiting for exponential(0.05)\n"
    "    after send job(Job(t, mod(n, 5))) do n := n + 1 -> waiting\nend\n"
    "atomic Shop\n  input event job : Job\n  var first[3] = queue(Job), ranked = queue(Job)\n"
    "  var done = tally()\n"
    "  var busy = level(0), now : Job\n  state idle\n    on job do now := job -> work\n"
    "  state work for 0.1\n    on job do\n      insert(ranked, job, -job.size)\n"
    "      push(first[1 + mod(job.size, 3)], job)\n      set(busy, length(ranked))\n"
    "    end -> work keeping time\n"
    "    after -> if empty(ranked) then idle else do\n      now := pop(ranked)\n"
    "      add(done, t - now.born)\n      if not empty(first[2]) then now := pop(first[2]) end\n"
    "    end -> work\nend\n"
    "model Shops\n  maker : Maker\n  shop[4] : Shop\n  for i in 1..4\n    maker.job -> shop[i].job\n  end\n"
    "end\n"
    "model All\n  source : Source\n  server : Server\n  source.job -> server.job\n  ball : Ball\n"
    "  island a : Decay solver qss2\n  island b : Decay solver rk4 step 0.01\n  a.x -> b.u\n  b.x -> a.u\n"
    "end\n"
    "model Both\n  ball : Ball\n  late : Late\nend\n";

typedef struct Subject {
    const char *model, *solver;
} Subject;

static const Subject subjects[] = {
    { "All", "rk4" }, { "Both", "dopri5" }, { "Ball", "qss2" }, { "Ball", "liqss1" }, { "Both", "auto" },
    { "All", "qss2" }, { "Shops", "euler" }, { "Pendulum", "rk4" }, { "Pendulum", "ida" }, { "Both", "bdf" },
    { "Ball", "mliqss2" }, { "Noisy", "srk" }, { "Pendulum", "auto" }, { "Ball", "dop853" },
};
enum { N_SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct Saved {
    orr_diag *diag;
    orr_model *model;
    orr_run_options options;
    char *bytes;    // [n]
    size_t n;
    char *file;     // [n_file] as it stands on a disk, with its head
    size_t n_file;
} Saved;

// What sizes, indices and times break at.
static const uint64_t words[] = {
    0, 1, 2, 3, 7, 8, 100, 160, 161, 255, 256, 65535, 65536, 1000000, INT32_MAX, 1u << 31, UINT32_MAX,
    (uint64_t)1 << 32, ((uint64_t)1 << 32) + 1, INT64_MAX, (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 7,
    0x3ff0000000000000 /* 1 */, 0xbff0000000000000 /* -1 */, 0x7ff0000000000000 /* inf */,
    0xfff0000000000000 /* -inf */, 0x7ff8000000000000 /* nan */, 0x7fe1ccf385ebc8a0 /* 1e308 */,
    0x0000000000000001 /* the least */, 0x4341c37937e08000 /* 1e16 */, 0x401c000000000000 /* 7 */,
    0x0000000700000007, 0x0000000100000000, 0xffffffff00000000, 0x00000000ffffffff,
};
enum { N_WORDS = sizeof words / sizeof *words };

static void must(bool ok)
{
    if (!ok) abort();
}

static const char *path_of(int fd)
{
    static char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

static void save_file(orr_run *run, Saved *s)
{
    char path[] = "/tmp/orrery-saved-XXXXXX";
    const int fd = mkstemp(path);
    must(fd >= 0 && orr_run_save_file(run, path) == ORR_STATUS_OK);
    close(fd);
    FILE *in = fopen(path, "rb");
    must(in);
    s->file = malloc(s->n + 1000);
    must(s->file);
    s->n_file = fread(s->file, 1, s->n + 1000, in);
    fclose(in);
    unlink(path);
}

// Any byte of a file may be another, its head too.
static void load_file(const Saved *s, const uint8_t *data, size_t size)
{
    orr_run *run = orr_run_create(s->model, &s->options, s->diag);
    char *bytes = malloc(s->n_file);
    must(run && bytes);
    memcpy(bytes, s->file, s->n_file);
    for (size_t i = 1; i + 3 <= size; i += 3)
        bytes[((size_t)data[i] << 8 | data[i + 1]) % (data[i] % 2 ? s->n_file : 64)] = (char)data[i + 2];
    const size_t n = size % 5 == 4 ? data[1] % s->n_file : s->n_file;
    const int fd = memfd_create("fuzz", 0);
    must(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    const bool is_same = n == s->n_file && memcmp(bytes, s->file, n) == 0;
    must((orr_run_load_file(run, path_of(fd)) == ORR_STATUS_OK) == is_same);
    must(is_same || orr_diag_errors(s->diag) > 0);
    close(fd);
    free(bytes);
    orr_run_destroy(run);
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
    const bool is_there = run && orr_run_advance(run, 1.234) == ORR_STATUS_OK;
    if (!is_there) orr_diag_print(s.diag, stderr, 0);
    must(is_there);
    s.n = run_save(run, NULL);
    s.bytes = malloc(s.n);
    must(s.bytes && run_save(run, s.bytes) == s.n);
    save_file(run, &s);
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
    if (data[0] >= 250) {
        orr_diag_clear(s->diag);
        load_file(s, data, size);
        return 0;
    }
    const bool is_shorter = data[0] >= 200;
    char *bytes = malloc(s->n);
    must(bytes);
    memcpy(bytes, s->bytes, s->n);
    for (size_t i = 1; i + 4 <= size; i += 4) {
        const size_t at = (size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2];
        if (data[i + 3] < N_WORDS && s->n >= 8)
            memcpy(bytes + at % (s->n / 4 - 1) * 4, &words[data[i + 3]], 8);
        else bytes[at % s->n] = (char)data[i + 3];
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
    if (ok && orr_run_advance(run, 1.5) == ORR_STATUS_OK) {
        const size_t again = run_save(run, NULL);
        char *second = malloc(again + 1);
        must(second);
        if (again) run_save(run, second);
        free(second);
    }
    orr_run_destroy(run);
    free(bytes);
    return 0;
}

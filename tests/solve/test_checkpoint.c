// tests/solve/test_checkpoint.c: a run that goes on from a checkpoint gives the bits of the run that was
// never interrupted: rows at every step, events, polynomials, counts of work. Of every example, with several
// solvers, from several times; and of models that stand in the middle of something when they are saved.
#include "check.h"
#include "orrery/experiment.h"
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENOUGH = 30000 };    // numbers: longer runs end there

// ---- All that comes out of a run, as one row of numbers; checkpoints know where it stood

typedef struct Tape {
    double *numbers;    // [n]
    size_t n, capacity;
    size_t n_marks;
    bool is_limited;
    double t;
    const char *path;    // where checkpoints go: each is put aside, since the next one replaces it
} Tape;

static void put(Tape *tape, const double *numbers, size_t n)
{
    if (tape->n + n > tape->capacity) {
        tape->capacity = 2 * tape->capacity + n + 1024;
        tape->numbers = realloc(tape->numbers, tape->capacity * sizeof *numbers);
        assert_non_null(tape->numbers);
    }
    if (n > 0) memcpy(tape->numbers + tape->n, numbers, n * sizeof *numbers);
    tape->n += n;
}

static bool take_row(void *self, double t, const double *values, size_t n)
{
    Tape *tape = self;
    put(tape, &t, 1);
    put(tape, values, n);
    tape->t = t;
    return tape->n < ENOUGH || !tape->is_limited;
}

static bool take_event(void *self, const orr_event *event)
{
    const double numbers[] = { event->t, event->left, event->right, (double)event->iteration };
    put(self, numbers, 4);
    return true;
}

static bool take_piece(void *self, const orr_piece *piece)
{
    put(self, &piece->t, 1);
    put(self, piece->c, 4);
    return true;
}

static void aside(const char *path, size_t i, char name[80]) { snprintf(name, 80, "%s.%zu", path, i); }

static orr_sink_mark mark(void *self)
{
    Tape *tape = self;
    char name[80];
    if (tape->n_marks > 0) {
        aside(tape->path, tape->n_marks - 1, name);
        assert_int_equal(rename(tape->path, name), 0);
    }
    tape->n_marks++;
    return (orr_sink_mark){ .file = 1, .position = tape->n + 1 };
}

static orr_sink_goes_on go_on(void *self, const orr_sink_mark *marks, size_t n)
{
    Tape *tape = self;
    if (!marks) return ORR_SINK_BEGINS;
    assert_int_equal(n, 1);
    assert_true(marks[0].position >= 1 && marks[0].position <= tape->n + 1);
    tape->n = marks[0].position - 1;
    return ORR_SINK_GOES_ON;
}

static orr_sink sink_of(Tape *tape, bool with_pieces)
{
    return (orr_sink){ .row = take_row,
                       .event = take_event,
                       .piece = with_pieces ? take_piece : NULL,
                       .mark = mark,
                       .go_on = go_on,
                       .self = tape };
}

static bool are_equal(const Tape *a, const Tape *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->numbers, b->numbers, a->n * sizeof *a->numbers) == 0);
}

// ---- One case

typedef struct Case {
    const char *name, *solver;
    const orr_model *model;
    orr_experiment experiment;
    bool with_pieces;
    double every;    // of checkpoints; 0: some
} Case;

// Saving leaves no trace. SUNDIALS' solvers do not tell what they remember, radau keeps its matrices to
// itself, and bdf stands in for implicit quantised states where they slide or rest.
static bool is_exact(const Case *c, const char *solver)
{
    static const char *const anew[] = { "bdf", "adams", "ida", "radau" };
    for (size_t i = 0; i < sizeof anew / sizeof *anew; i++)
        if (strcmp(solver, anew[i]) == 0) return false;
    return !(strstr(solver, "liqss") && (strstr(c->name, "slid") || strstr(c->name, "rest")));
}

static void fail_with(const Case *c, const char *what, size_t i, const orr_diag *diag)
{
    orr_diag_print(diag, stderr, 0);
    fail_msg("%s, %s: %s, checkpoint %zu", c->name, c->solver ? c->solver : "its solver", what, i);
}

static bool same_work(const orr_outcome *one, const orr_outcome *other)
{
    const orr_run_facts *a = &one->facts, *b = &other->facts;
    for (size_t i = 0; i < one->n_distributions && i < other->n_distributions; i++) {
        const orr_distribution *x = &one->distributions[i], *y = &other->distributions[i];
        if (memcmp(&x->level, &y->level, sizeof x->level) || memcmp(&x->tally, &y->tally, sizeof x->tally))
            return false;
    }
    return a->n_steps == b->n_steps && a->n_rates == b->n_rates && a->n_events == b->n_events &&
           a->n_rejected == b->n_rejected && a->n_messages == b->n_messages &&
           one->n_left == other->n_left && one->n_distributions == other->n_distributions &&
           strcmp(a->solver ? a->solver : "", b->solver ? b->solver : "") == 0;
}

// How many checkpoints were gone on from; 0: the solver does not take this model.
static size_t compare(Case *c)
{
    char path[48];
    // in memory, if there is such a place: checkpoints are written through to the disk
    snprintf(path, sizeof path, "%s/orrery_ck_%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             (int)getpid());
    orr_diag *diag = orr_diag_create();
    Tape alone = { 0 }, saved = { .path = path };
    orr_experiment e = c->experiment;
    e.n_expects = 0;
    if (c->solver) e.run.solver = c->solver;
    // a row at each step, and no more steps than are needed
    orr_sink sink = sink_of(&alone, c->with_pieces);
    const double every = e.every;
    e.every = 0;
    alone.is_limited = true;
    if (c->every == 0) {
        orr_outcome zeroth = orr_simulate(c->model, &e, &sink, 1, diag);
        orr_outcome_free(&zeroth);
        if (alone.n >= ENOUGH) e.until = alone.t;
    }
    if (!c->solver) e.every = every;
    alone.n = 0;
    alone.is_limited = false;
    orr_outcome first = orr_simulate(c->model, &e, &sink, 1, diag);
    const bool takes = first.status == ORR_STATUS_OK;
    const bool has_ended = first.is_over || first.facts.terminated;
    char solver[32];
    snprintf(solver, sizeof solver, "%s", first.facts.solver ? first.facts.solver : "none");
    const bool exact = is_exact(c, solver);
    size_t n = 0;
    if (takes) {
        e.checkpoint = path;
        e.checkpoint_every = c->every > 0 ? c->every : (e.until - e.from) / (has_ended ? 20 : 3.7);
        sink = sink_of(&saved, c->with_pieces);
        orr_diag_clear(diag);
        orr_outcome second = orr_simulate(c->model, &e, &sink, 1, diag);
        if (second.status != ORR_STATUS_OK) fail_with(c, "could not be saved", saved.n_marks, diag);
        if (exact && (!are_equal(&alone, &saved) || !same_work(&first, &second)))
            fail_with(c, "saving made a difference", saved.n_marks, diag);
        e.checkpoint = NULL;
        for (size_t i = 0; i < saved.n_marks; i++) {
            char name[80];
            aside(path, i, name);
            Tape rest = { 0 };
            put(&rest, saved.numbers, saved.n);
            sink = sink_of(&rest, c->with_pieces);
            e.resume = i + 1 < saved.n_marks ? name : path;
            // those of SUNDIALS begin anew at each checkpoint, so what comes behind the last one is
            // comparable
            const bool is_last = i + 1 == saved.n_marks;
            orr_diag_clear(diag);
            orr_outcome third = is_last || exact ? orr_simulate(c->model, &e, &sink, 1, diag)
                                                 : (orr_outcome){ .facts = second.facts };
            if (is_last || exact) {
                if (third.status != ORR_STATUS_OK) fail_with(c, "could not go on", i, diag);
                if (!are_equal(&saved, &rest)) fail_with(c, "the rest is another one", i, diag);
                if (!same_work(&second, &third))
                    fail_with(c, "the work is counted otherwise", i, diag);
                orr_outcome_free(&third);
                n++;
            }
            remove(e.resume);
            free(rest.numbers);
        }
        orr_outcome_free(&second);
    }
    orr_outcome_free(&first);
    free(alone.numbers);
    free(saved.numbers);
    orr_diag_destroy(diag);
    return n;
}

// ---- Examples

static orr_model *compile(const orr_source *source, const orr_experiment *e, bool implicit, orr_diag *diag)
{
    orr_compile_options o = orr_compile_options_default();
    o.code = ORR_CODE_INSTANT;
    o.model = e->model;
    o.implicit = implicit;
    o.inputs = e->run.inputs;
    o.n_inputs = e->run.n_inputs;
    o.settings = e->run.settings;
    o.n_settings = e->run.n_settings;
    return orr_model_compile(source, &o, diag);
}

static void test_examples_go_on_to_the_same_bits(void **state)
{
    (void)state;
    static const char *const solvers[] = { NULL, "rk4", "dopri5", "bdf", "qss2", "liqss2" };
    glob_t files = { 0 };
    assert_int_equal(glob("examples/*.[oc][rs]*", 0, NULL, &files), 0);
    size_t n = 0;
    for (size_t f = 0; f < files.gl_pathc; f++) {
        orr_diag *diag = orr_diag_create();
        orr_source *source = orr_source_open(files.gl_pathv[f], diag);
        orr_experiment e;
        orr_model *model = NULL;
        if (source && orr_experiment_get(source, NULL, &e, diag) && e.model)
            model = compile(source, &e, false, diag);
        for (size_t i = 0; model && i < sizeof solvers / sizeof *solvers; i++) {
            Case c = { .name = files.gl_pathv[f], .solver = solvers[i], .model = model, .experiment = e };
            n += compare(&c);
        }
        orr_model_destroy(model);
        orr_source_destroy(source);
        orr_diag_destroy(diag);
    }
    globfree(&files);
    assert_true(n > 900);
}

// ---- In the middle of something

typedef struct Middle {
    const char *name, *text, *solvers;
    double until, every;    // of checkpoints
    const char *input;      // or NULL
    bool implicit;          // loops are left to the solver
    double step;
} Middle;

static const Middle middles[] = {
    // at 2.5 one event makes the next fire, twice, and delays another one to the time of the second
    // checkpoint
    { "cascade",
      "model Cascade\n  var x = 0\n  discrete a = 0, b = 0, c = 0, d = 0\n  x' = 1 + c\n"
      "  at 2.5 then a := 1 end\n"
      "  when a > 0.5 then b := 2 end\n  when b > 1 then c := 3 end\n  when c > 2 after 2.5 then d := x end\n"
      "  every 0.5 then b := b + 1 end\nend\n",
      "euler rk4 dopri5 bdf qss2 liqss2", 9, 2.5, NULL, false, 0.01 },
    { "delays", "model Late\n  var x = 1, y = 0\n  x' = -delay(x, 1.3)\n  y' = delay(x, 0.4) - y\nend\n",
      "rk4 heun dopri5 bdf adams", 9, 1.31, NULL, false, 0.01 },
    { "islands of several kinds",
      "model Rabbits\n  input foxes\n  var n = 10\n  n' = n*(1.5 - foxes)\nend\n"
      "model Foxes\n  input rabbits\n  var n = 5\n  n' = n*(rabbits - 3)\nend\n"
      "model Counts\n  input x\n  var mean = 0\n  discrete n = 0\n  mean' = x - mean\n"
      "  when x > 5 then n := n + 1 end\nend\n"
      "model Apart\n  island rabbits : Rabbits solver qss2 quantum 1e-2\n"
      "  island foxes : Foxes solver dopri5 output every 0.05\n"
      "  island counts : Counts solver rk4 step 0.01\n"
      "  rabbits.n -> foxes.rabbits\n  foxes.n -> rabbits.foxes\n  rabbits.n -> counts.x\n  var z = 0\n"
      "  z' = foxes.n - z\n"
      "  every 1.5 then rabbits.n := 4 end\nend\n",
      "euler rk4 dopri5 qss2", 7, 1.5, NULL, false, 0.01 },
    { "islands with noise",
      "model Walk\n  input pull = 0\n  var x = 0\n  x' = pull - x + noise(0.2)\nend\n"
      "model Two\n  island a : Walk solver srk step 0.01\n  island b : Walk solver euler-maruyama step 0.02\n"
      "  a.x -> b.pull\n  b.x -> a.pull\nend\n",
      "rk4 dopri5", 5, 0.815, NULL, false, 0.01 },
    { "an island that begins anew where it is saved: bdf, slid",
      "model Stiff\n  input u = 0\n  var x = 0, y = 1\n  x' = -1000*(x - y) + u\n  y' = -x\nend\n"
      "model Two\n  island a : Stiff solver bdf\n  var z = 1\n  z' = a.x - z\n  z -> a.u\nend\n",
      "bdf", 5, 1.3, NULL, false, 0.01 },
    { "an island that has ended",
      "model Stops\n  var x = 0\n  x' = 1\n  when x > 1 then terminate \"enough\" end\nend\n"
      "model Two\n  island a : Stops solver rk4 step 0.01\n  var z = 1\n  z' = a.x - z\nend\n",
      "rk4 dopri5", 5, 1.3, NULL, false, 0.01 },
    // slides from 1.43 to 3.3 or so
    { "sliding in and out",
      "model Slides\n  var x = 1, y = 0\n  x' = if x > 0 then -1 + 0.3*y else 1 + 0.3*y\n"
      "  y' = if x > 0 then 1 else 2\nend\n",
      "euler rk4 dopri5 bdf qss1 qss2 qss3 liqss1 liqss2", 6, 0.47, NULL, false, 0.01 },
    { "a bouncing ball comes to rest and is thrown again",
      "model Ball\n  var h = 1, v = 0\n  h' = v\n  v' = -9.81\n  when h <= 0 then v := -0.5*v end\n"
      "  at 4 then v := 3 end\n"
      "end\n",
      "rk4 dopri5 bdf qss2 liqss2", 7, 0.61, NULL, false, 0.01 },
    { "a row of samples, linear", "model In\n  input u = 0\n  var x = 0\n  x' = u - x\nend\n",
      "rk4 dopri5 bdf qss2", 9, 1.27, "linear", false, 0.01 },
    { "a row of samples, held", "model In\n  input u = 0\n  var x = 0\n  x' = u - x\nend\n",
      "rk4 dopri5 bdf qss2", 9, 1.27, "hold", false, 0.01 },
    { "a row of samples, cubic", "model In\n  input u = 0\n  var x = 0\n  x' = u - x\nend\n",
      "rk4 dopri5 bdf qss3", 9, 1.27, "cubic", false, 0.01 },
    { "a row of samples, again and again", "model In\n  input u = 0\n  var x = 0\n  x' = u - x\nend\n",
      "rk4 dopri5 qss2", 31, 7.7, "linear:cyclic", false, 0.01 },
    { "noise",
      "model Noise\n  var x = 1, y = 0\n  x' = -x + noise(0.3)\n  y' = x - y + noise(0.1)*y\n"
      "  when x > 1.2 then y := 0 end\nend\n",
      "euler-maruyama srk", 5, 0.777, NULL, false, 0.01 },
    { "a loop that is left to the solver",
      "model Loop\n  var x = 1, y, z\n  x' = -y\n  y + sin(z) = x\n  z + 0.5*cos(y) = x*y\nend\n", "ida", 5,
      1.3, NULL, true, 0 },
    { "chance",
      "model Luck\n  param p = uniform(1, 2)\n  var x = 0\n  discrete n = 0\n  x' = p - x*n\n"
      "  every exponential(0.3) then n := normal(0, 1) end\n"
      "  when x > 1 after uniform(0.1, 0.4) then x := 0 end\nend\n",
      "rk4 dopri5 bdf qss2 liqss2", 9, 1.1, NULL, false, 0.01 },
    { "a claim that is broken before", "model Claim\n  var x = 0\n  x' = 1\n  assert x < 1.5\nend\n",
      "rk4 dopri5 bdf qss2", 9, 2, NULL, false, 0.01 },
    { "a table",
      "table f(z) hold\n  0 : 1\n  1 : 2\n  2 : 0\n  3 : 1\nend\nmodel Curve\n  var x = 0\n"
      "  x' = f(mod(t, 3)) - x\nend\n",
      "rk4 dopri5 bdf qss2 liqss2", 9, 1.37, NULL, false, 0.01 },
};

static const char samples[] = "t,u\n0,0\n1,2\n1.5,1\n2,1\n3,-1\n4.5,0\n5,3\n6,1\n7.25,1\n8,0\n9,0.5\n10,0\n";

static size_t compare_middle(const Middle *m, const char *solver, bool with_pieces)
{
    orr_diag *diag = orr_diag_create();
    orr_source *source = orr_source_parse("middle.orr", m->text, strlen(m->text), diag);
    orr_experiment e = orr_experiment_default();
    orr_input input;
    char path[64], text[100], *texts = NULL;
    snprintf(path, sizeof path, "/tmp/orrery_samples_%d.csv", (int)getpid());
    e.until = m->until;
    e.run.solver = solver;
    e.run.step = m->step;
    e.run.allow_io = true;
    if (m->input) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(samples, file);
        fclose(file);
        snprintf(text, sizeof text, "u=%s:u:%s", path, m->input);
        assert_true(orr_input_read(text, &input, &texts, diag));
        e.run.inputs = &input;
        e.run.n_inputs = 1;
    }
    orr_model *model = source ? compile(source, &e, m->implicit, diag) : NULL;
    if (!model) orr_diag_print(diag, stderr, 0);
    assert_non_null(model);
    Case c = { .name = m->name,
               .solver = solver,
               .model = model,
               .experiment = e,
               .with_pieces = with_pieces,
               .every = m->every };
    const size_t n = compare(&c);
    if (n == 0) fail_with(&c, "was not saved", 0, diag);
    orr_model_destroy(model);
    orr_source_destroy(source);
    orr_diag_destroy(diag);
    free(texts);
    remove(path);
    return n;
}

static void test_runs_go_on_from_the_middle_of_things(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof middles / sizeof *middles; i++) {
        char names[100];
        snprintf(names, sizeof names, "%s", middles[i].solvers);
        for (char *rest = names, *solver; (solver = strsep(&rest, " "));)
            compare_middle(&middles[i], solver, false);
    }
}

static void test_polynomials_go_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof middles / sizeof *middles; i++) {
        char names[100];
        snprintf(names, sizeof names, "%s", middles[i].solvers);
        for (char *rest = names, *solver; (solver = strsep(&rest, " "));)
            if (strstr(solver, "qss")) compare_middle(&middles[i], solver, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_go_on_to_the_same_bits),
        cmocka_unit_test(test_runs_go_on_from_the_middle_of_things),
        cmocka_unit_test(test_polynomials_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

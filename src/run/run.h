// src/run/run.h: the mutable half of a simulation.
//
//     run      what the user holds: settings, the time asked for, values read
//     island   a set of equations with one solver, at the end of the solver's last step
//
// The island is ahead of the user: the solver steps as it likes, and what lies between the ends of a step is
// interpolated, so recording never changes a step. What a step does change besides the states are the first
// guesses of loops, which the derivatives leave in the value block; whoever evaluates derivatives outside a
// step puts them back.
#pragma once
#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"
#include "engine/host.h"
#include "model/model.h"
#include "num/random.h"
#include "orrery/run.h"
#include <math.h>

struct Choosing;
struct Inputs;
struct Watch;
struct Net;
struct IslesRun;

// What reaches an island and makes it begin anew.
typedef struct RunReinit {
    size_t variable;         // that is to be another, or that has jumped
    double value;
    bool   is_perturbation;
} RunReinit;

typedef struct RunMessage {
    uint32_t port, first;    // which, and where its values begin
} RunMessage;

// Something outside the model that acts at times it knows beforehand, such as an input that jumps.
typedef struct RunSource {
    // It is t, as scheduled, and the island stands there: change inputs with run_set_input. *next is the next
    // time, after t; INFINITY if there is none. False, reported, ends the run.
    bool (*due)(void *context, orr_run *run, double t, double *next);
    // The run begins again at t_start: the first time, as given to run_add_source. NULL: the same as before.
    double (*rewind)(void *context, orr_run *run);
    void       *context;            // borrowed
    const char *name;               // "input u": the cause of its events, for people; borrowed
} RunSource;

// All that changes, as bytes; see save.c. Written unless it is read or only counted.
typedef struct RunSaved {
    char  *bytes;                   // [n] heap, if it is written and not is_borrowed; else borrowed
    size_t n, capacity, at;         // at: read so far
    bool   is_loading, is_counting, is_borrowed, is_bad;
} RunSaved;

// What a run may have compiled natively.
typedef enum Tier { TIER_QUANTISED, TIER_ATOMICS, TIER_PROGRAMS, TIER_N } Tier;    // one after the other
#define TIER_DONE (-1.0)

struct orr_run {
    const orr_model *model;         // borrowed; outlives the run
    orr_diag *diag;                 // borrowed
    Arena     arena;                // owns all below
    double   *state;                // [state_size] all that changes: x, v, calendar: a checkpoint is a copy
    size_t    state_size;
    Island    island;               // its equations
    double    t;                    // where the user stands; island->t may be ahead
    double   *x;                    // [n_states] states at t: the island's, or x_between
    double   *x_between;            // [n_states] interpolated
    bool      start_is_hard;        // it took other guesses than the model's, or a line search
    bool      is_incomplete;        // the start failed because the user must give a value
    const volatile int *cancel;     // borrowed; NULL: none
    // Called once in a while by long advances; false cancels. For progress; NULL: none.
    bool    (*pulse)(void *context, double t);
    void     *pulse_context;

    // settings
    uint64_t  seed, number;         // what is drawn depends on them
    double   *given;                // [n_params] 1: set by the user or by the terminal region
    double   *given_value;          // [n_params]
    double   *given_start;          // [n_states] initial value set by the user; NaN: the model's; NULL: all

    // asserts
    struct Watch *watch;            // of claims: asserts and ranges; NULL if there are none
    double    t_stop;               // the run ends here, because a claim was broken; INFINITY: it does not
    bool      is_over;              // the user stands where the run has ended before its time
    VEC(RunSource) sources;         // things of the calendar from first_source on
    VEC(double)    source_first;    // when each begins
    bool      keeps_leaving;        // somebody wants them: messages that left the model by its event outputs
    VEC(RunMessage) leaving;        // … since they were taken
    VEC(double)    leaving_values;
    VEC(RunReinit) reinits;         // what `reinit` blocks are to be told at the present instant
    // events of the model
    const char **causes;            // [n_events] as text, made when first asked for
    const char **relation_texts;    // [n_relations] made when first asked for
    bool     *has_slid;             // [n_relations] and was reported
    bool     *has_rested;           // [n_events] likewise
    // whoever wants to see each event; NULL: nobody. False cancels.
    bool    (*observe)(void *context, const orr_event *event);
    void     *observe_context;
    // and each message and transition among components
    void    (*trace)(void *context, const orr_devs *network, const orr_devs_trace *what);
    void     *trace_context;

    struct Inputs *inputs;          // that follow samples; NULL if there are none
    struct Arrivals *arrivals;      // messages from files; NULL if there are none
    bool      is_eventful;          // there is nothing but events
    bool      is_starting;          // at the first instant: what islands tell has been so before
    struct IslesRun *isles;         // beside this one, in the kernel of `net`; NULL if there are none
    struct Net *net;                // of messages; NULL: the model is one island without event ports
    bool      is_live;              // a real-time run: the newest values count, whatever their times
    bool      is_exact;             // no step goes past the time asked for
    bool      is_plain;             // nothing ever happens but fixed steps, see drive_one
    struct Choosing *choosing;      // of states; NULL if there is nothing to choose
    size_t    n_switches;           // how often that happened

    // quantised states know no rate on a surface, so another solver stands in for theirs there
    const struct Solver *solver_aside;    // theirs, meanwhile; NULL: nobody stands in
    void     *memory_aside;         // theirs meanwhile, that of the stand-in otherwise; NULL: it has none yet

    Arena     solver_arena;         // of a solver that has begun anew where the run was saved
    uint64_t  settings_fingerprint; // of what it was created with

    size_t    n_reruns, n_violations;
    uint64_t  ns_created, ns_pulse;
    double    max_seconds;          // on the clock; 0: no limit
    uint64_t  ns_tier;              // when to look at better code next; UINT64_MAX: never
    double    native_ms[TIER_N];    // what each would take; 0: not known yet, TIER_DONE: it is asked for
    bool      is_within;            // an island of another run: its time is measured by samples
    size_t    n_advances;
    uint64_t  ns_sample_began;      // 0: none is under way
    size_t    n_since_pulse;
};

// ---- island.c: of an island

// The state whose rate, measured by the tolerances, is largest at (t, x): who to name when a step fails.
const char *island_fastest(Island *island, double t, const double *x);
uint32_t    island_fastest_state(Island *island, double t, const double *x);

// ---- run.c: what experiments use beyond orrery/run.h

// As orr_run_create; *status is USAGE if the options are wrong, FAILED if there is no start.
orr_run *run_create(const orr_model *model, const orr_run_options *options, orr_diag *diag,
                    orr_status *status);
// The solver makes a step, unless it is ahead already; the user stays. *t is where the step ends, at most
// t_limit: from here orr_run_advance gets there without another step.
orr_status run_step_ahead(orr_run *run, double t_limit, double *t);

// As orr_run_advance, but not more than one step, or chunk of steps, of the solver. *is_there: the user
// stands at t, or where the run has ended.
orr_status run_toward(orr_run *run, double t, bool *is_there);
// For those who make fixed steps elsewhere, with the same bits: how many from where the island stands are
// nothing but whole steps on its grid, none of which needs more than a look at its end; at most to t. 0 if
// anything else is to be done first.
long run_plain_steps(const orr_run *run, double t);
// The island has made n of them, to the states x; zero[2]: the zero functions of the relations one step
// before and there, every `stride`-th number.
void run_take_steps(orr_run *run, long n, const double *x, const double *const zero[2], size_t stride);

// The same for free steps: whether the next is nothing but a step, and how far it may go at most. Then the
// island stands at t with the states x; the solver is told by itself.
bool run_is_plain(const orr_run *run, double t, double *limit);
void run_take_free_steps(orr_run *run, double t, const double *x, const double *zero, size_t stride);

// The value of a variable in the main part, also of one that belongs to an island: what it was told.
double run_own_value(orr_run *run, size_t variable);

// ---- start.c: parameters and initial conditions

bool run_apply_settings(orr_run *run, const orr_run_options *options);
// Where an experiment writes this name; nowhere if it is not from one.
Place run_written(const orr_run_options *options, const char *name, orr_diag *diag);
bool run_start(orr_run *run);                                  // from t_start, with the settings
void run_give_start(orr_run *run, uint32_t state, double value);    // its initial value, whatever the model
                                                                    // says
void run_guess_from_values(orr_run *run);                      // loops begin next at the values in v

// ---- choose.c: which variables are states

void choose_init(orr_run *run);
int  choose_start(orr_run *run);                               // after IR_START: choose, then as IR_VALUES
// The service: at the end of a step, sets choice_waits; `now`: before the next one, if it waits.
void run_choose(Island *island, bool now);
// Report constraints that are not independent at the values in v. False if there are none.
bool choose_report(orr_run *run, double t);

// ---- source.c: things that act at times they know

// Let a source act at `first`, t_start or later (INFINITY: not yet), and then whenever it says. The island
// ends a step exactly there; the source acts before relations and conditions are looked at, and the solver
// begins anew behind it. The number of the source, for run_schedule.
uint32_t run_add_source(orr_run *run, const RunSource *source, double first);
// Its next time, instead of any other; INFINITY: none. A time that the island has passed means now.
void     run_schedule(orr_run *run, uint32_t source, double t);
// The value of an input, from now on; to be called by a source that is due. The variable is a FLAT_INPUT.
void     run_set_input(orr_run *run, uint32_t variable, double value);

void     source_rewind(orr_run *run);        // the run begins: their first times, after due_start

// ---- services.c: what a run does for the engine

extern const EngineServices run_services;
bool event_observe(orr_run *run, double t, const char *cause, Place place, const char *variable, double left,
                   double right, size_t iteration);    // tell who looks; false: cancelled
const char *event_cause(orr_run *run, uint32_t event);       // "when h <= 0"
bool event_mode_changed(void *run, size_t relation, double t, bool now);    // Island.on_mode

// ---- message.c: what components and islands have to do with an instant

bool message_catch_up(Island *island, orr_status *status);   // services
bool message_enter(Island *island, bool *affects);
bool message_exchange(Island *island, bool is_start, bool *affects, orr_status *status);
// Something was sent without an event: all that follows from it at this instant.
orr_status event_exchange(orr_run *run, Island *island);

// ---- drive.c: steps, checks

// n_steps were made, up to t: look at the clock now and then, and tell whoever wants to know how far we are.
orr_status drive_pulse(orr_run *run, double t, size_t n_steps);
// Many rows are one step apart. Of a run in which nothing happens but fixed steps: to the next grid point, if
// t is that and there is nothing else to do; false: the way for all does it.
bool drive_is_plain(const orr_run *run);
bool drive_one(orr_run *run, double t);
orr_status drive_fail(orr_run *run);                           // reported: nothing moves any more
// ---- chance.c: random numbers

void chance_open(orr_run *run, uint64_t seed, uint64_t number, const char *within);
void chance_number(orr_run *run, uint64_t number);             // another run, with all else the same
// Something is not a number: because of the arguments of a distribution? Then it was reported.
bool chance_report(orr_run *run);

// ---- tier.c: whether native code pays

// Ask for native code if the rest of the run is long enough for it.
void tier_look(orr_run *run, double t, uint64_t now);
// Around whatever advances the run, for one that is not alone.
void tier_begin(orr_run *run);
void tier_end(orr_run *run);

// ---- stand_in.c: where a solution follows a surface, another solver may stand in

bool   surface_restart(Island *island);                            // the solver begins anew, or the one that
                                                                   // stands in for it
// For saving: another solver stands in, or not; the one that does not work has begun, or not.
bool   surface_stand_in(orr_run *run, Island *island, bool stands_in, bool has_aside);
void   surface_swap(orr_run *run, Island *island);                 // the solver at work and the one aside, as
                                                                   // they are
void   surface_forget_aside(orr_run *run, Island *island);         // a stand-in that is not needed now begins
                                                                   // anew when it is
void   surface_end(orr_run *run, Island *island);                  // of the run: what solvers have is freed
void   surface_names(const orr_model *model, const bool *which, StrBuf *s);    // of states, quoted

// ---- input.c: inputs that follow samples

bool   arrive_open(orr_run *run, const orr_run_options *options);    // messages from files; false, reported,
                                                                     // likewise
void   arrive_close(orr_run *run);
// The messages of one of these files from the start of a run to `until`, all at once, which ends the file for
// the run.
typedef struct RunMessages {
    uint32_t port;          // in Flat.ports
    uint32_t n_values;      // of each
    double  *numbers;       // [n·(1 + n_values)] time and values of each, in the arena
    size_t   n;
} RunMessages;
size_t arrive_count(const orr_run *run);    // files
// At most `room` numbers. False, reported, if it cannot be read.
bool   arrive_all(orr_run *run, size_t file, double until, size_t room, Arena *arena, RunMessages *messages);
bool   input_open(orr_run *run, const orr_run_options *options);    // false, reported, if a source cannot be
                                                                    // opened
bool   input_start(orr_run *run);                              // at t_start, after the parameters are known;
                                                               // likewise
void   input_close(orr_run *run);
double input_kink(const orr_run *run);                         // where the next step must end, though nothing
                                                               // jumps
bool   input_move(orr_run *run, double t);                     // past that point; false, reported, if there
                                                               // is no value
// In a real-time run: take the newest values of live sources, which holds from run->t on, where the island
// stands.
// Lines that came for live inputs and are no samples.
void   input_report_skipped(const orr_run *run, orr_diag *diag);
bool   input_poll(orr_run *run);
// The pieces of the data of an input, from t_start, where the run must still stand, up to `until` and the one
// behind it; at most `most`. What has been read is used up, so the run cannot be made afterwards. Of sources
// that are files.
struct SignalPiece *input_pieces(orr_run *run, uint32_t driven, double until, size_t most, Arena *arena,
                                 size_t *n);

// A state, or an input that nothing else drives, has another value from run->t on; `gradient` moves an input
// that was compiled for it. False, reported, if it cannot be set. The island stands at run->t; run_begin_anew
// must follow.
bool   run_put(orr_run *run, size_t variable, double value, double gradient);

// ---- outside.c: what others do to a run

// Stand at t with the island there too, as if it had been asked to go no further: a step beyond is ended at
// t, by the method itself if its steps are fixed, else on the dense output. What was read before makes no
// difference.
orr_status run_stop_at(orr_run *run, double t);
// Something was put: events that follow from it happen, and the solver begins anew.
orr_status run_begin_anew(orr_run *run);
// The same for steps on a grid, which are kept: nothing is remembered from step to step.
orr_status run_take_over(orr_run *run);

// `reinit` blocks of the model run when run_begin_anew follows. False if it has none.
bool   run_reinit(orr_run *run, const RunReinit *what);

// A message for an event input of the model, where the island stands; `on` bodies run when run_begin_anew
// follows.
void   run_message(orr_run *run, uint32_t port, const void *values);

// ---- net.c: messages

void   net_open(orr_run *run);                 // if the model has a network
void   net_close(orr_run *run);
void   net_reset(orr_run *run, double t);      // statistics of all components begin anew
bool   net_start(orr_run *run);                // the run begins at t_start, parameters are known; false:
                                               // reported
orr_devs_run *net_kernel(const orr_run *run);  // NULL: it has not begun
// by an input that guests have
void   net_send(orr_run *run, double t, uint32_t guest_input, const void *value);
// a message for an event input of the model
void   net_enter(orr_run *run, double t, uint32_t port, const void *values);
double net_next(const orr_run *run);           // when a message may arrive for the island; INFINITY: never
double net_next_instant(const orr_run *run);   // when anything happens among the components; INFINITY: never
// What happens among the components before t, where the island stands at an event.
orr_status net_catch_up(orr_run *run, double t);
// What happens up to and at t, where no message can arrive for the island.
orr_status net_follow(orr_run *run, double t);
void       net_count(const orr_run *run, orr_run_facts *facts);
size_t     net_work(orr_run *run);                // transitions since it was last asked; 0 without a network
void   net_start_switches(orr_run *run, const double *conditions);    // [n_events] of events, at the start
// what its body has sent, if anything
void   net_collect(orr_run *run, const Island *island, uint32_t event);
// One bag at t. *done: there was one. *n: messages that arrived, for net_arrival.
orr_status net_bag(orr_run *run, double t, bool *done, size_t *n);
// The i-th of them: which port, and what it says.
const double *net_arrival(const orr_run *run, size_t i, uint32_t *port);
double net_read(const orr_run *run, const ModelVariable *variable);    // what an atomic component shows
double net_read_at(const orr_run *run, const AtomicReadable *what, uint32_t component);
// the tally or level behind it
const void *net_statistic(const orr_run *run, const AtomicReadable *what, uint32_t component);
bool   net_affects(const orr_run *run, uint32_t port);    // rates or relations depend on what it keeps
bool   net_goes_round(orr_run *run, double t, size_t round);    // reported: messages never end at this
                                                                // instant

// ---- save.c: a run as bytes; checkpoints are orr_run_save_file, orr_run_load_file

// How many bytes all that changes takes, 0 if it cannot be saved; written if `bytes` is not NULL. Solvers
// that do not tell what they remember begin anew here.
size_t run_save(orr_run *run, void *bytes);
bool   run_load(orr_run *run, const void *bytes, size_t n);    // into a run of the same model and options;
                                                               // false: it is not

void     saved_pass(RunSaved *saved, void *p, size_t n);        // write n bytes, or read them
void     saved_flags(RunSaved *saved, bool *flags, size_t n);
void     saved_index(RunSaved *saved, uint32_t *index, uint32_t limit);    // bad if it is not below the limit
void     saved_calendar(RunSaved *saved, Calendar *calendar, uint32_t n_ids);
// may be NULL; what was read lies in the arena
const char *saved_text(RunSaved *saved, const char *text, Arena *arena);
uint64_t run_settings_fingerprint(const orr_run *run, const orr_run_options *options);
void     surface_pass(orr_run *run, RunSaved *saved);           // each goes through its own
void     choose_pass(orr_run *run, RunSaved *saved);
void     watch_pass(orr_run *run, RunSaved *saved);
void     history_pass(orr_run *run, RunSaved *saved);
void     input_pass(orr_run *run, RunSaved *saved);
const char *input_other(const orr_run *run);    // whose samples were others when it was loaded; NULL: none
void     isles_pass(orr_run *run, RunSaved *saved);
void     net_pass(orr_run *run, RunSaved *saved);
// As orr_run_save_file and orr_run_load_file, with bytes of the owner's behind the run; *extra lies in the
// arena.
orr_status run_save_file(orr_run *run, const char *path, const void *extra, size_t n_extra);
bool       run_is_saved_as_it_is(const orr_run *run);    // saving it now leaves no trace in it
orr_status run_load_file(orr_run *run, const char *path, Arena *arena, Text *extra);

// ---- isles.c: islands beside the main part

bool   isles_open(orr_run *run, const orr_run_options *options);
bool   isles_start(orr_run *run);              // at t_start, before the kernel begins; false, reported: an
                                               // option is wrong
const void *isles_params(const orr_run *run, uint32_t isle);    // for the kernel: an IslandParams, until the
                                                                // next call
// A signal arrives for the main part, by one of the guests' outputs; and whether that is news, once the bag
// is over.
void   isles_hear(orr_run *run, double t, uint32_t output, const void *signal);
bool   isles_have_news(orr_run *run, const Island *island, bool *affects);
// What the main part tells may jump at an event: values before what happens, and what has become of them
// since.
void   isles_compare(orr_run *run, Island *island, bool is_base);
void   isles_forget(orr_run *run);             // at the first instant nothing has jumped
bool   isles_spread(orr_run *run, Island *island);    // tell discontinuities, now; false: there are none
// What the main part tells where it stands, before its next step, and what follows from that at this instant.
orr_status isles_tell(orr_run *run, Island *island);
// Around the body of an event: states of islands that it assigns are as they are now; what it changed is a
// perturbation.
void   isles_before(orr_run *run, const Island *island, const FlatAction *actions, uint32_t n);
void   isles_after(orr_run *run, const Island *island, const FlatAction *actions, uint32_t n);
void   isles_report(orr_run *run);             // at the end: warn where being islands cost accuracy
bool   isles_has(const orr_run *run, const char *name);    // it begins with the name of one
bool   isles_absolute_of(const orr_run *run, size_t variable, double *absolute);    // false: of no island
char  *isles_describe(const orr_run *run);     // "a: dopri5, 12 steps; b: …", to be freed; NULL: none
bool   isles_value(orr_run *run, size_t variable, double *value);    // false: it belongs to no island

// ---- clock.c: relations that nothing but time moves

double clock_foresee(Island *island, uint32_t clock, double from, double to, double *until);    // a service

// ---- watch.c: claims

bool watch_open(orr_run *run, const orr_run_options *options);    // false, reported, if a name is not known
void watch_start(orr_run *run);
void watch_look(orr_run *run, Island *island);                 // at the last step, or where the island stands
bool watch_is_inside(orr_run *run);                            // all claims hold where the user stands
bool watch_has_ranges(const orr_run *run);
bool watch_is_broken(const orr_run *run, size_t i);            // assert i, at some time so far

// What variables are at t, in the island's last step, where the states are x: nothing is reported, changed or
// remembered; what cannot be computed is NaN.
void run_values_between(orr_run *run, double t, double *x, const size_t *variables, size_t n, double *values);

// ---- fault.c: failures in the user's words

// Report island->fault: the equation, its line, the values of what it reads, the operation that failed, a
// next step.
void fault_report(Island *island);
// Step underflow or the like: by a fault just ahead if there is one, else by the fastest state.
void fault_report_step(Island *island, double h);
// Report what is not finite first among the equations of a system at (t, x); values of loops and modes are
// read from env->v. x NULL: states too. False if all is finite: nothing was reported.
bool fault_report_values(orr_diag *diag, const orr_model *model, const Ordered *system, const CodeEnv *env,
                         double t, const double *x);
// Report a loop that was not solved: its equations, residuals and values.
void fault_report_loop(orr_diag *diag, const orr_model *model, const Ordered *system, const Block *block,
                       const CodeEnv *env, double t, const double *x);
void fault_report_param(orr_run *run, uint32_t variable);      // whose value is not finite
// For messages: a place as far as the run's collector knows it; texts to be freed.
// The value of an expression over parameters, discrete variables and t_start, outside generated code.
double run_parameter(const orr_run *run, Expr e);
double run_parameter_at(const orr_run *run, Expr e, double t);    // of delays: before the start
const char *param_why_not(const orr_run *run, uint32_t variable);    // it cannot be changed now; NULL: it can
void  param_set(orr_run *run, uint32_t variable, double value);      // … and what follows from it
// The error allowed in a state near zero, of the main part or of an island; 0: not a state, or its method has
// no tolerance.
double run_absolute_of(const orr_run *run, size_t variable);
// The absolute tolerances in use, where they differ by state: "1e-09, A 4e-28, …", to be freed; else NULL.
char  *run_describe_tolerances(const orr_run *run);
Place run_place(const orr_model *model, orr_diag *diag, Place place);
char *run_equation_text(const orr_model *model, const FlatEquation *equation);
char *run_expr_text(const orr_model *model, Expr e);

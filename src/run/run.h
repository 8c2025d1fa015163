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
#include "model/model.h"
#include "num/calendar.h"
#include "num/random.h"
#include "orrery/run.h"
#include <math.h>

struct Solver;

// What solvers are told by the experiment.
typedef struct SolverOptions {
    double step;         // positive; fixed-step solvers keep it; 0 for others: choose
    double tolerance;    // positive, relative
    double absolute;     // positive
    bool   has_tolerance;    // one of them was given
    double max_step;     // positive, may be INFINITY
    double t_end;        // may be INFINITY: unknown
    double path;         // of equations with noise: steps of the Brownian paths; 0: the same
    // of quantised states; 0: not given
    double quantum, relative, least;
    double *quanta;      // [n_states] of single states, 0: as all others; NULL: none
} SolverOptions;

// Why the equations could not be evaluated, and where: what a message is made of.
typedef enum FaultKind {
    FAULT_NONE,
    FAULT_LOOP,         // a loop of equations has no solution
    FAULT_VALUE,        // a derivative or state is not a number, or infinite
} FaultKind;

typedef struct Fault {
    FaultKind kind;
    uint32_t  block;    // LOOP: of the dynamic system
    double    t;
    double   *x;        // [n_states] a copy
} Fault;

// Where a solution follows a surface; see surface.c.
#define SURFACE_NONE UINT32_MAX
typedef struct Surface {
    bool    is_on;             // rates are not simply those of the generated code: no generated loops either
    bool    slides;            // along surfaces, each between two sides; see slide.c
    bool    ends;              // the island stands where one of them ends
    size_t  n_surfaces;
    size_t *leader;            // [n_surfaces] the relation whose zero function is the surface
    uint32_t *surface_of;      // [n_relations] whose sides differ in it; SURFACE_NONE: none's
    double *modes[2];          // [n_relations] on the first and second side of all surfaces
    double *before;            // [n_relations] modes before the present event
    double *rates[2];          // [n_states] scratch
    double *sides;             // [n_surfaces + 1][n_states] rates with all first sides; with one second side
    double *slopes;            // [n_surfaces + 1][n_surfaces] of the zero functions along them
    double *matrix;            // [n_surfaces][n_surfaces] scratch
    size_t *pivots;            // [n_surfaces]
    double *part;              // [n_surfaces] of the second side
    size_t  capacity;          // surfaces there is room for
    bool   *held;              // [n_states] rates are those of rest
    uint32_t *held_by;         // [n_states] the relation on whose surface it stays; EVENT_NONE: the rate is 0
    bool   *resting;           // [n_relations] whose events have come to rest
    size_t  n_held;
    double  probe;             // time over which slopes are taken
    double *x, *x2, *relations;    // scratch
} Surface;

// A set of equations that share variables, advanced by one solver of its own.
typedef struct Island {
    const orr_model     *model;     // borrowed
    const struct Solver *solver;    // borrowed; a static table
    void         *memory;           // the solver's own, in the run's arena
    Arena        *arena;            // borrowed; the run's
    orr_diag     *diag;             // borrowed; where failures are explained
    SolverOptions options;
    const char   *method;           // at work: the solver's name, unless it chooses among others
    const char   *reason;           // why, or NULL; in the arena
    double   t_start, step;         // grid of the fixed-step methods, since the last reinitialisation
    long     k;                     // grid points passed: t_start + k·step <= t
    bool     is_locating;           // an event is searched for: a limit near a grid point is not that point
    double   t;                     // present time, end of the last accepted step
    double  *x;                     // [n_states] continuous states at t, inside the run's state block
    double   t_before;              // start of the last accepted step: [t_before, t] can be interpolated
    double  *x_before;              // [n_states] states at t_before, kept for fixed-step methods
    CodeEnv  env;                   // v lies inside the run's state block
    double  *guesses_aside;         // [n_guesses] scratch of island_rates_aside
    Fault    fault;                 // of the latest evaluation that failed, at a time not yet passed
    Surface  surface;
    const struct Solver *begin_with;    // where the run is loaded: what `auto` had chosen; NULL: choose
    const RandomStream *noise;      // [n_noises] where the path of each is drawn from
    // told of each polynomial with which a quantised state goes on from t; NULL: nobody wants to know
    void   (*on_piece)(void *context, uint32_t state, double t, const double *c, int degree);
    void    *piece_context;
    // told of each mode that the solver changed itself, at t; false: the run shall end. NULL: as above
    bool   (*on_mode)(void *context, size_t relation, double t, bool now);
    void    *mode_context;
    size_t   n_steps, n_rates, n_rejected;
    size_t   n_events;              // that the solver handled itself
} Island;

struct History;
struct Choosing;
struct Zeno;
struct Rest;
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
    double    t_start;              // where each run begins
    double    t;                    // where the user stands; island->t may be ahead
    double   *x;                    // [n_states] states at t: the island's, or x_between
    double   *x_between;            // [n_states] interpolated
    bool      is_failed;            // a failure has been reported: nothing moves any more
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

    // reading
    bool      values_valid;         // v holds all variables at (t, x)

    // relations and asserts
    double   *relations;            // [2*n_relations] zero functions and truth values
    double   *relations_left, *relations_here;    // [2*n_relations] scratch of locate_change
    double   *x_trial;              // [n_states] likewise
    struct Watch *watch;            // of claims: asserts and ranges; NULL if there are none
    double    t_stop;               // the run ends here, because a claim was broken; INFINITY: it does not
    bool      is_over;              // the user stands where the run has ended before its time
    Calendar  calendar;             // when each source is due; its memory is inside `state`
    double   *due_memory;
    uint32_t  n_due_max;            // things in the calendar
    uint32_t *due;                  // [n_due_max] scratch: those due at the same time
    VEC(RunSource) sources;         // things of the calendar from first_source on
    VEC(double)    source_first;    // when each begins
    uint32_t  first_source;
    bool      keeps_leaving;        // somebody wants them: messages that left the model by its event outputs
    VEC(RunMessage) leaving;        // … since they were taken
    VEC(double)    leaving_values;
    VEC(RunReinit) reinits;         // what `reinit` blocks are to be told at the present instant
    // events of the model
    double   *truth_before;         // [n_events] truth of each condition at the last look; inside `state`
    double   *every_k;              // [n_events] how often `every` has fired; inside `state`
    double   *pending;              // [n_pending] 1 + the event whose delayed firing waits; 0: free; inside
                                    // `state`
    uint32_t  n_pending;
    double   *conditions;           // [n_events] scratch
    bool     *is_fired;             // [n_events] in this iteration
    uint32_t *fired;                // [n_events] which, and how many
    uint32_t  n_fired;
    uint32_t *rank;                 // [n_events] place in the order in which bodies run
    bool     *affects;              // [n_events] the body changes something that rates or relations depend on
    double   *left;                 // [most actions] values before a body
    const char **causes;            // [n_events] as text, made when first asked for
    uint32_t *differing;            // [n_relations] scratch
    const char **relation_texts;    // [n_relations] made when first asked for
    bool     *is_marked;            // [n_events] scratch: false
    uint32_t *reader;               // [n_relations] the one condition that reads it; EVENT_NONE, EVENT_MANY
    double   *zero_scale;           // [n_relations] how large its zero function has been, at events
    struct Zeno *zeno;              // [n_events] how fast each event of a condition follows itself
    struct Rest *rests;             // [n_events] events that have come to rest, n_rests of them
    uint32_t  n_rests;
    bool     *has_slid;             // [n_relations] and was reported
    bool     *is_state_marked;      // [n_states] scratch
    size_t    n_bodies;             // run so far
    uint32_t  recent[6], n_recent;  // the last of them, for messages
    const char *terminated;         // reason given by `terminate`; NULL: the run goes on
    // whoever wants to see each event; NULL: nobody. False cancels.
    bool    (*observe)(void *context, const orr_event *event);
    void     *observe_context;
    // and each message and transition among components
    void    (*trace)(void *context, const orr_devs *network, const orr_devs_trace *what);
    void     *trace_context;

    // looking for events
    double   *samples[5];           // [2*n_relations] relations at places in the last step
    double    t_sample;             // of samples[0]; NaN: unknown
    double   *sample_before;        // [2*n_relations] one step earlier
    double    t_sample_before;      // NaN: unknown
    double   *x_end;                // [n_states] scratch
    bool      event_waits;          // the island stands at an event that has not been handled yet
    bool      jump_waits;           // the rates may jump where the island stands: the solver must begin anew
    size_t    event_relation;       // one of those that changed there
    bool      event_is_located;     // inside a step, which the solver has gone beyond
    double   *x_event;              // [n_states] scratch
    long      k_before;             // grid point before the last step made by hand
    double    burst_start;          // time of the first of a burst of events
    size_t    n_burst;
    struct History *history;        // of delays; NULL if there are none
    struct Inputs *inputs;          // that follow samples; NULL if there are none
    struct Arrivals *arrivals;      // messages from files; NULL if there are none
    bool      is_eventful;          // there is nothing but events
    bool      is_starting;          // at the first instant: what islands tell has been so before
    struct IslesRun *isles;         // beside this one, in the kernel of `net`; NULL if there are none
    struct Net *net;                // of messages; NULL: the model is one island without event ports
    bool      is_live;              // a real-time run: the newest values count, whatever their times
    bool      is_exact;             // no step goes past the time asked for
    bool      is_plain;             // nothing ever happens but fixed steps, see drive_one
    bool      is_cancelled;         // while waiting for a sample
    struct Choosing *choosing;      // of states; NULL if there is nothing to choose
    bool      choice_waits;         // other variables become states before the next step
    size_t    n_switches;           // how often that happened

    // quantised states know no rate on a surface, so another solver stands in for theirs there
    const struct Solver *solver_aside;    // theirs, meanwhile; NULL: nobody stands in
    void     *memory_aside;         // theirs meanwhile, that of the stand-in otherwise; NULL: it has none yet

    // chunks of fixed steps
    double   *guesses_before;       // [n_guesses] when the chunk began
    long      chunk;                // most steps in one

    Arena     solver_arena;         // of a solver that has begun anew where the run was saved
    uint64_t  settings_fingerprint; // of what it was created with

    size_t    n_events, n_reruns, n_violations;
    uint64_t  ns_created, ns_pulse;
    double    max_seconds;          // on the clock; 0: no limit
    uint64_t  ns_tier;              // when to look at better code next; UINT64_MAX: never
    double    native_ms[TIER_N];    // what each would take; 0: not known yet, TIER_DONE: it is asked for
    bool      is_within;            // an island of another run: its time is measured by samples
    size_t    n_advances;
    uint64_t  ns_sample_began;      // 0: none is under way
    size_t    n_since_pulse;
};

// ---- island.c: evaluating the equations

// The derivatives at (t, x), counted. False if a loop has no solution there or a value is not finite; then
// island->fault says which and where.
bool island_rates(Island *island, double t, const double *x, double *dx);
// The same outside a step, for interpolation and messages: not counted, nothing remembered, no bit of a later
// step changed.
bool island_rates_aside(Island *island, double t, const double *x, double *dx);
// Zero functions and truth values of all relations, out[2*n_relations].
bool island_relations(Island *island, double t, const double *x, double *out);
double *island_modes(const Island *island);                    // [n_relations] inside v
bool island_is_finite(const double *x, size_t n);
void island_fault(Island *island, FaultKind kind, uint32_t block, double t, const double *x);
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
void choose_look(orr_run *run, Island *island);                // at the end of a step; sets choice_waits
void choose_switch(orr_run *run, Island *island);              // before the next one, if it waits
// Report constraints that are not independent at the values in v. False if there are none.
bool choose_report(orr_run *run, double t);

// ---- due.c: events whose time is known

enum { RUN_SOURCES = 16 };         // that a run takes besides one for each input

// Let a source act at `first`, t_start or later (INFINITY: not yet), and then whenever it says. The island
// ends a step exactly there; the source acts before relations and conditions are looked at, and the solver
// begins anew behind it. The number of the source, for run_schedule.
uint32_t run_add_source(orr_run *run, const RunSource *source, double first);
// Its next time, instead of any other; INFINITY: none. A time that the island has passed means now.
void     run_schedule(orr_run *run, uint32_t source, double t);
// The value of an input, from now on; to be called by a source that is due. The variable is a FLAT_INPUT.
void     run_set_input(orr_run *run, uint32_t variable, double value);

size_t due_size(const orr_model *model);                            // doubles of the state block
void   due_init(orr_run *run, double *memory);
bool   due_start(orr_run *run);              // the run begins at t_start; false, reported, if a time is wrong
static inline double due_next(const orr_run *run) { return calendar_first(&run->calendar); }

// Events whose time has come are marked as fired, sources act. False, reported, if a source fails.
bool   due_act(orr_run *run, double t, bool *acted);
bool   due_delay(orr_run *run, uint32_t event, double t);    // a delayed firing; false, reported, if too many
                                                             // wait

// ---- event.c: what happens at an instant

enum { EVENT_NONE = UINT32_MAX, EVENT_MANY = UINT32_MAX - 1, EVENT_RECENT = 6 };

void event_init(orr_run *run);
bool event_mode_changed(void *run, size_t relation, double t, bool now);    // Island.on_mode
// The run begins: conditions that hold now have held before, `when initial` and what is due at t_start
// happen.
orr_status event_start(orr_run *run, Island *island);
// Handle the event that waits, if one does: sources that are due act, modes are brought in line, bodies run
// until nothing more happens, the solver begins anew.
orr_status event_handle(orr_run *run, Island *island);
// Something was sent without an event: all that follows from it at this instant.
orr_status event_exchange(orr_run *run, Island *island);
void   event_fire(orr_run *run, uint32_t event);             // its body runs in this iteration
// Of relations with values `relations`, those that only conditions read have changed and nothing happens
// because of it: take them as they are. False if something happens.
bool   event_passes(orr_run *run, Island *island, double t, const double *x, const double *relations);
const char *event_cause(orr_run *run, uint32_t event);       // "when h <= 0"
// Bring the modes in line with the relations at the island's (t, x). False, reported, if they never settle.
bool   event_settle(orr_run *run, Island *island, bool *changed);
// between run->relations and the modes
size_t event_first_difference(const orr_run *run, const Island *island);

// ---- look.c: did a relation change in the last step?

// If so, and if something happens because of it, end the step there: event_waits. False if the relations
// could not be evaluated: island->fault.
bool look_for_event(orr_run *run, Island *island);

// ---- drive.c: steps, checks

// Move the island towards t_want: a chunk of fixed steps or one step, not past t_limit for fixed-step
// methods. An event found on the way ends the step there and waits (event_waits) until the next call or
// event_handle.
orr_status drive(orr_run *run, Island *island, double t_want, double t_limit, long n_max);
orr_status drive_arrive(orr_run *run, Island *island);         // asserts and histories at the end of a step
// n_steps were made, up to t: look at the clock now and then, and tell whoever wants to know how far we are.
orr_status drive_pulse(orr_run *run, double t, size_t n_steps);
// Many rows are one step apart. Of a run in which nothing happens but fixed steps: to the next grid point, if
// t is that and there is nothing else to do; false: the way for all does it.
bool drive_is_plain(const orr_run *run, const Island *island);
bool drive_one(orr_run *run, Island *island, double t);
orr_status drive_fail(orr_run *run);                           // reported: nothing moves any more
// Quantised states are told as polynomials, and another solver stands in for theirs: the cubics through its
// step from t on.
void   drive_tell_pieces(orr_run *run, Island *island, double t);
double drive_grid(const Island *island, long k);               // t_start + k·step
double drive_grid_floor(const Island *island, double t);       // the last k whose time is not after t
bool   drive_is_near(const Island *island, double t);          // t is the island's time, or meant by it
bool   drive_has_reached(const Island *island, double t);      // the same, or t lies before it

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

// ---- locate.c: where a relation changes inside the last step

typedef bool (*LocateState)(void *context, double t, double *x);    // the state at t; false: not to be had
// The first time in (t_lo, t_hi] at which some relation differs from its mode, to rounding. The relations
// hold at t_lo, and at t_hi, where `relations` was evaluated, some do not. On return `x` is the state there
// and `relations` its values.
double locate_change(orr_run *run, Island *island, double t_lo, double t_hi, LocateState state, void *context,
                     double *x);

// ---- surface.c: events that would never end

double surface_scale(const orr_run *run, const Island *island);    // against what a time counts as short
void   surface_init(orr_run *run, Island *island);
void   surface_start(orr_run *run, Island *island);
// if is_on; result as of programs
int    surface_rates(Island *island, double t, const double *x, double *dx);
// instead of IR_VALUES if is_on
int    surface_values(Island *island, double t, const double *x);
void   surface_patch(const Island *island, double *relations);     // those slid along agree with their modes
// The body of an event has run; run->left has what it assigned before. Reports and holds what accumulates.
orr_status surface_fired(orr_run *run, Island *island, uint32_t event);
void   surface_assigned(orr_run *run, Island *island, uint32_t event);    // … and may have moved what rests
bool   surface_look(orr_run *run, Island *island);                 // at the end of a step: true if something
                                                                   // is free
bool   surface_restart(orr_run *run, Island *island);              // the solver begins anew, or the one that
                                                                   // stands in for it
// For saving: another solver stands in, or not; the one that does not work has begun, or not.
bool   surface_stand_in(orr_run *run, Island *island, bool stands_in, bool has_aside);
void   surface_swap(orr_run *run, Island *island);                 // the solver at work and the one aside, as
                                                                   // they are
void   surface_forget_aside(orr_run *run, Island *island);         // a stand-in that is not needed now begins
                                                                   // anew when it is
void   surface_end(orr_run *run, Island *island);                  // of the run: what solvers have is freed
// The rates of the generated code, with the modes as they are and nothing held; result as of programs.
int    surface_plain_rates(Island *island, double t, const double *x, double *dx);
// How fast zero functions move at (t, x) if x moves at the rates dx. False: they cannot be computed.
bool surface_slopes(Island *island, double t, const double *x, const double *dx, const size_t *relations,
                    size_t n, double *slopes);
void   surface_names(const orr_model *model, const bool *which, StrBuf *s);    // of states, quoted

// ---- slide.c: solutions that follow surfaces

void   slide_before(Island *island);                             // an event: remember the modes
// Relations have changed and nothing else happened: do both sides lead back? Then slide. True if so.
bool   slide_enter(orr_run *run, Island *island);
bool   slide_leaves(Island *island, double t, const double *x);  // sliding is no longer possible there
// Where that becomes so between two times; x_event is the state there.
double slide_locate_end(orr_run *run, Island *island, double t_lo, double t_hi, LocateState state,
                          void *context);
void   slide_exit(orr_run *run, Island *island);
bool   slide_after_event(orr_run *run, Island *island);          // false: sliding must end
int    slide_rates(Island *island, double t, const double *x, double *dx);    // result as of programs
int    slide_values(Island *island, double t, const double *x);              // instead of IR_VALUES
void   slide_pass(orr_run *run, RunSaved *saved);

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
void   net_set_effects(orr_run *run, const bool *matters);    // [n variables] of the flat model
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

void   isles_open(orr_run *run, const orr_run_options *options);
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
bool   isles_value(orr_run *run, size_t variable, double *value);    // false: it belongs to no island

// ---- watch.c: claims

bool watch_open(orr_run *run, const orr_run_options *options);    // false, reported, if a name is not known
void watch_start(orr_run *run);
void watch_look(orr_run *run, Island *island);                 // at the last step, or where the island stands
bool watch_is_inside(orr_run *run);                            // all claims hold where the user stands
bool watch_has_ranges(const orr_run *run);
bool watch_is_broken(const orr_run *run, size_t i);            // assert i, at some time so far

// ---- history.c: the past of delayed expressions

bool   history_init(orr_run *run);                             // false, reported, if a lag is not positive
// Remember the present as the past before the start; *changed if that is news. False if it cannot be
// evaluated.
bool   history_start(orr_run *run, bool *changed);
bool   history_push(orr_run *run, Island *island);             // remember the last step
void   history_cut(orr_run *run, double t);                    // forget what was remembered of times after t
double history_shortest(const orr_run *run);                   // lag; INFINITY without delays
// The next time after t that should be the end of a step; *is_jump if rates may jump there.
double history_break(const orr_run *run, double t, bool *is_jump);
double history_at(const void *histories, int k, double t);     // for CodeEnv

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
const char *param_why_not(const orr_run *run, uint32_t variable);    // it cannot be changed now; NULL: it can
void  param_set(orr_run *run, uint32_t variable, double value);      // … and what follows from it
Place run_place(const orr_model *model, orr_diag *diag, Place place);
char *run_equation_text(const orr_model *model, const FlatEquation *equation);
char *run_expr_text(const orr_model *model, Expr e);

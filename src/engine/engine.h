// src/engine/engine.h: what happens in a run of equations: steps, relations, events, surfaces, delays.
//
// This folder is plain C over three structures. It is compiled into the library, and exported programs
// contain its text as it is, so that there is one meaning of an event. It includes itself, portable files of
// num/ and the C library; nothing here reads a Flat model, an Ir or an arena, and nothing writes a message.
//
//     EngineTables      what the engine knows of a model: sizes, relations, events, places; const
//     EngineServices    what others do for it: messages for people, memory, components, clocks
//     Island            a set of equations with one solver: all that changes
//
//     island.c     rates and relations at a point
//     look.c       did a relation change in the last step, and where?
//     slide.c      solutions that follow the surface where a relation changes
//     contact.c    surfaces that events hold: impacts, rest, release
//     surface.c    rates and values on surfaces
//     event.c      what happens at an instant
//     due.c        events whose time is known
//     history.c    the past of delayed expressions
//     drive.c      from step to step
//
// The library has `engine_call` and `Solver` from engine/host.h, an exported program has its own: they call
// the generated functions and the method directly there.
#pragma once
#include "code/env.h"
#include "num/calendar.h"
#include "orrery/base.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct Arena;
struct Code;
struct Solver;
struct orr_diag;
struct orr_model;
typedef struct Island Island;

// ---- What the engine knows of a model

#define ENGINE_NONE UINT32_MAX          // no relation, state, event
#define ENGINE_MANY (UINT32_MAX - 1)    // several

typedef struct EngineRelation {
    bool in_equation;         // some equation reads the mode; else only conditions of events do
    uint32_t reader;          // the one condition that reads it; NONE, or MANY: several, or another relation
    uint32_t zero;            // number of its zero function
    uint32_t negated;         // whose negative that is; NONE
    uint32_t left, right;     // whose difference it is; NONE
    bool at_zero;             // its truth where the zero function is 0
} EngineRelation;

typedef enum EngineEventKind {
    ENGINE_WHEN, ENGINE_AT, ENGINE_EVERY, ENGINE_ON, ENGINE_REINIT,
    ENGINE_ASK,               // never happens: its body computes what others need
    ENGINE_RATE               // at random: the ASK behind it computes how often
} EngineEventKind;

typedef struct EngineEvent {
    EngineEventKind kind;
    bool at_start;            // WHEN: the condition reads `initial`
    bool has_from;            // EVERY: the first time is given; else it is one period after the start
    bool has_after;           // WHEN: its body runs later
    bool affects;             // the body changes something that rates or relations depend on
    bool lapses;              // WHEN: not if the condition is false again before the body runs
    bool settles;             // conditions are looked at again before the next body runs
    uint32_t chain;           // WHEN: the first of a when … elsewhen chain; else itself
    uint32_t rank;            // place in the order in which bodies run
    uint32_t relation;        // WHEN: the only one that the condition reads, and nothing else does; NONE
    uint32_t first_action, n_actions;
    uint32_t counter, n_draws;    // draws in its times: a place in v that counts them; how many, 0: none
    uint32_t asks;            // the ASK that is run when it fires; NONE
    uint32_t order;           // the ASK whose first action computes its priority; NONE: `priority` it is
    // RATE: place of what is left of its clock, then of how often it happens, and since when; see due.c
    uint32_t clock;
    uint32_t first_reader, n_readers;    // RATEs that read what the body assigns, in EngineTables.readers
    uint32_t luck;            // place of what orders it among equals, before the rank; NONE
    double priority;
} EngineEvent;

typedef struct EngineAction {
    uint32_t state, place;    // what it assigns: a state, or if that is NONE a place in v
    const char *ends;         // the run ends if it assigns another number than 0, for this reason; NULL: no
    bool may_be_infinite;     // a discrete variable, and `inf` is meant
    bool is_kept;             // of an ASK: with each firing that waits
} EngineAction;

typedef struct EngineSpan {    // n numbers in v from `place` on, of the states state, state + step, …
    uint32_t place, n, state, step;
} EngineSpan;

typedef struct EngineTables {
    uint32_t n_states, n_params, n_relations, n_events, n_actions, n_delays, n_guesses;
    const double *nominal;    // [n_states] declared size, 0: none; NULL: none at all
    const uint32_t *positive;    // [n_positive] states that are declared never to be below 0
    uint32_t n_positive;
    bool     has_domain;         // there are values of states for which rates have none
    uint32_t first_mode, first_var, first_guess;    // places in v
    uint32_t n_kept;             // variables from first_var on
    uint32_t n_sources;          // things outside of the model that act at times they know, at most
    uint32_t initial_flag;       // place in v of `initial`; NONE
    bool     has_pre, has_implicit;    // `pre` is asked for; some states have no derivative
    bool     has_asks;           // some events have an ASK, lapse or settle
    uint32_t n_conditions;       // events from here on have no condition
    const uint32_t *readers;     // [n_readers] RATEs, behind those of the events those that read inputs
    uint32_t n_readers, first_open;
    uint32_t n_asked;            // most numbers that are kept with a firing that waits
    const EngineRelation *relations;
    const EngineEvent *events;
    const EngineAction *actions;
    const EngineSpan *rates;     // [n_rates] rates among the variables
    const EngineSpan *mixed;     // [n_mixed] variables that are mixed of both sides where it slides
    uint32_t n_rates, n_mixed;
    const bool *has_before;      // [n_delays] the model says what it was before the start
    const uint32_t *moving;      // [n_delays] the delay that remembers its lag, which moves; NONE
    bool     is_neutral;         // rates are remembered: what jumps comes back as a jump
    // Relations that read only time and what changes at events, and may change more than once: looking at the
    // ends of a step does not do for these.
    const uint32_t *clocks;      // [n_clocks]
    uint32_t n_clocks;
} EngineTables;

// ---- What others do for the engine

// What is worth a message; `number` and `value` say of what.
typedef enum EngineNews {
    ENGINE_FAULT,             // the equations cannot be evaluated: island->fault
    ENGINE_CONTRADICTION,     // a relation that makes itself false
    ENGINE_BURST,             // events in endless succession, with almost no time between them
    ENGINE_CYCLE,             // events that make each other fire for ever
    ENGINE_BODY_VALUE,        // an action assigns what is not finite
    ENGINE_BAD_TIME,          // of an event: its time or period
    ENGINE_BAD_FROM,          // its first time
    ENGINE_BAD_AFTER,         // its delay
    ENGINE_TOO_MANY_WAIT,     // delayed firings
    ENGINE_NO_REST,           // an event accumulates, and nothing can be held
    ENGINE_BAD_LAG,           // of a delay
    ENGINE_BAD_RATE,          // of an event at random
    ENGINE_STEP_TOO_SMALL,    // of the length `value`
    ENGINE_STIFF,             // no failure: an implicit method would do better
    ENGINE_RESTS,             // no failure: an event has come to rest; is_state_marked is held
    ENGINE_OTHER_MEAN,        // no failure: the mean of both sides would be another rate of a state, `value`
    ENGINE_SLIDES,            // no failure: the number of a surface that the solution begins to follow
    ENGINE_NEGATIVE,          // a state that is declared positive, the number, is `value`
    ENGINE_STAYS,             // no failure: an event left its condition where that changes, and goes on
} EngineNews;

typedef enum EngineTime { ENGINE_TIME, ENGINE_FROM, ENGINE_AFTER } EngineTime;    // of an event

// Where a function is NULL there is nothing to do.
typedef struct EngineServices {
    void   (*report)(Island *island, EngineNews news, uint32_t number, double value);
    double (*time_of)(Island *island, uint32_t event, EngineTime which);    // as it is now
    double (*lag_of)(Island *island, uint32_t delay);
    double (*before)(const Island *island, uint32_t delay, double t);       // if it has_before
    // Memory for so many bytes with what is in `old`; it lives as long as the island. NULL: there is none.
    void  *(*grow)(Island *island, void *old, size_t n_old, size_t n);
    // The solver begins anew where the island stands, or another that can follow surfaces. False: reported.
    bool   (*restart)(Island *island);
    // States without a derivative follow what jumped. False: reported.
    bool   (*settle_loops)(Island *island);
    // An instant at which something happens: what components do before it; what comes from outside; what
    // follows among the components once the events are over. False: *status, or a failure was reported.
    bool   (*catch_up)(Island *island, orr_status *status);
    bool   (*enter)(Island *island, bool *affects);
    bool   (*exchange)(Island *island, bool is_start, bool *affects, orr_status *status);
    // A source of the calendar is due; *next: its next time, after t. False: reported, or cancelled.
    bool   (*act)(Island *island, uint32_t source, double t, double *next);
    void   (*conditions)(Island *island);      // of events, at the start: island->conditions
    void   (*before_body)(Island *island, uint32_t event);
    bool   (*after_body)(Island *island, uint32_t event);
    bool   (*see_mode)(Island *island, uint32_t relation, bool now, size_t iteration);    // false: cancelled
    bool   (*see_body)(Island *island, uint32_t event, size_t iteration);                 // likewise
    // Steps: before one, with what is due; where it must end though nothing happens (past which it moves);
    // when a message may arrive; behind it.
    orr_status (*tell)(Island *island);
    double (*kink)(const Island *island);
    orr_status (*pass_kink)(Island *island, double t);
    double (*next_message)(const Island *island);
    orr_status (*pulse)(Island *island, double t, size_t n_steps);
    void   (*choose)(Island *island, bool now);    // other variables become states: now; else, shall they?
    void   (*watch)(Island *island);               // claims, at the last step or where the island stands
    bool   (*is_cancelled)(const Island *island);
    // Where clock number `clock` may differ from its mode: the first such time in (from, to], INFINITY if
    // there is none. *until: up to where it is proven that it does not.
    double (*foresee)(Island *island, uint32_t clock, double from, double to, double *until);
} EngineServices;

// ---- What changes

// What solvers are told by the experiment.
typedef struct SolverOptions {
    double step;         // positive; fixed-step solvers keep it; 0 for others: choose
    double tolerance;    // positive, relative
    double absolute;     // positive, of states of normal size; see nominal.c
    bool   has_tolerance, has_absolute;    // one of them was given; the absolute one was, for all states
    const double *absolutes;    // [n_states] given for single states, 0: as nominal.c finds; NULL: none
    double max_step;     // positive, may be INFINITY
    double t_end;        // may be INFINITY: unknown
    double path;         // of equations with noise: steps of the Brownian paths; 0: the same
    // of quantised states; 0: not given
    double quantum, relative, least;
    const double *quanta;    // [n_states] of single states, 0: as all others; NULL: none
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
#define SURFACE_NONE ENGINE_NONE
enum { SURFACES_MAX = 64 };
typedef struct Surface {
    bool    is_on;             // rates are not simply those of the generated code: no generated loops either
    bool    slides;            // along surfaces, each between two sides; see slide.c
    bool    mixes;             // … and other relations are not the same on all sides
    bool    ends;              // the island stands where one of them ends
    size_t  n_surfaces;
    size_t *leader;            // [n_surfaces] the relation whose zero function is the surface
    uint32_t *surface_of;      // [n_relations] whose sides differ in it; SURFACE_NONE: none's
    double *modes[2];          // [n_relations] on the first and second side of all surfaces
    double *before;            // [n_relations] modes before the present event
    double *after;             // [n_relations] scratch: behind it
    bool   *is_continuous;     // [n_relations] scratch
    double *rates[2];          // [n_states] scratch
    double *sides;             // [n_surfaces + 1][n_states] rates with all first sides; with one second side
    double *slopes;            // [n_surfaces + 1][n_surfaces] of the zero functions along them
    double *matrix;            // [n_surfaces][n_surfaces] scratch
    size_t *pivots;            // [n_surfaces]
    double *part;              // [n_surfaces] of the second side
    size_t  capacity;          // surfaces there is room for
    double *sum;               // [n_kept] scratch of slide_values; NULL: not needed so far
    bool   *resting;           // [n_relations] keep their modes, since a contact rests
    size_t  n_resting;         // contacts; see contact.c
    double  probe, contact_probe;    // time over which slopes are taken
    size_t  n_contacts_max;    // there is room for
    double *directions;        // [n_contacts][n_states] what the impact changed, as large as the largest one
    double *pushes;            // [n_contacts][n_states] scratch, as all below: what the body does to a motion
    double *contact_slopes, *bends, *forces;    // [n_contacts] of zero functions; parts of the pushes
    double *contact_matrix;    // [2][n_contacts][n_contacts] how each push changes each slope; to be solved
    double *contact_work, *body_values;    // [3*n_contacts], [up to the last variable of v]
    size_t *contact_relations, *contact_pivots;    // [n_contacts]
    double *x, *x2, *dx, *relations[2];    // scratch
} Surface;

typedef struct Zeno {
    double t, interval, ratio;    // last firing, time since the one before, that beside the one before it
    int n_shrinking;              // intervals in a row, each shorter than the one before
    size_t n;                     // firings
    double limit, doubt;    // where it all accumulates, by the firings that agreed best; by how much they did
    double limit_before;    // by the firing before
    double impulse;         // the largest change of a state by an impact
    bool   is_no_impact;    // its zero functions jump with the body
} Zeno;

typedef struct Contact {
    uint32_t event, relation;    // whose surface it is
    bool     rests;              // it is held there; else it is being left, or nothing pushes against it
    bool     is_released;        // at this instant
    double   inward;             // 1 or -1: the sign of slopes into the surface
    double   speed;              // of the last impact: the slope before it
    double   g;                  // the zero function when this instant began
} Contact;

// Where the past jumps or bends, so does what reads it, one lag later.
typedef struct HistoryBreak {
    double   t;
    uint32_t level;    // 1: rates may jump there; 2: their slopes; …
    uint32_t delay;    // 1 + the one, with a lag that moves, which reads it when t - lag is
    double   past;     // … this; `t` is where that is expected. 0: of any, at t
} HistoryBreak;

typedef struct History {
    double  *lag;            // [n_delays] of those that move: at the end of the last step
    double  *pace;           // [n_delays] of those: how fast t - lag grew in it
    double  *first;          // [n_delays] what was remembered at the start
    bool     known;          // `first` is known
    double   shortest, longest;
    bool     moves;          // some lag does
    double  *begins, *ends;  // [capacity] time of each segment
    double  *values;         // [capacity][HISTORY_POINTS][n_delays]
    size_t   n_segments, dropped, capacity;    // segments are `dropped` .. n_segments - 1 of the arrays
    HistoryBreak *breaks;    // [break_capacity] to come, the next one last
    size_t   n_breaks, break_capacity;
    bool     is_lost;        // there was no memory for one of them
    bool     is_growing;     // the last step is being remembered: who reads stands at its beginning
    double  *x, *now, *test; // [n_states], [n_delays], [n_delays] scratch
} History;
enum { HISTORY_POINTS = 4 };

enum { EVENT_RECENT = 6, LOOK_PLACES = 5 };

typedef enum StepResult {
    STEP_OK,
    STEP_RELATION,         // stopped before a step that needs a closer look: a relation changes across it, or
                           // a loop has no solution in it; nothing of that step was committed
    STEP_RETRY_SMALLER,    // did not converge; worth another try with a smaller step
    STEP_FAILED,           // gave up; adaptive methods have reported why, for fixed steps island->fault tells
} StepResult;

// A grid point this near, in steps, is meant by a time, and none is passed that would be missed by less.
#define SOLVER_GRID_SLACK 1e-9

// A set of equations that share variables, advanced by one solver of its own. It stands at the end of the
// solver's last step, or at an event that ended it.
struct Island {
    const EngineTables   *tables;
    const EngineServices *services;
    const struct orr_model *model;  // borrowed; the library's. The engine does not look into it, nor into
    const struct Code *code;        // its programs, for engine_call
    void         *host;             // whose services these are
    struct Arena *arena;            // borrowed; the run's
    struct orr_diag *diag;          // borrowed; where failures are explained
    const struct Solver *solver;    // borrowed; a static table
    void         *memory;           // the solver's own, in the run's arena
    SolverOptions options;
    const char   *method;           // at work: the solver's name, unless it chooses among others
    const char   *reason;           // why, or NULL; in the arena
    double   t_begin;               // where each run begins
    bool     has_network;           // components exchange messages with it
    bool     has_kinks;             // inputs follow pieces: services->kink
    bool     is_seen;               // each step is looked at: for asserts, and where states are chosen
    double   t_start, step;         // grid of the fixed-step methods, since the last reinitialisation
    long     k;                     // grid points passed: t_start + k·step <= t
    long     k_before;              // grid point before the last step made by hand
    bool     is_locating;           // an event is searched for: a limit near a grid point is not that point
    double   t;                     // present time, end of the last accepted step
    double  *x;                     // [n_states] continuous states at t, inside the run's state block
    double   t_before;              // start of the last accepted step: [t_before, t] can be interpolated
    double  *x_before;              // [n_states] states at t_before, kept for fixed-step methods
    double  *x_seen;                // [n_states] scratch of domain_seen
    double   t_blocked;             // where steps were taken back since n_blocked was 0; see domain.c
    int      n_blocked;
    double  *absolute;              // [n_states] tolerance of each; see nominal.c
    double   finest;                // of these, for what is not a state
    CodeEnv  env;                   // v lies inside the run's state block
    double  *guesses_aside;         // [n_guesses] scratch of island_rates_aside
    double  *guesses_before;        // [n_guesses] when a chunk of fixed steps began, or a free step
    bool     has_guesses_before;    // … of a free step
    long     chunk;                 // most steps in one
    Fault    fault;                 // of the latest evaluation that failed, at a time not yet passed
    bool     is_failed;             // a failure has been reported: nothing moves any more
    bool     is_cancelled;          // while waiting for a sample, or by whoever looks at modes
    bool     values_valid;          // v holds all variables where the user stands

    // looking for events
    double  *relations;             // [2*n_relations] zero functions and truth values
    double  *relations_left, *relations_here;    // [2*n_relations] scratch of locate_change
    double  *samples[LOOK_PLACES];  // [2*n_relations] relations at places in the last step
    double   t_sample;              // of samples[0]; NaN: unknown
    double  *sample_before;         // [2*n_relations] one step earlier
    double   t_sample_before;       // NaN: unknown
    double  *clock_until;           // [n_clocks] time up to which each is known to keep its mode
    double  *x_trial, *x_end, *x_event;    // [n_states] scratch
    bool     event_waits;           // the island stands at an event that has not been handled yet
    bool     jump_waits;            // the rates may jump where it stands: the solver must begin anew
    bool     choice_waits;          // other variables become states before the next step
    uint32_t event_relation;        // one of those that changed there
    bool     event_is_change;       // and not an instant that was scheduled, or that others have caused
    bool     event_is_located;      // inside a step, which the solver has gone beyond
    double   burst_start;           // time of the first of a burst of events
    size_t   n_burst;

    // events
    Calendar calendar;              // when each is due: events, delayed firings, sources; in the state block
    double  *due_memory;
    uint32_t n_due_max;             // things in the calendar
    uint32_t *due;                  // [n_due_max] scratch: those due at the same time
    uint32_t first_source;          // things of the calendar from here on
    double  *truth_before;          // [n_events] truth of each condition at the last look; likewise
    double  *every_k;               // [n_events] how often `every` has fired; likewise
    double  *pending;               // [n_pending] 1 + the event whose delayed firing waits; 0: free; likewise
    double  *asked;                 // [n_pending][n_asked] what is kept with each of them; likewise
    uint32_t n_pending;
    double  *conditions;            // [n_events] scratch
    bool    *is_fired;              // [n_events] in this iteration
    bool    *is_asked;              // [n_events] fired, and its ASK has been run
    uint32_t *fired;                // [n_events] which, and how many
    uint32_t n_fired;
    double  *left;                  // [most actions] values before a body
    uint32_t *differing;            // [n_relations] scratch
    bool    *is_marked;             // [n_events] scratch: false
    bool    *is_state_marked;       // [n_states] scratch
    double  *zero_scale;            // [n_relations] how large its zero function has been
    bool    *stays;                 // [n_relations] true by its mode, though its own event put it on the edge
    bool    *has_stayed;            // [n_events] which was reported
    Zeno    *zeno;                  // [n_events] how fast each event of a condition follows itself
    Contact *contacts;              // [n_events] of events that hold a surface, n_contacts of them
    uint32_t n_contacts;
    Surface  surface;
    History  history;
    size_t   n_bodies;              // run so far
    uint32_t recent[EVENT_RECENT], n_recent;    // the last of them, for messages
    const char *terminated;         // reason given by `terminate`; NULL: the run goes on

    const struct Solver *begin_with;    // where the run is loaded: what `auto` had chosen; NULL: choose
    const struct orr_random *noise; // [n_noises] where the path of each is drawn from
    // told of each polynomial with which a quantised state goes on from t; NULL: nobody wants to know
    void   (*on_piece)(void *context, uint32_t state, double t, const double *c, int degree);
    void    *piece_context;
    // told of the end of each step, or of several short ones at once, of solvers that make steps: before what
    // happens there. NULL: as above
    void   (*on_step)(void *context, Island *island);
    void    *step_context;
    // told of each mode that the solver changed itself, at t; false: the run shall end. NULL: as above
    bool   (*on_mode)(void *context, size_t relation, double t, bool now);
    void    *mode_context;
    size_t   n_steps, n_rates, n_rejected;
    size_t   n_events;              // that the solver handled itself
    size_t   n_handled;             // events that the engine handled
    size_t   n_foreseen;            // that the ends of their steps would not have shown
};

// ---- memory.c: where all of it lies

size_t engine_state_size(const EngineTables *tables);    // doubles: of a checkpoint, behind x and v
size_t engine_size(const EngineTables *tables);          // bytes of the rest
// Put the arrays into these, which are zero. `tables` is known; x and v stay where the owner puts them.
void   engine_lay_out(Island *island, double *state, void *memory);

// ---- island.c: evaluating the equations

// The derivatives at (t, x), counted. False if a loop has no solution there or a value is not finite; then
// island->fault says which and where.
bool island_rates(Island *island, double t, const double *x, double *dx);
// The same outside a step, for interpolation and messages: not counted, nothing remembered, no bit of a later
// step changed.
bool island_rates_aside(Island *island, double t, const double *x, double *dx);
int  island_values(Island *island, double t, const double *x);    // all variables into v; as programs do
// Zero functions and truth values of all relations, out[2*n_relations].
bool island_relations(Island *island, double t, const double *x, double *out);
double *island_modes(const Island *island);                    // [n_relations] inside v
bool island_is_finite(const double *x, size_t n);
void island_fault(Island *island, FaultKind kind, uint32_t block, double t, const double *x);
orr_status engine_stop(Island *island);    // a failure was reported: nothing moves any more
orr_status engine_fail(Island *island, EngineNews news, uint32_t number, double value);    // it is reported

// ---- nominal.c: the absolute tolerance of each state, from its size

void nominal_start(Island *island);    // the start is known, no step was made

// ---- domain.c: states stay where the equations have values, and where they are declared to be

const double *domain_seen(Island *island, const double *x);    // as the equations see them
void domain_state_at(Island *island, double t, double *x);     // dense output of the solver, as it is seen
bool domain_begins(Island *island);    // before a step; false, reported: the start or an event left it
// After a step: states that are below 0 by less than is tolerated, and declared positive, become 0. False,
// reported: they cannot.
bool domain_clamp(Island *island);
// One step of a method that chooses its length, up to an event inside it, made again, shorter, where it ends
// outside. False: it failed, which is reported.
bool domain_step(Island *island, double t_limit);

// ---- look.c: did a relation change in the last step?

// If so, and if something happens because of it, end the step there: event_waits. False if the relations
// could not be evaluated: island->fault.
bool look_for_event(Island *island);
void look_forget(Island *island);           // the next step has no past
void look_forget_clocks(Island *island);    // something else than time has changed, nothing is foreseen

// ---- slide.c: solutions that follow surfaces

typedef bool (*LocateState)(void *context, double t, double *x);    // the state at t; false: not to be had
void   slide_before(Island *island);                             // an event: remember the modes
// Relations have changed and nothing else happened: do both sides lead back? Then slide. True if so.
bool   slide_enter(Island *island);
bool   slide_leaves(Island *island, double t, const double *x);  // sliding is no longer possible there
void   slide_exit(Island *island);
// Relations with the mean of all sides. False: they cannot be computed.
bool   slide_relations(Island *island, double t, const double *x, double *out);
bool   slide_after_event(Island *island);                        // false: sliding must end
int    slide_rates(Island *island, double t, const double *x, double *dx);    // result as of programs
int    slide_values(Island *island, double t, const double *x);              // instead of IR_VALUES
bool   slide_make_room(Island *island, size_t n);                // for so many surfaces; false: no memory

// ---- surface.c: rates and values on surfaces

double surface_scale(const Island *island);                      // against what a time counts as short
void   surface_start(Island *island);
// if is_on; result as of programs
int    surface_rates(Island *island, double t, const double *x, double *dx);
// instead of IR_VALUES if is_on
int    surface_values(Island *island, double t, const double *x);
void   surface_patch(const Island *island, double *relations);     // those slid along agree with their modes
// Where something becomes so between two times; x_event is the state there.
double surface_locate(Island *island, double t_lo, double t_hi, LocateState state, void *context,
                      bool (*is_over)(Island *island, double t, const double *x));
// The rates of the generated code, with the modes as they are and nothing held; result as of programs.
int    surface_plain_rates(Island *island, double t, const double *x, double *dx);
// How fast zero functions move at (t, x) if x moves at the rates dx. False: they cannot be computed.
bool   surface_slopes(Island *island, double t, const double *x, const double *dx, const size_t *relations,
                      size_t n, double probe, double *slopes);

// ---- contact.c: surfaces that events hold

void   contact_start(Island *island);
bool   contact_make_room(Island *island, size_t n);    // for so many; false: no memory
int    contact_rates(Island *island, double t, const double *x, double *dx);    // result as of programs
uint32_t contact_targets(Island *island, uint32_t event);    // states it assigns: is_state_marked, how many
// The body of an event has run; island->left has what it assigned before. False: reported.
bool   contact_fired(Island *island, uint32_t event);
bool   contact_fire(Island *island);    // a motion into a surface is left over: its event happens again
// What rests, and what is free now? False: reported.
bool   contact_settle(Island *island, bool *changed);
void   contact_begin(Island *island);    // of an instant
void   contact_lie(Island *island);      // the run begins: what lies on a surface is in contact with it
void   contact_leave(Island *island, bool has_jumped);    // those that are none any more are forgotten
// Something is to happen there: a force changes its sign, a motion turns back.
bool   contact_turns(Island *island, double t, const double *x);

// ---- due.c: events whose time is known

bool   due_start(Island *island);            // the run begins; false, reported, if a time is wrong
// the next instant: the latest time that is one with the earliest
double due_next(const Island *island);
// Events whose time has come are marked as fired, sources act. False, reported, if one fails.
bool   due_act(Island *island, double t, bool *acted);
bool   due_delay(Island *island, uint32_t event, double t);    // a delayed firing; false: reported
void   due_lapse(Island *island, uint32_t event);    // its delayed firings are no more
// Behind its body: a drawn period, and how often what reads its targets happens. False likewise.
bool   due_again(Island *island, uint32_t event);
// Something else than a body has changed inputs, or (all) anything. False likewise.
bool   due_renew(Island *island, bool all);

// ---- event.c: what happens at an instant

// The run begins: conditions that hold now have held before, `when initial` and what is due happen.
orr_status event_start(Island *island);
// Handle the event that waits, if one does: sources that are due act, modes are brought in line, bodies run
// until nothing more happens, the solver begins anew.
orr_status event_handle(Island *island);
void   event_fire(Island *island, uint32_t event);           // its body runs in this iteration
bool   event_ask(Island *island, uint32_t event);            // run its ASK, if it has one; false: reported
bool   event_run_ask(Island *island, uint32_t ask);          // run this one; likewise
bool   event_run_fired(Island *island, size_t iteration, bool *affects);    // those that have, in their order
bool   event_run(Island *island, uint32_t event, size_t iteration, bool *affects);    // one; false: it failed
// Everything that follows from what has happened so far. *affects: the solver must begin anew.
bool   event_iterate(Island *island, bool is_start, bool *affects);
orr_status event_end(Island *island, bool affects);        // of all that happened at this instant
// Of relations with values `relations`, those that only conditions read have changed and nothing happens
// because of it: take them as they are. False if something happens.
bool   event_passes(Island *island, double t, const double *x, const double *relations);
// Bring the modes in line with the relations at the island's (t, x). False, reported, if they never settle.
bool   event_settle(Island *island, size_t iteration, bool *changed);
bool   event_conditions(Island *island, double t, const double *x);    // into island->conditions
uint32_t event_first_difference(const Island *island);       // between island->relations and the modes
// Does a relation differ from its mode? After very many changes in almost no time, a zero function that is
// nothing but rounding does not tell.
bool event_differs(const Island *island, const double *relations, size_t k);
void event_learn_scales(Island *island, const double *relations);

// ---- history.c: the past of delayed expressions

bool   history_init(Island *island);                         // lags; false, reported, if one is not positive
// Remember the present as the past before the start; *changed if that is news. False if it cannot be
// evaluated.
bool   history_start(Island *island, bool *changed);
bool   history_push(Island *island);                         // remember the last step
// Lags that move, where the island stands. False, reported if that is wanted: one is negative or too large.
bool   history_lags(Island *island, bool reports);
void   history_cut(Island *island, double t);                // forget what was remembered of times after t
double history_shortest(const Island *island);               // lag; INFINITY without delays
void   history_jumped(Island *island);                       // something jumps where the island stands
// The next time that should be the end of a step; *is_jump if rates may jump there.
double history_break(Island *island, bool *is_jump);
double history_at(const void *island, int k, double t);      // for CodeEnv
// For a segment more, that begins then; what is older than any lag is dropped. False: there is no memory.
bool   history_make_room(Island *island, double begin);
bool   history_make_breaks(Island *island, size_t n);        // room for so many; likewise

// ---- drive.c: steps, checks

// Move the island towards t_want: a chunk of fixed steps or one step, not past t_limit for fixed-step
// methods. An event found on the way ends the step there and waits (event_waits) until the next call or
// event_handle.
orr_status drive(Island *island, double t_want, double t_limit, long n_max);
orr_status drive_arrive(Island *island);                   // asserts and histories at the end of a step
// All that happens at t, which the island has reached, or as nearly as counts on a grid.
orr_status drive_events_at(Island *island, double t);
double drive_grid(const Island *island, long k);             // t_start + k·step
double drive_grid_floor(const Island *island, double t);     // the last k whose time is not after t
bool   drive_is_near(const Island *island, double t);        // t is the island's time, or meant by it
bool   drive_has_reached(const Island *island, double t);    // the same, or t lies before it

// include/orrery/analyse.h: questions asked of a model without running it: where it rests, how it behaves
// nearby, and how that changes with a parameter.
//
//     orr_steady_find     equilibria, from several starting points, each with its stability
//     orr_linearise       the matrices A, B, C, D at a point, poles and zeros
//     orr_continue        an equilibrium followed along a parameter through folds, with its Hopf points
//
// All three stand on the derivatives of the rates by the states, which are symbolic where the model has them.
// They look at one instant, t_start of the run options: a model that depends on time is frozen there, with a
// warning. Relations are those that hold at each point. Every result owns its memory and names nothing but
// the model's texts: the model must outlive it, and one call frees it.
#pragma once
#include "orrery/figure.h"
#include "orrery/run.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- What `orrery check` prints of equations, as data

typedef struct orr_equation {
    const char *text;           // "x = y + 16", as it is after flattening
    orr_place   place;
    void       *reserved[2];
} orr_equation;

// Equations that are solved together.
typedef struct orr_loop {
    const char *method;         // "linear, solved symbolically", …; static
    double      condition;      // number of a linear loop at the initial values; NaN: not known
    size_t      n;
    const orr_equation *equations;     // [n]
    const size_t       *variables;     // [n] that they compute
    const size_t       *iterated;      // [n_iterated] those that Newton's method iterates; the others follow
    const char *const  *guesses;       // [n_iterated] first guesses as written; NULL: none given
    size_t      n_iterated;
    void       *reserved[2];
} orr_loop;

typedef struct orr_turn {       // in the order of evaluation
    orr_equation equation;      // if it is not a loop
    size_t       loop;          // in `loops`; (size_t)-1: it is none
} orr_turn;

typedef struct orr_structure {
    const orr_turn     *order;     size_t n_order;
    const orr_loop     *loops;     size_t n_loops;
    const orr_equation *relations; size_t n_relations;    // that are fixed between events
    void       *memory;         // of all this
    void       *reserved[4];
} orr_structure;

// `diag` is the one the source was opened with: it knows the lines. Free it with orr_structure_free.
ORR_API orr_structure orr_model_structure(const orr_model *model, const orr_diag *diag);
ORR_API void          orr_structure_free(orr_structure *structure);

typedef struct orr_complex {
    double re, im;
} orr_complex;

// What the eigenvalues of the linear part say about an equilibrium.
typedef enum orr_stability {
    ORR_STABILITY_STABLE,       // all to the left of the imaginary axis
    ORR_STABILITY_UNSTABLE,     // all to the right
    ORR_STABILITY_SADDLE,       // on both sides: unstable too
    ORR_STABILITY_UNDECIDED,    // some on the axis and none to the right: the linear part does not decide
    ORR_STABILITY_UNKNOWN       // not computed: too many states
} orr_stability;

// ---- Equilibria

typedef struct orr_range {
    const char *name;           // of a state
    double      lo, hi;
} orr_range;

typedef struct orr_steady_options {
    orr_run_options  run;       // t_start and settings count: parameters, inputs, the first starting point
    size_t           n_starts;  // starting points tried, the initial values first; 0: 20
    const orr_range *ranges;    // [n_ranges] where the others lie; default: where asserts allow, or around
    size_t           n_ranges;  // the initial values
    void *reserved[8];
} orr_steady_options;
ORR_API orr_steady_options orr_steady_options_default(void);

typedef struct orr_equilibrium {
    const double      *values;       // [orr_model_n_variables] of every variable
    double             residual;     // the largest rate that is left
    const orr_complex *eigenvalues;  // [n_states] the largest real part first; NULL if not computed
    orr_stability      stability;
    const char        *verdict;      // "stable focus", "saddle", …; static
    size_t             n_found;      // starting points that led here
    bool               is_isolated;  // false: one of a whole line or surface of equilibria
    const char *const *broken;       // [n_broken] assertions that do not hold here, as written
    size_t             n_broken;
} orr_equilibrium;

typedef struct orr_steady {
    orr_status    status;            // ORR_STATUS_FAILED, with messages, if none was found
    double        t;
    size_t        n_states;
    const size_t *states;            // [n_states] variables, in the order of the eigenvalue problem
    const orr_equilibrium *equilibria;    // [n_equilibria] in the order found
    size_t        n_equilibria, n_starts;
    void         *memory;            // of all this
    void *reserved[4];
} orr_steady;

// Find equilibria: states at which every rate is zero. Free the result with orr_steady_free in any case.
ORR_API orr_steady orr_steady_find(const orr_model *model, const orr_steady_options *options, orr_diag *diag);
ORR_API void       orr_steady_free(orr_steady *steady);

// ---- The linear model around a point

typedef enum orr_at {
    ORR_AT_STEADY,              // the equilibrium that the initial values lead to
    ORR_AT_START,               // the initial values themselves
    ORR_AT_TIME                 // where a run has come at run.t_end
} orr_at;

typedef struct orr_linear_options {
    orr_run_options    run;     // settings, t_start and, for ORR_AT_TIME, solver and t_end
    orr_at             at;
    const char *const *inputs;  // [n_inputs] inputs or parameters; none: all inputs of the model
    size_t             n_inputs;
    const char *const *outputs; // [n_outputs] any variables; none: the model's outputs or, without any, its
    size_t             n_outputs;    // states
    void *reserved[8];
} orr_linear_options;
ORR_API orr_linear_options orr_linear_options_default(void);

// From one input to one output: gain·Π(s - zero)/Π(s - pole), the poles being those of the whole model.
typedef struct orr_transfer {
    const orr_complex *zeros;   // [n_zeros]
    size_t             n_zeros;
    double             gain;    // of the highest powers; 0: the input does not reach the output
    double             steady;  // y/u for s = 0; NaN if a pole lies there
} orr_transfer;

typedef struct orr_linear {
    orr_status    status;
    double        t;
    size_t        n_states, n_inputs, n_outputs;
    const size_t *states, *inputs, *outputs;      // variables
    const double *values;                         // [orr_model_n_variables] at the point
    double        residual;                       // the largest rate there: 0 at an equilibrium
    const double *A, *B, *C, *D;                  // row after row: x' = A x + B u, y = C x + D u, where x, u
                                                  // and y are differences from the point
    bool          is_symbolic;                    // A is; otherwise it comes from extrapolated differences
    const orr_complex  *poles;                    // [n_states] the largest real part first
    const orr_transfer *transfers;                // [n_outputs*n_inputs], row after row; NULL if too many
    void         *memory;
    void *reserved[4];
} orr_linear;

ORR_API orr_linear orr_linearise(const orr_model *model, const orr_linear_options *options, orr_diag *diag);
ORR_API void       orr_linear_free(orr_linear *linear);

// ---- Along a parameter

typedef enum orr_point_kind {
    ORR_POINT_PLAIN,            // a step of the continuation, or an end of the branch
    ORR_POINT_FOLD,             // the branch turns back
    ORR_POINT_HOPF,             // a pair of complex eigenvalues crosses the axis: oscillations begin
    ORR_POINT_CROSSING          // a real eigenvalue is zero and the branch goes on: another one crosses it
} orr_point_kind;
ORR_API const char *orr_point_text(orr_point_kind kind);    // "fold", "Hopf point", …; "" if plain; static

typedef struct orr_continue_options {
    orr_run_options run;        // settings; the initial values choose the equilibrium
    const char *parameter;      // or input
    double      from, to;       // `from` may lie above `to`
    double      step;           // longest, as a part of the range; 0: 0.02
    size_t      n_points;       // at most on a branch; 0: 2000
    size_t      n_starts;       // look for equilibria at `from` from so many points and follow each; 0: one
    void *reserved[8];
} orr_continue_options;
ORR_API orr_continue_options orr_continue_options_default(void);

typedef struct orr_branch_point {
    double         parameter;
    const double  *values;      // [orr_model_n_variables]
    orr_point_kind kind;
    orr_stability  stability;
    size_t         n_unstable;  // eigenvalues to the right of the axis
    double         frequency;   // of a Hopf point: the imaginary part; otherwise 0
    size_t         branch;      // from 0
} orr_branch_point;

typedef struct orr_diagram {
    orr_status    status;
    size_t        parameter;    // variable
    size_t        n_states;
    const size_t *states;       // [n_states] variables
    const orr_branch_point *points;    // [n_points] branch after branch, each in its order
    size_t        n_points, n_branches;
    void         *memory;
    void *reserved[4];
} orr_diagram;

// Follow an equilibrium from `from` towards `to` until the parameter leaves the range. If there is none at
// `from`, it begins at the parameter's own value or at `to`, and says so. A branch that cannot be followed to
// an end is kept, with a warning.
ORR_API orr_diagram orr_continue(const orr_model *model, const orr_continue_options *options, orr_diag *diag);
ORR_API void        orr_diagram_free(orr_diagram *diagram);
// Variables, by number, over the parameter: stable parts, unstable ones dashed, special points marked.
ORR_API orr_figure *orr_diagram_figure(const orr_diagram *diagram, const orr_model *model,
                                       const size_t *variables, size_t n, const char *title);

#ifdef __cplusplus
}
#endif

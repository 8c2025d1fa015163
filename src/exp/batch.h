// src/exp/batch.h: the memory of one thread that computes members side by side.
#pragma once
#include "code/lane_paths.h"
#include "exp/ensemble.h"

typedef struct Seat {         // a lane with a run of its own
    orr_run  *run;            // NULL: nobody sits here
    orr_diag *diag;
    size_t    row;            // the next to be recorded
    bool      is_ready;       // for steps in its lane:
    long      n_plain;        // … at most so many, on a grid
    double    limit;          // … or at most to there
    double    before;         // … from this grid point, or time
    bool      is_loaded;      // the lane has what the run has
    bool      must_step;      // the next step is the run's own
} Seat;

struct Batch {
    orr_run *run;             // for starts and values of single members; NULL with seats
    CodeEnv  env;             // tables, numbers and:
    struct orr_paths paths;   // of members with noise
    unsigned long long *names;    // [n_noises] inside it
    uint32_t width;           // lanes
    double  *x, *v;           // [n_states][width], [first_var][width]
    double  *lane;            // vectors of `width` numbers: see code.h
    double  *scratch;         // [lanes.n_scratch]
    size_t   who[CODE_LANES_MAX];    // the member in a lane, counted from the first of the batch
    bool     is_in[CODE_LANES_MAX];
    bool     needs_values;    // columns that are neither states nor parameters
    Seat    *seats;           // [width] or NULL
};

// What a lane has of its member's run: states and values; whose noise it is.
void batch_set_noise(Batch *b, uint32_t lane, const orr_run *run);
void batch_set_lane(Batch *b, const orr_model *model, uint32_t lane, const double *x, const double *v);

// ---- seats.c

void seats_create(Batch *b, Arena *arena);
void seats_destroy(Batch *b);
// As batch_run: *results of those who must be computed alone have no rows.
void seats_run(Batch *b, const Ensemble *e, size_t first, size_t n, MemberResult *results);

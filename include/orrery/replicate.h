// include/orrery/replicate.h: the same experiment again and again with other luck: means and their intervals.
//
// Replication i is the run number `experiment.run.number` + i. They are computed by several threads, but
// counted in their order, so neither the estimates nor the number of replications after which a precision is
// reached depend on threads.
#pragma once
#include "orrery/ensemble.h"

#ifdef __cplusplus
extern "C" {
#endif

// What each replication observes: of every recorded variable its value at the end, and if rows are recorded
// (`every`) the mean of the rows behind the warm-up, called "mean(x)"; of every statistic its mean and
// percentiles, "desk.waits.mean" and "desk.waits.p95".
typedef struct orr_estimate {
    const char *name;            // "x", "mean(x)", "desk.waits.p95"
    const char *unit;            // NULL if none
    size_t      n;               // replications
    double      mean, deviation; // of the observations
    double      half;            // the confidence interval is mean ± half, by Student's t; NaN for n < 2
    double      least, most;     // observations
    bool        is_precise;      // half is at most precision·|mean|, or nothing was asked for it
    void *reserved[4];
} orr_estimate;

typedef struct orr_replicate_options {
    size_t      n_threads;       // 0: as many as there are processors
    size_t      at_least;        // replications before the precision is looked at; 0: 10
    size_t      at_most;         // while it is not reached; 0: 10,000
    const volatile int *cancel;  // not 0 ends; what is complete is kept. NULL: none;
                                 // written as that of orr_run_options
    // One replication, in order, as it is counted: names and their values, until the call returns. False
    // ends. NULL: none
    bool (*replication)(void *context, size_t index, const char *const *names, const double *values,
                        size_t n);
    // likewise
    bool      (*progress)(void *context, size_t n_done, const orr_estimate *estimates, size_t n);
    void       *context;
    orr_lanes   lanes;           // many at once in vector instructions, see ensemble.h: no bit depends on it
    void *reserved[8];
} orr_replicate_options;
ORR_API orr_replicate_options orr_replicate_options_default(void);

// What part of the replications is below at each time: quantiles of what is recorded.
typedef struct orr_bands {
    size_t        n_columns, n_rows, n_levels;
    const char *const *names, *const *units;    // [n_columns]; units may be NULL
    const double *times;         // [n_rows]
    const double *levels;        // [n_levels] 0.05, 0.25, 0.5, 0.75, 0.95
    const double *values;        // [n_columns][n_rows][n_levels]
    void *reserved[2];
} orr_bands;

typedef struct orr_replications {
    orr_status    status;
    size_t        n_done, n_failed;    // one that failed counts for nothing; the first is told
    bool          is_precise;    // all that was asked to be
    size_t        n_estimates;
    const orr_estimate *estimates;    // freed by orr_replications_free, with the texts
    size_t        n_verdicts, n_unfulfilled;
    const orr_verdict  *verdicts;     // of the expectations: of the means of the values at the end
    size_t        n_distributions;
    const orr_distribution *distributions;    // of the statistics, of all replications together
    double        confidence;
    size_t        n_threads;
    double        simulate_ms;   // on the clock
    void         *memory;
    size_t        n_in_lanes;    // of all that were computed, many at once
    const char   *one_by_one;    // why they were not, as in orr_ensemble_facts; static, or NULL
    size_t        n_violated;    // in which an assert or the frame did not hold; the first is told
    const orr_bands *bands;      // NULL: no rows are recorded, or too many to be kept
    void *reserved[3];
} orr_replications;

// Carry out `experiment` `replications` times (10 if it does not say), or with a precision until that is
// reached.
ORR_API orr_replications orr_replicate(const orr_model *model, const orr_experiment *experiment,
                                       const orr_replicate_options *options, orr_diag *diag);
ORR_API void orr_replications_free(orr_replications *replications);

#ifdef __cplusplus
}
#endif

// include/orrery/distribution.h: what an experiment asks of statistics of components, and what comes of it.
//
// An experiment names statistics (`statistics desk.waits percentiles 50, 95 histogram 20 bins`); a run fills
// one distribution for each, replications merge those of all runs. Counts, means and extremes are exact,
// percentiles and histograms as orrery/statistics.h says.
#pragma once
#include "orrery/figure.h"
#include "orrery/statistics.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORR_BINS_MAX 1000

typedef struct orr_statistic {
    const char   *name;             // a tally or level of a component, "desk.waits"; or what else it shows,
                                    // "desk.waiting", "desk.state": weighted by the time for which it holds;
                                    // or a variable of equations: likewise, from row to row
    const double *percentiles;      // [n_percentiles] 0 to 100; none: 50, 95 and 99
    size_t        n_percentiles;
    size_t        n_bins;           // of a histogram, at most ORR_BINS_MAX; 0: none is asked for
    double        low, high;        // of the bins, low < high; both 0: chosen to fit what was seen
} orr_statistic;

typedef struct orr_distribution {
    orr_statistic asked;            // its texts and numbers are borrowed from whoever asked
    const char   *unit;             // of the values, borrowed from the model; NULL if none
    const char   *time_unit;        // likewise, of a level
    bool          is_level;         // weighted by time; else each value counts once
    double        t;                // up to here a level is weighted
    orr_tally     tally;            // if it is no level
    orr_level     level;            // if it is one
    void *reserved[4];
} orr_distribution;

// Values that were counted, or for how long a level was watched.
ORR_API double orr_distribution_weight(const orr_distribution *d);
ORR_API double orr_distribution_mean(const orr_distribution *d);
ORR_API double orr_distribution_deviation(const orr_distribution *d);
ORR_API double orr_distribution_lowest(const orr_distribution *d);
ORR_API double orr_distribution_highest(const orr_distribution *d);
ORR_API double orr_distribution_percentile(const orr_distribution *d, double percent);    // 0 to 100
// How much of the weight lies below x.
ORR_API double orr_distribution_below(const orr_distribution *d, double x);
// Add what another run saw of the same thing.
ORR_API void   orr_distribution_merge(orr_distribution *into, const orr_distribution *other);

// The bins that were asked for, or that fit: edges are low + i (high - low)/n, and a bin holds from its lower
// edge up to, but not at, its upper one. At most asked.n_bins, 20 if that is 0; none if nothing was seen.
typedef struct orr_bins {
    size_t n;
    double low, high;
    double below, above;                // weight outside
    bool   is_each;                     // each bin is one whole number, its lower edge
    double weights[ORR_BINS_MAX];       // [n]
} orr_bins;
ORR_API void orr_distribution_bins(const orr_distribution *d, orr_bins *bins);

// Write them as CSV, a line for each number: statistic, what (count, duration, mean, deviation, lowest,
// highest, p95, below, bin, above), from and to (of a bin) and value. "-": standard output. False after a
// message.
ORR_API bool orr_distributions_write(const orr_distribution *all, size_t n, const char *path, orr_diag *diag);

// The numbers in two lines and, if a histogram was asked for, a line for each bin, for a terminal of this
// width.
ORR_API void orr_distribution_print(const orr_distribution *d, FILE *out, int width);
// The histogram as a figure. NULL, with the reason, if nothing was seen.
ORR_API orr_figure *orr_distribution_figure(const orr_distribution *d, const char *title, orr_diag *diag);

#ifdef __cplusplus
}
#endif

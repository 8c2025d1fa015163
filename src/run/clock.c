// src/run/clock.c: when relations change that nothing but time moves.
//
// Over a span of time an enclosure of such a relation either proves that it keeps its truth value or leaves
// it open; then the span is halved, the earlier half first, until what is left open is so short that the
// place has been found. A pulse that is shorter than the finest span, a millionth of what is looked at, may
// be missed where nothing can be proven of it.
#include "expr/interval.h"
#include "run/run.h"

enum {
    HALVINGS = 20,        // of the span that is looked at
    ENCLOSURES = 4000,    // at one look
};

static ExprInterval point(double value) { return expr_interval_of(value, value); }

static ExprInterval fixed_variable(const void *context, uint32_t variable)
{
    const orr_run *run = context;
    return point(run->island.env.v[run->model->ir.layout.place[variable]]);
}

static ExprInterval fixed_mode(const void *context, uint32_t relation)
{
    const orr_run *run = context;
    return point(island_modes(&run->island)[relation]);
}

// Does the relation keep its mode over all of a span?
static bool is_kept(const orr_run *run, uint32_t clock, double from, double to)
{
    const orr_model *model = run->model;
    const double mode = island_modes(&run->island)[model->tables.clocks[clock]] != 0;
    const ExprBox box = { .t = expr_interval_of(from, to), .variable = fixed_variable, .mode = fixed_mode,
                          .context = run };
    const ExprInterval truth = expr_interval(&model->flat.pool, model->clocks[clock], &box);
    return !truth.may_be_nan && truth.low == mode && truth.high == mode;
}

double clock_foresee(Island *island, uint32_t clock, double from, double to, double *until)
{
    const orr_run *run = island->host;
    double ends[HALVINGS + 1];    // of the spans that are still to be looked at, the earliest last
    int n = 0;
    ends[n++] = to;
    *until = from;
    for (int looks = 0; n > 0 && looks < ENCLOSURES; looks++) {
        const double end = ends[n - 1], middle = *until + 0.5 * (end - *until);
        if (is_kept(run, clock, *until, end)) {
            *until = end;
            n--;
        } else if (n <= HALVINGS && middle > *until && middle < end) {
            ends[n++] = middle;
        } else {
            return end;
        }
    }
    return n > 0 ? ends[n - 1] : INFINITY;
}

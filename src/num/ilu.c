// src/num/ilu.c: see ilu.h. Column by column, from the left.
#include "num/ilu.h"
#include <math.h>

void ilu_begin(IluPattern *p)
{
    for (size_t c = 0; c < p->n; c++) {
        int64_t i = p->start[c];
        while (p->row[i] < (int64_t)c) i++;
        p->diagonal[c] = i;
    }
}

bool ilu_factor(const IluPattern *p, double *a, int64_t *place)
{
    bool ok = true;
    for (size_t c = 0; c < p->n && ok; c++) {
        const int64_t first = p->start[c], end = p->start[c + 1], middle = p->diagonal[c];
        for (int64_t i = first; i < end; i++) place[p->row[i]] = i;
        for (int64_t i = first; i < middle; i++) {
            const int64_t k = p->row[i];
            const double u = a[i];
            if (u == 0) continue;
            for (int64_t below = p->diagonal[k] + 1; below < p->start[k + 1]; below++) {
                const int64_t at = place[p->row[below]];
                if (at >= 0) a[at] -= a[below] * u;
            }
        }
        const double pivot = a[middle];
        ok = pivot != 0 && isfinite(pivot);
        for (int64_t i = middle + 1; i < end; i++) a[i] /= pivot;
        for (int64_t i = first; i < end; i++) place[p->row[i]] = -1;
    }
    return ok;
}

void ilu_solve(const IluPattern *p, const double *lu, double *x)
{
    for (size_t c = 0; c < p->n; c++) {
        const double y = x[c];
        for (int64_t i = p->diagonal[c] + 1; i < p->start[c + 1]; i++) x[p->row[i]] -= lu[i] * y;
    }
    for (size_t c = p->n; c-- > 0;) {
        const double y = x[c] /= lu[p->diagonal[c]];
        for (int64_t i = p->start[c]; i < p->diagonal[c]; i++) x[p->row[i]] -= lu[i] * y;
    }
}

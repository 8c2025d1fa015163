// bench/brusselator_reference.c: the Brusselator on a periodic square of n × n cells as one writes it by
// hand: CVODES' BDF, GMRES, and as preconditioner an incomplete LU decomposition in blocks of 2 × 2, a block
// for the two substances of a cell.
//
//     brusselator_reference N REPEATS    the shortest time in ms, set-up included, then u in the first cell
#include "measure.h"
#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_spgmr.h>

enum { NEAR = 5 };    // blocks in a row: the cell and its neighbours

typedef struct Square {
    long n;
    double a, b, alpha;
    long *column;     // [n·n][NEAR] cells, rising
    int *diagonal;    // [n·n] which of them is the cell itself
    double *lu;       // [n·n][NEAR][4] blocks, row after row
    double *kept;     // [n·n][4] derivatives of the reaction
} Square;

static int rates(sunrealtype t, N_Vector y, N_Vector ydot, void *data)
{
    (void)t;
    const Square *s = data;
    const long n = s->n;
    const double *x = N_VGetArrayPointer(y), d = s->alpha * (double)n * (double)n;
    double *dx = N_VGetArrayPointer(ydot);
    for (long i = 0; i < n; i++) {
        const long up = (i > 0 ? i - 1 : n - 1) * n, down = (i < n - 1 ? i + 1 : 0) * n;
        for (long j = 0; j < n; j++) {
            const long k = i * n + j, left = i * n + (j > 0 ? j - 1 : n - 1),
                       right = i * n + (j < n - 1 ? j + 1 : 0);
            const double u = x[2 * k], v = x[2 * k + 1], uuv = u * u * v;
            const double *p = x + 2 * (up + j), *q = x + 2 * (down + j), *l = x + 2 * left,
                         *r = x + 2 * right;
            dx[2 * k] = s->a + uuv - (s->b + 1) * u + d * (p[0] + q[0] + l[0] + r[0] - 4 * u);
            dx[2 * k + 1] = s->b * u - uuv + d * (p[1] + q[1] + l[1] + r[1] - 4 * v);
        }
    }
    return 0;
}

static void subtract_product(double c[4], const double a[4], const double b[4])
{
    c[0] -= a[0] * b[0] + a[1] * b[2];
    c[1] -= a[0] * b[1] + a[1] * b[3];
    c[2] -= a[2] * b[0] + a[3] * b[2];
    c[3] -= a[2] * b[1] + a[3] * b[3];
}

static void invert(double a[4])
{
    const double det = a[0] * a[3] - a[1] * a[2], b[4] = { a[3] / det, -a[1] / det, -a[2] / det, a[0] / det };
    memcpy(a, b, sizeof b);
}

// By rows; the blocks on the diagonal are kept inverted.
static int set_up(sunrealtype t, N_Vector y, N_Vector fy, sunbooleantype is_good, sunbooleantype *is_new,
                  sunrealtype gamma, void *data)
{
    (void)t, (void)fy;
    Square *s = data;
    const long cells = s->n * s->n;
    const double *x = N_VGetArrayPointer(y), d = s->alpha * (double)s->n * (double)s->n;
    *is_new = !is_good;
    for (long k = 0; k < cells && !is_good; k++) {
        const double u = x[2 * k], v = x[2 * k + 1],
                     own[4] = { 2 * u * v - s->b - 1, u * u, s->b - 2 * u * v, -u * u };
        memcpy(s->kept + 4 * k, own, sizeof own);
    }
    for (long k = 0; k < cells; k++) {
        double(*row)[4] = (double(*)[4])(s->lu + 4 * NEAR * k);
        const long *column = s->column + NEAR * k;
        for (int i = 0; i < NEAR; i++) {
            const int own = i == s->diagonal[k];
            const double *r = s->kept + 4 * k, off = own ? 1 + 4 * gamma * d : -gamma * d;
            for (int e = 0; e < 4; e++) row[i][e] = (e == 0 || e == 3 ? off : 0) - (own ? gamma * r[e] : 0);
        }
        for (int i = 0; i < s->diagonal[k]; i++) {
            const long c = column[i];
            double(*above)[4] = (double(*)[4])(s->lu + 4 * NEAR * c), factor[4] = { 0 };
            subtract_product(factor, row[i], above[s->diagonal[c]]);
            for (int e = 0; e < 4; e++) row[i][e] = -factor[e];
            const long *there = s->column + NEAR * c;
            for (int m = s->diagonal[c] + 1; m < NEAR; m++)
                for (int w = i + 1; w < NEAR; w++)
                    if (column[w] == there[m]) subtract_product(row[w], row[i], above[m]);
        }
        invert(row[s->diagonal[k]]);
    }
    return 0;
}

static int solve(sunrealtype t, N_Vector y, N_Vector fy, N_Vector r, N_Vector z, sunrealtype gamma,
                 sunrealtype delta, int side, void *data)
{
    (void)t, (void)y, (void)fy, (void)gamma, (void)delta, (void)side;
    const Square *s = data;
    const long cells = s->n * s->n;
    double *x = N_VGetArrayPointer(z);
    memcpy(x, N_VGetArrayPointer(r), 2 * (size_t)cells * sizeof *x);
    for (long k = 0; k < cells; k++)
        for (int i = 0; i < s->diagonal[k]; i++) {
            const double *a = s->lu + 4 * (NEAR * k + i), *b = x + 2 * s->column[NEAR * k + i];
            x[2 * k] -= a[0] * b[0] + a[1] * b[1];
            x[2 * k + 1] -= a[2] * b[0] + a[3] * b[1];
        }
    for (long k = cells; k-- > 0;) {
        double p = x[2 * k], q = x[2 * k + 1];
        for (int i = s->diagonal[k] + 1; i < NEAR; i++) {
            const double *a = s->lu + 4 * (NEAR * k + i), *b = x + 2 * s->column[NEAR * k + i];
            p -= a[0] * b[0] + a[1] * b[1];
            q -= a[2] * b[0] + a[3] * b[1];
        }
        const double *own = s->lu + 4 * (NEAR * k + s->diagonal[k]);
        x[2 * k] = own[0] * p + own[1] * q;
        x[2 * k + 1] = own[2] * p + own[3] * q;
    }
    return 0;
}

static void find_columns(Square *s)
{
    const long n = s->n;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            const long k = i * n + j,
                       all[NEAR] = { (i > 0 ? i - 1 : n - 1) * n + j, i * n + (j > 0 ? j - 1 : n - 1), k,
                                     i * n + (j < n - 1 ? j + 1 : 0), (i < n - 1 ? i + 1 : 0) * n + j };
            long *c = s->column + NEAR * k;
            for (int a = 0; a < NEAR; a++) {
                int at = a;
                for (; at > 0 && c[at - 1] > all[a]; at--) c[at] = c[at - 1];
                c[at] = all[a];
            }
            for (int a = 0; a < NEAR; a++)
                if (c[a] == k) s->diagonal[k] = a;
        }
}

static double run(long n, double *corner)
{
    const double start = now_ms();
    const size_t cells = (size_t)n * (size_t)n;
    Square s = { n,
                 1,
                 3.4,
                 0.002,
                 malloc(cells * NEAR * sizeof(long)),
                 malloc(cells * sizeof(int)),
                 malloc(cells * NEAR * 4 * sizeof(double)),
                 malloc(cells * 4 * sizeof(double)) };
    find_columns(&s);
    SUNContext context;
    SUNContext_Create(NULL, &context);
    N_Vector y = N_VNew_Serial(2 * (sunindextype)cells, context);
    double *x = N_VGetArrayPointer(y), t;
    for (long k = 0; k < (long)cells; k++) {
        const double across = (double)(k % n) / (double)n, along = (double)(k / n) / (double)n;
        x[2 * k] = 22 * across * (1 - across);
        x[2 * k + 1] = 27 * along * (1 - along);
    }
    void *cvode = CVodeCreate(CV_BDF, context);
    CVodeInit(cvode, rates, 0, y);
    CVodeSStolerances(cvode, 1e-5, 1e-8);
    CVodeSetUserData(cvode, &s);
    CVodeSetMaxNumSteps(cvode, -1);
    SUNLinearSolver gmres = SUNLinSol_SPGMR(y, SUN_PREC_LEFT, 20, context);
    CVodeSetLinearSolver(cvode, gmres, NULL);
    CVodeSetPreconditioner(cvode, set_up, solve);
    if (CVode(cvode, 1.5, y, &t, CV_NORMAL) < 0) exit(1);
    *corner = x[0];
    CVodeFree(&cvode);
    SUNLinSolFree(gmres);
    N_VDestroy(y);
    SUNContext_Free(&context);
    free(s.column), free(s.diagonal), free(s.lu), free(s.kept);
    return now_ms() - start;
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? atol(argv[1]) : 100;
    const int repeats = argc > 2 ? atoi(argv[2]) : 1;
    double best = 0, corner = 0;
    for (int i = 0; i < repeats; i++) {
        const double ms = run(n, &corner);
        if (i == 0 || ms < best) best = ms;
    }
    printf("%.3f %.9g\n", best, corner);
    return 0;
}

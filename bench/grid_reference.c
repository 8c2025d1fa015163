// bench/grid_reference.c: the resistor–capacitor grid of examples/rc_grid.orr as one writes it by hand:
// CVODES' BDF, a sparse Jacobian with its values written out, KLU.
//
//     grid_reference N REPEATS for N × N cells the shortest time in ms, set-up included, and the last corner
//
// Parameters are read at run time, so the compiler can fold none of them.
#include "measure.h"
#include <cvodes/cvodes.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

typedef struct Grid {
    long   n;
    double g, g_feed, c, v;    // 1/ohm, 1/ohm, F, V
} Grid;

static int rates(sunrealtype t, N_Vector y, N_Vector ydot, void *data)
{
    (void)t;
    const Grid *grid = data;
    const long n = grid->n;
    const double *u = N_VGetArrayPointer(y);
    double *du = N_VGetArrayPointer(ydot);
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            const long k = i * n + j;
            double current = 0;
            if (i > 0) current += u[k - n] - u[k];
            if (j > 0) current += u[k - 1] - u[k];
            if (j < n - 1) current += u[k + 1] - u[k];
            if (i < n - 1) current += u[k + n] - u[k];
            du[k] = grid->g * current / grid->c;
        }
    }
    du[0] += grid->g_feed * (grid->v - u[0]) / grid->c;
    return 0;
}

static int jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix matrix, void *data, N_Vector w1,
                    N_Vector w2, N_Vector w3)
{
    (void)t, (void)y, (void)fy, (void)w1, (void)w2, (void)w3;
    const Grid *grid = data;
    const long n = grid->n;
    const double a = grid->g / grid->c;
    sunindextype *start = SM_INDEXPTRS_S(matrix), *row = SM_INDEXVALS_S(matrix), at = 0;
    double *value = SM_DATA_S(matrix);
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            const long k = i * n + j;
            const int neighbours = (i > 0) + (j > 0) + (j < n - 1) + (i < n - 1);
            start[k] = at;
            if (i > 0) row[at] = k - n, value[at++] = a;
            if (j > 0) row[at] = k - 1, value[at++] = a;
            row[at] = k, value[at++] = -a * neighbours - (k == 0 ? grid->g_feed / grid->c : 0);
            if (j < n - 1) row[at] = k + 1, value[at++] = a;
            if (i < n - 1) row[at] = k + n, value[at++] = a;
        }
    }
    start[n * n] = at;
    return 0;
}

static int failed(const char *what)
{
    fprintf(stderr, "grid_reference: %s failed\n", what);
    return 1;
}

int main(int argc, char **argv)
{
    Grid grid = { .n = argc > 1 ? atol(argv[1]) : 100, .g = 1 / given("R", 1000), .c = given("C", 1e-6),
                  .g_feed = 1 / given("FEED", 100), .v = given("V", 10) };
    const double tol = given("TOL", 1e-6), t_end = given("UNTIL", 10);
    const long m = grid.n * grid.n;
    double best = 1e300, corner = 0;
    long steps = 0, factorings = 0;
    for (int repeat = argc > 2 ? atoi(argv[2]) : 1; repeat > 0; repeat--) {
        const double started = now_ms();
        SUNContext context;
        if (SUNContext_Create(NULL, &context) != 0) return failed("SUNContext_Create");
        N_Vector y = N_VNew_Serial(m, context);
        N_VConst(0, y);
        void *cvode = CVodeCreate(CV_BDF, context);
        SUNMatrix matrix = SUNSparseMatrix(m, m, 5 * m, CSC_MAT, context);
        SUNLinearSolver linear = SUNLinSol_KLU(y, matrix, context);
        SUNLinSol_KLUSetOrdering(linear, 0);    // AMD
        if (CVodeInit(cvode, rates, 0, y) || CVodeSStolerances(cvode, tol, given("ABS", tol * 1e-3)) ||
            CVodeSetUserData(cvode, &grid) || CVodeSetLinearSolver(cvode, linear, matrix) ||
            CVodeSetJacFn(cvode, jacobian) || CVodeSetMaxNumSteps(cvode, -1) ||
            CVodeSetStopTime(cvode, t_end))
            return failed("set-up");
        double t;
        if (CVode(cvode, t_end, y, &t, CV_NORMAL) < 0) return failed("CVode");
        corner = N_VGetArrayPointer(y)[m - 1];
        CVodeGetNumSteps(cvode, &steps);
        CVodeGetNumLinSolvSetups(cvode, &factorings);
        CVodeFree(&cvode);
        SUNLinSolFree(linear);
        SUNMatDestroy(matrix);
        N_VDestroy(y);
        SUNContext_Free(&context);
        const double took = now_ms() - started;
        if (took < best) best = took;
    }
    printf("%.4f %.10g\n", best, corner);
    fprintf(stderr, "%ld steps, %ld factorings\n", steps, factorings);
    return 0;
}

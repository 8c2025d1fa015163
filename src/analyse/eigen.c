// src/analyse/eigen.c: eigenvalues, by LAPACK, and what their places in the plane mean.
//
// LAPACK is loaded when the first eigenvalue is asked for: linking it would make every start of the program
// wait for it and for the Fortran library behind it.
#include "analyse/analyse.h"
#include "base/diag.h"
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

// As Fortran passes them: everything by address, lengths of the texts last.
typedef void (*Dgeev)(const char *left, const char *right, const int *n, double *a, const int *lda,
                      double *re, double *im, double *vl, const int *ldvl, double *vr, const int *ldvr,
                      double *work, const int *lwork, int *info, size_t left_length, size_t right_length);

static Dgeev load_lapack(orr_diag *diag)
{
    static const char *const names[] = { "liblapack.so.3", "liblapack.so", "libopenblas.so.0" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        // never unloaded: threads of its own may be waiting in it; loading it again only counts
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        void *symbol = library ? dlsym(library, "dgeev_") : NULL;
        Dgeev dgeev;
        *(void **)&dgeev = symbol;    // POSIX lets a pointer to data hold a function
        if (symbol) return dgeev;
    }
    diag_report(diag, DIAG_LIBRARY_MISSING, (Place){ 0 }, "liblapack.so.3", "eigenvalues");
    diag_hint(diag, "install the package liblapack3");
    return NULL;
}

static int compare(const void *a, const void *b)
{
    const orr_complex *p = a, *q = b;
    if (p->re != q->re) return p->re > q->re ? -1 : 1;
    if (fabs(p->im) != fabs(q->im)) return fabs(p->im) > fabs(q->im) ? -1 : 1;    // pairs stay together
    return p->im > q->im ? -1 : p->im < q->im;
}

bool eigen_values(double *a, size_t n, orr_complex *values, orr_diag *diag)
{
    if (n == 0) return true;
    // an infinity would never end in the iteration
    if (!island_is_finite(a, n * n)) {
        diag_report(diag, DIAG_INTERNAL, (Place){ 0 },
                    "a matrix whose eigenvalues are asked for is not finite");
        return false;
    }
    if (n == 1) return values[0] = (orr_complex){ a[0], 0 }, true;
    const Dgeev dgeev = load_lapack(diag);
    if (!dgeev) return false;
    Arena scratch = { 0 };
    // rows are columns to Fortran: the eigenvalues of the transposed matrix are the same
    const int size = (int)n, one = 1, n_work = (int)n * 16;
    int info = 0;
    double *re = ARENA_ARRAY(&scratch, double, n), *im = ARENA_ARRAY(&scratch, double, n);
    double *work = ARENA_ARRAY(&scratch, double, (size_t)n_work), none[1];
    dgeev("N", "N", &size, a, &size, re, im, none, &one, none, &one, work, &n_work, &info, 1, 1);
    for (size_t i = 0; i < n; i++) values[i] = (orr_complex){ re[i] + 0.0, im[i] + 0.0 };    // no -0
    arena_free(&scratch);
    if (info != 0) {
        diag_report(diag, DIAG_INTERNAL, (Place){ 0 },
                    "LAPACK did not find the eigenvalues of a finite matrix");
        return false;
    }
    qsort(values, n, sizeof *values, compare);
    return true;
}

double eigen_rounding(const System *s) { return s->model->ir.has_jacobian ? 1e-12 : 1e-8; }

Spectrum eigen_sides(const orr_complex *values, size_t n, double rounding)
{
    Spectrum s = { 0 };
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, hypot(values[i].re, values[i].im));
    for (size_t i = 0; i < n; i++) {
        if (fabs(values[i].re) <= rounding * largest) s.n_axis++;
        else if (values[i].re > 0) s.n_right++;
        else s.n_left++;
        if (values[i].im != 0) s.is_complex = true;
    }
    return s;
}

orr_stability eigen_stability(const Spectrum *s)
{
    if (s->n_right > 0) return s->n_left > 0 ? ORR_STABILITY_SADDLE : ORR_STABILITY_UNSTABLE;
    return s->n_axis > 0 ? ORR_STABILITY_UNDECIDED : ORR_STABILITY_STABLE;
}

const char *eigen_verdict(const Spectrum *s, size_t n)
{
    switch (eigen_stability(s)) {
    case ORR_STABILITY_STABLE:   return s->is_complex ? "stable focus" : "stable node";
    case ORR_STABILITY_SADDLE:   return s->is_complex ? "saddle with a focus, unstable" : "saddle, unstable";
    case ORR_STABILITY_UNSTABLE:
        if (s->n_axis > 0) return "unstable";
        return s->is_complex ? "unstable focus" : "unstable node";
    case ORR_STABILITY_UNDECIDED:
        if (n == 2 && s->is_complex) return "centre of the linear part: stability undecided";
        return s->is_complex ? "eigenvalues on the imaginary axis: stability undecided"
                             : "eigenvalue 0: stability undecided";
    default: return "";
    }
}

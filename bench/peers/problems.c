// bench/peers/problems.c: the right-hand sides in C, as deSolve calls compiled code.
typedef void Derivatives(int *n, double *t, double *y, double *dy, double *out, int *ip);

#define DERIVATIVES(name) void name(int *n, double *t, double *y, double *dy, double *out, int *ip)
#define UNUSED (void)n, (void)t, (void)out, (void)ip

DERIVATIVES(lv)
{
    UNUSED;
    dy[0] = y[0] * (1.5 - y[1]);
    dy[1] = y[1] * (y[0] - 3.0);
}

DERIVATIVES(brusselator)
{
    UNUSED;
    dy[0] = 1.0 + y[0] * y[0] * y[1] - 4.0 * y[0];
    dy[1] = 3.0 * y[0] - y[0] * y[0] * y[1];
}

DERIVATIVES(robertson)
{
    UNUSED;
    dy[0] = 1e4 * y[1] * y[2] - 0.04 * y[0];
    dy[2] = 3e7 * y[1] * y[1];
    dy[1] = -dy[0] - dy[2];
}

DERIVATIVES(vdp)
{
    UNUSED;
    dy[0] = y[1];
    dy[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
}

DERIVATIVES(heat)
{
    UNUSED;
    const int cells = *n;
    const double c = (cells + 1.0) * (cells + 1.0);
    dy[0] = c * (y[1] - 2.0 * y[0]);
    for (int i = 1; i < cells - 1; i++) dy[i] = c * (y[i - 1] - 2.0 * y[i] + y[i + 1]);
    dy[cells - 1] = c * (y[cells - 2] - 2.0 * y[cells - 1]);
}

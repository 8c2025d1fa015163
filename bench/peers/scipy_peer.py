# bench/peers/scipy_peer.py: SciPy's solve_ivp and odeint. Arguments: problems.
# Prints: program,method,problem,tolerance,ms,values at the end.
import sys
import time
import warnings

import numpy as np
from scipy.integrate import odeint, solve_ivp

warnings.filterwarnings("ignore")
n = 100
s = np.arange(1, n + 1)/(n + 1)


def lv(t, y):
    return [y[0]*(1.5 - y[1]), y[1]*(y[0] - 3)]


def brusselator(t, y):
    return [1 + y[0]**2*y[1] - 4*y[0], 3*y[0] - y[0]**2*y[1]]


def robertson(t, y):
    a = 1e4*y[1]*y[2] - 0.04*y[0]
    c = 3e7*y[1]**2
    return [a, -a - c, c]


def vdp(t, y):
    return [y[1], ((1 - y[0]**2)*y[1] - y[0])/1e-6]


def heat(t, y):
    d = -2*y
    d[1:] += y[:-1]
    d[:-1] += y[1:]
    return (n + 1)**2*d


stiff = ["LSODA", "Radau", "BDF"]
problems = {
    "lv": (lv, [10, 5], 15, 1e-3, ["RK45", "DOP853"] + stiff),
    "brusselator": (brusselator, [1.5, 3], 20, 1e-3, ["RK45", "DOP853"] + stiff),
    "robertson": (robertson, [1, 0, 0], 40, 1e-6, stiff),
    "vdp": (vdp, [2, -0.66], 2, 1e-3, stiff),
    "heat": (heat, np.sin(np.pi*s) + 0.5*np.sin(3*np.pi*s), 0.1, 1e-3, stiff),
}


def measure(call):
    best, begun, y = float("inf"), time.perf_counter(), None
    for _ in range(5):
        before = time.perf_counter()
        y = call()
        best = min(best, (time.perf_counter() - before)*1e3)
        if y is None or time.perf_counter() - begun > 0.5:
            break
    return best, y


def by_solve_ivp(f, y0, end, method, tol, abs_tol):
    r = solve_ivp(f, (0, end), y0, method=method, rtol=tol, atol=abs_tol)
    return r.y[:, -1] if r.success else None


def by_odeint(f, y0, end, tol, abs_tol):
    y, told = odeint(f, y0, [0, end], rtol=tol, atol=abs_tol, tfirst=True, mxstep=1000000, full_output=True)
    return y[-1] if told["message"] == "Integration successful." else None


for name in sys.argv[1:]:
    f, y0, end, share, methods = problems[name]
    for method in ["odeint"] + methods:
        for tol in (1e-3, 1e-5, 1e-7, 1e-9, 1e-11):
            if method == "odeint":
                ms, y = measure(lambda: by_odeint(f, y0, end, tol, tol*share))
            else:
                ms, y = measure(lambda: by_solve_ivp(f, y0, end, method, tol, tol*share))
            if y is not None and np.all(np.isfinite(y)):
                y = [y[24], y[49]] if name == "heat" else y
                print("SciPy", method, name, "%g" % tol, "%.4f" % ms, ",".join("%.17g" % v for v in y), sep=",", flush=True)
            if ms > 4000:
                break

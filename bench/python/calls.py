#!/usr/bin/python3
"""What calls from Python cost, against NumPy and exported C; one core, thread times, medians.

    PYTHONPATH=build/release/python bench/python/calls.py

Bounds: a call with `out` at most 0.6 us; 10^5 accelerations of the delta robot 10 times as fast as NumPy and twice as fast as the
exported C function in a loop; `import daedal` at most 60 ms beyond NumPy's. The peer in NumPy is the formula of
bench/delta/scipy_peer.py, all states side by side, batched inverses by LAPACK. Exit status 1 where a bound is missed.
"""
import ctypes
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import daedal

COUNT = 100_000
HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "delta"))
from scipy_peer import DAMPING, TORQUE, TURN  # noqa: E402


def median(work, repetitions=7, calls=1):
    """[s] of a call, by the processor's time of this thread."""
    times = []
    for _ in range(repetitions):
        begin = time.thread_time()
        for _ in range(calls):
            work()
        times.append((time.thread_time() - begin) / calls)
    return statistics.median(times)


def call_overhead():
    f, point, out = daedal.load("pendulum").function("x*y"), np.array([1.0, 2.0]), np.empty(1)
    return median(lambda: f(point, out=out), calls=20_000)


def import_time():
    """[s] of a process that imports both, beyond one that imports NumPy."""
    def of(words):
        code = f"import time; b = time.process_time(); import {words}; print(time.process_time() - b)"
        return statistics.median(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
                                 for _ in range(7))
    return of("numpy, daedal") - of("numpy")


def states():
    model = daedal.load(HERE.parent / "delta" / "release.daedal")
    f = model.function("accelerations")
    run = model.simulate(until=1, every=0.01)
    rows = np.column_stack([run[name] for name in f.arguments])
    return model, f, np.resize(rows, (COUNT, rows.shape[1])).copy()


def by_numpy(q, v):
    """Accelerations of the arms: state, arm, coordinate."""
    n, k = len(q), 19/400
    (s1, s2, s3), (c1, c2, c3), (v1, v2, v3) = (np.moveaxis(x, 2, 0) for x in (np.sin(q), np.cos(q), v))
    mass, jacobian = np.zeros((n, 3, 3, 3)), np.zeros((n, 3, 3, 3))
    mass[..., 0, 0], mass[..., 1, 1], mass[..., 2, 2] = 343/6000, 12/125, 12/125*s2**2
    mass[..., 0, 1] = mass[..., 1, 0] = k*(s1*s2 + c1*c2*c3)
    mass[..., 0, 2] = mass[..., 2, 0] = -k*c1*s2*s3
    jacobian[..., 0, 1], jacobian[..., 0, 2] = 0.6*c2*s3, 0.6*s2*c3
    jacobian[..., 1, 0], jacobian[..., 1, 1] = -s1/4, -0.6*s2
    jacobian[..., 2, 0], jacobian[..., 2, 1], jacobian[..., 2, 2] = c1/4, 0.6*c2*c3, -0.6*s2*s3
    swing = v2**2 + v3**2
    bias = DAMPING*v
    bias[..., 0] += k*(s1*c2*v2**2 - c1*s2*c3*swing - 2*c1*c2*s3*v2*v3) - 1.9293*c1 - TORQUE
    bias[..., 1] += k*v1**2*(c1*s2 - s1*c2*c3) - 12/125*s2*c2*v3**2 - 1.8639*c2*c3
    bias[..., 2] += k*v1**2*s1*s2*s3 + 1.8639*s2*s3 + 24/125*s2*c2*v2*v3
    drift = np.stack((1.2*c2*c3*v2*v3 - 0.6*s2*s3*swing, -c1/4*v1**2 - 0.6*c2*v2**2,
                      -s1/4*v1**2 - 1.2*c2*s3*v2*v3 - 0.6*s2*c3*swing), axis=2)
    inverse, turned = np.linalg.inv(mass), TURN @ jacobian
    free = -inverse @ bias[..., None]
    b = turned @ free + TURN @ drift[..., None]
    back = inverse @ np.swapaxes(turned, 2, 3)
    stiff = np.linalg.inv(turned @ back)
    tip = np.linalg.solve(stiff.sum(1), (stiff @ b).sum(1))
    return (free + back @ (stiff @ (tip[:, None] - b)))[..., 0]


def exported(model, folder):
    """The C function over arrays, as a user would call it: a loop in C, gcc -O3."""
    code = model.export_c(function="accelerations", to=folder)
    loop = (f'#include "{code.name}.h"\n'
            "void all(long n, const double* t, const double* q, const double* v, const double* p, const double* u, double* a, double* l,\n"
            "         long nq, long nv, long nu, long na, long nl) {\n"
            f"  for (long k = 0; k < n; ++k) {code.name}(t[k], q + k*nq, v + k*nv, p, u + k*nu, a + k*na, l + k*nl);\n}}\n")
    folder = pathlib.Path(folder)
    (folder / "loop.c").write_text(loop)
    subprocess.run(["cc", "-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC", "-o", "all.so", "loop.c", f"{code.name}.c", "-lm"],
                   cwd=folder, check=True)
    return code, ctypes.CDLL(str(folder / "all.so")).all


def compare_batches():
    model, f, points = states()
    out = np.empty((COUNT, len(f.rows)))
    ours = median(lambda: f(points, out=out))
    arms = [f"r.arm[{arm}].q[{k}]" for arm in (1, 2, 3) for k in (1, 2, 3)]
    place = {name: k for k, name in enumerate(f.arguments)}
    q, v = (points[:, [place[name + dot] for name in arms]].reshape(-1, 3, 3) for dot in ("", "'"))
    theirs = by_numpy(q, v).reshape(-1, 9)
    rows = [f.rows.index(name + "''") for name in arms]
    apart = np.abs(theirs - out[:, rows]).max() / np.abs(theirs).max()
    numpys = median(lambda: by_numpy(q, v), repetitions=3)
    with tempfile.TemporaryDirectory() as folder:
        code, loop = exported(model, folder)
        of = dict(zip(f.arguments, points.T))
        pick = lambda names: np.ascontiguousarray(np.column_stack([of[n] for n in names]) if names else np.zeros((COUNT, 1)))
        q, v, u = (pick(code.arguments[word]) for word in ("positions", "velocities", "inputs"))
        p = np.array([model.parameters[name] for name in code.arguments["parameters"]] or [0.0])
        t, a, l = np.ascontiguousarray(of["t"]), np.empty((COUNT, q.shape[1])), np.empty((COUNT, max(1, len(code.arguments["multipliers"]))))
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (t, q, v, p, u, a, l)]
        widths = [ctypes.c_long(x.shape[1]) for x in (q, v, u, a, l)]
        cs = median(lambda: loop(ctypes.c_long(COUNT), *pointers, *widths))
        column = {name: k for k, name in enumerate(f.rows)}
        difference = max(np.abs(a[:, k] - out[:, column[name]]).max() for k, name in enumerate(code.arguments["accelerations"]))
        scale = np.abs(a).max()
    return ours, numpys, cs, difference / scale, apart


def main():
    missed = 0

    def line(what, value, unit, bound, holds):
        nonlocal missed
        missed += not holds
        print(f"{what:<62}{value:10.3g} {unit:<4} {bound}{'' if holds else '   MISSED'}")

    overhead = call_overhead()
    line("a call of a compiled function with out", 1e6 * overhead, "us", "at most 0.6", overhead <= 0.6e-6)
    seconds = import_time()
    line("import daedal, beyond NumPy", 1e3 * seconds, "ms", "at most 60", seconds <= 0.06)
    ours, numpys, cs, difference, apart = compare_batches()
    line(f"{COUNT} accelerations of the delta robot", 1e3 * ours, "ms", "", True)
    line("NumPy's formula over ours", numpys / ours, "", "at least 10", numpys >= 10 * ours)
    line("exported C in a loop over ours", cs / ours, "", "at least 2", cs >= 2 * ours)
    line("largest difference from exported C, relative", difference, "", "at most 1e-9", difference <= 1e-9)
    line("largest difference from NumPy's formula, relative", apart, "", "at most 1e-9", apart <= 1e-9)
    sys.exit(missed > 0)


main()

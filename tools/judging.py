"""What the judges of random models share: running programs, and SciPy's DOP853 on the exported accelerations of a model."""
import csv
import ctypes
import json
import subprocess

import numpy as np
from scipy.integrate import solve_ivp

MOST_EVALUATIONS = 400_000  # of one run of SciPy: a motion that takes more is left out, and counted


class TooLong(Exception):
    """SciPy needs more evaluations than anybody waits for."""


class Singular(Exception):
    """The function gives no accelerations at this state."""


def run(*command, timeout=600):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout, check=False)


def first_line(text):
    return next(iter(text.strip().splitlines()), "")


def read_table(path):
    """The columns of a CSV file by their names."""
    with path.open(newline="") as rows:
        columns = list(zip(*csv.reader(rows)))
    return {column[0]: np.array(column[1:], dtype=float) for column in columns}


def distance(a, b):
    """By row, each entry measured by |x| + 1."""
    return np.max(np.abs(a - b) / (1 + np.maximum(np.abs(a), np.abs(b))), axis=1)


class Accelerations:
    """The exported function of a model, compiled and loaded. `model`: words of the command line that name it."""

    def __init__(self, daedal, model, folder):
        made = run(daedal, "export", "c", *model, "--accelerations", "--to", folder, "--json")
        self.refused = made.returncode != 0
        if self.refused:
            self.reason = first_line(made.stderr)
            return
        self.made = json.loads(made.stdout)
        library = folder / f"accelerations{len(list(folder.glob('*.so')))}.so"  # a name is loaded once only
        subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", str(library),
                        self.made["source"], "-lm"], check=True)
        loaded = ctypes.CDLL(str(library))
        self.function = getattr(loaded, self.made["function"] + "_rate")
        self.function.argtypes = [ctypes.c_double] + 4 * [ctypes.c_void_p]
        self.names = self.made["positions"] + self.made["velocities"]
        self.start = np.array([
            *self.table(loaded, "q0", len(self.made["positions"])), *self.table(loaded, "v0", len(self.made["velocities"]))])

    def table(self, loaded, array, size):
        return (ctypes.c_double * size).in_dll(loaded, f"{self.made['function']}_{array}")

    def rate(self, t, x, inputs=None):
        x = np.ascontiguousarray(x, dtype=float)
        dx = np.empty_like(x)
        u = None if inputs is None else np.ascontiguousarray(inputs, dtype=float)
        if self.function(t, x.ctypes.data, None, None if u is None else u.ctypes.data, dx.ctypes.data) != 0:
            raise Singular
        return dx

    def motion(self, start, times, tolerance, inputs=None):
        """States at the times, from the first one on; `inputs`: a function of time."""
        evaluations = 0

        def rate(t, x):
            nonlocal evaluations
            evaluations += 1
            if evaluations > MOST_EVALUATIONS:
                raise TooLong
            try:
                return self.rate(t, x, None if inputs is None else inputs(t))
            except Singular:
                return np.full_like(x, np.nan)  # a stage of a step that is too long: it is rejected

        self.rate(times[0], start, None if inputs is None else inputs(times[0]))
        found = solve_ivp(rate, (times[0], times[-1]), start, method="DOP853", t_eval=times, rtol=tolerance, atol=tolerance,
                          first_step=1e-3 * (times[1] - times[0]))
        if not found.success:
            raise Singular
        return found.y.T

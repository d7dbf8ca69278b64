"""Signals of inputs as Python has them: arrays, functions of time."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref

import numpy as np


class Signals:
    """Options with every (t, u) among the inputs written to a file, which lives as long as this object does."""

    def __init__(self, options: dict, before: "Signals | None" = None) -> None:
        self._before = before  # whose files are still read
        self._folder: str | None = None
        self.options = options
        inputs = options.get("inputs")
        if isinstance(inputs, dict):
            self.options = dict(options, inputs={name: self._text(name, value) for name, value in inputs.items()})

    def _text(self, name, value):
        if callable(value):
            raise TypeError(
                f"inputs: {name!r} is a function: write (t, function), it is sampled at the times t and interpolated; "
                "an expression as a text is exact and fast"
            )
        if not (isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) == 1):
            return value
        t = np.asarray(value[0], dtype=float)
        u = value[1]
        if callable(u):
            u = [u(float(at)) for at in t]
        u = np.asarray(u, dtype=float)
        if u.shape != t.shape:
            raise ValueError(f"inputs: {name!r} has times of shape {t.shape} and values of shape {u.shape}: they must agree")
        return "@" + self._write(name, t, u)

    def _write(self, name, t, u) -> str:
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="daedal")
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        path = os.path.join(self._folder, f"{len(os.listdir(self._folder))}.csv")
        with open(path, "w", encoding="ascii") as file:
            file.write("t,u\n")
            file.writelines(f"{float(a)!r},{float(b)!r}\n" for a, b in zip(t, u))
        return path

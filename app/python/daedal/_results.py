"""Answers: what every question about a model gives."""

from __future__ import annotations

import html
import json
import os
import typing
from typing import Any

import numpy as np

from . import _daedal
from ._record import Record
from ._table import Table


def write(text: str, path: "str | os.PathLike[str]") -> None:
    """A file that is written completely or not at all. Throws OSError."""
    try:
        _daedal.write_text(text, os.fspath(path))
    except RuntimeError as error:
        raise OSError(str(error)) from None


class Fact(typing.NamedTuple):
    """A line of a summary: its name, its text, and the number in it."""

    name: str
    text: str
    value: float | None
    unit: str
    where: str


class _Kept:
    """The contents of an answer without the library's object: of a result that was pickled."""

    _same = ("kind", "title", "verdict", "tone", "holds", "reason", "interrupted", "faults", "warnings", "facts")

    def __init__(self, answer, fields, table) -> None:
        for name in self._same:
            setattr(self, name, getattr(answer, name))
        self._fields, self._table = fields, table
        self._summary, self._json, self._csv = answer.summary(), answer.to_json(), (answer.csv(False), answer.csv(True))

    def fields(self):
        return self._fields

    def table(self):
        return self._table

    def summary(self):
        return self._summary

    def to_json(self):
        return self._json

    def csv(self, units):
        return self._csv[units]

    def page(self):
        raise RuntimeError("a result from a pickle has its numbers and texts, not its page: write the report before")


class Result:
    """An answer: ``print(result.summary())`` shows it as the command line does, ``result.to_json()`` as programs read it.

    Its data are attributes of the same names as in C++; ``dir(result)`` lists them. Where it has a table, ``result["x"]`` is a
    column, ``result["phi"]`` all of ``phi[1]``, ``phi[2]``, ... side by side, ``len(result)`` the number of rows, and
    ``for name in result`` goes over the names of the columns. Arrays are views that cannot be written to; they keep what they
    look into alive.

    >>> import daedal
    >>> run = daedal.load("pendulum").simulate(until=1, every=0.5)
    >>> len(run), run.holds, run["x"].flags.writeable
    (3, True, False)
    """

    def __init__(self, answer, model=None) -> None:
        self._answer = answer
        self._model = model
        self._fields: dict[str, Any] | None = None
        self._table: Table | None = None

    @property
    def model(self):
        """The model that was asked about; None of a result from a pickle."""
        return self._model

    @property
    def title(self) -> str:
        """The model's name, with that of the experiment."""
        return self._answer.title

    @property
    def verdict(self) -> str:
        """A sentence or two."""
        return self._answer.verdict

    @property
    def holds(self) -> bool:
        """False: the answer is no, wrong, in doubt, or the work did not come to its end."""
        return self._answer.holds

    @property
    def reason(self) -> str:
        """Why it is incomplete; "" when it is complete."""
        return self._answer.reason

    @property
    def interrupted(self) -> bool:
        """By Ctrl-C: the answer holds what was there."""
        return self._answer.interrupted

    @property
    def warnings(self) -> tuple:
        """Diagnostics, those of the model included."""
        return tuple(self._answer.warnings)

    @property
    def faults(self) -> tuple:
        """Diagnostics: why there is no answer."""
        return tuple(self._answer.faults)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The lines of the summary, with the numbers in them."""
        return tuple(Fact(*fact) for fact in self._answer.facts)

    @property
    def table(self) -> Table | None:
        """The rows, where there are any."""
        if self._table is None:
            table = self._answer.table()
            self._table = table if table is None or isinstance(table, Table) else Table(table)
        return self._table

    @property
    def t(self) -> np.ndarray:
        """The time of every row [s]."""
        table = self._rows()
        if table.kinds.get(table.names[0]) != "time":
            raise AttributeError(f"the rows of {self.title} have no time: their first column is {table.names[0]!r}")
        return table[table.names[0]]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns."""
        return self._rows().names

    @property
    def units(self) -> dict[str, str]:
        """Of the columns, by name."""
        return self._rows().units

    @property
    def kinds(self) -> dict[str, str]:
        """Of the columns, by name: "coordinate", "velocity", "input", ..."""
        return self._rows().kinds

    def _rows(self) -> Table:
        if self.table is None:
            raise TypeError(f"{type(self).__name__} has no table")
        return self.table

    def __getitem__(self, name: str) -> np.ndarray:
        return self._rows()[name]

    def __contains__(self, name: object) -> bool:
        return self.table is not None and name in self.table

    def __iter__(self):
        return iter(self._rows())

    def keys(self) -> tuple[str, ...]:
        return self._rows().names

    def __len__(self) -> int:
        return len(self._rows())

    def __bool__(self) -> bool:
        """Use ``holds``: whether an answer is true is another question than whether there is one."""
        return True

    def _data(self) -> dict[str, Any]:
        if self._fields is None:
            fields = self._answer.fields()
            self._fields = {name: _shown(value) for name, value in fields.items()}
        return self._fields

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        fields = self._data()
        if name in fields:
            return fields[name]
        near = _daedal.nearest_name(name, list(fields))
        raise AttributeError(f"{type(self).__name__} has no {name!r}" + (f"; did you mean {near!r}?" if near else ""))

    def __dir__(self):
        return sorted({*super().__dir__(), *self._data()})

    def summary(self) -> str:
        """The text that the command line shows."""
        return self._answer.summary()

    def to_json(self) -> str:
        """The answer as JSON: docs/json.md."""
        return self._answer.to_json()

    def to_dict(self) -> dict[str, Any]:
        """The same as Python's own values."""
        return json.loads(self.to_json())

    def to_csv(self, path: "str | os.PathLike[str] | None" = None, units: bool = False) -> str | None:
        """The table as the command line writes it: to a file, or as a text without one."""
        text = self._answer.csv(units)
        if text is None:
            raise TypeError(f"{type(self).__name__} has no table")
        if path is None:
            return text
        write(text, path)
        return None

    def report(self, path: "str | os.PathLike[str]") -> None:
        """Writes the answer as one HTML page: animation, plots, equations."""
        write(self._answer.page(), path)

    def animate(self, height: int = 600):
        """The page of the report inside a notebook; it needs no network."""
        return Page(self._answer.page(), height)

    def to_pandas(self):
        """A DataFrame over time."""
        return self._rows().to_pandas()

    def to_xarray(self):
        """A Dataset over time."""
        return self._rows().to_xarray()

    def plot(self, *names: str, axes=None):
        """Columns over the first one with matplotlib, those of one unit in one plot; the axes, one or several."""
        from . import _display

        return _display.plot(self._rows(), names, self.title, axes)

    def __repr__(self) -> str:
        rows = "" if self.table is None else f", {len(self)} rows of {len(self.names)} columns"
        return f"<daedal.{type(self).__name__} of {self.title}: {self._status()}{rows}>"

    def _status(self) -> str:
        return "interrupted" if self.interrupted else "holds" if self.holds else "does not hold"

    def _repr_html_(self) -> str:
        from . import _display

        return _display.html_of(self)

    def __reduce__(self):
        kept = self._answer
        if not isinstance(kept, _Kept):
            kept = _Kept(kept, self._data(), self.table)
        return type(self), (kept,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _shown(value):
    if isinstance(value, _daedal.Table):
        return Table(value)
    if isinstance(value, Record):
        return Record(**{name: _shown(one) for name, one in vars(value).items()})
    if isinstance(value, list):
        return [_shown(one) for one in value]
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    return value


class Page:
    """A report that a notebook shows."""

    def __init__(self, text: str, height: int) -> None:
        self.html, self.height = text, height

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.html, quote=True)}" width="100%" height="{self.height}" '
            'style="border:0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<daedal.Page: {len(self.html)} characters>"


class Simulation(Result):
    """A motion: rows over time, drift, energy, error, events."""


class Inversion(Result):
    """Inputs that make the outputs follow the servo lines, and their proof."""


class Analysis(Result):
    """Equilibrium, linear model, poles, zeros, verdict."""


class Check(Result):
    """What a model is: contents, index, degrees of freedom."""


class Explanation(Result):
    """Equations, those hidden in them, order of solution."""

    def _repr_latex_(self) -> str:
        lines = [equation.latex for equation in (*self.equations, *self.hidden) if equation.latex]
        return "$$\\begin{aligned}" + r"\\".join(f"&{line}" for line in lines) + "\\end{aligned}$$"


class Comparison(Result):
    """Formulations and methods: error against cost."""


class ControllerComparison(Result):
    """Controllers on one run, side by side."""


class InverseForms(Result):
    """Forms of the inverse equations."""


class StableFormulations(Result):
    """Formulations of stable inversion."""


class MonteCarlo(Result):
    """Many runs of a loop: bands and quantiles."""


class CExport(Result):
    """C files of a model, and the names of their arguments."""


class SampledLoop(Result):
    """A loop with a clock, from one sample to the next."""


class Branches(Result):
    """Equilibria over a parameter."""


class RootLocus(Result):
    """Poles and zeros over a parameter."""


class ClassMap(Result):
    """The verdict over two parameters."""


class Sensitivity(Result):
    """Rates of change with parameters."""


class ZeroPathMap(Result):
    """Zeros along a path of parameters."""


class ZeroSearch(Result):
    """How far parameters can go before a zero becomes unstable."""


class ControlDesign(Result):
    """Gains of a feedback, poles before and after, margins."""


class ControllerDesigns(Result):
    """The laws of controllers, each with its gains."""


class StartLinearisation(Result):
    """The linear model at the start values, in motion."""


class MotionLinearisation(Result):
    """Linear models along a motion."""


class NormalForm(Result):
    """Lie derivatives and decoupling."""


class ZeroDynamics(Result):
    """What moves while the outputs stay."""


class LinearMotion(Result):
    """A motion and its linearisation side by side."""


class LyapunovRegion(Result):
    """Where a Lyapunov function decreases."""


class Pose(Result):
    """One pose, and what moves what there."""


class PosePath(Result):
    """A line of poses and its singular ones."""


class PoseBox(Result):
    """A box of poses: reach and singular ones."""


KINDS: dict[str, type[Result]] = {
    kind.__name__: kind
    for kind in (
        Simulation,
        Inversion,
        Analysis,
        Check,
        Explanation,
        Comparison,
        ControllerComparison,
        InverseForms,
        StableFormulations,
        MonteCarlo,
        CExport,
        SampledLoop,
        Branches,
        RootLocus,
        ClassMap,
        Sensitivity,
        ZeroPathMap,
        ZeroSearch,
        ControlDesign,
        ControllerDesigns,
        StartLinearisation,
        MotionLinearisation,
        NormalForm,
        ZeroDynamics,
        LinearMotion,
        LyapunovRegion,
        Pose,
        PosePath,
        PoseBox,
    )
}


def result_of(answer, model) -> Result:
    return KINDS[answer.kind](answer, model)

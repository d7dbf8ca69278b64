"""Rows of numbers with named columns."""

from __future__ import annotations

import re

import numpy as np

from . import _daedal
from ._errors import NameNotFound

_BRACKETS = re.compile(r"\[[^][]*\]")


class _KeptTable:
    """The columns of a table without its owner: of a result that was pickled."""

    def __init__(self, table):
        self.names, self.units = table.names, table.units
        self.kinds, self.controllers = table.kinds, table.controllers
        self.rows, self.width = table.rows, table.width
        self.data = np.array(table.columns(0, table.width)) if table.width else np.zeros((0, 0))
        self.data.flags.writeable = False

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.data.flags.writeable = False

    def columns(self, first, count):
        return self.data[:, first : first + count]

    def column(self, column):
        return self.data[:, column]


class Table:
    """Named columns over rows; every array is a view of them, which cannot be written to.

    >>> import daedal
    >>> table = daedal.load("pendulum").simulate(until=1, every=0.5).table
    >>> table.names[:2], table["t"]
    (('t', 'x'), array([0. , 0.5, 1. ]))
    """

    __slots__ = ("_source", "_families")

    def __init__(self, source) -> None:
        self._source = source
        self._families: dict = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns, in their order."""
        return self._source.names

    @property
    def units(self) -> dict[str, str]:
        """By column; "" where unknown."""
        return dict(zip(self.names, self._source.units))

    @property
    def kinds(self) -> dict[str, str]:
        """By column: "time", "coordinate", "velocity", "force", "input", "output", ..."""
        return dict(zip(self.names, self._source.kinds))

    @property
    def data(self) -> np.ndarray:
        """All columns, row by row."""
        return self._source.columns(0, self._source.width)

    def _family(self, name: str) -> list[int]:
        if name not in self._families:
            self._families[name] = [
                k
                for k, column in enumerate(self.names)
                if "[" in column and name in (_BRACKETS.sub("", column), _without_last(column))
            ]
        return self._families[name]

    def __getitem__(self, name: str) -> np.ndarray:
        if not isinstance(name, str):
            raise TypeError(f"columns are found by name, not by {type(name).__name__}")
        names = self.names
        if name in names:
            return self._source.column(names.index(name))
        family = self._family(name)
        if not family:
            near = _daedal.nearest_name(name, list(names))
            raise NameNotFound(
                f"no column {name!r}; " + (f"did you mean {near!r}?" if near else f"there are {', '.join(names)}")
            )
        if family == list(range(family[0], family[0] + len(family))):
            return self._source.columns(family[0], len(family))
        parts = np.column_stack([self._source.column(k) for k in family])
        parts.flags.writeable = False
        return parts

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.names or bool(self._family(name)))

    def __iter__(self):
        return iter(self.names)

    def __len__(self) -> int:
        return self._source.rows

    def keys(self) -> tuple[str, ...]:
        return self.names

    def __reduce__(self):
        return Table, (self._source if isinstance(self._source, _KeptTable) else _KeptTable(self._source),)

    def __repr__(self) -> str:
        return f"<daedal.Table: {len(self)} rows of {', '.join(self.names[:6])}{', ...' if len(self.names) > 6 else ''}>"

    def to_pandas(self):
        """A DataFrame; its index is the time, where there is one."""
        import pandas

        frame = pandas.DataFrame(self.data, columns=list(self.names))
        return frame.set_index("t") if self._source.kinds[:1] == ("time",) else frame

    def to_xarray(self):
        """A Dataset with a variable for each column, over the time or the number of the row; units are attributes."""
        import xarray

        over = self.names[0] if self._source.kinds[:1] == ("time",) else "row"
        variables = {
            name: (over, self._source.column(k), {"units": unit})
            for k, (name, unit) in enumerate(zip(self.names, self._source.units))
            if name != over
        }
        return xarray.Dataset(variables, coords={over: self[over] if over in self.names else np.arange(len(self))})


def _without_last(name: str) -> str:
    """arm[1].q of arm[1].q[2]; phi' of phi[2]'"""
    found = list(_BRACKETS.finditer(name))
    return name[: found[-1].start()] + name[found[-1].end() :] if found else name

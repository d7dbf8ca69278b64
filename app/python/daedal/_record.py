"""Plain data with names."""

from __future__ import annotations

import types


class Record(types.SimpleNamespace):
    """Fields by name, as the struct of the same answer in C++ has them.

    >>> import daedal
    >>> daedal.load("pendulum").simulate(until=1).energy.known
    True
    """

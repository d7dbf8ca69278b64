"""Linear models and compiled functions."""

from __future__ import annotations

import numpy as np

from . import _daedal
from ._record import Record


class LinearModel:
    """x' = A x + B u, y = C x + D u about a point of rest or of a motion, on the constraint manifold.

    ``descriptor`` has E, A, B, C, D of the equations as they are, E x' = A x + B u, with reactions among the variables.

    >>> import daedal
    >>> linear = daedal.load("cart_pendulum").linearise()
    >>> linear.A.shape, linear.states
    ((4, 4), ('x', "x'", 'theta', "theta'"))
    """

    def __init__(self, linear, analysis) -> None:
        self.analysis = analysis  # that found the point
        self.descriptor = Record(
            E=linear.e, A=linear.a, B=linear.b, C=linear.c, D=linear.d,
            variables=linear.variables, equations=linear.equations,
        )
        space = _daedal.state_space(
            linear.e, linear.a, linear.b, linear.c, linear.d,
            list(linear.variables), list(linear.equations), list(linear.inputs), list(linear.outputs),
        )
        self.A, self.B, self.C = space.a, space.b, space.c
        self.feedthrough = space.d  # of u, u', ...
        self.basis = space.basis  # of the states in the variables
        self.states, self.inputs, self.outputs = space.states, tuple(linear.inputs), tuple(linear.outputs)

    @property
    def D(self) -> np.ndarray:
        """Of u; where outputs follow its derivatives too, ``feedthrough`` has all of them."""
        return self.feedthrough[0]

    def _proper(self) -> tuple[np.ndarray, ...]:
        if len(self.feedthrough) > 1:
            raise ValueError("outputs follow derivatives of inputs (forces of drives): no state space of A, B, C, D has that")
        return self.A, self.B, self.C, self.D

    def to_scipy(self):
        """A scipy.signal.StateSpace."""
        from scipy.signal import StateSpace

        return StateSpace(*self._proper())

    def to_control(self):
        """A control.StateSpace with the names of states, inputs and outputs."""
        import control

        return control.ss(*self._proper(), states=list(self.states), inputs=list(self.inputs), outputs=list(self.outputs))

    def __repr__(self) -> str:
        return f"<daedal.LinearModel: states {', '.join(self.states)}; inputs {', '.join(self.inputs)}; outputs {', '.join(self.outputs)}>"


class Function:
    """A function of a model, compiled: called on an array of points, one in each row, or on a single one.

    >>> import daedal, numpy
    >>> f = daedal.load("pendulum").function("m*g*y + m*g*x^2/L")
    >>> f.arguments, f([[1, 0], [2, -1]])[:, 0]
    (('x', 'y'), array([ 9.81, 29.43]))
    >>> f.jacobian()([2, -1])
    array([[39.24,  9.81]])
    """

    __slots__ = ("_function", "_model", "arguments", "rows", "columns")

    def __init__(self, function, model) -> None:
        self._function, self._model = function, model
        self.arguments = tuple(function.arguments)  # columns of the points
        self.rows = tuple(function.rows)  # of a value
        self.columns = tuple(function.columns)  # of a value that is a matrix; else ()

    def __call__(self, points, out: np.ndarray | None = None) -> np.ndarray:
        """Values at points of shape (n, arguments) or (arguments,); written into ``out`` where it is given."""
        return self._function(points, out)

    def jacobian(self) -> "Function":
        """Of a vector: rows by arguments."""
        return Function(self._function.jacobian(), self._model)

    def low_level(self):
        """A scipy.LowLevelCallable, which SciPy's integrators call without Python; of functions of one value.

        >>> import daedal
        >>> from scipy.integrate import quad
        >>> f = daedal.load("pendulum").function("x^2*y")
        >>> round(quad(f.low_level(), 0, 1, args=(3.0,))[0], 12)
        1.0
        """
        from scipy import LowLevelCallable

        function, data = self._function.low_level()
        return LowLevelCallable(function, user_data=data)

    def __repr__(self) -> str:
        return f"<daedal.Function of {', '.join(self.arguments)}: {', '.join(self.rows[:6])}{', ...' if len(self.rows) > 6 else ''}>"


class Stepper:
    """A model stepped in real time, one call a step: signals in, results out. ``model.stepper`` and ``model.inverse_stepper``
    make one. What happens in a step is bounded: no search for a step size, no events, no error estimate.

    >>> import daedal
    >>> crane = daedal.load("cable_robot").inverse_stepper(step=0.01)
    >>> crane.results, crane.time
    (('u_T', 'u_L'), 0.0)
    """

    __slots__ = ("_stepper", "signals", "results", "nodes", "length")

    def __init__(self, stepper) -> None:
        self._stepper = stepper
        self.signals = tuple(stepper.signals)  # what a step takes, by name: inputs or desired outputs, and derivatives of them
        self.results = tuple(stepper.results)  # what it gives
        self.nodes = tuple(stepper.nodes)  # times within a step at which the signals are taken, as parts of it; the last is 1
        self.length = stepper.length  # [s]

    @property
    def time(self) -> float:
        """At the end of the last step [s]."""
        return self._stepper.time

    @property
    def report(self):
        """Of the last step: status, ok, made, iterations, correction, residual, distance."""
        return self._stepper.report

    def step(self, signals) -> np.ndarray | None:
        """One step with the signals at its end, of a method with several nodes a row for each; its results, or None where it
        was not made: then ``report`` says why, and time stays."""
        return self._stepper.step(signals)

    def __repr__(self) -> str:
        return f"<daedal.Stepper at {self.time:g} s: {', '.join(self.signals)} -> {', '.join(self.results)}>"

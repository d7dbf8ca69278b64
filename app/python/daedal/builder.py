"""Models without text: expressions by Python's operators, and a builder that writes down the model they stand for.

>>> from daedal.builder import ModelBuilder, cos, sin
>>> m = ModelBuilder("pendulum", "a bob on a rod")
>>> mass, l, g = m.parameter("m", 2, "kg"), m.parameter("l", 0.5, "m"), m.parameter("g", 9.81, "m/s^2")
>>> phi = m.coordinate("phi", 1, "rad")
>>> m.kinetic(mass * (l * phi.dt) ** 2 / 2)
>>> m.potential(-mass * g * l * cos(phi))
>>> print(m.text)
model pendulum "a bob on a rod"
parameter m = 2 [kg]
parameter l = 0.5 [m]
parameter g = 9.81 [m/s^2]
coordinate phi = 1 [rad]
kinetic m*(l*phi')^2/2
potential -m*g*l*cos(phi)
<BLANKLINE>
>>> m.load().simulate(until=1).holds
True
"""

from __future__ import annotations

import math
import numbers
import os
from typing import Any

_CHOICE, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(10)


class Expression:
    """A formula of the model language; operators make others. Indices count from 1, as there."""

    __slots__ = ("text", "_level")
    __array_ufunc__ = None  # an array times an expression asks the expression

    def __init__(self, text: str, level: int = _ATOM) -> None:
        self.text, self._level = text, level

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def _in(self, level: int) -> str:
        """As an operand where at least this level is needed."""
        return self.text if self._level >= level else f"({self.text})"

    @property
    def dt(self) -> "Expression":
        """The time derivative."""
        return Expression(self._in(_ATOM) + "'")

    def __add__(self, other: Any) -> "Expression":
        return _joined(self, "+", other, _SUM)

    def __radd__(self, other: Any) -> "Expression":
        return _joined(other, "+", self, _SUM)

    def __sub__(self, other: Any) -> "Expression":
        return _joined(self, "-", other, _SUM)

    def __rsub__(self, other: Any) -> "Expression":
        return _joined(other, "-", self, _SUM)

    def __mul__(self, other: Any) -> "Expression":
        return _joined(self, "*", other, _PRODUCT)

    def __rmul__(self, other: Any) -> "Expression":
        return _joined(other, "*", self, _PRODUCT)

    def __truediv__(self, other: Any) -> "Expression":
        return _joined(self, "/", other, _PRODUCT)

    def __rtruediv__(self, other: Any) -> "Expression":
        return _joined(other, "/", self, _PRODUCT)

    def __matmul__(self, other: Any) -> "Expression":
        """A matrix times a vector."""
        return self * other

    def __pow__(self, other: Any) -> "Expression":
        return Expression(f"{self._in(_ATOM)}^{expression(other)._in(_SIGN)}", _POWER)

    def __rpow__(self, other: Any) -> "Expression":
        return expression(other) ** self

    def __neg__(self) -> "Expression":
        return Expression("-" + self._in(_SIGN), _SIGN)

    def __pos__(self) -> "Expression":
        return self

    def __abs__(self) -> "Expression":
        return _call("abs", self)

    def __getitem__(self, index: Any) -> "Expression":
        indices = index if isinstance(index, tuple) else (index,)
        return Expression(f"{self._in(_ATOM)}[{', '.join(_index(one) for one in indices)}]")

    def __getattr__(self, name: str) -> "Expression":
        """A member of a part: arm.tip."""
        if name.startswith("_"):
            raise AttributeError(name)
        return Expression(f"{self._in(_ATOM)}.{name}")

    def __lt__(self, other: Any) -> "Expression":
        return _joined(self, " < ", other, _COMPARE)

    def __le__(self, other: Any) -> "Expression":
        return _joined(self, " <= ", other, _COMPARE)

    def __gt__(self, other: Any) -> "Expression":
        return _joined(self, " > ", other, _COMPARE)

    def __ge__(self, other: Any) -> "Expression":
        return _joined(self, " >= ", other, _COMPARE)

    def __and__(self, other: Any) -> "Expression":
        return _joined(self, " and ", other, _AND)

    def __or__(self, other: Any) -> "Expression":
        return _joined(self, " or ", other, _OR)

    def __invert__(self) -> "Expression":
        return Expression("not " + self._in(_NOT), _NOT)

    def __bool__(self) -> bool:
        raise TypeError(f"{self.text!r} has no truth value before the model runs: use where(condition, a, b), &, |, ~")

    def __iter__(self):
        raise TypeError(f"{self.text!r} has no length before the model is read: name its entries, as in p[1], p[2]")


def _joined(a: Any, sign: str, b: Any, level: int) -> Expression:
    # of a - b - c and a/b/c the left one needs no brackets, the right one does; comparisons cannot be chained
    left = expression(a)._in(level + 1 if level == _COMPARE else level)
    right = expression(b)._in(level if sign.strip() in ("or", "and") else level + 1)
    spaced = f" {sign} " if level == _SUM else sign
    return Expression(left + spaced + right, level)


def _index(value: Any) -> str:
    if isinstance(value, slice):
        if value.step is not None or value.start is None or value.stop is None:
            raise TypeError("a range of indices is [first:last], both included")
        return f"{expression(value.start)}..{expression(value.stop)}"
    return str(expression(value))


def expression(value: Any) -> Expression:
    """What stands for a value: numbers, lists (vectors, lists of them matrices), expressions, those of SymPy."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, bool) or isinstance(value, str):
        raise TypeError(f"{value!r} is no part of a formula")
    if isinstance(value, numbers.Integral):
        return Expression(str(int(value)), _SIGN if value < 0 else _ATOM)
    if isinstance(value, numbers.Real) and not hasattr(value, "free_symbols"):
        if not math.isfinite(value):
            raise ValueError(f"{float(value)!r} in a formula: not a finite number")
        return Expression(repr(float(value)), _SIGN if value < 0 else _ATOM)
    if hasattr(value, "tolist"):  # NumPy
        return expression(value.tolist())
    if isinstance(value, (list, tuple)):
        if value and isinstance(value[0], (list, tuple)):
            return Expression("[" + "; ".join(", ".join(str(expression(e)) for e in row) for row in value) + "]")
        return Expression("[" + ", ".join(str(expression(e)) for e in value) + "]")
    if hasattr(value, "free_symbols"):
        return _from_sympy(value)
    raise TypeError(f"a formula cannot contain a {type(value).__name__}")


_OF_SYMPY = {"Abs": "abs", "Min": "min", "Max": "max", "sign": "sign"}


def _from_sympy(value: Any) -> Expression:
    kind = type(value).__name__
    if value.is_Symbol:
        return Expression(value.name)
    if value.is_Integer:
        return expression(int(value))
    if value.is_Rational:
        return expression(int(value.p)) / int(value.q)
    if value.is_Number:
        return expression(float(value))
    if kind == "Pi":
        return Expression("pi")
    if kind == "Exp1":
        return exp(1)
    if value.is_Add or value.is_Mul:
        parts = [_from_sympy(argument) for argument in value.args]
        made = parts[0]
        for part in parts[1:]:
            made = made + part if value.is_Add else made * part
        return made
    if value.is_Pow:
        base, exponent = value.args
        if exponent == -1:
            return 1 / _from_sympy(base)
        return sqrt(_from_sympy(base)) if str(exponent) == "1/2" else _from_sympy(base) ** _from_sympy(exponent)
    if kind == "Derivative":
        made = _from_sympy(value.expr)
        for _ in range(sum(int(count) for _, count in value.variable_count)):
            made = made.dt
        return made
    if value.is_Function:
        if type(type(value)).__name__ == "UndefinedFunction":  # x(t): a quantity
            return Expression(value.func.__name__)
        return _call(_OF_SYMPY.get(kind, kind), *(_from_sympy(argument) for argument in value.args))
    raise TypeError(f"SymPy's {kind} has no counterpart in the model language")


def _call(name: str, *arguments: Any, **options: Any) -> Expression:
    words = [str(expression(argument)) for argument in arguments]
    words += [f"{word} = {_value(value)}" for word, value in options.items() if value is not None]
    return Expression(f"{name}({', '.join(words)})")


def _function(name: str, count: int):
    def function(*arguments: Any) -> Expression:
        if len(arguments) != count:
            raise TypeError(f"{name} has {count} argument{'s' if count > 1 else ''}, not {len(arguments)}")
        return _call(name, *arguments)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"``{name}`` of the model language."
    return function


sqrt, exp, log, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, sign, floor, norm, transpose = (
    _function(name, 1)
    for name in (
        "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "sign", "floor",
        "norm", "transpose",
    )
)
atan2, mod, dot, cross = (_function(name, 2) for name in ("atan2", "mod", "dot", "cross"))
t, pi = Expression("t"), Expression("pi")


def where(condition: Any, then: Any, otherwise: Any) -> Expression:
    """One value or the other: if condition then a else b."""
    return Expression(f"if {expression(condition)} then {expression(then)} else {expression(otherwise)}", _CHOICE)


def rest_to_rest(s: Any, smoothness: int) -> Expression:
    """From 0 at s = 0 to 1 at s = 1 with so many continuous derivatives."""
    return _call("rest_to_rest", s, smoothness=smoothness)


def line(begin: Any, end: Any, s: Any) -> Expression:
    """A point on its way from one to another."""
    return _call("line", begin, end, s)


def _value(value: Any) -> str:
    """Of an option: a word, on or off, a formula."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return value if isinstance(value, str) else str(expression(value))


def _quoted(text: str) -> str:
    if '"' in text or "\n" in text:
        raise ValueError(f"a description has no quotes and is one line: {text!r}")
    return f' "{text}"' if text else ""


class ModelBuilder:
    """Collects the statements of a model; ``text`` is the model as the language writes it, ``load`` reads it."""

    def __init__(self, name: str, doc: str = "") -> None:
        self.name = name
        self._lines = [f"model {name}{_quoted(doc)}"]

    @property
    def text(self) -> str:
        """The model that was built, as a file would hold it."""
        return "\n".join(self._lines) + "\n"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<daedal.ModelBuilder {self.name}: {len(self._lines) - 1} statements>"

    def load(self, **options: Any):
        """The model; options as of daedal.load."""
        from ._model import load_text

        return load_text(self.text, self.name, **options)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the text to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def statement(self, text: str) -> None:
        """Any other statement of the language: joints, events, draw lines, controllers."""
        self._lines += text.strip("\n").split("\n")

    def _declare(self, word, name, value, unit, doc, size, fixed=False, nominal=None) -> Expression:
        entries = "" if size is None else f"[1..{expression(size)}]"
        start = "" if value is None else f" = {expression(value)}"
        of_unit = f" [{unit}]" if unit else ""
        options = "" if nominal is None else f" (nominal = {expression(nominal)})"
        self._lines.append(f"{word} {name}{entries}{_quoted(doc)}{start}{of_unit}{options}{' fixed' if fixed else ''}")
        return Expression(name)

    def size(self, name: str, value: int) -> Expression:
        self._lines.append(f"size {name} = {int(value)}")
        return Expression(name)

    def parameter(self, name: str, value: Any, unit: str = "", doc: str = "", size: Any = None) -> Expression:
        return self._declare("parameter", name, value, unit, doc, size)

    def coordinate(
        self, name: str, start: Any = None, unit: str = "", doc: str = "", size: Any = None,
        rate: Any = None, fixed: bool = False, nominal: Any = None,
    ) -> Expression:
        """With its value and, as ``rate``, that of its derivative at the start."""
        made = self._declare("coordinate", name, start, unit, doc, size, fixed, nominal)
        if rate is not None:
            self.initial(made.dt, rate)
        return made

    def variable(self, name: str, start: Any = None, unit: str = "", doc: str = "", size: Any = None) -> Expression:
        return self._declare("variable", name, start, unit, doc, size)

    def input(self, name: str, unit: str = "", doc: str = "", size: Any = None, signal: Any = None) -> Expression:
        return self._declare("input", name, signal, unit, doc, size)

    def let(self, name: str, value: Any, unit: str = "") -> Expression:
        self._lines.append(f"let {name} = {expression(value)}{f' [{unit}]' if unit else ''}")
        return Expression(name)

    def kinetic(self, energy: Any) -> None:
        self._lines.append(f"kinetic {expression(energy)}")

    def potential(self, energy: Any) -> None:
        self._lines.append(f"potential {expression(energy)}")

    def dissipation(self, power: Any) -> None:
        """Rayleigh's function."""
        self._lines.append(f"dissipation {expression(power)}")

    def force(self, force: Any, on: Any) -> None:
        """On a coordinate, or at a point."""
        self._lines.append(f"force {expression(force)} on {expression(on)}")

    def torque(self, torque: Any, about: Any) -> None:
        self._lines.append(f"torque {expression(torque)} about {expression(about)}")

    def drive(self, coordinate: Any, by: Any, law: str, **options: Any) -> None:
        """``drive(x, u, "velocity", lag=0.02)``"""
        words = ", ".join(f"{word} = {_value(value)}" for word, value in options.items())
        self._lines.append(f"drive {expression(coordinate)} by {expression(by)} {law}({words})")

    def _relation(self, word, name, left, right) -> Expression:
        self._lines.append(f"{word} {name + ': ' if name else ''}{expression(left)} = {expression(right)}")
        return Expression(name)

    def constraint(self, name: str, left: Any, right: Any = 0) -> Expression:
        """left = right; ``constraint(...).force`` is its reaction."""
        return self._relation("constraint", name, left, right)

    def equation(self, name: str, left: Any, right: Any = 0) -> Expression:
        return self._relation("equation", name, left, right)

    def servo(self, output: Any, desired: Any, name: str = "") -> Expression:
        """What an inversion makes an output do."""
        return self._relation("servo", name, output, desired)

    def output(self, name: str, value: Any, unit: str = "", doc: str = "") -> Expression:
        self._lines.append(f"output {name}{_quoted(doc)} = {expression(value)}{f' [{unit}]' if unit else ''}")
        return Expression(name)

    def initial(self, quantity: Any, value: Any, fixed: bool = False) -> None:
        self._lines.append(f"initial {expression(quantity)} = {expression(value)}{' fixed' if fixed else ''}")

    def limit(self, value: Any, low: Any, high: Any) -> None:
        self._lines.append(f"limit {expression(value)} in [{expression(low)}, {expression(high)}]")

    def experiment(self, name: str, command: str, doc: str = "", **options: Any) -> None:
        """``experiment("swing", "simulate", until=20, method="radau5(tolerance = 1e-8)")``"""
        words = ", ".join(f"{word} = {_value(value)}" for word, value in options.items())
        self._lines.append(f"experiment {name}{_quoted(doc)}: {command}({words})")

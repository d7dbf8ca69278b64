"""Models, and the questions about them: methods with the names and options of the functions in C++."""

from __future__ import annotations

import inspect
import os
import warnings as python_warnings
from typing import Any, Callable

from . import _daedal
from ._errors import ModelError, ModelWarning, ResultWarning
from ._examples import EXAMPLES
from ._library import file_of
from ._linear import Function, LinearModel, Stepper
from ._progress import Line
from ._record import Record
from ._results import Result, SampledLoop, result_of
from ._signals import Signals


class _Watched:
    """The progress of one call: None, a function of (fraction, text), or a line of its own after a second."""

    def __init__(self, progress) -> None:
        self._line = Line() if progress is None and Line.wanted() or progress is True else None
        self.sink = self._line if self._line is not None else progress if callable(progress) else None

    def __enter__(self):
        return self.sink

    def __exit__(self, *_):
        if self._line is not None:
            self._line.close()


def _warn(diagnostics, known=()) -> None:
    for warning in diagnostics:
        if warning not in known:
            python_warnings.warn(warning.text, ModelWarning, stacklevel=4)


class Model:
    """A model: immutable, cheap to copy, shared freely between threads. ``load`` makes one.

    >>> import daedal
    >>> model = daedal.load("pendulum", parameters={"L": 2})
    >>> model.name, model.coordinates, model.parameters["L"]
    ('pendulum', ('x', 'y'), 2.0)
    """

    __slots__ = ("_model", "_made_by", "_signals", "__weakref__")

    def __init__(self, model, made_by, signals: Signals) -> None:
        self._model, self._made_by, self._signals = model, made_by, signals

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def doc(self) -> str:
        """The text after its name."""
        return self._model.doc

    @property
    def text(self) -> str:
        """Its file in canonical form."""
        return self._model.text

    @property
    def warnings(self) -> tuple:
        """Diagnostics from reading the file."""
        return tuple(self._model.warnings)

    @property
    def experiments(self) -> tuple:
        """Records with name, command ("simulate" or "invert") and doc, in the order of the file."""
        return tuple(Record(name=name, command=command, doc=doc) for name, command, doc in self._model.experiments)

    def _of_kind(self, *kinds: str) -> tuple[str, ...]:
        return tuple(name for name, kind, *_ in self._model.symbols if kind in kinds)

    @property
    def coordinates(self) -> tuple[str, ...]:
        return self._of_kind("coordinate")

    @property
    def variables(self) -> tuple[str, ...]:
        return self._of_kind("variable")

    @property
    def inputs(self) -> tuple[str, ...]:
        return self._of_kind("input")

    @property
    def outputs(self) -> tuple[str, ...]:
        return self._of_kind("output")

    @property
    def parameters(self) -> dict[str, float]:
        """Values in SI units, by name."""
        return {name: value for name, kind, _, _, value in self._model.symbols if kind == "parameter"}

    @property
    def units(self) -> dict[str, str]:
        """Of parameters, coordinates, inputs, outputs, by name; "" where none is stated."""
        return {name: unit for name, _, unit, *_ in self._model.symbols}

    def run(self, experiment: str | None = None, *, history: bool = True, backend: str = "automatic", progress=None):
        """One of the model's experiments, or a list of all of them.

        >>> import daedal
        >>> daedal.load("pendulum").run("swing").holds
        True
        """
        if experiment is not None:
            with _Watched(progress) as sink:
                return self._answered(self._model.run(experiment, history, backend, sink))
        results = []
        for one in self.experiments:
            results.append(self.run(one.name, history=history, backend=backend, progress=progress))
            if results[-1].interrupted:
                break
        return results

    def with_options(self, *, progress=None, **options) -> "Model":
        """The same text with other options of ``load``; those that are not given stay.

        >>> import daedal
        >>> daedal.load("pendulum").with_options(parameters={"L": 2}).parameters["L"]
        2.0
        """
        signals = Signals(options, self._signals)
        with _Watched(progress) as sink:
            made = self._model.with_options(signals.options, sink)
        source, before = self._made_by
        result = Model(made, (source, {**before, **options}), signals)
        _warn(result.warnings, self.warnings)
        return result

    def linearise(self, *, at_start: bool = False, progress=None, **options) -> LinearModel:
        """The linear model at rest, or with ``at_start`` at the start values in motion; options as of ``analyse``.

        >>> import daedal
        >>> daedal.load("manipulator_2link").linearise().B.shape
        (4, 1)
        """
        analysis = self.at_start(progress=progress, **options) if at_start else self.analyse(progress=progress, **options)
        if isinstance(analysis, SampledLoop):
            raise ModelError("a loop with a clock has no linear differential equations", ())
        if not analysis.holds:
            raise ModelError(analysis.reason or analysis.verdict, analysis.faults)
        return LinearModel(analysis.linear, analysis)

    def function(self, what: str, arguments=()) -> Function:
        """A compiled function: "accelerations" (with multipliers), "residual", "mass_matrix", "constraint_jacobian", or any
        expression in the model's language. ``arguments`` names the columns of its points; default: all that occur.

        >>> import daedal
        >>> f = daedal.load("pendulum").function("accelerations")
        >>> f.arguments, f.rows
        (('t', 'x', 'y', "x'", "y'"), ("x''", "y''", 'rod'))
        >>> f([0, 1, 0, 0, 0])[:2] + 0.0
        array([ 0.  , -9.81])
        """
        arguments = [arguments] if isinstance(arguments, str) else list(arguments)
        if not isinstance(what, str) or not all(isinstance(one, str) for one in arguments):
            raise TypeError("a function is a text, and its arguments are names")
        return Function(_daedal.function(self._model, what, arguments), self)

    def stepper(self, *, step: float, method: str | None = None) -> Stepper:
        """Steps of one length from Python, as ``export_c`` writes them in C: inputs in, outputs out.

        >>> import daedal
        >>> mass = daedal.load("model m\\ncoordinate x\\ninput u\\nkinetic x'^2/2\\nforce u on x\\noutput y = x\\n")
        >>> stepper = mass.stepper(step=0.1, method="implicit_euler")
        >>> [float(stepper.step([1])[0]) for _ in range(3)]      # 0.01 (1 + 2 + ...)
        [0.010000000000000002, 0.030000000000000006, 0.06000000000000001]
        """
        return self._stepper(False, {"step": step, "method": method})

    def inverse_stepper(self, *, step: float, method: str | None = None, formulation: str | None = None) -> Stepper:
        """Steps of the inverse model: desired outputs in, inputs out.

        >>> import daedal
        >>> daedal.load("cable_robot").inverse_stepper(step=0.01).results
        ('u_T', 'u_L')
        """
        return self._stepper(True, {"step": step, "method": method, "formulation": formulation})

    def _stepper(self, inverse: bool, options: dict[str, Any]) -> Stepper:
        stepper = _daedal.stepper(self._model, inverse, options)
        _warn(stepper.warnings, self.warnings)
        return Stepper(stepper)

    def _answered(self, answer) -> Result:
        result = result_of(answer, self)
        _warn(result.warnings, self.warnings)
        if result.interrupted:
            python_warnings.warn(f"{result.title}: interrupted; the result holds what was there", ResultWarning, stacklevel=3)
        elif not result.holds and result.reason:
            python_warnings.warn(f"{result.title}: {result.reason}", ResultWarning, stacklevel=3)
        return result

    def _ask(self, question: str, options: dict[str, Any], progress) -> Result:
        with _Watched(progress) as sink:
            return self._answered(_daedal.ask(self._model, question, options, sink))

    def __repr__(self) -> str:
        return f"<daedal.Model {self.name}{': ' + self.doc if self.doc else ''}>"

    def __reduce__(self):
        source, options = self._made_by
        return _reload, (source, options)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _reload(source, options):
    with python_warnings.catch_warnings():
        python_warnings.simplefilter("ignore", ModelWarning)
        return _load(source, options, None)


def _load(source: tuple[str, str], options: dict[str, Any], progress) -> Model:
    kind, text = source
    signals = Signals(options)
    with _Watched(progress) as sink:
        if kind == "path":
            made = _daedal.load(text, signals.options, sink)
        else:
            made = _daedal.load_text(text, kind, signals.options, sink)
    model = Model(made, (source, options), signals)
    _warn(model.warnings)
    return model


def load(source: "str | os.PathLike[str]", *, progress=None, **options) -> Model:
    """Reads a model: a file, a name of the library, or a text (of several lines).

    >>> import daedal
    >>> daedal.load("model mass\\ncoordinate x\\nkinetic x'^2/2\\npotential 2*x^2\\n").coordinates
    ('x',)
    """
    if isinstance(source, str) and "\n" in source:
        return _load(("<text>", source), options, progress)
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"a model is a path or a text, not {type(source).__name__}")
    return _load(("path", file_of(source)), options, progress)


def load_text(text: str, name: str = "<text>", *, progress=None, **options) -> Model:
    """Reads a model from a text, which messages call ``name``.

    >>> import daedal
    >>> daedal.load_text("model mass\\ncoordinate x\\nkinetic x'^2/2\\npotential 2*x^2").name
    'mass'
    """
    return _load((name, text), options, progress)


def _signature(options, *before: str) -> inspect.Signature:
    kinds = inspect.Parameter
    parameters = [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in before]
    for option in options:
        default = kinds.empty if option["required"] else option["default"]
        parameters.append(kinds(option["name"], kinds.KEYWORD_ONLY, default=default))
    parameters.append(kinds("progress", kinds.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters)


def _documented(meaning: str, options, example: str) -> str:
    lines = [meaning, ""]
    lines += [f"{option['name']}: {option['meaning']}" for option in options]
    lines += ["progress: a function of (fraction, text), or False; default: a line after a second", ""]
    return "\n".join(lines + example.strip().splitlines())


def _question(name: str, described: dict[str, Any]) -> Callable[..., Result]:
    def ask(self, *, progress=None, **options):
        return self._ask(name, options, progress)

    ask.__name__, ask.__qualname__, ask.__module__ = name, f"Model.{name}", "daedal"
    ask.__signature__ = _signature(described["options"], "self")  # type: ignore[attr-defined]
    ask.__doc__ = _documented(described["meaning"], described["options"], EXAMPLES[name])
    return ask


for _name, _described in _daedal.questions.items():
    if _name != "load":
        setattr(Model, _name, _question(_name, _described))

_of_load = _daedal.questions["load"]["options"]
load.__signature__ = _signature(_of_load, "source")  # type: ignore[attr-defined]
load_text.__signature__ = _signature(_of_load, "text", "name").replace(  # type: ignore[attr-defined]
    parameters=[
        one.replace(default="<text>") if one.name == "name" else one
        for one in _signature(_of_load, "text", "name").parameters.values()
    ]
)
Model.with_options.__signature__ = _signature(_of_load, "self")  # type: ignore[attr-defined]
for _function in (load, load_text, Model.with_options):
    _text, _, _example = inspect.cleandoc(_function.__doc__ or "").partition("\n\n")
    _function.__doc__ = _documented(_text, _of_load, _example)

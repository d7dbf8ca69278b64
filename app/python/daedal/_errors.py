"""What can go wrong with a model, in the words of the library."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnostic:
    """A fault, its place and a remedy. ``text`` shows all of it, with a caret under the place."""

    severity: str  # "note", "warning", "error"
    message: str
    details: tuple[str, ...]
    help: str
    file: str | None
    line: int | None
    column: int | None
    length: int
    text: str

    def __str__(self) -> str:
        return self.text


class ModelError(ValueError):
    """A fault in a model or in an option: its text shows every place, ``diagnostics`` are the same as data.

    >>> import daedal
    >>> try:
    ...     daedal.load("model slip\\ncoordinate angle\\nkinetic angel'^2/2\\n")
    ... except daedal.ModelError as error:
    ...     print(error.diagnostics[0].line, error.diagnostics[0].message)
    3 unknown name 'angel' in the kinetic energy
    """

    def __init__(self, text: str, diagnostics: list[Diagnostic] | tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(text)
        self.diagnostics = tuple(diagnostics)

    def __reduce__(self):
        return type(self), (str(self), self.diagnostics)


class Refusal(ModelError):
    """There is no answer, for a reason that is no fault: ``report(path)`` writes a page with what is known."""

    def __init__(self, text: str, diagnostics=(), no: bool = False, page: str = "") -> None:
        super().__init__(text, diagnostics)
        self.no = no  # the answer is "no": there is no fault in model or options
        self._page = page

    def report(self, path) -> None:
        """Writes the page that gives the reason."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._page)

    def __reduce__(self):
        return type(self), (str(self), self.diagnostics, self.no, self._page)


class NameNotFound(KeyError):
    """A column that is not there."""

    def __str__(self) -> str:
        return str(self.args[0])


class ModelWarning(UserWarning):
    """A doubt about a model."""


class ResultWarning(UserWarning):
    """A result that does not hold, or that is only a part of what was asked for."""

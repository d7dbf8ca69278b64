"""Where models come from: files, folders, the library."""

from __future__ import annotations

import os
import pathlib

from . import _daedal
from ._errors import ModelError


def models_folder() -> pathlib.Path:
    """The folder of the model library."""
    package = pathlib.Path(__file__).resolve().parent
    prefix = package.parents[min(3, len(package.parents) - 1)]  # PREFIX/lib/python3/dist-packages
    for root in (package, prefix):  # the wheel has it inside
        if (root / "share" / "daedal" / "models").is_dir():
            return root / "share" / "daedal" / "models"
    return pathlib.Path(_daedal.models_folder)


def models() -> list[str]:
    """Names of the models of the library, which ``load`` takes.

    >>> import daedal
    >>> "pendulum" in daedal.models()
    True
    """
    return sorted(f.name for f in models_folder().iterdir() if (f / f"{f.name}.daedal").is_file())


def file_of(source: "str | os.PathLike[str]") -> str:
    """A path as it is, that of a folder's model, or of a model of the library."""
    path = pathlib.Path(source)
    if path.is_dir():
        inside = path / f"{path.resolve().name}.daedal"
        return str(inside if inside.is_file() else path)
    name = os.fspath(source)
    if path.exists() or "/" in name or "." in name:
        return name
    known = models_folder() / name / f"{name}.daedal"
    if known.is_file():
        return str(known)
    near = _daedal.nearest_name(name, models())
    message = f"cannot read '{name}': there is no such file here, nor such a model in the library"
    raise ModelError(message + (f"\n  help: did you mean '{near}'?" if near else "\n  help: daedal.models() lists the library"))

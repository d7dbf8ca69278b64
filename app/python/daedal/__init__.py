"""Daedal: simulates, analyses and inverts constrained mechanical systems.

>>> import daedal
>>> run = daedal.load("pendulum").simulate(until=2)
>>> run.holds
True

A model is asked questions (``simulate``, ``analyse``, ``invert``, ...); each has the options that C++ and the command line have,
and its answer says how far it can be trusted.
"""

from . import _daedal
from ._errors import Diagnostic, ModelError, ModelWarning, NameNotFound, Refusal, ResultWarning
from ._library import models, models_folder
from ._linear import Function, LinearModel, Stepper
from ._model import Model, load, load_text
from ._record import Record
from ._results import (
    Analysis,
    Branches,
    CExport,
    Check,
    ClassMap,
    Comparison,
    ControlDesign,
    ControllerDesigns,
    ControllerComparison,
    Explanation,
    Fact,
    InverseForms,
    Inversion,
    LinearMotion,
    LyapunovRegion,
    MonteCarlo,
    MotionLinearisation,
    NormalForm,
    Page,
    Pose,
    PoseBox,
    PosePath,
    Result,
    RootLocus,
    SampledLoop,
    Sensitivity,
    Simulation,
    StableFormulations,
    StartLinearisation,
    ZeroDynamics,
    ZeroPathMap,
    ZeroSearch,
)
from ._table import Table
from .builder import ModelBuilder

__version__ = _daedal.version
__all__ = [
    "Analysis",
    "Branches",
    "CExport",
    "Check",
    "ClassMap",
    "Comparison",
    "ControlDesign",
    "ControllerDesigns",
    "ControllerComparison",
    "Diagnostic",
    "Explanation",
    "Fact",
    "Function",
    "InverseForms",
    "Inversion",
    "LinearModel",
    "LinearMotion",
    "LyapunovRegion",
    "Model",
    "ModelBuilder",
    "ModelError",
    "ModelWarning",
    "MonteCarlo",
    "MotionLinearisation",
    "NameNotFound",
    "NormalForm",
    "Page",
    "Pose",
    "PoseBox",
    "PosePath",
    "Record",
    "Refusal",
    "Result",
    "ResultWarning",
    "RootLocus",
    "SampledLoop",
    "Sensitivity",
    "Simulation",
    "StableFormulations",
    "StartLinearisation",
    "Stepper",
    "Table",
    "ZeroDynamics",
    "ZeroPathMap",
    "ZeroSearch",
    "load",
    "load_text",
    "models",
    "models_folder",
]

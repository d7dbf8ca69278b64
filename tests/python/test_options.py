"""One table of options for Python, C++ and the command line: none has what another lacks."""

import inspect
import re

import pytest

import daedal
from daedal import _daedal

QUESTIONS = _daedal.questions


def structures(root):
    """Fields of every options struct of the public headers, by its name; those of a struct inside it by its type."""
    found = {}
    for header in [*root.glob("include/daedal/task/*.hpp"), *root.glob("include/daedal/study/*.hpp")]:
        text = re.sub(r"//.*", "", header.read_text())
        for name, body in re.findall(r"struct (\w*Options) \{(.*?)^\};", text, re.DOTALL | re.MULTILINE):
            found[name] = fields = []
            plain = re.sub(r"\{[^{}]*\}", "", body)
            while "<" in plain:  # std::map<a, b> as std::map
                plain, before = re.sub(r"<[^<>]*>", "", plain), plain
                assert plain != before
            for statement in plain.split(";"):
                declaration = " ".join(statement.split())
                if declaration and not declaration.startswith("static "):
                    kind, names = declaration.split(" ", 1)
                    fields += [(kind, one.split("=")[0].strip()) for one in names.split(",")]
    return found


def fields_of(name, all_structures):
    """Without what the caller of Python does not choose: who watches, what messages call an option."""
    names = []
    for kind, field in all_structures[name]:
        if kind == "SimulateOptions":
            names += [one for one in fields_of(kind, all_structures) if one != "experiment"]
        elif kind != "Watch" and not field.endswith("_name"):
            names.append(field)
    return list(dict.fromkeys(names))


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_field_of_cpp_is_a_keyword(question, root):
    wanted = fields_of(QUESTIONS[question]["structure"], structures(root))
    assert sorted(option["name"] for option in QUESTIONS[question]["options"]) == sorted(wanted)


def test_every_question_of_the_headers_is_a_method(root):
    """A function that takes a model and options is a method of Model."""
    declared = set()
    for header in [*root.glob("include/daedal/task/*.hpp"), *root.glob("include/daedal/study/*.hpp")]:
        text = " ".join(header.read_text().split())
        declared |= set(re.findall(r"(\w+)\(const Model& model, const \w+Options& options", text))
    by_another_name = {"portrait_of": "analyse", "design_of": "control", "study_zeros": "vary", "search_zeros": "vary"}
    missing = {name for name in declared if not hasattr(daedal.Model, by_another_name.get(name, name))}
    assert not missing


# Options of the command line that are none of a question: files, texts on a terminal, other ways to say the same
OF_THE_TERMINAL = {"help", "json", "quiet", "csv", "csv-units", "report", "plot", "mat", "print"}
OTHER_NAMES = {
    "p": "parameters", "input": "inputs", "controller": "controllers", "initial": "starts", "redundant": "redundant_constraints",
    "output": "outputs", "units": "units",
}
# Words that ask another question: its method, and the option that takes their value
ASKED = {
    ("analyse", "continue"): ("follow", "over"), ("analyse", "locus"): ("locus", "over"), ("analyse", "map"): ("map", "x"),
    ("analyse", "sensitivity"): ("sensitivity", "parameters"), ("analyse", "pose"): ("pose", "given"),
    ("analyse", "branches"): ("pose", "branches"), ("analyse", "motors"): ("pose", "motors"), ("analyse", "path"): ("path", "line"),
    ("analyse", "limits"): ("limits", None), ("analyse", "hold"): ("limits", "hold"), ("analyse", "box"): ("box", "axes"),
    ("analyse", "at"): ("at_start", None), ("analyse", "along"): ("along", "times"), ("analyse", "threads"): ("map", "threads"),
    ("analyse", "normal-form"): ("normal_form", "internal"), ("analyse", "zero-dynamics"): ("zero_dynamics", "until"),
    ("analyse", "linear-motion"): ("linear_motion", "until"), ("analyse", "disturb"): ("linear_motion", "disturb"),
    ("analyse", "lyapunov"): ("lyapunov", "function"), ("analyse", "epsilon"): ("lyapunov", "epsilon"),
    ("analyse", "radius"): ("lyapunov", "radius"), ("analyse", "redefine"): ("vary", "redefine"), ("analyse", "margin"): ("vary", "margin"),
    ("analyse", "vary"): ("vary", "vary"), ("analyse", "against"): ("vary", "against"), ("analyse", "lines"): ("vary", "lines"),
    ("analyse", "samples"): ("vary", "samples"), ("simulate", "runs"): ("monte_carlo", "runs"),
    ("compare", "controllers"): ("compare_controllers", "controllers"), ("compare", "experiment"): ("compare_controllers", "experiment"),
    ("compare", "seed"): ("compare_controllers", "seed"), ("compare", "reference"): ("compare_controllers", "reference"),
    ("invert", "variants"): ("compare_inverse_forms", None), ("invert", "formulations"): ("compare_stable_formulations", None),
    **{("export", word): ("export_c", "function") for word in ("inverse", "forward", "accelerations", "receding", "plant")},
}
METHODS = {"export": "export_c"}


def command_lines(root):
    """(command, option without its dashes) of docs/options.md, which a test compares with the program's help."""
    for command, block in re.findall(r"^## (\w+)\n+```text\n(.*?)^```", (root / "docs/options.md").read_text(), re.DOTALL | re.MULTILINE):
        for line in re.findall(r"^  (-[^ ].*)", block.split("Examples:")[0], re.MULTILINE):
            words = re.findall(r"(?:^|, )--?([\w-]+)", line)
            yield command, words[0] if words[0] != "h" else "help"


def test_every_option_of_the_command_line_is_a_keyword(root):
    lacking, seen = [], 0
    for command, option in command_lines(root):
        method = METHODS.get(command, command)
        if method not in QUESTIONS and method != "run" or option in OF_THE_TERMINAL:
            continue
        seen += 1
        question, keyword = ASKED.get((command, option), (method, OTHER_NAMES.get(option, option.replace("-", "_"))))
        known = {one["name"] for one in QUESTIONS.get(question, {"options": ()})["options"]}
        known |= {one["name"] for one in QUESTIONS["load"]["options"]}
        if keyword is not None and keyword not in known:
            lacking.append(f"{command} --{option}: {question}({keyword})")
    assert not lacking
    assert seen > 100  # the page was read


def test_signatures_and_docstrings_name_every_option():
    for name, question in QUESTIONS.items():
        of = daedal.load if name == "load" else getattr(daedal.Model, name)
        names = list(inspect.signature(of).parameters)
        for option in question["options"]:
            assert option["name"] in names and f"\n{option['name']}: " in of.__doc__
        assert ">>> " in of.__doc__


def test_defaults_are_those_of_cpp():
    signature = inspect.signature(daedal.Model.simulate)
    assert signature.parameters["global_error"].default is True
    assert signature.parameters["start"].default == "consistent"
    assert signature.parameters["until"].default is None  # the library settles it
    assert inspect.signature(daedal.Model.compare).parameters["tolerances"].default == (1e-6, 1e-9)


def test_passing_every_default_changes_nothing():
    model = daedal.load("pendulum")
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(daedal.Model.simulate).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }
    assert model.simulate(**defaults).to_csv() == model.simulate().to_csv()


def test_numbers_of_numpy_are_numbers():
    import numpy as np

    model = daedal.load("pendulum", parameters={"m": np.float64(2), "L": np.float32(0.5)})
    assert model.parameters["m"] == 2 and model.parameters["L"] == 0.5
    assert model.simulate(until=np.float64(0.5), seed=np.int64(3)).t[-1] == 0.5

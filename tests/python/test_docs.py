"""What the documentation shows runs: docstrings, the blocks of docs/python.md, the examples."""

import doctest
import importlib
import inspect
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys

import pytest

import daedal

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules():
    return [daedal, *(importlib.import_module(f"daedal.{m.name}") for m in pkgutil.iter_modules(daedal.__path__) if m.name != "_daedal")]


def documented():
    """Every public function and class of the package with an example."""
    found = {}
    for module in modules():
        for test in doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__):
            found[test.name] = test
    for name, method in vars(daedal.Model).items():
        if callable(method) and not name.startswith("_"):
            test = doctest.DocTestParser().get_doctest(inspect.getdoc(method), {}, f"Model.{name}", None, 0)
            found[f"daedal._model.Model.{name}"] = test
    return {name: test for name, test in found.items() if test.examples}


ALL = documented()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.filterwarnings("ignore::daedal.ModelWarning", "ignore::daedal.ResultWarning")
def test_the_examples_of_docstrings_are_right(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(ALL[name], out=said.append)
    assert runner.failures == 0, "".join(said)


def test_every_method_of_a_model_has_an_example():
    methods = {name for name, one in vars(daedal.Model).items() if callable(one) and not name.startswith("_")}
    assert methods <= {name.rsplit(".", 1)[-1] for name in ALL}


@pytest.mark.filterwarnings("ignore::daedal.ModelWarning", "ignore::daedal.ResultWarning")
def test_the_page_runs_from_top_to_bottom(root, tmp_path, monkeypatch):
    """Blocks of docs/python.md share their names, as cells of a notebook do."""
    monkeypatch.chdir(tmp_path)
    page = (root / "docs/python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 8
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", "docs/python.md", 0)
    said = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=said.append)
    assert test.examples and runner.failures == 0, "".join(said)


def examples():
    from conftest import ROOT

    return sorted(ROOT.glob("examples/*.py"))


@pytest.mark.parametrize("file", examples(), ids=lambda file: file.name)
def test_an_example_is_the_twin_of_that_in_cpp(file, root, tmp_path):
    """At most as many lines, and it succeeds."""
    twin = file.with_suffix(".cpp")
    lines = [line for line in file.read_text().splitlines() if line.strip()]
    assert len(lines) <= len([line for line in twin.read_text().splitlines() if line.strip()])
    model = file.with_suffix(".daedal")
    arguments = [str(model)] if model.exists() else ["cable_robot", "manipulator_2link", "flexible_link"]
    ran = subprocess.run([sys.executable, str(file), *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_example_in_cpp_has_its_twin(root):
    assert [f.stem for f in examples()] == [f.stem for f in sorted(root.glob("examples/*.cpp"))]


def without_times(answer):
    """An answer without what differs from run to run: times, and how they are distributed over the rows of an inversion."""
    if isinstance(answer, dict):
        timed = {name for name, one in answer.items() if "wall" in name or (name == "evaluations" and isinstance(one, dict))}
        return {name: without_times(one) for name, one in answer.items() if name not in timed}
    return [without_times(one) for one in answer] if isinstance(answer, list) else answer


@pytest.mark.filterwarnings("ignore::daedal.ModelWarning", "ignore::daedal.ResultWarning")
def test_getting_started_gives_the_answers_of_its_commands(root, tmp_path, monkeypatch):
    """The lines of the table in docs/python.md, with the models of docs/getting_started.md: the same JSON."""
    monkeypatch.chdir(tmp_path)
    for model in re.findall(r"^```daedal\n(.*?)^```", (root / "docs/getting_started.md").read_text(), re.DOTALL | re.MULTILINE):
        name = re.search(r"^model (\w+)", model, re.MULTILINE)[1]
        (tmp_path / {"double_pendulum": "pendulum.daedal"}.get(name, f"{name}.daedal")).write_text(model)  # the last one stays
    lines = re.findall(r"^\| `daedal (.*?)` \| `(.*?)` \|", (root / "docs/python.md").read_text(), re.MULTILINE)
    assert len(lines) == 8
    for command, python in lines:
        ran = subprocess.run([os.environ["DAEDAL_PROGRAM"], *shlex.split(command), "--json"], capture_output=True, text=True, timeout=120)
        here = eval(python, {"daedal": daedal})
        assert without_times(json.loads(ran.stdout)) == without_times(here.to_dict()), command
        assert (ran.returncode == 0) == here.holds, command

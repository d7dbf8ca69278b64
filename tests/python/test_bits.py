"""Same question, same bits: every model of the library simulated and inverted here and by the command line."""

import re

import pytest

import daedal

UNTIL = "0.2"


def models(root):
    """(file, model), each variant of a file."""
    for file in sorted(root.glob("models/*/*.daedal")):
        if file.parent.name == file.stem:
            for name in re.findall(r"^model +(\w+)", file.read_text(), re.M):
                yield str(file.relative_to(root)), name


from conftest import ROOT

ALL = list(models(ROOT))
of_all = pytest.mark.parametrize("file, name", ALL, ids=[name for _, name in ALL])


def table_or_none(question):
    try:
        return question().to_csv()
    except daedal.ModelError:
        return None


@pytest.fixture(autouse=True)
def in_repository(monkeypatch, root):
    monkeypatch.chdir(root)


@of_all
@pytest.mark.filterwarnings("ignore::daedal.ModelWarning", "ignore::daedal.ResultWarning")
def test_simulate(file, name, program):
    ran = program("simulate", file, "--model", name, "--until", UNTIL, "--every", "0.01", "--csv", "-", "--quiet")
    here = table_or_none(lambda: daedal.load(file, model=name).simulate(until=float(UNTIL), every=0.01))
    assert here == (ran.stdout if ran.returncode != 2 else None)


@of_all
@pytest.mark.filterwarnings("ignore::daedal.ModelWarning", "ignore::daedal.ResultWarning")
def test_invert(file, name, program):
    ran = program("invert", file, "--model", name, "--csv", "-", "--quiet")
    here = table_or_none(lambda: daedal.load(file, model=name).invert())
    assert here == (ran.stdout if ran.stdout else None)

"""Results are arrays, texts and records; they outlive what made them, and travel by pickle."""

import copy
import gc
import json
import os
import pickle

import numpy as np
import pytest

import daedal


@pytest.fixture(scope="module")
def run():
    return daedal.load("pendulum").simulate(until=1, every=0.25)


def test_a_column_is_a_vector_over_the_rows(run):
    assert run.t.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert run["x"].shape == (5,) and run["x"].dtype == float
    assert run["x"][0] == 1


def test_the_rod_keeps_its_length_in_every_row(run):
    rounding = 1e-14  # a few units in the last place of a length of 1 m, after projection
    assert np.abs(np.hypot(run["x"], run["y"]) - 1).max() < rounding


def test_a_family_is_an_array_of_its_members_side_by_side(run):
    assert run["bob"].shape == (5, 2)
    assert np.array_equal(run["bob"][:, 0], run["bob[1]"])
    assert np.array_equal(run["bob"][:, 1], run["bob[2]"])
    velocities = daedal.load("coupled_pendula").simulate(until=0.1, every=0.05)
    names = [name for name in velocities if "[" in name]
    assert names, "the model has families"


def test_arrays_look_into_the_table_and_cannot_be_written_to(run):
    assert np.shares_memory(run["x"], run.table.data)
    assert np.shares_memory(run["bob"], run.table.data)
    for array in (run["x"], run["bob"], run.t, run.table.data):
        with pytest.raises(ValueError):
            array[...] = 0


def test_an_array_keeps_the_numbers_alive():
    array = daedal.load("pendulum").simulate(until=1, every=0.25)["x"]
    before = array.copy()
    gc.collect()
    daedal.load("pendulum", parameters={"L": 3}).simulate(until=1)  # memory that was freed would be used again
    assert np.array_equal(array, before)


def test_it_is_a_mapping_of_columns(run):
    assert len(run) == 5
    assert list(run)[:3] == ["t", "x", "y"] and "x" in run and "bob" in run and "zz" not in run
    assert set(dict(run)) == set(run.names)
    assert run.units["x"] == "m" and run.kinds["x'"] == "velocity" and run.kinds["rod.force"] == "force"


def test_an_unknown_name_is_refused_with_the_nearest_one(run):
    with pytest.raises(KeyError, match="no column 'xx'; did you mean 'x'"):
        run["xx"]
    with pytest.raises(TypeError):
        run[0]
    with pytest.raises(AttributeError, match="did you mean 'energy'"):
        run.enrgy


def test_its_data_have_the_names_of_cpp(run):
    assert run.energy.known and run.energy.largest_error < 1e-6 * run.energy.scale
    assert run.drift[0].level == "position"
    assert run.trust.level == "full" and run.statistics.accepted > 0
    assert run.global_error.columns[0].name == "x"
    assert "energy" in dir(run)


def test_summary_json_and_page(run, tmp_path):
    assert run.summary().startswith("pendulum: bob on a rigid rod")
    answer = json.loads(run.to_json())
    assert answer["status"] == "completed" and run.to_dict() == answer
    run.report(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text().startswith("<!doctype html>")
    assert run.to_csv().splitlines()[0].startswith("t,x,y")
    with pytest.raises(OSError, match="no_such_folder"):
        run.to_csv(tmp_path / "no_such_folder" / "run.csv")
    assert any(fact.name == "energy" for fact in run.facts)
    assert repr(run) == f"<daedal.Simulation of pendulum: holds, 5 rows of {len(run.names)} columns>"


def test_notebooks_see_summary_and_picture(run):
    html = run._repr_html_()
    assert "bob on a rigid rod" in html and "<polyline" in html
    assert run.animate()._repr_html_().startswith("<iframe srcdoc=")
    latex = daedal.load("pendulum").explain()._repr_latex_()
    assert latex.startswith("$$") and r"\ddot{x}" in latex


def test_a_pickle_has_the_same_numbers_and_texts(run):
    again = pickle.loads(pickle.dumps(run))
    assert type(again) is daedal.Simulation
    assert np.array_equal(again.table.data, run.table.data) and again.names == run.names
    assert np.array_equal(again["bob"], run["bob"]) and not again["x"].flags.writeable
    assert again.summary() == run.summary() and again.to_json() == run.to_json()
    assert again.energy == run.energy and again.holds and again.facts == run.facts
    with pytest.raises(RuntimeError, match="write the report before"):
        again.report("nowhere.html")
    assert not os.path.exists("nowhere.html")
    assert pickle.loads(pickle.dumps(again)).summary() == run.summary()


def test_copies_are_the_same_object(run):
    assert copy.copy(run) is run and copy.deepcopy(run) is run
    model = run.model
    assert copy.deepcopy(model) is model


def test_models_travel_by_pickle():
    model = daedal.load("pendulum", parameters={"L": 2})
    again = pickle.loads(pickle.dumps(model))
    assert again.parameters == model.parameters and again.text == model.text


def test_pandas(run):
    pytest.importorskip("pandas")
    frame = run.to_pandas()
    assert frame.index.name == "t" and np.array_equal(frame["x"], run["x"])


def test_xarray(run):
    pytest.importorskip("xarray")
    data = run.to_xarray()
    assert data["x"].attrs["units"] == "m" and np.array_equal(data["t"], run.t)


def test_matplotlib(run):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = run.plot("x", "bob", "rod.force")
    assert [ax.get_ylabel() for ax in axes] == ["m", run.units["rod.force"]]
    assert len(axes[0].lines) == 3


def test_matrices_and_spectra_are_arrays():
    analysis = daedal.load("manipulator_2link").analyse()
    assert analysis.poles.dtype == complex and analysis.linear.a.shape == analysis.linear.e.shape
    assert analysis.equilibrium["beta"] == pytest.approx(0, abs=1e-12)  # at rest the arm is straight: by its symmetry
    assert not analysis.linear.a.flags.writeable

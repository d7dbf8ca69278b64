"""Expressions print as the language reads them; a built model is the model of its text."""

import math

import numpy as np
import pytest

import daedal
from daedal import builder as b
from daedal.builder import Expression, ModelBuilder

x, y, z = Expression("x"), Expression("y"), Expression("z")

FORMULAS = [
    (lambda x, y, z: x + y * z, "x + y*z"),
    (lambda x, y, z: (x + y) * z, "(x + y)*z"),
    (lambda x, y, z: x - (y - z), "x - (y - z)"),
    (lambda x, y, z: x - y - z, "x - y - z"),
    (lambda x, y, z: x / (y / z), "x/(y/z)"),
    (lambda x, y, z: x / y / z, "x/y/z"),
    (lambda x, y, z: -(x**2), "-x^2"),
    (lambda x, y, z: (-x) ** 2, "(-x)^2"),
    (lambda x, y, z: x ** (-2), "x^-2"),
    (lambda x, y, z: 2**x**y, "2^x^y"),
    (lambda x, y, z: (x**y) ** z, "(x^y)^z"),
    (lambda x, y, z: x * (-y), "x*-y"),
    (lambda x, y, z: -(x + y) / z, "-(x + y)/z"),
    (lambda x, y, z: x - (-1.5), "x - -1.5"),
    (lambda x, y, z: 0.1 + x / 3 * 2, "0.1 + x/3*2"),
    (lambda x, y, z: abs(x - y), "abs(x - y)"),
]


@pytest.mark.parametrize("formula, text", FORMULAS, ids=[text for _, text in FORMULAS])
def test_a_formula_prints_with_brackets_where_they_are_needed(formula, text):
    assert str(formula(x, y, z)) == text


@pytest.mark.parametrize("formula, text", FORMULAS, ids=[text for _, text in FORMULAS])
def test_the_text_has_the_value_that_python_computes(formula, text):
    model = daedal.load("model m\ncoordinate x, y, z\nkinetic x'^2 + y'^2 + z'^2\n")
    f = model.function(str(formula(x, y, z)), ["x", "y", "z"])
    rounding = 1e-14  # a few operations on numbers of size 1
    for point in np.random.default_rng(2).uniform(0.5, 1.5, (5, 3)):
        assert f(point)[0] == pytest.approx(formula(*point), rel=rounding)


def test_derivatives_indices_members_and_conditions():
    assert str(x.dt.dt) == "x''" and str((x * y).dt) == "(x*y)'"
    assert str(x[1]) == "x[1]" and str(x[1:3]) == "x[1..3]" and str(x[1].dt ** 2) == "x[1]'^2"
    assert str(x.tip) == "x.tip"
    assert str(b.where((x > 0) & ~(y < 1), x, 0) * 2) == "(if x > 0 and not y < 1 then x else 0)*2"
    assert str(b.sin(x + 1) * [x, 2]) == "sin(x + 1)*[x, 2]"
    assert str(np.array([1.0, 2.0]) * x) == "[1.0, 2.0]*x" and str(np.float64(0.5) * x) == "0.5*x"


def test_what_is_no_formula_is_refused():
    for wrong in ("x", True, None, object(), {}):
        with pytest.raises(TypeError):
            x + wrong
    with pytest.raises(ValueError, match="not a finite number"):
        x + math.nan
    with pytest.raises(TypeError, match="no truth value"):
        bool(x > 0)
    with pytest.raises(TypeError, match="no length"):
        list(x)
    with pytest.raises(TypeError, match="2 arguments, not 1"):
        b.atan2(x)
    with pytest.raises(ValueError, match="no quotes"):
        ModelBuilder("m", 'a "b"')


def crane():
    m = ModelBuilder("crane", "trolley and winch move a load that hangs on a cable")
    mass, g = m.parameter("m", 18.9, "kg"), m.parameter("g", 9.81, "m/s^2")
    x_t, length = m.coordinate("x_T", 15, "m", "trolley"), m.coordinate("L", 4, "m", "cable")
    x, z = m.coordinate("x", 15, "m", "load"), m.coordinate("z", 4, "m")
    u = m.input("u", "m/s", size=2)
    m.kinetic(mass / 2 * (x.dt**2 + z.dt**2))
    m.potential(-mass * g * z)
    cable = m.constraint("cable", (x - x_t) ** 2 + z**2, length**2)
    m.drive(x_t, u[1], "velocity", lag=0.03)
    m.drive(length, u[2], "velocity", lag=0.02)
    load = m.output("load", [x, z], "m")
    m.output("tension", 2 * length * cable.force, "N")
    m.servo(load, b.line([15, 4], [25, 3], b.rest_to_rest(b.t / 10, smoothness=6)), name="path")
    m.experiment("swing", "simulate", until=1, method="dop853(tolerance = 1e-10)")
    return m


def test_the_text_of_a_built_model_is_read_back_to_the_same_model(tmp_path):
    built = crane()
    model = built.load()
    again = daedal.load(model.text)  # canonical: what was read
    assert again.text == model.text
    assert again.simulate(until=0.5).to_csv() == model.simulate(until=0.5).to_csv()
    built.save(tmp_path / "crane.daedal")
    assert daedal.load(tmp_path / "crane.daedal").text == model.text


def test_a_built_model_is_that_of_its_text_written_by_hand():
    by_hand = """model pendulum
parameter m = 2 [kg]
parameter l = 0.5 [m]
parameter g = 9.81 [m/s^2]
coordinate phi = 1 [rad]
initial phi' = 0.25
kinetic m*(l*phi')^2/2
potential -m*g*l*cos(phi)
"""
    m = ModelBuilder("pendulum")
    mass, l, g = m.parameter("m", 2, "kg"), m.parameter("l", 0.5, "m"), m.parameter("g", 9.81, "m/s^2")
    phi = m.coordinate("phi", 1, "rad", rate=0.25)
    m.kinetic(mass * (l * phi.dt) ** 2 / 2)
    m.potential(-mass * g * l * b.cos(phi))
    assert m.text == by_hand
    assert m.load().simulate(until=1).to_csv() == daedal.load(by_hand).simulate(until=1).to_csv()


def test_experiments_and_inversion_of_a_built_model():
    model = crane().load()
    assert model.run("swing").holds
    assert model.invert(until=2).phase == "flat"


def test_a_fault_of_a_built_model_shows_the_line_it_stands_for():
    m = ModelBuilder("slip")
    m.coordinate("x")
    m.kinetic(Expression("y").dt ** 2)
    with pytest.raises(daedal.ModelError, match="unknown name 'y'"):
        m.load()


def test_sympy_expressions_are_formulas():
    sympy = pytest.importorskip("sympy")
    t = sympy.Symbol("t")
    q, k = sympy.Function("q")(t), sympy.Symbol("k")
    formula = k * q.diff(t) ** 2 / 2 - sympy.cos(2 * q) + sympy.sqrt(k) / 3 + sympy.pi
    model = daedal.load("model m\nparameter k = 3\ncoordinate q\nkinetic q'^2\n")
    f = model.function(str(b.expression(formula)), ["q", "q'"])
    wanted = 3 * 0.5**2 / 2 - math.cos(2 * 0.2) + math.sqrt(3) / 3 + math.pi
    assert f([0.2, 0.5])[0] == pytest.approx(wanted, rel=1e-14)  # rounding of a few operations

"""Compiled functions against NumPy and differences, linear models against the equations they come from."""

import numpy as np
import pytest

import daedal

ROUNDING = 1e-13  # some operations on numbers of size 1 to 10


PLAIN = "model plain\nparameter m = 2, g = 9.81\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\n"  # without units


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(1).uniform(-1, 1, (200, 2))


def test_an_expression_is_what_numpy_makes_of_it(points):
    f = daedal.load(PLAIN).function("[x*sin(y) + m*g*y, x^2/(2 + y)]")
    x, y = points.T
    assert f.arguments == ("x", "y")
    wanted = np.column_stack([x * np.sin(y) + 2 * 9.81 * y, x**2 / (2 + y)])
    assert np.abs(f(points) - wanted).max() < ROUNDING


def test_one_point_and_many_have_the_same_bits(points):
    f = daedal.load(PLAIN).function("x*sin(y)")
    assert np.array_equal(np.array([f(p) for p in points]), f(points))


def test_a_jacobian_is_the_limit_of_differences(points):
    f = daedal.load(PLAIN).function("[x*sin(y), exp(x)/(2 + y), y]")
    exact, h = f.jacobian()(points), 1e-5
    assert exact.shape == (200, 3, 2)
    for k in range(2):
        step = np.eye(2)[k] * h
        central = (f(points + step) - f(points - step)) / (2 * h)
        assert np.abs(exact[:, :, k] - central).max() < 10 * h**2  # third derivatives of size 10 at most


def test_out_is_written_to_and_returned(points):
    f = daedal.load("pendulum").function("x*y")
    out = np.empty((200, 1))
    assert f(points, out=out) is out
    assert np.array_equal(out[:, 0], points[:, 0] * points[:, 1])


def test_arguments_are_in_the_order_of_the_caller(points):
    f = daedal.load("pendulum").function("x - 2*y", ["y", "x", "t"])
    assert f.arguments == ("y", "x", "t")
    assert f([1, 5, 0])[0] == 3


def test_accelerations_satisfy_the_residual():
    """Two roads: the equations as derived, at accelerations and multipliers that were solved for."""
    model = daedal.load("fourbar")
    f, residual = model.function("accelerations"), model.function("residual")
    run = model.simulate(until=0.5, every=0.1)
    state = np.column_stack([run[name] for name in f.arguments])
    solved = dict(zip(f.rows, f(state).T))
    known = {**{name: run[name] for name in run}, **solved}
    values = residual(np.column_stack([known[name] for name in residual.arguments]))
    scale = max(np.abs(column).max() for column in known.values())
    assert np.abs(values).max() < 1e-10 * scale  # drift of the projected rows, and rounding


def test_accelerations_of_a_pendulum_are_those_of_its_textbook():
    f = daedal.load("pendulum").function("accelerations")
    angle, rate = 0.7, 1.3
    x, y = np.sin(angle), -np.cos(angle)
    values = dict(zip(f.rows, f([0, x, y, rate * -y, rate * x])))
    centripetal = rate**2
    tension = centripetal + 9.81 * np.cos(angle)
    assert values["x''"] == pytest.approx(-tension * x, abs=ROUNDING * 100)
    assert values["y''"] == pytest.approx(-tension * y - 9.81, abs=ROUNDING * 100)


def test_the_mass_matrix_and_the_constraint_jacobian():
    model = daedal.load("pendulum", parameters={"m": 3})
    assert np.array_equal(model.function("mass_matrix")(np.empty(0)), 3 * np.eye(2))
    g = model.function("constraint_jacobian")
    assert (g.rows, g.columns, g.arguments) == (("rod",), ("x", "y"), ("x", "y"))
    assert np.array_equal(g([0.6, -0.8]), [[1.2, -1.6]])


def test_what_cannot_be_differentiated_says_so():
    model = daedal.load("pendulum")
    with pytest.raises(daedal.ModelError, match="no derivatives of accelerations"):
        model.function("accelerations").jacobian()
    with pytest.raises(daedal.ModelError, match="no derivatives of a matrix"):
        model.function("constraint_jacobian").jacobian()


def test_poles_of_the_state_space_are_those_of_the_analysis():
    linear = daedal.load("cart_pendulum").linearise()
    poles = linear.analysis.poles
    found = np.linalg.eigvals(linear.A)
    scale = np.abs(poles).max()
    for pole in poles:
        assert np.abs(found - pole).min() < 1e-9 * scale  # two eigenvalue solvers on simple eigenvalues


def test_state_space_and_descriptor_have_one_transfer_function():
    linear = daedal.load("cart_pendulum").linearise()
    d, s = linear.descriptor, 1.5 + 2j
    by_states = linear.C @ np.linalg.solve(s * np.eye(len(linear.A)) - linear.A, linear.B) + linear.D
    by_descriptor = d.C @ np.linalg.solve(s * d.E - d.A, d.B) + d.D
    assert np.abs(by_states - by_descriptor).max() < 1e-10 * np.abs(by_descriptor).max()


def test_scipy_takes_it():
    linear = daedal.load("cart_pendulum").linearise()
    system = linear.to_scipy()
    assert np.array_equal(system.A, linear.A) and np.array_equal(system.D, linear.D)


def test_control_takes_it():
    pytest.importorskip("control")
    system = daedal.load("cart_pendulum").linearise().to_control()
    assert system.input_labels == ["u"]


def test_scipys_compiled_code_calls_a_function_without_python():
    from scipy.integrate import quad

    f = daedal.load(PLAIN).function("exp(-x^2)*y")
    low = f.low_level()
    del f  # what is called stays alive
    value, error = quad(low, -8, 8, args=(2.0,))
    assert value == pytest.approx(2 * np.sqrt(np.pi), abs=max(error, 1e-13))  # tails beyond 8 are below 1e-28
    assert np.isnan(quad(low, 0, 1)[0])  # y is missing
    with pytest.raises(daedal.ModelError, match="a function of 2 values"):
        daedal.load(PLAIN).function("[x, y]").low_level()


def test_solve_ivp_runs_on_accelerations():
    """A user with SciPy only: the motion agrees, the constraint drifts."""
    from scipy.integrate import solve_ivp

    model = daedal.load("pendulum")
    f = model.function("accelerations")

    def rates(t, state):
        return np.concatenate([state[2:], f(np.concatenate([[t], state]))[:2]])

    solution = solve_ivp(rates, (0, 1), [1, 0, 0, 0], method="DOP853", rtol=1e-10, atol=1e-10)
    run = model.simulate(until=1, every=1)
    assert solution.y[0, -1] == pytest.approx(run["x"][-1], abs=1e-7)  # both tolerances, grown over a second

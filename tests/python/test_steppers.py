"""Steppers called from Python: closed forms, and the bits of the inversion that takes the same steps."""

import numpy as np
import pytest

import daedal

MASS = "model mass\nparameter m = 2\ncoordinate x\ninput u\nkinetic m/2*x'^2\nforce u on x\noutput y = x\nservo y = t^3\n"


def test_implicit_euler_sums_up_what_its_formula_says():
    """x_n = h^2 (1 + 2 + ... + n) u/m of a mass that a constant force pushes from rest."""
    stepper = daedal.load(MASS).stepper(step=0.1, method="implicit_euler")
    assert (stepper.signals, stepper.results, stepper.nodes) == (("u",), ("y",), (1.0,))
    for n in range(1, 51):
        y = stepper.step([3])
        assert stepper.report.ok
        assert y[0] == pytest.approx(0.01 * n * (n + 1) / 2 * 3 / 2, rel=1e-12)  # rounding of 50 steps
    assert stepper.time == pytest.approx(5, rel=1e-14)


def test_a_motion_is_inverted_with_the_order_of_the_method():
    """Of x = sin(t): errors of u = m x'' fall with the square of the step."""
    errors = []
    for step in (0.02, 0.01, 0.005):
        stepper = daedal.load(MASS.replace("t^3", "sin(t)")).inverse_stepper(step=step)
        for n in range(round(1 / step)):
            u = stepper.step([np.sin((n + 1) * step)])
        errors.append(abs(u[0] + 2 * np.sin(1)))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (np.abs(orders - 2) < 0.2).all()  # of the first term of the error; the next one is h times smaller


def test_a_step_that_cannot_be_made_is_reported_and_not_made():
    text = "model root\nvariable x = 1\ninput u = 1\nequation x^2 = u\noutput y = x\n"
    stepper = daedal.load(text).stepper(step=0.1)
    assert stepper.step([4])[0] == pytest.approx(2, rel=1e-12)  # Newton's tolerance, 1e-10, squared once more
    before = stepper.time
    assert stepper.step([-1]) is None
    assert not stepper.report.made and stepper.time == before


def test_bad_signals_are_refused():
    stepper = daedal.load(MASS).stepper(step=0.1)
    for wrong in ([], [1, 2], [[1, 2]], [[[1]]]):
        with pytest.raises(ValueError, match="the signals of a step are .1,.: u"):
            stepper.step(wrong)
    with pytest.raises((TypeError, ValueError)):
        stepper.step("ab")
    with pytest.raises(daedal.ModelError, match="the length of a step is required"):
        daedal.load(MASS).stepper(step=None)
    with pytest.raises(daedal.ModelError):
        daedal.load(MASS).stepper(step=-1)

#!/usr/bin/python3
"""Peer: the crane with its sampled regulator in NumPy, SciPy's solve_ivp from sample to sample, 10 s at 100 Hz.

    scipy_peer.py TOLERANCE

The equations are those of the sway angle, by hand, where Daedal has redundant coordinates and a constraint. Gains by SciPy's
Riccati solver on the same weights: on the constraint manifold they act on x_T, L and x_P, z_P as functions of the angle.
"""
import json
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm, solve_discrete_are

TAU_T, TAU_L, GRAVITY, PERIOD = 0.03, 0.02, 9.81, 0.01
PLACE, LENGTH = 14.0, 5.0                                       # x_T, L at rest


def derivative(_, state, u):
    _, length, phi, v_t, v_l, omega = state
    a_t, a_l = (u[0] - v_t)/TAU_T, (u[1] - v_l)/TAU_L
    a_phi = -(np.cos(phi)*a_t + 2*omega*v_l + GRAVITY*np.sin(phi))/length
    return np.array([v_t, v_l, omega, a_t, a_l, a_phi])


def redundant(state):
    """x_T, L, x_P, z_P and their rates: the user's coordinates."""
    x, length, phi, v_t, v_l, omega = state
    s, c = np.sin(phi), np.cos(phi)
    return np.array([x, length, x + length*s, length*c, v_t, v_l, v_t + v_l*s + length*c*omega, v_l*c - length*s*omega])


def gains():
    """Of the sampled loop, the cost exact over a period, mapped to the redundant coordinates on the tangent space."""
    a = np.zeros((6, 6))
    a[:3, 3:] = np.eye(3)
    a[3, 3], a[4, 4] = -1/TAU_T, -1/TAU_L
    a[5, 2], a[5, 3] = -GRAVITY/LENGTH, 1/(TAU_T*LENGTH)
    b = np.zeros((6, 2))
    b[3, 0], b[4, 1], b[5, 0] = 1/TAU_T, 1/TAU_L, -1/(TAU_T*LENGTH)
    rest = np.array([PLACE, LENGTH, 0, 0, 0, 0])
    t = np.array([(redundant(rest + 1e-6*e) - redundant(rest - 1e-6*e))/2e-6 for e in np.eye(6)]).T
    weights = 1000*t.T @ t
    whole = np.block([[a, b], [np.zeros((2, 8))]])               # Van Loan: the model and the cost over a period
    cost = np.block([[weights, np.zeros((6, 2))], [np.zeros((2, 6)), 100*np.eye(2)]])
    e = expm(PERIOD*np.block([[-whole.T, cost], [np.zeros((8, 8)), whole]]))
    phi, q = e[8:, 8:], e[8:, 8:].T @ e[:8, 8:]
    f = phi[:6, :6]
    g = phi[:6, 6:]
    p = solve_discrete_are(f, g, q[:6, :6], q[6:, 6:], s=q[:6, 6:])
    k = np.linalg.solve(q[6:, 6:] + g.T @ p @ g, g.T @ p @ f + q[:6, 6:].T)
    return k @ np.linalg.pinv(t), redundant(rest)


def run(tolerance, gain, target):
    state = np.array([15.0, 4.0, 0, 0, 0, 0])
    for sample in range(1000):
        u = -gain @ (redundant(state) - target)
        solution = solve_ivp(derivative, (PERIOD*sample, PERIOD*(sample + 1)), state, args=(u,), rtol=tolerance, atol=tolerance)
        state = solution.y[:, -1]
    return redundant(state)


def main():
    tolerance = float(sys.argv[1])
    gain, target = gains()
    begin = time.thread_time()
    end = run(tolerance, gain, target)
    print(json.dumps({"seconds": time.thread_time() - begin, "x_P": end[2], "z_P": end[3]}))


main()

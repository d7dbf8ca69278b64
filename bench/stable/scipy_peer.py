#!/usr/bin/python3
"""Stable inversion of the two-link manipulator by scipy.integrate.solve_bvp: internal dynamics by hand, conditions of the
eigenspaces by hand.     scipy_peer.py TOLERANCE"""
import json
import pathlib
import sys
import time

import numpy as np
from scipy.integrate import solve_bvp

L, M, K, D, AMPLITUDE = 0.5, 0.05, 0.5, 2.5e-5, np.pi/6
INERTIA = M*L*L/12
A = M*L*L/4
GROWTH, DECAY = 21.920905586542, -21.896905586542


def motion(t):
    """Desired angle's first and second derivative: the polynomial with four continuous derivatives."""
    inside = (t > 0) & (t < 1)
    p = np.polynomial.Polynomial([0, 0, 0, 0, 0, 126, -420, 540, -315, 70])
    return AMPLITUDE*np.where(inside, p.deriv(1)(t), 0), AMPLITUDE*np.where(inside, p.deriv(2)(t), 0)


def masses(beta):
    c = L*L*M*np.cos(beta)/2
    return 2*A + 2*c + L*L*M + 2*INERTIA, A + c + INERTIA, A + INERTIA


def rates(t, y):
    beta, rate = y
    zd, zdd = motion(t)
    _, m12, m22 = masses(beta)
    force = m12*zdd + 0.5*L*L*M*np.sin(beta)*(zd - rate/2)**2 + K*beta + D*rate
    return np.vstack([rate, -force/(m22 - m12/2)])


def torque(t, y):
    beta, rate = y
    zd, zdd = motion(t)
    m11, m12, _ = masses(beta)
    acceleration = rates(t, y)[1]
    return m11*(zdd - acceleration/2) + m12*acceleration - 0.5*L*L*M*rate*(2*(zd - rate/2) + rate)*np.sin(beta)


def conditions(left, right):
    return np.array([left[1] - GROWTH*left[0], right[1] - DECAY*right[0]])


def main():
    tolerance = float(sys.argv[1])
    mesh = np.unique(np.concatenate([np.linspace(-0.1, 0, 6), np.linspace(0, 1, 41), np.linspace(1, 1.1, 6)]))
    begin = time.thread_time()
    solution = solve_bvp(rates, conditions, mesh, np.zeros((2, mesh.size)), tol=tolerance, max_nodes=100000)
    seconds = time.thread_time() - begin
    table = np.genfromtxt(pathlib.Path(__file__).parents[2]/"models/manipulator_2link/reference.csv", delimiter=",", names=True)
    table = table[(table["t"] >= -0.1) & (table["t"] <= 1.1)]
    error = np.abs(torque(table["t"], solution.sol(table["t"])) - table["u"]).max()
    print(json.dumps({"seconds": seconds, "nodes": solution.x.size, "success": bool(solution.success), "error": float(error)}))


main()

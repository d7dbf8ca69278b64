#!/usr/bin/python3
"""Peer: the four-bar in NumPy, SciPy's solve_ivp, 5 s.      scipy_peer.py TOLERANCE [METHOD]        RK45 or DOP853

A well-written NumPy model: the constant parts of the Jacobian are filled once, only its angle columns change, M is diagonal,
and the multipliers come from the Schur complement G M^-1 G^T.
"""
import json
import math
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg.lapack import dposv

LENGTH, MASS, GROUND, GRAVITY, TORQUE = (0.5, 1.2, 1.0), (1.0, 2.0, 1.5), 1.3, 9.81, 0.5
INERTIA = [m*l*l/12 for m, l in zip(MASS, LENGTH)]
W = 1/np.array([x for m, i in zip(MASS, INERTIA) for x in (m, m, i)])          # M^-1
FREE = np.array([0, -GRAVITY, TORQUE*W[2], 0, -GRAVITY, 0, 0, -GRAVITY, 0])    # M^-1 Q
# pin, link, sign of (x, y), arm along the link
ENDS = [(0, 0, 1, -LENGTH[0]/2), (1, 0, 1, LENGTH[0]/2), (1, 1, -1, LENGTH[1]/2), (2, 1, 1, LENGTH[1]/2),
        (2, 2, -1, -LENGTH[2]/2), (3, 2, 1, -LENGTH[2]/2)]
G = np.zeros((8, 9))
for pin, link, sign, _ in ENDS:
    G[2*pin, 3*link] = G[2*pin + 1, 3*link + 1] = sign
ROWS = np.array([2*pin + i for i in (0, 1) for pin, *_ in ENDS])
COLUMNS = np.array([3*link + 2 for i in (0, 1) for _, link, *_ in ENDS])
LINKS = np.array([link for _, link, *_ in ENDS])
ARMS = np.array([arm for *_, arm in ENDS])
SPIN = np.zeros((8, 12))                                                       # sums the ends of each pin
for e, (pin, *_) in enumerate(ENDS):
    SPIN[2*pin, e] = SPIN[2*pin + 1, 6 + e] = 1
TH = np.array([2, 5, 8])


def derivative(_, state):
    th, v = state[TH], state[9:]
    arm_cos, arm_sin = ARMS*np.cos(th)[LINKS], ARMS*np.sin(th)[LINKS]
    G[ROWS, COLUMNS] = np.concatenate((-arm_sin, arm_cos))
    rate2 = (v[TH]**2)[LINKS]
    centripetal = SPIN @ np.concatenate((arm_cos*rate2, arm_sin*rate2))
    GW = G*W
    lam = dposv(GW @ G.T, centripetal - G @ FREE)[1]
    return np.concatenate((v, FREE + lam @ GW))


def start():
    """th1 = pi/3, the other angles from the loop equation, at rest."""
    a, b, c = LENGTH
    th1 = math.pi/3
    ax, ay = a*math.cos(th1), a*math.sin(th1)
    dx, dy = GROUND - ax, -ay
    distance, direction = math.hypot(dx, dy), math.atan2(dy, dx)
    th2 = direction + math.acos((b*b + distance**2 - c*c)/(2*b*distance))
    bx, by = ax + b*math.cos(th2), ay + b*math.sin(th2)
    th3 = math.atan2(by, bx - GROUND)
    return np.array([ax/2, ay/2, th1, (ax + bx)/2, (ay + by)/2, th2, (bx + GROUND)/2, by/2, th3] + [0]*9)


def main():
    tolerance = float(sys.argv[1]) if len(sys.argv) > 1 else 1e-9
    method = sys.argv[2] if len(sys.argv) > 2 else "RK45"
    y0, runs = start(), []
    for _ in range(3):
        begin = time.thread_time()
        solution = solve_ivp(derivative, (0, 5), y0, method=method, rtol=tolerance, atol=tolerance, t_eval=[5])
        runs.append(time.thread_time() - begin)
    begin = time.thread_time()
    for _ in range(2000):
        derivative(0, y0)
    per_call = (time.thread_time() - begin)/2000
    th1, th2, th3 = solution.y[TH, -1]
    print(json.dumps({"seconds": sorted(runs)[1], "evaluations": solution.nfev, "per_evaluation": per_call,
                      "th1": th1, "th2": th2, "th3": th3}))


if __name__ == "__main__":
    main()

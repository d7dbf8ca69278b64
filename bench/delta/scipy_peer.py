#!/usr/bin/python3
"""Peer: the delta robot of release.daedal in NumPy, SciPy's solve_ivp, 10 s.      scipy_peer.py TOLERANCE [METHOD]

The formulas of release_by_hand.hpp with the three arms side by side in arrays, 3x3 inverses by LAPACK.
"""
import json
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

TORQUE, MOTOR = -1.970409824811, np.radians([45, 25, 35])
ANGLE = 2*np.pi/3*np.array([0, 1, -1])
TURN = np.array([[[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]] for a in ANGLE])
M, J = np.zeros((3, 3, 3)), np.zeros((3, 3, 3))                 # arm, row, column
M[:, 0, 0], M[:, 1, 1] = 343/6000, 12/125
DAMPING = np.array([1/20, 1/50, 1/50])


def derivative(_, state):
    q, v = state[:9].reshape(3, 3), state[9:].reshape(3, 3)
    (s1, s2, s3), (c1, c2, c3), (v1, v2, v3) = np.sin(q).T, np.cos(q).T, v.T
    k = 19/400
    M[:, 0, 1] = M[:, 1, 0] = k*(s1*s2 + c1*c2*c3)
    M[:, 0, 2] = M[:, 2, 0] = -k*c1*s2*s3
    M[:, 2, 2] = 12/125*s2**2
    J[:, 0, 1], J[:, 0, 2] = 0.6*c2*s3, 0.6*s2*c3
    J[:, 1, 0], J[:, 1, 1] = -s1/4, -0.6*s2
    J[:, 2, 0], J[:, 2, 1], J[:, 2, 2] = c1/4, 0.6*c2*c3, -0.6*s2*s3
    swing = v2**2 + v3**2
    bias = DAMPING*v
    bias[:, 0] += k*(s1*c2*v2**2 - c1*s2*c3*swing - 2*c1*c2*s3*v2*v3) - 1.9293*c1 - TORQUE
    bias[:, 1] += k*v1**2*(c1*s2 - s1*c2*c3) - 12/125*s2*c2*v3**2 - 1.8639*c2*c3
    bias[:, 2] += k*v1**2*s1*s2*s3 + 1.8639*s2*s3 + 24/125*s2*c2*v2*v3
    drift = np.stack((1.2*c2*c3*v2*v3 - 0.6*s2*s3*swing, -c1/4*v1**2 - 0.6*c2*v2**2,
                      -s1/4*v1**2 - 1.2*c2*s3*v2*v3 - 0.6*s2*c3*swing), axis=1)
    inverse, turned = np.linalg.inv(M), TURN @ J
    free = -inverse @ bias[..., None]
    b = turned @ free + TURN @ drift[..., None]
    back = inverse @ turned.transpose(0, 2, 1)
    stiff = np.linalg.inv(turned @ back)
    tip = np.linalg.solve(stiff.sum(0), (stiff @ b).sum(0))
    return np.concatenate((state[9:], (free + back @ (stiff @ (tip - b))).ravel()))


def start():
    """At rest, motors at 45, 25 and 35 degrees: the tip is as far as l2 from the three elbows."""
    shifted = np.stack((0*MOTOR, 0.15 + 0.25*np.cos(MOTOR), 0.25*np.sin(MOTOR)), axis=1)
    elbow = (TURN @ shifted[..., None])[..., 0]
    a, b = elbow[1] - elbow[0], elbow[2] - elbow[0]
    normal = np.cross(a, b)
    centre = np.cross((a @ a)*b - (b @ b)*a, normal)/(2*normal @ normal)
    tip = elbow[0] + centre + np.sign(normal[2])*np.sqrt((0.36 - centre @ centre)/(normal @ normal))*normal
    rod = (TURN.transpose(0, 2, 1) @ (tip - elbow)[..., None])[..., 0]
    q = np.stack((MOTOR, np.arccos(rod[:, 1]/0.6), np.arctan2(rod[:, 0], rod[:, 2])), axis=1)
    return np.concatenate((q.ravel(), np.zeros(9)))


def main():
    tolerance = float(sys.argv[1]) if len(sys.argv) > 1 else 1e-9
    method = sys.argv[2] if len(sys.argv) > 2 else "DOP853"
    y0, runs = start(), []
    for _ in range(3):
        begin = time.thread_time()
        solution = solve_ivp(derivative, (0, 10), y0, method=method, rtol=tolerance, atol=tolerance, t_eval=[10])
        runs.append(time.thread_time() - begin)
    names = {f"r.arm[{i//3 + 1}].q[{i%3 + 1}]": x for i, x in enumerate(solution.y[:9, -1])}
    print(json.dumps({"seconds": sorted(runs)[1], "evaluations": solution.nfev, **names}))


if __name__ == "__main__":
    main()

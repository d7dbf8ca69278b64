#!/usr/bin/env python3
"""Writes delta_arm_by_hand.hpp: one arm of models/delta_robot (parameter set A), its equations and their derivatives, as C++ with
common subexpressions shared, what a careful engineer makes with a computer algebra system. Needs SymPy; its output is kept
beside it, so the benchmarks do not.      generate_arm.py > delta_arm_by_hand.hpp
"""
import sympy as sp
from sympy.printing.cxx import cxxcode

q, v, a, f = (sp.Matrix(sp.symbols(f"{n}[0] {n}[1] {n}[2]")) for n in "qvaf")
l0, l1, l2, l3, lc1, lc2, m1, m2, m3, J1, J2, g = (sp.Rational(x) for x in
    ("1/5", "1/4", "3/5", "1/20", "1/10", "3/10", "4/5", "3/10", "1/2", "1/50", "9/1000", "981/100"))
damping = sp.Matrix([sp.Rational(1, 20)*v[0], sp.Rational(1, 50)*v[1], sp.Rational(1, 50)*v[2]])
s, c = sp.sin, sp.cos
c1 = sp.Matrix([0, lc1*c(q[0]), lc1*s(q[0])])
c2 = sp.Matrix([lc2*s(q[1])*s(q[2]), l1*c(q[0]) + lc2*c(q[1]), l1*s(q[0]) + lc2*s(q[1])*c(q[2])])
tip = sp.Matrix([l2*s(q[1])*s(q[2]), l0 - l3 + l1*c(q[0]) + l2*c(q[1]), l1*s(q[0]) + l2*s(q[1])*c(q[2])])


def rate(e):
    return e.jacobian(q)*v


T = (m1/2*rate(c1).dot(rate(c1)) + m2/2*rate(c2).dot(rate(c2)) + m3/6*rate(tip).dot(rate(tip)) + J1/2*v[0]**2
     + J2/2*(s(q[1])**2*v[2]**2 + v[1]**2))
V = -g*(m1*c1[2] + m2*c2[2] + m3/3*tip[2])
momentum = sp.Matrix([T]).jacobian(v).T
J = tip.jacobian(q)
equations = (momentum.jacobian(v)*a + momentum.jacobian(q)*v - sp.Matrix([T - V]).jacobian(q).T + damping - J.T*f)
equations = equations.applyfunc(sp.expand).applyfunc(sp.trigsimp)
acceleration = J*a + rate(J*v)


def function(name, comment, outputs, inputs="qvaf"):
    shared, reduced = sp.cse([e for _, m in outputs for e in m], symbols=sp.numbered_symbols("t"), order="none")
    arguments = ", ".join([f"const double* {n}" for n in inputs] + [f"double* {n}" for n, _ in outputs])
    print(f"\n/// {comment}")
    print(f"inline void {name}({arguments}) {{")
    for symbol, e in shared:
        print(f"  const double {symbol} = {cxxcode(e, standard='c++17')};")
    values = iter(reduced)
    for n, m in outputs:
        for i in range(len(m)):
            print(f"  {n}[{i}] = {cxxcode(next(values), standard='c++17')};")
    print("}")


print("""// Written by generate_arm.py: one arm of the delta robot, parameter set A. Matrices are row by row.
// clang-format off
#pragma once

#include <cmath>

namespace delta {

// q, v, a: joint angles, velocities, accelerations; f: force on the tip.""")
function("arm_residual", "M a + c + g + damping - J^T f, and the acceleration of the tip.",
         [("equations", equations), ("tip_acceleration", acceleration)])
function("arm_jacobian", "Their derivatives.",
         [("equations_q", equations.jacobian(q)), ("equations_v", equations.jacobian(v)),
          ("mass_matrix", equations.jacobian(a)), ("tip_jacobian", J),
          ("tip_acceleration_q", acceleration.jacobian(q)), ("tip_acceleration_v", acceleration.jacobian(v))])
still = {x: 0 for x in [*a, *f]}
function("arm_dynamics", "What is linear in a and f taken apart: M a + bias = J^T f and tip'' = J a + drift.",
         [("mass_matrix", equations.jacobian(a)), ("tip_jacobian", J), ("bias", equations.subs(still)),
          ("drift", acceleration.subs(still))], inputs="qv")
print("\n}  // namespace delta")

# Steps through an inverse model with BDF of order 2 and equal steps, as a real-time system does, and compares the input with the
# exact one, which the model's flatness gives.
import sys

import numpy as np

import daedal

model = daedal.load(sys.argv[1])
exact = model.invert(until=5, every=0.1)["u"]
errors = []
for step in (0.02, 0.01):
    u = model.invert(until=5, every=0.1, method="bdf(order = 2)", step=step)["u"]
    errors.append(np.abs(u - exact).max())
    print(f"step {step} s: error of u {errors[-1]:g} N*m")
sys.exit(not errors[1] < errors[0] / 3)

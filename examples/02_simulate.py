# Simulates a model on its constraint manifold. The result carries its own judgement: drift on every level, the balance of energy,
# and an estimate of the error.
import sys

import daedal

run = daedal.load(sys.argv[1]).simulate(until=2, method="dop853(tolerance = 1e-10)")
print(run.summary())
sys.exit(not (run.holds and run.energy.largest_error < 1e-6 * run.energy.scale))

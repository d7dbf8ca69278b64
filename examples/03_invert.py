# Finds the inputs that make the outputs move as the servo lines ask. The method follows from the class of the model, and a run of
# the forward model with these inputs proves them.
import sys

import daedal

i = daedal.load(sys.argv[1]).invert()
for u in i.inputs:
    print(f"{u.name} between {u.smallest:g} and {u.largest:g} {u.unit}")
print(i.verdict)
sys.exit(not (i.holds and i.tracking < 1e-9))

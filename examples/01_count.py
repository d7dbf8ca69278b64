# Reads a model and reports what kind of problem its equations are: index, free initial values, and the derivatives of constraints
# that the motion has to satisfy although nobody wrote them down.
import sys

import daedal

e = daedal.load(sys.argv[1]).explain()
s = e.structure
print(f"{e.title}: {len(e.equations)} equations, index {s.index}, {s.degrees_of_freedom} free initial values")
for hidden in e.hidden:
    print(f"  {hidden.name}: {hidden.text}")
sys.exit(not s.solvable)

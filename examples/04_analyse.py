# Analyses a model at its equilibrium, once for each of its outputs: which of them can be inverted forwards in time?
import sys

import daedal

model = daedal.load(sys.argv[1])
for output in ("tip", "joint"):
    a = model.analyse(outputs=[output])
    if not a.holds or a.doubts:
        sys.exit(1)
    print(f"{output} against u: {a.phase}")
    for zero in a.zeros:
        print(f"  zero {zero:.6g} 1/s")
    print(f"  {a.verdict}")

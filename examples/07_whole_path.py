# The whole path for any class of model: load, analyse, invert, report. Flat, minimum phase or not: the call is the same.
import sys

import daedal

for name in sys.argv[1:]:
    model = daedal.load(name)
    print(f"{model.name}: {model.analyse(free='all').verdict}")
    i = model.invert()
    print(i.summary())
    i.report(f"{model.name}.html")
    if not i.holds:
        sys.exit(1)

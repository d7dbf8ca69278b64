# Simulates a model whose constraints come and go, and lists what happened when.
import sys

import daedal

run = daedal.load(sys.argv[1]).simulate(until=2)
for event in run.events:
    print(f"t = {event.t:g} s: {event.name}, {event.what}")
sys.exit(not (run.holds and len(run.events) > 1))

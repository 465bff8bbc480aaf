"""`python -m benchmarks.compile_once UR5`: what a robot's functions cost at first use, as JSON.

With names of functions behind it, only theirs.

For each: seconds from asking for the function to its first result, and whether the machine code
came from the disk cache. The model is loaded and LLVM is running before; every function has a model
of its own, so that none profits from what another one traced.
"""

import json
import sys
import time

import visviva as vv
from benchmarks.robots import CHAINS, ROBOTS, VERBS, states


def main(name: str, *verbs: str) -> None:
    robot = next(r for r in (*ROBOTS, *CHAINS) if r.name == name)
    _ = vv.function(lambda x: x * 2.0, {"x": 1})([1.0])  # LLVM starts up
    seconds = {}
    for verb in verbs or VERBS:
        ask = VERBS[verb]
        model = robot.load()
        start = time.perf_counter()
        f = ask(model, robot.tip)
        f(*states(f))
        seconds[verb] = (time.perf_counter() - start, f.kernel.from_cache)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])

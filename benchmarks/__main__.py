"""`python -m benchmarks [part of a name]`."""

import sys

from benchmarks import (  # noqa: F401  they register themselves
    all_solutions,
    check,
    closed_forms,
    constraints,
    dynamics,
    environments,
    exports,
    first_use,
    kinematics,
    laboratory,
    loading,
    machine_room,
    motion,
    motion_adaptive,
    numeric_kinematics,
    sensitivities,
    stepping,
)
from benchmarks.harness import main

main(*sys.argv[1:2])

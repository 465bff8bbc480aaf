"""`python -m benchmarks [part of a name]`."""

import sys

from benchmarks import (  # noqa: F401  they register themselves
    check,
    closed_forms,
    constraints,
    dynamics,
    first_use,
    loading,
    machine_room,
    motion,
    motion_adaptive,
    sensitivities,
)
from benchmarks.harness import main

main(*sys.argv[1:2])

"""`python -m benchmarks [part of a name]`."""

import sys

from benchmarks import dynamics, first_use, loading, machine_room  # noqa: F401  they register themselves
from benchmarks.harness import main

main(*sys.argv[1:2])

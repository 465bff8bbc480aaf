"""`python -m benchmarks [part of a name]`."""

import sys

from benchmarks import machine_room  # noqa: F401  registers its benchmarks
from benchmarks.harness import main

main(*sys.argv[1:2])

"""Linear algebra in one thread: where workers share the cores, its threads wait by spinning."""

import os

for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

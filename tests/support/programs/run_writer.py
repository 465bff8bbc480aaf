"""Writes a record of a long run, or goes on with it; killed from outside."""

import sys
from pathlib import Path

import numpy as np

from visviva.motion.record import Record

HEADER = {"method": "counting", "rows": 7}
BLOCKS = 300


def block(k):
    """Block k of the run: what it has depends on nothing but k."""
    t = np.arange(7 * k, 7 * k + 7) / 100
    q = np.sin(t[:, None] * np.arange(1, 60))
    return t, q, np.cos(q), {"h": t**2}


if __name__ == "__main__":
    path = sys.argv[1]
    begun = (Path(path + ".run") / "header.json").exists()
    print("ready", flush=True)
    record = (Record.resume if begun else Record.create)(path, HEADER)
    for k in range(len(record.whole_blocks()), BLOCKS):
        record.append(*block(k))
    print("done", flush=True)

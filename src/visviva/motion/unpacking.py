"""Arrays of files, whose size is known before they are unpacked.

`Trajectory.save` writes npz files uncompressed. Compressed ones of others may unpack to at most
`MAX_UNPACKED` bytes, or to as many as the file has.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

MAX_UNPACKED = 256 * 2**20  # bytes


def check_unpacked(file: Path, size: int) -> None:
    """Refuse a file that stands for more bytes of numbers than it may."""
    if size > max(MAX_UNPACKED, file.stat().st_size):
        raise ValueError(
            f"its numbers have {size} bytes when unpacked, at most {MAX_UNPACKED} are accepted"
        )


def npz_arrays(file: Path) -> dict[str, Any]:
    """The arrays of an npz file by name; nothing is unpickled."""
    with open(file, "rb") as stream:
        with zipfile.ZipFile(stream) as archive:
            check_unpacked(file, sum(x.file_size for x in archive.infolist()))
        stream.seek(0)
        with np.load(stream, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}

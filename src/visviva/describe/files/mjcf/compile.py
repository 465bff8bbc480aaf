"""MJCF text to MuJoCo's arrays, by a worker process with a time limit."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.files.mjcf.scan import Bounds, Scan, Unread, scan
from visviva.describe.files.mjcf.worker import as_bytes, pack, unpack
from visviva.errors import ReadError
from visviva.extras import require
from visviva.space.poses import Pose
from visviva.space.rotations import quaternion_matrix

WORKER = "visviva.describe.files.mjcf.worker"
# folders come last: beside a script may lie files that are called as modules of Python
_START = """
import sys, runpy
sys.path += sys.argv[2:]
runpy.run_module(sys.argv[1], run_name="__main__")
"""
MAY_BE_INFINITE = ("geom_size", "geom_rgba", "mat_rgba", "numeric_data")


@dataclass(frozen=True)
class Compiled:
    """MuJoCo's model: its arrays by MuJoCo's names, and the rest of what the worker says."""

    path: Path
    arrays: dict[str, Any]
    info: dict[str, Any]
    files: dict[str, Path]
    notes: Sequence[str]  # on the text itself
    unread: Unread  # words that mean nothing here, by their element

    def __getitem__(self, name: str) -> Any:
        return self.arrays[name]

    def name(self, kind: str, i: int) -> str:
        """The name in the file, or an empty string."""
        return str(self.info["names"][kind][i])

    def custom(self, name: str) -> Array | None:
        """Numbers that the file keeps for others than MuJoCo, by their name."""
        names = self.info["names"]["numeric"]
        if name not in names:
            return None
        start, size = (int(self[f"numeric_{x}"][names.index(name)]) for x in ("adr", "size"))
        return np.asarray(self["numeric_data"][start : start + size], dtype=float)

    @property
    def tendons(self) -> int:
        """How many tendons there are."""
        return len(self["tendon_adr"])

    def pose(self, kind: str, i: int) -> Pose:
        """The pose of a body, site, geom or mesh."""
        return pose(self[f"{kind}_pos"][i], self[f"{kind}_quat"][i])


def pose(position: Any, quat: Any) -> Pose:
    """From a position and a quaternion w x y z."""
    return Pose(quaternion_matrix(from_wxyz(quat)), position)


def from_wxyz(quat: Any) -> Array:
    """MuJoCo's quaternion as ours, of length one; zeros mean no turn, as in MuJoCo."""
    q = np.asarray(quat, dtype=float)[[1, 2, 3, 0]]
    length = np.linalg.norm(q)
    return q / length if length > 1e-15 else np.array([0.0, 0.0, 0.0, 1.0])


def compile_mjcf(path: Path, roots: Sequence[Path], timeout: float, bounds: Bounds) -> Compiled:
    """Scan a file, let MuJoCo compile it, and take the arrays."""
    require("MJCF", "mujoco")
    seen = scan(path, roots, bounds)
    arrays = _run(path, seen, timeout)
    info = json.loads(arrays.pop("info").tobytes())
    bounds.check_bodies(path, len(arrays["body_mass"]) - 1)  # replicate makes many of one
    for name, values in arrays.items():
        must = values.dtype.kind == "f" and name not in MAY_BE_INFINITE
        if must and not np.isfinite(values).all():
            raise ReadError(f"{path}: {name} must be finite, got {values.tolist()}")
    return Compiled(path, arrays, info, seen.files, seen.notes, seen.unread)


def _run(path: Path, seen: Scan, timeout: float) -> dict[str, Any]:
    request = pack(
        xml=as_bytes(seen.text.encode()), **{k: as_bytes(v) for k, v in seen.assets.items()}
    )
    with tempfile.TemporaryDirectory() as empty:  # MuJoCo leaves its log where it runs
        try:
            done = subprocess.run(  # noqa: S603  our own interpreter and module
                [sys.executable, "-I", "-c", _START, WORKER, *_homes()],
                input=request,
                capture_output=True,
                timeout=timeout,
                cwd=empty,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ReadError(
                f"{path}: MuJoCo was not done within {timeout:g} s; give timeout= if it needs more"
            ) from None
    if done.returncode != 0 or not done.stdout:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise ReadError(
            f"{path}: MuJoCo stopped with exit code {done.returncode}: {''.join(last)[:300]}"
        )
    arrays = unpack(done.stdout)
    if "error" in arrays:
        raise ReadError(_located(path, seen, arrays["error"].tobytes().decode()))
    return arrays


def _homes() -> list[str]:
    """The folders of the packages that the worker needs, where its interpreter may not look."""
    homes = []
    for name in (WORKER.partition(".")[0], "numpy", "mujoco"):
        spec = importlib.util.find_spec(name)
        inside = [] if spec is None else [*(spec.submodule_search_locations or ()), spec.origin]
        homes += [os.path.dirname(os.path.abspath(x)) for x in inside[:1] if x]
    return [*dict.fromkeys(homes)]


def _located(path: Path, seen: Scan, text: str) -> str:
    """MuJoCo's message with the line of the user's file."""
    said = " ".join(text.split())
    line = re.search(r",? line (\d+)", said)
    place = seen.place(int(line[1])) if line else ""
    if line and place:
        said = said.replace(line[0], "")
    for alias, file in seen.files.items():
        said = said.replace(alias, str(file))
    return f"{place or path}: {said}"

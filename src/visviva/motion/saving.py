"""Trajectories in files: netCDF, CSV and npz, each with all that is needed to understand it.

Beside the numbers stands a header in JSON: names and units, how the forces go on between samples,
statistics and notes, and the system itself as the text of a mechanism file, or only its digest
where no file can state it. Nothing in a file is executed. A file appears whole or not at all.
"""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.describe.files.toml.read import loads_toml
from visviva.describe.load import mechanism_text
from visviva.describe.values import digest_of
from visviva.errors import ArgumentError, VisvivaError, WriteError, path_of
from visviva.extras import require
from visviva.motion.samples.forces import LINEAR, is_function
from visviva.motion.samples.sending import LOST
from visviva.motion.tables import columns_of, to_xarray

if TYPE_CHECKING:
    from visviva.motion.trajectory import Trajectory

KIND, VERSION = "visviva trajectory", 1
SUFFIXES = (".nc", ".csv", ".npz")
NAMES = ("coordinate_names", "velocity_names", "motion_names", "coordinate_units", "velocity_units")


@dataclass(frozen=True)
class NamesOnly:
    """What a file knows of a system that no mechanism file can state: names, no equations."""

    name: str
    coordinate_names: tuple[str, ...]
    velocity_names: tuple[str, ...]
    motion_names: tuple[str, ...]
    coordinate_units: tuple[str, ...]
    velocity_units: tuple[str, ...]
    joint_slices: Mapping[str, tuple[slice, slice]]
    digest: str | None

    @property
    def nq(self) -> int:
        """How many numbers state a position."""
        return len(self.coordinate_names)

    @property
    def nv(self) -> int:
        """How many state a velocity."""
        return len(self.velocity_names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise ArgumentError(
            f"the file of this trajectory has the names of {self.name!r} and no equations, so "
            f"there is no {name}: vv.load_trajectory(path, system=…) takes the system it was made "
            "with"
        )


def save_trajectory(run: Trajectory, path: str | os.PathLike[str]) -> None:
    """Write a trajectory; the suffix says how."""
    file = file_path("save", path)
    write = {".nc": _write_nc, ".csv": _write_csv, ".npz": _write_npz}[file.suffix.lower()]
    put(file, lambda new: write(run, header_of(run), new))


def put(file: Path, write: Callable[[Path], None]) -> None:
    """Write a file beside its place, then move it there: others see all of it or none."""
    try:
        handle, name = tempfile.mkstemp(suffix=file.suffix, prefix=".new-", dir=file.parent)
    except OSError as error:
        why = error.strerror if file.parent.is_dir() else f"there is no folder {file.parent}"
        raise WriteError(f"{file}: cannot be written: {why}") from None
    os.close(handle)
    new = Path(name)
    try:
        write(new)
        with open(new, "rb") as stream:
            os.fsync(stream.fileno())
        new.chmod(0o666 & ~_mask())
        new.replace(file)
    except OSError as error:
        raise WriteError(f"{file}: cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def header_of(run: Trajectory) -> str:
    """All that is not an array, as JSON."""
    s = run.system
    slices = s.joint_slices.items()
    between = LINEAR if is_function(run.between) else run.between
    lost = LOST["between"][1]
    header = {
        "kind": KIND,
        "version": VERSION,
        "name": s.name,
        "digest": system_digest(s),
        "mechanism": _mechanism(s),
        **{name: list(getattr(s, name)) for name in NAMES},
        "joints": {name: [q.start, q.stop, v.start, v.stop] for name, (q, v) in slices},
        "between": between,
        "parameters": {k: np.asarray(x).tolist() for k, x in run.parameters.items()},
        "statistics": {k: _plain(x) for k, x in run.statistics.items()},
        "notes": [*run.notes, *([lost] if is_function(run.between) else [])],
        **({"events": run.events.as_dict()} if run.events else {}),
        **{k: _plain(x) for k in ("holding", "carried") if (x := getattr(run, k)) is not None},
    }
    return json.dumps(header)


def system_digest(system: Any) -> str | None:
    """The name of what a system computes; of one that was read with names only, the file's."""
    return system.digest if isinstance(system, NamesOnly) else digest_of(system)


def _mechanism(system: Any) -> str | None:
    """The text that states it, where there is one that is read back."""
    try:
        text = mechanism_text(system)
        loads_toml(text, 0.0)
    except VisvivaError:
        return None
    return text


def _plain(x: Any) -> Any:
    """What JSON can say; anything else as a text."""
    if isinstance(x, (np.ndarray, np.generic)):
        x = x.tolist()
    if isinstance(x, Mapping):
        return {str(k): _plain(y) for k, y in x.items()}
    if isinstance(x, (list, tuple)):
        return [_plain(y) for y in x]
    return x if x is None or isinstance(x, (bool, int, float, str)) else str(x)


def _write_npz(run: Trajectory, header: str, file: Path) -> None:
    arrays = {"t": run.t, "q": run.q, "v": run.v}
    arrays |= {} if run.tau is None else {"tau": run.tau}
    written = np.frombuffer(header.encode(), dtype=np.uint8)
    with open(file, "wb") as stream:
        np.savez(stream, header=written, **arrays)  # type: ignore[arg-type]


def _write_csv(run: Trajectory, header: str, file: Path) -> None:
    """A comment, a line of names, a row for every sample; numbers are read back bit by bit."""
    lanes = len(run.q) if run.is_batch else 1
    columns, t = columns_of(run), np.tile(run.t, lanes)[:, None]
    number = [np.repeat(np.arange(lanes), len(run.t))[:, None]] if run.is_batch else []
    with open(file, "w", encoding="utf-8", newline="") as stream:
        stream.write(f"# {header}\n")
        csv.writer(stream, lineterminator="\n").writerow(titles(run.names, run.is_batch))
        formats = [*(["%d"] if run.is_batch else []), *["%.17g"] * (1 + columns.shape[1])]
        np.savetxt(stream, np.hstack([*number, t, columns]), fmt=formats, delimiter=",")


def titles(names: tuple[str, ...], is_batch: bool) -> list[str]:
    """The names of the columns of a CSV file."""
    return [*(["run"] if is_batch else []), "t", *names]


def _write_nc(run: Trajectory, header: str, file: Path) -> None:
    require("saving .nc", "xarray", "h5netcdf", "h5py")
    dataset = to_xarray(run)
    # as bytes: an attribute of HDF5 has 64 kB at most, texts go to a heap that is slow if damaged
    dataset["header"] = ("byte", np.frombuffer(header.encode(), dtype=np.uint8))
    dataset.to_netcdf(file, engine="h5netcdf")


def file_path(verb: str, path: Any) -> Path:
    """A path whose suffix says a format that there is."""
    file = path_of(verb, path)
    if file.suffix.lower() not in SUFFIXES:
        raise ArgumentError(
            f"{verb}: the suffix says the format, {', '.join(SUFFIXES)}; got {file.suffix!r}"
        )
    return file

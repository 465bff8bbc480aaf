"""Trajectories in files: netCDF, CSV and npz, each with all that is needed to understand it.

Beside the numbers stands a header in JSON: names and units, how the forces go on between samples,
statistics and notes, and the system itself as the text of a mechanism file, or only its digest
where no file can state it. Nothing in a file is executed. A file appears whole or not at all.
"""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from visviva.describe.files.toml.read import loads_toml
from visviva.describe.load import mechanism_text
from visviva.describe.values import digest_of
from visviva.errors import ArgumentError, ReadError, VisvivaError, WriteError, check_known
from visviva.motion.samples.forces import HELD, LINEAR
from visviva.motion.tables import columns_of, to_xarray, wanted
from visviva.motion.trajectory import Trajectory

KIND, VERSION = "visviva trajectory", 1
SUFFIXES = (".nc", ".csv", ".npz")
NAMES = ("coordinate_names", "velocity_names", "motion_names", "coordinate_units", "velocity_units")
UNREADABLE = (
    OSError, ValueError, KeyError, TypeError, EOFError, AttributeError, IndexError, RuntimeError,
    NotImplementedError, MemoryError, zipfile.BadZipFile, zlib.error, csv.Error,
)  # fmt: skip
Arrays = dict[str, Any]  # t, q, v and tau


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


# ---- out


def save_trajectory(run: Trajectory, path: str | os.PathLike[str]) -> None:
    """Write a trajectory; the suffix says how."""
    file = _path("save", path)
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
    between = LINEAR if callable(run.between) else run.between
    lost = "forces between samples were those of a function, and are on straight lines here"
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
        "notes": [*run.notes, *([lost] if callable(run.between) else [])],
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
        csv.writer(stream, lineterminator="\n").writerow(_titles(run.names, run.is_batch))
        formats = [*(["%d"] if run.is_batch else []), *["%.17g"] * (1 + columns.shape[1])]
        np.savetxt(stream, np.hstack([*number, t, columns]), fmt=formats, delimiter=",")


def _titles(names: tuple[str, ...], is_batch: bool) -> list[str]:
    return [*(["run"] if is_batch else []), "t", *names]


def _write_nc(run: Trajectory, header: str, file: Path) -> None:
    wanted("saving .nc", "data", "xarray", "h5netcdf", "h5py")
    dataset = to_xarray(run)
    dataset["header"] = ((), header)  # an attribute of HDF5 has 64 kB at most
    dataset.to_netcdf(file, engine="h5netcdf")


# ---- in


def load_trajectory(path: str | os.PathLike[str], *, system: Any = None) -> Trajectory:
    """A trajectory from a file that `Trajectory.save` wrote: `.nc`, `.csv` or `.npz`.

    The system is made of the text in the file; `system` is taken instead if it is given, and must
    be the one that the trajectory was made with.
    """
    file = _path("load_trajectory", path)
    read = {".nc": _read_nc, ".csv": _read_csv, ".npz": _read_npz}[file.suffix.lower()]
    if not file.is_file():
        raise ReadError(f"{file}: there is no such file")
    if file.suffix.lower() == ".nc":
        wanted("loading .nc", "data", "xarray", "h5netcdf", "h5py")
    with _refused(file):
        header, arrays = read(file)
        about = _checked_header(json.loads(header))
        made = _system(about) if system is None else None
    made = _the_same(about, system) if made is None else made
    with _refused(file):
        return Trajectory(
            made,
            **arrays,
            between=about["between"],
            parameters=about["parameters"],
            statistics=about["statistics"],
            notes=tuple(about["notes"]),
        )


@contextmanager
def _refused(file: Path) -> Iterator[None]:
    """Whatever goes wrong while a file is read is told as what the file is not."""
    try:
        yield
    except UNREADABLE as problem:
        why = f"{problem!s:.200}" or type(problem).__name__
        raise ReadError(
            f"{file}: is no trajectory that visviva wrote ({why}); accepted: "
            f"{', '.join(SUFFIXES)} by run.save(path)"
        ) from None


def _checked_header(about: Any) -> dict[str, Any]:
    if not isinstance(about, dict) or about.get("kind") != KIND:
        raise ValueError("no header of a trajectory")
    if about.get("version") != VERSION:
        raise ValueError(f"version {about.get('version')!r} of the format, here is {VERSION}")
    for key in ("parameters", "statistics", "joints"):
        if not isinstance(about[key], dict):
            raise ValueError(f"{key} in the header is no table")
    for key in (*NAMES, "notes"):
        if not isinstance(about[key], list) or not all(isinstance(x, str) for x in about[key]):
            raise ValueError(f"{key} in the header are no names")
    check_known("forces between samples:", about["between"], (HELD, LINEAR))
    return about


def _system(about: dict[str, Any]) -> Any:
    if about["mechanism"] is not None:
        system = loads_toml(str(about["mechanism"]), 0.0, "the mechanism in the file")
        if [*system.coordinate_names] != about["coordinate_names"]:
            raise ValueError("the mechanism in the file has other coordinates than its header")
        return system
    names = {key: tuple(about[key]) for key in NAMES}
    slices = {k: (slice(a, b), slice(c, d)) for k, (a, b, c, d) in about["joints"].items()}
    return NamesOnly(str(about["name"]), **names, joint_slices=slices, digest=about["digest"])


def _the_same(about: dict[str, Any], system: Any) -> Any:
    if about["digest"] is None or system_digest(system) == about["digest"]:
        return system
    raise ArgumentError(
        f"the trajectory was made with another system than the one given, {system.name!r}: it was "
        f"{about['name']!r} with the digest {about['digest'][:12]}, this one has "
        f"{str(system_digest(system))[:12]}; without system= that of the file is taken"
    )


def _read_npz(file: Path) -> tuple[str, Arrays]:
    with np.load(file, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    header = arrays.pop("header").tobytes().decode()
    return header, {k: arrays[k] for k in ("t", "q", "v", "tau") if k in arrays}


def _read_csv(file: Path) -> tuple[str, Arrays]:
    with open(file, encoding="utf-8", newline="") as stream:
        first = stream.readline()
        if not first.startswith("# {"):
            raise ValueError("the first line is no header")
        about = _checked_header(json.loads(first[2:]))
        titles = next(csv.reader([stream.readline()]))
        rest = stream.read()
    if not rest.strip():
        raise ValueError("there are no samples")
    numbers = np.loadtxt(io.StringIO(rest), delimiter=",", ndmin=2)
    nq, nv = len(about["coordinate_names"]), len(about["velocity_names"])
    is_batch = titles[:1] == ["run"]
    names = (*about["coordinate_names"], *about["velocity_names"])
    forces = tuple(f"tau_{x}" for x in about["motion_names"])
    acting = len(titles) > 1 + is_batch + nq + nv
    if titles != _titles((*names, *(forces if acting else ())), is_batch):
        raise ValueError("columns are not those that the header names")
    lanes = 1
    if is_batch:
        lanes = int(numbers[-1, 0]) + 1
        count = len(numbers) // lanes
        if not np.array_equal(numbers[:, 0], np.repeat(np.arange(lanes), count)):
            raise ValueError("trajectories do not stand one after the other")
        numbers = numbers[:, 1:]
    rows = numbers.reshape(lanes, -1, numbers.shape[1])
    if not all(np.array_equal(rows[0, :, 0], x[:, 0]) for x in rows):
        raise ValueError("trajectories of a batch have the same times")
    parts = dict(
        zip(("q", "v", "tau"), np.split(rows[..., 1:], [nq, nq + nv], axis=-1), strict=True)
    )
    arrays = {k: x if is_batch else x[0] for k, x in parts.items() if k != "tau" or acting}
    return first[2:], {"t": rows[0, :, 0], **arrays}


def _read_nc(file: Path) -> tuple[str, Arrays]:
    (xr,) = wanted("loading .nc", "data", "xarray")
    with xr.open_dataset(file, engine="h5netcdf") as stored:
        dataset = stored.load()
    arrays = {k: dataset[k].values for k in ("q", "v", "tau") if k in dataset}
    return str(dataset["header"].item()), {"t": dataset["time"].values, **arrays}


def _path(verb: str, path: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"{verb} takes the path of a file, got {type(path).__name__}")
    file = Path(path)
    if file.suffix.lower() not in SUFFIXES:
        raise ArgumentError(
            f"{verb}: the suffix says the format, {', '.join(SUFFIXES)}; got {file.suffix!r}"
        )
    return file

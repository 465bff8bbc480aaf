"""Trajectories from files, whoever may have changed them: what is no trajectory is refused."""

from __future__ import annotations

import csv
import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from visviva.describe.files.toml.read import loads_toml
from visviva.errors import ArgumentError, ReadError, check_known
from visviva.extras import require
from visviva.foreign import explained
from visviva.motion.record import RESULT, SUFFIX, Record
from visviva.motion.samples.between import hermite
from visviva.motion.samples.forces import HELD, LINEAR
from visviva.motion.samples.occurrences import Events
from visviva.motion.saving import (
    KIND,
    NAMES,
    SUFFIXES,
    VERSION,
    NamesOnly,
    file_path,
    system_digest,
    titles,
)
from visviva.motion.trajectory import Trajectory
from visviva.motion.unpacking import check_unpacked, npz_arrays

UNREADABLE = (
    OSError, ValueError, KeyError, TypeError, EOFError, AttributeError, IndexError, RuntimeError,
    NotImplementedError, MemoryError, zipfile.BadZipFile, zlib.error, csv.Error,
)  # fmt: skip
COMMON_TIMES = 201  # of an unfinished batch whose motions have steps of their own
Arrays = dict[str, Any]  # t, q, v and tau


@explained
def load_trajectory(path: str | os.PathLike[str], *, system: Any = None) -> Trajectory:
    """A trajectory from a file that `Trajectory.save` wrote: `.nc`, `.csv` or `.npz`.

    Or from a folder `.run` that `simulate(record=…)` wrote: of a run that is unfinished, what is
    there, with a note. The system is made of the text in the file; `system` is taken instead if it
    is given, and must be the one that the trajectory was made with.
    """
    if isinstance(path, (str, os.PathLike)) and Path(path).suffix == SUFFIX:
        if not (Path(path) / RESULT).is_file():
            return _unfinished(Path(path), system)
        path = Path(path) / RESULT
    file = file_path("load_trajectory", path)
    read = {".nc": _read_nc, ".csv": _read_csv, ".npz": _read_npz}[file.suffix.lower()]
    if not file.is_file():
        raise ReadError(f"{file}: there is no such file")
    if file.suffix.lower() == ".nc":
        require("loading .nc", "h5py")
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
            events=_events(about, arrays),
            holding=about.get("holding"),
            carried=about.get("carried"),
        )


def _events(about: dict[str, Any], arrays: Arrays) -> Events:
    """What happened; files of motions without events say nothing of them."""
    nq, nv, q = len(about["coordinate_names"]), len(about["velocity_names"]), arrays["q"]
    rows = len(q) if q.ndim == 3 else 1
    return Events.from_dict(about["events"], nq, nv, rows) if "events" in about else Events()


def _unfinished(folder: Path, system: Any) -> Trajectory:
    """What there is of a run that was not finished."""
    if not folder.is_dir():
        raise ReadError(f"{folder}: there is no such folder")
    record = Record.read(folder)
    arrays, state = record.arrays(), record.state() or {}
    with _refused(folder):
        about = _checked_header(record.header["trajectory"])
        made = _system(about) if system is None else None
    made = _the_same(about, system) if made is None else made
    with _refused(folder):
        t, q, v, tau = arrays["t"], arrays["q"], arrays["v"], arrays.get("tau")
        if "row" in arrays:
            many = [np.flatnonzero(arrays["row"] == i) for i in range(max(arrays["row"]) + 1)]
            if tau is not None and record.header["between"] == HELD:
                for own in many:  # a step has the forces that are held until its end
                    tau[own[:-1]] = tau[own[1:]]
            if record.header["motions"] != "one":
                t, q, v, tau = _at_common_times(made, arrays, many)
        said: dict[str, Any] = {k: record.header.get(k) for k in ("rtol", "atol", "dt")}
        said["method"] = str(state.get("method", record.header["method"]))
        return Trajectory(
            made,
            t,
            q,
            v,
            tau=tau,
            between=record.header["between"],
            parameters=about["parameters"],
            statistics={k: x for k, x in said.items() if x is not None},
            notes=(
                f"the run is unfinished: this is its record until t = {t[-1]:.9g} s, and the same "
                "call of simulate goes on with it",
            ),
        )


def _at_common_times(system: Any, arrays: Arrays, own: Any) -> tuple[Any, Any, Any, Any]:
    """Motions of a batch, each of which has `own` steps, by cubics between them."""
    last = min(arrays["t"][k][-1] for k in own)
    t = np.linspace(arrays["t"][own[0]][0], last, COMMON_TIMES)
    states = [hermite(system, *(arrays[x][k] for x in "tqv"))(t) for k in own]
    q, v = (np.stack(x) for x in zip(*states, strict=True))
    if "tau" not in arrays:
        return t, q, v, None
    forces = [arrays["tau"][k][np.searchsorted(arrays["t"][k], t, side="right") - 1] for k in own]
    return t, q, v, np.stack(forces)


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
    arrays = npz_arrays(file)
    header = arrays.pop("header").tobytes().decode()
    return header, {k: arrays[k] for k in ("t", "q", "v", "tau") if k in arrays}


def _read_csv(file: Path) -> tuple[str, Arrays]:
    with open(file, encoding="utf-8", newline="") as stream:
        first = stream.readline()
        if not first.startswith("# {"):
            raise ValueError("the first line is no header")
        about = _checked_header(json.loads(first[2:]))
        named = next(csv.reader([stream.readline()]))
        rest = stream.read()
    if not rest.strip():
        raise ValueError("there are no samples")
    numbers = np.loadtxt(io.StringIO(rest), delimiter=",", ndmin=2)
    nq, nv = len(about["coordinate_names"]), len(about["velocity_names"])
    is_batch = named[:1] == ["run"]
    names = (*about["coordinate_names"], *about["velocity_names"])
    forces = tuple(f"tau_{x}" for x in about["motion_names"])
    acting = len(named) > 1 + is_batch + nq + nv
    if named != titles((*names, *(forces if acting else ())), is_batch):
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
    """By h5py alone: netCDF is HDF5, and what was damaged is refused there without noise."""
    (h5,) = require("loading .nc", "h5py")
    with h5.File(file, "r") as stored:
        kept = {"t": "time", "header": "header"} | {k: k for k in ("q", "v", "tau") if k in stored}
        check_unpacked(file, sum(stored[name].nbytes for name in kept.values()))
        arrays = {k: stored[name][...] for k, name in kept.items()}
        return arrays.pop("header").tobytes().decode(), arrays

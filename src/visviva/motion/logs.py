"""Trajectories from tables and logs that others wrote: DataFrame, CSV, Parquet, ROS 2 bags, MCAP.

Nothing is guessed: the caller says the unit of time, and columns go by names of joints. What is
computed, as velocities that a log lacks or samples at other times, stands in the notes.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.errors import (
    ArgumentError,
    ReadError,
    ShapeError,
    UnknownNameError,
    VisvivaError,
    check_known,
)
from visviva.extras import require
from visviva.machine.run.call import Array
from visviva.motion.bags import bag_columns
from visviva.motion.samples.checks import check_times
from visviva.motion.samples.forces import LINEAR
from visviva.motion.trajectory import Trajectory
from visviva.motion.unpacking import check_unpacked

if TYPE_CHECKING:
    import pyarrow as pyarrow

UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}  # how many are a second
UNIT_LENGTH = 1e-3  # how far a quaternion may be off length one: logs have few digits
ROWS_AT_ONCE = 65_536  # samples whose slopes are computed at once
Pattern = str | Mapping[str, str]  # titles of columns: "{}_vel" of names, or a table by names


@dataclass(frozen=True)
class SameName:
    """What stands for columns that have the same name: none of them is the one that is meant."""

    count: int


def columns_by_name(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Columns by their names, which a table may have more than once."""
    columns: dict[str, list[Any]] = {}
    for name, column in pairs:
        columns.setdefault(name, []).append(column)
    return {k: x[0] if len(x) == 1 else SameName(len(x)) for k, x in columns.items()}


def csv_columns(path: Path, topic: str) -> Mapping[str, Any]:
    """Columns of a CSV file, names in its first line; lines that begin with # are comments."""
    with open(path, encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(x for x in stream if not x.startswith("#"))
        names = [x.strip() for x in next(reader, [])]
        rows = [x for x in reader if x]
    for k, row in enumerate(rows):
        if len(row) != len(names):
            raise ValueError(f"row {k} has {len(row)} entries, the first line {len(names)} names")
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return columns_by_name(zip(names, columns, strict=True))


def parquet_columns(path: Path, topic: str) -> Mapping[str, Any]:
    """Columns of a Parquet file, by pyarrow."""
    (parquet,) = require("reading Parquet", "pyarrow.parquet")
    file = parquet.ParquetFile(path)
    check_unpacked(path, 8 * file.metadata.num_rows * file.metadata.num_columns)
    table = file.read()
    names = enumerate(table.column_names)
    return columns_by_name((name, table.column(k).to_numpy()) for k, name in names)


@dataclass(frozen=True)
class Source:
    """How a kind of log is read, and the titles that its columns have unless others are stated."""

    columns: Callable[[Path, str], Mapping[str, Any]]
    time: str = ""
    unit: str = ""
    q: str = "{}"
    v: str = ""  # where empty: the names of velocities in a trajectory, thetad, qd1
    tau: str = "tau_{}"


BAG = Source(bag_columns, "stamp", "ns", "{}.position", "{}.velocity", "{}.effort")
TABLE = Source(csv_columns)
SOURCES = {".csv": TABLE, ".parquet": Source(parquet_columns), ".mcap": BAG, ".db3": BAG}


def from_table(
    model: Any,
    table: Any,
    time: str,
    unit: str,
    q: Pattern,
    v: Pattern | None,
    tau: Pattern | None,
    dt: float | None,
    window: int,
    topic: str,
) -> Trajectory:
    """What `Trajectory.from_table` says."""
    source, columns = _columns_of(table, topic)
    notes: list[str] = []
    titles = {"q": _titles("q", q or source.q, model.coordinate_names)}
    velocities = source.v or dict(zip(model.motion_names, model.velocity_names, strict=True))
    for name, pattern, default in (("v", v, velocities), ("tau", tau, source.tau)):
        usual = _titles(name, default, model.motion_names) if pattern is None else []
        if pattern or any(x in columns for x in usual):
            titles[name] = _titles(name, pattern or default, model.motion_names)
    time = time or source.time
    for title in (time, *(x for names in titles.values() for x in names)):
        if title not in columns:
            raise UnknownNameError("column", title, columns)
        if isinstance(columns[title], SameName):
            raise ArgumentError(
                f"{columns[title].count} columns have the name {title!r}: rename them"
            )
    if source is BAG:
        columns = _rows_with_all_joints(columns, titles["q"], notes)
    t = _seconds(time, columns[time], unit or source.unit, notes)
    values: dict[str, Any] = {
        k: _number_columns(names, columns, len(t)) for k, names in titles.items()
    }
    values["q"] = _valid_positions(model, values["q"], notes)
    if "v" not in values:
        values["v"] = _velocities_of_slopes(model, t, values["q"], window)
        width = np.median(t[window - 1 :] - t[: len(t) - window + 1])
        notes.append(
            f"the log has no velocities: they are slopes of parabolas by least squares through "
            f"{window} samples ({width:.3g} s) of q, the filter of Savitzky and Golay"
        )
    run = Trajectory(model, t, **values, between=LINEAR, notes=tuple(notes))
    return run if dt is None else _resample(run, dt)


def _columns_of(table: Any, topic: str) -> tuple[Source, Mapping[str, Any]]:
    """The kind of a table or a file, and its columns by title."""
    if not isinstance(table, (str, os.PathLike)):
        names = table if isinstance(table, Mapping) else getattr(table, "columns", None)
        if names is None:
            raise ArgumentError(f"from_table takes a DataFrame or a file, got {table!r:.80}")
        index = getattr(table, "index", None)  # of pandas
        title = getattr(index, "name", None)
        index_column = {} if title is None else {str(title): index}
        return TABLE, index_column | columns_by_name((str(x), table[x]) for x in names)
    path = Path(table)
    source = BAG if path.is_dir() else SOURCES.get(path.suffix.lower())
    if source is None:
        suffixes = f"{', '.join(SOURCES)} and folders of bags"
        raise ReadError(f"{path}: from_table reads {suffixes}, not {path.suffix!r}")
    try:
        return source, source.columns(path, topic)
    except VisvivaError:
        raise
    except (OSError, ValueError, csv.Error) as problem:
        raise ReadError(f"{path}: cannot be read: {problem!s:.300}") from None


def _titles(argument: str, pattern: Pattern, names: tuple[str, ...]) -> list[str]:
    """The titles of the columns of these names."""
    if isinstance(pattern, str):
        titles = [pattern.replace("{}", x) for x in names]
        if len({*titles}) < len(titles):
            raise ArgumentError(
                f"{argument}={pattern!r} has the same column for {', '.join(names)}: write {{}} "
                "where their names are"
            )
        return titles
    if not isinstance(pattern, Mapping):
        raise ArgumentError(
            f"{argument}= is a pattern, '{{}}_pos', or a table of columns by names; "
            f"got {pattern!r:.80}"
        )
    for available, names_needed in ((names, pattern), (pattern, names)):
        for name in names_needed:
            check_known("name in the table of columns:", name, available)
    return [pattern[x] for x in names]


def _rows_with_all_joints(columns: Mapping[str, Any], titles: list[str], notes: list[str]) -> Any:
    """The messages of a bag that have all joints; a message may have some of them only."""
    keep: Any = ~np.isnan(np.stack([columns[x] for x in titles])).any(axis=0)
    if not keep.all():
        count = len(keep) - keep.sum()
        notes.append(f"{count} of {len(keep)} messages have not all joints, and are left out")
    return {k: x[keep] for k, x in columns.items()}


def _array(title: str, column: Any) -> Array:
    """A column (n,) of what it holds; nothing in it is masked or complex."""
    kind = getattr(column, "dtype", None)
    has_zone = getattr(kind, "kind", "") == "M" and not isinstance(kind, np.dtype)  # of pandas
    x: Array = np.asarray(column, dtype="M8[ns]" if has_zone else None)
    if x.ndim != 1:
        raise ShapeError(f"column {title!r} has one number in each row; got shape {x.shape}")
    if x.dtype.kind == "c":
        raise ArgumentError(f"column {title!r} holds complex numbers; expected real ones")
    if np.ma.is_masked(column):
        raise ArgumentError(
            f"column {title!r} has entries that are masked: fill them or leave these rows out"
        )
    return x


def _seconds(title: str, column: Any, unit: str, notes: list[str]) -> Array:
    """Times from the first sample on, in seconds; whole numbers are subtracted exactly."""
    x = _array(title, column)
    if x.dtype.kind in "Mm":
        if unit:
            raise ArgumentError(f"column {title!r} has dates, whose unit is known: leave unit= out")
        x, unit = _nanoseconds(title, x), "ns"
    check_known(f"unit= of the time column {title!r}:", unit, UNITS)
    try:
        x = x.astype(np.int64 if x.dtype.kind in "ui" or _are_whole_numbers(x) else float)
    except (TypeError, ValueError, OverflowError) as problem:
        raise ArgumentError(f"column {title!r} is no time: {problem!s:.100}") from None
    t = np.asarray((x - x[:1]) / UNITS[unit])
    try:
        check_times(t)
    except (ArgumentError, ShapeError) as problem:
        raise ArgumentError(f"column {title!r}, from its first value on in s: {problem}") from None
    if x[0]:
        notes.append(f"t = 0 s is {x[0]} {unit} of {title!r}")
    return t


def _nanoseconds(title: str, dates: Array) -> Array:
    """Dates, or durations, as whole numbers, where these say the same."""
    x = dates.astype(f"{dates.dtype.kind}8[ns]")
    if (errors := x.astype(dates.dtype) != dates).any():  # NaT is unlike itself
        raise ArgumentError(
            f"column {title!r} has times that 64 bits of nanoseconds have not, the first is "
            f"{dates[errors][0]}"
        )
    return x.astype(np.int64)


def _are_whole_numbers(x: Any) -> bool:
    """Whether texts or objects are whole numbers, for which floats may have too few digits."""
    if x.dtype.kind == "O":
        return all(isinstance(i, int) for i in x)
    return x.dtype.kind == "U" and bool(np.char.isdigit(np.char.lstrip(x, "-")).all())


def _number_columns(titles: list[str], columns: Mapping[str, Any], count: int) -> Array:
    """Columns beside each other, all of whose numbers are finite."""
    values = np.empty((count, len(titles)))
    for k, title in enumerate(titles):
        column = _array(title, columns[title])
        if len(column) != count:
            raise ShapeError(
                f"column {title!r} has {len(column)} numbers, and there are {count} times"
            )
        try:
            values[:, k] = column.astype(float)
        except (TypeError, ValueError) as problem:
            message = f"column {title!r} is no column of {count} numbers: {problem!s:.100}"
            raise ArgumentError(message) from None
        rows = np.flatnonzero(~np.isfinite(values[:, k]))
        if len(rows):
            raise ArgumentError(
                f"column {title!r} has {len(rows)} numbers that are not finite, the first in row "
                f"{rows[0]}: fill them or leave these rows out, as frame.interpolate() and "
                "frame.dropna() do"
            )
    return values


def _valid_positions(model: Any, q: Array, notes: list[str]) -> Array:
    """Positions with quaternions of length one, and angles that go on where they wrapped."""
    for joint, k in model.quaternions:
        lengths = np.linalg.norm(q[:, k : k + 4], axis=1)
        row = int(np.abs(lengths - 1.0).argmax())
        if not abs(lengths[row] - 1.0) <= UNIT_LENGTH:
            raise ArgumentError(
                f"joint {joint!r} has a quaternion (x, y, z, w) of length one, got "
                f"{lengths[row]:.6g} in row {row}"
            )
        q[:, k : k + 4] /= lengths[:, None]
        notes.append(f"quaternions of {joint!r} made of length one, {lengths[row]:.9g} at worst")
    is_angle = np.array(model.coordinate_units) == "rad"
    is_endless = is_angle & np.isinf(model.lower) & np.isinf(model.upper)
    is_wrapped = np.ptp(q, axis=0) <= 2 * np.pi + UNIT_LENGTH  # beyond a turn, turns are counted
    angles = np.where(is_endless & is_wrapped, np.unwrap(q, axis=0), q)
    columns = zip(model.coordinate_names, (angles != q).any(axis=0), strict=True)
    if jumps := [name for name, has_jumps in columns if has_jumps]:
        notes.append(f"{', '.join(jumps)} jumped by more than π between samples: turns are added")
    return angles


def slopes(t: Array, x: Array, window: int) -> Array:
    """ẋ (n, k) at all samples of x (n, k): of parabolas by least squares through `window` samples.

    Where samples are even these are Savitzky and Golay's. At both ends windows are one-sided.
    """
    n = len(t)
    if not isinstance(window, (int, np.integer)) or not 3 <= window <= n or window % 2 == 0:
        raise ArgumentError(f"window= is an odd number of samples, 3 up to {n}; got {window!r}")
    result = np.empty(x.shape)
    for first in range(0, n, ROWS_AT_ONCE):
        rows = np.arange(first, min(first + ROWS_AT_ONCE, n))
        near = np.clip(rows - window // 2, 0, n - window)[:, None] + np.arange(window)
        s = t[near] - t[rows, None]
        width = np.abs(s).max(axis=1, keepdims=True)
        powers = (s / width)[..., None] ** np.arange(3)
        weights = np.linalg.pinv(powers)[:, 1] / width
        result[rows] = np.einsum("nw,nwk->nk", weights, x[near] - x[rows, None])
    return result


def _velocities_of_slopes(model: Any, t: Array, q: Array, window: int) -> Array:
    """Velocities from slopes of positions; q and -q are one rotation, so their signs follow on."""
    for _, k in model.quaternions:
        x = q[:, k : k + 4]
        flips = np.where((x[1:] * x[:-1]).sum(axis=1) < 0, -1.0, 1.0)
        x[1:] *= np.cumprod(flips)[:, None]
    rates = slopes(t, q, window)
    if not model.charts:
        return rates
    v = np.empty((len(t), model.nv))
    for name, (i, j) in model.joint_slices.items():
        joint = model.bodies[model.joint_index(name)].joint
        pairs = zip(q[:, i], rates[:, i], strict=True)
        v[:, j] = rates[:, i] if joint.has_rates else [joint.velocity(*x) for x in pairs]
    return v


def fitted_acceleration(run: Trajectory, window: int) -> Array:
    """Accelerations as slopes of v, by `window` samples."""
    lanes = run.v if run.is_batch else run.v[None]
    a = np.stack([slopes(run.t, v, window) for v in lanes])
    return a if run.is_batch else np.asarray(a[0])


def _resample(run: Trajectory, dt: float) -> Trajectory:
    """The same motion, `dt` apart."""
    end = run.t[-1]
    if not isinstance(dt, (int, float, np.number)) or not 0 < dt <= end:
        raise ArgumentError(f"dt= is a time in seconds, up to that of the log, {end:g}; got {dt!r}")
    t = np.asarray(dt * np.arange(int(end / dt * (1 + 1e-12)) + 1), dtype=float)
    t[-1] = min(t[-1], end)
    q, v = run.at(t)
    tau = run.tau
    if tau is not None:
        tau = np.stack([np.interp(t, run.t, x) for x in tau.T], axis=1)
    gaps = np.diff(run.t)
    note = (
        f"{len(t)} samples {dt:g} s apart, from {len(run.t)} that are {gaps.min():.4g} to "
        f"{gaps.max():.4g} s apart: positions by cubics, velocities theirs, forces on straight "
        "lines; no filter before"
    )
    return replace(run, t=t, q=q, v=v, tau=tau, notes=(*run.notes, note))

"""Runs that are written as they go, and go on after the last block that was written.

Steps of visviva do not depend on where blocks end: a run is, bit by bit, what it would be without
being recorded. A run that goes on begins as every other, and takes from its record what is there:
the states that were kept, and the state of the loop after the last of them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, MotionError, ReadError, WriteError
from visviva.extras import require
from visviva.machine.run.call import Array
from visviva.machine.run.passes import Running
from visviva.motion.record import HEADER, RESULT, SUFFIX, Record, run_folder
from visviva.motion.saving import SUFFIXES
from visviva.motion.simulation.identity import acting
from visviva.motion.simulation.integrate import Integrator, Nodes, adaptive_nodes, joined
from visviva.motion.simulation.task import Task
from visviva.motion.trajectory import Trajectory

PAUSE = 1.0  # seconds from block to block: what is lost at most
NUMBERS = 4_000_000  # of a block
FIRST = 256  # steps of the first block, before it is known how long they take
STATE_NAMES = ("t", "q", "v", "x")


class Recording:
    """The record of one run, of which there may be a part already; `path` as `simulate` has it."""

    def __init__(self, path: str | os.PathLike[str], header: Mapping[str, Any], task: Task) -> None:
        self.folder, self.file = places_of(path)
        self.header, self.task = header, task
        self._record: Record | None = None
        self.state: dict[str, Any] = {}  # after the last block
        self._waiting: list[dict[str, Array]] = []
        self._after: dict[str, Any] = {}  # the state after the last of them
        self._since = time.perf_counter()
        if (self.folder / HEADER).exists():
            self._record = Record.resume(self.folder, header, with_states=True)
            self.state = self._record.state() or {}

    @property
    def is_begun(self) -> bool:
        """Whether there are blocks."""
        return bool(self.state)

    @property
    def method(self) -> str:
        """The method that the blocks are of, where there are some."""
        return str(self.state["method"]) if self.state else ""

    # ---- blocks

    def append(
        self, t: Array, q: Array, v: Array, extra: Mapping[str, Any], state: Mapping[str, Any]
    ) -> None:
        """A block and the state after it."""
        if self._record is None:
            self._record = Record.create(self.folder, self.header)
        self._record.append(t, q, v, extra, state)
        self._since = time.perf_counter()

    def arrays(self) -> dict[str, Array]:
        """What is there, by name; nothing where there are no blocks."""
        return {} if self._record is None or not len(self._record) else self._record.arrays()

    @cached_property
    def _been(self) -> _Been:
        return _Been(self.arrays())

    @property
    def _is_due(self) -> bool:
        return time.perf_counter() - self._since >= PAUSE

    # ---- steps of given length

    def fixed(
        self,
        integrator: Integrator,
        run: Running,
        steps: int,
        every: int,
        t: Array,
        threads: int,
        told: Callable[[int], None],
    ) -> dict[str, Array]:
        """All steps, block after block: what was kept of them, (rows, saves, …) by name.

        Where a state is not finite no more steps are done.
        """
        if self.state:
            run.go_on_from(self.state)
        size = run.rows * sum(run.ports[k].size for k in run.keep)
        most = max(NUMBERS // max(size, 1), 1) * every
        length, finite = min(FIRST, most), bool(np.isfinite(run.values["q"]).all())
        while run.done_passes < steps and finite:
            done = run.done_passes
            last, first = min(steps, done + length), done // every + (done > 0)
            run.keep_every(every, last // every + 1 - first, first)
            began = time.perf_counter()
            run.advance(last, threads)
            taken = time.perf_counter() - began
            finite = self._keep(integrator, run, t[first : last // every + 1])
            length = min(2 * length, most) if taken < PAUSE / 2 else length
            length = max(length // 2, 1) if taken > PAUSE else length
            told(last)
        return {k: x if self.task.is_batch else x[None] for k, x in self.arrays().items()}

    def _keep(self, integrator: Integrator, run: Running, t: Array) -> bool:
        """Write what a run kept; whether all of it is finite."""
        kept, task = dict(run.history), self.task
        if "tau" not in kept:
            tau = self._forces_at(integrator, t, kept)
            kept |= {} if tau is None else {"tau": tau}
        own = kept if task.is_batch else {k: x[0] for k, x in kept.items()}
        q, v = own.pop("q"), own.pop("v")
        self.append(t, q, v, own, {"method": integrator.method, **run.snapshot()})
        return bool(np.isfinite(q).all() and np.isfinite(v).all())

    def _forces_at(
        self, integrator: Integrator, t: Array, kept: Mapping[str, Array]
    ) -> Array | None:
        task, n = self.task, self.task.rows
        rows = np.repeat(np.arange(n), len(t))
        at = {k: kept[k].reshape(len(rows), kept[k].shape[-1]) for k in ("q", "v", "x")}
        at["t"] = np.tile(t, n)
        if task.table is not None:
            name = next(iter(task.flow.law.inputs))
            now = task.steps()(t)
            at[name] = now.reshape(len(rows), now.shape[-1])
        tau = acting(task, integrator, rows, at)
        return None if tau is None else tau.reshape(n, len(t), tau.shape[-1])

    # ---- steps as long as their error allows

    def nodes(
        self,
        piece: int,
        integrator: Integrator,
        run: Running,
        start: Mapping[str, Array],
        given: Mapping[str, Array],
        most: int,
        threads: int,
        told: Callable[[Running], None],
        may_write: bool,
    ) -> list[Nodes]:
        """`adaptive_nodes` of a piece, those of the record first; new ones are written."""
        before = self._recorded(piece, run, start)
        if before is None and piece == 0 and not self._waiting:
            self._wait(integrator, 0, given, np.arange(run.rows), start, run.passes)

        def written(run: Running) -> None:
            row, at = np.nonzero(np.arange(run.room) < run.kept[:, None])
            new = {k: run.history[k][row, at] for k in STATE_NAMES}
            if len(row):
                self._wait(integrator, piece, given, row, new, run.passes[row])
            self._after = {"method": integrator.method, "piece": piece, **run.snapshot()}
            many = sum(x.size for part in self._waiting for x in part.values())
            if may_write and (self._is_due or many > NUMBERS):
                self.write()

        now = start if before is None else run.state
        more = adaptive_nodes(run, now, most, threads, told, written)
        return (
            more if before is None else [joined([a, b]) for a, b in zip(before, more, strict=True)]
        )

    def _wait(
        self,
        integrator: Integrator,
        piece: int,
        given: Mapping[str, Array],
        row: Any,
        new: Mapping[str, Array],
        passes: Any,
    ) -> None:
        part = {k: np.array(new[k]).reshape(len(row), -1) for k in STATE_NAMES}
        part["t"] = part["t"][:, 0]
        now = {k: x[row] for k, x in given.items()}
        tau = acting(self.task, integrator, row, {**now, **part})
        part |= {} if tau is None else {"tau": tau}
        counts = {"row": row, "piece": np.full(len(row), piece), "passes": np.array(passes)}
        self._waiting.append(part | {k: x.astype(np.int64) for k, x in counts.items()})

    def write(self) -> None:
        """A block of the steps that wait."""
        if not self._waiting:
            return
        block = {k: np.concatenate([x[k] for x in self._waiting]) for k in self._waiting[0]}
        t, q, v = (block.pop(k) for k in "tqv")
        self.append(t, q, v, block, self._after)
        self._waiting = []

    def forget(self) -> None:
        """What waits is not written: another method begins anew."""
        self._waiting, self._after = [], {}

    def _recorded(self, piece: int, run: Running, start: Mapping[str, Array]) -> list[Nodes] | None:
        """The steps of a piece that are in the record, with the run brought to where it was."""
        if not self.state or piece != int(self.state["piece"]):
            return None
        run.go_on_from(self.state)
        found = self._been.nodes(piece, piece + 1, run.rows)[0]
        if piece == 0:  # which has its start among them
            return found
        first = [[start[k][i : i + 1] for k in STATE_NAMES] for i in range(run.rows)]
        return [
            Nodes.from_columns(map(np.concatenate, zip(a, b.columns, strict=True)))
            for a, b in zip(first, found, strict=True)
        ]

    def earlier(
        self, integrator: Integrator, start: Mapping[str, Array], given: Sequence[dict[str, Array]]
    ) -> Earlier | None:
        """All pieces before the last one of the record, at once; None if there are none."""
        count, rows = int(self.state["piece"]) if self.state else 0, self.task.rows
        if not count:
            return None
        been = self._been
        ends = been.bounds(0, count, rows)[1:].reshape(count, rows) - 1
        last = {k: been.arrays[k][ends] for k in (*STATE_NAMES, "passes")}
        begins = {k: np.concatenate([start[k][None], last[k][:-1]]) for k in STATE_NAMES}
        forces: list[dict[str, Array]] = [{}] * count
        if self.task.flow.law.is_sampled:
            flat = {k: x.reshape(count * rows, *x.shape[2:]) for k, x in begins.items()}
            asked = self.task.asked(integrator, flat)
            begins["x"] = asked["x"].reshape(begins["x"].shape)
            forces = [{"tau": tau} for tau in asked["tau"].reshape(count, rows, -1)]
        return Earlier(
            [{**x, **tau} for x, tau in zip(given, forces, strict=False)],
            been.nodes(0, count, rows, {k: x[1:] for k, x in begins.items()}),
            {k: last[k][-1] for k in STATE_NAMES},
            last["passes"].sum(axis=0),
        )

    # ---- the end

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Around a run: whoever ends it is told where its record is."""
        try:
            yield
        except MotionError:
            self.write()
            raise
        except KeyboardInterrupt as end:
            if self._record is not None:
                end.add_note(
                    f"{self.folder} has what was computed, until its last block: the same call "
                    "resumes it, vv.load_trajectory reads it"
                )
            raise

    def finish(self, run: Trajectory) -> Trajectory:
        """The result beside its blocks, or in the file that was asked for."""
        self.write()
        if self._record is None:
            raise ReadError(f"{self.folder}: has no block")
        if self.file is None:
            run.save(self.folder / RESULT)
        else:
            run.save(self.file)
            self._record.remove()
        return run


@dataclass(frozen=True, eq=False)
class Earlier:
    """Pieces of a run that are over: what was given in each, its steps, and what is after them."""

    given: list[dict[str, Array]]
    nodes: list[list[Nodes]]  # of every piece, of every row
    state: dict[str, Array]  # (rows, …)
    passes: Array  # (rows,)


class _Been:
    """The accepted steps of a record, in order of pieces and rows."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        order = np.lexsort((arrays["row"], arrays["piece"]))  # stable: times stay in order
        self.arrays = {k: x[order] for k, x in arrays.items()}

    def bounds(self, first: int, last: int, rows: int) -> Any:
        """Where those of every row in pieces begin, ((last - first) rows + 1,)."""
        place = self.arrays["piece"] * rows + self.arrays["row"]
        return np.searchsorted(place, np.arange(first * rows, last * rows + 1))

    def nodes(
        self, first: int, last: int, rows: int, begins: Mapping[str, Array] | None = None
    ) -> list[list[Nodes]]:
        """Those of every row in pieces; where all but the first begin is known by `begins`."""
        at = self.bounds(first, last, rows)
        whole = {k: self.arrays[k] for k in STATE_NAMES}
        if begins is not None:
            flat = {k: x.reshape(x.shape[0] * rows, *x.shape[2:]) for k, x in begins.items()}
            whole = {k: np.insert(x, at[rows:-1], flat[k], axis=0) for k, x in whole.items()}
            at = at + np.maximum(np.arange(len(at)) - rows, 0)
        edges = pairwise(at.tolist())
        cut = [Nodes.from_columns(whole[k][a:b] for k in STATE_NAMES) for a, b in edges]
        return [cut[k * rows : (k + 1) * rows] for k in range(last - first)]


def places_of(path: Any) -> tuple[Path, Path | None]:
    """The folder of the record, and the file that is made of it at the end."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"simulate: record= is a path, got {type(path).__name__}")
    named = Path(path)
    if named.suffix not in ("", SUFFIX, *SUFFIXES) or not named.stem:
        raise ArgumentError(
            f"simulate: record= is a name, for a folder NAME{SUFFIX} that stays, or a file "
            f"({', '.join(SUFFIXES)}) that is made at the end; got {str(path)!r}"
        )
    if not named.parent.is_dir():
        raise WriteError(f"{named}: cannot be written: there is no folder {named.parent}")
    is_file = named.suffix in SUFFIXES
    if named.suffix == ".nc":
        require("saving .nc", "xarray", "h5netcdf", "h5py")
    return run_folder(named.with_suffix("") if is_file else named), named if is_file else None

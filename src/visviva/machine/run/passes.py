"""A repetition under way: the state of all rows, advanced pass after pass by machine code."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from visviva.errors import ShapeError
from visviva.machine.code.cpu import host
from visviva.machine.code.repeat import FIELDS, Repeat
from visviva.machine.run.call import Array
from visviva.machine.run.kernel import ALIGNMENT, Kernel


class Running:
    """A repetition under way: the state of all rows, and what was kept of it."""

    def __init__(
        self,
        kernel: Kernel,
        states: Sequence[str],
        table_order: Sequence[str],
        keep: Sequence[str],
        flagged: bool,
        values: Mapping[str, Array],
        tables: Mapping[str, Array],
    ) -> None:
        self.kernel, self.states, self.keep, self.flagged = kernel, states, keep, flagged
        self.table_order = table_order
        ports = {port.name: port for port in kernel.inputs}
        shapes = [x.shape[: x.ndim - len(ports[k].shape)] for k, x in values.items()]
        shapes += [x.shape[: x.ndim - len(ports[k].shape) - 1] for k, x in tables.items()]
        try:
            self.batch = np.broadcast_shapes(*shapes)
        except ValueError:
            got = ", ".join(f"{k}: {s}" for k, s in zip([*values, *tables], shapes, strict=True))
            raise ShapeError(
                f"repeat: the leading axes do not broadcast against each other ({got})"
            ) from None
        self.rows, self.done_passes = math.prod(self.batch), 0
        self.ports = ports
        self.values: dict[str, Array] = {}
        for name, x in values.items():
            whole = np.broadcast_to(x, self.batch + ports[name].shape)
            flat = whole.reshape(self.rows, ports[name].size)
            self.values[name] = np.array(flat, order="C") if name in states else flat
        self.tables = {
            name: np.broadcast_to(
                x, self.batch + x.shape[x.ndim - len(ports[name].shape) - 1 :]
            ).reshape(self.rows, -1, ports[name].size)
            for name, x in tables.items()
        }
        self.lanes = host().lanes
        tiles = -(-self.rows // self.lanes)
        self.tile_pass = np.zeros(tiles, dtype=np.int64)
        self.kept, self.resting, self.passes = np.zeros((3, self.rows), dtype=np.int64)
        self.period, self.first, self.room = 0, 0, 0
        self.history: dict[str, Array] = {}

    @property
    def state(self) -> dict[str, Array]:
        """The state now, (..., shape); copies."""
        shapes = {k: self.batch + self.ports[k].shape for k in self.states}
        return {k: self.values[k].reshape(shape).copy() for k, shape in shapes.items()}

    def keep_every(self, period: int, saves: int, first: int = 0) -> None:
        """Make room for states kept after every `period` passes; what stands first is number
        `first`, and number 0 is the start."""
        self.period, self.first = period, first
        self.history = {k: np.empty((self.rows, saves, self.ports[k].size)) for k in self.keep}
        if first == 0:
            for name, x in self.history.items():
                x[:, 0] = self.values[name]

    def make_room(self, room: int) -> None:
        """Make room for so many flagged states of every row; they begin anew."""
        self.room = room
        self.kept[:] = 0
        if not self.history or next(iter(self.history.values())).shape[1] != room:
            self.history = {k: np.empty((self.rows, room, self.ports[k].size)) for k in self.keep}

    def unrolled(self, kept: Array) -> Array:
        """What was kept, with the axes of the batch; of one state."""
        name = next(k for k, x in self.history.items() if x is kept)
        return kept.reshape((*self.batch, kept.shape[1], *self.ports[name].shape))

    def advance(self, last: int, threads: int = 1) -> None:
        """Go on until pass `last`, or until all rows rest or have no room left."""
        if not self.rows or last <= self.done_passes:
            return
        bounds = [self.rows * k // threads // self.lanes * self.lanes for k in range(threads)] + [
            self.rows
        ]
        spans = [(a, b) for a, b in pairwise(bounds) if b > a]
        stop: list[bool] = []
        if len(spans) <= 1:
            self._advance_rows(0, self.rows, last, stop)
        else:
            with ThreadPoolExecutor(len(spans)) as pool:
                try:
                    jobs = [pool.submit(self._advance_rows, a, b, last, stop) for a, b in spans]
                    for job in jobs:
                        job.result()
                finally:
                    stop.append(True)
        if not self.flagged:
            self.done_passes = last

    def _advance_rows(self, first: int, end: int, last: int, stop: Sequence[bool]) -> None:
        """In calls of about a tenth of a second, so that interrupts are heard."""
        span = last - self.done_passes
        budget = max(self.kernel.rows_at_once, self.lanes)
        group = max(budget // span // self.lanes, 1) * self.lanes
        passes = max(budget // self.lanes, 1) if group == self.lanes else span
        space = np.empty(self.kernel.buffer_bytes + ALIGNMENT, dtype=np.uint8)
        aligned = -(-space.ctypes.data // ALIGNMENT) * ALIGNMENT
        call = self.kernel.code.call(Repeat.symbol)
        for row in range(first, end, group):
            rows = min(group, end - row)
            io, control, keep_alive = self._addresses(row)
            tiles = slice(row // self.lanes, -(-(row + rows) // self.lanes))
            while not stop:
                done = int(self.tile_pass[tiles].min())
                control[0] = min(done + passes, last)
                call(rows, ctypes.addressof(io), aligned, ctypes.addressof(control))
                if control[0] >= last or self._waits(row, row + rows):
                    break
            del keep_alive

    def _waits(self, first: int, end: int) -> bool:
        """Whether all of some rows rest, or one has no room left: its tile waits with it."""
        full = self.flagged and bool((self.kept[first:end] >= self.room).any())
        return full or bool((self.resting[first:end] != 0).all())

    def _addresses(self, row: int) -> tuple[Any, Any, Any]:
        """Where the driver finds everything about the rows from `row` on."""
        io: list[int] = []
        for port in self.kernel.inputs:
            x = self.tables[port.name][:, 0] if port.name in self.tables else self.values[port.name]
            io += (x.ctypes.data + row * x.strides[0], *x.strides)
        nowhere = np.zeros(1)
        for port in self.kernel.outputs:
            y = self.values.get(port.name)
            io += (
                (nowhere.ctypes.data, 0, 8)
                if y is None
                else (y.ctypes.data + row * y.strides[0], *y.strides)
            )
        cycle = next((x.shape[1] for x in self.tables.values()), 1)
        numbers = {
            "last": 0,
            "period": self.period or 2**62,
            "first": self.first,
            "cycle": cycle,
            "room": self.room,
            "tile_pass": self.tile_pass.ctypes.data + row // self.lanes * 8,
            "kept": self.kept.ctypes.data + row * 8,
            "resting": self.resting.ctypes.data + row * 8,
            "passes": self.passes.ctypes.data + row * 8,
        }
        control = [numbers[k] for k in FIELDS]
        control += [self.tables[k].strides[1] for k in self.table_order]
        for name in self.keep:
            kept = self.history.get(name, np.empty((1, 1, 1)))
            control += (kept.ctypes.data + row * kept.strides[0], *kept.strides[:2])
        return _packed(io), _packed(control), nowhere


def _packed(numbers: list[int]) -> Any:
    return (ctypes.c_int64 * len(numbers))(*numbers)

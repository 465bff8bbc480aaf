"""A repetition under way: the state of all rows, advanced pass after pass by machine code."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, ShapeError
from visviva.machine.code.cpu import lanes_here
from visviva.machine.code.repeat import FIELDS, Repeat
from visviva.machine.run.call import Array, broadcast, thread_count
from visviva.machine.run.kernel import ALIGNMENT, Kernel, address
from visviva.machine.run.sharing import run_shared

NEVER = 2**62  # passes


class Running:
    """A repetition under way: the state of all rows, and what was kept of it."""

    def __init__(
        self,
        code: Callable[[], Kernel],  # the kernel that is best now
        states: Sequence[str],
        table_order: Sequence[str],
        keep: Sequence[str],
        flagged: bool,
        values: Mapping[str, Array],
        tables: Mapping[str, Array],
    ) -> None:
        self._code, self.kernel = code, (kernel := code())
        self.states, self.keep, self.flagged = states, keep, flagged
        self.table_order = table_order
        ports = {port.name: port for port in kernel.inputs}
        shapes = [x.shape[: x.ndim - len(ports[k].shape)] for k, x in values.items()]
        shapes += [x.shape[: x.ndim - len(ports[k].shape) - 1] for k, x in tables.items()]
        try:
            several = {shape for shape in shapes if shape}
            self.batch = several.pop() if len(several) == 1 else np.broadcast_shapes(*shapes)
        except ValueError:
            got = ", ".join(f"{k}: {s}" for k, s in zip([*values, *tables], shapes, strict=True))
            raise ShapeError(
                f"repeat: the leading axes do not broadcast against each other ({got})"
            ) from None
        self.rows, self.done_passes = math.prod(self.batch), 0
        self.ports = ports
        self.values: dict[str, Array] = {}
        for name, x in values.items():
            flat = broadcast(x, self.batch + ports[name].shape).reshape(self.rows, ports[name].size)
            self.values[name] = np.array(flat, order="C") if name in states else flat
        self.tables: dict[str, Array] = {}
        for name, x in tables.items():
            own = x.shape[x.ndim - len(ports[name].shape) - 1 :]
            whole = broadcast(x, self.batch + own)
            self.tables[name] = whole.reshape(self.rows, own[0], ports[name].size)
        self.lanes = lanes_here()
        tiles = -(-self.rows // self.lanes)
        self.tile_pass = np.zeros(tiles, dtype=np.int64)
        self.kept, self.resting, self.passes = np.zeros((3, self.rows), dtype=np.int64)
        self.period, self.first, self.room = 0, 0, 0
        self.history: dict[str, Array] = {}
        self._found: tuple[Any, Any, Any] | None = None  # addresses of a single tile

    def begin_again(self, values: Mapping[str, Array]) -> None:
        """Another start of as many rows, (..., shape) each, in the place of this one."""
        if values.keys() != self.values.keys():
            raise ArgumentError("repeat: who begins again has all values")
        for name, x in values.items():
            port = self.ports[name]
            flat = broadcast(x, self.batch + port.shape).reshape(self.rows, port.size)
            own = self.values[name]
            if name in self.states or (
                self.rows == 1 and own.flags.writeable and own.flags.owndata
            ):
                own[...] = flat
            else:
                self.values[name] = np.array(flat) if self.rows == 1 else flat
                self._found = None
        for numbers in (self.tile_pass, self.kept, self.resting, self.passes):
            numbers[:] = 0
        self.done_passes = 0

    @property
    def cycle(self) -> int:
        """How many rows the tables have; 1 without tables."""
        return next((x.shape[1] for x in self.tables.values()), 1)

    @property
    def state(self) -> dict[str, Array]:
        """The state now, (..., shape); copies."""
        shapes = {k: self.batch + self.ports[k].shape for k in self.states}
        return {k: self.values[k].reshape(shape).copy() for k, shape in shapes.items()}

    def snapshot(self) -> dict[str, Array]:
        """All that it needs to go on: the state of all rows, and how far rows and tiles are."""
        return {k: self.values[k].copy() for k in self.states} | {
            k: x.copy() for k, x in self._counts().items()
        }

    def go_on_from(self, snapshot: Mapping[str, Array]) -> None:
        """Be where another one of the same loop and start was; what that kept is not here."""
        for name, x in {**{k: self.values[k] for k in self.states}, **self._counts()}.items():
            if name not in snapshot or snapshot[name].shape != x.shape:
                raise ShapeError(f"repeat: {name!r} of a snapshot has shape {x.shape}")
            x[...] = snapshot[name]
        if not self.flagged:
            self.done_passes = int(self.tile_pass.min(initial=NEVER))

    def _counts(self) -> dict[str, Any]:
        """By names that no input has."""
        return {
            "rows at rest": self.resting,
            "passes of rows": self.passes,
            "passes of tiles": self.tile_pass,
        }

    def keep_every(self, period: int, saves: int, first: int = 0) -> None:
        """Make room for states kept after every `period` passes; what stands first is number
        `first`, and number 0 is the start."""
        self.period, self.first = min(period, NEVER), first
        self.history = {k: np.empty((self.rows, saves, self.ports[k].size)) for k in self.keep}
        self._found = None
        if first == 0:
            for name, x in self.history.items():
                x[:, 0] = self.values[name]

    def make_room(self, room: int) -> None:
        """Make room for so many flagged states of every row; they begin anew."""
        self.room = room
        self.kept[:] = 0
        if not self.history or next(iter(self.history.values())).shape[1] != room:
            self.history = {k: np.empty((self.rows, room, self.ports[k].size)) for k in self.keep}
            self._found = None

    def unrolled(self, kept: Array) -> Array:
        """What was kept, with the axes of the batch; of one state."""
        name = next(k for k, x in self.history.items() if x is kept)
        return kept.reshape((*self.batch, kept.shape[1], *self.ports[name].shape))

    def advance(self, last: int, threads: int = 1) -> None:
        """Go on until pass `last`, or until all rows rest or have no room left."""
        threads = min(thread_count("repeat", threads), len(self.tile_pass))
        if last <= self.done_passes:
            return
        if not self.rows or not self.kernel.rows_at_once:  # nothing to compute, however often
            self.done_passes = last
            return
        self._check_room(last)
        bounds = [self.rows * k // threads // self.lanes * self.lanes for k in range(threads)] + [
            self.rows
        ]
        spans = iter([(a, b) for a, b in pairwise(bounds) if b > a])
        stop: list[bool] = []

        def work() -> None:
            for first, end in spans:
                if not stop:
                    self._advance_rows(first, end, last, stop)

        run_shared(work, threads, stop)
        if not self.flagged:
            self._keep_resting(last)
            self.done_passes = last

    def _check_room(self, last: int) -> None:
        """What is kept has a place: machine code writes wherever it is told to."""
        if self.flagged or not self.history:
            return
        saves = next(iter(self.history.values())).shape[1]
        next_kept, last_kept = self.done_passes // self.period + 1, last // self.period
        if last_kept >= next_kept and not self.first <= next_kept <= last_kept < self.first + saves:
            raise ArgumentError(
                f"repeat: passes {self.done_passes} to {last} keep the states numbered {next_kept} "
                f"to {last_kept}; there is room for {saves} from number {self.first} on"
            )

    def _keep_resting(self, last: int) -> None:
        """A tile that rests as a whole ended early: its state is what it would go on to keep."""
        if not self.history or (self.tile_pass >= last).all():
            return
        for tile in np.flatnonzero(self.tile_pass < last):
            rows = slice(tile * self.lanes, (tile + 1) * self.lanes)
            at = max(int(self.tile_pass[tile]) // self.period + 1 - self.first, 0)
            for name, x in self.history.items():
                x[rows, at : last // self.period + 1 - self.first] = self.values[name][rows, None]

    def _advance_rows(self, first: int, end: int, last: int, stop: Sequence[bool]) -> None:
        """In calls of about a tenth of a second, so that interrupts are heard."""
        span = last - self.done_passes
        budget = max(self.kernel.rows_at_once, self.lanes)
        group = max(budget // span // self.lanes, 1) * self.lanes
        passes = max(budget // self.lanes, 1) if group == self.lanes else span
        space = np.empty(self.kernel.buffer_bytes + ALIGNMENT, dtype=np.uint8)
        aligned = -(-address(space) // ALIGNMENT) * ALIGNMENT
        for row in range(first, end, group):
            rows = min(group, end - row)
            found = self._found or self._addresses(row)
            if self.rows <= self.lanes:
                self._found = found
            io, control, keep_alive = found
            tiles = slice(row // self.lanes, -(-(row + rows) // self.lanes))
            while not stop:
                done = int(self.tile_pass[tiles].min())
                control[0] = min(done + passes, last)
                code = self._code().code  # held while it runs
                advance = code.call(Repeat.symbol)
                advance(rows, ctypes.addressof(io), aligned, ctypes.addressof(control))
                # where the tile has not come so far all rest, or one waits for room
                if control[0] >= last or self.tile_pass[row // self.lanes] < control[0]:
                    break
            del keep_alive

    def _addresses(self, row: int) -> tuple[Any, Any, Any]:
        """Where the driver finds everything about the rows from `row` on."""
        io: list[int] = []
        for port in self.kernel.inputs:
            x = self.tables[port.name][:, 0] if port.name in self.tables else self.values[port.name]
            io += (address(x) + row * x.strides[0], *x.strides)
        nowhere = np.zeros(1)
        for port in self.kernel.outputs:
            y = self.values.get(port.name)
            io += (
                (address(nowhere), 0, 8)
                if y is None
                else (address(y) + row * y.strides[0], *y.strides)
            )
        numbers = {
            "last": 0,
            "period": self.period or NEVER,
            "first": self.first,
            "cycle": self.cycle,
            "room": self.room,
            "tile_pass": address(self.tile_pass) + row // self.lanes * 8,
            "kept": address(self.kept) + row * 8,
            "resting": address(self.resting) + row * 8,
            "passes": address(self.passes) + row * 8,
        }
        control = [numbers[k] for k in FIELDS]
        control += [self.tables[k].strides[1] for k in self.table_order]
        for name in self.keep:
            kept = self.history.get(name, np.empty((1, 1, 1)))
            control += (address(kept) + row * kept.strides[0], *kept.strides[:2])
        return _packed(io), _packed(control), nowhere


def _packed(numbers: list[int]) -> Any:
    return (ctypes.c_int64 * len(numbers))(*numbers)

"""Adaptive steps as loops of machine code: a pass for an attempt, or for every stage of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.machine.repetition import Loop
from visviva.machine.run.call import Array
from visviva.machine.run.passes import Running

STATES = ("t", "q", "v", "x")
ROWS_WORTH_COPIES = 256  # rows that repay compiling a copy of the dynamics for every stage
STAGED = 13  # velocities from which on dynamics are so long that a copy for every stage is too much
LONG = 4  # velocities from which on polynomials inside steps are computed stage by stage
REPAYING = 1 << 16  # steps that repay compiling all stages of their polynomials together


@dataclass(frozen=True, eq=False)
class Attempts:
    """A loop of attempts; `registers` are shapes of what passes hand on besides, zeros at first."""

    loop: Loop
    registers: Mapping[str, tuple[int, ...]]
    rows: Array | None = None  # of the tableau, (passes, …), where a pass is a stage

    @property
    def passes(self) -> int:
        """How many make an attempt."""
        return 1 if self.rows is None else len(self.rows)

    def start(self, values: Mapping[str, Any]) -> Running:
        """A run of rows (rows, …) that has not begun; `tolerances` may be one pair for all."""
        arrays = {k: np.asarray(x, dtype=float) for k, x in values.items()}
        arrays |= {k: np.zeros(shape) for k, shape in self.registers.items()}
        return self.loop.begin(arrays, {} if self.rows is None else {"row": self.rows})

    def over(self, run: Running) -> None:
        """A run is no longer needed, nor is anything that it has kept."""
        self.loop.over(run)

"""Positions with closed loops: one coordinate is moved, and the others come along."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from visviva.algebra.arrays import Array
from visviva.machine.function import Function
from visviva.show.laboratory.functions import Functions
from visviva.show.laboratory.start import speeds_of

_MOST, _CLOSED = 40, 1e-12  # steps of Newton's method; what is closed, of the mechanism's size
_LONGEST = 0.15  # rad, or of the size: a slider that is moved farther is followed in pieces


class Closing:
    """Newton's steps onto the constraints on positions, with some velocities left out."""

    def __init__(self, functions: Functions, size: float) -> None:
        self.functions, self.size, self.system = functions, size, functions.system
        self._speeds = speeds_of(self.system)

    @cached_property
    def _close(self) -> Function | None:
        program = self.functions.close()
        return None if program is None else Function("close", program.inputs, lambda: program)

    @property
    def is_needed(self) -> bool:
        """Whether constraints hold positions."""
        return self._close is not None

    def moved(
        self, q: Array, index: int, value: float, parameters: Array, t: float = 0.0
    ) -> Array | None:
        """q with one of its entries at a value, loops closed at t; None where they cannot be."""
        new = np.array(q, dtype=float)
        if not self.is_needed:
            new[index] = value
            return self._unit(new)
        held = self._held(index)
        longest = _LONGEST * (1.0 if self.system.coordinate_units[index] == "rad" else self.size)
        pieces = max(1, int(np.ceil(abs(value - q[index]) / longest)))
        for x in np.linspace(q[index], value, pieces + 1)[1:]:
            new[index] = x
            closed = self.closed(self._unit(new), held, parameters, t)
            if closed is None:
                return None
            new = closed
        return new

    def closed(self, q: Array, held: Array, parameters: Array, t: float = 0.0) -> Array | None:
        """The position near q at which the rows hold, by velocities that are not held."""
        f, nq = self._close, self.system.nq
        if f is None:
            return q
        given = {"held": held, "t": np.asarray(t), "parameters": parameters}
        for _ in range(_MOST):
            out = np.asarray(f(*({**given, "q": q}[k] for k in f.inputs)))
            error = np.abs(out[nq:]).max(initial=0.0)
            if not np.isfinite(error):
                return None
            if error <= _CLOSED * max(self.size, 1.0):
                return q
            q = out[:nq]
        return None

    def _held(self, index: int) -> Array:
        """Velocities that a slider holds: that of its coordinate, or of all of its joint."""
        held = np.zeros(self.system.nv)
        for own, rates in self.system.joint_slices.values():
            if own.start <= index < own.stop:
                one = self._speeds[index]
                held[slice(one, one + 1) if one >= 0 else rates] = 1.0
        return held

    def _unit(self, q: Array) -> Array:
        for _, start in self.system.quaternions:
            size = float(np.linalg.norm(q[start : start + 4]))
            unit = np.array([0.0, 0.0, 0.0, 1.0])
            q[start : start + 4] = q[start : start + 4] / size if size > 1e-9 else unit
        return q

"""From when to when a motion goes, and at which times it is wanted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.errors import ArgumentError
from visviva.machine.run.call import Array

MOST_STEPS = 1e15  # of one motion: more are a slip of the pen
WHOLE_STEPS = 1e-9  # of a step: how far from a whole number of them a duration may be


@dataclass(frozen=True, eq=False)
class Span:
    """From when to when, and the times that were asked for."""

    first: float
    last: float
    samples: Array | None = None

    def steps(self, dt: float, save: int) -> tuple[int, int]:
        """How many steps of length dt it is, and after how many of them a state is kept."""
        count = self._whole("the duration", self.last - self.first, dt)
        every = save
        if self.samples is not None:
            gaps = {self._whole("the time between samples", x, dt) for x in np.diff(self.samples)}
            if len(gaps) > 1 or save != 1:
                raise ArgumentError(
                    "with dt= states are kept after every save-th step: give times equally far "
                    "apart and no save=, or a duration"
                )
            every = gaps.pop()
        if count % every:
            raise ArgumentError(f"simulate: {count} steps are no multiple of save = {every}")
        return count, every

    @staticmethod
    def _whole(what: str, length: float, dt: float) -> int:
        count = round(length / dt) if length / dt < MOST_STEPS else 0
        if not count and length > dt:
            raise ArgumentError(
                f"simulate: {what}, {length:g} s, is {length / dt:.3g} steps of dt = {dt:g} s"
            )
        if count < 1 or abs(count * dt - length) > WHOLE_STEPS * dt * max(count, 1):
            near = length / max(count, 1)
            raise ArgumentError(
                f"simulate: {what}, {length:g} s, is no multiple of dt = {dt:g} s; "
                f"dt = {near:.17g} would be"
            )
        return count


def span_of(t: Any) -> Span:
    """A duration, a pair of times, or an array of three times and more."""
    if type(t) is float and 0.0 < t < math.inf:
        return Span(0.0, t)
    try:
        times = np.asarray(t)
        times = times.astype(float) if times.dtype.kind in "iufO" else np.zeros((0, 0))
    except (TypeError, ValueError):
        times = np.zeros((0, 0))
    if times.ndim > 1 or (times.ndim == 1 and len(times) < 2) or not np.isfinite(times).all():
        raise ArgumentError(
            f"simulate: t is a duration, a pair (start, end) or an array of times; got {t!r:.80}"
        )
    if times.ndim == 0:
        times = np.array([0.0, float(times)])
    if (np.diff(times) <= 0).any():
        raise ArgumentError(f"simulate: times increase, got {t!r:.80}")
    return Span(float(times[0]), float(times[-1]), times if len(times) > 2 else None)

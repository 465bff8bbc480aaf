"""How long a step of the laboratory may be, and how strong what the page adds may be.

All of it is looked at once, in the start position: accelerations, their slopes, and what a unit
of force does to each coordinate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.machine.program.interpret import interpret
from visviva.machine.program.program import Program

_LONGEST = 1e-3  # s
_SHORTEST = 1e-3 / 16  # s; a page that has to go on for ever cannot afford shorter ones
_SMOOTH = 0.1  # of the time in which the fastest small motion turns by a radian: one step
_NEAR = 1e-6  # for differences
_SLOWEST = 1e-4  # rad/s or m/s


@dataclass(frozen=True, eq=False)
class Pace:
    """Accelerations of a program at a start."""

    system: Any
    acceleration: Program
    q: Array
    values: Array  # of the parameters

    def accelerations(self, q: Array, v: Array, tau: Array) -> Array:
        """Of rows of states (rows, nv), at t = 0."""
        rows = len(q)
        given: Mapping[str, Array] = {
            "q": q,
            "v": v,
            "tau": tau,
            "t": np.zeros((rows, 1)),
            "parameters": np.broadcast_to(self.values, (rows, len(self.values))),
        }
        columns = [x for port in self.acceleration.inputs for x in np.asarray(given[port.name]).T]
        with np.errstate(all="ignore"):
            results = interpret(self.acceleration, columns, lambda x: x)
        return np.stack([np.broadcast_to(np.asarray(x, dtype=float), (rows,)) for x in results], 1)

    @cached_property
    def push(self) -> Array:
        """W (nv, nv): what units of force on each coordinate add to all accelerations, at rest."""
        n = self.system.nv
        tau = np.concatenate([np.zeros((1, n)), np.eye(n)])
        a = self.accelerations(np.tile(self.q, (n + 1, 1)), np.zeros((n + 1, n)), tau)
        return np.asarray(np.nan_to_num(a[1:] - a[:1]).T)

    @cached_property
    def rest(self) -> Array:
        """Accelerations (nv,) from rest, without forces."""
        n = self.system.nv
        zero = np.zeros((1, n))
        return np.asarray(self.accelerations(self.q[None], zero, zero)[0])

    def fastest(self, v: Array) -> float:
        """The largest eigenvalue of small motions about the start, in 1/s."""
        n, steps = self.system.nv, np.eye(self.system.nv) * _NEAR
        near = [self.system.integrate(self.q, s * e) for e in steps for s in (1.0, -1.0)]
        q = np.array([*near, *np.tile(self.q, (2 * n, 1))], dtype=float)
        speeds = np.concatenate([np.tile(v, (2 * n, 1)), *([v + e, v - e] for e in steps)])
        a = self.accelerations(q, speeds.reshape(-1, n), np.zeros((4 * n, n)))
        slopes = ((a[::2] - a[1::2]) / (2 * _NEAR)).T
        whole = np.block([[np.zeros((n, n)), np.eye(n)], [slopes[:, :n], slopes[:, n:]]])
        if not np.isfinite(whole).all():
            return 0.0
        return float(np.abs(np.linalg.eigvals(whole)).max(initial=0.0))

    def step(self, v: Array) -> float:
        """Seconds: a thousandth, halved until the fastest small motion is smooth in it."""
        dt, fastest = _LONGEST, self.fastest(v)
        while dt > _SHORTEST and dt * fastest > _SMOOTH:
            dt /= 2
        return dt

    def rounding(self, dry: Any, dt: float) -> Array:
        """Speeds (nv,) below which dry friction is rounded off, as low as steps of dt bear.

        There it is a damper with F / s, whose fastest motion alone may not decay in less than two
        steps: s = 2 dt ρ F Wᵢᵢ, ρ the largest eigenvalue of W with its diagonal scaled to one.
        """
        F, own = np.asarray(dry, dtype=float), np.diag(self.push)
        rubbed = (F > 0) & (own > 0)
        widths = np.maximum(2.0 * dt * self.spread(F) * F * own, _SLOWEST)
        return np.where(rubbed, widths, 0.0)

    def spread(self, dry: Any) -> float:
        """ρ of the joints that rub, of all where none does yet."""
        F, W = np.asarray(dry, dtype=float), self.push
        own = np.diag(W)
        rubbed = ((F > 0) if np.any(F > 0) else np.ones(len(F), dtype=bool)) & (own > 0)
        scaled = W[np.ix_(rubbed, rubbed)] / own[rubbed]
        return float(np.abs(np.linalg.eigvals(scaled)).max()) if rubbed.any() else 1.0

"""The true path between two positions: where the action of a broken line does not change.

The action of a line through q₀ … q_N is a sum over its steps; where its derivatives by the inner
points are zero, the points satisfy the discrete equations of Euler and Lagrange, of second order in
the step. Newton's steps on all of them at once; the matrix is a band.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.errors import ArgumentError, MotionError
from visviva.motion.action.lagrangian import Density, jacobi_metric, lagrangian_of, sampled
from visviva.motion.trajectory import Trajectory
from visviva.solve.rows import finite

if TYPE_CHECKING:
    from visviva.describe.system import System
    from visviva.drawing.figure import Figure

MOST = 60  # of Newton's steps
CONJUGATE = 20.0  # of the squared share of a step: second variations that are none
MOST_POINTS_JUDGED = 4000  # numbers of a path
DONE = 1e-11  # relative to the largest momentum


@dataclass(frozen=True, eq=False, repr=False)
class ActionPath:
    """A stationary path: times (k,), positions q (k, nq), its action.

    `index` counts the directions in which the action is lower beside it: none, and it is a minimum.
    By Morse it is the number of conjugate points before its end.
    """

    system: System
    density: Density
    t: FloatArray
    q: FloatArray
    action: float
    index: int
    energy: float | None = None  # of a path of Maupertuis

    def __post_init__(self) -> None:
        for name in ("t", "q"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @property
    def is_minimum(self) -> bool:
        """Whether every path nearby has more action."""
        return self.index == 0

    @property
    def v(self) -> FloatArray:
        """Velocities (k, nv), of second order as the path is."""
        return np.gradient(self.q, self.t, axis=0, edge_order=2)

    @property
    def trajectory(self) -> Trajectory:
        """The path as a motion."""
        return Trajectory(self.system, self.t, self.q, self.v)

    def beside(self, size: float, wave: int = 1, coordinate: int = 0) -> tuple[FloatArray, float]:
        """A path with the same ends, q + size · sin(wave π s) in one coordinate, and its action."""
        s = np.linspace(0.0, 1.0, len(self.t))
        q = np.array(self.q)
        q[:, coordinate] += size * np.sin(wave * np.pi * s)
        return q, line_action(self.density, self.t, q)

    def plot(self, size: float | None = None) -> Figure:
        """The path among others with the same ends, and the action over their distance."""
        from visviva.motion.action.picture import action_figure

        return action_figure(self, size)

    def __repr__(self) -> str:
        kind = "a minimum" if self.is_minimum else f"a saddle, lower in {self.index} directions"
        what = "least action" if self.energy is None else f"Maupertuis at E = {self.energy:g}"
        span = f"{self.t[-1] - self.t[0]:g} s in {len(self.t) - 1} steps"
        return f"{self.system.name}, path of {what}: {span}, action {self.action:.9g}, {kind}"


def least_action(
    s: Any, q0: Any, q1: Any, t: Any, *, steps: int = 200, guess: Any = None
) -> ActionPath:
    """The path from q0 to q1 in the time t whose action is stationary."""
    times = _grid(t, steps)
    start = _line(s, q0, q1, steps, guess)
    density = lagrangian_of(s)
    q, index = _newton(density, times, start)
    return ActionPath(s, density, times, q, line_action(density, times, q), index)


def maupertuis(
    s: Any, q0: Any, q1: Any, energy: float, *, steps: int = 200, guess: Any = None
) -> ActionPath:
    """The path from q0 to q1 with the energy E along which ∫ p · dq is stationary."""
    (E,) = finite("maupertuis: energy", [energy], 1)
    _check_steps("maupertuis", steps)
    start = _line(s, q0, q1, steps, guess)
    if not np.ptp(start, axis=0).any():
        raise ArgumentError("maupertuis: a path that begins and ends at one position needs guess=")
    density = jacobi_metric(s, float(E))
    share = np.linspace(0.0, 1.0, steps + 1)
    q, index = _newton(density, share, start)
    middle, change = 0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0)
    still = np.zeros(steps)
    twice = 2.0 * sampled(s, "kinetic_energy", middle, change, still)
    V = sampled(s, "potential_energy", middle, change, still)
    if not (V < E).all():
        high = middle[int(np.argmax(V))]
        raise MotionError(f"maupertuis: at q = {high} V is {V.max():.6g}, above E = {E:g}", None)
    dt = np.sqrt(twice / (2.0 * (E - V)))
    action = float(np.sqrt(2.0 * (E - V) * twice).sum())
    return ActionPath(
        s, density, np.concatenate([[0.0], np.cumsum(dt)]), q, action, index, float(E)
    )


def line_action(density: Density, t: Array, q: Array) -> float:
    """Of the broken line through q (k, nq) at times t."""
    return float(np.sum(density.step(q[:-1], q[1:], t[:-1], np.diff(t))))


def _check_steps(what: str, steps: Any) -> None:
    if not isinstance(steps, (int, np.integer)) or isinstance(steps, bool) or steps < 2:
        raise ArgumentError(f"{what}: steps is a whole number from 2 on, got {steps!r}")


def _grid(t: Any, steps: int) -> Array:
    _check_steps("least_action", steps)
    first, last = (0.0, t) if np.ndim(t) == 0 else finite("least_action: t", t, 2)
    (first, last) = finite("least_action: t", [first, last], 2)
    if not first < last:
        raise ArgumentError(f"least_action: t is a duration or a pair (start, end), got {t!r}")
    return np.linspace(first, last, steps + 1)


def _line(s: Any, q0: Any, q1: Any, steps: int, guess: Any) -> Array:
    ends = [finite(f"least_action: q of {s.name!r}", q, s.nq) for q in (q0, q1)]
    share = np.linspace(0.0, 1.0, steps + 1)[:, None]
    if guess is None:
        return np.asarray((1 - share) * ends[0] + share * ends[1])
    given = [guess(float(x)) for x in share[:, 0]] if callable(guess) else guess
    try:
        path = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"least_action: guess is ({steps + 1}, {s.nq}) numbers, or a function of the share of "
            f"the time that returns {s.nq}; got {guess!r:.80}"
        ) from None
    if path.shape != (steps + 1, s.nq) or not np.isfinite(path).all():
        raise ArgumentError(
            f"least_action: guess is ({steps + 1}, {s.nq}) finite numbers, or a function of the "
            f"share of the time that returns {s.nq}; got shape {path.shape}"
        )
    path[0], path[-1] = ends
    return path


def _newton(density: Density, t: Array, q: Array) -> tuple[Array, int]:
    """The stationary line, and how many directions lower its action."""
    n, steps, h = q.shape[1], len(t) - 1, np.diff(t)
    inner = steps - 1
    q = np.array(q)
    for _ in range(MOST):
        left, right = (np.asarray(x) for x in density.slopes(q[:-1], q[1:], t[:-1], h))
        residual = (right[:-1] + left[1:]).ravel()
        size = max(float(np.abs(left).max()), float(np.abs(right).max()), 1e-300)
        band = _band(density, t, q)
        if not (np.isfinite(residual).all() and np.isfinite(band).all()):
            break
        change = _solved(band, -residual, n).reshape(inner, n)
        worst = float(np.abs(change).max())
        q[1:-1] += change * min(1.0, 0.5 / max(worst, 1e-300) * max(float(np.ptp(q)), 1.0))
        if np.abs(residual).max() <= DONE * size and worst < 1e-8 * max(1.0, np.abs(q).max()):
            band = _band(density, t, q)
            _refuse_conjugate(density, band, steps)
            return q, _negative(band, n, inner)
    raise MotionError(
        f"least_action: no stationary path of {density.system.name!r} was found from this guess in "
        f"{MOST} of Newton's steps; near a conjugate point there is none that is isolated: try "
        "another time, more steps, or guess=",
        None,
    )


def _refuse_conjugate(density: Density, band: Array, steps: int) -> None:
    """Where a second variation is zero but for the length of steps, the path is none of its own."""
    if band.shape[1] > MOST_POINTS_JUDGED:
        return
    sizes = np.sort(np.abs(scipy.linalg.eigvals_banded(band[: len(band) // 2 + 1])))
    if len(sizes) > 1 and sizes[0] < CONJUGATE / steps**2 * sizes[1]:
        raise MotionError(
            f"least_action: the ends are conjugate points of {density.system.name!r}, as far as "
            f"{steps} steps tell: many paths between them are equally good, or none is; try "
            "another time, or more steps",
            None,
        )


def _band(density: Density, t: Array, q: Array) -> Array:
    """The second derivatives of the action by inner points, in the form of scipy's solve_banded."""
    n = q.shape[1]
    aa, ab, _, bb = (np.asarray(x) for x in density.curvatures(q[:-1], q[1:], t[:-1], np.diff(t)))
    inner = len(t) - 2
    wide = 2 * n - 1
    band = np.zeros((2 * wide + 1, inner * n))

    diagonal, beside = bb[:-1] + aa[1:], ab[1:-1]
    for i in range(n):
        for j in range(n):
            band[wide + i - j, j::n] = diagonal[:, i, j]
            if inner > 1:
                band[wide + i - (n + j), n + j :: n] = beside[:, i, j]
                band[wide + (n + j) - i, i : (inner - 1) * n : n] = beside[:, i, j]
    return band


def _solved(band: Array, right: Array, n: int) -> Array:
    wide = 2 * n - 1
    return np.asarray(scipy.linalg.solve_banded((wide, wide), band, right))


def _negative(band: Array, n: int, inner: int) -> int:
    """How many eigenvalues are below zero: by block elimination, whose pivots keep signs."""
    wide = 2 * n - 1

    def block(row: int, column: int) -> Array:
        i, j = np.indices((n, n))
        return np.asarray(band[wide + (row + i) - (column + j), column + j])

    count, pivot = 0, np.zeros((n, n))
    for k in range(inner):
        pivot_new = block(k * n, k * n)
        if k:
            across = block((k - 1) * n, k * n)
            pivot_new = pivot_new - across.T @ np.linalg.solve(pivot, across)
        pivot = 0.5 * (pivot_new + pivot_new.T)
        count += int((np.linalg.eigvalsh(pivot) < 0).sum())
    return count

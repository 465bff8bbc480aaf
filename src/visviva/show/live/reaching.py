"""A frame is dragged: joints follow, loops stay closed, and what cannot be reached is said.

Steps of Levenberg and Marquardt in the motions that the loops admit, from where the mechanism is,
so that nothing jumps to another branch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.frames.tasks import task
from visviva.show.live.closing import Closing
from visviva.solve.numeric.newton import Newton
from visviva.solve.numeric.step import Reach

REACHED = 1e-9  # metres and radians: what is as good as there
_MOST = 60  # steps
_LONGEST = 0.5  # of a step, radians and metres
RANK = 1e-6


@dataclass(frozen=True)
class Reached:
    """Where dragging led: what is left, in metres and in radians."""

    q: Array
    metres: float
    radians: float

    @property
    def is_there(self) -> bool:
        """Whether the frame is where it was wanted, to a millionth."""
        return max(self.metres, self.radians) <= 1e-6

    def __str__(self) -> str:
        if self.is_there:
            return "reached"
        turned = f" and {np.degrees(self.radians):.3g}°" if self.radians > 1e-6 else ""
        return f"out of reach: the nearest that was found is {self.metres:.3g} m{turned} away"


class Dragging:
    """A frame of a model, and how it is led; a pose, or with `turns` False a position."""

    def __init__(self, model: Any, frame: str, closing: Closing, q: Array, t: float = 0.0) -> None:
        self.model, self.frame, self.closing = model.numeric, frame, closing
        self._newton = {k: Newton(Reach(self.model, frame, task(k))) for k in ("pose", "position")}
        self.turns = self._can_turn(q, t)

    def _can_turn(self, q: Array, t: float) -> bool:
        """Whether its orientation can be chosen besides its position."""
        both = self._rank("pose", q, t)
        return both == 6 or (both == 3 and self._rank("position", q, t) == 2)

    def _rank(self, what: str, q: Array, t: float) -> int:
        J = self._whole(what, self._newton[what].slope(q)[1])
        sizes = np.linalg.svd(J @ self._admitted(q, t), compute_uv=False)
        return int((sizes > RANK * max(float(sizes.max(initial=0.0)), 1e-300)).sum())

    def _whole(self, what: str, J: Array) -> Array:
        """Columns of all velocities."""
        made = np.zeros((len(J), self.model.nv))
        made[:, self._newton[what].reach.moving] = J
        return made

    def _admitted(self, q: Array, t: float) -> Array:
        """(nv, k): motions that the constraints admit at a time."""
        if not self.model.held_by:
            return np.eye(self.model.nv)
        A = np.atleast_2d(self._rows(q, t))
        _, sizes, Vt = np.linalg.svd(A)
        return np.asarray(Vt[int((sizes > 1e-9 * sizes.max(initial=0.0)).sum()) :].T)

    def _rows(self, q: Array, t: float) -> Array:
        f = self.model.constraint_matrix
        given = {"q": q, "v": np.zeros(self.model.nv), "t": np.asarray(t)}
        return np.asarray(f(*(given[k] for k in f.inputs)))

    @cached_property
    def _length(self) -> float:
        return max(self.closing.size, 1e-9)

    def pose(self, q: Array) -> Array:
        """(4, 4): where the frame is."""
        return np.asarray(self.model.pose(self.frame)(q), dtype=float)

    def to(self, q: Array, pose: Any, parameters: Array, t: float = 0.0) -> Reached:
        """From q towards a pose (4, 4), at a time on which constraints may depend."""
        what = "pose" if self.turns else "position"
        target, toward = np.ascontiguousarray(np.asarray(pose, float)[:3]), self._newton[what]
        unit = np.array([1.0 if a else 1.0 / self._length for a in toward.reach.task.angular])
        lower, upper = toward.bounds(is_limited=True)
        q, damping = np.array(q, dtype=float), 1e-4
        e, J = toward.toward(q, target)
        for _ in range(_MOST):
            if np.abs(e).max(initial=0.0) <= REACHED:
                break
            Z = self._admitted(q, t)
            A = unit[:, None] * self._whole(what, J) @ Z
            size = float(np.linalg.norm(unit * e))
            G = A.T @ A
            G += np.eye(len(G)) * (damping * min(1.0, size) * max(float(np.trace(G)), 1e-300))
            step = Z @ np.linalg.lstsq(G, A.T @ (unit * e), rcond=None)[0]
            step *= min(1.0, _LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
            new = self._moved(q, step, (lower, upper), parameters, t)
            if new is not None:
                e1, J1 = toward.toward(new, target)
            if new is not None and float(np.linalg.norm(unit * e1)) < size:
                still = size - float(np.linalg.norm(unit * e1)) < 1e-9 * size
                q, e, J, damping = new, e1, J1, max(damping * 0.2, 1e-12)
                if still:
                    break
            elif damping > 1e6:
                break
            else:
                damping *= 10.0
        return self._told(what, q, e)

    def _moved(
        self, q: Array, step: Array, limits: tuple[Array, Array], parameters: Array, t: float
    ) -> Array | None:
        new: Array = np.clip(np.asarray(self.model.integrate(q, step), dtype=float), *limits)
        if not self.closing.is_needed:
            return new
        return self.closing.closed(new, np.zeros(self.model.nv), parameters, t)

    def _told(self, what: str, q: Array, e: Array) -> Reached:
        is_angle = np.array(self._newton[what].reach.task.angular, dtype=bool)
        metres = float(np.linalg.norm(e[~is_angle]))
        return Reached(q, metres, float(np.linalg.norm(e[is_angle])))

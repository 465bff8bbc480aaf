"""`Solutions`: the joint positions that were found for a pose, or for many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from visviva.algebra.arrays import BoolArray, FloatArray, IntArray, frozen
from visviva.describe.model.model import Model
from visviva.foreign import explained

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure
    from visviva.solve.inverse.written import Formulas
    from visviva.solve.rates.self_motion import SelfMotion

_SAME = 1e-6  # radians between two solutions that are one
SHOWN = 16  # positions that are printed


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Solutions:
    """Joint positions at which a frame does what was asked.

    For one pose `q` is (S, nq), or (nq,) if one solution was asked for; for N poses (N, S, nq) or
    (N, nq). Where there is none, or fewer than S, it is nan. `residuals` has for each position by
    how much the pose is missed: the larger of metres and radians. `complete` says that there are
    no others (within the limits, if these count), and is true only where that is proved.
    """

    model: Model
    frame: str
    task: str
    q: FloatArray
    residuals: FloatArray
    count: int | IntArray  # solutions of the pose, or of each (N,)
    complete: bool | BoolArray  # bool, or (N,)
    outside: int | IntArray  # solutions that the limits exclude, of the pose or of each (N,)
    family: str  # the closed form, or the method
    reason: str | tuple[str, ...]  # why there is none, or what is to be said; of each pose (N,)
    free: (
        tuple[str, ...] | tuple[tuple[str, ...], ...]
    )  # joints that may move while the frame stays, of the pose or of each (N,)
    # where nothing was found: the pose nearest to it (4, 4), else None; of each (N,)
    nearest: FloatArray | tuple[FloatArray | None, ...] | None
    distance: (
        FloatArray  # of the nearest pose, in metres and radians (2,), nan where it is met; (N, 2)
    )

    def __post_init__(self) -> None:
        for name in ("q", "residuals", "distance"):
            object.__setattr__(self, name, frozen(np.asarray(getattr(self, name), dtype=float)))

    @classmethod
    def of_targets(cls, single: bool, columns: Mapping[str, Any], **common: Any) -> Self:
        """From columns with an entry for each target, or for the only one."""
        if single:
            rows = {name: column[0] for name, column in columns.items()}
            fields = {k: x.item() if isinstance(x, np.generic) else x for k, x in rows.items()}
        else:
            fields = {k: tuple(x) if isinstance(x, list) else x for k, x in columns.items()}
        return cls(**common, **fields)

    @property
    def is_single(self) -> bool:
        """Whether one pose was given."""
        return np.ndim(self.count) == 0

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the entries of q."""
        return tuple(self.model.coordinate_names)

    @cached_property
    def continua(self) -> tuple[SelfMotion, ...] | tuple[tuple[SelfMotion, ...], ...]:
        """Curves of positions at which the frame stays at its pose, where joints are free to move.

        Of one pose a tuple of `SelfMotion`: `.q(s)` are positions along it, `.within_limits()` the
        parts that limits allow. Where the continuum has several dimensions there is a curve along
        each of them. Of many poses a tuple of such tuples.
        """
        from visviva.solve.inverse.continuum import continua

        rows = [self.q] if self.is_single else [*self.q]
        found: list[Any] = []
        for q, free in zip(rows, [self.free] if self.is_single else self.free, strict=True):
            q = np.atleast_2d(q)
            q = q[np.isfinite(q).all(axis=1)] if free else q[:0]
            found.append(continua(self.model, self.frame, self.task, q) if len(q) else ())
        return found[0] if self.is_single else tuple(found)

    def formulas(self) -> Formulas:
        """The closed form, if it is one: every branch as formulas, with the model's parameters."""
        from visviva.solve.inverse.written import written

        return written(self.model, self.frame, self.task)

    def plot(self) -> Figure:
        """The arm in every solution of the pose; of many poses along them. (plotly)"""
        from visviva.solve.inverse.drawing import solutions_figure

        return solutions_figure(self)

    def __len__(self) -> int:
        """Solutions of one pose; poses, of many."""
        return int(self.count) if self.is_single else int(np.size(self.count))

    def __iter__(self) -> Iterator[FloatArray]:
        if self.is_single and self.q.ndim == 1:
            return iter(self.q[None][: len(self)])
        return iter(self.q[: len(self)])

    def __getitem__(self, k: Any) -> FloatArray:
        q: FloatArray = (self.q[None] if self.is_single and self.q.ndim == 1 else self.q)[k]
        return q

    def __repr__(self) -> str:
        return self._one() if self.is_single else self._many()

    def _one(self) -> str:
        some = self.q.ndim == 1 and self.count
        count = _counted(int(self.count), "solution")
        if some:
            count = "the nearest solution" + ("" if self.complete else " found")
        sure = ", all there are" if self.complete else ", there may be more"
        sure = "" if some or not self.count else sure
        turning = self._turning() if self.complete and not some else []
        sure += " up to whole turns" if turning else ""
        lines = [f"{self.model.name}, {self.frame}: {count}{sure}; {self.family}"]
        if self.count:
            lines.append("  " + "  ".join(f"{n:>10}" for n in self.joints) + "   residual")
        errors = np.atleast_1d(self.residuals)
        for q, error in zip([*self][:SHOWN], errors, strict=False):
            numbers = [f"{x:{max(10, len(n))}.6f}" for x, n in zip(q, self.joints, strict=True)]
            lines.append("  " + "  ".join(numbers) + f"   {error:.1e}")
        if len(self) > SHOWN:
            lines.append(f"  … and {len(self) - SHOWN} more")
        if self.outside:
            lines.append(f"  limits exclude {_counted(int(self.outside), 'solution')}")
        if turning:
            lines.append(f"  limits allow more turns of {', '.join(turning)}: copies=True has them")
        if self.free:
            lines.append(f"  free to move: {', '.join(map(str, self.free))}")
        return "\n".join([*lines, *([f"  {self.reason}"] if self.reason else [])])

    def _turning(self) -> list[str]:
        """Joints that reach a solution by a whole turn more, within limits, which is not here."""
        m, found = self.model, np.atleast_2d(self.q)[: len(self)]
        names = []
        for k, unit in enumerate(m.coordinate_units):
            if unit != "rad" or not np.isfinite([m.lower[k], m.upper[k]]).all():
                continue
            for turn in (-2 * np.pi, 2 * np.pi):
                copies = found + turn * np.eye(m.nq)[k]
                inside = (m.lower[k] <= copies[:, k]) & (copies[:, k] <= m.upper[k])
                known = [np.abs(found - x).max(axis=1).min() < _SAME for x in copies[inside]]
                if not all(known) and self.joints[k] not in names:
                    names.append(self.joints[k])
        return names

    def _many(self) -> str:
        N, none = np.size(self.count), int(np.sum(self.count == 0))
        spread = {int(k): int(np.sum(self.count == k)) for k in np.unique(self.count)}
        text = ", ".join(f"{k} at {n}" for k, n in spread.items())
        lines = [f"{self.model.name}, {self.frame}: {N} poses; {self.family}"]
        lines.append(f"  solutions: {text}; complete at {int(np.sum(self.complete))}")
        if np.any(self.outside):
            lines.append(f"  limits exclude {_counted(int(np.sum(self.outside)), 'solution')}")
        if none:
            first = int(np.argmax(self.count == 0))
            lines.append(f"  none at {_counted(none, 'pose')}; pose {first}: {self.reason[first]}")
        return "\n".join(lines)


class NearestSolutions(Solutions):
    """Of which `complete` and `outside` are worked out when they are looked at."""

    _answer: Callable[[], Solutions]

    def __init__(self, **fields: Any) -> None:
        vars(self).update(fields)
        self.__post_init__()

    @cached_property
    def complete(self) -> bool | BoolArray:
        """Whether there are no others."""
        return self._full.complete

    @cached_property
    def outside(self) -> int | IntArray:
        """How many the limits exclude."""
        return self._full.outside

    @cached_property
    def _full(self) -> Solutions:
        return self._answer()


def _counted(n: int, what: str) -> str:
    return f"{n or 'no'} {what}{'' if n == 1 else 's'}"

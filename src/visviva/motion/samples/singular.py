"""Where the rows of constraints become dependent along a motion: positions at which it may branch.

A four-bar whose links lie flat has a row less there than elsewhere, and more ways to go on. How
near a position is to one is a singular value of A: the last of those that are not zero all along.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.errors import MotionError
from visviva.machine.run.call import Array
from visviva.motion.samples.along import along, called, function_of
from visviva.motion.samples.kept import check_kept

_DEPENDENT = 1e-4  # of the largest singular value: rows that depend on others all along
_TOGETHER = 4_000_000  # entries of rows that are looked at at a time
_WEIGHTS_FROM = 4  # positions whose masses scale the coordinates
PASSED = 1e-3  # of the regularity: below it a motion is said to pass a singular position
_MAY_BE = 0.5  # at a sample beside which one may be
_BESIDE, _TURNED = 0.01, 0.2  # regularity beside one, and the share of v that changes from there
_LOOKED_AT, _BETWEEN = 50_000, 8  # states in all, and between two steps
_REFINED, _NAMED = 9, 5  # times that the least is looked for more closely, times in a note
_STRAIGHT = (
    "passes singular positions, where rows of constraints become dependent and branches meet: it "
    "goes straight on, with the velocity that it comes with"
)
_TURNING = (
    "comes to singular positions, where rows of constraints become dependent, and turns there: "
    "another step length or tolerance shows whether it does"
)


@dataclass(frozen=True, eq=False)
class Regularity:
    """How far from singular positions are: 1 where they are farthest along a motion, 0 at one.

    Rows and coordinates are scaled once for a motion, coordinates by their masses, so that metres
    and radians count alike.
    """

    system: Any
    parameters: Mapping[str, Any]
    columns: Array  # (nv,)
    rows: Array  # (k,)
    rank: int
    largest: float

    @classmethod
    def along(
        cls, system: Any, state: Mapping[str, Any], parameters: Mapping[str, Any]
    ) -> Regularity:
        """That of a motion through states q (k, nq), v (k, nv), t (k,)."""
        few = np.unique(np.linspace(0, len(state["q"]) - 1, _WEIGHTS_FROM).astype(int))
        M = along(system, "mass_matrix", {k: x[few] for k, x in state.items()}, parameters)
        weights = np.abs(np.einsum("...ii->...i", M)).max(axis=0)
        weights = np.where(weights > 0, weights, weights.max(initial=0.0) or 1.0)
        made = cls(system, parameters, 1 / np.sqrt(weights), np.ones(1), 0, 1.0)
        parts = made._in_blocks(state, lambda part: np.linalg.norm(made._matrix(part), axis=2))
        sizes = parts.max(axis=0)
        made = cls(system, parameters, made.columns, 1 / np.where(sizes > 0, sizes, 1.0), 0, 1.0)
        values = made._in_blocks(state, made._values)
        rank = int((values > _DEPENDENT * values[:, :1]).sum(axis=1).max(initial=0))
        largest = float(values[:, rank - 1].max()) if rank else 1.0
        return cls(system, parameters, made.columns, made.rows, rank, largest)

    def __call__(self, state: Mapping[str, Any]) -> Array:
        """(k,), at states."""
        if not self.rank:
            return np.ones(len(state["q"]))
        if not len(state["q"]):
            return np.zeros(0)
        return self._in_blocks(state, self._values)[:, self.rank - 1] / self.largest

    def lows(self, state: Mapping[str, Any]) -> list[tuple[float, float]]:
        """Intervals of time around the least values along a motion, in which one may be zero."""
        t, last = state["t"], len(state["t"]) - 1
        sizes = np.concatenate([[np.inf], self(state), [np.inf]])
        here = sizes[1:-1]
        least = (here <= sizes[:-2]) & (here < sizes[2:]) & (here < _MAY_BE)
        places = np.flatnonzero(least)
        return [(float(t[max(k - 1, 0)]), float(t[min(k + 1, last)])) for k in places]

    def _matrix(self, state: Mapping[str, Any]) -> Array:
        f = function_of(self.system, "constraint_matrix", self.parameters)
        A = np.asarray(called(f, state, self.parameters))
        return np.broadcast_to(A, (len(state["q"]), *A.shape[-2:])) * self.columns

    def _values(self, state: Mapping[str, Any]) -> Array:
        A = self._matrix(state) * self.rows[:, None]
        return np.asarray(np.linalg.svd(A, compute_uv=False))

    def _in_blocks(
        self, state: Mapping[str, Any], of: Callable[[Mapping[str, Any]], Array]
    ) -> Array:
        """Of states, so many at a time that their rows of constraints fit into little memory."""
        some = max(1, _TOGETHER // (len(self.rows) * len(self.columns) or 1))
        starts = range(0, len(state["q"]), some)
        return np.concatenate([of({k: x[i : i + some] for k, x in state.items()}) for i in starts])


def passages(run: Any) -> list[str]:
    """What is said of singular positions that a motion goes through, or all but so."""
    said: list[str] = []
    for i in range(_looked_at(run)):
        whose = f"the motion of trajectory {i}" if run.is_batch else "the motion"
        own = singular_times(run[i] if run.is_batch else run)
        for how, times in own.items():
            if times:
                listed = ", ".join(f"{t:.6g}" for t in times[:_NAMED])
                more = f" and {len(times) - _NAMED} times more" if len(times) > _NAMED else ""
                said.append(f"near t = {listed} s{more} {whose} {how}")
    return said


def noted(run: Any, is_watched: bool) -> Any:
    """The motion with these notes; one that was watched for events is refused if it has passed.

    One that leaves its constraints is refused. On which branch a motion goes on is found without
    events only.
    """
    check_kept(run)
    said = passages(run)
    run = run._with_notes(*said, *_not_looked_at(run))
    if said and is_watched:
        raise MotionError(
            f"simulate: {said[0]}. Events are not looked for beyond such positions: end the motion "
            "before, or leave events= out; error.trajectory has it as steps went on",
            run,
        )
    return run


def _not_looked_at(run: Any) -> list[str]:
    """What is said where there are too many motions for a look at all of them."""
    looked = _looked_at(run)
    if not looked or not run.is_batch or looked == len(run.q):
        return []
    return [f"singular positions were looked for in the first {looked} trajectories only"]


def _looked_at(run: Any) -> int:
    """In how many motions singular positions are looked for."""
    if len(run.t) < 2 or not run.system.held_by:
        return 0
    return min(len(run.q) if run.is_batch else 1, max(1, _LOOKED_AT // len(run.t)))


def singular_times(run: Any) -> dict[str, list[float]]:
    """When one motion is at singular positions, by how it passes them."""
    t = run.t
    if len(t) < 2:
        return {}
    fine = 1 if run.dense is None else max(1, min(_BETWEEN, _LOOKED_AT // len(t)))
    times = np.interp(np.arange((len(t) - 1) * fine + 1) / fine, np.arange(len(t)), t)
    q, v = (run.q, run.v) if fine == 1 else run.at(times)
    state = {"q": q, "v": v, "t": times}
    measure = Regularity.along(run.system, state, run.parameters)
    found: dict[str, list[float]] = {_STRAIGHT: [], _TURNING: []}
    for a, b in measure.lows(state):
        value, at = _least(run, measure, a, b)
        if value < PASSED:
            found[_STRAIGHT if _is_straight(run, measure, at) else _TURNING].append(at)
    return found


def _least(run: Any, measure: Regularity, a: float, b: float) -> tuple[float, float]:
    """The least value between two times, and its time."""
    least, at = 1.0, a
    for _ in range(_REFINED):
        times = np.linspace(a, b, 17)
        q, v = run.at(times)
        sizes = measure({"q": q, "v": v, "t": times})
        k = int(np.argmin(sizes))
        least, at = float(sizes[k]), float(times[k])
        a, b = times[max(k - 1, 0)], times[min(k + 1, 16)]
    return least, at


def _is_straight(run: Any, measure: Regularity, at: float) -> bool:
    """Whether the velocity is the same shortly before and behind it."""
    beside = [_beside(run, measure, at, end) for end in (run.t[0], run.t[-1])]
    v = run.at(np.array(beside))[1] / measure.columns
    return bool(np.linalg.norm(v[1] - v[0]) <= _TURNED * np.linalg.norm(v, axis=1).max())


def _beside(run: Any, measure: Regularity, at: float, end: float) -> float:
    """The time nearest to `at`, on the way to `end`, at which the position is regular enough."""
    times = at + np.geomspace(1e-7, 1.0, 100) * (end - at)
    times[-1] = end
    q, v = run.at(times)
    enough = np.flatnonzero(measure({"q": q, "v": v, "t": times}) > _BESIDE)
    return float(times[enough[0]] if len(enough) else end)

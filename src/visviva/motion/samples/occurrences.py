"""What happened along a motion: the times and states of its events, and where they ended it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from visviva.algebra.arrays import frozen
from visviva.errors import ArgumentError
from visviva.foreign import explained
from visviva.machine.run.call import Array

STICK, SLIP = "stick of ", "slip of "  # with the name of a joint: friction holds it, or lets go
COLUMNS = ("t", "q", "v", "q_after", "v_after")


@dataclass(frozen=True, eq=False, repr=False)
class Occurrences:
    """All occurrences of one event: times `t` (k,), states `q` (k, nq) and `v` (k, nv) there.

    `q_after` and `v_after` are the states with which the motion went on: others than q and v only
    where the event says so (`jumps`). Impacts at stops have an `impulse` (k, nv). In a batch `row`
    (k,) has the number of the trajectory, whose occurrences stand together: `occurrences[3]` are
    those of number 3.
    """

    name: str
    t: Array
    q: Array
    v: Array
    q_after: Array
    v_after: Array
    row: np.ndarray[Any, np.dtype[np.int64]]
    jumps: bool = False
    impulse: Array | None = None

    def __post_init__(self) -> None:
        for name in COLUMNS:
            object.__setattr__(self, name, frozen(getattr(self, name)))
        if self.impulse is not None:
            object.__setattr__(self, "impulse", frozen(self.impulse))

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, row: int) -> Occurrences:
        """Those of one trajectory of a batch."""
        return self.of(np.array([row]))

    def __iter__(self) -> NoReturn:
        raise ArgumentError(
            f"occurrences of {self.name!r} are columns: .t, .q and .v have an entry for each; in a "
            "batch [k] has those of trajectory k, and .row says whose each is"
        )

    def of(self, rows: Any) -> Occurrences:
        """Those of some trajectories, numbered anew in their order."""
        found = [np.flatnonzero(self.row == i) for i in rows]
        which = np.concatenate([*found, np.zeros(0, dtype=np.int64)]).astype(np.int64)
        again = np.repeat(np.arange(len(found)), [len(x) for x in found])
        return self._some(which, again)

    def until(self, time: float) -> Occurrences:
        """Those up to a time."""
        which = np.flatnonzero(self.t <= time)
        return self._some(which, self.row[which])

    def _some(self, which: Any, row: Any) -> Occurrences:
        columns: dict[str, Any] = {name: getattr(self, name)[which] for name in COLUMNS}
        impulse = None if self.impulse is None else self.impulse[which]
        return Occurrences(self.name, **columns, row=row, jumps=self.jumps, impulse=impulse)

    def __repr__(self) -> str:
        some = ", ".join(f"{x:.9g}" for x in self.t[:5])
        at = f" at t = {some}{', …' if len(self) > 5 else ''} s" if len(self) else ""
        return f"{self.name!r}: {'once' if len(self) == 1 else f'{len(self)} times'}{at}"


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Events(Mapping[str, Occurrences]):
    """Occurrences by the names of events; when they ended a motion, and why it ended.

    `ended` (N,) of N trajectories, or (1,): times in seconds, nan of those that went on to the end.
    """

    of: Mapping[str, Occurrences] = field(default_factory=dict)
    ended: Array = field(default_factory=lambda: np.full(1, np.nan))
    reasons: tuple[str, ...] = ("",)
    final: Mapping[int, tuple[Array, Array]] = field(default_factory=dict)  # q, v where they ended

    def __getitem__(self, name: str) -> Occurrences:
        return self.of[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.of)

    def __len__(self) -> int:
        return len(self.of)

    def __repr__(self) -> str:
        return "events\n" + "\n".join(f"  {x!r}" for x in self.of.values())

    @property
    def told(self) -> list[Occurrences]:
        """Those to be said: of joints that stick and slip, where they did."""
        return [x for x in self.of.values() if len(x) or not x.name.startswith((STICK, SLIP))]

    @property
    def has_breaks(self) -> bool:
        """Whether a motion jumps, or ends before its time."""
        jump = any(len(x) for x in self.of.values() if x.jumps)
        return jump or bool(np.isfinite(self.ended).any())

    def rows(self, which: Any, count: int) -> Events:
        """Those of some of `count` trajectories; of one, if `which` is a number."""
        if not self.of:
            return self
        chosen = np.atleast_1d(np.arange(count)[which])
        return Events(
            {k: x.of(chosen) for k, x in self.of.items()},
            frozen(self.ended[chosen]),
            tuple(self.reasons[i] for i in chosen),
            {k: self.final[i] for k, i in enumerate(chosen) if i in self.final},
        )

    def until(self, time: float) -> Events:
        """What happened up to a time."""
        over = self.ended <= time
        return Events(
            {k: x.until(time) for k, x in self.of.items()},
            frozen(np.where(over, self.ended, np.nan)),
            tuple(x if there else "" for x, there in zip(self.reasons, over, strict=True)),
            {k: x for k, x in self.final.items() if over[k]},
        )

    def breaks(self, row: int = 0) -> list[tuple[float, tuple[Array, Array], tuple[Array, Array]]]:
        """Jumps of a trajectory: when, (q, v) before and after; those of one time are one."""
        found = [
            (float(x.t[k]), order, x, k)
            for order, x in enumerate(self.of.values())
            if x.jumps
            for k in np.flatnonzero(x.row == row)
        ]
        found.sort(key=lambda jump: jump[:2])
        made: list[tuple[float, tuple[Array, Array], tuple[Array, Array]]] = []
        for t, _, x, k in found:
            before, after = (x.q[k], x.v[k]), (x.q_after[k], x.v_after[k])
            if made and made[-1][0] == t:
                before = made.pop()[1]
            made.append((t, before, after))
        return made

    def end(self, row: int = 0) -> tuple[float, tuple[Array, Array]] | None:
        """When a trajectory ended and in which state; None if it went on to the end."""
        when = float(self.ended[row])
        if math.isnan(when):
            return None
        return when, self.final[row]

    def as_dict(self) -> dict[str, Any]:
        """What JSON can say; numbers come back bit by bit."""
        return {
            "ended": self.ended.tolist(),
            "reasons": list(self.reasons),
            "final": {str(k): [x.tolist() for x in pair] for k, pair in self.final.items()},
            "of": {
                name: {k: getattr(x, k).tolist() for k in (*COLUMNS, "row")}
                | {"jumps": x.jumps}
                | ({} if x.impulse is None else {"impulse": x.impulse.tolist()})
                for name, x in self.of.items()
            },
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any], nq: int, nv: int, rows: int) -> Events:
        """What `as_dict` said; anything else is an error of Python's."""
        sizes = {"t": (), "q": (nq,), "v": (nv,), "q_after": (nq,), "v_after": (nv,)}
        made = {}
        for name, x in stored["of"].items():
            row = np.asarray(x["row"], dtype=np.int64)
            columns = {
                k: np.asarray(x[k], dtype=float).reshape(len(row), *size)
                for k, size in sizes.items()
            }
            if row.ndim != 1 or ((row < 0) | (row >= rows)).any():
                raise ValueError(f"the rows of event {name!r} are no trajectories")
            pushed = None
            if "impulse" in x:
                pushed = np.asarray(x["impulse"], dtype=float).reshape(len(row), nv)
            made[str(name)] = Occurrences(
                str(name), **columns, row=row, jumps=bool(x["jumps"]), impulse=pushed
            )
        ended, reasons = np.asarray(stored["ended"], dtype=float), tuple(stored["reasons"])
        if made and (ended.shape != (rows,) or len(reasons) != rows):
            raise ValueError("the ends of trajectories are not one for each")
        final = {
            int(k): (np.array(q, dtype=float).reshape(nq), np.array(v, dtype=float).reshape(nv))
            for k, (q, v) in stored["final"].items()
        }
        if set(final) != set(np.flatnonzero(np.isfinite(ended))):
            raise ValueError("the states at the ends of trajectories are not one for each")
        return cls(made, frozen(ended), tuple(str(x) for x in reasons), final)

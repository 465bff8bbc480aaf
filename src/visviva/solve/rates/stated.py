"""Velocities that constraints admit with some of them as they are stated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError, check_known
from visviva.solve.assembly import VIOLATED, check_state
from visviva.solve.rows import RANK, directions, finite


def velocities(s: Any, q: Any, stated: Mapping[str, Any], t: float = 0.0) -> Array:
    """v (nv,) on the constraints with stated entries kept, the others as near to zero as can be.

    By the energy of the difference, as `admitted_velocity` is.
    """
    if not isinstance(stated, Mapping):
        first = [*s.motion_names, "q1"][0]
        raise ArgumentError(
            f"velocities are stated by name, velocities(q, {first}=1.0), got {stated!r:.60}; "
            "admitted_velocity(q, v) is the nearest to a whole v"
        )
    at = finite(f"q of {s.name!r}", q, s.nq)
    check_state(s, at, t=t)
    wanted = _entries(s, stated)
    v, short = _nearest(s, at, t, wanted)
    if short <= VIOLATED * (1.0 + max(map(abs, wanted.values()), default=0.0)):
        check_state(s, at, v, t)  # constraints may contradict each other
        return v
    said = ", ".join(f"{s.motion_names[i]} = {x:g}" for i, x in wanted.items())
    raise ArgumentError(
        f"no velocity that the constraints of {s.name!r} admit at this position has {said}: "
        + (_fewer(s, at, t, wanted) or _still(s, at, t, wanted))
    )


def kept(s: Any, q: Array, v: Array, t: float = 0.0) -> str:
    """The line that keeps what v says of a joint that moves, and finds the others; "" if none."""
    return _fewer(s, q, t, {int(i): float(v[i]) for i in np.flatnonzero(v)})


def _entries(s: Any, stated: Mapping[str, Any]) -> dict[int, float]:
    """Entries of v, by the names of joints and of velocities."""
    single = {x: slice(i, i + 1) for i, x in enumerate(s.motion_names)}
    single |= {x: slice(i, i + 1) for i, x in enumerate(s.velocity_names)}
    places = {name: v for name, (_, v) in s.joint_slices.items()} | single
    wanted: dict[int, float] = {}
    for name, value in stated.items():
        check_known(f"velocity of {s.name!r}", name, places)
        own = range(s.nv)[places[name]]
        x = finite(f"the velocity of {name!r}", np.atleast_1d(value), len(own))
        if twice := [s.motion_names[i] for i in own if i in wanted]:
            raise ArgumentError(f"the velocity of {twice[0]!r} is given twice")
        wanted |= dict(zip(own, map(float, x), strict=True))
    return wanted


def _nearest(s: Any, q: Array, t: float, wanted: Mapping[int, float]) -> tuple[Array, float]:
    """The admitted velocity that comes nearest to the wanted entries, and by how much it fails."""
    known = {"q": q, "v": np.zeros(s.nv), "t": t}

    def value(f: Any) -> Array:
        return np.asarray(f(*(known[k] for k in f.inputs)), dtype=float)

    v, N = np.zeros(s.nv), np.eye(s.nv)
    if s.held_by:
        A, drift = value(s.constraint_matrix), value(s.constraint_velocity)
        N, v = directions(A)[0], -np.linalg.pinv(A, rcond=RANK) @ drift
    own, aim = list(wanted), np.array(list(wanted.values()))
    U, sizes, Vt = np.linalg.svd(N[own])
    rank = int((sizes > RANK).sum())
    v = v + N @ Vt[:rank].T @ ((U[:, :rank].T @ (aim - v[own])) / sizes[:rank])
    N = N @ Vt[rank:].T  # what is left free
    M, away = value(s.mass_matrix), v.copy()
    away[own] -= aim
    v = v - N @ np.linalg.pinv(N.T @ M @ N, hermitian=True) @ (N.T @ M @ away)
    return v, float(np.abs(v[own] - aim).max(initial=0.0))


def _fewer(s: Any, q: Array, t: float, wanted: Mapping[int, float]) -> str:
    """The line that keeps the first of them which can be kept alone."""
    names = {part[1].start: name for name, part in s.joint_slices.items()}
    for i, x in wanted.items():
        if _nearest(s, q, t, {i: x})[1] <= VIOLATED * (1.0 + abs(x)):
            name, time = s.motion_names[i], f", t={t}" if t else ""
            word = name.isidentifier() and name != "t" and names.get(i, name) == name
            said = f"{name}={x:g}" if word else f"{{{name!r}: {x:g}}}"
            return f"velocities(q, {said}{time}) keeps that of {name}, and finds the others"
    return ""


def _still(s: Any, q: Array, t: float, wanted: Mapping[int, float]) -> str:
    """What there is instead, where nothing can be kept."""
    v, _ = _nearest(s, q, t, wanted)
    there = ", ".join(f"{v[i] + 0.0:.3g}" for i in wanted)
    return f"the nearest has {there} there"

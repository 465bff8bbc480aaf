"""A position on the constraints from a rough guess, velocities there, states that violate them.

Damped Gauss–Newton steps of least norm, taken along motions, so that quaternions stay of length
one. Where they get stuck, the error is led to zero slowly: φ(q) = (1 - h) φ(q₀), h from 0 to 1; and
where that ends too, other starts are tried, the near ones first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.constraints.plane import ONE_WAY, common_axis, hinge_axis
from visviva.describe.joints.closure import direction
from visviva.errors import ArgumentError, AssemblyError, by_names, check_known
from visviva.progress import progress
from visviva.solve.rows import RANK, Rows, directions, finite

CLOSED = 1e-12  # metres and radians, for mechanisms of the size of metres
ROUNDING = 1e-16
STEPS = 60
LONGEST = 0.7  # of one step, radians and metres: beyond it rows are far from linear
STARTS = 40  # others than the one that was given
VIOLATED = 1e-9  # of a state to begin with


def held(s: Any, fixed: Any, joints: Mapping[str, Any]) -> Mapping[str, Any]:
    """Joints that are held, by one mapping and by words."""
    if fixed is not None and not isinstance(fixed, Mapping):
        first = s.joint_names[0] if s.joint_names else "joint"
        raise ArgumentError(
            f"fixed= maps joints to positions, got {fixed!r}",
            cure=f"model.assembled(fixed={{{first!r}: 0.3}})",
        )
    return by_names("assembled", fixed, joints)


def assembled(
    s: Any, q: Any = None, t: float = 0.0, fixed: Mapping[str, Any] | None = None
) -> Array:
    """The position near q where all constraints on positions hold."""
    if isinstance(q, Mapping):  # joints that are held
        q, fixed = None, by_names("assembled", q, fixed or {})
    rows = Rows(s, t, fixed or {})
    start = rows.start(q)
    with progress(f"assembling {s.name}") as at:
        best = newton(rows, start)
        if closed(rows, best) and within(s, best):
            return best
        at.step("slowly from the guess")
        tried = [best, homotopy(rows, start)]
        rng = np.random.default_rng(0)
        for k in range(STARTS):
            if closed(rows, tried[-1]) and within(s, tried[-1]):
                return tried[-1]
            at.step(f"other starts, {k + 1} of {STARTS}")
            away = np.pi * (k + 1) / STARTS * rng.uniform(-1.0, 1.0, len(rows.free))
            tried.append(newton(rows, rows.moved(start, away)))
    shut = [x for x in tried if closed(rows, x)]
    if shut:
        _refuse_limits(s, shut[0])
    best = min(tried, key=lambda x: float(np.linalg.norm(rows.error(x))))
    best = newton(rows, best, steps=10 * STEPS, slow=1.0 - 1e-9)  # as near as it comes
    residual, row = rows.worst(rows.error(best))
    held = ", ".join(f"{name} = {x}" for name, x in rows.fixed.items())
    raise AssemblyError(
        f"{s.name!r} does not close{f' with {held}' if held else ''}: from this start and "
        f"{STARTS} others the best that was found leaves {row} at {residual:.3g} (metres or "
        f"radians); error.q has that position{_other_axis(s)}",
        best,
        residual,
        row,
    )


def left_open(s: Any) -> str:
    """Why it cannot be put together, if it is so; nothing is compiled where it closes at once."""
    rows = Rows(s, compiled=False)
    if not rows.count:
        return ""
    try:
        there = rows.start()
        if not np.abs(rows.error(there)).max() <= CLOSED:
            there = newton(rows, there)
        if within(s, there) and np.abs(rows.error(there)).max() <= CLOSED:
            return ""
        assembled(s)
    except AssemblyError as error:
        at = np.array2string(error.q, precision=4, separator=", ", suppress_small=True)
        return str(error).replace("error.q has that position", f"that is at q = {at}")
    except np.linalg.LinAlgError:  # rows have no value there; who asks is told
        return ""
    return ""


def _other_axis(s: Any) -> str:
    """That a hinge of a plane loop is not about the axis of its joints, if it is so."""
    for loop in getattr(s, "loops", ()):
        if (own := hinge_axis(loop.joint)) is None:
            continue
        common = common_axis(s, *loop.frames)
        if common is not None and np.abs(np.cross(common, own)).max() > ONE_WAY:
            return (
                f". Loop {loop.name!r} is a hinge about {direction(own)}, and all its joints turn "
                f"about {direction(common)}: with_loop({loop.frame1!r}, {loop.frame2!r}, "
                f"axis={common.tolist()})"
            )
    return ""


def closed(rows: Rows, q: Any) -> bool:
    """Whether the rows hold, to rounding."""
    return float(np.abs(rows.error(q)).max(initial=0.0)) <= CLOSED * (1.0 + _size(rows, q))


def _size(rows: Rows, q: Any) -> float:
    """Of the mechanism: the largest lever in its rows."""
    return float(np.abs(rows.slope(q)).max(initial=0.0))


def within(s: Any, q: Any) -> bool:
    """Whether a position is within the limits of the joints."""
    return bool((q >= s.lower - VIOLATED).all() and (q <= s.upper + VIOLATED).all())


def _refuse_limits(s: Any, q: Array) -> None:
    for name, (part, _) in s.joint_slices.items():
        low, high, at = s.lower[part], s.upper[part], q[part]
        if (at < low - VIOLATED).any() or (at > high + VIOLATED).any():
            raise AssemblyError(
                f"{s.name!r} closes only outside of the limits of joint {name!r}: at {at}, which "
                f"has limits {low} to {high}; error.q has that position",
                q,
                0.0,
                f"limits of {name!r}",
            )


def newton(rows: Rows, q: Array, aim: Any = 0.0, steps: int = STEPS, slow: float = 0.99) -> Array:
    """Where damped steps of least norm lead, as φ = `aim` is sought; perhaps not there.

    They end where several of them leave more than `slow` of the error.
    """
    error = rows.error(q) - aim
    size = float(np.linalg.norm(error))
    damping, still = 1e-3, 0
    for _ in range(steps):
        if size < ROUNDING or still > 2:
            break
        U, sizes, Vt = np.linalg.svd(rows.slope(q), full_matrices=False)
        while True:
            # the damping vanishes with the error: the last steps are Newton's own
            gain = sizes / (sizes * sizes + damping * min(1.0, size) * size + 1e-300)
            gain[sizes <= 1e-13 * sizes.max(initial=0.0)] = 0.0
            step = -Vt.T @ (gain * (U.T @ error))
            step *= min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
            other = rows.moved(q, step)
            error1 = rows.error(other) - aim
            size1 = float(np.linalg.norm(error1))
            if size1 < size or size < CLOSED or not np.isfinite(size) or damping > 1e8:
                break
            damping = max(damping, 1e-12) * 10.0
        if not size1 < size:
            break
        still = still + 1 if size1 > (0.5 if size < 1e-13 else slow) * size else 0
        q, error, size, damping = other, error1, size1, damping * 0.1
    return q


def homotopy(rows: Rows, q: Array) -> Array:
    """The same along φ(q) = (1 - h) φ(q₀), h from 0 to 1; where it got stuck if it did."""
    first = rows.error(q)
    h, step = 0.0, 0.1
    while h < 1.0 and step > 1e-4:
        aim = (1.0 - min(h + step, 1.0)) * first
        other = newton(rows, q, aim, steps=12)
        left = float(np.abs(rows.error(other) - aim).max(initial=0.0))
        if left <= 1e-9 * (1.0 + float(np.abs(first).max(initial=0.0))):
            h, q, step = min(h + step, 1.0), other, 1.5 * step
        else:
            step *= 0.5
    return newton(rows, q)


def check_state(s: Any, q: Any, v: Any = None, t: float = 0.0, tolerance: float = VIOLATED) -> None:
    """Refuse a position or a velocity that violates the constraints, with the way to mend it."""
    at = finite(f"q of {s.name!r}", q, s.nq)
    if not s.held_by:
        return
    rows, time = Rows(s, t), f", t={t}" if t else ""
    error = rows.error(at)
    _refuse(s, at, "q", error, rows.labels, tolerance, f"assembled(q{time}) is the nearest one")
    if v is None:
        return
    velocity = finite(f"v of {s.name!r}", v, s.nv)
    function = s.constraint_velocity
    rates = np.asarray(function(at, velocity, *((t,) if "t" in function.inputs else ())))
    scale = tolerance * (1.0 + float(np.abs(velocity).max(initial=0.0)))
    more = f", {t}" if "t" in s.admitted_velocity.inputs else ""
    way = f"admitted_velocity(q, v{more}) is the nearest one, by its energy"
    if np.abs(rates).max(initial=0.0) > scale:
        times = (t,) if more else ()
        nearest = np.asarray(s.admitted_velocity(at, velocity, *times))
        left = np.asarray(function(at, nearest, *((t,) if "t" in function.inputs else ())))
        if (worst := float(np.abs(left).max())) > tolerance * (1.0 + np.abs(nearest).max()):
            row = rows.all_labels[int(np.abs(left).argmax())]
            way = (
                "no velocity fulfils all of them here, as they contradict each other: "
                f"admitted_velocity leaves {row} at {worst:.3g}"
            )
        elif line := _kept(s, at, velocity, t):
            way += f"; {line}"
    _refuse(s, at, "v", rates, rows.all_labels, scale, way)


def _refuse(
    s: Any, q: Array, what: str, error: Array, labels: Any, tolerance: float, way: str
) -> None:
    off = [k for k in np.argsort(-np.abs(error)) if not abs(error[k]) <= tolerance]
    if off:
        listed = ", ".join(f"{labels[k]} by {error[k]:.3g}" for k in off[:6])
        more = f" and {len(off) - 6} more" if len(off) > 6 else ""
        raise AssemblyError(
            f"{what} violates the constraints of {s.name!r}: {listed}{more}; {way}",
            q,
            float(abs(error[off[0]])),
            labels[off[0]],
        )


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


def _kept(s: Any, q: Array, v: Array, t: float = 0.0) -> str:
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
        own = [*range(s.nv)][places[name]]
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

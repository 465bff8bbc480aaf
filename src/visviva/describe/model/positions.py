"""Positions and velocities of a tree: how many numbers they are, whose, and how they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import hypot
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array, float_array, is_zero, vector
from visviva.describe.model.body import Body, Kept
from visviva.describe.names import motion
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.hints import in_radians
from visviva.space.poses import as_pose

if TYPE_CHECKING:
    from visviva.describe.model.model import Model

BASES = ("base", "root", "floating_base", "free_flyer")  # as others call it
A_POSE = "vv.Pose(p=[0, 0, 1])"
FREEDOMS = 6  # of a body that nothing holds: its joint takes a pose
SIDES = ("lower", "upper")  # limits of position
UNIT = 1e-6  # how far a quaternion's length may be from one: files and float32 round


def places(model: Model, count: str) -> tuple[slice, ...]:
    """Where in q (`count` "nq") or v ("nv") each body's joint finds its numbers."""
    own = [b for b in model.bodies if b.mimic is None]
    ends = np.cumsum([0, *(getattr(b.joint, count) for b in own)]).tolist()
    at = {b.joint_name: slice(*ends[k : k + 2]) for k, b in enumerate(own)}
    return tuple(at[b.joint_name if b.mimic is None else b.mimic.joint] for b in model.bodies)


def joined(model: Model, part: Callable[[int, Body], Any]) -> Array:
    """part(i, body) of all joints that follow no other, one after the other."""
    parts = [vector(part(i, b)) for i, b in enumerate(model.bodies) if b.mimic is None]
    return np.concatenate(parts) if parts else np.zeros(0)


def limits(model: Model, kind: str) -> Array:
    """`lower` or `upper` (nq,), `velocity` or `effort` (nv,) of all joints: written to, refused."""
    return Kept.of(
        joined(model, lambda i, b: getattr(b.limits, kind)),
        lambda new: _with_limits_line(model, kind, new),
    )


def _with_limits_line(model: Model, kind: str, new: Array) -> str:
    """The line that makes a model with these limits: of joints for which they are others."""
    said, of_position = [], kind in SIDES
    for joint, (q, v) in model.joint_slices.items():
        b, part = model.bodies[model.joint_index(joint)], q if of_position else v
        if not np.array_equal(new[part], getattr(b.limits, kind)):
            if of_position and not b.joint.has_rates:
                raise ValueError(
                    f"{kind} is read-only, and the coordinates of {joint!r}, a {b.joint.kind} "
                    "joint, have no limits of their own"
                )
            sides = [getattr(b.limits, x) for x in (SIDES if of_position else (kind,))]
            sides[kind == "upper"] = new[part]
            ends = [_limit(x) for x in sides]
            said.append((joint, f"({ends[0]}, {ends[1]})" if of_position else ends[0]))
    if of_position and all(joint.isidentifier() for joint, _ in said):
        return f"model.with_limits({', '.join(f'{joint}={x}' for joint, x in said)})"
    table = f"{{{', '.join(f'{joint!r}: {x}' for joint, x in said)}}}"
    return f"model.with_limits({table if of_position else f'{kind}={table}'})"


def _limit(x: Array) -> str:
    """As one types it; None for no limit of a single coordinate."""
    said = [str(float(y)).replace("inf", "np.inf") for y in x]
    return f"[{', '.join(said)}]" if len(x) > 1 else "None" if np.isinf(x[0]) else said[0]


def named_position(model: Model, given: Any, more: Mapping[str, Any]) -> Array:
    """A position by names of joints or of their coordinates, the others neutral.

    All numbers of one are taken too, checked.
    """
    if isinstance(given, (list, tuple, np.ndarray)) and not more:
        return checked_position(model, "q", given).copy()
    q, single = model.neutral(), []
    names = names_of_q(model)
    for name, value in by_joint("q", given, more).items():
        if name in model.joint_names:
            i = model.joint_index(name)
            q[model.q_index[i]] = joint_position(model.bodies[i], value)
        elif name in names:
            single.append((names.index(name), name, value))
        else:
            _refuse_coupled(model, name)
            _refuse_base(model, name)
            raise UnknownNameError("joint", name, model.joint_names)
    for k, name, value in single:
        q[k] = _finite(f"coordinate {name!r}", value, 1)[0]
    for joint, start in model.quaternions if single else ():
        check_unit(f"joint {joint!r}", q[start : start + 4])
    return q


def random(model: Model, rng: np.random.Generator | int | None) -> Array:
    """A position within the limits; a joint without any, as `Joint.random` says."""
    try:
        source = np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"random takes a seed, a whole number from 0 on, or a NumPy Generator; got {rng!r}"
        ) from None
    return joined(model, lambda i, b: b.joint.random(source, b.limits.lower, b.limits.upper))


def integrate(model: Model, q: Any, step: Any) -> Array:
    """The position that the constant velocity `step` (nv,) reaches in one unit of time."""
    q, step = checked_position(model, "q", q), sized(model, "step", step, model.nv)
    return joined(
        model, lambda i, b: b.joint.integrate(q[model.q_index[i]], step[model.v_index[i]])
    )


def difference(model: Model, q0: Any, q1: Any) -> Array:
    """The step (nv,) with integrate(q0, step) = q1."""
    q0, q1 = checked_position(model, "q0", q0), checked_position(model, "q1", q1)
    return joined(
        model, lambda i, b: b.joint.difference(q0[model.q_index[i]], q1[model.q_index[i]])
    )


def rates(model: Model, q: Any, v: Any) -> Array:
    """q̇ (nq,) at velocity v (nv,)."""
    q, v = sized(model, "q", q, model.nq), sized(model, "v", v, model.nv)
    return joined(model, lambda i, b: b.joint.rates(q[model.q_index[i]], v[model.v_index[i]]))


def quaternions(model: Model) -> tuple[tuple[str, int], ...]:
    """The joints that have one, and where it starts in q."""
    pairs = zip(model.bodies, model.q_index, strict=True)
    at = ((b.joint_name, part.start, b.joint.quaternion) for b, part in pairs)
    return tuple((name, start + part.start) for name, start, part in at if part)


def names_of_q(model: Model) -> tuple[str, ...]:
    """The joints' names, with that of the entry where a joint has several."""
    return motion(model.bodies, model.parameters).q


def names_of_v(model: Model) -> tuple[str, ...]:
    """Of the rates: thetad of theta, base_wxd of the twist of a free base."""
    return motion(model.bodies, model.parameters).v


def units_of_q(model: Model) -> tuple[str, ...]:
    """Angles in radians, quaternions are numbers, all else is metres."""
    units: list[str] = []
    for joint in (b.joint for b in model.bodies if b.mimic is None):
        own = ["rad" if angular else "m" for angular in joint.angular]
        if joint.quaternion:
            own[joint.quaternion] = ["1"] * 4
        units += own
    return tuple(units)


def units_of_v(model: Model) -> tuple[str, ...]:
    """rad/s where the joint turns by it, m/s where it only shifts."""
    units: list[str] = []
    for joint in (b.joint for b in model.bodies if b.mimic is None):
        if joint.has_rates:
            units += ["rad/s" if angular else "m/s" for angular in joint.angular]
        else:
            columns = joint.subspace(joint.neutral())[:3].T
            units += ["m/s" if is_zero(column) else "rad/s" for column in columns]
    return tuple(units)


def checked_position(model: Model, name: str, q: Any, way: str = "") -> Array:
    """A position of the right size; quaternions that are plain numbers have length one."""
    array = sized(model, name, q, model.nq, way)
    if array.dtype != object:
        for joint, start in model.quaternions:
            check_unit(f"{name} of {model.name!r}: joint {joint!r}", array[start : start + 4])
    return array


def sized(model: Model, name: str, x: Any, n: int, way: str = "") -> Array:
    """x as an array (n,), or an error that says whose entries it should be, and which way to go."""
    try:
        array = vector(x)
    except (TypeError, ValueError):
        said = f"{name} of {model.name!r} has {n} numbers, got {x!r:.80}{in_radians(x)}"
        raise ArgumentError(said) from None
    if array.shape != (n,):
        got = f"{name} of {model.name!r} has {n} entries, got shape {array.shape}"
        raise ShapeError(f"{got}; {way}" if way else got)
    return array


def _refuse_coupled(model: Model, name: str) -> None:
    """Say of a joint that follows another that it does."""
    for b in model.bodies:
        if b.joint_name == name and (m := b.mimic) is not None:
            raise ArgumentError(
                f"joint {name!r} is coupled: it is {m.multiplier} times {m.joint!r} plus "
                f"{m.offset}, and has no coordinate of its own; give {m.joint!r}, or load the "
                'file with mimic="expand"'
            )


def by_joint(
    verb: str, positions: Any, more: Mapping[str, Any], bodies: Sequence[Body] = ()
) -> dict[str, Any]:
    """Positions by joint name, from a mapping and from keywords."""
    if positions is not None and not isinstance(positions, Mapping):
        name = positions if isinstance(positions, str) else "elbow"
        at = next((_somewhere(b) for b in bodies if b.joint_name == name), "-1.5")
        raise ArgumentError(
            f"{verb} takes positions by joint name, {verb}({name}={at}) or "
            f'{verb}({{"{name}": {at}}}); got {positions!r:.60}'
        )
    return {**(positions or {}), **more}


def _somewhere(b: Body) -> str:
    """A position of a joint within its limits."""
    if b.joint.nq != 1:
        return str(b.joint.neutral().tolist())
    (low,), (high,) = b.limits.lower, b.limits.upper
    return "-1.5" if low <= -1.5 <= high else f"{min(max(0.5 * (low + high), low), high):.6g}"


def beyond_limits(bodies: Sequence[Body], held: Mapping[int, Array]) -> list[str]:
    """What is to be said of joints that are held where their limits do not let them be."""
    return [
        f"joint {b.joint_name!r} is held at {x:.6g}, outside of its limits {low:.6g} to {high:.6g}"
        for b, at in ((bodies[i], at) for i, at in held.items())
        for x, low, high in zip(at, b.limits.lower, b.limits.upper, strict=True)
        if not low <= x <= high
    ]


def joint_position(b: Body, value: Any) -> Array:
    """The coordinates of one joint, as finite floats; of a free one also as a pose in its frame."""
    name, size = b.joint_name, b.joint.nq
    if np.shape(value) == (4, 4):
        if b.joint.nv < FREEDOMS:
            raise ArgumentError(
                f"joint {name!r} is {b.joint.kind}, and a pose is one of free joints"
            )
        value = b.joint.located(as_pose(value))
    if np.size(value) != size and size > 1:
        lines = [_line(name, str(b.joint.neutral().tolist()))]
        lines += [_line(name, A_POSE)] if b.joint.nv == FREEDOMS else []
        raise ShapeError(
            f"joint {name!r} takes {size} values ({', '.join(b.joint.coordinates)}), got "
            f"{np.size(value)}: {' or '.join(lines)}"
        )
    at = _finite(f"joint {name!r}", value, size)
    if b.joint.quaternion:
        check_unit(f"joint {name!r}", at[b.joint.quaternion])
    return at


def _finite(what: str, value: Any, size: int) -> Array:
    """So many finite floats."""
    if np.size(value) != size:
        raise ShapeError(f"{what} takes {size} value{'s'[: size - 1]}, got {np.size(value)}")
    try:
        at = float_array(value).reshape(size)
    except (TypeError, ValueError):
        said = f"{what} takes numbers, got {value!r}{in_radians(value)}"
        raise ArgumentError(said) from None
    if not np.isfinite(at).all():
        raise ArgumentError(f"{what} takes finite numbers, got {value!r}")
    return at


def _refuse_base(model: Model, name: str) -> None:
    """Where a base is asked for by another name than its joint's, say that one."""
    free = [b for b in model.bodies if b.joint.nv == FREEDOMS and b.mimic is None]
    if name not in (*BASES, *(b.name for b in free)):
        return
    if not free:
        raise ArgumentError(
            f"{name!r} is no joint: the base of {model.name!r} is fixed. "
            'vv.load(path, base="free") lets it move'
        )
    line = _line(free[0].joint_name, A_POSE)
    raise UnknownNameError("joint", name, model.joint_names, cure=line)


def _line(joint: str, value: str) -> str:
    """A call that states the position of a joint."""
    return (
        f"model.q({joint}={value})" if joint.isidentifier() else f"model.q({{{joint!r}: {value}}})"
    )


def check_unit(what: str, quaternion: Array) -> None:
    """Refuse a quaternion that is not of length one: no rotation is meant by it."""
    length = hypot(*quaternion)
    if not abs(length - 1.0) <= UNIT:
        raise ArgumentError(
            f"{what} has a quaternion (x, y, z, w) of length one, got length {length:.6g}; "
            "neutral(), q(), random() and integrate() give such positions"
        )

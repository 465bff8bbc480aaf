"""Limits of joints, and which of them are stops in motions: how much of a velocity comes back.

Limits alone hold nothing in a motion: a stop is stated, by its coefficient of restitution e. What
comes against it with velocity v goes back with -e v; 0 stays there, 1 loses no energy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError, ShapeError, by_names
from visviva.hints import as_typed

if TYPE_CHECKING:
    from visviva.describe.model.body import Body
    from visviva.describe.model.model import Model
    from visviva.describe.system import System

AnySystem = TypeVar("AnySystem", bound="System")
Places = np.ndarray[Any, np.dtype[np.int64]]
LIMIT_WORDS = ("lower", "upper")


@dataclass(frozen=True, eq=False)
class Stops:
    """All coordinates with stops: where they are in q and v, and between which bounds (k,)."""

    names: tuple[str, ...]  # of joints
    q: Places
    v: Places
    lower: Array
    upper: Array
    restitution: Array

    def __len__(self) -> int:
        return len(self.names)


def stops_of(system: Any) -> Stops:
    """Those of a model; systems of energies have no limits, and no stops."""
    if "_stops" not in system.__dict__:
        system.__dict__["_stops"] = _stops_of_joints(system)
    stops: Stops = system.__dict__["_stops"]
    return stops


def _stops_of_joints(system: Any) -> Stops:
    found: list[tuple[Any, ...]] = []
    joints = getattr(system, "bodies", ())
    for b, q, v in zip(joints, *_slices(system, joints), strict=True):
        if b.mimic is not None or not b.limits.are_stops:
            continue
        both = zip(b.limits.lower, b.limits.upper, b.limits.restitution, strict=True)
        for k, (low, high, e) in enumerate(both):
            if np.isfinite(low) or np.isfinite(high):
                found.append((b.joint_name, q.start + k, v.start + k, low, high, e))
    columns: list[Any] = list(zip(*found, strict=True)) if found else [()] * 6
    places = (np.array(x, dtype=np.int64) for x in columns[1:3])
    return Stops(columns[0], *places, *(np.array(x, dtype=float) for x in columns[3:]))


def with_stops(system: AnySystem, restitution: Any) -> AnySystem:
    """A model whose limits are stops; `System.with_stops` says what it takes."""
    model: Any = system
    if not getattr(model, "bodies", ()):
        raise ArgumentError(
            f"with_stops: {model.name!r} is stated by energies and its coordinates have no limits; "
            "stops are those of a Model's joints"
        )
    if isinstance(restitution, Mapping):
        for name in restitution:
            model.joint_index(name)
        asked = dict(restitution)
    else:
        asked = {b.joint_name: restitution for b in model.bodies if _may_stop(b)}
        if not asked and restitution is not None:
            raise ArgumentError(
                f"with_stops: no joint of {model.name!r} has limits of position, so there is "
                "nothing to stop at: Builder.body takes limits=(lower, upper)"
            )
    bodies = []
    for b in model.bodies:
        if b.joint_name in asked:
            e = asked[b.joint_name]
            if b.mimic is not None and e is not None:
                raise ArgumentError(
                    f"stops of {b.joint_name!r}: it follows {b.mimic.joint!r}, whose stops hold it"
                )
            b = replace(b, limits=b.limits.stopping(b.joint_name, b.joint, e))
        bodies.append(b)
    with_new_limits: AnySystem = replace(model, bodies=tuple(bodies))
    return with_new_limits


def with_limits(
    model: Model, position: Any, velocity: Any, effort: Any, joints: Mapping[str, Any]
) -> Model:
    """A model with other limits of joints; `Model.with_limits` says what it takes."""
    if {*LIMIT_WORDS} & joints.keys() - {*model.joint_names}:
        lower, upper = (as_typed(joints[k]) if k in joints else f"model.{k}" for k in LIMIT_WORDS)
        line = f"{{x: (a, b) for x, a, b in zip(model.joint_names, {lower}, {upper})}}"
        raise ArgumentError("limits are by joint", cure=f"model.with_limits({line})")
    if joints and (position is None or isinstance(position, Mapping)):
        position = by_names("with_limits", position, joints)
    asked: dict[str, dict[str, Any]] = {}
    for kind, given in (("position", position), ("velocity", velocity), ("effort", effort)):
        if given is not None and not isinstance(given, Mapping):
            raise ArgumentError(
                f"with_limits: limits of {kind} are given by the names of joints, "
                f"{{{model.joint_names[0] if model.joint_names else 'joint'!r}: …}}, of numbers in "
                f"their order dict(zip(model.joint_names, x)); got {given!r:.80}"
            )
        for name, value in (given or {}).items():
            b = model.bodies[model.joint_index(name)]
            if b.mimic is not None:
                raise ArgumentError(
                    f"limits of {name!r}: it follows {b.mimic.joint!r}, whose limits hold for it"
                )
            asked.setdefault(name, {})[kind] = value
    bodies = [
        _limited(b, asked[b.joint_name]) if b.joint_name in asked else b for b in model.bodies
    ]
    return replace(model, bodies=tuple(bodies))


def _limited(b: Body, asked: Mapping[str, Any]) -> Body:
    """A body whose joint has other limits."""
    what, joint, limits = f"limits of {b.joint_name!r}", b.joint, b.limits
    if "position" in asked:
        pair = (None, None) if asked["position"] is None else asked["position"]
        if not isinstance(pair, (tuple, list, np.ndarray)) or len(pair) != 2:
            raise ArgumentError(f"{what} are a pair (lower, upper), got {pair!r}")
        if not joint.has_rates:
            raise ArgumentError(
                f"{what}: a {joint.kind} joint has coordinates without limits of their own"
            )
        low = _bounds(what, pair[0], -np.inf, joint.nq)
        high = _bounds(what, pair[1], np.inf, joint.nq)
        if not (low <= high).all():
            raise ArgumentError(f"{what}: the lower is not above the upper, got {pair!r}")
        held = limits.restitution if limits.are_stops else None
        limits = replace(limits, lower=low, upper=high)
        limits = limits if held is None else limits.stopping(b.joint_name, joint, held)
    for kind in ("velocity", "effort"):
        if kind in asked:
            most = _bounds(f"{kind} {what}", asked[kind], np.inf, joint.nv)
            if not (most >= 0.0).all():
                raise ArgumentError(f"{kind} {what}: sizes, from 0 on; got {asked[kind]!r}")
            limits = replace(limits, **{kind: most})
    return replace(b, limits=limits)


def _bounds(what: str, given: Any, none: float, n: int) -> Array:
    """Numbers (n,), none where nothing is given."""
    if given is None:
        return np.full(n, none)
    x = np.asarray(given)
    if x.dtype.kind not in "fiu" or np.isnan(x).any():
        raise ArgumentError(f"{what} are numbers, or None for no limit; got {given!r}")
    if x.shape not in ((), (n,)):
        raise ShapeError(f"{what}: {n} numbers or one, got shape {x.shape}")
    return np.array(np.broadcast_to(x, (n,)), dtype=float)


def _may_stop(b: Body) -> bool:
    bounded = np.isfinite([*b.limits.lower, *b.limits.upper]).any()
    return bool(bounded) and b.mimic is None and b.joint.has_rates


def _slices(system: Any, joints: Any) -> tuple[Any, Any]:
    return (system.q_index, system.v_index) if joints else ((), ())

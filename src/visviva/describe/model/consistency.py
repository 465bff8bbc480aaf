"""What every tree of bodies must satisfy, however it was stated."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any

from visviva.describe.bodies.inertia import Inertia
from visviva.describe.model.body import WORLD, Body
from visviva.describe.names import check_names
from visviva.errors import ArgumentError, ShapeError, UnknownNameError

if TYPE_CHECKING:
    from visviva.describe.model.model import Model


def check_tree(model: Model) -> None:
    """Names are unique, parents come first, sources of coupled joints exist, limits are ranges."""
    for kind, names in (
        ("frame", model.frame_names),
        ("joint", tuple(b.joint_name for b in model.bodies)),
    ):
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise ArgumentError(f"model {model.name!r}: two {kind}s are called {name!r}")
            seen.add(name)
    _check_names(model)
    for i, b in enumerate(model.bodies):
        if not WORLD <= b.parent < i:
            raise ArgumentError(f"body {b.name!r} comes before its parent, number {b.parent}")
        if (b.limits.lower > b.limits.upper).any():
            raise ArgumentError(
                f"joint {b.joint_name!r}: the lower limit is not above the upper one, got "
                f"{b.limits.lower.tolist()} and {b.limits.upper.tolist()}"
            )
        if b.mimic is not None and b.mimic.joint not in model.joint_names:
            raise UnknownNameError(
                f"joint that {b.joint_name!r} follows", b.mimic.joint, model.joint_names
            )
        if b.mimic is not None:
            _check_follower(model, b)
    for f in model.frames:
        if not WORLD <= f.body < len(model.bodies):
            count = len(model.bodies)
            raise ArgumentError(
                f"frame {f.name!r} is on body number {f.body}, and there are {count}"
            )
    for s in model.springs:
        if bool(s.joint) == bool(s.frames):
            raise ArgumentError(
                f"spring {s.name!r} is on a joint or between two frames, one of them"
            )
        if s.joint and s.joint not in {b.joint_name for b in model.bodies}:
            raise UnknownNameError("joint", s.joint, [b.joint_name for b in model.bodies])
        if s.joint and (n := model.bodies[model.joint_index(s.joint)].joint.nv) != 1:
            raise ArgumentError(
                f"spring {s.name!r}: joint {s.joint!r} has {n} velocities, and a spring acts on one"
            )
        for name in s.frames:
            model.frame(name)
    if model.gravity.shape != (3,):
        raise ShapeError(f"gravity has 3 coordinates, got shape {model.gravity.shape}")


def named(names: Any, joint_names: Collection[str] | None = None) -> tuple[str, ...]:
    """Names as a tuple, each once; a text is one, or several ("a b") if no joint is called so."""
    listed = names
    if isinstance(names, str):
        is_one = joint_names is None or names in joint_names
        listed = [names] if is_one else names.replace(",", " ").split()
    listed = list(listed) if isinstance(listed, Iterable) else [None]
    if not all(isinstance(x, str) for x in listed):
        raise ArgumentError(f"passive is a list of names, got {names!r:.60}")
    return tuple(dict.fromkeys(listed))


def check_passive(model: Model) -> None:
    """Joints without drive have forces of their own, and no motor."""
    for name in model.passive:
        if name not in model.joint_names:
            followed = next(
                (b.mimic.joint for b in model.bodies if b.joint_name == name and b.mimic), ""
            )
            if followed:
                raise ArgumentError(
                    f"passive joint {name!r} follows {followed!r} and has no force of its own"
                )
            raise UnknownNameError("passive joint", name, model.joint_names)
        if motor := next((a.name for a in model.actuators if a.joint == name), ""):
            raise ArgumentError(f"joint {name!r} is passive, and motor {motor!r} drives it")


def _check_names(model: Model) -> None:
    """Joints with one coordinate give it their name."""
    q: list[str] = []
    v: list[str] = []
    for b in model.bodies:
        if b.mimic is None:
            name = b.joint_name if b.joint.coordinates == ("",) else ""
            q += [name] * b.joint.nq
            v += [name] * b.joint.nv
    check_names(model.name, q, v, model.parameters)


def _check_follower(model: Model, b: Body) -> None:
    """Multiples of a position are positions only where coordinates are plain numbers."""
    source = next(x for x in model.bodies if x.joint_name == (b.mimic and b.mimic.joint))
    if b.limits.are_stops:
        raise ArgumentError(
            f"stops of {b.joint_name!r}: it follows {source.joint_name!r}, whose stops hold it"
        )
    kinds = [x.joint.kind for x in (b, source)]
    if not (b.joint.has_rates and source.joint.has_rates) or b.joint.nq != source.joint.nq:
        raise ArgumentError(
            f"joint {b.joint_name!r} ({kinds[0]}) cannot follow {source.joint_name!r} "
            f"({kinds[1]}): both need coordinates whose rates are their velocities, and as many"
        )


def check_attachable(model: Model, other: Any, frame: Any, prefix: str) -> None:
    """Refuse what cannot be fixed to a frame, with the line that can be meant."""
    said = "attached takes a Model or an Inertia, and a frame"
    if isinstance(other, str) and not isinstance(frame, str):
        raise ArgumentError(said, cure=f"model.attached(payload, {other!r}, prefix='load')")
    if isinstance(other, Real):
        line = f"model.attached(vv.Inertia.point({other}), {frame!r}, prefix='load')"
        raise ArgumentError(said, cure=line)
    if not isinstance(other, (Inertia, type(model))):
        raise ArgumentError(f"{said}, got {type(other).__name__}")
    if isinstance(other, Inertia):
        what, stem, end, names = "payload", "tool", "", [prefix or "tool"]
    else:
        parameters = {*model.parameters} & {*other.parameters}
        what, stem, end = "other.numeric" if parameters else "other", other.name, "_"
        theirs = (*other.body_names, *other.joint_names, *other.frame_names)
        names = [prefix + x for x in theirs if x != "world"]
    taken = {*model.frame_names, *model.joint_names}
    if clash := [x for x in names if x in taken]:
        stem = prefix.rstrip("_") or stem
        others = (f"{stem}{k or ''}{end}" for k in (0, *range(2, len(taken) + 4)))
        free = next(x for x in others if not any(name.startswith(x) for name in taken))
        raise ArgumentError(
            f"{model.name!r} has {clash[0]!r} already; another prefix tells them apart",
            cure=f"model.attached({what}, {frame!r}, prefix={free!r})",
        )

"""Models from models: lock joints, take a part, attach a tool, set free. The original stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.expr import Expr, Graph, evaluate, names_in
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.constraints.relation import joint_names
from visviva.describe.joints.axis import Fixed
from visviva.describe.joints.free import Free
from visviva.describe.model.body import (
    JOINT_NUMBERS,
    MOVING_WORLD,
    WORLD,
    Body,
    Frame,
    Limits,
    Mimic,
    is_identity,
)
from visviva.describe.model.consistency import check_attachable
from visviva.describe.model.friction import Friction, check_laws, joint_numbers
from visviva.describe.model.merge import merge_fixed
from visviva.describe.model.positions import beyond_limits, joint_position, sized
from visviva.describe.values import leaves, mapped
from visviva.errors import ArgumentError, by_names, check_known
from visviva.space.poses import Pose, as_pose

if TYPE_CHECKING:
    from visviva.describe.model.model import Model


def locked(model: Model, positions: Mapping[str, Any]) -> Model:
    """With joints held at positions."""
    names = [b.joint_name for b in model.bodies]
    bodies = list(model.bodies)
    still: dict[int, Any] = {}  # by body, where its joint stays
    for name, value in positions.items():
        check_known("joint", name, names)
        i = names.index(name)
        b = bodies[i]
        if b.mimic is not None:
            raise ArgumentError(f"joint {name!r} follows {b.mimic.joint!r}: lock that one")
        still[i] = held = joint_position(b, value)
        bodies[i] = _held(b, held)
        for k, other in enumerate(bodies):
            if other.mimic is not None and other.mimic.joint == name:
                still[k] = at = held * other.mimic.multiplier + other.mimic.offset
                bodies[k] = _held(replace(other, mimic=None), at)
    parts: dict[str, Any] = {kind: getattr(model, kind) for kind in ACTING}
    named = joint_names(model.bodies)
    values = {name: x for i, q in still.items() for name, x in zip(named[i].q, q, strict=True)}
    values |= {name: 0.0 for i in still for name in named[i].v}
    parts["constraints"] = [
        c.at(values) if c.coordinates & {*values} else c for c in model.constraints
    ]
    made = _rebuilt(model, bodies, model.frames, parts=parts)
    return replace(made, notes=(*made.notes, *beyond_limits(model.bodies, still)))


def submodel(model: Model, body: str) -> Model:
    """The part of the tree that hangs on a body, with that body as the fixed base."""
    names = [b.name for b in model.bodies]
    check_known("body", body, names)
    root = names.index(body)
    inside = {root}
    for i, b in enumerate(model.bodies):
        if b.parent in inside:
            inside.add(i)
    order = sorted(inside)
    number = {old: new for new, old in enumerate(order)} | {WORLD: WORLD}
    kept = []
    for i in order:
        b = model.bodies[i]
        if i == root:
            none = Limits.of(Fixed())
            b = Body(b.name, b.joint_name, WORLD, Pose.identity(), Fixed(), b.inertia, none)
            b = replace(b, visuals=model.bodies[i].visuals)
        else:
            b = replace(b, parent=number[b.parent])
        source = b.mimic.joint if b.mimic is not None else None
        inner = {model.bodies[k].joint_name for k in inside - {root}}
        if source is not None and source not in inner:
            raise ArgumentError(f"joint {b.joint_name!r} follows {source!r}, which is left out")
        kept.append(b)
    frames = [replace(f, body=number[f.body]) for f in model.frames if f.body in inside]
    return _rebuilt(model, kept, frames, base=None, base_name=body)


def attached(model: Model, other: Any, frame: str, placement: Any, prefix: str) -> Model:
    """With another model (or an `Inertia`, as a body called `prefix`) fixed to a frame."""
    check_attachable(model, other, frame, prefix)
    host = model.frame(frame)
    at = host.placement @ as_pose(placement)
    graph = graph_of(model)
    if graph is not None:  # symbols of both meet in one graph
        other = mapped(lambda x: _moved_to(graph, x), other)
    if isinstance(other, Inertia):
        name = prefix or "tool"
        added = [Body(name, f"{name}_joint", host.body, at, Fixed(), other, Limits.of(Fixed()))]
        return _rebuilt(model, [*model.bodies, *added], model.frames)
    offset = len(model.bodies)
    bodies, frames = list(model.bodies), list(model.frames)
    base = Body(
        prefix + other.base_name if other.base_name != "world" else f"{prefix}{other.name}_base",
        f"{prefix}{other.name}_mount",
        host.body,
        at,
        Fixed(),
        other.base_inertia or Inertia.point(0.0),
        Limits.of(Fixed()),
        visuals=other.base_visuals,
    )
    bodies.append(base)
    for b in other.bodies:
        parent = offset if b.parent == WORLD else offset + 1 + b.parent
        mimic = b.mimic and Mimic(prefix + b.mimic.joint, b.mimic.multiplier, b.mimic.offset)
        names = {"name": prefix + b.name, "joint_name": prefix + b.joint_name}
        bodies.append(replace(b, parent=parent, mimic=mimic, **names))
    for f in other.frames:
        if f.body == WORLD and f.name == other.base_name:
            continue  # it is the base body just added
        body = offset if f.body == WORLD else offset + 1 + f.body
        frames.append(Frame(prefix + f.name, body, f.placement))
    if clash := set(model.parameters) & set(other.parameters):
        line = f"model.attached(other.numeric, {frame!r}, prefix={prefix!r})"
        raise ArgumentError(f"both models have parameters called {sorted(clash)}", cure=line)
    bases = {other.base_name: base.name}
    theirs = {
        kind: [_renamed(x, prefix, bases) for x in getattr(other, kind)]
        for kind in ACTING
        if kind != "constraints"
    }
    theirs["constraints"] = [x.prefixed(prefix, bases) for x in other.constraints]
    parts = {kind: [*getattr(model, kind), *theirs[kind]] for kind in ACTING}
    known = {**model.parameters, **other.parameters}
    passive = (*model.passive, *(prefix + name for name in other.passive))
    made = _rebuilt(model, bodies, frames, parts=parts, parameters=known, passive=passive)
    here, there = (np.asarray(x.numeric.gravity, dtype=float) for x in (model, other))
    if np.array_equal(here, there):
        return made
    said = f"the gravity of {other.name!r}, {there.tolist()}, gives way to {here.tolist()}"
    return replace(made, notes=(*made.notes, said))


def with_free_base(model: Model, name: str = "") -> Model:
    """With a free joint in front of everything."""
    if model.base_inertia is None:
        for b in model.bodies:
            if b.parent == WORLD and b.joint.nv == 6:
                raise ArgumentError(
                    f"the base of model {model.name!r} is free already: "
                    f"joint {b.joint_name!r} carries {b.name!r}"
                )
        raise ArgumentError(
            f"model {model.name!r} has nothing at its base that could move; "
            "load it with base='free' or give base_inertia"
        )
    free, notes = Free(), []
    body_name = (name or "base") if model.base_name == "world" else model.base_name
    # a frame of this name is the body itself, if it is where the body is
    at_base = {f.name for f in model.frames if f.body == WORLD and is_identity(f.placement)}
    others = {*(b.name for b in model.bodies), *(f.name for f in model.frames)} - at_base
    if body_name in others:
        if body_name == name:
            raise ArgumentError(
                f"model {model.name!r} has {name!r} already, and elsewhere than at its base: "
                "give the free body another name, with_free_base(name)"
            )
        taken = body_name
        while body_name in others:
            body_name += "_body"
        notes.append(f"the free base is {body_name!r}: {taken!r} is there, at another place")
    base = Body(
        body_name,
        f"{name or 'base'}_joint",
        WORLD,
        Pose.identity(),
        free,
        model.base_inertia,
        Limits.of(free),
        visuals=model.base_visuals,
    )
    bodies = [base, *(replace(b, parent=b.parent + 1) for b in model.bodies)]
    frames = [replace(f, body=f.body + 1) for f in model.frames if f.name != body_name]
    if any(f.name == "world" for f in frames):
        notes.append(MOVING_WORLD)
    freed = _rebuilt(model, bodies, frames, base=None, base_name="world")
    return replace(freed, notes=(*freed.notes, *notes))


def with_frame(model: Model, name: str, placement: Any, on: str) -> Model:
    """With one more frame, fixed to the frame `on` at a pose in it."""
    if not on:
        tip = model.frame_names[-1] if model.frame_names else model.base_name
        line = f"model.with_frame({name!r}, pose, on={tip!r})"
        raise ArgumentError(f"a frame is on another one or on a body, say which: {line}")
    host = model.frame(on)
    frame = Frame(name, host.body, host.placement @ as_pose(placement))
    return replace(model, frames=(*model.frames, frame))


def with_losses(model: Model, losses: Mapping[str, Any], joints: Mapping[str, Any]) -> Model:
    """With other friction, damping or both; what is None stays. `joints` have friction by name."""
    check_laws(losses["friction"], joints)
    given = losses["friction"]
    if joints and (given is None or isinstance(given, Mapping)):
        given = by_names("with_friction", given, joints)
    elif joints:
        if np.ndim(given):
            raise ArgumentError("with_friction: a list for all velocities, or joints by name")
        given = {**{b.joint_name: given for b in model.bodies}, **joints}
    both = {**losses, "friction": given}
    said = _spelled_out(model, both).items()
    new = {what: _by_joint(model, what, given) for what, given in said if given is not None}
    each = [
        {what: x[b.joint_name] for what, x in new.items() if b.joint_name in x}
        for b in model.bodies
    ]
    bodies = (replace(b, **changes) for b, changes in zip(model.bodies, each, strict=True))
    return replace(model, bodies=tuple(bodies))


def _spelled_out(model: Model, losses: Mapping[str, Any]) -> dict[str, Any]:
    """Laws of friction as the numbers of the joints that have them."""
    given = losses.get("friction")
    if isinstance(given, (list, tuple)) and any(isinstance(x, Friction) for x in given):
        if len(given) != len(model.joint_names):
            raise ArgumentError(
                f"with_friction: a list of laws has one for each of the {len(model.joint_names)} "
                f"joints, got {len(given)}"
            )
        given = dict(zip(model.joint_names, given, strict=True))
    laws = {b.joint_name: given for b in model.bodies} if isinstance(given, Friction) else given
    if not isinstance(laws, Mapping) or not any(isinstance(x, Friction) for x in laws.values()):
        return dict(losses)
    if losses.get("damping") is not None:
        raise ArgumentError("with_friction: damping= is the viscous part of a law; state it there")
    for name in laws:
        model.joint_index(name)
    whole = {k: x if isinstance(x, Friction) else Friction(x) for k, x in laws.items()}
    spelled: dict[str, Any] = {"damping": {}, "friction": {}, "stiction": {}, "stribeck": {}}
    for joint, law in whole.items():
        for k, x in joint_numbers(law).items():
            if k != "damping" or isinstance(laws[joint], Friction):  # a number says nothing of it
                spelled[k][joint] = x
    return spelled


def _by_joint(model: Model, what: str, given: Any) -> dict[str, Any]:
    """One entry for each joint that is meant, not negative."""
    if isinstance(given, Mapping):
        for name in given:
            model.joint_index(name)
        values = dict(given)
    elif np.ndim(given) == 0:
        values = {b.joint_name: given for b in model.bodies}
    else:
        entries = sized(model, what, given, model.nv)
        pairs = zip(model.bodies, model.v_index, strict=True)
        values = {b.joint_name: entries[part] for b, part in pairs if b.mimic is None}
    for name, x in values.items():
        array = np.asarray(x)
        if array.dtype != object and not (np.isfinite(array) & (array >= 0)).all():
            raise ArgumentError(f"{what} of {name!r} is finite and not negative, got {x!r}")
    return values


def without_dissipation(model: Model) -> Model:
    """Without damping and friction, and without the dampers beside springs."""
    zero: dict[str, Any] = {k: np.zeros(0) for k in JOINT_NUMBERS if k != "armature"}
    return replace(
        model,
        bodies=tuple(replace(b, **zero) for b in model.bodies),
        springs=tuple(replace(s, damping=0.0, turning_damping=0.0) for s in model.springs),
    )


def without_dry_friction(model: Model) -> Model:
    """Without friction that jumps at rest; damping stays."""
    zero: dict[str, Any] = dict.fromkeys(("friction", "stiction", "stribeck"), np.zeros(0))
    bodies = tuple(replace(b, **zero) for b in model.bodies)
    return replace(model, bodies=bodies)


def _rebuilt(
    model: Model, bodies: Any, frames: Any, base: Any = "same", parts: Any = None, **changes: Any
) -> Model:
    """The model on other bodies; of springs, constraints and actuators what still has its place."""
    start = model.base_inertia if base == "same" else base
    tree = merge_fixed(bodies, frames, start, model.base_visuals if base == "same" else ())
    parts = parts or {kind: getattr(model, kind) for kind in ACTING}
    dropped = [f"dropped keyframe {k!r}: a position of the former model" for k in model.keyframes]
    joints = {b.joint_name for b in tree.bodies}
    moving = {x for names in joint_names(tree.bodies) for x in (*names.q, *names.v)}
    places = {b.name for b in tree.bodies} | {f.name for f in tree.frames}
    places.add(changes.get("base_name", model.base_name))
    kept: dict[str, list[Any]] = {kind: [] for kind in ACTING}
    for kind in ACTING:
        for x in parts[kind]:
            there = _named(x, JOINT_KEYS) <= joints and _named(x, COORDINATE_KEYS) <= moving
            if there and _named(x, FRAME_KEYS) <= places:
                kept[kind].append(x)
            else:
                dropped.append(f"dropped {x}: it acts on what is no longer there")
    at = {b.name: (i, Pose.identity()) for i, b in enumerate(tree.bodies)}
    at |= {f.name: (f.body, f.placement) for f in tree.frames}
    at.setdefault(changes.get("base_name", model.base_name), (WORLD, Pose.identity()))
    known = changes.get("parameters", model.parameters)
    kept["constraints"] = list(_moving(kept["constraints"], at, known, dropped))
    passive = tuple(x for x in changes.pop("passive", model.passive) if x in joints)
    changes |= {kind: tuple(items) for kind, items in kept.items()}
    return replace(
        model,
        bodies=tree.bodies,
        passive=passive,
        frames=tree.frames,
        base_inertia=tree.base_inertia,
        base_visuals=tree.base_visuals,
        keyframes={},
        notes=(*model.notes, *dropped),
        **changes,
    )


def _moving(
    constraints: Iterable[Any],
    at: Mapping[str, tuple[int, Pose]],
    known: Mapping[str, Any],
    dropped: list[str],
) -> Iterator[Any]:
    """Those that still are about something that moves; the others hold already, or never will."""

    def value(x: Any) -> Any:
        return evaluate(x, known)

    for x in constraints:
        places = [(at[name][0], mapped(value, at[name][1])) for name in x.frames]
        holds = x.mapped(value).still_holds(*places)
        if holds is None:
            yield x
        elif holds or not x.active:
            dropped.append(f"dropped {x}: nothing in it moves any more, and it holds")
        else:
            raise ArgumentError(f"{x}: that cannot be, as nothing in it moves any more")


def graph_of(model: Model) -> Graph | None:
    """Where the expressions of this model live, if it has any."""
    return next((x.graph for x in leaves(model) if isinstance(x, Expr)), None)


def _held(b: Body, q: Any) -> Body:
    """A body whose joint is frozen."""
    none: dict[str, Any] = dict.fromkeys(JOINT_NUMBERS, np.zeros(0))
    pose = b.placement @ b.joint.transform(q)
    return replace(b, placement=pose, joint=Fixed(), limits=Limits.of(Fixed()), mimic=None, **none)


ACTING = ("springs", "constraints", "actuators")  # what a model has on its joints and frames
JOINT_KEYS = ("joint",)  # by which these name joints, coordinates and frames
COORDINATE_KEYS = ("coordinates",)
FRAME_KEYS = ("frame", "frame1", "frame2", "frames")


def _named(part: Any, keys: tuple[str, ...]) -> set[str]:
    """The joints or frames that a spring, a loop or an actuator acts on."""
    names = [getattr(part, key, "") for key in keys]
    listed = [[x] if isinstance(x, str) else x for x in names]
    return {name for some in listed if isinstance(some, Iterable) for name in some} - {""}


def _renamed(part: Any, prefix: str, bases: Mapping[str, str]) -> Any:
    """A spring, a loop or an actuator of a model whose names get a prefix; bases have others."""

    def new(x: Any, frame: bool) -> Any:
        if not isinstance(x, str):
            return tuple(new(name, frame) for name in x)
        return (bases.get(x, prefix + x) if frame else prefix + x) if x else x

    own = {x.name for x in fields(part)}
    keys = [k for k in (*JOINT_KEYS, *FRAME_KEYS) if k in own]
    names = {k: new(getattr(part, k), k in FRAME_KEYS) for k in keys}
    return replace(part, name=prefix + part.name, **names)


def _moved_to(graph: Graph, x: Any) -> Any:
    """The same expression in another graph."""
    if not isinstance(x, Expr):
        return x
    return evaluate(x, {name: graph.input(name) for name in names_in([x])})

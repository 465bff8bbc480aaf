"""A model as URDF. What URDF cannot state is refused by name, or left out and listed if asked.

Bodies become links with their joints, frames become links without mass on fixed joints, a free base
becomes a floating joint below a link "world". All numbers are written in full. Readers go depth
first and order the joints of one link by name: where the model has another order, its joints hang
on links without mass that stand where the body is, on fixed joints whose names have the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from lxml import etree

from visviva.describe.bodies.inertia import Inertia
from visviva.describe.files.urdf.meshes import URDF_SHAPES
from visviva.describe.files.xmlwriting import fresh, remark
from visviva.describe.joints.axis import Prismatic, Revolute
from visviva.describe.joints.free import Free, Planar
from visviva.describe.model.body import WORLD, Body, Visual, is_identity
from visviva.describe.model.model import GRAVITY, Model
from visviva.errors import ArgumentError
from visviva.space.euler import euler_angles
from visviva.space.poses import Pose

TYPES = {Revolute: "revolute", Prismatic: "prismatic", Planar: "planar", Free: "floating"}
LIMIT = ("lower", "upper", "velocity", "effort")  # what the element has
NO_LIMIT = float(np.finfo(float).max)  # other readers know no infinity


def to_urdf(model: Model, *, lossy: bool = False) -> str:
    """The model as the text of a URDF file.

    Joints that URDF lacks (spherical, helical, cylindrical, universal) are refused. Rotor inertia,
    constraints, key frames and another gravity than (0, 0, -9.81) are refused too, unless `lossy`:
    then a comment lists them.
    """
    numeric = model.numeric
    if numeric.is_symbolic:
        raise ArgumentError(f"model {model.name!r} has symbols without values; give it parameters")
    if unknown := [b for b in numeric.bodies if type(b.joint) not in TYPES]:
        listed = ", ".join(f"{b.joint_name!r} is {b.joint.kind}" for b in unknown)
        known = ", ".join(["fixed", "continuous", *TYPES.values()])
        raise ArgumentError(f"URDF has no such joints: {listed} (available: {known})")
    lost = _lost(numeric)
    if lost and not lossy:
        raise ArgumentError(
            f"URDF cannot state {'; '.join(lost)}; lossy=True leaves that out and says so"
        )
    try:
        return _written(numeric, lost)
    except ValueError as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"model {model.name!r}: a name cannot stand in XML: {error}") from None


def _lost(model: Model) -> list[str]:
    """What cannot be said, in words."""
    m = model
    armature = [b.joint_name for b in m.bodies if np.any(b.armature)]
    sticky = [b.joint_name for b in m.bodies if np.any(b.stiction)]
    stopped = [b.joint_name for b in m.bodies if b.limits.are_stops]
    uneven = [b.joint_name for b in m.bodies if any(np.ptp(x) for x in (b.damping, b.friction))]
    bounded = [b.joint_name for b in m.bodies if b.joint.nv > 1 and _is_limited(b)]
    strange = sorted({v.kind for b in m.bodies for v in b.visuals} - set(URDF_SHAPES))
    gravity = () if tuple(m.gravity) == GRAVITY else m.gravity.tolist()
    there = (
        (m.springs, f"{len(m.springs)} springs"),
        (m.actuators, f"{len(m.actuators)} actuators"),
        (sticky, f"the stiction of {', '.join(sticky)}"),
        (stopped, f"the restitution at the stops of {', '.join(stopped)}"),
        (armature, f"the armature of {', '.join(armature)}"),
        (uneven, f"damping or friction that differ within a joint: {', '.join(uneven)}"),
        (bounded, f"limits of joints with several coordinates: {', '.join(bounded)}"),
        (strange, f"visuals of kind {', '.join(strange)}"),
        (m.passive, f"that {', '.join(m.passive)} is passive"),
        (m.constraints, f"{len(m.constraints)} constraints: {', '.join(m.constraints.names)}"),
        (m.keyframes, f"key frames {', '.join(m.keyframes)}"),
        (gravity, f"gravity {gravity}"),
    )
    return [said for what, said in there if what]


def _written(model: Model, lost: list[str]) -> str:
    robot = etree.Element("robot", name=model.name)
    remark(robot, "left out", lost)
    taken = set(model.frame_names)
    base = model.base_name
    at_base = [
        f for f in model.frames if f.name == base and f.body == WORLD and is_identity(f.placement)
    ]
    if base in taken and not at_base:
        base = fresh(base, taken)
        why = f"the base {model.base_name!r} is {base!r}, for a body or frame has that name"
        remark(robot, "renamed", [why])
    names = {i: b.name for i, b in enumerate(model.bodies)} | {WORLD: base}
    branches = _branches(model, names)
    used = {x.link for x in branches.values()}
    new = used - {f.name for f in model.frames}
    how = f"links without mass that keep the order of joints: {', '.join(sorted(new))}"
    remark(robot, "added", [how] if new else [])
    _link(robot, base, model.base_inertia, model.base_visuals)
    for i, b in enumerate(model.bodies):
        _link(robot, b.name, b.inertia, b.visuals)
        if i in branches:
            _fixed(robot, *branches[i], names[b.parent], Pose.identity())
        _joint(robot, b, branches[i].link if i in branches else names[b.parent])
    joints = {b.joint_name for b in model.bodies} | {x.joint for x in branches.values()}
    for f in model.frames:
        if f not in at_base and f.name not in used:
            name = fresh(f"{f.name}_fixed", joints)
            joints.add(name)
            _fixed(robot, f.name, name, names[f.body], f.placement)
    text: str = etree.tostring(robot, pretty_print=True, encoding="unicode")
    return '<?xml version="1.0"?>\n' + text


class Branch(NamedTuple):
    """A link without mass where a body is, and the fixed joint between the two."""

    link: str
    joint: str


def _branches(model: Model, names: Mapping[int, str]) -> dict[int, Branch]:
    """By body, what its joint hangs on where names would give joints another order.

    Joints of one body that are in order stay; the name of the last of them begins the names of the
    fixed joints, which come after it. A link that an earlier file got for this is a frame of the
    model, and serves again.
    """
    children: dict[int, list[int]] = {}
    for i, b in enumerate(model.bodies):
        children.setdefault(b.parent, []).append(i)
    here = {(f.name, f.body) for f in model.frames if is_identity(f.placement)}
    links, joints = {*names.values(), *model.frame_names}, {b.joint_name for b in model.bodies}
    branches: dict[int, Branch] = {}
    for parent, some in children.items():
        own = [model.bodies[i].joint_name for i in some]
        kept = next((k for k in range(1, len(own)) if own[k] < own[k - 1]), len(own))
        width = len(str(len(own) - kept))
        for k, i in enumerate(some[kept:], 1):
            link = f"{names[parent]}_branch_{k}"
            link = link if (link, parent) in here else fresh(link, links)
            branches[i] = Branch(link, fresh(f"{own[kept - 1]}_then_{k:0{width}d}", joints))
            links.add(link)
            joints.add(branches[i].joint)
    return branches


def _fixed(robot: Any, link: str, joint: str, host: str, placement: Pose) -> None:
    """A link without mass on a fixed joint."""
    _link(robot, link, None, ())
    _origin(_joined(robot, joint, "fixed", host, link), placement)


def _link(robot: Any, name: str, inertia: Inertia | None, visuals: Iterable[Visual]) -> None:
    link = etree.SubElement(robot, "link", name=name)
    if inertia is not None and (inertia.mass or np.any(inertia.tensor)):
        inertial = etree.SubElement(link, "inertial")
        _origin(inertial, Pose.translation(inertia.com))
        etree.SubElement(inertial, "mass", value=_text(inertia.mass))
        entries = {
            f"i{'xyz'[i]}{'xyz'[j]}": _text(inertia.tensor[i, j])
            for i in range(3)
            for j in range(i, 3)
        }
        etree.SubElement(inertial, "inertia", **entries)
    for v in visuals:
        _visual(link, v)


def _visual(link: Any, v: Visual) -> None:
    if v.kind not in URDF_SHAPES:
        return
    visual = etree.SubElement(link, "visual")
    _origin(visual, v.placement)
    geometry = etree.SubElement(visual, "geometry")
    if v.kind == "mesh":
        words = {"filename": v.path} | ({"scale": _text(v.size)} if v.size else {})
    elif v.kind == "box":
        words = {"size": _text(v.size)}
    else:
        words = dict(zip(("radius", "length"), map(_text, v.size), strict=False))
    etree.SubElement(geometry, v.kind, words)
    if v.color:
        rgba = _text((*v.color, 1.0)[:4])
        material = etree.SubElement(visual, "material", name=f"rgba {rgba}")
        etree.SubElement(material, "color", rgba=rgba)


def _joint(robot: Any, b: Body, parent: str) -> None:
    kind = TYPES[type(b.joint)]
    if kind == "revolute" and np.isinf(b.limits.lower[0]) and np.isinf(b.limits.upper[0]):
        kind = "continuous"
    joint = _joined(robot, b.joint_name, kind, parent, b.name)
    _origin(joint, b.placement)
    if (axis := getattr(b.joint, "axis", getattr(b.joint, "normal", None))) is not None:
        etree.SubElement(joint, "axis", xyz=_text(axis))
    if b.joint.nv == 1 and (kind != "continuous" or _is_limited(b)):
        values = {name: _text(getattr(b.limits, name)) for name in LIMIT}
        etree.SubElement(joint, "limit", **values)
    if np.any(b.damping) or np.any(b.friction):
        damping, friction = _text(b.damping[0]), _text(b.friction[0])
        etree.SubElement(joint, "dynamics", damping=damping, friction=friction)
    if b.mimic is not None:
        factor, offset = _text(b.mimic.multiplier), _text(b.mimic.offset)
        etree.SubElement(joint, "mimic", joint=b.mimic.joint, multiplier=factor, offset=offset)


def _joined(robot: Any, name: str, kind: str, parent: str, child: str) -> Any:
    joint = etree.SubElement(robot, "joint", name=name, type=kind)
    etree.SubElement(joint, "parent", link=parent)
    etree.SubElement(joint, "child", link=child)
    return joint


def _origin(element: Any, X: Pose) -> None:
    turned = {} if np.array_equal(X.R, np.eye(3)) else {"rpy": _text(euler_angles(X.R, "xyz"))}
    etree.SubElement(element, "origin", xyz=_text(X.p), **turned)


def _text(values: Any) -> str:
    """Numbers, in as many digits as it takes to read them back."""
    finite = np.clip(np.asarray(values, dtype=float), -NO_LIMIT, NO_LIMIT)
    if np.isnan(finite).any():
        raise ArgumentError(f"a model with NaN cannot be written: {finite.tolist()}")
    return " ".join(repr(float(x)) for x in np.atleast_1d(finite))


def _is_limited(b: Body) -> bool:
    own = b.limits.lower, b.limits.upper, b.limits.velocity, b.limits.effort
    return any(np.isfinite(x).any() for x in own)

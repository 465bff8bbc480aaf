"""Write a model as MJCF.

MuJoCo wants mass and inertia on everything that moves, so a massless body with one child becomes a
further joint of that child. A joint of several coordinates becomes several joints of one body,
named `<joint>_<coordinate>`; a planar one lists x, y and the angle, in that order, and its speeds
are along fixed axes. The position of a free joint is that in the world, whatever its placement.
Frames become sites; an actuator that pushes elsewhere gets a site of its own. A spring on a joint
is its stiffness there. Speed limits and which joints are passive stand in `<custom>`, where MuJoCo
does not look. Parameters have their values put in. What has no place in the file (springs between
frames, stiction, most loops) is refused by name, or left out and listed if asked; meshes, which are
only seen, are left out and listed. A body called `world`, which is MuJoCo's own, gets another name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, count
from typing import Any

import numpy as np
from lxml import etree

from visviva.describe.bodies.inertia import Inertia
from visviva.describe.constraints.plane import common_axis
from visviva.describe.files.mjcf.write_parts import (
    DRAWN,
    equality,
    joint_elements,
    lost,
    number,
    pose_attributes,
    undrawn,
    with_dampers,
    write_actuators,
    write_custom,
    write_springs,
)
from visviva.describe.files.mjcf.write_parts import numbers as text
from visviva.describe.files.xmlwriting import fresh, remark
from visviva.describe.joints.axis import Revolute
from visviva.describe.model.body import WORLD, Body, Frame, Visual
from visviva.describe.model.model import Model
from visviva.describe.model.orders import Order
from visviva.errors import WriteError
from visviva.space.poses import Pose

WORLD_NAME = "world"  # MuJoCo's own
SMALLEST = 1e-15  # MuJoCo's mjMINVAL: less counts as no mass
COMPILER = {
    "angle": "radian",
    "autolimits": "false",
    "inertiafromgeom": "false",
    "fusestatic": "false",
    "discardvisual": "false",
}


def to_mjcf(model: Model, *, lossy: bool = False) -> str:
    """The model as the text of an MJCF file; with `lossy`, a comment lists what it cannot say."""
    m = model.numeric
    missing = lost(m)
    if missing and not lossy:
        raise WriteError(
            f"MJCF cannot state {'; '.join(missing)}; lossy=True leaves that out and says so"
            f"{_as_points(m)}"
        )
    try:
        return _written(with_dampers(m), [*missing, *undrawn(m)])
    except ValueError as error:
        if isinstance(error, WriteError):
            raise
        raise WriteError(f"model {model.name!r}: a name cannot stand in XML: {error}") from None


def _as_points(m: Model) -> str:
    """That loops closed by a ball are written, where hinges are lost that close a plane."""
    hinges = [x for x in m.loops if x.active and type(x.joint) is Revolute]
    if not any(common_axis(m, *x.frames) is not None for x in hinges):
        return ""
    return (
        ". A loop closed by joint='spherical' is written, as connect; it holds a plane linkage as "
        "a hinge does"
    )


def _written(m: Model, missing: list[str]) -> str:
    root = etree.Element("mujoco", model=m.name)
    remark(root, "left out", missing)
    names = {b.name: b.name for b in m.bodies}
    if WORLD_NAME in names:
        names[WORLD_NAME] = fresh(WORLD_NAME, m.frame_names)
        why = f"body {WORLD_NAME!r} is {names[WORLD_NAME]!r}, for MuJoCo's own world has that name"
        remark(root, "renamed", [why])
    etree.SubElement(root, "compiler", COMPILER)
    etree.SubElement(root, "option", gravity=text(m.gravity))
    world = etree.SubElement(root, "worldbody")
    _base(m, world)
    elements = {WORLD: world}
    for group in _chains(m):
        elements[group[-1]] = _body(m, group, elements[m.bodies[group[0]].parent], names)
    _equalities(m, root)
    write_springs(m, world)
    write_actuators(m, root, elements)
    write_custom(m, root)
    if m.keyframes:
        keys, order = etree.SubElement(root, "keyframe"), Order(m, "mujoco")
        for name, q in m.keyframes.items():
            etree.SubElement(keys, "key", name=name, qpos=text(order.q_to(q)))
    etree.indent(root)
    written: str = etree.tostring(root, encoding="unicode")
    return written + "\n"


def _chains(m: Model) -> list[list[int]]:
    """Bodies in groups that are one body of MuJoCo: massless ones, then the one that has mass."""
    children: dict[int, list[int]] = {i: [] for i in range(WORLD, len(m.bodies))}
    for i, b in enumerate(m.bodies):
        children[b.parent].append(i)
    framed = {f.body for f in m.frames}
    chains: list[list[int]] = []
    open_chain: dict[int, list[int]] = {}
    for i, b in enumerate(m.bodies):
        chain = [*open_chain.pop(b.parent, []), i]
        if _has_mass(b.inertia):
            freedoms = sum(m.bodies[k].joint.nv for k in chain)
            if freedoms > 6:
                raise WriteError(f"body {b.name!r} would have {freedoms} freedoms; MuJoCo takes 6")
            chains.append(chain)
            continue
        if len(children[i]) != 1 or i in framed or b.visuals or b.inertia.mass != 0:
            raise WriteError(
                f"body {b.name!r} moves and has mass {number(b.inertia.mass)} and principal "
                f"moments {text(b.inertia.principal().moments)}; MuJoCo wants all of them above "
                f"{SMALLEST:g}, or no mass at all and a single child on a body without frames"
            )
        open_chain[i] = chain
    return chains


def _has_mass(inertia: Inertia) -> bool:
    return bool(inertia.mass > SMALLEST and inertia.principal().moments.min() > SMALLEST)


def _body(m: Model, chain: list[int], parent: Any, names: Mapping[str, str]) -> Any:
    """One body with all joints of a chain, their axes seen from the last body's frame."""
    last = m.bodies[chain[-1]]
    behind = Pose.identity()  # of the last body's frame in the joint's child frame, at zero
    joints: list[Any] = []
    for i in reversed(chain):
        b = m.bodies[i]
        joints = [*joint_elements(b, behind, alone=len(chain) == 1), *joints]
        behind = b.placement @ behind
    kinds = [j.get("type") for j in joints]
    if "ball" in kinds and {"ball", "hinge"} & set(kinds[kinds.index("ball") + 1 :]):
        raise WriteError(
            f"body {last.name!r}: MuJoCo has no turn after a ball on one body; give mass to "
            f"{[m.bodies[i].name for i in chain[:-1]]}"
        )
    element = etree.SubElement(parent, "body", name=names[last.name], **pose_attributes(behind))
    element.extend(joints)
    _inertial(element, last.inertia)
    for v in last.visuals:
        _geom(element, v)
    _sites(element, (f for f in m.frames if f.body == chain[-1]))
    return element


def _base(m: Model, world: Any) -> None:
    """Frames of the base; its inertia goes to a body at one of them, as the world can have none."""
    fixed = [f for f in m.frames if f.body == WORLD]
    mass = m.base_inertia
    if mass is not None and mass.mass > 0:
        used = {name for loop in m.loops for name in loop.frames}
        used.add(WORLD_NAME)
        host = next((f for f in fixed if f.name not in used), None)
        if host is None:
            numbered = (f"base_{k}" for k in count(2))
            wanted = chain(("base", "base_inertia"), numbered)
            name = next(n for n in wanted if n not in m.frame_names)
            host = Frame(name, WORLD, Pose.identity())
        element = etree.SubElement(world, "body", name=host.name, **pose_attributes(host.placement))
        back = host.placement.inverse()
        _inertial(element, mass.moved(back.R, back.p))
        fixed = [f for f in fixed if f is not host]
    for v in m.base_visuals:
        _geom(world, v)
    _sites(world, fixed)


def _inertial(parent: Any, inertia: Inertia) -> None:
    """By principal moments: MuJoCo's own diagonalisation stops at twelve digits."""
    seen = inertia.principal()
    etree.SubElement(
        parent,
        "inertial",
        **pose_attributes(Pose(seen.axes, inertia.com)),
        mass=number(inertia.mass),
        diaginertia=text(np.maximum(seen.moments, 0.0)),
    )


def _sites(parent: Any, frames: Iterable[Frame]) -> None:
    for f in frames:
        etree.SubElement(parent, "site", name=f.name, **pose_attributes(f.placement))


def _geom(parent: Any, v: Visual) -> None:
    """Something to see that touches nothing; MuJoCo's sizes are halves."""
    if v.kind not in DRAWN:
        return
    halved = {"box": slice(0, 3), "cylinder": slice(1, 2), "capsule": slice(1, 2)}
    size = np.array(v.size, dtype=float)
    size[halved.get(v.kind, slice(0, 0))] /= 2
    color = {"rgba": text([*v.color, 1.0][:4])} if v.color else {}
    etree.SubElement(
        parent,
        "geom",
        type=v.kind,
        size=text(size),
        contype="0",
        conaffinity="0",
        **pose_attributes(v.placement),
        **color,
    )


def _equalities(m: Model, root: Any) -> None:
    followers = [b for b in m.bodies if b.mimic is not None]
    stated = [(x, said) for x in m.constraints if (said := equality(m, x)) is not None]
    if not followers and not stated:
        return
    out = etree.SubElement(root, "equality")
    for b in followers:
        _mimic(out, b)
    for x, (tag, words) in stated:
        sites = {f"site{k}": _site(m, name) for k, name in enumerate(x.frames, 1)}
        active = "true" if x.active else "false"
        etree.SubElement(out, tag, name=x.name, active=active, **sites, **words)


def _site(m: Model, name: str) -> str:
    if name not in {f.name for f in m.frames}:
        raise WriteError(f"a loop closes at {name!r}, which is no frame but a body: add a frame")
    return name


def _mimic(parent: Any, b: Body) -> None:
    mimic = b.mimic
    if mimic is None or b.joint.nv != 1:
        raise WriteError(f"joint {b.joint_name!r} has several coordinates and cannot follow one")
    c = text([mimic.offset, mimic.multiplier, 0.0, 0.0, 0.0])
    etree.SubElement(parent, "joint", joint1=b.joint_name, joint2=mimic.joint, polycoef=c)

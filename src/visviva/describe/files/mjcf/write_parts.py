"""Joints, positions, springs and actuators in MJCF's words, and what it has no words for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from lxml import etree
from numpy.polynomial import Polynomial

from visviva.algebra.diff import jacobian
from visviva.describe.files.mjcf.tree import PASSIVE, SPEED, UNBOUNDED
from visviva.describe.joints.axis import Cylindrical, Fixed, Helical, Prismatic, Revolute, Universal
from visviva.describe.joints.free import Free, Planar, Spherical
from visviva.describe.model.actuator import Actuator, motor_velocity
from visviva.describe.model.body import WORLD, Body, Spring, is_identity
from visviva.describe.model.model import Model
from visviva.describe.model.stiffness import Stiffness
from visviva.errors import WriteError
from visviva.space.poses import Pose
from visviva.space.rotations import quaternion

DRAWN = ("box", "cylinder", "capsule", "sphere", "ellipsoid")
SAME = 1e-12


def number(x: Any) -> str:
    """All digits of a number, as MJCF has them."""
    return repr(float(x))


def numbers(values: Any) -> str:
    """All digits of several numbers, with blanks between."""
    return " ".join(number(x) for x in values)


def pose_attributes(X: Pose) -> dict[str, str]:
    """pos and quat; a quaternion without rotation is left out."""
    words = {"pos": numbers(X.p)}
    if np.any(np.eye(3) != X.R):
        words["quat"] = numbers(quaternion(X.R)[[3, 0, 1, 2]])
    return words


def joint_elements(b: Body, behind: Pose, alone: bool) -> list[Any]:
    """A joint's elements in a body whose frame is at `behind` in the joint's child frame."""
    kind = b.joint
    if type(kind) is Revolute:
        return [_element(b, "hinge", 0, kind.axis, behind)]
    if type(kind) is Prismatic:
        return [_element(b, "slide", 0, kind.axis, behind)]
    if type(kind) is Cylindrical:  # turn and shift commute
        return [_element(b, t, k, kind.axis, behind) for k, t in enumerate(("hinge", "slide"))]
    if type(kind) is Universal:
        axes = kind.axis, kind.second
        return [_element(b, "hinge", k, axis, behind) for k, axis in enumerate(axes)]
    if type(kind) is Planar:
        _need_equal(b, "a planar", slice(1, 3))
        if np.any(b.friction[1:]):
            raise WriteError(
                f"joint {b.joint_name!r}: friction of a planar joint is along its own axes, that "
                "of MuJoCo's slides along fixed ones"
            )
        shifts = [_element(b, "slide", k, kind.basis[:, k - 1], behind) for k in (1, 2)]
        return [*shifts, _element(b, "hinge", 0, kind.normal, behind)]
    if type(kind) is Spherical:
        if np.abs(behind.R - np.eye(3)).max() > SAME:
            raise WriteError(
                f"joint {b.joint_name!r}: a ball in front of a turned joint on a massless body "
                "has no form in MJCF; give the body a mass"
            )
        _need_equal(b, "a spherical", slice(0, 3))
        return [_element(b, "ball", 0, None, behind)]
    if type(kind) is Free:
        if b.parent != WORLD or not alone:
            raise WriteError(
                f"joint {b.joint_name!r}: MJCF has free joints only between the world and a body "
                f"with mass, got one on the parent {b.parent}"
            )
        _need_equal(b, "a free", slice(0, 6))
        return [_element(b, "free", 0, None, behind)]
    raise WriteError(
        f"joint {b.joint_name!r} is {kind.kind}, for which MJCF has no form; "
        "available: revolute, prismatic, cylindrical, universal, planar, spherical, free"
    )


def element_name(b: Body, k: int) -> str:
    """The joint's name, with the coordinate's if there are several elements."""
    return b.joint_name + (f"_{b.joint.coordinates[k]}" if _several(b) else "")


def _several(b: Body) -> bool:
    """Whether a joint has an element for each of its coordinates."""
    return isinstance(b.joint, (Cylindrical, Universal, Planar))


def _element(b: Body, kind: str, k: int, axis: Any, behind: Pose) -> Any:
    """The element of coordinate k of a joint."""
    words = {"name": element_name(b, k), "type": kind}
    if axis is not None:
        words["axis"] = numbers(behind.R.T @ axis)
    anchor = -(behind.R.T @ behind.p)
    if kind in ("hinge", "ball") and np.any(anchor):
        words["pos"] = numbers(anchor)
    losses = {"damping": b.damping, "frictionloss": b.friction, "armature": b.armature}
    words |= {word: number(values[k]) for word, values in losses.items() if values[k]}
    return etree.Element("joint", words if axis is None else words | _ranges(b, k))


def _ranges(b: Body, k: int) -> dict[str, str]:
    """Ranges of position and force."""
    words: dict[str, str] = {}
    low, high = float(b.limits.lower[k]), float(b.limits.upper[k])
    if (np.isfinite(low) or np.isfinite(high)) and low < high:  # MuJoCo refuses empty ranges
        ends = [max(low, -UNBOUNDED), min(high, UNBOUNDED)]
        words |= {"limited": "true", "range": numbers(ends)}
    effort = float(b.limits.effort[k])
    if np.isfinite(effort) and effort > 0:
        words |= {"actuatorfrclimited": "true", "actuatorfrcrange": numbers([-effort, effort])}
    return words


def _need_equal(b: Body, kind: str, part: slice) -> None:
    """MuJoCo has one number for all directions."""
    for word in ("damping", "friction", "armature"):
        values = getattr(b, word)[part]
        if np.any(values != values[0]):
            raise WriteError(
                f"joint {b.joint_name!r}: {word} of {kind} joint is one number in MJCF, got "
                f"{values.tolist()}"
            )


# ---- springs and actuators


def lost(m: Model) -> list[str]:
    """What cannot be said, in words."""
    kept = joint_springs(m).values()
    turned, bounded, empty, weak = (
        [b.joint_name for b in m.bodies if has(b)]
        for has in (_turned, _bounded, _empty, lambda b: np.any(b.limits.effort == 0))
    )
    there: tuple[tuple[str, Iterable[str]], ...] = (
        ("speed limits along the own axes of ", turned),
        ("limits of joints with several coordinates: ", bounded),
        ("empty ranges of ", empty),
        ("effort limits of zero of ", weak),
        (
            "springs between frames, or a second one on a joint: ",
            [s.name for s in m.springs if s not in kept and not _has_law(s)],
        ),
        ("springs with a law of their stretch: ", [s.name for s in m.springs if _has_law(s)]),
        ("stiction of ", [b.joint_name for b in m.bodies if np.any(b.stiction)]),
        ("restitution at the stops of ", [b.joint_name for b in m.bodies if b.limits.are_stops]),
        ("actuators ", [a.name for a in m.actuators if _words(m, a) is None]),
        ("constraints: ", [str(x) for x in m.constraints if equality(m, x) is None]),
    )
    return [f"{what}{', '.join(names)}" for what, names in there if names]


def undrawn(m: Model) -> list[str]:
    """What is only seen and has no picture in the file, in words."""
    seen = [*m.base_visuals, *(v for b in m.bodies for v in b.visuals)]
    kinds = sorted({v.kind for v in seen} - {*DRAWN})
    return [f"visuals of kind {', '.join(kinds)}"] if kinds else []


def write_custom(m: Model, root: Any) -> None:
    """Speed limits and which joints are passive, in words of ours: MuJoCo has none for them."""
    kept: list[Any] = []
    for b in m.bodies:
        speeds = np.minimum(b.limits.velocity, UNBOUNDED)
        each = [element_name(b, k) for k in range(b.joint.nv)]
        names = each if _several(b) else [b.joint_name]
        if np.isfinite(b.limits.velocity).any() and not _turned(b):
            for name, own in zip(names, np.split(speeds, len(names)), strict=True):
                data = {"size": str(len(own)), "data": numbers(own)}
                kept.append(etree.Element("numeric", name=SPEED + name, **data))
        if b.joint_name in m.passive:
            kept += [etree.Element("text", name=PASSIVE + name, data="true") for name in names]
    if kept:
        etree.SubElement(root, "custom").extend(kept)


EQUALITIES: dict[type, str] = {Fixed: "weld", Spherical: "connect"}
HIGHEST = 4  # the power of a source that a joint may follow


def equality(m: Model, x: Any) -> tuple[str, dict[str, str]] | None:
    """The element that states a constraint, and its attributes; None if there is none."""
    if x.frames:
        tag = EQUALITIES.get(type(x.joint))
        if tag is None:
            return None
        return tag, {"torquescale": number(x.torquescale)} if tag == "weld" else {}
    single = {b.joint_name for b in m.bodies if b.joint.coordinates == ("",)}
    if not x.is_read or x.is_moving or not x.names <= single or not 1 <= len(x.names) <= 2:
        return None
    for joint in sorted(x.names, key=lambda name: name not in x.text.partition("=")[0]):
        source = "".join(x.names - {joint})
        if (coefficients := _polynomial(x, joint, source)) is not None:
            given = {"joint1": joint} | ({"joint2": source} if source else {})
            return "joint", given | {"polycoef": numbers(coefficients)}
    return None


def _polynomial(x: Any, joint: str, source: str) -> list[float] | None:
    """Coefficients by powers of the source, where joint = Σ says the same as the relation."""
    formula = x.whole()
    slope = jacobian([formula], [formula.graph.input(joint)]).get((0, 0))
    if slope is None or not slope.is_constant:
        return None
    try:
        f = x.value({joint: 0.0, source: Polynomial([0.0, 1.0])})
    except (TypeError, ValueError, ArithmeticError, AttributeError):  # a function of it, say
        return None
    powers = [float(c) for c in getattr(f, "coef", [f])]
    if any(powers[HIGHEST + 1 :]):
        return None
    padded = [*powers, *[0.0] * HIGHEST][: HIGHEST + 1]
    return [-c / slope.value + 0.0 for c in padded]


def _bounded(b: Body) -> bool:
    limits = b.limits.lower, b.limits.upper, b.limits.effort
    return isinstance(b.joint, (Spherical, Free)) and any(np.isfinite(x).any() for x in limits)


def _turned(b: Body) -> bool:
    """Whether speeds are limited along axes that turn, where MuJoCo's slides stay."""
    return isinstance(b.joint, Planar) and bool(np.isfinite(b.limits.velocity).any())


def _empty(b: Body) -> bool:
    return bool(np.any(np.isfinite(b.limits.lower) & (b.limits.lower == b.limits.upper)))


def joint_springs(m: Model) -> dict[str, Spring]:
    """The first spring on each joint; MuJoCo has one."""
    springs: dict[str, Spring] = {}
    for s in m.springs:
        if s.joint and not _has_law(s):
            springs.setdefault(s.joint, s)
    return springs


def _has_law(s: Spring) -> bool:
    return isinstance(s.stiffness, Stiffness)


def with_dampers(m: Model) -> Model:
    """The dampers beside joint springs are damping of the joints."""
    beside = {joint: s.damping for joint, s in joint_springs(m).items()}
    bodies = (replace(b, damping=b.damping + beside.get(b.joint_name, 0.0)) for b in m.bodies)
    return replace(m, bodies=tuple(bodies))


def write_springs(m: Model, root: Any) -> None:
    """Stiffness and rest, on the elements of the joints."""
    elements = {e.get("name"): e for e in root.iter("joint")}
    for joint, s in joint_springs(m).items():
        e = elements[joint]
        e.set("stiffness", number(s.stiffness))
        e.set("springref", number(s.rest))


def write_actuators(m: Model, root: Any, elements: Mapping[int, Any]) -> None:
    """The actuators that MJCF has words for, and sites for those that push elsewhere."""
    sayable = [(a, said) for a in m.actuators if (said := _words(m, a)) is not None]
    if not sayable:
        return
    out = etree.SubElement(root, "actuator")
    for a, (target, gear) in sayable:
        words = {"name": a.name, **target, "gear": numbers(gear)}
        if "site" in target and target["site"] not in {f.name for f in m.frames}:
            place = m.frame(a.frame).placement @ Pose.translation(a.point)
            site = etree.SubElement(elements[m.frame(a.frame).body], "site", name=target["site"])
            site.set("pos", numbers(place.p))
            if not is_identity(Pose(place.R, np.zeros(3))):
                site.set("xyaxes", numbers([*place.R[:, 0], *place.R[:, 1]]))
        if np.isfinite([a.lower, a.upper]).any():
            words["forcelimited"] = "true"
            words["forcerange"] = numbers(np.clip([a.lower, a.upper], -UNBOUNDED, UNBOUNDED))
        etree.SubElement(out, "general", words)


def _words(m: Model, a: Actuator) -> tuple[dict[str, str], list[float]] | None:
    """On what an actuator acts, and its gear; None if MJCF cannot say it."""
    if a.kind == "motor":
        return _motor(m.bodies[m.joint_index(a.joint)], a, motor_velocity(m, a))
    frame, pushes = m.frame(a.frame), a.kind == "thruster"
    if a.axes == "world":
        host = next((b for b in m.bodies if b.name == a.frame), None)
        alone = host is not None and isinstance(host.joint, Free) and is_identity(host.placement)
        if host is None or not alone or np.any(a.point):
            return None
        key = "joint" if pushes else "jointinparent"
        return {key: host.joint_name}, _six(a.direction, pushes)
    named = {f.name for f in m.frames}
    if frame.body >= 0 and not m.bodies[frame.body].inertia.mass:
        return None  # it has no element of its own
    here = a.frame in named and not np.any(a.point)
    return {"site": a.frame if here else f"{a.name}_site"}, _six(a.direction, pushes)


def _motor(b: Body, a: Actuator, k: int) -> tuple[dict[str, str], list[float]] | None:
    gear = float(a.gear)
    if isinstance(b.joint, (Planar, Helical)) or (isinstance(b.joint, Free) and k > 2):
        return None  # along the body's own axes, where MuJoCo's are fixed
    if isinstance(b.joint, (Spherical, Free)):
        turn = [gear * (i == k) for i in range(3)]
        return {"joint": b.joint_name}, _six(turn, pushes=isinstance(b.joint, Spherical))
    return {"joint": element_name(b, k)}, [gear, 0.0, 0.0, 0.0, 0.0, 0.0]


def _six(direction: Any, pushes: bool) -> list[float]:
    """Three numbers and three zeros: forces first."""
    three, none = [float(x) for x in direction], [0.0, 0.0, 0.0]
    return [*three, *none] if pushes else [*none, *three]

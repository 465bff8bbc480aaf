"""The elements of a URDF, one by one: origins, inertias, joints with their limits."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import cos, hypot, inf, sin
from typing import Any

import numpy as np
from lxml import etree

from visviva.describe.bodies.inertia import Inertia
from visviva.describe.bodies.validity import impossibility
from visviva.describe.files.suspicions import turned_too_far
from visviva.describe.files.xmlfile import Document, xacro_command
from visviva.describe.joints.axis import Fixed, Prismatic, Revolute
from visviva.describe.joints.free import Free, Planar
from visviva.describe.joints.joint import Joint
from visviva.describe.model.body import Limits, Mimic
from visviva.space.poses import Pose
from visviva.space.rotations import snapped

URDF_JOINTS = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")
LIMITED = ("revolute", "prismatic")
ONE = ("revolute", "continuous", "prismatic")
JOINT_PARTS = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
ATTRIBUTES = {
    "robot": ("name", "version"),
    "link": ("name",),
    "inertial": (),
    "origin": ("xyz", "rpy"),
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "visual": ("name",),
    "geometry": (),
    "mesh": ("filename", "scale"),
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "sphere": ("radius",),
    "material": ("name",),
    "joint": ("name", "type"),
    "parent": ("link",),
    "child": ("link",),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "velocity", "effort"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
}
UNMODELLED = {  # what is not read and would act: the kind of the effect, and words before the count
    "collision": ("contact", "contacts are not part of the model: nothing stops at")
}
LIMIT_SHAPE = '<limit lower="-1" upper="1" velocity="2" effort="10"/>'


@dataclass
class Context:
    """The file that is being read, how to read it, and what there is to say about it."""

    doc: Document
    snap: float
    colors: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    attributes: Counter[str] = field(default_factory=Counter)
    turned: list[str] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)  # inertias without products
    zero: dict[str, list[str]] = field(default_factory=dict)  # limits, by what they limit
    snapped: int = 0
    largest: float = 0.0

    def parts(self, element: Any, known: tuple[str, ...]) -> dict[str, Any]:
        """The first child of each known tag; all others are counted as ignored."""
        parts: dict[str, Any] = {}
        for child in element:
            tag = child.tag
            if tag in known and tag not in parts:
                parts[tag] = child
                self.look(child)
            else:
                self.ignore(child)
        return parts

    def look(self, element: Any) -> None:
        """Count the attributes that mean nothing on an element that is read."""
        known = ATTRIBUTES[element.tag]
        for name in element.attrib:
            if name not in known:
                close = get_close_matches(etree.QName(name).localname, known, n=1)
                hint = f" (did you mean {close[0]!r}?)" if close else ""
                self.attributes[f"{name!r} of <{element.tag}>{hint}"] += 1

    def ignore(self, element: Any) -> None:
        """Count an element that has no meaning here; macros that were not expanded are refused."""
        name = etree.QName(element)
        if "xacro" in (name.namespace or ""):
            raise self.doc.error(
                element, "has to go through xacro first", xacro_command(self.doc.source)
            )
        self.ignored[name.localname] += 1

    def pose(self, origin: Any) -> Pose:
        """An <origin>: xyz, and R = Rz(yaw) Ry(pitch) Rx(roll) of rpy."""
        if origin is None:
            return Pose.identity()
        xyz = self.doc.numbers(origin, "xyz", 3, (0.0, 0.0, 0.0))
        rpy = self.doc.numbers(origin, "rpy", 3, (0.0, 0.0, 0.0))
        if word := turned_too_far(f"line {origin.sourceline}", rpy):
            self.turned.append(word)
        return Pose(
            self._cleaned(np.array(rpy_matrix(*rpy))) if any(rpy) else np.eye(3), np.array(xyz)
        )

    def _cleaned(self, R: Any) -> Any:
        new = snapped(R, self.snap)
        change = np.abs(new - R)
        self.snapped += int(np.count_nonzero(change[np.isin(new, (-1.0, 0.0, 1.0))]))
        self.largest = max(self.largest, float(change.max()))
        return new


def rpy_matrix(roll: float, pitch: float, yaw: float) -> list[list[float]]:
    """Rz(yaw) Ry(pitch) Rx(roll)."""
    cr, sr, cp, sp, cy, sy = cos(roll), sin(roll), cos(pitch), sin(pitch), cos(yaw), sin(yaw)
    return [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]


def inertia(at: Context, link: str, element: Any) -> Inertia:
    """An <inertial>; impossible numbers that real files contain are kept and noted."""
    if element is None:
        return Inertia(0.0, np.zeros(3), np.zeros((3, 3)), checked=False)
    doc = at.doc
    parts = at.parts(element, ("origin", "mass", "inertia"))
    for tag, shape in (("mass", '<mass value="1"/>'), ("inertia", '<inertia ixx="1" .../>')):
        if tag not in parts:
            raise doc.error(element, f"has no <{tag}>", shape)
    mass = doc.number(parts["mass"], "value")
    if mass < 0:
        raise doc.error(parts["mass"], f"mass is {mass:g}", "a mass of zero or more")
    xx, yy, zz = (doc.number(parts["inertia"], k) for k in ("ixx", "iyy", "izz"))
    if absent := [k for k in ("ixy", "ixz", "iyz") if parts["inertia"].get(k) is None]:
        at.incomplete.append(f"{link!r} ({', '.join(absent)})")
    xy, xz, yz = (doc.number(parts["inertia"], k, 0.0) for k in ("ixy", "ixz", "iyz"))
    pose = at.pose(parts.get("origin"))
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if reason := impossibility(mass, pose.p, tensor):
        at.notes.append(f"link {link!r}: {reason}; kept as it is")
    return Inertia(mass, pose.p, pose.R @ tensor @ pose.R.T, checked=False)


@dataclass(frozen=True, eq=False)
class JointPart:
    """A <joint> as it stands in the file."""

    name: str
    kind: str
    parent: str
    child: str
    placement: Pose
    joint: Joint
    limits: Limits
    damping: float
    friction: float
    mimic: Mimic | None
    element: Any


def joint(at: Context, element: Any) -> JointPart:
    """A <joint>: its motion, its place in the parent link, limits and losses."""
    doc = at.doc
    name, kind = doc.required(element, "name"), doc.required(element, "type")
    if kind not in URDF_JOINTS:
        raise doc.error(element, f"unknown joint type {kind!r}", ", ".join(URDF_JOINTS))
    parts = at.parts(element, JOINT_PARTS)
    for tag in ("parent", "child"):
        if tag not in parts:
            raise doc.error(element, f"has no <{tag}>", f'<{tag} link="..."/>')
    motion = _motion(at, name, kind, parts.get("axis"))
    damping = friction = 0.0
    if "dynamics" in parts and kind != "fixed":
        losses = {k: doc.number(parts["dynamics"], k, 0.0) for k in ("damping", "friction")}
        for k, x in losses.items():
            if x < 0:
                problem = f"{k} {x:g} of joint {name!r} is negative"
                raise doc.error(parts["dynamics"], problem, "a number from 0 on")
        damping, friction = losses["damping"], losses["friction"]
    return JointPart(
        name,
        kind,
        doc.required(parts["parent"], "link"),
        doc.required(parts["child"], "link"),
        at.pose(parts.get("origin")),
        motion,
        _limits(at, name, kind, motion, element, parts.get("limit")),
        damping,
        friction,
        _mimic(at, name, kind, parts.get("mimic")),
        element,
    )


def _motion(at: Context, name: str, kind: str, element: Any) -> Joint:
    if kind == "fixed":
        return Fixed()
    if kind == "floating":
        return Free()
    axis = (1.0, 0.0, 0.0) if element is None else at.doc.numbers(element, "xyz", 3)
    length = hypot(*axis)
    if length < 1e-12:
        raise at.doc.error(element, f"the axis of joint {name!r} is zero", 'like xyz="0 0 1"')
    if abs(length - 1.0) > 1e-9:
        at.notes.append(f"joint {name!r}: axis of length {length:.12g} is scaled to length 1")
    types: dict[str, Any] = {"prismatic": Prismatic, "planar": Planar}
    motion: Joint = types.get(kind, Revolute)(np.array(axis) / length)
    return motion


def _limits(at: Context, name: str, kind: str, motion: Joint, joint: Any, limit: Any) -> Limits:
    doc = at.doc
    if limit is None and kind in LIMITED:
        raise doc.error(joint, f"a {kind} joint needs <limit>", LIMIT_SHAPE)
    if limit is not None and kind not in (*ONE, "fixed"):
        at.notes.append(f"joint {name!r}: <limit> of a {kind} joint is ignored")
    if limit is None or kind not in ONE:
        return Limits.of(motion)
    if absent := [k for k in ("velocity", "effort") if limit.get(k) is None]:
        at.notes.append(f"joint {name!r}: no limit of {' and '.join(absent)} is given")
    speed, effort = (doc.number(limit, k, inf, infinite=True) for k in ("velocity", "effort"))
    for what, x in (("velocity", speed), ("effort", effort)):
        if x < 0:
            at.notes.append(f"joint {name!r}: the {what} limit {x:g} is negative")
        elif x == 0:
            at.zero.setdefault(what, []).append(repr(name))
    if kind == "continuous":
        if stated := [k for k in ("lower", "upper") if limit.get(k) is not None]:
            at.notes.append(
                f"joint {name!r}: {' and '.join(stated)} of a continuous joint, which turns "
                "without end, ignored; type revolute has limits"
            )
        return Limits.of(motion, velocity=speed, effort=effort)
    if absent := [k for k in ("lower", "upper") if limit.get(k) is None]:
        at.notes.append(f"joint {name!r}: {' and '.join(absent)} limit absent, 0 as URDF has it")
    lower, upper = (doc.number(limit, k, 0.0, infinite=True) for k in ("lower", "upper"))
    if lower > upper:
        problem = f"the lower limit {lower:g} of joint {name!r} is above the upper one, {upper:g}"
        raise doc.error(limit, problem, f'lower="{upper:g}" upper="{lower:g}"')
    return Limits.of(motion, lower, upper, speed, effort)


def _mimic(at: Context, name: str, kind: str, element: Any) -> Mimic | None:
    if element is None:
        return None
    if kind == "fixed":
        at.notes.append(f"joint {name!r} is fixed: its <mimic> is ignored")
        return None
    source = at.doc.required(element, "joint")
    factor = at.doc.number(element, "multiplier", 1.0)
    return Mimic(source, factor, at.doc.number(element, "offset", 0.0))

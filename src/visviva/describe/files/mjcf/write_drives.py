"""Springs and actuators in MJCF's words, and what of a model MJCF has no words for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from lxml import etree

from visviva.describe.files.mjcf.tree import UNBOUNDED
from visviva.describe.files.mjcf.write_joints import element_name, number, numbers
from visviva.describe.joints.axis import Helical
from visviva.describe.joints.free import Free, Planar, Spherical
from visviva.describe.model.actuator import Actuator, motor_velocity
from visviva.describe.model.body import Body, Frame, Spring, is_identity
from visviva.describe.model.model import Model
from visviva.space.poses import Pose

DRAWN = ("box", "cylinder", "capsule", "sphere", "ellipsoid")


def lost(m: Model) -> list[str]:
    """What cannot be said, in words."""
    lost = [f"that {', '.join(m.passive)} is passive"] if m.passive else []
    for what, joints in (
        ("speed limits of", [b for b in m.bodies if np.isfinite(b.limits.velocity).any()]),
        ("limits of joints with several coordinates:", [b for b in m.bodies if _bounded(b)]),
        ("empty ranges of", [b for b in m.bodies if _empty(b)]),
        ("effort limits of zero of", [b for b in m.bodies if np.any(b.limits.effort == 0)]),
    ):
        if joints:
            lost.append(f"{what} {', '.join(b.joint_name for b in joints)}")
    strange = {v.kind for b in m.bodies for v in b.visuals} - set(DRAWN)
    if strange:
        lost.append(f"visuals of kind {', '.join(sorted(strange))}")
    if m.base_visuals:
        lost.append("visuals of the base")
    kept = joint_springs(m)
    if springs := [s.name for s in m.springs if s not in kept.values()]:
        lost.append(f"springs between frames, or a second one on a joint: {', '.join(springs)}")
    if actuators := [a.name for a in m.actuators if _words(m, a) is None]:
        lost.append(f"actuators {', '.join(actuators)}")
    return lost


def _bounded(b: Body) -> bool:
    limits = b.limits.lower, b.limits.upper, b.limits.effort
    return isinstance(b.joint, (Spherical, Free)) and any(np.isfinite(x).any() for x in limits)


def _empty(b: Body) -> bool:
    return bool(np.any(np.isfinite(b.limits.lower) & (b.limits.lower == b.limits.upper)))


def joint_springs(m: Model) -> dict[str, Spring]:
    """The first spring on each joint; MuJoCo has one."""
    springs: dict[str, Spring] = {}
    for s in m.springs:
        if s.joint:
            springs.setdefault(s.joint, s)
    return springs


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
    """All that can be said."""
    sayable = [(a, said) for a in m.actuators if (said := _words(m, a)) is not None]
    if not sayable:
        return
    out = etree.SubElement(root, "actuator")
    for a, (target, gear) in sayable:
        words = {"name": a.name, **target, "gear": numbers(gear)}
        if "site" in target and target["site"] not in {f.name for f in m.frames}:
            place = _frame(m, a).placement @ Pose.translation(a.point)
            site = etree.SubElement(elements[_frame(m, a).body], "site", name=target["site"])
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
    frame = _frame(m, a)
    pushes = a.kind == "thruster"
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


def _frame(m: Model, a: Actuator) -> Frame:
    return m.frame(a.frame)

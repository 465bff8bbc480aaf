"""Joints, poses and positions in MJCF's words."""

from __future__ import annotations

from typing import Any

import numpy as np
from lxml import etree

from visviva.describe.files.mjcf.tree import UNBOUNDED
from visviva.describe.joints.axis import Cylindrical, Prismatic, Revolute, Universal
from visviva.describe.joints.free import Free, Planar, Spherical
from visviva.describe.model.body import WORLD, Body
from visviva.describe.model.model import Model
from visviva.errors import WriteError
from visviva.space.poses import Pose
from visviva.space.rotations import quaternion

SAME = 1e-12


def number(x: Any) -> str:
    """All digits of a number."""
    return repr(float(x))


def numbers(values: Any) -> str:
    """All digits of several."""
    return " ".join(number(x) for x in values)


def pose_attributes(X: Pose) -> dict[str, str]:
    """pos and quat; a quaternion without rotation is left out."""
    words = {"pos": numbers(X.p)}
    if np.any(np.eye(3) != X.R):
        words["quat"] = numbers(_wxyz(quaternion(X.R)))
    return words


def joint_elements(b: Body, behind: Pose, alone: bool) -> list[Any]:
    """A joint's elements in a body whose frame is at `behind` in the joint's child frame."""
    kind, data = b.joint, _Data(b)
    if isinstance(kind, Revolute):
        return [data.element("hinge", 0, kind.axis, behind)]
    if isinstance(kind, Prismatic):
        return [data.element("slide", 0, kind.axis, behind)]
    if isinstance(kind, Cylindrical):  # turn and shift commute
        return [data.element(t, k, kind.axis, behind) for k, t in enumerate(("hinge", "slide"))]
    if isinstance(kind, Universal):
        axes = kind.axis, kind.second
        return [data.element("hinge", k, axis, behind) for k, axis in enumerate(axes)]
    if isinstance(kind, Planar):
        data.need_equal("a planar", slice(1, 3))
        if np.any(b.friction[1:]):
            raise WriteError(
                f"joint {b.joint_name!r}: friction of a planar joint is along its own axes, that "
                "of MuJoCo's slides along fixed ones"
            )
        shifts = [data.element("slide", k, kind.basis[:, k - 1], behind) for k in (1, 2)]
        return [*shifts, data.element("hinge", 0, kind.normal, behind)]
    if isinstance(kind, Spherical):
        if np.abs(behind.R - np.eye(3)).max() > SAME:
            raise WriteError(
                f"joint {b.joint_name!r}: a ball in front of a turned joint on a massless body "
                "has no form in MJCF; give the body a mass"
            )
        data.need_equal("a spherical", slice(0, 3))
        return [data.element("ball", 0, None, behind)]
    if isinstance(kind, Free):
        if b.parent != WORLD or not alone:
            raise WriteError(
                f"joint {b.joint_name!r}: MJCF has free joints only between the world and a body "
                f"with mass, got one on the parent {b.parent}"
            )
        data.need_equal("a free", slice(0, 6))
        return [data.element("free", 0, None, behind)]
    raise WriteError(
        f"joint {b.joint_name!r} is {kind.kind}, for which MJCF has no form; "
        "available: revolute, prismatic, cylindrical, universal, planar, spherical, free"
    )


def element_name(b: Body, k: int) -> str:
    """The joint's name, with the coordinate's if there are several elements."""
    several = isinstance(b.joint, (Cylindrical, Universal, Planar))
    return b.joint_name + (f"_{b.joint.coordinates[k]}" if several else "")


class _Data:
    """What the elements of one joint have in common."""

    def __init__(self, b: Body) -> None:
        self.body = b

    def element(self, kind: str, k: int, axis: Any, behind: Pose) -> Any:
        """The element of coordinate k."""
        b = self.body
        words = {"name": element_name(b, k), "type": kind}
        if axis is not None:
            words["axis"] = numbers(behind.R.T @ axis)
        anchor = -(behind.R.T @ behind.p)
        if kind in ("hinge", "ball") and np.any(anchor):
            words["pos"] = numbers(anchor)
        for word, values in (
            ("damping", b.damping),
            ("frictionloss", b.friction),
            ("armature", b.armature),
        ):
            words |= {word: number(values[k])} if values[k] else {}
        if axis is not None:
            words |= self.limits(k)
        return etree.Element("joint", words)

    def limits(self, k: int) -> dict[str, str]:
        """Ranges of position and force."""
        limits = self.body.limits
        words: dict[str, str] = {}
        low, high = float(limits.lower[k]), float(limits.upper[k])
        if (np.isfinite(low) or np.isfinite(high)) and low < high:  # MuJoCo refuses empty ranges
            words["limited"] = "true"
            words["range"] = numbers([max(low, -UNBOUNDED), min(high, UNBOUNDED)])
        effort = float(limits.effort[k])
        if np.isfinite(effort) and effort > 0:
            words["actuatorfrclimited"] = "true"
            words["actuatorfrcrange"] = numbers([-effort, effort])
        return words

    def need_equal(self, kind: str, part: slice) -> None:
        """MuJoCo has one number for all directions."""
        b = self.body
        for word in ("damping", "friction", "armature"):
            values = getattr(b, word)[part]
            if np.any(values != values[0]):
                raise WriteError(
                    f"joint {b.joint_name!r}: {word} of {kind} joint is one number in MJCF, got "
                    f"{values.tolist()}"
                )


def qpos(m: Model, q: Any) -> list[float]:
    """MuJoCo's position of the written model at our q."""
    qpos: list[float] = []
    for i, b in enumerate(m.bodies):
        own = m.local(i, np.asarray(q, dtype=float))
        if isinstance(b.joint, Free):
            X = b.placement @ b.joint.transform(own)
            qpos += [*X.p, *_wxyz(quaternion(X.R))]
        elif isinstance(b.joint, Spherical):
            qpos += [*_wxyz(own)]
        elif isinstance(b.joint, Planar):
            qpos += [own[1], own[2], own[0]]
        else:
            qpos += [*own]
    return qpos


def _wxyz(q: Any) -> list[Any]:
    return [q[3], q[0], q[1], q[2]]

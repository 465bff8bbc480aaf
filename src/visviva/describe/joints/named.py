"""Joints and other closures by what they are called, and axes by letter."""

from __future__ import annotations

import math
from dataclasses import fields
from inspect import isabstract, isclass
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from visviva.algebra.arrays import vector
from visviva.describe.joints import axis as axis_joints
from visviva.describe.joints import free as free_joints
from visviva.describe.joints import points, rolling
from visviva.describe.joints.closure import Closure, called
from visviva.describe.joints.joint import Joint
from visviva.describe.values import PLAIN
from visviva.errors import ArgumentError, check_known

Kind = TypeVar("Kind", bound=Closure)
AXIS_NAMES: dict[str, tuple[float, ...]] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
}
AXIS_NAMES |= {f"-{k}": tuple(-x for x in a) for k, a in AXIS_NAMES.items()}
# every joint class, by what it is called
JOINTS: dict[str, type[Joint]] = {
    c.__name__.lower(): c
    for c in (*vars(axis_joints).values(), *vars(free_joints).values())
    if isclass(c) and issubclass(c, Joint) and not isabstract(c)
}
# what can close a loop: joints, and closures that are none
CLOSURES: dict[str, type[Closure]] = {
    called(c): c
    for c in (*JOINTS.values(), *vars(points).values(), *vars(rolling).values())
    if isclass(c) and issubclass(c, Closure) and not isabstract(c) and c.__name__[0] != "_"
}


OTHER_WORDS = {  # of other libraries, and of workshops
    **dict.fromkeys(("hinge", "pin", "rotary", "rotational", "continuous", "r"), "revolute"),
    **dict.fromkeys(("slider", "slide", "sliding", "linear", "translational", "p"), "prismatic"),
    **dict.fromkeys(("ball", "socket", "ball_and_socket", "s"), "spherical"),
    **dict.fromkeys(("screw", "h"), "helical"),
    **dict.fromkeys(("cardan", "hooke", "gimbal", "u"), "universal"),
    **dict.fromkeys(("weld", "rigid", "anchor"), "fixed"),
    **dict.fromkeys(("floating", "freeflyer", "free_flyer", "6dof"), "free"),
}


def joint_called(kind: str, axis: Any, details: dict[str, Any]) -> Joint:
    """A joint by the name of its type."""
    check_known("joint type", kind, JOINTS, OTHER_WORDS)
    return _made(JOINTS[kind], kind, axis, details)


SIZED = {  # details of closures that formulas may state
    x.name for c in CLOSURES.values() for x in fields(c) if x.type == "Any" and x.metadata != PLAIN
}


def closure_called(kind: Any, axis: Any, details: dict[str, Any]) -> Closure:
    """What closes a loop, by the name of its type."""
    check_known("closure", kind, CLOSURES, OTHER_WORDS)
    return _made(CLOSURES[kind], kind, axis, details)


def _made(of: type[Kind], kind: str, axis: Any, details: dict[str, Any]) -> Kind:
    """One of a class, with all that it takes and nothing else; its axis is z by default."""
    article = "an" if kind[0] in "aeiou" and not kind.startswith("uni") else "a"
    joint = f"{article} {kind.replace('_', ' ')} joint" if issubclass(of, Joint) else f"{kind!r}"
    wanted = of.details()
    if not {*of.needed()} <= {*details} <= {*wanted}:
        asked = ", ".join(f"{name}=" for name in wanted) or "nothing more"
        raise ArgumentError(f"{joint} takes {asked}, got {sorted(details) or 'nothing'}")
    if axis is not None and not of.axis_names:
        raise ArgumentError(f"{joint} has no axis, got {axis!r}")
    for item in fields(of):
        is_number = item.type not in ("Array", "Mapping[str, Any]") and item.metadata != PLAIN
        if item.name in details and item.name not in of.axis_names and is_number:
            _check_number(f"{item.name} of {joint}", details[item.name])
    axes = dict.fromkeys(of.axis_names[:1], "z" if axis is None else axis) | details
    return of(**{k: axis_vector(x) if k in of.axis_names else x for k, x in axes.items()})


def _check_number(what: str, x: Any) -> None:
    """Refuse what is no scalar: texts, lists, nothing, and numbers that are not finite."""
    no_scalar = x is None or isinstance(x, (str, bool, complex)) or np.ndim(x) > 0
    if no_scalar or (isinstance(x, Real) and not math.isfinite(x)):
        raise ArgumentError(f"{what} is a finite number or a formula of parameters, got {x!r}")


def axis_vector(axis: Any) -> Any:
    """An axis by letter or by coordinates."""
    if isinstance(axis, str):
        check_known("axis", axis, AXIS_NAMES)
        axis = AXIS_NAMES[axis]
    return vector(axis)

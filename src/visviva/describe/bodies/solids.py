"""Uniform solids: volume, centre of mass, and tensor per mass about it.

One row per solid, for the z axis as its own where it has one. Axis names are explicit, because the
books disagree on letters.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_numeric, vector
from visviva.errors import ArgumentError, check_known

Row = tuple[
    Any, Any, Any
]  # volume, height of the centre of mass above the origin, moments per mass

SOLIDS: dict[str, Callable[..., Row]] = {
    "box": lambda x, y, z: (
        x * y * z,
        0.0,
        [(y**2 + z**2) / 12, (x**2 + z**2) / 12, (x**2 + y**2) / 12],
    ),
    "ellipsoid": lambda ax, ay, az: (
        _pi(ax, ay, az) * 4 * ax * ay * az / 3,
        0.0,
        [(ay**2 + az**2) / 5, (ax**2 + az**2) / 5, (ax**2 + ay**2) / 5],
    ),
    "sphere": lambda radius: (
        _pi(radius) * 4 * radius**3 / 3,
        0.0,
        [radius**2 * 2 / 5] * 3,
    ),
    "cylinder": lambda radius, height: (
        _pi(radius, height) * radius**2 * height,
        0.0,
        [(3 * radius**2 + height**2) / 12] * 2 + [radius**2 / 2],
    ),
    "tube": lambda inner, outer, height: (
        _pi(inner, outer, height) * (outer**2 - inner**2) * height,
        0.0,
        [(3 * (inner**2 + outer**2) + height**2) / 12] * 2 + [(inner**2 + outer**2) / 2],
    ),
    "cone": lambda radius, height: (
        _pi(radius, height) * radius**2 * height / 3,
        height / 4,
        [(4 * radius**2 + height**2) * 3 / 80] * 2 + [radius**2 * 3 / 10],
    ),
    "rod": lambda length: (length, 0.0, [length**2 / 12, length**2 / 12, 0.0]),
}


def shape(name: str, sizes: dict[str, Any]) -> tuple[Any, Array, Array]:
    """Volume, centre of mass and tensor per mass of a named solid."""
    check_known("solid", name, SOLIDS)
    axis = sizes.pop("axis", "z")
    check_known("axis", axis, ["x", "y", "z"])
    wanted = inspect.signature(SOLIDS[name]).parameters
    if set(sizes) != set(wanted):
        got = ", ".join(sizes) or "nothing"
        raise ArgumentError(f"{name} takes {', '.join(wanted)}, got {got}")
    refuse_text(name, **sizes)
    for key, size in sizes.items():
        may_vanish = key == "inner"
        if is_numeric([size]) and not (size >= 0 if may_vanish else size > 0):
            raise ArgumentError(f"{name}: {key} must be positive, got {size}")
    if name == "tube" and is_numeric([*sizes.values()]) and sizes["inner"] >= sizes["outer"]:
        raise ArgumentError(f"tube: the inner radius {sizes['inner']} is not below the outer")
    volume, height, moments = SOLIDS[name](**sizes)
    order = {"x": [2, 0, 1], "y": [0, 2, 1], "z": [0, 1, 2]}[axis]
    com = [0.0, 0.0, 0.0]
    com["xyz".index(axis)] = height
    return volume, vector(com), vector(np.diag([moments[k] for k in order]))


def volume(name: str, sizes: dict[str, Any]) -> Any:
    """Volume of a named solid; a rod is thin and has none."""
    if name == "rod":
        raise ArgumentError("a rod is thin: it has a length and no volume; see 'cylinder' or 'box'")
    return shape(name, sizes)[0]


def refuse_text(what: str, **values: Any) -> None:
    """Sizes and masses are no texts: there are no parameters yet that could be in them."""
    for key, x in values.items():
        if isinstance(x, (str, bytes)):
            raise ArgumentError(
                f"{what}: {key} is a number or a symbol, sympy.Symbol('a') or a parameter of a "
                f"Builder, b.parameters['a']; got the text {x!r}"
            )


def _pi(*sizes: Any) -> Any:
    """π as a number, or as SymPy's exact constant among its symbols."""
    if any(type(size).__module__.startswith("sympy") for size in sizes):
        import sympy

        return sympy.pi
    return pi

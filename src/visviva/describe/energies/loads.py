"""Forces at points and torques on bodies, as a Lagrangian takes them: by their virtual work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from visviva.describe.energies.formulas import Names, components
from visviva.errors import ShapeError


@dataclass(frozen=True)
class PointForce:
    """A force on a point; both have the same components, as functions of q, v, t.

    Its generalized force is Qⱼ = f · ∂r/∂qⱼ.
    """

    point: tuple[Any, ...]
    force: tuple[Any, ...]

    def generalized(self, names: Names) -> list[Any]:
        """Qⱼ = Σ fᵢ ∂rᵢ/∂qⱼ, one entry for each coordinate."""
        r, f = _pair(names, "point", self.point, "force", self.force, "coordinates")
        return [
            sum((fi * ri.diff(x) for ri, fi in zip(r, f, strict=True)), sympy.S.Zero)
            for x in names.q
        ]


@dataclass(frozen=True)
class Torque:
    """A torque on a body: `moment` against its `angle`, or against its angular velocity.

    Qⱼ = τ ∂α/∂qⱼ for an angle α, which turns about a fixed axis; Qⱼ = τ · ∂ω/∂q̇ⱼ for a vector ω, in
    whichever axes both have their components.
    """

    moment: tuple[Any, ...]
    angle: tuple[Any, ...] = ()
    angular_velocity: tuple[Any, ...] = ()

    def generalized(self, names: Names) -> list[Any]:
        """Qⱼ by the angle or the angular velocity."""
        if self.angle:
            what, turn, by, of = "angle", self.angle, names.q, "coordinates"
        else:
            what, turn, by, of = "angular velocity", self.angular_velocity, names.v, "velocities"
        alpha, m = _pair(names, what, turn, "moment", self.moment, of)
        return [
            sum((mi * ai.diff(x) for ai, mi in zip(alpha, m, strict=True)), sympy.S.Zero)
            for x in by
        ]


def _pair(
    names: Names, what: str, x: Any, other: str, f: Any, of: str
) -> tuple[list[Any], list[Any]]:
    if len(x) != len(f):
        raise ShapeError(f"{what} and {other} have the same components, got {len(x)} and {len(f)}")
    return [names.read(what, i, of) for i in x], [names.read(other, i) for i in f]


def generalized(names: Names, forces: Any) -> tuple[Any, ...]:
    """Everything that acts, as one row."""
    parts: Sequence[Any]
    if isinstance(forces, (PointForce, Torque, Mapping)):
        parts = [forces]
    else:
        parts = components(forces)
        if parts and not isinstance(parts[0], (PointForce, Torque, Mapping, list, tuple)):
            parts = [parts]  # one row of formulas
    total = [sympy.S.Zero] * len(names.q)
    for part in parts:
        row = (
            part.generalized(names)
            if isinstance(part, (PointForce, Torque))
            else names.row("forces", part)
        )
        total = [a + b for a, b in zip(total, row, strict=True)]
    return tuple(total)


def matrix(names: Names, T: Any) -> Any:
    """The actuator map, row by row."""
    if T is None:
        return None
    rows = T.tolist() if isinstance(T, sympy.MatrixBase) else components(T)
    if len(rows) != len(names.q):
        raise ShapeError(f"the actuator map has {len(names.q)} rows, got {len(rows)}")
    read = [[names.read("actuators", x) for x in components(row)] for row in rows]
    return sympy.ImmutableMatrix(read)

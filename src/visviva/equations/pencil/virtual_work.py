"""D'Alembert's principle: Σ (f - m r̈) · δr + Σ (τ - I α̈) δα = 0 for every displacement δq.

The same equations as Lagrange's, from forces and geometry alone: no energies are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from visviva.describe.energies.formulas import Names


@dataclass(frozen=True)
class Particle:
    """A mass, its position as expressions in coordinates (and time), the force on it."""

    mass: Any
    position: Sequence[Any]
    force: Sequence[Any] = ()


@dataclass(frozen=True)
class Turning:
    """A body turning in a plane: its moment of inertia, its angle, the torque on it."""

    inertia: Any
    angle: Any
    torque: Any = 0


def d_alembert(
    names: Names, particles: Sequence[Particle], turning: Sequence[Turning] = ()
) -> list[Any]:
    """Σ (m r̈ - f) · ∂r/∂qⱼ + Σ (I α̈ - τ) ∂α/∂qⱼ: zero, or the force τⱼ still missing."""
    return [_work(x, names, particles, turning) for x in names.q]


def virtual_work(
    names: Names, particles: Sequence[Particle], turning: Sequence[Turning] = ()
) -> list[Any]:
    """Qⱼ = Σ f · ∂r/∂qⱼ + Σ τ ∂α/∂qⱼ; equilibrium is where all vanish."""
    still = [Particle(0, p.position, p.force) for p in particles]
    resting = [Turning(0, b.angle, b.torque) for b in turning]
    return [-_work(x, names, still, resting) for x in names.q]


def kinetic_energy(
    names: Names, particles: Sequence[Particle], turning: Sequence[Turning] = ()
) -> Any:
    """T = ½ Σ m ṙ² + ½ Σ I α̇² of masses and turning bodies."""
    total = sympy.S.Zero
    for p in particles:
        total += p.mass * sum(rate(x, names) ** 2 for x in p.position) / 2
    for b in turning:
        total += b.inertia * rate(b.angle, names) ** 2 / 2
    return total


def rate(x: Any, names: Names) -> Any:
    """dx/dt of an expression in q, v and t, by the chain rule."""
    return names.rate(x)


def _work(x: Any, names: Names, particles: Sequence[Particle], turning: Sequence[Turning]) -> Any:
    total = sympy.S.Zero
    for p in particles:
        forces = p.force or [0] * len(p.position)
        for r, f in zip(p.position, forces, strict=True):
            total += (p.mass * rate(rate(r, names), names) - f) * sympy.diff(r, x)
    for b in turning:
        inertia = b.inertia * rate(rate(b.angle, names), names)
        total += (inertia - b.torque) * sympy.diff(b.angle, x)
    return total

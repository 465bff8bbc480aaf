"""Elements of one ring in another one, with coordinates changed on the way."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from visviva.algebra.rationals import OutsideError
from visviva.algebra.trigpoly import Poly, Ring

PI = "pi"  # a symbol of this name is the number π where it stands in a sine or cosine


def carried(p: Poly, ring: Ring, changes: Mapping[str, Poly] | None = None) -> Poly:
    """The same function over `ring`, which knows all its symbols; `changes` replaces some of them.

    Examples:
        >>> ring = Ring(["q1", "q2"], {"q1": {"q1": 1}, "q2": {"q2": 1}})
        >>> q1, q2 = ring["q1"], ring["q2"]
        >>> carried(q1.sin() * q2, ring, {"q1": q1 - q2, "q2": -q2}) == -(q1 - q2).sin() * q2
        True
    """
    changes = changes or {}
    home = p.ring
    used = p.p.degrees()
    turned: dict[str, tuple[Poly, Poly]] = {}
    images: list[Any] = []
    for generator, degree in zip(home.generators, used, strict=True):
        function, _, base = generator.partition(" ")
        if degree <= 0:
            images.append(ring.context.constant(0))
        elif function in ("sin", "cos") and base in home.sums:
            if base not in turned:
                turned[base] = cos_sin(_sum(home.sums[base], ring, changes))
            images.append(turned[base][function == "sin"].p)
        else:
            images.append(_image(generator, ring, changes).p)
    return Poly(ring, ring.reduced(p.p.compose(*images, ctx=ring.context)))


def cos_sin(angle: Poly) -> tuple[Poly, Poly]:
    """Of a sum of angles and of quarter turns, multiples of `pi`/2."""
    ring = angle.ring
    turns = Fraction(0)
    if PI in ring.place and angle.p.degrees()[ring.place[PI]] > 0:
        slope = angle.p.derivative(ring.place[PI])
        if not slope.is_constant():
            raise OutsideError(f"{angle} is no sum of angles")
        (times,) = slope.coeffs()
        turns = Fraction(int(times.p), int(times.q))
        angle = angle - ring[PI] * turns
    if (2 * turns).denominator != 1:
        raise OutsideError(f"the sine of {turns} π is no fraction")
    c, s = angle.cos(), angle.sin()
    for _ in range(int(2 * turns) % 4):
        c, s = -s, c
    return c, s


def _sum(parts: Mapping[str, Fraction], ring: Ring, changes: Mapping[str, Poly]) -> Poly:
    total = ring.number(0)
    for name, times in parts.items():
        total = total + _image(name, ring, changes) * times
    return total


def _image(name: str, ring: Ring, changes: Mapping[str, Poly]) -> Poly:
    return changes[name] if name in changes else ring[name]

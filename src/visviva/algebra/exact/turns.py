"""Sine and cosine of a sum of angles in a ring that knows those of its base angles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from visviva.algebra.exact.budget import MOST_WAVES, must_fit
from visviva.algebra.exact.rationals import OutsideError
from visviva.algebra.exact.ring import Base, Wave

MOST = 100  # multiples of an angle that are worked out


def turned(ring: Any, parts: Mapping[str, Fraction]) -> tuple[Any, Any]:
    """(cos, sin) of Σ factor · angle, by the addition theorem."""
    total: dict[Base, Fraction] = {}
    for name, factor in parts.items():
        for base, times in ring.angles[name].items():
            total[base] = total.get(base, Fraction(0)) + factor * times
    if any(count.denominator != 1 or abs(count) > MOST for count in total.values()):
        angle = " + ".join(f"{factor} {name}" for name, factor in parts.items())
        raise OutsideError(f"{angle} is no whole multiple of the ring's angles")
    # each of c, s has half of the products of sines and cosines, of a multiple of an angle as many
    must_fit(math.prod(abs(int(count)) + 1 for count in total.values()) // 2, MOST_WAVES)
    c, s = ring.number(1), ring.number(0)
    for base, count in total.items():
        b, a = (ring.generator(Wave(f, base)) for f in ("cos", "sin"))
        a = a if count > 0 else -a
        for _ in range(abs(int(count))):
            c, s = c * b - s * a, s * b + c * a
    return c, s

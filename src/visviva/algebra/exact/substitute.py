"""Elements of one ring in another one, with coordinates changed on the way."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from visviva.algebra.exact.angles import Angle, factors_of
from visviva.algebra.exact.poly import Generator, Poly, Quotient, Wave
from visviva.algebra.exact.ring import Ring
from visviva.errors import OutsideError

PI = "pi"  # a symbol of this name is the number π where it stands in a sine or cosine


def substituted(p: Poly, ring: Ring, changes: Mapping[str, Poly] | None = None) -> Poly:
    """The same function over `ring`, which knows all its symbols; `changes` replaces some of them.

    Examples:
        >>> ring = Ring(["q1", "q2"], {"q1": {"q1": 1}, "q2": {"q2": 1}})
        >>> q1, q2 = ring["q1"], ring["q2"]
        >>> substituted(q1.sin() * q2, ring, {"q1": q1 - q2, "q2": -q2}) == -(q1 - q2).sin() * q2
        True
    """
    return Substitution(p.ring, ring, changes or {})(p)


class Substitution:
    """Takes many elements of one ring into another; what each generator becomes is kept."""

    def __init__(
        self,
        home: Ring,
        ring: Ring,
        changes: Mapping[str, Poly],
        cos_sin: Callable[[Poly], tuple[Poly, Poly]] | None = None,
    ) -> None:
        self.home, self.ring, self.changes = home, ring, changes
        self._cos_sin = cos_sin or cos_sin_of
        self._images: dict[Generator, Poly] = {}

    def __call__(self, p: Poly) -> Poly:
        pairs = zip(self.home.generators, p.p.degrees(), strict=True)
        images = [self._image(g).p if k > 0 else self.ring.zero for g, k in pairs]
        self.ring.budget.spend_images(p.p, [len(x) for x in images])
        image = p.p.compose(*images, ctx=self.ring.context)
        return Poly(self.ring, self.ring.reduced(image))

    def of(self, x: Any) -> Any:
        """An element, or a fraction of elements."""
        return self(x.top) / self(x.bottom) if isinstance(x, Quotient) else self(x)

    def _image(self, generator: Generator) -> Poly:
        if generator not in self._images:
            if isinstance(generator, Wave):
                base = generator.base
                c, s = self._cos_sin(self._sum(self.home.sums[base]))
                self._images |= {Wave("cos", base): c, Wave("sin", base): s}
            else:
                self._images[generator] = self._symbol(generator)
        return self._images[generator]

    def _sum(self, parts: Mapping[Angle, Fraction]) -> Poly:
        total = self.ring.number(0)
        for angle, times in parts.items():
            total = total + math.prod(map(self._symbol, factors_of(angle)), start=times)
        return total

    def _symbol(self, name: str) -> Poly:
        return self.changes[name] if name in self.changes else self.ring[name]


def cos_sin_of(angle: Poly) -> tuple[Poly, Poly]:
    """Of a sum of angles and of quarter turns, multiples of `pi`/2."""
    turns = angle.angle_parts().get(PI, Fraction(0))
    angle = angle - angle.ring[PI] * turns if turns else angle
    if (2 * turns).denominator != 1:
        raise OutsideError(f"the sine of {turns} π is no fraction")
    c, s = angle.cos(), angle.sin()
    for _ in range(int(2 * turns) % 4):
        c, s = -s, c
    return c, s

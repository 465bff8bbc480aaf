"""What a claim lacks and what it has too much of, term by term.

Both sides are brought over a common denominator and compared monomial by monomial in the normal
form: truth - claim = missing - extra, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from visviva.algebra.exact.poly import Poly, Quotient
from visviva.judge.exact.forms import Forms

INERTIAL, CENTRIFUGAL, CORIOLIS = "inertial", "centrifugal", "Coriolis"
DISSIPATIVE, GYROSCOPIC, GRAVITATIONAL = "dissipative", "gyroscopic", "gravitational"
POSITIONAL = "of position"  # springs, turning axes
TIMED = "of time"  # of time alone
CONSTRAINING = "of a constraint"


@dataclass(frozen=True)
class Difference:
    """Claim and truth of one entry, over `bottom`."""

    missing: Poly
    extra: Poly
    bottom: Poly

    @property
    def is_zero(self) -> bool:
        """Whether claim and truth are the same."""
        return self.missing.is_zero and self.extra.is_zero


def over_one(claim: Any, truth: Any) -> tuple[Poly, Poly, Poly]:
    """Two elements of a field over one denominator: both numerators, and it."""
    c, t = Quotient.of(claim), Quotient.of(truth)
    if c.bottom == t.bottom:
        return c.top, t.top, c.bottom
    return c.top * t.bottom, t.top * c.bottom, c.bottom * t.bottom


def difference(claim: Any, truth: Any) -> Difference:
    """The terms in which two elements of a field differ."""
    a, b, bottom = over_one(claim, truth)
    ring = bottom.ring
    mine, true = a.p.to_dict(), b.p.to_dict()
    missing: dict[tuple[int, ...], Any] = {}
    extra: dict[tuple[int, ...], Any] = {}
    for k in {**true, **mine}:
        x: Any = true.get(k, 0)
        y: Any = mine.get(k, 0)
        if x * y > 0:  # both have it, one has more
            x, y = (x - y, 0) if abs(x) > abs(y) else (0, y - x)
        if x != 0:
            missing[k] = x
        if y != 0:
            extra[k] = y
    lacks, exceeds = (Poly(ring, ring.context.from_dict(part)) for part in (missing, extra))
    return Difference(lacks, exceeds, bottom)


def product_between(a: Poly, b: Poly) -> Any:
    """The single product, of names and a number, with a · product = b; None if there is none."""
    if a.size != b.size or a.is_zero:
        return None
    ring = a.ring
    (powers, c), (wanted, t) = (next(iter(x.p.terms())) for x in (a, b))
    more = [int(y) - int(x) for x, y in zip(powers, wanted, strict=True)]
    above, below = (tuple(max(k * n, 0) for n in more) for k in (1, -1))
    top = Poly(ring, ring.context.from_dict({above: t}))
    bottom = Poly(ring, ring.context.from_dict({below: c}))
    return top / bottom if a * top == b * bottom else None


def reduced(factors: Mapping[int, Any]) -> tuple[dict[int, Any], Any]:
    """Elements without the product that all of them are multiples of, and 1 over that."""
    tops = [Quotient.of(x).top for x in factors.values()]
    ring = tops[0].ring
    common = Poly(ring, reduce(ring.common, (x.p for x in tops)))
    if common.p.is_constant():
        return dict(factors), 1
    return {k: x / common for k, x in factors.items()}, 1 / common


def by_factor(p: Poly, motions: Collection[str]) -> Iterator[tuple[tuple[str, ...], Poly]]:
    """A polynomial split by its factors of velocities and accelerations."""
    ring = p.ring
    moving = [(ring.place[name], name) for name in motions if name in ring.place]
    split: dict[tuple[str, ...], dict[tuple[int, ...], Any]] = {}
    for powers, coefficient in p.p.to_dict().items():
        factor: list[str] = []
        rest = list(powers)
        for place, name in moving:
            factor += [name] * int(rest[place])
            rest[place] = 0
        split.setdefault(tuple(sorted(factor)), {})[tuple(rest)] = coefficient
    for names, part in split.items():
        yield names, Poly(ring, ring.context.from_dict(part))


def kind_of(factor: tuple[str, ...], accelerations: Collection[str]) -> str:
    """What a term is, by the velocities and accelerations that it multiplies."""
    if any(f in accelerations for f in factor):
        return INERTIAL
    if len(factor) == 2:
        return CENTRIFUGAL if factor[0] == factor[1] else CORIOLIS
    return DISSIPATIVE if factor else GRAVITATIONAL


def by_origin(
    part: Poly, forms: Forms, pulled: Any, others: Any, is_timed: Callable[[Poly], bool] | None
) -> Iterator[tuple[str, Poly]]:
    """A sum of terms of position, split by whether they come from gravity or are of time alone.

    What a system is made of decides, not letters: a spring may have the stiffness g.
    `pulled`, `others`: the terms of the true equation that do, and that do not; None if unknown.
    `is_timed` tells terms of time alone; None where there are none.
    """
    chosen: dict[str, dict[Any, Any]] = {GRAVITATIONAL: {}, POSITIONAL: {}, TIMED: {}}
    ring, strengths = part.ring, forms.weights
    mine: set[Any] = set()
    if isinstance(pulled, Poly) and isinstance(others, Poly):
        mine = set(pulled.p.to_dict()) - set(others.p.to_dict())
    for powers, coefficient in part.p.to_dict().items():
        term = Poly(ring, ring.context.from_dict({powers: coefficient}))
        heavy = powers in mine or any(term.derivative(p) != 0 for p in strengths)
        if heavy or forms.is_only_heavy:
            kind = GRAVITATIONAL
        else:
            kind = TIMED if is_timed and is_timed(term) else POSITIONAL
        chosen[kind][powers] = coefficient
    for kind, terms in chosen.items():
        if terms:
            yield kind, Poly(ring, ring.context.from_dict(terms))

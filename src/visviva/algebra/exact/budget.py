"""What exact algebra may cost: products of polynomials are weighed before they are made.

FLINT cannot be interrupted, and where memory ends it ends the process. So no single call may be
long, and none may make more than memory holds; what is refused is an `OutsideError` with the count.

Examples:
    >>> from visviva.algebra.exact.ring import Ring
    >>> ring = Ring(list("abcdefghkx"), {})
    >>> sum((ring[x] for x in ring.symbols), ring.number(0)) ** 20
    Traceback (most recent call last):
    visviva.errors.OutsideError: too many terms: 10 terms to the power 20 \
make up to 10015005, exact algebra works with 200000
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from visviva.errors import OutsideError

MOST_PRODUCTS = 5_000_000  # of terms, for one quantity
AT_ONCE = 2_000_000  # of them in one call of FLINT: a fifth of a second
MOST_TERMS = 200_000  # of a polynomial; of a hundred symbols these are 25 MB
MOST_BITS = 10_000  # of a coefficient
MOST_WAVES = 4096  # terms of the cosine of a sum of angles
LARGEST_GCD = 40_000  # products of terms
LIGHT = 20_000  # products of terms below which coefficients are not looked at


class Budget:
    """The products of terms that may still be worked out in a ring."""

    __slots__ = ("left", "products")

    def __init__(self, products: int = MOST_PRODUCTS) -> None:
        self.products = self.left = products

    def renew(self) -> None:
        """The next quantity has a budget of its own."""
        self.left = self.products

    def spend(self, p: Any, q: Any) -> None:
        """Before p is multiplied by q, or a common divisor of the two is looked for."""
        work = len(p) * len(q)
        if work > LIGHT:
            work = _weighed(p, q, work)
        self.left -= work
        if self.left < 0:
            raise OutsideError(
                f"too many terms: exact algebra takes {self.products} products of terms for one "
                "quantity"
            )

    def spend_power(self, p: Any, n: int) -> None:
        """Before p is raised to the power n."""
        terms = len(p)
        if n < 2 or not terms:
            return
        if terms > 1 and math.comb(terms + n - 1, n) > MOST_TERMS:
            degrees = [k * n for k in p.degrees()]
            most = min(math.comb(terms + n - 1, n), _monomials(degrees, n * p.total_degree()))
            if most > MOST_TERMS:
                raise OutsideError(
                    f"too many terms: {terms} terms to the power {n} make up to {most}, "
                    f"exact algebra works with {MOST_TERMS}"
                )
        if n * (max(c.height_bits() for c in p.coeffs()) + terms.bit_length()) > MOST_BITS:
            raise OutsideError(
                f"too many digits: the power {n} of a sum of {terms} terms has numbers of more "
                f"than {MOST_BITS} bits"
            )

    def spend_images(self, p: Any, sizes: Sequence[int]) -> None:
        """Before polynomials of these sizes replace the generators of p."""
        most = len(p)
        for size, degree in zip(sizes, p.degrees(), strict=True):
            if size > 1 and degree > 0:
                most *= math.comb(size + degree - 1, degree)
        if most <= LIGHT:
            return
        most = 0
        for powers in p.monoms():
            term = 1
            for size, k in zip(sizes, powers, strict=True):
                if k and size > 1:
                    term *= math.comb(size + int(k) - 1, int(k))
            most += term
            if most > min(MOST_TERMS, self.left):
                raise OutsideError(
                    f"too many terms: {len(p)} terms become more than {most}, "
                    f"exact algebra works with {MOST_TERMS}"
                )
        self.left -= most


def must_fit(terms: int, most: int = MOST_TERMS) -> None:
    """Refuse a polynomial of more terms."""
    if terms > most:
        raise OutsideError(f"too many terms: {terms}, exact algebra works with {most}")


def is_quick_gcd(p: Any, q: Any) -> bool:
    """Whether a common divisor is found soon."""
    return len(p) * len(q) <= LARGEST_GCD


def _weighed(p: Any, q: Any, work: int) -> int:
    """The work with long coefficients counted by what they cost; refused if it is too much."""
    limbs = (_bits(p) + _bits(q)) / 128
    weighed = int(work * (1 + limbs**1.5 / 40))
    if weighed > AT_ONCE:
        raise OutsideError(
            f"too many terms: {len(p)} terms times {len(q)} terms are {work} products, exact "
            f"algebra takes {AT_ONCE} at once"
        )
    if work > MOST_TERMS:
        degrees = [j + k for j, k in zip(p.degrees(), q.degrees(), strict=True)]
        must_fit(min(work, _monomials(degrees, p.total_degree() + q.total_degree())))
    return weighed


def _monomials(degrees: Sequence[int], total: int) -> int:
    """How many there are up to these degrees, and up to this degree in all."""
    used = [int(k) for k in degrees if k > 0]
    return min(math.prod(k + 1 for k in used), math.comb(len(used) + int(total), int(total)))


def _bits(p: Any) -> int:
    """Of the whole numbers by which FLINT multiplies: over a common denominator."""
    coefficients = p.coeffs()
    under = math.lcm(*(int(c.q) for c in coefficients[:100]))
    return under.bit_length() + max(int(c.height_bits()) for c in coefficients)

"""Polynomials as dictionaries, their factors by FLINT, and their numbers for SymPy.

From monomials to numbers; a monomial is a sorted tuple of (atom, power), atoms are whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from math import gcd, lcm
from typing import Any

import sympy
from flint import Ordering, fmpq, fmpq_mpoly_ctx

from visviva.algebra.exact.budget import is_quick_gcd
from visviva.algebra.exact.rationals import is_decimal

Monomial = tuple[tuple[int, int], ...]
Rational = Fraction | int  # whole numbers are int, because fractions are slow to compare
Polynomial = dict[Monomial, Rational]

SHORT_DENOMINATOR = 10_000  # longer decimal fractions stay decimals, with no factors pulled out


def times(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    powers = dict(a)
    for atom, k in b:
        powers[atom] = powers.get(atom, 0) + k
    return tuple(sorted(powers.items()))


def without(m: Monomial, d: Monomial) -> Monomial:
    """m / d, where d divides m by whole powers of atoms."""
    gone = dict(d)
    return tuple((a, k - gone.get(a, 0)) for a, k in m if k != gone.get(a, 0))


def whole(x: Rational) -> Rational:
    """The same number, as an int if it is one."""
    return x.numerator if x.denominator == 1 else x


def add_to(total: Polynomial, more: Mapping[Monomial, Rational], factor: Rational = 1) -> None:
    """total += factor · more."""
    for m, c in more.items():
        new = total.get(m, 0) + c * factor
        if new:
            total[m] = whole(new)
        else:
            total.pop(m, None)


def multiplied(p: Mapping[Monomial, Rational], q: Mapping[Monomial, Rational]) -> Polynomial:
    """The product."""
    product: Polynomial = {}
    for m, c in p.items():
        add_to(product, {times(m, n): d for n, d in q.items()}, c)
    return product


def content(p: Polynomial) -> tuple[Rational, Monomial, Polynomial]:
    """Number, monomial and the rest without common factors; more plus than minus signs in it."""
    monomials = iter(p)
    common = dict(next(monomials))
    for m in monomials:
        if not common:
            break
        powers = dict(m)
        common = {a: min(k, powers[a]) for a, k in common.items() if a in powers}
    number = rational_content(p.values())
    minus = sum(c < 0 for c in p.values())
    if 2 * minus > len(p) or (2 * minus == len(p) and p[min(p)] < 0):
        number = -number
    if number != 1:
        p = divided(p, number)
    if common:
        p = {_over(m, common): c for m, c in p.items()}
    return whole(number), tuple(common.items()), p


def divided(p: Polynomial, number: Rational) -> Polynomial:
    """p / number."""
    if number == -1:
        return {m: -c for m, c in p.items()}
    inverse = Fraction(1) / number
    return {m: whole(c * inverse) for m, c in p.items()}


def rational_content(numbers: Iterable[Rational]) -> Rational:
    """The greatest number that leaves whole numbers; 1 where long decimals occur.

    Decimals stay: of 2 and 19.62 it is 2, of 9.81 and 19.62 it is 9.81.
    """
    numbers = list(numbers)
    over, under = 0, 1
    for c in numbers:
        if c.denominator > SHORT_DENOMINATOR:
            return 1
        over, under = gcd(over, c.numerator), lcm(under, c.denominator)
    if under == 1:
        return over
    common = Fraction(over, under)
    if under % 5 or not any(map(is_decimal, numbers)):
        return common
    if any(abs(c) == common for c in numbers):
        return common
    plain = [c for c in numbers if not is_decimal(c)]
    return rational_content(plain) if plain else 1


def _over(m: Monomial, common: Mapping[int, int]) -> Monomial:
    return tuple((a, k - common.get(a, 0)) for a, k in m if k != common.get(a, 0))


# ---- FLINT


@cache
def _context(n: int) -> Any:
    return fmpq_mpoly_ctx.get([f"x{k}" for k in range(n)], Ordering.lex)


def _to_flint(p: Polynomial, atoms: Sequence[int]) -> Any:
    place = {a: k for k, a in enumerate(atoms)}
    terms = {}
    for m, c in p.items():
        powers = [0] * len(atoms)
        for a, k in m:
            powers[place[a]] = k
        terms[tuple(powers)] = fmpq(c.numerator, c.denominator)
    return _context(len(atoms)).from_dict(terms)


def _number(c: Any) -> Rational:
    return int(c.p) if c.q == 1 else Fraction(int(c.p), int(c.q))


def _from_flint(p: Any, atoms: Sequence[int]) -> Polynomial:
    return {
        tuple((a, int(k)) for a, k in zip(atoms, powers, strict=True) if k): _number(c)
        for powers, c in p.to_dict().items()
    }


def flint_factors(p: Polynomial, atoms: Sequence[int]) -> list[tuple[Polynomial, int]]:
    """Irreducible factors and their powers, a number first; a decimal stays in its factor."""
    number, factors = _to_flint(p, atoms).factor()
    if len(factors) < 2 and all(k == 1 for _, k in factors):
        return [(p, 1)]
    scale = _number(number)
    parts = [(_from_flint(f, atoms), int(k)) for f, k in factors]
    if is_decimal(scale, always=True):  # back into the factor that they came from
        sizes = [max(abs(float(c)) for c in part.values()) for part, _ in parts]
        largest = sizes.index(max(sizes))
        part, power = parts[largest]
        if power == 1:
            parts[largest] = divided(part, scale.denominator), 1
            scale = scale.numerator
    return [({(): scale}, 1), *parts]


def common_factor(p: Polynomial, atom: int, atoms: Sequence[int]) -> list[Polynomial] | None:
    """p = g h, if p is linear in an atom and g divides both its coefficient and the rest."""
    with_it = {m: c for m, c in p.items() if any(a == atom for a, _ in m)}
    rest = {m: c for m, c in p.items() if m not in with_it}
    if not is_quick_gcd(with_it, rest):
        return None
    whole = _to_flint(p, atoms)
    common = _to_flint(with_it, atoms).gcd(_to_flint(rest, atoms))
    if common.is_constant():
        return None
    return [_from_flint(common, atoms), _from_flint(whole / common, atoms)]


# ---- SymPy


def number(x: Rational) -> Any:
    """A fraction, or a decimal where its denominator is a long power of ten."""
    d = x.denominator
    if d > SHORT_DENOMINATOR:
        for p in (2, 5):
            while d % p == 0:
                d //= p
        if d == 1:
            return decimal(x)
    return sympy.Rational(x.numerator, x.denominator)


def decimal(x: Rational) -> Any:
    """A fraction over a power of ten, with all its digits."""
    digits = len(str(x.denominator)) * 4 + len(str(abs(x.numerator)))
    over, under = Decimal(x.numerator), Decimal(x.denominator)
    exactly = format(Context(prec=digits).divide(over, under), "f")
    return sympy.Float(exactly, max(15, len(exactly)))

"""Whether a polynomial in symbols, sines and cosines is seen to be positive everywhere.

Sines and cosines are written by their frequencies; with the sum of all amplitudes taken from the
mean, what is left is a bound. Symbols that move must have even powers. What is not seen may be
positive all the same.

Examples:
    >>> from visviva.algebra.exact.ring import Ring
    >>> ring = Ring(["q", "m", "x"], {"q": {"q": 1}})
    >>> q, m, x = (ring[name] for name in "qmx")
    >>> sign = {"m": 1}.get
    >>> is_positive((m + m * q.sin() ** 2 + x**2).terms(), {"q", "x"}, sign)
    True
    >>> is_positive((m * q.sin() ** 2 + x**2).terms(), {"q", "x"}, sign)
    False
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from visviva.algebra.exact.poly import Generator, Wave

Signs = Callable[[str], int | None]  # of symbols that do not move; None if it is not known
Term = tuple[dict[Generator, int], Fraction]
Rest = tuple[tuple[str, int], ...]  # powers of symbols
MAX_EXPONENTIALS = 1 << 18  # products of them in a spectrum


def is_positive(
    terms: Iterable[Term], variables: set[str], sign: Signs, doubt: float = 0.0
) -> bool:
    """Whether a polynomial is seen to be positive, whatever the symbols in `variables` are.

    `doubt` is the share of the largest coefficient that may be rounding error.
    """
    terms = list(terms)
    error = Fraction(doubt) * max((abs(c) for _, c in terms), default=Fraction(0))
    rounding_sum = sum((abs(c) for _, c in terms if abs(c) <= error), Fraction(0))
    bounds = _lower_bounds([x for x in terms if abs(x[1]) > error], variables, sign)
    constant = [x for rest, x in bounds.items() if not any(name in variables for name, _ in rest)]
    return all(x >= 0 for x in bounds.values()) and any(x > rounding_sum + error for x in constant)


def _lower_bounds(terms: list[Term], variables: set[str], sign: Signs) -> dict[Rest, Fraction]:
    """Of what multiplies each product of symbols, at all angles; none where it is not known."""
    heights = [sum(k for g, k in x.items() if isinstance(g, Wave)) for x, _ in terms]
    if sum(2**k for k in heights) > MAX_EXPONENTIALS:
        return {}
    bounds: dict[Rest, Fraction] = {}
    for (rest, waves), (re, im) in _spectrum(terms).items():
        s = _sign(rest, variables, sign)
        if s is None and (re or im):
            return {}
        bound = (s or 0) * re if not waves else -abs(s or 0) * (abs(re) + abs(im))
        bounds[rest] = bounds.get(rest, Fraction(0)) + bound
    return bounds


def _spectrum(terms: list[Term]) -> dict[Any, tuple[Fraction, Fraction]]:
    """Coefficients of powers of symbols times exp(i k · angles), k without its zeros."""
    total: dict[Any, tuple[Fraction, Fraction]] = {}
    for powers, c in terms:
        rest = tuple(sorted((g, n) for g, n in powers.items() if isinstance(g, str)))
        waves: dict[Any, tuple[Fraction, Fraction]] = {frozenset(): (c, Fraction(0))}
        for g, n in powers.items():
            for _ in range(n if isinstance(g, Wave) else 0):
                waves = _times_wave(waves, g)
        for k, (re, im) in waves.items():
            old = total.get((rest, k), (Fraction(0), Fraction(0)))
            total[rest, k] = old[0] + re, old[1] + im
    return total


def _times_wave(waves: dict[Any, tuple[Fraction, Fraction]], wave: Any) -> Any:
    """Times cos = (e + 1/e)/2, or sin = (e - 1/e)/2i."""
    product: dict[Any, tuple[Fraction, Fraction]] = {}
    for frequencies, (re, im) in waves.items():
        for step in (1, -1):
            k = dict(frequencies)
            k[wave.base] = k.get(wave.base, 0) + step
            place = frozenset((base, n) for base, n in k.items() if n)
            x, y = (re, im) if wave.function == "cos" else (im * step, -re * step)
            old = product.get(place, (Fraction(0), Fraction(0)))
            product[place] = old[0] + x / 2, old[1] + y / 2
    return product


def _sign(rest: Rest, variables: set[str], sign: Signs) -> int | None:
    """Of a product of powers; None if it is not known, or both occur."""
    total = 1
    for name, k in rest:
        s = (1 if k % 2 == 0 else None) if name in variables else sign(name)
        if s is None:
            return None
        total *= s**k
    return total

"""Whether a polynomial in symbols, sines and cosines is seen to be positive everywhere.

Symbols that move must have even powers. Sines and cosines are looked at by their frequencies, the
mean against all amplitudes, and by their powers, in Bernstein's form, which bounds a polynomial by
its coefficients. What is not seen may be positive all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from visviva.algebra.exact.poly import Poly, Wave

Signs = Callable[[str], int]  # of the symbols that do not move
Terms = list[tuple[dict[Any, int], Fraction]]
MOST = 4096  # coefficients


def is_evident(p: Poly, moving: set[str], signs: Signs, rounded: float = 0.0) -> bool:
    """Whether a polynomial is seen to be positive, whatever moves.

    Coefficients below `rounded` times the largest are rounding errors.
    """
    terms = [(dict(powers), Fraction(c)) for powers, c in p.terms()]
    size = max((abs(c) for _, c in terms), default=Fraction(0)) * Fraction(rounded)
    terms = [(powers, c) for powers, c in terms if abs(c) >= size]
    return _by_frequencies(terms, moving, signs) or _by_powers(terms, moving, signs)


def _by_frequencies(terms: Terms, moving: set[str], signs: Signs) -> bool:
    """Whether means are above the sum of all amplitudes: angles that are only a difference."""
    bases = list(dict.fromkeys(g.base for x, _ in terms for g in x if isinstance(g, Wave)))
    heights = [sum(n for g, n in x.items() if isinstance(g, Wave)) for x, _ in terms]
    if len(terms) * 2 ** max(heights, default=0) > 64 * MOST:
        return False
    means: dict[tuple[Any, ...], Fraction] = {}
    for (rest, k), (re, im) in _spectrum(terms, bases).items():
        sign = _sign(rest, moving, signs)
        if sign is None or (sign == 0 and (re or im)):
            if sign is None:
                return False
            continue
        means[rest] = means.get(rest, Fraction(0)) + (
            re * sign if not any(k) else -abs(re) - abs(im)
        )
    strict = [x > 0 for rest, x in means.items() if not any(n in moving for n, _ in rest)]
    return any(strict) and all(x >= 0 for x in means.values())


def _spectrum(terms: Terms, bases: list[Any]) -> dict[Any, tuple[Fraction, Fraction]]:
    """Coefficients of what is left of a term, times exp(i k · angles)."""
    total: dict[Any, tuple[Fraction, Fraction]] = {}
    for powers, c in terms:
        rest = tuple(sorted((g, n) for g, n in powers.items() if not isinstance(g, Wave)))
        waves: dict[tuple[int, ...], tuple[Fraction, Fraction]] = {
            (0,) * len(bases): (c, Fraction(0))
        }
        for g, n in powers.items():
            if isinstance(g, Wave):
                place = bases.index(g.base)
                for _ in range(n):
                    waves = _times_wave(waves, place, g.function)
        for k, (re, im) in waves.items():
            old = total.get((rest, k), (Fraction(0), Fraction(0)))
            total[rest, k] = old[0] + re, old[1] + im
    return total


def _times_wave(waves: Any, place: int, function: str) -> Any:
    """Times cos = (e + 1/e)/2, or sin = (e - 1/e)/2i."""
    after: dict[tuple[int, ...], tuple[Fraction, Fraction]] = {}
    for k, (re, im) in waves.items():
        for step in (1, -1):
            at = (*k[:place], k[place] + step, *k[place + 1 :])
            x, y = (re, im) if function == "cos" else (im * step, -re * step)
            old = after.get(at, (Fraction(0), Fraction(0)))
            after[at] = old[0] + x / 2, old[1] + y / 2
    return after


def _sign(rest: tuple[Any, ...], moving: set[str], signs: Signs) -> int | None:
    """Of a monomial; None if it takes both."""
    if any(n in moving and k % 2 for n, k in rest):
        return None
    sign = 1
    for name, k in rest:
        sign *= 1 if name in moving else signs(name) ** k
    return sign


def _by_powers(terms: Terms, moving: set[str], signs: Signs) -> bool:
    """Bernstein's form, in which sines and cosines count as free of each other."""
    waves = list(dict.fromkeys(g for powers, _ in terms for g in powers if isinstance(g, Wave)))
    halved = {g: all(powers.get(g, 0) % 2 == 0 for powers, _ in terms) for g in waves}
    degrees = [max(x.get(g, 0) for x, _ in terms) // (2 if halved[g] else 1) for g in waves]
    if np.prod([d + 1 for d in degrees], initial=1) > MOST:
        return False
    parts: dict[tuple[Any, ...], np.ndarray] = {}
    for powers, c in terms:
        rest = tuple(sorted((g, k) for g, k in powers.items() if not isinstance(g, Wave)))
        place = tuple(powers.get(g, 0) // (2 if halved[g] else 1) for g in waves)
        zero = np.full([d + 1 for d in degrees], Fraction(0), dtype=object)
        parts.setdefault(rest, zero)[place] += c
    known: np.ndarray = np.zeros([d + 1 for d in degrees], dtype=bool)
    for rest, coefficients in parts.items():
        own = coefficients
        for axis, (g, d) in enumerate(zip(waves, degrees, strict=True)):
            T = _bernstein(d, Fraction(1) if halved[g] else Fraction(2))
            own = np.moveaxis(np.tensordot(T, own, (1, axis)), 0, axis)
        sign, fixed = _sign(rest, moving, signs), not any(n in moving for n, _ in rest)
        if sign == 0:
            continue  # a parameter that is zero
        if sign is None or any(x * sign < 0 for x in own.flat):
            return False
        if fixed:
            known |= np.array([bool(x * sign > 0) for x in own.flat]).reshape(known.shape)
    return bool(known.all()) and bool(parts)


def _bernstein(degree: int, width: Fraction) -> np.ndarray:
    """From powers of w, in [0, 1] or, of width two, in [-1, 1], to Bernstein's coefficients."""
    n = degree + 1
    T = np.full((n, n), Fraction(0), dtype=object)
    for i in range(n):  # w^i = Σ_k ... u^k
        row = [Fraction(0)] * n
        for k in range(i + 1):
            if width == 1:
                row[k] = Fraction(int(k == i))
            else:
                row[k] = Fraction(comb(i, k) * 2**k * (-1) ** (i - k))
        for j in range(n):
            T[j, i] = sum(
                (Fraction(comb(j, k), comb(degree, k)) * row[k] for k in range(j + 1)), Fraction(0)
            )
    return T

"""What is an angle: a product of symbols, such as q, ω t or k x; sums of them have sines.

Symbols, and the sines and cosines of different products of them, satisfy no polynomial equation
but sin² + cos² = 1 (Ax), so that a rate times the time is an angle like a coordinate.

Examples:
    >>> angle_of(["t", "W"]), slopes_of(("W", "t"))
    (('W', 't'), {'W': (1, ('t',)), 't': (1, ('W',))})
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

Angle = str | tuple[str, ...]  # a symbol, or the factors of a product, sorted, powers repeated


def angle_of(factors: Iterable[str]) -> Angle:
    """A product of symbols; one alone is its own name."""
    names = tuple(sorted(factors))
    return names[0] if len(names) == 1 else names


def factors_of(angle: Angle) -> tuple[str, ...]:
    """The symbols that an angle is a product of."""
    return (angle,) if isinstance(angle, str) else angle


def slopes_of(angle: Angle) -> dict[str, tuple[int, tuple[str, ...]]]:
    """The derivative by each symbol: a whole number, and the factors that are left."""
    powers = Counter(factors_of(angle))
    return {x: (n, tuple((powers - Counter([x])).elements())) for x, n in powers.items()}

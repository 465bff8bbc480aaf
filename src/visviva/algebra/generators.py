"""The generators of a ring of trigonometric polynomials, and what its normal form needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flint import Ordering, fmpq_mpoly_ctx

from visviva.algebra.rationals import OutsideError, solved

LARGEST_GCD = 40_000  # products of terms


class Generators:
    """Symbols, and angles: for each coordinate that is one, the base angles it is a sum of."""

    def __init__(self, symbols: Sequence[str], angles: Mapping[str, Mapping[str, int]]) -> None:
        self.symbols = tuple(symbols)
        self.angles = {name: dict(parts) for name, parts in angles.items()}
        self.bases = tuple(dict.fromkeys(b for parts in angles.values() for b in parts))
        sines, cosines = [f"sin {b}" for b in self.bases], [f"cos {b}" for b in self.bases]
        # sines first: in the lexical order s² then leads s² + c² - 1, and division removes it
        self.generators = (*sines, *cosines, *self.symbols)
        self.context = fmpq_mpoly_ctx.get(self.generators, Ordering.lex)
        made = self.context.gens()
        self.place = {name: k for k, name in enumerate(self.generators)}
        n = len(self.bases)
        self._sines = (1 << n) - 1
        self.circles = [made[k] ** 2 + made[n + k] ** 2 - 1 for k in range(n)]
        self._made = dict(zip(self.generators, made, strict=True))
        self.zero = self.context.constant(0)
        self.budget: int | None = None  # products of terms that may still be worked out
        self.sums = solved(self.angles, self.bases)
        self.moved_by = {
            name: {b: parts[name] for b, parts in self.sums.items() if parts.get(name)}
            for name in self.angles
        }

    def spend(self, p: Any, q: Any) -> None:
        """Where work has a bound, refuse what goes beyond it."""
        if self.budget is not None:
            self.budget -= len(p) * len(q)
            if self.budget < 0:
                raise OutsideError("too many terms")

    def common(self, p: Any, q: Any) -> Any:
        """The greatest common divisor; where work has a bound, of small ones only."""
        if self.budget is not None and len(p) * len(q) > LARGEST_GCD:
            return self.context.constant(1)
        return p.gcd(q)

    def reduced(self, p: Any) -> Any:
        """The normal form."""
        for k, degree in enumerate(p.degrees()[: len(self.bases)]):
            if degree > 1:
                p = divmod(p, self.circles[k])[1]
        return p

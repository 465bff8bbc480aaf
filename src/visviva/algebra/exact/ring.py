"""The generators of a ring of trigonometric polynomials, and what its normal form needs.

Names are labels and nothing else: FLINT sees g0, g1, … whatever people call their coordinates, and
sines and cosines are told from symbols by their type, not by their spelling.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from flint import Ordering, fmpq_mpoly_ctx

from visviva.algebra.exact.budget import Budget, is_quick_gcd, must_fit
from visviva.algebra.exact.rationals import OutsideError, solved

Base = Hashable  # what tells one base angle from another


class Wave(NamedTuple):
    """The generator that is the sine or cosine of a base angle; those that are symbols are str."""

    function: str
    base: Base


Generator = str | Wave


class Generators:
    """Symbols, and angles: for each coordinate that is one, the base angles it is a sum of."""

    def __init__(self, symbols: Sequence[str], angles: Mapping[str, Mapping[Any, int]]) -> None:
        self.symbols = tuple(symbols)
        if len(set(self.symbols)) < len(self.symbols):  # two things would be one and the same
            twice = next(x for k, x in enumerate(self.symbols) if x in self.symbols[:k])
            raise OutsideError(f"two symbols of a ring are called {twice!r}")
        self.angles = {name: dict(parts) for name, parts in angles.items()}
        self.bases = tuple(dict.fromkeys(b for parts in angles.values() for b in parts))
        sines, cosines = ([Wave(f, b) for b in self.bases] for f in ("sin", "cos"))
        # sines first: in the lexical order s² then leads s² + c² - 1, and division removes it
        self.generators: tuple[Generator, ...] = (*sines, *cosines, *self.symbols)
        self.context = fmpq_mpoly_ctx.get(
            [f"g{k}" for k in range(len(self.generators))], Ordering.lex
        )
        made = self.context.gens()
        self.place = {name: k for k, name in enumerate(self.generators)}
        n = len(self.bases)
        self._sines = (1 << n) - 1
        self.circles = [made[k] ** 2 + made[n + k] ** 2 - 1 for k in range(n)]
        self._made = dict(zip(self.generators, made, strict=True))
        self.zero = self.context.constant(0)
        self.budget = Budget()
        self.sums = solved(self.angles, self.bases)
        self.moved_by = {
            name: {b: parts[name] for b, parts in self.sums.items() if parts.get(name)}
            for name in self.angles
        }

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What a reader sees of each generator: a name, or cos(q1 + q2)."""
        return tuple(
            f"{g.function}({_sum(self.sums[g.base])})" if isinstance(g, Wave) else g
            for g in self.generators
        )

    def shown(self, p: Any) -> str:
        """An element in the names that were given."""
        return re.sub(r"g(\d+)", lambda found: self.labels[int(found[1])], str(p))

    def at_zero(self, p: Any, names: Iterable[str]) -> Any:
        """An element with some symbols zero, none of them an angle."""
        return p.subs({f"g{self.place[name]}": 0 for name in names})

    def common(self, p: Any, q: Any) -> Any:
        """The greatest common divisor; of large ones 1, which divides them too."""
        return p.gcd(q) if is_quick_gcd(p, q) else self.context.constant(1)

    def reduced(self, p: Any) -> Any:
        """The normal form."""
        for k, degree in enumerate(p.degrees()[: len(self.bases)]):
            if degree > 1:
                must_fit(len(p))  # each square is two terms, 1 - c²
                p = divmod(p, self.circles[k])[1]
        return p


def _sum(parts: Mapping[str, Any]) -> str:
    terms = (name if x == 1 else f"{x}*{name}" for name, x in parts.items())
    return " + ".join(terms)

"""In which order terms and factors stand: as books have them, or by the motions they belong to.

Factors stand as books write them: numbers, parameters, brackets, sines and cosines, velocities.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy

from visviva.notation.names import Names, Parts

MASSES = ("m", "M", "I", "J")  # these stand first


class Order(ABC):
    """The order of a page; `names` tell which symbols are rates."""

    def __init__(self, names: Names) -> None:
        self.names = names

    @abstractmethod
    def terms(self, x: Any) -> list[Any]:
        """The terms of a sum."""

    @abstractmethod
    def signed(self, x: Any) -> Any:
        """A term, with the minus where it is to stand."""

    def factors(self, factors: list[Any]) -> list[Any]:
        """Masses, other symbols, brackets, functions, rates."""

        def rank(x: Any) -> tuple[int, int]:
            if isinstance(x, sympy.exp):
                return 3, 1
            base = x.as_base_exp()[0]
            if base.is_Symbol:
                parts = self.names.parts(base.name)
                if parts.dots:
                    return 4, 0
                return (1 if parts.letter in MASSES else 2), 0
            if base.is_number:
                return 0, 0
            if base.is_Add and self.dots(base):
                return 4, 1
            return (3, 1) if isinstance(base, sympy.Function) else (3, 0)

        return sorted(factors, key=rank)

    def mass(self, x: Any) -> tuple[Any, ...]:
        """The mass or moment that a term begins with, so that 2 sorts before 10."""
        first = self.factors(list(sympy.Mul.make_args(x.as_coeff_Mul()[1])))[0]
        parts = self.names.parts(first.name) if first.is_Symbol else Parts("")
        if parts.letter not in MASSES:
            return ()
        digits = re.sub(r"\D", "", parts.subscript)
        return parts.letter, int(digits or 0), parts.subscript

    def dots(self, x: Any) -> int:
        """Of the highest rate in it."""
        return max((self.names.parts(a.name).dots for a in x.free_symbols), default=0)


class InBooks(Order):
    """Accelerations, velocities, the rest; each as SymPy orders them."""

    def terms(self, x: Any) -> list[Any]:
        terms = sorted(x.as_ordered_terms(), key=lambda t: -self.dots(t))
        if all(self.mass(t) for t in terms):  # m1 r1 + m2 l1, whatever else is in the terms
            return sorted(terms, key=lambda t: (-self.dots(t), self.mass(t)))
        return terms

    def signed(self, x: Any) -> Any:
        return x


class ByMotion(Order):
    """Accelerations, products of velocities, weights, friction."""

    def __init__(self, names: Names) -> None:
        super().__init__(names)
        self._key = cache(self._new_key)

    def terms(self, x: Any) -> list[Any]:
        return sorted(x.args, key=self._key)

    def signed(self, x: Any) -> Any:
        """Brackets that would start with a minus give it to what stands before them."""
        factors = []
        flips = 0
        for f in sympy.Mul.make_args(x):
            if f.is_Add and not x.is_Add and self._starts_with_minus(f):
                f, flips = -f, flips + 1
            factors.append(f)
        if not flips:
            return x
        if flips % 2:
            factors.append(sympy.S.NegativeOne)
        number = sympy.Mul(*(f for f in factors if f.is_Number))
        return sympy.Mul(number, *(f for f in factors if not f.is_Number), evaluate=False)

    def _starts_with_minus(self, x: Any) -> bool:
        def minus(terms: Iterable[Any]) -> bool:
            first = min(terms, key=self._key)
            return bool(first.as_coeff_Mul()[0].is_negative)

        return minus(x.args) and not minus([-t for t in x.args])

    def _new_key(self, x: Any) -> tuple[Any, ...]:
        second = sorted(y.name for y in x.free_symbols if self.names.parts(y.name).dots == 2)
        degree = sum(f.as_base_exp()[1] for f in sympy.Mul.make_args(x) if self.dots(f) == 1)
        kind = 0 if second else 2 if degree == 0 else 3 if degree == 1 else 1
        waves = x.atoms(sympy.sin, sympy.cos)
        angles = sorted((len(f.args[0].args), str(f.args[0])) for f in waves)
        names = sorted(y.name for y in x.free_symbols)
        inertia = not any(n.startswith("I") for n in names)
        return kind, second, bool(waves), inertia, angles, self.mass(x), names, _Spelled(x)


@dataclass(frozen=True)
class _Spelled:
    """Compares by spelling, which takes long and is asked for only where all else is the same."""

    expr: Any

    def __lt__(self, other: _Spelled) -> bool:
        return str(self.expr) < str(other.expr)

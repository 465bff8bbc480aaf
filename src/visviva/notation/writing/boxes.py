"""What stands where in a line: formulas of named vectors and frames around SymPy's expressions.

`algebra.write` lays out expressions; here are the signs that SymPy has not, such as the frame
before a vector, and the order of terms that people prefer: accelerations, products of velocities,
weights, friction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from visviva.notation.names import Names
from visviva.notation.naming import acceleration_name, velocity_name
from visviva.notation.writing import layout as lay


@dataclass(frozen=True)
class Sign:
    """A letter with what stands around it."""

    letter: str
    sub: str = ""
    dots: int = 0
    hat: bool = False
    frame: str = ""  # before it, raised: the axes in which it is written
    base: str = ""  # before it, lowered
    arrow: bool = False


@dataclass(frozen=True)
class Leaf:
    """An expression without a sign of its own, as `algebra.write` lays it out."""

    layout: Any


@dataclass(frozen=True)
class Mark:
    """An operator, such as + or ×."""

    text: str


@dataclass(frozen=True)
class Row:
    """Boxes beside each other: a product."""

    parts: tuple[Any, ...]


@dataclass(frozen=True)
class Sum:
    """Terms with their signs, +1 or -1."""

    terms: tuple[tuple[int, Any], ...]


@dataclass(frozen=True)
class Fraction:
    """One box over another."""

    over: Any
    under: Any


@dataclass(frozen=True)
class Square:
    """Of a sign."""

    base: Sign


@dataclass(frozen=True)
class Fence:
    """Round brackets."""

    inner: Any


@dataclass(frozen=True)
class Grid:
    """A matrix or a column in square brackets."""

    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Lines:
    """A box that was too wide, in lines."""

    rows: tuple[Any, ...]


ZERO = Leaf(lay.Number("0"))
TWO = Leaf(lay.Number("2"))
HALF = Leaf(lay.Quotient(lay.Number("1"), lay.Number("2")))


def fenced(box: Any) -> Any:
    """In brackets, if it is a sum."""
    return Fence(box) if isinstance(box, Sum) else box


def opened(layout: Any) -> Any:
    """A layout as a box; a sum as one that can be joined and broken."""
    if isinstance(layout, lay.Sum):
        return Sum(tuple((-1 if minus else 1, Leaf(term)) for minus, term in layout.terms))
    return Leaf(layout)


@dataclass(frozen=True)
class _Spelled:
    """Compares by spelling, which takes long and is asked for only where all else is the same."""

    expr: Any

    def __lt__(self, other: _Spelled) -> bool:
        return str(self.expr) < str(other.expr)


class Boxes(lay.Layout):
    """Makes boxes of SymPy expressions.

    Sines and cosines of indexed angles are abbreviated, cos(θ₁ + θ₂) = c₁₂, unless something else
    is called so; `seen` has those that occurred, with their angles.
    """

    def __init__(self, coordinates: Sequence[str], others: Iterable[str] = ()) -> None:
        others = tuple(others)
        taken = any(re.fullmatch(r"[cs]_?\d+", name) for name in others)
        rates = {f(c) for c in coordinates for f in (velocity_name, acceleration_name)}
        fixed = [x for x in others if x not in rates]
        super().__init__(Names(coordinates, fixed), short=not taken)
        self.seen: dict[str, Any] = {}
        self._laid_out: dict[Any, Any] = {}
        self._keys: dict[Any, tuple[Any, ...]] = {}

    def box(self, x: Any) -> Any:
        """The box of an expression, or of a matrix."""
        if isinstance(x, sympy.MatrixBase):
            return Grid(tuple(tuple(self.box(e) for e in line) for line in x.tolist()))
        return opened(self.of(x))

    def of(self, x: Any) -> Any:
        """The layout; what occurs in many lines is laid out once."""
        if x not in self._laid_out:
            self._laid_out[x] = super().of(x)
        return self._laid_out[x]

    def in_full(self, x: Any) -> Any:
        """Without abbreviations."""
        return opened(lay.Layout(self.names).of(x))

    def _function(self, x: Any) -> Any:
        made = super()._function(x)
        if isinstance(made, lay.Call) and made.short:
            self.seen[made.short] = x.args[0]
        return made

    # ---- order and signs

    def _ordered(self, x: Any) -> list[Any]:
        return sorted(x.args, key=self._key)

    def _key(self, x: Any) -> tuple[Any, ...]:
        if x not in self._keys:
            self._keys[x] = self._new_key(x)
        return self._keys[x]

    def _new_key(self, x: Any) -> tuple[Any, ...]:
        second = sorted(s.name for s in x.free_symbols if self.names.parts(s.name).dots == 2)
        degree = sum(f.as_base_exp()[1] for f in sympy.Mul.make_args(x) if self._dots(f) == 1)
        kind = 0 if second else 2 if degree == 0 else 3 if degree == 1 else 1
        waves = x.atoms(sympy.sin, sympy.cos)
        angles = sorted((len(f.args[0].args), str(f.args[0])) for f in waves)
        names = sorted(s.name for s in x.free_symbols)
        inertia = not any(n.startswith("I") for n in names)
        return kind, second, bool(waves), inertia, angles, self._mass(x), names, _Spelled(x)

    def _signed(self, x: Any) -> tuple[bool, Any]:
        """Brackets that would start with a minus give it to what stands before them."""
        factors = []
        flips = 0
        for f in sympy.Mul.make_args(x):
            if f.is_Add and not x.is_Add and self._starts_with_minus(f):
                f, flips = -f, flips + 1
            factors.append(f)
        if not flips:
            return super()._signed(x)
        if flips % 2:
            factors.append(sympy.S.NegativeOne)
        number = sympy.Mul(*(f for f in factors if f.is_Number))
        return super()._signed(
            sympy.Mul(number, *(f for f in factors if not f.is_Number), evaluate=False)
        )

    def _starts_with_minus(self, x: Any) -> bool:
        def minus(terms: Iterable[Any]) -> bool:
            first = min(terms, key=self._key)
            return bool(first.as_coeff_Mul()[0].is_negative)

        return minus(x.args) and not minus([-t for t in x.args])

"""A SymPy expression as it stands on the page: signs, factors, fractions, powers, functions.

Factors stand in the order in which books write them: numbers, parameters, brackets, sines and
cosines, velocities. Terms with accelerations come first, then velocities, then the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from visviva.algebra.exact.rationals import is_decimal
from visviva.notation.names import Names, Parts
from visviva.notation.textbook.rationals import decimal

PRIMES = ("", "′", "″", "‴")  # of a function of one variable, derived so often
MASSES = ("m", "M", "I", "J")  # these stand first


@dataclass(frozen=True)
class Number:
    """A number without sign."""

    text: str


@dataclass(frozen=True)
class Scientific:
    """Digits times a power of ten."""

    digits: str
    exponent: str


@dataclass(frozen=True)
class Name:
    """A symbol."""

    parts: Parts


@dataclass(frozen=True)
class Sum:
    """Signed terms; negative ones are marked True."""

    terms: tuple[tuple[bool, Any], ...]


@dataclass(frozen=True)
class Product:
    """Factors side by side."""

    factors: tuple[Any, ...]


@dataclass(frozen=True)
class Quotient:
    """One over the other."""

    top: Any
    bottom: Any


@dataclass(frozen=True)
class Power:
    """A base and its exponent."""

    base: Any
    exponent: Any


@dataclass(frozen=True)
class Root:
    """A square root."""

    inside: Any


@dataclass(frozen=True)
class Call:
    """A function of arguments; `short` is the subscript of c₁₂, s₁₂.

    `by` counts arguments from 1 on: the function is derived by each of them, f′(x) or ∂₁f(x, y).
    """

    name: str
    arguments: tuple[Any, ...]
    short: str = ""
    by: tuple[int, ...] = ()


@dataclass(frozen=True)
class Slope:
    """∂f/∂x of an unknown function of several variables: each variable with how often."""

    name: str
    by: tuple[tuple[Any, int], ...]


@dataclass(frozen=True)
class Relation:
    """Two sides."""

    left: Any
    sign: str
    right: Any


@dataclass(frozen=True)
class Joined:
    """Conditions with a word between them: x > 0 and x < 1."""

    word: str
    parts: tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """A matrix, row by row."""

    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Cases:
    """Values and their conditions; the last may have None."""

    rows: tuple[tuple[Any, Any], ...]


@dataclass(frozen=True)
class Foreign:
    """Anything else: SymPy writes it."""

    expr: Any


class Layout:
    """Lays out expressions; `short` writes c₁₂ for cos(q1 + q2), `decimals` 0.3 for 3/10."""

    def __init__(self, names: Names, short: bool = False, decimals: bool = False) -> None:
        self.names = names
        self.short = short
        self.decimals = decimals

    def of(self, x: Any) -> Any:
        """The layout of an expression, an equation or a matrix."""
        s = _sympy()
        x = s.sympify(x)
        if isinstance(x, s.MatrixBase):
            return Table(tuple(tuple(self.of(e) for e in x.row(i)) for i in range(x.rows)))
        if isinstance(x, s.core.relational.Relational):
            sign = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}.get(x.rel_op, x.rel_op)
            return Relation(self.of(x.lhs), sign, self.of(x.rhs))
        if x.is_Symbol:
            return Name(self.names.parts(x.name))
        if x.is_Add:
            return Sum(tuple(self._signed(t) for t in self._ordered(x)))
        if x.is_Number or x.is_Mul:
            minus, bare = self._signed(x)
            return Sum(((True, bare),)) if minus else bare
        if x.is_Pow:
            return self._power(x)
        if isinstance(x, (s.Derivative, s.Subs)):
            return self._slope(x)
        if isinstance(x, (s.Max, s.Min)):
            ordered = sorted(x.args, key=s.default_sort_key)
            return Call(x.func.__name__.lower(), tuple(self.of(a) for a in ordered))
        if isinstance(x, (s.And, s.Or)):
            ordered = sorted(x.args, key=s.default_sort_key)
            word = "and" if isinstance(x, s.And) else "or"
            return Joined(word, tuple(self.of(a) for a in ordered))
        if isinstance(x, (s.Function, s.Piecewise)) or x in (s.pi, s.E):
            return self._function(x)
        return Foreign(x)

    # ---- sums and products

    def _ordered(self, x: Any) -> list[Any]:
        """Accelerations, velocities, the rest; each as SymPy orders them."""
        terms = sorted(x.as_ordered_terms(), key=lambda t: -self._dots(t))
        masses = [self._mass(t) for t in terms]
        if all(masses):  # m1 r1 + m2 l1, whatever else is in the terms
            return sorted(terms, key=lambda t: (-self._dots(t), self._mass(t)))
        return terms

    def _mass(self, x: Any) -> tuple[Any, ...]:
        """The mass or moment that a term begins with, so that 2 sorts before 10."""
        first = self._arranged(list(_sympy().Mul.make_args(x.as_coeff_Mul()[1])))[0]
        parts = self.names.parts(first.name) if first.is_Symbol else Parts("")
        if parts.letter not in MASSES:
            return ()
        digits = re.sub(r"\D", "", parts.subscript)
        return parts.letter, int(digits or 0), parts.subscript

    def _dots(self, x: Any) -> int:
        return max((self.names.parts(a.name).dots for a in x.free_symbols), default=0)

    def _signed(self, x: Any) -> tuple[bool, Any]:
        """Whether there is a minus in front, and the rest."""
        s = _sympy()
        number, rest = x.as_coeff_Mul()
        minus = bool(number.is_number and number.is_extended_negative)
        top, bottom = (abs(number).p, abs(number).q) if number.is_Rational else (abs(number), 1)
        if bottom != 1 and is_decimal(abs(number), self.decimals):
            top, bottom = decimal(Fraction(int(top), int(bottom))), 1
        over, under = [], []
        for factor in s.Mul.make_args(rest):
            base, exponent = factor.as_base_exp()
            if exponent.is_number and exponent.is_negative and not factor.is_Number:
                under.append(base**-exponent)
            elif factor != 1:
                over.append(factor)
        if under or not over:
            made = self._product(s.sympify(top), over)
            below = self._product(s.sympify(bottom), under)
            return minus, made if below == Number("1") else Quotient(made, below)
        front: list[Any] = []
        if bottom != 1:
            front = [Quotient(Number(str(top)), Number(str(bottom)))]
        elif top != 1:
            front = [self._number(s.sympify(top))]
        factors = (*front, *(self.of(f) for f in self._arranged(over)))
        return minus, factors[0] if len(factors) == 1 else Product(factors)

    def _product(self, number: Any, factors: list[Any]) -> Any:
        made = [self.of(f) for f in self._arranged(factors)]
        if number != 1 or not made:
            made.insert(0, self._number(number))
        return made[0] if len(made) == 1 else Product(tuple(made))

    def _arranged(self, factors: list[Any]) -> list[Any]:
        """Masses, other symbols, brackets, functions, rates."""
        s = _sympy()

        def rank(x: Any) -> tuple[int, int]:
            if isinstance(x, s.exp):
                return 3, 1
            base = x.as_base_exp()[0]
            if base.is_Symbol:
                parts = self.names.parts(base.name)
                if parts.dots:
                    return 4, 0
                return (1 if parts.letter in MASSES else 2), 0
            if base.is_number:
                return 0, 0
            if base.is_Add and self._dots(base):
                return 4, 1
            return (3, 1) if isinstance(base, s.Function) else (3, 0)

        return sorted(factors, key=rank)

    def _number(self, x: Any) -> Any:
        digits, _, exponent = str(x).partition("e")
        if exponent:
            return Scientific(_trimmed(digits), str(int(exponent)))
        return Number(_trimmed(digits))

    # ---- the rest

    def _power(self, x: Any) -> Any:
        s = _sympy()
        base, exponent = x.as_base_exp()
        if exponent.is_number and exponent.is_negative:
            return self._signed(x)[1]
        if exponent == s.Rational(1, 2):
            return Root(self.of(base))
        return Power(self.of(base), self.of(exponent))

    def _slope(self, x: Any) -> Any:
        """dq/dt with a dot; f′(x), ∂f/∂x and ∂₁f(2 x, y) of other unknown functions."""
        s = _sympy()
        inner, point = x, {}
        if isinstance(x, s.Subs):
            inner, point = x.expr, dict(zip(x.variables, x.point, strict=True))
        f = inner.expr if isinstance(inner, s.Derivative) else None
        if not isinstance(f, s.core.function.AppliedUndef):
            return Foreign(x)
        counts = [(y, int(n)) for y, n in inner.variable_count]
        if not point and _is_time(f.args):
            parts = self.names.parts(f.func.__name__)
            return Name(parts._replace(dots=parts.dots + sum(n for _, n in counts)))
        if not all([y in a.free_symbols for a in f.args].count(True) == 1 for y, _ in counts):
            return Foreign(x)
        if not {*point, *(y for y, _ in counts)} <= {*f.args}:
            return Foreign(x)
        name = f.func.__name__
        if len(f.args) > 1 and not point:
            return Slope(name, tuple((self.of(y), n) for y, n in counts))
        by = tuple(f.args.index(y) + 1 for y, n in counts for _ in range(n))
        return Call(name, tuple(self.of(point.get(a, a)) for a in f.args), by=by)

    def _function(self, x: Any) -> Any:
        s = _sympy()
        if x in (s.pi, s.E):
            return Name(Parts("pi" if x == s.pi else "e"))
        name = x.func.__name__
        if isinstance(x, s.core.function.AppliedUndef):
            if _is_time(x.args):
                return Name(self.names.parts(name))
        elif isinstance(x, s.Piecewise):
            return Cases(
                tuple((self.of(v), None if c is s.true else self.of(c)) for v, c in x.args)
            )
        subscript = self._indices(x.args[0]) if self.short and name in ("sin", "cos") else ""
        return Call(name, tuple(self.of(a) for a in x.args), subscript)

    def _indices(self, angle: Any) -> str:
        """q1 + q2 has the indices 12; sums of other things have none."""
        found = []
        letters = set()
        for term in angle.as_ordered_terms():
            if not term.is_Symbol:
                return ""
            parts = self.names.parts(term.name)
            letters.add(parts.letter)
            found.append(parts.subscript)
        if len(found) == 1 and not found[0]:
            return str(next(iter(letters)))
        if len(letters) > 1 or not all(i.isdigit() for i in found):
            return ""
        return ("" if all(len(i) == 1 for i in found) else ",").join(sorted(found, key=int))


def _is_time(arguments: Any) -> bool:
    return len(arguments) == 1 and arguments[0].is_Symbol and arguments[0].name == "t"


def _trimmed(text: str) -> str:
    """0.500000 is 0.5."""
    return text.rstrip("0").rstrip(".") if "." in text else text


@cache
def _sympy() -> Any:
    import sympy

    return sympy

"""SymPy expressions as they stand on the page: signs, factors, fractions, powers, functions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import sympy

from visviva.algebra.exact.rationals import is_decimal
from visviva.notation.names import Names, Parts, acceleration_name, velocity_name
from visviva.notation.textbook.polynomials import decimal
from visviva.notation.writing import page
from visviva.notation.writing.order import ByMotion, InBooks, Order


def arranger(expr: Any, names: Names | Iterable[str] | None, short: bool = False) -> Arranger:
    """Arranges as books do. Where one number is a decimal, all are: 0.3 beside 9.81, not 3/10."""
    parts = expr if isinstance(expr, (list, tuple)) else (expr,)
    numbers = (r for x in parts for r in sympy.sympify(x).atoms(sympy.Rational))
    return Arranger(InBooks(Names.of(names)), short, any(map(is_decimal, numbers)))


class Boxes:
    """Lines of a derivation, of SymPy expressions and matrices, in the order of motions.

    Sines and cosines of indexed angles are abbreviated, cos(θ₁ + θ₂) = c₁₂, unless something else
    is called so; `seen` has those that occurred, with their angles.
    """

    def __init__(self, coordinates: Iterable[str], others: Iterable[str] = ()) -> None:
        coordinates, others = tuple(coordinates), tuple(others)
        taken = any(re.fullmatch(r"[cs]_?\d+", name) for name in others)
        rates = {f(c) for c in coordinates for f in (velocity_name, acceleration_name)}
        names = Names(coordinates, [x for x in others if x not in rates])
        self._short = Arranger(ByMotion(names), short=not taken)
        self._full = Arranger(InBooks(names))
        self.seen = self._short.seen

    def box(self, x: Any) -> Any:
        """What stands in a line for an expression, or for a matrix."""
        if isinstance(x, sympy.MatrixBase):
            return page.Grid(tuple(tuple(self.box(e) for e in line) for line in x.tolist()))
        return page.opened(self._short.of(x))

    def in_full(self, x: Any) -> Any:
        """Without abbreviations, as books have it."""
        return page.opened(self._full.of(x))


class Arranger:
    """Lays out expressions; `short` writes c₁₂ for cos(q1 + q2), `decimals` 0.3 for 3/10."""

    def __init__(self, order: Order, short: bool = False, decimals: bool = False) -> None:
        self.order = order
        self.names = order.names
        self.short = short
        self.decimals = decimals
        self.seen: dict[str, Any] = {}  # the angles that were abbreviated, by their indices
        self._known: dict[Any, Any] = {}

    def of(self, x: Any) -> Any:
        """What stands on the page for an expression, an equation or a matrix."""
        x = sympy.sympify(x)
        if isinstance(x, sympy.MatrixBase):
            rows = (tuple(map(self.of, line)) for line in x.tolist())
            return page.Grid(tuple(rows), within=True)
        if isinstance(x, sympy.core.relational.Relational):
            sign = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}.get(x.rel_op, x.rel_op)
            return page.Relation(self.of(x.lhs), sign, self.of(x.rhs))
        if x not in self._known:  # what occurs in many lines is laid out once
            self._known[x] = self._expression(x)
        return self._known[x]

    def _expression(self, x: Any) -> Any:
        if x.is_Symbol:
            return page.Name(self.names.parts(x.name))
        if x.is_Add:
            return page.Sum(tuple(self._signed(t) for t in self.order.terms(x)), within=True)
        if x.is_Number or x.is_Mul:
            sign, bare = self._signed(x)
            return page.Sum(((sign, bare),), within=True) if sign < 0 else bare
        if x.is_Pow:
            return self._power(x)
        if isinstance(x, (sympy.Derivative, sympy.Subs)):
            return self._slope(x)
        if isinstance(x, (sympy.Max, sympy.Min, sympy.And, sympy.Or)):
            parts = tuple(self.of(a) for a in sorted(x.args, key=sympy.default_sort_key))
            word, condition = x.func.__name__.lower(), isinstance(x, (sympy.And, sympy.Or))
            return page.Joined(word, parts) if condition else page.Call(word, parts)
        if isinstance(x, (sympy.Function, sympy.Piecewise)) or x in (sympy.pi, sympy.E):
            return self._function(x)
        return page.Foreign(x)

    # ---- sums and products

    def _signed(self, x: Any) -> tuple[int, Any]:
        """-1 if there is a minus in front, or +1, and the rest."""
        number, rest = self.order.signed(x).as_coeff_Mul()
        sign = -1 if number.is_number and number.is_extended_negative else 1
        top, bottom = (abs(number).p, abs(number).q) if number.is_Rational else (abs(number), 1)
        if bottom != 1 and is_decimal(abs(number), self.decimals):
            top, bottom = decimal(Fraction(int(top), int(bottom))), 1
        over, under = [], []
        for factor in sympy.Mul.make_args(rest):
            base, exponent = factor.as_base_exp()
            if exponent.is_number and exponent.is_negative and not factor.is_Number:
                under.append(base**-exponent)
            elif factor != 1:
                over.append(factor)
        if under or not over:
            above = self._product(sympy.sympify(top), over)
            below = self._product(sympy.sympify(bottom), under)
            return sign, above if below == page.ONE else page.Quotient(above, below)
        front: list[Any] = []
        if bottom != 1:
            front = [page.Quotient(page.Number(str(top)), page.Number(str(bottom)))]
        elif top != 1:
            front = [self._number(sympy.sympify(top))]
        factors = (*front, *(self.of(f) for f in self.order.factors(over)))
        return sign, factors[0] if len(factors) == 1 else page.Product(factors)

    def _product(self, number: Any, factors: list[Any]) -> Any:
        parts = [self.of(f) for f in self.order.factors(factors)]
        if number != 1 or not parts:
            parts.insert(0, self._number(number))
        return parts[0] if len(parts) == 1 else page.Product(tuple(parts))

    def _number(self, x: Any) -> Any:
        digits, _, exponent = str(x).partition("e")
        if exponent:
            return page.Scientific(_trimmed(digits), str(int(exponent)))
        return page.Number(_trimmed(digits))

    # ---- the rest

    def _power(self, x: Any) -> Any:
        base, exponent = x.as_base_exp()
        if exponent.is_number and exponent.is_negative:
            return self._signed(x)[1]
        if exponent == sympy.Rational(1, 2):
            return page.Root(self.of(base))
        return page.Power(self.of(base), self.of(exponent))

    def _slope(self, x: Any) -> Any:
        """dq/dt with a dot; f′(x), ∂f/∂x and ∂₁f(2 x, y) of other unknown functions."""
        inner, point = x, {}
        if isinstance(x, sympy.Subs):
            inner, point = x.expr, dict(zip(x.variables, x.point, strict=True))
        f = inner.expr if isinstance(inner, sympy.Derivative) else None
        if not isinstance(f, sympy.core.function.AppliedUndef):
            return page.Foreign(x)
        counts = [(y, int(n)) for y, n in inner.variable_count]
        if not point and _is_time(f.args):
            parts = self.names.parts(f.func.__name__)
            return page.Name(parts._replace(dots=parts.dots + sum(n for _, n in counts)))
        if not all([y in a.free_symbols for a in f.args].count(True) == 1 for y, _ in counts):
            return page.Foreign(x)
        if not {*point, *(y for y, _ in counts)} <= {*f.args}:
            return page.Foreign(x)
        name = f.func.__name__
        if len(f.args) > 1 and not point:
            return page.Slope(name, tuple((self.of(y), n) for y, n in counts))
        by = tuple(f.args.index(y) + 1 for y, n in counts for _ in range(n))
        return page.Call(name, tuple(self.of(point.get(a, a)) for a in f.args), by=by)

    def _function(self, x: Any) -> Any:
        if x in (sympy.pi, sympy.E):
            return page.Name(Parts("pi" if x == sympy.pi else "e"))
        name = x.func.__name__
        if isinstance(x, sympy.core.function.AppliedUndef):
            if _is_time(x.args):
                return page.Name(self.names.parts(name))
        elif isinstance(x, sympy.Piecewise):
            return page.Cases(
                tuple((self.of(v), None if c is sympy.true else self.of(c)) for v, c in x.args)
            )
        subscript = self._indices(x.args[0]) if self.short and name in ("sin", "cos") else ""
        if subscript:
            self.seen[subscript] = x.args[0]
        return page.Call(name, tuple(self.of(a) for a in x.args), subscript)

    def _indices(self, angle: Any) -> str:
        """q1 + q2 has the indices 12; sums of other things have none."""
        indices = []
        letters = set()
        for term in angle.as_ordered_terms():
            if not term.is_Symbol:
                return ""
            parts = self.names.parts(term.name)
            letters.add(parts.letter)
            indices.append(parts.subscript)
        if len(indices) == 1 and not indices[0]:
            return str(next(iter(letters)))
        if len(letters) > 1 or not all(i.isdigit() for i in indices):
            return ""
        return ("" if all(len(i) == 1 for i in indices) else ",").join(sorted(indices, key=int))


def _is_time(arguments: Any) -> bool:
    return len(arguments) == 1 and arguments[0].is_Symbol and arguments[0].name == "t"


def _trimmed(text: str) -> str:
    """0.500000 is 0.5."""
    return text.rstrip("0").rstrip(".") if "." in text else text

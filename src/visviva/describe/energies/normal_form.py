"""SymPy formulas as exact polynomials in symbols, sines and cosines, where they are such."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy

from visviva.algebra.exact.angles import Angle, angle_of, factors_of
from visviva.algebra.exact.budget import MOST_BITS, must_fit
from visviva.algebra.exact.poly import Poly
from visviva.algebra.exact.ring import Ring
from visviva.algebra.exact.ring_sympy import angle_terms, as_sympy
from visviva.describe.energies.formulas import TIME
from visviva.errors import OutsideError
from visviva.notation.names import inside
from visviva.notation.textbook.writer import textbook

MOST_NORMAL_TERMS = 3000  # terms; beyond it the formulas as they were written are the shorter ones
STEEPEST = 200  # degree of a term
LARGEST_POWER = 64  # of a sum
LARGE = 400  # bits of a number; a hundred digits are not yet large


class Reader:
    """One ring for all formulas of a system.

    Parts that do not move and are no polynomials (1/m, sqrt(k)), or are arguments that are no sums
    of angles (2 α + 1), count as symbols of their own, `constants`.
    """

    def __init__(self, formulas: Iterable[Any], variables: Sequence[Any]) -> None:
        self.moving = frozenset(variables)
        self.constants: dict[Any, str] = {}
        formulas = list(formulas)
        symbols = {s.name for x in formulas for s in x.free_symbols} | {s.name for s in variables}
        for x in formulas:
            self._find_constants(x)
        dividers: dict[Angle, int] = {}
        for f in {f for x in formulas for f in x.atoms(sympy.sin, sympy.cos)}:
            for angle, times in angle_parts(f.args[0], self.constants).items():
                dividers[angle] = math.lcm(dividers.get(angle, 1), times.denominator)
        order = sorted(dividers, key=factors_of)
        angles = {c: {c: dividers[c]} for c in order}  # the base of c is a part of it
        self.ring = Ring([*sorted(symbols), *self.constants.values()], angles)
        self._known: dict[Any, tuple[Any, int]] = {}  # with a bound of the bits of coefficients
        self._large = 0  # bits of all large numbers

    def poly(self, x: Any) -> Poly:
        """The element of the ring that a formula is; OutsideError if it is none."""
        return self._poly(x)[0]

    def sympy(self, p: Poly) -> Any:
        """An element as a SymPy expression: its normal form, term by term."""
        return as_sympy(p, {name: x for x, name in self.constants.items()})

    def textbook(self, p: Poly) -> Any:
        """An element as a SymPy expression, as a person writes it."""
        return textbook(p).xreplace({sympy.Symbol(name): x for x, name in self.constants.items()})

    def _poly(self, x: Any) -> tuple[Poly, int]:
        if x not in self._known:
            element, bits = self._new(x)
            must_fit(element.size, MOST_NORMAL_TERMS)
            if element.p.total_degree() > STEEPEST or bits > MOST_BITS:
                raise OutsideError(f"a degree above {STEEPEST}, or numbers above {MOST_BITS} bits")
            self._known[x] = element, bits
        return self._known[x]

    def _new(self, x: Any) -> tuple[Poly, int]:
        ring = self.ring
        if x in self.constants:
            return ring[self.constants[x]], 1
        if isinstance(x, sympy.Symbol) and x.name in ring.place:
            return ring[x.name], 1
        if isinstance(x, (sympy.Rational, sympy.Float)):
            return self._number(x)
        if isinstance(x, (sympy.Add, sympy.Mul)):
            return self._sum_or_product(x)
        if isinstance(x, sympy.Pow) and x.exp.is_Integer and x.exp >= 0:
            return self._power(*self._poly(x.base), int(x.exp))
        if isinstance(x, (sympy.sin, sympy.cos)):
            angle, bits = self._poly(x.args[0])
            return (angle.sin() if isinstance(x, sympy.sin) else angle.cos()), bits
        raise OutsideError(f"{x!s:.200} is no polynomial in symbols, sines and cosines")

    def _number(self, x: Any) -> tuple[Poly, int]:
        value = Fraction(int(x.p), int(x.q)) if isinstance(x, sympy.Rational) else float(x)
        element = self.ring.number(value)
        bits = max((c.height_bits() for c in element.p.coeffs()), default=1)
        self._large += bits if bits > LARGE else 0
        if self._large > MOST_BITS:
            raise OutsideError(f"numbers of more than {MOST_BITS} bits")
        return element, bits

    def _sum_or_product(self, x: Any) -> tuple[Poly, int]:
        """A sum or a product."""
        total, most = self._poly(x.args[0])
        for part in x.args[1:]:
            other, bits = self._poly(part)
            most = max(most, bits) + 1 if x.is_Add else most + bits
            total = total + other if x.is_Add else total * other
        return total, most

    def _power(self, base: Poly, bits: int, n: int) -> tuple[Poly, int]:
        if n * max(bits, base.p.total_degree()) > MOST_BITS or (
            base.size > 1 and n > LARGEST_POWER
        ):
            raise OutsideError(f"too many terms: the power {n} of a sum of {base.size} terms")
        return base**n, bits * max(n, 1)

    def _find_constants(self, x: Any) -> None:
        """Whatever does not move and is more than a polynomial."""
        if x.is_Atom and not x.is_NumberSymbol:
            return
        is_constant = not x.free_symbols & self.moving
        plain = isinstance(x, (sympy.Add, sympy.Mul)) or (
            isinstance(x, sympy.Pow) and x.exp.is_Integer and x.exp > 0
        )
        if isinstance(x, (sympy.sin, sympy.cos)):
            (angle,) = x.args
            self._find_constants(angle)
            if is_constant and not angle_parts(angle, self.constants):
                self.constants.setdefault(angle, inside("constant", len(self.constants)))
        elif is_constant and not plain:
            self.constants.setdefault(x, inside("constant", len(self.constants)))
        else:
            for part in x.args:
                self._find_constants(part)


def angle_parts(x: Any, constants: Mapping[Any, str] | None = None) -> dict[Angle, Fraction]:
    """The rational coefficients of a sum of angles; of anything else none.

    `constants` are symbols in products, and whole arguments, but no parts of sums: π/3 + q.
    """
    if constants and x in constants:
        return {constants[x]: Fraction(1)}
    as_symbols = {c: sympy.Symbol(name) for c, name in (constants or {}).items()}
    try:
        terms = angle_terms(x.xreplace(as_symbols))
    except OutsideError:
        return {}
    if any(rest.free_symbols <= {*as_symbols.values()} for rest, _ in terms):
        return {}
    return {
        angle_of(s.name for s, k in rest.as_powers_dict().items() for _ in range(int(k))): times
        for rest, times in terms
    }


def normal_form(x: Any) -> Any:
    """A formula multiplied out, in which nothing cancels; as it is if it has no such form.

    Other functions than sines and cosines are symbols in it, with arguments in such a form.
    """
    reader = Reader([x], ())
    parts = {f: f.func(*map(normal_form, f.args)) for f in reader.constants if _is_plain(f)}
    if any(f != part for f, part in parts.items()):
        return normal_form(x.xreplace(parts))
    try:
        return reader.sympy(reader.poly(x))
    except OutsideError:
        return x


def _is_plain(f: Any) -> bool:
    return bool(f.args) and all(isinstance(x, sympy.Expr) for x in f.args)


@lru_cache(maxsize=256)
def without_cancelled_time(x: Any) -> Any:
    """A formula in which the time is written and cancels, without it.

    So positions r(q, t) in a turning frame have energies as they are stated in that frame.
    """
    if not x.has(TIME):
        return x
    normal = normal_form(x)
    if normal.has(TIME):
        return x
    reader = Reader([normal], ())
    return reader.textbook(reader.poly(normal))

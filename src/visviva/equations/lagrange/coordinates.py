"""SymPy formulas as exact polynomials in symbols, sines and cosines, where they are such."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from visviva.algebra.exact import growth
from visviva.algebra.exact.budget import MOST_BITS, must_fit
from visviva.algebra.exact.poly import Poly
from visviva.algebra.exact.rationals import independent, matrix
from visviva.algebra.exact.ring import Ring
from visviva.algebra.exact.ring_sympy import as_sympy
from visviva.describe.energies.formulas import Names
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.errors import OutsideError
from visviva.notation.names import inside

TRIED = 500  # choices of angles
LARGEST = 3000  # terms; beyond it the formulas as they were written are the shorter ones
STEEPEST = 200  # degree of a term
LARGEST_POWER = 64  # of a sum
LARGE = 400  # bits of a number; a hundred digits are not yet large


class Reader:
    """One ring for all formulas of a system.

    Parts that do not move (1/m, sqrt(k), sin(2 α + 1)) and are no polynomials count as symbols of
    their own, `constants`.
    """

    def __init__(self, formulas: Iterable[Any], moving: Sequence[Any]) -> None:
        self.moving = frozenset(moving)
        self.constants: dict[Any, str] = {}
        formulas = list(formulas)
        symbols = {s.name for x in formulas for s in x.free_symbols} | {s.name for s in moving}
        dividers: dict[str, int] = {}
        for x in formulas:
            for f in x.atoms(sympy.sin, sympy.cos):
                for name, times in angle_parts(f.args[0]).items():
                    dividers[name] = math.lcm(dividers.get(name, 1), times.denominator)
            self._find_constants(x)
        angles = {c: {c: k} for c, k in sorted(dividers.items())}  # the base of c is a part of it
        self.ring = Ring([*sorted(symbols), *self.constants.values()], angles)
        self._known: dict[Any, tuple[Any, int]] = {}  # with a bound of the bits of coefficients
        self._large = 0  # bits of all large numbers

    def poly(self, x: Any) -> Poly:
        """The element of the ring that a formula is; OutsideError if it is none."""
        return self._poly(x)[0]

    def sympy(self, p: Poly) -> Any:
        """An element as a SymPy expression: its normal form, term by term."""
        return as_sympy(p, {name: x for x, name in self.constants.items()})

    def _poly(self, x: Any) -> tuple[Poly, int]:
        if x not in self._known:
            element, bits = self._new(x)
            must_fit(element.size, LARGEST)
            if element.p.total_degree() > STEEPEST or bits > MOST_BITS:
                raise OutsideError(f"a degree above {STEEPEST}, or numbers above {MOST_BITS} bits")
            self._known[x] = element, bits
        return self._known[x]

    def _new(self, x: Any) -> tuple[Poly, int]:
        ring = self.ring
        if x in self.constants:
            return ring[self.constants[x]], 1
        if isinstance(x, sympy.Symbol):
            return ring[x.name], 1
        if isinstance(x, (sympy.Rational, sympy.Float)):
            return self._number(x)
        if isinstance(x, (sympy.Add, sympy.Mul)):
            return self._joined(x)
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

    def _joined(self, x: Any) -> tuple[Poly, int]:
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
        fixed = not x.free_symbols & self.moving
        plain = isinstance(x, (sympy.Add, sympy.Mul)) or (
            isinstance(x, sympy.Pow) and x.exp.is_Integer and x.exp > 0
        )
        if isinstance(x, (sympy.sin, sympy.cos)):
            plain = bool(angle_parts(x.args[0]))
        if fixed and not plain:
            self.constants.setdefault(x, inside("constant", len(self.constants)))
            return
        for part in x.args:
            self._find_constants(part)


def angle_parts(x: Any) -> dict[str, Fraction]:
    """The rational coefficients of a sum of angles; of anything else none."""
    parts = {}
    for term in sympy.Add.make_args(growth.expanded(x)):
        times, rest = term.as_coeff_Mul()
        if not isinstance(rest, sympy.Symbol) or not times.is_Rational:
            return {}
        parts[rest.name] = Fraction(int(times.p), int(times.q))
    return parts


def in_simpler_angles(s: Lagrangian) -> tuple[Lagrangian, np.ndarray] | None:
    """The energies over other coordinates u = T q, and T; None if those at hand are as good.

    The u are sums in which sines and cosines are of few angles: of a chain of hinges, whose angles
    are counted from link to link, the angles to the ground.
    """
    T = _best_sums([s.kinetic, s.potential], s.coordinates)
    if T is None:
        return None
    letter = "u"
    while any(x.startswith(letter) for x in (*s.coordinates, *s.parameter_names)):
        letter += "u"
    names = tuple(f"{letter}{k + 1}" for k in range(s.nv))
    new = Names(names, ())
    over: dict[Any, Any] = {}
    for old, u in ((s.names.q, new.q), (s.names.v, new.v)):
        over |= dict(zip(old, sympy.Matrix(T).inv() * sympy.Matrix(u), strict=True))
    kinetic, potential = (x.xreplace(over) for x in (s.kinetic, s.potential))
    return Lagrangian(names, kinetic, potential, parameters=s.parameters), T


def _best_sums(formulas: Iterable[Any], q: Sequence[str]) -> np.ndarray | None:
    """T, of the sums that stand in sines and cosines, and of coordinates that do not."""
    waves = {f for x in formulas for f in x.atoms(sympy.sin, sympy.cos)}
    vectors = {tuple(angle_parts(f.args[0]).get(c, Fraction(0)) for c in q) for f in waves}
    vectors = {k if next(filter(None, k)) > 0 else tuple(-x for x in k) for k in vectors if any(k)}
    sums = sorted(vectors, reverse=True)
    rank = len(independent(sums))
    if any(x.denominator > 1 for k in sums for x in k) or math.comb(len(sums), rank) > TRIED:
        return None
    units = [tuple(int(c == x) for x in q) for c in q]
    best, least = units, _length(sums, units)
    for chosen in itertools.combinations(sums, rank):
        rows: list[Any] = [*chosen, *units]
        basis = [rows[k] for k in independent(rows)]
        length = _length(sums, basis)
        if length < least:
            best, least = basis, length
    return None if best is units else np.array(best, dtype=int)


def _length(sums: Sequence[Any], basis: Sequence[Any]) -> float:
    """How many angles of a basis the sums have together; infinite if they have parts of them."""
    if not sums:
        return 0
    parts = (matrix(sums) * matrix(basis).inv()).entries()
    return int(sum(map(abs, parts))) if all(x.q == 1 for x in parts) else math.inf

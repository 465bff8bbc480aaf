"""What is exactly true of a system that is held: λ, P, P_u, accelerations, projected equations.

    M a + h = τ + Aᵀ λ,    A v + a₀ = 0,    A a + β = 0

M, h, A and β are what the forms of the system say; the rest follows over fractions of polynomials,
in which a row either depends on others or does not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.poly import Poly, Quotient
from visviva.describe.quantities import BIAS_TERM, DRIFT, EXACT, MASS_TERM, ROW_BIAS, ROWS
from visviva.errors import ArgumentError, OutsideError
from visviva.judge.exact.cramer import Bordered, inverted
from visviva.judge.exact.elements import elements, expanded, expression, formulas
from visviva.judge.exact.field import Field

CLEAR = 1e-20  # a divisor with functions in it that is larger, of 40 digits, is not zero
PLACES = 5  # tried for that


class Element:
    """An element of a field whose roots, squared, are what stands below them."""

    __slots__ = ("field", "x")

    def __init__(self, field: Field, x: Any) -> None:
        self.field, self.x = field, field.settled(x)

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        return Element(self.field, Quotient.of(self.field.ring.number(other)) / self.x)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Any:
        return Element(self.field, -self.x)

    def __eq__(self, other: object) -> bool:
        return bool(self.x == (other.x if isinstance(other, Element) else other))

    def __hash__(self) -> int:
        return hash(self.x)

    def _with(self, other: Any, operation: Callable[[Any, Any], Any]) -> Element:
        y = other.x if isinstance(other, Element) else other
        return Element(self.field, operation(self.x, y))


class HeldForms:
    """Entries are elements of `field`, whose symbols are the system's, τ and λ besides."""

    def __init__(self, forms: Any) -> None:
        self.forms = forms
        self.forces, self.multiplier_names = forms.force_names, forms.multiplier_names

    # ---- what the forms say, as elements

    def _judged(self, kind: str) -> Any:
        row = EXACT[kind]
        whole = self.forms.stated(row) if row.of_rows else self.forms.quantity(kind)
        return self.forms.judged(whole)

    @cached_property
    def field(self) -> Field:
        """Of all that is stated."""
        stated = [self._judged(kind) for kind in self._kinds]
        nodes = [node for x in stated for node in formulas(x)]
        field: Field = self.forms.field((*self.forces, *self.multiplier_names), nodes)
        return field

    @property
    def _kinds(self) -> tuple[str, ...]:
        rows = (ROWS, DRIFT, ROW_BIAS) if self.forms.held_by else ()
        return tuple(row.exact for row in (MASS_TERM, BIAS_TERM, *rows))

    def read(self, kind: str) -> Array:
        """A quantity of the forms, in this field."""
        return each(self.field.settled, elements(self._judged(kind), self.field))

    def quantity(self, kind: str) -> Array:
        """What goes by this exact name: A, a₀ and β by their letters here."""
        letters = {ROWS.exact: "A", DRIFT.exact: "a0", ROW_BIAS.exact: "beta"}
        value: Array = getattr(self, letters.get(kind, kind))
        return value

    def symbols(self, names: tuple[str, ...]) -> Array:
        """Names as elements."""
        return np.array([self.field.ring[x] for x in names], dtype=object)

    @cached_property
    def M(self) -> Array:  # noqa: N802
        """M (n, n)."""
        return self.read(MASS_TERM.exact)

    @cached_property
    def h(self) -> Array:
        """h (n,)."""
        return self.read(BIAS_TERM.exact)

    @cached_property
    def A(self) -> Array:  # noqa: N802
        """A (k, n)."""
        none = np.zeros((0, len(self.forces)))
        return self.read(ROWS.exact) if self.multiplier_names else none

    @cached_property
    def a0(self) -> Array:
        """a₀ (k,)."""
        return self.read(DRIFT.exact)

    @cached_property
    def beta(self) -> Array:
        """β (k,)."""
        return self.read(ROW_BIAS.exact) if self.multiplier_names else np.zeros(0)

    @property
    def tau(self) -> Array:
        """The generalized forces, as symbols."""
        return self.symbols(self.forces)

    # ---- what follows

    @cached_property
    def held(self) -> Bordered:
        """M and A; refused if something that moves has no inertia."""
        self.field.ring.budget.renew()
        try:
            held = Bordered(self._scalars(self.M), self._scalars(self.A))
        except ZeroDivisionError:
            raise ArgumentError(
                f"the mass matrix of {self.forms.name!r} has no inverse"
                + (", in motions that its constraints admit" if len(self.A) else "")
                + ": nothing follows for its accelerations"
            ) from None
        self._must_not_vanish(held.bottom)
        return held

    @cached_property
    def mass_inverse(self) -> Array:
        """M⁻¹ (n, n)."""
        return self.inverse_of(self.M)

    def inverse_of(self, matrix: Array) -> Array:
        """Of a matrix of elements."""
        return self._plain(inverted(self._scalars(matrix)))

    @cached_property
    def multipliers(self) -> Array:
        """λ (k,): with + Aᵀ λ on the side of τ; of least norm where rows are redundant."""
        return self._plain(self.held.multipliers(*self._driving))

    @cached_property
    def forward_dynamics(self) -> Array:
        """a (n,)."""
        return self._plain(self.held.acceleration(*self._driving))

    def without_bias(self, kind: str) -> Array:
        """`multipliers` or `forward_dynamics` of whoever forgets β = Ȧ v + ȧ₀."""
        forces, bias = self._driving
        solve = {"multipliers": self.held.multipliers, "forward_dynamics": self.held.acceleration}
        return self._plain(solve[kind](forces, bias * 0))

    @cached_property
    def constraint_forces(self) -> Array:
        """Aᵀ λ (n,)."""
        forces = self._scalars(self.A).T @ self._scalars(self.multipliers)
        return self._plain(forces)

    @cached_property
    def projection(self) -> Array:
        """P (n, n)."""
        return self._plain(self.held.projection())

    @property
    def force_projection(self) -> Array:
        """P_u = Pᵀ (n, n)."""
        return self.projection.T

    @cached_property
    def projected_equations(self) -> Array:
        """P_u (M a + h - τ) (n,): zero in every motion, and free of λ."""
        a = self.symbols(self.forms.names.a)
        rest = self._scalars(self.M @ a + self.h - self.tau)
        return self._plain(self._scalars(self.force_projection) @ rest)

    @property
    def pull(self) -> Array:
        """Aᵀ λ (n,) with symbols λ: what stands in the equations of motion."""
        zero = np.full(len(self.forces), self.field.ring.number(0), dtype=object)
        pull: Array = zero + self.A.T @ self.symbols(self.multiplier_names)
        return pull

    @cached_property
    def equations(self) -> Array:
        """τ = M a + h - Aᵀ λ (n,), with symbols λ."""
        return elements(self.forms.judged(self.forms.open_equations), self.field) - self.pull

    # ---- in SymPy

    def has(self, entry: Any) -> bool:
        """Whether an entry is an element of this field."""
        known = vars(self).get("field")  # none has been made before there is a field
        return (
            known is not None and isinstance(entry, (Poly, Quotient)) and entry.ring is known.ring
        )

    def written(self, entry: Any) -> sympy.Expr:
        """An element in textbook form."""
        return expression(entry, self.field)

    def plain(self, entry: Any) -> sympy.Expr:
        """An element multiplied out, top and bottom."""
        return expression(entry, self.field) if self.field.has_others else expanded(entry)

    # ---- scalars

    @property
    def _driving(self) -> tuple[Array, Array]:
        """τ - h and β."""
        return self._scalars(self.tau - self.h), self._scalars(self.beta)

    def _scalars(self, x: Any) -> Array:
        """Elements to compute with; zeros as numbers, which are passed over."""
        return each(lambda e: 0 if e == 0 else Element(self.field, e), x)

    def _plain(self, x: Any) -> Array:
        """What was computed, as elements of the field."""
        ring = self.field.ring
        ring.budget.renew()
        return each(lambda e: e.x if isinstance(e, Element) else ring.number(e), x)

    def _must_not_vanish(self, bottom: Any) -> None:
        """Refuse if a divisor may be zero although its form is not: functions are symbols here."""
        if not self.field.has_others:
            return
        divisor = self.written(bottom.x)
        symbols = sorted(divisor.free_symbols, key=str)
        for k in range(PLACES):
            at = {s: sympy.Rational(3 + 7 * i + 11 * k, 13) for i, s in enumerate(symbols)}
            value = divisor.xreplace(at).evalf(40)
            if value.is_number and value.is_finite and abs(value) > CLEAR:
                return
        raise OutsideError(
            f"constraints of {self.forms.name!r} may depend on each other, and exact algebra does "
            "not tell: their formulas have functions that are no polynomials"
        )

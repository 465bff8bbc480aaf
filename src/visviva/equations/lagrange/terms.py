"""The equation of Lagrange, taken apart; over SymPy, or over exact trigonometric polynomials.

With p = ∂L/∂v the equation d/dt p - ∂L/∂q + b = τ + Q reads, by the chain rule,

    (∂p/∂v) a + (∂p/∂q) v + ∂p/∂t - ∂L/∂q + b - Q = τ

for every L. If L is quadratic in v, L = ½ vᵀ M v + β · v + L₀, the middle part is C v + g with
Christoffel's symbols of M, the skew part of ∂β/∂q, and ∂M/∂t in C, and g = ∂β/∂t - ∂L₀/∂q.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import sympy

from visviva.algebra.exact.growth import expanded
from visviva.algebra.exact.poly import Poly, Wave
from visviva.algebra.exact.slopes import slope
from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.equations.lagrange.coordinates import Reader
from visviva.errors import ArgumentError, OutsideError

Row = list[Any]
LONGER, FEW = 3, 30  # terms of a normal form, by operations of what was written


class Calculus:
    """SymPy's derivatives; `|x|` and `sign` are those of real numbers."""

    def __init__(self, system: Lagrangian) -> None:
        n = system.names
        self.q, self.v, self.t = n.q, n.v, TIME

    def read(self, x: Any) -> Any:
        """A formula as this calculus has it."""
        return x

    def d(self, x: Any, by: Any) -> Any:
        """∂x/∂by."""
        return slope(x, by)

    def gradient(self, x: Any, by: Sequence[Any]) -> Row:
        """∂x/∂by, for all of them."""
        return [self.d(x, y) for y in by]

    def carried(self, row: Row, a: Row | None = None) -> Row:
        """dx/dt = (∂x/∂q) v + ∂x/∂t for every x of a row, and (∂x/∂v) a where a is given."""
        motion = list(zip(self.q, (self.read(x) for x in self.v), strict=True))
        motion += [] if a is None else list(zip(self.v, a, strict=True))
        made = []
        for x in row:
            total = self.d(x, self.t)
            for y, rate in motion:
                total = total + self.d(x, y) * rate
            made.append(total)
        return made

    def at_rest(self, x: Any) -> Any:
        """x with v = 0."""
        return x.subs(dict.fromkeys(self.v, 0))

    def symbols(self, x: Any) -> set[str]:
        """What x depends on."""
        return {s.name for s in x.free_symbols}

    def settled(self, M: list[Row]) -> list[Row]:
        """Without velocities that cancel."""
        moving = set(self.v)
        if any(x.free_symbols & moving for row in M for x in row):
            return [[expanded(x) if x.free_symbols & moving else x for x in row] for row in M]
        return M


class Exact(Calculus):
    """Derivatives of polynomials in symbols, sines and cosines, in normal form."""

    def __init__(self, system: Lagrangian) -> None:
        n = system.names
        self.q, self.v, self.t = n.q, n.v, TIME
        moving = [*n.q, *n.v, *n.a, TIME]
        self.reader = Reader([system.kinetic, system.potential], moving)
        self.ring = self.reader.ring

    def read(self, x: Any) -> Poly:
        return self.reader.poly(x)

    def d(self, x: Any, by: Any) -> Any:
        return x.derivative(by.name)

    def at_rest(self, x: Any) -> Any:
        return Poly(self.ring, self.ring.at_zero(x.p, (s.name for s in self.v)))

    def symbols(self, x: Any) -> set[str]:
        found: set[str] = set()
        for g in {g for powers, _ in x.terms() for g in powers}:
            found.update(self.ring.sums[g.base] if isinstance(g, Wave) else (g,))
        return found

    def settled(self, M: list[Row]) -> list[Row]:
        return M


class Terms:
    """M, C, g and their relatives, each derived when it is asked for."""

    def __init__(self, system: Lagrangian, by: Calculus) -> None:
        self.by = by
        self.system = system
        self.L = by.read(system.lagrangian)
        self.q, self.v = by.q, by.v
        self.rates = [by.read(x) for x in by.v]

    @cached_property
    def momentum(self) -> Row:
        """p = ∂L/∂v."""
        return self.by.gradient(self.L, self.v)

    @cached_property
    def mass_matrix(self) -> list[Row]:
        """M = ∂p/∂v."""
        n, p = len(self.v), self.momentum
        half = [self.by.gradient(p[i], self.v[: i + 1]) for i in range(n)]
        return self.by.settled([[half[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)])

    @cached_property
    def drift(self) -> Row:
        """(∂p/∂q) v + ∂p/∂t - ∂L/∂q: all that is neither M a nor b nor Q."""
        slopes = self.by.gradient(self.L, self.q)
        rates = self.by.carried(self.momentum)
        return [rate - slope for rate, slope in zip(rates, slopes, strict=True)]

    @cached_property
    def gravity(self) -> Row:
        """g = ∂β/∂t - ∂L₀/∂q: the drift at rest."""
        d, rest = self.by.d, self.by.at_rest(self.L)
        slopes = self.by.gradient(rest, self.q)
        return [d(p, self.by.t) - x for p, x in zip(self.gyroscopic, slopes, strict=True)]

    @cached_property
    def gyroscopic(self) -> Row:
        """β: the part of p that is there at rest."""
        return [self.by.at_rest(p) for p in self.momentum]

    @cached_property
    def christoffel(self) -> list[list[Row]]:
        """Γ[i][j][k] = ½ (∂Mᵢⱼ/∂qₖ + ∂Mᵢₖ/∂qⱼ - ∂Mⱼₖ/∂qᵢ)."""
        self.must_be_quadratic("Christoffel symbols")
        M, n = self.mass_matrix, range(len(self.q))
        D = [[[self.by.d(M[i][j], x) for x in self.q] for j in n] for i in n]
        half = self.by.read(sympy.Rational(1, 2))
        return [[[(D[i][j][k] + D[i][k][j] - D[j][k][i]) * half for k in n] for j in n] for i in n]

    @cached_property
    def coriolis_matrix(self) -> list[Row]:
        """C = Σ Γ v + the skew part of ∂β/∂q + ∂M/∂t."""
        self.must_be_quadratic("a Coriolis matrix")
        d, beta, n = self.by.d, self.gyroscopic, range(len(self.q))
        C = [[d(self.mass_matrix[i][j], self.by.t) for j in n] for i in n]
        for i in n:
            for j in n:
                C[i][j] = C[i][j] + d(beta[i], self.q[j]) - d(beta[j], self.q[i])
                for k in n:
                    C[i][j] = C[i][j] + self.christoffel[i][j][k] * self.rates[k]
        return C

    @cached_property
    def coriolis_transpose_product(self) -> Row:
        """Cᵀ v."""
        C, zero = self.coriolis_matrix, self.by.read(sympy.S.Zero)
        columns = zip(*C, strict=True)
        return [sum((x * v for x, v in zip(c, self.rates, strict=True)), zero) for c in columns]

    @cached_property
    def kinetic(self) -> Any:
        """As stated."""
        return self.by.read(self.system.kinetic)

    @cached_property
    def potential(self) -> Any:
        """As stated."""
        return self.by.read(self.system.potential)

    @cached_property
    def jacobi_integral(self) -> Any:
        """v · p - L."""
        terms = zip(self.rates, self.momentum, strict=True)
        return sum((v * p for v, p in terms), self.by.read(sympy.S.Zero)) - self.L

    @cached_property
    def is_quadratic(self) -> bool:
        """Whether M does not depend on v."""
        moving = {x.name for x in self.v}
        return not any(self.by.symbols(x) & moving for row in self.mass_matrix for x in row)

    def must_be_quadratic(self, what: str) -> None:
        """Other Lagrangians have drift forces, but these no matrix."""
        if not self.is_quadratic:
            raise ArgumentError(
                f"{what}: the mass matrix of {self.system.name!r} depends on velocities; "
                "bias_forces(q, v) has the forces, and what is printed are its equations: "
                'closed_form().latex("equations"), visviva derive … --form equations'
            )


def sympy_terms(system: Lagrangian) -> Terms:
    """The equation in SymPy, as its derivatives come."""
    terms: Terms = system.derived.once("sympy", lambda s: Terms(s, Calculus(s)))
    return terms


def exact_terms(system: Lagrangian) -> Terms | None:
    """The equation in normal form, or None where L is no polynomial in sines and cosines."""
    terms: Terms | None = system.derived.once("exact", _exact)
    if terms is not None and isinstance(terms.by, Exact):
        terms.by.ring.budget.renew()  # what is asked for next is another quantity
    return terms


def shown_terms(system: Lagrangian) -> Terms:
    """The equation to print and to judge: in normal form, or as it comes where that is shorter.

    A hundredth harmonic is one cosine as it was written, and thousands of terms in normal form.
    """
    exact = exact_terms(system)
    return exact if exact is not None and is_short(exact.L, system) else sympy_terms(system)


def is_short(L: Poly, system: Lagrangian) -> bool:
    """Whether a normal form is not far longer than what was written."""
    return bool(L.size <= LONGER * (sympy.count_ops(system.lagrangian) + FEW))


def _exact(system: Lagrangian) -> Terms | None:
    try:
        return Terms(system, Exact(system))
    except OutsideError:
        return None


def dissipation(system: Lagrangian) -> Row:
    """b: ∂D/∂v of Rayleigh's function, or as it was given."""
    if isinstance(system.dissipation, tuple):
        return list(system.dissipation)
    by = Calculus(system)
    return [by.d(system.dissipation, x) for x in by.v]

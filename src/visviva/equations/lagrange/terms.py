"""The equation of Lagrange, taken apart; over SymPy, exact polynomials, or the graph of L.

With p = ∂L/∂v the equation d/dt p - ∂L/∂q + b = τ + Q reads, by the chain rule,

    (∂p/∂v) a + (∂p/∂q) v + ∂p/∂t - ∂L/∂q + b - Q = τ

for every L. If L is quadratic in v, L = ½ vᵀ M v + β · v + L₀, the middle part is C v + g with
Christoffel's symbols of M, the skew part of ∂β/∂q, and ∂M/∂t in C, and g = ∂β/∂t - ∂L₀/∂q.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar, final

import sympy

from visviva.algebra import diff
from visviva.algebra.exact.growth import expanded
from visviva.algebra.exact.poly import Poly, Wave
from visviva.algebra.exact.slopes import slope
from visviva.algebra.exact.substitute import substituted
from visviva.algebra.expr import Expr, Graph, evaluated, names_in
from visviva.algebra.sympy_graph import to_sympy
from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.energies.normal_form import Reader
from visviva.equations.lagrange.nodes import FromSympy
from visviva.errors import ArgumentError, OutsideError

Row = list[Any]
STEP = "along the motion"  # no name that a user can give
LONGER, FEW = 3, 30  # terms of a normal form, by operations of what was written


# what is there only where M does not depend on v
MATRICES = {
    "christoffel": "Christoffel symbols",
    "coriolis_matrix": "a Coriolis matrix",
    "coriolis_transpose_product": "a Coriolis matrix",
}


class Scalar(Protocol):
    """What an entry of the equations can do, of SymPy, of a ring or of a graph."""

    def __add__(self, other: Any, /) -> Any: ...

    def __sub__(self, other: Any, /) -> Any: ...

    def __mul__(self, other: Any, /) -> Any: ...


X = TypeVar("X", bound=Scalar)


class Calculus(ABC, Generic[X]):
    """Derivatives of formulas by q, v and t, over scalars of one kind."""

    def __init__(self, system: Lagrangian) -> None:
        self.q, self.v, self.t = system.names.q, system.names.v, TIME

    @abstractmethod
    def read(self, x: sympy.Expr) -> X:
        """A formula as this calculus has it."""

    @abstractmethod
    def gradient(self, x: X, by: Sequence[sympy.Symbol]) -> list[X]:
        """∂x/∂by for all of them, in their order."""

    @abstractmethod
    def carried(self, row: list[X], a: list[X] | None = None) -> list[X]:
        """dx/dt = (∂x/∂q) v + ∂x/∂t for every x of a row, and (∂x/∂v) a where a is given."""

    @abstractmethod
    def at_rest(self, x: X) -> X:
        """x with all velocities zero."""

    @abstractmethod
    def symbols(self, x: X) -> set[str]:
        """The names of what x depends on."""

    @abstractmethod
    def settled(self, M: list[list[X]]) -> list[list[X]]:
        """Without velocities that cancel."""

    @abstractmethod
    def plain(self, x: X) -> sympy.Expr:
        """x in SymPy's symbols, as `read` takes it."""

    @final
    def d(self, x: X, by: sympy.Symbol) -> X:
        """∂x/∂by, the derivative by one symbol."""
        return self.gradient(x, [by])[0]


@final
class InSympy(Calculus[Any]):
    """SymPy's derivatives; `|x|` and `sign` are those of real numbers."""

    def read(self, x: Any) -> Any:
        return x

    def gradient(self, x: Any, by: Sequence[Any]) -> Row:
        return [slope(x, y) for y in by]

    def carried(self, row: Row, a: Row | None = None) -> Row:
        return chain_rule(self, row, a)

    def at_rest(self, x: Any) -> Any:
        return x.subs(dict.fromkeys(self.v, 0))

    def symbols(self, x: Any) -> set[str]:
        return {s.name for s in x.free_symbols}

    def settled(self, M: list[Row]) -> list[Row]:
        moving = set(self.v)
        return [[expanded(x) if x.free_symbols & moving else x for x in row] for row in M]

    def plain(self, x: Any) -> sympy.Expr:
        return x


@final
class Exact(Calculus[Poly]):
    """Derivatives of polynomials in symbols, sines and cosines, in normal form."""

    def __init__(self, system: Lagrangian) -> None:
        super().__init__(system)
        moving = [*self.q, *self.v, *system.names.a, TIME]
        self.reader = Reader([system.kinetic, system.potential], moving)
        self.ring = self.reader.ring

    def read(self, x: Any) -> Poly:
        return self.reader.poly(x)

    def gradient(self, x: Poly, by: Sequence[Any]) -> list[Poly]:
        return [x.derivative(y.name) for y in by]

    def carried(self, row: list[Poly], a: list[Poly] | None = None) -> list[Poly]:
        return chain_rule(self, row, a)

    def at_rest(self, x: Poly) -> Poly:
        names = {s.name for s in self.v}
        if names.isdisjoint(self.ring.moved_by):
            return Poly(self.ring, self.ring.at_zero(x.p, names))
        return substituted(x, self.ring, dict.fromkeys(names, self.ring.number(0)))

    def symbols(self, x: Poly) -> set[str]:
        generators = {g for powers, _ in x.terms() for g in powers}
        names = (self.ring.names_in[g.base] if isinstance(g, Wave) else {g} for g in generators)
        return set().union(*names)

    def settled(self, M: list[list[Poly]]) -> list[list[Poly]]:
        return M

    def plain(self, x: Poly) -> sympy.Expr:
        return self.reader.sympy(x)


@final
class OnGraph(Calculus[Expr]):
    """Derivatives by accumulation; rates along a motion by one sweep, whatever its dimension."""

    def __init__(self, system: Lagrangian) -> None:
        super().__init__(system)
        self.graph = Graph()
        self.nodes = FromSympy(self.graph, (*self.q, *self.v, TIME))

    def read(self, x: Any) -> Expr:
        return self.nodes.node(x)

    def gradient(self, x: Expr, by: Sequence[Any]) -> list[Expr]:
        slopes = diff.jacobian([x], [self.read(y) for y in by])
        return [slopes.get((0, i), self.graph.constant(0.0)) for i in range(len(by))]

    def carried(self, row: list[Expr], a: list[Expr] | None = None) -> list[Expr]:
        """d/ds of every x at (q + s v, v + s a, t + s), at s = 0; without a, v stays."""
        step = self.graph.input(STEP)
        q, v, t = ([self.read(x) for x in xs] for xs in (self.q, self.v, [self.t]))
        still: list[Any] = [0.0] * len(v)
        rates = [*v, *(a or still), 1.0]
        moved: dict[str, Any] = {k: self.graph.input(k) for k in names_in(row)}
        for x, rate in zip([*q, *v, *t], rates, strict=True):
            moved[x.value] = x + step * rate
        there = [self.graph.node(x) for x in evaluated(row, moved)]
        rates_of = diff.forward(there, [step])
        slopes = [rates_of.get((i, 0), self.graph.constant(0.0)) for i in range(len(row))]
        back = {k: self.graph.input(k) for k in names_in(slopes)} | {STEP: 0.0}
        return [self.graph.node(x) for x in evaluated(slopes, back)]

    def at_rest(self, x: Expr) -> Expr:
        values: dict[str, Any] = {k: self.graph.input(k) for k in names_in([x])}
        values |= dict.fromkeys((y.name for y in self.v), 0.0)
        return self.graph.node(evaluated([x], values)[0])

    def symbols(self, x: Expr) -> set[str]:
        return set(names_in([x]))

    def settled(self, M: list[list[Expr]]) -> list[list[Expr]]:
        return M

    def plain(self, x: Expr) -> sympy.Expr:
        return to_sympy(x, {k: sympy.Symbol(k) for k in names_in([x])})


def chain_rule(by: Calculus[X], row: list[X], a: list[X] | None) -> list[X]:
    """`Calculus.carried`, derivative by derivative."""
    motion = list(zip(by.q, map(by.read, by.v), strict=True))
    motion += [] if a is None else zip(by.v, a, strict=True)
    return [sum((by.d(x, y) * rate for y, rate in motion), start=by.d(x, by.t)) for x in row]


class Terms(Generic[X]):
    """M, C, g and their relatives, each derived when it is asked for."""

    def __init__(self, system: Lagrangian, by: Calculus[X]) -> None:
        self.by = by
        self.system = system
        self.L = by.read(system.lagrangian)
        self.q, self.v = by.q, by.v
        self.rates = [by.read(x) for x in by.v]

    @cached_property
    def momentum(self) -> list[X]:
        """p = ∂L/∂v, one entry for each coordinate."""
        return self.by.gradient(self.L, self.v)

    @cached_property
    def mass_matrix(self) -> list[list[X]]:
        """M = ∂p/∂v, rows of n entries; symmetric."""
        n, p = len(self.v), self.momentum
        half = [self.by.gradient(p[i], self.v[: i + 1]) for i in range(n)]
        return self.by.settled([[half[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)])

    @cached_property
    def drift(self) -> list[X]:
        """(∂p/∂q) v + ∂p/∂t - ∂L/∂q: all that is neither M a nor b nor Q."""
        slopes = self.by.gradient(self.L, self.q)
        rates = self.by.carried(self.momentum)
        return [rate - slope for rate, slope in zip(rates, slopes, strict=True)]

    @cached_property
    def gravity(self) -> list[X]:
        """g = ∂β/∂t - ∂L₀/∂q: the drift at rest."""
        d, rest = self.by.d, self.by.at_rest(self.L)
        slopes = self.by.gradient(rest, self.q)
        return [d(p, self.by.t) - x for p, x in zip(self.gyroscopic, slopes, strict=True)]

    @cached_property
    def gyroscopic(self) -> list[X]:
        """β: the part of p that is there at rest."""
        return [self.by.at_rest(p) for p in self.momentum]

    @cached_property
    def christoffel(self) -> list[list[list[X]]]:
        """Γ[i][j][k] = ½ (∂Mᵢⱼ/∂qₖ + ∂Mᵢₖ/∂qⱼ - ∂Mⱼₖ/∂qᵢ)."""
        self.must_be_quadratic("christoffel")
        M, n = self.mass_matrix, range(len(self.q))
        D = [[[self.by.d(M[i][j], x) for x in self.q] for j in n] for i in n]
        half = self.by.read(sympy.Rational(1, 2))
        return [[[(D[i][j][k] + D[i][k][j] - D[j][k][i]) * half for k in n] for j in n] for i in n]

    @cached_property
    def coriolis_matrix(self) -> list[list[X]]:
        """C = Σ Γ v + the skew part of ∂β/∂q + ∂M/∂t."""
        self.must_be_quadratic("coriolis_matrix")
        d, beta, n = self.by.d, self.gyroscopic, range(len(self.q))
        C = [[d(self.mass_matrix[i][j], self.by.t) for j in n] for i in n]
        for i in n:
            for j in n:
                C[i][j] = C[i][j] + d(beta[i], self.q[j]) - d(beta[j], self.q[i])
                for k in n:
                    C[i][j] = C[i][j] + self.christoffel[i][j][k] * self.rates[k]
        return C

    @cached_property
    def coriolis_transpose_product(self) -> list[X]:
        """Cᵀ v, one entry for each coordinate."""
        C, zero = self.coriolis_matrix, self.by.read(sympy.S.Zero)
        columns = zip(*C, strict=True)
        return [sum((x * v for x, v in zip(c, self.rates, strict=True)), zero) for c in columns]

    @cached_property
    def kinetic(self) -> X:
        """T, the kinetic co-energy as it was stated."""
        return self.by.read(self.system.kinetic)

    @cached_property
    def potential(self) -> X:
        """V, the potential energy as it was stated."""
        return self.by.read(self.system.potential)

    @property
    def kinetic_energy(self) -> Any:
        """T over SymPy, as it was stated."""
        return self.system.kinetic

    @property
    def potential_energy(self) -> Any:
        """V over SymPy, as it was stated."""
        return self.system.potential

    @cached_property
    def jacobi_integral(self) -> X:
        """h = v · p - L: the energy of a natural system."""
        terms = zip(self.rates, self.momentum, strict=True)
        h: X = sum((v * p for v, p in terms), self.by.read(sympy.S.Zero)) - self.L
        return h

    @cached_property
    def is_quadratic(self) -> bool:
        """Whether M does not depend on v."""
        moving = {x.name for x in self.v}
        return not any(self.by.symbols(x) & moving for row in self.mass_matrix for x in row)

    def must_be_quadratic(self, part: str) -> None:
        """Other Lagrangians have drift forces, but no matrices for them."""
        if not self.is_quadratic:
            raise no_matrix(self.system, part)


@final
class ExactTerms(Terms[Poly]):
    """The same in normal form; the ring and the constants in it are those of its calculus."""

    by: Exact


def no_matrix(system: Lagrangian, part: str) -> ArgumentError:
    """The error on Christoffel symbols and Coriolis matrices where M depends on v."""
    return ArgumentError(
        f"{MATRICES[part]}: the mass matrix of {system.name!r} depends on velocities; "
        "bias_forces(q, v) has the forces, and what is printed are its equations: "
        'closed_form().latex("equations"), visviva derive … --form equations'
    )


def sympy_terms(system: Lagrangian) -> Terms[Any]:
    """The equation in SymPy, as its derivatives come."""
    terms: Terms[Any] = system.derived.once("sympy", lambda s: Terms(s, InSympy(s)))
    return terms


def exact_terms(system: Lagrangian) -> ExactTerms | None:
    """The equation in normal form, or None where L is no polynomial in sines and cosines."""
    terms: ExactTerms | None = system.derived.once("exact", _exact)
    if terms is not None:
        terms.by.ring.budget.renew()  # what is asked for next is another quantity
    return terms


def graph_terms(system: Lagrangian) -> Terms[Expr]:
    """The equation as nodes over names."""
    terms: Terms[Expr] = system.derived.once("graph", lambda s: Terms(s, OnGraph(s)))
    return terms


def shown_terms(system: Lagrangian) -> Terms[Any]:
    """The equation to print and to judge: in normal form, or as it comes where that is shorter.

    A hundredth harmonic is one cosine as it was written, and thousands of terms in normal form.
    """
    exact = exact_terms(system)
    return exact if exact is not None and is_short(exact.L, system) else sympy_terms(system)


def is_short(L: Poly, system: Lagrangian) -> bool:
    """Whether a normal form is not far longer than what was written."""
    return bool(L.size <= LONGER * (sympy.count_ops(system.lagrangian) + FEW))


def _exact(system: Lagrangian) -> ExactTerms | None:
    try:
        return ExactTerms(system, Exact(system))
    except OutsideError:
        return None


def dissipation(system: Lagrangian) -> Row:
    """b: ∂D/∂v of Rayleigh's function, or as it was given."""
    if isinstance(system.dissipation, tuple):
        return list(system.dissipation)
    return InSympy(system).gradient(system.dissipation, system.names.v)

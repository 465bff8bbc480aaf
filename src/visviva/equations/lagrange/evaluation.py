"""The equations of motion of a `Lagrangian`, over any scalar.

    (∂²L/∂v²) a + (∂²L/∂v∂q) v + ∂²L/∂v∂t - ∂L/∂q + b = τ + Q

`terms` derives the parts once, exactly where it can; here they are evaluated, from
whichever form takes fewer operations: the normal form with factors pulled out, or derivatives on
the graph of what the user wrote. A graph has doubles for its constants; on paper nodes stand
for SymPy expressions, in which a third stays a third.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array, each, vector
from visviva.algebra.expr import Graph, evaluated, names_in
from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.quantities import Quantity
from visviva.equations.bodies.factor import Factor
from visviva.equations.lagrange.constraints import Rows, rows
from visviva.equations.lagrange.constraints import position_rows as position_rows
from visviva.equations.lagrange.constraints import row_slices as row_slices
from visviva.equations.lagrange.coordinates import in_simpler_angles
from visviva.equations.lagrange.dependence import DERIVED, standing
from visviva.equations.lagrange.massless import coordinates_without_inertia
from visviva.equations.lagrange.nodes import FromPoly, FromSympy, cost
from visviva.equations.lagrange.paper import Paper
from visviva.equations.lagrange.singular import (
    refuse_singular,
    singular_notes,
    wave_notes,
    whole_notes,
)
from visviva.equations.lagrange.terms import (
    FEW,
    LONGER,
    MATRICES,
    ExactTerms,
    dissipation,
    exact_terms,
    graph_terms,
    no_matrix,
    shown_terms,
)
from visviva.errors import ArgumentError, OutsideError, check_known

Road = tuple[list[Any], tuple[int, ...]]  # nodes, and the shape they have as an array

# parts that come of L; the others are stated
OF_L = frozenset({*DERIVED, "kinetic", "potential"})
# all parts that a quantity can come of, and those that together are all of the system
KNOWN_PARTS = (*sorted(OF_L), "dissipation", "forces", "actuators", *Rows.__annotations__)
WHOLE = "kinetic potential dissipation forces"


def inverse_dynamics(s: Lagrangian, q: Any, v: Any, a: Any, t: Any = 0.0) -> Array:
    """τ = M a + bias forces: what drives the accelerations a, one entry for each coordinate."""
    forces = dissipation_forces(s, q, v, t) - applied_forces(s, q, v, t)
    tau: Array = _value(s, "inverse", q, v, t, a) + forces
    return tau


def free_acceleration(s: Lagrangian, q: Any, v: Any, tau: Any, t: Any = 0.0) -> Array:
    """a with M a + bias forces = τ."""
    check_inertia(s, "forward dynamics")
    return Factor(mass_matrix(s, q, v, t)).solve(vector(tau) - bias_forces(s, q, v, t))


def mass_matrix(s: Lagrangian, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """M = ∂²L/∂v² (n, n); of v too where L is not quadratic."""
    return _value(s, "mass_matrix", q, v, t)


def mass_matrix_inverse(s: Lagrangian, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """M⁻¹ (n, n), by the factor of M; refused where M has no inverse anywhere."""
    check_inertia(s, "the inverse of the mass matrix")
    return Factor(mass_matrix(s, q, v, t)).inverse_matrix()


def check_inertia(s: Lagrangian, what: str) -> None:
    """Refuse what needs M⁻¹ where M has no inverse anywhere."""
    refuse_singular(s, mass_matrix, what)


def possibly_massless(s: Lagrangian) -> tuple[int, ...]:
    """Coordinates that may have a part, at some state, in a motion without inertia."""
    values = frozenset((k, x) for k, x in s.values.items() if isinstance(x, Real))
    coordinates: tuple[int, ...] = s.derived.once(
        ("massless", values), lambda _: coordinates_without_inertia(s, mass_matrix)
    )
    return coordinates


def notes(s: Lagrangian) -> tuple[str, ...]:
    """What is to be said of the energies: M has no inverse anywhere, `kinetic` is L, c2 is none."""
    return (*singular_notes(s, mass_matrix), *whole_notes(s), *wave_notes(s))


def coriolis_matrix(s: Lagrangian, q: Any, v: Any, t: Any = 0.0) -> Array:
    """C with C v + g = bias forces, less b and Q."""
    return _value(s, "coriolis_matrix", q, v, t)


def coriolis_transpose_product(s: Lagrangian, q: Any, v: Any, t: Any = 0.0) -> Array:
    """Cᵀ v (n,), with C of `coriolis_matrix`."""
    return _value(s, "coriolis_transpose_product", q, v, t)


def christoffel(s: Lagrangian, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """Γ[i, j, k] of the first kind."""
    return _value(s, "christoffel", q, v, t)


def gravity_forces(s: Lagrangian, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """g: what is left of the drift at rest."""
    return _value(s, "gravity", q, v, t)


def bias_forces(s: Lagrangian, q: Any, v: Any, t: Any = 0.0) -> Array:
    """The forces that keep all accelerations zero."""
    drift = _value(s, "drift", q, v, t)
    return drift + dissipation_forces(s, q, v, t) - applied_forces(s, q, v, t)


def dissipation_forces(s: Lagrangian, q: Any, v: Any, t: Any = 0.0) -> Array:
    """b = ∂D/∂v (n,), or the forces that were stated."""
    return _value(s, "dissipation", q, v, t)


def applied_forces(s: Lagrangian, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """Q (n,): forces that act besides τ, on its side."""
    return _value(s, "forces", q, v, t)


def kinetic_energy(s: Lagrangian, q: Any, v: Any, t: Any = 0.0) -> Any:
    """T(q, v, t), as it was stated."""
    return _value(s, "kinetic", q, v, t)[()]


def potential_energy(s: Lagrangian, q: Any, v: Any = None, t: Any = 0.0) -> Any:
    """V(q, t), perhaps of v, as it was stated."""
    return _value(s, "potential", q, v, t)[()]


def generalized_momentum(s: Lagrangian, q: Any, v: Any, t: Any = 0.0) -> Array:
    """p = ∂L/∂v (n,), the momenta that go with the coordinates."""
    return _value(s, "momentum", q, v, t)


def jacobi_integral(s: Lagrangian, q: Any, v: Any, t: Any = 0.0) -> Any:
    """h = v · p - L: the energy of a natural system."""
    return _value(s, "jacobi_integral", q, v, t)[()]


def actuator_map(s: Lagrangian, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """T; forces on the coordinates themselves if nothing else was stated."""
    return _value(s, "actuators", q, v, t)


def constraint_error(s: Lagrangian, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """φ(q, t): one entry for each constraint that has no velocities."""
    return _value(s, "constraint_error", q, v, t)


def constraint_conditions(s: Lagrangian, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """φ itself, which has no angles but those of the formulas."""
    return constraint_error(s, q, v, t)


def constraint_matrix(s: Lagrangian, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """A (k, n) of A v + a₀ = 0."""
    return _value(s, "constraint_matrix", q, v, t)


def constraint_drift(s: Lagrangian, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """a₀ (k,): how fast moving constraints leave a system at rest behind."""
    return _value(s, "constraint_drift", q, v, t)


def constraint_velocity(s: Lagrangian, q: Any, v: Any, t: Any = 0.0) -> Array:
    """A v + a₀ (k,): how fast each row is being violated; zero in a motion."""
    return vector(constraint_matrix(s, q, v, t) @ vector(v) + constraint_drift(s, q, v, t))


def constraint_bias(s: Lagrangian, q: Any, v: Any, t: Any = 0.0) -> Array:
    """β (k,) of A a + β = 0."""
    return _value(s, "constraint_bias", q, v, t)


# ---- what the machine asks


def inputs(s: Lagrangian, row: Quantity) -> tuple[str, ...]:
    """What a quantity takes: v and t too, where they stand in the formulas that it comes of."""
    if row.name in MATRICES and "v" in standing(s, "mass_matrix"):
        raise no_matrix(s, row.name)
    wanted = row.inputs.split()
    parts = (row.parts or WHOLE).split()
    for part in parts:
        check_known(f"part of the equations of motion, in the row {row.name!r}", part, KNOWN_PARTS)
    stands = set().union(*(standing(s, part, wanted) for part in parts))
    if "v" in stands and "v" not in wanted:
        wanted.insert(1, "v")
    return (*wanted, "t") if "t" in stands else tuple(wanted)


def parameter_names(s: Lagrangian) -> tuple[str, ...]:
    """All parameters, those with values first."""
    return s.parameter_names


def parameter_values(s: Lagrangian, names: Sequence[str]) -> np.ndarray:
    """The values that the system has for them."""
    for name in names:
        check_known("parameter", name, s.parameter_names)
    return np.array([s.parameters.get(name, np.nan) for name in names])


def with_symbols(s: Lagrangian, names: Sequence[str], values: Any) -> Lagrangian:
    """The system with scalars of any kind in place of some parameters."""
    return s.over(dict(zip(names, values, strict=True)))


# ---- evaluation


def on_paper(s: Lagrangian, paper: Paper) -> Lagrangian:
    """The system with a symbol for every parameter; its functions give nodes of a paper."""
    return s.over({k: paper.node(sympy.Symbol(k)) for k in s.parameter_names}, paper)


def stated(s: Lagrangian, part: str) -> Any:
    """A part that needs no derivation by L, over SymPy."""
    if part == "dissipation":
        return dissipation(s)
    if part in Rows.__annotations__:
        return getattr(rows(s), part)
    if part == "actuators":
        driven = [k for k, x in enumerate(s.coordinates) if x not in s.passive]
        T = sympy.eye(s.nv)[:, driven] if s.actuators is None else s.actuators
        return np.array(T.tolist(), dtype=object).reshape(T.shape)
    formulas = getattr(s, part)
    return list(formulas) if part == "forces" else formulas


def in_sympy(s: Lagrangian, part: str) -> Array:
    """A part over SymPy, as it is shown and judged: nothing in it is rounded."""
    if part == "inverse":
        M, drift = (in_sympy(s, x) for x in ("mass_matrix", "drift"))
        tau: Array = M @ np.array(s.names.a, dtype=object) + drift
        return tau
    if part not in OF_L:
        return np.asarray(stated(s, part), dtype=object)
    terms = shown_terms(s)
    return each(terms.by.plain, getattr(terms, part))


def _value(s: Lagrangian, part: str, q: Any, v: Any, t: Any, a: Any = None) -> Array:
    n = s.names
    values = {**s.values, TIME.name: t}
    values |= {x.name: y for x, y in zip(n.q, vector(q), strict=True)}
    if v is not None:
        values |= {x.name: y for x, y in zip(n.v, vector(v), strict=True)}
    if a is not None:
        values |= {x.name: y for x, y in zip(n.a, vector(a), strict=True)}
    if s.paper is not None:
        on_paper: Array = s.paper.put_in(in_sympy(s, part), values)
        return on_paper
    nodes, shape = _nodes(s, part)
    used = [k for k in names_in(nodes) if values.get(k) is None]
    if TIME.name in used and t is None and "t" not in _standing(s, part):
        values[TIME.name] = 0.0  # it is written there, and cancels
        used.remove(TIME.name)
    if absent := [k for k in used if k in n.motion]:
        raise ArgumentError(
            f"the {part.replace('_', ' ')} of {s.name!r} depends on {', '.join(absent)}, which "
            "the function that asks for it was not given: a row of the table of quantities names "
            f"{part!r} among its parts, and its function hands on q, v and t"
        )
    if used:
        rest = [k for k in s.parameter_names if values.get(k) is None and k not in used]
        more = f", nor, for other quantities, of {', '.join(rest)}" if rest else ""
        raise ArgumentError(
            f"{s.name!r} has no value for {', '.join(used)}{more}: "
            "give parameters={name: value}, or "
            f"with_parameters({', '.join(f'{k}=...' for k in (*used, *rest))}), "
            "or keep them as inputs, function(name, parameters=[...]); formulas need none: "
            "closed_form(), and closed_form().linearized(q)"
        )
    return np.reshape(vector(evaluated(nodes, values)), shape)


def _standing(s: Lagrangian, part: str) -> frozenset[str]:
    parts = ("mass_matrix", "drift") if part == "inverse" else (part,)
    return frozenset().union(*(standing(s, x) for x in parts))


def _nodes(s: Lagrangian, part: str) -> Road:
    """A part as nodes over names, in the form that costs less; made once."""

    def cheapest(origin: Lagrangian) -> Road:
        roads = _inverse(origin) if part == "inverse" else _roads(origin, part)
        names = {x.name for x in (*s.names.q, *s.names.v, *s.names.a, TIME)}
        return min(roads, key=lambda road: cost(road[0], names))

    road: Road = s.derived.once(("nodes", part), cheapest)
    return road


def _roads(s: Lagrangian, part: str) -> list[Road]:
    """The normal form, if there is one; the graph of what was written."""
    if part not in OF_L:
        entries = np.asarray(stated(s, part), dtype=object)
        nodes = FromSympy(Graph(), (*s.names.q, *s.names.v, TIME))
        return [([nodes.node(e) for e in entries.ravel()], entries.shape)]
    entries = np.asarray(getattr(graph_terms(s), part), dtype=object)
    written = list(entries.ravel()), entries.shape
    roads = [*_factored(s, lambda exact: getattr(exact, part), written), written]
    return [*roads, *_turned(s, part)] if part == "drift" else roads


def _inverse(s: Lagrangian) -> list[Road]:
    """M a + drift: from the two, or at once as d/dt p - ∂L/∂q along v and a."""
    graph, n = Graph(), range(s.nv)
    parts = [*_nodes(s, "mass_matrix")[0], *_nodes(s, "drift")[0]]
    values = evaluated(parts, {k: graph.input(k) for k in names_in(parts)})
    M, drift = np.reshape(vector(values[: -s.nv]), (s.nv, s.nv)), values[-s.nv :]
    a = [graph.input(x.name) for x in s.names.a]
    sums = [graph.node(sum((M[i, j] * a[j] for j in n), start=drift[i])) for i in n]
    terms = graph_terms(s)
    slopes = terms.by.gradient(terms.L, terms.q)
    rates = terms.by.carried(terms.momentum, [terms.by.read(x) for x in s.names.a])
    both = [sums, [x - y for x, y in zip(rates, slopes, strict=True)]]
    roads: list[Road] = [(road, (s.nv,)) for road in both]

    def whole(exact: ExactTerms) -> list[Any]:
        own = [exact.by.read(x) for x in s.names.a]
        rows = zip(exact.mass_matrix, exact.drift, strict=True)
        return [sum((x * y for x, y in zip(row, own, strict=True)), d) for row, d in rows]

    return [*roads, *_factored(s, whole, roads[0]), *_turned(s, "inverse")]


def _factored(s: Lagrangian, part: Callable[[ExactTerms], Any], other: Road) -> list[Road]:
    """The normal form with factors pulled out; none if it is far longer than another road."""
    exact = exact_terms(s)
    if exact is None:
        return []
    try:
        entries = np.asarray(part(exact), dtype=object)
    except OutsideError:  # too many terms
        return []
    names = sorted(s.names.motion)
    if sum(e.size for e in entries.ravel()) > LONGER * (cost(other[0], names) + FEW):
        return []
    nodes = FromPoly(Graph(), names, exact.by.reader.constants)
    return [([nodes.node(e) for e in entries.ravel()], entries.shape)]


def _turned(s: Lagrangian, part: str) -> list[Road]:
    """Forces on other coordinates u = T q, whose sines and cosines are simpler: Tᵀ of them."""
    other_coordinates = s.derived.once("turned", in_simpler_angles)
    if other_coordinates is None:
        return []
    other, T = other_coordinates
    nodes, shape = _nodes(other, part)
    graph = Graph()
    values: dict[str, Any] = {k: graph.input(k) for k in names_in(nodes)}
    for of in ("q", "v", "a"):
        old = [graph.input(x.name) for x in getattr(s.names, of)]
        for x, row in zip(getattr(other.names, of), T, strict=True):
            values[x.name] = _sum(graph, row, old)
    forces = evaluated(nodes, values)
    # from the last to the first: sums of what a chain carries have parts in common
    return [([_sum(graph, column[::-1], forces[::-1]) for column in T.T], shape)]


def _sum(graph: Graph, factors: Any, terms: Sequence[Any]) -> Any:
    parts = [x * k for k, x in zip(factors.tolist(), terms, strict=True) if k]
    return graph.node(sum(parts[1:], start=parts[0]))

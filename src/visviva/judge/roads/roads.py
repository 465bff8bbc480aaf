"""The roads that `crosscheck` compares, exactly and by numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import sympy

from visviva.describe.model.model import Model
from visviva.describe.quantities import ENERGY_TERMS, MASS_TERM, TERMS
from visviva.equations.bodies.regroup import regrouped
from visviva.equations.forces import forces
from visviva.equations.forces.rotors import rotor_forces
from visviva.equations.lagrange.terms import exact_terms, sympy_terms
from visviva.errors import OutsideError
from visviva.judge.derive.bodies import InWorld
from visviva.judge.derive.page import Page
from visviva.judge.derive.scalars import ExactScalars
from visviva.judge.exact.model import not_polynomial, polynomial
from visviva.judge.exact.model_forms import ModelForms
from visviva.notation.writing.arrange import Boxes
from visviva.progress import Progress
from visviva.space.rotations import cross

RECURSION, LAGRANGE = "Newton–Euler", "Lagrange"
PRINCIPLE, BY_TERMS = "d'Alembert", "M a + C v + g + b"
Pair = tuple[str, str, Any, Any]  # names of two roads, and where they lead
SEED = 7


def exact_model_roads(model: Model, at: Progress) -> list[Pair]:
    """Polynomials; the way over positions and their derivatives shares nothing with recursions."""
    if not all(b.joint.has_rates for b in model.bodies):
        raise OutsideError("orientations by quaternions have no Lagrange form in their coordinates")
    if other := " and ".join(not_polynomial(model)):
        raise OutsideError(f"{other} cannot be written as polynomials")
    forms = ModelForms(model)
    e = forms.exact
    for b in e.model.bodies:
        axes = [getattr(b.joint, k) for k in b.joint.axis_names if b.joint.turns]
        if any(x @ x != 1 for x in axes):
            raise OutsideError(
                f"an axis of joint {b.joint_name!r} has a length of one but for "
                "rounding, so that its turns are rotations but for rounding"
            )
    scalars = ExactScalars(e.ring, *(list(map(str, x)) for x in (e.q, e.v, e.a)))
    world = InWorld(Page(scalars, Boxes(forms.coordinates)), forms, "lagrange")
    roads: dict[str, Callable[[], Any]] = {
        RECURSION: lambda: _recursion(forms),
        LAGRANGE: lambda: _lagrange(world),
        PRINCIPLE: lambda: _principle(world),
        BY_TERMS: lambda: _matrices(forms),
    }
    ends = {}
    for name, road in roads.items():
        at.step(name)
        ends[name] = [polynomial(x, e.ring) for x in road()]
    return _pairs(ends)


def _recursion(forms: ModelForms) -> Any:
    """On the links that numbers run on, where parents have what their joints do not feel.

    All other roads are on bodies as they are stated: a joint whose `unfelt` is wrong is seen.
    """
    lean = ModelForms.of(forms.exact)
    tree = regrouped([s.link for s in forms.steps])
    lean.steps = [replace(s, link=link) for s, link in zip(forms.steps, tree, strict=True)]
    return lean.open_equations


def _lagrange(world: InWorld) -> list[Any]:
    """From ½ m v² + ½ ω · I ω of differentiated positions."""
    s: Any = world.s
    forms, e = world.forms, world.forms.exact
    kinetic: Any = s.of(0)
    potential: Any = s.of(forces.spring_energy(e.model, e.q))
    for b, r, w in zip(e.model.bodies, world.centres, world.turning, strict=True):
        v = world.rate(r)
        kinetic = kinetic + (v @ v * b.inertia.mass + w @ (b.inertia.tensor @ w)) / 2
        potential = potential - (np.asarray(e.gravity) @ r) * b.inertia.mass
    kinetic = kinetic + (forms.rotor_inertia * e.v) @ e.v / 2
    L = kinetic - potential
    rows = zip(s.q, s.v, forms.dissipation, strict=True)
    return [s.rate(s.d(L, v)) - s.d(L, q) + b for q, v, b in rows]


def _principle(world: InWorld) -> list[Any]:
    """Σ m (a - g) · ∂r/∂q + (I ω̇ + ω × I ω) · ∂ω/∂q̇, and what is at the joints."""
    s: Any = world.s
    forms, e = world.forms, world.forms.exact
    rows = []
    extra = forms.rotor_inertia * e.a + forces.spring_forces(e.model, e.q) + forms.dissipation
    loads = []
    for b, r, w in zip(e.model.bodies, world.centres, world.turning, strict=True):
        F = (world.rate(world.rate(r)) - np.asarray(e.gravity)) * b.inertia.mass
        turning = b.inertia.tensor @ w
        loads.append((F, b.inertia.tensor @ world.rate(w) + np.array(cross(w, turning))))
    for q, v, x in zip(s.q, s.v, extra, strict=True):
        total: Any = s.of(x)
        for (F, N), r, w in zip(loads, world.centres, world.turning, strict=True):
            total = total + F @ world.d(r, q) + N @ world.d(w, v)
        rows.append(total)
    return rows


def _matrices(forms: ModelForms) -> Any:
    return forms.inertial_matrix @ forms.accelerations + forms.bias_forces


def numeric_model_roads(model: Model, points: int, at: Progress) -> list[Pair]:
    """The same by compiled functions and Jacobians, at random states."""
    at.step("compiling")
    rng = np.random.default_rng(SEED)
    q = np.array([model.random(rng) for _ in range(points)])
    v, a = rng.normal(size=(2, points, model.nv))
    b = np.asarray(model.dissipation_forces(q, v))
    roads = {RECURSION: np.asarray(model.inverse_dynamics(q, v, a))}
    if all(x.joint.has_rates for x in model.bodies):
        roads[LAGRANGE] = _numeric_lagrange(model, q, v, a) + b
    roads[PRINCIPLE] = _numeric_principle(model, q, v, a) + b
    inputs = {"q": q, "v": v, "a": a}
    roads[BY_TERMS] = 0.0 * a
    for row in TERMS:
        term = model.function(row.name)(*(inputs[x] for x in row.inputs.split()))
        roads[BY_TERMS] += _times(term, inputs[row.times]) if row.times in inputs else term
    return _pairs(roads)


def _numeric_lagrange(model: Model, q: Any, v: Any, a: Any) -> Any:
    """Derivatives of the energies, on the graph."""
    K, V = (model.function(row.name) for row in ENERGY_TERMS)
    by_q, momentum = K.jacobian("q"), K.jacobian("v")
    twice_q, twice_v = momentum.jacobian("q"), momentum.jacobian("v")
    n = model.nv
    rates = _times(np.reshape(twice_q(q, v), (-1, n, n)), v)
    rates = rates + _times(np.reshape(twice_v(q, v), (-1, n, n)), a)
    return rates - np.reshape(by_q(q, v), (-1, n)) + np.reshape(V.jacobian("q")(q), (-1, n))


def _numeric_principle(model: Model, q: Any, v: Any, a: Any) -> Any:
    """Loads of every body times the Jacobian of its centre of mass."""
    numbers = model.numeric
    total = np.array([np.asarray(rotor_forces(numbers, *x), float) for x in zip(v, a, strict=True)])
    total = total + np.array([np.asarray(forces.spring_forces(numbers, x), float) for x in q])
    for b in numbers.bodies:
        c = np.asarray(b.inertia.com, dtype=float)
        R = np.asarray(model.pose(b.name)(q))[:, :3, :3]
        J = np.asarray(model.jacobian(b.name, "world", c)(q))
        A = np.asarray(model.acceleration(b.name, "world", c)(q, v, a))
        w = _times(J[:, :3], v)
        tensor = R @ np.asarray(b.inertia.tensor, dtype=float) @ np.swapaxes(R, 1, 2)
        N = _times(tensor, A[:, :3]) + np.cross(w, _times(tensor, w))
        F = float(b.inertia.mass) * (A[:, 3:] - np.asarray(numbers.gravity, dtype=float))
        total = total + np.einsum("pkn,pk->pn", J, np.concatenate([N, F], axis=1))
    return total


def exact_lagrangian_roads(system: Any, at: Progress) -> list[Pair]:
    """The equations by exact polynomials and by SymPy; the power of both, and the energy's rate."""
    at.step(LAGRANGE)
    terms = exact_terms(system)
    if terms is None:
        raise OutsideError("its energies are no polynomials in symbols, sines and cosines")
    by: Any = terms.by
    n = system.names
    at.step(f"{LAGRANGE}, by SymPy")
    other = sympy_terms(system)
    M, theirs_M = (np.array(getattr(x, MASS_TERM.exact), dtype=object) for x in (terms, other))
    mine, theirs = [*terms.drift, *M.flat], [*other.drift, *theirs_M.flat]
    v, h = np.array(terms.rates, dtype=object), terms.jacobi_integral
    # what has no acceleration in it, then the factor of each acceleration
    powers = [v @ np.array(terms.drift, dtype=object), *(v @ M)]
    change = by.d(h, by.t) + by.d(terms.L, by.t) + v @ np.array(by.gradient(h, n.q), dtype=object)
    changes = [change, *by.gradient(h, n.v)]
    return [
        (LAGRANGE, f"{LAGRANGE}, by SymPy", mine, [by.read(sympy.expand(x)) for x in theirs]),
        (f"power of {LAGRANGE}'s forces", "rate of v · ∂L/∂v − L", powers, changes),
    ]


def numeric_lagrangian_roads(system: Any, points: int, at: Progress) -> list[Pair]:
    """The compiled equations, and d/dt ∂L/∂v - ∂L/∂q by derivatives of compiled energies."""
    at.step("compiling")
    rng = np.random.default_rng(SEED)
    n = system.nv
    q, v, a = rng.uniform(0.1, 0.6, size=(3, points, n))
    f = system.inverse_dynamics
    t = (np.full(points, 0.3),) if "t" in f.inputs else ()
    compiled = np.asarray(f(q, v, a, *t))
    p = system.generalized_momentum
    own = (np.full(points, 0.3),) if "t" in p.inputs else ()
    states = [x for x, name in ((q, "q"), (v, "v")) if name in p.inputs]

    def part(name: str) -> Any:
        return np.reshape(p.jacobian(name)(*states, *own), (-1, n, n))

    total = _times(part("v"), a) if "v" in p.inputs else 0.0 * a
    total = total + _times(part("q"), v)
    if own:
        total = total + np.reshape(p.jacobian("t")(*states, *own), (-1, n))
    inputs = {"q": q, "v": v, "t": np.full(points, 0.3)}
    for row in ENERGY_TERMS:
        energy = system.function(row.name)
        if "q" in energy.inputs:
            slopes = energy.jacobian("q")(*(inputs[x] for x in energy.inputs))
            total = total - row.sign * np.reshape(slopes, (-1, n))
    for verb, sign in ((system.dissipation_forces, 1.0), (system.applied_forces, -1.0)):
        total = total + sign * np.asarray(verb(*(inputs[x] for x in verb.inputs)))
    return [("compiled equations", f"{LAGRANGE}, on compiled energies", compiled, total)]


def _pairs(roads: dict[str, Any]) -> list[Pair]:
    return [(a, b, x, y) for (a, x), (b, y) in combinations(roads.items(), 2)]


def _times(M: Any, x: Any) -> Any:
    return np.einsum("pij,pj->pi", np.asarray(M), np.asarray(x))

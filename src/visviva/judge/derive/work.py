"""d'Alembert's principle and virtual work, written out."""

from __future__ import annotations

from functools import reduce
from operator import sub
from typing import Any

import numpy as np

from visviva.equations.forces import actuators, forces
from visviva.judge.derive.bodies import (
    InWorld,
    over_time,
    own_terms,
    partial,
    standard_form,
    tensor_of,
    title_of,
)
from visviva.judge.derive.lagrange import GRAVITY_ARROW, energies
from visviva.judge.derive.page import Page, Quantity
from visviva.judge.exact.model_forms import ModelForms
from visviva.notation.writing.page import Mark, Row, Sign
from visviva.space.rotations import cross

_RECURSION = "equal to the recursion of Newton and Euler, run on exact polynomials"


def d_alembert(page: Page, forms: ModelForms) -> None:
    """Loads of inertia balance what is given, on every virtual displacement."""
    world = InWorld(page, forms, "d-alembert")
    places = world.places("Positions and velocities")
    speeds, turns = world.speeds()
    by_r, by_w = displacements(page, world, places, turns)
    loads = [_loads(page, world, speeds, turns, i) for i in range(len(places))]
    identities(page, world, places, speeds)
    page.step(
        "One equation for each coordinate",
        "The loads and the forces of the joints do no work together on any virtual displacement: "
        "Σ F · δp + Σ N · δφ + Σ τ δq = 0. The δq are independent, so each factor of a δq is zero.",
        "The principle",
    )
    for k in range(len(forms.exact.v)):
        works = [
            load.dot(arm) if isinstance(load.value, np.ndarray) else load * arm
            for i, (F, N) in enumerate(loads)
            for load, arm in ((F, by_r[i][k]), (N, by_w[i][k]))
            if load is not None and not load.is_zero and not arm.is_zero
        ]
        total = reduce(sub, works[1:], -works[0]) if works else page.leaf(None, 0)
        total = page.sum([total, *own_terms(page, forms, k)])
        page.line(Sign("τ", str(k + 1)), total, forms.open_equations[k], _RECURSION, plug=False)
    standard_form(page, forms)


def virtual_work(page: Page, forms: ModelForms) -> None:
    """Generalized forces of all that is given, and what they do."""
    world = InWorld(page, forms, "virtual-work")
    places = world.places("Positions and velocities")
    speeds, turns = world.speeds()
    by_r, _ = displacements(page, world, places, turns)
    weights = _weights(page, world)
    at_rest = _generalized(page, world, weights, by_r)
    s: Any = page.scalars
    kinetic, _ = energies(page, world, speeds, turns, heavy=False)
    page.step(
        "One equation for each coordinate",
        "The work of the forces changes the kinetic energy: d/dt ∂K/∂q̇ − ∂K/∂q = Q + τ.",
        "Equations of motion",
    )
    e = forms.exact
    names = zip(s.q, s.v, strict=True)
    for k, (q, v) in enumerate(names):
        p = s.d(kinetic.value, v)
        rate = partial(Sign("K"), page.boxes.box(s.show(e.v[k])))
        box = partial(Sign("K"), page.boxes.box(s.show(e.q[k])))
        change = page.state(over_time(rate), s.rate(p))
        by_q = page.state(box, s.d(kinetic.value, q))
        total = change - by_q - at_rest[k]
        page.line(Sign("τ", str(k + 1)), total, forms.open_equations[k], _RECURSION, plug=False)
    if e.model.actuators:
        page.step("Actuators", "What forces f of the actuators do at the joints: u = T f.")
        page.state(Sign("T"), actuators.actuator_map(e.model, e.q))
    standard_form(page, forms)


def displacements(
    page: Page, world: InWorld, places: list[Quantity], turns: list[Quantity]
) -> tuple[list[list[Quantity]], list[list[Quantity]]]:
    """∂r/∂q and ∂ω/∂q̇: what a small change of one coordinate moves and turns."""
    s: Any = page.scalars
    by_r: list[list[Quantity]] = []
    by_w: list[list[Quantity]] = []
    for i, (r, w) in enumerate(zip(places, turns, strict=True)):
        page.step(
            title_of(world.model, i),
            "How a change δq of each coordinate moves its centre of mass, and turns it.",
            "Virtual displacements" if i == 0 else "",
        )
        by_r.append([])
        by_w.append([])
        for q, v in zip(s.q, s.v, strict=True):
            name, rate = page.boxes.box(s.show(s.ring[q])), page.boxes.box(s.show(s.ring[v]))
            moved = page.leaf(partial(r.box, name), world.d(r.value, q))
            turned = page.leaf(partial(w.box, rate), world.d(w.value, v))
            speed = world.d(world.rate(r.value), v)
            check = "∂p/∂q = ∂v/∂q̇"
            by_r[-1].append(moved if moved.is_zero else page.line(moved.box, moved, speed, check))
            by_w[-1].append(turned if turned.is_zero else page.line(turned.box, turned))
    return by_r, by_w


def _loads(
    page: Page, world: InWorld, speeds: list[Quantity], turns: list[Quantity], i: int
) -> tuple[Quantity, Quantity | None]:
    """Weight and inertia of a link as a force at its centre of mass and a moment."""
    n = str(i + 1)
    page.step(
        title_of(world.model, i),
        "Its acceleration, and its weight with the force of inertia, −m a; the moment of inertia.",
        "Loads" if i == 0 else "",
    )
    b = world.model.bodies[i]
    m, g = page.leaf(None, b.inertia.mass), page.leaf(GRAVITY_ARROW, world.weight())
    if i == 0:
        page.line(g.box, g)
    a = page.state(Sign("a", f"C{n}"), world.rate(speeds[i].value))
    F = page.line(Sign("F", n), m * (g - a), plug=False)
    w = turns[i]
    alpha = page.leaf(Sign("ω", n, 1), world.rate(w.value))
    tensor = page.leaf(tensor_of(i), world.inertia(i))
    if tensor.is_zero:
        return F, None
    page.line(alpha.box, alpha)
    if world.normal is not None:
        own = Quantity(tensor.value, tensor.plugged, tensor.plugged)
        return F, page.line(Sign("N", n), -(own * alpha), plug=False)
    page.line(tensor.box, tensor)
    N = -(tensor @ alpha) - w.cross(tensor @ w)
    spun = world.rate(tensor.value @ w.value) + cross(w.value, tensor.value @ w.value)
    check = "the rate of change of the moment of momentum, with opposite sign"
    return F, page.line(Sign("N", n), N, -spun, check, plug=False)


def identities(page: Page, world: InWorld, places: list[Quantity], speeds: list[Quantity]) -> None:
    """∂ṙ/∂q̇ = ∂r/∂q and d/dt ∂r/∂q = ∂ṙ/∂q, and what follows: Lagrange's form."""
    s: Any = page.scalars
    for r, v in zip(places, speeds, strict=True):
        for q, rate in zip(s.q, s.v, strict=True):
            page.require(world.d(v.value, rate), world.d(r.value, q), "∂ṙ/∂q̇ = ∂r/∂q")
            page.require(world.rate(world.d(r.value, q)), world.d(v.value, q), "d/dt ∂r/∂q = ∂ṙ/∂q")
    page.step(
        "The bridge to Lagrange",
        "For every link ∂v/∂q̇ = ∂p/∂q and d/dt ∂p/∂q = ∂v/∂q. Hence the work of the force of "
        "inertia is that of Lagrange: m a · ∂p/∂q = d/dt ∂T/∂q̇ − ∂T/∂q with T = ½ m v · v, the "
        "energy of a point mass. The sums over all links:",
    )
    check = "both sides, from a and from T, are the same polynomials"
    half = s.of(1) / 2
    for q, rate in zip(s.q, s.v, strict=True):
        inertia, energy = s.of(0), s.of(0)
        for b, r, v in zip(world.model.bodies, places, speeds, strict=True):
            inertia = inertia + world.rate(v.value) @ world.d(r.value, q) * b.inertia.mass
            energy = energy + v.value @ v.value * b.inertia.mass * half
        form = s.rate(s.d(energy, rate)) - s.d(energy, q)
        left = Row(
            (Mark("∑"), Sign("m"), Sign("p", dots=2), Mark("·"), partial(Sign("p"), _box(page, q)))
        )
        page.state(left, form, inertia, check)


def _box(page: Page, name: str) -> Any:
    s: Any = page.scalars
    return page.boxes.box(s.show(s.ring[name]))


def _weights(page: Page, world: InWorld) -> list[Quantity]:
    page.step(
        "Given forces", "The weight of each link acts at its centre of mass.", "Generalized forces"
    )
    g = page.leaf(GRAVITY_ARROW, world.weight())
    page.line(g.box, g)
    weights = []
    for i, b in enumerate(world.model.bodies):
        m = page.leaf(None, b.inertia.mass)
        weights.append(page.line(Sign("W", str(i + 1)), m * g, plug=False))
    return weights


def _generalized(
    page: Page, world: InWorld, weights: list[Quantity], by_r: list[list[Quantity]]
) -> list[Quantity]:
    """Q = Σ G · ∂r/∂q, less what friction and springs at the joints take."""
    page.step(
        "By virtual work",
        "The work of all given forces on a virtual displacement is Σ Q δq: each Q is the sum of "
        "the forces times ∂p/∂q, with friction and springs at the joints.",
    )
    forms = world.forms
    e = forms.exact
    springs = forces.spring_forces(e.model, e.q)
    given = []
    for k in range(len(e.v)):
        arms = [(G, row[k]) for G, row in zip(weights, by_r, strict=True)]
        total = page.sum(G.dot(arm) for G, arm in arms if not G.is_zero and not arm.is_zero)
        for c, x in ((springs[k], 1), (forces.viscosity(e.model)[k], e.v[k])):
            if c != 0:
                total = total - page.leaf(None, c) * page.leaf(None, x)
        same = -forms.gravity[k] - forms.dissipation[k]
        check = "equal to −∂V/∂q less friction"
        given.append(page.line(Sign("Q", str(k + 1)), total, same, check, plug=False))
    return given

"""Energies, momenta and the centre of mass of all bodies that move.

Most of it is computed on the regrouped links. What they leave out is given to the world, where it
is at rest: it has no momentum, and adds a constant to the first moment of mass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import (
    Link,
    carried_to_world,
    force_to_parent,
    in_world,
    links,
    placed,
    velocities,
)
from visviva.equations.bodies.mass_matrix import composites
from visviva.equations.bodies.moments import Moments
from visviva.equations.bodies.regroup import regrouped_links
from visviva.equations.forces.forces import rotor_inertia, spring_energy
from visviva.equations.frames.kinematics import gathered
from visviva.errors import ArgumentError
from visviva.space.rotations import cross


def kinetic_energy(model: Model, q: Any, v: Any) -> Any:
    """K = ½ vᵀ M v, of bodies and rotors (Bona, *Rigid Body Dynamics*, (65))."""
    q, v = vector(q), vector(v)
    steps = placed(regrouped_links(model), q)
    twists = velocities(steps, v)
    bodies = [_kinetic(s.link.body, V) for s, V in zip(steps, twists, strict=True)]
    return sum(bodies, 0.0) + (rotor_inertia(model) / 2 * v) @ v


def potential_energy(model: Model, q: Any) -> Any:
    """V = -g · Σ m r, zero for bodies at the world's origin, and ½ k (x - rest)² of springs."""
    q = vector(q)
    return -(vector(model.gravity) @ _first_moment(model, q)) + spring_energy(model, q)


def momentum(model: Model, q: Any, v: Any) -> Array:
    """Moment of momentum about the world's origin, and momentum, in world axes."""
    q, v = vector(q), vector(v)
    steps = placed(regrouped_links(model), q)
    momenta = [
        np.concatenate(s.link.body.momentum(V[:3], V[3:]))
        for s, V in zip(steps, velocities(steps, v), strict=True)
    ]
    h: Array = carried_to_world(steps, momenta, force_to_parent, np.zeros(6))
    return h


def centroidal_momentum(model: Model, q: Any, v: Any) -> Array:
    """Moment of momentum about the centre of mass, and momentum, in world axes."""
    h = momentum(model, q, v)
    return np.concatenate([h[:3] - cross(center_of_mass(model, q), h[3:]), h[3:]])


def centroidal_matrix(model: Model, q: Any) -> Array:
    """A(q), 6 × n: the centroidal momentum is A v (Orin and Goswami)."""
    q = vector(q)
    steps, c = placed(regrouped_links(model), q), center_of_mass(model, q)
    columns = []
    for s, X, body in zip(steps, in_world(steps), composites(steps), strict=True):
        n, f = (X.R @ x for x in body.momentum(s.S[:3], s.S[3:]))
        columns.append(np.concatenate([n + cross(X.p - c, f), f]))
    return gathered(columns, steps, (6, model.nv))


def center_of_mass(model: Model, q: Any) -> Array:
    """c = Σ m r / Σ m (3,), in world axes from the world's origin."""
    c: Array = _first_moment(model, vector(q)) / _mass(model)
    return c


def center_of_mass_jacobian(model: Model, q: Any) -> Array:
    """J(q), 3 × n: the velocity of the centre of mass is J v."""
    whole = _mass(model)
    tree = [
        replace(link, body=Moments(link.body.m / whole, link.body.h / whole, link.body.S))
        for link in regrouped_links(model)
    ]
    steps = placed(tree, vector(q))
    rows = zip(steps, in_world(steps), composites(steps), strict=True)
    columns = [X.R @ body.momentum(s.S[:3], s.S[3:])[1] for s, X, body in rows]
    return gathered(columns, steps, (3, model.nv))


def _kinetic(body: Moments, V: Array) -> Any:
    """½ ω · I ω + ω · (h × v) + ½ m v · v."""
    T, (x, y, z), v = body.tensor(), V[:3], V[3:]
    a, b, c = cross(body.h, v)
    turning = (
        x * (T[0, 0] / 2 * x + T[0, 1] * y + T[0, 2] * z + a)
        + y * (T[1, 1] / 2 * y + T[1, 2] * z + b)
        + z * (T[2, 2] / 2 * z + c)
    )
    return turning + (v @ v) * (body.m / 2)


def _first_moment(model: Model, q: Any) -> Array:
    """Σ m r, in the world."""
    tree, start = regrouped_links(model), model.neutral()
    first_moment: Array = _moment(tree, q) + (_moment(links(model), start) - _moment(tree, start))
    return first_moment


def _moment(tree: Sequence[Link], q: Any) -> Array:
    """Σ m r of these links: what lies beyond a joint is one mass at one place."""
    steps = placed(tree, q)
    moments = [vector([s.link.body.m, *s.link.body.h]) for s in steps]
    total = carried_to_world(
        steps, moments, lambda s, x: vector([x[0], *(s.R @ x[1:] + s.p * x[0])]), np.zeros(4)
    )
    moment: Array = total[1:]
    return moment


def _mass(model: Model) -> Any:
    total = model.mass
    if is_exactly(total, 0.0):
        raise ArgumentError(f"{model.name!r} has no centre of mass: none of its bodies has mass")
    return total


def may_give_energy(model: Model, values: Mapping[str, float], rate: Sequence[float]) -> str:
    """Why forces without a potential may give energy: at rest those of bodies and joints never do.

    Springs have a potential, damping and friction are not negative.
    """
    return (
        "it is about a steady motion, of which the energy alone does not tell" if any(rate) else ""
    )

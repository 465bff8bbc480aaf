"""Which joints may move without inertia at some position, told from how bodies are joined.

Of the bodies that a motion without inertia moves, those nearest to the world have none against
their own joints. With what it carries, down to bodies that resist their joints alone, each is a
small mechanism of its own, of few angles: if the determinant of its mass matrix is seen to be
positive, no such motion begins there. Otherwise all joints from there on may have a part.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.algebra.exact.minors import determinant
from visviva.algebra.exact.positivity import is_positive
from visviva.algebra.exact.ring import Ring
from visviva.algebra.expr import Expr, evaluated, names_in
from visviva.describe.model.body import WORLD
from visviva.describe.model.idle import resists
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import links
from visviva.equations.bodies.mass_matrix import composite_rigid_body
from visviva.errors import OutsideError, UnknownNameError

MOST_JOINTS = 4  # of such a mechanism
_ROUNDING = 1e-11  # of the largest coefficient: below, it is rounding error of axes and offsets


def joints_without_inertia(model: Model) -> tuple[int, ...]:
    """The places in v of joints that may have a part in a motion without inertia."""
    with suppress(UnknownNameError):  # parameters without values
        model = model.numeric
    resists_alone = [resists(b) for b in _with_numbers(model).bodies]
    if all(resists_alone):
        return ()
    joints: set[int] = set()
    for k, b in enumerate(model.bodies):
        if b.parent in joints or not (
            resists_alone[k] or _resists_with_carried(model, k, resists_alone)
        ):
            joints.add(k)
    places = (range(model.nv)[model.v_index[k]] for k in sorted(joints))
    return tuple(dict.fromkeys(j for place in places for j in place))


def _with_numbers(model: Model) -> Model:
    """Some positive number for every formula without a value, the same for the same names."""
    rng = np.random.default_rng(0)
    values: dict[str, float] = defaultdict(lambda: float(rng.uniform(0.2, 0.9)))

    def number(x: Any) -> float:
        if isinstance(x, Expr):
            return float(evaluated([x], {name: values[name] for name in names_in([x])})[0])
        try:
            return float(x)
        except (TypeError, ValueError):
            return values[str(x)]

    return model.mapped(number)


def _resists_with_carried(model: Model, first: int, resists_alone: list[bool]) -> bool:
    """Whether a body, with what it carries down to bodies that resist alone, is seen to."""
    group = [first]
    for k, b in enumerate(model.bodies):
        if b.parent in group and (b.parent == first or not resists_alone[b.parent]):
            group.append(k)
    bodies = [model.bodies[k] for k in group]
    joints_followed = {b.mimic.joint for b in model.bodies if b.mimic is not None}
    if sum(b.joint.nv for b in bodies) > MOST_JOINTS or any(
        b.mimic or b.joint_name in joints_followed or b.joint.nq != b.joint.nv for b in bodies
    ):
        return False
    places = {k: i for i, k in enumerate(group)}
    on_the_world = tuple(replace(b, parent=places.get(b.parent, WORLD)) for b in bodies)
    mechanism = Model(model.name, on_the_world)
    return not mechanism.is_symbolic and _has_inertia_everywhere(mechanism)


def _has_inertia_everywhere(mechanism: Model) -> bool:
    """Whether det M, a polynomial in sines and cosines of its angles, is seen to be positive."""
    names = [f"q{j}" for j in range(mechanism.nv)]
    ring = Ring(names, {x: {x: 1} for x in names})
    try:
        exact = mechanism.mapped(lambda x: x if x in (0, 1, -1) else ring.number(x))
        q = np.array([ring[x] for x in names], dtype=object)
        M = composite_rigid_body(links(exact), q, exact.nv) + np.diag(
            np.concatenate([b.armature for b in exact.bodies])
        )
        terms = (ring.number(0) + determinant(M.tolist())).terms()
    except (OutsideError, TypeError):  # joints that have no polynomials, or too many terms
        return False
    return is_positive(terms, set(names), lambda _: None, _ROUNDING)

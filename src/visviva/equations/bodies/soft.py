"""Where bodies have inertia at every position, told from how they are joined.

Of the bodies that a motion without inertia moves, those nearest to the world have none against
their own joints. With all that follows, down to bodies that resist theirs, each is a small
mechanism of its own, of few angles: where the determinant of its mass matrix is seen to be
positive, no such motion begins there. Otherwise all joints from there on may have a part.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.algebra.exact.minors import determinant
from visviva.algebra.exact.positive import is_evident
from visviva.algebra.exact.ring import Ring
from visviva.describe.model.body import WORLD
from visviva.describe.model.idle import resists_as_stated
from visviva.describe.model.model import Model
from visviva.describe.names import motion
from visviva.equations.dynamics import mass_matrix
from visviva.errors import UnknownNameError, VisvivaError

LARGEST = 4  # joints of such a mechanism
ROUNDED = 1e-11


def soft_coordinates(model: Model) -> tuple[int, ...]:
    """Those that may have a part, at some position, in a motion without inertia."""
    with suppress(UnknownNameError):  # symbols without values
        model = model.numeric
    resisting = [resists_as_stated(b) for b in model.bodies]
    if all(resisting):
        return ()
    soft: set[int] = set()  # bodies
    for k, b in enumerate(model.bodies):
        if b.parent in soft or not (resisting[k] or _resists_with_next(model, k, resisting)):
            soft.add(k)
    places = (range(model.nv)[model.v_index[k]] for k in sorted(soft))
    return tuple(dict.fromkeys(j for place in places for j in place))


def _resists_with_next(model: Model, first: int, resisting: list[bool]) -> bool:
    """Whether a body does with what it carries, down to bodies that do alone."""
    group = [first]
    for k, b in enumerate(model.bodies):
        if b.parent in group and (b.parent == first or not resisting[b.parent]):
            group.append(k)
    bodies = [model.bodies[k] for k in group]
    shared = {b.mimic.joint for b in model.bodies if b.mimic is not None}
    if sum(b.joint.nv for b in bodies) > LARGEST or any(
        b.mimic or b.joint_name in shared or b.joint.nq != b.joint.nv for b in bodies
    ):
        return False
    places = {k: i for i, k in enumerate(group)}
    own = tuple(replace(b, parent=places.get(b.parent, WORLD)) for b in bodies)
    try:
        alone = Model(model.name, own, parameters=model.parameters).numeric
        names = motion(alone.bodies, alone.parameters).q
        ring = Ring([*names], {x: {x: 1} for x in names})
        numbers = replace(alone, parameters={}).mapped(
            lambda x: x if x in (0, 1, -1) else ring.number(x)
        )
        M = mass_matrix(numbers, np.array([ring[x] for x in names], dtype=object))
        det: Any = determinant(M.tolist())
    except (VisvivaError, TypeError, ArithmeticError, NotImplementedError):
        return False
    if not hasattr(det, "terms"):
        return bool(det > 0)
    return is_evident(det, set(names), lambda _: 1, ROUNDED)

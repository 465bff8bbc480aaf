"""Loads on a tree: along which links a wrench is felt, and what the joints have to say to it.

No Jacobian is formed. A wrench is carried along the chain of links that bears it, and each joint
takes the part along its own motion: Jᵀ w, at the cost of the chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.body import WORLD
from visviva.equations.bodies.links import Placed, force_to_parent
from visviva.space.rotations import cross

Chain = list[tuple[int, Array]]  # links from a body down, each with a point as it sees it
Loads = Iterable[tuple[int, Array]]  # links, each with a wrench in its axes about its origin


def lifted(steps: Sequence[Placed], i: int, r: Any, root: int = WORLD) -> tuple[Chain, Array]:
    """A point r of link i as each link down to `root` sees it, and as `root` itself does."""
    path: Chain = []
    while i != root:
        path.append((i, r))
        r = steps[i].R @ r + steps[i].p
        i = steps[i].parent
    return path, r


def lowered(steps: Sequence[Placed], path: Chain, m: Any, f: Any) -> Iterator[tuple[int, Array]]:
    """Moment and force at a point, in the axes of the root, as each link feels them."""
    for i, r in reversed(path):
        R = steps[i].R
        m, f = R.T @ m, R.T @ f
        yield i, np.concatenate([m + cross(r, f), f])


def carried(steps: Sequence[Placed], loads: Mapping[int, Array]) -> Iterator[tuple[int, Array]]:
    """Wrenches on links, and what they add up to on those that bear them."""
    felt = dict(loads)
    for i in reversed(range(len(steps))):
        if i in felt:
            yield i, felt[i]
            up = steps[i].parent
            if up != WORLD:
                W = force_to_parent(steps[i], felt[i])
                felt[up] = felt[up] + W if up in felt else W


def plus_joint_parts(steps: Sequence[Placed], total: Sequence[Any], loads: Loads) -> list[Any]:
    """The total with Sᵀ W of every link added."""
    forces = list(total)
    for i, W in loads:
        s = steps[i]
        for k, x in zip(range(s.v.start, s.v.stop), s.S.T @ W, strict=True):
            forces[k] = forces[k] + x
    return forces

"""The same mechanism with fewer numbers: frames and bodies chosen so that most of them are zero.

Nothing that a joint force, an energy difference or a mass matrix can show is changed. Joint axes
become coordinate axes; origins slide along their joint's axis where that empties offsets; and
whatever part of a body its joint does not feel, such as the mass of all that lies on a hinge's
axis, is given to its parent. These are the base parameters of Gautier and Khalil, found joint by
joint. Reaction forces do change: they are computed on the links as they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from visviva.describe.joints import Revolute
from visviva.describe.model import Model
from visviva.describe.parts import WORLD
from visviva.equations.links import Link, links
from visviva.equations.moments import Moments
from visviva.space.poses import Pose


def lean(model: Model) -> list[Link]:
    """Links with the joint forces of the model's, and fewer operations."""
    tree = links(model)
    if not _is_numeric(tree):
        return tree
    return regrouped(tree)


def regrouped(tree: list[Link]) -> list[Link]:
    """What a joint does not feel belongs to the parent, or to nobody if that is the world."""
    bodies = [link.body for link in tree]
    for i in reversed(range(len(tree))):
        link, body = tree[i], bodies[i]
        unfelt = Moments(*link.joint.unfelt(body.m, body.h, body.S))
        bodies[i] = body - unfelt
        if link.parent != WORLD:
            X = link.placement @ link.joint.transform(link.joint.neutral())
            bodies[link.parent] = bodies[link.parent] + unfelt.moved(X.R, X.p)
    return [replace(link, body=body) for link, body in zip(tree, bodies, strict=True)]


def _is_numeric(tree: list[Link]) -> bool:
    return all(
        x.dtype != object
        for link in tree
        for x in (
            np.asarray(link.body.m),
            link.body.h,
            link.body.S,
            link.placement.R,
            link.placement.p,
        )
    )

"""The same mechanism with fewer numbers: frames and bodies chosen so that many of them are zero.

Nothing that a joint force, an energy difference or a mass matrix can show is changed. Origins slide
along their hinge's axis where that empties offsets, and whatever part of a body its joint does not
feel, such as the mass of all that lies on a hinge's axis, is given to its parent. What remains are
the base parameters of Gautier and Khalil, found joint by joint. Reaction forces do change: they are
computed on the links as they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.joints.joint import Joint
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import Link
from visviva.equations.bodies.moments import Moments
from visviva.equations.bodies.near import is_numeric, nearby
from visviva.space.poses import Pose

ROUNDING = 4 * np.finfo(float).eps  # of an axis, its distance and their product


def regrouped_links(model: Model) -> list[Link]:
    """Links with the joint forces of the model's, and fewer operations."""
    tree = nearby(model)
    return regrouped(slid(settled(tree))) if is_numeric(tree) else tree


def settled(tree: list[Link]) -> list[Link]:
    """Origins that their joints let slide, moved with both frames of the joint."""
    links = []
    for link in tree:
        X, at = link.placement, link.at
        beside = np.linalg.norm(at - link.joint.slides(at))
        if at.any() and beside <= 1e-12 * np.linalg.norm(at):
            link = replace(link, placement=Pose(X.R, X.p + X.R @ at), at=np.zeros(3))
        links.append(link)
    return links


def slid(tree: list[Link]) -> list[Link]:
    """Origins moved along hinge axes to where offsets have the most zeros."""
    links = list(tree)
    for i in range(len(links)):
        children = [k for k, link in enumerate(links) if link.parent == i]
        ways = [_slide(links, i, children, d) for d in _shifts(links, i, children)]
        best = min(ways, key=lambda way: sum(np.count_nonzero(x.placement.p) for x in way.values()))
        for k, link in best.items():
            links[k] = link
    return links


def _shifts(tree: list[Link], i: int, children: list[int]) -> list[Array]:
    """None, and those that empty the offset of a joint, or of one that it carries.

    An origin is moved for nothing where the joint does not feel a point mass there.
    """
    link, none = tree[i], np.zeros(3)
    if link.at.any():
        return [none]
    X, joint = link.placement, link.joint
    offsets = (-(X.R.T @ X.p), *(tree[k].placement.p for k in children))
    slides = [joint.slides(d) for d in offsets]
    return [none, *(d for d in slides if _is_unfelt(joint, d))]


def _is_unfelt(joint: Joint, at: Array) -> bool:
    mass: list[Any] = [1.0, at, np.outer(at, at)]
    pairs = zip(mass, joint.unfelt(*mass), strict=True)
    return all(np.allclose(x, y, rtol=1e-12, atol=0.0) for x, y in pairs)


def _slide(tree: list[Link], i: int, children: list[int], shift: Array) -> dict[int, Link]:
    """Link i with its origin shifted, and the links it carries."""
    way = {k: tree[k] for k in (i, *children)}
    if not shift.any():
        return way
    link = tree[i]
    X = link.placement
    body = link.body.moved(np.eye(3), -shift)
    way[i] = replace(link, placement=Pose(X.R, _sum(X.p, X.R @ shift)), body=body)
    for k in children:
        Y = tree[k].placement
        way[k] = replace(tree[k], placement=Pose(Y.R, _sum(Y.p, -shift)))
    return way


def _sum(p: Array, d: Array) -> Array:
    """p + d, with zeros where nothing but the rounding of the two is left."""
    total = p + d
    size = np.linalg.norm(p) + np.linalg.norm(d)
    return np.where(np.abs(total) <= ROUNDING * size, 0.0, total)


def regrouped(tree: list[Link]) -> list[Link]:
    """What a joint does not feel belongs to the parent, or to nobody if that is the world."""
    bodies = [link.body for link in tree]
    for i in reversed(range(len(tree))):
        link, body = tree[i], bodies[i]
        if link.at.any():  # far from its joint: what that one does not feel is there, not here
            continue
        unfelt = Moments(*link.joint.unfelt(body.m, body.h, body.S))
        bodies[i] = body - unfelt
        if link.parent != WORLD:
            X = link.placement @ link.joint.transform(link.joint.neutral())
            bodies[link.parent] = bodies[link.parent] + unfelt.moved(X.R, X.p)
    return [replace(link, body=body) for link, body in zip(tree, bodies, strict=True)]

"""Sizes of what the weights of single bodies add to forces, before anything of it cancels.

A sum that is small beside these is a difference of large numbers: its sign is that of rounding,
in it or in a centre of mass that was computed before. A body counts with all of its parts, of which
Σ m |r| ≤ √(m Σ m r²) is known (Cauchy, Schwarz), though not where they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import ancestors, in_world, links, placed
from visviva.space.rotations import skew


def carriages(model: Model) -> list[Array]:
    """Entries of v, of each joint to the world, that carry all of its bodies without turning them.

    The momentum along these changes by the weight of the bodies, which is the same everywhere, and
    by what else acts on them from outside.
    """
    tree = links(model)
    entries = [k for x in tree for k in range(x.v.start, x.v.stop)]
    entries_of_carriages = []
    for i, s in enumerate(placed(tree, np.asarray(model.neutral(), dtype=float))):
        entries_of_joint = np.arange(s.v.start, s.v.stop)
        slides = ~s.S[:3].astype(bool).any(axis=0) & s.S[3:].astype(bool).any(axis=0)
        is_first = all(tree[k].v.stop == tree[k].v.start for k in ancestors(tree, i)[1:])
        if is_first and slides.any() and all(entries.count(k) == 1 for k in entries_of_joint):
            entries_of_carriages.append(entries_of_joint[slides])
    return entries_of_carriages


def weight_sizes(model: Model, q: Any) -> tuple[Array, Array]:
    """Of forces (nv,) and of their slopes (nv, nv), at a position of a model of numbers."""
    g = np.asarray(model.gravity, dtype=float)
    nv = model.nv
    forces, slopes = np.zeros(nv), np.zeros((nv, nv))
    if not g.any():
        return forces, slopes
    steps = placed(links(model), np.asarray(q, dtype=float))
    poses = in_world(steps)
    turns: list[Array] = []
    moves: list[Array] = []
    for s, X in zip(steps, poses, strict=True):
        w, v = np.zeros((3, nv)), np.zeros((3, nv))
        if s.parent != WORLD:  # what carries it, at its origin
            w, v = turns[s.parent], moves[s.parent]
            w, v = w.copy(), v - skew(X.p - poses[s.parent].p) @ w
        w[:, s.v] += X.R @ s.S[:3]
        v[:, s.v] += X.R @ s.S[3:]
        turns.append(w)
        moves.append(v)
        m, body = float(s.link.body.m), s.link.body
        reach = np.sqrt(max(m * float(np.trace(body.S)), 0.0))
        across = np.cross(g, w.T)  # (nv, 3): g × ω
        forces += m * np.abs(g @ v) + reach * np.linalg.norm(across, axis=1)
        carried = m * np.abs(across @ v)
        turned = np.linalg.norm(np.cross(across[:, None], w.T[None]), axis=2)
        slopes += np.maximum(carried, carried.T) + reach * np.maximum(turned, turned.T)
    return forces, slopes

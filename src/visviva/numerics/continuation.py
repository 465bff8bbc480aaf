"""Along a curve of solutions of f(x) = 0, one equation fewer than unknowns: one step after another.

A step goes along the tangent, and Newton's method brings it back across it. It counts if it ends
near to where it was looked for and the tangent has hardly turned; otherwise it is halved. Callers
look at the places, stop when they like, and find zeros of a function between two places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from visviva.algebra.arrays import Array
from visviva.numerics.brackets import find_roots
from visviva.numerics.newton import NewtonOptions, newton
from visviva.numerics.rank import split


@dataclass(frozen=True, eq=False)
class Curve:
    """f and its slope (m, n) at x, and how steps (n,) move x; n - m = 1 where it is regular."""

    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    move: Callable[[Array, Array], Array] = np.add
    difference: Callable[[Array, Array], Array] = lambda x, y: y - x
    unit: Array | float = 1.0  # lengths of steps are measured in these
    enough: float = 1e-12  # of f: what is on the curve
    step: float = 0.05
    shortest: float = 1e-6
    smooth: float = 0.9  # cosine between tangents that follow each other
    near: float = 0.3  # of a step: how far from where it was looked for a place may be

    def tangent(self, x: Array, before: Array) -> Array | None:
        """What f leaves free, most as before; None where that turns too far."""
        N = split(np.asarray(self.slope(x)) * self.unit, unit_rows=True).null_space
        along = N @ (N.T @ (before / self.unit))
        size = float(np.linalg.norm(along))
        return along / size * self.unit if size > self.smooth else None

    def ahead(self, x: Array, tangent: Array, h: float) -> Array | None:
        """The place h ahead along the tangent; None if there is none near."""
        guess = np.asarray(self.move(x, h * tangent))
        across = tangent / self.unit**2

        def value(y: Array) -> Array:
            return np.append(self.value(y[0]), 0.0)[None]

        def slope(y: Array) -> Array:
            return np.vstack([self.slope(y[0]), across])[None]

        def move(y: Array, step: Array) -> Array:
            return np.asarray(self.move(y[0], step[0]))[None]

        options = NewtonOptions(enough=self.enough, steps=12, damping=0.0, relative=1e-9)
        there = newton(value, slope, guess, move=move, options=options)
        off = np.asarray(self.difference(guess, there.x[0])) / self.unit
        is_there = there.residual[0] <= self.enough and np.linalg.norm(off) <= self.near * h
        return there.x[0] if is_there else None


class Place(NamedTuple):
    """A point of the curve, the tangent there, and the length of the step that led to it."""

    x: Array
    tangent: Array
    h: float


def follow(curve: Curve, x: Array, direction: Array) -> Iterator[Place]:
    """Places from x on in a direction, until no step is short enough; callers stop it before."""
    tangent = direction / np.linalg.norm(direction / curve.unit)
    yield Place(x, tangent, 0.0)
    h = curve.step
    while h >= curve.shortest:
        there = curve.ahead(x, tangent, h)
        new = None if there is None else curve.tangent(there, tangent)
        if there is None or new is None:
            h /= 2
            continue
        x, tangent = there, new
        yield Place(x, tangent, h)
        h = min(curve.step, 1.5 * h)


def crossing(curve: Curve, place: Place, h: float, value: Callable[[Place], float]) -> Array:
    """Where a function of places is zero, between one and another that is h ahead of it."""

    def at(_: object, shares: Array) -> Array:
        share = float(shares[0])
        x = curve.ahead(place.x, place.tangent, share) if share else place.x
        t = None if x is None else curve.tangent(x, place.tangent)
        return np.array([np.nan if x is None or t is None else value(Place(x, t, share))])

    side = -np.sign([value(place)])
    share = float(find_roots(at, np.zeros(1), np.array([h]), side)[0])
    found = curve.ahead(place.x, place.tangent, share) if share else None
    return place.x if found is None else found

"""Carriers: frames that move with q, t and parameters, to which shapes are fixed.

A carrier is [A | p]: A turns, and where a size depends on parameters it stretches too, by one at
the stated values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_numeric, vector
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import in_world, links, placed
from visviva.show.scene.shapes import Anchor, as_point

InBody = Callable[[Model], tuple[Any, Any]]  # A and p in the body, for any numbers of the model
UNTURNED = np.eye(3)


@dataclass(frozen=True, eq=False)
class Carrier:
    """A frame of a body: where it is in it may depend on parameters of the model."""

    name: str
    body: int
    local: InBody | None = None  # None: the body's own frame


class Rig:
    """The carriers of a model, asked for by what is drawn; one for each body to begin with."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.numeric = model.numeric
        self.carriers: list[Carrier] = []
        self.names = ["world"]
        self._known: dict[tuple[str, str], Any] = {}  # what was asked for before, by its name
        for i, b in enumerate(model.bodies):
            self.add(b.name, i, None)

    def add(self, name: str, body: int, local: InBody | None) -> int:
        """One more carrier; a name that is taken gets a mark."""
        while name in self.names:
            name += "'"
        self.names.append(name)
        self.carriers.append(Carrier(name, body, local))
        return len(self.carriers)

    def of(self, body: int) -> int:
        """The carrier of a body or of the world."""
        return 0 if body == WORLD else body + 1

    def anchor(self, name: str, body: int, point: Callable[[Model], Any]) -> Anchor:
        """A point of a body: constant in its carrier, or one of its own where it has parameters."""
        p = vector(point(self.model))
        if is_numeric(p):
            return self.of(body), as_point(p)
        if ("point", name) not in self._known:
            added = self.add(name, body, lambda m: (UNTURNED, point(m)))
            self._known["point", name] = added
        return self._known["point", name], (0.0, 0.0, 0.0)

    def frame(self, name: str, body: int, pose: Callable[[Model], Any]) -> int:
        """A carrier of a pose in a body; the body's own if they are the same."""
        X = pose(self.model)
        if is_numeric(X.matrix()) and np.array_equal(X.matrix(), np.eye(4)):
            return self.of(body)
        if ("frame", name) not in self._known:
            self._known["frame", name] = self.add(name, body, lambda m: ((X := pose(m)).R, X.p))
        return int(self._known["frame", name])


def model_places(carriers: list[Carrier] | tuple[Carrier, ...], model: Model, q: Any) -> Array:
    """[A | p] of every carrier in the world (k, 3, 4), over any scalar."""
    bodies = in_world(placed(links(model), vector(q)))
    rows = []
    for c in carriers:
        A, p = (UNTURNED, np.zeros(3)) if c.local is None else map(vector, c.local(model))
        if c.body != WORLD:
            X = bodies[c.body]
            A, p = X.R if c.local is None else X.R @ A, X.p + X.R @ p
        rows.append(np.concatenate([A, vector(p)[:, None]], axis=1))
    return np.array(rows).reshape(-1, 3, 4)

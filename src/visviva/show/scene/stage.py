"""Carriers of a system of energies: where formulas of q, t and parameters put frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.expr import Graph, evaluated, names_in
from visviva.algebra.sympy_graph import from_sympy
from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.energies.picture import ORIGIN, Solid
from visviva.show.scene.shapes import Anchor, Point, as_point
from visviva.space.euler import euler_matrix
from visviva.space.rotations import about_axis

Value = Callable[[Any], Any]  # of a formula
ByFormulas = Callable[[Value], tuple[Any, Any]]  # A and p, from values of formulas
UP = np.array([0.0, -1.0, 0.0])  # the axis about which right turns up
UNKNOWN = 1.0  # stands for a parameter that has no value


class Stage:
    """Formulas and the carriers that they place; all formulas are evaluated together."""

    def __init__(self, system: Lagrangian, q: Array) -> None:
        self.system = system
        self.names = ["world"]
        self.locals: list[ByFormulas] = []
        self._formulas: dict[Any, int] = {}
        self._nodes: list[Any] = []
        self._graph = Graph()
        self._q = q
        self._points: dict[str, Anchor] = {}

    @property
    def missing(self) -> list[str]:
        """Names in formulas that have no value."""
        known = {*self.system.values, *self.system.coordinates, TIME.name}
        return sorted(k for k in names_in(self._nodes) if k not in known)

    @property
    def is_timed(self) -> bool:
        """Whether the time stands in one of them."""
        return TIME.name in names_in(self._nodes)

    def uses(self, *formulas: Any) -> None:
        """Formulas that a carrier will ask for."""
        for x in formulas:
            if getattr(x, "free_symbols", None) is not None and x not in self._formulas:
                names = {s.name: self._graph.input(s.name) for s in x.free_symbols}
                self._nodes.append(from_sympy(x, self._graph, names))
                self._formulas[x] = len(self._nodes) - 1

    def add(self, name: str, local: ByFormulas) -> int:
        """One more carrier; a name that is taken gets a mark."""
        while name in self.names:
            name += "'"
        self.names.append(name)
        self.locals.append(local)
        return len(self.locals)

    def at(self, x: Any) -> float:
        """The value of a formula in the start position."""
        self.uses(x)
        return float(self._evaluated(self.system, self._q, 0.0)(x))

    def point(self, name: str) -> Anchor:
        """A point that was stated, or the origin; what never moves is on the world."""
        if name not in self._points:
            stated = self.system.points.get(name, (0.0,) * 3 if name == ORIGIN else None)
            self._points[name] = self.place(name, stated)
        return self._points[name]

    def place(self, name: str, formulas: Any) -> Anchor:
        """Where formulas are: a carrier of its own if anything stands in them."""
        spread = in_space(formulas)
        if not any(getattr(x, "free_symbols", ()) for x in spread):
            return 0, as_point(spread)
        self.uses(*spread)
        return self.add(name, lambda v: (np.eye(3), [v(x) for x in spread])), (0.0, 0.0, 0.0)

    def solid(self, name: str, s: Solid, sizes: Mapping[int, Any]) -> tuple[int, Point]:
        """The carrier of a solid, and where on it; `sizes` has what stretches its axes."""
        centre = self.system.points.get(s.at, (0.0,) * 3) if isinstance(s.at, str) else s.at
        grows = {k: x for k, x in sizes.items() if getattr(x, "free_symbols", ())}
        if not s.turn and not grows:
            return self.point(s.at) if isinstance(s.at, str) else self.place(name, centre)
        spread, turn = in_space(centre), dict(s.turn)
        stated = {k: self.at(x) for k, x in grows.items()}
        self.uses(*spread, *turns_of(s))

        def local(v: Value) -> tuple[Any, Any]:
            by = [v(grows[k]) / stated[k] if k in grows else 1.0 for k in range(3)]
            return vector(_rotation(turn, v)) * vector(by), [v(x) for x in spread]

        return self.add(name, local), (0.0, 0.0, 0.0)

    def carried(self, name: str, s: Solid, point: list[Any]) -> Anchor:
        """A point that formulas put into the axes of a solid."""
        centre = self.system.points.get(s.at, (0.0,) * 3) if isinstance(s.at, str) else s.at
        spread, turn = in_space(centre), dict(s.turn)
        self.uses(*spread, *point, *turns_of(s))

        def local(v: Value) -> tuple[Any, Any]:
            p = vector(_rotation(turn, v)) @ vector([v(x) for x in point])
            return np.eye(3), p + vector([v(x) for x in spread])

        return self.add(name, local), (0.0, 0.0, 0.0)

    def places(self, system: Lagrangian, q: Any, t: Any) -> Array:
        """[A | p] of every carrier (k, 3, 4), over any scalar."""
        value = self._evaluated(system, q, t)
        rows = []
        for local in self.locals:
            A, p = local(value)
            rows.append(np.concatenate([vector(A), vector(p)[:, None]], axis=1))
        return np.array(rows).reshape(-1, 3, 4)

    def _evaluated(self, system: Lagrangian, q: Any, t: Any) -> Value:
        known = {k: UNKNOWN for k in self.missing if k not in system.values}
        known |= {**system.values, TIME.name: t}
        known |= dict(zip(system.coordinates, vector(q), strict=True))
        numbers = evaluated(self._nodes, known)
        return lambda x: numbers[self._formulas[x]] if x in self._formulas else float(x)


def in_space(formulas: Any) -> list[Any]:
    """Three components: right and up are x and z."""
    parts = list(formulas)
    return [parts[0], 0.0, parts[1]] if len(parts) == 2 else parts


def turns_of(s: Solid) -> list[Any]:
    """The formulas of a solid's rotation."""
    found: list[Any] = []
    for key, x in s.turn:
        if key == "matrix":
            found += [y for row in x for y in row]
        elif key in ("angles", "rpy"):
            found += x
        elif key == "angle":
            found.append(x)
    return found


def _rotation(turn: Mapping[str, Any], v: Value) -> Any:
    if not turn:
        return np.eye(3)
    if "matrix" in turn:
        return [[v(x) for x in row] for row in turn["matrix"]]
    if "euler" in turn:
        return euler_matrix([v(x) for x in turn["angles"]], turn["euler"])
    if "rpy" in turn:
        return euler_matrix([v(x) for x in turn["rpy"]], "xyz")
    return about_axis(np.array(turn["axis"]) if "axis" in turn else UP, v(turn["angle"]))

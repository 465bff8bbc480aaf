"""`Scene`: what there is to see of a system, however it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.errors import ArgumentError, VisvivaError, check_known
from visviva.machine.function import Function
from visviva.machine.program.derivative import Derivative
from visviva.machine.program.program import Port
from visviva.machine.program.trace import input_ports, traced
from visviva.show.scene.shapes import Shape

Place = Callable[[Any, Any, Any], Array]  # a system with values, q and t to all carriers
UNSEEN = ("ground", "axis", "inertia")  # roles that do not say how large what moves is


@dataclass(frozen=True)
class Coordinate:
    """An entry of q as a slider shows it: `lower` and `upper` are finite."""

    name: str
    label: str
    unit: str
    kind: str  # "angle", "length", "number" or "quaternion"
    start: float
    lower: float
    upper: float
    index: int


@dataclass(frozen=True, eq=False, repr=False)
class Scene:
    """Carriers, frames that move with q and with parameters, and shapes that are fixed to them.

    `carriers` are names, the first is the world. `size` is a length that is characteristic of the
    system, in metres, `plane` the two world axes of the plane in which it moves, or None. `notes`
    say what is drawn otherwise than it is.
    """

    name: str
    system: Any
    carriers: tuple[str, ...]
    shapes: tuple[Shape, ...]
    coordinates: tuple[Coordinate, ...]
    size: float
    plane: tuple[int, int] | None
    place: Place
    is_timed: bool = False  # whether places depend on the time
    notes: tuple[str, ...] = ()
    begins: str = ""  # where, and why not where nothing is said of it

    def begun(self, q: Array) -> Scene:
        """The same, shown first at the position q (nq,)."""
        own = (
            replace(c, start=float(x), lower=min(c.lower, float(x)), upper=max(c.upper, float(x)))
            for c, x in zip(self.coordinates, q, strict=True)
        )
        return replace(self, coordinates=tuple(own), begins="")

    @property
    def start(self) -> Array:
        """The position q (nq,) in which it is shown first."""
        return np.array([c.start for c in self.coordinates])

    @cached_property
    def velocity(self) -> Array:
        """The velocity v (nv,) with which it starts where energies state one, else zero."""
        s, stated = self.system, getattr(self.system, "start", {})
        v = np.array([stated.get(x, 0.0) for x in s.velocity_names])
        if not v.any() or not s.held_by:
            return v
        try:
            return np.asarray(s.admitted_velocity(self.start, v), dtype=float)
        except VisvivaError:
            return np.zeros(s.nv)

    def places(self, parameters: Sequence[str] = ()) -> Function:
        """q (and t, and parameters if some are named) -> [R | p] of all carriers but the world.

        An array (k, 3, 4). Where a size depends on parameters R stretches as well, by one at the
        stated values.
        """
        names = tuple(parameters)
        known: dict[Any, Function] = self.__dict__.setdefault("_places", {})
        if names not in known:
            ports = self._ports(names)
            outputs = self._outputs(ports, names, lambda X, **_: {"X": X})
            known[names] = self._function("places", ports, outputs)
        return known[names]

    def pull(self, carrier: str | int, parameters: Sequence[str] = ()) -> Function | None:
        """q, r and F (and t, parameters) -> the generalized force τ (nv) of a force on a point.

        The point r (3) is in the carrier, the force F (3) in world axes: τ · v is the power of F.
        On the world no force does work: None.
        """
        k = self.carrier(carrier)
        if k == 0:
            return None
        names = tuple(parameters)
        known: dict[Any, Function] = self.__dict__.setdefault("_pulls", {})
        if (k, names) not in known:
            ports = self._ports(names, {"r": 3, "F": 3})

            def work(X: Any, r: Any, F: Any) -> dict[str, Any]:
                return {"work": F @ (X[k - 1][:, :3] @ r + X[k - 1][:, 3])}

            outputs = self._outputs(ports, names, work)
            known[k, names] = self._function("work", ports, outputs).jacobian("q")
        return known[k, names]

    def carrier(self, carrier: str | int) -> int:
        """The number of a carrier."""
        if isinstance(carrier, str):
            check_known(f"carrier of {self.name!r}", carrier, self.carriers)
            return self.carriers.index(carrier)
        if not 0 <= carrier < len(self.carriers):
            raise ArgumentError(
                f"a carrier of {self.name!r} is a number from 0 to {len(self.carriers) - 1}, got "
                f"{carrier}"
            )
        return carrier

    def at(self, q: Any, t: float = 0.0) -> Array:
        """[R | p] of all carriers at a position, the world first: (k + 1, 3, 4), in plain numpy."""
        X = np.asarray(self.place(self.system.numeric, np.asarray(q, float), t), dtype=float)
        return np.concatenate([np.eye(3, 4)[None], X.reshape(-1, 3, 4)])

    @cached_property
    def bounds(self) -> tuple[Array, float]:
        """Centre and radius of a ball around all that moves, in the start position."""
        X = self.at(self.start)
        anchors = [a for x in self.shapes if x.role not in UNSEEN for a in x.outline()]
        anchors = anchors or [a for x in self.shapes for a in x.outline()]
        points = np.array([X[k][:, :3] @ p + X[k][:, 3] for k, p in anchors]).reshape(-1, 3)
        points = points[np.isfinite(points).all(axis=1)]
        if not len(points):
            return np.zeros(3), self.size
        center = (points.min(axis=0) + points.max(axis=0)) / 2
        radius = float(np.linalg.norm(points - center, axis=1).max())
        return center, max(radius, 0.05 * self.size)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        center, radius = self.bounds
        return {
            "name": self.name,
            "size": self.size,
            "plane": None if self.plane is None else list(self.plane),
            "timed": self.is_timed,
            "center": center.tolist(),
            "radius": radius,
            "carriers": list(self.carriers),
            "shapes": [x.as_dict() for x in self.shapes],
            "coordinates": [asdict(c) for c in self.coordinates],
            "velocities": self.velocity.tolist(),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return (
            f"Scene of {self.name!r}: {len(self.shapes)} shapes on {len(self.carriers)} carriers, "
            f"{len(self.coordinates)} coordinates, size {self.size:.3g} m"
        )

    # ---- functions

    def _ports(
        self, names: tuple[str, ...], more: dict[str, int] | None = None
    ) -> tuple[Port, ...]:
        shapes: dict[str, Any] = {"q": self.system.nq}
        if self.is_timed:
            shapes["t"] = ()
        shapes |= more or {}
        if names:
            _home(self.system).parameter_values(self.system, names)  # refuses unknown names
            shapes["parameters"] = len(names)
        units = tuple(start for _, start in self.system.quaternions)
        ports = input_ports(shapes)
        return tuple(replace(port, units=units) if port.name == "q" else port for port in ports)

    def _outputs(
        self, ports: tuple[Port, ...], names: tuple[str, ...], of: Callable[..., dict[str, Any]]
    ) -> Callable[..., dict[str, Any]]:
        inputs = [port.name for port in ports]

        def outputs(*values: Any) -> dict[str, Any]:
            x, system = dict(zip(inputs, values, strict=True)), self.system.numeric
            if names:
                system = _home(self.system).with_symbols(self.system, names, x.pop("parameters"))
            X = self.place(system, vector(x.pop("q")), x.pop("t", 0.0))
            return of(X, **x)

        return outputs

    def _function(
        self, name: str, ports: tuple[Port, ...], outputs: Callable[..., dict[str, Any]]
    ) -> Function:
        derivative = Derivative(self.system.charts)
        return Function(name, ports, lambda: traced(outputs, ports), derivative=derivative)


def _home(system: Any) -> Any:
    """The module that knows the parameters of a kind of system."""
    return system._input_equations()

"""What drives a motion: nothing, numbers, or a controller whose law is traced into the kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.errors import ArgumentError, ShapeError
from visviva.foreign import Elsewhere, explained
from visviva.machine.function import Function


@explained
@dataclass(frozen=True, eq=False)
class Controller:
    """Forces `law(t, q, v)`, or `law(t, q, v, x)` with numbers x that it remembers.

    They are τ (n,) of the coordinates as `tau=` of `simulate`, of the actuators as `u=`.

    Written over the generic scalar (`vv.generic` has its functions), so that it becomes part of the
    machine code of the motion. x has the values `start` at first and the rates `rate(t, q, v, x)`.
    With a `period` (s) the law is asked at its multiples after the motion's start only, and forces
    are held in between; what it remembers grows by period · rate then, as in a computer.

    Examples:
        >>> import visviva as vv
        >>> arm = vv.catalog.two_link()
        >>> hold = vv.Controller(lambda t, q, v: arm.gravity_forces(q) - 40.0 * q - 20.0 * v)
        >>> run = arm.simulate([0.3, 0.0], [0.0, 0.0], 5.0, tau=hold)
        >>> bool(abs(run.q[-1]).max() < 0.01)
        True
    """

    pd = Elsewhere("vv.Controller(lambda t, q, v: -40.0 * q - 20.0 * v)")
    pid = Elsewhere(
        "vv.Controller(lambda t, q, v, x: -40.0 * q - 20.0 * v - 5.0 * x, start=[0.0], "
        "rate=lambda t, q, v, x: q)  # start: a zero for each coordinate"
    )
    computed_torque = Elsewhere(
        "vv.Controller(lambda t, q, v: model.gravity_forces(q) - 40.0 * q - 20.0 * v)"
    )

    law: Callable[..., Any]
    start: tuple[float, ...] = ()
    rate: Callable[..., Any] | None = None
    period: float | None = None

    def __post_init__(self) -> None:
        try:
            first = tuple(float(x) for x in np.ravel(self.start))
        except (TypeError, ValueError):
            first = (np.nan,)
        if not np.isfinite(first).all():
            raise ArgumentError(f"start of a controller is finite numbers, got {self.start!r:.80}")
        object.__setattr__(self, "start", first)
        for name, f in (("law", self.law), ("rate", self.rate)):
            if f is not None and not callable(f):
                often = isinstance(f, (int, float)) and f > 0  # as others state a period
                way = f"; {f:g} times a second is period={1 / f:g}" if often else ""
                raise ArgumentError(f"{name} of a controller is a function, got {f!r}{way}")
            _check_taken(name, f, ("t", "q", "v", "x")[: 4 if first else 3])
        if bool(self.start) != (self.rate is not None):
            raise ArgumentError(
                "a controller that remembers numbers has both: start= their first values, and "
                "rate=, a function (t, q, v, x) that returns how fast they change"
            )
        if self.period is not None and not (
            isinstance(self.period, (int, float, np.integer, np.floating))
            and not isinstance(self.period, bool)
            and 0.0 < self.period < float("inf")
        ):
            raise ArgumentError(f"period of a controller is a time above zero, got {self.period!r}")


def _check_taken(name: str, f: Any, taken: tuple[str, ...]) -> None:
    """Refuse a function of fewer or more than it is called with, before anything is computed."""
    try:
        own = signature(f)
    except (TypeError, ValueError):  # None, and functions that do not say
        return
    named = tuple(own.parameters)[: len(taken)]
    if named != taken and {*named} == {*taken}:
        raise ArgumentError(
            f"{name} of a controller is called with ({', '.join(taken)}) in this order, got a "
            f"function of {own}"
        )
    try:
        own.bind(*taken)
    except TypeError:
        wanted, inputs = ", ".join(taken), getattr(f, "inputs", None) or ("?",)
        compiled = {*inputs} <= {*taken}  # a function of a model, as gravity_forces
        line = f"lambda {wanted}: model.{f.__name__}({', '.join(inputs)})"
        raise ArgumentError(
            f"{name} of a controller is a function of ({wanted}), got one of {own}",
            cure=line if compiled else "",
        ) from None


@dataclass(frozen=True, eq=False)
class Law:
    """Forces over any scalar: an input `tau`, or `u` of the actuators, or what a controller says.

    A controller that is sampled says nothing here: its forces are the input, held for a period.
    """

    system: Any
    controller: Controller | None = None
    drives: bool = False  # whether forces are those of actuators: τ = T(q) u
    parameters: tuple[str, ...] = ()  # of the system that are inputs
    traced: Function | None = None  # what the controller says, as it was when it was traced

    @property
    def nv(self) -> int:
        """How many forces act on the coordinates."""
        return int(self.system.nv)

    @property
    def inputs(self) -> dict[str, Any]:
        """Shapes of what it depends on besides state and time."""
        if self.controller is not None:  # one that is sampled: what it said, held for a period
            return {"tau": self.size} if self.is_sampled else {}
        return {"u": self.size} if self.drives else {"tau": self.size}

    @property
    def is_sampled(self) -> bool:
        """Whether forces are held for a period."""
        return self.controller is not None and self.controller.period is not None

    @property
    def size(self) -> int:
        """How many numbers are given or said: forces of actuators, or on the coordinates."""
        return self.drives_count if self.drives else self.nv

    @property
    def drives_count(self) -> int:
        """How many actuators there are."""
        return int(self.system.actuator_map.outputs["T"][1])

    @property
    def states(self) -> int:
        """How many numbers it remembers."""
        return 0 if self.controller is None else len(self.controller.start)

    def at(self, t: Any, q: Any, v: Any, x: Any, given: Mapping[str, Any]) -> tuple[Array, Array]:
        """τ (n,) and ẋ."""
        f, rate = self.own_forces(t, q, v, x, given)
        return (self.driven(t, q, v, f, given.get("parameters")) if self.drives else f), rate

    def own_forces(
        self, t: Any, q: Any, v: Any, x: Any, inputs: Mapping[str, Any]
    ) -> tuple[Array, Array]:
        """u of the actuators where it drives them, else τ; and ẋ."""
        if self.controller is None or self.is_sampled:
            return vector(inputs[next(iter(self.inputs))]), np.zeros(self.states)
        return self.asked(t, q, v, x)

    def driven(self, t: Any, q: Any, v: Any, u: Any, parameters: Any = None) -> Array:
        """τ = T(q) u."""
        T = self.system.function("actuator_map", parameters=self.parameters)
        values = {"q": q, "v": v, "t": t, "parameters": parameters}
        return vector(T._evaluated([values[k] for k in T.inputs], "a motion") @ vector(u))

    def asked(self, t: Any, q: Any, v: Any, x: Any) -> tuple[Array, Array]:
        """τ (n,), or u of the actuators, and ẋ as the controller says now."""
        c = self.controller
        if c is None:
            return np.zeros(self.size), np.zeros(0)
        more = (x,) if c.start else ()
        if self.traced is not None:
            said = self.traced._evaluated([t, q, v, *more], "a motion")
            return (vector(said[0]), vector(said[1])) if c.start else (vector(said), np.zeros(0))
        # copies: what a law writes into its arguments is no business of the motion, nor of its rate
        rate = np.zeros(0) if c.rate is None else c.rate(t, np.array(q), np.array(v), np.array(x))
        tau = self._sized("law", c.law(t, *(np.array(y) for y in (q, v, *more))), self.size)
        return tau, self._sized("rate", rate, self.states)

    def called(self, t: Any, q: Any, v: Any) -> Array:
        """τ of actuators whose controller is called from Python."""
        return np.asarray(self.driven(t, q, v, self.asked(t, q, v, ())[0]), dtype=float)

    def sampled(self, t: Any, q: Any, v: Any, x: Any) -> tuple[Array, Array]:
        """τ (n,), or u, for the next period, and x after it."""
        tau, rate = self.asked(t, q, v, x)
        period = 0.0 if self.controller is None else self.controller.period or 0.0
        return tau, vector(x) + rate * period

    def _sized(self, name: str, value: Any, n: int) -> Array:
        array = vector(value)
        if array.shape != (n,):
            raise ShapeError(f"the {name} of a controller returns {n} numbers, got {array.shape}")
        return array

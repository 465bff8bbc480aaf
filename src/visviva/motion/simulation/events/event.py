"""`Event`: when a function of the state becomes zero, and what then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, DtypeError, ShapeError
from visviva.machine.function import Function, function
from visviva.machine.run.call import Array
from visviva.motion.simulation.events.locate import CalledEvent, JumpFunction, TracedEvent


@dataclass(frozen=True, eq=False)
class Event:
    """Times at which `g(t, q, v)` changes its sign: as it rises (`direction=1`), falls (-1), both.

    g is written over the generic scalar (`vv.generic` has its functions), so that it becomes
    machine code; one that cannot be traced is called from Python. With `terminal=True` the motion
    ends there, with a number after so many of them. `then(t, q, v)` returns the velocity with which
    it goes on, or (q, v): an impact, a reset.

    Examples:
        >>> import visviva as vv
        >>> ball = vv.Lagrangian("z", "m*z'^2/2", "m*g*z", parameters={"m": 1.0, "g": 9.81})
        >>> floor = vv.Event(lambda t, q, v: q[0], -1, then=lambda t, q, v: -0.5 * v, name="floor")
        >>> run = ball.simulate([1.0], [0.0], 0.8, events=floor)
        >>> run.events["floor"].t
        array([0.45152364])
    """

    g: Callable[[Any, Any, Any], Any]
    direction: int = 0
    terminal: bool | int = False
    then: Callable[[Any, Any, Any], Any] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        for name, f in (("g", self.g), ("then", self.then)):
            if not callable(f) and (f is not None or name == "g"):
                raise ArgumentError(f"{name} of an event is a function of (t, q, v), got {f!r:.80}")
        whole = (int, np.integer)
        if isinstance(self.direction, bool) or self.direction not in (-1, 0, 1):
            raise ArgumentError(
                f"direction of an event is 1 (g rises), -1 (it falls) or 0, got {self.direction!r}"
            )
        if not isinstance(self.terminal, (bool, *whole)) or self.terminal < 0:
            raise ArgumentError(
                "terminal of an event is True, False or the number of times after which the motion "
                f"ends, got {self.terminal!r}"
            )
        if not isinstance(self.name, str):
            raise ArgumentError(f"name of an event is a text, got {self.name!r:.80}")


@dataclass(frozen=True, eq=False)
class Watch:
    """Events of a system by their names, and how their changes of sign are found."""

    system: Any
    events: Mapping[str, Event]
    functions: tuple[JumpFunction, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Those of all events, in their order."""
        return tuple(self.events)

    @property
    def stops(self) -> bool:
        """Whether one of them ends a motion, or makes it jump."""
        return any(x.terminal or x.then is not None for x in self.events.values())


def watch_of(system: Any, events: Any) -> Watch | None:
    """What `simulate` was told of events: one, a list of them, or by names; None without any."""
    if events is None:
        return None
    named = _named(events)
    functions = tuple(_event_function(system, k, x) for k, x in named.items())
    return Watch(system, named, functions) if named else None


def _named(events: Any) -> dict[str, Event]:
    if isinstance(events, Mapping):
        made = {}
        for name, x in events.items():
            if not isinstance(name, str) or not name:
                raise ArgumentError(f"simulate: names of events are texts, got {name!r:.80}")
            event = _event(x)
            if event.name not in ("", name):
                raise ArgumentError(f"simulate: event {name!r} has the name {event.name!r} already")
            made[name] = replace(event, name=name)
        return made
    several = isinstance(events, Sequence) and not isinstance(events, str)
    made = {}
    for k, x in enumerate(events if several else [events]):
        event = _event(x)
        own = getattr(event.g, "__name__", "")
        plain = own if own.isidentifier() and own not in made else f"event {k + 1}"
        name = event.name or plain
        if name in made:
            raise ArgumentError(f"simulate: two events have the name {name!r}")
        made[name] = replace(event, name=name)
    return made


def _event(x: Any) -> Event:
    if isinstance(x, Event):
        return x
    if not callable(x):
        raise ArgumentError(
            "simulate: events are functions of (t, q, v), vv.Event, a list of them, or a table of "
            f"them by names; got {x!r:.80}"
        )
    for name in ("terminal", "direction"):  # as SciPy states them
        if getattr(x, name, None) is not None:
            raise ArgumentError(
                f"simulate: the function of an event has an attribute {name!r}, which says nothing "
                f"here: vv.Event(g, {name}={getattr(x, name)!r}) does"
            )
    return Event(x)


def _event_function(system: Any, name: str, event: Event) -> JumpFunction:
    """By its program, or as it is called from Python."""
    nq, nv = system.nq, system.nv
    traced_function = _traced(system, name, event)
    if traced_function is not None:
        return TracedEvent(traced_function, (nq, nq + nv))

    def value(t: float, y: Array) -> float:
        answer = event.g(float(t), y[:nq].copy(), y[nq : nq + nv].copy())
        try:
            number = np.asarray(answer, dtype=float)
        except (TypeError, ValueError):
            raise DtypeError(f"event {name!r} returns one number, got {answer!r:.80}") from None
        _check_scalar(name, number.shape)
        return float(number)

    return CalledEvent(lambda t, y: np.array([value(*x) for x in zip(t, y, strict=True)]))


def _traced(system: Any, name: str, event: Event) -> Function | None:
    """g as machine code, or None if it must be called from Python."""
    sizes = {"t": (), "q": system.nq, "v": system.nv}

    def g(t: Any, q: Any, v: Any) -> Any:
        return event.g(t, np.array(q), np.array(v))

    try:
        made, again = (function(g, sizes, name="event") for _ in range(2))
        shape, same = next(iter(made.outputs.values())), None
        same = made.program.digest == again.program.digest
    except Exception:  # whatever a user's own function raises when given expressions
        return None
    if len(made.outputs) != 1:
        raise ShapeError(f"simulate: event {name!r} returns one number, got {len(made.outputs)}")
    _check_scalar(name, shape)
    if not same:
        raise ArgumentError(
            f"simulate: event {name!r}, asked twice the same, gave two answers: it is a function "
            "of (t, q, v)"
        )
    return made


def _check_scalar(name: str, shape: tuple[int, ...]) -> None:
    if shape != ():
        raise ShapeError(
            f"simulate: event {name!r} returns one number, got shape {shape}; several are several "
            "events"
        )

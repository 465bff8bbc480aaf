"""A controller as a function of the machine: traced once, and only if it is a function.

Tracing asks a law with expressions. One that keeps something of its own from call to call, an
integral on an object or the state of a random generator, would be frozen as it is at that moment:
so it is asked twice, both times must give the same, and what it keeps is put back afterwards.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from types import CellType, FunctionType, MethodType
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, ShapeError
from visviva.machine.function import Function
from visviva.machine.program.program import Program
from visviva.machine.program.trace import input_ports, traced
from visviva.motion.steps.law import Controller, Law

DEPTH = 4  # from a law to what it keeps: objects in closures, and what is on them
CONTAINERS = (list, dict, set, deque)


def traced_law(law: Law, c: Controller) -> Function | None:
    """τ, and ẋ where numbers are remembered, of (t, q, v, x); None if Python must be called."""
    s = law.system
    sizes: dict[str, Any] = {"t": (), "q": s.nq, "v": s.nv}
    sizes |= {"x": law.states} if law.states else {}

    def both(t: Any, q: Any, v: Any, x: Any = ()) -> dict[str, Any]:
        tau, rate = law.asked(t, q, v, x)
        return {"tau": tau, "rate": rate} if law.states else {"tau": tau}

    before, ports = Kept.of(c.law, c.rate), input_ports(sizes)
    try:
        program = traced(both, ports)
    except ShapeError:
        before.put_back()
        raise
    except Exception as error:  # whatever a user's own function raises when given expressions
        before.put_back()
        if c.start and not c.period:
            raise ArgumentError(
                "a controller that remembers numbers, and is not sampled, becomes part of the "
                f"machine code; this one cannot be traced: {error}. Write it with vv.generic, or "
                "give it a period="
            ) from error
        return None
    made = Kept.of(c.law, c.rate)  # with what it makes for itself when it is first asked
    try:
        again: str | None = traced(both, ports).digest
    except Exception:  # the same
        again = None
    changed = made.put_back()
    before.put_back()
    if program.digest == again:
        return None if changed and not c.start else _function_of(program)
    if c.period is None:
        raise ArgumentError(
            "the law of a controller is a function of (t, q, v) and what it remembers: this one, "
            "asked twice the same, gave two answers. A step asks it several times, so that what it "
            "keeps by itself (an integral, a counter, random numbers) would have no meaning: state "
            "it by start= and rate=, or give the controller a period="
        )
    return None


def _function_of(program: Program) -> Function:
    """A program as a function; it was too short work for a line that says how far it is."""
    new: Function = Function("controller", program.inputs, lambda: program)
    new._program = program
    return new


@dataclass(frozen=True, eq=False)
class Kept:
    """What functions keep from call to call: in closures, globals they name, objects, arrays."""

    parts: list[tuple[Any, Any]]

    @classmethod
    def of(cls, *functions: Callable[..., Any] | None) -> Kept:
        """As it is now."""
        found: dict[int, tuple[Any, Any]] = {}
        for f in functions:
            _look(f, DEPTH, found)
        return cls(list(found.values()))

    def put_back(self) -> bool:
        """Make everything as it was; whether anything was otherwise."""
        changed = False
        for holder, was in self.parts:
            if not _same(_content(holder), was):
                changed = True
                _set(holder, was)
        return changed

    def is_otherwise(self) -> bool:
        """Whether anything changed since then but random generators."""
        return any(
            not isinstance(holder, np.random.Generator) and not _same(_content(holder), was)
            for holder, was in self.parts
        )


@dataclass(frozen=True, eq=False)
class _Named:
    """A global variable that a function names."""

    space: MutableMapping[str, Any]
    name: str


def _look(x: Any, depth: int, found: dict[int, tuple[Any, Any]]) -> None:
    """Note what can change in x, and in what it refers to."""
    if depth == 0 or id(x) in found:
        return
    if isinstance(x, MethodType):
        _look(x.__self__, depth, found)
        _look(x.__func__, depth, found)
    elif isinstance(x, (_Named, CellType, np.ndarray, np.random.Generator, *CONTAINERS)):
        try:
            found[id(x)] = x, _content(x)
        except ValueError:  # a cell that is empty yet
            return
        for y in _inside(x):
            _look(y, depth - (not isinstance(x, (_Named, CellType))), found)
    elif isinstance(x, FunctionType):
        named = [_Named(x.__globals__, k) for k in x.__code__.co_names if k in x.__globals__]
        for place in (*(x.__closure__ or ()), *named):
            _look(place, depth - 1, found)
    elif (own := getattr(x, "__dict__", None)) is not None and _is_theirs(x):
        _look(own, depth, found)
        _look(vars(type(x)).get("__call__"), depth - 1, found)
        _look(getattr(x, "func", None), depth - 1, found)


def _is_theirs(x: Any) -> bool:
    """Whether a class is the user's own: models and modules keep what they know already."""
    if isinstance(x, type):
        return False
    homes = {str(kind.__module__).split(".")[0] for kind in type(x).__mro__[:-1]}
    return not homes & {"visviva", "numpy", "scipy", "sympy", "builtins"}


def _inside(x: Any) -> Iterator[Any]:
    if isinstance(x, CellType):
        yield x.cell_contents
    elif isinstance(x, _Named):
        yield x.space[x.name]
    elif isinstance(x, dict):
        yield from x.values()
    elif isinstance(x, (list, deque)) and len(x) <= 100:
        yield from x


def _content(x: Any) -> Any:
    if isinstance(x, CellType):
        return x.cell_contents
    if isinstance(x, _Named):
        return x.space.get(x.name)
    if isinstance(x, np.random.Generator):
        return x.bit_generator.state
    return x.copy()


def _same(now: Any, was: Any) -> bool:
    if isinstance(now, np.ndarray) and isinstance(was, np.ndarray):
        return now is was or (now.dtype == was.dtype and now.tobytes() == was.tobytes())
    if isinstance(now, dict) and isinstance(was, dict):
        return now.keys() == was.keys() and all(_same_thing(now[k], was[k]) for k in now)
    if isinstance(now, (list, deque)) and isinstance(was, (list, deque)):
        return len(now) == len(was) and all(map(_same_thing, now, was))
    return now is was or (isinstance(now, set) and now == was)


def _same_thing(a: Any, b: Any) -> bool:
    """Inside a container: the same object, or a number or text as before."""
    return a is b or (type(a) is type(b) and isinstance(a, (int, float, str, dict)) and a == b)


def _set(x: Any, was: Any) -> None:
    if isinstance(x, CellType):
        x.cell_contents = was
    elif isinstance(x, _Named):
        x.space[x.name] = was
    elif isinstance(x, np.random.Generator):
        x.bit_generator.state = was
    elif isinstance(x, np.ndarray):
        if x.flags.writeable:
            x[...] = was
    else:
        x.clear()
        (x.extend if isinstance(x, (list, deque)) else x.update)(was)

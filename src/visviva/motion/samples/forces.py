"""The forces on the coordinates between samples: held, on straight lines, or a function's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, TypeGuard

import numpy as np

from visviva.errors import ArgumentError, DtypeError, ShapeError
from visviva.machine.function import Function
from visviva.machine.run.call import Array


class Word(str):
    """How forces go on between samples, as a word; called like a method it says what has states."""

    def __call__(self, *t: Any) -> Any:
        """Refused: a word is no function."""
        numbers = len(t) == 2 and all(isinstance(x, Real) for x in t)
        first, last = map(str, t) if numbers else ("run.t[0]", "run.t[-1]")
        raise ArgumentError(
            f"run.between is {str(self)!r}, how forces go on between samples, and no function",
            cure=f"run.at(np.linspace({first}, {last}, 50))",
        )


HELD, LINEAR = Word("held"), Word("linear")
Between = str | Callable[[Any, Any, Any], Any]


@dataclass(frozen=True, eq=False)
class Acting:
    """Forces that need numbers w besides the state: what a controller remembers, what is held.

    `numbers` gives w (N, k, m) of all N trajectories at times (k,); `law` is τ of (t, q, v, w), or
    None where w is τ itself. `rows` are those of the N that are meant: a number, or an array.
    """

    numbers: Callable[[Array], Array]
    law: Function | None
    rows: Any
    breaks: tuple[float, ...] = ()  # times at which w jumps

    def along(self, t: Array, q: Array, v: Array) -> Array:
        """τ (..., k, nv) at times (k,) and the states there."""
        w = self.numbers(t)[self.rows]
        if self.law is None:
            return np.asarray(np.broadcast_to(w, v.shape))
        by_name = {"t": t, "q": q, "v": v, "w": w}
        return np.asarray(self.law(*[by_name[name] for name in self.law.inputs]))

    def __call__(self, t: Any, q: Any, v: Any) -> Array:
        """τ (nv,) at one state."""
        return self.along(np.array([t], dtype=float), np.array([q]), np.array([v]))[..., 0, :]

    def of(self, k: Any) -> Acting:
        """The same of some trajectories of a batch."""
        return replace(self, rows=self.rows[k])


def is_function(between: Any) -> TypeGuard[Callable[[Any, Any, Any], Any]]:
    """Whether forces between samples are those of a function, not of a word."""
    return callable(between) and not isinstance(between, str)


def gives_forces(between: Any, system: Any) -> bool:
    """Whether it is a compiled law of forces of a system: asked later it says the same."""
    if not isinstance(between, Function):
        return isinstance(between, Acting)
    sizes = {"t": (), "q": (system.nq,), "v": (system.nv,)}
    fits = between.inputs.items() <= sizes.items()
    return fits and list(between.outputs.values()) == [(system.nv,)]


def checked_between(between: Any) -> Any:
    """A function, or a word as one that answers calls; refused where it is neither."""
    if is_function(between):
        return between
    if between not in (HELD, LINEAR):
        raise ArgumentError(
            f"between= is {HELD!r} (each sample of tau until the next), {LINEAR!r}, or a function "
            f"of t, q and v that gives tau; got {between!r}"
        )
    return Word(between)


def forces_at(
    t: Array, tau: Array | None, between: Between, at: Array, q: Array, v: Array
) -> Array:
    """tau (..., k, nv) at times (k,) and the states there; zeros where nothing acts."""
    if is_function(between):
        return called_forces(between, at, q, v)
    if tau is None:
        return np.zeros(v.shape)
    k = np.clip(np.searchsorted(t, at, side="right") - 1, 0, max(len(t) - 2, 0))
    if between == HELD or len(t) == 1:
        k = np.where(at == t[-1], len(t) - 1, k)
        return np.asarray(tau[..., k, :])
    s = ((at - t[k]) / (t[k + 1] - t[k]))[:, None]
    return np.asarray((1 - s) * tau[..., k, :] + s * tau[..., k + 1, :])


def called_forces(f: Callable[[Any, Any, Any], Any], t: Array, q: Array, v: Array) -> Array:
    """What a function gives: a compiled one all at once, Python's state by state."""
    if isinstance(f, Acting):
        return f.along(t, q, v)
    if isinstance(f, Function):
        by_name = {"t": t, "q": q, "v": v}
        return np.asarray(f(*[by_name[name] for name in f.inputs]))
    result = np.empty(v.shape)
    for place in np.ndindex(v.shape[:-1]):
        one = called_law(f, t[place[-1]], q[place], v[place])
        if one.shape != v.shape[-1:]:
            raise ShapeError(
                f"the forces tau have shape {v.shape[-1:]}, a function gave {one.shape}"
            )
        result[place] = one
    return result


def called_law(f: Callable[[Any, Any, Any], Any], t: Any, q: Array, v: Array) -> Array:
    """What a function of Python says at one state; it may write into the arrays it is given."""
    said = f(t, q.copy(), v.copy())
    try:
        return np.asarray(said, dtype=float)
    except (TypeError, ValueError):
        raise DtypeError(f"a controller returns numbers, got {said!r:.80}") from None


def forces_of(forces: Array | None, k: Any, steps: int) -> Array | None:
    """Of some trajectories; of one that ended before the others, the first samples."""
    if forces is None:
        return None
    own = np.asarray(forces[k])
    if isinstance(k, slice):
        return own
    return np.asarray(own[np.minimum(np.arange(steps), len(own) - 1)])

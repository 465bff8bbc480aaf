"""What a trajectory is made of, checked: arrays of numbers, times that increase."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from visviva.algebra.arrays import frozen
from visviva.errors import ArgumentError, DtypeError, ShapeError
from visviva.machine.run.call import Array


def real_numbers(name: str, x: Any) -> Array:
    """A read-only array of floats; one that is read-only already is not copied."""
    try:
        array = frozen(x)
    except (TypeError, ValueError):
        raise DtypeError(f"{name} of a trajectory is an array of numbers, got {x!r:.80}") from None
    if array.dtype != float:
        raise DtypeError(f"{name} of a trajectory is an array of numbers, got {array.dtype}")
    return np.asarray(array)


def check_times(t: Array) -> None:
    """Refuse times that do not increase."""
    if t.ndim != 1 or not len(t):
        raise ShapeError(f"t has shape (steps,), at least one; got {t.shape}")
    if not np.isfinite(t).all():
        raise ArgumentError(f"times are finite, got {t[~np.isfinite(t)][0]}")
    late = np.flatnonzero(np.diff(t) <= 0)
    if len(late):
        a, b = t[late[0]], t[late[0] + 1]
        raise ArgumentError(f"times increase, got {b:g} s after {a:g} s (sample {late[0] + 1})")


def spread_forces(tau: Array, shape: tuple[int, ...]) -> Array:
    """One force for all samples, or for all trajectories, is that of each; nothing is copied."""
    try:
        return np.broadcast_to(tau, shape)
    except ValueError:
        raise ShapeError(
            f"tau has the shape of v, {shape}, or one that spreads to it; got {tau.shape}"
        ) from None


def named_values(what: str, x: Any) -> Mapping[str, Any]:
    """A table by names, or an error."""
    if not isinstance(x, Mapping):
        raise ArgumentError(f"{what} of a trajectory map names to values, got {x!r:.80}")
    return x


def checked_parameters(given: Mapping[str, Any], lanes: int | None) -> Mapping[str, Any]:
    """Values of parameters: numbers, or one for each of several trajectories."""
    values: dict[str, Any] = {}
    for name, x in given.items():
        array = real_numbers(f"the parameter {name!r}", x)
        if array.shape not in ((), (lanes,)):
            allowed = "a number" if lanes is None else f"a number or has shape ({lanes},)"
            raise ShapeError(f"the parameter {name!r} is {allowed}, got shape {array.shape}")
        values[name] = array if array.ndim else float(array)
    return MappingProxyType(values)

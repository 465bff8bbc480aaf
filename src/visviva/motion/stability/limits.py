"""Values of a parameter at which stability is lost or won."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError, EquilibriumError, FlatError, check_known
from visviva.motion.stability.about import linearize, with_values
from visviva.motion.stability.balance import Balance
from visviva.motion.stability.spectrum import spectrum
from visviva.solve.rows import finite

FLAT_BETWEEN = 1e-6  # of values between which forces may be flat, for one of them to be the limit


def stability_limit(
    system: Any,
    parameter: str,
    between: tuple[float, float],
    q: Any = None,
    v: Any = None,
    *,
    tau: Any = None,
    t: float = 0.0,
) -> float:
    """The value between two others at which small motions begin to grow, or stop growing."""
    check_known(f"parameter of {system.name!r}", parameter, system.parameter_names)
    low, high = finite("stability_limit: between", between, 2)
    position = system.neutral() if q is None else q

    balances: dict[Any, Balance] = {}  # compiled once for all values

    def grows(value: float) -> bool:
        own, given = with_values(system, {parameter: value})
        rate = _numbers("v", _of(v, value), own.nv)
        at = finite(f"stability_limit: q of {own.name!r}", _of(position, value), own.nq)
        if not isinstance(tau, str):
            forces = _numbers("tau", tau, own.nv)
            name = (id(own), rate.tobytes())
            if name not in balances:
                balances[name] = Balance(own, rate, forces, t, tuple(given))
            at = _near(balances[name], at, np.array([*given.values()]))
        F = linearize(own, at, rate, tau=tau, t=t, parameters=given).state_matrix
        return bool(spectrum(np.asarray(F)).growing.any())

    first, last = grows(low), grows(high)
    if first == last:
        said = "grow" if first else "do not grow"
        raise ArgumentError(
            f"stability_limit: small motions of {system.name!r} {said} at both ends, "
            f"{parameter} = {low:g} and {high:g}: give two values between which that changes"
        )
    while True:
        middle = 0.5 * (low + high)
        if _is_done(low, high):
            return float(middle)
        try:
            same = grows(middle) == first
        except FlatError:  # the stiffness passes through zero
            return _between_slopes(grows, low, middle, high)
        if same:
            low = middle
        else:
            high = middle


def _between_slopes(grows: Any, low: float, flat: float, high: float) -> float:
    """The middle of the values at which forces are too flat to tell."""
    ends = []
    for outside in (low, high):
        inside = flat
        while not _is_done(inside, outside):
            middle = 0.5 * (inside + outside)
            try:
                grows(middle)
            except FlatError:
                inside = middle
            else:
                outside = middle
        ends.append(inside)
    if abs(ends[1] - ends[0]) > FLAT_BETWEEN * max(map(abs, ends)):
        raise FlatError(
            f"stability_limit: forces are flat for all values from {ends[0]:.6g} to {ends[1]:.6g}, "
            "where the linear system does not tell"
        )
    return float(0.5 * (ends[0] + ends[1]))


def _is_done(low: float, high: float) -> bool:
    return 0.5 * (low + high) in (low, high) or abs(high - low) <= 4e-16 * max(abs(low), abs(high))


def _numbers(name: str, given: Any, size: int) -> Array:
    return np.zeros(size) if given is None else finite(f"stability_limit: {name}", given, size)


def _of(x: Any, value: float) -> Any:
    return x(value) if callable(x) else x


def _near(balance: Balance, q: Array, values: Array) -> Array:
    """The equilibrium near q, as parameters move it."""
    there = balance.settled(q, values)
    if there is None:
        raise EquilibriumError(
            f"stability_limit: no equilibrium of {balance.system.name!r} was found near {q}"
        )
    return there

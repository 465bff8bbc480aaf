"""LuGre's friction as a law that remembers its bristles: a controller whose numbers are their z.

ż = v - σ0 |v| z / g(v), F = σ0 z + σ1 ż + σ2 v. Where dry friction jumps at rest, bristles bend:
what is held gives way by f/σ0, and creeps where the load swings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_numeric, vector
from visviva.describe.model.friction import LuGre
from visviva.describe.values import leaves
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.motion.steps.law import Controller


def with_bristles(system: Any, laws: Mapping[str, Any], tau: Any = None) -> Controller:
    """Friction of joints, and what acts besides; `System.with_bristles` says what it takes."""
    places, bristles = _places(system, laws)
    inner = _inner(system, tau)
    n = len(places)

    def rates(v: Any, z: Any) -> list[Any]:
        pairs = zip(bristles, places, z, strict=True)
        return [law.deflection_rate(one, v[i]) for law, i, one in pairs]

    def law(t: Any, q: Any, v: Any, x: Any) -> Any:
        total = list(vector(_said(inner.law, t, q, v, x[n:], bool(inner.start))))
        if len(total) != system.nv:
            raise ShapeError(
                f"with_bristles: tau has {system.nv} forces, got {len(total)} from the law"
            )
        for rubbed, i, z in zip(bristles, places, x[:n], strict=True):
            total[i] = total[i] - rubbed.force(z, v[i])
        return total

    def rate(t: Any, q: Any, v: Any, x: Any) -> Any:
        more = () if inner.rate is None else _said(inner.rate, t, q, v, x[n:], True)
        return [*rates(v, x[:n]), *vector(more)]

    return Controller(law, start=(*[0.0] * n, *inner.start), rate=rate)


def _places(system: Any, laws: Any) -> tuple[list[int], list[LuGre]]:
    """Velocities that are rubbed, and the law of each."""
    if not isinstance(laws, Mapping) or not laws:
        raise ArgumentError(
            f"with_bristles: laws are LuGre objects by names of joints, got {laws!r:.80}"
        )
    places: list[int] = []
    bristles: list[LuGre] = []
    for name, law in laws.items():
        if name not in system.joint_slices:
            raise UnknownNameError("joint", name, system.joint_slices)
        if not isinstance(law, LuGre):
            raise ArgumentError(f"with_bristles: the law of {name!r} is a LuGre, got {law!r:.80}")
        if not is_numeric(list(leaves(law))):
            raise ArgumentError(f"with_bristles: the law of {name!r} is of numbers, not parameters")
        own = range(*system.joint_slices[name][1].indices(system.nv))
        if np.any(system.dry_friction[list(own)]):
            raise ArgumentError(
                f"with_bristles: joint {name!r} has dry friction of its own, and both would act: "
                f"with_friction({{{name!r}: 0.0}}) takes it away"
            )
        places += own
        bristles += [law] * len(own)
    return places, bristles


def _inner(system: Any, tau: Any) -> Controller:
    """What acts besides, as a controller."""
    if isinstance(tau, Controller):
        if tau.period is not None:
            raise ArgumentError(
                "with_bristles: friction acts at all times, and tau= has a period: bristles beside "
                "forces that are held are not available"
            )
        return tau
    if callable(tau):
        return Controller(tau)
    forces = np.zeros(system.nv) if tau is None else np.asarray(tau, dtype=float)
    if forces.shape != (system.nv,):
        raise ShapeError(f"with_bristles: tau is {system.nv} numbers, got shape {forces.shape}")
    return Controller(lambda t, q, v: forces)


def _said(f: Any, t: Any, q: Any, v: Any, x: Array, remembers: bool) -> Any:
    return f(t, q, v, x) if remembers else f(t, q, v)

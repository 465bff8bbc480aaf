"""Limits of joints that follow others: they hold for the joint that is followed.

Where a joint is m x + c, its range is a range of x too, and x has what all of them leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.algebra.arrays import is_numeric
from visviva.describe.model.body import Body, Limits, Mimic

ROUNDED = 1e-9  # of a limit: files round


def within_followers(bodies: Sequence[Body]) -> tuple[tuple[Body, ...], list[str]]:
    """Bodies whose joints stay within the limits of those that follow them; and what that changed.

    Ranges that leave no motion where each of them does contradict each other: the followed joint
    keeps its own, which is said. So it is of a coupling by symbols, whose limits are not known. A
    speed limit of zero is how files say that there is none.
    """
    made, notes = list(bodies), []
    place = {b.joint_name: i for i, b in enumerate(made)}
    for b in bodies:
        if b.mimic is None or (i := place.get(b.mimic.joint, -1)) < 0:
            continue
        source = made[i]
        if source.joint.nq == b.joint.nq and _is_limited(b.limits):
            limits, said = _within(source, b, b.mimic)
            made[i] = replace(source, limits=limits)
            notes += said
    return tuple(made), notes


def _within(source: Body, b: Body, mimic: Mimic) -> tuple[Limits, list[str]]:
    """The limits that are left to a joint by one that follows it."""
    own, theirs, name = source.limits, b.limits, source.joint_name
    if not is_numeric(np.array([mimic.multiplier, mimic.offset], dtype=object)):
        return own, [f"limits of {b.joint_name!r} are not carried over to {name!r}, which it "
                     "follows by a formula with symbols"]  # fmt: skip
    m, c = float(mimic.multiplier), float(mimic.offset)
    rule = f"{b.joint_name} = {m:g}·{name}" + (f" + {c:g}" if c else "")
    low, high = theirs.lower - c, theirs.upper - c
    if m == 0.0:
        outside = (low > 0.0).any() or (high < 0.0).any()
        return own, [f"{rule} is outside of its limits {_range(theirs)}"] if outside else []
    ends = (low / m, high / m) if m > 0 else (high / m, low / m)
    left = replace(own, lower=_nearer(own.lower, ends[0], 1), upper=_nearer(own.upper, ends[1], -1))
    speed = np.where(theirs.velocity > 0.0, theirs.velocity / abs(m), np.inf)
    fast = _nearer(own.velocity, speed, -1)
    notes = []
    if not (left.lower < left.upper).all() and (own.lower < own.upper).all():
        notes.append(f"limits {_range(theirs)} of {b.joint_name!r} contradict those of {name!r}, "
                     f"{_range(own)}, with {rule}: not carried over")  # fmt: skip
        left = own
    elif (left.lower != own.lower).any() or (left.upper != own.upper).any():
        notes.append(f"limits of {name!r} are {_range(left)}, not {_range(own)}: "
                     f"{rule} has {_range(theirs)}")  # fmt: skip
    if (fast != own.velocity).any():
        notes.append(f"the speed limit of {name!r} is {_listed(fast)}, not "
                     f"{_listed(own.velocity)}: {rule} has {_listed(theirs.velocity)}")  # fmt: skip
    return replace(left, velocity=fast), notes


def _nearer(own: Any, other: Any, sign: int) -> Any:
    """The tighter of two bounds, the own one where they are the same but for rounding."""
    slack = ROUNDED * np.maximum(1.0, np.abs(np.nan_to_num(own, posinf=0.0, neginf=0.0)))
    with np.errstate(invalid="ignore"):  # both infinite
        return np.where(sign * (other - own) > slack, other, own)


def _is_limited(limits: Limits) -> bool:
    return bool(np.isfinite([*limits.lower, *limits.upper, *limits.velocity]).any())


def _range(limits: Limits) -> str:
    pairs = zip(limits.lower, limits.upper, strict=True)
    return " ".join(f"[{low:.4g}, {high:.4g}]" for low, high in pairs)


def _listed(values: Any) -> str:
    return ", ".join(f"{x:.4g}" for x in values)

"""Ways to the solutions of a pose: closed form, that of the arm that was meant, elimination."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.equations.frames.chain import SerialChain
from visviva.solve.inverse.calibrated import Meant, meant
from visviva.solve.inverse.formulas import ClosedArm, closed_arm

Solved = tuple[Array, np.ndarray]  # θ (N, S, n) with nan for what there is not, and completeness

THOROUGH = 4  # poses of which roots far from real numbers are proved with many digits


@dataclass(frozen=True)
class Method:
    """A name for people, and targets -> θ of all solutions, and where these are all there are."""

    name: str
    solve: Callable[[Array], Solved]
    is_checked: bool = False  # fewer joints than numbers: poses are met by chance
    is_closed: bool = False  # a closed form, whose branches may end at single poses


def method_of(model: Model, chain: SerialChain, task: str) -> Method | None:
    """How the positions of a chain are found; None where only a search is left."""
    arm = closed_arm(model, chain.frame, task)
    if arm is not None:
        return Method(arm.family.name, lambda X: _closed(arm, X), arm.family.is_checked, True)
    known: dict[Any, Method | None] = model.__dict__.setdefault("_inverse_methods", {})
    key = chain.frame, task
    if key not in known:
        known[key] = _other(chain, task)
    return known[key]


def _other(chain: SerialChain, task: str) -> Method | None:
    near = meant(chain, task)
    is_six = task == "pose" and chain.letters == "RRRRRR" and chain.is_independent
    if near is not None:
        name = f"calibrated {near.family.name}"
        if is_six:
            return Method(f"{name}, and elimination", lambda X: _both(near, X))
        return Method(name, lambda X: (near.branches(X), np.zeros(len(X), dtype=bool)))
    if is_six:
        return Method("general 6R, by elimination", lambda X: _eliminated(chain, X))
    return None


def _closed(arm: ClosedArm, X: Array) -> Solved:
    q = arm.function(X)[..., list(arm.chain.index)]
    proved = np.full(len(X), arm.family.plan.is_proved)
    return q * arm.chain.coefficient + arm.chain.offset, proved


def _eliminated(chain: SerialChain, X: Array) -> Solved:
    from visviva.solve.elimination import six_revolute

    found = six_revolute.all_solutions(chain, X, thorough=len(X) <= THOROUGH)
    return found.q, found.is_complete


def _both(near: Meant, X: Array) -> Solved:
    """The branches of the arm that was meant, and what elimination finds, side by side."""
    theta, complete = _eliminated(near.chain, X)
    return np.concatenate([theta, near.branches(X)], axis=1), complete

"""Ways to the solutions of a pose: closed form, that of the arm that was meant, elimination."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
    branches: int = 0  # of a closed form; they may end at single poses


def method_of(model: Model, chain: SerialChain, task: str) -> Method | None:
    """How the positions of a chain are found; None where only a search is left."""
    arm = closed_arm(model, chain.frame, task)
    if arm is not None:
        family = arm.family
        return Method(family.name, lambda X: _closed(arm, X), family.is_checked, family.branches)
    return _other(chain, task)


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
    q = np.take(arm.function(X), arm.chain.index, axis=-1)  # in one piece, as compiled code has it
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

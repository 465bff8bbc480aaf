"""`Family`: the closed form of an arm for a task, found from how its axes lie, and tried out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.generic import less, where
from visviva.equations.frames.chain import SerialChain
from visviva.solve.inverse.closed.axes import JointAxis, axes_of, size_of
from visviva.solve.inverse.closed.families import to_pose
from visviva.solve.inverse.closed.naming import name_of
from visviva.solve.inverse.closed.plans import OneBranch, Plan
from visviva.solve.inverse.closed.points import to_point
from visviva.solve.inverse.closed.subproblems import Turn
from visviva.space.poses import Pose

TASKS = {"pose": 6, "position": 3}  # and how many numbers each prescribes
TRIALS = 4  # random positions at which a plan must find the one it started from
AGREES = 1e-6  # in radians, or of the arm's size
MET = 1e-9  # radians, and of the arm's size: how near a target is met where that is tested


@dataclass(frozen=True, eq=False)
class Family:
    """All branches of the inverse kinematics of a chain, in closed form."""

    name: str
    task: str
    chain: SerialChain
    plan: Plan
    is_checked: bool  # whether a branch meets the task is tested: joints are too few, or doubtful

    @property
    def branches(self) -> int:
        """How many there are, counted with those that do not exist for a target."""
        return self.plan.branches

    def angles(self, target: Any) -> Array:
        """θ (branches, n) for a pose (4, 4) or a position (3,), over scalars of any kind."""
        chain, X = self.chain, vector(target)
        if self.task == "position":
            found = self.plan.run(chain.home.p, X)
        else:
            found = self.plan.run(Pose.of(X[:3, :3], X[:3, 3]) @ chain.home.inverse())
        rows = [_values(x, len(chain)) for x in found]
        if self.is_checked:
            rows = [self._met(row, X) for row in rows]
        return vector(rows).reshape(-1, len(chain))

    def _met(self, theta: list[Any], X: Array) -> list[Any]:
        """The same, or nan where it is not what was asked for."""
        at, size = self.chain.pose(theta), size_of(self.chain)
        off = at.p - (X if self.task == "position" else X[:3, 3])
        miss = off @ off / (size * size)
        if self.task == "pose":
            turn = (at.R - X[:3, :3]).ravel()
            miss = miss + turn @ turn
        good = less(miss, MET * MET)
        return [where(good, x, np.nan) for x in theta]


def recognised(chain: SerialChain, task: str, numbers: SerialChain | None = None) -> Family | None:
    """The closed form of a chain, if it has one that we know.

    `numbers` is the same chain with values, if it has expressions: its axes must lie as they do for
    any values, or the formulas would be of one arm only.
    """
    known = chain if numbers is None else numbers
    if not known.is_independent or not len(known):
        return None
    for k, plan in enumerate(_plans(axes_of(known), task)):
        if not _holds(known, task, plan):
            continue
        if numbers is not None:
            plan = [*_plans(axes_of(chain, numbers), task)][k]
        is_checked = len(chain) < TASKS[task] or not plan.is_proved
        return Family(name_of(axes_of(known), plan), task, chain, plan, is_checked)
    return None


def _plans(axes: list[JointAxis], task: str) -> Iterable[Plan]:
    return to_point(axes) if task == "position" else to_pose(axes)


def _values(found: OneBranch, n: int) -> list[Any]:
    return [x.angle if isinstance(x, Turn) else x for x in (found[i] for i in range(n))]


def _holds(chain: SerialChain, task: str, plan: Plan) -> bool:
    """Whether the plan finds positions again: one that a joint escapes does not."""
    rng = np.random.default_rng(0)
    n, size = len(chain), size_of(chain)
    turns = np.array([letter == "R" for letter in chain.letters])
    for _ in range(TRIALS):
        theta = rng.uniform(-3.0, 3.0, n) * np.where(turns, 1.0, size)
        X = chain.pose(theta)
        with np.errstate(all="ignore"):
            family = Family("", task, chain, plan, False)
            found = family.angles(X.p if task == "position" else X.matrix()).astype(float)
        off = found - theta
        off = np.where(turns, np.abs(np.angle(np.exp(1j * off))), np.abs(off) / size)
        if not np.any(np.nan_to_num(off, nan=np.inf).max(axis=1) < AGREES):
            return False
    return True

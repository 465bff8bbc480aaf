"""Arms whose axes are a little off parallel, or off a common point, as measuring them shows.

They have lost their closed form, but the arm that was meant has it: its branches are where Newton's
method begins on the true chain. Elimination knows how many solutions there must be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.frames.chain import REVOLUTE, SerialChain
from visviva.machine.function import Function, function
from visviva.solve.inverse.checks.checking import Checker
from visviva.solve.inverse.closed.axes import size_of
from visviva.solve.inverse.closed.recognition import Family, recognised
from visviva.solve.inverse.closed.subproblems import wide_border

MEASURED_OFF = 1e-3  # radians, and of the arm's size: what calibration moves axes by
STEPS_ON = 12  # Newton steps from the branches of the arm that was meant


@dataclass(frozen=True, eq=False)
class Meant:
    """The closed form of the arm that was meant, and the chain that it is."""

    family: Family
    chain: SerialChain
    function: Function

    def branches(self, X: Array) -> Array:
        """θ (N, S, n) on the true chain; nan where Newton's method does not arrive."""
        N = len(X)
        start = self.function(X)
        n = start.shape[-1]
        theta, goal = start.reshape(-1, n), np.repeat(X, start.shape[1], axis=0)
        there = np.isfinite(theta).all(axis=1)
        checker = Checker(self.chain, self.family.task)
        found = np.full_like(theta, np.nan)
        found[there] = checker.polished(theta[there], goal[there], STEPS_ON)
        solutions: Array = found.reshape(N, -1, n)
        return solutions


def meant(chain: SerialChain, task: str) -> Meant | None:
    """The arm with a closed form from which a chain is a little off; None if there is none."""
    for ideal in _ideals(chain):
        family = recognised(ideal, task)
        if family is not None and not family.is_checked:
            shape = 3 if task == "position" else (4, 4)
            with wide_border(10.0 * MEASURED_OFF):  # what it reaches ends a little elsewhere
                run = function(family.angles, {"target": shape}, name="branches_of_the_arm_meant")
            return Meant(family, chain, run)
    return None


def _ideals(chain: SerialChain) -> Iterator[SerialChain]:
    """Chains with parallel axes made parallel, and near axes made to meet, in several ways."""
    if not len(chain) or not chain.is_independent:
        return
    straight = replace(chain, axes=_straightened(chain))
    n = len(chain)
    for group in ((n - 3, n - 2, n - 1), (0, 1, 2), (n - 2, n - 1), (0, 1)):
        if group[0] < 0 or len(set(group)) < len(group):
            continue
        points = _joined(straight, group)
        if points is not None:
            yield replace(straight, points=points)
            for pair in ((0, 1), (1, 2)):
                more = None if set(pair) & set(group) else _joined(straight, pair, points)
                if more is not None:
                    yield replace(straight, points=more)
    yield straight


def _straightened(chain: SerialChain) -> Array:
    """Neighbouring axes that are nearly parallel, all in the direction of their mean."""
    axes = np.array(chain.axes, dtype=float)
    start = 0
    for k in range(1, len(axes) + 1):
        if k < len(axes) and np.linalg.norm(np.cross(axes[k - 1], axes[k])) <= MEASURED_OFF:
            continue
        group = axes[start:k]
        signs = np.sign(group @ group[0])
        mean = (group * signs[:, None]).sum(axis=0)
        axes[start:k] = signs[:, None] * mean / np.linalg.norm(mean)
        start = k
    return axes


def _joined(chain: SerialChain, group: Sequence[int], points: Array | None = None) -> Array | None:
    """Points of the axes, with those of a group at the one to which they come nearest."""
    if any(chain.kinds[k] != REVOLUTE for k in group):
        return None
    at = np.array(chain.points if points is None else points, dtype=float)
    across = [np.eye(3) - np.outer(chain.axes[k], chain.axes[k]) for k in group]
    rows = np.concatenate(across)
    here = np.concatenate([n @ at[k] for n, k in zip(across, group, strict=True)])
    point, _, rank, _ = np.linalg.lstsq(rows, here, rcond=1e-3)
    if rank < 3 or np.abs(rows @ point - here).max() > MEASURED_OFF * size_of(chain):
        return None
    at[list(group)] = point
    return at

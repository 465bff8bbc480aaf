"""Positions that are not alone: joints that may move while the frame stays where it is.

At a singular position a direction of motion is not seen by the frame. Whether joints can go on in
it is tried: a step along it, and Newton's steps back to the target. Of a stretched arm they come
back to where they were; of a wrist whose outer axes are in line they do not. Positions by thousands
are tried together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.frames.chain import SerialChain
from visviva.solve.inverse.checks.checking import Checker

STILL = 1e-6  # singular values of directions that the frame may not see: these are tried
NUDGE = 0.05  # how far joints are tried to move, in radians or sizes of the arm; and a tenth of it
STAYS = 1e-11  # radians, and sizes of the arm: the frame is where it was
MOVES = 1e-4  # what a joint must move by to be called free
STRIDE = 0.1  # from one position of a continuum to the next
MOST = 200  # strides
ONE_LINE = 1e-9  # twists of joints about one line
BACK = 18  # Newton steps back to the target; where it is a double root they halve what is left
HELD_STEPS = 12  # and of those that leave one joint where it is


@dataclass(frozen=True, eq=False)
class Freedom:
    """What may move at positions (M, n) while the frame stays."""

    joints: np.ndarray  # (M, n): which joints
    is_unclear: np.ndarray  # (M,): several directions are not seen, and trials settle nothing
    steps: tuple[Array, ...]  # of each position (k, n): small steps that lead to others

    @property
    def any(self) -> np.ndarray:
        """Which positions are not alone (M,)."""
        return np.asarray(self.joints.any(axis=1))


def freedom(checker: Checker, theta: Array, targets: Array) -> Freedom:
    """Of positions θ (M, n), each with its target.

    Directions that are not seen are tried, and every joint's own, as far as it is not seen: where
    there are several, a continuum may go along some of them only.
    """
    M, n = theta.shape
    V, unseen = _directions(checker, theta)
    seen_by_none = np.swapaxes(V * unseen[..., None], 1, 2) @ V  # projects onto what is not seen
    sizes = np.linalg.norm(seen_by_none, axis=2)
    own = seen_by_none / np.where(sizes > 0.1, sizes, 1.0)[..., None]
    pairs, are_pairs = in_line(checker.chain, theta)
    tried = np.concatenate([pairs, V, own], axis=1)
    row, which = np.nonzero(np.concatenate([are_pairs, unseen, sizes > 0.1], axis=1))
    steps = np.concatenate([tried[row, which], -tried[row, which]]) * NUDGE
    row = np.concatenate([row, row])
    near = _moved(checker, theta[row], targets[row], 0.1 * steps)
    on = np.isfinite(near).all(axis=1)
    row, near = row[on], near[on]
    far = _moved(checker, theta[row], targets[row], steps[on])
    on = np.isfinite(far).all(axis=1)
    row, near, far = row[on], near[on], far[on]
    joints = ((pairs != 0.0) & are_pairs[..., None]).any(axis=1)
    np.logical_or.at(joints, row, np.abs(far) > MOVES)
    parts = tuple(near[row == m] for m in range(M)) if len(row) else (np.zeros((0, n)),) * M
    return Freedom(joints, unseen.sum(axis=1) > 1, parts)


def in_line(chain: SerialChain, theta: Array) -> tuple[Array, np.ndarray]:
    """Of each two joints a step (M, k, n) in which one turns against the other.

    And whether the frame does not see it (M, k): both move it in the same way, as on one line.
    """
    J = chain.jacobian(theta)
    sizes = np.maximum(np.linalg.norm(J[:, :3], axis=1), np.linalg.norm(J[:, 3:], axis=1))
    J = J / np.maximum(sizes, 1e-300)[:, None]
    first, second = np.triu_indices(theta.shape[1], 1)
    a, b = J[..., first], J[..., second]
    same, opposite = (np.abs(a + sign * b).max(axis=1) < ONE_LINE for sign in (-1.0, 1.0))
    steps = np.zeros((len(theta), len(first), theta.shape[1]))
    pair = np.arange(len(first))
    steps[:, pair, first] = 1.0 / np.maximum(sizes[:, first], 1e-300)
    steps[:, pair, second] = np.where(same, -1.0, 1.0) / np.maximum(sizes[:, second], 1e-300)
    steps /= np.linalg.norm(steps, axis=2, keepdims=True)
    return steps, same | opposite


def _moved(checker: Checker, theta: Array, targets: Array, steps: Array) -> Array:
    """Where steps and Newton's steps after them lead, from θ on; nan if back, or nowhere."""
    if not len(steps):
        return steps
    at = checker.polished(theta + steps, targets, BACK)
    left = np.abs(checker.error(at, targets)).max(axis=-1, initial=0.0)
    off = at - theta
    moved = np.abs(off).max(axis=-1) > 0.1 * np.abs(steps).max(axis=-1)
    return np.where(((left <= STAYS) & moved)[:, None], off, np.nan)


def brought_to(
    checker: Checker, theta: Array, targets: Array, joint: np.ndarray, values: Array
) -> Array:
    """Positions (M, n) of continua at which a joint of each has a value, or nearest to it."""
    theta = np.array(theta)
    active = np.arange(len(theta))
    for _ in range(MOST):
        active = active[theta[active, joint[active]] != values[active]]
        if not len(active):
            break
        at, k, rows = theta[active], joint[active], np.arange(len(active))
        step = np.clip(values[active] - at[rows, k], -STRIDE, STRIDE)
        V, unseen = _directions(checker, at)
        along = np.where(unseen, np.abs(np.take_along_axis(V, k[:, None, None], 2)[..., 0]), 0.0)
        best = V[rows, along.argmax(axis=1)]
        goes_on = along.max(axis=1) >= 1e-3
        rate = np.where(goes_on, best[rows, k], 1.0)
        there, met = _held(checker, at + best * (step / rate)[:, None], targets[active], k)
        there[rows, k] = at[rows, k] + step
        goes_on &= met
        theta[active[goes_on]] = there[goes_on]
        active = active[goes_on]
    return theta


def _directions(checker: Checker, theta: Array) -> tuple[Array, np.ndarray]:
    """Directions of motion (M, n, n), and which of them the frame does not see (M, n)."""
    J = checker.rows(theta)
    _, sizes, V = np.linalg.svd(J)
    rest = theta.shape[1] - sizes.shape[1]
    return V, np.pad(sizes, ((0, 0), (0, max(rest, 0))))[:, : theta.shape[1]] <= STILL


def _held(
    checker: Checker, theta: Array, targets: Array, joint: np.ndarray
) -> tuple[Array, np.ndarray]:
    """Newton's steps back to the targets that leave a joint of each alone; and which get there."""
    free = np.arange(theta.shape[1]) != joint[:, None]
    at = theta
    for _ in range(HELD_STEPS):
        left = checker.error(at, targets)
        if np.abs(left).max(initial=0.0) < 1e-15:
            break
        J = checker.rows(at) * free[:, None]
        at = at + free * (np.linalg.pinv(J, rcond=1e-7) @ left[..., None])[..., 0]
    return at, np.abs(checker.error(at, targets)).max(axis=1, initial=0.0) <= STAYS

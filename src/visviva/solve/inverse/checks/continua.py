"""Positions that are not alone: joints that may move while the frame stays where it is.

At a singular position a direction of motion is not seen by the frame. Whether joints can go on in
it is tried: a step along it, and Newton's steps back to the target. Of a stretched arm they come
back to where they were; of a wrist whose outer axes are in line they do not.
"""

from __future__ import annotations

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


def free_joints(checker: Checker, theta: Array, target: Array) -> np.ndarray:
    """Which joints (n,) may move while the frame stays.

    Directions that are not seen are tried, and every joint's own, as far as it is not seen: where
    there are several, a continuum may go along some of them only.
    """
    unseen = np.array(_unseen(checker, theta)).reshape(-1, len(theta))
    own = [v / np.linalg.norm(v) for v in unseen.T @ unseen if np.linalg.norm(v) > 0.1]
    directions = np.array([*unseen, *own]).reshape(-1, len(theta))
    steps = np.concatenate([directions, -directions]) * NUDGE
    far, near = (_moved(checker, theta, target, x * steps) for x in (1.0, 0.1))
    goes_on = np.isfinite(far).all(axis=-1) & np.isfinite(near).all(axis=-1)
    return np.asarray((np.abs(far[goes_on]) > MOVES).any(axis=0) | in_line(checker.chain, theta))


def in_line(chain: SerialChain, theta: Array) -> np.ndarray:
    """Which joints (n,) move as another one does: two on one line turn against each other."""
    J = chain.jacobian(theta)
    J = J / np.maximum(np.linalg.norm(J[:3], axis=0), np.linalg.norm(J[3:], axis=0))
    own = np.zeros(J.shape[1], dtype=bool)
    for sign in (1.0, -1.0):
        gaps = np.abs(J[:, :, None] - sign * J[:, None, :]).max(axis=0)
        same = (gaps < ONE_LINE) & ~np.eye(len(own), dtype=bool)
        own |= same.any(axis=0)
    return own


def is_unclear(checker: Checker, theta: Array) -> bool:
    """Whether several directions are not seen: then trials along some of them settle nothing."""
    return len(_unseen(checker, theta)) > 1


def _moved(checker: Checker, theta: Array, target: Array, steps: Array) -> Array:
    """Where steps and Newton's steps after them lead, from θ on; nan if back, or nowhere."""
    goal = np.broadcast_to(target, (len(steps), *np.shape(target)))
    at = checker.polished(theta + steps, goal, BACK)
    left = np.abs(checker.error(at, goal)).max(axis=-1, initial=0.0)
    off = at - theta
    moved = np.abs(off).max(axis=-1) > 0.1 * np.abs(steps).max(axis=-1)
    return np.where(((left <= STAYS) & moved)[:, None], off, np.nan)


def brought_to(checker: Checker, theta: Array, target: Array, joint: int, value: float) -> Array:
    """The position of the continuum at which a joint has a value, or nearest to it on the way."""
    for _ in range(MOST):
        left = value - theta[joint]
        if left == 0.0:
            break
        step = np.clip(left, -STRIDE, STRIDE)
        tangents = _unseen(checker, theta)
        best = max(tangents, key=lambda v: abs(v[joint]), default=None)
        if best is None or abs(best[joint]) < 1e-3:
            break
        e = np.zeros(len(theta))
        e[joint] = 1.0
        there = _held(checker, theta + best * (step / best[joint]), target, e)
        if there is None:
            break
        there[joint] = theta[joint] + step
        theta = there
    return theta


def _unseen(checker: Checker, theta: Array) -> list[Array]:
    J = checker.rows(theta)
    _, sizes, V = np.linalg.svd(J)
    sizes = np.concatenate([sizes, np.zeros(len(V) - len(sizes))])
    return [V[k] for k in range(len(V)) if sizes[k] <= STILL]


def _held(checker: Checker, theta: Array, target: Array, v: Array) -> Array | None:
    """Newton's steps across v back to the target; None if they do not get there."""
    across = np.eye(len(v)) - np.outer(v, v)
    at = theta
    for _ in range(12):
        J = checker.rows(at) @ across
        at = at + across @ (np.linalg.pinv(J, rcond=1e-7) @ checker.error(at, target))
    return None if np.abs(checker.error(at, target)).max() > STAYS else np.asarray(at)

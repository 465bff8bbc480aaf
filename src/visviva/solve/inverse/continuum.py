"""Solutions that are not alone: the curves of positions on which a frame stays at its pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.equations.frames.chain import SerialChain
from visviva.errors import ArgumentError
from visviva.numerics.intervals import TURN
from visviva.solve.inverse.checks.checking import Checker
from visviva.solve.inverse.checks.continua import freedom
from visviva.solve.inverse.closed.recognition import TASKS
from visviva.solve.inverse.targets import carrying
from visviva.solve.numeric.newton import newton_of
from visviva.solve.rates.self_motion import SelfMotion, self_motion
from visviva.solve.rates.slopes import Slopes

BESIDE_OTHERS = 0.2  # of a step of length one: what is left of it beside others
ON_CURVE = 1e-6  # radians and metres: a position so near to a curve is on it
ON_A_SURFACE = 120  # steps of a curve, each way, where it is one of many


def continua(model: Model, frame: str, task: str, q: Array) -> tuple[SelfMotion, ...]:
    """Curves through positions (S, nq): one for each direction in which a frame stays."""
    numbers: Model = model.numeric
    curves: list[SelfMotion] = []
    for at, directions in zip(q, _directions(numbers, frame, task, q), strict=True):
        if len(directions) == 1 and any(is_on(curve, at) for curve in curves):
            continue  # two solutions, one continuum
        how: dict[str, Any] = {"most": ON_A_SURFACE} if len(directions) > 1 else {}
        for direction in directions:
            try:
                curves.append(
                    self_motion(numbers, frame, at, task=task, direction=direction, **how)
                )
            except ArgumentError:  # the direction is that of a singular position alone
                continue
    return tuple(curves)


def is_on(curve: SelfMotion, q: Array) -> bool:
    """Whether a curve goes through a position, whole turns aside."""
    circular = curve.newton.circular

    def away(points: Array) -> Array:
        off = points - q
        off[:, circular] -= TURN * np.round(off[:, circular] / TURN)
        return np.asarray(np.abs(off).max(axis=1))

    k = int(np.argmin(away(curve.curve.q)))
    s = curve.curve.s
    low, high = float(s[max(k - 1, 0)]), float(s[min(k + 1, len(s) - 1)])
    for _ in range(6):
        places = np.linspace(low, high, 21)
        k = int(np.argmin(away(curve.q(places))))
        low, high = float(places[max(k - 1, 0)]), float(places[min(k + 1, 20)])
    return float(away(curve.q([(low + high) / 2]))[0]) < ON_CURVE


def _directions(model: Model, frame: str, task: str, q: Array) -> list[Array]:
    """Of each position velocities (k, nv), independent of each other, that may leave the frame."""
    newton = newton_of(model, frame, task)
    if task not in TASKS:
        _, A = newton.slope(q)
        free = np.swapaxes(Slopes.of(A).free, 1, 2)
        whole = np.zeros((*free.shape[:2], model.nv))
        whole[..., newton.reach.moving] = free
        return [x[np.abs(x).max(axis=1) > 0.0] for x in whole]
    chain = carrying(SerialChain.of(model, frame), task)
    checker, theta = Checker(chain, task), chain.angles(q)
    R, p = chain.poses(theta)
    X = np.tile(np.eye(4), (len(q), 1, 1))
    X[:, :3, :3], X[:, :3, 3] = R, p
    found = freedom(checker, theta, p if task == "position" else X)
    place = {k: v for v, k in newton.reach.limited.items()}
    rows = []
    for steps in found.steps:
        motions = np.zeros((len(steps), model.nv))
        for k, index in enumerate(chain.index):
            motions[:, place[index]] = steps[:, k] / chain.coefficient[k]
        rows.append(_independent(motions))
    return rows


def _independent(steps: Array) -> Array:
    """Of steps (k, n) those that others before them do not make up, of length one.

    The first joint that moves goes forward.
    """
    kept: list[Array] = []
    for step in steps:
        rest = step / np.linalg.norm(step)
        for other in kept:
            rest = rest - other * (other @ rest)
        if np.linalg.norm(rest) > BESIDE_OTHERS:
            moves = np.abs(rest) > 1e-3 * np.abs(rest).max()
            kept.append(rest / np.linalg.norm(rest) * np.sign(rest[moves.argmax()]))
    return np.array(kept).reshape(-1, steps.shape[1])

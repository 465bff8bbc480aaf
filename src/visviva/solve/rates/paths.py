"""Paths of a frame: poses along a share of the way from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, float_array
from visviva.errors import ArgumentError, ShapeError
from visviva.space.poses import Pose, exp, log


@dataclass(frozen=True, eq=False)
class TipPath:
    """Shares of the way (K,) at which positions are wanted, and the pose at any share."""

    shares: Array
    at: Callable[[float], Array]  # (4, 4)
    is_smooth: bool  # whether it does not turn at its samples


_POINTS = (  # what is said of points
    "; of points it is model.follow(frame, [vv.Pose(p=x) for x in points], q0, task='position')"
)


def tip_path(path: Any, samples: int) -> TipPath:
    """From poses (K, 4, 4), or from a function of the share of the way."""
    if callable(path):
        if not isinstance(samples, int) or samples < 2:
            raise ArgumentError(f"samples is a whole number from 2 on, got {samples!r}")

        def at(share: float) -> Array:
            given = path(share)
            try:
                return finite_pose(given)
            except (TypeError, ValueError) as problem:
                raise type(problem)(f"the path at {share:.6g} of the way: {problem}") from None

        return TipPath(np.linspace(0.0, 1.0, samples), at, True)
    X = float_array(path)
    if X.ndim != 3 or X.shape[1:] != (4, 4) or len(X) < 2:
        raise ShapeError(
            "a path is poses (K, 4, 4), two at least, or a function of the share of the way; got "
            f"shape {X.shape}" + (_POINTS if X.ndim == 2 and X.shape[1] == 3 else "")
        )
    poses = [Pose.from_matrix(finite_pose(x)) for x in X]
    steps = [log(a.inverse() @ b) for a, b in pairwise(poses)]
    shares = np.linspace(0.0, 1.0, len(X))

    def between(share: float) -> Array:
        k = min(int(np.searchsorted(shares, share, side="right")) - 1, len(steps) - 1)
        part = (share - shares[k]) * len(steps)
        return np.asarray((poses[k] @ exp(steps[k] * part)).matrix())

    return TipPath(shares, between, False)


def finite_pose(X: Any) -> Array:
    """A pose of finite numbers (4, 4)."""
    matrix = float_array(X)
    if matrix.shape != (4, 4):
        raise ShapeError(f"a pose is 4 × 4, got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ArgumentError(f"a pose is of finite numbers, got {matrix.tolist()}")
    return Pose.from_matrix(matrix).matrix()

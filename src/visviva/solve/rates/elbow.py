"""The elbow angle of an arm with a shoulder, an elbow and a wrist: S-R-S, as the human arm.

Shoulder S, where the first three axes meet, and wrist W, where the last three do, stay where they
are while the elbow E turns about the line between them. Its angle is counted about that line, from
S to W, beginning where E is lowest, or, where the line is vertical, farthest along x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray
from visviva.describe.model.model import Model
from visviva.equations.frames.chain import SerialChain, turns
from visviva.errors import ArgumentError

MEET = 1e-9  # of the distances between axes: how far from a point axes may pass


@dataclass(frozen=True, eq=False)
class Elbow:
    """S, E and W at q = 0, and the axes that move them."""

    chain: SerialChain
    shoulder: FloatArray
    elbow: FloatArray
    wrist: FloatArray

    @classmethod
    def of(cls, model: Model, frame: str) -> Elbow:
        """Of the way to a frame; refused where it is not S-R-S."""
        chain = SerialChain.of(model.numeric, frame)
        why = "" if chain.letters == "RRRRRRR" else f"its joints are {chain.letters or 'none'}"
        if not why:
            S, E, W = (_meeting(chain, part) for part in ([0, 1, 2], [2, 3], [4, 5, 6]))
            missing = {"shoulder": S, "elbow": E, "wrist": W}
            why = ", ".join(f"no {name}" for name, at in missing.items() if at is None)
            if S is not None and E is not None and W is not None:
                return cls(chain, S, E, W)
        raise ArgumentError(
            "an elbow angle is that of seven revolute joints of which the first three meet in a "
            "shoulder, the third and fourth in an elbow, the last three in a wrist; on the way to "
            f"{frame!r} of {model.name!r}: {why}"
        )

    def points(self, q: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
        """S, E and W (…, 3) at positions (…, nq)."""
        theta = self.chain.angles(np.asarray(q, dtype=float))
        S = np.broadcast_to(self.shoulder, (*theta.shape[:-1], 3))
        return S, self._moved(self.elbow, theta, 3), self._moved(self.wrist, theta, 4)

    def angle(self, q: Any) -> FloatArray:
        """(…,) at positions (…, nq), in (-π, π]."""
        S, E, W = self.points(q)
        line = W - S
        line = line / np.linalg.norm(line, axis=-1, keepdims=True)
        zero = np.where(np.abs(line[..., 2:]) > 1 - 1e-12, [1.0, 0.0, 0.0], [0.0, 0.0, -1.0])
        zero = zero - (zero * line).sum(axis=-1, keepdims=True) * line
        across = np.cross(line, zero)
        sine, cosine = ((x * (E - S)).sum(axis=-1) for x in (across, zero))
        return np.asarray(np.arctan2(sine, cosine))

    def _moved(self, point: FloatArray, theta: FloatArray, joints: int) -> FloatArray:
        """A point of the body that the first joints carry."""
        at = np.broadcast_to(point, (*theta.shape[:-1], 3))
        for i in reversed(range(joints)):
            on = self.chain.points[i]
            turn = turns(self.chain.axes[i], theta[..., i])
            at = on + (turn @ (at - on)[..., None])[..., 0]
        return at


def _meeting(chain: SerialChain, axes: list[int]) -> Array | None:
    """The point through which axes go, at q = 0; None if there is none."""
    h, p = chain.axes[axes], chain.points[axes]
    across = np.eye(3) - h[:, :, None] * h[:, None, :]
    G = across.sum(axis=0)
    if np.linalg.cond(G) > 1e12:
        return None  # parallel
    point = np.linalg.solve(G, (across @ p[:, :, None])[:, :, 0].sum(axis=0))
    off = np.abs((across @ (point - p)[:, :, None])[:, :, 0]).max()
    size = max(float(np.abs(chain.points - chain.points[0]).max()), 1e-300)
    return np.asarray(point) if off <= MEET * size else None

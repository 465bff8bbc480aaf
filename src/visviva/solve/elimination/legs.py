"""Six legs of variable length between the world and a platform, read off a model.

A leg stands on a ball or a universal joint that is fixed to the world, slides along a line through
it, and a loop with a ball joint holds the platform at its end: vv.catalog.stewart(), and what is
built like it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.constraints.loop import Loop
from visviva.describe.joints.joint import SHIFTING, Joint
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError
from visviva.space.poses import Pose

_ALONG = 1e-9  # what a leg's end may be beside the line along which it slides


@dataclass(frozen=True, eq=False)
class SixLegs:
    """Points on base and platform, and the sliding joints: length = |position + offset|."""

    platform_body: str
    joints: tuple[str, ...]
    base: Array  # (6, 3) in the world
    platform: Array  # (6, 3) in the platform's frame
    offset: Array  # (6,)

    @classmethod
    def of(cls, model: Model) -> SixLegs:
        """Those of a model; refused where it is built otherwise."""
        m = model.numeric
        loops = [x for x in m.constraints if isinstance(x, Loop)]
        rows = [row for x in loops if (row := _leg(m, x)) is not None]
        platforms = {row[0] for row in rows}
        if len(rows) != 6 or len(loops) != 6 or len(platforms) != 1:
            raise ArgumentError(
                f"{model.name!r} is no platform on six sliding legs: of {len(loops)} loops "
                f"{len(rows)} hold a body by a leg that slides on a ball or universal joint at the "
                f"world ({', '.join(row[1] for row in rows) or 'none'})"
            )
        _, joints, base, platform, offset = zip(*rows, strict=True)
        (body,) = platforms
        return cls(body, joints, *(np.array(x, dtype=float) for x in (base, platform, offset)))

    def lengths(self, positions: Any) -> Array:
        """Of legs, from positions of the sliding joints (…, 6)."""
        return np.asarray(np.abs(np.asarray(positions, dtype=float) + self.offset))


def _leg(m: Model, loop: Loop) -> tuple[str, str, Array, Array, float] | None:
    """The platform, the sliding joint, both ends and the offset of a leg; None if it is none."""
    if not isinstance(loop.joint, Joint) or not _is_ball(loop.joint, 3):
        return None
    for name, other in (loop.frames, loop.frames[::-1]):
        held, end = m.frame(name), m.frame(other)
        slide, X = _unfixed(m, end.body, end.placement)
        body = m.bodies[slide]
        made_of = body.joint.motions or ()
        if slide == WORLD or [x[0] for x in made_of] != [SHIFTING]:
            continue
        foot, Y = _unfixed(m, body.parent, body.placement)
        if foot == WORLD or not _is_ball(m.bodies[foot].joint, 2):
            continue
        ground, Z = _unfixed(m, m.bodies[foot].parent, m.bodies[foot].placement)
        axis = made_of[0][1]
        start = Y.R.T @ Y.p + X.p  # the end where the slide is at zero, in its own axes
        beside = start - axis * (axis @ start)
        if ground != WORLD or np.abs(beside).max() > _ALONG:
            continue
        return m.bodies[held.body].name, body.joint_name, Z.p, held.placement.p, float(axis @ start)
    return None


def _is_ball(joint: Joint, least: int) -> bool:
    """Whether a joint turns about a point in so many ways or more, and does nothing else."""
    return joint.keeps_origins and joint.nv >= least


def _unfixed(m: Model, body: int, X: Pose) -> tuple[int, Pose]:
    """The same place, on the first body towards the world that a joint moves."""
    while body != WORLD and not m.bodies[body].joint.nv:
        X, body = m.bodies[body].placement @ X, m.bodies[body].parent
    return body, X

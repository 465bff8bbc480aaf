"""Two frames joined by a joint or another closure, where they are joined already: a loop.

Examples:
    >>> from visviva.describe.joints.free import Spherical
    >>> print(Loop("knee", "thigh_end", "shin_end", Spherical()))
    'knee' keeps the origins of 'thigh_end' and 'shin_end' together
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from visviva.algebra.arrays import Array, is_numeric
from visviva.describe.constraints.constraint import NEAR, Constraint
from visviva.describe.joints.closure import Closure
from visviva.describe.values import PLAIN
from visviva.errors import ArgumentError
from visviva.space.poses import Pose, exp


@dataclass(frozen=True, eq=False)
class Loop(Constraint):
    """`joint` holds between frame1 and frame2 as one between parent and child does.

    Its wrenches act on the body of frame2, in axes of frame2 at its origin, and their opposites on
    that of frame1. `torquescale` weighs turning in MuJoCo's soft weld, and nothing else.
    """

    name: str
    frame1: str
    frame2: str
    joint: Closure
    active: bool = True
    torquescale: float = field(default=1.0, metadata=PLAIN)

    def __post_init__(self) -> None:
        if not isinstance(self.joint, Closure):
            raise ArgumentError(
                f"loop {self.name!r} is closed by a joint or another closure, "
                f"got {type(self.joint).__name__}"
            )
        if not self.joint.position_rows + self.joint.velocity_rows:
            raise ArgumentError(f"loop {self.name!r}: a {self.joint.kind} joint holds nothing")

    @property
    def frames(self) -> tuple[str, ...]:  # type: ignore[override]
        """The two that it joins."""
        return self.frame1, self.frame2

    def prefixed(self, prefix: str, bases: Mapping[str, str]) -> Self:
        ends = {k: bases.get(x, prefix + x) for k, x in vars(self).items() if k in ENDS}
        return replace(self, name=prefix + self.name, **ends)

    def still_holds(self, *frames: tuple[int, Pose]) -> bool | None:
        (body1, X1), (body2, X2) = frames
        if body1 != body2:
            return None
        apart = self.joint.error(X1.inverse() @ X2)
        return not is_numeric(apart) or all(abs(float(x)) <= NEAR for x in apart)

    def tried(self, rng: np.random.Generator) -> tuple[list[Any], Array]:
        X = exp(rng.normal(size=6))
        numbers: list[Any] = [
            self.joint.error(X),
            np.ravel(self.joint.wrenches(X)),
            [self.torquescale],
        ]
        return [self.joint.kind, *self.frames], np.concatenate(numbers)

    def __str__(self) -> str:
        return f"{self.name!r} {self.joint.says(self.frame1, self.frame2)}"


ENDS = ("frame1", "frame2")


def check_loop(model: Any, loop: Any) -> None:
    """Its frames are there, and not on one body."""
    one, other = (model.frame(name) for name in loop.frames)
    if one.body == other.body:
        where = model.base_name if one.body < 0 else model.bodies[one.body].name
        raise ArgumentError(
            f"loop {loop.name!r} joins {loop.frame1!r} and {loop.frame2!r}, "
            f"which are both fixed to {where!r}"
        )

"""Everything that acts on one link: joints, loops, weight, loads, springs, thrusters.

All in world axes, each at the point where it acts. In equilibrium forces add up to none, and so do
moments, about any point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import links, placed
from visviva.equations.forces.springs import between
from visviva.equations.pencil.single_body import resultant
from visviva.solve.statics.loads import Load
from visviva.space.poses import Pose
from visviva.space.rotations import cross


@dataclass(frozen=True, eq=False)
class Acting:
    """A force and a moment that act on a link at a point, in world axes."""

    name: str
    cause: str  # joint, loop, weight, load, spring or actuator
    at: Array
    force: Array
    moment: Array

    def __post_init__(self) -> None:
        for name in ("at", "force", "moment"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


@dataclass(frozen=True, eq=False)
class FreeBody:
    """One link and all that acts on it."""

    name: str
    centre: FloatArray  # of mass, in the world
    acting: tuple[Acting, ...]

    def resultant(self, about: Any = None) -> FloatArray:
        """(moment, force) of all of it about a point, the centre of mass if none is given."""
        point = self.centre if about is None else about
        forces, points = [x.force for x in self.acting], [x.at for x in self.acting]
        return resultant(point, forces, points, [x.moment for x in self.acting])

    @property
    def size(self) -> float:
        """Of the terms that add up to nothing: the largest force, and moment about the centre."""
        terms = [np.concatenate([x.force, x.moment, self._turning(x)]) for x in self.acting]
        return float(np.abs(terms).max()) if terms else 0.0

    def _turning(self, x: Acting) -> FloatArray:
        return cross(x.at - self.centre, x.force)

    @property
    def residual(self) -> float:
        """What is left of the balance, as a share of its largest term: rounding error."""
        left = float(np.abs(self.resultant()).max())
        return left / self.size if self.size else left

    def __repr__(self) -> str:
        rows = [f"{self.name}: centre of mass at {_text(self.centre)} m, world axes"]
        for x in self.acting:
            parts = [f"force {_text(x.force)} N"] if x.force.any() else []
            parts += [f"moment {_text(x.moment)} N m"] if x.moment.any() else []
            what = " and ".join(parts) or "nothing"
            rows.append(f"  {x.cause} {x.name}: {what} at {_text(x.at)} m")
        return "\n".join([*rows, f"  what is left of the balance: {self.residual:.1e} of it"])


def _text(x: Any) -> str:
    return f"({', '.join(f'{round(float(y), 12) + 0.0:.6g}' for y in x)})"


def free_bodies(
    model: Model,
    q: Array,
    poses: Sequence[Pose],
    joints: Sequence[Acting],
    loops: Sequence[tuple[Acting, int, int]],
    loads: Sequence[Load],
    pushes: Sequence[tuple[Acting, int]],
) -> tuple[FreeBody, ...]:
    """Of every link, parents first.

    `joints` act on their own bodies, in order; `loops` on the body of their second frame (the last
    number), their opposites on that of the first.
    """
    acting: list[list[Acting]] = [[] for _ in model.bodies]
    for i, (b, x) in enumerate(zip(model.bodies, joints, strict=True)):
        acting[i].append(x)
        if b.parent != WORLD:
            acting[b.parent].append(opposite(x))
    for x, one, other in loops:
        for body, felt in ((one, opposite(x)), (other, x)):
            if body != WORLD:
                acting[body].append(felt)
    centres = [X.apply(b.inertia.com) for b, X in zip(model.bodies, poses, strict=True)]
    for i, b in enumerate(model.bodies):
        weight = np.asarray(model.gravity) * b.inertia.mass
        if weight.any():
            acting[i].append(Acting(b.name, "weight", centres[i], weight, np.zeros(3)))
    for load in loads:
        acting[load.body].append(Acting(load.frame, "load", load.at, load.force, load.moment))
    for x, body in pushes:
        acting[body].append(x)
    for x, body in springs(model, q, poses):
        acting[body].append(x)
    whole = zip(model.body_names, centres, acting, strict=True)
    return tuple(FreeBody(name, frozen(c), tuple(some)) for name, c, some in whole)


def opposite(x: Acting) -> Acting:
    """What the other side feels."""
    return Acting(x.name, x.cause, x.at, -x.force, -x.moment)


def springs(model: Model, q: Array, poses: Sequence[Pose]) -> Iterator[tuple[Acting, int]]:
    """What springs between frames do to bodies, each at its end; those of joints are in joints."""
    steps = placed(links(model), q)
    for s in model.springs:
        if not s.frames:
            continue
        ends = between(model, steps, s)
        frames = [model.frame(name) for name in s.frames]
        points = [f.placement.apply(p) for f, p in zip(frames, s.points, strict=True)]
        for (body, W), r in zip(ends.loads(*ends.pull()), points, strict=True):
            if body != WORLD:
                X = poses[body]
                moment = X.R @ (W[:3] - cross(r, W[3:]))
                yield Acting(s.name, "spring", X.apply(r), X.R @ W[3:], moment), body

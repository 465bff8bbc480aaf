"""Forces beside the rigid bodies' own: rotors, friction, springs, wrenches from outside.

Rotors, friction and springs stand on the left of M a + C v + g + b = τ; wrenches act on the robot
and stand on the right: Σ Jᵀ w, by virtual work (002 (81)–(85)). No Jacobian is formed: a wrench is
carried along the chain of links that bears it, and each joint takes the part along its own motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from visviva.algebra import diff
from visviva.algebra.expr import Graph, evaluate
from visviva.algebra.generic import absolute, less, sign, sqrt, where
from visviva.describe.model import Model
from visviva.describe.parts import WORLD, Body, Spring
from visviva.equations.links import Step, ancestors, force_to_parent, links, placed
from visviva.equations.moments import is_exactly
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.space.rotations import Array, cross, vector

NEAR = 1e-280  # squared distance below which two points are one
Path = list[tuple[int, Array]]  # links from a body to its base, each with a point in its axes


def rotor_inertia(model: Model) -> Array:
    """The reflected inertia of rotors, by velocity; coupled joints add ratio² times theirs."""
    return _by_velocity(model, "armature", lambda ratio: ratio * ratio)


def viscosity(model: Model) -> Array:
    """Viscous damping by velocity; coupled joints add ratio² times theirs."""
    total = list(_by_velocity(model, "damping", lambda ratio: ratio * ratio))
    for s in model.springs:
        if s.joint:
            i, k = _coordinate(model, s)
            total[k] = total[k] + s.damping * _ratio(model.bodies[i]) ** 2
    return vector(total)


def dry_friction(model: Model) -> Array:
    """Coulomb friction by velocity; coupled joints add |ratio| times theirs."""
    return _by_velocity(model, "friction", absolute)


def dissipation_forces(model: Model, q: Any, v: Any) -> Array:
    """b(q, v): viscous and Coulomb friction of the joints, and the dampers beside springs."""
    total = list(viscosity(model) * vector(v))
    for k, dry in enumerate(dry_friction(model)):
        if not is_exactly(dry, 0.0):
            total[k] = total[k] + dry * sign(v[k])
    damped = [s for s in model.springs if s.frames and not is_exactly(s.damping, 0.0)]
    steps = placed(links(model), q) if damped else []
    for s in damped:
        ends = Ends(model, steps, s)
        total = _added(steps, total, ends.paths(-ends.drag(v)))
    return vector(total)


def spring_energy(model: Model, q: Any) -> Any:
    """½ k (x - rest)², summed over the springs."""
    total: Any = 0.0
    steps = placed(links(model), q) if _between_frames(model) else []
    for s in model.springs:
        if s.joint:
            stretch = _own(model, s, q) - s.rest
            twice = stretch * stretch
        else:
            twice = Ends(model, steps, s).squared_stretch()
        total = total + s.stiffness * twice / 2
    return total


def spring_forces(model: Model, q: Any) -> Array:
    """∂V/∂q of the springs."""
    total: list[Any] = [0.0] * model.nv
    steps = placed(links(model), q) if _between_frames(model) else []
    for s in model.springs:
        if s.joint:
            i, k = _coordinate(model, s)
            pull = s.stiffness * (_own(model, s, q) - s.rest)
            total[k] = total[k] + pull * _ratio(model.bodies[i])
        else:
            ends = Ends(model, steps, s)
            total = _added(steps, total, ends.paths(-ends.pull()))
    return vector(total)


def wrench_forces(model: Model, q: Any, wrenches: Any) -> Array:
    """Σ Jᵀ w of wrenches that act on the robot: (frame, "body" or "world" axes, (moment, force)).

    A wrench acts at its frame's origin. The cost is that of the chains that bear them.
    """
    if len(wrenches) == 0:
        return np.zeros(model.nv)
    steps = placed(links(model), q)
    total: list[Any] = [0.0] * model.nv
    own: dict[int, Array] = {}
    for frame, axes, wrench in wrenches:
        body, r, W = _at_body(model, frame, axes, wrench)
        if axes == "world":
            path, _ = lifted(steps, body, r)
            total = _added(steps, total, lowered(steps, path, W[:3], W[3:]))
        else:
            own[body] = own[body] + W if body in own else W
    return vector(_added(steps, total, _inward(steps, own)))


def generalized_force(
    model: Model, frame: str, q: Any, wrench: Any, reference: str = "world", point: Any = None
) -> Array:
    """Q of one wrench (moment, force): a force and a torque at a point of a frame, by virtual work.

    `reference` as for Jacobians: at the frame's origin or the point in "world" or "body" axes, or
    about the world's origin ("space").
    """
    if reference != "space":
        return wrench_forces(_with_point(model, frame, point), q, [(POINT, reference, wrench)])
    body, r, W = _at_body(_with_point(model, frame, point), POINT, "world", wrench)
    steps = placed(links(model), q)
    path, p = lifted(steps, body, r)
    moment = W[:3] - cross(p, W[3:])
    return vector(_added(steps, [0.0] * model.nv, lowered(steps, path, moment, W[3:])))


def in_coordinates(Q: Any, position: Callable[[Any], Any], x: Any) -> Array:
    """Generalized forces for other coordinates x, where q = position(x): Q' = (∂q/∂x)ᵀ Q.

    Work is the same in both: Q · δq = Q' · δx.

    Examples:
        >>> absolute = lambda x: [x[0], x[1] - x[0]]  # joint angles from angles to the ground
        >>> in_coordinates([5.0, 2.0], absolute, [0.3, 0.7])
        array([3., 2.])
    """
    Q, x = vector(Q), vector(x)
    graph = Graph()
    inputs = [graph.input(f"x{i}") for i in range(len(x))]
    q = [graph.node(y) for y in position(np.array(inputs, dtype=object))]
    if Q.shape != (len(q),):
        raise ShapeError(f"one force for each of {len(q)} coordinates, got shape {Q.shape}")
    values = {node.value: value for node, value in zip(inputs, x, strict=True)}
    made: list[Any] = [0.0] * len(x)
    for (i, j), slope in diff.jacobian(q, inputs).items():
        made[j] = made[j] + Q[i] * evaluate(slope, values)
    return vector(made)


def outside_loads(
    model: Model, steps: Sequence[Step], v: Any, wrenches: Any = ()
) -> list[tuple[int, Array]]:
    """What acts on the bodies beside gravity and joints: bodies, and wrenches in their axes.

    These are wrenches from outside, and springs between frames with their dampers.
    """
    loads = []
    for frame, axes, wrench in wrenches:
        body, r, W = _at_body(model, frame, axes, wrench)
        if axes == "world" and body != WORLD:
            path, _ = lifted(steps, body, r)
            (_, W) = list(lowered(steps, path, W[:3], W[3:]))[-1]
        loads.append((body, W))
    for s in model.springs:
        if s.frames:
            ends = Ends(model, steps, s)
            loads += ends.loads(ends.pull() + ends.drag(v))
    return [(body, W) for body, W in loads if body != WORLD]


# ---- chains of links


def lifted(steps: Sequence[Step], i: int, r: Any, root: int = WORLD) -> tuple[Path, Array]:
    """A point r of link i as each link down to `root` sees it, and as `root` does."""
    path: Path = []
    while i != root:
        path.append((i, r))
        r = steps[i].R @ r + steps[i].p
        i = steps[i].parent
    return path, r


def lowered(steps: Sequence[Step], path: Path, m: Any, f: Any) -> Iterator[tuple[int, Array]]:
    """A load at a point, given in the axes of the root, about the origin of each link."""
    for i, r in reversed(path):
        R = steps[i].R
        m, f = R.T @ m, R.T @ f
        yield i, np.concatenate([m + cross(r, f), f])


def _inward(steps: Sequence[Step], loads: dict[int, Array]) -> Iterator[tuple[int, Array]]:
    """Wrenches on bodies, and what they add up to on the links that carry these."""
    loads = dict(loads)
    for i in reversed(range(len(steps))):
        if i in loads:
            yield i, loads[i]
            up = steps[i].parent
            if up != WORLD:
                W = force_to_parent(steps[i], loads[i])
                loads[up] = loads[up] + W if up in loads else W


def _added(
    steps: Sequence[Step], total: list[Any], wrenches: Iterable[tuple[int, Array]]
) -> list[Any]:
    """The total with Sᵀ W of every link's wrench."""
    total = list(total)
    for i, W in wrenches:
        s = steps[i]
        for k, x in zip(range(s.v.start, s.v.stop), s.S.T @ W, strict=True):
            total[k] = total[k] + x
    return total


# ---- springs between points


class Ends:
    """The two ends of a spring, seen from the last link that carries both."""

    def __init__(self, model: Model, steps: Sequence[Step], spring: Spring) -> None:
        if len(spring.frames) != 2 or len(spring.points) != 2:
            raise ArgumentError(f"spring {spring.name!r} needs a joint, or two frames and points")
        frames = [model.frame(name) for name in spring.frames]
        self.steps, self.spring = steps, spring
        self.bodies = [f.body for f in frames]
        chains = [[*(ancestors(steps, i) if i != WORLD else []), WORLD] for i in self.bodies]
        self.root = next(i for i in chains[0] if i in chains[1])
        points = [f.placement.apply(p) for f, p in zip(frames, spring.points, strict=True)]
        seen = [lifted(steps, i, r, self.root) for i, r in zip(self.bodies, points, strict=True)]
        self.path = [path for path, _ in seen]
        self.at = [r for _, r in seen]
        self.d = self.at[1] - self.at[0]
        self.near = less(self.d @ self.d, NEAR)
        self.dd = where(self.near, 1.0, self.d @ self.d)

    def squared_stretch(self) -> Any:
        """(x - rest)²."""
        if is_exactly(self.spring.rest, 0.0):
            return self.d @ self.d
        stretch = where(self.near, 0.0, sqrt(self.dd)) - self.spring.rest
        return stretch * stretch

    def pull(self) -> Array:
        """k (x - rest) along the line from the first end to the second.

        Where the ends are one point, the line has no direction and the spring pushes in none.
        """
        k, rest = self.spring.stiffness, self.spring.rest
        if is_exactly(rest, 0.0):
            return self.d * k
        return self.d * (k * (1.0 - where(self.near, 0.0, rest / sqrt(self.dd))))

    def drag(self, v: Any) -> Array:
        """The damper's force, c ẋ along the same line; in passing through a point, c times ḋ."""
        c = self.spring.damping
        if is_exactly(c, 0.0):
            return np.zeros(3)
        rates = [self._rate(path, v) for path in self.path]
        rate = rates[1] - rates[0]
        along = self.d * (self.d @ rate / self.dd)
        return vector([where(self.near, x, y) for x, y in zip(rate, along, strict=True)]) * c

    def _rate(self, path: Path, v: Any) -> Array:
        """How fast an end moves, seen from the root."""
        rate = np.zeros(3)
        for i, r in path:
            w, u = np.split(self.steps[i].twist(v), 2)
            rate = self.steps[i].R @ (rate + u + cross(w, r))
        return rate

    def paths(self, f: Any) -> Iterator[tuple[int, Array]]:
        """What each link feels of the pull f at the first end and -f at the second."""
        for path, force in zip(self.path, (f, -f), strict=True):
            yield from lowered(self.steps, path, np.zeros(3), force)

    def loads(self, f: Any) -> list[tuple[int, Array]]:
        """The same on the two bodies alone."""
        made = []
        for i, path, r, force in zip(self.bodies, self.path, self.at, (f, -f), strict=True):
            here = [(i, np.concatenate([cross(r, force), force]))]  # the root is a body itself
            made.append([*here, *lowered(self.steps, path, np.zeros(3), force)][-1])
        return made

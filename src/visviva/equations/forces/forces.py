"""Forces beside the rigid bodies' own: rotors, friction, springs, wrenches from outside.

Rotors, friction and springs stand on the left of M a + C v + g + b = τ. Wrenches act on the robot
and stand on the right; by virtual work they are Σ Jᵀ w (Bona, *Rigid Body Dynamics*, (81)–(85)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from visviva.algebra import diff
from visviva.algebra.arrays import Array, is_exactly, is_numeric, vector
from visviva.algebra.expr import Graph, evaluate
from visviva.algebra.generic import absolute, exp, sign
from visviva.describe.model.actuator import AXES
from visviva.describe.model.body import REFERENCES, WORLD
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import Placed, links, placed
from visviva.equations.forces.chains import carried, lifted, lowered, plus_joint_parts
from visviva.equations.forces.springs import OnJoint, between
from visviva.errors import ShapeError, check_known
from visviva.space.rotations import cross


def rotor_inertia(model: Model) -> Array:
    """The reflected inertia of rotors, by velocity; a coupled joint adds ratio² times its own."""
    return _by_velocity(model, "armature", lambda ratio: ratio * ratio)


def viscosity(model: Model) -> Array:
    """Viscous damping of the joints by velocity; a coupled joint adds ratio² times its own."""
    total = list(_by_velocity(model, "damping", lambda ratio: ratio * ratio))
    for s in model.springs:
        if s.joint:
            at = OnJoint(model, s)
            total[at.v] = total[at.v] + s.damping * at.ratio * at.ratio
    return vector(total)


def dry_friction(model: Model) -> Array:
    """Coulomb friction of the joints by velocity; a coupled joint adds |ratio| times its own."""
    return _by_velocity(model, "friction", absolute)


def static_friction(model: Model) -> Array:
    """What friction can hold at rest, by velocity: stiction, or Coulomb's where none is stated."""
    total = list(dry_friction(model))
    for b, index in zip(model.bodies, model.v_index, strict=True):
        ratio = 1.0 if b.mimic is None else absolute(b.mimic.multiplier)
        laws = zip(b.friction, b.stiction, strict=True)
        for k, (dry, most) in zip(range(index.start, index.stop), laws, strict=True):
            if not _is_none(most):
                total[k] = total[k] + (most - dry) * ratio
    return vector(total)


def sliding_friction(model: Model, v: Any) -> Array:
    """The size of dry friction at velocities v (nv,), whichever way joints slide."""
    total = list(dry_friction(model))
    for k, more in stribeck_sizes(model, v):
        total[k] = total[k] + more
    return vector(total)


def stribeck_sizes(model: Model, v: Any) -> list[tuple[int, Any]]:
    """What friction has more than Coulomb's at low speed, by velocity (Bona, (91)).

    (F_s - F_c) exp(-(v/v_s)²), against v; a coupled joint feels it at its own speed, ratio · v.
    """
    felt = []
    for b, index in zip(model.bodies, model.v_index, strict=True):
        ratio = 1.0 if b.mimic is None else b.mimic.multiplier
        laws = zip(b.friction, b.stiction, b.stribeck, strict=True)
        for k, (dry, most, slow) in zip(range(index.start, index.stop), laws, strict=True):
            if not (_is_none(most) or _is_none(slow)):
                x = v[k] * ratio / slow
                more = (most - dry) * exp(-(x * x))
                felt.append((k, more * absolute(ratio)))
    return felt


def has_dry_friction(model: Model) -> bool:
    """Whether a force jumps where a velocity changes its sign; of a model in numbers."""
    return any(np.any(b.friction != 0) or np.any(b.stiction != 0) for b in model.bodies)


def has_stribeck(model: Model) -> bool:
    """Whether friction falls with the speed; parameters count as if they were not 0."""
    pairs = ((x, y) for b in model.bodies for x, y in zip(b.stiction, b.stribeck, strict=True))
    return any(not (_is_none(x) or _is_none(y)) for x, y in pairs)


def dissipation_forces(model: Model, q: Any, v: Any) -> Array:
    """b(q, v): friction of the joints, and the dampers beside springs.

    At rest a dry force can be anything up to the static limit; here it is 0.
    """
    total = list(viscosity(model) * vector(v))
    for k, dry in enumerate(dry_friction(model)):
        if not is_exactly(dry, 0.0):
            total[k] = total[k] + sign(v[k]) * dry
    for k, more in stribeck_sizes(model, v):
        total[k] = total[k] + sign(v[k]) * more
    damped = [s for s in model.springs if s.frames and s.is_damped]
    steps = placed(links(model), q) if damped else []
    for s in damped:
        ends = between(model, steps, s)
        f, couple = ends.drag(v)
        total = plus_joint_parts(steps, total, ends.felt(-f, -couple))
    return vector(total)


def spring_energy(model: Model, q: Any) -> Any:
    """V = Σ ½ k (x - rest)² of all springs, or the integrals of their laws, in joules."""
    total: Any = 0.0
    steps = _placed_if_needed(model, q)
    for s in model.springs:
        own = OnJoint(model, s).energy(q) if s.joint else between(model, steps, s).energy()
        total = total + own
    return total


def spring_forces(model: Model, q: Any) -> Array:
    """∂V/∂q (nv,) of the springs: what holds the mechanism against them."""
    total: list[Any] = [0.0] * model.nv
    steps = _placed_if_needed(model, q)
    for s in model.springs:
        if s.joint:
            at = OnJoint(model, s)
            total[at.v] = total[at.v] + at.holding(q)
        else:
            ends = between(model, steps, s)
            f, couple = ends.pull()
            total = plus_joint_parts(steps, total, ends.felt(-f, -couple))
    return vector(total)


def wrench_forces(model: Model, q: Any, wrenches: Any = ()) -> Array:
    """Σ Jᵀ w of wrenches (frame, "body" or "world" axes, (moment, force)) that act on the robot.

    Each acts at the origin of its frame. Several in body axes share the chains they have in common.
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
            total = plus_joint_parts(steps, total, lowered(steps, path, W[:3], W[3:]))
        else:
            own[body] = own[body] + W if body in own else W
    return vector(plus_joint_parts(steps, total, carried(steps, own)))


def generalized_force(
    model: Model, frame: str, q: Any, wrench: Any, reference: str = "world", point: Any = None
) -> Array:
    """Jᵀ w: what a torque and a force at a point of a frame do, by virtual work.

    `wrench` is (moment, force) at the frame's origin or at the point, in "world" or "body" axes;
    with the reference "space", in world axes about the world's origin.
    """
    check_known("reference", reference, REFERENCES)
    steps = placed(links(model), q)
    zero = [0.0] * model.nv
    if reference == "body":
        body, _, W = _at_body(model, frame, "body", wrench, point)
        return vector(plus_joint_parts(steps, zero, carried(steps, {body: W})))
    body, r, W = _at_body(model, frame, "world", wrench, point)
    path, p = lifted(steps, body, r)
    m = W[:3] - cross(p, W[3:]) if reference == "space" else W[:3]
    return vector(plus_joint_parts(steps, zero, lowered(steps, path, m, W[3:])))


def outside_loads(
    model: Model, steps: Sequence[Placed], v: Any, wrenches: Any = ()
) -> Iterator[tuple[int, Array]]:
    """What acts on bodies beside gravity and joints: wrenches on them, in their axes.

    It is what `wrenches` names, as in `wrench_forces`, and springs between frames with dampers.
    """
    for frame, axes, wrench in wrenches:
        body, r, W = _at_body(model, frame, axes, wrench)
        if body != WORLD and axes == "world":
            path, _ = lifted(steps, body, r)
            *_, (_, W) = lowered(steps, path, W[:3], W[3:])
        if body != WORLD:
            yield body, W
    for s in model.springs:
        if s.frames:
            ends = between(model, steps, s)
            (f, couple), (g, drag) = ends.pull(), ends.drag(v)
            for body, W in ends.loads(f + g, couple + drag):
                if body != WORLD:
                    yield body, W


def in_coordinates(Q: Any, position: Callable[[Any], Any], x: Any) -> Array:
    """Generalized forces for other coordinates x, where q = position(x): Q' = (∂q/∂x)ᵀ Q.

    The work is the same: Q · δq = Q' · δx.

    Examples:
        >>> relative = lambda x: [x[0], x[1] - x[0]]  # joint angles, from angles to the ground
        >>> in_coordinates([5.0, 2.0], relative, [0.3, 0.7])
        array([3., 2.])
    """
    Q, x = vector(Q), vector(x)
    graph = Graph()
    inputs = [graph.input(f"x{i}") for i in range(len(x))]
    q = [graph.node(y) for y in position(np.array(inputs, dtype=object))]
    if Q.shape != (len(q),):
        raise ShapeError(f"Q has one force for each of {len(q)} coordinates, got shape {Q.shape}")
    values = {node.value: value for node, value in zip(inputs, x, strict=True)}
    forces: list[Any] = [0.0] * len(x)
    for (i, j), slope in diff.jacobian(q, inputs).items():
        forces[j] = forces[j] + Q[i] * evaluate(slope, values)
    return vector(forces)


def _is_none(x: Any) -> bool:
    """Whether a number of any kind is zero; expressions that are no constants are not."""
    return is_exactly(x, 0.0) or (is_numeric([x]) and bool(x == 0))


def _by_velocity(model: Model, what: str, weight: Callable[[Any], Any]) -> Array:
    """A number of every joint, added up by velocity; exact zeros where there is none."""
    total: list[Any] = [0.0] * model.nv
    for b, index in zip(model.bodies, model.v_index, strict=True):
        for k, x in zip(range(index.start, index.stop), getattr(b, what), strict=True):
            if not is_exactly(x, 0.0):
                own = x if b.mimic is None else x * weight(b.mimic.multiplier)
                total[k] = total[k] + own
    return vector(total)


def _placed_if_needed(model: Model, q: Any) -> list[Placed]:
    return placed(links(model), q) if any(s.frames for s in model.springs) else []


def _at_body(
    model: Model, frame: str, axes: str, wrench: Any, point: Any = None
) -> tuple[int, Array, Array]:
    """The body, where in it the wrench acts, and the wrench.

    In world axes it stays as it is; in body axes it is carried to the origin of the body's frame.
    """
    check_known("axes of a wrench", axes, AXES)
    f, W = model.frame(frame), vector(wrench)
    if W.shape != (6,):
        raise ShapeError(f"a wrench is (moment, force), 6 numbers; got shape {W.shape}")
    at = np.zeros(3) if point is None else vector(point)
    if at.shape != (3,):
        raise ShapeError(f"a point has 3 coordinates, got shape {at.shape}")
    r = f.placement.apply(at)
    if axes == "body":
        force = f.placement.R @ W[3:]
        W = np.concatenate([f.placement.R @ W[:3] + cross(r, force), force])
    return f.body, r, W

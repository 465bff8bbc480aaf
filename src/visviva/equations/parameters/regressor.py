"""The regressor: joint forces are linear in the mechanism's mass moments, τ = Y(q, v, a) θ.

θ has, for every body, m, the first moments mx my mz = m c and the tensor Jxx Jxy Jxz Jyy Jyz Jzz,
all about the origin of the body's frame (Ixx is about the centre of mass); then for every velocity
the rotors' inertia, then the viscous and then the Coulomb friction. A coupled joint's are part of
those of the joint that it follows, and a damper on a joint is part of the joint's damping. Springs,
and dampers between frames, are not in θ: `inverse_dynamics` is Y θ plus their forces.
(Atkeson, An and Hollerbach, *Estimation of inertial parameters of manipulator loads and links*.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.generic import sign
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.bodies.validity import check_inertia
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.describe.model.parameters import TENSOR, with_idle_notes
from visviva.equations.bodies.links import Placed, links, motion_to_child, placed
from visviva.equations.bodies.newton_euler import Motion, outward
from visviva.equations.forces.forces import dry_friction, rotor_inertia, viscosity
from visviva.equations.forces.rotors import rotor_regressor
from visviva.errors import ArgumentError, InertiaError
from visviva.space.rotations import skew

MOMENTS = ("m", "mx", "my", "mz", *(f"J{name[1:]}" for name, _, _ in TENSOR))
JOINT = ("armature", "damping", "friction")


def regressor(model: Model, q: Any, v: Any, a: Any) -> Array:
    """Y with τ = Y θ: one row for every velocity, one column for every entry of θ."""
    steps = placed(links(model), q)
    motions = outward(steps, model.gravity, q, v, a)
    bodies = np.full((model.nv, len(steps), len(MOMENTS)), 0.0, dtype=object)
    for i, (joints, motion) in enumerate(zip(carriers(steps), motions, strict=True)):
        W = unit_wrenches(motion)
        for j, S in joints.items():
            rows = steps[j].v
            bodies[rows, i] = bodies[rows, i] + S.T @ W
    own = [rotor_regressor(model, v, a), np.diag(vector(v)), np.diag(sign(vector(v)))]
    flat = bodies.reshape(model.nv, len(steps) * len(MOMENTS))
    Y = np.concatenate([flat, *own], axis=1)
    return vector(Y.tolist()).reshape(Y.shape)


def carriers(steps: Sequence[Placed]) -> list[dict[int, Array]]:
    """For every link, the joints that move it, each with its twists seen in the link's axes."""
    twists: list[dict[int, Array]] = []
    for i, s in enumerate(steps):
        before = {} if s.parent == WORLD else twists[s.parent]
        twists.append({j: motion_to_child(s, S) for j, S in before.items()} | {i: s.S})
    return twists


def unit_wrenches(motion: Motion) -> Array:
    """6 × 10: what a body with one moment equal to one needs, (moment, force) at its origin.

    f = m a + Ω h and n = h × a + I ω̇ + ω × I ω.
    """
    w = motion.w
    turning = _tensor_times(motion.alpha) + skew(w) @ _tensor_times(w)
    moment = np.concatenate([np.zeros((3, 1)), -skew(motion.a), turning], axis=1)
    force = np.concatenate([motion.a[:, None], motion.spin, np.zeros((3, 6))], axis=1)
    return np.concatenate([moment, force])


def _tensor_times(x: Any) -> Array:
    """The 3 × 6 matrix from (Jxx, Jxy, Jxz, Jyy, Jyz, Jzz) to I x."""
    times: Array = np.full((3, len(TENSOR)), 0.0, dtype=object)
    for k, (_, r, c) in enumerate(TENSOR):
        times[r, k], times[c, k] = x[c], x[r]
    return times


def regressor_parameters(model: Model) -> Array:
    """θ: what the regressor multiplies, in the order of `regressor_names`; kg, kg m, kg m²."""
    theta = []
    for b in model.bodies:
        I = b.inertia.about(np.zeros(3))  # noqa: E741
        theta += [b.inertia.mass, *(b.inertia.com * b.inertia.mass)]
        theta += [I[r, c] for _, r, c in TENSOR]
    return vector([*theta, *rotor_inertia(model), *viscosity(model), *dry_friction(model)])


def regressor_names(model: Model) -> tuple[str, ...]:
    """Names of θ's entries: moments by body, the others by joint."""
    own = [b for b in model.bodies if b.mimic is None]
    return (
        *(f"{k}_{b.name}" for b in model.bodies for k in MOMENTS),
        *(
            f"{kind}_{b.joint_name}" + (f"_{v}" if v else "")
            for kind in JOINT
            for b in own
            for v in b.joint.velocities
        ),
    )


def with_regressor_parameters(model: Model, theta: Any, checked: bool = True) -> Model:
    """The model, in numbers, whose θ is this; what a joint has by others stays as it is."""
    model, names = model.numeric, regressor_names(model)
    old = np.asarray(regressor_parameters(model), dtype=float)
    try:
        new = np.array(theta, dtype=float)
    except (TypeError, ValueError):
        new = np.array(np.nan)
    if new.shape != old.shape or not np.isfinite(new).all():
        raise ArgumentError(
            f"regressor parameters of {model.name!r} are {len(names)} finite numbers, in the order "
            f"of regressor_names; got {theta!r:.80}"
        )
    size = len(MOMENTS) * len(model.bodies)
    delta = dict(zip(JOINT, (new - old)[size:].reshape(len(JOINT), model.nv), strict=True))
    bodies = []
    for b, rows, moments in zip(
        model.bodies, model.v_index, new[:size].reshape(-1, len(MOMENTS)), strict=True
    ):
        terms = {k: getattr(b, k) + delta[k][rows] for k in JOINT} if b.mimic is None else {}
        body = _body_with_moments(b.inertia, b.name, moments, checked)
        bodies.append(replace(b, inertia=body, **terms))
    return with_idle_notes(replace(model, bodies=tuple(bodies)), model)


def _body_with_moments(old: Inertia, name: str, moments: Array, checked: bool) -> Inertia:
    """The body of these ten moments; where its mass is none, its centre stays."""
    mass, first, about_origin = moments[0], moments[1:4], np.zeros((3, 3))
    for x, (_, r, c) in zip(moments[4:], TENSOR, strict=True):
        about_origin[r, c] = about_origin[c, r] = x
    if mass == 0.0 and first.any():
        raise InertiaError(f"the mass of {name!r} is 0 and its first moments are {first.tolist()}")
    com = first / mass if mass else old.com
    tensor = about_origin + mass * (skew(com) @ skew(com))
    if checked and old.checked:
        try:
            check_inertia(mass, com, tensor, about_origin)
        except InertiaError as error:
            raise InertiaError(f"{name!r}: {error}") from None
    return Inertia(mass, com, tensor, old.frame, old.error, checked and old.checked, _exists=True)

"""Momentum, energy and spatial vectors of the sources."""

import numpy as np
import pytest
import sympy
from hypothesis import given

import visviva as vv
from tests.support.counts import examples
from tests.support.generators import bodies
from tests.support.generators.bodies import close
from visviva import Inertia, Pose
from visviva.errors import ArgumentError
from visviva.space import ad, cross, point_velocity, poses, skew

vectors, twists = bodies.vectors(3), bodies.vectors(6)


@examples(11, 1000)
@given(bodies.clouds(), vectors, bodies.places())
def test_S25_cloud_of_point_masses(cloud, w, X):
    """h = Γω, K, Koenig's split, Steiner and a turn of the frame, from the sums themselves."""
    body = Inertia.point_masses([m for m, _ in cloud], [r for _, r in cloud])
    gamma = -sum(m * skew(r) @ skew(r) for m, r in cloud)
    close(body.about(np.zeros(3)), gamma)
    h = sum(m * np.cross(r, np.cross(w, r)) for m, r in cloud)
    close(gamma @ w, h)
    close(body.momentum([*w, 0, 0, 0])[:3], h)
    speeds = [(m, np.cross(w, r)) for m, r in cloud]
    close(body.kinetic_energy([*w, 0, 0, 0]), sum(m * u @ u / 2 for m, u in speeds))
    close(body.com, sum(m * r for m, r in cloud) / sum(m for m, _ in cloud))
    turned = Inertia.point_masses([m for m, _ in cloud], [X.R @ r for _, r in cloud])
    close(turned.about(np.zeros(3)), X.R @ gamma @ X.R.T)


@examples(11, 1000)
@given(bodies.bodies(), bodies.places(), twists, twists)
def test_S27_spatial_inertia_from_kinetic_energy(body, T_ba, V_a, A_a):
    """V_b = Ad V_a and equal energy give G_a = Adᵀ G_b Ad; the wrench follows."""
    Ad = T_ba.adjoint()
    G_b, G_a = body.spatial(), body.spatial(T_ba)
    V_b = Ad @ V_a
    close(V_a @ G_a @ V_a, V_b @ G_b @ V_b, 1e-11)  # up to 30 kg, 7 m and 20 m/s, squared
    close(G_a, Ad.T @ G_b @ Ad, 1e-11)
    F_a = G_a @ A_a - ad(V_a).T @ G_a @ V_a
    F_b = G_b @ (Ad @ A_a) - ad(V_b).T @ G_b @ V_b
    close(F_a, Ad.T @ F_b, 1e-11)


def test_S27_shifted_frame_at_the_centre_of_mass():
    """R = 1: the blocks I + m[p]ᵀ[p], m[p]ᵀ, m[p], m 1."""
    body, p = Inertia.box(2.0, x=0.3, y=0.4, z=0.5), np.array([0.7, -0.2, 0.1])
    P, m = skew(p), 2.0
    expected = np.block([[body.tensor + m * P.T @ P, m * P.T], [m * P, m * np.eye(3)]])
    close(body.spatial(Pose.translation(p)), expected, 1e-15)


def test_S27_is_proved_for_every_body_and_frame():
    """G_a of the proof, with the numbers of a body put in, is that of the package."""
    proof = vv.proof("spatial-inertia")
    lines = [str(line) for line in proof.equations]
    assert "G_a = ∂P_a/∂V_a = Aᵀ G_b A" in lines
    assert "F_a = ∂W/∂V_a = Aᵀ F_b" in lines
    mass, com = 2.0, np.array([0.3, -0.2, 0.5])
    body = Inertia(mass, com, np.diag([0.5, 0.7, 0.9]))
    second = np.trace(body.about(np.zeros(3))) / 2 * np.eye(3) - body.about(np.zeros(3))
    angles, p = (0.4, -0.7, 1.1), np.array([0.6, 0.1, -0.8])
    values = dict(zip(("alpha", "beta", "gamma"), angles, strict=True)) | {"m": mass}
    for i, x in enumerate("xyz"):
        values |= {f"c_{x}": com[i], f"p_{x}": p[i]}
        values |= {f"m{x}{y}": second[i, j] for j, y in enumerate("xyz") if j >= i}
    turns = [vv.space.about_axis(np.eye(3)[k], q) for k, q in zip((2, 1, 0), angles, strict=True)]
    T_ba = Pose(turns[0] @ turns[1] @ turns[2], p)
    found = proof["G_a"].subs(values)
    close(np.array(found, dtype=float), body.spatial(T_ba), 1e-13)


def force_on_a_point(t, q, v):
    """Of time, place and velocity, in no special direction."""
    x, y, z = q
    return np.array([np.sin(3 * t) - 2 * x, 0.5 * y * z - v[0], 1.0 + np.cos(2 * t) * x])


def test_S28_simulated_point_mass_and_the_moment_of_its_force():
    """The moment of momentum gained is the moment of the force, summed over the motion.

    The mass is found from force and acceleration; about a moving point m v_A × v is needed.
    """
    point = vv.Lagrangian("x y z", "m (x'^2 + y'^2 + z'^2)/2", parameters={"m": 1.7})
    t = np.linspace(0.0, 2.0, 2001)
    run = point.simulate(
        [0.3, -0.4, 0.5], [1.0, 0.2, -0.6], t, tau=force_on_a_point, rtol=1e-11, atol=1e-12
    )
    forces = np.array([force_on_a_point(*state) for state in zip(t, run.q, run.v, strict=True)])
    accelerations = point.forward_dynamics(run.q, run.v, forces)
    close(forces / accelerations, np.full(forces.shape, 1.7), 1e-12)
    momenta = 1.7 * run.v

    def gained(values):
        weights = np.ones(len(t))
        weights[1:-1:2], weights[2:-1:2] = 4, 2
        return weights @ values * (t[1] - t[0]) / 3  # Simpson's rule

    def change(values):
        return values[-1] - values[0]

    fixed = np.array([0.2, 0.7, -0.1])
    about_fixed = run.q - fixed
    assert np.abs(gained(momenta) - 1.7 * change(run.q)).max() < 1e-9
    moment = np.cross(about_fixed, forces)
    close(change(np.cross(about_fixed, momenta)), gained(moment), 1e-9)
    place = np.stack([t**2, np.sin(t), 1 - t], axis=1)  # of a point A that moves
    speed = np.stack([2 * t, np.cos(t), -np.ones(len(t))], axis=1)
    moment = np.cross(run.q - place, forces)
    extra = 1.7 * np.cross(speed, run.v)
    rate = change(np.cross(run.q - place, momenta))
    close(rate, gained(moment - extra), 1e-9)
    assert np.abs(rate - gained(moment)).max() > 0.1  # without the term it is another number


def test_S28_the_moment_of_a_force_is_proved():
    proof = vv.proof("moment-of-force")
    lines = [str(line) for line in proof.equations]
    assert "d/dt L_O = r × f" in lines
    assert "M_A = d/dt L_A + m v_A × v" in lines


@examples(11, 1000)
@given(bodies.clouds(), twists)
def test_C33_koenig(cloud, V):
    """½m v_c² + ½ωᵀΓ_cω; translation alone and rotation about the origin alone are its ends."""
    body = Inertia(*bodies.cloud_inertia(cloud))
    translation, rotation = body.energy_parts(V)
    points = sum(m * point_velocity(V, r) @ point_velocity(V, r) / 2 for m, r in cloud)
    close(translation + rotation, points)
    close(sum(m * (r - body.com) for m, r in cloud), np.zeros(3))  # why the cross terms vanish
    v, w = np.array([0, 0, 0, *V[3:]]), np.array([*V[:3], 0, 0, 0])
    assert body.energy_parts(v)[1] == 0
    close(body.energy_parts(v)[0], body.mass * V[3:] @ V[3:] / 2)
    close(sum(body.energy_parts(w)), V[:3] @ body.about(np.zeros(3)) @ V[:3] / 2)


@examples(11, 1000)
@given(bodies.bodies(), twists, bodies.places())
def test_C34_energy_is_the_same_in_every_frame(body, V, X):
    there = body.moved(X.R, X.p)
    close(there.kinetic_energy(X.adjoint() @ V), body.kinetic_energy(V), 1e-11)
    w = V[:3]
    close((X.R @ w) @ there.tensor @ (X.R @ w), w @ body.tensor @ w)


def test_C34_frames_that_differ_are_told():
    body = Inertia(1.0, np.zeros(3), np.diag([1.0, 2.0, 2.5]), frame="b")
    with pytest.raises(ArgumentError, match="given in frame 'b', the other quantity in 'a'"):
        body.kinetic_energy(np.ones(6), frame="a")


@examples(11, 1000)
@given(bodies.bodies(), twists, vectors)
def test_C74_momentum_about_any_point(body, V, point):
    """h_O = h_C + r_c × m v_c, and the same rule between any two points."""
    h = body.momentum(V)
    p = body.mass * point_velocity(V, body.com)
    close(h[3:], p)
    close(h[:3], body.tensor @ V[:3] + np.cross(body.com, p))
    shifted = Pose.translation(point)
    about_point = shifted.adjoint().T @ h
    close(about_point[:3], h[:3] - np.cross(point, p))
    close(body.spatial(shifted) @ (shifted.inverse().adjoint() @ V), about_point, 1e-11)


def test_C74_momentum_is_conserved_by_a_free_body():
    """Without torque, ω̇ = -𝕀⁻¹(ω × 𝕀ω): the derivative of R 𝕀 ω in fixed axes vanishes."""
    body = Inertia.box(2.0, x=0.3, y=0.4, z=0.9)
    w = np.array([0.7, -1.1, 2.0])
    speeding = -np.linalg.solve(body.tensor, np.cross(w, body.tensor @ w))
    h = 1e-4

    def momentum(t):  # the path to third order, enough for its first derivative
        second = rate(w + h * speeding) - rate(w - h * speeding)
        turn = poses.exp(np.array([*(w * t + speeding * t * t / 2), 0, 0, 0])).R
        return turn @ body.tensor @ (w + speeding * t + second / (2 * h) * t * t / 2)

    def rate(w):
        return -np.linalg.solve(body.tensor, np.cross(w, body.tensor @ w))

    slope = (momentum(h) - momentum(-h)) / (2 * h)
    close(slope, np.zeros(3), 1e-7)  # differences of 1e-4: error of order h²


def test_C74_torque_is_the_rate_of_momentum():
    """τ = dh/dt in fixed axes, for a given motion, in symbols."""
    t, a, b, c = sympy.symbols("t a b c", positive=True)
    angle = t**2
    R = np.array([[sympy.cos(angle), -sympy.sin(angle), 0], [sympy.sin(angle), sympy.cos(angle), 0],
                  [0, 0, 1]])  # fmt: skip
    w = np.array([0, 0, sympy.diff(angle, t)])
    body = Inertia(sympy.Integer(1), [0, 0, 0], [[a, 0, c], [0, b, 0], [c, 0, a + b]])
    h = R @ body.tensor @ w
    torque = [sympy.diff(x, t) for x in h]
    seen = R.T @ np.array(torque)
    euler = body.tensor @ np.array([0, 0, 2]) + cross(w, body.tensor @ w)
    assert all(
        sympy.simplify(sympy.nsimplify(x - y)) == 0 for x, y in zip(seen, euler, strict=True)
    )

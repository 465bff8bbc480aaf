"""Printed errors that concern bodies: what the software says instead."""

import numpy as np
import pytest
import sympy
from hypothesis import given

from tests.support.counts import examples
from tests.support.generators import bodies
from tests.support.generators.bodies import close
from visviva import Inertia, Pose
from visviva.errors import ArgumentError
from visviva.space import ad, cross_force, point_velocity, point_wrench, rotations, skew

ORIGIN = np.zeros(3)


def test_E4_uniform_density_is_mass_over_volume():
    """A box 1 × 1 × 2 of one kilogram: 1/6, not the 1/3 of leaving the volume out."""
    close(Inertia.box(1.0, x=1.0, y=1.0, z=2.0).tensor[2, 2], 1 / 6, 1e-16)
    integral = Inertia.from_density(0.5, [(-0.5, 0.5), (-0.5, 0.5), (-1.0, 1.0)])
    close(integral.tensor[2, 2], 1 / 6, 1e-15)


@examples(11, 1000)
@given(bodies.bodies(), bodies.vectors(3))
def test_E7_rate_of_the_tensor_in_fixed_axes(body, w):
    """[w]𝕀 - 𝕀[w], which is symmetric; [w]𝕀 alone is not the derivative."""
    h = 1e-4
    up, down = (body.rotated(rotations.exp(s * h * w)).tensor for s in (1, -1))
    close((up - down) / (2 * h), body.space_rate(w), 1e-5)  # differences of 1e-4
    printed = skew(w) @ body.tensor
    close(printed + printed.T, body.space_rate(w))


def test_E9b_thin_bodies_are_only_semidefinite():
    rod = Inertia.point_masses([1.0, 1.0], [[-1, 0, 0], [1, 0, 0]])
    close(np.linalg.eigvalsh(rod.tensor), [0, 2, 2], 0)
    assert Inertia.rod(1.0, length=1.0).principal().moments[0] == 0


def test_E9c_a_mass_is_asked_for_or_stays_a_symbol():
    with pytest.raises(ArgumentError, match=r"the mass first and one number or symbol; got mass="):
        Inertia([3, 0, 2], np.diag([1.0, 2.0, 3.0]))
    with pytest.raises(ArgumentError, match=r"Inertia\(mass, com, tensor\).* tensor=None"):
        Inertia(2.0, [3, 0, 2])
    m = sympy.symbols("m")
    assert m in sympy.sympify(Inertia(m, [3, 0, 2], np.diag([1, 2, 3])).about(ORIGIN)[0, 0]).atoms()


@examples(11, 1000)
@given(bodies.clouds(), bodies.vectors(6), bodies.vectors(6))
def test_E10_minus_before_the_little_adjoint(cloud, V, A):
    """The wrench of inertia, summed over points with a = v̇ + ω̇ × r + ω × (v + ω × r)."""
    G = Inertia(*bodies.cloud_inertia(cloud)).spatial()
    by_points = np.zeros(6)
    for m, r in cloud:
        acceleration = A[3:] + np.cross(A[:3], r) + np.cross(V[:3], point_velocity(V, r))
        by_points += point_wrench(m * acceleration, r)
    close(G @ A - ad(V).T @ G @ V, by_points, 1e-11)  # products of up to a thousand
    close(G @ A + cross_force(V, G @ V), by_points, 1e-11)


def test_E12_block_diagonal_only_at_the_centre_of_mass():
    body = Inertia.box(2.0, x=0.3, y=0.4, z=0.5)
    close(body.spatial()[:3, 3:], np.zeros((3, 3)), 0)
    assert np.abs(body.spatial(Pose.translation([0.1, 0, 0]))[:3, 3:]).max() > 0.1


def test_E15_zeros_that_were_dropped():
    pair = Inertia.point_masses([1.0, 1.0], [[1, 2, 0], [3, 2, 0]])
    close(pair.tensor, np.diag([0, 2, 2]), 1e-15)
    close(rotations.exp([np.pi / 2, 0, 0]), [[1, 0, 0], [0, 0, -1], [0, 1, 0]], 1e-15)


def test_E51_cross_terms_vanish_in_the_central_frame():
    """∫ x dm = 0 about the centre, so only m x_c y_c is left."""
    cloud = [(1.0, np.array([1.0, 2.0, 0.0])), (3.0, np.array([-1.0, 0.5, 2.0]))]
    mass, com, _ = bodies.cloud_inertia(cloud)
    close(sum(m * (r - com) for m, r in cloud), ORIGIN, 1e-15)
    body = Inertia(*bodies.cloud_inertia(cloud))
    close(body.about(ORIGIN)[0, 1] - body.tensor[0, 1], -mass * com[0] * com[1], 1e-15)

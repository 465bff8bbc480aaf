"""Joints one by one: their conventions, axes, and what a universal joint consists of."""

import numpy as np
import pytest

from tests.support.generators.bodies import close, same_pose
from visviva.describe.joints.axis import Helical, Prismatic, Revolute, Universal
from visviva.describe.joints.free import Free, Planar
from visviva.errors import ArgumentError, ShapeError
from visviva.space.spatial import cross_motion


def test_conventions():
    """Rotation before translation; velocities in child axes; quaternions x, y, z, w."""
    quarter = [0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]
    free = Free().transform([*quarter, 1.0, 2.0, 3.0])
    close(free.apply([1.0, 0.0, 0.0]), [1.0, 3.0, 3.0], 1e-15)
    close(Free().rates([*quarter, 0, 0, 0], [0, 0, 0, 1, 0, 0])[4:], [0, 1, 0], 1e-15)
    close(Planar([0, 0, 1]).transform([np.pi / 2, 1, 2]).apply([1, 0, 0]), [1, 3, 0], 1e-15)
    close(Planar([0, 0, 1]).rates([np.pi / 2, 0, 0], [0, 1, 0]), [0, 0, 1], 1e-15)
    close(Helical([0, 0, 1], 0.5).transform([2.0]).p, [0, 0, 1.0], 1e-15)
    close(Revolute([0, 0, 2]).axis, [0, 0, 1], 0)
    for n in ([0, 0, 1], [0, 0, -1], [1, -2, 0.5]):
        B = Planar(n).basis
        close(B.T @ B, np.eye(3), 1e-15)
        close(B[:, 2], Planar(n).normal, 1e-15)
        assert np.linalg.det(B) > 0


@pytest.mark.parametrize("tilt", [1e-8, 1e-6, 1e-4, 1e-2])
def test_planes_that_nearly_face_down(tilt):
    """The basis stays orthonormal where 1 + n_z is small."""
    joint = Planar([tilt, 0.0, -1.0])
    close(joint.basis.T @ joint.basis, np.eye(3), 1e-14)
    close(joint.basis[:, 2], joint.normal, 1e-14)


def test_a_universal_joint_is_two_revolute_ones():
    """Bias against the composition of two joints, with the velocity product between them."""
    a, b = Revolute([1.0, 0.2, 0.0]), Revolute([0.3, 1.0, -0.5])
    both = Universal(a.axis, b.axis)
    q, v = np.array([0.4, -1.2]), np.array([0.7, 2.0])
    same_pose(both.transform(q), a.transform(q[:1]) @ b.transform(q[1:]), 1e-15)
    first = b.transform(q[1:]).inverse().adjoint() @ a.subspace(q[:1]) @ v[:1]
    second = b.subspace(q[1:]) @ v[1:]
    close(both.subspace(q) @ v, first + second, 1e-15)
    close(both.bias(q, v), cross_motion(first, second), 1e-15)


@pytest.mark.parametrize("axis", [[0, 0, 0], [np.nan, 0, 1], [np.inf, 0, 0]])
def test_axes_need_a_direction(axis):
    for make in (Revolute, Prismatic, Planar, lambda a: Universal([1, 0, 0], a)):
        with pytest.raises(ArgumentError, match="an axis needs a direction, got"):
            make(axis)


def test_axes_have_three_coordinates():
    with pytest.raises(ShapeError, match=r"an axis has 3 coordinates, got shape \(2,\)"):
        Revolute([1.0, 0.0])

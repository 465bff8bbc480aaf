"""The catalogue's arms stand and move as their sources say."""

import numpy as np
import pytest

from tests.support.oracles.by_definition import EXACT, body_jacobians, positions, tool_jacobian
from visviva.describe import catalog


def tool(model, q):
    X = model.numeric.frame_pose("tool", np.asarray(q, dtype=float))
    return X.p, np.arctan2(X.R[1, 0], X.R[0, 0])


def test_planar_3r_and_its_second_branch():
    arm = catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5)
    for q in ([0.3, 0.7, -0.4], [0.91892699, -0.7, 0.38107301]):
        p, angle = tool(arm, q)
        assert np.allclose([*p, angle], [1.80024614, 1.25101823, 0.0, 0.6], atol=2e-8)
    for q in positions(3, 3.0):
        J = tool_jacobian(arm, q)
        J[2] = 1.0  # the angle is the sum
        assert np.linalg.det(J) == pytest.approx(1.0 * 0.8 * np.sin(q[1]), abs=EXACT)


def test_rpr():
    arm = catalog.rpr_arm(l3=0.5)
    for t1, d, t3 in positions(3, 2.0):
        J = tool_jacobian(arm, [t1, d, t3])
        s1, c1, s13, c13 = np.sin(t1), np.cos(t1), np.sin(t1 + t3), np.cos(t1 + t3)
        row1, row2 = [-d * s1 - 0.5 * s13, c1, -0.5 * s13], [d * c1 + 0.5 * c13, s1, 0.5 * c13]
        assert np.allclose(J[:2], [row1, row2], atol=EXACT)
        assert np.allclose(tool(arm, [t1, d, t3])[0][:2], [row2[0], -row1[0]], atol=EXACT)
        J[2] = [1, 0, 1]
        assert np.linalg.det(J) == pytest.approx(-d, abs=EXACT)


def test_two_link_velocities():
    arm = catalog.two_link(L1=1.0, L2=0.8)
    J = tool_jacobian(arm, [0.3, 0.7])[:2]
    assert np.allclose(np.linalg.solve(J, [0.1, 0.2]), [0.34510761, -0.64515698], atol=1e-8)
    assert np.linalg.det(J) == pytest.approx(0.8 * np.sin(0.7), abs=EXACT)


@pytest.mark.parametrize("make", [catalog.spatial_3r, catalog.articulated])
def test_spatial_3r(make):
    arm = make(l1=0.6, l2=0.4)
    height = arm.parameters.get("h", 0.0)
    wanted = [0.57888516, 0.31624641, 0.61907428 + height]
    solutions = [(0.5, 0.4, 0.9), (0.5, 1.10737579, -0.9)]
    solutions += [(-2.64159265, 2.03421687, 0.9), (-2.64159265, 2.74159265, -0.9)]
    for q in solutions:
        assert np.allclose(tool(arm, q)[0], wanted, atol=2e-8)
    assert arm.nv == 3
    for q in positions(3, 3.0):
        reach = 0.6 * np.cos(q[1]) + 0.4 * np.cos(q[1] + q[2])
        J = tool_jacobian(arm, q)
        assert np.linalg.det(J) == pytest.approx(-0.6 * 0.4 * np.sin(q[2]) * reach, abs=EXACT)


@pytest.mark.parametrize(
    ("make", "determinant", "point"),
    [
        (catalog.cartesian, lambda q: 1.0, lambda x, y, z: (x, y, z)),
        (
            catalog.cylindrical,
            lambda q: q[2],
            lambda t, z, r: (r * np.cos(t), r * np.sin(t), z),
        ),
        (
            catalog.spherical,
            lambda q: q[2] ** 2 * np.cos(q[1]),
            lambda t, f, r: (r * np.cos(f) * np.cos(t), r * np.cos(f) * np.sin(t), r * np.sin(f)),
        ),
        (
            catalog.scara,
            lambda q: 0.4 * 0.3 * np.sin(q[1]),
            lambda a, b, d: (
                0.4 * np.cos(a) + 0.3 * np.cos(a + b),
                0.4 * np.sin(a) + 0.3 * np.sin(a + b),
                d,
            ),
        ),
    ],
)
def test_arms_named_after_their_workspace(make, determinant, point):
    arm = make()
    assert (arm.nq, arm.nv) == (3, 3)
    for q in positions(3, 2.0):
        assert np.allclose(tool(arm, q)[0], point(*q), atol=EXACT)
        assert np.linalg.det(tool_jacobian(arm, q)) == pytest.approx(determinant(q), abs=EXACT)


def test_human_arm_is_redundant():
    arm = catalog.human_arm()
    for q in positions(7, 1.0):
        J = body_jacobians(arm.numeric, q)[-1].astype(float)
        _, values, Vt = np.linalg.svd(J)
        assert J.shape == (6, 7)
        assert values.min() > 1e-3  # rank 6, nullity 1
        still = Vt[-1]
        assert np.abs(J @ still).max() < EXACT
        elbow = body_jacobians(arm.numeric, q)[3].astype(float) @ still
        assert np.abs(elbow[3:]).max() > 1e-3  # the elbow moves, the hand does not

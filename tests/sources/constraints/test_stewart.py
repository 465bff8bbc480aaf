"""The Stewart platform: lengths of legs from a pose, its Jacobian, freedoms and idle spins."""

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.held import Numbers, admitted_basis, closed, state
from visviva.space import about_axis


def placed(model, p, R):
    """The platform at a pose and its legs where they reach it, by Newton from nearby."""
    numbers = Numbers(model)
    start = np.array(model.keyframes["assembled"])
    w = np.sqrt(1 + np.trace(R)) / 2
    x = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w)
    start[:7] = [*x, w, *p]
    legs = slice(6, None)
    q = start
    for _ in range(30):  # only the legs move
        error = numbers.error(q)
        A = numbers.matrix(q)[:, legs]
        step = np.zeros(model.nv)
        step[legs] = -np.linalg.lstsq(A, error, rcond=None)[0]
        q = model.integrate(q, step)
    return q


def points(model):
    """a_i on the base and b_i on the platform."""
    z = model.neutral()
    a = [model.frame_pose(f"a{i}", z).p for i in range(1, 7)]
    b = [model.frame_pose(f"b{i}", z).p for i in range(1, 7)]
    return np.array(a, dtype=float), np.array(b, dtype=float)


def legs_of(model):
    """Where the lengths stand in q and in v."""
    where, q, v = [], 0, 0
    for body in model.bodies:
        if body.joint_name.startswith("leg"):
            where.append((q, v))
        q, v = q + body.joint.nq, v + body.joint.nv
    return np.array(where).T


P, R = np.array([0.07, -0.05, 0.95]), about_axis([0.6, 0.0, 0.8], 0.25)


@pytest.mark.parametrize("legs", ["UPS", "SPS"])
def test_S64_C93_lengths_of_legs_and_the_rows_of_the_jacobian(legs):
    """L_i = |p + R b_i - a_i|, and L_i' = [u_iᵀ, (R b_i × u_i)ᵀ] (p', ω)."""
    model = vv.catalog.stewart(legs=legs).numeric
    a, b = points(model)
    q = placed(model, P, R)
    numbers = Numbers(model)
    np.testing.assert_allclose(numbers.error(q), 0, atol=1e-13)
    way = P + b @ R.T - a
    lengths = np.linalg.norm(way, axis=1)
    in_q, in_v = legs_of(model)
    np.testing.assert_allclose(q[in_q], lengths, rtol=1e-12)
    u = way / lengths[:, None]
    rows = np.hstack([u, np.cross(b @ R.T, u)])
    N, _ = admitted_basis(numbers.matrix(q))
    for v in N.T:
        rate = np.concatenate([R @ v[3:6], R @ v[:3]])  # the platform's twist is in its own axes
        np.testing.assert_allclose(v[in_v], rows @ rate, atol=1e-12)


def test_S64_C83_a_stewart_platform_has_six_freedoms_and_six_idle_spins_more_on_balls():
    """6 (14 - 1 - 18) + 36 = 6 with universal joints, 12 with balls at both ends."""
    for key, wanted, legs in (("stewart", 6, 3), ("stewart SPS", 12, 4)):
        numbers, q, _, _ = state(key, 2)
        model = numbers.system
        links, joints = 1 + len(model.bodies), len(model.bodies) - 1 + len(model.loops)
        assert (links, joints) == (14, 18)
        free = 6 * legs + 6 * 3  # of joints: those of a leg, and balls at the platform
        assert 6 * (links - 1 - joints) + free == wanted
        N, _ = admitted_basis(numbers.matrix(q))
        assert N.shape[1] == wanted
        assert np.linalg.matrix_rank(N[:6], tol=1e-9) == 6  # all motions of the platform
        assert "stewart" in vv.catalog.names()


def test_S64_forces_of_legs_hold_the_platform():
    """Statics: pushes along the legs whose wrench, by the rows' transpose, is the weight."""
    model = vv.catalog.stewart(m1=1e-9, m2=1e-9).numeric
    a, b = points(model)
    q = placed(model, P, R)
    way = P + b @ R.T - a
    u = way / np.linalg.norm(way, axis=1)[:, None]
    rows = np.hstack([u, np.cross(b @ R.T, u)])
    push = np.linalg.solve(rows.T, [0.0, 0.0, 20.0 * 9.81, 0.0, 0.0, 0.0])
    tau = np.zeros(model.nv)
    tau[legs_of(model)[1]] = push
    acceleration = Numbers(model).motion("forward_dynamics", q, np.zeros(model.nv), tau)
    np.testing.assert_allclose(acceleration[:6], 0, atol=1e-6)  # legs weigh a little


def test_S64_the_assembled_platform_is_level_at_its_height():
    for height in (0.7, 1.1):
        model = vv.catalog.stewart(height=height).numeric
        q = np.array(model.keyframes["assembled"])
        np.testing.assert_allclose(closed(Numbers(model), q), q, atol=1e-14)
        np.testing.assert_allclose(
            model.frame_pose("platform", q).p, [0.0, 0.0, height], atol=1e-15
        )

"""Inverse kinematics of the sources' arms, with the audit's numbers."""

import numpy as np
import sympy

import visviva as vv


def at(arm, q, frame="tool"):
    return arm.frame_pose(frame, q)


def close(a, b, to=5e-9):  # the audit prints eight digits
    assert np.abs(np.asarray(a, dtype=float) - np.asarray(b, dtype=float)).max() < to


def jacobian(arm, q, rows):
    return np.asarray(arm.jacobian("tool")(q))[rows]


def test_S45_planar_3r_both_branches():
    arm = vv.catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5)
    X = at(arm, [0.3, 0.7, -0.4])
    close(X.p[:2], [1.80024614, 1.25101823])
    found = arm.inverse_kinematics("tool", (1.80024614, 1.25101823, 0.6), all=True)
    assert (found.count, found.complete) == (2, True)
    close(found.q, [[0.3, 0.7, -0.4], [0.91892699, -0.7, 0.38107301]], 2e-8)
    q = np.array([0.3, 0.7, -0.4])
    assert abs(np.linalg.det(jacobian(arm, q, [3, 4, 2])) - 1.0 * 0.8 * np.sin(0.7)) < 1e-14
    # the wrist reaches |l1 - l2| ≤ r ≤ l1 + l2 and no further
    for r in (0.2, 1.8, 0.2 - 1e-6, 1.8 + 1e-6):
        count = arm.inverse_kinematics("tool", (r + 0.5, 0.0, 0.0), all=True).count
        assert count == (1 if r in (0.2, 1.8) else 0)


def test_S46_planar_rpr_both_branches():
    arm = vv.catalog.rpr_arm()
    l3 = arm.parameters["l3"]
    x, y, phi = 1.1, 0.4, 0.7
    w = np.array([x - l3 * np.cos(phi), y - l3 * np.sin(phi)])
    d = np.hypot(*w)
    expected = []
    for sign in (1.0, -1.0):
        theta = np.arctan2(sign * w[1], sign * w[0])
        third = np.angle(np.exp(1j * (phi - theta)))
        expected.append([theta, sign * d, third])
    found = arm.inverse_kinematics("tool", (x, y, phi), all=True, limits=False)
    assert (found.count, found.complete) == (2, True)
    close(found.q, sorted(expected), 1e-14)
    q = np.array([0.3, 0.9, 0.5])
    assert abs(np.linalg.det(jacobian(arm, q, [3, 4, 2])) + 0.9) < 1e-14


def test_S49_planar_2r_elbow_up_and_down():
    arm = vv.catalog.two_link(L1=1.0, L2=0.8)
    q, v = np.array([0.3, 0.7]), np.array([0.1, 0.2])
    J = jacobian(arm, q, [3, 4])
    close(np.linalg.solve(J, v), [0.34510761, -0.64515698])
    assert abs(np.linalg.det(J) - 0.8 * np.sin(0.7)) < 1e-15
    found = arm.inverse_kinematics("tool", at(arm, q).p, task="position", all=True)
    assert (found.count, found.complete) == (2, True)
    close(found.q[0], q, 1e-14)
    assert abs(found.q[1, 1] + 0.7) < 1e-14
    formulas = found.formulas()
    x, y = sympy.symbols("x y", real=True)
    cosine = (x**2 + y**2 - 1 - sympy.Rational(16, 25)) / (2 * sympy.Rational(4, 5))
    second = formulas.expanded(0, "q2")
    values = {
        s: {"L1": 1, "L2": sympy.Rational(4, 5)}[s.name] for s in second.free_symbols - {x, y}
    }
    assert sympy.simplify(sympy.cos(second.subs(values)) ** 2 - cosine**2) == 0


def test_S50_spatial_3r_four_solutions():
    arm = vv.catalog.spatial_3r(l1=0.6, l2=0.4)
    q = np.array([0.5, 0.4, 0.9])
    p = at(arm, q).p
    close(p, [0.57888516, 0.31624641, 0.61907428])
    found = arm.inverse_kinematics("tool", p, task="position", all=True)
    printed = [
        (0.5, 0.4, 0.9),
        (0.5, 1.10737579, -0.9),
        (-2.64159265, 2.03421687, 0.9),
        (-2.64159265, 2.74159265, -0.9),
    ]
    assert (found.count, found.complete) == (4, True)
    close(found.q, sorted(printed))
    det = np.linalg.det(jacobian(arm, q, [3, 4, 5]))
    inner = 0.6 * np.cos(0.4) + 0.4 * np.cos(1.3)
    assert abs(det + 0.6 * 0.4 * np.sin(0.9) * inner) < 1e-15


def test_S59_cartesian_robot():
    arm = vv.catalog.cartesian()
    found = arm.inverse_kinematics("tool", (0.3, -0.2, 0.5), task="position", all=True)
    assert (found.count, found.complete, found.family) == (1, True, "Cartesian")
    close(found.q, [[0.3, -0.2, 0.5]], 1e-15)
    assert np.linalg.det(jacobian(arm, np.zeros(3), [3, 4, 5])) == 1.0
    assert arm.nv == 3


def test_S60_cylindrical_robot():
    arm = vv.catalog.cylindrical()
    q = np.array([0.4, 0.7, 0.5])  # theta, z, r
    p = at(arm, q).p
    close(p, [0.5 * np.cos(0.4), 0.5 * np.sin(0.4), 0.7], 1e-15)
    found = arm.inverse_kinematics("tool", p, task="position", all=True)
    assert (found.count, found.complete, found.family) == (2, True, "cylindrical RPP")
    close(found.q, [[0.4 - np.pi, 0.7, -0.5], q], 1e-14)
    assert abs(abs(np.linalg.det(jacobian(arm, q, [3, 4, 5]))) - 0.5) < 1e-15


def test_S61_spherical_robot():
    arm = vv.catalog.spherical()
    q = np.array([0.4, 0.3, 0.9])  # theta, phi, r
    p = at(arm, q).p
    found = arm.inverse_kinematics("tool", p, task="position", all=True)
    assert (found.count, found.complete, found.family) == (4, True, "spherical RRP")
    flipped = [0.4 - np.pi, np.pi - 0.3, 0.9]
    back = [[0.4, 0.3 - np.pi, -0.9], [0.4 - np.pi, -0.3, -0.9]]
    close(found.q, sorted([q.tolist(), flipped, *back]), 1e-14)
    det = np.linalg.det(jacobian(arm, q, [3, 4, 5]))
    assert abs(abs(det) - 0.81 * np.cos(0.3)) < 1e-15


def test_S62_scara():
    arm = vv.catalog.scara(a1=0.4, a2=0.3)
    q = np.array([0.5, 0.8, 0.2])
    found = arm.inverse_kinematics("tool", at(arm, q).p, task="position", all=True)
    assert (found.count, found.complete, found.family) == (2, True, "SCARA RRP")
    close(found.q[0], q, 1e-14)
    assert abs(found.q[1, 1] + 0.8) < 1e-14
    det = np.linalg.det(jacobian(arm, q, [3, 4, 5]))
    assert abs(det - 0.4 * 0.3 * np.sin(0.8)) < 1e-15


def test_C87_every_branch_with_its_quadrants_or_a_clear_unreachable():
    """Targets in all four quadrants have both elbows; beyond the reach it is said how far."""
    arm = vv.catalog.two_link()
    for x, y in ((0.9, 0.7), (-0.9, 0.7), (-0.9, -0.7), (0.9, -0.7)):
        found = arm.inverse_kinematics("tool", (x, y), all=True, task="position")
        assert found.complete
        assert len(found) == 2
        assert np.prod(np.sign(np.sin(found.q[:, 1]))) < 0  # one elbow up, one down
        for q in found.q:
            np.testing.assert_allclose(arm.pose("tool")(q)[:2, 3], [x, y], atol=1e-12)
    far = arm.inverse_kinematics("tool", (3.0, 0.0), all=True, task="position")
    assert not len(far)
    assert far.reason.startswith("unreachable")
    assert "1.2" in far.reason  # 3 m away, 1.8 m of reach
